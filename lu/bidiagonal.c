/*
 * A matrix becomes bidiagonal, B = Q^T A P, as PDGEBRD leaves it. A panel is some columns of a
 * block and as many rows. All processes have all of it, and of its vectors: v and u of the
 * reflections of columns and rows, y and x with which A becomes A - V Y^T - X U^T behind the panel
 * (Dongarra, Sorensen and Hammarling, 1989). So a column and its row cost two sums:
 *
 *   collect       the panel's columns, and its rows, to all processes
 *   for each column and row; of a wide matrix the row comes first
 *     computation the column, its reflection v, by all alike; and own terms of A^T v
 *     combine     they are summed, over all processes, and y follows
 *     computation the row, its reflection u, and own terms of A u
 *     combine     they are summed, and x follows
 *   computation   A = A - V Y^T - X U^T, of own elements
 *
 * Rows and columns are two sides of the same. To the side of rows belong V and X, which stand in
 * turn, to that of columns Y and U likewise, so that one product takes both.
 */
#include "arguments.h"
#include "vectors.h"

#include "common/offer.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the state */

enum { ROWS, COLUMNS };

typedef struct side {
    const oblu_axis *x;
    size_t first, n; /* of the submatrix, in the array */
    size_t ld;       /* of both: */
    char *lines;     /* the panel's columns; or its rows, as columns */
    char *pairs;     /* V and X; or Y and U */
    char *own;       /* elements of one vector; or of all pairs */
} side;

typedef struct reduction {
    const oblu_kernels *k;
    const oblu_vectors *x;
    oblu_matrix a;
    side side[2];
    int head; /* whose vectors are the first */
    ob_group *all;
    ob_view *pieces;
    size_t block, least;
    char *arrived;
    char *row; /* pairs in one row; products with a vector */
    char *d, *e, *tau[2];
} reduction;

/* Columns, or rows, j .. end - 1, of one block. */
typedef struct part {
    size_t j, end;
} part;

static char *pair(const reduction *r, const side *s, size_t i, size_t column)
{
    return s->pairs + (i + column * s->ld) * r->k->bytes;
}

static bool next_own(const side *s, size_t p, size_t *at, oblu_run *run)
{
    size_t global = s->first + *at;
    bool any = oblu_next_run(s->x, p, &global, s->first + s->n, run);
    run->global -= any ? s->first : 0;
    *at = global - s->first;
    return any;
}

static size_t count_from(const side *s, size_t p, size_t i)
{
    return oblu_below(s->x, p, s->first + s->n) - oblu_below(s->x, p, s->first + i);
}

static size_t local_of(const side *s, size_t i)
{
    return oblu_below(s->x, s->x->me, s->first + i);
}

static size_t owner_of(const side *s, size_t i)
{
    return oblu_owner(s->x, s->first + i);
}

/* Own elements from i on of a vector. */
static void take_own(const reduction *r, const side *s, size_t i, const char *vector, char *to)
{
    const size_t e = r->k->bytes;
    oblu_run run;
    for (; next_own(s, s->x->me, &i, &run); to += run.length * e)
        memcpy(to, vector + run.global * e, run.length * e);
}

static void give_own(const reduction *r, const side *s, size_t i, const char *from, char *vector)
{
    const size_t e = r->k->bytes;
    oblu_run run;
    for (; next_own(s, s->x->me, &i, &run); from += run.length * e)
        memcpy(vector + run.global * e, from, run.length * e);
}

/* Own rows from i on, in own columns from j on. */
static ob_view own_from(const reduction *r, size_t i, size_t j)
{
    return oblu_own(r->k, &r->a, i, r->a.m, j, r->a.n);
}

/* ------------------------------------------------------------------- a panel */

/* Where the panel's lines along side f come from: pieces of all processes, one behind the other. */
static void find_pieces(reduction *r, int f, part b)
{
    const side *s = &r->side[f], *other = &r->side[!f];
    const size_t w = b.end - b.j, from = owner_of(other, b.j), q = r->a.columns.count;
    char *room = r->arrived;
    for (size_t p = 0; p < r->a.rows.count * q; p++) {
        const size_t at[2] = {p / q, p % q};
        size_t length = at[!f] == from ? count_from(s, at[f], b.j) : 0, w_there = length ? w : 0;
        r->pieces[p] = f == ROWS ? bsp2d_ge(r->k->type, length, w_there, room, length ? length : 1)
                                 : bsp2d_ge(r->k->type, w_there, length, room, w);
        room += length * w * r->k->bytes;
    }
    if (other->x->me == from)
        r->pieces[r->a.rows.me * q + r->a.columns.me] =
            oblu_own(r->k, &r->a, b.j, f == ROWS ? r->a.m : b.end, b.j, f == ROWS ? b.end : r->a.n);
}

