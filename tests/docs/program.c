/*
 * The "existing ScaLAPACK program" that the documents speak of: solves A x = b with PDGESV on
 * all of its processes, and fails when x is wrong or when the BLACS are not OpenBLACS's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int more);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
               const int *irsrc, const int *icsrc, const int *context, const int *lld, int *info);
int numroc_(const int *n, const int *nb, const int *p, const int *source, const int *count);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desca, int *ipiv, double *b, const int *ib, const int *jb, const int *descb,
             int *info);

static int openblacs_in_front(void)
{
    Dl_info from;
    return dladdr(dlsym(RTLD_DEFAULT, "dgesd2d_"), &from) && strstr(from.dli_fname, "libopenblacs");
}

int main(void)
{
    const int n = 64, nb = 8, one = 1, zero = 0;
    int me, count, context, rows, columns, row, column, info, wrong = 0;

    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    rows = count % 2 ? 1 : 2;
    Cblacs_gridinit(&context, "Row", rows, count / rows);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int local = numroc_(&n, &nb, &row, &zero, &rows),
        across = numroc_(&n, &nb, &column, &zero, &columns);
    int lld = local > 0 ? local : 1, desca[9], descb[9];
    double *a = calloc((size_t)lld * (across + 1), sizeof *a), *b = calloc(lld, sizeof *b);
    int *pivots = calloc(lld + nb, sizeof *pivots);

    descinit_(desca, &n, &n, &nb, &nb, &zero, &zero, &context, &lld, &info);
    descinit_(descb, &n, &one, &nb, &nb, &zero, &zero, &context, &lld, &info);
    for (int i = 0; i < local; i++) {
        int in = (i / nb * rows + row) * nb +
                 i % nb; /* the matrix: 1 everywhere, n more on the diagonal */
        b[i] = 2 * n;
        for (int j = 0; j < across; j++)
            a[i + j * lld] = in == (j / nb * columns + column) * nb + j % nb ? n + 1 : 1;
    }
    pdgesv_(&n, &one, a, &one, &one, desca, pivots, b, &one, &one, descb, &info);
    for (int i = 0; i < local && column == 0; i++)
        wrong |= !(fabs(b[i] - 1) < 1e-10);
    wrong |= info != 0 || !openblacs_in_front();
    if (me == 0)
        printf("%d processes: %s\n", count, wrong ? "wrong, or on another BLACS" : "solved");
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    free(a), free(b), free(pivots);
    return wrong;
}
