/*
 * Tiers of boards, processes as threads: every call and root, groups and boards of many sizes,
 * members near each other in no order of theirs; sums have the bits that one board gives; sizes
 * that differ; who goes without tiers.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "collective/members_test.h"
#include "core/error.h"
#include "node/thread_team.h"
#include "unit.h"

/* The longest are several parts of 128 KiB, where each byte is watched, too. */
enum { HEAP = 64 << 20, MOST = TEAM_RACES ? 40000 : 70000 };

typedef struct setup {
    int most;       /* members of a board; 0: one board */
    bool scattered; /* places say that others are near than those that follow each other */
} setup;

TEAM_RECKONING static double element(int call, int member, size_t k)
{
    return (double)(team_mix((uint64_t)call * 64 + (uint64_t)member + k * 4096) >> 12) * 1e-9;
}

TEAM_RECKONING static double sum(int call, int members, size_t k)
{
    double s = element(call, 0, k);
    for (int i = 1; i < members; i++)
        s += element(call, i, k);
    return s;
}

static void fill(double *x, size_t n, int call, int member)
{
    for (size_t k = 0; k < n; k++)
        x[k] = element(call, member, k);
}

/* Places as if all had joined with them: each writes them all, alike. */
static ob_group *open_group(team *t, int me)
{
    const setup *s = t->user;
    for (int i = 0; i < t->count; i++) {
        uint64_t place = (uint64_t)(1 + i % 2) << 48 | (uint64_t)(1 + i % 4) << 32;
        atomic_store(&t->job[i]->shm->own->near, s->scattered ? place : 0);
    }
    return team_group(t, me);
}

/* ---------------------------------------------------------------------- the calls */

static void try_broadcast(ob_group *g, int root, size_t n, int call)
{
    size_t ld = n > 100 && call % 2 ? n / 10 + 3 : n / 10, columns = n % 10 ? 1 : 10;
    ob_view v = {.m = n / columns, .n = columns, .ld = columns > 1 ? ld : n + 1, .type = OB_DOUBLE};
    double *x = calloc((v.ld + 1) * columns + 1, sizeof *x);
    v.base = x;
    for (size_t k = 0; g->me == root && k < n; k++)
        x[k % (v.m + !v.m) + k / (v.m + !v.m) * v.ld] = element(call, root, k);
    OK(ob_broadcast(g, root, &v, NULL));
    for (size_t k = 0; k < n; k++)
        TEAM_CHECK(x[k % v.m + k / v.m * v.ld] == element(call, root, k),
                   "call %d, %zu of %zu, root %d", call, k, n, root);
    free(x);
}

/* Left on one or all; in the order of positions from the root on, as on one board. */
static void try_sum(ob_group *g, int root, size_t n, int call)
{
    double *x = calloc(n + 1, sizeof *x);
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    fill(x, n, call, g->me);
    OK(ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL));
    for (size_t k = 0; k < n && (root == OB_ANY || root == g->me); k += 1 + n / 50) {
        double s = sum(call, g->size, k);
        if (root > 0)
            for (int i = 0; i < g->size; i++)
                s = i ? s + element(call, (root + i) % g->size, k) : element(call, root, k);
        TEAM_CHECK(x[k] == s, "call %d, %zu of %zu, root %d: %.17g %.17g", call, k, n, root, x[k],
                   s);
    }
    free(x);
}

/* Ties: the owner is the nearest to the root. */
static void try_greatest(ob_group *g, int root, size_t n, int call)
{
    double *x = calloc(n + 1, sizeof *x);
    int *owner = calloc(n + 1, sizeof *owner), base = root == OB_ANY ? 0 : root;
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    for (size_t k = 0; k < n; k++)
        x[k] = (double)(team_mix((uint64_t)call + k * 31 + (uint64_t)g->me) % 4);
    OK(ob_combine(g, root, OB_MAX_ABS, &v, owner, n ? n : 1, NULL));
    for (size_t k = 0; k < n && (root == OB_ANY || root == g->me); k++) {
        double best = -1;
        int by = -1;
        for (int d = 0; d < g->size; d++) {
            int i = (base + d) % g->size;
            double y = (double)(team_mix((uint64_t)call + k * 31 + (uint64_t)i) % 4);
            if (y > best) {
                best = y;
                by = i;
            }
        }
        TEAM_CHECK(x[k] == best && owner[k] == by, "call %d, %zu: %g of %d, not %g of %d", call, k,
                   x[k], owner[k], best, by);
    }
    free(owner);
    free(x);
}

