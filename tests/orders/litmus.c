/*
 * The explorer's own test: the classic small programs, and which of their outcomes C11 allows. Each
 * outcome is a number; the set of them must be exactly the one that stands here (checked by
 * hand, and against a search without any reduction).
 */
#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define W(x, v, o) atomic_store_explicit(&w->x, v, o)
#define R(x, o) ((int)atomic_load_explicit(&w->x, o))
#define F(o) atomic_thread_fence(o)

static struct world {
    atomic_int x, y, z;
    int plain;
} * w;

static void setup(void)
{
    w = ex_alloc(sizeof *w);
}

/* Message passing: 1: y seen and x not. */
#define MP(name, wo, ro)                                                                           \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0) {                                                                             \
            W(x, 1, RLX);                                                                          \
            W(y, 1, wo);                                                                           \
        } else if (R(y, ro)) {                                                                     \
            ex_outcome(R(x, RLX) ? 2 : 1);                                                         \
        }                                                                                          \
    }
MP(mp_relaxed, RLX, RLX)
MP(mp_release, REL, RLX)
MP(mp_acquire, RLX, ACQ)
MP(mp_both, REL, ACQ)

static void mp_fences(int me)
{
    if (me == 0) {
        W(x, 1, RLX);
        F(REL);
        W(y, 1, RLX);
    } else if (R(y, RLX)) {
        F(ACQ);
        ex_outcome(R(x, RLX) ? 2 : 1);
    }
}

static void mp_plain(int me)
{
    if (me == 0) {
        w->plain = 1;
        W(y, 1, REL);
    } else if (R(y, ACQ)) {
        ex_outcome(w->plain ? 2 : 1);
    }
}

static void mp_plain_race(int me)
{
    if (me == 0) {
        w->plain = 1;
        W(y, 1, RLX);
    } else if (R(y, ACQ)) {
        ex_outcome(w->plain ? 2 : 1);
    }
}

/* Store buffering: both read 0: 0. */
#define SB(name, wo, ro, fence)                                                                    \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0) {                                                                             \
            W(x, 1, wo);                                                                           \
            fence;                                                                                 \
            ex_outcome(R(y, ro));                                                                  \
        } else {                                                                                   \
            W(y, 1, wo);                                                                           \
            fence;                                                                                 \
            ex_outcome(2 * R(x, ro));                                                              \
        }                                                                                          \
    }
SB(sb_relacq, REL, ACQ, )
SB(sb_sc, SC, SC, )
SB(sb_fences, RLX, RLX, F(SC))
SB(sb_weak_fences, RLX, RLX, F(AR))

/* One side's fence is the system's. */
static void sb_one_fence(int me)
{
    if (me == 0) {
        W(x, 1, SC);
        F(SC);
        ex_outcome(R(y, RLX));
    } else {
        W(y, 1, RLX);
        ex_outcome(2 * R(x, RLX));
    }
}

/* Load buffering: 3 would be of loads that wait for the stores behind them. */
#define LB(name, ro, wo, fence, ro2, wo2)                                                          \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0) {                                                                             \
            ex_outcome(R(x, ro));                                                                  \
            fence;                                                                                 \
            W(y, 1, wo);                                                                           \
        } else {                                                                                   \
            ex_outcome(2 * R(y, ro2));                                                             \
            W(x, 1, wo2);                                                                          \
        }                                                                                          \
    }
LB(lb, RLX, RLX, , RLX, RLX)
LB(lb_acquire, ACQ, RLX, , RLX, RLX)
LB(lb_fence, RLX, RLX, F(ACQ), RLX, REL)
LB(lb_both, ACQ, RLX, , RLX, REL)

/* No circle: nobody reads what the second one writes. */
static void lb_open(int me)
{
    if (me == 0) {
        ex_outcome(R(x, RLX));
        W(y, 1, RLX);
    } else {
        ex_outcome(2 * R(y, RLX));
        W(z, 1, RLX);
    }
}

/* Two readers of two writers: 2 of them in two orders. */
#define IRIW(name, wo, ro)                                                                         \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0)                                                                               \
            W(x, 1, wo);                                                                           \
        if (me == 1)                                                                               \
            W(y, 1, wo);                                                                           \
        if (me == 2)                                                                               \
            ex_outcome(R(x, ro) && !R(y, ro));                                                     \
        if (me == 3)                                                                               \
            ex_outcome(R(y, ro) && !R(x, ro));                                                     \
    }
IRIW(iriw_relacq, REL, ACQ)
IRIW(iriw_sc, SC, SC)

/* Both locations end with the first writer's value: 3. */
static void two_plus_two(int me)
{
    if (me == 0) {
        W(x, 1, REL);
        W(y, 2, REL);
    } else {
        W(y, 1, REL);
        W(x, 2, REL);
    }
}

static void two_plus_two_sc(int me)
{
    if (me == 0) {
        W(x, 1, SC);
        W(y, 2, SC);
    } else {
        W(y, 1, SC);
        W(x, 2, SC);
    }
}

