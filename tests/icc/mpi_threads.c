/*
 * Calls that do not wait and persistent ones in several threads at once (MPI_THREAD_MULTIPLE), each
 * on a communicator of its own: many under way, with messages between them, ended by every call
 * that ends requests; begun by one thread and ended by another; with derived types and operations
 * of the program's, which are freed meanwhile.
 */
#include <pthread.h>
#include <stdbool.h>

#include "mpi_harness.h"

enum { THREADS = 4, ROUNDS = 24, MOST = 1500, MEMBERS = 16 };
enum {
    SUM,
    OWN,
    BROADCAST,
    COLLECT,
    EXCHANGE,
    BARRIER,
    SEND,
    RECEIVE,
    PREPARED_SUM,
    PREPARED_BROADCAST,
    REQUESTS
};

/* What a thread has under way. */
typedef struct flight {
    MPI_Comm comm;
    int n, round, number;
    int out[MOST], sum[MOST], own[2 * MOST], own_in[2 * MOST], spread[2 * MOST];
    int piece, all[MEMBERS], give[MEMBERS], get[MEMBERS], text, got;
    int before[MOST], after[MOST], word[MOST];
    MPI_Request request[REQUESTS];
    int wrong;
} flight;

static flight flights[THREADS];
static int me, size;
static bool frees; /* communicators, too, with the word `replaced`: Open MPI's own calls crash */

static int value(const flight *f, int who, int i)
{
    return (who * 7919 + f->number * 31 + f->round * 13 + i) % 1001;
}

static void prepare(flight *f)
{
    f->request[PREPARED_SUM] = f->request[PREPARED_BROADCAST] = MPI_REQUEST_NULL;
    INIT(Allreduce)
    (f->before, f->after, MOST, MPI_INT, MPI_MAX, f->comm, MPI_INFO_NULL,
     &f->request[PREPARED_SUM]);
    INIT(Bcast)
    (f->word, MOST, MPI_INT, size - 1, f->comm, MPI_INFO_NULL, &f->request[PREPARED_BROADCAST]);
}

static void fill(flight *f)
{
    for (int i = 0; i < f->n; i++) {
        f->out[i] = value(f, me, i);
        f->own[2 * i] = 1 + me % 3;
        f->own[2 * i + 1] = value(f, me, i);
    }
    for (int i = 0; i < 2 * MOST; i++)
        f->spread[i] = i % 2 || me ? -1 : value(f, 0, i);
    for (int i = 0; i < MOST; i++) {
        f->before[i] = value(f, me, i);
        f->word[i] = me == size - 1 ? value(f, me, i) : -1;
    }
    for (int i = 0; i < size; i++)
        f->give[i] = value(f, me, i);
    f->piece = value(f, me, 0);
    f->text = value(f, me, 1);
    f->got = -1;
}

