/*
 * Long messages with one copy: the sender's part and the receiver's of what offer.h describes, and
 * which way is faster.
 */
#include "transport/channel/straight.h"

#include <unistd.h>

#include "core/view.h"
#include "hooks/reach.h"
#include "node/memfile.h"
#include "node/processor.h"
#include "transport/channel/link.h"

/* Pieces: eight of a message, so that both ends are done at about the same time, in whole pages. */
enum { PIECES = 8, PIECE_LEAST = 16 << 10, PIECE_MOST = 256 << 10 };
/* The kernel needs some time for every run of memory. */
enum { RUN_LEAST = 4096 };
/* A sender that sees nothing move for so many looks revokes. */
enum { PATIENCE = 20000, PATIENCE_CROWDED = 2000 };

/* A sender that is just ahead of its receiver, in a stream of messages that go straight or whose
 * time is not known yet, waits for it so long, from this length on. Shorter ones go to the ring,
 * which lets it get ahead. */
enum { MEET_LEAST = 128 << 10, MEET_LOOKS = 32, MISSED_MOST = 8 };
#define MEET_SECONDS 5e-6

/* ------------------------------------------------------------------- which way */

static void say(ob_straight *s)
{
    s->says = s->wish << OB_WISH_AT | s->asks << OB_ASKS_AT;
}

void ob_straight_init(ob_straight *s, int choice)
{
    *s = (ob_straight){.choice = choice};
    if (choice == OB_ONE_COPY_AUTO)
        s->asks = (1u << OB_WAYS) - 1;
    if (choice == OB_ONE_COPY_ALWAYS)
        s->wish = (1u << OB_WAYS) - 1;
    say(s);
}

static bool is_refused(const ob_straight *s)
{
    return atomic_load_explicit(&s->reached, memory_order_relaxed) == OB_REFUSED;
}

void ob_straight_saw(ob_straight *s, uint64_t bytes, bool straight, double seconds)
{
    unsigned class = ob_way_class(bytes);
    if (s->choice != OB_ONE_COPY_AUTO || is_refused(s))
        return;
    ob_way *w = &s->way[class];
    ob_way_saw(w, straight, 1e9 * seconds / (double)bytes);
    s->wish = (s->wish & ~(1u << class)) | (unsigned)w->wanted << class;
    if (w->usual > 0 && w->straight > 0)
        s->asks &= ~(1u << class);
    say(s);
}

/* ---------------------------------------------------------------------- copying */

/* Runs of the cursor, of `most` bytes together; returns their bytes. */
static size_t fill(ob_cursor c, struct iovec *run, int *count, size_t most)
{
    size_t all = 0;
    for (*count = 0; *count < OB_REACH_RUNS && all < most; ++*count) {
        size_t bytes;
        run[*count].iov_base = ob_cursor_take(&c, most - all, &bytes);
        run[*count].iov_len = bytes;
        all += bytes;
    }
    return all;
}

/* The bytes of `theirs` from `from` on to those of `mine` from `at` on, or (write) back. */
static bool copy_part(bool write, const ob_view *mine, size_t at, const ob_end *theirs, size_t from,
                      size_t bytes)
{
    struct iovec here[OB_REACH_RUNS], there[OB_REACH_RUNS];
    while (bytes) {
        ob_cursor h, t;
        int here_count, there_count;
        ob_cursor_part(&h, mine, at, bytes);
        ob_cursor_part(&t, &theirs->view, from, bytes);
        size_t step = fill(h, here, &here_count, bytes < OB_REACH_BYTES ? bytes : OB_REACH_BYTES);
        step = fill(t, there, &there_count, step);
        fill(h, here, &here_count, step);
        if (!ob_reach(write, (int)theirs->pid, here, here_count, there, there_count, step))
            return false;
        from += step;
        at += step;
        bytes -= step;
    }
    return true;
}

static size_t piece_bytes(const ob_offer *o, unsigned piece)
{
    return piece + 1 < o->pieces ? o->piece : o->bytes - piece * o->piece;
}

static bool copy_piece(bool write, const ob_offer *o, unsigned piece)
{
    const ob_end *mine = write ? &o->from : &o->to, *theirs = write ? &o->to : &o->from;
    size_t from = piece * o->piece;
    return copy_part(write, &mine->view, from, theirs, from, piece_bytes(o, piece));
}

static bool runs_are_long(const ob_view *v)
{
    return ob_view_contiguous(v) || (ob_view_bytes(v) / (v->n ? v->n : 1)) >= RUN_LEAST;
}

