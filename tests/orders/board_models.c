/* The board: opened, rounds, its notes used again, deep lanes, slates, sleep on one and on all; the
 * fence. */
#include "../../src/collective/board/board.c"
#include "models.h"
#include "node/wait.h"
#include "transport/channel/link.h"

static world *w;
static ob_board *board[WORLD_MOST];

enum { STRIDE = sizeof(ob_lane) + OB_BOARD_SHALLOW * sizeof(ob_note) };

static ob_group *group[WORLD_MOST];

static void open_groups(int members, int spin_us)
{
    const ob_settings set = {.spin_us = spin_us};
    w = world_open(members, &set);
    for (int i = 0; i < members; i++) {
        group[i] = ex_alloc(sizeof *group[i]);
        *group[i] = (ob_group){.job = w->job[i], .context = 7, .size = members, .me = i};
        group[i]->peer = w->peer[i];
    }
}

/* A board as the library makes it, but for the messages; `depth` of its notes are used. */
static void make_board(int members, uint32_t depth, bool light, int spin_us)
{
    open_groups(members, spin_us);
    ob_board_memory *memory = ex_alloc(sizeof *memory + (size_t)members * STRIDE);
    for (int i = 0; i < members; i++) {
        ob_group *g = group[i];
        ob_board *b = board[i] = ex_alloc(sizeof *b + (size_t)members * sizeof *b->slate);
        *b = (ob_board){.group = g,
                        .memory = memory,
                        .lanes = memory->lanes,
                        .stride = STRIDE,
                        .depth = depth,
                        .size = members,
                        .me = i,
                        .light = light};
        g->board = b;
    }
}

static void show(int me, uint32_t round)
{
    ob_note *note;
    EX_CHECK(ob_board_begin(board[me], &note) == OB_OK);
    note->bytes = 10 * round + (uint32_t)me;
    ob_board_post(board[me]);
}

static void check(int me, int member, uint32_t round)
{
    EX_CHECK(ob_board_note(board[me], member)->bytes == 10 * round + (uint32_t)member);
}

/* Four notes. Member 0 has shown rounds 1 to 4, the others 1 and 2. Who finds nothing looks again:
 * sleeping is another model's. */
static void open_broadcast(int members)
{
    make_board(members, 4, true, 1 << 30);
    for (uint32_t round = 1; round <= 4; round++)
        for (int i = 0; i < (round <= 2 ? members : 1); i++) {
            board[i]->settled = round / 2;
            show(i, round);
        }
    for (int i = 0; i < members; i++)
        board[i]->settled = 2;
}

static void broadcast_setup(void)
{
    open_broadcast(2);
}

static void broadcast_three_setup(void)
{
    open_broadcast(3);
}

static void busy_two_setup(void)
{
    make_board(2, 2, true, 1 << 30);
}

/* Member 0 waits for nobody but for free notes, as the root of a broadcast. */
static void broadcast(int me)
{
    for (uint32_t round = me ? 3 : 5; round <= (me ? 5 : 7); round++) {
        show(me, round);
        if (me) {
            EX_CHECK(ob_board_wait(board[me], 0) == OB_OK);
            check(me, 0, round);
        }
    }
}

static void all_to_all(int me)
{
    for (uint32_t round = 1; round <= 3; round++) {
        show(me, round);
        EX_CHECK(ob_board_wait_all(board[me]) == OB_OK);
        for (int i = 0; i < board[me]->size; i++)
            check(me, i, round);
    }
}

/* ------------------------------------------------------------ opened, deep lanes, slates */

static void unopened_setup(void)
{
    open_groups(2, 1 << 30);
}

/* Both forget the group; the memory is used again once nobody reads it. */
static void open_and_close(int me)
{
    EX_CHECK(ob_board_of(group[me], &board[me]) == OB_OK);
    show(me, 1);
    EX_CHECK(ob_board_wait_all(board[me]) == OB_OK);
    for (int i = 0; i < 2; i++)
        check(me, i, 1);
    ob_board_close(group[me]);
    uint64_t name;
    size_t bytes = sizeof(ob_board_memory) + 2 * STRIDE;
    if (me == 0)
        memset(ob_shm_lend(w->peer[0][1], bytes, 1, true, &name), 1, bytes);
}

/* Four notes. Member 0 has shown rounds 1 to 4, member 1 rounds 1 and 2. Member 0 may have to wait
 * before round 5, and then wants more: before round 8 both go deep, or neither. */
