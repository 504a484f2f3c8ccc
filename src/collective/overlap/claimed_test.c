/*
 * Long combines that do not wait, with one copy (claimed_combine.c), processes as threads: the
 * results of the calls that wait, whatever the matrices' forms and the members' settings; members
 * that compute all the while; one that may not be reached, that has no memory, that differs, that
 * ends. And the claims alone.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collective/members_test.h"
#include "collective/overlap/claims.h"
#include "core/port.h"
#include "core/trial.h"
#include "hooks/collective.h"

enum { KIB = 1024, MANY = 40 * KIB, HEAP = 256 << 20 };

/* ------------------------------------------------------------------- claims */

static struct {
    ob_claims *claims;
    atomic_uint took[64];
    bool has[4][4];
    unsigned share[4];
} game;

/* Each member takes chunks as it can, some of them only its share, and then looks whose all are. */
static void play(team *t, int me)
{
    (void)t;
    unsigned first = (unsigned)me * game.claims->chunks / 4, chunk;
    unsigned many = me == 3 ? game.share[3] : game.claims->chunks;
    while (ob_claims_take(game.claims, me, first, many, &chunk))
        atomic_fetch_add(&game.took[chunk], 1);
    while (ob_claims_any(game.claims, 0))
        team_sleep_us(10);
    for (int i = 0; i < 4; i++)
        game.has[me][i] = ob_claims_any(game.claims, 1 + (unsigned)i);
}

static void test_claims(void **unused)
{
    (void)unused;
    game.share[3] = 1;
    for (unsigned chunks = 1; chunks <= 64; chunks += chunks < 8 ? 1 : 7) {
        game.claims = malloc(ob_claims_bytes(chunks));
        ob_claims_open(game.claims, chunks);
        memset(game.took, 0, sizeof game.took);
        assert_int_equal(team_try(4, (size_t)1 << 20, NULL, play, NULL), 0);
        for (unsigned k = 0; k < chunks; k++)
            assert_int_equal(atomic_load(&game.took[k]), 1);
        for (int me = 1; me < 4; me++)
            assert_memory_equal(game.has[me], game.has[0], sizeof game.has[0]);
        free(game.claims);
    }
}

/* ------------------------------------------------------------------- matrices */

static double value(uint64_t call, int member, size_t k)
{
    return (double)(team_mix(call * 64 + (uint64_t)member + k * 4096) >> 12) * 1e-9;
}

/* A view of n doubles: one run, long columns, a trapezoid; or columns too short to be read. */
static ob_view form(int kind, size_t n)
{
    static const size_t rows[] = {0, 1024, 1024, 16};
    size_t m = rows[kind] ? rows[kind] : n;
    ob_view v = {.m = m, .n = n / m, .ld = m + (kind ? 4 : 0), .type = OB_DOUBLE};
    v.base = malloc((v.ld * v.n + 1) * sizeof(double));
    return v;
}

static void fill(const ob_view *v, uint64_t call, int member)
{
    for (size_t k = 0; k <= v->ld * v->n; k++)
        ((double *)v->base)[k] = value(call, member, k);
}

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
        fill(&w[i], call + (uint64_t)i, me);
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
    static const size_t lengths[] = {8 * KIB, 8 * KIB + 1024, 24 * KIB, MANY, 96 * KIB};
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
    for (int count = 2; count <= 5; count++)
        run_each(count, &usual);
    run_each(3, &never);
    run_each(2, &no_thread);
    run_each(4, &no_thread);
}

/* ------------------------------------------------------------------- who does it */

static atomic_int ended, begun;

static void skip_unless_memory_is_reached(void)
{
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};
    if (ob_port_reach(false, (int)getpid(), &here, 1, &there, 1) < 0 && errno == ENOSYS)
        skip();
}

static void sum_of(ob_group *g, const ob_view *v, uint64_t call)
{
    for (size_t k = 0; k < MANY; k += 7) {
        double s = value(call, 0, k);
        for (int i = 1; i < ob_group_size(g); i++)
            s += value(call, i, k);
        TEAM_CHECK(((double *)v->base)[k] == s, "call %d, element %zu", (int)call, k);
    }
}

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
        fill(right, 1000, me);
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
    for (int count = 1; count <= 4; count++)
        assert_int_equal(team_try(count, HEAP, &usual, run_member, (void *)(uintptr_t)&m), 0);
    assert_int_equal(team_try(3, HEAP, &never, run_member, (void *)(uintptr_t)&m), 0);
}

