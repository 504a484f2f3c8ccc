/*
 * The planner, without communication: what it chooses fits, is no dearer than
 * any candidate, is the same every time, and is what one expects at the ends: short forms for
 * short vectors, long forms for long ones.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collective/planner/choose.h"
#include "collective/scheme/vectors.h"
#include "hooks/planner.h"
#include "unit.h"

static ob_profile straight(double alpha, double beta, double gamma)
{
    ob_profile p;
    ob_profile_builtin(&p);
    for (int q = 0; q < OB_QUANTITIES; q++)
        p.curve[q] = (ob_curve){.pieces = 1};
    p.curve[OB_T_C].piece[0] = (ob_piece){0, alpha, beta};
    p.curve[OB_T_S].piece[0] = p.curve[OB_T_R].piece[0] = (ob_piece){0, alpha / 2, 0};
    p.curve[OB_T_O].piece[0] = (ob_piece){0, 0, gamma};
    return p;
}

typedef struct seen {
    const ob_query *query;
    int size, count;
    double least;
    char words[OB_SCHEME_TEXT]; /* of the least */
} seen;

static void look(const ob_scheme *s, double time, void *context)
{
    seen *x = context;
    char words[OB_SCHEME_TEXT];
    ob_scheme again;
    x->count++;
    assert_true(isfinite(time) && time >= 0);
    assert_true(ob_scheme_fits(s, x->query->task, x->size));
    ob_scheme_print(s, words);
    if (time < x->least) {
        x->least = time;
        snprintf(x->words, sizeof x->words, "%s", words);
    }
    assert_true(ob_scheme_parse(words, &again));
    assert_int_equal(again.stages, s->stages);
}

static void try_query(const ob_net *net, const ob_query *q)
{
    int size = net->rows * net->columns;
    seen x = {.query = q, .size = size, .least = INFINITY};
    double time, again;
    char one[OB_SCHEME_TEXT], two[OB_SCHEME_TEXT];
    ob_scheme s = ob_choose(net, q, look, &x, &time);
    ob_scheme t = ob_choose(net, q, NULL, NULL, &again);
    ob_scheme_print(&s, one);
    ob_scheme_print(&t, two);
    assert_string_equal(one, two);
    assert_true(time == again);
    assert_true(ob_scheme_fits(&s, q->task, size));
    if (size == 1)
        return;
    assert_true(x.count > 0);
    if (time > x.least * (1 + 1e-6))
        fail_msg("task %d, root %d, %zu bytes, %d x %d, links shared %d: chosen %s, %g s; %s, %g s",
                 (int)q->task, q->root, q->bytes, net->rows, net->columns, net->shared, one, time,
                 x.words, x.least);
    for (int k = 0; k < s.stages && q->coherent; k++)
        assert_int_not_equal(s.stage[k].act, OB_ACT_EXCHANGE);
}

static void test_choices_fit(void **state)
{
    static const int shapes[][3] = {{1, 1, 0}, {1, 2, 0},  {1, 7, 1},   {1, 12, 2}, {2, 3, 1},
                                    {4, 4, 2}, {3, 10, 1}, {16, 32, 2}, {1, 97, 0}, {6, 35, 2}};
    static const size_t bytes[] = {0, 8, 1000, 65536, 1 << 20, (size_t)1 << 33};
    const ob_profile mesh = straight(200, 0.025, 0.001), here = straight(1, 1e-4, 1e-5);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int task = 0; task < OB_TASK_BARRIER; task++)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                int size = shapes[k][0] * shapes[k][1];
                ob_net net = {k % 2 ? &mesh : &here, shapes[k][0], shapes[k][1], shapes[k][2]};
                ob_query q = {.task = (ob_task)task,
                              .root = (int)(b * 5) % size,
                              .bytes = bytes[b],
                              .coherent = b % 2};
                if (task > OB_TASK_COMBINE)
                    q.root = task == OB_TASK_SCATTER || task == OB_TASK_GATHER ? q.root : 0;
                try_query(&net, &q);
            }
}

static bool has(const ob_scheme *s, ob_act act)
{
    for (int k = 0; k < s->stages; k++)
        if (s->stage[k].act == act)
            return true;
    return false;
}

