/*
 * The double binary tree (Sanders, Speck, Traeff: "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan", 2009): two trees over all members but the
 * root, an inner node of one being a leaf of the other. Even segments of the vector go
 * down one tree, odd ones down the other, so that a member receives each segment once and
 * sends as much as it receives: every link is busy in both directions.
 *
 * The first tree is in order: node i, a multiple of 2^h and of no higher power, is h levels above
 * the leaves, which are the odd ones. The second is the first mirrored (an even number
 * of nodes) or shifted by one (an odd one). Its messages are numbered in slots: an edge
 * is used in every other one, and edges have colours, 0 for even slots and 1 for odd ones, such
 * that a member has at most one to send to and one to receive from in a slot.
 */
#include "collective/scheme/net.h"

#include <stdlib.h>

enum { TREES = 2, NONE = -1 };

/* An edge is named by its tree and its lower end; node 0 is the root of both trees. */
typedef struct edge {
    int tree, below;
} edge;

typedef struct stream {
    int first, peer, tree;
    bool inward;
} stream;

static int lowest_bit(int i)
{
    return i & -i;
}

static int highest_bit(int i)
{
    while (i & (i - 1))
        i &= i - 1;
    return i;
}

/* A node's number in the first tree, and back. */
static int number_of(int n, int tree, int node)
{
    return tree == 0 ? node : n % 2 ? node % n + 1 : n + 1 - node;
}

static int node_at(int n, int tree, int number)
{
    return tree == 0 ? number : n % 2 ? (number + n - 2) % n + 1 : n + 1 - number;
}

static int parent_of(int n, int tree, int node)
{
    int number = number_of(n, tree, node), bit = lowest_bit(number);
    if (number == highest_bit(n))
        return 0;
    /* Below the right of its parent, or where that is missing. */
    bool right = (number & 2 * bit) || number + bit > n;
    return node_at(n, tree, right ? number - bit : number + bit);
}

/* The children of a node in one tree, at most two; returns how many. */
static int children_of(int n, int tree, int node, int children[2])
{
    if (node == 0) {
        children[0] = node_at(n, tree, highest_bit(n));
        return 1;
    }
    int number = number_of(n, tree, node), bit = lowest_bit(number) / 2, count = 0;
    if (bit == 0)
        return 0;
    children[count++] = node_at(n, tree, number - bit);
    while (bit && number + bit > n)
        bit /= 2;
    if (bit)
        children[count++] = node_at(n, tree, number + bit);
    return count;
}

/* The other edge out of the upper end. */
static edge beside(int n, edge e)
{
    int children[2], up = parent_of(n, e.tree, e.below);
    if (up == 0)
        return (edge){1 - e.tree, node_at(n, 1 - e.tree, highest_bit(n))};
    int count = children_of(n, e.tree, up, children);
    if (count < 2)
        return (edge){0, NONE};
    return (edge){e.tree, children[0] == e.below ? children[1] : children[0]};
}

/* Edges that share an end are on paths and even rings, along which the colours take
 * turns: a member has two edges in, and two out. */
static void colour_path(int n, unsigned char *colour, edge e, bool by_sender)
{
    for (unsigned char c = colour[TREES * e.below + e.tree];; by_sender = !by_sender) {
        edge next = by_sender ? beside(n, e) : (edge){1 - e.tree, e.below};
        if (next.below == NONE || colour[TREES * next.below + next.tree])
            return;
        c = (unsigned char)(3 - c);
        colour[TREES * next.below + next.tree] = c;
        e = next;
    }
}

/* 1 and 2 of each edge; NULL: no memory. */
static unsigned char *colours_of(int n)
{
    unsigned char *colour = calloc(TREES, (size_t)n + 1);
    for (int node = 1; colour && node <= n; node++)
        for (int tree = 0; tree < TREES; tree++) {
            unsigned char *c = &colour[TREES * node + tree];
            if (*c)
                continue;
            *c = 1;
            colour_path(n, colour, (edge){tree, node}, true);
            colour_path(n, colour, (edge){tree, node}, false);
        }
    return colour;
}

/* The slot in which a node gets its first segment of a tree. */
static int first_slot(int n, const unsigned char *colour, int tree, int node)
{
    if (node == 0)
        return -1;
    int slot = first_slot(n, colour, tree, parent_of(n, tree, node)) + 1;
    return slot % 2 == colour[TREES * node + tree] - 1 ? slot : slot + 1;
}

static int streams_of(int n, const unsigned char *colour, int me, stream streams[4])
{
    int count = 0;
    for (int tree = 0; tree < TREES; tree++) {
        int children[2], below = children_of(n, tree, me, children);
        for (int k = 0; k < below; k++)
            streams[count++] =
                (stream){first_slot(n, colour, tree, children[k]), children[k], tree, false};
        if (me)
            streams[count++] =
                (stream){first_slot(n, colour, tree, me), parent_of(n, tree, me), tree, true};
    }
    return count;
}

/* What a member does in one slot: a move, or nothing. A combine runs the slots
 * backwards, and every message the other way. */
static void add_slot(ob_act act, const ob_line *line, const stream *streams, int count, int slot,
                     ob_moves *moves)
{
    ob_move m = {.to = -1, .from = -1, .combine = act == OB_ACT_COMBINE};
    for (int k = 0; k < count; k++) {
        int since = slot - streams[k].first, peer = (streams[k].peer + line->root) % line->q;
        if (since < 0 || since % 2 || since / 2 >= line->detail)
            continue;
        int block = since / 2 * TREES + streams[k].tree;
        if (streams[k].inward == (act == OB_ACT_BROADCAST)) {
            m.from = peer;
            m.recv = (ob_range){block, block + 1};
        } else {
            m.to = peer;
            m.send = (ob_range){block, block + 1};
        }
    }
    if (m.to >= 0 || m.from >= 0)
        ob_moves_add(moves, m);
}

static void double_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    int n = line->q - 1, me = (line->me - line->root + line->q) % line->q, last = 0;
    unsigned char *colour = colours_of(n);
    stream streams[4];
    if (colour == NULL) {
        moves->failed = true;
        return;
    }
    int count = streams_of(n, colour, me, streams);
    free(colour);
    for (int k = 0; k < count; k++)
        last = streams[k].first > last ? streams[k].first : last;
    last += 2 * line->detail - 2;
    for (int slot = 0; slot <= last; slot++)
        add_slot(act, line, streams, count, act == OB_ACT_BROADCAST ? slot : last - slot, moves);
}

/* N segments, half of them down each tree: 2 ceil(log2 q) + N - 2 steps (Sanders, Speck,
 * Traeff). On shared links the edges of all levels cross the middle of the line. */
static double time_double(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double segments = 2.0 * t->detail, m = n / segments;
    double levels = ob_log2_ceil(t->count), sharers = net->shared ? lines * levels : 1;
    return (2 * levels + segments - 2) * (ob_net_message(net, m, sharers) + ob_net_work(net, t, m));
}

const ob_how_row ob_how_double = {.word = "double",
                                  .acts = 1u << OB_ACT_BROADCAST | 1u << OB_ACT_COMBINE,
                                  .detail = OB_DETAIL_SEGMENTS,
                                  .fine = 2,
                                  .moves = double_moves,
                                  .time = time_double};
