/*
 * Who is near whom on a machine of many processors. Processors that are threads of one core, or
 * share a cache, or a package, hand each other lines faster than others do.
 *
 * A place is one word: the package, the cache that several cores share last, and the core, 16 bits
 * each from the top, each 0 where it is not known or not one. So places that are near have near
 * numbers, and 0 says nothing.
 */
#ifndef OB_NODE_NEAR_H
#define OB_NODE_NEAR_H

#include <stdint.h>

/* Where a process is that may run on these processors alone. folder: in which Linux describes them,
 * cpu0, cpu1, ...: topology/core_siblings_list, topology/thread_siblings_list, and
 * cache/index0, index1, ... with level and shared_cpu_list. */
uint64_t ob_near_place(const char *folder, const int *processors, int count);

/* Shares out n processes among boards of at most `most` (2 or more, and less than n), near ones
 * together: order[] names all, those of a board one after the other, board[i] the board of
 * order[i], 0, 1, ... Boards keep to one cache, or to one package, where that does not need more
 * than twice as many of them. Where a place is not known, processes that follow each other are
 * taken to be near. Returns how many boards, -1: no
 * memory. The same places give the same boards everywhere. */
int ob_near_boards(const uint64_t *place, int n, int most, int *order, int *board);

#endif
