/*
 * A program whose trace is known beforehand. On a grid of 1 x P processes each one
 * sends ROUNDS messages to its right and receives as many from its left, takes part in a
 * broadcast along every topology, ROUNDS sums and a barrier, and ends three posted
 * receives in the wrong order. Then it ends as its argument says.
 *
 *   trace_talk exit|late|away|plain|long|texts|levels|term|kill|abort|fail
 *     exit: blacs_exit; late: 2 s later; away: from another folder; plain: without; long:
 *     blacs_exit, after a message for all and ROUNDS long ones from each and ROUNDS long sums;
 * texts: blacs_exit, after 60 texts of 5000 bytes, 52 of which find room; levels: blacs_exit, after
 * a sum at level 0 and one at level 1; term, kill: process 1 by
 * that signal; abort: process 1 calls blacs_abort; fail: process 1 ends with status 3 trace_talk
 * apart|never FILE under obrun, or (trace_talk_openmpi, trace_talk_mpich) after MPI_Init; no
 * process talks to another one. apart: each joins when the one before has ended; never: the last
 * one does not join at all. FILE.0, FILE.1, ... are written
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TALK_MPI
#include <mpi.h>
#endif
#include <openblacs/blacs.h>
#include <openblacs/core.h>
#include <openblacs/trace.h>

enum { ROUNDS = 10, POSTED = 3 };

static int me, count;

static void rounds(int context)
{
    double x[8] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        Cdgesd2d(context, 2, 2, x, 4, 0, (me + 1) % count);
        Cdgerv2d(context, 2, 2, x, 4, 0, (me + count - 1) % count);
    }
    for (int i = 0; i < ROUNDS; i++)
        Cdgsum2d(context, "Row", " ", 3, 1, x, 3, -1, -1);
}

static void long_ones(int context)
{
    enum { LONG = 16384 };
    static double x[LONG];
    for (int i = 0; i < ROUNDS; i++) {
        Cdgesd2d(context, LONG, 1, x, LONG, 0, (me + 1) % count);
        Cdgerv2d(context, LONG, 1, x, LONG, 0, (me + count - 1) % count);
        Cdgsum2d(context, "All", " ", LONG, 1, x, LONG, -1, -1);
    }
}

/* Process 0 sends all others the same. */
static void one_for_many(void)
{
    ob_job *job;
    ob_group *group;
    int numbers[64], dests[64], in = 0, out = 13;
    for (int i = 0; i < count; i++)
        dests[i] = numbers[i] = i;
    ob_view from = {.base = &out, .m = 1, .n = 1, .ld = 1, .type = OB_INT}, to = from;
    to.base = &in;
    ob_job_start(&job);
    ob_group_create(job, numbers, count, &group);
    if (me == 0)
        ob_send_many(group, dests + 1, count - 1, 6, &from);
    else if (ob_recv(group, 0, 6, &to, NULL) != OB_OK || in != out)
        fputs("wrong message for many\n", stdout);
    ob_group_free(group);
}

static void long_texts(void)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < 60; i++)
        ob_trace_text(text);
}

/* Numbers that are no level change nothing. */
static void levels(int context)
{
    double x = 1;
    int before = ob_trace_level(0);
    Cdgsum2d(context, "All", " ", 1, 1, &x, 1, -1, -1);
    if (ob_trace_level(4) != 0 || ob_trace_level(-1) != 0 || ob_trace_level(1) != 0)
        fputs("wrong level\n", stdout);
    Cdgsum2d(context, "All", " ", 1, 1, &x, 1, -1, -1);
    if (ob_trace_level(before) != 1)
        fputs("wrong level\n", stdout);
}

static void broadcasts(int context)
{
    float x[4] = {1, 2, 3, 4};
    for (const char *top = " IDSMHFT"; *top; top++) {
        char letter[2] = {*top, 0};
        if (me == 0)
            Csgebs2d(context, "All", letter, 4, 1, x, 4);
        else
            Csgebr2d(context, "All", letter, 4, 1, x, 4, 0, 0);
    }
    Cblacs_barrier(context, "All");
}

