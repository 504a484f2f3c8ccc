/*
 * Supersteps: what stands between barriers in a BSP program goes to everybody at once.
 */
#ifndef OPENBLACS_HOOKS_SUPERSTEP_H
#define OPENBLACS_HOOKS_SUPERSTEP_H

#include <stdbool.h>

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The communication of a superstep, of which only senders know what they send (an h-relation of the
 * BSP model). Each member writes what is for the others into outboxes, at any time and without
 * communication; ob_superstep_run delivers all of it at once, one message for each pair of
 * members that has something, and waits for all members. Within one node the outboxes lie in
 * memory that the receiver reads, so every byte is copied once by each side. */
typedef struct ob_superstep ob_superstep;

/* The tail of an outbox, where what goes to one member is written: at next, which the caller then
 * moves on, by multiples of 8, as long as it stays at or below end. NULL twice before the first
 * ob_superstep_grow. */
typedef struct ob_tail {
    char *next, *end;
} ob_tail;

/* Makes the outboxes of supersteps among the members of a group. All call it; a group may have
 * several. OB_ENOMEM, and what ob_group_create gives. */
OB_API int ob_superstep_create(ob_group *group, ob_superstep **step);
/* Gives it back; all members call it, before they free the group. Waits for all, but where no
 * member had anything for another in the last run. NULL is fine. */
OB_API void ob_superstep_free(ob_superstep *step);
/* Do all members read each other's memory? Else outboxes are sent in messages. All know it alike.
 */
OB_API bool ob_superstep_shares(const ob_superstep *step);
/* The tails, one for each member (also the caller), by position. The same array always. */
OB_API ob_tail *ob_superstep_tails(ob_superstep *step);
/* Makes room for at least `bytes` in one run, at multiples of 64; what stands in the outbox already
 * stays, and arrives as a span of its own. OB_ENOMEM. */
OB_API int ob_superstep_grow(ob_superstep *step, int dest, size_t bytes);

/* What is sent to a member goes on with a matrix, a span of its own at a multiple of 64 bytes.
 * Where the member reads our memory it is packed there now; else it is sent at the run, from where
 * it is, and must not change until then. Nothing of an empty one. OB_ENOMEM. */
OB_API int ob_superstep_attach(ob_superstep *step, int dest, const ob_view *matrix);

/* What all members say in a run, beside what they send. */
typedef struct ob_tally {
    unsigned flags; /* 4 bits; afterwards those that any member has set */
    uint32_t claim; /* 24 bits that all members should have equal */
    int agreed;     /* afterwards: they do */
    size_t sent;    /* afterwards: bytes this member had for others */
} ob_tally;

/* Delivers, and empties the outboxes. What arrived may be read, and changed, until the next run of
 * this superstep. h bytes sent or received by a member: on one node alpha + 2 h beta, else up to p
 * alpha + h beta; more than 8 members not on one node: (2 log2(p) + messages) alpha + h beta.
 * OB_EGONE. */
OB_API int ob_superstep_run(ob_superstep *step, ob_tally *tally);
/* The next span of what the member at `source` sent, in its order: its bytes and *base, as
 * aligned to 64 bytes as it was where it was written; 0 when there is no more. */
OB_API size_t ob_superstep_next(ob_superstep *step, int source, char **base);
/* Begins again with the first span of each member. */
OB_API void ob_superstep_rewind(ob_superstep *step);
/* The spans of the last run have been read: in a trace the run ends here, since what it takes to
 * read them is part of its cost. Its thread calls nothing else that is recorded in between. */
OB_API void ob_superstep_read(ob_superstep *step);

#ifdef __cplusplus
}
#endif
#endif
