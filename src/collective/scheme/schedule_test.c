/*
 * Schemes carried out symbolically: every block of every member is the
 * list of contributions in it. For each operation and size, with even and odd
 * dimensions and every root, each member ends with what it should have, each contribution
 * in it exactly once; and the costs are those of icc.txt, 3.1 to 3.3. What the forms of one line
 * do is in form_test.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/planner/cost.h"
#include "collective/scheme/scheme.h"
#include "unit.h"

enum { MOST = 24 };

typedef struct message {
    struct message *next;
    int blocks;
    double sent; /* time */
    int step;
    unsigned char *content; /* blocks x size counts */
} message;

typedef struct world {
    int size, blocks;
    unsigned char *content; /* [member][block][contributor] */
    ob_moves moves[MOST];
    int at[MOST];
    bool sent[MOST]; /* the present move's send is done */
    double time[MOST];
    message *queue[MOST][MOST];
    double alpha, beta, gamma; /* beta and gamma: of the whole vector */
} world;

static unsigned char *block_of(const world *w, int member, int block)
{
    return w->content + ((size_t)member * (size_t)w->blocks + (size_t)block) * (size_t)w->size;
}

static int length(const ob_move *m, bool send)
{
    return send ? m->send.b - m->send.a + m->send_more.b - m->send_more.a
                : m->recv.b - m->recv.a + m->recv_more.b - m->recv_more.a;
}

/* The k-th block of a move's send or receive. */
static int nth(const ob_move *m, bool send, int k)
{
    ob_range first = send ? m->send : m->recv, more = send ? m->send_more : m->recv_more;
    return k < first.b - first.a ? first.a + k : more.a + k - (first.b - first.a);
}

static void post(world *w, int me, const ob_move *m)
{
    message *s = calloc(1, sizeof *s);
    s->blocks = length(m, true);
    s->sent = w->time[me];
    s->content = malloc((size_t)s->blocks * (size_t)w->size + 1);
    for (int k = 0; k < s->blocks; k++)
        memcpy(s->content + (size_t)k * (size_t)w->size, block_of(w, me, nth(m, true, k)),
               (size_t)w->size);
    message **end = &w->queue[me][m->to];
    while (*end)
        end = &(*end)->next;
    *end = s;
}

static double share_of(const world *w, int blocks)
{
    return (double)blocks / w->blocks;
}

static void take(world *w, int me, const ob_move *m, message *s)
{
    assert_int_equal(s->blocks, length(m, false));
    for (int k = 0; k < s->blocks; k++) {
        unsigned char *here = block_of(w, me, nth(m, false, k));
        for (int i = 0; i < w->size; i++) {
            unsigned char there = s->content[(size_t)k * (size_t)w->size + (size_t)i];
            here[i] = (unsigned char)(m->combine ? here[i] + there : there);
        }
    }
}

/* Carries out one move of a member, as far as it can; true when something happened. */
static bool advance(world *w, int me)
{
    if (w->at[me] == w->moves[me].count)
        return false;
    const ob_move *m = &w->moves[me].at[w->at[me]];
    bool happened = !w->sent[me] && m->to >= 0;
    if (happened)
        post(w, me, m);
    w->sent[me] = true;
    double end = w->time[me];
    if (m->to >= 0)
        end += w->alpha + w->beta * share_of(w, length(m, true));
    if (m->from >= 0) {
        message *s = w->queue[m->from][me];
        if (s == NULL)
            return happened;
        double begin = s->sent > w->time[me] ? s->sent : w->time[me];
        double share = share_of(w, s->blocks);
        double got = begin + w->alpha + w->beta * share + (m->combine ? w->gamma * share : 0);
        take(w, me, m, s);
        w->queue[m->from][me] = s->next;
        free(s->content);
        free(s);
        end = got > end ? got : end;
    }
    w->time[me] = end;
    w->at[me]++;
    w->sent[me] = false;
    return true;
}

static void open_world(world *w, const ob_scheme *s, int size, int pieces, int root)
{
    w->size = size;
    w->blocks = ob_scheme_blocks(s, pieces);
    w->content = calloc((size_t)size * (size_t)w->blocks, (size_t)size);
    for (int i = 0; i < size; i++) {
        w->moves[i] = (ob_moves){0};
        ob_scheme_moves(s, pieces, root, i, &w->moves[i]);
        assert_false(w->moves[i].failed);
        w->at[i] = 0;
        w->time[i] = 0;
        w->sent[i] = false;
    }
}

