/*
 * The job: who am I, who else is there, how were we launched; and the peers,
 * one for each process this one has met. Everything hangs off an ob_job and
 * nothing off globals but the process's own job, so that a test can run
 * several "processes" as threads.
 */
#ifndef OB_CORE_JOB_H
#define OB_CORE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/lock.h"
#include "core/settings.h"
#include "openblacs/core.h"
#include "transport/transport.h"

struct ob_shm;     /* transport/shm/shm.h */
struct ob_mpi;     /* transport/mpi/mpi.h */
struct ob_arrival;  /* message/inner.h */
struct ob_matching;
struct ob_background; /* message/background.h */
struct ob_request;

/* The other end of a pair of processes. The first line is read by every send
 * and receive; the two locked parts are used by senders and receivers alone. */
struct ob_peer {
    const ob_transport *transport;
    void *link; /* the transport's own */
    ob_job *job;
    int number;

    _Alignas(64) ob_lock send_lock;
    atomic_uint later; /* sends noted for later and not over; see message/background.c */
    ob_lock later_lock;
    struct ob_request *later_first, *later_last;

    _Alignas(64) ob_lock recv_lock;
    struct ob_arrival *arrival; /* the message arriving step by step; NULL: there was none yet */
    atomic_uint stored_count;   /* changes when a message is stored, or a request done */
    /* Reasons, counted, not to take the next message straight off the channel: stored
     * messages, posted receives, an arrival; and of these, requests that wait for this peer. */
    atomic_uint aside, interest;
};

enum { OB_ENDED = 64 };

struct ob_job {
    int number, count;
    ob_launch_kind kind;
    ob_settings set;
    int neighbours;           /* processes of the job on this node, this one included */
    int processors;           /* that these may run on */
    struct ob_shm *shm;       /* NULL: no shared memory */
    struct ob_mpi *mpi;       /* NULL: no MPI */
    _Atomic(ob_peer *) *peers;         /* count entries, made when first needed */
    ob_lock lock;             /* protects peers, contexts, ended */
    struct ob_contexts *contexts; /* how often each list of members made a group */
    uint64_t ended[OB_ENDED]; /* contexts freed last: what still comes for them is dropped */
    unsigned ended_next;
    _Atomic(struct ob_matching *) matching; /* posted receives, stored messages; see message/inner.h */
    atomic_uint pending;      /* requests that others' calls must move */
    atomic_uint later;        /* sends noted for later, of all peers */
    atomic_uint large;        /* requests that may go on in the background */
    _Atomic(struct ob_background *) background;
    atomic_uint waiters;      /* threads of this process asleep or about to be */
    atomic_int no_yield;      /* waits for which yielding is off; see message/wait.c */
    atomic_long moved_us, move_pause_us; /* when it moved to another processor; see there */
    double stall_after;       /* seconds of one wait until the user may be told; see message/stall.c */
    atomic_int groups;        /* live groups, for the leak report */
    atomic_bool stopped;
};

/* The peer of a process number; NULL, with the error set, when it cannot be reached. */
ob_peer *ob_job_peer(ob_job *job, int number);

/* A job with one process and no transport but `self`; for tests and as the
 * fallback. */
int ob_job_alone(ob_job **job);
/* A job over an existing shared memory, for tests that run processes as threads. */
int ob_job_on_shm(ob_job **job, struct ob_shm *shm, const ob_settings *set);
void ob_job_destroy(ob_job *job);
/* More processes on this node than processors? */
static inline bool ob_job_crowded(const ob_job *job)
{
    return job->neighbours > job->processors;
}
/* Gives the job its size, and room for its peers. */
int ob_job_set_size(ob_job *job, int number, int count);
/* Shows the others whether this process still takes part. */
void ob_job_tell_life(ob_job *job);
/* Does a process of the job run that has not joined yet? Known of obrun's. */
bool ob_job_expects_more(const ob_job *job);
/* True for the first process that asks, of those that see each other's memory. */
enum ob_once { OB_ONCE_STALL = 1, OB_ONCE_FAULT = 2 };
bool ob_job_once(const ob_job *job, enum ob_once what);
/* Leaves the name of a file for the launcher, which looks at it when all have ended. */
void ob_job_leave_file(const ob_job *job, const char *name);
/* Number of processors this process may run on. */
int ob_processors(void);

#endif
