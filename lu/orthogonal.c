/*
 * QR factorisation and least squares, for what programs call (routines.c).
 */
#include "arguments.h"

#include <float.h>
#include <stdlib.h>

/* Where one process factors a block, with 3 m w^2 flops, while each does some 4 m n w / p, the
 * others would wait for it on many processes, but for narrower blocks, of n / (2 p) columns
 * (bench/sim/lu.md). */
static size_t block_of_one(const oblu_matrix *a)
{
    enum { LARGE = 1400 };
    size_t usual = oblu_narrow_block(a, LARGE), least = a->m < a->n ? a->m : a->n;
    size_t fair = least / (2 * a->rows.count * a->columns.count) / OBLU_NARROW * OBLU_NARROW;
    if (oblu_block_is_set() || fair >= usual)
        return usual;
    return fair > OBLU_NARROW ? fair : usual < OBLU_NARROW ? usual : OBLU_NARROW;
}

/* Each column of a block takes a reduction. One of two rows costs less than to gather a block and
 * to spread it in two phases, which more than two columns ask for. */
static bool columns_factor(const oblu_matrix *a)
{
    return oblu_has_many_rows(a) || (a->rows.count == 2 && a->columns.count > 2);
}

/* For a process column: the distribution's block, or what divides it into equal ones, since a
 * column works with all that follow in its block one at a time. */
static size_t block_of_column(const oblu_matrix *a)
{
    enum { LEAST = 16, MOST = 32 };
    size_t nb = a->columns.block, block = nb < MOST ? nb : MOST;
    if (oblu_block_is_set())
        return oblu_narrow_block(a, 0);
    while (nb % block)
        block--;
    return block < LEAST ? nb : block;
}

/* By the process columns or by one process. All call. */
static oblu_way way_for(const oblu_dims *g, const oblu_matrix *a)
{
    const char down = a->crossed ? 'R' : 'C', across = a->crossed ? 'C' : 'R';
    size_t together = block_of_column(a);
    oblu_way way = {.block = block_of_one(a), .measured = oblu_measures()};
    if (oblu_together(a, together, columns_factor(a))) {
        way.block = together;
        way.column = oblu_grid_of(g, down);
        way.down = a->rows.count > 2 ? oblu_group_of(g, down) : NULL;
        way.row = oblu_group_of(g, across);
    } else {
        way.offers = oblu_grid_of(g, 'A');
    }
    return way;
}

static void close_way(oblu_way *way)
{
    bsp2d_gridexit(way->column);
    bsp2d_gridexit(way->offers);
}

/* Below these one process was faster, beside one other and beside more (bench/lu.md). */
static const size_t small[] = {64, 160};

int64_t oblu_geqrf(const oblu_kernels *k, int64_t m, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca, void *tau, void *work, int64_t lwork)
{
    oblu_sub x = {m, n, ia, ja, desca, 1, 2, 6};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    bool asks = lwork == -1;
    oblu_call c = {.names = "M N A IA JA DESCA TAU WORK LWORK INFO",
                   .a = &x,
                   .g = &g,
                   .scalar = {{asks, 900}},
                   .scalars = 1};
    oblu_matrix matrix = oblu_matrix_of(&x, &g, a);
    oblu_task task = {.k = k, .kind = OBLU_QR, .factors = true, .a = &matrix, .tau = tau};
    int64_t info;
    oblu_enter(k, "geqrf");
    if (!oblu_wrong_part(&x, &g, &c.wrong) && !asks && lwork < 1)
        oblu_wrong(&c.wrong, 900, "is %" PRId64 ", must be at least 1, or -1 to ask", lwork);
    bool goes_on = oblu_meet_for(&c, &task, small, 0, asks || m == 0 || n == 0, &info);
    if (info == 0)
        k->put(1, work);
    if (!goes_on)
        return info;
    oblu_way way = way_for(&g, &matrix);
    bsp2d_grid *grid = way.row && !way.measured ? NULL : oblu_grid_of(&g, 'A');
    bsp_lu_parts parts = {0};
    oblu_qr(k, grid, &matrix, &way, tau, NULL, NULL, &parts);
    oblu_note(&parts);
    close_way(&way);
    bsp2d_gridexit(grid);
    return 0;
}

/* ------------------------------------------------------------- least squares */

