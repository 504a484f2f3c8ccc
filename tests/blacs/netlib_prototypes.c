/*
 * A program with declarations of its own, in the form the ScaLAPACK sources
 * and their users write them, beside the header: both must agree.
 */
#define OPENBLACS_NETLIB_PROTOTYPES
#include "openblacs/blacs.h"

#include <stdio.h>

extern void Cblacs_pinfo(int *, int *);
extern void Cblacs_get(int, int, int *);
extern void Cblacs_set(int, int, int *);
extern void Cblacs_gridinit(int *, char *, int, int);
extern void Cblacs_gridmap(int *, int *, int, int, int);
extern void Cblacs_gridinfo(int, int *, int *, int *, int *);
extern void Cblacs_gridexit(int);
extern void Cblacs_exit(int);
extern void Cblacs_barrier(int, char *);
extern int Cblacs_pnum(int, int, int);
extern void Cdgesd2d(int, int, int, double *, int, int, int);
extern void Cdtrbs2d(int, char *, char *, char *, char *, int, int, double *, int);
extern void Ccgebr2d(int, char *, char *, int, int, float *, int, int, int);
extern void Czgsum2d(int, char *, char *, int, int, double *, int, int, int);
extern void Cdgamx2d(int, char *, char *, int, int, double *, int, int *, int *, int, int, int);
extern void dgesd2d_(int *, int *, int *, double *, int *, int *, int *);
extern double dwalltime00_(void);

int main(void)
{
    int me, count, context, failed;
    double z[2];
    Cblacs_pinfo(&me, &count);
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    z[0] = me;
    z[1] = -1;
    Czgsum2d(context, "All", " ", 1, 1, z, 1, -1, -1);
    failed = z[0] != count * (count - 1) / 2 || z[1] != -count;
    Cigsum2d(context, "All", " ", 1, 1, &failed, 1, -1, -1);
    if (me == 0)
        printf("%d passed, %d failed\n", count - failed, failed);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return failed != 0;
}
