/*
 * Pipelined chains: the vector goes from neighbour to neighbour in segments,
 * both ways from the root, so that all links work at once. A combine runs it
 * backwards. The longer way is served first.
 */
#include "collective/scheme/shape.h"

void ob_shape_chain(ob_act act, const ob_line *line, ob_moves *moves)
{
    int me = line->me, root = line->root, q = line->q;
    bool outward = act == OB_ACT_BROADCAST;
    int away[2] = {-1, -1}, toward = -1;
    if (me == root) {
        bool up_first = q - 1 - root >= root;
        int up = root + 1 < q ? root + 1 : -1, down = root - 1;
        away[0] = up_first ? up : down;
        away[1] = up_first ? down : up;
    } else {
        toward = me > root ? me - 1 : me + 1;
        away[0] = me > root ? (me + 1 < q ? me + 1 : -1) : me - 1;
    }
    for (int s = 0; s < line->segments; s++) {
        ob_range segment = {s, s + 1};
        ob_move in = {.to = -1, .from = -1, .combine = !outward}, out = in;
        if (outward && toward >= 0) {
            in.from = toward;
            in.recv = segment;
            ob_moves_add(moves, in);
        }
        for (int k = 0; k < 2; k++) {
            if (away[k] < 0)
                continue;
            ob_move m = {
                .to = outward ? away[k] : -1, .from = outward ? -1 : away[k], .combine = !outward};
            *(outward ? &m.send : &m.recv) = segment;
            ob_moves_add(moves, m);
        }
        if (!outward && toward >= 0) {
            out.to = toward;
            out.send = segment;
            ob_moves_add(moves, out);
        }
    }
}