static void test_ends(void **state)
{
    const ob_profile p = straight(200, 0.025, 0.001);
    for (int shared = 0; shared < 3; shared++) {
        ob_net net = {&p, 8, 8, shared};
        double time;
        ob_query q = {.task = OB_TASK_BROADCAST, .bytes = 8};
        ob_scheme s = ob_choose(&net, &q, NULL, NULL, &time);
        assert_false(has(&s, OB_ACT_SCATTER));
        assert_in_range((int)time, 600, 1200);
        q.bytes = 1 << 24;
        s = ob_choose(&net, &q, NULL, NULL, &time);
        assert_true(has(&s, OB_ACT_SCATTER) || s.stage[0].how == OB_HOW_CHAIN ||
                    s.stage[0].how == OB_HOW_DOUBLE);
        assert_true(time < 6 * (200 + 0.025 * (1 << 24)) / 2);
        q.task = OB_TASK_ALL;
        q.bytes = 8;
        s = ob_choose(&net, &q, NULL, NULL, &time);
        assert_false(has(&s, OB_ACT_DISTRIBUTE));
        q.bytes = 1 << 24;
        s = ob_choose(&net, &q, NULL, NULL, &time);
        assert_true(has(&s, OB_ACT_DISTRIBUTE));
    }
}

/* A repeatable or coherent combine may cost 1.3 times the fastest at most; all schemes are
 * repeatable, so this is about coherence. */
static void test_coherent_is_cheap(void **state)
{
    const ob_profile p = straight(200, 0.025, 0.001);
    for (int size = 2; size <= 64; size++)
        for (size_t bytes = 1 << 18; bytes <= (size_t)1 << 24; bytes *= 4) {
            ob_net net = {&p, 1, size, 0};
            ob_query free_choice = {.task = OB_TASK_ALL, .bytes = bytes},
                     coherent = {.task = OB_TASK_ALL, .bytes = bytes, .coherent = true};
            double fastest, time;
            ob_choose(&net, &free_choice, NULL, NULL, &fastest);
            ob_choose(&net, &coherent, NULL, NULL, &time);
            assert_true(time <= 1.3 * fastest);
        }
}

/* A send that returns at once does not make the sender's one link free: no member sends a
 * long vector to all the others itself. */
/* Between short and long a coherent combine-to-all is long in one part of the digits and, on what
 * is left of the vector, combined to one and broadcast in the others (icc.txt, 3.4). */
static void test_short_within_long_for_coherent_calls(void **state)
{
    const ob_profile p = straight(200, 0.025, 0.001);
    int hybrids = 0;
    for (int shared = 0; shared < 3; shared++)
        for (size_t bytes = 1 << 10; bytes <= 1 << 20; bytes *= 2) {
            ob_net net = {&p, 16, 32, shared};
            ob_query q = {.task = OB_TASK_ALL, .bytes = bytes, .coherent = true};
            double time;
            ob_scheme s = ob_choose(&net, &q, NULL, NULL, &time);
            assert_false(has(&s, OB_ACT_EXCHANGE));
            hybrids += has(&s, OB_ACT_DISTRIBUTE) && has(&s, OB_ACT_COMBINE);
        }
    assert_true(hybrids >= 3);
}

static void test_one_link(void **state)
{
    ob_profile p = straight(1, 8e-5, 0);
    p.curve[OB_T_S].piece[0] = p.curve[OB_T_R].piece[0] = (ob_piece){0, 0.5, 0};
    ob_net net = {&p, 1, 1024, 0};
    ob_query q = {.task = OB_TASK_BROADCAST, .bytes = 1 << 18};
    double time;
    ob_scheme s = ob_choose(&net, &q, NULL, NULL, &time);
    assert_true(time >= 8e-5 * (1 << 18));
    assert_false(s.stages == 1 && s.stage[0].how == OB_HOW_POSTAL);
    ob_scheme star = {.stages = 1, .stage = {{OB_ACT_BROADCAST, OB_HOW_POSTAL, 1024, 1, 320}}};
    assert_true(ob_cost_scheme(&net, &star, 0, 1 << 18) > 10 * time);
}

