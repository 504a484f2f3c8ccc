/*
 * An ob_pieces as the algorithms use it: a view for each piece that this
 * member has in memory, and the sizes of all.
 */
#ifndef OB_COLLECTIVE_DATA_PARTS_H
#define OB_COLLECTIVE_DATA_PARTS_H

#include "core/group.h"
#include "core/view.h"
#include "kernel/kernel.h"

/* The first of n elements that falls to part i of `parts`. The first n mod parts parts get one
 * more. */
static inline size_t ob_part_start(size_t n, size_t parts, size_t i)
{
    size_t more = n % parts;
    return n / parts * i + (i < more ? i : more);
}

typedef struct ob_parts {
    int size;
    size_t *cut;   /* size + 1 boundaries, in elements of the combining */
    ob_view *view; /* of each piece; base NULL: not in this member's memory */
    size_t esize;  /* bytes of such an element */
    /* The own piece of a collect comes from here, that of a distributed combine goes here; NULL: it
     * is where it belongs. On a board (board.h) alone. */
    const ob_view *apart;
    char *flat; /* all pieces are one run of memory from here; NULL: they are not */
    ob_op op;
    ob_type type;
    const ob_operation *operation;
    ob_kernel kernel;
    bool alike;    /* all members are known to have the same sizes */
    uint32_t kind; /* of the combine that this is part of, below 1 << 27; 0: it is a call itself */
} ob_parts;

/* The kind where it is part of a superstep. */
enum { OB_PARTS_SUPERSTEP = (1 << 27) - 1 };

/* What members must agree on in a distributed combine beside the sizes; below 1 << 24. */
static inline uint32_t ob_parts_kind(const ob_parts *p)
{
    return p->operation ? 1u << 7 | (uint32_t)(p->esize & 0xffff) << 8
                        : (uint32_t)p->type | (uint32_t)p->op << 8;
}

/* Bytes of a piece; of all. */
static inline size_t ob_part_bytes(const ob_parts *p, int i)
{
    return (p->cut[i + 1] - p->cut[i]) * p->esize;
}

static inline size_t ob_parts_bytes(const ob_parts *p)
{
    return p->cut[p->size] * p->esize;
}

/* Combines n more elements into acc. */
static inline void ob_part_combine(const ob_parts *p, size_t n, void *acc, const void *in)
{
    if (p->operation)
        p->operation->apply(n, acc, in, p->operation->context);
    else
        p->kernel(n, acc, NULL, in, NULL);
}

/* here: the pieces are in this member's memory; mine: its own piece, when that is
 * somewhere else. Sizes are checked to be multiples of esize. OB_EARG, OB_ENOMEM. */
int ob_parts_make(const char *routine, const ob_group *group, const ob_pieces *pieces, bool here,
                  const ob_view *mine, size_t esize, ob_parts *parts);
/* Piece i alone, which is in this member's memory, as a view. OB_EARG. */
int ob_parts_piece(const char *routine, const ob_pieces *pieces, int i, ob_view *piece);
void ob_parts_free(ob_parts *parts);
/* One word for the sizes of all pieces. */
uint64_t ob_parts_shape(const ob_parts *p);
/* A member has another one. */
int ob_parts_unlike(const ob_group *g, int member);
/* Bytes of all pieces of a vector with so many. */
size_t ob_pieces_bytes(const ob_pieces *pieces, int size);

#endif
