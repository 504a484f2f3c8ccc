/*
 * BSP2D: matrices communicated in supersteps on process grids, as Horvitz and Bisseling
 * propose it (Designing a BSP version of ScaLAPACK, 1998, section 4).
 *
 * A grid is a bulk-synchronous computer of its own: its supersteps end with bsp2d_sync, called by
 * its processes and nobody else, and what is asked for on one grid says nothing to
 * another, nor to BSPlib's bsp_sync. Programs begin and end with bsp_begin and bsp_end, or they are
 * BLACS programs: a ScaLAPACK program can make a grid of the processes of a BLACS context
 * (bsp2d_gridmap) and use both.
 *
 * Rules
 *  B1  All routines but the inquiries, the sends, moves, puts and gets are called by all
 *      processes of the grid, in the same order.
 *  B2  What is sent, put or asked for takes effect at the next bsp2d_sync, in the order that
 *      bsp.h states. The collective calls (bsp2d_bcast to bsp2d_replicate) have supersteps of their
 * own, which carry nothing but their own data: sends, puts and gets that wait go on waiting, and
 * messages that wait to be moved go on being there. B3  Messages of one sender are moved in the
 * order sent. What has not been moved is dropped at the next bsp2d_sync. B4  Matrices are ob_view's
 * of core.h: column-major, general or trapezoidal, any type. A sent matrix and the one it is moved
 * to must have as many elements of the same type; shapes may differ.
 *
 * Errors end the job with one line that names routine, processes and sizes, at the call or at
 * the sync that finds it.
 *
 * Cost: h counts bytes sent or received by a process, g is the time of one, l that of a
 * synchronisation, n the bytes of a matrix, q the processes of a scope.
 */
#ifndef OPENBLACS_BSP2D_H
#define OPENBLACS_BSP2D_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- the matrix */

/* A general m x n matrix at a with leading dimension ld >= m. */
static inline ob_view bsp2d_ge(ob_type type, size_t m, size_t n, const void *a, size_t ld)
{
    ob_view v = {(void *)a, m, n, ld, type, OB_GENERAL, 0};
    return v;
}

/* A trapezoidal one: uplo 'U' or 'L', diag 'U' (unit: the diagonal does not travel) or 'N'. */
static inline ob_view bsp2d_tr(ob_type type, char uplo, char diag, size_t m, size_t n,
                               const void *a, size_t ld)
{
    ob_view v = {(void *)a, m, n, ld, type, OB_LOWER, 0};
    if (uplo == 'U' || uplo == 'u')
        v.shape = OB_UPPER;
    v.unit_diagonal = diag == 'U' || diag == 'u';
    return v;
}

/* ---------------------------------------------------------------- the grid */

typedef struct bsp2d_grid bsp2d_grid;

/* Makes a grid of the job's first nprow * npcol processes, numbered along rows (order 'R') or
 * columns ('C'). All processes of the job may call; who is not in the grid gets NULL. */
OB_API bsp2d_grid *bsp2d_gridinit(char order, int nprow, int npcol);
/* Makes a grid of any distinct processes, by their numbers in the job (Cblacs_pnum of a BLACS
 * grid on the default system context): numbers[i + j * ld] is at row i, column j. Its members call
 * it. */
OB_API bsp2d_grid *bsp2d_gridmap(const int *numbers, int ld, int nprow, int npcol);
/* Gives the grid back, with its buffers and registrations. Requests that wait are dropped.
 * NULL is fine. */
OB_API void bsp2d_gridexit(bsp2d_grid *grid);
/* Dimensions and our coordinates, -1 four times for NULL. Pointers may be NULL. */
OB_API void bsp2d_gridinfo(const bsp2d_grid *grid, int *nprow, int *npcol, int *myrow, int *mycol);
/* The number within the grid of the process at (prow, pcol), row-major: prow * npcol + pcol. */
OB_API int bsp2d_pid(const bsp2d_grid *grid, int prow, int pcol);

/* Ends the superstep of the grid. */
OB_API void bsp2d_sync(bsp2d_grid *grid);

/* What this process's supersteps on the grid were, for cost models. The layout stays. */
typedef struct bsp2d_cost {
    size_t supersteps;     /* synchronisations, those within collective calls included */
    size_t sent, received; /* bytes, to and from others */
    double sync_seconds;   /* in syncs and collective calls: communication, waiting, and the copies
                              there */
} bsp2d_cost;
/* Since the grid was made, or since the last call with reset != 0. Local. */
OB_API void bsp2d_costs(bsp2d_grid *grid, bsp2d_cost *cost, int reset);

/* ------------------------------------------------- pairs: send and move; n g */

/* Sends a matrix to the process at (prow, pcol); it is packed now and may change. */
OB_API void bsp2d_send(bsp2d_grid *grid, int prow, int pcol, const ob_view *a);
/* The same from the source memory, which may be read at any time until bsp2d_sync returns and must
 * not change till then. It is copied once by the sender: to the memory that the receiver reads, or
 * into the message at the sync. The view itself (not the matrix) may go at once. */
