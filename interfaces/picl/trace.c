/*
 * PICL's own traces: a buffer of records in each processor, statistics that go on whether
 * records are kept or not, and the host's file. Levels are those of the manual's
 * tables; what they leave open is said in docs/picl.md.
 *
 * No wrong use of these routines ends a program (section 5): it is told in a line, and the call
 * does nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picl.h"

enum { LEAST_BYTES = 208, LARGEST = 5, MADE_READY = 16 * 1024 * 1024 };

int picl_tracing;

/* Numbers and bytes of messages. */
typedef struct counts {
    int64_t received, received_bytes, sent, sent_bytes, probes;
} counts;

static struct {
    FILE *file; /* host */
    char *name;
    int verbose;
    int event, compstats, commstats;
    int flush, stopped, ended; /* ended: traceexit was called, one traceflush may follow */
    double start;
    /* The buffer: `room` bytes for records, and behind them the reserve for the last ones. */
    char *buffer;
    size_t room, used, reserve, generated;
    counts sum;
    int64_t idle; /* nanoseconds */
    /* The idle call: its begin (-1: there is none), what had been counted by then, its end. */
    int64_t since, until;
    counts before;
    /* A node's, of before open0: what is to be written at once. */
    char *early;
    size_t early_bytes;
} t = {.since = -1};

static int64_t now(void)
{
    return (int64_t)((ob_time() - t.start) * 1e9);
}

/* ----------------------------------------------------------------- the file */

/* Once a file. */
static void give_up_file(void)
{
    picl_warn("traceflush",
              "OB-7011 the trace file '%s' cannot be written: %s; the rest of the trace is lost",
              t.name, strerror(errno));
    fclose(t.file);
    t.file = NULL;
}

static void write_records(const char *at, size_t bytes, int node)
{
    while (t.file && !ferror(t.file) && bytes >= sizeof(picl_entry)) {
        const picl_entry *e = (const void *)at;
        size_t size = e->count >= 0 ? picl_entry_bytes(e->count) : bytes + 1;
        if (size > bytes)
            break;
        if (ob_picl_record_of(e->type))
            ob_picl_put(t.file, t.verbose, e->type, e->time, node, e->argument, e->count,
                        (const char *)e->argument);
        at += size;
        bytes -= size;
    }
    if (t.file && (ferror(t.file) || fflush(t.file) != 0))
        give_up_file();
}

void picl_take_records(void)
{
    int there = 1;
    ob_received got;
    while (picl_own.host && picl_own.control) {
        picl_check("traceflush", ob_iprobe(picl_own.control, OB_ANY, PICL_RECORDS, &there, &got));
        if (!there)
            return;
        char *records = malloc(got.bytes + 1);
        if (records == NULL) {
            picl_warn("traceflush", "OB-7012 no memory for %zu bytes of trace: they wait",
                      got.bytes);
            return;
        }
        picl_get("traceflush", picl_own.control, got.source, PICL_RECORDS, records, got.bytes,
                 &got);
        write_records(records, got.bytes, picl_number(got.source));
        free(records);
    }
}

/* Before open0 a node can send nothing. */
static void keep_early(const void *records, size_t bytes)
{
    char *all = realloc(t.early, t.early_bytes + bytes);
    if (all == NULL) {
        picl_warn("traceflush", "OB-7012 no memory for %zu bytes of trace: they are lost", bytes);
        return;
    }
    memcpy(all + t.early_bytes, records, bytes);
    t.early = all;
    t.early_bytes += bytes;
}

void picl_send_early(void)
{
    if (t.early_bytes)
        picl_put("open0", picl_own.control, 0, PICL_RECORDS, t.early, t.early_bytes);
    free(t.early);
    t.early = NULL;
    t.early_bytes = 0;
}

static void pass_on(const void *records, size_t bytes)
{
    if (bytes == 0)
        return;
    if (!picl_is_node())
        write_records(records, bytes, PICL_HOST);
    else if (picl_own.open)
        picl_put("traceflush", picl_own.control, 0, PICL_RECORDS, records, bytes);
    else
        keep_early(records, bytes);
}

void traceenable(char *tracefile, int verbose)
{
    if (picl_is_node() || tracefile == NULL) {
        picl_warn("traceenable", picl_is_node() ? "OB-7005 only the host may call it"
                                                : "OB-1001 argument 1 (tracefile) is NULL");
        return;
    }
    picl_take_records();
    FILE *file = fopen(tracefile, "we");
    char *name = strdup(tracefile);
    if (file == NULL || name == NULL) {
        picl_warn("traceenable",
                  "OB-7011 argument 1 (tracefile) is '%s', which cannot be written: %s; "
                  "nothing is traced into it",
                  tracefile, strerror(errno));
        if (file)
            fclose(file);
        free(name);
        return;
    }
    if (t.file)
        fclose(t.file);
    free(t.name);
    t.file = file;
    t.name = name;
    t.verbose = verbose == 1;
}

