/*
 * What travels before and after the sweeps of a solution: rows of B to those who solve for them,
 * with their swaps, and back; pivots; diagonal squares of several blocks.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

void lu_hand(const solver *s, size_t to, ob_view v)
{
    oblu_must(ob_send(s->all, (int)to, 0, &v));
}

void lu_await(const solver *s, size_t from, ob_view v)
{
    oblu_must(ob_recv(s->all, (int)from, 0, &v, NULL));
}

/* ---------------------------------------------------------- B to X and back */

static size_t sides_of(const solver *s, size_t c)
{
    const oblu_axis *x = &s->b->columns;
    size_t first = s->b->first_column;
    return oblu_below(x, c, first + s->sides) - oblu_below(x, c, first);
}

/* Sorts lines by process: counted and listed in two turns. */
static void note(route *x, size_t process, size_t line, bool counts)
{
    if (counts)
        x->start[process + 1]++;
    else
        x->line[x->start[process]++] = line;
}

static void list_lines(solver *s, bool counts)
{
    for (size_t k = 0; k < s->blocks; k++)
        for (size_t i = k * s->w; i < lu_end_of(s, k); i++) {
            size_t home = s->home ? s->home[i] : i, l = home / s->nb, r = s->row[l];
            if (r == s->b->rows.me)
                note(&s->of_b, s->owner[k], s->in_b[l] + home % s->nb, counts);
            if (s->owner[k] == lu_self(s))
                note(&s->of_x, r, s->in_x[k] + i - k * s->w, counts);
        }
}

static void add_up(route *x, size_t processes)
{
    for (size_t i = 0; i < processes; i++)
        x->start[i + 1] += x->start[i];
}

static void begin_again(route *x, size_t processes)
{
    memmove(x->start + 1, x->start, processes * sizeof *x->start);
    x->start[0] = 0;
}

static void set_routes(solver *s, size_t *home)
{
    size_t all = s->p * s->q;
    s->home = home;
    memset(s->of_b.start, 0, (all + 1) * sizeof *s->of_b.start);
    memset(s->of_x.start, 0, (s->p + 1) * sizeof *s->of_x.start);
    list_lines(s, true);
    add_up(&s->of_b, all);
    add_up(&s->of_x, s->p);
    list_lines(s, false);
    begin_again(&s->of_b, all);
    begin_again(&s->of_x, s->p);
}

static size_t lines_of(const route *x, size_t process)
{
    return x->start[process + 1] - x->start[process];
}

static char *own_b(const solver *s)
{
    size_t j = oblu_below(&s->b->columns, s->b->columns.me, s->b->first_column);
    return s->b->local + j * s->b->ld * s->k->bytes;
}

/* Own rows of B that process t has in X: packed, or unpacked. */
static ob_view rows_of_b(const solver *s, size_t t, bool to_x)
{
    size_t m = lines_of(&s->of_b, t), n = sides_of(s, s->b->columns.me);
    const size_t *line = s->of_b.line + s->of_b.start[t];
    if (to_x)
        oblu_gather(s->k->bytes, line, m, n, own_b(s), s->b->ld, s->packed, m);
    else
        oblu_scatter(s->k->bytes, line, m, n, s->packed, m, own_b(s), s->b->ld);
    return lu_room(s, m, n);
}

/* Own rows of X that process (r, c) has in B. */
static ob_view rows_of_x(const solver *s, size_t r, size_t c, bool to_x)
{
    size_t m = lines_of(&s->of_x, r), n = sides_of(s, c), before = 0;
    const size_t *line = s->of_x.line + s->of_x.start[r];
    for (size_t l = 0; l < c; l++)
        before += sides_of(s, l);
    char *x = s->x + before * s->own * s->k->bytes;
    if (to_x)
        oblu_scatter(s->k->bytes, line, m, n, s->packed, m, x, s->own);
    else
        oblu_gather(s->k->bytes, line, m, n, x, s->own, s->packed, m);
    return lu_room(s, m, n);
}

void lu_bring_to_x(solver *s, size_t *home)
{
    set_routes(s, home);
    size_t n = sides_of(s, s->b->columns.me);
    for (size_t t = 0; t < s->p * s->q; t++)
        if (lines_of(&s->of_b, t) && n && t != lu_self(s))
            lu_hand(s, t, rows_of_b(s, t, true));
    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++) {
            size_t from = lu_process(s, r, c), m = lines_of(&s->of_x, r);
            if (m == 0 || sides_of(s, c) == 0)
                continue;
            if (from == lu_self(s))
                rows_of_b(s, from, true);
            else
                lu_await(s, from, lu_room(s, m, sides_of(s, c)));
            rows_of_x(s, r, c, true);
        }
}

void lu_bring_back(solver *s, size_t *home)
{
    set_routes(s, home);
    size_t n = sides_of(s, s->b->columns.me);
    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++)
            if (lines_of(&s->of_x, r) && sides_of(s, c) && lu_process(s, r, c) != lu_self(s))
                lu_hand(s, lu_process(s, r, c), rows_of_x(s, r, c, false));
    for (size_t t = 0; t < s->p * s->q; t++) {
        size_t m = lines_of(&s->of_b, t);
        if (m == 0 || n == 0)
            continue;
        if (t == lu_self(s))
            rows_of_x(s, s->a->rows.me, s->a->columns.me, false);
        else
            lu_await(s, t, lu_room(s, m, n));
        rows_of_b(s, t, false);
    }
}

