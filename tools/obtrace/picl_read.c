/*
 * Reading PICL's trace files. Every line stands for itself, so a file may mix both
 * formats, and one bad line costs that record only.
 */
#include <string.h>

#include "formats.h"

#define NANOSECONDS 1000000000
#define LAST_SECOND 9000000000 /* fits 64 bits in nanoseconds */

typedef struct line {
    obt_trace *trace;
    size_t number;
    const char *p, *end;
    bool verbose;
    bool last;        /* of a file that does not end with a newline */
    const char *what; /* name of the record */
} line;

typedef struct word {
    const char *text;
    size_t length;
} word;

/* A line ends at its `end`; within it a newline is where it was wrapped. */
static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(line *l)
{
    while (l->p < l->end && space(*l->p))
        l->p++;
}

static word next_word(line *l)
{
    skip_space(l);
    word w = {l->p, 0};
    while (l->p < l->end && !space(*l->p))
        l->p++;
    w.length = (size_t)(l->p - w.text);
    return w;
}

/* Hyphen and underscore are the same: printed manuals do not tell. */
static bool same(word w, const char *expected, size_t length)
{
    if (w.length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((w.text[i] == '-' ? '_' : w.text[i]) != expected[i])
            return false;
    return true;
}

/* What is quoted of a damaged file: short, and nothing a terminal would obey. */
static const char *quote(word w)
{
    static char copy[28];
    size_t n = w.length < 24 ? w.length : 24;
    for (size_t i = 0; i < n; i++)
        copy[i] = w.text[i] > 32 && w.text[i] < 127 ? w.text[i] : '?';
    strcpy(copy + n, w.length > n ? "..." : "");
    return copy;
}

static bool wrong(line *l, const char *expected, word found)
{
    if (found.length == 0)
        obt_problem(l->trace, l->number, "%s ends %s %s", l->what,
                    l->last ? "with the file, before" : "before", expected);
    else
        obt_problem(l->trace, l->number, "%s: %s expected, found '%s'", l->what, expected,
                    quote(found));
    return false;
}

static bool whole(word w, int64_t *value)
{
    size_t i = w.length && w.text[0] == '-';
    bool negative = i;
    int64_t v = 0;
    if (i == w.length || w.length - i > 18)
        return false;
    for (; i < w.length; i++) {
        if (w.text[i] < '0' || w.text[i] > '9')
            return false;
        v = 10 * v + (w.text[i] - '0');
    }
    *value = negative ? -v : v;
    return true;
}

static bool number(line *l, int64_t least, int64_t most, const char *name, int64_t *value)
{
    word w = next_word(l);
    if (!whole(w, value))
        return wrong(l, name, w);
    if (*value < least || *value > most) {
        obt_problem(l->trace, l->number, "%s: %s is %lld, must be %lld to %lld", l->what, name,
                    (long long)*value, (long long)least, (long long)most);
        return false;
    }
    return true;
}

static bool time_of(line *l, int64_t *nanoseconds)
{
    int64_t seconds, micro;
    if (!number(l, 0, LAST_SECOND, "seconds", &seconds) ||
        !number(l, 0, 999999, "microseconds", &micro))
        return false;
    *nanoseconds = seconds * NANOSECONDS + micro * 1000;
    return true;
}

static bool keyword(line *l, const char *expected, size_t length)
{
    if (!l->verbose)
        return true;
    word w = next_word(l);
    if (same(w, expected, length))
        return true;
    char name[40];
    snprintf(name, sizeof name, "'%.*s'", (int)length, expected);
    return wrong(l, name, w);
}

static bool processor(line *l, int64_t *id)
{
    if (!number(l, OBT_HOST, INT32_MAX, "a processor's number", id))
        return false;
    if (*id >= 0 || *id == OBT_HOST)
        return true;
    obt_problem(l->trace, l->number, "%s: there is no processor %lld", l->what, (long long)*id);
    return false;
}

/* Ranges that the records' meaning sets. */
static bool sensible(line *l, obt_kind kind, const int64_t *v)
{
    const char *fault = kind == OBT_COMPSTATS && v[0] < 0 ? "idle for longer than the clock says"
                                                          : obt_message_fault(kind, v);
    if (fault)
        obt_problem(l->trace, l->number, "%s: %s", l->what, fault);
    return !fault;
}

/* Reads what stands behind "clock S US node N". */
static bool fields(line *l, const char *form, int64_t *values, size_t *count)
{
    while (*form) {
        size_t length = strcspn(form, " ");
        if (*form == '?') {
            skip_space(l);
            if (l->p == l->end)
                return true;
        } else if (*form != '%') {
            if (!keyword(l, form, length))
                return false;
        } else if (form[1] == 'd') {
            if (!number(l, INT64_MIN, INT64_MAX, "a whole number", &values[(*count)++]))
                return false;
        } else if (form[1] == 't') {
            if (!time_of(l, &values[(*count)++]))
                return false;
        } else {
            if (l->p < l->end)
                l->p++;
            values[(*count)++] = (int64_t)obt_text(l->trace, l->p, (size_t)(l->end - l->p));
            l->p = l->end;
        }
        form += length;
        form += *form == ' ';
    }
    return true;
}

/* Names of block types that obt_picl_write has left. */
static bool names_block(obt_trace *t, const char *text)
{
    long long block;
    int at = 0;
    if (sscanf(text, "block_type %lld is %n", &block, &at) != 1 || at == 0 || !text[at])
        return false;
    obt_name_routine(t, block, text + at);
    return true;
}

/* The record's number; 0: it is none. */
static int record_of(line *l)
{
    word w = next_word(l);
    int64_t kind = 1;
    l->verbose = !whole(w, &kind);
    while (l->verbose && kind < OBT_WAIT_BEGIN &&
           !same(w, obt_kind_name((int)kind), strlen(obt_kind_name((int)kind))))
        kind++;
    if (kind > 0 && kind < OBT_WAIT_BEGIN) {
        l->what = obt_kind_name((int)kind);
        return (int)kind;
    }
    if (!l->verbose && kind < 0)
        obt_problem(l->trace, l->number,
                    "record type %s: this is PICL's later trace format, "
                    "which stands in files of its own",
                    quote(w));
    else
        obt_problem(l->trace, l->number, "'%s' is no PICL record", quote(w));
    return 0;
}

static void read_line(line *l)
{
    int64_t time, id, values[OBT_VALUES] = {0};
    size_t count = 0;
    skip_space(l);
    if (l->p == l->end)
        return;
    int kind = record_of(l);
    if (!kind || !keyword(l, "clock", 5) || !time_of(l, &time) || !keyword(l, "node", 4) ||
        !processor(l, &id))
        return;
    bool short_form = kind == OBT_COMPSTATS && !l->verbose;
    if (!fields(l, short_form ? "idle %t" : ob_picl_record_of(kind)->form, values, &count))
        return;
    /* The one record whose compact form lacks a field: busy is what is not idle. */
    if (short_form) {
        values[1] = values[0];
        values[0] = time - values[1];
        count = 2;
    }
    word rest = next_word(l);
    if (rest.length) {
        wrong(l, "the end of the line", rest);
        return;
    }
    if (!sensible(l, (obt_kind)kind, values))
        return;
    if (kind == OBT_TRACE_MESSAGE && names_block(l->trace, l->trace->texts[values[0]]))
        return;
    obt_add(l->trace, time, (int32_t)id, (obt_kind)kind, values, count);
}

/* Of a block's line the last word and its number may stand on the next line. */
static bool goes_on(const char *text, const char *end)
{
    line rest = {.p = text, .end = end};
    return same(next_word(&rest), "parameter_type", strlen("parameter_type"));
}

static const char *end_of_line(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return newline ? newline : end;
}

void obt_picl_read(obt_trace *t, const char *text, size_t length)
{
    size_t verbose = 0, compact = 0, before;
    const char *end = text + length;
    for (size_t n = 1; text < end; n++) {
        const char *stop = end_of_line(text, end);
        size_t wrapped = stop < end && goes_on(stop + 1, end);
        if (wrapped)
            stop = end_of_line(stop + 1, end);
        line l = {t, n, text, stop, false, stop == end, ""};
        if (l.end > l.p && l.end[-1] == '\r')
            l.end--;
        before = t->event_count;
        read_line(&l);
        if (t->event_count > before)
            *(l.verbose ? &verbose : &compact) += 1;
        n += wrapped;
        text = stop < end ? stop + 1 : end;
    }
    t->format = verbose && compact ? "PICL, verbose and compact records mixed"
                : compact          ? "PICL, compact"
                                   : "PICL, verbose";
}

bool obt_picl_likely(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (text[n] == ' ' || text[n] == '\n' || text[n] == '\r' || text[n] == '\t'))
        n++;
    size_t w = n;
    while (w < length && ((text[w] >= '0' && text[w] <= '9') || text[w] == '_' || text[w] == '-' ||
                          (text[w] >= 'a' && text[w] <= 'z')))
        w++;
    return w > n && w < length && (text[w] == ' ' || text[w] == '\t');
}
