/*
 * Rounds on a board: posting, waiting, sleeping; board.h has the protocol.
 */
#include "message/board.h"

#include <stdlib.h>

#include "core/error.h"
#include "message/fence.h"
#include "message/message.h"
#include "message/wait.h"
#include "trace/trace.h"

/* A peer other than ourselves: its transport reaches the common memory. */
static ob_peer *another(const ob_group *g)
{
    return g->peer[g->me ? 0 : 1];
}

/* ---------------------------------------------------------- opening, closing */

static void clear(ob_board_memory *m, int size)
{
    atomic_init(&m->sleepers, 0);
    atomic_init(&m->bell, 0);
    atomic_init(&m->broken, 0);
    for (int i = 0; i < size; i++) {
        atomic_init(&m->lane[i].sleepers, 0);
        for (int k = 0; k < OB_BOARD_DEPTH; k++)
            atomic_init(&m->lane[i].note[k].round, 0);
    }
}

/* The channel that carries the name orders the clearing before its use. */
static int lend_to_all(ob_group *g, ob_board_memory **memory)
{
    uint64_t name;
    size_t bytes = sizeof(ob_board_memory) + (size_t)g->size * sizeof(ob_lane);
    int status = OB_OK;
    *memory = another(g)->transport->lend(another(g), bytes, (unsigned)g->size, &name);
    if (*memory == NULL)
        return OB_ENOMEM;
    clear(*memory, g->size);
    ob_view v = ob_view_of_bytes(&name, sizeof name);
    for (int i = 1; i < g->size && status == OB_OK; i++)
        status = ob_message_send(g, i, OB_TAG_COLLECTIVE, &v);
    return status;
}

static int borrow_from_first(ob_group *g, ob_board_memory **memory)
{
    uint64_t name = 0;
    ob_view v = ob_view_of_bytes(&name, sizeof name);
    int status = ob_message_recv(g, 0, OB_TAG_COLLECTIVE, &v, NULL);
    if (status == OB_OK)
        *memory = another(g)->transport->borrow(g->peer[0], name);
    return status;
}

