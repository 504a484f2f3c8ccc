/* Between the explored code and the explorer. */
#ifndef OB_ORDERS_HOOKS_H
#define OB_ORDERS_HOOKS_H

#include "explore.h"
#include "memory.h"

extern const ex_plant *ex_planted;

extern bool ex_setting_up;
int ex_current(void); /* the process that runs; -1: none */
void ex_operation(op *o);
int ex_spawn(void *(*start)(void *), void *argument);
void ex_join(int process);

#endif
