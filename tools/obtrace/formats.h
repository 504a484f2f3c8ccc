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

#endif
