/*
 * Two threads of each process use two grids at the same time: point to point,
 * broadcasts, combines, barriers and gridinfo.
 */
#include <pthread.h>

#include "harness.h"

enum { ROUNDS = 300, THREADS = 2 };

typedef struct worker {
    int context, number, good, bad;
} worker;

static void note(worker *w, int good)
{
    w->good += good;
    w->bad += !good;
}

static void ring(worker *w, int round)
{
    int n = world.count, m = 1 + round * 37 % 2000;
    int *a = malloc((size_t)m * sizeof *a), right = 1, from = (world.me + n - 1) % n;
    for (int k = 0; k < m; k++)
        a[k] = world.me + k * 10 + w->number * 7;
    Cigesd2d(w->context, m, 1, a, m, 0, (world.me + 1) % n);
    memset(a, 0, (size_t)m * sizeof *a);
    Cigerv2d(w->context, 1, m, a, 1, 0, from);
    for (int k = 0; k < m; k++)
        right &= a[k] == from + k * 10 + w->number * 7;
    note(w, right);
    free(a);
}

static void together(worker *w, int round)
{
    double x = w->number + 1.0, y = round + 0.5 * w->number;
    int root = round % world.count;
    Cdgsum2d(w->context, "All", round % 2 ? " " : "h", 1, 1, &x, 1, -1, -1);
    note(w, x == (w->number + 1.0) * world.count);
    if (root == world.me)
        Cdgebs2d(w->context, "Row", " ", 1, 1, &y, 1);
    else
        y = -1, Cdgebr2d(w->context, "Row", " ", 1, 1, &y, 1, 0, root);
    note(w, y == round + 0.5 * w->number);
    if (round % 10 == 0)
        Cblacs_barrier(w->context, "A");
}

static void *work(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < ROUNDS; round++) {
        ring(w, round);
        together(w, round);
        int rows, columns, row, column;
        Cblacs_gridinfo(w->context, &rows, &columns, &row, &column);
        note(w, columns == world.count && column == world.me);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    worker w[THREADS];
    begin();
    for (int t = 0; t < THREADS; t++)
        w[t] = (worker){make_grid(1, world.count), t, 0, 0};
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, &w[t]);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        check(w[t].bad == 0 && w[t].good > 0, "thread %d: %d of %d wrong", t, w[t].bad,
              w[t].good + w[t].bad);
        world.passed += w[t].good;
    }
    for (int t = 0; t < THREADS; t++)
        Cblacs_gridexit(w[t].context);
    return finish();
}
