/*
 * Errors: one line, and the end of all processes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    fflush(stdout);
    fflush(stderr);
    if (ob_job_start(&job) == OB_OK)
        ob_job_abort(job, code);
    _exit(code);
}

/* One write, so that lines of several processes do not mix. */
_Noreturn void bspm_fault(const bsp_machine *m, const char *routine, const char *format, ...)
{
    char text[768], caller[256], line[1280];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ob_check_caller(caller, sizeof caller);
    int n = m ? snprintf(line, sizeof line, "OpenBLACS: %s: %s; process %d of %d%s\n", routine, text,
                         m->me, m->size, caller)
              : snprintf(line, sizeof line, "OpenBLACS: %s: %s%s\n", routine, text, caller);
    fflush(stdout);
    if (write(STDERR_FILENO, line, (size_t)n) < 0) {
        /* Then nobody can be told. */
    }
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

void bspm_check_pid(const bsp_machine *m, const char *routine, int pid)
{
    if (pid < 0 || pid >= m->size)
        bspm_fault(m, routine, "there is no process %d; they are 0 .. %d", pid, m->size - 1);
}

void bspm_check_size(const bsp_machine *m, const char *routine, const char *what, size_t size)
{
    if (size > PTRDIFF_MAX)
        bspm_fault(m, routine, "%s is %td bytes; it must be 0 or more", what, (ptrdiff_t)size);
}

void *bspm_more(const bsp_machine *m, void *old, size_t count, size_t unit)
{
    void *memory = unit && count > SIZE_MAX / unit ? NULL : realloc(old, count * unit + !count);
    if (memory == NULL)
        bspm_fault(m, "BSPlib", "no memory for %zu entries of %zu bytes", count, unit);
    return memory;
}
