/*
 * MPI's operations as the core's. Predefined ones on built-in types are the core's own; the user's,
 * and what the MPI library defines beyond that, are done by its MPI_Reduce_local on whatever the
 * core brings together.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "shim.h"

/* The core's operator, OB_OPERATORS for one of the user's; pairs have extremes of their own. */
static ob_operator operator_of(MPI_Op mpi)
{
    const MPI_Op known[OB_OPERATORS] = {
        [OB_OPERATOR_MAX] = MPI_MAX,         [OB_OPERATOR_MIN] = MPI_MIN,
        [OB_OPERATOR_SUM] = MPI_SUM,         [OB_OPERATOR_PRODUCT] = MPI_PROD,
        [OB_OPERATOR_AND] = MPI_LAND,        [OB_OPERATOR_OR] = MPI_LOR,
        [OB_OPERATOR_XOR] = MPI_LXOR,        [OB_OPERATOR_BIT_AND] = MPI_BAND,
        [OB_OPERATOR_BIT_OR] = MPI_BOR,      [OB_OPERATOR_BIT_XOR] = MPI_BXOR,
        [OB_OPERATOR_MAX_PAIR] = MPI_MAXLOC, [OB_OPERATOR_MIN_PAIR] = MPI_MINLOC,
        [OB_OPERATOR_AVERAGE] = MPI_OP_NULL}; /* MPI has none */
    int i = 0;
    if (mpi == MPI_SUM)
        return OB_OPERATOR_SUM;
    while (i < OB_OPERATORS && known[i] != mpi)
        i++;
    return (ob_operator)i;
}

bool shim_predefined(MPI_Op op)
{
    return op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP ||
           operator_of(op) < OB_OPERATORS;
}

static bool is_logical(ob_operator o)
{
    return o == OB_OPERATOR_AND || o == OB_OPERATOR_OR || o == OB_OPERATOR_XOR;
}

/* Does the MPI library itself define it? It says so in a sum of one process, whose errors are
 * returned. Two bits of type->defined for each operator: it was asked, and what it said. */
static bool mpi_defines(const shim_type *type, MPI_Op op, ob_operator o)
{
    enum { MOST = 64 };
    _Static_assert(2 * OB_OPERATORS <= 32, "two bits for each operator");
    _Alignas(16) char in[MOST] = "", out[MOST];
    unsigned asked = 1u << 2 * o, known;
    if (type->derived || type->extent > MOST)
        return false;
    known = type->defined ? atomic_load_explicit(type->defined, memory_order_relaxed) : 0;
    if (known & asked)
        return known & asked << 1;
    bool yes = shim_own_allreduce()(in, out, 1, type->type, op, shim_quiet()) == MPI_SUCCESS;
    if (type->defined) /* all who ask are told the same: relaxed */
        atomic_fetch_or_explicit(type->defined, yes ? 3 * asked : asked, memory_order_relaxed);
    return yes;
}

/* ---------------------------------------------------------- MPI_Reduce_local */

/* Bytes that are combined at a time where they are copied. */
enum { STRIP = 32 << 10 };

static void reduce_local(const shim_operation *o, const void *in, void *inout, int n)
{
    if (PMPI_Reduce_local(in, inout, n, o->type->type, o->op) != MPI_SUCCESS)
        shim_fault("OB-3020 libicc-mpi: MPI_Reduce_local failed");
}

/* inout = in op inout: the operands of one that commutes may change places. */
static void by_mpi(size_t n, void *acc, const void *in, const void *context)
{
    const shim_operation *o = context;
    char *to = acc;
    for (const char *from = in; n;) {
        int step = n < INT_MAX / 2 ? (int)n : INT_MAX / 2;
        reduce_local(o, from, to, step);
        from += (size_t)step * o->type->extent;
        to += (size_t)step * o->type->extent;
        n -= (size_t)step;
    }
}

