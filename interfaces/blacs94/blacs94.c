/*
 * The BLACS of 1994 on those of 1997: one grid, whose context this library keeps.
 * Functions have names of their own here and the 1994 names in the library, since
 * openblacs/blacs.h declares routines of those names with other arguments.
 */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "hooks/blacs.h"
#include "hooks/job.h"
#include "hooks/trace.h"
#include "openblacs/core.h"

#define ROUTINE(type, name, ...)                                                                   \
    type b94_##name(__VA_ARGS__) __asm__(#name "_");                                               \
    OB_API type b94_##name(__VA_ARGS__)

/* The one grid. */
static struct {
    int context; /* -1: none, or this process is not in it */
    int exists;
    int nprow, npcol, prow, pcol;
    int *number;          /* of each process, row-major; malloc'ed */
    int *sent, *received; /* identifiers given out, by process */
    int broadcasts[3],
        *heard; /* those of broadcasts: own, by scope; others', by scope and process */
} grid = {.context = -1};

static int branches = 1;
/* Ranges of identifiers: of messages, of broadcasts; in use, and for the next grid. */
typedef struct ranges {
    int minsnd, maxsnd, minbs, maxbs;
} ranges;
static ranges now = {0, INT_MAX / 2, INT_MAX / 2 + 1, INT_MAX},
              next = {0, INT_MAX / 2, INT_MAX / 2 + 1, INT_MAX};

/* What the routines below are called here, where that is not the same. */
static const struct {
    const char *theirs, *ours;
    int before; /* arguments that come before those of ours */
} names[] = {
    {"blacs_pinfo", "initpinfo", 0},    {"blacs_setup", "auxsetup", 0},
    {"blacs_gridinit", "blacsinit", 2}, {"blacs_gridmap", "gridmap", 1},
    {"blacs_barrier", "barrier", 1},    {"blacs_exit", "blacsexit", 0},
    {"igamx2d", "igmax2d", 1},          {"sgamx2d", "sgmax2d", 1},
    {"dgamx2d", "dgmax2d", 1},          {"cgamx2d", "cgmax2d", 1},
    {"zgamx2d", "zgmax2d", 1},          {"igamn2d", "igmin2d", 1},
    {"sgamn2d", "sgmin2d", 1},          {"dgamn2d", "dgmin2d", 1},
    {"cgamn2d", "cgmin2d", 1},          {"zgamn2d", "zgmin2d", 1},
};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *name_here(const char *routine)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(names[i].theirs, routine))
            return names[i].ours;
    return routine;
}

/* There is no context here, and it comes first there. */
static int argument_here(const char *routine, int number)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(names[i].ours, routine))
            return number - names[i].before;
    return number - 1;
}

__attribute__((constructor)) static void speak(void)
{
    ob_blacs_called(name_here, argument_here);
}

