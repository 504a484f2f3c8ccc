/*
 * Supersteps: what BSP's model says of them, w + h g + l, beside what they took.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "late.h"

/* One process's end of a superstep, and the end of the one before it. */
typedef struct end {
    uint32_t call;
    int64_t since, received;
} end;

typedef struct ends {
    end *at; /* by process, then time */
    size_t *first;
} ends;

static bool ends_superstep(const obt_call *c)
{
    return c->topology == OBT_SUPERSTEP && c->group >= 0 && c->number >= 0 && c->end >= c->begin;
}

/* Calls of one process stand by time of begin. */
static void find_ends(const obt_analysis *a, ends *e)
{
    size_t processes = a->trace->process_count;
    e->first = obt_memory(processes + 2, sizeof *e->first);
    for (size_t i = 0; i < a->call_count; i++)
        e->first[a->calls[i].process + 2] += ends_superstep(&a->calls[i]);
    for (size_t p = 0; p < processes; p++)
        e->first[p + 2] += e->first[p + 1];
    e->at = obt_memory(e->first[processes + 1], sizeof *e->at);
    uint32_t *last = obt_memory(processes, sizeof *last); /* call + 1 */
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (!ends_superstep(c))
            continue;
        size_t k = e->first[c->process + 1]++;
        uint32_t before = last[c->process];
        e->at[k] =
            (end){(uint32_t)i,
                  before ? a->calls[before - 1].end : a->spans[a->first_span[c->process]].begin, 0};
        last[c->process] = (uint32_t)i + 1;
    }
    free(last);
}

/* The end of a superstep within which this moment of a process lies; NULL: none. */
static end *end_at(const obt_analysis *a, const ends *e, uint32_t process, int64_t time)
{
    size_t low = e->first[process], high = e->first[process + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->calls[e->at[middle].call].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == e->first[process])
        return NULL;
    end *found = &e->at[low - 1];
    return a->calls[found->call].end >= time ? found : NULL;
}

static void add_received(const obt_analysis *a, const ends *e)
{
    for (size_t i = 0; i < a->message_count; i++) {
        end *into = end_at(a, e, a->messages[i].to, a->messages[i].received);
        if (into)
            obt_sum(&into->received, a->messages[i].bytes);
    }
}

typedef struct search {
    const obt_analysis *a;
    obt_times times;
} search;

/* The spans of a superstep are no others', so all of them are looked at once. */
static void add_sleep(const search *s, uint32_t process, int64_t begin, int64_t end,
                      obt_superstep *to)
{
    const obt_span *spans = s->a->spans;
    size_t k = obt_span_at(s->a, &s->times, process, begin);
    for (; k != SIZE_MAX && k + 1 < s->times.end[process] && spans[k].begin < end; k++) {
        int64_t from = spans[k].begin > begin ? spans[k].begin : begin;
        int64_t until = spans[k + 1].begin < end ? spans[k + 1].begin : end;
        if (spans[k].state == OBT_NOT_RUNNING && spans[k].asleep) {
            obt_sum(&to->slept, until - from);
            obt_sum(&to->unsure, spans[k].unsure ? until - from : 0);
        }
    }
}

static void add_member(const search *s, obt_superstep *to, const end *e)
{
    const obt_call *c = &s->a->calls[e->call];
    int64_t did[OBT_CLASSES], work;
    obt_between(s->a, &s->times, c->process, e->since, c->begin, did);
    work = did[OBT_WORKS] + did[OBT_COMMUNICATES];
    if (to->members++ == 0 || e->since < to->begin)
        to->begin = e->since;
    if (to->members == 1 || c->begin > to->came) {
        to->by = to->members == 1 ? 0 : c->begin - to->came;
        to->last_stopped = did[OBT_STOPS];
        to->came = c->begin;
        to->call = e->call;
        to->last = c->process;
    } else if (to->members == 2 || to->came - c->begin < to->by) {
        to->by = to->came - c->begin;
    }
    if (to->members == 1 || c->end > to->end)
        to->end = c->end;
    /* Of several the one with the lowest number, whatever their order in the file. */
    const obt_process *all = s->a->trace->processes;
    if (to->members == 1 || work > to->work ||
        (work == to->work && all[c->process].id < all[to->slowest].id)) {
        to->work = work;
        to->slowest = c->process;
    }
    obt_sum(&to->work_sum, work);
    obt_sum(&to->stopped, did[OBT_STOPS]);
    add_sleep(s, c->process, e->since, c->begin, to);
    obt_sum(&to->sent_sum, c->bytes);
    int64_t own = c->bytes > e->received ? c->bytes : e->received;
    if (to->members == 1 || own > obt_h(to) ||
        (own == obt_h(to) && all[c->process].id < all[to->most].id))
        to->most = c->process;
    obt_sum(&to->h_sum, own);
    to->sent = c->bytes > to->sent ? c->bytes : to->sent;
    to->received = e->received > to->received ? e->received : to->received;
}

