/*
 * Singular values and vectors of a bidiagonal matrix, as PDGESVD needs them between PDGEBRD and
 * PDORMBR. PDGESVD has every process find all values in the QR iteration, and apply all of its
 * rotations to own rows of the vectors (DBDSQR): 2 n^2 of them pass through the caches one sweep
 * at a time. Here the first process divides and conquers (DBDSDC; Gu and Eisenstat, 1995), which is
 * products of matrices, while the last one has the values alone from DBDSQR: small ones have as
 * many right digits as in PDGESVD. Then each gets its blocks of the vectors.
 */
#include "arguments.h"
#include "vectors.h"

#include "common/offer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------- the two real types */

typedef struct values {
    /* No element of A is larger, and none of the largest smaller; else it is to be scaled. */
    double least, most;
    /* The largest of n elements; infinity where one is no number, or infinite. */
    double (*largest)(size_t n, const void *x);
    /* D becomes the values; return LAPACK's info. work: 3 n^2 + 4 n elements and 8 n integers. */
    int (*divide)(char uplo, size_t n, void *d, void *e, void *u, void *vt, size_t ld, void *work,
                  int *places);
    /* work: 4 n elements. */
    int (*iterate)(char uplo, size_t n, void *d, void *e, void *work);
    double (*number)(const void *x);
} values;

#define VALUES(x, real, low, high)                                                                 \
    void x##bdsdc_(const char *, const char *, const int *, real *, real *, real *, const int *,   \
                   real *, const int *, real *, int *, real *, int *, int *, size_t, size_t);      \
    void x##bdsqr_(const char *, const int *, const int *, const int *, const int *, real *,       \
                   real *, real *, const int *, real *, const int *, real *, const int *, real *,  \
                   int *, size_t);                                                                 \
    static double x##_largest(size_t n, const void *elements)                                      \
    {                                                                                              \
        const real *v = elements;                                                                  \
        real most = 0, nothing = 0;                                                                \
        for (size_t i = 0; i < n; i++) {                                                           \
            real size = v[i] < 0 ? -v[i] : v[i];                                                   \
            most = size > most ? size : most;                                                      \
            nothing += v[i] * 0;                                                                   \
        }                                                                                          \
        return nothing == 0 ? (double)most : INFINITY;                                             \
    }                                                                                              \
    static int x##_divide(char uplo, size_t n, void *d, void *e, void *u, void *vt, size_t ld,     \
                          void *work, int *places)                                                 \
    {                                                                                              \
        const int in = (int)n, ild = (int)ld;                                                      \
        int info = 0;                                                                              \
        x##bdsdc_(&uplo, "I", &in, d, e, u, &ild, vt, &ild, NULL, NULL, work, places, &info, 1,    \
                  1);                                                                              \
        return info;                                                                               \
    }                                                                                              \
    static int x##_iterate(char uplo, size_t n, void *d, void *e, void *work)                      \
    {                                                                                              \
        const int in = (int)n, none = 0, one = 1;                                                  \
        real vectors[1];                                                                           \
        int info = 0;                                                                              \
        x##bdsqr_(&uplo, &in, &none, &none, &none, d, e, vectors, &one, vectors, &one, vectors,    \
                  &one, work, &info, 1);                                                           \
        return info;                                                                               \
    }                                                                                              \
    static double x##_number(const void *element)                                                  \
    {                                                                                              \
        return *(const real *)element;                                                             \
    }                                                                                              \
    static const values of_##x = {low, high, x##_largest, x##_divide, x##_iterate, x##_number};
/* In PDGESVD of the one-norm: (safe minimum / precision)^1/2, and safe minimum^-1/4. */
VALUES(s, float, 1e-15, 1e9)
VALUES(d, double, 1e-145, 1e76)

/* ------------------------------------------------------------------ the state */

typedef struct decomposition {
    const oblu_kernels *k;
    const values *x;
    oblu_matrix a, u, vt;
    ob_group *all;
    size_t n;  /* of the bidiagonal matrix */
    size_t ld; /* at the first process, of all vectors */
    char uplo;
    char *d, *e;        /* on all; and what the last process makes of them */
    char *left, *right; /* at the first process */
    char *work;
    char *news; /* the values, and info of both */
} decomposition;

static bool is_first(const decomposition *r)
{
    return ob_group_me(r->all) == 0;
}

static bool is_last(const decomposition *r)
{
    return ob_group_me(r->all) + 1 == ob_group_size(r->all);
}

/* ------------------------------------------------------- the bidiagonal matrix */

/* `count` elements that are dealt out as the submatrix's columns, or rows, which have them at
 * `own`. */