/* --------------------------------------------------------------- the buffer */

static void keep(const picl_entry *e, int last)
{
    size_t bytes = picl_entry_bytes(e->count);
    if (t.used + bytes > t.room + (last ? t.reserve : 0))
        return;
    memcpy(t.buffer + t.used, e, bytes);
    t.used += bytes;
    t.generated += bytes;
}

static void add_at(int64_t at, enum picl_record type, int last, int count, const int64_t *arguments)
{
    union {
        picl_entry e;
        char bytes[sizeof(picl_entry) + LARGEST * sizeof(int64_t)];
    } u;
    u.e = (picl_entry){.type = type, .count = count, .time = at};
    if (count)
        memcpy(u.e.argument, arguments, (size_t)count * sizeof *arguments);
    if (t.stopped && !last)
        return;
    if (!last && t.used + picl_entry_bytes(count) > t.room) {
        if (t.flush) {
            traceflush();
        } else {
            t.stopped = 1;
            add_at(at, PICL_TRACE_STOP, 1, 0, NULL);
            return;
        }
    }
    keep(&u.e, last);
}

static void add(enum picl_record type, int last, int count, const int64_t *arguments)
{
    add_at(now(), type, last, count, arguments);
}

void traceflush(void)
{
    if ((!picl_tracing && !t.ended) || t.buffer == NULL)
        return;
    picl_entry *e = (picl_entry *)(void *)(char[sizeof(picl_entry) + sizeof(int64_t)]){0};
    *e = (picl_entry){.type = PICL_TRACE_FLUSH, .count = 1, .time = now()};
    pass_on(t.buffer, t.used);
    t.used = 0;
    t.stopped = 0;
    e->argument[0] = now();
    if (picl_tracing)
        keep(e, 1);
    else
        pass_on(e, picl_entry_bytes(1));
    t.ended = 0;
    picl_take_records();
}

int picl_records(int level)
{
    return picl_tracing && t.event >= level;
}

void picl_event(int level, enum picl_record type, int count, ...)
{
    int64_t arguments[LARGEST];
    va_list list;
    if (!picl_tracing || t.event < level)
        return;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, int64_t);
    va_end(list);
    add(type, type == PICL_TRACE_EXIT, count, arguments);
}

/* --------------------------------------------------------------- statistics */

static void add_stats(int64_t at, int level, int last, int64_t idle, const counts *c)
{
    const int64_t comp[] = {at - idle, idle};
    const int64_t comm[] = {c->received, c->received_bytes, c->sent, c->sent_bytes, c->probes};
    if (t.compstats >= level)
        add_at(at, PICL_COMPSTATS, last, 2, comp);
    if (t.commstats >= level)
        add_at(at, PICL_COMMSTATS, last, 5, comm);
}

static void add_stats_now(int level, int last)
{
    int64_t at = now();
    add_stats(at, level, last, t.idle + (t.since >= 0 ? at - t.since : 0), &t.sum);
}

void picl_stats(int level)
{
    if (picl_tracing)
        add_stats_now(level, 0);
}

/* The clock is what this costs: it is read once at each end. */
void picl_idle_begin(void)
{
    if (!picl_tracing)
        return;
    t.before = t.sum;
    t.since = now();
}

static bool end_idle(void)
{
    if (!picl_tracing || t.since < 0)
        return false;
    t.until = now();
    t.idle += t.until - t.since;
    return true;
}

static void add_stats_before(int level)
{
    add_stats(t.since, level, 0, t.idle - (t.until - t.since), &t.before);
}

static void add_stats_after(int level)
{
    add_stats(t.until, level, 0, t.idle, &t.sum);
    t.since = -1;
}

void picl_idle_end(int event, int stats, enum picl_record type, int count, ...)
{
    int64_t arguments[LARGEST];
    va_list list;
    if (!end_idle())
        return;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, int64_t);
    va_end(list);
    if (t.event >= event)
        add_at(t.since, type, 0, count, arguments);
    add_stats_before(stats);
    add_stats_after(stats);
}

void picl_receive_end(int level, int waited, int wanted)
{
    if (!end_idle())
        return;
    const int64_t type = wanted, got[] = {picl_own.source, picl_own.type, picl_own.bytes};
    if (t.event >= level)
        add_at(t.since, waited ? PICL_RECV_BLOCKING : PICL_RECV, 0, waited ? 1 : 3,
               waited ? &type : got);
    add_stats_before(level);
    if (t.event >= level && waited)
        add_at(t.until, PICL_RECV_WAKING, 0, 3, got);
    add_stats_after(level);
}

void picl_count_sent(int64_t messages, int64_t bytes)
{
    t.sum.sent += messages;
    t.sum.sent_bytes += bytes;
}

void picl_count_received(int64_t messages, int64_t bytes)
{
    t.sum.received += messages;
    t.sum.received_bytes += bytes;
}

void picl_count_probe(void)
{
    t.sum.probes++;
}

