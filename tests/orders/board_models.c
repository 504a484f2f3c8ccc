/* The board: rounds, its notes used again, sleep on one and on all; the fence. */
#include "../../src/collective/board/board.c"
#include "models.h"
#include "node/wait.h"

static world *w;
static ob_board *board[WORLD_MOST];

enum { STRIDE = sizeof(ob_lane) + OB_BOARD_SHALLOW * sizeof(ob_note) };

/* A board as the library makes it, but for the messages; `depth` of its notes are used. */
static void make_board(int members, uint32_t depth, bool light, int spin_us)
{
    const ob_settings set = {.spin_us = spin_us};
    w = world_open(members, &set);
    ob_board_memory *memory = ex_alloc(sizeof *memory + (size_t)members * STRIDE);
    for (int i = 0; i < members; i++) {
        ob_group *g = ex_alloc(sizeof *g);
        g->job = w->job[i];
        g->size = members;
        g->me = i;
        g->peer = w->peer[i];
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

/* One sleeps on all; the other two may post past each other. */
static void one_of_three(int me)
{
    ob_waiter wait;
    if (me) {
        show(me, 1);
        return;
    }
    ob_wait_begin(&wait, w->job[0]);
    while (!all_reached(board[0], 1))
        sleep_for_all(board[0], &wait, 1, 1);
}

const ex_model board_models[] = {
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
};
const int board_model_count = sizeof board_models / sizeof *board_models;
