/*
 * The line of an error or a warning, and the end of the job: one form for all interfaces.
 *
 *   OpenBLACS: [warning: ]ROUTINE: TEXT[; WHERE][; called from CALLER] [CODE]
 */
#ifndef OB_COMMON_FAULT_H
#define OB_COMMON_FAULT_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks/check.h"
#include "hooks/error.h"
#include "hooks/job.h"
#include "hooks/trace.h"
#include "openblacs/core.h"

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

/* Ends the job, or the process when there is none. */
static inline _Noreturn void ob_fault_end(ob_job *job, int code)
{
    for (;;)
        ob_job_abort(job, code);
}

#endif
