/*
 * Factoring and solving of positive definite matrices, for what programs call (routines.c).
 */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/grid.h"

static int wrong_triangle(oblu_fault *f, char uplo)
{
    return memchr("LU", ob_capital(uplo), 2) ? 0
                                             : oblu_wrong(f, 100, "is '%c', must be U or L", uplo);
}

static bool in_one_place_across(const oblu_matrix *a, char uplo)
{
    return (uplo == 'L' ? a->columns : a->rows).count == 1;
}

/* Where a block's lines have another place to go to; but not on 2 x 2, where one superstep a block
 * is faster: often two processes share a processor there, which has always something to do. And
 * where many share one all their lines: each would factor wide squares again, beside others. */
static bool looks_ahead(const oblu_dims *g, char uplo, const oblu_matrix *a)
{
    enum { MANY = 3, WIDE = 64 };
    if (in_one_place_across(a, uplo))
        return (uplo == 'L' ? g->rows : g->columns) >= MANY && a->rows.block >= WIDE;
    return g->rows != 2 || g->columns != 2;
}

static bool each_on_its_own_node(const oblu_dims *g)
{
    int *node = oblu_room((size_t)g->rows * (size_t)g->columns, sizeof *node);
    bool each = ob_each_on_its_own_node(oblu_group_of(g, 'A'), node);
    free(node);
    return each;
}

/* With a lookahead the next block's holders are what the others wait for, and narrow blocks pass
 * from one to the next sooner. While the matrix is small that is worth more than wide products; but
 * not where processes share a node, and its processors with it. */
static size_t block_ahead(const oblu_dims *g, const oblu_matrix *a)
{
    enum { NARROW = 16 };
    bool wide = oblu_block_is_set() || a->n >= OBLU_LARGE || !each_on_its_own_node(g);
    return wide ? oblu_narrow_block(a, OBLU_LARGE) : NARROW;
}

/* Two processes that share all blocks get all of a small matrix in one superstep, and both factor
 * it: what one did meanwhile the other would wait for, and nothing need go back. */
static size_t block_in_step(const oblu_matrix *a, char uplo)
{
    enum { PAIR = 2, SMALL = 160 };
    bool whole = a->rows.count * a->columns.count == PAIR && in_one_place_across(a, uplo);
    return whole && a->n < SMALL && !oblu_block_is_set() ? a->n : oblu_narrow_block(a, OBLU_LARGE);
}

/* In steps of `block`, or 0: of as many as is best. */
static int64_t factor_in_steps(const oblu_kernels *k, const oblu_dims *g, char uplo,
                               const oblu_matrix *a, size_t block, bsp_lu_parts *parts)
{
    oblu_way way = {.block = block, .measured = oblu_measures()};
    bool ahead = looks_ahead(g, uplo, a);
    if (ahead) {
        way.row = oblu_group_of(g, 'R');
        way.ahead = lu_steps_ahead;
        way.down = oblu_group_of(g, 'C');
    }
    if (block == 0)
        way.block = ahead ? block_ahead(g, a) : block_in_step(a, uplo);
    bsp2d_grid *grid = way.row && !way.measured ? NULL : oblu_grid_of(g, 'A');
    int64_t info = oblu_cholesky(k, grid, uplo, a, &way, parts);
    bsp2d_gridexit(grid);
    return info;
}

/* Each block is a step, for which several places across wait, and the more the more processes there
 * are: narrow ones are many. To deal the matrix out anew costs as much for any block
 * (bench/lu.md). */
static bool is_worth_dealing(const oblu_matrix *a, bool lower)
{
    enum { NARROWEST = 8, NARROWER = 16, NARROW = 32 };
    enum { SOME = 4, MANY = 6, LEAST = 256, SMALL = 512, MIDDLE = 600, LARGE = 1000 };
    const size_t along = (lower ? a->rows : a->columns).count;
    const size_t processes = a->rows.count * a->columns.count;
    const size_t nb = (lower ? a->columns : a->rows).block;
    if (nb <= NARROWEST)
        return true;
    if (nb > NARROWER)
        return nb <= NARROW && along > 2 && processes > MANY && a->n < SMALL;
    if (!lower)
        return processes > SOME;
    if (a->rows.count <= 2 && a->columns.count <= 2)
        return a->n >= (along > 1 ? LARGE : LEAST);
    return along > 1 || a->n < MIDDLE;
}

/* In how wide blocks a copy is to be factored in the place of the matrix, or 0. With two places,
 * an odd number of blocks as one has more of its columns at home. */
