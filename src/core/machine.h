/*
 * This machine: its processors and last-level caches.
 */
#ifndef OB_CORE_MACHINE_H
#define OB_CORE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of all of them; SIZE_MAX where the system does not say. Asked of the system once. */
size_t ob_cache_bytes(void);
/* The same from a folder such as /sys/devices/system/cpu/cpu0/cache, for a machine with so many
 * processors. */
size_t ob_cache_bytes_in(const char *folder, long processors);

/* How many processors' time the control groups of this process give it (cpu.max, or
 * cpu.cfs_quota_us), rounded down, at least 1; INT_MAX: they set no limit. Who spins on more
 * processors is stopped when the time is used up. */
int ob_processor_quota(void);
/* The same from a folder that holds proc and sys. */
int ob_processor_quota_in(const char *root);

/* Which processors the scheduler may use for this thread: processor i is bit i % 64 of set[i / 64].
 * All 0 where the system does not say, or has more than there are bits. */
void ob_processor_set(uint64_t *set, size_t words);

/* Processors this process, and what it starts, may run on all the time. */
int ob_processors_allowed(void);
/* The same for a process beside others of its job, of whom it knows nothing. */
int ob_processors(void);

#endif
