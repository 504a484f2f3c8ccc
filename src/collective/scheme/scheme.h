/*
 * A collective call as a list of moves. A scheme says it in stages: each is a
 * building block (form.h) carried out at once in all lines of one dimension of the
 * group, seen as a logical mesh of any number of dimensions. Hybrids (icc.txt,
 * 3.4) are schemes that cut the vector in some dimensions and handle what is
 * left of it whole in the others.
 *
 *     scatter16@32:tree+broadcast32@1:postal+collect16@32:both
 *
 * reads: in each line of 16 members whose positions are 32 apart scatter, then
 * broadcast in lines of 32 neighbours, then collect in lines of 16 again.
 *
 * A scheme of two colours, A|B, cuts the vector in halves and carries out A on one and
 * B on the other at the same time, so that links in both directions of a mesh are busy. All
 * its lines have two members: then a member only sends or receives in a stage of a colour, or
 * does both with one partner, and the sends of all colours can go before the receives.
 */
#ifndef OB_COLLECTIVE_SCHEME_SCHEME_H
#define OB_COLLECTIVE_SCHEME_SCHEME_H

#include <stddef.h>

#include "collective/scheme/form.h"

enum { OB_STAGES = 64, OB_COLOURS = 2, OB_SCHEME_TEXT = 1600 };

/* Not our messages, but the transport's own calls: those of all members, or to member 0 and from
 * there to all, which leaves the same bits on all. */
typedef enum ob_native_way { OB_NOT_NATIVE = 0, OB_NATIVE, OB_NATIVE_BY_ROOT } ob_native_way;

typedef struct ob_scheme {
    ob_native_way native; /* then there are no stages */
    int colours;          /* 0 or 1: one */
    int stages;           /* of all colours together; as many of each */
    ob_stage stage[OB_STAGES];
} ob_scheme;

/* What a scheme as a whole does. */
typedef enum ob_task {
    OB_TASK_BROADCAST = 0,
    OB_TASK_COMBINE, /* to one */
    OB_TASK_ALL,     /* combine to all */
    OB_TASK_SCATTER,
    OB_TASK_GATHER,
    OB_TASK_COLLECT,
    OB_TASK_DISTRIBUTE,
    OB_TASK_BARRIER,
    OB_TASK_KINDS
} ob_task;

/* Adds a stage; lines of one member are left out. */
void ob_scheme_add(ob_scheme *s, ob_act act, ob_how how, int count, int stride, int detail);
/* Blocks the whole vector is cut into. `pieces`: the vector comes in one piece for each of
 * p members, 0: it comes in one. */
int ob_scheme_blocks(const ob_scheme *s, int pieces);
/* The moves of one member: peers are positions in the group, ranges blocks of the
 * vector. moves->failed when there was no memory. */
void ob_scheme_moves(const ob_scheme *s, int pieces, int root, int me, ob_moves *moves);
/* Has it, as a collect or a distributed combine, one step in which members exchange pieces? */
bool ob_scheme_swaps(const ob_scheme *s);
/* Is the scheme a correct form of the operation for groups of this size? */
bool ob_scheme_fits(const ob_scheme *s, ob_task kind, int size);

/* A scheme in words, and back; false for words that are none. */
void ob_scheme_print(const ob_scheme *s, char text[OB_SCHEME_TEXT]);
bool ob_scheme_parse(const char *text, ob_scheme *s);
const char *ob_task_name(ob_task kind);

#endif
