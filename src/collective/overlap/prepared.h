/*
 * A collective call as a course (message/course.h): the steps of one member, made once. Builders
 * below write them, begin.c of the room above begins them.
 *
 * Two kinds. Straight: each member sends to each other one what that one needs; within a node,
 * where a message costs little and memory much. Sums are folded in the order of positions, as on a
 * board, so they have a board's bits. And schemes (scheme.h), as the planner chooses them.
 */
#ifndef OB_COLLECTIVE_OVERLAP_PREPARED_H
#define OB_COLLECTIVE_OVERLAP_PREPARED_H

#include "collective/data/parts.h"
#include "collective/scheme/scheme.h"
#include "kernel/kernel.h"
#include "message/course.h"

struct ob_prepared {
    ob_course course;
    ob_group *group;
    int kind, root; /* for traces: OB_TRACE_BROADCAST and so on; a position, or OB_ANY */
    int room;       /* for steps */
    bool failed;    /* no memory for all that was asked for */
    struct ob_chunk *chunks;
    ob_parts parts[2]; /* with their own memory; zeros: none */
};

/* What a combine is of. */
typedef struct ob_combining {
    int root; /* or OB_ANY */
    ob_op op;
    const ob_operation *operation; /* in place of op; NULL: op */
    ob_view matrix;
    bool apart; /* our values are not there, but in */
    ob_view from;
    int *owner; /* NULL: none are wanted */
    size_t ld_owner;
    bool exact;
    bool keep; /* where the result does not go the matrix is only read */
} ob_combining;

/* kind, root: as above. NULL, with the error set. */
ob_prepared *ob_prepared_new(ob_group *group, int kind, int root);
void ob_prepared_destroy(ob_prepared *p);
/* Memory that lives as long as it does; aligned to 64. NULL when there is none, which is
 * remembered, so that builders need not ask each time. */
void *ob_prepared_memory(ob_prepared *p, size_t bytes);
/* All steps are there: OB_OK, or OB_ENOMEM. */
int ob_prepared_close(ob_prepared *p);

/* Adds a step. after: all receives so far are over before it. */
void ob_add_recv(ob_prepared *p, bool after, int member, const ob_view *view);
void ob_add_send(ob_prepared *p, bool after, int member, const ob_view *view);
/* To those members, in a list that lives as long. */
void ob_add_send_several(ob_prepared *p, bool after, const int *to, int members,
                         const ob_view *view);
/* To all others. */
void ob_add_send_all(ob_prepared *p, bool after, const ob_view *view);
void ob_add_work(ob_prepared *p, bool after, int (*work)(const ob_step *step), void *with,
                 size_t first, size_t count);

/* Copies a matrix; as the first step, at the begin. */
void ob_add_copy(ob_prepared *p, const ob_view *from, const ob_view *to);

void ob_straight_broadcast(ob_prepared *p, int root, const ob_view *matrix);
/* From the root to the next member, and from there on. */
void ob_ring_broadcast(ob_prepared *p, int root, const ob_view *matrix);
void ob_straight_combine(ob_prepared *p, const ob_combining *what);
/* The same for one it serves, with one copy where that can be had. Of the builders of combines this
 * one alone looks at `from`. */
bool ob_claimed_serves(const ob_group *group, const ob_combining *what);
void ob_claimed_combine(ob_prepared *p, const ob_combining *what);
/* Of p->parts[0], and from that to p->parts[1]. */
void ob_straight_collect(ob_prepared *p);
void ob_straight_exchange(ob_prepared *p);
void ob_straight_barrier(ob_prepared *p);

void ob_planned_broadcast(ob_prepared *p, int root, const ob_view *matrix, const ob_scheme *scheme);
/* Schemes whose members are nodes, of the first piece and of the rest, about so many bytes at a
 * time. */
typedef struct ob_between {
    ob_scheme first, rest;
    size_t chunk;
} ob_between;

/* A leader of each node, at these positions (the root leads its own), carries them out and hands on
 * to its node. */
void ob_nodes_broadcast(ob_prepared *p, int root, const ob_view *matrix, const int *leaders,
                        const ob_between *between);
/* No owners, not exact. */
void ob_planned_combine(ob_prepared *p, const ob_combining *what, const ob_scheme *scheme);
void ob_planned_collect(ob_prepared *p, const ob_scheme *scheme);

#endif
