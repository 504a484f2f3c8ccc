/*
 * Recursive halving and doubling for any number of members: the line is cut
 * in two, and the members of the parts meet in pairs. Where the lower part has
 * one member more, the last member of the upper part serves that one, too.
 * The collect goes from the smallest parts up; the distributed combine from
 * the whole line down; the exchange is a collect of whole vectors that combines.
 */
#include "collective/scheme/net.h"

enum { LEVELS = 32 };

typedef struct part {
    int a, middle, b;
} part;

static int find_parts(const ob_line *l, part *parts)
{
    int a = 0, b = l->q, count = 0;
    while (b - a > 1) {
        int middle = a + (b - a + 1) / 2;
        parts[count++] = (part){a, middle, b};
        if (l->me < middle)
            b = middle;
        else
            a = middle;
    }
    return count;
}

/* The move of a pair: what we give, what we get. The odd one out gets only
 * (or, of a distributed combine, gives only). */
static void meet(ob_act act, const part *p, int me, ob_moves *moves)
{
    ob_range low = {p->a, p->middle}, high = {p->middle, p->b};
    bool lower = me<p->middle, odd = p->middle - p->a> p->b - p->middle;
    bool outward = act == OB_ACT_DISTRIBUTE, combine = act != OB_ACT_COLLECT;
    int partner = lower ? me + (p->middle - p->a) : me - (p->middle - p->a);
    ob_range mine = lower ? low : high, theirs = lower ? high : low;
    ob_range give = outward ? theirs : mine, get = outward ? mine : theirs;
    ob_move extra = {.to = -1, .from = -1, .combine = combine};

    if (act == OB_ACT_EXCHANGE)
        give = get = (ob_range){0, 1};
    if (odd && me == p->middle - 1) { /* has no partner of its own */
        if (outward) {
            extra.to = p->b - 1;
            extra.send = give;
        } else {
            extra.from = p->b - 1;
            extra.recv = get;
        }
        ob_moves_add(moves, extra);
        return;
    }
    bool serves = odd && me == p->b - 1;
    if (serves && !outward) { /* before what it has is changed */
        extra.to = p->middle - 1;
        extra.send = give;
        ob_moves_add(moves, extra);
    }
    ob_moves_add(
        moves,
        (ob_move){.to = partner, .from = partner, .send = give, .recv = get, .combine = combine});
    if (serves && outward) {
        extra.from = p->middle - 1;
        extra.recv = get;
        ob_moves_add(moves, extra);
    }
}

static void halving_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    part parts[LEVELS];
    int count = find_parts(line, parts);
    for (int k = 0; k < count; k++)
        meet(act, &parts[act == OB_ACT_DISTRIBUTE ? k : count - 1 - k], line->me, moves);
}

/* The parts of a level are `half` members away from each other, and all of one
 * part cross the link between them. */
static double time_halving(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double sum = 0;
    int length = t->count;
    while (length > 1) {
        int half = (length + 1) / 2;
        double m = t->act == OB_ACT_EXCHANGE ? n : n * half / t->count;
        double one =
            ob_net_message(net, m, ob_net_sharers(net, t, lines, half)) + ob_net_work(net, t, m);
        sum += length % 2 ? one + ob_net_sending(net, m) : one; /* the odd one is served, too */
        length = half;
    }
    return sum;
}

const ob_how_row ob_how_halving = {.word = "halving",
                                   .acts = 1u << OB_ACT_COLLECT | 1u << OB_ACT_DISTRIBUTE |
                                           1u << OB_ACT_EXCHANGE,
                                   .moves = halving_moves,
                                   .time = time_halving};
