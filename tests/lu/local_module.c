/*
 * Linked with ScaLAPACK, and opened by lu_factor_local for itself alone, as Python opens an
 * extension module.
 */
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *ipiv, int *info);
__attribute__((visibility("default"))) int info_of_oblong_blocks(int context);

/* ScaLAPACK refuses blocks that are not square; bsp_pdgetrf takes them. */
int info_of_oblong_blocks(int context)
{
    enum { N = 8 };
    const int n = N, one = 1, desc[9] = {1, context, N, N, 2, 3, 0, 0, N};
    int pivots[2 * N], info = -99;
    double a[N * N] = {0};
    for (int i = 0; i < N * N; i += N + 1)
        a[i] = 1;
    pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
    return info;
}
