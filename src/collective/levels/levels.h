/*
 * Two levels: what collective calls do with a group whose members are several to a node.
 * Within each node they use the board, between the nodes one member of each, its
 * leader, takes part in a planned scheme. So a byte crosses the network once for a
 * node, not once for a process.
 *
 * Whether a group is treated so depends on the group alone, never on a call's bytes:
 * members that disagree about those must meet in one algorithm to find out.
 *
 * Tiers: the same within a node of many processors. A line that many cores read at once is a
 * convoy: they get it one after the other. So where each process has a processor, a group of more
 * than OB_TIER members shares no board. Near members (node/near.h) share one, at most OB_TIER of
 * them; the first of each board, its leader, shares one with other leaders, and so on: 8, 64, 512.
 * No line has more readers than a board has members.
 *
 *   barrier     up and down the tiers
 *   broadcast   the root to its board, its leader to the leaders, they to theirs; piece by piece:
 *               each member takes it from one board and shows it on those of which it is the root
 *               or, further from it, the leader (board/broadcast.h)
 *   collect     pieces go up the tiers, the vector comes down; gather, scatter: one way of it
 *   combine     values so short that each member reads those of all are collected, or gathered,
 *               and combined by who wants the result, in the order that the board has: the same
 *               bits. Of longer ones each member combines a slice, in the same order; it reads the
 *               others' values where they are (wall.h), so each line has a reader or two. Results
 *               go through the tiers
 *   distribute  likewise, but for the results
 *
 * Member 0 of a group decides at its first collective call, in the message that else names the
 * board: where processes outnumber processors each tier costs switches between processes, and one
 * board serves. OPENBLACS_TIERS says otherwise. Leaders do not change with the root (a board's
 * members are the same in every round): a root that leads no board hands the vector of a scatter
 * to its leader, or gets that of a gather from it, in a round of their board.
 */
#ifndef OB_COLLECTIVE_LEVELS_LEVELS_H
#define OB_COLLECTIVE_LEVELS_LEVELS_H

#include "collective/board/broadcast.h"
#include "collective/board/collectives.h"
#include "collective/data/parts.h"
#include "collective/levels/tiers.h"
#include "collective/planner/choose.h"
#include "collective/scheme/scheme.h"
#include "core/group.h"
#include "hooks/collective.h"

/* Do the members of each node follow each other in the group? */
bool ob_in_runs(const ob_group *group);

/* Places of all members of a group on one node, as measured; member 0's told to all. At most so
 * many. */
enum { OB_MEASURED_MOST = 256 };
int ob_tiers_measure(ob_group *group, uint64_t *place);
int ob_tiers_tell(ob_group *group, uint64_t *place);

/* What the caller has to do with a broadcast of the member at position `root` of a group on one
 * node that has tiers. */
int ob_tiers_stream(ob_group *group, int root, ob_stream *stream);

/* Opens all boards of the caller's node. Before the first message to other nodes: one who fails in
 * it must find the boards that it is to break. all: as in ob_tiers_of. */
int ob_boards_open(ob_levels *levels, bool all);
/* And those of ob_collect_across. */
int ob_boards_open_across(ob_levels *levels);

/* The levels with the leaders of calls that have this root (0: none). Each node's leader is
 * its first member from the root on, counted around the group; so the root leads its own. */
int ob_levels_of(ob_group *group, int root, ob_levels **levels);

/* A leader's matrix to its node, or board, which has two or more members. *unlike: the leader's has
 * another size, or it is in another call. */
int ob_levels_tell(ob_levels *levels, const ob_view *matrix, bool *unlike);
/* All boards of a group on one node that we have: nobody is to wait for us there. */
void ob_boards_break(const ob_group *g);
/* A leader that has failed: nobody on its node or elsewhere is to wait for it. */
void ob_levels_fail(ob_levels *levels);

/* Within a node, where there may be tiers; as those of collectives.h. */
int ob_barrier_tiers(ob_group *group);
int ob_broadcast_tiers(ob_group *group, int root, const ob_view *matrix);
typedef int ob_node_combine(ob_group *group, int root, ob_op op, const ob_operation *operation,
                            const ob_view *from, const ob_view *to, const ob_coordinates *coords,
                            bool exact);
