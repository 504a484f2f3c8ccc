/*
 * ScaLAPACK's PDGETRF, PDPOTRF, PDGEQRF or PDSYEVD, unchanged, on a simulated machine, over the
 * BLACS that it is linked with. Local work is charged as in lu.c (charged.h).
 *
 *     smpirun -np P*Q ... scalapack DRIVER N BLOCK P Q [charge-only]
 *
 * DRIVER is getrf, potrf, geqrf or syevd (with eigenvectors). Prints
 * "DRIVER,N,BLOCK,PxQ,seconds,largest flops of a process,number", where the number is the sum of
 * the diagonal's sizes, or of the eigenvalues': it shows whether two BLACS led to the same result.
 * Then, for each kind of BLACS call, scope and letter of TOP that the driver used,
 *
 *     call,OPERATION,SCOPE,TOP,calls,bytes,seconds
 *
 * in the calls of one process, on average: waiting for others, and communication. TOP is in ', for
 * it may be a blank; SCOPE of a message is -.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charged.h"
#include "clock.h"
#include "openblacs/blacs.h"

/* ----------------------------------------------------------------- BLACS calls */

enum { BROADCAST, COMBINE, MESSAGE, OPERATIONS, SCOPES = 4, LETTERS = 128 };
static const char *const operation_name[] = {"broadcast", "combine", "message"};
static const char scope_letter[] = "RCA-";

typedef struct used {
    double calls, bytes, seconds;
} used;

static used by[OPERATIONS][SCOPES][LETTERS];
static double entered;
static int depth; /* a Fortran routine may call the C one */

static int upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c & (LETTERS - 1);
}

static void enter(void)
{
    if (depth++ == 0)
        entered = MPI_Wtime();
}

static void leave(int operation, const char *scope, const char *top, int m, int n, size_t size)
{
    if (--depth)
        return;
    const char *s = strchr(scope_letter, upper(*scope));
    used *u = &by[operation][s ? s - scope_letter : SCOPES - 1][upper(*top)];
    u->calls++;
    u->bytes += m > 0 && n > 0 ? (double)m * n * (double)size : 0;
    u->seconds += MPI_Wtime() - entered;
}

/* A routine as Fortran and as C call it: its parameters but the sizes and integers, which are
 * pointers in Fortran. */
#define CALL(name, operation, T, scope, top, f_parameters, f_arguments, c_parameters, c_arguments) \
    void __real_##name##_ f_parameters;                                                            \
    void __wrap_##name##_ f_parameters;                                                            \
    void __wrap_##name##_ f_parameters                                                             \
    {                                                                                              \
        enter();                                                                                   \
        __real_##name##_ f_arguments;                                                              \
        leave(operation, scope, top, *m, *n, sizeof(T));                                           \
    }                                                                                              \
    void __real_C##name c_parameters;                                                              \
    void __wrap_C##name c_parameters;                                                              \
    void __wrap_C##name c_parameters                                                               \
    {                                                                                              \
        enter();                                                                                   \
        __real_C##name c_arguments;                                                                \
        leave(operation, scope, top, m, n, sizeof(T));                                             \
    }
#define ROOT(p, T)                                                                                 \
    CALL(p##gebs2d, BROADCAST, T, s, t,                                                            \
         (const int *k, const char *s, const char *t, const int *m, const int *n, T *a,            \
          const int *ld),                                                                          \
         (k, s, t, m, n, a, ld),                                                                   \
         (int k, const char *s, const char *t, int m, int n, T *a, int ld),                        \
         (k, s, t, m, n, a, ld))
#define OTHERS(name, operation, T)                                                                 \
    CALL(name, operation, T, s, t,                                                                 \
         (const int *k, const char *s, const char *t, const int *m, const int *n, T *a,            \
          const int *ld, const int *r, const int *c),                                              \
         (k, s, t, m, n, a, ld, r, c),                                                             \
         (int k, const char *s, const char *t, int m, int n, T *a, int ld, int r, int c),          \
         (k, s, t, m, n, a, ld, r, c))
#define TRIANGLES(name, T, parameters, arguments, c_parameters)                                    \
    CALL(name, BROADCAST, T, s, t, parameters, arguments, c_parameters, arguments)
#define EXTREMES(name, T)                                                                          \
    CALL(name, COMBINE, T, s, t,                                                                   \
         (const int *k, const char *s, const char *t, const int *m, const int *n, T *a,            \
          const int *ld, int *ra, int *ca, const int *flag, const int *r, const int *c),           \
         (k, s, t, m, n, a, ld, ra, ca, flag, r, c),                                               \
         (int k, const char *s, const char *t, int m, int n, T *a, int ld, int *ra, int *ca,       \
          int flag, int r, int c),                                                                 \
         (k, s, t, m, n, a, ld, ra, ca, flag, r, c))
