/*
 * Lists of members that not every process remembers (OPENBLACS_LISTS): their groups have numbers
 * that all members have and no other group has, whoever has room for how many lists, and nobody
 * remembers more of them than he has room for.
 */
#include "core/group.h"
#include "group/contexts.h"
#include "node/thread_team.h"
#include "unit.h"

static void open_bounded(team *t, int count, const size_t *lists)
{
    team_open(t, count, 16 << 20, NULL);
    for (int i = 0; i < count; i++)
        t->job[i]->set.lists = lists[i];
}

static ob_group *make(team *t, int me, const int *list, int size)
{
    ob_group *g = NULL;
    OK(ob_group_create(t->job[me], list, size, &g));
    size_t most = t->job[me]->set.lists, now = ob_contexts_lists(t->job[me]);
    TEAM_CHECK(now <= most, "%zu lists of %zu", now, most);
    return g;
}

/* ------------------------------------------------ everything that three can do */

enum { THREE = 3, STEPS = 3, LISTS = 15, SEQUENCES = LISTS * LISTS * LISTS, ROOMS = 8 };

static int lists[LISTS][THREE], sizes[LISTS];

/* All ordered lists of one, two and three of the processes. */
static void make_lists(void)
{
    int n = 0;
    for (int code = 0; code < 64; code++) {
        int used = 0, size = 0, list[THREE] = {0};
        bool fine = true;
        for (int i = 0, c = code; i < THREE; i++, c /= 4) {
            int member = c % 4 - 1;
            if (member < 0)
                continue;
            fine = fine && size == i && !(used >> member & 1);
            used |= 1 << member;
            list[size++] = member;
        }
        if (!fine || size == 0)
            continue;
        assert_true(n < LISTS);
        memcpy(lists[n], list, sizeof list);
        sizes[n++] = size;
    }
    assert_int_equal(n, LISTS);
}

typedef uint64_t run_numbers[STEPS][THREE];

/* Every sequence of three lists, with room for one or two lists at each. */
static void try_all(team *t, int me)
{
    run_numbers *run = t->user;
    for (int rooms = 0; rooms < ROOMS; rooms++)
        for (int s = 0; s < SEQUENCES; s++, run++) {
            ob_contexts_free(t->job[me]->contexts);
            t->job[me]->contexts = NULL;
            t->job[me]->set.lists = 1 + (rooms >> me & 1u);
            for (int k = 0, rest = s; k < STEPS; k++, rest /= LISTS) {
                const int *list = lists[rest % LISTS];
                int size = sizes[rest % LISTS], i = 0;
                while (i < size && list[i] != me)
                    i++;
                if (i == size)
                    continue;
                ob_group *g = make(t, me, list, size);
                if (g == NULL)
                    return;
                (*run)[k][me] = g->context;
                ob_group_free(g);
            }
        }
}

static void test_all_sequences_of_three(void **unused)
{
    static const size_t room[THREE] = {1, 1, 1};
    team t;
    run_numbers *run = calloc((size_t)ROOMS * SEQUENCES, sizeof *run);
    assert_non_null(run);
    make_lists();
    open_bounded(&t, THREE, room);
    t.user = run;
    team_run(&t, try_all);
    assert_int_equal(team_close(&t), 0);
    for (int r = 0; r < ROOMS * SEQUENCES; r++)
        for (int k = 0, rest = r % SEQUENCES; k < STEPS; k++, rest /= LISTS) {
            const int *list = lists[rest % LISTS];
            uint64_t number = run[r][k][list[0]];
            assert_true(number != 0);
            for (int i = 1; i < sizes[rest % LISTS]; i++)
                assert_true(run[r][k][list[i]] == number);
            for (int before = 0; before < k; before++)
                for (int p = 0; p < THREE; p++)
                    assert_true(run[r][before][p] != number);
        }
    free(run);
}

/* -------------------------------------------------------- long random sequences */

enum { MANY = 6, POOL = 40, LONG = TEAM_SLOW ? 400 : 4000 };

