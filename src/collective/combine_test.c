/*
 * Combines among threads on shared memory against a straight reckoning by
 * position: every topology, root, operation, type, with and without owners,
 * contiguous and strided; ties; and that results do not depend on timing.
 */
#include "collective/members_test.h"

#include <math.h>
#include <sched.h>
#include <unistd.h>

enum { MOST = TEST_MEMBERS, PAD = 0x5a };

typedef struct number {
    double re, im;
} number;

/* Values of 64-bit integers lie above the low half. */
#define HIGH ((int64_t)1 << 33)

TEAM_RECKONING static int parts_of(ob_type t)
{
    return t == OB_COMPLEX || t == OB_DCOMPLEX ? 2 : 1;
}

static void put(ob_type t, void *base, size_t i, number x)
{
    switch (t) {
    case OB_INT: ((int *)base)[i] = (int)x.re; break;
    case OB_INT64: ((int64_t *)base)[i] = (int64_t)x.re * HIGH; break;
    case OB_FLOAT: ((float *)base)[i] = (float)x.re; break;
    case OB_DOUBLE: ((double *)base)[i] = x.re; break;
    case OB_COMPLEX:
        ((float *)base)[2 * i] = (float)x.re;
        ((float *)base)[2 * i + 1] = (float)x.im;
        break;
    default: ((double *)base)[2 * i] = x.re; ((double *)base)[2 * i + 1] = x.im;
    }
}

static number get(ob_type t, const void *base, size_t i)
{
    switch (t) {
    case OB_INT: return (number){((const int *)base)[i], 0};
    case OB_INT64: return (number){(double)(((const int64_t *)base)[i] / HIGH), 0};
    case OB_FLOAT: return (number){(double)((const float *)base)[i], 0};
    case OB_DOUBLE: return (number){((const double *)base)[i], 0};
    case OB_COMPLEX:
        return (number){(double)((const float *)base)[2 * i],
                        (double)((const float *)base)[2 * i + 1]};
    default: return (number){((const double *)base)[2 * i], ((const double *)base)[2 * i + 1]};
    }
}

/* ---------------------------------------------------------------- one combine */

typedef struct task {
    int root;
    ob_op op;
    ob_type type;
    int owners;
    size_t m, n, ld, ld_owner;
    const ob_route *route;
    unsigned seed;
} task;

/* Small whole numbers: sums are exact in any order, and magnitudes often tie. */
TEAM_RECKONING static number element(const task *t, int position, size_t k)
{
    unsigned h = ((unsigned)k * 31 + (unsigned)position) * 2654435761u ^ t->seed * 40503u;
    h = (h ^ h >> 15) * 2246822519u;
    number x = {(double)(int)(h >> 20 & 7) - 3, 0};
    if (parts_of(t->type) == 2)
        x.im = (double)(int)(h >> 9 & 3) - 1;
    return x;
}

TEAM_RECKONING static int beats(const task *t, number a, number b)
{
    double x = fabs(a.re) + fabs(a.im), y = fabs(b.re) + fabs(b.im);
    if (t->op >= OB_MAX)
        return t->op == OB_MAX ? a.re > b.re : a.re < b.re;
    if (x != y)
        return t->op == OB_MAX_ABS ? x > y : x < y;
    if (t->owners)
        return 0;
    return a.re > b.re || (a.re == b.re && a.im > b.im);
}

/* Members in the order of their distance from the root, or by value from member 0 on; ties keep
 * the first. */
TEAM_RECKONING static number expected(const task *t, int size, size_t k, int *from)
{
    int base = t->root == OB_ANY || t->op >= OB_MAX ? 0 : t->root;
    number best = element(t, base, k);
    *from = base;
    for (int d = 1; d < size; d++) {
        int position = (base + d) % size;
        number x = element(t, position, k);
        if (t->op == OB_SUM) {
            best.re += x.re;
            best.im += x.im;
        } else if (beats(t, x, best)) {
            best = x;
            *from = position;
        }
    }
    return best;
}

static void check_result(const task *t, ob_group *g, const void *base, const int *owner)
{
    for (size_t j = 0; j < t->n; j++)
        for (size_t i = 0; i < t->m; i++) {
            int from;
            number want = expected(t, ob_group_size(g), i + j * t->m, &from);
            number got = get(t->type, base, i + j * t->ld);
            TEAM_CHECK(got.re == want.re && got.im == want.im,
                       "op %d type %d owners %d topology %d branches %d root %d member %d of %d at "
                       "(%zu, %zu): (%g, %g), should be (%g, %g)",
                       t->op, t->type, t->owners, t->route->topology, t->route->branches, t->root,
                       ob_group_me(g), ob_group_size(g), i, j, got.re, got.im, want.re, want.im);
            if (t->owners)
                TEAM_CHECK(owner[i + j * t->ld_owner] == from,
                           "owner %d, should be %d, topology %d, %d members",
                           owner[i + j * t->ld_owner], from, t->route->topology, ob_group_size(g));
        }
}