static void two_plus_two_end(void)
{
    ex_outcome((R(x, RLX) == 1) + 2 * (R(y, RLX) == 1));
}

/* One location is read in one order: never new, then old. */
static void corr(int me)
{
    if (me == 0) {
        W(x, 1, RLX);
    } else {
        int first = R(x, RLX), second = R(x, RLX);
        ex_outcome(2 * first + second);
    }
}

/* A release, continued by another's read-modify-write: 1 would be a stale x. */
static void release_sequence(int me)
{
    if (me == 0) {
        W(x, 1, RLX);
        W(y, 1, REL);
    } else if (me == 1) {
        atomic_fetch_add_explicit(&w->y, 1, RLX);
    } else if (R(y, ACQ) == 2) {
        ex_outcome(R(x, RLX) ? 2 : 1);
    }
}

/* Cut by another's store: y is 2 of it, x may be stale. */
static void release_cut(int me)
{
    if (me == 0) {
        W(x, 1, RLX);
        W(y, 1, REL);
        W(y, 2, RLX);
    } else if (R(y, ACQ) == 2) {
        ex_outcome(R(x, RLX) ? 2 : 1);
    }
}

/* Three parties: what was read is handed on. 1: stale. */
#define WRC(name, ro, wo)                                                                          \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0)                                                                               \
            W(x, 1, REL);                                                                          \
        if (me == 1 && R(x, ro))                                                                   \
            W(y, 1, wo);                                                                           \
        if (me == 2 && R(y, ACQ))                                                                  \
            ex_outcome(R(x, RLX) ? 2 : 1);                                                         \
    }
WRC(wrc, ACQ, REL)
WRC(wrc_relaxed, RLX, RLX)

static void add(int me)
{
    (void)me;
    atomic_fetch_add_explicit(&w->x, 1, RLX);
    atomic_fetch_add_explicit(&w->x, 1, RLX);
}

static void add_end(void)
{
    ex_outcome(R(x, RLX));
}

/* One of two comparisons wins. */
static void cas(int me)
{
    int none = 0;
    if (atomic_compare_exchange_strong_explicit(&w->x, &none, me + 1, RLX, RLX))
        ex_outcome(1);
    else
        ex_outcome(none == 2 - me ? 2 : 8);
}

/* R: W x 1; W y 1 against W y 2; R x. 1: y ends as 2, and x is not seen. */
#define RR(name, fence)                                                                            \
    static void name(int me)                                                                       \
    {                                                                                              \
        if (me == 0) {                                                                             \
            W(x, 1, RLX);                                                                          \
            fence;                                                                                 \
            W(y, 1, RLX);                                                                          \
        } else {                                                                                   \
            W(y, 2, RLX);                                                                          \
            fence;                                                                                 \
            W(z, 1 + R(x, RLX), RLX);                                                              \
        }                                                                                          \
    }
RR(r_relaxed, )
RR(r_fences, F(SC))

static void r_end(void)
{
    ex_outcome(2 * (R(y, RLX) == 2) + (R(z, RLX) == 2)); /* 2: forbidden with fences */
}

/* A spinner goes on when there is something new, and sees it. */
static void spin(int me)
{
    if (me == 0) {
        w->plain = 7;
        W(x, 1, REL);
    } else {
        while (R(x, ACQ) == 0)
            ex_again();
        ex_outcome(w->plain == 7);
    }
}

static void *spawned(void *none)
{
    (void)none;
    ex_outcome(w->plain);
    w->plain = 2;
    return 0;
}

static void spawn(int me)
{
    pthread_t t;
    (void)me;
    w->plain = 1;
    pthread_create(&t, 0, spawned, 0);
    W(x, 1, RLX);
    pthread_join(t, 0);
    ex_outcome(w->plain);
}

/* ------------------------------------------------------------------ random programs */

static struct instruction {
    int what, order, where;
} program[LITMUS_MOST][4];
static int parties, length;

void litmus_draw(uint64_t seed)
{
    parties = 2 + (int)(seed % 2);
    length = parties == 2 ? 3 : 2;
    for (int t = 0; t < parties; t++)
        for (int i = 0; i < length; i++) {
            seed = (seed + 1) * 6364136223846793005u + 1442695040888963407u;
            uint64_t r = seed >> 33;
            program[t][i] = (struct instruction){(int)(r % 9), (int)(r / 9 % 4), (int)(r / 36 % 2)};
        }
}

