/*
 * Long messages with one copy, processes as threads: every kind of matrix at both ends, a receiver
 * or a sender that stops in the midst, one that may not be reached.
 */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/group.h"
#include "core/port.h"
#include "node/thread_team.h"
#include "transport/channel/link.h"
#include "unit.h"

enum { KIB = 1024, MIB = 1 << 20, ROUNDS = 60 };

static const ob_settings always = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};

/* An emulator has no call for it. */
static void skip_unless_memory_is_reached(void)
{
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};
    if (ob_port_reach(false, (int)getpid(), &here, 1, &there, 1) < 0 && errno == ENOSYS)
        skip();
}

/* ------------------------------------------------------------------- transfers */

static unsigned char byte_of(size_t k, uint64_t seed)
{
    return (unsigned char)(team_mix(seed + k / 8) >> (k % 8 * 8));
}

/* A matrix of `bytes` bytes, of one of several forms. */
static ob_view form(int kind, size_t bytes)
{
    size_t rows = 1000 * KIB / 64; /* columns of 125 KiB of doubles */
    ob_view v = ob_view_of_bytes(NULL, bytes);
    if (kind == 1)
        v = (ob_view){.m = rows, .n = bytes / 8 / rows, .ld = rows + 5, .type = OB_DOUBLE};
    v.base = malloc(v.ld * v.n * ob_type_bytes(v.type) + 64);
    return v;
}

static void fill(const ob_view *v, uint64_t seed)
{
    ob_cursor c;
    ob_cursor_open(&c, v);
    for (size_t k = 0, run; c.left; k += run) {
        char *at = ob_cursor_take(&c, c.left, &run);
        for (size_t i = 0; i < run; i++)
            at[i] = (char)byte_of(k + i, seed);
    }
}

static bool is_right(const ob_view *v, uint64_t seed)
{
    ob_cursor c;
    ob_cursor_open(&c, v);
    for (size_t k = 0, run; c.left; k += run) {
        char *at = ob_cursor_take(&c, c.left, &run);
        for (size_t i = 0; i < run; i++)
            if ((unsigned char)at[i] != byte_of(k + i, seed))
                return false;
    }
    return true;
}

static size_t draw_bytes(uint64_t *state, int kind)
{
    size_t rows = 1000 * KIB / 64 * 8;
    return kind == 1 ? rows * (1 + team_draw(state) % 20)
                     : 60 * KIB + team_draw(state) % (4 * MIB) / (1 + team_draw(state) % 16);
}

static ob_link *link_of(ob_group *g, int position)
{
    return g->peer[position]->link;
}

/* The matrix is overwritten as soon as its send is over. */
static void transfer_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    uint64_t state = 5, mine = 77 + (uint64_t)me;
    int seen = 0;
    for (int k = 0; k < ROUNDS; k++) {
        int kind = (int)(team_draw(&state) % 2);
        size_t bytes = draw_bytes(&state, kind);
        bool late = team_draw(&state) % 3 == 0;
        ob_view v = form(me == 0 ? kind : k % 2 ? kind : 0, bytes);
        if (me == 0) {
            fill(&v, (uint64_t)k);
            if (!late) { /* the receiver waits */
                OK(ob_recv(g, 1, 0, &nothing, NULL));
                team_sleep_us(1000);
            }
            OK(ob_send(g, 1, k, &v));
            memset(v.base, 0x55, v.ld * v.n * ob_type_bytes(v.type));
        } else {
            memset(v.base, 0, v.ld * v.n * ob_type_bytes(v.type));
            if (late)
                team_sleep_us(team_draw(&mine) % 2000);
            else
                OK(ob_send(g, 0, 0, &nothing));
            OK(ob_recv(g, 0, k, &v, NULL));
            TEAM_CHECK(is_right(&v, (uint64_t)k), "message %d of %zu bytes, kind %d", k, bytes,
                       kind);
            seen += link_of(g, 0)->straight.offered;
        }
        free(v.base);
    }
    if (me == 1)
        TEAM_CHECK(seen > ROUNDS / 8, "%d of %d were offered", seen, ROUNDS);
    ob_group_free(g);
}

static void test_transfers(void **unused)
{
    skip_unless_memory_is_reached();
    assert_int_equal(team_try(2, (size_t)256 * MIB, &always, transfer_work, NULL), 0);
}

/* ------------------------------------------------------- one that stops in the midst */

enum { STOPS = 5 };

