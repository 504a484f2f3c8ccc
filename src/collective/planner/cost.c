/*
 * Times of stages and schemes.
 */
#include "collective/planner/cost.h"

#include "collective/scheme/run.h"

#include <math.h>

/* Where all members send at once to others so far away, behind a switch they find, as a rule, other
 * switches with fewer links between them than members. */
enum { FAR = 32 };
static const double FAR_SHARERS = 1.25;

/* A message of n bytes that is not answered, whose links `sharers` messages use at once. */
static double flight(const ob_net *net, double n, double sharers)
{
    const ob_curve *c = &net->profile->curve[OB_T_C];
    double t = ob_curve_at(c, (size_t)n);
    if (sharers > 1) {
        double start = ob_curve_at(c, 0);
        t += (sharers - 1) * (t - start);
    }
    return t;
}

static double message(const ob_net *net, double n, double sharers)
{
    double t = flight(net, n, sharers);
    if (net->shared && n >= OB_RUN_ANSWER)
        t += ob_curve_at(&net->profile->curve[OB_T_C], 0);
    return t;
}

/* Who sends once, towards the root of a tree, is not answered. */
static double along_tree(const ob_net *net, ob_act act, double n, double sharers)
{
    return act == OB_ACT_GATHER || act == OB_ACT_COMBINE ? flight(net, n, sharers)
                                                         : message(net, n, sharers);
}

static double wire(const ob_net *net, double n)
{
    const ob_curve *c = &net->profile->curve[OB_T_C];
    double t = ob_curve_at(c, (size_t)n) - ob_curve_at(c, 0);
    return t > 0 ? t : 0;
}

/* What a message costs its sender alone: the call, or, where all its messages leave by one
 * link, the link, even if the call returns before. Never nothing: a send is work. */
static double sending(const ob_net *net, double n)
{
    double t = ob_curve_at(&net->profile->curve[OB_T_S], (size_t)n);
    double whole = ob_curve_at(&net->profile->curve[OB_T_C], (size_t)n);
    if (!net->shared && t < wire(net, n))
        t = wire(net, n);
    return t < whole / 64 ? whole / 64 : t > whole ? whole : t;
}

static double adding(const ob_net *net, double n)
{
    return ob_curve_at(&net->profile->curve[OB_T_O], (size_t)n);
}

static bool combines(ob_act act)
{
    return act == OB_ACT_COMBINE || act == OB_ACT_DISTRIBUTE || act == OB_ACT_EXCHANGE;
}

static double work(const ob_net *net, const ob_stage *t, double n)
{
    return combines(t->act) ? adding(net, n) : 0;
}

/* What `later` more messages, of `rest` bytes in all, add to one of n bytes when their sender has
 * gone on to them and they share a link. Senders that wait for answers, or that the call keeps busy
 * as long as the link, do not. */
static double crowding(const ob_net *net, double n, int later, double rest, double lines)
{
    double call = ob_curve_at(&net->profile->curve[OB_T_S], (size_t)n);
    if ((net->shared && n >= OB_RUN_ANSWER) || call <= 0 || call >= wire(net, n) * lines)
        return 0;
    double time = wire(net, rest) * lines - later * call;
    return time > 0 ? time : 0;
}

static double tree(const ob_net *net, const ob_stage *t, double n, double lines)
{
    bool cut = t->act == OB_ACT_SCATTER || t->act == OB_ACT_GATHER;
    double sum = 0;
    int left = t->count;
    for (int level = ob_log2_ceil(t->count); level > 0; level--) {
        double m = cut ? n * (left / 2) / t->count : n;
        sum += along_tree(net, t->act, m, lines) + work(net, t, m);
        left -= left / 2;
        if (t->act == OB_ACT_SCATTER)
            sum += crowding(net, m, level - 1, n * (left - 1) / t->count, lines);
        else if (t->act == OB_ACT_BROADCAST)
            sum += crowding(net, m, level - 1, n * (level - 1), lines);
    }
    return sum;
}

/* On shared links the root's later messages meet its earlier ones: what simulated
 * runs on a mesh show is most of a message's time on the wire for each doubling. */
