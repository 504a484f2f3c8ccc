/*
 * The jobs that measure: of obrun, and of the mpirun of each MPI whose module is installed, in
 * turn, several times each. Before the first one it is said what there is and what is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks/mpi.h"
#include "obbench/job.h"
#include "obbench/verdict/verdict.h"
#include "openblacs/launch.h"

enum { LAUNCHERS = 3, VISITS = 3, MOST_PROCESSES = 32, GRACE_S = 5, MOST_PROCESSORS = 65536 };
#define SET_BYTES CPU_ALLOC_SIZE(MOST_PROCESSORS)
static const double VISIT_S = 5; /* with less for each visit there is one */

typedef struct launcher {
    const char *kind; /* obrun, openmpi, mpich */
    const char *name; /* for people */
    char *program;    /* mpirun's file; NULL for obrun */
    bool failed;
} launcher;

static const struct mpi {
    const char *kind, *name, *version; /* what its mpirun says of itself */
} mpis[] = {{"openmpi", "Open MPI", "Open MPI"}, {"mpich", "MPICH", "HYDRA"}};

/* ----------------------------------------------------------------- what there is */

static bool is_of(const char *program, const char *version)
{
    char command[PATH_MAX + 64], text[4096];
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", program);
    FILE *out = strchr(program, '\'') ? NULL : popen(command, "r");
    if (out == NULL)
        return false;
    size_t got = fread(text, 1, sizeof text - 1, out);
    text[got] = '\0';
    pclose(out);
    return strstr(text, version) != NULL;
}

/* Debian's name for it, or an mpirun that says that it is of this MPI. */
static char *find_mpirun(const struct mpi *m)
{
    char name[32], *program = NULL;
    snprintf(name, sizeof name, "mpirun.%s", m->kind);
    if (ob_launch_find(name, &program) == OB_OK)
        return program;
    if (ob_launch_find("mpirun", &program) == OB_OK && is_of(program, m->version))
        return program;
    free(program);
    return NULL;
}

bool obv_has_gnuplot(void)
{
    char *program = NULL;
    bool there = ob_launch_find("gnuplot", &program) == OB_OK;
    free(program);
    return there;
}

static void tell_missing(const obv_options *o, const launcher *l, bool any_mpi)
{
    char path[PATH_MAX];
    const char *kind = l->program ? l->kind : "openmpi";
    if (l->program == NULL && any_mpi)
        return;
    obv_find_scalapack(o, kind, path, sizeof path);
    if (*path == '\0' && l->program == NULL)
        obv_find_scalapack(o, "mpich", path, sizeof path);
    if (*path)
        return;
    if (l->program)
        obb_warn("OB-9606 no %s: under %s netlib's BLACS and the LU are left out",
                 o->scalapack ? "ScaLAPACK in the file of --scalapack" : "ScaLAPACK of this MPI",
                 l->name);
    else
        obb_warn("OB-9606 no ScaLAPACK: the LU is left out");
}

static int find_launchers(const obv_options *o, launcher *at)
{
    int count = 1;
    at[0] = (launcher){.kind = "obrun", .name = "obrun"};
    for (size_t i = 0; i < sizeof mpis / sizeof *mpis; i++) {
        const struct mpi *m = &mpis[i];
        char *program = find_mpirun(m);
        if (program == NULL) {
            obb_warn("OB-9606 no mpirun of %s: it is left out", m->name);
        } else if (!obb_has_module(m->kind)) {
            obb_warn("OB-9606 this OpenBLACS was built without %s: it is left out", m->name);
            free(program);
        } else {
            at[count++] = (launcher){.kind = m->kind, .name = m->name, .program = program};
        }
    }
    if (count == 1)
        obb_warn("OB-9606 no MPI: OpenBLACS is measured alone, and compared with nothing");
    for (int i = 0; i < count; i++)
        tell_missing(o, &at[i], count > 1);
    if (!obv_has_gnuplot())
        obb_warn(
            "OB-9605 no gnuplot (Debian: gnuplot-nox): bars of text take the place of the picture");
    return count;
}

