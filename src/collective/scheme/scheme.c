/*
 * Putting stages together: which lines take part in a stage, and what window
 * of the vector each line works on.
 */
#include "collective/scheme/scheme.h"

void ob_scheme_add(ob_scheme *s, ob_act act, ob_how how, int count, int stride, int detail)
{
    if (count > 1 && s->stages < OB_STAGES)
        s->stage[s->stages++] = (ob_stage){act, how, count, stride, detail};
}

static int colours_of(const ob_scheme *s)
{
    return s->colours > 1 ? s->colours : 1;
}

/* The stages of one colour, as a scheme of its own. */
static ob_scheme colour_of(const ob_scheme *s, int colour)
{
    int each = s->stages / colours_of(s);
    ob_scheme one = {.stages = each};
    for (int k = 0; k < each; k++)
        one.stage[k] = s->stage[colour * each + k];
    return one;
}

static int blocks_of(const ob_stage *stage, int stages, int pieces)
{
    long long blocks = pieces ? pieces : 1;
    for (int k = 0; k < stages; k++) {
        if (!pieces && ob_act_cuts(stage[k].act))
            blocks *= stage[k].count;
        blocks *= ob_stage_fine(&stage[k]);
        if (blocks > (1 << 28))
            return 1 << 28;
    }
    return (int)blocks;
}

int ob_scheme_blocks(const ob_scheme *s, int pieces)
{
    int colours = colours_of(s);
    return colours * blocks_of(s->stage, s->stages / colours, pieces);
}

static int digit(const ob_stage *t, int position)
{
    return position / t->stride % t->count;
}

/* Has this member a part in the stage? In stages that spread, only lines the
 * root's vector has come to; in those that funnel, only lines it goes on from. */
static bool takes_part(const ob_scheme *s, int k, int root, int me)
{
    ob_act act = s->stage[k].act;
    if (ob_act_spreads(act)) {
        for (int later = k + 1; later < s->stages; later++)
            if (ob_act_spreads(s->stage[later].act) &&
                digit(&s->stage[later], me) != digit(&s->stage[later], root))
                return false;
    } else if (ob_act_funnels(act)) {
        for (int earlier = 0; earlier < k; earlier++)
            if (ob_act_funnels(s->stage[earlier].act) &&
                digit(&s->stage[earlier], me) != digit(&s->stage[earlier], root))
                return false;
    }
    return true;
}

typedef struct window {
    int low, width; /* blocks */
} window;

static ob_range scaled(ob_range r, const window *w, int unit)
{
    return (ob_range){w->low + r.a * unit, w->low + r.b * unit};
}

/* From line members and line blocks to positions and blocks of the vector. */
static void locate(ob_move *m, const ob_stage *t, int base, const window *w, int unit)
{
    if (m->to >= 0)
        m->to = base + m->to * t->stride;
    if (m->from >= 0)
        m->from = base + m->from * t->stride;
    m->send = scaled(m->send, w, unit);
    m->recv = scaled(m->recv, w, unit);
    m->send_more = scaled(m->send_more, w, unit);
    m->recv_more = scaled(m->recv_more, w, unit);
}

static void add_stage(const ob_stage *t, int root, int me, const window *w, ob_moves *moves)
{
    int first = moves->count, at = digit(t, me);
    ob_line line = {t->count, at, digit(t, root), t->detail};
    ob_form_moves(t->act, t->how, &line, moves);
    int unit = w->width / ob_stage_blocks(t);
    for (int k = first; k < moves->count; k++)
        locate(&moves->at[k], t, me - at * t->stride, w, unit);
}

/* One stage after the other; the window of each, seen from one member. */
static void walk_stage(const ob_scheme *s, int k, int root, int me, window *w, ob_moves *moves)
{
    const ob_stage *t = &s->stage[k];
    window whole = *w;
    if (ob_act_joins(t->act))
        whole = (window){w->low - digit(t, me) * w->width, w->width * t->count};
    if (takes_part(s, k, root, me))
        add_stage(t, root, me, &whole, moves);
    *w = whole;
    if (ob_act_cuts(t->act)) {
        w->width /= t->count;
        w->low += digit(t, me) * w->width;
    }
}

/* Stage by stage, the sends of all colours before their receives. */
static void mix(const ob_scheme *s, int root, int me, ob_moves *moves)
{
    int colours = colours_of(s), blocks = ob_scheme_blocks(s, 0) / colours;
    ob_scheme one[OB_COLOURS];
    window w[OB_COLOURS];
    for (int c = 0; c < colours; c++) {
        one[c] = colour_of(s, c);
        w[c] = (window){c * blocks, blocks};
    }
    for (int k = 0; k < one[0].stages; k++) {
        ob_moves stage = {0};
        for (int c = 0; c < colours; c++)
            walk_stage(&one[c], k, root, me, &w[c], &stage);
        bool begun = false;
        for (int send = 1; send >= 0; send--)
            for (int i = 0; i < stage.count; i++) {
                ob_move m = stage.at[i];
                *(send ? &m.from : &m.to) = -1;
                if ((send ? m.to : m.from) < 0)
                    continue;
                m.together = begun;
                begun = true;
                ob_moves_add(moves, m);
            }
        moves->failed |= stage.failed;
        ob_moves_free(&stage);
    }
}