/* Piece i has some elements more than piece i - 1; a gap follows each where `gaps`. */
static void try_pieces(ob_group *g, int root, size_t n, int call)
{
    size_t counts[TEAM_MOST], offsets[TEAM_MOST], all = 0, mine;
    bool gaps = call % 2;
    for (int i = 0; i < g->size; i++) {
        counts[i] = n ? n + (size_t)i % 3 : (size_t)i % 2;
        offsets[i] = all;
        all += counts[i] + (gaps ? 2 : 0);
    }
    mine = counts[g->me];
    double *x = calloc(all + 1, sizeof *x), *y = calloc(mine + 1, sizeof *y);
    ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .counts = counts, .offsets = offsets};
    ob_view own = ob_view_vector(y, mine, OB_DOUBLE);

    fill(x + offsets[g->me], mine, call, g->me);
    OK(ob_collect(g, &pieces, NULL));
    for (int i = 0; i < g->size; i++)
        for (size_t k = 0; k < counts[i]; k++)
            TEAM_CHECK(x[offsets[i] + k] == element(call, i, k), "collect %d, %d, %zu", call, i, k);

    /* Where nothing may be written: the root's whole vector in a scatter, the others' pieces in a
     * gather. */
    memset(y, 0, mine * sizeof *y);
    OK(ob_scatter(g, root, &pieces, &own, NULL));
    for (size_t k = 0; k < mine; k++)
        TEAM_CHECK(y[k] == element(call, g->me, k), "scatter %d, root %d, %zu", call, root, k);

    memset(x, 0, all * sizeof *x);
    OK(ob_gather(g, root, &pieces, &own, NULL));
    for (int i = 0; i < g->size && g->me == root; i++)
        for (size_t k = 0; k < counts[i]; k++)
            TEAM_CHECK(x[offsets[i] + k] == element(call, i, k), "gather %d, %d, %zu", call, i, k);

    for (int i = 0; i < g->size; i++)
        fill(x + offsets[i], counts[i], call + i, g->me);
    OK(ob_distributed_combine(g, OB_SUM, &pieces, NULL));
    for (size_t k = 0; k < mine; k += 1 + mine / 50)
        TEAM_CHECK(x[offsets[g->me] + k] == sum(call + g->me, g->size, k), "distribute %d, %zu",
                   call, k);
    free(y);
    free(x);
}

static atomic_int arrived;

static void try_barrier(ob_group *g, int call)
{
    atomic_fetch_add(&arrived, 1);
    OK(ob_barrier(g));
    TEAM_CHECK(atomic_load(&arrived) >= (call + 1) * g->size, "barrier %d: %d", call,
               atomic_load(&arrived));
    OK(ob_barrier(g));
}

static void call_all(team *t, int me)
{
    static const size_t lengths[] = {0, 1, 12, 13, 130, 3000, MOST};
    const setup *s = t->user;
    ob_group *g = open_group(t, me);
    int call = 1, rounds = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int step = lengths[k] > 1000 || TEAM_SLOW ? 3 : 1;
        if (TEAM_RACES && lengths[k] == MOST && g->size > 9)
            step = 7; /* roots on three boards */
        for (int root = 0; root < g->size; root += step) {
            try_barrier(g, rounds++);
            try_broadcast(g, root, lengths[k], call++);
            try_sum(g, root, lengths[k], call++);
            try_greatest(g, root, lengths[k], call++);
            try_pieces(g, root, lengths[k] / 10, call++);
            try_sum(g, OB_ANY, lengths[k], call++);
            try_greatest(g, OB_ANY, lengths[k], call++);
        }
    }
    bool tiers = g->tiers && g->tiers->order;
    TEAM_CHECK(tiers == (s->most && s->most < g->size), "%d members, %d a board", g->size, s->most);
    if (tiers)
        TEAM_CHECK((g->tiers->slot[1] != 1) == (s->scattered && g->size > 2), "%d",
                   g->tiers->slot[1]);
    ob_group_free(g);
}

