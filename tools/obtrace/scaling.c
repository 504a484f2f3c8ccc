/*
 * Efficiencies of several runs beside each other: a table.
 */
#include "scaling.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "formats.h"

static obt_run run_of(const obt_analysis *a)
{
    return (obt_run){.path = a->trace->path,
                     .processes = a->active,
                     .length = a->end - a->begin,
                     .computing = a->all.state[OBT_COMPUTING],
                     .efficiency = obt_find_efficiency(a)};
}

static int by_processes(const void *x, const void *y)
{
    const obt_run *a = x, *b = y;
    int c = obt_compare((int64_t)a->processes, (int64_t)b->processes);
    return c ? c : obt_compare(b->length, a->length);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 1;
}

void obt_scale(obt_run *runs, size_t count, bool weak)
{
    qsort(runs, count, sizeof *runs, by_processes);
    for (size_t i = 0; i < count; i++) {
        obt_run *r = &runs[i];
        double more = weak ? ratio((double)r->processes, (double)runs->processes) : 1;
        r->speedup = more * ratio((double)runs->length, (double)r->length);
        r->computation = more * ratio((double)runs->computing, (double)r->computing);
        r->global = r->computation * r->efficiency.parallel;
    }
}

static void print(const obt_run *runs, size_t count, FILE *out)
{
    char time[32];
    fprintf(out, "  %9s %10s %8s %8s %8s %9s %8s %14s %9s %8s  %s\n", "processes", "time",
            "speedup", "global", "parallel", "l.balance", "comm.", "serialisation", "transfer",
            "comput.", "trace");
    for (size_t i = 0; i < count; i++) {
        const obt_run *r = &runs[i];
        const obt_efficiency *e = &r->efficiency;
        fprintf(out,
                "  %9zu %10s %8.2f %7.1f%% %7.1f%% %8.1f%% %7.1f%% %13.1f%% %8.1f%% %7.1f%%  %s\n",
                r->processes, obt_show_time(r->length, time), r->speedup, 100 * r->global,
                100 * e->parallel, 100 * e->balance, 100 * e->communication, 100 * e->serialisation,
                100 * e->transfer, 100 * r->computation, r->path);
    }
    fputs("  global = parallel x comput. (computing of the first run by this one's);\n"
          "  parallel = l.balance x comm.; comm. = serialisation x transfer\n",
          out);
}

static void print_plain(const obt_run *runs, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const obt_run *r = &runs[i];
        const obt_efficiency *e = &r->efficiency;
        fprintf(out,
                "run processes %zu length %lld speedup %.6f global %.6f parallel %.6f "
                "load-balance %.6f communication %.6f serialisation %.6f transfer %.6f "
                "computation %.6f\n",
                r->processes, (long long)r->length, r->speedup, r->global, e->parallel, e->balance,
                e->communication, e->serialisation, e->transfer, r->computation);
    }
}

/* ------------------------------------------------------------------ the command */

static const char help[] =
    "usage: obtrace scaling TRACE TRACE ... [--weak] [--plain] [-o FILE.svg]\n"
    "A table of the efficiencies of several runs, by their numbers of processes; the first is "
    "what\n"
    "the others are compared with.\n"
    "\n"
    "  --weak                 each process has as much work in all runs (otherwise: all together)\n"
    "  --plain                numbers for programs\n"
    "  -o, --output FILE.svg  also a picture\n";

static int add_run(obt_run **runs, size_t *count, size_t *room, const char *path)
{
    obt_trace *t = obt_read(path);
    obt_analysis *a = obt_analyse(t);
    *runs = obt_grow(*runs, *count, room, sizeof **runs);
    (*runs)[*count] = run_of(a);
    (*runs)[(*count)++].path = path;
    obt_analysis_free(a);
    return obt_done(t);
}

int obt_scaling_command(int argc, char **argv)
{
    obt_told told = {0};
    bool weak = false;
    size_t paths = 0, count = 0, room = 0;
    obt_run *runs = NULL;
    int status = 0;
    for (int i = 0; i < argc; i++) {
        if (obt_take_option(&told, help, &i, argc, argv))
            continue;
        if (strcmp(argv[i], "--weak") == 0)
            weak = true;
        else if (argv[i][0] == '-')
            obt_usage("what is %s?", argv[i]);
        else
            argv[paths++] = argv[i];
    }
    if (paths < 2)
        obt_usage("scaling needs %s", "two traces or more");
    for (size_t k = 0; k < paths; k++)
        status |= add_run(&runs, &count, &room, argv[k]);
    obt_scale(runs, count, weak);
    if (told.plain)
        print_plain(runs, count, stdout);
    else
        print(runs, count, stdout);
    obt_close_output(stdout, NULL);
    if (told.output) {
        FILE *out = obt_open_output(told.output);
        obt_scaling_picture(runs, count, out);
        obt_close_output(out, told.output);
    }
    free(runs);
    return status;
}
