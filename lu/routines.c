/*
 * The routines that programs call, C and Fortran, of four types. Compiled twice: as it is, and with
 * OB_ILP64 for integers of 64 bits. What they do stands in entries.c, definite.c,
 * orthogonal.c and pieces.c, in 64 bits.
 */
#include "arguments.h"

#include "common/offer.h"

#ifdef OB_ILP64
#define OB_STAMPING
#include "openblacs/integers.h"
typedef int64_t oblu_int;
enum { WIDE = true };
#else
typedef int oblu_int;
enum { WIDE = false };
#endif

/* A descriptor, and pivots. */
#define D(d)                                                                                       \
    ((const int64_t[]){(d)[0], (d)[1], (d)[2], (d)[3], (d)[4], (d)[5], (d)[6], (d)[7], (d)[8]})
#define P(ipiv) ((oblu_pivots){(void *)(ipiv), WIDE})

void OB_T(bsp_lu_block)(oblu_int columns)
{
    oblu_set_block(columns);
}

void OB_F(bsp_lu_block)(const oblu_int *columns)
{
    oblu_set_block(*columns);
}

void OB_T(bsp_lu_panel)(oblu_int way)
{
    oblu_set_panel(way);
}

void OB_F(bsp_lu_panel)(const oblu_int *way)
{
    oblu_set_panel(*way);
}

void OB_T(bsp_lu_measure)(oblu_int idling)
{
    oblu_set_measure(idling);
}

void OB_F(bsp_lu_measure)(const oblu_int *idling)
{
    oblu_set_measure(*idling);
}

void OB_T(bsp_lu_last)(bsp_lu_parts *parts)
{
    *parts = oblu_last();
}

