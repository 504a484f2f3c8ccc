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

/* Collective calls that carry data themselves: supersteps do it by messages. How many, and the
 * bytes of all members. */
static size_t collective_calls(const obt_analysis *a, int64_t *bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->outer != OBT_NO_CALL || c->group < 0 || c->number < 0 || c->bytes <= 0 ||
            c->topology == OBT_SUPERSTEP)
            continue;
        n++;
        obt_sum(bytes, c->bytes);
    }
    return n;
}

const char *obt_own_messages(const obt_analysis *a, int64_t *sum, char text[256])
{
    enum { NAME = 8 };
    size_t own = 0, names = 0;
    char bytes[32], some[64] = "all of them";
    *text = '\0';
    *sum = 0;
    for (size_t i = 0; i < a->call_count; i++)
        if (a->calls[i].topology == OBT_SUPERSTEP)
            return text;
    for (size_t i = 0; i < a->message_count; i++)
        if (a->messages[i].type == OBT_TYPE_COLLECTIVE) {
            own++;
            names += a->messages[i].bytes == NAME;
            obt_sum(sum, a->messages[i].bytes);
        }
    if (own < a->message_count)
        snprintf(some, sizeof some, "%zu of them (%s)", own, obt_show_bytes(*sum, bytes));
    if (own)
        snprintf(text, 256, ", %s within broadcasts, combines and the like%s", some,
                 names == own
                     ? ": in the first such call of a group on one machine its members are "
                       "told where their common memory is"
                     : "");
    return text;
}

