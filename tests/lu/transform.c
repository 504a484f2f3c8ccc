/*
 * Products with Q of libopenblacs_factor: random reflections from both sides, carried out by
 * ob_lu_apply and by PDORMQR's names, which may leave them to the ScaLAPACK behind, against one
 * reflection after the other; then calls that are ScaLAPACK's, by its names, and what it answers.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <stdbool.h>

/* op(Q) C or C op(Q); A and C begin at (i, j), zero-based, of their arrays. */
typedef struct transform {
    char type, side, trans;
    int m, n, k, ai, aj, ci, cj;
    int idle; /* this reflection is none: its tau is 0 */
    layout a, c;
    void *local_a, *local_c, *tau;
} transform;

static int carried_out, passed_on;

/* ------------------------------------------------------------- right or wrong */

static int order(const transform *t)
{
    return t->side == 'L' ? t->m : t->n;
}

/* Element i of the vector of reflection j. */
static number element_of_v(const transform *t, int i, int j)
{
    return i < j    ? 0
           : i == j ? 1
                    : rounded(t->type, random_number(3, (size_t)(t->ai + i), (size_t)(t->aj + j)));
}

/* So that I - tau v v^H is unitary. */
static number tau_of(const transform *t, int j)
{
    double squares = 0;
    for (int i = j; i < order(t); i++)
        squares += creal(element_of_v(t, i, j) * conj(element_of_v(t, i, j)));
    bool real = t->type == 's' || t->type == 'd';
    return j == t->idle ? 0 : rounded(t->type, (1 + (real ? 1 : cexp(I * j))) / squares);
}

static number element_of_c(const transform *t, int i, int j)
{
    return rounded(t->type, random_number(7, (size_t)(t->ci + i), (size_t)(t->cj + j)));
}

/* x becomes op(H) x; or, a row, x op(H). */
static void reflect(const transform *t, int j, number tau, number *x)
{
    const bool left = t->side == 'L';
    number factor = t->trans == 'N' ? tau : conj(tau), sum = 0;
    for (int i = j; i < order(t); i++)
        sum += x[i] * (left ? conj(element_of_v(t, i, j)) : element_of_v(t, i, j));
    for (int i = j; i < order(t); i++)
        x[i] -= factor * sum * (left ? element_of_v(t, i, j) : conj(element_of_v(t, i, j)));
}

/* Column (row) l of the result. */
static void expect(const transform *t, const number *tau, int l, number *x)
{
    const bool left = t->side == 'L', forwards = left == (t->trans != 'N');
    for (int i = 0; i < order(t); i++)
        x[i] = left ? element_of_c(t, i, l) : element_of_c(t, l, i);
    for (int j = 0; j < t->k; j++) {
        int which = forwards ? j : t->k - 1 - j;
        reflect(t, which, tau[which], x);
    }
}

static double outside(const transform *t)
{
    double most = 0;
    for (int j = 0; j < t->c.desc[3]; j++)
        for (int i = 0; i < t->c.desc[2]; i++) {
            bool in = i >= t->ci && i < t->ci + t->m && j >= t->cj && j < t->cj + t->n;
            long at = in ? -1 : place_of(&t->c, i, j);
            if (at >= 0)
                most = fmax(most, cabs(get(t->type, t->local_c, (size_t)at) -
                                       element_of_c(t, i - t->ci, j - t->cj)));
        }
    return most;
}

static double error_of(const transform *t)
{
    const bool left = t->side == 'L';
    const int length = order(t), lines = left ? t->n : t->m;
    number *x = calloc((size_t)length, sizeof *x), *tau = calloc((size_t)t->k, sizeof *tau);
    double most = outside(t);
    for (int j = 0; j < t->k; j++)
        tau[j] = tau_of(t, j);
    for (int l = 0; l < lines; l++) {
        int line = left ? owner_of(t->cj + l, t->c.desc[5], t->c.desc[7], t->c.columns)
                        : owner_of(t->ci + l, t->c.desc[4], t->c.desc[6], t->c.rows);
        if (line != (left ? t->c.column : t->c.row))
            continue;
        expect(t, tau, l, x);
        for (int i = 0; i < length; i++) {
            long at = place_of(&t->c, t->ci + (left ? i : l), t->cj + (left ? l : i));
            double far = at < 0 ? 0 : cabs(get(t->type, t->local_c, (size_t)at) - x[i]);
            most = far > most || isnan(far) ? far : most;
        }
    }
    free(x);
    free(tau);
    return most / ((length + t->k) * epsilon_of(t->type));
}

/* ------------------------------------------------------------------ one call */

static void open_transform(transform *t)
{
    t->local_a = random_part(&t->a, t->type, 3, -1);
    t->local_c = random_part(&t->c, t->type, 7, -1);
    t->tau = calloc((size_t)local_columns(&t->a) + 1, 16);
    for (int j = 0; j < t->k; j++)
        if (owner_of(t->aj + j, t->a.desc[5], t->a.desc[7], t->a.columns) == t->a.column)
            set(t->type, t->tau, (size_t)local_of(t->aj + j, t->a.desc[5], t->a.columns),
                tau_of(t, j));
}

