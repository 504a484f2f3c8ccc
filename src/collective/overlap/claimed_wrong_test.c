/*
 * Long combines that do not wait, with one copy (claimed_combine.c), processes as threads, where
 * something is not as it should be: a member whose memory may not be reached, that calls something
 * else, that fails, whose group is freed. Results are right, or an error says so; and nobody is at
 * the matrix of a request that is done.
 */
#include <signal.h>
#include <sys/mman.h>

#include "collective/overlap/claimed_test.h"
#include "core/trial.h"

static atomic_int ended, begun;

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

/* One may not be reached, does not want it, or has memory that may not be written, for both or for
 * results alone, or values that may not be read. */
enum lack { REACH, WISH, WRITE, WRITE_RESULTS, READ, LACKS };

static void without(team *t, int me)
{
    const enum lack *what = t->user;
    bool guards = *what >= WRITE && me == 1, apart = *what > WRITE;
    ob_group *g = team_group(t, me);
    ob_view v = guards && *what != WRITE_RESULTS ? mapped() : form(0, MANY);
    ob_view to = !apart ? v : guards && *what == WRITE_RESULTS ? mapped() : form(0, MANY);
    ob_operation sum;
    ob_prepared *p;
    ob_request *r;
    uint64_t before = ob_way_counted(OB_WAY_COLLECTIVES, true);
    if (*what == REACH && me == 1)
        atomic_store(&t->job[me]->shm->own->pid, 1);
    if (*what == WISH && me == 1)
        t->job[me]->set.one_copy = OB_ONE_COPY_NEVER;
    OK(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_DOUBLE, &sum));
    OK(apart ? ob_prepare_combine_apart(g, OB_ANY, &sum, &v, &to, NULL, &p)
             : ob_prepare_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &p));
    for (uint64_t call = 0; call < 4; call++) {
        for (size_t k = 0; k < MANY; k++)
            ((double *)v.base)[k] = value(call, me, k);
        if (guards) {
            guarded = *what == READ ? v.base : to.base;
            mprotect(guarded, GUARDED_BYTES, *what == READ ? PROT_NONE : PROT_READ);
        }
        OK(ob_begin(p, &r));
        OK(ob_wait(&r, NULL));
        sum_of(g, &to, call);
    }
    TEAM_CHECK(ob_way_counted(OB_WAY_COLLECTIVES, true) == before, "it went straight");
    OK(ob_barrier(g));
    ob_prepared_free(p);
    ob_group_free(g);
    if (guards)
        munmap(guarded, GUARDED_BYTES);
    if (!guards || *what == WRITE_RESULTS)
        free(v.base);
    if (apart && !(guards && *what == WRITE_RESULTS))
        free(to.base);
}

static void test_without(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1};
    struct sigaction act = {.sa_handler = lift}, before;
    sigaction(SIGSEGV, &act, &before);
    for (enum lack what = 0; what < LACKS; what++)
        for (int count = 2; count <= 4; count++)
            assert_int_equal(team_try(count, HEAP, &set, without, &what), 0);
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
    ob_operation o;
    ob_view v = form(0, MANY), w = form(0, MANY - 1);
    ob_prepared *p = NULL;
    OK(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_DOUBLE, &o));
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
        size_t n = g->me != odd ? 16 * KIB : whole ? k : k * (size_t)g->size;
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
    ob_view v = form(0, 16 * KIB);
    size_t before = 0;
    ob_request *r;
    fill(&v, 0, me);
    for (int call = 0; call < 2 * CALLS; call++) {
        bool odd = me == t->count - 1, many = call >= CALLS;
        v.m = 16 * KIB - (odd && !many);
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

/* Group after group is freed by one of its members, whose call is under way: before the others
 * begin it, so that it never hears where the claims are, or afterwards. The lender's memory does
 * not fill.
 */
static void freed_again(team *t, int me)
{
    enum { GROUPS = 60, SOME = 1 << 10 };
    freeing *f = t->user;
    ob_group *all = team_group(t, me), *g;
    ob_view v = form(0, MANY);
    ob_request *r;
    size_t before = 0;
    fill(&v, 0, me);
    for (int k = 1; k <= GROUPS; k++) {
        bool odd = me == f->odd;
        g = team_group(t, me);
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        OK(ob_wait(&r, NULL));
        OK(ob_barrier(all));
        while (!odd && f->early && atomic_load(&f->freed) < k)
            team_sleep_us(50);
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        atomic_fetch_add(&f->begun, 1);
        while (odd && !f->early && atomic_load(&f->begun) < k * t->count)
            team_sleep_us(50);
        if (odd)
            ob_group_free(g);
        if (odd)
            atomic_store(&f->freed, k);
        ob_wait(&r, NULL);
        if (!odd)
            ob_group_free(g);
        OK(ob_barrier(all));
        before = k == 4 ? in_use(t, me) : before;
    }
    TEAM_CHECK(in_use(t, me) <= before + SOME, "%zu bytes, and then %zu", before, in_use(t, me));
    ob_group_free(all);
    free(v.base);
}

static void test_groups_that_are_freed_again(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1, .background_bytes = SIZE_MAX};
    for (int count = 2; count <= 4; count++)
        for (int how = 0; how < 4; how++) {
            freeing f = {.odd = how % 2 ? count - 1 : 0, .early = how / 2};
            assert_int_equal(team_try(count, HEAP, &set, freed_again, &f), 0);
        }
}