static double run(world *w)
{
    for (bool going = true; going;) {
        going = false;
        for (int i = 0; i < w->size; i++)
            while (advance(w, i))
                going = true;
    }
    double last = 0;
    for (int i = 0; i < w->size; i++) {
        assert_int_equal(w->at[i], w->moves[i].count);
        for (int j = 0; j < w->size; j++)
            assert_null(w->queue[i][j]);
        last = w->time[i] > last ? w->time[i] : last;
        ob_moves_free(&w->moves[i]);
    }
    return last;
}

static void close_world(world *w)
{
    free(w->content);
}

/* What member `me` begins with, and should end with: contributions to a block
 * (-1: it does not matter). */
static int before(ob_task kind, const world *w, int root, int me, int block, int who)
{
    int owner = block / (w->blocks / w->size ? w->blocks / w->size : 1);
    switch (kind) {
    case OB_TASK_BROADCAST: return me == root && who == root;
    case OB_TASK_SCATTER: return me == root && who == root;
    case OB_TASK_GATHER:
    case OB_TASK_COLLECT: return owner == me && who == me;
    default: return who == me;
    }
}

static int after(ob_task kind, const world *w, int root, int me, int block, int who)
{
    int owner = block / (w->blocks / w->size ? w->blocks / w->size : 1);
    switch (kind) {
    case OB_TASK_BROADCAST: return who == root;
    case OB_TASK_COMBINE: return me == root ? 1 : -1;
    case OB_TASK_SCATTER: return owner == me ? who == root : -1;
    case OB_TASK_GATHER: return me == root ? who == owner : -1;
    case OB_TASK_COLLECT: return who == owner;
    case OB_TASK_DISTRIBUTE: return owner == me ? 1 : -1;
    default: return 1;
    }
}

static int has_pieces(ob_task kind, int size)
{
    return kind >= OB_TASK_SCATTER && kind <= OB_TASK_DISTRIBUTE ? size : 0;
}

static double try_scheme(const ob_scheme *s, ob_task kind, int size, int root, double alpha,
                         double beta, double gamma)
{
    world w = {.alpha = alpha, .beta = beta, .gamma = gamma};
    char text[OB_SCHEME_TEXT];
    ob_scheme_print(s, text);
    if (!ob_scheme_fits(s, kind, size))
        fail_msg("%s is no %s of %d", text, ob_task_name(kind), size);
    open_world(&w, s, size, has_pieces(kind, size), root);
    for (int i = 0; i < size; i++)
        for (int b = 0; b < w.blocks; b++)
            for (int k = 0; k < size; k++)
                block_of(&w, i, b)[k] = (unsigned char)before(kind, &w, root, i, b, k);
    double time = run(&w);
    for (int i = 0; i < size; i++)
        for (int b = 0; b < w.blocks; b++)
            for (int k = 0; k < size; k++) {
                int want = after(kind, &w, root, i, b, k);
                if (want >= 0 && block_of(&w, i, b)[k] != want)
                    fail_msg("%s of %d, root %d: member %d has %d of %d in block %d, not %d", text,
                             size, root, i, block_of(&w, i, b)[k], k, b, want);
            }
    close_world(&w);
    return time;
}

static void try_roots(const ob_scheme *s, ob_task kind, int size)
{
    for (int root = 0; root<size; root += size> 9 && root > 1 ? 3 : 1)
        try_scheme(s, kind, size, root, 1, 0, 0);
}

/* ------------------------------------------------------------ every operation */

static int detail_of(ob_how how)
{
    ob_detail detail = ob_hows[how]->detail;
    return detail == OB_DETAIL_LAMBDA ? 23 : detail == OB_DETAIL_SEGMENTS ? 2 + (int)how % 2 : 0;
}

static void add(ob_scheme *s, ob_act act, ob_how how, int count, int stride)
{
    ob_scheme_add(s, act, how, count, stride, detail_of(how));
}

