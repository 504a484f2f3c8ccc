/*
 * What messages cost on the links of a group: the terms of which blocks make up their times.
 */
#include "collective/scheme/net.h"

#include "collective/scheme/run.h"

double ob_net_flight(const ob_net *net, double n, double sharers)
{
    const ob_curve *c = &net->profile->curve[OB_T_C];
    double t = ob_curve_at(c, (size_t)n);
    if (sharers > 1) {
        double start = ob_curve_at(c, 0);
        t += (sharers - 1) * (t - start);
    }
    return t;
}

double ob_net_message(const ob_net *net, double n, double sharers)
{
    double t = ob_net_flight(net, n, sharers);
    if (net->shared && n >= OB_RUN_ANSWER)
        t += ob_curve_at(&net->profile->curve[OB_T_C], 0);
    return t;
}

double ob_net_along_tree(const ob_net *net, ob_act act, double n, double sharers)
{
    return ob_act_funnels(act) ? ob_net_flight(net, n, sharers) : ob_net_message(net, n, sharers);
}

double ob_net_wire(const ob_net *net, double n)
{
    const ob_curve *c = &net->profile->curve[OB_T_C];
    double t = ob_curve_at(c, (size_t)n) - ob_curve_at(c, 0);
    return t > 0 ? t : 0;
}

double ob_net_sending(const ob_net *net, double n)
{
    double t = ob_curve_at(&net->profile->curve[OB_T_S], (size_t)n);
    double whole = ob_curve_at(&net->profile->curve[OB_T_C], (size_t)n);
    if (!net->shared && t < ob_net_wire(net, n))
        t = ob_net_wire(net, n);
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

double ob_net_work(const ob_net *net, const ob_stage *t, double n)
{
    return combines(t->act) ? adding(net, n) : 0;
}

double ob_net_crowding(const ob_net *net, double n, int later, double rest, double lines)
{
    double call = ob_curve_at(&net->profile->curve[OB_T_S], (size_t)n);
    if ((net->shared && n >= OB_RUN_ANSWER) || call <= 0 || call >= ob_net_wire(net, n) * lines)
        return 0;
    double time = ob_net_wire(net, rest) * lines - later * call;
    return time > 0 ? time : 0;
}

double ob_net_sharers(const ob_net *net, const ob_stage *t, double lines, int distance)
{
    if (net->shared)
        return lines * distance;
    return (double)distance * t->stride >= OB_NET_FAR ? OB_NET_FAR_SHARERS : 1;
}

bool ob_net_rings(const ob_net *net, const ob_stage *t)
{
    int length = t->count * t->stride; /* of the ring that all members of stride lines are on */
    bool row = t->stride < net->columns && length == net->columns;
    bool column = t->stride >= net->columns && t->stride % net->columns == 0 &&
                  length == net->rows * net->columns;
    return net->shared > 1 && t->count > 2 && (row || column);
}
