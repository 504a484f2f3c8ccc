/*
 * The models: the paper's formulas with the paper's own lines (tables 5, 6, 7
 * and 14) against the times it measured (tables 12 and 16), and the simulation
 * against hand-made sums and against sense.
 */
#include <math.h>
#include <stdlib.h>

#include "hooks/collective.h"
#include "hooks/pattern.h"
#include "hooks/topology.h"
#include "obbench/predict/simulate.h"
#include "unit.h"

/* A line in microseconds per double, as the paper's tables have it. */
static ob_curve line(double alpha, double beta)
{
    return (ob_curve){.pieces = 1, .piece = {{0, alpha, beta / 8}}};
}

static ob_profile machine(ob_curve tc, ob_curve ts, ob_curve to)
{
    ob_profile p;
    ob_profile_builtin(&p);
    p.curve[OB_T_C] = tc;
    p.curve[OB_T_S] = ts;
    p.curve[OB_T_O] = to;
    return p;
}

enum { DOUBLES = 50000 };
static const size_t BYTES = 8 * (size_t)DOUBLES;

static obb_times paper_on(const ob_profile *p, int machine, ob_work_kind kind, ob_topology top,
                          int branches, int members, int root, int repeated)
{
    obb_work w = {.kind = kind,
                  .route = {.topology = top, .branches = branches},
                  .members = members,
                  .root = root,
                  .bytes = BYTES,
                  .repeated = repeated};
    obb_times t;
    assert_int_equal(obb_predict_paper(p, &w, machine, &t), OB_OK);
    return t;
}

static obb_times paper(const ob_profile *p, ob_work_kind kind, ob_topology top, int branches,
                       int members, int root, int repeated)
{
    return paper_on(p, 0, kind, top, branches, members, root, repeated);
}

/* Within the relative error that the paper gives for it, in percent. */
static void near(double predicted, double observed, double percent)
{
    if (fabs(predicted - observed) / observed > percent / 100)
        fail_msg("%g predicted, %g observed: %.1f %% apart, the paper says %g %%", predicted,
                 observed, 100 * fabs(predicted - observed) / observed, percent);
}

/* Table 12's lines are fits of what was observed of the best topology (tree or
 * hypercube, the slowest process); table 11 has the errors of the prediction. */
static void test_paper_broadcasts(void **state)
{
    ob_curve none = line(0, 0);
    ob_profile i860 = machine(line(211, 2.8576), line(47, 2.8573), none);
    ob_profile paragon = machine(line(209, 0.2098), line(129, 0.2001), none);
    ob_profile cm5 = machine(line(169, 0.9118), line(150, 0.9164), none);
    ob_profile sp1 = machine(line(772, 1.1400), line(524, 1.1165), none);
    near(paper(&i860, OB_WORK_BROADCAST, OB_TOP_HYPERCUBE, 0, 32, 0, 1).max,
         1086 + 14.3598 * DOUBLES, 3.56);
    near(paper(&paragon, OB_WORK_BROADCAST, OB_TOP_TREE, 1, 32, 0, 1).max, 1028 + 1.0437 * DOUBLES,
         6.84);
    /* These two copy once first: T_m of table 7. */
    cm5.curve[OB_T_M] = line(-152, 0.7248);
    sp1.curve[OB_T_M] = line(-58, 0.1072);
    near(paper_on(&cm5, OB_PAPER_BUFFERS, OB_WORK_BROADCAST, OB_TOP_TREE, 1, 32, 0, 1).max,
         -523 + 5.6090 * DOUBLES, 5.9);
    near(paper_on(&sp1, OB_PAPER_BUFFERS, OB_WORK_BROADCAST, OB_TOP_HYPERCUBE, 0, 32, 0, 1).max,
         9150 + 6.0549 * DOUBLES, 42.64);
}

