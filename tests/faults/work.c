/*
 * A little of everything, for runs in which some call fails: messages of all lengths, to a receiver
 * who waits and to one who comes late, collective calls, two grids. Each process says "right" at
 * its end, or what was wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <openblacs/blacs.h>

enum { LONGEST = 1 << 18, LATE = 40 };

static int wrong;

static void look(const double *a, int n, double want, const char *what)
{
    for (int i = 0; i < n && !wrong; i++)
        if (a[i] != want + i) {
            printf("wrong: %s of %d: element %d is %g, must be %g\n", what, n, i, a[i], want + i);
            wrong = 1;
        }
}

static void fill(double *a, int n, double with)
{
    for (int i = 0; i < n; i++)
        a[i] = with + i;
}

static void messages(int context, int me, int count, double *a)
{
    int to = (me + 1) % count, from = (me + count - 1) % count;
    for (int n = 1; n <= LONGEST; n *= 8) {
        fill(a, n, me + n);
        Cdgesd2d(context, n, 1, a, n, 0, to);
        Cdgerv2d(context, n, 1, a, n, 0, from);
        look(a, n, from + n, "message");
    }
    for (int k = 0; k < LATE; k++) {
        fill(a, 4096, me + k);
        Cdgesd2d(context, 4096, 1, a, 4096, 0, to);
    }
    const struct timespec wait = {0, me * 3000000L};
    nanosleep(&wait, NULL);
    for (int k = 0; k < LATE; k++) {
        Cdgerv2d(context, 4096, 1, a, 4096, 0, from);
        look(a, 4096, from + k, "late message");
    }
}

static void collectives(int context, int me, int count, double *a)
{
    for (int n = 1; n <= LONGEST; n *= 64) {
        fill(a, n, 7);
        if (me == 0)
            Cdgebs2d(context, "All", " ", n, 1, a, n);
        else
            Cdgebr2d(context, "All", " ", n, 1, a, n, 0, 0);
        look(a, n, 7, "broadcast");
        for (int i = 0; i < n; i++)
            a[i] = me + (double)i / count;
        Cdgsum2d(context, "All", " ", n, 1, a, n, -1, -1);
        for (int i = 0; i < n && !wrong; i++)
            if (a[i] < count * (count - 1) / 2 + i - 1e-6 * n ||
                a[i] > count * (count - 1) / 2 + i + 1e-6 * n) {
                printf("wrong: sum of %d: element %d is %g\n", n, i, a[i]);
                wrong = 1;
            }
    }
    Cblacs_barrier(context, "All");
}

int main(void)
{
    int me, count, context, again;
    double *a = malloc(LONGEST * sizeof *a);
    Cblacs_pinfo(&me, &count);
    if (count < 1) {
        count = 1;
        Cblacs_setup(&me, &count);
    }
    Cblacs_get(0, 0, &context);
    again = context;
    Cblacs_gridinit(&context, "R", 1, count);
    messages(context, me, count, a);
    collectives(context, me, count, a);
    Cblacs_gridinit(&again, "C", count, 1);
    Cblacs_barrier(again, "All");
    Cblacs_gridexit(again);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    free(a);
    if (!wrong)
        fputs("right\n", stdout);
    return wrong;
}
