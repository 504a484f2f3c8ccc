/*
 * BSPlib: bulk-synchronous programs in C (Hill, McColl, Stefanescu, Goudreau, Lang,
 * Rao, Suel, Tsantilas, Bisseling: BSPlib, the BSP programming library, 1998).
 *
 * A program is a sequence of supersteps: local work and requests to communicate,
 * ended by bsp_sync, which all processes call. Nothing that was requested can be seen before
 * the sync, all of it afterwards. A superstep costs w + h g + l: the largest local work, the
 * largest number of data a process sends or receives, and the synchronisation (docs/bsp.md).
 *
 * What a sync does, in this order:
 *   1. every get reads its source;
 *   2. the values read are written where the gets want them;
 *   3. the puts are written, those of process 0 first, each process's in the order of its calls;
 *   4. what was sent replaces the queue of received messages, again by sender and in order;
 *   5. registrations and the tag size change.
 * So writes that overlap have a result that does not depend on timing.
 *
 * Sizes are in bytes. The standard's are int; here those passed by value are size_t, which
 * takes the same programs and has no limit at 2 GiB.
 *
 * Errors. Every illegal use ends the job with one line that names the routine, the
 * processes and the sizes: at the call where that can tell, else at the sync that finds it.
 *
 * Threads: one thread of a process uses BSPlib.
 *
 * Programs include <bsp.h>, link with -lopenblacs_bsp, and run alone, under obrun, or under the
 * mpirun of Open MPI or MPICH.
 */
#ifndef OPENBLACS_BSP_H
#define OPENBLACS_BSP_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define BSP_NO_RETURN __attribute__((noreturn))
#define BSP_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define BSP_NO_RETURN
#define BSP_FORMAT
#endif

/* ------------------------------------------------------------------- types */

/* The report has int for everything. The second edition of Bisseling's book (BSPedupack 2) and
 * MulticoreBSP for C write bsp_pid_t, bsp_nprocs_t and bsp_size_t, and have unsigned and size_t for
 * them. Programs that use the names compile either way; those that use size_t where the names stand
 * say BSP_WIDE_TYPES before they include this (bspcc --mcbsp does). In both, "no message" is -1 in
 * the type of a size. */
#ifdef BSP_WIDE_TYPES
typedef unsigned int bsp_pid_t, bsp_nprocs_t;
typedef size_t bsp_size_t;
#else
typedef int bsp_pid_t, bsp_nprocs_t, bsp_size_t;
#endif

/* Optimised programs have a part of bsp_put themselves, for words (the end of this file). */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__LP64__) && !defined(OPENBLACS_BUILDING)
#define BSP_GATHERS
#endif

/* ------------------------------------------------------ begin, end, inquiry */

/* For programs with a sequential beginning and end: names the function that holds bsp_begin and
 * bsp_end. It is the first statement of main. Process 0 returns and goes on in
 * main, where it calls spmd sooner or later; every other process calls spmd here, and
 * exits when spmd returns. argc and argv are main's; they are not looked at. */
OB_API void bsp_init(void (*spmd)(void), int argc, char **argv);
/* Starts the parallel part on at most maxprocs processes (maxprocs >= 1; the job may have
 * fewer). The number that process 0 gives counts, which is the only one to know it after bsp_init;
 * that of the others is not looked at. Processes of the job beyond maxprocs exit here with status
 * 0. Once in a program, first statement of main or of bsp_init's function. All wait for process 0;
 * when that ends without bsp_begin after bsp_init, they exit with status 0, too. */
OB_API void bsp_begin(bsp_nprocs_t maxprocs);
/* Ends the parallel part; all call it. Requests of the last superstep are not carried out. A
 * process that exits before it ends the job with an error. */
OB_API void bsp_end(void);
/* Before bsp_begin the number of processes there are to begin with, then that of the
 * program. */
OB_API bsp_nprocs_t bsp_nprocs(void);
/* 0 .. bsp_nprocs() - 1. Before bsp_begin 0 in the sequential part. */
OB_API bsp_pid_t bsp_pid(void);
/* Seconds since bsp_begin, of this process's clock. */
OB_API double bsp_time(void);
/* Ends the superstep. Waits for all processes. */
OB_API void bsp_sync(void);
/* Prints the message to stderr and ends all processes, with status 1. Any process, any time. */
OB_API BSP_NO_RETURN void bsp_abort(const char *format, ...) BSP_FORMAT;
/* The same with the arguments in a list. */
OB_API BSP_NO_RETURN void bsp_vabort(const char *format, va_list args);

