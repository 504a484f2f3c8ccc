/*
 * Inside libopenblacs_lu: the arguments of the routines that programs call (entries.c, pieces.c).
 */
#ifndef OPENBLACS_LU_ARGUMENTS_H
#define OPENBLACS_LU_ARGUMENTS_H

#include "lu.h"

/* Entries of a descriptor. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* An argument: a submatrix and where in the argument list its parts stand. */
typedef struct oblu_sub {
    int m, n, i, j;
    const int *desc;
    int m_place, n_place, desc_place;
} oblu_sub;

typedef struct oblu_dims {
    int rows, columns, row, column;
} oblu_dims;

/* Of no argument, but of what bsp_lu_block and its like have set. */
enum { OBLU_SETTING = 9900, OBLU_SCALARS = 8 };

/* What a process has found wrong: where, in units of 1/100 argument (0: nothing), and the line's
 * end: "is 9, must be 1 to 8". */
typedef struct oblu_fault {
    int part;
    char text[120];
} oblu_fault;

/* One call: the names of its arguments, its matrices (b NULL where there is one), what else must be
 * alike, what is wrong with it, and whether that ends the job, since there is no info. */
typedef struct oblu_call {
    const char *names;
    const oblu_sub *a, *b;
    const oblu_dims *g;
    oblu_alike scalar[OBLU_SCALARS];
    size_t scalars;
    int letters; /* so many first arguments are letters */
    oblu_fault wrong;
    bool ends;
} oblu_call;

static inline char oblu_upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* The caller's position on the grid; rows is below 1 for a context that is none, or not the
 * caller's.
 */
oblu_dims oblu_dims_of(int context);
/* Notes what is wrong; returns part. */
int oblu_wrong(oblu_fault *f, int part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes the first wrong thing of a submatrix, in ScaLAPACK's order, and returns its part. */
int oblu_wrong_part(const oblu_sub *x, const oblu_dims *g, oblu_fault *f);
/* Says what of the call is wrong, and ends the job. */
_Noreturn void oblu_refuse(const oblu_call *c);
/* The grid for a call that all make alike; NULL with *info where one is wrong, of which one process
 * says so, or nothing is to be done. */
bsp2d_grid *oblu_meet(const oblu_call *c, bool empty, int *info);
oblu_matrix oblu_matrix_of(const oblu_sub *x, const oblu_dims *g, const void *local);
/* The caller's process column, or row, or all of the context as a grid of so many rows and columns,
 * by scope; the caller's position in it. */
bsp2d_grid *oblu_grid_of(int context, const char *scope, int rows, int columns, int position);

#endif
