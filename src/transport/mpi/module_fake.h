/*
 * For tests: an MPI library in memory, as a module's table. Its processes live in one program; a
 * communicator belongs to one of them, so that any thread may act for it. It keeps MPI's promises
 * and no more: of two messages with equal source and tag on one communicator the first is received
 * first, receives match in the order in which they were made, and a send is over when the library
 * has taken it: at once, or (lazy) when it has been received.
 */
#ifndef OB_TRANSPORT_MPI_MODULE_FAKE_H
#define OB_TRANSPORT_MPI_MODULE_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/mpi/module.h"

enum { FAKE_MOST = 4, FAKE_CALL_BYTES = 1 << 16 };

typedef struct fake_place fake_place;

struct ob_mpi_comm {
    fake_place *place;
    int me;
};

/* What all members of a communicator share. */
struct fake_place {
    fake_place *next;
    int size, tag, ranks[FAKE_MOST];
    int users; /* members that have not released it */
    int made;
    int there, turn; /* of a collective call: members inside; how many took place */
    int parting;     /* of a barrier that does not block */
    char out[FAKE_MOST][FAKE_CALL_BYTES], in[FAKE_MOST][FAKE_CALL_BYTES];
};

/* Sends and receives that are under way; one list, oldest first. */
typedef struct fake_item {
    struct fake_item *next;
    enum { FAKE_SEND, FAKE_RECV, FAKE_BARRIER } kind;
    fake_place *place;
    int from, to, tag, bytes;
    char *data;
    bool matched; /* a receive: its bytes are here; a send: they are there */
    bool over;    /* test has said so, or may say so: nobody asks again */
    int looks;    /* so often test says "not yet" */
} fake_item;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    fake_place *places;
    fake_item *items;
    bool lazy;           /* sends end when received */
    int slow;            /* tests of a receive that come too early */
    int node[FAKE_MOST]; /* of each process */
    int blind;           /* takes all others for processes of other machines; -1: nobody */
    int sent, patience; /* messages; looks before the library gives up, lest a test wait for ever */
    int created, released, receiving, most_receiving, asked;
    const char *failing; /* the next call of this name fails */
    int good_calls;      /* after so many that do not */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static _Thread_local int fake_me; /* who makes a communicator */

static int fake_fault(const char *name)
{
    if (fake.failing && strcmp(fake.failing, name) == 0 && fake.good_calls-- == 0) {
        fake.failing = NULL;
        return 17;
    }
    return 0;
}

static void fake_text(int code, char *text, size_t room)
{
    snprintf(text, room, "fault %d", code);
}

static enum ob_mpi_state fake_state(void)
{
    return OB_MPI_RUNNING;
}

/* ------------------------------------------------------------------ communicators */

static fake_place *fake_find(const int *ranks, int size, int tag)
{
    fake_place *p = fake.places;
    while (p && !(p->tag == tag && p->size == size && p->made < size &&
                  memcmp(p->ranks, ranks, (size_t)size * sizeof *ranks) == 0))
        p = p->next;
    return p;
}

static int fake_create(long base, const int *ranks, int size, int tag, ob_mpi_comm **comm)
{
    (void)base;
    pthread_mutex_lock(&fake.lock);
    int code = fake_fault("create");
    fake_place *p = fake_find(ranks, size, tag);
    if (code == 0 && p == NULL) {
        p = calloc(1, sizeof *p);
        p->size = p->users = size;
        p->tag = tag;
        memcpy(p->ranks, ranks, (size_t)size * sizeof *ranks);
        p->next = fake.places;
        fake.places = p;
    }
    if (code == 0) {
        *comm = calloc(1, sizeof **comm);
        (*comm)->place = p;
        for (int i = 0; i < size; i++)
            if (ranks[i] == fake_me)
                (*comm)->me = i;
        p->made++;
        fake.created++;
    }
    pthread_mutex_unlock(&fake.lock);
    return code;
}

/* Places stay until the end, for whoever still looks at one. */
static int fake_release(ob_mpi_comm *comm)
{
    pthread_mutex_lock(&fake.lock);
    fake.released++;
    comm->place->users--;
    pthread_mutex_unlock(&fake.lock);
    free(comm);
    return 0;
}

