/*
 * Members of one board stay in step behind a call in which one of them names other sizes, however
 * many rounds it takes: the calls behind it bring what they should. Members are threads over one
 * shared memory.
 */
#include "collective/members_test.h"

enum { HEAP = 64 << 20, MOST = 60001, CALLS = 3 };

/* How the odd member's sizes differ: piece 1 has one more element, or one less, none, or one more
 * and piece 0 one less; or of all pieces, half, or a twentieth: other ways in most calls. */
enum how { MORE, LESS, NONE, MOVED, HALF, TWENTIETH, HOWS };

static void name_sizes(size_t *counts, int size, size_t count, enum how how)
{
    for (int i = 0; i < size; i++)
        counts[i] = how == HALF ? count / 2 : how == TWENTIETH ? count / 20 + 1 : count;
    counts[1] += how == MORE || how == MOVED;
    counts[1] -= how == LESS;
    counts[1] *= how != NONE;
    counts[0] -= how == MOVED;
}

enum kind {
    GATHER,
    SCATTER,
    GATHER_PRIVATE,
    SCATTER_PRIVATE,
    COLLECT,
    COLLECT_FROM,
    DISTRIBUTE,
    EXCHANGE,
    TO_ONE,
    TO_ALL,
    OWNERS,
    BROADCAST,
    KINDS
};

static int call(ob_group *g, enum kind kind, int root, ob_pieces *all, const ob_view *mine)
{
    static _Thread_local int owner[MOST];
    const ob_view *out = g->me == root ? NULL : mine;
    all->private_sizes = kind == GATHER_PRIVATE || kind == SCATTER_PRIVATE;
    switch (kind) {
    case GATHER:
    case GATHER_PRIVATE: return ob_gather(g, root, all, out, NULL);
    case SCATTER:
    case SCATTER_PRIVATE: return ob_scatter(g, root, all, out, NULL);
    case COLLECT: return ob_collect(g, all, NULL);
    case COLLECT_FROM: return ob_collect_from(g, mine, all, NULL);
    case DISTRIBUTE: return ob_distributed_combine(g, OB_SUM, all, NULL);
    case EXCHANGE: return ob_all_to_all(g, all, all + 1, NULL);
    case TO_ONE: return ob_combine(g, root, OB_SUM, mine, NULL, 0, NULL);
    case TO_ALL: return ob_combine(g, OB_ANY, OB_SUM, mine, NULL, 0, NULL);
    case OWNERS: return ob_combine(g, OB_ANY, OB_MAX_ABS, mine, owner, mine->m, NULL);
    default: return ob_broadcast(g, root, mine, NULL);
    }
}

static void one(ob_group *g, enum kind kind, int odd, enum how how, size_t count, double *x)
{
    size_t counts[TEAM_MOST];
    const int root = 0;
    name_sizes(counts, g->size, count, HOWS);
    if (g->me == odd)
        name_sizes(counts, g->size, count, how);
    double *own = x + (size_t)MOST * (size_t)g->size, *other = own + MOST;
    ob_pieces all[] = {{.base = x, .type = OB_DOUBLE, .counts = counts},
                       {.base = other, .type = OB_DOUBLE, .counts = counts}};
    const ob_view mine = ob_view_vector(own, counts[kind < TO_ONE ? g->me : 1], OB_DOUBLE);
    int status = call(g, kind, root, all, &mine);
    TEAM_CHECK(status == OB_OK || status == OB_ESIZE, "%d: %s", status, ob_error_text());
    for (int k = 0; k < CALLS; k++) {
        double number = g->me == root ? k + 7 : 0;
        const ob_view v = ob_view_vector(&number, 1, OB_DOUBLE);
        OK(ob_broadcast(g, root, &v, NULL));
        TEAM_CHECK(number == k + 7, "kind %d, %zu elements, odd %d, how %d: %g behind it", kind,
                   count, odd, (int)how, number);
    }
}

static void all_of_them(team *t, int me)
{
    static const size_t lengths[] = {10, 1000, 9000, MOST - 1};
    ob_group *g = team_group(t, me);
    double *x = calloc((size_t)MOST * (size_t)(2 * t->count + 1), sizeof *x);
    const ob_pieces right = {.base = x, .type = OB_DOUBLE, .count = MOST};
    OK(ob_collect(g, &right, NULL)); /* whether memory can be read is known from here on */
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (int odd = 0; odd < t->count; odd++)
                for (enum how how = MORE; how < HOWS; how++)
                    one(g, kind, odd, how, lengths[k], x);
    free(x);
    ob_group_free(g);
}

static void members_stay_in_step(void **state)
{
    static const int choices[] = {OB_ONE_COPY_AUTO, OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS};
    for (int count = TEAM_RACES ? 3 : 2; count <= (TEAM_RACES ? 3 : 4); count++)
        for (int i = 0; i < 3; i++) {
            const ob_settings set = {.spin_us = -1, .one_copy = choices[i]};
            assert_int_equal(team_try(count, HEAP, &set, all_of_them, NULL), 0);
        }
}

/* Members remember which way was faster from the same notes: whatever fails in between, right calls
 * go the same way at all of them. Sums of equal values, and pieces of the member's number. */
static bool is_right(const ob_group *g, enum kind kind, const double *x, size_t count)
{
    const size_t from = kind == DISTRIBUTE ? (size_t)g->me * count : 0;
    const size_t to = kind == DISTRIBUTE ? from + count : (size_t)g->size * count;
    for (size_t i = from; i < to; i++)
        if (x[i] != (kind == COLLECT ? (double)(i / count) : g->size))
            return kind == TO_ONE && g->me != 0;
    return true;
}

static void in_any_order(team *t, int me)
{
    enum { MANY = TEAM_SLOW ? 60 : 200, WRONG = 6, SIZES = 8 };
    static const size_t totals[SIZES] = {5000, 20000, 60000, 90000, 120000, 140000, 40000, 8000};
    static const enum kind ways[] = {COLLECT, DISTRIBUTE, TO_ALL, TO_ONE};
    ob_group *g = team_group(t, me);
    size_t size = (size_t)t->count;
    double *x = calloc(totals[5], sizeof *x);
    uint64_t draw = 1;
    for (int k = 0; k < MANY * (int)(sizeof ways / sizeof *ways); k++) {
        enum kind kind = ways[k / MANY];
        size_t count = totals[team_draw(&draw) % SIZES] / size;
        size_t other = totals[team_draw(&draw) % SIZES] / size;
        int odd = (int)(team_draw(&draw) % (size * WRONG)); /* mostly nobody */
        size_t n = me == odd ? other : count;
        for (size_t i = 0; i < n * size; i++)
            x[i] = kind == COLLECT ? (i / n == (size_t)me ? me : -1) : 1;
        ob_pieces all = {.base = x, .type = OB_DOUBLE, .count = n};
        ob_view v = ob_view_vector(x, n * size, OB_DOUBLE);
        int status = call(g, kind, 0, &all, &v);
        if (odd < t->count && other != count)
            continue;
        TEAM_CHECK(status == OB_OK && is_right(g, kind, x, n), "call %d of %zu, kind %d: %d, %s", k,
                   n, kind, status, ob_error_text());
    }
    free(x);
    ob_group_free(g);
}

static void right_calls_behind_wrong_ones_are_right(void **state)
{
    const ob_settings set = {.spin_us = -1};
    for (int count = 2; count <= 3; count++)
        assert_int_equal(team_try(count, HEAP, &set, in_any_order, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stay_in_step),
        cmocka_unit_test(right_calls_behind_wrong_ones_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
