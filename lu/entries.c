/*
 * Factoring and solving, and the settings for it, for what programs call (routines.c).
 */
#include "arguments.h"

#include "common/fault.h"
#include "common/offer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int wanted_block;
static _Thread_local int64_t wanted_panel, measured;
static _Thread_local bsp_lu_parts last;
/* The settings, while an offer has none. */
static _Thread_local struct {
    int block;
    int64_t panel, measured;
} aside;

void ob_lu_offer(int declines)
{
    aside.block = wanted_block;
    aside.panel = wanted_panel;
    aside.measured = measured;
    wanted_block = 0;
    wanted_panel = measured = 0;
    oblu_offer_open(declines != 0);
}

int ob_lu_taken(void)
{
    wanted_block = aside.block;
    wanted_panel = aside.panel;
    measured = aside.measured;
    return oblu_offer_close();
}

void oblu_set_block(int64_t columns)
{
    wanted_block = columns > 0 ? columns < INT_MAX ? (int)columns : INT_MAX : 0;
}

void oblu_set_panel(int64_t way)
{
    wanted_panel = way;
}

void oblu_set_measure(int64_t idling)
{
    measured = idling;
}

bsp_lu_parts oblu_last(void)
{
    return last;
}

/* From so many process rows on a process column factors blocks together. */
enum { MANY_ROWS = 4 };

/* What was asked for, but for BSP_LU_IN_STEP. */
static int64_t panel_way(void)
{
    return wanted_panel & ~(int64_t)BSP_LU_IN_STEP;
}

/* Where nothing was asked for: as the routine has it. */
static bool wish_together(const oblu_matrix *a, bool unasked)
{
    bool asked = panel_way() == BSP_LU_TOGETHER || panel_way() == BSP_LU_TOURNAMENT;
    return (panel_way() ? asked : unasked) && a->rows.count > 1;
}

bool oblu_has_many_rows(const oblu_matrix *a)
{
    return a->rows.count >= MANY_ROWS;
}

bool oblu_measures(void)
{
    return measured != 0;
}

void oblu_note(const bsp_lu_parts *parts)
{
    last = *parts;
}

/* On one process row nobody else has a part in a block, and a lookahead costs nothing. */
static bool alone_ahead(const oblu_matrix *a, size_t block)
{
    return a->rows.count == 1 && a->columns.count > 1 && wanted_panel == 0 &&
           a->columns.block % block == 0 && a->first_column % block == 0;
}

/* There it is worth more than wider blocks, which come from several processes; but not where narrow
 * ones are many (bench/lu.md). */
static bool worth_looking_ahead(const oblu_matrix *a)
{
    enum { NARROWEST = 8, WIDE = 32, MANY = 100 };
    size_t nb = a->columns.block;
    bool fits = nb >= WIDE || (nb >= NARROWEST && oblu_least(a->m, a->n) < MANY * nb);
    return fits && alone_ahead(a, nb);
}

/* The distribution's block where it is factored where it lies. */
static size_t block_for(const oblu_matrix *a)
{
    bool whole = wish_together(a, oblu_has_many_rows(a)) || worth_looking_ahead(a);
    return whole && !wanted_block ? a->columns.block : oblu_narrow_block(a, OBLU_LARGE);
}

size_t oblu_narrow_block(const oblu_matrix *a, size_t large)
{
    size_t nb = a->columns.block, wish = oblu_least(a->m, a->n) < large ? 32 : 64;
    if (wanted_block)
        return (size_t)wanted_block;
    return nb >= wish ? nb : (wish + nb / 2) / nb * nb;
}

bool oblu_block_is_set(void)
{
    return wanted_block != 0;
}

bool oblu_together(const oblu_matrix *a, size_t block, bool unasked)
{
    return wish_together(a, unasked) && a->columns.block % block == 0 &&
           a->first_column % block == 0;
}

/* Beside that a candidate for a pivot, with two rows of the block, must be an element that can be
 * combined; a tournament sends rows as they are. */
static bool together(const oblu_kernels *k, const oblu_matrix *a, size_t block)
{
    bool fits =
        wanted_panel == BSP_LU_TOURNAMENT || oblu_candidate_bytes(k, block) <= OB_ELEMENT_BYTES;
    return oblu_together(a, block, oblu_has_many_rows(a)) && fits;
}

/* ---------------------------------------------------------------- routines */

/* Below these one process was faster, beside one other and beside more (bench/lu.md). */
static const size_t small_lu[] = {160, 208}, small_solution[] = {128, 208},
                    small_of_few[] = {0, 208}, none_is_small[2];

