/*
 * The whole machine, its rows and columns, and the groups a program makes. The job
 * is joined at the first call and left when the process exits. No name of a program's is here: this
 * file is the one that both sets of routines need.
 */
#include "machine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/handles.h"
#include "hooks/together.h"

enum { ROW_STREAM = 1, COLUMN_STREAM = 2, FIRST_OWN = 3 };

/* The job is stored (release) behind its first mesh: who loads it (acquire) has both, without the
 * lock. */
static struct {
    _Atomic(ob_job *) job;
    pthread_mutex_t lock; /* held by all that change what follows */
    ob_handles groups;
    int rows, columns;
} machine = {.lock = PTHREAD_MUTEX_INITIALIZER, .groups.lowest = FIRST_OWN};

/* ----------------------------------------------------------------- handles */

static ob_group *find(int64_t group)
{
    return ob_handle_find(&machine.groups, group);
}

/* With the lock. */
static void put(const icc_call *call, int handle, ob_group *group)
{
    if (!ob_handle_put(&machine.groups, handle, group))
        icc_fault(call, "OB-4001 no memory for more groups");
}

/* ------------------------------------------------------------------- mesh */

static ob_group *make_all(const icc_call *call, ob_job *job)
{
    ob_group *all = NULL;
    int *numbers = NULL, size = 0;
    icc_check(call, ob_system_group(job, ob_system_world(job), &numbers, &size));
    icc_check(call, ob_group_create(job, numbers, size, &all));
    free(numbers);
    return all;
}

/* The members at first, first + step, ... of `all`. */
static ob_group *make_line(const icc_call *call, ob_group *all, int stream, int first, int step,
                           int size)
{
    ob_group *line = NULL;
    int *positions = malloc((size_t)size * sizeof *positions);
    if (positions == NULL)
        icc_fault(call, "OB-4001 no memory for a line of %d processes", size);
    for (int i = 0; i < size; i++)
        positions[i] = first + i * step;
    icc_check(call, ob_group_part(all, stream, positions, size, &line));
    free(positions);
    return line;
}

/* With the lock. Messages of the old mesh cannot be taken for those of the new one:
 * its groups are parts of a new group of all. */
static void set_mesh(const icc_call *call, ob_job *job, int rows, int columns)
{
    ob_group *old[] = {find(iCC_ROW), find(iCC_COLUMN), find(iCC_ALL)};
    ob_group *all = make_all(call, job);
    int me = ob_group_me(all);
    machine.rows = rows;
    machine.columns = columns;
    put(call, iCC_ROW, make_line(call, all, ROW_STREAM, me / columns * columns, 1, columns));
    put(call, iCC_COLUMN, make_line(call, all, COLUMN_STREAM, me % columns, columns, rows));
    put(call, iCC_ALL, all);
    for (int i = 0; i < 3; i++)
        ob_group_free(old[i]);
}

static int nearest_to_square(int count)
{
    int rows = 1;
    for (int i = 1; i <= count / i; i++)
        if (count % i == 0)
            rows = i;
    return rows;
}

/* -------------------------------------------------------------------- job */

static void leave(void)
{
    ob_job_stop(atomic_load(&machine.job), -1);
}

ob_job *icc_join(icc_call *call)
{
    ob_job *job = atomic_load_explicit(&machine.job, memory_order_acquire);
    if (job == NULL) {
        pthread_mutex_lock(&machine.lock);
        job = atomic_load(&machine.job);
        if (job == NULL) {
            icc_check(call, ob_job_start(&job));
            icc_fault_job(job);
            call->node = ob_job_number(job);
            int rows = nearest_to_square(ob_job_count(job));
            set_mesh(call, job, rows, ob_job_count(job) / rows);
            atexit(leave);
            atomic_store_explicit(&machine.job, job, memory_order_release);
        }
        pthread_mutex_unlock(&machine.lock);
    }
    call->node = ob_job_number(job);
    return job;
}

ob_group *icc_enter(icc_call *call, int64_t group, int argument)
{
    icc_join(call);
    ob_group *g = find(group);
    if (g == NULL)
        icc_fault(call,
                  "OB-7101 argument %d (group) is %" PRId64
                  ", must be iCC_ALL, iCC_ROW, iCC_COLUMN or what "
                  "iCC_group gave",
                  argument, group);
    return g;
}

void icc_apart(const icc_call *call)
{
    if (ob_together_is_open())
        icc_fault(call, "OB-2525 is called between a begin and an end of calls that are put "
                        "together, where what it receives would not be there yet; call it "
                        "before the begin or behind the end");
}

