/*
 * The planner of collective calls, without communication: which schemes there
 * are for an operation, what each should take on a machine with a given profile
 * (model.h), and which one the library would choose.
 *
 * A scheme is written in stages, "scatter16@32:tree+broadcast32@1:postal2+...":
 * what is done in each line of so many members (16) whose positions are so far apart (32),
 * and how. OPENBLACS_PLAN takes the same words: a list, separated by commas, of
 * operation=scheme; operation is broadcast, combine, combine-all, scatter, gather,
 * collect or distribute. It holds for groups the scheme fits; others are planned as
 * always, and the first call to which no scheme of its operation fits says so on stderr.
 */
#ifndef OPENBLACS_HOOKS_PLANNER_H
#define OPENBLACS_HOOKS_PLANNER_H

#include "hooks/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operations, as in core.h; OB_PLAN_COMBINE leaves the result on one member. */
typedef enum ob_plan_task {
    OB_PLAN_BROADCAST = 0,
    OB_PLAN_COMBINE,
    OB_PLAN_COMBINE_ALL,
    OB_PLAN_SCATTER,
    OB_PLAN_GATHER,
    OB_PLAN_COLLECT,
    OB_PLAN_DISTRIBUTE,
    OB_PLAN_TASKS
} ob_plan_task;

/* "broadcast" and so on; NULL for none. */
OB_API const char *ob_plan_task_name(ob_plan_task task);

/* Characters of the longest scheme, its end included. */
enum { OB_PLAN_WORDS = 1600 };

typedef struct ob_plan_question {
    ob_plan_task task;
    int rows, columns; /* members, as a mesh; a line has one row */
    int links_shared;  /* as in ob_group_shape: 0, 1 or 2 */
    int root;
    size_t bytes; /* of the whole vector; planned, as the library does, for the next multiple
                   * of a sixteenth of the next power of two */
    int coherent;
} ob_plan_question;

/* One candidate; words are valid during the call. */
typedef void (*ob_plan_listener)(const char *words, double microseconds, void *context);

/* Calls the listener (unless NULL) for every candidate, then writes the choice to `words`
 * (of `room` characters, OB_PLAN_WORDS for all of any) and its time. Two calls with equal arguments
 * give equal answers. OB_EARG, OB_ENOMEM. */
OB_API int ob_plan_explain(const ob_profile *profile, const ob_plan_question *question,
                           ob_plan_listener listener, void *context, char *words, size_t room,
                           double *microseconds);

/* One message that a member sends (to) or receives (from), or both, in this order; -1: none. Of the
 * whole vector it has these shares. combined: what comes is combined with what is there. */
typedef struct ob_plan_move {
    int to, from;
    double sent, received;
    int combined;
} ob_plan_move;
typedef void (*ob_plan_follower)(const ob_plan_move *move, void *context);

/* Tells what member `me` does in a scheme, one move after the other; the k-th message that it sends
 * to another one is the k-th that the other one receives from it. OB_EARG (also for words that are
 * no scheme of the operation for such a group), OB_ENOMEM. */
OB_API int ob_plan_follow(const ob_plan_question *question, const char *words, int me,
                          ob_plan_follower follower, void *context);

/* The profile the library plans with where messages cross a network: that of
 * OPENBLACS_PROFILE, or a built-in one. Never a machine's own, which other members may not have. */
OB_API const ob_profile *ob_plan_profile(void);

/* What the leaders of a group's nodes are asked for, when its members lie evenly on so many
 * nodes, those of a node one after another: members of a node use its shared memory, and one of
 * each, its leader, takes part in a scheme with the others, of the whole vector or of so
 * many bytes of it at a time. So it is whatever the bytes, unless OPENBLACS_PLAN names a scheme for
 * the whole group. OPENBLACS_PLAN's schemes for as many members as there are nodes
 * are the leaders'. With as many nodes as members the answer is the question. OB_EARG. */
OB_API int ob_plan_leaders(const ob_plan_question *whole, int nodes, ob_plan_question *leaders);

#ifdef __cplusplus
}
#endif
#endif
