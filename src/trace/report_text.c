/*
 * The report of OPENBLACS_STATS as tables: LAWN 73's timing level (7.1.4), laid out as users of
 * mpiP know it.
 */
#include <stdio.h>
#include <string.h>

#include "trace/report.h"

enum { TOP = 20 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* An offset of 0: the function did not make the call itself. */
static void print_function(ob_report_out *out, const char *function, const char *object,
                           uint64_t offset)
{
    ob_report_print(out, "%s", *function ? function : base_name(object));
    if (offset)
        ob_report_print(out, "+0x%llx", (unsigned long long)offset);
}

static void print_place(ob_report_out *out, const ob_report_line *l)
{
    if (*l->object == 0) {
        ob_report_print(out, "-\n");
        return;
    }
    print_function(out, l->function, l->object, l->offset);
    if (*l->from) {
        ob_report_print(out, " called from ");
        print_function(out, l->caller, l->from, l->caller_offset);
    }
    if (*l->from ? *l->caller : *l->function)
        ob_report_print(out, " (%s)", base_name(*l->from ? l->from : l->object));
    ob_report_print(out, "\n");
}

static int longest_name(const ob_report_lines *all, size_t shown)
{
    size_t longest = 12;
    for (size_t i = 0; i < shown; i++)
        if (strlen(all->at[i].routine) > longest)
            longest = strlen(all->at[i].routine);
    return (int)longest;
}

static void print_lines(ob_report_out *out, const char *title, const ob_report_lines *all,
                        uint64_t wall, bool places)
{
    size_t shown = all->count < TOP || !places ? all->count : TOP;
    int width = longest_name(all, shown);
    ob_report_print(out, "\n%s\n%-*s %10s %11s %6s %6s %12s %9s %11s %10s %8s%s\n", title, width,
                    "routine", "calls", "time s", "time%", "wait%", "bytes", "least", "mean",
                    "most", "balance", places ? " called from" : "");
    for (size_t i = 0; i < shown; i++) {
        const ob_report_line *l = &all->at[i];
        const ob_trace_row *s = &l->sum;
        double mean = (double)s->time / (l->processes ? l->processes : 1);
        ob_report_print(out, "%-*s %10llu %11.6f %6.2f %6.2f %12llu %9llu %11.1f %10llu %8.2f%s",
                        width, l->routine, (unsigned long long)s->calls, (double)s->time * 1e-9,
                        wall ? 100.0 * (double)s->time / (double)wall : 0.0,
                        s->time ? 100.0 * (double)s->blocked / (double)s->time : 0.0,
                        (unsigned long long)s->bytes, (unsigned long long)s->least,
                        s->messages ? (double)s->bytes / (double)s->messages : 0.0,
                        (unsigned long long)s->most, mean > 0 ? mean / (double)l->most_time : 1.0,
                        places ? " " : "\n");
        if (places)
            print_place(out, l);
    }
    if (shown < all->count)
        ob_report_print(out, "(%zu more call sites with less time)\n", all->count - shown);
}

static void print_process(ob_report_out *out, const ob_report_process *one)
{
    const ob_trace_process *p = one->process;
    const ob_trace_row *total = &one->total;
    double wall = (double)(p->ended - p->started);
    ob_report_print(out, "%7d %11.6f %11.6f %6.2f %11.6f %6.2f %11.6f %11.6f %12llu %s\n",
                    one->number, wall * 1e-9, (double)total->time * 1e-9,
                    wall > 0 ? 100 * (double)total->time / wall : 0, (double)total->blocked * 1e-9,
                    wall > 0 ? 100 * (double)total->blocked / wall : 0,
                    (double)total->packing * 1e-9, (double)p->cpu * 1e-9,
                    (unsigned long long)total->bytes, p->host);
}

static void print_title(const ob_report *r, ob_report_out *out)
{
    const ob_trace_header *h = r->head;
    char of[32] = "";
    if (h->written < h->processes)
        snprintf(of, sizeof of, " of %u", h->processes);
    ob_report_print(out,
                    "OpenBLACS statistics: %.*s, %u%s process%s\n"
                    "\n%7s %11s %11s %6s %11s %6s %11s %11s %12s %s\n",
                    r->first ? (int)sizeof r->first->program : 0, r->first ? r->first->program : "",
                    h->written, of, h->processes == 1 ? "" : "es", "process", "wall s",
                    "in calls s", "%", "waiting s", "%", "moving s", "cpu s", "bytes", "host");
}

void ob_report_text(const ob_report *r, ob_report_out *out)
{
    const ob_trace_header *h = r->head;
    print_title(r, out);
    for (size_t i = 0; i < r->count; i++)
        print_process(out, &r->process[i]);
    if (h->written < h->joined)
        ob_report_print(out, "%u of %u processes ended without leaving their statistics\n",
                        h->joined - h->written, h->joined);
    print_lines(out,
                "by routine, all processes (time% of the wall time of all; balance: mean / most "
                "of the processes)",
                &r->routines, r->wall, false);
    print_lines(out, "by routine and call site", &r->sites, r->wall, true);
    ob_report_flush(out);
}
