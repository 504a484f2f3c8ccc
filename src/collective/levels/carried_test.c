/*
 * Carried combines, processes as threads: sums and other operations left on all and on one, with
 * and without tiers, nodes of unequal size, members in turn; matrices that are not one run; members
 * that disagree, and one without memory. All come back.
 */
#include "collective/levels/levels.h"
#include "collective/members_test.h"
#include "collective/with.h"
#include "core/error.h"

#include <math.h>

enum { HEAP = 64 << 20, LONG = TEAM_RACES ? 40000 : 90000, TO_ONE = (2 << 20) / 8 + 61 };

typedef struct shape {
    int members, nodes, tiers;
    bool in_turn;
} shape;

static const shape shapes[] = {{4, 2, 0, false}, {5, 2, 0, true},   {7, 3, 2, false},
                               {12, 2, 3, true}, {12, 2, 3, false}, {16, 2, 4, false},
                               {17, 2, 0, false}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void on_team(const shape *s, team_work work, void *user)
{
    const ob_settings set = {.spin_us = -1, .tiers = {s->tiers, true}};
    if (s->members <= TEST_MEMBERS)
        assert_int_equal(team_try(s->members, HEAP, &set, work, user), 0);
}

static bool is_carried(const ob_group *g)
{
    return g->levels && g->levels->carried == OB_CARRIED;
}

/* ------------------------------------------------------------------------ results */

/* Small whole numbers: sums are exact in any order. */
TEAM_RECKONING static double element(int member, size_t k)
{
    return (double)((k * 31 + (size_t)member * 7) % 23) - 9;
}

TEAM_RECKONING static double expected(ob_op op, int members, size_t k)
{
    double result = element(0, k);
    for (int i = 1; i < members; i++) {
        double x = element(i, k);
        result = op == OB_SUM ? result + x : op == OB_MAX ? fmax(result, x) : fmin(result, x);
    }
    return result;
}

static size_t place(const ob_view *v, size_t k)
{
    return v->n == 1 ? k : k % v->m + k / v->m * v->ld;
}

static void try_combine(ob_group *g, int root, ob_op op, size_t n, size_t columns)
{
    size_t m = n / columns, ld = columns > 1 ? m + 3 : m;
    double *x = malloc(ld * columns * sizeof *x);
    ob_view v = {.base = x, .m = m, .n = columns, .ld = ld, .type = OB_DOUBLE};
    for (size_t k = 0; k < ld * columns; k++)
        x[k] = -77;
    for (size_t k = 0; k < m * columns; k++)
        x[place(&v, k)] = element(g->me, k);
    OK(ob_combine(g, root, op, &v, NULL, 0, NULL));
    for (size_t k = 0; k < m * columns && (root == OB_ANY || root == g->me); k += 1 + k / 97)
        TEAM_CHECK(x[place(&v, k)] == expected(op, g->size, k), "root %d, %zu of %zu: %g, not %g",
                   root, k, n, x[place(&v, k)], expected(op, g->size, k));
    for (size_t k = 0; k < columns && ld > m; k++)
        TEAM_CHECK(x[m + k * ld] == -77 && x[ld - 1 + k * ld] == -77, "column %zu", k);
    free(x);
}

/* Elements of so many doubles, in a vector of doubles. */
static void add_wide(size_t n, void *acc, const void *in, const void *context)
{
    double *a = acc;
    const double *b = in;
    const size_t *width = context;
    for (size_t i = 0; i < *width * n; i++)
        a[i] += b[i];
}

static void try_operation(ob_group *g, size_t width, size_t count)
{
    const ob_operation wide = {
        .apply = add_wide, .context = &width, .element_bytes = width * sizeof(double)};
    size_t n = width * count;
    double *x = malloc(n * sizeof *x);
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    for (size_t k = 0; k < n; k++)
        x[k] = element(g->me, k);
    OK(ob_combine_with(g, OB_ANY, &wide, false, false, &v, &v, NULL));
    for (size_t k = 0; k < n; k += 1 + k / 97)
        TEAM_CHECK(x[k] == expected(OB_SUM, g->size, k), "%zu of %zu", k, n);
    free(x);
}

/* Of equal pieces: in one run, or each with a gap behind it; the own one comes from elsewhere. */
static void try_collect(ob_group *g, size_t n, bool gaps, bool apart)
{
    size_t step = n + (gaps ? 3 : 0);
    double *x = calloc(step * (size_t)g->size, sizeof *x), *own = malloc(n * sizeof *own);
    ob_view *view = malloc((size_t)g->size * sizeof *view),
            from = ob_view_vector(own, n, OB_DOUBLE);
    for (int i = 0; i < g->size; i++)
        view[i] = ob_view_vector(x + (size_t)i * step, n, OB_DOUBLE);
    const ob_pieces pieces = {
        .base = x, .type = OB_DOUBLE, .count = n, .views = gaps ? view : NULL};
    for (size_t k = 0; k < n; k++)
        own[k] = x[(size_t)g->me * step + k] = element(g->me, k);
    OK(apart ? ob_collect_from(g, &from, &pieces, NULL) : ob_collect(g, &pieces, NULL));
    for (int i = 0; i < g->size; i++)
        for (size_t k = 0; k < step; k += 1 + k / 97)
            TEAM_CHECK(x[(size_t)i * step + k] == (k < n ? element(i, k) : 0),
                       "piece %d, %zu of %zu", i, k, n);
    free(view);
    free(own);
    free(x);
}

static void try_distribute(ob_group *g, size_t n, bool gaps)
{
    size_t step = n + (gaps ? 3 : 0);
    double *x = malloc(step * (size_t)g->size * sizeof *x);
    ob_view *view = malloc((size_t)g->size * sizeof *view);
    for (int i = 0; i < g->size; i++)
        view[i] = ob_view_vector(x + (size_t)i * step, n, OB_DOUBLE);
    const ob_pieces pieces = {
        .base = x, .type = OB_DOUBLE, .count = n, .views = gaps ? view : NULL};
    for (size_t k = 0; k < step * (size_t)g->size; k++)
        x[k] = element(g->me, k);
    OK(ob_distributed_combine(g, OB_SUM, &pieces, NULL));
    for (size_t k = (size_t)g->me * step; k < (size_t)g->me * step + n; k += 1 + k % 97)
        TEAM_CHECK(x[k] == expected(OB_SUM, g->size, k), "%zu of %zu", k, n);
    free(view);
    free(x);
}

/* The shortest that are carried, and others. */
static void give_pieces(team *t, int me)
{
    const shape *s = t->user;
    ob_group *g = team_group(t, me), *n = on_nodes(g, s->nodes, s->in_turn);
    size_t least = (128 << 10) / sizeof(double) / (size_t)g->size;
    for (size_t length = least - 1; length <= least + 1; length++)
        for (int gaps = 0; gaps < 2; gaps++) {
            try_collect(n, length, gaps, false);
            try_collect(n, length, gaps, true);
            try_distribute(n, length, gaps);
        }
    try_collect(n, LONG / (size_t)g->size, false, false);
    try_distribute(n, LONG / (size_t)g->size, false);
    TEAM_CHECK(is_carried(n) == (!s->in_turn && g->size % s->nodes == 0), "member %d", me);
    OK(ob_barrier(g));
    ob_group_free(n);
    ob_group_free(g);
}

static void carriers_bring_the_right_pieces(void **state)
{
    for (int k = 0; k < SHAPES; k++)
        on_team(&shapes[k], give_pieces, (void *)(uintptr_t)&shapes[k]);
}

static void give_sums(team *t, int me)
{
    static const size_t lengths[] = {1, 4095, 4096, 5001, LONG};
    const shape *s = t->user;
    ob_group *g = team_group(t, me), *n = on_nodes(g, s->nodes, s->in_turn);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        try_combine(n, OB_ANY, k % 2 ? OB_SUM : OB_MAX, lengths[k], 1);
        TEAM_CHECK(is_carried(n) == (k > 1), "%zu elements", lengths[k]);
    }
    try_combine(n, OB_ANY, OB_SUM, 9000, 10);
    try_combine(n, OB_ANY, OB_MIN, LONG, 3);
    try_operation(n, 2, 4000);
    try_operation(n, OB_ELEMENT_BYTES / sizeof(double), 5); /* fewer than carriers, perhaps */
    if (!TEAM_RACES)
        for (int root = 0; root < n->size; root += 5)
            try_combine(n, root, OB_SUM, TO_ONE, 1);
    OK(ob_barrier(g));
    ob_group_free(n);
    ob_group_free(g);
}

