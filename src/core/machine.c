/*
 * This machine: its processors, and the size of its last-level caches. That is read from the folder
 * in which Linux describes the caches of one processor: index0, index1, ..., each with `size`
 * ("32768K") and `shared_cpu_map` (hexadecimal, a bit for each processor that uses it). The C
 * library's sysconf has been seen twelve times off on a virtual machine.
 */
#include "core/machine.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The first line of a file of the folder; false when there is none. */
static bool read_line(const char *folder, int index, const char *name, char *line, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    bool got = fgets(line, (int)bytes, f) != NULL;
    fclose(f);
    return got;
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

int ob_processors(void)
{
    int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
        int allowed = CPU_COUNT(&mine);
        /* Bound to one processor means that the launcher gave each process
         * one, not that all share it. */
        if (allowed > 1 && allowed < online)
            return allowed;
    }
    return online > 0 ? online : 1;
}