/* Each form of each act on an r x c mesh; r = 1: a line. */
static void try_forms(int r, int c)
{
    static const ob_task tasks[OB_ACTS] = {
        [OB_ACT_BROADCAST] = OB_TASK_BROADCAST, [OB_ACT_COMBINE] = OB_TASK_COMBINE,
        [OB_ACT_SCATTER] = OB_TASK_SCATTER,     [OB_ACT_GATHER] = OB_TASK_GATHER,
        [OB_ACT_COLLECT] = OB_TASK_COLLECT,     [OB_ACT_DISTRIBUTE] = OB_TASK_DISTRIBUTE,
        [OB_ACT_EXCHANGE] = OB_TASK_ALL};
    for (ob_act act = 0; act < OB_ACTS; act++)
        for (ob_how how = 0; how < OB_HOWS; how++) {
            bool inward = act == OB_ACT_COMBINE || act == OB_ACT_GATHER || act == OB_ACT_COLLECT;
            ob_scheme s = {0};
            if (!ob_form_exists(act, how))
                continue;
            add(&s, act, how, inward ? c : r, inward ? 1 : c);
            add(&s, act, how, inward ? r : c, inward ? c : 1);
            if (act < OB_ACT_COLLECT)
                try_roots(&s, tasks[act], r * c);
            else
                try_scheme(&s, tasks[act], r * c, 0, 1, 0, 0);
        }
}

/* What is made of different acts. */
static void try_mixed(int r, int c)
{
    int p = r * c;
    for (ob_how t = 0; t < OB_HOWS; t++) {
        if (!ob_form_exists(OB_ACT_BROADCAST, t) || !ob_form_exists(OB_ACT_COMBINE, t))
            continue;
        ob_how cut = ob_form_exists(OB_ACT_SCATTER, t) ? t : OB_HOW_TREE;
        ob_scheme all = {0}, co = {0}, di = {0};
        add(&all, OB_ACT_COMBINE, t, c, 1), add(&all, OB_ACT_COMBINE, t, r, c);
        di = all;
        add(&all, OB_ACT_BROADCAST, t, r, c), add(&all, OB_ACT_BROADCAST, t, c, 1);
        add(&co, OB_ACT_GATHER, cut, c, 1), add(&co, OB_ACT_GATHER, cut, r, c);
        add(&co, OB_ACT_BROADCAST, t, r, c), add(&co, OB_ACT_BROADCAST, t, c, 1);
        add(&di, OB_ACT_SCATTER, cut, r, c), add(&di, OB_ACT_SCATTER, cut, c, 1);
        try_scheme(&all, OB_TASK_ALL, p, 0, 1, 0, 0);
        try_scheme(&co, OB_TASK_COLLECT, p, 0, 1, 0, 0);
        try_scheme(&di, OB_TASK_DISTRIBUTE, p, 0, 1, 0, 0);
    }
    for (ob_how t = 0; t < OB_HOWS; t++) {
        ob_scheme b = {0}, hybrid = {0};
        if (!ob_form_exists(OB_ACT_COLLECT, t))
            continue;
        add(&b, OB_ACT_SCATTER, OB_HOW_TREE, r, c), add(&b, OB_ACT_SCATTER, OB_HOW_TREE, c, 1);
        add(&b, OB_ACT_COLLECT, t, c, 1), add(&b, OB_ACT_COLLECT, t, r, c);
        try_roots(&b, OB_TASK_BROADCAST, p);
        add(&hybrid, OB_ACT_SCATTER, OB_HOW_TREE, c, 1);
        add(&hybrid, OB_ACT_BROADCAST, OB_HOW_CHAIN, r, c);
        add(&hybrid, OB_ACT_COLLECT, t, c, 1);
        try_roots(&hybrid, OB_TASK_BROADCAST, p);
    }
    for (ob_how d = 0; d < OB_HOWS; d++) {
        if (!ob_form_exists(OB_ACT_DISTRIBUTE, d))
            continue;
        ob_how up = d == OB_HOW_BUCKET ? OB_HOW_HALVING : OB_HOW_BRUCK;
        ob_scheme all = {0}, hybrid = {0}, by_root = {0}, one = {0};
        add(&all, OB_ACT_DISTRIBUTE, d, r, c), add(&all, OB_ACT_DISTRIBUTE, d, c, 1);
        add(&all, OB_ACT_COLLECT, OB_HOW_BUCKET, c, 1), add(&all, OB_ACT_COLLECT, up, r, c);
        try_scheme(&all, OB_TASK_ALL, p, 0, 1, 0, 0);
        add(&hybrid, OB_ACT_DISTRIBUTE, d, c, 1);
        by_root = one = hybrid;
        add(&hybrid, OB_ACT_EXCHANGE, OB_HOW_HALVING, r, c);
        add(&hybrid, OB_ACT_COLLECT, up, c, 1);
        try_scheme(&hybrid, OB_TASK_ALL, p, 0, 1, 0, 0);
        add(&by_root, OB_ACT_COMBINE, OB_HOW_CHAIN, r, c);
        add(&by_root, OB_ACT_BROADCAST, OB_HOW_TREE, r, c);
        add(&by_root, OB_ACT_COLLECT, up, c, 1);
        try_scheme(&by_root, OB_TASK_ALL, p, 0, 1, 0, 0);
        add(&one, OB_ACT_COMBINE, OB_HOW_CHAIN, r, c), add(&one, OB_ACT_GATHER, OB_HOW_TREE, c, 1);
        try_roots(&one, OB_TASK_COMBINE, p);
    }
}

