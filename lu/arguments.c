/*
 * ScaLAPACK's arguments, checked with ScaLAPACK's codes and turned into a grid and matrices.
 */
#include "arguments.h"

#include <openblacs/blacs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ checks */

static int least_ld(const int *d, const oblu_shape *g)
{
    oblu_axis rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, 0};
    oblu_axis columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, 0};
    if (d[M] < 1 || d[N] < 1 || oblu_below(&columns, (size_t)g->column, (size_t)d[N]) == 0)
        return 1;
    int ld = (int)oblu_below(&rows, (size_t)g->row, (size_t)d[M]);
    return ld > 1 ? ld : 1;
}

int oblu_wrong_part(const oblu_sub *x, const oblu_shape *g)
{
    const int *d = x->desc;
    int desc = 100 * x->desc_place, empty = x->m == 0 || x->n == 0;
    if (d[DTYPE] != 1)
        return desc + DTYPE + 1;
    if (x->m < 0)
        return 100 * x->m_place;
    if (x->n < 0)
        return 100 * x->n_place;
    if (x->i < 1)
        return desc - 200;
    if (x->j < 1)
        return desc - 100;
    if (d[MB] < 1)
        return desc + MB + 1;
    if (d[NB] < 1)
        return desc + NB + 1;
    if (d[RSRC] < 0 || d[RSRC] >= g->rows)
        return desc + RSRC + 1;
    if (d[CSRC] < 0 || d[CSRC] >= g->columns)
        return desc + CSRC + 1;
    if (d[M] < !empty)
        return desc + M + 1;
    if (d[N] < !empty)
        return desc + N + 1;
    if (!empty && x->i > d[M])
        return desc - 200;
    if (!empty && x->j > d[N])
        return desc - 100;
    if (!empty && (long)x->i + x->m - 1 > d[M])
        return 100 * x->m_place;
    if (!empty && (long)x->j + x->n - 1 > d[N])
        return 100 * x->n_place;
    if (d[LLD] < least_ld(d, g))
        return desc + LLD + 1;
    return 0;
}

static int as_info(int part)
{
    return part % 100 ? -part : -(part / 100);
}

int oblu_refuse(const char *letter, const char *what, int info, const char *how)
{
    int argument = info <= -100 ? -info / 100 : -info, entry = info <= -100 ? -info % 100 : 0;
    ob_job *job;
    int number = ob_job_start(&job) == OB_OK ? ob_job_number(job) : 0;
    if (entry)
        fprintf(stderr,
                "OpenBLACS: bsp_p%s%s: entry %d of the descriptor that is argument %d %s "
                "(info %d); process number %d\n",
                letter, what, entry, argument, how, info, number);
    else
        fprintf(stderr, "OpenBLACS: bsp_p%s%s: argument %d %s (info %d); process number %d\n",
                letter, what, argument, how, info, number);
    return info;
}

/* -------------------------------------------------------- grids and matrices */

enum { GLOBALS = 40 };

static _Noreturn void refuse_settings(const char *letter, const char *what)
{
    fprintf(stderr,
            "OpenBLACS: bsp_p%s%s: the processes have set different algorithmic blocks, panels or "
            "measuring (bsp_lu_block, bsp_lu_panel, bsp_lu_measure)\n",
            letter, what);
    oblu_end();
}

/* What of a submatrix must be the same on all processes: not the context's number, nor the leading
 * dimension. Returns how many there are. */
static size_t globals_of(const oblu_sub *x, oblu_alike *list)
{
    const int *d = x->desc, desc = 100 * x->desc_place;
    const oblu_alike all[] = {
        {x->m, 100 * x->m_place},   {x->n, 100 * x->n_place},     {x->i, desc - 200},
        {x->j, desc - 100},         {d[DTYPE], desc + DTYPE + 1}, {d[M], desc + M + 1},
        {d[N], desc + N + 1},       {d[MB], desc + MB + 1},       {d[NB], desc + NB + 1},
        {d[RSRC], desc + RSRC + 1}, {d[CSRC], desc + CSRC + 1}};
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

bsp2d_grid *oblu_meet(const oblu_call *c, int wrong, bool empty, int *info)
{
    const oblu_shape *g = c->g;
    int context = c->a->desc[CTXT], count = g->rows * g->columns,
        place = g->row + g->column * g->rows;
    oblu_alike list[GLOBALS];
    size_t n = 0;
    for (; n < c->scalars; n++)
        list[n] = c->scalar[n];
    n += globals_of(c->a, list + n);
    n += c->b ? globals_of(c->b, list + n) : 0;
    int *numbers = oblu_room(c->what, (size_t)count, sizeof *numbers);
    bsp2d_grid *grid = NULL;
    oblu_verdict found = oblu_agree(context, count, place, list, n, wrong, numbers);
    *info = as_info(found.part);
    if (found.part == OBLU_SETTING)
        refuse_settings(c->letter, c->what);
    if (found.differs)
        oblu_refuse(c->letter, c->what, *info, "is not the same on all processes");
    else if (found.part && found.part == wrong)
        oblu_refuse(c->letter, c->what, *info, "is wrong");
    if (!found.part && !empty)
        grid = bsp2d_gridmap(numbers, g->rows, g->rows, g->columns);
    free(numbers);
    return grid;
}

oblu_matrix oblu_matrix_of(const oblu_sub *x, const oblu_shape *g, const void *local)
{
    const int *d = x->desc;
    return (oblu_matrix){
        .rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, (size_t)g->row},
        .columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, (size_t)g->column},
        .first_row = (size_t)x->i - 1,
        .first_column = (size_t)x->j - 1,
        .m = (size_t)x->m,
        .n = (size_t)x->n,
        .local = (char *)local,
        .ld = (size_t)d[LLD]};
}

oblu_shape oblu_shape_of(int context)
{
    oblu_shape g;
    Cblacs_gridinfo(context, &g.rows, &g.columns, &g.row, &g.column);
    return g;
}

bsp2d_grid *oblu_grid_of(int context, const char *scope, int rows, int columns, int place)
{
    int count = rows * columns, *numbers = oblu_room("getrf", (size_t)count, sizeof *numbers);
    ob_job *job;
    memset(numbers, 0, (size_t)count * sizeof *numbers);
    if (ob_job_start(&job) == OB_OK)
        numbers[place] = ob_job_number(job);
    Cigsum2d(context, scope, " ", count, 1, numbers, count, -1, -1);
    bsp2d_grid *grid = bsp2d_gridmap(numbers, rows, rows, columns);
    free(numbers);
    return grid;
}
