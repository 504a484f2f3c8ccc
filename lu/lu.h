/*
 * Inside libopenblacs_lu: block-cyclic arithmetic, the table of the four types, and the state of
 * one factorisation. Everything is zero-based and in size_t; entries.c translates.
 */
#ifndef OPENBLACS_LU_LU_H
#define OPENBLACS_LU_LU_H

#include <openblacs/bsp2d.h>
#include <openblacs/bsp_lu.h>

#include <stdbool.h>

/* ----------------------------------------------------------- the four types */

/* BLAS and LAPACK, on a column-major matrix of one type. */
typedef struct oblu_kernels {
    const char *letter;
    ob_type type;
    size_t bytes; /* of an element */
    int (*getrf)(size_t m, size_t n, void *a, size_t ld, int *pivots);
    /* A = U^H U or L L^H, in the triangle `uplo`; returns LAPACK's info. Not every LAPACK
     * says so of not-a-numbers: here they are not positive. */
    int (*potrf)(char uplo, size_t n, void *a, size_t ld);
    /* A = Q R as LAPACK leaves it; tau has min(m, n) elements. */
    void (*geqrf)(size_t m, size_t n, void *a, size_t ld, void *tau);
    /* The same of few columns, at most 8 and m, by the BLAS alone (reflect.c). */
    void (*narrow)(size_t m, size_t n, void *a, size_t ld, void *tau);
    /* The triangle T of n reflections: Q = I - V T V^H, of the products V^H V above their diagonal,
     * and tau. */
    void (*triangle)(size_t n, const void *products, size_t ldp, const void *tau, void *t,
                     size_t ldt);
    /* The reflection of column j of a block of w columns, of which several have rows: from the
     * products of all columns with it below row j, and row j. Row j of R (w x w); what `eliminate`
     * is to be given as its row, from column j on; V^H v for the columns before; and tau. False
     * where column j is so short that squares of its elements may vanish. */
    bool (*reflection)(size_t w, size_t j, const void *sums, const void *row, void *r,
                       void *eliminator, void *products, void *tau);
    /* One element becomes a real number. */
    void (*put)(double value, void *to);
    /* It becomes -1 / x; where x is 0, -1, and the result is false. */
    bool (*minus_inverse)(const void *x, void *to);
    /* `to`, n x m, becomes the conjugate transpose of the m x n matrix `from`. */
    void (*adjoint)(size_t m, size_t n, const void *from, size_t ldf, void *to, size_t ldt);
    /* B = op(T)^-1 B (side 'L'), T triangular m x m, or B op(T)^-1 ('R'), T n x n. */
    void (*trsm)(char side, char uplo, char trans, char diag, size_t m, size_t n, const void *t,
                 size_t ldt, void *b, size_t ldb);
    /* B = op(T) B ('L'), or B op(T) ('R'), T an upper triangle. */
    void (*trmm)(char side, char trans, size_t m, size_t n, const void *t, size_t ldt, void *b,
                 size_t ldb);
    /* C = C - A^H A in the triangle `uplo`; A is k x n. */
    void (*herk)(char uplo, size_t n, size_t k, const void *a, size_t lda, void *c, size_t ldc);
    /* C = C - op(A) B, or with `fresh` C = op(A) B; C is m x n, k the inner dimension. */
    void (*gemm)(char trans, bool fresh, size_t m, size_t n, size_t k, const void *a, size_t lda,
                 const void *b, size_t ldb, void *c, size_t ldc);
    /* C = alpha op(A) op(B) + beta C, as in the BLAS; beta NULL: 1. */
    void (*product)(char of_a, char of_b, size_t m, size_t n, size_t k, const void *alpha,
                    const void *a, size_t lda, const void *b, size_t ldb, const void *beta, void *c,
                    size_t ldc);
    /* The index and size (|re| + |im|) of the largest of m elements; a not-a-number is infinite. */
    size_t (*largest)(size_t m, const void *x, size_t stride, double *size);
    /* Column 0 of the m x n matrix A is divided by *row, and the others get less that column times
     * the rest of the row. */
    void (*eliminate)(size_t m, size_t n, void *a, size_t ld, const void *row, size_t ld_row);
    /* C = C - A, m x n. */
    void (*subtract)(size_t m, size_t n, const void *a, size_t lda, void *c, size_t ldc);
    /* A = factor A, m x n. */
    void (*scale)(size_t m, size_t n, double factor, void *a, size_t lda);
} oblu_kernels;
extern const oblu_kernels oblu_s, oblu_d, oblu_c, oblu_z;

