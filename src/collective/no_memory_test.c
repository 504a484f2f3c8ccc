/*
 * One member of a group on one node has no memory for its part of a collective call: it gets
 * OB_ENOMEM, and those who wait for its part get an error, too. Members are threads over one shared
 * memory.
 */
#include "core/group.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 16 << 20, VICTIM = 1, MOST = 40000 };

/* One call of `count` doubles for each member. all: nobody can go on without the victim's part;
 * else member 0 alone cannot. boards: it goes over boards where there are tiers, too. */
typedef struct kind {
    int (*call)(ob_group *g, double *values, size_t count);
    bool all, boards;
} kind;

typedef struct trial {
    const kind *kind;
    size_t count;
} trial;

static int broadcast(ob_group *g, double *values, size_t count)
{
    const ob_view v = ob_view_vector(values, count, OB_DOUBLE);
    return ob_broadcast(g, VICTIM, &v, NULL);
}

static int combine(ob_group *g, double *values, size_t count)
{
    const ob_view v = ob_view_vector(values, count, OB_DOUBLE);
    return ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
}

static int combine_to_one(ob_group *g, double *values, size_t count)
{
    const ob_view v = ob_view_vector(values, count, OB_DOUBLE);
    return ob_combine(g, 0, OB_SUM, &v, NULL, 0, NULL);
}

static int collect(ob_group *g, double *values, size_t count)
{
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = count};
    return ob_collect(g, &all, NULL);
}

static int scatter(ob_group *g, double *values, size_t count)
{
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = count};
    const ob_view mine = ob_view_vector(values + MOST, count, OB_DOUBLE);
    return ob_scatter(g, VICTIM, &all, &mine, NULL);
}

static int gather(ob_group *g, double *values, size_t count)
{
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = count};
    const ob_view mine = ob_view_vector(values + MOST, count, OB_DOUBLE);
    return ob_gather(g, 0, &all, &mine, NULL);
}

static int distribute(ob_group *g, double *values, size_t count)
{
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = count};
    return ob_distributed_combine(g, OB_SUM, &all, NULL);
}

static int exchange(ob_group *g, double *values, size_t count)
{
    const ob_pieces from = {.base = values, .type = OB_DOUBLE, .count = count},
                    to = {.base = values + MOST, .type = OB_DOUBLE, .count = count};
    return ob_all_to_all(g, &from, &to, NULL);
}

static void fill_heap(ob_group *g)
{
    uint64_t name;
    for (size_t bytes = HEAP; bytes > 0; bytes /= 2)
        while (ob_group_lend_now(g, bytes, 1, &name))
            ;
}

static void run_trial(team *t, int me)
{
    const trial *now = t->user;
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)MOST * 2, sizeof *values);
    OK(ob_barrier(g));
    ob_shm_be_patient(t->job[me]->shm, 0.02);
    if (me == VICTIM)
        fill_heap(g);
    int status = now->kind->call(g, values, now->count);
    if (me == VICTIM)
        TEAM_CHECK(status == OB_ENOMEM, "the victim: %d, %s", status, ob_error_text());
    else if (now->kind->all || me == 0)
        TEAM_CHECK(status != OB_OK, "member %d did not notice", me);
    free(values);
    ob_group_free(g);
}

static void try_kind(const kind *k, size_t count, int size, bool tiers, int one_copy)
{
    const ob_settings set = {.spin_us = -1, .one_copy = one_copy, .tiers = {tiers ? 2 : 0, tiers}};
    trial now = {k, count};
    if (team_try(size, HEAP, &set, run_trial, &now))
        fail_msg("%zu doubles, %d members, %d tiers", count, size, tiers);
}

static void who_has_no_memory_tells_who_waits(void **state)
{
    enum { SCATTER = 4, EXCHANGE = 6 };
    static const kind kinds[] = {{broadcast, true, true},       {combine, true, true},
                                 {combine_to_one, false, true}, {collect, true, true},
                                 {scatter, true, true},         {gather, false, true},
                                 {exchange, true, false},       {distribute, true, true}};
    static const size_t counts[] = {100, 1000, 9000};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int tiers = 0; tiers <= kinds[k].boards; tiers++)
                try_kind(&kinds[k], counts[c], 3 + tiers, tiers, OB_ONE_COPY_NEVER);
    for (int size = 2; size <= 4; size++)
        try_kind(&kinds[EXCHANGE], 1000, size, false, OB_ONE_COPY_AUTO);
    for (int size = 3; size <= 4; size++)
        try_kind(&kinds[SCATTER], 9000, size, false, OB_ONE_COPY_ALWAYS);
}

/* A scatter whose root alone knows the sizes, as messages: the others come when the root has given
 * up, and are told. */
static void scatter_to_late(team *t, int me)
{
    atomic_int *left = t->user;
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)MOST * (size_t)g->size, sizeof *values);
    const ob_view mine = ob_view_vector(values, MOST, OB_DOUBLE);
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = MOST, .private_sizes = 1},
                    none = {.type = OB_DOUBLE, .private_sizes = 1};
    OK(ob_barrier(g));
    ob_shm_be_patient(t->job[me]->shm, 0.02);
    if (me == VICTIM)
        fill_heap(g);
    while (me != VICTIM && atomic_load(left) == 0)
        team_sleep_us(100);
    int status = me == VICTIM ? ob_scatter(g, VICTIM, &all, NULL, NULL)
                              : ob_scatter(g, VICTIM, &none, &mine, NULL);
    if (me == VICTIM)
        atomic_store(left, 1);
    TEAM_CHECK(status == (me == VICTIM ? OB_ENOMEM : OB_ESIZE), "%d, %s", status, ob_error_text());
    free(values);
    ob_group_free(g);
}

static void who_comes_when_messages_have_failed_is_told(void **state)
{
    static const int choices[] = {OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const ob_settings set = {.spin_us = -1, .one_copy = choices[i]};
        atomic_int left = 0;
        assert_int_equal(team_try(3, HEAP, &set, scatter_to_late, &left), 0);
    }
}

/* A gather of two is one message, and no board's: the board serves as before. */
static void gather_alone(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)MOST * 2, sizeof *values);
    OK(ob_barrier(g));
    ob_shm_be_patient(t->job[me]->shm, 0.02);
    if (me == VICTIM) {
        fill_heap(g);
        int status = gather(g, values, MOST);
        TEAM_CHECK(status == OB_ENOMEM, "%d, %s", status, ob_error_text());
    }
    OK(ob_barrier(g));
    OK(ob_barrier(g));
    free(values);
    ob_group_free(g);
}

static void a_message_that_has_no_memory_breaks_no_board(void **state)
{
    (void)state;
    assert_int_equal(team_try(2, HEAP, NULL, gather_alone, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_no_memory_tells_who_waits),
        cmocka_unit_test(who_comes_when_messages_have_failed_is_told),
        cmocka_unit_test(a_message_that_has_no_memory_breaks_no_board)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
