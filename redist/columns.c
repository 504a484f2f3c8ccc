/*
 * Rounds of whole columns. The sender reads its memory as it lies, and the receiver, who has all
 * rows of a column in a round, writes its own as it lies: that is what memory is fastest at. All
 * processes with the same columns take equally many of them in a round.
 */
#include "copy.h"
#include "rounds.h"

#include <stdlib.h>

/* With more partners their messages are too short. And bytes to write from which on the cache would
 * not keep them. */
enum { PARTNERS = 64, LARGE = 2 * OBRD_ROUND };

/* -------------------------------------------------------------------- prepare */

static int64_t rows_there(const exchange *x, int side)
{
    return x->side[side]->part[0].axis.processes;
}

/* Who has a process row and column of the one side, among partners. */
static int *table_of(const exchange *x, int side, const partner *list, int count)
{
    int64_t columns = x->side[side]->part[1].axis.processes, all = rows_there(x, side) * columns;
    int *table = malloc((size_t)all * sizeof *table);
    for (int64_t i = 0; table && i < all; i++)
        table[i] = -1;
    for (int i = 0; table && i < count; i++) {
        const obrd_place *p = &x->place[list[i].position];
        if (p->row[side] >= 0)
            table[p->row[side] * columns + p->column[side]] = i;
    }
    return table;
}