static void run(int members, int most, bool scattered)
{
    const ob_settings set = {.spin_us = -1, .tiers = {most, true}};
    setup s = {most, scattered};
    atomic_store(&arrived, 0);
    assert_int_equal(team_try(members, HEAP, &set, call_all, &s), 0);
}

static void all_calls_give_what_one_board_gives(void **state)
{
    run(3, 2, false);
    run(5, 2, false);
    run(9, 2, false);
    run(9, 4, false);
    run(9, 8, false);
    run(TEAM_MOST, 3, false);
    run(4, 0, false);
    run(4, 4, false);
}

static void members_may_be_near_each_other_in_any_order(void **state)
{
    run(5, 2, true);
    run(9, 2, true);
    run(TEAM_MOST, 4, true);
}

/* -------------------------------------------------------------- those that disagree */

static void disagree(team *t, int me)
{
    const int kind = *(int *)t->user;
    ob_group *g = team_group(t, me);
    size_t n = me == 5 ? 40 : 30;
    double x[TEAM_MOST * 40] = {0};
    ob_view v = ob_view_vector(x, kind == 3 ? (me == 5 ? 9000 : 1) : n, OB_DOUBLE);
    double *many = kind == 3 ? calloc(9000, sizeof *many) : NULL;
    const ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = n};
    int status = OB_OK;
    OK(ob_barrier(g));
    if (many)
        v.base = many;
    switch (kind) {
    case 0: status = ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL); break;
    case 1: status = ob_collect(g, &pieces, NULL); break;
    case 2:
        v.m = 30;
        status = ob_combine(g, OB_ANY, me == 5 ? OB_SUM : OB_MAX_ABS, &v, NULL, 0, NULL);
        break;
    case 3: status = ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL); break;
    default: status = me == 5 ? ob_barrier(g) : ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
    }
    TEAM_CHECK(status == OB_ESIZE || (kind == 4 && me == 5), "kind %d, member %d: %d, %s", kind, me,
               status, ob_error_text());
    free(many);
    ob_group_free(g);
}

static void members_that_disagree_all_come_back(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {2, true}};
    for (int kind = 0; kind < 5; kind++)
        assert_int_equal(team_try(7, HEAP, &set, disagree, &kind), 0);
}

static void add_bytes(size_t n, void *acc, const void *in, const void *context)
{
    (void)n, (void)acc, (void)in, (void)context;
}

/* Member 5 has elements of 16 bytes, the others of 8; the bytes are alike. */
static void distribute_unlike(team *t, int me)
{
    ob_group *g = team_group(t, me);
    char x[TEAM_MOST * 48] = {0};
    const ob_operation operation = {add_bytes, NULL, me == 5 ? 16 : 8};
    const ob_pieces pieces = {.base = x, .type = OB_BYTE, .count = 48};
    int status = ob_distributed_combine_by(g, &operation, &pieces, NULL);
    TEAM_CHECK(status == OB_ESIZE, "member %d: %d, %s", me, status, ob_error_text());
    ob_group_free(g);
}

static void own_operations_on_unlike_elements_are_an_error(void **state)
{
    for (int most = 0; most <= 3; most += 3) {
        const ob_settings set = {.spin_us = -1, .tiers = {most, most > 0}};
        assert_int_equal(team_try(7, HEAP, &set, distribute_unlike, NULL), 0);
    }
}

/* One member's error line of so many bytes is everybody's. */
static void tell_long_line(team *t, int me)
{
    enum { BYTES = 900 };
    ob_group *g = team_group(t, me);
    OK(ob_barrier(g));
    if (me == 0) {
        ob_fail(OB_ESIZE, "%0*d", BYTES, 1);
        ob_board_break(g->board);
    } else {
        TEAM_CHECK(ob_barrier(g) == OB_ESIZE, "member %d", me);
    }
    TEAM_CHECK(strlen(ob_error_text()) == BYTES, "%zu", strlen(ob_error_text()));
    ob_group_free(g);
}

