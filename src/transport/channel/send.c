/*
 * Sending over a channel: through the ring while its receiver follows, else into blocks and
 * areas of the own heap.
 */
#include <string.h>

#include "core/error.h"
#include "node/fence.h"
#include "node/processor.h"
#include "transport/channel/link.h"

/* A follower that makes no progress for this many looks has lost its
 * processor; waiting for it would make the send depend on it. Where processes
 * share processors that is soon clear. */
enum { PATIENCE = 4000, PATIENCE_CROWDED = 1000, PATIENCE_HERE = 100 };
enum { AWAIT_LEAST = 64 << 10, AWAIT_MOST = 4 << 20 };
#define AWAIT_SECONDS 20e-6
#define AWAIT_PER_BYTE .1e-9
/* Steps of a long message, headers included: short at both ends, where the receiver waits for the
 * first and the sender does not wait for the last, long in the middle. 16 KiB of payload are
 * one step; four of the longest fill the ring. */
enum { STEP_LEAST = 16 * 1024 + OB_LINE, STEP_MOST = 64 * 1024, SPILL_LEAST = 4096 };
/* Lines from the next one to be written to the one that is asked for. */
enum { WANTED_AHEAD = 3 };
/* Messages between two for which a sleeper is rung. */
enum { RUNG_OFTEN = 64 };
/* Bytes of a message whose like is expected to follow. */
enum { WANTED_MOST = 512 };
/* Pieces of a shared matrix: large enough that a wake-up for each is cheap. */
enum { SHARE_BYTES = (512 << 10) - OB_BLOCK_DATA };
/* With their headers these fill a size class of the heap. */
enum {
    BLOCK_MOST = (8 << 20) - OB_BLOCK_DATA,
    BLOCK_LATER = (1 << 20) - OB_BLOCK_DATA,
    AREA_FIRST = (64 << 10) - OB_BLOCK_DATA,
    AREA_LATER = (1 << 20) - OB_BLOCK_DATA
};

static ob_fragment *write_position(ob_link *l)
{
    ob_channel *ch = l->out;
    return ch->area ? area_at(l->shm->own, ch->area, ch->area_at) : out_at(l, ch->tail);
}

/* Bytes free for fragments at the write position; *to_end: how many of them
 * are contiguous at most. */
static size_t room(ob_link *l, size_t wanted, size_t *to_end)
{
    ob_channel *ch = l->out;
    if (ch->area) {
        uint64_t left = ch->area_bytes - ch->area_at;
        *to_end = left;
        return left > OB_RESERVE ? left - OB_RESERVE : 0;
    }
    uint64_t free = l->out_mask + 1 - (ch->tail - ch->head_seen);
    if (free < wanted + OB_RESERVE) {
        ch->head_seen = atomic_load_explicit(&ch->head, memory_order_acquire);
        free = l->out_mask + 1 - (ch->tail - ch->head_seen);
    }
    *to_end = l->out_mask + 1 - (ch->tail & l->out_mask);
    return free > OB_RESERVE ? free - OB_RESERVE : 0;
}

/* Is there room for one line in the ring, and are we there? */
static inline bool has_line(ob_link *l)
{
    ob_channel *ch = l->out;
    size_t to_end;
    if (__builtin_expect(!l->aside && ch->tail - ch->head_seen <= l->out_most, 1))
        return true;
    return ch->area == 0 && room(l, OB_LINE, &to_end) >= OB_LINE;
}

