/*
 * Threads of each process use groups of their own at the same time, over
 * whatever transport, while MPI runs at the level the argument names: single
 * (MPI_Init; our lock keeps the threads apart) or multiple.
 */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { THREADS = 3, ROUNDS = 200, LONGEST = 300000 };

typedef struct worker {
    pthread_t thread;
    ob_group *group;
    int index;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    unsigned char *out = malloc(LONGEST), *in = malloc(LONGEST);
    int next = (me + 1) % count, before = (me + count - 1) % count;
    for (int i = 0; i < ROUNDS; i++) {
        size_t bytes = i % 20 == 0 ? LONGEST : (size_t)(i * 37 % 5000);
        fill(out, bytes, (unsigned)(me + 16 * w->index + i));
        send_bytes(w->group, next, out, bytes);
        recv_bytes(w->group, before, in, bytes);
        CHECK(holds(in, bytes, (unsigned)(before + 16 * w->index + i)));
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    worker workers[THREADS];
    int given = MPI_THREAD_SINGLE;
    if (argc > 1 && strcmp(argv[1], "multiple") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    else
        MPI_Init(&argc, &argv);
    join();
    for (int i = 0; i < THREADS; i++)
        workers[i] = (worker){.group = group_of(0, count, 1), .index = i};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        ob_group_free(workers[i].group);
    }
    CHECK(ob_job_stop(job, 1) == OB_OK);
    MPI_Finalize();
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