/* -------------------------------------------------------------------- processors */

/* Without a limit of 1024 processors. */
static cpu_set_t *make_set(void)
{
    cpu_set_t *set = CPU_ALLOC(MOST_PROCESSORS);
    if (set == NULL)
        obb_die("OB-4001 no memory for a set of processors");
    CPU_ZERO_S(SET_BYTES, set);
    return set;
}

/* Those of this process; NULL: unknown. */
static cpu_set_t *usable_processors(void)
{
    cpu_set_t *set = make_set();
    if (sched_getaffinity(0, SET_BYTES, set) == 0)
        return set;
    CPU_FREE(set);
    return NULL;
}

unsigned long long obv_processors_here(void)
{
    unsigned long long number = 1;
    cpu_set_t *mine = usable_processors();
    for (int p = 0; mine && p < MOST_PROCESSORS; p++)
        if (CPU_ISSET_S(p, SET_BYTES, mine))
            number = number * 1000003 + (unsigned)p;
    if (mine)
        CPU_FREE(mine);
    return number;
}

/* Those of this process, or as many as its control group gives it time for, at most
 * MOST_PROCESSES: the first two, and others evenly among the rest. The jobs' processes are bound to
 * them. */
static int choose_processors(const cpu_set_t *mine, cpu_set_t *chosen)
{
    int all = CPU_COUNT_S(SET_BYTES, mine), wanted = ob_launch_processors(), seen = 0, n = 0;
    wanted = wanted < MOST_PROCESSES ? wanted : MOST_PROCESSES;
    for (int p = 0; p < MOST_PROCESSORS && n < wanted; p++) {
        if (!CPU_ISSET_S(p, SET_BYTES, mine))
            continue;
        if (seen < 2 || seen - 1 >= (long)(n - 1) * (all - 1) / (wanted - 1)) {
            CPU_SET_S(p, SET_BYTES, chosen);
            n++;
        }
        seen++;
    }
    return n;
}

void obv_take_processor(void)
{
    const ob_mpi_launcher *l = ob_mpi_launcher_here();
    const char *rank = l ? secure_getenv(l->rank) : NULL;
    cpu_set_t *mine = rank ? usable_processors() : NULL;
    if (mine == NULL)
        return;
    int left = atoi(rank) % CPU_COUNT_S(SET_BYTES, mine), p = 0;
    while (!CPU_ISSET_S(p, SET_BYTES, mine) || left-- > 0)
        p++;
    CPU_ZERO_S(SET_BYTES, mine);
    CPU_SET_S(p, SET_BYTES, mine);
    sched_setaffinity(0, SET_BYTES, mine);
    CPU_FREE(mine);
}

/* --------------------------------------------------------------------- one job */

static volatile sig_atomic_t stopped_by;
static ob_launch *running;

static void stop(int number)
{
    stopped_by = number;
    if (running)
        ob_launch_wake(running);
}

static void take_output(void *context, int number, int stream, const char *bytes, size_t count)
{
    (void)number;
    if (stream != 1) {
        obb_wipe_bar();
        fwrite(bytes, 1, count, stderr);
        return;
    }
    for (const char *end = bytes + count; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline ? newline : end) - bytes);
        char *line = strndup(bytes, length);
        if (line == NULL)
            obb_die("OB-4001 no memory for a job's output");
        if (line[0] != '=' || line[1] != ' ' || !obv_read_line(context, line + 2)) {
            obb_wipe_bar();
            fprintf(stderr, "%s\n", line);
        }
        free(line);
        bytes += length + 1;
    }
}

/* The words of a command. */
typedef struct words {
    char *at[40];
    int count;
} words;

