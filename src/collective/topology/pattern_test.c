/*
 * The patterns against LAWN 73: its figures 12 to 19 and 36 to 39, message by
 * message, and for all groups of up to 64 members the properties and
 * formulas of sections 4.3 and 5.4.
 */
#include <stdio.h>
#include <string.h>

#include "collective/topology/pattern.h"
#include "hooks/partners.h"
#include "unit.h"

enum { MOST = 64 };

typedef void (*open_pattern)(ob_pattern *, ob_topology, int, int, int, int);

/* ------------------------------------------------------------------ figures */

/* Writes all messages of a pattern as "0>4 / 0>2 4>6 / ...", a step after the
 * other, in each by sender and in its order. */
static void draw(char *text, size_t room, open_pattern open, ob_topology t, int branches, int size,
                 int root)
{
    text[0] = 0;
    for (int step = 0, any = 1; any; step++) {
        any = 0;
        for (int me = 0; me < size; me++) {
            ob_pattern p;
            ob_edge e;
            open(&p, t, branches, size, root, me);
            while (p.inward ? ob_pattern_parent(&p, &e) : ob_pattern_next(&p, &e)) {
                if (e.step == step) {
                    size_t used = strlen(text);
                    snprintf(text + used, room - used, "%s%d>%d",
                             any    ? " "
                             : used ? " / "
                                    : "",
                             me, e.peer);
                    any = 1;
                }
                if (p.inward)
                    break;
            }
        }
    }
}

typedef struct figure {
    int number;
    open_pattern open;
    ob_topology topology;
    int branches, size;
    const char *messages;
} figure;

static const figure figures[] = {
    {12, ob_pattern_broadcast, OB_TOP_RING_UP, 0, 8, "0>1 / 1>2 / 2>3 / 3>4 / 4>5 / 5>6 / 6>7"},
    {13, ob_pattern_broadcast, OB_TOP_RING_DOWN, 0, 8, "0>7 / 7>6 / 6>5 / 5>4 / 4>3 / 3>2 / 2>1"},
    {14, ob_pattern_broadcast, OB_TOP_SPLIT_RING, 0, 8, "0>1 0>7 / 1>2 7>6 / 2>3 6>5 / 3>4"},
    {15, ob_pattern_broadcast, OB_TOP_MULTIRING, 3, 8, "0>1 0>4 0>6 / 1>2 4>5 6>7 / 2>3"},
    {16, ob_pattern_broadcast, OB_TOP_HYPERCUBE, 0, 8, "0>1 / 0>2 1>3 / 0>4 1>5 2>6 3>7"},
    {17, ob_pattern_broadcast, OB_TOP_TREE, 1, 8, "0>4 / 0>2 4>6 / 0>1 2>3 4>5 6>7"},
    {18, ob_pattern_broadcast, OB_TOP_TREE, 2, 8, "0>3 0>6 / 0>1 0>2 3>4 3>5 6>7"},
    {19, ob_pattern_broadcast, OB_TOP_TREE, 3, 8, "0>4 / 0>1 0>2 0>3 4>5 4>6 4>7"},
    {36, ob_pattern_combine, OB_TOP_FULL, 0, 5, "1>0 2>0 3>0 4>0"},
    {37, ob_pattern_combine, OB_TOP_TREE, 1, 8, "1>0 3>2 5>4 7>6 / 2>0 6>4 / 4>0"},
    {38, ob_pattern_combine, OB_TOP_TREE, 4, 8, "1>0 2>0 3>0 4>0 6>5 7>5 / 5>0"},
};

static void test_figures(void **state)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const figure *f = &figures[i];
        char text[512];
        draw(text, sizeof text, f->open, f->topology, f->branches, f->size, 0);
        if (strcmp(text, f->messages))
            fail_msg("figure %d: %s, should be %s", f->number, text, f->messages);
    }
}

