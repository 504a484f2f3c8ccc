/*
 * Q, of a QR factorisation as PDGEQRF leaves it, times a distributed matrix: C = op(Q) C, or C
 * op(Q). C stays where it is. The columns of A that have the reflections go to all that have rows
 * of C with the same numbers, a strip at a time: along process rows; or, where Q stands on the
 * right, transposed first, so that their rows are dealt out as C's columns are, and then along
 * process columns. Each process then has V of a block of columns, with ones and zeros, for its own
 * rows of C, and Q = I - V T V^H:
 *
 *   computation   own terms of V^H V and V^H C
 *   combine       they are summed, in the process column
 *   computation   T; and C = C - V (T V^H C)
 *
 * T^-1 is V^H V above the diagonal, and 1 / tau on it (Puglisi, 1992).
 */
#include "arguments.h"

#include "common/grid.h"
#include "common/offer.h"

#include <stdlib.h>
#include <string.h>

/* Columns of a block, and of one where A is LARGE and leaves the caches; of a strip, whose collect
 * is long enough. */
enum { NARROW = 32, WIDE = 64, LARGE = 1000, STRIP = 256 };

typedef struct transform {
    const oblu_kernels *k;
    oblu_matrix a, c;
    bool left, adjoint;
    ob_group *row, *column;
    bsp2d_grid *grid; /* on the right */
    char *tau;        /* of all columns */
    ob_view *pieces;  /* of a strip, from each process */
    char
        *turned; /* an own part of a strip, transposed, behind what stands before it in its block */
    char *arrived; /* pieces of others */
    char *panel;   /* V of a strip, for the own rows */
    size_t ld;
    char *sums;     /* V^H V, width x width, and behind it V^H C, or C V */
    char *triangle; /* T */
} transform;

/* Columns j .. end - 1 of A. */
typedef struct part {
    size_t j, end;
} part;

/* Own elements of C in the rows (columns) that columns from j on of A are about. */
static ob_view own_of_c(const transform *t, size_t j)
{
    return t->left ? oblu_own(t->k, &t->c, j, t->c.m, 0, t->c.n)
                   : oblu_own(t->k, &t->c, 0, t->c.m, j, t->c.n);
}

static size_t own_rows(const transform *t, size_t j)
{
    ob_view c = own_of_c(t, j);
    return t->left ? c.m : c.n;
}

/* ------------------------------------------------------------------- strips */

/* What of a strip comes from each process of a row (or column), and the order in which its columns
 * are dealt out there. */
typedef struct dealt {
    ob_group *group;
    oblu_axis axis;
    size_t first;
} dealt;

static size_t dealt_to(const dealt *d, size_t p, size_t n)
{
    return oblu_below(&d->axis, p, d->first + n) - oblu_below(&d->axis, p, d->first);
}

/* A^H of the strip, with its columns dealt out as C's. */
static ob_view turn(const transform *t, part s, dealt *d)
{
    const size_t first = t->c.first_column + s.j, block = t->c.columns.block;
    oblu_matrix from = t->a, to = {.columns = t->c.columns};
    from.first_row += s.j;
    from.first_column += s.j;
    from.m -= s.j;
    from.n = s.end - s.j;
    to.rows = (oblu_axis){t->a.columns.block, 0, t->c.rows.count, t->c.rows.me};
    to.columns.source = oblu_owner(&t->c.columns, first);
    to.first_column = first % block;
    to.m = from.n;
    to.n = from.m;
    to.local = t->turned;
    to.ld = oblu_below(&to.rows, to.rows.me, to.m);
    to.ld += to.ld == 0;
    oblu_adjoin(t->k, t->grid, &from, &to);
    *d = (dealt){t->column, to.rows, 0};
    return oblu_own(t->k, &to, 0, to.m, 0, to.n);
}

