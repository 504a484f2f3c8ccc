/*
 * Wait states: how much of each wait is somebody's coming late, and whose. Patterns and their
 * names are Scalasca's. What remains of a wait is data under way, or, where there was none, the
 * process's own: it was late to go on.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    obt_analysis *a;
    obt_parts parts;
    obt_message **to; /* messages by receiver, then time sent */
    size_t *first_to; /* by process; one more at the end */
    int64_t *latest;  /* of to: when the last one of those sent until then was received by itself */
    obt_message **from; /* by sender, then time sent */
    size_t *first_from;
    obt_times times;
    bool *moves; /* by call: data came with it, or with that of another member */
} search;

/* ---------------------------------------------------------------- messages */

/* Messages stand by time sent; so do those of each process afterwards. */
static void divide(const obt_analysis *a, bool by_receiver, obt_message ***list, size_t **first)
{
    size_t processes = a->trace->process_count;
    size_t *at = obt_memory(processes + 1, sizeof *at),
           *begin = obt_memory(processes + 1, sizeof *at);
    obt_message **out = obt_memory(a->message_count, sizeof *out);
    for (size_t i = 0; i < a->message_count; i++)
        begin[(by_receiver ? a->messages[i].to : a->messages[i].from) + 1]++;
    for (size_t p = 0; p < processes; p++) {
        begin[p + 1] += begin[p];
        at[p + 1] = begin[p + 1];
    }
    for (size_t i = 0; i < a->message_count; i++)
        out[at[by_receiver ? a->messages[i].to : a->messages[i].from]++] = &a->messages[i];
    free(at);
    *list = out;
    *first = begin;
}

/* How many of these were sent before this time. */
static size_t sent_before(obt_message *const *list, size_t low, size_t high, int64_t time)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle]->sent < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The program cannot ask for it by itself: it is a part of a collective call. */
static bool in_collective(const search *s, const obt_message *m)
{
    const obt_analysis *a = s->a;
    size_t span = obt_span_at(a, &s->times, m->to, m->received - 1);
    const obt_call *c = span == SIZE_MAX || a->spans[span].call == OBT_NO_CALL
                            ? NULL
                            : &a->calls[a->spans[span].call];
    return c && obt_is_shared(c);
}

static void find_latest(search *s)
{
    s->latest = obt_memory(s->a->message_count, sizeof *s->latest);
    for (size_t p = 0; p < s->a->trace->process_count; p++)
        for (size_t i = s->first_to[p]; i < s->first_to[p + 1]; i++) {
            int64_t before = i > s->first_to[p] ? s->latest[i - 1] : INT64_MIN;
            int64_t received = in_collective(s, s->to[i]) ? before : s->to[i]->received;
            s->latest[i] = received > before ? received : before;
        }
}

/* A message that was sent before the awaited one is received after it: until when the last of
 * these; 0: there is none. */
static int64_t another_was_there(const search *s, const obt_wait *w)
{
    size_t first = s->first_to[w->process];
    size_t k = sent_before(s->to, first, s->first_to[w->process + 1], w->sent);
    return k > first && s->latest[k - 1] > w->end ? s->latest[k - 1] : 0;
}

/* What the process did until it had them it could have done while it waited, if it did no more. */
static void judge_order(const search *s, obt_wait *w)
{
    int64_t until = another_was_there(s, w), did[OBT_CLASSES], sum = 0;
    if (until == 0)
        return;
    w->pattern = OBT_WRONG_ORDER;
    obt_between(s->a, &s->times, w->process, w->end, until, did);
    for (int k = 0; k < OBT_WAITS; k++)
        obt_sum(&sum, did[k]);
    obt_sum(&s->a->sums[w->process].order, sum < w->late ? sum : w->late);
}

/* The last message that one process had sent to another, which had not received it; NULL: none. */
static const obt_message *under_way(const search *s, uint32_t from, uint32_t to, int64_t time)
{
    size_t first = s->first_from[from];
    size_t k = sent_before(s->from, first, s->first_from[from + 1], time + 1);
    for (int tries = 0; k > first && tries < 64; k--, tries++)
        if (s->from[k - 1]->to == to && s->from[k - 1]->received > time)
            return s->from[k - 1];
    return NULL;
}

