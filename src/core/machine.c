/*
 * This machine: its processors, and the size of its last-level caches. The latter is read from the
 * folder in which Linux describes the caches of one processor: index0, index1, ..., each with
 * `size`
 * ("32768K") and `shared_cpu_map` (hexadecimal, a bit for each processor that uses it). The C
 * library's sysconf has been seen twelve times off on a virtual machine.
 */
#include "core/machine.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cgroup.h"

/* The first line of a file; false when there is none. */
static bool first_line(const char *path, char *line, size_t bytes)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    bool got = fgets(line, (int)bytes, f) != NULL;
    fclose(f);
    return got;
}

/* ----------------------------------------------------------------- caches */

static bool read_line(const char *folder, int index, const char *name, char *line, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    return first_line(path, line, bytes);
}

static long bits(const char *hexadecimal)
{
    long count = 0;
    for (const char *c = hexadecimal; *c; c++) {
        const char digit[] = {*c, 0};
        count += __builtin_popcountl(strtoul(digit, NULL, 16));
    }
    return count;
}

size_t ob_cache_bytes_in(const char *folder, long processors)
{
    enum { INDICES = 8 };
    char line[4096];
    size_t bytes = SIZE_MAX;
    for (int i = 0; i < INDICES && read_line(folder, i, "size", line, sizeof line); i++) {
        char *unit;
        unsigned long long size = strtoull(line, &unit, 10);
        size <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
        if (size == 0 || !read_line(folder, i, "shared_cpu_map", line, sizeof line))
            continue;
        long users = bits(line);
        bytes = size * (size_t)(users > 0 && users < processors ? processors / users : 1);
    }
    return bytes;
}

size_t ob_cache_bytes(void)
{
    static _Atomic size_t known; /* every thread finds the same: relaxed */
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
        bytes =
            ob_cache_bytes_in("/sys/devices/system/cpu/cpu0/cache", sysconf(_SC_NPROCESSORS_ONLN));
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

/* ------------------------------------------------------------- processors */

/* Of one group, in microseconds: the time it has, of all processors together, in each period. */
static bool read_quota(const char *group, int version, long long *quota, long long *period)
{
    static const char *const names[][2] = {{"cpu.cfs_quota_us", "cpu.cfs_period_us"},
                                           {"cpu.max", "cpu.max"}};
    char path[PATH_MAX + 32], line[2][64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", group, names[version - 1][i]);
        if (!first_line(path, line[i], sizeof line[i]))
            return false;
    }
    return version == 1
               ? sscanf(line[0], "%lld", quota) == 1 && sscanf(line[1], "%lld", period) == 1
               : sscanf(line[0], "%lld %lld", quota, period) == 2;
}

static void look(const char *group, int version, void *least)
{
    long long quota, period;
    if (!read_quota(group, version, &quota, &period) || quota <= 0 || period <= 0)
        return; /* "max", or -1 in version 1 */
    long long whole = quota / period;
    whole = whole < 1 ? 1 : whole;
    if (whole < *(int *)least)
        *(int *)least = (int)whole;
}

int ob_processor_quota_in(const char *root)
{
    int least = INT_MAX;
    ob_cgroup_each(root, "cpu", look, &least);
    return least;
}

int ob_processor_quota(void)
{
    return ob_processor_quota_in("");
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int online(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

/* Those that the scheduler may use for us; 0: it does not say. */
static int bound_to(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

void ob_processor_set(uint64_t *set, size_t words)
{
    cpu_set_t mine;
    memset(set, 0, words * sizeof *set);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return;
    for (size_t i = 0; i < 64 * words && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mine))
            set[i / 64] |= UINT64_C(1) << i % 64;
}

int ob_processors_allowed(void)
{
    int bound = bound_to();
    return least(bound ? bound : online(), ob_processor_quota());
}

int ob_processors(void)
{
    /* Bound to one processor means that a launcher gave each process one, not that all share it. */
    return bound_to() > 1 ? ob_processors_allowed() : least(online(), ob_processor_quota());
}
