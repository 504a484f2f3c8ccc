/*
 * What the numbers say in plain words, and what to try. Each sentence has a rule
 * that asks for a minimum, so that small things are not talked about.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

/* Of every sentence here. */
#define say obt_say
#define percent obt_percent

static void say_whole(obt_analysis *a)
{
    char time[32], bytes[32], idle[48] = "";
    int64_t all = obt_recorded(&a->all);
    int not_running = percent(a->all.state[OBT_NOT_RUNNING], all);
    if (not_running)
        snprintf(idle, sizeof idle, "%d %% not running, ", not_running);
    say(a,
        "%zu %s, %s: %d %% of their time is computing, %s%d %% work in communication "
        "routines, %d %% waiting for others.",
        a->active, a->active == 1 ? "process" : "processes", obt_show_time(a->end - a->begin, time),
        percent(a->all.state[OBT_COMPUTING], all), idle, percent(a->all.state[OBT_LIBRARY], all),
        percent(obt_blocked(&a->all), all));
    if (a->message_count)
        say(a, "%zu messages carried %s.", a->message_count,
            obt_show_bytes(a->all.sent_bytes, bytes));
}

/* ---------------------------------------------------------- where one waits */

/* Waiting of one process in one kind of operation for one reason. */
typedef struct delay {
    uint32_t process;
    uint8_t state;
    char scope;
    int64_t root; /* position of the root within the group, or a process */
    int64_t blocked;
} delay;

static int by_cause(const void *x, const void *y)
{
    const delay *a = x, *b = y;
    int c = obt_compare(a->process, b->process);
    c = c ? c : obt_compare(a->state, b->state);
    c = c ? c : obt_compare(a->scope, b->scope);
    return c ? c : obt_compare(a->root, b->root);
}

/* Within a row the root's position is its column, and the other way about. */
static int64_t position(const obt_trace *t, const obt_call *c)
{
    const obt_group *g = c->group >= 0 ? &t->groups[c->group] : NULL;
    if (!g || (c->scope != 'R' && c->scope != 'C'))
        return c->root;
    for (size_t i = 0; i < g->member_count; i++)
        if (g->members[i] == c->root)
            return (int64_t)i;
    return -1;
}

static delay delay_of(const obt_analysis *a, const obt_wait *w)
{
    const obt_call *c = w->call == OBT_NO_CALL ? NULL : &a->calls[w->call];
    delay p = {.process = w->process, .state = w->state, .root = -1, .blocked = w->end - w->begin};
    if (w->state == OBT_RECEIVING)
        p.root = w->cause == UINT32_MAX ? -1 : a->trace->processes[w->cause].id;
    else if (c && w->state != OBT_IN_BARRIER) {
        p.scope = c->scope;
        p.root = position(a->trace, c);
    }
    return p;
}

static void name_delay(const delay *p, char *text, size_t room)
{
    static const char *const many[OBT_STATES] = {[OBT_RECEIVING] = "receives",
                                                 [OBT_BROADCASTING] = "broadcasts",
                                                 [OBT_COMBINING] = "combines",
                                                 [OBT_COLLECTING] = "collective operations",
                                                 [OBT_IN_BARRIER] = "barriers"};
    const char *scope = p->scope == 'R' ? "row " : p->scope == 'C' ? "column " : "";
    const char *of = p->scope == 'R' ? "column" : p->scope == 'C' ? "row" : "process";
    bool combine = p->state == OBT_COMBINING;
    if (p->root < 0 && p->root != OBT_HOST)
        snprintf(text, room, "%s%s", scope, many[p->state]);
    else if (p->root == OBT_HOST)
        snprintf(text, room, "%s from the host", many[p->state]);
    else
        snprintf(text, room, "%s%s %s %s %lld", scope, many[p->state], combine ? "to" : "from", of,
                 (long long)p->root);
}

/* Joins what is equal; how many are left. */
static size_t join_delays(delay *p, size_t count)
{
    size_t n = 0;
    qsort(p, count, sizeof *p, by_cause);
    for (size_t i = 0; i < count; i++)
        if (n && by_cause(&p[n - 1], &p[i]) == 0)
            p[n - 1].blocked += p[i].blocked;
        else
            p[n++] = p[i];
    return n;
}

/* The one with the longest waiting, and its share of its process's time. */
static size_t longest_delay(const obt_analysis *a, const delay *p, size_t count, int *share)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (p[i].blocked > p[most].blocked)
            most = i;
    *share = count ? percent(p[most].blocked, obt_recorded(&a->sums[p[most].process])) : 0;
    return most;
}

/* Where roots take turns no single one stands out: then all of them together. */
static void say_waiting(obt_analysis *a)
{
    enum { STANDS_OUT = 10, LEAST = 3 };
    delay *p = obt_memory(a->wait_count, sizeof *p);
    char name[32], where[96];
    int share;
    for (size_t i = 0; i < a->wait_count; i++)
        p[i] = delay_of(a, &a->waits[i]);
    size_t n = join_delays(p, a->wait_count), most = longest_delay(a, p, n, &share);
    if (share < STANDS_OUT) {
        for (size_t i = 0; i < n; i++)
            p[i].root = -1;
        n = join_delays(p, n);
        most = longest_delay(a, p, n, &share);
    }
    if (share >= LEAST) {
        name_delay(&p[most], where, sizeof where);
        say(a, "%d %% of %s's time is blocked in %s.", share,
            obt_process_name(a, p[most].process, name), where);
    }
    free(p);
}

