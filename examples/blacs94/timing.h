/*
 * What the timing programs of this folder share: their arguments, the series of lengths and of
 * receivers, the output file, and the MPI library's own calls where the program is built with one
 * (TIMING_MPI).
 */
#ifndef TIMING_H
#define TIMING_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/blacs94.h"
#ifdef TIMING_MPI
#include <mpi.h>
#endif

static const int zero = 0, one = 1, all = -1;

static const char *usage; /* of this program; it begins with the program's name */
static int iam, nnodes;

/* Every process comes here with the same arguments; one says so. */
static inline _Noreturn void wrong(const char *what, const char *value)
{
    if (iam == 0)
        fprintf(stderr, "%s '%s' cannot be; usage: %s\n", what, value, usage);
    barrier_("a");
    blacsexit_(&zero);
    exit(2);
}

/* A number from the command line, in its bounds. */
static inline int argument(int argc, char **argv, int which, const char *name, int least, int most,
                           int otherwise)
{
    char *end;
    if (argc <= which)
        return otherwise;
    long value = strtol(argv[which], &end, 10);
    if (end == argv[which] || *end || value < least || value > most)
        wrong(name, argv[which]);
    return (int)value;
}

/* Lengths in a row: FIRST, and so on up to LAST, by INCREMENT; twice as long each when that is less
 * than 1 or not less than LAST. After 0 comes 1 then, or the series would never end. */
typedef struct lengths {
    int first, last, increment, unit;
} lengths;

static inline lengths lengths_from(int argc, char **argv, int which, int unit, int last)
{
    return (lengths){argument(argc, argv, which, "FIRST", 0, INT_MAX / 4, unit),
                     argument(argc, argv, which + 1, "LAST", 0, INT_MAX / 4, last),
                     argument(argc, argv, which + 2, "INCREMENT", INT_MIN, INT_MAX / 4, 0), unit};
}

static inline int next_length(const lengths *l, int length)
{
    if (l->increment > 0 && l->increment < l->last)
        return length + l->increment;
    return length ? 2 * length : l->unit;
}

static inline int how_many(const lengths *l)
{
    int count = 0;
    for (int n = l->first; n <= l->last; n = next_length(l, n))
        count++;
    return count;
}

/* The file of that name, also "stdout" and "stderr", on the process that writes. */
static inline FILE *output(int argc, char **argv, int which, int writes)
{
    FILE *file = stdout;
    if (argc <= which || !strcmp(argv[which], "stdout") || !writes)
        return file;
    file = !strcmp(argv[which], "stderr") ? stderr : fopen(argv[which], "w");
    if (file == NULL) {
        perror(argv[which]);
        exit(1);
    }
    return file;
}

static inline void finish(FILE *file, int writes)
{
    if (writes && (fprintf(file, "End of run.\n") < 0 || fflush(file) != 0)) {
        perror("output");
        exit(1);
    }
    blacsexit_(&zero);
}

static inline void begin(const char *its_usage)
{
    usage = its_usage;
    initpinfo_(&iam, &nnodes);
    auxsetup_(&iam, &nnodes);
    blacsinit_(&one, &nnodes);
}

/* TOP 'p': the MPI library's own call. */
static inline int is_primitive(const char *top)
{
    if (*top != 'p')
        return 0;
#ifdef TIMING_MPI
    return 1;
#else
    wrong("no MPI was this program built with: TOP", top);
#endif
}

#endif
