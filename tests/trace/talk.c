/*
 * A program whose trace is known beforehand. On a grid of 1 x P processes each one
 * sends ROUNDS messages to its right and receives as many from its left, takes part in a
 * broadcast along every topology, ROUNDS sums and a barrier, and ends three posted
 * receives in the wrong order. Then it ends as its argument says.
 *
 *   trace_talk exit|late|away|plain|term|kill|abort
 *     exit: blacs_exit; late: 2 s later; away: from another folder; plain: without;
 *     term, kill: process 1 by that signal; abort: process 1 calls blacs_abort
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        ob_irecv(group, (me + count - 1) % count, 5, &to, OB_EXACT, &got[i]);
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

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    int context;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    rounds(context);
    ob_trace_mark(7);
    ob_trace_text("half way");
    broadcasts(context);
    requests();
    Cblacs_barrier(context, "All");
    if (me == 1 && strcmp(how, "term") == 0)
        raise(SIGTERM);
    if (me == 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (me == 1 && strcmp(how, "abort") == 0)
        Cblacs_abort(context, 3);
    if (strcmp(how, "late") == 0)
        sleep(2);
    if (strcmp(how, "away") == 0 && chdir("/") != 0)
        return 1;
    if (strcmp(how, "exit") == 0 || strcmp(how, "late") == 0 || strcmp(how, "away") == 0)
        Cblacs_exit(0);
    else if (strcmp(how, "plain") != 0)
        sleep(5);
    return 0;
}
