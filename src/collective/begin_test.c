/*
 * Collective calls that do not wait: their results are those of the calls that wait, whatever else
 * is under way, in whatever order they are ended, and however often they are begun. Members are
 * threads over one shared memory; the calls that wait are the oracle.
 */
#include "collective/members_test.h"
#include "collective/overlap/prepared.h"
#include "message/internal.h"

#include <math.h>

enum { LONGEST = 40000 };

/* Values in which the order of additions shows. */
static double value(int member, size_t i, unsigned salt)
{
    uint64_t bits = ob_mix((uint64_t)member * 7919 + i * 31 + salt);
    return ldexp((double)(bits >> 11), (int)(bits % 40) - 60);
}

static double *values_of(int member, size_t n, unsigned salt)
{
    double *a = malloc((n + 1) * sizeof *a);
    for (size_t i = 0; i <= n; i++)
        a[i] = value(member, i, salt);
    return a;
}

static void same(const void *a, const void *b, size_t bytes, const char *what)
{
    TEAM_CHECK(bytes == 0 || memcmp(a, b, bytes) == 0, "%s: another result", what);
}

static const size_t lengths[] = {0, 1, 7, 100, 1000, 5000, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* ------------------------------------------------------------------- each against its oracle */

static void check_broadcast(ob_group *g, int root, size_t n)
{
    double *a = values_of(g->me, n, 1), *b = values_of(g->me, n, 1);
    ob_view va = ob_view_vector(a, n, OB_DOUBLE), vb = ob_view_vector(b, n, OB_DOUBLE);
    ob_request *r;
    OK(ob_ibroadcast(g, root, &va, NULL, &r));
    OK(ob_broadcast(g, root, &vb, NULL));
    OK(ob_wait(&r, NULL));
    TEAM_CHECK(r == NULL, "the request is still there");
    same(a, b, (n + 1) * sizeof *a, "ob_ibroadcast");
    free(a);
    free(b);
}

/* A matrix with gaps, and a trapezoid. */
static void check_views(ob_group *g, int root, ob_shape shape)
{
    enum { M = 37, N = 29, LD = 41 };
    double *a = values_of(g->me, LD * N, 2), *b = values_of(g->me, LD * N, 2);
    ob_view va = {.base = a, .m = M, .n = N, .ld = LD, .type = OB_DOUBLE, .shape = shape};
    ob_view vb = va;
    ob_request *r;
    vb.base = b;
    OK(ob_ibroadcast(g, root, &va, NULL, &r));
    OK(ob_broadcast(g, root, &vb, NULL));
    OK(ob_wait(&r, NULL));
    same(a, b, LD * N * sizeof *a, "ob_ibroadcast of a matrix");
    OK(ob_icombine(g, OB_ANY, OB_SUM, &va, NULL, 0, NULL, &r));
    OK(ob_combine(g, OB_ANY, OB_SUM, &vb, NULL, 0, NULL));
    OK(ob_wait(&r, NULL));
    same(a, b, LD * N * sizeof *a, "ob_icombine of a matrix");
    free(a);
    free(b);
}

static void check_combine(ob_group *g, int root, ob_op op, size_t n, bool owners, int repeatable)
{
    double *a = values_of(g->me, n, 3), *b = values_of(g->me, n, 3);
    int *oa = malloc((n + 1) * sizeof *oa), *ob = malloc((n + 1) * sizeof *ob);
    const ob_route route = {.repeatable = repeatable};
    ob_view va = ob_view_vector(a, n, OB_DOUBLE), vb = ob_view_vector(b, n, OB_DOUBLE);
    ob_request *r;
    for (size_t i = 0; i < n; i += 3) /* some are equal */
        a[i] = b[i] = (double)(i % 5) - 2;
    OK(ob_icombine(g, root, op, &va, owners ? oa : NULL, n, &route, &r));
    OK(ob_combine(g, root, op, &vb, owners ? ob : NULL, n, &route));
    OK(ob_wait(&r, NULL));
    if (root == OB_ANY || root == g->me) {
        same(a, b, n * sizeof *a, "ob_icombine");
        if (owners)
            same(oa, ob, n * sizeof *oa, "ob_icombine's owners");
    }
    TEAM_CHECK(a[n] == b[n], "ob_icombine wrote behind the vector");
    free(a);
    free(b);
    free(oa);
    free(ob);
}

static void check_collect(ob_group *g, size_t most)
{
    size_t *counts = malloc((size_t)g->size * sizeof *counts), all = 0;
    for (int i = 0; i < g->size; i++)
        all += counts[i] = most ? (most * (size_t)(i % 3 + 1)) / 2 : 0;
    double *a = values_of(g->me, all, 4), *b = values_of(g->me, all, 4);
    ob_pieces pa = {.base = a, .type = OB_DOUBLE, .counts = counts}, pb = pa;
    ob_request *r;
    pb.base = b;
    OK(ob_icollect(g, &pa, NULL, &r));
    OK(ob_collect(g, &pb, NULL));
    OK(ob_wait(&r, NULL));
    same(a, b, all * sizeof *a, "ob_icollect");
    free(counts);
    free(a);
    free(b);
}

static void check_exchange(ob_group *g, size_t n)
{
    size_t all = n * (size_t)g->size, wrong = 0;
    double *out = values_of(g->me, all, 5), *in = values_of(g->me, all, 6);
    ob_pieces po = {.base = out, .type = OB_DOUBLE, .count = n};
    ob_pieces pi = {.base = in, .type = OB_DOUBLE, .count = n};
    ob_request *r;
    OK(ob_iexchange(g, &po, &pi, &r));
    OK(ob_wait(&r, NULL));
    for (int from = 0; from < g->size; from++)
        for (size_t i = 0; i < n; i++)
            wrong += in[(size_t)from * n + i] != value(from, (size_t)g->me * n + i, 5);
    TEAM_CHECK(wrong == 0, "ob_iexchange: %zu of %zu are wrong", wrong, all);
    free(out);
    free(in);
}

static void each(ob_group *g, void *unused)
{
    (void)unused;
    static const ob_op ops[] = {OB_SUM, OB_MAX_ABS, OB_MIN_ABS, OB_MAX, OB_MIN};
    int roots[] = {0, g->size / 2, g->size - 1, OB_ANY};
    for (size_t k = 0; k < LENGTHS; k++) {
        size_t n = lengths[k];
        for (int i = 0; i < 4; i++) {
            if (roots[i] != OB_ANY)
                check_broadcast(g, roots[i], n);
            check_combine(g, roots[i], OB_SUM, n, false, 0);
            check_combine(g, roots[i], OB_SUM, n, false, OB_REPRODUCIBLE);
            for (int o = 1; o < 5 && n < LONGEST; o++) {
                check_combine(g, roots[i], ops[o], n, false, 0);
                check_combine(g, roots[i], ops[o], n, true, 0);
            }
        }
        check_collect(g, n);
        check_exchange(g, n / 4);
    }
    for (int shape = OB_GENERAL; shape <= OB_LOWER; shape++)
        check_views(g, g->size - 1, (ob_shape)shape);
}

static void test_results_are_those_of_the_calls_that_wait(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 4, 7, 9};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k] <= TEST_MEMBERS)
            run_members(counts[k], each, NULL);
}

