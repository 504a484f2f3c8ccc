/*
 * Tables, and what is said of the models' quality.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/planner.h"
#include "median.h"

static double error_of(double predicted, double measured)
{
    return predicted >= 0 && measured > 0 ? fabs(predicted - measured) / measured : -1;
}

/* -------------------------------------------------------------- predictions */

static double curve_time(const ob_profile *p, obb_what what, size_t bytes)
{
    return what < OBB_BROADCAST ? ob_curve_at(&p->curve[what], bytes) : -1;
}

static void predict_one(obb_record *r, const ob_profile *profile, int machine)
{
    obb_work work;
    r->predicted = r->paper = (obb_times){-1, -1, -1, -1};
    if (strcmp(r->system, "openblacs"))
        return;
    double t = curve_time(profile, r->what, r->bytes);
    if (t >= 0) {
        r->predicted = (obb_times){t, t, t, t};
        return;
    }
    /* The library's own choice is not one topology. */
    if (!obb_work_of(r, &work) || r->top == '-')
        return;
    if (obb_predict(profile, &work, &r->predicted) != OB_OK)
        r->predicted = (obb_times){-1, -1, -1, -1};
    if (obb_predict_paper(profile, &work, machine, &r->paper) != OB_OK)
        r->paper = (obb_times){-1, -1, -1, -1};
}

void obb_predict_all(obb_records *list, const ob_profile *profile, int machine)
{
    for (int i = 0; i < list->count; i++)
        predict_one(&list->at[i], profile, machine);
}

/* -------------------------------------------------------------------- tables */

static void cell(FILE *out, double v)
{
    if (v < 0)
        fprintf(out, " %10s", "-");
    else
        fprintf(out, " %10.*f", v < 10 ? 3 : v < 1000 ? 2 : 0, v);
}

static void percent(FILE *out, double v)
{
    if (v < 0)
        fprintf(out, " %8s", "-");
    else
        fprintf(out, " %7.1f%%", 100 * v);
}

static bool same_table(const obb_record *a, const obb_record *b)
{
    bool pair = !obb_is_pair(a->what) || (a->root == b->root && a->partner == b->partner);
    return a->what == b->what && a->processes == b->processes && a->scope == b->scope && pair &&
           strcmp(a->system, b->system) == 0;
}

static void table_head(FILE *out, const obb_record *r, const obb_options *o)
{
    static const char *const titles[OBB_WHATS] = {
        "T_c, a message from one process to another",
        "T_s, to post a send",
        "T_r, to receive a message that is there",
        "T_m, to copy a buffer",
        "T_o, the local operation",
        "Broadcast",
        "Combine, left on one",
        "Combine, left on all",
        "Barrier",
        "T_m with data out of the cache",
        "A message of 8 bytes, at the beginning and at the end"};
    static const char *const statistics[] = {"slowest process", "source or destination",
                                             "fastest process", "mean of the processes"};
    fprintf(out, "\n%s: %s", titles[r->what], r->system);
    if (r->what != OBB_TM && r->what != OBB_TO && r->what != OBB_COLD)
        fprintf(out, ", %d process%s", r->processes, r->processes == 1 ? "" : "es");
    if (obb_is_pair(r->what) && !(r->root == 0 && r->partner == 1))
        fprintf(out, ", from %d to %d", r->root, r->partner);
    if (r->scope && r->scope != 'a')
        fprintf(out, ", scope %s", obb_scope_name(r->scope));
    fprintf(out, "; microseconds\n");
    if (!obb_is_collective(r->what)) {
        fprintf(out, "%10s %10s %8s %10s %8s\n", "bytes", "measured", "rel.err", "model", "off by");
        return;
    }
    fprintf(out, "(models and errors: %s; \"in a row\": so many calls between two barriers)\n",
            statistics[o->statistic]);
    fprintf(out, "%4s %10s %6s %10s %10s %10s %10s %8s %10s %8s %10s %8s\n", "top", "bytes",
            "in row", "root", "min", "max", "mean", "rel.err", "model", "off by", "paper",
            "off by");
}

