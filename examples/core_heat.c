/*
 * The temperature of a square plate whose border is held fixed (Laplace's equation), by Jacobi's
 * iteration, on the core alone: this program needs openblacs/core.h and no other interface.
 *
 *     obrun -n 4 core_heat [N]        mpirun -n 4 core_heat [N]
 *
 * Each process has some rows of the N x N points inside the plate, column-major with a border of
 * one point around them. In every step neighbours exchange a row: that is a view with a stride,
 * which is sent from where it lies. At the end the blocks come to process 0, each straight into its
 * place in one matrix. Prints the largest error; the status is 0 when it is small.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/core.h>

static ob_group *all;
static int me, count;

static void must(int status)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "process %d: %s\n", me, ob_error_text());
    ob_job_abort(all ? ob_group_job(all) : NULL, 1);
}

static double *memory(size_t doubles)
{
    double *x = calloc(doubles, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "process %d: no memory\n", me);
        ob_job_abort(ob_group_job(all), 1);
    }
    return x;
}

/* Process p has rows first_of(p) to first_of(p + 1) - 1 of n. */
static size_t first_of(size_t n, int p)
{
    return n * (size_t)p / (size_t)count;
}

/* The solution, which also is the border: it fulfils the difference equation exactly. */
static double exact(size_t n, size_t i, size_t j)
{
    double x = (double)i / (double)(n + 1), y = (double)j / (double)(n + 1);
    return x * x - y * y;
}

/* Row r of a block with n columns inside its border. */
static ob_view row_of(double *u, size_t ld, size_t r, size_t n)
{
    ob_view row = {&u[r + ld], 1, n, ld, OB_DOUBLE, OB_GENERAL, 0};
    return row;
}

/* Sends the first and the last row of mine, and receives the neighbours' into the border. */
static void exchange(double *u, size_t mine, size_t n)
{
    ob_request *both[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        int other = side ? me + 1 : me - 1;
        ob_view in = row_of(u, mine + 2, side ? mine + 1 : 0, n);
        ob_view out = row_of(u, mine + 2, side ? mine : 1, n);
        if (other < 0 || other == count)
            continue;
        must(ob_irecv(all, other, 0, &in, OB_EXACT, &both[side]));
        must(ob_send(all, other, 0, &out));
    }
    must(ob_wait_all(2, both, NULL));
}

/* One step from u to v; the largest change of a point. */
static double step(const double *u, double *v, size_t mine, size_t n)
{
    size_t ld = mine + 2;
    double change = 0;
    for (size_t j = 1; j <= n; j++)
        for (size_t i = 1; i <= mine; i++) {
            const double *at = &u[i + j * ld];
            v[i + j * ld] = (at[-1] + at[1] + at[-(ptrdiff_t)ld] + at[ld]) / 4;
            change = fmax(change, fabs(v[i + j * ld] - *at));
        }
    return change;
}

/* All blocks to process 0: the pieces are parts of one n x n matrix. */
static double *whole(double *u, size_t mine, size_t n)
{
    double *a = me == 0 ? memory(n * n) : NULL;
    ob_view block = {&u[1 + (mine + 2)], mine, n, mine + 2, OB_DOUBLE, OB_GENERAL, 0};
    ob_view *part = calloc((size_t)count, sizeof *part);
    ob_pieces pieces = {0};
    for (int p = 0; part && p < count; p++) {
        size_t first = first_of(n, p);
        ob_view one = {
            a ? a + first : NULL, first_of(n, p + 1) - first, n, n, OB_DOUBLE, OB_GENERAL, 0};
        part[p] = one;
    }
    pieces.views = part;
    must(ob_gather(all, 0, &pieces, &block, NULL));
    free(part);
    return a;
}

int main(int argc, char **argv)
{
    const ob_route alike = {OB_TOP_BEST, 0, 0, 1}; /* all get the same bits, so all stop together */
    must(ob_group_world(&all));
    me = ob_group_me(all);
    count = ob_group_size(all);

    long points = argc > 1 ? atol(argv[1]) : 48;
    size_t n = points > 0 && points < 10000 ? (size_t)points : 48;
    size_t first = first_of(n, me), mine = first_of(n, me + 1) - first, ld = mine + 2;
    double *u = memory(ld * (n + 2)), *v = memory(ld * (n + 2)), change = 1;
    for (size_t j = 0; j < n + 2; j++)
        for (size_t i = 0; i < ld; i++)
            if (j == 0 || j == n + 1 || first + i == 0 || first + i == n + 1)
                u[i + j * ld] = v[i + j * ld] = exact(n, first + i, j);

    int steps = 0;
    for (; change > 1e-9; steps += 2) {
        exchange(u, mine, n);
        step(u, v, mine, n);
        exchange(v, mine, n);
        change = step(v, u, mine, n);
        ob_view largest = ob_view_vector(&change, 1, OB_DOUBLE);
        must(ob_combine(all, OB_ANY, OB_MAX, &largest, NULL, 0, &alike));
    }

    double *a = whole(u, mine, n), error = 0;
    for (size_t j = 0; me == 0 && j < n; j++)
        for (size_t i = 0; i < n; i++)
            error = fmax(error, fabs(a[i + j * n] - exact(n, i + 1, j + 1)));
    if (me == 0)
        printf("%zu x %zu points on %d processes: %d steps, largest error %.1e\n", n, n, count,
               steps, error);
    free(a);
    free(u);
    free(v);
    ob_job *job = ob_group_job(all);
    ob_group_free(all);
    must(ob_job_stop(job, 1));
    return error > 1e-5;
}
