/*
 * For tests: runs a function as every member of a group, each member a thread.
 */
#ifndef OB_COLLECTIVE_MEMBERS_TEST_H
#define OB_COLLECTIVE_MEMBERS_TEST_H

#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "hooks/topology.h"
#include "node/thread_team.h"
#include "unit.h"

/* The thread sanitizer makes everything some twenty times slower, and finds its
 * races among few members as well. */
#if defined(__SANITIZE_THREAD__)
#define TEST_MEMBERS 7
#else
#define TEST_MEMBERS 17
#endif

typedef void (*member_body)(ob_group *group, void *shared);

typedef struct members {
    member_body body;
    void *shared;
} members;

static inline void run_member(team *t, int me)
{
    const members *m = t->user;
    ob_group *group = team_group(t, me);
    m->body(group, m->shared);
    ob_barrier(group); /* nobody frees what another still reads */
    ob_group_free(group);
}

static inline void run_members(int count, member_body body, void *shared)
{
    assert_int_equal(team_try(count, (size_t)256 << 20, NULL, run_member, &(members){body, shared}),
                     0);
}

/* A group of the same members, as if they were on several nodes, one after the other or in turn. */
static inline ob_group *on_nodes(const ob_group *g, int nodes, bool in_turn)
{
    int all[TEST_MEMBERS];
    ob_group *of_nodes;
    for (int i = 0; i < g->size; i++)
        all[i] = g->peer[i]->number;
    OK(ob_group_create(g->job, all, g->size, &of_nodes));
    of_nodes->node = malloc((size_t)g->size * sizeof *g->node);
    for (int i = 0; i < g->size; i++)
        of_nodes->node[i] = in_turn ? i % nodes : i * nodes / g->size;
    of_nodes->nodes = nodes;
    of_nodes->one_node = false;
    return of_nodes;
}

/* All topologies, those that take a number with 3, and what else is worth a test in a group of this
 * size. False: there is no such route. */
static inline bool test_route(int k, ob_route *route)
{
    static const ob_route more[] = {
        {OB_TOP_BEST, 0, 1, 1},      {OB_TOP_MULTIRING, 1, 0, 0}, {OB_TOP_MULTIRING, -2, 0, 0},
        {OB_TOP_HYPERCUBE, 0, 0, 1}, {OB_TOP_TREE, 1, 0, 0},      {OB_TOP_TREE, 2, 0, 0},
        {OB_TOP_TREE, 4, 0, 1},      {OB_TOP_TREE, 40, 1, 0},
    };
    enum { MORE = sizeof more / sizeof *more };
    *route = k < MORE ? more[k] : (ob_route){(ob_topology)(k - MORE), 3, 0, 0};
    return ob_topology_at((int)route->topology) != NULL;
}

#endif
