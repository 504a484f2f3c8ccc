/*
 * The protocol buffers of Perfetto: a track for each process with calls and waits as slices,
 * messages as flows, and counters. Numbers of fields are those of perfetto/trace/trace_packet.proto
 * and track_event/; only what stands here is needed of them.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "formats.h"

/* Fields. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_DESCRIPTOR = 60,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOW = 47,
    EVENT_FLOW_ENDS = 48,
    ANNOTATION_NUMBER = 4,
    ANNOTATION_NAME = 10
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { WIRE_NUMBER = 0, WIRE_FIXED = 1, WIRE_BYTES = 2 };

/* Tracks: the counters, then a process each. */
enum { COMPUTING_TRACK = 1, MESSAGES_TRACK, BYTES_TRACK, FIRST_PROCESS = 16 };

/* A message of a protocol buffer; names of routines are no longer than its room. */
typedef struct buffer {
    unsigned char at[1024];
    size_t used;
} buffer;

static void put_number(buffer *b, uint64_t n)
{
    for (; n > 127; n >>= 7)
        b->at[b->used++] = (unsigned char)(n | 128);
    b->at[b->used++] = (unsigned char)n;
}

static void put_field(buffer *b, int field, int64_t value)
{
    put_number(b, (uint64_t)field << 3 | WIRE_NUMBER);
    put_number(b, (uint64_t)value);
}

static void put_fixed(buffer *b, int field, uint64_t value)
{
    put_number(b, (uint64_t)field << 3 | WIRE_FIXED);
    for (int i = 0; i < 8; i++)
        b->at[b->used++] = (unsigned char)(value >> (8 * i));
}

static void put_bytes(buffer *b, int field, const void *bytes, size_t length)
{
    put_number(b, (uint64_t)field << 3 | WIRE_BYTES);
    put_number(b, length);
    memcpy(b->at + b->used, bytes, length);
    b->used += length;
}

static void put_text(buffer *b, int field, const char *text)
{
    size_t length = strlen(text);
    put_bytes(b, field, text, length < 400 ? length : 400);
}

static void annotate(buffer *b, const char *name, int64_t value)
{
    buffer a = {.used = 0};
    put_text(&a, ANNOTATION_NAME, name);
    put_field(&a, ANNOTATION_NUMBER, value);
    put_bytes(b, EVENT_ANNOTATION, a.at, a.used);
}

/* ------------------------------------------------------------------- packets */

static void put_packet(FILE *out, int field, const buffer *content, int64_t time)
{
    buffer packet = {.used = 0}, head = {.used = 0};
    if (field == PACKET_EVENT)
        put_field(&packet, PACKET_TIMESTAMP, time < 0 ? 0 : time);
    put_field(&packet, PACKET_SEQUENCE, 1);
    put_number(&packet, (uint64_t)field << 3 | WIRE_BYTES);
    put_number(&packet, content->used);
    put_number(&head, TRACE_PACKET << 3 | WIRE_BYTES);
    put_number(&head, packet.used + content->used);
    fwrite(head.at, 1, head.used, out);
    fwrite(packet.at, 1, packet.used, out);
    fwrite(content->at, 1, content->used, out);
}

static buffer begin_event(int type, int64_t track, const char *name)
{
    buffer b = {.used = 0};
    put_field(&b, EVENT_TYPE, type);
    put_field(&b, EVENT_TRACK, track);
    if (name)
        put_text(&b, EVENT_NAME, name);
    return b;
}

static void put_process(const obt_analysis *a, FILE *out, uint32_t p)
{
    int32_t id = a->trace->processes[p].id;
    char name[32];
    buffer process = {.used = 0}, track = {.used = 0};
    put_field(&process, PROCESS_PID, id == OBT_HOST ? 1000000000 : id + 1); /* 0 is the idle one */
    put_text(&process, PROCESS_NAME, obt_process_name(a, p, name));
    put_field(&track, TRACK_UUID, FIRST_PROCESS + (int64_t)p);
    put_bytes(&track, TRACK_PROCESS, process.at, process.used);
    put_packet(out, PACKET_DESCRIPTOR, &track, 0);
}

static void put_counter_track(FILE *out, int64_t uuid, const char *name)
{
    buffer track = {.used = 0};
    put_field(&track, TRACK_UUID, uuid);
    put_text(&track, TRACK_NAME, name);
    put_bytes(&track, TRACK_COUNTER, "", 0);
    put_packet(out, PACKET_DESCRIPTOR, &track, 0);
}

