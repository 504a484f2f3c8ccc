/*
 * How near the members of a group are to each other, where the system does not say it: each two let
 * a line go back and forth, all pairs in rounds in which each member has one partner. Member 0
 * makes places of the times and tells all, so that all have the same.
 *
 * It begins when all have come, and is given up, by all, when it takes too long, or when member 0,
 * which alone needs memory for it, has none.
 */
#include "collective/levels/levels.h"
#include "message/message.h"
#include "node/near.h"
#include "node/shm.h"

#include <stdlib.h>

/* Of all that a process measures. */
static const double MOST_SECONDS = 1e-3;

typedef struct meter {
    ob_group *g;
    char *lines;    /* one of each member */
    uint64_t name;  /* of these; 0: there is no memory, and nobody measures */
    uint16_t *trip; /* member 0: of all pairs; others: their row */
} meter;

/* Whom a member meets in one of `n` - 1 rounds, n even: the circle method. */
static int partner(int i, int round, int n)
{
    if (i == n - 1)
        return (int)((long)round * (n / 2) % (n - 1));
    int other = ((round - i) % (n - 1) + (n - 1)) % (n - 1);
    return other == i ? n - 1 : other;
}

static void measure(const meter *m)
{
    int n = m->g->size, even = n + n % 2, me = m->g->me;
    double until = ob_time() + MOST_SECONDS;
    for (int round = 0; round < even - 1; round++) {
        int other = partner(me, round, even), first = me < other ? me : other;
        if (other >= n)
            continue;
        atomic_uint *word = (atomic_uint *)(void *)(m->lines + (size_t)first * OB_LINE);
        m->trip[other] =
            ob_near_trip(word, me == first, (unsigned)round * 2 * OB_NEAR_TRIPS, until);
        if (m->trip[other] == 0)
            return;
    }
}

static int send(const meter *m, int to, void *what, size_t bytes)
{
    ob_view v = ob_view_of_bytes(what, bytes);
    return ob_message_send(m->g, to, OB_TAG_COLLECTIVE, &v);
}

static int receive(const meter *m, int from, void *what, size_t bytes)
{
    ob_view v = ob_view_of_bytes(what, bytes);
    return ob_message_recv(m->g, from, OB_TAG_COLLECTIVE, &v, NULL);
}

/* Member 0's. */
static void lend_lines(meter *m)
{
    size_t n = (size_t)m->g->size;
    m->trip = calloc(n * n, sizeof *m->trip);
    if (m->trip)
        m->lines = ob_group_lend(m->g, n * OB_LINE, (unsigned)n, &m->name);
    if (m->lines == NULL)
        m->name = 0;
    for (size_t i = 0; i < n && m->lines; i++)
        atomic_init((atomic_uint *)(void *)(m->lines + i * OB_LINE), 0);
}

/* Where the lines are, when all have come. */
static int meet(meter *m)
{
    int n = m->g->size, status = OB_OK;
    char here = 0;
    if (m->g->me) {
        status = send(m, 0, &here, 1);
        if (status == OB_OK)
            status = receive(m, 0, &m->name, sizeof m->name);
        if (status == OB_OK && m->name)
            m->lines = ob_group_borrow(m->g, 0, m->name);
        return status;
    }
    lend_lines(m);
    for (int i = 1; i < n && status == OB_OK; i++)
        status = receive(m, i, &here, 1);
    for (int i = 1; i < n && status == OB_OK; i++)
        status = send(m, i, &m->name, sizeof m->name);
    return status;
}

/* The less of what two have measured of each other. False: some have not. */
static bool settle_times(const meter *m)
{
    int n = m->g->size;
    bool all = true;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            uint16_t *a = &m->trip[i * n + k], *b = &m->trip[k * n + i];
            all = all && *a && *b;
            *a = *b = *a < *b ? *a : *b;
        }
    return all;
}

/* Member 0's. */
static int find_places(const meter *m, uint64_t *place)
{
    int n = m->g->size, status = OB_OK;
    for (int i = 1; i < n && m->name && status == OB_OK; i++)
        status = receive(m, i, m->trip + (size_t)i * (size_t)n, (size_t)n * sizeof *m->trip);
    int *number = malloc((size_t)n * sizeof *number);
    for (int i = 0; i < n && number; i++)
        number[i] = m->g->peer[i]->number;
    bool found = status == OB_OK && m->name && number && settle_times(m) &&
                 ob_near_measured(m->trip, n, number, place) > 0;
    for (int i = 0; i < n; i++)
        place[i] = (found ? place[i] : 0) | OB_NEAR_BOUND;
    free(number);
    return status;
}

int ob_tiers_tell(ob_group *g, uint64_t *place)
{
    const meter m = {.g = g};
    size_t bytes = (size_t)g->size * sizeof *place;
    int status = g->me ? receive(&m, 0, place, bytes) : OB_OK;
    for (int i = 1; i < g->size && g->me == 0 && status == OB_OK; i++)
        status = send(&m, i, place, bytes);
    return status;
}

int ob_tiers_measure(ob_group *g, uint64_t *place)
{
    uint16_t row[OB_MEASURED_MOST] = {0};
    meter m = {.g = g, .trip = g->me ? row : NULL};
    int status = meet(&m);
    if (status == OB_OK && m.name)
        measure(&m);
    if (status == OB_OK && g->me == 0)
        status = find_places(&m, place);
    else if (status == OB_OK && m.name)
        status = send(&m, 0, row, (size_t)g->size * sizeof *row);
    if (status == OB_OK)
        status = ob_tiers_tell(g, place);
    if (status == OB_OK)
        atomic_store_explicit(&g->job->shm->own->measured, place[g->me], memory_order_relaxed);
    if (m.lines)
        ob_group_give_back(g, m.lines);
    if (m.trip != row)
        free(m.trip);
    return status;
}