static double postal(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double m = t->act == OB_ACT_SCATTER || t->act == OB_ACT_GATHER ? n / 2 : n;
    double unit = sending(net, m), whole = along_tree(net, t->act, m, lines);
    double time = ob_postal_time(t->detail, t->count) * unit / 10;
    /* lambda has a bound; the tree can be no faster than its flights. */
    double stretch = whole / (unit * t->detail / 10);
    double delay = net->shared ? 0.8 * wire(net, m) : 0;
    int most =
        ob_log2_ceil(t->count) - 1; /* further messages of the root; halfway down half as many */
    if (!net->shared && (t->act == OB_ACT_BROADCAST || t->act == OB_ACT_SCATTER))
        delay += crowding(net, m, most, most * m, lines) / 2;
    return time * (stretch > 1 ? stretch : 1) + (delay + work(net, t, m)) * ob_log2_ceil(t->count);
}

/* Messages on one link when every member of `lines` lines sends to the one so many further on. */
static double sharers(const ob_net *net, const ob_stage *t, double lines, int distance)
{
    if (net->shared)
        return lines * distance;
    return (double)distance * t->stride >= FAR ? FAR_SHARERS : 1;
}

static double bucket(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double m = n / t->count;
    return (t->count - 1) * (message(net, m, sharers(net, t, lines, 1)) + work(net, t, m));
}

bool ob_cost_rings(const ob_net *net, const ob_stage *t)
{
    int length = t->count * t->stride; /* of the ring that all members of stride lines are on */
    bool row = t->stride < net->columns && length == net->columns;
    bool column = t->stride >= net->columns && t->stride % net->columns == 0 &&
                  length == net->rows * net->columns;
    return net->shared > 1 && t->count > 2 && (row || column);
}

/* m bytes either way: two starts, and on a ring two wires; elsewhere both directions share one, or
 * the way back to the line's other end. */
static double either_way(const ob_net *net, const ob_stage *t, double m, double lines)
{
    bool rings = ob_cost_rings(net, t);
    double one = flight(net, m, rings ? lines : sharers(net, t, lines, 2));
    return one + (rings ? flight(net, 0, 1) : one) + 2 * work(net, t, m);
}

/* Each block half way around; the one that is as far either way in halves. */
static double both(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double m = n / t->count, last = t->count % 2 ? 0 : either_way(net, t, m / 2, lines);
    return (t->count - 1) / 2 * either_way(net, t, m, lines) + last;
}

/* The parts of a level are `half` members away from each other, and all of one
 * part cross the link between them. */
static double halving(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double sum = 0;
    int length = t->count;
    while (length > 1) {
        int half = (length + 1) / 2;
        double m = t->act == OB_ACT_EXCHANGE ? n : n * half / t->count;
        double one = message(net, m, sharers(net, t, lines, half)) + work(net, t, m);
        sum += length % 2 ? one + sending(net, m) : one; /* the odd one is served, too */
        length = half;
    }
    return sum;
}

static double bruck(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double sum = 0;
    for (int have = 1; have < t->count; have *= 2) {
        int count = have < t->count - have ? have : t->count - have;
        sum += message(net, n * count / t->count, sharers(net, t, lines, have));
    }
    return sum;
}

static double chain(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    int depth = root > t->count - 1 - root ? root : t->count - 1 - root;
    double m = n / t->detail, whole = message(net, m, lines);
    double idle = ob_curve_at(&net->profile->curve[OB_T_R], (size_t)m) + sending(net, m);
    double busy = 2 * sending(net, m); /* the root serves both ways */
    double period = whole - message(net, 0, 1);
    period = period > idle ? period : idle;
    period = period > busy ? period : busy;
    if (net->shared &&
        m >= OB_RUN_ANSWER) /* waits for the answer and starts again, in turn with its own */
        period = whole + 3 * sending(net, 0);
    double time = depth * whole + (t->detail - 1) * period + work(net, t, n);
    /* Unanswered segments leave faster than the link takes them, share it, and all come late:
     * the first hop is over before the second begins. */
    if (net->shared && m < OB_RUN_ANSWER && wire(net, m) > sending(net, m))
        time += 1.5 * wire(net, m) * t->detail;
    return time;
}

