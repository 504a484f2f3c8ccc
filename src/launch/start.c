/*
 * Starting processes: the pipes, the environment and the input each one gets.
 */
#include "openblacs/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "launch/find.h"
#include "launch/place.h"
#include "launch/system.h"

/* What the processes of one ob_launch_start have in common. */
typedef struct starter {
    ob_spawn_plan plan;
    char *path;
    char **environment, **slot;
    char **shell_argv;
    char job[32 + sizeof OB_JOB_VARIABLE]; /* the entry in *slot */
} starter;

static char **shell_arguments(char *path, char *const *argv)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    if (copy == NULL)
        return NULL;
    copy[0] = "sh";
    copy[1] = path;
    memcpy(copy + 2, argv + 1, count * sizeof *copy); /* with the NULL */
    return copy;
}

static int prepare(starter *s, const ob_launch *l, const ob_launch_program *program)
{
    int status = ob_launch_find(program->argv[0], &s->path);
    if (status != OB_OK)
        return status;
    s->environment = ob_environment(OB_JOB_VARIABLE, &s->slot);
    s->shell_argv = shell_arguments(s->path, program->argv);
    if (s->environment == NULL || s->shell_argv == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory to start it", program->argv[0]);
    *s->slot = s->job;
    s->plan = (ob_spawn_plan){.path = s->path,
                              .argv = program->argv,
                              .shell_argv = s->shell_argv,
                              .environment = s->environment,
                              .keep = l->memory.fd,
                              .files = l->raised_files ? &l->files : NULL};
    return OB_OK;
}

static void release(starter *s)
{
    free(s->path);
    free(s->environment);
    free(s->shell_argv);
}

static void open_stream(ob_launch *l, int number, int stream, int fd)
{
    l->places[number].streams[stream - 1] = (ob_stream){.fd = fd,
                                                        .output = l->set.output,
                                                        .context = l->set.context,
                                                        .number = number,
                                                        .stream = stream};
}

/* What is left of an earlier process in this place. */
static void clear_place(ob_launch *l, int number)
{
    ob_place *p = &l->places[number];
    ob_kill_group(p, SIGKILL);
    p->group = 0;
    ob_stream_close(&p->streams[0]);
    ob_stream_close(&p->streams[1]);
    if (number == 0)
        ob_input_close(&l->input);
    /* Others do not wait for one who is gone; this one is to come. */
    ob_segment_header *h = ob_segments_header(&l->memory, number);
    atomic_store(&h->waits, 0);
    atomic_store(&h->life, OB_LIFE_STARTED);
}

static int spawn(ob_launch *l, int number, starter *s)
{
    ob_place *p = &l->places[number];
    bool loading = false;
    int error = ob_spawn(&s->plan, &p->pid, &loading);
    if (error == 0) {
        p->group = p->pid;
        l->running++;
        ob_guard_tell(&l->guard, number, p->group);
        return OB_OK;
    }
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
    p->pid = 0;
    if (loading)
        return ob_fail(OB_ESYSTEM, "OB-2002 %s: cannot be executed: %s", s->path,
                       error == ENOENT ? "its interpreter is missing" : strerror(error));
    return ob_fail(OB_ENOMEM, "OB-2004 %s: cannot start process %d: %s", s->path, number,
                   strerror(error));
}

/* The descriptor process `number` reads; *owned when it is to be closed here
 * after the start. Negative with the error set. */
static int choose_input(ob_launch *l, int number, int input, bool *owned)
{
    *owned = false;
    if (number != 0 || input < 0)
        return l->nothing;
    if (!isatty(input))
        return input;
    int ends[2];
    if (!ob_make_pipe(ends, OB_WRITE_END))
        return ob_fail(OB_ENOMEM, "OB-2004 cannot make a pipe for process 0: %s", strerror(errno));
    ob_input_open(&l->input, input, ends[1]);
    *owned = true;
    return ends[0];
}

static int start_with_pipes(ob_launch *l, int number, starter *s)
{
    int out[2], err[2];
    if (!ob_make_pipe(out, OB_READ_END))
        return ob_fail(OB_ENOMEM, "OB-2004 cannot make a pipe for process %d: %s", number,
                       strerror(errno));
    if (!ob_make_pipe(err, OB_READ_END)) {
        int error = errno;
        close(out[0]);
        close(out[1]);
        return ob_fail(OB_ENOMEM, "OB-2004 cannot make a pipe for process %d: %s", number,
                       strerror(error));
    }
    open_stream(l, number, 1, out[0]);
    open_stream(l, number, 2, err[0]);
    s->plan.output = out[1];
    s->plan.error = err[1];
    int status = spawn(l, number, s);
    close(out[1]);
    close(err[1]);
    return status;
}

static int start_one(ob_launch *l, int number, const ob_launch_program *program, starter *s)
{
    bool owned;
    int input = choose_input(l, number, program->input, &owned);
    if (input < 0)
        return input;
    snprintf(s->job, sizeof s->job, "%s=%d:%d", OB_JOB_VARIABLE, l->memory.fd, number);
    s->plan.input = input;
    s->plan.bind = l->set.bind_cores ? number : -1;
    int status = start_with_pipes(l, number, s);
    if (owned)
        close(input);
    return status;
}

int ob_launch_start(ob_launch *l, int number, const ob_launch_program *program)
{
    if (number != OB_LAUNCH_ALL && (number < 0 || number >= l->set.count))
        return ob_fail(OB_EARG, "OB-2005 there is no process %d to start in a job of %d", number,
                       l->set.count);
    int first = number < 0 ? 0 : number, last = number < 0 ? l->set.count - 1 : number;
    for (int i = first; i <= last; i++) {
        if (l->places[i].pid)
            return ob_fail(OB_ESTATE, "OB-2006 process %d still runs: wait for its end first", i);
    }
    starter s = {0};
    int status = prepare(&s, l, program);
    /* All first: the first one may end before the last one is started. */
    for (int i = first; i <= last && status == OB_OK; i++)
        clear_place(l, i);
    for (int i = first; i <= last && status == OB_OK; i++)
        status = start_one(l, i, program, &s);
    release(&s);
    l->ended = false;
    l->kill_at = HUGE_VAL;
    return status;
}

/* Nobody waits for the processor of a place where nothing has been started. */
int ob_launch_join(ob_launch *l, int number)
{
    char job[32];
    ob_job *joined;
    if (number < 0 || number >= l->set.count)
        return ob_fail(OB_EARG, "OB-2005 there is no place %d in a job of %d", number,
                       l->set.count);
    if (l->places[number].pid || secure_getenv(OB_JOB_VARIABLE))
        return ob_fail(OB_ESTATE, "OB-2006 place %d is taken, or this process has one", number);
    for (int i = 0; i < l->set.count; i++)
        atomic_store(&ob_segments_header(&l->memory, i)->asleep, 1);
    /* The job's own: either may be closed first. */
    int fd = fcntl(l->memory.fd, F_DUPFD_CLOEXEC, l->memory.fd);
    snprintf(job, sizeof job, "%d:%d", fd, number);
    if (fd < 0 || setenv(OB_JOB_VARIABLE, job, 1) != 0)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for the environment");
    int status = ob_job_start(&joined);
    unsetenv(OB_JOB_VARIABLE);
    if (status == OB_OK && ob_job_number(joined) != number)
        status = ob_fail(OB_ESTATE, "OB-2006 this process is in a job already");
    return status;
}
