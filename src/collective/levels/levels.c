/*
 * The groups of the two levels: made at a group's first call, kept with it. Only the
 * leaders change, with the root; and not those of boards.
 */
#include "collective/levels/levels.h"

#include <stdlib.h>

#include "collective/board/board.h"
#include "core/error.h"
#include "message/message.h"

enum { LEVEL_LOCAL = 1, LEVEL_LEADERS = 2, LEVEL_ACROSS = 4 };

/* Messages between two leaders are received in the order of the calls, which all members
 * make alike; so one context number does for the leaders of any root. */
static void find_leaders(ob_group *g, ob_levels *l, int root)
{
    for (int k = 0; k < g->nodes; k++)
        l->leader[k] = -1;
    for (int i = 0; i < g->size; i++) {
        int position = root + i < g->size ? root + i : root + i - g->size;
        int node = g->node[position];
        if (l->leader[node] < 0)
            l->leader[node] = position;
    }
    for (int k = 0; k < g->nodes; k++)
        l->leaders->peer[k] = g->peer[l->leader[k]];
    int mine = l->leader[g->node[g->me]];
    l->leading = mine == g->me;
    for (l->at = 0; l->member[l->at] != mine; l->at++)
        ;
    l->root = root;
}

/* The members of our place on all nodes, or boards. False: no memory. */
static bool find_across(ob_group *g, ob_levels *l)
{
    int *count = calloc((size_t)g->nodes * 2, sizeof *count), *position = count + g->nodes;
    if (count == NULL)
        return false;
    for (int i = 0; i < g->size; i++)
        if (count[g->node[i]]++ == l->local->me)
            position[g->node[i]] = i;
    l->carriers = g->size;
    for (int k = 0; k < g->nodes; k++)
        l->carriers = count[k] < l->carriers ? count[k] : l->carriers;
    bool carries = l->carriers > 1 && l->local->me < l->carriers;
    if (carries)
        l->across = ob_group_level(g, LEVEL_ACROSS, position, g->nodes, g->node[g->me]);
    free(count);
    if (l->across && g->one_node)
        l->across->one_node = true;
    else if (l->across)
        l->across->nodes = g->nodes;
    return l->across || !carries;
}

static int make(ob_group *g)
{
    int count = 0, me = 0;
    ob_levels *l = calloc(1, sizeof *l + (size_t)(g->nodes + g->size) * sizeof(int));
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for the nodes of a group of %d", g->size);
    l->leader = (int *)(l + 1);
    l->member = l->leader + g->nodes;
    for (int i = 0; i < g->size; i++) {
        if (g->node[i] != g->node[g->me])
            continue;
        if (i == g->me)
            me = count;
        l->member[count++] = i;
    }
    for (int i = g->size - 1; i >= 0; i--)
        l->leader[g->node[i]] = i;
    l->local = ob_group_level(g, LEVEL_LOCAL, l->member, count, me);
    l->leaders = ob_group_level(g, LEVEL_LEADERS, l->leader, g->nodes, g->node[g->me]);
    if (l->local == NULL || l->leaders == NULL || !find_across(g, l)) {
        ob_group_free(l->local);
        ob_group_free(l->leaders);
        free(l);
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for the nodes of a group of %d", g->size);
    }
    l->local->one_node = true;
    if (g->one_node)
        l->leaders->one_node = true;
    else
        l->leaders->nodes = g->nodes;
    l->root = -1;
    g->levels = l;
    return OB_OK;
}

/* Nodes are numbered as they come. */
bool ob_in_runs(const ob_group *g)
{
    for (int i = 1; i < g->size; i++)
        if (g->node[i] < g->node[i - 1])
            return false;
    return true;
}

int ob_levels_of(ob_group *g, int root, ob_levels **levels)
{
    int status = g->levels ? OB_OK : make(g);
    *levels = g->levels;
    if (g->one_node)
        root = 0;
    if (status == OB_OK && g->levels->root != root)
        find_leaders(g, g->levels, root);
    if (status == OB_OK) {
        g->levels->leaders->call = g->call;
        g->levels->leaders->calls = g->calls;
        if (g->levels->across) {
            g->levels->across->call = g->call;
            g->levels->across->calls = g->calls;
        }
    }
    return status;
}

void ob_boards_break(const ob_group *g)
{
    if (g->board)
        ob_board_break(g->board);
    if (ob_has_tiers(g) && g->tiers->order->levels)
        ob_levels_fail(g->tiers->order->levels);
}

void ob_levels_fail(ob_levels *l)
{
    ob_boards_break(l->local);
    if (l->across && l->across->one_node)
        ob_boards_break(l->across);
    if (l->leaders->one_node)
        ob_boards_break(l->leaders);
    else
        ob_message_fail_all(l->leaders);
}

/* The error line comes first: those who find a board broken get it. */
int ob_tiers_no_memory(const ob_tiers *t, const char *what, size_t bytes)
{
    int status = ob_fail(OB_ENOMEM, "OB-4001 %s of %d members: no memory for %zu bytes", what,
                         t->order->size, bytes);
    ob_levels_fail(t->order->levels);
    return status;
}
