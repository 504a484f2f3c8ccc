/*
 * The communication routines of the BLACS on the MLACS (Walker's figures 16 to 18): each
 * finds the communicator of its context and scope and calls one MLACS routine. TOP is not
 * looked at, as in the paper. The five types are stamped from one table at the end.
 */
#include "context.h"

/* An m x n matrix as the BLACS take it: a size that is not positive makes it empty,
 * whatever the rest, and lda matters only where there is a second column. */
typedef struct matrix {
    int m, n, ld;
} matrix;

static matrix matrix_of(int m, int n, int ld)
{
    if (m <= 0 || n <= 0)
        return (matrix){0, 0, 1};
    return (matrix){m, n, n == 1 && ld < m ? m : ld};
}

/* -------------------------------------------------- point to point (figure 16) */

static void send(const call *c, MLACS_Type t, char uplo, char diag, matrix x, const void *a,
                 int rdest, int cdest)
{
    const grid *g = grid_of(c);
    if (uplo)
        must(c, mlacs_send_trap(a, x.ld, x.m, x.n, uplo, diag, t, rdest, cdest, 0, g->all));
    else
        must(c, mlacs_send(a, x.ld, x.m, x.n, t, rdest, cdest, 0, g->all));
}

/* The BLACS want as many elements as were sent. */
static void receive(const call *c, MLACS_Type t, char uplo, char diag, matrix x, void *a, int rsrc,
                    int csrc)
{
    const grid *g = grid_of(c);
    if (uplo)
        must(c, mlacs_recv_trap(a, x.ld, x.m, x.n, uplo, diag, t, rsrc, csrc, 0, g->all,
                                MLACS_STATUS_IGNORE));
    else
        must(c, mlacs_recv(a, x.ld, x.m, x.n, t, rsrc, csrc, 0, g->all, MLACS_STATUS_IGNORE));
}

/* ------------------------------------------------------ broadcasts (figure 17) */

static void broadcast(const call *c, MLACS_Type t, char scope, char uplo, char diag, matrix x,
                      void *a, int rroot, int croot)
{
    MLACS_Comm comm = scope_of(c, grid_of(c), scope);
    if (upper(scope) == 'R')
        rroot = MLACS_IGNORE;
    if (upper(scope) == 'C')
        croot = MLACS_IGNORE;
    if (uplo)
        must(c, mlacs_bcast_trap(a, x.ld, x.m, x.n, uplo, diag, t, rroot, croot, comm));
    else
        must(c, mlacs_bcast(a, x.ld, x.m, x.n, t, rroot, croot, comm));
}

static void broadcast_mine(const call *c, MLACS_Type t, char scope, char uplo, char diag, matrix x,
                           void *a)
{
    const grid *g = grid_of(c);
    broadcast(c, t, scope, uplo, diag, x, a, g->myrow, g->mycol);
}

/* -------------------------------------------------------- combines (figure 18) */

typedef int to_root(const void *, void *, int, int, int, int *, int, MLACS_Type, int, int,
                    MLACS_Comm);
typedef int to_all(const void *, void *, int, int, int, int *, int, MLACS_Type, MLACS_Comm);

/* Where the result goes: -1 in either coordinate means to all. */
typedef struct root {
    int row, column, all, here;
} root;

static root root_of(const call *c, char scope, int rdest, int cdest)
{
    const grid *g = grid_of(c);
    root r = {rdest, cdest, rdest == -1 || cdest == -1, 1};
    if (upper(scope) == 'R')
        r.row = MLACS_IGNORE;
    if (upper(scope) == 'C')
        r.column = MLACS_IGNORE;
    if (!r.all)
        r.here = (r.row == MLACS_IGNORE || r.row == g->myrow) &&
                 (r.column == MLACS_IGNORE || r.column == g->mycol);
    return r;
}

static void add(const call *c, MLACS_Type t, char scope, matrix x, void *a, int rdest, int cdest)
{
    MLACS_Comm comm = scope_of(c, grid_of(c), scope);
    root r = root_of(c, scope, rdest, cdest);
    must(c, r.all ? mlacs_allreduce_sum(a, a, x.ld, x.m, x.n, t, comm)
                  : mlacs_reduce_sum(a, a, x.ld, x.m, x.n, t, r.row, r.column, comm));
}