/* ------------------------------------------------- a new mesh, the program's groups */

/* With other meshes on other nodes a row's members would wait for each other for ever. */
static void agree_on_mesh(const icc_call *call, int rows, int columns)
{
    int extremes[2] = {rows, -rows};
    ob_view v = ob_view_vector(extremes, 2, OB_INT);
    icc_check(call, ob_combine(find(iCC_ALL), OB_ANY, OB_MAX, &v, NULL, 0, NULL));
    if (extremes[0] != -extremes[1]) {
        int other = rows == extremes[0] ? -extremes[1] : extremes[0];
        icc_fault(
            call,
            "OB-7102 arguments 1 and 2 (rows, columns) are %d and %d, but %d and %d on another "
            "node; all nodes must name the same mesh",
            rows, columns, other, rows * columns / other);
    }
}

void icc_make_mesh(icc_call *call, long rows, long columns)
{
    ob_job *job = icc_join(call);
    int count = ob_job_count(job);
    if (rows < 1 || rows > count || columns < 1 || columns > count || rows * columns != count)
        icc_fault(call,
                  "OB-7102 arguments 1 and 2 (rows, columns) are %ld and %ld, must have the "
                  "product %d, the number of processes",
                  rows, columns, count);
    icc_apart(call);
    agree_on_mesh(call, (int)rows, (int)columns);
    pthread_mutex_lock(&machine.lock);
    set_mesh(call, job, (int)rows, (int)columns);
    icc_check(call, ob_group_shape(find(iCC_ALL), (int)rows, (int)columns, 0));
    pthread_mutex_unlock(&machine.lock);
}

void icc_mesh_size(int *rows, int *columns)
{
    *rows = machine.rows;
    *columns = machine.columns;
}

/* The list as numbers of the job; NULL when the caller is not in it. */
static int *members(const icc_call *call, const ob_job *job, const long *nodes, long size)
{
    int count = ob_job_count(job), found = 0;
    if (size < 1)
        icc_fault(call, "OB-1012 argument 2 (size) is %ld, must be 1 to %d", size, count);
    if (size > count)
        icc_fault(call, "OB-1011 argument 2 (size) is %ld, must be 1 to %d%s", size, count,
                  ob_fault_alone(job));
    if (nodes == NULL)
        icc_fault(call, "OB-1001 argument 1 (nodes) is NULL");
    int *numbers = malloc((size_t)size * sizeof *numbers);
    if (numbers == NULL)
        icc_fault(call, "OB-4001 no memory for a group of %ld processes", size);
    for (long i = 0; i < size; i++) {
        if (nodes[i] < 0 || nodes[i] >= count)
            icc_fault(call, "OB-1013 argument 1 (nodes) has %ld at position %ld, must be 0 to %d",
                      nodes[i], i, count - 1);
        numbers[i] = (int)nodes[i];
        found |= numbers[i] == call->node;
    }
    if (found)
        return numbers;
    free(numbers);
    return NULL;
}

int icc_make_group(icc_call *call, const long *nodes, long size)
{
    ob_job *job = icc_join(call);
    ob_group *group = NULL;
    int *numbers = members(call, job, nodes, size);
    if (numbers == NULL)
        return iCC_NONE;
    icc_check(call, ob_group_create(job, numbers, (int)size, &group));
    free(numbers);
    pthread_mutex_lock(&machine.lock);
    int handle = ob_handle_give(&machine.groups, group);
    if (handle < 0 && machine.groups.lowest == OB_HANDLES)
        icc_fault(call, "OB-7103 %d groups are in use, and there are no more; use iCC_group_free",
                  OB_HANDLES - FIRST_OWN);
    if (handle < 0)
        icc_fault(call, "OB-4001 no memory for more groups");
    pthread_mutex_unlock(&machine.lock);
    return handle;
}

void icc_free_group(icc_call *call, int64_t group)
{
    ob_group *g = icc_enter(call, group, 1);
    if (group < FIRST_OWN)
        icc_fault(call,
                  "OB-7101 argument 1 (group) is %" PRId64 ", which is not the program's to free",
                  group);
    pthread_mutex_lock(&machine.lock);
    bool mine = find(group) == g; /* another thread may have freed it meanwhile */
    if (mine)
        ob_handle_take_back(&machine.groups, (int)group);
    pthread_mutex_unlock(&machine.lock);
    if (mine)
        ob_group_free(g);
}