static void fill_again(transform *t)
{
    free(t->local_c);
    t->local_c = random_part(&t->c, t->type, 7, -1);
}

static void close_transform(transform *t)
{
    free(t->local_a);
    free(t->local_c);
    free(t->tau);
}

static bool offer(const transform *t)
{
    ob_lu_offer(0);
    ob_lu_apply(&(ob_lu_transform){.type = t->type,
                                   .side = t->side,
                                   .trans = t->trans,
                                   .m = t->m,
                                   .n = t->n,
                                   .k = t->k,
                                   .a = {t->local_a, t->ai + 1, t->aj + 1, t->a.desc},
                                   .c = {t->local_c, t->ci + 1, t->cj + 1, t->c.desc},
                                   .tau = t->tau});
    return ob_lu_taken();
}

/* Returns info, and in *least what it asks for. */
static int by_name(const transform *t, int lwork, int *least)
{
    int ia = t->ai + 1, ja = t->aj + 1, ic = t->ci + 1, jc = t->cj + 1, info = -99;
    /* From the right PBZTRAN may write more than LWORK (ScaLAPACK 2.2). */
    void *work = calloc((size_t)(lwork > 0 ? 4 * lwork : 1) + 1000, 16);
#define CALL(name)                                                                                 \
    name(&t->side, &t->trans, &t->m, &t->n, &t->k, t->local_a, &ia, &ja, t->a.desc, t->tau,        \
         t->local_c, &ic, &jc, t->c.desc, work, &lwork, &info)
    switch (t->type) {
    case 's': CALL(psormqr_); break;
    case 'd': CALL(pdormqr_); break;
    case 'c': CALL(pcunmqr_); break;
    default: CALL(pzunmqr_);
    }
#undef CALL
    number asked = get(t->type, work, 0);
    *least = (int)creal(asked);
    check(cimag(asked) == 0, "WORK(1) is no real number");
    free(work);
    return info;
}

static void check_result(const transform *t, const char *how)
{
    double error = error_of(t);
    check(error < 5, "%c %c%c %d x %d, %d at (%d, %d), (%d, %d) on %d x %d, %s: %g eps", t->type,
          t->side, t->trans, t->m, t->n, t->k, t->ai, t->aj, t->ci, t->cj, t->c.rows, t->c.columns,
          how, error);
}

/* -------------------------------------------------------------- by the dice */

/* n indices from `first` on, in such blocks from process `source` on. */
typedef struct side {
    int first, block, source, behind;
} side;

static side any_side(int processes, dice *d)
{
    return (side){roll(d, 20), 1 + roll(d, 16), roll(d, processes), roll(d, 5)};
}

static void lay_out(layout *x, int context, int m, int n, side rows, side columns)
{
    describe(x, context, rows.first + m + rows.behind, columns.first + n + columns.behind,
             rows.block, columns.block, rows.source, columns.source);
}

/* Is A dealt out so that ScaLAPACK takes it? Then it is `alike`. */
static transform any_transform(int context, dice *d, bool *alike)
{
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    transform t = {.type = "sdcz"[roll(d, 4)], .side = "LR"[roll(d, 2)], .idle = roll(d, 80)};
    bool real = t.type == 's' || t.type == 'd';
    t.m = 1 + roll(d, 70);
    t.n = 1 + roll(d, 70);
    t.k = 1 + roll(d, order(&t));
    t.trans = roll(d, 2) ? 'N' : real ? 'T' : 'C';
    side a[2] = {any_side(rows, d), any_side(columns, d)},
         c[2] = {any_side(rows, d), any_side(columns, d)};
    side *along = t.side == 'L' ? &c[0] : &c[1];
    *alike = roll(d, 8) > 0;
    if (*alike) { /* the same place in a block; on the left also at the same process */
        a[0].block = along->block;
        a[0].first = along->first;
        a[0].source = t.side == 'L' ? along->source : a[0].source;
    } else {
        a[0].block = along->block + 1;
    }
    t.ai = a[0].first;
    t.aj = a[1].first;
    t.ci = c[0].first;
    t.cj = c[1].first;
    lay_out(&t.a, context, order(&t), t.k, a[0], a[1]);
    lay_out(&t.c, context, t.m, t.n, c[0], c[1]);
    return t;
}

static void try_any(int context, dice *d)
{
    bool alike;
    int asked, least = -1;
    transform t = any_transform(context, d, &alike);
    open_transform(&t);
    bool done = offer(&t);
    check(done == alike, "%c %c%c: was %scarried out", t.type, t.side, t.trans, done ? "" : "not ");
    carried_out += done;
    passed_on += !done;
    if (done) {
        check_result(&t, "carried out");
        fill_again(&t);
        check(by_name(&t, -1, &asked) == 0, "asking for LWORK");
        check(by_name(&t, asked, &least) == 0 && least == asked, "LWORK is %d, not %d", least,
              asked);
        check_result(&t, "by name");
    }
    close_transform(&t);
}

