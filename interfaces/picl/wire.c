/*
 * What all messages are made of: a send, and a receive of a host that looks after its nodes
 * meanwhile.
 */
#include <stdio.h>
#include <time.h>

#include "hooks/together.h"
#include "picl.h"

static ob_view view_of(const void *data, size_t bytes, ob_type element)
{
    size_t m = bytes / (element == OB_DOUBLE ? sizeof(double)
                        : element == OB_BYTE ? 1
                                             : sizeof(int));
    return ob_view_vector(data, m, element);
}

void picl_put_as(const char *routine, ob_group *group, int position, int tag, const void *data,
                 size_t bytes, ob_type element)
{
    const ob_view v = view_of(data, bytes, element);
    if (group == NULL)
        picl_fault(routine, "OB-7003 no node is loaded: call load0 first");
    picl_check(routine, ob_send(group, position, tag, &v));
}

void picl_put(const char *routine, ob_group *group, int position, int tag, const void *data,
              size_t bytes)
{
    picl_put_as(routine, group, position, tag, data, bytes, OB_BYTE);
}

/* Has a plainly started host nobody to wait for any more? */
static int nobody_left(int position)
{
    for (int n = 0; n < picl_own.nodes; n++)
        if (picl_own.node[n].loaded && !picl_own.node[n].ended &&
            (position == OB_ANY || position == picl_position(n)))
            return 0;
    return 1;
}

static _Noreturn void nobody_comes(const char *routine, const ob_group *group, int position,
                                   int tag)
{
    if (group == picl_own.control)
        picl_fault(routine, "OB-7013 the program on node %d has ended without close0",
                   picl_number(position));
    if (position == OB_ANY)
        picl_fault(routine, "OB-7015 waits for a message of type %d, but all nodes have ended",
                   tag);
    picl_fault(routine, "OB-7015 waits for node %d, whose program has ended",
               picl_number(position));
}

static void nap(void)
{
    const struct timespec t = {0, 1000000};
    nanosleep(&t, NULL);
}

/* The host has its nodes to look after while it waits: those it started itself, which may
 * end, and all of them, which may wait for each other. */
static void await(const char *routine, ob_group *group, int position, int tag)
{
    enum { LOOKS = 5000 };
    int there = 0, lonely = 0;
    picl_suspicion s = {0};
    for (int looks = 0;; looks++) {
        picl_check(routine, ob_iprobe(group, position, tag, &there, NULL));
        if (there)
            return;
        if (lonely)
            nobody_comes(routine, group, position, tag);
        if (s.certain)
            picl_hang(routine, picl_what(group, position, tag));
        if (looks > LOOKS)
            picl_suspect(&s);
        if (looks > LOOKS && !picl_own.launch)
            nap();
        else if (looks > LOOKS || looks % 500 == 0)
            picl_attend(routine, looks > LOOKS ? 0.001 : 0);
        lonely = picl_own.launch && nobody_left(position);
    }
}

/* The core names processes; here they are nodes. */
static _Noreturn void too_long(const char *routine, size_t room, const ob_received *got)
{
    char from[32] = "the host";
    if (got->source > 0)
        snprintf(from, sizeof from, "node %d", picl_number(got->source));
    picl_fault(routine,
               "OB-7007 the message of type %d from %s has %zu bytes, and there is room for %zu",
               got->tag, from, got->bytes, room);
}

void picl_get(const char *routine, ob_group *group, int position, int tag, void *data, size_t bytes,
              ob_received *got)
{
    const ob_view v = view_of(data, bytes, OB_BYTE);
    if (group == NULL)
        picl_fault(routine, "OB-7003 no node is loaded: call load0 first");
    if (ob_together_is_open())
        picl_fault(routine, "OB-2525 is called between a begin and an end of calls that are put "
                            "together, where what it receives would not be there yet; call it "
                            "before the begin or behind the end");
    if (picl_own.launch || (picl_own.host && picl_sees_nodes()))
        await(routine, group, position, tag);
    if (!picl_own.host)
        ob_job_waits(picl_own.job, picl_what(group, position, tag));
    int status = ob_recv_with(group, position, tag, &v, OB_SHORTER, got);
    if (status == OB_ESIZE)
        too_long(routine, bytes, got);
    picl_check(routine, status);
    if (!picl_own.host)
        ob_job_waits(picl_own.job, 0);
}

int picl_meet_rounds(int count)
{
    int rounds = 0;
    for (int step = 1; step < count; step *= 2)
        rounds++;
    return rounds;
}

/* Dissemination: in round k each one hears from the one 2^k before it. */
double picl_meet(const char *routine, int tag, int count)
{
    double latest = ob_time(), heard;
    for (int step = 1; step < count; step *= 2) {
        ob_received got;
        picl_put(routine, picl_own.inner, picl_position((picl_own.me + step) % count), tag, &latest,
                 sizeof latest);
        picl_get(routine, picl_own.inner, picl_position((picl_own.me + count - step) % count),
                 OB_ANY, &heard, sizeof heard, &got);
        if (got.tag != tag)
            picl_fault(routine, "OB-7009 node %d is in another call, with type %d",
                       picl_number(got.source), got.tag);
        latest = heard > latest ? heard : latest;
    }
    return latest;
}