/* The type and the operation are freed before the calls end, sometimes a communicator, too. */
static void take_off(flight *f)
{
    MPI_Datatype gaps;
    MPI_Op op;
    MPI_Comm comm = f->comm;
    MPI_Request *r = f->request;
    f->n = 1 + (f->round * 997 + f->number * 71) % MOST;
    fill(f);
    MPI_Type_vector(f->n, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(compose_lines, 0, &op);
    if (frees && f->round % 8 == 0)
        MPI_Comm_dup(f->comm, &comm);
    MPI_Iallreduce(f->out, f->sum, f->n, MPI_INT, MPI_SUM, comm, &r[SUM]);
    if (frees && f->round % 8 == 0)
        MPI_Comm_free(&comm);
    MPI_Iallreduce(f->own, f->own_in, f->n, MPI_2INT, op, f->comm, &r[OWN]);
    if (PERSISTENT)
        MPI_Start(&r[PREPARED_SUM]);
    MPI_Ibcast(f->spread, 1, gaps, 0, f->comm, &r[BROADCAST]);
    MPI_Iallgather(&f->piece, 1, MPI_INT, f->all, 1, MPI_INT, f->comm, &r[COLLECT]);
    if (PERSISTENT)
        MPI_Start(&r[PREPARED_BROADCAST]);
    MPI_Ialltoall(f->give, 1, MPI_INT, f->get, 1, MPI_INT, f->comm, &r[EXCHANGE]);
    MPI_Ibarrier(f->comm, &r[BARRIER]);
    MPI_Isend(&f->text, 1, MPI_INT, (me + 1) % size, 5, f->comm, &r[SEND]);
    MPI_Irecv(&f->got, 1, MPI_INT, (me + size - 1) % size, 5, f->comm, &r[RECEIVE]);
    MPI_Type_free(&gaps);
    MPI_Op_free(&op);
}

static void land(flight *f, int how)
{
    MPI_Request *r = f->request;
    MPI_Status statuses[REQUESTS];
    int done = 0, left = PERSISTENT ? REQUESTS : PREPARED_SUM, index, indices[REQUESTS];
    switch (how % 6) {
    case 0: MPI_Waitall(REQUESTS, r, statuses); break;
    case 1:
        for (int i = REQUESTS - 1; i >= 0; i--)
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        break;
    case 2:
        for (; left; left--)
            MPI_Waitany(REQUESTS, r, &index, MPI_STATUS_IGNORE);
        break;
    case 3:
        for (; left > 0; left -= done)
            MPI_Waitsome(REQUESTS, r, &done, indices, statuses);
        break;
    case 4:
        for (int i = 0; i < REQUESTS; i++)
            for (done = 0; !done;)
                MPI_Test(&r[i], &done, MPI_STATUS_IGNORE);
        break;
    default:
        while (!done)
            MPI_Testall(REQUESTS, r, &done, statuses);
    }
    for (int i = 0; i < PREPARED_SUM; i++)
        f->wrong += r[i] != MPI_REQUEST_NULL;
}

static void look(flight *f)
{
    for (int i = 0; i < f->n; i++) {
        int sum = 0;
        unsigned a = 1, b = 0;
        for (int k = 0; k < size; k++) {
            sum += value(f, k, i);
            b = b * (unsigned)(1 + k % 3) + (unsigned)value(f, k, i);
            a *= (unsigned)(1 + k % 3);
        }
        f->wrong += f->sum[i] != sum;
        f->wrong += (unsigned)f->own_in[2 * i] != a || (unsigned)f->own_in[2 * i + 1] != b;
    }
    for (int i = 0; i < 2 * MOST; i++) {
        bool sent = i % 2 == 0 && (me == 0 || i < 2 * f->n);
        f->wrong += f->spread[i] != (sent ? value(f, 0, i) : -1);
    }
    for (int i = 0; i < MOST; i++) {
        int most = 0;
        for (int k = 0; k < size; k++)
            most = value(f, k, i) > most ? value(f, k, i) : most;
        if (PERSISTENT)
            f->wrong += f->after[i] != most || f->word[i] != value(f, size - 1, i);
    }
    for (int i = 0; i < size; i++)
        f->wrong += f->all[i] != value(f, i, 0) || f->get[i] != value(f, i, me);
    f->wrong += f->got != value(f, (me + size - 1) % size, 1);
}

static pthread_barrier_t meeting;

static void *fly(void *mine)
{
    flight *f = mine;
    prepare(f);
    for (f->round = 0; f->round < ROUNDS; f->round++) {
        take_off(f);
        land(f, f->round + f->number);
        look(f);
    }
    /* One begins, the next one ends. */
    for (int round = 0; round < ROUNDS; round++) {
        f->round = round;
        take_off(f);
        pthread_barrier_wait(&meeting);
        land(&flights[(f->number + 1) % THREADS], round);
        pthread_barrier_wait(&meeting);
        look(f);
    }
    if (PERSISTENT) {
        MPI_Request_free(&f->request[PREPARED_SUM]);
        MPI_Request_free(&f->request[PREPARED_BROADCAST]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    begin();
    frees = argc > 1;
    me = world.me;
    size = world.count;
    check(level == MPI_THREAD_MULTIPLE && size <= MEMBERS, "level %d, %d processes", level, size);
    pthread_barrier_init(&meeting, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        flights[t].number = t;
        MPI_Comm_dup(MPI_COMM_WORLD, &flights[t].comm);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, fly, &flights[t]);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        check(flights[t].wrong == 0, "thread %d: %d are wrong", t, flights[t].wrong);
    }
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&flights[t].comm);
    return finish();
}
