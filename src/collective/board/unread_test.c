/*
 * Calls that fail again and again, since a member names another size: what others have lent in them
 * is given back all the same, and so no heap fills. Members are threads over one shared memory.
 */
#include "core/group.h"
#include "node/thread_team.h"
#include "unit.h"

/* AREA: what a channel keeps from the first message on whose receiver is late. */
enum { HEAP = 64 << 20, MOST = 20001, SOME = 96 << 10, AREA = 64 << 10, LONG = 4000 };

static int to_one(ob_group *g, double *x, size_t count)
{
    const ob_view v = ob_view_vector(x, count, OB_DOUBLE);
    return ob_combine(g, 0, OB_SUM, &v, NULL, 0, NULL);
}

static int to_all(ob_group *g, double *x, size_t count)
{
    const ob_view v = ob_view_vector(x, count, OB_DOUBLE);
    return ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
}

/* In columns: nobody's values are read from where they are. */
static int columns_to_one(ob_group *g, double *x, size_t count)
{
    const ob_view v = {.base = x, .m = 1, .n = count, .ld = 2, .type = OB_DOUBLE};
    return ob_combine(g, 0, OB_SUM, &v, NULL, 0, NULL);
}

static int columns_to_all(ob_group *g, double *x, size_t count)
{
    const ob_view v = {.base = x, .m = 1, .n = count, .ld = 2, .type = OB_DOUBLE};
    return ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
}

static int owners(ob_group *g, double *x, size_t count)
{
    static int owner[TEAM_MOST][MOST];
    const ob_view v = ob_view_vector(x, count, OB_DOUBLE);
    return ob_combine(g, 0, OB_MAX_ABS, &v, owner[g->me], count, NULL);
}

static int gather(ob_group *g, double *x, size_t count)
{
    const ob_pieces all = {.base = x, .type = OB_DOUBLE, .count = count};
    const ob_view mine = ob_view_vector(x, count, OB_DOUBLE);
    return ob_gather(g, 0, &all, &mine, NULL);
}

static int scatter(ob_group *g, double *x, size_t count)
{
    const ob_pieces all = {.base = x, .type = OB_DOUBLE, .count = count};
    const ob_view mine = ob_view_vector(x, count, OB_DOUBLE);
    return ob_scatter(g, 0, &all, g->me ? &mine : NULL, NULL);
}

static int collect(ob_group *g, double *x, size_t count)
{
    const ob_pieces all = {.base = x, .type = OB_DOUBLE, .count = count};
    return ob_collect(g, &all, NULL);
}

static int distribute(ob_group *g, double *x, size_t count)
{
    const ob_pieces all = {.base = x, .type = OB_DOUBLE, .count = count};
    return ob_distributed_combine(g, OB_SUM, &all, NULL);
}

/* Who finds the other size: the member that names it, or the root, for it takes from all. */
static const struct {
    const char *name;
    int (*call)(ob_group *g, double *x, size_t count);
    int odd;
    bool pieces; /* of them half as long is another size, too */
} kinds[] = {
    {"to one, the root names more", to_one, 0, false},
    {"to one, a giver names more", to_one, 1, false},
    {"columns to one", columns_to_one, 0, false},
    {"to all", to_all, 1, false},
    {"columns to all", columns_to_all, 0, false},
    {"owners", owners, 0, false},
    {"gather, the root names more", gather, 0, true},
    {"gather, a giver names more", gather, 1, true},
    {"scatter", scatter, 1, true},
    {"collect", collect, 1, true},
    {"distribute", distribute, 0, true},
};

/* In notes, on slates or lent, in parts, in slices. */
static const size_t lengths[] = {100, 400, 1000, 4000, MOST - 1};
enum { KINDS = sizeof kinds / sizeof *kinds, LENGTHS = sizeof lengths / sizeof *lengths };

static atomic_bool grown;

static size_t in_use(team *t, ob_group *g, int me)
{
    OK(ob_barrier(g)); /* all have read */
    ob_heap_trim(&t->job[me]->shm->heap);
    return ob_heap_in_use(&t->job[me]->shm->heap);
}

static void fail_often(team *t, ob_group *g, int me, int kind, size_t count, size_t other,
                       double *x)
{
    bool rooted = kinds[kind].call == gather || kinds[kind].call == scatter;
    const int calls = count < 1000 ? 200 : 40; /* what is lent in them is far more than SOME */
    const size_t some = SOME + (count < LONG ? 0 : AREA * (size_t)(t->count - 1));
    size_t before = 0, after;
    int found = 0;
    if (rooted && t->count == 2)
        return;                        /* by messages */
    OK(kinds[kind].call(g, x, count)); /* whether it goes straight is known from here on */
    for (int call = 0; call < calls; call++) {
        before = call == 10 ? in_use(t, g, me) : before;
        int status = kinds[kind].call(g, x, me == kinds[kind].odd ? other : count);
        TEAM_CHECK(status == OB_OK || status == OB_ESIZE, "%d: %s", status, ob_error_text());
        found += status == OB_ESIZE;
    }
    after = in_use(t, g, me);
    TEAM_CHECK(me || kinds[kind].call == scatter || found == calls, "%s, %zu: found %d times",
               kinds[kind].name, count, found);
    if (after > before + some)
        atomic_store(&grown, true);
    TEAM_CHECK(after <= before + some, "%s, %zu, process %d: %zu bytes, and then %zu",
               kinds[kind].name, count, me, before, after);
}

/* All end where one's heap has grown: full ones hold calls up. */
static void fail_all(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *x = calloc((size_t)MOST * (size_t)t->count, sizeof *x);
    for (int k = 0; k < KINDS * LENGTHS && !atomic_load(&grown); k++) {
        const size_t count = lengths[k % LENGTHS];
        fail_often(t, g, me, k / LENGTHS, count, count + 1, x);
        OK(ob_barrier(g));
        if (kinds[k / LENGTHS].pieces)
            fail_often(t, g, me, k / LENGTHS, count, count / 2, x);
        OK(ob_barrier(g));
    }
    free(x);
    ob_group_free(g);
}

static void what_is_not_read_is_given_back(void **state)
{
    static const int choices[] = {OB_ONE_COPY_AUTO, OB_ONE_COPY_NEVER};
    for (int count = 2; count <= 4; count++)
        for (int i = 0; i < 2; i++) {
            const ob_settings set = {.spin_us = -1, .one_copy = choices[i]};
            assert_int_equal(team_try(count, HEAP, &set, fail_all, NULL), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_read_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