/* ------------------------------------------------------- several strips, by name */

static void try_long(int context, char type, char side, char trans)
{
    enum { LONG = 300, SHORT = 5, BLOCK = 7 };
    int asked, least = -1;
    transform t = {.type = type, .side = side, .trans = trans, .idle = 270, .k = LONG - 3};
    t.m = side == 'L' ? LONG : SHORT;
    t.n = side == 'L' ? SHORT : LONG;
    describe(&t.a, context, LONG, t.k, BLOCK, BLOCK, 0, 0);
    describe(&t.c, context, t.m, t.n, BLOCK, BLOCK, 0, 0);
    open_transform(&t);
    check(offer(&t), "several strips were not carried out");
    check_result(&t, "several strips");
    fill_again(&t);
    by_name(&t, -1, &asked);
    check(by_name(&t, asked, &least) == 0, "several strips, by name");
    check_result(&t, "several strips, by name");
    close_transform(&t);
}

/* By name it is the same as carried out, bit for bit, where that is `wanted`; ScaLAPACK adds up in
 * another order. */
static void try_named(int context, char side, int length, int other, int block, bool wanted)
{
    int asked, least = -1;
    transform t = {.type = 'd', .side = side, .trans = 'N', .k = length, .idle = -1};
    t.m = side == 'L' ? length : other;
    t.n = side == 'L' ? other : length;
    describe(&t.a, context, length, length, block, block, 0, 0);
    describe(&t.c, context, t.m, t.n, block, block, 0, 0);
    open_transform(&t);
    check(offer(&t), "%c %d x %d: was not carried out", side, t.m, t.n);
    void *carried = t.local_c;
    t.local_c = NULL;
    fill_again(&t);
    by_name(&t, -1, &asked);
    check(by_name(&t, asked, &least) == 0, "%c %d x %d by name", side, t.m, t.n);
    size_t bytes = (size_t)t.c.desc[8] * (size_t)local_columns(&t.c) * sizeof(double);
    int same = memcmp(carried, t.local_c, bytes) == 0;
    Cigamn2d(context, "All", " ", 1, 1, &same, 1, NULL, NULL, -1, -1, -1);
    check(same == wanted, "%c %d x %d in blocks of %d on %d x %d: by name it was %s", side, t.m,
          t.n, block, t.c.rows, t.c.columns, same ? "carried out" : "passed on");
    free(carried);
    close_transform(&t);
}

static void try_rules(int context)
{
    const bool near = ob_group_near(ob_blacs_group(context, 'A'));
    try_named(context, 'L', 210, 105, 32, near);
    try_named(context, 'R', 310, 160, 32, near && world.count <= 2);
    try_named(context, 'R', 610, 310, 32, near);
    try_named(context, 'L', 210, 104, 32, false);
    try_named(context, 'L', 210, 210, 16, false);
    try_named(context, 'L', 400, 200, 16, near);
    try_named(context, 'R', 210, 210, 32, false);
    if (world.count > 4)
        try_named(context, 'L', 190, 190, 32, false);
}

/* What is wrong is told by ScaLAPACK, also where one process alone has less memory. */
static void try_wrong(int context)
{
    int asked, least = -1;
    transform t = {.type = 'd', .side = 'L', .trans = 'N', .m = 64, .n = 64, .k = 64, .idle = -1};
    describe(&t.a, context, 64, 64, 8, 8, 0, 0);
    describe(&t.c, context, 64, 64, 8, 8, 0, 0);
    open_transform(&t);
    by_name(&t, -1, &asked);
    int lwork = t.c.row + t.c.column == 0 ? asked - 1 : asked;
    check(by_name(&t, lwork, &least) == -16, "too little LWORK on process (0, 0)");
    t.k = 65;
    check(by_name(&t, asked, &least) < 0, "more reflections than rows");
    t.k = 0;
    check(by_name(&t, asked, &least) == 0 && least == asked, "no reflection");
    check_result(&t, "no reflection");
    close_transform(&t);
}

static void try_grid(int context, int cases, dice *d)
{
    for (int i = 0; i < cases; i++)
        try_any(context, d);
    try_long(context, 'd', 'L', 'N');
    try_long(context, 'z', 'L', 'C');
    try_long(context, 'c', 'R', 'N');
    try_long(context, 's', 'R', 'T');
    try_rules(context);
    try_wrong(context);
}

static void sum_up(int cases)
{
    check(carried_out >= cases / 2, "%d were carried out", carried_out);
    check(passed_on > 0, "none was passed on");
}

/* transform [CASES SEED] */
int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 40, try_grid, sum_up);
}
