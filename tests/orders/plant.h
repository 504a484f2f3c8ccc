/* Weaker orders, planted one at a time: each must be found, or stand in the table of those that may
 * be weaker, with a reason. */
#ifndef OB_ORDERS_PLANT_H
#define OB_ORDERS_PLANT_H

#include <stdbool.h>

#include "explore.h"

int plant_model_count(void);
const ex_model *plant_model(int i);

/* At all operations that the models have met. table: its file; NULL: none. argued_too: those of
 * the table must still be found by nobody. limit: executions of a model. */
void plant_all(const char *table, bool traces, bool argued_too, uint64_t limit, int *passed,
               int *failed);

#endif
