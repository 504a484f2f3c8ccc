/*
 * This machine: its processors and last-level caches.
 */
#ifndef OB_CORE_MACHINE_H
#define OB_CORE_MACHINE_H

#include <stddef.h>

/* Bytes of all of them; SIZE_MAX where the system does not say. Asked of the system once. */
size_t ob_cache_bytes(void);
/* The same from a folder such as /sys/devices/system/cpu/cpu0/cache, for a machine with so many
 * processors. */
size_t ob_cache_bytes_in(const char *folder, long processors);

/* Number of processors this process may run on. */
int ob_processors(void);

#endif
