/*
 * obtrace: looks at execution traces, and turns them into other formats.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "commands.h"
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
    "  whatif TRACE [CHANGE ...]   how long it would have taken: see obtrace whatif --help\n"
    "  scaling TRACE ... [-o FILE.svg]   efficiencies of runs with more and more processes\n"
    "  compare A ... [-- B ...] [-o FILE.html]   what became slower from A to B, and why\n"
    "  supersteps TRACE [--plain]  of a BSP program: what each superstep took, beside w + h g + l\n"
    "\n"
    "options\n"
    "  -o, --output FILE      where to write (standard output)\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "formats\n";

typedef struct options {
    const char **inputs, *to;
    size_t count, room; /* of inputs */
    obt_told told;
} options;

typedef struct command {
    const char *name;
    size_t most; /* traces that it looks at */
    int (*run)(const options *o);
} command;

static int convert(const options *o);
static int stat_command(const options *o);
static int report(const options *o);
static int supersteps(const options *o);

static const command commands[] = {{"convert", 1, convert},
                                   {"stat", 1, stat_command},
                                   {"report", 1, report},
                                   {"supersteps", 1, supersteps}};

static void print_help(void)
{
    fputs(help, stdout);
    for (const obt_format *f = obt_formats; f->name; f++)
        printf("  %-10s %-8s %s\n", f->name, f->suffix, f->about);
    puts("A damaged file: what can be read is used, what cannot is told with its line, and the\n"
         "exit status is 1. TRACE may be - for standard input.");
}

static const command *command_named(const char *name)
{
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strcmp(commands[k].name, name) == 0)
            return &commands[k];
    obt_usage("no command is called %s", name);
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
        } else if (obt_take_option(&o->told, help, &i, argc, argv)) {
            continue;
        } else if (strcmp(a, "--to") == 0) {
            o->to = obt_argument(&i, argc, argv);
        } else if (a[0] == '-' && a[1]) {
            obt_usage("what is %s?", a);
        } else if (!found) {
            found = command_named(a);
        } else if (o->count < found->most) {
            o->inputs = obt_grow(o->inputs, o->count, &o->room, sizeof *o->inputs);
            o->inputs[o->count++] = a;
        } else {
            obt_usage(found->most == 1 ? "one trace at a time: what is %s?" : "too many traces: %s",
                      a);
        }
    }
    if (!found)
        obt_usage("%s is missing", "a command");
    if (o->count == 0)
        obt_usage("%s is missing", "a trace file");
    return found;
}

/* Ends the program with the names that there are. */
static void no_format(const char *name)
{
    char words[256];
    snprintf(words, sizeof words, "%.60s; there are", name);
    const char *between = " ";
    for (const obt_format *f = obt_formats; f->name; f++) {
        if (!f->write && !f->write_path)
            continue;
        size_t n = strlen(words);
        snprintf(words + n, sizeof words - n, "%s%s", between, f->name);
        between = ", ";
    }
    obt_usage("no format is called %s", words);
}

static int convert(const options *o)
{
    const obt_format *f = o->to            ? obt_format_named(o->to)
                          : o->told.output ? obt_format_of_file(o->told.output)
                                           : NULL;
    if (!f && o->to)
        no_format(o->to);
    if (!f)
        obt_usage("%s is missing", "--to");
    if (!f->write && !f->write_path)
        obt_usage("obtrace reads the format %s, but does not write it", f->name);
    if (f->write_path && (!o->told.output || strcmp(o->told.output, "-") == 0))
        obt_usage("%s is not one file: -o is needed", f->name);
    obt_trace *t = obt_read(o->inputs[0]);
    size_t left_out;
    if (f->write_path) {
        left_out = f->write_path(t, o->told.output);
    } else {
        FILE *out = obt_open_output(o->told.output);
        left_out = f->write(t, out);
        obt_close_output(out, o->told.output);
    }
    if (left_out)
        obt_warn("OB-8504 %zu events left out: %s has no way to say them", left_out, f->name);
    return obt_done(t);
}

static int look(const options *o, bool page)
{
    if (page && !o->told.output)
        obt_usage("%s needs -o FILE.html", "report");
    obt_trace *t = obt_read(o->inputs[0]);
    obt_analysis *a = obt_analyse(t);
    FILE *out = obt_open_output(o->told.output);
    if (page)
        obt_report(a, out);
    else if (o->told.plain)
        obt_stat_plain(a, out);
    else
        obt_stat(a, out);
    obt_close_output(out, o->told.output);
    obt_analysis_free(a);
    return obt_done(t);
}

static int stat_command(const options *o)
{
    return look(o, false);
}

static int report(const options *o)
{
    return look(o, true);
}

static int supersteps(const options *o)
{
    obt_trace *t = obt_read(o->inputs[0]);
    obt_analysis *a = obt_analyse(t);
    obt_supersteps all;
    FILE *out = obt_open_output(o->told.output);
    obt_find_supersteps(a, &all);
    obt_print_supersteps(a, &all, o->told.plain, out);
    obt_close_output(out, o->told.output);
    obt_free_supersteps(&all);
    obt_analysis_free(a);
    return obt_done(t);
}

/* Commands that read their own arguments. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} others[] = {{"whatif", obt_whatif_command},
              {"scaling", obt_scaling_command},
              {"compare", obt_compare_command}};

int main(int argc, char **argv)
{
    options o = {0};
    for (size_t k = 0; argc > 1 && k < sizeof others / sizeof *others; k++)
        if (strcmp(argv[1], others[k].name) == 0)
            return others[k].run(argc - 2, argv + 2);
    const command *asked = read_options(argc, argv, &o);
    int status = asked->run(&o);
    free(o.inputs);
    return status;
}
