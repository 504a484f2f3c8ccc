/*
 * Candidates: each physical dimension as one digit of the position, or as two; the vector
 * cut in some of the digits, near ones first or last, and handled whole in the
 * others. Each stage takes the form that is cheapest where it stands.
 */
#include "collective/planner/choose.h"

#include <math.h>
#include <stdint.h>

enum { DIGITS = 28 };

typedef struct digits {
    int count;
    struct {
        int count, stride;
    } at[DIGITS];
} digits;

typedef struct search {
    const ob_net *net;
    const ob_query *query;
    ob_candidate each;
    void *context;
    ob_scheme best;
    double least;
} search;

/* On shared links a flat stage has been found to pay where it has two links of the root to itself,
 * or is all there is; elsewhere what the first to have their pieces send on delays the last. */
static bool may_be_flat(const search *s, const ob_stage *t)
{
    bool alone = s->query->task == OB_TASK_SCATTER || t->count == s->net->rows * s->net->columns;
    return alone || !s->net->shared || ob_net_rings(s->net, t);
}

static bool may_be(const search *s, const ob_stage *t)
{
    return ob_form_exists(t->act, t->how) && (t->how != OB_HOW_FLAT || may_be_flat(s, t));
}

/* Sets the detail of a stage; the time is that of the stage alone. */
static double form(const search *s, ob_stage *t, double width)
{
    double lines = s->net->shared && t->act >= OB_ACT_COLLECT
                       ? t->stride >= s->net->columns ? t->stride / s->net->columns : t->stride
                       : 1;
    int root = s->query->root / t->stride % t->count;
    t->detail = ob_cost_detail(s->net, t, width, lines, root);
    return ob_cost_stage(s->net, t, width, lines, root);
}

static double cost(const search *s, const ob_scheme *scheme)
{
    return ob_cost_scheme(s->net, scheme, s->query->root, (double)s->query->bytes);
}

/* Who listens hears of the forms, too, that lost against the cheapest of their stage. */
static void tell_other_forms(const search *s, const ob_scheme *scheme, double before)
{
    double width[OB_STAGES];
    ob_cost_widths(scheme, (double)s->query->bytes, width);
    for (int k = 0; k < scheme->stages; k++)
        for (int how = 0; how < OB_HOWS; how++) {
            ob_scheme other = *scheme;
            ob_stage *t = &other.stage[k];
            t->how = (ob_how)how;
            if ((ob_how)how == scheme->stage[k].how || !may_be(s, t))
                continue;
            form(s, t, width[k]);
            double time = cost(s, &other);
            /* Between two members most forms are the same one message. */
            if ((t->count > 2 || time > before * (1 + 1e-9)) &&
                ob_scheme_fits(&other, s->query->task, s->net->rows * s->net->columns))
                s->each(&other, time, s->context);
        }
}

static void offer(search *s, const ob_scheme *scheme)
{
    double time = cost(s, scheme);
    if (s->each) {
        s->each(scheme, time, s->context);
        tell_other_forms(s, scheme, time);
    }
    /* A hair less is not less: the answer must not hang on rounding. */
    if (time < s->least * (1 - 1e-9)) {
        s->least = time;
        s->best = *scheme;
    }
}

/* Adds the cheapest form of a stage, judged within the whole scheme so far. */
static void add(const search *s, ob_scheme *scheme, ob_act act, int count, int stride, double width)
{
    ob_stage best = {0};
    double least = INFINITY;
    if (count < 2 || scheme->stages == OB_STAGES)
        return;
    for (int how = 0; how < OB_HOWS; how++) {
        ob_stage t = {act, (ob_how)how, count, stride, 0};
        if (!may_be(s, &t))
            continue;
        double time = form(s, &t, width);
        if (time < least * (1 - 1e-9)) {
            least = time;
            best = t;
        }
    }
    scheme->stage[scheme->stages++] = best;
}

