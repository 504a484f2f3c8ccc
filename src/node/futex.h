/* Sleeping on, and waking sleepers of, a word in shared memory. */
#ifndef OB_NODE_FUTEX_H
#define OB_NODE_FUTEX_H
#include <stdatomic.h>

/* Sleeps while *word == expected, at most `nanoseconds` (negative: forever).
 * Returns early for no reason now and then. */
void ob_futex_wait(atomic_uint *word, unsigned expected, long nanoseconds);
/* Wakes everyone who sleeps on *word. */
void ob_futex_wake(atomic_uint *word);
#endif
