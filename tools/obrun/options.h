/*
 * What obrun is asked to do.
 */
#ifndef OBRUN_OPTIONS_H
#define OBRUN_OPTIONS_H

#include <stdbool.h>

/* As timeout(1) and env(1). */
enum { EXIT_TIMEOUT = 124, EXIT_OBRUN = 125, EXIT_REFUSED = 126, EXIT_NOT_FOUND = 127 };

typedef struct obrun_options {
    int count;
    bool tag, verbose, bind;
    double timeout; /* 0: none */
    char **argv;
} obrun_options;

/* Ends obrun where the options are wrong, and after --help and --version. */
void obrun_read_options(obrun_options *o, char **argv);

#endif
