/*
 * Broadcasts: ?gebs2d ?gebr2d ?trbs2d ?trbr2d, and those that are only begun. All forty, in C and
 * Fortran, are one function with a type filled in.
 */
#include "begun.h"
#include "openblacs/blacs_extensions.h"

enum { M_GENERAL = 4, M_TRAPEZOID = 6 }; /* argument number of M */

typedef struct source {
    int sends; /* the caller is the root, the coordinates do not count */
    obl_int row, column;
} source;
static const source myself = {.sends = 1};

/* request NULL: waits. */
static void broadcast(const char *routine, ob_type type, obl_int context, const char *scope,
                      const char *top, int uplo, int diag, obl_int m, obl_int n, const void *a,
                      obl_int lda, source from, obl_int *request, const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
    int letter, at = uplo == OBL_GENERAL ? M_GENERAL : M_TRAPEZOID;
    ob_group *group = obl_scope(&call, scope, &letter);
    ob_route route = obl_route(&call, top, grid->broadcast_rings, grid->broadcast_branches);
    ob_view view = obl_view(&call, type, uplo, diag, m, n, a, lda, at);
    int root =
        from.sends ? ob_group_me(group) : obl_source(&call, letter, from.row, from.column, at + 4);
    obl_begun begun = {.routine = routine, .grid = grid, .context = context};

    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group,
                  &(obl_named){.what = "broadcast",
                               .scope = letter,
                               .top = obl_letter(top),
                               .view = &view,
                               .route = &route,
                               .root = root,
                               .sends = from.sends},
                  request ? &begun.agreement : NULL);
    if (request) {
        obl_check(&call, ob_ibroadcast(group, root, &view, &route, &begun.request));
        *request = obl_enroll_begun(&call, &begun);
    } else {
        obl_check(&call, ob_broadcast(group, root, &view, &route));
    }
    obl_end_call(&call);
}