/* ------------------------------------------------------------------- what is not there */

/* Pages that are protected for a while: who writes there lifts that, but the kernel writes nothing
 * for others. */
static char *guarded;
enum { GUARDED_BYTES = MANY * sizeof(double) };

static void lift(int unused)
{
    (void)unused;
    mprotect(guarded, GUARDED_BYTES, PROT_READ | PROT_WRITE);
}

static ob_view mapped(void)
{
    ob_view v = ob_view_vector(NULL, MANY, OB_DOUBLE);
    v.base = mmap(NULL, GUARDED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return v;
}

/* One may not be reached (0), does not want it (1), or has memory that may not be written (2). */
static void without(team *t, int me)
{
    const int *how = t->user;
    bool guards = *how == 2 && me == 1;
    ob_group *g = team_group(t, me);
    ob_view v = guards ? mapped() : form(0, MANY);
    ob_request *r;
    uint64_t before = ob_way_counted(OB_WAY_COLLECTIVES, true);
    if (*how == 0 && me == 1)
        atomic_store(&t->job[me]->shm->own->pid, 1);
    if (*how == 1 && me == 1)
        t->job[me]->set.one_copy = OB_ONE_COPY_NEVER;
    for (uint64_t call = 0; call < 4; call++) {
        for (size_t k = 0; k < MANY; k++)
            ((double *)v.base)[k] = value(call, me, k);
        if (guards) {
            guarded = v.base;
            mprotect(guarded, GUARDED_BYTES, PROT_READ);
        }
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        OK(ob_wait(&r, NULL));
        sum_of(g, &v, call);
    }
    TEAM_CHECK(ob_way_counted(OB_WAY_COLLECTIVES, true) == before, "it went straight");
    OK(ob_barrier(g));
    ob_group_free(g);
    if (guards)
        munmap(v.base, GUARDED_BYTES);
    else
        free(v.base);
}

static void test_without(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1};
    struct sigaction act = {.sa_handler = lift}, before;
    sigaction(SIGSEGV, &act, &before);
    for (int how = 0; how < 3; how++)
        for (int count = 2; count <= 4; count++)
            assert_int_equal(team_try(count, HEAP, &set, without, &how), 0);
    sigaction(SIGSEGV, &before, NULL);
}

/* ------------------------------------------------------------------- what goes wrong */

static void expect(int status, int wanted, const char *part)
{
    TEAM_CHECK(status == wanted, "status %d: %s", status, ob_error_text());
    TEAM_CHECK(strstr(ob_error_text(), part) != NULL, "'%s' is not in '%s'", part, ob_error_text());
}

/* Members that differ in length, or in the operation: all fail. */
static void other_calls(team *t, int me)
{
    for (int how = 0; how < 4; how++) {
        ob_group *g = team_group(t, me);
        bool last = g->me == g->size - 1;
        ob_view v = form(0, how == 0 && last ? MANY + 1 : MANY);
        const ob_route route = {.repeatable = how == 2 && last ? OB_REPRODUCIBLE : 0};
        ob_request *r;
        fill(&v, 1, g->me);
        OK(ob_icombine(g, how == 3 && last ? 0 : OB_ANY, how == 1 && last ? OB_MAX : OB_SUM, &v,
                       NULL, 0, &route, &r));
        expect(ob_wait(&r, NULL), OB_ESIZE, "process");
        free(v.base);
        OK(ob_barrier(g));
        ob_group_free(g);
    }
}

