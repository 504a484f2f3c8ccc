/*
 * The time of one 8-byte message: of two processes half of an echo, alone half of a send
 * and a receive, which are two events where they are recorded. One number, microseconds,
 * the least of rounds.
 */
#include <stdio.h>

#include <openblacs/blacs.h>

enum { ROUNDS = 50, TIMES = 2000 };

int main(void)
{
    int me, count, context;
    double x = 1, least = 0;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    int other = count - 1 - me;
    for (int r = 0; r < ROUNDS; r++) {
        double begin = Cdwalltime00();
        for (int i = 0; i < TIMES; i++) {
            if (me == 0)
                Cdgesd2d(context, 1, 1, &x, 1, 0, other);
            Cdgerv2d(context, 1, 1, &x, 1, 0, other);
            if (me == 1)
                Cdgesd2d(context, 1, 1, &x, 1, 0, other);
        }
        double us = (Cdwalltime00() - begin) / TIMES / 2 * 1e6;
        least = r == 0 || us < least ? us : least;
    }
    if (me == 0)
        printf("%.4f\n", least);
    Cblacs_exit(0);
    return 0;
}