/* Whatever the planner might choose between nodes. */
static const char *const plans[] = {
    "broadcast=broadcast4@1:tree,combine=combine4@1:tree,combine-all=exchange4@1:halving,"
    "collect=collect4@1:bucket",
    "broadcast=scatter4@1:tree+collect4@1:bucket,"
    "combine=distribute4@1:bucket+gather4@1:tree,"
    "combine-all=distribute4@1:halving+collect4@1:halving,collect=collect2@2:both+collect2@1:bruck",
    "broadcast=broadcast4@1:chain7,combine=combine2@1:tree+combine2@2:tree,"
    "combine-all=combine4@1:tree+broadcast4@1:double5,collect=gather4@1:tree+broadcast4@1:postal20",
    "broadcast=broadcast4@1:double3,combine-all=distribute2@1:both+exchange2@2:halving+"
    "collect2@1:both,collect=collect4@1:both",
};

static void by_schemes(ob_group *g, void *plan)
{
    g->job->set.plan = plan;
    for (size_t k = 0; k < LENGTHS; k++) {
        check_broadcast(g, 2, lengths[k]);
        check_combine(g, 3, OB_SUM, lengths[k], false, 0);
        check_combine(g, OB_ANY, OB_SUM, lengths[k], false, 0);
        check_combine(g, OB_ANY, OB_MAX, lengths[k], true, 0);
        check_combine(g, 1, OB_SUM, lengths[k], false, OB_REPRODUCIBLE);
        check_collect(g, lengths[k]);
    }
    check_views(g, 1, OB_UPPER);
}

