/*
 * Random traffic of requests from several threads of several processes at once,
 * each thread in a group of its own. Whatever the sizes, modes, wildcards and orders of posting and
 * waiting: every message arrives whole, once, and no receive gets a message while one posted
 * before it wanted it, nor a message sent before it from the same source.
 */
#include "node/thread_team.h"
#include "unit.h"

enum { TAGS = 4, MOST = 24, LONGEST = 40000, PHASES = TEAM_SLOW ? 12 : 40 };

/* Which receives of a phase are of any source or tag; these are posted after the
 * exact ones, so that no message is missing for one of those. */
enum { EXACT, ANY_SOURCE, ANY_TAG, ANY_BOTH, KINDS };

typedef struct letter {
    int source, tag;
    double number; /* in the order sent, among those of the source to this receiver */
    size_t length;
} letter;

typedef struct place {
    letter asked; /* source and tag may be OB_ANY */
    double *data;
    ob_request *request;
    ob_received got;
} place;

typedef struct crew {
    team *t;
    int me, thread;
    ob_group *group;
} crew;

static atomic_uint_fast64_t seed_of_run;

/* What `source` sends to `dest` in a phase, known to both. */
static int letters(const crew *c, int phase, int source, int dest, letter *list)
{
    uint64_t rng = team_mix(atomic_load(&seed_of_run)) +
                   (uint64_t)(c->thread * 7919 + phase) * 104729 +
                   (uint64_t)(source * 31 + dest) * 1299709;
    int count = (int)(team_draw(&rng) % MOST);
    for (int i = 0; i < count; i++) {
        uint64_t big = team_draw(&rng) % 12;
        list[i] = (letter){.source = source,
                           .tag = (int)(team_draw(&rng) % TAGS),
                           .number = i,
                           .length = 3 + team_draw(&rng) % (big ? 20 : LONGEST)};
    }
    return count;
}

static void post(const crew *c, place *p)
{
    p->data = malloc((LONGEST + 3) * sizeof *p->data);
    ob_view v = {.base = p->data, .m = LONGEST + 3, .n = 1, .ld = LONGEST + 3, .type = OB_DOUBLE};
    OK(ob_irecv(c->group, p->asked.source, p->asked.tag, &v, OB_SHORTER, &p->request));
}

static void shuffle(place *p, int count, uint64_t *rng)
{
    for (int i = count - 1; i > 0; i--) {
        int k = (int)(team_draw(rng) % (uint64_t)(i + 1));
        place swap = p[i];
        p[i] = p[k];
        p[k] = swap;
    }
}

/* One place for each letter to come. */
static int plan_places(const crew *c, int phase, int kind, place *p, uint64_t *rng)
{
    letter list[MOST];
    int count = 0, wild;
    for (int source = 0; source < c->t->count; source++) {
        int n = letters(c, phase, source, c->me, list);
        for (int i = 0; i < n; i++)
            p[count++] = (place){.asked = list[i]};
    }
    shuffle(p, count, rng);
    wild = kind == EXACT ? count : count / 3;
    for (int i = wild; i < count; i++) {
        if (kind == ANY_SOURCE || kind == ANY_BOTH)
            p[i].asked.source = OB_ANY;
        if (kind == ANY_TAG || kind == ANY_BOTH)
            p[i].asked.tag = OB_ANY;
    }
    return count;
}

/* What was sent, and stays until its request has ended. */
typedef struct sent {
    ob_request *request[TEAM_MOST * MOST];
    double *data[TEAM_MOST * MOST];
    int count;
} sent;

static void send_letter(const crew *c, int dest, const letter *l, ob_mode mode, sent *s)
{
    double *data = malloc(l->length * sizeof *data);
    for (size_t i = 0; i < l->length; i++)
        data[i] = l->number + (double)i;
    data[1] = l->tag;
    ob_view v = {.base = data, .m = l->length, .n = 1, .ld = l->length, .type = OB_DOUBLE};
    s->data[s->count] = data;
    OK(ob_isend(c->group, dest, l->tag, &v, mode, &s->request[s->count++]));
}

static void send_all(const crew *c, int phase, bool ready, sent *s, uint64_t *rng)
{
    letter list[MOST];
    for (int k = 0; k < c->t->count; k++) {
        int dest = (c->me + k) % c->t->count;
        int n = letters(c, phase, c->me, dest, list);
        for (int i = 0; i < n; i++) {
            ob_mode mode = ready ? OB_READY : (ob_mode)(team_draw(rng) % 3);
            send_letter(c, dest, &list[i], mode, s);
        }
    }
}

