/*
 * Hashes, alike in all processes of one build; nothing that is kept in a file depends on them.
 */
#ifndef OB_COMMON_HASH_H
#define OB_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

#define OB_HASH_SEED UINT64_C(1469598103934665603)

/* FNV-1a: goes on from h, which is OB_HASH_SEED at first. */
static inline uint64_t ob_hash(uint64_t h, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Of an address or a handle (Fibonacci hashing): the upper half is to be used. */
static inline uint64_t ob_hash_word(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
