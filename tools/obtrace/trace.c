/*
 * Building a trace in memory, which is only ever
 * as large as the file it was read from lets it become.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#define PROBLEMS_SHOWN 20
#define PROBLEM_TEXT 2048 /* OBT_OTF2_TEXT, and words */

obt_trace *obt_trace_new(const char *path)
{
    obt_trace *t = obt_memory(1, sizeof *t);
    t->path = path;
    t->format = "";
    return t;
}

void obt_trace_free(obt_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->text_count; i++)
        free(t->texts[i]);
    for (size_t i = 0; i < t->group_count; i++)
        free(t->groups[i].members);
    free(t->texts);
    free(t->groups);
    free(t->routines);
    free(t->sites);
    free(t->matches);
    free(t->processes);
    obt_map_free(&t->process_map);
    obt_map_free(&t->routine_map);
    free(t->values);
    free(t->events);
    free(t);
}

/* ----------------------------------------------------------------- processes */

size_t obt_find_process(const obt_trace *t, int64_t id)
{
    return obt_map_find(&t->process_map, id);
}

uint32_t obt_process_index(obt_trace *t, int32_t id)
{
    size_t found = obt_map_take(&t->process_map, id, t->process_count);
    if (found < t->process_count)
        return (uint32_t)found;
    t->processes = obt_grow(t->processes, t->process_count, &t->process_room, sizeof *t->processes);
    t->processes[t->process_count] = (obt_process){.id = id};
    return (uint32_t)t->process_count++;
}

/* -------------------------------------------------------------------- events */

void obt_add(obt_trace *t, int64_t time, int32_t id, obt_kind kind, const int64_t *values,
             size_t count)
{
    uint32_t process = obt_process_index(t, id);
    t->processes[process].recorded = true;
    size_t first = t->value_count;
    for (size_t i = 0; i < count; i++) {
        t->values = obt_grow(t->values, t->value_count, &t->value_room, sizeof *t->values);
        t->values[t->value_count++] = values[i];
    }
    t->events = obt_grow(t->events, t->event_count, &t->event_room, sizeof *t->events);
    t->events[t->event_count++] = (obt_event){.time = time,
                                              .first = first,
                                              .process = process,
                                              .kind = (uint8_t)kind,
                                              .count = (uint8_t)count};
}

typedef struct key {
    int64_t time;
    int32_t id;
    size_t place;
} key;

static int earlier(const void *a, const void *b)
{
    const key *x = a, *y = b;
    int c = obt_compare(x->id, y->id);
    c = c ? c : obt_compare(x->time, y->time);
    return c ? c : obt_compare((int64_t)x->place, (int64_t)y->place);
}

uint32_t *obt_processes_in_order(const obt_trace *t)
{
    key *keys = obt_memory(t->process_count, sizeof *keys);
    uint32_t *order = obt_memory(t->process_count, sizeof *order);
    for (size_t i = 0; i < t->process_count; i++)
        keys[i] = (key){0, t->processes[i].id, i};
    qsort(keys, t->process_count, sizeof *keys, earlier);
    for (size_t i = 0; i < t->process_count; i++)
        order[i] = (uint32_t)keys[i].place;
    free(keys);
    return order;
}

/* By number, so that nothing depends on the order in which a file names them. */
static void sort_processes(obt_trace *t)
{
    uint32_t *order = obt_processes_in_order(t);
    uint32_t *place = obt_memory(t->process_count, sizeof *place);
    obt_process *processes = obt_memory(t->process_count, sizeof *processes);
    obt_map_free(&t->process_map);
    t->process_map = (obt_map){0};
    for (size_t i = 0; i < t->process_count; i++) {
        processes[i] = t->processes[order[i]];
        place[order[i]] = (uint32_t)i;
        obt_map_take(&t->process_map, processes[i].id, i);
    }
    for (size_t i = 0; i < t->event_count; i++)
        t->events[i].process = place[t->events[i].process];
    free(t->processes);
    t->processes = processes;
    t->process_room = t->process_count;
    free(place);
    free(order);
}

void obt_sort(obt_trace *t)
{
    bool sorted = true;
    sort_processes(t);
    key *keys = obt_memory(t->event_count, sizeof *keys);
    for (size_t i = 0; i < t->event_count; i++) {
        keys[i] = (key){t->events[i].time, t->processes[t->events[i].process].id, i};
        sorted = sorted && (i == 0 || earlier(&keys[i - 1], &keys[i]) < 0);
    }
    if (!sorted) {
        qsort(keys, t->event_count, sizeof *keys, earlier);
        obt_event *events = obt_memory(t->event_count, sizeof *events);
        for (size_t i = 0; i < t->event_count; i++)
            events[i] = t->events[keys[i].place];
        free(t->events);
        t->events = events;
        t->event_room = t->event_count;
    }
    free(keys);
}

