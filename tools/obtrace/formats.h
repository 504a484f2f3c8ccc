/*
 * The formats of trace files: how each is called, recognised, read and written.
 */
#ifndef OBTRACE_FORMATS_H
#define OBTRACE_FORMATS_H

#include "trace.h"

typedef struct obt_format {
    const char *name;
    const char *suffix; /* of file names that mean it */
    const char *about;
    /* Does the beginning of a file look like it? NULL: it is no single file. */
    bool (*likely)(const char *text, size_t length);
    void (*read)(obt_trace *t, const char *text, size_t length);
    /* Returns how many events it has no way to say. */
    size_t (*write)(obt_trace *t, FILE *out);
    /* In place of write, for a format that is not one stream. */
    size_t (*write_path)(obt_trace *t, const char *path);
    void (*read_path)(obt_trace *t, const char *path);
} obt_format;

/* All formats, ended by one without a name. */
extern const obt_format obt_formats[];

/* By name, or by the suffix of a file's name; NULL when there is none. */
const obt_format *obt_format_named(const char *name);
const obt_format *obt_format_of_file(const char *path);

/* Reads a trace file ("-": standard input) of whatever format. Ends the program
 * when it cannot be opened or nothing in it can be read. */
obt_trace *obt_read(const char *path);

/* ------------------------------------------------ native.c, turn.c, groups.c */

void obt_native_read(obt_trace *t, const char *text, size_t length);
bool obt_native_likely(const char *text, size_t length);
/* Was it written on a machine with another byte order? Then this turns its numbers. */
bool obt_native_other_order(const char *text, size_t length);
void obt_native_turn(char *text, size_t length);

/* What tells the group's messages from others': OBT_CONTEXT. */
int64_t obt_context(const obt_group *g);
bool obt_share_node(const obt_process *p, const obt_process *q);
bool obt_one_node(const obt_trace *t, const obt_group *g);
/* Gives groups that are a row or column of a grid their name. */
void obt_label_groups(obt_trace *t);

/* ------------------------------------------------- picl_read.c, picl_write.c */

/* Reads all lines of a text, verbose and compact (picl-reference.txt, section 6); what is wrong
 * with a line is told, and the line left out. A hyphen may stand for a keyword's underscore. */
void obt_picl_read(obt_trace *t, const char *text, size_t length);

/* Writes the events in their order. Returns how many were left out, because PICL
 * has no record for them. Block types that a name was given for are told in
 * trace_message records at the beginning, which obt_picl_read understands. */
size_t obt_picl_write(obt_trace *t, FILE *out, bool verbose);

/* Does the text look like one of the two formats? */
bool obt_picl_likely(const char *text, size_t length);

/* ----------------------------------------------- picl2_read.c, picl2_write.c
 * PICL's later format (picl2.h), which ParaGraph of 1994 reads. */

void obt_picl2_read(obt_trace *t, const char *text, size_t length);
bool obt_picl2_likely(const char *text, size_t length);
/* Orders the events by process and time. */
size_t obt_picl2_write(obt_trace *t, FILE *out);

/* --------------------------------------------- perfetto_write.c, paraver_write.c
 * For those programs; they are not read. Both analyse the trace. */

size_t obt_perfetto_write(obt_trace *t, FILE *out);
/* Three files: PATH.prv, PATH.pcf, PATH.row. */
size_t obt_paraver_write(obt_trace *t, const char *path);

/* ------------------------------- csv.c, json_read.c, json_write.c, checked.c
 * Text formats that other programs read: comma-separated values, and the JSON of
 * chrome://tracing and Perfetto. Both hold every event whole, so that obtrace can read them again;
 * what they lack are the members of groups. */

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

/* Does its first value tell the type of a block, which has a name? */
static inline bool obt_is_block(int kind)
{
    return kind == OBT_BLOCK_BEGIN || kind == OBT_BLOCK_END || kind == OBT_PART ||
           kind == OBT_ASKED;
}

#endif