/* Which calls of all members of a group had any data. */
static void find_moves(search *s)
{
    const obt_analysis *a = s->a;
    const obt_part *part = s->parts.by_process;
    s->moves = obt_memory(a->call_count, sizeof *s->moves);
    for (size_t i = 0; i < a->call_count; i++)
        s->moves[i] = !a->calls[i].sized || a->calls[i].bytes > 0;
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        size_t span = m->bytes ? obt_span_at(a, &s->times, m->to, m->received - 1) : SIZE_MAX;
        if (span != SIZE_MAX && a->spans[span].call != OBT_NO_CALL)
            s->moves[a->spans[span].call] = true;
    }
    for (size_t i = 0, n; i < s->parts.count; i += n) {
        bool any = false;
        for (n = 0; i + n < s->parts.count && part[i + n].group == part[i].group &&
                    part[i + n].number == part[i].number;
             n++)
            any = any || s->moves[part[i + n].call];
        for (size_t k = i; k < i + n; k++)
            s->moves[part[k].call] = any;
    }
}

/* ---------------------------------------------------------------- patterns */

/* Of a process without events nothing is known, nor of when it came. */
static void judge(const search *s, obt_wait *w, obt_pattern pattern, uint32_t culprit, int64_t came)
{
    int64_t until = came < w->end ? came : w->end;
    if (culprit == UINT32_MAX || culprit == w->process || until <= w->begin ||
        s->a->first_span[culprit] == SIZE_MAX)
        return;
    w->pattern = (uint8_t)pattern;
    w->culprit = culprit;
    w->late = until - w->begin;
}

/* A send that waits does so for its receive, which begins with the receiver's call. */
static void judge_send(const search *s, obt_wait *w, const obt_message *m)
{
    const obt_analysis *a = s->a;
    int64_t came = m->received;
    size_t span = obt_span_at(a, &s->times, m->to, m->received - 1);
    uint32_t call = span == SIZE_MAX ? OBT_NO_CALL : a->spans[span].call;
    if (call != OBT_NO_CALL && a->calls[call].begin <= came)
        came = a->calls[call].begin;
    judge(s, w, OBT_LATE_RECEIVER, m->to, came);
}

static bool named(const search *s, const obt_call *c, const char *part)
{
    return strcasestr(s->a->trace->routines[c->routine].name, part) != NULL;
}

/* Data goes from the root to the others, to the root, or everywhere. */
static obt_pattern pattern_of(const search *s, const obt_wait *w, const obt_call *c)
{
    bool rooted = c->root >= 0;
    if (w->state == OBT_BROADCASTING || obt_from_root(s->a, c))
        return rooted ? OBT_LATE_BROADCAST : OBT_WAIT_NXN;
    if (rooted && (w->state == OBT_COMBINING || w->state == OBT_COLLECTING))
        return OBT_EARLY_REDUCE;
    if (named(s, c, "sync") || named(s, c, "exchange") || named(s, c, "superstep"))
        return OBT_WAIT_SUPERSTEP;
    return w->state == OBT_IN_BARRIER ? OBT_WAIT_BARRIER : OBT_WAIT_NXN;
}

static void judge_collective(const search *s, obt_wait *w, const obt_call *c)
{
    obt_pattern pattern = pattern_of(s, w, c);
    const obt_part *last = NULL;
    bool rests = pattern == OBT_WAIT_BARRIER || pattern == OBT_WAIT_SUPERSTEP;
    if (rests && !s->moves[w->call])
        w->rest = OBT_LATE_TO_GO_ON;
    if (pattern == OBT_LATE_BROADCAST) {
        size_t root = obt_find_process(s->a->trace, c->root);
        last = root == SIZE_MAX ? NULL : obt_part_of(&s->parts, c, (uint32_t)root);
    } else {
        last = obt_last_part(&s->parts, c, w->end, w->process);
    }
    if (last)
        judge(s, w, pattern, last->process, last->begin);
}

/* Without group and number: what the wait itself says. */
static void judge_alone(const search *s, obt_wait *w)
{
    static const obt_pattern of_state[OBT_STATES] = {[OBT_RECEIVING] = OBT_LATE_SENDER,
                                                     [OBT_BROADCASTING] = OBT_LATE_BROADCAST,
                                                     [OBT_COMBINING] = OBT_EARLY_REDUCE,
                                                     [OBT_COLLECTING] = OBT_WAIT_NXN,
                                                     [OBT_IN_BARRIER] = OBT_WAIT_BARRIER};
    const obt_message *m =
        w->cause == UINT32_MAX ? NULL : under_way(s, w->process, w->cause, w->begin);
    if (w->sent >= 0) {
        judge(s, w, of_state[w->state], w->cause, w->sent);
        if (w->pattern == OBT_LATE_SENDER)
            judge_order(s, w);
    } else if (m) {
        judge_send(s, w, m);
    } else if (w->state == OBT_IN_BARRIER) {
        judge(s, w, OBT_WAIT_BARRIER, w->cause,
              w->end); /* sync0: it ends when the last one comes */
    }
}

/* -------------------------------------------------------------------- rows */

static int by_place(const void *x, const void *y)
{
    const obt_late_row *a = x, *b = y;
    int c = obt_compare(a->pattern, b->pattern);
    c = c ? c : obt_compare(a->routine, b->routine);
    return c ? c : obt_compare(a->site, b->site);
}

