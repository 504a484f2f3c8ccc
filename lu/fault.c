/*
 * The line of an error, which names the routine that the program has called, and the end of the
 * job.
 */
#include "common/fault.h"
#include "lu.h"

#include <stdio.h>
#include <time.h>

static _Thread_local char routine[16] = "bsp_lu";

static ob_job *job_of(void)
{
    ob_job *job;
    return ob_job_start(&job) == OB_OK ? job : NULL;
}

void oblu_enter(const oblu_kernels *k, const char *what)
{
    snprintf(routine, sizeof routine, "bsp_p%s%s", k->letter, what);
}

void oblu_say(const char *format, ...)
{
    char where[40] = "";
    ob_job *job = job_of();
    va_list args;
    if (job)
        snprintf(where, sizeof where, "; process number %d", ob_job_number(job));
    va_start(args, format);
    ob_fault_print("", routine, where, format, args);
    va_end(args);
}

_Noreturn void oblu_end(void)
{
    ob_fault_end(job_of(), 1);
}

bool oblu_speaks(bool knows)
{
    static const struct timespec a_while = {.tv_sec = 5};
    if (knows)
        return ob_job_speaks(job_of());
    nanosleep(&a_while, NULL);
    return false;
}
