/*
 * The guard: a small process that outlives a killed launcher just long enough
 * to kill what the launcher had started.
 */
#ifndef OB_LAUNCH_GUARD_H
#define OB_LAUNCH_GUARD_H

#include <sys/types.h>

typedef struct ob_guard {
    pid_t pid; /* 0: none */
    int line;  /* its end of file tells the guard that the launcher is gone */
} ob_guard;

/* A guard for `count` process groups and the holders of job_fd. 0 or errno. */
int ob_guard_start(ob_guard *g, int count, int job_fd);
/* Process `number` leads this group; 0: nothing is left of it. */
void ob_guard_tell(ob_guard *g, int number, pid_t group);
void ob_guard_stop(ob_guard *g);
/* Somebody has killed the guard, and it was reaped. */
void ob_guard_lost(ob_guard *g);

#endif