static void take_own(const decomposition *r, const oblu_axis *x, size_t count, const char *own,
                     char *to)
{
    const size_t e = r->k->bytes;
    oblu_run run;
    for (size_t at = 0; oblu_next_run(x, x->me, &at, count, &run);)
        memcpy(to + run.global * e, own + run.local * e, run.length * e);
}

/* Of n x n and below, D stands with the columns and E with the rows; else the other way round. All
 * others of a process row, or column, have the same: the first one says it. */
static void bring(const decomposition *r, const void *d, const void *e)
{
    const oblu_axis *rows = &r->a.rows, *columns = &r->a.columns;
    const bool upper = r->uplo == 'U';
    const oblu_axis *with_d = upper ? columns : rows, *with_e = upper ? rows : columns;
    ob_view both = bsp2d_ge(r->k->type, 2 * r->n, 1, r->d, 2 * r->n);
    oblu_clear(r->k->bytes, 2 * r->n, 1, r->d, 2 * r->n);
    if (with_e->me == 0)
        take_own(r, with_d, r->n, d, r->d);
    if (with_d->me == 0)
        take_own(r, with_e, r->n - 1, e, r->e);
    oblu_must(ob_combine(r->all, OB_ANY, OB_SUM, &both, NULL, 0, NULL));
}

/* Who has nothing to do with it adds zeros. */
static void find_values(const decomposition *r)
{
    const size_t e = r->k->bytes, n = r->n;
    ob_view news = bsp2d_ge(r->k->type, n + 2, 1, r->news, n + 2);
    oblu_clear(e, n + 2, 1, r->news, n + 2);
    if (is_last(r)) {
        char *d = r->news, *beside = r->work, *work = beside + n * e;
        memcpy(d, r->d, n * e);
        memcpy(beside, r->e, n * e);
        r->k->put(r->x->iterate(r->uplo, n, d, beside, work), r->news + n * e);
    }
    if (is_first(r)) {
        int *places = oblu_room(8 * n, sizeof *places);
        r->k->put(r->x->divide(r->uplo, n, r->d, r->e, r->left, r->right, r->ld, r->work, places),
                  r->news + (n + 1) * e);
        free(places);
    }
    oblu_must(ob_combine(r->all, OB_ANY, OB_SUM, &news, NULL, 0, NULL));
}

/* ---------------------------------------------------------------- the vectors */

/* What process (p, q) has of the first n rows and columns of x, one column behind the other. */
static void pack(const decomposition *r, const oblu_matrix *x, size_t p, size_t q,
                 const char *whole, char *to)
{
    const size_t e = r->k->bytes, ld = oblu_below(&x->rows, p, r->n);
    oblu_run rows, columns;
    for (size_t j = 0; oblu_next_run(&x->columns, q, &j, r->n, &columns);)
        for (size_t i = 0; oblu_next_run(&x->rows, p, &i, r->n, &rows);)
            oblu_copy(e, rows.length, columns.length,
                      whole + (rows.global + columns.global * r->ld) * e, r->ld,
                      to + (rows.local + columns.local * ld) * e, ld);
}

/* The first n rows and columns of x become `whole`, which the first process has, and the others
 * zero. */
static void spread(const decomposition *r, const oblu_matrix *x, const char *whole)
{
    const size_t across = x->columns.count, members = x->rows.count * across;
    size_t *counts = oblu_room(members, sizeof *counts), at = 0;
    const ob_pieces pieces = {.base = r->work, .type = r->k->type, .counts = counts};
    const ob_view mine = oblu_own(r->k, x, 0, r->n, 0, r->n),
                  below = oblu_own(r->k, x, r->n, x->m, 0, r->n),
                  beside = oblu_own(r->k, x, 0, r->n, r->n, x->n);
    for (size_t i = 0; i < members; i++) {
        const size_t p = i / across, q = i % across;
        counts[i] = oblu_below(&x->rows, p, r->n) * oblu_below(&x->columns, q, r->n);
        if (is_first(r))
            pack(r, x, p, q, whole, r->work + at * r->k->bytes);
        at += counts[i];
    }
    oblu_must(ob_scatter(r->all, 0, &pieces, &mine, NULL));
    oblu_clear(r->k->bytes, below.m, below.n, below.base, below.ld);
    oblu_clear(r->k->bytes, beside.m, beside.n, beside.base, beside.ld);
    free(counts);
}

/* -------------------------------------------------------------------- calls */

static bool are_alike(const oblu_axis *x, const oblu_axis *y)
{
    return x->block == y->block && x->source == y->source;
}