bool oblu_meet_with_settings(oblu_call *c, int letter, bool empty, int64_t *info)
{
    const oblu_alike list[] = {{letter, 100},
                               {wanted_block, OBLU_SETTING},
                               {wanted_panel, OBLU_SETTING},
                               {measured, OBLU_SETTING}};
    memcpy(c->scalar + c->scalars, list, sizeof list);
    c->scalars += sizeof list / sizeof *list;
    c->letters = letter != 0;
    return oblu_meet(c, empty, info);
}

/* Does one process carry it out? */
static bool sits(const oblu_call *c, const oblu_task *task, const size_t least[2])
{
    enum { MOST_GUESTS = 64 }; /* with more nothing was measured */
    int count = c->g->rows * c->g->columns;
    bool set = wanted_block || wanted_panel || measured;
    if (c->wrong.part || oblu_offer_is_declined() || ob_fault_together())
        return false;
    return count == 1 ||
           (!set && oblu_has_seat(task->a, task->b, count > MOST_GUESTS ? 0 : least[count > 2]));
}

bool oblu_meet_for(oblu_call *c, const oblu_task *task, const size_t least[2], int letter,
                   bool empty, int64_t *info)
{
    oblu_seat seat;
    if (!empty && sits(c, task, least)) {
        oblu_seat_open(&seat, oblu_group_of(c->g, 'A'), task);
        c->seat = &seat;
    }
    bool goes_on = oblu_meet_with_settings(c, letter, empty, info);
    if (!goes_on || !c->seat)
        return goes_on;
    bsp_lu_parts parts;
    *info = oblu_seat_end(&seat, &parts);
    if (wanted_block && wanted_block < parts.block)
        parts.block = wanted_block;
    if (task->factors)
        last = parts;
    return false;
}

static int64_t factor_in_blocks(const oblu_kernels *k, const oblu_dims *g, const oblu_matrix *a,
                                oblu_pivots ipiv)
{
    oblu_way way = {.block = block_for(a), .measured = measured != 0};
    way.tournament = panel_way() == BSP_LU_TOURNAMENT;
    if (together(k, a, way.block) || alone_ahead(a, way.block))
        way.column = oblu_grid_of(g, 'C');
    if (way.column && g->columns > 1 && !(wanted_panel & BSP_LU_IN_STEP))
        way.row = oblu_group_of(g, 'R');
    if (!way.column && g->rows * g->columns > 1)
        way.offers = oblu_grid_of(g, 'A');
    bsp2d_grid *grid = oblu_grid_of(g, 'A');
    int64_t info = oblu_factor(k, grid, a, &way, ipiv, &last);
    bsp2d_gridexit(way.column);
    bsp2d_gridexit(way.offers);
    bsp2d_gridexit(grid);
    return info;
}

/* In how wide blocks a copy is to be factored in the place of the matrix, or 0: where each block is
 * factored where it lies, many narrow ones cost more (bench/lu.md). */
static size_t block_of_copy(const oblu_kernels *k, const oblu_dims *g, const oblu_matrix *a)
{
    enum { NARROWEST = 8, PAIR = 2, WIDE = 32, WIDER = 64, FEW = 3, LARGE = 2250 };
    const bool set = wanted_block || wanted_panel || measured || g->cramped;
    const bool of_columns = a->rows.count >= MANY_ROWS && a->columns.count > 1;
    const size_t least = oblu_least(a->m, a->n);
    if (set || a->columns.block > NARROWEST || least <= (size_t)FEW * WIDE ||
        !(of_columns || (a->rows.count == 1 && a->columns.count > PAIR)) ||
        !oblu_may_be_wide(k, oblu_group_of(g, 'A'), a))
        return 0;
    return least < LARGE ? WIDE : WIDER;
}

static int64_t factor(const oblu_kernels *k, const oblu_dims *g, const oblu_matrix *a,
                      oblu_pivots ipiv)
{
    oblu_wide w = {.k = k, .of = a, .uplo = 'A'};
    const size_t block = block_of_copy(k, g, a);
    if (block == 0)
        return factor_in_blocks(k, g, a, ipiv);
    w.g = oblu_grid_of(g, 'R');
    oblu_wide_begin(&w, block);
    int64_t info = factor_in_blocks(k, g, &w.copy, ipiv);
    oblu_wide_end(&w, &last);
    return info;
}

