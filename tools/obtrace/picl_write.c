/*
 * Writing PICL's trace files.
 */
#include "formats.h"

static void write_names(const obt_trace *t, FILE *out, bool verbose)
{
    for (size_t i = 0; i < t->routine_count; i++) {
        if (!t->routines[i].given || t->process_count == 0)
            continue;
        fprintf(out, verbose ? "trace_message clock 0 0 node %" PRId32 : "16 0 0 %" PRId32,
                t->processes[0].id);
        fprintf(out, " block_type %" PRId64 " is %s\n", t->routines[i].block, t->routines[i].name);
    }
}

/* A text that is longer than the manual allows (tracemsg) is written whole all the same, for
 * obt_picl_read takes any. */
size_t obt_picl_write(obt_trace *t, FILE *out, bool verbose)
{
    size_t left_out = 0;
    write_names(t, out, verbose);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        const char *text = e->kind == OBT_TRACE_MESSAGE ? t->texts[obt_get(t, e, 0, 0)] : NULL;
        if (ob_picl_record_of(e->kind))
            ob_picl_put(out, verbose, e->kind, e->time, t->processes[e->process].id,
                        e->count ? &t->values[e->first] : NULL, e->count, text);
        else
            left_out++;
    }
    return left_out;
}
