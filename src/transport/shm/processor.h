/*
 * Which processor a thread runs on, and moving it to another one.
 */
#ifndef OB_SHM_PROCESSOR_H
#define OB_SHM_PROCESSOR_H

#include <stdbool.h>

struct ob_shm;

/* The processor the calling thread runs on. */
int ob_processor_here(void);
/* Moves the calling thread to a processor it may use and on which fewer awake processes of
 * the job were last seen than here, the thread's own not counted; afterwards it may run on
 * all those it might before. False when there is none. The caller publishes where it runs now. */
bool ob_processor_move(const struct ob_shm *shm);

#endif
