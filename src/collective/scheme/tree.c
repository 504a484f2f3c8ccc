/*
 * Trees by splitting (icc.txt, 3.1.1): the line is cut in two, the root sends
 * to one member of the other part, and both go on as roots of their parts. All
 * messages of a level lie in disjoint parts of the line, so none shares a
 * link. Combine and gather are broadcast and scatter run backwards.
 *
 * A minimum spanning tree cuts in halves. A postal tree gives the receiver
 * less, since the root sends again before the receiver can.
 */
#include "collective/scheme/net.h"

#include <stddef.h>

enum { LEVELS = 64 };

typedef struct level {
    int peer;
    ob_range part; /* of the receiver */
    bool root;     /* we are the sender (of a broadcast) */
} level;

enum { TICKS = 10, MOST_TICKS = 640 };

/* N(t) = N(t - 1) + N(t - lambda), in tenths of the sender's time. */
static void reaches(int lambda, long long n[MOST_TICKS + 1])
{
    for (int t = 0; t <= MOST_TICKS; t++) {
        n[t] = t < lambda || t < TICKS ? 1 : n[t - TICKS] + n[t - lambda];
        if (n[t] > 1LL << 40)
            n[t] = 1LL << 40;
    }
}

static int least_time(const long long *n, int q)
{
    int t = 0;
    while (t < MOST_TICKS && n[t] < q)
        t++;
    return t;
}

int ob_postal_time(int lambda, int q)
{
    long long n[MOST_TICKS + 1];
    reaches(lambda, n);
    return least_time(n, q);
}

/* Members that leave with the receiver, of `length` with the root. n: of a postal
 * tree, NULL for halves. */
static int share(const long long *n, int lambda, int length)
{
    if (n == NULL)
        return length / 2;
    int t = least_time(n, length);
    long long theirs = t >= lambda ? n[t - lambda] : 1;
    /* No less than leaves the root what it can serve in time. */
    long long mine = t >= TICKS ? n[t - TICKS] : 1, least = length - mine;
    if (theirs > length - 1)
        theirs = length - 1;
    return (int)(theirs < least ? least : theirs);
}

/* The part that leaves: at the end of [a, b) that is away from the root. */
static ob_range split(const long long *n, int lambda, int a, int b, int root)
{
    int s = share(n, lambda, b - a), above = b - 1 - root, below = root - a;
    if (s <= above)
        return (ob_range){b - s, b};
    if (s <= below)
        return (ob_range){a, a + s};
    return above >= below ? (ob_range){root + 1, b} : (ob_range){a, root};
}

static int find_levels(bool postal, const ob_line *l, level *levels)
{
    int a = 0, b = l->q, root = l->root, count = 0;
    long long n[MOST_TICKS + 1];
    if (postal)
        reaches(l->detail, n);
    while (b - a > 1 && count < LEVELS) {
        ob_range part = split(postal ? n : NULL, l->detail, a, b, root);
        int receiver = part.a > root ? part.a : part.b - 1;
        if (l->me == root)
            levels[count++] = (level){receiver, part, true};
        else if (l->me == receiver)
            levels[count++] = (level){root, part, false};
        if (l->me >= part.a && l->me < part.b) {
            a = part.a;
            b = part.b;
            root = receiver;
        } else if (part.a > root) {
            b = part.a;
        } else {
            a = part.b;
        }
    }
    return count;
}

static void add_levels(ob_act act, bool postal, const ob_line *line, ob_moves *moves)
{
    level levels[LEVELS];
    int count = find_levels(postal, line, levels);
    bool outward = ob_act_spreads(act);
    bool cut = act == OB_ACT_SCATTER || act == OB_ACT_GATHER;

    for (int k = 0; k < count; k++) {
        const level *l = &levels[outward ? k : count - 1 - k];
        ob_range what = cut ? l->part : (ob_range){0, 1};
        ob_move m = {.to = -1, .from = -1, .combine = act == OB_ACT_COMBINE, .last = !outward};
        if (l->root == outward) {
            m.to = l->peer;
            m.send = what;
        } else {
            m.from = l->peer;
            m.recv = what;
        }
        ob_moves_add(moves, m);
    }
}

static void tree_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    add_levels(act, false, line, moves);
}

static void postal_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    add_levels(act, true, line, moves);
}

static double time_tree(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    bool cut = t->act == OB_ACT_SCATTER || t->act == OB_ACT_GATHER;
    double sum = 0;
    int left = t->count;
    for (int level = ob_log2_ceil(t->count); level > 0; level--) {
        double m = cut ? n * (left / 2) / t->count : n;
        sum += ob_net_along_tree(net, t->act, m, lines) + ob_net_work(net, t, m);
        left -= left / 2;
        if (t->act == OB_ACT_SCATTER)
            sum += ob_net_crowding(net, m, level - 1, n * (left - 1) / t->count, lines);
        else if (t->act == OB_ACT_BROADCAST)
            sum += ob_net_crowding(net, m, level - 1, n * (level - 1), lines);
    }
    return sum;
}

const ob_how_row ob_how_tree = {.word = "tree",
                                .acts = 1u << OB_ACT_BROADCAST | 1u << OB_ACT_COMBINE |
                                        1u << OB_ACT_SCATTER | 1u << OB_ACT_GATHER,
                                .moves = tree_moves,
                                .time = time_tree};

/* On shared links the root's later messages meet its earlier ones: what simulated
 * runs on a mesh show is most of a message's time on the wire for each doubling. */
static double time_postal(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double m = t->act == OB_ACT_SCATTER || t->act == OB_ACT_GATHER ? n / 2 : n;
    double unit = ob_net_sending(net, m), whole = ob_net_along_tree(net, t->act, m, lines);
    double time = ob_postal_time(t->detail, t->count) * unit / 10;
    /* lambda has a bound; the tree can be no faster than its flights. */
    double stretch = whole / (unit * t->detail / 10);
    double delay = net->shared ? 0.8 * ob_net_wire(net, m) : 0;
    int most =
        ob_log2_ceil(t->count) - 1; /* further messages of the root; halfway down half as many */
    if (!net->shared && ob_act_spreads(t->act))
        delay += ob_net_crowding(net, m, most, most * m, lines) / 2;
    return time * (stretch > 1 ? stretch : 1) +
           (delay + ob_net_work(net, t, m)) * ob_log2_ceil(t->count);
}

const ob_how_row ob_how_postal = {.word = "postal",
                                  .acts = 1u << OB_ACT_BROADCAST | 1u << OB_ACT_COMBINE |
                                          1u << OB_ACT_SCATTER | 1u << OB_ACT_GATHER,
                                  .detail = OB_DETAIL_LAMBDA,
                                  .moves = postal_moves,
                                  .time = time_postal};
