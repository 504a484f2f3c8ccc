/*
 * Another process's own memory, read and written by the kernel's hand: one copy, without a buffer
 * that both map.
 */
#ifndef OPENBLACS_HOOKS_REACH_H
#define OPENBLACS_HOOKS_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "openblacs/core.h"

/* Lets the processes that descend from this one's parent, the launcher, reach its memory, where the
 * system asks for that (Yama); nobody else is let in. Once is enough. */
OB_API void ob_reach_open(void);
/* Copies `bytes` from the runs `there` of process `pid` to the runs `here`, or (write) the other
 * way round; each list has so many bytes (at most OB_REACH_BYTES) and at most OB_REACH_RUNS runs.
 * False, with errno, when not all was copied: the process has ended, it may not be reached, or an
 * address is not one of its. */
enum { OB_REACH_RUNS = 256, OB_REACH_BYTES = 1 << 30 };
OB_API bool ob_reach(bool write, int pid, const struct iovec *here, int here_count,
                     const struct iovec *there, int there_count, size_t bytes);

#endif