static void run_one(const struct instruction *p, uint64_t unit, int value)
{
    static const memory_order loads[] = {RLX, ACQ, SC, ACQ}, stores[] = {RLX, REL, SC, REL},
                              both[] = {RLX, ACQ, SC, REL};
    atomic_int *at = p->where ? &w->y : &w->x;
    int old = value - 1;
    if (p->what < 3)
        ex_outcome(unit * (uint64_t)atomic_load_explicit(at, loads[p->order]));
    else if (p->what < 6)
        atomic_store_explicit(at, value, stores[p->order]);
    else if (p->what == 6)
        ex_outcome(unit * (uint64_t)atomic_exchange_explicit(at, value, both[p->order]));
    else if (p->what == 7)
        ex_outcome(unit * (uint64_t)atomic_compare_exchange_strong_explicit(at, &old, value,
                                                                            both[p->order], RLX));
    else
        atomic_thread_fence(both[p->order]);
}

static void random_body(int me)
{
    for (int i = 0; i < length; i++)
        run_one(&program[me][i], UINT64_C(1) << (4 * (me * length + i)), 1 + me * length + i);
}

static void random_end(void)
{
    ex_outcome((uint64_t)R(x, RLX) << 40 | (uint64_t)R(y, RLX) << 48);
}

ex_model litmus_random(void)
{
    return (ex_model){"a random program", parties, setup, random_body, random_end};
}

#define SET1(a) (1ull << (a))
#define SET2(a, b) (SET1(a) | SET1(b))
#define SET3(a, b, c) (SET2(a, b) | SET1(c))
#define SET4(a, b, c, d) (SET3(a, b, c) | SET1(d))

const litmus litmus_tests[] = {
    {{"message passing, relaxed", 2, setup, mp_relaxed, 0}, SET3(0, 1, 2), 3},
    {{"message passing, release alone", 2, setup, mp_release, 0}, SET3(0, 1, 2), 3},
    {{"message passing, acquire alone", 2, setup, mp_acquire, 0}, SET3(0, 1, 2), 3},
    {{"message passing, both", 2, setup, mp_both, 0}, SET2(0, 2), 0},
    {{"message passing, fences", 2, setup, mp_fences, 0}, SET2(0, 2), 0},
    {{"message passing, plain", 2, setup, mp_plain, 0}, SET2(0, 2), 0},
    {{"message passing, plain, a race", 2, setup, mp_plain_race, 0}, 0, -1},
    {{"store buffering, release and acquire", 2, setup, sb_relacq, 0}, SET4(0, 1, 2, 3), 0},
    {{"store buffering, seq_cst", 2, setup, sb_sc, 0}, SET3(1, 2, 3), 0},
    {{"store buffering, fences", 2, setup, sb_fences, 0}, SET3(1, 2, 3), 0},
    {{"store buffering, weak fences", 2, setup, sb_weak_fences, 0}, SET4(0, 1, 2, 3), 0},
    {{"store buffering, one fence", 2, setup, sb_one_fence, 0}, SET4(0, 1, 2, 3), 0},
    {{"load buffering", 2, setup, lb, 0}, SET3(0, 1, 2), 0},
    {{"independent readers, acquire", 4, setup, iriw_relacq, 0}, SET3(0, 1, 2), 0},
    {{"independent readers, seq_cst", 4, setup, iriw_sc, 0}, SET2(0, 1), 0},
    {{"2+2W, release", 2, setup, two_plus_two, two_plus_two_end}, SET4(0, 1, 2, 3), 0},
    {{"2+2W, seq_cst", 2, setup, two_plus_two_sc, two_plus_two_end}, SET3(0, 1, 2), 0},
    {{"coherence of reads", 2, setup, corr, 0}, SET3(0, 1, 3), 0},
    {{"release sequence", 3, setup, release_sequence, 0}, SET2(0, 2), 0},
    {{"release sequence, cut", 2, setup, release_cut, 0}, SET3(0, 1, 2), 0},
    {{"handed on", 3, setup, wrc, 0}, SET2(0, 2), 0},
    {{"handed on, relaxed", 3, setup, wrc_relaxed, 0}, SET3(0, 1, 2), 0},
    {{"additions", 2, setup, add, add_end}, SET1(4), 6},
    {{"comparisons", 2, setup, cas, 0}, SET1(3), 2},
    {{"R, relaxed", 2, setup, r_relaxed, r_end}, SET4(0, 1, 2, 3), 0},
    {{"R, fences", 2, setup, r_fences, r_end}, SET3(0, 1, 3), 0},
    {{"a spinner", 2, setup, spin, 0}, SET1(1), 0},
    {{"made and joined", 1, setup, spawn, 0}, SET1(3), 1},
};
const litmus litmus_buffered[] = {
    {{"load buffering", 2, setup, lb, 0}, 0, 2},
    {{"load buffering, one acquire", 2, setup, lb_acquire, 0}, 0, 1},
    {{"load buffering, fence and release", 2, setup, lb_fence, 0}, 0, 0},
    {{"load buffering, acquire and release", 2, setup, lb_both, 0}, 0, 0},
    {{"no load buffering", 2, setup, lb_open, 0}, 0, 0},
};
const int litmus_buffered_count = sizeof litmus_buffered / sizeof *litmus_buffered;
const int litmus_count = sizeof litmus_tests / sizeof *litmus_tests;
