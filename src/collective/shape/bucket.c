/*
 * Buckets (icc.txt, 3.1.2): the line as a ring, every member sends to the next
 * one all the time. The collect passes blocks on; the distributed combine is
 * its reverse, the buckets gather contributions on their way home.
 * OB_HOW_BOTH cuts each block in two and sends the halves around in opposite
 * directions, for nodes whose links work at once: half the time, twice the messages.
 * OB_HOW_MEET sends whole blocks both ways, each half way around: as many bytes on a link,
 * half the messages.
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

/* The collect's step s = 1, 2 .. brings the blocks s members away, from both sides; the distributed
 * combine takes the same steps backwards. Where q is even the farthest block comes one way. */
static void meet(ob_act act, const ob_line *line, int s, ob_moves *moves)
{
    int q = line->q, me = line->me, up = around(me + 1, q), down = around(me - 1, q);
    bool combine = act == OB_ACT_DISTRIBUTE, farthest = 2 * s == q;
    /* What a collect sends to one side is what a distributed combine takes from there. */
    int near_low = around(me - s + 1, q), far_low = around(me - s, q);
    int near_high = around(me + s - 1, q), far_high = around(me + s, q);
    ob_range to_up = combine ? (ob_range){far_high, far_high + 1} : (ob_range){near_low, near_low + 1};
    ob_range to_down = combine ? (ob_range){far_low, far_low + 1} : (ob_range){near_high, near_high + 1};
    ob_range from_up = combine ? (ob_range){near_low, near_low + 1} : (ob_range){far_high, far_high + 1};
    ob_range from_down = combine ? (ob_range){near_high, near_high + 1} : (ob_range){far_low, far_low + 1};
    ob_move m = {.combine = combine, .paced = true};
    m.to = combine && farthest ? down : up;
    m.from = farthest ? (combine ? up : down) : -1;
    m.send = combine && farthest ? to_down : to_up;
    m.recv = farthest ? (combine ? from_up : from_down) : OB_NO_RANGE;
    ob_moves_add(moves, m);
    if (farthest)
        return;
    ob_moves_add(moves, (ob_move){.to = down, .from = down, .send = to_down, .recv = from_down,
                                  .combine = combine, .paced = true, .together = true});
    ob_moves_add(moves, (ob_move){.to = -1, .from = up, .recv = from_up, .combine = combine,
                                  .paced = true, .together = true});
}

void ob_shape_meet(ob_act act, const ob_line *line, ob_moves *moves)
{
    int steps = line->q / 2;
    for (int k = 1; k <= steps; k++)
        meet(act, line, act == OB_ACT_DISTRIBUTE ? steps + 1 - k : k, moves);
}
