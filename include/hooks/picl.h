/*
 * PICL's records (section 6 of its manual), for libpicl, which writes them, and for obtrace.
 */
#ifndef OPENBLACS_HOOKS_PICL_H
#define OPENBLACS_HOOKS_PICL_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
/* RECORD(NAME, number of the compact format, word of the verbose one, form). The form is what stands
 * behind "clock S US node N": words of the verbose format, and between them what both formats have:
 *   %d  an integer          %t  a time, two integers: seconds, microseconds
 *   %s  the rest of the line
 *   ?   what follows may be missing */
#define OB_PICL_RECORDS(RECORD)                                                                    \
    RECORD(TRACE_START, 1, "trace_start", "event %d compstats %d commstats %d")                    \
    RECORD(OPEN, 2, "open", "? allocating %d processors")                                          \
    RECORD(LOAD, 3, "load", "loading node %d")                                                     \
    RECORD(SEND, 4, "send", "to %d type %d lth %d")                                                \
    RECORD(PROBE, 5, "probe", "type %d") /* later versions of PICL write it */                     \
    RECORD(RECV, 6, "recv", "from %d type %d lth %d")                                              \
    RECORD(RECV_BLOCKING, 7, "recv_blocking", "type %d")                                           \
    RECORD(RECV_WAKING, 8, "recv_waking", "from %d type %d lth %d")                                \
    RECORD(MESSAGE, 9, "message", "")                                                              \
    RECORD(SYNC, 10, "sync", "")                                                                   \
    RECORD(COMPSTATS, 11, "compstats", "busy %t idle %t")                                          \
    RECORD(COMMSTATS, 12, "commstats", "received %d volume %d sent %d volume %d probed %d")        \
    RECORD(CLOSE, 13, "close", "")                                                                 \
    RECORD(TRACE_LEVEL, 14, "trace_level", "event %d compstats %d commstats %d")                   \
    RECORD(TRACE_MARK, 15, "trace_mark", "type %d")                                                \
    RECORD(TRACE_MESSAGE, 16, "trace_message", "%s")                                               \
    RECORD(TRACE_STOP, 17, "trace_stop", ": ran out of memory")                                    \
    RECORD(TRACE_FLUSH, 18, "trace_flush", "finished %t")                                          \
    RECORD(TRACE_EXIT, 19, "trace_exit", "space %d")                                               \
    RECORD(BLOCK_BEGIN, 20, "block_begin", "block_type %d location_type %d parameter_type %d")     \
    RECORD(BLOCK_END, 21, "block_end", "block_type %d location_type %d parameter_type %d")
/* clang-format on */

typedef struct ob_picl_record {
    const char *word, *form;
} ob_picl_record;

/* By number; NULL: PICL has no such record. */
static inline const ob_picl_record *ob_picl_record_of(int64_t number)
{
#define OB_PICL_ROW(name, number, word, form) [number] = {word, form},
    static const ob_picl_record records[] = {OB_PICL_RECORDS(OB_PICL_ROW)};
#undef OB_PICL_ROW
    bool known = number > 0 && number < (int64_t)(sizeof records / sizeof *records);
    return known ? &records[number] : NULL;
}

static inline void ob_picl_put_time(FILE *out, int64_t ns)
{
    /* Towards earlier, also before 0: order must not change. */
    int64_t us = ns / 1000 - (ns % 1000 < 0);
    us = us < 0 ? 0 : us;
    fprintf(out, " %" PRId64 " %" PRId64, us / 1000000, us % 1000000);
}

/* Writes a line of what PICL has a record for. Values that are missing are 0; text: of a
 * trace_message. */
static inline void ob_picl_put(FILE *out, bool verbose, int number, int64_t ns, int node,
                               const int64_t *values, int count, const char *text)
{
    const ob_picl_record *r = ob_picl_record_of(number);
    int next = 0;
    if (verbose)
        fprintf(out, "%s clock", r->word);
    else
        fprintf(out, "%d", number);
    ob_picl_put_time(out, ns);
    fprintf(out, verbose ? " node %d" : " %d", node);
    for (const char *p = r->form, *end; *p; p = end + strspn(end, " ")) {
        end = p + strcspn(p, " ");
        if (*p == '?' && next == count)
            break;
        if (p[0] == '%' && p[1] == 's') {
            fprintf(out, " %s", text);
        } else if (*p == '%') {
            int64_t value = next < count ? values[next] : 0;
            bool time = p[1] == 't';
            /* The one record whose compact form lacks a field: busy is what is not idle. */
            if (time && (verbose || next || strstr(p, "idle") == NULL))
                ob_picl_put_time(out, value);
            else if (!time)
                fprintf(out, " %" PRId64, value);
            next++;
        } else if (verbose && *p != '?') {
            fprintf(out, " %.*s", (int)(end - p), p);
        }
    }
    fputc('\n', out);
}

#endif
