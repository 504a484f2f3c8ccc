/*
 * Writing PICL's later trace format, by time over all processors, as ParaGraph wants it.
 */
#include "picl2.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

/* One line: an entry, an exit or a mark of an event. */
typedef struct row {
    int64_t time;
    size_t order, event; /* index of the event; SIZE_MAX: tracing begins or ends */
    uint32_t process;
    int record;
} row;

typedef struct writer {
    obt_trace *t;
    FILE *out;
    row *rows;
    size_t count, room, left_out;
    const obt_meeting *meetings;
    size_t meeting;
} writer;

static void put(writer *w, int64_t time, size_t event, uint32_t process, int record)
{
    w->rows = obt_grow(w->rows, w->count, &w->room, sizeof *w->rows);
    w->rows[w->count] = (row){time, w->count, event, process, record};
    w->count++;
}

static int by_time(const void *x, const void *y)
{
    const row *a = x, *b = y;
    int c = obt_compare(a->time, b->time);
    return c ? c : obt_compare((int64_t)a->order, (int64_t)b->order);
}

/* Both of a pair at its begin; or one of them where the file has an event for each. */
static void plan(writer *w, size_t i)
{
    const obt_trace *t = w->t;
    const obt_event *e = &t->events[i];
    bool last = i + 1 == t->event_count || t->events[i + 1].process != e->process;
    switch (e->kind) {
    case OBT_TRACE_MARK: put(w, e->time, i, e->process, OBT_P2_MARK); break;
    case OBT_BLOCK_BEGIN:
    case OBT_WAIT_BEGIN:
    case OBT_RECV_BLOCKING: put(w, e->time, i, e->process, OBT_P2_ENTRY); break;
    case OBT_BLOCK_END:
    case OBT_WAIT_END:
    case OBT_RECV_WAKING: put(w, e->time, i, e->process, OBT_P2_EXIT); break;
    case OBT_PART:
        put(w, e->time - obt_get(t, e, OBT_LASTED, 0), i, e->process, OBT_P2_ENTRY);
        put(w, e->time, i, e->process, OBT_P2_EXIT);
        break;
    case OBT_TRACE_FLUSH:
        put(w, e->time, i, e->process, OBT_P2_ENTRY);
        put(w, obt_get(t, e, 0, e->time), i, e->process, OBT_P2_EXIT);
        break;
    case OBT_SYNC: {
        int64_t end = w->meetings[w->meeting++].time;
        if (!last && end > t->events[i + 1].time)
            end = t->events[i + 1].time;
        put(w, e->time, i, e->process, OBT_P2_ENTRY);
        put(w, end > e->time ? end : e->time, i, e->process, OBT_P2_EXIT);
        break;
    }
    case OBT_SEND:
    case OBT_RECV:
    case OBT_PROBE:
    case OBT_OPEN:
    case OBT_LOAD:
    case OBT_CLOSE:
    case OBT_TRACE_LEVEL:
    case OBT_TRACE_STOP:
    case OBT_TRACE_MESSAGE:
        put(w, e->time, i, e->process, OBT_P2_ENTRY);
        put(w, e->time, i, e->process, OBT_P2_EXIT);
        break;
    case OBT_TRACE_START:
    case OBT_TRACE_EXIT: break; /* every processor has one of each */
    default: w->left_out++;
    }
}

static void plan_all(writer *w)
{
    const obt_trace *t = w->t;
    for (size_t i = 0, n; i < t->event_count; i += n) {
        uint32_t p = t->events[i].process;
        size_t first = w->count;
        int64_t end = t->events[i].time;
        w->meeting = 0;
        put(w, t->events[i].time, SIZE_MAX, p, OBT_P2_ENTRY);
        for (n = 0; i + n < t->event_count && t->events[i + n].process == p; n++)
            plan(w, i + n);
        for (size_t k = first; k < w->count; k++)
            end = w->rows[k].time > end ? w->rows[k].time : end;
        put(w, end, SIZE_MAX, p, OBT_P2_EXIT);
    }
    qsort(w->rows, w->count, sizeof *w->rows, by_time);
}

/* PICL's own blocks have negative numbers, which mean something else here. */
static int64_t own(int64_t block)
{
    return block < 0 ? -block : block;
}

static int64_t number_of(const obt_trace *t, const obt_event *e)
{
    int64_t block = obt_get(t, e, OBT_BLOCK, 0);
    switch (e->kind) {
    case OBT_TRACE_MARK: return obt_get(t, e, 0, 0);
    case OBT_BLOCK_BEGIN:
    case OBT_BLOCK_END:
    case OBT_PART: return block == -1 ? OBT_P2_BARRIER : block == -2 ? OBT_P2_BCAST : own(block);
    case OBT_WAIT_BEGIN:
    case OBT_WAIT_END: return OBT_P2_IDLE;
    case OBT_RECV_BLOCKING:
    case OBT_RECV_WAKING: return OBT_P2_RECV_BLOCKED;
    case OBT_SYNC: return OBT_P2_BARRIER;
    case OBT_SEND: return OBT_P2_SEND;
    case OBT_RECV: return OBT_P2_RECV;
    case OBT_PROBE: return OBT_P2_PROBE;
    case OBT_OPEN: return OBT_P2_OPEN;
    case OBT_LOAD: return OBT_P2_LOAD;
    case OBT_CLOSE: return OBT_P2_CLOSE;
    case OBT_TRACE_LEVEL: return OBT_P2_LEVEL;
    case OBT_TRACE_STOP: return OBT_P2_FULL;
    case OBT_TRACE_FLUSH: return OBT_P2_FLUSH;
    default: return OBT_P2_TEXT;
    }
}