/* Ranks in a communicator become coordinates in the grid. */
static void to_coordinates(const call *c, MLACS_Comm comm, matrix x, int *ra, int *ca, int ldia)
{
    const grid *g = grid_of(c);
    for (int j = 0; j < x.n; j++)
        for (int i = 0; i < x.m; i++) {
            int at = i + j * ldia, row, column;
            must(c, mlacs_cart_coords(comm, ra[at], &row, &column));
            ra[at] = row == MLACS_IGNORE ? g->myrow : row;
            ca[at] = column == MLACS_IGNORE ? g->mycol : column;
        }
}

static void extreme(const call *c, MLACS_Type t, to_root *one, to_all *all, char scope, matrix x,
                    void *a, int *ra, int *ca, int ldia, int rdest, int cdest)
{
    MLACS_Comm comm = scope_of(c, grid_of(c), scope);
    root r = root_of(c, scope, rdest, cdest);
    int *ranks = ldia == -1 ? NULL : ra;
    must(c, r.all ? all(a, a, x.ld, x.m, x.n, ranks, ldia, t, comm)
                  : one(a, a, x.ld, x.m, x.n, ranks, ldia, t, r.row, r.column, comm));
    if (ranks && r.here)
        to_coordinates(c, comm, x, ra, ca, ldia);
}

/* ------------------------------------------------------------ the five types */

