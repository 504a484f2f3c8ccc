/*
 * The planner's answers for tools: hooks/planner.h.
 */
#include "hooks/planner.h"

#include <stdio.h>

#include "collective/planner/choose.h"
#include "collective/planner/profile.h"
#include "core/error.h"

_Static_assert((int)OB_PLAN_WORDS == (int)OB_SCHEME_TEXT, "room for every scheme");
_Static_assert((int)OB_PLAN_DISTRIBUTE == (int)OB_TASK_DISTRIBUTE, "one order of the tasks");

const char *ob_plan_task_name(ob_plan_task task)
{
    return (unsigned)task < OB_PLAN_TASKS ? ob_task_name((ob_task)task) : NULL;
}

typedef struct tell {
    ob_plan_listener listener;
    void *context;
} tell;

static void in_words(const ob_scheme *scheme, double time, void *context)
{
    const tell *t = context;
    char words[OB_SCHEME_TEXT];
    ob_scheme_print(scheme, words);
    t->listener(words, time, t->context);
}

static int check(const ob_plan_question *q)
{
    if ((unsigned)q->task >= OB_PLAN_TASKS)
        return ob_fail(OB_EARG, "OB-1027 ob_plan_explain: task %d is none", (int)q->task);
    if (q->rows < 1 || q->columns < 1 || (long long)q->rows * q->columns > 1 << 24)
        return ob_fail(OB_EARG,
                       "OB-1027 ob_plan_explain: %d x %d members; must be 1 x 1 to 2^24 in all",
                       q->rows, q->columns);
    if (q->links_shared < 0 || q->links_shared > 2)
        return ob_fail(OB_EARG, "OB-1027 ob_plan_explain: links_shared is %d, must be 0, 1 or 2",
                       q->links_shared);
    if (q->root < 0 || q->root >= q->rows * q->columns)
        return ob_fail(OB_EARG, "OB-1027 ob_plan_explain: root %d is outside the %d members",
                       q->root, q->rows * q->columns);
    return OB_OK;
}

int ob_plan_explain(const ob_profile *profile, const ob_plan_question *question,
                    ob_plan_listener listener, void *context, char *words, size_t room,
                    double *microseconds)
{
    int status = profile && question
                     ? check(question)
                     : ob_fail(OB_EARG, "OB-1027 ob_plan_explain: an argument is NULL");
    if (status == OB_OK)
        status = ob_profile_check(profile);
    if (status != OB_OK)
        return status;
    tell t = {listener, context};
    ob_net net = {profile, question->rows, question->columns, question->links_shared};
    ob_query query = {.task = (ob_task)question->task,
                      .root = question->root,
                      .bytes = ob_choose_bytes(question->bytes),
                      .coherent = question->coherent != 0,
                      .apart = true};
    char text[OB_SCHEME_TEXT];
    double time;
    ob_scheme best = ob_choose(&net, &query, listener ? in_words : NULL, &t, &time);
    ob_scheme_print(&best, text);
    if (words && room)
        snprintf(words, room, "%s", text);
    if (microseconds)
        *microseconds = time;
    return OB_OK;
}

static double share(ob_range r, ob_range more, int blocks)
{
    return (double)(r.b - r.a + more.b - more.a) / blocks;
}

int ob_plan_follow(const ob_plan_question *question, const char *words, int me,
                   ob_plan_follower follower, void *context)
{
    ob_scheme s;
    ob_moves moves = {0};
    int status = question && words && follower
                     ? check(question)
                     : ob_fail(OB_EARG, "OB-1027 ob_plan_follow: an argument is NULL");
    if (status != OB_OK)
        return status;
    ob_task task = (ob_task)question->task;
    int size = question->rows * question->columns;
    if (me < 0 || me >= size)
        return ob_fail(OB_EARG, "OB-1027 ob_plan_follow: %d is none of the %d members", me, size);
    if (!ob_scheme_parse(words, &s) || s.native || !ob_scheme_fits(&s, task, size))
        return ob_fail(OB_EARG, "OB-1027 ob_plan_follow: no %s of %d members is done by '%.100s'",
                       ob_task_name(task), size, words);
    int pieces = task > OB_TASK_ALL ? size : 0, blocks = ob_scheme_blocks(&s, pieces);
    ob_scheme_moves(&s, pieces, question->root, me, &moves);
    for (int k = 0; k < moves.count && !moves.failed; k++) {
        const ob_move *m = &moves.at[k];
        ob_plan_move told = {m->to, m->from, m->to < 0 ? 0 : share(m->send, m->send_more, blocks),
                             m->from < 0 ? 0 : share(m->recv, m->recv_more, blocks), m->combine};
        follower(&told, context);
    }
    status = moves.failed ? ob_fail(OB_ENOMEM, "OB-4001 ob_plan_follow: no memory") : OB_OK;
    ob_moves_free(&moves);
    return status;
}

const ob_profile *ob_plan_profile(void)
{
    return ob_profile_between_nodes();
}

static size_t chunk_of(ob_plan_task task, int members, int nodes)
{
    switch (task) {
    case OB_PLAN_BROADCAST: return OB_LEVELS_BROADCAST;
    case OB_PLAN_COMBINE:
    case OB_PLAN_COMBINE_ALL: return ob_levels_combine(members, nodes);
    default: return SIZE_MAX;
    }
}

int ob_plan_leaders(const ob_plan_question *whole, int nodes, ob_plan_question *leaders)
{
    int status = whole && leaders
                     ? check(whole)
                     : ob_fail(OB_EARG, "OB-1027 ob_plan_leaders: an argument is NULL");
    if (status != OB_OK)
        return status;
    int size = whole->rows * whole->columns;
    if (nodes < 1 || nodes > size)
        return ob_fail(OB_EARG, "OB-1027 ob_plan_leaders: %d nodes for %d members; must be 1 to %d",
                       nodes, size, size);
    *leaders = *whole;
    if (nodes == size)
        return OB_OK;
    size_t chunk = chunk_of(whole->task, size, nodes);
    leaders->rows = 1;
    leaders->columns = nodes;
    leaders->links_shared = 0;
    leaders->root = (int)((long long)whole->root * nodes / size);
    leaders->bytes = whole->bytes < chunk ? whole->bytes : chunk;
    return OB_OK;
}
