/*
 * Choosing takes some thousand times as long as looking up, so a group keeps
 * what was chosen for a task, a root and a length. Lengths within an eighth of a power of two
 * count as one: the choice is for the upper end, at every member alike.
 */
#include "collective/planner/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/planner/profile.h"
#include "collective/scheme/native.h"
#include "core/error.h"
#include "hooks/hash.h"

enum { KEPT = 256 };

typedef struct kept {
    size_t bytes; /* class's upper end + 1; 0: free */
    int root;
    unsigned char task;
    bool coherent, repeatable, moves;
    ob_scheme scheme;
} kept;

struct ob_chosen {
    kept at[KEPT];
};

static int malformed(const char *text, const char *at)
{
    return ob_fail(
        OB_ESETTING,
        "OB-9008 OPENBLACS_PLAN is '%s'; at '%.40s' it must be operation=scheme (see plan.h): "
        "broadcast, combine, combine-all, scatter, gather, collect or distribute, and "
        "stages such as scatter4@1:tree+collect4@1:bucket",
        text, at);
}

/* One entry of the list, whose task is -1 where it is malformed. Returns what follows. */
static const char *entry_at(const char *at, int *task, ob_scheme *s)
{
    char words[OB_SCHEME_TEXT];
    size_t length = strcspn(at, ",");
    const char *equals = memchr(at, '=', length);
    *task = -1;
    for (int k = 0; equals && k < OB_TASK_BARRIER; k++) {
        const char *name = ob_task_name((ob_task)k);
        if (strlen(name) == (size_t)(equals - at) && strncmp(at, name, strlen(name)) == 0)
            *task = k;
    }
    size_t left = equals ? length - (size_t)(equals + 1 - at) : 0;
    if (*task >= 0 && left < sizeof words) {
        memcpy(words, equals + 1, left);
        words[left] = 0;
        *task = ob_scheme_parse(words, s) ? *task : -1;
    } else {
        *task = -1;
    }
    return at + length + (at[length] == ',');
}

int ob_plan_setting(const char *text, ob_task task, int size, ob_scheme *scheme)
{
    int found = 0;
    for (const char *at = text, *next; at && *at; at = next) {
        ob_scheme s;
        int named;
        next = entry_at(at, &named, &s);
        if (named < 0)
            return malformed(text, at);
        if (!found && named == (int)task && ob_scheme_fits(&s, task, size)) {
            *scheme = s;
            found = 1;
        }
    }
    return found;
}

int ob_plan_check(const char *text)
{
    ob_scheme unused;
    return ob_plan_setting(text, OB_TASK_BROADCAST, 1, &unused) < 0 ? OB_ESETTING : OB_OK;
}

/* The size of a group that the scheme fits as a form of the task: the product of the
 * members of the stages of some acts. 0: none. */
static int size_for(const ob_scheme *s, ob_task task)
{
    int stages = s->colours > 1 ? s->stages / s->colours : s->stages;
    for (unsigned acts = 1; acts < 1u << OB_ACTS; acts++) {
        long long size = 1;
        for (int k = 0; k < stages; k++)
            if (acts >> s->stage[k].act & 1 && size < 1 << 24)
                size *= s->stage[k].count;
        if (size <= 1 << 24 && ob_scheme_fits(s, task, (int)size))
            return (int)size;
    }
    return 0;
}

bool ob_plan_misfit(const char *text, ob_task task, int size, char *line, size_t room)
{
    size_t used = 0;
    ob_scheme s;
    if (text == NULL || ob_plan_setting(text, task, size, &s))
        return false;
    for (const char *at = text, *next; *at; at = next) {
        int named;
        next = entry_at(at, &named, &s);
        if (named != (int)task || used >= room)
            continue;
        int fits = size_for(&s, task);
        used += (size_t)snprintf(line + used, room - used, "%s'%.*s' ", used ? ", " : "",
                                 (int)strcspn(at, ","), at);
        if (used >= room)
            break;
        if (fits)
            used += (size_t)snprintf(line + used, room - used, "is for a group of %d", fits);
        else
            used += (size_t)snprintf(line + used, room - used, "has stages that do not make a %s",
                                     ob_task_name(task));
    }
    return used > 0;
}