static void table_row(FILE *out, const obb_record *r, const obb_options *o)
{
    double measured = obb_time_of(&r->time, o->statistic);
    double model = obb_time_of(&r->predicted, o->statistic);
    char top[8];
    obb_top_text(r, top);
    if (!obb_is_collective(r->what)) {
        fprintf(out, "%10zu", r->bytes);
        cell(out, measured);
        percent(out, r->spread);
        cell(out, model);
        percent(out, error_of(model, measured));
        fputc('\n', out);
        return;
    }
    double paper = obb_time_of(&r->paper, o->statistic);
    fprintf(out, "%4s %10zu %6d", top, r->bytes, r->calls);
    cell(out, r->time.root);
    cell(out, r->time.min);
    cell(out, r->time.max);
    cell(out, r->time.mean);
    percent(out, r->spread);
    cell(out, model);
    percent(out, error_of(model, measured));
    cell(out, paper);
    percent(out, error_of(paper, measured));
    fputc('\n', out);
}

void obb_write_tables(FILE *out, const obb_records *list, const obb_options *o)
{
    for (int i = 0; i < list->count; i++) {
        if (i == 0 || !same_table(&list->at[i - 1], &list->at[i]))
            table_head(out, &list->at[i], o);
        table_row(out, &list->at[i], o);
    }
}

/* ------------------------------------------------------------------- quality */

typedef struct quality {
    int count, within_15, within_30;
    double *error;
} quality;

static void judge(quality *q, double error)
{
    if (error < 0)
        return;
    q->error[q->count++] = error;
    q->within_15 += error <= 0.15;
    q->within_30 += error <= 0.30;
}

static void quality_row(FILE *out, const char *what, int processes, int calls, const char *model,
                        quality *q)
{
    if (q->count == 0)
        return;
    qsort(q->error, (size_t)q->count, sizeof *q->error, obb_by_value);
    fprintf(out, "%-12s %5d %9s %-6s %7d %9.0f%% %9.0f%% %9.1f%% %9.0f%%\n", what, processes,
            calls == 1 ? "single"
            : calls    ? "in a row"
                       : "-",
            model, q->count, 100.0 * q->within_15 / q->count, 100.0 * q->within_30 / q->count,
            100 * q->error[q->count / 2], 100 * q->error[q->count - 1]);
}

/* calls: 1, 2 for more than one, 0 for no collective. The empty message is left out, as in
 * the paper. */
static void quality_of(FILE *out, const obb_records *list, const obb_options *o, obb_what what,
                       int processes, int calls)
{
    quality model = {.error = obb_memory((size_t)list->count, sizeof(double))};
    quality paper = {.error = obb_memory((size_t)list->count, sizeof(double))};
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (r->what != what || r->processes != processes || r->bytes == 0 ||
            strcmp(r->system, "openblacs"))
            continue;
        if (calls && (r->calls > 1) != (calls > 1))
            continue;
        double measured = obb_time_of(&r->time, o->statistic);
        judge(&model, error_of(obb_time_of(&r->predicted, o->statistic), measured));
        judge(&paper, error_of(obb_time_of(&r->paper, o->statistic), measured));
    }
    quality_row(out, obb_what_name(what), processes, calls, "model", &model);
    quality_row(out, obb_what_name(what), processes, calls, "paper", &paper);
    free(model.error);
    free(paper.error);
}

void obb_write_quality(FILE *out, const obb_records *list, const obb_options *o)
{
    int most = 0;
    for (int i = 0; i < list->count; i++)
        most = list->at[i].processes > most ? list->at[i].processes : most;
    fprintf(out, "\nPredicted against measured: points within 15 %% and 30 %%, median and largest "
                 "relative error\n");
    fprintf(out, "%-12s %5s %9s %-6s %7s %10s %10s %10s %10s\n", "", "procs", "", "", "points",
            "in 15 %", "in 30 %", "median", "largest");
    for (int w = 0; w < OBB_WHATS; w++)
        for (int p = 1; p <= most; p++)
            for (int calls = obb_is_collective((obb_what)w);
                 calls <= 2 * obb_is_collective((obb_what)w); calls++)
                quality_of(out, list, o, (obb_what)w, p, calls);
}

/* ------------------------------------------------------------------- profiles */