/* Columns that one process column holds, which finds their pivots together. */
static bool in_one_column(const oblu_kernels *k, const oblu_matrix *a)
{
    return a->rows.count * a->columns.count > 1 && a->n <= a->m &&
           a->first_column / a->columns.block == (a->first_column + a->n - 1) / a->columns.block &&
           oblu_candidate_bytes(k, a->n) <= OB_ELEMENT_BYTES;
}

/* "getrf", or "getf2": columns that one process column holds; others are a matrix of blocks as any
 * (a block of columns that several process columns hold, Horvitz and Bisseling, 2.1). */
int64_t oblu_factors(const oblu_kernels *k, const char *routine, int64_t m, int64_t n, void *a,
                     int64_t ia, int64_t ja, const int64_t *desca, oblu_pivots ipiv)
{
    oblu_sub x = {m, n, ia, ja, desca, 1, 2, 6};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_matrix matrix = oblu_matrix_of(&x, &g, a);
    oblu_call c = {.names = "M N A IA JA DESCA IPIV INFO", .a = &x, .g = &g};
    oblu_task task = {.k = k, .kind = OBLU_LU, .factors = true, .a = &matrix, .pivots = ipiv};
    const size_t *small = strcmp(routine, "getrf") == 0 ? small_lu : none_is_small;
    int64_t info;
    oblu_enter(k, routine);
    oblu_wrong_part(&x, &g, &c.wrong);
    if (!oblu_meet_for(&c, &task, small, 0, m == 0 || n == 0, &info))
        return info;
    if (strcmp(routine, "getf2") == 0 && in_one_column(k, &matrix)) {
        bsp2d_grid *grid = oblu_grid_of(&g, 'A'), *column = oblu_grid_of(&g, 'C');
        info = oblu_factor_block(k, grid, &matrix, column, ipiv);
        bsp2d_gridexit(column);
        bsp2d_gridexit(grid);
    } else {
        info = factor(k, &g, &matrix, ipiv);
    }
    return info;
}

int64_t oblu_getrs(const oblu_kernels *k, char trans, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, oblu_pivots ipiv, void *b,
                   int64_t ib, int64_t jb, const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 12};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_matrix factors = oblu_matrix_of(&x, &g, a), sides = oblu_matrix_of(&y, &g, b);
    oblu_call c = {
        .names = "TRANS N NRHS A IA JA DESCA IPIV B IB JB DESCB INFO", .a = &x, .b = &y, .g = &g};
    int64_t info;
    oblu_enter(k, "getrs");
    if (!oblu_wrong_system(&x, &y, &g, &c.wrong) && !memchr("NTC", ob_capital(trans), 3))
        oblu_wrong(&c.wrong, 100, "is '%c', must be N, T or C", trans);
    trans = ob_capital(trans);
    oblu_task task = {
        .k = k, .kind = OBLU_LU, .a = &factors, .b = &sides, .trans = trans, .pivots = ipiv};
    if (oblu_meet_for(&c, &task, nrhs < OBLU_FEW_SIDES ? small_of_few : small_solution, trans,
                      n == 0 || nrhs == 0, &info))
        oblu_solve(k, oblu_group_of(&g, 'A'), trans, &factors, ipiv, &sides);
    return info;
}

int64_t oblu_gesv(const oblu_kernels *k, int64_t n, int64_t nrhs, void *a, int64_t ia, int64_t ja,
                  const int64_t *desca, oblu_pivots ipiv, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 1, 1, 6}, y = {n, nrhs, ib, jb, descb, 1, 2, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_matrix matrix = oblu_matrix_of(&x, &g, a), sides = oblu_matrix_of(&y, &g, b);
    oblu_call c = {
        .names = "N NRHS A IA JA DESCA IPIV B IB JB DESCB INFO", .a = &x, .b = &y, .g = &g};
    oblu_task task = {.k = k,
                      .kind = OBLU_LU,
                      .factors = true,
                      .a = &matrix,
                      .b = nrhs > 0 ? &sides : NULL,
                      .trans = 'N',
                      .pivots = ipiv};
    int64_t info;
    oblu_enter(k, "gesv");
    oblu_wrong_system(&x, &y, &g, &c.wrong);
    if (!oblu_meet_for(&c, &task, small_lu, 0, n == 0, &info))
        return info;
    info = factor(k, &g, &matrix, ipiv);
    if (info == 0 && nrhs > 0)
        oblu_solve(k, oblu_group_of(&g, 'A'), 'N', &matrix, ipiv, &sides);
    return info;
}
