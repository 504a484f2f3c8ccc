/*
 * Buckets (icc.txt, 3.1.2): the line as a ring, every member sends to the next
 * one all the time. The collect passes blocks on; the distributed combine is
 * its reverse, the buckets gather contributions on their way home.
 * OB_HOW_BOTH cuts each block in two and sends the halves around in opposite
 * directions, for nodes whose links work at once: half the time, twice the messages.
 */
#include "collective/shape/shape.h"

static int around(int x, int q)
{
    return (x % q + q) % q;
}

/* The block that a member sends in a step, on a ring that goes up. */
static int sent(ob_act act, int q, int me, int step)
{
    return around(act == OB_ACT_COLLECT ? me - step : me - 1 - step, q);
}

void ob_shape_bucket(ob_act act, const ob_line *line, ob_moves *moves)
{
    int q = line->q, me = line->me, previous = around(me - 1, q);
    for (int step = 0; step < q - 1; step++) {
        int out = sent(act, q, me, step), in = sent(act, q, previous, step);
        ob_moves_add(moves, (ob_move){.to = around(me + 1, q),
                                      .from = previous,
                                      .send = {out, out + 1},
                                      .recv = {in, in + 1},
                                      .combine = act == OB_ACT_DISTRIBUTE});
    }
}

void ob_shape_both(ob_act act, const ob_line *line, ob_moves *moves)
{
    int q = line->q, me = line->me, up = around(me + 1, q), down = around(me - 1, q);
    bool combine = act == OB_ACT_DISTRIBUTE;
    for (int step = 0; step < q - 1; step++) {
        /* Going down is going up with the line turned around. */
        int out_up = 2 * sent(act, q, me, step), in_up = 2 * sent(act, q, down, step);
        int out_down = 2 * (q - 1 - sent(act, q, q - 1 - me, step)) + 1;
        int in_down = 2 * (q - 1 - sent(act, q, q - 1 - up, step)) + 1;
        ob_moves_add(moves, (ob_move){.to = up, .from = -1, .send = {out_up, out_up + 1},
                                      .combine = combine});
        ob_moves_add(moves, (ob_move){.to = down,
                                      .from = down,
                                      .send = {out_down, out_down + 1},
                                      .recv = {in_up, in_up + 1},
                                      .combine = combine,
                                      .together = true});
        ob_moves_add(moves, (ob_move){.to = -1, .from = up, .recv = {in_down, in_down + 1},
                                      .combine = combine, .together = true});
    }
}