static inline const oblu_kernels *oblu_kernels_of(char type)
{
    return type == 's' ? &oblu_s : type == 'd' ? &oblu_d : type == 'c' ? &oblu_c : &oblu_z;
}

#define OBLU_OF_TYPE(x)                                                                            \
    void oblu_narrow_##x(size_t m, size_t n, void *a, size_t ld, void *tau);                       \
    void oblu_triangle_##x(size_t n, const void *products, size_t ldp, const void *tau, void *t,   \
                           size_t ldt);                                                            \
    bool oblu_reflection_##x(size_t w, size_t j, const void *sums, const void *row, void *r,       \
                             void *eliminator, void *products, void *tau);
OBLU_OF_TYPE(s)
OBLU_OF_TYPE(d)
OBLU_OF_TYPE(c)
OBLU_OF_TYPE(z)
#undef OBLU_OF_TYPE

/* Columns that are factored one by one, before what follows is large products: about as many as
 * these need to be worth it. */
enum { OBLU_NARROW = 8 };
/* QR of a block of columns, m x n with m >= n: V in full, ones and zeros with it, takes A's place;
 * R and T, with Q = I - V T V^H, are n x n with zeros below. work: oblu_reflect_work elements. */
void oblu_reflect(const oblu_kernels *k, size_t m, size_t n, void *v, size_t ld, void *r, void *t,
                  void *work);
size_t oblu_reflect_work(size_t n);
/* T, n x n with zeros below, of the products V^H V above the diagonal and tau; work: 8 n elements.
 */
void oblu_make_t(const oblu_kernels *k, size_t n, const void *products, const void *tau, void *t,
                 void *work);
/* The power of 2 that brings a size near 1, but 0 where it is 0, or from `least` to 1 / `least`. */
int oblu_power_for(double size, double least);
/* The m x n matrix A times a power of 2, in steps that are numbers of all types. */
void oblu_times_power(const oblu_kernels *k, size_t m, size_t n, void *a, size_t ld, int power);

/* What has up to OBLU_SHORT columns (short.c), in place of a BLAS and LAPACK: false where that is
 * left to them, of complex numbers, and where the processor cannot. `how`: trsm's letters. */
enum { OBLU_SHORT = 64 };
bool oblu_short_potrf(ob_type type, char uplo, size_t n, void *a, size_t ld, int *info);
bool oblu_short_trsm(ob_type type, const char how[4], size_t m, size_t n, const void *t, size_t ldt,
                     void *b, size_t ldb);

/* ------------------------------------------------ one dimension of a layout */

typedef struct oblu_axis {
    size_t block;
    size_t source, count, me; /* processes: the first block's, how many, the caller's position */
} oblu_axis;

static inline size_t oblu_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t oblu_owner(const oblu_axis *x, size_t global)
{
    return (x->source + global / x->block) % x->count;
}

/* How many of the indices below `global` are at process p: the local index of `global`, where it is
 * p's. */
static inline size_t oblu_below(const oblu_axis *x, size_t p, size_t global)
{
    size_t distance = (p + x->count - x->source) % x->count, blocks = global / x->block;
    size_t mine = blocks / x->count * x->block, last = blocks % x->count;
    return mine + (distance < last ? x->block : distance == last ? global % x->block : 0);
}

/* The global index of what process x->me has at `local`. */
static inline size_t oblu_global(const oblu_axis *x, size_t local)
{
    size_t distance = (x->me + x->count - x->source) % x->count;
    return (local / x->block * x->count + distance) * x->block + local % x->block;
}

