/*
 * Reading the trace event format: what obtrace wrote whole, and of others' files
 * the slices, as blocks. A parser of its own, for JSON that may be damaged: it
 * never recurses, and what it read before the damage is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "hooks/hash.h"

#define HOST_TRACK 1000000000
#define FIRST_BLOCK 100000 /* of the block types made up for names */

typedef struct scan {
    obt_trace *trace;
    const char *p, *end;
    size_t line;
    obt_map blocks; /* names that have a block type */
    int64_t next_block;
} scan;

/* One trace event, as far as it matters. */
typedef struct object {
    char phase[4], name[1024], record[24], text[8192];
    int64_t time, length, pid, values[OBT_VALUES];
    size_t count;
    bool timed;
} object;

static void skip_space(scan *s)
{
    for (; s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p; s->p++)
        s->line += *s->p == '\n';
}

static bool take(scan *s, char c)
{
    skip_space(s);
    if (s->p >= s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static int hex(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return '?';
        v = v * 16 + digit;
    }
    return v < 128 ? v : '?';
}

/* A string; what does not fit into the room is left out. */
static bool string(scan *s, char *to, size_t room)
{
    size_t n = 0;
    if (!take(s, '"'))
        return false;
    for (; s->p < s->end && *s->p != '"'; s->p++) {
        char c = *s->p;
        if (c == '\\' && s->p + 1 < s->end) {
            c = *++s->p;
            if (c == 'u' && s->end - s->p > 4) {
                c = (char)hex(s->p + 1);
                s->p += 4;
            } else if (strchr("bfnrt", c)) {
                c = ' ';
            }
        }
        if (c == '\n')
            return false;
        if (n + 1 < room)
            to[n++] = c;
    }
    if (room)
        to[n] = '\0';
    return s->p < s->end && *s->p++ == '"';
}

/* A number times 1000, exactly: microseconds become nanoseconds. Perhaps quoted. */
static bool thousandths(scan *s, int64_t *value)
{
    skip_space(s);
    bool quoted = s->p < s->end && *s->p == '"';
    s->p += quoted;
    bool negative = s->p < s->end && *s->p == '-';
    s->p += negative;
    int64_t v = 0;
    int digits = 0, places = -1;
    for (; s->p < s->end && ((*s->p >= '0' && *s->p <= '9') || (*s->p == '.' && places < 0));
         s->p++) {
        if (*s->p == '.') {
            places = 0;
        } else if (places < 3) {
            if (++digits > 18)
                return false;
            v = v * 10 + (*s->p - '0');
            places += places >= 0;
        }
    }
    for (places = places < 0 ? 0 : places; places < 3; places++) {
        if (v > INT64_MAX / 100)
            return false;
        v *= 10;
    }
    *value = negative ? -v : v;
    if (quoted && !(s->p < s->end && *s->p++ == '"'))
        return false;
    return digits > 0 && (s->p >= s->end || !strchr("eE.", *s->p));
}

/* Passes over a value of any kind. */
static bool skip_value(scan *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        if (s->p >= s->end)
            return false;
        char c = *s->p;
        if (c == '"') {
            if (!string(s, NULL, 0))
                return false;
        } else if (c == '{' || c == '[') {
            depth++;
            s->p++;
        } else if (c == '}' || c == ']') {
            if (depth-- == 0)
                return false;
            s->p++;
        } else if (c == ',' || c == ':') {
            if (depth == 0)
                return false;
            s->p++;
        } else if (strchr("-0123456789tfn", c) && c) {
            while (s->p < s->end && !strchr(",:}] \t\r\n\"{[", *s->p))
                s->p++;
        } else {
            return false;
        }
    } while (depth);
    return true;
}

static bool whole(scan *s, int64_t *value)
{
    char copy[24], *end;
    size_t n = 0;
    skip_space(s);
    while (s->p < s->end && n < sizeof copy - 1 && (*s->p == '-' || (*s->p >= '0' && *s->p <= '9')))
        copy[n++] = *s->p++;
    copy[n] = '\0';
    if (n == 0 || n > 19)
        return false;
    *value = strtoll(copy, &end, 10);
    return *end == '\0' && *value > INT64_MIN / 4 && *value < INT64_MAX / 4;
}

static bool values(scan *s, object *o)
{
    if (!take(s, '['))
        return false;
    if (take(s, ']'))
        return true;
    do {
        if (o->count == OBT_VALUES || !whole(s, &o->values[o->count++]))
            return false;
    } while (take(s, ','));
    return take(s, ']');
}

