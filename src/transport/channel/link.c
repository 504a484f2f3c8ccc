/*
 * Receiving over a channel, and the shared-memory transport's table of callbacks.
 */
#include <stdlib.h>

#include "core/error.h"
#include "node/memfile.h"
#include "transport/channel/link.h"

static void read_in_large(ob_link *l)
{
    read_in(l, large_ring((char *)l->shm->own, l->shm->own, (int)l->theirs->number), OB_RING_BYTES);
}

static inline ob_fragment *read_position(ob_link *l)
{
    ob_channel *ch = l->in;
    return ch->read_area ? area_at(l->memory, ch->read_area, ch->read_at) : in_at(l, ch->read_at);
}

/* Done with a fragment: its room in the ring is the sender's again. */
static inline void pass(ob_channel *ch, size_t bytes)
{
    ch->read_at += bytes;
    if (ch->read_area == 0)
        atomic_store_explicit(&ch->head, ch->read_at, memory_order_release);
}

static void follow_jump(ob_link *l, const ob_fragment *f)
{
    ob_channel *ch = l->in;
    uint64_t to = f->offset;
    if (ch->read_area == 0)
        pass(ch, OB_LINE);
    if (to == OB_TO_LARGE_RING) {
        ch->read_large = 1;
        atomic_store_explicit(&l->shm->own->grown, true, memory_order_relaxed);
        read_in_large(l);
    } else {
        ch->read_area = to;
        /* In the ring the next fragment is where the ring was left. */
        ch->read_at = to ? 0 : atomic_load_explicit(&ch->head, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&ch->taken, 1, memory_order_release);
}

/* The kind of the fragment at the read position, jumps followed. */
static inline unsigned look(ob_link *l, ob_fragment **f)
{
    for (;;) {
        *f = read_position(l);
        unsigned kind = atomic_load_explicit(&(*f)->flag, memory_order_acquire);
        if (__builtin_expect(kind != OB_FRAGMENT_JUMP, 1))
            return kind;
        follow_jump(l, *f);
    }
}

static int shm_poll(ob_peer *peer, ob_envelope *e)
{
    ob_link *l = peer->link;
    ob_fragment *f;
    unsigned kind = look(l, &f);
    if (kind == OB_FRAGMENT_EMPTY)
        return 0;
    if (kind != OB_FRAGMENT_FIRST)
        return ob_fail(OB_ESYSTEM,
                       "OB-4010 the shared memory between processes %d and %u is damaged",
                       l->shm->number, l->theirs->number);
    e->stream = f->stream;
    e->type = f->type;
    e->call = f->call;
    e->tag = f->tag;
    e->context = f->context;
    e->bytes = f->length;
    return 1;
}

static size_t take_block_bytes(ob_link *l, const ob_fragment *f, ob_cursor *sink)
{
    ob_block *block = (ob_block *)(l->memory + f->offset);
    size_t bytes = f->length;
    ob_cursor_unpack(sink, (char *)block + OB_BLOCK_DATA, bytes);
    ob_block_done(block);
    pass(l->in, OB_LINE);
    return bytes;
}

static size_t take_inline_bytes(ob_link *l, ob_fragment *f, ob_cursor *sink)
{
    size_t bytes = f->bytes;
    if (bytes)
        ob_cursor_unpack(sink, f + 1, bytes);
    pass(l->in, fragment_bytes(bytes));
    return bytes;
}

/* The polled message when it is all in its first fragment, its bytes going to
 * one run of memory; false when it is not so. */
static inline bool pull_line(ob_link *l, ob_cursor *sink)
{
    ob_channel *ch = l->in;
    const ob_fragment *f = in_at(l, ch->read_at);
    if (ch->read_area || l->in_message)
        return false;
    size_t bytes = f->bytes;
    if (bytes != f->length || bytes != sink->run || bytes > INLINE_BYTES)
        return false;
    ob_copy_short(sink->at, f + 1, bytes);
    sink->left = sink->run = 0;
    ch->read_at += OB_LINE;
    atomic_store_explicit(&ch->head, ch->read_at, memory_order_release);
    return true;
}

static size_t take_offered_bytes(ob_link *l, ob_fragment *f, ob_cursor *sink, bool *over)
{
    size_t moved;
    l->straight.offered = true;
    *over = ob_straight_take(l, offer_of(f), sink, &moved);
    if (*over)
        pass(l->in, OFFER_BYTES);
    return moved;
}

static void shm_follow(ob_peer *peer, bool on)
{
    ob_link *l = peer->link;
    unsigned now = l->straight.says | (on ? OB_FOLLOWS : 0);
    /* Asked often; the sender's copy of the line is left alone when nothing changes. */
    if (atomic_load_explicit(&l->in->following, memory_order_relaxed) != now)
        atomic_store_explicit(&l->in->following, now, memory_order_relaxed);
}

/* Messages that were awaited, and that came through the ring or as offers, are timed. */
static void begin_message(ob_link *l, ob_peer *peer, uint64_t bytes)
{
    bool awaited = atomic_load_explicit(&l->in->following, memory_order_relaxed) & OB_FOLLOWS;
    l->in_message = true;
    l->left = bytes;
    if (bytes >= OB_OFFER_LEAST) {
        l->straight.began = awaited ? ob_time() : 0;
        l->straight.bytes = bytes;
        l->straight.offered = false;
    }
    if (bytes > OB_RING_BYTES / 2)
        shm_follow(peer, true);
}

static void end_message(ob_link *l, ob_peer *peer)
{
    ob_straight *s = &l->straight;
    l->in_message = false;
    if (s->began > 0)
        ob_straight_saw(s, s->bytes, s->offered, ob_time() - s->began);
    s->began = 0;
    shm_follow(peer, false);
}

/* Who pulls a message that does not fit into the ring follows: the sender need not
 * spill what we are about to take. */
static ptrdiff_t shm_pull(ob_peer *peer, ob_cursor *sink)
{
    ob_link *l = peer->link;
    size_t moved = sink->left;
    if (pull_line(l, sink))
        return (ptrdiff_t)moved;
    moved = 0;
    do {
        ob_fragment *f;
        unsigned kind = look(l, &f);
        size_t bytes;
        if (kind == OB_FRAGMENT_EMPTY)
            break;
        if (!l->in_message)
            begin_message(l, peer, f->length);
        bool over = true;
        if (kind == OB_FRAGMENT_BLOCK) {
            l->straight.began = 0;
            bytes = take_block_bytes(l, f, sink);
        } else if (kind == OB_FRAGMENT_OFFER) {
            bytes = take_offered_bytes(l, f, sink, &over);
        } else {
            bytes = take_inline_bytes(l, f, sink);
        }
        l->left -= bytes;
        moved += bytes;
        if (l->left == 0)
            end_message(l, peer);
        else if (!over)
            break;
    } while (l->in_message);
    return (ptrdiff_t)moved;
}

static bool shm_arm(ob_peer *peer, bool *heavy)
{
    ob_link *l = peer->link;
    ob_fragment *f;
    unsigned kind = look(l, &f);
    if (kind == OB_FRAGMENT_OFFER)
        return ob_offer_arm(offer_of(f));
    if (kind != OB_FRAGMENT_EMPTY)
        return false;
    atomic_store_explicit(&l->in->sleeps, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    *heavy |= atomic_load_explicit(&l->in->light, memory_order_acquire);
    return atomic_load_explicit(&f->flag, memory_order_relaxed) == OB_FRAGMENT_EMPTY;
}

/* MPI_Finalize is collective: one who is in it may not be able to come back before
 * we go there too, so waiting for it first is waiting for ever. */
static bool shm_gone(ob_peer *peer)
{
    ob_link *l = peer->link;
    unsigned theirs = atomic_load_explicit(&l->theirs->life, memory_order_acquire);
    return theirs == OB_LIFE_GONE ||
           (theirs == OB_LIFE_CLOSED &&
            atomic_load_explicit(&l->shm->own->life, memory_order_relaxed) < OB_LIFE_CLOSED);
}

/* Channels from higher numbers lie behind: one look at the file tells of many. */
static bool shm_silent(ob_peer *peer, const char **untouched)
{
    const ob_link *l = peer->link;
    const char *from = (const char *)l->in, *end = from + sizeof *l->in;
    if (*untouched < end)
        *untouched = from + ob_memfile_untouched(&l->shm->heap.file, from);
    return *untouched >= end;
}

static void shm_close(ob_peer *peer)
{
    free(peer->link);
    peer->link = NULL;
}

static void shm_traffic(ob_peer *peer, uint64_t *messages, uint64_t *bytes)
{
    ob_link *l = peer->link;
    *messages = l->out->messages;
    *bytes = l->out->bytes;
}

static const ob_transport shm_transport = {
    .name = "shm",
    .send = ob_shm_send,
    .share = ob_shm_share,
    .poll = shm_poll,
    .silent = shm_silent,
    .pull = shm_pull,
    .follow = shm_follow,
    .arm = shm_arm,
    .gone = shm_gone,
    .lend = ob_shm_lend,
    .borrow = ob_shm_borrow,
    .give_back = ob_shm_give_back,
    .expose = ob_shm_expose,
    .serves = ob_shm_serves,
    .reaches = ob_shm_reaches,
    .fetch = ob_shm_fetch,
    .put = ob_shm_put,
    .traffic = shm_traffic,
    .close = shm_close,
};

/* A process that takes over the segment of an earlier one goes on in the ring where that one was,
 * and with a train that may stand in an area nobody manages any more. */
static void adopt(ob_link *l)
{
    if (!atomic_load_explicit(&l->shm->own->grown, memory_order_relaxed))
        return;
    if (l->out->large)
        write_in(l, large_ring(l->memory, l->theirs, l->shm->number), OB_RING_BYTES);
    if (l->in->read_large)
        read_in_large(l);
    if (l->out->area) {
        l->area = (ob_block *)((char *)l->shm->own + l->out->area);
        l->aside = true;
    }
}

int ob_shm_connect(ob_shm *shm, ob_peer *peer)
{
    ob_segment_header *theirs = shm->segment[peer->number];
    if (theirs == NULL)
        return ob_fail(OB_ESTATE, "OB-3015 process %d has not met process %d", shm->number,
                       peer->number);
    ob_link *l = aligned_alloc(OB_LINE, sizeof *l);
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a link to process %d", peer->number);
    *l = (ob_link){.shm = shm,
                   .job = peer->job,
                   .theirs = theirs,
                   .memory = ob_shm_whole(shm, peer->number),
                   .out = ob_shm_channel(shm, peer->number),
                   .in = ob_segment_channel(shm->own, peer->number),
                   .step = peer->job->set.step_bytes};
    ob_straight_init(&l->straight, peer->job->set.one_copy);
    write_in(l, l->out->ring, OB_RING_FIRST);
    read_in(l, l->in->ring, OB_RING_FIRST);
    adopt(l);
    peer->link = l;
    peer->transport = &shm_transport;
    return OB_OK;
}
