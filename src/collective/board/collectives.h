/*
 * Collective calls on the board (board.h), one a file.
 */
#ifndef OB_COLLECTIVE_BOARD_COLLECTIVES_H
#define OB_COLLECTIVE_BOARD_COLLECTIVES_H

#include "collective/data/parts.h"
#include "collective/scheme/scheme.h"
#include "core/group.h"
#include "hooks/collective.h"

/* On memory that one node's members have in common. A broadcast is n beta for
 * packing and n beta for unpacking, which overlap; a combine, with b the time of a byte
 * copied, 2 n b + p n gamma when short, 3 n b + n gamma when long. Both are
 * repeatable and coherent. from: this member's values, which are left as they are where the result
 * goes to another matrix `to` (of the same bytes; not looked at where there is no result). */
int ob_broadcast_board(ob_group *group, int root, const ob_view *matrix);
int ob_combine_board(ob_group *group, int root, ob_op op, const ob_operation *operation,
                     const ob_view *from, const ob_view *to, const ob_coordinates *coords,
                     bool exact);
int ob_barrier_board(ob_group *group);

/* Members times bytes up to which each member reads them all. */
enum { OB_READ_ALL = 64 << 10 };

/* A number, below 1 << 26, of what members must agree on beside the bytes. */
static inline uint32_t ob_combine_kind(ob_op op, const ob_operation *operation,
                                       const ob_view *matrix, bool exact)
{
    return (uint32_t)matrix->type | (uint32_t)op << 8 | (uint32_t)exact << 16 |
           (uint32_t)(operation ? operation->element_bytes : 0) << 17;
}

/* Combines, here alone, what something else than the board has brought, in the order that the board
 * has: member i's values are the place[i]-th of them. */
int ob_combine_values(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords, bool exact,
                      const char *values, const int *place);
/* Scatter, gather, collect, distributed combine: every byte is copied out once by who
 * has it and in by who wants it. */
int ob_parts_board(ob_group *group, ob_task task, int root, const ob_parts *parts);
/* The error that a member has so many bytes for others where we expect another number. */
int ob_parts_differ(const struct ob_board *b, ob_task task, int member, uint64_t theirs,
                    size_t mine);
/* Bytes of a piece, in the mean, that a root takes or gives in one round; where it is more, in
 * several: it goes in shares. unlike: the member names other sizes than the root, and passes them
 * by. */
enum { OB_SHARE_OF_PIECE = 64 << 10 };
int ob_parts_in_shares(ob_group *group, ob_task task, int root, const ob_parts *parts,
                       size_t shares, bool unlike);
/* The kind of its notes, where it is a call itself. */
static inline uint32_t ob_parts_note(ob_task task)
{
    return (uint32_t)task << 28;
}
/* Away from the root, of a gather that goes in one round. */
int ob_gather_away(ob_group *group, const ob_view *mine);
/* private_board.c: a scatter in one round, or whose root is read straight. *shares: in how many the
 * root would show it, and then 0, or in how many it does, from here on. *unlike: the member names
 * other sizes than the root, and is to pass these by. */
int ob_scatter_board(ob_group *group, int root, const ob_parts *parts, size_t *shares,
                     bool *unlike);
/* The same away from the root, where the root should have so many bytes for others. *shares: 0, or
 * in how many it shows it from here on; *shape: then, of its sizes. */
int ob_scatter_away(ob_group *group, int root, const ob_view *mine, uint64_t expected,
                    size_t *shares, uint64_t *shape);
/* Scatter or gather of which the root alone knows all sizes: at the root, and away from it. */
int ob_private_board(ob_group *group, ob_task task, const ob_parts *parts);
int ob_private_board_away(ob_group *group, ob_task task, int root, const ob_view *mine);

#endif
