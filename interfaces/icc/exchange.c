/*
 * Everybody to everybody; and combines of elements of any kind with any operation, out of place.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

/* ------------------------------------------------------------- all to all */

static void all_to_all(const char *routine, const void *x, long len, void *y, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    size_t p = (size_t)ob_group_size(group), each = icc_length(&call, len, p, 2, "len");
    icc_address(&call, x, each * p, 1, "x");
    icc_address(&call, y, each * p, 3, "y");
    ob_pieces from = {.base = (void *)(uintptr_t)x, .type = OB_BYTE, .count = each};
    ob_pieces to = {.base = y, .type = OB_BYTE, .count = each};
    icc_check(&call, ob_all_to_all(group, &from, &to, NULL));
}

static void all_to_all_x(const char *routine, const void *x, const long *xlens, void *y,
                         const long *ylens, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 5);
    size_t *out = icc_lengths(&call, group, xlens, 1, 2, "xlens");
    size_t *in = icc_lengths(&call, group, ylens, 1, 4, "ylens");
    icc_address(&call, x, icc_sum(out, group), 1, "x");
    icc_address(&call, y, icc_sum(in, group), 3, "y");
    ob_pieces from = {.base = (void *)(uintptr_t)x, .type = OB_BYTE, .counts = out};
    ob_pieces to = {.base = y, .type = OB_BYTE, .counts = in};
    icc_check(&call, ob_all_to_all(group, &from, &to, NULL));
    free(out);
    free(in);
}

static void all_to_all_fortran(const char *routine, const void *x, const icc_int *xlens, void *y,
                               const icc_int *ylens, icc_int handle)
{
    icc_call call = {routine, -1};
    long *out = OB_T(icc_longs)(&call, xlens, handle, 5);
    long *in = OB_T(icc_longs)(&call, ylens, handle, 5);
    all_to_all_x(routine, x, out, y, in, handle);
    free(out);
    free(in);
}

void OB_T(iCC_alltoall)(const void *x, long len, void *y)
{
    OB_TRACE_ROUTINE("iCC_alltoall");
    all_to_all("iCC_alltoall", x, len, y, iCC_ALL);
}

void OB_T(iCC_g_alltoall)(const void *x, long len, void *y, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_alltoall");
    all_to_all("iCC_g_alltoall", x, len, y, group);
}

void OB_T(iCC_alltoallx)(const void *x, const long *xlens, void *y, const long *ylens)
{
    OB_TRACE_ROUTINE("iCC_alltoallx");
    all_to_all_x("iCC_alltoallx", x, xlens, y, ylens, iCC_ALL);
}

void OB_T(iCC_g_alltoallx)(const void *x, const long *xlens, void *y, const long *ylens,
                           icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_alltoallx");
    all_to_all_x("iCC_g_alltoallx", x, xlens, y, ylens, group);
}

OB_FORTRAN_TRACED(void, icc_alltoall, (const void *x, const icc_int *len, void *y),
                  OB_T(iCC_alltoall)(x, icc_long(*len), y))
OB_FORTRAN_TRACED(void, icc_g_alltoall,
                  (const void *x, const icc_int *len, void *y, const icc_int *group),
                  OB_T(iCC_g_alltoall)(x, icc_long(*len), y, *group))

void OB_F(icc_alltoallx)(const void *x, const icc_int *xlens, void *y, const icc_int *ylens)
{
    OB_TRACE_ROUTINE("iCC_alltoallx");
    all_to_all_fortran("iCC_alltoallx", x, xlens, y, ylens, iCC_ALL);
}

void OB_F(icc_g_alltoallx)(const void *x, const icc_int *xlens, void *y, const icc_int *ylens,
                           const icc_int *group)
{
    OB_TRACE_ROUTINE("iCC_g_alltoallx");
    all_to_all_fortran("iCC_g_alltoallx", x, xlens, y, ylens, *group);
}

/* ---------------------------------------------------------- any operation */

/* The operation, and how many of the core's elements are one of its. */
static size_t operation_of(const icc_call *call, long what, long kind, ob_operation *by)
{
    bool known = what >= 0 && what < OB_OPERATORS && kind >= 0 && kind < OB_KINDS;
    icc_check(call, ob_operation_of(known ? (ob_operator)what : OB_OPERATORS,
                                    known ? (ob_kind)kind : OB_KINDS, by));
    return ob_kind_type((ob_kind)kind) == OB_BYTE ? by->element_bytes : 1;
}

static void any(icc_call *call, const void *x, long n, void *y, long what, long kind,
                ob_group *group, int root)
{
    ob_operation by;
    bool wanted = root == OB_ANY || root == ob_group_me(group);
    size_t unit = operation_of(call, what, kind, &by);
    size_t count = icc_length(call, n, by.element_bytes, 2, "n");
    icc_address(call, x, count * by.element_bytes, 1, "x");
    if (wanted)
        icc_address(call, y, count * by.element_bytes, 3, "y");
    ob_view from = ob_view_vector(x, count * unit, ob_kind_type((ob_kind)kind)), to = from;
    to.base = y;
    icc_check(call, ob_combine_to(group, root, &by, &from, &to, NULL));
}

