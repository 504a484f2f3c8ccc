/*
 * The library's own trace files.
 */
#ifndef OBTRACE_NATIVE_H
#define OBTRACE_NATIVE_H

#include "trace.h"

void obt_native_read(obt_trace *t, const char *text, size_t length);
bool obt_native_likely(const char *text, size_t length);

/* Gives groups that are a row or column of a grid their name. */
void obt_label_groups(obt_trace *t);

#endif
