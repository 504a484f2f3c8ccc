/*
 * A block of columns: gathered at its owner, factored there, and spread.
 */
#include "state.h"

#include <string.h>

static char *panel_of(const lu_state *s, const step *x)
{
    return s->panel[x->j / s->block % 2];
}

static size_t panel_ld(const lu_state *s, const step *x)
{
    return x->above + s->a.m - x->j;
}

static bool owner(const lu_state *s, const step *x)
{
    return lu_me(s, x->prow, x->pcol);
}

/* ---------------------------------------------------------------- gathering */

static ob_view own_part(const lu_state *s, const step *x)
{
    range rows = lu_rows(s, s->a.rows.me, x->j - x->above, s->a.m);
    range columns = lu_columns(s, s->a.columns.me, x->j, x->j + x->width);
    return lu_view(s, range_length(rows), range_length(columns), lu_at(s, rows.first, columns.first),
                   s->a.ld);
}

void lu_offer_panel(lu_state *s, const step *x)
{
    lu_send(s, x->prow, x->pcol, own_part(s, x));
}

void lu_take_panel(lu_state *s, const step *x)
{
    if (!owner(s, x))
        return;
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count; c++) {
            size_t m = range_length(lu_rows(s, r, x->j - x->above, s->a.m));
            size_t n = range_length(lu_columns(s, c, x->j, x->j + x->width));
            s->pieces[r * s->a.columns.count + c] = lu_take(s, r, c, m, n, own_part(s, x));
        }
}

/* The part of process (r, c) to its places. */
static void place(lu_state *s, const step *x, size_t r, size_t c, const ob_view *v)
{
    size_t row0 = s->a.first_row + x->j - x->above, column0 = s->a.first_column + x->j;
    size_t row_end = s->a.first_row + s->a.m, column_end = column0 + x->width;
    size_t ld = panel_ld(s, x), e = s->k->bytes, local_row = 0, local_column = 0;
    char *panel = panel_of(s, x);
    oblu_run rows, columns;
    for (size_t j = column0; oblu_next_run(&s->a.columns, c, &j, column_end, &columns);
         local_column += columns.length) {
        local_row = 0;
        for (size_t i = row0; oblu_next_run(&s->a.rows, r, &i, row_end, &rows); local_row += rows.length)
            oblu_copy(e, rows.length, columns.length,
                      (const char *)v->base + (local_row + local_column * v->ld) * e, v->ld,
                      panel + (rows.global - row0 + (columns.global - column0) * ld) * e, ld);
    }
}

/* Brings the columns up to date with the block before: its swaps, its rows of U, its product. */
static void catch_up(lu_state *s, const step *x, const step *before)
{
    char *panel = panel_of(s, x);
    size_t ld = panel_ld(s, x), e = s->k->bytes, w = before->width, m = s->a.m - x->j;
    oblu_swap(e, s->pivots, w, x->width, panel, ld);
    oblu_lap(&s->watch, OBLU_PACK);
    s->k->trsm('L', 'N', 'U', w, x->width, s->whole.base, s->whole.ld, panel, ld);
    s->k->gemm('N', false, m, x->width, w, (const char *)s->whole.base + w * e, s->whole.ld, panel, ld,
               panel + w * e, ld);
    s->watch.flops += (double)w * (double)x->width * (double)(w + 2 * m);
}

void lu_make_panel(lu_state *s, const step *x, const step *before)
{
    size_t ld = panel_ld(s, x), m = s->a.m - x->j, w = x->width;
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count; c++)
            place(s, x, r, c, &s->pieces[r * s->a.columns.count + c]);
    if (before)
        catch_up(s, x, before);
    else
        oblu_lap(&s->watch, OBLU_PACK);
    s->made[w] = s->k->getrf(m, w, panel_of(s, x) + x->above * s->k->bytes, ld, s->lapack_pivots);
    for (size_t i = 0; i < w; i++)
        s->made[i] = s->lapack_pivots[i] - 1;
    s->watch.flops += (double)w * (double)w * ((double)m - (double)w / 3);
    oblu_lap(&s->watch, OBLU_COMPUTE);
}

/* ----------------------------------------------------------------- spreading */

/* Rows that process row r gets: the top square, and its own of those below. */
static size_t part_rows(const lu_state *s, const step *x, size_t r)
{
    return x->width + range_length(lu_rows(s, r, x->j + x->width, s->a.m));
}

static char *part_of(const lu_state *s, const step *x, size_t r)
{
    char *part = s->share;
    for (size_t i = 0; i < r && !s->column; i++)
        part += part_rows(s, x, i) * x->width * s->k->bytes;
    return part;
}

void lu_pack_panel(lu_state *s, const step *x)
{
    size_t ld = panel_ld(s, x), e = s->k->bytes, w = x->width, top = s->a.first_row + x->j;
    const char *panel = panel_of(s, x) + x->above * e;
    oblu_run run;
    for (size_t r = 0; r < s->a.rows.count; r++) {
        size_t rows = part_rows(s, x, r), at = w;
        char *part = part_of(s, x, r);
        oblu_copy(e, w, w, panel, ld, part, rows);
        for (size_t i = top + w; oblu_next_run(&s->a.rows, r, &i, s->a.first_row + s->a.m, &run);
             at += run.length)
            oblu_copy(e, run.length, w, panel + (run.global - top) * e, ld, part + at * e, rows);
    }
}

/* A row of two processes needs one phase, a longer one two (Horvitz and Bisseling, 2.2). */
static bool two_phases(const lu_state *s)
{
    return s->a.columns.count > 2;
}