static size_t block_of_copy(const oblu_kernels *k, const oblu_dims *g, char uplo,
                            const oblu_matrix *a)
{
    enum { WIDE = 64, OF_PAIRS = 48 };
    const bool pairs = a->rows.count <= 2 && a->columns.count <= 2;
    const size_t wide = pairs ? OF_PAIRS : WIDE;
    if (in_one_place_across(a, uplo) || oblu_block_is_set() || oblu_measures() || g->cramped ||
        a->n <= 3 * wide || !oblu_may_be_wide(k, oblu_group_of(g, 'A'), a))
        return 0;
    return is_worth_dealing(a, uplo == 'L') ? wide : 0;
}

static int64_t factor(const oblu_kernels *k, const oblu_dims *g, char uplo, const oblu_matrix *a)
{
    bsp_lu_parts parts = {0};
    oblu_wide w = {.k = k, .of = a, .uplo = uplo};
    const size_t block = block_of_copy(k, g, uplo, a);
    if (block) {
        w.g = oblu_grid_of(g, uplo == 'L' ? 'R' : 'C');
        oblu_wide_begin(&w, block);
    }
    int64_t info = factor_in_steps(k, g, uplo, block ? &w.copy : a, block, &parts);
    if (block)
        oblu_wide_end(&w, &parts);
    oblu_note(&parts);
    return info;
}

/* Below these one process was faster, beside one other and beside more (bench/lu.md). Of two blocks
 * one comes after the other in any case, and less travels where each of two processes has one. */
static const size_t small[] = {128, 208}, small_of_two[] = {96, 208},
                    small_but_of_pair[] = {0, 208}, small_if_tall[] = {0, 160};

/* More process rows than columns, whose blocks stay as they are (solve.c): few sides soon pass
 * through these as fast. */
static bool is_tall(const oblu_matrix *a)
{
    enum { WIDE = 32 };
    return a->rows.count > a->columns.count && a->rows.block >= WIDE;
}

static const size_t *small_for(const oblu_call *c, const oblu_task *task)
{
    const oblu_matrix *a = task->a;
    if (c->wrong.part)
        return small;
    if (!task->factors && c->b->n < OBLU_FEW_SIDES)
        return is_tall(a) ? small_if_tall : small_but_of_pair;
    if (!task->factors)
        return small;
    if (task->b)
        return small;
    if (in_one_place_across(a, task->uplo))
        return small_but_of_pair;
    return a->first_row % a->rows.block + a->n <= 2 * a->rows.block ? small_of_two : small;
}

/* "potrf", "potrs" or "posv". */
static int64_t carry_out(const oblu_kernels *k, const char *routine, char letter, oblu_call *c,
                         const void *a, void *b)
{
    oblu_matrix matrix = oblu_matrix_of(c->a, c->g, a), sides = {0};
    bool factors = strcmp(routine, "potrs") != 0, solves = c->b && c->b->n > 0;
    char uplo = ob_capital(letter);
    int64_t info;
    if (c->b)
        sides = oblu_matrix_of(c->b, c->g, b);
    oblu_task task = {.k = k,
                      .kind = OBLU_CHOLESKY,
                      .factors = factors,
                      .a = &matrix,
                      .b = solves ? &sides : NULL,
                      .uplo = uplo};
    oblu_enter(k, routine);
    if (!(c->b ? oblu_wrong_system(c->a, c->b, c->g, &c->wrong)
               : oblu_wrong_part(c->a, c->g, &c->wrong)))
        wrong_triangle(&c->wrong, letter);
    bool empty = c->a->n == 0 || !(factors || solves);
    if (!oblu_meet_for(c, &task, small_for(c, &task), uplo, empty, &info))
        return info;
    info = factors ? factor(k, c->g, uplo, &matrix) : 0;
    if (solves && info == 0)
        oblu_solve_definite(k, oblu_group_of(c->g, 'A'), uplo, &matrix, &sides);
    return info;
}

int64_t oblu_potrf(const oblu_kernels *k, char uplo, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 6};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = "UPLO N A IA JA DESCA INFO", .a = &x, .g = &g};
    return carry_out(k, "potrf", uplo, &c, a, NULL);
}

/* potrs or posv. */
static int64_t solve(const oblu_kernels *k, const char *routine, char uplo, int64_t n, int64_t nrhs,
                     const void *a, int64_t ia, int64_t ja, const int64_t *desca, void *b,
                     int64_t ib, int64_t jb, const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {
        .names = "UPLO N NRHS A IA JA DESCA B IB JB DESCB INFO", .a = &x, .b = &y, .g = &g};
    return carry_out(k, routine, uplo, &c, a, b);
}

int64_t oblu_potrs(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                   const int64_t *descb)
{
    return solve(k, "potrs", uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb);
}

int64_t oblu_posv(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, void *a, int64_t ia,
                  int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb)
{
    return solve(k, "posv", uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb);
}
