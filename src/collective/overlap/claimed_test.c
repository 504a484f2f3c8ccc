/*
 * Long combines that do not wait, with one copy (claimed_combine.c), processes as threads: the
 * results of the calls that wait, whatever the matrices' forms and the members' settings; members
 * that compute all the while. And the claims alone.
 */
#include <sys/mman.h>

#include "collective/overlap/claimed_test.h"
#include "collective/overlap/claims.h"

/* ------------------------------------------------------------------- claims */

static struct {
    ob_claims claims;
    atomic_uint took[64];
    bool has[4][4];
    unsigned share[4];
} game;

/* Each member takes chunks as it can, some of them only its share, and then looks whose all are. */
static void play(team *t, int me)
{
    (void)t;
    unsigned first = (unsigned)me * game.claims.chunks / 4, chunk;
    unsigned many = me == 3 ? game.share[3] : game.claims.chunks;
    while (ob_claims_take(&game.claims, me, first, many, &chunk))
        atomic_fetch_add(&game.took[chunk], 1);
    while (ob_claims_any(&game.claims, 0))
        team_sleep_us(10);
    for (int i = 0; i < 4; i++)
        game.has[me][i] = ob_claims_any(&game.claims, 1 + (unsigned)i);
    TEAM_CHECK(ob_claims_hold(&game.claims), "another call's");
}

/* Those of the call before are nobody's any more. */
static void are_over(ob_claims before)
{
    unsigned chunk;
    before.call--;
    assert_false(ob_claims_take(&before, 1, 0, before.chunks, &chunk));
    assert_false(ob_claims_any(&before, 0) || ob_claims_any(&before, 2));
    assert_false(ob_claims_hold(&before));
}

static void test_claims(void **unused)
{
    (void)unused;
    ob_claim word[64];
    game.share[3] = 1;
    game.claims = (ob_claims){word, 0, 0};
    for (unsigned chunks = 1; chunks <= 64; chunks += chunks < 8 ? 1 : 7) {
        game.claims.chunks = chunks;
        game.claims.call++;
        ob_claims_open(&game.claims);
        memset(game.took, 0, sizeof game.took);
        assert_int_equal(team_try(4, (size_t)1 << 20, NULL, play, NULL), 0);
        for (unsigned k = 0; k < chunks; k++)
            assert_int_equal(atomic_load(&game.took[k]), 1);
        for (int me = 1; me < 4; me++)
            assert_memory_equal(game.has[me], game.has[0], sizeof game.has[0]);
        are_over(game.claims);
    }
}

/* ------------------------------------------------------------------- results */

/* One combine, as it is called: sorts of it. */
enum sort { PLAIN, EXACT, CALLED, MOST, SORTS };

/* The elements of the caller's operation are pairs. */
static void add_pairs(size_t n, void *acc, const void *in, const void *unused)
{
    (void)unused;
    for (size_t i = 0; i < 2 * n; i++)
        ((double *)acc)[i] += ((const double *)in)[i];
}

static int begin(ob_group *g, enum sort sort, int root, const ob_view *v, ob_request **r)
{
    const ob_route exact = {.repeatable = OB_REPRODUCIBLE};
    const ob_operation pairs = {.apply = add_pairs, .element_bytes = 2 * sizeof(double)};
    if (sort == CALLED)
        return ob_icombine_by(g, root, &pairs, v, NULL, r);
    return ob_icombine(g, root, sort == MOST ? OB_MAX_ABS : OB_SUM, v, NULL, 0,
                       sort == EXACT ? &exact : NULL, r);
}

static int wait_for(ob_group *g, enum sort sort, int root, const ob_view *v)
{
    const ob_route exact = {.repeatable = OB_REPRODUCIBLE};
    return ob_combine(g, root, sort == MOST ? OB_MAX_ABS : OB_SUM, v, NULL, 0,
                      sort == EXACT ? &exact : NULL);
}

