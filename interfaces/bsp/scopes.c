/*
 * BSP2D: broadcasts and reductions in the scope of a row, a column or the grid. The two
 * supersteps of a two-phase broadcast are the core's scatter and collect, those of a reduction
 * its distributed combine and collect (Horvitz and Bisseling, section 4).
 */
#include <stdlib.h>

#include "common/letter.h"
#include "grid.h"

/* Bytes of a broadcast to the whole grid for which a second superstep does not pay, and of a
 * reduction for which pieces do not. */
enum { ONE_PHASE = 2048 };

typedef struct scope {
    ob_group *group;
    int size, me, root;
} scope;

static scope scope_of(const bsp2d_grid *g, const char *routine, char letter, int prow, int pcol)
{
    scope s = {0};
    char capital = ob_capital(letter);
    switch (capital) {
    case 'R': s = (scope){g->row, g->columns, g->mycolumn, bspm_pid_of(g, routine, 0, pcol)}; break;
    case 'C':
        s = (scope){g->column, g->rows, g->myrow, bspm_pid_of(g, routine, prow, 0) / g->columns};
        break;
    case 'A':
        s = (scope){g->m->group, g->m->size, g->m->me, bspm_pid_of(g, routine, prow, pcol)};
        break;
    default: bspm_fault(g->m, routine, "OB-1007 the scope is '%c'; R, C or A", letter);
    }
    bspm_note_scope(g->m, (uint64_t)capital << 32 | (uint64_t)(capital == 'A' ? s.root : 0));
    OB_TRACE_SCOPE(capital);
    return s;
}

/* ------------------------------------------------------------------ pieces */

static void *work(bsp2d_grid *g, size_t bytes)
{
    if (g->work_bytes < bytes) {
        free(g->work);
        g->work = bspm_more(g->m, NULL, bytes, 1);
        g->work_bytes = bytes;
    }
    return g->work;
}

static bool one_run(const ob_view *a)
{
    return a->shape == OB_GENERAL && (a->ld == a->m || a->n <= 1);
}

/* The matrix's elements in one run, cut into a piece for each process of the scope. */
static ob_pieces cut(bsp2d_grid *g, const ob_view *a, int size, bool filled)
{
    size_t count = ob_view_count(a), q = (size_t)size;
    ob_pieces p = {.base = a->base, .type = a->type, .counts = g->counts};
    if (!one_run(a)) {
        p.base = work(g, count * ob_type_bytes(a->type));
        if (filled)
            ob_view_pack(a, p.base);
    }
    for (size_t k = 0; k < q; k++)
        g->counts[k] = count / q + (k < count % q);
    return p;
}

static void put_back(const ob_view *a, const ob_pieces *p)
{
    if (p->base != a->base)
        ob_view_unpack(a, p->base);
}

static ob_view piece(const ob_pieces *p, int k)
{
    size_t before = 0;
    for (int i = 0; i < k; i++)
        before += p->counts[i];
    return ob_view_vector((char *)p->base + before * ob_type_bytes(p->type), p->counts[k], p->type);
}

static void count_cost(bsp2d_grid *g, int supersteps, size_t sent, size_t received, double start)
{
    g->cost.supersteps += (size_t)supersteps;
    g->cost.sent += sent;
    g->cost.received += received;
    g->cost.sync_seconds += ob_time() - start;
}

/* --------------------------------------------------------------- broadcast */

static void in_two_phases(bsp2d_grid *g, const char *routine, const scope *s, const ob_view *a,
                          double start)
{
    bool root = s->me == s->root;
    ob_pieces p = cut(g, a, s->size, root);
    ob_view mine = piece(&p, s->me);
    size_t unit = ob_type_bytes(a->type), bytes = ob_view_count(a) * unit, own = mine.m * unit;
    bspm_check(g->m, routine, ob_scatter(s->group, s->root, &p, root ? NULL : &mine, NULL));
    bspm_check(g->m, routine, ob_collect(s->group, &p, NULL));
    if (!root)
        put_back(a, &p);
    count_cost(g, 2, (root ? bytes - own : 0) + own * (size_t)(s->size - 1),
               (root ? 0 : own) + bytes - own, start);
}

void bsp2d_bcast(bsp2d_grid *g, char letter, int prow, int pcol, const ob_view *a)
{
    BSPM_ROUTINE("bsp2d_bcast");
    const char *routine = "bsp2d_bcast";
    bspm_check_view(g, routine, a);
    scope s = scope_of(g, routine, letter, prow, pcol);
    size_t bytes = ob_view_count(a) * ob_type_bytes(a->type);
    double start = ob_time();
    bspm_apart(g->m, routine);
    if (s.size == 1)
        return;
    if (s.size > 2 && (s.group != g->m->group || bytes > ONE_PHASE)) {
        in_two_phases(g, routine, &s, a, start);
        return;
    }
    bool root = s.me == s.root;
    bspm_check(g->m, routine, ob_broadcast(s.group, s.root, a, NULL));
    count_cost(g, 1, root ? bytes * (size_t)(s.size - 1) : 0, root ? 0 : bytes, start);
}