static void carriers_leave_the_right_sums(void **state)
{
    for (int k = 0; k < SHAPES; k++)
        on_team(&shapes[k], give_sums, (void *)(uintptr_t)&shapes[k]);
}

/* ------------------------------------------------------------------------ who carries */

static void stay(team *t, int me)
{
    ob_group *g = team_group(t, me), *n = on_nodes(g, 2, false);
    t->job[me]->processors = me == 3 ? 1 : g->size;
    try_combine(n, OB_ANY, OB_SUM, 5000, 1);
    TEAM_CHECK(n->levels->carried == OB_NOT_CARRIED, "member %d", me);
    try_combine(n, OB_ANY, OB_SUM, 5000, 1);
    OK(ob_barrier(g));
    ob_group_free(n);
    ob_group_free(g);
}

/* One member without a processor of its own: all know. */
static void members_that_outnumber_processors_leave_it_to_leaders(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {OB_TIER, false}};
    assert_int_equal(team_try(6, HEAP, &set, stay, NULL), 0);
}

/* ------------------------------------------------------------------------ unlike sizes */

typedef struct quarrel {
    const shape *shape;
    int first, last; /* the members that name other sizes */
    size_t n, other; /* elements of the rest, and theirs */
    ob_task task;
    atomic_int unlike; /* who got an error */
} quarrel;

