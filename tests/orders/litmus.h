/* Programs with known outcomes, for the explorer itself. */
#ifndef OB_ORDERS_LITMUS_H
#define OB_ORDERS_LITMUS_H

#include "explore.h"

typedef struct litmus {
    ex_model model;
    uint64_t outcomes; /* those allowed, all of which must be found */
    int executions;    /* how many differ; 0: not counted by hand, -1: it is an error */
} litmus;

extern const litmus litmus_tests[];
extern const int litmus_count;
/* For buffered.h: `executions` are loads that may wait. */
extern const litmus litmus_buffered[];
extern const int litmus_buffered_count;

/* A random program, the same for the same seed. */
enum { LITMUS_MOST = 3 };
void litmus_draw(uint64_t seed);
ex_model litmus_random(void);

#endif
