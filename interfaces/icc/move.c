/*
 * Broadcast, collect, scatter, gather and barrier: bytes from node to node.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* -------------------------------------------------------------- broadcast */

static void broadcast(const char *routine, void *x, long bytes, long root, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    size_t length = icc_length(&call, bytes, 1, 2, "bytes");
    int from = icc_root(&call, group, root, 3);
    icc_address(&call, x, length, 1, "x");
    ob_view view = ob_view_vector(x, length, OB_BYTE);
    icc_apart(&call);
    icc_check(&call, ob_broadcast(group, from, &view, NULL));
}

void OB_T(iCC_bcast)(void *x, long bytes, long root)
{
    OB_TRACE_ROUTINE("iCC_bcast");
    broadcast("iCC_bcast", x, bytes, root, iCC_ALL);
}

void OB_T(iCC_g_bcast)(void *x, long bytes, long root, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_bcast");
    broadcast("iCC_g_bcast", x, bytes, root, group);
}

/* ---------------------------------------------------------------- collect */

static void collect_known(const icc_call *call, ob_group *group, const void *x,
                          const size_t *lengths, void *y)
{
    size_t before = 0;
    int me = ob_group_me(group);
    for (int i = 0; i < me; i++)
        before += lengths[i];
    if (lengths[me] && (char *)y + before != x)
        memmove((char *)y + before, x, lengths[me]);
    ob_pieces pieces = {.base = y, .type = OB_BYTE, .counts = lengths};
    icc_check(call, ob_collect(group, &pieces, NULL));
}

static void collect_x(const char *routine, const void *x, const long *xlens, void *y,
                      icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    size_t *lengths = icc_lengths(&call, group, xlens, 1, 2, "xlens");
    icc_address(&call, x, lengths[ob_group_me(group)], 1, "x");
    icc_address(&call, y, icc_sum(lengths, group), 3, "y");
    collect_known(&call, group, x, lengths, y);
    free(lengths);
}

static void collect(const char *routine, const void *x, long xlen, void *y, long ylen, long *ncnt,
                    icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 6);
    size_t mine = icc_length(&call, xlen, 1, 2, "xlen");
    size_t room = icc_length(&call, ylen, 1, 4, "ylen");
    size_t n = (size_t)ob_group_size(group), *lengths = malloc(n * sizeof *lengths);
    if (lengths == NULL)
        icc_fault(&call, "OB-4001 no memory for %zu lengths", n);
    icc_address(&call, x, mine, 1, "x");
    lengths[ob_group_me(group)] = mine;
    ob_pieces sizes = {.base = lengths, .type = OB_BYTE, .count = sizeof *lengths};
    icc_check(&call, ob_collect(group, &sizes, NULL));
    size_t sum = icc_sum(lengths, group);
    if (sum > room)
        icc_fault(&call, "OB-1024 argument 4 (ylen) is %ld, but the pieces have %zu bytes", ylen,
                  sum);
    icc_address(&call, y, sum, 3, "y");
    collect_known(&call, group, x, lengths, y);
    free(lengths);
    if (ncnt)
        *ncnt = (long)sum;
}

void OB_T(iCC_gcol)(const void *x, long xlen, void *y, long ylen, long *ncnt)
{
    OB_TRACE_ROUTINE("iCC_gcol");
    collect("iCC_gcol", x, xlen, y, ylen, ncnt, iCC_ALL);
}

void OB_T(iCC_g_gcol)(const void *x, long xlen, void *y, long ylen, long *ncnt, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gcol");
    collect("iCC_g_gcol", x, xlen, y, ylen, ncnt, group);
}

void OB_T(iCC_gcolx)(const void *x, const long *xlens, void *y)
{
    OB_TRACE_ROUTINE("iCC_gcolx");
    collect_x("iCC_gcolx", x, xlens, y, iCC_ALL);
}

void OB_T(iCC_g_gcolx)(const void *x, const long *xlens, void *y, icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gcolx");
    collect_x("iCC_g_gcolx", x, xlens, y, group);
}

/* ------------------------------------------------------ scatter and gather */

/* A call of either: `whole` is the vector in pieces, on the root, `own` the caller's
 * piece. Arguments 1 and 3 are x and y, or the other way round. */
typedef struct transfer {
    const char *routine;
    int scatter;
    void *whole, *own;
    const long *lens; /* NULL: all pieces have len bytes */
    long len, root;
    icc_int group;
} transfer;

