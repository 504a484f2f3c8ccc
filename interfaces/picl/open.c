/*
 * open0, load0 and close0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picl.h"

static const double ENDING_SECONDS = 1; /* load0 waits so long for a node's last program */

/* ----------------------------------------------------------------- opening */

/* At the end of a program that says all is well. Of the nodes it has started the host finds out
 * itself. */
static void left_open(int status, void *unused)
{
    (void)unused;
    if (status != 0 || !picl_own.open || getpid() != picl_own.pid)
        return;
    if (picl_own.launch && ob_launch_running(picl_own.launch) == 0)
        return;
    if (picl_own.host || secure_getenv(PICL_NODE_VARIABLE) == NULL)
        picl_fault("exit", "OB-7013 the program ends without close0");
}

/* Only glibc tells the status with which the program ends. Elsewhere it counts as 0: a program that
 * ends in error without close0 is told so, too, and what the `main` of a node returns stays. */
#ifdef __GLIBC__
static int watch_open(void)
{
    return on_exit(left_open, NULL);
}

/* What the `main` of a node that has closed returns says nothing (that of old C is not even
 * told to return anything): no launcher is to end the job for it. */
static void forget_status(int status, void *unused)
{
    (void)unused;
    if (status == 0 || !picl_own.closed || getpid() != picl_own.pid)
        return;
    fflush(NULL);
    _exit(0);
}

/* What is registered before the program begins comes last. */
__attribute__((constructor)) static void watch_status(void)
{
    on_exit(forget_status, NULL);
}
#else
static void end_of_program(void)
{
    left_open(0, NULL);
}

static int watch_open(void)
{
    return atexit(end_of_program);
}
#endif

void open0(int *numproc, int *me, int *host)
{
    OB_TRACE_ROUTINE("open0");
    if (numproc == NULL || me == NULL || host == NULL)
        picl_fault("open0", "OB-1001 argument %d is NULL",
                   numproc == NULL ? 1
                   : me == NULL    ? 2
                                   : 3);
    if (picl_own.open)
        picl_fault("open0", "OB-7002 communication is open already: call close0 first");
    if (picl_own.closed)
        picl_fault("open0", "OB-7002 a node can open communication once");
    picl_idle_begin();
    if (!picl_own.joined)
        picl_join(numproc);
    else if (picl_own.host)
        picl_open_again(numproc);
    picl_own.open = 1;
    if (picl_own.pid == 0 && watch_open() == 0)
        picl_own.pid = getpid();
    if (!picl_own.host) {
        picl_put("open0", picl_own.control, 0, PICL_HELLO, NULL, 0);
        picl_send_early();
    }
    picl_idle_end(0, 1, PICL_OPEN, picl_own.host, (int64_t)picl_own.nodes);
    who0(numproc, me, host);
}

void who0(int *numproc, int *me, int *host)
{
    picl_need_open("who0");
    if (numproc == NULL || me == NULL || host == NULL)
        picl_fault("who0", "OB-1001 an argument is NULL");
    *numproc = picl_own.nodes;
    *me = picl_own.me;
    *host = PICL_HOST;
}

double clock0(void)
{
    return ob_time();
}

void check0(int checking)
{
    picl_own.checking = checking == 1;
}

/* ----------------------------------------------------------------- loading */

/* The first of these nodes whose program runs, or -1. */
static int running_node(int first, int last)
{
    for (int n = first; n <= last; n++)
        if (ob_launch_pid(picl_own.launch, picl_position(n)))
            return n;
    return -1;
}

/* On these nodes no program may run. One that is just ending is given a moment. */
static void need_free(int first, int last)
{
    double until = ob_time() + ENDING_SECONDS;
    int taken;
    picl_attend("load0", 0);
    while ((taken = running_node(first, last)) >= 0 && ob_time() < until)
        picl_attend("load0", 0.01);
    if (taken >= 0)
        picl_fault("load0",
                   "OB-7014 argument 2 (node) is %d, but the program on node %d still runs: load0 "
                   "when it has ended",
                   first == last ? first : PICL_ALL, taken);
}

static void start(char *file, int node)
{
    char *arguments[] = {file, NULL};
    ob_launch_program program = {.argv = arguments, .input = -1};
    picl_check("load0", ob_launch_start(picl_own.launch, picl_position(node), &program));
    picl_own.node[node] = (struct picl_node){.loaded = 1};
}

