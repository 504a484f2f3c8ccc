/*
 * A symmetric, or Hermitian, matrix becomes tridiagonal, T = Q^H A Q, from its lower triangle, as
 * PDSYTRD and PZHETRD leave it. A panel is some columns of a block. All processes have all of it,
 * of its reflections V, and of W: behind the panel A becomes A - V W^H - W V^H (Dongarra, Sorensen
 * and Hammarling, 1989). So a column costs one sum:
 *
 *   collect       the panel's columns, to all processes
 *   for each column
 *     computation the column, its reflection v, by all alike; and own terms of A v
 *     combine     they are summed, over all processes, and W's column follows
 *   computation   A = A - V W^H - W V^H, of own elements
 *
 * Columns of V and W stand in turn, as pairs, so that one product takes both. Rows of all that has
 * n of them here are those of the submatrix.
 */
#include "arguments.h"
#include "vectors.h"

#include "common/offer.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the four types */

/* Beside oblu_vectors. */
typedef struct triangles {
    const oblu_vectors *v;
    size_t real_bytes; /* of an element of D and E */
    /* y = y + A x, of A's lower triangle. */
    void (*symmetric)(size_t n, const void *a, size_t ld, const void *x, void *y);
    /* C = C - V W^H - W V^H in the lower triangle, of so many pairs of columns. */
    void (*rank_2)(size_t n, size_t count, const void *pairs, size_t ld, void *c, size_t ldc);
    /* W's column from y = A v: tau (y - tau / 2 (y^H v) v). */
    void (*finish)(size_t n, const void *tau, const void *v, void *y);
} triangles;

