/*
 * Errors: one line, and the end of all processes.
 */
#include "common/fault.h"
#include "common/grow.h"
#include "hooks/together.h"
#include "machine.h"

static bool leaving;

bool bspm_is_leaving(void)
{
    return leaving;
}

_Noreturn void bspm_leave(int code)
{
    ob_job *job = NULL;
    leaving = true;
    ob_fault_end(ob_job_start(&job) == OB_OK ? job : NULL, code);
}

_Noreturn void bspm_fault(const bsp_machine *m, const char *routine, const char *format, ...)
{
    char where[64] = "";
    va_list args;
    if (m)
        snprintf(where, sizeof where, "; process %d of %d", m->me, m->size);
    fflush(stdout);
    va_start(args, format);
    ob_fault_print("", routine, where, format, args);
    va_end(args);
    bspm_leave(1);
}

int bspm_enter_call(const char *name)
{
    ob_check_enter(&(ob_check_call){.routine = name, .context = -1});
    return 1;
}

void bspm_check(const bsp_machine *m, const char *routine, int status)
{
    if (status != OB_OK)
        bspm_fault(m, routine, "%s", ob_error_text());
}

void bspm_apart(const bsp_machine *m, const char *routine)
{
    if (ob_together_is_open())
        bspm_fault(m, routine,
                   "OB-2525 is called between a begin and an end of calls that are put "
                   "together, where what it receives would not be there yet; call it "
                   "before the begin or behind the end");
}

void bspm_check_pid(const bsp_machine *m, const char *routine, int pid)
{
    if (pid < 0 || pid >= m->size)
        bspm_fault(m, routine, "OB-1009 there is no process %d; they are 0 .. %d", pid,
                   m->size - 1);
}

void bspm_check_size(const bsp_machine *m, const char *routine, const char *what, size_t size)
{
    if (size > PTRDIFF_MAX)
        bspm_fault(m, routine, "OB-1003 %s is %td bytes; it must be 0 or more", what,
                   (ptrdiff_t)size);
}

void *bspm_more(const bsp_machine *m, void *old, size_t count, size_t unit)
{
    void *memory =
        unit && count > SIZE_MAX / unit ? NULL : realloc(old, count && unit ? count * unit : 1);
    if (memory == NULL)
        bspm_fault(m, "BSPlib", "OB-4001 no memory for %zu entries of %zu bytes", count, unit);
    return memory;
}

void *bspm_enlarge(const bsp_machine *m, void *array, size_t count, size_t *space, size_t unit)
{
    void *more = ob_grow(array, count, space, unit);
    if (more == NULL)
        bspm_fault(m, "BSPlib", "OB-4001 no memory for more than %zu entries of %zu bytes", count,
                   unit);
    return more;
}
