/*
 * Combines: ?gsum2d ?gamx2d ?gamn2d. All fifteen, in C and Fortran, are one
 * function with a type and an operation filled in.
 */
#include <string.h>

#include "grid.h"

enum { M_ARGUMENT = 4, LDIA_ARGUMENT = 10, DEST_OF_SUM = 8, DEST_OF_EXTREME = 11 };

/* Where the owners of the largest or smallest elements go. */
typedef struct owners {
    obl_int *row, *column;
    obl_int ld; /* -1: nowhere */
} owners;
/* Where the core puts them. */
typedef struct places {
    int *row, *column;
    size_t ld;
} places;
static const owners nowhere = {NULL, NULL, -1};

static void check_owners(const obl_call *call, const owners *to, const ob_view *view)
{
    if (view->n > 1 && (to->ld < 0 || (size_t)to->ld < view->m))
        obl_fault(call, "OB-1020 argument %d (LDIA) is %" OBL_D ", must be -1 or at least M = %zu",
                  obl_argument(call, LDIA_ARGUMENT), to->ld, view->m);
    if (!to->row || !to->column)
        obl_fault(call, "OB-1020 argument %d (%s) is NULL, but LDIA is %" OBL_D ", not -1",
                  obl_argument(call, to->row ? LDIA_ARGUMENT - 1 : LDIA_ARGUMENT - 2),
                  to->row ? "CA" : "RA", to->ld);
}

/* Positions in a scope as grid coordinates: in the whole grid they are
 * row-major, in a row they are columns, in a column rows. */
static ob_coordinates coordinates_in(const obl_grid *grid, int scope, const places *to)
{
    return (ob_coordinates){.first = to->row,
                            .second = to->column,
                            .ld = to->ld,
                            .width = scope == 'C' ? 1 : grid->npcol,
                            .first_base = scope == 'R' ? grid->myrow : 0,
                            .second_base = scope == 'C' ? grid->mycol : 0};
}

/* The core's owners are ints. Where the program's integers are larger, each column's lie at the
 * begin of its own until they are spread. */
static places places_in(const owners *to, size_t ld)
{
    return (places){(int *)(void *)to->row, (int *)(void *)to->column,
                    ld * (sizeof(obl_int) / sizeof(int))};
}

static void spread_column(const int *from, obl_int *to, size_t m)
{
    for (size_t i = m; i-- > 0;) {
        int place;
        memcpy(&place, from + i, sizeof place);
        to[i] = place;
    }
}

static void spread(const ob_view *view, const owners *to, size_t ld)
{
    for (size_t j = 0; sizeof(obl_int) > sizeof(int) && j < view->n; j++) {
        spread_column((const int *)(const void *)(to->row + j * ld), to->row + j * ld, view->m);
        spread_column((const int *)(const void *)(to->column + j * ld), to->column + j * ld,
                      view->m);
    }
}

static void combine(const char *routine, ob_op op, ob_type type, obl_int context, const char *scope,
                    const char *top, obl_int m, obl_int n, void *a, obl_int lda, owners to,
                    obl_int rdest, obl_int cdest, const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
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
    ob_coordinates coords;
    places in = places_in(&to, ld);
    if (wanted) /* positions first, where the grid has its own numbers */
        coords = grid->position ? (ob_coordinates){.first = in.row, .ld = in.ld, .width = 1}
                                : coordinates_in(grid, letter, &in);
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group,
                  &(obl_named){.what = routine,
                               .scope = letter,
                               .top = obl_letter(top),
                               .view = &view,
                               .route = &route,
                               .root = root,
                               .owners = wanted});
    obl_check(&call,
              ob_combine_coordinates(group, root, op, &view, wanted ? &coords : NULL, &route));
    if (wanted && (root == OB_ANY || root == ob_group_me(group))) {
        if (grid->position)
            obl_scope_places(grid, &view, in.row, in.column, in.ld);
        spread(&view, &to, ld);
    }
    obl_end_call(&call);
}

#define STAMP_EXTREME(p, T, type, name, op)                                                        \
    void OB_C(p##name)(obl_int context, const char *scope, const char *top, obl_int m, obl_int n,  \
                       T *a, obl_int lda, obl_int *ra, obl_int *ca, obl_int ldia, obl_int rdest,   \
                       obl_int cdest)                                                              \
    {                                                                                              \
        combine(#p #name, op, type, context, scope, top, m, n, a, lda, (owners){ra, ca, ldia},     \
                rdest, cdest, OBL_SITE);                                                           \
    }                                                                                              \
    void OB_F(p##name)(const obl_int *context, const char *scope, const char *top,                 \
                       const obl_int *m, const obl_int *n, T *a, const obl_int *lda, obl_int *ra,  \
                       obl_int *ca, const obl_int *ldia, const obl_int *rdest,                     \
                       const obl_int *cdest)                                                       \
    {                                                                                              \
        OB_C(p##name)(*context, scope, top, *m, *n, a, *lda, ra, ca, *ldia, *rdest, *cdest);       \
    }

#define STAMP(p, T, type)                                                                          \
    void OB_C(p##gsum2d)(obl_int context, const char *scope, const char *top, obl_int m,           \
                         obl_int n, T *a, obl_int lda, obl_int rdest, obl_int cdest)               \
    {                                                                                              \
        combine(#p "gsum2d", OB_SUM, type, context, scope, top, m, n, a, lda, nowhere, rdest,      \
                cdest, OBL_SITE);                                                                  \
    }                                                                                              \
    void OB_F(p##gsum2d)(const obl_int *context, const char *scope, const char *top,               \
                         const obl_int *m, const obl_int *n, T *a, const obl_int *lda,             \
                         const obl_int *rdest, const obl_int *cdest)                               \
    {                                                                                              \
        OB_C(p##gsum2d)(*context, scope, top, *m, *n, a, *lda, *rdest, *cdest);                    \
    }                                                                                              \
    STAMP_EXTREME(p, T, type, gamx2d, OB_MAX_ABS)                                                  \
    STAMP_EXTREME(p, T, type, gamn2d, OB_MIN_ABS)

OBL_TYPES(STAMP)

#define NAMES(p, P)                                                                                \
    OBL_NAMES(p##gsum2d, P##GSUM2D)                                                                \
    OBL_NAMES(p##gamx2d, P##GAMX2D)                                                                \
    OBL_NAMES(p##gamn2d, P##GAMN2D)
OBL_LETTERS(NAMES)
