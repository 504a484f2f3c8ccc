/*
 * Working memory.
 */
#ifndef OB_CORE_SCRATCH_H
#define OB_CORE_SCRATCH_H

#include <stddef.h>

/* The next multiple of 64: where the processor's next cache line begins. */
static inline size_t ob_align(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Frees the calling thread's working memory. */
void ob_scratch_free(void);

#endif
