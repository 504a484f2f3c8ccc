/*
 * Text formats that other programs read: comma-separated values, and the JSON of
 * chrome://tracing and Perfetto. Both hold every event whole, so that obtrace can
 * read them again; what they lack are the members of groups.
 */
#ifndef OBTRACE_TEXT_H
#define OBTRACE_TEXT_H

#include "trace.h"

size_t obt_csv_write(obt_trace *t, FILE *out);
void obt_csv_read(obt_trace *t, const char *text, size_t length);
bool obt_csv_likely(const char *text, size_t length);

size_t obt_json_write(obt_trace *t, FILE *out);
void obt_json_read(obt_trace *t, const char *text, size_t length);
bool obt_json_likely(const char *text, size_t length);

/* Adds an event whose parts come from a text: ranges are checked, what is wrong is
 * told with its line. text: of trace_message; routine: of blocks; either may be NULL. */
void obt_add_checked(obt_trace *t, size_t line, const char *record, int64_t time, int64_t process,
                     int64_t *values, size_t count, const char *text, const char *routine);

/* What is wrong with a message's partner or length; NULL: nothing, or it is no message. */
const char *obt_message_fault(int kind, const int64_t *values);

/* Does a value tell the type of a block? */
static inline bool obt_is_block(int kind)
{
    return kind == OBT_BLOCK_BEGIN || kind == OBT_BLOCK_END;
}

#endif
