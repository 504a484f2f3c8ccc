/*
 * Combines: sum, largest and smallest absolute value, every type, topology,
 * scope and destination; ties, locations, arrays larger than the matrix;
 * repeatable and coherent sums. Every process computes what every other has put in, so
 * results are compared with a plain loop over the scope.
 */
#include "harness.h"

static const char topologies[] = " iIdDsSmMhHfFtTnN123456789";

typedef struct place {
    int context, rows, columns, row, column;
} place;

/* One combine as all members of the scope make it. */
typedef struct deed {
    const routines *r;
    char scope, top;
    int op; /* 0 sum, 1 gamx, 2 gamn */
    int m, n, lda, ldia;
    int rdest, cdest;
    uint64_t seed;
} deed;

/* Part `part` (real, imaginary) of element (i, j) of the process (row, column):
 * a small whole number, so that sums are exact and ties are frequent. */
static int value(const deed *d, int row, int column, int i, int j, int part)
{
    uint64_t where = (uint64_t)(row * 64 + column) * 4096 + (uint64_t)(i * 64 + j);
    return (int)((uint32_t)(mix(d->seed ^ where) >> 32 * part) % 7) - 3;
}

static void put(const deed *d, void *a, size_t at, int part, double v)
{
    switch (d->r->letter) {
    case 'i': ((int *)a)[at] = (int)v; break;
    case 's': ((float *)a)[at] = (float)v; break;
    case 'd': ((double *)a)[at] = v; break;
    case 'c': ((float *)a)[2 * at + (size_t)part] = (float)v; break;
    default: ((double *)a)[2 * at + (size_t)part] = v;
    }
}

static double get(const deed *d, const void *a, size_t at, int part)
{
    switch (d->r->letter) {
    case 'i': return ((const int *)a)[at];
    case 's': return ((const float *)a)[at];
    case 'd': return ((const double *)a)[at];
    case 'c': return ((const float *)a)[2 * at + (size_t)part];
    default: return ((const double *)a)[2 * at + (size_t)part];
    }
}

static int scope_size(const place *p, char scope)
{
    return scope == 'r' ? p->columns : scope == 'c' ? p->rows : p->rows * p->columns;
}

/* Coordinates of the k-th process of this process's scope. */
static void scope_member(const place *p, char scope, int k, int *row, int *column)
{
    *row = scope == 'r' ? p->row : scope == 'c' ? k : k / p->columns;
    *column = scope == 'r' ? k : scope == 'c' ? p->column : k % p->columns;
}

typedef struct answer {
    int part[2];
    int row, column; /* of the owner */
} answer;

/* Does x come before y: larger (or smaller) magnitude; the larger value among
 * equals when nobody asks for the owner. */
static int better(const deed *d, const answer *x, const answer *y)
{
    int ax = abs(x->part[0]) + abs(x->part[1]), ay = abs(y->part[0]) + abs(y->part[1]);
    if (ax != ay)
        return d->op == 1 ? ax > ay : ax < ay;
    if (d->ldia != -1)
        return 0;
    return x->part[0] != y->part[0] ? x->part[0] > y->part[0] : x->part[1] > y->part[1];
}

static answer expected(const deed *d, const place *p, int i, int j)
{
    answer best = {{0, 0}, -1, -1};
    int size = scope_size(p, d->scope);
    int root = d->rdest == -1 || d->cdest == -1 ? 0
               : d->scope == 'r'                ? d->cdest
               : d->scope == 'c'                ? d->rdest
                                                : d->rdest * p->columns + d->cdest;
    for (int k = 0; k < size; k++) {
        answer x = {{0, 0}, 0, 0};
        scope_member(p, d->scope, (root + k) % size, &x.row, &x.column);
        for (int part = 0; part < d->r->reals; part++)
            x.part[part] = value(d, x.row, x.column, i, j, part);
        if (d->op == 0) {
            best.part[0] += x.part[0];
            best.part[1] += x.part[1];
        } else if (k == 0 || better(d, &x, &best)) {
            best = x;
        }
    }
    return best;
}