/* Tables 14, 15 and 16: sums left on all, the tree with one branch. */
static void test_paper_combines(void **state)
{
    ob_profile i860 = machine(line(211, 2.8576), line(47, 2.8573), line(-14, 0.4145));
    ob_profile paragon = machine(line(209, 0.2098), line(129, 0.2001), line(-45, 0.4506));
    ob_profile cm5 = machine(line(169, 0.9118), line(150, 0.9164), line(-392, 1.0706));
    ob_profile sp1 = machine(line(772, 1.1400), line(524, 1.1165), line(-24, 0.1052));
    near(paper(&i860, OB_WORK_COMBINE, OB_TOP_TREE, 1, 32, OB_ANY, 1).max, 2828 + 30.9618 * DOUBLES,
         3.05);
    near(paper(&paragon, OB_WORK_COMBINE, OB_TOP_TREE, 1, 32, OB_ANY, 1).max,
         3502 + 4.8024 * DOUBLES, 19.99);
    cm5.curve[OB_T_M] = line(-152, 0.7248);
    sp1.curve[OB_T_M] = line(-58, 0.1072);
    near(paper_on(&cm5, OB_PAPER_BUFFERS, OB_WORK_COMBINE, OB_TOP_TREE, 1, 32, OB_ANY, 1).max,
         1883 + 15.8834 * DOUBLES, 7.98);
    near(paper_on(&sp1, OB_PAPER_BUFFERS, OB_WORK_COMBINE, OB_TOP_TREE, 1, 32, OB_ANY, 1).max,
         23675 + 12.1638 * DOUBLES, 45.13);
}

static void same(double a, double b)
{
    if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
        fail_msg("%.12g, should be %.12g", a, b);
}

/* The texts of 4.3.1, 4.3.2, 4.4.2 and 5.4, in units: T_c 100, T_s 1, T_o 10. */
static void test_paper_texts(void **state)
{
    ob_profile p = machine(line(100, 0), line(1, 0), line(10, 0));
    const ob_work_kind b = OB_WORK_BROADCAST, c = OB_WORK_COMBINE;
    same(paper(&p, b, OB_TOP_RING_UP, 0, 32, 0, 1).root, 1);
    same(paper(&p, b, OB_TOP_RING_UP, 0, 32, 0, 1).max, 3100);
    same(paper(&p, b, OB_TOP_RING_DOWN, 0, 5, 0, 1).max, 400);
    same(paper(&p, b, OB_TOP_SPLIT_RING, 0, 32, 0, 1).root, 2);
    same(paper(&p, b, OB_TOP_SPLIT_RING, 0, 33, 0, 1).max, 1600);
    same(paper(&p, b, OB_TOP_MULTIRING, 3, 31, 0, 1).max, 1002); /* equal rings */
    same(paper(&p, b, OB_TOP_MULTIRING, 3, 32, 0, 1).max, 1100); /* one long ring */
    same(paper(&p, b, OB_TOP_MULTIRING, -3, 32, 0, 1).root, 3);
    same(paper(&p, b, OB_TOP_HYPERCUBE, 0, 32, 0, 1).root, 5);
    same(paper(&p, b, OB_TOP_HYPERCUBE, 0, 32, 0, 1).max, 500);
    same(paper(&p, b, OB_TOP_TREE, 1, 32, 0, 1).max, 500);
    /* H_t = 4, N_is = 1: 3 sends of 3 and one; (3 2 + 0) T_s + 4 T_c. */
    same(paper(&p, b, OB_TOP_TREE, 2, 32, 0, 1).root, 2 * 3 + 1);
    same(paper(&p, b, OB_TOP_TREE, 2, 32, 0, 1).max, 3 + 400);
    same(paper(&p, b, OB_TOP_TREE, 3, 32, 0, 1).root, 3 * 2 + 1);
    same(paper(&p, b, OB_TOP_FULL, 0, 32, 0, 1).root, 31);
    same(paper(&p, b, OB_TOP_FULL, 0, 32, 0, 1).max, 130);
    same(paper(&p, b, OB_TOP_TREE, 4, 1, 0, 1).max, 0);
    same(paper(&p, b, OB_TOP_RING_UP, 0, 1, 0, 1).max, 0);
    /* Pipelining: T1 + 14 (T_c + 2 T_s) over 15 calls. */
    same(paper(&p, b, OB_TOP_MULTIRING, 3, 31, 0, 15).max, (1002 + 14 * 102) / 15.0);
    same(paper(&p, c, OB_TOP_TREE, 1, 32, 0, 1).max, 5 * 110);
    same(paper(&p, c, OB_TOP_TREE, 1, 32, OB_ANY, 1).max, 5 * 210);
    same(paper(&p, c, OB_TOP_TREE, 4, 25, 0, 1).max, 2 * 410);
    same(paper(&p, c, OB_TOP_HYPERCUBE, 0, 32, OB_ANY, 1).max, 5 * 110);
    same(paper(&p, c, OB_TOP_HYPERCUBE, 0, 33, OB_ANY, 1).root, 110 + 1 + 5 * 110);
    same(paper(&p, c, OB_TOP_HYPERCUBE, 0, 33, OB_ANY, 1).max, 210 + 5 * 110);
    same(paper(&p, c, OB_TOP_HYPERCUBE, 0, 33, 0, 1).max, 6 * 110);
    /* Where the operation is the longer one, more branches save messages. */
    p.curve[OB_T_O] = line(200, 0);
    same(paper(&p, c, OB_TOP_TREE, 4, 25, 0, 1).max, 2 * 900);
}

