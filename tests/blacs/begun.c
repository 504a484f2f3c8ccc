/*
 * Broadcasts and combines that are begun (?gebs2d_begin and the others), against the waiting calls,
 * bit for bit: every type, routine, scope and destination, matrices with gaps, owners; barriers;
 * many under way, among waiting calls and messages, ended in another order than begun; in C, in
 * Fortran form, and with 64-bit integers.
 */
#include <string.h>

#include "harness.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"

#include <openblacs/blacs_extensions.h>

/* One call, as all processes of a scope make it. */
typedef struct deed {
    int kind, type, language; /* GE_BROADCAST ...; place in "isdcz"; C, Fortran, C of 64 bits */
    char scope[2], top[2], uplo[2], diag[2];
    int m, n, lda, ldia, rdest, cdest;
    int exact; /* whole numbers, whose sums have no order */
    uint64_t seed;
} deed;
enum { GE_BROADCAST, TR_BROADCAST, SUM, LARGEST, SMALLEST, TR_SUM, BARRIER, KINDS };
enum { IN_C, IN_FORTRAN, IN_64, LANGUAGES };
enum { MOST = 40, ROWS = 7, COLUMNS = 5, GAP = 3, ROOM = (ROWS + GAP) * COLUMNS, WAVES = 12 };

typedef struct matrix {
    unsigned char a[16 * ROOM];
    int64_t row[ROOM], column[ROOM]; /* or ints */
} matrix;

typedef struct place {
    int context, rows, columns, row, column;
} place;

/* --------------------------------------------------------------- the routines */

typedef void call_source(const deed *d, int64_t c, void *a, int64_t *r);
typedef void call_receiver(const deed *d, int64_t c, void *a, int p, int q, int64_t *r);
typedef void call_combine(const deed *d, int64_t c, void *a, void *ra, void *ca, int64_t *r);

/* request NULL: the call that waits. Requests are int64_t here, whatever the routine takes. */
#define IN_INT(...)                                                                                \
    do {                                                                                           \
        int request = -5;                                                                          \
        __VA_ARGS__;                                                                               \
        *r = request;                                                                              \
    } while (0)

#define C_BROADCASTS(p)                                                                            \
    static void source_##p(const deed *d, int64_t c, void *a, int64_t *r)                          \
    {                                                                                              \
        if (d->kind == GE_BROADCAST && !r)                                                         \
            C##p##gebs2d((int)c, d->scope, d->top, d->m, d->n, a, d->lda);                         \
        else if (d->kind == GE_BROADCAST && d->language == IN_64)                                  \
            C##p##gebs2d_begin64_(c, d->scope, d->top, d->m, d->n, a, d->lda, r);                  \
        else if (d->kind == GE_BROADCAST && d->language == IN_FORTRAN)                             \
            IN_INT(p##gebs2d_begin_(&(int){(int)c}, d->scope, d->top, &d->m, &d->n, a, &d->lda,    \
                                    &request));                                                    \
        else if (d->kind == GE_BROADCAST)                                                          \
            IN_INT(C##p##gebs2d_begin((int)c, d->scope, d->top, d->m, d->n, a, d->lda, &request)); \
        else if (!r)                                                                               \
            C##p##trbs2d((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda);       \
        else if (d->language == IN_64)                                                             \
            C##p##trbs2d_begin64_(c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda,    \
                                  r);                                                              \
        else if (d->language == IN_FORTRAN)                                                        \
            IN_INT(p##trbs2d_begin_(&(int){(int)c}, d->scope, d->top, d->uplo, d->diag, &d->m,     \
                                    &d->n, a, &d->lda, &request));                                 \
        else                                                                                       \
            IN_INT(C##p##trbs2d_begin((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a,   \
                                      d->lda, &request));                                          \
    }                                                                                              \
    static void receiver_##p(const deed *d, int64_t c, void *a, int i, int j, int64_t *r)          \
    {                                                                                              \
        if (d->kind == GE_BROADCAST && !r)                                                         \
            C##p##gebr2d((int)c, d->scope, d->top, d->m, d->n, a, d->lda, i, j);                   \
        else if (d->kind == GE_BROADCAST && d->language == IN_64)                                  \
            C##p##gebr2d_begin64_(c, d->scope, d->top, d->m, d->n, a, d->lda, i, j, r);            \
        else if (d->kind == GE_BROADCAST && d->language == IN_FORTRAN)                             \
            IN_INT(p##gebr2d_begin_(&(int){(int)c}, d->scope, d->top, &d->m, &d->n, a, &d->lda,    \
                                    &i, &j, &request));                                            \
        else if (d->kind == GE_BROADCAST)                                                          \
            IN_INT(C##p##gebr2d_begin((int)c, d->scope, d->top, d->m, d->n, a, d->lda, i, j,       \
                                      &request));                                                  \
        else if (!r)                                                                               \
            C##p##trbr2d((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda, i, j); \
        else if (d->language == IN_64)                                                             \
            C##p##trbr2d_begin64_(c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda, i, \
                                  j, r);                                                           \
        else if (d->language == IN_FORTRAN)                                                        \
            IN_INT(p##trbr2d_begin_(&(int){(int)c}, d->scope, d->top, d->uplo, d->diag, &d->m,     \
                                    &d->n, a, &d->lda, &i, &j, &request));                         \
        else                                                                                       \
            IN_INT(C##p##trbr2d_begin((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a,   \
                                      d->lda, i, j, &request));                                    \
    }

