/*
 * Groups, and how their members agree on a context number without a message:
 * the k-th group a process makes of one list of members gets a number mixed
 * from the list and k. All members count alike, since they make groups of equal lists in the
 * same order. (With OPENBLACS_LISTS some lists are not counted: contexts.c.)
 */
#include "core/group.h"
#include "check/check.h"
#include "hooks/collective.h"
#include "hooks/system.h"

#include <stdlib.h>

#include "core/error.h"
#include "group/contexts.h"
#include "hooks/hash.h"
#include "message/message.h"
#include "message/together.h"
#include "trace/trace.h"
#include "transport/mpi/mpi_job.h"

/* The first entry of the list, all of them 0 .. below-1, that stands there
 * twice; -1: none; -2: no memory to find out. */
static int named_twice(const int *list, int size, int below)
{
    char *seen = calloc((size_t)below, 1);
    int twice = seen ? -1 : -2;
    for (int i = 0; twice == -1 && i < size; i++)
        if (seen[list[i]]++)
            twice = list[i];
    free(seen);
    return twice;
}

static int check_twice(const char *routine, const char *what, const int *list, int size, int below)
{
    int twice = named_twice(list, size, below);
    if (twice == -2)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for a group of %d", routine, size);
    if (twice >= 0)
        return ob_fail(OB_EARG, "OB-1014 %s: %s %d is named twice", routine, what, twice);
    return OB_OK;
}

static int check_list(const ob_job *job, const int *numbers, int size, int *me)
{
    *me = -1;
    for (int i = 0; i < size; i++) {
        if (numbers[i] < 0 || numbers[i] >= job->count)
            return ob_fail(OB_EARG, "OB-1009 ob_group_create: process %d is outside the job of %d",
                           numbers[i], job->count);
        if (numbers[i] == job->number)
            *me = i;
    }
    if (*me < 0)
        return ob_fail(OB_EARG,
                       "OB-1015 ob_group_create: the calling process %d is not in the list",
                       job->number);
    return check_twice("ob_group_create", "process", numbers, size, job->count);
}

static ob_group *new_group(ob_job *job, int size)
{
    ob_group *g = calloc(1, sizeof *g + (size_t)size * sizeof(ob_peer *));
    if (g) {
        g->job = job;
        g->size = size;
        g->rows = 1;
        g->columns = size;
        g->peer = (ob_peer **)(g + 1);
    }
    return g;
}

/* Numbers nodes anew in the order they come; what that says of the group. */
static int set_nodes(ob_group *g, int *node, int below)
{
    int *new = malloc((size_t)below * sizeof *new);
    if (new == NULL) {
        free(node);
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a group of %d", g->size);
    }
    for (int i = 0; i < below; i++)
        new[i] = -1;
    for (int i = 0; i < g->size; i++) {
        if (new[node[i]] < 0)
            new[node[i]] = g->nodes++;
        node[i] = new[node[i]];
    }
    free(new);
    if (g->nodes == 1) {
        g->one_node = true;
        free(node);
        node = NULL;
    }
    g->node = node;
    return OB_OK;
}

