/*
 * The transport of a pair of processes that MPI connects.
 *
 * A message is one MPI message: a header and, when it is short, the matrix
 * behind it; a long matrix follows in pieces, all with one tag on one
 * communicator, so that MPI's own order per pair keeps them in line. A sender
 * packs into buffers of its own and never waits for the receiver; MPI has
 * them until it says it is done, memory is the limit. A receiver has two pieces on
 * order at a time: one arrives while the other is unpacked.
 *
 * Two processes may have several communicators in common. Each sender keeps
 * to one; the receiver listens on all until the first message shows which.
 *
 * Locks: the peer's send lock covers sending, its receive lock the receiving
 * half of the link (transport.h). The queue of sent buffers has a lock of its
 * own, since anybody who gives MPI a turn also empties the queues.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "transport/mpi/mpi_link.h"

enum { COLLECT_EVERY = 64 };
#define MAGIC UINT32_C(0x4f42424d)

typedef struct ob_mpi_link link;
typedef ob_mpi_part part;
typedef ob_mpi_header header;

/* ------------------------------------------------------------------ sending */

static int is_over(const link *l)
{
    return ob_fail(
        OB_ESTATE,
        "OB-3007 process %d reaches process %d through MPI, and MPI_Finalize has been called; "
        "communicate before it",
        l->me, l->number);
}

static int no_memory(link *l, uint64_t bytes)
{
    ob_lock_take(&l->queue_lock);
    size_t waiting = l->waiting;
    ob_lock_release(&l->queue_lock);
    return ob_fail(
        OB_ENOMEM,
        l->limit
            ? "OB-4003 process %d cannot keep %llu bytes more for process %d: %zu bytes that it "
              "has not received wait already (OPENBLACS_HEAP sets the limit); "
              "OPENBLACS_HEAP_SECONDS sets how long a send waits for room, now %g"
            : "OB-4004 process %d cannot keep %llu bytes more for process %d: %zu bytes that it "
              "has not received wait already, and this machine, or container, is short of memory; "
              "OPENBLACS_HEAP_SECONDS sets how long a send waits for room, now %g",
        l->me, (unsigned long long)bytes, l->number, waiting, l->patience_ms / 1e3);
}

/* A wait for memory, as the heap's (LAWN 73, 6.2.2): while what MPI has becomes less. */
typedef struct hope {
    size_t before;
    int idle;
} hope;

/* Time for MPI to take something; false: nothing became less for too long, or there is nothing. */
static bool room_may_come(link *l, hope *h)
{
    const struct timespec pause = {0, 1000000};
    ob_mpi_collect(l->mpi);
    size_t now = atomic_load_explicit(&l->mpi->waiting, memory_order_relaxed);
    bool nothing = now == 0 && h->before == 0;
    h->idle = now < h->before ? 0 : h->idle + 1;
    h->before = now;
    if (nothing || h->idle > l->patience_ms)
        return false;
    if (h->idle)
        nanosleep(&pause, NULL);
    return true;
}

static part *take_part(link *l, size_t bytes)
{
    hope h = {SIZE_MAX, 0};
    part *p;
    do {
        size_t waiting = atomic_load_explicit(&l->mpi->waiting, memory_order_relaxed);
        bool allowed = ob_memory_allows(&l->mpi->watch, waiting, bytes);
        p = allowed ? ob_mpi_part_take(&l->mpi->pool, bytes) : NULL;
    } while (p == NULL && room_may_come(l, &h));
    return p;
}

static part *begin(link *l, const ob_envelope *e, bool is_short)
{
    part *p = take_part(l, sizeof(header) + (is_short ? e->bytes : 0));
    if (p == NULL)
        return NULL;
    header h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.piece = is_short ? 0 : OB_MPI_PIECE;
    h.envelope = *e;
    memcpy(p->data, &h, sizeof h);
    return p;
}

