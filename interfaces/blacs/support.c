/*
 * The support routines that are about a grid that exists (gridinfo, pnum, get,
 * set, barrier, ids) or about the process (pinfo, exit, abort, times).
 */
#include <limits.h>
#include <stdio.h>

#include "begun.h"
#include "common/fortran.h"

/* ---------------------------------------------------------------- the job */

/* Results that the caller has no room for end the job with a line. */
static void need(const obl_call *call, int argument, const char *name, const void *result)
{
    if (result == NULL)
        obl_fault(call, "OB-1001 argument %d (%s) is NULL, must be where the result goes",
                  obl_argument(call, argument), name);
}

static void job_info(const char *routine, obl_int *mypnum, obl_int *nprocs)
{
    obl_call call = {routine, -1, NULL};
    ob_job *job = obl_join(&call);
    need(&call, 1, "MYPNUM", mypnum);
    need(&call, 2, "NPROCS", nprocs);
    *mypnum = ob_job_number(job);
    *nprocs = ob_job_count(job);
}

void OB_C(blacs_pinfo)(obl_int *mypnum, obl_int *nprocs)
{
    job_info("blacs_pinfo", mypnum, nprocs);
}

OB_FORTRAN(void, blacs_pinfo, (obl_int * mypnum, obl_int *nprocs),
           job_info("blacs_pinfo", mypnum, nprocs))

void OB_C(blacs_setup)(obl_int *mypnum, obl_int *nprocs)
{
    job_info("blacs_setup", mypnum, nprocs);
}

/* Programs for PVM name the number of processes that they want as a constant. */
void OB_F(blacs_setup)(obl_int *mypnum, obl_int *nprocs)
{
    obl_int me = 0, count = 0;
    OB_C(blacs_setup)(mypnum ? &me : NULL, nprocs ? &count : NULL);
    obl_put_back(mypnum, me);
    obl_put_back(nprocs, count);
}

void OB_C(blacs_exit)(obl_int notdone)
{
    obl_call call = {"blacs_exit", -1, NULL};
    obl_leave(&call, notdone == 0);
}

OB_FORTRAN(void, blacs_exit, (const obl_int *notdone), OB_C(blacs_exit)(*notdone))

void OB_C(blacs_abort)(obl_int context, obl_int code)
{
    const obl_grid *grid = obl_find(context);

    fprintf(stderr,
            "OpenBLACS: blacs_abort: process {%d,%d} (number %d) in context %" OBL_D " ends the "
            "job with code %" OBL_D " [OB-2011]\n",
            grid ? grid->myrow : -1, grid ? grid->mycol : -1, obl_number(), context, code);
    obl_end((int)code);
}

OB_FORTRAN(void, blacs_abort, (const obl_int *context, const obl_int *code),
           OB_C(blacs_abort)(*context, *code))

void OB_C(blacs_freebuff)(obl_int context, obl_int wait)
{
    (void)context;
    (void)wait;
    if (obl_job())
        ob_job_trim(obl_job());
}

OB_FORTRAN(void, blacs_freebuff, (const obl_int *context, const obl_int *wait),
           OB_C(blacs_freebuff)(*context, *wait))

double OB_C(dcputime00)(void)
{
    return ob_cpu_time();
}

OB_FORTRAN(double, dcputime00, (void), ob_cpu_time())

double OB_C(dwalltime00)(void)
{
    return ob_time();
}

OB_FORTRAN(double, dwalltime00, (void), ob_time())

/* --------------------------------------------------------------- the grid */

void OB_C(blacs_gridexit)(obl_int context)
{
    obl_call call = {"blacs_gridexit", context, NULL};
    obl_enter(&call);
    obl_refuse_begun(&call);
    obl_release(context);
}

OB_FORTRAN(void, blacs_gridexit, (const obl_int *context), OB_C(blacs_gridexit)(*context))

void OB_C(blacs_gridinfo)(obl_int context, obl_int *nprow, obl_int *npcol, obl_int *myrow,
                          obl_int *mycol)
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
           (const obl_int *context, obl_int *nprow, obl_int *npcol, obl_int *myrow, obl_int *mycol),
           OB_C(blacs_gridinfo)(*context, nprow, npcol, myrow, mycol))

obl_int OB_C(blacs_pnum)(obl_int context, obl_int prow, obl_int pcol)
{
    obl_call call = {"blacs_pnum", context, NULL};
    const obl_grid *grid = obl_enter(&call);
    if (prow < 0 || prow >= grid->nprow || pcol < 0 || pcol >= grid->npcol)
        return -1;
    return prow * grid->npcol + pcol;
}

