/*
 * What our interfaces ask of the job beside core.h.
 */
#ifndef OPENBLACS_HOOKS_JOB_H
#define OPENBLACS_HOOKS_JOB_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For one who is about to say why a call that several processes make has failed (OB_ESIZE), and
 * to end the job: 1 for the first of the processes that see each other's memory. The others have
 * waited for the end that it brings, a few seconds, and get 0: it has been said. job may be NULL.
 */
OB_API int ob_job_speaks(ob_job *job);

/* Bytes of this process's heap: of messages that it may have sent and nobody has received.
 * SIZE_MAX: as many as the machine can spare. */
OB_API size_t ob_job_heap(const ob_job *job);

/* Are there more processes on this node than processors for them? */
OB_API int ob_job_outnumbers(const ob_job *job);

/* For an interface that looks after its processes, to find out that all wait for each other.
 * Says that this process begins to wait, what being the caller's own words of it, or (0) goes on.
 * Two stores. */
OB_API void ob_job_waits(ob_job *job, uint64_t what);
typedef struct ob_wait_note {
    uint64_t what; /* 0: does not wait; OB_WAITING_LEFT: has left the job */
    unsigned turn; /* changes with each ob_job_waits */
    unsigned naps; /* grows each time it has looked, found nothing, and sleeps */
} ob_wait_note;
#define OB_WAITING_LEFT UINT64_MAX
/* What process `number` has said. OB_ESTATE where that cannot be seen: on other nodes. */
OB_API int ob_job_waiting(const ob_job *job, int number, ob_wait_note *waiting);

/* Writes to an argument that a Fortran program may have given as a constant: those may lie in
 * memory that cannot be written to, and stay as they are. 1: written. One system call. */
OB_API int ob_put_back(const int *argument, int value);
int ob_put_back64(const int64_t *argument, int64_t value);

#ifdef __cplusplus
}
#endif
#endif