static int by_group(const void *x, const void *y, void *context)
{
    const obt_call *calls = context, *a = &calls[((const end *)x)->call],
                   *b = &calls[((const end *)y)->call];
    int c = obt_compare(a->group, b->group);
    c = c ? c : obt_compare(a->number, b->number);
    return c ? c : obt_compare(a->process, b->process);
}

static int by_coming(const void *x, const void *y)
{
    const obt_superstep *a = x, *b = y;
    int c = obt_compare(a->came, b->came);
    return c ? c : obt_compare(a->group, b->group);
}

static void gather(const search *s, const ends *e, size_t count, obt_supersteps *all)
{
    const obt_call *calls = s->a->calls;
    const end *at = e->at;
    all->step = obt_memory(count, sizeof *all->step);
    for (size_t i = 0, n; i < count; i += n) {
        const obt_call *first = &calls[at[i].call];
        obt_superstep *to = &all->step[all->count++];
        to->group = first->group;
        for (n = 0; i + n < count && calls[at[i + n].call].group == first->group &&
                    calls[at[i + n].call].number == first->number;
             n++)
            add_member(s, to, &at[i + n]);
        for (size_t k = i; k < i + n; k++)
            obt_sum(&to->wait, to->came - calls[at[k].call].begin);
    }
}

/* ------------------------------------------------------------------- g and l */

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Medians, since a few supersteps in which the system had other things to do must not count: l of
 * those that move little, then g of those that move much. */
static void fit(obt_supersteps *s)
{
    double *v = obt_memory(s->count, sizeof *v);
    int64_t most = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        most = obt_h(&s->step[i]) > most ? obt_h(&s->step[i]) : most;
    for (size_t i = 0; i < s->count; i++)
        if (obt_h(&s->step[i]) <= most / 16)
            v[n++] = (double)(s->step[i].end - s->step[i].came);
    s->apart = n > 0 && most > 0;
    for (size_t i = 0; n == 0 && i < s->count; i++)
        v[i] = (double)(s->step[i].end - s->step[i].came);
    s->latency = median(v, n ? n : s->count);
    n = 0;
    for (size_t i = 0; s->apart && i < s->count; i++)
        if (obt_h(&s->step[i]) >= most / 4 && obt_h(&s->step[i]) > 0)
            v[n++] = ((double)(s->step[i].end - s->step[i].came) - s->latency) /
                     (double)obt_h(&s->step[i]);
    s->gap = fmax(0, median(v, n));
    free(v);
}

int64_t obt_predicted(const obt_supersteps *all, const obt_superstep *s)
{
    return llround(all->gap * (double)obt_h(s) + all->latency);
}

void obt_find_supersteps(const obt_analysis *a, obt_supersteps *all)
{
    ends e;
    search s = {.a = a};
    *all = (obt_supersteps){0};
    find_ends(a, &e);
    size_t count = e.first[a->trace->process_count];
    if (count) {
        add_received(a, &e);
        obt_find_times(a, &s.times);
        qsort_r(e.at, count, sizeof *e.at, by_group, a->calls);
        gather(&s, &e, count, all);
        qsort(all->step, all->count, sizeof *all->step, by_coming);
        fit(all);
        obt_free_times(&s.times);
    }
    free(e.at);
    free(e.first);
}

void obt_free_supersteps(obt_supersteps *s)
{
    free(s->step);
}
