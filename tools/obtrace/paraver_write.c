/*
 * Paraver's trace: FILE.prv, and beside it FILE.pcf (what numbers mean) and FILE.row (names).
 * States have Extrae's numbers, so that its configurations show them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "formats.h"

/* Types of events. */
enum { ROUTINE = 90000001, PLACE = 90000002, PART = 90000003, MARK = 90000004 };

static const struct {
    int number;
    const char *name, *colour;
} states[] = {
    {0, "Idle: on no processor", "{169,173,106}"}, {1, "Running", "{0,0,255}"},
    {3, "Waiting a message", "{255,0,0}"},         {5, "Synchronization", "{245,163,4}"},
    {13, "Group Communication", "{255,144,26}"},   {14, "Tracing Disabled", "{198,226,255}"},
    {15, "Others: in the library", "{0,166,214}"}};

static int state_number(int state)
{
    static const int of[OBT_STATES] = {
        [OBT_OFF] = 14,        [OBT_COMPUTING] = 1,   [OBT_LIBRARY] = 15,
        [OBT_NOT_RUNNING] = 0, [OBT_RECEIVING] = 3,   [OBT_BROADCASTING] = 13,
        [OBT_COMBINING] = 13,  [OBT_COLLECTING] = 13, [OBT_IN_BARRIER] = 5};
    return of[state];
}

/* A line of the trace that is written when its time has come. */
typedef struct row {
    int64_t time;
    size_t index;
    enum { STATE, EVENT_END, EVENT_BEGIN, PART_END, PART_BEGIN, MARKED, COMMUNICATION } kind;
    uint32_t process;
} row;

typedef struct writer {
    const obt_analysis *a;
    FILE *out;
    uint32_t *task; /* from 1, by process index; 0: it did not record */
    uint32_t *node; /* from 1, by task - 1 */
    size_t nodes;
    row *rows;
    size_t count, room;
} writer;

static void put(writer *w, int64_t time, size_t index, int kind, uint32_t process)
{
    w->rows = obt_grow(w->rows, w->count, &w->room, sizeof *w->rows);
    w->rows[w->count++] = (row){.time = time, .index = index, .kind = kind, .process = process};
}

/* What ends comes before what begins at the same time. */
static int by_time(const void *x, const void *y)
{
    const row *a = x, *b = y;
    int c = obt_compare(a->time, b->time);
    c = c ? c : obt_compare(a->kind, b->kind);
    return c ? c : obt_compare((int64_t)a->index, (int64_t)b->index);
}

static void collect(writer *w)
{
    const obt_analysis *a = w->a;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        size_t end = k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count;
        for (size_t i = a->first_span[p]; i + 1 < end; i++)
            put(w, a->spans[i].begin, i, STATE, p);
    }
    for (size_t i = 0; i < a->call_count; i++) {
        put(w, a->calls[i].begin, i, EVENT_BEGIN, a->calls[i].process);
        put(w, a->calls[i].end, i, EVENT_END, a->calls[i].process);
    }
    for (size_t i = 0; i < a->part_count; i++) {
        put(w, a->parts[i].begin, i, PART_BEGIN, a->parts[i].process);
        put(w, a->parts[i].end, i, PART_END, a->parts[i].process);
    }
    for (size_t i = 0; i < a->trace->event_count; i++)
        if (a->trace->events[i].kind == OBT_TRACE_MARK)
            put(w, a->trace->events[i].time, i, MARKED, a->trace->events[i].process);
    for (size_t i = 0; i < a->message_count; i++)
        if (w->task[a->messages[i].from] && w->task[a->messages[i].to])
            put(w, a->messages[i].sent, i, COMMUNICATION, a->messages[i].from);
    if (w->count)
        qsort(w->rows, w->count, sizeof *w->rows, by_time);
}

/* ------------------------------------------------------------------- the trace */

