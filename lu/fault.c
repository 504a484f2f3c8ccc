/*
 * The line of an error, which names the routine that the program has called, and the end of the
 * job.
 */
#include "common/fault.h"
#include "lu.h"

#include <inttypes.h>

static _Thread_local const char *letter, *name;

void oblu_enter(const oblu_kernels *k, const char *what)
{
    letter = k->letter;
    name = what;
}

void oblu_say(const char *format, ...)
{
    char routine[16] = "bsp_lu";
    va_list args;
    if (name)
        snprintf(routine, sizeof routine, "bsp_p%s%s", letter, name);
    va_start(args, format);
    ob_fault_say(routine, format, args);
    va_end(args);
}

_Noreturn void oblu_end(void)
{
    ob_fault_end(ob_fault_job(), 1);
}

bool oblu_speaks(bool knows)
{
    return ob_fault_speaks(knows);
}

void oblu_check_pivot(int64_t pivot, size_t row, size_t first, size_t n)
{
    const int64_t least = (int64_t)first + 1, most = (int64_t)(first + n);
    if (pivot >= least && pivot <= most)
        return;
    if (oblu_speaks(true))
        oblu_say("OB-6101 argument 8 (IPIV) is %" PRId64 " for row %zu, must be %" PRId64
                 " to %" PRId64 " (info -8)",
                 pivot, row, least, most);
    oblu_end();
}

void oblu_must(int status)
{
    if (status == OB_OK)
        return;
    oblu_say("%s", ob_error_text());
    oblu_end();
}
