/*
 * The Matrix Market reader of the examples. Everything a file may hold is
 * checked, and a fault is reported with the file's name and line. Banner and size
 * have a line each; the numbers behind them are read word by word, however
 * many there are to a line.
 */
#include "matrix_market.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    FILE *in;
    const char *file;
    long line;
    char *text; /* the line, and */
    size_t room;
    char *rest; /* what of it has not been read */
    bool ended;
    bool sparse;  /* coordinate format: row, column, value */
    bool integer; /* values are whole numbers */
    int symmetry; /* 0 general, 1 symmetric, -1 skew-symmetric */
    int n;
    long entries;
    double *values;
    char *fault;
    size_t fault_bytes;
} reader;

static bool fail(reader *r, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (r->line > 0)
        snprintf(r->fault, r->fault_bytes, "%s, line %ld: %s", r->file, r->line, what);
    else
        snprintf(r->fault, r->fault_bytes, "%s: %s", r->file, what);
    return false;
}

static bool next_line(reader *r)
{
    errno = 0;
    ssize_t got = getline(&r->text, &r->room, r->in);
    r->ended = got < 0 && feof(r->in);
    if (got < 0)
        return fail(r, "%s", r->ended ? "the file ends too early" : strerror(errno));
    r->line++;
    r->rest = r->text;
    if (memchr(r->text, '\0', (size_t)got))
        return fail(r, "the line has a zero byte in it; this is no text file");
    return true;
}

/* The next line that is neither a comment nor blank. */
static bool next_data(reader *r)
{
    do {
        if (!next_line(r))
            return false;
    } while (r->text[0] == '%' || r->text[strspn(r->text, " \t\r\n")] == '\0');
    return true;
}

static bool read_banner(reader *r)
{
    char object[32], format[32], field[32], symmetry[32];
    if (!next_line(r))
        return false;
    if (sscanf(r->text, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field, symmetry) !=
            4 ||
        strcasecmp(object, "matrix") != 0)
        return fail(r, "no Matrix Market matrix: the line must begin with %%%%MatrixMarket matrix");
    r->sparse = strcasecmp(format, "coordinate") == 0;
    if (!r->sparse && strcasecmp(format, "array") != 0)
        return fail(r, "format '%s'; known are coordinate and array", format);
    r->integer = strcasecmp(field, "integer") == 0;
    if (!r->integer && strcasecmp(field, "real") != 0)
        return fail(r, "values are '%s'; known are real and integer", field);
    if (strcasecmp(symmetry, "general") == 0)
        r->symmetry = 0;
    else if (strcasecmp(symmetry, "symmetric") == 0)
        r->symmetry = 1;
    else if (strcasecmp(symmetry, "skew-symmetric") == 0)
        r->symmetry = -1;
    else
        return fail(r, "symmetry '%s'; known are general, symmetric and skew-symmetric", symmetry);
    return true;
}

static bool read_size(reader *r)
{
    long rows, columns;
    int end = 0;
    if (!next_data(r))
        return false;
    int got = r->sparse ? sscanf(r->text, "%ld %ld %ld %n", &rows, &columns, &r->entries, &end)
                        : sscanf(r->text, "%ld %ld %n", &rows, &columns, &end);
    if (got != (r->sparse ? 3 : 2) || r->text[end] || r->entries < 0)
        return fail(r, "expected the size: %s",
                    r->sparse ? "rows columns entries" : "rows columns");
    if (rows != columns || rows < 1 || rows > INT_MAX)
        return fail(r, "the matrix is %ld x %ld; a system to solve must be square", rows, columns);
    r->rest = r->text + end;
    r->n = (int)rows;
    r->values = calloc((size_t)rows * (size_t)rows, sizeof *r->values);
    return r->values ? true : fail(r, "no memory for %ld x %ld values", rows, rows);
}

/* The next word of the numbers, on this line or a later one; NULL when the
 * file has ended. */
static char *next_word(reader *r)
{
    static const char blank[] = " \t\r\n";
    for (;;) {
        r->rest += strspn(r->rest, blank);
        if (*r->rest)
            break;
        if (!next_data(r))
            return NULL;
    }
    char *word = r->rest;
    r->rest += strcspn(word, blank);
    if (*r->rest)
        *r->rest++ = '\0';
    return word;
}

static bool read_index(reader *r, const char *what, long *out)
{
    char *end, *word = next_word(r);
    if (word == NULL)
        return false;
    *out = strtol(word, &end, 10);
    return *end == '\0' || fail(r, "expected a %s number, found '%s'", what, word);
}

/* Also as Fortran writes it, 1.5D-3. What strtod knows beyond that (0x10, nan, inf)
 * is no number here. */
static bool read_value(reader *r, double *out)
{
    char *end, *word = next_word(r);
    if (word == NULL)
        return false;
    if (word[strspn(word, r->integer ? "+-0123456789" : "+-.0123456789eEdD")])
        return fail(r, "expected %s number, found '%s'", r->integer ? "a whole" : "a", word);
    for (char *c = word; (c = strpbrk(c, "dD")) != NULL;)
        *c = 'e';
    *out = strtod(word, &end);
    if (*end)
        return fail(r, "expected a number, found '%s'", word);
    return isfinite(*out) || fail(r, "%s is too large", word);
}

/* Behind the last number there may be blank lines and comments. */
static bool read_end(reader *r)
{
    char *word = next_word(r);
    if (word == NULL)
        return r->ended;
    return fail(r, "'%s' follows the last of the %ld %s", word, r->entries,
                r->sparse ? "entries" : "values");
}

static void store(reader *r, long row, long column, double value)
{
    size_t n = (size_t)r->n, i = (size_t)row - 1, j = (size_t)column - 1;
    r->values[i + j * n] += value; /* repeated coordinates are added up */
    if (r->symmetry != 0 && i != j)
        r->values[j + i * n] += r->symmetry * value;
}

static bool read_coordinates(reader *r)
{
    for (long e = 0; e < r->entries; e++) {
        long row, column;
        double value;
        if (!read_index(r, "row", &row) || !read_index(r, "column", &column))
            return false;
        if (row < 1 || row > r->n || column < 1 || column > r->n)
            return fail(r, "element (%ld, %ld) lies outside the %d x %d matrix", row, column, r->n,
                        r->n);
        if (!read_value(r, &value))
            return false;
        store(r, row, column, value);
    }
    return true;
}

/* Column by column; of symmetric matrices only the lower triangle is there. */
static bool read_array(reader *r)
{
    r->entries = 0;
    for (long column = 1; column <= r->n; column++) {
        long first = r->symmetry == 0 ? 1 : r->symmetry > 0 ? column : column + 1;
        for (long row = first; row <= r->n; row++) {
            double value;
            if (!read_value(r, &value))
                return false;
            store(r, row, column, value);
            r->entries++;
        }
    }
    return true;
}

static bool read_all(reader *r)
{
    return read_banner(r) && read_size(r) && (r->sparse ? read_coordinates(r) : read_array(r)) &&
           read_end(r);
}

double *read_matrix_market(const char *file, int *n, char *fault, size_t fault_bytes)
{
    reader r = {.file = file, .fault = fault, .fault_bytes = fault_bytes};
    r.in = fopen(file, "r");
    if (r.in == NULL) {
        fail(&r, "cannot be opened");
        return NULL;
    }
    bool good = read_all(&r);
    fclose(r.in);
    free(r.text);
    if (!good) {
        free(r.values);
        return NULL;
    }
    *n = r.n;
    return r.values;
}