/* Machines that have recorded processes, by name where they have one. */
static void find_nodes(writer *w)
{
    const obt_analysis *a = w->a;
    for (size_t k = 0; k < a->active; k++) {
        const obt_process *p = &a->trace->processes[a->order[k]];
        w->task[a->order[k]] = (uint32_t)k + 1;
        for (size_t i = 0; i < k && !w->node[k]; i++) {
            const obt_process *q = &a->trace->processes[a->order[i]];
            if (p->machine == q->machine &&
                strcmp(p->host ? p->host : "", q->host ? q->host : "") == 0)
                w->node[k] = w->node[i];
        }
        if (!w->node[k])
            w->node[k] = (uint32_t)++w->nodes;
    }
}

static size_t processes_on(const writer *w, size_t node)
{
    size_t n = 0;
    for (size_t k = 0; k < w->a->active; k++)
        n += w->node[k] == node;
    return n;
}

static void put_head(const writer *w)
{
    const obt_analysis *a = w->a;
    fprintf(w->out, "#Paraver (01/01/1970 at 00:00):%" PRId64 "_ns:%zu(", a->end - a->begin,
            w->nodes);
    for (size_t n = 1; n <= w->nodes; n++)
        fprintf(w->out, "%s%zu", n > 1 ? "," : "", processes_on(w, n));
    fprintf(w->out, "):1:%zu(", a->active);
    for (size_t k = 0; k < a->active; k++)
        fprintf(w->out, "%s1:%" PRIu32, k ? "," : "", w->node[k]);
    fputs("),1\n", w->out);
    fprintf(w->out, "c:1:1:%zu", a->active);
    for (size_t k = 0; k < a->active; k++)
        fprintf(w->out, ":%zu", k + 1);
    fputc('\n', w->out);
}

/* Processor, application, task, thread: each process has a processor of its own here. */
static void put_where(const writer *w, uint32_t process)
{
    fprintf(w->out, "%" PRIu32 ":1:%" PRIu32 ":1", w->task[process], w->task[process]);
}

static void put_event(const writer *w, const row *r, int type, int64_t value)
{
    fputs("2:", w->out);
    put_where(w, r->process);
    fprintf(w->out, ":%" PRId64 ":%d:%" PRId64, r->time - w->a->begin, type, value);
}

static void put_call(const writer *w, const row *r)
{
    const obt_call *c = &w->a->calls[r->index];
    bool begins = r->kind == EVENT_BEGIN;
    put_event(w, r, ROUTINE, begins ? (int64_t)c->routine + 1 : 0);
    if (c->site >= 0)
        fprintf(w->out, ":%d:%d", PLACE, begins ? c->site + 1 : 0);
    fputc('\n', w->out);
}

static void put_row(const writer *w, const row *r)
{
    const obt_analysis *a = w->a;
    const obt_message *m = &a->messages[r->index];
    switch (r->kind) {
    case STATE:
        fputs("1:", w->out);
        put_where(w, r->process);
        fprintf(w->out, ":%" PRId64 ":%" PRId64 ":%d\n", a->spans[r->index].begin - a->begin,
                a->spans[r->index + 1].begin - a->begin, state_number(a->spans[r->index].state));
        break;
    case EVENT_BEGIN:
    case EVENT_END: put_call(w, r); break;
    case PART_BEGIN:
    case PART_END:
        put_event(w, r, PART, r->kind == PART_BEGIN ? (int64_t)a->parts[r->index].name + 1 : 0);
        fputc('\n', w->out);
        break;
    case MARKED:
        put_event(w, r, MARK, obt_get(a->trace, &a->trace->events[r->index], 0, 0));
        fputc('\n', w->out);
        break;
    case COMMUNICATION:
        fputs("3:", w->out);
        put_where(w, m->from);
        fprintf(w->out, ":%" PRId64 ":%" PRId64 ":", m->sent - a->begin, m->sent - a->begin);
        put_where(w, m->to);
        fprintf(w->out, ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64 "\n",
                m->received - m->blocked - a->begin, m->received - a->begin, m->bytes, m->type);
    }
}

/* --------------------------------------------------------- the files beside it */

