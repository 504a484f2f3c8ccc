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
#include <string.h>

enum { LEVEL_TIERS = 3 };
/* In member 0's word; below stands how many share a board. Places are looked at, measured, or told
 * by member 0. */
enum { PLACES = 1 << 11, MEASURED = 1 << 10, MOST = MEASURED - 1 };
/* Groups in which that is worth it, and can be done in its time. */
enum { MEASURED_LEAST = 2 * OB_TIER };

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

/* What is known of the members' places: as they joined, which member 0 has acquired (all_join) and
 * the others have by its word; or as measured, where member 0 alone looks and tells what it saw.
 * So both are relaxed. */
static void read_places(const ob_group *g, bool measured, uint64_t *place)
{
    for (int i = 0; i < g->size; i++)
        place[i] = atomic_load_explicit(
            measured ? &header_of(g, i)->measured : &header_of(g, i)->near, memory_order_relaxed);
}

static bool are_all(const uint64_t *place, int n, bool bound)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += (place[i] & OB_NEAR_BOUND) != 0;
    return bound ? count == n : count == 0;
}

/* Member 0's: where the system says nothing of use and each is bound to a processor. Once for each
 * process, and only where all wait for all. */
static unsigned decide_measured(const ob_group *g, bool all, uint64_t *place)
{
    bool bound = are_all(place, g->size, true);
    if (!bound || ob_job_crowded(g->job))
        return 0;
    read_places(g, true, place);
    if (ob_near_tells(place, g->size))
        return PLACES | MEASURED;
    bool worth = all && g->size > MEASURED_LEAST && g->size <= OB_MEASURED_MOST;
    return worth && are_all(place, g->size, false) ? MEASURED : 0;
}

/* Member 0's. Where processes outnumber processors each tier costs switches between them. */
static unsigned decide(const ob_group *g, bool all, uint64_t *place)
{
    const ob_tiers_choice *choice = &g->job->set.tiers;
    unsigned most = (unsigned)choice->most;
    if (!choice->always && ob_job_crowded(g->job))
        return 0;
    bool simulated = g->job->shm == NULL; /* no place is known */
    if (simulated || header_of(g, g->me)->near == 0 || !all_join(g))
        return most;
    read_places(g, false, place);
    unsigned how = ob_near_tells(place, g->size) ? PLACES : decide_measured(g, all, place);
    return most | (how ? how : PLACES);
}

/* Where that finds nothing, they are as the system says. */
static int measure_places(ob_group *g, uint64_t *place)
{
    int status = ob_tiers_measure(g, place);
    bool found = false;
    for (int i = 0; i < g->size && status == OB_OK; i++)
        found = found || place[i] >> OB_NEAR_PACKAGE;
    if (!found)
        read_places(g, false, place);
    return status;
}

/* All members get the same. As they joined: member 0's word came after all had said it. */
static int find_places(ob_group *g, unsigned word, uint64_t *place)
{
    switch (word & (PLACES | MEASURED)) {
    case PLACES: read_places(g, false, place); return OB_OK;
    case MEASURED: return measure_places(g, place);
    case PLACES | MEASURED: return ob_tiers_tell(g, place);
    default: memset(place, 0, (size_t)g->size * sizeof *place); return OB_OK;
    }
}

/* The group in the order of its boards. */
static int make_order(ob_group *g, const uint64_t *place, int most, ob_tiers *t)
{
    size_t n = (size_t)g->size;
    int *order = malloc(n * sizeof *order), *board = malloc(n * sizeof *board), boards = -1;
    if (order && board)
        boards = ob_near_boards(place, g->size, most, order, board);
    if (boards > 0) {
        for (int i = 0; i < g->size; i++)
            t->slot[order[i]] = i;
        t->order = ob_group_level(g, LEVEL_TIERS, order, g->size, t->slot[g->me]);
    }
    free(order);
    if (t->order == NULL) {
        free(board);
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective of %d members", g->size);
    }
    t->order->one_node = true;
    t->order->node = board;
    t->order->nodes = boards;
    return OB_OK;
}

static int settle(ob_group *g, bool all, int most, const uint64_t *known);

/* All boards are opened at once: later, one who fails must find those that it is to break. The
 * leaders' places are known. */
static int open_boards(ob_group *order, int most, const ob_tiers *t, const uint64_t *place)
{
    ob_levels *l;
    ob_board *b;
    int status = ob_levels_of(order, 0, &l);
    if (status == OB_OK && l->local->size > 1)
        status = ob_board_of(l->local, &b);
    if (status != OB_OK || !l->leading)
        return status;
    if (!ob_has_many(l->leaders))
        return ob_board_of(l->leaders, &b);
    uint64_t *theirs = malloc((size_t)l->leaders->size * sizeof *theirs);
    if (theirs == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective of %d members", order->size);
    for (int i = 0; i < order->size; i++)
        for (int k = 0; k < l->leaders->size; k++)
            if (l->leader[k] == t->slot[i])
                theirs[k] = place[i];
    status = settle(l->leaders, false, most, theirs);
    free(theirs);
    return status;
}

/* known: the places, already, and which tiers there are (most); NULL: members agree on it. */
static int settle(ob_group *g, bool all, int most, const uint64_t *known)
{
    size_t n = (size_t)g->size;
    ob_tiers *t = calloc(1, sizeof *t + n * sizeof *t->slot);
    uint64_t *place = malloc(n * sizeof *place);
    if (t == NULL || place == NULL) {
        free(t);
        free(place);
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective of %d members", g->size);
    }
    unsigned word = known ? (unsigned)most : g->me == 0 ? decide(g, all, place) : 0;
    int status = known ? OB_OK : ob_board_agree(g, &word);
    if (known)
        memcpy(place, known, n * sizeof *place);
    else if (status == OB_OK && word)
        status = find_places(g, word, place);
    if (status == OB_OK && word)
        status = make_order(g, place, (int)(word & MOST), t);
    g->tiers = t;
    if (status == OB_OK && word)
        status = open_boards(t->order, (int)(word & MOST), t, place);
    free(place);
    return status;
}

int ob_boards_open(ob_levels *l, bool all)
{
    const ob_tiers *t = NULL;
    ob_board *b;
    if (l->local->size == 1)
        return OB_OK;
    int status = ob_has_many(l->local) ? ob_tiers_of(l->local, all, &t) : OB_OK;
    return status == OB_OK && t == NULL ? ob_board_of(l->local, &b) : status;
}

int ob_boards_open_across(ob_levels *l)
{
    ob_board *b;
    int status = ob_boards_open(l, true);
    if (status != OB_OK || !ob_has_tiers(l->local) ||
        !ob_may_collect_across(l->local->tiers->order))
        return status;
    return ob_board_of(l->local->tiers->order->levels->across, &b);
}

int ob_tiers_of(ob_group *g, bool all, const ob_tiers **tiers)
{
    int status = g->tiers || !ob_has_many(g) ? OB_OK : settle(g, all, 0, NULL);
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
    *s = (ob_stream){0};
    return find(g->tiers->order, g->tiers->slot[root], s);
}
