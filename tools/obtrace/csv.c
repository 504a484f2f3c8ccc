/*
 * Comma-separated values: one event a line, times in nanoseconds. A column stands
 * for a value's place in the event (trace.h), so nothing is lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

static const char head[] =
    "time_ns,process,record,value0,value1,value2,value3,value4,value5,value6,value7,name";

enum { COLUMNS = 12, FIRST_VALUE = 3, NAME = 11 };

static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

size_t obt_csv_write(obt_trace *t, FILE *out)
{
    fprintf(out, "%s\n", head);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        bool message = e->kind == OBT_TRACE_MESSAGE;
        fprintf(out, "%" PRId64 ",%" PRId32 ",%s", e->time, t->processes[e->process].id,
                obt_kind_name(e->kind));
        for (int v = 0; v < OBT_VALUES; v++)
            if (v < e->count && !message)
                fprintf(out, ",%" PRId64, obt_get(t, e, v, 0));
            else
                putc(',', out);
        putc(',', out);
        if (message)
            write_text(out, t->texts[obt_get(t, e, 0, 0)]);
        else if (obt_is_block(e->kind))
            write_text(out, obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0)));
        putc('\n', out);
    }
    return 0;
}

/* --------------------------------------------------------------------- reading */

typedef struct cell {
    char *text;
    size_t length;
} cell;

/* Splits a line in place. Returns how many cells there are, or 0 when a quote is
 * not closed. */
static size_t split(char *p, char *end, cell *cells, size_t room)
{
    size_t n = 0;
    for (;;) {
        char *to = p, *from = p;
        bool quoted = p < end && *p == '"';
        if (quoted) {
            from++;
            while (from < end && (*from != '"' || (from + 1 < end && from[1] == '"'))) {
                from += *from == '"';
                *to++ = *from++;
            }
            if (from++ >= end)
                return 0;
        } else {
            while (from < end && *from != ',')
                *to++ = *from++;
        }
        if (n < room)
            cells[n] = (cell){p, (size_t)(to - p)};
        n++;
        if (from >= end)
            return n;
        p = from + 1;
    }
}

static bool whole(const cell *c, int64_t *value)
{
    char copy[24], *end;
    if (c->length == 0 || c->length > 19)
        return false;
    memcpy(copy, c->text, c->length);
    copy[c->length] = '\0';
    *value = strtoll(copy, &end, 10);
    return *end == '\0' && copy[0] > ' ' && *value > INT64_MIN / 4 && *value < INT64_MAX / 4;
}

static void read_line(obt_trace *t, size_t number, char *p, char *end)
{
    cell c[COLUMNS];
    char record[24], *name;
    int64_t time, process, values[OBT_VALUES];
    size_t count = 0, n = split(p, end, c, COLUMNS);
    if (n != COLUMNS) {
        obt_problem(t, number, n ? "%zu values in the line, must be %d" : "a quote is not closed",
                    n, (int)COLUMNS);
        return;
    }
    if (!whole(&c[0], &time) || !whole(&c[1], &process) || c[2].length >= sizeof record) {
        obt_problem(t, number, "time and process must be whole numbers, then a record's name");
        return;
    }
    while (count < OBT_VALUES && c[FIRST_VALUE + count].length) {
        if (!whole(&c[FIRST_VALUE + count], &values[count])) {
            obt_problem(t, number, "value%zu is no whole number", count);
            return;
        }
        count++;
    }
    memcpy(record, c[2].text, c[2].length);
    record[c[2].length] = '\0';
    name = obt_memory(c[NAME].length + 1, 1);
    memcpy(name, c[NAME].text, c[NAME].length);
    obt_add_checked(t, number, record, time, process, values, count, name, name);
    free(name);
}

void obt_csv_read(obt_trace *t, const char *text, size_t length)
{
    char *copy = obt_memory(length + 1, 1), *p = copy, *all = copy + length;
    memcpy(copy, text, length);
    t->format = "comma-separated values";
    for (size_t n = 1; p < all; n++) {
        char *newline = memchr(p, '\n', (size_t)(all - p)), *end = newline ? newline : all;
        char *next = newline ? newline + 1 : all;
        if (end > p && end[-1] == '\r')
            end--;
        if (n > 1 && end > p)
            read_line(t, n, p, end);
        p = next;
    }
    free(copy);
}

bool obt_csv_likely(const char *text, size_t length)
{
    return length >= sizeof head - 1 && memcmp(text, head, sizeof head - 1) == 0;
}
