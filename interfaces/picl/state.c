/*
 * Who this process is and how it came to be: the host that was started plainly and
 * starts its nodes itself, or a process of a job whose process 0 is the host.
 *
 * A host that starts nodes takes place 0 of a launch, node n place n + 1, whatever runs
 * there. What the host loads between open0 and close0 is a generation: its programs talk with the
 * host and with each other. The next generation has groups of its own, so that it
 * meets no messages of the last, whose programs may still run, but not communicate.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picl.h"

enum { MOST_NODES = 1024 };

static const double ENDING_SECONDS = 1; /* load0 waits so long for a node's last program */
/* What load0 tells a node: nodes and generation. */
static const char node_variable[] = "OPENBLACS_PICL";

picl_state picl_own = {
    .checking = 1, .type = -1, .source = -1, .top = PICL_HYPERCUBE, .direction = PICL_FORWARD};

/* ------------------------------------------------------------------- errors */

/* The number that a launcher has given, before the job is joined; 0: the host's. */
static int number_given(void)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *job = getenv("OPENBLACS_JOB"), *number = job ? strchr(job, ':') : NULL;
    if (number)
        return atoi(number + 1);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (getenv(marks[i]))
            return atoi(getenv(marks[i]));
    return 0;
}

static int started_by_launcher(void)
{
    static const char *const marks[] = {"OPENBLACS_JOB", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                        "PMI_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (getenv(marks[i]))
            return 1;
    return 0;
}

int picl_is_node(void)
{
    return picl_own.joined ? !picl_own.host : number_given() > 0;
}

static void place(char *text, size_t size)
{
    if (picl_is_node())
        snprintf(text, size, "node %d", picl_own.joined ? picl_own.me : number_given() - 1);
    else if (picl_own.joined)
        snprintf(text, size, "the host (number %d)", PICL_HOST);
    else
        snprintf(text, size, "the host");
}

/* The whole line, unless the file cannot take it: then -1. */
static int put_line(int to, const char *line, size_t length)
{
    while (length) {
        ssize_t n = write(to, line, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        line += n;
        length -= (size_t)n;
    }
    return 0;
}

int picl_print(const char *line)
{
    fflush(stdout);
    return put_line(1, line, strlen(line));
}

/* On the host's standard output, as the manual says (2.1): a node's goes there, too. */
static void say(const char *routine, const char *format, va_list args)
{
    char text[1024], where[64], caller[256], line[1400];
    vsnprintf(text, sizeof text, format, args);
    place(where, sizeof where);
    int length = snprintf(line, sizeof line, "OpenBLACS: %s: %s; %s%s\n", routine, text, where,
                          ob_check_caller(caller, sizeof caller));
    if (picl_print(line) != 0)
        put_line(2, line, (size_t)length);
}

void picl_warn(const char *routine, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(routine, format, args);
    va_end(args);
}

_Noreturn void picl_fault(const char *routine, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(routine, format, args);
    va_end(args);
    picl_own.closed = 0;
    /* Of a process that ends before it has joined MPICH's launcher takes no notice. */
    if (picl_own.job == NULL && started_by_launcher())
        ob_job_start(&picl_own.job);
    if (picl_own.launch) {
        ob_launch_close(picl_own.launch);
        picl_own.launch = NULL;
    }
    if (picl_own.job)
        ob_job_abort(picl_own.job, 1);
    _exit(1);
}

void picl_check(const char *routine, int status)
{
    if (status != OB_OK)
        picl_fault(routine, "%s", ob_error_text());
}

void picl_need_open(const char *routine)
{
    if (!picl_own.open)
        picl_fault(routine, "communication is not open: call open0 first");
}

/* -------------------------------------------------------- the nodes of a host */

static void pass_output(void *context, int number, int stream, const char *bytes, size_t count)
{
    (void)context;
    (void)number;
    FILE *to = stream == 1 ? stdout : stderr;
    fwrite(bytes, 1, count, to);
    fflush(to);
}

/* Is a node's word here that nobody has received? */
static int said(int n, int word)
{
    int there = 0;
    return ob_iprobe(picl_own.control, picl_position(n), word, &there, NULL) == OB_OK && there;
}

static void note_end(const char *routine, const ob_launch_event *e)
{
    int n = e->number - 1, by, code;
    struct picl_node *node = &picl_own.node[n];
    node->ended = node->loaded; /* else it was one of an earlier generation */
    if (ob_launch_aborted(picl_own.launch, &by, &code)) {
        /* It has said why. */
        ob_launch_close(picl_own.launch);
        _exit(code ? code : 1);
    }
    if (e->signal)
        picl_fault(routine, "node %d was ended by signal %d (%s)", n, e->signal,
                   ob_launch_signal_name(e->signal));
    /* After close0 its work is done, whatever `main` returns. */
    if (e->status && node->loaded && !node->closed && !said(n, PICL_CLOSED))
        picl_fault(routine, "the program on node %d ended with status %d", n, e->status);
    if (node->loaded && said(n, PICL_HELLO) && !node->closing && !said(n, PICL_CLOSING))
        picl_fault(routine, "the program on node %d has ended without close0", n);
}

void picl_attend(const char *routine, double seconds)
{
    ob_launch_event e;
    int ended;
    if (picl_own.launch == NULL)
        return;
    while ((ended = ob_launch_wait(picl_own.launch, seconds, &e)) == 1) {
        note_end(routine, &e);
        seconds = 0;
    }
    picl_check(routine, ended);
}

void picl_release(void)
{
    while (ob_launch_busy(picl_own.launch))
        picl_attend("close0", 0.01);
}

static void make_launch(int nodes)
{
    ob_launch_options options = {.count = 1 + nodes, .output = pass_output};
    picl_check("open0", ob_launch_open(&picl_own.launch, &options));
    picl_check("open0", ob_launch_join(picl_own.launch, 0));
    picl_own.places = nodes;
    picl_own.node = calloc((size_t)nodes, sizeof *picl_own.node);
    if (picl_own.node == NULL)
        picl_fault("open0", "no memory for %d nodes", nodes);
}

/* --------------------------------------------------------------- the groups */

static void free_groups(void)
{
    ob_group_free(picl_own.control);
    ob_group_free(picl_own.inner);
    ob_group_free(picl_own.world);
    picl_own.world = picl_own.inner = picl_own.control = NULL;
}

/* The host and all places. Groups of one list differ by how many were made before, so every
 * process of a generation has to have made as many. */
static void make_groups(const char *routine, int generation)
{
    int count = picl_own.places + 1, *numbers = malloc((size_t)count * sizeof *numbers);
    if (numbers == NULL)
        picl_fault(routine, "no memory for %d nodes", picl_own.places);
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    do {
        free_groups();
        picl_check(routine, ob_group_create(picl_own.job, numbers, count, &picl_own.world));
    } while (++picl_own.generation < generation);
    picl_check(routine, ob_group_part(picl_own.world, 1, numbers, count, &picl_own.inner));
    picl_check(routine, ob_group_part(picl_own.world, 2, numbers, count, &picl_own.control));
    free(numbers);
}

/* ---------------------------------------------------------------- joining */

/* In a job: process 0 is the host. In a job that a host made load0 has said how many of the
 * others are nodes now. */
static void join_job(const int *wanted)
{
    int generation = 1;
    picl_check("open0", ob_job_start(&picl_own.job));
    int number = ob_job_number(picl_own.job), all = ob_job_count(picl_own.job) - 1;
    const char *told = getenv(node_variable);
    picl_own.joined = 1;
    picl_own.host = number == 0;
    picl_own.nodes = picl_own.places = all;
    if (told && sscanf(told, "%d:%d", &picl_own.nodes, &generation) != 2)
        picl_own.nodes = 0;
    if (picl_own.nodes < 1 || picl_own.nodes > all)
        picl_fault("open0", "there are no nodes: start one process for the host and one for each "
                            "node");
    picl_own.me = picl_own.host ? PICL_HOST : number - 1;
    if (picl_own.host && *wanted > 0 && *wanted != all)
        picl_fault("open0", "argument 1 (numproc) asks for %d nodes, but %d were started; give 0 "
                            "or %d",
                   *wanted, all, all);
    make_groups("open0", generation);
    if (picl_own.host && (picl_own.node = calloc((size_t)all, sizeof *picl_own.node)) == NULL)
        picl_fault("open0", "no memory for %d nodes", all);
}

static void join_as_plain_host(const int *wanted)
{
    int nodes = *wanted > 0 ? *wanted : ob_launch_processors();
    picl_own.host = 1;
    picl_own.me = PICL_HOST;
    if (nodes > MOST_NODES)
        picl_fault("open0", "argument 1 (numproc) is %d, must be at most %d", nodes, MOST_NODES);
    make_launch(nodes);
    picl_check("open0", ob_job_start(&picl_own.job));
    picl_own.joined = 1;
    picl_own.nodes = nodes;
}

void picl_join(const int *wanted)
{
    if (started_by_launcher())
        join_job(wanted);
    else
        join_as_plain_host(wanted);
}

/* The nodes of the last set are gone, so their job is left for a larger one. */
static void enlarge(const int *wanted)
{
    picl_check("open0", ob_job_leave(picl_own.job));
    ob_launch_close(picl_own.launch);
    free(picl_own.node);
    picl_own.joined = picl_own.generation = 0;
    join_as_plain_host(wanted);
}

/* The host opens again. */
static void open_again(const int *wanted)
{
    if (*wanted > picl_own.places && picl_own.released) {
        enlarge(wanted);
        return;
    }
    if (picl_own.launch == NULL)
        picl_fault("open0", "the nodes of a launcher can open communication once, and so can the "
                            "host; one that is started plainly loads nodes again");
    if (*wanted > picl_own.places)
        picl_fault("open0", "argument 1 (numproc) asks for %d nodes; there are %d since the last "
                            "set was made, give 0 or at most %d, or close0 with 1 before",
                   *wanted, picl_own.places, picl_own.places);
    if (*wanted > 0)
        picl_own.nodes = *wanted;
}

/* At the end of a program that says all is well. Of the nodes it has started the host finds out
 * itself. */
static void left_open(int status, void *unused)
{
    (void)unused;
    if (status != 0 || !picl_own.open || getpid() != picl_own.pid)
        return;
    if (picl_own.launch && ob_launch_running(picl_own.launch) == 0)
        return;
    if (picl_own.host || getenv(node_variable) == NULL)
        picl_fault("exit", "the program ends without close0");
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

void open0(int *numproc, int *me, int *host)
{
    OB_TRACE_ROUTINE("open0");
    if (numproc == NULL || me == NULL || host == NULL)
        picl_fault("open0", "argument %d is NULL", numproc == NULL ? 1 : me == NULL ? 2 : 3);
    if (picl_own.open)
        picl_fault("open0", "communication is open already: call close0 first");
    if (picl_own.closed)
        picl_fault("open0", "a node can open communication once");
    picl_idle_begin();
    if (!picl_own.joined)
        picl_join(numproc);
    else if (picl_own.host)
        open_again(numproc);
    picl_own.open = 1;
    if (picl_own.pid == 0 && on_exit(left_open, NULL) == 0)
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
        picl_fault("who0", "an argument is NULL");
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
        picl_fault("load0", "argument 2 (node) is %d, but the program on node %d still runs: load0 "
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
        make_groups("load0", picl_own.generation + 1);
    snprintf(text, sizeof text, "%d:%d", picl_own.nodes, picl_own.generation);
    setenv(node_variable, text, 1);
    for (int n = first; n <= last; n++)
        start(file, n);
    unsetenv(node_variable);
}

void load0(char *file, int node)
{
    if (picl_is_node())
        picl_fault("load0", "only the host may call it");
    picl_need_open("load0");
    if (file == NULL)
        picl_fault("load0", "argument 1 (file) is NULL");
    if (node < PICL_ALL || node >= picl_own.nodes)
        picl_fault("load0", "argument 2 (node) is %d, must be -1 .. %d", node, picl_own.nodes - 1);
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
    while (picl_own.launch && !picl_own.node[n].ended && !said(n, PICL_HELLO))
        picl_attend("close0", 0.001);
    return !picl_own.launch || said(n, PICL_HELLO);
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
            if (said(n, PICL_HELLO))
                picl_get("close0", picl_own.control, picl_position(n), PICL_HELLO, NULL, 0, &got);
        picl_take_records();
    }
    picl_idle_end(0, 1, PICL_CLOSE, 0);
    /* Nobody of this generation communicates any more, though some may still run. */
    if (picl_own.launch) {
        free_groups();
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
