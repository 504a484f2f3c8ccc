/*
 * Turning what was recorded into chunks. Everything is done in place and in tables
 * made at the start, so that a signal handler can do it too: there nothing is
 * allocated and no names of functions are looked up, which takes the loader's lock.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooks/hash.h"
#include "trace/internal.h"

enum { NAMES = 1 << 14, SITES = 1 << 16, COUNTS = 1 << 18 };

/* How many messages of one kind there were; direction 0: free. */
typedef struct count {
    uint32_t group;
    int32_t peer, tag;
    uint32_t direction, messages;
} count;

struct ob_trace_tables {
    const char *name[NAMES]; /* by number, from 1 */
    uint32_t name_at[2 * NAMES];
    uint32_t names;
    const void *site[SITES];
    uint32_t site_at[2 * SITES];
    uint32_t sites;
    ob_trace_site known[SITES];
    ob_trace_origin origin[SITES];
    uint32_t origins; /* as many as sites, or none */
    count counts[COUNTS];
    ob_trace_row row[OB_TRACE_SUMS];
};

/* Pages that are never touched cost nothing. */
struct ob_trace_tables *ob_trace_tables_new(void)
{
    void *p = mmap(NULL, sizeof(struct ob_trace_tables), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t hash_text(const char *text)
{
    return ob_mix(ob_hash_bytes(OB_HASH, text, strlen(text)));
}

/* Number of a text, 0 for NULL and when there is no room. */
static uint32_t name_of(struct ob_trace_tables *t, const char *text)
{
    if (text == NULL)
        return 0;
    size_t at = hash_text(text) % (2 * NAMES);
    for (; t->name_at[at]; at = (at + 1) % (2 * NAMES))
        if (strcmp(t->name[t->name_at[at]], text) == 0)
            return t->name_at[at];
    if (t->names + 1 >= NAMES)
        return 0;
    t->name[++t->names] = text;
    return t->name_at[at] = t->names;
}

static uint32_t site_of(struct ob_trace_tables *t, const void *site)
{
    if (site == NULL)
        return 0;
    size_t at = ob_mix((uintptr_t)site) % (2 * SITES);
    for (; t->site_at[at]; at = (at + 1) % (2 * SITES))
        if (t->site[t->site_at[at]] == site)
            return t->site_at[at];
    if (t->sites + 1 >= SITES)
        return 0;
    t->site[++t->sites] = site;
    return t->site_at[at] = t->sites;
}

/* The next number of a message with these marks, 0 when the table is full. */
static uint32_t ordinal(struct ob_trace_tables *t, uint32_t group, int32_t peer, int32_t tag,
                        uint32_t direction)
{
    uint64_t key = ob_mix(((uint64_t)group << 32 | (uint32_t)peer) ^
                          ob_mix((uint64_t)(uint32_t)tag << 8 | direction));
    size_t at = key % COUNTS;
    for (int tries = 0; tries < 1000; tries++, at = (at + 1) % COUNTS) {
        count *c = &t->counts[at];
        if (c->direction == 0)
            *c = (count){group, peer, tag, direction, 0};
        if (c->group == group && c->peer == peer && c->tag == tag && c->direction == direction)
            return ++c->messages;
    }
    return 0;
}

/* ------------------------------------------------------------------- the events */

static void to_nanoseconds(ob_trace_event *e)
{
    const ob_clock_scale *line = &ob_trace.line;
    if (e->kind == OB_TRACE_RECV)
        e->value = (uint64_t)ob_clock_ns(line, (int64_t)e->value);
    e->begin = ob_clock_ns(line, e->begin);
    e->end = ob_clock_ns(line, e->end);
    e->packing = ob_clock_span(line, e->packing);
    if (e->kind != OB_TRACE_RUNNING) {
        e->blocked = ob_clock_span(line, e->blocked);
        return;
    }
    /* Of a reading these are the system's nanoseconds, read a little later than the clock. */
    uint64_t passed = (uint64_t)(e->end - e->begin);
    e->blocked = e->blocked < passed ? e->blocked : passed;
}

/* Records become events in the same memory; an event is smaller than its record. */
static size_t convert(struct ob_trace_tables *t)
{
    size_t all = atomic_load(&ob_trace.next), kept = 0;
    ob_trace_event *out = (ob_trace_event *)(void *)ob_trace.buffer;
    if (all > ob_trace.capacity)
        all = ob_trace.capacity;
    for (size_t i = 0; i < all; i++) {
        if (__atomic_load_n(&ob_trace.buffer[i].event.kind, __ATOMIC_ACQUIRE) == 0)
            continue; /* another thread is at it */
        ob_trace_record r = ob_trace.buffer[i];
        ob_trace_event e = r.event;
        to_nanoseconds(&e);
        e.routine = name_of(t, r.routine);
        e.site = site_of(t, r.site);
        if (e.kind == OB_TRACE_TEXT)
            e.value = name_of(t, ob_trace.text + (r.event.value - 1));
        memmove(&out[kept++], &e, sizeof e);
    }
    return kept;
}

/* Threads may take their places in another order than they end: nearly sorted. */
static void sort_by_end(ob_trace_event *e, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (e[i - 1].end <= e[i].end)
            continue;
        ob_trace_event moved = e[i];
        size_t j = i;
        for (; j > 0 && e[j - 1].end > moved.end; j--)
            e[j] = e[j - 1];
        e[j] = moved;
    }
}

static bool is_collective(int kind)
{
    return (kind >= OB_TRACE_BROADCAST && kind <= OB_TRACE_BARRIER) || kind == OB_TRACE_EXCHANGE;
}

/* Receives of one source and tag met their messages in the order of `value`. Where
 * requests ended in another order, the numbers are exchanged. */
static void put_in_order(ob_trace_event *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (e[i].kind != OB_TRACE_RECV || !(e[i].flags & OB_TRACE_REQUEST))
            continue;
        for (size_t j = i + 1; j < count && j < i + 4096; j++) {
            bool same = e[j].kind == OB_TRACE_RECV && e[j].group == e[i].group &&
                        e[j].peer == e[i].peer && e[j].tag == e[i].tag;
            if (same && e[j].value < e[i].value && e[j].ordinal > e[i].ordinal) {
                uint32_t low = e[i].ordinal;
                e[i].ordinal = e[j].ordinal;
                e[j].ordinal = low;
            }
        }
    }
}

