/*
 * Who may still join a job that an MPI launcher has started, for OPENBLACS_STATS. Each process with
 * this library in it holds a shared lock on a file, the roll, until it joins the job or ends. So
 * whoever can lock the roll for itself knows that nobody is left who may join. A lock goes with its
 * process, whatever ends that. The roll has the name of the file that the processes write, for who
 * ends last without having joined. Under obrun the job's memory says all this.
 *
 * Whoever locks the roll for itself holds the lock of that file before, where there is one. Else a
 * run that looks for what others have left would be taken for a process that may still join, and
 * the last process would leave the report to it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "hooks/mpi.h"
#include "node/memfile.h"
#include "trace/internal.h"

enum { NAME_BYTES = 4096 };

static struct {
    char name[NAME_BYTES]; /* "": none */
    char work[NAME_BYTES]; /* what the processes write; "": nobody has joined */
    ob_memfile file;       /* its descriptor is -1: this process does not stand on it */
    int pid;
    bool stays; /* it could not be removed: the process tries once more as it ends */
} roll = {.file.fd = -1};

/* The program may have closed our descriptor, and taken its number for a file of its own. */
static void step_off(void)
{
    if (ob_memfile_open(&roll.file))
        close(roll.file.fd);
    roll.file.fd = -1;
}

static const char *folder(void)
{
    const char *name = secure_getenv("TMPDIR");
    return name && *name ? name : "/tmp";
}

void ob_trace_hidden_name(char *name, size_t room, uint64_t run, const char *kind)
{
    snprintf(name, room, "%s/openblacs-%u-%016llx.%s", folder(), (unsigned)geteuid(),
             (unsigned long long)run, kind);
}

/* Locks a roll that nobody stands on. -1: somebody does, or there is none. */
static int lock_alone(const char *name)
{
    return ob_trace_open_locked(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, LOCK_EX | LOCK_NB);
}

bool ob_trace_roll_expects(void)
{
    if (roll.name[0] == 0)
        return false;
    int fd = lock_alone(roll.name);
    if (fd < 0)
        return access(roll.name, F_OK) == 0;
    roll.stays = unlink(roll.name) != 0;
    close(fd);
    return false;
}

static void read_work(int fd, char work[NAME_BYTES])
{
    ssize_t n = pread(fd, work, NAME_BYTES - 1, 0);
    work[n > 0 ? n : 0] = 0;
}

/* This process steps off: does another one stand there? */
static bool others_stand(void)
{
    step_off();
    int fd = lock_alone(roll.name);
    if (fd < 0)
        return true;
    read_work(fd, roll.work);
    unlink(roll.name);
    close(fd);
    return false;
}

/* Ends or records nothing, and has not joined: the last one of these may be the last of all. */
void ob_trace_roll_leave(void)
{
    if (roll.file.fd < 0 || roll.pid != getpid())
        return;
    if (ob_memfile_open(&roll.file))
        read_work(roll.file.fd, roll.work);
    if (roll.work[0])
        ob_trace_finish_unless(roll.work, others_stand, ob_trace_put_error, NULL);
    /* Nobody had joined, or the file is no more. */
    if (roll.file.fd >= 0 && !others_stand() && roll.work[0])
        ob_trace_finish(roll.work, ob_trace_put_error, NULL);
}

/* Nobody is waited for any more, and those that the launcher kills leave no file. */
void ob_trace_roll_abort(void)
{
    if (roll.name[0] && roll.pid == getpid())
        unlink(roll.name);
}

void ob_trace_roll_join(void)
{
    size_t length = strlen(ob_trace.work);
    if (roll.file.fd < 0)
        return;
    if (ob_trace.job->kind != OB_MPI || ob_trace.job->count < 2 || !ob_memfile_open(&roll.file) ||
        pwrite(roll.file.fd, ob_trace.work, length, 0) != (ssize_t)length) {
        ob_trace_roll_leave();
        return;
    }
    step_off();
}

#ifndef OPENBLACS_SIMGRID
static bool of_a_launcher(void)
{
    const char *wanted = secure_getenv("OPENBLACS_STATS");
    return wanted && strcmp(wanted, "0") != 0 && secure_getenv("OPENBLACS_JOB") == NULL &&
           (ob_mpi_launcher_here() || secure_getenv("SLURM_PROCID"));
}

/* When the library is loaded: MPI_Init, which comes later, waits for all. So nobody joins, and is
 * done, before all others stand here. */
__attribute__((constructor)) static void stand(void)
{
    if (!of_a_launcher())
        return;
    ob_trace_hidden_name(roll.name, sizeof roll.name, ob_trace_launch_number(), "roll");
    roll.pid = getpid();
    roll.file = ob_memfile_of(
        ob_trace_open_locked(roll.name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600, LOCK_SH),
        NULL, 0);
}

__attribute__((destructor)) static void leave(void)
{
    ob_trace_roll_leave();
    if (roll.stays && roll.pid == getpid())
        unlink(roll.name);
}
#endif

/* ------------------------------------------------------ what others have left */

/* Locks what the processes of a roll write: their statistics when all have ended, else the trace
 * that they are in. -1: there is none; -2: it is not to be had. */
static int lock_work(const char *stats, const char *roll_name)
{
    char work[NAME_BYTES];
    int fd = ob_trace_open_left(stats);
    if (fd >= 0)
        return fd;
    if (access(stats, F_OK) == 0)
        return -2;
    if ((fd = open(roll_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) < 0)
        return -1;
    read_work(fd, work);
    close(fd);
    if (work[0] == 0)
        return -1;
    fd = ob_trace_open_locked(work, O_RDONLY | O_CLOEXEC, 0, LOCK_EX | LOCK_NB);
    return fd >= 0 ? fd : errno == EWOULDBLOCK ? -2 : -1;
}

/* A launcher may kill all at once. Then their files are left to the next run. */
static void remove_when_left(const char *name)
{
    char other[NAME_BYTES + 8], stats[NAME_BYTES + 8];
    int stem = (int)(strlen(name) - strlen(strrchr(name, '.')));
    snprintf(stats, sizeof stats, "%.*s.stats", stem, name);
    snprintf(other, sizeof other, "%.*s.roll", stem, name);
    int work = lock_work(stats, other);
    if (work == -2)
        return;
    int fd = lock_alone(other);
    if (work >= 0 && (fd >= 0 || access(other, F_OK) != 0))
        unlink(stats); /* a trace has none, and stays */
    if (fd >= 0) {
        unlink(other);
        close(fd);
    }
    if (work >= 0)
        close(work);
}

void ob_trace_remove_others(void)
{
    char start[64], name[NAME_BYTES];
    snprintf(start, sizeof start, "openblacs-%u-", (unsigned)geteuid());
    DIR *d = opendir(folder());
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *end = strrchr(e->d_name, '.');
        if (strncmp(e->d_name, start, strlen(start)) != 0 || end == NULL ||
            (strcmp(end, ".stats") != 0 && strcmp(end, ".roll") != 0))
            continue;
        int length = snprintf(name, sizeof name, "%s/%s", folder(), e->d_name);
        if (length < (int)sizeof name)
            remove_when_left(name);
    }
    if (d)
        closedir(d);
}