/* A run of indices that lie together at one process. */
typedef struct oblu_run {
    size_t global, length, local;
} oblu_run;

/* The next run of process p in [*at, end); moves *at behind it. */
bool oblu_next_run(const oblu_axis *x, size_t p, size_t *at, size_t end, oblu_run *run);

/* --------------------------------------------------------- copies of elements */

/* Copies an m x n matrix of elements of `bytes` bytes. */
void oblu_copy(size_t bytes, size_t m, size_t n, const void *from, size_t ldf, void *to,
               size_t ldt);
/* They become zero. */
void oblu_clear(size_t bytes, size_t m, size_t n, void *x, size_t ld);
/* Row i of `to` is row rows[i] of `from`, and the other way round. */
void oblu_gather(size_t bytes, const size_t *rows, size_t m, size_t n, const void *from, size_t ldf,
                 void *to, size_t ldt);
void oblu_scatter(size_t bytes, const size_t *rows, size_t m, size_t n, const void *from,
                  size_t ldf, void *to, size_t ldt);

/* ------------------------------------------------------------ a distributed matrix */

typedef struct oblu_matrix {
    oblu_axis rows, columns;
    bool crossed; /* rows are dealt out to process columns, and columns to process rows */
    size_t first_row, first_column; /* of the submatrix, in the array */
    size_t m, n;
    char *local;
    size_t ld;
} oblu_matrix;

/* Local rows of its triangle in local column l: from there on for L, before it for U. */
static inline size_t oblu_bound(const oblu_matrix *x, bool lower, size_t l)
{
    size_t i = oblu_global(&x->columns, l) - x->first_column;
    return oblu_below(&x->rows, x->rows.me, x->first_row + i + (lower ? 0 : 1));
}

/* Own rows i .. i_end-1 of the submatrix, in its own columns j .. j_end-1. */
ob_view oblu_own(const oblu_kernels *kernels, const oblu_matrix *x, size_t i, size_t i_end,
                 size_t j, size_t j_end);

/* --------------------------------------------------------------- time and memory */

/* Where the time goes. */
typedef enum oblu_part { OBLU_COMPUTE, OBLU_PACK, OBLU_SYNC, OBLU_PARTS } oblu_part;

typedef struct oblu_watch {
    double since, seconds[OBLU_PARTS], flops;
} oblu_watch;
/* What has passed since the last call counts for `part`, and is called so in traces; NULL: it has
 * no name there. The name is kept by address. */
void oblu_lap(oblu_watch *watch, oblu_part part, const char *name);

/* A matrix, and while it is factored a copy of it in wider blocks (wide.c). */
typedef struct oblu_wide {
    const oblu_kernels *k;
    const oblu_matrix *of;
    /* 'L', 'U': that triangle, U in blocks of rows; 'A': all, as L in those of columns. */
    char uplo;
    bsp2d_grid *g; /* the caller's process row, of U the process column */
    oblu_matrix copy;
    oblu_watch watch;
} oblu_wide;
/* What is on its way of it in one superstep: so many bytes of a process, and of two supersteps,
 * with gaps, less than this part of a heap. */
enum { OBLU_ROUND = 1 << 20, OBLU_LEAST_HEAP = 16 * OBLU_ROUND };
/* Between nodes nothing was measured, and what a large copy needs may not be there. */
bool oblu_may_be_wide(const oblu_kernels *k, const ob_group *all, const oblu_matrix *x);
/* Makes it; `copy` and `watch` are not set yet. All processes of the grid call. */
void oblu_wide_begin(oblu_wide *w, size_t block);
/* The matrix becomes as the copy is. Adds what both took. */
void oblu_wide_end(oblu_wide *w, bsp_lu_parts *parts);

/* The routine that the program has called, for the lines of errors: "getrf" of such a type.
 * Kept by address. */
void oblu_enter(const oblu_kernels *k, const char *what);
/* Prints the line of an error. */
void oblu_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* ob_fault_speaks of common/fault.h. */
bool oblu_speaks(bool knows);
/* Ends the job; the line is printed. */
_Noreturn void oblu_end(void);
/* Ends the job where getrs is given such a pivot, one-based as `row`, for a matrix that has rows
 * first + 1 to first + n: it would be followed out of all memory. */