__attribute__((format(printf, 2, 3))) static void add(words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vasprintf(&w->at[w->count++], format, args) < 0)
        obb_die("OB-4001 no memory for a command");
    va_end(args);
}

/* The launcher's words. The variable that tells of a job of obrun is none of the MPI's processes'.
 */
static void add_launcher(words *w, const launcher *l, int processes)
{
    bool open_mpi = strcmp(l->kind, "openmpi") == 0;
    if (l->program == NULL)
        return;
    add(w, "env");
    add(w, "-u");
    add(w, "OPENBLACS_JOB");
    add(w, "%s", l->program);
    if (open_mpi && geteuid() == 0)
        add(w, "--allow-run-as-root");
    if (open_mpi) {
        add(w, "--oversubscribe");
        add(w, "--bind-to");
        add(w, "none");
    }
    add(w, "-n");
    add(w, "%d", processes);
}

static void add_options(words *w, const obv_options *o, double seconds)
{
    add(w, "--time=%d", seconds < 1 ? 1 : (int)seconds);
    if (o->rounds)
        add(w, "--rounds=%d", o->rounds);
    add(w, "--only=%s%s%s%s", o->asked[OBV_MESSAGE] ? "messages," : "",
        o->asked[OBV_BROADCAST] ? "broadcasts," : "", o->asked[OBV_SUM] ? "sums," : "",
        o->asked[OBV_LU] ? "lu," : "");
    add(w, "--rows=%s", o->rows_long ? "long" : "short");
    add(w, "--order=%d", o->order);
    add(w, "--block=%d", o->block);
    if (o->looks)
        add(w, "--as-look");
    if (o->told)
        add(w, "--as-told");
    if (o->scalapack)
        add(w, "--scalapack=%s", o->scalapack);
    if (o->pair[0][0] >= 0)
        add(w, "--as-pairs=%d-%d,%d-%d", o->pair[0][0], o->pair[0][1], o->pair[1][0],
            o->pair[1][1]);
}

static void tell_end(const launcher *l, const ob_launch_event *event)
{
    obb_wipe_bar();
    char how[64];
    if (event->signal)
        snprintf(how, sizeof how, "%s", ob_launch_signal_name(event->signal));
    else
        snprintf(how, sizeof how, "status %d", event->status);
    if (l->program)
        obb_warn("OB-9607 mpirun of %s ended with %s", l->name, how);
    else
        obb_warn("OB-9607 process %d under obrun ended with %s", event->number, how);
}

/* False: a process failed; how it ended is said. What an mpirun reads has no end: MPICH's sends the
 * end of its input to a process that may have ended already, and dies of SIGPIPE without a word. */
static bool run(const launcher *l, char *const *argv, int processes, obv_figures *f,
                const obv_options *o, double begun)
{
    ob_launch_options options = {.count = l->program ? 1 : processes,
                                 .bind_cores = l->program == NULL,
                                 .grace_seconds = GRACE_S,
                                 .output = take_output,
                                 .context = f};
    int input[2] = {-1, -1};
    if (l->program && pipe2(input, O_CLOEXEC) < 0)
        obb_die("OB-2004 cannot make a pipe: %s", strerror(errno));
    ob_launch_program program = {.argv = argv, .input = input[0]};
    ob_launch_event event;
    bool good = true, ending = false;
    if (ob_launch_open(&running, &options) || ob_launch_start(running, OB_LAUNCH_ALL, &program))
        obb_die("%s", ob_error_text());
    while (ob_launch_busy(running)) {
        int got = ob_launch_wait(running, 0.1, &event);
        if (got < 0)
            obb_die("%s", ob_error_text());
        if (!ending && (stopped_by || (got && (event.status || event.signal)))) {
            if (!stopped_by)
                tell_end(l, &event);
            ending = true;
            good = false;
            ob_launch_end(running);
        }
        if (!o->quiet && !ending)
            obb_show_part((ob_time() - begun) / o->seconds, l->name);
    }
    ob_launch *ended = running;
    running = NULL;
    ob_launch_close(ended);
    for (int i = 0; l->program && i < 2; i++)
        close(input[i]);
    return good;
}

