/*
 * Memory under C11's rules: each location has its stores in modification order, each process and
 * each store a view (what must be known to who has it).
 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, WORD = 4, WORDS = LINE / WORD, HASH = 4096, DIRTY = 1 << 16, BLOCKS = 4096 };
static const size_t ARENA = (size_t)1 << 26;

typedef struct location {
    int count;
    uint16_t order[STORES]; /* of its stores */
} location;

/* Who touched the words of a line last, and when. Two processes' fields within one word of four
 * bytes would count as one. */
typedef struct line {
    uintptr_t number;
    unsigned generation;
    uint16_t write_clock[WORDS];
    uint8_t writer[WORDS]; /* thread + 1; FREED */
    uint16_t read[EX_THREADS][WORDS], atomic_write[EX_THREADS][WORDS],
        atomic_read[EX_THREADS][WORDS];
    /* What a process has touched since its clock was that: again is nothing new, since nobody can
     * have learnt of it. */
    bool atomic; /* some location lies there */
    uint16_t since[EX_THREADS], has_read[EX_THREADS], has_written[EX_THREADS];
} line;

enum { FREED = 255 };

store stores[STORES];
int store_count;
static location locations[LOCATIONS];
static int location_count;
static struct {
    const char *at;
    unsigned generation;
    int location;
} by_address[HASH];
static line lines[HASH];
static unsigned generation = 1;
static char *arena, *image;
static size_t used, kept_used;
static uintptr_t dirty[DIRTY];
static int dirty_count;
static unsigned char *is_dirty; /* of each line */
static struct {
    const char *from, *end;
} hints[32];
static int hint_count;

/* Of each process: all it knows; what it will at its next acquire fence; what it did at its last
 * release fence. */
static view now[EX_THREADS], acquired[EX_THREADS], released[EX_THREADS];
static view total; /* of those in one order for all */

/* ------------------------------------------------------------------- the arena */

static void open_arena(void)
{
    arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    image = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    is_dirty = calloc(ARENA / LINE, 1);
    if (arena == MAP_FAILED || image == MAP_FAILED || is_dirty == NULL)
        abort();
}

bool memory_has(const void *at)
{
    return arena && (const char *)at >= arena && (const char *)at < arena + ARENA;
}

static void mark_dirty(const void *at, size_t bytes)
{
    size_t from = (size_t)((const char *)at - arena) / LINE;
    size_t last = (size_t)((const char *)at + (bytes ? bytes - 1 : 0) - arena) / LINE;
    for (; from <= last; from++) {
        if (is_dirty[from])
            continue;
        if (dirty_count == DIRTY)
            abort();
        is_dirty[from] = 1;
        dirty[dirty_count++] = from;
    }
}

char *memory_take(size_t bytes)
{
    if (arena == NULL)
        open_arena();
    bytes = (bytes + LINE - 1) / LINE * LINE;
    if (used + LINE + bytes > ARENA)
        abort();
    char *at = arena + used + LINE;
    mark_dirty(at - LINE, sizeof bytes);
    memcpy(at - LINE, &bytes, sizeof bytes);
    used += LINE + bytes;
    return at;
}

size_t memory_bytes_of(const void *at)
{
    size_t bytes;
    memcpy(&bytes, (const char *)at - LINE, sizeof bytes);
    return bytes;
}

static void empty(void)
{
    generation++;
    location_count = 0;
    store_count = 1;
    memset(now, 0, sizeof now);
    memset(acquired, 0, sizeof acquired);
    memset(released, 0, sizeof released);
    memset(&total, 0, sizeof total);
}

void *__real_memcpy(void *to, const void *from, size_t bytes); /* not hooks.c's */

void memory_keep(void)
{
    __real_memcpy(image, arena, used);
    for (int i = 0; i < dirty_count; i++)
        is_dirty[dirty[i]] = 0;
    dirty_count = 0;
    kept_used = used;
    empty();
}

void memory_restore(void)
{
    for (int i = 0; i < dirty_count; i++) {
        size_t at = dirty[i] * LINE;
        is_dirty[dirty[i]] = 0;
        __real_memcpy(arena + at, image + at, LINE);
    }
    dirty_count = 0;
    used = kept_used;
    empty();
}

void memory_clear(void)
{
    if (arena) {
        munmap(arena, ARENA);
        munmap(image, ARENA);
        free(is_dirty);
    }
    open_arena();
    dirty_count = 0;
    used = kept_used = 0;
    hint_count = 0;
    empty();
}

