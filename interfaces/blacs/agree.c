/*
 * Levels 2 and 3 of OPENBLACS_CHECK: what hang finding is told of each call, threads
 * that meet in one grid, and calls that are compared with those of others. Nothing here is
 * reached at levels 0 and 1.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "grid.h"

enum { TAG_RECORD = 1 }; /* messages of programs have the tag 0 */

static atomic_int threads;
static _Thread_local int thread_number;
static _Thread_local const char *inside; /* the routine this thread is in */

static int this_thread(void)
{
    if (!thread_number)
        thread_number = atomic_fetch_add(&threads, 1) + 1;
    return thread_number;
}

void obl_note(const obl_call *call)
{
    obl_grid *grid = (obl_grid *)call->grid;
    ob_check_call c = {.routine = obl_name(call), .context = -1};
    if (inside)
        obl_fault(call,
                  "OB-1029 called from within %s: the functions of an operation must not call the "
                  "library",
                  inside);
    if (grid) {
        int nobody = 0, me = this_thread();
        c = (ob_check_call){obl_name(call), (int)call->context, 0,
                            grid->point,    grid->listed,       grid->npcol};
        /* Who has it (acquire) sees what its last user did to the grid (release, obl_done). */
        if (!__atomic_compare_exchange_n(&grid->busy, &nobody, me, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE) &&
            nobody != me)
            obl_fault(call,
                      "OB-1030 thread %d calls while thread %d is in a call of this context; one "
                      "context is used by one thread at a time",
                      me, nobody);
    }
    inside = obl_name(call);
    ob_check_enter(&c);
}

void obl_done(const obl_call *call)
{
    if (call->grid)
        __atomic_store_n(&((obl_grid *)call->grid)->busy, 0, __ATOMIC_RELEASE);
    inside = NULL;
    ob_check_leave();
}

static ob_check_record record_of(const obl_call *call, const obl_named *named)
{
    const ob_view *v = named->view;
    ob_check_record r = {.row = call->grid->myrow,
                         .column = call->grid->mycol,
                         .scope = (char)named->scope,
                         .top = (char)named->top,
                         .uplo = (char)named->uplo,
                         .diag = (char)named->diag,
                         .type = -1,
                         .root = named->root,
                         .sends = named->sends,
                         .owners = named->owners,
                         .width = named->width};
    snprintf(r.routine, sizeof r.routine, "%s", obl_name(call));
    snprintf(r.what, sizeof r.what, "%s", named->what);
    r.by_count = strcmp(named->what, "broadcast") == 0 || strcmp(named->what, "message") == 0;
    if (named->route && (r.top == 'T' || r.top == 'M'))
        r.branches = named->route->branches;
    if (named->route && !r.by_count) {
        r.repeatable = named->route->repeatable;
        r.coherent = named->route->coherent;
    }
    if (r.uplo == 'G')
        r.diag = 0; /* is not looked at */
    if (v) {
        r.type = (int)v->type;
        r.m = v->m;
        r.n = v->n;
        r.elements = ob_view_count(v);
    }
    return r;
}

void obl_agree(const obl_call *call, ob_group *group, const obl_named *named,
               ob_check_agreement **later)
{
    ob_check_record r = record_of(call, named);
    obl_check(call, later ? ob_check_agree_begin(group, &r, later) : ob_check_agree(group, &r));
}

void obl_announce(const obl_call *call, int dest, const ob_view *view)
{
    ob_check_record r =
        record_of(call, &(obl_named){.what = "message", .view = view, .root = OB_ANY});
    obl_check(call, ob_check_announce(call->grid->point, dest, TAG_RECORD, &r));
}

void obl_expect(const obl_call *call, int *source, const ob_view *view)
{
    ob_check_record r =
        record_of(call, &(obl_named){.what = "message", .view = view, .root = OB_ANY});
    obl_check(call, ob_check_expect(call->grid->point, source, TAG_RECORD, &r));
}
