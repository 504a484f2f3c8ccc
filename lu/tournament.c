/*
 * Tournament pivoting: a block of columns factored by the process column that holds it, in two
 * supersteps of that column instead of a reduction for each column (Grigori, Demmel and Xiang,
 * CALU: a communication optimal LU factorization algorithm, 2011, with a tree of one level).
 *
 *   computation       each process factors a copy of its own rows, with partial pivoting; the rows
 *                     that were pivots are its candidates
 *   first superstep   candidates, as they were, and the block's top rows go to the block's owner
 *   computation       it factors the candidates of all together: the pivots are the winners, their
 *                     factors the block's square
 *   second superstep  square, pivots and the top rows go to the process column
 *   computation       top rows take the places of the winners, and what is below is solved for
 *
 * The owner alone decides, so that processors which round differently go on with the same pivots.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* What one block is worked on with. */
typedef struct tournament {
    const step *x;
    size_t p, me, width;
    range own, top, below;     /* local rows of the block, of those its square, and the others */
    char *base;                /* the block's columns in the local matrix */
    char *candidates;          /* own ones: their rows, above the own top rows */
    const char *square, *tops; /* width x width each, one below the other */
} tournament;

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Candidates, and top rows, of process row r. */
static size_t candidates_of(const lu_state *s, const step *x, size_t r)
{
    return fewer(range_length(lu_rows(s, r, x->j, s->a.m)), x->width);
}

static size_t tops_of(const lu_state *s, const step *x, size_t r)
{
    return range_length(lu_rows(s, r, x->j, x->j + x->width));
}

static bool decides(const lu_state *s, const step *x)
{
    return s->a.rows.me == x->prow;
}

static size_t position_of(const lu_state *s, const step *x, size_t local)
{
    return oblu_global(&s->a.rows, local) - s->a.first_row - x->j;
}

/* Row r of a process row's rows goes to order[r] places: the swaps of LAPACK's pivots. */
static void follow(size_t *order, size_t m, const int *pivots, size_t swaps)
{
    for (size_t i = 0; i < m; i++)
        order[i] = i;
    for (size_t i = 0; i < swaps; i++) {
        size_t other = (size_t)pivots[i] - 1, kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void end_superstep(lu_state *s)
{
    oblu_lap(&s->watch, OBLU_PACK, "tournament");
    bsp2d_sync(s->column);
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
}

/* -------------------------------------------------------------- first superstep */

static void choose_candidates(lu_state *s, tournament *t)
{
    size_t e = s->k->bytes, w = t->width, m = range_length(t->own), k = fewer(m, w);
    size_t own_tops = range_length(t->top), rows = k + own_tops;
    if (m) {
        oblu_copy(e, m, w, t->base + t->own.first * e, s->a.ld, s->panel, m);
        s->k->getrf(m, w, s->panel, m, s->lapack_pivots);
        s->watch.flops += (double)k * (double)k * ((double)m - (double)k / 3);
    }
    follow(s->order, m, s->lapack_pivots, k);
    for (size_t i = 0; i < k; i++) {
        s->order[i] += t->own.first;
        s->positions[i] = (int)position_of(s, t->x, s->order[i]);
    }
    oblu_lap(&s->watch, OBLU_COMPUTE, "tournament");
    oblu_gather(e, s->order, k, w, t->base, s->a.ld, t->candidates, rows);
    oblu_copy(e, own_tops, w, t->base + t->top.first * e, s->a.ld, t->candidates + k * e, rows);
}

static ob_view candidates_view(const lu_state *s, const tournament *t, size_t r)
{
    size_t rows = candidates_of(s, t->x, r) + tops_of(s, t->x, r);
    return lu_view(s, rows, t->width, t->candidates, rows);
}

static ob_view positions_view(const lu_state *s, const tournament *t, size_t r)
{
    size_t k = candidates_of(s, t->x, r);
    return bsp2d_ge(OB_INT, k, 1, s->positions, k);
}

static void send_candidates(const lu_state *s, const tournament *t)
{
    ob_view rows = candidates_view(s, t, t->me), positions = positions_view(s, t, t->me);
    if (decides(s, t->x) || rows.m == 0)
        return;
    bsp2d_hpsend(s->column, (int)t->x->prow, 0, &rows);
    bsp2d_hpsend(s->column, (int)t->x->prow, 0, &positions);
}

/* ------------------------------------------------------------------ the decision */

/* The top rows of process row r to their places. */
static void keep_tops(const lu_state *s, const tournament *t, size_t r, const ob_view *rows,
                      size_t above)
{
    size_t top = s->a.first_row + t->x->j, e = s->k->bytes;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, r, &i, top + t->width, &run);
         above += run.length)
        oblu_copy(e, run.length, t->width, (const char *)rows->base + above * e, rows->ld,
                  s->square + (t->width + run.global - top) * e, 2 * t->width);
}