/* ------------------------------------------------- pieces out of their order */

/* Before the first stage of a collect, and after the last of a distributed combine, a member
 * holds one piece. Where dimensions are not taken from the outermost in, or from the innermost
 * out, that is another one's: all exchange them in one more step. So pieces that are long
 * still, or already, go to neighbours, and what goes far is short. */
static bool all_of(const ob_scheme *s, ob_act act)
{
    for (int k = 0; k < s->stages; k++)
        if (s->stage[k].act != act)
            return false;
    return s->stages > 0;
}

/* Pieces between two that differ by one in the digit of a stage. */
static int weight(const ob_scheme *s, int k)
{
    int w = 1;
    bool up = ob_act_joins(s->stage[k].act);
    for (int j = up ? 0 : k + 1; j < (up ? k : s->stages); j++)
        w *= s->stage[j].count;
    return w;
}

static int held_by(const ob_scheme *s, int me)
{
    int piece = 0;
    for (int k = 0; k < s->stages; k++)
        piece += digit(&s->stage[k], me) * weight(s, k);
    return piece;
}

static int holder_of(const ob_scheme *s, int piece)
{
    int position = 0;
    for (int k = 0; k < s->stages; k++)
        position += piece / weight(s, k) % s->stage[k].count * s->stage[k].stride;
    return position;
}

bool ob_scheme_swaps(const ob_scheme *s)
{
    if (!all_of(s, OB_ACT_COLLECT) && !all_of(s, OB_ACT_DISTRIBUTE))
        return false;
    for (int k = 0; k < s->stages; k++)
        if (weight(s, k) != s->stage[k].stride)
            return true;
    return false;
}

/* Mine is the one I bring to a collect; the one I want of a distributed combine. */
static void swap(const ob_scheme *s, int fine, int me, ob_moves *moves)
{
    int held = held_by(s, me), holder = holder_of(s, me);
    bool first = ob_act_joins(s->stage[0].act);
    ob_range mine = {me * fine, (me + 1) * fine}, other = {held * fine, (held + 1) * fine};
    if (held == me)
        return;
    ob_moves_add(moves, (ob_move){.to = first ? holder : held,
                                  .from = first ? held : holder,
                                  .send = first ? mine : other,
                                  .recv = first ? other : mine});
}

void ob_scheme_moves(const ob_scheme *s, int pieces, int root, int me, ob_moves *moves)
{
    int blocks = ob_scheme_blocks(s, pieces), fine = pieces ? blocks / pieces : 1;
    window w = {0, blocks};
    if (colours_of(s) > 1) {
        mix(s, root, me, moves);
        return;
    }
    /* Collect and gather begin with each member's own piece. */
    bool swaps = pieces && ob_scheme_swaps(s), first = s->stages && ob_act_joins(s->stage[0].act);
    if (pieces && first)
        w = (window){(swaps ? held_by(s, me) : me) * fine, fine};
    if (swaps && first)
        swap(s, fine, me, moves);
    for (int k = 0; k < s->stages; k++)
        walk_stage(s, k, root, me, &w, moves);
    if (swaps && !first)
        swap(s, fine, me, moves);
}

/* --------------------------------------------------------------- what it does */

/* Do the stages of acts `a` or `b` go over each dimension of the group exactly
 * once? Positions are numbers in mixed radix: sorted by stride, each stage's stride must be
 * the product of the counts below. */
static bool covers(const ob_scheme *s, unsigned acts, int size)
{
    long long reach = 1;
    for (int k = 0; k < s->stages; k++)
        if (s->stage[k].count < 2)
            return false; /* goes over nothing, and would be found again and again */
    for (bool found = true; found;) {
        found = false;
        for (int k = 0; k < s->stages; k++)
            if ((acts >> s->stage[k].act & 1) && s->stage[k].stride == reach) {
                if (found)
                    return false;
                found = true;
            }
        for (int k = 0; found && k < s->stages; k++)
            if ((acts >> s->stage[k].act & 1) && s->stage[k].stride == reach) {
                reach *= s->stage[k].count;
                break;
            }
    }
    int wanted = 0, product = 1;
    for (int k = 0; k < s->stages; k++)
        if (acts >> s->stage[k].act & 1) {
            wanted++;
            product = product > size ? product : product * s->stage[k].count;
        }
    return reach == size && product == size && (wanted > 0 || size == 1);
}

/* What is cut is joined again, in reverse order. */
static bool nested(const ob_scheme *s)
{
    int open[OB_STAGES], depth = 0;
    for (int k = 0; k < s->stages; k++) {
        const ob_stage *t = &s->stage[k];
        if (ob_act_cuts(t->act)) {
            open[depth++] = k;
        } else if (ob_act_joins(t->act)) {
            if (depth == 0)
                return false;
            const ob_stage *o = &s->stage[open[--depth]];
            if (o->count != t->count || o->stride != t->stride)
                return false;
        }
    }
    return depth == 0;
}