OB_FORTRAN(obl_int, blacs_pnum, (const obl_int *context, const obl_int *prow, const obl_int *pcol),
           OB_C(blacs_pnum)(*context, *prow, *pcol))

void OB_C(blacs_pcoord)(obl_int context, obl_int pnum, obl_int *prow, obl_int *pcol)
{
    obl_call call = {"blacs_pcoord", context, NULL};
    const obl_grid *grid = obl_enter(&call);
    need(&call, 3, "PROW", prow);
    need(&call, 4, "PCOL", pcol);
    int inside = pnum >= 0 && pnum < grid->nprow * grid->npcol;
    *prow = inside ? pnum / grid->npcol : -1;
    *pcol = inside ? pnum % grid->npcol : -1;
}

OB_FORTRAN(void, blacs_pcoord,
           (const obl_int *context, const obl_int *pnum, obl_int *prow, obl_int *pcol),
           OB_C(blacs_pcoord)(*context, *pnum, prow, pcol))

/* The members of a barrier; later NULL: it is compared with others' now. */
static ob_group *enter_barrier(obl_call *call, const char *scope, ob_check_agreement **later,
                               const void *site)
{
    int letter;
    obl_enter(call);
    obl_trace(call, site);
    ob_group *group = obl_scope(call, scope, &letter);
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(call, group, &(obl_named){.what = "barrier", .scope = letter, .root = OB_ANY},
                  later);
    return group;
}

void OB_C(blacs_barrier)(obl_int context, const char *scope)
{
    obl_call call = {"blacs_barrier", context, NULL};
    ob_group *group = enter_barrier(&call, scope, NULL, OBL_SITE);
    obl_check(&call, ob_barrier(group));
    obl_end_call(&call);
}

OB_FORTRAN(void, blacs_barrier, (const obl_int *context, const char *scope),
           OB_C(blacs_barrier)(*context, scope))

void OB_C(blacs_barrier_begin)(obl_int context, const char *scope, obl_int *request)
{
    static const char name[] = "blacs_barrier_begin";
    obl_call call = {name, context, NULL};
    obl_place(name, context, request, 3);
    obl_begun begun = {.routine = name, .context = context};
    ob_group *group = enter_barrier(&call, scope, &begun.agreement, OBL_SITE);
    begun.grid = call.grid;
    obl_check(&call, ob_ibarrier(group, &begun.request));
    *request = obl_enroll_begun(&call, &begun);
    obl_end_call(&call);
}

OB_FORTRAN(void, blacs_barrier_begin, (const obl_int *context, const char *scope, obl_int *request),
           OB_C(blacs_barrier_begin)(*context, scope, request))

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
static int part_of(obl_int what)
{
    return what == WHAT_GRID_SYSTEM     ? OBL_ALL
           : what == WHAT_ROW_SYSTEM    ? OBL_ROW
           : what == WHAT_COLUMN_SYSTEM ? OBL_COLUMN
                                        : -1;
}

/* The field of a grid that holds a value of blacs_get, NULL for the others. */
static int *field(obl_grid *grid, obl_int what)
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

static void warn_unknown(const obl_call *call, obl_int what)
{
    obl_warn(call,
             "OB-1025 argument 2 (WHAT) is %" OBL_D ", must be 0, 1, 2 or 10 to 18; nothing done",
             what);
}

/* The netlib BLACS have level 0 unless they were built for debugging; so have programs here
 * that have not asked for more. */
static int debug_level(const obl_call *call)
{
    obl_join(call);
    return ob_check_level() > 1 ? ob_check_level() : 0;
}

void OB_C(blacs_get)(obl_int context, obl_int what, obl_int *val)
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
        *val = part_of(what) >= 0 ? obl_handle((int)context, part_of(what)) : *field(grid, what);
    }
}

/* In Fortran a system context is a communicator's handle, so it must exist where there is an MPI.
 */
void OB_F(blacs_get)(const obl_int *context, const obl_int *what, obl_int *val)
{
    obl_call call = {"blacs_get", *context, NULL};

    need(&call, 3, "VAL", val);
    if (part_of(*what) >= 0 && obl_job() && obl_has_mpi())
        *val = obl_grid_comm(&call, obl_enter(&call), part_of(*what), OBL_SITE);
    else
        OB_C(blacs_get)(*context, *what, val);
}