/* Process numbers mean something within their name space alone: is that process the one we share
 * memory with? */
static bool is_theirs(const ob_link *l, const ob_end *end)
{
    uint64_t start[3];
    struct iovec here = {start, sizeof start},
                 there = {(void *)(uintptr_t)end->segment, sizeof start};
    return ob_reach(false, (int)end->pid, &here, 1, &there, 1, sizeof start) &&
           memcmp(start, l->theirs, sizeof start) == 0;
}

static bool reachable(ob_link *l, const ob_end *end)
{
    atomic_int *reached = &l->straight.reached;
    if (atomic_load_explicit(reached, memory_order_relaxed) == OB_REACHED_UNKNOWN)
        atomic_store_explicit(reached, is_theirs(l, end) ? OB_REACHED : OB_REFUSED,
                              memory_order_relaxed);
    return !is_refused(&l->straight);
}

static ob_end own_end(const ob_link *l, const ob_view *v)
{
    static atomic_bool open; /* once a process; twice does no harm */
    if (!atomic_exchange_explicit(&open, true, memory_order_relaxed))
        ob_reach_open();
    return (ob_end){.view = *v,
                    .segment = l->shm->own,
                    .pid = atomic_load_explicit(&l->shm->own->pid, memory_order_relaxed)};
}

/* The bytes that are not done once an offer has been revoked. */
static void open_rest(const ob_offer *o, uint64_t word, const ob_view *v, ob_cursor *c)
{
    unsigned first = ob_offer_get(word, OB_FRONT_DONE);
    unsigned end = o->pieces - ob_offer_get(word, OB_BACK_DONE);
    uint64_t from = first == o->pieces ? o->bytes : first * o->piece;
    uint64_t to = end == o->pieces ? o->bytes : end * o->piece;
    ob_cursor_part(c, v, from, to - from);
}

/* ------------------------------------------------------------------- the sender */

/* The two share a processor, or there are more processes than that. */
static bool is_crowded(const ob_link *l)
{
    return ob_job_crowded(l->job) ||
           atomic_load_explicit(&l->theirs->processor, memory_order_relaxed) == ob_processor_here();
}

/* Waits for a receiver that may be about to come; ever more rarely while it does not. */
static bool meet(ob_straight *s, const atomic_uint *following)
{
    unsigned now = 0, looks = 0;
    if (s->missed && ++s->passed >> (s->missed < MISSED_MOST ? s->missed : MISSED_MOST) == 0)
        return false;
    double until = ob_time() + MEET_SECONDS;
    while (!(now & OB_FOLLOWS) && (++looks % MEET_LOOKS || ob_time() < until)) {
        ob_pause();
        now = atomic_load_explicit(following, memory_order_relaxed);
    }
    s->missed = now & OB_FOLLOWS ? 0 : s->missed + 1;
    s->passed = 0;
    return s->missed == 0;
}

bool ob_straight_wanted(ob_link *l, const ob_cursor *data)
{
    ob_straight *s = &l->straight;
    const atomic_uint *following = &l->out->following;
    unsigned now = atomic_load_explicit(following, memory_order_relaxed);
    unsigned class = ob_way_class(data->left), wish = now >> OB_WISH_AT >> class & 1;
    unsigned asks = now >> OB_ASKS_AT >> class & 1;
    if (now & OB_FOLLOWS)
        s->missed = 0;
    if (!(wish | asks) || is_refused(s) || !runs_are_long(data->view))
        return false;
    if (!(now & OB_FOLLOWS) && (data->left < MEET_LEAST || is_crowded(l) || !meet(s, following)))
        return false;
    if (!wish)
        return false;
    return s->choice == OB_ONE_COPY_ALWAYS ||
           atomic_load_explicit(&l->theirs->processor, memory_order_relaxed) != ob_processor_here();
}

void ob_straight_fill(const ob_link *l, ob_offer *o, const ob_cursor *data)
{
    uint64_t page = ob_memfile_page(), piece = (data->left / PIECES + page - 1) / page * page;
    piece = piece < PIECE_LEAST ? PIECE_LEAST : piece > PIECE_MOST ? PIECE_MOST : piece;
    while (data->left / piece >= OB_OFFER_PIECES)
        piece *= 2;
    o->from = own_end(l, data->view);
    o->piece = piece;
    o->bytes = data->left;
    o->pieces = (uint32_t)((data->left + piece - 1) / piece);
    atomic_store_explicit(&o->taken, 0, memory_order_relaxed);
    atomic_store_explicit(&o->there, 0, memory_order_relaxed);
}