/* In ScaLAPACK it may be that A begins elsewhere in its array, and that the other two do. */
static bool find(decomposition *r, const ob_lu_singular *s, const oblu_sub x[3], const oblu_dims *g)
{
    oblu_fault wrong = {0};
    for (int i = 0; i < 3; i++)
        if (x[i].m_place && (oblu_wrong_part(&x[i], g, &wrong) || x[i].i != 1 || x[i].j != 1 ||
                             x[i].desc[CTXT] != x[0].desc[CTXT]))
            return false;
    r->a = oblu_matrix_of(&x[0], g, s->a.local);
    r->u = oblu_matrix_of(&x[1], g, s->u.local);
    r->vt = oblu_matrix_of(&x[2], g, s->vt.local);
    return r->a.rows.block == r->a.columns.block &&
           (!s->u.desc || are_alike(&r->u.rows, &r->a.rows)) &&
           (!s->vt.desc || are_alike(&r->vt.columns, &r->a.columns));
}

/* The arguments of a call; x[i].desc is desc[i], of zeros where that one is not wanted. False: it
 * is ScaLAPACK's. */
static bool look(decomposition *r, const ob_lu_singular *s, oblu_sub x[3], int64_t desc[3][LLD + 1],
                 oblu_dims *g)
{
    const ob_lu_part *part[3] = {&s->a, &s->u, &s->vt};
    const int64_t least = s->m < s->n ? s->m : s->n;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= LLD; j++)
            desc[i][j] = part[i]->desc ? part[i]->desc[j] : 0;
        x[i] = (oblu_sub){.desc = desc[i], .desc_place = i ? 4 * i + 9 : 8};
        if (!part[i]->desc)
            continue;
        x[i] = (oblu_sub){
            i < 2 ? s->m : least, i == 1 ? least : s->n, part[i]->i, part[i]->j, desc[i], 3, 4,
            x[i].desc_place};
    }
    *g = oblu_dims_of(desc[0][CTXT]);
    *r = (decomposition){.k = oblu_kernels_of(s->type),
                         .x = s->type == 's' ? &of_s : &of_d,
                         .uplo = s->m >= s->n ? 'U' : 'L'};
    return find(r, s, x, g);
}

/* Where PDGESVD scales A, or there is nothing in it. */
static bool is_extreme(const decomposition *r)
{
    const ob_view own = oblu_own(r->k, &r->a, 0, r->a.m, 0, r->a.n);
    double most = 0;
    ob_view all = bsp2d_ge(OB_DOUBLE, 1, 1, &most, 1);
    for (size_t j = 0; j < own.n; j++)
        most = fmax(most, r->x->largest(own.m, (const char *)own.base + j * own.ld * r->k->bytes));
    oblu_must(ob_combine(r->all, OB_ANY, OB_MAX, &all, NULL, 0, NULL));
    return most < r->x->least || most * (double)r->a.m > r->x->most;
}

void ob_lu_may_decompose(const ob_lu_singular *s)
{
    int64_t desc[3][LLD + 1], info;
    oblu_sub x[3];
    oblu_dims g;
    decomposition r;
    const bool right = look(&r, s, x, desc, &g);
    const oblu_call call = {
        .a = &x[0], .b = &x[1], .c = &x[2], .g = &g, .wrong.part = right ? 0 : OBLU_DECLINED};
    oblu_enter(r.k, "gesvd");
    if (!oblu_meet(&call, false, &info))
        return;
    r.all = oblu_group_of(&g, 'A');
    if (is_extreme(&r))
        oblu_offer_refuse(&info);
}

int ob_lu_decompose(const ob_lu_singular *s, const void *d, const void *e)
{
    int64_t desc[3][LLD + 1];
    oblu_sub x[3];
    oblu_dims g;
    decomposition r;
    look(&r, s, x, desc, &g);
    oblu_enter(r.k, "gesvd");
    r.all = oblu_group_of(&g, 'A');
    r.n = oblu_least(r.a.m, r.a.n);
    r.ld = oblu_odd_ld(r.n);
    const size_t bytes = r.k->bytes, whole = is_first(&r) ? r.ld * r.n * bytes : 0;
    oblu_keep((oblu_piece[]){{&r.d, 2 * r.n * bytes},
                             {&r.left, whole},
                             {&r.right, whole},
                             {&r.work, ((is_first(&r) ? 3 * r.n * r.n : r.n) + 4 * r.n) * bytes},
                             {&r.news, (r.n + 2) * bytes}},
              5);
    r.e = r.d + r.n * bytes;
    bring(&r, d, e);
    find_values(&r);
    if (s->u.desc)
        spread(&r, &r.u, r.left);
    if (s->vt.desc)
        spread(&r, &r.vt, r.right);
    memcpy(s->s, r.news, r.n * bytes);
    const int failed[2] = {(int)r.x->number(r.news + r.n * bytes),
                           (int)r.x->number(r.news + (r.n + 1) * bytes)};
    oblu_kept_no_more();
    return failed[1] ? failed[1] : failed[0];
}