/* Every routine twice: C takes scalars by value, Fortran by reference. */
#define TYPED(v, T)                                                                                \
    void C##v##gesd2d(int ctxt, int m, int n, const void *a, int lda, int r, int q)                \
    {                                                                                              \
        send(&(call){#v "gesd2d", ctxt}, T, 0, 0, matrix_of(m, n, lda), a, r, q);                  \
    }                                                                                              \
    void v##gesd2d_(const int *ctxt, const int *m, const int *n, const void *a, const int *lda,    \
                    const int *r, const int *q)                                                    \
    {                                                                                              \
        C##v##gesd2d(*ctxt, *m, *n, a, *lda, *r, *q);                                              \
    }                                                                                              \
    void C##v##trsd2d(int ctxt, const char *u, const char *d, int m, int n, const void *a,         \
                      int lda, int r, int q)                                                       \
    {                                                                                              \
        send(&(call){#v "trsd2d", ctxt}, T, *u, *d, matrix_of(m, n, lda), a, r, q);                \
    }                                                                                              \
    void v##trsd2d_(const int *ctxt, const char *u, const char *d, const int *m, const int *n,     \
                    const void *a, const int *lda, const int *r, const int *q)                     \
    {                                                                                              \
        C##v##trsd2d(*ctxt, u, d, *m, *n, a, *lda, *r, *q);                                        \
    }                                                                                              \
    void C##v##gerv2d(int ctxt, int m, int n, void *a, int lda, int r, int q)                      \
    {                                                                                              \
        receive(&(call){#v "gerv2d", ctxt}, T, 0, 0, matrix_of(m, n, lda), a, r, q);               \
    }                                                                                              \
    void v##gerv2d_(const int *ctxt, const int *m, const int *n, void *a, const int *lda,          \
                    const int *r, const int *q)                                                    \
    {                                                                                              \
        C##v##gerv2d(*ctxt, *m, *n, a, *lda, *r, *q);                                              \
    }                                                                                              \
    void C##v##trrv2d(int ctxt, const char *u, const char *d, int m, int n, void *a, int lda,      \
                      int r, int q)                                                                \
    {                                                                                              \
        receive(&(call){#v "trrv2d", ctxt}, T, *u, *d, matrix_of(m, n, lda), a, r, q);             \
    }                                                                                              \
    void v##trrv2d_(const int *ctxt, const char *u, const char *d, const int *m, const int *n,     \
                    void *a, const int *lda, const int *r, const int *q)                           \
    {                                                                                              \
        C##v##trrv2d(*ctxt, u, d, *m, *n, a, *lda, *r, *q);                                        \
    }                                                                                              \
    void C##v##gebs2d(int ctxt, const char *s, const char *top, int m, int n, void *a, int lda)    \
    {                                                                                              \
        (void)top;                                                                                 \
        broadcast_mine(&(call){#v "gebs2d", ctxt}, T, *s, 0, 0, matrix_of(m, n, lda), a);          \
    }                                                                                              \
    void v##gebs2d_(const int *ctxt, const char *s, const char *top, const int *m, const int *n,   \
                    void *a, const int *lda)                                                       \
    {                                                                                              \
        C##v##gebs2d(*ctxt, s, top, *m, *n, a, *lda);                                              \
    }                                                                                              \
    void C##v##trbs2d(int ctxt, const char *s, const char *top, const char *u, const char *d,      \
                      int m, int n, void *a, int lda)                                              \
    {                                                                                              \
        (void)top;                                                                                 \
        broadcast_mine(&(call){#v "trbs2d", ctxt}, T, *s, *u, *d, matrix_of(m, n, lda), a);        \
    }                                                                                              \
    void v##trbs2d_(const int *ctxt, const char *s, const char *top, const char *u, const char *d, \
                    const int *m, const int *n, void *a, const int *lda)                           \
    {                                                                                              \
        C##v##trbs2d(*ctxt, s, top, u, d, *m, *n, a, *lda);                                        \
    }                                                                                              \
    void C##v##gebr2d(int ctxt, const char *s, const char *top, int m, int n, void *a, int lda,    \
                      int r, int q)                                                                \
    {                                                                                              \
        (void)top;                                                                                 \
        broadcast(&(call){#v "gebr2d", ctxt}, T, *s, 0, 0, matrix_of(m, n, lda), a, r, q);         \
    }                                                                                              \
    void v##gebr2d_(const int *ctxt, const char *s, const char *top, const int *m, const int *n,   \
                    void *a, const int *lda, const int *r, const int *q)                           \
    {                                                                                              \
        C##v##gebr2d(*ctxt, s, top, *m, *n, a, *lda, *r, *q);                                      \
    }                                                                                              \
    void C##v##trbr2d(int ctxt, const char *s, const char *top, const char *u, const char *d,      \
                      int m, int n, void *a, int lda, int r, int q)                                \
    {                                                                                              \
        (void)top;                                                                                 \
        broadcast(&(call){#v "trbr2d", ctxt}, T, *s, *u, *d, matrix_of(m, n, lda), a, r, q);       \
    }                                                                                              \
    void v##trbr2d_(const int *ctxt, const char *s, const char *top, const char *u, const char *d, \
                    const int *m, const int *n, void *a, const int *lda, const int *r,             \
                    const int *q)                                                                  \
    {                                                                                              \
        C##v##trbr2d(*ctxt, s, top, u, d, *m, *n, a, *lda, *r, *q);                                \
    }                                                                                              \
    void C##v##gsum2d(int ctxt, const char *s, const char *top, int m, int n, void *a, int lda,    \
                      int r, int q)                                                                \
    {                                                                                              \
        (void)top;                                                                                 \
        add(&(call){#v "gsum2d", ctxt}, T, *s, matrix_of(m, n, lda), a, r, q);                     \
    }                                                                                              \
    void v##gsum2d_(const int *ctxt, const char *s, const char *top, const int *m, const int *n,   \
                    void *a, const int *lda, const int *r, const int *q)                           \
    {                                                                                              \
        C##v##gsum2d(*ctxt, s, top, *m, *n, a, *lda, *r, *q);                                      \
    }                                                                                              \
    EXTREME(v, T, gamx2d, maxabsloc)                                                               \
    EXTREME(v, T, gamn2d, minabsloc)

#define EXTREME(v, T, name, loc)                                                                   \
    void C##v##name(int ctxt, const char *s, const char *top, int m, int n, void *a, int lda,      \
                    int *ra, int *ca, int ldia, int r, int q)                                      \
    {                                                                                              \
        (void)top;                                                                                 \
        extreme(&(call){#v #name, ctxt}, T, mlacs_reduce_##loc, mlacs_allreduce_##loc, *s,         \
                matrix_of(m, n, lda), a, ra, ca, ldia, r, q);                                      \
    }                                                                                              \
    void v##name##_(const int *ctxt, const char *s, const char *top, const int *m, const int *n,   \
                    void *a, const int *lda, int *ra, int *ca, const int *ldia, const int *r,      \
                    const int *q)                                                                  \
    {                                                                                              \
        C##v##name(*ctxt, s, top, *m, *n, a, *lda, ra, ca, *ldia, *r, *q);                         \
    }

TYPED(i, MLACS_INT)
TYPED(s, MLACS_FLOAT)
TYPED(d, MLACS_DOUBLE)
TYPED(c, MLACS_COMPLEX)
TYPED(z, MLACS_DOUBLE_COMPLEX)
