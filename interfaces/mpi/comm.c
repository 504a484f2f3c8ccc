/*
 * Communicators and their groups. When a communicator is first used in a call of ours that has
 * no wrong argument, its members agree by one MPI_Allreduce on it whether, and for which calls,
 * it is served; then each makes the group. That is kept as an attribute, so it goes when the
 * communicator goes and costs no communicator of its own.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooks/collective.h"
#include "hooks/job.h"
#include "shim.h"

static int keyval = MPI_KEYVAL_INVALID;

/* Raised when a state goes, since a later communicator may get the same handle: what a
 * thread remembers of before then does not count. The new communicator comes to a thread behind
 * the raise (release), and so does that (acquire). */
static atomic_uint generation = 1;
static _Thread_local struct {
    MPI_Comm comm;
    shim_comm *state;
    unsigned generation;
} last;

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    shim_comm *state = value;
    (void)comm;
    (void)key;
    (void)extra;
    atomic_fetch_add(&generation, 1);
    state->comm = MPI_COMM_SELF; /* for the errors of requests that go on */
    shim_comm_let_go(state);
    return MPI_SUCCESS;
}

void shim_comm_hold(shim_comm *on)
{
    atomic_fetch_add(&on->users, 1);
}

void shim_comm_let_go(shim_comm *on)
{
    if (atomic_fetch_sub(&on->users, 1) > 1)
        return;
    ob_group_free(on->group);
    free(on);
}

void shim_comm_start(void)
{
    /* Copies of the communicator have no group until they are used. */
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) != MPI_SUCCESS)
        shim_fault("OB-3020 libicc-mpi: MPI_Comm_create_keyval failed");
}

/* --------------------------------------------------------------- agreement */

/* One thread of a process at a time makes a group, because equal lists of members
 * must make their groups in the same order everywhere (core.h). */
static atomic_flag making = ATOMIC_FLAG_INIT;

/* Not twice equally long, lest threads go on meeting each other. rand() is the program's. */
static void pause_briefly(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct timespec nap = {.tv_nsec = 1000 + now.tv_nsec % 100000};
    nanosleep(&nap, NULL);
}

/* The calls all members would serve, which of them only where they are faster, whether one wants to
 * be asked about derived types, lacks a processor or compares calls; false: MPI refuses. Nobody
 * waits for another thread while it holds `making`: where some thread has it for another
 * communicator, all members learn so, leave it, and try again. Where it is true, this thread has it
 * on return. */
static bool agree(shim_comm *on)
{
    enum { SERVED, MAKES, PACKS, WANTED, ROOMY, HASTY, WORDS };
    for (;;) {
        uint64_t in[WORDS] = {[SERVED] = shim_listed(),
                              [MAKES] = !atomic_flag_test_and_set(&making),
                              [PACKS] = !shim_passes_derived(),
                              [WANTED] = shim_chooses() ? 0 : shim_listed(),
                              [ROOMY] = !ob_job_outnumbers(shim_job()),
                              [HASTY] = !shim_compares()};
        uint64_t out[WORDS] = {0};
        int code = shim_own_allreduce()(in, out, WORDS, MPI_UINT64_T, MPI_BAND, on->comm);
        on->ask = code == MPI_SUCCESS && !out[PACKS];
        on->serve = code == MPI_SUCCESS ? out[SERVED] : 0;
        on->choose = on->serve & ~out[WANTED] & shim_choices();
        on->crowded = !out[ROOMY];
        on->hasty = out[HASTY];
        on->quick = on->hasty && !on->ask;
        if (code == MPI_SUCCESS && out[MAKES])
            return true;
        if (in[MAKES])
            atomic_flag_clear(&making);
        if (code != MPI_SUCCESS)
            return false;
        pause_briefly();
    }
}

/* ---------------------------------------------------------------- making it */

/* A communicator that the core made for itself has this name. */
static bool is_ours(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    return PMPI_Comm_get_name(comm, name, &length) == MPI_SUCCESS &&
           strcmp(name, OB_MPI_COMM_NAME) == 0;
}

static void make_group(shim_comm *on, const int *numbers)
{
    shim_inside = true;
    int status = ob_group_create(shim_job(), numbers, on->size, &on->group);
    shim_inside = false;
    if (status != OB_OK)
        shim_fault("libicc-mpi: a communicator of %d processes has no group: %s", on->size,
                   ob_error_text());
}

/* The members' numbers; NULL when some are of another MPI_COMM_WORLD. */
static int *numbers_of(const shim_comm *on)
{
    int *numbers = NULL, size = 0;
    shim_inside = true;
    int status = ob_system_group(shim_job(), PMPI_Comm_c2f(on->comm), &numbers, &size);
    shim_inside = false;
    if (status == OB_ENOMEM)
        shim_fault("libicc-mpi: %s", ob_error_text());
    return status == OB_OK ? numbers : NULL;
}

/* Members from elsewhere may not have this library, so nothing can be agreed with them; but
 * that there are some is known to all who have. */
bool shim_comm_decide(shim_comm *on)
{
    int *numbers = numbers_of(on);
    on->why = numbers ? NOT_LISTED : UNREACHABLE;
    on->decided = numbers == NULL;
    if (on->decided)
        return true;
    on->decided = agree(on);
    if (on->serve)
        make_group(on, numbers);
    if (on->decided)
        atomic_flag_clear(&making);
    free(numbers);
    on->near = on->group && ob_group_near(on->group);
    return on->decided;
}

void shim_comm_settle(MPI_Comm comm)
{
    shim_comm *on = comm == MPI_COMM_NULL ? NULL : shim_comm_of(comm);
    if (on && !on->decided)
        shim_comm_decide(on);
}

static bool describe(shim_comm *on)
{
    int inter = 0;
    if (PMPI_Comm_rank(on->comm, &on->rank) != MPI_SUCCESS ||
        PMPI_Comm_size(on->comm, &on->size) != MPI_SUCCESS ||
        PMPI_Comm_test_inter(on->comm, &inter) != MPI_SUCCESS)
        return false;
    on->why = INTER;
    on->uncounted = !inter && is_ours(on->comm);
    on->decided = inter || on->uncounted;
    return true;
}

static shim_comm *make(MPI_Comm comm)
{
    shim_comm *on = calloc(1, sizeof *on);
    if (on == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for a communicator");
    on->comm = comm;
    on->users = 1;
    on->moved = MPI_BYTE;
    if (!describe(on) || PMPI_Comm_set_attr(comm, keyval, on) != MPI_SUCCESS) {
        free(on);
        return NULL;
    }
    return on;
}

/* Another than the last one: apart, lest each call makes room for what is needed here alone. */
static __attribute__((noinline)) shim_comm *find(MPI_Comm comm, unsigned now)
{
    shim_comm *on = NULL;
    int there = 0;
    if (PMPI_Comm_get_attr(comm, keyval, &on, &there) != MPI_SUCCESS)
        return NULL;
    if (!there)
        on = make(comm);
    last.comm = comm;
    last.state = on;
    last.generation = on ? now : 0;
    return on;
}

shim_comm *shim_comm_of(MPI_Comm comm)
{
    unsigned now = atomic_load_explicit(&generation, memory_order_acquire);
    return last.comm == comm && last.generation == now ? last.state : find(comm, now);
}