static void collect(transform *t, const dealt *d, ob_view mine, size_t rows, size_t n)
{
    const ob_pieces all = {.views = t->pieces};
    char *room = t->arrived;
    for (size_t p = 0; p < d->axis.count; p++) {
        size_t own = dealt_to(d, p, n);
        t->pieces[p] = t->left ? bsp2d_ge(t->k->type, rows, own, room, rows)
                               : bsp2d_ge(t->k->type, own, rows, room, own);
        room += rows * own * t->k->bytes;
    }
    t->pieces[d->axis.me] = mine;
    if (d->axis.count > 1 && rows)
        oblu_must(ob_collect(d->group, &all, NULL));
}

/* Ones and zeros of V, where R stands in A. */
static void put_ones(const transform *t, part s)
{
    const oblu_axis *axis = t->left ? &t->a.rows : &t->c.columns;
    size_t first = (t->left ? t->a.first_row : t->c.first_column) + s.j, at = 0;
    oblu_run run;
    for (size_t i = first; oblu_next_run(axis, axis->me, &i, first + s.end - s.j, &run);)
        for (size_t l = 0; l < run.length; l++, at++)
            for (size_t j = run.global + l - first; j < s.end - s.j; j++)
                t->k->put(j == run.global + l - first, t->panel + (at + j * t->ld) * t->k->bytes);
}

/* Where tau is 0, the reflection is none, whatever stands in its column. */
static void clear_idle(const transform *t, part s)
{
    double none[2];
    for (size_t j = s.j; j < s.end; j++)
        if (!t->k->minus_inverse(t->tau + j * t->k->bytes, none))
            oblu_clear(t->k->bytes, t->ld, 1, t->panel + (j - s.j) * t->ld * t->k->bytes, t->ld);
}

static void bring(transform *t, part s)
{
    const size_t rows = own_rows(t, s.j), n = s.end - s.j, e = t->k->bytes;
    dealt d = {t->row, t->a.columns, t->a.first_column + s.j};
    ob_view mine = t->left ? oblu_own(t->k, &t->a, s.j, t->a.m, s.j, s.end) : turn(t, s, &d);
    oblu_run run;
    collect(t, &d, mine, rows, n);
    t->ld = rows ? rows : 1;
    for (size_t p = 0; p < d.axis.count; p++) {
        const ob_view *piece = &t->pieces[p];
        size_t at = 0;
        for (size_t j = d.first; oblu_next_run(&d.axis, p, &j, d.first + n, &run);
             at += run.length) {
            char *to = t->panel + (run.global - d.first) * t->ld * e;
            if (t->left)
                oblu_copy(e, rows, run.length, (char *)piece->base + at * piece->ld * e, piece->ld,
                          to, t->ld);
            else
                t->k->adjoint(run.length, rows, (char *)piece->base + at * e, piece->ld, to, t->ld);
        }
    }
    put_ones(t, s);
    clear_idle(t, s);
}

/* ------------------------------------------------------------------- blocks */

/* C = C - X V^H, of own elements. */
static void subtract_product(const oblu_kernels *k, size_t m, size_t n, size_t w, const char *x,
                             const char *v, size_t ldv, const ob_view *c)
{
    double minus[2];
    k->put(-1, minus);
    if (n)
        k->product('N', 'C', m, n, w, minus, x, m, v, ldv, NULL, c->base, c->ld);
}

static void add_up(const transform *t, size_t count)
{
    ob_view all = bsp2d_ge(t->k->type, count, 1, t->sums, count);
    if ((t->left ? t->c.rows.count : t->c.columns.count) > 1)
        oblu_must(ob_combine(t->left ? t->column : t->row, OB_ANY, OB_SUM, &all, NULL, 0, NULL));
}

/* Of -V^H V, to which -1 / tau comes on the diagonal: their negative is T^-1. */
static void make_t(const transform *t, size_t w, const char *tau)
{
    const size_t e = t->k->bytes;
    oblu_clear(e, w, w, t->triangle, w);
    for (size_t i = 0; i < w; i++) {
        t->k->minus_inverse(tau + i * e, t->sums + i * (w + 1) * e);
        t->k->put(-1, t->triangle + i * (w + 1) * e);
    }
    t->k->trsm('L', 'U', 'N', 'N', w, w, t->sums, w, t->triangle, w);
}