/* A, and B with as many rows as the longer side of A. */
typedef struct equations {
    const oblu_kernels *k;
    bsp2d_grid *grid;
    const oblu_dims *g;
    oblu_matrix a, b;
    bool adjoint;         /* A^H X = B */
    int a_power, b_power; /* A and B are multiplied by these powers of 2 */
} equations;

static ob_view rows_of(const oblu_kernels *k, const oblu_matrix *x, size_t i, size_t end)
{
    return oblu_own(k, x, i, end, 0, x->n);
}

static void clear(const oblu_kernels *k, ob_view v)
{
    oblu_clear(k->bytes, v.m, v.n, v.base, v.ld);
}

static double largest(const oblu_kernels *k, ob_view v)
{
    double most = 0, size;
    for (size_t j = 0; j < v.n && v.m; j++) {
        k->largest(v.m, (char *)v.base + j * v.ld * k->bytes, 1, &size);
        most = size > most ? size : most;
    }
    return most;
}

/* Where sums of squares of elements of at most `size` might leave the range of the type. */
static int power_for(const oblu_kernels *k, double size)
{
    bool narrow = k->type == OB_FLOAT || k->type == OB_COMPLEX;
    return oblu_power_for(size, narrow ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON);
}

static void scale(const oblu_kernels *k, ob_view v, int power)
{
    oblu_times_power(k, v.m, v.n, v.base, v.ld, power);
}

/* False where A is zero. */
static bool scale_system(equations *s, size_t rows_of_b)
{
    ob_view a = rows_of(s->k, &s->a, 0, s->a.m), b = rows_of(s->k, &s->b, 0, rows_of_b);
    double sizes[] = {largest(s->k, a), largest(s->k, b)};
    ob_view both = bsp2d_ge(OB_DOUBLE, 2, 1, sizes, 2);
    bsp2d_reduce(s->grid, 'A', OB_MAX_ABS, &both, NULL, 0);
    s->a_power = power_for(s->k, sizes[0]);
    s->b_power = power_for(s->k, sizes[1]);
    scale(s->k, a, s->a_power);
    scale(s->k, b, s->b_power);
    return sizes[0] != 0;
}

/* X^H where X lies: every process has its own part, adjoint, so nothing travels. */
static oblu_matrix room_for_adjoint(const oblu_kernels *k, const oblu_matrix *x)
{
    oblu_matrix t = {.rows = x->columns,
                     .columns = x->rows,
                     .crossed = !x->crossed,
                     .first_row = x->first_column % x->columns.block,
                     .first_column = x->first_row % x->rows.block,
                     .m = x->n,
                     .n = x->m};
    t.rows.source = oblu_owner(&x->columns, x->first_column);
    t.columns.source = oblu_owner(&x->rows, x->first_row);
    size_t m = oblu_below(&t.rows, t.rows.me, t.first_row + t.m);
    size_t n = oblu_below(&t.columns, t.columns.me, t.first_column + t.n);
    t.ld = m ? m : 1;
    t.local = oblu_room(t.ld * n, k->bytes);
    return t;
}

static void adjoin_own(const oblu_kernels *k, const oblu_matrix *from, const oblu_matrix *to)
{
    ob_view x = rows_of(k, from, 0, from->m), y = rows_of(k, to, 0, to->m);
    if (x.m && x.n)
        k->adjoint(x.m, x.n, x.base, x.ld, y.base, y.ld);
}

/* A matrix for B, whose rows are distributed as those of A^H where A lies. The right-hand sides
 * keep their blocks: each process row that has some needs all of Q. */
static oblu_matrix room_for_sides(const equations *s, const oblu_matrix *adjoint)
{
    oblu_matrix t = *adjoint;
    t.columns = (oblu_axis){
        .block = s->b.columns.block, .count = adjoint->columns.count, .me = adjoint->columns.me};
    t.first_column = 0;
    t.n = s->b.n;
    t.local = oblu_room(t.ld * oblu_below(&t.columns, t.columns.me, t.n), s->k->bytes);
    return t;
}

/* Of a matrix with at least as many rows as columns: what is nearest to solving A X = B, or the
 * least X that solves A^H X = B. */
