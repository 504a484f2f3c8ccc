/*
 * The collective operations of the Oxford BSP toolset's level-1 library, on the core's. They have
 * supersteps of their own, like those of BSP2D.
 */
#include <limits.h>
#include <stdlib.h>

#include "machine.h"
#include "openblacs/bsp_level1.h"

enum { BCAST = 1, SCATTER, GATHER, FOLD, SCAN };

/* All must call the same with the same root and size: the next sync finds out. */
static bsp_machine *begin(const char *routine, int what, int root, size_t nbytes)
{
    bsp_machine *m = bspm_world(routine);
    bspm_check_pid(m, routine, root);
    bspm_check_size(m, routine, "the size", nbytes);
    bspm_note_scope(m, (uint64_t)what << 56 ^ (uint64_t)root << 40 ^ nbytes);
    return m;
}

static void copy(void *to, const void *from, size_t nbytes)
{
    if (nbytes && to != from)
        memmove(to, from, nbytes);
}

void bsp_bcast(int root, const void *src, void *dst, size_t nbytes)
{
    BSPM_ROUTINE("bsp_bcast");
    bsp_machine *m = begin("bsp_bcast", BCAST, root, nbytes);
    bspm_apart(m, "bsp_bcast");
    ob_view view = ob_view_vector(dst, nbytes, OB_BYTE);
    if (m->me == root)
        copy(dst, src, nbytes);
    if (m->size > 1)
        bspm_check(m, "bsp_bcast", ob_broadcast(m->group, root, &view, NULL));
}

void bsp_scatter(int root, const void *src, void *dst, size_t nbytes)
{
    BSPM_ROUTINE("bsp_scatter");
    bsp_machine *m = begin("bsp_scatter", SCATTER, root, nbytes);
    ob_pieces pieces = {.base = (void *)(uintptr_t)src, .type = OB_BYTE, .count = nbytes};
    ob_view mine = ob_view_vector(dst, nbytes, OB_BYTE);
    if (m->me == root)
        copy(dst, (const char *)src + (size_t)root * nbytes, nbytes);
    if (m->size > 1)
        bspm_check(m, "bsp_scatter",
                   ob_scatter(m->group, root, &pieces, m->me == root ? NULL : &mine, NULL));
}

void bsp_gather(int root, const void *src, void *dst, size_t nbytes)
{
    BSPM_ROUTINE("bsp_gather");
    bsp_machine *m = begin("bsp_gather", GATHER, root, nbytes);
    ob_pieces pieces = {.base = dst, .type = OB_BYTE, .count = nbytes};
    ob_view mine = ob_view_vector(src, nbytes, OB_BYTE);
    if (m->me == root)
        copy((char *)dst + (size_t)root * nbytes, src, nbytes);
    if (m->size > 1)
        bspm_check(m, "bsp_gather",
                   ob_gather(m->group, root, &pieces, m->me == root ? NULL : &mine, NULL));
}

/* dst becomes what the first `count` processes' sources give from left to right, the same on all
 * that ask for the same. */
static void combine(const char *routine, int what, bsp_operator op, const void *src, void *dst,
                    size_t nbytes)
{
    BSPM_ROUTINE(routine);
    bsp_machine *m = begin(routine, what, 0, nbytes);
    size_t p = (size_t)m->size, count = what == FOLD ? p : (size_t)m->me + 1;
    int length = (int)nbytes;
    if (op == NULL || nbytes > INT_MAX)
        bspm_fault(m, routine,
                   op ? "OB-6009 the size is %zu bytes; at most INT_MAX, since the operator is "
                        "told it in an int"
                      : "OB-1001 the operator is NULL (%zu bytes)",
                   nbytes);
    /* One piece more: the operator's result must not lie where it reads. */
    char *all = bspm_more(m, NULL, p + 1, nbytes), *left = all, *out = all + p * nbytes;
    ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = nbytes};
    copy(all + (size_t)m->me * nbytes, src, nbytes);
    if (p > 1)
        bspm_check(m, routine, ob_collect(m->group, &pieces, NULL));
    for (size_t i = 1; i < count; i++) {
        char *free_again = left;
        op(out, left, all + i * nbytes, &length);
        left = out;
        out = free_again;
    }
    copy(dst, left, nbytes);
    free(all);
}

void bsp_fold(bsp_operator op, const void *src, void *dst, size_t nbytes)
{
    combine("bsp_fold", FOLD, op, src, dst, nbytes);
}

void bsp_scan(bsp_operator op, const void *src, void *dst, size_t nbytes)
{
    combine("bsp_scan", SCAN, op, src, dst, nbytes);
}

/* ------------------------------------------------------------- of one number */

#define OPERATION(name, letter, type, expression)                                                  \
    static void name##letter(void *out, void *left, void *right, int *nbytes)                      \
    {                                                                                              \
        type a, b;                                                                                 \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        a = expression;                                                                            \
        memcpy(out, &a, (size_t)*nbytes);                                                          \
    }                                                                                              \
    type bsp_##name##letter(type x)                                                                \
    {                                                                                              \
        combine("bsp_" #name #letter, FOLD, name##letter, &x, &x, sizeof x);                       \
        return x;                                                                                  \
    }                                                                                              \
    type bsp_##name##letter##_prefix(type x)                                                       \
    {                                                                                              \
        combine("bsp_" #name #letter "_prefix", SCAN, name##letter, &x, &x, sizeof x);             \
        return x;                                                                                  \
    }

/* A maximum keeps a NaN whatever the order of the operands. */
#define OPERATIONS(letter, type)                                                                   \
    OPERATION(sum, letter, type, a + b)                                                            \
    OPERATION(product, letter, type, a *b)                                                         \
    OPERATION(min, letter, type, a < b || a != a ? a : b)                                          \
    OPERATION(max, letter, type, a > b || a != a ? a : b)

OPERATIONS(I, int)
OPERATIONS(R, float)
OPERATIONS(D, double)

int bsp_all(int condition)
{
    return bsp_minI(condition != 0);
}

int bsp_any(int condition)
{
    return bsp_maxI(condition != 0);
}