static void start_all(char *file, int first, int last)
{
    char text[32];
    if (picl_own.world == NULL)
        picl_make_groups("load0", picl_own.generation + 1);
    snprintf(text, sizeof text, "%d:%d", picl_own.nodes, picl_own.generation);
    setenv(PICL_NODE_VARIABLE, text, 1);
    for (int n = first; n <= last; n++)
        start(file, n);
    unsetenv(PICL_NODE_VARIABLE);
}

void load0(char *file, int node)
{
    if (picl_is_node())
        picl_fault("load0", "OB-7005 only the host may call it");
    picl_need_open("load0");
    if (file == NULL)
        picl_fault("load0", "OB-1001 argument 1 (file) is NULL");
    if (node < PICL_ALL || node >= picl_own.nodes)
        picl_fault("load0", "OB-1009 argument 2 (node) is %d, must be -1 .. %d", node,
                   picl_own.nodes - 1);
    picl_idle_begin();
    int first = node < 0 ? 0 : node, last = node < 0 ? picl_own.nodes - 1 : node;
    if (picl_own.launch) {
        need_free(first, last);
        start_all(file, first, last);
    }
    picl_idle_end(1, 2, PICL_LOAD, 1, (int64_t)node);
}

/* ----------------------------------------------------------------- closing */

static void node_close(void)
{
    ob_received got;
    picl_event(0, PICL_CLOSE, 0);
    picl_stats(1);
    picl_put("close0", picl_own.control, 0, PICL_CLOSING, NULL, 0);
    picl_get("close0", picl_own.control, 0, PICL_PROMPT, NULL, 0, &got);
    picl_trace_close();
    picl_put("close0", picl_own.control, 0, PICL_CLOSED, NULL, 0);
}

/* A program that was loaded need not be one of PICL. Is this one, which has ended, or opened? */
static int has_opened(int n)
{
    while (picl_own.launch && !picl_own.node[n].ended && !picl_said(n, PICL_HELLO))
        picl_attend("close0", 0.001);
    return !picl_own.launch || picl_said(n, PICL_HELLO);
}

/* Waits for the same word of all nodes that have been loaded. */
static void await_all(int word)
{
    ob_received got;
    for (int n = 0; n < picl_own.nodes; n++) {
        struct picl_node *node = &picl_own.node[n];
        if (node->closed || (picl_own.launch && !node->loaded) || !has_opened(n))
            continue;
        picl_get("close0", picl_own.control, picl_position(n), word, NULL, 0, &got);
        node->closing |= word == PICL_CLOSING;
        node->closed |= word == PICL_CLOSED;
    }
}

static void host_close(int release)
{
    ob_received got;
    picl_idle_begin();
    if (picl_own.world) {
        await_all(PICL_CLOSING);
        for (int n = 0; n < picl_own.nodes; n++)
            if (picl_own.node[n].closing && !picl_own.node[n].closed)
                picl_put("close0", picl_own.control, picl_position(n), PICL_PROMPT, NULL, 0);
        await_all(PICL_CLOSED);
        for (int n = 0; n < picl_own.nodes; n++)
            if (picl_said(n, PICL_HELLO))
                picl_get("close0", picl_own.control, picl_position(n), PICL_HELLO, NULL, 0, &got);
        picl_take_records();
    }
    picl_idle_end(0, 1, PICL_CLOSE, 0);
    /* Nobody of this generation communicates any more, though some may still run. */
    if (picl_own.launch) {
        picl_free_groups();
        memset(picl_own.node, 0, (size_t)picl_own.places * sizeof *picl_own.node);
    }
    if (picl_own.launch && release == 1)
        picl_release();
    picl_own.released = picl_own.launch && release == 1;
    picl_own.arranged = picl_own.used = 0;
}

void close0(int release)
{
    OB_TRACE_ROUTINE("close0");
    picl_need_open("close0");
    if (picl_own.host)
        host_close(release);
    else
        node_close();
    picl_own.open = 0;
    picl_own.closed = !picl_own.host;
    if (!picl_own.host || !picl_own.launch)
        picl_check("close0", ob_job_stop(picl_own.job, 1));
}