/* Can this be set to the value? Warns when not. */
static int may_set(const obl_call *call, obl_int what, obl_int value)
{
    if ((what == WHAT_BROADCAST_RINGS || what == WHAT_COMBINE_RINGS) && value == 0) {
        obl_warn(call,
                 "OB-1025 argument 3 (VAL) is 0, the number of rings must not be 0; nothing done");
        return 0;
    }
    if ((what == WHAT_BROADCAST_BRANCHES || what == WHAT_COMBINE_BRANCHES) && value <= 0) {
        obl_warn(call,
                 "OB-1025 argument 3 (VAL) is %" OBL_D
                 ", the number of branches must be at least 1; nothing done",
                 value);
        return 0;
    }
    if (value != (int)value) {
        obl_warn(call,
                 "OB-1025 argument 3 (VAL) is %" OBL_D ", which is out of range; nothing done",
                 value);
        return 0;
    }
    return 1;
}

static const char *fixed(obl_int what)
{
    return what == WHAT_SYSTEM  ? "the system context"
           : what == WHAT_IDS   ? "the range of message ids, which are not used,"
           : what == WHAT_DEBUG ? "the debug level"
           : part_of(what) >= 0 ? "the system context of a grid"
                                : NULL;
}

void OB_C(blacs_set)(obl_int context, obl_int what, const obl_int *val)
{
    obl_call call = {"blacs_set", context, obl_find(context)};

    if (val == NULL)
        obl_fault(&call, "OB-1001 argument 3 (VAL) is NULL, must be where the value is");
    if (fixed(what)) {
        obl_warn(&call, "OB-1025 argument 2 (WHAT) is %" OBL_D ": %s cannot be set; nothing done",
                 what, fixed(what));
    } else if (what < WHAT_GRID_SYSTEM || what > WHAT_COLUMN_SYSTEM) {
        warn_unknown(&call, what);
    } else {
        obl_grid *grid = obl_enter(&call);
        if (may_set(&call, what, *val))
            *field(grid, what) = (int)*val;
    }
}

OB_FORTRAN(void, blacs_set, (const obl_int *context, const obl_int *what, const obl_int *val),
           OB_C(blacs_set)(*context, *what, val))

/* ------------------------------------------------------------ message ids */

enum { ID_POINT = 1, ID_ROW, ID_COLUMN, ID_ALL };

static int id_of_scope(const char *routine, obl_int context, const char *scope)
{
    obl_call call = {routine, context, NULL};
    int letter;
    obl_enter(&call);
    obl_scope(&call, scope, &letter);
    return letter == 'R' ? ID_ROW : letter == 'C' ? ID_COLUMN : ID_ALL;
}

static int id_of_point(const char *routine, obl_int context)
{
    obl_call call = {routine, context, NULL};
    obl_enter(&call);
    return ID_POINT;
}

obl_int OB_C(ksendid)(obl_int context, obl_int rdest, obl_int cdest)
{
    (void)rdest;
    (void)cdest;
    return id_of_point("ksendid", context);
}

OB_FORTRAN(obl_int, ksendid, (const obl_int *context, const obl_int *rdest, const obl_int *cdest),
           OB_C(ksendid)(*context, *rdest, *cdest))

obl_int OB_C(krecvid)(obl_int context, obl_int rsrc, obl_int csrc)
{
    (void)rsrc;
    (void)csrc;
    return id_of_point("krecvid", context);
}

OB_FORTRAN(obl_int, krecvid, (const obl_int *context, const obl_int *rsrc, const obl_int *csrc),
           OB_C(krecvid)(*context, *rsrc, *csrc))

obl_int OB_C(kbsid)(obl_int context, const char *scope)
{
    return id_of_scope("kbsid", context, scope);
}

OB_FORTRAN(obl_int, kbsid, (const obl_int *context, const char *scope),
           id_of_scope("kbsid", *context, scope))

obl_int OB_C(kbrid)(obl_int context, const char *scope, obl_int rsrc, obl_int csrc)
{
    (void)rsrc;
    (void)csrc;
    return id_of_scope("kbrid", context, scope);
}

OB_FORTRAN(obl_int, kbrid,
           (const obl_int *context, const char *scope, const obl_int *rsrc, const obl_int *csrc),
           OB_C(kbrid)(*context, scope, *rsrc, *csrc))

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
OBL_NAMES64(blacs_barrier_begin)
OBL_NAMES2(blacs_get, BLACS_GET)
OBL_NAMES2(blacs_set, BLACS_SET)
OBL_NAMES(dcputime00, DCPUTIME00)
OBL_NAMES(dwalltime00, DWALLTIME00)
OBL_NAMES(ksendid, KSENDID)
OBL_NAMES(krecvid, KRECVID)
OBL_NAMES(kbsid, KBSID)
OBL_NAMES(kbrid, KBRID)
