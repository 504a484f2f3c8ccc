/*
 * Broadcast, collect, scatter, gather and barrier as Fortran calls them: all
 * arguments by reference, lengths in default integers.
 */
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

OB_FORTRAN_TRACED(void, icc_bcast, (void *x, const icc_int *bytes, const icc_int *root),
                  OB_T(iCC_bcast)(x, icc_long(*bytes), icc_long(*root)))
OB_FORTRAN_TRACED(void, icc_g_bcast,
                  (void *x, const icc_int *bytes, const icc_int *root, const icc_int *group),
                  OB_T(iCC_g_bcast)(x, icc_long(*bytes), icc_long(*root), *group))

static void set_count(const char *routine, icc_int *ncnt, long count)
{
    icc_call call = {routine, (int)OB_T(iCC_mynode)()};
    if (count != (icc_int)count)
        icc_fault(&call, "OB-7107 argument 5 (ncnt) would be %ld, which no default integer holds",
                  count);
    *ncnt = (icc_int)count;
}

void OB_F(icc_gcol)(const void *x, const icc_int *xlen, void *y, const icc_int *ylen, icc_int *ncnt)
{
    OB_TRACE_CALLER;
    long count;
    OB_T(iCC_gcol)(x, icc_long(*xlen), y, icc_long(*ylen), &count);
    set_count("iCC_gcol", ncnt, count);
}

void OB_F(icc_g_gcol)(const void *x, const icc_int *xlen, void *y, const icc_int *ylen,
                      icc_int *ncnt, const icc_int *group)
{
    OB_TRACE_CALLER;
    long count;
    OB_T(iCC_g_gcol)(x, icc_long(*xlen), y, icc_long(*ylen), &count, *group);
    set_count("iCC_g_gcol", ncnt, count);
}

void OB_F(icc_gcolx)(const void *x, const icc_int *xlens, void *y)
{
    OB_TRACE_CALLER;
    icc_call call = {"iCC_gcolx", -1};
    long *lengths = OB_T(icc_longs)(&call, xlens, iCC_ALL, 4);
    OB_T(iCC_gcolx)(x, lengths, y);
    free(lengths);
}

void OB_F(icc_g_gcolx)(const void *x, const icc_int *xlens, void *y, const icc_int *group)
{
    OB_TRACE_CALLER;
    icc_call call = {"iCC_g_gcolx", -1};
    long *lengths = OB_T(icc_longs)(&call, xlens, *group, 4);
    OB_T(iCC_g_gcolx)(x, lengths, y, *group);
    free(lengths);
}

/* Scatter and gather have the same arguments. */
#define STAMP(name)                                                                                \
    OB_FORTRAN_TRACED(void, icc_##name,                                                            \
                      (const void *x, const icc_int *len, void *y, const icc_int *root),           \
                      OB_T(iCC_##name)(x, icc_long(*len), y, icc_long(*root)))                     \
    OB_FORTRAN_TRACED(                                                                             \
        void, icc_g_##name,                                                                        \
        (const void *x, const icc_int *len, void *y, const icc_int *root, const icc_int *group),   \
        OB_T(iCC_g_##name)(x, icc_long(*len), y, icc_long(*root), *group))                         \
    void OB_F(icc_##name##x)(const void *x, const icc_int *lens, void *y, const icc_int *root)     \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        icc_call call = {"iCC_" #name "x", -1};                                                    \
        long *lengths = OB_T(icc_longs)(&call, lens, iCC_ALL, 5);                                  \
        OB_T(iCC_##name##x)(x, lengths, y, icc_long(*root));                                       \
        free(lengths);                                                                             \
    }                                                                                              \
    void OB_F(icc_g_##name##x)(const void *x, const icc_int *lens, void *y, const icc_int *root,   \
                               const icc_int *group)                                               \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        icc_call call = {"iCC_g_" #name "x", -1};                                                  \
        long *lengths = OB_T(icc_longs)(&call, lens, *group, 5);                                   \
        OB_T(iCC_g_##name##x)(x, lengths, y, icc_long(*root), *group);                             \
        free(lengths);                                                                             \
    }

STAMP(scatter)
STAMP(gather)

OB_FORTRAN_TRACED(void, icc_gsync, (void), OB_T(iCC_gsync)())
OB_FORTRAN_TRACED(void, icc_g_gsync, (const icc_int *group), OB_T(iCC_g_gsync)(*group))