static void requests(void)
{
    ob_job *job;
    ob_group *group;
    ob_request *sent[POSTED], *got[POSTED];
    int numbers[64], in[POSTED], out[POSTED] = {10, 11, 12};
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    ob_job_start(&job);
    ob_group_create(job, numbers, count, &group);
    for (int i = 0; i < POSTED; i++) {
        ob_view to = {.base = &in[i], .m = 1, .n = 1, .ld = 1, .type = OB_INT};
        /* Of one the sender is known only when it has come. */
        int source = i == 1 ? OB_ANY : (me + count - 1) % count;
        ob_irecv(group, source, 5, &to, OB_EXACT, &got[i]);
    }
    ob_barrier(group);
    for (int i = 0; i < POSTED; i++) {
        ob_view from = {.base = &out[i], .m = 1, .n = 1, .ld = 1, .type = OB_INT};
        ob_isend(group, (me + 1) % count, 5, &from, OB_SYNCHRONOUS, &sent[i]);
    }
    for (int i = POSTED - 1; i >= 0; i--)
        if (ob_wait(&got[i], NULL) != OB_OK || in[i] != out[i])
            printf("wrong message %d\n", i);
    ob_wait_all(POSTED, sent, NULL);
    ob_group_free(group);
}

/* One that its launcher has not waited for yet has a number still, but no program. */
static bool runs(int pid)
{
    char name[64], program[8];
    snprintf(name, sizeof name, "/proc/%d/exe", pid);
    return readlink(name, program, sizeof program) > 0;
}

/* Waits until process `number` has written its process number and is no more. */
static void wait_for_end(const char *file, int number)
{
    char name[4096];
    int pid = 0;
    snprintf(name, sizeof name, "%s.%d", file, number);
    while (pid == 0 || runs(pid)) {
        FILE *f = fopen(name, "r");
        if (f && fscanf(f, "%d.", &pid) != 1)
            pid = 0;
        if (f)
            fclose(f);
        usleep(1000);
    }
}

static void write_pid(const char *file, int number)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file, number);
    FILE *f = fopen(name, "w");
    if (f)
        fprintf(f, "%d.", (int)getpid());
    if (f == NULL || fclose(f) != 0)
        exit(1);
}

#ifdef TALK_MPI
static int own_number(void)
{
    int number;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
}
#else
static int own_number(void)
{
    return atoi(strchr(getenv("OPENBLACS_JOB"), ':') + 1);
}
#endif

static int alone(const char *how, const char *file)
{
    int number = own_number(), context;
    bool never = strcmp(how, "never") == 0;
    if (!never && number)
        wait_for_end(file, number - 1);
    if (never && number == 2)
        wait_for_end(file, 1);
    if (!never || number != 2) {
        double x = 0;
        Cblacs_pinfo(&me, &count);
        Cblacs_get(-1, 0, &context);
        Cblacs_gridmap(&context, &me, 1, 1, 1);
        Cdgsum2d(context, "All", " ", 1, 1, &x, 1, -1, -1);
        Cblacs_exit(1);
    }
    write_pid(file, number);
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    int context;
    if (argc > 2)
        return alone(how, argv[2]);
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    rounds(context);
    ob_trace_mark(7);
    ob_trace_text("half way");
    ob_trace_did("no name comes before");
    broadcasts(context);
    ob_trace_did("to many");
    requests();
    ob_trace_did(NULL);
    if (strcmp(how, "long") == 0) {
        one_for_many();
        long_ones(context);
    }
    if (strcmp(how, "texts") == 0)
        long_texts();
    if (strcmp(how, "levels") == 0)
        levels(context);
    Cblacs_barrier(context, "All");
    if (me == 1 && strcmp(how, "term") == 0)
        raise(SIGTERM);
    if (me == 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (me == 1 && strcmp(how, "abort") == 0)
        Cblacs_abort(context, 3);
    if (me == 1 && strcmp(how, "fail") == 0)
        exit(3);
    if (strcmp(how, "late") == 0)
        sleep(2);
    if (strcmp(how, "away") == 0 && chdir("/") != 0)
        return 1;
    if (strcmp(how, "exit") == 0 || strcmp(how, "late") == 0 || strcmp(how, "away") == 0 ||
        strcmp(how, "long") == 0 || strcmp(how, "texts") == 0 || strcmp(how, "levels") == 0)
        Cblacs_exit(0);
    else if (strcmp(how, "plain") != 0)
        sleep(5);
    return 0;
}
