/*
 * All interleavings of a sender and a receiver at one offer, with the functions that both use: each
 * step is one of them, or a copy. Every copy may fail, the sender may lose patience whenever it
 * waits, the receiver may sleep whenever it may. Whatever happens, each piece is there once both
 * are done, nobody touches the other's matrix too late, and nobody sleeps for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/channel/offer.h"
#include "unit.h"

enum { MOST = 5, SEEN = 1 << 20 };

enum sender { WAITING, WRITING, LEFT };
enum receiver { NEW, TAKING, READING, HAS_READ, LOOKING, ASLEEP, OVER };

typedef struct state {
    uint64_t taken;
    uint8_t pieces, there, sender, receiver;
    uint8_t back_piece, front_piece;
    uint8_t fresh;      /* what the receiver has read was the sender's to give */
    uint8_t copied;     /* pieces copied straight, a bit each */
    uint8_t rest[2][2]; /* first and end of the train, as sender and receiver know it */
    uint8_t unused[2];
} state;

_Static_assert(sizeof(state) == 24, "no byte of a state is undefined");

static state *seen;
static size_t states;
static unsigned ends, revoked_ends;

/* True for a state not met before. */
static bool is_new(const state *s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ ((const unsigned char *)s)[i]) * UINT64_C(1099511628211);
    for (size_t at = h % SEEN;; at = (at + 1) % SEEN) {
        if (seen[at].pieces == 0) {
            seen[at] = *s;
            assert_true(++states < SEEN / 2);
            return true;
        }
        if (memcmp(&seen[at], s, sizeof *s) == 0)
            return false;
    }
}

static void load(ob_offer *o, const state *s)
{
    memset(o, 0, sizeof *o);
    o->pieces = s->pieces;
    atomic_store(&o->taken, s->taken);
}

static bool is_over(const state *s)
{
    ob_offer o;
    load(&o, s);
    return s->taken & OB_OFFER_REVOKED || ob_offer_all_done(&o, s->taken);
}

static void note_rest(state *s, int who)
{
    s->rest[who][0] = (uint8_t)ob_offer_get(s->taken, OB_FRONT_DONE);
    s->rest[who][1] = (uint8_t)(s->pieces - ob_offer_get(s->taken, OB_BACK_DONE));
}

static void wake(state *s)
{
    if (s->receiver == ASLEEP)
        s->receiver = LOOKING;
}

static void check_end(const state *s)
{
    unsigned train = 0;
    assert_memory_equal(s->rest[0], s->rest[1], 2);
    for (int i = s->rest[0][0]; i < s->rest[0][1]; i++)
        train |= 1u << i;
    assert_int_equal(train | s->copied, (1u << s->pieces) - 1);
    ends++;
    revoked_ends += train != 0;
}

static void explore(const state *s);

/* The step has changed the word. */
static void go(state next, const ob_offer *o)
{
    next.taken = atomic_load(&o->taken);
    explore(&next);
}

static void sender_steps(const state *s)
{
    ob_offer o;
    state n = *s;
    unsigned piece;
    load(&o, s);
    if (s->sender == WRITING) {
        assert_int_not_equal(s->receiver, OVER);
        n.sender = WAITING;
        n.copied |= (uint8_t)(1u << s->back_piece);
        if (ob_offer_back_done(&o))
            wake(&n);
        go(n, &o);
        load(&o, s);
        n = *s;
        n.sender = WAITING;
        ob_offer_revoke(&o, true);
        wake(&n);
        go(n, &o);
        return;
    }
    if (is_over(s)) {
        n.sender = LEFT;
        note_rest(&n, 0);
        go(n, &o);
        return;
    }
    if (s->there && ob_offer_take(&o, OB_BACK, &piece)) {
        n.sender = WRITING;
        n.back_piece = (uint8_t)piece;
        go(n, &o);
    }
    load(&o, s);
    n = *s;
    ob_offer_revoke(&o, false);
    go(n, &o);
}

static void read_steps(const state *s)
{
    ob_offer o;
    state n = *s;
    load(&o, s);
    n.receiver = HAS_READ;
    n.fresh = s->sender != LEFT;
    go(n, &o);
    n.fresh = 0; /* it could not be read */
    ob_offer_revoke(&o, false);
    go(n, &o);
}

static void receiver_steps(const state *s)
{
    ob_offer o;
    state n = *s;
    unsigned piece;
    load(&o, s);
    switch (s->receiver) {
    case NEW:
        n.receiver = TAKING;
        n.there = 1;
        go(n, &o);
        n.there = 0;
        ob_offer_revoke(&o, false);
        go(n, &o);
        break;
    case TAKING:
        n.receiver = LOOKING;
        if (ob_offer_take(&o, OB_FRONT, &piece)) {
            n.receiver = READING;
            n.front_piece = (uint8_t)piece;
        }
        go(n, &o);
        break;
    case READING: read_steps(s); break;
    case HAS_READ:
        n.receiver = LOOKING;
        if (ob_offer_front_done(&o)) {
            assert_true(s->fresh);
            n.copied |= (uint8_t)(1u << s->front_piece);
            n.receiver = TAKING;
        }
        go(n, &o);
        break;
    case LOOKING:
        if (is_over(s) && ob_offer_get(s->taken, OB_BACK) == ob_offer_get(s->taken, OB_BACK_DONE)) {
            n.receiver = OVER;
            note_rest(&n, 1);
            go(n, &o);
            break;
        }
        n.receiver = TAKING;
        go(n, &o);
        n.receiver = ASLEEP;
        if (ob_offer_arm(&o))
            go(n, &o);
        break;
    default: break;
    }
}

static void explore(const state *s)
{
    if (!is_new(s))
        return;
    if (s->sender == LEFT && s->receiver == OVER) {
        check_end(s);
        return;
    }
    assert_false(s->sender == LEFT && s->receiver == ASLEEP);
    if (s->sender != LEFT)
        sender_steps(s);
    receiver_steps(s);
}

static void test_all_interleavings(void **unused)
{
    for (uint8_t pieces = 1; pieces <= MOST; pieces++) {
        seen = calloc(SEEN, sizeof *seen);
        states = ends = revoked_ends = 0;
        explore(&(state){.pieces = pieces});
        print_message("%u pieces: %zu states, %u ends, %u of them with a train\n", pieces, states,
                      ends, revoked_ends);
        assert_true(revoked_ends > 0 && ends > revoked_ends);
        free(seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_interleavings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