/* 4.4.2: T_s about T_c, so a 3-ring of 32 takes 10 T_c + 2 T_s, and again T_c + 2 T_s each. */
static void test_paper_example(void **state)
{
    ob_profile p = machine(line(169, 0.9118), line(150, 0.9164), line(0, 0));
    double tc = 169 + 0.9118 * DOUBLES, ts = 150 + 0.9164 * DOUBLES;
    same(paper(&p, OB_WORK_BROADCAST, OB_TOP_MULTIRING, 3, 32, 0, 1).max, 10 * tc + 2 * ts);
    same(paper(&p, OB_WORK_BROADCAST, OB_TOP_MULTIRING, 3, 32, 0, 15).max,
         (10 * tc + 2 * ts + 14 * (tc + 2 * ts)) / 15);
    same(paper(&p, OB_WORK_BROADCAST, OB_TOP_MULTIRING, 3, 32, 0, 15).root, 3 * ts);
}

/* 4.4.2 with the copy: T_m + 10 T_c + 2 T_s, then T_m + T_c + 2 T_s each; the source T_m + 3 T_s.
 */
static void test_paper_buffers(void **state)
{
    const int m = OB_PAPER_BUFFERS;
    ob_profile p = machine(line(169, 0.9118), line(150, 0.9164), line(0, 0));
    double tc = 169 + 0.9118 * DOUBLES, ts = 150 + 0.9164 * DOUBLES, tm = -152 + 0.7248 * DOUBLES;
    p.curve[OB_T_M] = line(-152, 0.7248);
    obb_times t = paper_on(&p, m, OB_WORK_BROADCAST, OB_TOP_MULTIRING, 3, 32, 0, 1);
    same(t.max, tm + 10 * tc + 2 * ts);
    same(t.root, tm + 3 * ts);
    t = paper_on(&p, m, OB_WORK_BROADCAST, OB_TOP_MULTIRING, 3, 32, 0, 15);
    same(t.max, (tm + 10 * tc + 2 * ts + 14 * (tm + tc + 2 * ts)) / 15);
    same(t.root, tm + 3 * ts);
    same(paper_on(&p, m, OB_WORK_BROADCAST, OB_TOP_TREE, 1, 32, 0, 1).max, tm + 5 * tc);
    same(paper_on(&p, m, OB_WORK_COMBINE, OB_TOP_TREE, 1, 32, OB_ANY, 1).max, tm + 5 * 2 * tc);
    same(paper_on(&p, m, OB_WORK_BROADCAST, OB_TOP_TREE, 1, 1, 0, 1).max, 0);
}

