/*
 * obrun's command line.
 */
#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/launch.h"

static const char usage[] =
    "usage: obrun [-n P] [--tag] [--timeout SECONDS] [--bind none|core]\n"
    "             [-x VAR[=VALUE]]... [-v] [--] PROGRAM [ARGUMENTS]\n"
    "Starts P processes of PROGRAM on this machine, joined by shared memory.\n"
    "\n"
    "processes\n"
    "  -n P, -np P       how many (default: one for each usable processor)\n"
    "  --bind none|core  core: tie each process to one processor (default: none)\n"
    "  -x VAR=VALUE      set an environment variable of the processes\n"
    "  -x VAR            the same with obrun's own value, which must exist\n"
    "output and end\n"
    "  --tag             begin each line of output with [number of the process]\n"
    "  --timeout SECONDS end the job after this time, with status 124\n"
    "  -v                say when processes start and end\n"
    "about obrun\n"
    "  -h, --help\n"
    "  --version\n"
    "The status is that of the first process that failed, 128 + signal if by a signal.\n";

enum { MISUSE_TEXT = 8192 };

__attribute__((noreturn, format(printf, 1, 2))) static void misuse(const char *format, ...)
{
    char text[MISUSE_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "obrun: %s; see obrun --help [OB-9601]\n", text);
    exit(EXIT_OBRUN);
}

static int read_count(const char *option, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < 1 || value > 65535)
        misuse("%s %s: the number of processes must be from 1 to 65535", option, text);
    return (int)value;
}

static double read_seconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0) || value > 1e9)
        misuse("--timeout %s: give seconds above 0 and up to 1e9", text);
    return value;
}

static bool read_bind(const char *text)
{
    if (strcmp(text, "core") && strcmp(text, "none"))
        misuse("--bind %s: give none or core", text);
    return strcmp(text, "core") == 0;
}

/* Local processes inherit obrun's environment: it is enough to set it here. */
static void set_variable(const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == text || *text == 0)
        misuse("-x %s: the variable's name is empty", text);
    if (equals == NULL) {
        if (getenv(text) == NULL)
            misuse("-x %s: there is no such variable to pass on", text);
        return;
    }
    char *name = strndup(text, (size_t)(equals - text));
    if (name == NULL || setenv(name, equals + 1, 1) != 0)
        misuse("-x %s: %s", text, strerror(errno));
    free(name);
}

/* The value of an option that may be written "--name value" or "--name=value". */
static const char *value_of(const char *option, const char *equals, char **argv, int *at)
{
    if (equals)
        return equals + 1;
    if (argv[*at + 1] == NULL)
        misuse("%s: its value is missing", option);
    return argv[++*at];
}

static bool is(const char *option, const char *a, const char *b)
{
    return strcmp(option, a) == 0 || (b && strcmp(option, b) == 0);
}

static bool read_flag(obrun_options *o, const char *option)
{
    if (is(option, "--help", "-h")) {
        fputs(usage, stdout);
    } else if (is(option, "--version", NULL)) {
        printf("obrun (OpenBLACS) %d.%d.%d\n", OB_VERSION_MAJOR, OB_VERSION_MINOR,
               OB_VERSION_PATCH);
    } else if (is(option, "--tag", NULL)) {
        return o->tag = true;
    } else if (is(option, "-v", "--verbose")) {
        return o->verbose = true;
    } else {
        return false;
    }
    exit(fflush(stdout) == 0 ? 0 : EXIT_OBRUN);
}

static void read_valued(obrun_options *o, char **argv, int *at)
{
    const char *whole = argv[*at];
    const char *equals = strncmp(whole, "--", 2) == 0 ? strchr(whole, '=') : NULL;
    char option[32];
    snprintf(option, sizeof option, "%.*s", equals ? (int)(equals - whole) : 31, whole);
    if (is(option, "-n", "-np") || is(option, "--n", "--np"))
        o->count = read_count(option, value_of(option, equals, argv, at));
    else if (is(option, "--timeout", NULL))
        o->timeout = read_seconds(value_of(option, equals, argv, at));
    else if (is(option, "--bind", NULL))
        o->bind = read_bind(value_of(option, equals, argv, at));
    else if (is(option, "-x", NULL))
        set_variable(value_of(option, equals, argv, at));
    else if (strncmp(whole, "-n", 2) == 0 && whole[2] >= '0' && whole[2] <= '9')
        o->count = read_count("-n", whole + 2);
    else
        misuse("unknown option %s", whole);
}

void obrun_read_options(obrun_options *o, char **argv)
{
    int at = 1;
    for (; argv[at] && argv[at][0] == '-' && argv[at][1]; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (!read_flag(o, argv[at]))
            read_valued(o, argv, &at);
    }
    if (argv[at] == NULL)
        misuse("no program is named");
    o->argv = argv + at;
    if (o->count == 0)
        o->count = ob_launch_processors();
}