/* The most rows of the part that a process row of the source has: all compute the same. */
static int64_t most_rows(const exchange *x)
{
    const obrd_part *p = &x->side[0]->part[0];
    int64_t most = 1;
    for (int64_t q = 0; q < p->axis.processes; q++) {
        int64_t rows = obrd_axis_count(&p->axis, q, p->first + x->move->length[0]) -
                       obrd_axis_count(&p->axis, q, p->first);
        most = rows > most ? rows : most;
    }
    return most;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Columns in a round. The process columns of the other side take turns in our columns: whole turns
 * give each of them as much to unpack in a round as the others, which wait for it. */
static int64_t columns_together(const exchange *x)
{
    const obrd_axis *mine = &x->side[0]->part[1].axis, *theirs = &x->side[1]->part[1].axis;
    int64_t most = (int64_t)x->round / (most_rows(x) * (int64_t)x->move->bytes);
    if (mine->block > most || theirs->block > most)
        return most;
    int64_t cycle = theirs->block * theirs->processes;
    int64_t blocks = cycle / common_divisor(mine->block * mine->processes, cycle);
    return most / mine->block < blocks ? most : most - most % (mine->block * blocks);
}

int obrd_columns_prepare(exchange *x)
{
    const obrd_lines *l = x->lines[1];
    if (x->move->transposed || !ob_superstep_shares(x->step))
        return OB_OK;
    x->together = columns_together(x);
    x->by_columns = x->together > 0 && x->dests <= PARTNERS;
    x->dest_of = table_of(x, 1, x->dest, x->dests);
    x->source_of = table_of(x, 0, x->source, x->size);
    x->to = malloc((size_t)rows_there(x, 1) * sizeof *x->to);
    x->from = malloc((size_t)rows_there(x, 0) * sizeof *x->from);
    if (!x->dest_of || !x->source_of || !x->to || !x->from)
        return OBRD_ENOMEM;
    if (x->side[1]->row >= 0 && l[0].steps && l[1].steps)
        x->cached = (l[0].step[l[0].steps].here - l[0].step->here) *
                        (l[1].step[l[1].steps].here - l[1].step->here) * (int64_t)x->move->bytes <
                    LARGE;
    return OB_OK;
}

void obrd_columns_free(exchange *x)
{
    free(x->dest_of);
    free(x->source_of);
    free(x->to);
    free(x->from);
}

/* ----------------------------------------------------------------- packing */

/* The columns of the next round from step `step` on that go to process column q: how many there are
 * until `end`, all columns counted. */
static int64_t columns_for(const exchange *x, int64_t q, int64_t end)
{
    const obrd_lines *c = &x->lines[0][1];
    int64_t count = 0, first = c->step->here;
    for (const obrd_step *s = c->step + x->next_step; s < c->step + c->steps; s++) {
        int64_t begin = s->here - first, stop = s[1].here - first;
        if (begin >= end)
            break;
        begin = begin > x->next ? begin : x->next;
        if (s->who == q)
            count += (stop < end ? stop : end) - begin;
    }
    return count;
}

static int open_all(exchange *x, int64_t end)
{
    int64_t columns = x->side[1]->part[1].axis.processes;
    for (int64_t q = 0; q < columns; q++) {
        int64_t count = columns_for(x, q, end);
        for (int64_t r = 0; r < rows_there(x, 1); r++) {
            int i = x->dest_of[r * columns + q];
            if (i < 0)
                continue;
            partner *p = &x->dest[i];
            size_t bytes = (size_t)(count * p->stream.count[0]) * x->move->bytes;
            p->next = bytes ? obrd_open(x, p, bytes) : NULL;
            p->left = 0;
            if (bytes && p->next == NULL)
                return OB_ENOMEM;
        }
    }
    return OB_OK;
}

/* Deals the columns of one step, which go to one process column, until `end`. */
static void deal_step(exchange *x, const obrd_step *s, int64_t end)
{
    const obrd_lines *l = x->lines[0];
    int64_t columns = x->side[1]->part[1].axis.processes, first = l[1].step->here;
    for (int64_t r = 0; r < rows_there(x, 1); r++) {
        int i = x->dest_of[r * columns + s->who];
        x->to[r] = i < 0 ? NULL : (char *)x->dest[i].next + x->dest[i].left;
    }
    for (; x->next < end && x->next + first < s[1].here; x->next++)
        obrd_deal(x->move, &l[0], s->at + x->next + first - s->here,
                  x->side[0]->local + (size_t)(x->next + first) * x->side[0]->ld * x->move->bytes,
                  x->to);
    for (int64_t r = 0; r < rows_there(x, 1); r++) {
        int i = x->dest_of[r * columns + s->who];
        if (i >= 0 && x->to[r])
            x->dest[i].left = (size_t)(x->to[r] - x->dest[i].next);
    }
}

int obrd_columns_pack(exchange *x)
{
    const obrd_lines *c = &x->lines[0][1];
    if (x->done == x->dests)
        return OB_OK;
    int64_t first = c->step->here, all = c->step[c->steps].here - first;
    int64_t end = all - x->next < x->together ? all : x->next + x->together;
    if (open_all(x, end) != OB_OK)
        return OB_ENOMEM;
    while (x->next < end) {
        const obrd_step *s = &c->step[x->next_step];
        deal_step(x, s, end);
        x->next_step += x->next + first == s[1].here;
    }
    for (int i = 0; i < x->dests; i++)
        obrd_close(x, &x->dest[i], x->dest[i].left);
    if (end == all)
        x->done = x->dests;
    return OB_OK;
}

/* --------------------------------------------------------------- unpacking */

/* The next column of the sources in process column q, if all of it is there; false: it is not, or
 * there is none. *bytes: how many there are of it. */
static bool is_there(exchange *x, int64_t q, int64_t k, int64_t at, size_t *bytes)
{
    int64_t columns = x->side[0]->part[1].axis.processes;
    *bytes = 0;
    for (int64_t r = 0; r < rows_there(x, 0); r++) {
        partner *p = &x->source[x->source_of[r * columns + q]];
        if (p->stream.count[0] == 0)
            continue;
        size_t need = obrd_column_bytes(x->move, &p->stream.list[0], at);
        if (p->stream.column != k || p->stream.row || p->left < need)
            return false;
        *bytes += need;
    }
    return true;
}

static void unpack_from(exchange *x, int64_t q)
{
    int64_t columns = x->side[0]->part[1].axis.processes, rows = rows_there(x, 0);
    const obrd_list list = obrd_list_of(&x->lines[1][1], q);
    const partner *any = NULL;
    for (int64_t r = 0; r < rows && any == NULL; r++) {
        any = &x->source[x->source_of[r * columns + q]];
        any = any->left ? any : NULL;
    }
    if (any == NULL)
        return;
    int64_t k = any->stream.column;
    size_t run = obrd_list_find(&list, k), bytes;
    for (; k < obrd_list_count(&list); k++) {
        run += k == list.run[run + 1].before;
        int64_t index = k - list.run[run].before, at = list.run[run].at + index;
        if (!is_there(x, q, k, at, &bytes))
            return;
        for (int64_t r = 0; r < rows; r++)
            x->from[r] = x->source[x->source_of[r * columns + q]].next;
        obrd_collect(x->move, &x->lines[1][0], at,
                     x->side[1]->local +
                         (size_t)(list.run[run].here + index) * x->side[1]->ld * x->move->bytes,
                     x->from, x->cached);
        for (int64_t r = 0; r < rows; r++) {
            partner *p = &x->source[x->source_of[r * columns + q]];
            p->left -= (size_t)(x->from[r] - p->next);
            p->next = x->from[r];
            p->stream.column++;
        }
    }
}

void obrd_columns_unpack(exchange *x)
{
    if (x->source_of == NULL || x->side[1]->row < 0)
        return;
    for (int64_t q = 0; q < x->side[0]->part[1].axis.processes; q++)
        unpack_from(x, q);
    if (!x->cached)
        end_past();
}
