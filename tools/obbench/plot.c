/*
 * Figures by gnuplot, which reads its commands and the data from a pipe.
 */
#include "plot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "openblacs/launch.h"

/* One curve: the records it is made of. */
typedef struct curve {
    char name[64];
    int index[OBB_LENGTHS];
    int count;
} curve;

enum { CURVES = 24 };

typedef struct figure {
    char file[64], title[128];
    curve curve[CURVES];
    int count;
} figure;

static void add_point(figure *f, const char *name, int index)
{
    int c = 0;
    while (c < f->count && strcmp(f->curve[c].name, name))
        c++;
    if (c == f->count) {
        if (c == CURVES)
            return;
        f->count++;
        snprintf(f->curve[c].name, sizeof f->curve[c].name, "%s", name);
        f->curve[c].count = 0;
    }
    if (f->curve[c].count < OBB_LENGTHS)
        f->curve[c].index[f->curve[c].count++] = index;
}

/* The library's points and lines; '?' is gnuplot's word for no value. */
static void data(FILE *g, const figure *f, const obb_records *list, const obb_options *o)
{
    for (int c = 0; c < f->count; c++) {
        fprintf(g, "$d%d << EOD\n", c);
        for (int i = 0; i < f->curve[c].count; i++) {
            const obb_record *r = &list->at[f->curve[c].index[i]];
            double model = obb_time_of(&r->predicted, o->statistic);
            fprintf(g, "%zu %.6g ", r->bytes, obb_time_of(&r->time, o->statistic));
            if (model >= 0)
                fprintf(g, "%.6g\n", model);
            else
                fprintf(g, "?\n");
        }
        fprintf(g, "EOD\n");
    }
}

static bool has_model(const curve *c, const obb_records *list, const obb_options *o)
{
    for (int i = 0; i < c->count; i++)
        if (obb_time_of(&list->at[c->index[i]].predicted, o->statistic) >= 0)
            return true;
    return false;
}

static void draw(FILE *g, const figure *f, const obb_records *list, const obb_options *o)
{
    static const char *const show[] = {"slowest process", "source or destination",
                                       "fastest process", "mean of the processes"};
    obb_set_up_figure(g, f->file, f->title, show[o->statistic], o);
    data(g, f, list, o);
    fprintf(g, "plot ");
    for (int c = 0; c < f->count; c++) {
        bool model = has_model(&f->curve[c], list, o);
        fprintf(g, "%s$d%d using 1:2 with %s lc %d pt %d ps 0.8 title ", c ? ", " : "", c,
                model ? "points" : "linespoints dt 3", c + 1, c + 4);
        obb_quoted(g, f->curve[c].name);
        if (model)
            fprintf(g, ", $d%d using 1:3 with lines lc %d lw 1.5 notitle", c, c + 1);
    }
    if (f->count)
        fprintf(g, ", 1/0 with points lc 'black' pt 6 title 'points: measured', "
                   "1/0 with lines lc 'black' lw 1.5 title 'lines: predicted'");
    fprintf(g, "\nunset output\n");
}

/* ------------------------------------------------------------------- figures */

static bool is_lengthy(const obb_record *r)
{
    return r->bytes > 0 && r->what != OBB_COLD && r->what != OBB_NEAR && r->what != OBB_BARRIER;
}

/* T_c, T_s and so on; of two systems, both. */
static void curves_figure(figure *f, const obb_records *list, int processes)
{
    snprintf(f->file, sizeof f->file, "messages-%d", processes);
    snprintf(f->title, sizeof f->title, "Messages and local work, %d process%s", processes,
             processes == 1 ? "" : "es");
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        char name[64];
        if (obb_is_collective(r->what) || !is_lengthy(r) || r->processes != processes)
            continue;
        int used = snprintf(name, sizeof name, "%s %s", ob_quantity_name((ob_quantity)r->what),
                            strcmp(r->system, "openblacs") ? r->system : "");
        if (obb_is_pair(r->what) && !(r->root == 0 && r->partner == 1))
            snprintf(name + used, sizeof name - (size_t)used, " %d-%d", r->root, r->partner);
        add_point(f, name, i);
    }
}