/* `symv` and `syr2k` are those of Hermitian matrices where elements are complex, of two reals. */
#define TRIANGLES(x, real, width, symv, syr2k)                                                     \
    void symv(const char *, const int *, const real *, const real *, const int *, const real *,    \
              const int *, const real *, real *, const int *, size_t);                             \
    void syr2k(const char *, const char *, const int *, const int *, const real *, const real *,   \
               const int *, const real *, const int *, const real *, real *, const int *, size_t,  \
               size_t);                                                                            \
    static const real one_##x[2] = {1, 0};                                                         \
    static void x##_symmetric(size_t n, const void *a, size_t ld, const void *v, void *y)          \
    {                                                                                              \
        const int in = (int)n, ild = (int)ld, next = 1;                                            \
        symv("L", &in, one_##x, a, &ild, v, &next, one_##x, y, &next, 1);                          \
    }                                                                                              \
    static void x##_rank_2(size_t n, size_t count, const void *pairs, size_t ld, void *c,          \
                           size_t ldc)                                                             \
    {                                                                                              \
        const int in = (int)n, ik = (int)count, ild = 2 * (int)ld, ildc = (int)ldc;                \
        const real minus[2] = {-1, 0};                                                             \
        syr2k("L", "N", &in, &ik, minus, pairs, &ild, (const real *)pairs + ld * (width), &ild,    \
              one_##x, c, &ildc, 1, 1);                                                            \
    }                                                                                              \
    static void x##_finish(size_t n, const void *tau, const void *v, void *y)                      \
    {                                                                                              \
        const real half[2] = {(real)-.5, 0};                                                       \
        real product[2] = {0, 0};                                                                  \
        oblu_vectors_##x.scale(n, tau, y);                                                         \
        oblu_vectors_##x.times('C', n, 1, 1, y, n, v, product);                                    \
        oblu_vectors_##x.scale(1, tau, product);                                                   \
        oblu_vectors_##x.scale(1, half, product);                                                  \
        oblu_vectors_##x.add(n, product, v, y);                                                    \
    }                                                                                              \
    static const triangles of_##x = {&oblu_vectors_##x, sizeof(real), x##_symmetric, x##_rank_2,   \
                                     x##_finish};
TRIANGLES(s, float, 1, ssymv_, ssyr2k_)
TRIANGLES(d, double, 1, dsymv_, dsyr2k_)
TRIANGLES(c, float, 2, chemv_, cher2k_)
TRIANGLES(z, double, 2, zhemv_, zher2k_)

static const triangles *triangles_of(char type)
{
    return type == 's' ? &of_s : type == 'd' ? &of_d : type == 'c' ? &of_c : &of_z;
}

/* ------------------------------------------------------------------ the state */

typedef struct reduction {
    const oblu_kernels *k;
    const triangles *x;
    oblu_matrix a;
    ob_group *all;
    ob_view *pieces;
    size_t n, block, ld; /* ld: of panel and pairs */
    char *panel, *pairs;
    char *arrived;   /* pieces of the panel; behind it, pairs of own rows */
    char *own, *sum; /* v's own rows, and minus what they get of A v */
    char *row;       /* W and V in one row; products with v */
    char *d, *e, *tau;
} reduction;

/* Columns j .. end - 1, of one block. */
typedef struct part {
    size_t j, end;
} part;

static char *pair(const reduction *r, size_t i, size_t column)
{
    return r->pairs + (i + column * r->ld) * r->k->bytes;
}

static bool next_rows(const reduction *r, size_t p, size_t *at, oblu_run *run)
{
    const size_t first = r->a.first_row;
    size_t global = first + *at;
    bool any = oblu_next_run(&r->a.rows, p, &global, first + r->n, run);
    run->global -= any ? first : 0;
    *at = global - first;
    return any;
}

static size_t own_rows(const reduction *r, size_t i)
{
    return oblu_own(r->k, &r->a, i, r->n, 0, 0).m;
}

static bool has_column(const reduction *r, size_t j)
{
    return oblu_owner(&r->a.columns, r->a.first_column + j) == r->a.columns.me;
}

/* At most so many from j on. */
static part part_from(const reduction *r, size_t j, size_t most)
{
    size_t end = oblu_least((j / r->block + 1) * r->block, r->n);
    return (part){j, oblu_least(end, j + most)};
}

/* The caller's next block of columns from c->end on. */
static bool next_block(const reduction *r, part *c)
{
    while (c->end < r->n) {
        *c = part_from(r, c->end, r->block);
        if (has_column(r, c->j))
            return true;
    }
    return false;
}

/* The lower triangle that such a block begins with; m is 0 where another process has it. */
static ob_view corner_of(const reduction *r, part c)
{
    return oblu_own(r->k, &r->a, c.j, c.end, c.j, c.end);
}

static ob_view below(const reduction *r, part c)
{
    return oblu_own(r->k, &r->a, c.end, r->n, c.j, c.end);
}

/* ------------------------------------------------------------------- a panel */

static void bring(reduction *r, part b)
{
    const oblu_matrix *a = &r->a;
    const size_t e = r->k->bytes, w = b.end - b.j;
    const size_t from = oblu_owner(&a->columns, a->first_column + b.j), q = a->columns.count;
    const ob_pieces all = {.views = r->pieces};
    char *room = r->arrived;
    oblu_run run;
    for (size_t p = 0; p < a->rows.count * q; p++) {
        size_t i = p / q, rows = oblu_below(&a->rows, i, a->first_row + r->n) -
                                 oblu_below(&a->rows, i, a->first_row + b.j);
        rows = p % q == from ? rows : 0;
        r->pieces[p] = bsp2d_ge(r->k->type, rows, rows ? w : 0, room, rows ? rows : 1);
        room += rows * w * e;
    }
    if (a->columns.me == from)
        r->pieces[a->rows.me * q + from] = oblu_own(r->k, a, b.j, r->n, b.j, b.end);
    if (a->rows.count * q > 1)
        oblu_must(ob_collect(r->all, &all, NULL));
    for (size_t p = 0; p < a->rows.count; p++) {
        const ob_view *piece = &r->pieces[p * q + from];
        const char *rows = piece->base;
        for (size_t i = b.j; next_rows(r, p, &i, &run); rows += run.length * e)
            oblu_copy(e, run.length, w, rows, piece->ld, r->panel + run.global * e, r->ld);
    }
}

/* Only the triangle is written. */
static void put_back(const reduction *r, part b)
{
    const size_t e = r->k->bytes;
    oblu_run run;
    if (!has_column(r, b.j))
        return;
    for (size_t j = b.j; j < b.end; j++) {
        size_t at = oblu_below(&r->a.columns, r->a.columns.me, r->a.first_column + j) * r->a.ld;
        for (size_t i = j; next_rows(r, r->a.rows.me, &i, &run);)
            memcpy(r->a.local + (run.local + at) * e,
                   r->panel + (run.global + (j - b.j) * r->ld) * e, run.length * e);
    }
}

/* The first `count` pairs of one row, conjugate, in the other order. */
static void take_row(const reduction *r, size_t i, size_t count)
{
    for (size_t j = 0; j < 2 * count; j++)
        r->k->adjoint(1, 1, pair(r, i, j ^ 1), 1, r->row + j * r->k->bytes, 1);
}

/* Own rows from i on of one column. */
static void take_own(const reduction *r, size_t i, const char *column, char *to)
{
    const size_t e = r->k->bytes;
    oblu_run run;
    while (next_rows(r, r->a.rows.me, &i, &run)) {
        memcpy(to, column + run.global * e, run.length * e);
        to += run.length * e;
    }
}

/* y gets own terms of A v, behind row j. What is below a block of columns is read twice, the second
 * time from the cache. */
static void multiply_own(const reduction *r, size_t j, const char *v, char *y)
{
    const size_t e = r->k->bytes, own = own_rows(r, j + 1);
    oblu_run run;
    take_own(r, j + 1, v, r->own);
    oblu_clear(e, own, 1, r->sum, own);
    for (part c = {0, j + 1}; next_block(r, &c);) {
        ob_view corner = corner_of(r, c), rest = below(r, c);
        size_t at = (own - rest.m) * e;
        if (corner.m)
            r->x->symmetric(corner.m, corner.base, corner.ld, v + c.j * e, y + c.j * e);
        r->x->v->times('N', rest.m, rest.n, -1, rest.base, rest.ld, v + c.j * e, r->sum + at);
        r->x->v->times('C', rest.m, rest.n, 1, rest.base, rest.ld, r->own + at, y + c.j * e);
    }
    const char *from = r->sum;
    for (size_t i = j + 1; next_rows(r, r->a.rows.me, &i, &run); from += run.length * e)
        r->k->subtract(run.length, 1, from, run.length, y + run.global * e, run.length);
}

/* And an own share of what the panel's pairs before take from it. */
static void take_pairs(const reduction *r, size_t j, size_t count, const char *v, char *y)
{
    const size_t e = r->k->bytes, n = r->n - j - 1;
    const size_t members = r->a.rows.count * r->a.columns.count;
    const size_t me = r->a.rows.me * r->a.columns.count + r->a.columns.me;
    const size_t i = j + 1 + n * me / members, end = j + 1 + n * (me + 1) / members;
    char *swapped = r->row + 2 * count * e;
    if (count == 0)
        return;
    oblu_clear(e, 2 * count, 1, r->row, 2 * count);
    r->x->v->times('C', n, 2 * count, 1, pair(r, j + 1, 0), r->ld, v + (j + 1) * e, r->row);
    for (size_t l = 0; l < 2 * count; l++)
        memcpy(swapped + l * e, r->row + (l ^ 1) * e, e);
    r->x->v->times('N', end - i, 2 * count, -1, pair(r, i, 0), r->ld, swapped, y + i * e);
}

static void keep(const reduction *r, size_t j, const char *column, const char *tau)
{
    const size_t e = r->k->bytes, real = r->x->real_bytes;
    if (!has_column(r, j))
        return;
    const size_t at = oblu_below(&r->a.columns, r->a.columns.me, r->a.first_column + j);
    memcpy(r->d + at * real, column, real); /* the real part is the first */
    memcpy(r->tau + at * e, tau, e);
    if (j + 1 < r->n) /* E is one shorter */
        memcpy(r->e + at * real, column + e, real);
}

/* Column j, of which `count` stand before it in the panel. */
static void reduce_column(reduction *r, size_t j, size_t count)
{
    const size_t e = r->k->bytes, n = r->n - j - 1;
    char *column = r->panel + (j + count * r->ld) * e;
    char *v = pair(r, 0, 2 * count), *w = pair(r, 0, 2 * count + 1);
    double complex tau = 0;
    take_row(r, j, count);
    r->x->v->times('N', n + 1, 2 * count, -1, pair(r, j, 0), r->ld, r->row, column);
    memset(column + r->x->real_bytes, 0, e - r->x->real_bytes); /* the diagonal is real */
    if (n) {
        r->x->v->reflect(n, column + e, &tau);
        r->k->put(1, v + (j + 1) * e);
        memcpy(v + (j + 2) * e, column + 2 * e, (n - 1) * e);
        oblu_clear(e, n, 1, w + (j + 1) * e, n);
    }
    if (n > 1) { /* one element alone stays as it is, whatever its reflection */
        ob_view sum = bsp2d_ge(r->k->type, n, 1, w + (j + 1) * e, n);
        multiply_own(r, j, v, w);
        take_pairs(r, j, count, v, w);
        if (r->a.rows.count * r->a.columns.count > 1)
            oblu_must(ob_combine(r->all, OB_ANY, OB_SUM, &sum, NULL, 0, NULL));
        r->x->finish(n, &tau, v + (j + 1) * e, w + (j + 1) * e);
    }
    keep(r, j, column, (const char *)&tau);
}

static void update(const reduction *r, part b)
{
    const size_t e = r->k->bytes, count = b.end - b.j, own = own_rows(r, b.end);
    double minus[2];
    r->k->put(-1, minus);
    for (size_t l = 0; l < 2 * count; l++) /* what stands there is no longer needed */
        take_own(r, b.end, pair(r, 0, l ^ 1), r->arrived + l * own * e);
    for (part c = {0, b.end}; next_block(r, &c);) {
        ob_view corner = corner_of(r, c), rest = below(r, c);
        if (corner.m)
            r->x->rank_2(corner.m, count, pair(r, c.j, 0), r->ld, corner.base, corner.ld);
        if (rest.m)
            r->k->product('N', 'C', rest.m, rest.n, 2 * count, minus,
                          r->arrived + (own - rest.m) * e, own, pair(r, c.j, 0), r->ld, NULL,
                          rest.base, rest.ld);
    }
}

static void carry_out(reduction *r)
{
    const size_t e = r->k->bytes, own = own_rows(r, 0), w = oblu_least(r->block, OBLU_PANEL);
    r->ld = oblu_odd_ld(r->n);
    oblu_keep((oblu_piece[]){{&r->panel, r->ld * w * e},
                             {&r->pairs, r->ld * 2 * w * e},
                             {&r->arrived, (2 * own > r->n ? 2 * own : r->n) * w * e},
                             {&r->own, own * e},
                             {&r->sum, own * e},
                             {&r->row, 4 * w * e}},
              6);
    r->pieces = oblu_room(r->a.rows.count * r->a.columns.count, sizeof *r->pieces);
    for (size_t next = 0; next < r->n;) {
        const part b = part_from(r, next, w);
        bring(r, b);
        for (size_t j = b.j; j < b.end; j++)
            reduce_column(r, j, j - b.j);
        put_back(r, b);
        update(r, b);
        next = b.end;
    }
    free(r->pieces);
    oblu_kept_no_more();
}

/* -------------------------------------------------------------------- calls */

/* False: it is ScaLAPACK's to carry out or to refuse. */
static bool find(reduction *r, const ob_lu_tridiagonal *t, const oblu_sub *a, const oblu_dims *g)
{
    oblu_fault wrong = {0};
    if (oblu_wrong_part(a, g, &wrong) || ob_capital(t->uplo) != 'L')
        return false;
    r->a = oblu_matrix_of(a, g, t->a.local);
    r->n = r->a.n;
    r->block = r->a.rows.block;
    return oblu_begins_square(&r->a);
}

void ob_lu_reduce(const ob_lu_tridiagonal *t)
{
    int64_t desc[LLD + 1], info;
    const oblu_sub a = {t->n, t->n, t->a.i, t->a.j, desc, 2, 2, 6};
    oblu_widen(t->a.desc, desc);
    oblu_dims g = oblu_dims_of(desc[CTXT]);
    reduction r = {.k = oblu_kernels_of(t->type),
                   .x = triangles_of(t->type),
                   .d = t->d,
                   .e = t->e,
                   .tau = t->tau};
    oblu_call call = {.a = &a, .g = &g, .scalar = {{ob_capital(t->uplo), 100}}, .scalars = 1};
    if (!find(&r, t, &a, &g))
        call.wrong.part = OBLU_DECLINED;
    oblu_enter(r.k, r.x->real_bytes == r.k->bytes ? "sytrd" : "hetrd");
    if (!oblu_meet(&call, t->n == 0, &info))
        return;
    r.all = oblu_group_of(&g, 'A');
    carry_out(&r);
}
