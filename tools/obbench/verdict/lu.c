/*
 * The time of ScaLAPACK's PDGETRF of one random matrix.
 */
#include <stdlib.h>
#include <string.h>

#include "obbench/obbench.h"
#include "obbench/verdict/blacs.h"
#include "obbench/verdict/verdict.h"

struct obv_lu {
    const obv_way *way;
    int order, context, desc[9], *pivots;
    double *original, *a;
    size_t bytes;
    char key[24];
};

static int rows_of(int processes)
{
    int rows = 1;
    for (int i = 1; i * i <= processes; i++)
        if (processes % i == 0)
            rows = i;
    return rows;
}

static void fill(double *a, size_t count, int me)
{
    srand((unsigned)me + 1);
    for (size_t i = 0; i < count; i++)
        a[i] = rand() / (double)RAND_MAX - 0.5;
}

obv_lu *obv_lu_open(const obv_way *w, int order, int block, int me, int processes)
{
    int rows = rows_of(processes), columns = processes / rows, row, column, zero = 0, info;
    obv_lu *lu;
    if (w->scalapack == NULL)
        return NULL;
    lu = obb_memory(1, sizeof *lu);
    *lu = (obv_lu){.way = w, .order = order};
    snprintf(lu->key, sizeof lu->key, "n=%d nb=%d %dx%d", order, block, rows, columns);
    w->blacs->get(-1, 0, &lu->context);
    w->blacs->gridinit(&lu->context, "Row", rows, columns);
    w->blacs->gridinfo(lu->context, &rows, &columns, &row, &column);
    int m = w->scalapack->numroc(&order, &block, &row, &zero, &rows);
    int k = w->scalapack->numroc(&order, &block, &column, &zero, &columns), ld = m > 1 ? m : 1;
    w->scalapack->descinit(lu->desc, &order, &order, &block, &block, &zero, &zero, &lu->context,
                           &ld, &info);
    lu->bytes = (size_t)ld * (size_t)(k > 1 ? k : 1) * sizeof(double);
    lu->a = obb_memory(1, lu->bytes);
    lu->original = obb_memory(1, lu->bytes);
    lu->pivots = obb_memory((size_t)m + (size_t)block, sizeof *lu->pivots);
    fill(lu->original, lu->bytes / sizeof(double), me);
    return lu;
}

double obv_lu_us(obv_lu *lu)
{
    int one = 1, info;
    memcpy(lu->a, lu->original, lu->bytes);
    lu->way->blacs->barrier(lu->context, "All");
    double start = 1e6 * ob_time();
    lu->way->scalapack->pdgetrf(&lu->order, &lu->order, lu->a, &one, &one, lu->desc, lu->pivots,
                                &info);
    lu->way->blacs->barrier(lu->context, "All");
    if (info)
        obb_die("OB-9607 PDGETRF over %s gave INFO = %d", lu->way->name, info);
    return 1e6 * ob_time() - start;
}

const char *obv_lu_key(const obv_lu *lu)
{
    return lu->key;
}

void obv_lu_close(obv_lu *lu)
{
    if (lu == NULL)
        return;
    lu->way->blacs->gridexit(lu->context);
    free(lu->a);
    free(lu->original);
    free(lu->pivots);
    free(lu);
}