/* The root's own piece does not travel; core.h lets it stay in its place. */
static void copy_own(const transfer *t, void *piece, size_t bytes)
{
    if (bytes && piece != t->own)
        memmove(t->scatter ? t->own : piece, t->scatter ? piece : t->own, bytes);
}

static void check_whole(const icc_call *call, const transfer *t, size_t bytes)
{
    icc_address(call, t->whole, bytes, t->scatter ? 1 : 3, t->scatter ? "x" : "y");
}

static void run(const transfer *t)
{
    icc_call call = {t->routine, -1};
    ob_group *group = icc_enter(&call, t->group, 5);
    int me = ob_group_me(group), root = icc_root(&call, group, t->root, 4);
    ob_pieces pieces = {.base = t->whole, .type = OB_BYTE};
    size_t *lengths = NULL, before = 0, mine, sum;
    if (t->lens) {
        lengths = icc_lengths(&call, group, t->lens, 1, 2, "lens");
        pieces.counts = lengths;
        mine = lengths[me];
        sum = icc_sum(lengths, group);
        for (int i = 0; i < me; i++)
            before += lengths[i];
    } else {
        pieces.count = mine = icc_length(&call, t->len, (size_t)ob_group_size(group), 2, "len");
        sum = mine * (size_t)ob_group_size(group);
        before = mine * (size_t)me;
    }
    icc_address(&call, t->own, mine, t->scatter ? 3 : 1, t->scatter ? "y" : "x");
    ob_view own = ob_view_vector(t->own, mine, OB_BYTE);
    if (me == root) {
        check_whole(&call, t, sum);
        if (!t->scatter)
            copy_own(t, (char *)t->whole + before, mine);
    }
    const ob_view *view = me == root ? NULL : &own;
    icc_check(&call, t->scatter ? ob_scatter(group, root, &pieces, view, NULL)
                                : ob_gather(group, root, &pieces, view, NULL));
    if (me == root && t->scatter)
        copy_own(t, (char *)t->whole + before, mine);
    free(lengths);
}

static void need_lens(const char *routine, const long *lens)
{
    icc_call call = {routine, -1};
    icc_enter(&call, iCC_ALL, 0);
    if (lens == NULL)
        icc_fault(&call, "OB-1001 argument 2 (lens) is NULL");
}

#define STAMP(name, scatters, whole, own)                                                          \
    void OB_T(iCC_##name)(const void *x, long len, void *y, long root)                             \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_" #name);                                                            \
        run(&(transfer){"iCC_" #name, scatters, whole, own, NULL, len, root, iCC_ALL});            \
    }                                                                                              \
    void OB_T(iCC_g_##name)(const void *x, long len, void *y, long root, icc_int group)            \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_" #name);                                                          \
        run(&(transfer){"iCC_g_" #name, scatters, whole, own, NULL, len, root, group});            \
    }                                                                                              \
    void OB_T(iCC_##name##x)(const void *x, const long *lens, void *y, long root)                  \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_" #name "x");                                                        \
        need_lens("iCC_" #name "x", lens);                                                         \
        run(&(transfer){"iCC_" #name "x", scatters, whole, own, lens, 0, root, iCC_ALL});          \
    }                                                                                              \
    void OB_T(iCC_g_##name##x)(const void *x, const long *lens, void *y, long root, icc_int group) \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_" #name "x");                                                      \
        need_lens("iCC_g_" #name "x", lens);                                                       \
        run(&(transfer){"iCC_g_" #name "x", scatters, whole, own, lens, 0, root, group});          \
    }

STAMP(scatter, 1, (void *)x, y)
STAMP(gather, 0, y, (void *)x)

/* ---------------------------------------------------------------- barrier */

void OB_T(iCC_gsync)(void)
{
    OB_TRACE_ROUTINE("iCC_gsync");
    icc_call call = {"iCC_gsync", -1};
    icc_check(&call, ob_barrier(icc_enter(&call, iCC_ALL, 1)));
}

void OB_T(iCC_g_gsync)(icc_int group)
{
    OB_TRACE_ROUTINE("iCC_g_gsync");
    icc_call call = {"iCC_g_gsync", -1};
    icc_check(&call, ob_barrier(icc_enter(&call, group, 1)));
}