static void test_schemes_give_the_same_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++)
        run_members(4, by_schemes, (void *)(uintptr_t)plans[k]);
}

/* ------------------------------------------------------------------- many at once */

enum { MANY = 24 };

typedef struct call {
    ob_request *request;
    double *mine, *oracle;
    size_t n;
    int kind, root;
} call;

static void begin_call(ob_group *g, call *c, unsigned salt)
{
    ob_view v, w;
    ob_pieces p;
    uint64_t bits = ob_mix(salt);
    c->kind = (int)(bits % 4);
    c->root = (int)(bits >> 8) & 0x7fff;
    c->root %= g->size;
    c->n = lengths[(bits >> 24) % (LENGTHS - 1)];
    size_t all = c->kind == 2 ? c->n * (size_t)g->size : c->n;
    c->mine = values_of(g->me, all, salt);
    c->oracle = values_of(g->me, all, salt);
    v = ob_view_vector(c->mine, c->n, OB_DOUBLE);
    w = ob_view_vector(c->oracle, c->n, OB_DOUBLE);
    p = (ob_pieces){.base = c->mine, .type = OB_DOUBLE, .count = c->n};
    if (c->kind == 0) {
        OK(ob_ibroadcast(g, c->root, &v, NULL, &c->request));
        OK(ob_broadcast(g, c->root, &w, NULL));
    } else if (c->kind == 1) {
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &c->request));
        OK(ob_combine(g, OB_ANY, OB_SUM, &w, NULL, 0, NULL));
    } else if (c->kind == 2) {
        OK(ob_icollect(g, &p, NULL, &c->request));
        p.base = c->oracle;
        OK(ob_collect(g, &p, NULL));
    } else {
        OK(ob_ibarrier(g, &c->request));
    }
}

static void end_call(ob_group *g, call *c)
{
    size_t all = c->kind == 2 ? c->n * (size_t)g->size : c->n;
    same(c->mine, c->oracle, all * sizeof(double), "one of many");
    free(c->mine);
    free(c->oracle);
}

/* Each member ends them in an order of its own, by waiting and by asking. */
static void end_in_disorder(ob_group *g, call *calls, unsigned salt)
{
    ob_request *r[MANY];
    for (int k = 0; k < MANY; k++)
        r[k] = calls[k].request;
    for (int left = MANY; left;) {
        uint64_t bits = ob_mix(salt++ * 977 + (unsigned)g->me * 13);
        int at = (int)(bits % MANY), done = 0, index = -1;
        if (bits >> 20 & 1) {
            at = -1;
            OK(ob_test_any(MANY, r, &index, &left, NULL));
            at = index;
        } else if (r[at] && (bits >> 21 & 1)) {
            OK(ob_wait(&r[at], NULL));
        } else if (r[at]) {
            OK(ob_test(&r[at], &done, NULL));
            at = done ? at : -1;
        } else {
            at = -1;
        }
        if (at >= 0)
            end_call(g, &calls[at]);
        left = 0;
        for (int k = 0; k < MANY; k++)
            left += r[k] != NULL;
    }
}