static _Noreturn void fault(const char *routine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static _Noreturn void fault(const char *routine, const char *format, ...)
{
    char where[40];
    int me, count;
    va_list args;
    ob_job *job;
    ob_blacs.Cblacs_pinfo(&me, &count);
    snprintf(where, sizeof where, "; process number %d", me);
    fflush(stdout);
    va_start(args, format);
    ob_fault_print("", routine, where, format, args);
    va_end(args);
    ob_fault_end(ob_job_start(&job) == OB_OK ? job : NULL, 1);
}

/* The context, for a routine that communicates. */
static int here(const char *routine)
{
    if (!grid.exists)
        fault(routine, "OB-7301 there is no grid yet; call blacsinit or gridmap first");
    if (grid.context < 0)
        fault(routine, "OB-7301 this process is not in the grid and must not communicate there");
    return grid.context;
}

/* ------------------------------------------------------------------ the grid */

/* How many the program has told of by setpvmtids; 0: it has not. */
static int tasks;

ROUTINE(void, initpinfo, int *mynum, int *nprocs)
{
    ob_blacs.Cblacs_pinfo(mynum, nprocs);
    if (tasks)
        *nprocs = tasks;
}

/* Programs name the number that they want as a constant. */
ROUTINE(void, auxsetup, int *mynum, int *nprocs)
{
    int me, count;
    ob_blacs.Cblacs_setup(&me, &count);
    ob_put_back(mynum, me);
    if (*nprocs < 1)
        ob_put_back(nprocs, tasks ? tasks : count);
}

/* The launcher has started the tasks and numbered them; their names in PVM mean nothing. */
ROUTINE(void, setpvmtids, const int *ntasks, const int *tids)
{
    int me, count;
    (void)tids;
    ob_blacs.Cblacs_pinfo(&me, &count);
    if (*ntasks < 1 || *ntasks > count)
        fault("setpvmtids",
              "OB-7303 argument 1 (NTASKS) is %d, must be 1 to %d, the processes that the "
              "launcher has started",
              *ntasks, count);
    tasks = *ntasks;
}

static void release(void)
{
    if (grid.context >= 0)
        ob_blacs.Cblacs_gridexit(grid.context);
    free(grid.number);
    free(grid.sent);
    free(grid.received);
    free(grid.heard);
    grid.context = -1;
    grid.exists = 0;
    grid.number = grid.sent = grid.received = grid.heard = NULL;
    for (int s = 0; s < 3; s++)
        grid.broadcasts[s] = 0;
}

static void set_branches(void)
{
    for (int what = 11; grid.context >= 0 && what <= 14; what++)
        ob_blacs.Cblacs_set(grid.context, what, &branches);
}

/* After the grid of the context was made. */
static void begin(const char *routine, int context, int nprow, int npcol)
{
    size_t count = (size_t)nprow * (size_t)npcol;
    grid.context = context;
    grid.exists = 1;
    ob_blacs.Cblacs_gridinfo(context, &grid.nprow, &grid.npcol, &grid.prow, &grid.pcol);
    if (context < 0) {
        grid.nprow = grid.prow = nprow;
        grid.npcol = grid.pcol = npcol;
    }
    grid.number = calloc(count, sizeof(int));
    grid.sent = calloc(count, sizeof(int));
    grid.received = calloc(count, sizeof(int));
    grid.heard = calloc(3 * count, sizeof(int));
    if (!grid.number || !grid.sent || !grid.received || !grid.heard)
        fault(routine, "OB-4001 no memory for a grid");
    now = next;
    set_branches();
}

ROUTINE(void, blacsinit, const int *nprow, const int *npcol)
{
    OB_TRACE_CALLER;
    int context;
    release();
    ob_blacs.Cblacs_get(-1, 0, &context);
    ob_blacs.Cblacs_gridinit(&context, "Row", *nprow, *npcol);
    begin("blacsinit", context, *nprow, *npcol);
    for (int k = 0; k < *nprow * *npcol; k++)
        grid.number[k] = k;
}

ROUTINE(void, gridmap, const int *usermap, const int *ldumap, const int *nprow, const int *npcol)
{
    OB_TRACE_CALLER;
    int context;
    release();
    ob_blacs.Cblacs_get(-1, 0, &context);
    ob_blacs.Cblacs_gridmap(&context, usermap, *ldumap, *nprow, *npcol);
    begin("gridmap", context, *nprow, *npcol);
    for (int i = 0; i < *nprow; i++)
        for (int j = 0; j < *npcol; j++)
            grid.number[i * *npcol + j] = usermap[i + (ptrdiff_t)j * *ldumap];
}

ROUTINE(void, gridinfo, int *nprow, int *npcol, int *prow, int *pcol)
{
    if (!grid.exists)
        fault("gridinfo", "OB-7301 there is no grid yet; call blacsinit or gridmap first");
    *nprow = grid.nprow;
    *npcol = grid.npcol;
    *prow = grid.prow;
    *pcol = grid.pcol;
}

ROUTINE(void, barrier, const char *scope)
{
    OB_TRACE_CALLER;
    ob_blacs.Cblacs_barrier(here("barrier"), scope);
}

static int inside(int prow, int pcol)
{
    return grid.exists && prow >= 0 && prow < grid.nprow && pcol >= 0 && pcol < grid.npcol;
}

ROUTINE(int, kpnum, const int *prow, const int *pcol)
{
    return inside(*prow, *pcol) ? grid.number[*prow * grid.npcol + *pcol] : -1;
}

ROUTINE(void, pcoord, const int *pnum, int *prow, int *pcol)
{
    *prow = *pcol = -1;
    for (int k = 0; grid.exists && k < grid.nprow * grid.npcol; k++)
        if (grid.number[k] == *pnum) {
            *prow = k / grid.npcol;
            *pcol = k % grid.npcol;
        }
}

ROUTINE(void, setbranches, const int *number)
{
    if (*number < 1)
        fault("setbranches", "OB-1008 argument 1 (BRANCHES) is %d, must be at least 1", *number);
    branches = *number;
    set_branches();
}

ROUTINE(void, freebuff, void)
{
    ob_blacs.Cblacs_freebuff(grid.context, 0);
}

ROUTINE(void, blacsexit, const int *notdone)
{
    release();
    ob_blacs.Cblacs_exit(*notdone);
}

/* ---------------------------------------------------------------- identifiers */

ROUTINE(void, idranges, int *minsnd, int *maxsnd, int *minbs, int *maxbs)
{
    *minsnd = now.minsnd;
    *maxsnd = now.maxsnd;
    *minbs = now.minbs;
    *maxbs = now.maxbs;
}

ROUTINE(void, shift_range, const int *minsnd, const int *maxsnd, const int *minbs, const int *maxbs)
{
    if (*minsnd < 0 || *maxsnd < *minsnd || *minbs < 0 || *maxbs < *minbs)
        fault("shift_range",
              "OB-7304 arguments 1 to 4 (MINSND, MAXSND, MINBS, MAXBS) are %d to %d and %d "
              "to %d; a range must begin at 0 or more and not end before it begins",
              *minsnd, *maxsnd, *minbs, *maxbs);
    if (*minsnd <= *maxbs && *minbs <= *maxsnd)
        fault("shift_range",
              "OB-7304 arguments 1 to 4 (MINSND, MAXSND, MINBS, MAXBS) are %d to %d and %d "
              "to %d; the ranges of messages and of broadcasts must not overlap",
              *minsnd, *maxsnd, *minbs, *maxbs);
    next = (ranges){*minsnd, *maxsnd, *minbs, *maxbs};
}

/* Part `part` of `parts` equal ones of a range, and the count-th number of it, round and round. */
static int identifier(const char *routine, int least, int most, int part, int parts, int count)
{
    long long each = ((long long)most - least + 1) / parts;
    if (each < 1)
        fault(routine,
              "OB-7304 the range of identifiers, %d to %d, is smaller than the grid, which needs "
              "%d; see shift_range",
              least, most, parts);
    return (int)(least + part * each + count % each);
}

static int position(const char *routine, int prow, int pcol)
{
    here(routine);
    if (!inside(prow, pcol))
        fault(routine, "OB-1009 process {%d,%d} is outside the %d x %d grid", prow, pcol,
              grid.nprow, grid.npcol);
    return prow * grid.npcol + pcol;
}

/* Counts grow round and round as well. */
static int take(int *count)
{
    int before = *count;
    *count = before == INT_MAX ? 0 : before + 1;
    return before;
}

ROUTINE(int, ksendid, const int *rsrc, const int *csrc, const int *rdest, const int *cdest)
{
    int from = position("ksendid", *rsrc, *csrc), to = position("ksendid", *rdest, *cdest);
    int me = grid.prow * grid.npcol + grid.pcol, parts = grid.nprow * grid.npcol;
    if (from != me && to != me)
        fault("ksendid",
              "OB-7305 arguments 1 to 4 (RSRC, CSRC, RDEST, CDEST) are {%d,%d} and {%d,%d}, a "
              "message neither from nor to the caller",
              *rsrc, *csrc, *rdest, *cdest);
    return identifier("ksendid", now.minsnd, now.maxsnd, from, parts,
                      take(from == me ? &grid.sent[to] : &grid.received[from]));
}

ROUTINE(int, krecvid, const int *rsrc, const int *csrc)
{
    int from = position("krecvid", *rsrc, *csrc);
    return identifier("krecvid", now.minsnd, now.maxsnd, from, grid.nprow * grid.npcol,
                      take(&grid.received[from]));
}

/* 0 to 2: row, column, all. */
static int scope_number(const char *routine, const char *scope)
{
    int letter = scope[0] & ~0x20;
    if (letter != 'R' && letter != 'C' && letter != 'A')
        fault(routine, "OB-1007 argument 1 (SCOPE) is '%c', must be R, C or A", scope[0]);
    return letter == 'R' ? 0 : letter == 'C' ? 1 : 2;
}

/* The three scopes share the range; each has a part for each source. */
static int broadcast_id(const char *routine, int scope, int from, int *count)
{

    int before = scope == 0 ? 0 : scope == 1 ? grid.npcol : grid.npcol + grid.nprow;
    int at = scope == 0 ? from % grid.npcol : scope == 1 ? from / grid.npcol : from;
    int parts = grid.npcol + grid.nprow + grid.nprow * grid.npcol;
    return identifier(routine, now.minbs, now.maxbs, before + at, parts, take(count));
}

ROUTINE(int, kbsid, const char *scope)
{
    int s = scope_number("kbsid", scope), me = position("kbsid", grid.prow, grid.pcol);
    return broadcast_id("kbsid", s, me, &grid.broadcasts[s]);
}

ROUTINE(int, kbrid, const char *scope, const int *rsrc, const int *csrc)
{
    int s = scope_number("kbrid", scope);
    int from = position("kbrid", s == 0 ? grid.prow : *rsrc, s == 1 ? grid.pcol : *csrc);
    return broadcast_id("kbrid", s, from, &grid.heard[s * grid.nprow * grid.npcol + from]);
}

/* -------------------------------------------------------------- communication */

/* 7.1.2: RSRC = -1 comes back as who it was. */
static void tell_source(const int *rsrc, const int *csrc)
{
    int prow, pcol;
    if (__builtin_expect(*rsrc != -1, 1))
        return;
    ob_blacs.Cblacs_source(grid.context, &prow, &pcol);
    ob_put_back(rsrc, prow);
    ob_put_back(csrc, pcol);
}

/* A routine that hands over to one of 1997. */
#define HAND_OVER(name, call, ...)                                                                 \
    ROUTINE(void, name, __VA_ARGS__)                                                               \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        call;                                                                                      \
    }