static void any_to_all(const char *routine, const void *x, long n, void *y, long what, long kind,
                       icc_int handle)
{
    icc_call call = {routine, -1};
    any(&call, x, n, y, what, kind, icc_enter(&call, handle, 6), OB_ANY);
}

static void any_to_one(const char *routine, const void *x, long n, void *y, long what, long kind,
                       long root, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 7);
    any(&call, x, n, y, what, kind, group, icc_root(&call, group, root, 6));
}

static void any_distributed(const char *routine, const void *x, const long *ns, void *y, long what,
                            long kind, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 6);
    ob_operation by;
    size_t unit = operation_of(&call, what, kind, &by);
    size_t *counts = icc_lengths(&call, group, ns, by.element_bytes, 2, "ns");
    size_t mine = counts[ob_group_me(group)];
    icc_address(&call, x, icc_sum(counts, group) * by.element_bytes, 1, "x");
    icc_address(&call, y, mine * by.element_bytes, 3, "y");
    for (int i = 0; i < ob_group_size(group); i++)
        counts[i] *= unit;
    ob_type type = ob_kind_type((ob_kind)kind);
    ob_pieces pieces = {.base = (void *)(uintptr_t)x, .type = type, .counts = counts};
    ob_view to = ob_view_vector(y, mine * unit, type);
    icc_check(&call, ob_distributed_combine_to(group, &by, &pieces, &to, NULL));
    free(counts);
}

static void any_distributed_fortran(const char *routine, const void *x, const icc_int *ns, void *y,
                                    icc_int what, icc_int kind, icc_int handle)
{
    icc_call call = {routine, -1};
    long *counts = OB_T(icc_longs)(&call, ns, handle, 6);
    any_distributed(routine, x, counts, y, icc_long(what), icc_long(kind), handle);
    free(counts);
}

void OB_T(iCC_gop)(const void *x, long n, void *y, long what, long kind)
{
    OB_TRACE_ROUTINE("iCC_gop");
    any_to_all("iCC_gop", x, n, y, what, kind, iCC_ALL);
}

void OB_T(iCC_g_gop)(const void *x, long n, void *y, long what, long kind, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gop");
    any_to_all("iCC_g_gop", x, n, y, what, kind, group);
}

void OB_T(iCC_gop1)(const void *x, long n, void *y, long what, long kind, long root)
{
    OB_TRACE_ROUTINE("iCC_gop1");
    any_to_one("iCC_gop1", x, n, y, what, kind, root, iCC_ALL);
}

void OB_T(iCC_g_gop1)(const void *x, long n, void *y, long what, long kind, long root,
                      icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gop1");
    any_to_one("iCC_g_gop1", x, n, y, what, kind, root, group);
}

void OB_T(iCC_gopx)(const void *x, const long *ns, void *y, long what, long kind)
{
    OB_TRACE_ROUTINE("iCC_gopx");
    any_distributed("iCC_gopx", x, ns, y, what, kind, iCC_ALL);
}

void OB_T(iCC_g_gopx)(const void *x, const long *ns, void *y, long what, long kind, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gopx");
    any_distributed("iCC_g_gopx", x, ns, y, what, kind, group);
}

OB_FORTRAN_TRACED(void, icc_gop,
                  (const void *x, const icc_int *n, void *y, const icc_int *what,
                   const icc_int *kind),
                  OB_T(iCC_gop)(x, icc_long(*n), y, icc_long(*what), icc_long(*kind)))
OB_FORTRAN_TRACED(void, icc_g_gop,
                  (const void *x, const icc_int *n, void *y, const icc_int *what,
                   const icc_int *kind, const icc_int *group),
                  OB_T(iCC_g_gop)(x, icc_long(*n), y, icc_long(*what), icc_long(*kind), *group))
OB_FORTRAN_TRACED(void, icc_gop1,
                  (const void *x, const icc_int *n, void *y, const icc_int *what,
                   const icc_int *kind, const icc_int *root),
                  OB_T(iCC_gop1)(x, icc_long(*n), y, icc_long(*what), icc_long(*kind),
                                 icc_long(*root)))
OB_FORTRAN_TRACED(void, icc_g_gop1,
                  (const void *x, const icc_int *n, void *y, const icc_int *what,
                   const icc_int *kind, const icc_int *root, const icc_int *group),
                  OB_T(iCC_g_gop1)(x, icc_long(*n), y, icc_long(*what), icc_long(*kind),
                                   icc_long(*root), *group))

void OB_F(icc_gopx)(const void *x, const icc_int *ns, void *y, const icc_int *what,
                    const icc_int *kind)
{
    OB_TRACE_ROUTINE("iCC_gopx");
    any_distributed_fortran("iCC_gopx", x, ns, y, *what, *kind, iCC_ALL);
}

void OB_F(icc_g_gopx)(const void *x, const icc_int *ns, void *y, const icc_int *what,
                      const icc_int *kind, const icc_int *group)
{
    OB_TRACE_ROUTINE("iCC_g_gopx");
    any_distributed_fortran("iCC_g_gopx", x, ns, y, *what, *kind, *group);
}
