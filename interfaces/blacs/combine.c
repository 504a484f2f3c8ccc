/*
 * Combines: ?gsum2d ?gamx2d ?gamn2d, and those that are only begun. All thirty, in C and Fortran,
 * are one function with a type and an operation filled in.
 */
#include <stdlib.h>
#include <string.h>

#include "begun.h"
#include "openblacs/blacs_extensions.h"

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

/* What a combine's arguments have become. */
typedef struct combining {
    ob_group *group;
    int letter, root; /* of the scope; position of the destination, or OB_ANY */
    ob_op op;
    const ob_view *view;
    const ob_route *route;
    const owners *to; /* NULL: nowhere */
    size_t ld;
} combining;

/* Do this process's arrays get the owners? */
static int is_here(const combining *c)
{
    return c->to && (c->root == OB_ANY || c->root == ob_group_me(c->group));
}

static void wait_for(const obl_call *call, const combining *c)
{
    const obl_grid *grid = call->grid;
    ob_coordinates coords;
    places in = {0};
    if (c->to) { /* positions first, where the grid has its own numbers */
        in = places_in(c->to, c->ld);
        coords = grid->position ? (ob_coordinates){.first = in.row, .ld = in.ld, .width = 1}
                                : coordinates_in(grid, c->letter, &in);
    }
    obl_check(call, ob_combine_coordinates(c->group, c->root, c->op, c->view,
                                           c->to ? &coords : NULL, c->route));
    if (is_here(c)) {
        if (grid->position)
            obl_scope_places(grid, c->view, in.row, in.column, in.ld);
        spread(c->view, c->to, c->ld);
    }
}

/* Its owners are positions, in memory of their own, until it is ended. */
static void begin(const obl_call *call, const combining *c, obl_begun *begun)
{
    obl_owners *o = &begun->owners;
    size_t m = c->view->m, n = c->view->n;
    if (c->to) {
        *o = (obl_owners){
            malloc(m * n * sizeof(int)),   c->to->row, c->to->column, m, n, c->ld, c->letter,
            sizeof(obl_int) > sizeof(int), is_here(c)};
        if (!o->position)
            obl_fault(call, "OB-4001 no memory for the owners of %zu elements", m * n);
    }
    obl_check(call, ob_icombine(c->group, c->root, c->op, c->view, o->position, m, c->route,
                                &begun->request));
}

/* request NULL: waits. */
static void combine(const char *routine, ob_op op, ob_type type, obl_int context, const char *scope,
                    const char *top, obl_int m, obl_int n, void *a, obl_int lda, owners to,
                    obl_int rdest, obl_int cdest, obl_int *request, const void *site)
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
    const combining c = {group, letter, root, op, &view, &route, wanted ? &to : NULL, ld};
    obl_begun begun = {.routine = routine, .grid = grid, .context = context};
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group,
                  &(obl_named){.what = routine,
                               .scope = letter,
                               .top = obl_letter(top),
                               .view = &view,
                               .route = &route,
                               .root = root,
                               .owners = wanted},
                  request ? &begun.agreement : NULL);
    if (request) {
        begin(&call, &c, &begun);
        *request = obl_enroll_begun(&call, &begun);
    } else {
        wait_for(&call, &c);
    }
    obl_end_call(&call);
}

#define STAMP_EXTREME(p, T, type, name, op)                                                        \
    void OB_C(p##name)(obl_int context, const char *scope, const char *top, obl_int m, obl_int n,  \
                       T *a, obl_int lda, obl_int *ra, obl_int *ca, obl_int ldia, obl_int rdest,   \
                       obl_int cdest)                                                              \
    {                                                                                              \
        combine(#p #name, op, type, context, scope, top, m, n, a, lda, (owners){ra, ca, ldia},     \
                rdest, cdest, NULL, OBL_SITE);                                                     \
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
                cdest, NULL, OBL_SITE);                                                            \
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

#define STAMP_EXTREME_BEGIN(p, T, type, routine, op)                                               \
    void OB_C(p##routine)(obl_int context, const char *scope, const char *top, obl_int m,          \
                          obl_int n, T *a, obl_int lda, obl_int *ra, obl_int *ca, obl_int ldia,    \
                          obl_int rdest, obl_int cdest, obl_int *request)                          \
    {                                                                                              \
        static const char name[] = #p #routine;                                                    \
        combine(name, op, type, context, scope, top, m, n, a, lda, (owners){ra, ca, ldia}, rdest,  \
                cdest, obl_place(name, context, request, 13), OBL_SITE);                           \
    }                                                                                              \
    void OB_F(p##routine)(const obl_int *context, const char *scope, const char *top,              \
                          const obl_int *m, const obl_int *n, T *a, const obl_int *lda,            \
                          obl_int *ra, obl_int *ca, const obl_int *ldia, const obl_int *rdest,     \
                          const obl_int *cdest, obl_int *request)                                  \
    {                                                                                              \
        OB_C(p##routine)                                                                           \
        (*context, scope, top, *m, *n, a, *lda, ra, ca, *ldia, *rdest, *cdest, request);           \
    }                                                                                              \
    OBL_NAMES64(p##routine)

#define STAMP_BEGIN(p, T, type)                                                                    \
    void OB_C(p##gsum2d_begin)(obl_int context, const char *scope, const char *top, obl_int m,     \
                               obl_int n, T *a, obl_int lda, obl_int rdest, obl_int cdest,         \
                               obl_int *request)                                                   \
    {                                                                                              \
        static const char name[] = #p "gsum2d_begin";                                              \
        combine(name, OB_SUM, type, context, scope, top, m, n, a, lda, nowhere, rdest, cdest,      \
                obl_place(name, context, request, 10), OBL_SITE);                                  \
    }                                                                                              \
    void OB_F(p##gsum2d_begin)(const obl_int *context, const char *scope, const char *top,         \
                               const obl_int *m, const obl_int *n, T *a, const obl_int *lda,       \
                               const obl_int *rdest, const obl_int *cdest, obl_int *request)       \
    {                                                                                              \
        OB_C(p##gsum2d_begin)(*context, scope, top, *m, *n, a, *lda, *rdest, *cdest, request);     \
    }                                                                                              \
    OBL_NAMES64(p##gsum2d_begin)                                                                   \
    STAMP_EXTREME_BEGIN(p, T, type, gamx2d_begin, OB_MAX_ABS)                                      \
    STAMP_EXTREME_BEGIN(p, T, type, gamn2d_begin, OB_MIN_ABS)

OBL_TYPES(STAMP_BEGIN)

#define NAMES(p, P)                                                                                \
    OBL_NAMES(p##gsum2d, P##GSUM2D)                                                                \
    OBL_NAMES(p##gamx2d, P##GAMX2D)                                                                \
    OBL_NAMES(p##gamn2d, P##GAMN2D)
OBL_LETTERS(NAMES)