/* Everybody's bytes to everybody; they stay in place->in until the next call. */
static void fake_meet(ob_mpi_comm *comm, const void *mine, int bytes)
{
    fake_place *p = comm->place;
    int turn = p->turn;
    memcpy(p->out[comm->me], mine, (size_t)bytes);
    if (++p->there == p->size) {
        memcpy(p->in, p->out, sizeof p->in);
        p->there = 0;
        p->turn++;
        pthread_cond_broadcast(&fake.moved);
    }
    while (p->turn == turn)
        pthread_cond_wait(&fake.moved, &fake.lock);
}

/* A card begins with the name of the machine, and each reader compares it with its own: so those of
 * other nodes get other names. */
static int fake_allgather(ob_mpi_comm *comm, const void *mine, void *all, int bytes)
{
    fake_place *p = comm->place;
    pthread_mutex_lock(&fake.lock);
    int code = fake_fault("allgather");
    if (code == 0)
        fake_meet(comm, mine, bytes);
    for (int i = 0; i < p->size && code == 0; i++) {
        char *to = (char *)all + (size_t)i * (size_t)bytes;
        memcpy(to, p->in[i], (size_t)bytes);
        if (fake.node[p->ranks[i]] != fake.node[p->ranks[comm->me]] ||
            (i != comm->me && p->ranks[comm->me] == fake.blind))
            *to = (char)(1 + fake.node[p->ranks[i]]);
    }
    pthread_mutex_unlock(&fake.lock);
    return code;
}

static int fake_alltoall(ob_mpi_comm *comm, const void *out, void *in, int bytes)
{
    fake_place *p = comm->place;
    pthread_mutex_lock(&fake.lock);
    fake_meet(comm, out, bytes * p->size);
    for (int i = 0; i < p->size; i++)
        memcpy((char *)in + i * bytes, p->in[i] + comm->me * bytes, (size_t)bytes);
    pthread_mutex_unlock(&fake.lock);
    return 0;
}

static int fake_minimum(ob_mpi_comm *comm, int *value)
{
    fake_place *p = comm->place;
    pthread_mutex_lock(&fake.lock);
    fake_meet(comm, value, sizeof *value);
    for (int i = 0; i < p->size; i++) {
        int theirs;
        memcpy(&theirs, p->in[i], sizeof theirs);
        *value = theirs < *value ? theirs : *value;
    }
    pthread_mutex_unlock(&fake.lock);
    return 0;
}

/* ----------------------------------------------------------------------- messages */

static fake_item *fake_new(ob_mpi_comm *comm, int kind, ob_mpi_request *request)
{
    fake_item *item = calloc(1, sizeof *item), **last = &fake.items;
    item->kind = kind;
    item->place = comm->place;
    while (*last)
        last = &(*last)->next;
    *last = item;
    request->pointer = item;
    return item;
}

static void fake_forget(fake_item *item)
{
    fake_item **at = &fake.items;
    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    if (item->kind == FAKE_SEND)
        free(item->data);
    free(item);
}

static bool fake_fits(const fake_item *send, const fake_item *recv)
{
    return send->kind == FAKE_SEND && recv->kind == FAKE_RECV && !send->matched && !recv->matched &&
           send->place == recv->place && send->from == recv->from && send->to == recv->to &&
           send->tag == recv->tag;
}

static int fake_pair(fake_item *send, fake_item *recv)
{
    if (send->bytes > recv->bytes)
        return 15; /* truncated */
    memcpy(recv->data, send->data, (size_t)send->bytes);
    recv->bytes = send->bytes;
    send->matched = recv->matched = true;
    if (send->over)
        fake_forget(send);
    return 0;
}

