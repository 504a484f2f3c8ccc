/*
 * The support routines that are about a grid that exists (gridinfo, pnum, get,
 * set, barrier, ids) or about the process (pinfo, exit, abort, times).
 */
#include <limits.h>
#include <stdio.h>

#include "common/fortran.h"
#include "grid.h"

/* ---------------------------------------------------------------- the job */

/* Results that the caller has no room for end the job with a line. */
static void need(const obl_call *call, int argument, const char *name, const void *result)
{
    if (result == NULL)
        obl_fault(call, "argument %d (%s) is NULL, must be where the result goes",
                  obl_argument(call, argument), name);
}

static void job_info(const char *routine, int *mypnum, int *nprocs)
{
    obl_call call = {routine, -1, NULL};
    ob_job *job = obl_join(&call);
    need(&call, 1, "MYPNUM", mypnum);
    need(&call, 2, "NPROCS", nprocs);
    *mypnum = ob_job_number(job);
    *nprocs = ob_job_count(job);
}

void Cblacs_pinfo(int *mypnum, int *nprocs)
{
    job_info("blacs_pinfo", mypnum, nprocs);
}

OB_FORTRAN(void, blacs_pinfo, (int *mypnum, int *nprocs), job_info("blacs_pinfo", mypnum, nprocs))

void Cblacs_setup(int *mypnum, int *nprocs)
{
    job_info("blacs_setup", mypnum, nprocs);
}

/* Programs for PVM name the number of processes that they want as a constant. */
void blacs_setup_(int *mypnum, int *nprocs)
{
    int me = 0, count = 0;
    Cblacs_setup(mypnum ? &me : NULL, nprocs ? &count : NULL);
    ob_put_back(mypnum, me);
    ob_put_back(nprocs, count);
}

void Cblacs_exit(int notdone)
{
    obl_call call = {"blacs_exit", -1, NULL};
    obl_leave(&call, notdone == 0);
}

OB_FORTRAN(void, blacs_exit, (const int *notdone), Cblacs_exit(*notdone))

void Cblacs_abort(int context, int code)
{
    const obl_grid *grid = obl_find(context);

    fprintf(stderr,
            "OpenBLACS: blacs_abort: process {%d,%d} (number %d) in context %d ends the "
            "job with code %d\n",
            grid ? grid->myrow : -1, grid ? grid->mycol : -1, obl_number(), context, code);
    obl_end(code);
}

OB_FORTRAN(void, blacs_abort, (const int *context, const int *code), Cblacs_abort(*context, *code))

void Cblacs_freebuff(int context, int wait)
{
    (void)context;
    (void)wait;
    if (obl_job())
        ob_job_trim(obl_job());
}

OB_FORTRAN(void, blacs_freebuff, (const int *context, const int *wait),
           Cblacs_freebuff(*context, *wait))

double Cdcputime00(void)
{
    return ob_cpu_time();
}

OB_FORTRAN(double, dcputime00, (void), ob_cpu_time())

double Cdwalltime00(void)
{
    return ob_time();
}

OB_FORTRAN(double, dwalltime00, (void), ob_time())

/* --------------------------------------------------------------- the grid */

void Cblacs_gridexit(int context)
{
    obl_call call = {"blacs_gridexit", context, NULL};
    obl_enter(&call);
    obl_release(context);
}

OB_FORTRAN(void, blacs_gridexit, (const int *context), Cblacs_gridexit(*context))

void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *myrow, int *mycol)
{
    const obl_grid *grid = obl_find(context);
    obl_call call = {"blacs_gridinfo", context, grid};
    need(&call, 2, "NPROW", nprow);
    need(&call, 3, "NPCOL", npcol);
    need(&call, 4, "MYPROW", myrow);
    need(&call, 5, "MYPCOL", mycol);
    *nprow = grid ? grid->nprow : -1;
    *npcol = grid ? grid->npcol : -1;
    *myrow = grid ? grid->myrow : -1;
    *mycol = grid ? grid->mycol : -1;
}

OB_FORTRAN(void, blacs_gridinfo,
           (const int *context, int *nprow, int *npcol, int *myrow, int *mycol),
           Cblacs_gridinfo(*context, nprow, npcol, myrow, mycol))

int Cblacs_pnum(int context, int prow, int pcol)
{
    obl_call call = {"blacs_pnum", context, NULL};
    const obl_grid *grid = obl_enter(&call);
    if (prow < 0 || prow >= grid->nprow || pcol < 0 || pcol >= grid->npcol)
        return -1;
    return prow * grid->npcol + pcol;
}

OB_FORTRAN(int, blacs_pnum, (const int *context, const int *prow, const int *pcol),
           Cblacs_pnum(*context, *prow, *pcol))

