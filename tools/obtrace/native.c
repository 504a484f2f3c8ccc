/*
 * Reading the library's own trace file (openblacs/trace.h). Its events are spans;
 * each becomes the records PICL would have written, and those that PICL lacks.
 * Chunks stand alone: a damaged one costs its own events, a cut file its last.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "hooks/hash.h"
#include "native.h"

typedef struct reader {
    obt_trace *trace;
    const char *bytes;
    size_t length;
    bool aligned;          /* by the library, which did so in version 1 */
    uint32_t signalled;    /* processes that a signal ended */
    obt_reading *readings; /* of clocks, of all processes */
    size_t reading_count, reading_room;
    obt_map name_map, site_map, group_map; /* from hashes to what the trace has */
    /* Of the process whose chunks are being read; numbered from 1. */
    int32_t process;
    obt_numbers names, sites;
    size_t *groups, group_count, group_room;
    ob_trace_event *events;
    size_t event_count, event_room;
} reader;

#define FIRST_BLOCK 1000 /* of the block types made up for routines */

static const char *text_of(const reader *r, uint32_t number)
{
    return obt_native_text(r->trace, &r->names, number);
}

/* A block type for a routine's name: the same for all processes. */
static int64_t block_named(reader *r, const char *name)
{
    uint64_t h = ob_hash_bytes(OB_HASH, name, strlen(name));
    int64_t block =
        FIRST_BLOCK + (int64_t)obt_map_take(&r->name_map, (int64_t)h, r->name_map.count);
    obt_name_routine(r->trace, block, name); /* once */
    return block;
}

static const char *name_of(const reader *r, uint32_t number, int kind)
{
    const char *name = text_of(r, number);
    return name[0] ? name : obt_native_kind_name(kind);
}

/* -------------------------------------------------------------------- chunks */

static size_t group_index(reader *r, const ob_trace_group_head *g, const char *members)
{
    obt_trace *t = r->trace;
    size_t bytes = (size_t)g->size * 4;
    uint64_t h = ob_hash_word(ob_hash_bytes(OB_HASH, members, bytes), g->stream);
    h = ob_mix(ob_hash_word(h, g->context));
    size_t found = obt_map_take(&r->group_map, (int64_t)h, t->group_count);
    if (found < t->group_count)
        return found;
    t->groups = obt_grow(t->groups, t->group_count, &t->group_room, sizeof *t->groups);
    int32_t *copy = obt_memory((size_t)g->size, sizeof *copy);
    memcpy(copy, members, bytes);
    t->groups[t->group_count] = (obt_group){.context = (int64_t)g->context,
                                            .part = (int)(g->stream & 255),
                                            .member_count = (size_t)g->size,
                                            .members = copy};
    return t->group_count++;
}

static void read_groups(reader *r, const ob_trace_chunk *c, const char *p, size_t bytes)
{
    size_t at = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        ob_trace_group_head g;
        if (bytes - at < sizeof g)
            return;
        memcpy(&g, p + at, sizeof g);
        at += sizeof g;
        size_t need = g.size < 0 ? SIZE_MAX : ((size_t)g.size * 4 + 7) / 8 * 8;
        if (need > bytes - at) {
            obt_problem(r->trace, 0, "group %u of process %d is damaged", i + 1, r->process);
            return;
        }
        r->groups = obt_grow(r->groups, r->group_count, &r->group_room, sizeof *r->groups);
        r->groups[r->group_count++] = group_index(r, &g, p + at);
        at += need;
    }
}

static void read_process(reader *r, const char *p, size_t bytes)
{
    ob_trace_process q;
    if (bytes < sizeof q)
        return;
    memcpy(&q, p, sizeof q);
    obt_trace *t = r->trace;
    uint32_t index = obt_process_index(t, r->process);
    obt_process *to = &t->processes[index];
    if (q.started < -OBT_LATEST || q.ended > OBT_LATEST || q.ended < q.started)
        q.started = q.ended = 0;
    /* Programs can follow each other in one place. */
    to->began = to->recorded && to->began < q.started ? to->began : q.started;
    to->ended = to->recorded && to->ended > q.ended ? to->ended : q.ended;
    to->lost +=
        q.dropped > (uint64_t)(INT64_MAX - to->lost) ? INT64_MAX - to->lost : (int64_t)q.dropped;
    to->processor += q.cpu > (uint64_t)(OBT_LATEST - to->processor) ? OBT_LATEST - to->processor
                                                                    : (int64_t)q.cpu;
    to->recorded = true;
    to->machine = q.node;
    to->born = to->began == q.started ? q.born : to->born;
    to->node = r->aligned || q.offset_error ? 0 : q.node;
    r->signalled += q.signal != 0;
    to->host = obt_keep(t, q.host, strnlen(q.host, sizeof q.host));
    if (!t->program)
        t->program = obt_keep(t, q.program, strnlen(q.program, sizeof q.program));
}