#define STAMP(p, T)                                                                                \
    HAND_OVER(p##gesd2d, ob_blacs.C##p##gesd2d(here(#p "gesd2d"), *m, *n, a, *lda, *r, *c),        \
              const int *m, const int *n, const T *a, const int *lda, const int *r, const int *c)  \
    HAND_OVER(                                                                                     \
        p##gerv2d,                                                                                 \
        (ob_blacs.C##p##gerv2d(here(#p "gerv2d"), *m, *n, a, *lda, *r, *c), tell_source(r, c)),    \
        const int *m, const int *n, T *a, const int *lda, const int *r, const int *c)              \
    HAND_OVER(p##trsd2d,                                                                           \
              ob_blacs.C##p##trsd2d(here(#p "trsd2d"), uplo, diag, *m, *n, a, *lda, *r, *c),       \
              const char *uplo, const char *diag, const int *m, const int *n, const T *a,          \
              const int *lda, const int *r, const int *c)                                          \
    HAND_OVER(p##trrv2d,                                                                           \
              (ob_blacs.C##p##trrv2d(here(#p "trrv2d"), uplo, diag, *m, *n, a, *lda, *r, *c),      \
               tell_source(r, c)),                                                                 \
              const char *uplo, const char *diag, const int *m, const int *n, T *a,                \
              const int *lda, const int *r, const int *c)                                          \
    HAND_OVER(p##gebs2d, ob_blacs.C##p##gebs2d(here(#p "gebs2d"), scope, top, *m, *n, a, *lda),    \
              const char *scope, const char *top, const int *m, const int *n, const T *a,          \
              const int *lda)                                                                      \
    HAND_OVER(p##gebr2d,                                                                           \
              ob_blacs.C##p##gebr2d(here(#p "gebr2d"), scope, top, *m, *n, a, *lda, *r, *c),       \
              const char *scope, const char *top, const int *m, const int *n, T *a,                \
              const int *lda, const int *r, const int *c)                                          \
    HAND_OVER(p##trbs2d,                                                                           \
              ob_blacs.C##p##trbs2d(here(#p "trbs2d"), scope, top, uplo, diag, *m, *n, a, *lda),   \
              const char *scope, const char *top, const char *uplo, const char *diag,              \
              const int *m, const int *n, const T *a, const int *lda)                              \
    HAND_OVER(                                                                                     \
        p##trbr2d,                                                                                 \
        ob_blacs.C##p##trbr2d(here(#p "trbr2d"), scope, top, uplo, diag, *m, *n, a, *lda, *r, *c), \
        const char *scope, const char *top, const char *uplo, const char *diag, const int *m,      \
        const int *n, T *a, const int *lda, const int *r, const int *c)                            \
    HAND_OVER(p##gsum2d,                                                                           \
              ob_blacs.C##p##gsum2d(here(#p "gsum2d"), scope, top, *m, *n, a, *lda, *r, *c),       \
              const char *scope, const char *top, const int *m, const int *n, T *a,                \
              const int *lda, const int *r, const int *c)                                          \
    HAND_OVER(p##gmax2d,                                                                           \
              ob_blacs.C##p##gamx2d(here(#p "gmax2d"), scope, top, *m, *n, a, *lda, ra, ca, *ldia, \
                                    *r, *c),                                                       \
              const char *scope, const char *top, const int *m, const int *n, T *a,                \
              const int *lda, int *ra, int *ca, const int *ldia, const int *r, const int *c)       \
    HAND_OVER(p##gmin2d,                                                                           \
              ob_blacs.C##p##gamn2d(here(#p "gmin2d"), scope, top, *m, *n, a, *lda, ra, ca, *ldia, \
                                    *r, *c),                                                       \
              const char *scope, const char *top, const int *m, const int *n, T *a,                \
              const int *lda, int *ra, int *ca, const int *ldia, const int *r, const int *c)

STAMP(i, int)
STAMP(s, float)
STAMP(d, double)
STAMP(c, void)
STAMP(z, void)
