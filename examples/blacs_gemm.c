/*
 * C = A B on a process grid, pipelined (SUMMA): while panels of A and B are multiplied, the next
 * ones are on their way.
 *
 * Matrices are n x n; process (r, c) has the rows of r and the columns of c of all three. In each
 * step some columns of A go along the rows of the grid, and the same rows of B along its columns,
 * by broadcasts that do not wait: straight out of the matrices of those who have them, into one of
 * two panels of the others. core_gemm.c does it with the core, on a line of processes.
 *
 *   obrun -n 4 blacs_gemm [n [width]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "openblacs/blacs_extensions.h"

static int context, nprow, npcol, myrow, mycol;

/* A panel on its way: where it lies, its leading dimension, and its request. */
typedef struct panel {
    double *room;
    const double *at;
    int ld, request;
} panel;

typedef struct step {
    int from, width; /* columns of A, rows of B */
    panel a, b;
} step;

static double *new_matrix(int rows, int columns)
{
    double *x = calloc((size_t)rows * (size_t)columns + 1, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "blacs_gemm: no memory for %d x %d\n", rows, columns);
        Cblacs_abort(context, 1);
    }
    return x;
}

/* Whole numbers, so that the check is exact. */
static double a_at(int i, int j)
{
    return (i + 2 * j) % 5 - 2;
}

static double b_at(int i, int j)
{
    return (3 * i + j) % 7 - 3;
}

/* Of `parts` parts, part k has [first(k), first(k + 1)). */
static int first_of(int n, int parts, int k)
{
    return (int)((long long)n * k / parts);
}

static int owner_of(int n, int parts, int index)
{
    int k = 0;
    while (first_of(n, parts, k + 1) <= index)
        k++;
    return k;
}

/* A step ends where the columns of A's owner or the rows of B's do, or after `most` of them. */
static int width_of(int n, int from, int most)
{
    int in_a = first_of(n, npcol, owner_of(n, npcol, from) + 1) - from;
    int in_b = first_of(n, nprow, owner_of(n, nprow, from) + 1) - from;
    int least = in_a < in_b ? in_a : in_b;
    return least < most ? least : most;
}

/* Begins to bring the panels of a step to those who need them. */
static void begin(step *s, const double *a, const double *b, int n, int rows, int columns)
{
    int column = owner_of(n, npcol, s->from), row = owner_of(n, nprow, s->from);
    if (column == mycol) {
        s->a.at = a + (size_t)rows * (size_t)(s->from - first_of(n, npcol, column));
        s->a.ld = rows;
        Cdgebs2d_begin(context, "Row", " ", rows, s->width, s->a.at, rows, &s->a.request);
    } else {
        s->a.at = s->a.room;
        s->a.ld = rows;
        Cdgebr2d_begin(context, "Row", " ", rows, s->width, s->a.room, rows, myrow, column,
                       &s->a.request);
    }
    if (row == myrow) { /* some rows of a matrix: its leading dimension is that of the matrix */
        s->b.at = b + (s->from - first_of(n, nprow, row));
        s->b.ld = rows;
        Cdgebs2d_begin(context, "Column", " ", s->width, columns, s->b.at, rows, &s->b.request);
    } else {
        s->b.at = s->b.room;
        s->b.ld = s->width;
        Cdgebr2d_begin(context, "Column", " ", s->width, columns, s->b.room, s->width, row, mycol,
                       &s->b.request);
    }
}

/* C += A's panel times B's; a DGEMM in a real program. */
static void multiply(const step *s, double *c, int rows, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < s->width; k++) {
            const double *x = s->a.at + (size_t)s->a.ld * (size_t)k;
            double factor = s->b.at[(size_t)s->b.ld * (size_t)j + (size_t)k];
            double *to = c + (size_t)rows * (size_t)j;
            for (int i = 0; i < rows; i++)
                to[i] += factor * x[i];
        }
}

static int wrong_in(const double *c, int n, int rows, int columns)
{
    int wrong = 0, top = first_of(n, nprow, myrow), left = first_of(n, npcol, mycol);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i += 1 + n / 50) { /* some rows say enough */
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a_at(top + i, k) * b_at(k, left + j);
            wrong += c[(size_t)rows * (size_t)j + (size_t)i] != sum;
        }
    return wrong;
}

int main(int count, char **words)
{
    int n = count > 1 ? atoi(words[1]) : 400, most = count > 2 ? atoi(words[2]) : 32;
    int me, processes;
    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &context);
    for (nprow = 1; (nprow + 1) * (nprow + 1) <= processes;)
        nprow++;
    while (processes % nprow)
        nprow--;
    Cblacs_gridinit(&context, "Row", nprow, processes / nprow);
    Cblacs_gridinfo(context, &nprow, &npcol, &myrow, &mycol);
    if (n < 1 || most < 1) {
        fprintf(stderr, "blacs_gemm: n and the width must be at least 1\n");
        Cblacs_abort(context, 1);
    }
    int top = first_of(n, nprow, myrow), rows = first_of(n, nprow, myrow + 1) - top;
    int left = first_of(n, npcol, mycol), columns = first_of(n, npcol, mycol + 1) - left;
    double *a = new_matrix(rows, columns), *b = new_matrix(rows, columns),
           *c = new_matrix(rows, columns);
    step steps[2];
    for (int k = 0; k < 2; k++) {
        steps[k].a.room = new_matrix(rows, most);
        steps[k].b.room = new_matrix(most, columns);
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            a[(size_t)rows * (size_t)j + (size_t)i] = a_at(top + i, left + j);
            b[(size_t)rows * (size_t)j + (size_t)i] = b_at(top + i, left + j);
        }
    Cblacs_barrier(context, "All");
    double start = Cdwalltime00();
    steps[0].from = 0;
    steps[0].width = width_of(n, 0, most);
    begin(&steps[0], a, b, n, rows, columns);
    for (int now = 0; steps[now].from < n; now = !now) {
        step *s = &steps[now], *next = &steps[!now];
        next->from = s->from + s->width;
        if (next->from < n) {
            next->width = width_of(n, next->from, most);
            begin(next, a, b, n, rows, columns);
        }
        Cblacs_wait(&s->a.request);
        Cblacs_wait(&s->b.request);
        multiply(s, c, rows, columns);
    }
    double seconds = Cdwalltime00() - start;
    int wrong = wrong_in(c, n, rows, columns);
    Cigsum2d(context, "All", " ", 1, 1, &wrong, 1, -1, -1);
    if (me == 0)
        printf("C = A B, n = %d, panels of %d, %d x %d processes: %.3f s, %s\n", n, most, nprow,
               npcol, seconds, wrong ? "WRONG" : "right");
    free(a);
    free(b);
    free(c);
    for (int k = 0; k < 2; k++) {
        free(steps[k].a.room);
        free(steps[k].b.room);
    }
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return wrong != 0;
}