static void number_messages(struct ob_trace_tables *t, ob_trace_event *e, size_t count)
{
    bool requests = false;
    for (size_t i = 0; i < count; i++) {
        bool message = e[i].kind == OB_TRACE_SEND || e[i].kind == OB_TRACE_RECV;
        if (e[i].flags & OB_TRACE_FAILED || e[i].group == 0)
            continue;
        if (message)
            e[i].ordinal = ordinal(t, e[i].group, e[i].peer, e[i].tag, e[i].kind);
        else if (is_collective(e[i].kind) && !(e[i].flags & OB_TRACE_INSIDE))
            e[i].ordinal = ordinal(t, e[i].group, -1, 0, OB_TRACE_BROADCAST);
        requests = requests || (e[i].kind == OB_TRACE_RECV && e[i].flags & OB_TRACE_REQUEST);
    }
    if (requests)
        put_in_order(e, count);
}

/* --------------------------------------------------------------------- the chunks */

int ob_trace_put(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        ssize_t n = write(fd, at, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return OB_ESYSTEM;
        at += n;
        count -= (size_t)n;
    }
    return OB_OK;
}

static int put_head(int fd, uint32_t kind, int number, size_t count, size_t bytes)
{
    const ob_trace_chunk c = {.magic = OB_TRACE_CHUNK_MAGIC,
                              .kind = kind,
                              .process = number,
                              .count = (uint32_t)count,
                              .bytes = (bytes + 7) / 8 * 8};
    return ob_trace_put(fd, &c, sizeof c);
}

