/*
 * Reads a trace file and checks everything that must hold in it, then prints what
 * tests compare: a line for each fact. Status 1 and a line "wrong: ..." for what does not hold.
 *
 *   trace_examine FILE
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openblacs/trace.h>

enum { PROCESSES = 1024, NAMES = 1 << 14, GROUPS = 1 << 14 };

typedef struct process {
    ob_trace_process self;
    int joined, written;
    uint32_t names, sites, groups, syncs;
    const char *name[NAMES];
    const ob_trace_site *site;
    const ob_trace_origin *origin; /* as many as sites; NULL: there are none */
    const ob_trace_group_head *group[GROUPS];
    ob_trace_event *event;
    size_t events;
} process;

typedef struct end {
    uint64_t context;
    uint32_t stream, ordinal;
    int source, dest, tag;
    const ob_trace_event *event;
    int thread;
} end;

static process *all[PROCESSES];
static int wrongs;

static void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("wrong: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    if (++wrongs > 20)
        exit(1);
}

static process *process_of(int number)
{
    if (number < 0 || number >= PROCESSES) {
        wrong("process %d", number);
        exit(1);
    }
    if (all[number] == NULL)
        all[number] = calloc(1, sizeof *all[number]);
    return all[number];
}

/* ------------------------------------------------------------------- reading */

static void read_names(process *p, const ob_trace_chunk *c, const char *at)
{
    const char *stop = at + c->bytes;
    p->names = c->count;
    for (uint32_t i = 1; i <= c->count && i < NAMES; i++) {
        p->name[i] = at;
        at += strnlen(at, (size_t)(stop - at)) + 1;
        if (at > stop)
            wrong("name %u is cut off", i);
    }
}

static void read_groups(process *p, const ob_trace_chunk *c, const char *at, int number)
{
    const char *stop = at + c->bytes;
    p->groups = c->count;
    for (uint32_t i = 1; i <= c->count && i < GROUPS && at < stop; i++) {
        const ob_trace_group_head *g = (const void *)at;
        const int32_t *member = (const void *)(g + 1);
        p->group[i] = g;
        if (g->size < 1 || g->me < -1 || g->me >= g->size ||
            (g->me >= 0 && member[g->me] != number))
            wrong("group %u of process %d: size %d, me %d", i, number, g->size, g->me);
        at += sizeof *g + ((size_t)g->size * 4 + 7) / 8 * 8;
    }
    if (at != stop)
        wrong("the groups of process %d have another length than their chunk", number);
}

static void read_events(process *p, const ob_trace_chunk *c)
{
    if (c->bytes != c->count * sizeof(ob_trace_event))
        wrong("%u events in %llu bytes", c->count, (unsigned long long)c->bytes);
    p->event = realloc(p->event, (p->events + c->count) * sizeof *p->event);
    memcpy(p->event + p->events, c + 1, c->count * sizeof *p->event);
    p->events += c->count;
}

static void read_chunk(const ob_trace_chunk *c)
{
    process *p = process_of(c->process);
    if (c->kind == OB_TRACE_JOINED)
        p->joined++;
    if (c->kind == OB_TRACE_PROCESS) {
        p->written++;
        memcpy(&p->self, c + 1, sizeof p->self);
    }
    if (c->kind != OB_TRACE_JOINED && !p->joined)
        wrong("process %d wrote without having joined", c->process);
    if (c->kind == OB_TRACE_NAMES)
        read_names(p, c, (const char *)(c + 1));
    if (c->kind == OB_TRACE_SITES) {
        p->sites = c->count;
        p->site = (const void *)(c + 1);
    }
    if (c->kind == OB_TRACE_ORIGINS) {
        p->origin = (const void *)(c + 1);
        if (c->count != p->sites || c->bytes != c->count * sizeof *p->origin)
            wrong("%u origins of %u sites of process %d", c->count, p->sites, c->process);
    }
    if (c->kind == OB_TRACE_SYNC)
        p->syncs = c->count;
    if (c->kind == OB_TRACE_GROUPS)
        read_groups(p, c, (const char *)(c + 1), c->process);
    if (c->kind == OB_TRACE_EVENTS)
        read_events(p, c);
}