static void deep_setup(void)
{
    open_broadcast(2);
    for (int i = 0; i < 2; i++) {
        board[i]->settled = 1;
        board[i]->look = 8;
    }
}

static void deep(int me)
{
    for (uint32_t round = me ? 3 : 5; round <= 8; round++)
        show(me, round);
    EX_CHECK(ob_board_wait(board[me], 1 - me) == OB_OK);
    check(me, 1 - me, 8);
}

/* The two slates of each member; the third round is the first one's again. */
static void show_slates(int me)
{
    for (uint64_t round = 1; round <= 3; round++) {
        ob_note *note;
        EX_CHECK(ob_board_begin(board[me], &note) == OB_OK);
        uint64_t *slate = (uint64_t *)(void *)ob_board_slate(board[me], note);
        *slate = 10 * round + (uint64_t)me;
        ob_board_post(board[me]);
        EX_CHECK(ob_board_wait_all(board[me]) == OB_OK);
        for (int i = 0; i < 2; i++)
            EX_CHECK(*(uint64_t *)(void *)ob_board_slate_of(board[me], i) ==
                     10 * round + (uint64_t)i);
    }
}

/* Member 1 leaves when it has read member 0's slate, or before member 0 has one; the slates' memory
 * is used again once both have left. */
static void lend_slates_setup(void)
{
    busy_two_setup();
    uint64_t name;
    size_t bytes = sizeof(ob_board_memory) + 2 * STRIDE;
    void *from = board[0]->memory, *memory = ob_shm_lend(w->peer[0][1], bytes, 2, true, &name);
    memcpy(memory, from, bytes);
    for (int i = 0; i < 2; i++) {
        board[i]->memory = memory;
        board[i]->lanes = board[i]->memory->lanes;
    }
}

static void slates_again(void)
{
    uint64_t name;
    char *again = ob_shm_lend(w->peer[0][1], OB_SLATES * OB_SLATE_BYTES, 1, true, &name);
    memset(again, 1, OB_SLATE_BYTES);
}

static void leave_slates_read(int me)
{
    ob_note *note;
    EX_CHECK(ob_board_begin(board[me], &note) == OB_OK);
    if (me == 0)
        memset(ob_board_slate(board[0], note), 5, 8);
    ob_board_post(board[me]);
    EX_CHECK(ob_board_wait_all(board[me]) == OB_OK);
    if (me)
        EX_CHECK(*ob_board_slate_of(board[1], 0) == 5);
    ob_board_close(group[me]);
    if (me == 0)
        slates_again();
}

static void leave_slates_unread(int me)
{
    ob_note *note;
    EX_CHECK(ob_board_begin(board[me], &note) == OB_OK);
    if (me == 0)
        memset(ob_board_slate(board[0], note), 5, 8);
    ob_board_close(group[me]);
    if (me == 0)
        slates_again();
}

/* Nothing is lent but what was lent again. */
static void all_given_back(void)
{
    ob_heap_trim(&w->shm[0]->heap);
    EX_CHECK(w->shm[0]->heap.busy == 1);
}

/* ------------------------------------------------------------------------- sleep */

static void light_two_setup(void)
{
    make_board(2, 2, true, 0);
    w->job[0]->processors = w->job[1]->processors = 1; /* crowded: they sleep at once */
}

static void full_two_setup(void)
{
    make_board(2, 2, false, 0);
    w->job[0]->processors = w->job[1]->processors = 1;
    for (int i = 0; i < 2; i++)
        atomic_store(&ob_board_lane(board[0], i)->fences, 1);
}

/* Some fence in full, and have said so. */
static void open_three(unsigned full)
{
    make_board(3, 2, true, 0);
    for (int i = 0; i < 3; i++) {
        w->job[i]->processors = 1;
        board[i]->light = !(full >> i & 1);
        if (full >> i & 1)
            atomic_store(&ob_board_lane(board[0], i)->fences, 1);
    }
    show(0, 1); /* the sleeper has posted */
}

static void light_three_setup(void)
{
    open_three(0);
}

static void full_three_setup(void)
{
    open_three(7);
}

static void mixed_three_setup(void)
{
    open_three(2);
}

/* Member 1 sleeps on member 0's note. */
static void sleep_on_one(int me)
{
    show(me, 1);
    if (me) {
        EX_CHECK(ob_board_wait(board[me], 0) == OB_OK);
        check(me, 0, 1);
    }
}

static void sleep_on_all(int me)
{
    show(me, 1);
    EX_CHECK(ob_board_wait_all(board[me]) == OB_OK);
    for (int i = 0; i < board[me]->size; i++)
        check(me, i, 1);
}

