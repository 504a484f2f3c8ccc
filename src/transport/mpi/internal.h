/*
 * What the files of this room share: the state of an MPI job.
 *
 * Threads: a call of the module is made between ob_mpi_enter and ob_mpi_leave.
 * When MPI was started for MPI_THREAD_MULTIPLE these do nothing; else they keep
 * the threads of this process out of MPI while one is in it (from the user's
 * own calls they cannot: his level forbids calls at the same time). The module's
 * progress() is called with the lock whatever the level.
 */
#ifndef OB_TRANSPORT_MPI_INTERNAL_H
#define OB_TRANSPORT_MPI_INTERNAL_H

#include <pthread.h>

#include "core/job.h"
#include "core/network.h"
#include "core/spare.h"
#include "transport/mpi/module.h"
#include "transport/mpi/mpi_job.h"

/* An smpicc build: mpi_sim.c takes the place of mpi_load.c and mpi_link.c, there are no
 * segments, and whatever tests or probes would cost simulated time. */
#ifdef OPENBLACS_SIMGRID
enum { OB_SIMULATED = 1 };
#else
enum { OB_SIMULATED = 0 };
#endif

enum { OB_MPI_LINE = 256, OB_MPI_CLASSES = 3, OB_MPI_PACES = 5 };

/* A meeting that took place. Once it is in the list nothing of it changes but what
 * MPI_Finalize needs, and it is never removed. */
typedef struct ob_mpi_meeting {
    struct ob_mpi_meeting *next;
    ob_mpi_comm *comm; /* NULL: given back, since nobody needed it */
    int size;
    bool one_node;      /* no pair needs it: all have memory in common */
    bool nodes;         /* members of one machine all have memory in common; seats know which */
    ob_network network; /* between the nodes, where measured */
    bool measured;
    ob_mpi_request parting; /* in MPI_Finalize: members who go there too */
    bool parted;            /* all do */
    bool clocked;           /* several nodes, and all record: clocks are compared */
    struct ob_mpi_seat {
        int number, rank; /* in the job, in comm */
        int node;         /* equal on one machine */
    } seat[];             /* sorted by number */
} ob_mpi_meeting;

/* How a process is reached; fixed by the first meeting with it. */
enum ob_mpi_path { OB_PATH_UNKNOWN = 0, OB_PATH_SHM, OB_PATH_MPI };

/* Buffers for messages under way, kept for later ones: one list a size. */
typedef struct ob_mpi_pool {
    ob_lock lock;
    struct ob_mpi_part *part[OB_MPI_CLASSES];
    int count[OB_MPI_CLASSES];
} ob_mpi_pool;

/* A job of MPI: MPI_COMM_WORLD, and beside it each communicator with members from elsewhere that
 * groups were made of (mpi_elsewhere.c). */
struct ob_mpi {
    struct ob_mpi *first; /* MPI_COMM_WORLD's, whose lock serves all */
    /* The others, newest first, and of each its communicator (1) and those who walk by
     * ob_mpi_elsewhere and stand on it; the last of them frees it. Under first->registry. */
    struct ob_mpi *next;
    int holders;
    struct ob_mpi *behind; /* those that are left with this one, in MPI_Finalize */
    const struct ob_mpi_module *module;
    enum ob_mpi_level level;
    bool started; /* MPI_Init was ours */
    ob_job *job;
    /* Looks are relaxed: the program calls MPI_Finalize when no other thread is in MPI, so another
     * thread that sends is ordered before by the program. The background's look, which the program
     * cannot order, is repeated under first->lock, under which `over` is set. */
    atomic_bool closing; /* MPI_Finalize has begun */
    atomic_bool over;    /* and our part in it is done */
    long world;          /* its base: handle of MPI_COMM_WORLD, or of the other communicator */
    char library[OB_MPI_LINE], text[2 * OB_MPI_LINE];
    ob_lock lock; /* see above */

    pthread_mutex_t registry;           /* writing meetings; mapping segments */
    _Atomic(ob_mpi_meeting *) meetings; /* newest first; release and acquire */
    _Atomic(unsigned char) *path;       /* of each process, enum ob_mpi_path */
    struct ob_circle *circles;          /* mpi_native.c */
    int network;                        /* the code of what was measured first; 0: nothing */
    int largest;                        /* size of the largest meeting */
    double clock_seconds;               /* who reads clocks waits no longer for a message */