/* The process and the stretch of its program that cost the others most. */
static void say_delays(obt_analysis *a)
{
    enum { LEAST = 3 };
    char name[32], time[32], what[320];
    const obt_delay *d = a->delays;
    if (a->delay_count == 0 || percent(d->cost, obt_recorded(&a->all)) < LEAST)
        return;
    say(a, "%d %% of all waiting (%s) is for %s: %s.", percent(d->cost, obt_blocked(&a->all)),
        obt_show_time(d->cost, time), obt_process_name(a, d->process, name),
        obt_delay_name(a, d, what, sizeof what));
}

/* ------------------------------------------------------------- what to try */

static void say_waits_by_state(obt_analysis *a, bool advise)
{
    static const char *const advice[OBT_STATES] = {
        [OBT_RECEIVING] = "Try to send earlier, or to do other work before receiving: the "
                          "receivers are there before their messages.",
        [OBT_COMBINING] = "Try to combine several values in one call, and a smaller block size: "
                          "combines wait for the last process to come.",
        [OBT_COLLECTING] = "Try to make grids once and keep them, and to collect fewer, longer "
                           "vectors.",
        [OBT_IN_BARRIER] = "Try without the barriers: messages keep their order by themselves."};
    int64_t all = obt_recorded(&a->all);
    int most = OBT_RECEIVING;
    for (int k = OBT_RECEIVING; k < OBT_STATES; k++)
        if (a->all.state[k] > a->all.state[most])
            most = k;
    if (percent(a->all.state[most], all) < 10)
        return;
    say(a, "Of all waiting, %d %% is %s%s.", percent(a->all.state[most], obt_blocked(&a->all)),
        most == OBT_COLLECTING  ? "in collective operations"
        : most == OBT_RECEIVING ? "for messages"
                                : "in ",
        most == OBT_COLLECTING || most == OBT_RECEIVING ? ""
        : most == OBT_BROADCASTING                      ? "broadcasts"
        : most == OBT_COMBINING                         ? "combines"
                                                        : "barriers");
    if (advise && advice[most])
        say(a, "%s", advice[most]);
}

static void say_balance(obt_analysis *a)
{
    char name[32];
    uint32_t most = 0;
    int64_t sum = 0;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        sum += a->sums[p].state[OBT_COMPUTING];
        if (k == 0 || a->sums[p].state[OBT_COMPUTING] > a->sums[most].state[OBT_COMPUTING])
            most = p;
    }
    double mean = (double)sum / (double)(a->active ? a->active : 1);
    double ratio = mean > 0 ? (double)a->sums[most].state[OBT_COMPUTING] / mean : 1;
    if (a->active < 2 || ratio < 1.15 ||
        percent(a->all.state[OBT_COMPUTING], obt_recorded(&a->all)) < 5)
        return;
    say(a, "The work is uneven: %s computes %.2f times as long as the mean.",
        obt_process_name(a, most, name), ratio);
}

static void say_lengths(obt_analysis *a)
{
    int64_t small = 0, small_bytes = 0;
    for (int k = 0; k <= 10; k++) {
        small += a->lengths[k];
        obt_sum(&small_bytes, a->length_bytes[k]);
    }
    if (a->message_count < 100 || percent(small, a->all.sent) < 70 ||
        percent(a->all.state[OBT_COMPUTING], obt_recorded(&a->all)) > 90)
        return;
    say(a, "%d %% of the messages are shorter than 1 KiB; they carry %d %% of the bytes.",
        percent(small, a->all.sent), percent(small_bytes, a->all.sent_bytes));
    say(a, "Try to put several short messages into one: each costs its start-up time.");
}

static void say_path(obt_analysis *a)
{
    char name[32];
    int64_t length = a->end - a->begin;
    uint32_t most = a->order[0];
    for (size_t k = 0; k < a->active; k++)
        if (a->sums[a->order[k]].on_path > a->sums[most].on_path)
            most = a->order[k];
    if (a->active < 2 || length <= 0)
        return;
    say(a,
        "The critical path runs through %s for %d %% of the time, and through messages under "
        "way for %d %%.",
        obt_process_name(a, most, name), percent(a->sums[most].on_path, length),
        percent(a->path_message, length));
}

static void say_doubts(obt_analysis *a)
{
    int64_t lost = 0;
    for (size_t i = 0; i < a->trace->process_count; i++)
        lost += a->trace->processes[i].lost;
    if (lost)
        say(a,
            "%lld events found no room in their buffers and are missing; what is said here ends "
            "where the buffers were full.",
            (long long)lost);
    if (a->trace->unreceived || a->trace->unsent)
        say(a,
            "%zu messages were sent and not received, %zu received and not sent, as far as the "
            "trace tells.",
            a->trace->unreceived, a->trace->unsent);
    if (a->early)
        say(a, "%zu messages were received before they were sent: the clocks disagree.", a->early);
    if (a->trace->unaligned)
        say(a,
            "The clocks of %zu processes are not known to the others: their times are their own.",
            a->trace->unaligned);
    if (*a->trace->unfinished)
        say(a, "%c%s.", toupper((unsigned char)a->trace->unfinished[0]), a->trace->unfinished + 1);
    if (a->trace->problems)
        say(a, "%zu records of the file could not be read.", a->trace->problems);
}

void obt_summarise(obt_analysis *a)
{
    a->disturbed = obt_say_processors(a);
    bool advise = !a->disturbed;
    say_whole(a);
    say_waiting(a);
    say_delays(a);
    say_waits_by_state(a, advise);
    say_balance(a);
    if (advise)
        obt_say_predicted(a);
    say_lengths(a);
    say_path(a);
    say_doubts(a);
}