/* All candidates, one process row's below the other's: stack, in s->panel; returns how many. */
static size_t stack_candidates(lu_state *s, tournament *t, size_t *position)
{
    size_t height = 0, at = 0, e = s->k->bytes;
    for (size_t r = 0; r < t->p; r++)
        height += candidates_of(s, t->x, r);
    for (size_t r = 0; r < t->p; r++) {
        size_t k = candidates_of(s, t->x, r);
        ob_view rows = candidates_view(s, t, r), positions = positions_view(s, t, r);
        if (r != t->me && k) {
            bsp2d_hpmove(s->column, (int)r, 0, &rows);
            bsp2d_hpmove(s->column, (int)r, 0, &positions);
        }
        oblu_copy(e, k, t->width, rows.base, rows.ld, s->panel + at * e, height);
        for (size_t i = 0; i < k; i++)
            position[at++] = (size_t)((const int *)positions.base)[i];
        keep_tops(s, t, r, &rows, k);
    }
    return height;
}

/* The swaps that bring the rows at these positions to the top, one after the other. A row of the
 * top that has had to leave its place is where that place's swap has taken it. */
static void find_swaps(const tournament *t, const size_t *winner, int *swap)
{
    for (size_t i = 0; i < t->width; i++) {
        size_t place = winner[i];
        while (place < i)
            place = (size_t)swap[place];
        swap[i] = (int)place;
    }
}

static void decide(lu_state *s, tournament *t)
{
    size_t w = t->width, e = s->k->bytes, *position = oblu_room(t->p * w, sizeof *position);
    size_t height = stack_candidates(s, t, position), *winner = oblu_room(w, sizeof *winner);
    oblu_lap(&s->watch, OBLU_PACK, "tournament");
    s->made[w] = s->k->getrf(height, w, s->panel, height, s->lapack_pivots);
    s->watch.flops += (double)w * (double)w * ((double)height - (double)w / 3);
    follow(s->order, height, s->lapack_pivots, w);
    for (size_t i = 0; i < w; i++)
        winner[i] = position[s->order[i]];
    find_swaps(t, winner, s->made);
    oblu_copy(e, w, w, s->panel, height, s->square, 2 * w);
    free(position);
    free(winner);
    oblu_lap(&s->watch, OBLU_COMPUTE, "tournament");
}

/* ------------------------------------------------------------- second superstep */

static void send_decision(const lu_state *s, const tournament *t)
{
    size_t w = t->width;
    ob_view rows = lu_view(s, 2 * w, w, s->square, 2 * w);
    ob_view swaps = bsp2d_ge(OB_INT, w + 1, 1, s->made, w + 1);
    for (size_t r = 0; r < t->p; r++)
        if (r != t->me) {
            bsp2d_hpsend(s->column, (int)r, 0, &rows);
            bsp2d_hpsend(s->column, (int)r, 0, &swaps);
        }
}

static void take_decision(lu_state *s, tournament *t)
{
    size_t w = t->width, e = s->k->bytes;
    ob_view rows = lu_view(s, 2 * w, w, s->square, 2 * w);
    if (!decides(s, t->x)) {
        ob_view swaps = bsp2d_ge(OB_INT, w + 1, 1, s->made, w + 1);
        bsp2d_hpmove(s->column, (int)t->x->prow, 0, &rows);
        bsp2d_move(s->column, (int)t->x->prow, 0, &swaps);
    }
    t->square = rows.base;
    t->tops = t->square + w * e;
}

/* ------------------------------------------------------------------ the rest */

