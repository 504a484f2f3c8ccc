/*
 * Hang finding, as the rest of the library sees it. Who waits for long says so in
 * the process's diary; a thread of its own looks at the diaries of the node and, when
 * nobody in a set of waiting processes can go on, prints where they are and ends the job.
 */
#ifndef OB_CHECK_CHECK_H
#define OB_CHECK_CHECK_H

#include <stdbool.h>

#include "core/job.h"
#include "hooks/check.h"

/* A wait is put down when it has lasted this long. */
#define OB_CHECK_LEAST 0.02

/* Reads the level from the settings; starts what it needs. OB_ESYSTEM, OB_ENOMEM. */
int ob_check_start(ob_job *job);
/* The hook of that name (core/job.h): into the diary, or at level 1 stall.c's note. Where a
 * communicator with members from elsewhere is the job, both: its members have no diaries, so a wait
 * or a meeting there stands in the own one as one that can always end. */
void ob_check_long_wait(ob_job *job, double since, double now, ob_peer *const *peers, int count);
/* It enters, and leaves, a call of the MPI library in which all these make a group. */
void ob_check_meets(const ob_job *job, const int *numbers, int size);
void ob_check_has_met(void);

/* hang.c: the thread that looks for hangs. */
void *ob_check_watch(void *job);

#endif