#define FACTORS(x, real, name)                                                                     \
    void OB_T(bsp_p##x##name)(oblu_int m, oblu_int n, real * a, oblu_int ia, oblu_int ja,          \
                              const oblu_int *desca, oblu_int *ipiv, oblu_int *info)               \
    {                                                                                              \
        *info = (oblu_int)oblu_factors(&oblu_##x, #name, m, n, a, ia, ja, D(desca), P(ipiv));      \
    }                                                                                              \
    void OB_F(bsp_p##x##name)(const oblu_int *m, const oblu_int *n, real *a, const oblu_int *ia,   \
                              const oblu_int *ja, const oblu_int *desca, oblu_int *ipiv,           \
                              oblu_int *info)                                                      \
    {                                                                                              \
        OB_T(bsp_p##x##name)(*m, *n, a, *ia, *ja, desca, ipiv, info);                              \
    }

#define SOLVES(x, real)                                                                            \
    void OB_T(bsp_p##x##getrs)(char trans, oblu_int n, oblu_int nrhs, const real *a, oblu_int ia,  \
                               oblu_int ja, const oblu_int *desca, const oblu_int *ipiv, real *b,  \
                               oblu_int ib, oblu_int jb, const oblu_int *descb, oblu_int *info)    \
    {                                                                                              \
        *info = (oblu_int)oblu_getrs(&oblu_##x, trans, n, nrhs, a, ia, ja, D(desca), P(ipiv), b,   \
                                     ib, jb, D(descb));                                            \
    }                                                                                              \
    void OB_F(bsp_p##x##getrs)(                                                                    \
        const char *trans, const oblu_int *n, const oblu_int *nrhs, const real *a,                 \
        const oblu_int *ia, const oblu_int *ja, const oblu_int *desca, const oblu_int *ipiv,       \
        real *b, const oblu_int *ib, const oblu_int *jb, const oblu_int *descb, oblu_int *info)    \
    {                                                                                              \
        OB_T(bsp_p##x##getrs)                                                                      \
        (*trans, *n, *nrhs, a, *ia, *ja, desca, ipiv, b, *ib, *jb, descb, info);                   \
    }                                                                                              \
    void OB_T(bsp_p##x##gesv)(oblu_int n, oblu_int nrhs, real * a, oblu_int ia, oblu_int ja,       \
                              const oblu_int *desca, oblu_int *ipiv, real *b, oblu_int ib,         \
                              oblu_int jb, const oblu_int *descb, oblu_int *info)                  \
    {                                                                                              \
        *info = (oblu_int)oblu_gesv(&oblu_##x, n, nrhs, a, ia, ja, D(desca), P(ipiv), b, ib, jb,   \
                                    D(descb));                                                     \
    }                                                                                              \
    void OB_F(bsp_p##x##gesv)(const oblu_int *n, const oblu_int *nrhs, real *a,                    \
                              const oblu_int *ia, const oblu_int *ja, const oblu_int *desca,       \
                              oblu_int *ipiv, real *b, const oblu_int *ib, const oblu_int *jb,     \
                              const oblu_int *descb, oblu_int *info)                               \
    {                                                                                              \
        OB_T(bsp_p##x##gesv)(*n, *nrhs, a, *ia, *ja, desca, ipiv, b, *ib, *jb, descb, info);       \
    }

#define DEFINITE(x, real)                                                                          \
    void OB_T(bsp_p##x##potrf)(char uplo, oblu_int n, real *a, oblu_int ia, oblu_int ja,           \
                               const oblu_int *desca, oblu_int *info)                              \
    {                                                                                              \
        *info = (oblu_int)oblu_potrf(&oblu_##x, uplo, n, a, ia, ja, D(desca));                     \
    }                                                                                              \
    void OB_F(bsp_p##x##potrf)(const char *uplo, const oblu_int *n, real *a, const oblu_int *ia,   \
                               const oblu_int *ja, const oblu_int *desca, oblu_int *info)          \
    {                                                                                              \
        OB_T(bsp_p##x##potrf)(*uplo, *n, a, *ia, *ja, desca, info);                                \
    }                                                                                              \
    DEFINITE_SOLVES(x, real, potrs, const)                                                         \
    DEFINITE_SOLVES(x, real, posv, )

#define DEFINITE_SOLVES(x, real, name, in)                                                         \
    void OB_T(bsp_p##x##name)(char uplo, oblu_int n, oblu_int nrhs, in real *a, oblu_int ia,       \
                              oblu_int ja, const oblu_int *desca, real *b, oblu_int ib,            \
                              oblu_int jb, const oblu_int *descb, oblu_int *info)                  \
    {                                                                                              \
        *info = (oblu_int)oblu_##name(&oblu_##x, uplo, n, nrhs, a, ia, ja, D(desca), b, ib, jb,    \
                                      D(descb));                                                   \
    }                                                                                              \
    void OB_F(bsp_p##x##name)(const char *uplo, const oblu_int *n, const oblu_int *nrhs,           \
                              in real *a, const oblu_int *ia, const oblu_int *ja,                  \
                              const oblu_int *desca, real *b, const oblu_int *ib,                  \
                              const oblu_int *jb, const oblu_int *descb, oblu_int *info)           \
    {                                                                                              \
        OB_T(bsp_p##x##name)(*uplo, *n, *nrhs, a, *ia, *ja, desca, b, *ib, *jb, descb, info);      \
    }

#define ORTHOGONAL(x, real)                                                                        \
    void OB_T(bsp_p##x##geqrf)(oblu_int m, oblu_int n, real * a, oblu_int ia, oblu_int ja,         \
                               const oblu_int *desca, real *tau, real *work, oblu_int lwork,       \
                               oblu_int *info)                                                     \
    {                                                                                              \
        *info = (oblu_int)oblu_geqrf(&oblu_##x, m, n, a, ia, ja, D(desca), tau, work, lwork);      \
    }                                                                                              \
    void OB_F(bsp_p##x##geqrf)(const oblu_int *m, const oblu_int *n, real *a, const oblu_int *ia,  \
                               const oblu_int *ja, const oblu_int *desca, real *tau, real *work,   \
                               const oblu_int *lwork, oblu_int *info)                              \
    {                                                                                              \
        OB_T(bsp_p##x##geqrf)(*m, *n, a, *ia, *ja, desca, tau, work, *lwork, info);                \
    }

#define LEAST_SQUARES(x, real)                                                                     \
    void OB_T(bsp_p##x##gels)(char trans, oblu_int m, oblu_int n, oblu_int nrhs, real *a,          \
                              oblu_int ia, oblu_int ja, const oblu_int *desca, real *b,            \
                              oblu_int ib, oblu_int jb, const oblu_int *descb, real *work,         \
                              oblu_int lwork, oblu_int *info)                                      \
    {                                                                                              \
        *info = (oblu_int)oblu_gels(&oblu_##x, trans, m, n, nrhs, a, ia, ja, D(desca), b, ib, jb,  \
                                    D(descb), work, lwork);                                        \
    }                                                                                              \
    void OB_F(bsp_p##x##gels)(const char *trans, const oblu_int *m, const oblu_int *n,             \
                              const oblu_int *nrhs, real *a, const oblu_int *ia,                   \
                              const oblu_int *ja, const oblu_int *desca, real *b,                  \
                              const oblu_int *ib, const oblu_int *jb, const oblu_int *descb,       \
                              real *work, const oblu_int *lwork, oblu_int *info)                   \
    {                                                                                              \
        OB_T(bsp_p##x##gels)                                                                       \
        (*trans, *m, *n, *nrhs, a, *ia, *ja, desca, b, *ib, *jb, descb, work, *lwork, info);       \
    }

#define PIECES(x, real)                                                                            \
    void OB_T(bsp_p##x##swap)(oblu_int n, real * v, oblu_int ix, oblu_int jx,                      \
                              const oblu_int *descx, oblu_int incx, real *y, oblu_int iy,          \
                              oblu_int jy, const oblu_int *descy, oblu_int incy)                   \
    {                                                                                              \
        oblu_swap(&oblu_##x, n, v, ix, jx, D(descx), incx, y, iy, jy, D(descy), incy);             \
    }                                                                                              \
    void OB_F(bsp_p##x##swap)(const oblu_int *n, real *v, const oblu_int *ix, const oblu_int *jx,  \
                              const oblu_int *descx, const oblu_int *incx, real *y,                \
                              const oblu_int *iy, const oblu_int *jy, const oblu_int *descy,       \
                              const oblu_int *incy)                                                \
    {                                                                                              \
        OB_T(bsp_p##x##swap)(*n, v, *ix, *jx, descx, *incx, y, *iy, *jy, descy, *incy);            \
    }                                                                                              \
    void OB_T(bsp_p##x##amax)(oblu_int n, real * largest, oblu_int * indx, const real *v,          \
                              oblu_int ix, oblu_int jx, const oblu_int *descx, oblu_int incx)      \
    {                                                                                              \
        *indx = (oblu_int)oblu_amax(&oblu_##x, n, largest, v, ix, jx, D(descx), incx);             \
    }                                                                                              \
    void OB_F(bsp_p##x##amax)(const oblu_int *n, real *largest, oblu_int *indx, const real *v,     \
                              const oblu_int *ix, const oblu_int *jx, const oblu_int *descx,       \
                              const oblu_int *incx)                                                \
    {                                                                                              \
        OB_T(bsp_p##x##amax)(*n, largest, indx, v, *ix, *jx, descx, *incx);                        \
    }                                                                                              \
    void OB_T(bsp_p##x##laswp)(char direc, char rowcol, oblu_int n, real *a, oblu_int ia,          \
                               oblu_int ja, const oblu_int *desca, oblu_int k1, oblu_int k2,       \
                               const oblu_int *ipiv)                                               \
    {                                                                                              \
        oblu_laswp(&oblu_##x, direc, rowcol, n, a, ia, ja, D(desca), k1, k2, P(ipiv));             \
    }                                                                                              \
    void OB_F(bsp_p##x##laswp)(const char *direc, const char *rowcol, const oblu_int *n, real *a,  \
                               const oblu_int *ia, const oblu_int *ja, const oblu_int *desca,      \
                               const oblu_int *k1, const oblu_int *k2, const oblu_int *ipiv)       \
    {                                                                                              \
        OB_T(bsp_p##x##laswp)(*direc, *rowcol, *n, a, *ia, *ja, desca, *k1, *k2, ipiv);            \
    }

#define ROUTINES(x, real)                                                                          \
    FACTORS(x, real, getrf)                                                                        \
    FACTORS(x, real, getf2)                                                                        \
    SOLVES(x, real)                                                                                \
    DEFINITE(x, real)                                                                              \
    ORTHOGONAL(x, real)                                                                            \
    LEAST_SQUARES(x, real)                                                                         \
    PIECES(x, real)
ROUTINES(s, float)
ROUTINES(d, double)
ROUTINES(c, float)
ROUTINES(z, double)

#ifndef OB_ILP64
#define MEMBER(name) .name = OB_F(bsp_##name),
const ob_lu_routines ob_lu = {OB_LU_ROUTINES(MEMBER)};
#endif
