/*
 * Carrying out a list of moves on a vector: the one executor of all schemes.
 *
 * The vector is one run of memory, the whole of it or the window a member needs.
 * Messages that are combined are cut (within a node at OB_RUN_PIECE), so that a piece and what it
 * is combined with stay in the cache; others are sent as they are, and stream.
 */
#ifndef OB_COLLECTIVE_SCHEME_RUN_H
#define OB_COLLECTIVE_SCHEME_RUN_H

#include "collective/scheme/scheme.h"
#include "core/group.h"
#include "core/view.h"
#include "kernel/kernel.h"

enum { OB_RUN_PIECE = 128 << 10, OB_RUN_EAGER = 60 << 10 };
/* From this many bytes on, on shared links, a receiver says that it has a
 * message, and the sender waits for that before it sends again: messages under way at
 * once would share the link, and all arrive late. */
enum { OB_RUN_ANSWER = 32 << 10 };
/* Members that send and receive do so in turn, so many bytes at a time; whoever only sends
 * waits for an answer as often, where there are answers. */
enum { OB_RUN_WINDOW = 1 << 20 };

typedef struct ob_vector {
    ob_group *group;
    char *values;
    size_t first; /* the element `values` points to */
    size_t esize;
    ob_type type; /* for error lines of members that disagree */
    int blocks;
    size_t whole;      /* elements of a vector that goes chunk by chunk: of all chunks; else 0 */
    size_t count;      /* elements, cut evenly into the blocks; or */
    const size_t *cut; /* pieces + 1 boundaries, each piece cut evenly into blocks / pieces */
    int pieces;
    int32_t *owners; /* beside the values, or NULL */
    ob_kernel kernel;
    const ob_operation *operation; /* in place of kernel */
    const ob_view *view;           /* not NULL: the vector is this, in one block, never combined */
    char *spare; /* not NULL: a broadcast's root, whose matrix nobody may write; what comes goes
                    here */
} ob_vector;

/* About so many bytes have the longest messages of values that are combined; and so many, not
 * more, of elements of `unit` bytes. */
size_t ob_run_piece(const ob_group *g);
size_t ob_run_longest(const ob_group *g, size_t unit);
/* Elements of the vector that lie together: those of a run of blocks. */
typedef struct ob_span {
    size_t start, count;
} ob_span;
ob_span ob_span_of(const ob_vector *v, ob_range r);
/* Bytes of working memory the moves of a vector without owners need: what is combined comes
 * there. */
size_t ob_run_scratch(const ob_vector *v, const ob_moves *moves);
/* Between nodes, one that fails lets the other members know (ob_message_fail_all). */
int ob_run(const ob_vector *v, const ob_moves *moves, char *scratch);

#endif