void memory_hint(const void *at, size_t bytes)
{
    if (hint_count == sizeof hints / sizeof *hints)
        abort();
    hints[hint_count].from = at;
    hints[hint_count++].end = (const char *)at + bytes;
}

bool memory_is_hint(const void *at)
{
    for (int i = 0; i < hint_count; i++)
        if ((const char *)at >= hints[i].from && (const char *)at < hints[i].end)
            return true;
    return false;
}

/* -------------------------------------------------------------------- plain access */

static line *line_of(const char *at)
{
    uintptr_t number = (uintptr_t)at / LINE;
    for (unsigned i = (unsigned)(number * 2654435761u);; i++) {
        line *l = &lines[i % HASH];
        if (l->generation == generation && l->number == number)
            return l;
        if (l->generation != generation) {
            memset(l, 0, sizeof *l);
            l->number = number;
            l->generation = generation;
            return l;
        }
    }
}

static void race(const char *what, int thread, const char *at, const void *place)
{
    ex_fail("process %d %s byte %zu at %s, which process's other access neither comes before nor "
            "after",
            thread, what, (size_t)(at - arena), ex_where(place));
}

static bool is_known(int thread, int by, unsigned clock)
{
    return now[thread].clock[by] >= clock;
}

static bool writer_is_known(int thread, const line *l, size_t i)
{
    return l->writer[i] == 0 || is_known(thread, l->writer[i] - 1, l->write_clock[i]);
}

static bool all_known(int thread, uint16_t (*clocks)[WORDS], size_t i)
{
    for (int t = 0; t < EX_THREADS; t++)
        if (t != thread && clocks[t][i] && !is_known(thread, t, clocks[t][i]))
            return false;
    return true;
}

static void forget_location(const char *at);

static void touch(int thread, line *l, size_t i, const char *at, bool write, const void *place)
{
    if (l->writer[i] == FREED) {
        ex_fail("process %d uses freed memory at %s", thread, ex_where(place));
        return;
    }
    if (!writer_is_known(thread, l, i) || !all_known(thread, l->atomic_write, i) ||
        (write && (!all_known(thread, l->read, i) || !all_known(thread, l->atomic_read, i)))) {
        race(write ? "writes" : "reads", thread, at, place);
        return;
    }
    if (write) {
        l->writer[i] = (uint8_t)(thread + 1);
        l->write_clock[i] = now[thread].clock[thread];
    } else {
        l->read[thread][i] = now[thread].clock[thread];
    }
}

static void touch_line(int thread, const char *at, const char *end, bool write, const void *place)
{
    line *l = line_of(at);
    uint16_t mask = 0;
    for (const char *word = at; word < end; word += WORD)
        mask |= (uint16_t)(1 << (uintptr_t)word % LINE / WORD);
    if (l->since[thread] != now[thread].clock[thread]) {
        l->since[thread] = now[thread].clock[thread];
        l->has_read[thread] = l->has_written[thread] = 0;
    }
    if ((mask & (write ? l->has_written : l->has_read)[thread]) == mask)
        return;
    (write ? l->has_written : l->has_read)[thread] |= mask;
    l->has_read[thread] |= mask;
    for (const char *word = at; word < end; word += WORD)
        touch(thread, l, (uintptr_t)word % LINE / WORD, word, write, place);
}

void memory_plain(int thread, const void *at, size_t bytes, bool write, const void *place)
{
    const char *end = (const char *)at + bytes;
    if (!memory_has(at) || bytes == 0)
        return;
    if (write)
        mark_dirty(at, bytes);
    if (thread < 0)
        return;
    for (const char *from = (const char *)((uintptr_t)at / WORD * WORD); from < end;) {
        const char *next = (const char *)((uintptr_t)from / LINE * LINE + LINE);
        touch_line(thread, from, next < end ? next : end, write, place);
        if (write && line_of(from)->atomic)
            for (const char *byte = from > (const char *)at ? from : at; byte < next && byte < end;
                 byte++)
                forget_location(byte);
        from = next;
    }
}

/* Whoever still used it has a race with this, or an error later. */
void memory_free(int thread, void *at, const void *place)
{
    size_t bytes = memory_bytes_of(at);
    memory_plain(thread, at, bytes, true, place);
    for (size_t i = 0; thread >= 0 && i < bytes; i += WORD)
        line_of((char *)at + i)->writer[((uintptr_t)at + i) % LINE / WORD] = FREED;
}

/* ------------------------------------------------------------------------ locations */