static void the_line_of_who_breaks_a_board_is_whole(void **state)
{
    assert_int_equal(team_try(3, HEAP, NULL, tell_long_line, NULL), 0);
}

/* Who breaks the board has no memory left to lend for its line. */
static void break_with_full_heap(team *t, int me)
{
    ob_group *g = team_group(t, me);
    uint64_t name;
    OK(ob_barrier(g));
    if (me == 0) {
        for (size_t bytes = HEAP; bytes > 0; bytes /= 2)
            while (ob_group_lend_now(g, bytes, 1, &name))
                ;
        ob_fail(OB_ESIZE, "its own line");
        ob_board_break(g->board);
        TEAM_CHECK(strcmp(ob_error_text(), "its own line") == 0, "%s", ob_error_text());
    } else {
        TEAM_CHECK(ob_barrier(g) == OB_ESIZE, "member %d", me);
        TEAM_CHECK(strstr(ob_error_text(), "a collective: process 0") != NULL, "%s",
                   ob_error_text());
    }
    ob_group_free(g);
}

static void who_breaks_a_board_with_a_full_heap_waits_for_nobody(void **state)
{
    assert_int_equal(team_try(3, HEAP, NULL, break_with_full_heap, NULL), 0);
}

/* The least heap that may be asked for (OPENBLACS_HEAP). */
static void sum_with_little(team *t, int me)
{
    enum { N = 200000 };
    ob_group *g = team_group(t, me);
    double *x = malloc(N * sizeof *x);
    ob_view v = ob_view_vector(x, N, OB_DOUBLE);
    const ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = N / 9};
    fill(x, N, 1, me);
    OK(ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
    TEAM_CHECK(x[N - 1] == sum(1, g->size, N - 1), "%g", x[N - 1]);
    OK(ob_distributed_combine(g, OB_SUM, &pieces, NULL));
    free(x);
    ob_group_free(g);
}

static void long_sums_take_the_least_heap(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {3, true}};
    assert_int_equal(team_try(9, 1 << 20, &set, sum_with_little, NULL), 0);
}

/* The root is `root`; member 5 has other sizes, or the root is in another call. */
typedef struct strife {
    int what, root;
} strife;

enum { SHORT_SUM, OTHER_OPERATION, GATHER, LONG_GATHER, SCATTER, OTHER_CALL };

static void quarrel(team *t, int me)
{
    const strife *s = t->user;
    ob_group *g = team_group(t, me);
    size_t n = s->what == LONG_GATHER ? 5000 : 1;
    n += me == 5 && s->what != OTHER_OPERATION && s->what != OTHER_CALL;
    double *x = calloc(9 * n, sizeof *x), *y = calloc(n, sizeof *y);
    ob_view v = ob_view_vector(y, n, OB_DOUBLE);
    const ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = n};
    int status = OB_OK;
    OK(ob_barrier(g));
    switch (s->what) {
    case SHORT_SUM: status = ob_combine(g, s->root, OB_SUM, &v, NULL, 0, NULL); break;
    case OTHER_OPERATION:
        status = ob_combine(g, s->root, me == 5 ? OB_MAX_ABS : OB_SUM, &v, NULL, 0, NULL);
        break;
    case GATHER:
    case LONG_GATHER: status = ob_gather(g, s->root, &pieces, &v, NULL); break;
    case SCATTER: status = ob_scatter(g, s->root, &pieces, &v, NULL); break;
    default: status = me == s->root ? ob_barrier(g) : ob_scatter(g, s->root, &pieces, &v, NULL);
    }
    bool waits = s->what == OTHER_CALL ? me != s->root : me == s->root && s->what != SCATTER;
    TEAM_CHECK(status == OB_ESIZE || (status == OB_OK && !waits), "%d, root %d, member %d: %d, %s",
               s->what, s->root, me, status, ob_error_text());
    TEAM_CHECK(status == OB_OK || strstr(ob_error_text(), "process"), "%s", ob_error_text());
    free(y);
    free(x);
    ob_group_free(g);
}