/* Top rows to the places of own winners that lie below, in the share. */
static void displace(lu_state *s, const tournament *t, size_t ld)
{
    size_t w = t->width, e = s->k->bytes, first = s->a.first_row + t->x->j, *source = s->source;
    for (size_t i = 0; i < w; i++)
        s->pivots[i] = (size_t)s->made[i];
    oblu_follow_swaps(source, s->pivots, 0, w, false);
    for (size_t i = 0; i < w; i++) {
        size_t to = s->pivots[i], from = source[to];
        if (to >= w && from != to && oblu_owner(&s->a.rows, first + to) == t->me) {
            size_t row = oblu_below(&s->a.rows, t->me, first + to) - t->below.first;
            oblu_copy(e, 1, w, t->tops + from * e, 2 * w, s->share + (w + row) * e, ld);
        }
        source[i] = i;
        source[to] = to;
    }
}

/* Is the inverse of this element of the square no number? */
static bool has_no_inverse(const lu_state *s, const tournament *t, size_t i)
{
    bool single = s->k->type == OB_FLOAT || s->k->type == OB_COMPLEX;
    double size;
    s->k->largest(1, t->square + (i + i * 2 * t->width) * s->k->bytes, 1, &size);
    return size < (single ? 1e-37 : 1e-307);
}

/* The rows below the square become those of L. */
static void solve_below(lu_state *s, const tournament *t, char *rows, size_t m, size_t ld)
{
    size_t w = t->width, e = s->k->bytes;
    bool singular = false;
    for (size_t i = 0; i < w; i++)
        singular |= has_no_inverse(s, t, i);
    if (!singular)
        s->k->trsm('R', 'U', 'N', 'N', m, w, t->square, 2 * w, rows, ld);
    for (size_t i = 0; i < w && singular; i++) {
        const char *pivot = t->square + (i + i * 2 * w) * e;
        double size;
        s->k->largest(1, pivot, 1, &size);
        if (size == 0) /* what rounding has left is no part of L */
            memset(rows + i * ld * e, 0, m * e);
        else
            s->k->eliminate(m, w - i, rows + i * ld * e, ld, pivot, 2 * w);
    }
    s->watch.flops += (double)m * (double)w * (double)w;
}

static void finish(lu_state *s, const tournament *t)
{
    size_t w = t->width, e = s->k->bytes, m = range_length(t->below), ld = w + m;
    size_t top = s->a.first_row + t->x->j;
    char *rows = s->share + w * e;
    oblu_run run;
    oblu_copy(e, w, w, t->square, 2 * w, s->share, ld);
    oblu_copy(e, m, w, t->base + t->below.first * e, s->a.ld, rows, ld);
    displace(s, t, ld);
    solve_below(s, t, rows, m, ld);
    oblu_copy(e, m, w, rows, ld, t->base + t->below.first * e, s->a.ld);
    for (size_t i = top; oblu_next_run(&s->a.rows, t->me, &i, top + w, &run);)
        oblu_copy(e, run.length, w, t->square + (run.global - top) * e, 2 * w,
                  t->base + run.local * e, s->a.ld);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

void lu_hold_tournament(lu_state *s, const step *x)
{
    size_t me = s->a.rows.me, end = x->j + x->width;
    range columns = lu_columns(s, x->pcol, x->j, end);
    tournament t = {.x = x,
                    .p = s->a.rows.count,
                    .me = me,
                    .width = x->width,
                    .own = lu_rows(s, me, x->j, s->a.m),
                    .top = lu_rows(s, me, x->j, end),
                    .below = lu_rows(s, me, end, s->a.m),
                    .base = lu_at(s, 0, columns.first),
                    .candidates = s->candidate};
    choose_candidates(s, &t);
    send_candidates(s, &t);
    end_superstep(s);
    if (decides(s, x)) {
        decide(s, &t);
        send_decision(s, &t);
    }
    end_superstep(s);
    take_decision(s, &t);
    finish(s, &t);
}

void lu_open_tournament(lu_state *s)
{
    size_t w = s->block, e = s->k->bytes, stack = s->a.rows.count * w;
    size_t rows = range_length(lu_rows(s, s->a.rows.me, 0, s->a.m));
    size_t most = rows > stack ? rows : stack;
    s->panel = oblu_room(most * w, e);
    s->candidate = oblu_room(2 * w * w, e);
    s->square = oblu_room(2 * w * w, e);
    s->order = oblu_room(most, sizeof *s->order);
    s->positions = oblu_room(w, sizeof *s->positions);
}
