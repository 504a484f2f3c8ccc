/*
 * The routines of a BLACS and of a ScaLAPACK that are compared, as pointers: two BLACS are in one
 * process. The types are those of openblacs/blacs.h.
 */
#ifndef OBBENCH_VERDICT_BLACS_H
#define OBBENCH_VERDICT_BLACS_H

#include "openblacs/blacs.h"

struct obv_blacs {
    __typeof__(Cblacs_pinfo) *pinfo;
    __typeof__(Cblacs_get) *get;
    __typeof__(Cblacs_set) *set;
    __typeof__(Cblacs_gridinit) *gridinit;
    __typeof__(Cblacs_gridinfo) *gridinfo;
    __typeof__(Cblacs_gridexit) *gridexit;
    __typeof__(Cblacs_barrier) *barrier;
    __typeof__(Cdgesd2d) *send;
    __typeof__(Cdgerv2d) *receive;
    __typeof__(Cdgebs2d) *broadcast;
    __typeof__(Cdgebr2d) *take;
    __typeof__(Cdgsum2d) *sum;
    __typeof__(Cdgamx2d) *amx;
};

struct obv_scalapack {
    void (*pdgetrf)(const int *m, const int *n, double *a, const int *ia, const int *ja,
                    const int *desc, int *pivots, int *info);
    int (*numroc)(const int *n, const int *nb, const int *process, const int *source,
                  const int *processes);
    void (*descinit)(int *desc, const int *m, const int *n, const int *mb, const int *nb,
                     const int *rsrc, const int *csrc, const int *context, const int *ld,
                     int *info);
};

#endif