static void put_event(obt_trace *t, FILE *out, const obt_event *e)
{
    int64_t track = FIRST_PROCESS + (int64_t)e->process, time = e->time;
    buffer b;
    switch (e->kind) {
    case OBT_BLOCK_BEGIN:
        b = begin_event(SLICE_BEGIN, track, obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0)));
        if (e->count > OBT_SIZE)
            annotate(&b, "bytes", obt_get(t, e, OBT_SIZE, 0));
        break;
    case OBT_RECV_BLOCKING:
    case OBT_WAIT_BEGIN: b = begin_event(SLICE_BEGIN, track, "waiting"); break;
    case OBT_BLOCK_END:
    case OBT_RECV_WAKING:
    case OBT_WAIT_END: b = begin_event(SLICE_END, track, NULL); break;
    case OBT_TRACE_MARK:
        b = begin_event(INSTANT, track, "mark");
        annotate(&b, "number", obt_get(t, e, 0, 0));
        break;
    case OBT_TRACE_MESSAGE: b = begin_event(INSTANT, track, t->texts[obt_get(t, e, 0, 0)]); break;
    default: return;
    }
    put_packet(out, PACKET_EVENT, &b, time);
}

/* ------------------------------------------------------------------ messages */

static void put_message(FILE *out, const obt_message *m, uint64_t number)
{
    buffer b = begin_event(INSTANT, FIRST_PROCESS + (int64_t)m->from, "message sent");
    annotate(&b, "bytes", m->bytes);
    put_fixed(&b, EVENT_FLOW, number);
    put_packet(out, PACKET_EVENT, &b, m->sent);
    b = begin_event(INSTANT, FIRST_PROCESS + (int64_t)m->to, "message received");
    annotate(&b, "bytes", m->bytes);
    put_fixed(&b, EVENT_FLOW_ENDS, number);
    put_packet(out, PACKET_EVENT, &b, m->received);
}

/* ------------------------------------------------------------------ counters */

typedef struct change {
    int64_t time, by;
} change;

static int by_time(const void *x, const void *y)
{
    const change *a = x, *b = y;
    int c = obt_compare(a->time, b->time);
    return c ? c : obt_compare(a->by, b->by);
}

/* One value for each time at which it changes. */
static void put_counter(FILE *out, int64_t track, change *c, size_t count)
{
    int64_t now = 0;
    if (count)
        qsort(c, count, sizeof *c, by_time);
    for (size_t i = 0; i < count; i++) {
        now += c[i].by;
        if (i + 1 < count && c[i + 1].time == c[i].time)
            continue;
        buffer b = begin_event(COUNTER, track, NULL);
        put_field(&b, EVENT_COUNTER_VALUE, now);
        put_packet(out, PACKET_EVENT, &b, c[i].time);
    }
}

static void put_computing(const obt_analysis *a, FILE *out)
{
    change *c = obt_memory(a->span_count, sizeof *c);
    size_t n = 0;
    for (size_t i = 0; i < a->span_count; i++) {
        bool was = i && a->spans[i - 1].state == OBT_COMPUTING;
        bool is = a->spans[i].state == OBT_COMPUTING;
        if (is != was)
            c[n++] = (change){a->spans[i].begin, is ? 1 : -1};
    }
    put_counter(out, COMPUTING_TRACK, c, n);
    free(c);
}

static void put_under_way(const obt_analysis *a, FILE *out)
{
    change *c = obt_memory(2 * a->message_count, sizeof *c);
    for (int bytes = 0; bytes < 2; bytes++) {
        for (size_t i = 0; i < a->message_count; i++) {
            const obt_message *m = &a->messages[i];
            int64_t by = bytes ? m->bytes : 1;
            c[2 * i] = (change){m->sent, by};
            c[2 * i + 1] = (change){m->received < m->sent ? m->sent : m->received, -by};
        }
        put_counter(out, bytes ? BYTES_TRACK : MESSAGES_TRACK, c, 2 * a->message_count);
    }
    free(c);
}

size_t obt_perfetto_write(obt_trace *t, FILE *out)
{
    obt_analysis *a = obt_analyse(t);
    size_t left_out = 0;
    put_counter_track(out, COMPUTING_TRACK, "processes computing");
    put_counter_track(out, MESSAGES_TRACK, "messages under way");
    put_counter_track(out, BYTES_TRACK, "bytes under way");
    for (size_t k = 0; k < a->active; k++)
        put_process(a, out, a->order[k]);
    for (size_t i = 0; i < t->event_count; i++)
        put_event(t, out, &t->events[i]);
    for (size_t i = 0; i < a->message_count; i++)
        put_message(out, &a->messages[i], i + 1);
    put_computing(a, out);
    put_under_way(a, out);
    for (size_t i = 0; i < t->event_count; i++) {
        int kind = t->events[i].kind;
        left_out += kind == OBT_COMPSTATS || kind == OBT_COMMSTATS || kind == OBT_PROBE ||
                    kind == OBT_PART || kind == OBT_RUNNING || kind == OBT_ASKED;
    }
    obt_analysis_free(a);
    return left_out;
}