/* ------------------------------------------------------------------ squares */

/* What process (r, c) has of block k's square. */
static ob_view part_of_square(const solver *s, size_t k, size_t r, size_t c)
{
    size_t i = k * s->w, end = lu_end_of(s, k);
    size_t m = lu_count(&s->a->rows, s->a->first_row, r, i, end);
    return lu_room(s, m, lu_count(&s->a->columns, s->a->first_column, c, i, end));
}

static void place_part(const solver *s, size_t k, size_t r, size_t c, ob_view part)
{
    size_t i = k * s->w, end = lu_end_of(s, k), ld = end - i, e = s->k->bytes, at = 0;
    size_t top = s->a->first_row + i, left = s->a->first_column + i;
    oblu_run down, right;
    char *square = s->squares + s->in_x[k] * s->w * e;
    for (size_t j = left; oblu_next_run(&s->a->columns, c, &j, left + ld, &right);) {
        size_t before = 0;
        for (size_t l = top; oblu_next_run(&s->a->rows, r, &l, top + ld, &down);) {
            oblu_copy(e, down.length, right.length,
                      (const char *)part.base + (before + at * part.ld) * e, part.ld,
                      square + (down.global - top + (right.global - left) * ld) * e, ld);
            before += down.length;
        }
        at += right.length;
    }
}

/* The own parts of all squares of process t, one behind the other; how many elements. */
static size_t pack_parts(const solver *s, size_t t)
{
    size_t at = 0;
    for (size_t k = 0; k < s->blocks; k++) {
        ob_view v = oblu_own(s->k, s->a, k * s->w, lu_end_of(s, k), k * s->w, lu_end_of(s, k));
        if (s->owner[k] != t)
            continue;
        oblu_copy(s->k->bytes, v.m, v.n, v.base, v.ld, s->packed + at * s->k->bytes, v.m);
        at += v.m * v.n;
    }
    return at;
}

static size_t elements(ob_view v)
{
    return v.m * v.n;
}

static void take_parts(const solver *s, size_t r, size_t c)
{
    size_t all = 0, from = lu_process(s, r, c);
    for (size_t k = 0; k < s->blocks; k++)
        if (s->owner[k] == lu_self(s))
            all += elements(part_of_square(s, k, r, c));
    if (all == 0)
        return;
    if (from == lu_self(s))
        pack_parts(s, from);
    else
        lu_await(s, from, lu_room(s, all, 1));
    size_t at = 0;
    for (size_t k = 0; k < s->blocks; k++) {
        ob_view v = part_of_square(s, k, r, c);
        if (s->owner[k] != lu_self(s))
            continue;
        v.base = s->packed + at * s->k->bytes;
        place_part(s, k, r, c, v);
        at += v.m * v.n;
    }
}

void lu_bring_squares(const solver *s)
{
    size_t n;
    for (size_t t = 0; t < s->p * s->q; t++)
        if (t != lu_self(s) && (n = pack_parts(s, t)))
            lu_hand(s, t, lu_room(s, n, 1));
    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++)
            take_parts(s, r, c);
}

/* ------------------------------------------------------------------ pivots */

/* Rows `first` .. of process row r, one behind the other in `mine`, to where they are in all. */
static void place_pivots(const solver *s, size_t r, const int64_t *mine, size_t *all)
{
    size_t at = 0, first = s->a->first_row;
    oblu_run run;
    for (size_t i = first; oblu_next_run(&s->a->rows, r, &i, first + s->n, &run); at += run.length)
        for (size_t l = 0; l < run.length; l++)
            all[run.global - first + l] = (size_t)mine[at + l] - 1 - first;
}

size_t *lu_swapped(const solver *s, oblu_pivots pivots)
{
    const oblu_axis *rows = &s->a->rows;
    size_t first = s->a->first_row, low = oblu_below(rows, rows->me, first);
    size_t *all = oblu_room(s->n, sizeof *all), *home = oblu_room(s->n, sizeof *home);
    size_t count = oblu_below(rows, rows->me, first + s->n) - low;
    int64_t *mine = oblu_room(s->n, sizeof *mine);
    for (size_t l = 0; l < count; l++)
        mine[l] = oblu_pivot(pivots, low + l);
    ob_view v = bsp2d_ge(OB_INT64, count, 1, mine, count);
    for (size_t r = 0; r < s->p; r++)
        if (r != rows->me && count)
            lu_hand(s, lu_process(s, r, s->a->columns.me), v);
    place_pivots(s, rows->me, mine, all);
    for (size_t r = 0; r < s->p; r++) {
        v.m = v.ld = oblu_below(rows, r, first + s->n) - oblu_below(rows, r, first);
        if (r == rows->me || v.m == 0)
            continue;
        lu_await(s, lu_process(s, r, s->a->columns.me), v);
        place_pivots(s, r, mine, all);
    }
    for (size_t i = 0; i < s->n; i++) {
        oblu_check_pivot((int64_t)(all[i] + 1 + first), first + i + 1, first, s->n);
        home[i] = i;
    }
    oblu_follow_swaps(home, all, 0, s->n, false);
    free(mine);
    free(all);
    return home;
}
