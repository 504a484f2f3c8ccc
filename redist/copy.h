/*
 * Copies of runs, which are many and short. Memory is the limit of a large redistribution: a
 * processor reads columns faster when it is told some kilobytes ahead, and writes them without
 * reading them first when they go past the cache.
 */
#ifndef OPENBLACS_REDIST_COPY_H
#define OPENBLACS_REDIST_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__SSE2__)
#include <emmintrin.h>
#define OBRD_SSE2 1
#endif

/* How far a processor is told ahead, in bytes: measured, bench/redist.md. What is read once is
 * asked for no nearer than the second-level cache: the lines of the first are few, and wait for
 * memory. */
enum { AHEAD = 8192, BEHIND = 1024 };

/* Runs of one element are one load and one store. */
static inline void copy_run(char *to, const char *from, size_t bytes)
{
    switch (bytes) {
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, bytes);
    }
}

#ifdef OBRD_SSE2
static inline __m128i load(const char *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* From memory that is read in order. */
static inline void copy_ahead(char *to, const char *from, size_t bytes)
{
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
        __builtin_prefetch(from + AHEAD, 0, 2);
        __builtin_prefetch(to + BEHIND, 1, 3);
        __m128i a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
        _mm_storeu_si128((__m128i *)(void *)to, a);
        _mm_storeu_si128((__m128i *)(void *)(to + 16), b);
        _mm_storeu_si128((__m128i *)(void *)(to + 32), c);
        _mm_storeu_si128((__m128i *)(void *)(to + 48), d);
    }
    if (bytes)
        copy_run(to, from, bytes);
}

static inline void past4(char **to, const char **from, size_t *bytes)
{
    int32_t word;
    memcpy(&word, *from, 4);
    _mm_stream_si32((int *)(void *)*to, word);
    *to += 4;
    *from += 4;
    *bytes -= 4;
}

static inline void past8(char **to, const char **from, size_t *bytes)
{
    long long word;
    memcpy(&word, *from, 8);
    _mm_stream_si64((long long *)(void *)*to, word);
    *to += 8;
    *from += 8;
    *bytes -= 8;
}

/* To memory that is written in order, past the cache; to and bytes are multiples of 4, else it is a
 * plain copy. sfence ends a series of them. */
static inline void copy_past(char *to, const char *from, size_t bytes)
{
    if (((uintptr_t)to | bytes) & 3) {
        memcpy(to, from, bytes);
        return;
    }
    if (bytes >= 4 && (uintptr_t)to & 4)
        past4(&to, &from, &bytes);
    if (bytes >= 8 && (uintptr_t)to & 8)
        past8(&to, &from, &bytes);
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
        __builtin_prefetch(from + BEHIND, 0, 3);
        __m128i a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
        _mm_stream_si128((__m128i *)(void *)to, a);
        _mm_stream_si128((__m128i *)(void *)(to + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + 48), d);
    }
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16)
        _mm_stream_si128((__m128i *)(void *)to, load(from));
    if (bytes >= 8)
        past8(&to, &from, &bytes);
    if (bytes >= 4)
        past4(&to, &from, &bytes);
}

static inline void end_past(void)
{
    _mm_sfence();
}
#else
static inline void copy_ahead(char *to, const char *from, size_t bytes)
{
    copy_run(to, from, bytes);
}

static inline void copy_past(char *to, const char *from, size_t bytes)
{
    copy_run(to, from, bytes);
}

static inline void end_past(void)
{
}
#endif

#endif
