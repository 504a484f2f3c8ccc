/*
 * The text form of a profile. A reader trusts nothing: every word, number and
 * count has bounds, every entry must be there once, and the last line says how
 * many came before it, so that a cut file shows.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/planner/profile.h"
#include "collective/scheme/scheme.h"
#include "core/error.h"
#include "hooks/error.h"

static const char head[] = "openblacs-profile 1";
enum { LINE_BYTES = 256, WORDS = 8, LINES = 400 };

/* ------------------------------------------------------------------ writing */

typedef struct writer {
    char *text;
    size_t used;
    int lines;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->text + w->used, OB_PROFILE_TEXT - w->used, format, args);
    va_end(args);
    w->lines++;
}

static void put_curve(writer *w, const char *name, const ob_curve *c)
{
    put(w, "error %s %.3g %.3g\n", name, c->spread, c->misfit);
    for (int i = 0; i < c->pieces; i++)
        put(w, "line %s %zu %.9g %.9g\n", name, c->piece[i].from, c->piece[i].alpha,
            c->piece[i].beta);
}

static void put_natives(writer *w, const ob_profile *p)
{
    if (p->native[0][0].members || p->native[1][0].members || p->native[2][0].members)
        put(w, "# native OPERATION NODES FROM ALPHA BETA: the MPI library's own between nodes\n");
    for (int t = 0; t < OB_NATIVE_TASKS; t++)
        for (int k = 0; k < OB_NATIVE_SIZES && p->native[t][k].members; k++) {
            const ob_native_curve *n = &p->native[t][k];
            for (int i = 0; i < n->curve.pieces; i++)
                put(w, "native %s %d %zu %.9g %.9g\n", ob_task_name((ob_task)t), n->members,
                    n->curve.piece[i].from, n->curve.piece[i].alpha, n->curve.piece[i].beta);
        }
}