/* Values and results of other lengths, and no place for results. */
static void other_bytes(ob_group *g, void *unused)
{
    (void)unused;
    const ob_operation o = apart_operation(0);
    ob_view v = form(0, MANY), w = form(0, MANY - 1);
    ob_prepared *p = NULL;
    expect(ob_prepare_combine_apart(g, OB_ANY, &o, &v, &w, NULL, &p), OB_ESIZE, "OB-1024");
    expect(ob_prepare_combine_apart(g, g->me, &o, &v, NULL, NULL, &p), OB_EARG,
           "argument 5 (matrix) is NULL");
    expect(ob_prepare_combine_apart(g, OB_ANY, &o, NULL, &v, NULL, &p), OB_EARG,
           "argument 4 (matrix) is NULL");
    free(v.base);
    free(w.base);
}

static void test_calls_that_differ(void **unused)
{
    (void)unused;
    for (int count = 2; count <= 4; count++)
        assert_int_equal(team_try(count, HEAP, NULL, other_calls, NULL), 0);
    run_members(2, other_bytes, NULL);
}

/* One member names fewer bytes, so that it goes another way, and what it sends first may be as long
 * as what the others tell each other: slices of k doubles, or k doubles and what goes behind. */
static void other_ways(ob_group *g, void *whole)
{
    for (size_t call = 12; call < 40; call++) {
        size_t k = call / 2;
        int odd = call % 2 ? 0 : g->size - 1;
        size_t n = g->me != odd ? 8 * KIB : whole ? k : k * (size_t)g->size;
        ob_view v = form(0, n);
        ob_request *r;
        fill(&v, call, g->me);
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        expect(ob_wait(&r, NULL), OB_ESIZE, "process");
        free(v.base);
    }
}

static void test_ways_that_differ(void **unused)
{
    (void)unused;
    bool whole = true;
    run_members(2, other_ways, &whole);
    run_members(4, other_ways, &whole);
    run_members(14, other_ways, NULL);
}

/* Member 1's memory cannot be read between its ends, and all are told. It would itself find nothing
 * there, so it gives up. */
static void one_goes(team *t, int me)
{
    ob_group *g = team_group(t, me);
    ob_view v = form(0, MANY), gone = v;
    ob_request *r;
    fill(&v, 0, me);
    OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
    OK(ob_wait(&r, NULL));
    OK(ob_barrier(g));
    if (me == 1) {
        gone = mapped();
        mprotect((char *)gone.base + GUARDED_BYTES / 4, GUARDED_BYTES / 2, PROT_NONE);
    }
    while (me != 1 && !atomic_load(&begun)) /* else it would begin with the work */
        team_sleep_us(100);
    OK(ob_icombine(g, OB_ANY, OB_SUM, &gone, NULL, 0, NULL, &r));
    atomic_store(&begun, 1);
    if (me != 1) {
        int status = ob_wait(&r, NULL);
        TEAM_CHECK(status == OB_ESYSTEM, "status %d: %s", status, ob_error_text());
        atomic_fetch_add(&ended, 1);
    }
    while (me == 1 && atomic_load(&ended) < t->count - 1)
        team_sleep_us(100);
    ob_group_free(g);
    if (me == 1)
        expect(ob_wait(&r, NULL), OB_ESTATE, "freed the group");
    if (me == 1)
        munmap(gone.base, GUARDED_BYTES);
    free(v.base);
}

static void test_memory_that_has_gone(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1, .background_bytes = SIZE_MAX};
    skip_unless_memory_is_reached();
    for (int count = 2; count <= 4; count++) {
        atomic_store(&ended, 0);
        atomic_store(&begun, 0);
        assert_int_equal(team_try(count, HEAP, &set, one_goes, NULL), 0);
    }
}

static size_t in_use(team *t, int me)
{
    ob_heap_trim(&t->job[me]->shm->heap);
    return ob_heap_in_use(&t->job[me]->shm->heap);
}

/* Calls fail again and again: in one group since a member goes another way, in many since all do
 * not call the same. The lender's memory does not fill. */
