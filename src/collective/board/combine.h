/*
 * A combine among members of one node, as its ways share it: what is combined, and the local part.
 *
 * Values are combined in the order of the members' distance from the root (from member 0 when left
 * on all), whoever comes first: the same bits every time and on every member. Owners need not
 * travel: a value's owner is the member whose memory it is read from.
 */
#ifndef OB_COLLECTIVE_BOARD_COMBINE_H
#define OB_COLLECTIVE_BOARD_COMBINE_H

#include "collective/board/collectives.h"
#include "collective/board/direct.h"
#include "collective/board/runs.h"
#include "collective/data/coordinates.h"
#include "core/error.h"
#include "core/scratch.h"

/* Elements combined at a time, between first-level cache and matrix. */
enum { OB_STRIP = 512 };

typedef struct ob_summit {
    ob_board *board;
    int size, me, base; /* base: the member at distance 0 */
    int root;           /* OB_ANY: all get the result */
    bool wanted;        /* here */
    ob_folds fold;
    ob_type type;
    bool exact; /* a sum whatever the order; `shifted` in its place */
    const void **shifted;
    const ob_operation *operation; /* in its place */
    size_t esize, bytes;
    uint32_t kind;
    const ob_coordinates *coords; /* NULL: no owners */
    ob_two *coord;                /* of each distance */
    const char **source;          /* of each distance: its values of the chunk */
    bool own_lent;                /* ours are in a block of which we are a reader, too */
    const ob_view *from;          /* the values of this member */
    const ob_view *to;            /* where the result goes: the same, or a matrix apart from it */
    ob_cursor in;                 /* what has been shown of `from` */
    ob_runs out;                  /* what has been written of `to` */
    char *flat_from, *flat_to;    /* where they are one run of memory, else NULL */
    ob_long call;                 /* of a long one without owners, for all */
    char *strips; /* there: of each member and of the result; NULL: it is not such a one */
} ob_summit;

static inline int ob_summit_at(const ob_summit *s, int distance)
{
    return (s->base + distance) % s->size;
}

/* Elements of each member in what scratch memory has room for. */
size_t ob_summit_strip(const ob_summit *s);

/* The matrix in elements of an operation of the caller's. */
static inline ob_view ob_in_elements(const ob_view *v, size_t esize)
{
    ob_view e = *v;
    size_t unit = ob_type_bytes(v->type);
    if (unit != esize) {
        e.m = v->m * unit / esize;
        e.ld = v->ld * unit / esize;
    }
    return e;
}

/* Bytes of what is known of each of so many members. */
static inline size_t ob_summit_tables(size_t members)
{
    return ob_align(members * (2 * sizeof(char *) + sizeof(ob_two)));
}

/* All but the board, the sources and where the matrices are one run. memory: for the tables; NULL:
 * scratch memory, and room for strips. Inline: half of it is not used
 * again by a short combine. */
static inline __attribute__((always_inline)) int
ob_summit_open(ob_summit *s, void *memory, ob_group *group, int root, ob_op op,
               const ob_operation *operation, const ob_view *from, const ob_view *to,
               const ob_coordinates *coords, bool exact)
{
    *s = (ob_summit){.size = group->size,
                     .me = group->me,
                     .root = root,
                     .base = ob_combine_base(op, root),
                     .wanted = root == OB_ANY || root == group->me,
                     .fold = ob_folds_find(op, from->type),
                     .operation = operation,
                     .esize = operation ? operation->element_bytes : ob_type_bytes(from->type),
                     .bytes = ob_view_bytes(from),
                     .kind = ob_combine_kind(op, operation, from, exact),
                     .type = from->type,
                     .exact = exact,
                     .coords = coords,
                     .from = from,
                     .to = to};
    ob_view elements = ob_in_elements(to, s->esize);
    size_t members = (size_t)s->size;
    size_t tables = ob_summit_tables(members);
    bool strips =
        s->bytes >= OB_STRAIGHT_LEAST && (root == OB_ANY || members == 2) && !coords && !memory;
    s->source =
        memory ? memory
               : ob_group_scratch(
                     group, tables + (strips ? (members + 1) * ob_summit_strip(s) * s->esize : 0));
    if (s->source == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for %d members", s->size);
    s->shifted = (const void **)(s->source + members);
    s->coord = (ob_two *)(s->shifted + members);
    s->strips = strips ? (char *)s->source + tables : NULL;
    for (int d = 0; coords && s->wanted && d < s->size; d++)
        s->coord[d] = ob_coordinates_of(coords, ob_summit_at(s, d));
    ob_cursor_open(&s->in, from);
    ob_runs_open(&s->out, &elements, s->esize, coords ? coords->ld : elements.m);
    return OB_OK;
}

/* n results from all sources, `from` elements on: values to dst, owners' distances to owner (NULL:
 * no owners). At most OB_STRIP of them. */
void ob_summit_fold(const ob_summit *s, size_t from, size_t n, char *dst, int32_t *owner);
/* The same for the next n elements of the matrix, any number. */
void ob_summit_take(ob_summit *s, size_t n);
/* Results that lie ready go to the matrix. */
void ob_summit_put(ob_summit *s, const char *values, const int32_t *owner, size_t n);
/* The values are in the matrix already. */
void ob_summit_pass(ob_summit *s, const int32_t *owner, size_t n);

/* Where the owners stand in a block of results. */
static inline int32_t *ob_summit_owners(const ob_summit *s, const char *block, size_t n)
{
    size_t values = ob_align(n * s->esize);
    return s->coords ? (int32_t *)(uintptr_t)(block + values) : NULL;
}

/* Begins a round, with the call's bytes and kind in our note. */
static inline int ob_summit_begin(const ob_summit *s, ob_note **note)
{
    int status = ob_board_begin(s->board, note);
    if (status != OB_OK)
        return status;
    (*note)->bytes = s->bytes;
    (*note)->kind = s->kind;
    return OB_OK;
}

/* Shows the next n elements to `readers` others, and to us if we `read` them: without, the block
 * could be another one before we do. */
int ob_summit_show(ob_summit *s, ob_note *note, size_t n, unsigned readers, bool read,
                   const char **own);
/* The error that a member does not combine the same, in the round that is posted; what others have
 * lent in it is given back, since each lends as the bytes in its own note say. */
int ob_summit_differs(const ob_summit *s, int member, const ob_note *note);
/* Do all show the same bytes and kind, in the round that is posted? */
static inline int ob_summit_check(const ob_summit *s)
{
    for (int i = 0; i < s->size; i++) {
        const ob_note *note = ob_board_note(s->board, i);
        if (note->bytes != s->bytes || note->kind != s->kind)
            return ob_summit_differs(s, i, note);
    }
    return OB_OK;
}

/* The members' values, as lent in the round that is posted, become the sources; ours are `own`. We
 * read n elements of each. */
void ob_summit_borrow(ob_summit *s, const char *own, size_t n);
void ob_summit_return(ob_summit *s);

/* May the result be written while our values are read from where they are? */
static inline bool ob_summit_own_in_place(const ob_summit *s)
{
    bool first = s->base == s->me && !s->exact && !s->operation;
    return s->flat_from && (s->from->base != s->to->base || first);
}

/* combine_slices.c: a long vector. The first says whether it goes straight (s->call); ob_long_end
 * is the caller's. */
int ob_combine_begin_long(ob_summit *s);
int ob_combine_long(ob_summit *s);

#endif
