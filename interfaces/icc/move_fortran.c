/*
 * Broadcast, collect, scatter, gather and barrier as Fortran calls them: all
 * arguments by reference, lengths in default integers.
 */
#include <limits.h>
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

OB_FORTRAN_TRACED(void, icc_bcast, (void *x, const int *bytes, const int *root),
                  iCC_bcast(x, *bytes, *root))
OB_FORTRAN_TRACED(void, icc_g_bcast, (void *x, const int *bytes, const int *root, const int *group),
                  iCC_g_bcast(x, *bytes, *root, *group))

static void set_count(const char *routine, int *ncnt, long count)
{
    icc_call call = {routine, (int)iCC_mynode()};
    if (count > INT_MAX)
        icc_fault(&call, "argument 5 (ncnt) would be %ld, which no default integer holds", count);
    *ncnt = (int)count;
}

void icc_gcol_(const void *x, const int *xlen, void *y, const int *ylen, int *ncnt)
{
    OB_TRACE_CALLER;
    long count;
    iCC_gcol(x, *xlen, y, *ylen, &count);
    set_count("iCC_gcol", ncnt, count);
}

void icc_g_gcol_(const void *x, const int *xlen, void *y, const int *ylen, int *ncnt,
                 const int *group)
{
    OB_TRACE_CALLER;
    long count;
    iCC_g_gcol(x, *xlen, y, *ylen, &count, *group);
    set_count("iCC_g_gcol", ncnt, count);
}

void icc_gcolx_(const void *x, const int *xlens, void *y)
{
    OB_TRACE_CALLER;
    icc_call call = {"iCC_gcolx", -1};
    long *lengths = icc_longs(&call, xlens, iCC_ALL, 4);
    iCC_gcolx(x, lengths, y);
    free(lengths);
}

void icc_g_gcolx_(const void *x, const int *xlens, void *y, const int *group)
{
    OB_TRACE_CALLER;
    icc_call call = {"iCC_g_gcolx", -1};
    long *lengths = icc_longs(&call, xlens, *group, 4);
    iCC_g_gcolx(x, lengths, y, *group);
    free(lengths);
}

/* Scatter and gather have the same arguments. */
#define STAMP(name)                                                                                \
    OB_FORTRAN_TRACED(void, icc_##name, (const void *x, const int *len, void *y, const int *root), \
                      iCC_##name(x, *len, y, *root))                                               \
    OB_FORTRAN_TRACED(void, icc_g_##name,                                                          \
                      (const void *x, const int *len, void *y, const int *root, const int *group), \
                      iCC_g_##name(x, *len, y, *root, *group))                                     \
    void icc_##name##x_(const void *x, const int *lens, void *y, const int *root)                  \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        icc_call call = {"iCC_" #name "x", -1};                                                    \
        long *lengths = icc_longs(&call, lens, iCC_ALL, 5);                                        \
        iCC_##name##x(x, lengths, y, *root);                                                       \
        free(lengths);                                                                             \
    }                                                                                              \
    void icc_g_##name##x_(const void *x, const int *lens, void *y, const int *root,                \
                          const int *group)                                                        \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        icc_call call = {"iCC_g_" #name "x", -1};                                                  \
        long *lengths = icc_longs(&call, lens, *group, 5);                                         \
        iCC_g_##name##x(x, lengths, y, *root, *group);                                             \
        free(lengths);                                                                             \
    }

STAMP(scatter)
STAMP(gather)

OB_FORTRAN_TRACED(void, icc_gsync, (void), iCC_gsync())
OB_FORTRAN_TRACED(void, icc_g_gsync, (const int *group), iCC_g_gsync(*group))
