/* Channels between processes: rings, jumps, areas, blocks, offers. */
#include <string.h>

#include "../../src/transport/channel/straight.c"
#include "models.h"
#include "node/wait.h"

static world *w;
static ob_peer *to, *from; /* of process 0 the one to 1, and back */

static const ob_settings sleepy = {.spin_us = 0}; /* who waits sleeps at once */

static void open_pair(void)
{
    w = world_open(2, &sleepy);
    to = world_peer(w, 0, 1);
    from = world_peer(w, 1, 0);
}

/* ------------------------------------------------------------------------ the ring */

/* A ring of four lines, of which two are full at most, and at the start. Each message takes the
 * room of one that was read. The sender waits, since the receiver follows. */
static void ring_setup(void)
{
    open_pair();
    world_ring(w, 0, 1, 4 * OB_LINE, true);
    atomic_store(&world_link(w, 0, 1)->out->following, 1);
    world_send(to, 1);
    world_send(to, 2);
}

static void ring(int me)
{
    for (uint64_t k = 3; me == 0 && k <= 5; k++)
        EX_CHECK(world_send(to, k) == OB_OK);
    for (uint64_t k = 1; me == 1 && k <= 5; k++)
        world_receive(from, k);
}

/* A ring of eight lines: messages of four lines, one, and four, the last around its end. */
static void wide_setup(void)
{
    open_pair();
    world_ring(w, 0, 1, 8 * OB_LINE, true);
    atomic_store(&world_link(w, 0, 1)->out->following, 1);
}

static void wide(int me)
{
    static const size_t bytes[] = {224, 8, 224};
    for (int k = 0; k < 3; k++)
        if (me == 0) {
            EX_CHECK(world_send_long(to, (uint64_t)k, bytes[k]) == OB_OK);
        } else {
            from->transport->follow(from, true); /* the end of each message takes it back */
            world_receive_long(from, (uint64_t)k, bytes[k]);
        }
}

/* The small ring, full at the start, leads to the large one. */
static void grow_setup(void)
{
    open_pair();
    world_ring(w, 0, 1, 4 * OB_LINE, false);
    world_send(to, 1);
    world_send(to, 2);
}

static void grow(int me)
{
    for (uint64_t k = 3; me == 0 && k <= 4; k++)
        EX_CHECK(world_send(to, k) == OB_OK);
    for (uint64_t k = 1; me == 1 && k <= 4; k++)
        world_receive(from, k);
}

/* --------------------------------------------------------------------- areas, blocks */

/* Nobody follows, and the ring is full: the train goes on in an area, returns when the receiver has
 * caught up, and goes to an area again, which may be the same block. */
static void area_setup(void)
{
    open_pair();
    world_ring(w, 0, 1, 4 * OB_LINE, true);
    for (uint64_t k = 1; k <= 3; k++)
        world_send(to, k);
}

/* The ring is used again only when all is read. */
static void area(int me)
{
    const ob_channel *ch = world_link(w, 0, 1)->out;
    while (me == 0 && atomic_load_explicit(&ch->taken, memory_order_relaxed) != ch->jumps)
        ex_again();
    for (uint64_t k = 4; me == 0 && k <= 6; k++)
        EX_CHECK(world_send(to, k) == OB_OK);
    for (uint64_t k = 1; me == 1 && k <= 6; k++)
        world_receive(from, k);
}

/* One block for two readers; the next may be the same memory, once both are done. */
static void share_setup(void)
{
    w = world_open(3, &sleepy);
}

static void share(int me)
{
    ob_peer *both[] = {world_peer(w, 0, 1), world_peer(w, 0, 2)};
    for (uint64_t k = 1; k <= 2; k++) {
        ob_view v = ob_view_of_bytes(&k, sizeof k);
        ob_envelope e = {.context = 7, .bytes = sizeof k, .tag = 3};
        ob_cursor c;
        ob_cursor_open(&c, &v);
        uint64_t number = 100 * k; /* as world_send makes it */
        v.base = &number;
        ob_cursor_open(&c, &v);
        if (me == 0)
            EX_CHECK(ob_shm_share(both, 2, &e, &c) == OB_OK);
        else
            world_receive(world_peer(w, me, 0), k);
    }
}

/* Lent memory: written by the lender, read by the borrower, given back, lent again. */
static void lend(int me)
{
    for (uint64_t k = 1; k <= 2; k++) {
        uint64_t name, *memory;
        if (me == 0) {
            memory = ob_shm_lend(to, sizeof *memory, 1, true, &name);
            *memory = 100 * k;
            world_send(to, name);
        } else {
            ob_envelope e;
            ob_view v = ob_view_of_bytes(&name, sizeof name);
            ob_cursor c;
            while (from->transport->poll(from, &e) == 0)
                ex_again();
            ob_cursor_open(&c, &v);
            from->transport->pull(from, &c);
            memory = ob_shm_borrow(from, name / 100);
            EX_CHECK(*memory == 100 * k);
            ob_shm_give_back(memory);
        }
    }
}

