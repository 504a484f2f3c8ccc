/*
 * The last-level caches of this machine.
 */
#ifndef OB_CORE_CACHE_H
#define OB_CORE_CACHE_H

#include <stddef.h>

/* Bytes of all of them; SIZE_MAX where the system does not say. Asked of the system once. */
size_t ob_cache_bytes(void);
/* The same from a folder such as /sys/devices/system/cpu/cpu0/cache, for a machine with so many processors. */
size_t ob_cache_bytes_in(const char *folder, long processors);

#endif
