/*
 * Beginning and ending: the settings, the memory, who writes at the end and how a
 * process that a signal ends still does.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/machine.h"
#include "core/port.h"
#include "node/shm.h"

#ifdef OPENBLACS_SIMGRID
#include <simgrid/host.h>
#endif
#include "trace/internal.h"

enum { BUFFER_BYTES = 16 * 1024 * 1024, DEFAULT_LEVEL = 2 };

static int none_listed(const char *text, int count)
{
    for (int number = 0; number < count; number++)
        if (ob_settings_listed(text, number))
            return 0;
    return 1;
}

/* Statistics without a trace are gathered in a file nobody else looks at. */
static char *hidden_name(void)
{
    char name[4096];
    ob_trace_hidden_name(name, sizeof name, ob_trace.run, "stats");
    return strdup(name);
}

/* ------------------------------------------------------------------ the process */

static void describe_self(const ob_job *job)
{
    ob_trace_process *p = &ob_trace.self;
    char program[4096];
    ob_port_program(program, sizeof program);
    size_t length = strlen(program) + 1, most = sizeof p->program;
    size_t cut = length > most ? length - most : 0;
    memcpy(p->program, program + cut, length - cut);
    gethostname(p->host, sizeof p->host - 1);
    p->node = ob_trace_node(p->host);
#ifdef OPENBLACS_SIMGRID
    /* Simulated machines have one clock, which is what `node` says, but names. */
    memset(p->host, 0, sizeof p->host);
    strncpy(p->host, sg_host_get_name(sg_host_self()), sizeof p->host - 1);
#endif
    p->process_id = (uint64_t)getpid();
    p->born = ob_port_born(getpid());
    p->launch = (uint32_t)job->kind;
    p->level = (uint32_t)ob_trace.level;
    p->buffer_bytes = ob_trace.capacity * sizeof(ob_trace_record);
}

/* Those of a simulated process are not the simulated machine's. */
static void describe_places(void)
{
#ifndef OPENBLACS_SIMGRID
    int quota = ob_processor_quota();
    ob_trace.places.quota = quota == INT_MAX ? 0 : (uint32_t)quota;
    ob_processor_set(ob_trace.places.allowed,
                     sizeof ob_trace.places.allowed / sizeof ob_trace.places.allowed[0]);
#endif
}

/* ---------------------------------------------------------------------- the end */

static atomic_bool over;           /* the file is written, */
static _Thread_local bool writing; /* and this thread writes it */

/* What others send. It waits until the file is written: a launcher's SIGTERM that came while the
 * last process wrote cost the report of all. */
static void from_outside(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGQUIT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGXCPU);
}

