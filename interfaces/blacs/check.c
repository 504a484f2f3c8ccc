/*
 * The argument checks of the communicating routines, and what they translate
 * to: views, groups, routes and positions of the core.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/letter.h"
#include "grid.h"
#include "hooks/topology.h"

enum { SCOPE_ARGUMENT = 2, TOP_ARGUMENT = 3 };

int obl_letter(const char *text)
{
    return text ? (unsigned char)ob_capital(text[0]) : 0;
}

static void check_letters(const obl_call *call, int uplo, int diag, int m_argument)
{
    char shown[16];
    if (ob_check_level() == 0)
        return;
    if (uplo != 'U' && uplo != 'L')
        obl_fault(call, "OB-1006 argument %d (UPLO) is %s, must be U or L",
                  obl_argument(call, m_argument - 2), obl_show(uplo, shown));
    if (diag != 'U' && diag != 'N')
        obl_fault(call, "OB-1006 argument %d (DIAG) is %s, must be U or N",
                  obl_argument(call, m_argument - 1), obl_show(diag, shown));
}

/* The netlib BLACS take a matrix with m * n = 0 for empty, whatever the sign
 * of the other, and never look at the leading dimension of a single column; ScaLAPACK
 * relies on both (pzlattrs sums n x 1 with LDA = 1). */
static void check_sizes(const obl_call *call, ob_type type, int64_t m, int64_t n, int64_t lda,
                        int m_argument)
{
    int64_t most = PTRDIFF_MAX / (int64_t)ob_type_bytes(type);
    if (m < 0)
        obl_fault(call, "OB-1003 argument %d (M) is %" PRId64 ", must not be negative",
                  obl_argument(call, m_argument), m);
    if (n < 0)
        obl_fault(call, "OB-1003 argument %d (N) is %" PRId64 ", must not be negative",
                  obl_argument(call, m_argument + 1), n);
    if (n > 1 && lda < m)
        obl_fault(call, "OB-1004 argument %d (LDA) is %" PRId64 ", must be at least M = %" PRId64,
                  obl_argument(call, m_argument + 3), lda, m);
    if (m > 0 && n == 1 && m > most)
        obl_fault(call,
                  "OB-1005 argument %d (M) is %" PRId64 ", more elements than memory can hold",
                  obl_argument(call, m_argument), m);
    if (m > 0 && n > 1 && lda > most / n)
        obl_fault(call,
                  "OB-1005 argument %d (LDA) is %" PRId64 " and N is %" PRId64
                  ", more elements than memory can hold",
                  obl_argument(call, m_argument + 3), lda, n);
}

ob_view obl_checked_view(const obl_call *call, ob_type type, int uplo, int diag, int64_t m,
                         int64_t n, const void *a, int64_t lda, int m_argument)
{
    ob_view view = {.base = (void *)a, .ld = 1, .type = type};

    if (uplo != OBL_GENERAL)
        check_letters(call, uplo, diag, m_argument);
    if (m == 0 || n == 0)
        return view;
    if (ob_check_level() == 0 && (m < 0 || n < 0 || !a))
        return view;
    if (ob_check_level() > 0)
        check_sizes(call, type, m, n, lda, m_argument);
    view.m = (size_t)m;
    view.n = (size_t)n;
    view.ld = lda < m ? (size_t)m : (size_t)lda;
    if (uplo != OBL_GENERAL) {
        view.shape = uplo == 'U' ? OB_UPPER : OB_LOWER;
        view.unit_diagonal = diag == 'U';
    }
    if (!a && ob_view_count(&view) > 0)
        obl_fault(call,
                  "OB-1002 argument %d (A) is NULL, but the matrix has %" PRId64 " x %" PRId64
                  " elements",
                  obl_argument(call, m_argument + 2), m, n);
    return view;
}

ob_group *obl_scope(const obl_call *call, const char *scope, int *letter)
{
    char shown[16];
    *letter = obl_letter(scope);
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_scope((char)*letter);
    if (__builtin_expect(ob_check_now, 0))
        ob_check_scope((char)*letter);
    if (__builtin_expect(call->grid->position != NULL, 0) && (*letter == 'R' || *letter == 'C'))
        obl_fault(
            call,
            "OB-1007 argument %d (SCOPE) is %s, must be A in a scope that is a list of processes",
            obl_argument(call, SCOPE_ARGUMENT), obl_show(*letter, shown));
    switch (*letter) {
    case 'R': return call->grid->row;
    case 'C': return call->grid->column;
    case 'A': return call->grid->all;
    default:
        obl_fault(call, "OB-1007 argument %d (SCOPE) is %s, must be R, C or A",
                  obl_argument(call, SCOPE_ARGUMENT), obl_show(*letter, shown));
    }
}

