/*
 * obbench verdict from its beginning to its end.
 */
#include "verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hooks/mpi.h"
#include "obbench/files.h"
#include "obbench/job.h"
#include "obbench/plot.h"
#include "obbench/profile.h"
#include "openblacs/launch.h"

/* Of the time: the comparison; the rest is for the profile. */
static const double COMPARISON = 0.65;
/* What fitting may take where the time is over before it begins. */
static const double FEW_S = 5;

/* The arguments of `obbench fit`, as it is carried out behind the comparison. */
typedef struct fit {
    char time[24];
    char *argv[12];
    int argc;
    obb_options options;
    obb_files files;
} fit;

static void prepare_fit(fit *f, const obv_options *o)
{
    static char profile[4096];
    char *const words[] = {"obbench",  "fit",  "--processes=2,4", "--no-mpi", "--mode=single",
                           "--top=1h", f->time};
    f->argc = sizeof words / sizeof *words;
    memcpy(f->argv, words, sizeof words);
    if (o->quiet)
        f->argv[f->argc++] = "--quiet";
    if (o->profile) {
        snprintf(profile, sizeof profile, "--profile=%s", o->profile);
        f->argv[f->argc++] = profile;
    }
    strcpy(f->time, "--time=1");
    obb_read_options(f->argc, f->argv, &f->options);
}

/* A fifth of the time is for fitting. */
static void set_fit_time(fit *f, double left)
{
    double seconds = 0.8 * left;
    snprintf(f->time, sizeof f->time, "--time=%d", seconds < 1 ? 1 : (int)seconds);
    f->options.seconds = seconds < 1 ? 1 : (int)seconds;
}

/* "AMD EPYC Processor, 2 processors". A launcher may have bound this process to one of them. */
static void name_machine(char *text, size_t room, bool alone)
{
    char line[256], *name;
    int processors = alone ? ob_launch_processors() : (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct utsname here;
    FILE *in = fopen("/proc/cpuinfo", "r");
    snprintf(text, room - 20, "%s", uname(&here) ? "this machine" : here.machine);
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, "model name", 10) == 0 && (name = strchr(line, ':'))) {
            name[1 + strcspn(name + 1, "\n")] = '\0';
            snprintf(text, room - 20, "%s", name + 2);
            break;
        }
    snprintf(text + strlen(text), 20, ", %d processor%s", processors, processors == 1 ? "" : "s");
    if (in)
        fclose(in);
}

static void folder_of(const char *path, char *folder, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, room, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
}

/* Leaves no folder behind that it has made. */
static void try_file(const char *path, const char *made)
{
    bool new = access(path, F_OK) != 0;
    FILE *out = fopen(path, "a");
    if (out == NULL) {
        int error = errno;
        if (made)
            rmdir(made);
        obb_die("OB-9603 %s cannot be written: %s", path, strerror(error));
    }
    fclose(out);
    if (new)
        unlink(path);
}

/* Before anything is measured: who waits two minutes shall not lose them then. */
static void try_files(const obv_options *o)
{
    char folder[4096], picture[4096];
    folder_of(o->picture, folder, sizeof folder);
    bool new = access(folder, F_OK) != 0;
    obb_make_folder(folder);
    for (int i = 0; i < 2; i++) {
        snprintf(picture, sizeof picture, "%s.%s", o->picture, i ? "png" : "svg");
        try_file(picture, new ? folder : NULL);
    }
    if (o->figures)
        try_file(o->figures, new ? folder : NULL);
    if (new)
        rmdir(folder);
}

static int tell(const obv_options *o, const obv_figures *f)
{
    int status = 0;
    char folder[4096];
    folder_of(o->picture, folder, sizeof folder);
    obb_make_folder(folder);
    if (o->figures)
        obv_write_file(o->figures, f);
    if (!obv_has_gnuplot())
        obv_tell_bars(stdout, f);
    else
        status = !obv_draw(f, o->picture, o->noise);
    obv_tell(stdout, f, o->noise);
    fflush(stdout);
    return status;
}

/* ------------------------------------------------------------- where it measures */

static void print_figure(void *context, const obv_series *of, double value)
{
    (void)context;
    fputs("= ", stdout);
    obv_write_line(stdout, of, value);
    fflush(stdout);
}

/* What a job under a launcher of the user's takes its figures into. */
typedef struct keeper {
    obv_figures *figures;
    const obv_options *o;
    double begun;
} keeper;

static void keep_figure(void *context, const obv_series *of, double value)
{
    const keeper *k = context;
    obv_add(k->figures, of, value);
    if (!k->o->quiet)
        obb_show_part((ob_time() - k->begun) / k->o->seconds, "this job");
}

