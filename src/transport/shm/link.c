/*
 * Sending and receiving over a pair of channels: the shared-memory transport's
 * callbacks. channel.h says how a channel works and which memory order protects what.
 */
#include <stdlib.h>
#include <time.h>

#include "core/error.h"
#include "transport/shm/channel.h"
#include "transport/shm/processor.h"
#include "transport/shm/shm.h"

/* Space a normal fragment leaves free in the ring: for a JUMP, and for the
 * EMPTY flag behind that. */
enum { RESERVE = 2 * OB_LINE };
enum { INLINE_BYTES = OB_LINE - sizeof(ob_fragment) };
/* A follower that makes no progress for this many looks has lost its
 * processor; waiting for it would make the send depend on it. Where processes
 * share processors that is soon clear. */
enum { PATIENCE = 4000, PATIENCE_CROWDED = 1000, PATIENCE_HERE = 100 };
/* Steps of a long message, headers included: short at both ends, where the receiver waits for the
 * first and the sender does not wait for the last, long in the middle. 16 KiB of payload are
 * one step; four of the longest fill the ring. */
enum { STEP_LEAST = 16 * 1024 + OB_LINE, STEP_MOST = 64 * 1024, SPILL_LEAST = 4096 };
/* Pieces of a shared matrix: large enough that a wake-up for each is cheap. */
enum { SHARE_BYTES = (512 << 10) - OB_BLOCK_DATA };
/* With their headers these fill a size class of the heap. */
enum {
    BLOCK_MOST = (8 << 20) - OB_BLOCK_DATA,
    BLOCK_LATER = (256 << 10) - OB_BLOCK_DATA,
    AREA_FIRST = (64 << 10) - OB_BLOCK_DATA,
    AREA_LATER = (1 << 20) - OB_BLOCK_DATA
};

typedef struct link {
    ob_shm *shm;
    const ob_job *job;
    ob_segment_header *theirs;

    /* Sending. */
    _Alignas(OB_LINE) ob_channel *out;
    ob_block *area;                    /* being written, when out->area != 0 */
    ob_block *left_first, *left_last;  /* areas written, until the receiver has left them */
    uint64_t emptied; /* the ring position whose flag is EMPTY ahead of time */
    size_t step; /* 0: by the length */
    bool cut; /* a message was shown in part when the heap was full: nothing can follow it */

    /* Receiving. */
    _Alignas(OB_LINE) ob_channel *in;
    uint64_t left;   /* of the message being pulled */
    bool in_message; /* its FIRST fragment has been pulled, its last not yet */
} link;

/* ---------------------------------------------------------------- sending */

static size_t fragment_bytes(size_t payload)
{
    return (sizeof(ob_fragment) + payload + OB_LINE - 1) / OB_LINE * OB_LINE;
}

static ob_fragment *ring_at(ob_channel *ch, uint64_t position)
{
    return (ob_fragment *)(ch->ring + position % OB_RING_BYTES);
}

static ob_fragment *area_at(const void *segment, uint64_t area, uint64_t at)
{
    return (ob_fragment *)((char *)segment + area + OB_BLOCK_DATA + at);
}

static ob_fragment *write_position(link *l)
{
    ob_channel *ch = l->out;
    return ch->area ? area_at(l->shm->own, ch->area, ch->area_at) : ring_at(ch, ch->tail);
}

/* Bytes free for fragments at the write position; *to_end: how many of them
 * are contiguous at most. */
static size_t room(link *l, size_t wanted, size_t *to_end)
{
    ob_channel *ch = l->out;
    if (ch->area) {
        uint64_t left = ch->area_bytes - ch->area_at;
        *to_end = left;
        return left > RESERVE ? left - RESERVE : 0;
    }
    uint64_t free = OB_RING_BYTES - (ch->tail - ch->head_seen);
    if (free < wanted + RESERVE) {
        ch->head_seen = atomic_load_explicit(&ch->head, memory_order_acquire);
        free = OB_RING_BYTES - (ch->tail - ch->head_seen);
    }
    *to_end = OB_RING_BYTES - ch->tail % OB_RING_BYTES;
    return free > RESERVE ? free - RESERVE : 0;
}