obt_meeting *obt_find_meetings(const obt_trace *t)
{
    obt_meeting *m = NULL;
    size_t room = 0, count = 0, k = 0;
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        k = i && t->events[i - 1].process == e->process ? k : 0;
        if (e->kind != OBT_SYNC)
            continue;
        if (k == count) {
            m = obt_grow(m, count, &room, sizeof *m);
            m[count++] = (obt_meeting){e->time, e->process};
        } else if (m[k].time < e->time) {
            m[k] = (obt_meeting){e->time, e->process};
        }
        k++;
    }
    return m;
}

/* --------------------------------------------------------------------- texts */

/* Length of the valid UTF-8 sequence at text, 0 when there is none. */
static size_t sequence(const unsigned char *text, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (n == 1)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4 || n > left)
        return 0;
    uint32_t code = text[0] & (0xff >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

size_t obt_text(obt_trace *t, const char *text, size_t length)
{
    char *copy = obt_memory(length + 1, 1);
    const unsigned char *from = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        size_t n = sequence(from + i, length - i);
        /* C1 controls, two bytes, can drive a terminal as well. */
        bool control = n == 0 || (n == 1 && (from[i] < 32 || from[i] == 127)) ||
                       (n == 2 && from[i] == 0xc2 && from[i + 1] < 0xa0);
        n = n ? n : 1;
        for (size_t k = 0; k < n; k++)
            copy[i + k] = control ? '?' : text[i + k];
        i += n;
    }
    t->texts = obt_grow(t->texts, t->text_count, &t->text_room, sizeof *t->texts);
    t->texts[t->text_count] = copy;
    return t->text_count++;
}

const char *obt_keep(obt_trace *t, const char *text, size_t length)
{
    size_t kept = obt_text(t, text, length);
    return t->texts[kept];
}

static void name_routine(obt_trace *t, int64_t block, const char *name, bool given)
{
    if (obt_map_take(&t->routine_map, block, t->routine_count) < t->routine_count)
        return;
    size_t text = obt_text(t, name, strlen(name));
    t->routines = obt_grow(t->routines, t->routine_count, &t->routine_room, sizeof *t->routines);
    t->routines[t->routine_count++] = (obt_routine){block, t->texts[text], given};
}

void obt_name_routine(obt_trace *t, int64_t block, const char *name)
{
    name_routine(t, block, name, true);
}

const char *obt_routine_default(int64_t block)
{
    static const char *const picl[] = {"barrier0", "bcast0", "bcast1", "gcomb0"};
    static char name[32];
    if (block < 0 && block >= -4)
        return picl[-1 - block];
    snprintf(name, sizeof name, "block %lld", (long long)block);
    return name;
}

const char *obt_routine_name(obt_trace *t, int64_t block)
{
    size_t found = obt_map_find(&t->routine_map, block);
    if (found != OBT_NONE)
        return t->routines[found].name;
    name_routine(t, block, obt_routine_default(block), false);
    return t->routines[t->routine_count - 1].name;
}

void obt_problem(obt_trace *t, size_t line, const char *format, ...)
{
    char text[PROBLEM_TEXT];
    va_list list;
    if (t->problems++ >= PROBLEMS_SHOWN)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (line)
        fprintf(stderr, "obtrace: %s:%zu: %s [OB-8501]\n", t->path, line, text);
    else
        fprintf(stderr, "obtrace: %s: %s [OB-8501]\n", t->path, text);
    if (t->problems == PROBLEMS_SHOWN)
        fprintf(stderr, "obtrace: %s: more such lines are counted, not shown [OB-8501]\n", t->path);
}

const char *obt_kind_name(int kind)
{
    const ob_picl_record *r = ob_picl_record_of(kind);
    return r                        ? r->word
           : kind == OBT_WAIT_BEGIN ? "wait_begin"
           : kind == OBT_WAIT_END   ? "wait_end"
           : kind == OBT_RUNNING    ? "running"
           : kind == OBT_PART       ? "part"
           : kind == OBT_ASKED      ? "asked"
                                    : "";
}