static _Noreturn void unknown_top(const obl_call *call, int letter)
{
    const ob_topology_row *row;
    char shown[16], all[128];
    int at = 0;
    for (int t = OB_TOP_BEST + 1; (row = ob_topology_at(t)); t++)
        at += snprintf(all + at, sizeof all - (size_t)at, ", %c", row->letter);
    obl_fault(call, "OB-1008 argument %d (TOP) is %s, must be blank%s or 1 to 9",
              obl_argument(call, TOP_ARGUMENT), obl_show(letter, shown), all);
}

ob_route obl_route(const obl_call *call, const char *top, int rings, int branches)
{
    ob_route route = {.repeatable = call->grid->repeatable == OB_REPRODUCIBLE
                                        ? OB_REPRODUCIBLE
                                        : call->grid->repeatable != 0,
                      .coherent = call->grid->coherent != 0};
    int letter = obl_letter(top);

    if (letter != ' ' && !ob_topology_read(letter, rings, branches, &route))
        unknown_top(call, letter);
    return route;
}

static void check_coordinate(const obl_call *call, char which, int64_t value, int limit,
                             int argument, const char *role)
{
    if (value < 0 || value >= limit)
        obl_fault(call,
                  "OB-1009 argument %d (%c%s) is %" PRId64 ", must be 0 to %d in a %d x %d grid",
                  obl_argument(call, argument), which, role, value, limit - 1, call->grid->nprow,
                  call->grid->npcol);
}

static int listed_position(const obl_call *call, int64_t prow, int64_t pcol, int argument,
                           const char *role)
{
    int at = call->grid->position[prow * call->grid->npcol + pcol];
    if (at < 0)
        obl_fault(call,
                  "OB-1009 arguments %d and %d (R%s, C%s) are %" PRId64 " and %" PRId64
                  ", a process that is not in "
                  "this scope of %d",
                  argument, argument + 1, role, role, prow, pcol, ob_group_size(call->grid->all));
    return at;
}

int obl_position(const obl_call *call, int scope, int64_t prow, int64_t pcol, int argument,
                 const char *role)
{
    const obl_grid *grid = call->grid;

    if (scope != 'R')
        check_coordinate(call, 'R', prow, grid->nprow, argument, role);
    if (scope != 'C')
        check_coordinate(call, 'C', pcol, grid->npcol, argument + 1, role);
    if (scope == 'R')
        return (int)pcol;
    if (scope == 'C')
        return (int)prow;
    if (grid->position)
        return listed_position(call, prow, pcol, argument, role);
    return (int)(prow * grid->npcol + pcol);
}

/* The caller as its own source would wait for nobody and leave the matrix as it is. */
static _Noreturn void own_source(const obl_call *call, int scope, int64_t prow, int64_t pcol,
                                 int argument)
{
    char which[96];
    argument = obl_argument(call, argument);
    if (scope == 'A')
        snprintf(which, sizeof which,
                 "arguments %d and %d (RSRC, CSRC) are %" PRId64 " and %" PRId64, argument,
                 argument + 1, prow, pcol);
    else
        snprintf(which, sizeof which, "argument %d (%s) is %" PRId64,
                 scope == 'C' ? argument : argument + 1, scope == 'C' ? "RSRC" : "CSRC",
                 scope == 'C' ? prow : pcol);
    const char *name = obl_name(call);
    obl_fault(call, "OB-1010 %s, the caller itself; the source of a broadcast calls %.3sbs2d%s",
              which, name, strlen(name) > 7 ? name + 7 : ""); /* dgebr2d_begin: dgebs2d_begin */
}

int obl_source(const obl_call *call, int scope, int64_t prow, int64_t pcol, int argument)
{
    const obl_grid *grid = call->grid;
    int position = obl_position(call, scope, prow, pcol, argument, "SRC");
    if ((scope == 'R' || prow == grid->myrow) && (scope == 'C' || pcol == grid->mycol))
        own_source(call, scope, prow, pcol, argument);
    return position;
}