static void check_padding(const void *memory, size_t m, size_t n, size_t ld, size_t esize)
{
    const unsigned char *at = memory;
    for (size_t j = 0; j <= n; j++) { /* below each column, and behind the last */
        size_t from = j < n ? j * ld + m : n * ld, to = j < n ? (j + 1) * ld : n * ld + 1;
        for (size_t k = from * esize; k < to * esize; k++)
            TEAM_CHECK(at[k] == PAD, "byte %zu outside the %zu x %zu matrix was written", k, m, n);
    }
}

static void one_combine(ob_group *g, const task *t)
{
    size_t esize = ob_type_bytes(t->type), bytes = (t->ld * t->n + 1) * esize;
    size_t owner_bytes = (t->ld_owner * t->n + 1) * sizeof(int);
    void *base = malloc(bytes);
    int *owner = malloc(owner_bytes);
    memset(base, PAD, bytes);
    memset(owner, PAD, owner_bytes);
    for (size_t j = 0; j < t->n; j++)
        for (size_t i = 0; i < t->m; i++)
            put(t->type, base, i + j * t->ld, element(t, ob_group_me(g), i + j * t->m));
    ob_view v = {base, t->m, t->n, t->ld, t->type, OB_GENERAL, 0};
    int status = ob_combine(g, t->root, t->op, &v, t->owners ? owner : NULL, t->ld_owner, t->route);
    OK(status);
    if (t->root == OB_ANY || t->root == ob_group_me(g))
        check_result(t, g, base, owner);
    check_padding(base, t->m, t->n, t->ld, esize);
    check_padding(owner, t->m, t->n, t->ld_owner, sizeof(int));
    free(base);
    free(owner);
}

/* --------------------------------------------------------------- small vectors */

static const size_t shapes[][3] = {/* m, n, gap below each column */
                                   {1, 1, 0}, {7, 5, 0}, {7, 5, 3},  {1, 9, 2},
                                   {0, 4, 0}, {4, 0, 1}, {33, 2, 0}, {20, 11, 1}};

static void combines_at(ob_group *g, int root, int first)
{
    unsigned seed = (unsigned)first;
    ob_route route;
    for (int r = 0; test_route(r, &route); r++)
        for (int type = OB_INT; type < OB_TYPES; type += type == OB_DCOMPLEX ? 2 : 1)
            for (int op = OB_SUM; op <= (parts_of((ob_type)type) == 1 ? OB_MIN : OB_MIN_ABS); op++)
                for (int owners = 0; owners <= (op != OB_SUM); owners++, seed++) {
                    const size_t *s = shapes[seed % 8];
                    task t = {root,   op,  type, owners, s[0], s[1], s[0] + s[2], s[0] + seed % 3,
                              &route, seed};
                    one_combine(g, &t);
                }
}

static void all_combines(ob_group *g, void *shared)
{
    (void)shared;
    int p = ob_group_size(g);
    combines_at(g, OB_ANY, 0);
    combines_at(g, OB_ANY, 5);
    for (int root = 0; root < p; root++)
        if (p <= 5 || root == 1 || root == p / 2 || root == p - 1)
            combines_at(g, root, 3 * root);
}

static void test_combines(void **state)
{
    for (int p = 1; p <= MOST; p++)
        run_members(p, all_combines, NULL);
}

/* ---------------------------------------------------------------- many chunks */

static void large_combines(ob_group *g, void *shared)
{
    (void)shared;
    static const ob_topology tops[] = {OB_TOP_BEST, OB_TOP_TREE, OB_TOP_HYPERCUBE,
                                       OB_TOP_RING_DOWN};
    for (unsigned i = 0; i < 12; i++) {
        ob_route route = {tops[i % 4], 2, 0, 0};
        task t = {i % 3 ? OB_ANY : ob_group_size(g) - 1,
                  i % 2 == 0  ? OB_SUM
                  : i % 5 < 3 ? OB_MIN
                              : OB_MAX_ABS,
                  (ob_type)(i % 5),
                  i % 2,
                  541,
                  TEAM_RACES ? 201 : 401, /* 400 KB and more */
                  541 + i % 3,
                  541 + i % 2,
                  &route,
                  i};
        one_combine(g, &t);
    }
}

