/*
 * The figures 32 to 35 and 48 to 51 of LAWN 73: every time that was taken of the best topology and
 * of the MPI library's own call, repeats as points of their own; single calls beside them; and the
 * least-squares line.
 */
#include "plot.h"

#include "report.h"

/* The paper repeats its calls in a row; where only single ones were measured, these are the points.
 */
static bool has_row(const obb_records *list, const obb_record *of)
{
    for (int i = 0; i < list->count; i++) {
        obb_record r = list->at[i];
        bool row = r.calls > 1;
        r.calls = of->calls;
        if (row && obb_same_series(of, &r))
            return true;
    }
    return false;
}

static bool belongs(const obb_records *list, int index, obb_what what, int processes,
                    obb_range range)
{
    const obb_record *r = &list->at[index];
    return r->what == what && r->processes == processes && obb_begins_series(list, index) &&
           (r->calls > 1 || !has_row(list, r)) && (r->top == 'p' || obb_is_best(list, r, range));
}

static bool is_in(const obb_record *of, const obb_record *r, bool single, obb_range range)
{
    obb_record c = *r;
    if (single && r->calls == 1)
        c.calls = of->calls;
    else if (single)
        return false;
    return obb_same_series(of, &c) && r->bytes >= range.from && r->bytes <= range.to;
}

/* One at a time, beside those in a row. */
static int count_singles(const obb_records *list, const obb_record *of, obb_range range)
{
    int n = 0;
    for (int i = 0; i < list->count && of->calls > 1; i++)
        n += is_in(of, &list->at[i], true, range);
    return n;
}

/* $o: in a row, with repeats; $s: one at a time. */
static void data(FILE *g, const obb_records *list, const obb_record *of, int number,
                 obb_range range)
{
    fprintf(g, "$o%d << EOD\n", number);
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (!is_in(of, r, false, range))
            continue;
        fprintf(g, "%zu %.6g\n", r->bytes, r->time.max);
        for (int k = 0; k < r->repeats; k++)
            fprintf(g, "%zu %.6g\n", r->bytes, r->repeat[k]);
    }
    fprintf(g, "EOD\n");
    if (count_singles(list, of, range) == 0)
        return;
    fprintf(g, "$s%d << EOD\n", number);
    for (int i = 0; i < list->count; i++)
        if (is_in(of, &list->at[i], true, range))
            fprintf(g, "%zu %.6g\n", list->at[i].bytes, list->at[i].time.max);
    fprintf(g, "EOD\n");
}

static void curves(FILE *g, const obb_records *list, const int *first, int count, obb_range range)
{
    fprintf(g, "plot ");
    for (int c = 0; c < count; c++) {
        const obb_record *of = &list->at[first[c]];
        char name[64], title[128];
        obb_fitted f;
        obb_fit_series(list, of, range, &f);
        obb_series_name(of, name, sizeof name);
        fprintf(g, "%s$o%d using 1:2 with points lc %d pt 6 ps 0.8 title ", c ? ", " : "", c,
                c + 1);
        snprintf(title, sizeof title, "%s%s", name, of->calls > 1 ? ", in a row" : "");
        obb_quoted(g, title);
        if (count_singles(list, of, range)) {
            fprintf(g, ", $s%d using 1:2 with points lc %d pt 1 ps 0.8 title ", c, c + 1);
            snprintf(title, sizeof title, "%s, one at a time", name);
            obb_quoted(g, title);
        }
        fprintf(g, ", %.9g + %.9g * x / 8 with lines lc %d lw 1.5 title ", f.line.alpha,
                f.line.beta, c + 1);
        snprintf(title, sizeof title, "%.4g + %.4g N", f.line.alpha, f.line.beta);
        obb_quoted(g, title);
    }
    fprintf(g, "\nunset output\n");
}

bool obb_variance_figure(FILE *g, const obb_records *list, const obb_options *o, obb_what what,
                         int processes)
{
    enum { MOST = 12 };
    obb_range range = obb_range_of(o);
    int first[MOST], count = 0, repeats = 0;
    char file[64], title[128];
    for (int i = 0; i < list->count && count < MOST; i++) {
        obb_fitted f;
        if (belongs(list, i, what, processes, range) &&
            obb_fit_series(list, &list->at[i], range, &f)) {
            first[count++] = i;
            repeats += f.points - f.lengths;
        }
    }
    if (repeats == 0)
        return false;
    snprintf(file, sizeof file, "variance-%s-%d", obb_what_name(what), processes);
    snprintf(title, sizeof title, "Variance of %s, %d processes",
             what == OBB_BROADCAST ? "broadcasts"
             : what == OBB_REDUCE  ? "combines left on one"
                                   : "combines left on all",
             processes);
    obb_set_up_figure(g, file, title, "slowest process", o);
    for (int c = 0; c < count; c++)
        data(g, list, &list->at[first[c]], c, range);
    curves(g, list, first, count, range);
    fprintf(stderr, "obbench: %s/%s.svg\n", o->plot, file);
    return true;
}