void oblu_check_pivot(int64_t pivot, size_t row, size_t first, size_t n);
/* Both, where a call of the core has failed. */
void oblu_must(int status);

/* Memory of count elements at multiples of 64 bytes, or the end of the job. */
void *oblu_room(size_t count, size_t bytes);

/* Memory at a multiple of 64 bytes. */
typedef struct oblu_piece {
    char **at;
    size_t bytes;
} oblu_piece;
/* Gives pieces of the memory that the calling thread keeps from call to call; what is in them is
 * undefined. They go back all together, before the next are asked for. */
void oblu_keep(const oblu_piece *list, size_t count);
void oblu_kept_no_more(void);
/* The same of one piece more, beside these. */
void *oblu_keep_copy(size_t bytes);
void oblu_copy_no_more(void);

/* ------------------------------------------------------------- agreement */

/* A value that all processes of a grid have alike, and where it stands among the arguments, in
 * units of 1/100 argument. */
typedef struct oblu_alike {
    int64_t value;
    int part;
} oblu_alike;

/* What is wrong somewhere (part; 0: nothing), whether that is a value that differs, and between
 * which; and whether the caller is the one of those who know that says so. */
typedef struct oblu_verdict {
    int part;
    bool differs, speaks;
    int64_t least, most;
} oblu_verdict;

/* Of what one knows and all are to hear: it has sent something to a seat; its heap is small. */
enum { OBLU_SENT, OBLU_CRAMPED, OBLU_FLAGS };

/* All processes of the context call; the caller is number `position` of them. wrong: the part that
 * it has found wrong, or 0. A flag becomes true where it is at anybody. */
oblu_verdict oblu_agree(int64_t context, int position, const oblu_alike *list, size_t count,
                        int wrong, bool any[OBLU_FLAGS]);

/* ------------------------------------------------------------------- swaps */

/* Is the first element the pivot of the two? Of equal ones the one with the lower index is. */
static inline bool oblu_better(double size, size_t index, double other, size_t other_index)
{
    return size > other || (size == other && index < other_index);
}

/* Entries i and pivots[i] of the map change places, for i from first to end - 1, or backwards. */
void oblu_follow_swaps(size_t *map, const size_t *pivots, size_t first, size_t end, bool backwards);
/* A program's pivots, one-based, in integers of 32 bits or, wide, of 64. */
typedef struct oblu_pivots {
    void *at;
    bool wide;
} oblu_pivots;

static inline int64_t oblu_pivot(oblu_pivots p, size_t i)
{
    return p.wide ? ((const int64_t *)p.at)[i] : ((const int *)p.at)[i];
}

static inline void oblu_set_pivot(oblu_pivots p, size_t i, int64_t value)
{
    if (p.wide)
        ((int64_t *)p.at)[i] = value;
    else
        ((int *)p.at)[i] = (int)value;
}

/* The pivots of rows (or columns) first .. first + count - 1 of a's array, of which each process
 * has those of its own rows, one-based: all of them, zero-based. One superstep. */
size_t *oblu_all_pivots(bsp2d_grid *grid, const oblu_matrix *a, bool columns, size_t first,
                        size_t count, oblu_pivots pivots);
/* Swaps row (or column) i of the submatrix with pivots[i], as oblu_follow_swaps does; every row
 * goes once, from where it is to where it ends, all in one superstep (Horvitz and Bisseling, 2.3).
 */
void oblu_swap_lines(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                     bool columns, const size_t *pivots, size_t first, size_t end, bool backwards);

/* -------------------------------------------------------------- products */

/* C = alpha A B + beta C; A's rows are dealt out as C's, B's columns as C's, and A's columns and
 * B's rows in whatever way. All processes call; row, column: the groups of the caller's. */