static bool run_job(launcher *l, const obv_options *o, const char *self, double seconds,
                    obv_figures *f, double begun)
{
    words w = {.count = 0};
    add_launcher(&w, l, o->processes);
    add(&w, "%s", self);
    add(&w, "verdict");
    add(&w, "--as-process");
    if (l->program)
        add(&w, "--as-bound");
    add_options(&w, o, seconds);
    w.at[w.count] = NULL;
    bool good = run(l, w.at, o->processes, f, o, begun);
    while (w.count)
        free(w.at[--w.count]);
    return good;
}

/* All jobs measure the same pairs: those that the first one has found. */
static void take_pairs(obv_options *o, const obv_figures *f)
{
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(f->at[i].work, k ? "pair-far" : "pair-near") == 0)
                sscanf(f->at[i].key, "%d-%d", &o->pair[k][0], &o->pair[k][1]);
}

static void handle_signals(void (*how)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], how);
}

static void visit(launcher *l, obv_options *o, char *self, double seconds, obv_figures *f,
                  double begun)
{
    if (l->failed)
        return;
    l->failed = !run_job(l, o, self, seconds, f, begun);
    if (stopped_by) {
        obb_wipe_bar();
        handle_signals(SIG_DFL);
        raise(stopped_by);
    }
    obb_wipe_bar();
    if (l->failed && l->program == NULL && obv_row_at(f, 0) == NULL)
        obb_die("OB-9607 a job of %d processes failed", o->processes);
    if (l->failed)
        obb_warn("OB-9607 a job under %s failed; it is left out from here on", l->name);
    if (o->pair[0][0] < 0)
        take_pairs(o, f);
}

static void find_self(char *path, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    if (length <= 0)
        obb_die("OB-2004 cannot find its own program file");
    path[length] = '\0';
}

void obv_run_look(const obv_options *o, obv_figures *f)
{
    launcher obrun = {.kind = "obrun", .name = "obrun"};
    char self[PATH_MAX];
    obv_options looks = *o;
    find_self(self, sizeof self);
    looks.looks = looks.quiet = true;
    /* More processes than processors would take each other's time. */
    looks.processes = ob_launch_processors() < 2 ? 2 : ob_launch_processors();
    handle_signals(stop);
    visit(&obrun, &looks, self, 1, f, ob_time());
    handle_signals(SIG_DFL);
}

void obv_run_jobs(obv_options *o, obv_figures *f, double seconds)
{
    launcher at[LAUNCHERS];
    char self[PATH_MAX];
    cpu_set_t *mine = usable_processors(), *chosen = make_set();
    double begun = ob_time();
    find_self(self, sizeof self);
    if (mine == NULL)
        obb_die("OB-2004 cannot find its processors");
    int count = find_launchers(o, at), processors = choose_processors(mine, chosen);
    if (o->processes == 0)
        o->processes = processors < 2 ? 2 : processors;
    fprintf(stderr, "obbench: %d processes under ", o->processes);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", at[i].name);
    fprintf(stderr, "; about %.0f seconds in all\n", o->seconds);
    int visits = seconds / VISITS / count >= VISIT_S ? VISITS : 1;
    handle_signals(stop);
    sched_setaffinity(0, SET_BYTES, chosen);
    for (int i = 0; i < visits * count; i++) {
        /* A job that took longer than its part leaves less for the others. */
        double left = begun + seconds - ob_time();
        o->told = i >= count;
        visit(&at[i % count], o, self, left / (visits * count - i), f, begun);
    }
    sched_setaffinity(0, SET_BYTES, mine);
    handle_signals(SIG_DFL);
    CPU_FREE(mine);
    CPU_FREE(chosen);
    for (int i = 0; i < count; i++)
        free(at[i].program);
}
