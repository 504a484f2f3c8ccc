/*
 * The trace event format of chrome://tracing and Perfetto: calls and waits as
 * slices of a process's track, messages as arrows. Each event also holds its
 * record, from which obtrace reads it again.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis.h"
#include "formats.h"

/* Perfetto takes no negative process numbers. */
#define HOST_TRACK 1000000000

static int32_t track(const obt_trace *t, uint32_t process)
{
    int32_t id = t->processes[process].id;
    return id == OBT_HOST ? HOST_TRACK : id;
}

static void put_head(FILE *out, const char *phase, const char *name, int64_t time, int32_t pid)
{
    fprintf(out, ",\n{\"ph\":\"%s\",\"name\":", phase);
    obt_json_text(out, name);
    /* ts: microseconds, with the nanoseconds behind the point */
    fprintf(out, ",\"pid\":%" PRId32 ",\"tid\":0,\"ts\":%" PRId64 ".%03" PRId64, pid, time / 1000,
            time % 1000);
}

static void put_event(obt_trace *t, FILE *out, const obt_event *e)
{
    const char *record = obt_kind_name(e->kind), *phase = "i", *name = record;
    if (obt_is_block(e->kind)) {
        phase = e->kind == OBT_BLOCK_BEGIN ? "B" : e->kind == OBT_BLOCK_END ? "E" : "i";
        name = obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0));
    } else if (e->kind == OBT_RECV_BLOCKING || e->kind == OBT_WAIT_BEGIN) {
        phase = "B";
        name = "waiting";
    } else if (e->kind == OBT_RECV_WAKING || e->kind == OBT_WAIT_END) {
        phase = "E";
        name = "waiting";
    }
    put_head(out, phase, name, e->time, track(t, e->process));
    fprintf(out, "%s,\"args\":{\"record\":\"%s\"", phase[0] == 'i' ? ",\"s\":\"t\"" : "", record);
    if (e->kind == OBT_TRACE_MESSAGE) {
        fputs(",\"text\":", out);
        obt_json_text(out, t->texts[obt_get(t, e, 0, 0)]);
    } else {
        fputs(",\"values\":[", out);
        for (int v = 0; v < e->count; v++)
            fprintf(out, "%s%" PRId64, v ? "," : "", obt_get(t, e, v, 0));
        putc(']', out);
    }
    fputs("}}", out);
}

static void put_arrow(const obt_trace *t, FILE *out, const obt_message *m, size_t number)
{
    put_head(out, "s", "message", m->sent, track(t, m->from));
    fprintf(out, ",\"cat\":\"message\",\"id\":%zu,\"args\":{\"bytes\":%" PRId64 "}}", number,
            m->bytes);
    put_head(out, "f", "message", m->received, track(t, m->to));
    fprintf(out, ",\"cat\":\"message\",\"bp\":\"e\",\"id\":%zu}", number);
}

size_t obt_json_write(obt_trace *t, FILE *out)
{
    obt_analysis *a = obt_analyse(t);
    char name[32];
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"args\":{\"by\":\"obtrace\"}}",
          out);
    for (size_t k = 0; k < a->active; k++) {
        fprintf(out,
                ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRId32
                ",\"args\":{\"name\":\"%s\"}}",
                track(t, a->order[k]), obt_process_name(a, a->order[k], name));
    }
    for (size_t i = 0; i < t->event_count; i++)
        put_event(t, out, &t->events[i]);
    for (size_t i = 0; i < a->message_count; i++)
        put_arrow(t, out, &a->messages[i], i + 1);
    fputs("\n]}\n", out);
    obt_analysis_free(a);
    return 0;
}