static int fake_isend(ob_mpi_comm *comm, int dest, int tag, const void *data, int bytes,
                      ob_mpi_request *request)
{
    pthread_mutex_lock(&fake.lock);
    int code = fake_fault("isend");
    if (code == 0) {
        fake_item *send = fake_new(comm, FAKE_SEND, request), *recv = fake.items;
        send->from = comm->me;
        send->to = dest;
        send->tag = tag;
        send->bytes = bytes;
        send->data = malloc((size_t)bytes + 1);
        memcpy(send->data, data, (size_t)bytes);
        fake.sent++;
        fake.asked += tag == 1;
        while (recv && !fake_fits(send, recv))
            recv = recv->next;
        code = recv ? fake_pair(send, recv) : 0;
    }
    pthread_mutex_unlock(&fake.lock);
    return code;
}

static int fake_irecv(ob_mpi_comm *comm, int source, int tag, void *data, int bytes,
                      ob_mpi_request *request)
{
    pthread_mutex_lock(&fake.lock);
    int code = fake_fault("irecv");
    if (code == 0) {
        fake_item *recv = fake_new(comm, FAKE_RECV, request), *send = fake.items;
        recv->from = source;
        recv->to = comm->me;
        recv->tag = tag;
        recv->bytes = bytes;
        recv->data = data;
        recv->looks = fake.slow;
        if (++fake.receiving > fake.most_receiving)
            fake.most_receiving = fake.receiving;
        while (send && !fake_fits(send, recv))
            send = send->next;
        code = send ? fake_pair(send, recv) : 0;
    }
    pthread_mutex_unlock(&fake.lock);
    return code;
}

/* The caller holds the lock. */
static int fake_done(fake_item *item, int *bytes)
{
    bool done = item->matched;
    if (item->kind == FAKE_SEND && !fake.lazy)
        done = true;
    if (item->kind == FAKE_BARRIER)
        done = item->place->parting == item->place->size;
    if (item->kind == FAKE_RECV && item->looks-- > 0)
        done = false;
    if (!done)
        return 0;
    if (bytes)
        *bytes = item->bytes;
    fake.receiving -= item->kind == FAKE_RECV;
    if (item->kind == FAKE_SEND && !item->matched)
        item->over = true; /* its bytes wait in the library */
    else
        fake_forget(item);
    return 1;
}

static int fake_test(ob_mpi_request *request, int *done, int *bytes)
{
    pthread_mutex_lock(&fake.lock);
    int code = fake.patience-- > 0 ? fake_fault("test") : 99;
    *done = code == 0 ? fake_done(request->pointer, bytes) : 0;
    pthread_mutex_unlock(&fake.lock);
    return code;
}

static int fake_wait(ob_mpi_request *request, int *bytes)
{
    int done = 0, code = 0;
    while (!done && code == 0)
        code = fake_test(request, &done, bytes);
    return code;
}

static int fake_probe(ob_mpi_comm *comm, int source, int tag, int *there, int *bytes)
{
    pthread_mutex_lock(&fake.lock);
    int code = fake.patience-- > 0 ? fake_fault("probe") : 99;
    fake_item wanted = {
        .kind = FAKE_RECV, .place = comm->place, .from = source, .to = comm->me, .tag = tag};
    const fake_item *send = fake.items;
    while (send && !fake_fits(send, &wanted))
        send = send->next;
    *there = code == 0 && send;
    if (*there)
        *bytes = send->bytes;
    pthread_mutex_unlock(&fake.lock);
    return code;
}

static int fake_barrier(ob_mpi_comm *comm, ob_mpi_request *request)
{
    pthread_mutex_lock(&fake.lock);
    comm->place->parting++;
    fake_new(comm, FAKE_BARRIER, request);
    pthread_mutex_unlock(&fake.lock);
    return 0;
}

static const struct ob_mpi_module fake_module = {
    .number = OB_MPI_MODULE_NUMBER,
    .name = "fake",
    .state = fake_state,
    .text = fake_text,
    .create = fake_create,
    .release = fake_release,
    .allgather = fake_allgather,
    .alltoall = fake_alltoall,
    .minimum = fake_minimum,
    .barrier = fake_barrier,
    .isend = fake_isend,
    .irecv = fake_irecv,
    .test = fake_test,
    .wait = fake_wait,
    .probe = fake_probe,
};

#endif