#define STAMP(p, T, type)                                                                          \
    void OB_C(p##gebs2d)(obl_int context, const char *scope, const char *top, obl_int m,           \
                         obl_int n, const T *a, obl_int lda)                                       \
    {                                                                                              \
        broadcast(#p "gebs2d", type, context, scope, top, OBL_GENERAL, 0, m, n, a, lda, myself,    \
                  NULL, OBL_SITE);                                                                 \
    }                                                                                              \
    void OB_F(p##gebs2d)(const obl_int *context, const char *scope, const char *top,               \
                         const obl_int *m, const obl_int *n, const T *a, const obl_int *lda)       \
    {                                                                                              \
        OB_C(p##gebs2d)(*context, scope, top, *m, *n, a, *lda);                                    \
    }                                                                                              \
    void OB_C(p##gebr2d)(obl_int context, const char *scope, const char *top, obl_int m,           \
                         obl_int n, T *a, obl_int lda, obl_int rsrc, obl_int csrc)                 \
    {                                                                                              \
        broadcast(#p "gebr2d", type, context, scope, top, OBL_GENERAL, 0, m, n, a, lda,            \
                  (source){0, rsrc, csrc}, NULL, OBL_SITE);                                        \
    }                                                                                              \
    void OB_F(p##gebr2d)(const obl_int *context, const char *scope, const char *top,               \
                         const obl_int *m, const obl_int *n, T *a, const obl_int *lda,             \
                         const obl_int *rsrc, const obl_int *csrc)                                 \
    {                                                                                              \
        OB_C(p##gebr2d)(*context, scope, top, *m, *n, a, *lda, *rsrc, *csrc);                      \
    }                                                                                              \
    void OB_C(p##trbs2d)(obl_int context, const char *scope, const char *top, const char *uplo,    \
                         const char *diag, obl_int m, obl_int n, const T *a, obl_int lda)          \
    {                                                                                              \
        broadcast(#p "trbs2d", type, context, scope, top, obl_letter(uplo), obl_letter(diag), m,   \
                  n, a, lda, myself, NULL, OBL_SITE);                                              \
    }                                                                                              \
    void OB_F(p##trbs2d)(const obl_int *context, const char *scope, const char *top,               \
                         const char *uplo, const char *diag, const obl_int *m, const obl_int *n,   \
                         const T *a, const obl_int *lda)                                           \
    {                                                                                              \
        OB_C(p##trbs2d)(*context, scope, top, uplo, diag, *m, *n, a, *lda);                        \
    }                                                                                              \
    void OB_C(p##trbr2d)(obl_int context, const char *scope, const char *top, const char *uplo,    \
                         const char *diag, obl_int m, obl_int n, T *a, obl_int lda, obl_int rsrc,  \
                         obl_int csrc)                                                             \
    {                                                                                              \
        broadcast(#p "trbr2d", type, context, scope, top, obl_letter(uplo), obl_letter(diag), m,   \
                  n, a, lda, (source){0, rsrc, csrc}, NULL, OBL_SITE);                             \
    }                                                                                              \
    void OB_F(p##trbr2d)(const obl_int *context, const char *scope, const char *top,               \
                         const char *uplo, const char *diag, const obl_int *m, const obl_int *n,   \
                         T *a, const obl_int *lda, const obl_int *rsrc, const obl_int *csrc)       \
    {                                                                                              \
        OB_C(p##trbr2d)(*context, scope, top, uplo, diag, *m, *n, a, *lda, *rsrc, *csrc);          \
    }

OBL_TYPES(STAMP)

#define STAMP_BEGIN(p, T, type)                                                                    \
    void OB_C(p##gebs2d_begin)(obl_int context, const char *scope, const char *top, obl_int m,     \
                               obl_int n, const T *a, obl_int lda, obl_int *request)               \
    {                                                                                              \
        static const char name[] = #p "gebs2d_begin";                                              \
        broadcast(name, type, context, scope, top, OBL_GENERAL, 0, m, n, a, lda, myself,           \
                  obl_place(name, context, request, 8), OBL_SITE);                                 \
    }                                                                                              \
    void OB_F(p##gebs2d_begin)(const obl_int *context, const char *scope, const char *top,         \
                               const obl_int *m, const obl_int *n, const T *a, const obl_int *lda, \
                               obl_int *request)                                                   \
    {                                                                                              \
        OB_C(p##gebs2d_begin)(*context, scope, top, *m, *n, a, *lda, request);                     \
    }                                                                                              \
    void OB_C(p##gebr2d_begin)(obl_int context, const char *scope, const char *top, obl_int m,     \
                               obl_int n, T *a, obl_int lda, obl_int rsrc, obl_int csrc,           \
                               obl_int *request)                                                   \
    {                                                                                              \
        static const char name[] = #p "gebr2d_begin";                                              \
        broadcast(name, type, context, scope, top, OBL_GENERAL, 0, m, n, a, lda,                   \
                  (source){0, rsrc, csrc}, obl_place(name, context, request, 10), OBL_SITE);       \
    }                                                                                              \
    void OB_F(p##gebr2d_begin)(const obl_int *context, const char *scope, const char *top,         \
                               const obl_int *m, const obl_int *n, T *a, const obl_int *lda,       \
                               const obl_int *rsrc, const obl_int *csrc, obl_int *request)         \
    {                                                                                              \
        OB_C(p##gebr2d_begin)(*context, scope, top, *m, *n, a, *lda, *rsrc, *csrc, request);       \
    }                                                                                              \
    void OB_C(p##trbs2d_begin)(obl_int context, const char *scope, const char *top,                \
                               const char *uplo, const char *diag, obl_int m, obl_int n,           \
                               const T *a, obl_int lda, obl_int *request)                          \
    {                                                                                              \
        static const char name[] = #p "trbs2d_begin";                                              \
        broadcast(name, type, context, scope, top, obl_letter(uplo), obl_letter(diag), m, n, a,    \
                  lda, myself, obl_place(name, context, request, 10), OBL_SITE);                   \
    }                                                                                              \
    void OB_F(p##trbs2d_begin)(const obl_int *context, const char *scope, const char *top,         \
                               const char *uplo, const char *diag, const obl_int *m,               \
                               const obl_int *n, const T *a, const obl_int *lda, obl_int *request) \
    {                                                                                              \
        OB_C(p##trbs2d_begin)(*context, scope, top, uplo, diag, *m, *n, a, *lda, request);         \
    }                                                                                              \
    void OB_C(p##trbr2d_begin)(obl_int context, const char *scope, const char *top,                \
                               const char *uplo, const char *diag, obl_int m, obl_int n, T *a,     \
                               obl_int lda, obl_int rsrc, obl_int csrc, obl_int *request)          \
    {                                                                                              \
        static const char name[] = #p "trbr2d_begin";                                              \
        broadcast(name, type, context, scope, top, obl_letter(uplo), obl_letter(diag), m, n, a,    \
                  lda, (source){0, rsrc, csrc}, obl_place(name, context, request, 12), OBL_SITE);  \
    }                                                                                              \
    void OB_F(p##trbr2d_begin)(const obl_int *context, const char *scope, const char *top,         \
                               const char *uplo, const char *diag, const obl_int *m,               \
                               const obl_int *n, T *a, const obl_int *lda, const obl_int *rsrc,    \
                               const obl_int *csrc, obl_int *request)                              \
    {                                                                                              \
        OB_C(p##trbr2d_begin)                                                                      \
        (*context, scope, top, uplo, diag, *m, *n, a, *lda, *rsrc, *csrc, request);                \
    }                                                                                              \
    OBL_NAMES64(p##gebs2d_begin)                                                                   \
    OBL_NAMES64(p##gebr2d_begin)                                                                   \
    OBL_NAMES64(p##trbs2d_begin)                                                                   \
    OBL_NAMES64(p##trbr2d_begin)

OBL_TYPES(STAMP_BEGIN)

#define NAMES(p, P)                                                                                \
    OBL_NAMES(p##gebs2d, P##GEBS2D)                                                                \
    OBL_NAMES(p##gebr2d, P##GEBR2D)                                                                \
    OBL_NAMES(p##trbs2d, P##TRBS2D)                                                                \
    OBL_NAMES(p##trbr2d, P##TRBR2D)
OBL_LETTERS(NAMES)
