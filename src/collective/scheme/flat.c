/*
 * Straight from the root to each, or from each to the root: one message for each of the
 * others, the far ones first, in both directions in turn: whoever has its piece early and sends on
 * then uses links that pieces still under way do not need. More starts for the root than a tree has
 * levels, but every byte crosses each link once, nobody waits for a message to pass on, and where a
 * node's links work at once two of them are busy.
 */
#include "collective/scheme/net.h"

static void add_one(ob_act act, const ob_line *line, int other, ob_moves *moves)
{
    bool outward = act == OB_ACT_SCATTER, at_root = line->me == line->root;
    ob_range what = {other, other + 1};
    int peer = at_root ? other : line->root;
    ob_move m = {.to = -1, .from = -1, .last = true};
    if (at_root == outward) {
        m.to = peer;
        m.send = what;
    } else {
        m.from = peer;
        m.recv = what;
    }
    ob_moves_add(moves, m);
}

static void flat_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    int q = line->q;
    if (line->me != line->root) {
        add_one(act, line, line->me, moves);
        return;
    }
    for (int away = q / 2; away > 0; away--) {
        add_one(act, line, (line->root + away) % q, moves);
        if (2 * away < q)
            add_one(act, line, (line->root - away + q) % q, moves);
    }
}

/* One start after the other, and one of the wires next to the root for all on its side; on a torus,
 * whose messages go along rows first, half of the whole group is on either side. */
static double time_flat(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    double m = n / t->count, others = t->count - 1;
    int above = t->count - 1 - root, side = above > root ? above : root;
    bool whole = net->shared > 1 && t->count == net->rows * net->columns && net->columns > 2;
    side = !net->shared ? t->count - 1 : whole || ob_net_rings(net, t) ? t->count / 2 : side;
    double wires = side * ob_net_wire(net, m) * lines, starts = others * ob_net_sending(net, m);
    const ob_curve *r = &net->profile->curve[OB_T_R];
    double take = ob_curve_at(r, (size_t)m);
    /* All send at once, share the wires, and come at about the same time, to be taken one by one;
     * or they are asked for one by one, and taking them is the wire's time as well. */
    if (t->act == OB_ACT_GATHER && take > 0)
        return ob_net_message(net, 0, 1) + others * take +
               (take - ob_curve_at(r, 0) < ob_net_wire(net, m) / 2 ? wires : 0);
    return ob_net_message(net, 0, 1) - ob_net_sending(net, m) +
           (starts > wires ? starts + ob_net_wire(net, m) : ob_net_sending(net, m) + wires);
}

const ob_how_row ob_how_flat = {.word = "flat",
                                .acts = 1u << OB_ACT_SCATTER | 1u << OB_ACT_GATHER,
                                .moves = flat_moves,
                                .time = time_flat};
