/*
 * The routines that programs call, C and Fortran, of four types: ScaLAPACK's arguments are checked with
 * ScaLAPACK's codes and turned into a grid and matrices.
 */
#include "lu.h"

#include <openblacs/blacs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of a descriptor. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

static _Thread_local int wanted_block, wanted_panel, measured;
static _Thread_local bsp_lu_parts last;

void bsp_lu_block(int columns)
{
    wanted_block = columns > 0 ? columns : 0;
}

void bsp_lu_block_(const int *columns)
{
    bsp_lu_block(*columns);
}

void bsp_lu_panel(int way)
{
    wanted_panel = way;
}

void bsp_lu_panel_(const int *way)
{
    bsp_lu_panel(*way);
}

void bsp_lu_measure(int idling)
{
    measured = idling;
}

void bsp_lu_last(bsp_lu_parts *parts)
{
    *parts = last;
}

/* ------------------------------------------------------------------ checks */

/* An argument: a submatrix and where in the argument list its parts stand. */
typedef struct sub {
    int m, n, i, j;
    const int *desc;
    int m_place, n_place, desc_place;
} sub;

typedef struct shape {
    int rows, columns, row, column;
} shape;

static int least_ld(const int *d, const shape *g)
{
    oblu_axis rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, 0};
    oblu_axis columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, 0};
    if (d[M] < 1 || d[N] < 1 || oblu_below(&columns, (size_t)g->column, (size_t)d[N]) == 0)
        return 1;
    int ld = (int)oblu_below(&rows, (size_t)g->row, (size_t)d[M]);
    return ld > 1 ? ld : 1;
}

/* The first wrong thing, in units of 1/100 argument: ScaLAPACK's order. */
static int wrong_part(const sub *x, const shape *g)
{
    const int *d = x->desc;
    int desc = 100 * x->desc_place, empty = x->m == 0 || x->n == 0;
    if (d[DTYPE] != 1) return desc + DTYPE + 1;
    if (x->m < 0) return 100 * x->m_place;
    if (x->n < 0) return 100 * x->n_place;
    if (x->i < 1) return desc - 200;
    if (x->j < 1) return desc - 100;
    if (d[MB] < 1) return desc + MB + 1;
    if (d[NB] < 1) return desc + NB + 1;
    if (d[RSRC] < 0 || d[RSRC] >= g->rows) return desc + RSRC + 1;
    if (d[CSRC] < 0 || d[CSRC] >= g->columns) return desc + CSRC + 1;
    if (d[M] < !empty) return desc + M + 1;
    if (d[N] < !empty) return desc + N + 1;
    if (!empty && x->i > d[M]) return desc - 200;
    if (!empty && x->j > d[N]) return desc - 100;
    if (!empty && (long)x->i + x->m - 1 > d[M]) return 100 * x->m_place;
    if (!empty && (long)x->j + x->n - 1 > d[N]) return 100 * x->n_place;
    if (d[LLD] < least_ld(d, g)) return desc + LLD + 1;
    return 0;
}

static int as_info(int part)
{
    return part % 100 ? -part : -(part / 100);
}

/* Returns info, having said so. */
static int refuse(const char *letter, const char *what, int info, const char *how)
{
    int argument = info <= -100 ? -info / 100 : -info, entry = info <= -100 ? -info % 100 : 0;
    ob_job *job;
    int number = ob_job_start(&job) == OB_OK ? ob_job_number(job) : 0;
    if (entry)
        fprintf(stderr, "OpenBLACS: bsp_p%s%s: entry %d of the descriptor that is argument %d %s "
                "(info %d); process number %d\n", letter, what, entry, argument, how, info, number);
    else
        fprintf(stderr, "OpenBLACS: bsp_p%s%s: argument %d %s (info %d); process number %d\n",
                letter, what, argument, how, info, number);
    return info;
}

/* -------------------------------------------------------- grids and matrices */

/* No argument: what bsp_lu_block and its like have set. */
enum { SETTING = 9900, GLOBALS = 40 };

