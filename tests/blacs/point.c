/*
 * Point to point: every type, C and Fortran; general and trapezoidal matrices
 * of random size, in random arrays; different shapes at the two ends; order;
 * and sends in both directions long before any receive.
 */
#include "harness.h"
#include "openblacs/blacs_mkl.h"

typedef struct matrix {
    char uplo, diag; /* uplo 0: general */
    int m, n, lda;
} matrix;

static void send_one(const routines *r, int context, const matrix *x, void *a, int row, int column)
{
    char uplo[2] = {x->uplo, 0}, diag[2] = {x->diag, 0};
    if (x->uplo)
        r->trsd(context, uplo, diag, x->m, x->n, a, x->lda, row, column);
    else
        r->gesd(context, x->m, x->n, a, x->lda, row, column);
}

static void receive_one(const routines *r, int context, const matrix *x, void *a, int row,
                        int column)
{
    char uplo[2] = {x->uplo, 0}, diag[2] = {x->diag, 0};
    if (x->uplo)
        r->trrv(context, uplo, diag, x->m, x->n, a, x->lda, row, column);
    else
        r->gerv(context, x->m, x->n, a, x->lda, row, column);
}

static matrix random_matrix(dice *d)
{
    static const char uplos[] = {0, 'U', 'L', 'u', 'l'}, diags[] = {'U', 'N', 'u', 'n'};
    int most = roll(d, 8) ? 12 : 300;
    matrix x = {uplos[roll(d, 5)], diags[roll(d, 4)], roll(d, most), roll(d, most), 0};
    x.lda = x.m + roll(d, 4);
    x.lda = x.lda ? x.lda : 1;
    return x;
}

static char upper(char c)
{
    return c >= 'a' ? (char)(c - 'a' + 'A') : c;
}

/* Another matrix of as many elements: the same, or a general one. */
static matrix partner(dice *d, matrix x)
{
    int count = elements(upper(x.uplo), upper(x.diag), x.m, x.n);
    if (roll(d, 2)) {
        x.lda += roll(d, 3);
        return x;
    }
    matrix y = {0, 'N', count, 1, 0};
    for (int f = 7; f > 1 && count; f--)
        if (count % f == 0) {
            y.m = count / f;
            y.n = f;
            break;
        }
    y.lda = y.m + roll(d, 3) + 1;
    return y;
}

/* Everyone sends to the process `shift` behind it and receives from the one before. */
static void exchange(const routines *r, int context, int round, const matrix *out, const matrix *in,
                     int shift)
{
    int rows, columns, row, column, me, size, pr, pc;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    me = Cblacs_pnum(context, row, column);
    size = rows * columns;
    int to = (me + shift) % size, from = (me + size - shift) % size;
    uint64_t mine = hash((uint64_t)round, (uint64_t)me, 1);
    uint64_t theirs = hash((uint64_t)round, (uint64_t)from, 1);
    unsigned char *a = new_matrix(r->bytes, upper(out->uplo), upper(out->diag), out->m, out->n,
                                  out->lda, mine, FULL);
    unsigned char *b = new_matrix(r->bytes, 0, 0, in->m, in->n, in->lda, 0, 0);

    Cblacs_pcoord(context, to, &pr, &pc);
    send_one(r, context, out, a, pr, pc);
    check(is_matrix(a, r->bytes, upper(out->uplo), upper(out->diag), out->m, out->n, out->lda, mine,
                    FULL),
          "round %d: %s: the sent matrix has changed", round, r->name);
    memset(a, 0, 1);
    Cblacs_pcoord(context, from, &pr, &pc);
    receive_one(r, context, in, b, pr, pc);
    check(is_matrix(b, r->bytes, upper(in->uplo), upper(in->diag), in->m, in->n, in->lda, theirs,
                    FULL),
          "round %d: %s %c%c %d x %d (lda %d) received as %c%c %d x %d (lda %d)", round, r->name,
          out->uplo ? out->uplo : 'G', out->diag, out->m, out->n, out->lda,
          in->uplo ? in->uplo : 'G', in->diag, in->m, in->n, in->lda);
    free(a);
    free(b);
}

static void random_exchanges(int context, int rounds, uint64_t seed)
{
    dice d = {seed, 0};
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    for (int round = 0; round < rounds; round++) {
        const routines *r = &all_routines[roll(&d, ROUTINES)];
        matrix out = random_matrix(&d), in = partner(&d, out);
        int shift = roll(&d, rows * columns);
        if (rows > 0)
            exchange(r, context, round, &out, &in, shift);
    }
}

/* Every small trapezoid, so that no relation of m and n is missed. */
static void all_trapezoids(int context)
{
    int round = 1 << 20;
    for (int t = 0; t < ROUTINES; t++)
        for (int m = 0; m <= 4; m++)
            for (int n = 0; n <= 4; n++)
                for (int u = 0; u < 2; u++)
                    for (int v = 0; v < 2; v++) {
                        matrix x = {"UL"[u], "UN"[v], m, n, m + 1};
                        exchange(&all_routines[t], context, round++, &x, &x, 1);
                    }
}

