/*
 * What is done at a small matrix's seat: LAPACK's factorisations, and the solution with factors.
 */
#include "seat_work.h"

#include <stdlib.h>
#include <string.h>

/* Info is in front, and what follows is as aligned as any element. */
enum { HEAD = 16 };

size_t lu_seat_least(const oblu_seat *s)
{
    return s->task.a->m < s->task.a->n ? s->task.a->m : s->task.a->n;
}

size_t lu_seat_news(const oblu_seat *s)
{
    size_t of_each = s->task.kind == OBLU_LU   ? sizeof(int)
                     : s->task.kind == OBLU_QR ? s->task.k->bytes
                                               : 0;
    return HEAD + (lu_seat_least(s) * of_each + 15) / 16 * 16;
}

int *lu_seat_info(const oblu_seat *s)
{
    return (int *)(void *)s->news;
}

int *lu_seat_pivots(const oblu_seat *s)
{
    return (int *)(void *)(s->news + HEAD);
}

/* ------------------------------------------------------------- factorisations */

static double flops_of(const oblu_seat *s)
{
    double m = (double)s->task.a->m, n = (double)s->task.a->n, k = (double)lu_seat_least(s);
    if (s->task.kind == OBLU_CHOLESKY)
        return n * n * n / 3;
    double lu = m * n * k - (m + n) * k * k / 2 + k * k * k / 3;
    return s->task.kind == OBLU_LU ? lu : 2 * lu;
}

void lu_seat_factor(oblu_seat *s)
{
    const oblu_kernels *k = s->task.k;
    size_t m = s->task.a->m, n = s->task.a->n;
    int *info = lu_seat_info(s);
    *info = 0;
    if (s->task.kind == OBLU_CHOLESKY)
        *info = k->potrf(s->task.uplo, n, s->a.at, s->a.ld);
    else if (s->task.kind == OBLU_LU)
        *info = k->getrf(m, n, s->a.at, s->a.ld, lu_seat_pivots(s));
    else
        k->geqrf(m, n, s->a.at, s->a.ld, s->news + HEAD);
    s->watch.flops += flops_of(s);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

static void keep_pivots(const oblu_seat *s)
{
    const oblu_matrix *a = s->task.a;
    const int *found = lu_seat_pivots(s);
    size_t first = a->first_row;
    oblu_run run;
    for (size_t i = first; oblu_next_run(&a->rows, a->rows.me, &i, first + lu_seat_least(s), &run);)
        for (size_t l = 0; l < run.length; l++)
            oblu_set_pivot(s->task.pivots, run.local + l,
                           (int64_t)first + found[run.global - first + l]);
}

static void keep_tau(const oblu_seat *s)
{
    const oblu_matrix *a = s->task.a;
    size_t first = a->first_column, e = s->task.k->bytes;
    oblu_run run;
    for (size_t j = first;
         oblu_next_run(&a->columns, a->columns.me, &j, first + lu_seat_least(s), &run);)
        memcpy((char *)s->task.tau + run.local * e, s->news + HEAD + (run.global - first) * e,
               run.length * e);
}

void lu_seat_keep(const oblu_seat *s)
{
    if (s->task.kind == OBLU_LU)
        keep_pivots(s);
    else if (s->task.kind == OBLU_QR)
        keep_tau(s);
}

/* -------------------------------------------------------------------- solving */

/* A factor on one side, or a square of it on the diagonal. */
typedef struct factor {
    char uplo, trans, diag;
    size_t n;
    char *at;
} factor;

/* B = op(F)^-1 B, b being rows of B. Halved until it is short, since a BLAS is faster at products.
 */
static void divide(const oblu_seat *s, factor f, char *b)
{
    const oblu_kernels *k = s->task.k;
    size_t e = k->bytes, ld = s->a.ld, ldb = s->b.ld, sides = s->task.b->n;
    size_t half = (f.n / 2 + OBLU_SHORT - 1) / OBLU_SHORT * OBLU_SHORT, rest = f.n - half;
    if (f.n <= OBLU_SHORT) {
        k->trsm('L', f.uplo, f.trans, f.diag, f.n, sides, f.at, ld, b, ldb);
        return;
    }
    factor top = f, low = f;
    char *below = b + half * e, *square = f.at + (f.uplo == 'L' ? half : half * ld) * e;
    top.n = half;
    low.n = rest;
    low.at += (half + half * ld) * e;
    if ((f.uplo == 'L') == (f.trans == 'N')) {
        divide(s, top, b);
        k->gemm(f.trans, false, rest, sides, half, square, ld, b, ldb, below, ldb);
        divide(s, low, below);
    } else {
        divide(s, low, below);
        k->gemm(f.trans, false, half, sides, rest, square, ld, below, ldb, b, ldb);
        divide(s, top, b);
    }
}

static void solve(const oblu_seat *s, char uplo, char trans, char diag)
{
    divide(s, (factor){uplo, trans, diag, s->task.a->n, s->a.at}, s->b.at);
}

/* B's rows as the pivots swap them, or back. */
static void swap_rows(const oblu_seat *s, bool back)
{
    size_t e = s->task.k->bytes, n = s->task.b->m, sides = s->task.b->n;
    size_t *home = oblu_room(2 * n, sizeof *home), *swaps = home + n;
    for (size_t i = 0; i < n; i++) {
        const size_t first = s->task.a->first_row;
        const int pivot = lu_seat_pivots(s)[i];
        oblu_check_pivot((int64_t)first + pivot, first + i + 1, first, n);
        home[i] = i;
        swaps[i] = (size_t)pivot - 1;
    }
    oblu_follow_swaps(home, swaps, 0, n, false);
    (back ? oblu_scatter : oblu_gather)(e, home, n, sides, s->b.at, s->b.ld, s->spare, n);
    oblu_copy(e, n, sides, s->spare, n, s->b.at, s->b.ld);
    free(home);
}

static void solve_lu(const oblu_seat *s)
{
    bool plain = s->task.trans == 'N';
    if (plain)
        swap_rows(s, false);
    solve(s, plain ? 'L' : 'U', s->task.trans, plain ? 'U' : 'N');
    solve(s, plain ? 'U' : 'L', s->task.trans, plain ? 'N' : 'U');
    if (!plain)
        swap_rows(s, true);
}

void lu_seat_solve(oblu_seat *s)
{
    double n = (double)s->task.b->m;
    char uplo = s->task.uplo;
    if (s->task.kind == OBLU_LU) {
        solve_lu(s);
    } else {
        solve(s, uplo, uplo == 'L' ? 'N' : 'C', 'N');
        solve(s, uplo, uplo == 'L' ? 'C' : 'N', 'N');
    }
    s->watch.flops += 2 * n * n * (double)s->task.b->n;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
}
