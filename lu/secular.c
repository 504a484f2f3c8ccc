/*
 * The secular equation of divide and conquer, as PDLAED3 solves it: eigenvalues and eigenvectors of
 * D + rho w w^T. A process solves for a share of the eigenvalues, each once, and tells it by the
 * nearest element of D and how far it is above that. From these all have every difference between
 * an element of D and an eigenvalue to nearly full relative accuracy:
 *
 *   computation   own eigenvalues
 *   collect       what tells them, to all processes
 *   computation   own elements of z, of which D + rho z z^T has just these eigenvalues, so that
 *                 the vectors are orthogonal (Gu and Eisenstat, 1994)
 *   collect       z, to all processes
 *   computation   own elements of the vectors
 */
#include "arguments.h"

#include "common/fault.h"
#include "common/offer.h"

#include <math.h>
#include <stdlib.h>

/* What tells eigenvalue i: how far it is above D's element i + FROM, and its value. FROM is 0 or 1;
 * FAILED is added where LAPACK did not find it. */
enum { ABOVE, FROM, VALUE, TELLS, FAILED = 2 };
/* Of up to so many LAPACK tells the vectors in place of the differences. */
enum { FEW = 2 };

/* Elements of a vector that are the caller's, and where its column has them. */
typedef struct own_places {
    size_t count, *index, *place;
} own_places;

typedef struct equation {
    size_t k;
    const void *d, *w, *rho;
    char *tells, *z, *vector; /* vector: of k elements */
} equation;

/* --------------------------------------------------------- the two real types */

typedef struct numbers {
    /* Eigenvalue i, and, of up to FEW, its vector; of more, the differences. False: not found. */
    bool (*root)(const equation *e, size_t i, void *value);
    void (*solve)(const equation *e, size_t i);
    /* Its value becomes *to; false where it was not found. */
    bool (*tell)(const equation *e, size_t i, void *to);
    /* Elements begin .. end - 1 of z. */
    void (*weigh)(const equation *e, size_t begin, size_t end);
    /* The vector of eigenvalue i; returns its length. */
    double (*find)(const equation *e, size_t i);
    /* Own elements of the vector, which is so long, go to their places in a column. */
    void (*put)(const equation *e, double length, const own_places *rows, void *column);
} numbers;