static void a_root_that_leads_no_board_learns_who_has_failed(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {3, true}};
    for (strife s = {0}; s.what <= OTHER_CALL; s.what++)
        for (s.root = 0; s.root < 9; s.root++)
            assert_int_equal(team_try(9, HEAP, &set, quarrel, &s), 0);
}

/* ---------------------------------------------------------------------- no memory */

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
    int what, root, granted, poor;
} need;

enum { LEAST_SUM, LARGE_SUM, PIECES, CALLS = PIECES + 4 };

static int call_node(ob_group *g, const need *x, const ob_parts *parts)
{
    static const ob_task tasks[] = {OB_TASK_GATHER, OB_TASK_SCATTER, OB_TASK_COLLECT,
                                    OB_TASK_DISTRIBUTE};
    static _Thread_local double sum[4000];
    size_t n = x->what == LEAST_SUM ? 30 : 4000;
    ob_view v = ob_view_vector(sum, n, OB_DOUBLE);
    granted = g->me == x->poor ? x->granted : -1;
    int status = x->what < PIECES ? ob_combine_node(g, x->root, OB_SUM, NULL, &v, &v, NULL, false)
                                  : ob_parts_node(g, tasks[x->what - PIECES], x->root, parts);
    granted = -1;
    return status;
}

static void starve(team *t, int me)
{
    const need *x = t->user;
    double some[TEAM_MOST * 3] = {0};
    const ob_pieces pieces = {.base = some, .type = OB_DOUBLE, .count = 3};
    ob_parts parts;
    ob_group *g = team_group(t, me);
    OK(ob_barrier(g));
    OK(ob_parts_make("a test", g, &pieces, true, NULL, sizeof *some, &parts));
    parts.op = OB_SUM;
    parts.type = OB_DOUBLE;
    parts.kernel = ob_kernel_find(OB_SUM, OB_DOUBLE, false);
    ob_fail(OB_ESIZE, "an earlier error");
    int status = call_node(g, x, &parts);
    TEAM_CHECK(status == OB_OK || strstr(ob_error_text(), "no memory"), "%d, root %d, %d: %d, %s",
               x->what, x->root, me, status, ob_error_text());
    ob_parts_free(&parts);
    ob_group_free(g);
}

/* Each of its requests in turn. */
static void who_has_no_memory_lets_all_others_know(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {3, true}};
    for (need x = {.what = 0}; x.what < CALLS; x.what++)
        for (x.poor = 3; x.poor < 5; x.poor++) {
            x.root = x.what < PIECES ? OB_ANY : 4;
            x.granted = 0;
            do {
                atomic_store(&refused, false);
                assert_int_equal(team_try(9, HEAP, &set, starve, &x), 0);
                x.granted++;
            } while (atomic_load(&refused));
        }
}

/* ------------------------------------------------------------------------ unlike sizes */

/* A leader expects another size than the root has, then one who leads none, then all but the root;
 * of short, long and very long matrices. All others have theirs, and afterwards all goes on. */
static void broadcast_unlike(team *t, int me)
{
    static const size_t lengths[] = {5, 3000, 90000};
    ob_group *g = team_group(t, me);
    double *x = calloc(90002, sizeof *x);
    for (int trial = 0; trial < 9; trial++)
        for (int root = 0; root < g->size; root += 3) {
            size_t n = lengths[trial / 3];
            bool errs = me != root && (trial % 3 == 0 ? me == 2 : trial % 3 == 1 ? me == 5 : true);
            ob_view v = ob_view_vector(x, n + errs, OB_DOUBLE);
            x[0] = x[n - 1] = me == root ? trial + 1 : -1;
            int status = ob_broadcast(g, root, &v, NULL);
            TEAM_CHECK(status == (errs ? OB_ESIZE : OB_OK), "trial %d, root %d, member %d: %d, %s",
                       trial, root, me, status, ob_error_text());
            TEAM_CHECK(!errs || strstr(ob_error_text(), "the receive expects"), "%s",
                       ob_error_text());
            TEAM_CHECK(errs || (x[0] == trial + 1 && x[n - 1] == trial + 1), "trial %d, root %d",
                       trial, root);
            try_sum(g, OB_ANY, 40, trial);
        }
    free(x);
    ob_group_free(g);
}

