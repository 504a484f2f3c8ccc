/*
 * Buckets (icc.txt, 3.1.2): the line as a ring, every member sends to the next
 * one all the time. The collect passes blocks on; the distributed combine is
 * its reverse, the buckets gather contributions on their way home.
 * OB_HOW_BOTH sends whole blocks in both directions, each half way around, for nodes whose links
 * work at once: half the steps. The one block that is as far either way goes in halves.
 */
#include "collective/scheme/net.h"

static int around(int x, int q)
{
    return (x % q + q) % q;
}

/* The block that a member sends in a step, on a ring that goes up. */
static int sent(ob_act act, int q, int me, int step)
{
    return around(act == OB_ACT_COLLECT ? me - step : me - 1 - step, q);
}

static void bucket_moves(ob_act act, const ob_line *line, ob_moves *moves)
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

/* One step of both directions: what goes up and comes from below, what goes down and comes from
 * above. */
static void both_ways(const ob_line *line, bool combine, ob_range out_up, ob_range in_up,
                      ob_range out_down, ob_range in_down, ob_moves *moves)
{
    int up = around(line->me + 1, line->q), down = around(line->me - 1, line->q);
    ob_moves_add(
        moves, (ob_move){.to = up, .from = -1, .send = out_up, .combine = combine, .paced = true});
    ob_moves_add(moves, (ob_move){.to = down,
                                  .from = down,
                                  .send = out_down,
                                  .recv = in_up,
                                  .combine = combine,
                                  .paced = true,
                                  .together = true});
    ob_moves_add(moves, (ob_move){.to = -1,
                                  .from = up,
                                  .recv = in_down,
                                  .combine = combine,
                                  .paced = true,
                                  .together = true});
}

/* The block so far from one's own, or the half of it that goes up (0) or down (1). */
static ob_range whole_block(const ob_line *line, int distance)
{
    int b = 2 * around(line->me + distance, line->q);
    return (ob_range){b, b + 2};
}

static ob_range half_block(const ob_line *line, int distance, int half)
{
    int b = 2 * around(line->me + distance, line->q) + half;
    return (ob_range){b, b + 1};
}

static void both_moves(ob_act act, const ob_line *line, ob_moves *moves)
{
    bool combine = act == OB_ACT_DISTRIBUTE;
    int far = line->q / 2, steps = (line->q - 1) / 2; /* q even: one is as far either way */
    /* The distributed combine is the collect backwards: what came goes. */
    if (combine && line->q % 2 == 0)
        both_ways(line, true, half_block(line, far, 1), half_block(line, far - 1, 1),
                  half_block(line, -far, 0), half_block(line, 1 - far, 0), moves);
    for (int k = 0; k < steps; k++) {
        int d = combine ? steps - 1 - k : k;
        if (combine)
            both_ways(line, true, whole_block(line, d + 1), whole_block(line, d),
                      whole_block(line, -d - 1), whole_block(line, -d), moves);
        else
            both_ways(line, false, whole_block(line, -d), whole_block(line, -d - 1),
                      whole_block(line, d), whole_block(line, d + 1), moves);
    }
    if (!combine && line->q % 2 == 0)
        both_ways(line, false, half_block(line, 1 - far, 0), half_block(line, -far, 0),
                  half_block(line, far - 1, 1), half_block(line, far, 1), moves);
}

static double time_bucket(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double m = n / t->count;
    return (t->count - 1) *
           (ob_net_message(net, m, ob_net_sharers(net, t, lines, 1)) + ob_net_work(net, t, m));
}

const ob_how_row ob_how_bucket = {.word = "bucket",
                                  .acts = 1u << OB_ACT_COLLECT | 1u << OB_ACT_DISTRIBUTE,
                                  .moves = bucket_moves,
                                  .time = time_bucket};

/* m bytes either way: two starts, and on a ring two wires; elsewhere both directions share one, or
 * the way back to the line's other end. */
static double either_way(const ob_net *net, const ob_stage *t, double m, double lines)
{
    bool rings = ob_net_rings(net, t);
    double one = ob_net_flight(net, m, rings ? lines : ob_net_sharers(net, t, lines, 2));
    return one + (rings ? ob_net_flight(net, 0, 1) : one) + 2 * ob_net_work(net, t, m);
}

/* Each block half way around; the one that is as far either way in halves. */
static double time_both(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    (void)root;
    double m = n / t->count, last = t->count % 2 ? 0 : either_way(net, t, m / 2, lines);
    return (t->count - 1) / 2 * either_way(net, t, m, lines) + last;
}

const ob_how_row ob_how_both = {.word = "both",
                                .acts = 1u << OB_ACT_COLLECT | 1u << OB_ACT_DISTRIBUTE,
                                .fine = 2,
                                .moves = both_moves,
                                .time = time_both};
