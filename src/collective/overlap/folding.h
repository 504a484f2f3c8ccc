/*
 * What combines straight between members share: how values of all members become results.
 */
#ifndef OB_COLLECTIVE_OVERLAP_FOLDING_H
#define OB_COLLECTIVE_OVERLAP_FOLDING_H

#include "collective/overlap/prepared.h"

typedef struct ob_folding {
    ob_operation operation; /* of the caller's, when `what` names one */
    ob_folds fold;
    ob_type type;
    bool exact, called; /* called: `operation` is */
    int size, base;     /* members; the one at distance 0 */
    size_t esize, n;    /* of an element, bytes; elements of the vector */
    uint64_t kind;      /* what members must agree on beside the bytes */
} ob_folding;

ob_folding ob_folding_of(const ob_group *group, const ob_combining *what);

/* n elements of all members, by distance, become results at dst, which none of them is; owner: the
 * distances of their owners (NULL: they are not wanted). */
void ob_folding_strip(const ob_folding *f, const void **source, size_t n, void *dst,
                      int32_t *owner);

static inline int ob_folding_member(const ob_folding *f, int distance)
{
    return (f->base + distance) % f->size;
}

/* A member that combines so many bytes of this kind: OB_ESIZE, unless it is what we do. */
int ob_folding_check(const ob_folding *f, const ob_group *group, int member, uint64_t bytes,
                     uint64_t kind);

#endif
