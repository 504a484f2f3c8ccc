/*
 * Times that no message contradicts: where one would arrive before it was sent, its receive is
 * moved forward, and with it what follows in that process, as far as needed and no longer than
 * needed. Every event is looked at once. A receive waits until its send has been looked at.
 */
#include <stdlib.h>

#include "clocks.h"

typedef struct lane {   /* of a process */
    size_t next, until; /* events left, up to where they are asked for */
    size_t end;
    int64_t floor; /* none of them happens sooner */
    bool open;     /* it is looked at, or waits for another one */
} lane;

typedef struct order {
    obt_trace *t;
    size_t *send_of; /* of each receive, by event; OBT_NONE */
    lane *lanes;
    uint32_t *open; /* processes, each of which waits for the next one */
} order;

/* Messages that have a number, between two processes. */
static size_t *find_sends(const obt_trace *t)
{
    size_t *send_of = obt_memory(t->event_count, sizeof *send_of);
    for (size_t i = 0; i < t->event_count; i++)
        send_of[i] = OBT_NONE;
    for (size_t i = 0; i < t->match_count; i++) {
        const obt_match_ends *m = &t->matches[i];
        const obt_event *s = &t->events[m->sent], *r = &t->events[m->received];
        if (s->process != r->process && obt_get(t, r, OBT_ORDER, -1) >= 0)
            send_of[m->received] = m->sent;
    }
    return send_of;
}

/* Goes on with a process up to a receive whose send is still to be looked at: that one, or
 * OBT_NONE at the end. Processes that wait for each other in a circle wait in vain. */
static size_t advance(const order *o, lane *l)
{
    for (; l->next < l->until; l->next++) {
        obt_event *e = &o->t->events[l->next];
        size_t s = o->send_of[l->next];
        if (s != OBT_NONE) {
            const obt_event *send = &o->t->events[s];
            const lane *from = &o->lanes[send->process];
            if (from->next <= s && !from->open)
                return s;
            if (from->next > s && send->time >= l->floor)
                l->floor = send->time + 1;
        }
        if (e->time < l->floor)
            e->time = l->floor;
        if (e->kind == OBT_TRACE_FLUSH && o->t->values[e->first] < e->time)
            o->t->values[e->first] = e->time;
    }
    return OBT_NONE;
}

static void look_at(order *o, uint32_t process, size_t until, size_t *depth)
{
    o->lanes[process].until = until;
    o->lanes[process].open = true;
    o->open[(*depth)++] = process;
}

static void run(order *o, uint32_t process)
{
    size_t depth = 0;
    look_at(o, process, o->lanes[process].end, &depth);
    while (depth) {
        lane *l = &o->lanes[o->open[depth - 1]];
        size_t send = advance(o, l);
        if (send == OBT_NONE) {
            l->open = false;
            depth--;
        } else {
            look_at(o, o->t->events[send].process, send + 1, &depth);
        }
    }
}

void obt_order(obt_trace *t)
{
    obt_match(t);
    order o = {.t = t,
               .send_of = find_sends(t),
               .lanes = obt_memory(t->process_count, sizeof *o.lanes),
               .open = obt_memory(t->process_count, sizeof *o.open)};
    for (size_t i = 0; i < t->event_count; i++) {
        lane *l = &o.lanes[t->events[i].process];
        if (l->end == 0)
            *l = (lane){.next = i, .floor = INT64_MIN};
        l->end = i + 1;
    }
    for (uint32_t p = 0; p < t->process_count; p++)
        run(&o, p);
    free(o.send_of);
    free(o.lanes);
    free(o.open);
}