static unsigned slot_of(const char *at)
{
    unsigned i = (unsigned)((uintptr_t)at * 2654435761u) >> 4;
    while (by_address[i % HASH].generation == generation && by_address[i % HASH].at != at)
        i++;
    return i % HASH;
}

/* Plain stores make it a location that nobody has seen. */
static void forget_location(const char *at)
{
    unsigned i = slot_of(at);
    if (by_address[i].generation == generation)
        by_address[i].location = -1;
}

static uint64_t read_bytes(const char *at, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

static int new_store(int where, uint64_t value, int by, int event)
{
    if (store_count == STORES) {
        fprintf(stderr, "orders: too many stores\n");
        abort();
    }
    store *s = &stores[store_count];
    s->value = value;
    s->location = (uint16_t)where;
    s->event = event;
    s->by = by;
    s->clock = by < 0 ? 0 : now[by].clock[by];
    s->taken = false;
    memset(&s->view, 0, sizeof s->view);
    return store_count++;
}

/* Behind the one of that rank; -1: as the first. */
static void insert(location *l, int s, int rank)
{
    int at = rank + 1;
    memmove(l->order + at + 1, l->order + at, (size_t)(l->count - at) * sizeof *l->order);
    l->order[at] = (uint16_t)s;
    l->count++;
    for (; at < l->count; at++)
        stores[l->order[at]].rank = (uint16_t)at;
}

int memory_location(const char *at, unsigned size)
{
    unsigned i = slot_of(at);
    if (by_address[i].generation == generation && by_address[i].location >= 0)
        return by_address[i].location;
    if (location_count == LOCATIONS) {
        fprintf(stderr, "orders: too many locations\n");
        abort();
    }
    by_address[i].at = at;
    by_address[i].generation = generation;
    by_address[i].location = location_count;
    line_of(at)->atomic = true;
    location *l = &locations[location_count];
    l->count = 0;
    insert(l, new_store(location_count, read_bytes(at, size), -1, -1), -1);
    return location_count++;
}

bool memory_has_newer(int s)
{
    const location *l = &locations[stores[s].location];
    for (int i = stores[s].rank + 1; i < l->count; i++)
        if (stores[l->order[i]].value != stores[s].value)
            return true;
    return false;
}

/* ---------------------------------------------------------------------------- views */

static unsigned rank_of(const view *v, int where)
{
    return v->seen[where] ? stores[v->seen[where]].rank : 0;
}

static void join_seen(view *v, const view *other)
{
    for (int i = 0; i < location_count; i++)
        if (other->seen[i] && rank_of(other, i) >= rank_of(v, i))
            v->seen[i] = other->seen[i];
}

static void join(view *v, const view *other)
{
    join_seen(v, other);
    for (int t = 0; t < EX_THREADS; t++)
        if (other->clock[t] > v->clock[t])
            v->clock[t] = other->clock[t];
}

static void see(view *v, int s)
{
    int where = stores[s].location;
    if (v->seen[where] == 0 || stores[s].rank > rank_of(v, where))
        v->seen[where] = (uint16_t)s;
}

static void fence(int thread, int order)
{
    if (is_acquire(order))
        join(&now[thread], &acquired[thread]);
    if (order == __ATOMIC_SEQ_CST) {
        join_seen(&now[thread], &total);
        join_seen(&total, &now[thread]);
    }
    if (is_release(order))
        released[thread] = now[thread];
}

void memory_start(int thread, int by)
{
    if (by >= 0)
        now[thread] = now[by];
    now[thread].clock[thread] = 1;
    if (by >= 0)
        now[by].clock[by]++;
    acquired[thread] = now[thread];
}

void memory_join(int thread, int other)
{
    join(&now[thread], &now[other]);
}

/* ----------------------------------------------------------------------- operations */

bool memory_reads(const op *o)
{
    return o->kind == OP_LOAD || o->kind == OP_CHANGE || o->kind == OP_COMPARE ||
           o->kind == OP_WAIT;
}

bool memory_writes(const op *o)
{
    return o->kind == OP_STORE || o->kind == OP_CHANGE || o->kind == OP_COMPARE;
}

bool memory_is_total(const op *o)
{
    return o->order == __ATOMIC_SEQ_CST || o->kind == OP_WAIT || o->kind == OP_WAKE ||
           (o->kind == OP_COMPARE && o->failure == __ATOMIC_SEQ_CST);
}

static bool may_choose(const op *o, const store *s)
{
    if (o->kind == OP_STORE || o->kind == OP_CHANGE)
        return !s->taken;
    return o->kind != OP_COMPARE || !s->taken || s->value != o->expected;
}

int memory_choices(int thread, const op *o, int since, uint16_t *choice)
{
    if (o->kind == OP_FENCE || o->kind == OP_WAKE || o->kind == OP_BARRIER) {
        choice[0] = 0;
        return 1;
    }
    int where = memory_location(o->at, o->size), count = 0;
    const location *l = &locations[where];
    unsigned least = rank_of(&now[thread], where);
    if (memory_is_total(o) && rank_of(&total, where) > least)
        least = rank_of(&total, where);
    for (int i = l->count - 1; i >= (int)least; i--) {
        int s = l->order[i];
        if (stores[s].event + 1 >= since && may_choose(o, &stores[s]) && count < CHOICES)
            choice[count++] = (uint16_t)s;
    }
    return count;
}

static uint64_t changed(const op *o, uint64_t was)
{
    switch (o->change) {
    case '+': return was + o->value;
    case '-': return was - o->value;
    case '|': return was | o->value;
    case '&': return was & o->value;
    case '^': return was ^ o->value;
    default: return o->value;
    }
}

static uint64_t cut(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1);
}