static void fails_again(team *t, int me)
{
    enum { CALLS = 100, SOME = 1 << 10 };
    ob_group *g = team_group(t, me);
    ob_view v = form(0, 8 * KIB);
    size_t before = 0;
    ob_request *r;
    fill(&v, 0, me);
    for (int call = 0; call < 2 * CALLS; call++) {
        bool odd = me == t->count - 1, many = call >= CALLS;
        v.m = 8 * KIB - (odd && !many);
        OK(ob_icombine(g, OB_ANY, odd && many ? OB_MAX : OB_SUM, &v, NULL, 0, NULL, &r));
        expect(ob_wait(&r, NULL), OB_ESIZE, "process");
        OK(ob_barrier(g));
        before = call == 4 ? in_use(t, me) : before;
        if (many) {
            ob_group_free(g);
            g = team_group(t, me);
        }
    }
    OK(ob_barrier(g));
    TEAM_CHECK(in_use(t, me) <= before + SOME, "%zu bytes, and then %zu", before, in_use(t, me));
    ob_group_free(g);
    free(v.base);
}

static void test_failing_again(void **unused)
{
    (void)unused;
    for (int count = 2; count <= 4; count++)
        assert_int_equal(team_try(count, HEAP, NULL, fails_again, NULL), 0);
}

/* Member `odd` frees its group, or has it freed, before or after it knows of the others. Its matrix
 * is its own as soon as its request is done, whenever the others come to it: those hear of it, or
 * have right results. */
typedef struct freeing {
    int odd;
    bool early; /* before the others begin */
    atomic_int first, begun, freed;
} freeing;

static bool all_are(const ob_view *v, double value)
{
    for (size_t k = 0; k < MANY; k++)
        if (((double *)v->base)[k] != value)
            return false;
    return true;
}

static void set_all(const ob_view *v, double value)
{
    for (size_t k = 0; k < MANY; k++)
        ((double *)v->base)[k] = value;
}

static void frees(freeing *f, ob_group *g, const ob_view *v, ob_request **r)
{
    int others = g->size - 1;
    while (!f->early && atomic_load(&f->begun) < others)
        team_sleep_us(100);
    ob_group_free(g);
    expect(ob_wait(r, NULL), OB_ESTATE, "freed the group");
    set_all(v, 1000);
    atomic_store(&f->freed, 1);
    while (atomic_load(&f->freed) <= others) {
        TEAM_CHECK(all_are(v, 1000), "it is written to after its end");
        team_sleep_us(100);
    }
    TEAM_CHECK(all_are(v, 1000), "it is written to after its end");
}

static void one_frees(team *t, int me)
{
    freeing *f = t->user;
    ob_group *g = team_group(t, me);
    ob_view v = form(0, MANY);
    ob_request *r;
    for (int call = 0; call < 2; call++) {
        set_all(&v, 1);
        OK(ob_barrier(g));
        while (call && me != f->odd && !atomic_load(f->early ? &f->freed : &f->first))
            team_sleep_us(100);
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        atomic_fetch_add(&f->begun, call && me != f->odd);
        if (call && me == f->odd) {
            atomic_store(&f->first, 1);
            frees(f, g, &v, &r);
            free(v.base);
            return;
        }
        while (call && !atomic_load(&f->freed))
            team_sleep_us(100);
        int status = OB_OK, done = 0;
        for (int look = 0; look < 200 && !done && status == OB_OK; look++) {
            status = ob_test(&r, &done, NULL);
            team_sleep_us(100);
        }
        TEAM_CHECK(status != OB_OK || !done || all_are(&v, g->size), "another result");
        if (call == 0 && !done)
            OK(ob_wait(&r, NULL));
    }
    atomic_fetch_add(&f->freed, 1);
    ob_group_free(g);
    if (r)
        ob_wait(&r, NULL);
    free(v.base);
}

static void test_groups_that_are_freed(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1, .background_bytes = SIZE_MAX};
    for (int count = 2; count <= 4; count++)
        for (int how = 0; how < 4; how++) {
            freeing f = {.odd = how % 2 ? count - 1 : 0, .early = how / 2};
            assert_int_equal(team_try(count, HEAP, &set, one_frees, &f), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_who_computes_is_not_needed),
        cmocka_unit_test(test_prepared),
        cmocka_unit_test(test_values_apart),
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_calls_that_differ),
        cmocka_unit_test(test_ways_that_differ),
        cmocka_unit_test(test_memory_that_has_gone),
        cmocka_unit_test(test_failing_again),
        cmocka_unit_test(test_groups_that_are_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