static _Noreturn void refuse_settings(const char *letter, const char *what)
{
    ob_job *job;
    fprintf(stderr, "OpenBLACS: bsp_p%s%s: the processes have set different algorithmic blocks, panels or "
            "measuring (bsp_lu_block, bsp_lu_panel, bsp_lu_measure)\n", letter, what);
    if (ob_job_start(&job) == OB_OK)
        ob_job_abort(job, 1);
    exit(1);
}

/* What of a submatrix must be the same on all processes: not the context's number, nor the leading
 * dimension. Returns how many there are. */
static size_t globals_of(const sub *x, oblu_alike *list)
{
    const int *d = x->desc, desc = 100 * x->desc_place;
    const oblu_alike all[] = {{x->m, 100 * x->m_place}, {x->n, 100 * x->n_place}, {x->i, desc - 200},
                               {x->j, desc - 100}, {d[DTYPE], desc + DTYPE + 1}, {d[M], desc + M + 1},
                               {d[N], desc + N + 1}, {d[MB], desc + MB + 1}, {d[NB], desc + NB + 1},
                               {d[RSRC], desc + RSRC + 1}, {d[CSRC], desc + CSRC + 1}};
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* One call: its name, its matrices (b NULL where there is one), and a letter at argument 1 or 0. */
typedef struct call {
    const char *letter, *what;
    const sub *a, *b;
    const shape *g;
    int trans;
} call;

/* The grid for a call that all make alike; NULL with *info where one is wrong, or nothing is to be done. */
static bsp2d_grid *meet(const call *c, int wrong, bool empty, int *info)
{
    const shape *g = c->g;
    int context = c->a->desc[CTXT], count = g->rows * g->columns, place = g->row + g->column * g->rows;
    oblu_alike list[GLOBALS] = {{c->trans, 100}, {wanted_block, SETTING}, {wanted_panel, SETTING},
                                 {measured, SETTING}};
    size_t n = 4;
    n += globals_of(c->a, list + n);
    n += c->b ? globals_of(c->b, list + n) : 0;
    int *numbers = oblu_room(c->what, (size_t)count, sizeof *numbers);
    bsp2d_grid *grid = NULL;
    oblu_verdict found = oblu_agree(context, count, place, list, n, wrong, numbers);
    *info = as_info(found.part);
    if (found.part == SETTING)
        refuse_settings(c->letter, c->what);
    if (found.differs)
        refuse(c->letter, c->what, *info, "is not the same on all processes");
    else if (found.part && found.part == wrong)
        refuse(c->letter, c->what, *info, "is wrong");
    if (!found.part && !empty)
        grid = bsp2d_gridmap(numbers, g->rows, g->rows, g->columns);
    free(numbers);
    return grid;
}

static oblu_matrix matrix_of(const sub *x, const shape *g, const void *local)
{
    const int *d = x->desc;
    return (oblu_matrix){
        .rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, (size_t)g->row},
        .columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, (size_t)g->column},
        .first_row = (size_t)x->i - 1, .first_column = (size_t)x->j - 1,
        .m = (size_t)x->m, .n = (size_t)x->n, .local = (char *)local, .ld = (size_t)d[LLD]};
}

static shape shape_of(int context)
{
    shape g;
    Cblacs_gridinfo(context, &g.rows, &g.columns, &g.row, &g.column);
    return g;
}

/* From so many process rows on a process column factors blocks together. */
enum { MANY_ROWS = 4 };

static bool wish_together(int process_rows)
{
    bool wish = wanted_panel ? wanted_panel == BSP_LU_TOGETHER : process_rows >= MANY_ROWS;
    return wish && process_rows > 1;
}

/* The distribution's block where a process column factors it. Else a multiple of it: narrow, so that
 * its owner is soon done with it, or wide where the matrix leaves the caches, since each
 * block's product reads and writes what is left of it (docs/performance.md). */
static size_t block_for(const sub *x, const shape *g)
{
    size_t nb = (size_t)x->desc[NB], least = (size_t)(x->m < x->n ? x->m : x->n);
    size_t wish = least < 2250 ? 32 : 64;
    if (wanted_block)
        return (size_t)wanted_block;
    return nb >= wish || wish_together(g->rows) ? nb : (wish + nb / 2) / nb * nb;
}

