/*
 * How long what made others wait takes: as a rule, or in the few stretches that are exceptions,
 * and how many these are; what the other processes take at the same place; and what came with a
 * call that was worked in.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

enum { LOOKED_AT = 200 }; /* of the costliest delays */

/* Routine and call site before and after; of what is done within a call, its own and WORK_IN, or
 * NOBODY less what of its waits was for nobody (obt_rest_of); ANY: whatever comes after. */
enum { WORK_IN = -2, ANY = -3, NOBODY = -4, RESTS = OBT_NO_PROCESSOR + 1 };

typedef struct place {
    int64_t of[4];
} place;

typedef struct sample {
    uint32_t place, process; /* place: index into places */
    int64_t length, begin, end;
} sample;

typedef struct look {
    const obt_analysis *a;
    place *places; /* in order */
    size_t place_count;
    sample *all; /* in the end by place, process, length */
    size_t count, room;
    int64_t (*rest)[RESTS]; /* by call: what of its waits was for nobody, as obt_rest_of says */
    size_t *begin;          /* of the samples of each place; one more at the end */
} look;

static int by_place(const void *x, const void *y)
{
    const place *a = x, *b = y;
    int c = 0;
    for (int k = 0; k < 4 && c == 0; k++)
        c = obt_compare(a->of[k], b->of[k]);
    return c;
}

static int by_sample(const void *x, const void *y)
{
    const sample *a = x, *b = y;
    int c = obt_compare(a->place, b->place);
    c = c ? c : obt_compare(a->process, b->process);
    c = c ? c : obt_compare(a->length, b->length);
    return c ? c : obt_compare(a->begin, b->begin);
}

static int by_length(const void *x, const void *y)
{
    return obt_compare(*(const int64_t *)x, *(const int64_t *)y);
}

static place place_between(const obt_analysis *a, uint32_t before, uint32_t after)
{
    const obt_call *b = before == OBT_NO_CALL ? NULL : &a->calls[before];
    const obt_call *c = after == OBT_NO_CALL ? NULL : &a->calls[after];
    return (place){{b ? (int64_t)b->routine : -1, b ? b->site : -1, c ? (int64_t)c->routine : -1,
                    c ? c->site : -1}};
}

static place place_of(const obt_analysis *a, const obt_delay *d)
{
    place p = place_between(a, d->before, obt_outside(d) ? d->after : OBT_NO_CALL);
    if (!obt_outside(d))
        p.of[2] = d->state == OBT_LIBRARY ? WORK_IN : NOBODY - d->rest;
    return p;
}

static place before_any(place p)
{
    p.of[2] = ANY;
    p.of[3] = -1;
    return p;
}

static uint32_t find_place(const look *l, const place *p)
{
    const place *found = bsearch(p, l->places, l->place_count, sizeof *l->places, by_place);
    return found ? (uint32_t)(found - l->places) : UINT32_MAX;
}

static void note(look *l, place p, uint32_t process, int64_t begin, int64_t end, int64_t length)
{
    uint32_t at = find_place(l, &p);
    if (at == UINT32_MAX || length < 0)
        return;
    l->all = obt_grow(l->all, l->count, &l->room, sizeof *l->all);
    l->all[l->count++] = (sample){at, process, length, begin, end};
}

/* Calls stand by process, then by time of begin; those within others do not count. */
static void note_all(look *l)
{
    const obt_analysis *a = l->a;
    uint32_t before = OBT_NO_CALL;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->outer != OBT_NO_CALL)
            continue;
        if (before != OBT_NO_CALL && a->calls[before].process != c->process)
            before = OBT_NO_CALL;
        int64_t since = before != OBT_NO_CALL ? a->calls[before].end
                                              : a->spans[a->first_span[c->process]].begin;
        place within = place_between(a, (uint32_t)i, OBT_NO_CALL);
        within.of[2] = WORK_IN;
        place between = place_between(a, before, (uint32_t)i);
        note(l, between, c->process, since, c->begin, c->begin - since);
        note(l, before_any(between), c->process, since, c->begin, c->begin - since);
        note(l, within, c->process, c->begin, c->end, obt_length(c) - c->blocked);
        for (int k = 0; k < RESTS; k++) {
            within.of[2] = NOBODY - k;
            note(l, within, c->process, c->begin, c->end, l->rest[i][k]);
        }
        before = (uint32_t)i;
    }
}