static int pad(int fd, size_t bytes)
{
    static const char zero[8];
    return ob_trace_put(fd, zero, (8 - bytes % 8) % 8);
}

static int put_chunk(int fd, uint32_t kind, int number, size_t count, const void *data,
                     size_t bytes)
{
    int status = count ? put_head(fd, kind, number, count, bytes) : OB_OK;
    if (status == OB_OK && count)
        status = ob_trace_put(fd, data, bytes);
    return status == OB_OK && count ? pad(fd, bytes) : status;
}

static int put_names(int fd, const struct ob_trace_tables *t, int number)
{
    size_t bytes = 0;
    int status;
    for (uint32_t i = 1; i <= t->names; i++)
        bytes += strlen(t->name[i]) + 1;
    if (t->names == 0)
        return OB_OK;
    status = put_head(fd, OB_TRACE_NAMES, number, t->names, bytes);
    for (uint32_t i = 1; i <= t->names && status == OB_OK; i++)
        status = ob_trace_put(fd, t->name[i], strlen(t->name[i]) + 1);
    return status == OB_OK ? pad(fd, bytes) : status;
}

/* Oldest first, which is the order of their numbers. */
static int put_groups(int fd, int number)
{
    static const ob_trace_members *order[4096];
    size_t bytes = 0, count = 0;
    for (const ob_trace_members *g = ob_trace.groups; g; g = g->older, count++)
        bytes += sizeof g->head + ((size_t)g->head.size * 4 + 7) / 8 * 8;
    if (count == 0)
        return OB_OK;
    int status = put_head(fd, OB_TRACE_GROUPS, number, count, bytes);
    /* The list is walked backwards, a window at a time. */
    for (size_t done = 0; done < count && status == OB_OK;) {
        size_t window = count - done < 4096 ? count - done : 4096, skip = count - done - window;
        const ob_trace_members *g = ob_trace.groups;
        for (; skip; skip--)
            g = g->older;
        for (size_t i = window; i-- > 0; g = g->older)
            order[i] = g;
        for (size_t i = 0; i < window && status == OB_OK; i++)
            status =
                ob_trace_put(fd, &order[i]->head,
                             sizeof order[i]->head + ((size_t)order[i]->head.size * 4 + 7) / 8 * 8);
        done += window;
    }
    return status;
}

/* Where in the program a call came from. */
static void describe_sites(struct ob_trace_tables *t, bool careful)
{
    for (uint32_t i = 1; i <= t->sites; i++) {
        ob_trace_described d;
        ob_trace_describe(t->site[i], careful, &d);
        t->known[i - 1] = (ob_trace_site){.address = (uintptr_t)d.site.address,
                                          .offset = d.site.offset,
                                          .object = name_of(t, d.site.object),
                                          .function = name_of(t, d.site.function)};
        t->origin[i - 1] = (ob_trace_origin){.address = (uintptr_t)d.caller.address,
                                             .offset = d.caller.offset,
                                             .routine = name_of(t, d.routine),
                                             .caller = name_of(t, d.caller.function),
                                             .object = name_of(t, d.caller.object),
                                             .direct = d.direct};
        if (d.routine || d.caller.object)
            t->origins = t->sites;
    }
}

static size_t fill_rows(struct ob_trace_tables *t)
{
    size_t rows = 0;
    if (ob_trace.sums)
        ob_trace_add_ways();
    for (int i = 0; ob_trace.sums && i < OB_TRACE_SUMS; i++) {
        ob_trace_sum *s = &ob_trace.sums[i];
        const char *routine = atomic_load_explicit(&s->routine, memory_order_acquire);
        uint64_t least = atomic_load(&s->least);
        if (routine == NULL)
            continue;
        t->row[rows++] =
            (ob_trace_row){.routine = name_of(t, routine),
                           .site = site_of(t, atomic_load(&s->site)),
                           .calls = atomic_load(&s->calls),
                           .messages = atomic_load(&s->messages),
                           .bytes = atomic_load(&s->bytes),
                           .least = least ? ~least : 0,
                           .most = atomic_load(&s->most),
                           .time = ob_clock_span(&ob_trace.line, atomic_load(&s->time)),
                           .blocked = ob_clock_span(&ob_trace.line, atomic_load(&s->blocked)),
                           .packing = ob_clock_span(&ob_trace.line, atomic_load(&s->packing)),
                           .longest = ob_clock_span(&ob_trace.line, atomic_load(&s->longest))};
    }
    return rows;
}