static void say_whole(obt_analysis *a)
{
    char time[32], bytes[32], text[256], idle[96] = "";
    int64_t all = obt_recorded(&a->all), itself = 0;
    for (size_t i = 0; i < a->asked_count; i++)
        obt_sum(&itself, a->asked[i].from == a->asked[i].to ? a->asked[i].bytes : 0);
    const struct {
        int share;
        const char *name;
    } stops[] = {{percent(a->all.state[OBT_NOT_RUNNING] - a->all.slept, all), "not running"},
                 {percent(a->all.slept - a->all.unsure, all), "asleep"},
                 {percent(a->all.unsure, all), "asleep or not running"}};
    for (size_t i = 0, n = 0; i < sizeof stops / sizeof *stops; i++)
        if (stops[i].share)
            n += (size_t)snprintf(idle + n, sizeof idle - n, "%d %% %s, ", stops[i].share,
                                  stops[i].name);
    say(a,
        "%zu %s, %s: %d %% of their time is computing, %s%d %% work in communication "
        "routines, %d %% waiting for others.",
        a->active, a->active == 1 ? "process" : "processes", obt_show_time(a->end - a->begin, time),
        percent(a->all.state[OBT_COMPUTING], all), idle, percent(a->all.state[OBT_LIBRARY], all),
        percent(obt_blocked(&a->all), all));
    int64_t collective = 0, own;
    size_t calls = collective_calls(a, &collective);
    obt_own_messages(a, &own, text);
    if (a->message_count)
        say(a, "%zu messages carried %s%s.", a->message_count,
            obt_show_bytes(a->all.sent_bytes, bytes),
            percent(own, a->all.sent_bytes) > 0 ? text : "");
    if (percent(itself, a->all.sent_bytes) > 0)
        say(a,
            "Processes moved %s to themselves, by puts to their own number and the like: these are "
            "copies, no messages.",
            obt_show_bytes(itself, bytes));
    /* Where messages carried it, who sends and who receives are counted; more went without. */
    if (collective > a->all.sent_bytes && collective / 4 > own)
        say(a,
            "%zu calls of broadcasts, combines and the like had %s of data, that of each member "
            "counted; within a machine they need no messages.",
            calls, obt_show_bytes(collective, bytes));
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
    if (p->root == OBT_HOST)
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

/* One process that is blocked in what waits for one other. Where it is known who made the others
 * wait, who waited says nothing more. */
static void say_waiting(obt_analysis *a)
{
    enum { STANDS_OUT = 10, EXPLAINED = 40 };
    char name[32], where[96];
    int share;
    for (size_t k = 0; k < a->active; k++)
        if (percent(a->sums[a->order[k]].caused, obt_blocked(&a->all)) >= EXPLAINED)
            return;
    delay *p = obt_memory(a->wait_count, sizeof *p);
    for (size_t i = 0; i < a->wait_count; i++)
        p[i] = delay_of(a, &a->waits[i]);
    size_t n = join_delays(p, a->wait_count), most = longest_delay(a, p, n, &share);
    if (share >= STANDS_OUT && (p[most].root >= 0 || p[most].root == OBT_HOST)) {
        name_delay(&p[most], where, sizeof where);
        say(a, "%d %% of %s's time is blocked in %s.", share,
            obt_process_name(a, p[most].process, name), where);
    }
    free(p);
}

/* With what the process that would gain most could have done in the meantime. */
static void say_order(obt_analysis *a, bool advise)
{
    enum { STANDS_OUT = 10, LEAST = 2 };
    int share = percent(obt_late_by(a, OBT_WRONG_ORDER), obt_blocked(&a->all));
    char name[32], time[32];
    if (share < STANDS_OUT ||
        percent(a->all.state[OBT_RECEIVING], obt_recorded(&a->all)) < STANDS_OUT)
        return;
    uint32_t most = a->order[0];
    for (size_t k = 1; k < a->active; k++)
        most = a->sums[a->order[k]].order > a->sums[most].order ? a->order[k] : most;
    int64_t gain = a->sums[most].order;
    int part = percent(gain, a->end - a->begin);
    say(a,
        "%d %% of all waiting is for one message while another one was there that is received "
        "later (wrong order): the same waiting, counted by its kind.%s",
        share, part < LEAST ? " Another order would gain next to nothing." : "");
    if (!advise || part < LEAST)
        return;
    say(a,
        "Try to receive messages in the order in which they come: what %s does with those that "
        "are there, %s or %d %% of the run, it could do while it waits. No more can be won.",
        obt_process_name(a, most, name), obt_show_time(gain, time), part);
    obt_tell_gain(a, gain);
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
    bool steps = most == OBT_IN_BARRIER &&
                 obt_late_by(a, OBT_WAIT_SUPERSTEP) > a->all.state[OBT_IN_BARRIER] / 2;
    say(a, "Of all waiting, %d %% is %s%s.", percent(a->all.state[most], obt_blocked(&a->all)),
        most == OBT_COLLECTING  ? "in collective operations"
        : most == OBT_RECEIVING ? "for messages"
                                : "in ",
        most == OBT_COLLECTING || most == OBT_RECEIVING ? ""
        : most == OBT_BROADCASTING                      ? "broadcasts"
        : most == OBT_COMBINING                         ? "combines"
        : steps                                         ? "the ends of supersteps"
                                                        : "barriers");
    if (advise && advice[most] && !steps)
        say(a, "%s", advice[most]);
}

static int by_value(const void *x, const void *y)
{
    return obt_compare(*(const int64_t *)x, *(const int64_t *)y);
}

/* Beside the median, so that one process with little to do makes none of the others look busy. */
static void say_balance(obt_analysis *a)
{
    char name[32];
    uint32_t most = 0;
    int64_t sum = 0, *work = obt_memory(a->active, sizeof *work);
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        work[k] = obt_work(a, p);
        obt_sum(&sum, work[k]);
        if (k == 0 || work[k] > obt_work(a, most))
            most = p;
    }
    if (a->active)
        qsort(work, a->active, sizeof *work, by_value);
    double median = a->active ? (double)work[(a->active - 1) / 2] : 0;
    double ratio = median > 0 ? (double)obt_work(a, most) / median : 1;
    free(work);
    if (a->active < 2 || ratio < 1.15 || percent(sum, obt_recorded(&a->all)) < 5)
        return;
    say(a, "%s is uneven: %s %s %.2f times as long as the median process.",
        obt_sleeps(a) ? "Computing and sleep together" : "The work",
        obt_process_name(a, most, name), obt_sleeps(a) ? "computes or sleeps" : "computes", ratio);
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
        say(a, "%zu messages were received before they were sent: the clocks disagree%s.", a->early,
            obt_find_process(a->trace, OBT_HOST) == OBT_NONE
                ? ""
                : ", for PICL's host counts from another moment than its nodes");
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
    /* Causes first, then who waited. */
    bool followed = obt_say_causes(a, advise);
    obt_say_sleep(a);
    obt_say_went_on_late(a);
    say_order(a, advise);
    obt_say_hot_spots(a, advise);
    say_waits_by_state(a, advise && !followed);
    say_waiting(a);
    say_balance(a);
    if (advise)
        obt_say_predicted(a);
    say_lengths(a);
    obt_say_path(a);
    say_doubts(a);
}