size_t ob_profile_format(const ob_profile *p, char text[OB_PROFILE_TEXT])
{
    writer w = {.text = text};
    ob_waiting waiting = p->waiting;
    /* A decimal point whatever the program's language. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL), before = uselocale(plain);
    put(&w, "%s\n", head);
    put(&w, "# microseconds and bytes; openblacs-profile(5)\n");
    put(&w, "host %s\n", p->host);
    put(&w, "processors %d\n", p->processors);
    put(&w, "cache %zu\n", p->cache);
    put(&w, "# line QUANTITY FROM ALPHA BETA: from FROM bytes on, alpha + beta n\n");
    put(&w, "# error QUANTITY OF-THE-DATA OF-THE-LINES\n");
    for (int q = 0; q < OB_QUANTITIES; q++)
        put_curve(&w, ob_quantity_name((ob_quantity)q), &p->curve[q]);
    for (int i = 0; i < OB_WAITING_ENTRIES; i++)
        put(&w, "waiting %s %.6g\n", ob_waiting_entries[i].name, *ob_waiting_value(&waiting, i));
    if (p->bsp_processes)
        put(&w, "bsp %d %.6g %.6g %.6g\n", p->bsp_processes, p->bsp_s, p->bsp_g, p->bsp_l);
    put_natives(&w, p);
    put(&w, "end %d\n", w.lines);
    uselocale(before);
    if (plain)
        freelocale(plain);
    return w.used;
}

/* ------------------------------------------------------------------ reading */

typedef struct reader {
    int line;
    int words;
    char *word[WORDS];
    char copy[LINE_BYTES];
    ob_profile found;
    unsigned seen;            /* bits of `entry` */
    unsigned errors, waiting; /* bits of quantities, of waiting entries */
    locale_t plain;
} reader;

enum entry { HOST = 1, PROCESSORS = 2, CACHE = 4, BSP = 8, END = 16 };

__attribute__((format(printf, 2, 3))) static int bad(const reader *r, const char *format, ...)
{
    char why[176], code[OB_CODE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    ob_error_code(why, code);
    return ob_fail(OB_EARG, "line %d: %s%s", r->line, why, code);
}

/* Digits, sign, point and exponent alone: no "inf", no hexadecimal. */
static int number(const reader *r, const char *word, double least, double most, double *value)
{
    char *end;
    *value = strtod_l(word, &end, r->plain);
    if (word[strspn(word, "0123456789+-.eE")] || end == word || *end || !isfinite(*value))
        return bad(r, "OB-8103 '%.40s' is no number", word);
    if (*value < least || *value > most)
        return bad(r, "OB-8103 %.40s is not between %g and %g", word, least, most);
    return OB_OK;
}

static int whole(const reader *r, const char *word, unsigned long long least,
                 unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 10);
    if (word[strspn(word, "0123456789")] || end == word || errno)
        return bad(r, "OB-8103 '%.40s' is no whole number", word);
    if (*value < least || *value > most)
        return bad(r, "OB-8103 %.40s is not between %llu and %llu", word, least, most);
    return OB_OK;
}

static int once(reader *r, enum entry entry)
{
    if (r->seen & entry)
        return bad(r, "OB-8103 a second '%.20s'", r->word[0]);
    r->seen |= entry;
    return OB_OK;
}

static int quantity(const reader *r, const char *word, int *q)
{
    for (*q = 0; *q < OB_QUANTITIES; ++*q)
        if (strcmp(word, ob_quantity_name((ob_quantity)*q)) == 0)
            return OB_OK;
    return bad(r, "OB-8103 '%.40s' is no quantity", word);
}

static const double far = 1e12;

/* The last three words of a line: from, alpha and beta. */
static int read_piece(reader *r, ob_curve *c)
{
    char *const *word = &r->word[r->words - 3];
    unsigned long long from = 0;
    double alpha = 0, beta = 0;
    int status = whole(r, word[0], 0, 1ull << 60, &from);
    if (!status)
        status = number(r, word[1], -far, far, &alpha);
    if (!status)
        status = number(r, word[2], -far, far, &beta);
    if (status)
        return status;
    if (c->pieces == OB_PIECES)
        return bad(r, "OB-8103 more than %d lines for %s", OB_PIECES, r->word[1]);
    c->piece[c->pieces++] = (ob_piece){.from = (size_t)from, .alpha = alpha, .beta = beta};
    return OB_OK;
}

static int read_line(reader *r)
{
    int q;
    int status = quantity(r, r->word[1], &q);
    return status ? status : read_piece(r, &r->found.curve[q]);
}

static int read_native(reader *r)
{
    int task = 0, k = 0;
    unsigned long long members = 0;
    while (task < OB_NATIVE_TASKS && strcmp(r->word[1], ob_task_name((ob_task)task)))
        task++;
    if (task == OB_NATIVE_TASKS)
        return bad(r, "OB-8103 '%.40s' is none of broadcast, combine and combine-all", r->word[1]);
    int status = whole(r, r->word[2], 2, 1 << 24, &members);
    if (status)
        return status;
    ob_native_curve *n = r->found.native[task];
    while (k < OB_NATIVE_SIZES && n[k].members && n[k].members != (int)members)
        k++;
    if (k == OB_NATIVE_SIZES)
        return bad(r, "OB-8103 more than %d numbers of nodes for 'native %s'", OB_NATIVE_SIZES,
                   r->word[1]);
    n[k].members = (int)members;
    return read_piece(r, &n[k].curve);
}

static int read_error(reader *r)
{
    int q, status = quantity(r, r->word[1], &q);
    if (!status && r->errors & 1u << q)
        return bad(r, "OB-8103 a second 'error %s'", r->word[1]);
    if (!status)
        status = number(r, r->word[2], 0, far, &r->found.curve[q].spread);
    if (!status)
        status = number(r, r->word[3], 0, far, &r->found.curve[q].misfit);
    if (!status)
        r->errors |= 1u << q;
    return status;
}

static int read_host(reader *r)
{
    int status = once(r, HOST);
    if (!status && strlen(r->word[1]) >= sizeof r->found.host)
        return bad(r, "OB-8103 the host's name has more than %zu letters",
                   sizeof r->found.host - 1);
    if (!status)
        strcpy(r->found.host, r->word[1]);
    return status;
}

static int read_processors(reader *r)
{
    unsigned long long n = 0;
    int status = once(r, PROCESSORS);
    if (!status)
        status = whole(r, r->word[1], 1, 1 << 20, &n);
    r->found.processors = (int)n;
    return status;
}

static int read_cache(reader *r)
{
    unsigned long long n = 0;
    int status = once(r, CACHE);
    if (!status)
        status = whole(r, r->word[1], 0, 1ull << 50, &n);
    r->found.cache = (size_t)n;
    return status;
}

static int read_waiting(reader *r)
{
    for (int i = 0; i < OB_WAITING_ENTRIES; i++) {
        const ob_waiting_entry *e = &ob_waiting_entries[i];
        if (strcmp(r->word[1], e->name))
            continue;
        if (r->waiting & 1u << i)
            return bad(r, "OB-8103 a second 'waiting %s'", e->name);
        r->waiting |= 1u << i;
        return number(r, r->word[2], e->least, e->most, ob_waiting_value(&r->found.waiting, i));
    }
    return bad(r, "OB-8103 '%.40s' is no cost of waiting", r->word[1]);
}

static int read_bsp(reader *r)
{
    unsigned long long n = 0;
    double *field[] = {&r->found.bsp_s, &r->found.bsp_g, &r->found.bsp_l};
    int status = once(r, BSP);
    if (!status)
        status = whole(r, r->word[1], 1, 1 << 24, &n);
    r->found.bsp_processes = (int)n;
    for (int i = 0; i < 3 && !status; i++)
        status = number(r, r->word[i + 2], -far, far, field[i]);
    return status;
}

static int read_end(reader *r)
{
    unsigned long long lines = 0;
    int status = once(r, END);
    if (!status)
        status = whole(r, r->word[1], 0, LINES, &lines);
    if (!status && lines + 1 != (unsigned long long)r->line)
        return bad(r, "OB-8103 %llu lines should stand before this one, there are %d", lines,
                   r->line - 1);
    return status;
}

static const struct {
    const char *key;
    int words;
    int (*read)(reader *);
} entries[] = {
    {"line", 5, read_line},   {"error", 4, read_error},
    {"host", 2, read_host},   {"processors", 2, read_processors},
    {"cache", 2, read_cache}, {"waiting", 3, read_waiting},
    {"bsp", 5, read_bsp},     {"native", 6, read_native},
    {"end", 2, read_end},
};

static int read_entry(reader *r)
{
    if (r->seen & END)
        return bad(r, "OB-8103 something stands behind the end");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(r->word[0], entries[i].key))
            continue;
        if (r->words != entries[i].words)
            return bad(r, "OB-8103 '%s' takes %d words, not %d", entries[i].key,
                       entries[i].words - 1, r->words - 1);
        return entries[i].read(r);
    }
    return bad(r, "OB-8103 '%.40s' is no entry of a profile", r->word[0]);
}