static int by_time(const void *x, const void *y)
{
    const obt_late_row *a = x, *b = y;
    int c = obt_compare(b->time, a->time);
    return c ? c : obt_compare((int64_t)a->longest, (int64_t)b->longest); /* as in every format */
}

static obt_late_row row_of(const obt_analysis *a, size_t wait, obt_pattern pattern, int64_t time)
{
    const obt_wait *w = &a->waits[wait];
    const obt_call *c = w->call == OBT_NO_CALL ? NULL : &a->calls[w->call];
    return (obt_late_row){.pattern = (uint8_t)pattern,
                          .routine = c ? c->routine : OBT_NO_CALL,
                          .site = c ? c->site : -1,
                          .waits = 1,
                          .time = time,
                          .most = time,
                          .longest = wait,
                          .because_of = UINT32_MAX};
}

static void count_rows(obt_analysis *a)
{
    obt_late_row *rows = obt_memory(3 * a->wait_count, sizeof *rows);
    size_t n = 0, count = 0;
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        int64_t rest = w->end - w->begin - w->late - w->delayed;
        if (obt_is_late(w->pattern))
            rows[count++] = row_of(a, i, (obt_pattern)w->pattern, w->late);
        if (w->delayed > 0)
            rows[count++] = row_of(a, i, OBT_NO_PROCESSOR, w->delayed);
        if (rest > 0)
            rows[count++] = row_of(a, i, (obt_pattern)w->rest, rest);
        obt_sum(&a->late, w->late);
    }
    if (count)
        qsort(rows, count, sizeof *rows, by_place);
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || by_place(&rows[n - 1], &rows[i])) {
            rows[n++] = rows[i];
            continue;
        }
        obt_late_row *r = &rows[n - 1];
        if (rows[i].most > r->most) {
            r->most = rows[i].most;
            r->longest = rows[i].longest;
        }
        r->waits++;
        obt_sum(&r->time, rows[i].time);
    }
    if (n)
        qsort(rows, n, sizeof *rows, by_time);
    a->late_rows = rows;
    a->late_row_count = n;
}

static int64_t row_key(const obt_analysis *a, const obt_late_row *r)
{
    int64_t routine = r->routine == OBT_NO_CALL ? 0 : (int64_t)r->routine + 1;
    return (routine * ((int64_t)a->trace->site_count + 1) + r->site + 1) * OBT_PATTERNS +
           r->pattern;
}

/* Of each row the process that most of it is because of. */
static void blame_rows(obt_analysis *a)
{
    obt_map row_of_key = {0}, sum_of = {0};
    int64_t *sums = obt_memory(a->wait_count, sizeof *sums);
    for (size_t i = 0; i < a->late_row_count; i++)
        obt_map_take(&row_of_key, row_key(a, &a->late_rows[i]), i);
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        if (w->late == 0)
            continue;
        obt_late_row of = row_of(a, i, (obt_pattern)w->pattern, w->late);
        size_t k = obt_map_find(&row_of_key, row_key(a, &of));
        obt_late_row *r = &a->late_rows[k];
        size_t n = obt_map_take(&sum_of, (int64_t)(k * a->trace->process_count + w->because_of),
                                sum_of.count);
        obt_sum(&sums[n], w->late);
        if (sums[n] > r->of_this) {
            r->of_this = sums[n];
            r->because_of = w->because_of;
        }
    }
    obt_map_free(&row_of_key);
    obt_map_free(&sum_of);
    free(sums);
}

void obt_find_late(obt_analysis *a)
{
    search s = {.a = a};
    obt_find_parts(a, &s.parts);
    obt_find_times(a, &s.times);
    divide(a, true, &s.to, &s.first_to);
    divide(a, false, &s.from, &s.first_from);
    find_latest(&s);
    find_moves(&s);
    for (size_t i = 0; i < a->wait_count; i++) {
        obt_wait *w = &a->waits[i];
        const obt_call *c = w->call == OBT_NO_CALL ? NULL : &a->calls[w->call];
        w->culprit = UINT32_MAX;
        if (c && obt_is_shared(c))
            judge_collective(&s, w, c);
        else
            judge_alone(&s, w);
        int64_t rest = w->end - w->begin - w->late;
        w->delayed = w->delayed < rest ? w->delayed : rest;
    }
    count_rows(a);
    obt_find_delays(a, &s.parts, &s.times);
    blame_rows(a);
    free(s.latest);
    free(s.moves);
    free(s.to);
    free(s.first_to);
    free(s.from);
    free(s.first_from);
    obt_free_parts(&s.parts);
    obt_free_times(&s.times);
}
