/*
 * Extremes and their owners: the matrix travels as blocks of values with a rank
 * each, and blocks are compared element by element.
 */
#ifndef OBM_LOCATE_H
#define OBM_LOCATE_H

#include "room.h"

enum obm_extreme { OBM_MAX = 0, OBM_MIN, OBM_MAX_ABS, OBM_MIN_ABS, OBM_EXTREMES };

/* Bytes of a block of this type, values first, then ranks; and of so many elements in blocks. */
size_t obm_block_bytes(MLACS_Type type);
size_t obm_blocks_bytes(MLACS_Type type, size_t count);
/* The comparison of two rows of blocks, for ob_combine_by; NULL for a type that has none. */
typedef void obm_compare(size_t blocks, void *acc, const void *in, const void *context);
obm_compare *obm_compare_of(enum obm_extreme what, MLACS_Type type);

/* Elements of an m x n matrix, column by column, into blocks with one rank; the
 * last block is filled up with zeros. */
void obm_blocks_fill(void *blocks, const ob_view *a, int rank);
/* Back, into values and (if not NULL) ranks. */
void obm_blocks_empty(const void *blocks, const ob_view *b, int *ranks, size_t ldia);

#endif
