/*
 * Point to point: ?gesd2d ?gerv2d ?trsd2d ?trrv2d. All twenty, in C and
 * Fortran, are one of the two functions below with a type filled in.
 */
#include "grid.h"
#include "hooks/together.h"
#include "openblacs/blacs_extensions.h"
#include "openblacs/blacs_mkl.h"

/* Argument number of M. */
enum { M_GENERAL = 2, M_TRAPEZOID = 4 };

static int m_argument(int uplo)
{
    return uplo == OBL_GENERAL ? M_GENERAL : M_TRAPEZOID;
}

static void send_matrix(const char *routine, ob_type type, obl_int context, int uplo, int diag,
                        obl_int m, obl_int n, const void *a, obl_int lda, obl_int rdest,
                        obl_int cdest, const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
    int at = m_argument(uplo);
    ob_view view = obl_view(&call, type, uplo, diag, m, n, a, lda, at);
    int dest = obl_grid_position(&call, rdest, cdest, at + 4, "DEST");
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_announce(&call, dest, &view);

    int status = ob_send(grid->point, dest, 0, &view);
    if (__builtin_expect(status != OB_OK, 0))
        obl_check(&call, status);
    obl_end_call(&call);
}

/* Messages of this grid's point to point have a group of their own: nothing else can match. */
static int receive_any(obl_grid *grid, int source, const ob_view *view)
{
    ob_received got = {.source = -1};
    int status = ob_recv(grid->point, source, 0, view, &got);
    grid->last_source = got.source;
    return status;
}

static void source_of(const obl_grid *grid, obl_int *prow, obl_int *pcol)
{
    int at = grid->last_source;
    if (at >= 0 && grid->listed)
        at = grid->listed[at];
    *prow = at < 0 ? -1 : at / grid->npcol;
    *pcol = at < 0 ? -1 : at % grid->npcol;
}

void OB_C(blacs_source)(obl_int context, obl_int *prow, obl_int *pcol)
{
    obl_call call = {"blacs_source", context, NULL};
    source_of(obl_enter(&call), prow, pcol);
}

void OB_F(blacs_source)(const obl_int *context, obl_int *prow, obl_int *pcol)
{
    OB_C(blacs_source)(*context, prow, pcol);
}

/* LAWN 73, 7.1.2: RSRC = -1 comes back as who it was. A constant stays as it is. */
static void tell_source(obl_int context, const obl_int *rsrc, const obl_int *csrc)
{
    obl_int prow, pcol;
    if (__builtin_expect(*rsrc != -1, 1))
        return;
    source_of(obl_find(context), &prow, &pcol);
    obl_put_back(rsrc, prow);
    obl_put_back(csrc, pcol);
}

static void receive_matrix(const char *routine, ob_type type, obl_int context, int uplo, int diag,
                           obl_int m, obl_int n, void *a, obl_int lda, obl_int rsrc, obl_int csrc,
                           const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
    int at = m_argument(uplo);
    ob_view view = obl_view(&call, type, uplo, diag, m, n, a, lda, at);
    int status;
    if (__builtin_expect(rsrc == OB_ANY, 0) && ob_together_is_open())
        obl_fault(&call,
                  "OB-2523 argument %d (RSRC) is -1 between blacs_together_begin and "
                  "blacs_together_end, where a receive names its source",
                  obl_argument(&call, at + 4));
    int source = rsrc == OB_ANY ? OB_ANY : obl_grid_position(&call, rsrc, csrc, at + 4, "SRC");
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_expect(&call, &source, &view);
    if (__builtin_expect(rsrc == OB_ANY, 0))
        status = receive_any(grid, source, &view);
    else
        status = ob_recv(grid->point, source, 0, &view, NULL);
    if (__builtin_expect(status != OB_OK, 0))
        obl_check(&call, status);
    obl_end_call(&call);
}