/* The receiver takes a piece, and then nothing for a long time. True when it came in time to. */
static bool stop_at_a_piece(ob_link *l)
{
    ob_fragment *first = in_at(l, l->in->read_at);
    ob_fragment *f = in_at(l, l->in->read_at + OB_LINE);
    unsigned piece;
    atomic_store(&l->in->following, ~0u);
    while (atomic_load(&first->flag) == OB_FRAGMENT_EMPTY) /* behind it may be what was there */
        ob_pause();
    if (atomic_load(&first->flag) != OB_FRAGMENT_FIRST)
        return false;
    while (atomic_load(&f->flag) == OB_FRAGMENT_EMPTY)
        ob_pause();
    if (atomic_load(&f->flag) != OB_FRAGMENT_OFFER || !ob_offer_take(offer_of(f), OB_FRONT, &piece))
        return false;
    while (!(atomic_load(&offer_of(f)->taken) & OB_OFFER_REVOKED))
        team_sleep_us(100);
    TEAM_CHECK(!ob_offer_front_done(offer_of(f)), "a piece counts after the sender has gone");
    return true;
}

/* The sender goes, and uses its matrix otherwise; the receiver gets what was sent. It asks for a
 * message until it has stopped a few times in the midst of one. */
static void stopped_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    size_t bytes = MIB + 100;
    char more = 1;
    ob_view v = form(0, bytes), again = ob_view_of_bytes(&more, 1);
    int stopped = 0;
    for (uint64_t k = 0; k < 1000 && more; k++) {
        if (me == 0) {
            fill(&v, k);
            team_sleep_us(1000);
            OK(ob_send(g, 1, 0, &v));
            memset(v.base, 0x55, bytes);
            OK(ob_recv(g, 1, 1, &again, NULL));
        } else {
            stopped += stop_at_a_piece(g->peer[0]->link);
            more = stopped < STOPS;
            OK(ob_recv(g, 0, 0, &v, NULL));
            TEAM_CHECK(is_right(&v, k), "a revoked message is damaged");
            OK(ob_send(g, 0, 1, &again));
        }
    }
    TEAM_CHECK(me == 0 || stopped == STOPS, "%d times stopped", stopped);
    free(v.base);
    ob_group_free(g);
}

static void test_stopped_receiver(void **unused)
{
    assert_int_equal(team_try(2, (size_t)64 * MIB, &always, stopped_work, NULL), 0);
}

/* ------------------------------------------------------------------- not reachable */

/* A process number that is another process's, as in another name space: it is found out once. */
static void elsewhere_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    ob_view v = form(0, MIB), nothing = ob_view_of_bytes(NULL, 0);
    int seen = 0;
    atomic_store(&team->job[me]->shm->own->pid, 1);
    for (uint64_t k = 0; k < ROUNDS; k++) {
        if (me == 0) {
            fill(&v, k);
            OK(ob_recv(g, 1, 0, &nothing, NULL));
            team_sleep_us(1000);
            OK(ob_send(g, 1, 0, &v));
        } else {
            OK(ob_send(g, 0, 0, &nothing));
            OK(ob_recv(g, 0, 0, &v, NULL));
            TEAM_CHECK(is_right(&v, k), "damaged");
            seen += link_of(g, 0)->straight.offered;
        }
    }
    /* A sender may see the wish of the moment before. */
    TEAM_CHECK(me == 0 || (atomic_load(&link_of(g, 0)->straight.reached) == OB_REFUSED &&
                           seen >= 1 && seen <= 2),
               "%d offers from one who cannot be reached", seen);
    free(v.base);
    ob_group_free(g);
}

static void test_elsewhere(void **unused)
{
    assert_int_equal(team_try(2, (size_t)64 * MIB, &always, elsewhere_work, NULL), 0);
}

/* ------------------------------------------------------- a sender ahead of its receiver */

/* A stream of long messages: all right, whichever of the two is ahead. */
static void stream(ob_group *g, int me, size_t bytes)
{
    ob_view v = form(0, bytes);
    for (uint64_t k = 0; k < ROUNDS; k++) {
        if (me == 0) {
            fill(&v, k);
            OK(ob_send(g, 1, 0, &v));
        } else {
            OK(ob_recv(g, 0, 0, &v, NULL));
            TEAM_CHECK(is_right(&v, k), "damaged");
            team_sleep_us(k % 3 * 200);
        }
    }
    free(v.base);
}

