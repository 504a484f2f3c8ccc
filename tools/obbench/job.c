/*
 * Running the measurements, and passing results and progress from a job to
 * whoever started it: lines on the standard output of process 0 that begin with
 * '=' (a record), '!' (BSP parameters) or '@' (progress).
 */
#include "job.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "openblacs/launch.h"
#include "report.h"

/* ------------------------------------------------------------------ progress */

/* Between two lines of progress where there is no terminal. */
enum { EVERY_S = 10 };

static int jobs_done, jobs_total = 1, job_size;
static double shown_at, begun_at, part_from;
static volatile sig_atomic_t bar_is_there;

void obb_wipe_bar(void)
{
    static const char wipe[] =
        "\r                                                                      \r";
    if (bar_is_there && write(2, wipe, sizeof wipe - 1) < 0)
        return; /* nobody looks at it then */
    bar_is_there = 0;
}

/* Whoever stops it shall find a clean line, and the same exit as without the bar. */
static void wipe_and_end(int number)
{
    obb_wipe_bar();
    signal(number, SIG_DFL);
    raise(number);
}

static void wipe_at_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            now = (struct sigaction){.sa_handler = wipe_and_end, .sa_flags = SA_NODEFER};
            sigaction(numbers[i], &now, NULL);
        }
    }
}

/* A bar over all jobs, ten times a second; wiped at the end. */
static void draw_bar(double part, const char *job, const char *left)
{
    enum { WIDTH = 30 };
    if (!bar_is_there)
        wipe_at_signals();
    bar_is_there = 1;
    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++)
        fputc(i < part * WIDTH ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%  %s  %-14s", 100 * part, job, left);
    fflush(stderr);
}

/* On a terminal the bar; elsewhere a line every ten seconds. */
void obb_show_part(double part, const char *job)
{
    static bool terminal;
    double now = ob_time();
    part = part_from + (1 - part_from) * (part < 1 ? part : 1);
    if (shown_at == 0) {
        terminal = isatty(2);
        begun_at = shown_at = now;
    }
    if (now - shown_at < (terminal ? 0.1 : EVERY_S))
        return;
    char left[32] = "";
    shown_at = now;
    if (part > 0.02)
        snprintf(left, sizeof left, "%.0f s to go", (now - begun_at) * (1 - part) / part);
    if (terminal)
        draw_bar(part, job, left);
    else
        fprintf(stderr, "obbench: %.0f %% after %.0f s, %s%s%s\n", 100 * part, now - begun_at, job,
                *left ? "; " : "", left);
}

void obb_show_from(double part)
{
    part_from = part;
}

void obb_show_fit(double part)
{
    double now = ob_time();
    if (begun_at == 0 || now - shown_at < EVERY_S)
        return;
    shown_at = now;
    if (isatty(2))
        draw_bar(part, "lines are fitted", "");
    else
        fprintf(stderr, "obbench: %.0f s: lines are fitted, %.0f %%\n", now - begun_at, 100 * part);
}

static void show_progress(int done, int total)
{
    char job[32];
    double part = total ? (double)done / total : 1;
    snprintf(job, sizeof job, "%s%d processes", isatty(2) ? "" : "a job of ", job_size);
    obb_show_part((jobs_done + part) / jobs_total, job);
}

static void tell_progress(int done, int total)
{
    double now = ob_time();
    if (now - shown_at < 0.1)
        return;
    shown_at = now;
    printf("@ %d %d\n", done, total);
    fflush(stdout);
}

void obb_tell_stage(const obb_options *o, const char *what)
{
    if (!o->quiet && begun_at > 0 && ob_time() - begun_at > EVERY_S)
        fprintf(stderr, "obbench: %.0f s: %s\n", ob_time() - begun_at, what);
}

/* --------------------------------------------------------------------- here */

static void tell_results(const obb_results *r)
{
    for (int i = 0; i < r->records.count; i++) {
        fputs("= ", stdout);
        obb_write_csv_line(stdout, &r->records.at[i]);
    }
    for (int i = 0; i < r->bsp_count; i++)
        printf("! %d %.9g %.9g %.9g\n", r->bsp[i].p, r->bsp[i].s, r->bsp[i].g, r->bsp[i].l);
    fflush(stdout);
}

static ob_group *everybody(void)
{
    ob_group *all;
    if (ob_group_world(&all))
        obb_die("%s", ob_error_text());
    return all;
}

static void say_misuse(const char *why)
{
    fprintf(stderr, "obbench: %s [OB-9601]\n", why);
}

/* All find the same. One says it, and all leave in order: mpirun may lose the last words of a
 * job that is aborted. */
static _Noreturn void refuse_here(ob_job *job, ob_group *all, const char *why)
{
    if (ob_job_number(job) == 0)
        say_misuse(why);
    if (ob_barrier(all))
        ob_job_abort(job, 2);
    ob_job_stop(job, 1);
    exit(2);
}