int ob_plan_named(const ob_group *g, ob_task task, ob_scheme *scheme)
{
    static atomic_bool said[OB_TASK_KINDS];
    char line[2 * OB_SCHEME_TEXT];
    const char *text = g->job->set.plan;
    if (text == NULL)
        return 0;
    int set = ob_plan_setting(text, task, g->size, scheme);
    if (set || g->me || atomic_load_explicit(&said[task], memory_order_relaxed) ||
        !ob_plan_misfit(text, task, g->size, line, sizeof line))
        return set;
    /* Threads may come here at once with groups of their own. Relaxed: the exchange alone says
     * who prints, and nothing goes with it. */
    if (!atomic_exchange_explicit(&said[task], true, memory_order_relaxed))
        fprintf(stderr,
                "OpenBLACS: OPENBLACS_PLAN: %s, not for this group of %d; the planner "
                "chooses [OB-9009]\n",
                line, g->size);
    return 0;
}

static size_t hash(const ob_query *q, size_t bytes)
{
    return (size_t)(ob_mix(bytes * OB_GOLDEN + (uint64_t)q->root * 0x85ebca6bu +
                           (uint64_t)q->task * 7 + q->coherent + 2 * q->repeatable +
                           4 * q->moves) >>
                    40) %
           KEPT;
}

/* By what was measured in this run, unless the call must be planned alike in every run. */
static ob_scheme choose(const ob_group *g, const ob_query *q)
{
    double time;
    ob_profile measured;
    ob_net net = {g->nodes > 1 ? ob_profile_between_nodes() : ob_profile_common(), g->rows,
                  g->columns, g->links_shared};
    if (g->network && !g->one_node && !q->repeatable) {
        ob_profile_of_network(g->network, &measured);
        net.profile = &measured;
    } else if (g->network && !g->shape_told) {
        net.rows = 1;
        net.columns = g->size;
        net.shared = 0;
    }
    return ob_choose(&net, q, NULL, NULL, &time);
}

/* As remembered; false: no memory. */
static bool look_up(ob_group *g, const ob_query *query, ob_scheme *scheme)
{
    if (g->chosen == NULL && (g->chosen = calloc(1, sizeof *g->chosen)) == NULL) {
        ob_fail(OB_ENOMEM, "OB-4001 no memory for the plans of a group of %d", g->size);
        return false;
    }
    ob_query q = *query;
    q.bytes = ob_choose_bytes(query->bytes);
    q.apart = g->nodes == g->size;
    kept *k = &g->chosen->at[hash(&q, q.bytes)];
    if (k->bytes != q.bytes + 1 || k->root != q.root || k->task != q.task ||
        k->coherent != q.coherent || k->repeatable != q.repeatable || k->moves != q.moves) {
        k->scheme = choose(g, &q);
        k->bytes = q.bytes + 1;
        k->root = q.root;
        k->task = (unsigned char)q.task;
        k->coherent = q.coherent;
        k->repeatable = q.repeatable;
        k->moves = q.moves;
    }
    *scheme = k->scheme;
    return true;
}

int ob_plan_scheme(ob_group *g, const ob_query *query, ob_scheme *scheme)
{
    ob_query q = *query;
    int set = ob_plan_named(g, q.task, scheme);
    if (set < 0 || (set && !scheme->native))
        return set < 0 ? set : OB_OK;
    if ((set || q.native) && ob_may_be_native(&q))
        *scheme = (ob_scheme){.native = q.coherent ? OB_NATIVE_BY_ROOT : OB_NATIVE};
    else if (!look_up(g, &q, scheme))
        return OB_ENOMEM;
    if (!scheme->native)
        return OB_OK;
    bool there;
    int status = ob_native_there(g, &there);
    if (status != OB_OK || there)
        return status;
    q.moves = true; /* all members have none */
    return look_up(g, &q, scheme) ? OB_OK : OB_ENOMEM;
}
