/*
 * Commands of obtrace that read their own arguments, and what commands share.
 */
#ifndef OBTRACE_COMMANDS_H
#define OBTRACE_COMMANDS_H

#include "trace.h"

/* Ends the program with status 2 and one line about the word (OB-9601). */
void obt_usage(const char *format, const char *word)
    __attribute__((noreturn, format(printf, 1, 0)));
/* The value of option *i, which is the next word. */
const char *obt_argument(int *i, int argc, char **argv);

/* What nearly all commands are told. */
typedef struct obt_told {
    const char *output;
    bool plain;
} obt_told;
/* Takes --plain, -o FILE and --output FILE at *i; prints the help for -h and --help, and ends the
 * program. False: it is none of these. */
bool obt_take_option(obt_told *told, const char *help, int *i, int argc, char **argv);

/* NULL or "-": standard output. */
FILE *obt_open_output(const char *path);
/* A file that could not be written whole is not left behind; a device is. */
void obt_close_output(FILE *out, const char *path);
/* Gives the trace up; the exit status tells whether all of it could be read. */
int obt_done(obt_trace *t);

/* Arguments behind the command's name; the exit status. */
int obt_whatif_command(int argc, char **argv);
int obt_scaling_command(int argc, char **argv);
int obt_compare_command(int argc, char **argv);

#endif