static void check_atomic(int thread, const op *o, bool write)
{
    for (unsigned k = 0; k < o->size; k += WORD) {
        line *l = line_of(o->at + k);
        size_t i = (uintptr_t)(o->at + k) % LINE / WORD;
        if (l->writer[i] == FREED)
            ex_fail("process %d uses freed memory at %s", thread, ex_where(o->place));
        else if (!writer_is_known(thread, l, i) || (write && !all_known(thread, l->read, i)))
            race("has an atomic operation on", thread, o->at, o->place);
        (write ? l->atomic_write : l->atomic_read)[thread][i] = now[thread].clock[thread];
    }
}

static void do_read(int thread, int s, int order)
{
    see(&now[thread], s);
    see(&acquired[thread], s);
    join(&acquired[thread], &stores[s].view);
    if (is_acquire(order))
        join(&now[thread], &stores[s].view);
    if (order == __ATOMIC_SEQ_CST)
        see(&total, s);
}

/* `read`: by the same operation, 0: none. */
static int do_write(int thread, const op *o, int behind, int read, uint64_t value, int event)
{
    location *l = &locations[stores[behind].location];
    int s = new_store(stores[behind].location, cut(value, o->size), thread, event);
    insert(l, s, stores[behind].rank);
    see(&now[thread], s);
    see(&acquired[thread], s);
    stores[s].view = is_release(o->order) ? now[thread] : released[thread];
    if (read) {
        stores[read].taken = true;
        join(&stores[s].view, &stores[read].view);
    }
    see(&stores[s].view, s);
    if (o->order == __ATOMIC_SEQ_CST)
        see(&total, s);
    mark_dirty(o->at, o->size);
    memcpy(o->at, &stores[l->order[l->count - 1]].value, o->size);
    return s;
}

static void barrier_of_all(int thread)
{
    fence(thread, __ATOMIC_SEQ_CST);
    for (int t = 0; t < EX_THREADS; t++)
        fence(t, __ATOMIC_SEQ_CST);
    fence(thread, __ATOMIC_SEQ_CST);
}

static bool is_news(int thread, const store *s)
{
    return s->by >= 0 && s->by != thread && !is_known(thread, s->by, s->clock);
}

void memory_do(int thread, op *o, int choice, int event)
{
    o->read = o->wrote = 0;
    o->news = false;
    if (o->kind == OP_FENCE)
        fence(thread, o->order);
    if (o->kind == OP_WAIT || o->kind == OP_WAKE)
        fence(thread, __ATOMIC_SEQ_CST);
    if (o->kind == OP_BARRIER)
        barrier_of_all(thread);
    if (o->kind == OP_COMPARE || o->kind == OP_WAIT)
        o->done = stores[choice].value == o->expected;
    bool writes = memory_writes(o) && (o->kind != OP_COMPARE || o->done);
    if (choice)
        check_atomic(thread, o, writes);
    if (memory_reads(o)) {
        o->read = choice;
        o->expected = stores[choice].value;
        o->news = is_news(thread, &stores[choice]);
        do_read(thread, choice, o->kind == OP_COMPARE && !o->done ? o->failure : o->order);
    }
    if (writes)
        o->wrote = do_write(thread, o, choice, o->read,
                            o->kind == OP_CHANGE ? changed(o, o->expected) : o->value, event);
    now[thread].clock[thread]++;
}
