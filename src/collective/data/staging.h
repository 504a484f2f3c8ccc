/*
 * Where a collective cannot work in the caller's matrix: walks over it, and over the owners of its
 * elements, that pack one chunk after the other into working memory and unpack the results.
 */
#ifndef OB_COLLECTIVE_DATA_STAGING_H
#define OB_COLLECTIVE_DATA_STAGING_H

#include "core/group.h"
#include "core/view.h"

typedef struct ob_staging {
    ob_cursor in, out, owner_in, owner_out;
    ob_view owner_view;
    int me, size;
    int base;       /* the member at distance 0 */
    bool distances; /* owners are given, and left, as distances */
} ob_staging;

/* owner NULL: no owners. Else they travel as distances from base, so that the nearest above it is
 * the smallest number. */
void ob_staging_open(ob_staging *s, const ob_group *g, const ob_view *matrix, int *owner,
                     size_t ld_owner, int base, bool distances);
/* The next `count` elements of so many bytes, and their owners (NULL: none). */
void ob_staging_pack(ob_staging *s, void *values, size_t esize, int32_t *owners, size_t count);
/* What comes of them. The owners are changed. */
void ob_staging_unpack(ob_staging *s, const void *values, size_t esize, int32_t *owners,
                       size_t count);

/* OB_ENOMEM of working memory. */
int ob_staging_no_memory(const ob_group *g, size_t bytes);

#endif