/* ----------------------------------------------------------------- sleep and wake-up */

static void receive_asleep(int me, ob_peer *peer, uint64_t number)
{
    ob_waiter wait;
    ob_wait_begin(&wait, w->job[me]);
    wait.looks = OB_LOOKS - 1; /* sleeps at the first look in vain */
    while (!world_try(peer, number))
        ob_wait_step(&wait, &peer, 1, false, 0);
}

static void asleep_for(int me, uint64_t messages)
{
    for (uint64_t k = 1; k <= messages; k++)
        if (me == 0)
            world_send(to, k);
        else
            receive_asleep(1, from, k);
}

static void sleep_on_one(int me)
{
    asleep_for(me, 2);
}

static void sleep_once(int me)
{
    asleep_for(me, 1);
}

static void full_setup(void)
{
    open_pair();
    world_fences(w, 0, 1, false);
    world_link(w, 0, 1)->rung_at = 0; /* of late: it stays so */
}

/* It begins to fence lightly with its first message. */
static void begins_setup(void)
{
    open_pair();
    world_fences(w, 0, 1, false);
}

/* It has rung of late: when it rings again it fences in full. */
static void ends_setup(void)
{
    open_pair();
    world_link(w, 0, 1)->rung_at = 0;
}

/* One sleeps on two, and takes what comes first. */
static void sleep_setup(void)
{
    w = world_open(3, &sleepy);
}

static void sleep_full_setup(void)
{
    sleep_setup();
    for (int i = 0; i < 2; i++) {
        world_fences(w, i, 2, false);
        world_link(w, i, 2)->rung_at = 0;
    }
}

static void sleep_on_two(int me)
{
    ob_peer *peers[] = {world_peer(w, 2, 0), world_peer(w, 2, 1)};
    ob_waiter wait;
    if (me < 2) {
        world_send(world_peer(w, me, 2), (uint64_t)me);
        return;
    }
    ob_wait_begin(&wait, w->job[2]);
    wait.looks = OB_LOOKS - 1;
    for (bool here[2] = {false}; !here[0] || !here[1];) {
        for (int i = 0; i < 2; i++)
            here[i] = here[i] || world_try(peers[i], (uint64_t)i);
        if (!here[0] && !here[1])
            ob_wait_step(&wait, peers, 2, false, 0);
        else if (!here[0] || !here[1])
            ob_wait_step(&wait, here[0] ? peers + 1 : peers, 1, false, 0);
    }
}

/* Who sees that a process has gone sees all that it had sent. It does so when it goes, not at the
 * end of a nap: none ends here. */
static void gone(int me)
{
    ob_waiter wait;
    if (me == 0) {
        world_send(to, 1);
        ob_shm_set_life(w->shm[0], OB_LIFE_GONE);
        return;
    }
    ob_wait_begin(&wait, w->job[1]);
    wait.looks = OB_LOOKS - 1;
    for (int messages = 0;;) {
        bool last = from->transport->gone(from);
        if (messages == 0 && world_try(from, 1))
            messages++;
        if (last) {
            EX_CHECK(messages == 1);
            return;
        }
        ob_wait_step(&wait, &from, 1, false, 0);
    }
}

/* One goes without a word, the other sends: who sleeps on both sleeps on, and hears the message. */
static void gone_of_two(int me)
{
    ob_peer *peers[] = {world_peer(w, 2, 0), world_peer(w, 2, 1)};
    ob_waiter wait;
    if (me == 0)
        ob_shm_set_life(w->shm[0], OB_LIFE_GONE);
    if (me == 1)
        world_send(world_peer(w, 1, 2), 1);
    if (me < 2)
        return;
    ob_wait_begin(&wait, w->job[2]);
    wait.looks = OB_LOOKS - 1;
    while (!world_try(peers[1], 1))
        ob_wait_step(&wait, peers, 2, false, 0);
}

/* ------------------------------------------------------------------------- an offer */

static ob_offer *o;
static uint64_t *matrix[2]; /* the sender's, the receiver's */
/* The sender revokes, at whatever moment. Who reads a piece then may read what is no longer
 * offered; that it does not count is seen by the bytes. */
static bool impatient;

enum { OFFERED = 2 }; /* pieces of a word */

static void offer_setup(void)
{
    open_pair();
    impatient = false;
    o = ex_alloc(sizeof *o);
    for (int i = 0; i < 2; i++)
        matrix[i] = ex_alloc(OFFERED * sizeof(uint64_t));
}

static void impatient_setup(void)
{
    offer_setup();
    impatient = ex_reads_loosely = true;
}