/* Empty matrices of every kind pass, with any lda and no array; each is one
 * message, which a number sent behind it shows, and nothing is written. */
static void empty_matrices(int context, int rows, int columns, int row, int column)
{
    static const int sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {0, -3}, {-3, 0}};
    int to = (column + 1) % columns, from = (column + columns - 1) % columns;
    if (rows != 1)
        return;
    for (int k = 0; k < 5; k++) {
        double d = -1, z[2] = {-1, -1};
        int mark = 100 + k, got = -1;
        Cdgesd2d(context, sizes[k][0], sizes[k][1], NULL, -7, row, to);
        Cztrsd2d(context, "Upper", "Nonunit", sizes[k][0], sizes[k][1], NULL, 0, row, to);
        Cdtrsd2d(context, "L", "U", 1, 1, NULL, 1, row, to); /* only a diagonal */
        Cigesd2d(context, 1, 1, &mark, 1, row, to);
        Cdgerv2d(context, sizes[k][1], sizes[k][0], &d, 0, row, from);
        Czgerv2d(context, 0, 0, z, 1, row, from);
        Cdgerv2d(context, 0, 0, NULL, 1, row, from);
        Cigerv2d(context, 1, 1, &got, 1, row, from);
        check(got == mark && d == -1 && z[0] == -1 && z[1] == -1, "%d x %d: then came %d",
              sizes[k][0], sizes[k][1], got);
    }
}

/* Each sends `many` messages to all, and only then do the receives begin; from
 * each source they must come in order. */
static void outstanding(int context, int size, int many, int elements_each)
{
    double *a = malloc((size_t)elements_each * sizeof *a);
    int pr, pc;
    for (int k = 0; k < many; k++)
        for (int to = 0; to < size; to++) {
            Cblacs_pcoord(context, to, &pr, &pc);
            for (int e = 0; e < elements_each; e++)
                a[e] = world.me * 1e6 + k + e * 1e-3;
            Cdgesd2d(context, elements_each, 1, a, elements_each, pr, pc);
        }
    for (int from = size - 1; from >= 0; from--)
        for (int k = 0; k < many; k++) {
            Cblacs_pcoord(context, from, &pr, &pc);
            Cdgerv2d(context, elements_each, 1, a, elements_each, pr, pc);
            int right = 1;
            for (int e = 0; e < elements_each; e++)
                right &= a[e] == from * 1e6 + k + e * 1e-3;
            check(right, "message %d of %d doubles from process %d", k, elements_each, from);
        }
    free(a);
}

/* Round the grid's processes, all at once, under the names of MKL and of other compilers. */
extern void dgesd2d(const int *, const int *, const int *, const double *, const int *, const int *,
                    const int *);
extern void DGERV2D_(const int *, const int *, const int *, double *, const int *, const int *,
                     const int *);
static void other_names(int context, int rows, int columns, int row, int column)
{
    enum { M = 3, N = 400 };
    static double a[4 * N], b[5 * N];
    int size = rows * columns, me = row * columns + column, one = 1, two = 2;
    int to = (me + 1) % size, from = (me + size - 1) % size;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            a[i + 4 * j] = me * 10000 + j * M + i;
    Cdsendrecv(context, M, N, a, 4, to / columns, to % columns, M, N, b, 5, from / columns,
               from % columns);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            check(b[i + 5 * j] == from * 10000 + j * M + i, "dsendrecv (%d,%d): %g", i, j,
                  b[i + 5 * j]);
    dgesd2d(&context, &one, &two, a, &one, &row, &column);
    DGERV2D_(&context, &two, &one, b, &two, &row, &column);
    check(b[0] == a[0] && b[1] == a[1], "other compilers' names: %g %g", b[0], b[1]);
}

int main(void)
{
    dims all[4];
    begin();
    int n = grid_dims(all);
    for (int s = 0; s < n; s++) {
        int rows, columns, row, column;
        int context = make_grid(all[s].nprow, all[s].npcol);
        Cblacs_gridinfo(context, &rows, &columns, &row, &column);
        check((context >= 0) == (world.me < all[s].nprow * all[s].npcol),
              "context %d in a %d x %d grid", context, all[s].nprow, all[s].npcol);
        if (context < 0)
            continue;
        random_exchanges(context, 400, (uint64_t)s + 1);
        all_trapezoids(context);
        empty_matrices(context, rows, columns, row, column);
        outstanding(context, rows * columns, 300, 1);
        outstanding(context, rows * columns, 10, 20000);
        other_names(context, rows, columns, row, column);
        Cblacs_gridexit(context);
    }
    return finish();
}