#define MESSAGES(name, T)                                                                          \
    CALL(name, MESSAGE, T, "-", " ",                                                               \
         (const int *k, const int *m, const int *n, T *a, const int *ld, const int *r,             \
          const int *c),                                                                           \
         (k, m, n, a, ld, r, c), (int k, int m, int n, T *a, int ld, int r, int c),                \
         (k, m, n, a, ld, r, c))
#define ALL(p, T)                                                                                  \
    ROOT(p, T)                                                                                     \
    OTHERS(p##gebr2d, BROADCAST, T)                                                                \
    OTHERS(p##gsum2d, COMBINE, T)                                                                  \
    EXTREMES(p##gamx2d, T)                                                                         \
    EXTREMES(p##gamn2d, T) MESSAGES(p##gesd2d, T) MESSAGES(p##gerv2d, T)
ALL(i, int)
ALL(d, double)
TRIANGLES(dtrbs2d, double,
          (const int *k, const char *s, const char *t, const char *u, const char *d, const int *m,
           const int *n, double *a, const int *ld),
          (k, s, t, u, d, m, n, a, ld),
          (int k, const char *s, const char *t, const char *u, const char *d, int m, int n,
           double *a, int ld))
TRIANGLES(dtrbr2d, double,
          (const int *k, const char *s, const char *t, const char *u, const char *d, const int *m,
           const int *n, double *a, const int *ld, const int *r, const int *c),
          (k, s, t, u, d, m, n, a, ld, r, c),
          (int k, const char *s, const char *t, const char *u, const char *d, int m, int n,
           double *a, int ld, int r, int c))

static void report_calls(int me, int size)
{
    static used all[OPERATIONS][SCOPES][LETTERS];
    MPI_Reduce(by, all, (int)(sizeof by / sizeof(double)), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int k = 0; me == 0 && k < OPERATIONS * SCOPES * LETTERS; k++) {
        int o = k / (SCOPES * LETTERS), s = k / LETTERS % SCOPES, t = k % LETTERS;
        const used *u = &all[o][s][t];
        if (u->calls > 0)
            printf("call,%s,%c,'%c',%.1f,%.0f,%.9f\n", operation_name[o], scope_letter[s], t,
                   u->calls / size, u->bytes / size, u->seconds / size);
    }
}

/* ------------------------------------------------------------------- the drivers */

typedef struct matrix {
    int n, nb, rows, columns, ld; /* rows, columns: of this process */
    int row, column, p, q;
    int desc[9];
    double *a;
} matrix;

void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desc,
              int *ipiv, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desc, int *info, size_t l1);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desc,
              double *tau, double *work, const int *lwork, int *info);
void pdsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *ia,
              const int *ja, const int *desca, double *w, double *z, const int *iz, const int *jz,
              const int *descz, double *work, const int *lwork, int *iwork, const int *liwork,
              int *info, size_t l1, size_t l2);

static const int one = 1, ask = -1;

static void *memory(size_t bytes)
{
    void *p = malloc(bytes + 64);
    if (p == NULL) {
        fprintf(stderr, "scalapack: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

/* The element's place, where this process has it. */
static double *own(const matrix *x, int i)
{
    int row = i / x->nb % x->p, column = i / x->nb % x->q;
    if (row != x->row || column != x->column)
        return NULL;
    int r = i / x->nb / x->p * x->nb + i % x->nb, c = i / x->nb / x->q * x->nb + i % x->nb;
    return &x->a[(size_t)c * (size_t)x->ld + (size_t)r];
}

/* Random; for the definite and the symmetric one with a diagonal of n. */
static void make(matrix *x, int context, int n, int nb, int heavy)
{
    Cblacs_gridinfo(context, &x->p, &x->q, &x->row, &x->column);
    x->n = n;
    x->nb = nb;
    x->rows = share(n, nb, x->row, x->p);
    x->columns = share(n, nb, x->column, x->q);
    x->ld = x->rows > 1 ? x->rows : 1;
    memcpy(x->desc, (int[]){1, context, n, n, nb, nb, 0, 0, x->ld}, sizeof x->desc);
    size_t count = (size_t)x->ld * (size_t)(x->columns > 1 ? x->columns : 1);
    x->a = memory(count * sizeof *x->a);
    fill(x->a, count, 77u + (unsigned)(x->row * x->q + x->column));
    for (int i = 0; heavy && i < n; i++)
        if (own(x, i))
            *own(x, i) += n;
}

static double diagonal(const matrix *x)
{
    double sum = 0, all;
    for (int i = 0; i < x->n; i++)
        sum += own(x, i) ? fabs(*own(x, i)) : 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Workspaces are asked for and made before time is taken; what a driver does then is `*seconds`. */
static double getrf(matrix *x, double *number)
{
    int info, *ipiv = memory((size_t)(x->ld + x->nb) * sizeof *ipiv);
    double start = clock_start();
    pdgetrf_(&x->n, &x->n, x->a, &one, &one, x->desc, ipiv, &info);
    double took = clock_stop(start);
    *number = info ? NAN : diagonal(x);
    free(ipiv);
    return took;
}

static double potrf(matrix *x, double *number)
{
    int info;
    double start = clock_start();
    pdpotrf_("L", &x->n, x->a, &one, &one, x->desc, &info, 1);
    double took = clock_stop(start);
    *number = info ? NAN : diagonal(x);
    return took;
}

static double geqrf(matrix *x, double *number)
{
    int info, lwork;
    double wanted, *tau = memory((size_t)x->columns * sizeof *tau);
    pdgeqrf_(&x->n, &x->n, x->a, &one, &one, x->desc, tau, &wanted, &ask, &info);
    double *work = memory((size_t)(lwork = (int)wanted) * sizeof *work);
    double start = clock_start();
    pdgeqrf_(&x->n, &x->n, x->a, &one, &one, x->desc, tau, work, &lwork, &info);
    double took = clock_stop(start);
    *number = info ? NAN : diagonal(x);
    free(work);
    free(tau);
    return took;
}

static double syevd(matrix *x, double *number)
{
    int info, lwork, liwork;
    double wanted, *w = memory((size_t)x->n * sizeof *w);
    double *z = memory((size_t)x->ld * (size_t)(x->columns + 1) * sizeof *z);
    pdsyevd_("V", "L", &x->n, x->a, &one, &one, x->desc, w, z, &one, &one, x->desc, &wanted, &ask,
             &liwork, &ask, &info, 1, 1);
    lwork = (int)wanted + 3 * x->n; /* less is too little where blocks are odd */
    double *work = memory((size_t)lwork * sizeof *work);
    int *iwork = memory((size_t)liwork * sizeof *iwork);
    double start = clock_start();
    pdsyevd_("V", "L", &x->n, x->a, &one, &one, x->desc, w, z, &one, &one, x->desc, work, &lwork,
             iwork, &liwork, &info, 1, 1);
    double took = clock_stop(start);
    *number = info ? NAN : 0;
    for (int i = 0; i < x->n; i++)
        *number += w[i];
    free(iwork);
    free(work);
    free(z);
    free(w);
    return took;
}

static const struct {
    const char *name;
    double (*run)(matrix *x, double *number);
    int heavy;
} drivers[] = {{"getrf", getrf, 0}, {"potrf", potrf, 1}, {"geqrf", geqrf, 0}, {"syevd", syevd, 1}};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

/* What prepares itself at first use does so now: SMPI's imitations send as many messages as
 * processes squared. */
static void prepare(int context, int row, int column)
{
    enum { LONG = 8192 };
    static double x[LONG];
    static const int lengths[] = {1, LONG};
    static const char *const scopes[] = {"R", "C", "A"};
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 2; k++) {
            int root = (s == 0 || row == 0) && (s == 1 || column == 0);
            if (root)
                Cdgebs2d(context, scopes[s], " ", lengths[k], 1, x, LONG);
            else
                Cdgebr2d(context, scopes[s], " ", lengths[k], 1, x, LONG, s == 0 ? row : 0,
                         s == 1 ? column : 0);
            Cdgsum2d(context, scopes[s], " ", lengths[k], 1, x, LONG, -1, -1);
            Cdgsum2d(context, scopes[s], " ", lengths[k], 1, x, LONG, s == 0 ? row : 0,
                     s == 1 ? column : 0);
        }
}

int main(int argc, char **argv)
{
    int me, count, context, p, q, row, column, d = 0;
    if (argc < 6) {
        fprintf(stderr, "usage: scalapack getrf|potrf|geqrf|syevd N BLOCK P Q [charge-only]\n");
        return 2;
    }
    while (d < DRIVERS && strcmp(argv[1], drivers[d].name) != 0)
        d++;
    int n = atoi(argv[2]), nb = atoi(argv[3]);
    if (d == DRIVERS || n < 1 || nb < 1) {
        fprintf(stderr, "scalapack: no driver %s, or no order %s or block %s\n", argv[1], argv[2],
                argv[3]);
        return 2;
    }
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", atoi(argv[4]), atoi(argv[5]));
    Cblacs_gridinfo(context, &p, &q, &row, &column);
    prepare(context, row, column);
    matrix x;
    make(&x, context, n, nb, drivers[d].heavy);
    charge_only = argc > 6 && strcmp(argv[6], "charge-only") == 0;
    memset(by, 0, sizeof by);
    charged = 0;
    double number, seconds = 1e-6 * drivers[d].run(&x, &number), flops = latest(charged);
    if (me == 0)
        printf("%s,%d,%d,%dx%d,%.9f,%.0f,%.12g\n", drivers[d].name, n, nb, p, q, seconds, flops,
               number);
    report_calls(me, count);
    free(x.a);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return !isfinite(number);
}