/* Each block must lie in one process column for that, and a candidate for a pivot, with two rows
 * of the block, be an element that can be combined. */
static bool together(const oblu_kernels *k, const oblu_matrix *a, size_t block)
{
    return wish_together((int)a->rows.count) && a->columns.block % block == 0 &&
           a->first_column % block == 0 && oblu_candidate_bytes(k, block) <= OB_ELEMENT_BYTES;
}

/* The own process column, or all processes, as a grid of so many rows and columns; the caller's place in it. */
static bsp2d_grid *grid_of(int context, const char *scope, int rows, int columns, int place)
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

/* ---------------------------------------------------------------- routines */

static int factor(const oblu_kernels *k, const sub *x, const shape *g, bsp2d_grid *grid, void *a,
                  int *ipiv)
{
    oblu_matrix matrix = matrix_of(x, g, a);
    oblu_way way = {.block = block_for(x, g), .measured = measured != 0};
    if (x->m == 0 || x->n == 0)
        return 0;
    if (together(k, &matrix, way.block))
        way.column = grid_of(x->desc[CTXT], "Column", g->rows, 1, g->row);
    else if (g->rows * g->columns > 1)
        way.offers = grid_of(x->desc[CTXT], "All", g->rows, g->columns, g->row + g->column * g->rows);
    int info = oblu_factor(k, grid, &matrix, &way, ipiv, &last);
    bsp2d_gridexit(way.column);
    bsp2d_gridexit(way.offers);
    return info;
}

static int getrf(const oblu_kernels *k, int m, int n, void *a, int ia, int ja, const int *desca,
                 int *ipiv)
{
    sub x = {m, n, ia, ja, desca, 1, 2, 6};
    shape g = shape_of(desca[CTXT]);
    if (g.rows < 1)
        return refuse(k->letter, "getrf", -602, "is wrong");
    int info;
    call c = {k->letter, "getrf", &x, NULL, &g, 0};
    bsp2d_grid *grid = meet(&c, wrong_part(&x, &g), m == 0 || n == 0, &info);
    if (grid == NULL)
        return info;
    info = factor(k, &x, &g, grid, a, ipiv);
    bsp2d_gridexit(grid);
    return info;
}

static size_t owner_row(const int *d, const shape *g, int i)
{
    oblu_axis rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, 0};
    return oblu_owner(&rows, (size_t)i - 1);
}

/* What solving asks of A and B together: square blocks, and equal rows. */
static int wrong_together(const sub *a, const sub *b, const shape *g)
{
    const int *da = a->desc, *db = b->desc;
    if ((a->i - 1) % da[MB]) return 100 * (a->desc_place - 2);
    if ((a->j - 1) % da[NB]) return 100 * (a->desc_place - 1);
    if (da[MB] != da[NB]) return 100 * a->desc_place + NB + 1;
    if ((b->i - 1) % db[MB] || owner_row(db, g, b->i) != owner_row(da, g, a->i))
        return 100 * (b->desc_place - 2);
    if (db[MB] != da[NB]) return 100 * b->desc_place + NB + 1;
    if (db[CTXT] != da[CTXT]) return 100 * b->desc_place + CTXT + 1;
    return 0;
}

static int wrong_system(const sub *a, const sub *b, const shape *g)
{
    int wrong = wrong_part(a, g);
    if (!wrong)
        wrong = wrong_part(b, g);
    return wrong ? wrong : wrong_together(a, b, g);
}

static void solve(const oblu_kernels *k, bsp2d_grid *grid, const shape *g, char trans, const sub *a,
                  const void *a_local, const int *ipiv, const sub *b, void *b_local)
{
    oblu_matrix factors = matrix_of(a, g, a_local), sides = matrix_of(b, g, b_local);
    oblu_solve(k, grid, trans, &factors, ipiv, &sides);
}

static char upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

