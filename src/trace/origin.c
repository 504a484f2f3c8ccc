/*
 * Whom a call worked for: of the calls that its thread is in, the innermost routine that a
 * programmer knows (PDTRSM rather than PB_CInV), and who called that. The stack is walked once for
 * each way through the program; later the return addresses on it are compared, a few words.
 *
 * Why comparing is enough: a return address tells which function is below it and at which
 * instruction, and so how large that function's part of the stack is, hence where the next return
 * address lies. The first one is compared with the call's site, and each later one is read only
 * where all before it are as they were. (A function whose part has no fixed size may differ; then
 * what is read is another word of the same stack, and equal by accident alone.)
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "core/lock.h"
#include "core/port.h"
#include "hooks/hash.h"
#include "trace/internal.h"

enum {
    INDEX_BITS = 13,
    INDEX = 1 << INDEX_BITS,
    PATHS = INDEX / 2, /* a thread's ways through the program; more are not told apart */
    PROBES = 32,
    FRAMES = 48, /* looked at */
    WORDS = 16,  /* compared */
    PLACES = 1 << 11,
    TEXT_BYTES = 1 << 18
};

/* What a return address is. */
typedef struct place {
    const void *address;
    const char *symbol, *object; /* NULL: it has no name */
    const char *function;        /* the symbol as it is written in the program */
    uint64_t offset;
    bool helper; /* no programmer knows it */
    bool begin;  /* the program's first function: who calls it is no part of the program */
    bool system; /* before that */
    bool ours;   /* in a library of an interface */
} place;

/* A way that was walked, and what came of it. Never changed once it stands in the index. */
typedef struct key {
    const void *site, *frame, *from;
    unsigned thread;
} key;
typedef struct word {
    const void *const *at;
    const void *value;
} word;
typedef struct path {
    key key;
    const void *origin; /* what stands for the site in records */
    word *end;          /* of those that are compared */
    word word[WORDS];
} path;

/* What a record's site leads to. */
typedef struct origin {
    const void *site;
    const place *direct, *routine, *caller;
} origin;

struct ob_trace_origins {
    bool walks;
    ob_lock lock; /* of all but the index's readers */
    unsigned paths, origins, places;
    size_t text_used;
    _Atomic(const path *) index[INDEX]; /* release, once the path is whole */
    path path[PATHS];
    origin origin[PATHS];
    place place[PLACES];
    char text[TEXT_BYTES];
};

/* Pages that are never touched cost nothing. */
struct ob_trace_origins *ob_trace_origins_new(void)
{
    struct ob_trace_origins *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    t->walks = ob_port_stack_open();
    return t;
}

/* ------------------------------------------------------------------------ names */

/* A copy that stays when the library is unloaded; each text once. NULL for NULL and for want of
 * room. */
static const char *keep(struct ob_trace_origins *t, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t length = strlen(text) + 1;
    for (size_t at = 0; at < t->text_used; at += strlen(t->text + at) + 1)
        if (strcmp(t->text + at, text) == 0)
            return t->text + at;
    if (length > TEXT_BYTES - t->text_used)
        return NULL;
    memcpy(t->text + t->text_used, text, length);
    t->text_used += length;
    return t->text + t->text_used - length;
}