static int gets_result(const deed *d, const place *p)
{
    if (d->rdest == -1 || d->cdest == -1)
        return 1;
    return (d->scope == 'r' || p->row == d->rdest) && (d->scope == 'c' || p->column == d->cdest);
}

static void call(const deed *d, const place *p, void *a, int *ra, int *ca)
{
    char scope[2] = {d->scope, 0}, top[2] = {d->top, 0};
    if (d->op == 0)
        d->r->gsum(p->context, scope, top, d->m, d->n, a, d->lda, d->rdest, d->cdest);
    else
        (d->op == 1 ? d->r->gamx : d->r->gamn)(p->context, scope, top, d->m, d->n, a, d->lda, ra,
                                               ca, d->ldia, d->rdest, d->cdest);
}

static void fill(const deed *d, const place *p, void *a)
{
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->m; i++)
            for (int part = 0; part < d->r->reals; part++)
                put(d, a, (size_t)i + (size_t)j * (size_t)d->lda, part,
                    value(d, p->row, p->column, i, j, part));
}

static int right(const deed *d, const place *p, const void *a, const int *ra, const int *ca)
{
    int good = 1;
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->m; i++) {
            answer want = expected(d, p, i, j);
            size_t at = (size_t)i + (size_t)j * (size_t)d->lda;
            for (int part = 0; part < d->r->reals; part++)
                good &= get(d, a, at, part) == want.part[part];
            if (d->op && d->ldia != -1) {
                at = (size_t)i + (size_t)j * (size_t)d->ldia;
                good &= ra[at] == want.row && ca[at] == want.column;
            }
        }
    return good;
}

/* Nothing below the matrix's rows may be written. */
static int padding_untouched(const unsigned char *a, size_t bytes, int m, int n, int ld)
{
    int good = 1;
    for (int j = 0; j < n; j++)
        for (int i = m; i < ld; i++)
            for (size_t b = 0; b < bytes; b++)
                good &= a[((size_t)i + (size_t)j * (size_t)ld) * bytes + b] == BLANK;
    return good;
}

static void run(const deed *d, const place *p)
{
    size_t size = (size_t)d->lda * (size_t)d->n * d->r->bytes + 1;
    size_t places = (size_t)(d->ldia > 0 ? d->ldia : 0) * (size_t)d->n * sizeof(int) + 1;
    unsigned char *a = malloc(size), *ra = malloc(places), *ca = malloc(places);
    memset(a, BLANK, size);
    memset(ra, BLANK, places);
    memset(ca, BLANK, places);
    fill(d, p, a);
    call(d, p, a, d->ldia == -1 ? NULL : (int *)(void *)ra,
         d->ldia == -1 ? NULL : (int *)(void *)ca);
    if (gets_result(d, p))
        check(right(d, p, a, (int *)(void *)ra, (int *)(void *)ca),
              "%s %s scope %c top '%c' %d x %d (lda %d, ldia %d) to (%d,%d) on a %d x %d grid",
              d->r->name,
              d->op == 0   ? "sum"
              : d->op == 1 ? "amx"
                           : "amn",
              d->scope, d->top, d->m, d->n, d->lda, d->ldia, d->rdest, d->cdest, p->rows,
              p->columns);
    check(padding_untouched(a, d->r->bytes, d->m, d->n, d->lda), "%s: padding of A", d->r->name);
    if (d->ldia != -1)
        check(padding_untouched(ra, sizeof(int), d->m, d->n, d->ldia) &&
                  padding_untouched(ca, sizeof(int), d->m, d->n, d->ldia),
              "%s: padding of RA and CA", d->r->name);
    free(a);
    free(ra);
    free(ca);
}

/* The destinations of a scope that this process takes part in. */
static void every_destination(deed d, const place *p)
{
    static const int everyone[][2] = {{-1, -1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < 3; k++) {
        d.rdest = everyone[k][0];
        d.cdest = everyone[k][1];
        run(&d, p);
    }
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++) {
            if ((d.scope == 'r' && row != p->row) || (d.scope == 'c' && column != p->column))
                continue;
            d.rdest = row;
            d.cdest = column;
            run(&d, p);
        }
}

