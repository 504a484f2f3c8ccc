/*
 * Choosing takes some thousand times as long as looking up, so a group keeps
 * what was chosen for a task, a root and a length. Lengths within an eighth of a power of two
 * count as one: the choice is for the upper end, at every member alike.
 */
#include "collective/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/profile.h"

enum { KEPT = 256 };

typedef struct kept {
    size_t bytes; /* class's upper end + 1; 0: free */
    int root;
    unsigned char task, coherent;
    ob_scheme scheme;
} kept;

struct ob_plans {
    kept at[KEPT];
};

/* The upper end of a length's class: four leading bits. */
static size_t class_of(size_t bytes)
{
    if (bytes < 16)
        return bytes;
    unsigned drop = 60u - (unsigned)__builtin_clzll(bytes);
    return bytes | (((size_t)1 << drop) - 1);
}

static int malformed(const char *text, const char *at)
{
    return ob_fail(OB_ESETTING,
                   "OPENBLACS_PLAN is '%s'; at '%.40s' it must be operation=scheme (see plan.h): "
                   "broadcast, combine, combine-all, scatter, gather, collect or distribute, and "
                   "stages such as scatter4@1:tree+collect4@1:bucket",
                   text, at);
}

int ob_plan_setting(const char *text, ob_task task, int size, ob_scheme *scheme)
{
    int found = 0;
    for (const char *at = text; at && *at;) {
        char words[OB_SCHEME_TEXT];
        size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        ob_scheme s;
        int named = -1;
        for (int k = 0; equals && k < OB_TASK_BARRIER; k++) {
            const char *name = ob_task_name((ob_task)k);
            if (strlen(name) == (size_t)(equals - at) && strncmp(at, name, strlen(name)) == 0)
                named = k;
        }
        size_t left = equals ? length - (size_t)(equals + 1 - at) : 0;
        if (named < 0 || left >= sizeof words)
            return malformed(text, at);
        memcpy(words, equals + 1, left);
        words[left] = 0;
        if (!ob_scheme_parse(words, &s))
            return malformed(text, at);
        if (!found && named == (int)task && ob_scheme_fits(&s, task, size)) {
            *scheme = s;
            found = 1;
        }
        at += length + (at[length] == ',');
    }
    return found;
}

static size_t hash(const ob_query *q, size_t bytes)
{
    uint64_t h = bytes * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)q->root * 0x85ebca6bu +
                 (uint64_t)q->task * 7 + q->coherent;
    return (size_t)((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40) % KEPT;
}

int ob_plan_scheme(ob_group *g, const ob_query *query, ob_scheme *scheme)
{
    int set = ob_plan_setting(g->job->set.plan, query->task, g->size, scheme);
    if (set)
        return set < 0 ? set : OB_OK;
    if (g->plans == NULL && (g->plans = calloc(1, sizeof *g->plans)) == NULL)
        return ob_fail(OB_ENOMEM, "no memory for the plans of a group of %d", g->size);
    ob_query q = *query;
    q.bytes = class_of(query->bytes);
    kept *k = &g->plans->at[hash(&q, q.bytes)];
    if (k->bytes != q.bytes + 1 || k->root != q.root || k->task != q.task ||
        k->coherent != q.coherent) {
        double time;
        ob_net net = {ob_profile_common(), g->rows, g->columns, g->links_shared};
        k->scheme = ob_choose(&net, &q, NULL, NULL, &time);
        k->bytes = q.bytes + 1;
        k->root = q.root;
        k->task = (unsigned char)q.task;
        k->coherent = q.coherent;
    }
    *scheme = k->scheme;
    return OB_OK;
}