/* Three dimensions in every order: pieces that end up with others are exchanged. */
static void test_orders(void **state)
{
    static const int sizes[][3] = {{2, 2, 2}, {2, 3, 4}, {3, 2, 4},
                                   {1, 3, 5}, {2, 2, 6}, {5, 2, 2}};
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const ob_how hows[] = {OB_HOW_HALVING, OB_HOW_BUCKET, OB_HOW_BOTH};
    for (int k = 0; k < 6; k++)
        for (int o = 0; o < 6; o++) {
            const int *n = sizes[k], stride[3] = {1, n[0], n[0] * n[1]};
            ob_scheme co = {0}, di = {0};
            for (int i = 0; i < 3; i++) {
                int d = orders[o][i];
                add(&co, OB_ACT_COLLECT, hows[(i + k) % 3], n[d], stride[d]);
                add(&di, OB_ACT_DISTRIBUTE, hows[(i + o) % 3], n[d], stride[d]);
            }
            try_scheme(&co, OB_TASK_COLLECT, n[0] * n[1] * n[2], 0, 1, 0, 0);
            try_scheme(&di, OB_TASK_DISTRIBUTE, n[0] * n[1] * n[2], 0, 1, 0, 0);
            if (n[0] > 1) {
                assert_true(ob_scheme_swaps(&co) == (o != 0));
                assert_true(ob_scheme_swaps(&di) == (o != 5));
            }
        }
}

static void test_every_operation(void **state)
{
    for (int p = 2; p <= 17; p++)
        try_forms(1, p), try_mixed(1, p);
    static const int meshes[][2] = {{2, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 3}, {4, 4},
                                    {3, 5}, {5, 3}, {2, 7}, {8, 2}, {4, 6}};
    for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++)
        try_forms(meshes[k][0], meshes[k][1]), try_mixed(meshes[k][0], meshes[k][1]);
}

static void test_misfits(void **state)
{
    static const struct {
        const char *text;
        ob_task kind;
        int size;
    } wrong[] = {
        {"broadcast4@1:tree", OB_TASK_BROADCAST, 8},
        {"broadcast4@1:tree+broadcast2@2:tree", OB_TASK_BROADCAST, 8},
        {"broadcast4@1:bucket", OB_TASK_BROADCAST, 4},
        {"scatter4@1:tree", OB_TASK_BROADCAST, 4},
        {"scatter4@1:tree+collect4@1:bucket+collect4@1:bucket", OB_TASK_BROADCAST, 4},
        {"scatter2@1:tree+scatter4@2:tree", OB_TASK_SCATTER, 8},
        {"collect4@2:bucket+collect2@2:bucket", OB_TASK_COLLECT, 8},
        {"distribute2@1:bucket+distribute4@1:bucket", OB_TASK_DISTRIBUTE, 8},
        {"combine4@1:tree", OB_TASK_ALL, 4},
        {"combine4@1:tree+broadcast2@4:tree+combine2@4:tree+broadcast4@1:tree", OB_TASK_ALL, 8},
        {"distribute4@1:bucket+combine2@4:tree+collect4@1:bucket", OB_TASK_ALL, 8},
        {"distribute4@1:bucket+combine2@4:tree+broadcast4@1:tree+collect4@1:bucket", OB_TASK_ALL,
         8},
        {"exchange4@1:halving", OB_TASK_COMBINE, 4},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ob_scheme s;
        assert_true(ob_scheme_parse(wrong[k].text, &s));
        assert_false(ob_scheme_fits(&s, wrong[k].kind, wrong[k].size));
    }
}