/* ------------------------------------------------------------- registration */

/* From the next superstep on, puts and gets may name `size` bytes at ident of this process,
 * and what the other processes register in the same call of theirs: all processes call it the
 * same number of times and in the same order in a superstep; addresses and sizes may
 * differ. NULL, whatever the size, is for a process that takes part with no memory: it can neither
 * name the registration nor be the target of a put or get. An address that is registered again gets
 * the newer registration; the older one comes back when it is popped. */
OB_API void bsp_push_reg(const void *ident, size_t size);
/* Takes the newest registration of ident back, from the next superstep on. All processes pop what
 * they have pushed together. A registration of this very superstep may be popped. A process that
 * has registered NULL pops NULL: then the others say which registration is meant, and when all pop
 * NULL it is the newest that is NULL on all. */
OB_API void bsp_pop_reg(const void *ident);

/* ---------------------------------------------- remote memory; n g for n data */

/* A put or get of 0 bytes does nothing, whatever its addresses and its offset; only pid must be a
 * process. */

/* Writes nbytes at src to process pid, offset bytes into what it registered together with
 * our dst. src is read now and may change afterwards; written at the sync. No limit but memory to
 * how many. (dst is const because it only names what the other process has.) */
#ifdef BSP_GATHERS
static __inline__ void bsp_put(bsp_pid_t pid, const void *src, const void *dst, size_t offset,
                               size_t nbytes);
#else
OB_API void bsp_put(bsp_pid_t pid, const void *src, const void *dst, size_t offset, size_t nbytes);
#endif
/* Reads nbytes from process pid, offset bytes into what it registered with our src,
 * to dst: the value it has when all have called bsp_sync, before any put. dst is written
 * at the sync. */
OB_API void bsp_get(bsp_pid_t pid, const void *src, size_t offset, void *dst, size_t nbytes);
/* The same, but memory may be read and written at any time between the call and the end
 * of the sync, so neither side may change it meanwhile. */
OB_API void bsp_hpput(bsp_pid_t pid, const void *src, const void *dst, size_t offset,
                      size_t nbytes);
OB_API void bsp_hpget(bsp_pid_t pid, const void *src, size_t offset, void *dst, size_t nbytes);

/* Reads at once, in the midst of the superstep, what process pid has at that place; it must not
 * change it in this superstep (MulticoreBSP for C). From processes of this node only, of Linux;
 * others are an error. */
OB_API void bsp_direct_get(bsp_pid_t pid, const void *src, size_t offset, void *dst, size_t nbytes);

/* ----------------------------------------------------------------- messages */

/* Tags have *tag_nbytes bytes from the next superstep on (0 at the beginning); all processes say
 * the same. *tag_nbytes becomes the size set last, also when that has not come into force yet: a
 * routine that gives it back at its end restores what its caller wanted. */
OB_API void bsp_set_tagsize(int *tag_nbytes);
/* Sends a message: a tag of the size in force (NULL when that is 0) and a payload. Both are
 * read now. It is in pid's queue during the next superstep, and only then. A payload has at
 * most INT_MAX bytes, since bsp_get_tag tells its size in an int. */
OB_API void bsp_send(bsp_pid_t pid, const void *tag, const void *payload, size_t payload_nbytes);
/* The same, but the payload may be read at any time until the end of the sync and must not change
 * till then. */
OB_API void bsp_hpsend(bsp_pid_t pid, const void *tag, const void *payload, size_t payload_nbytes);
/* How many messages are in the queue, and the bytes of their payloads together
 * (accum_nbytes may be NULL; more than INT_MAX bytes are an error then). */
OB_API void bsp_qsize(int *nmessages, int *accum_nbytes);
/* The bytes of the first message's payload to *status, its tag to tag; -1 when there
 * is none. */
OB_API void bsp_get_tag(int *status, void *tag);
/* Takes the first message from the queue and writes its payload, at most
 * reception_nbytes of it, to payload. An empty queue is an error. */
OB_API void bsp_move(void *payload, size_t reception_nbytes);
/* Takes the first message from the queue without copying: *tag and *payload point to it
 * until the next sync, the payload aligned for any type. Returns the payload's bytes, or -1
 * when there is none. */
OB_API int bsp_hpmove(void **tag, void **payload);

