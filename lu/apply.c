/*
 * What a QR factorisation is used for: solving with R and R^H, and products with Q, one superstep
 * for each block of columns. T and R's squares are at every process; the rest of a block's columns
 * goes along process rows. With R the block's rows of B go to their whole process columns, and all
 * solve for them alike. With R^H and Q the columns of B want sums over process columns: each
 * process sends its own terms, and who needs the sum adds them up. The columns of the next block
 * travel with them.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

typedef struct applier {
    lu_state s; /* of it: the matrix, the grid, the block */
    const oblu_matrix *b;
    const oblu_blocks *blocks;
    size_t sides;  /* own columns of B */
    char *columns; /* own rows of a block's columns */
    char *sum;     /* own terms, block x sides */
    char *all;     /* the block's rows of B, or the sum */
    char *times;   /* T times that */
} applier;

/* Which columns of A it is about, in the order of the blocks. */
typedef enum use { WITH_R, WITH_R_ADJOINT, WITH_Q } use;

static char *of_block(const applier *a, char *blocks, const step *x)
{
    return blocks + x->j * a->blocks->width * a->s.k->bytes;
}

/* Own rows of B in a block. */
static ob_view block_of_b(const applier *a, const step *x)
{
    return oblu_own(a->s.k, a->b, x->j, x->j + x->width, 0, a->b->n);
}

/* Those rows of the block's columns that are used: above its square, or from there down. */
static range used_rows(const applier *a, const step *x, use u)
{
    return u == WITH_Q ? (range){x->j, a->s.a.m} : (range){0, x->j};
}

static ob_view used_rows_of_b(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return oblu_own(a->s.k, a->b, i.first, i.end, 0, a->b->n);
}

static size_t count_of_used(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return range_length(lu_rows(&a->s, a->s.a.rows.me, i.first, i.end));
}

static ob_view own_columns(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return oblu_own(a->s.k, &a->s.a, i.first, i.end, x->j, x->j + x->width);
}

/* --------------------------------------------------------- columns of a block */

/* To those who have columns of B. */
static void send_columns(const applier *a, const step *x, use u)
{
    for (size_t c = 0; c < a->s.a.columns.count; c++)
        if (oblu_below(&a->b->columns, c, a->b->first_column + a->b->n) >
            oblu_below(&a->b->columns, c, a->b->first_column))
            lu_send(&a->s, a->s.g, a->s.a.rows.me, c, own_columns(a, x, u));
}

/* V has ones and zeros where R's square stands. */
static void put_ones(applier *a, const step *x, size_t m)
{
    const lu_state *s = &a->s;
    size_t top = s->a.first_row + x->j, e = s->k->bytes, at = 0;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, s->a.rows.me, &i, top + x->width, &run);)
        for (size_t l = 0; l < run.length; l++, at++)
            for (size_t j = run.global + l - top; j < x->width; j++)
                s->k->put(j == run.global + l - top, a->columns + (at + j * m) * e);
}

static void take_columns(applier *a, const step *x, use u)
{
    const lu_state *s = &a->s;
    size_t m = count_of_used(a, x, u), e = s->k->bytes, first = s->a.first_column + x->j;
    if (a->sides == 0)
        return;
    for (size_t c = 0; c < s->a.columns.count; c++) {
        size_t n = range_length(lu_columns(s, c, x->j, x->j + x->width)), at = 0;
        ob_view v = lu_take(s, s->g, s->a.rows.me, c, m, n, own_columns(a, x, u));
        oblu_run run;
        for (size_t j = first; oblu_next_run(&s->a.columns, c, &j, first + x->width, &run);
             at += run.length)
            oblu_copy(e, m, run.length, (const char *)v.base + at * v.ld * e, v.ld,
                      a->columns + (run.global - first) * m * e, m);
    }
    if (u == WITH_Q)
        put_ones(a, x, m);
}

/* ------------------------------------------------------------ rows of a block */

/* Between own rows of a block, together, and their places in it, which has so many rows. */
static void place_rows(const applier *a, const step *x, size_t r, const ob_view *own, char *block,
                       bool into)
{
    const lu_state *s = &a->s;
    size_t top = s->a.first_row + x->j, e = s->k->bytes, at = 0;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, r, &i, top + x->width, &run); at += run.length) {
        char *mine = (char *)own->base + at * e, *there = block + (run.global - top) * e;
        if (into)
            oblu_copy(e, run.length, a->sides, mine, own->ld, there, x->width);
        else
            oblu_copy(e, run.length, a->sides, there, x->width, mine, own->ld);
    }
}

static void keep_rows(const applier *a, const step *x)
{
    ob_view mine = block_of_b(a, x);
    place_rows(a, x, a->s.a.rows.me, &mine, a->all, false);
}

static void spread_rows(const applier *a, const step *x)
{
    for (size_t r = 0; r < a->s.a.rows.count; r++)
        lu_send(&a->s, a->s.g, r, a->s.a.columns.me, block_of_b(a, x));
}

static void take_rows(applier *a, const step *x)
{
    for (size_t r = 0; r < a->s.a.rows.count; r++) {
        size_t m = range_length(lu_rows(&a->s, r, x->j, x->j + x->width));
        ob_view v = lu_take(&a->s, a->s.g, r, a->s.a.columns.me, m, a->sides, block_of_b(a, x));
        place_rows(a, x, r, &v, a->all, true);
    }
}

/* ------------------------------------------------------------------------ R */

static void solve_block(applier *a, const step *x, char trans)
{
    size_t w = x->width;
    a->s.k->trsm('L', 'U', trans, 'N', w, a->sides, of_block(a, a->blocks->r, x), w, a->all, w);
    keep_rows(a, x);
}