static void read_places(reader *r, const char *p, size_t bytes)
{
    ob_trace_places q;
    if (bytes < sizeof q)
        return;
    memcpy(&q, p, sizeof q);
    uint32_t index = obt_process_index(r->trace, r->process); /* the array may move */
    obt_process *to = &r->trace->processes[index];
    to->quota = q.quota;
    memcpy(to->allowed, q.allowed, sizeof to->allowed);
}

static void read_events(reader *r, const ob_trace_chunk *c, const char *p, size_t bytes)
{
    for (uint32_t i = 0; i < c->count && (i + 1) * sizeof(ob_trace_event) <= bytes; i++) {
        ob_trace_event e;
        memcpy(&e, p + i * sizeof e, sizeof e);
        if (e.end < e.begin || e.begin < -OBT_LATEST || e.end > OBT_LATEST) {
            obt_problem(r->trace, 0, "event %u of a chunk of process %d ends before it begins",
                        i + 1, r->process);
            continue;
        }
        r->events = obt_grow(r->events, r->event_count, &r->event_room, sizeof *r->events);
        r->events[r->event_count++] = e;
    }
}

static void read_syncs(reader *r, const ob_trace_chunk *c, const char *p, size_t bytes)
{
    for (uint32_t i = 0; i < c->count && (i + 1) * sizeof(ob_trace_sync) <= bytes; i++) {
        obt_reading one = {.process = c->process};
        memcpy(&one.sync, p + i * sizeof one.sync, sizeof one.sync);
        r->readings = obt_grow(r->readings, r->reading_count, &r->reading_room, sizeof one);
        r->readings[r->reading_count++] = one;
    }
}

/* ------------------------------------------------- from spans to records */

typedef struct open_span {
    int64_t end;
    int64_t values[OBT_VALUES];
    size_t count;
} open_span;

static void emit(reader *r, int64_t time, obt_kind kind, const int64_t *values, size_t count)
{
    obt_add(r->trace, time, r->process, kind, values, count);
}

/* Index of its group, or -1. */
static int64_t group_of(const reader *r, const ob_trace_event *e)
{
    return e->group && e->group <= r->group_count ? (int64_t)r->groups[e->group - 1] : -1;
}

static int64_t context_of(const reader *r, const ob_trace_event *e)
{
    int64_t group = group_of(r, e);
    return group < 0 ? 0 : obt_context(&r->trace->groups[group]);
}