/* N segments, half of them down each tree: 2 ceil(log2 q) + N - 2 steps (Sanders, Speck,
 * Traeff). On shared links the edges of all levels cross the middle of the line. */
static double double_tree(const ob_net *net, const ob_stage *t, double n, double lines)
{
    double segments = 2.0 * t->detail, m = n / segments;
    double levels = ob_log2_ceil(t->count), sharers = net->shared ? lines * levels : 1;
    return (2 * levels + segments - 2) * (message(net, m, sharers) + work(net, t, m));
}

/* One start after the other, and one of the wires next to the root for all on its side; on a torus,
 * whose messages go along rows first, half of the whole group is on either side. */
static double flat(const ob_net *net, const ob_stage *t, double n, double lines, int root)
{
    double m = n / t->count, others = t->count - 1;
    int above = t->count - 1 - root, side = above > root ? above : root;
    bool whole = net->shared > 1 && t->count == net->rows * net->columns && net->columns > 2;
    side = !net->shared ? t->count - 1 : whole || ob_cost_rings(net, t) ? t->count / 2 : side;
    double wires = side * wire(net, m) * lines, starts = others * sending(net, m);
    const ob_curve *r = &net->profile->curve[OB_T_R];
    double take = ob_curve_at(r, (size_t)m);
    /* All send at once, share the wires, and come at about the same time, to be taken one by one;
     * or they are asked for one by one, and taking them is the wire's time as well. */
    if (t->act == OB_ACT_GATHER && take > 0)
        return message(net, 0, 1) + others * take +
               (take - ob_curve_at(r, 0) < wire(net, m) / 2 ? wires : 0);
    return message(net, 0, 1) - sending(net, m) +
           (starts > wires ? starts + wire(net, m) : sending(net, m) + wires);
}

double ob_cost_stage(const ob_net *net, const ob_stage *t, double bytes, double lines, int root)
{
    switch (t->how) {
    case OB_HOW_POSTAL: return postal(net, t, bytes, lines);
    case OB_HOW_BUCKET: return bucket(net, t, bytes, lines);
    case OB_HOW_BOTH: return both(net, t, bytes, lines);
    case OB_HOW_HALVING: return halving(net, t, bytes, lines);
    case OB_HOW_BRUCK: return bruck(net, t, bytes, lines);
    case OB_HOW_CHAIN: return chain(net, t, bytes, lines, root);
    case OB_HOW_FLAT: return flat(net, t, bytes, lines, root);
    case OB_HOW_DOUBLE: return double_tree(net, t, bytes, lines);
    default: return tree(net, t, bytes, lines);
    }
}

int ob_cost_detail(const ob_net *net, const ob_stage *stage, double bytes, double lines, int root)
{
    ob_stage t = *stage;
    if (t.how == OB_HOW_POSTAL) {
        double m = t.act == OB_ACT_SCATTER || t.act == OB_ACT_GATHER ? bytes / 2 : bytes;
        double lambda = floor(10 * along_tree(net, t.act, m, lines) / sending(net, m) + 0.5);
        return lambda < 10 ? 10 : lambda > 320 ? 320 : (int)lambda;
    }
    if (t.how != OB_HOW_CHAIN && t.how != OB_HOW_DOUBLE)
        return 0;
    int best = 1;
    double least = INFINITY;
    for (t.detail = 1; t.detail <= 256 && bytes / t.detail >= 64; t.detail *= 2) {
        double time = ob_cost_stage(net, &t, bytes, lines, root);
        if (time < least) {
            least = time;
            best = t.detail;
        }
    }
    return best;
}

/* ----------------------------------------------------------------- schemes */

static bool cuts(ob_act act)
{
    return act == OB_ACT_SCATTER || act == OB_ACT_DISTRIBUTE;
}

