/*
 * The list of records, and their names.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/grow.h"
#include "obbench.h"

void obb_die(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fputs("obbench: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void *obb_memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p == NULL)
        obb_die("no memory for %zu bytes", count * size);
    return p;
}

void obb_add(obb_records *list, const obb_record *record)
{
    list->at = ob_grow(list->at, (size_t)list->count, &list->room, sizeof *list->at);
    if (list->at == NULL)
        obb_die("no memory for more than %d records", list->count);
    list->at[list->count++] = *record;
}

void obb_free_records(obb_records *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->at[i].repeat);
    free(list->at);
    *list = (obb_records){0};
}

const char *obb_what_name(obb_what what)
{
    static const char *const names[OBB_WHATS] = {
        "tc",          "ts",          "tr",      "tm",   "to",  "broadcast",
        "combine-one", "combine-all", "barrier", "cold", "near"};
    return names[what];
}

bool obb_is_collective(obb_what what)
{
    return what >= OBB_BROADCAST && what <= OBB_BARRIER;
}

bool obb_is_pair(obb_what what)
{
    return what == OBB_TC || what == OBB_TS || what == OBB_TR;
}

void obb_top_text(const obb_record *r, char text[8])
{
    if (r->top == 0)
        text[0] = '\0';
    else if (r->top == 'm' || r->top == 't')
        snprintf(text, 8, "%c%d", r->top, r->branches % 10000);
    else
        snprintf(text, 8, "%c", r->top);
}

const char *obb_scope_name(char scope)
{
    return scope == 'a' ? "all" : scope == 'r' ? "row" : scope == 'c' ? "column" : "";
}

static bool route_of(const obb_record *r, ob_route *route)
{
    static const struct {
        char letter;
        ob_topology topology;
    } letters[] = {{'i', OB_TOP_RING_UP},   {'d', OB_TOP_RING_DOWN}, {'s', OB_TOP_SPLIT_RING},
                   {'m', OB_TOP_MULTIRING}, {'h', OB_TOP_HYPERCUBE}, {'f', OB_TOP_FULL},
                   {'t', OB_TOP_TREE},      {'-', OB_TOP_BEST}};
    *route = (ob_route){.branches = r->branches};
    if (r->top >= '1' && r->top <= '9') {
        route->topology = OB_TOP_TREE;
        route->branches = r->top - '0';
        return true;
    }
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (r->top == letters[i].letter) {
            route->topology = letters[i].topology;
            return true;
        }
    return false;
}

bool obb_work_of(const obb_record *r, obb_work *work)
{
    *work = (obb_work){.members = r->processes,
                       .root = r->what == OBB_COMBINE ? OB_ANY : r->root,
                       .bytes = r->bytes,
                       .repeated = r->calls};
    if (strcmp(r->system, "openblacs"))
        return false;
    switch (r->what) {
    case OBB_BROADCAST: work->kind = OB_WORK_BROADCAST; break;
    case OBB_REDUCE:
    case OBB_COMBINE: work->kind = OB_WORK_COMBINE; break;
    default: return false;
    }
    return route_of(r, &work->route);
}

double obb_time_of(const obb_times *t, obb_statistic s)
{
    return s == OBB_ROOT ? t->root : s == OBB_MIN ? t->min : s == OBB_MEAN ? t->mean : t->max;
}