/* Ends requests in random ways until none is left. */
static void end_all(place *p, int count, uint64_t *rng)
{
    for (int i = 0; i < count; i++) {
        int done = 0;
        switch (team_draw(rng) % 3) {
        case 0:
            while (!done && p[i].request)
                OK(ob_test(&p[i].request, &done, &p[i].got));
            break;
        default:
            if (p[i].request)
                OK(ob_wait(&p[i].request, &p[i].got));
        }
        int j = i + 1 + (int)(team_draw(rng) % 5);
        if (j < count && p[j].request)
            OK(ob_test(&p[j].request, &done, &p[j].got));
    }
}

static bool wants(const letter *asked, const ob_received *m)
{
    return (asked->source == OB_ANY || asked->source == m->source) &&
           (asked->tag == OB_ANY || asked->tag == m->tag);
}

static void check_contents(const place *p)
{
    size_t length = p->got.bytes / sizeof *p->data;
    TEAM_CHECK(wants(&p->asked, &p->got), "not asked for");
    TEAM_CHECK(p->data[1] == p->got.tag, "tag %d", p->got.tag);
    for (size_t i = 2; i<length; i += length> 100 ? 97 : 1)
        TEAM_CHECK(p->data[i] == p->data[0] + (double)i, "element %zu of %zu", i, length);
}

static void check_places(const crew *c, int phase, const place *p, int count)
{
    for (int i = 0; i < count; i++) {
        check_contents(&p[i]);
        for (int j = i + 1; j < count; j++) {
            bool same = p[i].got.source == p[j].got.source;
            TEAM_CHECK(!same || p[i].data[0] != p[j].data[0], "received twice");
            TEAM_CHECK(!same || !wants(&p[i].asked, &p[j].got) || p[i].data[0] < p[j].data[0],
                       "phase %d, process %d: receive %d posted before %d got letter %g, not %g",
                       phase, c->me, i, j, p[i].data[0], p[j].data[0]);
        }
    }
}

static void phase_of(const crew *c, int phase)
{
    static const int most = TEAM_MOST * MOST;
    uint64_t rng = team_mix((uint64_t)(phase * 64 + c->thread * 8 + c->me));
    place *p = calloc((size_t)most, sizeof *p);
    sent *s = calloc(1, sizeof *s);
    int kind = phase % KINDS;
    bool ready = phase % 5 == 4, early = ready || phase % 2;
    int count = plan_places(c, phase, kind, p, &rng);
    for (int i = 0; early && i < count; i++)
        post(c, &p[i]);
    if (ready)
        OK(ob_barrier(c->group));
    send_all(c, phase, ready, s, &rng);
    for (int i = 0; !early && i < count; i++)
        post(c, &p[i]);
    end_all(p, count, &rng);
    OK(ob_wait_all(s->count, s->request, NULL));
    for (int i = 0; i < s->count; i++)
        free(s->data[i]);
    check_places(c, phase, p, count);
    OK(ob_barrier(c->group));
    for (int i = 0; i < count; i++)
        free(p[i].data);
    free(s);
    free(p);
}

static void *crew_main(void *arg)
{
    const crew *c = arg;
    for (int phase = 0; phase < PHASES; phase++)
        phase_of(c, phase);
    return NULL;
}

static int threads_of_run;

static void process_main(team *t, int me)
{
    crew c[4];
    pthread_t thread[4];
    int count = threads_of_run;
    for (int i = 0; i < count; i++)
        c[i] = (crew){.t = t, .me = me, .thread = i, .group = team_group(t, me)};
    for (int i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, crew_main, &c[i]))
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < count; i++)
        ob_group_free(c[i].group);
}

static void run(int processes, int threads, const ob_settings *set)
{
    team t;
    atomic_fetch_add(&seed_of_run, 1);
    threads_of_run = threads;
    team_open(&t, processes, (size_t)512 << 20, set);
    team_run(&t, process_main);
    for (int i = 0; i < processes; i++) {
        TEAM_CHECK(atomic_load(&t.job[i]->pending) == 0, "something is under way for ever");
        for (int k = 0; k < processes; k++)
            TEAM_CHECK(atomic_load(&t.job[i]->peers[k]->aside) == 0, "something is left over");
    }
    assert_int_equal(team_close(&t), 0);
}

static void test_one_thread(void **unused)
{
    run(1, 1, NULL);
    run(2, 1, NULL);
    run(5, 1, NULL);
}

static void test_threads(void **unused)
{
    run(1, 3, NULL);
    run(2, 4, NULL);
    run(3, 3, NULL);
}

static void test_settings(void **unused)
{
    static const ob_settings sets[] = {{.spin_us = 0}, {.spin_us = -1, .step_bytes = 64}};
    run(3, 2, &sets[0]);
    run(2, 2, &sets[1]);
}

/* Every send goes on in the background, and every receive. */
static void test_background(void **unused)
{
    static const ob_settings set = {.spin_us = -1, .background_bytes = 1};
    run(2, 1, &set);
    run(3, 3, &set);
}

int main(int argc, char **argv)
{
    atomic_store(&seed_of_run, argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_background),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
