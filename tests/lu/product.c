/*
 * Products of libopenblacs_factor: random ones of every kind, carried out by ob_lu_multiply or, by
 * PDGEMM's names, left to the PBLAS behind, against what each process computes of its own elements;
 * then some that are large enough to be carried out by those names, which the bits show.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <stdbool.h>

/* One operand: op of the submatrix at (i, j), zero-based, of its array. */
typedef struct operand {
    char op;
    int i, j, m, n; /* of op's result */
    layout x;
    void *local;
    unsigned seed;
} operand;

typedef struct product {
    char type;
    operand a, b, c;
    int k;
    number alpha, beta;
} product;

static int carried_out, passed_on;

/* ------------------------------------------------------------- right or wrong */

static number element(const operand *x, char type, int i, int j)
{
    bool turned = x->op != 'N';
    number v = rounded(type, random_number(x->seed, (size_t)(x->i + (turned ? j : i)),
                                           (size_t)(x->j + (turned ? i : j))));
    return x->op == 'C' ? conj(v) : v;
}

static number expected(const product *p, int i, int j)
{
    number sum = 0;
    for (int l = 0; l < p->k; l++)
        sum += element(&p->a, p->type, i, l) * element(&p->b, p->type, l, j);
    number before = p->beta == 0 ? 0 : p->beta * element(&p->c, p->type, i, j);
    return p->alpha * sum + before;
}

/* Elements outside the submatrix stay. */
static double error_of(const product *p, int step)
{
    const layout *x = &p->c.x;
    double most = 0;
    for (int j = 0; j < x->desc[3]; j += step)
        for (int i = 0; i < x->desc[2]; i += step) {
            long at = place_of(x, i, j);
            int row = i - p->c.i, column = j - p->c.j;
            bool inside = row >= 0 && row < p->c.m && column >= 0 && column < p->c.n;
            if (at < 0)
                continue;
            number want = inside ? expected(p, row, column)
                                 : rounded(p->type, random_number(p->c.seed, (size_t)i, (size_t)j));
            double far = cabs(get(p->type, p->c.local, (size_t)at) - want);
            most = far > most || isnan(far) ? far : most;
        }
    return most / (p->k * epsilon_of(p->type));
}

/* ---------------------------------------------------------------- the products */

static void fill(operand *x, char type)
{
    x->local = random_part(&x->x, type, x->seed, -1);
}

/* BETA 0: what C has is not looked at. */
static void spoil(product *p)
{
    number not_a_number = (double)NAN;
    for (int j = 0; j < p->c.n; j++)
        for (int i = 0; i < p->c.m; i++) {
            long at = place_of(&p->c.x, p->c.i + i, p->c.j + j);
            if (at >= 0)
                set(p->type, p->c.local, (size_t)at, not_a_number);
        }
}

static void open_product(product *p)
{
    fill(&p->a, p->type);
    fill(&p->b, p->type);
    fill(&p->c, p->type);
    if (p->beta == 0)
        spoil(p);
}

static void close_product(product *p)
{
    free(p->a.local);
    free(p->b.local);
    free(p->c.local);
}

static ob_lu_part part_of(const operand *x)
{
    return (ob_lu_part){x->local, x->i + 1, x->j + 1, x->x.desc};
}

static bool multiply(const product *p)
{
    double complex alpha, beta;
    set(p->type, &alpha, 0, p->alpha);
    set(p->type, &beta, 0, p->beta);
    return ob_lu_multiply(&(ob_lu_product){.type = p->type,
                                           .of_a = p->a.op,
                                           .of_b = p->b.op,
                                           .m = p->c.m,
                                           .n = p->c.n,
                                           .k = p->k,
                                           .alpha = &alpha,
                                           .beta = &beta,
                                           .a = part_of(&p->a),
                                           .b = part_of(&p->b),
                                           .c = part_of(&p->c)});
}

static void by_name(const product *p)
{
    double complex alpha, beta;
    int ia = p->a.i + 1, ja = p->a.j + 1, ib = p->b.i + 1, jb = p->b.j + 1, ic = p->c.i + 1,
        jc = p->c.j + 1;
    set(p->type, &alpha, 0, p->alpha);
    set(p->type, &beta, 0, p->beta);
    BY_TYPE(p->type, p, gemm_, &p->a.op, &p->b.op, &p->c.m, &p->c.n, &p->k, (void *)&alpha,
            p->a.local, &ia, &ja, p->a.x.desc, p->b.local, &ib, &jb, p->b.x.desc, (void *)&beta,
            p->c.local, &ic, &jc, p->c.x.desc);
}

static void check_product(const product *p, int step, const char *how)
{
    double error = error_of(p, step);
    check(error < 10, "%c %c%c %d x %d x %d on %d x %d, %s: %g eps", p->type, p->a.op, p->b.op,
          p->c.m, p->c.n, p->k, p->c.x.rows, p->c.x.columns, how, error);
}

/* -------------------------------------------------------------- by the dice */

/* A side of a matrix: n indices from `first` on, in such blocks from process `source` on. */
typedef struct side {
    int n, first, block, source, behind;
} side;

static side any_side(int n, int processes, dice *d)
{
    return (side){n, roll(d, 20), 1 + roll(d, 16), roll(d, processes), roll(d, 5)};
}

static void lay_out(operand *x, int context, side rows, side columns)
{
    x->i = rows.first;
    x->j = columns.first;
    describe(&x->x, context, rows.first + rows.n + rows.behind,
             columns.first + columns.n + columns.behind, rows.block, columns.block, rows.source,
             columns.source);
}

