/*
 * Who is near whom on a machine of many processors. Processors that are threads of one core, or
 * share a cache, or a package, hand each other lines faster than others do.
 *
 * A place is one word: the package, the cache that several cores share last, and the core, 16 bits
 * each from the top, each 0 where it is not known or not one. So places that are near have near
 * numbers, and 0 says nothing. Where the system says nothing, or the same of all, processes that
 * are bound to a processor each can measure it.
 */
#ifndef OB_NODE_NEAR_H
#define OB_NODE_NEAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a place: the bits below package, cache and core; and the lowest bit: it is of one processor,
 * whatever else is known. */
enum { OB_NEAR_PACKAGE = 48, OB_NEAR_CACHE = 32, OB_NEAR_CORE = 16, OB_NEAR_BOUND = 1 };

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

/* Are all known, and some nearer to each other than others? */
bool ob_near_tells(const uint64_t *place, int n);

/* Places from how long a line takes from each process to each other one, in ns, row by row and the
 * same both ways; the diagonal is not looked at. They are told apart where times jump, and all is
 * clear cut: nearly all times within a set are below, nearly all others above. number[]: of the
 * processes, by whose least one a set is named. All 0: nothing was found. */
int ob_near_measured(const uint16_t *trip, int n, const int *number, uint64_t *place);

/* What half a round trip of a line between two processes takes, in ns, the least of some trips;
 * `first`: the one who begins. Both pass the same word, which nobody else uses meanwhile, and a
 * `base` above all that it has held, by OB_NEAR_TRIPS * 2 a call. 0: not before `until` (ob_time).
 */
enum { OB_NEAR_TRIPS = 8 };
uint16_t ob_near_trip(atomic_uint *word, bool first, unsigned base, double until);

#endif
