/*
 * MPI on SimGrid (docs/simulation.md): the transport of an smpicc build, in the
 * place of mpi_load.c and mpi_link.c, and how a process waits there. All
 * processes of the simulation are actors in one address space, which take turns
 * at MPI calls and nowhere else.
 *
 * A message costs what one MPI message of its matrix costs: MPI_Isend and a
 * receive of its exact size. What it says of itself, its envelope, goes through
 * memory and costs no simulated time. So nobody ever probes or tests (in SMPI
 * each look costs simulated time, and the answer comes on a grid of such looks); a
 * process that waits sleeps on a semaphore that the next sender to it releases.
 *
 * Every pair has a wire, the list of its parcels in the order sent. A sender appends a
 * parcel once MPI has it; the receiver takes the front one, receives, and marks it
 * taken; the sender, when it next sends, frees what is taken. Wires hang off one
 * table for the whole simulation, which the first process to need it makes.
 */
#include "transport/mpi/mpi_sim.h"

#include <mpi.h> /* before SimGrid's own headers */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "transport/mpi/internal.h"

enum { TAG = 0 };

typedef struct parcel {
    struct parcel *next;      /* on the wire */
    struct parcel *sent_next; /* in the sender's list */
    ob_envelope envelope;
    ob_mpi_request request; /* the sender's */
    char *data;
    char word[sizeof(uint64_t)]; /* of a message that is no longer: its contents */
    bool watched;                /* the sender waits until the receiver */
    bool begun;                  /* receives it; then MPI will end it */
    bool taken;                  /* by the receiver: MPI's part is over */
} parcel;

/* From one process to another. */
typedef struct wire {
    parcel *first, **last;
} wire;

/* A process as senders see it. */
typedef struct inbox {
    sg_sem_t bell;
    bool asleep;
    bool rung;   /* since the last sleep */
    wire **from; /* by number, made when first used */
} inbox;

typedef struct table {
    int count;
    inbox *of[];
} table;

typedef struct ob_mpi_link {
    struct ob_mpi_link *next; /* of mpi->links */
    struct ob_mpi *mpi;
    int number, me; /* of the other process, our own */
    ob_mpi_comm *comm;
    int rank; /* of the other process in comm */
    uint64_t messages, sent_bytes;
    wire *out, *in;
    parcel *sent, **sent_last; /* parcels MPI may still read */
    char *arrived; /* the front parcel's matrix, when it was received beside its place */
    size_t at;     /* bytes of it that have been taken */
} pair;

/* OPENBLACS_SIM_PAYLOAD=0, set by the program when all have met: from then on messages have
 * their lengths, but no contents, and no memory, unless they are a word, the name of lent memory
 * perhaps. SMPI must not read or write them, either
 * (smpi_replay_init), but wants an address. It may be set while processes run, so it is looked at
 * each time. */
static char nothing[1];

static bool has_payload(void)
{
    const char *set = secure_getenv("OPENBLACS_SIM_PAYLOAD");
    return set == NULL || strcmp(set, "0") != 0;
}

/* Payload may also be folded by SMPI's options (smpi/auto-shared-malloc-thresh): then
 * all large buffers share a few pages, and contents mean nothing. */
static char *take_payload(size_t bytes)
{
    return has_payload() || bytes <= sizeof(uint64_t)
               ? smpi_shared_malloc_intercept(bytes ? bytes : 1, __FILE__, __LINE__)
               : nothing;
}

static void give_payload(char *data)
{
    if (data && data != nothing)
        smpi_shared_free(data);
}

/* ---------------------------------------------------------- the common table */

/* Each process has its own copy of the program's variables, but the C library's are
 * there once: the table's address is kept in the environment. (Properties of the
 * platform would do too, but other processes run while one is set.) */
static table *the_table(int count)
{
    static const char key[] = "OB_SIMULATION";
    static table *mine;
    char text[32];
    void *found = NULL;
    const char *known = mine ? NULL : secure_getenv(key);
    if (known && sscanf(known, "%p", &found) == 1)
        mine = found;
    if (mine)
        return mine;
    table *t = calloc(1, sizeof *t + (size_t)count * sizeof t->of[0]);
    if (t == NULL)
        return NULL;
    t->count = count;
    snprintf(text, sizeof text, "%p", (void *)t);
    setenv(key, text, 1);
    return mine = t;
}

