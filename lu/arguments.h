/*
 * Inside libopenblacs_lu: the arguments of the routines that programs call (entries.c, pieces.c).
 */
#ifndef OPENBLACS_LU_ARGUMENTS_H
#define OPENBLACS_LU_ARGUMENTS_H

#include "lu.h"
#include "seat.h"

#include "common/letter.h"

#include <inttypes.h>

/* Entries of a descriptor. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* An argument: a submatrix and where in the argument list its parts stand. */
typedef struct oblu_sub {
    int64_t m, n, i, j;
    const int64_t *desc;
    int m_place, n_place, desc_place;
} oblu_sub;

typedef struct oblu_dims {
    int64_t context;
    int rows, columns, row, column;
    bool cramped; /* some process's heap is small; since oblu_meet */
} oblu_dims;

/* Of no argument, but of what bsp_lu_block and its like have set. */
enum { OBLU_SETTING = 9900, OBLU_SCALARS = 8 };
/* Of no argument: an offer (common/offer.h) that a process declines. */
enum { OBLU_DECLINED = 9901 };

/* The longest row, column and local column: the BLAS take 32-bit integers, also for those of a
 * block and a column of blocks together. */
enum { OBLU_LONGEST = INT32_MAX - (1 << 20) };

/* What a process has found wrong: where, in units of 1/100 argument (0: nothing), and the line's
 * end: "is 9, must be 1 to 8". */
typedef struct oblu_fault {
    int part;
    char text[200];
} oblu_fault;

/* One call: the names of its arguments, its matrices (b and c NULL where there are fewer), what
 * else must be alike, what is wrong with it, and whether that ends the job, since there is no info.
 */
typedef struct oblu_call {
    const char *names;
    const oblu_sub *a, *b, *c;
    oblu_dims *g;
    oblu_alike scalar[OBLU_SCALARS];
    size_t scalars;
    int letters; /* so many first arguments are letters */
    oblu_fault wrong;
    bool ends;
    oblu_seat *seat; /* where one process does the work; or NULL */
} oblu_call;

/* The caller's position on the grid; rows is below 1 for a context that is none, or not the
 * caller's.
 */
