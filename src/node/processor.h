/*
 * Which processor a thread runs on, and moving it to another one.
 */
#ifndef OB_NODE_PROCESSOR_H
#define OB_NODE_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct ob_shm;

/* The processor the calling thread runs on. */
int ob_processor_here(void);
/* A number, never 0, of the scheduling group the process is in. sched_yield gives the processor to
 * those of the same group alone; a session is one, and so is a control group. */
uint64_t ob_processor_sharing(void);
/* Where the thread's processors are (node/near.h); 0 unless it is bound to some of the machine's.
 */
uint64_t ob_processor_near(void);
/* Moves the calling thread to a processor it may use and on which fewer awake processes of
 * the job were last seen than here, the thread's own not counted; afterwards it may run on
 * all those it might before. False when there is none. The caller publishes where it runs now. */
bool ob_processor_move(const struct ob_shm *shm);
/* The same, to this processor. */
bool ob_processor_move_to(const struct ob_shm *shm, int processor);
/* Which of the processors, 0 to processors - 1, the i-th of so many processes belongs to. None
 * takes two more of them than another. Where each takes two, and they are a power of two, those are
 * of different rows and of different columns of any grid of all processes that has several of
 * either; elsewhere those that follow each other are together. */
int ob_processor_share(int i, int count, int processors);
/* The number that the system gives that processor; -1 when the process may not use as many
 * processors as it says. */
int ob_processor_place(int i, int count, int processors);

#endif