static inbox *new_inbox(int count, sg_sem_t bell)
{
    inbox *box = calloc(1, sizeof *box);
    wire **from = calloc((size_t)count, sizeof *from);
    if (box == NULL || from == NULL) {
        free(box);
        free(from);
        return NULL;
    }
    *box = (inbox){.bell = bell, .from = from};
    return box;
}

static inbox *inbox_of(table *t, int number)
{
    if (t->of[number])
        return t->of[number];
    /* Others run during this call, and may make the inbox too. */
    sg_sem_t bell = sg_sem_init(0);
    if (t->of[number])
        sg_sem_destroy(bell);
    else
        t->of[number] = new_inbox(t->count, bell);
    return t->of[number];
}

static wire *wire_between(const ob_job *job, int from, int to)
{
    table *t = the_table(job->count);
    inbox *box = t ? inbox_of(t, to) : NULL;
    if (box == NULL)
        return NULL;
    if (box->from[from] == NULL && (box->from[from] = calloc(1, sizeof(wire))) != NULL)
        box->from[from]->last = &box->from[from]->first;
    return box->from[from];
}

/* ------------------------------------------------------------------- waiting */

/* Others run while a message is received. What came since the last sleep may have come behind our
 * look at its wire: then there is another look first. */
void ob_sim_sleep(ob_job *job)
{
    table *t = the_table(job->count);
    if (t == NULL)
        return;
    if (t->of[job->number] == NULL) {
        inbox_of(t, job->number); /* others have run: look again */
        return;
    }
    inbox *box = t->of[job->number];
    if (box->rung) {
        box->rung = false;
        return;
    }
    box->asleep = true;
    smpi_bench_end(); /* the time until we wake is not our computing */
    sg_sem_acquire(box->bell);
    smpi_bench_begin();
    box->rung = false;
}

/* No longer than so many seconds; false: nobody has rung. */
static bool sleep_for(ob_job *job, double seconds)
{
    table *t = the_table(job->count);
    inbox *box = t ? inbox_of(t, job->number) : NULL;
    if (box == NULL)
        return false;
    box->asleep = true;
    smpi_bench_end();
    bool rung = sg_sem_acquire_timeout(box->bell, seconds) == 0;
    smpi_bench_begin();
    box->asleep = false;
    return rung;
}

static void ring(const ob_job *job, int number)
{
    inbox *box = the_table(job->count)->of[number];
    box->rung = true;
    if (!box->asleep)
        return;
    box->asleep = false;
    sg_sem_release(box->bell);
}

void ob_sim_wake(ob_job *job, int number)
{
    if (the_table(job->count)->of[number])
        ring(job, number);
}

/* ------------------------------------------------------------------- sending */

static void drop_first(pair *l)
{
    parcel *p = l->sent;
    l->sent = p->sent_next;
    if (l->sent == NULL)
        l->sent_last = &l->sent;
    give_payload(p->data);
    free(p);
}

static int finish_send(pair *l, parcel *p)
{
    int code = l->mpi->module->wait(&p->request, NULL);
    return code == 0 ? OB_OK
                     : ob_mpi_error(l->mpi, code, "process %d cannot send to process %d", l->me,
                                    l->number);
}

/* Frees what has been received: the wait for it takes no time. */
static int collect(pair *l)
{
    int status = OB_OK;
    while (status == OB_OK && l->sent && l->sent->taken) {
        status = finish_send(l, l->sent);
        drop_first(l);
    }
    return status;
}

static parcel *wrap(const ob_envelope *e, ob_cursor *data)
{
    parcel *p = calloc(1, sizeof *p);
    char *payload = take_payload(e->bytes);
    if (p == NULL || payload == NULL) {
        free(p);
        give_payload(payload);
        return NULL;
    }
    p->envelope = *e;
    p->data = payload;
    if (e->bytes && p->data != nothing)
        ob_cursor_pack(data, p->data, e->bytes);
    if (e->bytes && e->bytes <= sizeof p->word)
        memcpy(p->word, p->data, e->bytes);
    return p;
}

static int check_sending(const pair *l, uint64_t bytes)
{
    if (atomic_load_explicit(&l->mpi->over, memory_order_relaxed))
        return ob_fail(
            OB_ESTATE,
            "OB-3007 process %d sends to process %d, and MPI_Finalize has been called; finish "
            "with the BLACS first",
            l->me, l->number);
    if (bytes > INT32_MAX)
        return ob_fail(
            OB_ENOMEM,
            "OB-1005 process %d cannot send %llu bytes to process %d: a simulated message has "
            "less than 2 GiB",
            l->me, (unsigned long long)bytes, l->number);
    return OB_OK;
}

