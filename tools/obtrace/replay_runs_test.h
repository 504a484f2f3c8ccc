/*
 * Runs small enough to be followed by hand, for the tests of replays.
 */
#ifndef OBTRACE_REPLAY_RUNS_TEST_H
#define OBTRACE_REPLAY_RUNS_TEST_H

#include "formats.h"
#include "group_test.h"
#include "replay.h"

enum { SEND = 1000, RECEIVE, BROADCAST, SEND_BROADCAST, COMBINE, BARRIER, SYNC, BEGIN, AWAIT };

/* Processes 0 to n - 1 are one group; each records from 0 to `end`. */
static inline obt_trace *begin(int n, int64_t end)
{
    static const char *const names[] = {"dgesd2d",  "dgerv2d",       "dgebr2d",
                                        "dgebs2d",  "dgsum2d",       "blacs_barrier",
                                        "bsp_sync", "ob_ibroadcast", "ob_ibroadcast (wait)"};
    return begin_group(names, sizeof names / sizeof *names, SEND, NULL, n, end);
}

static inline void enter(obt_trace *t, int64_t time, int p, int64_t routine, int64_t root,
                         int64_t call, int64_t top)
{
    const int64_t v[OBT_VALUES] = {routine, -1, root, 0, 'A', top, 8, call};
    obt_add(t, time, p, OBT_BLOCK_BEGIN, v, OBT_VALUES);
}

static inline void post(obt_trace *t, int from, int to, int64_t order, int64_t time)
{
    const int64_t v[] = {to, 1, 8, order};
    obt_add(t, time, from, OBT_SEND, v, 4);
}

static inline void take(obt_trace *t, int to, int from, int64_t order, int64_t since, int64_t time)
{
    const int64_t v[] = {from, 1, 8, order}, sought[] = {1, from};
    if (time > since)
        obt_add(t, since, to, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, time, to, time > since ? OBT_RECV_WAKING : OBT_RECV, v, 4);
}

/* A call of a collective in which p waits from its begin until `until`. */
static inline void call(obt_trace *t, int p, int64_t routine, int64_t root, int64_t number,
                        int64_t from, int64_t until, int64_t to)
{
    const int64_t nobody = -1;
    enter(t, from, p, routine, root, number, 'I');
    if (until > from) {
        obt_add(t, from, p, OBT_WAIT_BEGIN, &nobody, 1);
        obt_add(t, until, p, OBT_WAIT_END, &nobody, 1);
    }
    leave(t, to, p, routine);
}

static inline int64_t replay(const obt_analysis *a, const obt_scenario *what, int64_t *ends)
{
    obt_steps s;
    obt_replay r;
    obt_find_steps(a, &s);
    obt_replay_run(&s, what, &r);
    for (size_t p = 0; ends && p < a->trace->process_count; p++)
        ends[a->trace->processes[p].id] = r.end[p];
    int64_t length = r.length;
    obt_free_replay(&r);
    obt_free_steps(&s);
    return length;
}

/* All curves are straight, in nanoseconds. */
static inline ob_profile profile(double send, double take, double whole)
{
    ob_profile p;
    ob_profile_builtin(&p);
    p.curve[OB_T_S] = (ob_curve){.pieces = 1, .piece = {{0, send / 1e3, 0}}};
    p.curve[OB_T_R] = (ob_curve){.pieces = 1, .piece = {{0, take / 1e3, 0}}};
    p.curve[OB_T_C] = (ob_curve){.pieces = 1, .piece = {{0, whole / 1e3, 0}}};
    p.curve[OB_T_O] = (ob_curve){.pieces = 1};
    return p;
}

#endif
