/*
 * An explorer of all that C11's rules let a few processes do that share memory.
 *
 * The code to explore is the library's own, compiled with -fsanitize=thread: the compiler then
 * calls a function for every access to memory, atomic or plain, and tells the order of the atomic
 * ones. Those functions are ours (hooks.c) in place of the sanitizer's. Each process is a
 * coroutine that stops before each atomic operation; explore.c chooses who goes on, and which of
 * the stores that the rules still allow a load reads (memory.c), until every choice has been made.
 *
 * Rules. C11 with the mends of RC11 and C++20: a load may read any store that is not older than one
 * its process knows of; release and acquire hand that knowledge on, so do fences and chains of
 * read-modify-writes; sequentially consistent operations and fences are in one order. No load reads
 * a store that comes later in every order (no out-of-thin-air values, and no load buffering, which
 * buffered.h excludes).
 * Plain accesses: two of one byte, one a write, that neither happens before the other, are an
 * error.
 *
 * Errors: such a race; a check that fails; processes that wait for ever (a lost wake-up); memory
 * used after it was freed. The system's part: a futex's wait and wake are each one step with
 * a full fence, time limits never end; membarrier is a full fence in all processes
 * at once.
 */
#ifndef OB_ORDERS_EXPLORE_H
#define OB_ORDERS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EX_THREADS = 5 };

typedef struct ex_model {
    const char *name;    /* the protocol, and what is played of it */
    int threads;         /* that run from the start; more may be made with pthread_create */
    void (*setup)(void); /* once; the world it makes is the same before each execution */
    void (*body)(int me);
    void (*finish)(void); /* after all have ended; may be NULL */
} ex_model;

/* What a model's code calls. */
void *ex_alloc(size_t bytes); /* zeroed, aligned to 64; all that processes share lies there */
/* A look in vain: goes on when a word that was looked at since the last such call has changed. */
void ex_again(void);
/* Words on whose values only speed depends: they are read and written, but not explored. */
void ex_hint(const void *word, size_t bytes);
/* The kernel refuses to read, or to write, other processes' memory. */
extern bool ex_unreadable, ex_unwritable;
/* What the kernel reads there may be changed meanwhile: bytes that must not count. */
extern bool ex_reads_loosely;
/* Adds to what this execution is known by (litmus tests). */
void ex_outcome(uint64_t part);
void ex_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define EX_CHECK(condition)                                                                        \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ex_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition);                    \
    } while (0)

/* A weaker order, or an operation left out. */
typedef enum ex_drop { EX_NOTHING, EX_ACQUIRE, EX_RELEASE, EX_SEQ_CST, EX_WAKE } ex_drop;
enum { EX_PLACES = 64 };
typedef struct ex_plant {
    ex_drop drop;
    const void *place[EX_PLACES]; /* return addresses of the operation */
    int places;
} ex_plant;

typedef struct ex_result {
    uint64_t executions; /* explored to their end */
    uint64_t redundant;  /* begun, and equal to another */
    bool bounded;        /* the limit on executions ended it */
    char *error;         /* NULL: none; the first one, with its steps; malloc'ed */
    uint64_t outcomes;   /* bit n: an execution added up to n */
    uint64_t digest;     /* the same for sums of 64 and more */
} ex_result;

/* Every process at every step, without any reduction: what the search itself is tested by. */
extern bool ex_all;
ex_result ex_explore(const ex_model *model, const ex_plant *plant, uint64_t limit);

/* The atomic operations that have been met so far. */
typedef struct ex_site {
    const void *place;
    int kind, order; /* op_kind; of C11 */
    int failure;
    uint64_t models; /* bit: the model's number */
} ex_site;
extern ex_site ex_sites[];
extern int ex_site_count, ex_model_number;
/* FILE:LINE and function of a return address. */
const char *ex_where(const void *place);

#endif
