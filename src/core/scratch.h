/*
 * Working memory.
 */
#ifndef OB_CORE_SCRATCH_H
#define OB_CORE_SCRATCH_H

#include <stddef.h>

#include "hooks/processor.h"

/* Where the processor's next cache line begins. */
static inline size_t ob_align(size_t bytes)
{
    return (bytes + OB_LINE - 1) / OB_LINE * OB_LINE;
}

/* Frees the calling thread's working memory. */
void ob_scratch_free(void);

#endif
