/*
 * The table of formats, and reading a file of unknown format.
 */
#include "formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "otf2.h"

static size_t write_verbose(obt_trace *t, FILE *out)
{
    return obt_picl_write(t, out, true);
}

static size_t write_compact(obt_trace *t, FILE *out)
{
    return obt_picl_write(t, out, false);
}

const obt_format obt_formats[] = {
    {"picl2", ".picl2", "PICL's later trace file (ParaGraph of 1994)", obt_picl2_likely,
     obt_picl2_read, obt_picl2_write, NULL, NULL},
    {"verbose", ".picl", "PICL's trace file with keywords", obt_picl_likely, obt_picl_read,
     write_verbose, NULL, NULL},
    {"native", ".trace", "OpenBLACS (OPENBLACS_TRACE=file)", obt_native_likely, obt_native_read,
     NULL, NULL, NULL},
    {"compact", ".cpicl", "PICL's trace file, numbers only", NULL, NULL, write_compact, NULL, NULL},
    {"json", ".json", "trace events for chrome://tracing and Perfetto", obt_json_likely,
     obt_json_read, obt_json_write, NULL, NULL},
    {"csv", ".csv", "comma-separated values", obt_csv_likely, obt_csv_read, obt_csv_write, NULL,
     NULL},
    {"perfetto", ".pftrace", "Perfetto's protocol buffers, with flows and counters", NULL, NULL,
     obt_perfetto_write, NULL, NULL},
    {"paraver", ".prv", "Paraver: FILE.prv, FILE.pcf, FILE.row", NULL, NULL, NULL,
     obt_paraver_write, NULL},
    {"otf2", ".otf2", "Open Trace Format 2: FILE.otf2 and its folder", NULL, NULL, NULL,
     obt_otf2_write, obt_otf2_read},
    {0},
};

const obt_format *obt_format_named(const char *name)
{
    for (const obt_format *f = obt_formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const obt_format *obt_format_of_file(const char *path)
{
    size_t length = strlen(path);
    for (const obt_format *f = obt_formats; f->name; f++) {
        size_t n = strlen(f->suffix);
        if (n < length && strcmp(path + length - n, f->suffix) == 0)
            return f;
    }
    return NULL;
}

static char *read_all(FILE *in, const char *path, size_t *length)
{
    size_t room = 1 << 16;
    char *text = obt_memory(room, 1);
    *length = 0;
    for (size_t n; (n = fread(text + *length, 1, room - *length, in)) > 0;) {
        *length += n;
        if (*length < room)
            continue;
        if (room > SIZE_MAX / 2 || !(text = realloc(text, room *= 2)))
            obt_die("OB-4001 %s: too long for this machine's memory", path);
    }
    if (ferror(in))
        obt_die("OB-9602 %s: cannot be read: %s", path, strerror(errno));
    return text;
}

static obt_trace *something(obt_trace *t)
{
    if (t->event_count == 0)
        obt_die("OB-8502 %s: there is no event in this file that can be read%s%s", t->path,
                *t->unfinished ? "; " : "", t->unfinished);
    return t;
}

obt_trace *obt_read(const char *path)
{
    obt_trace *t = obt_trace_new(path);
    const obt_format *f = obt_format_of_file(path);
    if (f && f->read_path) {
        f->read_path(t, path);
        return something(t);
    }
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!in)
        obt_die("OB-9602 %s: cannot be opened: %s", path, strerror(errno));
    size_t length;
    char *text = read_all(in, path, &length);
    if (in != stdin)
        fclose(in);
    for (f = obt_formats; f->name && !(f->likely && f->likely(text, length));)
        f++;
    if (!f->name)
        obt_die(length ? "OB-8502 %s: this is no trace file that obtrace knows"
                       : "OB-8502 %s: the file is empty",
                path);
    f->read(t, text, length);
    free(text);
    return something(t);
}
