/*
 * PICL's trace files, verbose and compact (picl-reference.txt, section 6).
 * hooks/picl.h describes all records; both formats, reading and writing, follow it. Readers take
 * a hyphen for the underscore of a keyword.
 */
#ifndef OBTRACE_PICL_H
#define OBTRACE_PICL_H

#include "trace.h"

/* Reads all lines of a text; what is wrong with a line is told, and the line left
 * out. */
void obt_picl_read(obt_trace *t, const char *text, size_t length);

/* Writes the events in their order. Returns how many were left out, because PICL
 * has no record for them. Block types that a name was given for are told in
 * trace_message records at the beginning, which obt_picl_read understands. */
size_t obt_picl_write(obt_trace *t, FILE *out, bool verbose);

/* Does the text look like one of the two formats? */
bool obt_picl_likely(const char *text, size_t length);

#endif
