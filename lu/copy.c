/*
 * Copies of rows and blocks, by the size of an element: the LU moves elements and never looks at
 * them.
 */
#include "lu.h"

#include <openblacs/trace.h>
#include <stdlib.h>
#include <string.h>

bool oblu_next_run(const oblu_axis *x, size_t p, size_t *at, size_t end, oblu_run *run)
{
    while (*at < end && oblu_owner(x, *at) != p)
        *at = (*at / x->block + 1) * x->block;
    if (*at >= end)
        return false;
    size_t behind = (*at / x->block + 1) * x->block;
    if (behind > end)
        behind = end;
    /* With one process everything lies together. */
    if (x->count == 1)
        behind = end;
    *run = (oblu_run){*at, behind - *at, oblu_below(x, p, *at)};
    *at = behind;
    return true;
}

ob_view oblu_own(const oblu_kernels *kernels, const oblu_matrix *x, size_t i, size_t i_end,
                 size_t j, size_t j_end)
{
    size_t r = x->rows.me, c = x->columns.me;
    size_t i0 = oblu_below(&x->rows, r, x->first_row + i),
           j0 = oblu_below(&x->columns, c, x->first_column + j);
    size_t i1 = oblu_below(&x->rows, r, x->first_row + i_end);
    size_t j1 = oblu_below(&x->columns, c, x->first_column + j_end);
    return bsp2d_ge(kernels->type, i1 - i0, j1 - j0, x->local + (i0 + j0 * x->ld) * kernels->bytes,
                    x->ld);
}

void oblu_copy(size_t bytes, size_t m, size_t n, const void *from, size_t ldf, void *to, size_t ldt)
{
    for (size_t j = 0; j < n && m; j++)
        memcpy((char *)to + j * ldt * bytes, (const char *)from + j * ldf * bytes, m * bytes);
}

void oblu_clear(size_t bytes, size_t m, size_t n, void *x, size_t ld)
{
    for (size_t j = 0; j < n && m; j++)
        memset((char *)x + j * ld * bytes, 0, m * bytes);
}

/* memcpy of a constant size is a load and a store. */
#define STAMP(size)                                                                                \
    static void gather_##size(const size_t *rows, size_t m, size_t n, const char *from,            \
                              size_t ldf, char *to, size_t ldt)                                    \
    {                                                                                              \
        for (size_t j = 0; j < n; j++, from += ldf * size, to += ldt * size)                       \
            for (size_t i = 0; i < m; i++)                                                         \
                memcpy(to + i * size, from + rows[i] * size, size);                                \
    }                                                                                              \
    static void scatter_##size(const size_t *rows, size_t m, size_t n, const char *from,           \
                               size_t ldf, char *to, size_t ldt)                                   \
    {                                                                                              \
        for (size_t j = 0; j < n; j++, from += ldf * size, to += ldt * size)                       \
            for (size_t i = 0; i < m; i++)                                                         \
                memcpy(to + rows[i] * size, from + i * size, size);                                \
    }
STAMP(4)
STAMP(8)
STAMP(16)

#define BY_SIZE(bytes, name, ...)                                                                  \
    do {                                                                                           \
        if ((bytes) == 4)                                                                          \
            name##_4(__VA_ARGS__);                                                                 \
        else if ((bytes) == 8)                                                                     \
            name##_8(__VA_ARGS__);                                                                 \
        else                                                                                       \
            name##_16(__VA_ARGS__);                                                                \
    } while (0)

void oblu_gather(size_t bytes, const size_t *rows, size_t m, size_t n, const void *from, size_t ldf,
                 void *to, size_t ldt)
{
    if (m)
        BY_SIZE(bytes, gather, rows, m, n, from, ldf, to, ldt);
}

void oblu_scatter(size_t bytes, const size_t *rows, size_t m, size_t n, const void *from,
                  size_t ldf, void *to, size_t ldt)
{
    if (m)
        BY_SIZE(bytes, scatter, rows, m, n, from, ldf, to, ldt);
}

void oblu_lap(oblu_watch *watch, oblu_part part, const char *name)
{
    double now = ob_time();
    watch->seconds[part] += now - watch->since;
    watch->since = now;
    ob_trace_did(name);
}

void *oblu_room(size_t count, size_t bytes)
{
    size_t size = (count * bytes + 64) / 64 * 64;
    void *room = bytes && count > (SIZE_MAX - 128) / bytes ? NULL : aligned_alloc(64, size);
    if (room == NULL) {
        oblu_say("OB-4001 no memory for %zu elements of %zu bytes", count, bytes);
        oblu_end();
    }
    return room;
}