static void solve_tall(const equations *s, const oblu_matrix *a, const oblu_matrix *b, bool nearest)
{
    size_t e = s->k->bytes, n = a->n;
    oblu_way way = way_for(s->g, a);
    oblu_blocks blocks = {.width = way.block < n ? way.block : n};
    bsp_lu_parts parts = {0};
    blocks.t = oblu_room(n * blocks.width, e);
    blocks.r = oblu_room(n * blocks.width, e);
    oblu_qr(s->k, s->grid, a, &way, NULL, nearest ? b : NULL, &blocks, &parts);
    oblu_note(&parts);
    ob_view upper = rows_of(s->k, b, 0, n), lower = rows_of(s->k, b, n, a->m);
    if (nearest) {
        oblu_solve_r(s->k, s->grid, a, &blocks, b);
        scale(s->k, lower, -s->b_power);
    } else {
        oblu_solve_adjoint(s->k, s->grid, a, &way, &blocks, b);
        scale(s->k, lower, s->a_power - s->b_power);
    }
    scale(s->k, upper, s->a_power - s->b_power);
    free(blocks.t);
    free(blocks.r);
    close_way(&way);
}

/* A^H lies where A does; B alone goes there and back, as B^H. */
static void solve_wide(const equations *s)
{
    oblu_matrix a = room_for_adjoint(s->k, &s->a), b = room_for_sides(s, &a);
    oblu_matrix b_adjoint = room_for_adjoint(s->k, &b);
    adjoin_own(s->k, &s->a, &a);
    oblu_adjoin(s->k, s->grid, &s->b, &b_adjoint);
    adjoin_own(s->k, &b_adjoint, &b);
    solve_tall(s, &a, &b, s->adjoint);
    adjoin_own(s->k, &b, &b_adjoint);
    oblu_adjoin(s->k, s->grid, &b_adjoint, &s->b);
    adjoin_own(s->k, &a, &s->a);
    free(a.local);
    free(b.local);
    free(b_adjoint.local);
}

static void solve(equations *s)
{
    if (!scale_system(s, s->adjoint ? s->a.n : s->a.m))
        clear(s->k, rows_of(s->k, &s->b, 0, s->b.m));
    else if (s->a.m >= s->a.n)
        solve_tall(s, &s->a, &s->b, !s->adjoint);
    else
        solve_wide(s);
}

static int wrong_call(oblu_call *c, char trans, char other, int64_t lwork)
{
    oblu_fault *f = &c->wrong;
    int part = oblu_wrong_part(c->a, c->g, f);
    part = part ? part : oblu_wrong_part(c->b, c->g, f);
    if (!part && ob_capital(trans) != 'N' && ob_capital(trans) != other)
        part = oblu_wrong(f, 100, "is '%c', must be N or %c", trans, other);
    part = part ? part : oblu_wrong_least_squares(c->a, c->b, c->g, f);
    if (!part && lwork < 1 && lwork != -1)
        part = oblu_wrong(f, 1400, "is %" PRId64 ", must be at least 1, or -1 to ask", lwork);
    return part;
}

int64_t oblu_gels(const oblu_kernels *k, char trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                  int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb, void *work, int64_t lwork)
{
    const bool tall = m >= n, asks = lwork == -1, empty = m == 0 || n == 0 || nrhs == 0;
    const bool real = k->type == OB_FLOAT || k->type == OB_DOUBLE;
    oblu_sub x = {m, n, ia, ja, desca, 2, 3, 8};
    oblu_sub y = {tall ? m : n, nrhs, ib, jb, descb, tall ? 2 : 3, 4, 12};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = "TRANS M N NRHS A IA JA DESCA B IB JB DESCB WORK LWORK INFO",
                   .a = &x,
                   .b = &y,
                   .g = &g,
                   .scalar = {{asks, 1400}},
                   .scalars = 1};
    int64_t info;
    oblu_enter(k, "gels");
    wrong_call(&c, trans, real ? 'T' : 'C', lwork);
    bool goes_on = oblu_meet_with_settings(&c, ob_capital(trans), asks || empty, &info);
    if (info)
        return info;
    k->put(1, work);
    equations s = {.k = k,
                   .g = &g,
                   .a = oblu_matrix_of(&x, &g, a),
                   .b = oblu_matrix_of(&y, &g, b),
                   .adjoint = ob_capital(trans) != 'N'};
    if (empty && !asks)
        clear(k, rows_of(k, &s.b, 0, s.b.m));
    if (!goes_on)
        return 0;
    s.grid = oblu_grid_of(&g, 'A');
    solve(&s);
    bsp2d_gridexit(s.grid);
    return 0;
}
