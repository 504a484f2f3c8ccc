/*
 * BSP2D: sending and moving matrices.
 */
#include "grid.h"

void bsp2d_send(bsp2d_grid *g, int prow, int pcol, const ob_view *a)
{
    int pid = bspm_pid_of(g, "bsp2d_send", prow, pcol);
    bspm_check_view(g, "bsp2d_send", a);
    OB_TRACE_ASK("bsp2d_send", g->m->group, pid, ob_view_count(a) * ob_type_bytes(a->type));
    bspm_send_matrix(g->m, "bsp2d_send", pid, a);
}

void bsp2d_hpsend(bsp2d_grid *g, int prow, int pcol, const ob_view *a)
{
    int pid = bspm_pid_of(g, "bsp2d_hpsend", prow, pcol);
    bspm_check_view(g, "bsp2d_hpsend", a);
    OB_TRACE_ASK("bsp2d_hpsend", g->m->group, pid, ob_view_count(a) * ob_type_bytes(a->type));
    bspm_attach_matrix(g->m, "bsp2d_hpsend", pid, a);
}

/* The next message of a process; NULL: none. */
static bspm_matrix *next_of(const bsp2d_grid *g, int pid)
{
    const bsp_machine *m = g->m;
    return m->from[pid] < m->from[m->size + pid] ? &m->matrix[m->from[pid]] : NULL;
}

static bspm_matrix *take(bsp2d_grid *g, const char *routine, int prow, int pcol)
{
    int pid = bspm_pid_of(g, routine, prow, pcol);
    bspm_matrix *x = next_of(g, pid);
    if (x == NULL)
        bspm_fault(g->m, routine, "OB-6008 no message of process (%d,%d) waits", prow, pcol);
    g->m->from[pid]++;
    return x;
}

static const char *name_of(ob_type type)
{
    static const char *const names[OB_TYPES] = {
        "integer",        "real", "double precision", "complex",
        "double complex", "byte", "64-bit integer"};
    return names[type];
}

void bsp2d_move(bsp2d_grid *g, int prow, int pcol, const ob_view *a)
{
    const char *routine = "bsp2d_move";
    bspm_check_view(g, routine, a);
    const bspm_matrix *x = take(g, routine, prow, pcol);
    size_t there = ob_view_count(x), wanted = ob_view_count(a);
    if (x->type != a->type || there != wanted)
        bspm_fault(
            g->m, routine,
            "OB-6008 process (%d,%d) has sent %zu elements of type %s, wanted are %zu of type %s",
            prow, pcol, there, name_of(x->type), wanted, name_of(a->type));
    ob_view_unpack(a, x->base);
}

/* A message where it lies; a trapezoid's elements are one column. */
static ob_view packed_view(const bspm_matrix *x)
{
    ob_view v = *x;
    if (v.shape != OB_GENERAL) {
        v.m = v.ld = ob_view_count(x);
        v.n = 1;
        v.shape = OB_GENERAL;
        v.unit_diagonal = 0;
        v.ld += v.ld == 0;
    }
    return v;
}

void bsp2d_hpmove(bsp2d_grid *g, int prow, int pcol, ob_view *packed)
{
    *packed = packed_view(take(g, "bsp2d_hpmove", prow, pcol));
}

int bsp2d_qsize(const bsp2d_grid *g, int prow, int pcol)
{
    int pid = bspm_pid_of(g, "bsp2d_qsize", prow, pcol);
    return (int)(g->m->from[g->m->size + pid] - g->m->from[pid]);
}

int bsp2d_peek(const bsp2d_grid *g, int prow, int pcol, ob_view *packed)
{
    const bspm_matrix *x = next_of(g, bspm_pid_of(g, "bsp2d_peek", prow, pcol));
    if (x == NULL)
        return 0;
    *packed = packed_view(x);
    return 1;
}
