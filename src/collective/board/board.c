/*
 * Rounds on a board: posting, waiting, sleeping; board.h has the protocol.
 */
#include "collective/board/board.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "message/message.h"
#include "node/fence.h"
#include "node/wait.h"
#include "trace/trace.h"

/* ---------------------------------------------------------- opening, closing */

/* Nobody has posted a round after `before` in them. */
static void clear_lanes(char *lanes, int size, uint32_t depth, uint32_t before)
{
    for (int i = 0; i < size; i++) {
        ob_lane *lane = (ob_lane *)(void *)(lanes + (size_t)i * ob_board_stride(depth));
        atomic_init(&lane->sleepers, 0);
        atomic_init(&lane->fences, 0);
        atomic_init(&lane->deeper, 0);
        atomic_init(&lane->slates, 0);
        for (uint32_t k = 0; k < depth; k++)
            atomic_init(&lane->note[k].round, before);
    }
}

static void clear(ob_board_memory *m, int size)
{
    atomic_init(&m->sleepers, 0);
    atomic_init(&m->bell, 0);
    atomic_init(&m->breaker, 0);
    atomic_init(&m->broken, 0);
    m->line = 0;
    m->last = 0;
    clear_lanes(m->lanes, size, OB_BOARD_SHALLOW, 0);
}

/* Member 0's. The channel that carries the name orders what was written before. */
static int tell_all(ob_group *g, uint64_t name)
{
    int status = OB_OK;
    ob_view v = ob_view_of_bytes(&name, sizeof name);
    for (int i = 1; i < g->size && status == OB_OK; i++)
        status = ob_message_send(g, i, OB_TAG_COLLECTIVE, &v);
    return status;
}

static int hear_from_first(ob_group *g, uint64_t *name)
{
    ob_view v = ob_view_of_bytes(name, sizeof *name);
    return ob_message_recv(g, 0, OB_TAG_COLLECTIVE, &v, NULL);
}

static int lend_to_all(ob_group *g, ob_board_memory **memory)
{
    uint64_t name;
    size_t bytes = sizeof(ob_board_memory) + (size_t)g->size * ob_board_stride(OB_BOARD_SHALLOW);
    *memory = ob_group_lend(g, bytes, (unsigned)g->size, &name);
    if (*memory == NULL)
        return OB_ENOMEM;
    clear(*memory, g->size);
    return tell_all(g, name);
}

/* name: of the memory, where member 0 has told it; 0: it is this member, or will be heard. */
static int find_memory(ob_group *g, uint64_t name, ob_board_memory **memory)
{
    if (g->me == 0)
        return lend_to_all(g, memory);
    int status = name ? OB_OK : hear_from_first(g, &name);
    if (status == OB_OK)
        *memory = ob_group_borrow(g, 0, name);
    return status;
}

