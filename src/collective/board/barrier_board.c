/*
 * Barrier among the members of one node: an empty round that all wait for.
 *
 * Where processes outnumber processors, members come out of it one after the other, and often the
 * next call waits for one of them alone: the root of a broadcast or scatter. Then it is best that
 * this one comes out first: who comes first otherwise looks for it in vain, and holds a processor
 * that it, or one before it, could have. So a member that has waited behind the last barriers for
 * the same other one lets it go ahead.
 */
#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "core/job.h"

/* Barriers behind which a member was waited for, before it is let ahead, and for how long. */
enum { LEADS_LEAST = 2 };
#define LEAD_SECONDS 3e-6

/* What has followed the last barrier? */
static void learn(ob_board *b)
{
    bool led = b->lone_round == b->barrier_round + 1;
    b->leads = !led ? 0 : b->lone == b->lead ? b->leads + 1 : 1;
    b->lead = b->lone;
}

/* Gives the processor to the lead where it wants this one. It may do something else than call us
 * again, so that is all over soon. */
static void let_ahead(const ob_board *b)
{
    const ob_group *g = b->group;
    const atomic_uint *next = &ob_board_note_of(b, b->lead, b->round + 1)->round;
    double until = ob_time() + LEAD_SECONDS;
    ob_waiter w;
    ob_wait_begin(&w, g->job);
    w.looks = OB_LOOKS - 1;
    while ((int32_t)(atomic_load_explicit(next, memory_order_relaxed) - b->round) <= 0 &&
           !ob_wait_turn(&w, g->peer[b->lead]) && ob_time() < until)
        ;
}

int ob_barrier_board(ob_group *group)
{
    ob_board *b;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    learn(b);
    status = ob_board_post_empty(b);
    if (status == OB_OK)
        status = ob_board_wait_all(b);
    b->barrier_round = b->round;
    if (status == OB_OK && b->leads >= LEADS_LEAST && ob_job_crowded(group->job))
        let_ahead(b);
    return status;
}
