/*
 * System contexts: the communicators of an MPI program as sets of processes of
 * the job. Without MPI there is one, 0: all of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "hooks/system.h"
#include "transport/mpi/internal.h"

long ob_system_world(ob_job *job)
{
    return job->mpi ? job->mpi->world : 0;
}

static int everyone(const ob_job *job, int **numbers, int *size)
{
    int *all = malloc((size_t)job->count * sizeof *all);
    if (all == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a list of %d processes", job->count);
    for (int i = 0; i < job->count; i++)
        all[i] = i;
    *numbers = all;
    *size = job->count;
    return OB_OK;
}

static int no_group(const ob_job *job, long handle, int fault)
{
    switch (fault) {
    case OB_MPI_INTER_HANDLE:
        return ob_fail(OB_EARG,
                       "OB-3010 system context %ld is an intercommunicator; merge it first "
                       "(MPI_Intercomm_merge)",
                       handle);
    case OB_MPI_FOREIGN:
        return ob_fail(
            OB_EARG,
            "OB-3011 system context %ld has processes outside the MPI_COMM_WORLD of process %d, "
            "such as spawned ones; ask ob_system_members for them",
            handle, job->number);
    case OB_MPI_NO_MEMORY:
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for the processes of system context %ld",
                       handle);
    default:
        return ob_fail(OB_EARG, "OB-3009 system context %ld is no communicator of %s", handle,
                       job->mpi->library);
    }
}

/* *fault: an ob_mpi_handle_fault; 0: there is none. */
static int group_of(ob_job *job, long handle, int **numbers, int *size, int *fault)
{
    struct ob_mpi *mpi = job->mpi;
    *fault = 0;
    if (mpi == NULL)
        return handle == 0 ? everyone(job, numbers, size)
                           : ob_fail(OB_EARG,
                                     "OB-3012 system context %ld: without MPI there is only 0, all "
                                     "processes of the job",
                                     handle);
    if (handle == mpi->world)
        return everyone(job, numbers, size);
    if (atomic_load(&mpi->over))
        return ob_fail(OB_ESTATE, "OB-3007 system context %ld: MPI_Finalize has been called",
                       handle);
    ob_mpi_enter(mpi);
    int result = mpi->module->group(mpi->world, handle, numbers);
    ob_mpi_leave(mpi);
    *size = result;
    *fault = result < 0 ? result : 0;
    return *fault ? no_group(job, handle, *fault) : OB_OK;
}

int ob_system_group(ob_job *job, long handle, int **numbers, int *size)
{
    int fault;
    return group_of(job, handle, numbers, size, &fault);
}

int ob_system_members(ob_job *job, long handle, ob_job **of, int **numbers, int *size)
{
    int fault, status = group_of(job, handle, numbers, size, &fault);
    *of = job;
    if (fault != OB_MPI_FOREIGN)
        return status;
    status = ob_mpi_join_elsewhere(job, handle, of);
    return status == OB_OK ? everyone(*of, numbers, size) : status;
}

/* -1 is no communicator in any MPI; ob_system_group refuses it. */
long ob_system_from_word(ob_job *job, uintptr_t word)
{
    struct ob_mpi *mpi = job->mpi;
    long handle = -1;
    if (mpi == NULL)
        return (long)word;
    ob_mpi_enter(mpi);
    int fault = atomic_load(&mpi->over) || mpi->module->from_word(word, &handle);
    ob_mpi_leave(mpi);
    if (fault) {
        ob_fail(OB_EARG, "OB-3009 %#llx is no communicator of %s", (unsigned long long)word,
                mpi->library);
        return -1;
    }
    return handle;
}

long ob_system_null(ob_job *job)
{
    long handle = -1;
    uintptr_t word;
    if (job->mpi)
        job->mpi->module->null_comm(&handle, &word);
    return handle;
}

uintptr_t ob_system_to_word(ob_job *job, long handle)
{
    struct ob_mpi *mpi = job->mpi;
    uintptr_t word = 0;
    long null = -1;
    if (mpi == NULL)
        return (uintptr_t)handle;
    mpi->module->null_comm(&null, &word);
    if (handle == null)
        return word;
    ob_mpi_enter(mpi);
    int fault = atomic_load(&mpi->over) || mpi->module->to_word(handle, &word);
    ob_mpi_leave(mpi);
    if (fault)
        ob_fail(OB_EARG, "OB-3009 system context %ld is no communicator of %s", handle,
                mpi->library);
    return word;
}

static int needs_mpi(const ob_job *job, const char *routine)
{
    if (job->mpi == NULL)
        return ob_fail(OB_ESTATE, "OB-3012 %s: this program has no MPI", routine);
    if (atomic_load(&job->mpi->over))
        return ob_fail(OB_ESTATE, "OB-3007 %s: MPI_Finalize has been called", routine);
    return OB_OK;
}

int ob_system_grid(ob_job *job, long handle, const int *ranks, int rows, int columns, long grid[3])
{
    struct ob_mpi *mpi = job->mpi;
    int status = needs_mpi(job, "ob_system_grid");
    if (status != OB_OK)
        return status;
    ob_mpi_enter(mpi);
    ob_mpi_makes = true;
    int code = mpi->module->grid(handle, ranks, rows, columns, grid);
    ob_mpi_makes = false;
    ob_mpi_leave(mpi);
    return code == 0 ? OB_OK
                     : ob_mpi_error(mpi, code, "cannot make communicators for a %d x %d grid", rows,
                                    columns);
}

