/*
 * For tests of the shared-memory link: processes 0 and 1 of a job, and messages from 0 to 1, played
 * by one thread.
 */
#ifndef OB_TRANSPORT_CHANNEL_LINK_TEST_H
#define OB_TRANSPORT_CHANNEL_LINK_TEST_H

#include "core/group.h"
#include "node/channel.h"
#include "node/thread_team.h"
#include "unit.h"

enum { KIB = 1024, MIB = 1 << 20 };

static team t;
static ob_group *from, *to; /* of process 0, of process 1 */
static ob_peer *out, *in;

static inline void open_pair(size_t heap_bytes, const ob_settings *set)
{
    team_open(&t, 2, heap_bytes, set);
    from = team_group(&t, 0);
    to = team_group(&t, 1);
    out = ob_job_peer(t.job[0], 1);
    in = ob_job_peer(t.job[1], 0);
    assert_string_equal(out->transport->name, "shm");
}

static inline void close_pair(void)
{
    ob_group_free(from);
    ob_group_free(to);
    assert_int_equal(team_close(&t), 0);
}

static inline ob_heap *sender_heap(void)
{
    return &t.job[0]->shm->heap;
}

static inline unsigned char *pattern(size_t bytes, uint64_t seed)
{
    unsigned char *p = malloc(bytes + 1);
    memset(p, 0, bytes); /* which a thread sanitizer sees */
    team_pattern(p, bytes, seed);
    return p;
}

static inline int send_bytes(size_t bytes, uint64_t seed)
{
    unsigned char *p = pattern(bytes, seed);
    ob_view v = ob_view_of_bytes(p, bytes);
    int status = ob_send(from, 1, 0, &v);
    free(p);
    return status;
}

static inline void recv_bytes(size_t bytes, uint64_t seed)
{
    unsigned char *expected = pattern(bytes, seed), *p = malloc(bytes + 1);
    ob_view v = ob_view_of_bytes(p, bytes);
    p[bytes] = 0x77;
    if (ob_recv(to, 0, 0, &v, NULL) != OB_OK)
        fail_msg("%zu bytes: %s", bytes, ob_error_text());
    if (memcmp(p, expected, bytes) || p[bytes] != 0x77)
        fail_msg("%zu bytes arrived damaged", bytes);
    free(p);
    free(expected);
}

#endif