/* Patterns the paper describes without a figure. */
static void test_more_patterns(void **state)
{
    static const figure more[] = {
        {0, ob_pattern_broadcast, OB_TOP_FULL, 0, 5, "0>1 0>2 0>3 0>4"},
        {0, ob_pattern_broadcast, OB_TOP_MULTIRING, -3, 8, "0>7 0>4 0>2 / 2>1 4>3 7>6 / 6>5"},
        {0, ob_pattern_broadcast, OB_TOP_HYPERCUBE, 0, 6, "0>4 / 0>2 / 0>1 2>3 4>5"},
        {0, ob_pattern_broadcast, OB_TOP_BEST, 0, 6, "0>4 / 0>2 / 0>1 2>3 4>5"},
        {0, ob_pattern_broadcast, OB_TOP_SPLIT_RING, 0, 2, "0>1"},
        {0, ob_pattern_broadcast, OB_TOP_TREE, 9, 1, ""},
        {0, ob_pattern_combine, OB_TOP_RING_UP, 0, 4, "1>2 / 2>3 / 3>0"},
        {0, ob_pattern_combine, OB_TOP_RING_DOWN, 0, 4, "3>2 / 2>1 / 1>0"},
        {0, ob_pattern_combine, OB_TOP_SPLIT_RING, 0, 6, "1>2 3>4 / 2>0 4>5 / 5>0"},
        {0, ob_pattern_combine, OB_TOP_MULTIRING, 3, 8, "1>2 3>4 5>6 / 2>0 4>0 6>7 / 7>0"},
        {0, ob_pattern_combine, OB_TOP_MULTIRING, -3, 8, "3>2 5>4 7>6 / 2>1 4>0 6>0 / 1>0"},
        {0, ob_pattern_combine, OB_TOP_HYPERCUBE, 0, 4, "1>0 3>2 / 2>0"},
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[512];
        draw(text, sizeof text, more[i].open, more[i].topology, more[i].branches, more[i].size, 0);
        assert_string_equal(text, more[i].messages);
    }
}

/* Another root turns a figure, and the hypercube is mirrored. */
static void test_other_root(void **state)
{
    char text[512];
    draw(text, sizeof text, ob_pattern_broadcast, OB_TOP_TREE, 1, 8, 5);
    assert_string_equal(text, "5>1 / 1>3 5>7 / 1>2 3>4 5>6 7>0");
    draw(text, sizeof text, ob_pattern_broadcast, OB_TOP_HYPERCUBE, 0, 8, 5);
    assert_string_equal(text, "5>4 / 4>6 5>7 / 4>0 5>1 6>2 7>3");
}

static void test_figure_39(void **state)
{
    static const int partner[3][8] = {
        {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}};
    for (int me = 0; me < 8; me++) {
        ob_partners e = ob_partners_open(8, me);
        assert_int_equal(e.rounds, 3);
        assert_false(e.beyond);
        assert_int_equal(e.folded, OB_ANY);
        for (int round = 0; round < 3; round++)
            assert_int_equal(ob_partners_partner(&e, round), partner[round][me]);
    }
}

/* --------------------------------------------------------------- properties */

/* What a whole pattern looks like: the message each member exchanges with its
 * parent, and how long the last one waits when a send keeps its sender busy for
 * T_SEND and arrives T_WHOLE after it began (LAWN 73, 3.3: T_s and T_c). */
enum { T_SEND = 2, T_WHOLE = 11 };

typedef struct picture {
    int parent[MOST], step[MOST], place[MOST]; /* place: the how-manieth child of its parent */
    int steps, root_messages, longest;
    int sends[MOST];
} picture;

static void check_parents(picture *all, open_pattern open, ob_topology t, int branches, int size,
                          int root)
{
    for (int me = 0; me < size; me++) {
        ob_pattern p;
        ob_edge e;
        open(&p, t, branches, size, root, me);
        all->place[me] = -1;
        assert_int_equal(ob_pattern_parent(&p, &e), me != root);
        if (me == root)
            continue;
        assert_true(e.peer >= 0 && e.peer < size && e.peer != me && e.step >= 0);
        all->parent[me] = e.peer;
        all->step[me] = e.step;
        all->sends[e.step]++;
        if (e.step >= all->steps)
            all->steps = e.step + 1;
    }
}

/* Every member is the child of its parent, once, in the same step; a message
 * leaves later than those it depends on. */
