/*
 * The shared memory of a job on one node. Each process owns a segment:
 *
 *   header    who it is, whether it still lives, its bell
 *   channels  one for each possible sender: a small ring of fragments coming in
 *   rings     the large ring of each channel, for those that need it
 *   heap      blocks for messages going out that their receiver was not there for
 *
 * Under obrun all segments are in one anonymous file (memfd) that every process
 * inherits: first all headers, in a table, then what the job has once, then all channels, all
 * large rings and all heaps. Each process looks at the headers of all others, and so at a few
 * pages side by side; and of the channels those between the same OB_TILE receivers and OB_TILE
 * senders are neighbours, so that the ones from and to a process are in few page tables. In an MPI
 * job each process makes a file of its own, laid out likewise, and the others open it through
 * /proc, and map its front side by side with others' (shm.c). Offsets within a segment count from
 * its header. An anonymous file is gone with its last process: nothing is left in /dev/shm,
 * whatever kills the job. The file is sparse: only what is touched costs memory.
 */
#ifndef OB_NODE_SEGMENT_H
#define OB_NODE_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hooks/processor.h"

/* "OBLACS02": another one with each layout. */
#define OB_SEGMENT_MAGIC UINT64_C(0x4f424c4143533032)

enum { OB_SEGMENT_FILE = 500, OB_TILE = 16 };

/* Life of a process, as the others see it. */
enum ob_life {
    OB_LIFE_NONE = 0, /* nothing is known of it */
    OB_LIFE_STARTED,  /* by our launcher: runs, and has not joined yet */
    OB_LIFE_JOINED,
    OB_LIFE_DONE,   /* has stopped its job in good order; may still run, or join again */
    OB_LIFE_CLOSED, /* has called MPI_Finalize: there for those alone who have done so too */
    OB_LIFE_GONE    /* has ended, or is done for good: DONE and CLOSED */
};

/* The owner has given its processor away while it waits; who sends it something meanwhile says that
 * it has HEARD. Told where processes outnumber processors, and a hint: what comes just before the
 * owner says so is not told. */
enum ob_yields { OB_YIELDS_NOT, OB_YIELDS, OB_YIELDS_HEARD };

/* Lines written by different processes are kept apart. */
typedef struct ob_segment_header {
    uint64_t magic;
    uint32_t count;  /* processes of the job */
    uint32_t number; /* of the owner */
    uint64_t bytes;  /* of the whole file */
    /* Offsets from this header. From one OB_TILE of channels to the next are `tile` bytes. */
    uint64_t channels, tile, rings, heap_offset;
    uint64_t heap_bytes;
    _Alignas(OB_LINE)
        atomic_uint life;    /* enum ob_life; the owner; STARTED and GONE by the launcher */
    atomic_uint pid;         /* of the owner, 0 before it joins */
    atomic_ullong heap_used; /* high-water mark, kept for a successor of the owner */
    atomic_bool grown;       /* a channel of the owner uses its large ring; likewise */
    _Alignas(OB_LINE) atomic_uint bell; /* futex: changes when the owner has something to look at */
    atomic_uint asleep;       /* the owner sleeps, nobody has woken it yet: a hint for who may spin.
                               * 1: on its bell; else what ob_wait_sleep was told */
    atomic_int processor;     /* it waited on last; a hint likewise */
    _Atomic uint64_t sharing; /* ob_processor_sharing() of the owner; 0: not known yet */
    _Atomic uint64_t near;    /* ob_processor_near() of the owner as it joined */
    /* The same as measured among a group's members (collective/levels/measure.c), once. */
    _Atomic uint64_t measured;
    /* ob_job_waits, by the owner; the release of `turn` comes last. */
    _Alignas(OB_LINE) _Atomic uint64_t waits;
    atomic_uint turn, naps;
    atomic_uint yields; /* enum ob_yields */
    /* A wait of the owner's that has lasted long, by the owner (check/stall.c): when it began,
     * in nanoseconds, for whom it is, how often it looked in vain, and where it is. */
    _Alignas(OB_LINE) _Atomic uint64_t stall_since;
    atomic_int stall_on;
    atomic_uint stall_looks;
    atomic_bool stall_final; /* ob_check_final */
    atomic_uint said;        /* enum ob_once: what the user has been told, by whoever it was */
    atomic_uint alike; /* ob_settings_alike of the owner, before it joins; where obrun started it */
    char stall_where[228];
} ob_segment_header;

/* What a job in one file has once. */
typedef struct ob_segment_job {
    /* Set once by the first process that aborts the job: its number + 1 above, the code in the
     * lower half. */
    _Alignas(OB_LINE) _Atomic uint64_t aborted;
    /* The file that the launcher looks for when all have ended (src/trace/file.c). */
    int processors;         /* ob_processors_allowed of who made the file, before it has readers */
    atomic_uint file_known; /* 1: somebody writes it, 2: it is there */
    char file[OB_SEGMENT_FILE];
} ob_segment_job;

/* A job's memory as one process (or the launcher) maps it. */
typedef struct ob_segments {
    int count;
    size_t bytes;
    char *base;
    int fd;
} ob_segments;

/* Makes the memory of a job of `count` processes with a heap of at most
 * heap_bytes each (0: as much as the machine has memory). The descriptor in
 * s->fd stays open across exec. OB_ENOMEM, OB_ESYSTEM. */
int ob_segments_create(ob_segments *s, int count, size_t heap_bytes);
/* Maps the memory behind an inherited descriptor. OB_ESYSTEM when it is not a job's. */
int ob_segments_open(ob_segments *s, int fd);
void ob_segments_close(ob_segments *s); /* unmaps and closes the descriptor */

/* Processors that all processes of the job have together: as many as the launcher had. */
int ob_segments_processors(const ob_segments *s);

static inline ob_segment_header *ob_segments_header(const ob_segments *s, int number)
{
    return (ob_segment_header *)(void *)s->base + number;
}

/* The same for one segment alone, as each process of an MPI job makes its own: its file, and its
 * header in it. */
size_t ob_segment_bytes(int count, size_t heap_bytes);
void ob_segment_format(void *segment, int count, int number, size_t heap_bytes);
/* Maps the segment behind another process's descriptor; NULL with the error
 * set when it is not the segment of `number` in a job of `count`. */
void *ob_segment_map_foreign(int fd, int count, int number);
/* Address space for a heap in a job of `count`: what the machine has memory, as
 * long as a process can map that many of them. */
size_t ob_segment_default_heap(int count);
/* The same for a process that may have at most `limit` bytes in use (0: as many as there are).
 * Blocks of one size are not made into others, so there are more addresses than memory. */
size_t ob_segment_heap(int count, size_t limit);
/* Wakes the owner if it sleeps. */
void ob_segment_ring(ob_segment_header *h);

/* The launcher's part: says that a process has ended and wakes all others, so
 * that whoever waits for it finds out. */
void ob_segments_mark_gone(const ob_segments *s, int number);
/* True when a process has aborted the job: which one and with what code. */
bool ob_segments_aborted(const ob_segments *s, int *by, int *code);
/* Remembers who aborts the job and with what code (first caller wins). */
void ob_segments_abort(const ob_segments *s, int by, int code);

/* Leaves the name of a file for the launcher; the first one of a job counts, and one too long
 * for it is not kept. NULL: there is none. */
void ob_segments_leave_file(const ob_segments *s, const char *name);
const char *ob_segments_file(const ob_segments *s);

/* How the launcher names the job to its processes: the environment variable
 * and its text "fd:number" (decimal). */
#define OB_JOB_VARIABLE "OPENBLACS_JOB"

#endif
