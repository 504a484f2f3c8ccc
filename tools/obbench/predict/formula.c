/*
 * The formulas of LAWN 73 for broadcasts (4.3, table 9) and combines (5.4):
 * what the source or destination and the slowest process spend, in units of T_c, T_s, T_o and,
 * where sends need a buffer, T_m.
 */
#include "obbench/predict/predict.h"

typedef struct unit_times {
    double tc, ts, to;
    double tm; /* 0 where no buffer is needed */
    int overlap;
} unit_times;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The height H_t of a tree, and the sends of the root in the first step, N_is (4.3.2). */
static int tree_height(int members, int branches, int *first_sends)
{
    long long reach = 1, before = 1;
    int height = 0;
    for (; reach < members; height++) {
        before = reach;
        reach *= (long long)branches + 1;
    }
    *first_sends = height ? (int)((members + before - 1) / before) - 1 : 0;
    return height;
}

static int is_power_of_two(int n)
{
    return (n & (n - 1)) == 0;
}

static int log2_floor(int n)
{
    int log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* ---------------------------------------------------------------- broadcasts */

/* 4.3.1, Pipelining: each further one costs [T_m +] T_c + (N_r - 1) T_s. What every call
 * pays (T_m) is added by the caller. */
static void pipeline(const unit_times *t, int rings, int repeated, obb_times *out)
{
    if (repeated > 1 && rings > 0)
        out->max = (out->max + (repeated - 1) * (t->tc + (rings - 1) * t->ts)) / repeated;
}

/* The slowest is the end of the last long ring or of the last ring, whichever
 * waits longer; the text names the first, the example in 4.4.2 takes the second. */
static void rings(const unit_times *t, int members, int count, int repeated, obb_times *out)
{
    int followers = members - 1, longest, lasts;
    if (followers == 0)
        return;
    if (count > followers)
        count = followers;
    longest = (followers + count - 1) / count;
    lasts = followers / count;
    int long_rings = followers % count ? followers % count : count;
    out->root = count * t->ts;
    out->max =
        larger(longest * t->tc + (long_rings - 1) * t->ts, lasts * t->tc + (count - 1) * t->ts);
    pipeline(t, count, repeated, out);
}

static void split_ring(const unit_times *t, int members, int repeated, obb_times *out)
{
    int sends = members > 2 ? 2 : members - 1;
    out->root = sends * t->ts;
    out->max = members / 2 * t->tc;
    pipeline(t, sends, repeated, out);
}

static void tree(const unit_times *t, int members, int branches, obb_times *out)
{
    int first, height = tree_height(members, branches, &first);
    *out = (obb_times){0};
    if (height == 0)
        return;
    out->root = ((double)branches * (height - 1) + first) * t->ts;
    out->max = ((height - 1.0) * (branches - 1) + (first - 1)) * t->ts + height * t->tc;
}

static int broadcast(const unit_times *t, const obb_work *w, int repeated, obb_times *out)
{
    const ob_route *r = &w->route;
    switch (r->topology) {
    case OB_TOP_RING_UP:
    case OB_TOP_RING_DOWN: rings(t, w->members, 1, repeated, out); return OB_OK;
    case OB_TOP_SPLIT_RING: split_ring(t, w->members, repeated, out); return OB_OK;
    case OB_TOP_MULTIRING:
        if (r->branches == 0)
            return OB_EARG;
        rings(t, w->members, r->branches > 0 ? r->branches : -(r->branches + 1) + 1, repeated, out);
        return OB_OK;
    case OB_TOP_FULL: /* as many rings as followers */
        rings(t, w->members, w->members, repeated, out);
        return OB_OK;
    case OB_TOP_TREE:
        if (r->branches < 1)
            return OB_EARG;
        tree(t, w->members, r->branches, out);
        return OB_OK;
    case OB_TOP_BEST:
    case OB_TOP_HYPERCUBE: /* the tree with one branch has its times, for any number */
        tree(t, w->members, 1, out);
        return OB_OK;
    default: return OB_EARG;
    }
}

/* ------------------------------------------------------------------ combines */

/* What a process spends that takes in and combines so many messages (5.3.2, 5.4.1). Where the
 * operation takes longer than a message, the messages but the first arrive meanwhile. */
static double fan_in(const unit_times *t, int senders)
{
    if (!t->overlap)
        return senders * (t->tc + t->to);
    return t->to < t->tc ? senders * t->tc + t->to : t->tc + senders * t->to;
}

/* Left on all, it goes out along the tree with one branch. */
static void gather(const unit_times *t, const obb_work *w, int branches, obb_times *out)
{
    int first, height = tree_height(w->members, branches, &first), two;
    out->root = out->max = height * fan_in(t, branches);
    if (w->root == OB_ANY)
        out->max += tree_height(w->members, 1, &two) * t->tc;
}

/* 5.4.2. */
static void exchange(const unit_times *t, int members, obb_times *out)
{
    double both_ways = t->overlap ? t->tc : 2 * t->tc;
    double common = log2_floor(members) * (both_ways + t->to);
    out->root = out->max = common;
    if (is_power_of_two(members))
        return;
    out->root = t->tc + t->to + t->ts + common;
    out->max = larger(out->root, 2 * t->tc + t->to + common);
}

static int combine(const unit_times *t, const obb_work *w, obb_times *out)
{
    const ob_route *r = &w->route;
    switch (r->topology) {
    case OB_TOP_TREE:
        if (r->branches < 1)
            return OB_EARG;
        gather(t, w, r->branches, out);
        return OB_OK;
    case OB_TOP_HYPERCUBE:
        if (w->root == OB_ANY)
            exchange(t, w->members, out);
        else
            gather(t, w, 1, out);
        return OB_OK;
    case OB_TOP_BEST: gather(t, w, 1, out); return OB_OK;
    case OB_TOP_FULL: /* figure 36: all others send to one */
        gather(t, w, w->members > 1 ? w->members - 1 : 1, out);
        return OB_OK;
    default: return OB_EARG;
    }
}

int obb_predict_paper(const ob_profile *profile, const obb_work *work, int machine,
                      obb_times *times)
{
    const ob_curve *c = profile->curve;
    const unit_times t = {.tc = ob_curve_at(&c[OB_T_C], work->bytes),
                          .ts = ob_curve_at(&c[OB_T_S], work->bytes),
                          .to = ob_curve_at(&c[OB_T_O], work->bytes),
                          .tm =
                              machine & OB_PAPER_BUFFERS ? ob_curve_at(&c[OB_T_M], work->bytes) : 0,
                          .overlap = !(machine & OB_PAPER_NO_OVERLAP)};
    obb_times found = {0};
    int status;
    if (machine & ~(OB_PAPER_BUFFERS | OB_PAPER_NO_OVERLAP))
        return OB_EARG;
    if (work->members < 1)
        return OB_EARG;
    if (work->kind == OB_WORK_BROADCAST)
        status = broadcast(&t, work, work->repeated, &found);
    else if (work->kind == OB_WORK_COMBINE)
        status = combine(&t, work, &found);
    else
        status = OB_EARG;
    if (status != OB_OK)
        return status;
    double copy = work->members > 1 ? t.tm : 0;
    *times = (obb_times){.root = found.root + copy, .min = -1, .max = found.max + copy, .mean = -1};
    return OB_OK;
}