/* Stages over some digits, in the order given; returns the width afterwards. */
static double add_all(const search *s, ob_scheme *scheme, ob_act act, const digits *d,
                      const int *order, int count, double width)
{
    for (int k = 0; k < count; k++) {
        /* as many as the loop before has set: NOLINTNEXTLINE(clang-analyzer-core.*) */
        int q = d->at[order[k]].count;
        if (ob_act_joins(act))
            width *= q;
        add(s, scheme, act, q, d->at[order[k]].stride, width);
        if (ob_act_cuts(act))
            width /= q;
    }
    return width;
}

static void reverse(int *to, const int *from, int count)
{
    for (int k = 0; k < count; k++)
        to[k] = from[count - 1 - k];
}

/* How what is whole in some digits is handled there. A combine-to-all has two ways: by exchanges,
 * or combined to one member and broadcast from there (icc.txt, 3.2.1), which leaves all with the
 * same bits. */
typedef enum middle { DIRECT, BY_ROOT } middle;

static void add_middle(const search *s, ob_scheme *scheme, const digits *d, const int *order,
                       int count, double width, middle way)
{
    ob_task task = s->query->task;
    int back[DIGITS];
    ob_act act = task == OB_TASK_BROADCAST                   ? OB_ACT_BROADCAST
                 : task == OB_TASK_COMBINE || way == BY_ROOT ? OB_ACT_COMBINE
                                                             : OB_ACT_EXCHANGE;
    add_all(s, scheme, act, d, order, count, width);
    reverse(back, order, count);
    if (way == BY_ROOT)
        add_all(s, scheme, OB_ACT_BROADCAST, d, back, count, width);
}

/* Cut in the first `cut` digits of the order, whole in the others. */
static ob_scheme hybrid_of(const search *s, const digits *d, const int *order, int cut,
                           double width, middle way)
{
    ob_scheme scheme = {0};
    ob_task task = s->query->task;
    ob_act down = task == OB_TASK_BROADCAST ? OB_ACT_SCATTER : OB_ACT_DISTRIBUTE;
    ob_act up = task == OB_TASK_COMBINE ? OB_ACT_GATHER : OB_ACT_COLLECT;
    int back[DIGITS];
    width = add_all(s, &scheme, down, d, order, cut, width);
    add_middle(s, &scheme, d, order + cut, d->count - cut, width, way);
    reverse(back, order, cut);
    add_all(s, &scheme, up, d, back, cut, width);
    return scheme;
}

/* The ways that a hybrid can have: one, or for a combine-to-all that is not cut everywhere two, of
 * which exchanges are not for coherent calls. */
static bool allowed(const search *s, const digits *d, int cut, middle way)
{
    if (s->query->task != OB_TASK_ALL || cut == d->count)
        return way == DIRECT;
    return way == BY_ROOT || !s->query->coherent;
}

static void hybrid(search *s, const digits *d, const int *order, int cut)
{
    for (int way = DIRECT; way <= BY_ROOT; way++)
        if (allowed(s, d, cut, (middle)way)) {
            ob_scheme scheme = hybrid_of(s, d, order, cut, (double)s->query->bytes, (middle)way);
            offer(s, &scheme);
        }
}

/* ------------------------------------------------------- neighbours first, colours */

/* The digits of both dimensions as prime numbers, taken in turn, near ones first: long
 * pieces go to neighbours, and what goes far is short (icc.txt, 3.4). */
static void primes(int count, int stride, digits *d)
{
    for (int f = 2; count > 1 && d->count < DIGITS; f++)
        for (; count % f == 0; count /= f, stride *= f) {
            d->at[d->count].count = f;
            d->at[d->count++].stride = stride;
        }
}

static void in_turn(const digits *a, const digits *b, digits *d)
{
    for (int k = 0; k < a->count || k < b->count; k++) {
        if (k < a->count)
            d->at[d->count++] = a->at[k];
        if (k < b->count)
            d->at[d->count++] = b->at[k];
    }
}