static void bring(reduction *r, int f, part b)
{
    const side *s = &r->side[f];
    const size_t e = r->k->bytes, w = b.end - b.j, from = owner_of(&r->side[!f], b.j);
    const ob_pieces all = {.views = r->pieces};
    oblu_run run;
    find_pieces(r, f, b);
    if (ob_group_size(r->all) > 1)
        oblu_must(ob_collect(r->all, &all, NULL));
    for (size_t p = 0; p < s->x->count; p++) {
        const ob_view *piece =
            &r->pieces[f == ROWS ? p * r->a.columns.count + from : from * r->a.columns.count + p];
        const char *at = piece->base;
        for (size_t i = b.j; next_own(s, p, &i, &run);
             at += run.length * (f == ROWS ? 1 : piece->ld) * e)
            if (f == ROWS)
                oblu_copy(e, run.length, w, at, piece->ld, s->lines + run.global * e, s->ld);
            else
                r->k->adjoint(w, run.length, at, piece->ld, s->lines + run.global * e, s->ld);
    }
}

/* Each line from the diagonal on, or behind it. */
static void put_back(const reduction *r, int f, part b)
{
    const side *s = &r->side[f], *other = &r->side[!f];
    const size_t e = r->k->bytes, step = f == ROWS ? 1 : r->a.ld;
    oblu_run run;
    if (other->x->me != owner_of(other, b.j))
        return;
    for (size_t j = b.j; j < b.end; j++) {
        const char *line = s->lines + (j - b.j) * s->ld * e;
        char *to = r->a.local + local_of(other, j) * (f == ROWS ? r->a.ld : 1) * e;
        for (size_t i = j + (f != r->head); next_own(s, s->x->me, &i, &run);)
            oblu_copy(e, 1, run.length, line + run.global * e, 1, to + run.local * step * e, step);
    }
}

/* Element j of what is dealt out along a side. */
static void keep(const reduction *r, const side *s, size_t j, const void *value, char *to)
{
    if (s->x->me == owner_of(s, j))
        memcpy(to + local_of(s, j) * r->k->bytes, value, r->k->bytes);
}

/* -------------------------------------------------------------- one reflection */

/* y gets own terms of op(A) v; v begins at `from` along side f, y behind j along the other. */
static void multiply_own(const reduction *r, int f, size_t from, size_t j, const char *v, char *y)
{
    const side *s = &r->side[f], *other = &r->side[!f];
    const ob_view own = f == ROWS ? own_from(r, from, j + 1) : own_from(r, j + 1, from);
    const size_t length = f == ROWS ? own.n : own.m;
    take_own(r, s, from, v, s->own);
    oblu_clear(r->k->bytes, length, 1, other->own, length);
    r->x->times(f == ROWS ? 'T' : 'N', own.m, own.n, 1, own.base, own.ld, s->own, other->own);
    give_own(r, other, j + 1, other->own, y);
}

/* And an own share of what the panel's first `count` pairs take from it. */
static void take_pairs(const reduction *r, int f, size_t from, size_t j, size_t count,
                       const char *v, char *y)
{
    const side *s = &r->side[f], *other = &r->side[!f];
    const size_t e = r->k->bytes, n = other->n - j - 1;
    const size_t members = (size_t)ob_group_size(r->all), me = (size_t)ob_group_me(r->all);
    const size_t i = j + 1 + n * me / members, end = j + 1 + n * (me + 1) / members;
    oblu_clear(e, count, 1, r->row, count);
    r->x->times('T', s->n - from, count, 1, pair(r, s, from, 0), s->ld, v + from * e, r->row);
    r->x->times('N', end - i, count, -1, pair(r, other, i, 0), other->ld, r->row, y + i * e);
}

/* Line j along side f, `line` of the panel, from `from` on; `count` pairs stand before its own. */
static void reflect(const reduction *r, int f, size_t j, size_t line, size_t from, size_t count)
{
    const side *s = &r->side[f], *other = &r->side[!f];
    const size_t e = r->k->bytes, n = s->n - from, rest = other->n - j - 1;
    char *x = s->lines + (from + line * s->ld) * e;
    char *v = pair(r, s, 0, count), *y = pair(r, other, 0, count);
    double tau = 0;
    for (size_t l = 0; l < count; l++)
        memcpy(r->row + l * e, pair(r, other, j, l), e);
    r->x->times('N', n, count, -1, pair(r, s, from, 0), s->ld, r->row, x);
    r->x->reflect(n, x, &tau);
    keep(r, other, j, x, f == r->head ? r->d : r->e);
    keep(r, other, j, &tau, r->tau[f]);
    r->k->put(1, v + from * e);
    memcpy(v + (from + 1) * e, x + e, (n - 1) * e);
    if (rest == 0)
        return;
    ob_view sum = bsp2d_ge(r->k->type, rest, 1, y + (j + 1) * e, rest);
    oblu_clear(e, rest, 1, sum.base, rest);
    multiply_own(r, f, from, j, v, y);
    take_pairs(r, f, from, j, count, v, y);
    if (ob_group_size(r->all) > 1)
        oblu_must(ob_combine(r->all, OB_ANY, OB_SUM, &sum, NULL, 0, NULL));
    r->x->scale(rest, &tau, sum.base);
}

