/*
 * What all conformance programs share, whatever interface they test: every process counts
 * its checks in `world`, and the harness of the folder adds them up with that interface.
 */
#ifndef OB_TESTS_CHECKS_H
#define OB_TESTS_CHECKS_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    int me, count;
    atomic_int passed, failed;
} world;

/* Counts, and says the first ten failures; returns whether it was good. Any thread may call. */
__attribute__((format(printf, 2, 3))) static inline int check(int good, const char *format, ...)
{
    va_list args;
    if (good) {
        world.passed++;
        return 1;
    }
    if (++world.failed > 10)
        return 0;
    fprintf(stderr, "process %d: FAILED: ", world.me);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 0;
}

/* What process 0 says last; the scripts look for this line. */
static inline void say_sums(int passed, int failed)
{
    if (world.me == 0)
        printf("%d passed, %d failed\n", passed, failed);
    fflush(stdout);
}

/* A number that follows from x and looks random. */
static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* n bytes that follow from the seed, from the k-th on: eight of each number. */
static inline void write_bytes(unsigned char *at, uint64_t seed, size_t k, size_t n)
{
    for (size_t i = 0, some; i < n; i += some) {
        const uint64_t word = mix(seed + (k + i) / sizeof word);
        const size_t first = (k + i) % sizeof word, left = sizeof word - first;
        some = n - i < left ? n - i : left;
        memcpy(at + i, (const unsigned char *)&word + first, some);
    }
}

static inline void rest_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