#define EXTREME(p, name)                                                                           \
    do {                                                                                           \
        if (!r)                                                                                    \
            C##p##name((int)c, d->scope, d->top, d->m, d->n, a, d->lda, ra, ca, d->ldia, d->rdest, \
                       d->cdest);                                                                  \
        else if (d->language == IN_64)                                                             \
            C##p##name##_begin64_(c, d->scope, d->top, d->m, d->n, a, d->lda, ra, ca, d->ldia,     \
                                  d->rdest, d->cdest, r);                                          \
        else if (d->language == IN_FORTRAN)                                                        \
            IN_INT(p##name##_begin_(&(int){(int)c}, d->scope, d->top, &d->m, &d->n, a, &d->lda,    \
                                    ra, ca, &d->ldia, &d->rdest, &d->cdest, &request));            \
        else                                                                                       \
            IN_INT(C##p##name##_begin((int)c, d->scope, d->top, d->m, d->n, a, d->lda, ra, ca,     \
                                      d->ldia, d->rdest, d->cdest, &request));                     \
    } while (0)

#define C_COMBINES(p)                                                                              \
    static void combine_##p(const deed *d, int64_t c, void *a, void *ra, void *ca, int64_t *r)     \
    {                                                                                              \
        if (d->kind == LARGEST)                                                                    \
            EXTREME(p, gamx2d);                                                                    \
        else if (d->kind == SMALLEST)                                                              \
            EXTREME(p, gamn2d);                                                                    \
        else if (d->kind == TR_SUM && !r)                                                          \
            C##p##tsum2d((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda,        \
                         d->rdest, d->cdest);                                                      \
        else if (d->kind == TR_SUM && d->language == IN_64)                                        \
            C##p##tsum2d_begin64_(c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a, d->lda,    \
                                  d->rdest, d->cdest, r);                                          \
        else if (d->kind == TR_SUM && d->language == IN_FORTRAN)                                   \
            IN_INT(p##tsum2d_begin_(&(int){(int)c}, d->scope, d->top, d->uplo, d->diag, &d->m,     \
                                    &d->n, a, &d->lda, &d->rdest, &d->cdest, &request));           \
        else if (d->kind == TR_SUM)                                                                \
            IN_INT(C##p##tsum2d_begin((int)c, d->scope, d->top, d->uplo, d->diag, d->m, d->n, a,   \
                                      d->lda, d->rdest, d->cdest, &request));                      \
        else if (!r)                                                                               \
            C##p##gsum2d((int)c, d->scope, d->top, d->m, d->n, a, d->lda, d->rdest, d->cdest);     \
        else if (d->language == IN_64)                                                             \
            C##p##gsum2d_begin64_(c, d->scope, d->top, d->m, d->n, a, d->lda, d->rdest, d->cdest,  \
                                  r);                                                              \
        else if (d->language == IN_FORTRAN)                                                        \
            IN_INT(p##gsum2d_begin_(&(int){(int)c}, d->scope, d->top, &d->m, &d->n, a, &d->lda,    \
                                    &d->rdest, &d->cdest, &request));                              \
        else                                                                                       \
            IN_INT(C##p##gsum2d_begin((int)c, d->scope, d->top, d->m, d->n, a, d->lda, d->rdest,   \
                                      d->cdest, &request));                                        \
    }

