/*
 * A block of columns: gathered at its owner, factored there, and spread.
 */
#include "state.h"

#include <string.h>

/* Leading dimension of the panel. */
static size_t panel_ld(const lu_state *s, const step *x)
{
    return s->a.m - x->j;
}

static bool owner(const lu_state *s, const step *x)
{
    return lu_me(s, x->prow, x->pcol);
}

/* ---------------------------------------------------------------- gathering */

static ob_view own_part(const lu_state *s, const step *x)
{
    range rows = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    range columns = lu_columns(s, s->a.columns.me, x->j, x->j + x->width);
    return lu_view(s, range_length(rows), range_length(columns),
                   lu_at(s, rows.first, columns.first), s->a.ld);
}

void lu_offer_panel(lu_state *s, const step *x)
{
    lu_send(s, s->offers, x->prow, x->pcol, own_part(s, x));
}

void lu_take_panel(lu_state *s, const step *x)
{
    if (!owner(s, x))
        return;
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count; c++) {
            size_t m = range_length(lu_rows(s, r, x->j, s->a.m));
            size_t n = range_length(lu_columns(s, c, x->j, x->j + x->width));
            s->pieces[r * s->a.columns.count + c] =
                lu_take(s, s->offers, r, c, m, n, own_part(s, x));
        }
}

/* The part of process (r, c) to its places. */
static void put_part(lu_state *s, const step *x, size_t r, size_t c, const ob_view *v)
{
    size_t row0 = s->a.first_row + x->j, column0 = s->a.first_column + x->j;
    size_t row_end = s->a.first_row + s->a.m, column_end = column0 + x->width;
    size_t ld = panel_ld(s, x), e = s->k->bytes, local_row = 0, local_column = 0;
    oblu_run rows, columns;
    for (size_t j = column0; oblu_next_run(&s->a.columns, c, &j, column_end, &columns);
         local_column += columns.length) {
        local_row = 0;
        for (size_t i = row0; oblu_next_run(&s->a.rows, r, &i, row_end, &rows);
             local_row += rows.length)
            oblu_copy(e, rows.length, columns.length,
                      (const char *)v->base + (local_row + local_column * v->ld) * e, v->ld,
                      s->panel + (rows.global - row0 + (columns.global - column0) * ld) * e, ld);
    }
}

void lu_assemble_panel(lu_state *s, const step *x)
{
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count; c++)
            put_part(s, x, r, c, &s->pieces[r * s->a.columns.count + c]);
    oblu_lap(&s->watch, OBLU_PACK, "panel");
}

void lu_make_panel(lu_state *s, const step *x)
{
    size_t ld = panel_ld(s, x), w = x->width;
    lu_assemble_panel(s, x);
    s->made[w] = s->k->getrf(ld, w, s->panel, ld, s->lapack_pivots);
    for (size_t i = 0; i < w; i++)
        s->made[i] = s->lapack_pivots[i] - 1;
    s->watch.flops += (double)w * (double)w * ((double)ld - (double)w / 3);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

/* ----------------------------------------------------------------- spreading */

/* Rows of the square at the top that each process row's part begins with. */
static size_t square_rows(const lu_state *s, const step *x)
{
    return s->own_rows_alone ? 0 : x->width;
}

size_t lu_part_rows(const lu_state *s, const step *x, size_t r)
{
    size_t square = square_rows(s, x);
    return square + range_length(lu_rows(s, r, x->j + square, s->a.m));
}

static char *part_of(const lu_state *s, const step *x, size_t r)
{
    char *part = s->share;
    for (size_t i = 0; i < r && !s->column; i++)
        part += lu_part_rows(s, x, i) * x->width * s->k->bytes;
    return part;
}

/* Makes packed parts of the panel for each process row. */
static void pack(lu_state *s, const step *x)
{
    size_t ld = panel_ld(s, x), e = s->k->bytes, w = x->width, top = s->a.first_row + x->j;
    size_t square = square_rows(s, x);
    const char *panel = s->panel;
    oblu_run run;
    for (size_t r = 0; r < s->a.rows.count; r++) {
        size_t rows = lu_part_rows(s, x, r), at = square;
        char *part = part_of(s, x, r);
        oblu_copy(e, square, w, panel, ld, part, rows);
        for (size_t i = top + square;
             oblu_next_run(&s->a.rows, r, &i, s->a.first_row + s->a.m, &run); at += run.length)
            oblu_copy(e, run.length, w, panel + (run.global - top) * e, ld, part + at * e, rows);
    }
}

/* A row of two processes needs one phase, a longer one two (Horvitz and Bisseling, 2.2). */
bool lu_two_phases(const lu_state *s)
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
    size_t rows = lu_part_rows(s, x, r);
    lu_put(s, r, c, piece_view(s, x, part, rows, k), piece_of(s, rows, k).first, rows);
}

void lu_announce(lu_state *s, const step *x)
{
    if (owner(s, x) && !s->column)
        pack(s, x);
    for (size_t r = 0; r < s->a.rows.count; r++)
        for (size_t c = 0; c < s->a.columns.count && i_spread(s, x, r); c++) {
            bool has = range_length(lu_columns(s, c, x->j, x->j + x->width));
            bsp2d_hpput(s->g, lu_pid(s, r, c), s->made, s->incoming, 0,
                        has ? s->news_size : s->news_elsewhere);
            if (lu_two_phases(s))
                put_piece(s, x, r, c, part_of(s, x, r), c);
        }
}

/* The second phase: the own piece to the rest of the process row. */
static void pass_on(lu_state *s, const step *x)
{
    size_t r = s->a.rows.me;
    char *from = i_spread(s, x, r) ? part_of(s, x, r) : s->lower;
    for (size_t c = 0; lu_two_phases(s) && c < s->a.columns.count; c++)
        if (!lu_spreads(s, x, r, c))
            put_piece(s, x, r, c, from, s->a.columns.me);
}

void lu_spread_panel(lu_state *s, const step *x)
{
    pass_on(s, x);
    for (size_t r = 0; r < s->a.rows.count && !lu_two_phases(s); r++)
        for (size_t c = 0; c < s->a.columns.count && i_spread(s, x, r); c++) {
            size_t rows = lu_part_rows(s, x, r);
            lu_send(s, s->g, r, c, lu_view(s, rows, x->width, part_of(s, x, r), rows));
        }
}

void lu_take_spread(lu_state *s, const step *x)
{
    size_t r = s->a.rows.me, rows = lu_part_rows(s, x, r), from = s->column ? r : x->prow;
    s->ldl = rows;
    if (i_spread(s, x, r))
        s->l = part_of(s, x, r);
    else if (lu_two_phases(s))
        s->l = s->lower;
    else
        s->l = lu_take(s, s->g, from, x->pcol, rows, x->width, (ob_view){0}).base;
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
        keep_rows(s, x->j, x->j + w, &columns, s->l + j * s->ldl * e, s->ldl, false);
        keep_rows(s, x->j + w, s->a.m, &columns, s->l + (w + j * s->ldl) * e, s->ldl, true);
    }
}