static void many(ob_group *g, void *unused)
{
    (void)unused;
    for (unsigned round = 0; round < 4; round++) {
        call calls[MANY];
        double word = g->me, from = -1;
        ob_view v = ob_view_vector(&word, 1, OB_DOUBLE), w = ob_view_vector(&from, 1, OB_DOUBLE);
        for (unsigned k = 0; k < MANY; k++) {
            begin_call(g, &calls[k], round * MANY + k);
            /* Messages of the program in between, also of any tag. */
            if (k % 5 == 0 && g->size > 1) {
                OK(ob_send(g, (g->me + 1) % g->size, (int)k, &v));
                OK(ob_recv(g, (g->me + g->size - 1) % g->size, OB_ANY, &w, NULL));
                TEAM_CHECK(from == (g->me + g->size - 1) % g->size, "another message");
            }
        }
        end_in_disorder(g, calls, round * 1000);
    }
}

static void test_many_at_once_end_in_any_order(void **state)
{
    (void)state;
    for (int count = 1; count <= (TEST_MEMBERS < 6 ? TEST_MEMBERS : 6); count++)
        run_members(count, many, NULL);
}

/* ------------------------------------------------------------------- prepared */

static void prepared(ob_group *g, void *unused)
{
    (void)unused;
    enum { TIMES = 20 };
    for (size_t k = 0; k < LENGTHS; k++) {
        size_t n = lengths[k];
        double *a = values_of(g->me, n, 1), *b = values_of(g->me, n, 1),
               *s = values_of(g->me, n, 9);
        ob_view va = ob_view_vector(a, n, OB_DOUBLE), vs = ob_view_vector(s, n, OB_DOUBLE);
        ob_view vb = ob_view_vector(b, n, OB_DOUBLE);
        ob_prepared *one, *two, *three;
        ob_request *r[3];
        OK(ob_prepare_combine(g, OB_ANY, OB_SUM, &va, NULL, 0, NULL, &one));
        OK(ob_prepare_broadcast(g, g->size - 1, &vs, NULL, &two));
        OK(ob_prepare_barrier(g, &three));
        for (int time = 0; time < TIMES; time++) {
            for (size_t i = 0; i < n; i++)
                a[i] = b[i] = s[i] = value(g->me, i, (unsigned)time);
            /* Begun in different orders. */
            if (g->me % 2) {
                OK(ob_begin(two, &r[1]));
                OK(ob_begin(one, &r[0]));
            } else {
                OK(ob_begin(one, &r[0]));
                OK(ob_begin(two, &r[1]));
            }
            OK(ob_begin(three, &r[2]));
            TEAM_CHECK(ob_begin(three, &(ob_request *){NULL}) == OB_ESTATE, "begun twice");
            OK(ob_wait_all(3, r, NULL));
            OK(ob_combine(g, OB_ANY, OB_SUM, &vb, NULL, 0, NULL));
            same(a, b, n * sizeof *a, "a prepared combine");
            for (size_t i = 0; i < n; i++)
                b[i] = value(g->size - 1, i, (unsigned)time);
            same(s, b, n * sizeof *s, "a prepared broadcast");
        }
        ob_prepared_free(one);
        OK(ob_begin(three, &r[2]));
        ob_prepared_free(three); /* at the end of its request */
        OK(ob_wait(&r[2], NULL));
        ob_prepared_free(two);
        free(a);
        free(b);
        free(s);
    }
    ob_prepared_free(NULL);
}

static void test_prepared_calls_are_begun_often(void **state)
{
    (void)state;
    for (int count = 1; count <= 5; count++)
        run_members(count, prepared, NULL);
}

/* ------------------------------------------------------------------- who moves it */

static void plus(size_t n, void *acc, const void *in, const void *context)
{
    double *a = acc;
    const double *b = in;
    atomic_fetch_add((atomic_int *)(uintptr_t)context, 1);
    for (size_t i = 0; i < n; i++)
        a[i] += b[i];
}

static void by_operation(ob_group *g, void *calls)
{
    double *a = values_of(g->me, LONGEST, 3), *b = values_of(g->me, LONGEST, 3);
    const ob_operation sum = {plus, calls, sizeof(double)};
    ob_view va = ob_view_vector(a, LONGEST, OB_DOUBLE), vb = ob_view_vector(b, LONGEST, OB_DOUBLE);
    ob_request *r;
    OK(ob_icombine_by(g, OB_ANY, &sum, &va, NULL, &r));
    OK(ob_combine_by(g, OB_ANY, &sum, &vb, NULL));
    OK(ob_wait(&r, NULL));
    same(a, b, LONGEST * sizeof *a, "ob_icombine_by");
    free(a);
    free(b);
}

