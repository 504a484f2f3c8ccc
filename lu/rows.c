/*
 * All row swaps of a block in one superstep (Horvitz and Bisseling, 2.3): the sequence of swaps is
 * turned into the moves it comes to, each row goes once from where it was to where it ends, and
 * nothing goes that ends where it was. The rows that become rows of U go to the whole
 * process column at once, so that no further superstep is needed to broadcast them: pivot rows come
 * from all process rows, so nobody sends much more than its share.
 */
#include "state.h"

void lu_find_moves(lu_state *s, const step *x)
{
    size_t *source = s->source, w = x->width;
    oblu_follow_swaps(source, s->pivots, 0, w, false);
    s->count = 0;
    for (size_t i = 0; i < w; i++) {
        s->moves[s->count++] = (move){source[i], i};
        source[i] = i;
    }
    for (size_t i = 0; i < w; i++) {
        size_t to = s->pivots[i];
        if (source[to] != to)
            s->moves[s->count++] = (move){source[to], to};
        source[to] = to;
    }
}

static bool of_kind(const move *v, size_t width, rows_kind kind)
{
    return (v->to < width) == (kind == ROWS_OF_U);
}

/* Lists the rows from process row r1 to r2: s->from are local rows, s->to local rows too, or
 * positions for rows of U, which go to all. */
static size_t list_rows(lu_state *s, const step *x, rows_kind kind, size_t r1, size_t r2)
{
    const oblu_axis *rows = &s->a.rows;
    size_t top = s->a.first_row + x->j, n = 0;
    for (const move *v = s->moves; v < s->moves + s->count; v++) {
        if (!of_kind(v, x->width, kind) || oblu_owner(rows, top + v->from) != r1)
            continue;
        if (kind != ROWS_OF_U && oblu_owner(rows, top + v->to) != r2)
            continue;
        s->from[n] = oblu_below(rows, r1, top + v->from);
        s->to[n++] = kind == ROWS_OF_U ? v->to : oblu_below(rows, r2, top + v->to);
    }
    return n;
}

/* With a lookahead the process column has supersteps of its own. */
static void send_to(const lu_state *s, size_t r, ob_view v)
{
    if (!s->row)
        lu_send(s, s->g, r, s->a.columns.me, v);
    else if (v.m && v.n && r != s->a.rows.me)
        bsp2d_hpsend(s->column, (int)r, 0, &v);
}

static ob_view take_from(const lu_state *s, size_t r, size_t m, size_t n, ob_view own)
{
    if (!s->row)
        return lu_take(s, s->g, r, s->a.columns.me, m, n, own);
    ob_view v = r == s->a.rows.me ? own : lu_view(s, m, n, NULL, m);
    if (m && n && r != s->a.rows.me)
        bsp2d_hpmove(s->column, (int)r, 0, &v);
    return v;
}

void lu_send_rows(lu_state *s, const step *x, range columns)
{
    size_t me = s->a.rows.me, p = s->a.rows.count, n = range_length(columns), e = s->k->bytes;
    char *at = s->scratch;
    for (int kind = 0; kind < ROWS_KINDS && n; kind++)
        for (size_t r = 0; r < p; r++) {
            size_t m = list_rows(s, x, kind, me, r);
            if (kind != ROWS_OF_U || r == 0) {
                oblu_gather(e, s->from, m, n, lu_at(s, 0, columns.first), s->a.ld, at, m);
                s->packed[kind * p + r] = at;
                at += m * n * e;
            }
            char *packed = s->packed[kind * p + (kind == ROWS_OF_U ? 0 : r)];
            send_to(s, r, lu_view(s, m, n, packed, m));
        }
}

void lu_take_rows(lu_state *s, const step *x, range columns)
{
    size_t me = s->a.rows.me, p = s->a.rows.count, n = range_length(columns);
    for (int kind = 0; kind < ROWS_KINDS && n; kind++)
        for (size_t r = 0; r < p; r++) {
            size_t m = list_rows(s, x, kind, r, me);
            char *own = s->packed[kind * p + (kind == ROWS_OF_U ? 0 : me)];
            s->rows[kind * p + r] = take_from(s, r, m, n, lu_view(s, m, n, own, m));
        }
}

void lu_keep_rows(lu_state *s, const step *x, range columns)
{
    size_t me = s->a.rows.me, p = s->a.rows.count, n = range_length(columns), e = s->k->bytes;
    for (int kind = 0; kind < ROWS_KINDS && n; kind++)
        for (size_t r = 0; r < p; r++) {
            size_t m = list_rows(s, x, kind, r, me);
            const ob_view *v = &s->rows[kind * p + r];
            if (kind == ROWS_OF_U)
                oblu_scatter(e, s->to, m, n, v->base, m, s->u, x->width);
            else
                oblu_scatter(e, s->to, m, n, v->base, m, lu_at(s, 0, columns.first), s->a.ld);
        }
}