/* The samples of a place; how many there are. */
static size_t samples_of(const look *l, place p, const sample **first)
{
    uint32_t at = find_place(l, &p);
    size_t n = at == UINT32_MAX ? 0 : l->begin[at + 1] - l->begin[at];
    *first = n ? &l->all[l->begin[at]] : NULL;
    return n;
}

/* How many samples of one process `first` begins. */
static size_t together(const sample *first, size_t count)
{
    size_t n = 1;
    while (n < count && first[n].process == first->process)
        n++;
    return n;
}

/* How many of a process's samples, which stand by length, hold nearly all of what it took beyond
 * `usual`: the longest ones, down to those half as long as the next. */
static size_t long_ones(const sample *s, size_t count, int64_t usual)
{
    double all = 0, held = 0;
    size_t n = count;
    for (size_t i = 0; i < count; i++)
        all += s[i].length > usual ? (double)(s[i].length - usual) : 0;
    while (n > 0 && (n == count || held < .9 * all || s[n - 1].length > s[n].length / 2)) {
        n--;
        held += s[n].length > usual ? (double)(s[n].length - usual) : 0;
    }
    return count - n;
}

/* The median of what other processes take at a place, of each the sample at the same height as
 * number `at` of `of`; -1: none is there. medians: room for one of each process. */
static int64_t others_at(const look *l, place p, uint32_t process, size_t at, size_t of,
                         int64_t *medians)
{
    const sample *s;
    size_t others = 0, count = samples_of(l, p, &s);
    for (size_t n; count; count -= n, s += n) {
        n = together(s, count);
        if (s->process != process)
            medians[others++] = s[((2 * at + 1) * n - 1) / (2 * of)].length;
    }
    if (others)
        qsort(medians, others, sizeof *medians, by_length);
    return others ? medians[(others - 1) / 2] : -1;
}

/* Where all of a row's stretches end at one call the others are looked for there first. */
static void tell(const look *l, obt_delay *d, int64_t *medians)
{
    place p = place_of(l->a, d), any = before_any(p);
    place here = obt_outside(d) && !obt_ends_at_one(d) ? any : p;
    place theirs = here;
    const sample *own;
    size_t count = samples_of(l, here, &own), n = 0;
    while (count && own->process != d->process)
        own++, count--;
    d->elsewhere = obt_outside(d) && d->before != OBT_NO_CALL &&
                   others_at(l, p, d->process, 0, 1, medians) < 0 &&
                   others_at(l, any, d->process, 0, 1, medians) >= 0;
    if (d->elsewhere)
        theirs = any;
    d->others = others_at(l, theirs, d->process, 0, 1, medians);
    if (count == 0)
        return;
    n = together(own, count);
    size_t middle = (n - 1) / 2, most = n;
    if (n > 1)
        most = long_ones(own, n, d->others < 0 ? own[middle].length : d->others);
    if (10 * most < 9 * n) {
        d->rare = most;
        d->least = own[n - most].length;
        d->usual = own[(n - most - 1) / 2].length;
        middle = n - most + (most - 1) / 2;
    }
    d->times = n;
    d->typical = own[middle].length;
    d->typical_begin = own[middle].begin;
    d->typical_end = own[middle].end;
    d->others = others_at(l, theirs, d->process, middle, n, medians);
}

/* The stretches of a row at which a costlier one is, too: of the same process, behind the same
 * call; the typical lengths are those of whole stretches. */
static void mark_part(obt_analysis *a, size_t row)
{
    obt_delay *d = &a->delays[row];
    place p = place_of(a, d);
    for (size_t i = 0; i < row && obt_outside(d) && !d->part; i++) {
        const obt_delay *e = &a->delays[i];
        place q = place_of(a, e);
        size_t both = obt_ends_at_one(d) && obt_ends_at_one(e) ? 4 : 2;
        d->part = e->process == d->process && obt_outside(e) && e->times &&
                  memcmp(p.of, q.of, both * sizeof *p.of) == 0;
    }
}

/* ----------------------------------------------- what came with the costliest call */

static int by_process(const void *x, const void *y, void *context)
{
    const obt_delay *all = context, *a = &all[*(const size_t *)x], *b = &all[*(const size_t *)y];
    int c = obt_compare(a->process, b->process);
    return c ? c : obt_compare(a->before, b->before);
}

/* The bytes that a process received in its costliest call at a place. Such calls of one process do
 * not overlap, or are the same. */