/* The which-th list of the pool. */
static int draw_list(int which, int list[MANY])
{
    uint64_t draws = (uint64_t)which * 1000;
    int size = 1 + (int)(team_draw(&draws) % MANY);
    for (int i = 0; i < MANY; i++)
        list[i] = i;
    for (int i = MANY - 1; i > 0; i--) {
        int other = (int)(team_draw(&draws) % (unsigned)(i + 1)), kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
    return size;
}

static uint64_t number_of_step[LONG][MANY];

/* Each group carries a message to the next member, who takes one from anybody: of an older group
 * with the same number it could be another one. The last is left unread. */
static void draw_groups(team *t, int me)
{
    uint64_t draws = 7;
    for (int step = 0; step < LONG; step++) {
        int list[MANY], size = draw_list((int)(team_draw(&draws) % POOL), list), i = 0;
        double value = step, got = -1;
        ob_view out = {.base = &value, .m = 1, .n = 1, .ld = 1, .type = OB_DOUBLE}, in = out;
        in.base = &got;
        while (i < size && list[i] != me)
            i++;
        if (i == size)
            continue;
        ob_group *g = make(t, me, list, size);
        if (g == NULL)
            return;
        number_of_step[step][me] = g->context;
        OK(ob_send(g, (i + 1) % size, 0, &out));
        OK(ob_send(g, (i + 1) % size, 0, &out));
        OK(ob_recv(g, OB_ANY, 0, &in, NULL));
        TEAM_CHECK(got == step, "%g at step %d", got, step);
        ob_group_free(g);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_random_sequences(void **unused)
{
    static const size_t rooms[][MANY] = {{1, 1, 1, 1, 1, 1},
                                         {1, 2, 5, 3, 40, 9},
                                         {20, 20, 20, 20, 20, 20},
                                         {40, 40, 40, 40, 40, 40}};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        team t;
        uint64_t seen[LONG];
        size_t n = 0;
        memset(number_of_step, 0, sizeof number_of_step);
        open_bounded(&t, MANY, rooms[r]);
        team_run(&t, draw_groups);
        assert_int_equal(team_close(&t), 0);
        for (int step = 0; step < LONG; step++) {
            uint64_t number = 0;
            for (int p = 0; p < MANY; p++) {
                uint64_t here = number_of_step[step][p];
                assert_true(here == 0 || number == 0 || here == number);
                number = here ? here : number;
            }
            seen[n++] = number;
        }
        qsort(seen, n, sizeof *seen, by_value);
        for (size_t i = 1; i < n; i++)
            assert_true(seen[i - 1] != seen[i]);
    }
}

/* ------------------------------------------------------------------- many lists */

/* The table grows several times: it still knows each list, and how many there are. */
static void test_many_lists(void **unused)
{
    enum { MEMBERS = 9, MANY = 1 << (MEMBERS - 1) };
    static uint64_t first[MANY];
    team t;
    team_open(&t, MEMBERS, 1 << 20, NULL);
    for (int again = 0; again < 2; again++)
        for (int mask = 0; mask < MANY; mask++) {
            int list[MEMBERS] = {0}, size = 1;
            ob_group *g = NULL;
            for (int i = 1; i < MEMBERS; i++)
                if (mask >> (i - 1) & 1)
                    list[size++] = i;
            assert_int_equal(ob_group_create(t.job[0], list, size, &g), OB_OK);
            assert_int_equal(ob_contexts_lists(t.job[0]), again ? MANY : mask + 1);
            if (again)
                assert_true(g->context != first[mask]);
            first[mask] = g->context;
            ob_group_free(g);
        }
    assert_int_equal(team_close(&t), 0);
}

/* ---------------------------------------------------------------------- the end */

/* Who asks a process that has ended gets an error, and keeps no place for the list. */
static void test_a_member_that_has_ended(void **unused)
{
    static const size_t room[2] = {4, 4};
    static const int both[2] = {1, 0}, alone[1] = {0};
    team t;
    ob_group *g = NULL;
    open_bounded(&t, 2, room);
    ob_shm_set_life(t.job[1]->shm, OB_LIFE_GONE);
    assert_int_equal(ob_group_create(t.job[0], both, 2, &g), OB_EGONE);
    assert_int_equal(ob_contexts_lists(t.job[0]), 0);
    assert_int_equal(ob_group_create(t.job[0], alone, 1, &g), OB_OK);
    assert_int_equal(ob_contexts_lists(t.job[0]), 1);
    ob_group_free(g);
    assert_int_equal(team_close(&t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sequences_of_three),
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_many_lists),
        cmocka_unit_test(test_a_member_that_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
