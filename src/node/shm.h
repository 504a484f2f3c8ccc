/*
 * The shared-memory transport: what the rest of the library sees of it.
 */
#ifndef OB_NODE_SHM_H
#define OB_NODE_SHM_H

#include "core/job.h"
#include "node/heap.h"
#include "node/segment.h"

typedef struct ob_shm {
    int count, number;
    ob_segments all;             /* base NULL: every process has a file of its own */
    ob_segment_header **segment; /* of each process; NULL: not mapped */
    char *front;                 /* where segments of files of their own are looked into most: */
    char **whole;                /* then this is where all of a segment is; NULL: at its header */
    ob_segment_header *own;
    int fd; /* of the file of our own segment */
    ob_heap heap;
} ob_shm;

/* Joins process `number` of a launcher's job; s is copied. heap_limit: bytes of
 * unreceived messages this process may hold, 0: as much as the segment has.
 * OB_ESTATE when that number already is another living process. */
int ob_shm_join(ob_shm **shm, const ob_segments *s, int number, size_t heap_limit);
/* Makes a segment of our own in a job of `count`; the others open the file
 * behind ob_shm_fd() and map it with ob_shm_attach. */
int ob_shm_create_own(ob_shm **shm, int count, int number, size_t heap_limit);
/* How long a send waits for room when the heap is full (OPENBLACS_HEAP_SECONDS). */
void ob_shm_be_patient(ob_shm *shm, double seconds);
int ob_shm_fd(const ob_shm *shm);
int ob_shm_attach(ob_shm *shm, int number, int fd);
/* Sets the peer's transport and link. OB_ESTATE when its segment is not mapped. */
int ob_shm_connect(ob_shm *shm, ob_peer *peer);
void ob_shm_trim(ob_shm *shm);
/* Wakes all who may wait for this process when it leaves. */
void ob_shm_set_life(ob_shm *shm, enum ob_life life);
/* Are all processes whose segments are mapped about to leave (OB_LIFE_CLOSED or
 * _GONE), or dead? When not, sleeps for a while before it says so. */
bool ob_shm_all_leave(const ob_shm *shm, long nap_ns);
/* The next three do nothing without shared memory (NULL). */
/* Does a process of our launcher's job run that has not joined yet? */
bool ob_shm_expects_more(const ob_shm *shm);
/* Leaves the name of a file for our launcher, which looks at it when all have ended. */
void ob_shm_leave_file(const ob_shm *shm, const char *name);
/* True for the first process that asks, of those that see each other's memory. */
enum ob_once { OB_ONCE_STALL = 1, OB_ONCE_FAULT = 2 };
bool ob_shm_once(const ob_shm *shm, enum ob_once what);
/* Of a job in one file: the `alike` of a process in the job that differs from this process's, which
 * has none but its own otherwise. */
unsigned ob_shm_alike(const ob_shm *shm);
/* Unmaps everything. All peers are closed. */
void ob_shm_destroy(ob_shm *shm);

/* lend.c: the transport's callbacks of those names. */
void *ob_shm_lend(ob_peer *peer, size_t bytes, unsigned readers, bool wait, uint64_t *name);
void *ob_shm_borrow(ob_peer *peer, uint64_t name);
void ob_shm_give_back(void *memory);

/* What an offset in the segment of a process that is mapped counts from, beyond its header and the
 * channel from us. */
static inline char *ob_shm_whole(const ob_shm *shm, int number)
{
    return shm->whole && shm->whole[number] ? shm->whole[number] : (char *)shm->segment[number];
}

/* The channel to that process; its first touch costs memory. */
struct ob_channel *ob_shm_channel(const ob_shm *shm, int number);

/* The bell of this process (a futex word). */
static inline atomic_uint *ob_shm_bell(ob_shm *shm)
{
    return &shm->own->bell;
}

#endif