static int sim_send(ob_peer *peer, const ob_envelope *e, ob_cursor *data)
{
    pair *l = peer->link;
    int status = check_sending(l, e->bytes);
    if (status == OB_OK)
        status = collect(l);
    if (status != OB_OK)
        return status;
    if (l->out == NULL)
        l->out = wire_between(peer->job, l->me, l->number);
    parcel *p = l->out ? wrap(e, data) : NULL;
    if (p == NULL)
        return ob_fail(OB_ENOMEM, "OB-4003 process %d cannot keep %llu bytes more for process %d",
                       l->me, (unsigned long long)e->bytes, l->number);
    int code = l->mpi->module->isend(l->comm, l->rank, TAG, p->data, (int)e->bytes, &p->request);
    if (code != 0) {
        give_payload(p->data);
        free(p);
        return ob_mpi_error(l->mpi, code, "process %d cannot send to process %d", l->me, l->number);
    }
    *l->sent_last = p;
    l->sent_last = &p->sent_next;
    *l->out->last = p;
    l->out->last = &p->next;
    ring(peer->job, l->number);
    l->messages++;
    l->sent_bytes += e->bytes;
    return OB_OK;
}

static int flush_link(pair *l)
{
    int status = OB_OK;
    while (l->sent && status == OB_OK) {
        parcel *p = l->sent;
        if (!p->taken)
            status = finish_send(l, p); /* until it is received, or MPI has a copy */
        if (status == OB_OK && !p->taken) {
            /* The receiver has yet to read the envelope; that is never freed. */
            give_payload(p->data);
            l->sent = p->sent_next;
            if (l->sent == NULL)
                l->sent_last = &l->sent;
        } else if (status == OB_OK) {
            drop_first(l);
        }
    }
    return status;
}

int ob_mpi_flush(struct ob_mpi *mpi)
{
    int status = OB_OK;
    for (pair *l = mpi->links; l; l = l->next) {
        int one = flush_link(l);
        status = status == OB_OK ? one : status;
    }
    return status;
}

static int sim_flush(ob_peer *peer)
{
    pair *l = peer->link;
    return atomic_load(&l->mpi->over) ? OB_OK : flush_link(l);
}

static parcel *last_sent(const pair *l)
{
    parcel *p = l->sent;
    while (p && p->sent_next)
        p = p->sent_next;
    return p;
}

/* What is being received comes to its end; who has not begun by then is busy with something else.
 */
static void sim_drain(ob_peer *peer, size_t bytes)
{
    pair *l = peer->link;
    parcel *p = last_sent(l);
    double end = simgrid_get_clock() + ob_mpi_patience(l->mpi, bytes);
    if (p == NULL)
        return;
    p->watched = true;
    while (!p->begun && simgrid_get_clock() < end)
        sleep_for(peer->job, end - simgrid_get_clock());
    p->watched = false;
    if (p->begun && !p->taken)
        finish_send(l, p);
}

/* ----------------------------------------------------------------- receiving */

static int sim_poll(ob_peer *peer, ob_envelope *e)
{
    pair *l = peer->link;
    if (l->in == NULL)
        l->in = wire_between(peer->job, l->number, l->me);
    if (l->in == NULL || l->in->first == NULL)
        return 0;
    *e = l->in->first->envelope;
    return 1;
}

/* Receives the front parcel's matrix. This blocks, as the messages of a simulated
 * network do: the simulator has no other way to let their time pass. */
static int receive(pair *l, parcel *p, void *to)
{
    ob_mpi_request request;
    const struct ob_mpi_module *m = l->mpi->module;
    p->begun = true;
    if (p->watched)
        ring(l->mpi->job, l->number);
    int code = m->irecv(l->comm, l->rank, TAG, to, (int)p->envelope.bytes, &request);
    if (code == 0)
        code = m->wait(&request, NULL);
    if (code == 0 && p->envelope.bytes && p->envelope.bytes <= sizeof p->word)
        memcpy(to, p->word, p->envelope.bytes);
    return code == 0 ? OB_OK
                     : ob_mpi_error(l->mpi, code, "process %d cannot receive from process %d",
                                    l->me, l->number);
}

static void end_message(pair *l)
{
    parcel *p = l->in->first;
    l->in->first = p->next;
    if (p->next == NULL)
        l->in->last = &l->in->first;
    give_payload(l->arrived);
    l->arrived = NULL;
    l->at = 0;
    p->taken = true; /* the sender frees it */
}