static void reduce(const reduction *r, part b)
{
    const double none = 0;
    for (size_t j = b.j; j < b.end; j++) {
        reflect(r, r->head, j, j - b.j, j, 2 * (j - b.j));
        if (j + 1 < r->side[!r->head].n)
            reflect(r, !r->head, j, j - b.j, j + 1, 2 * (j - b.j) + 1);
        else
            keep(r, &r->side[r->head], j, &none, r->tau[!r->head]);
    }
}

static void update(const reduction *r, part b)
{
    const size_t e = r->k->bytes, count = 2 * (b.end - b.j);
    const ob_view own = own_from(r, b.end, b.end);
    double minus[2];
    r->k->put(-1, minus);
    for (int f = ROWS; f <= COLUMNS; f++)
        for (size_t l = 0; l < count; l++)
            take_own(r, &r->side[f], b.end, pair(r, &r->side[f], 0, l),
                     r->side[f].own + l * (f == ROWS ? own.m : own.n) * e);
    if (own.m && own.n)
        r->k->product('N', 'T', own.m, own.n, count, minus, r->side[ROWS].own, own.m,
                      r->side[COLUMNS].own, own.n, NULL, own.base, own.ld);
}

static void carry_out(reduction *r)
{
    const size_t e = r->k->bytes, w = oblu_least(r->block, OBLU_PANEL);
    side *rows = &r->side[ROWS], *columns = &r->side[COLUMNS];
    rows->ld = oblu_odd_ld(rows->n);
    columns->ld = oblu_odd_ld(columns->n);
    oblu_keep((oblu_piece[]){{&rows->lines, rows->ld * w * e},
                             {&columns->lines, columns->ld * w * e},
                             {&rows->pairs, rows->ld * 2 * w * e},
                             {&columns->pairs, columns->ld * 2 * w * e},
                             {&rows->own, count_from(rows, rows->x->me, 0) * 2 * w * e},
                             {&columns->own, count_from(columns, columns->x->me, 0) * 2 * w * e},
                             {&r->arrived, (rows->n + columns->n) * w * e},
                             {&r->row, 2 * w * e}},
              8);
    r->pieces = oblu_room(r->a.rows.count * r->a.columns.count, sizeof *r->pieces);
    for (size_t next = 0; next < r->least;) {
        const size_t end = oblu_least((next / r->block + 1) * r->block, r->least);
        const part b = {next, oblu_least(end, next + w)};
        bring(r, ROWS, b);
        bring(r, COLUMNS, b);
        reduce(r, b);
        put_back(r, ROWS, b);
        put_back(r, COLUMNS, b);
        update(r, b);
        next = b.end;
    }
    free(r->pieces);
    oblu_kept_no_more();
}

/* -------------------------------------------------------------------- calls */

/* False: it is ScaLAPACK's to carry out or to refuse. */
static bool find(reduction *r, const ob_lu_bidiagonal *b, const oblu_sub *a, const oblu_dims *g)
{
    oblu_fault wrong = {0};
    if (oblu_wrong_part(a, g, &wrong))
        return false;
    r->a = oblu_matrix_of(a, g, b->a.local);
    r->side[ROWS] = (side){.x = &r->a.rows, .first = r->a.first_row, .n = r->a.m};
    r->side[COLUMNS] = (side){.x = &r->a.columns, .first = r->a.first_column, .n = r->a.n};
    r->head = r->a.m >= r->a.n ? ROWS : COLUMNS;
    r->least = oblu_least(r->a.m, r->a.n);
    r->block = r->a.rows.block;
    return oblu_begins_square(&r->a);
}

void ob_lu_reduce_both(const ob_lu_bidiagonal *b)
{
    int64_t desc[LLD + 1], info;
    const oblu_sub a = {b->m, b->n, b->a.i, b->a.j, desc, 1, 2, 6};
    oblu_widen(b->a.desc, desc);
    oblu_dims g = oblu_dims_of(desc[CTXT]);
    reduction r = {.k = oblu_kernels_of(b->type),
                   .x = b->type == 's' ? &oblu_vectors_s : &oblu_vectors_d,
                   .d = b->d,
                   .e = b->e,
                   .tau = {b->tauq, b->taup}};
    oblu_call call = {.a = &a, .g = &g};
    if (!find(&r, b, &a, &g))
        call.wrong.part = OBLU_DECLINED;
    oblu_enter(r.k, "gebrd");
    if (!oblu_meet(&call, b->m == 0 || b->n == 0, &info))
        return;
    r.all = oblu_group_of(&g, 'A');
    carry_out(&r);
}