static int64_t length_of(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static int64_t blocked_of(const ob_trace_event *e)
{
    uint64_t span = (uint64_t)(e->end - e->begin);
    return (int64_t)(e->blocked < span ? e->blocked : span);
}

static void emit_message(reader *r, const ob_trace_event *e)
{
    int64_t blocked = blocked_of(e);
    int64_t v[OBT_VALUES] = {e->peer,          e->tag, length_of(e->bytes), (int64_t)e->ordinal - 1,
                             context_of(r, e), blocked};
    if (e->peer < 0 || e->flags & OB_TRACE_FAILED)
        return;
    if (e->kind == OB_TRACE_SEND) {
        int64_t awaited = e->peer;
        emit(r, e->begin, OBT_SEND, v, 5);
        if (blocked) {
            emit(r, e->begin, OBT_WAIT_BEGIN, &awaited, 1);
            emit(r, e->begin + blocked, OBT_WAIT_END, &awaited, 1);
        }
    } else if (blocked) {
        int64_t sought[2] = {e->tag, e->peer};
        emit(r, e->begin, OBT_RECV_BLOCKING, sought, 2);
        emit(r, e->end, OBT_RECV_WAKING, v, 6);
    } else {
        emit(r, e->end, OBT_RECV, v, 5);
    }
}

/* The kinds that stand for one of PICL's records. */
static bool emit_picl(reader *r, const ob_trace_event *e)
{
    int64_t value = length_of(e->value), v[OBT_VALUES] = {0};
    int64_t levels[3] = {value / 10000, value / 100 % 100, value % 100};
    switch (e->kind) {
    /* clang-format off */
    case OB_TRACE_MARK: v[0] = e->tag; emit(r, e->begin, OBT_TRACE_MARK, v, 1); return true;
    case OB_TRACE_TEXT:
        v[0] = value > 0 && (size_t)value <= r->names.count ? (int64_t)r->names.at[value - 1]
                                                           : (int64_t)obt_text(r->trace, "", 0);
        emit(r, e->begin, OBT_TRACE_MESSAGE, v, 1);
        return true;
    case OB_TRACE_LEVEL: emit(r, e->begin, OBT_TRACE_LEVEL, levels, 3); return true;
    case OB_TRACE_START: emit(r, e->begin, OBT_TRACE_START, levels, 3); return true;
    case OB_TRACE_STOP: emit(r, e->begin, OBT_TRACE_STOP, v, 0); return true;
    case OB_TRACE_FLUSH: v[0] = e->end; emit(r, e->begin, OBT_TRACE_FLUSH, v, 1); return true;
    case OB_TRACE_EXIT: v[0] = value; emit(r, e->begin, OBT_TRACE_EXIT, v, 1); return true;
    case OB_TRACE_OPEN: v[0] = value; emit(r, e->begin, OBT_OPEN, v, value != 0); return true;
    case OB_TRACE_LOAD: v[0] = e->peer; emit(r, e->begin, OBT_LOAD, v, 1); return true;
    case OB_TRACE_MESSAGE: emit(r, e->begin, OBT_MESSAGE, v, 0); return true;
    case OB_TRACE_SYNCHRONIZE: emit(r, e->begin, OBT_SYNC, v, 0); return true;
    case OB_TRACE_CLOSE: emit(r, e->begin, OBT_CLOSE, v, 0); return true;
    /* clang-format on */
    case OB_TRACE_BLOCK_BEGIN:
    case OB_TRACE_BLOCK_END:
        v[0] = e->tag;
        v[1] = (int32_t)e->ordinal;
        v[2] = e->peer;
        emit(r, e->begin, e->kind == OB_TRACE_BLOCK_BEGIN ? OBT_BLOCK_BEGIN : OBT_BLOCK_END, v, 3);
        return true;
    case OB_TRACE_COMPSTATS:
        v[0] = length_of(e->packing);
        v[1] = length_of(e->blocked);
        emit(r, e->begin, OBT_COMPSTATS, v, 2);
        return true;
    case OB_TRACE_COMMSTATS:
        v[0] = e->ordinal;
        v[1] = length_of(e->bytes);
        v[2] = e->group;
        v[3] = value;
        v[4] = length_of(e->blocked);
        emit(r, e->begin, OBT_COMMSTATS, v, 5);
        return true;
    case OB_TRACE_PART:
        v[OBT_BLOCK] = block_named(r, name_of(r, e->routine, e->kind));
        v[OBT_LASTED] = e->end - e->begin;
        emit(r, e->end, OBT_PART, v, 2);
        return true;
    case OB_TRACE_ASKED:
        v[OBT_BLOCK] = block_named(r, name_of(r, e->routine, e->kind));
        v[OBT_LOCATION] = obt_native_site(&r->sites, e->site);
        v[OBT_WHOM] = e->peer;
        v[OBT_AMOUNT] = length_of(e->bytes);
        v[OBT_TIMES] = value;
        v[OBT_WITHIN] = group_of(r, e);
        emit(r, e->end, OBT_ASKED, v, 6);
        return true;
    case OB_TRACE_RUNNING:
        v[OBT_PASSED] = e->end - e->begin;
        v[OBT_USED] = length_of(e->value);
        v[OBT_SLEPT] = e->ordinal;
        v[OBT_TAKEN] = length_of(e->bytes);
        v[OBT_DELAYED] = length_of(e->blocked);
        emit(r, e->end, OBT_RUNNING, v, e->tag == 1 ? 5 : 4);
        return true;
    default: return false;
    }
}

typedef struct span {
    const ob_trace_event *e;
    const ob_trace_event *begun; /* the collective operation that it begins or waits for */
    size_t index;
    int64_t inner;
} span;

static int64_t topology_of(const span *p)
{
    if (p->begun)
        return p->begun == p->e ? OBT_COURSE_BEGINS(p->e->tag) : OBT_COURSE_ENDS(p->e->tag);
    return p->e->kind == OB_TRACE_EXCHANGE ? OBT_SUPERSTEP : p->e->topology;
}

static int64_t block_of_span(reader *r, const span *p)
{
    char text[128];
    const ob_trace_event *about = p->begun ? p->begun : p->e;
    const char *name = name_of(r, about->routine, about->kind);
    if (p->begun)
        name = obt_native_course_name(name, about->kind, p->begun != p->e, text, sizeof text);
    return block_named(r, name);
}

static open_span emit_begin(reader *r, const span *p)
{
    const ob_trace_event *e = p->e, *about = p->begun ? p->begun : e;
    open_span s = {.end = e->end, .count = 4};
    bool ends = about != e;
    bool collective = (about->kind >= OB_TRACE_BROADCAST && about->kind <= OB_TRACE_BARRIER) ||
                      about->kind == OB_TRACE_EXCHANGE || about->kind == OB_TRACE_PASSED;
    bool meeting = e->kind == OB_TRACE_GROUP && blocked_of(e) > 0;
    int64_t blocked = ends ? e->end - e->begin : blocked_of(e) - p->inner, awaited = -1;
    int64_t v[OBT_VALUES] = {block_of_span(r, p),
                             obt_native_site(&r->sites, e->site),
                             about->peer,
                             group_of(r, e),
                             e->scope,
                             topology_of(p),
                             ends ? 0 : length_of(e->bytes),
                             meeting      ? OBT_MEETING
                             : collective ? (int64_t)about->ordinal - 1
                                          : -1};
    emit(r, e->begin, OBT_BLOCK_BEGIN, v, OBT_VALUES);
    if ((collective || meeting) && blocked > 0) {
        emit(r, e->begin, OBT_WAIT_BEGIN, &awaited, 1);
        emit(r, e->begin + blocked, OBT_WAIT_END, &awaited, 1);
    }
    memcpy(s.values, v, 3 * sizeof *v);
    s.values[OBT_PACKING] = length_of(e->packing);
    return s;
}

/* By thread, then outer before inner: an outer event stands behind its parts. */
static int outer_first(const void *a, const void *b)
{
    const span *x = a, *y = b;
    int c = obt_compare(x->e->thread, y->e->thread);
    c = c ? c : obt_compare(x->e->begin, y->e->begin);
    c = c ? c : obt_compare(y->e->end, x->e->end);
    return c ? c : obt_compare((int64_t)y->index, (int64_t)x->index);
}

/* Adds up what the parts of each operation waited; parts come before it in the file. */
static void add_inner(const reader *r, span *spans)
{
    int64_t sums[16] = {0};
    for (size_t i = 0; i < r->event_count; i++) {
        const ob_trace_event *e = &r->events[i];
        int64_t *sum = &sums[e->thread % 16];
        spans[i] = (span){.e = e, .index = i};
        if (e->kind >= OB_TRACE_MARK)
            continue;
        if (e->flags & OB_TRACE_INSIDE) {
            bool counts =
                e->kind == OB_TRACE_SEND || e->kind == OB_TRACE_RECV || e->kind == OB_TRACE_WAIT;
            *sum += counts && *sum < INT64_MAX / 4 ? blocked_of(e) : 0;
        } else {
            spans[i].inner = *sum;
            *sum = 0;
        }
    }
}

static void find_courses(reader *r, span *spans)
{
    const ob_trace_event **begun = obt_native_courses(r->events, r->event_count);
    for (size_t i = 0; i < r->event_count; i++) {
        const ob_trace_event *e = &r->events[i];
        spans[i].begun = begun[i] ? begun[i] : obt_native_begins(e) ? e : NULL;
        r->trace->untold += obt_native_begins_untold(e, text_of(r, e->routine));
    }
    free(begun);
}

static void emit_span(reader *r, const span *p, open_span **open, size_t *depth, size_t *room)
{
    const ob_trace_event *e = p->e;
    if (e->kind == OB_TRACE_WAIT && !p->begun) {
        int64_t awaited = e->peer;
        emit(r, e->begin, OBT_WAIT_BEGIN, &awaited, 1);
        emit(r, e->end, OBT_WAIT_END, &awaited, 1);
        return;
    }
    if (e->kind < OB_TRACE_SEND || e->kind > OB_TRACE_PASSED)
        return;
    if (!(e->flags & OB_TRACE_INSIDE)) {
        *open = obt_grow(*open, *depth, room, sizeof **open);
        (*open)[(*depth)++] = emit_begin(r, p);
    }
    if (e->kind == OB_TRACE_SEND || e->kind == OB_TRACE_RECV)
        emit_message(r, e);
}

static void flush(reader *r)
{
    span *spans = obt_memory(r->event_count, sizeof *spans);
    open_span *open = NULL;
    size_t depth = 0, room = 0;
    add_inner(r, spans);
    find_courses(r, spans);
    qsort(spans, r->event_count, sizeof *spans, outer_first);
    for (size_t i = 0; i <= r->event_count; i++) {
        bool last = i == r->event_count || (i && spans[i].e->thread != spans[i - 1].e->thread);
        while (depth && (last || open[depth - 1].end <= spans[i].e->begin)) {
            open_span *s = &open[--depth];
            emit(r, s->end, OBT_BLOCK_END, s->values, s->count);
        }
        if (i < r->event_count && !emit_picl(r, spans[i].e))
            emit_span(r, &spans[i], &open, &depth, &room);
    }
    free(open);
    free(spans);
    r->event_count = r->names.count = r->sites.count = r->group_count = 0;
}

/* ---------------------------------------------------------------- the file */

static void read_chunk(reader *r, const ob_trace_chunk *c, const char *p, size_t bytes)
{
    if (c->kind == OB_TRACE_JOINED || c->kind == OB_TRACE_STATS)
        return;
    if (c->kind == OB_TRACE_SYNC) {
        read_syncs(r, c, p, bytes);
        return;
    }
    if (c->kind == OB_TRACE_PROCESS || c->process != r->process) {
        flush(r);
        r->process = c->process;
    }
    switch (c->kind) {
    case OB_TRACE_PROCESS: read_process(r, p, bytes); break;
    case OB_TRACE_PLACES: read_places(r, p, bytes); break;
    case OB_TRACE_NAMES: obt_native_names(r->trace, &r->names, c, p, bytes); break;
    case OB_TRACE_SITES:
        obt_native_sites(r->trace, &r->site_map, &r->names, &r->sites, c, p, bytes);
        break;
    case OB_TRACE_ORIGINS:
        obt_native_origins(r->trace, &r->site_map, &r->names, &r->sites, c, p, bytes);
        break;
    case OB_TRACE_GROUPS: read_groups(r, c, p, bytes); break;
    case OB_TRACE_EVENTS: read_events(r, c, p, bytes); break;
    default: break;
    }
}

/* The next place, at or behind at, where a chunk can begin. */
static size_t find_chunk(const reader *r, size_t at)
{
    for (at = (at + 7) / 8 * 8; at + sizeof(ob_trace_chunk) <= r->length; at += 8) {
        uint32_t magic;
        memcpy(&magic, r->bytes + at, sizeof magic);
        if (magic == OB_TRACE_CHUNK_MAGIC)
            return at;
    }
    return r->length;
}

static void read_chunks(reader *r, size_t at)
{
    while (at < r->length) {
        ob_trace_chunk c = {0};
        size_t left = r->length - at;
        if (left >= sizeof c)
            memcpy(&c, r->bytes + at, sizeof c);
        if (c.magic != OB_TRACE_CHUNK_MAGIC || (c.process < 0 && c.process != OBT_HOST)) {
            obt_problem(r->trace, 0, "at byte %zu: %s", at,
                        left < sizeof c ? "the file ends within a chunk's head"
                                        : "a chunk should begin here; searching for the next one");
            at = left < sizeof c ? r->length : find_chunk(r, at + 1);
            continue;
        }
        left -= sizeof c;
        if (c.bytes > left)
            obt_problem(r->trace, 0,
                        "at byte %zu: a chunk of %llu bytes, but the file ends "
                        "%zu bytes later",
                        at, (unsigned long long)c.bytes, left);
        else
            left = (size_t)c.bytes;
        read_chunk(r, &c, r->bytes + at + sizeof c, left);
        at += sizeof c + left;
        at = (at + 7) / 8 * 8;
    }
    flush(r);
}

static bool good_header(reader *r, ob_trace_header *h)
{
    if (r->length < sizeof *h) {
        obt_problem(r->trace, 0, "the file ends within its header");
        return false;
    }
    memcpy(h, r->bytes, sizeof *h);
    bool known = h->version == 1 || h->version == OB_TRACE_VERSION;
    if (h->order != OB_TRACE_ORDER || !known || h->event_bytes != sizeof(ob_trace_event)) {
        obt_problem(r->trace, 0,
                    h->order != OB_TRACE_ORDER
                        ? "its byte order is none that this program knows"
                        : "version %u of the format with events of %u bytes; this program knows "
                          "version %u with %zu",
                    h->version, h->event_bytes, OB_TRACE_VERSION, sizeof(ob_trace_event));
        return false;
    }
    r->aligned = h->version == 1 && h->flags & OB_TRACE_FINISHED;
    return true;
}

/* Of a run that somebody or something has ended. */
static void say_unfinished(const reader *r, const ob_trace_header *h)
{
    char signalled[48] = "";
    if (h->flags & OB_TRACE_FINISHED && h->written >= h->joined && !r->signalled)
        return;
    if (r->signalled)
        snprintf(signalled, sizeof signalled, ", and a signal ended %u of these", r->signalled);
    snprintf(r->trace->unfinished, sizeof r->trace->unfinished,
             "the run was not finished: %u of %u processes have written%s", h->written, h->joined,
             signalled);
}

/* Times count from the earliest one. */
static void start_at_zero(obt_trace *t)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < t->event_count; i++)
        least = t->events[i].time < least ? t->events[i].time : least;
    for (size_t i = 0; i < t->process_count; i++)
        if (t->processes[i].began && t->processes[i].began < least)
            least = t->processes[i].began;
    for (size_t i = 0; i < t->event_count; i++) {
        obt_event *e = &t->events[i];
        e->time -= least;
        if (e->kind == OBT_TRACE_FLUSH)
            t->values[e->first] -= least;
    }
    for (size_t i = 0; i < t->process_count; i++) {
        obt_process *p = &t->processes[i];
        bool known = p->began && p->ended >= p->began;
        p->began = known ? p->began - least : 0;
        p->ended = known ? p->ended - least : 0;
    }
}

static void read_file(obt_trace *t, const char *text, size_t length)
{
    reader r = {.trace = t, .bytes = text, .length = length, .process = INT32_MIN};
    ob_trace_header h;
    t->format = "OpenBLACS";
    if (good_header(&r, &h)) {
        read_chunks(&r, sizeof h);
        say_unfinished(&r, &h);
    }
    obt_align(t, r.readings, r.reading_count);
    start_at_zero(t);
    obt_order(t);
    obt_label_groups(t);
    obt_map_free(&r.name_map);
    obt_map_free(&r.site_map);
    obt_map_free(&r.group_map);
    free(r.readings);
    free(r.names.at);
    free(r.sites.at);
    free(r.groups);
    free(r.events);
}

void obt_native_read(obt_trace *t, const char *text, size_t length)
{
    if (!obt_native_other_order(text, length)) {
        read_file(t, text, length);
        return;
    }
    char *turned = obt_memory(length, 1);
    memcpy(turned, text, length);
    obt_native_turn(turned, length);
    read_file(t, turned, length);
    free(turned);
}

bool obt_native_likely(const char *text, size_t length)
{
    return length >= 8 && memcmp(text, OB_TRACE_MAGIC, 8) == 0;
}