    ob_lock links_lock; /* protects links */
    struct ob_mpi_link *links;
    atomic_size_t waiting;          /* bytes sent that the MPI library has not taken: relaxed */
    ob_memory_watch watch;          /* of them, where OPENBLACS_HEAP sets no limit */
    atomic_uint pace[OB_MPI_PACES]; /* see ob_mpi_learn; 0: nothing is known; hints: relaxed */
    ob_mpi_pool pool;
};

static inline void ob_mpi_enter(struct ob_mpi *mpi)
{
    if (mpi->level != OB_MPI_MULTIPLE)
        ob_lock_take(&mpi->first->lock);
}

/* Set while this thread starts MPI or makes a communicator: ob_system_makes. */
extern _Thread_local bool ob_mpi_makes;

static inline void ob_mpi_leave(struct ob_mpi *mpi)
{
    if (mpi->level != OB_MPI_MULTIPLE)
        ob_lock_release(&mpi->first->lock);
}

/* Finds the library's module; NULL where it is refused. file receives its path. */
int ob_mpi_load(const ob_settings *set, const struct ob_mpi_module **module, char *file,
                size_t room);

/* OB_ESYSTEM with "what: what the MPI library says". */
int ob_mpi_error(struct ob_mpi *mpi, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where a process sits in a meeting, -1 when it was not there; */
int ob_mpi_seat(const ob_mpi_meeting *meeting, int number);
/* The rank of a process in a meeting, -1 when it was not there. */
int ob_mpi_rank(const ob_mpi_meeting *meeting, int number);

/* mpi_link.c: the transport of peers reached by MPI, whose messages to them go by
 * the given meeting. */
int ob_mpi_link(struct ob_mpi *mpi, ob_peer *peer, const ob_mpi_meeting *meeting);
/* mpi_native.c: what the MPI library does itself among processes that it connects. */
extern const ob_native ob_mpi_native;
/* mpi_elsewhere.c: the job that a communicator with members outside MPI_COMM_WORLD is; local. */
int ob_mpi_join_elsewhere(ob_job *world, long handle, ob_job **job);
/* Ends it, if it is one, before the library itself frees the communicator. */
void ob_mpi_end_elsewhere(struct ob_mpi *mpi, long handle);
/* Ends all links of a job that is over. */
void ob_mpi_links_free(struct ob_mpi *mpi);
/* The segment of a job whose size is known; none where there can be no shared memory. */
int ob_mpi_make_segment(ob_job *job);
/* As in MPI_Finalize, for one job or (behind) several: brings on its way what was sent, until all
 * members do the same. Its communicator can be given back then. */
void ob_mpi_close(struct ob_mpi *mpi);
/* Frees what MPI has taken, on all links; never waits. */
void ob_mpi_collect(struct ob_mpi *mpi);
/* In MPI_Finalize, for this job and those behind it: waits until all processes that MPI
 * connects to us are there too and MPI has taken everything. What still comes is dropped. */
int ob_mpi_flush(struct ob_mpi *mpi);
void ob_mpi_pool_free(ob_mpi_pool *pool);

/* mpi_machine_sim.c, of simulated processes: which of a meeting's members share a machine of the
 * platform.
 */
void ob_mpi_places(ob_job *job, ob_mpi_meeting *meeting);

/* mpi_clock.c: compares the clocks of the nodes of a meeting; all members call. */
void ob_mpi_clock(struct ob_mpi *mpi, const ob_mpi_meeting *meeting);
/* The same for all meetings, when all their members are in MPI_Finalize. */
void ob_mpi_clocks(struct ob_mpi *mpi);

/* mpi_network.c: measures the network between the nodes of a meeting, once a job; all members
 * call. 0 or MPI's error code. */
int ob_mpi_measure(struct ob_mpi *mpi, ob_mpi_meeting *meeting);

/* Seconds after which a receiver of so many bytes is held to be busy with something else: some
 * times what messages of such a length took. Of more than a piece, for each piece. */
double ob_mpi_patience(const struct ob_mpi *mpi, size_t bytes);
/* A message took so long; or is not through, though patience is out. Each class of lengths learns
 * by itself: short messages that MPI only copies tell nothing of how long ones travel. */
void ob_mpi_learn(struct ob_mpi *mpi, size_t bytes, double seconds);
void ob_mpi_learn_more_patience(struct ob_mpi *mpi, size_t bytes);

/* Lets time pass while waiting for MPI: yields, and after a while naps. */
void ob_mpi_pause(unsigned *looks);

#endif
