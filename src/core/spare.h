/*
 * How much memory may still be taken for messages that nobody has received, before the machine, or
 * the container we are in, is short of it.
 */
#ifndef OB_CORE_SPARE_H
#define OB_CORE_SPARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a process may always take, and what it may take between two looks, both in bytes. */
enum { OB_MEMORY_FREE_HAND = 64 << 20, OB_MEMORY_LOOK = 64 << 20 };
/* This part of the memory stays free. */
enum { OB_MEMORY_KEPT = 16 };

/* Bytes that can be had while one OB_MEMORY_KEPT-th stays free, by the machine and by each control
 * group (memory.max, or memory.limit_in_bytes) we are in; SIZE_MAX where the system does not say.
 */
size_t ob_memory_spare(void);
/* The same from a folder that holds proc and sys. */
size_t ob_memory_spare_in(const char *folder);

typedef struct ob_memory_watch {
    size_t (*spare)(void);  /* NULL: all is allowed */
    _Atomic size_t trusted; /* bytes that may be taken before we look again: relaxed, a guess */
} ob_memory_watch;

/* May one who has taken so many bytes take `bytes` more? */
bool ob_memory_allows(ob_memory_watch *w, size_t taken, size_t bytes);

#endif
