/*
 * Leaving while others still wait or send: who waits for a process that has gone
 * into MPI_Finalize is told so, what it sent before is still received, and messages
 * that nobody receives hold nobody up. The argument names one of:
 *   early      process 1 leaves, process 0 waits for it (ends with an error line)
 *   unstopped  the same without blacs_exit
 *   collective the same, but process 0 waits in a barrier
 *   last       process 0 first receives, late, all that process 1 sent
 *   unreceived all send to all what nobody receives
 *   onesided   process 0 sends to process 1, which has left already
 *   barrier    the same, and process 1 waits for process 0 in the program's own MPI
 *   again      joining again with messages of the former life still unreceived
 *   buffered   process 0 leaves with a message of the program's own MPI on its way
 */
#include <mpi.h>
#include <openblacs/blacs.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { LONG = 300000, SHORT = 10, MESSAGES = 30 }; /* doubles, beside MPI's eager limits */

static double data[LONG];
static int grid;

static void new_grid(void)
{
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", 1, count);
}

static void send(int size, int dest, double value)
{
    data[0] = data[size - 1] = value;
    Cdgesd2d(grid, size, 1, data, size, 0, dest);
}

static void receive(int size, int source, double value)
{
    data[0] = data[size - 1] = 0;
    Cdgerv2d(grid, size, 1, data, size, 0, source);
    CHECK(data[0] == value && data[size - 1] == value);
}

static void early(const char *what)
{
    if (me == 1 && strcmp(what, "last") == 0)
        for (int i = 0; i < MESSAGES; i++)
            send(i % 3 ? SHORT : LONG, 0, i);
    if (me == 0) {
        if (strcmp(what, "last") == 0) {
            usleep(300000);
            for (int i = 0; i < MESSAGES; i++)
                receive(i % 3 ? SHORT : LONG, 1, i);
            fprintf(stderr, "all received\n");
        }
        if (strcmp(what, "collective") == 0)
            Cblacs_barrier(grid, "All");
        else
            receive(SHORT, 1, -1);
    }
    if (strcmp(what, "unstopped"))
        Cblacs_exit(1);
}

static void unreceived(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count; i++) {
            send(LONG, i, i);
            send(SHORT, i, i);
        }
    Cblacs_exit(1);
}

static void onesided(void)
{
    if (me == 0) {
        usleep(300000);
        for (int i = 1; i < count; i++)
            send(LONG, i, i);
    }
    Cblacs_exit(1);
}

/* One life after the other, each with messages to receive and others not; the odd
 * ones join late, when messages of the new life may have come already. */
static void again(void)
{
    int next = (me + 1) % count, before = (me + count - 1) % count, seen, all;
    for (int life = 0; life < 4; life++) {
        if ((me + life) % 2)
            usleep(20000);
        Cblacs_pinfo(&seen, &all);
        CHECK(seen == me && all == count);
        new_grid();
        send(LONG, next, 100 * life + me);
        send(SHORT, next, 100 * life + me + 0.5);
        send(LONG, before, -1); /* nobody receives it */
        receive(LONG, before, 100 * life + before);
        receive(SHORT, before, 100 * life + before + 0.5);
        Cblacs_exit(1);
    }
}

/* MPI_Finalize delivers what MPI_Bsend took, which needs its sender. */
static void buffered(void)
{
    enum { BYTES = LONG * (int)sizeof data[0] };
    void *room = malloc(BYTES + MPI_BSEND_OVERHEAD);
    if (me == 0) {
        data[LONG - 1] = 7;
        MPI_Buffer_attach(room, BYTES + MPI_BSEND_OVERHEAD);
        MPI_Bsend(data, LONG, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        usleep(300000);
        MPI_Recv(data, LONG, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(data[LONG - 1] == 7);
    }
    Cblacs_exit(1); /* the room is MPI's until MPI_Finalize has returned */
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    join();
    new_grid();
    Cblacs_barrier(grid, "All");
    if (strcmp(what, "unreceived") == 0)
        unreceived();
    else if (strcmp(what, "onesided") == 0 || strcmp(what, "barrier") == 0)
        onesided();
    else if (strcmp(what, "buffered") == 0)
        buffered();
    else if (strcmp(what, "again") == 0)
        again();
    else
        early(what);
    if (strcmp(what, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    CHECK(ob_job_stop(job, 1) == OB_OK);
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