/* The same with wide types. */
OB_API void bsp_set_tagsize_wide(size_t *tag_nbytes);
OB_API void bsp_qsize_wide(unsigned *nmessages, size_t *accum_nbytes);
OB_API void bsp_get_tag_wide(size_t *status, void *tag);
OB_API size_t bsp_hpmove_wide(void **tag, void **payload);
#ifdef BSP_WIDE_TYPES
#define bsp_set_tagsize bsp_set_tagsize_wide
#define bsp_qsize bsp_qsize_wide
#define bsp_get_tag bsp_get_tag_wide
#define bsp_hpmove bsp_hpmove_wide
#endif

/* ------------------------------------------------ puts of word after word */

/* bsp_put, for the lines below, which stay as they are: programs have them built in. */
OB_API void bsp_put_call(bsp_pid_t pid, const void *src, const void *dst, size_t offset,
                         size_t nbytes);
/* Whether the program may gather words for this memory of process pid: the library calls settle,
 * once, before it does anything else for the program. 0: it may not. */
OB_API int bsp_put_gather(bsp_pid_t pid, const void *dst, void (*settle)(void));

/* A put of a word right behind the one before is written here, in the program, and costs no call.
 * What this looks like is the program's own: the library knows nothing of it but bsp_settle_words.
 */
#ifdef BSP_GATHERS
static struct {
    size_t next;   /* the offset behind the word put last */
    size_t former; /* the key it went to */
    size_t key;    /* that key while words are gathered, else 0 */
    size_t limit;  /* the offset behind the last word that fits */
    size_t first;  /* the offset of the first one here */
    char *data;    /* where offset 0 would be */
    const void *dst;
    bsp_pid_t pid;
    char fill[20]; /* the words lie as they do behind the first one in what is sent */
    char word[8192];
} bsp_words __attribute__((__aligned__(64)));

/* One number to compare instead of two. The factor, 2^64 by the golden ratio, is odd, so an address
 * has a number of its own for every pid; and below 2^14 its multiples are more than 2^49 apart, so
 * addresses of 48 bits have different ones with any pids of so many processes. (Others are not
 * gathered.) 0 is none. */
#define BSP_KEY(pid, dst) ((size_t)(dst) + 1 + (size_t)(pid)*0x9e3779b97f4a7c15UL)

__attribute__((__unused__)) static void bsp_settle_words(void)
{
    bsp_words.key = 0;
    bsp_put_call(bsp_words.pid, bsp_words.word, bsp_words.dst, bsp_words.first,
                 bsp_words.next - bsp_words.first);
}

/* A word that continues the one before is the first to be gathered: more are likely to follow. */
__attribute__((__unused__, __noinline__)) static void
bsp_put_other(bsp_pid_t pid, const void *src, const void *dst, size_t offset, size_t nbytes)
{
    size_t key = BSP_KEY(pid, dst);
    int again = nbytes == 8 && key == bsp_words.former && offset == bsp_words.next && src != NULL;
    if (bsp_words.key)
        bsp_settle_words();
    if (again && bsp_put_gather(pid, dst, bsp_settle_words)) {
        memcpy(bsp_words.word, src, 8);
        bsp_words.pid = pid;
        bsp_words.dst = dst;
        bsp_words.key = key;
        bsp_words.first = offset;
        bsp_words.limit = offset + sizeof bsp_words.word;
        bsp_words.data = (char *)((size_t)bsp_words.word - offset);
    } else {
        bsp_put_call(pid, src, dst, offset, nbytes);
    }
    bsp_words.former = key;
    bsp_words.next = offset + 8;
}

static __inline__ void bsp_put(bsp_pid_t pid, const void *src, const void *dst, size_t offset,
                               size_t nbytes)
{
    size_t key = BSP_KEY(pid, dst);
    if (__builtin_expect(nbytes == 8 && key == bsp_words.key && offset == bsp_words.next &&
                             offset != bsp_words.limit && src != NULL,
                         1)) {
        memcpy(bsp_words.data + offset, src, 8);
        bsp_words.next = offset + 8;
    } else if (bsp_words.key == 0 && (offset != bsp_words.next || key != bsp_words.former)) {
        bsp_words.former = key;
        bsp_words.next = offset + 8;
        bsp_put_call(pid, src, dst, offset, nbytes);
    } else {
        bsp_put_other(pid, src, dst, offset, nbytes);
    }
}
#undef BSP_KEY
#endif

#ifdef __cplusplus
}
#endif

/* The collective calls of the Oxford toolset's level 1, for programs that expect them here: others
 * have functions of these names of their own. */
#ifdef BSP_LEVEL1
#include "openblacs/bsp_level1.h"
#endif
#endif
