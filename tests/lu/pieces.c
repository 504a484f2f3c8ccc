/*
 * What the LU in supersteps is made of, of four types on every grid of the processes at hand: swaps
 * of vectors, the largest element, row and column swaps and blocks of columns, against the same
 * done on the whole matrix.
 */
#include "matrix.h"

void sgetrf_(const int *, const int *, void *, const int *, int *, int *);
void dgetrf_(const int *, const int *, void *, const int *, int *, int *);
void cgetrf_(const int *, const int *, void *, const int *, int *, int *);
void zgetrf_(const int *, const int *, void *, const int *, int *, int *);

static void *random_whole(char type, int m, int n, unsigned seed)
{
    void *whole = malloc((size_t)m * (size_t)n * bytes_of(type));
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = 0; i < (size_t)m; i++)
            set(type, whole, i + j * (size_t)m, random_number(seed, i, j));
    return whole;
}

static int same(const layout *x, char type, const void *local, const void *whole)
{
    int m = x->desc[2], n = x->desc[3], wrong = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (place_of(x, i, j) >= 0)
                wrong += get(type, local, (size_t)place_of(x, i, j)) !=
                         get(type, whole, (size_t)i + (size_t)j * (size_t)m);
    return wrong == 0;
}

/* Element k of a row (inc = m) or column at (i, j), one-based, in an array of m rows. */
static size_t at(int m, int i, int j, int inc, int k)
{
    int row = inc == m;
    return (size_t)(i - 1 + (row ? 0 : k)) + (size_t)(j - 1 + (row ? k : 0)) * (size_t)m;
}

static void swap_whole(char type, int n, void *x, int mx, int ix, int jx, int incx, void *y, int my,
                       int iy, int jy, int incy)
{
    for (int k = 0; k < n; k++) {
        size_t p = at(mx, ix, jx, incx, k), q = at(my, iy, jy, incy, k);
        number kept = get(type, x, p);
        set(type, x, p, get(type, y, q));
        set(type, y, q, kept);
    }
}

/* ---------------------------------------------------------------------- swap */

typedef struct pair {
    const char *name;
    int n, ix, jx, row_x, iy, jy, row_y, one; /* one: both in the first matrix */
} pair;

static const pair pairs[] = {
    {"rows of one matrix", 17, 2, 3, 1, 11, 3, 1, 1},
    {"rows that begin at other columns", 12, 2, 3, 1, 11, 6, 1, 1},
    {"columns of one matrix", 15, 4, 2, 0, 4, 17, 0, 1},
    {"a row and a column", 9, 5, 2, 1, 3, 1, 0, 0},
    {"rows of two matrices", 11, 1, 1, 1, 7, 2, 1, 0},
    {"columns of two matrices", 13, 6, 20, 0, 2, 3, 0, 0},
    {"one element", 1, 19, 23, 1, 1, 1, 0, 0},
    {"nothing", 0, 1, 1, 1, 2, 1, 1, 1},
    {"a row with itself", 8, 3, 1, 1, 3, 1, 1, 1},
};

static void try_swap(int context, char type, const pair *p, int fortran)
{
    layout x, y;
    int m = 19, n = 23, my = 16, ny = 14;
    describe(&x, context, m, n, 3, 4, 0, 0);
    describe(&y, context, my, ny, 2, 5, x.rows - 1, x.columns - 1);
    void *a = random_whole(type, m, n, 3), *b = random_whole(type, my, ny, 4);
    void *la = local_part(&x, type, a), *lb = local_part(&y, type, b);
    int incx = p->row_x ? m : 1, rows = p->one ? m : my, incy = p->row_y ? rows : 1;
    void *second = p->one ? la : lb;
    const int *desc = p->one ? x.desc : y.desc;
    swap_whole(type, p->n, a, m, p->ix, p->jx, incx, p->one ? a : b, rows, p->iy, p->jy, incy);
    if (fortran)
        BY_TYPE(type, bsp_p, swap_, &p->n, la, &p->ix, &p->jx, x.desc, &incx, second, &p->iy,
                &p->jy, desc, &incy);
    else
        BY_TYPE(type, bsp_p, swap, p->n, la, p->ix, p->jx, x.desc, incx, second, p->iy, p->jy, desc,
                incy);
    check(same(&x, type, la, a) && same(&y, type, lb, b), "%c swap of %s, %d x %d", type, p->name,
          x.rows, x.columns);
    free(a), free(b), free(la), free(lb);
}

