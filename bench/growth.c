/*
 * What the pivots of the LU in supersteps come to: growth [n nb nprow npcol] prints for several
 * kinds of matrices, and for partial and for tournament pivoting, the growth max|U| / max|A|,
 * max|L|, ScaLAPACK's residuals ||P A - L U|| / (||A|| n eps) and ||B - A X|| / (||A|| ||X|| n eps)
 * with infinity norms, and info. Markdown; every process holds whole matrices.
 */
#include <openblacs/bsp_lu.h>

#include "work.h"

#include <float.h>
#include <math.h>

static int n, nb, nprow, npcol, row, column, context, ld, desc[9], desc_b[9];
static double *a, *lu, *b, *x; /* whole ones, n x n and n */
static int *pivots;

/* ----------------------------------------------------------------- matrices */

static double uniform(int i, int j)
{
    unsigned long long h = (unsigned long long)i * 0xBF58476D1CE4E5B9ull + 77 +
                           (unsigned long long)j * 0x94D049BB133111EBull;
    h ^= h >> 31, h *= 0xD6E8FEB86659FD93ull, h ^= h >> 29, h *= 0xD6E8FEB86659FD93ull;
    return (double)(h >> 11) / 4503599627370496.0 - 1;
}

static double random_element(int i, int j)
{
    return uniform(i, j);
}

/* Growth 2^(n-1) with partial pivoting. */
static double wilkinson(int i, int j)
{
    return i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
}

/* The same without ties. */
static double nearly_wilkinson(int i, int j)
{
    return i > j ? 0.95 * wilkinson(i, j) : wilkinson(i, j);
}

static double scaled_rows(int i, int j)
{
    return uniform(i, j) * pow(10, 8 * uniform(i, -1));
}

static double scaled_columns(int i, int j)
{
    return uniform(i, j) * pow(10, 8 * uniform(-1, j));
}

/* Rows and columns fall from 1 to 1e-16. */
static double graded(int i, int j)
{
    return uniform(i, j) * pow(10, -16.0 * (i > j ? i : j) / n);
}

/* Equations 2 i and 2 i + 1 are the same: rank n / 2, but for rounding. */
static double twins(int i, int j)
{
    return uniform(i / 2, j);
}

static const struct kind {
    const char *name;
    double (*element)(int i, int j);
} kinds[] = {{"random", random_element},
             {"Wilkinson", wilkinson},
             {"the same with multipliers of .95", nearly_wilkinson},
             {"rows scaled by 1e-8 to 1e8", scaled_rows},
             {"columns so", scaled_columns},
             {"graded, 1 to 1e-16", graded},
             {"each row twice", twins}};

/* -------------------------------------------------------------- distribution */

/* The global index of local l, and where a global one is. */
static int global_of(int l, int me_here, int count)
{
    return (l / nb * count + me_here) * nb + l % nb;
}

static int owned(int g, int me_here, int count)
{
    return g / nb % count == me_here;
}

static int local_of(int g, int count)
{
    return g / nb / count * nb + g % nb;
}

static int share_of(int me_here, int count)
{
    int mine = 0;
    for (int g = 0; g < n; g++)
        mine += owned(g, me_here, count);
    return mine;
}

/* ------------------------------------------------------------------- figures */

static double largest_of(int lower)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = lower ? j + 1 : 0; i < (lower ? n : j + 1); i++)
            most = fmax(most, fabs(lu[i + (size_t)j * (size_t)n]));
    return most;
}

/* Infinity norms of A and of P A - L U. */
static double factors_residual(double *size)
{
    double worst = 0, *sums = calloc((size_t)n, sizeof *sums),
           *sizes = calloc((size_t)n, sizeof *sizes);
    int *source = malloc((size_t)n * sizeof *source);
    for (int i = 0; i < n; i++)
        source[i] = i;
    for (int i = 0; i < n; i++) {
        int kept = source[i];
        source[i] = source[pivots[i] - 1];
        source[pivots[i] - 1] = kept;
    }
    double *c = malloc((size_t)n * sizeof *c);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            c[i] = a[source[i] + (size_t)j * (size_t)n];
        for (int k = 0; k <= j; k++) {
            const double u = lu[k + (size_t)j * (size_t)n], *l = lu + (size_t)k * (size_t)n;
            c[k] -= u;
            for (int i = k + 1; i < n; i++)
                c[i] -= l[i] * u;
        }
        for (int i = 0; i < n; i++) {
            sums[i] += fabs(c[i]);
            sizes[i] += fabs(a[i + (size_t)j * (size_t)n]);
        }
    }
    *size = 0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, sums[i]);
        *size = fmax(*size, sizes[i]);
    }
    free(sums), free(sizes), free(source), free(c);
    return worst / (*size * n * DBL_EPSILON / 2);
}