static void read_file(const char *bytes, size_t size)
{
    const ob_trace_header *h = (const void *)bytes;
    if (size < sizeof *h || memcmp(h->magic, OB_TRACE_MAGIC, 8) || h->order != OB_TRACE_ORDER ||
        h->version != OB_TRACE_VERSION || h->event_bytes != sizeof(ob_trace_event)) {
        wrong("the header");
        return;
    }
    size_t at = sizeof *h;
    while (at + sizeof(ob_trace_chunk) <= size) {
        const ob_trace_chunk *c = (const void *)(bytes + at);
        if (c->magic != OB_TRACE_CHUNK_MAGIC || c->bytes % 8 || c->bytes > size - at - sizeof *c) {
            wrong("the chunk at %zu", at);
            return;
        }
        read_chunk(c);
        at += sizeof *c + c->bytes;
    }
    if (at != size)
        wrong("%zu bytes behind the last chunk", size - at);
    printf("processes %u\njoined %u\nwritten %u\nfinished %u\n", h->processes, h->joined,
           h->written, h->flags & OB_TRACE_FINISHED);
}

/* ------------------------------------------------------------------ checking */

static const char *name_in(const process *p, uint32_t number)
{
    return number && number <= p->names ? p->name[number] : "-";
}

/* What holds for one event. */
static void check_event(const process *p, int number, const ob_trace_event *e)
{
    uint64_t span = (uint64_t)(e->end - e->begin);
    /* Times are rounded one by one. */
    if (e->end < e->begin || e->blocked > span + 2 || e->packing > span + 2 ||
        (e->blocked + e->packing > span + 4 && e->kind < OB_TRACE_MARK))
        wrong("process %d, kind %d: %lld ns, blocked %llu, packing %llu", number, e->kind,
              (long long)span, (unsigned long long)e->blocked, (unsigned long long)e->packing);
    if (e->begin + 1000 < p->self.started || e->end > p->self.ended + 1000)
        wrong("process %d, kind %d: outside the recording", number, e->kind);
    if (e->routine > p->names || e->site > p->sites || e->group > p->groups)
        wrong("process %d, kind %d: routine %u, site %u, group %u", number, e->kind, e->routine,
              e->site, e->group);
    if (e->kind < OB_TRACE_MARK && e->kind != OB_TRACE_WAIT && e->routine == 0)
        wrong("process %d, kind %d: no routine", number, e->kind);
    if ((e->kind == OB_TRACE_SEND || e->kind == OB_TRACE_RECV) && !(e->flags & OB_TRACE_FAILED) &&
        (e->ordinal == 0 || e->group == 0 || e->peer < 0))
        wrong("process %d, kind %d: ordinal %u, group %u, peer %d", number, e->kind, e->ordinal,
              e->group, e->peer);
}

/* Threads have numbers from 0 on. */
static void check_threads(const process *p, int number)
{
    static bool seen[UINT16_MAX + 1];
    unsigned threads = 0, most = 0;
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < p->events; i++) {
        unsigned thread = p->event[i].thread;
        threads += !seen[thread];
        seen[thread] = true;
        most = thread >= most ? thread + 1 : most;
    }
    if (most != threads)
        wrong("process %d: %u threads have numbers up to %u", number, threads, most - 1);
}

/* Parts lie inside the next outermost event of their thread. */
static void check_nesting(const process *p, int number, size_t i)
{
    const ob_trace_event *e = &p->event[i];
    if (!(e->flags & OB_TRACE_INSIDE))
        return;
    for (size_t k = i + 1; k < p->events; k++) {
        const ob_trace_event *o = &p->event[k];
        if (o->thread != e->thread || o->flags & OB_TRACE_INSIDE || o->kind >= OB_TRACE_MARK)
            continue;
        if (o->begin > e->begin || o->end < e->end)
            wrong("process %d: a part of kind %d is outside its operation of kind %d", number,
                  e->kind, o->kind);
        return;
    }
}

static int by_marks(const void *pa, const void *pb)
{
    const end *a = pa, *b = pb;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->source != b->source)
        return a->source - b->source;
    if (a->dest != b->dest)
        return a->dest - b->dest;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