/* True: the machine is too noisy for a profile; it is said once. */
static bool warn_of_noise(const obv_options *o, const obv_figures *f, const char *then)
{
    char why[256];
    if (!obv_is_noisy(f, o->noise, why, sizeof why))
        return false;
    obb_warn("OB-9609 the machine is too noisy: %s. %s is doubtful, and no profile is written; "
             "measure again when it is idle",
             why, then);
    return true;
}

/* What is measured is told before the fit, which may fail. Returns the exit status. */
static int run_alone(obv_options *o, obv_figures *f, double begun)
{
    fit fit;
    obv_figures after = {.count = 0};
    obb_results results = {0};
    try_files(o);
    if (o->write) {
        prepare_fit(&fit, o);
        obb_open_files(&fit.options, &fit.files);
    }
    obv_run_jobs(o, f, o->seconds * (o->write ? COMPARISON : 1));
    bool noisy = warn_of_noise(o, f, "The verdict");
    int status = tell(o, f);
    if (o->write && !noisy) {
        set_fit_time(&fit, begun + o->seconds - ob_time());
        obb_show_from((ob_time() - begun) / o->seconds);
        obb_run_jobs(fit.argc, fit.argv, &fit.options, &results);
        obv_run_look(o, &after);
        if (!warn_of_noise(o, &after, "What the profile is fitted to")) {
            obb_tell_stage(&fit.options, "all is measured; now lines are fitted");
            obb_make_profile(&fit.files, &results, fmax(FEW_S, begun + o->seconds - ob_time()),
                             &fit.files.base);
        }
        obv_free(&after);
        obb_free_records(&results.records);
    }
    return status;
}

/* All processes do what process 0 finds. */
static bool agree(ob_job *job, bool value)
{
    ob_group *all;
    int number = value && ob_job_number(job) == 0;
    ob_view v = ob_view_vector(&number, 1, OB_INT);
    if (ob_group_world(&all) || ob_broadcast(all, 0, &v, NULL))
        obb_die("%s", ob_error_text());
    ob_group_free(all);
    return number;
}

static int run_in_job(obv_options *o, ob_job *job, obv_figures *f, double begun)
{
    fit fit;
    int status = 0;
    obv_figures after = {.count = 0};
    obb_results results = {0};
    keeper k = {.figures = f, .o = o, .begun = begun};
    bool first = ob_job_number(job) == 0;
    obv_options mine = *o;
    mine.seconds = o->seconds * (o->write ? COMPARISON : 1);
    if (first)
        try_files(o);
    if (o->write) {
        prepare_fit(&fit, o);
        if (first)
            obb_open_files(&fit.options, &fit.files);
    }
    obv_measure(&mine, job, keep_figure, &k);
    if (first)
        obb_wipe_bar();
    bool noisy = agree(job, first && warn_of_noise(o, f, "The verdict"));
    if (first)
        status = tell(o, f);
    if (o->write && !noisy) {
        set_fit_time(&fit, o->seconds - mine.seconds);
        obb_show_from(COMPARISON);
        bool fits = obb_run_here(&fit.options, job, &results);
        mine.looks = true;
        k.figures = &after;
        obv_measure(&mine, job, keep_figure, &k);
        if (fits && !warn_of_noise(o, &after, "What the profile is fitted to"))
            obb_make_profile(&fit.files, &results, fmax(FEW_S, begun + o->seconds - ob_time()),
                             &fit.files.base);
        obv_free(&after);
        obb_free_records(&results.records);
    }
    return status;
}

int obv_verdict(int argc, char **argv)
{
    static obv_options o;
    obv_figures f = {.count = 0};
    ob_job *job;
    int status = 0;
    obv_read_options(argc, argv, &o);
    if (o.input) {
        obv_read_file(o.input, &f);
        try_files(&o);
        status = tell(&o, &f);
        obv_free(&f);
        return status;
    }
    if (o.bound)
        obv_take_processor();
    if (ob_job_start(&job))
        obb_die("%s", ob_error_text());
    double begun = ob_time();
    bool alone = ob_job_kind(job) == OB_ALONE;
    if (ob_job_count(job) == 1 &&
        (!alone || ob_mpi_launcher_here() || secure_getenv("OPENBLACS_JOB")))
        obb_die("OB-9601 verdict needs two processes in a job, or to be started alone");
    name_machine(f.machine, sizeof f.machine, alone);
    if (o.child)
        obv_measure(&o, job, print_figure, NULL);
    else
        status = alone ? run_alone(&o, &f, begun) : run_in_job(&o, job, &f, begun);
    obv_free(&f);
    if (ob_job_stop(job, 1))
        obb_die("%s", ob_error_text());
    return status;
}