/* 5.3.2 and figure 36: four others send to one. 5.4.2: what sends cannot receive meanwhile, and
 * then the exchange takes as long as there and back along the tree with one branch (5.5.2, table
 * 15). */
static void test_paper_fan_in_and_overlap(void **state)
{
    ob_profile p = machine(line(100, 0), line(1, 0), line(10, 0));
    const ob_work_kind c = OB_WORK_COMBINE;
    const int none = OB_PAPER_NO_OVERLAP;
    same(paper(&p, c, OB_TOP_FULL, 0, 5, 0, 1).max, 4 * 100 + 10);
    same(paper_on(&p, none, c, OB_TOP_FULL, 0, 5, 0, 1).max, 4 * (100 + 10));
    same(paper(&p, c, OB_TOP_FULL, 0, 5, OB_ANY, 1).max, 4 * 100 + 10 + 3 * 100);
    same(paper(&p, c, OB_TOP_FULL, 0, 5, OB_ANY, 1).root, 4 * 100 + 10);
    same(paper(&p, c, OB_TOP_FULL, 0, 1, 0, 1).max, 0);
    same(paper_on(&p, none, c, OB_TOP_TREE, 4, 25, 0, 1).max, 2 * 4 * 110);
    same(paper_on(&p, none, c, OB_TOP_TREE, 1, 32, 0, 1).max, 5 * 110);
    same(paper_on(&p, none, c, OB_TOP_HYPERCUBE, 0, 32, OB_ANY, 1).max, 5 * (2 * 100 + 10));
    same(paper_on(&p, none, c, OB_TOP_HYPERCUBE, 0, 32, OB_ANY, 1).max,
         paper_on(&p, none, c, OB_TOP_TREE, 1, 32, OB_ANY, 1).max);
    same(paper_on(&p, none, c, OB_TOP_HYPERCUBE, 0, 33, OB_ANY, 1).root, 110 + 1 + 5 * 210);
    same(paper_on(&p, none, c, OB_TOP_HYPERCUBE, 0, 33, OB_ANY, 1).max, 210 + 5 * 210);
    /* An operation that is longer than a message hides the others' messages, if it can. */
    p.curve[OB_T_O] = line(200, 0);
    same(paper(&p, c, OB_TOP_FULL, 0, 5, 0, 1).max, 100 + 4 * 200);
    same(paper_on(&p, none, c, OB_TOP_FULL, 0, 5, 0, 1).max, 4 * 300);
}