static size_t gather_ends(int kind, end **list)
{
    size_t count = 0, room = 0;
    *list = NULL;
    for (int n = 0; n < PROCESSES; n++)
        for (size_t i = 0; all[n] && i < all[n]->events; i++) {
            const ob_trace_event *e = &all[n]->event[i];
            if (e->kind != kind || e->flags & OB_TRACE_FAILED || e->group == 0)
                continue;
            if (count == room)
                *list = realloc(*list, (room = room ? 2 * room : 1024) * sizeof **list);
            int send = kind == OB_TRACE_SEND;
            (*list)[count++] = (end){.context = all[n]->group[e->group]->context,
                                     .stream = all[n]->group[e->group]->stream,
                                     .ordinal = e->ordinal,
                                     .source = send ? n : e->peer,
                                     .dest = send ? e->peer : n,
                                     .tag = e->tag,
                                     .event = e};
        }
    if (count)
        qsort(*list, count, sizeof **list, by_marks);
    return count;
}

/* Every receive has its send, of as many bytes, and comes after it on one clock. */
static void check_messages(void)
{
    end *sends, *receives;
    size_t sent = gather_ends(OB_TRACE_SEND, &sends),
           received = gather_ends(OB_TRACE_RECV, &receives);
    size_t matched = 0;
    for (size_t i = 1; i < sent; i++)
        if (by_marks(&sends[i - 1], &sends[i]) == 0)
            wrong("two sends from %d to %d with ordinal %u", sends[i].source, sends[i].dest,
                  sends[i].ordinal);
    for (size_t i = 0; i < received; i++) {
        const end *r = &receives[i];
        const end *s = sent ? bsearch(r, sends, sent, sizeof *sends, by_marks) : NULL;
        if (s == NULL)
            continue;
        matched++;
        if (s->event->bytes != r->event->bytes)
            wrong("message %u from %d to %d: %llu bytes sent, %llu received", r->ordinal, r->source,
                  r->dest, (unsigned long long)s->event->bytes,
                  (unsigned long long)r->event->bytes);
        if (all[r->source]->self.node == all[r->dest]->self.node &&
            r->event->end <= s->event->begin)
            wrong("message %u from %d to %d was received %lld ns before it was sent", r->ordinal,
                  r->source, r->dest, (long long)(s->event->begin - r->event->end));
    }
    printf("sends %zu\nreceives %zu\nmatched %zu\n", sent, received, matched);
    free(sends);
    free(receives);
}

/* ------------------------------------------------------------------ printing */

/* The first operation of a routine; the making of its group counts where there is no other. */
static const ob_trace_event *first_of(const process *p, uint32_t routine)
{
    const ob_trace_event *group = NULL;
    for (size_t i = 0; i < p->events; i++) {
        const ob_trace_event *e = &p->event[i];
        if (e->routine != routine || e->flags & OB_TRACE_INSIDE)
            continue;
        if (e->kind != OB_TRACE_GROUP)
            return e;
        if (group == NULL)
            group = e;
    }
    return group;
}

/* The file in which a site lies. */
static const char *site_in(const process *p, uint32_t site)
{
    const char *object = site && p->site ? name_in(p, p->site[site - 1].object) : "-";
    const char *slash = strrchr(object, '/');
    return slash ? slash + 1 : object;
}

/* With whom it is, how, and called from where. */
static void print_first(const process *p, int number, uint32_t routine)
{
    const ob_trace_event *e = first_of(p, routine);
    if (e == NULL)
        return;
    printf("%d first %s kind %d scope %c peer %d top %c at %s\n", number, p->name[routine], e->kind,
           e->scope ? e->scope : '-', e->peer,
           e->topology == ' ' ? '_'
           : e->topology      ? e->topology
                              : '-',
           site_in(p, e->site));
}

static void count_routine(const process *p, int number)
{
    for (uint32_t r = 1; r <= p->names; r++) {
        size_t calls = 0, parts = 0;
        uint64_t bytes = 0;
        for (size_t i = 0; i < p->events; i++) {
            const ob_trace_event *e = &p->event[i];
            if (e->routine != r)
                continue;
            calls += (e->flags & OB_TRACE_FIRST) != 0;
            parts += (e->flags & OB_TRACE_INSIDE) != 0;
            bytes += e->flags & OB_TRACE_INSIDE ? 0 : e->bytes;
        }
        if (calls + parts)
            printf("%d calls %s %zu bytes %llu\n", number, p->name[r], calls,
                   (unsigned long long)bytes);
        print_first(p, number, r);
    }
}