static char *room_for(size_t bytes)
{
    char *room = shim_scratch(SLOT_OPERATION, bytes);
    if (room == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes of an operation", bytes);
    return room;
}

/* acc = acc op in, by way of a copy of `in`. */
static void by_mpi_in_order(size_t n, void *acc, const void *in, const void *context)
{
    const shim_operation *o = context;
    size_t extent = o->type->extent, most = STRIP / extent + 1;
    char *copy = room_for(most * extent), *to = acc;
    for (const char *from = in; n;) {
        size_t step = n < most ? n : most;
        memcpy(copy, from, step * extent);
        reduce_local(o, to, copy, (int)step);
        memcpy(to, copy, step * extent);
        from += step * extent;
        to += step * extent;
        n -= step;
    }
}

/* Elements that are packed lie in memory as their type has them while they are combined. */
typedef struct layout {
    size_t most;     /* elements at a time */
    size_t bytes;    /* of their memory */
    ptrdiff_t start; /* from there to the address that MPI is told: a multiple of 64 */
} layout;

static layout layout_of(const shim_type *t)
{
    /* Far from 0 where the type holds addresses itself: memory is there for its data alone. */
    ptrdiff_t start = t->first < 0 ? (-(ptrdiff_t)t->first + 63) / 64 * 64 : -(t->first / 64 * 64);
    size_t before = (size_t)(start + t->first);
    bool upwards = (MPI_Aint)t->extent > 0;
    size_t most = upwards ? STRIP / t->extent + 1 : 1;
    size_t bytes = before + (size_t)t->span + (most - 1) * (upwards ? t->extent : 0);
    return (layout){most, (bytes + 63) / 64 * 64, start};
}

static void by_mpi_packed(size_t n, void *acc, const void *in, const void *context)
{
    const shim_operation *o = context;
    const shim_type *t = o->type;
    layout l = layout_of(t);
    char *room = room_for(2 * l.bytes), *to = acc;
    uintptr_t told = (uintptr_t)room + (uintptr_t)l.start; /* outside of that memory, perhaps */
    char *a = (char *)told, *b = (char *)(told + l.bytes);
    memset(room, 0, 2 * l.bytes);
    for (const char *from = in; n;) {
        size_t step = n < l.most ? n : l.most;
        bool good = shim_unpack(o->on, t, a, step, to) && shim_unpack(o->on, t, b, step, from);
        if (good)
            reduce_local(o, o->in_order ? a : b, o->in_order ? b : a, (int)step);
        if (!good || !shim_pack(o->on, t, o->in_order ? b : a, step, to))
            shim_fault("OB-3020 libicc-mpi: a committed type cannot be packed");
        from += step * t->size;
        to += step * t->size;
        n -= step;
    }
}

/* ------------------------------------------------------------- which one it is */

static bool has_kernel(const shim_type *type, ob_operator o, ob_operation *found)
{
    return o < OB_OPERATORS && !type->derived && type->kind != OB_KINDS && !type->no_numbers &&
           !(type->no_logical && is_logical(o)) && ob_operation_of(o, type->kind, found) == OB_OK &&
           found->element_bytes == type->extent;
}

/* Predefined, but without a kernel for the type as MPI's standard has it: a kernel for its elements
 * all the same, or the MPI library's. */
static bool has_more(const shim_type *type, ob_operator o, shim_operation *found)
{
    if (!mpi_defines(type, found->op, o))
        return false;
    if (type->kind == OB_KINDS || ob_operation_of(o, type->kind, &found->core) != OB_OK ||
        found->core.element_bytes != type->extent)
        found->core = (ob_operation){by_mpi, found, type->extent};
    return true;
}

static shim_fate users(const shim_type *type, shim_operation *found)
{
    int commutes = 0;
    if (type->uncommitted)
        return UNCOMMITTED;
    if (PMPI_Op_commutative(found->op, &commutes) != MPI_SUCCESS)
        return INVALID;
    found->in_order = !commutes;
    found->packed = !type->plain;
    size_t bytes = found->packed ? type->size : type->extent;
    found->whole = bytes > OB_ELEMENT_BYTES;
    found->core = (ob_operation){found->packed     ? by_mpi_packed
                                 : found->in_order ? by_mpi_in_order
                                                   : by_mpi,
                                 found, bytes ? bytes : 1};
    return TAKEN;
}

bool shim_operation_of(const shim_comm *on, const shim_type *type, MPI_Op mpi,
                       shim_operation *found, shim_fate *why)
{
    ob_operator o = operator_of(mpi);
    *found = (shim_operation){.op = mpi, .type = type, .on = on};
    if (mpi == MPI_OP_NULL || mpi == MPI_REPLACE || mpi == MPI_NO_OP)
        *why = INVALID;
    else if (has_kernel(type, o, &found->core))
        return true;
    else if (o == OB_OPERATORS)
        *why = users(type, found);
    else
        *why = has_more(type, o, found) ? TAKEN : NO_KERNEL;
    return *why == TAKEN;
}
