/*
 * Boards that a member breaks, for what its error line says; and who waits for it then.
 */
#include <string.h>
#include <time.h>

#include "collective/board/board.h"
#include "core/error.h"
#include "message/message.h"
#include "node/shm.h"

/* So long one who breaks a board waits at most until those who sleep over it are awake. */
static const double WAKE_SECONDS = 0.02;

int ob_board_broken_error(const ob_board *b)
{
    const ob_group *g = b->group;
    int by = (int)atomic_load_explicit(&b->memory->broken, memory_order_acquire) - 1;
    if (b->memory->line)
        return ob_fail(OB_ESIZE, "%s", (const char *)ob_board_borrow(b, by, b->memory->line));
    return ob_fail(
        OB_ESIZE,
        "OB-5002 a collective: process %d, which process %d needs for it, has failed; all "
        "members must name the same sizes",
        g->peer[by]->number, g->job->number);
}

int ob_board_over(const ob_board *b, uint32_t round)
{
    if (atomic_load_explicit(&b->memory->broken, memory_order_acquire) == 0)
        return OB_OK;
    return b->over || (int32_t)(round - b->memory->last) > 0 ? ob_board_broken_error(b) : OB_OK;
}

static int of_group(const ob_group *g)
{
    return ob_board_broken(g->board);
}

/* Who comes when it has been broken may find a part of a message, of which no more will come. */
int ob_board_recv(ob_board *b, int member, const ob_view *matrix)
{
    int status = ob_board_broken(b);
    return status ? status
                  : ob_message_recv_unless(b->group, member, OB_TAG_COLLECTIVE, matrix, of_group);
}

/* Wakes all who sleep on these lanes; how many that may be. */
static unsigned wake_lanes(const ob_board *b, char *lanes, uint32_t depth)
{
    unsigned all = 0;
    for (int i = 0; i < b->size; i++) {
        ob_lane *lane = (ob_lane *)(void *)(lanes + (size_t)i * ob_board_stride(depth));
        unsigned some = atomic_load(&lane->sleepers);
        for (uint32_t k = 0; some && k < depth; k++)
            ob_wait_wake(&lane->note[k].round);
        all += some;
    }
    return all;
}

static unsigned wake_sleepers(const ob_board *b)
{
    const ob_group *g = b->group;
    ob_board_memory *m = b->memory;
    unsigned some = atomic_load(&m->sleepers);
    atomic_fetch_add(&m->bell, 1);
    ob_wait_rouse(g->job, &m->bell, g->peer, b->size, 0);
    if (b->lanes != m->lanes)
        some += wake_lanes(b, b->lanes, b->depth);
    return some + wake_lanes(b, m->lanes, OB_BOARD_SHALLOW);
}

/* Those who wait for messages sleep on their bells. */
static void ring_members(const ob_board *b)
{
    const ob_shm *shm = b->group->job->shm;
    for (int i = 0; shm && i < b->size; i++) {
        ob_segment_header *h = shm->segment[b->group->peer[i]->number];
        if (h && i != b->me)
            ob_segment_ring(h);
    }
}

/* Who was counted before the board was broken may fall asleep only now, and the words of the lanes
 * stay as they are: so once more until nobody is counted. One that is stopped, or was killed, is
 * not waited for longer. */
static void wake_members(const ob_board *b)
{
    const struct timespec pause = {0, 50000};
    double until = ob_time() + WAKE_SECONDS;
    ring_members(b);
    while (wake_sleepers(b) && ob_time() < until)
        nanosleep(&pause, NULL);
}

/* The first one's line stays until all members have closed the board. Sequentially consistent: who
 * goes to sleep counts itself and then looks, this is stored before the count is read. */
void ob_board_break(ob_board *b)
{
    ob_board_memory *m = b->memory;
    unsigned none = 0, mine = (unsigned)b->me + 1;
    b->over = true;
    if (!atomic_compare_exchange_strong(&m->breaker, &none, mine))
        return;
    size_t bytes = strlen(ob_error_text()) + 1;
    char *line = bytes > 1 ? ob_group_lend_now(b->group, bytes, (unsigned)b->size, &m->line) : NULL;
    if (line)
        memcpy(line, ob_error_text(), bytes);
    m->last = b->round;
    atomic_store(&m->broken, mine);
    wake_members(b);
}
