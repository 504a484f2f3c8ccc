/* Making and freeing an ob_parts. */
#ifndef OB_COLLECTIVE_PARTS_MAKE_H
#define OB_COLLECTIVE_PARTS_MAKE_H

#include "collective/parts.h"

/* here: the pieces are in this member's memory; mine: its own piece, when that is
 * somewhere else. Sizes are checked to be multiples of esize. OB_EARG, OB_ENOMEM. */
int ob_parts_make(const char *routine, const ob_group *group, const ob_pieces *pieces, bool here,
                  const ob_view *mine, size_t esize, ob_parts *parts);
void ob_parts_free(ob_parts *parts);
/* Bytes of all pieces of a vector with so many. */
size_t ob_pieces_bytes(const ob_pieces *pieces, int size);

#endif