static bool all_pairs(const digits *d)
{
    for (int k = 0; k < d->count; k++)
        if (d->at[k].count != 2)
            return false;
    return true;
}

/* By exchanges only: of a combine to one member and a broadcast from there both halves' messages
 * would come one after the other. */
static void two_colours(search *s, const digits *first, const digits *second, int cut)
{
    int order[DIGITS];
    for (int k = 0; k < first->count; k++)
        order[k] = k;
    double half = (double)s->query->bytes / 2;
    ob_scheme a = hybrid_of(s, first, order, cut, half, DIRECT);
    ob_scheme b = hybrid_of(s, second, order, cut, half, DIRECT);
    if (a.stages != b.stages || 2 * a.stages > OB_STAGES)
        return;
    for (int k = 0; k < b.stages; k++)
        a.stage[a.stages + k] = b.stage[k];
    a.stages *= 2;
    a.colours = 2;
    if (ob_scheme_fits(&a, s->query->task, s->net->rows * s->net->columns))
        offer(s, &a);
}

/* Pieces: the distributed combine takes near ones first, the collect last. */
static void pieces_by_turns(search *s, const digits *d, const int *order)
{
    ob_scheme scheme = {0};
    int back[DIGITS];
    bool up = s->query->task == OB_TASK_COLLECT;
    double width = (double)s->query->bytes;
    reverse(back, order, d->count);
    if (up)
        width /= s->net->rows * s->net->columns;
    add_all(s, &scheme, up ? OB_ACT_COLLECT : OB_ACT_DISTRIBUTE, d, up ? back : order, d->count,
            width);
    offer(s, &scheme);
}

static void neighbours_first(search *s)
{
    digits x = {0}, y = {0}, xy = {0}, yx = {0};
    int order[DIGITS];
    bool whole = s->query->task <= OB_TASK_ALL;
    primes(s->net->columns, 1, &x);
    primes(s->net->rows, s->net->columns, &y);
    if (x.count + y.count > DIGITS / 2)
        return;
    in_turn(&x, &y, &xy);
    in_turn(&y, &x, &yx);
    for (int k = 0; k < xy.count; k++)
        order[k] = k;
    if (!whole) {
        pieces_by_turns(s, &xy, order);
        pieces_by_turns(s, &yx, order);
    }
    for (int cut = 0; whole && cut <= xy.count; cut++) {
        hybrid(s, &xy, order, cut);
        hybrid(s, &yx, order, cut);
        if (s->net->shared && x.count && y.count && all_pairs(&xy) && allowed(s, &xy, cut, DIRECT))
            two_colours(s, &xy, &yx, cut);
    }
}

/* Every order of the digits would be 24; those that count are who is cut, and
 * whether near or far digits come first. */
static void hybrids(search *s, const digits *d)
{
    for (int set = 0; set < 1 << d->count; set++)
        for (int far_first = 0; far_first < 2; far_first++) {
            int order[DIGITS], cut = 0, at = 0;
            for (int pass = 1; pass >= 0; pass--) {
                for (int k = 0; k < d->count; k++) {
                    int i = far_first ? d->count - 1 - k : k;
                    if ((set >> i & 1) == pass)
                        order[at++] = i;
                }
                if (pass)
                    cut = at;
            }
            hybrid(s, d, order, cut);
        }
}

/* First one act over all digits, then (unless it is the same) another. */
static void two_acts(search *s, const digits *d, ob_act first, bool far_first, ob_act then)
{
    ob_scheme scheme = {0};
    int near[DIGITS], far[DIGITS];
    for (int k = 0; k < d->count; k++)
        near[k] = k;
    double width = (double)s->query->bytes, size = 1;
    for (int k = 0; k < d->count; k++)
        size *= d->at[k].count;
    reverse(far, near, d->count);
    if (ob_act_joins(first))
        width /= size;
    width = add_all(s, &scheme, first, d, far_first ? far : near, d->count, width);
    if (then != first)
        add_all(s, &scheme, then, d, far, d->count, width);
    offer(s, &scheme);
}