static void sweep_r(applier *a)
{
    const oblu_kernels *k = a->s.k;
    for (size_t l = (a->s.least + a->s.block - 1) / a->s.block; l-- > 0;) {
        step x = lu_step_of(&a->s, l * a->s.block);
        send_columns(a, &x, WITH_R);
        spread_rows(a, &x);
        bsp2d_sync(a->s.g);
        take_columns(a, &x, WITH_R);
        take_rows(a, &x);
        solve_block(a, &x, 'N');
        ob_view above = used_rows_of_b(a, &x, WITH_R);
        k->gemm('N', false, above.m, above.n, x.width, a->columns, above.m, a->all, x.width,
                above.base, above.ld);
    }
}

/* ----------------------------------------------------------------- R^H and Q */

/* The own terms of R^H B - B, or of -V^H B. */
static void find_terms(applier *a, const step *x, use u)
{
    const oblu_kernels *k = a->s.k;
    ob_view b = used_rows_of_b(a, x, u), mine = block_of_b(a, x);
    size_t w = x->width, bytes = w * a->sides * k->bytes;
    if (u == WITH_R_ADJOINT) {
        memset(a->all, 0, bytes);
        place_rows(a, x, a->s.a.rows.me, &mine, a->all, true);
        k->gemm('C', true, w, b.n, b.m, a->columns, b.m ? b.m : 1, b.base, b.ld, a->sum, w);
        k->subtract(w, a->sides, a->all, w, a->sum, w);
    } else {
        memset(a->sum, 0, bytes);
        k->gemm('C', false, w, b.n, b.m, a->columns, b.m ? b.m : 1, b.base, b.ld, a->sum, w);
    }
}

/* Does process row r need the sum? */
static bool needs_sum(const applier *a, const step *x, use u, size_t r)
{
    return u == WITH_Q || range_length(lu_rows(&a->s, r, x->j, x->j + x->width));
}

static void send_terms(const applier *a, const step *x, use u)
{
    size_t w = x->width;
    for (size_t r = 0; r < a->s.a.rows.count; r++)
        if (needs_sum(a, x, u, r))
            lu_send(&a->s, a->s.g, r, a->s.a.columns.me, lu_view(&a->s, w, a->sides, a->sum, w));
}

/* All have the same sum, for they add in the same order. */
static void add_terms(applier *a, const step *x)
{
    size_t w = x->width;
    memset(a->all, 0, w * a->sides * a->s.k->bytes);
    for (size_t r = 0; r < a->s.a.rows.count; r++) {
        ob_view v = lu_take(&a->s, a->s.g, r, a->s.a.columns.me, w, a->sides,
                            lu_view(&a->s, w, a->sides, a->sum, w));
        a->s.k->subtract(w, a->sides, v.base, v.ld, a->all, w);
    }
}

static void use_sum(applier *a, const step *x, use u)
{
    const oblu_kernels *k = a->s.k;
    ob_view b = used_rows_of_b(a, x, u);
    size_t w = x->width;
    if (!needs_sum(a, x, u, a->s.a.rows.me))
        return;
    add_terms(a, x);
    if (u == WITH_R_ADJOINT) {
        solve_block(a, x, 'C');
        return;
    }
    k->gemm('N', true, w, a->sides, w, of_block(a, a->blocks->t, x), w, a->all, w, a->times, w);
    k->gemm('N', false, b.m, b.n, w, a->columns, b.m, a->times, w, b.base, b.ld);
}

/* Forwards with R^H, backwards with Q. */
static void sweep_sums(applier *a, use u)
{
    size_t count = (a->s.least + a->s.block - 1) / a->s.block;
    for (size_t l = 0; l <= count; l++) {
        size_t next = u == WITH_Q ? count - 1 - l : l, now = u == WITH_Q ? next + 1 : l - 1;
        step after = l < count ? lu_step_of(&a->s, next * a->s.block) : (step){0};
        step x = l > 0 ? lu_step_of(&a->s, now * a->s.block) : (step){0};
        if (l > 0) {
            find_terms(a, &x, u);
            send_terms(a, &x, u);
        }
        if (l < count)
            send_columns(a, &after, u);
        bsp2d_sync(a->s.g);
        if (l > 0)
            use_sum(a, &x, u);
        if (l < count)
            take_columns(a, &after, u);
    }
}

/* --------------------------------------------------------------------- calls */

static void apply(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                  const oblu_blocks *blocks, const oblu_matrix *b, use u)
{
    applier x = {.s = {.k = kernels, .g = grid, .a = *a, .least = a->n, .block = blocks->width},
                 .b = b,
                 .blocks = blocks,
                 .sides = oblu_own(kernels, b, 0, 0, 0, b->n).n};
    size_t w = blocks->width, e = kernels->bytes;
    size_t rows = range_length(lu_rows(&x.s, a->rows.me, 0, a->m));
    const oblu_piece all[] = {{&x.columns, rows * w * e},
                              {&x.sum, w * x.sides * e},
                              {&x.all, w * x.sides * e},
                              {&x.times, w * x.sides * e}};
    oblu_keep(all, sizeof all / sizeof *all);
    if (u == WITH_R)
        sweep_r(&x);
    else
        sweep_sums(&x, u);
    oblu_kept_no_more();
}

void oblu_solve_r(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                  const oblu_blocks *blocks, const oblu_matrix *b)
{
    apply(kernels, grid, a, blocks, b, WITH_R);
}

void oblu_solve_r_adjoint(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                          const oblu_blocks *blocks, const oblu_matrix *b)
{
    apply(kernels, grid, a, blocks, b, WITH_R_ADJOINT);
}

void oblu_multiply_q(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                     const oblu_blocks *blocks, const oblu_matrix *b)
{
    apply(kernels, grid, a, blocks, b, WITH_Q);
}
