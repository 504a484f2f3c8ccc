/*
 * The job of this process, and its number there: what error lines and all files of this room ask
 * for.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "grid.h"

/* The job is stored (release) behind its number: who loads it (acquire) finds a job that has begun,
 * and an error line of its thread the number. */
static _Atomic(ob_job *) the_job;
static atomic_int the_number = -1;

ob_job *obl_job(void)
{
    return atomic_load_explicit(&the_job, memory_order_acquire);
}

void obl_set_job(ob_job *job)
{
    if (job)
        atomic_store(&the_number, ob_job_number(job));
    atomic_store(&the_job, job);
}

/* The launcher's variable is "descriptor:number". */
int obl_number(void)
{
    int number = atomic_load(&the_number);
    const char *variable = secure_getenv("OPENBLACS_JOB");
    if (number < 0 && variable && sscanf(variable, "%*d:%d", &number) != 1)
        number = -1;
    return number;
}

int obl_has_mpi(void)
{
    return ob_system_null(obl_job()) != -1;
}
