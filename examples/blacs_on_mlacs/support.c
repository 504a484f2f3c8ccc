/*
 * The support routines of the BLACS on the MLACS: contexts, grids, and questions to them
 * (Walker's figures 14 and 15). The paper lets a context be the communicator that the grid was
 * made from and keeps the grid's three communicators with it by MPI's attributes, so that
 * a communicator has one grid. Here contexts are small numbers with a table behind them:
 * programs make many grids of all processes, and there may be no MPI.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "context.h"

enum { GRIDS = 4096 };
static grid *grids[GRIDS]; /* by context; NULL: free */

/* --------------------------------------------------------------------- errors */

void fault(const call *c, const char *what)
{
    int me = -1, count;
    mlacs_procinfo(&me, &count);
    fprintf(stderr, "BLACS on MLACS: %s: %s; process %d, context %d\n", c->routine, what, me,
            c->context);
    mlacs_abort(MLACS_COMM_WORLD, 1);
    abort();
}

void must(const call *c, int code)
{
    if (code != MLACS_SUCCESS)
        fault(c, mlacs_error_text());
}

/* ------------------------------------------------------------------- contexts */

static grid *find(int context)
{
    return context >= 0 && context < GRIDS ? grids[context] : NULL;
}

const grid *grid_of(const call *c)
{
    const grid *g = find(c->context);
    if (g == NULL)
        fault(c, "the context is no grid of this process");
    return g;
}

MLACS_Comm scope_of(const call *c, const grid *g, char scope)
{
    switch (upper(scope)) {
    case 'A': return g->all;
    case 'R': return g->row;
    case 'C': return g->column;
    default: fault(c, "the scope is none of A, R and C");
    }
}

/* The paper's CACHE_COMMUNICATOR: the lowest free number. */
static int keep(const call *c, const grid *made)
{
    int context = 0;
    while (context < GRIDS && grids[context])
        context++;
    if (context == GRIDS)
        fault(c, "there are too many grids");
    grids[context] = malloc(sizeof *made);
    if (grids[context] == NULL)
        fault(c, "no memory for a grid");
    *grids[context] = *made;
    return context;
}

/* System contexts: 0 is all processes, 1 + k those of grid k. */
static MLACS_Comm system_of(const call *c)
{
    if (c->context == 0)
        return MLACS_COMM_WORLD;
    const grid *g = find(c->context - 1);
    if (g == NULL)
        fault(c, "the system context is neither 0 nor one of blacs_get");
    return g->all;
}

/* ---------------------------------------------------------------------- grids */

static void enroll(const call *c, grid *g, int *context)
{
    if (g->all == MLACS_COMM_NULL) {
        *context = -1;
        return;
    }
    must(c, mlacs_gridinfo(g->all, &g->nprow, &g->npcol, &g->myrow, &g->mycol));
    *context = keep(c, g);
}

void Cblacs_gridmap(int *context, const int *usermap, int ldu, int nprow, int npcol)
{
    const call c = {"blacs_gridmap", *context};
    MLACS_Comm from = system_of(&c);
    grid g = {0};
    must(&c, mlacs_gridmap(usermap, ldu, nprow, npcol, from, &g.all, &g.row, &g.column));
    enroll(&c, &g, context);
}

void Cblacs_gridinit(int *context, const char *order, int nprow, int npcol)
{
    const call c = {"blacs_gridinit", *context};
    MLACS_Comm from = system_of(&c);
    grid g = {0};
    if (upper(*order) == 'C' && nprow > 0 && npcol > 0) {
        int *map = malloc((size_t)nprow * (size_t)npcol * sizeof *map);
        if (map == NULL)
            fault(&c, "no memory for a map");
        for (int k = 0; k < nprow * npcol; k++)
            map[k] = k;
        must(&c, mlacs_gridmap(map, nprow, nprow, npcol, from, &g.all, &g.row, &g.column));
        free(map);
    } else {
        must(&c, mlacs_gridinit(from, nprow, npcol, &g.all, &g.row, &g.column));
    }
    enroll(&c, &g, context);
}

void Cblacs_gridexit(int context)
{
    const call c = {"blacs_gridexit", context};
    grid g = *grid_of(&c);
    free(grids[context]);
    grids[context] = NULL;
    must(&c, mlacs_gridexit(&g.all, &g.row, &g.column));
}

void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *myrow, int *mycol)
{
    const grid *g = find(context);
    *nprow = g ? g->nprow : -1;
    *npcol = g ? g->npcol : -1;
    *myrow = g ? g->myrow : -1;
    *mycol = g ? g->mycol : -1;
}

int Cblacs_pnum(int context, int prow, int pcol)
{
    const call c = {"blacs_pnum", context};
    int rank;
    return mlacs_cart_rank(grid_of(&c)->all, prow, pcol, &rank) == MLACS_SUCCESS ? rank : -1;
}