/* Is there room for one line in the ring, and are we there? */
static inline bool has_line(link *l)
{
    ob_channel *ch = l->out;
    size_t to_end;
    if (__builtin_expect(ch->area == 0 && ch->tail - ch->head_seen <=
                                              OB_RING_BYTES - OB_LINE - RESERVE, 1))
        return true;
    return ch->area == 0 && room(l, OB_LINE, &to_end) >= OB_LINE;
}

/* Moves past the fragment at the write position and empties the flag of the next. */
static void advance(link *l, size_t bytes)
{
    ob_channel *ch = l->out;
    if (ch->area)
        ch->area_at += bytes;
    else
        ch->tail += bytes;
    atomic_store_explicit(&write_position(l)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
}

/* Makes a fragment visible. Acquire-release: the fragment, and the EMPTY flag
 * behind it, are visible first; a SLEEPER seen here is rung. */
static inline void publish(link *l, ob_fragment *f, enum ob_fragment_kind kind)
{
    if (atomic_exchange_explicit(&f->flag, kind, memory_order_acq_rel) == OB_FRAGMENT_SLEEPER)
        ob_segment_ring(l->theirs);
}

/* Frees the areas that the receiver has left. */
static void collect_areas(link *l)
{
    uint32_t taken = atomic_load_explicit(&l->out->taken, memory_order_acquire);
    while (l->left_first && (int32_t)(taken - l->left_first->left_by) >= 0) {
        ob_block *block = l->left_first;
        l->left_first = (ob_block *)(uintptr_t)block->after;
        ob_block_done(block);
    }
}

/* Leads the train to an area (or, 0, back to the ring). */
static void jump(link *l, ob_block *area, size_t bytes)
{
    ob_channel *ch = l->out;
    ob_fragment *f = write_position(l);
    uint64_t offset = area ? ob_heap_offset(&l->shm->heap, area) : 0;
    ob_block *left = l->area;
    f->offset = offset;
    if (ch->area == 0)
        advance(l, OB_LINE);
    ch->area = offset;
    ch->area_at = 0;
    ch->area_bytes = bytes;
    ch->jumps++;
    l->area = area;
    /* The train goes on there: its first flag is EMPTY before the JUMP is seen. */
    atomic_store_explicit(&write_position(l)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
    publish(l, f, OB_FRAGMENT_JUMP);
    if (left == NULL)
        return;
    left->left_by = ch->jumps;
    left->after = 0;
    if (l->left_first)
        l->left_last->after = (uint64_t)(uintptr_t)left;
    else
        l->left_first = left;
    l->left_last = left;
}

/* Once the receiver has followed every jump, the ring is empty and can be used
 * again. The last area is freed once it has left that. */
static void return_to_ring(link *l)
{
    if (l->out->area &&
        atomic_load_explicit(&l->out->taken, memory_order_acquire) == l->out->jumps)
        jump(l, NULL, 0);
    collect_areas(l);
}

static void heap_error(link *l, size_t bytes)
{
    ob_heap *heap = &l->shm->heap;
    size_t used = ob_heap_in_use(heap);
    if (!ob_heap_fits(heap, bytes))
        ob_fail(OB_ENOMEM,
                "process %d cannot keep %zu bytes of a message for process %u: they need more "
                "than its whole heap of %zu (OPENBLACS_HEAP sets it)",
                l->shm->number, bytes, l->theirs->number, heap->limit);
    else if (used == 0)
        ob_fail(OB_ENOMEM,
                "process %d cannot keep %zu bytes of a message for process %u: its heap is empty, "
                "but the system has no memory left for it",
                l->shm->number, bytes, l->theirs->number);
    else
        ob_fail(OB_ENOMEM,
                "process %d cannot keep %zu bytes more for process %u: %zu bytes of messages that "
                "nobody has received fill its heap of %zu (OPENBLACS_HEAP sets it)",
                l->shm->number, bytes, l->theirs->number, used, heap->limit);
}

/* A block of the heap. When the heap is full this waits for receivers to
 * catch up, as long as they free something now and then. */
static ob_block *take_block(link *l, size_t bytes)
{
    const struct timespec pause = {0, 1000000};
    ob_heap *heap = &l->shm->heap;
    ob_block *block = ob_heap_take(heap, bytes);
    size_t before = SIZE_MAX;
    int patience = ob_heap_fits(heap, bytes) ? heap->patience_ms : 0;
    for (int idle = 0; block == NULL && idle < patience; idle++) {
        size_t now = ob_heap_in_use(heap);
        if (now < before)
            idle = 0;
        before = now;
        nanosleep(&pause, NULL);
        block = ob_heap_take(heap, bytes);
    }
    if (block == NULL)
        heap_error(l, bytes);
    return block;
}

static int open_area(link *l)
{
    size_t bytes = l->area ? AREA_LATER : AREA_FIRST;
    ob_block *block = take_block(l, bytes);
    if (block == NULL)
        return OB_ENOMEM;
    jump(l, block, bytes);
    return OB_OK;
}

static void fill_first(ob_fragment *f, const ob_envelope *e)
{
    f->stream = e->stream;
    f->type = e->type;
    f->tag = e->tag;
    f->context = e->context;
    f->length = e->bytes;
}

/* Writes one fragment of `payload` bytes; the caller has made sure of the room. */
static inline void write_fragment(link *l, const ob_envelope *first, ob_cursor *data,
                                  size_t payload)
{
    ob_fragment *f = write_position(l);
    if (first)
        fill_first(f, first);
    f->bytes = (uint32_t)payload;
    if (payload)
        ob_cursor_pack(data, f + 1, payload);
    advance(l, fragment_bytes(payload));
    publish(l, f, first ? OB_FRAGMENT_FIRST : OB_FRAGMENT_MORE);
}

/* A message of one line in the ring. The exchange in publish waits for every
 * store before it; the flag behind the line is therefore emptied after the message
 * before, when nobody waits. That line is free: it belongs to RESERVE. */
static inline void write_line(link *l, const ob_envelope *e, ob_cursor *data)
{
    ob_channel *ch = l->out;
    ob_fragment *f = ring_at(ch, ch->tail);
    fill_first(f, e);
    f->bytes = (uint32_t)e->bytes;
    if (data->run == e->bytes)
        ob_copy_short(f + 1, data->at, e->bytes);
    else
        ob_cursor_pack(data, f + 1, e->bytes);
    ch->tail += OB_LINE;
    if (l->emptied != ch->tail)
        atomic_store_explicit(&ring_at(ch, ch->tail)->flag, OB_FRAGMENT_EMPTY,
                              memory_order_relaxed);
    publish(l, f, OB_FRAGMENT_FIRST);
    l->emptied = ch->tail + OB_LINE;
    atomic_store_explicit(&ring_at(ch, l->emptied)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
}

/* Says where the next bytes of the message are. */
static void write_block(link *l, const ob_block *block, size_t bytes)
{
    ob_fragment *f = write_position(l);
    f->offset = ob_heap_offset(&l->shm->heap, block);
    f->length = bytes;
    advance(l, OB_LINE);
    publish(l, f, OB_FRAGMENT_BLOCK);
}

/* Packs up to BLOCK_MOST bytes into a block. The block is had before anything
 * of the message is shown, so that a full heap leaves no half message. Within a message the receiver may
 * be at work: short blocks, which it unpacks from the cache while we pack the next. What can never fit is
 * asked for whole, and so fails at once. */
static int spill(link *l, const ob_envelope **first, ob_cursor *data)
{
    size_t bytes = data->left < BLOCK_MOST ? data->left : BLOCK_MOST;
    if (*first == NULL && bytes > BLOCK_LATER && ob_heap_fits(&l->shm->heap, bytes))
        bytes = BLOCK_LATER;
    ob_block *block = take_block(l, bytes);
    if (block == NULL)
        return OB_ENOMEM;
    if (*first) {
        write_fragment(l, *first, data, 0);
        *first = NULL;
    }
    ob_cursor_pack(data, (char *)block + OB_BLOCK_DATA, bytes);
    write_block(l, block, bytes);
    return OB_OK;
}

/* Looks to wait for a follower: few for one that seems to need our processor to
 * go on. Not none: it says where it is only when it waits long. */
static unsigned patience(const link *l)
{
    if (atomic_load_explicit(&l->theirs->processor, memory_order_relaxed) == ob_processor_here())
        return PATIENCE_HERE;
    return ob_job_crowded(l->job) ? PATIENCE_CROWDED : PATIENCE;
}

/* There is no room for the fragment we want: wait for a follower, spill, or
 * go on in a new area. */
static int make_room(link *l, const ob_envelope **first, ob_cursor *data, size_t usable,
                     unsigned *looks)
{
    if (l->out->area == 0 && atomic_load_explicit(&l->out->following, memory_order_relaxed) &&
        *looks < patience(l)) {
        uint64_t before = l->out->head_seen;
        ob_pause();
        l->out->head_seen = atomic_load_explicit(&l->out->head, memory_order_acquire);
        *looks = before == l->out->head_seen ? *looks + 1 : 0;
        return OB_OK;
    }
    if (usable < 2 * OB_LINE || data->left < SPILL_LEAST)
        return open_area(l);
    return spill(l, first, data);
}

static size_t next_step(const link *l, size_t left, size_t sent)
{
    size_t step = l->step;
    if (step == 0) {
        size_t wish = left / 2 < sent + STEP_LEAST ? left / 2 : sent + STEP_LEAST;
        wish = wish < STEP_LEAST ? STEP_LEAST : wish > STEP_MOST ? STEP_MOST : wish;
        step = wish / OB_LINE * OB_LINE - sizeof(ob_fragment);
    }
    return left < step ? left : step;
}

static int send_long(link *l, const ob_envelope *first, ob_cursor *data)
{
    unsigned looks = 0;
    size_t all = data->left;
    while (first || data->left) {
        size_t payload = next_step(l, data->left, all - data->left);
        size_t wanted = fragment_bytes(payload), to_end;
        size_t usable = room(l, wanted, &to_end);
        if (usable < wanted && usable < to_end) {
            int status = make_room(l, &first, data, usable, &looks);
            if (status != OB_OK) {
                l->cut = first == NULL;
                return status;
            }
            continue;
        }
        if (wanted > to_end)
            payload = to_end - sizeof(ob_fragment);
        write_fragment(l, first, data, payload);
        first = NULL;
    }
    return OB_OK;
}

static int cut_error(const link *l)
{
    return ob_fail(OB_ENOMEM,
                   "process %d cannot send to process %u any more: an earlier message was cut "
                   "short when its heap of %zu bytes was full (OPENBLACS_HEAP sets it)",
                   l->shm->number, l->theirs->number, l->shm->heap.limit);
}

static int shm_send(ob_peer *peer, const ob_envelope *envelope, ob_cursor *data)
{
    link *l = peer->link;
    ob_channel *ch = l->out;
    if (__builtin_expect(l->cut, 0))
        return cut_error(l);
    if (__builtin_expect(ch->area || l->left_first, 0))
        return_to_ring(l);
    ch->messages++;
    ch->bytes += envelope->bytes;
    if (envelope->bytes <= INLINE_BYTES && has_line(l)) {
        write_line(l, envelope, data);
        return OB_OK;
    }
    return send_long(l, envelope, data);
}

/* Room for so many fragments without payload. */
static int reserve_lines(link *l, size_t lines)
{
    size_t to_end;
    if (room(l, lines * OB_LINE, &to_end) >= lines * OB_LINE)
        return OB_OK;
    return open_area(l);
}

/* Before anything of the message is shown: every link can take it. */
static int begin_sharing(ob_peer *const *peers, int count, const ob_envelope *e)
{
    for (int i = 0; i < count; i++) {
        link *l = peers[i]->link;
        if (l->cut)
            return cut_error(l);
        if (l->out->area || l->left_first)
            return_to_ring(l);
        int status = reserve_lines(l, 2);
        if (status != OB_OK)
            return status;
        l->out->messages++;
        l->out->bytes += e->bytes;
    }
    return OB_OK;
}

/* Shows one block to all. */
static int show_block(ob_peer *const *peers, int count, const ob_envelope *first, ob_block *block,
                      size_t bytes)
{
    for (int i = 0; i < count; i++) {
        link *l = peers[i]->link;
        int status = reserve_lines(l, 2);
        if (status != OB_OK)
            return status;
        if (first)
            write_fragment(l, first, NULL, 0);
        write_block(l, block, bytes);
    }
    return OB_OK;
}

static int cut_all(ob_peer *const *peers, int count, int status)
{
    for (int i = 0; i < count; i++)
        ((link *)peers[i]->link)->cut = true;
    return status;
}

/* The readers of one piece unpack it while the next is packed. */
static int shm_share(ob_peer *const *peers, int count, const ob_envelope *e, ob_cursor *data)
{
    const ob_envelope *first = e;
    int status = begin_sharing(peers, count, e);
    if (status != OB_OK)
        return status;
    while (data->left) {
        link *l = peers[0]->link;
        size_t bytes = data->left < SHARE_BYTES ? data->left : SHARE_BYTES;
        ob_block *block = take_block(l, bytes);
        if (block == NULL)
            return first ? OB_ENOMEM : cut_all(peers, count, OB_ENOMEM);
        /* Before it is shown; each reader takes one off. */
        atomic_store_explicit(&block->readers, (unsigned)count, memory_order_relaxed);
        ob_cursor_pack(data, (char *)block + OB_BLOCK_DATA, bytes);
        status = show_block(peers, count, first, block, bytes);
        if (status != OB_OK)
            return cut_all(peers, count, status);
        first = NULL;
    }
    return OB_OK;
}

/* -------------------------------------------------------------- receiving */

static inline ob_fragment *read_position(link *l)
{
    ob_channel *ch = l->in;
    return ch->read_area ? area_at(l->theirs, ch->read_area, ch->read_at) : ring_at(ch, ch->read_at);
}

/* Done with a fragment: its room in the ring is the sender's again. */
static inline void pass(ob_channel *ch, size_t bytes)
{
    ch->read_at += bytes;
    if (ch->read_area == 0)
        atomic_store_explicit(&ch->head, ch->read_at, memory_order_release);
}

static void follow_jump(ob_channel *ch, const ob_fragment *f)
{
    uint64_t to = f->offset;
    if (ch->read_area == 0)
        pass(ch, OB_LINE);
    ch->read_area = to;
    /* In the ring the next fragment is where the ring was left. */
    ch->read_at = to ? 0 : atomic_load_explicit(&ch->head, memory_order_relaxed);
    atomic_fetch_add_explicit(&ch->taken, 1, memory_order_release);
}

/* The kind of the fragment at the read position, jumps followed. */
static inline unsigned look(link *l, ob_fragment **f)
{
    for (;;) {
        *f = read_position(l);
        unsigned kind = atomic_load_explicit(&(*f)->flag, memory_order_acquire);
        if (__builtin_expect(kind != OB_FRAGMENT_JUMP, 1))
            return kind;
        follow_jump(l->in, *f);
    }
}

static int shm_poll(ob_peer *peer, ob_envelope *e)
{
    link *l = peer->link;
    ob_fragment *f;
    unsigned kind = look(l, &f);
    if (kind <= OB_FRAGMENT_SLEEPER)
        return 0;
    if (kind != OB_FRAGMENT_FIRST)
        return ob_fail(OB_ESYSTEM, "the shared memory between processes %d and %u is damaged",
                       l->shm->number, l->theirs->number);
    e->stream = f->stream;
    e->type = f->type;
    e->tag = f->tag;
    e->context = f->context;
    e->bytes = f->length;
    return 1;
}

static size_t take_block_bytes(link *l, const ob_fragment *f, ob_cursor *sink)
{
    ob_block *block = (ob_block *)((char *)l->theirs + f->offset);
    size_t bytes = f->length;
    ob_cursor_unpack(sink, (char *)block + OB_BLOCK_DATA, bytes);
    ob_block_done(block);
    pass(l->in, OB_LINE);
    return bytes;
}

static size_t take_inline_bytes(link *l, ob_fragment *f, ob_cursor *sink)
{
    size_t bytes = f->bytes;
    if (bytes)
        ob_cursor_unpack(sink, f + 1, bytes);
    pass(l->in, fragment_bytes(bytes));
    return bytes;
}

/* The polled message when it is all in its first fragment, its bytes going to
 * one run of memory; false when it is not so. */
static inline bool pull_line(link *l, ob_cursor *sink)
{
    ob_channel *ch = l->in;
    const ob_fragment *f = ring_at(ch, ch->read_at);
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

static void shm_follow(ob_peer *peer, bool on)
{
    link *l = peer->link;
    /* Asked often; the sender's copy of the line is left alone when nothing changes. */
    if (atomic_load_explicit(&l->in->following, memory_order_relaxed) != on)
        atomic_store_explicit(&l->in->following, on, memory_order_relaxed);
}

/* Who pulls a message that does not fit into the ring follows: the sender need not
 * spill what we are about to take. */
static ptrdiff_t shm_pull(ob_peer *peer, ob_cursor *sink)
{
    link *l = peer->link;
    size_t moved = sink->left;
    if (pull_line(l, sink))
        return (ptrdiff_t)moved;
    moved = 0;
    do {
        ob_fragment *f;
        unsigned kind = look(l, &f);
        size_t bytes;
        if (kind <= OB_FRAGMENT_SLEEPER)
            break;
        if (!l->in_message) {
            l->in_message = true;
            l->left = f->length;
            if (l->left > OB_RING_BYTES / 2)
                shm_follow(peer, true);
        }
        bytes = kind == OB_FRAGMENT_BLOCK ? take_block_bytes(l, f, sink)
                                          : take_inline_bytes(l, f, sink);
        l->left -= bytes;
        moved += bytes;
        if (l->left == 0) {
            l->in_message = false;
            shm_follow(peer, false);
        }
    } while (l->in_message);
    return (ptrdiff_t)moved;
}

static bool shm_arm(ob_peer *peer)
{
    link *l = peer->link;
    ob_fragment *f;
    unsigned kind = look(l, &f);
    if (kind == OB_FRAGMENT_EMPTY)
        return atomic_compare_exchange_strong_explicit(&f->flag, &kind, OB_FRAGMENT_SLEEPER,
                                                       memory_order_acq_rel,
                                                       memory_order_acquire) ||
               kind == OB_FRAGMENT_SLEEPER;
    return kind == OB_FRAGMENT_SLEEPER;
}

/* MPI_Finalize is collective: one who is in it may not be able to come back before
 * we go there too, so waiting for it first is waiting for ever. */
static bool shm_gone(ob_peer *peer)
{
    link *l = peer->link;
    unsigned theirs = atomic_load_explicit(&l->theirs->life, memory_order_acquire);
    return theirs == OB_LIFE_GONE ||
           (theirs == OB_LIFE_CLOSED &&
            atomic_load_explicit(&l->shm->own->life, memory_order_relaxed) < OB_LIFE_CLOSED);
}

static void shm_close(ob_peer *peer)
{
    free(peer->link);
    peer->link = NULL;
}

static void shm_traffic(ob_peer *peer, uint64_t *messages, uint64_t *bytes)
{
    link *l = peer->link;
    *messages = l->out->messages;
    *bytes = l->out->bytes;
}

static const ob_transport shm_transport = {
    .name = "shm",
    .send = shm_send,
    .share = shm_share,
    .poll = shm_poll,
    .pull = shm_pull,
    .follow = shm_follow,
    .arm = shm_arm,
    .gone = shm_gone,
    .lend = ob_shm_lend,
    .borrow = ob_shm_borrow,
    .give_back = ob_shm_give_back,
    .traffic = shm_traffic,
    .close = shm_close,
};

static ob_channel *channel(ob_segment_header *of, int from)
{
    size_t channels = of->heap_offset - (size_t)of->count * sizeof(ob_channel);
    return (ob_channel *)((char *)of + channels / 4096 * 4096) + from;
}

/* A process that takes over the segment of an earlier one starts with a train
 * that may stand in an area nobody manages any more; it goes on there. */
static void adopt_area(link *l)
{
    if (l->out->area)
        l->area = (ob_block *)((char *)l->shm->own + l->out->area);
}

int ob_shm_connect(ob_shm *shm, ob_peer *peer)
{
    ob_segment_header *theirs = shm->segment[peer->number];
    if (theirs == NULL)
        return ob_fail(OB_ESTATE, "process %d has not met process %d", shm->number, peer->number);
    link *l = aligned_alloc(OB_LINE, sizeof *l);
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a link to process %d", peer->number);
    *l = (link){.shm = shm,
                .job = peer->job,
                .theirs = theirs,
                .out = channel(theirs, shm->number),
                .in = channel(shm->own, peer->number),
                .step = peer->job->set.step_bytes};
    adopt_area(l);
    peer->link = l;
    peer->transport = &shm_transport;
    return OB_OK;
}