/* One of the two cannot copy, though it seemed so. */
static void failing_setup(int me)
{
    offer_setup();
    atomic_store(&world_link(w, me, 1 - me)->straight.reached, OB_REACHED);
    *(me ? &ex_unreadable : &ex_unwritable) = true;
}

static void reads_fail_setup(void)
{
    failing_setup(1);
}

static void writes_fail_setup(void)
{
    failing_setup(0);
    ex_reads_loosely = true;
}

static ob_view view_of(int i)
{
    return ob_view_of_bytes(matrix[i], OFFERED * sizeof(uint64_t));
}

/* As ob_straight_fill does, with small pieces. */
static void fill_offer(const ob_view *v)
{
    o->from = (ob_end){.view = *v, .segment = w->shm[0]->own};
    o->piece = sizeof(uint64_t);
    o->bytes = OFFERED * sizeof(uint64_t);
    o->pieces = OFFERED;
    atomic_store_explicit(&o->taken, 0, memory_order_relaxed);
    atomic_store_explicit(&o->there, 0, memory_order_relaxed);
}

/* What is left of a revoked offer comes behind it. */
static void send_rest(ob_cursor *c)
{
    const ob_envelope e = {.context = 7, .bytes = c->left, .tag = 4};
    if (c->left)
        EX_CHECK(to->transport->send(to, &e, c) == OB_OK);
}

static void receive_rest(ob_cursor *c)
{
    ob_envelope e;
    while (c->left && from->transport->poll(from, &e) == 0)
        ex_again();
    if (c->left) {
        EX_CHECK(e.bytes == c->left);
        from->transport->pull(from, c);
    }
    EX_CHECK(c->left == 0);
}

static void receive_offer(void)
{
    ob_view v = view_of(1);
    ob_cursor c;
    size_t moved;
    ob_cursor_open(&c, &v);
    world_receive(from, 1); /* stands for the fragment that shows it */
    while (!ob_straight_take(world_link(w, 1, 0), o, &c, &moved)) {
        if (ob_offer_arm(o)) {
            unsigned before = atomic_load_explicit(ob_shm_bell(w->shm[1]), memory_order_acquire);
            if (ob_offer_arm(o))
                ob_wait_word(ob_shm_bell(w->shm[1]), before, -1);
        } else {
            ex_again();
        }
    }
    receive_rest(&c);
    for (uint64_t i = 0; i < OFFERED; i++)
        EX_CHECK(matrix[1][i] == 10 + i);
    matrix[1][0] = 0; /* the sender writes no more to it */
}

/* Both copy; neither touches the other's matrix once its call has ended. */
static void offer(int me)
{
    ob_view v = view_of(0);
    ob_cursor c;
    if (me == 1) {
        receive_offer();
        return;
    }
    for (uint64_t i = 0; i < OFFERED; i++)
        matrix[0][i] = 10 + i;
    ob_cursor_open(&c, &v);
    fill_offer(&v);
    world_send(to, 1);
    if (impatient) {
        help(world_link(w, 0, 1), o);
        ob_offer_revoke(o, false);
    }
    ob_straight_serve(world_link(w, 0, 1), o, &c);
    send_rest(&c);
    memset(matrix[0], 0, OFFERED * sizeof(uint64_t));
}

const ex_model channel_models[] = {
    {"ring: three messages into the room of those read before", 2, ring_setup, ring, NULL},
    {"ring: long messages, around its end", 2, wide_setup, wide, NULL},
    {"ring: the small one leads to the large one", 2, grow_setup, grow, NULL},
    {"area: out of a full ring, and back", 2, area_setup, area, NULL},
    {"block: shared by two readers, twice", 3, share_setup, share, NULL},
    {"block: lent twice", 2, open_pair, lend, NULL},
    {"sleep: two messages to one who sleeps at once", 2, full_setup, sleep_on_one, NULL},
    {"sleep: one message, light fences", 2, open_pair, sleep_once, NULL},
    {"sleep: the sender begins to fence lightly", 2, begins_setup, sleep_once, NULL},
    {"sleep: the sender begins to fence in full", 2, ends_setup, sleep_on_one, NULL},
    {"sleep: on two senders, light fences", 3, sleep_setup, sleep_on_two, NULL},
    {"sleep: on two senders", 3, sleep_full_setup, sleep_on_two, NULL},
    {"sleep: for one who goes", 2, open_pair, gone, NULL},
    {"sleep: on two, of whom one goes", 3, sleep_setup, gone_of_two, NULL},
    {"offer: both copy", 2, offer_setup, offer, NULL},
    {"offer: the sender revokes it", 2, impatient_setup, offer, NULL},
    {"offer: the receiver cannot read", 2, reads_fail_setup, offer, NULL},
    {"offer: the sender cannot write", 2, writes_fail_setup, offer, NULL},
};
const int channel_model_count = sizeof channel_models / sizeof *channel_models;