void Cblacs_pcoord(int context, int pnum, int *prow, int *pcol)
{
    obl_call call = {"blacs_pcoord", context, NULL};
    const obl_grid *grid = obl_enter(&call);
    need(&call, 3, "PROW", prow);
    need(&call, 4, "PCOL", pcol);
    int inside = pnum >= 0 && pnum < grid->nprow * grid->npcol;
    *prow = inside ? pnum / grid->npcol : -1;
    *pcol = inside ? pnum % grid->npcol : -1;
}

OB_FORTRAN(void, blacs_pcoord, (const int *context, const int *pnum, int *prow, int *pcol),
           Cblacs_pcoord(*context, *pnum, prow, pcol))

void Cblacs_barrier(int context, const char *scope)
{
    obl_call call = {"blacs_barrier", context, NULL};
    int letter;
    obl_enter(&call);
    obl_trace(&call, OBL_SITE);
    ob_group *group = obl_scope(&call, scope, &letter);
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group, &(obl_named){.what = "barrier", .scope = letter, .root = OB_ANY});
    obl_check(&call, ob_barrier(group));
    obl_end_call(&call);
}

OB_FORTRAN(void, blacs_barrier, (const int *context, const char *scope),
           Cblacs_barrier(*context, scope))

/* ------------------------------------------------------------ get and set */

enum {
    WHAT_SYSTEM = 0,
    WHAT_IDS = 1,
    WHAT_DEBUG = 2,
    WHAT_GRID_SYSTEM = 10,
    WHAT_BROADCAST_RINGS = 11,
    WHAT_BROADCAST_BRANCHES = 12,
    WHAT_COMBINE_RINGS = 13,
    WHAT_COMBINE_BRANCHES = 14,
    WHAT_REPEATABLE = 15,
    WHAT_COHERENT = 16,
    WHAT_ROW_SYSTEM = 17,
    WHAT_COLUMN_SYSTEM = 18
};

/* The part of a grid whose system context a value is, -1 for the others. */
static int part_of(int what)
{
    return what == WHAT_GRID_SYSTEM     ? OBL_ALL
           : what == WHAT_ROW_SYSTEM    ? OBL_ROW
           : what == WHAT_COLUMN_SYSTEM ? OBL_COLUMN
                                        : -1;
}

/* The field of a grid that holds a value of blacs_get, NULL for the others. */
static int *field(obl_grid *grid, int what)
{
    switch (what) {
    case WHAT_BROADCAST_RINGS: return &grid->broadcast_rings;
    case WHAT_BROADCAST_BRANCHES: return &grid->broadcast_branches;
    case WHAT_COMBINE_RINGS: return &grid->combine_rings;
    case WHAT_COMBINE_BRANCHES: return &grid->combine_branches;
    case WHAT_REPEATABLE: return &grid->repeatable;
    case WHAT_COHERENT: return &grid->coherent;
    default: return NULL;
    }
}

static void warn_unknown(const obl_call *call, int what)
{
    obl_warn(call, "argument 2 (WHAT) is %d, must be 0, 1, 2 or 10 to 18; nothing done", what);
}

/* The netlib BLACS have level 0 unless they were built for debugging; so have programs here
 * that have not asked for more. */
static int debug_level(const obl_call *call)
{
    obl_join(call);
    return ob_check_level() > 1 ? ob_check_level() : 0;
}

void Cblacs_get(int context, int what, int *val)
{
    obl_call call = {"blacs_get", context, NULL};

    need(&call, 3, "VAL", val);
    if (what == WHAT_SYSTEM) {
        *val = (int)ob_system_world(obl_join(&call));
    } else if (what == WHAT_IDS) {
        val[0] = 0;
        val[1] = INT_MAX;
    } else if (what == WHAT_DEBUG) {
        *val = debug_level(&call);
    } else if (what < WHAT_GRID_SYSTEM || what > WHAT_COLUMN_SYSTEM) {
        warn_unknown(&call, what);
    } else {
        obl_grid *grid = obl_enter(&call);
        *val = part_of(what) >= 0 ? obl_handle(context, part_of(what)) : *field(grid, what);
    }
}

/* In Fortran a system context is a communicator's handle, so it must exist where there is an MPI.
 */
void blacs_get_(const int *context, const int *what, int *val)
{
    obl_call call = {"blacs_get", *context, NULL};

    need(&call, 3, "VAL", val);
    if (part_of(*what) >= 0 && obl_job() && obl_has_mpi())
        *val = obl_grid_comm(&call, obl_enter(&call), part_of(*what), OBL_SITE);
    else
        Cblacs_get(*context, *what, val);
}

