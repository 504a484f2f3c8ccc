/*
 * Words for the numbers of an analysis.
 */
#include <string.h>

#include "analysis.h"

const char *obt_process_name(const obt_analysis *a, uint32_t process, char name[32])
{
    int32_t id = a->trace->processes[process].id;
    if (id == OBT_HOST)
        snprintf(name, 32, "the host");
    else
        snprintf(name, 32, "process %d", id);
    return name;
}

const char *obt_call_name(const obt_trace *t, uint32_t routine, int32_t site, char *text,
                          size_t room)
{
    const char *name = routine == OBT_NO_CALL ? "no routine" : t->routines[routine].name;
    if (site >= 0)
        snprintf(text, room, "%s %s %s", name,
                 strstr(t->sites[site], " called from ") ? "in" : "called from", t->sites[site]);
    else
        snprintf(text, room, "%s", name);
    return text;
}

/* Three figures, as people write them. */
static void show(double v, const char *unit, char text[32])
{
    snprintf(text, 32, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, unit);
}

const char *obt_show_time(int64_t ns, char text[32])
{
    double v = (double)ns;
    if (ns < 1000)
        snprintf(text, 32, "%lld ns", (long long)ns);
    else if (ns < 999500)
        show(v / 1e3, "us", text);
    else if (ns < 999500000)
        show(v / 1e6, "ms", text);
    else
        show(v / 1e9, "s", text);
    return text;
}

const char *obt_show_bytes(int64_t bytes, char text[32])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes / 1024;
    size_t u = 0;
    if (bytes < 1024) {
        snprintf(text, 32, "%lld B", (long long)bytes);
        return text;
    }
    for (; v >= 1000 && u < 5; u++)
        v /= 1024;
    show(v, units[u], text);
    return text;
}