static bool arguments(scan *s, object *o)
{
    char key[16];
    if (!take(s, '{'))
        return skip_value(s);
    if (take(s, '}'))
        return true;
    do {
        if (!string(s, key, sizeof key) || !take(s, ':'))
            return false;
        bool good = strcmp(key, "record") == 0   ? string(s, o->record, sizeof o->record)
                    : strcmp(key, "text") == 0   ? string(s, o->text, sizeof o->text)
                    : strcmp(key, "values") == 0 ? values(s, o)
                                                 : skip_value(s);
        if (!good)
            return false;
    } while (take(s, ','));
    return take(s, '}');
}

static bool member(scan *s, object *o)
{
    char key[16];
    if (!string(s, key, sizeof key) || !take(s, ':'))
        return false;
    if (strcmp(key, "ph") == 0)
        return string(s, o->phase, sizeof o->phase);
    if (strcmp(key, "name") == 0)
        return string(s, o->name, sizeof o->name);
    if (strcmp(key, "ts") == 0)
        return o->timed = thousandths(s, &o->time);
    if (strcmp(key, "dur") == 0)
        return thousandths(s, &o->length);
    if (strcmp(key, "pid") == 0 && s->p < s->end && *s->p != '"')
        return whole(s, &o->pid);
    if (strcmp(key, "args") == 0)
        return arguments(s, o);
    return skip_value(s);
}

static int64_t block_of(scan *s, const char *name)
{
    uint64_t h = ob_hash_bytes(OB_HASH, name, strlen(name));
    int64_t block = (int64_t)obt_map_take(&s->blocks, (int64_t)h, (size_t)s->next_block);
    s->next_block += block == s->next_block;
    return block;
}

static void add(scan *s, object *o, size_t line)
{
    int64_t process = o->pid == HOST_TRACK ? OBT_HOST : o->pid;
    if (o->record[0] && o->timed) {
        obt_add_checked(s->trace, line, o->record, o->time, process, o->values, o->count, o->text,
                        o->name);
        return;
    }
    bool begins = o->phase[0] == 'B' || o->phase[0] == 'X',
         ends = o->phase[0] == 'E' || o->phase[0] == 'X';
    if (!o->timed || (!begins && !ends) || !o->name[0])
        return;
    int64_t v[OBT_VALUES] = {block_of(s, o->name), -1, -1};
    int64_t end = o->time + (o->phase[0] == 'X' && o->length > 0 ? o->length : 0);
    if (begins)
        obt_add_checked(s->trace, line, "block_begin", o->time, process, v, 3, NULL, o->name);
    if (ends)
        obt_add_checked(s->trace, line, "block_end", end, process, v, 3, NULL, o->name);
}

static bool read_object(scan *s)
{
    object o = {0};
    size_t line = s->line;
    if (!take(s, '{'))
        return false;
    if (take(s, '}'))
        return true;
    do {
        if (!member(s, &o))
            return false;
    } while (take(s, ','));
    if (!take(s, '}'))
        return false;
    add(s, &o, line);
    return true;
}

/* Behind the bracket that opens the list of events. */
static void read_list(scan *s)
{
    if (take(s, ']'))
        return;
    for (;;) {
        skip_space(s);
        const char *begin = s->p;
        if (!read_object(s)) {
            obt_problem(s->trace, s->line,
                        s->p < s->end ? "this is no trace event in JSON"
                                      : "the file ends within an event");
            /* On with the next line, if there is one. */
            const char *from = s->p > begin ? s->p : begin;
            const char *newline =
                from < s->end ? memchr(from, '\n', (size_t)(s->end - from)) : NULL;
            if (!newline)
                return;
            s->p = newline;
            skip_space(s);
            if (s->p < s->end && *s->p == ']')
                return;
            continue;
        }
        if (!take(s, ',')) {
            if (!take(s, ']'))
                obt_problem(s->trace, s->line, "the list of events does not end");
            return;
        }
    }
}

static const char *find_list(const char *text, size_t length)
{
    const char *p = memmem(text, length < 65536 ? length : 65536, "\"traceEvents\"", 13);
    p = p ? memchr(p, '[', (size_t)(text + length - p)) : memchr(text, '[', length);
    return p;
}

void obt_json_read(obt_trace *t, const char *text, size_t length)
{
    const char *list = find_list(text, length);
    scan s = {.trace = t,
              .p = list ? list + 1 : text,
              .end = text + length,
              .line = 1,
              .next_block = FIRST_BLOCK};
    t->format = "trace events in JSON";
    for (const char *p = text; p < s.p; p++)
        s.line += *p == '\n';
    if (list)
        read_list(&s);
    else
        obt_problem(t, 0, "there is no list of events");
    obt_map_free(&s.blocks);
}

bool obt_json_likely(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && strchr(" \t\r\n", text[n]) && text[n])
        n++;
    return n < length && (text[n] == '{' || (text[n] == '[' && n + 1 < length));
}
