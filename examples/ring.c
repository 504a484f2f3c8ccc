/*
 * C = A B on a ring of processes, pipelined with the MLACS: each process has some columns
 * of all three matrices. The blocks of A go around the ring; while a process multiplies
 * with one, it is already sent on and the next one is on its way in.
 *
 *     obrun -n 2 ring [N]        mpirun -n 2 ring [N]
 *
 * Prints the time of one process alone, that of all, and the speed-up, and checks C.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openblacs/mlacs.h>

static int me, count;
static MLACS_Comm all, row, column;

static void must(int code)
{
    if (code == MLACS_SUCCESS)
        return;
    fprintf(stderr, "%s\n", mlacs_error_text());
    mlacs_abort(all, 1);
    exit(1); /* where not even a job was joined */
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Columns first .. first + width - 1 of n belong to process p. */
static int width_of(int n, int p)
{
    return n / count + (p < n % count);
}

static int first_of(int n, int p)
{
    return n / count * p + (p < n % count ? p : n % count);
}

static double *matrix(int n, int columns)
{
    double *a = calloc((size_t)n * (size_t)(columns ? columns : 1), sizeof *a);
    if (a == NULL) {
        fprintf(stderr, "ring: no memory for %d x %d numbers\n", n, columns);
        mlacs_abort(MLACS_COMM_WORLD, 1);
    }
    return a;
}

/* The elements of A and B, known to everybody so that C can be checked. */
static double element(int i, int j, int of_b)
{
    return (double)((i * 7 + j * 13 + of_b * 5) % 17 - 8) / 8;
}

static void fill(double *a, int n, int first, int columns, int of_b)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < n; i++)
            a[i + (size_t)j * (size_t)n] = element(i, first + j, of_b);
}

/* c += a b' for the `inner` columns of a and the rows of b that belong to them. Four
 * columns of a are used at once, so that c is read and written a quarter as often. */
static void multiply(double *restrict c, const double *restrict a, const double *restrict b, int n,
                     int inner, int columns)
{
    const size_t ld = (size_t)n;
    for (int j = 0; j < columns; j++) {
        double *restrict y = c + (size_t)j * ld;
        const double *x = b + (size_t)j * ld;
        int k = 0;
        for (; k + 4 <= inner; k += 4) {
            const double *p = a + (size_t)k * ld;
            for (int i = 0; i < n; i++)
                y[i] += p[i] * x[k] + p[i + n] * x[k + 1] + p[i + 2 * ld] * x[k + 2] +
                        p[i + 3 * ld] * x[k + 3];
        }
        for (; k < inner; k++)
            for (int i = 0; i < n; i++)
                y[i] += a[i + (size_t)k * ld] * x[k];
    }
}

/* space: two blocks of the widest kind; the first holds this process's columns of A. */
static void ring(double *c, double *space[2], const double *b, int n)
{
    int left = (me + count - 1) % count, right = (me + 1) % count;
    for (int step = 0; step < count; step++) {
        int owner = (me + step) % count, next = (owner + 1) % count;
        double *a = space[step % 2], *arriving = space[(step + 1) % 2];
        MLACS_Request move[2] = {MLACS_REQUEST_NULL, MLACS_REQUEST_NULL};
        if (step + 1 < count) {
            must(mlacs_irecv(arriving, n, n, width_of(n, next), MLACS_DOUBLE, 0, right, step, all,
                             &move[0]));
            must(mlacs_isend(a, n, n, width_of(n, owner), MLACS_DOUBLE, 0, left, step, all,
                             &move[1]));
        }
        multiply(c, a, b + first_of(n, owner), n, width_of(n, owner), width_of(n, me));
        must(mlacs_waitall(2, move, MLACS_STATUS_IGNORE));
    }
}

/* The median of some runs, which all begin together, of the slowest process. */
static double time_ring(double *c, double *space[2], const double *b, int n)
{
    enum { RUNS = 5 };
    double run[RUNS];
    for (int r = 0; r < RUNS; r++) {
        memset(c, 0, (size_t)n * (size_t)width_of(n, me) * sizeof *c);
        fill(space[0], n, first_of(n, me), width_of(n, me), 0);
        must(mlacs_barrier(all));
        double start = now();
        ring(c, space, b, n);
        run[r] = now() - start;
        must(mlacs_allreduce_maxloc(&run[r], &run[r], 1, 1, 1, NULL, 1, MLACS_DOUBLE, all));
        for (int k = r; k > 0 && run[k] < run[k - 1]; k--) {
            double t = run[k];
            run[k] = run[k - 1];
            run[k - 1] = t;
        }
    }
    return run[RUNS / 2];
}

/* Process 0 does all of it while the others wait; the best of some runs. */
static double time_alone(double *c, int n)
{
    enum { RUNS = 3 };
    double best = 0;
    double *a = matrix(n, n), *b = matrix(n, n);
    fill(a, n, 0, n, 0);
    fill(b, n, 0, n, 1);
    for (int r = 0; r < RUNS; r++) {
        memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
        double start = now();
        multiply(c, a, b, n, n, n);
        double took = now() - start;
        best = r == 0 || took < best ? took : best;
    }
    free(a);
    free(b);
    return best;
}

/* The largest difference of this process's columns from those computed by one. */
static double compare(const double *c, double *reference, int n)
{
    double worst = 0;
    must(mlacs_bcast(reference, n, n, n, MLACS_DOUBLE, 0, 0, all));
    for (size_t k = 0; k < (size_t)n * (size_t)width_of(n, me); k++)
        worst = fmax(worst, fabs(c[k] - reference[(size_t)n * (size_t)first_of(n, me) + k]));
    must(mlacs_allreduce_maxloc(&worst, &worst, 1, 1, 1, NULL, 1, MLACS_DOUBLE, all));
    return worst;
}

int main(int words, char **word)
{
    int n = words > 1 ? atoi(word[1]) : 1200;
    must(mlacs_procinfo(&me, &count));
    must(mlacs_gridinit(MLACS_COMM_WORLD, 1, count, &all, &row, &column));
    if (n < 1 || n > 20000) {
        if (me == 0)
            fprintf(stderr, "ring: N is %s, must be 1 .. 20000\n", word[1]);
        mlacs_exit();
        return 2;
    }
    double *space[2] = {matrix(n, width_of(n, 0)), matrix(n, width_of(n, 0))};
    double *b = matrix(n, width_of(n, me)), *c = matrix(n, width_of(n, me));
    double *reference = matrix(n, n), alone = me == 0 ? time_alone(reference, n) : 0;
    fill(b, n, first_of(n, me), width_of(n, me), 1);
    double together = time_ring(c, space, b, n), worst = compare(c, reference, n);
    int right = worst <= 1e-12 * n;
    if (me == 0)
        printf(
            "n = %d: 1 process %.1f ms, %d processes %.1f ms, speed-up %.2f; largest error %.1e, "
            "%s\n",
            n, 1e3 * alone, count, 1e3 * together, alone / together, worst,
            right ? "right" : "WRONG");
    mlacs_gridexit(&all, &row, &column);
    mlacs_exit();
    for (int k = 0; k < 2; k++)
        free(space[k]);
    free(b);
    free(c);
    free(reference);
    return !right;
}