static bool is_any(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static bool begins_with(const char *name, const char *begin)
{
    return strncmp(name, begin, strlen(begin)) == 0;
}

bool ob_trace_is_helper(const char *symbol)
{
    static const char *const pbblas[] = {"matadd_", "tran_",  "trget_",  "trnv_",
                                         "trsrt_",  "trst1_", "vecadd_", NULL};
    return begins_with(symbol, "PB_") || begins_with(symbol, "BI_") ||
           begins_with(symbol, "bsp_put_other") || /* of bsp.h */
           (begins_with(symbol, "pb") && symbol[2] && strchr("sdczi", symbol[2]) &&
            is_any(symbol + 3, pbblas));
}

/* Interfaces: a routine of theirs that calls another one of ours is not the program. */
static bool is_interface(const char *object)
{
    static const char *const libraries[] = {
        "libopenblacs.so", "libopenblacs64.so", "libopenblacs_bsp",
        "libblacs94",      "libmlacs",          "libicc",
        "libnx",           "libpicl",           NULL};
    const char *slash = strrchr(object, '/'), *name = slash ? slash + 1 : object;
    for (const char *const *l = libraries; *l; l++)
        if (begins_with(name, *l) && strstr(name, ".so"))
            return true;
    return false;
}

const char *ob_trace_as_written(const char *symbol, char *text, size_t room)
{
    const char *module = strstr(symbol, "_MOD_");
    size_t length = strlen(symbol);
    if (begins_with(symbol, "__") && module && module > symbol + 2) {
        snprintf(text, room, "%.*s::%s", (int)(module - symbol - 2), symbol + 2, module + 5);
        return text;
    }
    while (length > 1 && symbol[length - 1] == '_')
        length--;
    if (symbol[length] == 0 || length >= room || !isalpha((unsigned char)*symbol))
        return symbol;
    for (size_t i = 0; i < length; i++) {
        if (isupper((unsigned char)symbol[i]) && strcmp(symbol, "MAIN__") != 0)
            return symbol;
        text[i] = (char)toupper((unsigned char)symbol[i]);
    }
    text[length] = 0;
    return text;
}

static void judge(place *p, bool program)
{
    static const char *const begins[] = {"main", "MAIN__", NULL};
    static const char *const system[] = {
        "__libc_start_main", "_start", "start_thread", "clone", "clone3", "__clone", NULL};
    p->begin = p->symbol && is_any(p->symbol, begins);
    p->system = p->symbol && is_any(p->symbol, system);
    p->ours = !program && is_interface(p->object);
    p->helper = p->symbol ? ob_trace_is_helper(p->symbol) || p->ours : !program;
}

/* NULL: nothing is known of it, or there is no room. */
static const place *place_of(struct ob_trace_origins *t, const void *address)
{
    char text[256];
    ob_port_function f;
    for (unsigned i = 0; i < t->places; i++)
        if (t->place[i].address == address)
            return &t->place[i];
    /* The address may be the first one behind a function that never returns. */
    if (t->places == PLACES || !ob_port_function_at((const char *)address - 1, &f))
        return NULL;
    place *p = &t->place[t->places];
    *p = (place){.address = address,
                 .symbol = keep(t, f.name),
                 .object = keep(t, f.object),
                 .offset = (uintptr_t)address - f.begin};
    if (p->object == NULL)
        return NULL;
    if (p->symbol)
        p->function = keep(t, ob_trace_as_written(p->symbol, text, sizeof text));
    judge(p, f.program);
    t->places++;
    return p;
}

/* ------------------------------------------------------------------------ paths */

/* Cpdgemr2d, which pdgemr2d_ calls, is no other routine. */
static bool is_twin(const place *p, const place *above)
{
    if (above == NULL || p->symbol == NULL || above->symbol == NULL || *p->symbol != 'C')
        return false;
    size_t length = strlen(p->symbol + 1);
    return strncmp(p->symbol + 1, above->symbol, length) == 0 &&
           strcmp(above->symbol + length, "_") == 0;
}

/* The first frame from `at` on that a programmer knows; -1: there is none. */
static int known_from(struct ob_trace_origins *t, const ob_port_frame *frame, int count, int at,
                      const place **found)
{
    for (; at < count; at++) {
        const place *p = place_of(t, frame[at].address);
        if (p == NULL || p->system)
            return -1;
        *found = p;
        if (!p->helper && !is_twin(p, at + 1 < count ? place_of(t, frame[at + 1].address) : NULL))
            return at;
    }
    return -1;
}

/* Notes where the return addresses of frames lie. False: one is not on the stack. */
static bool note_words(path *p, const ob_port_frame *frame, int first, int last)
{
    enum { LARGEST = 1 << 16 };
    if (last - first > WORDS)
        return false;
    for (int k = first + 1; k <= last; k++) {
        const void *const *at = frame[k].stack, *const *low = frame[k - 1].stack;
        if (at <= low || at - low > LARGEST)
            return false;
        do
            at--;
        while (at > low && *at != frame[k].address);
        if (*at != frame[k].address)
            return false;
        *p->end++ = (word){at, frame[k].address};
    }
    return true;
}

static const void *origin_of(struct ob_trace_origins *t, const origin *like)
{
    for (unsigned i = 0; i < t->origins; i++) {
        const origin *o = &t->origin[i];
        if (o->site == like->site && o->caller == like->caller &&
            o->routine->symbol == like->routine->symbol)
            return o;
    }
    t->origin[t->origins] = *like;
    return &t->origin[t->origins++];
}

/* Walks, and fills the path. Without an origin its site stands for itself. The site is in a library
 * of ours where a compiler leaves a call between two names of one routine, as dgesd2d_ and
 * Cdgesd2d: then the call of the program is further out. */
static void walk(struct ob_trace_origins *t, path *p)
{
    ob_port_frame frame[FRAMES];
    origin o = {.site = p->key.site, .direct = place_of(t, p->key.site)};
    int count = ob_port_stack(frame, FRAMES), site = 0, first, routine, caller = -1;
    while (site < count && frame[site].address != o.site)
        site++;
    for (first = site; o.direct && o.direct->ours && first + 1 < count;) {
        o.site = frame[++first].address;
        o.direct = place_of(t, o.site);
    }
    routine = known_from(t, frame, count, first, &o.routine);
    if (routine > first && o.routine->symbol == NULL) {
        /* The program's file names nothing: a helper with a name tells more. */
        caller = routine--;
        o.caller = o.routine;
        while ((o.routine = place_of(t, frame[routine].address)) != NULL &&
               o.routine->symbol == NULL && routine > first)
            routine--;
        routine = o.routine && o.routine->symbol ? routine : -1;
    } else if (routine >= 0 && !o.routine->begin) {
        caller = known_from(t, frame, count, routine + 1, &o.caller);
    }
    if (caller < 0)
        o.caller = NULL;
    if (o.direct == NULL || routine < 0 || (first == site && routine == first && caller < 0))
        return;
    if (note_words(p, frame, site, caller < 0 ? routine : caller))
        p->origin = origin_of(t, &o);
    else
        p->end = p->word;
}

static inline bool matches(const path *p, const void *site, const void *frame, const void *from,
                           unsigned thread)
{
    const key *k = &p->key;
    if (k->site != site || k->frame != frame || k->from != from || k->thread != thread)
        return false;
    for (const word *w = p->word, *end = p->end; w < end; w++)
        if (*w->at != w->value)
            return false;
    return true;
}

/* At a free place of the index, or behind it where another thread has taken that. */
static __attribute__((noinline)) const void *learn(struct ob_trace_origins *t, const key *k,
                                                   size_t at, int tries)
{
    const void *found = k->site;
    ob_lock_take(&t->lock);
    while (tries < PROBES && atomic_load_explicit(&t->index[at % INDEX], memory_order_relaxed))
        at++, tries++;
    if (tries < PROBES && t->paths < PATHS) {
        path *p = &t->path[t->paths++];
        *p = (path){.key = *k, .origin = k->site, .end = p->word};
        walk(t, p);
        found = p->origin;
        atomic_store_explicit(&t->index[at % INDEX], p, memory_order_release);
    }
    ob_lock_release(&t->lock);
    return found;
}

static __attribute__((noinline)) const void *search(struct ob_trace_origins *t, const key *k,
                                                    size_t at)
{
    for (int tries = 0; tries < PROBES; tries++, at++) {
        const path *p = atomic_load_explicit(&t->index[at % INDEX], memory_order_acquire);
        if (p == NULL)
            return learn(t, k, at, tries);
        if (matches(p, k->site, k->frame, k->from, k->thread))
            return p->origin;
    }
    return k->site;
}

/* Most calls end at the first place looked at. Threads have stacks, and so frames, of their own. */
const void *ob_trace_origin_of(const void *site, const void *frame, const void *from,
                               unsigned thread)
{
    struct ob_trace_origins *t = ob_trace.origins;
    if (__builtin_expect(t == NULL || !t->walks || site == NULL, 0))
        return site;
    uint64_t hash = ob_hash_spread((uint64_t)(uintptr_t)site << 20 ^ (uintptr_t)frame);
    size_t at = (size_t)(hash >> (64 - INDEX_BITS));
    const path *p = atomic_load_explicit(&t->index[at], memory_order_acquire);
    if (__builtin_expect(p != NULL && matches(p, site, frame, from, thread), 1))
        return p->origin;
    return search(t, &(key){site, frame, from, thread}, at);
}

/* ------------------------------------------------------------------ for the file */

static ob_trace_where where(const place *p)
{
    return (ob_trace_where){p->address, p->offset, p->function, p->object};
}

void ob_trace_describe(const void *site, bool careful, ob_trace_described *d)
{
    struct ob_trace_origins *t = ob_trace.origins;
    const origin *o = site;
    *d = (ob_trace_described){.site.address = site};
    if (o >= t->origin && o < t->origin + PATHS) {
        *d = (ob_trace_described){.site = where(o->direct),
                                  .routine = o->routine->function,
                                  .direct = o->routine == o->direct};
        if (o->caller)
            d->caller = where(o->caller);
    } else if (!careful) {
        ob_lock_take(&t->lock);
        const place *p = place_of(t, site);
        ob_lock_release(&t->lock);
        if (p)
            d->site = where(p);
    }
}
