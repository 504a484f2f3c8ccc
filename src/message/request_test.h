/*
 * For tests of requests: sends and receives of a number that check themselves, and a run of so many
 * processes, which are threads over one shared memory.
 */
#ifndef OB_MESSAGE_REQUEST_TEST_H
#define OB_MESSAGE_REQUEST_TEST_H

#include "core/group.h"
#include "message/message.h"
#include "node/thread_team.h"
#include "unit.h"

static inline void send_value(ob_group *g, int to, int tag, double value)
{
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    OK(ob_send(g, to, tag, &v));
}

static inline double recv_value(ob_group *g, int from, int tag)
{
    double value = -1;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    OK(ob_recv(g, from, tag, &v, NULL));
    return value;
}

static inline ob_request *post(ob_group *g, int from, int tag, double *into)
{
    ob_request *r = NULL;
    ob_view v = ob_view_vector(into, 1, OB_DOUBLE);
    OK(ob_irecv(g, from, tag, &v, OB_EXACT, &r));
    return r;
}

static inline int is_done(ob_request **r)
{
    int done = 0;
    OK(ob_test(r, &done, NULL));
    return done;
}

/* Runs work with so many processes and expects no failed check. */
static inline void run(int count, team_work work)
{
    team t;
    team_open(&t, count, 64 << 20, NULL);
    team_run(&t, work);
    for (int i = 0; i < count; i++)
        TEAM_CHECK(atomic_load(&t.job[i]->pending) == 0, "process %d: %u", i,
                   atomic_load(&t.job[i]->pending));
    assert_int_equal(team_close(&t), 0);
}

#endif
