/*
 * What the programs of combines share: numbers that all processes draw alike, and roots.
 */
#ifndef OB_TESTS_CORE_DRAWS_H
#define OB_TESTS_CORE_DRAWS_H

#include <stdbool.h>
#include <string.h>

#include "harness.h"

/* Of every process alike. */
static inline uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static inline int root_of(int k)
{
    return k % (world.count + 1) == world.count ? OB_ANY : k % (world.count + 1);
}

static inline bool wanted(int root)
{
    return root == OB_ANY || root == world.me;
}

static inline void *memory_of(size_t bytes)
{
    char *memory = malloc(bytes + 64);
    if (memory == NULL)
        exit(1);
    memset(memory, 0x6b, bytes + 64);
    return memory;
}

#endif