/* Classes: never shorter, an eighth longer at most, powers of two their own. */
static void test_classes(void **state)
{
    for (size_t b = 0; b < 70000; b++) {
        size_t c = ob_choose_bytes(b);
        assert_true(c >= b && c <= b + b / 8);
        assert_int_equal(ob_choose_bytes(c), c);
        if (b && (b & (b - 1)) == 0)
            assert_int_equal(c, b);
    }
    assert_true(ob_choose_bytes(SIZE_MAX) == SIZE_MAX);
}

static void count(const char *words, double time, void *context)
{
    assert_true(words[0] && time >= 0);
    ++*(int *)context;
}

static void test_explain(void **state)
{
    ob_profile p;
    ob_plan_question q = {OB_PLAN_BROADCAST, 16, 32, 1, 0, 1 << 20, 0};
    char words[600], few[8];
    double time;
    int candidates = 0;
    ob_profile_builtin(&p);
    assert_int_equal(ob_plan_explain(&p, &q, count, &candidates, words, sizeof words, &time),
                     OB_OK);
    assert_true(candidates > 10 && time > 0 && words[0]);
    assert_int_equal(ob_plan_explain(&p, &q, NULL, NULL, few, sizeof few, NULL), OB_OK);
    assert_memory_equal(few, words, 7);
    /* The words of the longest choice are whole: they can be given back. */
    char all[OB_PLAN_WORDS];
    ob_scheme again;
    q.links_shared = 2;
    assert_int_equal(ob_plan_explain(&p, &q, NULL, NULL, all, sizeof all, NULL), OB_OK);
    assert_true(ob_scheme_parse(all, &again) && ob_scheme_fits(&again, OB_TASK_BROADCAST, 512));
    q.rows = 0;
    assert_int_equal(ob_plan_explain(&p, &q, NULL, NULL, NULL, 0, NULL), OB_EARG);
    assert_non_null(strstr(ob_error_text(), "0 x 32"));
    q.rows = 1;
    q.root = 32;
    assert_int_equal(ob_plan_explain(&p, &q, NULL, NULL, NULL, 0, NULL), OB_EARG);
    q.root = 0;
    q.task = OB_PLAN_TASKS;
    assert_int_equal(ob_plan_explain(&p, &q, NULL, NULL, NULL, 0, NULL), OB_EARG);
    assert_null(ob_plan_task_name(OB_PLAN_TASKS));
    assert_string_equal(ob_plan_task_name(OB_PLAN_COMBINE_ALL), "combine-all");
}

typedef struct traffic {
    double sent, received;
    int moves;
} traffic;

static void add_up(const ob_plan_move *m, void *context)
{
    traffic *t = context;
    t->sent += m->sent;
    t->received += m->received;
    t->moves++;
}

/* What members send is what others receive; words that do not fit say so. */
static void test_follow(void **state)
{
    ob_plan_question q = {OB_PLAN_BROADCAST, 1, 8, 0, 3, 4096, 0};
    traffic all = {0};
    for (int me = 0; me < 8; me++)
        assert_int_equal(ob_plan_follow(&q, "broadcast8@1:tree", me, add_up, &all), OB_OK);
    assert_true(fabs(all.sent - 7) < 1e-9 && fabs(all.received - 7) < 1e-9);
    all = (traffic){0};
    for (int me = 0; me < 8; me++)
        assert_int_equal(ob_plan_follow(&q, "scatter8@1:tree+collect8@1:bucket", me, add_up, &all),
                         OB_OK);
    /* Halves, quarters and eighths down the tree; then everybody lacks seven eighths. */
    assert_true(fabs(all.sent - (12.0 / 8 + 7)) < 1e-9 && fabs(all.sent - all.received) < 1e-9);
    assert_int_equal(ob_plan_follow(&q, "broadcast4@1:tree", 0, add_up, &all), OB_EARG);
    assert_non_null(strstr(ob_error_text(), "broadcast4@1:tree"));
    assert_int_equal(ob_plan_follow(&q, "by foot", 0, add_up, &all), OB_EARG);
    assert_int_equal(ob_plan_follow(&q, "broadcast8@1:tree", 8, add_up, &all), OB_EARG);
    assert_int_equal(ob_plan_follow(&q, NULL, 0, add_up, &all), OB_EARG);
    q.root = 8;
    assert_int_equal(ob_plan_follow(&q, "broadcast8@1:tree", 0, add_up, &all), OB_EARG);
}