/* Two colours, on 4 x 8 members. */
static void test_colours(void **state)
{
    static const struct {
        const char *text;
        ob_task task;
    } good[] = {
        {"distribute2@1:halving+exchange2@8:halving+exchange2@2:halving+collect2@1:halving|"
         "distribute2@8:bucket+exchange2@1:halving+exchange2@2:halving+collect2@8:bucket",
         OB_TASK_ALL},
        {"distribute2@1:halving+combine2@8:tree+combine2@2:tree+broadcast2@2:tree+broadcast2@8:"
         "tree+collect2@1:halving|"
         "distribute2@8:bucket+combine2@1:tree+combine2@2:tree+broadcast2@2:tree+broadcast2@1:tree+"
         "collect2@8:bucket",
         OB_TASK_ALL},
        {"scatter2@1:tree+scatter2@8:tree+broadcast2@2:tree+collect2@8:halving+collect2@1:bruck|"
         "scatter2@8:tree+scatter2@1:tree+broadcast2@2:tree+collect2@1:halving+collect2@8:bruck",
         OB_TASK_BROADCAST},
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        ob_scheme s;
        char text[OB_SCHEME_TEXT];
        assert_true(ob_scheme_parse(good[k].text, &s));
        ob_scheme_print(&s, text);
        assert_string_equal(text, good[k].text);
        for (int j = 0; j < s.stages; j++) /* as many as 2 x 2 x 2 members */
            s.stage[j].stride = s.stage[j].stride == 8 ? 4 : s.stage[j].stride;
        for (int root = 0; root < (good[k].task == OB_TASK_BROADCAST ? 8 : 1); root++)
            try_scheme(&s, good[k].task, 8, root, 1, 0, 0);
    }
    ob_scheme s;
    assert_false(
        ob_scheme_parse("exchange2@1:halving|exchange2@1:halving+exchange2@2:halving", &s));
    assert_true(ob_scheme_parse("exchange4@1:halving|exchange4@1:halving", &s));
    assert_false(ob_scheme_fits(&s, OB_TASK_ALL, 4));
    assert_true(ob_scheme_parse("collect2@1:bucket|collect2@1:bruck", &s));
    assert_false(ob_scheme_fits(&s, OB_TASK_COLLECT, 2));
}

static void test_words(void **state)
{
    static const char *const good = "scatter16@32:tree+broadcast32@1:postal2+collect16@32:both";
    static const char *const bad[] = {"",
                                      "scatter",
                                      "scatter16",
                                      "scatter16@",
                                      "scatter16@32",
                                      "scatter16@32:",
                                      "scatter16@32:tree+",
                                      "scatter0@1:tree",
                                      "scatter16@32:tree2",
                                      "broadcast3@1:postal",
                                      "broadcast3@1:chain",
                                      "gather-1@1:tree",
                                      "jump3@1:tree"};
    char text[OB_SCHEME_TEXT];
    ob_scheme s;
    assert_true(ob_scheme_parse(good, &s));
    ob_scheme_print(&s, text);
    assert_string_equal(text, good);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(ob_scheme_parse(bad[k], &s));
}

/* ------------------------------------------------------------------ the formulas */

