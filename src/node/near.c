/*
 * Who is near whom: lists of processors as Linux writes them, and boards made of places.
 */
#include "node/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings.h"

enum { LIST = 4096 };

/* The line of a file of a processor's; false: there is none. */
static bool read_line(const char *folder, int processor, const char *file, char line[static LIST])
{
    char path[512];
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder, processor, file);
    FILE *in = fopen(path, "re");
    bool got = in && fgets(line, LIST, in);
    if (in)
        fclose(in);
    if (got)
        line[strcspn(line, "\n")] = 0;
    return got;
}

/* The name of what the processors of a list have in common, 0 unless all of ours are among them. */
static uint64_t name_of(const char *list, const int *processors, int count)
{
    for (int i = 0; i < count; i++)
        if (ob_settings_listed(list, processors[i]) != 1)
            return 0;
    return (strtoul(list, NULL, 10) + 1) & 0xffff;
}

/* The list of those that share the processor's last cache. */
static bool last_cache(const char *folder, int processor, char line[static LIST])
{
    enum { INDICES = 8 };
    int best = -1;
    long highest = 0;
    char file[64];
    for (int i = 0; i < INDICES; i++) {
        snprintf(file, sizeof file, "cache/index%d/level", i);
        if (read_line(folder, processor, file, line) && strtol(line, NULL, 10) > highest) {
            highest = strtol(line, NULL, 10);
            best = i;
        }
    }
    snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", best);
    return best >= 0 && read_line(folder, processor, file, line);
}

uint64_t ob_near_place(const char *folder, const int *processors, int count)
{
    char core[LIST], cache[LIST], package[LIST];
    if (count < 1 || !read_line(folder, processors[0], "topology/core_siblings_list", package))
        return 0;
    uint64_t place = name_of(package, processors, count) << OB_NEAR_PACKAGE;
    if (place == 0)
        return 0;
    bool threads = read_line(folder, processors[0], "topology/thread_siblings_list", core);
    /* One that a core has for itself brings nobody nearer. */
    if (last_cache(folder, processors[0], cache) && !(threads && strcmp(cache, core) == 0))
        place |= name_of(cache, processors, count) << OB_NEAR_CACHE;
    if (threads)
        place |= name_of(core, processors, count) << OB_NEAR_CORE;
    return place;
}

bool ob_near_tells(const uint64_t *place, int n)
{
    bool all = true, some = false;
    for (int i = 0; i < n; i++) {
        all = all && place[i] >> OB_NEAR_PACKAGE;
        some = some || place[i] >> OB_NEAR_CACHE != place[0] >> OB_NEAR_CACHE;
    }
    return all && some;
}

/* ---------------------------------------------------------------------- boards */

typedef struct spot {
    uint64_t place;
    int number;
} spot;

static int compare(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->number - y->number;
}

/* Where the processes from `from` on end that have the upper bits of their places in common. */
static int end_of(const spot *s, int n, int from, int bits)
{
    int end = from + 1;
    while (end < n && (bits == 64 || s[end].place >> bits == s[from].place >> bits))
        end++;
    return end;
}

static int boards_of(int members, int most)
{
    return (members + most - 1) / most;
}

/* The boards that are needed when none has members of two such sets. */
static int count_boards(const spot *s, int n, int most, int bits)
{
    int count = 0;
    for (int at = 0, end; at < n; at = end) {
        end = end_of(s, n, at, bits);
        count += boards_of(end - at, most);
    }
    return count;
}

/* Boards of one set are of equal sizes, give or take one. */
static int cut(const spot *s, int n, int most, int bits, int *board)
{
    int first = 0;
    for (int at = 0, end; at < n; at = end) {
        end = end_of(s, n, at, bits);
        int boards = boards_of(end - at, most);
        for (int i = at; i < end; i++)
            board[i] = first + (int)((long)(i - at) * boards / (end - at));
        first += boards;
    }
    return first;
}

int ob_near_boards(const uint64_t *place, int n, int most, int *order, int *board)
{
    int least = boards_of(n, most), bits = 64;
    bool known = true;
    spot *s = malloc((size_t)n * sizeof *s);
    if (s == NULL)
        return -1;
    for (int i = 0; i < n; i++) {
        s[i] = (spot){place[i], i};
        known = known && place[i] >> OB_NEAR_PACKAGE;
    }
    if (known) {
        qsort(s, (size_t)n, sizeof *s, compare);
        for (int b = OB_NEAR_PACKAGE; b >= OB_NEAR_CACHE; b -= OB_NEAR_PACKAGE - OB_NEAR_CACHE) {
            int count = count_boards(s, n, most, b);
            if (count <= 2 * least && 2 * count <= n)
                bits = b;
        }
    }
    for (int i = 0; i < n; i++)
        order[i] = s[i].number;
    int boards = cut(s, n, most, bits, board);
    free(s);
    return boards;
}