static void test_an_operation_of_the_callers_own(void **state)
{
    (void)state;
    atomic_int calls = 0;
    for (int count = 2; count <= 5; count++)
        run_members(count, by_operation, &calls);
    assert_true(atomic_load(&calls) > 0);
}

/* A combine that has begun goes on in a call that waits for something else. */
static void moved_by_others(ob_group *g, void *unused)
{
    (void)unused;
    enum { N = 3000 };
    double *a = values_of(g->me, N, 3), word = 1;
    ob_view v = ob_view_vector(a, N, OB_DOUBLE), w = ob_view_vector(&word, 1, OB_DOUBLE);
    ob_request *r;
    int done = 0;
    OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
    if (g->me == 0) { /* the others wait for its word, which it sends when its own is over */
        while (!done)
            OK(ob_test(&r, &done, NULL));
        for (int i = 1; i < g->size; i++)
            OK(ob_send(g, i, 5, &w));
    } else {
        OK(ob_recv(g, 0, 5, &w, NULL));
        OK(ob_wait(&r, NULL));
    }
    free(a);
}

static void test_a_call_that_waits_moves_what_was_begun(void **state)
{
    (void)state;
    for (int count = 2; count <= 5; count++)
        run_members(count, moved_by_others, NULL);
}

/* Its thread would come only when the root waits, and the others wait for the root. */
static void sent_at_once(ob_group *g, void *shared)
{
    enum { N = 100000 };
    double *a = values_of(g->me, N, 1), *b = values_of(0, N, 1);
    ob_view v = ob_view_vector(a, N, OB_DOUBLE);
    ob_request *r;
    (void)shared;
    g->job->processors = g->size;
    OK(ob_ibroadcast(g, 0, &v, NULL, &r));
    TEAM_CHECK(g->me || ob_request_is_done(r), "a long broadcast waits for the root's next call");
    OK(ob_wait(&r, NULL));
    same(a, b, N * sizeof *a, "a long ob_ibroadcast");
    free(a);
    free(b);
}

static void test_a_long_broadcast_is_sent_at_once_where_no_processor_is_free(void **state)
{
    (void)state;
    for (int count = 2; count <= 5; count++)
        run_members(count, sent_at_once, NULL);
}

static atomic_int at_rest;

/* All compute, without a call, until everybody's is done. */
static void moved_by_thread(team *t, int me)
{
    enum { N = 200000 };
    ob_group *g = team_group(t, me);
    double *a = values_of(me, N, 3);
    ob_view v = ob_view_vector(a, N, OB_DOUBLE);
    ob_request *r;
    OK(ob_icombine(g, OB_ANY, OB_MAX, &v, NULL, 0, NULL, &r));
    TEAM_CHECK(r->large, "the thread is not to move a long combine");
    bool done = false;
    for (int ms = 0; ms < 60000 && !done; ms++) {
        team_sleep_us(1000);
        done = ob_request_is_done(r);
    }
    TEAM_CHECK(done, "a combine stood still while no call was made");
    atomic_fetch_add(&at_rest, 1);
    while (atomic_load(&at_rest) < t->count)
        team_sleep_us(1000);
    OK(ob_wait(&r, NULL));
    free(a);
    ob_group_free(g);
}

static void test_the_thread_moves_long_ones(void **state)
{
    (void)state;
    for (int count = 2; count <= 4; count++) {
        atomic_store(&at_rest, 0);
        assert_int_equal(team_try(count, (size_t)256 << 20, NULL, moved_by_thread, NULL), 0);
    }
}

/* With a thread that does all there is to do, beside calls that do it, too. */
static void with_thread(team *t, int me)
{
    ob_group *g = team_group(t, me);
    many(g, NULL);
    prepared(g, NULL);
    OK(ob_barrier(g));
    ob_group_free(g);
}

