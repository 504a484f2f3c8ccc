/*
 * BSP2D: grids, their end of a superstep, and what it cost.
 */
#include "grid.h"

#include <stdlib.h>

#include "common/fault.h"
#include "common/lent.h"

static ob_job *job(const char *routine)
{
    ob_job *j = NULL;
    bspm_check(NULL, routine, ob_job_start(&j));
    return j;
}

static void make_scopes(bsp2d_grid *g, const char *routine)
{
    int *positions = bspm_more(g->m, NULL, (size_t)(g->rows > g->columns ? g->rows : g->columns),
                               sizeof *positions);
    for (int j = 0; j < g->columns; j++)
        positions[j] = g->myrow * g->columns + j;
    bspm_check(g->m, routine, ob_group_part(g->m->group, 1, positions, g->columns, &g->row));
    for (int i = 0; i < g->rows; i++)
        positions[i] = i * g->columns + g->mycolumn;
    bspm_check(g->m, routine, ob_group_part(g->m->group, 2, positions, g->rows, &g->column));
    free(positions);
}

static void check_dimensions(const char *routine, int rows, int columns)
{
    int there = ob_job_count(job(routine));
    if (rows < 1 || columns < 1 || (long)rows * columns > there)
        bspm_fault(NULL, routine,
                   "OB-1011 a grid of %d x %d, but there are %d processes%s; process number %d",
                   rows, columns, there, ob_fault_alone(job(routine)), ob_job_number(job(routine)));
}

static bsp2d_grid *make_of(const char *routine, ob_group *group, int rows, int columns)
{
    bsp2d_grid *g = bspm_more(NULL, NULL, 1, sizeof *g);
    *g = (bsp2d_grid){.m = bspm_open(routine, group), .rows = rows, .columns = columns};
    g->myrow = g->m->me / columns;
    g->mycolumn = g->m->me % columns;
    g->m->dims = (uint64_t)rows << 32 | (uint64_t)columns;
    g->counts = bspm_more(g->m, NULL, (size_t)g->m->size, sizeof *g->counts);
    return g;
}

/* Process (i, j)'s number in the job is numbers[down i + right j]; NULL: that index itself. */
static bsp2d_grid *make(const char *routine, int rows, int columns, const int *numbers, size_t down,
                        size_t right)
{
    ob_group *group = NULL;
    int *list = bspm_more(NULL, NULL, (size_t)rows * (size_t)columns, sizeof *list);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            size_t at = down * (size_t)i + right * (size_t)j;
            list[i * columns + j] = numbers ? numbers[at] : (int)at;
        }
    bspm_check(NULL, routine, ob_group_create(job(routine), list, rows * columns, &group));
    free(list);
    bsp2d_grid *g = make_of(routine, group, rows, columns);
    bspm_agree(g->m, g->m->dims);
    make_scopes(g, routine);
    return g;
}

bsp2d_grid *ob_bsp2d_lent(ob_group *all, ob_group *row, ob_group *column, int rows, int columns)
{
    BSPM_ROUTINE("bsp2d_gridmap");
    bsp2d_grid *g = make_of("bsp2d_gridmap", all, rows, columns);
    g->row = row;
    g->column = column;
    g->lent = true;
    return g;
}

bsp2d_grid *bsp2d_gridinit(char order, int nprow, int npcol)
{
    BSPM_ROUTINE("bsp2d_gridinit");
    const char *routine = "bsp2d_gridinit";
    bool by_columns = order == 'C' || order == 'c';
    if (!by_columns && order != 'R' && order != 'r')
        bspm_fault(NULL, routine, "OB-1007 the order is '%c'; R or C", order);
    check_dimensions(routine, nprow, npcol);
    if (ob_job_number(job(routine)) >= nprow * npcol)
        return NULL;
    return by_columns ? make(routine, nprow, npcol, NULL, 1, (size_t)nprow)
                      : make(routine, nprow, npcol, NULL, (size_t)npcol, 1);
}

bsp2d_grid *bsp2d_gridmap(const int *numbers, int ld, int nprow, int npcol)
{
    BSPM_ROUTINE("bsp2d_gridmap");
    const char *routine = "bsp2d_gridmap";
    check_dimensions(routine, nprow, npcol);
    if (numbers == NULL || ld < nprow)
        bspm_fault(NULL, routine, "OB-1001 the map is at %p with leading dimension %d for %d rows",
                   (const void *)numbers, ld, nprow);
    return make(routine, nprow, npcol, numbers, 1, (size_t)ld);
}

