/*
 * The diary of a process: memory of its own, which the others of its node read,
 * with one entry for each of its threads that says what that one waits for. It lies in
 * an anonymous file that is found by its name in /proc, so that it needs no
 * communication, works under every launcher and transport, and is gone with the process.
 */
#ifndef OB_CHECK_DIARY_H
#define OB_CHECK_DIARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/job.h"

enum { OB_DIARY_THREADS = 16, OB_DIARY_TEXT = 200 };

enum ob_wait_kind {
    OB_WAIT_NONE = 0,
    OB_WAIT_ONE, /* for the one peer there is */
    OB_WAIT_ANY, /* for any of the peers; of none: for processes of another job */
    OB_WAIT_MEET /* inside the MPI library, for all peers to make the same group; of none: as above
                  */
};

/* Written by its thread alone. The version is odd while it is written: release by the
 * writer, acquire by readers, who read again when it has changed. What stands from `kind` on is
 * written and read in words, with relaxed order. `looks` counts on while the thread
 * looks for what it waits for, and finds nothing. */
typedef struct ob_entry {
    atomic_uint used, version, looks;
    atomic_int thread; /* the kernel's number of it */
    _Alignas(8) unsigned kind;
    unsigned count;
    double since;     /* names the wait; ob_time() */
    uint64_t meeting; /* of OB_WAIT_MEET: equal for equal lists */
    uint64_t grid;    /* the context number of the group of the call; 0: unknown */
    int context;      /* as the program knows it */
    char where[OB_DIARY_TEXT], whom[OB_DIARY_TEXT];
    int peer[]; /* job numbers; room for all of the job */
} ob_entry;

typedef struct ob_diary {
    uint64_t magic;
    int number, count;
    int pid;
    atomic_int watch; /* the kernel's number of the thread that looks for hangs */
    atomic_int left;
    atomic_int reported; /* it has reported a hang, and ends the job */
    atomic_ullong calls;
    _Alignas(OB_LINE) char entry[];
} ob_diary;

/* Makes our own. OB_ESYSTEM, OB_ENOMEM. */
int ob_diary_open(ob_job *job);
/* Can it be found as others look for it? Not where /proc is hidden. */
bool ob_diary_visible(void);
extern ob_diary *ob_diary_own;
extern ob_job *ob_diary_job;
size_t ob_diary_entry_bytes(int count);
static inline ob_entry *ob_diary_entry(const ob_diary *d, int thread)
{
    return (ob_entry *)(void *)((char *)(uintptr_t)d->entry +
                                (size_t)thread * ob_diary_entry_bytes(d->count));
}
/* Maps the diaries of others on this node that are not mapped yet. */
void ob_diary_find(ob_diary **of);
/* Makes what the entry says that of the draft. */
void ob_diary_write(ob_entry *entry, const ob_entry *draft);
/* A whole copy of an entry; its looks apart. 0 when it is free or changes all the time. */
int ob_diary_read(const ob_diary *d, int thread, ob_entry *copy);

#endif
