/*
 * Combines whose operation is not all done when its operands are combined (ob_staged): averages,
 * and numbers of 16 bits, which are combined as floats.
 */
#ifndef OB_COLLECTIVE_WIDE_H
#define OB_COLLECTIVE_WIDE_H

#include "kernel/kernel.h"

/* The elements of a matrix, of so many bytes each, are finished where they are. */
void ob_finish_here(const ob_staged *s, int members, size_t esize, const ob_view *v);
/* Memory for n elements as they are, behind as many wider ones, which are the first; freed by the
 * caller. *narrow is the former. NULL: there is none. */
void *ob_wide_memory(size_t n, size_t wide, size_t esize, char **narrow);
/* The n elements of a matrix as wider ones; and back, finished. narrow: room for them, which is
 * used where the matrix is not one run of memory. */
void ob_widen(const ob_staged *s, size_t n, void *wide, const ob_view *from, char *narrow);
void ob_finish(const ob_staged *s, int members, size_t n, const ob_view *to, const void *wide,
               char *narrow);

#endif