static void test_paper_refusals(void **state)
{
    ob_profile p;
    obb_times t = {.max = 7};
    ob_profile_builtin(&p);
    const obb_work wrong[] = {
        {.kind = OB_WORK_BARRIER, .members = 2},
        {.kind = OB_WORK_BROADCAST, .members = 0},
        {.kind = OB_WORK_BROADCAST, .members = 2, .route = {.topology = OB_TOP_TREE}},
        {.kind = OB_WORK_BROADCAST, .members = 2, .route = {.topology = OB_TOP_MULTIRING}},
        {.kind = OB_WORK_BROADCAST, .members = 2, .route = {.topology = (ob_topology)99}},
        {.kind = OB_WORK_COMBINE, .members = 2, .route = {.topology = OB_TOP_RING_UP}},
        {.kind = OB_WORK_COMBINE, .members = 2, .route = {.topology = OB_TOP_TREE}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(obb_predict_paper(&p, &wrong[i], 0, &t), OB_EARG);
    const obb_work good = {.kind = OB_WORK_BROADCAST, .members = 2};
    assert_int_equal(obb_predict_paper(&p, &good, 4, &t), OB_EARG);
    assert_true(t.max == 7);
}

/* ---------------------------------------------------------------- simulation */

/* A processor for each; sends and receives cost 1, a message 100. */
static ob_profile plain_machine(int processors)
{
    ob_profile p = machine(line(100, 0), line(1, 0), line(10, 0));
    p.curve[OB_T_R] = line(1, 0);
    p.processors = processors;
    p.waiting = (ob_waiting){.turn = 1, .rest = 1, .flow = 0, .spill = 1, .cold = 1};
    return p;
}

static obb_work call(ob_work_kind kind, ob_topology top, int branches, int members, int root)
{
    return (obb_work){.kind = kind,
                      .route = {.topology = top, .branches = branches},
                      .members = members,
                      .root = root,
                      .bytes = 8};
}

static double slowest(const ob_profile *p, const obb_work *w)
{
    obb_times t;
    assert_int_equal(obb_predict(p, w, &t), OB_OK);
    return t.max;
}

/* With a processor for each member and free waking, the simulation is the
 * paper's arithmetic wherever that is exact. */
static void test_simulation_is_the_formula(void **state)
{
    static const struct {
        ob_topology top;
        int branches, members;
    } cases[] = {{OB_TOP_RING_UP, 0, 8},    {OB_TOP_RING_DOWN, 0, 5}, {OB_TOP_MULTIRING, 3, 10},
                 {OB_TOP_HYPERCUBE, 0, 16}, {OB_TOP_TREE, 1, 16},     {OB_TOP_TREE, 2, 27},
                 {OB_TOP_FULL, 0, 9},       {OB_TOP_TREE, 3, 16},     {OB_TOP_TREE, 1, 2}};
    ob_profile p = plain_machine(64);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        obb_work w = call(OB_WORK_BROADCAST, cases[i].top, cases[i].branches, cases[i].members, 0);
        obb_times formula =
            paper(&p, OB_WORK_BROADCAST, cases[i].top, cases[i].branches, cases[i].members, 0, 1);
        double got = slowest(&p, &w);
        /* A few T_s of difference: who goes first. */
        if (fabs(got - formula.max) > 4)
            fail_msg("case %zu: %g simulated, %g by the formula", i, got, formula.max);
    }
}

static void test_simulated_combines(void **state)
{
    ob_profile p = plain_machine(64);
    obb_work one = call(OB_WORK_COMBINE, OB_TOP_TREE, 1, 16, 0);
    obb_work all = call(OB_WORK_COMBINE, OB_TOP_TREE, 1, 16, OB_ANY);
    obb_work both = call(OB_WORK_COMBINE, OB_TOP_HYPERCUBE, 1, 16, OB_ANY);
    obb_work folded = call(OB_WORK_COMBINE, OB_TOP_HYPERCUBE, 1, 11, OB_ANY);
    assert_true(fabs(slowest(&p, &one) - 4 * 110) <= 5);
    assert_true(fabs(slowest(&p, &all) - 4 * 210) <= 9);
    assert_true(fabs(slowest(&p, &both) - 4 * 110) <= 5);
    /* The formula's bound; those that wait for nobody at first are ahead of it. */
    double with_fold = slowest(&p, &folded);
    assert_true(with_fold <= 3 * 110 + 210 && with_fold >= 3 * 110 + 100);
    all.bytes = 4 * OB_SLICE_BYTES; /* four chunks, one behind the other */
    double four = slowest(&p, &all);
    all.bytes = OB_SLICE_BYTES;
    double single = slowest(&p, &all);
    assert_true(four > 3 * single && four < 4.01 * single); /* each waits for its result */
}

/* All algorithms, sizes and roots come to an end, with times in order. */
static void test_every_call_ends(void **state)
{
    ob_profile p;
    int tops = 0;
    while (ob_topology_at(tops))
        tops++;
    ob_profile_builtin(&p);
    for (int processors = 1; processors <= 4; processors++)
        for (int members = 1; members <= 9; members++)
            for (int i = 0; i < 3 * 3 * tops; i++) {
                obb_work w = {.kind = (ob_work_kind)(i / (3 * tops)),
                              .route = {.topology = (ob_topology)(i % tops), .branches = 1 + i % 3},
                              .members = members,
                              .root = i / (3 * tops) == 1 && i % 2 ? OB_ANY : (i / tops) % members,
                              .bytes = i % 5 ? (size_t)1 << (4 * (i % 5)) : 0,
                              .repeated = 1 + i % 4};
                obb_times t;
                p.processors = processors;
                if (obb_predict(&p, &w, &t))
                    fail_msg("case %d, %d members: %s", i, members, ob_error_text());
                assert_true(t.min >= 0 && t.min <= t.mean + 1e-9 && t.mean <= t.max + 1e-9);
                assert_true(t.root >= t.min && t.root <= t.max);
            }
}

/* What a shared processor costs: never less than a processor for each. */
static void test_sharing_costs(void **state)
{
    obb_work w = call(OB_WORK_BROADCAST, OB_TOP_TREE, 1, 8, 0);
    double before = 0;
    for (int processors = 8; processors >= 1; processors /= 2) {
        ob_profile p = plain_machine(processors);
        p.curve[OB_T_C] = line(3, 0);
        p.waiting.turn = 5;
        double now = slowest(&p, &w);
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 10);
}

/* Four members on two processors, all but turns and looks free, as it was traced: the last in the
 * barrier looks at its mailbox, gives the processor to the source, which sends, comes
 * to the next barrier and gives it back. Whoever began is forgotten by then. */
static void test_turns_are_counted(void **state)
{
    obb_work w = call(OB_WORK_BROADCAST, OB_TOP_FULL, 0, 4, 0);
    ob_profile p = plain_machine(2);
    for (int q = 0; q < OB_QUANTITIES; q++)
        p.curve[q] = line(1e-6, 0);
    p.waiting.turn = 10;
    p.waiting.glance = 1;
    p.waiting.look = 50;
    assert_true(fabs(slowest(&p, &w) - (1 + 2 * 10)) < 0.01);
}

/* Members that do not fit together are found, not waited for. */
static void test_deadlock(void **state)
{
    ob_profile p = plain_machine(2);
    obb_script scripts[2] = {{0}};
    double elapsed[2];
    for (int i = 0; i < 2; i++) {
        obb_script_add(&scripts[i], OB_DO_RECEIVE, 1 - i, 8);
        obb_script_add(&scripts[i], OB_DO_SEND, 1 - i, 8);
    }
    assert_int_equal(obb_simulate(&p, 2, scripts, 1, 0, 0, elapsed), OB_EARG);
    free(scripts[0].step);
    free(scripts[1].step);
}

static void test_refusals(void **state)
{
    ob_profile p;
    obb_times t;
    ob_profile_builtin(&p);
    const obb_work wrong[] = {
        {.members = 0},
        {.members = 2, .root = 2},
        {.members = 2, .root = -1},
        {.members = 2, .repeated = 100000},
        {.members = 2, .route = {.topology = (ob_topology)99}},
        {.members = 2, .route = {.topology = OB_TOP_TREE}},
        {.kind = OB_WORK_COMBINE, .members = 2, .root = -2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(obb_predict(&p, &wrong[i], &t), OB_EARG);
}

static void test_local(void **state)
{
    double a[3] = {1, 2, 3}, b[3] = {10, 20, 30};
    assert_int_equal(ob_combine_local(OB_SUM, OB_DOUBLE, 3, a, b), OB_OK);
    assert_true(a[0] == 11 && a[1] == 22 && a[2] == 33);
    assert_int_equal(ob_combine_local(OB_SUM, OB_BYTE, 3, a, b), OB_EARG);
    assert_int_equal(ob_combine_local((ob_op)9, OB_DOUBLE, 3, a, b), OB_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_broadcasts),
        cmocka_unit_test(test_paper_combines),
        cmocka_unit_test(test_paper_texts),
        cmocka_unit_test(test_paper_example),
        cmocka_unit_test(test_paper_buffers),
        cmocka_unit_test(test_paper_fan_in_and_overlap),
        cmocka_unit_test(test_paper_refusals),
        cmocka_unit_test(test_simulation_is_the_formula),
        cmocka_unit_test(test_simulated_combines),
        cmocka_unit_test(test_every_call_ends),
        cmocka_unit_test(test_sharing_costs),
        cmocka_unit_test(test_turns_are_counted),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