#define NUMBERS(x, real, absolute, square_root)                                                    \
    void x##laed4_(const int *, const int *, const real *, const real *, real *, const real *,     \
                   real *, int *);                                                                 \
    static bool x##_root(const equation *e, size_t i, void *value)                                 \
    {                                                                                              \
        const int k = (int)e->k, number = (int)i + 1;                                              \
        int info = 0;                                                                              \
        x##laed4_(&k, &number, e->d, e->w, (real *)e->vector, e->rho, value, &info);               \
        return info == 0;                                                                          \
    }                                                                                              \
    static void x##_solve(const equation *e, size_t i)                                             \
    {                                                                                              \
        const real *far = (real *)e->vector;                                                       \
        real *tells = (real *)e->tells + TELLS * i;                                                \
        bool found = x##_root(e, i, &tells[VALUE]);                                                \
        bool next = i + 1 < e->k && absolute(far[i + 1]) < absolute(far[i]);                       \
        tells[ABOVE] = -far[i + next];                                                             \
        tells[FROM] = (real)(next + (found ? 0 : FAILED));                                         \
    }                                                                                              \
    static bool x##_tell(const equation *e, size_t i, void *to)                                    \
    {                                                                                              \
        const real *tells = (real *)e->tells + TELLS * i;                                          \
        *(real *)to = tells[VALUE];                                                                \
        return tells[FROM] < FAILED;                                                               \
    }                                                                                              \
    static real x##_nearest(const equation *e, size_t i)                                           \
    {                                                                                              \
        return ((const real *)e->d)[i + (size_t)((real *)e->tells)[TELLS * i + FROM] % FAILED];    \
    }                                                                                              \
    static void x##_weigh(const equation *e, size_t begin, size_t end)                             \
    {                                                                                              \
        const real *restrict d = e->d, *w = e->w, *tells = (real *)e->tells;                       \
        real *restrict z = (real *)e->z;                                                           \
        for (size_t j = begin; j < end; j++)                                                       \
            z[j] = (d[j] - x##_nearest(e, j)) - tells[TELLS * j + ABOVE];                          \
        for (size_t i = 0; i < e->k; i++) {                                                        \
            const real at = d[i], nearest = x##_nearest(e, i), above = tells[TELLS * i + ABOVE];   \
            for (size_t j = begin; j < oblu_least(end, i); j++)                                    \
                z[j] *= ((d[j] - nearest) - above) / (d[j] - at);                                  \
            for (size_t j = i < begin ? begin : i + 1; j < end; j++)                               \
                z[j] *= ((d[j] - nearest) - above) / (d[j] - at);                                  \
        }                                                                                          \
        for (size_t j = begin; j < end; j++)                                                       \
            z[j] = w[j] < 0 ? -square_root(-z[j]) : square_root(-z[j]);                            \
    }                                                                                              \
    static double x##_find(const equation *e, size_t i)                                            \
    {                                                                                              \
        const real *restrict d = e->d, *z = (real *)e->z;                                          \
        const real nearest = x##_nearest(e, i), above = ((real *)e->tells)[TELLS * i + ABOVE];     \
        real *restrict v = (real *)e->vector;                                                      \
        double squares[4] = {0}; /* each of fewer terms: less is lost by rounding */               \
        for (size_t j = 0; j < e->k; j++) {                                                        \
            v[j] = z[j] / ((d[j] - nearest) - above);                                              \
            squares[j % 4] += (double)v[j] * (double)v[j];                                         \
        }                                                                                          \
        return sqrt(squares[0] + squares[1] + squares[2] + squares[3]);                            \
    }                                                                                              \
    static void x##_put(const equation *e, double length, const own_places *rows, void *column)    \
    {                                                                                              \
        const real *v = (real *)e->vector;                                                         \
        for (size_t l = 0; l < rows->count; l++)                                                   \
            ((real *)column)[rows->place[l]] = v[rows->index[l]] / (real)length;                   \
    }                                                                                              \
    static const numbers of_##x = {x##_root, x##_solve, x##_tell, x##_weigh, x##_find, x##_put};
NUMBERS(s, float, fabsf, sqrtf)
NUMBERS(d, double, fabs, sqrt)

/* ------------------------------------------------------------------ one equation */

/* Numbers below `k` that are those of processes before p of `count`. */
static size_t share(size_t k, size_t p, size_t count)
{
    return k * p / count;
}

/* Columns of so many rows, of which each process has its share, to all. */
static void spread(ob_group *all, ob_type type, size_t bytes, size_t height, size_t k,
                   char *columns)
{
    const size_t count = (size_t)ob_group_size(all);
    ob_view *views = oblu_room(count, sizeof *views);
    for (size_t p = 0; p < count; p++) {
        size_t begin = share(k, p, count), end = share(k, p + 1, count);
        views[p] = bsp2d_ge(type, height, end - begin, columns + begin * height * bytes, height);
    }
    if (count > 1)
        oblu_must(ob_collect(all, &(ob_pieces){.views = views}, NULL));
    free(views);
}

/* Which of the first k entries of `order`, one-based, are the caller's along an axis. */
static void take_own(own_places *x, const oblu_axis *axis, const int *order, size_t k)
{
    x->count = 0;
    for (size_t i = 0; i < k; i++) {
        size_t at = (size_t)order[i] - 1;
        if (oblu_owner(axis, at) != axis->me)
            continue;
        x->index[x->count] = i;
        x->place[x->count++] = oblu_below(axis, axis->me, at);
    }
}

/* Returns the number of an eigenvalue that was not found, or 0. */
static int carry_out(const ob_lu_secular *s, const equation *q, const oblu_dims *g,
                     const own_places *rows, const own_places *columns)
{
    const oblu_kernels *kernels = oblu_kernels_of(s->type);
    const numbers *x = s->type == 's' ? &of_s : &of_d;
    const size_t e = kernels->bytes;
    ob_group *all = oblu_group_of(g, 'A');
    const size_t me = (size_t)ob_group_me(all), count = (size_t)ob_group_size(all);
    const size_t begin = share(q->k, me, count), end = share(q->k, me + 1, count);
    double value, length = 1;
    int info = 0;
    if (q->k > FEW) {
        for (size_t i = begin; i < end; i++)
            x->solve(q, i);
        spread(all, kernels->type, e, TELLS, q->k, q->tells);
        x->weigh(q, begin, end);
        spread(all, kernels->type, e, 1, q->k, q->z);
    }
    for (size_t i = 0; i < q->k; i++)
        if (!(q->k > FEW ? x->tell : x->root)(q, i, (char *)s->d + ((size_t)s->order[i] - 1) * e))
            info = (int)i + 1;
    for (size_t l = 0; l < columns->count; l++) {
        if (q->k > FEW)
            length = x->find(q, columns->index[l]);
        else
            x->root(q, columns->index[l], &value);
        x->put(q, length, rows, (char *)s->u + columns->place[l] * (size_t)s->ldu * e);
    }
    return info;
}

int ob_lu_solve_secular(const ob_lu_secular *s, int *info)
{
    const oblu_dims g = oblu_dims_of(s->context);
    if (g.rows < 1 || ob_fault_together() || s->k < 1 || s->block < 1)
        return 0;
    const size_t k = (size_t)s->k, e = oblu_kernels_of(s->type)->bytes, block = (size_t)s->block;
    const oblu_axis of_rows = {block, (size_t)s->row, (size_t)g.rows, (size_t)g.row};
    const oblu_axis of_columns = {block, (size_t)s->column, (size_t)g.columns, (size_t)g.column};
    equation q = {.k = k, .d = s->dlamda, .w = s->w, .rho = s->rho, .z = s->z};
    char *list[4];
    oblu_keep((oblu_piece[]){{&q.tells, TELLS * k * e},
                             {&q.vector, k * e},
                             {&list[0], k * sizeof(size_t)},
                             {&list[1], k * sizeof(size_t)},
                             {&list[2], k * sizeof(size_t)},
                             {&list[3], k * sizeof(size_t)}},
              6);
    own_places rows = {0, (size_t *)list[0], (size_t *)list[1]};
    own_places columns = {0, (size_t *)list[2], (size_t *)list[3]};
    take_own(&rows, &of_rows, s->order, k);
    take_own(&columns, &of_columns, s->order, k);
    *info = carry_out(s, &q, &g, &rows, &columns);
    oblu_kept_no_more();
    return 1;
}
