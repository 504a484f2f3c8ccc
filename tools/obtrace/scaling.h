/*
 * Runs of one program with more and more processes.
 */
#ifndef OBTRACE_SCALING_H
#define OBTRACE_SCALING_H

#include "analysis.h"

typedef struct obt_run {
    const char *path;
    size_t processes;
    int64_t length, computing; /* computing: of all processes */
    obt_efficiency efficiency;
    /* Beside the first run. */
    double speedup;
    double
        computation; /* its computing by this one's: what was added, or runs slower, is below 1 */
    double global;   /* parallel efficiency times the computation's */
} obt_run;

/* Orders runs by processes and compares all with the first. weak: each process has as much work in
 * all of them. */
void obt_scale(obt_run *runs, size_t count, bool weak);

void obt_scaling_picture(const obt_run *runs, size_t count, FILE *out);

#endif
