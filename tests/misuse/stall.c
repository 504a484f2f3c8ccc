/*
 * Programs that wait for long at the level of checking that everybody has: stall NAME, on 2
 * processes. Those of hangs wait for ever, in the call of each interface; `still_` ones are right,
 * and only slow: one process computes, sleeps, reads or is stopped while the other waits, or
 * another of its threads will send. They print "done".
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bsp.h"
#include "openblacs/blacs.h"
#include "openblacs/icc.h"
#include "openblacs/mlacs.h"

static int grid, me, count;
static double x;

/* ----------------------------------------------------------------------- for ever */

static void hang_blacs(void)
{
    Cdgerv2d(grid, 1, 1, &x, 1, 0, 1 - me);
}
static void hang_blacs_and_barrier(void)
{
    if (me)
        Cblacs_barrier(grid, "All");
    else
        Cdgerv2d(grid, 1, 1, &x, 1, 0, 1);
}
static void hang_mlacs(void)
{
    MLACS_Comm all, row, column;
    mlacs_gridinit(MLACS_COMM_WORLD, 1, 2, &all, &row, &column);
    mlacs_recv(&x, 1, 1, 1, MLACS_DOUBLE, 0, 1 - me, 0, all, NULL);
}
static void hang_icc(void)
{
    if (me)
        Cdgerv2d(grid, 1, 1, &x, 1, 0, 0);
    else
        iCC_gsync();
}
static void hang_bsp(void)
{
    bsp_begin(2);
    if (bsp_pid())
        Cdgerv2d(grid, 1, 1, &x, 1, 0, 0);
    bsp_sync();
    bsp_end();
}

/* No wait, but a message that nobody takes. */
static void left_mlacs(void)
{
    MLACS_Comm all, row, column;
    mlacs_gridinit(MLACS_COMM_WORLD, 1, 2, &all, &row, &column);
    if (me == 0)
        mlacs_send(&x, 1, 1, 1, MLACS_DOUBLE, 0, 1, 7, all);
    mlacs_barrier(all);
    mlacs_exit();
}

/* --------------------------------------------------------------------- only slow */

static void meet(void)
{
    Cblacs_barrier(grid, "All");
    fputs("done\n", stdout);
}
static void still_sleeps(void)
{
    if (me)
        sleep(3);
    meet();
}
static void still_computes(void)
{
    for (time_t end = time(NULL) + 3; me && time(NULL) < end;)
        x += 1;
    meet();
}
static void still_reads(void)
{
    char byte;
    FILE *slow = me ? popen("sleep 3; echo x", "r") : NULL;
    if (slow && fread(&byte, 1, 1, slow) == 1)
        pclose(slow);
    meet();
}
/* In the wait itself: the process is stopped while it is in a call of the library. */
static void still_stopped(void)
{
    pid_t self = getpid(), child = me ? fork() : 1;
    if (child == 0) {
        kill(self, SIGSTOP);
        sleep(3);
        kill(self, SIGCONT);
        _exit(0);
    }
    if (me)
        waitpid(child, NULL, 0);
    meet();
}
static void *compute_and_send(void *context)
{
    for (time_t end = time(NULL) + 3; time(NULL) < end;)
        x += 1;
    Cdgesd2d(*(int *)context, 1, 1, &x, 1, 0, 1);
    return NULL;
}
/* Both main threads wait for each other's process; a thread of process 0 still computes. */
static void still_a_thread(void)
{
    pthread_t t;
    int other;
    Cblacs_get(-1, 0, &other);
    Cblacs_gridinit(&other, "Row", 1, 2);
    if (me == 0) {
        pthread_create(&t, NULL, compute_and_send, &other);
        Cdgerv2d(grid, 1, 1, &x, 1, 0, 1);
        pthread_join(t, NULL);
    } else {
        Cdgerv2d(other, 1, 1, &x, 1, 0, 0);
        Cdgesd2d(grid, 1, 1, &x, 1, 0, 0);
    }
    meet();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define ONE(name)                                                                                  \
    {                                                                                              \
#name, name                                                                                \
    }
    ONE(hang_blacs),    ONE(hang_blacs_and_barrier),
    ONE(hang_mlacs),    ONE(hang_icc),
    ONE(hang_bsp),      ONE(left_mlacs),
    ONE(still_sleeps),  ONE(still_computes),
    ONE(still_reads),   ONE(still_stopped),
    ONE(still_a_thread)};

int main(int argc, char **argv)
{
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", 1, count);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            Cblacs_exit(0);
            return 0;
        }
    fprintf(stderr, "stall: there is no case of this name\n");
    return 2;
}
