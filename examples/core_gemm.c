/*
 * C = A B, pipelined: while a panel of A is multiplied, the next one is on its way.
 *
 * Matrices are n x n. Each process has some columns of all three. A's columns go to everybody in
 * panels, from the process that has them, by broadcasts that do not wait: two panels in turn, of
 * which one is multiplied while the other arrives. With a processor to spare, or a network card
 * that works by itself, the broadcasts cost nothing (docs/core.md).
 *
 *   obrun -n 4 core_gemm [n [panel]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/core.h"

static ob_group *all;

/* No failure is survived. */
static void need(int status)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "core_gemm: process %d: %s\n", ob_group_me(all), ob_error_text());
    ob_job_abort(ob_group_job(all), 1);
}

static double *new_matrix(int n, int columns)
{
    double *x = calloc((size_t)n * (size_t)columns + 1, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "core_gemm: no memory for %d x %d\n", n, columns);
        ob_job_abort(ob_group_job(all), 1);
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

/* Process k has columns [first(k), first(k + 1)). */
static int first_of(int n, int k)
{
    return (int)((long long)n * k / ob_group_size(all));
}

static int owner_of(int n, int column)
{
    int k = 0;
    while (first_of(n, k + 1) <= column)
        k++;
    return k;
}

/* A panel begins at a column and ends where its owner's columns do, or after `most` of them. */
static int width_of(int n, int column, int most)
{
    int left = first_of(n, owner_of(n, column) + 1) - column;
    return left < most ? left : most;
}

/* Begins to bring A's columns from `column` on into the panel. */
static void begin(const double *a, double *panel, int n, int column, int most, ob_request **r)
{
    int width = width_of(n, column, most), root = owner_of(n, column);
    size_t count = (size_t)n * (size_t)width;
    ob_view v = ob_view_vector(panel, count, OB_DOUBLE);
    if (root == ob_group_me(all))
        memcpy(panel, a + (size_t)n * (size_t)(column - first_of(n, root)), count * sizeof *a);
    need(ob_ibroadcast(all, root, &v, NULL, r));
}

/* C += panel * rows [column, column + width) of B. */
static void multiply(const double *panel, int width, const double *b, double *c, int n, int column,
                     int columns)
{
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < width; k++) {
            const double *x = panel + (size_t)n * (size_t)k;
            double factor = b[(size_t)n * (size_t)j + (size_t)(column + k)];
            double *to = c + (size_t)n * (size_t)j;
            for (int i = 0; i < n; i++)
                to[i] += factor * x[i];
        }
}

static int wrong_in(const double *c, int n, int first, int columns)
{
    int wrong = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < n; i += 1 + n / 50) { /* some rows say enough */
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a_at(i, k) * b_at(k, first + j);
            wrong += c[(size_t)n * (size_t)j + (size_t)i] != sum;
        }
    return wrong;
}

int main(int count, char **words)
{
    int n = count > 1 ? atoi(words[1]) : 400, most = count > 2 ? atoi(words[2]) : 32;
    if (ob_group_world(&all) != OB_OK || n < 1 || most < 1) {
        fprintf(stderr, "core_gemm: %s\n", ob_error_text());
        return 1;
    }
    int me = ob_group_me(all), first = first_of(n, me), columns = first_of(n, me + 1) - first;
    double *a = new_matrix(n, columns), *b = new_matrix(n, columns), *c = new_matrix(n, columns);
    double *panel[2] = {new_matrix(n, most), new_matrix(n, most)};
    ob_request *under_way[2] = {NULL, NULL};
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < n; i++) {
            a[(size_t)n * (size_t)j + (size_t)i] = a_at(i, first + j);
            b[(size_t)n * (size_t)j + (size_t)i] = b_at(i, first + j);
        }
    need(ob_barrier(all));
    double start = ob_time();
    begin(a, panel[0], n, 0, most, &under_way[0]);
    for (int column = 0, now = 0; column < n; now = !now) {
        int width = width_of(n, column, most);
        if (column + width < n)
            begin(a, panel[!now], n, column + width, most, &under_way[!now]);
        need(ob_wait(&under_way[now], NULL));
        multiply(panel[now], width, b, c, n, column, columns);
        column += width;
    }
    int wrong = wrong_in(c, n, first, columns);
    ob_view v = ob_view_vector(&wrong, 1, OB_INT);
    double seconds = ob_time() - start;
    need(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
    if (me == 0)
        printf("C = A B, n = %d, panels of %d columns, %d processes: %.3f s, %s\n", n, most,
               ob_group_size(all), seconds, wrong ? "WRONG" : "right");
    free(a);
    free(b);
    free(c);
    free(panel[0]);
    free(panel[1]);
    return ob_job_stop(ob_group_job(all), 1) != OB_OK || wrong != 0;
}