static void put_values(FILE *out, int type, const char *what)
{
    fprintf(out, "\nEVENT_TYPE\n0    %d    %s\n", type, what);
    if (type != MARK)
        fputs("VALUES\n0      End\n", out);
}

static void put_meanings(const writer *w)
{
    const obt_trace *t = w->a->trace;
    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n",
          w->out);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        fprintf(w->out, "%d    %s\n", states[i].number, states[i].name);
    fputs("\nSTATES_COLOR\n", w->out);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        fprintf(w->out, "%d    %s\n", states[i].number, states[i].colour);
    put_values(w->out, ROUTINE, "Routine");
    for (size_t i = 0; i < t->routine_count; i++)
        fprintf(w->out, "%zu      %s\n", i + 1, t->routines[i].name);
    put_values(w->out, PLACE, "Called from");
    for (size_t i = 0; i < t->site_count; i++)
        fprintf(w->out, "%zu      %s\n", i + 1, t->sites[i]);
    put_values(w->out, PART, "Part of the program");
    for (size_t i = 0; i < t->routine_count; i++)
        fprintf(w->out, "%zu      %s\n", i + 1, t->routines[i].name);
    put_values(w->out, MARK, "Mark");
}

static void put_names(const writer *w)
{
    const obt_analysis *a = w->a;
    char name[32];
    const char *const levels[] = {"CPU", "NODE", "APPL", "TASK", "THREAD"};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        size_t count = l == 1 ? w->nodes : l == 2 ? 1 : a->active, seen = 0;
        fprintf(w->out, "LEVEL %s SIZE %zu\n", levels[l], count);
        for (size_t k = 0; k < a->active && seen < count; k++) {
            const char *host = a->trace->processes[a->order[k]].host;
            if (l == 1 && w->node[k] != seen + 1)
                continue;
            if (l == 1)
                fprintf(w->out, "%s\n", host && *host ? host : "node");
            else if (l == 2)
                fprintf(w->out, "%s\n", a->trace->program ? a->trace->program : "program");
            else
                fprintf(w->out, "%s\n", obt_process_name(a, a->order[k], name));
            seen++;
        }
        fputc('\n', w->out);
    }
}

/* The suffix of `path` is replaced. */
static void write_file(writer *w, const char *path, const char *suffix,
                       void (*put)(const writer *w))
{
    size_t length = strlen(path),
           stem = length > 4 && strcmp(path + length - 4, ".prv") == 0 ? length - 4 : length;
    char *name = obt_memory(stem + strlen(suffix) + 1, 1);
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, strlen(suffix));
    w->out = fopen(name, "wb");
    if (!w->out)
        obt_die("OB-9603 %s: cannot be written: %s", name, strerror(errno));
    put(w);
    bool bad = ferror(w->out) | (fclose(w->out) != 0);
    if (bad)
        obt_die("OB-9603 %s: cannot be written: %s", name, strerror(errno));
    free(name);
}

static void put_trace(const writer *w)
{
    put_head(w);
    for (size_t i = 0; i < w->count; i++)
        put_row(w, &w->rows[i]);
}

size_t obt_paraver_write(obt_trace *t, const char *path)
{
    obt_analysis *a = obt_analyse(t);
    writer w = {.a = a,
                .task = obt_memory(t->process_count, sizeof *w.task),
                .node = obt_memory(t->process_count, sizeof *w.node)};
    size_t left_out = 0;
    find_nodes(&w);
    collect(&w);
    write_file(&w, path, ".prv", put_trace);
    write_file(&w, path, ".pcf", put_meanings);
    write_file(&w, path, ".row", put_names);
    for (size_t i = 0; i < t->event_count; i++) {
        int kind = t->events[i].kind;
        left_out += kind == OBT_COMPSTATS || kind == OBT_COMMSTATS || kind == OBT_TRACE_MESSAGE;
    }
    free(w.rows);
    free(w.node);
    free(w.task);
    obt_analysis_free(a);
    return left_out;
}
