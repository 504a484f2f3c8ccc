/*
 * Many small systems of equations at once, each over the whole grid.
 *
 * Element (i, j) of each system is on the process in row i mod P and column j mod Q; the right side
 * is column n. All systems take their steps of Gauss and Jordan together: in step k column k goes
 * along the rows, row k down the columns. One by one these are 2 n broadcasts of a few numbers for
 * each system. Put together (ob_together_begin) they are 2 n for all: the same loops, between a
 * begin and an end.
 *
 * The matrices need no pivoting, and all solutions are 1.
 *
 *   obrun -n 4 core_batch [systems [n]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "openblacs/core.h"

enum { MOST = 64 };

static ob_group *all, *row, *column; /* all processes; those of this row and of this column */
static int rows, columns, my_row, my_column;
static int systems = 100, n = 12, height, width; /* height x width: our part of each */

/* No failure is survived. */
static void need(int status)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "core_batch: process %d: %s\n", ob_group_me(all), ob_error_text());
    ob_job_abort(ob_group_job(all), 1);
}

static void make_grid(void)
{
    int size, list[256];
    need(ob_group_world(&all));
    size = ob_group_size(all);
    if (size > 256) {
        fprintf(stderr, "core_batch: at most 256 processes\n");
        ob_job_abort(ob_group_job(all), 1);
    }
    for (rows = 1; (rows + 1) * (rows + 1) <= size; rows++)
        ;
    while (size % rows)
        rows--;
    columns = size / rows;
    my_row = ob_group_me(all) / columns;
    my_column = ob_group_me(all) % columns;
    for (int j = 0; j < columns; j++)
        list[j] = my_row * columns + j;
    need(ob_group_part(all, 1, list, columns, &row));
    for (int i = 0; i < rows; i++)
        list[i] = i * columns + my_column;
    need(ob_group_part(all, 2, list, rows, &column));
}

static double element(int system, int i, int j)
{
    return i == j ? 2 * n + system % 3 : (system + 3 * i + 5 * j) % 7 - 3;
}

static double right_side(int system, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += element(system, i, j);
    return sum;
}

static double *part_of(double *batch, int system)
{
    return batch + (size_t)system * (size_t)(height * width);
}

static void fill(double *batch)
{
    for (int s = 0; s < systems; s++)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < height; i++) {
                int gi = my_row + i * rows, gj = my_column + j * columns;
                part_of(batch, s)[i + j * height] = gj < n ? element(s, gi, gj) : right_side(s, gi);
            }
}

static void begin(int together)
{
    if (together)
        need(ob_together_begin());
}

static void end(int together)
{
    if (together)
        need(ob_together_end());
}

/* Columns k of all systems, along the rows, and rows k, down the columns. */
static void step(double *batch, double *pivot_column, double *pivot_row, int k, int together)
{
    int source_row = k % rows, source_column = k % columns, at_row = k / rows, at = k / columns;
    begin(together);
    for (int s = 0; s < systems; s++) {
        double *mine = pivot_column + s * height;
        for (int i = 0; i < height && my_column == source_column; i++)
            mine[i] = part_of(batch, s)[i + at * height];
        ob_view v = ob_view_vector(mine, (size_t)height, OB_DOUBLE);
        need(ob_broadcast(row, source_column, &v, NULL));
    }
    end(together);
    /* What came is there now: row k is divided by its diagonal element. */
    begin(together);
    for (int s = 0; s < systems; s++) {
        double *mine = pivot_row + s * width;
        for (int j = 0; j < width && my_row == source_row; j++)
            mine[j] = part_of(batch, s)[at_row + j * height] /= pivot_column[s * height + at_row];
        ob_view v = ob_view_vector(mine, (size_t)width, OB_DOUBLE);
        need(ob_broadcast(column, source_row, &v, NULL));
    }
    end(together);
    for (int s = 0; s < systems; s++)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < height; i++)
                if (my_row + i * rows != k)
                    part_of(batch, s)[i + j * height] -=
                        pivot_column[s * height + i] * pivot_row[s * width + j];
}

/* The largest error of all systems' solutions, which stand in column n. */
static double error_of(double *batch, int together)
{
    double *error = calloc((size_t)systems, sizeof *error), most = 0;
    if (error == NULL)
        ob_job_abort(ob_group_job(all), 1);
    begin(together);
    for (int s = 0; s < systems; s++) {
        for (int i = 0; i < height && my_column == n % columns; i++)
            error[s] = fmax(error[s], fabs(part_of(batch, s)[i + n / columns * height] - 1));
        ob_view v = ob_view_vector(&error[s], 1, OB_DOUBLE);
        need(ob_combine(all, OB_ANY, OB_MAX, &v, NULL, 0, NULL));
    }
    end(together);
    for (int s = 0; s < systems; s++)
        most = fmax(most, error[s]);
    free(error);
    return most;
}

/* Seconds; the largest error. */
static double solve(double *batch, double *work, int together, double *error)
{
    fill(batch);
    need(ob_barrier(all));
    double start = ob_time();
    for (int k = 0; k < n; k++)
        step(batch, work, work + systems * height, k, together);
    *error = error_of(batch, together);
    return ob_time() - start;
}

int main(int count, char **words)
{
    double error[2], seconds[2];
    make_grid();
    systems = count > 1 ? atoi(words[1]) : systems;
    n = count > 2 ? atoi(words[2]) : n;
    if (systems < 1 || n < 1 || n > MOST) {
        fprintf(stderr, "core_batch: 1 or more systems, of 1 to %d rows\n", MOST);
        ob_job_abort(ob_group_job(all), 2);
    }
    height = (n - my_row + rows - 1) / rows;
    width = (n + 1 - my_column + columns - 1) / columns;
    height = height < 0 ? 0 : height;
    width = width < 0 ? 0 : width;
    size_t part = (size_t)systems * (size_t)(height * width);
    double *batch = calloc(part + 1, sizeof *batch);
    double *work = calloc((size_t)(systems * (height + width)) + 1, sizeof *work);
    if (batch == NULL || work == NULL)
        ob_job_abort(ob_group_job(all), 1);
    for (int i = 0; i < 4; i++) /* the first two are not counted */
        seconds[i % 2] = solve(batch, work, i % 2, &error[i % 2]);
    int right = error[0] < 1e-10 && error[1] < 1e-10;
    if (ob_group_me(all) == 0)
        printf("%d systems of %d on %d x %d: error %.1e, one by one %.2f ms, together %.2f ms\n",
               systems, n, rows, columns, fmax(error[0], error[1]), 1e3 * seconds[0],
               1e3 * seconds[1]);
    free(batch);
    free(work);
    ob_job *job = ob_group_job(all);
    ob_group_free(row);
    ob_group_free(column);
    ob_group_free(all);
    need(ob_job_stop(job, 1));
    return !right;
}