static void a_broadcast_of_unlike_sizes_leaves_the_boards_as_they_are(void **state)
{
    for (int most = 2; most <= 3; most++) {
        const ob_settings set = {.spin_us = -1, .tiers = {most, true}};
        assert_int_equal(team_try(9, HEAP, &set, broadcast_unlike, NULL), 0);
    }
}

/* ------------------------------------------------------------------------ between nodes */

/* Of long ones chunks follow each other along the nodes. The last member, who leads nobody, expects
 * another size now and then: it alone is told. */
static void broadcast_between_nodes(team *t, int me)
{
    static const size_t lengths[] = {5, 3000, 7700, 9000, 40000};
    ob_group *g = team_group(t, me);
    double *x = calloc(40002, sizeof *x);
    for (int nodes = 2; nodes <= 4; nodes++)
        for (int k = 0; k < 5; k++) {
            ob_group *of_nodes = on_nodes(g, nodes, k % 2);
            bool errs = me == g->size - 1;
            ob_view v = ob_view_vector(x, lengths[k] + errs, OB_DOUBLE);
            for (int root = 0; root < g->size; root += 3)
                try_broadcast(of_nodes, root, lengths[k], nodes + root);
            x[0] = x[lengths[k] - 1] = me == 0 ? k + 1 : -1;
            int status = ob_broadcast(of_nodes, 0, &v, NULL);
            TEAM_CHECK(status == (errs ? OB_ESIZE : OB_OK), "%d nodes, length %d: %d, %s", nodes, k,
                       status, ob_error_text());
            TEAM_CHECK(errs || (x[0] == k + 1 && x[lengths[k] - 1] == k + 1), "length %d", k);
            OK(ob_barrier(g));
            ob_group_free(of_nodes);
        }
    free(x);
    ob_group_free(g);
}

static void a_broadcast_goes_from_node_to_node_and_through_tiers(void **state)
{
    for (int most = 0; most <= 3; most += most ? 1 : 2) {
        const ob_settings set = {.spin_us = -1, .tiers = {most, true}};
        assert_int_equal(team_try(13, HEAP, &set, broadcast_between_nodes, NULL), 0);
    }
}

/* ------------------------------------------------------------------------ who decides */

static void ask(team *t, int me)
{
    const int processors = *(int *)t->user;
    ob_group *g = team_group(t, me);
    t->job[me]->processors = processors;
    OK(ob_barrier(g));
    TEAM_CHECK((g->tiers && g->tiers->order) == (processors >= t->count), "%d processors",
               processors);
    TEAM_CHECK((g->board != NULL) == (processors < t->count), "%d processors", processors);
    OK(ob_barrier(g));
    ob_group_free(g);
}

static void tiers_are_for_those_with_a_processor_each(void **state)
{
    const ob_settings set = {.spin_us = -1, .tiers = {OB_TIER, false}};
    for (int processors = 9; processors <= 11; processors++)
        assert_int_equal(team_try(10, HEAP, &set, ask, &processors), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_calls_give_what_one_board_gives),
        cmocka_unit_test(members_may_be_near_each_other_in_any_order),
        cmocka_unit_test(members_that_disagree_all_come_back),
        cmocka_unit_test(own_operations_on_unlike_elements_are_an_error),
        cmocka_unit_test(the_line_of_who_breaks_a_board_is_whole),
        cmocka_unit_test(who_breaks_a_board_with_a_full_heap_waits_for_nobody),
        cmocka_unit_test(long_sums_take_the_least_heap),
        cmocka_unit_test(a_root_that_leads_no_board_learns_who_has_failed),
        cmocka_unit_test(who_has_no_memory_lets_all_others_know),
        cmocka_unit_test(a_broadcast_of_unlike_sizes_leaves_the_boards_as_they_are),
        cmocka_unit_test(a_broadcast_goes_from_node_to_node_and_through_tiers),
        cmocka_unit_test(tiers_are_for_those_with_a_processor_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