static int plan(const ob_plan_question *q, int nodes, ob_plan_question *leaders)
{
    memset(leaders, 0x55, sizeof *leaders);
    return ob_plan_leaders(q, nodes, leaders);
}

/* What leaders are asked for has a plan, and is about their nodes. */
static void test_leaders(void **state)
{
    ob_plan_question q = {OB_PLAN_BROADCAST, 4, 8, 2, 17, 1 << 20, 0}, l;
    char words[OB_PLAN_WORDS];
    ob_scheme s;
    for (int task = 0; task < OB_PLAN_TASKS; task++) {
        q.task = (ob_plan_task)task;
        assert_int_equal(plan(&q, 4, &l), OB_OK);
        assert_true(l.rows == 1 && l.columns == 4 && l.links_shared == 0 && l.root == 2);
        assert_int_equal(
            ob_plan_explain(ob_plan_profile(), &l, NULL, NULL, words, sizeof words, NULL), OB_OK);
        assert_true(ob_scheme_parse(words, &s) && ob_scheme_fits(&s, (ob_task)task, 4));
        assert_int_equal(l.bytes, task == OB_PLAN_BROADCAST     ? OB_LEVELS_BROADCAST
                                  : task <= OB_PLAN_COMBINE_ALL ? ob_levels_combine(32, 4)
                                                                : 1 << 20);
    }
    q.bytes = 100;
    assert_true(plan(&q, 4, &l) == OB_OK && l.bytes == 100);
    assert_true(plan(&q, 32, &l) == OB_OK && l.rows == 4 && l.columns == 8 && l.root == 17);
    assert_true(plan(&q, 1, &l) == OB_OK && l.columns == 1 && l.root == 0);
    assert_int_equal(plan(&q, 33, &l), OB_EARG);
    assert_non_null(strstr(ob_error_text(), "33 nodes for 32"));
    assert_int_equal(plan(&q, 0, &l), OB_EARG);
    assert_int_equal(ob_plan_leaders(NULL, 1, &l), OB_EARG);
}

static bool goes(const ob_scheme *s, ob_how how)
{
    for (int k = 0; k < s->stages; k++)
        if (s->stage[k].how == how)
            return true;
    return false;
}

/* Rings of a torus: long vectors use both links of each member; a root that need not wait for what
 * it sends uses both of its own, here and behind a switch, where a tree's messages share the
 * root's. */
static void test_both_links(void **state)
{
    ob_profile p = straight(200, 0.025, 0);
    p.curve[OB_T_S].piece[0] = p.curve[OB_T_R].piece[0] = (ob_piece){0, 100, 0};
    ob_net torus = {&p, 16, 32, 2}, mesh = {&p, 16, 32, 1}, fabric = {&p, 1, 512, 0};
    double time, on_mesh;
    ob_query q = {.task = OB_TASK_COLLECT, .bytes = 1 << 20};
    static const int rings[][3] = {{32, 1, 1}, {16, 2, 1}, {16, 1, 0},  {8, 2, 0},  {16, 32, 1},
                                   {8, 64, 1}, {8, 32, 0}, {4, 128, 1}, {512, 1, 0}};
    for (int k = 0; k < 9; k++) {
        ob_stage t = {OB_ACT_COLLECT, OB_HOW_BOTH, rings[k][0], rings[k][1], 0};
        assert_int_equal(ob_net_rings(&torus, &t), rings[k][2]);
        assert_false(ob_net_rings(&mesh, &t));
    }
    ob_scheme s = ob_choose(&torus, &q, NULL, NULL, &time);
    assert_true(goes(&s, OB_HOW_BOTH));
    ob_choose(&mesh, &q, NULL, NULL, &on_mesh);
    assert_true(time < on_mesh);
    q.task = OB_TASK_BROADCAST;
    s = ob_choose(&torus, &q, NULL, NULL, &time);
    assert_true(goes(&s, OB_HOW_FLAT) && goes(&s, OB_HOW_BOTH));
    s = ob_choose(&mesh, &q, NULL, NULL, &on_mesh);
    assert_true(!goes(&s, OB_HOW_FLAT) && time < on_mesh);
    q.task = OB_TASK_GATHER;
    q.bytes = 1 << 24;
    s = ob_choose(&torus, &q, NULL, NULL, &time);
    assert_true(goes(&s, OB_HOW_FLAT) && time < 0.75 * 0.025 * (double)q.bytes);
    q.task = OB_TASK_BROADCAST;
    q.bytes = 1 << 22;
    s = ob_choose(&fabric, &q, NULL, NULL, &time);
    assert_true(goes(&s, OB_HOW_FLAT) || s.stage[0].how == OB_HOW_DOUBLE);
}