static void add_bytes(obt_analysis *a, size_t looked)
{
    size_t *within = obt_memory(looked, sizeof *within), n = 0;
    for (size_t i = 0; i < looked; i++)
        if (!obt_outside(&a->delays[i]) && a->delays[i].before != OBT_NO_CALL)
            within[n++] = i;
    if (n)
        qsort_r(within, n, sizeof *within, by_process, a->delays);
    size_t *first = obt_memory(a->trace->process_count + 1, sizeof *first);
    for (size_t i = 0; i < n; i++)
        first[a->delays[within[i]].process + 1] = i + 1;
    for (size_t p = 0; p < a->trace->process_count; p++)
        first[p + 1] = first[p + 1] > first[p] ? first[p + 1] : first[p];
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        for (size_t k = first[m->to]; k < first[m->to + 1]; k++) {
            obt_delay *d = &a->delays[within[k]];
            if (a->calls[d->before].begin <= m->received && m->received <= a->calls[d->before].end)
                obt_sum(&d->bytes, m->bytes);
        }
    }
    for (size_t i = 0; i < n; i++) {
        obt_delay *d = &a->delays[within[i]];
        d->by = obt_asked_most(a, &a->calls[d->before], d->process, UINT32_MAX);
    }
    free(first);
    free(within);
}

/* All places that are looked at, in order, each once. */
static void find_places(look *l, size_t looked)
{
    const obt_analysis *a = l->a;
    size_t n = 0;
    l->places = obt_memory(2 * looked, sizeof *l->places);
    for (size_t i = 0; i < looked; i++) {
        place p = place_of(a, &a->delays[i]);
        l->places[n++] = p;
        if (obt_outside(&a->delays[i]))
            l->places[n++] = before_any(p);
    }
    qsort(l->places, n, sizeof *l->places, by_place);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_place(&l->places[l->place_count - 1], &l->places[i]))
            l->places[l->place_count++] = l->places[i];
}

/* Where the samples of each place begin, and where the last ones end. */
static void find_begins(look *l)
{
    l->begin = obt_memory(l->place_count + 1, sizeof *l->begin);
    for (size_t k = 0, first = 0; k <= l->place_count; k++) {
        l->begin[k] = first;
        while (first < l->count && l->all[first].place == k)
            first++;
    }
}

void obt_find_typical(obt_analysis *a)
{
    look l = {.a = a};
    size_t looked = a->delay_count < LOOKED_AT ? a->delay_count : LOOKED_AT;
    if (looked == 0)
        return;
    find_places(&l, looked);
    l.rest = obt_memory(a->call_count, sizeof *l.rest);
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        if (w->call != OBT_NO_CALL)
            obt_sum(&l.rest[w->call][obt_rest_of(w)], w->end - w->begin - w->late);
    }
    note_all(&l);
    if (l.count)
        qsort(l.all, l.count, sizeof *l.all, by_sample);
    find_begins(&l);
    int64_t *medians = obt_memory(a->trace->process_count, sizeof *medians);
    for (size_t i = 0; i < looked; i++)
        tell(&l, &a->delays[i], medians);
    for (size_t i = 0; i < looked; i++)
        mark_part(a, i);
    add_bytes(a, looked);
    free(medians);
    free(l.begin);
    free(l.rest);
    free(l.all);
    free(l.places);
}

const char *obt_typical_name(const obt_delay *d, char *text, size_t room)
{
    char own[32], usual[32], others[32], bytes[32];
    size_t n = 0;
    *text = '\0';
    obt_show_time(d->typical, own);
    obt_show_time(d->usual, usual);
    const char *whole = d->part ? "of whole stretches, whatever was done in them, " : "";
    if (d->rare)
        n = (size_t)snprintf(text, room, "%s%zu of %zu took %s, the rest %s", whole, d->rare,
                             d->times, own, usual);
    else if (d->times)
        n = (size_t)snprintf(text, room, "%s%zu x %s", whole, d->times, own);
    if (d->times && d->others >= 0 && n < room)
        n += (size_t)snprintf(text + n, room - n, ", the others %s%s",
                              obt_show_time(d->others, others),
                              d->elsewhere ? " to another call" : "");
    if (d->times && d->others >= 0 && d->rare && !d->elsewhere && n < room)
        n += (size_t)snprintf(text + n, room - n, " in their longest");
    if (d->times > 1 && n < room)
        n += (size_t)snprintf(text + n, room - n, " (medians)");
    if (d->bytes >= 65536 && n < room)
        snprintf(text + n, room - n, "%s%s came in the costliest call", n ? "; " : "",
                 obt_show_bytes(d->bytes, bytes));
    return text;
}
