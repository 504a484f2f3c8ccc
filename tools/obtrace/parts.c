/*
 * Collective calls as wholes: which calls of which processes belong together.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

static int by_call(const obt_part *a, const obt_part *b)
{
    int c = obt_compare(a->group, b->group);
    return c ? c : obt_compare(a->number, b->number);
}

static int by_process(const void *x, const void *y)
{
    const obt_part *a = x, *b = y;
    int c = by_call(a, b);
    c = c ? c : obt_compare(a->process, b->process);
    return c ? c : obt_compare(a->begin, b->begin);
}

static int by_begin(const void *x, const void *y)
{
    const obt_part *a = x, *b = y;
    int c = by_call(a, b);
    c = c ? c : obt_compare(a->begin, b->begin);
    return c ? c : obt_compare(a->process, b->process);
}

void obt_find_parts(const obt_analysis *a, obt_parts *p)
{
    size_t n = 0;
    *p = (obt_parts){.by_process = obt_memory(a->call_count, sizeof *p->by_process),
                     .by_begin = obt_memory(a->call_count, sizeof *p->by_begin)};
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (obt_is_shared(c) && c->course != OBT_ENDED)
            p->by_process[n++] = (obt_part){c->group, c->process, (uint32_t)i, c->number, c->begin};
    }
    p->count = n;
    memcpy(p->by_begin, p->by_process, n * sizeof *p->by_begin);
    qsort(p->by_process, n, sizeof *p->by_process, by_process);
    qsort(p->by_begin, n, sizeof *p->by_begin, by_begin);
}

void obt_free_parts(obt_parts *p)
{
    free(p->by_process);
    free(p->by_begin);
}

/* How many stand before the wanted one. */
static size_t place(const obt_part *parts, size_t count, const obt_part *wanted,
                    int (*order)(const void *, const void *))
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (order(&parts[middle], wanted) < 0)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

const obt_part *obt_part_of(const obt_parts *p, const obt_call *c, uint32_t process)
{
    obt_part wanted = {c->group, process, 0, c->number, INT64_MIN};
    size_t k = place(p->by_process, p->count, &wanted, by_process);
    const obt_part *found = &p->by_process[k];
    return k < p->count && by_call(found, &wanted) == 0 && found->process == process ? found : NULL;
}

const obt_part *obt_last_part(const obt_parts *p, const obt_call *c, int64_t time, uint32_t process)
{
    obt_part wanted = {c->group, UINT32_MAX, 0, c->number, time};
    size_t k = place(p->by_begin, p->count, &wanted, by_begin);
    for (int tries = 0; tries < 8 && k > 0 && by_call(&p->by_begin[k - 1], &wanted) == 0; k--) {
        if (p->by_begin[k - 1].process != process)
            return &p->by_begin[k - 1];
        tries++; /* one process comes once, but in damaged traces */
    }
    return NULL;
}