/* One is about to sleep on all, for ever if nobody wakes it; the other two may post past it, and
 * past each other. */
static void one_of_three(int me)
{
    ob_waiter wait;
    if (me) {
        show(me, 1);
        return;
    }
    ob_wait_begin(&wait, w->job[0]);
    sleep_for_all(board[0], &wait, 1, 1);
}

/* A member that begins to fence in full does so when it waits, between two posts. */
static void begin_to_fence_setup(void)
{
    make_board(2, 4, true, 0);
    for (int i = 0; i < 2; i++) {
        w->job[i]->processors = 1;
        atomic_store(&w->shm[i]->own->sharing, 1 + (uint64_t)i); /* yields reach nobody */
    }
}

static void begin_to_fence(int me)
{
    for (uint32_t round = 1; round <= 2; round++) {
        show(me, round);
        if (me == 0) {
            EX_CHECK(ob_board_wait(board[0], 1) == OB_OK);
            check(0, 1, round);
        } else if (round == 1) {
            fence_posts(board[1], 0);
        }
    }
}

static void begin_to_fence_for_all(int me)
{
    show(me, 1);
    if (me == 0)
        EX_CHECK(ob_board_wait_all(board[0]) == OB_OK);
    else
        fence_posts(board[1], 0);
}

/* Member 0 sleeps on all already; the others post past each other. */
static void sleeping_setup(bool light)
{
    open_three(light ? 0 : 7);
    atomic_store(&board[0]->memory->sleepers, 1);
}

static void sleeping_light_setup(void)
{
    sleeping_setup(true);
}

static void sleeping_full_setup(void)
{
    sleeping_setup(false);
}

static void asleep_on_all(int me)
{
    if (me)
        show(me, 1);
    else
        ob_wait_word(&board[0]->memory->bell, 0, -1);
}

/* Member 0 breaks the board; the other one is about to sleep on all, for ever if nobody wakes it.
 * (Who sleeps on one is woken again and again, as time goes by, which no model has.) */
static void break_under_all(int me)
{
    ob_waiter wait;
    if (me == 0) {
        ob_fail(OB_ENOMEM, "why");
        ob_board_break(board[0]);
        return;
    }
    ob_wait_begin(&wait, w->job[1]);
    sleep_for_all(board[1], &wait, 0, 1);
    EX_CHECK(has_broken(board[1], &wait) && board[1]->memory->line);
}

const ex_model board_models[] = {
    {"board: opened and closed", 2, unopened_setup, open_and_close, NULL},
    {"board: goes deep", 2, deep_setup, deep, NULL},
    {"board: slates, three rounds", 2, busy_two_setup, show_slates, NULL},
    {"board: slates, left when read", 2, lend_slates_setup, leave_slates_read, all_given_back},
    {"board: slates, left unread", 2, lend_slates_setup, leave_slates_unread, all_given_back},
    {"board: one begins to fence in full, for one", 2, begin_to_fence_setup, begin_to_fence, NULL},
    {"board: one begins to fence in full, for all", 2, begin_to_fence_setup, begin_to_fence_for_all,
     NULL},
    {"board: two wake one who sleeps on all, light fences", 3, sleeping_light_setup, asleep_on_all,
     NULL},
    {"board: two wake one who sleeps on all, full fences", 3, sleeping_full_setup, asleep_on_all,
     NULL},
    {"board: a broadcast, its four notes used again", 2, broadcast_setup, broadcast, NULL},
    {"board: a broadcast to two", 3, broadcast_three_setup, broadcast, NULL},
    {"board: all to all, three rounds through two notes", 2, busy_two_setup, all_to_all, NULL},
    {"board: sleep on one, light fences", 2, light_two_setup, sleep_on_one, NULL},
    {"board: sleep on one, full fences", 2, full_two_setup, sleep_on_one, NULL},
    {"board: sleep on all, light fences", 2, light_two_setup, sleep_on_all, NULL},
    {"board: sleep on all, full fences", 2, full_two_setup, sleep_on_all, NULL},
    {"board: one of three sleeps on all, light fences", 3, light_three_setup, one_of_three, NULL},
    {"board: one of three sleeps on all, full fences", 3, full_three_setup, one_of_three, NULL},
    {"board: one of three sleeps on all, mixed fences", 3, mixed_three_setup, one_of_three, NULL},
    {"board: broken under one who sleeps on all", 2, full_two_setup, break_under_all, NULL},
};
const int board_model_count = sizeof board_models / sizeof *board_models;