/* On a machine whose profile says that nothing takes time, all is well, too. */
static void test_no_time(void **state)
{
    const ob_profile none = straight(0, 0, 0);
    double time;
    for (int size = 2; size < 40; size += 11)
        for (int task = 0; task <= OB_TASK_DISTRIBUTE; task++) {
            const ob_net net = {&none, 1, size, 0};
            const ob_query q = {.task = (ob_task)task, .bytes = 1 << 16};
            const ob_scheme s = ob_choose(&net, &q, NULL, NULL, &time);
            assert_true(ob_scheme_fits(&s, (ob_task)task, size));
        }
    const ob_net net = {&none, 1, 13, 0};
    for (ob_stage t = {.act = OB_ACT_BROADCAST, .count = 13, .stride = 1}; t.how < OB_HOWS; t.how++)
        if (ob_hows[t.how]->detail == OB_DETAIL_LAMBDA)
            assert_int_equal(ob_cost_detail(&net, &t, 1 << 16, 1, 0), 10);
}

static void plant(ob_profile *p, int task, int k, int members, double alpha, double beta)
{
    p->native[task][k] = (ob_native_curve){members, {.pieces = 1, .piece = {{0, alpha, beta}}}};
}

static double time_of(const ob_profile *p, const ob_query *q, int size, ob_scheme *s)
{
    const ob_net net = {p, 1, size, 0};
    double time;
    *s = ob_choose(&net, q, NULL, NULL, &time);
    return time;
}

/* The MPI library's own call is chosen where its measured time is the least, and only there. */
static void test_native_wins_or_loses(void **state)
{
    static const size_t bytes[] = {0, 8, 1 << 10, 1 << 16, 1 << 20};
    for (int task = 0; task <= OB_TASK_ALL; task++)
        for (int size = 2; size <= 32; size *= 4)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                ob_profile p = straight(200, 0.025, 0.001);
                ob_query q = {.task = (ob_task)task, .bytes = bytes[b]};
                ob_scheme s, own;
                double ours = time_of(&p, &q, size, &own);
                assert_false(own.native);
                plant(&p, task, 0, size, 0.99 * ours, 0);
                assert_true(time_of(&p, &q, size, &s) ==
                            ours); /* several to a node: not measured */
                assert_false(s.native);
                q.apart = true;
                assert_true(time_of(&p, &q, size, &s) == 0.99 * ours);
                assert_int_equal(s.native, OB_NATIVE);
                seen x = {.query = &q, .size = size, .least = INFINITY};
                const ob_net net = {&p, 1, size, 0};
                double time;
                ob_choose(&net, &q, look, &x, &time);
                assert_string_equal(x.words, "native");
                plant(&p, task, 0, size, 1.01 * ours, 0);
                assert_true(time_of(&p, &q, size, &s) == ours);
                assert_memory_equal(&s, &own, sizeof s);
                plant(&p, task, 0, size, 0.99 * ours, 0);
                q.moves = true; /* the caller carries out moves */
                time_of(&p, &q, size, &s);
                assert_false(s.native);
                q.moves = false;
                q.repeatable = true;
                time_of(&p, &q, size, &s);
                assert_int_equal(s.native != OB_NOT_NATIVE, task == OB_TASK_BROADCAST);
            }
}