/* --------------------------------------------------------------- reductions */

static void reduce(bsp2d_grid *g, const char *routine, const scope *s, ob_op op,
                   const ob_operation *own, const ob_view *a, double start)
{
    ob_pieces p = cut(g, a, s->size, true);
    size_t unit = ob_type_bytes(a->type), bytes = ob_view_count(a) * unit;
    size_t mine = piece(&p, s->me).m * unit, others = (size_t)(s->size - 1);
    bspm_check(g->m, routine,
               own ? ob_distributed_combine_by(s->group, own, &p, NULL)
                   : ob_distributed_combine(s->group, op, &p, NULL));
    bspm_check(g->m, routine, ob_collect(s->group, &p, NULL));
    put_back(a, &p);
    count_cost(g, 2, bytes - mine + mine * others, mine * others + bytes - mine, start);
}

void bsp2d_reduce(bsp2d_grid *g, char letter, ob_op op, const ob_view *a, int *owner,
                  size_t ld_owner)
{
    BSPM_ROUTINE("bsp2d_reduce");
    static const ob_route coherent = {.coherent = 1};
    const char *routine = "bsp2d_reduce";
    bspm_check_view(g, routine, a);
    scope s = scope_of(g, routine, letter, 0, 0);
    size_t bytes = ob_view_count(a) * ob_type_bytes(a->type);
    double start = ob_time();
    if (owner == NULL)
        bspm_apart(g->m, routine);
    if (s.size > 2 && owner == NULL && bytes > ONE_PHASE) {
        reduce(g, routine, &s, op, NULL, a, start);
        return;
    }
    bspm_check(g->m, routine,
               ob_combine(s.group, OB_ANY, op, a, owner, ld_owner, s.size > 2 ? &coherent : NULL));
    int supersteps = s.size < 3 ? s.size - 1 : 2;
    count_cost(g, supersteps, bytes * (size_t)supersteps, bytes * (size_t)supersteps, start);
}

/* Elements wider than the matrix's type would be cut through by pieces of it. */
void bsp2d_reduce_by(bsp2d_grid *g, char letter, const ob_operation *operation, const ob_view *a)
{
    BSPM_ROUTINE("bsp2d_reduce_by");
    const char *routine = "bsp2d_reduce_by";
    bspm_check_view(g, routine, a);
    scope s = scope_of(g, routine, letter, 0, 0);
    size_t unit = ob_type_bytes(a->type), bytes = ob_view_count(a) * unit;
    double start = ob_time();
    if (operation == NULL)
        bspm_fault(g->m, routine, "OB-1001 the operation is NULL");
    if (s.size == 1)
        return;
    if (s.size > 2 && operation->element_bytes == unit) {
        reduce(g, routine, &s, OB_SUM, operation, a, start);
        return;
    }
    bspm_check(g->m, routine, ob_combine_by(s.group, OB_ANY, operation, a, NULL));
    int supersteps = s.size == 2 ? 1 : 2;
    count_cost(g, supersteps, bytes * (size_t)supersteps, bytes * (size_t)supersteps, start);
}

/* ------------------------------------------------------- replicated scalars */

/* Which of the contributors a process is; -1: none. */
static int contributes(const bsp2d_grid *g, char letter, int prow, int pcol, int pid)
{
    int row = pid / g->columns, column = pid % g->columns;
    if (letter == 'R' || letter == 'r')
        return row == prow ? column : -1;
    if (letter == 'C' || letter == 'c')
        return column == pcol ? row : -1;
    return pid;
}

void bsp2d_replicate(bsp2d_grid *g, char letter, int prow, int pcol, const void *mine, size_t bytes,
                     void *all)
{
    BSPM_ROUTINE("bsp2d_replicate");
    const char *routine = "bsp2d_replicate";
    bsp_machine *m = bspm_machine_of(g, routine);
    bool of_row = letter == 'R' || letter == 'r', of_column = letter == 'C' || letter == 'c';
    scope_of(g, routine, letter, 0, 0);
    bspm_pid_of(g, routine, of_row ? prow : 0, of_column ? pcol : 0);
    double start = ob_time();
    size_t contributors = 0, own = 0;
    for (int i = 0; i < m->size; i++) {
        int k = contributes(g, letter, prow, pcol, i);
        g->counts[i] = k < 0 ? 0 : bytes;
        contributors += k >= 0;
        if (i == m->me && k >= 0 && bytes) {
            memmove((char *)all + (size_t)k * bytes, mine, bytes);
            own = bytes;
        }
    }
    ob_pieces p = {.base = all, .type = OB_BYTE, .counts = g->counts};
    if (m->size == 1)
        return;
    bspm_check(m, routine, ob_collect(m->group, &p, NULL));
    count_cost(g, 1, own * (size_t)(m->size - 1), contributors * bytes - own, start);
}