static void put_numbers(FILE *out, const int64_t *v, int count)
{
    fprintf(out, " %d", count);
    if (count)
        fputs(" 2", out);
    for (int i = 0; i < count; i++)
        fprintf(out, " %" PRId64, v[i]);
}

/* As many words as the text has, and as many %s. */
static void put_text(FILE *out, const char *text)
{
    int words = 0;
    for (const char *p = text; *p; p++)
        words += *p != ' ' && (p == text || p[-1] == ' ');
    fprintf(out, " %d \"%%d", words + 1);
    for (int i = 0; i < words; i++)
        fputs(" %s", out);
    fprintf(out, "\" %zu %s", strlen(text), text);
}

static void put_fields(const writer *w, const row *r, const obt_event *e)
{
    const obt_trace *t = w->t;
    bool in = r->record == OBT_P2_ENTRY;
    int64_t a = obt_get(t, e, 0, 0), b = obt_get(t, e, 1, 0), c = obt_get(t, e, 2, 0);
    int64_t message[4] = {c, b, a, 0}, awaited[3] = {b, a, 0};
    switch (e->kind) {
    case OBT_SEND: put_numbers(w->out, message, in ? 4 : 0); break;
    case OBT_RECV: put_numbers(w->out, in ? awaited : message, in ? 3 : 4); break;
    case OBT_RECV_BLOCKING: put_numbers(w->out, (int64_t[]){a, -1, 0}, 3); break;
    case OBT_RECV_WAKING: put_numbers(w->out, message, 4); break;
    case OBT_BLOCK_BEGIN:
        if (a == -1)
            put_numbers(w->out, (int64_t[]){-1}, 1);
        else if (a == -2)
            put_numbers(w->out, (int64_t[]){-1, c, -1}, 3);
        else
            put_numbers(w->out, (int64_t[]){b, c}, 2);
        break;
    case OBT_SYNC: put_numbers(w->out, (int64_t[]){-1}, in); break;
    case OBT_PROBE:
    case OBT_LOAD: put_numbers(w->out, (int64_t[]){a}, in); break;
    case OBT_TRACE_LEVEL: put_numbers(w->out, (int64_t[]){a, b, c}, in ? 3 : 0); break;
    case OBT_TRACE_FLUSH: put_numbers(w->out, (int64_t[]){a - e->time}, !in); break;
    case OBT_TRACE_MESSAGE:
        if (in)
            put_text(w->out, t->texts[a]);
        else
            put_numbers(w->out, NULL, 0);
        break;
    default: put_numbers(w->out, NULL, 0);
    }
}

static void put_row(const writer *w, const row *r)
{
    const obt_event *e = r->event == SIZE_MAX ? NULL : &w->t->events[r->event];
    int64_t time = r->time < 0 ? 0 : r->time;
    fprintf(w->out, "%d %" PRId64 " %" PRId64 ".%09" PRId64 " %" PRId32 " 0", r->record,
            e ? number_of(w->t, e) : OBT_P2_TRACE, time / 1000000000, time % 1000000000,
            w->t->processes[r->process].id);
    if (e)
        put_fields(w, r, e);
    else
        put_numbers(w->out, NULL, 0);
    fputc('\n', w->out);
}

/* Names as texts of the first process, which obt_picl2_read understands. */
static void put_names(const writer *w)
{
    const obt_trace *t = w->t;
    char text[256];
    for (size_t i = 0; i < t->routine_count; i++) {
        int64_t block = t->routines[i].block;
        if (!t->process_count || block == -1 || block == -2 ||
            (!t->routines[i].given && block >= 0))
            continue;
        snprintf(text, sizeof text, "block_type %" PRId64 " is %s", own(block),
                 t->routines[i].name);
        fprintf(w->out, "-3 -911 0.000000000 %" PRId32 " 0", t->processes[0].id);
        put_text(w->out, text);
        fprintf(w->out, "\n-4 -911 0.000000000 %" PRId32 " 0 0\n", t->processes[0].id);
    }
}

size_t obt_picl2_write(obt_trace *t, FILE *out)
{
    writer w = {.t = t, .out = out};
    obt_sort(t);
    obt_meeting *meetings = obt_find_meetings(t);
    w.meetings = meetings;
    for (size_t i = 0; i < t->event_count; i++)
        if (obt_is_block(t->events[i].kind))
            obt_routine_name(t, obt_get(t, &t->events[i], OBT_BLOCK, 0));
    plan_all(&w);
    put_names(&w);
    for (size_t i = 0; i < w.count; i++)
        put_row(&w, &w.rows[i]);
    free(meetings);
    free(w.rows);
    return w.left_out;
}