/* The closed form, on a machine where one term alone costs anything. */
static double closed_form(const ob_scheme *s, int size, double alpha, double beta, double gamma)
{
    static const double n =
        720720 * 17; /* any part of it in at most 17 is whole: curves count whole bytes */
    ob_profile p;
    ob_profile_builtin(&p);
    for (int q = 0; q < OB_QUANTITIES; q++)
        p.curve[q] = (ob_curve){.pieces = 1};
    p.curve[OB_T_C].piece[0] = (ob_piece){0, alpha, beta / n};
    p.curve[OB_T_S].piece[0] = (ob_piece){0, alpha, 0}; /* a sender is busy until it has started */
    p.curve[OB_T_O].piece[0] = (ob_piece){0, 0, gamma / n};
    ob_net net = {&p, 1, size, 0};
    return ob_cost_scheme(&net, s, 0, n);
}

static void expect_terms(const char *text, ob_task kind, int size, double alpha, double beta,
                         double gamma)
{
    ob_scheme s;
    assert_true(ob_scheme_parse(text, &s));
    double a = try_scheme(&s, kind, size, 0, 1, 0, 0), b = try_scheme(&s, kind, size, 0, 0, 1, 0);
    double c = try_scheme(&s, kind, size, 0, 0, 0, 1);
    if (fabs(a - alpha) > 1e-9 || fabs(b - beta) > 1e-9 || fabs(c - gamma) > 1e-9)
        fail_msg("%s: %g alpha + %g n beta + %g n gamma, should be %g, %g, %g", text, a, b, c,
                 alpha, beta, gamma);
    a = closed_form(&s, size, 1, 0, 0);
    b = closed_form(&s, size, 0, 1, 0);
    c = closed_form(&s, size, 0, 0, 1);
    if (fabs(a - alpha) > 1e-9 || fabs(b - beta) > 1e-9 || fabs(c - gamma) > 1e-9)
        fail_msg("%s: predicted %g alpha + %g n beta + %g n gamma, should be %g, %g, %g", text, a,
                 b, c, alpha, beta, gamma);
}

#define TERMS(kind, a, b, c, ...)                                                                  \
    snprintf(text, sizeof text, __VA_ARGS__), expect_terms(text, kind, p, a, b, c)

/* icc.txt 3.1.1 and 3.1.2 on a line, 3.2 built from them. The paper's forms do not need a power of
 * two: ceil(log2 p), p - 1 and (p - 1) / p hold for any p. */
static void test_formulas_of_lines(void **state)
{
    for (int p = 2; p <= 17; p++) {
        double L = ob_log2_ceil(p), r = p - 1, f = r / p;
        char text[200];
        TERMS(OB_TASK_BROADCAST, L, L, 0, "broadcast%d@1:tree", p);
        TERMS(OB_TASK_COMBINE, L, L, L, "combine%d@1:tree", p);
        TERMS(OB_TASK_SCATTER, L, f, 0, "scatter%d@1:tree", p);
        TERMS(OB_TASK_GATHER, L, f, 0, "gather%d@1:tree", p);
        TERMS(OB_TASK_SCATTER, r, f, 0, "scatter%d@1:flat", p);
        TERMS(OB_TASK_GATHER, r, f, 0, "gather%d@1:flat", p);
        TERMS(OB_TASK_COLLECT, r, f, 0, "collect%d@1:bucket", p);
        TERMS(OB_TASK_DISTRIBUTE, r, f, f, "distribute%d@1:bucket", p);
        TERMS(OB_TASK_BROADCAST, L + r, 2 * f, 0, "scatter%d@1:tree+collect%d@1:bucket", p, p);
        TERMS(OB_TASK_COMBINE, L + r, 2 * f, f, "distribute%d@1:bucket+gather%d@1:tree", p, p);
        TERMS(OB_TASK_ALL, 2 * r, 2 * f, f, "distribute%d@1:bucket+collect%d@1:bucket", p, p);
        TERMS(OB_TASK_COLLECT, 2 * L, f + L, 0, "gather%d@1:tree+broadcast%d@1:tree", p, p);
        TERMS(OB_TASK_DISTRIBUTE, 2 * L, f + L, L, "combine%d@1:tree+scatter%d@1:tree", p, p);
        TERMS(OB_TASK_ALL, 2 * L, 2 * L, L, "combine%d@1:tree+broadcast%d@1:tree", p, p);
    }
}

