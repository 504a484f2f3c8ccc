/*
 * The nodes of a host, and how this process came to be one of them: the host that was started
 * plainly and starts its nodes itself, or a process of a job whose process 0 is the host.
 *
 * A host that starts nodes takes place 0 of a launch, node n place n + 1, whatever runs
 * there. What the host loads between open0 and close0 is a generation: its programs talk with the
 * host and with each other. The next generation has groups of its own, so that it
 * meets no messages of the last, whose programs may still run, but not communicate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hooks/system.h"
#include "picl.h"

enum { MOST_NODES = 1024 };

/* -------------------------------------------------------- the nodes of a host */

static void pass_output(void *context, int number, int stream, const char *bytes, size_t count)
{
    (void)context;
    (void)number;
    FILE *to = stream == 1 ? stdout : stderr;
    fwrite(bytes, 1, count, to);
    fflush(to);
}

int picl_said(int n, int word)
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
        picl_fault(routine, "OB-7006 node %d was ended by signal %d (%s)", n, e->signal,
                   ob_launch_signal_name(e->signal));
    /* After close0 its work is done, whatever `main` returns. */
    if (e->status && node->loaded && !node->closed && !picl_said(n, PICL_CLOSED))
        picl_fault(routine, "OB-7006 the program on node %d ended with status %d", n, e->status);
    if (node->loaded && picl_said(n, PICL_HELLO) && !node->closing && !picl_said(n, PICL_CLOSING))
        picl_fault(routine, "OB-7013 the program on node %d has ended without close0", n);
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
        picl_fault("open0", "OB-4001 no memory for %d nodes", nodes);
}

/* --------------------------------------------------------------- the groups */

void picl_free_groups(void)
{
    ob_group_free(picl_own.control);
    ob_group_free(picl_own.inner);
    ob_group_free(picl_own.world);
    picl_own.world = picl_own.inner = picl_own.control = NULL;
}

/* The host and all places. The generation is the number of the group, since places that are empty
 * now are filled later, and nobody there takes part before. */
void picl_make_groups(const char *routine, int generation)
{
    int count = picl_own.places + 1, *numbers = malloc((size_t)count * sizeof *numbers);
    if (numbers == NULL)
        picl_fault(routine, "OB-4001 no memory for %d nodes", picl_own.places);
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    picl_free_groups();
    picl_own.generation = generation;
    picl_check(routine, ob_group_create_as(picl_own.job, numbers, count, (uint64_t)generation,
                                           &picl_own.world));
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
    const char *told = secure_getenv(PICL_NODE_VARIABLE);
    picl_own.joined = 1;
    picl_own.host = number == 0;
    picl_own.nodes = picl_own.places = all;
    if (told && sscanf(told, "%d:%d", &picl_own.nodes, &generation) != 2)
        picl_own.nodes = 0;
    if (picl_own.nodes < 1 || picl_own.nodes > all)
        picl_fault("open0",
                   "OB-7003 there are no nodes: start one process for the host and one for each "
                   "node");
    picl_own.me = picl_own.host ? PICL_HOST : number - 1;
    if (picl_own.host && *wanted > 0 && *wanted != all)
        picl_fault("open0",
                   "OB-7010 argument 1 (numproc) asks for %d nodes, but %d were started; give 0 "
                   "or %d",
                   *wanted, all, all);
    picl_make_groups("open0", generation);
    if (picl_own.host && (picl_own.node = calloc((size_t)all, sizeof *picl_own.node)) == NULL)
        picl_fault("open0", "OB-4001 no memory for %d nodes", all);
}

static void join_as_plain_host(const int *wanted)
{
    int nodes = *wanted > 0 ? *wanted : ob_launch_processors();
    picl_own.host = 1;
    picl_own.me = PICL_HOST;
    if (nodes > MOST_NODES)
        picl_fault("open0", "OB-7010 argument 1 (numproc) is %d, must be at most %d", nodes,
                   MOST_NODES);
    make_launch(nodes);
    picl_check("open0", ob_job_start(&picl_own.job));
    picl_own.joined = 1;
    picl_own.nodes = nodes;
}

void picl_join(const int *wanted)
{
    if (picl_is_launched())
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

void picl_open_again(const int *wanted)
{
    if (*wanted > picl_own.places && picl_own.released) {
        enlarge(wanted);
        return;
    }
    if (picl_own.launch == NULL)
        picl_fault("open0",
                   "OB-7002 the nodes of a launcher can open communication once, and so can the "
                   "host; one that is started plainly loads nodes again");
    if (*wanted > picl_own.places)
        picl_fault("open0",
                   "OB-7010 argument 1 (numproc) asks for %d nodes; there are %d since the last "
                   "set was made, give 0 or at most %d, or close0 with 1 before",
                   *wanted, picl_own.places, picl_own.places);
    if (*wanted > 0)
        picl_own.nodes = *wanted;
}
