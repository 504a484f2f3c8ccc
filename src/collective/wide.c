/*
 * Operands in wider elements, and what is done when all are combined.
 */
#include "collective/wide.h"

#include <stdlib.h>

#include "core/view.h"

/* The elements of a matrix, of so many bytes each, are finished where they are. */
void ob_finish_here(const ob_staged *s, int members, size_t esize, const ob_view *v)
{
    bool run = ob_view_contiguous(v);
    size_t unit = ob_type_bytes(v->type), columns = run ? 1 : v->n;
    for (size_t j = 0; j < columns; j++) {
        size_t lo = 0, count = ob_view_count(v);
        if (!run) /* the one column of a trapezoid need not begin at its first row */
            ob_view_column(v, j, &lo, &count);
        char *at = (char *)v->base + (lo + j * v->ld) * unit;
        if (count)
            s->finish(count * unit / esize, at, at, members);
    }
}

/* Memory for n elements as they are, behind as many wider ones; *narrow is the former. */
void *ob_wide_memory(size_t n, size_t wide, size_t esize, char **narrow)
{
    char *memory = malloc(n * (wide + esize) + 1);
    *narrow = memory + n * wide;
    return memory;
}

void ob_widen(const ob_staged *s, size_t n, void *wide, const ob_view *from, char *narrow)
{
    if (n == 0)
        return;
    if (!ob_view_contiguous(from))
        ob_view_pack(from, narrow);
    s->widen(n, wide, ob_view_contiguous(from) ? from->base : narrow);
}

void ob_finish(const ob_staged *s, int members, size_t n, const ob_view *to, const void *wide,
               char *narrow)
{
    if (n == 0)
        return;
    bool straight = ob_view_contiguous(to);
    s->finish(n, straight ? to->base : narrow, wide, members);
    if (!straight)
        ob_view_unpack(to, narrow);
}