static void every_route(const place *p, uint64_t seed)
{
    dice dice = {seed, 0};
    for (const char *top = topologies; *top; top++)
        for (int s = 0; s < 3; s++)
            for (int op = 0; op < 3; op++) {
                deed d = {.r = &all_routines[roll(&dice, ROUTINES)],
                          .scope = "rca"[s],
                          .top = *top,
                          .op = op,
                          .m = roll(&dice, 5),
                          .n = roll(&dice, 6)};
                d.lda = d.m + roll(&dice, 3);
                d.lda = d.lda ? d.lda : 1;
                d.ldia = op && roll(&dice, 2) ? d.m + roll(&dice, 3) : -1;
                d.seed = hash(seed, dice.step, 5);
                every_destination(d, p);
            }
}

static void large(const place *p)
{
    for (int t = 0; t < ROUTINES; t++)
        for (int op = 0; op < 3; op++) {
            deed d = {.r = &all_routines[t],
                      .scope = 'a',
                      .top = " hf1"[t % 4],
                      .op = op,
                      .m = 60,
                      .n = 60,
                      .lda = 63,
                      .ldia = op ? 61 : -1,
                      .rdest = -1,
                      .cdest = -1,
                      .seed = (uint64_t)t};
            run(&d, p);
        }
}

/* With repeatable set the same bits each time, with coherent set the same bits
 * on every process. Summands of very different size make the order show. */
static void repeatable_and_coherent(const place *p)
{
    int one = 1, me = Cblacs_pnum(p->context, p->row, p->column), size = p->rows * p->columns;
    Cblacs_set(p->context, 15, &one);
    Cblacs_set(p->context, 16, &one);
    for (const char *top = topologies; *top; top++) {
        double first[4] = {0}, a[4], other[4];
        char letter[2] = {*top, 0};
        for (int run = 0; run < 3; run++) {
            for (int k = 0; k < 4; k++)
                a[k] = (double)(int64_t)hash(7, (uint64_t)me, (uint64_t)k) /
                       (double)(1 + (hash(8, (uint64_t)me, (uint64_t)k) % 1000000007));
            Cdgsum2d(p->context, "A", letter, 4, 1, a, 4, -1, -1);
            if (run == 0)
                memcpy(first, a, sizeof a);
            check(memcmp(first, a, sizeof a) == 0, "repeatable sum, top '%c', run %d", *top, run);
        }
        if (me > 0)
            Cdgesd2d(p->context, 4, 1, a, 4, 0, 0);
        for (int k = 1; me == 0 && k < size; k++) {
            int row, column;
            Cblacs_pcoord(p->context, k, &row, &column);
            Cdgerv2d(p->context, 4, 1, other, 4, row, column);
            check(memcmp(other, a, sizeof a) == 0, "coherent sum, top '%c', process %d", *top, k);
        }
    }
}

int main(void)
{
    static const int rings[] = {1, 2, -3}, branches[] = {1, 3, 100};
    dims all[4];
    begin();
    int n = grid_dims(all);
    for (int s = 0; s < n; s++) {
        place p = {.context = make_grid(all[s].nprow, all[s].npcol)};
        if (p.context < 0)
            continue;
        Cblacs_gridinfo(p.context, &p.rows, &p.columns, &p.row, &p.column);
        for (int k = 0; k < 3; k++) {
            int flag = k & 1, coherent = k >> 1;
            Cblacs_set(p.context, 13, &rings[k]);
            Cblacs_set(p.context, 14, &branches[k]);
            Cblacs_set(p.context, 15, &flag);
            Cblacs_set(p.context, 16, &coherent);
            every_route(&p, hash((uint64_t)s, (uint64_t)k, 4));
        }
        large(&p);
        repeatable_and_coherent(&p);
        Cblacs_gridexit(p.context);
    }
    return finish();
}