static double solution_residual(double size)
{
    double worst = 0, of_x = 0;
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < n; j++)
            sum -= a[i + (size_t)j * (size_t)n] * x[j];
        worst = fmax(worst, fabs(sum));
        of_x = fmax(of_x, fabs(x[i]));
    }
    return worst / (size * of_x * n * DBL_EPSILON / 2);
}

/* The whole matrix and its pivots from the own parts. */
static void gather(const double *local, const int *ipiv, const double *local_b, int k, int rows)
{
    memset(lu, 0, (size_t)n * (size_t)n * sizeof *lu);
    memset(pivots, 0, (size_t)n * sizeof *pivots);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < rows; i++)
            lu[global_of(i, row, nprow) + (size_t)global_of(j, column, npcol) * (size_t)n] =
                local[i + (size_t)j * (size_t)ld];
    for (int g = 0; g < n; g++)
        if (owned(g, row, nprow) && column == 0) {
            pivots[g] = ipiv[local_of(g, nprow)];
            x[g] = local_b[local_of(g, nprow)];
        }
    Cdgsum2d(context, "All", " ", n, n, lu, n, -1, -1);
    Cdgsum2d(context, "All", " ", n, 1, x, n, -1, -1);
    Cigsum2d(context, "All", " ", n, 1, pivots, n, -1, -1);
}

static void try_kind(const struct kind *kind, int way, const char *name)
{
    int rows = share_of(row, nprow), k = share_of(column, npcol), info, unused;
    double *local = malloc((size_t)ld * (size_t)(k + 1) * sizeof *local), most = 0, size;
    double *local_b = malloc((size_t)ld * sizeof *local_b);
    int *ipiv = malloc((size_t)(ld + nb) * sizeof *ipiv);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            a[i + (size_t)j * (size_t)n] = kind->element(i, j);
            most = fmax(most, fabs(a[i + (size_t)j * (size_t)n]));
        }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < rows; i++)
            local[i + (size_t)j * (size_t)ld] =
                a[global_of(i, row, nprow) + (size_t)global_of(j, column, npcol) * (size_t)n];
    for (int i = 0; i < n; i++)
        b[i] = uniform(i, -2);
    for (int i = 0; i < rows; i++)
        local_b[i] = b[global_of(i, row, nprow)];
    bsp_lu_panel(way);
    bsp_pdgetrf(n, n, local, 1, 1, desc, ipiv, &info);
    if (info == 0)
        bsp_pdgetrs('N', n, 1, local, 1, 1, desc, ipiv, local_b, 1, 1, desc_b, &unused);
    gather(local, ipiv, local_b, k, rows);
    double residual = factors_residual(&size);
    if (me == 0) {
        printf("| %s | %s | %.3g | %.3g | %.2g | ", kind->name, name, largest_of(0) / most,
               largest_of(1), residual);
        if (info)
            printf("- | %d |\n", info);
        else
            printf("%.2g | 0 |\n", solution_residual(size));
    }
    free(local), free(local_b), free(ipiv);
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 512, nb = argc > 2 ? atoi(argv[2]) : 32;
    nprow = argc > 3 ? atoi(argv[3]) : 4, npcol = argc > 4 ? atoi(argv[4]) : 1;
    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", nprow, npcol);
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    ld = share_of(row, nprow) + 1;
    int all[9] = {1, context, n, n, nb, nb, 0, 0, ld},
        sides[9] = {1, context, n, 1, nb, nb, 0, 0, ld};
    memcpy(desc, all, sizeof desc);
    memcpy(desc_b, sides, sizeof desc_b);
    size_t elements = (size_t)n * (size_t)n;
    a = malloc(elements * sizeof *a), lu = malloc(elements * sizeof *lu);
    b = malloc((size_t)n * sizeof *b), x = malloc((size_t)n * sizeof *x);
    pivots = malloc((size_t)n * sizeof *pivots);
    if (me == 0)
        puts("| matrix | pivots | growth | largest of L | P A - L U | B - A X | info |\n"
             "|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        try_kind(&kinds[i], BSP_LU_TOGETHER, "partial");
        try_kind(&kinds[i], BSP_LU_TOURNAMENT, "tournament");
    }
    free(a), free(lu), free(b), free(x), free(pivots);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return 0;
}