static void test_many_chunks(void **state)
{
    for (int p = 2; p <= 5; p++)
        run_members(p, large_combines, NULL);
}

/* A combine may have its matrix lie differently at each member, and be a
 * trapezoid: only the number of elements counts. */
static void mixed_layouts(ob_group *g, void *shared)
{
    (void)shared;
    int me = ob_group_me(g), p = ob_group_size(g), owner[64];
    double memory[64];
    for (int i = 0; i < 64; i++)
        memory[i] = -1;
    ob_view flat = {memory, 10, 1, 10, OB_DOUBLE, OB_GENERAL, 0};
    ob_view strided = {memory, 2, 5, 6, OB_DOUBLE, OB_GENERAL, 0};
    ob_view trapezoid = {memory, 4, 4, 7, OB_DOUBLE, OB_UPPER, 0};
    const ob_view *v = me % 3 == 0 ? &flat : me % 3 == 1 ? &strided : &trapezoid;
    ob_cursor c;
    ob_cursor_open(&c, v);
    for (int k = 0; k < 10; k++) {
        double x = (double)((me + k) % p);
        ob_cursor_unpack(&c, &x, sizeof x);
    }
    size_t ld_owner = v == &flat ? 10 : 7;
    OK(ob_combine(g, OB_ANY, OB_MAX_ABS, v, owner, ld_owner, NULL));
    ob_view o = *v;
    o.base = owner;
    o.type = OB_INT;
    o.ld = ld_owner;
    ob_cursor owners;
    ob_cursor_open(&c, v);
    ob_cursor_open(&owners, &o);
    for (int k = 0; k < 10; k++) {
        double x;
        int from;
        ob_cursor_pack(&c, &x, sizeof x);
        ob_cursor_pack(&owners, &from, sizeof from);
        TEAM_CHECK(x == p - 1, "element %d is %g", k, x);
        TEAM_CHECK(from == (p - 1 - k % p + p) % p, "element %d is from %d", k, from);
    }
}

/* --------------------------------------------------------------------- timing */

typedef struct record {
    unsigned char bits[2][MOST][1 << 17]; /* of every member, in two runs */
} record;

/* Values whose sum depends on the order of adding; members come late at random. */
static void sum_rounding(ob_group *g, record *r, int run, const ob_route *route, size_t n, int root)
{
    int me = ob_group_me(g);
    double *x = (double *)(void *)r->bits[run][me];
    for (size_t i = 0; i < n; i++)
        x[i] = sin((double)(i * 17 + (size_t)me * 101)) * pow(10, (double)((me * 7 + (int)i) % 9));
    usleep((unsigned)(me * 7919 + run * 104729) % 300);
    ob_view v = {x, n, 1, n, OB_DOUBLE, OB_GENERAL, 0};
    OK(ob_combine(g, root, OB_SUM, &v, NULL, 0, route));
}

static void same_bits(ob_group *g, void *shared)
{
    record *r = shared;
    int me = ob_group_me(g), p = ob_group_size(g);
    static const size_t sizes[] = {3, 100, 700, 16384};
    ob_route route;
    for (int i = 0; test_route(i, &route); i++)
        for (int s = 0; s < 4; s++) {
            size_t bytes = sizes[s] * sizeof(double);
            int root = i % 2 ? OB_ANY : (i + s) % (p + 1) - 1;
            for (int run = 0; run < 2; run++)
                sum_rounding(g, r, run, &route, sizes[s], root);
            if (root == OB_ANY || root == me)
                TEAM_CHECK(memcmp(r->bits[0][me], r->bits[1][me], bytes) == 0,
                           "two runs differ: topology %d, %zu values", route.topology, sizes[s]);
            ob_barrier(g);
            if (root == OB_ANY)
                TEAM_CHECK(memcmp(r->bits[0][me], r->bits[0][0], bytes) == 0,
                           "members 0 and %d differ: topology %d, %zu values", me, route.topology,
                           sizes[s]);
            ob_barrier(g);
        }
}

static void test_same_bits(void **state)
{
    record *r = malloc(sizeof *r);
    for (int p = 2; p <= MOST; p += p < 9 ? 1 : 4)
        run_members(p, same_bits, r);
    free(r);
}

static void test_mixed_layouts(void **state)
{
    for (int p = 1; p <= 9; p++)
        run_members(p, mixed_layouts, NULL);
}

