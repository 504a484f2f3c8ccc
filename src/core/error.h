/*
 * One way to fail: a function sets one line and returns the status.
 */
#ifndef OB_CORE_ERROR_H
#define OB_CORE_ERROR_H

#include "openblacs/core.h"

enum { OB_ERROR_LINE = 1024 }; /* the longest that ob_error_text() gives */

/* Remembers the formatted line for this thread and returns status. The format begins with the code
 * of the line (hooks/error.h), unless it hands on a line that has one. */
int ob_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ /* which does not see into error.c */
#define ob_fail(status, ...) (ob_fail(status, __VA_ARGS__), (status))
#endif
/* OB_ESIZE, with both sizes: the message of process `from` and its receive differ. */
int ob_fail_size(int from, uint64_t bytes, ob_type type, const ob_view *receive);
/* Waits until the launcher has taken over what has been written to standard output and error: that
 * of an MPI drops the rest when the job is aborted. Two seconds at most. */
void ob_lines_through(void);
/* "double precision" and the like, for error lines. */
const char *ob_type_name(ob_type type);

#endif