void oblu_multiply(const oblu_kernels *k, ob_group *row, ob_group *column, const void *alpha,
                   const oblu_matrix *a, const oblu_matrix *b, const void *beta,
                   const oblu_matrix *c);

/* ----------------------------------------------------------------- the work */

/* How a block of columns is factored. */
struct cholesky;
/* Cholesky with a lookahead (cholesky_ahead.c), in the place of steps that all take together. */
void lu_steps_ahead(struct cholesky *c);

typedef struct oblu_way {
    size_t block; /* columns */
    bsp2d_grid
        *column; /* the caller's process column: by all of it together; or NULL: by one process */
    bool tournament; /* of all of it together: by two supersteps instead of one for each column */
    ob_group *row;  /* with that, the caller's process row, for a lookahead of one block; or NULL */
    ob_group *down; /* the caller's process column: of Cholesky's lookahead, beside `row`, and of
                     * QR's with more than two process rows */
    bsp2d_grid *offers; /* with one process: the grid once more, for columns on their way to it */
    void (*ahead)(struct cholesky *c); /* with it, its steps: lu_steps_ahead */
    bool measured; /* find out how long the caller idles, in one more reduction at the end */
} oblu_way;

/* What a process column combines to find a pivot in a block of `width` columns. */
size_t oblu_candidate_bytes(const oblu_kernels *k, size_t width);
/* Factors; pivots by local row of the array, one-based as in ScaLAPACK. Returns info. */
int64_t oblu_factor(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                    const oblu_way *way, oblu_pivots pivots, bsp_lu_parts *parts);
/* Factors a matrix whose columns lie in one process column, which does it alone, a reduction for
 * each column; then all know info. */
int64_t oblu_factor_block(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                          bsp2d_grid *column, oblu_pivots pivots);
/* Solves, with the factors of an LU; trans N, T or C; a and b have equally distributed rows and
 * square blocks. all: the grid's processes, row by row. */
void oblu_solve(const oblu_kernels *kernels, ob_group *all, char trans, const oblu_matrix *a,
                oblu_pivots pivots, const oblu_matrix *b);
/* The same with those of Cholesky. */
void oblu_solve_definite(const oblu_kernels *kernels, ob_group *all, char uplo,
                         const oblu_matrix *a, const oblu_matrix *b);

/* What a QR factorisation leaves at every process: T and R's square of each block, with zeros below
 * (oblu_reflect). Those of the block from column j on begin at element j width and are as wide as
 * the block, which only the last is not: width. */
typedef struct oblu_blocks {
    size_t width;
    char *t, *r;
} oblu_blocks;

/* A = Q R; tau by local column of the array, as PDGEQRF leaves it, or NULL; of way, block, column,
 * row and down, or offers, and measured count; grid may be NULL with row, but where that is
 * measured. With b, whose rows are distributed as A's, B = Q^H
 * B. With blocks these are left, and way->block is their width, at most min(m, n). */
void oblu_qr(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
             const oblu_way *way, void *tau, const oblu_matrix *b, const oblu_blocks *blocks,
             bsp_lu_parts *parts);
/* Of a matrix so factored, with at least as many rows as columns, whose rows are distributed as
 * B's (apply.c). The first n rows of B: B = R^-1 B. */
void oblu_solve_r(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                  const oblu_blocks *blocks, const oblu_matrix *b);
/* The same of the system with A^H: B = Q (R^-H B), where zeros stand behind the first n rows. `way`
 * is that of the factorisation. */
void oblu_solve_adjoint(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                        const oblu_way *way, const oblu_blocks *blocks, const oblu_matrix *b);
/* to = from^H, between any distributions over one grid, in one superstep. */
void oblu_adjoin(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *from,
                 const oblu_matrix *to);

/* Cholesky: the triangle `uplo` of the square matrix becomes U or L; of way, block, row, down
 * and measured count. grid: NULL with row, but where that is measured. Returns info. */
int64_t oblu_cholesky(const oblu_kernels *kernels, bsp2d_grid *grid, char uplo,
                      const oblu_matrix *a, const oblu_way *way, bsp_lu_parts *parts);

#endif