/* Rows of one process row change places without supersteps: only they call. */
static void try_local_swap(int context)
{
    layout x;
    describe(&x, context, 12, 12, 2, 2, 0, 0);
    void *a = random_whole('d', 12, 12, 7), *la = local_part(&x, 'd', a);
    swap_whole('d', 12, a, 12, 1, 1, 12, a, 12, 2, 1, 12);
    if (x.row == 0)
        bsp_pdswap(12, la, 1, 1, x.desc, 12, la, 2, 1, x.desc, 12);
    check(same(&x, 'd', la, a), "local rows, %d x %d", x.rows, x.columns);
    free(a), free(la);
}

/* ---------------------------------------------------------------------- amax */

static void try_amax(int context, char type, int n, int i, int j, int row, int zeroes, int fortran)
{
    layout x;
    int m = 21, inc = row ? m : 1, expected = 0, indx = -1;
    double most = -1;
    describe(&x, context, m, 18, 3, 2, 0, 0);
    describe(&x, context, m, 18, 3, 2, x.rows > 1, 0);
    void *a = random_whole(type, m, 18, 5);
    for (int k = 0; k < m * 18 && zeroes; k++)
        set(type, a, (size_t)k, 0);
    for (int k = 0; k < n; k++) {
        number v = get(type, a, at(m, i, j, inc, k));
        if (fabs(creal(v)) + fabs(cimag(v)) > most) {
            most = fabs(creal(v)) + fabs(cimag(v));
            expected = (row ? j : i) + k;
        }
    }
    double complex value = -7;
    void *local = local_part(&x, type, a);
    if (fortran)
        BY_TYPE(type, bsp_p, amax_, &n, (void *)&value, &indx, local, &i, &j, x.desc, &inc);
    else
        BY_TYPE(type, bsp_p, amax, n, (void *)&value, &indx, local, i, j, x.desc, inc);
    number wanted = n ? get(type, a, at(m, i, j, inc, expected - (row ? j : i))) : 0;
    check(indx == expected && get(type, &value, 0) == wanted,
          "%c amax of %d, %d x %d: index %d, should be %d", type, n, x.rows, x.columns, indx,
          expected);
    free(a), free(local);
}

/* --------------------------------------------------------------------- laswp */

static void try_laswp(int context, char type, char direc, char rowcol, int k1, int k2, int fortran)
{
    layout x;
    int m = 20, n = 22, columns = rowcol == 'C' || rowcol == 'c', lines = columns ? n : m,
        width = 13, ia = 4, ja = 5;
    describe(&x, context, m, n, 3, 4, 0, 0);
    describe(&x, context, m, n, 3, 4, x.rows - 1, x.columns > 1);
    void *a = random_whole(type, m, n, 6), *local = local_part(&x, type, a);
    int source = x.desc[columns ? 7 : 6], block = x.desc[columns ? 5 : 4],
        count = columns ? x.columns : x.rows;
    int *pivots = malloc(sizeof *pivots * (size_t)lines),
        *ipiv = malloc(sizeof *ipiv * (size_t)(lines + 1));
    for (int i = 0; i < lines; i++) {
        pivots[i] = 1 + (int)(fabs(creal(random_number(8, (size_t)i, 1))) * 2 * lines) % lines;
        if (owner_of(i, block, source, count) == (columns ? x.column : x.row))
            ipiv[local_of(i, block, count)] = pivots[i];
    }
    for (int l = k1; l <= k2; l++) {
        int i = direc == 'B' ? k1 + k2 - l : l, p = pivots[i - 1];
        if (columns)
            swap_whole(type, width, a, m, ia, i, 1, a, m, ia, p, 1);
        else
            swap_whole(type, width, a, m, i, ja, m, a, m, p, ja, m);
    }
    if (fortran)
        BY_TYPE(type, bsp_p, laswp_, &direc, &rowcol, &width, local, &ia, &ja, x.desc, &k1, &k2,
                ipiv);
    else
        BY_TYPE(type, bsp_p, laswp, direc, rowcol, width, local, ia, ja, x.desc, k1, k2, ipiv);
    check(same(&x, type, local, a), "%c laswp %c%c %d..%d, %d x %d", type, direc, rowcol, k1, k2,
          x.rows, x.columns);
    free(a), free(local), free(pivots), free(ipiv);
}