static void disagree(team *t, int me)
{
    quarrel *q = t->user;
    ob_group *g = team_group(t, me), *n = on_nodes(g, q->shape->nodes, q->shape->in_turn);
    bool other = me >= q->first && me <= q->last;
    double *x = calloc(LONG, sizeof *x);
    size_t length = other ? q->other : q->n;
    ob_view v = ob_view_vector(x, length, OB_DOUBLE);
    const ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = length / (size_t)g->size};
    int status = q->task == OB_TASK_ALL       ? ob_combine(n, OB_ANY, OB_SUM, &v, NULL, 0, NULL)
                 : q->task == OB_TASK_COLLECT ? ob_collect(n, &pieces, NULL)
                                              : ob_distributed_combine(n, OB_SUM, &pieces, NULL);
    TEAM_CHECK(status == OB_OK || strstr(ob_error_text(), "process"), "%d, %s", status,
               ob_error_text());
    q->unlike += status != OB_OK;
    OK(ob_barrier(g));
    ob_group_free(n);
    ob_group_free(g);
    free(x);
}

/* One member, or all of a node; in a call of their own, also in one as long as what the others ask
 * each other, or in a carried one of another length. */
static void members_that_disagree_all_come_back(void **state)
{
    static const ob_task tasks[] = {OB_TASK_ALL, OB_TASK_COLLECT, OB_TASK_DISTRIBUTE};
    static const size_t others[] = {1, 3000, 20000, 30000};
    for (size_t k = 0; k < 3 * sizeof others / sizeof *others; k++)
        for (int s = 0; s < SHAPES; s++)
            for (int whole = 0; whole < 2; whole++) {
                int last = shapes[s].members - 1;
                quarrel q = {.shape = &shapes[s],
                             .first = whole ? (last + 2) / 2 : last,
                             .last = last,
                             .n = 24000,
                             .other = others[k / 3],
                             .task = tasks[k % 3]};
                on_team(q.shape, disagree, &q);
                if (shapes[s].members <= TEST_MEMBERS)
                    assert_true(q.unlike > 0);
            }
}

/* ------------------------------------------------------------------------ no memory */

/* The linker brings the library's calls here (tests/CMakeLists.txt). */
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

static _Thread_local int granted = -1; /* of the next ones: so many, then one is refused */
static atomic_bool refused;

void *__wrap_malloc(size_t bytes)
{
    if (granted < 0 || granted-- > 0)
        return __real_malloc(bytes);
    atomic_store(&refused, true);
    return NULL;
}

typedef struct need {
    const shape *shape;
    ob_task task;
    int granted, poor;
} need;

/* The matrices have gaps, so all ways of the call ask for memory. */
static int call_on(ob_group *g, const need *x, double *a)
{
    ob_view v = {.base = a, .m = 2000, .n = 10, .ld = 2100, .type = OB_DOUBLE};
    ob_view view[TEST_MEMBERS];
    size_t n = 20000 / (size_t)g->size;
    for (int i = 0; i < g->size; i++)
        view[i] = ob_view_vector(a + (size_t)i * (n + 1), n, OB_DOUBLE);
    const ob_pieces pieces = {.views = view};
    const ob_query q = {.task = x->task};
    ob_parts parts;
    bool done;
    OK(ob_parts_make("a test", g, &pieces, true, NULL, sizeof *a, &parts));
    parts.type = OB_DOUBLE;
    parts.kernel = x->task == OB_TASK_DISTRIBUTE ? ob_kernel_find(OB_SUM, OB_DOUBLE, false) : NULL;
    granted = g->me == x->poor ? x->granted : -1;
    int status = x->task == OB_TASK_ALL ? ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL)
                                        : ob_parts_carried(g, &parts, &q, &done);
    granted = -1;
    ob_parts_free(&parts);
    return status;
}

static void starve(team *t, int me)
{
    const need *x = t->user;
    ob_group *g = team_group(t, me), *n = on_nodes(g, x->shape->nodes, x->shape->in_turn);
    double *a = calloc(21000, sizeof *a);
    need all_have = *x;
    all_have.poor = -1;
    OK(call_on(n, &all_have, a));
    int status = call_on(n, x, a);
    TEAM_CHECK(status == OB_OK || ob_error_text()[0], "member %d: %d", me, status);
    OK(ob_barrier(g));
    ob_group_free(n);
    ob_group_free(g);
    free(a);
}

/* Each of its requests in turn. */
static void who_has_no_memory_lets_all_others_know(void **state)
{
    static const ob_task tasks[] = {OB_TASK_ALL, OB_TASK_COLLECT, OB_TASK_DISTRIBUTE};
    for (int k = 0; k < 3 * SHAPES; k++)
        for (need x = {.shape = &shapes[k / 3], .task = tasks[k % 3]}; x.poor < 3; x.poor++) {
            x.granted = 0;
            do {
                atomic_store(&refused, false);
                on_team(x.shape, starve, &x);
                x.granted++;
            } while (atomic_load(&refused));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carriers_leave_the_right_sums),
        cmocka_unit_test(carriers_bring_the_right_pieces),
        cmocka_unit_test(members_that_outnumber_processors_leave_it_to_leaders),
        cmocka_unit_test(members_that_disagree_all_come_back),
        cmocka_unit_test(who_has_no_memory_lets_all_others_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