/* Moves past the fragment at the write position and empties the flag of the next. */
static void advance(ob_link *l, size_t bytes)
{
    ob_channel *ch = l->out;
    if (ch->area)
        ch->area_at += bytes;
    else
        ch->tail += bytes;
    atomic_store_explicit(&write_position(l)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
}

/* A receiver that sleeps often would ask the kernel for a heavy fence each time. */
static __attribute__((noinline)) void ring_sleeper(ob_link *l)
{
    ob_channel *ch = l->out;
    bool often = ch->messages - l->rung_at < RUNG_OFTEN;
    atomic_store_explicit(&ch->sleeps, 0, memory_order_relaxed);
    ob_segment_ring(l->theirs);
    l->rung_at = ch->messages;
    if (l->light && often) {
        l->light = false;
        atomic_store_explicit(&ch->light, 0, memory_order_release);
    }
}

/* When it has not slept for some messages, and others may fence us. */
static __attribute__((noinline)) void try_light(ob_link *l)
{
    ob_channel *ch = l->out;
    if (ch->messages - l->rung_at < RUNG_OFTEN)
        return;
    l->rung_at = ch->messages;
    l->light = ob_fence_is_light();
    if (!l->light)
        return;
    atomic_store_explicit(&ch->light, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Not by a store: of an owner that has come back meanwhile it would say that it waits for its
 * processor, while it computes. */
static inline void tell_yielding(ob_segment_header *theirs)
{
    unsigned yields = OB_YIELDS;
    if (atomic_load_explicit(&theirs->yields, memory_order_relaxed) == yields)
        atomic_compare_exchange_strong_explicit(&theirs->yields, &yields, OB_YIELDS_HEARD,
                                                memory_order_relaxed, memory_order_relaxed);
}

/* Makes a fragment visible. Release: the fragment, and the EMPTY flag behind it, are visible
 * first. */
static inline void publish(ob_link *l, ob_fragment *f, enum ob_fragment_kind kind)
{
    atomic_store_explicit(&f->flag, kind, memory_order_release);
    ob_fence_light(l->light);
    if (__builtin_expect(atomic_load_explicit(&l->out->sleeps, memory_order_relaxed), 0))
        ring_sleeper(l);
    if (ob_job_crowded(l->job))
        tell_yielding(l->theirs);
}

/* Frees the areas that the receiver has left. */
static void collect_areas(ob_link *l)
{
    uint32_t taken = atomic_load_explicit(&l->out->taken, memory_order_acquire);
    while (l->left_first && (int32_t)(taken - l->left_first->left_by) >= 0) {
        ob_block *block = l->left_first;
        l->left_first = (ob_block *)(uintptr_t)block->after;
        ob_block_done(block);
    }
}

/* Leads the train to an area (or, 0, back to the ring). */
static void jump(ob_link *l, ob_block *area, size_t bytes)
{
    ob_channel *ch = l->out;
    ob_fragment *f = write_position(l);
    uint64_t offset = area ? ob_heap_offset(&l->shm->heap, area) : 0;
    ob_block *left = l->area;
    l->aside = true;
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

/* Leads the train from the small ring to the large one. Positions go on, so what the receiver has
 * not read in the small one counts as room taken in the large one. */
static void grow(ob_link *l)
{
    ob_channel *ch = l->out;
    ob_fragment *f = out_at(l, ch->tail);
    f->offset = OB_TO_LARGE_RING;
    ch->tail += OB_LINE;
    ch->jumps++;
    ch->large = 1;
    atomic_store_explicit(&l->shm->own->grown, true, memory_order_relaxed);
    write_in(l, large_ring(l->memory, l->theirs, l->shm->number), OB_RING_BYTES);
    atomic_store_explicit(&out_at(l, ch->tail)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
    publish(l, f, OB_FRAGMENT_JUMP);
}

/* Once the receiver has followed every jump, the ring is empty and can be used
 * again. The last area is freed once it has left that. */
static void return_to_ring(ob_link *l)
{
    if (l->out->area && atomic_load_explicit(&l->out->taken, memory_order_acquire) == l->out->jumps)
        jump(l, NULL, 0);
    collect_areas(l);
    l->aside = l->out->area || l->left_first || l->cut;
}

/* Nothing can follow a message of which a part was shown. */
static void cut(ob_link *l)
{
    l->cut = l->aside = true;
}

static void heap_error(ob_link *l, size_t bytes)
{
    ob_heap *heap = &l->shm->heap;
    size_t used = ob_heap_in_use(heap);
    if (!ob_heap_fits(heap, bytes))
        ob_fail(
            OB_ENOMEM,
            "OB-4005 process %d cannot keep %zu bytes of a message for process %u: they need more "
            "than its whole heap of %zu (OPENBLACS_HEAP sets it)",
            l->shm->number, bytes, l->theirs->number, heap->limit);
    else if (ob_heap_refused(heap))
        ob_fail(OB_ENOMEM,
                "OB-4006 process %d cannot keep %zu bytes of a message for process %u: the system "
                "has no "
                "memory for them (%s), and %zu bytes that nobody has received are kept already; "
                "start fewer processes here, or let them receive more often",
                l->shm->number, bytes, l->theirs->number, strerror(ob_heap_refused(heap)), used);
    else if (ob_heap_scarce(heap))
        ob_fail(OB_ENOMEM,
                "OB-4004 process %d cannot keep %zu bytes more for process %u: this machine, or "
                "container, "
                "is short of memory, %zu bytes of messages that nobody has received are kept "
                "already, and for %g s none was received (OPENBLACS_HEAP sets how many may be "
                "kept whatever the machine has)",
                l->shm->number, bytes, l->theirs->number, used, heap->patience_ms / 1e3);
    else
        ob_fail(
            OB_ENOMEM,
            "OB-4003 process %d cannot keep %zu bytes more for process %u: %zu bytes of messages "
            "that "
            "nobody has received fill its heap of %zu (OPENBLACS_HEAP sets it), and for %g s none "
            "was received (OPENBLACS_HEAP_SECONDS sets this)",
            l->shm->number, bytes, l->theirs->number, used, heap->limit, heap->patience_ms / 1e3);
}

static ob_block *take_block(ob_link *l, size_t bytes)
{
    ob_block *block = ob_heap_wait(&l->shm->heap, bytes);
    if (block == NULL)
        heap_error(l, bytes);
    return block;
}

/* Release: another thread of ours that sees the last reader go (heap.c) writes the block anew; the
 * reader hands it on, too. */
static inline void read_by(ob_block *block, unsigned readers)
{
    atomic_store_explicit(&block->readers, readers, memory_order_release);
}

static int open_area(ob_link *l)
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
    f->call = e->call;
    f->tag = e->tag;
    f->context = e->context;
    f->length = e->bytes;
}

/* The lines of a message like the last one, and of the flag behind it, are asked for: its flag is
 * seen only when all before it is here. The next flag's line is here. */
static inline void want_lines(ob_link *l, size_t bytes)
{
    for (size_t at = OB_LINE; at <= bytes; at += OB_LINE)
        ob_want_to_write(out_at(l, l->out->tail + at));
}

/* Writes one fragment of `payload` bytes; the caller has made sure of the room. */
static inline void write_fragment(ob_link *l, const ob_envelope *first, ob_cursor *data,
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
    if (first && payload <= WANTED_MOST && l->out->area == 0)
        want_lines(l, fragment_bytes(payload));
}

/* A message of one line in the ring. Its flag is seen behind every store before
 * it; the flag behind the line is therefore emptied after the message
 * before, when nobody waits, and a line is asked for some messages before it is emptied: the
 * receiver has read it a turn of the ring ago and still holds it. That line is free: it belongs to
 * OB_RESERVE. */
static inline void write_line(ob_link *l, const ob_envelope *e, ob_cursor *data)
{
    ob_channel *ch = l->out;
    ob_fragment *f = out_at(l, ch->tail);
    fill_first(f, e);
    f->bytes = (uint32_t)e->bytes;
    if (data->run == e->bytes)
        ob_copy_short(f + 1, data->at, e->bytes);
    else
        ob_cursor_pack(data, f + 1, e->bytes);
    ch->tail += OB_LINE;
    if (l->emptied != ch->tail)
        atomic_store_explicit(&out_at(l, ch->tail)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
    publish(l, f, OB_FRAGMENT_FIRST);
    ob_want_to_write(out_at(l, ch->tail + WANTED_AHEAD * OB_LINE));
    l->emptied = ch->tail + OB_LINE;
    atomic_store_explicit(&out_at(l, l->emptied)->flag, OB_FRAGMENT_EMPTY, memory_order_relaxed);
}

/* Says where the next bytes of the message are. */
static void write_block(ob_link *l, const ob_block *block, size_t bytes)
{
    ob_fragment *f = write_position(l);
    f->offset = ob_heap_offset(&l->shm->heap, block);
    f->length = bytes;
    advance(l, OB_LINE);
    publish(l, f, OB_FRAGMENT_BLOCK);
}

/* Looks to wait for a follower: few for one that seems to need our processor to
 * go on. Not none: it says where it is only when it waits long. */
static unsigned patience(const ob_link *l)
{
    if (atomic_load_explicit(&l->theirs->processor, memory_order_relaxed) == ob_processor_here())
        return PATIENCE_HERE;
    return ob_job_crowded(l->job) ? PATIENCE_CROWDED : PATIENCE;
}

/* Relaxed: a hint (wait_for_reader); who takes the block anew acquires it (heap.c). */
static bool is_read(const ob_block *block)
{
    return atomic_load_explicit(&block->readers, memory_order_relaxed) == 0;
}

/* A receiver that takes one message after the other, but slower than we send them, would let ever
 * more memory be filled, which is in no cache any more when it is read. So who has a long message
 * for one that has not yet read the block before waits, but no longer than it takes (4 MiB), and
 * not again before it has read the block that was waited for in vain. (Blocks are only looked at:
 * one that is used for something else meanwhile makes us wait, or not.) True: all may be different
 * now. */
static bool wait_for_reader(ob_link *l, size_t bytes)
{
    const ob_block *block = l->spilled;
    unsigned looks = 0;
    if (l->unread && is_read(l->unread))
        l->unread = NULL;
    if (l->unread || block == NULL || is_read(block) || bytes < AWAIT_LEAST ||
        patience(l) != PATIENCE)
        return false;
    double until = ob_time() + AWAIT_SECONDS +
                   AWAIT_PER_BYTE * (double)(bytes < AWAIT_MOST ? bytes : AWAIT_MOST);
    while (!is_read(block) && (++looks % 64 || ob_time() < until))
        ob_pause();
    if (!is_read(block))
        l->unread = block;
    return true;
}

/* Packs up to BLOCK_MOST bytes into a block. The block is had before anything
 * of the message is shown, so that a full heap leaves no half message. Within a message the
 * receiver may be at work: short blocks, which it unpacks from the cache while we pack the next,
 * but few, since for a receiver that is elsewhere many are slower (bench/collectives.md). What can
 * never fit is asked for whole, and so fails at once. */
static int spill(ob_link *l, const ob_envelope **first, ob_cursor *data)
{
    size_t bytes = data->left < BLOCK_MOST ? data->left : BLOCK_MOST;
    size_t later = data->left / 4 > BLOCK_LATER ? data->left / 4 : BLOCK_LATER;
    if (*first == NULL && bytes > later && ob_heap_fits(&l->shm->heap, bytes))
        bytes = later;
    ob_block *block = take_block(l, bytes);
    if (block == NULL)
        return OB_ENOMEM;
    if (*first) {
        write_fragment(l, *first, data, 0);
        *first = NULL;
    }
    ob_cursor_pack(data, (char *)block + OB_BLOCK_DATA, bytes);
    read_by(block, 1);
    write_block(l, block, bytes);
    l->spilled = block;
    return OB_OK;
}

/* There is no room for the fragment we want: wait for a follower, spill, or
 * go on in a new area. */
static int make_room(ob_link *l, const ob_envelope **first, ob_cursor *data, size_t usable,
                     unsigned *looks)
{
    if (!l->out->large) {
        grow(l);
        return OB_OK;
    }
    if (l->out->area == 0 &&
        atomic_load_explicit(&l->out->following, memory_order_relaxed) & OB_FOLLOWS &&
        *looks < patience(l)) {
        uint64_t before = l->out->head_seen;
        ob_pause();
        l->out->head_seen = atomic_load_explicit(&l->out->head, memory_order_acquire);
        *looks = before == l->out->head_seen ? *looks + 1 : 0;
        return OB_OK;
    }
    if (*first && wait_for_reader(l, data->left))
        return OB_OK;
    if (usable < 2 * OB_LINE || data->left < SPILL_LEAST)
        return open_area(l);
    return spill(l, first, data);
}

static size_t next_step(const ob_link *l, size_t left, size_t sent)
{
    size_t step = l->step;
    if (step == 0) {
        size_t wish = left / 2 < sent + STEP_LEAST ? left / 2 : sent + STEP_LEAST;
        wish = wish < STEP_LEAST ? STEP_LEAST : wish > STEP_MOST ? STEP_MOST : wish;
        step = wish / OB_LINE * OB_LINE - sizeof(ob_fragment);
    }
    return left < step ? left : step;
}

/* Shows where the message is to a receiver that waits, when the ring has room for that in one
 * piece, and copies it with the receiver. What is left of the message afterwards goes as a train.
 */
static bool offer(ob_link *l, const ob_envelope *first, ob_cursor *data)
{
    enum { ALL = OB_LINE + OFFER_BYTES };
    size_t to_end;
    if (l->out->area || room(l, ALL, &to_end) < ALL || to_end < ALL)
        return false;
    write_fragment(l, first, data, 0);
    ob_fragment *f = write_position(l);
    ob_straight_fill(l, offer_of(f), data);
    advance(l, OFFER_BYTES);
    publish(l, f, OB_FRAGMENT_OFFER);
    ob_straight_serve(l, offer_of(f), data);
    return true;
}

static int send_long(ob_link *l, const ob_envelope *first, ob_cursor *data)
{
    unsigned looks = 0;
    if (data->left >= OB_OFFER_LEAST) {
        bool straight = ob_straight_wanted(l, data) && offer(l, first, data);
        ob_way_count(OB_WAY_MESSAGES, straight);
        if (straight)
            first = NULL;
    }
    size_t all = data->left;
    if (!l->out->large && fragment_bytes(all) > OB_RING_FIRST / 2)
        grow(l);
    while (first || data->left) {
        size_t payload = next_step(l, data->left, all - data->left);
        size_t wanted = fragment_bytes(payload), to_end;
        size_t usable = room(l, wanted, &to_end);
        if (usable < wanted && usable < to_end) {
            int status = make_room(l, &first, data, usable, &looks);
            if (status != OB_OK) {
                if (first == NULL)
                    cut(l);
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

static int cut_error(const ob_link *l)
{
    return ob_fail(
        OB_ENOMEM,
        "OB-4008 process %d cannot send to process %u any more: no memory could be had for the "
        "rest of an earlier message",
        l->shm->number, l->theirs->number);
}

int ob_shm_send(ob_peer *peer, const ob_envelope *envelope, ob_cursor *data)
{
    ob_link *l = peer->link;
    ob_channel *ch = l->out;
    if (__builtin_expect(l->aside, 0)) {
        if (l->cut)
            return cut_error(l);
        return_to_ring(l);
    }
    ch->messages++;
    ch->bytes += envelope->bytes;
    if (__builtin_expect(!l->light, 0))
        try_light(l);
    if (envelope->bytes <= INLINE_BYTES && has_line(l)) {
        write_line(l, envelope, data);
        return OB_OK;
    }
    return send_long(l, envelope, data);
}

/* Room for so many fragments without payload. */
static int reserve_lines(ob_link *l, size_t lines)
{
    size_t to_end;
    if (room(l, lines * OB_LINE, &to_end) >= lines * OB_LINE)
        return OB_OK;
    if (!l->out->large) {
        grow(l);
        return OB_OK;
    }
    return open_area(l);
}

/* Before anything of the message is shown: every link can take it. */
static int begin_sharing(ob_peer *const *peers, int count, const ob_envelope *e)
{
    for (int i = 0; i < count; i++) {
        ob_link *l = peers[i]->link;
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
        ob_link *l = peers[i]->link;
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
        cut(peers[i]->link);
    return status;
}

/* The readers of one piece unpack it while the next is packed. */
int ob_shm_share(ob_peer *const *peers, int count, const ob_envelope *e, ob_cursor *data)
{
    const ob_envelope *first = e;
    int status = begin_sharing(peers, count, e);
    if (status != OB_OK)
        return status;
    while (data->left) {
        ob_link *l = peers[0]->link;
        size_t bytes = data->left < SHARE_BYTES ? data->left : SHARE_BYTES;
        ob_block *block = take_block(l, bytes);
        if (block == NULL)
            return first ? OB_ENOMEM : cut_all(peers, count, OB_ENOMEM);
        ob_cursor_pack(data, (char *)block + OB_BLOCK_DATA, bytes);
        /* Before it is shown; each reader takes one off. Until then the heap counts one. */
        read_by(block, (unsigned)count);
        status = show_block(peers, count, first, block, bytes);
        if (status != OB_OK)
            return cut_all(peers, count, status);
        first = NULL;
    }
    return OB_OK;
}
