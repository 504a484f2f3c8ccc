/*
 * Bruck's collect: in round k a member gets from the one 2^k above it all that
 * one has, up to what is missing. ceil(log q) rounds whatever q is; the runs
 * of blocks begin at the member's own and go around the end of the line.
 */
#include "collective/scheme/net.h"

/* `count` blocks from `start` on, around the line. */
static void run_of(int q, int start, int count, ob_range *first, ob_range *more)
{
    int end = start + count;
    *first = (ob_range){start, end < q ? end : q};
    *more = end > q ? (ob_range){0, end - q} : OB_NO_RANGE;
}

static void bruck_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    (void)act;
    int q = line->q, me = line->me;
    for (int have = 1; have < q; have *= 2) {
        int count = have < q - have ? have : q - have;
        ob_move m = {.to = (me - have + q) % q, .from = (me + have) % q};
        run_of(q, me, count, &m.send, &m.send_more);
        run_of(q, m.from, count, &m.recv, &m.recv_more);
        ob_moves_add(moves, m);
    }
}

static double time_bruck(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double sum = 0;
    for (int have = 1; have < t->count; have *= 2) {
        int count = have < t->count - have ? have : t->count - have;
        sum += ob_net_message(net, n * count / t->count, ob_net_sharers(net, t, lines, have));
    }
    return sum;
}

const ob_how_row ob_how_bruck = {
    .word = "bruck", .acts = 1u << OB_ACT_COLLECT, .moves = bruck_moves, .time = time_bruck};