static bool same_origin(const process *p, const ob_trace_event *e, const ob_trace_event *f)
{
    const ob_trace_origin *a = &p->origin[e->site - 1], *b = &p->origin[f->site - 1];
    return e->routine == f->routine && a->routine == b->routine && a->caller == b->caller;
}

/* How often a routine was called within another one that was called by a third one. */
static void print_origins(const process *p, int number)
{
    for (size_t i = 0; p->origin && i < p->events; i++) {
        const ob_trace_event *e = &p->event[i];
        size_t calls = 0, before = 0;
        if (!(e->flags & OB_TRACE_FIRST) || e->site == 0)
            continue;
        for (size_t k = 0; k < p->events && before == 0; k++) {
            const ob_trace_event *f = &p->event[k];
            if (!(f->flags & OB_TRACE_FIRST) || f->site == 0 || !same_origin(p, e, f))
                continue;
            before += k < i;
            calls++;
        }
        const ob_trace_origin *o = &p->origin[e->site - 1];
        if (before == 0 && o->routine)
            printf("%d within %s of %s calls %s %zu\n", number, name_in(p, o->routine),
                   name_in(p, o->caller), name_in(p, e->routine), calls);
    }
}

static void print_process(const process *p, int number)
{
    size_t inside = 0, marks = 0, probes = 0, waits = 0;
    char tops[32] = "", scopes[4] = "";
    for (size_t i = 0; i < p->events; i++) {
        const ob_trace_event *e = &p->event[i];
        inside += (e->flags & OB_TRACE_INSIDE) != 0;
        marks += e->kind == OB_TRACE_MARK && e->tag == 7;
        probes += e->kind == OB_TRACE_PROBE;
        waits += e->kind == OB_TRACE_WAIT;
        if (e->kind == OB_TRACE_BROADCAST && strlen(tops) < 16)
            tops[strlen(tops)] = e->topology == ' ' ? '_' : e->topology;
        if (e->scope && !strchr(scopes, e->scope) && strlen(scopes) < 3)
            scopes[strlen(scopes)] = e->scope;
        if (e->kind == OB_TRACE_TEXT)
            printf("%d text %s\n", number, name_in(p, (uint32_t)e->value));
        if (e->kind == OB_TRACE_LEVEL)
            printf("%d level %llu\n", number, (unsigned long long)e->value / 10000);
        if (e->kind == OB_TRACE_PART)
            printf("%d part %s\n", number, name_in(p, e->routine));
        if (e->kind == OB_TRACE_ASKED)
            printf("%d asked %s peer %d calls %llu bytes %llu at %s\n", number,
                   name_in(p, e->routine), e->peer, (unsigned long long)e->value,
                   (unsigned long long)e->bytes, site_in(p, e->site));
    }
    printf("%d events %zu dropped %llu inside %zu marks %zu probes %zu waits %zu signal %u tops %s "
           "scopes %s\n",
           number, p->events, (unsigned long long)p->self.dropped, inside, marks, probes, waits,
           p->self.signal, tops, scopes);
    count_routine(p, number);
    if (p->events < 50000)
        print_origins(p, number);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (f == NULL || fseek(f, 0, SEEK_END))
        return fprintf(stderr, "usage: trace_examine FILE\n"), 2;
    size_t size = (size_t)ftell(f);
    char *bytes = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    rewind(f);
    if (fread(bytes, 1, size, f) != size)
        return 2;
    fclose(f);
    read_file(bytes, size);
    for (int n = 0; n < PROCESSES; n++) {
        process *p = all[n];
        if (p)
            check_threads(p, n);
        for (size_t i = 0; p && i < p->events; i++) {
            check_event(p, n, &p->event[i]);
            check_nesting(p, n, i);
            if (i && p->event[i].end < p->event[i - 1].end)
                wrong("process %d: event %zu ends before the one before it", n, i);
        }
    }
    check_messages();
    for (int n = 0; n < PROCESSES; n++)
        if (all[n])
            print_process(all[n], n);
    for (int n = 0; n < PROCESSES; n++)
        if (all[n] && all[n]->syncs)
            printf("%d readings of clocks %u\n", n, all[n]->syncs);
    return wrongs != 0;
}
