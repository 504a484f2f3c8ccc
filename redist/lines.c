/*
 * Rows that lie together on both sides, as pure arithmetic: the intersection of two block-cyclic
 * distributions, seen from one process. Columns likewise.
 */
#include "redist.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ blocks */

static int64_t block_of(const obrd_axis *x, int64_t index)
{
    return index < x->start ? 0 : 1 + (index - x->start) / x->block;
}

static int64_t begin_of(const obrd_axis *x, int64_t block)
{
    return block == 0 ? 0 : x->start + (block - 1) * x->block;
}

static int64_t owner_of(const obrd_axis *x, int64_t block)
{
    return (x->source + block) % x->processes;
}

/* Where a block begins in its owner's array. */
static int64_t local_of(const obrd_axis *x, int64_t block)
{
    int64_t before = block / x->processes;
    if (before == 0 || block % x->processes)
        return before * x->block;
    return x->start + (before - 1) * x->block;
}

/* The first block of a process from this one on. */
static int64_t next_of(const obrd_axis *x, int64_t block, int64_t process)
{
    int64_t ahead = (process - owner_of(x, block)) % x->processes;
    return block + (ahead < 0 ? ahead + x->processes : ahead);
}

int64_t obrd_axis_count(const obrd_axis *x, int64_t process, int64_t n)
{
    if (n < 1)
        return 0;
    int64_t last = block_of(x, n - 1), mine = next_of(x, 0, process);
    if (mine > last)
        return 0;
    mine += (last - mine) / x->processes * x->processes;
    int64_t end = begin_of(x, mine + 1);
    return local_of(x, mine) + (end < n ? end : n) - begin_of(x, mine);
}

/* ------------------------------------------------------------------- runs */

/* What a walk over the blocks knows of each list. */
typedef struct state {
    int64_t end;     /* the index behind its last run; -1: there is none */
    int64_t count;   /* of lines */
    size_t runs, at; /* of runs, and where the next one goes */
} state;

/* One interval, that process q of the other side has, too. Nothing is written while runs are
 * counted. */
static void add(obrd_lines *lines, state *s, int64_t q, int64_t at, int64_t here, int64_t length)
{
    if (s->end != at) {
        if (lines->run) {
            lines->run[s->at++] = (obrd_run){at, here, s->count};
            lines->step[lines->steps++] = (obrd_step){at, here, q};
        }
        s->runs++;
    }
    s->end = at + length;
    s->count += length;
    if (lines->run)
        lines->step[lines->steps] = (obrd_step){at + length, here + length, -1};
}

static void walk(const obrd_part *mine, int64_t me, const obrd_part *other, int64_t n, state *s,
                 obrd_lines *lines)
{
    const obrd_axis *x = &mine->axis, *y = &other->axis;
    for (int64_t b = next_of(x, block_of(x, mine->first), me);; b += x->processes) {
        int64_t begin = begin_of(x, b) - mine->first, end = begin_of(x, b + 1) - mine->first;
        if (begin >= n)
            return;
        end = end < n ? end : n;
        for (int64_t at = begin > 0 ? begin : 0; at < end;) {
            int64_t block = block_of(y, other->first + at), q = owner_of(y, block);
            int64_t stop = begin_of(y, block + 1) - other->first;
            stop = stop < end ? stop : end;
            add(lines, &s[q], q, at, local_of(x, b) + at - begin, stop - at);
            at = stop;
        }
    }
}

/* Room for what the first walk has counted. */
static void make_room(obrd_lines *lines, state *s, size_t processes)
{
    size_t total = 0;
    for (size_t q = 0; q < processes; q++) {
        lines->begin[q] = total;
        total += s[q].runs + 1;
        s[q] = (state){.end = -1, .at = lines->begin[q]};
    }
    lines->begin[processes] = total;
    lines->step = malloc((total - processes + 1) * sizeof *lines->step);
    lines->run = lines->step ? malloc(total * sizeof *lines->run) : NULL;
    if (lines->step)
        lines->step[0] = (obrd_step){0, 0, -1};
}

int obrd_lines_make(obrd_lines *lines, const obrd_part *mine, int64_t me, const obrd_part *other,
                    int64_t n)
{
    size_t processes = (size_t)other->axis.processes;
    state *s = malloc(processes * sizeof *s);
    *lines = (obrd_lines){.begin = malloc((processes + 1) * sizeof *lines->begin)};
    for (size_t q = 0; s && q < processes; q++)
        s[q] = (state){.end = -1};
    if (s && lines->begin) {
        walk(mine, me, other, n, s, lines);
        make_room(lines, s, processes);
    }
    if (lines->run) {
        walk(mine, me, other, n, s, lines);
        for (size_t q = 0; q < processes; q++)
            lines->run[s[q].at] = (obrd_run){-1, -1, s[q].count};
    }
    free(s);
    if (lines->run)
        return OB_OK;
    obrd_lines_free(lines);
    return OBRD_ENOMEM;
}

void obrd_lines_free(obrd_lines *lines)
{
    free(lines->step);
    free(lines->run);
    free(lines->begin);
    *lines = (obrd_lines){0};
}

/* ------------------------------------------------------------------ lists */

size_t obrd_list_find(const obrd_list *list, int64_t k)
{
    size_t low = 0, high = list->runs; /* low has k or one before it, high one behind */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (list->run[middle].before <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t obrd_list_below(const obrd_list *list, int64_t at)
{
    size_t low = 0, high = list->runs;
    if (high == 0 || list->run[0].at >= at)
        return 0;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (list->run[middle].at < at)
            low = middle;
        else
            high = middle;
    }
    int64_t beyond = at - list->run[low].at,
            length = list->run[low + 1].before - list->run[low].before;
    return list->run[low].before + (beyond < length ? beyond : length);
}