static void check_children(picture *all, open_pattern open, ob_topology t, int branches, int size,
                           int root)
{
    int messages = 0;
    for (int me = 0; me < size; me++) {
        ob_pattern p;
        ob_edge e;
        int place = 0;
        open(&p, t, branches, size, root, me);
        for (; ob_pattern_next(&p, &e); place++, messages++) {
            assert_int_equal(all->parent[e.peer], me);
            assert_int_equal(all->step[e.peer], e.step);
            assert_int_equal(all->place[e.peer], -1);
            all->place[e.peer] = place;
            if (me != root)
                assert_true(p.inward ? e.step < all->step[me] : e.step > all->step[me]);
        }
        if (me == root)
            all->root_messages = place;
        if (place) { /* the walk has started again */
            assert_true(ob_pattern_next(&p, &e));
            assert_int_equal(all->place[e.peer], 0);
        }
    }
    assert_int_equal(messages, size - 1);
}

static void check_reach(picture *all, int size, int root)
{
    for (int me = 0; me < size; me++) {
        int time = 0, hops = 0;
        for (int at = me; at != root; at = all->parent[at]) {
            time += all->place[at] * T_SEND + T_WHOLE;
            assert_true(++hops < size);
        }
        if (time > all->longest)
            all->longest = time;
    }
}

static picture check(open_pattern open, ob_topology t, int branches, int size, int root)
{
    picture all = {.steps = 0};
    check_parents(&all, open, t, branches, size, root);
    check_children(&all, open, t, branches, size, root);
    check_reach(&all, size, root);
    return all;
}

static void test_every_topology(void **state)
{
    for (int t = 0; ob_topology_at(t); t++)
        for (int size = 1; size <= MOST; size++)
            for (int root = 0; root < size; root++) {
                check(ob_pattern_broadcast, (ob_topology)t, 3, size, root);
                check(ob_pattern_combine, (ob_topology)t, 3, size, root);
                check(ob_pattern_send_out, (ob_topology)t, 3, size, root);
            }
}

/* Each row says all there is to say, and its letter leads back to it. */
static void test_letters(void **state)
{
    const ob_topology_row *row;
    ob_route r = {0};
    int t = 0;
    for (; (row = ob_topology_at(t)); t++) {
        assert_non_null(row->open);
        assert_true(row->name && *row->name);
        assert_true(ob_topology_read(row->letter, -10, 10, &r));
        assert_int_equal(r.topology, t);
        int wanted = row->takes == OB_TAKES_RINGS ? -10 : row->takes == OB_TAKES_BRANCHES ? 10 : 0;
        assert_int_equal(r.branches, wanted);
        assert_true(ob_topology_sound(&r));
        assert_int_equal(ob_topology_letter(&r), row->letter);
        r.branches = 0;
        assert_int_equal(ob_topology_sound(&r), row->takes == OB_TAKES_NOTHING);
    }
    assert_true(t > OB_TOP_TREE);
    assert_int_equal(ob_topology_letter(NULL), ' ');
    assert_false(ob_topology_sound(&(ob_route){.topology = (ob_topology)t}));
    assert_true(ob_topology_read('4', 0, 9, &r) && r.topology == OB_TOP_TREE && r.branches == 4);
    assert_int_equal(ob_topology_letter(&r), '4');
    for (const char *none = "0i~X"; *none; none++)
        assert_false(ob_topology_read(*none, 1, 1, &r));
}

