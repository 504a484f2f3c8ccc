/*
 * Writing PICL's trace files.
 */
#include <inttypes.h>
#include <string.h>

#include "picl.h"

/* The manual's limit (tracemsg); a longer text of another origin is written whole
 * all the same, for obt_picl_read takes any. */
static void write_time(FILE *out, int64_t ns)
{
    /* Towards earlier, also before 0: order must not change. */
    int64_t micro = ns / 1000 - (ns % 1000 < 0);
    if (micro < 0)
        micro = 0;
    fprintf(out, " %" PRId64 " %" PRId64, micro / 1000000, micro % 1000000);
}

static void write_fields(const obt_trace *t, FILE *out, const obt_event *e, const char *form,
                         bool verbose)
{
    int value = 0;
    while (*form) {
        size_t length = strcspn(form, " ");
        if (*form == '?') {
            if (value == e->count)
                return;
        } else if (*form != '%') {
            if (verbose)
                fprintf(out, " %.*s", (int)length, form);
        } else if (form[1] == 'd') {
            fprintf(out, " %" PRId64, obt_get(t, e, value++, 0));
        } else if (form[1] == 't') {
            write_time(out, obt_get(t, e, value++, 0));
        } else {
            fprintf(out, " %s", t->texts[obt_get(t, e, value++, 0)]);
        }
        form += length;
        form += *form == ' ';
    }
}

static void write_event(const obt_trace *t, FILE *out, const obt_event *e, const obt_record *r,
                        bool verbose)
{
    if (verbose)
        fputs(obt_kind_name(r->kind), out);
    else
        fprintf(out, "%d", (int)r->kind);
    if (verbose)
        fputs(" clock", out);
    write_time(out, e->time);
    fprintf(out, "%s %" PRId32, verbose ? " node" : "", t->processes[e->process].id);
    if (r->kind == OBT_COMPSTATS && !verbose)
        write_time(out, obt_get(t, e, 1, 0));
    else
        write_fields(t, out, e, r->form, verbose);
    fputc('\n', out);
}

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

size_t obt_picl_write(obt_trace *t, FILE *out, bool verbose)
{
    size_t left_out = 0;
    write_names(t, out, verbose);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_record *r = obt_picl_record(t->events[i].kind);
        if (r)
            write_event(t, out, &t->events[i], r, verbose);
        else
            left_out++;
    }
    return left_out;
}
