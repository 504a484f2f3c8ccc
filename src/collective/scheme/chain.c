/*
 * Pipelined chains: the vector goes from neighbour to neighbour in segments,
 * both ways from the root, so that all links work at once. A combine runs it
 * backwards. The longer way is served first.
 */
#include "collective/scheme/net.h"
#include "collective/scheme/run.h"

static void chain_moves(ob_act act, const ob_line *line, ob_moves *moves)
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
    for (int s = 0; s < line->detail; s++) {
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

static double time_chain(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    int depth = root > t->count - 1 - root ? root : t->count - 1 - root;
    double m = n / t->detail, whole = ob_net_message(net, m, lines);
    double idle = ob_curve_at(&net->profile->curve[OB_T_R], (size_t)m) + ob_net_sending(net, m);
    double busy = 2 * ob_net_sending(net, m); /* the root serves both ways */
    double period = whole - ob_net_message(net, 0, 1);
    period = period > idle ? period : idle;
    period = period > busy ? period : busy;
    if (net->shared &&
        m >= OB_RUN_ANSWER) /* waits for the answer and starts again, in turn with its own */
        period = whole + 3 * ob_net_sending(net, 0);
    double time = depth * whole + (t->detail - 1) * period + ob_net_work(net, t, n);
    /* Unanswered segments leave faster than the link takes them, share it, and all come late:
     * the first hop is over before the second begins. */
    if (net->shared && m < OB_RUN_ANSWER && ob_net_wire(net, m) > ob_net_sending(net, m))
        time += 1.5 * ob_net_wire(net, m) * t->detail;
    return time;
}

const ob_how_row ob_how_chain = {.word = "chain",
                                 .acts = 1u << OB_ACT_BROADCAST | 1u << OB_ACT_COMBINE,
                                 .detail = OB_DETAIL_SEGMENTS,
                                 .moves = chain_moves,
                                 .time = time_chain};
