/*
 * LAWN 73's tables.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRIMARY = 400000, SHORT = 8000 };

bool obb_same_series(const obb_record *a, const obb_record *b)
{
    return a->what == b->what && a->top == b->top && a->branches == b->branches &&
           a->scope == b->scope && a->processes == b->processes && a->root == b->root &&
           a->partner == b->partner && (a->calls > 1) == (b->calls > 1) &&
           strcmp(a->system, b->system) == 0;
}

bool obb_begins_series(const obb_records *list, int index)
{
    for (int i = 0; i < index; i++)
        if (obb_same_series(&list->at[i], &list->at[index]))
            return false;
    return true;
}

static bool is_inside(const obb_record *r, obb_range range)
{
    return r->bytes >= range.from && r->bytes <= range.to;
}

static double in_doubles(size_t bytes)
{
    return (double)bytes / 8;
}

/* ---------------------------------------------------------------------- lines */

static int count_points(const obb_records *list, const obb_record *of, obb_range range)
{
    int n = 0;
    for (int i = 0; i < list->count; i++)
        if (obb_same_series(of, &list->at[i]) && is_inside(&list->at[i], range))
            n += 1 + list->at[i].repeats;
    return n;
}

bool obb_fit_series(const obb_records *list, const obb_record *of, obb_range range, obb_fitted *out)
{
    obb_sample *s = obb_memory((size_t)count_points(list, of, range), sizeof *s);
    *out = (obb_fitted){.error = -1};
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (!obb_same_series(of, r) || !is_inside(r, range))
            continue;
        s[out->points++] = (obb_sample){in_doubles(r->bytes), r->time.max};
        for (int k = 0; k < r->repeats; k++)
            s[out->points++] = (obb_sample){in_doubles(r->bytes), r->repeat[k]};
        out->lengths++;
        if (r->bytes > 0 && r->spread > out->error)
            out->error = r->spread;
    }
    out->line = obb_least_squares(s, out->points);
    free(s);
    return out->lengths > 1;
}

/* The logarithm of the geometric mean; HUGE_VAL for a series without times. */
static double mean_time(const obb_records *list, const obb_record *of, obb_range range)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (obb_same_series(of, r) && is_inside(r, range) && r->bytes > 0 && r->time.max > 0) {
            sum += log(r->time.max);
            n++;
        }
    }
    return n ? sum / n : HUGE_VAL;
}

static bool differ_in_topology(const obb_record *a, const obb_record *b)
{
    obb_record c = *b;
    c.top = a->top;
    c.branches = a->branches;
    return obb_same_series(a, &c) && !obb_same_series(a, b);
}

bool obb_is_best(const obb_records *list, const obb_record *of, obb_range range)
{
    double mine = mean_time(list, of, range);
    for (int i = 0; i < list->count; i++)
        if (differ_in_topology(of, &list->at[i]) && obb_begins_series(list, i) &&
            mean_time(list, &list->at[i], range) < mine)
            return false;
    return mine < HUGE_VAL;
}

obb_range obb_range_of(const obb_options *o)
{
    return o->ranged ? (obb_range){o->from, o->to} : (obb_range){0, PRIMARY};
}

/* "0-1" of what goes from one process to another; the topology of a collective call. */
static void name_series(const obb_record *r, char text[24])
{
    text[0] = '\0';
    if (obb_is_pair(r->what))
        snprintf(text, 24, "%d-%d", r->root, r->partner);
    else if (obb_is_collective(r->what))
        obb_top_text(r, text);
}

static void percent(FILE *out, double v)
{
    if (v < 0)
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %8.2f%%", 100 * v);
}

static void line_row(FILE *out, const obb_records *list, const obb_record *r, obb_range range)
{
    obb_fitted f;
    char name[24];
    if (!obb_fit_series(list, r, range, &f))
        return;
    bool star = obb_is_collective(r->what) && r->top != 'p' && obb_is_best(list, r, range);
    name_series(r, name);
    fprintf(out, "%c %-10s %6d %6s %6s %7s %8zu %8zu %11.6g %11.6g", star ? '*' : ' ', r->system,
            r->processes, obb_scope_name(r->scope), name,
            !obb_is_collective(r->what) ? ""
            : r->calls > 1              ? "yes"
                                        : "no",
            range.from, range.to, f.line.alpha, f.line.beta);
    percent(out, f.error);
    fprintf(out, " %6d\n", f.points);
}

static bool has_lines(const obb_records *list, obb_what what)
{
    for (int i = 0; i < list->count; i++)
        if (list->at[i].what == what)
            return true;
    return false;
}

static void lines_of(FILE *out, const obb_records *list, const obb_options *o, obb_what what,
                     const char *title)
{
    const obb_range ranges[] = {obb_range_of(o), {0, SHORT}};
    int count = o->ranged || obb_is_collective(what) ? 1 : 2;
    if (!has_lines(list, what))
        return;
    fprintf(out, "\n%s\n  %-10s %6s %6s %6s %7s %8s %8s %11s %11s %9s %6s\n", title, "system",
            "procs", "scope",
            obb_is_collective(what) ? "top"
            : obb_is_pair(what)     ? "pair"
                                    : "",
            obb_is_collective(what) ? "in row" : "", "from", "to", "alpha", "beta", "rel.err",
            "points");
    for (int k = 0; k < count; k++)
        for (int i = 0; i < list->count; i++)
            if (list->at[i].what == what && obb_begins_series(list, i))
                line_row(out, list, &list->at[i], ranges[k]);
}

/* --------------------------------------------------------------------- errors */

typedef struct worst {
    double root, max;
} worst;