/* While one piece is on its way the next is packed. */
static int send_pieces(link *l, ob_cursor *data)
{
    while (data->left) {
        size_t bytes = data->left < OB_MPI_PIECE ? data->left : OB_MPI_PIECE;
        part *p = take_part(l, bytes);
        if (p == NULL)
            return no_memory(l, data->left);
        p->bytes = bytes;
        ob_cursor_pack(data, p->data, bytes);
        int status = ob_mpi_post(l, OB_MPI_DATA, p);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}

static int check_sending(link *l, uint64_t bytes)
{
    if (atomic_load_explicit(&l->mpi->over, memory_order_relaxed))
        return is_over(l);
    if (l->broken)
        return ob_fail(OB_ESTATE,
                       "OB-5012 a message from process %d to process %d broke off before", l->me,
                       l->number);
    if (l->limit == 0)
        return OB_OK;
    hope h = {SIZE_MAX, 0};
    while (atomic_load_explicit(&l->mpi->waiting, memory_order_relaxed) + bytes > l->limit)
        if (bytes > l->limit || !room_may_come(l, &h))
            return no_memory(l, bytes);
    return OB_OK;
}

static int mpi_send(ob_peer *peer, const ob_envelope *e, ob_cursor *data)
{
    link *l = peer->link;
    bool is_short = e->bytes <= OB_MPI_SHORT;
    int status = check_sending(l, e->bytes);
    if (status != OB_OK)
        return status;
    part *p = begin(l, e, is_short);
    if (p == NULL)
        return no_memory(l, e->bytes);
    if (is_short && e->bytes)
        ob_cursor_pack(data, p->data + sizeof(header), e->bytes);
    status = ob_mpi_post(l, OB_MPI_DATA, p);
    if (status == OB_OK)
        atomic_fetch_add_explicit(&l->begun, 1, memory_order_relaxed);
    if (status == OB_OK && !is_short) {
        status = send_pieces(l, data);
        l->broken = status != OB_OK;
    }
    l->messages++;
    l->sent_bytes += e->bytes;
    if (l->messages % COLLECT_EVERY == 0)
        ob_mpi_collect(l->mpi);
    return status;
}

/* Waits for nothing: what MPI still has goes on with later calls, and ob_mpi_flush
 * sees to the rest. */
static int mpi_flush(ob_peer *peer)
{
    link *l = peer->link;
    size_t waiting;
    return atomic_load(&l->mpi->over) ? OB_OK : ob_mpi_link_collect(l, &waiting);
}

/* Every piece that gets through renews the patience. What MPI has copied at once tells nothing of
 * the network. */
static void mpi_drain(ob_peer *peer, size_t bytes)
{
    link *l = peer->link;
    double patience = ob_mpi_patience(l->mpi, bytes);
    double start = ob_time(), since = start, now = start;
    size_t waiting = 0, before = SIZE_MAX;
    unsigned looks = 0;
    while (ob_mpi_link_collect(l, &waiting) == OB_OK && waiting && now - since <= patience) {
        ob_mpi_pause(&looks);
        now = ob_time();
        if (waiting < before)
            since = now;
        before = waiting;
    }
    if (waiting)
        ob_mpi_learn_more_patience(l->mpi, bytes);
    else if (looks)
        ob_mpi_learn(l->mpi, bytes, now - start);
}

/* ---------------------------------------------------------------- receiving */

static int order(link *l, part *p)
{
    ob_mpi_enter(l->mpi);
    int code =
        l->mpi->module->irecv(l->in, l->in_rank, OB_MPI_DATA, p->data, (int)p->bytes, &p->request);
    ob_mpi_leave(l->mpi);
    return code == 0 ? OB_OK : ob_mpi_receive_error(l, code);
}

/* 1 when an ordered buffer is here, 0 when not. */
static int arrived(link *l, part *p)
{
    int done = 0, bytes = 0;
    ob_mpi_enter(l->mpi);
    int code = l->mpi->module->test(&p->request, &done, &bytes);
    ob_mpi_leave(l->mpi);
    if (code != 0)
        return ob_mpi_receive_error(l, code);
    if (done && (size_t)bytes != p->bytes)
        return ob_fail(OB_ESYSTEM, "OB-3016 process %d sent %d bytes where process %d expects %zu",
                       l->number, bytes, l->me, p->bytes);
    return done;
}

/* Takes the next message off MPI's queue. */
static int order_header(link *l, int bytes)
{
    if (bytes < (int)sizeof(header) || (size_t)bytes > sizeof(header) + OB_MPI_SHORT)
        return ob_fail(OB_ESYSTEM,
                       "OB-3016 process %d sent %d bytes where process %d expects a message",
                       l->number, bytes, l->me);
    l->head = ob_mpi_part_take(&l->mpi->pool, (size_t)bytes);
    if (l->head == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory to receive from process %d",
                       l->me, l->number);
    l->state = OB_MPI_HEADER_COMING;
    l->came++;
    l->silence = 0;
    return order(l, l->head);
}

/* Orders the next piece of a long message into the second place. */
static int order_piece(link *l)
{
    uint64_t left = l->now.envelope.bytes - l->ordered;
    part **place = l->order[0] ? &l->order[1] : &l->order[0];
    if (left == 0 || l->now.piece == 0 || l->order[1])
        return OB_OK;
    size_t bytes = left < l->now.piece ? left : l->now.piece;
    part *p = ob_mpi_part_take(&l->mpi->pool, bytes);
    if (p == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory to receive from process %d",
                       l->me, l->number);
    *place = p;
    l->ordered += bytes;
    return order(l, p);
}

static int read_header(link *l)
{
    memcpy(&l->now, l->head->data, sizeof l->now);
    uint64_t here = l->head->bytes - sizeof(header);
    bool is_short = l->now.piece == 0;
    if (l->now.magic != MAGIC || l->now.piece > OB_MPI_PIECE ||
        here != (is_short ? l->now.envelope.bytes : 0))
        return ob_fail(
            OB_ESYSTEM,
            "OB-3016 process %d sent what process %d cannot read; do both run one version of "
            "OpenBLACS?",
            l->number, l->me);
    l->state = OB_MPI_MESSAGE_HERE;
    l->ordered = here;
    l->taken = 0;
    l->at = 0;
    int status = order_piece(l);
    return status == OB_OK ? order_piece(l) : status;
}

/* 1 when the next message is known, 0 when none has come. */
static int look(link *l)
{
    if (l->state == OB_MPI_IDLE) {
        int bytes = 0;
        if (atomic_load_explicit(&l->mpi->over, memory_order_relaxed))
            return is_over(l);
        int there = ob_mpi_probe(l, OB_MPI_DATA, &bytes);
        if (there <= 0)
            return there;
        int status = order_header(l, bytes);
        if (status != OB_OK)
            return status;
    }
    if (l->state == OB_MPI_HEADER_COMING) {
        int here = arrived(l, l->head);
        if (here <= 0)
            return here;
        int status = read_header(l);
        if (status != OB_OK)
            return status;
    }
    return 1;
}

static int mpi_poll(ob_peer *peer, ob_envelope *e)
{
    link *l = peer->link;
    int here = look(l);
    if (here == 1)
        *e = l->now.envelope;
    return here;
}

/* Bytes of the message that can be taken now, and where; 0: none, or a status. */
static ptrdiff_t ready(link *l, char **from)
{
    if (l->now.piece == 0) {
        *from = l->head->data + sizeof(header) + l->at;
        return (ptrdiff_t)(l->head->bytes - sizeof(header) - l->at);
    }
    if (l->order[0] == NULL)
        return 0;
    if (!l->arrived) {
        int here = arrived(l, l->order[0]);
        if (here <= 0)
            return here;
        l->arrived = true;
    }
    *from = l->order[0]->data + l->at;
    return (ptrdiff_t)(l->order[0]->bytes - l->at);
}

/* The oldest piece has been unpacked: the next one moves up, another is ordered. */
static int next_piece(link *l)
{
    ob_mpi_part_give(&l->mpi->pool, l->order[0]);
    l->order[0] = l->order[1];
    l->order[1] = NULL;
    l->arrived = false;
    l->at = 0;
    return order_piece(l);
}

/* So many bytes of what ready gave have been dealt with. */
static int took(link *l, size_t bytes)
{
    l->at += bytes;
    l->taken += bytes;
    return l->now.piece && l->at == l->order[0]->bytes ? next_piece(l) : OB_OK;
}

static void end_message(link *l)
{
    ob_mpi_part_give(&l->mpi->pool, l->head);
    l->head = NULL;
    l->state = OB_MPI_IDLE;
}

static ptrdiff_t mpi_pull(ob_peer *peer, ob_cursor *sink)
{
    link *l = peer->link;
    ptrdiff_t moved = 0;
    while (sink->left && l->taken < l->now.envelope.bytes) {
        char *from = NULL; /* gcc 11 does not see that ready sets it */
        ptrdiff_t here = ready(l, &from);
        if (here < 0)
            return here;
        if (here == 0)
            break;
        size_t bytes = (size_t)here < sink->left ? (size_t)here : sink->left;
        ob_cursor_unpack(sink, from, bytes);
        moved += (ptrdiff_t)bytes;
        int status = took(l, bytes);
        if (status != OB_OK)
            return status;
    }
    if (l->taken == l->now.envelope.bytes)
        end_message(l);
    return moved;
}

/* ------------------------------------------------------------------- the rest */

int ob_mpi_link_drop(link *l)
{
    int here = look(l);
    while (here == 1) {
        char *from;
        ptrdiff_t bytes = l->taken < l->now.envelope.bytes ? ready(l, &from) : 0;
        int status = bytes < 0 ? (int)bytes : bytes > 0 ? took(l, (size_t)bytes) : OB_OK;
        if (status != OB_OK)
            return status;
        if (l->taken == l->now.envelope.bytes)
            end_message(l);
        else if (bytes == 0)
            return OB_OK;
        here = look(l);
    }
    return here;
}

static void mpi_traffic(ob_peer *peer, uint64_t *messages, uint64_t *bytes)
{
    link *l = peer->link;
    *messages = l->messages;
    *bytes = l->sent_bytes;
}

/* The link stays in mpi->links: MPI may still have buffers of its queue. */
static void mpi_close(ob_peer *peer)
{
    peer->link = NULL;
}

void ob_mpi_links_free(struct ob_mpi *mpi)
{
    for (link *l = mpi->links, *next; l; l = next) {
        next = l->next;
        free(l->head);
        free(l->order[0]);
        free(l->order[1]);
        for (part *p = l->first, *behind; p; p = behind) {
            behind = p->next;
            free(p);
        }
        free(l);
    }
    mpi->links = NULL;
}

const ob_transport ob_mpi_transport = {
    .name = "mpi",
    .native = &ob_mpi_native,
    .send = mpi_send,
    .poll = mpi_poll,
    .pull = mpi_pull,
    .gone = ob_mpi_gone,
    .flush = mpi_flush,
    .drain = mpi_drain,
    .traffic = mpi_traffic,
    .close = mpi_close,
};

int ob_mpi_link(struct ob_mpi *mpi, ob_peer *peer, const ob_mpi_meeting *meeting)
{
    link *l = calloc(1, sizeof *l);
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a link to process %d", peer->number);
    l->mpi = mpi;
    l->number = peer->number;
    l->me = peer->job->number;
    l->out = meeting->comm;
    l->out_rank = ob_mpi_rank(meeting, peer->number);
    l->limit = peer->job->set.heap_bytes;
    l->patience_ms = (int)(1000 * peer->job->set.heap_seconds);
    ob_lock_take(&mpi->links_lock);
    l->next = mpi->links;
    mpi->links = l;
    ob_lock_release(&mpi->links_lock);
    peer->link = l;
    peer->transport = &ob_mpi_transport;
    return OB_OK;
}