/* The paper's one line over its primary range, in its units. */
static void paper_line(FILE *out, const obb_records *list, int q)
{
    const obb_options paper = {.ranged = false};
    obb_fitted f;
    for (int i = 0; i < list->count; i++)
        if ((int)list->at[i].what == q && strcmp(list->at[i].system, "openblacs") == 0 &&
            obb_begins_series(list, i) &&
            obb_fit_series(list, &list->at[i], obb_range_of(&paper), &f))
            fprintf(out,
                    "  one line to 400000 bytes, as in the paper: alpha %.4g us, beta %.4g us "
                    "a double\n",
                    f.line.alpha, f.line.beta);
}

static void write_pieces(FILE *out, const ob_curve *c)
{
    for (int i = 0; i < c->pieces; i++)
        fprintf(out, "  from %9zu bytes: alpha %10.4g us, beta %10.4g us/KiB (%.3g GB/s)\n",
                c->piece[i].from, c->piece[i].alpha, 1024 * c->piece[i].beta,
                c->piece[i].beta > 0 ? 1e-3 / c->piece[i].beta : INFINITY);
}

static void write_native(FILE *out, const char *task, const ob_native_curve *n)
{
    fprintf(out, "%s by the MPI library's own calls, %d nodes\n", task, n->members);
    write_pieces(out, &n->curve);
}

void obb_write_profile(FILE *out, const ob_profile *p, const obb_records *list)
{
    fprintf(out, "\nProfile of %s: %d processors, %zu MiB of cache\n", p->host, p->processors,
            p->cache >> 20);
    for (int q = 0; q < OB_QUANTITIES; q++) {
        const ob_curve *c = &p->curve[q];
        fprintf(out, "%s  relative error of the data %.1f %%, of the lines %.1f %% (median)\n",
                ob_quantity_name((ob_quantity)q), 100 * c->spread, 100 * c->misfit);
        if (list)
            paper_line(out, list, q);
        write_pieces(out, c);
    }
    for (int t = 0; t < OB_NATIVE_TASKS; t++)
        for (int k = 0; k < OB_NATIVE_SIZES && p->native[t][k].members; k++)
            write_native(out, ob_plan_task_name((ob_plan_task)t), &p->native[t][k]);
    const ob_waiting *w = &p->waiting;
    fprintf(out, "calls (us)    broadcast %.3f, combine %.3f\n", w->call, w->combine);
    fprintf(out,
            "waiting (us)  glance %.2f, look %.2f, turn %.2f, ring %.2f, wake %.2f, patience "
            "%.2f\nfactors       rest %.2f, flow %.2f, spill %.2f, cold %.2f\n",
            w->glance, w->look, w->turn, w->ring, w->wake, w->patience, w->rest, w->flow, w->spill,
            w->cold);
    if (p->bsp_processes)
        fprintf(out,
                "BSP  p = %d, s = %.0f Mflop/s, g = %.4g us (%.1f flop) a double, l = %.3g us "
                "(%.0f flop)\n",
                p->bsp_processes, p->bsp_s, p->bsp_g, p->bsp_g * p->bsp_s, p->bsp_l,
                p->bsp_l * p->bsp_s);
}

void obb_write_difference(FILE *out, const ob_profile *a, const ob_profile *b)
{
    fprintf(out, "\nDifference of the two profiles, 8 B to 4 MiB, relative to the smaller time\n");
    for (int q = 0; q < OB_QUANTITIES; q++) {
        double off[32], most = 0;
        int n = 0, near = 0;
        for (size_t bytes = 8; bytes <= (size_t)4 << 20; bytes *= 2) {
            double x = ob_curve_at(&a->curve[q], bytes), y = ob_curve_at(&b->curve[q], bytes);
            double low = x < y ? x : y;
            off[n] = low > 0 ? fabs(x - y) / low : 0;
            most = off[n] > most ? off[n] : most;
            near += off[n] <= 0.1;
            n++;
        }
        qsort(off, (size_t)n, sizeof *off, obb_by_value);
        fprintf(out, "%s  median %.1f %%, largest %.1f %%; %d of %d lengths within 10 %%\n",
                ob_quantity_name((ob_quantity)q), 100 * off[n / 2], 100 * most, near, n);
    }
}