/* Piece c of the part of a process row: rows first .. end-1. */
static range piece_of(const lu_state *s, size_t rows, size_t c)
{
    size_t q = s->a.columns.count;
    return (range){c * rows / q, (c + 1) * rows / q};
}

static ob_view piece_view(const lu_state *s, const step *x, char *part, size_t rows, size_t c)
{
    range piece = piece_of(s, rows, c);
    return lu_view(s, range_length(piece), x->width, part + piece.first * s->k->bytes, rows);
}

/* Whether this process spreads the part of process row r. */
static bool i_spread(const lu_state *s, const step *x, size_t r)
{
    return s->column ? r == s->a.rows.me && s->a.columns.me == x->pcol : owner(s, x);
}

/* Piece k of a process row's part to process (r, c). */
static void put_piece(lu_state *s, const step *x, size_t r, size_t c, char *part, size_t k)
{
    size_t rows = part_rows(s, x, r);
    lu_put(s, r, c, piece_view(s, x, part, rows, k), piece_of(s, rows, k).first, rows);
}

void lu_announce(lu_state *s, const step *x)
{
    size_t bytes = (x->width + 1) * sizeof *s->made;
    if (owner(s, x) && !s->column)
        lu_pack_panel(s, x);
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count && i_spread(s, x, r); c++) {
            bsp2d_hpput(s->g, bsp2d_pid(s->g, (int)r, (int)c), s->made, s->incoming, 0, bytes);
            if (two_phases(s))
                put_piece(s, x, r, c, part_of(s, x, r), c);
        }
}

static bool has_columns(const lu_state *s, const step *x, size_t c)
{
    return range_length(lu_columns(s, c, x->j, x->j + x->width)) > 0;
}

static ob_view upper_of(const lu_state *s, const step *x)
{
    return lu_view(s, x->above, x->width, panel_of(s, x), panel_ld(s, x));
}

static ob_view whole_of(const lu_state *s, const step *x)
{
    return lu_view(s, s->a.m - x->j, x->width, panel_of(s, x) + x->above * s->k->bytes,
                   panel_ld(s, x));
}

/* The second phase: the own piece to the rest of the process row. */
static void pass_on(lu_state *s, const step *x)
{
    size_t r = s->a.rows.me;
    char *from = i_spread(s, x, r) ? part_of(s, x, r) : s->lower;
    for (size_t c = 0; two_phases(s) && c < s->a.columns.count; c++)
        if (!lu_spreads(s, x, r, c))
            put_piece(s, x, r, c, from, s->a.columns.me);
}

void lu_spread_panel(lu_state *s, const step *x, const step *after)
{
    pass_on(s, x);
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count && i_spread(s, x, r); c++) {
            if (!two_phases(s)) {
                size_t rows = part_rows(s, x, r);
                lu_send(s, r, c, lu_view(s, rows, x->width, part_of(s, x, r), rows));
            }
            if (!s->column && has_columns(s, x, c))
                lu_send(s, r, c, upper_of(s, x));
        }
    if (after && !s->column && owner(s, x))
        lu_send(s, after->prow, after->pcol, whole_of(s, x));
}

void lu_take_spread(lu_state *s, const step *x, const step *after)
{
    size_t r = s->a.rows.me, rows = part_rows(s, x, r), w = x->width;
    size_t from = s->column ? r : x->prow;
    s->ldl = rows;
    if (i_spread(s, x, r))
        s->l = part_of(s, x, r);
    else if (two_phases(s))
        s->l = s->lower;
    else
        s->l = lu_take(s, from, x->pcol, rows, w, (ob_view){0}).base;
    if (s->column)
        return;
    if (has_columns(s, x, s->a.columns.me))
        s->upper = lu_take(s, x->prow, x->pcol, x->above, w, upper_of(s, x));
    if (after && owner(s, after))
        s->whole = lu_take(s, x->prow, x->pcol, s->a.m - x->j, w, whole_of(s, x));
}

/* Own rows i .. end-1 of the submatrix, in the columns of the run. Those of the runs are
 * row by row of `from` by position, or all together (packed) where they are. */
static void keep_rows(lu_state *s, size_t i, size_t end, const oblu_run *columns, const char *from,
                      size_t ld, bool packed)
{
    size_t first = s->a.first_row + i, e = s->k->bytes, at = 0;
    oblu_run run;
    for (size_t g = first; oblu_next_run(&s->a.rows, s->a.rows.me, &g, s->a.first_row + end, &run);
         at += run.length)
        oblu_copy(e, run.length, columns->length, from + (packed ? at : run.global - first) * e, ld,
                  lu_at(s, run.local, columns->local), s->a.ld);
}

void lu_keep_panel(lu_state *s, const step *x)
{
    size_t column0 = s->a.first_column + x->j, e = s->k->bytes, w = x->width;
    oblu_run columns;
    for (size_t g = column0;
         oblu_next_run(&s->a.columns, s->a.columns.me, &g, column0 + w, &columns);) {
        size_t j = columns.global - column0;
        if (x->above)
            keep_rows(s, x->j - x->above, x->j, &columns, (char *)s->upper.base + j * s->upper.ld * e,
                      s->upper.ld, false);
        keep_rows(s, x->j, x->j + w, &columns, s->l + j * s->ldl * e, s->ldl, false);
        keep_rows(s, x->j + w, s->a.m, &columns, s->l + (w + j * s->ldl) * e, s->ldl, true);
    }
}