ob_node_combine ob_combine_tiers;
int ob_parts_tiers(ob_group *group, ob_task task, int root, const ob_parts *parts);

/* The long ones (long_tiers.c). */
int ob_combine_long_tiers(const ob_tiers *t, ob_group *g, int root, ob_op op,
                          const ob_operation *operation, const ob_view *from, const ob_view *to,
                          const ob_coordinates *coords, bool exact);
int ob_distribute_tiers(const ob_tiers *t, ob_group *g, const ob_parts *parts);

/* The end of a call within a node: who has no memory for its part tells those who wait for it. */
static inline int ob_node_end(const ob_group *group, int status)
{
    if (__builtin_expect(status == OB_ENOMEM, 0))
        ob_boards_break(group);
    return status;
}

/* Within any node. */
static inline int ob_barrier_node(ob_group *group)
{
    return ob_has_many(group) ? ob_barrier_tiers(group) : ob_barrier_board(group);
}

static inline int ob_broadcast_node(ob_group *group, int root, const ob_view *matrix)
{
    int status = ob_has_many(group) ? ob_broadcast_tiers(group, root, matrix)
                                    : ob_broadcast_board(group, root, matrix);
    return ob_node_end(group, status);
}

static inline int ob_combine_node(ob_group *group, int root, ob_op op,
                                  const ob_operation *operation, const ob_view *from,
                                  const ob_view *to, const ob_coordinates *coords, bool exact)
{
    int status = ob_has_many(group)
                     ? ob_combine_tiers(group, root, op, operation, from, to, coords, exact)
                     : ob_combine_board(group, root, op, operation, from, to, coords, exact);
    return ob_node_end(group, status);
}

static inline int ob_parts_node(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    int status = ob_has_many(group) ? ob_parts_tiers(group, task, root, parts)
                                    : ob_parts_board(group, task, root, parts);
    return ob_node_end(group, status);
}

/* The same, but for distributed combines. */
int ob_pieces_node(ob_group *group, ob_task task, int root, const ob_parts *parts);
/* Among all in the order of the boards, which is that of the pieces (ob_tiers.order). */
int ob_pieces_in_order(ob_group *order, ob_task task, int root, const ob_parts *parts);
/* A collect of members that agree (parts->alike), where the boards may be so used. */
bool ob_may_collect_across(const ob_group *order);
int ob_collect_across(ob_group *order, const ob_parts *parts);

/* native: as in ob_query. */
int ob_broadcast_levels(ob_group *group, int root, const ob_view *matrix, bool native);
/* coords: positions of owners are left in coords->first, not split yet. promises: a query with
 * what the call has promised, of which the rest is not read. */
int ob_combine_levels(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords,
                      const ob_query *promises);
/* The same, without owners and of members that agree about the bytes: it is carried (carried.c).
 * ob_carried_by: a combine of so many bytes may be, as far as the group and the promises tell. */
bool ob_carried_by(const ob_levels *levels, const ob_query *promises, size_t bytes);
int ob_combine_carried(ob_group *group, int root, ob_op op, const ob_operation *operation,
                       const ob_view *matrix, const ob_query *promises);
/* Have all the same bytes? Then levels->carried says what they do, alike. */
int ob_carried_ask(ob_group *group, ob_levels *levels, size_t bytes, const ob_query *promises);
/* Who has failed, with that status, is waited for on its node, and by those of its place. */
int ob_carried_fail(ob_levels *levels, int status);
/* A collect or a distributed combine (promises->task), where ob_in_runs; *done: or it has failed.
 */
int ob_parts_carried(ob_group *group, const ob_parts *parts, const ob_query *promises, bool *done);
int ob_barrier_levels(ob_group *group);
/* Scatter, gather, collect and distributed combine; only where ob_in_runs. combine: what a
 * distributed one does within a node (ob_combine_tiers; handed down, since that calls this). */
int ob_parts_levels(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_query *promises, ob_node_combine *combine);

#endif