/* Several at once, ended in another order; each against the call that waits, gaps included. */
static void several(ob_group *g, uint64_t call, int kind, size_t n)
{
    enum { AT_ONCE = 3 };
    ob_view v[AT_ONCE], w[AT_ONCE];
    ob_request *r[AT_ONCE];
    int me = ob_group_me(g), p = ob_group_size(g);
    uint64_t sorts = kind == 2 ? CALLED : SORTS; /* no trapezoids are called for */
    for (int i = 0; i < AT_ONCE; i++) {
        int root = (int)(call + (uint64_t)i) % (p + 1) - 1;
        root = root < 0 ? OB_ANY : root;
        int own = (int)(call + (uint64_t)(kind == 4 ? me : 0)) % 3;
        v[i] = form(kind == 4 ? own : kind, n);
        w[i] = form(kind == 4 ? own : kind, n);
        v[i].shape = w[i].shape = kind == 2 ? OB_LOWER : OB_GENERAL;
        fill(&v[i], call + (uint64_t)i, me);
        memcpy(w[i].base, v[i].base, (v[i].ld * v[i].n + 1) * sizeof(double));
        OK(begin(g, (enum sort)((call + (uint64_t)i) % sorts), root, &v[i], &r[i]));
    }
    for (int i = AT_ONCE - 1; i >= 0; i--) {
        int root = (int)(call + (uint64_t)i) % (p + 1) - 1;
        bool wanted = root < 0 || root == me;
        root = root < 0 ? OB_ANY : root;
        OK(wait_for(g, (enum sort)((call + (uint64_t)i) % sorts), root, &w[i]));
        OK(ob_wait(&r[i], NULL));
        TEAM_CHECK(!wanted ||
                       memcmp(v[i].base, w[i].base, (w[i].ld * w[i].n + 1) * sizeof(double)) == 0,
                   "call %d.%d of %zu, kind %d: another result", (int)call, i, n, kind);
        memset(v[i].base, 0x55, n * sizeof(double)); /* it is the caller's again */
        free(v[i].base);
        free(w[i].base);
    }
}

static void each(ob_group *g, void *unused)
{
    (void)unused;
    static const size_t lengths[] = {16 * KIB, 16 * KIB + 1024, 24 * KIB, MANY, 96 * KIB};
    for (uint64_t call = 0; call < (TEAM_SLOW ? 25 : 50); call++)
        several(g, call, (int)(call % 5), lengths[call / 5 % 5]);
}

static void run_each(int count, const ob_settings *set)
{
    static const members m = {each, NULL};
    assert_int_equal(team_try(count, HEAP, set, run_member, (void *)(uintptr_t)&m), 0);
}

static void test_results(void **unused)
{
    (void)unused;
    static const ob_settings usual = {.spin_us = -1},
                             never = {.spin_us = -1, .one_copy = OB_ONE_COPY_NEVER},
                             no_thread = {.spin_us = -1, .background_bytes = SIZE_MAX};
    /* Watched by a thread sanitizer, three and four members have one of the settings each. */
    for (int count = 2; count <= 5; count += TEAM_RACES ? 3 : 1)
        run_each(count, &usual);
    run_each(3, &never);
    run_each(2, &no_thread);
    run_each(4, &no_thread);
}

/* ------------------------------------------------------------------- who does it */

static atomic_int ended;

/* Member 0 begins and then makes no call until all others have ended theirs. */
static void computing(ob_group *g, void *unused)
{
    (void)unused;
    int me = ob_group_me(g), p = ob_group_size(g);
    for (uint64_t call = 0; call < 4; call++) {
        ob_view v = form(0, MANY);
        ob_request *r;
        if (me == 0)
            atomic_store(&ended, 0);
        fill(&v, call, me);
        OK(ob_barrier(g));
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        while (me == 0 && call && atomic_load(&ended) < p - 1)
            team_sleep_us(100);
        OK(ob_wait(&r, NULL));
        atomic_fetch_add(&ended, me != 0);
        sum_of(g, &v, call);
        OK(ob_barrier(g));
        free(v.base);
    }
}

static void test_who_computes_is_not_needed(void **unused)
{
    (void)unused;
    static const members m = {computing, NULL};
    static const ob_settings set = {.spin_us = -1, .background_bytes = SIZE_MAX};
    skip_unless_memory_is_reached();
    for (int count = 2; count <= 4; count++)
        assert_int_equal(team_try(count, HEAP, &set, run_member, (void *)(uintptr_t)&m), 0);
}

/* What is prepared is begun again and again. */
static void prepared(ob_group *g, void *unused)
{
    (void)unused;
    ob_view v = form(0, MANY);
    ob_prepared *p;
    ob_request *r;
    OK(ob_prepare_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &p));
    for (uint64_t call = 0; call < 10; call++) {
        fill(&v, call, ob_group_me(g));
        OK(ob_begin(p, &r));
        OK(ob_wait(&r, NULL));
        sum_of(g, &v, call);
    }
    ob_prepared_free(p);
    free(v.base);
}