static int put_events(int fd, int number, const ob_trace_event *e, size_t count)
{
    enum { MOST = 1 << 16 };
    int status = OB_OK;
    for (size_t i = 0; i < count && status == OB_OK; i += MOST) {
        size_t n = count - i < MOST ? count - i : MOST;
        status = put_chunk(fd, OB_TRACE_EVENTS, number, n, e + i, n * sizeof *e);
    }
    return status;
}

/* Waiting for the file is no part of the run. Other threads may record meanwhile. */
static ob_trace_process describe_self(const ob_trace_event *e, size_t count)
{
    ob_trace_process p = ob_trace.self;
    size_t taken = atomic_load(&ob_trace.next);
    p.started = ob_clock_ns(&ob_trace.line, p.started);
    p.ended = ob_clock_ns(&ob_trace.line, ob_trace.left);
    if (count && e[count - 1].end > p.ended)
        p.ended = e[count - 1].end;
    p.dropped = (taken > ob_trace.capacity && ob_trace.capacity ? taken - ob_trace.capacity : 0) +
                atomic_load(&ob_trace.lost_text);
    p.level = (uint32_t)ob_trace.level;
#ifndef OPENBLACS_SIMGRID /* it is no time of the simulated processor; 0 is not known */
    p.cpu = (uint64_t)((ob_cpu_time() - ob_trace.cpu_started) * 1e9);
#endif
    return p;
}

int ob_trace_write_chunks(int fd, int number, bool careful)
{
    struct ob_trace_tables *t = ob_trace.tables;
    ob_trace_event *events = (ob_trace_event *)(void *)ob_trace.buffer;
    ob_clock_stop(&ob_trace.line);
    size_t count = ob_trace.buffer ? convert(t) : 0;
    size_t rows = fill_rows(t);
    sort_by_end(events, count);
    const ob_trace_process self = describe_self(events, count);
    number_messages(t, events, count);
    describe_sites(t, careful);
    int status = put_chunk(fd, OB_TRACE_PROCESS, number, 1, &self, sizeof self);
    if (status == OB_OK)
        status =
            put_chunk(fd, OB_TRACE_PLACES, number, 1, &ob_trace.places, sizeof ob_trace.places);
    if (status == OB_OK)
        status = put_names(fd, t, number);
    if (status == OB_OK)
        status = put_chunk(fd, OB_TRACE_SITES, number, t->sites, t->known,
                           t->sites * sizeof t->known[0]);
    if (status == OB_OK)
        status = put_chunk(fd, OB_TRACE_ORIGINS, number, t->origins, t->origin,
                           t->origins * sizeof t->origin[0]);
    if (status == OB_OK)
        status = put_groups(fd, number);
    if (status == OB_OK)
        status = put_events(fd, number, events, count);
    unsigned syncs = atomic_load(&ob_trace.sync_count);
    syncs = syncs < OB_TRACE_SYNCS ? syncs : OB_TRACE_SYNCS;
    if (status == OB_OK)
        status = put_chunk(fd, OB_TRACE_SYNC, number, syncs, ob_trace.sync,
                           syncs * sizeof ob_trace.sync[0]);
    return status == OB_OK
               ? put_chunk(fd, OB_TRACE_STATS, number, rows, t->row, rows * sizeof t->row[0])
               : status;
}
