/*
 * Combines: ?gsum2d ?gamx2d ?gamn2d. All fifteen, in C and Fortran, are one
 * function with a type and an operation filled in.
 */
#include "grid.h"

enum { M_ARGUMENT = 4, LDIA_ARGUMENT = 10, DEST_OF_SUM = 8, DEST_OF_EXTREME = 11 };

/* Where the owners of the largest or smallest elements go. */
typedef struct owners {
    int *row, *column;
    int ld; /* -1: nowhere */
} owners;
static const owners nowhere = {NULL, NULL, -1};

static void check_owners(const obl_call *call, const owners *to, const ob_view *view)
{
    if (view->n > 1 && (to->ld < 0 || (size_t)to->ld < view->m))
        obl_fault(call, "argument %d (LDIA) is %d, must be -1 or at least M = %zu", LDIA_ARGUMENT,
                  to->ld, view->m);
    if (!to->row || !to->column)
        obl_fault(call, "argument %d (%s) is NULL, but LDIA is %d, not -1",
                  to->row ? LDIA_ARGUMENT - 1 : LDIA_ARGUMENT - 2, to->row ? "CA" : "RA", to->ld);
}

/* Rows and columns of the whole grid from row-major positions. A division for
 * each element would cost more than the combine itself; this one is by
 * multiplication, and exact: (position + 1/2) / npcol is at least
 * 1 / (2 npcol) away from a whole number, the rounding error far less. */
static void split_in_grid(int *restrict row, int *restrict column, size_t m, int npcol)
{
    double reciprocal = 1.0 / npcol;
    for (size_t i = 0; i < m; i++) {
        int position = row[i];
        row[i] = (int)((position + 0.5) * reciprocal);
        column[i] = position - row[i] * npcol;
    }
}

/* Splits positions in the scope, which the core left in to->row, into grid
 * coordinates. */
static void split_positions(const obl_grid *grid, int scope, const owners *to, size_t m, size_t n,
                            size_t ld)
{
    for (size_t j = 0; j < n; j++) {
        int *row = to->row + j * ld, *column = to->column + j * ld;
        if (scope == 'A') {
            split_in_grid(row, column, m, grid->npcol);
            continue;
        }
        for (size_t i = 0; i < m; i++) {
            column[i] = scope == 'R' ? row[i] : grid->mycol;
            row[i] = scope == 'R' ? grid->myrow : row[i];
        }
    }
}

static void combine(const char *routine, ob_op op, ob_type type, int context, const char *scope,
                    const char *top, int m, int n, void *a, int lda, owners to, int rdest,
                    int cdest)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    int letter, root = OB_ANY;
    ob_group *group = obl_scope(&call, scope, &letter);
    ob_route route = obl_route(&call, top, grid->combine_rings, grid->combine_branches);
    ob_view view = obl_view(&call, type, OBL_GENERAL, 0, m, n, a, lda, M_ARGUMENT);
    int wanted = to.ld != -1 && view.m > 0;
    size_t ld = wanted && to.ld > 0 && (size_t)to.ld > view.m ? (size_t)to.ld : view.m;

    if (wanted)
        check_owners(&call, &to, &view);
    if (rdest != -1 && cdest != -1)
        root = obl_position(&call, letter, rdest, cdest,
                            op == OB_SUM ? DEST_OF_SUM : DEST_OF_EXTREME, "DEST");
    obl_check(&call, ob_combine(group, root, op, &view, wanted ? to.row : NULL, ld, &route));
    if (wanted && (root == OB_ANY || root == ob_group_me(group)))
        split_positions(grid, letter, &to, view.m, view.n, ld);
}

#define STAMP_EXTREME(p, T, type, name, op)                                                        \
    void C##p##name(int context, const char *scope, const char *top, int m, int n, T *a, int lda,  \
                    int *ra, int *ca, int ldia, int rdest, int cdest)                              \
    {                                                                                              \
        combine(#p #name, op, type, context, scope, top, m, n, a, lda, (owners){ra, ca, ldia},     \
                rdest, cdest);                                                                     \
    }                                                                                              \
    void p##name##_(const int *context, const char *scope, const char *top, const int *m,          \
                    const int *n, T *a, const int *lda, int *ra, int *ca, const int *ldia,         \
                    const int *rdest, const int *cdest)                                            \
    {                                                                                              \
        C##p##name(*context, scope, top, *m, *n, a, *lda, ra, ca, *ldia, *rdest, *cdest);          \
    }

#define STAMP(p, T, type)                                                                          \
    void C##p##gsum2d(int context, const char *scope, const char *top, int m, int n, T *a,         \
                      int lda, int rdest, int cdest)                                               \
    {                                                                                              \
        combine(#p "gsum2d", OB_SUM, type, context, scope, top, m, n, a, lda, nowhere, rdest,      \
                cdest);                                                                            \
    }                                                                                              \
    void p##gsum2d_(const int *context, const char *scope, const char *top, const int *m,          \
                    const int *n, T *a, const int *lda, const int *rdest, const int *cdest)        \
    {                                                                                              \
        C##p##gsum2d(*context, scope, top, *m, *n, a, *lda, *rdest, *cdest);                       \
    }                                                                                              \
    STAMP_EXTREME(p, T, type, gamx2d, OB_MAX_ABS)                                                  \
    STAMP_EXTREME(p, T, type, gamn2d, OB_MIN_ABS)

OBL_TYPES(STAMP)