int ob_system_create(ob_job *job, const int *numbers, int size, unsigned tag, long *handle)
{
    struct ob_mpi *mpi = job->mpi;
    int status = needs_mpi(job, "ob_system_create");
    if (status != OB_OK)
        return status;
    ob_mpi_enter(mpi);
    ob_mpi_makes = true;
    int code = mpi->module->comm(mpi->world, numbers, size, (int)(tag % OB_MPI_TAGS), handle);
    ob_mpi_makes = false;
    ob_mpi_leave(mpi);
    return code == 0 ? OB_OK
                     : ob_mpi_error(mpi, code, "cannot make a communicator of %d processes", size);
}

int ob_system_free(ob_job *job, long handle)
{
    struct ob_mpi *mpi = job->mpi;
    int status = needs_mpi(job, "ob_system_free");
    if (status != OB_OK)
        return status;
    ob_mpi_end_elsewhere(mpi, handle);
    ob_mpi_enter(mpi);
    int code = mpi->module->free_comm(handle);
    ob_mpi_leave(mpi);
    return code == 0 ? OB_OK : ob_mpi_error(mpi, code, "cannot free communicator %ld", handle);
}

/* ------------------------------------------------------ the program's own communicators */

int ob_system_cartesian(ob_job *job, long handle, int *count, int dims[2], int periods[2])
{
    struct ob_mpi *mpi = job->mpi;
    int status = needs_mpi(job, "ob_system_cartesian");
    if (status != OB_OK)
        return status;
    ob_mpi_enter(mpi);
    *count = mpi->module->cartesian(handle, dims, periods);
    int code = *count == 1 || *count == 2 ? mpi->module->keep_key(handle, 0) : 0;
    ob_mpi_leave(mpi);
    if (*count < 0)
        return no_group(job, handle, *count);
    return code == 0
               ? OB_OK
               : ob_mpi_error(mpi, code, "cannot keep anything with communicator %ld", handle);
}

int ob_system_give_key(ob_job *job, long handle, uint64_t key)
{
    struct ob_mpi *mpi = job->mpi;
    int status = needs_mpi(job, "ob_system_give_key");
    if (status != OB_OK)
        return status;
    ob_mpi_enter(mpi);
    int code = mpi->module->keep_key(handle, key);
    ob_mpi_leave(mpi);
    return code == 0
               ? OB_OK
               : ob_mpi_error(mpi, code, "cannot keep anything with communicator %ld", handle);
}

/* The members have begun; a member that never comes is a mistake that nothing else shows. */
static int all_agree(ob_job *job, ob_mpi_request *request)
{
    struct ob_mpi *mpi = job->mpi;
    double begun = ob_time();
    bool said = false;
    unsigned looks = 0;
    for (int done = 0;;) {
        ob_mpi_enter(mpi);
        int code = mpi->module->test(request, &done, NULL);
        ob_mpi_leave(mpi);
        if (code != 0)
            return ob_mpi_error(mpi, code, "the members of a communicator cannot agree");
        if (done)
            return OB_OK;
        if (!said && ob_time() - begun > job->set.check_seconds) {
            said = true;
            fprintf(stderr,
                    "OpenBLACS: process %d waits in its first call on a communicator of the "
                    "program's own for the other members: each of them has to make one [OB-3017]\n",
                    job->number);
        }
        ob_mpi_pause(&looks);
    }
}

/* Member 0 finds the number: its own, and a count. The others have 0. */
int ob_system_key(ob_job *job, long handle, uint64_t *key)
{
    static atomic_uint count;
    struct ob_mpi *mpi = job->mpi;
    ob_mpi_request request;
    int *numbers, size, status = needs_mpi(job, "ob_system_key");
    if (status != OB_OK)
        return status;
    ob_mpi_enter(mpi);
    *key = mpi->module->key(handle);
    ob_mpi_leave(mpi);
    if (*key)
        return OB_OK;
    status = ob_system_members(job, handle, &job, &numbers, &size);
    if (status != OB_OK)
        return status;
    /* no communicator is empty: NOLINTNEXTLINE(clang-analyzer-core.*) */
    if (numbers[0] == job->number)
        *key = ((uint64_t)job->number + 1) << 32 | (atomic_fetch_add(&count, 1) + 1);
    free(numbers);
    ob_mpi_enter(mpi);
    int code = mpi->module->agree(handle, key, &request);
    ob_mpi_leave(mpi);
    if (code != 0)
        return ob_mpi_error(mpi, code, "the members of a communicator cannot agree");
    status = all_agree(job, &request);
    return status == OB_OK ? ob_system_give_key(job, handle, *key) : status;
}

void ob_system_on_free(ob_job *job, void (*freed)(long handle))
{
    if (job->mpi)
        job->mpi->module->on_free(freed);
}

int ob_system_type(ob_job *job, long handle)
{
    struct ob_mpi *mpi = job->mpi;
    if (mpi == NULL || atomic_load(&mpi->over))
        return -1;
    ob_mpi_enter(mpi);
    int type = mpi->module->type(handle);
    ob_mpi_leave(mpi);
    return type;
}
