/*
 * Sums: by process, by routine, by pair of processes, by message length, and how
 * many processes computed at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

int64_t obt_blocked(const obt_sums *s)
{
    int64_t n = 0;
    for (int k = OBT_RECEIVING; k < OBT_STATES; k++)
        n += s->state[k];
    return n;
}

int64_t obt_recorded(const obt_sums *s)
{
    return obt_blocked(s) + s->state[OBT_COMPUTING] + s->state[OBT_LIBRARY] +
           s->state[OBT_NOT_RUNNING];
}

bool obt_sleeps(const obt_analysis *a)
{
    return a->all.slept > a->all.state[OBT_COMPUTING];
}

int64_t obt_work(const obt_analysis *a, uint32_t process)
{
    const obt_sums *s = &a->sums[process];
    return s->state[OBT_COMPUTING] + (obt_sleeps(a) ? s->slept : 0);
}

static void sum_states(obt_analysis *a)
{
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        size_t end = k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count;
        for (size_t i = a->first_span[p]; i + 1 < end; i++) {
            int64_t n = a->spans[i + 1].begin - a->spans[i].begin;
            obt_sum(&a->sums[p].state[a->spans[i].state], n);
            obt_sum(&a->all.state[a->spans[i].state], n);
        }
        obt_sum(&a->all.slept, a->sums[p].slept);
        obt_sum(&a->all.unsure, a->sums[p].unsure);
    }
}

static int length_class(int64_t bytes)
{
    int k = 0;
    for (; bytes > 0 && k < OBT_LENGTHS - 1; bytes >>= 1)
        k++;
    return k;
}

static void sum_messages(obt_analysis *a)
{
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        obt_sums *from = &a->sums[m->from], *to = &a->sums[m->to];
        from->sent++;
        obt_sum(&from->sent_bytes, m->bytes);
        to->received++;
        obt_sum(&to->received_bytes, m->bytes);
        a->all.sent++;
        obt_sum(&a->all.sent_bytes, m->bytes);
        a->lengths[length_class(m->bytes)]++;
        obt_sum(&a->length_bytes[length_class(m->bytes)], m->bytes);
    }
    a->all.received = a->all.sent;
    a->all.received_bytes = a->all.sent_bytes;
}

/* ------------------------------------------------------------------- routines */

static int by_time(const void *x, const void *y)
{
    const obt_row *a = x, *b = y;
    return a->time != b->time ? (a->time < b->time ? 1 : -1) : strcmp(a->name, b->name);
}

static void sum_calls(obt_analysis *a)
{
    size_t n = a->trace->routine_count, kept = 0;
    a->rows = obt_memory(n, sizeof *a->rows);
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        obt_row *r = &a->rows[c->routine];
        int64_t length = obt_length(c);
        if (c->bytes < r->least || r->calls == 0)
            r->least = c->bytes;
        r->most = c->bytes > r->most ? c->bytes : r->most;
        r->longest = length > r->longest ? length : r->longest;
        r->calls++;
        obt_sum(&r->time, length);
        obt_sum(&r->blocked, c->blocked);
        obt_sum(&r->packing, c->packing);
        obt_sum(&r->bytes, c->bytes);
        a->sums[c->process].calls++;
        a->all.calls++;
    }
    for (size_t i = 0; i < n; i++)
        if (a->rows[i].calls) {
            a->rows[i].name = a->trace->routines[i].name;
            a->rows[kept++] = a->rows[i];
        }
    a->row_count = kept;
    qsort(a->rows, kept, sizeof *a->rows, by_time);
}

/* ---------------------------------------------------------------------- pairs */

static int by_pair(const void *x, const void *y)
{
    const obt_pair *a = x, *b = y;
    int c = obt_compare(a->from, b->from);
    return c ? c : obt_compare(a->to, b->to);
}

static void sum_pairs(obt_analysis *a)
{
    size_t n = 0;
    obt_pair *p = obt_memory(a->message_count + a->wait_count, sizeof *p);
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        p[n++] = (obt_pair){m->from, m->to, 1, m->bytes, 0};
    }
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        if (w->cause != UINT32_MAX)
            p[n++] = (obt_pair){w->cause, w->process, 0, 0, w->end - w->begin};
    }
    qsort(p, n, sizeof *p, by_pair);
    for (size_t i = 0; i < n; i++) {
        obt_pair *last = a->pair_count ? &p[a->pair_count - 1] : NULL;
        if (!last || by_pair(last, &p[i])) {
            p[a->pair_count++] = p[i];
            continue;
        }
        last->messages += p[i].messages;
        obt_sum(&last->bytes, p[i].bytes);
        obt_sum(&last->blocked, p[i].blocked);
    }
    a->pairs = p;
}

/* ---------------------------------------------------------- at the same time */

typedef struct change {
    int64_t time;
    uint32_t process;
    int32_t by;
} change;

static int by_change(const void *x, const void *y)
{
    const change *a = x, *b = y;
    int c = obt_compare(a->time, b->time);
    return c ? c : obt_compare(a->by, b->by);
}

/* How long exactly k processes computed, between the first and the last event. */
static void count_computing(obt_analysis *a)
{
    change *c = obt_memory(a->span_count, sizeof *c);
    size_t n = 0, now = 0;
    for (size_t i = 0; i < a->span_count; i++) {
        bool first = i == 0 || a->spans[i - 1].state == OBT_OFF;
        bool was = !first && a->spans[i - 1].state == OBT_COMPUTING;
        bool is = a->spans[i].state == OBT_COMPUTING;
        if (is != was)
            c[n++] = (change){a->spans[i].begin, 0, is ? 1 : -1};
    }
    qsort(c, n, sizeof *c, by_change);
    a->concurrency = obt_memory(a->active + 1, sizeof *a->concurrency);
    int64_t since = a->begin;
    for (size_t i = 0; i < n; i++) {
        obt_sum(&a->concurrency[now], c[i].time - since);
        since = c[i].time;
        if (c[i].by > 0 || now > 0)
            now = c[i].by > 0 ? now + 1 : now - 1;
    }
    if (a->end > since)
        obt_sum(&a->concurrency[now], a->end - since);
    free(c);
}

/* The longest queue of each process: sent to it, and not received yet. */
static void count_queues(obt_analysis *a)
{
    change *c = obt_memory(2 * a->message_count, sizeof *c);
    int64_t *now = obt_memory(a->trace->process_count, sizeof *now);
    size_t n = 0;
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        int64_t end = m->received < m->sent ? m->sent : m->received;
        c[n++] = (change){m->sent, m->to, 1};
        c[n++] = (change){end, m->to, -1};
    }
    qsort(c, n, sizeof *c, by_change);
    for (size_t i = 0; i < n; i++) {
        int64_t *q = &now[c[i].process];
        *q += c[i].by;
        if (*q > a->sums[c[i].process].queue)
            a->sums[c[i].process].queue = *q;
        if (*q > a->all.queue)
            a->all.queue = *q;
    }
    free(now);
    free(c);
}

void obt_total(obt_analysis *a)
{
    sum_states(a);
    sum_messages(a);
    sum_calls(a);
    sum_pairs(a);
    count_computing(a);
    count_queues(a);
}
