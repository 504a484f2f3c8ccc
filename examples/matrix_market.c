/*
 * The Matrix Market reader of the examples. Everything a file may hold is
 * checked, and a fault is reported with the file's name and line.
 */
#include "matrix_market.h"

#include <limits.h>
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
    char text[1024];
    bool sparse;   /* coordinate format: row, column, value */
    int symmetry;  /* 0 general, 1 symmetric, -1 skew-symmetric */
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
    if (fgets(r->text, sizeof r->text, r->in) == NULL)
        return fail(r, "the file ends too early");
    r->line++;
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
    if (sscanf(r->text, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field, symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return fail(r, "no Matrix Market matrix: the line must begin with %%%%MatrixMarket matrix");
    r->sparse = strcasecmp(format, "coordinate") == 0;
    if (!r->sparse && strcasecmp(format, "array") != 0)
        return fail(r, "format '%s'; known are coordinate and array", format);
    if (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0)
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
    if (!next_data(r))
        return false;
    int got = sscanf(r->text, "%ld %ld %ld", &rows, &columns, &r->entries);
    if (got != (r->sparse ? 3 : 2))
        return fail(r, "expected the size: %s", r->sparse ? "rows columns entries" : "rows columns");
    if (rows != columns || rows < 1 || rows > INT_MAX)
        return fail(r, "the matrix is %ld x %ld; a system to solve must be square", rows, columns);
    r->n = (int)rows;
    r->values = calloc((size_t)rows * (size_t)rows, sizeof *r->values);
    return r->values ? true : fail(r, "no memory for %ld x %ld values", rows, rows);
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
        if (!next_data(r))
            return false;
        if (sscanf(r->text, "%ld %ld %lf", &row, &column, &value) != 3)
            return fail(r, "expected: row column value");
        if (row < 1 || row > r->n || column < 1 || column > r->n)
            return fail(r, "element (%ld, %ld) lies outside the %d x %d matrix", row, column, r->n,
                        r->n);
        store(r, row, column, value);
    }
    return true;
}

/* Column by column; of symmetric matrices only the lower triangle is there. */
static bool read_array(reader *r)
{
    for (long column = 1; column <= r->n; column++) {
        long first = r->symmetry == 0 ? 1 : r->symmetry > 0 ? column : column + 1;
        for (long row = first; row <= r->n; row++) {
            double value;
            if (!next_data(r))
                return false;
            if (sscanf(r->text, "%lf", &value) != 1)
                return fail(r, "expected one number");
            store(r, row, column, value);
        }
    }
    return true;
}

double *read_matrix_market(const char *file, int *n, char *fault, size_t fault_bytes)
{
    reader r = {.file = file, .fault = fault, .fault_bytes = fault_bytes};
    r.in = fopen(file, "r");
    if (r.in == NULL) {
        fail(&r, "cannot be opened");
        return NULL;
    }
    bool good = read_banner(&r) && read_size(&r) && (r.sparse ? read_coordinates(&r) : read_array(&r));
    fclose(r.in);
    if (!good) {
        free(r.values);
        return NULL;
    }
    *n = r.n;
    return r.values;
}
