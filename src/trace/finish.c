/*
 * Putting the times of a whole trace in order: no message may arrive before it
 * was sent. Where one does, the receiver's times from there on are moved forward, as
 * far as needed and no longer than needed: of process p, f(t) = the later of t and of
 * what was asked for at or before t. That keeps the order within a process. Moving one
 * may ask for another, so it is repeated until nothing changes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "trace/internal.h"

/* One end of a message. */
typedef struct end {
    uint64_t context, ordinal;
    int32_t source, dest, tag;
    uint32_t stream;
    ob_trace_event *event;
} end;

/* "What ended at `at` ends no sooner than `least`." */
typedef struct pin {
    int32_t process;
    int64_t at, least;
} pin;

typedef struct ends {
    end *at;
    size_t count, room;
} ends;

static int by_marks(const void *pa, const void *pb)
{
    const end *a = pa, *b = pb;
#define COMPARE(field)                                                                             \
    if (a->field != b->field)                                                                      \
    return a->field < b->field ? -1 : 1
    COMPARE(context);
    COMPARE(stream);
    COMPARE(source);
    COMPARE(dest);
    COMPARE(tag);
    COMPARE(ordinal);
#undef COMPARE
    return 0;
}

static int by_process(const void *pa, const void *pb)
{
    const pin *a = pa, *b = pb;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool add(ends *list, end e)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 1024;
        end *more = realloc(list->at, room * sizeof *more);
        if (more == NULL)
            return false;
        list->at = more;
        list->room = room;
    }
    list->at[list->count++] = e;
    return true;
}

/* The groups of a process by number: their heads, inside its chunk. */
static const ob_trace_group_head *group_in(const ob_trace_chunk *groups, uint32_t number,
                                           size_t *hint, uint32_t *hint_number)
{
    const char *base = (const char *)(groups + 1);
    size_t at = number > *hint_number && *hint_number ? *hint : 0;
    uint32_t n = at ? *hint_number : 1;
    for (; n <= groups->count && at + sizeof(ob_trace_group_head) <= groups->bytes; n++) {
        const ob_trace_group_head *g = (const void *)(base + at);
        if (n == number) {
            *hint = at;
            *hint_number = n;
            return g;
        }
        at += sizeof *g + ((size_t)g->size * 4 + 7) / 8 * 8;
    }
    return NULL;
}

static bool add_events(ends *sends, ends *receives, const ob_trace_chunk *c,
                       const ob_trace_chunk *groups)
{
    ob_trace_event *e = (ob_trace_event *)(void *)(c + 1);
    size_t hint = 0;
    uint32_t hint_number = 0;
    bool fine = true;
    for (uint32_t i = 0; i < c->count && fine; i++) {
        bool send = e[i].kind == OB_TRACE_SEND;
        if ((!send && e[i].kind != OB_TRACE_RECV) || e[i].ordinal == 0 || groups == NULL)
            continue;
        if (hint_number > e[i].group)
            hint_number = 0;
        const ob_trace_group_head *g = group_in(groups, e[i].group, &hint, &hint_number);
        if (g == NULL)
            continue;
        fine = add(send ? sends : receives, (end){.context = g->context,
                                                  .stream = g->stream,
                                                  .ordinal = e[i].ordinal,
                                                  .source = send ? c->process : e[i].peer,
                                                  .dest = send ? e[i].peer : c->process,
                                                  .tag = e[i].tag,
                                                  .event = &e[i]});
    }
    return fine;
}

static bool collect(char *file, size_t bytes, ends *sends, ends *receives)
{
    const ob_trace_chunk *groups = NULL;
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        if (c->kind == OB_TRACE_PROCESS)
            groups = NULL;
        if (c->kind == OB_TRACE_GROUPS)
            groups = c;
        if (c->kind == OB_TRACE_EVENTS && !add_events(sends, receives, c, groups))
            return false;
    }
    if (sends->count)
        qsort(sends->at, sends->count, sizeof(end), by_marks);
    return true;
}

/* What the messages ask for as times stand. */
static size_t find_pins(const ends *sends, const ends *receives, pin *pins)
{
    size_t count = 0;
    for (size_t i = 0; i < receives->count && sends->count; i++) {
        const end *r = &receives->at[i];
        const end *s = bsearch(r, sends->at, sends->count, sizeof(end), by_marks);
        if (s && r->event->end <= s->event->begin && r->source != r->dest)
            pins[count++] = (pin){r->dest, r->event->end, s->event->begin + 1};
    }
    return count;
}

static int64_t moved(const pin *pins, size_t count, int64_t t)
{
    size_t low = 0, high = count; /* pins[low - 1].at <= t < pins[low].at */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pins[middle].at <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pins[low - 1].least > t ? pins[low - 1].least : t;
}

static void move_events(char *file, size_t bytes, const pin *pins, size_t count)
{
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        ob_trace_event *e = (ob_trace_event *)(void *)(c + 1);
        if (c->kind != OB_TRACE_EVENTS || c->process != pins->process)
            continue;
        for (uint32_t i = 0; i < c->count; i++) {
            int64_t begin = moved(pins, count, e[i].begin), last = moved(pins, count, e[i].end);
            if (begin == e[i].begin && last == e[i].end)
                continue;
            e[i].begin = begin;
            e[i].end = last;
            e[i].flags |= OB_TRACE_MOVED;
        }
    }
}

/* Of each process the pins become a rising staircase. */
static void apply(char *file, size_t bytes, pin *pins, size_t count)
{
    qsort(pins, count, sizeof *pins, by_process);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && pins[next].process == pins[first].process; next++)
            if (pins[next].least < pins[next - 1].least)
                pins[next].least = pins[next - 1].least;
        move_events(file, bytes, pins + first, next - first);
    }
}

int ob_trace_order(char *file, size_t bytes)
{
    enum { ROUNDS = 1000 };
    ends sends = {0}, receives = {0};
    bool fine = collect(file, bytes, &sends, &receives);
    pin *pins = fine ? malloc((receives.count + 1) * sizeof *pins) : NULL;
    size_t count = 1;
    for (int i = 0; pins && count && i < ROUNDS; i++)
        if ((count = find_pins(&sends, &receives, pins)))
            apply(file, bytes, pins, count);
    int status = pins == NULL ? ob_fail(OB_ENOMEM, "no memory to put a trace in order")
                 : count      ? ob_fail(OB_ESTATE, "a trace whose messages cannot be put in order")
                              : OB_OK;
    free(pins);
    free(sends.at);
    free(receives.at);
    return status;
}