static int ceiling(int a, int b)
{
    return (a + b - 1) / b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void test_simple_rings(void **state)
{
    static const ob_topology tops[] = {OB_TOP_RING_UP, OB_TOP_RING_DOWN};
    for (int size = 1; size <= MOST; size++)
        for (int root = 0; root < size; root++)
            for (int i = 0; i < 2; i++) {
                picture a = check(ob_pattern_broadcast, tops[i], 0, size, root);
                assert_int_equal(a.steps, size - 1);
                assert_int_equal(a.root_messages, size > 1);
                assert_int_equal(a.longest, (size - 1) * T_WHOLE);
                a = check(ob_pattern_combine, tops[i], 0, size, root);
                assert_int_equal(a.steps, size - 1);
            }
}

static void test_split_ring(void **state)
{
    for (int size = 1; size <= MOST; size++)
        for (int root = 0; root < size; root++) {
            picture a = check(ob_pattern_broadcast, OB_TOP_SPLIT_RING, 0, size, root);
            int left = (size - 1) / 2;
            assert_int_equal(a.steps, size / 2);
            assert_int_equal(a.root_messages, size > 2 ? 2 : size - 1);
            assert_int_equal(a.longest,
                             larger(size / 2 * T_WHOLE, left ? left * T_WHOLE + T_SEND : 0));
            if (size > 1)
                assert_int_equal(a.place[(root + 1) % size], 0);
            a = check(ob_pattern_combine, OB_TOP_SPLIT_RING, 0, size, root);
            assert_int_equal(a.steps, size / 2);
        }
}

/* LAWN 73, 4.3.1: with all rings of one length the last waits for
 * (Np-1)/Nr Tc + (Nr-1) Ts; else it is the last of the long rings, ceil((Np-1)/Nr) Tc +
 * ((Np-1) mod Nr - 1) Ts, or, for a large Nr, the last ring. */
static int multiring_wait(int size, int rings)
{
    int more = (size - 1) % rings;
    int last = (size - 1) / rings * T_WHOLE + (rings - 1) * T_SEND;
    return more ? larger(last, ceiling(size - 1, rings) * T_WHOLE + (more - 1) * T_SEND) : last;
}

static void test_multirings(void **state)
{
    for (int size = 2; size <= MOST; size++)
        for (int root = 0; root < size; root++)
            for (int branches = -size; branches <= size; branches++) {
                if (branches == 0)
                    continue;
                int rings = branches < 0 ? -branches : branches;
                rings = rings < size ? rings : size - 1;
                picture a = check(ob_pattern_broadcast, OB_TOP_MULTIRING, branches, size, root);
                assert_int_equal(a.steps, ceiling(size - 1, rings));
                assert_int_equal(a.root_messages, rings);
                assert_int_equal(a.longest, multiring_wait(size, rings));
                for (int i = 0; i < (size - 1) / rings; i++)
                    assert_int_equal(a.sends[i], rings); /* table 9 */
                a = check(ob_pattern_combine, OB_TOP_MULTIRING, branches, size, root);
                assert_int_equal(a.steps, ceiling(size - 1, rings));
                assert_int_equal(a.root_messages, rings);
            }
}

static void test_ring_lengths(void **state)
{
    for (int size = 2; size <= MOST; size++)
        for (int rings = 1; rings < size; rings++) {
            int next = 1;
            for (int r = 0; r < rings; r++) {
                int length = ob_rings_length(size, rings, r);
                assert_int_equal(length, (size - 1) / rings + (r < (size - 1) % rings ? 1 : 0));
                assert_int_equal(ob_rings_start(size, rings, r), next);
                for (int i = 0; i < length; i++)
                    assert_int_equal(ob_rings_of(size, rings, next + i), r);
                next += length;
            }
            assert_int_equal(next, size);
        }
}

static void test_full(void **state)
{
    for (int size = 2; size <= MOST; size++)
        for (int root = 0; root < size; root++) {
            picture a = check(ob_pattern_broadcast, OB_TOP_FULL, 0, size, root);
            assert_int_equal(a.steps, 1);
            assert_int_equal(a.root_messages, size - 1);
            a = check(ob_pattern_combine, OB_TOP_FULL, 0, size, root);
            assert_int_equal(a.steps, 1);
            for (int d = 1; d < size; d++) /* the nearest above the root first */
                assert_int_equal(a.place[(root + d) % size], d - 1);
        }
}

/* LAWN 73, 4.3.2: the height of the tree and the sends of the origin in step 0. */
static int height(int size, int branches, long long *below)
{
    int h = 0;
    long long reach = 1;
    for (*below = 1; reach < size; reach *= branches + 1) {
        *below = reach;
        h++;
    }
    return h;
}

static void check_tree(int size, int branches, int root)
{
    long long below;
    int h = height(size, branches, &below);
    int first = size > 1 ? (int)((size + below - 1) / below) - 1 : 0;
    picture a = check(ob_pattern_broadcast, OB_TOP_TREE, branches, size, root);
    assert_int_equal(a.steps, h);
    if (size > 1) {
        assert_int_equal(a.sends[0], first);
        assert_int_equal(a.root_messages, branches * (h - 1) + first);
        int wait = ((h - 1) * (branches - 1) + first - 1) * T_SEND + h * T_WHOLE;
        assert_true(a.longest <= wait);
        if (below * (branches + 1) == size)
            assert_int_equal(a.longest, wait);
    }
    picture b = check(ob_pattern_combine, OB_TOP_TREE, branches, size, root);
    assert_int_equal(b.steps, h);
    for (int me = 0; me < size; me++) /* the same tree backwards */
        if (me != root) {
            assert_int_equal(a.parent[me], b.parent[me]);
            assert_int_equal(a.step[me], h - 1 - b.step[me]);
        }
}

static void test_trees(void **state)
{
    for (int size = 1; size <= MOST; size++)
        for (int root = 0; root < size; root++)
            for (int branches = 1; branches <= size + 1; branches++)
                check_tree(size, branches, root);
}

/* Table 9: with one branch and a power of two, 2^i messages in step i. */
static void test_doubling(void **state)
{
    static const ob_topology tops[] = {OB_TOP_TREE, OB_TOP_HYPERCUBE};
    for (int i = 0; i < 2; i++)
        for (int size = 2, steps = 1; size <= MOST; size *= 2, steps++)
            for (int root = 0; root < size; root++) {
                picture a = check(ob_pattern_broadcast, tops[i], 1, size, root);
                assert_int_equal(a.steps, steps);
                assert_int_equal(a.root_messages, steps);
                for (int s = 0; s < steps; s++)
                    assert_int_equal(a.sends[s], 1 << s);
            }
}

static void test_hypercube(void **state)
{
    for (int size = 1; size <= MOST; size++)
        for (int root = 0; root < size; root++) {
            picture a = check(ob_pattern_broadcast, OB_TOP_HYPERCUBE, 1, size, root);
            if (size & (size - 1)) {
                picture tree = check(ob_pattern_broadcast, OB_TOP_TREE, 1, size, root);
                assert_memory_equal(&a, &tree, sizeof a);
            } else if (size > 1) {
                assert_int_equal(a.place[root ^ 1], 0); /* the nearest first */
            }
        }
}

/* Everybody gets every contribution exactly once: sets of members as bits. */
static void test_exchange(void **state)
{
    for (int size = 1; size <= MOST; size++) {
        uint64_t has[MOST], next[MOST], all = size == 64 ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1;
        ob_partners e[MOST];
        for (int me = 0; me < size; me++) {
            e[me] = ob_partners_open(size, me);
            has[me] = UINT64_C(1) << me;
            assert_true(e[me].core <= size && 2 * e[me].core > size);
            assert_int_equal(1 << e[me].rounds, e[me].core);
        }
        for (int me = e[0].core; me < size; me++) {
            assert_true(e[me].beyond);
            assert_int_equal(e[e[me].folded].folded, me);
            has[e[me].folded] |= has[me];
        }
        for (int round = 0; round < e[0].rounds; round++) {
            for (int me = 0; me < e[0].core; me++) {
                int partner = ob_partners_partner(&e[me], round);
                assert_int_equal(ob_partners_partner(&e[partner], round), me);
                assert_int_equal(has[me] & has[partner], 0);
                next[me] = has[me] | has[partner];
            }
            memcpy(has, next, (size_t)e[0].core * sizeof *has);
        }
        for (int me = 0; me < e[0].core; me++)
            assert_true(has[me] == all);
    }
}

static void test_dissemination(void **state)
{
    for (int size = 1; size <= MOST; size++) {
        uint64_t heard[MOST], next[MOST];
        uint64_t all = size == 64 ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1;
        for (int me = 0; me < size; me++)
            heard[me] = UINT64_C(1) << me;
        for (int round = 0; round < ob_dissemination_rounds(size); round++) {
            for (int me = 0; me < size; me++) {
                int from = ob_dissemination_from(size, me, round);
                assert_int_equal(ob_dissemination_to(size, from, round), me);
                assert_int_not_equal(from, me);
                next[me] = heard[me] | heard[from];
            }
            memcpy(heard, next, sizeof heard);
        }
        for (int me = 0; me < size; me++)
            assert_true(heard[me] == all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),        cmocka_unit_test(test_more_patterns),
        cmocka_unit_test(test_other_root),     cmocka_unit_test(test_figure_39),
        cmocka_unit_test(test_simple_rings),   cmocka_unit_test(test_split_ring),
        cmocka_unit_test(test_multirings),     cmocka_unit_test(test_ring_lengths),
        cmocka_unit_test(test_full),           cmocka_unit_test(test_trees),
        cmocka_unit_test(test_doubling),       cmocka_unit_test(test_hypercube),
        cmocka_unit_test(test_exchange),       cmocka_unit_test(test_dissemination),
        cmocka_unit_test(test_every_topology), cmocka_unit_test(test_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