/* The same bits on all: to one and from there to all, so both times count. */
static void test_native_coherent(void **state)
{
    ob_profile p = straight(200, 0.025, 0.001);
    ob_query q = {.task = OB_TASK_ALL, .bytes = 1 << 12, .coherent = true, .apart = true};
    ob_scheme s;
    double ours = time_of(&p, &q, 16, &s);
    plant(&p, OB_TASK_ALL, 0, 16, 0.1 * ours, 0);
    assert_true(time_of(&p, &q, 16, &s) == ours);
    plant(&p, OB_TASK_COMBINE, 0, 16, 0.5 * ours, 0);
    assert_true(time_of(&p, &q, 16, &s) == ours);
    plant(&p, OB_TASK_BROADCAST, 0, 16, 0.6 * ours, 0);
    assert_true(time_of(&p, &q, 16, &s) == ours);
    plant(&p, OB_TASK_BROADCAST, 0, 16, 0.4 * ours, 0);
    assert_true(fabs(time_of(&p, &q, 16, &s) - 0.9 * ours) < 1e-9 * ours);
    assert_int_equal(s.native, OB_NATIVE_BY_ROOT);
}

/* Between two numbers of nodes that were measured a line over the logarithm; beyond them nothing.
 */
static void test_native_sizes(void **state)
{
    ob_profile p = straight(200, 0.025, 0.001);
    plant(&p, OB_TASK_BROADCAST, 0, 4, 10, 0.5);
    plant(&p, OB_TASK_BROADCAST, 1, 16, 30, 1);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 4, 100) == 60);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 16, 100) == 130);
    assert_true(fabs(ob_profile_native(&p, OB_TASK_BROADCAST, 8, 100) - 95) < 1e-9);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 2, 100) == -1);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 3, 100) == -1);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 17, 100) == -1);
    assert_true(ob_profile_native(&p, OB_TASK_COMBINE, 4, 100) == -1);
    assert_true(ob_profile_native(&p, OB_TASK_SCATTER, 4, 100) == -1);
    assert_true(ob_profile_native(&p, -1, 4, 100) == -1);
    for (int k = 0; k < OB_NATIVE_SIZES; k++)
        plant(&p, OB_TASK_BROADCAST, k, 2 << k, k, 0);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 2 << (OB_NATIVE_SIZES - 1), 8) ==
                OB_NATIVE_SIZES - 1);
    assert_true(ob_profile_native(&p, OB_TASK_BROADCAST, 2 << OB_NATIVE_SIZES, 8) == -1);
}

/* Bounded working memory, but pieces no shorter than a message is worth. */
static void test_shares(void **state)
{
    for (int members = 1; members <= 4096; members *= 2)
        for (size_t bytes = 0; bytes < (size_t)1 << 30; bytes = 3 * bytes + 4095) {
            size_t shares = ob_parts_shares(bytes, members), each = bytes / shares;
            size_t piece = (size_t)members * OB_STAGING_PIECE;
            assert_true(each <= OB_STAGING_BYTES || each <= piece);
            assert_true(shares == 1 ||
                        (2 * each >= OB_STAGING_BYTES && 2 * each >= piece - shares));
        }
    assert_int_equal(ob_parts_shares(OB_STAGING_BYTES, 4), 1);
    assert_int_equal(ob_parts_shares(OB_STAGING_BYTES + 1, 4), 2);
    assert_int_equal(ob_parts_shares((size_t)16 << 20, 512), 1);
    assert_int_equal(ob_parts_shares(((size_t)16 << 20) + 1, 512), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices_fit),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_coherent_is_cheap),
        cmocka_unit_test(test_short_within_long_for_coherent_calls),
        cmocka_unit_test(test_one_link),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_follow),
        cmocka_unit_test(test_leaders),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_native_wins_or_loses),
        cmocka_unit_test(test_native_coherent),
        cmocka_unit_test(test_native_sizes),
        cmocka_unit_test(test_both_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