/* Can this be set to the value? Warns when not. */
static int may_set(const obl_call *call, int what, int value)
{
    if ((what == WHAT_BROADCAST_RINGS || what == WHAT_COMBINE_RINGS) && value == 0) {
        obl_warn(call, "argument 3 (VAL) is 0, the number of rings must not be 0; nothing done");
        return 0;
    }
    if ((what == WHAT_BROADCAST_BRANCHES || what == WHAT_COMBINE_BRANCHES) && value <= 0) {
        obl_warn(call,
                 "argument 3 (VAL) is %d, the number of branches must be at least 1; nothing done",
                 value);
        return 0;
    }
    return 1;
}

static const char *fixed(int what)
{
    return what == WHAT_SYSTEM  ? "the system context"
           : what == WHAT_IDS   ? "the range of message ids, which are not used,"
           : what == WHAT_DEBUG ? "the debug level"
           : part_of(what) >= 0 ? "the system context of a grid"
                                : NULL;
}

void Cblacs_set(int context, int what, const int *val)
{
    obl_call call = {"blacs_set", context, obl_find(context)};

    if (val == NULL)
        obl_fault(&call, "argument 3 (VAL) is NULL, must be where the value is");
    if (fixed(what)) {
        obl_warn(&call, "argument 2 (WHAT) is %d: %s cannot be set; nothing done", what,
                 fixed(what));
    } else if (what < WHAT_GRID_SYSTEM || what > WHAT_COLUMN_SYSTEM) {
        warn_unknown(&call, what);
    } else {
        obl_grid *grid = obl_enter(&call);
        if (may_set(&call, what, *val))
            *field(grid, what) = *val;
    }
}

OB_FORTRAN(void, blacs_set, (const int *context, const int *what, const int *val),
           Cblacs_set(*context, *what, val))

/* ------------------------------------------------------------ message ids */

enum { ID_POINT = 1, ID_ROW, ID_COLUMN, ID_ALL };

static int id_of_scope(const char *routine, int context, const char *scope)
{
    obl_call call = {routine, context, NULL};
    int letter;
    obl_enter(&call);
    obl_scope(&call, scope, &letter);
    return letter == 'R' ? ID_ROW : letter == 'C' ? ID_COLUMN : ID_ALL;
}

static int id_of_point(const char *routine, int context)
{
    obl_call call = {routine, context, NULL};
    obl_enter(&call);
    return ID_POINT;
}

int Cksendid(int context, int rdest, int cdest)
{
    (void)rdest;
    (void)cdest;
    return id_of_point("ksendid", context);
}

OB_FORTRAN(int, ksendid, (const int *context, const int *rdest, const int *cdest),
           Cksendid(*context, *rdest, *cdest))

int Ckrecvid(int context, int rsrc, int csrc)
{
    (void)rsrc;
    (void)csrc;
    return id_of_point("krecvid", context);
}

OB_FORTRAN(int, krecvid, (const int *context, const int *rsrc, const int *csrc),
           Ckrecvid(*context, *rsrc, *csrc))

int Ckbsid(int context, const char *scope)
{
    return id_of_scope("kbsid", context, scope);
}

OB_FORTRAN(int, kbsid, (const int *context, const char *scope),
           id_of_scope("kbsid", *context, scope))

int Ckbrid(int context, const char *scope, int rsrc, int csrc)
{
    (void)rsrc;
    (void)csrc;
    return id_of_scope("kbrid", context, scope);
}

OB_FORTRAN(int, kbrid, (const int *context, const char *scope, const int *rsrc, const int *csrc),
           Ckbrid(*context, scope, *rsrc, *csrc))

/* ------------------------------------------------- for other compilers */

OBL_NAMES2(blacs_pinfo, BLACS_PINFO)
OBL_NAMES2(blacs_setup, BLACS_SETUP)
OBL_NAMES2(blacs_exit, BLACS_EXIT)
OBL_NAMES2(blacs_abort, BLACS_ABORT)
OBL_NAMES2(blacs_freebuff, BLACS_FREEBUFF)
OBL_NAMES2(blacs_gridexit, BLACS_GRIDEXIT)
OBL_NAMES2(blacs_gridinfo, BLACS_GRIDINFO)
OBL_NAMES2(blacs_pnum, BLACS_PNUM)
OBL_NAMES2(blacs_pcoord, BLACS_PCOORD)
OBL_NAMES2(blacs_barrier, BLACS_BARRIER)
OBL_NAMES2(blacs_get, BLACS_GET)
OBL_NAMES2(blacs_set, BLACS_SET)
OBL_NAMES(dcputime00, DCPUTIME00)
OBL_NAMES(dwalltime00, DWALLTIME00)
OBL_NAMES(ksendid, KSENDID)
OBL_NAMES(krecvid, KRECVID)
OBL_NAMES(kbsid, KBSID)
OBL_NAMES(kbrid, KBRID)