void bsp2d_gridexit(bsp2d_grid *g)
{
    BSPM_ROUTINE("bsp2d_gridexit");
    if (g == NULL)
        return;
    bspm_sync(g->m, "bsp2d_gridexit", BSPM_EXIT);
    bspm_buffers_free(g);
    ob_group *group = g->m->group;
    bspm_close(g->m);
    if (!g->lent) {
        ob_group_free(g->row);
        ob_group_free(g->column);
        ob_group_free(group);
    }
    free(g->work);
    free(g->counts);
    free(g);
}

static void give(int *to, int value)
{
    if (to)
        *to = value;
}

void bsp2d_gridinfo(const bsp2d_grid *g, int *nprow, int *npcol, int *myrow, int *mycol)
{
    give(nprow, g ? g->rows : -1);
    give(npcol, g ? g->columns : -1);
    give(myrow, g ? g->myrow : -1);
    give(mycol, g ? g->mycolumn : -1);
}

int bsp2d_pid(const bsp2d_grid *g, int prow, int pcol)
{
    return bspm_pid_of(g, "bsp2d_pid", prow, pcol);
}

/* -------------------------------------------------------------------- sync */

void bsp2d_sync(bsp2d_grid *g)
{
    BSPM_ROUTINE("bsp2d_sync");
    bsp_machine *m = bspm_machine_of(g, "bsp2d_sync");
    double start = ob_time();
    bspm_sync(m, "bsp2d_sync", BSPM_SYNC);
    bspm_buffers_sync(g);
    g->cost.supersteps++;
    g->cost.sync_seconds += ob_time() - start;
}

void bsp2d_costs(bsp2d_grid *g, bsp2d_cost *cost, int reset)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_costs");
    if (cost) {
        *cost = g->cost;
        cost->sent += m->sent;
        cost->received += m->received;
    }
    if (reset) {
        g->cost = (bsp2d_cost){0};
        m->sent = m->received = 0;
    }
}

/* ----------------------------------------------------------- remote memory */

void bsp2d_push_reg(bsp2d_grid *g, const void *ident, size_t size)
{
    bspm_push(bspm_machine_of(g, "bsp2d_push_reg"), "bsp2d_push_reg", ident, size);
}

void bsp2d_pop_reg(bsp2d_grid *g, const void *ident)
{
    bspm_pop(bspm_machine_of(g, "bsp2d_pop_reg"), "bsp2d_pop_reg", ident);
}

void bsp2d_put(bsp2d_grid *g, int pid, const void *src, void *dst, size_t offset, size_t nbytes)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_put");
    OB_TRACE_ASK("bsp2d_put", m->group, pid, nbytes);
    bspm_put(m, "bsp2d_put", pid, src, dst, offset, nbytes);
}

void bsp2d_get(bsp2d_grid *g, int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_get");
    OB_TRACE_ASK("bsp2d_get", m->group, pid, nbytes);
    bspm_get_request(m, "bsp2d_get", pid, src, offset, dst, nbytes);
}

void bsp2d_hpput(bsp2d_grid *g, int pid, const void *src, void *dst, size_t offset, size_t nbytes)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_hpput");
    OB_TRACE_ASK("bsp2d_hpput", m->group, pid, nbytes);
    bspm_hpput(m, "bsp2d_hpput", pid, src, dst, offset, nbytes);
}

void bsp2d_hpget(bsp2d_grid *g, int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_hpget");
    OB_TRACE_ASK("bsp2d_hpget", m->group, pid, nbytes);
    bspm_hpget(m, "bsp2d_hpget", pid, src, offset, dst, nbytes);
}

void bsp2d_put_matrix(bsp2d_grid *g, int pid, const ob_view *a, void *dst, size_t offset, size_t ld)
{
    const char *routine = "bsp2d_put_matrix";
    bspm_check_view(g, routine, a);
    if (a->shape != OB_GENERAL || ld < a->m)
        bspm_fault(g->m, routine,
                   "OB-1004 needs a general matrix, and a leading dimension of at least its %zu "
                   "rows, not %zu",
                   a->m, ld);
    size_t unit = ob_type_bytes(a->type), most = PTRDIFF_MAX / unit;
    if (offset > most || (a->n && ld > most / a->n))
        bspm_fault(g->m, routine,
                   "OB-1005 offset %zu and leading dimension %zu are beyond any memory", offset,
                   ld);
    OB_TRACE_ASK(routine, g->m->group, pid, a->m * a->n * unit);
    bspm_put_matrix(g->m, routine, pid, a, dst, offset, ld);
}
