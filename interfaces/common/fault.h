/*
 * The line of an error or a warning, and the end of the job: one form for all interfaces.
 *
 *   OpenBLACS: [warning: ]ROUTINE: TEXT[; WHERE][; called from CALLER] [CODE]
 */
#ifndef OB_COMMON_FAULT_H
#define OB_COMMON_FAULT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hooks/check.h"
#include "hooks/error.h"
#include "hooks/job.h"
#include "hooks/together.h"
#include "hooks/trace.h"
#include "openblacs/core.h"

/* What a routine says that waits for what its own calls bring, where calls are put together now;
 * else NULL. */
static inline const char *ob_fault_together(void)
{
    return ob_together_is_open()
               ? "OB-2524 is called between a begin and an end of calls that are put together, "
                 "where its own calls would be, too; call it before or behind"
               : NULL;
}

/* The whole line, malloc'ed; where: empty, or begins with "; "; the format begins with the code.
 * NULL: there is no memory for it. */
static inline char *ob_fault_line(const char *kind, const char *routine, const char *where,
                                  const char *format, va_list args)
{
    char caller[256], code[OB_CODE_BYTES], *text = NULL, *line = NULL;
    routine = ob_trace_name(routine);
    if (vasprintf(&text, format, args) < 0)
        return NULL;
    ob_error_code(text, code);
    if (asprintf(&line, "OpenBLACS: %s%s: %s%s%s%s\n", kind, routine, text, where,
                 ob_check_caller(caller, sizeof caller), code) < 0)
        line = NULL;
    free(text);
    return line;
}

/* What to do where more processes are asked for than there are, and nobody has started several. */
static inline const char *ob_fault_alone(const ob_job *job)
{
    return job && ob_job_kind(job) == OB_ALONE
               ? "; the program runs alone: start it with obrun -n or mpirun -n"
               : "";
}

/* One write, so that the lines of several processes do not mix. 0; -1: the file does not take it.
 */
static inline int ob_fault_write(int to, const char *line)
{
    for (size_t left = strlen(line); left;) {
        ssize_t n = write(to, line, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        line += n;
        left -= (size_t)n;
    }
    return 0;
}

/* Prints the line. */
static inline void ob_fault_print(const char *kind, const char *routine, const char *where,
                                  const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    char *line = ob_fault_line(kind, routine, where, format, args);
    if (line) {
        ob_fault_write(STDERR_FILENO, line);
    } else { /* no memory */
        char text[1024], code[OB_CODE_BYTES];
        vsnprintf(text, sizeof text, format, again);
        ob_error_code(text, code);
        fprintf(stderr, "OpenBLACS: %s%s: %s%s%s\n", kind, ob_trace_name(routine), text, where,
                code);
    }
    va_end(again);
    free(line);
}

/* The name of an argument, which ends after *length: `names` are those of all, with a space
 * between. */
static inline const char *ob_fault_argument(const char *names, int argument, int *length)
{
    for (int i = 1; i < argument; i++)
        names += strcspn(names, " ") + 1;
    *length = (int)strcspn(names, " ");
    return names;
}

/* The name of an entry of a descriptor of type 1 or 2, from 1 on. */
static inline const char *ob_fault_entry(int entry, int64_t type)
{
    static const char *const all[] = {"DTYPE_", "CTXT_", "M_",    "N_",    "IMB_", "INB_",
                                      "MB_",    "NB_",   "RSRC_", "CSRC_", "LLD_"};
    return all[type == 2 || entry < 5 ? entry - 1 : entry + 1];
}

/* The process's job, or NULL. */
static inline ob_job *ob_fault_job(void)
{
    ob_job *job;
    return ob_job_start(&job) == OB_OK ? job : NULL;
}

/* Prints the line of a routine that all processes of a grid call, with the own number. */
static inline void ob_fault_say(const char *routine, const char *format, va_list args)
{
    char where[40] = "";
    ob_job *job = ob_fault_job();
    if (job)
        snprintf(where, sizeof where, "; process number %d", ob_job_number(job));
    ob_fault_print("", routine, where, format, args);
}

/* For one who is about to end the job with the others: shall it print the line? Who does not know
 * it, or is not the first of those who do, waits for the end. */
static inline bool ob_fault_speaks(bool knows)
{
    static const struct timespec a_while = {.tv_sec = 5};
    if (knows)
        return ob_job_speaks(ob_fault_job());
    nanosleep(&a_while, NULL);
    return false;
}

/* Ends the job, or the process when there is none. */
static inline _Noreturn void ob_fault_end(ob_job *job, int code)
{
    for (;;)
        ob_job_abort(job, code);
}

#endif
