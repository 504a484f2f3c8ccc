/*
 * For tests: traces of runs that are small enough to be added up by hand.
 */
#ifndef OBTRACE_RUNS_TEST_H
#define OBTRACE_RUNS_TEST_H

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "group_test.h"
#include "unit.h"

enum { SEND = 1000, RECEIVE, BROADCAST, COMBINE, COLLECT, BARRIER, SYNC, SCATTER, BEGIN, END };

/* Processes 0 to n - 1 are one group; each records from when it joined (NULL: 0) to `end`. */
static inline obt_trace *begin_at(const int64_t *joined, int n, int64_t end)
{
    static const char *const names[] = {"dgesd2d",    "dgerv2d",       "dgebr2d",  "dgsum2d",
                                        "ob_collect", "blacs_barrier", "bsp_sync", "icc_scatter",
                                        "bsp_begin",  "bsp_end"};
    return begin_group(names, sizeof names / sizeof *names, SEND, joined, n, end);
}

static inline obt_trace *begin(int n, int64_t end)
{
    return begin_at(NULL, n, end);
}

/* The file tells when processes joined. */
static inline void know_joined(obt_trace *t, const int64_t *joined, int64_t end)
{
    for (size_t p = 0; p < t->process_count; p++) {
        t->processes[p].began = joined[p];
        t->processes[p].ended = end;
    }
}

static inline void enter_with(obt_trace *t, int64_t time, int p, int64_t routine, int64_t root,
                              int64_t call, int64_t bytes)
{
    const int64_t v[OBT_VALUES] = {routine, -1, root, 0, 'A', ' ', bytes, call};
    obt_add(t, time, p, OBT_BLOCK_BEGIN, v, OBT_VALUES);
}

static inline void enter(obt_trace *t, int64_t time, int p, int64_t routine, int64_t root,
                         int64_t call)
{
    enter_with(t, time, p, routine, root, call, 8);
}

/* A call of a collective in which p waits from its begin until `until`. */
static inline void call(obt_trace *t, int p, int64_t routine, int64_t root, int64_t number,
                        int64_t from, int64_t until, int64_t to)
{
    const int64_t nobody = -1;
    enter(t, from, p, routine, root, number);
    if (until > from) {
        obt_add(t, from, p, OBT_WAIT_BEGIN, &nobody, 1);
        obt_add(t, until, p, OBT_WAIT_END, &nobody, 1);
    }
    leave(t, to, p, routine);
}

/* A send whose caller waits for its receive until `until`. */
static inline void send(obt_trace *t, int from, int to, int64_t order, int64_t time, int64_t until)
{
    const int64_t v[] = {to, order >= 100, 8, order}, awaited = to;
    enter(t, time, from, SEND, -1, -1);
    obt_add(t, time, from, OBT_SEND, v, 4);
    if (until > time) {
        obt_add(t, time, from, OBT_WAIT_BEGIN, &awaited, 1);
        obt_add(t, until, from, OBT_WAIT_END, &awaited, 1);
    }
    leave(t, until > time ? until : time + 1, from, SEND);
}

static inline void receive(obt_trace *t, int to, int from, int64_t order, int64_t since,
                           int64_t time)
{
    const int64_t v[] = {from, order >= 100, 8, order}, sought[] = {order >= 100, from};
    enter(t, since, to, RECEIVE, -1, -1);
    if (time > since)
        obt_add(t, since, to, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, time, to, time > since ? OBT_RECV_WAKING : OBT_RECV, v, 4);
    leave(t, time + 1, to, RECEIVE);
}

static inline int64_t late_of(const obt_analysis *a)
{
    int64_t late = 0;
    for (size_t i = 0; i < a->wait_count; i++)
        late += a->waits[i].late;
    return late;
}

/* Whatever the trace is: each nanosecond of waiting is in one row, and each of late waiting in one
 * of what made others wait, and in one process's sum of these. */
static inline void assert_sums(const obt_analysis *a)
{
    int64_t rows = 0, delays = 0, late = late_of(a), waiting = 0, all = 0, caused = 0;
    for (size_t i = 0; i < a->late_row_count; i++) {
        rows += obt_is_late(a->late_rows[i].pattern) ? a->late_rows[i].time : 0;
        all += a->late_rows[i].time;
        assert_true(a->late_rows[i].most <= a->late_rows[i].time);
    }
    for (size_t i = 0; i < a->wait_count; i++)
        waiting += a->waits[i].end - a->waits[i].begin;
    for (size_t i = 0; i < a->wait_count; i++)
        assert_int_equal(a->waits[i].because_of != UINT32_MAX, a->waits[i].late > 0);
    for (size_t p = 0; p < a->trace->process_count; p++)
        caused += a->sums[p].caused;
    assert_int_equal(all, waiting);
    assert_int_equal(caused, late_of(a));
    for (size_t i = 0; i < a->delay_count; i++)
        delays += a->delays[i].cost;
    assert_int_equal(rows, late);
    assert_int_equal(a->late, late);
    assert_int_equal(delays, late);
}

static inline bool said(const obt_analysis *a, const char *part)
{
    for (size_t i = 0; i < a->text_count; i++)
        if (strstr(a->texts[i], part))
            return true;
    return false;
}

static inline void end(obt_trace *t, obt_analysis *a)
{
    assert_sums(a);
    obt_analysis_free(a);
    obt_trace_free(t);
}

#endif