#define EACH(X) X(i) X(s) X(d) X(c) X(z)
EACH(C_BROADCASTS)
EACH(C_COMBINES)
static call_source *const sources[] = {source_i, source_s, source_d, source_c, source_z};
static call_receiver *const receivers[] = {receiver_i, receiver_s, receiver_d, receiver_c,
                                           receiver_z};
static call_combine *const combines[] = {combine_i, combine_s, combine_d, combine_c, combine_z};

static void barrier(const deed *d, int64_t c, int64_t *r)
{
    if (!r)
        Cblacs_barrier((int)c, d->scope);
    else if (d->language == IN_64)
        Cblacs_barrier_begin64_(c, d->scope, r);
    else if (d->language == IN_FORTRAN)
        IN_INT(blacs_barrier_begin_(&(int){(int)c}, d->scope, &request));
    else
        IN_INT(Cblacs_barrier_begin((int)c, d->scope, &request));
}

/* ------------------------------------------------------------------- the deeds */

/* An integer has 64 bits in the routines for these, and no waiting call here. */
static size_t element_bytes(const deed *d)
{
    static const size_t bytes[] = {4, 4, 8, 8, 16};
    return d->type == 0 && d->language == IN_64 ? 8 : bytes[d->type];
}

static void fill(const deed *d, int who, matrix *x)
{
    size_t bytes = element_bytes(d);
    memset(x, 0x5a, sizeof *x);
    for (int k = 0; k < d->lda * d->n; k++) {
        uint64_t h = hash(d->seed, (uint64_t)who, (uint64_t)k);
        int small = (int)(h % 9) - 4;
        double v = d->exact ? small : small * 1.1 + (double)(h % 1000) / 977;
        unsigned char *at = x->a + (size_t)k * bytes;
        if (k % d->lda >= d->m)
            continue;
        for (size_t part = 0; part < (d->type > 2 ? 2 : 1); part++) {
            double value = part ? -v / 2 : v;
            float f = (float)value;
            int whole = small;
            int64_t wide = small;
            if (d->type == 0 && bytes == 8)
                memcpy(at, &wide, 8);
            else if (d->type == 0)
                memcpy(at, &whole, 4);
            else if (d->type % 2)
                memcpy(at + 4 * part, &f, 4);
            else
                memcpy(at + 8 * part, &value, 8);
        }
    }
}

static deed draw(dice *lot, const place *p, int exact)
{
    static const char tops[] = " idshftm2n1T";
    deed d = {.kind = roll(lot, KINDS),
              .type = roll(lot, 5),
              .language = roll(lot, LANGUAGES),
              .m = roll(lot, ROWS + 1),
              .n = roll(lot, COLUMNS + 1),
              .ldia = -1,
              .exact = exact};
    d.scope[0] = "rca"[roll(lot, 3)];
    d.uplo[0] = "ulg"[roll(lot, d.kind == TR_SUM ? 3 : 2)];
    d.diag[0] = "un"[roll(lot, 2)];
    d.lda = (d.m ? d.m : 1) + roll(lot, GAP + 1);
    d.rdest = roll(lot, p->rows + 1) - 1;
    d.cdest = roll(lot, p->columns + 1) - 1;
    /* A letter sets the order of a sum that waits. */
    int top = roll(lot, (int)sizeof tops - 1);
    d.top[0] = exact || (d.kind != SUM && d.kind != TR_SUM) ? tops[top] : ' ';
    if ((d.kind == LARGEST || d.kind == SMALLEST) && roll(lot, 2))
        d.ldia = (d.m ? d.m : 1) + roll(lot, GAP + 1);
    if (d.kind <= TR_BROADCAST) { /* there is one source */
        d.rdest = d.rdest < 0 ? 0 : d.rdest;
        d.cdest = d.cdest < 0 ? 0 : d.cdest;
    }
    d.seed = lot->step * 77 + lot->seed;
    return d;
}

/* Whose result is looked at. */
static int is_there(const deed *d, const place *p)
{
    return d->rdest == -1 || d->cdest == -1 ||
           ((d->scope[0] == 'r' || p->row == d->rdest) &&
            (d->scope[0] == 'c' || p->column == d->cdest));
}

static void carry_out(const deed *d, const place *p, matrix *x, int64_t *request)
{
    int64_t c = p->context;
    if (d->kind == BARRIER)
        barrier(d, c, request);
    else if (d->kind >= SUM)
        combines[d->type](d, c, x->a, x->row, x->column, request);
    else if (is_there(d, p))
        sources[d->type](d, c, x->a, request);
    else
        receivers[d->type](d, c, x->a, d->rdest, d->cdest, request);
}

