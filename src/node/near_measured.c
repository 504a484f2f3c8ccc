/*
 * Places from measured times: thresholds where the times jump, and the sets that they make.
 */
#include "node/near.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3 };
/* Times jump by a quarter at least; of 100 pairs so many lie on the right side. */
enum { JUMP_OF_4 = 5, CLEAR = 95 };

static int by_time(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Sets of those that a chain of times up to `most` joins: set[i], the least member of it. */
static void join(const uint16_t *trip, int n, uint16_t most, int *set, int *queue)
{
    for (int i = 0; i < n; i++)
        set[i] = -1;
    for (int i = 0; i < n; i++) {
        int in = 0, out = 0;
        if (set[i] >= 0)
            continue;
        set[i] = i;
        queue[in++] = i;
        for (; out < in; out++)
            for (int k = 0; k < n; k++)
                if (set[k] < 0 && trip[queue[out] * n + k] <= most) {
                    set[k] = i;
                    queue[in++] = k;
                }
    }
}

/* Several sets, of two and more, and clear cut. */
static bool is_clear(const uint16_t *trip, int n, uint16_t most, const int *set)
{
    long inside = 0, below = 0, outside = 0, above = 0;
    int alone = 0;
    for (int i = 0; i < n; i++) {
        int with = 0;
        for (int k = 0; k < n; k++) {
            if (i == k)
                continue;
            bool in = set[i] == set[k], under = trip[i * n + k] <= most;
            inside += in;
            below += in && under;
            outside += !in;
            above += !in && !under;
            with += in;
        }
        alone += with == 0;
    }
    return outside && inside && 100 * below >= CLEAR * inside && 100 * above >= CLEAR * outside &&
           4 * alone <= n;
}

/* The levels that are clear cut, near ones first: `most` of each. */
static int find_levels(const uint16_t *trip, int n, uint16_t *sorted, int *set, int *queue,
                       uint16_t most[LEVELS])
{
    int times = 0, levels = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            sorted[times++] = trip[i * n + k];
    qsort(sorted, (size_t)times, sizeof *sorted, by_time);
    for (int i = 1; i < times && levels < LEVELS; i++) {
        if (4 * sorted[i] < JUMP_OF_4 * sorted[i - 1])
            continue;
        join(trip, n, sorted[i - 1], set, queue);
        if (is_clear(trip, n, sorted[i - 1], set))
            most[levels++] = sorted[i - 1];
    }
    return levels;
}

/* A level's sets go to the bits from `bit` on, by their least process number. */
static void name_sets(const int *set, int n, const int *number, int bit, uint64_t *place)
{
    for (int i = 0; i < n; i++) {
        int least = number[i];
        for (int k = 0; k < n; k++)
            if (set[k] == set[i] && number[k] < least)
                least = number[k];
        place[i] |= (uint64_t)((least + 1) & 0xffff) << bit;
    }
}

/* Two to a set at most. */
static bool is_cores(const int *set, int n)
{
    int members = 0;
    for (int i = 0; i < n; i++)
        for (int k = members = 0; k < n; k++)
            if (set[k] == set[i] && ++members > 2)
                return false;
    return true;
}

int ob_near_measured(const uint16_t *trip, int n, const int *number, uint64_t *place)
{
    size_t pairs = (size_t)n * (size_t)n;
    int *set = malloc(2 * (size_t)n * sizeof *set + pairs * sizeof(uint16_t));
    uint16_t most[LEVELS];
    if (set == NULL)
        return -1;
    memset(place, 0, (size_t)n * sizeof *place);
    int *queue = set + n, bit = OB_NEAR_CORE, bits = 0;
    int levels = find_levels(trip, n, (uint16_t *)(void *)(queue + n), set, queue, most);
    for (int i = 0; i < levels; i++) {
        join(trip, n, most[i], set, queue);
        bit = is_cores(set, n) ? OB_NEAR_CORE : i + 1 < levels ? OB_NEAR_CACHE : OB_NEAR_PACKAGE;
        if (bits & 1 << bit / OB_NEAR_CORE)
            continue;
        bits |= 1 << bit / OB_NEAR_CORE;
        name_sets(set, n, number, bit, place);
    }
    /* One package. */
    for (int i = 0; i < n && bits && !(bits & 1 << OB_NEAR_PACKAGE / OB_NEAR_CORE); i++)
        place[i] |= (uint64_t)1 << OB_NEAR_PACKAGE;
    free(set);
    return levels;
}
