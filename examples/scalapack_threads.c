/*
 * What ScaLAPACK allows threads to do (docs/threads.md). Three threads multiply with PDGEMM, each
 * on a grid of its own.
 *
 *     obrun -n 4 scalapack_threads turns      one after the other, in one order on all processes
 *     obrun -n 4 scalapack_threads rings      at once, the state that PDGEMM shares prepared
 *     obrun -n 4 scalapack_threads at-once    at once: a hang, wrong numbers or a line of an error
 *     obrun -n 1 scalapack_threads state      shows that a topology is of the process, not of a
 * grid
 */
#include <openblacs/blacs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, N = 192, NB = 8, ROUNDS = 20 };

extern void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
                      const int *row, const int *column, const int *context, const int *ld,
                      int *info);
extern void pdgemm_(const char *transa, const char *transb, const int *m, const int *n,
                    const int *k, const double *alpha, const double *a, const int *ia,
                    const int *ja, const int *desca, const double *b, const int *ib, const int *jb,
                    const int *descb, const double *beta, double *c, const int *ic, const int *jc,
                    const int *descc);
extern void pb_topset_(const int *context, const char *op, const char *scope, const char *top);
extern void pb_topget_(const int *context, const char *op, const char *scope, char *top);

static int context[THREADS];
static atomic_bool wrong;
static bool taking_turns;
static int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;

/* C = A B, where A is which + 1 everywhere and B is 1. */
static void multiply(int which)
{
    static const int one = 1, n = N, nb = NB, zero = 0;
    static const double alpha = 1, beta = 0;
    int rows, columns, row, column, desc[9], info;
    Cblacs_gridinfo(context[which], &rows, &columns, &row, &column);
    int ld = N / rows;
    size_t local = (size_t)ld * (size_t)(N / columns);
    double *a = malloc(3 * local * sizeof *a), *b = a + local, *c = b + local;
    if (a == NULL)
        abort();
    for (size_t i = 0; i < local; i++) {
        a[i] = which + 1;
        b[i] = 1;
        c[i] = -1;
    }
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &context[which], &ld, &info);
    pdgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one,
            &one, desc);
    for (size_t i = 0; i < local; i++)
        if (c[i] != N * (which + 1.0))
            wrong = true;
    free(a);
}

/* A mutex alone would not do: two processes could let different threads in first, which then wait
 * for each other. */
static void multiply_in_turn(int which)
{
    pthread_mutex_lock(&lock);
    while (turn % THREADS != which)
        pthread_cond_wait(&next, &lock);
    multiply(which);
    turn++;
    pthread_cond_broadcast(&next);
    pthread_mutex_unlock(&lock);
}

static void *run(void *number)
{
    int which = *(int *)number;
    for (int i = 0; i < ROUNDS; i++)
        if (taking_turns)
            multiply_in_turn(which);
        else
            multiply(which);
    return NULL;
}

/* With a ring set, PDGEMM leaves the topologies as they are; and its first call fills tables. */
static void prepare(void)
{
    pb_topset_(&context[0], "Broadcast", "Rowwise", "I-ring");
    pb_topset_(&context[0], "Broadcast", "Columnwise", "I-ring");
    multiply(0);
}

static void show_state(void)
{
    char before, after;
    pb_topget_(&context[1], "Broadcast", "Rowwise", &before);
    pb_topset_(&context[0], "Broadcast", "Rowwise", "D-ring");
    pb_topget_(&context[1], "Broadcast", "Rowwise", &after);
    printf("grid 1 broadcasts along rows by '%c'; grid 0 is set to 'D', and grid 1 has '%c'\n",
           before, after);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "turns";
    pthread_t thread[THREADS];
    int me, count, number[THREADS];
    Cblacs_pinfo(&me, &count);
    /* Grids of one list of processes are made in one order, before the threads part. */
    for (int k = 0; k < THREADS; k++) {
        Cblacs_get(-1, 0, &context[k]);
        Cblacs_gridinit(&context[k], "Row", 1, count);
    }
    taking_turns = strcmp(mode, "turns") == 0;
    if (strcmp(mode, "rings") == 0)
        prepare();
    if (strcmp(mode, "state") == 0) {
        show_state();
    } else {
        for (int k = 0; k < THREADS; k++) {
            number[k] = k;
            if (pthread_create(&thread[k], NULL, run, &number[k]))
                abort();
        }
        for (int k = 0; k < THREADS; k++)
            pthread_join(thread[k], NULL);
        printf("process %d: %s\n", me, wrong ? "WRONG" : "right");
    }
    Cblacs_exit(0);
    return wrong;
}