static int64_t int_at(const int64_t *x, int at, int wide)
{
    return wide ? x[at] : ((const int *)(const void *)x)[at];
}

/* Positions below the rows and gaps are compared, too. */
static int owners_differ(const deed *d, const matrix *x, const matrix *y)
{
    int wrong = 0;
    for (int k = 0; d->ldia != -1 && k < d->ldia * d->n; k++)
        if (k % d->ldia < d->m) {
            wrong += int_at(x->row, k, d->language == IN_64) != int_at(y->row, k, 0);
            wrong += int_at(x->column, k, d->language == IN_64) != int_at(y->column, k, 0);
        }
    return wrong;
}

/* The other one was made with 32-bit integers. */
static int same(const deed *d, const matrix *x, const matrix *y)
{
    if (owners_differ(d, x, y))
        return 0;
    if (d->type != 0 || d->language != IN_64)
        return memcmp(x->a, y->a, sizeof x->a) == 0;
    for (int k = 0; k < d->lda * d->n; k++) {
        int64_t wide;
        int narrow;
        memcpy(&wide, x->a + 8 * k, 8);
        memcpy(&narrow, y->a + 4 * k, 4);
        if (k % d->lda < d->m && wide != narrow)
            return 0;
    }
    return 1;
}

static void end_one(int64_t *request, int language, int how)
{
    int narrow = (int)*request, done = 0;
    int64_t done64 = 0;
    if (language == IN_64) {
        while (how && !done64)
            Cblacs_test64_(request, &done64);
        if (!how)
            blacs_wait_64_(request);
        return;
    }
    while (how && !done)
        language == IN_C ? Cblacs_test(&narrow, &done) : blacs_test_(&narrow, &done);
    if (!how)
        language == IN_C ? Cblacs_wait(&narrow) : blacs_wait_(&narrow);
    *request = narrow;
}

/* ------------------------------------------------------------------------ waves */

/* Many are begun, waiting calls and messages come in between, and they end in the order of a lot.
 * exact: at any topology and between nodes the bits are the same. */
static void wave(const place *p, uint64_t seed, int exact)
{
    static matrix begun[MOST], waited[MOST];
    static deed deeds[MOST];
    int64_t request[MOST];
    int later[MOST];
    dice lot = {.seed = seed};
    int count = 1 + roll(&lot, MOST), me = p->row * p->columns + p->column, wrong = 0, left = 0;
    int size = p->rows * p->columns, next = (me + 1) % size, before = (me + size - 1) % size;
    for (int k = 0; k < count; k++) {
        deed *d = &deeds[k];
        *d = draw(&lot, p, exact);
        fill(d, me, &begun[k]);
        request[k] = -7;
        carry_out(d, p, &begun[k], &request[k]);
        check(request[k] >= 0, "a request is %lld", (long long)request[k]);
        deed in_c = *d;
        in_c.language = IN_C;
        fill(&in_c, me, &waited[k]);
        later[k] = roll(&lot, 2);
        if (!later[k])
            carry_out(&in_c, p, &waited[k], NULL);
        if (roll(&lot, 4) == 0) {
            int text = me * 100 + k, got = -1;
            Cigesd2d(p->context, 1, 1, &text, 1, next / p->columns, next % p->columns);
            Cigerv2d(p->context, 1, 1, &got, 1, before / p->columns, before % p->columns);
            wrong += got != before * 100 + k;
        }
    }
    for (int k = 0; k < count; k++)
        if (later[k]) {
            deed in_c = deeds[k];
            in_c.language = IN_C;
            carry_out(&in_c, p, &waited[k], NULL);
        }
    for (int k = 0, step = 2 * roll(&lot, 9) + 1; k < MOST && step % 5; k++) { /* prime to MOST */
        int at = k * step % MOST;
        if (at < count && roll(&lot, 4)) /* some are left to waitall */
            end_one(&request[at], deeds[at].language, roll(&lot, 2));
    }
    int narrow[MOST];
    for (int k = 0; k < count; k++)
        narrow[left++] = (int)request[k];
    if (seed % 2)
        Cblacs_waitall(left, narrow);
    else
        blacs_waitall_(&left, narrow);
    for (int k = 0; k < count; k++) {
        check(narrow[k] == -1, "a request that has ended is %d", narrow[k]);
        if (!is_there(&deeds[k], p) && deeds[k].kind >= SUM)
            continue; /* may be overwritten */
        if (!same(&deeds[k], &begun[k], &waited[k])) {
            wrong++;
            check(0, "kind %d, type %d, language %d, scope %s, top '%s', %d x %d, lda %d, ldia %d",
                  deeds[k].kind, deeds[k].type, deeds[k].language, deeds[k].scope, deeds[k].top,
                  deeds[k].m, deeds[k].n, deeds[k].lda, deeds[k].ldia);
        }
    }
    check(wrong == 0, "%d of %d are wrong", wrong, count);
}

