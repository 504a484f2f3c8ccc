/*
 * obtrace: looks at execution traces, and turns them into other formats.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis.h"
#include "formats.h"

static const char help[] =
    "usage: obtrace COMMAND TRACE [OPTION ...]\n"
    "Looks at the trace of a parallel program, or turns it into another format.\n"
    "\n"
    "commands\n"
    "  convert TRACE -o FILE [--to FORMAT]  the same events in another format; without\n"
    "                         --to the format is told by FILE's suffix\n"
    "  stat TRACE [--plain]   where the time went, in the terminal; --plain for programs\n"
    "  report TRACE -o FILE.html   the same and much more as a page to look at\n"
    "\n"
    "options\n"
    "  -o, --output FILE      where to write (standard output)\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "formats\n";

typedef struct options {
    const char **inputs, *output, *to;
    size_t count, room; /* of inputs */
    bool plain;
} options;

typedef struct command {
    const char *name;
    size_t most; /* traces that it looks at */
    int (*run)(const options *o);
} command;

static int convert(const options *o);
static int stat_command(const options *o);
static int report(const options *o);

static const command commands[] = {
    {"convert", 1, convert}, {"stat", 1, stat_command}, {"report", 1, report}};

static void print_help(void)
{
    fputs(help, stdout);
    for (const obt_format *f = obt_formats; f->name; f++)
        printf("  %-10s %-8s %s\n", f->name, f->suffix, f->about);
    puts("A damaged file: what can be read is used, what cannot is told with its line, and the\n"
         "exit status is 1. TRACE may be - for standard input.");
}

static void usage(const char *format, const char *word)
{
    fprintf(stderr, "obtrace: ");
    fprintf(stderr, format, word);
    fprintf(stderr, "; see obtrace --help\n");
    exit(2);
}

static const char *argument(int *i, int argc, char **argv)
{
    if (*i + 1 >= argc)
        usage("%s needs a value", argv[*i]);
    return argv[++*i];
}

static const command *command_named(const char *name)
{
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strcmp(commands[k].name, name) == 0)
            return &commands[k];
    usage("no command is called %s", name);
    return NULL;
}

static const command *read_options(int argc, char **argv, options *o)
{
    const command *found = NULL;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0) {
            print_help();
            exit(0);
        } else if (strcmp(a, "-V") == 0 || strcmp(a, "--version") == 0) {
            puts("obtrace (OpenBLACS) " OBT_VERSION);
            exit(0);
        } else if (strcmp(a, "-o") == 0 || strcmp(a, "--output") == 0) {
            o->output = argument(&i, argc, argv);
        } else if (strcmp(a, "--to") == 0) {
            o->to = argument(&i, argc, argv);
        } else if (strcmp(a, "--plain") == 0) {
            o->plain = true;
        } else if (a[0] == '-' && a[1]) {
            usage("what is %s?", a);
        } else if (!found) {
            found = command_named(a);
        } else if (o->count < found->most) {
            o->inputs = obt_grow(o->inputs, o->count, &o->room, sizeof *o->inputs);
            o->inputs[o->count++] = a;
        } else {
            usage(found->most == 1 ? "one trace at a time: what is %s?" : "too many traces: %s", a);
        }
    }
    if (!found)
        usage("%s is missing", "a command");
    if (o->count == 0)
        usage("%s is missing", "a trace file");
    return found;
}

static FILE *open_output(const char *path)
{
    FILE *out = path && strcmp(path, "-") ? fopen(path, "wb") : stdout;
    if (!out)
        obt_die("%s: cannot be written: %s", path, strerror(errno));
    return out;
}

/* A file that could not be written whole is not left behind; a device is. */
static void close_output(FILE *out, const char *path)
{
    bool bad = ferror(out) | (fflush(out) != 0);
    int why = errno;
    struct stat s;
    bool plain = fstat(fileno(out), &s) == 0 && S_ISREG(s.st_mode);
    if (out != stdout)
        bad |= fclose(out) != 0;
    if (!bad)
        return;
    if (out != stdout && plain)
        remove(path);
    obt_die("%s: cannot be written: %s", path ? path : "standard output", strerror(why));
}

/* Gives the trace up; the exit status tells whether all of it could be read. */
static int done(obt_trace *t)
{
    size_t problems = t->problems;
    if (*t->unfinished)
        fprintf(stderr, "obtrace: %s: %s\n", t->path, t->unfinished);
    if (problems)
        fprintf(stderr, "obtrace: %s: %zu records could not be read\n", t->path, problems);
    obt_trace_free(t);
    return problems > 0;
}

static int convert(const options *o)
{
    const obt_format *f = o->to       ? obt_format_named(o->to)
                          : o->output ? obt_format_of_file(o->output)
                                      : NULL;
    if (!f)
        usage(o->to ? "no format is called %s" : "--to is missing%s", o->to ? o->to : "");
    if (!f->write && !f->write_path)
        usage("obtrace reads the format %s, but does not write it", f->name);
    if (f->write_path && (!o->output || strcmp(o->output, "-") == 0))
        usage("%s is not one file: -o is needed", f->name);
    obt_trace *t = obt_read(o->inputs[0]);
    size_t left_out;
    if (f->write_path) {
        left_out = f->write_path(t, o->output);
    } else {
        FILE *out = open_output(o->output);
        left_out = f->write(t, out);
        close_output(out, o->output);
    }
    if (left_out)
        fprintf(stderr, "obtrace: %zu events left out: %s has no way to say them\n", left_out,
                f->name);
    return done(t);
}

static int look(const options *o, bool page)
{
    if (page && !o->output)
        usage("%s needs -o FILE.html", "report");
    obt_trace *t = obt_read(o->inputs[0]);
    obt_analysis *a = obt_analyse(t);
    FILE *out = open_output(o->output);
    if (page)
        obt_report(a, out);
    else if (o->plain)
        obt_stat_plain(a, out);
    else
        obt_stat(a, out);
    close_output(out, o->output);
    obt_analysis_free(a);
    return done(t);
}

static int stat_command(const options *o)
{
    return look(o, false);
}

static int report(const options *o)
{
    return look(o, true);
}

int main(int argc, char **argv)
{
    options o = {0};
    const command *asked = read_options(argc, argv, &o);
    int status = asked->run(&o);
    free(o.inputs);
    return status;
}