OB_API void bsp2d_hpsend(bsp2d_grid *grid, int prow, int pcol, const ob_view *a);
/* Takes the next message of the process at (prow, pcol) and unpacks it into a. None there, or
 * another size or type, is an error. */
OB_API void bsp2d_move(bsp2d_grid *grid, int prow, int pcol, const ob_view *a);
/* Takes the next message without copying: *packed describes it where it lies, until the next
 * bsp2d_sync: a general matrix m x n with ld = m, fit for the BLAS; a trapezoidal one as a
 * column of its elements (m = count, n = 1). At multiples of 64 bytes. */
OB_API void bsp2d_hpmove(bsp2d_grid *grid, int prow, int pcol, ob_view *packed);
/* How many messages of that process wait to be moved. */
OB_API int bsp2d_qsize(const bsp2d_grid *grid, int prow, int pcol);
/* What bsp2d_hpmove would give, left where it is; 0 when nothing waits. */
OB_API int bsp2d_peek(const bsp2d_grid *grid, int prow, int pcol, ob_view *packed);

/* -------------------------------------------- remote memory; n g; as in bsp.h */

OB_API void bsp2d_push_reg(bsp2d_grid *grid, const void *ident, size_t size);
OB_API void bsp2d_pop_reg(bsp2d_grid *grid, const void *ident);
/* pid: number within the grid, bsp2d_pid. */
OB_API void bsp2d_put(bsp2d_grid *grid, int pid, const void *src, void *dst, size_t offset,
                      size_t nbytes);
OB_API void bsp2d_get(bsp2d_grid *grid, int pid, const void *src, size_t offset, void *dst,
                      size_t nbytes);
OB_API void bsp2d_hpput(bsp2d_grid *grid, int pid, const void *src, void *dst, size_t offset,
                        size_t nbytes);
OB_API void bsp2d_hpget(bsp2d_grid *grid, int pid, const void *src, size_t offset, void *dst,
                        size_t nbytes);
/* Puts a general matrix into one of the receiver's: element (i, j) of a is written at the sync to
 * element offset + i + j * ld of what process pid registered together with our dst. Offset and ld
 * in elements of a's type; ld >= a->m and may be another than a's. Rows of a distributed matrix
 * swap so in one superstep: a is read now, written at the sync. */
OB_API void bsp2d_put_matrix(bsp2d_grid *grid, int pid, const ob_view *a, void *dst, size_t offset,
                             size_t ld);

/* -------------------------------------------------------- registered buffers */

/* Memory that all processes of the grid have registered together (section 2.4). All ask in lock
 * step with the same size, and get the smallest buffer of at least `bytes` bytes that is not in
 * use, the same on all; where there is none a new one is made, which can be put to after
 * the next bsp2d_sync. It is marked used until it is given back. At multiples of 64 bytes; what is
 * in it is undefined. That all ask alike is checked at the sync. */
OB_API void *bsp2d_buffer(bsp2d_grid *grid, size_t bytes);
/* Gives a buffer back; it can be handed out again after the next bsp2d_sync, when nobody can still
 * be working with what was put there. */
OB_API void bsp2d_buffer_free(bsp2d_grid *grid, void *buffer);

/* ------------------------------------------------------------------ collective */

/* Scopes: 'R' the process row, 'C' the process column of each process, 'A' the grid. All
 * rows (columns) do the same at the same time, with sizes of their own. No superstep for a
 * scope of one process, one for two, else two: first the pieces of the matrix are scattered
 * (or exchanged and combined), then every process shares its piece. 2 n g + 2 l. */

/* The matrix of the process at (prow, pcol) to its scope; 'R' looks at pcol alone and 'C' at prow
 * alone. Within a scope all have the same number of elements of the same type. For 'A', where all
 * know the size, a matrix so short that a second superstep does not pay goes in one. */
OB_API void bsp2d_bcast(bsp2d_grid *grid, char scope, int prow, int pcol, const ob_view *a);
/* The matrices of a scope, combined element by element, to all its processes, the same bits on
 * each, by any ob_op. owner as in ob_combine: NULL, or m x n with leading
 * dimension ld_owner, for at which position of the scope the extreme was (the column of a row,
 * the row of a column, the number in the grid). */
OB_API void bsp2d_reduce(bsp2d_grid *grid, char scope, ob_op op, const ob_view *a, int *owner,
                         size_t ld_owner);
/* The same with an operation of the caller's. */
OB_API void bsp2d_reduce_by(bsp2d_grid *grid, char scope, const ob_operation *operation,
                            const ob_view *a);
/* Replicated scalars: each process of one row (scope 'R', row prow), one column ('C', column
 * pcol) or the grid ('A') contributes `bytes` bytes at mine, and every process of the whole
 * grid gets them all, at all + k * bytes for the k-th of that scope. bytes is the same
 * everywhere; mine is not looked at elsewhere. One superstep: q n g + l. So a pivot search
 * in a process column ends on all processes at the price of one synchronisation. */
OB_API void bsp2d_replicate(bsp2d_grid *grid, char scope, int prow, int pcol, const void *mine,
                            size_t bytes, void *all);

#ifdef __cplusplus
}
#endif
#endif