/* ------------------------------------------------------------------- oddities */

static void wrong_size(ob_group *g, void *shared)
{
    (void)shared;
    float x[9] = {0};
    size_t m = ob_group_me(g) ? 8 : 9;
    ob_view v = {x, m, 1, m, OB_FLOAT, OB_GENERAL, 0};
    int status = ob_combine(g, 0, OB_SUM, &v, NULL, 0, NULL);
    if (ob_group_me(g) == 0) {
        TEAM_CHECK(status == OB_ESIZE, "status %d", status);
        TEAM_CHECK(strstr(ob_error_text(), "8") && strstr(ob_error_text(), "9"),
                   "'%s' does not name both sizes", ob_error_text());
    }
}

static void test_wrong_size(void **state)
{
    run_members(2, wrong_size, NULL);
}

/* NaN is the largest magnitude of all, wherever it comes from. */
static void not_numbers(ob_group *g, void *shared)
{
    (void)shared;
    int p = ob_group_size(g);
    for (int at = 0; at < p; at++)
        for (int owners = 0; owners < 2; owners++) {
            double x[2] = {1 + ob_group_me(g), 0};
            int owner[2] = {-1, -1};
            if (ob_group_me(g) == at)
                x[0] = x[1] = NAN;
            ob_view v = {x, 2, 1, 2, OB_DOUBLE, OB_GENERAL, 0};
            TEAM_CHECK(ob_combine(g, OB_ANY, OB_MAX_ABS, &v, owners ? owner : NULL, 2, NULL) ==
                           OB_OK,
                       "%s", ob_error_text());
            TEAM_CHECK(isnan(x[0]) && isnan(x[1]), "the largest is %g", x[0]);
            TEAM_CHECK(!owners || (owner[0] == at && owner[1] == at), "owner %d", owner[0]);
            x[0] = ob_group_me(g) == at ? NAN : 4;
            OK(ob_combine(g, OB_ANY, OB_MIN_ABS, &v, NULL, 0, NULL));
            TEAM_CHECK(p == 1 || x[0] == 4, "the smallest is %g", x[0]);
        }
}

static void test_not_numbers(void **state)
{
    for (int p = 1; p <= 6; p++)
        run_members(p, not_numbers, NULL);
}

/* Slates are used in turn, and a member that waits for nobody (who sends a broadcast, who gives
 * to one root) is rounds ahead of the others: none may write what another still reads. */
static void slates_among_other_rounds(ob_group *g, void *shared)
{
    enum { CALLS = 3000, MOST_LENGTH = 512 };
    double x[MOST_LENGTH];
    uint32_t h = 1, own = (uint32_t)ob_group_me(g) * 2654435761u + 1;
    int me = ob_group_me(g), p = ob_group_size(g);
    (void)shared;
    for (int k = 0; k < CALLS; k++) {
        h = h * 1664525u + 1013904223u;
        own = own * 1664525u + 1013904223u;
        if (own >> 24 == 0)
            usleep(own >> 12 & 63);
        size_t n = 13 + (h >> 8) % (MOST_LENGTH - 12);
        int root = (int)((h >> 18) % (unsigned)p), what = (int)(h >> 28 & 3);
        ob_view v = {x, n, 1, n, OB_DOUBLE, OB_GENERAL, 0};
        for (size_t i = 0; i < n; i++)
            x[i] = (double)(k + (int)i + me);
        int status = what == 0   ? ob_broadcast(g, root, &v, NULL)
                     : what == 1 ? ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL)
                                 : ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
        TEAM_CHECK(status == OB_OK, "call %d: %s", k, ob_error_text());
        if (what == 1 && me != root)
            continue;
        for (size_t i = 0; i < n; i++) {
            double one = (double)(k + (int)i);
            double want = what == 0 ? one + root : p * one + p * (p - 1) / 2.0;
            TEAM_CHECK(x[i] == want, "call %d of kind %d, element %zu: %g, not %g", k, what, i,
                       x[i], want);
        }
    }
}

static void test_slates_among_other_rounds(void **state)
{
    for (int p = 2; p <= 5; p++)
        run_members(p, slates_among_other_rounds, NULL);
}

/* Who gives to one root waits for nobody: it writes no slate that the root has still to read, but
 * finds other memory, and a slate again when all have come past it. */
typedef struct ahead {
    atomic_int given; /* calls of all who only give */
} ahead;

