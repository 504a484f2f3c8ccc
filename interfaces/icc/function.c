/*
 * Combines with a function of the program's, out of place: iCC_gopf and its like. The core calls it
 * through one of ours.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

#ifdef OB_ILP64
typedef icc_function64_ fortran_function;
#define MOST_ELEMENTS INT64_MAX
#else
typedef icc_function fortran_function;
#define MOST_ELEMENTS INT_MAX
#endif

typedef struct called {
    iCC_function function;    /* or, when NULL, */
    fortran_function fortran; /* that of a Fortran program */
    long size;
    bool commutes;
} called;

static void apply(size_t n, void *acc, const void *in, const void *context)
{
    const called *f = context;
    if (f->function) {
        f->function(acc, in, (long)n);
        return;
    }
    char *x = acc;
    const char *y = in;
    for (size_t left = n; left > 0;) {
        icc_int count = left < (size_t)MOST_ELEMENTS ? (icc_int)left : MOST_ELEMENTS;
        f->fortran(x, y, &count);
        x += (size_t)count * (size_t)f->size;
        y += (size_t)count * (size_t)f->size;
        left -= (size_t)count;
    }
}

static ob_operation operation_of(const icc_call *call, const called *f)
{
    if (f->size < 1 || f->size > OB_ELEMENT_BYTES)
        icc_fault(call, "OB-1021 argument 4 (size) is %ld, must be 1 to %d", f->size,
                  OB_ELEMENT_BYTES);
    if (f->function == NULL && f->fortran == NULL)
        icc_fault(call, "OB-1021 argument 5 (function) is NULL");
    return (ob_operation){apply, f, (size_t)f->size};
}

static void combine(icc_call *call, const void *x, long n, void *y, const called *f,
                    ob_group *group, int root)
{
    const ob_operation by = operation_of(call, f);
    bool wanted = root == OB_ANY || root == ob_group_me(group);
    size_t count = icc_length(call, n, by.element_bytes, 2, "n"), bytes = count * by.element_bytes;
    icc_address(call, x, bytes, 1, "x");
    if (wanted)
        icc_address(call, y, bytes, 3, "y");
    const ob_view from = ob_view_vector(x, bytes, OB_BYTE), to = ob_view_vector(y, bytes, OB_BYTE);
    icc_check(call, f->commutes ? ob_combine_to(group, root, &by, &from, &to, NULL)
                                : ob_combine_in_order(group, root, &by, &from, &to, NULL));
}

static void to_all(const char *routine, const void *x, long n, void *y, called f, icc_int handle)
{
    icc_call call = {routine, -1};
    combine(&call, x, n, y, &f, icc_enter(&call, handle, 7), OB_ANY);
}

static void to_one(const char *routine, const void *x, long n, void *y, called f, long root,
                   icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 8);
    combine(&call, x, n, y, &f, group, icc_root(&call, group, root, 7));
}

static void distributed(const char *routine, const void *x, const long *ns, void *y, called f,
                        icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 7);
    const ob_operation by = operation_of(&call, &f);
    size_t *counts = icc_lengths(&call, group, ns, by.element_bytes, 2, "ns"), sum = 0;
    for (int i = 0; i < ob_group_size(group); i++)
        sum += counts[i] *= by.element_bytes;
    size_t mine = counts[ob_group_me(group)];
    icc_address(&call, x, sum, 1, "x");
    icc_address(&call, y, mine, 3, "y");
    const ob_pieces pieces = {.base = (void *)(uintptr_t)x, .type = OB_BYTE, .counts = counts};
    const ob_view to = ob_view_vector(y, mine, OB_BYTE);
    icc_check(&call, f.commutes ? ob_distributed_combine_to(group, &by, &pieces, &to, NULL)
                                : ob_distributed_combine_in_order(group, &by, &pieces, &to, NULL));
    free(counts);
}

static void distributed_fortran(const char *routine, const void *x, const icc_int *ns, void *y,
                                called f, icc_int handle)
{
    icc_call call = {routine, -1};
    long *counts = OB_T(icc_longs)(&call, ns, handle, 7);
    distributed(routine, x, counts, y, f, handle);
    free(counts);
}

