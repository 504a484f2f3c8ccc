/*
 * One process writes 1 MiB of its own and 1 MiB of shared memory, another reads both.
 */
#include "one_copy.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/reach.h"

enum { BYTES = 1 << 20, ROUNDS = 9, SECONDS = 5 };

typedef struct table {
    atomic_int turn; /* even: the writer's */
    int error;       /* of reading; -1: not known */
    double straight, shared;
    char memory[BYTES];
} table;

static void await_turn(table *t, int turn)
{
    while (atomic_load(&t->turn) != turn)
        sched_yield();
}

static void write_both(table *t, char *own)
{
    ob_reach_open();
    for (int i = 0; i <= ROUNDS; i++) {
        await_turn(t, 2 * i);
        memset(own, i, BYTES);
        memset(t->memory, i, BYTES);
        atomic_store(&t->turn, 2 * i + 1);
    }
}

static void read_both(table *t, pid_t writer, char *own)
{
    struct iovec here = {own, BYTES}, there = {own, BYTES};
    for (int i = 0; i < ROUNDS; i++) {
        await_turn(t, 2 * i + 1);
        double start = ob_time();
        t->error = ob_reach(false, writer, &here, 1, &there, 1, BYTES) ? 0 : errno;
        double between = ob_time();
        memcpy(own, t->memory, BYTES);
        double end = ob_time();
        if (i == 0 || between - start < t->straight)
            t->straight = between - start;
        if (i == 0 || end - between < t->shared)
            t->shared = end - between;
        atomic_store(&t->turn, 2 * i + 2);
    }
}

/* Ends itself when the other does not come. */
static pid_t begin(table *t, pid_t writer, char *own)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    alarm(SECONDS);
    if (writer)
        read_both(t, writer, own);
    else
        write_both(t, own);
    _exit(0);
}

static void measure(table *t, char *own)
{
    pid_t writer = begin(t, 0, own), reader = writer > 0 ? begin(t, writer, own) : -1;
    if (reader > 0)
        waitpid(reader, NULL, 0);
    if (writer > 0) {
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
}

void print_one_copy(void)
{
    char *own = calloc(1, BYTES);
    table *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (own && t != MAP_FAILED) {
        t->error = -1;
        fflush(stdout);
        measure(t, own);
        if (t->error == 0)
            printf("one copy: possible; 1 MiB that another process has written: %.0f us from its "
                   "own memory, %.0f us from shared memory\n",
                   1e6 * t->straight, 1e6 * t->shared);
        else if (t->error > 0)
            printf("one copy: not possible, processes may not read each other's memory (%s)\n",
                   strerror(t->error));
        else
            printf("one copy: not known, processes could not be started\n");
    }
    if (t != MAP_FAILED)
        munmap(t, sizeof *t);
    free(own);
}