static int getrs(const oblu_kernels *k, char trans, int n, int nrhs, const void *a, int ia, int ja,
                 const int *desca, const int *ipiv, void *b, int ib, int jb, const int *descb)
{
    sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 12};
    shape g = shape_of(desca[CTXT]);
    if (g.rows < 1)
        return refuse(k->letter, "getrs", -702, "is wrong");
    int info, wrong = wrong_system(&x, &y, &g);
    trans = upper(trans);
    if (!wrong && trans != 'N' && trans != 'T' && trans != 'C')
        wrong = 100;
    call c = {k->letter, "getrs", &x, &y, &g, trans};
    bsp2d_grid *grid = meet(&c, wrong, n == 0 || nrhs == 0, &info);
    if (grid == NULL)
        return info;
    solve(k, grid, &g, trans, &x, a, ipiv, &y, b);
    bsp2d_gridexit(grid);
    return 0;
}

static int gesv(const oblu_kernels *k, int n, int nrhs, void *a, int ia, int ja, const int *desca,
                int *ipiv, void *b, int ib, int jb, const int *descb)
{
    sub x = {n, n, ia, ja, desca, 1, 1, 6}, y = {n, nrhs, ib, jb, descb, 1, 2, 11};
    shape g = shape_of(desca[CTXT]);
    if (g.rows < 1)
        return refuse(k->letter, "gesv", -602, "is wrong");
    int info;
    call c = {k->letter, "gesv", &x, &y, &g, 0};
    bsp2d_grid *grid = meet(&c, wrong_system(&x, &y, &g), n == 0, &info);
    if (grid == NULL)
        return info;
    info = factor(k, &x, &g, grid, a, ipiv);
    if (info == 0 && nrhs > 0)
        solve(k, grid, &g, 'N', &x, a, ipiv, &y, b);
    bsp2d_gridexit(grid);
    return info;
}

#define ENTRIES(x, real)                                                                           \
    void bsp_p##x##getrf(int m, int n, real *a, int ia, int ja, const int *desca, int *ipiv,      \
                         int *info)                                                                \
    {                                                                                              \
        *info = getrf(&oblu_##x, m, n, a, ia, ja, desca, ipiv);                                    \
    }                                                                                              \
    void bsp_p##x##getrf_(const int *m, const int *n, real *a, const int *ia, const int *ja,      \
                          const int *desca, int *ipiv, int *info)                                  \
    {                                                                                              \
        *info = getrf(&oblu_##x, *m, *n, a, *ia, *ja, desca, ipiv);                                \
    }                                                                                              \
    void bsp_p##x##getrs(char trans, int n, int nrhs, const real *a, int ia, int ja,              \
                         const int *desca, const int *ipiv, real *b, int ib, int jb,               \
                         const int *descb, int *info)                                              \
    {                                                                                              \
        *info = getrs(&oblu_##x, trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb);        \
    }                                                                                              \
    void bsp_p##x##getrs_(const char *trans, const int *n, const int *nrhs, const real *a,        \
                          const int *ia, const int *ja, const int *desca, const int *ipiv,         \
                          real *b, const int *ib, const int *jb, const int *descb, int *info)      \
    {                                                                                              \
        *info = getrs(&oblu_##x, *trans, *n, *nrhs, a, *ia, *ja, desca, ipiv, b, *ib, *jb, descb); \
    }                                                                                              \
    void bsp_p##x##gesv(int n, int nrhs, real *a, int ia, int ja, const int *desca, int *ipiv,    \
                        real *b, int ib, int jb, const int *descb, int *info)                      \
    {                                                                                              \
        *info = gesv(&oblu_##x, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb);                \
    }                                                                                              \
    void bsp_p##x##gesv_(const int *n, const int *nrhs, real *a, const int *ia, const int *ja,    \
                         const int *desca, int *ipiv, real *b, const int *ib, const int *jb,       \
                         const int *descb, int *info)                                              \
    {                                                                                              \
        *info = gesv(&oblu_##x, *n, *nrhs, a, *ia, *ja, desca, ipiv, b, *ib, *jb, descb);          \
    }

ENTRIES(s, float)
ENTRIES(d, double)
ENTRIES(c, float)
ENTRIES(z, double)