/* --------------------------------------------------------------------- getf2 */

/* Columns ja .. ja+n-1: in one block of columns, or over several. */
static void try_getf2(int context, char type, int m, int n, int ia, int ja, int zero, int fortran)
{
    layout x;
    int rows = m + ia + 1, columns = n + ja + 2, info = -9, expected = -9, wrong = 0;
    describe(&x, context, rows, columns, 3, 6, 0, 0);
    describe(&x, context, rows, columns, 3, 6, x.rows > 1, x.columns > 1);
    void *a = random_whole(type, rows, columns, 9);
    for (int i = 0; i < rows && zero; i++)
        set(type, a, (size_t)i + (size_t)(ja + zero - 2) * (size_t)rows, 0);
    void *local = local_part(&x, type, a);
    int *ipiv = calloc((size_t)x.desc[8] + 3, sizeof *ipiv),
        *pivots = malloc(sizeof *pivots * (size_t)m);
    if (fortran)
        BY_TYPE(type, bsp_p, getf2_, &m, &n, local, &ia, &ja, x.desc, ipiv, &info);
    else
        BY_TYPE(type, bsp_p, getf2, m, n, local, ia, ja, x.desc, ipiv, &info);
    void *corner =
        (char *)a + ((size_t)(ia - 1) + (size_t)(ja - 1) * (size_t)rows) * bytes_of(type);
    BY_TYPE(type, , getrf_, &m, &n, corner, &rows, pivots, &expected);
    for (int i = 0; i < (m < n ? m : n); i++)
        if (owner_of(ia - 1 + i, 3, x.desc[6], x.rows) == x.row)
            wrong += ipiv[local_of(ia - 1 + i, 3, x.rows)] != pivots[i] + ia - 1;
    double most = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            long p = place_of(&x, i, j);
            double d = p < 0 ? 0
                             : cabs(get(type, local, (size_t)p) -
                                    get(type, a, (size_t)i + (size_t)j * (size_t)rows));
            most = d > most ? d : most;
        }
    check(info == expected && wrong == 0 && most < 1e3 * epsilon_of(type),
          "%c getf2 %d x %d at %d,%d on %d x %d: info %d (%d), %d pivots wrong, differs by %g",
          type, m, n, ia, ja, x.rows, x.columns, info, expected, wrong, most);
    free(a), free(local), free(ipiv), free(pivots);
}

/* -------------------------------------------------------------------- misuse */

/* Each ends the job with a line. */
static void misuse_pieces(const char *which, const layout *x)
{
    double a[200] = {0}, value;
    int indx, ipiv[20], last = world.me == world.count - 1;
    for (int i = 0; i < 20; i++)
        ipiv[i] = 99;
    if (strcmp(which, "swap") == 0)
        bsp_pdswap(9, a, 1, 1, x->desc, 8, a, 2, 1, x->desc, 8);
    if (strcmp(which, "increment") == 0)
        bsp_pdswap(4, a, 1, 1, x->desc, 2, a, 2, 1, x->desc, 8);
    if (strcmp(which, "directions") == 0)
        bsp_pdswap(4, a, 1, 1, x->desc, 1, a, 1, 3, x->desc, last ? 8 : 1);
    if (strcmp(which, "amax") == 0)
        bsp_pdamax(4, &value, &indx, a, 0, 1, x->desc, 1);
    if (strcmp(which, "alone") == 0)
        bsp_pdamax(4, &value, &indx, a, last ? 9 : 1, 1, x->desc, 1);
    if (strcmp(which, "differ") == 0)
        bsp_pdamax(2 + world.me, &value, &indx, a, 1, 1, x->desc, 1);
    if (strcmp(which, "direction") == 0)
        bsp_pdlaswp('X', 'R', 8, a, 1, 1, x->desc, 1, 4, ipiv);
    if (strcmp(which, "lines") == 0)
        bsp_pdlaswp('F', 'R', 8, a, 1, 1, x->desc, 0, 4, ipiv);
    if (strcmp(which, "columns") == 0)
        bsp_pdlaswp('f', 'c', 8, a, 1, 1, x->desc, 3, 9, ipiv);
    if (strcmp(which, "beginnings") == 0)
        bsp_pdlaswp('F', 'C', 8, a, 1, 1, x->desc, last ? 2 : 1, last ? 5 : 4, ipiv);
    if (strcmp(which, "letters") == 0)
        bsp_pdlaswp(last ? 'B' : 'F', 'R', 8, a, 1, 1, x->desc, 1, 4, ipiv);
    if (strcmp(which, "pivots") == 0)
        bsp_pdlaswp('F', 'R', 8, a, 1, 1, x->desc, 1, 4, ipiv);
}

