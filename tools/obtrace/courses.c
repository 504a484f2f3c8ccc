/*
 * Collective operations that a process has begun and does other things meanwhile: which messages
 * were theirs, and when the process took a hand in them.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "hooks/hash.h"
#include "replay.h"

enum { LARGE = 256 * 1024 }; /* within a node such transfers have a thread (OPENBLACS_BACKGROUND) */

typedef struct find {
    obt_steps *s;
    obt_map by_number; /* strands, by process, group and number */
    obt_map by_tag;    /* the first, by process, context and tag, of a list in the order of time */
    size_t *before, *after;
    size_t *last, *current;    /* of a list, by its first */
    size_t *of_post, *of_take; /* by message; SIZE_MAX: it is of none */
} find;

static int64_t key_of(uint64_t process, int64_t of, int64_t which)
{
    uint64_t h = ob_hash_word(ob_hash_word(OB_HASH, process), (uint64_t)of);
    return (int64_t)ob_mix(ob_hash_word(h, (uint64_t)which));
}

/* ----------------------------------------------------------------- begins, ends */

static void add_strand(find *f, uint32_t call, size_t *room)
{
    obt_steps *s = f->s;
    const obt_call *c = &s->analysis->calls[call];
    int64_t context = obt_context(&s->analysis->trace->groups[c->group]);
    size_t k = s->strand_count++;
    size_t first = obt_map_take(&f->by_tag, key_of(c->process, context, c->tag), k);
    s->strands = obt_grow(s->strands, k, room, sizeof *s->strands);
    s->strands[k] = (obt_strand){.process = c->process, .begun = call, .ended = OBT_NO_CALL};
    obt_map_take(&f->by_number, key_of(c->process, c->group, c->number), k);
    f->after[k] = SIZE_MAX;
    f->before[k] = first == k ? SIZE_MAX : f->last[first];
    if (first != k)
        f->after[f->last[first]] = k;
    f->last[first] = k;
    f->current[k] = k;
}

static void find_strands(find *f)
{
    obt_steps *s = f->s;
    const obt_analysis *a = s->analysis;
    size_t room = 0;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->group < 0 || c->number < 0 || c->course == OBT_WHOLE)
            continue;
        if (c->course == OBT_BEGUN) {
            add_strand(f, (uint32_t)i, &room);
            continue;
        }
        size_t k = obt_map_find(&f->by_number, key_of(c->process, c->group, c->number));
        if (k != OBT_NONE)
            s->strands[k].ended = (uint32_t)i;
    }
}

/* -------------------------------------------------------------------- messages */

static int64_t begin_of(const obt_steps *s, size_t strand)
{
    return s->analysis->calls[s->strands[strand].begun].begin;
}

/* The strand of a process that sent or took a message at a time; SIZE_MAX: none. */
static size_t strand_of(const find *f, uint32_t process, const obt_message *m, int64_t time)
{
    const obt_steps *s = f->s;
    if (m->type > OBT_COURSE_TAG || m->context < 0)
        return SIZE_MAX;
    size_t first = obt_map_find(&f->by_tag, key_of(process, m->context, m->type));
    if (first == OBT_NONE)
        return SIZE_MAX;
    size_t k = f->current[first];
    while (f->after[k] != SIZE_MAX && begin_of(s, f->after[k]) <= time)
        k = f->after[k];
    while (f->before[k] != SIZE_MAX && begin_of(s, k) > time)
        k = f->before[k];
    return f->current[first] = k;
}

static void count_moves(find *f)
{
    obt_steps *s = f->s;
    const obt_analysis *a = s->analysis;
    size_t all = 0;
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        f->of_post[i] = strand_of(f, m->from, m, m->sent);
        f->of_take[i] = strand_of(f, m->to, m, m->received);
        /* With one end alone nobody could wait for the other one. */
        if (f->of_post[i] == SIZE_MAX || f->of_take[i] == SIZE_MAX) {
            f->of_post[i] = f->of_take[i] = SIZE_MAX;
            continue;
        }
        s->strands[f->of_post[i]].count++;
        s->strands[f->of_take[i]].count++;
    }
    for (size_t k = 0; k < s->strand_count; k++) {
        s->strands[k].first = all;
        all += s->strands[k].count;
        s->strands[k].count = 0;
    }
    s->moves = obt_memory(all, sizeof *s->moves);
}