/* What halves and doubles, and the trees in two colours, are the same for powers of two. */
static void test_formulas_of_powers(void **state)
{
    for (int k = 1; k <= 4; k++) {
        int p = 1 << k;
        double L = k, f = (p - 1.0) / p;
        char text[200];
        TERMS(OB_TASK_ALL, L, L, L, "exchange%d@1:halving", p);
        for (int d = 1; d <= 4; d *= 2) { /* N = 2 d segments: 2 log p + N - 2 steps */
            double N = 2 * d, steps = 2 * L + N - 2;
            TERMS(OB_TASK_BROADCAST, steps, steps / N, 0, "broadcast%d@1:double%d", p, d);
            TERMS(OB_TASK_COMBINE, steps, steps / N, steps / N, "combine%d@1:double%d", p, d);
        }
        TERMS(OB_TASK_COLLECT, L, f, 0, "collect%d@1:halving", p);
        TERMS(OB_TASK_COLLECT, L, f, 0, "collect%d@1:bruck", p);
        TERMS(OB_TASK_DISTRIBUTE, L, f, f, "distribute%d@1:halving", p);
        TERMS(OB_TASK_ALL, 2 * L, 2 * f, f, "distribute%d@1:halving+collect%d@1:halving", p, p);
    }
}

/* 3.3: dimension by dimension on an r x c mesh. */
static void test_formulas_of_meshes(void **state)
{
    static const int meshes[][2] = {{2, 4}, {4, 2}, {4, 4}, {2, 8}};
    for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) {
        int r = meshes[k][0], c = meshes[k][1], p = r * c;
        double L = ob_log2_ceil(r) + ob_log2_ceil(c), f = (p - 1.0) / p, s = r + c - 2;
        char text[300];
        TERMS(OB_TASK_BROADCAST, L, L, 0, "broadcast%d@%d:tree+broadcast%d@1:tree", r, c, c);
        TERMS(OB_TASK_COMBINE, L, L, L, "combine%d@1:tree+combine%d@%d:tree", c, r, c);
        TERMS(OB_TASK_SCATTER, L, f, 0, "scatter%d@%d:tree+scatter%d@1:tree", r, c, c);
        TERMS(OB_TASK_GATHER, L, f, 0, "gather%d@1:tree+gather%d@%d:tree", c, r, c);
        TERMS(OB_TASK_COLLECT, s, f, 0, "collect%d@1:bucket+collect%d@%d:bucket", c, r, c);
        TERMS(OB_TASK_DISTRIBUTE, s, f, f, "distribute%d@%d:bucket+distribute%d@1:bucket", r, c, c);
        TERMS(OB_TASK_COLLECT, 2 * L, f + L, 0,
              "gather%d@1:tree+gather%d@%d:tree+broadcast%d@%d:tree+broadcast%d@1:tree", c, r, c, r,
              c, c);
        TERMS(OB_TASK_ALL, 2 * L, 2 * L, L,
              "combine%d@1:tree+combine%d@%d:tree+broadcast%d@%d:tree+broadcast%d@1:tree", c, r, c,
              r, c, c);
        TERMS(OB_TASK_BROADCAST, L + s, 2 * f, 0,
              "scatter%d@%d:tree+scatter%d@1:tree+collect%d@1:bucket+collect%d@%d:bucket", r, c, c,
              c, r, c);
        TERMS(OB_TASK_COMBINE, L + s, 2 * f, f,
              "distribute%d@%d:bucket+distribute%d@1:bucket+gather%d@1:tree+gather%d@%d:tree", r, c,
              c, c, r, c);
        /* 3.4: long along rows, and what is left of it short in columns. */
        double l = ob_log2_ceil(r), g = (c - 1.0) / c;
        TERMS(OB_TASK_ALL, 2 * (c - 1) + 2 * l, 2 * g + 2 * l / c, g + l / c,
              "distribute%d@1:bucket+combine%d@%d:tree+broadcast%d@%d:tree+collect%d@1:bucket", c,
              r, c, r, c, c);
        TERMS(OB_TASK_ALL, 2 * s, 2 * f, f,
              "distribute%d@%d:bucket+distribute%d@1:bucket+collect%d@1:bucket+collect%d@%d:bucket",
              r, c, c, c, r, c);
    }
}
#undef TERMS

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_formulas_of_lines),
        cmocka_unit_test(test_formulas_of_powers),
        cmocka_unit_test(test_formulas_of_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