/* Columns b of A, of strip s. */
static void apply_block(const transform *t, part s, part b)
{
    const oblu_kernels *k = t->k;
    const size_t w = b.end - b.j, e = k->bytes;
    const char op = t->adjoint ? 'C' : 'N';
    ob_view c = own_of_c(t, b.j);
    const size_t rows = t->left ? c.m : c.n, others = t->left ? c.n : c.m;
    const char *v = t->panel + (own_rows(t, s.j) - rows + (b.j - s.j) * t->ld) * e;
    char *of_c = t->sums + w * w * e;
    if (others == 0) /* of all that would sum */
        return;
    oblu_clear(e, w, w, t->sums, w);
    k->herk('U', w, rows, v, t->ld, t->sums, w);
    if (t->left)
        k->gemm('C', true, w, others, rows, v, t->ld, c.base, c.ld, of_c, w);
    else
        k->gemm('N', true, others, w, rows, c.base, c.ld, v, t->ld, of_c, others);
    add_up(t, w * (w + others));
    make_t(t, w, t->tau + b.j * e);
    if (t->left) {
        k->trmm('L', op, w, others, t->triangle, w, of_c, w);
        k->gemm('N', false, rows, others, w, v, t->ld, of_c, w, c.base, c.ld);
    } else {
        k->trmm('R', op, others, w, t->triangle, w, of_c, others);
        subtract_product(k, others, rows, w, of_c, v, t->ld, &c);
    }
}

static size_t width_of(const transform *t)
{
    return t->a.m < LARGE ? NARROW : WIDE;
}

/* Part l of `whole`, cut into so many columns each, forwards or backwards. */
static part part_of(part whole, size_t columns, size_t l, bool forwards)
{
    size_t count = (whole.end - whole.j + columns - 1) / columns;
    size_t j = whole.j + (forwards ? l : count - 1 - l) * columns;
    return (part){j, oblu_least(j + columns, whole.end)};
}

static void apply(transform *t)
{
    const bool forwards = t->left == t->adjoint;
    const part whole = {0, t->a.n};
    for (size_t l = 0; l * STRIP < whole.end; l++) {
        part s = part_of(whole, STRIP, l, forwards);
        bring(t, s);
        for (size_t i = 0; i * width_of(t) < s.end - s.j; i++)
            apply_block(t, s, part_of(s, width_of(t), i, forwards));
    }
}

/* -------------------------------------------------------------------- calls */

/* All columns' tau, of which each process column has its own. */
static void collect_tau(transform *t, const void *tau)
{
    const size_t e = t->k->bytes;
    const dealt d = {t->row, t->a.columns, t->a.first_column};
    const ob_pieces all = {.views = t->pieces};
    char *room = t->arrived;
    oblu_run run;
    for (size_t p = 0; p < d.axis.count; p++) {
        size_t own = dealt_to(&d, p, t->a.n);
        const void *mine = (const char *)tau + oblu_below(&d.axis, p, d.first) * e;
        t->pieces[p] = bsp2d_ge(t->k->type, own, 1, p == d.axis.me ? mine : room, own);
        room += own * e;
    }
    if (d.axis.count > 1)
        oblu_must(ob_collect(d.group, &all, NULL));
    for (size_t p = 0; p < d.axis.count; p++) {
        const char *from = t->pieces[p].base;
        for (size_t j = d.first; oblu_next_run(&d.axis, p, &j, d.first + t->a.n, &run);
             from += run.length * e)
            memcpy(t->tau + (run.global - d.first) * e, from, run.length * e);
    }
}

