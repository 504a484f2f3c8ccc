/*
 * One way to fail: a function sets one line and returns the status.
 */
#ifndef OB_CORE_ERROR_H
#define OB_CORE_ERROR_H

#include "openblacs/core.h"

/* Remembers the formatted line for this thread and returns status. */
int ob_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* OB_ESIZE, with both sizes: the message of process `from` and its receive differ. */
int ob_fail_size(int from, uint64_t bytes, ob_type type, const ob_view *receive);
/* "double precision" and the like, for error lines. */
const char *ob_type_name(ob_type type);

#endif
