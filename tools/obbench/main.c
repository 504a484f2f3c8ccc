/*
 * obbench: measure, fit, predict, show.
 */
#include <math.h>
#include <string.h>

#include "files.h"
#include "job.h"
#include "obbench.h"
#include "obbench/verdict/verdict.h"
#include "plot.h"
#include "profile.h"
#include "report.h"

static const double MOVED = 1.5;
/* What fitting may take at most, over the time of the measurements (--time). */
static const double FIT = 0.5;

/* In a job of several sizes the curves are measured in the first one only. */
static void leave_out_curves(obb_options *o, int count)
{
    int first = o->sizes[0];
    for (int i = 0; i < o->size_count && first < 2; i++)
        first = o->sizes[i];
    if (!(o->child && (o->fit || o->predict || o->tables)) || count == first)
        return;
    for (int w = 0; w < OBB_WHATS; w++)
        if (!obb_is_collective((obb_what)w))
            o->asked[w] = false;
}

static void write_bsp(FILE *out, const obb_results *r)
{
    if (r->bsp_count)
        fprintf(out, "\nBSP parameters\n%4s %14s %22s %22s\n", "p", "s (Mflop/s)", "g, us (flop)",
                "l, us (flop)");
    for (int i = 0; i < r->bsp_count; i++) {
        const obb_bsp *b = &r->bsp[i];
        fprintf(out, "%4d %14.0f %12.5f (%7.1f) %12.3f (%7.0f)\n", b->p, b->s, b->g, b->g * b->s,
                b->l, b->l * b->s);
    }
}

static void write_results(FILE *out, const obb_options *o, const obb_results *r,
                          const ob_profile *p)
{
    if (o->format == OBB_CSV) {
        obb_write_csv(out, &r->records);
        return;
    }
    if (o->format == OBB_JSON) {
        obb_write_json(out, &r->records, o->fit || o->predict ? p : NULL, o);
        return;
    }
    obb_write_tables(out, &r->records, o);
    if (o->fit)
        obb_write_profile(out, p, &r->records);
    if (o->fit || o->predict)
        obb_write_quality(out, &r->records, o);
    if (o->tables)
        obb_write_paper_tables(out, &r->records, o);
    write_bsp(out, r);
}

/* Times taken in different states of the machine do not describe one machine. */
static void warn_of_moves(const obb_records *list)
{
    double least = HUGE_VAL, most = 0;
    for (int i = 0; i < list->count; i++) {
        if (list->at[i].what != OBB_NEAR)
            continue;
        least = fmin(least, list->at[i].time.max);
        most = fmax(most, list->at[i].time.max);
    }
    if (most > MOVED * least)
        obb_warn("OB-9609 the processors came nearer to each other or went farther apart: 8 "
                 "bytes took %.3f us at one time and %.3f at another. Measure again: lines "
                 "through both fit neither",
                 least, most);
}

static int report(const obb_options *o, obb_files *files, obb_results *r)
{
    ob_profile *p = &files->base;
    warn_of_moves(&r->records);
    if (r->records.count == 0 && r->bsp_count == 0)
        obb_die("OB-9608 nothing was measured: T_c and T_s take a job of two processes or more");
    if (o->fit || o->predict || o->tables)
        obb_tell_stage(o, "all is measured; now lines are fitted and times predicted");
    if (o->fit)
        obb_make_profile(files, r, FIT * o->seconds, p);
    if (o->fit || o->predict || o->tables || o->plot)
        obb_predict_all(&r->records, p, o->machine);
    obb_begin_output(o, files);
    write_results(files->out, o, r, p);
    /* CSV and JSON stay what they are. */
    if (o->against)
        obb_write_difference(o->format == OBB_TABLE ? files->out : stderr, p, &files->other);
    obb_close_files(o, files);
    return o->plot && !obb_plot(&r->records, o);
}

/* In the job of this process, or, when it is alone, in jobs that it starts. */
static int measure(int argc, char **argv, obb_options *o, obb_results *results)
{
    int status = 0;
    obb_files files;
    ob_job *job;
    if (ob_job_start(&job))
        obb_die("%s", ob_error_text());
    if (ob_job_kind(job) == OB_ALONE && !(o->size_count == 1 && o->sizes[0] == 1)) {
        obb_open_files(o, &files);
        obb_run_jobs(argc, argv, o, results);
        return report(o, &files, results);
    }
    leave_out_curves(o, ob_job_count(job));
    if (ob_job_number(job) == 0 && !o->child)
        obb_open_files(o, &files);
    if (obb_run_here(o, job, results) && !o->child)
        status = report(o, &files, results);
    if (ob_job_stop(job, 1))
        obb_die("%s", ob_error_text());
    return status;
}

/* Of earlier measurements; in a job, by one process. */
static int show_earlier(const obb_options *o, obb_results *results)
{
    int status = 0;
    obb_files files;
    ob_job *job;
    if (ob_job_start(&job))
        obb_die("%s", ob_error_text());
    if (ob_job_number(job) == 0) {
        obb_read_csv(o->input, &results->records);
        obb_open_files(o, &files);
        status = report(o, &files, results);
    }
    if (ob_job_stop(job, 1))
        obb_die("%s", ob_error_text());
    return status;
}

int main(int argc, char **argv)
{
    static obb_options o;
    obb_results results = {0};
    int status;
    if (argc > 1 && strcmp(argv[1], "verdict") == 0)
        return obv_verdict(argc - 1, argv + 1);
    obb_read_options(argc, argv, &o);
    status = o.input ? show_earlier(&o, &results) : measure(argc, argv, &o, &results);
    obb_free_records(&results.records);
    return status;
}
