/*
 * Calls that are put together (blacs_together_begin), in several contexts, of several types and
 * scopes, in C and by Fortran's names; nested; and at level 3, which compares each call.
 */
#include "harness.h"

#include <openblacs/blacs_extensions.h>

enum { CALLS = 60, M = 3, N = 2, LD = 4 };

static double value(int from, int k, int i)
{
    return from * 1000 + k * 10 + i;
}

static void fill(double *x, int from, int k)
{
    for (int i = 0; i < LD * N; i++)
        x[i] = i % LD < M ? value(from, k, i) : -1;
}

static int wrong(const double *x, int from, int k, double factor)
{
    int count = 0;
    for (int i = 0; i < LD * N; i++)
        count += x[i] != (i % LD < M ? factor * value(from, k, i) : -1);
    return count;
}

/* To the next process of the row, and from the one before; a broadcast in the column; a sum of all.
 */
static void on_grid(int nprow, int npcol)
{
    static double out[LD * N], in[CALLS][LD * N], spread[CALLS][LD * N], sum[CALLS][LD * N];
    static int largest[CALLS];
    int context = make_grid(nprow, npcol), other = make_grid(nprow, npcol), rows, columns, row,
        column;
    if (context < 0)
        return;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int me = row * npcol + column, size = nprow * npcol, next = (column + 1) % npcol;
    int before = (column + npcol - 1) % npcol, mistakes = 0;
    Cblacs_together_begin();
    for (int k = 0; k < CALLS; k++) {
        int where = k % 3 ? context : other, source = k % nprow;
        fill(out, me, k);
        fill(in[k], 0, 0);
        fill(spread[k], me, k);
        fill(sum[k], 1, k);
        largest[k] = me - k;
        Cdgerv2d(where, M, N, in[k], LD, row, before);
        if (k % 2)
            Cdgesd2d(where, M, N, out, LD, row, next);
        else
            dgesd2d_(&where, &(int){M}, &(int){N}, out, &(int){LD}, &row, &next);
        fill(out, 77, 77);
        if (source == row)
            Cdgebs2d(where, "Column", " ", M, N, spread[k], LD);
        else
            Cdgebr2d(where, "Column", " ", M, N, spread[k], LD, source, column);
        Cdgsum2d(where, "All", k % 5 ? " " : "h", M, N, sum[k], LD, -1, -1);
        Cigamx2d(where, "All", " ", 1, 1, &largest[k], 1, NULL, NULL, -1, -1, -1);
        if (k == CALLS / 2) { /* nested, and a call at once */
            Cblacs_together_begin();
            Cblacs_barrier(context, "All");
            Cblacs_together_end();
        }
    }
    Cblacs_together_end();
    for (int k = 0; k < CALLS; k++) {
        mistakes += wrong(in[k], row * npcol + before, k, 1);
        mistakes += wrong(spread[k], k % nprow * npcol + column, k, 1);
        mistakes += wrong(sum[k], 1, k, size);
        int last = size - 1 - k, most = last < k ? -k : last; /* by magnitude; of equal ones any */
        mistakes += abs(largest[k]) != abs(most);
    }
    check(mistakes == 0, "%d x %d: %d elements are wrong", nprow, npcol, mistakes);
    Cblacs_gridexit(other);
    Cblacs_gridexit(context);
}

/* One process puts its messages together, the others do not. */
static void one_side(void)
{
    int context = make_grid(1, world.count), mistakes = 0;
    if (world.me == 0)
        Cblacs_together_begin();
    for (int k = 0; k < CALLS; k++)
        for (int d = 0; d < world.count; d++) {
            int text = world.me * 1000 + d + k;
            Cigesd2d(context, 1, 1, &text, 1, 0, d);
        }
    if (world.me == 0)
        Cblacs_together_end();
    for (int k = 0; k < CALLS; k++)
        for (int d = 0; d < world.count; d++) {
            int text = -1;
            Cigerv2d(context, 1, 1, &text, 1, 0, d);
            mistakes += text != d * 1000 + world.me + k;
        }
    check(mistakes == 0, "%d messages are wrong", mistakes);
    Cblacs_gridexit(context);
}

int main(void)
{
    begin();
    on_all_dims(on_grid);
    one_side();
    return finish();
}