static called of_c(iCC_function function, long size, long commutes)
{
    return (called){.function = function, .size = size, .commutes = commutes != 0};
}

static called of_fortran(fortran_function function, icc_int size, icc_int commutes)
{
    return (called){.fortran = function, .size = icc_long(size), .commutes = commutes != 0};
}

void OB_T(iCC_gopf)(const void *x, long n, void *y, long size, iCC_function function, long commutes)
{
    OB_TRACE_ROUTINE("iCC_gopf");
    to_all("iCC_gopf", x, n, y, of_c(function, size, commutes), iCC_ALL);
}

void OB_T(iCC_g_gopf)(const void *x, long n, void *y, long size, iCC_function function,
                      long commutes, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gopf");
    to_all("iCC_g_gopf", x, n, y, of_c(function, size, commutes), group);
}

void OB_T(iCC_gopf1)(const void *x, long n, void *y, long size, iCC_function function,
                     long commutes, long root)
{
    OB_TRACE_ROUTINE("iCC_gopf1");
    to_one("iCC_gopf1", x, n, y, of_c(function, size, commutes), root, iCC_ALL);
}

void OB_T(iCC_g_gopf1)(const void *x, long n, void *y, long size, iCC_function function,
                       long commutes, long root, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gopf1");
    to_one("iCC_g_gopf1", x, n, y, of_c(function, size, commutes), root, group);
}

void OB_T(iCC_gopfx)(const void *x, const long *ns, void *y, long size, iCC_function function,
                     long commutes)
{
    OB_TRACE_ROUTINE("iCC_gopfx");
    distributed("iCC_gopfx", x, ns, y, of_c(function, size, commutes), iCC_ALL);
}

void OB_T(iCC_g_gopfx)(const void *x, const long *ns, void *y, long size, iCC_function function,
                       long commutes, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gopfx");
    distributed("iCC_g_gopfx", x, ns, y, of_c(function, size, commutes), group);
}

void OB_F(icc_gopf)(const void *x, const icc_int *n, void *y, const icc_int *size,
                    fortran_function function, const icc_int *commutes)
{
    OB_TRACE_ROUTINE("iCC_gopf");
    to_all("iCC_gopf", x, icc_long(*n), y, of_fortran(function, *size, *commutes), iCC_ALL);
}

void OB_F(icc_g_gopf)(const void *x, const icc_int *n, void *y, const icc_int *size,
                      fortran_function function, const icc_int *commutes, const icc_int *group)
{
    OB_TRACE_ROUTINE("iCC_g_gopf");
    to_all("iCC_g_gopf", x, icc_long(*n), y, of_fortran(function, *size, *commutes), *group);
}

void OB_F(icc_gopf1)(const void *x, const icc_int *n, void *y, const icc_int *size,
                     fortran_function function, const icc_int *commutes, const icc_int *root)
{
    OB_TRACE_ROUTINE("iCC_gopf1");
    to_one("iCC_gopf1", x, icc_long(*n), y, of_fortran(function, *size, *commutes), icc_long(*root),
           iCC_ALL);
}

void OB_F(icc_g_gopf1)(const void *x, const icc_int *n, void *y, const icc_int *size,
                       fortran_function function, const icc_int *commutes, const icc_int *root,
                       const icc_int *group)
{
    OB_TRACE_ROUTINE("iCC_g_gopf1");
    to_one("iCC_g_gopf1", x, icc_long(*n), y, of_fortran(function, *size, *commutes),
           icc_long(*root), *group);
}

void OB_F(icc_gopfx)(const void *x, const icc_int *ns, void *y, const icc_int *size,
                     fortran_function function, const icc_int *commutes)
{
    OB_TRACE_ROUTINE("iCC_gopfx");
    distributed_fortran("iCC_gopfx", x, ns, y, of_fortran(function, *size, *commutes), iCC_ALL);
}

void OB_F(icc_g_gopfx)(const void *x, const icc_int *ns, void *y, const icc_int *size,
                       fortran_function function, const icc_int *commutes, const icc_int *group)
{
    OB_TRACE_ROUTINE("iCC_g_gopfx");
    distributed_fortran("iCC_g_gopfx", x, ns, y, of_fortran(function, *size, *commutes), *group);
}