static void carry_out(transform *t, const void *tau)
{
    const size_t e = t->k->bytes, rows = own_rows(t, 0), n = oblu_least(STRIP, t->a.n);
    const ob_view c = own_of_c(t, 0);
    const size_t others = t->left ? c.n : c.m, w = oblu_least(width_of(t), n);
    const size_t p = t->a.rows.count, q = t->a.columns.count;
    const oblu_piece all[] = {{&t->tau, t->a.n * e},
                              {&t->arrived, (rows * n > t->a.n ? rows * n : t->a.n) * e},
                              {&t->panel, (rows ? rows : 1) * n * e},
                              {&t->sums, w * (w + others) * e},
                              {&t->triangle, w * w * e},
                              {&t->turned, (rows + t->c.columns.block) * n * e}};
    const size_t pieces = sizeof all / sizeof *all;
    t->pieces = oblu_room(p > q ? p : q, sizeof *t->pieces);
    if (t->left)
        oblu_keep(all, pieces - 1);
    for (size_t i = 0; i < pieces && !t->left; i++) /* oblu_adjoin has what is kept */
        *all[i].at = oblu_room(all[i].bytes, 1);
    collect_tau(t, tau);
    apply(t);
    if (t->left)
        oblu_kept_no_more();
    for (size_t i = 0; i < pieces && !t->left; i++)
        free(*all[i].at);
    free(t->pieces);
}

/* Are A's rows dealt out as the rows (columns) of C that Q is for? */
static bool is_alike(const oblu_matrix *a, const oblu_matrix *c, bool left)
{
    const oblu_axis *other = left ? &c->rows : &c->columns;
    const size_t first = left ? c->first_row : c->first_column;
    return a->rows.block == other->block && a->first_row % other->block == first % other->block &&
           (!left || oblu_owner(&a->rows, a->first_row) == oblu_owner(other, first));
}

/* False: it is ScaLAPACK's to carry out or to refuse. */
static bool find(transform *t, const ob_lu_transform *x, const oblu_sub *a, const oblu_sub *c,
                 const oblu_dims *g)
{
    const bool real = t->k->type == OB_FLOAT || t->k->type == OB_DOUBLE;
    const char side = ob_capital(x->side), trans = ob_capital(x->trans);
    oblu_fault wrong = {0};
    if (oblu_wrong_part(a, g, &wrong) || oblu_wrong_part(c, g, &wrong) ||
        a->desc[CTXT] != c->desc[CTXT] || a->n > a->m || (side != 'L' && side != 'R') ||
        (trans != 'N' && trans != (real ? 'T' : 'C')))
        return false;
    t->a = oblu_matrix_of(a, g, x->a.local);
    t->c = oblu_matrix_of(c, g, x->c.local);
    t->left = side == 'L';
    t->adjoint = trans != 'N';
    return is_alike(&t->a, &t->c, t->left);
}

void ob_lu_apply(const ob_lu_transform *x)
{
    int64_t desc_a[LLD + 1], desc_c[LLD + 1], info;
    const char side = ob_capital(x->side), trans = ob_capital(x->trans);
    const bool right = side == 'R';
    const oblu_sub a = {right ? x->n : x->m, x->k, x->a.i, x->a.j, desc_a, right ? 4 : 3, 5, 9};
    const oblu_sub c = {x->m, x->n, x->c.i, x->c.j, desc_c, 3, 4, 14};
    oblu_widen(x->a.desc, desc_a);
    oblu_widen(x->c.desc, desc_c);
    oblu_dims g = oblu_dims_of(desc_a[CTXT]);
    transform t = {.k = oblu_kernels_of(x->type)};
    const bool real = t.k->type == OB_FLOAT || t.k->type == OB_DOUBLE;
    oblu_call call = {
        .a = &a, .b = &c, .g = &g, .scalar = {{side, 100}, {trans, 200}}, .scalars = 2};
    if (!find(&t, x, &a, &c, &g))
        call.wrong.part = OBLU_DECLINED;
    oblu_enter(t.k, real ? "ormqr" : "unmqr");
    if (!oblu_meet(&call, x->m == 0 || x->n == 0 || x->k == 0, &info))
        return;
    t.row = ob_blacs_group(desc_a[CTXT], 'R');
    t.column = ob_blacs_group(desc_a[CTXT], 'C');
    t.grid = t.left ? NULL : oblu_grid_of(&g, 'A');
    carry_out(&t, x->tau);
    bsp2d_gridexit(t.grid);
}