static void test_prepared(void **unused)
{
    (void)unused;
    for (int count = 2; count <= 4; count++)
        run_members(count, prepared, NULL);
}

/* A form in memory to which nobody can write, we neither, while it is shut. */
static size_t shut_bytes(const ob_view *v)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return ((v->ld * v->n + 1) * sizeof(double) + page - 1) / page * page;
}

static ob_view form_to_shut(int kind, size_t n)
{
    ob_view v = form(kind, n);
    free(v.base);
    v.base = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), shut_bytes(&v));
    return v;
}

static void shut(const ob_view *v, bool on)
{
    int how = on ? PROT_READ : PROT_READ | PROT_WRITE;
    TEAM_CHECK(mprotect(v->base, shut_bytes(v), how) == 0, "%s", strerror(errno));
}

/* What values that stand apart are combined with, 8 and 16 bytes long; averages are finished behind
 * the sum, halves are combined as floats. */
static ob_operation apart_operation(int which)
{
    ob_operation o = {.apply = add_pairs, .element_bytes = 2 * sizeof(double)};
    if (which < 3)
        OK(ob_operation_of(which == 1 ? OB_OPERATOR_AVERAGE : OB_OPERATOR_SUM,
                           which == 2 ? OB_KIND_HALF : OB_KIND_DOUBLE, &o));
    return o;
}

/* A prepared call, begun twice, against the call that waits. Only where the result is left has the
 * member a place for it. */
static void apart_call(ob_group *g, int call, const ob_operation *o, const ob_view *from,
                       const ob_view *to, const ob_view *right)
{
    int me = ob_group_me(g), root = call % (ob_group_size(g) + 1) - 1;
    bool wanted = root < 0 || root == me;
    const ob_route exact = {.repeatable = OB_REPRODUCIBLE}, *route = call % 5 ? NULL : &exact;
    ob_prepared *prepared;
    ob_request *r;
    root = root < 0 ? OB_ANY : root;
    OK(ob_prepare_combine_apart(g, root, o, from, wanted ? to : NULL, route, &prepared));
    for (uint64_t again = 0; again < 2; again++) {
        fill(from, (uint64_t)call + again, me);
        fill(to, 1000, me);
        memcpy(right->base, to->base, (to->ld * to->n + 1) * sizeof(double)); /* of the same form */
        shut(from, true);
        OK(ob_begin(prepared, &r));
        OK(ob_wait(&r, NULL));
        OK(ob_combine_to(g, root, o, from, right, route));
        shut(from, false);
        TEAM_CHECK(memcmp(to->base, right->base, (to->ld * to->n + 1) * sizeof(double)) == 0,
                   "call %d, again %d: another result", call, (int)again);
    }
    ob_prepared_free(prepared);
}

/* Long and short vectors of all forms; forms of the values and of the result differ, and members'.
 */
static void apart(ob_group *g, void *unused)
{
    (void)unused;
    for (int call = 0; call < (TEAM_SLOW ? 24 : 48); call++) {
        size_t n = (size_t)(call % 6 ? MANY : KIB);
        int kind = (call + ob_group_me(g)) % 4, other = (call / 4 + ob_group_me(g)) % 4;
        int from_kind = kind == 2 ? 0 : kind, to_kind = other == 2 ? 0 : other;
        const ob_operation o = apart_operation(call / 2 % 4);
        ob_view from = form_to_shut(from_kind, n), to = form(to_kind, n), right = form(to_kind, n);
        apart_call(g, call, &o, &from, &to, &right);
        free(from.base);
        free(to.base);
        free(right.base);
    }
}

static void test_values_apart(void **unused)
{
    (void)unused;
    static const members m = {apart, NULL};
    static const ob_settings usual = {.spin_us = -1},
                             never = {.spin_us = -1, .one_copy = OB_ONE_COPY_NEVER};
    for (int count = 1; count <= 4; count += TEAM_RACES && count == 2 ? 2 : 1)
        assert_int_equal(team_try(count, HEAP, &usual, run_member, (void *)(uintptr_t)&m), 0);
    assert_int_equal(team_try(3, HEAP, &never, run_member, (void *)(uintptr_t)&m), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_who_computes_is_not_needed),
        cmocka_unit_test(test_prepared),
        cmocka_unit_test(test_values_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
