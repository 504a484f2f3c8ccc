/*
 * What the launcher needs from the operating system beyond POSIX. linux.c is
 * the one implementation.
 */
#ifndef OB_LAUNCH_SYSTEM_H
#define OB_LAUNCH_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* One process to start. */
typedef struct ob_spawn_plan {
    const char *path;
    char *const *argv;
    char *const *shell_argv; /* for a script without #! line: sh, path, arguments */
    char *const *environment;
    int input, output, error;   /* become 0, 1, 2; output and error are above 2 */
    int bind;                   /* the bind-th processor this process may use; -1: all */
    int keep;                   /* stays open under its number */
    const struct rlimit *files; /* limit of open files to set; NULL: as it is */
} ob_spawn_plan;

/* Starts the process as the leader of a process group of its own, with
 * default signal actions where the caller has handlers, and killed when the
 * calling thread ends. Returns when the program is loaded. 0, or an errno
 * value; *loading tells whether the program itself was refused. */
int ob_spawn(const ob_spawn_plan *plan, pid_t *pid, bool *loading);

/* Orphaned descendants become children of this process from now on. */
void ob_adopt_orphans(void);

/* Kills (SIGKILL) every process but this one that has the same file as `fd`
 * open under the same number: whoever descends from a process of the job and has not
 * closed it, whatever its group or parent is. Returns how many. */
int ob_kill_holders(int fd);

/* Closes all descriptors from `first` on. */
void ob_close_from(int first);
/* The name ps shows for this process. */
void ob_name_process(const char *name);

#endif