oblu_dims oblu_dims_of(int64_t context);
/* Notes what is wrong; returns part. */
int oblu_wrong(oblu_fault *f, int part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes the first wrong thing of a submatrix, in ScaLAPACK's order, and returns its part. */
int oblu_wrong_part(const oblu_sub *x, const oblu_dims *g, oblu_fault *f);
/* The same of a system of equations: of the square matrix a, of the right-hand sides b, and of what
 * solving asks of both together. */
int oblu_wrong_system(const oblu_sub *a, const oblu_sub *b, const oblu_dims *g, oblu_fault *f);
/* What gels asks of A and B together, for which each alone is right: B's rows are distributed as
 * A's, or where A has more columns in such blocks as these. */
int oblu_wrong_least_squares(const oblu_sub *a, const oblu_sub *b, const oblu_dims *g,
                             oblu_fault *f);
/* Says what of the call is wrong, and ends the job. */
_Noreturn void oblu_refuse(const oblu_call *c);
/* All make the call alike, and something is to be done. False with *info where one is wrong, of
 * which one process says so, or nothing is to be done. */
bool oblu_meet(const oblu_call *c, bool empty, int64_t *info);
oblu_matrix oblu_matrix_of(const oblu_sub *x, const oblu_dims *g, const void *local);
/* Has it square blocks, and does it begin one? */
bool oblu_begins_square(const oblu_matrix *x);
/* A program's descriptor of 32-bit integers. */
void oblu_widen(const int *desc, int64_t wide[LLD + 1]);
/* The caller's process row ('R') or column ('C') as a grid of one column, or all ('A'). */
bsp2d_grid *oblu_grid_of(const oblu_dims *g, char scope);
/* The same as a group, all of them row by row: the context's own. */
ob_group *oblu_group_of(const oblu_dims *g, char scope);

/* Offers of this thread (offer.c): close tells whether it was taken. A refusal is a call that is
 * not carried out on any process; it sets *info. */
void oblu_offer_open(bool declines);
bool oblu_offer_close(void);
bool oblu_is_offered(void);
bool oblu_offer_is_declined(void);
void oblu_offer_refuse(int64_t *info);

/* ------------------------------------------------- what the routines do */

/* Settings, and what the last factorisation took (entries.c). */
void oblu_set_block(int64_t columns);
void oblu_set_panel(int64_t way);
void oblu_set_measure(int64_t idling);
bsp_lu_parts oblu_last(void);
void oblu_note(const bsp_lu_parts *parts);
bool oblu_measures(void);
/* The algorithmic block that was set, or a multiple of the distribution's: narrow, so that one that
 * works at a block alone is soon done with it, or wide where the matrix is `large`: it leaves the
 * caches, and each block's product reads and writes what is left of it (bench/lu.md). */
size_t oblu_narrow_block(const oblu_matrix *a, size_t large);
enum { OBLU_LARGE = 2250 }; /* of LU and Cholesky */
bool oblu_block_is_set(void);
/* Does the process column that has a block of so many columns factor it: was it asked for, or does
 * the routine want it unasked, and does each block lie in one process column? */
bool oblu_together(const oblu_matrix *a, size_t block, bool unasked);
/* So that one process would be long at a block. */
bool oblu_has_many_rows(const oblu_matrix *a);
/* oblu_meet for calls to which the settings matter: these must be alike, too, and the letter that
 * is argument 1, or 0. */
bool oblu_meet_with_settings(oblu_call *c, int letter, bool empty, int64_t *info);
/* Less right-hand sides than these are few: a factor that goes to one process is much beside them.
 */
enum { OBLU_FEW_SIDES = 8 };
/* The same for calls that one process may carry out: where there is one, or nothing was set and A
 * has a seat (oblu_has_seat; least: with two processes, and with more). False also where that is
 * done. The task's matrices are looked at where the call is right. */
bool oblu_meet_for(oblu_call *c, const oblu_task *task, const size_t least[2], int letter,
                   bool empty, int64_t *info);

/* "getrf" or "getf2", getrs and gesv, of bsp_lu.h; return info (entries.c). */
int64_t oblu_factors(const oblu_kernels *k, const char *routine, int64_t m, int64_t n, void *a,
                     int64_t ia, int64_t ja, const int64_t *desca, oblu_pivots ipiv);
int64_t oblu_getrs(const oblu_kernels *k, char trans, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, oblu_pivots ipiv, void *b,
                   int64_t ib, int64_t jb, const int64_t *descb);
int64_t oblu_gesv(const oblu_kernels *k, int64_t n, int64_t nrhs, void *a, int64_t ia, int64_t ja,
                  const int64_t *desca, oblu_pivots ipiv, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb);

/* potrf, potrs and posv (definite.c). */
int64_t oblu_potrf(const oblu_kernels *k, char uplo, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca);
int64_t oblu_potrs(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                   const int64_t *descb);
int64_t oblu_posv(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, void *a, int64_t ia,
                  int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb);

/* geqrf and gels (orthogonal.c). */
int64_t oblu_geqrf(const oblu_kernels *k, int64_t m, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca, void *tau, void *work, int64_t lwork);
int64_t oblu_gels(const oblu_kernels *k, char trans, int64_t m, int64_t n, int64_t nrhs, void *a,
                  int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb, void *work, int64_t lwork);

/* And its pieces (pieces.c); amax returns indx. */
void oblu_swap(const oblu_kernels *k, int64_t n, void *x, int64_t ix, int64_t jx,
               const int64_t *descx, int64_t incx, void *y, int64_t iy, int64_t jy,
               const int64_t *descy, int64_t incy);
int64_t oblu_amax(const oblu_kernels *k, int64_t n, void *largest, const void *x, int64_t ix,
                  int64_t jx, const int64_t *descx, int64_t incx);
void oblu_laswp(const oblu_kernels *k, char direc, char rowcol, int64_t n, void *a, int64_t ia,
                int64_t ja, const int64_t *desca, int64_t k1, int64_t k2, oblu_pivots ipiv);

#endif