static void test_the_thread_and_the_calls_move_them_together(void **state)
{
    (void)state;
    const ob_settings set = {.spin_us = -1, .background_bytes = 1};
    for (int count = 2; count <= 4; count++)
        assert_int_equal(team_try(count, (size_t)256 << 20, &set, with_thread, NULL), 0);
}

/* Bytes that come to the own node by the own steps, each of which is a message. */
static double entering(ob_group *g, const ob_prepared *p, int *messages)
{
    double bytes = 0;
    for (int i = 0; i < p->course.count; i++) {
        const ob_step *s = &p->course.step[i];
        if (s->kind != OB_STEP_RECV || g->node[s->member] == g->node[g->me])
            continue;
        bytes += (double)ob_view_bytes(&s->view);
        ++*messages;
    }
    return bytes;
}

static void check_crossing(ob_group *all, ob_group *g, int root, const ob_view *v)
{
    double come[TEST_MEMBERS + 1] = {0}, whole = (double)ob_view_bytes(v);
    int messages = 0;
    ob_prepared *p;
    OK(ob_prepare_broadcast(g, root, v, NULL, &p));
    come[g->node[g->me]] = entering(g, p, &messages);
    come[g->nodes] = messages;
    ob_prepared_free(p);
    ob_view sum = ob_view_vector(come, (size_t)g->nodes + 1, OB_DOUBLE);
    OK(ob_combine(all, OB_ANY, OB_SUM, &sum, NULL, 0, NULL));
    for (int k = 0; k < g->nodes; k++)
        TEAM_CHECK(come[k] <= whole && (k == g->node[root] || come[k] == whole),
                   "%.0f of %.0f bytes come to node %d of %d", come[k], whole, k, g->nodes);
    TEAM_CHECK(whole > 1000 || (int)come[g->nodes] == g->nodes - 1,
               "%.0f messages between %d nodes", come[g->nodes], g->nodes);
}

/* Short, of one chunk, of several; in columns with gaps. */
static void cross_once(ob_group *g, void *shared)
{
    static const size_t rows[] = {100, 9000, 200}, columns[] = {1, 1, 350}, gaps[] = {0, 0, 3};
    (void)shared;
    for (int nodes = 2; nodes < g->size; nodes++)
        for (int root = 0; root < g->size; root++)
            for (int k = 0; k < 3; k++) {
                size_t ld = rows[k] + gaps[k], n = ld * columns[k];
                double *a = values_of(g->me, n, 1), *b = values_of(g->me, n, 1);
                ob_group *of_nodes = on_nodes(g, nodes, (nodes + root) % 2);
                ob_view v = {.base = a, .m = rows[k], .n = columns[k], .ld = ld, .type = OB_DOUBLE};
                ob_view expected = v;
                ob_request *r;
                expected.base = b;
                OK(ob_ibroadcast(of_nodes, root, &v, NULL, &r));
                OK(ob_broadcast(g, root, &expected, NULL));
                OK(ob_wait(&r, NULL));
                same(a, b, (n + 1) * sizeof *a, "ob_ibroadcast between nodes");
                check_crossing(g, of_nodes, root, &v);
                ob_group_free(of_nodes);
                free(a);
                free(b);
            }
}

static void test_a_broadcast_comes_to_each_node_once(void **state)
{
    (void)state;
    for (int count = 3; count <= 9 && count <= TEST_MEMBERS; count += count < 6 ? 1 : 3)
        run_members(count, cross_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_those_of_the_calls_that_wait),
        cmocka_unit_test(test_a_broadcast_comes_to_each_node_once),
        cmocka_unit_test(test_schemes_give_the_same_bits),
        cmocka_unit_test(test_many_at_once_end_in_any_order),
        cmocka_unit_test(test_prepared_calls_are_begun_often),
        cmocka_unit_test(test_an_operation_of_the_callers_own),
        cmocka_unit_test(test_a_call_that_waits_moves_what_was_begun),
        cmocka_unit_test(test_a_long_broadcast_is_sent_at_once_where_no_processor_is_free),
        cmocka_unit_test(test_the_thread_moves_long_ones),
        cmocka_unit_test(test_the_thread_and_the_calls_move_them_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
