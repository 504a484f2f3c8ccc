/*
 * Point to point: ?gesd2d ?gerv2d ?trsd2d ?trrv2d. All twenty, in C and
 * Fortran, are one of the two functions below with a type filled in.
 */
#include "grid.h"

/* Argument number of M. */
enum { M_GENERAL = 2, M_TRAPEZOID = 4 };

static int m_argument(int uplo)
{
    return uplo == OBL_GENERAL ? M_GENERAL : M_TRAPEZOID;
}

static void send_matrix(const char *routine, ob_type type, int context, int uplo, int diag, int m,
                        int n, const void *a, int lda, int rdest, int cdest, const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
    int at = m_argument(uplo);
    ob_view view = obl_view(&call, type, uplo, diag, m, n, a, lda, at);
    int dest = obl_grid_position(&call, rdest, cdest, at + 4, "DEST");

    int status = ob_send(grid->point, dest, 0, &view);
    if (__builtin_expect(status != OB_OK, 0))
        obl_check(&call, status);
}

static void receive_matrix(const char *routine, ob_type type, int context, int uplo, int diag,
                           int m, int n, void *a, int lda, int rsrc, int csrc, const void *site)
{
    obl_call call = {routine, context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, site);
    int at = m_argument(uplo);
    ob_view view = obl_view(&call, type, uplo, diag, m, n, a, lda, at);
    int source = obl_grid_position(&call, rsrc, csrc, at + 4, "SRC");

    int status = ob_recv(grid->point, source, 0, &view, NULL);
    if (__builtin_expect(status != OB_OK, 0))
        obl_check(&call, status);
}

#define STAMP(p, T, type)                                                                          \
    void C##p##gesd2d(int context, int m, int n, const T *a, int lda, int rdest, int cdest)        \
    {                                                                                              \
        send_matrix(#p "gesd2d", type, context, OBL_GENERAL, 0, m, n, a, lda, rdest, cdest,        \
                    OBL_SITE);                                                                     \
    }                                                                                              \
    void p##gesd2d_(const int *context, const int *m, const int *n, const T *a, const int *lda,    \
                    const int *rdest, const int *cdest)                                            \
    {                                                                                              \
        C##p##gesd2d(*context, *m, *n, a, *lda, *rdest, *cdest);                                   \
    }                                                                                              \
    void C##p##gerv2d(int context, int m, int n, T *a, int lda, int rsrc, int csrc)                \
    {                                                                                              \
        receive_matrix(#p "gerv2d", type, context, OBL_GENERAL, 0, m, n, a, lda, rsrc, csrc,       \
                       OBL_SITE);                                                                  \
    }                                                                                              \
    void p##gerv2d_(const int *context, const int *m, const int *n, T *a, const int *lda,          \
                    const int *rsrc, const int *csrc)                                              \
    {                                                                                              \
        C##p##gerv2d(*context, *m, *n, a, *lda, *rsrc, *csrc);                                     \
    }                                                                                              \
    void C##p##trsd2d(int context, const char *uplo, const char *diag, int m, int n, const T *a,   \
                      int lda, int rdest, int cdest)                                               \
    {                                                                                              \
        send_matrix(#p "trsd2d", type, context, obl_letter(uplo), obl_letter(diag), m, n, a, lda,  \
                    rdest, cdest, OBL_SITE);                                                       \
    }                                                                                              \
    void p##trsd2d_(const int *context, const char *uplo, const char *diag, const int *m,          \
                    const int *n, const T *a, const int *lda, const int *rdest, const int *cdest)  \
    {                                                                                              \
        C##p##trsd2d(*context, uplo, diag, *m, *n, a, *lda, *rdest, *cdest);                       \
    }                                                                                              \
    void C##p##trrv2d(int context, const char *uplo, const char *diag, int m, int n, T *a,         \
                      int lda, int rsrc, int csrc)                                                 \
    {                                                                                              \
        receive_matrix(#p "trrv2d", type, context, obl_letter(uplo), obl_letter(diag), m, n, a,    \
                       lda, rsrc, csrc, OBL_SITE);                                                 \
    }                                                                                              \
    void p##trrv2d_(const int *context, const char *uplo, const char *diag, const int *m,          \
                    const int *n, T *a, const int *lda, const int *rsrc, const int *csrc)          \
    {                                                                                              \
        C##p##trrv2d(*context, uplo, diag, *m, *n, a, *lda, *rsrc, *csrc);                         \
    }

OBL_TYPES(STAMP)