void Cblacs_pcoord(int context, int pnum, int *prow, int *pcol)
{
    const call c = {"blacs_pcoord", context};
    if (mlacs_cart_coords(grid_of(&c)->all, pnum, prow, pcol) != MLACS_SUCCESS)
        *prow = *pcol = -1;
}

void Cblacs_barrier(int context, const char *scope)
{
    const call c = {"blacs_barrier", context};
    must(&c, mlacs_barrier(scope_of(&c, grid_of(&c), *scope)));
}

/* -------------------------------------------------------------------- the job */

void Cblacs_pinfo(int *me, int *count)
{
    const call c = {"blacs_pinfo", -1};
    must(&c, mlacs_procinfo(me, count));
}

void Cblacs_setup(int *me, int *count)
{
    Cblacs_pinfo(me, count);
}

static int *setting_of(int context, int what)
{
    grid *g = find(context);
    int k = what - SETTING_FIRST;
    return g && k >= 0 && k < SETTINGS ? &g->setting[k] : NULL;
}

/* 0: the system context of all processes; 10: that of the grid's own. */
void Cblacs_get(int context, int what, int *value)
{
    const int *setting = setting_of(context, what);
    *value = setting ? *setting : what == 10 ? context + 1 : 0;
}

void Cblacs_set(int context, int what, const int *value)
{
    int *setting = setting_of(context, what);
    if (setting)
        *setting = *value;
}

void Cblacs_freebuff(int context, int wait)
{
    (void)context, (void)wait;
}

void Cblacs_abort(int context, int code)
{
    fprintf(stderr, "BLACS on MLACS: blacs_abort in context %d with code %d\n", context, code);
    mlacs_abort(MLACS_COMM_WORLD, code);
}

void Cblacs_exit(int notdone)
{
    for (int k = 0; k < GRIDS; k++)
        if (grids[k])
            Cblacs_gridexit(k);
    if (notdone == 0)
        mlacs_exit();
}

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double Cdwalltime00(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

double Cdcputime00(void)
{
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The MLACS have tags of their own, so the BLACS reserve none. */
int Cksendid(int context, int rdest, int cdest)
{
    (void)context, (void)rdest, (void)cdest;
    return -1;
}

int Ckrecvid(int context, int rsrc, int csrc)
{
    return Cksendid(context, rsrc, csrc);
}

int Ckbsid(int context, const char *scope)
{
    (void)scope;
    return Cksendid(context, 0, 0);
}

int Ckbrid(int context, const char *scope, int rsrc, int csrc)
{
    (void)scope;
    return Cksendid(context, rsrc, csrc);
}

/* ------------------------------------------------- the same names for Fortran */

void blacs_gridmap_(int *c, const int *map, const int *ldu, const int *p, const int *q)
{
    Cblacs_gridmap(c, map, *ldu, *p, *q);
}

void blacs_gridinit_(int *c, const char *order, const int *p, const int *q)
{
    Cblacs_gridinit(c, order, *p, *q);
}

void blacs_gridexit_(const int *c)
{
    Cblacs_gridexit(*c);
}

void blacs_gridinfo_(const int *c, int *p, int *q, int *i, int *j)
{
    Cblacs_gridinfo(*c, p, q, i, j);
}

int blacs_pnum_(const int *c, const int *i, const int *j)
{
    return Cblacs_pnum(*c, *i, *j);
}

void blacs_pcoord_(const int *c, const int *k, int *i, int *j)
{
    Cblacs_pcoord(*c, *k, i, j);
}

void blacs_barrier_(const int *c, const char *scope)
{
    Cblacs_barrier(*c, scope);
}

void blacs_pinfo_(int *me, int *count)
{
    Cblacs_pinfo(me, count);
}

void blacs_setup_(int *me, int *count)
{
    Cblacs_setup(me, count);
}

void blacs_get_(const int *c, const int *what, int *value)
{
    Cblacs_get(*c, *what, value);
}

void blacs_set_(const int *c, const int *what, const int *value)
{
    Cblacs_set(*c, *what, value);
}

void blacs_freebuff_(const int *c, const int *wait)
{
    Cblacs_freebuff(*c, *wait);
}

void blacs_abort_(const int *c, const int *code)
{
    Cblacs_abort(*c, *code);
}

void blacs_exit_(const int *notdone)
{
    Cblacs_exit(*notdone);
}

double dwalltime00_(void)
{
    return Cdwalltime00();
}

double dcputime00_(void)
{
    return Cdcputime00();
}

int ksendid_(const int *c, const int *i, const int *j)
{
    return Cksendid(*c, *i, *j);
}

int krecvid_(const int *c, const int *i, const int *j)
{
    return Ckrecvid(*c, *i, *j);
}

int kbsid_(const int *c, const char *scope)
{
    return Ckbsid(*c, scope);
}

int kbrid_(const int *c, const char *scope, const int *i, const int *j)
{
    return Ckbrid(*c, scope, *i, *j);
}