static void look(double *most, double predicted, double measured, bool to_prediction)
{
    double by = to_prediction ? predicted : measured;
    if (predicted < 0 || measured < 0 || by <= 0)
        return;
    double off = fabs(measured - predicted) / by;
    *most = off > *most ? off : *most;
}

/* The largest relative errors of a series, of the model or of the paper's formulas. */
static worst errors_of(const obb_records *list, const obb_record *of, obb_range range, bool paper)
{
    worst w = {-1, -1};
    bool to_prediction = of->what != OBB_BROADCAST;
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        const obb_times *p = paper ? &r->paper : &r->predicted;
        if (!obb_same_series(of, r) || !is_inside(r, range) || r->bytes == 0)
            continue;
        look(&w.root, p->root, r->time.root, to_prediction);
        look(&w.max, p->max, r->time.max, to_prediction);
    }
    return w;
}

static void error_row(FILE *out, const obb_records *list, const obb_record *r, obb_range range)
{
    worst model = errors_of(list, r, range, false), paper = errors_of(list, r, range, true);
    char name[24];
    if (model.max < 0 && paper.max < 0)
        return;
    name_series(r, name);
    fprintf(out, "  %-10s %6d %6s %6s %7s", r->system, r->processes, obb_scope_name(r->scope), name,
            r->calls > 1 ? "yes" : "no");
    percent(out, model.root);
    percent(out, model.max);
    percent(out, paper.root);
    percent(out, paper.max);
    fputc('\n', out);
}

static void errors_table(FILE *out, const obb_records *list, const obb_options *o, obb_what what,
                         const char *title)
{
    if (!has_lines(list, what))
        return;
    fprintf(out, "\n%s\n  %-10s %6s %6s %6s %7s %19s %19s\n  %40s %9s %9s %9s %9s\n", title, "", "",
            "", "", "", "model", "paper", "procs  scope    top  in row", "root", "max", "root",
            "max");
    for (int i = 0; i < list->count; i++)
        if (list->at[i].what == what && obb_begins_series(list, i))
            error_row(out, list, &list->at[i], obb_range_of(o));
}

static void say_what_the_paper_assumes(FILE *out, const obb_options *o)
{
    fprintf(out, "\nThe paper's formulas here: %s, %s.\n",
            o->machine & OB_PAPER_BUFFERS ? "who starts a call copies its data first (T_m)"
                                          : "sends need no buffer",
            o->machine & OB_PAPER_NO_OVERLAP ? "nothing overlaps"
                                             : "sends, receives and operations overlap");
}

void obb_write_paper_tables(FILE *out, const obb_records *list, const obb_options *o)
{
    fprintf(out, "\nLAWN 73's tables: alpha + beta N microseconds for N doubles (8 bytes), of the "
                 "slowest process; rel.err: (max - min) /\naverage of the lengths that were "
                 "repeated, but not of the empty message. *: the topology with the least times.\n");
    lines_of(out, list, o, OBB_TC, "T_c (tables 5 and 8)");
    lines_of(out, list, o, OBB_TS, "T_s (tables 6 and 8)");
    lines_of(out, list, o, OBB_TR, "T_r, which the paper does not have");
    lines_of(out, list, o, OBB_TM, "T_m (table 7)");
    lines_of(out, list, o, OBB_TO, "T_o (table 14)");
    lines_of(out, list, o, OBB_BROADCAST, "Broadcasts (table 12)");
    lines_of(out, list, o, OBB_REDUCE, "Combines left on one");
    lines_of(out, list, o, OBB_COMBINE, "Combines left on all (table 16)");
    errors_table(out, list, o, OBB_BROADCAST,
                 "Largest |measured - predicted| / measured of broadcasts (table 11)");
    errors_table(out, list, o, OBB_REDUCE,
                 "Largest |measured - predicted| / predicted of combines left on one");
    errors_table(out, list, o, OBB_COMBINE,
                 "Largest |measured - predicted| / predicted of combines left on all (table 15)");
    say_what_the_paper_assumes(out, o);
}

/* ----------------------------------------------------------------------- JSON */

static void json_line(FILE *out, const obb_records *list, const obb_record *r, obb_range range,
                      bool *first)
{
    obb_fitted f;
    char top[8];
    if (!obb_fit_series(list, r, range, &f))
        return;
    obb_top_text(r, top);
    fprintf(
        out,
        "%s    {\"system\": \"%s\", \"what\": \"%s\", \"topology\": \"%s\", "
        "\"scope\": \"%s\", \"processes\": %d, \"root\": %d, \"partner\": %d, \"in_a_row\": %s, "
        "\"from\": %zu, \"to\": %zu, \"alpha_us\": %.6g, \"beta_us_per_double\": %.6g, "
        "\"points\": %d, \"relative_error\": ",
        *first ? "" : ",\n", r->system, obb_what_name(r->what), top, obb_scope_name(r->scope),
        r->processes, r->root, r->partner, r->calls > 1 ? "true" : "false", range.from, range.to,
        f.line.alpha, f.line.beta, f.points);
    if (f.error < 0)
        fprintf(out, "null}");
    else
        fprintf(out, "%.6g}", f.error);
    *first = false;
}

void obb_write_json_lines(FILE *out, const obb_records *list, const obb_options *o)
{
    bool first = true;
    fprintf(out, "  \"lines\": [\n");
    for (int i = 0; i < list->count; i++)
        if (list->at[i].what <= OBB_COMBINE && obb_begins_series(list, i))
            json_line(out, list, &list->at[i], obb_range_of(o), &first);
    fprintf(out, "%s  ],\n", first ? "" : "\n");
}
