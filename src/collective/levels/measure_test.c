/*
 * Places that are measured: times come from a table here, in place of near_trip.c's; members agree
 * on them, and later groups take what was found.
 */
#define TEAM_MOST 40

#include "collective/levels/levels.h"
#include "node/near.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 16 << 20, NUMBER = 36, CACHE = 6 };

static _Thread_local int me;
static atomic_int asked;
static atomic_bool late; /* one pair takes too long */
static _Thread_local bool poor;

typedef enum trouble { NONE, TIME, MEMORY } trouble;

/* The linker brings the library's calls here (tests/CMakeLists.txt). */
void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);

/* What member 0 needs for all pairs. */
void *__wrap_calloc(size_t n, size_t bytes)
{
    return poor && n == NUMBER * NUMBER ? NULL : __real_calloc(n, bytes);
}

/* Those of a cache do not follow each other. */
static int place_of(int number)
{
    return number * 29 % NUMBER;
}

uint16_t ob_near_trip(atomic_uint *word, bool first, unsigned base, double until)
{
    (void)word;
    (void)first;
    (void)until;
    atomic_fetch_add(&asked, 1);
    if (atomic_load(&late) && base > 100 && me == 7)
        return 0;
    /* The round says who the partner is, as in measure.c. */
    int round = (int)(base / 2 / OB_NEAR_TRIPS), other;
    if (me == NUMBER - 1) {
        other = round * (NUMBER / 2) % (NUMBER - 1);
    } else {
        other = ((round - me) % (NUMBER - 1) + NUMBER - 1) % (NUMBER - 1);
        other = other == me ? NUMBER - 1 : other;
    }
    return place_of(me) / CACHE == place_of(other) / CACHE ? 50 : 130;
}

static void count_boards(const ob_group *g, bool near)
{
    const ob_group *order = g->tiers->order;
    int kept = 0;
    for (int i = 1; i < g->size; i++)
        if (order->node[i] == order->node[i - 1])
            kept += place_of(order->peer[i]->number) / CACHE ==
                    place_of(order->peer[i - 1]->number) / CACHE;
    TEAM_CHECK((kept == g->size - order->nodes) == near, "%d of %d, %d boards", kept, g->size,
               order->nodes);
}

static void check_sum(ob_group *g)
{
    double x = g->me;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE);
    OK(ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
    TEAM_CHECK(x == g->size * (g->size - 1) / 2, "%g", x);
}

/* Bound to a processor each, of which nothing is known: as each says when it joins. */
static void work(team *t, int number)
{
    const trouble *with = t->user;
    bool found = *with == NONE;
    int some[NUMBER], count = 0;
    ob_group *part = NULL;
    me = number;
    poor = *with == MEMORY && number == 0;
    t->job[number]->processors = NUMBER;
    ob_group *g = team_group(t, number);
    OK(ob_barrier(g));
    count_boards(g, found);
    check_sum(g);
    int before = atomic_load(&asked);
    OK(ob_barrier(g));
    for (int i = 0; i < NUMBER; i++)
        if (place_of(i) < 4 * CACHE)
            some[count++] = i;
    if (place_of(number) < 4 * CACHE) {
        OK(ob_group_create(t->job[number], some, count, &part));
        OK(ob_barrier(part));
        count_boards(part, found);
        check_sum(part);
        ob_group_free(part);
    }
    OK(ob_barrier(g));
    TEAM_CHECK(atomic_load(&asked) == before, "measured twice");
    ob_group_free(g);
}

static void run(trouble with)
{
    const ob_settings set = {.spin_us = -1, .tiers = {OB_TIER, false}};
    team t;
    atomic_store(&late, with == TIME);
    atomic_store(&asked, 0);
    team_open(&t, NUMBER, HEAP, &set);
    t.user = &with;
    for (int i = 0; i < NUMBER; i++)
        atomic_store(&t.job[i]->shm->own->near, OB_NEAR_BOUND);
    team_run(&t, work);
    assert_int_equal(team_close(&t), 0);
    assert_in_range(atomic_load(&asked), with != MEMORY, with == MEMORY ? 0 : NUMBER * NUMBER);
}

static void boards_are_of_those_measured_to_be_near(void **state)
{
    run(NONE);
}

static void what_takes_too_long_is_given_up_by_all(void **state)
{
    run(TIME);
}

static void without_memory_nobody_measures_and_all_goes_on(void **state)
{
    run(MEMORY);
}

/* Member 1 first receives what member 0 sends behind the broadcast. */
static void broadcast_first(team *t, int number)
{
    double x = number ? -1 : 7, y = 0;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE), w = ob_view_vector(&y, 1, OB_DOUBLE);
    me = number;
    t->job[number]->processors = NUMBER;
    ob_group *g = team_group(t, number);
    if (number == 1)
        OK(ob_recv(g, 0, 1, &w, NULL));
    OK(ob_broadcast(g, 0, &v, NULL));
    if (number == 0)
        OK(ob_send(g, 1, 1, &w));
    TEAM_CHECK(x == 7, "%g", x);
    TEAM_CHECK(g->tiers && g->tiers->order, "no tiers");
    OK(ob_barrier(g));
    TEAM_CHECK(atomic_load(&asked) == 0, "measured");
    ob_group_free(g);
}

static void run_places(team_work work, uint64_t (*place)(int number))
{
    const ob_settings set = {.spin_us = -1, .tiers = {OB_TIER, false}};
    team t;
    atomic_store(&late, false);
    atomic_store(&asked, 0);
    team_open(&t, NUMBER, HEAP, &set);
    for (int i = 0; i < NUMBER; i++)
        atomic_store(&t.job[i]->shm->own->near, place(i));
    team_run(&t, work);
    assert_int_equal(team_close(&t), 0);
}

static uint64_t unknown(int number)
{
    (void)number;
    return OB_NEAR_BOUND;
}

static void the_root_of_a_first_broadcast_waits_for_nobody(void **state)
{
    run_places(broadcast_first, unknown);
}

/* Two threads to a core, in one cache: the system tells these apart. */
static uint64_t sibling(int number)
{
    return (uint64_t)1 << OB_NEAR_PACKAGE | (uint64_t)1 << OB_NEAR_CACHE |
           (uint64_t)(1 + number % (NUMBER / 2)) << OB_NEAR_CORE;
}

static void meet_siblings(team *t, int number)
{
    double x = 0;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE);
    me = number;
    t->job[number]->processors = NUMBER;
    ob_group *g = team_group(t, number);
    OK(ob_broadcast(g, 0, &v, NULL));
    TEAM_CHECK(g->tiers->slot[NUMBER / 2] == 1, "%d", g->tiers->slot[NUMBER / 2]);
    OK(ob_barrier(g));
    ob_group_free(g);
}

static void threads_of_a_core_share_a_board_where_nothing_is_measured(void **state)
{
    run_places(meet_siblings, sibling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boards_are_of_those_measured_to_be_near),
        cmocka_unit_test(what_takes_too_long_is_given_up_by_all),
        cmocka_unit_test(without_memory_nobody_measures_and_all_goes_on),
        cmocka_unit_test(the_root_of_a_first_broadcast_waits_for_nobody),
        cmocka_unit_test(threads_of_a_core_share_a_board_where_nothing_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