/* Copies a piece from the back when there is one; false: nothing was done. */
static bool help(ob_link *l, ob_offer *o)
{
    unsigned piece;
    if (!atomic_load_explicit(&o->there, memory_order_acquire) || !reachable(l, &o->to) ||
        !ob_offer_take(o, OB_BACK, &piece))
        return false;
    if (!copy_piece(true, o, piece)) {
        ob_offer_revoke(o, true);
        ob_segment_ring(l->theirs);
    } else if (ob_offer_back_done(o)) {
        ob_segment_ring(l->theirs);
    }
    return true;
}

void ob_straight_serve(ob_link *l, ob_offer *o, ob_cursor *data)
{
    unsigned most = ob_job_crowded(l->job) ? PATIENCE_CROWDED : PATIENCE, looks = 0;
    uint64_t seen = 0;
    for (;;) {
        uint64_t word = atomic_load_explicit(&o->taken, memory_order_acquire);
        if (word & OB_OFFER_REVOKED || ob_offer_all_done(o, word)) {
            open_rest(o, word, data->view, data);
            return;
        }
        looks = word == seen ? looks + 1 : 0;
        seen = word;
        if (help(l, o))
            continue;
        if (looks > most)
            ob_offer_revoke(o, false);
        ob_pause();
    }
}

/* ----------------------------------------------------------------- the receiver */

/* Says where the message goes. */
static void tell(const ob_link *l, ob_offer *o, const ob_cursor *sink)
{
    o->to = own_end(l, sink->view);
    atomic_store_explicit(&o->there, 1, memory_order_release);
}

bool ob_straight_take(ob_link *l, ob_offer *o, ob_cursor *sink, size_t *moved)
{
    size_t before = sink->left;
    unsigned piece;
    if (!atomic_load_explicit(&o->there, memory_order_relaxed)) {
        if (reachable(l, &o->from) && runs_are_long(sink->view))
            tell(l, o, sink);
        else
            ob_offer_revoke(o, false);
        if (is_refused(&l->straight)) {
            l->straight.wish = l->straight.asks = 0;
            say(&l->straight);
        }
    }
    while (ob_offer_take(o, OB_FRONT, &piece)) {
        if (!copy_piece(false, o, piece))
            ob_offer_revoke(o, false);
        if (!ob_offer_front_done(o))
            break;
    }
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_acquire);
    bool over = ob_offer_get(word, OB_BACK) == ob_offer_get(word, OB_BACK_DONE) &&
                (word & OB_OFFER_REVOKED || ob_offer_all_done(o, word));
    if (over)
        open_rest(o, word, sink->view, sink);
    *moved = before - sink->left;
    return over;
}

/* ------------------------------------------------------------- without an offer */

bool ob_shm_expose(ob_peer *peer, const ob_view *view, ob_end *end)
{
    *end = own_end(peer->link, view);
    return runs_are_long(view);
}

/* We reach our own memory as others would: some that the program can use the kernel does not hand
 * out (pages that are protected for a while, secret ones), and a process may be forbidden these
 * calls. What is to be written is written over itself: the kernel lets nobody write what it does
 * not let him read. */
bool ob_shm_serves(ob_peer *peer, const ob_end *own, bool write)
{
    char kept[2];
    size_t all = ob_view_bytes(&own->view);
    ob_cursor first, last;
    (void)peer;
    ob_cursor_part(&first, &own->view, 0, 1);
    ob_cursor_part(&last, &own->view, all - 1, 1);
    struct iovec here[] = {{kept, 1}, {kept + 1, 1}}, there[] = {{first.at, 1}, {last.at, 1}};
    return ob_reach(write, (int)getpid(), write ? there : here, 2, there, 2, sizeof kept);
}

bool ob_shm_reaches(ob_peer *peer, const ob_end *theirs)
{
    return reachable(peer->link, theirs);
}

bool ob_shm_fetch(ob_peer *peer, const ob_end *theirs, size_t from, size_t bytes, const ob_view *to,
                  size_t at)
{
    (void)peer;
    return copy_part(false, to, at, theirs, from, bytes);
}

bool ob_shm_put(ob_peer *peer, const ob_end *theirs, size_t to, size_t bytes, const ob_view *from,
                size_t at)
{
    (void)peer;
    return copy_part(true, from, at, theirs, to, bytes);
}