void picl_block_begin(int type, int location, int parameter)
{
    if (picl_own.inside++ == 0) {
        picl_event(2, PICL_BLOCK_BEGIN, 3, (int64_t)type, (int64_t)location, (int64_t)parameter);
        picl_stats(2);
    }
}

void picl_block_end(int type, int location, int parameter)
{
    if (--picl_own.inside == 0) {
        picl_stats(2);
        picl_event(2, PICL_BLOCK_END, 3, (int64_t)type, (int64_t)location, (int64_t)parameter);
    }
}

/* -------------------------------------------------------------- begin and end */

/* start: the moment that counts as zero. After traceexit nothing begins before traceflush: what
 * has been recorded is not written yet. */
static void begin(const char *routine, int tracesize, int flush, double start)
{
    if (picl_tracing || t.ended)
        return;
    size_t room = (tracesize > LEAST_BYTES ? (size_t)tracesize : LEAST_BYTES) & ~(size_t)7;
    /* trace_stop, compstats, commstats, trace_exit and trace_flush. */
    size_t reserve = 5 * picl_entry_bytes(LARGEST);
    char *buffer = malloc(room + reserve);
    if (buffer == NULL) {
        picl_warn(
            routine,
            "OB-7012 argument 1 (tracesize) is %d: there is no memory for it; nothing is traced",
            tracesize);
        return;
    }
    /* Its pages are not made at the first records; nor all of a buffer that nothing will fill. */
    memset(buffer, 0, room + reserve < MADE_READY ? room + reserve : MADE_READY);
    free(t.buffer);
    t.buffer = buffer;
    t.room = room;
    t.reserve = reserve;
    t.used = t.generated = 0;
    t.flush = flush == 1;
    t.stopped = 0;
    t.idle = 0;
    t.since = -1;
    t.sum = (counts){0};
    t.start = start;
    picl_tracing = 1;
    add_at(0, PICL_TRACE_START, 0, 3, (const int64_t[]){t.event, t.compstats, t.commstats});
}

void tracehost(int tracesize, int flush)
{
    if (picl_is_node())
        picl_warn("tracehost", "OB-7005 only the host may call it");
    else if (t.file)
        begin("tracehost", tracesize, flush, ob_time());
}

/* When all nodes are here. Before open0 they meet on their own. */
static double common_start(void)
{
    double start = ob_time();
    if (!picl_own.joined)
        picl_join(&(int){0});
    double common = picl_meet("tracenode", PICL_SYNCING, picl_own.nodes);
    /* The nodes of one machine have one clock. */
    return common >= start && common <= ob_time() ? common : ob_time();
}

void tracenode(int tracesize, int flush, int sync)
{
    if (!picl_is_node())
        picl_warn("tracenode", "OB-7005 only nodes may call it");
    else if (!picl_own.closed)
        begin("tracenode", tracesize, flush, sync == 1 ? common_start() : ob_time());
}

void tracelevel(int event, int compstats, int commstats)
{
    t.event = event;
    t.compstats = compstats;
    t.commstats = commstats;
    if (!picl_tracing)
        return;
    add(PICL_TRACE_LEVEL, 0, 3, (const int64_t[]){event, compstats, commstats});
    add_stats_now(1, 0);
}

void traceinfo(int *remaining, int *event, int *compstats, int *commstats)
{
    if (remaining == NULL || event == NULL || compstats == NULL || commstats == NULL) {
        picl_warn("traceinfo", "OB-1001 an argument is NULL");
        return;
    }
    size_t left = picl_tracing && t.room > t.used ? t.room - t.used : 0;
    *remaining = (int)(left / picl_entry_bytes(LARGEST));
    *event = t.event;
    *compstats = t.compstats;
    *commstats = t.commstats;
}

void tracemark(int marktype)
{
    picl_event(1, PICL_TRACE_MARK, 1, (int64_t)marktype);
    picl_stats(1);
}

void tracemsg(char *message)
{
    int64_t room[2 + (PICL_TEXT_MOST + 8) / 8] = {0};
    picl_entry *e = (picl_entry *)(void *)room;
    if (!picl_tracing || message == NULL)
        return;
    size_t length = strnlen(message, PICL_TEXT_MOST);
    e->type = PICL_TRACE_MESSAGE;
    e->count = (int32_t)(length / 8 + 1);
    e->time = now();
    memcpy(e->argument, message, length);
    /* One line stays one line. */
    for (char *p = (char *)e->argument; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    pass_on(e, picl_entry_bytes(e->count));
}

void traceexit(void)
{
    if (!picl_tracing)
        return;
    add_stats_now(1, 1);
    add(PICL_TRACE_EXIT, 1, 1, (const int64_t[]){(int64_t)(t.generated + picl_entry_bytes(1))});
    picl_tracing = 0;
    t.ended = 1;
}

void picl_trace_close(void)
{
    traceexit();
    if (t.buffer && t.used) {
        pass_on(t.buffer, t.used);
        t.used = 0;
    }
    t.ended = 0;
}