void obb_refuse(const char *format, ...)
{
    char why[1024];
    va_list args;
    ob_job *job;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    if (ob_job_start(&job)) {
        say_misuse(why);
        exit(2);
    }
    refuse_here(job, everybody(), why);
}

bool obb_run_here(const obb_options *o, ob_job *job, obb_results *out)
{
    obb_options mine = *o;
    char why[OBB_WHY];
    obb_bench b = {.options = &mine,
                   .job = job,
                   .me = ob_job_number(job),
                   .count = ob_job_count(job),
                   .records = &out->records};
    b.all = everybody();
    if (!mine.pair_given)
        obb_find_pair(&b, mine.pair);
    if (!obb_fits(&mine, b.count, why))
        refuse_here(job, b.all, why);
    job_size = b.count;
    if (o->child)
        b.progress = tell_progress;
    else if (!o->quiet)
        b.progress = show_progress;
    obb_measure(&b);
    if (o->bsp && b.count > 1) {
        obb_bsp *bsp = &out->bsp[out->bsp_count++];
        bsp->p = b.count;
        obb_measure_bsp(&b, &bsp->s, &bsp->g, &bsp->l);
    }
    if (b.me == 0 && !o->child)
        obb_wipe_bar();
    ob_group_free(b.all);
    if (b.me == 0 && o->child)
        tell_results(out);
    return b.me == 0;
}

/* ---------------------------------------------------------------- other jobs */

static void read_line(obb_results *out, const obb_options *o, const char *line)
{
    obb_record r;
    obb_bsp bsp;
    int done, total;
    if (line[0] == '=' && obb_read_csv_line(line + 2, &r)) {
        r.spread = r.spread > 0 ? r.spread : -1;
        r.predicted = r.paper = (obb_times){-1, -1, -1, -1};
        obb_add(&out->records, &r);
    } else if (sscanf(line, "! %d %lf %lf %lf", &bsp.p, &bsp.s, &bsp.g, &bsp.l) == 4) {
        if (out->bsp_count < OBB_SIZES)
            out->bsp[out->bsp_count++] = bsp;
    } else if (sscanf(line, "@ %d %d", &done, &total) == 2) {
        if (!o->quiet)
            show_progress(done, total);
    }
}

typedef struct listener {
    obb_results *out;
    const obb_options *options;
} listener;

static void take_output(void *context, int number, int stream, const char *bytes, size_t count)
{
    const listener *l = context;
    if (stream != 1 || number != 0) {
        obb_wipe_bar();
        fwrite(bytes, 1, count, stream == 1 ? stdout : stderr);
        return;
    }
    for (const char *end = bytes + count; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline ? newline : end) - bytes);
        char *line = strndup(bytes, length);
        if (line == NULL)
            obb_die("OB-4001 no memory for a line of %zu bytes", length);
        read_line(l->out, l->options, line);
        free(line);
        bytes += length + 1;
    }
}

static char **arguments(int argc, char **argv, char *self)
{
    char **words = obb_memory((size_t)argc + 2, sizeof *words);
    memcpy(words, argv, (size_t)argc * sizeof *words);
    words[0] = self;
    words[argc] = "--as-process";
    return words;
}

/* False when a process failed; its own line is on standard error. */
static bool run_job(char **words, const obb_options *o, int count, listener *l)
{
    ob_launch_options options = {
        .count = count, .bind_cores = o->bind, .output = take_output, .context = l};
    ob_launch_program program = {.argv = words, .input = -1};
    ob_launch_event event;
    ob_launch *launch;
    bool good = true;
    if (ob_launch_open(&launch, &options) || ob_launch_start(launch, OB_LAUNCH_ALL, &program))
        obb_die("%s", ob_error_text());
    while (ob_launch_busy(launch)) {
        int got = ob_launch_wait(launch, -1, &event);
        if (got < 0)
            obb_die("%s", ob_error_text());
        if (got && good && (event.status || event.signal)) {
            good = false;
            ob_launch_end(launch);
        }
    }
    ob_launch_close(launch);
    return good;
}

void obb_run_jobs(int argc, char **argv, const obb_options *o, obb_results *out)
{
    char self[PATH_MAX], why[OBB_WHY];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        obb_die("OB-2004 cannot find its own program file: %s", strerror(errno));
    self[length] = '\0';
    for (int i = 0; i < o->size_count; i++)
        if (!obb_fits(o, o->sizes[i], why)) {
            say_misuse(why);
            exit(2);
        }
    char **words = arguments(argc, argv, self);
    listener l = {.out = out, .options = o};
    jobs_total = o->size_count;
    for (jobs_done = 0; jobs_done < o->size_count; jobs_done++) {
        job_size = o->sizes[jobs_done];
        bool good = run_job(words, o, job_size, &l);
        obb_wipe_bar();
        if (!good)
            obb_die("OB-9607 a job of %d processes failed", job_size);
    }
    free(words);
}