#define STAMP(p, T, type)                                                                          \
    void OB_C(p##gesd2d)(obl_int context, obl_int m, obl_int n, const T *a, obl_int lda,           \
                         obl_int rdest, obl_int cdest)                                             \
    {                                                                                              \
        send_matrix(#p "gesd2d", type, context, OBL_GENERAL, 0, m, n, a, lda, rdest, cdest,        \
                    OBL_SITE);                                                                     \
    }                                                                                              \
    void OB_F(p##gesd2d)(const obl_int *context, const obl_int *m, const obl_int *n, const T *a,   \
                         const obl_int *lda, const obl_int *rdest, const obl_int *cdest)           \
    {                                                                                              \
        OB_C(p##gesd2d)(*context, *m, *n, a, *lda, *rdest, *cdest);                                \
    }                                                                                              \
    void OB_C(p##gerv2d)(obl_int context, obl_int m, obl_int n, T * a, obl_int lda, obl_int rsrc,  \
                         obl_int csrc)                                                             \
    {                                                                                              \
        receive_matrix(#p "gerv2d", type, context, OBL_GENERAL, 0, m, n, a, lda, rsrc, csrc,       \
                       OBL_SITE);                                                                  \
    }                                                                                              \
    void OB_F(p##gerv2d)(const obl_int *context, const obl_int *m, const obl_int *n, T *a,         \
                         const obl_int *lda, const obl_int *rsrc, const obl_int *csrc)             \
    {                                                                                              \
        OB_C(p##gerv2d)(*context, *m, *n, a, *lda, *rsrc, *csrc);                                  \
        tell_source(*context, rsrc, csrc);                                                         \
    }                                                                                              \
    void OB_C(p##trsd2d)(obl_int context, const char *uplo, const char *diag, obl_int m,           \
                         obl_int n, const T *a, obl_int lda, obl_int rdest, obl_int cdest)         \
    {                                                                                              \
        send_matrix(#p "trsd2d", type, context, obl_letter(uplo), obl_letter(diag), m, n, a, lda,  \
                    rdest, cdest, OBL_SITE);                                                       \
    }                                                                                              \
    void OB_F(p##trsd2d)(const obl_int *context, const char *uplo, const char *diag,               \
                         const obl_int *m, const obl_int *n, const T *a, const obl_int *lda,       \
                         const obl_int *rdest, const obl_int *cdest)                               \
    {                                                                                              \
        OB_C(p##trsd2d)(*context, uplo, diag, *m, *n, a, *lda, *rdest, *cdest);                    \
    }                                                                                              \
    void OB_C(p##trrv2d)(obl_int context, const char *uplo, const char *diag, obl_int m,           \
                         obl_int n, T *a, obl_int lda, obl_int rsrc, obl_int csrc)                 \
    {                                                                                              \
        receive_matrix(#p "trrv2d", type, context, obl_letter(uplo), obl_letter(diag), m, n, a,    \
                       lda, rsrc, csrc, OBL_SITE);                                                 \
    }                                                                                              \
    void OB_F(p##trrv2d)(const obl_int *context, const char *uplo, const char *diag,               \
                         const obl_int *m, const obl_int *n, T *a, const obl_int *lda,             \
                         const obl_int *rsrc, const obl_int *csrc)                                 \
    {                                                                                              \
        OB_C(p##trrv2d)(*context, uplo, diag, *m, *n, a, *lda, *rsrc, *csrc);                      \
        tell_source(*context, rsrc, csrc);                                                         \
    }

OBL_TYPES(STAMP)

/* A send never waits for its receiver, so this cannot hang where all do it at once. */
void OB_C(dsendrecv)(obl_int context, obl_int m, obl_int n, const double *a, obl_int lda,
                     obl_int rdest, obl_int cdest, obl_int p, obl_int q, double *b, obl_int ldb,
                     obl_int rsrc, obl_int csrc)
{
    OB_C(dgesd2d)(context, m, n, a, lda, rdest, cdest);
    OB_C(dgerv2d)(context, p, q, b, ldb, rsrc, csrc);
}

void OB_F(dsendrecv)(const obl_int *context, const obl_int *m, const obl_int *n, const double *a,
                     const obl_int *lda, const obl_int *rdest, const obl_int *cdest,
                     const obl_int *p, const obl_int *q, double *b, const obl_int *ldb,
                     const obl_int *rsrc, const obl_int *csrc)
{
    OB_C(dsendrecv)(*context, *m, *n, a, *lda, *rdest, *cdest, *p, *q, b, *ldb, *rsrc, *csrc);
}

void OB_C(blacs_together_begin)(void)
{
    obl_check(&(obl_call){"blacs_together_begin", -1, NULL}, ob_together_begin());
}

void OB_F(blacs_together_begin)(void)
{
    OB_C(blacs_together_begin)();
}

void OB_C(blacs_together_end)(void)
{
    const obl_call call = {"blacs_together_end", -1, NULL};
    obl_trace(&call, OBL_SITE);
    obl_check(&call, ob_together_end());
    obl_end_call(&call);
}

void OB_F(blacs_together_end)(void)
{
    OB_C(blacs_together_end)();
}

OBL_NAMES64(dsendrecv)
OBL_NAMES64(blacs_together_begin)
OBL_NAMES64(blacs_together_end)
OBL_NAMES64(blacs_source)

#define NAMES(p, P)                                                                                \
    OBL_NAMES(p##gesd2d, P##GESD2D)                                                                \
    OBL_NAMES(p##gerv2d, P##GERV2D)                                                                \
    OBL_NAMES(p##trsd2d, P##TRSD2D)                                                                \
    OBL_NAMES(p##trrv2d, P##TRRV2D)
OBL_LETTERS(NAMES)