static int open_board(ob_group *g)
{
    ob_board *b = malloc(sizeof *b);
    if (b == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a collective of %d members", g->size);
    *b = (ob_board){.group = g, .size = g->size, .me = g->me, .light = ob_fence_is_light()};
    int status = g->me == 0 ? lend_to_all(g, &b->memory) : borrow_from_first(g, &b->memory);
    if (status == OB_OK)
        g->board = b;
    else
        free(b);
    return status;
}

int ob_board_of(ob_group *g, ob_board **board)
{
    int status = g->board ? OB_OK : open_board(g);
    *board = g->board;
    return status;
}

void ob_board_close(ob_group *g)
{
    if (g->board == NULL)
        return;
    ob_board_give_back(g->board, g->board->memory);
    free(g->board);
    g->board = NULL;
}

/* ------------------------------------------------------------------- rounds */

static inline bool reached(const ob_board *b, int member, uint32_t round)
{
    const ob_note *note = &b->memory->lane[member].note[round % OB_BOARD_DEPTH];
    uint32_t there = atomic_load_explicit(&note->round, memory_order_acquire);
    return (int32_t)(there - round) >= 0;
}

/* The first member from `from` on that has not posted the round; size: none. */
static int missing(const ob_board *b, int from, uint32_t round)
{
    while (from < b->size && reached(b, from, round))
        from++;
    return from;
}

static int gone_error(const ob_board *b, int member)
{
    const ob_group *g = b->group;
    return ob_fail(OB_EGONE, "process %d, which process %d waits for, has ended",
                   g->peer[member]->number, g->job->number);
}

/* It is gone, and has not posted the round before it went. */
static bool is_gone(const ob_board *b, int member, uint32_t round)
{
    ob_peer *peer = b->group->peer[member];
    return peer->transport->gone(peer) && !reached(b, member, round);
}

/* Nothing else is read because of it, so relaxed; it is looked at before each nap. */
static bool is_broken(const ob_board *b, int member, uint32_t round)
{
    return atomic_load_explicit(&b->memory->broken, memory_order_relaxed) &&
           !reached(b, member, round);
}

static int broken_error(const ob_board *b)
{
    const ob_group *g = b->group;
    unsigned by = atomic_load_explicit(&b->memory->broken, memory_order_relaxed) - 1;
    return ob_fail(OB_ESIZE,
                   "a collective: process %d, which process %d needs for it, has failed; all members "
                   "must name the same sizes",
                   g->peer[by]->number, g->job->number);
}

void ob_board_break(ob_board *b)
{
    atomic_store_explicit(&b->memory->broken, (unsigned)b->me + 1, memory_order_relaxed);
}

static void sleep_for_one(ob_board *b, ob_waiter *w, int member, uint32_t round)
{
    ob_lane *lane = &b->memory->lane[member];
    ob_note *note = &lane->note[round % OB_BOARD_DEPTH];
    atomic_fetch_add(&lane->sleepers, 1);
    bool fenced = ob_fence_heavy();
    uint32_t there = atomic_load(&note->round);
    if ((int32_t)(there - round) < 0)
        ob_wait_sleep(w, &note->round, there, !fenced);
    atomic_fetch_sub(&lane->sleepers, 1);
}

/* Where processes outnumber processors, spinning first only keeps others waiting. */
static void begin_wait(const ob_board *b, ob_waiter *w)
{
    ob_wait_begin(w, b->group->job);
    if (ob_job_crowded(b->group->job))
        w->looks = OB_LOOKS - 1;
}

static int wait_for_one(ob_board *b, int member, uint32_t round)
{
    ob_peer *peer = b->group->peer[member];
    ob_waiter w;
    int64_t since = OB_TRACING ? ob_clock_begin() : 0;
    begin_wait(b, &w);
    while (!reached(b, member, round)) {
        if (!ob_wait_turn(&w, peer))
            continue;
        if (is_gone(b, member, round))
            return gone_error(b, member);
        if (is_broken(b, member, round))
            return broken_error(b);
        sleep_for_one(b, &w, member, round);
    }
    if (since)
        ob_trace_waited(b->group, member, since);
    return OB_OK;
}

/* Sequentially consistent loads: see board.h on posters that pass each other. */
static bool all_reached(const ob_board *b, uint32_t round)
{
    for (int i = 0; i < b->size; i++)
        if ((int32_t)(atomic_load(&b->memory->lane[i].note[round % OB_BOARD_DEPTH].round) - round) < 0)
            return false;
    return true;
}

static void sleep_for_all(ob_board *b, ob_waiter *w, uint32_t round)
{
    ob_board_memory *m = b->memory;
    atomic_fetch_add(&m->sleepers, 1);
    bool fenced = ob_fence_heavy();
    unsigned before = atomic_load(&m->bell);
    if (!all_reached(b, round))
        ob_wait_sleep(w, &m->bell, before, !fenced);
    atomic_fetch_sub(&m->sleepers, 1);
}

/* Of those that `first` is the first of: one that wants this very processor, lest we
 * look for one elsewhere while one here cannot run. */
static ob_peer *most_urgent(const ob_board *b, int first, uint32_t round)
{
    const ob_group *g = b->group;
    for (int i = first; i < b->size; i = missing(b, i + 1, round))
        if (ob_wait_is_here(g->job, g->peer[i]))
            return g->peer[i];
    return g->peer[first];
}

static int wait_for_all(ob_board *b, uint32_t round)
{
    ob_waiter w;
    int first = missing(b, 0, round), last = first;
    int64_t since = OB_TRACING && first < b->size ? ob_clock_begin() : 0;
    begin_wait(b, &w);
    for (int i = first; i < b->size; i = missing(b, i, round)) {
        ob_peer *peer = ob_wait_round_ends(&w) ? most_urgent(b, i, round) : b->group->peer[i];
        last = i;
        if (!ob_wait_turn(&w, peer))
            continue;
        if (is_gone(b, i, round))
            return gone_error(b, i);
        if (is_broken(b, i, round))
            return broken_error(b);
        sleep_for_all(b, &w, round);
    }
    if (since)
        ob_trace_waited(b->group, last, since);
    b->settled = round;
    return OB_OK;
}

/* One who has to wait for a free note waits until half of them are, lest each
 * round cost it a wait. That ends: a member that is not ahead of all others waits
 * for nobody here. */
int ob_board_begin(ob_board *b, ob_note **note)
{
    uint32_t next = b->round + 1, needed = next - OB_BOARD_DEPTH + 1;
    int status = OB_OK;
    if (__builtin_expect((int32_t)(b->settled - needed) < 0, 0))
        status = wait_for_all(b, needed + OB_BOARD_DEPTH / 2);
    *note = &b->memory->lane[b->me].note[next % OB_BOARD_DEPTH];
    return status;
}

int ob_board_keep_up(ob_board *b, uint32_t ahead)
{
    uint32_t needed = b->round - ahead;
    return (int32_t)(b->settled - needed) < 0 && b->round >= ahead ? wait_for_all(b, needed + ahead / 2)
                                                                    : OB_OK;
}

/* The fence orders our round before the look at the others'. */
static void wake_all(ob_board *b)
{
    ob_board_memory *m = b->memory;
    atomic_thread_fence(memory_order_seq_cst);
    if (!all_reached(b, b->round))
        return;
    atomic_fetch_add(&m->bell, 1);
    ob_wait_wake(&m->bell);
}

void ob_board_post(ob_board *b)
{
    ob_board_memory *m = b->memory;
    ob_lane *own = &m->lane[b->me];
    ob_note *note = &own->note[++b->round % OB_BOARD_DEPTH];
    atomic_store_explicit(&note->round, b->round, memory_order_release);
    ob_fence_light(b->light);
    if (__builtin_expect(atomic_load_explicit(&own->sleepers, memory_order_relaxed), 0))
        ob_wait_wake(&note->round);
    if (__builtin_expect(atomic_load_explicit(&m->sleepers, memory_order_relaxed), 0))
        wake_all(b);
}

int ob_board_wait(ob_board *b, int member)
{
    return reached(b, member, b->round) ? OB_OK : wait_for_one(b, member, b->round);
}

int ob_board_wait_all(ob_board *b)
{
    return wait_for_all(b, b->round);
}

/* -------------------------------------------------------------- lent memory */

void *ob_board_lend(ob_board *b, size_t bytes, unsigned readers, uint64_t *name)
{
    ob_peer *peer = another(b->group);
    return peer->transport->lend(peer, bytes, readers, name);
}

void *ob_board_borrow(const ob_board *b, int member, uint64_t name)
{
    return another(b->group)->transport->borrow(b->group->peer[member], name);
}

void ob_board_give_back(const ob_board *b, void *memory)
{
    another(b->group)->transport->give_back(memory);
}