/* numbers: of the members in the job. */
static int find_nodes(ob_group *g, const int *numbers)
{
    if (g->job->mpi == NULL || g->one_node)
        return OB_OK;
    int *node = malloc((size_t)g->size * sizeof *node);
    if (node == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_create: no memory for a group of %d", g->size);
    if (ob_mpi_nodes(g->job, numbers, g->size, node))
        return set_nodes(g, node, g->job->count);
    free(node);
    return OB_OK;
}

/* What is known of the network between the members' nodes, and how they lie in it. */
static int find_network(ob_group *g)
{
    if (g->job->mpi == NULL || g->one_node || g->size == 1)
        return OB_OK;
    int *number = malloc(2 * (size_t)g->size * sizeof *number), *node = number + g->size;
    if (number == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a group of %d", g->size);
    for (int i = 0; i < g->size; i++)
        number[i] = g->peer[i]->number;
    g->network = ob_mpi_network(g->job, number, g->size, node);
    if (g->network)
        ob_network_shape_of(g->network, node, g->size, &g->rows, &g->columns, &g->links_shared);
    free(number);
    return OB_OK;
}

/* Of some members of parent's. */
static int part_nodes(ob_group *g, const ob_group *parent, const int *positions)
{
    if (parent->node == NULL)
        return OB_OK;
    int *node = malloc((size_t)g->size * sizeof *node);
    if (node == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_part: no memory for a group of %d", g->size);
    for (int i = 0; i < g->size; i++)
        node[i] = parent->node[positions[i]];
    return set_nodes(g, node, parent->nodes);
}

/* Hang finding cannot look while we are in the MPI library; what it does is not known, so all of it
 * is a wait. */
static int meet(ob_job *job, const int *numbers, int size)
{
    if (ob_mpi_have_met(job, numbers, size))
        return OB_OK;
    if (ob_check_now)
        ob_check_meets(job, numbers, size);
    int64_t since = OB_TRACING ? ob_clock_begin() : 0;
    int status = ob_mpi_meet(job, numbers, size);
    if (OB_TRACING)
        ob_trace_waited(NULL, OB_ANY, since);
    if (ob_check_now)
        ob_check_has_met();
    return status;
}

/* key NULL: the next group of this list. */
static int create(ob_job *job, const int *numbers, int size, const uint64_t *key, ob_group **group)
{
    int me;
    if (job == NULL || numbers == NULL || group == NULL || size < 1)
        return ob_fail(OB_EARG, "OB-1001 ob_group_create: needs a job and at least one process");
    int status = check_list(job, numbers, size, &me);
    if (status == OB_OK && job->mpi)
        status = meet(job, numbers, size);
    if (status != OB_OK)
        return status;
    ob_group *g = new_group(job, size);
    if (g == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_create: no memory for a group of %d", size);
    g->me = me;
    g->one_node = job->mpi ? ob_mpi_one_node(job, numbers, size) : true;
    for (int i = 0; i < size; i++)
        if ((g->peer[i] = ob_job_peer(job, numbers[i])) == NULL) {
            free(g);
            return OB_ESYSTEM;
        }
    status = find_nodes(g, numbers);
    if (status == OB_OK)
        status = find_network(g);
    if (status == OB_OK && key)
        g->context = ob_contexts_of_key(numbers, size, *key);
    else if (status == OB_OK)
        status = ob_contexts_next(g, numbers);
    if (status != OB_OK) {
        free(g->node);
        free(g);
        return status;
    }
    atomic_fetch_add(&job->groups, 1);
    *group = g;
    return OB_OK;
}

static int create_traced(ob_job *job, const int *numbers, int size, const uint64_t *key,
                         ob_group **group)
{
    if (OB_TOGETHER)
        ob_together_settle(); /* they may wait for each other */
    if (!OB_TRACING)
        return create(job, numbers, size, key, group);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = create(job, numbers, size, key, group);
    if (status == OB_OK)
        ob_trace_group(*group);
    ob_trace_end(&span, &(ob_trace_what){.kind = OB_TRACE_GROUP,
                                         .group = status == OB_OK ? *group : NULL,
                                         .routine = "ob_group_create",
                                         .position = OB_ANY,
                                         .status = status});
    return status;
}

int ob_group_create(ob_job *job, const int *numbers, int size, ob_group **group)
{
    return create_traced(job, numbers, size, NULL, group);
}

int ob_group_create_as(ob_job *job, const int *numbers, int size, uint64_t key, ob_group **group)
{
    return create_traced(job, numbers, size, &key, group);
}

static int check_part(const ob_group *parent, int stream, const int *positions, int size, int *me)
{
    *me = -1;
    if (stream < 1 || stream > 255)
        return ob_fail(OB_EARG, "OB-1028 ob_group_part: stream %d is outside 1 .. 255", stream);
    if (stream == parent->stream)
        return ob_fail(OB_EARG, "OB-1028 ob_group_part: stream %d is the parent's own", stream);
    for (int i = 0; i < size; i++) {
        if (positions[i] < 0 || positions[i] >= parent->size)
            return ob_fail(OB_EARG, "OB-1009 ob_group_part: position %d is outside the group of %d",
                           positions[i], parent->size);
        if (positions[i] == parent->me)
            *me = i;
    }
    if (*me < 0)
        return ob_fail(OB_EARG, "OB-1015 ob_group_part: the calling process is not in the list");
    return check_twice("ob_group_part", "position", positions, size, parent->size);
}

int ob_group_part(ob_group *parent, int stream, const int *positions, int size, ob_group **group)
{
    int me;
    if (parent == NULL || positions == NULL || group == NULL || size < 1)
        return ob_fail(OB_EARG, "OB-1001 ob_group_part: needs a group and at least one member");
    int status = check_part(parent, stream, positions, size, &me);
    if (status != OB_OK)
        return status;
    ob_group *g = new_group(parent->job, size);
    if (g == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_part: no memory for a group of %d", size);
    g->context = parent->context;
    g->one_node = parent->one_node;
    g->stream = (uint8_t)stream;
    g->me = me;
    for (int i = 0; i < size; i++)
        g->peer[i] = parent->peer[positions[i]];
    status = part_nodes(g, parent, positions);
    if (status == OB_OK)
        status = find_network(g);
    if (status != OB_OK) {
        free(g->node);
        free(g);
        return status;
    }
    if (OB_TRACING)
        ob_trace_group(g);
    *group = g;
    return OB_OK;
}

ob_group *ob_group_level(ob_group *parent, int level, const int *positions, int size, int me)
{
    ob_group *g = new_group(parent->job, size);
    if (g == NULL)
        return NULL;
    g->context =
        ob_mix(parent->context + ((uint64_t)parent->stream << 8 | (unsigned)level) * OB_GOLDEN);
    g->stream = 1; /* not a group of the user's */
    g->me = me;
    for (int i = 0; i < size; i++)
        g->peer[i] = parent->peer[positions[i]];
    if (parent->network && find_network(g) != OB_OK) {
        free(g);
        return NULL;
    }
    if (OB_TRACING)
        ob_trace_group(g);
    return g;
}

static void free_levels(ob_levels *l)
{
    if (l == NULL)
        return;
    ob_group_free(l->local);
    ob_group_free(l->leaders);
    ob_group_free(l->across);
    free(l);
}

static void free_natives(ob_natives *n)
{
    for (ob_natives *next; n; n = next) {
        next = n->next;
        if (n->circle)
            n->native->leave(n->circle);
        free(n);
    }
}

void ob_group_free(ob_group *g)
{
    if (g == NULL)
        return;
    free_levels(g->levels);
    if (g->tiers)
        ob_group_free(g->tiers->order);
    free(g->tiers);
    if (g->board)
        g->job->hooks->close_board(g);
    free_natives(g->natives);
    free(g->chosen);
    free(g->node);
    ob_message_forget(g->job, g->context, g->stream);
    if (g->stream == 0)
        atomic_fetch_sub(&g->job->groups, 1);
    free(g);
}

int ob_group_shape(ob_group *g, int rows, int columns, int links_shared)
{
    if (g == NULL || rows < 1 || columns < 1 || (long long)rows * columns != g->size)
        return ob_fail(OB_EARG,
                       "OB-1011 ob_group_shape: %d x %d members are no mesh of a group of %d", rows,
                       columns, g ? g->size : 0);
    if (links_shared < 0 || links_shared > 2)
        return ob_fail(OB_EARG, "OB-1023 ob_group_shape: links_shared is %d, must be 0, 1 or 2",
                       links_shared);
    free(g->chosen);
    g->chosen = NULL;
    if (links_shared == 0 && g->network && find_network(g) == OB_OK && g->links_shared)
        return OB_OK; /* that is better known */
    g->rows = rows;
    g->columns = columns;
    g->links_shared = links_shared;
    g->shape_told = true;
    return OB_OK;
}

int ob_group_nodes(const ob_group *g, int *node)
{
    for (int i = 0; i < g->size; i++)
        node[i] = g->node ? g->node[i] : 0;
    return g->node ? g->nodes : 1;
}