static int receive_beside(pair *l, parcel *p)
{
    l->arrived = take_payload(p->envelope.bytes);
    if (l->arrived == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory to receive from process %d",
                       l->me, l->number);
    return receive(l, p, l->arrived);
}

static ptrdiff_t sim_pull(ob_peer *peer, ob_cursor *sink)
{
    pair *l = peer->link;
    parcel *p = l->in->first;
    size_t bytes = p->envelope.bytes;
    int status = OB_OK;
    if (l->arrived == NULL && sink->left >= bytes && sink->run >= bytes) {
        status = receive(l, p, sink->at);
        sink->at += bytes;
        sink->run -= bytes;
        sink->left -= bytes;
        l->at = bytes;
    } else {
        if (l->arrived == NULL)
            status = receive_beside(l, p);
        if (bytes - l->at > sink->left)
            bytes = l->at + sink->left;
        if (status == OB_OK && l->arrived != nothing)
            ob_cursor_unpack(sink, l->arrived + l->at, bytes - l->at);
        size_t moved = bytes - l->at;
        l->at = bytes;
        bytes = moved;
    }
    if (status != OB_OK)
        return status;
    if (l->at == p->envelope.bytes)
        end_message(l);
    return (ptrdiff_t)bytes;
}

/* ------------------------------------------------------------------ the rest */

static bool sim_gone(ob_peer *peer)
{
    (void)peer;
    return false;
}

static void sim_traffic(ob_peer *peer, uint64_t *messages, uint64_t *bytes)
{
    pair *l = peer->link;
    *messages = l->messages;
    *bytes = l->sent_bytes;
}

static void sim_close(ob_peer *peer)
{
    peer->link = NULL; /* mpi->links keeps it: MPI may still have its parcels */
}

static const ob_transport sim_transport = {
    .name = "simulated",
    .native = &ob_mpi_native,
    .send = sim_send,
    .poll = sim_poll,
    .pull = sim_pull,
    .lend = ob_sim_lend,
    .borrow = ob_sim_borrow,
    .give_back = ob_sim_give_back,
    .gone = sim_gone,
    .flush = sim_flush,
    .drain = sim_drain,
    .traffic = sim_traffic,
    .close = sim_close,
};

int ob_mpi_link(struct ob_mpi *mpi, ob_peer *peer, const ob_mpi_meeting *meeting)
{
    pair *l = calloc(1, sizeof *l);
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a link to process %d", peer->number);
    l->mpi = mpi;
    l->number = peer->number;
    l->me = peer->job->number;
    l->comm = meeting->comm;
    l->rank = ob_mpi_rank(meeting, peer->number);
    l->sent_last = &l->sent;
    l->next = mpi->links;
    mpi->links = l;
    peer->link = l;
    peer->transport = &sim_transport;
    return OB_OK;
}

/* A process of a simulation always is one of an MPI job. */
bool ob_mpi_present(void)
{
    return true;
}

bool ob_mpi_launched(void)
{
    return true;
}

ob_mpi_module_function ob_mpi_module;

int ob_mpi_load(const ob_settings *set, const struct ob_mpi_module **module, char *file,
                size_t room)
{
    *module = NULL;
    if (set->transport == OB_TRANSPORT_SHM)
        return ob_fail(
            OB_ESETTING,
            "OB-3014 OPENBLACS_TRANSPORT is shm, but simulated processes have no shared memory; "
            "leave it unset");
    *module = ob_mpi_module();
    snprintf(file, room, "simulated");
    return OB_OK;
}

/* A simulation has one world. */
int ob_mpi_join_elsewhere(ob_job *world, long handle, ob_job **job)
{
    (void)job;
    return ob_fail(OB_EARG,
                   "OB-3011 system context %ld has processes outside the MPI_COMM_WORLD of "
                   "process %d, which a simulation does not have",
                   handle, world->number);
}

void ob_mpi_end_elsewhere(struct ob_mpi *mpi, long handle)
{
    (void)mpi;
    (void)handle;
}

ob_job *ob_mpi_elsewhere(const ob_job *job)
{
    (void)job;
    return NULL;
}

/* Nothing is kept beside what is under way. */
void ob_mpi_pool_free(ob_mpi_pool *pool)
{
    (void)pool;
}

void ob_mpi_collect(struct ob_mpi *mpi)
{
    for (pair *l = mpi->links; l; l = l->next)
        collect(l);
}