static int open_board(ob_group *g, uint64_t name)
{
    ob_board *b = calloc(1, sizeof *b + (size_t)g->size * sizeof *b->slate);
    if (b == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective of %d members", g->size);
    b->group = g;
    b->size = g->size;
    b->me = g->me;
    b->light = ob_fence_is_light();
    b->depth = b->look = OB_BOARD_SHALLOW;
    b->stride = ob_board_stride(b->depth);
    int status = find_memory(g, name, &b->memory);
    if (status != OB_OK) {
        free(b);
        return status;
    }
    b->lanes = b->memory->lanes;
    g->board = b;
    return OB_OK;
}

int ob_board_of(ob_group *g, ob_board **board)
{
    int status = g->board ? OB_OK : open_board(g, 0);
    *board = g->board;
    return status;
}

int ob_board_agree(ob_group *g, unsigned *word)
{
    uint64_t heard = *word;
    int status;
    if (g->me)
        status = hear_from_first(g, &heard);
    else if (*word || g->board)
        status = tell_all(g, *word);
    else
        return open_board(g, 0);
    bool name = heard > OB_BOARD_WORDS;
    *word = name ? 0 : (unsigned)heard;
    return status == OB_OK && name ? open_board(g, heard) : status;
}

/* Member i's slates, of which we are a reader; seen by it if it lends them later. */
static void leave_slates(ob_board *b, int i)
{
    ob_lane *lane =
        (ob_lane *)(void *)(b->memory->lanes + (size_t)i * ob_board_stride(OB_BOARD_SHALLOW));
    unsigned long long one = 1ull << OB_SLATES_LEFT, word = atomic_fetch_add(&lane->slates, one);
    if (word & (one - 1))
        ob_board_give_back(b, ob_board_borrow(b, i, word & (one - 1)));
}

/* Our part in the line of who broke the board. Who closes it before it is broken keeps a line of
 * its breaker there. */
static void leave_line(ob_board *b)
{
    int by = (int)atomic_load_explicit(&b->memory->broken, memory_order_acquire) - 1;
    if (by >= 0 && b->memory->line)
        ob_board_give_back(b, ob_board_borrow(b, by, b->memory->line));
}

void ob_board_close(ob_group *g)
{
    if (g->board == NULL)
        return;
    ob_board *b = g->board;
    leave_line(b);
    for (int i = 0; i < b->size; i++)
        leave_slates(b, i);
    if (b->lanes != b->memory->lanes)
        ob_board_give_back(b, b->lanes);
    ob_board_give_back(b, b->memory);
    free(b->direct);
    free(b);
    g->board = NULL;
}

/* -------------------------------------------------------------- deeper lanes */

static int lend_deep(ob_board *b, uint32_t next, char **lanes)
{
    uint64_t name = 0;
    *lanes = ob_board_lend(b, (size_t)b->size * ob_board_stride(OB_BOARD_DEPTH), (unsigned)b->size,
                           &name);
    if (*lanes)
        clear_lanes(*lanes, b->size, OB_BOARD_DEPTH, next - 1);
    int status = tell_all(b->group, *lanes ? name : 0);
    if (status != OB_OK)
        ob_board_break(b);
    return status;
}

static int borrow_deep(ob_board *b, char **lanes)
{
    uint64_t name = 0;
    ob_view v = ob_view_of_bytes(&name, sizeof name);
    int status = ob_board_recv(b, 0, &v);
    *lanes = status == OB_OK && name ? ob_board_borrow(b, 0, name) : NULL;
    return status;
}

static int wait_for_all(ob_board *b, uint32_t round);

/* From round `next` on; where there is no memory for them, never. The new lanes say of nobody what
 * it has posted before, so all have first. */
static int go_deep(ob_board *b, uint32_t next)
{
    char *lanes = NULL;
    int status = wait_for_all(b, next - 1);
    if (status == OB_OK)
        status = b->me == 0 ? lend_deep(b, next, &lanes) : borrow_deep(b, &lanes);
    b->look = next - 1;
    if (status != OB_OK || lanes == NULL)
        return status;
    b->lanes = lanes;
    b->depth = OB_BOARD_DEPTH;
    b->stride = ob_board_stride(b->depth);
    return OB_OK;
}

/* Wishes that all members have seen by now; a later one may be seen by some. */
static bool is_wanted(const ob_board *b, uint32_t seen)
{
    for (int i = 0; i < b->size; i++) {
        uint32_t wish = atomic_load_explicit(&ob_board_lane(b, i)->deeper, memory_order_relaxed);
        if (wish && (int32_t)(seen - wish) >= 0)
            return true;
    }
    return false;
}

static int look_at_wishes(ob_board *b, uint32_t next)
{
    if (b->depth == OB_BOARD_DEPTH)
        return OB_OK;
    if (is_wanted(b, next - b->depth + 1))
        return go_deep(b, next);
    b->look = next + b->depth;
    return OB_OK;
}

/* ------------------------------------------------------------------- rounds */

static inline bool reached(const ob_board *b, int member, uint32_t round)
{
    const ob_note *note = ob_board_note_of(b, member, round);
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

int ob_board_gone(const ob_board *b, int member)
{
    const ob_group *g = b->group;
    return ob_fail(OB_EGONE, "OB-5006 process %d, which process %d waits for, has ended",
                   g->peer[member]->number, g->job->number);
}

int ob_board_mixed(const ob_group *g, int ends, int other)
{
    return ob_fail(
        ends == g->me ? OB_ESTATE : OB_ESIZE,
        "OB-5003 process %d ends a superstep while process %d is in another collective call",
        g->peer[ends]->number, g->peer[other]->number);
}

int ob_board_other_call(const ob_board *b, int member, const char *does)
{
    const ob_group *g = b->group;
    return ob_fail(OB_ESIZE,
                   "OB-5003 process %d is in another collective call than process %d, which %s",
                   g->peer[member]->number, g->job->number, does);
}

/* It is gone, and has not posted the round before it went. */
static bool is_gone(const ob_board *b, int member, uint32_t round)
{
    ob_peer *peer = b->group->peer[member];
    return peer->transport->gone(peer) && !reached(b, member, round);
}

static bool is_broken(const ob_board *b, int member, uint32_t round)
{
    return atomic_load_explicit(&b->memory->broken, memory_order_relaxed) &&
           !reached(b, member, round);
}

/* How those who sleep on a word of the board name it: for this member, or (b->size) for all. */
static unsigned name_of(const ob_board *b, int member)
{
    uint64_t context = b->group->context;
    return ((unsigned)(context ^ context >> 32) + (unsigned)member) | 1u << 31;
}

static void rouse(const ob_board *b, atomic_uint *word, int member)
{
    ob_wait_rouse(b->group->job, word, b->group->peer, b->size, name_of(b, member));
}

/* Where we have to sleep, the others have to, and our posts save them the kernel's barrier. */
static void fence_posts(ob_board *b, int member)
{
    atomic_uint *fences = &ob_board_lane(b, b->me)->fences;
    if (atomic_load_explicit(fences, memory_order_relaxed) ||
        ob_wait_yields_reach(b->group->job, &b->group->peer[member], 1))
        return;
    b->light = false;
    atomic_store_explicit(fences, 1, memory_order_release);
}

/* Between counting ourselves and looking again for posts of the members first to last. */
static bool fence_of_sleeper(const ob_board *b, int first, int last)
{
    int i = first;
    while (i <= last && atomic_load_explicit(&ob_board_lane(b, i)->fences, memory_order_acquire))
        i++;
    if (i <= last)
        return ob_fence_heavy();
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

/* Then nobody sleeps, and whether it is for us is asked at once. */
static bool has_broken(const ob_board *b, ob_waiter *w)
{
    if (atomic_load(&b->memory->broken) == 0)
        return false;
    w->looks += OB_LOOKS - 1;
    return true;
}

static void sleep_for_one(ob_board *b, ob_waiter *w, int member, uint32_t round)
{
    ob_lane *lane = ob_board_lane(b, member);
    ob_note *note = ob_board_note_of(b, member, round);
    fence_posts(b, member);
    atomic_fetch_add(&lane->sleepers, 1);
    bool fenced = fence_of_sleeper(b, member, member);
    uint32_t there = atomic_load(&note->round);
    if ((int32_t)(there - round) < 0 && !has_broken(b, w))
        ob_wait_sleep(w, &note->round, there, !fenced, name_of(b, member));
    atomic_fetch_sub(&lane->sleepers, 1);
}

/* Where processes outnumber processors, spinning first only keeps others waiting. */
void ob_board_begin_wait(const ob_board *b, ob_waiter *w)
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
    ob_board_begin_wait(b, &w);
    while (!reached(b, member, round)) {
        if (!ob_wait_turn(&w, peer))
            continue;
        if (is_broken(b, member, round)) /* and said why, before it ended */
            return ob_board_broken(b);
        if (is_gone(b, member, round))
            return ob_board_gone(b, member);
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
        if ((int32_t)(atomic_load(&ob_board_note_of(b, i, round)->round) - round) < 0)
            return false;
    return true;
}

/* `absent` has not posted the round. */
static void sleep_for_all(ob_board *b, ob_waiter *w, int absent, uint32_t round)
{
    ob_board_memory *m = b->memory;
    fence_posts(b, absent);
    atomic_fetch_add(&m->sleepers, 1);
    bool fenced = fence_of_sleeper(b, 0, b->size - 1);
    unsigned before = atomic_load(&m->bell);
    if (!all_reached(b, round) && !has_broken(b, w))
        ob_wait_sleep(w, &m->bell, before, !fenced, name_of(b, b->size));
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
    ob_board_begin_wait(b, &w);
    for (int i = first; i < b->size; i = missing(b, i, round)) {
        ob_peer *peer = ob_wait_round_ends(&w) ? most_urgent(b, i, round) : b->group->peer[i];
        last = i;
        if (!ob_wait_turn(&w, peer))
            continue;
        if (is_broken(b, i, round)) /* and said why, before it ended */
            return ob_board_broken(b);
        if (is_gone(b, i, round))
            return ob_board_gone(b, i);
        sleep_for_all(b, &w, i, round);
    }
    if (since)
        ob_trace_waited(b->group, last, since);
    b->settled = round;
    return OB_OK;
}

/* One who has to wait for a free note waits until half of them are, lest each
 * round cost it a wait. That ends: a member that is not ahead of all others waits
 * for nobody here. */
static int wait_for_note(ob_board *b, uint32_t next)
{
    uint32_t enough = next - b->depth + 1 + b->depth / 2;
    atomic_uint *deeper = &ob_board_lane(b, b->me)->deeper;
    if (b->depth < OB_BOARD_DEPTH && missing(b, 0, enough) < b->size &&
        atomic_load_explicit(deeper, memory_order_relaxed) == 0)
        atomic_store_explicit(deeper, next, memory_order_relaxed); /* posting releases it */
    return wait_for_all(b, enough);
}

int ob_board_begin(ob_board *b, ob_note **note)
{
    uint32_t next = b->round + 1, needed = next - b->depth + 1;
    bool broken = atomic_load_explicit(&b->memory->broken, memory_order_relaxed);
    int status = __builtin_expect(broken, 0) ? ob_board_over(b, next) : OB_OK;
    if (__builtin_expect((int32_t)(b->settled - needed) < 0, 0) && status == OB_OK)
        status = wait_for_note(b, next);
    if (__builtin_expect(next == b->look, 0) && status == OB_OK)
        status = look_at_wishes(b, next);
    *note = ob_board_note_of(b, b->me, next);
    return status;
}

int ob_board_keep_up(ob_board *b, uint32_t ahead)
{
    uint32_t needed = b->round - ahead;
    return (int32_t)(b->settled - needed) < 0 && b->round >= ahead
               ? wait_for_all(b, needed + ahead / 2)
               : OB_OK;
}

/* Rounds from the one that is posted to the one whose note is asked for: others have read it a
 * turn ago and still hold it. */
enum { WANTED_AHEAD = 2 };
/* Bytes shown in the first line of a note. */
enum { FIRST_LINE = OB_LINE - offsetof(ob_note, data) };

/* The fence orders our round before the look at the others'. */
static void wake_all(ob_board *b)
{
    ob_board_memory *m = b->memory;
    atomic_thread_fence(memory_order_seq_cst);
    if (!all_reached(b, b->round))
        return;
    atomic_fetch_add(&m->bell, 1);
    rouse(b, &m->bell, b->size);
}

/* What we have lent has been filled. */
static inline void watch_lent(ob_board *b)
{
#if OB_WATCHED
    while (b->lents)
        ob_watched_release(b->lent[--b->lents % 4]);
#endif
    (void)b;
}

void ob_board_post(ob_board *b)
{
    ob_board_memory *m = b->memory;
    watch_lent(b);
    ob_lane *own = ob_board_lane(b, b->me);
    ob_note *note = ob_board_note_of(b, b->me, ++b->round);
    ob_wait_costs(1, 0);
    atomic_store_explicit(&note->round, b->round, memory_order_release);
    ob_fence_light(b->light);
    const ob_note *wanted = ob_board_note_of(b, b->me, b->round + WANTED_AHEAD);
    ob_want_to_write(wanted);
    if (note->bytes > FIRST_LINE)
        ob_want_to_write((const char *)wanted + OB_LINE);
    if (__builtin_expect(atomic_load_explicit(&own->sleepers, memory_order_relaxed), 0))
        rouse(b, &note->round, b->me);
    if (__builtin_expect(atomic_load_explicit(&m->sleepers, memory_order_relaxed), 0))
        wake_all(b);
}

int ob_board_post_empty(ob_board *b)
{
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->kind = UINT32_MAX; /* no combine's kind */
    note->bytes = 0;
    ob_board_post(b);
    return OB_OK;
}

bool ob_board_has(const ob_board *b, int member)
{
    return reached(b, member, b->round);
}

int ob_board_wait(ob_board *b, int member)
{
    int status = reached(b, member, b->round) ? OB_OK : wait_for_one(b, member, b->round);
    b->lone = member;
    b->lone_round = b->round;
    ob_wait_costs(2, 0);
    return status;
}

int ob_board_wait_all(ob_board *b)
{
    int status = wait_for_all(b, b->round);
    ob_wait_costs(2 + (b->size - 2) / 4.0, 0); /* of several lines the later ones overlap */
    return status;
}

/* -------------------------------------------------------------- lent memory */

static bool lend_slates(ob_board *b)
{
    uint64_t name;
    char *slates = ob_board_lend(b, OB_SLATES * OB_SLATE_BYTES, (unsigned)b->size, &name);
    if (slates == NULL)
        return false;
    ob_lane *first =
        (ob_lane *)(void *)(b->memory->lanes + (size_t)b->me * ob_board_stride(OB_BOARD_SHALLOW));
    unsigned long long left = atomic_fetch_add(&first->slates, name) >> OB_SLATES_LEFT;
    while (left--)
        ob_board_give_back(b, slates);
    b->slate[b->me] = slates;
    b->slates = name;
    return true;
}

int ob_board_free_slate(ob_board *b)
{
    return __builtin_expect(ob_board_has_free_slate(b), 1)
               ? OB_OK
               : wait_for_all(b, b->slate_round[b->shown % OB_SLATES] + 1);
}

char *ob_board_slate(ob_board *b, ob_note *note)
{
    if (b->slates == 0 && !lend_slates(b))
        return NULL;
    b->slate_round[b->shown % OB_SLATES] = b->round + 1;
    note->name[0] = b->shown++ % OB_SLATES;
    note->name[1] = b->slates;
    ob_wait_costs(0, note->bytes);
    return b->slate[b->me] + note->name[0] * OB_SLATE_BYTES;
}