/* Pieces lie in the order of positions: outer dimensions are cut first, or joined last. */
static bool in_order(const ob_scheme *s, bool (*which)(ob_act), bool falling)
{
    int before = 0;
    for (int k = 0; k < s->stages; k++) {
        if (!which(s->stage[k].act))
            continue;
        int stride = s->stage[k].stride;
        if (before && (falling ? stride >= before : stride <= before))
            return false;
        before = stride;
    }
    return true;
}

#define BIT(act) (1u << OB_ACT_##act)

/* All combining to the root is over before anything is spread from it: in between others have
 * sums of their own that nobody may take for the root's. */
static bool to_root_and_back(const ob_scheme *s)
{
    bool back = false;
    for (int k = 0; k < s->stages; k++) {
        back |= s->stage[k].act == OB_ACT_BROADCAST;
        if (back && s->stage[k].act == OB_ACT_COMBINE)
            return false;
    }
    return true;
}

static unsigned acts_of(const ob_scheme *s)
{
    unsigned acts = 0;
    for (int k = 0; k < s->stages; k++)
        acts |= 1u << s->stage[k].act;
    return acts;
}

static bool forms_exist(const ob_scheme *s)
{
    for (int k = 0; k < s->stages; k++)
        if (!ob_form_exists(s->stage[k].act, s->stage[k].how))
            return false;
    return true;
}

static bool fits(const ob_scheme *s, ob_task kind, int size)
{
    unsigned acts = acts_of(s), combining = BIT(COMBINE) | BIT(DISTRIBUTE) | BIT(EXCHANGE);
    unsigned spreading = BIT(BROADCAST) | BIT(SCATTER);
    if (!forms_exist(s))
        return false;
    if (size == 1)
        return s->stages == 0;
    switch (kind) {
    case OB_TASK_BROADCAST:
        return !(acts & ~(spreading | BIT(COLLECT))) && covers(s, spreading, size) && nested(s);
    case OB_TASK_COMBINE:
        return !(acts & ~(BIT(COMBINE) | BIT(DISTRIBUTE) | BIT(GATHER))) &&
               covers(s, combining, size) && nested(s);
    case OB_TASK_ALL:
        if (acts & BIT(COMBINE))
            return !(acts & ~(BIT(DISTRIBUTE) | BIT(COMBINE) | BIT(BROADCAST) | BIT(COLLECT))) &&
                   covers(s, BIT(DISTRIBUTE) | BIT(COMBINE), size) &&
                   covers(s, BIT(DISTRIBUTE) | BIT(BROADCAST), size) && nested(s) &&
                   to_root_and_back(s);
        return !(acts & ~(BIT(DISTRIBUTE) | BIT(EXCHANGE) | BIT(COLLECT))) &&
               covers(s, BIT(DISTRIBUTE) | BIT(EXCHANGE), size) && nested(s);
    case OB_TASK_SCATTER:
        return acts == BIT(SCATTER) && covers(s, acts, size) && in_order(s, ob_act_cuts, true);
    case OB_TASK_GATHER:
        return acts == BIT(GATHER) && covers(s, acts, size) && in_order(s, ob_act_joins, false);
    case OB_TASK_COLLECT:
        if (acts & BIT(GATHER))
            return acts == (BIT(GATHER) | BIT(BROADCAST)) && covers(s, BIT(GATHER), size) &&
                   covers(s, BIT(BROADCAST), size) && in_order(s, ob_act_joins, false) &&
                   s->stage[s->stages - 1].act == OB_ACT_BROADCAST;
        return acts == BIT(COLLECT) && covers(s, acts, size);
    case OB_TASK_DISTRIBUTE:
        if (acts & BIT(COMBINE))
            return acts == (BIT(COMBINE) | BIT(SCATTER)) && covers(s, BIT(COMBINE), size) &&
                   covers(s, BIT(SCATTER), size) && in_order(s, ob_act_cuts, true) &&
                   s->stage[0].act == OB_ACT_COMBINE &&
                   s->stage[s->stages - 1].act == OB_ACT_SCATTER;
        return acts == BIT(DISTRIBUTE) && covers(s, acts, size);
    default: return false;
    }
}

bool ob_scheme_fits(const ob_scheme *s, ob_task kind, int size)
{
    int colours = colours_of(s);
    if (s->native)
        return kind <= OB_TASK_DISTRIBUTE;
    if (colours == 1)
        return fits(s, kind, size);
    if (colours > OB_COLOURS || s->stages % colours || kind > OB_TASK_ALL)
        return false;
    for (int k = 0; k < s->stages; k++)
        if (s->stage[k].count != 2 || ob_stage_fine(&s->stage[k]) != 1)
            return false;
    int blocks = ob_scheme_blocks(s, 0) / colours;
    for (int c = 0; c < colours; c++) {
        ob_scheme one = colour_of(s, c);
        if (!fits(&one, kind, size) || ob_scheme_blocks(&one, 0) != blocks)
            return false;
    }
    return true;
}
