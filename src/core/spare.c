/*
 * Memory that can be had: from /proc/meminfo, and from the limits of control groups.
 */
#include "core/spare.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/cgroup.h"

/* Names of files that say what a group may have, what it has, and what of it could go at once, in
 * versions 1 and 2. */
typedef struct group_files {
    const char *most, *now, *stat, *cache;
} group_files;

static const group_files files[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "total_inactive_file"},
    {"memory.max", "memory.current", "memory.stat", "inactive_file"},
};

/* The number behind the name at the beginning of a line; the first of the file for "". False: there
 * is none ("max", no such file). */
static bool number(const char *path, const char *name, unsigned long long *value)
{
    char line[256];
    bool found = false;
    size_t length = strlen(name);
    FILE *in = fopen(path, "re");
    while (in && !found && fgets(line, sizeof line, in))
        found = strncmp(line, name, length) == 0 && sscanf(line + length, "%llu", value) == 1;
    if (in)
        fclose(in);
    return found;
}

static size_t less_kept(unsigned long long available, unsigned long long all)
{
    unsigned long long kept = all / OB_MEMORY_KEPT;
    return available > kept ? (size_t)(available - kept) : 0;
}

static size_t of_machine(const char *folder)
{
    char path[PATH_MAX];
    unsigned long long all, available;
    snprintf(path, sizeof path, "%s/proc/meminfo", folder);
    if (!number(path, "MemTotal:", &all) || !number(path, "MemAvailable:", &available))
        return SIZE_MAX;
    return less_kept(available << 10, all << 10);
}

/* Of one group. */
static size_t of_group(const char *group, const group_files *f)
{
    char path[PATH_MAX + 32];
    unsigned long long most, now, cache = 0;
    snprintf(path, sizeof path, "%s/%s", group, f->most);
    if (!number(path, "", &most) || most > SIZE_MAX / 2)
        return SIZE_MAX;
    snprintf(path, sizeof path, "%s/%s", group, f->now);
    if (!number(path, "", &now))
        return SIZE_MAX;
    snprintf(path, sizeof path, "%s/%s", group, f->stat);
    number(path, f->cache, &cache);
    now = now > cache ? now - cache : 0;
    return less_kept(most > now ? most - now : 0, most);
}

static void look(const char *group, int version, void *least)
{
    size_t spare = of_group(group, &files[version - 1]);
    if (spare < *(size_t *)least)
        *(size_t *)least = spare;
}

size_t ob_memory_spare_in(const char *folder)
{
    size_t least = of_machine(folder);
    ob_cgroup_each(folder, "memory", look, &least);
    return least;
}

size_t ob_memory_spare(void)
{
    return ob_memory_spare_in("");
}

/* `trusted` is relaxed: an estimate that two threads may both take from; the next look mends it. */
bool ob_memory_allows(ob_memory_watch *w, size_t taken, size_t bytes)
{
    if (w->spare == NULL || taken + bytes <= OB_MEMORY_FREE_HAND)
        return true;
    size_t trusted = atomic_load_explicit(&w->trusted, memory_order_relaxed);
    if (bytes > trusted) {
        size_t spare = w->spare();
        if (bytes > spare)
            return false;
        size_t rest = (spare - bytes) / 8; /* others may be taking it, too */
        trusted = bytes + (rest < OB_MEMORY_LOOK ? rest : OB_MEMORY_LOOK);
    }
    atomic_store_explicit(&w->trusted, trusted - bytes, memory_order_relaxed);
    return true;
}