static bool joins(ob_act act)
{
    return act == OB_ACT_GATHER || act == OB_ACT_COLLECT;
}

static bool from_root(ob_act act)
{
    return act == OB_ACT_SCATTER || act == OB_ACT_BROADCAST;
}

static bool to_root(ob_act act)
{
    return act == OB_ACT_GATHER || act == OB_ACT_COMBINE;
}

/* Do two stages run along the same row or column of links? */
static bool same_way(const ob_net *net, const ob_stage *a, const ob_stage *b)
{
    return (a->stride >= net->columns) == (b->stride >= net->columns);
}

/* Lines of a stage that lie between each other's members on the same links and
 * are at work: all, but where only the root's line has the vector. */
static double lines_of(const ob_net *net, const ob_scheme *s, int k)
{
    const ob_stage *t = &s->stage[k];
    double lines = 1;
    if (!net->shared)
        return 1;
    if (!from_root(t->act) && !to_root(t->act))
        return t->stride >= net->columns ? t->stride / net->columns : t->stride;
    for (int j = 0; j < s->stages; j++) {
        const ob_stage *o = &s->stage[j];
        bool before = from_root(t->act) ? j < k && from_root(o->act) : j > k && to_root(o->act);
        if (before && o->stride < t->stride && same_way(net, t, o))
            lines *= o->count;
    }
    /* What was distributed is everywhere. */
    for (int j = 0; j < k; j++)
        if (s->stage[j].act == OB_ACT_DISTRIBUTE && s->stage[j].stride < t->stride &&
            same_way(net, t, &s->stage[j]) &&
            (t->act == OB_ACT_COMBINE || t->act == OB_ACT_BROADCAST))
            lines *= s->stage[j].count;
    return lines;
}

/* Everyone sends a piece somewhere: on shared links, along its row and then along its column, so
 * that half of those of a row may meet on a link, and half of a column's. */
static double swapping(const ob_net *net, double piece)
{
    double far = net->rows * net->columns > FAR ? FAR_SHARERS : 1;
    return message(net, piece, net->shared ? (net->rows + net->columns) / 4.0 : far);
}

/* Of one colour: pieces that are only joined begin one for each member. */
static void colour_widths(const ob_stage *stage, int count, double bytes, double *width)
{
    double pieces = 1;
    for (int k = 0; k < count && joins(stage[k].act); k++)
        pieces *= stage[k].count;
    double now = bytes / pieces;
    for (int k = 0; k < count; k++) {
        if (joins(stage[k].act))
            now *= stage[k].count;
        width[k] = now;
        if (cuts(stage[k].act))
            now /= stage[k].count;
    }
}

void ob_cost_widths(const ob_scheme *s, double bytes, double width[OB_STAGES])
{
    int colours = s->colours > 1 ? s->colours : 1, each = s->stages / colours;
    for (int c = 0; c < colours; c++)
        colour_widths(s->stage + c * each, each, bytes / colours, width + c * each);
}

static double cost_colour(const ob_net *net, const ob_scheme *s, int root, double bytes)
{
    double size = (double)net->rows * net->columns, width[OB_STAGES];
    double sum = ob_scheme_swaps(s) ? swapping(net, bytes / size) : 0;
    ob_cost_widths(s, bytes, width);
    for (int k = 0; k < s->stages; k++) {
        const ob_stage *t = &s->stage[k];
        sum += ob_cost_stage(net, t, width[k], lines_of(net, s, k), root / t->stride % t->count);
    }
    return sum;
}

/* Colours use different links, but a node starts one message at a time. */
double ob_cost_scheme(const ob_net *net, const ob_scheme *s, int root, double bytes)
{
    int colours = s->colours > 1 ? s->colours : 1, each = s->stages / colours;
    ob_scheme one = {.stages = each};
    double most = 0;
    for (int c = 0; c < colours; c++) {
        for (int k = 0; k < each; k++)
            one.stage[k] = s->stage[c * each + k];
        double time = cost_colour(net, &one, root, bytes / colours);
        most = time > most ? time : most;
    }
    return most + (colours - 1) * each * sending(net, 0);
}
