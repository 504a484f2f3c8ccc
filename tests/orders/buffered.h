/*
 * Load buffering: a load that is carried out after a later store of its own process. The explorer
 * does not do that, though C11 and processors may, when both are relaxed. So this makes sure that
 * it could change nothing.
 *
 * What a load that waits reads was written because of the store that it waits for. That is a
 * circle: from a load to a later store of one process, from the store to a load of it by another,
 * and so on. Each load of it can be one that reads news, which its process did not know of already;
 * else a release and an acquire lead there, and the circle may go along those. No circle is
 * possible when each of its steps within a process is kept in order, by an acquire, a release or a
 * fence. So of each model all steps from a load of news to a later store are noted. One that is not
 * kept in order, whose store was news to somebody, and that lies on a circle of words is an error.
 * Dependencies, which processors keep and C11 does not know, do not count.
 */
#ifndef OB_ORDERS_BUFFERED_H
#define OB_ORDERS_BUFFERED_H

#include "memory.h"

extern bool buffered_wanted;

/* A model begins, an execution of it begins, an operation of a process has happened. */
void buffered_begin(void);
void buffered_restart(void);
void buffered_step(int thread, const op *o);
/* The model is over. How many steps not kept in order lie on circles; they are printed. */
int buffered_end(bool say);

#endif