/* Each prints a line and returns info, which is the status. */
static int misuse_factors(const char *which, const layout *x)
{
    double a[200] = {0}, b[200] = {0};
    int ipiv[20] = {0}, info = 0, last = world.me == world.count - 1, desc[9];
    memcpy(desc, x->desc, sizeof desc);
    if (strcmp(which, "block") == 0)
        bsp_pdgetf2(8, 9, a, 1, 1, x->desc, ipiv, &info);
    if (strcmp(which, "alone-ld") == 0) {
        desc[8] = last ? 3 : desc[8];
        bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
    }
    if (strcmp(which, "trans") == 0)
        bsp_pdgetrs('x', 8, 1, a, 1, 1, x->desc, ipiv, b, 1, 1, x->desc, &info);
    if (strcmp(which, "transposed") == 0)
        bsp_pdgetrs(last ? 't' : 'n', 8, 1, a, 1, 1, x->desc, ipiv, b, 1, 1, x->desc, &info);
    if (strcmp(which, "permuted") == 0)
        bsp_pdgetrs('N', 8, 8, a, 1, 1, x->desc, ipiv, b, 1, 1, x->desc, &info);
    if (strcmp(which, "permuted-by-all") == 0) {
        bsp_lu_block(2);
        bsp_pdgetrs('T', 8, 1, a, 1, 1, x->desc, ipiv, b, 1, 1, x->desc, &info);
    }
    if (strcmp(which, "sides") == 0) {
        desc[4] = 3;
        bsp_pdgesv(8, 1, a, 1, 1, x->desc, ipiv, b, 1, 1, desc, &info);
    }
    if (strcmp(which, "context") == 0) {
        desc[1] = -1;
        bsp_pdgesv(8, 1, a, 1, 1, desc, ipiv, b, 1, 1, desc, &info);
    }
    return info;
}

static int misuse(int context, const char *which)
{
    layout x;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    misuse_pieces(which, &x);
    return misuse_factors(which, &x);
}

static void try_type(int context, char type)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        try_swap(context, type, &pairs[i], i % 2 == 0);
    for (int k = 0; k < 2; k++) {
        try_amax(context, type, 15, 4, 2, k, 0, k);
        try_amax(context, type, 1, 20, 17, k, 0, !k);
        try_amax(context, type, 6, 9, 3, k, 1, k);
        try_amax(context, type, 0, 1, 1, k, 0, k);
        try_laswp(context, type, "FB"[k], 'R', 1, 20, k);
        try_laswp(context, type, "FB"[k], 'C', 1, 22, !k);
        try_laswp(context, type, "FB"[k], 'r', 7, 12, !k);
        try_laswp(context, type, "FB"[k], 'c', 5, 5, k);
        try_laswp(context, type, "FB"[k], 'R', 6, 5, k);
        try_getf2(context, type, 30, 5, 1, 1, 0, k);
        try_getf2(context, type, 17, 3, 5, 9, 2 * k, k);
        try_getf2(context, type, 25, 14, 4, 3, 5 * k, !k);
        try_getf2(context, type, 3, 5, 2, 1, 0, k);
    }
}

static void try_grid(int context)
{
    for (const char *type = "sdcz"; *type; type++)
        try_type(context, *type);
    try_local_swap(context);
}

int main(int argc, char **argv)
{
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
