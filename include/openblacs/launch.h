/*
 * OpenBLACS launcher: starts the processes of a job on this node, with a
 * shared memory between them, and looks after them until they have ended.
 *
 * A launch is a set of `count` places, numbered 0 .. count-1. In each place
 * one program at a time can run; when it has ended another may be started
 * there. The processes find each other through the environment variable
 * OPENBLACS_JOB (ob_job_start reads it).
 *
 * Rules
 *  L1  All calls for one launch come from one thread: the one that opened it.
 *      (On Linux the processes of a launch are killed when that thread ends,
 *      so that nothing outlives the launcher.) Exceptions: ob_launch_wake.
 *  L2  Every process leads a process group of its own. "Killed" below means the
 *      whole group. A guard process kills all groups, and whatever else still
 *      holds the job's memory, when the launcher dies in any way.
 *  L3  Output, events and the killing of processes that overstay happen inside
 *      ob_launch_wait only; call it as long as ob_launch_busy.
 *
 *  L4  The three structures below keep their layout: binaries have it built in. An option that
 *      is added comes as a function. What a caller does not use of ob_launch_options is 0.
 *
 * Errors: OB_OK or a negative ob_status, with one line in ob_error_text().
 * Nothing is printed.
 */
#ifndef OPENBLACS_LAUNCH_H
#define OPENBLACS_LAUNCH_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_launch ob_launch;

/* In place of a process number: all of them. */
#define OB_LAUNCH_ALL (-1)

/* Takes output of a process. stream is 1 (standard output) or 2 (standard
 * error). bytes holds one or more whole lines; only the last call before a stream
 * ends, or one after memory for a very long line has run out, may end without
 * a newline. May not call ob_launch_wait, ob_launch_start or ob_launch_close. */
typedef void ob_launch_output(void *context, int number, int stream, const char *bytes,
                              size_t count);

typedef struct ob_launch_options {
    int count;      /* places, 1 .. 65535 */
    int bind_cores; /* tie process i to processor i modulo those usable here */
    /* The calling process has no children but the launch's: then orphaned
     * descendants are adopted and reaped too, and the caller calls
     * ob_launch_wake on SIGCHLD. Otherwise the launch reaps only what it started, and
     * looks for ended processes 50 times a second. */
    int owns_children;
    double grace_seconds;     /* from SIGTERM to SIGKILL in ob_launch_end; 0: 2 seconds */
    size_t heap_bytes;        /* memory for unreceived messages per process; 0: OPENBLACS_HEAP,
                                 or as much as the machine has */
    ob_launch_output *output; /* NULL: output is dropped */
    void *context;            /* passed to output */
} ob_launch_options;

typedef struct ob_launch_program {
    char *const *argv; /* argv[0] is the program, as ob_launch_find takes it; NULL at the end */
    /* What process 0 reads: a descriptor, or -1 for /dev/null, which all
     * others read. A terminal is read on behalf of process 0 while the caller
     * is in the foreground; SIGPIPE must not be at its default then. */
    int input;
} ob_launch_program;

/* How a process ended. */
typedef struct ob_launch_event {
    int number;
    int pid;
    int status;      /* its exit status; 0 when signal is not 0 */
    int signal;      /* that ended it, or 0 */
    int core_dumped; /* 1 when it left a core file */
} ob_launch_event;

/* Makes the shared memory and the guard. OB_EARG, OB_ENOMEM, OB_ESYSTEM,
 * OB_ESETTING (OPENBLACS_HEAP). */
OB_API int ob_launch_open(ob_launch **launch, const ob_launch_options *options);

/* Finds the program: itself when its name has a slash, else in PATH. *path is
 * malloc'ed. OB_EARG when there is none, OB_ESYSTEM when there is a file that
 * may not be executed. */
OB_API int ob_launch_find(const char *program, char **path);

/* Starts the program as process `number`, or in all places. OB_ESTATE when
 * one still runs there; OB_EARG, OB_ESYSTEM as ob_launch_find or when the file is
 * no program; OB_ENOMEM when the system has no process, descriptor or memory
 * left. After a failure some may run: end or close the launch. */
OB_API int ob_launch_start(ob_launch *launch, int number, const ob_launch_program *program);

/* The calling process takes a place itself, which no program is started in: its
 * ob_job_start, the first one, joins the job there. OB_EARG, OB_ESTATE, OB_ENOMEM. */
OB_API int ob_launch_join(ob_launch *launch, int number);

/* Passes output on until a process has ended: 1 and *event, after all it had
 * written was passed on. 0 when `seconds` are over (negative: no limit), when
 * ob_launch_wake was called, or when the launch is not busy. OB_ESYSTEM. */
OB_API int ob_launch_wait(ob_launch *launch, double seconds, ob_launch_event *event);
/* 1 while a process runs, its end has not been reported, or (for a second
 * after the last end) one of its descendants still has its output open. */
OB_API int ob_launch_busy(const ob_launch *launch);
/* Processes that run. */
OB_API int ob_launch_running(const ob_launch *launch);
/* The process id in a place, 0 when none runs. */
OB_API int ob_launch_pid(const ob_launch *launch, int number);
/* Makes the current or the next ob_launch_wait return. May be called from a
 * signal handler and from any thread. */
OB_API void ob_launch_wake(ob_launch *launch);

/* Sends a signal to the group of a process or of all; those that have ended
 * are left out. OB_EARG. */
OB_API int ob_launch_signal(ob_launch *launch, int number, int signal);
/* Asks all to end (SIGTERM, SIGCONT); ob_launch_wait kills those that are
 * still there when the grace is over. */
OB_API void ob_launch_end(ob_launch *launch);
/* True when a process has called ob_job_abort: which, and with what code. */
OB_API int ob_launch_aborted(const ob_launch *launch, int *number, int *code);
/* Kills and reaps what is left, passes the last output on, and frees all.
 * NULL is fine. */
OB_API void ob_launch_close(ob_launch *launch);

/* Processors the calling process may run on, at most as many as its control groups (a container's
 * limit) give it the time of. */
OB_API int ob_launch_processors(void);
/* "SIGKILL" and the like; "signal 40" for one without a name. The text is
 * valid until the thread's next call. */
OB_API const char *ob_launch_signal_name(int signal);

#ifdef __cplusplus
}
#endif
#endif
