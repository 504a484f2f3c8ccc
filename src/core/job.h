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
#include "core/transport.h"
#include "openblacs/core.h"

struct ob_shm;     /* node/shm.h */
struct ob_mpi;     /* transport/mpi/mpi.h */
struct ob_arrival; /* message/internal.h */
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

    _Alignas(OB_LINE) ob_lock send_lock;
    atomic_uint later; /* sends noted for later and not over; see message/background.c */
    ob_lock later_lock;
    struct ob_request *later_first, *later_last;

    _Alignas(OB_LINE) ob_lock recv_lock;
    struct ob_arrival *arrival; /* the message arriving step by step; NULL: there was none yet */
    atomic_uint stored_count;   /* changes when a message is stored, or a request done */
    /* Reasons, counted, not to take the next message straight off the channel: stored
     * messages, posted receives, an arrival; and of these, requests that wait for this peer. */
    atomic_uint aside, interest;
};

enum { OB_ENDED = 64 };

/* What higher floors do for lower ones: nobody calls upwards, so job.c hands these down. */
typedef struct ob_hooks {
    /* Sets a new peer's transport and link. */
    int (*connect)(ob_job *job, ob_peer *peer);
    /* Takes in what has come for others' receives, for one who waits for something else. */
    void (*progress)(ob_job *job);
    /* Gives the MPI library a turn; called in MPI jobs alone. */
    void (*turn)(ob_job *job);
    /* The caller waits since `since` for one of the peers, for longer than job->long_wait; it has
     * just looked in vain. */
    void (*long_wait)(ob_job *job, double since, double now, ob_peer *const *peers, int count);
    /* Shows the others whether this process still takes part. */
    void (*tell_life)(ob_job *job);
    /* Gives back the board of a group that ends. */
    void (*close_board)(ob_group *group);
    /* Frees a job that nobody is in any more. */
    void (*destroy)(ob_job *job);
    /* Ends the job; does not return. */
    void (*abort)(ob_job *job, int code);
} ob_hooks;

/* What a process tries again ever more rarely as long as it does not last. */
typedef struct ob_pace { /* hints: relaxed */
    atomic_long last_us, pause_us;
} ob_pace;

struct ob_job {
    const ob_hooks *hooks;
    int number, count;
    ob_launch_kind kind;
    ob_settings set;
    int neighbours;               /* processes of the job on this node, this one included */
    int processors;               /* that these may run on */
    bool several_nodes;           /* as the launcher says it to all processes of the job alike */
    struct ob_shm *shm;           /* NULL: no shared memory */
    struct ob_mpi *mpi;           /* NULL: no MPI */
    _Atomic(ob_peer *) *peers;    /* count entries, made when first needed */
    ob_lock lock;                 /* protects peers, contexts, ended */
    struct ob_contexts *contexts; /* how often each list of members made a group */
    atomic_ullong lists_agreed;   /* numbers given to groups of lists that not all remember */
    uint64_t ended[OB_ENDED];     /* contexts freed last: what still comes for them is dropped */
    unsigned ended_next;
    _Atomic(struct ob_matching *)
        matching;                    /* posted receives, stored messages; see message/internal.h */
    atomic_uint pending;             /* requests that others' calls must move */
    atomic_uint later;               /* sends noted for later, of all peers; a hint: relaxed */
    atomic_uint large;               /* requests that may go on in the background */
    atomic_uint courses;             /* collective calls without waiting that are under way */
    struct ob_gate *gates;           /* collective/overlap/gate.h: those not in use */
    struct ob_claims_memory *claims; /* claims.h beside it: likewise */
    _Atomic(struct ob_background *) background;
    atomic_uint waiters; /* threads of this process asleep or about to be */
    /* Of node/wait.c. Waits for which a stranger is taken to want this processor; our place among
     * the processors (0: not known yet, -1: none, else the processor + 1); and moves: away from a
     * partner's processor, back to the own place. */
    atomic_int strangers, place;
    /* No other of this node is in our scheduling group (node/processor.h), so yields give none of
     * them the processor; false: some are, or we have not met. A hint: relaxed. */
    atomic_bool apart;
    atomic_uint brief_waits; /* in which the MPI library might have had a turn */
    atomic_uint vain_looks;  /* of those who do not wait */
    ob_pace away, back;
    double long_wait;  /* seconds of one wait, after which hooks->long_wait hears of it */
    atomic_int groups; /* live groups, for the leak report */
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

#endif
