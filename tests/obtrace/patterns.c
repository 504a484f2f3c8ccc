/*
 * A program with exactly one wait state: patterns NAME. Run in simulated time by
 * tests/obtrace/patterns.sh on four nodes, where computing (here: sleeping) takes what it takes to
 * the nanosecond, and a short message well below a millisecond.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hooks/superstep.h"
#include "openblacs/blacs.h"
#include "openblacs/core.h"

enum { MS = 1000000 };
static int me, count, context;

/* Stands for work, or for its being uneven. */
static void work(int milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * MS};
    nanosleep(&t, NULL);
}

/* Lets all begin at one moment of simulated time. */
static void begin_at(int milliseconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long left = milliseconds * (long long)MS - now.tv_sec * 1000000000LL - now.tv_nsec;
    struct timespec rest = {left / 1000000000, left % 1000000000};
    if (left > 0)
        nanosleep(&rest, NULL);
}

static void send_to(int to)
{
    double x = me;
    Cdgesd2d(context, 1, 1, &x, 1, 0, to);
}

static void receive_from(int from)
{
    double x;
    Cdgerv2d(context, 1, 1, &x, 1, 0, from);
}

static void late_sender(void)
{
    if (me == 0) {
        work(1000);
        send_to(1);
    } else if (me == 1) {
        receive_from(0);
    }
}

/* Each in a chain works 100; the first one works 500 longer, which all others wait for. */
static void chain(void)
{
    if (me > 0)
        receive_from(me - 1);
    work(me == 0 ? 600 : 100);
    if (me + 1 < count)
        send_to(me + 1);
}

static void wrong_order(void)
{
    if (me == 2)
        send_to(1);
    if (me == 0) {
        work(1000);
        send_to(1);
    } else if (me == 1) {
        receive_from(0);
        receive_from(2);
    }
}

/* The root begins a broadcast after 1000; the others have begun it before, worked for 300, and
 * wait. */
static void begun_broadcast(void)
{
    ob_group *group = NULL;
    ob_request *request = NULL;
    double x = me;
    ob_view view = {.type = OB_DOUBLE, .m = 1, .n = 1, .ld = 1, .base = &x};
    if (ob_group_world(&group) != OB_OK)
        Cblacs_abort(context, 1);
    begin_at(2000);
    if (me == 0)
        work(1000);
    ob_ibroadcast(group, 0, &view, NULL, &request);
    if (me != 0)
        work(300);
    ob_wait(&request, NULL);
    if (x != 0)
        fputs("wrong\n", stdout);
    ob_group_free(group);
}

static void late_receiver(void)
{
    double x = 0;
    ob_view one = ob_view_vector(&x, 1, OB_DOUBLE);
    ob_group *world;
    if (ob_group_world(&world) != OB_OK)
        Cblacs_abort(context, 1);
    if (me == 0) {
        ob_send_mode(world, 1, 0, &one, OB_SYNCHRONOUS);
    } else if (me == 1) {
        work(1000);
        ob_recv(world, 0, 0, &one, NULL);
    }
    ob_group_free(world);
}

static void late_broadcast(void)
{
    double x = 0;
    work(me == 0 ? 1000 : 0);
    if (me == 0)
        Cdgebs2d(context, "All", " ", 1, 1, &x, 1);
    else
        Cdgebr2d(context, "All", " ", 1, 1, &x, 1, 0, 0);
}

static void sum(int late, char *top, int column)
{
    double x = 1;
    work(me == late ? 1000 : 0);
    Cdgsum2d(context, "All", top, 1, 1, &x, 1, column < 0 ? -1 : 0, column);
}

static void early_reduce(void)
{
    sum(3, "F", 0); /* all send to the root */
}

static void n_by_n(void)
{
    sum(2, " ", -1);
}

static void barrier(void)
{
    work(me == 1 ? 1000 : 0);
    Cblacs_barrier(context, "All");
}

/* BSPlib's bsp_sync is this call. One process is late to the first superstep (`late` ms), or takes
 * long to read what came in it (`reading` ms), for which all wait in the second. */
static void supersteps(int late, int reading)
{
    ob_group *world;
    ob_superstep *step;
    ob_tally tally = {0};
    if (ob_group_world(&world) != OB_OK || ob_superstep_create(world, &step) != OB_OK)
        Cblacs_abort(context, 1);
    begin_at(100);
    work(me == 2 ? late : 0);
    for (int k = 0; k < (reading ? 2 : 1); k++) {
        if (ob_superstep_run(step, &tally) != OB_OK)
            Cblacs_abort(context, 1);
        work(me == 2 && k == 0 ? reading : 0);
        ob_superstep_read(step);
    }
    ob_superstep_free(step);
    ob_group_free(world);
}

static void superstep(void)
{
    supersteps(1000, 0);
}

static void superstep_reading(void)
{
    supersteps(0, 1000);
}

/* All come to it at once, but for a process that main lets join late. */
static void late_start(void)
{
    Cblacs_barrier(context, "All");
}

/* Before it joins: 1000 of process 2. */
static void join_late(void)
{
    int number;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    work(number == 2 ? 1000 : 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"late-sender", late_sender},
               {"chain", chain},
               {"wrong-order", wrong_order},
               {"late-receiver", late_receiver},
               {"late-broadcast", late_broadcast},
               {"begun-broadcast", begun_broadcast},
               {"early-reduce", early_reduce},
               {"n-by-n", n_by_n},
               {"barrier", barrier},
               {"late-start", late_start},
               {"superstep", superstep},
               {"superstep-reading", superstep_reading}};
    bool late = argc > 1 && strcmp(argv[1], "late-start") == 0;
    if (late)
        join_late();
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (argc > 1 && strcmp(argv[1], all[k].name) == 0)
            all[k].run();
    Cblacs_gridexit(context);
    Cblacs_exit(late); /* 1: MPI goes on */
    if (late)
        MPI_Finalize();
    return 0;
}