/* ------------------------------------------------------------------------- others */

/* In two contexts, of which one is a scope in another order: owners have the grid's coordinates. */
static void in_a_scope(const place *p)
{
    int size = p->rows * p->columns, scope, row[64], column[64], request[2], wrong = 0;
    int me = p->row * p->columns + p->column;
    double a[4], b[4], sum = size;
    int ra[4], ca[4], rb[4], cb[4];
    for (int k = 0; k < size; k++) {
        row[k] = (size - 1 - k) / p->columns;
        column[k] = (size - 1 - k) % p->columns;
    }
    Cblacs_scope(p->context, size, row, column, &scope);
    for (int k = 0; k < 4; k++)
        a[k] = b[k] = (double)(hash(3, (uint64_t)me, (uint64_t)k) % 5);
    Cdgamx2d_begin(scope, "All", " ", 2, 2, a, 2, ra, ca, 2, -1, -1, &request[0]);
    Cdgsum2d_begin(p->context, "All", " ", 1, 1, (sum = 1, &sum), 1, -1, -1, &request[1]);
    Cdgamx2d(scope, "All", " ", 2, 2, b, 2, rb, cb, 2, -1, -1);
    Cblacs_waitall(2, request);
    for (int k = 0; k < 4; k++)
        wrong += memcmp(&a[k], &b[k], sizeof a[k]) != 0 || ra[k] != rb[k] || ca[k] != cb[k];
    check(wrong == 0 && sum == size, "in a scope: %d elements, sum %g", wrong, sum);
    Cblacs_gridexit(scope);
}

/* Each begins only behind a message of the one before, who has begun: nobody waits in a begin. */
static void one_after_the_other(const place *p)
{
    int size = p->rows * p->columns, me = p->row * p->columns + p->column, request[2], word = 0;
    double a[600];
    for (int i = 0; i < 600; i++)
        a[i] = i;
    if (me > 0)
        Cigerv2d(p->context, 1, 1, &word, 1, (me - 1) / p->columns, (me - 1) % p->columns);
    Cdgsum2d_begin(p->context, "All", " ", 600, 1, a, 600, -1, -1, &request[0]);
    Cigamx2d_begin(p->context, "All", " ", 1, 1, &word, 1, NULL, NULL, -1, -1, -1, &request[1]);
    int next = me + 1;
    if (next < size)
        Cigesd2d(p->context, 1, 1, &next, 1, next / p->columns, next % p->columns);
    Cblacs_wait(&request[0]);
    Cblacs_waitall(2, request);
    check(a[599] == 599 * size && word == size - 1, "one after the other: %g, %d", a[599], word);
}

/* Looked at again and again before it can be over, since the others have not begun it. */
static void looked_at(const place *p)
{
    int size = p->rows * p->columns, me = p->row * p->columns + p->column, request, done, word = 1;
    int sum = me;
    if (me > 0)
        Cigerv2d(p->context, 1, 1, &word, 1, 0, 0);
    Cigsum2d_begin(p->context, "All", " ", 1, 1, &sum, 1, -1, -1, &request);
    for (int k = 0; k < 3 && me == 0 && size > 1; k++) {
        Cblacs_test(&request, &done);
        check(!done && request != -1, "over, though the others have not begun it");
    }
    for (int other = 1; other < size && me == 0; other++)
        Cigesd2d(p->context, 1, 1, &word, 1, other / p->columns, other % p->columns);
    for (done = 0; !done;)
        Cblacs_test(&request, &done);
    check(request == -1 && sum == size * (size - 1) / 2, "looked at: %d, sum %d", request, sum);
}

/* Nobody's barrier is over before the last process has begun it, who waits for what the others send
 * behind theirs; a barrier of a row is not that of the grid. */
