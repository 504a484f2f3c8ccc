/*
 * Numbers that stand for other things: FNV-1a over bytes and words, and a mixer of 64 bits. All
 * give the same on every machine, and alike in all processes of one build. Nothing here is
 * exported.
 */
#ifndef OPENBLACS_HOOKS_HASH_H
#define OPENBLACS_HOOKS_HASH_H

#include <stddef.h>
#include <stdint.h>

/* What a hash begins with. */
#define OB_HASH UINT64_C(1469598103934665603)
/* 2^64 over the golden ratio: a multiplier whose upper bits depend on all of the factor's. */
#define OB_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t ob_hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(1099511628211);
}

static inline uint64_t ob_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (const unsigned char *p = bytes; count; count--)
        hash = ob_hash_word(hash, *p++);
    return hash;
}

/* Of an address, a handle or a count (Fibonacci hashing): the upper half is to be used. */
static inline uint64_t ob_hash_spread(uint64_t word)
{
    return word * OB_GOLDEN;
}

/* The finaliser of splitmix64: every bit of the result depends on every bit of x. */
static inline uint64_t ob_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