/* Whether ob_lu_multiply carries it out is `alike`. */
static product any_product(int context, dice *d, bool *alike)
{
    static const char types[] = "sdcz", ops[] = "NTC";
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    product p = {.type = types[roll(d, 4)], .k = 1 + roll(d, 60)};
    p.a = (operand){.op = ops[roll(d, 3)], .seed = 3};
    p.b = (operand){.op = ops[roll(d, 3)], .seed = 5};
    p.c = (operand){.op = 'N', .seed = 7, .m = 1 + roll(d, 60), .n = 1 + roll(d, 60)};
    p.alpha = roll(d, 3) ? .5 + .25 * I * roll(d, 2) : 1;
    p.beta = roll(d, 3) ? .25 - I * roll(d, 2) : roll(d, 2);
    if (p.type == 's' || p.type == 'd') {
        p.alpha = creal(p.alpha);
        p.beta = creal(p.beta);
    }
    side m = any_side(p.c.m, rows, d), n = any_side(p.c.n, columns, d);
    side a[2] = {any_side(p.a.op == 'N' ? p.c.m : p.k, rows, d),
                 any_side(p.a.op == 'N' ? p.k : p.c.m, columns, d)};
    side b[2] = {any_side(p.b.op == 'N' ? p.k : p.c.n, rows, d),
                 any_side(p.b.op == 'N' ? p.c.n : p.k, columns, d)};
    *alike = roll(d, 4);
    bool real = p.type == 's' || p.type == 'd';
    if (*alike && p.a.op == 'N')
        a[0] = m;
    if (*alike && p.b.op == 'N')
        b[1] = n;
    if (!real && (p.a.op == 'T' || p.b.op == 'T'))
        *alike = false;
    lay_out(&p.a, context, a[0], a[1]);
    lay_out(&p.b, context, b[0], b[1]);
    lay_out(&p.c, context, m, n);
    return p;
}

static void try_any(int context, dice *d)
{
    bool alike;
    product p = any_product(context, d, &alike);
    open_product(&p);
    bool done = multiply(&p);
    check(done || !alike, "%c %c%c: was not carried out", p.type, p.a.op, p.b.op);
    carried_out += done;
    passed_on += !done;
    if (!done)
        by_name(&p);
    check_product(&p, 1, done ? "carried out" : "passed on");
    close_product(&p);
}

/* ------------------------------------------------------------------ large ones */

/* By name it is the same as carried out, bit for bit, where that is `wanted`; PBLAS adds up in
 * another order. */
static void try_large(int context, const char *ops, int m, int n, int k, bool wanted)
{
    product p = {.type = 'd', .k = k, .alpha = 1, .beta = 1};
    enum { BLOCK = 16 };
    p.a = (operand){.op = ops[0], .seed = 3};
    p.b = (operand){.op = ops[1], .seed = 5};
    p.c = (operand){.op = 'N', .seed = 7, .m = m, .n = n};
    describe(&p.a.x, context, p.a.op == 'N' ? m : k, p.a.op == 'N' ? k : m, BLOCK, BLOCK, 0, 0);
    describe(&p.b.x, context, p.b.op == 'N' ? k : n, p.b.op == 'N' ? n : k, BLOCK, BLOCK, 0, 0);
    describe(&p.c.x, context, m, n, BLOCK, BLOCK, 0, 0);
    open_product(&p);
    check(multiply(&p), "%s %d x %d x %d: was not carried out", ops, m, n, k);
    void *carried = p.c.local;
    fill(&p.c, 'd');
    by_name(&p);
    check_product(&p, 37, "large, by name");
    size_t bytes = (size_t)p.c.x.desc[8] * (size_t)local_columns(&p.c.x) * sizeof(double);
    int same = memcmp(carried, p.c.local, bytes) == 0;
    Cigamn2d(context, "All", " ", 1, 1, &same, 1, NULL, NULL, -1, -1, -1);
    check(same == wanted, "%s %d x %d x %d on %d x %d: by name it was %s", ops, m, n, k, p.c.x.rows,
          p.c.x.columns, same ? "carried out" : "passed on");
    free(carried);
    close_product(&p);
}

static void try_many(int context)
{
    product p = {.type = 'd', .k = 1024 * world.count + 50, .alpha = .5, .beta = .25};
    p.a = (operand){.op = 'T', .seed = 3};
    p.b = (operand){.op = 'N', .seed = 5};
    p.c = (operand){.op = 'N', .seed = 7, .m = 7, .n = 5};
    describe(&p.a.x, context, p.k, p.c.m, 3, 2, 0, 0);
    describe(&p.b.x, context, p.k, p.c.n, 4, 2, 0, 0);
    describe(&p.c.x, context, p.c.m, p.c.n, 2, 2, 0, 0);
    open_product(&p);
    check(multiply(&p), "many inner indices: was not carried out");
    check_product(&p, 1, "many inner indices");
    close_product(&p);
}

static void try_sizes(int context)
{
    const bool near = ob_group_near(ob_blacs_group(context, 'A'));
    const int n = 2 + (int)(275 * cbrt(world.count)); /* 20 million for each process */
    try_large(context, "NN", n, n, n, near);
    try_large(context, "TN", n, n, n, near);
    try_large(context, "NC", n, 2 * n, n, near);
    /* Transposed, in ranges of 1024 inner indices for each process along them. */
    try_many(context);
    if (world.count == 1) /* the order is the same */
        return;
    try_large(context, "NN", 230, 230, 230, false);
    try_large(context, "NN", n / 4, 2 * n, 3 * n, false);
}

static void try_grid(int context, int cases, dice *d)
{
    for (int i = 0; i < cases; i++)
        try_any(context, d);
    try_sizes(context);
}

static void sum_up(int cases)
{
    check(carried_out >= cases / 3, "%d products were carried out", carried_out);
    check(passed_on >= cases / 20, "%d products were passed on", passed_on);
}

/* product [CASES SEED] */
int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 40, try_grid, sum_up);
}