/* Since when the process has waited for something at this time; INT64_MAX: it did not. */
static int64_t waiting_since(const obt_steps *s, uint32_t process, int64_t time)
{
    const obt_analysis *a = s->analysis;
    size_t span = obt_span_at(a, &s->times, process, time - 1);
    if (span == SIZE_MAX || obt_class_of(a->spans[span].state) != OBT_WAITS)
        return INT64_MAX;
    while (span > a->first_span[process] && obt_class_of(a->spans[span - 1].state) == OBT_WAITS)
        span--;
    return a->spans[span].begin;
}

/* Did the program do something else at this time? */
static bool elsewhere(const obt_steps *s, uint32_t process, int64_t time)
{
    const obt_analysis *a = s->analysis;
    size_t span = obt_span_at(a, &s->times, process, time);
    return span != SIZE_MAX && a->spans[span].begin < time &&
           (a->spans[span].state == OBT_COMPUTING || a->spans[span].state == OBT_NOT_RUNNING);
}

static void add_move(obt_steps *s, size_t strand, obt_move m)
{
    obt_strand *t = &s->strands[strand];
    s->moves[t->first + t->count++] = m;
    t->background = t->background || elsewhere(s, t->process, m.time);
}

static int by_time(const void *x, const void *y)
{
    const obt_move *a = x, *b = y;
    int c = obt_compare(a->time, b->time);
    c = c ? c : obt_compare(b->takes, a->takes);
    return c ? c : obt_compare((int64_t)a->message, (int64_t)b->message);
}

/* What is sent as it is begun, and needs nothing before, the call does itself. */
static void leave_to_call(find *f, obt_strand *t)
{
    const obt_steps *s = f->s;
    const obt_call *c = &s->analysis->calls[t->begun];
    while (t->count && !s->moves[t->first].takes && s->moves[t->first].time >= c->begin &&
           s->moves[t->first].time <= c->end) {
        f->of_post[s->moves[t->first].message] = SIZE_MAX;
        t->first++;
        t->count--;
    }
}

static void add_moves(find *f)
{
    obt_steps *s = f->s;
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        if (f->of_post[i] == SIZE_MAX)
            continue;
        add_move(s, f->of_post[i], (obt_move){.time = m->sent, .message = i});
        add_move(s, f->of_take[i],
                 (obt_move){.time = m->received,
                            .since = waiting_since(s, m->to, m->received),
                            .message = i,
                            .takes = true});
    }
    for (size_t k = 0; k < s->strand_count; k++) {
        obt_strand *t = &s->strands[k];
        const obt_call *c = &a->calls[t->begun];
        const obt_group *g = &a->trace->groups[c->group];
        s->untold += t->count == 0 && g->member_count > 1;
        t->known = t->count > 0;
        if (t->count)
            qsort(&s->moves[t->first], t->count, sizeof *s->moves, by_time);
        t->background = t->background || (c->bytes >= LARGE && obt_one_node(a->trace, g));
        leave_to_call(f, t);
    }
}

void obt_find_strands(obt_steps *s)
{
    const obt_analysis *a = s->analysis;
    find f = {.s = s,
              .before = obt_memory(a->call_count, sizeof *f.before),
              .after = obt_memory(a->call_count, sizeof *f.after),
              .last = obt_memory(a->call_count, sizeof *f.last),
              .current = obt_memory(a->call_count, sizeof *f.current),
              .of_post = obt_memory(a->message_count, sizeof *f.of_post),
              .of_take = obt_memory(a->message_count, sizeof *f.of_take)};
    s->untold = a->trace->untold;
    find_strands(&f);
    count_moves(&f);
    add_moves(&f);
    s->moved = obt_memory(a->message_count, sizeof *s->moved);
    for (size_t i = 0; i < a->message_count; i++)
        s->moved[i] = (uint8_t)((f.of_post[i] != SIZE_MAX ? OBT_MOVED_POST : 0) |
                                (f.of_take[i] != SIZE_MAX ? OBT_MOVED_TAKE : 0));
    obt_map_free(&f.by_number);
    obt_map_free(&f.by_tag);
    free(f.before);
    free(f.after);
    free(f.last);
    free(f.current);
    free(f.of_post);
    free(f.of_take);
}
