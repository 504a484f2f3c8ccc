/*
 * Scopes that are any list of a grid's processes (LAWN 73, 7.1.1). One is a
 * context like a grid's, with one group, the list; its processes keep the
 * coordinates they have in the grid.
 */
#include <stdlib.h>

#include "common/fortran.h"
#include "grid.h"
#include "openblacs/blacs_extensions.h"

enum { N_ARGUMENT = 2, STREAM_ALL = 1 };

/* A scope half made: everything but its groups. */
static obl_grid *new_scope(const obl_grid *from, obl_int n)
{
    obl_grid *scope = malloc(sizeof *scope);
    size_t processes = (size_t)from->nprow * (size_t)from->npcol;
    if (!scope)
        return NULL;
    *scope = (obl_grid){.nprow = from->nprow,
                        .npcol = from->npcol,
                        .myrow = from->myrow,
                        .mycol = from->mycol,
                        .last_source = -1,
                        .broadcast_rings = from->broadcast_rings,
                        .broadcast_branches = from->broadcast_branches,
                        .combine_rings = from->combine_rings,
                        .combine_branches = from->combine_branches,
                        .repeatable = from->repeatable,
                        .coherent = from->coherent};
    scope->position = malloc(processes * sizeof(int));
    scope->listed = malloc((size_t)n * sizeof(int));
    if (!scope->position || !scope->listed) {
        obl_grid_free(scope);
        return NULL;
    }
    for (size_t i = 0; i < processes; i++)
        scope->position[i] = -1;
    return scope;
}

/* Fills position and listed, and the members' job numbers. */
static void enlist(const obl_call *call, obl_grid *scope, int n, const obl_int *prow,
                   const obl_int *pcol, int *number)
{
    const obl_grid *from = call->grid;
    for (int k = 0; k < n; k++) {
        if (prow[k] < 0 || prow[k] >= from->nprow || pcol[k] < 0 || pcol[k] >= from->npcol)
            obl_fault(call,
                      "OB-1013 arguments 3 and 4 (PROW, PCOL) have {%" OBL_D ",%" OBL_D
                      "} at %d, which is no "
                      "process of the %d x %d grid",
                      prow[k], pcol[k], k, from->nprow, from->npcol);
        int at = (int)(prow[k] * from->npcol + pcol[k]);
        if (scope->position[at] >= 0)
            obl_fault(call,
                      "OB-1014 arguments 3 and 4 (PROW, PCOL) have {%" OBL_D ",%" OBL_D
                      "} at %d a second time",
                      prow[k], pcol[k], k);
        scope->position[at] = k;
        scope->listed[k] = at;
        number[k] = ob_group_number(from->point, obl_position(call, 'A', prow[k], pcol[k], 3, ""));
    }
}

static void make_groups(const obl_call *call, obl_grid *scope, const int *number, obl_int n)
{
    int *all = malloc((size_t)n * sizeof(int));
    if (!all)
        obl_fault(call, "OB-4001 no memory for a scope");
    for (int k = 0; k < n; k++)
        all[k] = k;
    obl_check(call, ob_group_create(ob_group_job(call->grid->point), number, n, &scope->point));
    obl_check(call, ob_group_part(scope->point, STREAM_ALL, all, n, &scope->all));
    free(all);
}

void OB_C(blacs_scope)(obl_int context, obl_int n, const obl_int *prow, const obl_int *pcol,
                       obl_int *scope_context)
{
    obl_call call = {"blacs_scope", context, NULL};
    obl_grid *from = obl_enter(&call);
    obl_trace(&call, OBL_SITE);
    if (n < 1)
        obl_fault(&call, "OB-1012 argument %d (N) is %" OBL_D ", must be at least 1", N_ARGUMENT,
                  n);
    if (n > from->nprow * from->npcol)
        obl_fault(&call, "OB-1011 argument %d (N) is %" OBL_D ", but the grid has %d processes",
                  N_ARGUMENT, n, from->nprow * from->npcol);
    if (!prow || !pcol)
        obl_fault(&call, "OB-1001 argument %d (%s) is NULL", prow ? 4 : 3, prow ? "PCOL" : "PROW");
    obl_grid *scope = new_scope(from, n);
    int *number = malloc((size_t)n * sizeof(int));
    if (!scope || !number)
        obl_fault(&call, "OB-4001 no memory for a scope");
    enlist(&call, scope, n, prow, pcol, number);
    *scope_context = -1;
    if (scope->position[from->myrow * from->npcol + from->mycol] >= 0) {
        make_groups(&call, scope, number, n);
        *scope_context = obl_enroll(scope);
        if (*scope_context < 0)
            obl_fault(&call, "OB-4012 no context number or no memory left for one more scope");
    } else {
        obl_grid_free(scope);
    }
    free(number);
    obl_end_call(&call);
}

OB_FORTRAN(void, blacs_scope,
           (const obl_int *context, const obl_int *n, const obl_int *prow, const obl_int *pcol,
            obl_int *scope),
           OB_C(blacs_scope)(*context, *n, prow, pcol, scope))
OBL_NAMES64(blacs_scope)