/* The sender waits for one who wants offers, or has to try them: ever more rarely in vain. */
static void ahead_work(team *team, int me)
{
    const unsigned class = ob_way_class(MIB), wish = 1u << (OB_WISH_AT + class);
    const unsigned asks = 1u << (OB_ASKS_AT + class);
    /* What the receiver says, whether it gets an offer, and the waits in vain then. */
    const struct {
        unsigned says;
        bool offered;
        unsigned missed;
    } steps[] = {{OB_FOLLOWS | wish, true, 0},
                 {0, false, 0},
                 {wish, false, 1},
                 {wish, false, 1},
                 {asks, false, 2},
                 {OB_FOLLOWS | asks, false, 0},
                 {asks, false, 1},
                 {OB_FOLLOWS, false, 0},
                 {wish << 1, false, 0},
                 {OB_FOLLOWS | wish, true, 0}};
    ob_group *g = team_group(team, me);
    ob_link *l = link_of(g, 1 - me);
    bool waits = !ob_job_crowded(l->job);
    ob_view v = form(0, MIB);
    ob_cursor c;
    ob_cursor_open(&c, &v);
    OK(ob_barrier(g));
    unsigned said = atomic_load(&l->out->following);
    for (size_t i = 0; me == 0 && i < sizeof steps / sizeof *steps; i++) {
        atomic_store(&l->theirs->processor, -2);
        atomic_store(&l->out->following, steps[i].says);
        TEAM_CHECK(ob_straight_wanted(l, &c) == steps[i].offered, "step %zu", i);
        TEAM_CHECK(l->straight.missed == (waits ? steps[i].missed : 0), "step %zu: %u in vain", i,
                   l->straight.missed);
    }
    if (me == 0)
        atomic_store(&l->out->following, said);
    OK(ob_barrier(g));
    stream(g, me, MIB);
    stream(g, me, 700 * KIB);
    free(v.base);
    ob_group_free(g);
}

static void test_ahead(void **unused)
{
    static const ob_settings usual = {.spin_us = -1};
    skip_unless_memory_is_reached();
    assert_int_equal(team_try(2, (size_t)64 * MIB, &usual, ahead_work, NULL), 0);
}

/* ------------------------------------------------------------- without an offer */

enum { COLUMNS = 1000, FROM = 40, AT = 24 };
static ob_end told;

/* Any part of a matrix of more runs than one call of the system takes, to or from one of other
 * runs. */
static ob_view shaped(int kind)
{
    ob_view v = {
        .m = kind ? 20 : 8, .n = kind ? 400 : COLUMNS, .ld = kind ? 31 : 9, .type = OB_DOUBLE};
    v.base = calloc(v.ld * v.n, sizeof(double));
    return v;
}

/* Bytes of the first matrix's stream, and zeros around them. */
static void check_part(const ob_view *v, size_t bytes)
{
    ob_cursor c;
    ob_cursor_open(&c, v);
    for (size_t k = 0, run; c.left; k += run) {
        unsigned char *at = (unsigned char *)ob_cursor_take(&c, c.left, &run);
        for (size_t i = k; i < k + run; i++) {
            bool inside = i >= AT && i < AT + bytes;
            TEAM_CHECK(at[i - k] == (inside ? byte_of(i - AT + FROM, 3) : 0), "byte %zu", i);
        }
    }
}

static void reached_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    ob_peer *other = g->peer[1 - me];
    for (int puts = 0; puts < 2; puts++) {
        ob_view v = shaped(me);
        size_t bytes = ob_view_bytes(&v) - FROM - AT - 17;
        if (me == 0)
            fill(&v, 3);
        if (me == puts)
            other->transport->expose(other, &v, &told);
        OK(ob_barrier(g));
        if (me == 1 && !puts)
            TEAM_CHECK(other->transport->fetch(other, &told, FROM, bytes, &v, AT), "not read");
        if (me == 0 && puts)
            TEAM_CHECK(other->transport->put(other, &told, AT, bytes, &v, FROM), "not written");
        OK(ob_barrier(g));
        if (me == 1)
            check_part(&v, bytes);
        free(v.base);
    }
    ob_group_free(g);
}

static void test_reached(void **unused)
{
    skip_unless_memory_is_reached();
    assert_int_equal(team_try(2, (size_t)64 * MIB, &always, reached_work, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers), cmocka_unit_test(test_stopped_receiver),
        cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
