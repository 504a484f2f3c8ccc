/* Coroutines: processes that are run one at a time, by name. */
#ifndef OB_ORDERS_MACHINE_H
#define OB_ORDERS_MACHINE_H

#include <stddef.h>

typedef struct coroutine coroutine;

coroutine *machine_make(size_t stack);
/* It begins with main(argument) when it is next entered, whatever it was at. */
void machine_start(coroutine *c, void (*main)(int), int argument);
void machine_enter(coroutine *c);
/* Back to who entered the one that runs, c. */
void machine_leave(coroutine *c);

#endif