static void give_ahead(ob_group *g, void *shared)
{
    enum { BATCHES = 12, CALLS = 6 /* fewer than a member has notes */, N = 100 };
    ahead *a = shared;
    int me = ob_group_me(g), p = ob_group_size(g);
    double x[N];
    ob_view v = ob_view_vector(x, N, OB_DOUBLE);
    TEAM_CHECK(ob_barrier(g) == OB_OK, "%s", ob_error_text()); /* all wait for the board once */
    for (int k = 0; k < BATCHES * CALLS; k++) {
        const int all = (k / CALLS + 1) * CALLS * (p - 1);
        while (me == 0 && atomic_load(&a->given) < all)
            sched_yield();
        for (int i = 0; i < N; i++)
            x[i] = k * 1000 + i + me;
        TEAM_CHECK(ob_combine(g, 0, OB_SUM, &v, NULL, 0, NULL) == OB_OK, "%s", ob_error_text());
        for (int i = 0; i < N && me == 0; i++)
            TEAM_CHECK(x[i] == p * (k * 1000 + i) + p * (p - 1) / 2, "call %d: %g", k, x[i]);
        atomic_fetch_add(&a->given, me > 0);
        if (k % CALLS == CALLS - 1)
            TEAM_CHECK(ob_barrier(g) == OB_OK, "%s", ob_error_text());
    }
}

static void test_who_gives_is_ahead(void **state)
{
    for (int p = 2; p <= 4; p++) {
        ahead a = {0};
        run_members(p, give_ahead, &a);
    }
}

/* A member folds its own values late, when all others have long read them: they must still be
 * there, although it asks for memory meanwhile, as another thread of its process may. */
typedef struct late {
    atomic_int folded; /* by member 0 */
    atomic_bool taken; /* member 1 has asked for memory */
} late;

enum { LATE_ROWS = 16, LATE_COLUMNS = 4096, LATE_FOLDS = LATE_ROWS * LATE_COLUMNS / 2 / 512 };

static _Thread_local ob_group *late_group;
static late *is_late;

static void add_late(size_t n, void *acc, const void *in, const void *unused)
{
    static double other[LATE_ROWS * LATE_COLUMNS];
    (void)unused;
    if (late_group->me == 1 && !atomic_exchange(&is_late->taken, true)) {
        const ob_view v = ob_view_vector(other, LATE_ROWS * LATE_COLUMNS, OB_DOUBLE);
        while (atomic_load(&is_late->folded) < LATE_FOLDS)
            sched_yield();
        usleep(20000);
        for (int k = 0; k < 4; k++)
            TEAM_CHECK(ob_send(late_group, 0, k, &v) == OB_OK, "%s", ob_error_text());
    }
    for (size_t i = 0; i < n; i++)
        ((double *)acc)[i] += ((const double *)in)[i];
    if (late_group->me == 0)
        atomic_fetch_add(&is_late->folded, 1);
}

static void fold_late(ob_group *g, void *shared)
{
    static double received[LATE_ROWS * LATE_COLUMNS];
    const ob_operation add = {.apply = add_late, .element_bytes = sizeof(double)};
    ob_view v = {.m = LATE_ROWS, .n = LATE_COLUMNS, .ld = LATE_ROWS + 1, .type = OB_DOUBLE};
    double *a = v.base = malloc(v.ld * v.n * sizeof *a);
    late_group = g;
    (void)shared;
    for (size_t i = 0; i < v.ld * v.n; i++)
        a[i] = g->me + 1;
    TEAM_CHECK(ob_combine_by(g, OB_ANY, &add, &v, NULL) == OB_OK, "%s", ob_error_text());
    for (size_t i = 0; i < v.ld * v.n; i++)
        TEAM_CHECK(a[i] == (i % v.ld < v.m ? 3 : g->me + 1), "element %zu is %g", i, a[i]);
    const ob_view other = ob_view_vector(received, LATE_ROWS * LATE_COLUMNS, OB_DOUBLE);
    for (int k = 0; g->me == 0 && k < 4; k++)
        TEAM_CHECK(ob_recv(g, 1, k, &other, NULL) == OB_OK, "%s", ob_error_text());
    free(a);
}

static void test_own_values_stay(void **state)
{
    late l = {0};
    is_late = &l;
    run_members(2, fold_late, NULL);
    assert_true(l.taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combines),
        cmocka_unit_test(test_many_chunks),
        cmocka_unit_test(test_mixed_layouts),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_wrong_size),
        cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_slates_among_other_rounds),
        cmocka_unit_test(test_who_gives_is_ahead),
        cmocka_unit_test(test_own_values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
