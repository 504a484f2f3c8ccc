/*
 * Times of stages and schemes.
 */
#include "collective/planner/cost.h"

#include <math.h>

double ob_cost_stage(const ob_net *net, const ob_stage *t, double bytes, double lines, int root)
{
    return ob_hows[t->how]->time(net, t, bytes, lines, root);
}

int ob_cost_detail(const ob_net *net, const ob_stage *stage, double bytes, double lines, int root)
{
    ob_stage t = *stage;
    ob_detail detail = ob_hows[t.how]->detail;
    if (detail == OB_DETAIL_LAMBDA) {
        double m = t.act == OB_ACT_SCATTER || t.act == OB_ACT_GATHER ? bytes / 2 : bytes;
        double lambda =
            floor(10 * ob_net_along_tree(net, t.act, m, lines) / ob_net_sending(net, m) + 0.5);
        if (!(lambda >= 10)) /* nor is it a number, where nothing takes time */
            return 10;
        return lambda > 320 ? 320 : (int)lambda;
    }
    if (detail == OB_DETAIL_NONE)
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
    if (!ob_act_spreads(t->act) && !ob_act_funnels(t->act))
        return t->stride >= net->columns ? t->stride / net->columns : t->stride;
    for (int j = 0; j < s->stages; j++) {
        const ob_stage *o = &s->stage[j];
        bool before = ob_act_spreads(t->act) ? j < k && ob_act_spreads(o->act)
                                             : j > k && ob_act_funnels(o->act);
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
    double far = net->rows * net->columns > OB_NET_FAR ? OB_NET_FAR_SHARERS : 1;
    return ob_net_message(net, piece, net->shared ? (net->rows + net->columns) / 4.0 : far);
}

/* Of one colour: pieces that are only joined begin one for each member. */
static void colour_widths(const ob_stage *stage, int count, double bytes, double *width)
{
    double pieces = 1;
    for (int k = 0; k < count && ob_act_joins(stage[k].act); k++)
        pieces *= stage[k].count;
    double now = bytes / pieces;
    for (int k = 0; k < count; k++) {
        if (ob_act_joins(stage[k].act))
            now *= stage[k].count;
        width[k] = now;
        if (ob_act_cuts(stage[k].act))
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
    return most + (colours - 1) * each * ob_net_sending(net, 0);
}