static void survey_figure(figure *f, const obb_records *list, obb_what what, int processes,
                          bool repeated)
{
    snprintf(f->file, sizeof f->file, "%s-%d-%s", obb_what_name(what), processes,
             repeated ? "in-a-row" : "single");
    snprintf(f->title, sizeof f->title, "%s, %d processes, %s",
             what == OBB_BROADCAST ? "Broadcasts"
             : what == OBB_REDUCE  ? "Combines left on one"
                                   : "Combines left on all",
             processes, repeated ? "several in a row" : "one at a time");
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        char name[32];
        if (r->what != what || !is_lengthy(r) || r->processes != processes ||
            (r->calls > 1) != repeated)
            continue;
        add_point(f, obb_series_name(r, name, sizeof name), i);
    }
}

/* As figures 24 to 31: one topology, alone and pipelined. */
static void pipeline_figure(figure *f, const obb_records *list, char top, int processes)
{
    snprintf(f->file, sizeof f->file, "pipelining-%c-%d", top, processes);
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        char name[32];
        if (r->what != OBB_BROADCAST || !is_lengthy(r) || r->processes != processes ||
            r->top != top)
            continue;
        snprintf(f->title, sizeof f->title, "%s broadcast, %d processes, alone and in a row",
                 obb_series_name(r, name, sizeof name), processes);
        add_point(f, r->calls > 1 ? "several in a row" : "one at a time", i);
    }
}

static bool write_figure(FILE *g, const figure *f, const obb_records *list, const obb_options *o)
{
    int longest = 0;
    for (int c = 0; c < f->count; c++)
        longest = f->curve[c].count > longest ? f->curve[c].count : longest;
    if (longest < 2)
        return false;
    draw(g, f, list, o);
    fprintf(stderr, "obbench: %s/%s.svg\n", o->plot, f->file);
    return true;
}

static int write_figures(FILE *g, const obb_records *list, const obb_options *o, int processes)
{
    static const char pipelined[] = "im1h";
    figure *f = obb_memory(1, sizeof *f);
    int written = 0;
    curves_figure(f, list, processes);
    written += write_figure(g, f, list, o);
    for (int w = OBB_BROADCAST; w <= OBB_COMBINE; w++)
        for (int repeated = 0; repeated < 2; repeated++) {
            memset(f, 0, sizeof *f);
            survey_figure(f, list, (obb_what)w, processes, repeated);
            written += write_figure(g, f, list, o);
        }
    for (int w = OBB_BROADCAST; w <= OBB_COMBINE; w++)
        written += obb_variance_figure(g, list, o, (obb_what)w, processes);
    for (const char *top = pipelined; *top; top++) {
        memset(f, 0, sizeof *f);
        pipeline_figure(f, list, *top, processes);
        if (f->count > 1)
            written += write_figure(g, f, list, o);
    }
    free(f);
    return written;
}

void obb_make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) && errno != EEXIST)
        obb_die("OB-9603 %s cannot be made: %s", path, strerror(errno));
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        obb_die("OB-9603 %s is no folder", path);
    if (access(path, W_OK | X_OK))
        obb_die("OB-9603 %s cannot be written to: %s", path, strerror(errno));
}

bool obb_plot(const obb_records *list, const obb_options *o)
{
    char *program = NULL;
    int most = 0, written = 0;
    if (ob_launch_find("gnuplot", &program)) {
        obb_warn("OB-9605 --plot needs gnuplot, which is not installed (Debian: gnuplot-nox); no "
                 "figures were made");
        return false;
    }
    free(program);
    signal(SIGPIPE, SIG_IGN);
    FILE *g = popen("exec gnuplot -", "w");
    if (g == NULL)
        obb_die("OB-9605 gnuplot cannot be started: %s", strerror(errno));
    for (int i = 0; i < list->count; i++)
        most = list->at[i].processes > most ? list->at[i].processes : most;
    for (int p = 1; p <= most; p++)
        written += write_figures(g, list, o, p);
    if (pclose(g) != 0)
        obb_die("OB-9605 gnuplot failed; its reason stands above");
    if (written == 0)
        obb_warn("OB-9608 nothing to plot: no kind of point has two lengths");
    return true;
}
