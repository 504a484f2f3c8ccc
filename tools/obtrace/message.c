/*
 * Messages with both ends, and what they say of waits.
 */
#include <stdlib.h>

#include "analysis.h"

static int by_time_sent(const void *x, const void *y)
{
    const obt_message *a = x, *b = y;
    int c = obt_compare(a->sent, b->sent);
    c = c ? c : obt_compare(a->received, b->received);
    return c ? c : obt_compare(a->to, b->to);
}

static void make_messages(obt_analysis *a)
{
    const obt_trace *t = a->trace;
    a->messages = obt_memory(t->match_count, sizeof *a->messages);
    a->message_count = t->match_count;
    for (size_t i = 0; i < t->match_count; i++) {
        const obt_match_ends *m = &t->matches[i];
        const obt_event *s = &t->events[m->sent], *r = &t->events[m->received];
        a->messages[i] = (obt_message){.sent = s->time,
                                       .received = r->time,
                                       .bytes = obt_get(t, s, OBT_BYTES, 0),
                                       .type = obt_get(t, s, OBT_TYPE, 0),
                                       .context = obt_get(t, s, OBT_CONTEXT, -1),
                                       .blocked = m->blocked,
                                       .from = s->process,
                                       .to = r->process,
                                       .routine = OBT_NO_CALL};
        a->early += r->time < s->time;
    }
    if (a->message_count)
        qsort(a->messages, a->message_count, sizeof *a->messages, by_time_sent);
}

/* The message that ended a wait tells when its sender came. */
static void tell_waits(obt_analysis *a)
{
    size_t *at = obt_memory(a->trace->process_count, sizeof *at);
    obt_message **of = obt_memory(a->message_count, sizeof *of);
    size_t *first = obt_memory(a->trace->process_count + 1, sizeof *first);
    for (size_t i = 0; i < a->message_count; i++)
        first[a->messages[i].to + 1]++;
    for (size_t p = 0; p < a->trace->process_count; p++) {
        first[p + 1] += first[p];
        at[p] = first[p];
    }
    for (size_t i = 0; i < a->message_count; i++)
        of[at[a->messages[i].to]++] = &a->messages[i];
    for (size_t i = 0; i < a->wait_count; i++) {
        obt_wait *w = &a->waits[i];
        /* Of what its cause sent to it, the latest before the wait ended. */
        size_t low = first[w->process], high = first[w->process + 1];
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (of[middle]->sent <= w->end)
                low = middle + 1;
            else
                high = middle;
        }
        for (size_t k = low, tries = 0; k > first[w->process] && tries < 64; k--, tries++) {
            obt_message *m = of[k - 1];
            if (m->from != w->cause || m->received < w->end)
                continue;
            w->sent = m->sent;
            if (w->call != OBT_NO_CALL)
                m->routine = a->calls[w->call].routine;
            break;
        }
    }
    free(first);
    free(of);
    free(at);
}

void obt_tell_messages(obt_analysis *a)
{
    make_messages(a);
    tell_waits(a);
}
