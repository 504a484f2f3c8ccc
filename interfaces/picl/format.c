/*
 * Records as lines (section 6 of the manual), from one table: the word in front, and a
 * pattern of the rest. In a pattern %d is the next argument and %t the next one as
 * seconds and microseconds; everything else is left out of the compact format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "picl.h"

static const struct {
    const char *word, *rest;
} formats[] = {
    [PICL_TRACE_START] = {"trace_start", " event %d compstats %d commstats %d"},
    [PICL_OPEN] = {"open", " allocating %d processors"},
    [PICL_LOAD] = {"load", " loading node %d"},
    [PICL_SEND] = {"send", " to %d type %d lth %d"},
    [PICL_RECV] = {"recv", " from %d type %d lth %d"},
    [PICL_RECV_BLOCKING] = {"recv_blocking", " type %d"},
    [PICL_RECV_WAKING] = {"recv_waking", " from %d type %d lth %d"},
    [PICL_MESSAGE] = {"message", ""},
    [PICL_SYNC_RECORD] = {"sync", ""},
    [PICL_COMPSTATS] = {"compstats", " busy %t idle %t"},
    [PICL_COMMSTATS] = {"commstats", " received %d volume %d sent %d volume %d probed %d"},
    [PICL_CLOSE] = {"close", ""},
    [PICL_TRACE_LEVEL] = {"trace_level", " event %d compstats %d commstats %d"},
    [PICL_TRACE_MARK] = {"trace_mark", " type %d"},
    [PICL_TRACE_MESSAGE] = {"trace_message", NULL},
    [PICL_TRACE_STOP] = {"trace_stop", " : ran out of memory"},
    [PICL_TRACE_FLUSH] = {"trace_flush", " finished %t"},
    [PICL_TRACE_EXIT] = {"trace_exit", " space %d"},
    [PICL_BLOCK_BEGIN] = {"block_begin", " block_type %d location_type %d parameter_type %d"},
    [PICL_BLOCK_END] = {"block_end", " block_type %d location_type %d parameter_type %d"},
};

static int put_time(char *to, int64_t ns)
{
    int64_t us = ns / 1000;
    return sprintf(to, "%" PRId64 " %" PRId64, us / 1000000, us % 1000000);
}

/* The arguments that there are; what stands between them in verbose lines alone. */
static int put_rest(char *to, const picl_entry *e, int verbose)
{
    const char *p = formats[e->type].rest;
    int at = 0, next = e->type == PICL_COMPSTATS && !verbose; /* compact: idle alone */
    if (next)
        p = strstr(p, " idle");
    for (; *p; p++) {
        if (*p != '%') {
            if (verbose)
                to[at++] = *p;
            continue;
        }
        if (!verbose)
            to[at++] = ' ';
        int64_t value = next < e->count ? e->argument[next] : 0;
        next++;
        at += *++p == 't' ? put_time(to + at, value) : sprintf(to + at, "%" PRId64, value);
    }
    to[at] = 0;
    return at;
}

int picl_format(char line[PICL_LINE_MOST], const picl_entry *e, int node, int verbose)
{
    int known = sizeof formats / sizeof *formats, at;
    if (e->type < 1 || e->type >= known || formats[e->type].word == NULL)
        return 0;
    at =
        verbose ? sprintf(line, "%s clock ", formats[e->type].word) : sprintf(line, "%d ", e->type);
    at += put_time(line + at, e->time);
    at += sprintf(line + at, verbose ? " node %d" : " %d", node);
    if (formats[e->type].rest == NULL)
        at += sprintf(line + at, " %.*s", PICL_TEXT_MOST, (const char *)e->argument);
    else if (e->type != PICL_OPEN || e->count)
        at += put_rest(line + at, e, verbose);
    return at;
}