/* The words of a line; none when it is a comment. */
static int split(reader *r, const char *line, size_t bytes)
{
    r->words = 0;
    if (bytes >= sizeof r->copy)
        return bad(r, "OB-8103 more than %zu bytes", sizeof r->copy - 1);
    for (size_t i = 0; i < bytes; i++)
        if (line[i] != '\t' && (line[i] < ' ' || line[i] > '~'))
            return bad(r, "OB-8103 a byte that is no plain text");
    if (bytes && line[0] == '#')
        return OB_OK;
    memcpy(r->copy, line, bytes);
    r->copy[bytes] = '\0';
    char *rest, *word = strtok_r(r->copy, " \t", &rest);
    for (; word; word = strtok_r(NULL, " \t", &rest)) {
        if (r->words == WORDS)
            return bad(r, "OB-8103 more than %d words", WORDS);
        r->word[r->words++] = word;
    }
    return OB_OK;
}

static int read_head(reader *r, const char *line, size_t bytes)
{
    r->line = 1;
    if (bytes < 17 || memcmp(line, head, 17))
        return bad(r, "OB-8103 it is no profile: the first line is not '%s'", head);
    if (bytes != strlen(head) || memcmp(line, head, bytes))
        return bad(
            r,
            "OB-8103 it is of another version ('%.*s', this library reads '%s'); make a new one "
            "with obbench fit",
            (int)(bytes < 40 ? bytes : 40), line, head);
    return OB_OK;
}

static int read_lines(reader *r, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        const char *newline = memchr(bytes + at, '\n', count - at);
        if (newline == NULL)
            return ob_fail(OB_EARG, "OB-8103 it is cut off in line %d", r->line + 1);
        size_t length = (size_t)(newline - bytes) - at;
        int status;
        if (++r->line > LINES)
            return bad(r, "OB-8103 more than %d lines", LINES);
        if (r->line == 1)
            status = read_head(r, bytes + at, length);
        else if (!(status = split(r, bytes + at, length)) && r->words)
            status = read_entry(r);
        if (status)
            return status;
        at += length + 1;
    }
    return OB_OK;
}

static int complete(const reader *r)
{
    if (!(r->seen & END))
        return ob_fail(OB_EARG, "OB-8103 it is cut off behind line %d: the line 'end' is missing",
                       r->line);
    if (!(r->seen & HOST) || !(r->seen & PROCESSORS) || !(r->seen & CACHE) ||
        r->waiting != (1u << OB_WAITING_ENTRIES) - 1)
        return ob_fail(OB_EARG, "OB-8103 one of the entries host, processors, cache and waiting is "
                                "missing");
    return ob_profile_check(&r->found);
}

int ob_profile_parse(const char *bytes, size_t count, ob_profile *profile)
{
    reader r = {.found = {.origin = OB_MEASURED}};
    if (count == 0)
        return ob_fail(OB_EARG, "OB-8103 it is empty");
    if (count > OB_PROFILE_BYTES)
        return ob_fail(OB_EARG, "OB-8103 it has more than the %d bytes that a profile may have",
                       OB_PROFILE_BYTES);
    r.plain = newlocale(LC_ALL_MASK, "C", NULL);
    if (r.plain == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to read numbers");
    int status = read_lines(&r, bytes, count);
    if (!status)
        status = complete(&r);
    if (!status)
        *profile = r.found;
    freelocale(r.plain);
    return status;
}