/* Member 0 greets the others, has its group freed, and opens the same claims for its next call
 * before the others come to this one: all they find is that no chunk is theirs, nor anybody's. */
static void claims_are_open_again(team *t, int me)
{
    freeing *f = t->user;
    ob_group *g = team_group(t, me), *next = team_group(t, me);
    ob_view v = form(0, MANY), w = form(0, MANY);
    ob_request *r, *last;
    fill(&v, 0, me);
    OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
    OK(ob_wait(&r, NULL));
    OK(ob_barrier(g)); /* all know that all can be reached, so that nobody asks */
    fill(&w, 1, me);
    if (me == 0) {
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        ob_group_free(g);
        expect(ob_wait(&r, NULL), OB_ESTATE, "freed the group");
        OK(ob_icombine(next, OB_ANY, OB_SUM, &w, NULL, 0, NULL, &last));
        atomic_store(&f->freed, 1);
    } else {
        while (!atomic_load(&f->freed))
            team_sleep_us(100);
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        expect(ob_wait(&r, NULL), OB_ESTATE, "has failed in it");
        OK(ob_icombine(next, OB_ANY, OB_SUM, &w, NULL, 0, NULL, &last));
        ob_group_free(g);
    }
    OK(ob_wait(&last, NULL));
    sum_of(next, &w, 1);
    ob_group_free(next);
    free(v.base);
    free(w.base);
}

static void test_claims_that_are_open_again(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1, .background_bytes = SIZE_MAX};
    for (int count = 2; count <= 4; count++)
        assert_int_equal(team_try(count, HEAP, &set, claims_are_open_again, &(freeing){.odd = 0}),
                         0);
}

/* Member 1 is long at member 0's matrix, which frees its group meanwhile and fills the matrix. */
static atomic_int inside;

static void add_slowly(size_t n, void *acc, const void *in, const void *slow)
{
    if (slow && atomic_exchange(&inside, 1) == 0)
        team_sleep_us(20000);
    for (size_t i = 0; i < n; i++)
        ((double *)acc)[i] += ((const double *)in)[i];
}

static void one_is_inside(team *t, int me)
{
    ob_group *g = team_group(t, me);
    ob_view v = form(0, MANY);
    ob_operation o = {.apply = add_slowly, .element_bytes = sizeof(double)};
    ob_request *r;
    OK(ob_icombine_by(g, OB_ANY, &o, &v, NULL, &r));
    OK(ob_wait(&r, NULL));
    OK(ob_barrier(g));
    o.context = me == 1 ? &o : NULL;
    set_all(&v, 1);
    while (me == 1 && atomic_load(&begun) < t->count - 1) /* so that it has all the work */
        team_sleep_us(100);
    OK(ob_icombine_by(g, OB_ANY, &o, &v, NULL, &r));
    atomic_fetch_add(&begun, 1);
    while (me != 1 && !atomic_load(&inside))
        team_sleep_us(100);
    if (me == 0) {
        ob_group_free(g);
        expect(ob_wait(&r, NULL), OB_ESTATE, "freed the group");
        set_all(&v, 1000);
        while (atomic_load(&ended) < t->count - 1)
            team_sleep_us(100);
        TEAM_CHECK(all_are(&v, 1000), "it is written to after its end");
    } else {
        TEAM_CHECK(ob_wait(&r, NULL) != OB_OK || all_are(&v, t->count), "another result");
        atomic_fetch_add(&ended, 1);
        ob_group_free(g);
    }
    free(v.base);
}

static void test_one_that_is_inside(void **unused)
{
    (void)unused;
    static const ob_settings set = {.spin_us = -1};
    skip_unless_memory_is_reached();
    for (int count = 2; count <= 4; count++) {
        atomic_store(&inside, 0);
        atomic_store(&begun, 0);
        atomic_store(&ended, 0);
        assert_int_equal(team_try(count, HEAP, &set, one_is_inside, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_calls_that_differ),
        cmocka_unit_test(test_ways_that_differ),
        cmocka_unit_test(test_memory_that_has_gone),
        cmocka_unit_test(test_failing_again),
        cmocka_unit_test(test_groups_that_are_freed),
        cmocka_unit_test(test_groups_that_are_freed_again),
        cmocka_unit_test(test_claims_that_are_open_again),
        cmocka_unit_test(test_one_that_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
