/*
 * Tiers: which members of a group on one node share a board; levels.h says what for.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "core/error.h"
#include "node/near.h"
#include "node/shm.h"
#include "node/wait.h"

#include <stdlib.h>

enum { LEVEL_TIERS = 3 };
/* In member 0's word: places are looked at; below stands how many share a board. */
enum { PLACES = 1 << 11 };

static ob_segment_header *header_of(const ob_group *g, int i)
{
    return g->job->shm->segment[g->peer[i]->number];
}

/* Who has joined has said where it is. Before that it waits for none of us. False: the launcher
 * has not even started some, who may join while others look. */
static bool all_join(const ob_group *g)
{
    bool joined = true;
    for (int i = 0; i < g->size; i++) {
        const ob_segment_header *h = header_of(g, i);
        while (atomic_load_explicit(&h->life, memory_order_acquire) == OB_LIFE_STARTED) {
            atomic_uint nobodys = 0;
            ob_wait_word(&nobodys, 0, 100000);
        }
        joined = joined && atomic_load_explicit(&h->life, memory_order_acquire) >= OB_LIFE_JOINED;
    }
    return joined;
}

/* Member 0's. Where processes outnumber processors each tier costs switches between them. */
static unsigned decide(const ob_group *g)
{
    const ob_tiers_choice *choice = &g->job->set.tiers;
    if (!choice->always && ob_job_crowded(g->job))
        return 0;
    bool simulated = g->job->shm == NULL; /* no place is known */
    if (simulated || header_of(g, g->me)->near == 0 || !all_join(g))
        return (unsigned)choice->most;
    return (unsigned)choice->most | PLACES;
}

/* The group in the order of its boards. Member 0's word came after all had said their places, if
 * it says that they count, so all members read the same ones. */
static int make_order(ob_group *g, unsigned word, ob_tiers *t)
{
    size_t n = (size_t)g->size;
    uint64_t *place = calloc(n, sizeof *place + sizeof(int));
    int *order = (int *)(void *)(place + n), *board = malloc(n * sizeof *board), boards = -1;
    if (place && board) {
        for (int i = 0; i < g->size && (word & PLACES); i++)
            place[i] = atomic_load_explicit(&header_of(g, i)->near, memory_order_relaxed);
        boards = ob_near_boards(place, g->size, (int)(word & (PLACES - 1)), order, board);
    }
    if (boards > 0) {
        for (int i = 0; i < g->size; i++)
            t->slot[order[i]] = i;
        t->order = ob_group_level(g, LEVEL_TIERS, order, g->size, t->slot[g->me]);
    }
    free(place);
    if (t->order == NULL) {
        free(board);
        return ob_fail(OB_ENOMEM, "no memory for a collective of %d members", g->size);
    }
    t->order->one_node = true;
    t->order->node = board;
    t->order->nodes = boards;
    return OB_OK;
}

static int settle(ob_group *g);

/* All boards are opened at once: later, one who fails must find those that it is to break. */
static int open_boards(ob_group *order)
{
    ob_levels *l;
    ob_board *b;
    int status = ob_levels_of(order, 0, &l);
    if (status == OB_OK && l->local->size > 1)
        status = ob_board_of(l->local, &b);
    if (status != OB_OK || !l->leading)
        return status;
    return ob_has_many(l->leaders) ? settle(l->leaders) : ob_board_of(l->leaders, &b);
}

static int settle(ob_group *g)
{
    ob_tiers *t = calloc(1, sizeof *t + (size_t)g->size * sizeof *t->slot);
    if (t == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a collective of %d members", g->size);
    unsigned word = g->me == 0 ? decide(g) : 0;
    int status = ob_board_agree(g, &word);
    if (status == OB_OK && word)
        status = make_order(g, word, t);
    g->tiers = t;
    return status == OB_OK && word ? open_boards(t->order) : status;
}

int ob_boards_open(ob_levels *l)
{
    const ob_tiers *t = NULL;
    ob_board *b;
    if (l->local->size == 1)
        return OB_OK;
    int status = ob_has_many(l->local) ? ob_tiers_of(l->local, &t) : OB_OK;
    return status == OB_OK && t == NULL ? ob_board_of(l->local, &b) : status;
}

int ob_tiers_of(ob_group *g, const ob_tiers **tiers)
{
    int status = g->tiers || !ob_has_many(g) ? OB_OK : settle(g);
    *tiers = status == OB_OK && ob_has_tiers(g) ? g->tiers : NULL;
    return status;
}

/* ---------------------------------------------------------------------- broadcasts */

/* On a board where the matrix comes from the member `at` (-1: from another board, to member 0). */
static void add(ob_stream *s, const ob_group *g, int at)
{
    int shows = at < 0 ? 0 : at;
    if (g->me == shows) {
        s->on[s->count++] = g->board;
    } else {
        s->from = g->board;
        s->at = shows;
    }
}

/* From the member in slot `root` of the order, -1: of another group. */
static int find(ob_group *order, int root, ob_stream *s)
{
    ob_levels *l;
    int status = ob_levels_of(order, 0, &l);
    if (status != OB_OK)
        return status;
    int node = root < 0 ? -1 : order->node[root], mine = order->node[order->me];
    if (l->local->size > 1)
        add(s, l->local, node == mine ? root - l->member[0] : -1);
    if (!l->leading)
        return OB_OK;
    if (ob_has_tiers(l->leaders))
        return find(l->leaders->tiers->order, node < 0 ? -1 : l->leaders->tiers->slot[node], s);
    add(s, l->leaders, node);
    return OB_OK;
}

int ob_tiers_stream(ob_group *g, int root, ob_stream *s)
{
    s->from = NULL;
    s->count = 0;
    return find(g->tiers->order, g->tiers->slot[root], s);
}