static void candidates(search *s, const digits *d)
{
    switch (s->query->task) {
    case OB_TASK_BROADCAST:
    case OB_TASK_COMBINE:
    case OB_TASK_ALL: hybrids(s, d); break;
    case OB_TASK_SCATTER: two_acts(s, d, OB_ACT_SCATTER, true, OB_ACT_SCATTER); break;
    case OB_TASK_GATHER: two_acts(s, d, OB_ACT_GATHER, false, OB_ACT_GATHER); break;
    case OB_TASK_COLLECT:
        two_acts(s, d, OB_ACT_COLLECT, false, OB_ACT_COLLECT);
        two_acts(s, d, OB_ACT_GATHER, false, OB_ACT_BROADCAST);
        break;
    default:
        two_acts(s, d, OB_ACT_DISTRIBUTE, true, OB_ACT_DISTRIBUTE);
        two_acts(s, d, OB_ACT_COMBINE, false, OB_ACT_SCATTER);
    }
}

/* A dimension as one digit (near == count) or two; near ones stand first. */
static void add_digits(digits *d, int count, int stride, int near)
{
    if (count < 2)
        return;
    d->at[d->count].count = near;
    d->at[d->count++].stride = stride;
    if (near < count) {
        d->at[d->count].count = count / near;
        d->at[d->count++].stride = stride * near;
    }
}

static bool divides(int near, int count)
{
    return count % near == 0 && (near > 1 || count == 1);
}

/* Measured as a whole, so there is nothing to choose in it. */
static void offer_native(search *s)
{
    const ob_query *q = s->query;
    int size = s->net->rows * s->net->columns;
    bool by_root = q->coherent && q->task == OB_TASK_ALL;
    if (!q->apart || !ob_may_be_native(q))
        return;
    double time = ob_profile_native(s->net->profile, by_root ? OB_TASK_COMBINE : (int)q->task, size,
                                    q->bytes);
    double back =
        by_root ? ob_profile_native(s->net->profile, OB_TASK_BROADCAST, size, q->bytes) : 0;
    if (time < 0 || back < 0)
        return;
    const ob_scheme native = {.native = q->coherent ? OB_NATIVE_BY_ROOT : OB_NATIVE};
    time += back;
    if (s->each)
        s->each(&native, time, s->context);
    if (time < s->least * (1 - 1e-9)) {
        s->least = time;
        s->best = native;
    }
}

size_t ob_choose_bytes(size_t bytes)
{
    if (bytes <= 16 || bytes > SIZE_MAX / 2)
        return bytes;
    unsigned drop = 60u - (unsigned)__builtin_clzll(bytes - 1);
    return ((bytes - 1) | (((size_t)1 << drop) - 1)) + 1;
}

ob_scheme ob_choose(const ob_net *net, const ob_query *query, ob_candidate each, void *context,
                    double *time)
{
    search s = {net, query, each, context, {0}, INFINITY};
    int rows = net->rows, columns = net->columns;
    bool pieces = query->task == OB_TASK_COLLECT || query->task == OB_TASK_DISTRIBUTE;
    if (rows * columns > 1 && (query->task <= OB_TASK_ALL || pieces))
        neighbours_first(&s);
    if (rows > 1 && columns > 1) { /* the whole as one line, which short vectors do not mind */
        digits d = {.count = 1, .at = {{rows * columns, 1}}};
        candidates(&s, &d);
    }
    if (rows * columns > 1)
        for (int a = 1; a <= columns; a++)
            for (int b = 1; divides(a, columns) && b <= rows; b++) {
                digits d = {0};
                if (!divides(b, rows))
                    continue;
                add_digits(&d, columns, 1, a);
                add_digits(&d, rows, columns, b);
                candidates(&s, &d);
            }
    offer_native(&s);
    *time = rows * columns > 1 ? s.least : 0;
    return s.best;
}