static void write_once(int signal)
{
    static const struct timespec nap = {0, 1000000};
    sigset_t outside, before;
    if (getpid() != ob_trace.pid)
        return;
    from_outside(&outside);
    pthread_sigmask(SIG_BLOCK, &outside, &before);
    if (atomic_exchange(&ob_trace.written, true)) {
        /* Another thread writes; the process ends when this one lets the signal have its way. */
        while (signal && !writing && !atomic_load(&over))
            nanosleep(&nap, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return;
    }
    writing = true;
    ob_trace_leave(signal, ob_trace_roll_expects);
    ob_trace_on = ob_trace_now = 0;
    writing = false;
    atomic_store(&over, true);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ob_trace_write(void)
{
    if (ob_trace_now)
        write_once(0);
}

#ifdef OPENBLACS_SIMGRID
/* A simulated process ends with MPI_Finalize (mpi_job.c), and signals are the simulator's. */
static int watch_end(void)
{
    return 0;
}
#else
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL,  SIGABRT,
                            SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGXCPU};

/* Writes, then lets the signal have its way. Should the writing itself hang, the
 * alarm ends it. */
static void on_signal(int number)
{
    int kept = errno;
    signal(SIGALRM, SIG_DFL);
    alarm(10);
    write_once(number);
    errno = kept;
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction now,
            ours = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_NODEFER};
        if (sigaction(fatal[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == SIG_DFL)
            sigaction(fatal[i], &ours, NULL);
    }
}

static int watch_end(void)
{
    if (atexit(ob_trace_write) != 0)
        return -1;
    catch_signals();
    return 0;
}
#endif

/* -------------------------------------------------------------------- the begin */

/* All pages are there before the first event. */
static void *memory(size_t bytes, bool now)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | (now ? MAP_POPULATE : 0), -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static int get_memory(const ob_settings *s)
{
    size_t bytes = s->trace_buffer ? s->trace_buffer : BUFFER_BYTES;
    ob_trace.tables = ob_trace_tables_new();
    ob_trace.origins = ob_trace_origins_new();
    if (s->trace) {
        ob_trace.capacity = bytes / sizeof(ob_trace_record);
        ob_trace.buffer = memory(bytes, true);
        ob_trace.text = memory(OB_TRACE_TEXT_BYTES, false);
    }
    if (s->stats)
        ob_trace.sums = memory(OB_TRACE_SUMS * sizeof(ob_trace_sum), true);
    if (ob_trace.tables && ob_trace.origins && (!s->trace || (ob_trace.buffer && ob_trace.text)) &&
        (!s->stats || ob_trace.sums))
        return OB_OK;
    return ob_fail(OB_ENOMEM,
                   "OB-8002 no memory for a trace buffer of %zu bytes (OPENBLACS_TRACE_BUFFER)",
                   bytes);
}

/* The file can be written, or the program had better not begin. */
static int name_report(const char *stats)
{
    ob_trace.report = ob_trace_report_asked(stats, ob_trace.self.host);
    if (ob_trace.report == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for the name of a file");
    const char *name = ob_trace_report_file(ob_trace.report);
    if (name && ob_trace_report_try(name) != 0)
        return ob_fail(OB_ESYSTEM,
                       "OB-8001 the file of OPENBLACS_STATS, '%s', cannot be written: %s", name,
                       strerror(errno));
    return OB_OK;
}

static int name_files(const ob_settings *s)
{
    ob_trace.file = s->trace ? ob_trace_file_name(s->trace, ob_trace.self.host) : NULL;
    ob_trace.work = s->trace ? ob_trace.file : hidden_name();
    return ob_trace.work ? OB_OK : ob_fail(OB_ENOMEM, "OB-4001 no memory for the name of a trace");
}

static int begin(ob_job *job)
{
    const ob_settings *s = &job->set;
    ob_trace.job = job;
    ob_trace.number = job->number;
    ob_trace.count = job->count;
    ob_trace.pid = getpid();
    ob_trace.level = s->trace_level >= 0 ? s->trace_level : DEFAULT_LEVEL;
    ob_trace.run = ob_trace_run_number(job);
    int status = get_memory(s);
    if (status != OB_OK)
        return status;
    describe_self(job);
    describe_places();
    status = s->stats ? name_report(s->stats) : OB_OK;
    if (status == OB_OK)
        status = name_files(s);
    if (status == OB_OK)
        status = ob_trace_join(job->number, job->count);
    if (status == OB_OK && s->stats) {
        ob_shm_leave_file(job->shm, ob_trace.work);
        ob_trace_roll_join();
        if (job->number == 0)
            ob_trace_remove_others();
    }
    if (status == OB_OK && watch_end() != 0)
        status = ob_fail(OB_ENOMEM, "OB-4001 no memory for an exit handler");
    if (status != OB_OK)
        return status;
    ob_clock_start(&ob_trace.line);
    ob_trace.cpu_started = ob_cpu_time();
    ob_trace.self.started = ob_clock_begin();
    if (s->trace)
        ob_trace_running_begin();
    ob_trace_now = ob_trace_on =
        (s->trace ? OB_TRACE_EVENTS_ON : 0) | (s->stats ? OB_TRACE_STATS_ON : 0);
    return OB_OK;
}

#if defined(OPENBLACS_SIMGRID) || defined(OPENBLACS_UNTRACED)
static void watch_forks(const ob_job *job)
{
    (void)job;
}
#else
static void in_child(void)
{
    ob_trace_on |= OB_TRACE_FORKED;
    ob_trace_now |= OB_TRACE_FORKED;
}

static void watch_forks(const ob_job *job)
{
    static bool watched;
    ob_trace.parent = job->number;
    if (!watched)
        watched = pthread_atfork(NULL, NULL, in_child) == 0;
}
#endif

int ob_trace_start(ob_job *job)
{
    const ob_settings *s = &job->set;
    ob_trace_on &= ~OB_TRACE_UNKNOWN;
    watch_forks(job);
    if (!s->trace && !s->stats)
        return OB_OK;
    if (s->trace_ranks && none_listed(s->trace_ranks, job->count))
        return ob_fail(OB_ESETTING,
                       "OB-9010 OPENBLACS_TRACE_RANKS is '%s', and none of the %d processes is "
                       "among them",
                       s->trace_ranks, job->count);
    if (s->trace_ranks && !ob_settings_listed(s->trace_ranks, job->number)) {
        ob_trace_roll_leave();
        return OB_OK;
    }
    return begin(job);
}

/* ---------------------------------------------------------------- clocks, groups */

void ob_trace_clock(int reference, int64_t at, int64_t offset, uint64_t error)
{
    unsigned i = atomic_fetch_add(&ob_trace.sync_count, 1);
    if (i < OB_TRACE_SYNCS)
        ob_trace.sync[i] = (ob_trace_sync){at, offset, error, reference, 0};
}

/* Groups are kept until the file is written, whatever becomes of them. Those with members outside
 * MPI_COMM_WORLD are of another job, whose numbers are not the file's. */
void ob_trace_group(ob_group *g)
{
    enum { MOST = 1 << 20 };
    size_t members = ((size_t)g->size + 1) / 2 * 2;
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON) || ob_trace.group_count >= MOST ||
        g->job != ob_trace.job)
        return;
    ob_trace_members *m = calloc(1, sizeof *m + members * sizeof m->member[0]);
    if (m == NULL)
        return;
    m->head = (ob_trace_group_head){
        .context = g->context, .stream = g->stream, .size = g->size, .me = -1};
    for (int i = 0; i < g->size; i++)
        m->member[i] = g->peer[i]->number;
    /* A group of nodes' leaders is known to those who lead nobody, too. */
    if (m->member[g->me] == ob_trace.number)
        m->head.me = g->me;
    ob_lock_take(&ob_trace.group_lock);
    m->older = ob_trace.groups;
    ob_trace.groups = m;
    g->trace = ++ob_trace.group_count;
    ob_lock_release(&ob_trace.group_lock);
}
