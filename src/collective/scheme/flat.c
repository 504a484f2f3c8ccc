/*
 * Straight from the root to each, or from each to the root: one message for each of the
 * others, the far ones first, in both directions in turn: whoever has its piece early and sends on
 * then uses links that pieces still under way do not need. More starts for the root than a tree has
 * levels, but every byte crosses each link once, nobody waits for a message to pass on, and where a
 * node's links work at once two of them are busy.
 */
#include "collective/scheme/shape.h"

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

void ob_shape_flat(ob_act act, const ob_line *line, ob_moves *moves)
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
