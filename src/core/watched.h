/*
 * For a thread sanitizer, which watches one process. Where memory goes from one thread to another
 * by way of another process (shown to it, read and given back by it), the order is there, but the
 * sanitizer sees its ends alone. So both threads say so. In a usual build nothing is left of it.
 */
#ifndef OB_CORE_WATCHED_H
#define OB_CORE_WATCHED_H

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define OB_WATCHED 1
#else
#define OB_WATCHED 0
#endif

/* What this thread has done so far comes before whatever is behind the next one. */
static inline void ob_watched_release(void *memory)
{
#if OB_WATCHED
    __tsan_release(memory);
#endif
    (void)memory;
}

static inline void ob_watched_acquire(void *memory)
{
#if OB_WATCHED
    __tsan_acquire(memory);
#endif
    (void)memory;
}

#endif
