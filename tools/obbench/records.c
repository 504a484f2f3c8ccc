/*
 * The list of records, and their names.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/grow.h"
#include "obbench.h"

void obb_die(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    va_start(args, format);
    ob_complain("obbench", format, args);
    va_end(args);
    exit(2);
}

void obb_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ob_complain("obbench", format, args);
    va_end(args);
}

void *obb_memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p == NULL)
        obb_die("OB-4001 no memory for %zu bytes", count * size);
    return p;
}

void obb_add(obb_records *list, const obb_record *record)
{
    list->at = ob_grow(list->at, (size_t)list->count, &list->room, sizeof *list->at);
    if (list->at == NULL)
        obb_die("OB-4001 no memory for more than %d records", list->count);
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

bool obb_route_of(char top, int branches, ob_route *route)
{
    *route = (ob_route){0};
    return top == '-' || ((islower(top) || isdigit(top)) &&
                          ob_topology_read(toupper(top), branches, branches, route));
}

ob_takes obb_top_takes(char top)
{
    ob_route route;
    bool plain = isdigit(top) || !obb_route_of(top, 1, &route);
    return plain ? OB_TAKES_NOTHING : ob_topology_at((int)route.topology)->takes;
}

void obb_top_text(const obb_record *r, char text[8])
{
    if (r->top == 0)
        text[0] = '\0';
    else if (obb_top_takes(r->top))
        snprintf(text, 8, "%c%d", r->top, r->branches % 10000);
    else
        snprintf(text, 8, "%c", r->top);
}

const char *obb_scope_name(char scope)
{
    return scope == 'a'   ? "all"
           : scope == 'r' ? "row"
           : scope == 'c' ? "column"
           : scope == 'n' ? "nodes"
                          : "";
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
    return obb_route_of(r->top, r->branches, &work->route) && work->route.topology != OB_TOP_NATIVE;
}

double obb_time_of(const obb_times *t, obb_statistic s)
{
    return s == OBB_ROOT ? t->root : s == OBB_MIN ? t->min : s == OBB_MEAN ? t->mean : t->max;
}