static void barriers(const place *p)
{
    int size = p->rows * p->columns, me = p->row * p->columns + p->column, request[2], done = 0;
    int last = me == size - 1, early = 0;
    for (int round = 0; round < 3; round++) {
        Cblacs_barrier_begin(p->context, "Row", &request[0]);
        if (!last) {
            Cblacs_barrier_begin(p->context, "All", &request[1]);
            Cblacs_wait(&request[0]);
            for (int k = 0; k < 5; k++) {
                Cblacs_test(&request[1], &done);
                early += done;
            }
            Cigesd2d(p->context, 1, 1, &early, 1, p->rows - 1, p->columns - 1);
        }
        for (int k = 0; last && k < size - 1; k++) {
            Cigerv2d(p->context, 1, 1, &done, 1, k / p->columns, k % p->columns);
            early += done;
        }
        if (last)
            Cblacs_barrier_begin(p->context, "All", &request[1]);
        Cblacs_waitall(2, request);
    }
    check(early == 0, "%d barriers were over before all had begun them", early);
}

/* Long ones, which a thread of the library may move, and reproducible sums of numbers that round.
 */
static void long_ones(const place *p)
{
    enum { N = 100003 };
    static double a[N], b[N], c[N], d[N];
    int request[2], two = 2, none = 0, me = p->row * p->columns + p->column;
    for (int i = 0; i < N; i++) {
        a[i] = b[i] = (double)(hash(11, (uint64_t)me, (uint64_t)i) % 100003) / 7;
        c[i] = d[i] = me ? -1 : i;
    }
    Cblacs_set(p->context, 15, &two);
    Cdgsum2d_begin(p->context, "All", " ", N, 1, a, N, -1, -1, &request[0]);
    if (me == 0)
        Cdgebs2d_begin(p->context, "All", " ", N, 1, c, N, &request[1]);
    else
        Cdgebr2d_begin(p->context, "All", " ", N, 1, c, N, 0, 0, &request[1]);
    Cdgsum2d(p->context, "All", " ", N, 1, b, N, -1, -1);
    if (me == 0)
        Cdgebs2d(p->context, "All", " ", N, 1, d, N);
    else
        Cdgebr2d(p->context, "All", " ", N, 1, d, N, 0, 0);
    Cblacs_wait(&request[1]);
    Cblacs_wait(&request[0]);
    Cblacs_set(p->context, 15, &none);
    check(memcmp(a, b, sizeof a) == 0, "a long reproducible sum differs");
    check(memcmp(c, d, sizeof c) == 0, "a long broadcast differs");
}

/* Handles: -1 has ended, also in a list; a used number is not given at once. */
static void handles(const place *p)
{
    enum { MANY = 300 };
    static int request[MANY], x[MANY];
    int none[3] = {-1, -1, -1}, done = 0, wrong = 0;
    Cblacs_wait(&none[0]);
    Cblacs_test(&none[1], &done);
    Cblacs_waitall(3, none);
    Cblacs_waitall(0, none);
    check(done == 1 && none[0] == -1 && none[1] == -1, "-1 counts as ended");
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < MANY; k++) {
            x[k] = k;
            Cigsum2d_begin(p->context, "All", " ", 1, 1, &x[k], 1, -1, -1, &request[k]);
            for (int j = 0; j < k; j++)
                wrong += request[j] == request[k];
        }
        for (int k = MANY - 1; k >= 0; k -= 2)
            Cblacs_wait(&request[k]);
        Cblacs_waitall(MANY, request);
        for (int k = 0; k < MANY; k++)
            wrong += x[k] != k * p->rows * p->columns;
    }
    check(wrong == 0, "many under way: %d", wrong);
}

static void on_grid(int nprow, int npcol)
{
    place p = {.context = make_grid(nprow, npcol)};
    if (p.context < 0)
        return;
    Cblacs_gridinfo(p.context, &p.rows, &p.columns, &p.row, &p.column);
    for (uint64_t seed = 0; seed < WAVES; seed++)
        wave(&p, seed, 1);
    int two = 2, near = ob_group_near(ob_blacs_group(p.context, 'A'));
    for (uint64_t seed = WAVES; near && seed < 2 * WAVES; seed++)
        wave(&p, seed, 0);
    Cblacs_set(p.context, 15, &two); /* now numbers that round have one sum everywhere */
    for (uint64_t seed = 2 * WAVES; seed < 3 * WAVES; seed++)
        wave(&p, seed, 0);
    in_a_scope(&p);
    one_after_the_other(&p);
    looked_at(&p);
    barriers(&p);
    long_ones(&p);
    handles(&p);
    Cblacs_gridexit(p.context);
}

int main(void)
{
    begin();
    on_all_dims(on_grid);
    return finish();
}
