/*
 * Two programs, or two versions of one, side by side: where the time of the second went that the
 * first did not take.
 */
#ifndef OBTRACE_COMPARE_H
#define OBTRACE_COMPARE_H

#include "analysis.h"

typedef enum obt_verdict {
    OBT_SLOWER,
    OBT_FASTER,
    OBT_NOISE,     /* no larger than what runs of one side differ by */
    OBT_NOT_JUDGED /* one trace of each: what runs differ by is not known */
} obt_verdict;

extern const char *const obt_verdict_names[];

/* What one cause took at one place: nanoseconds of a process, in the mean of all processes. The
 * rows of a side add up to what its processes were recorded for. */
typedef struct obt_change_row {
    const char *cause; /* "computing", "late sender", ... */
    const char *place; /* "before dgebs2d called from pdgetf2_" */
    double *time;      /* by trace: those of A, then of B */
    double a, b;       /* means */
    double error; /* such a difference happens by chance once in a hundred times; -1: not known */
    obt_verdict verdict;
} obt_change_row;

typedef struct obt_comparison {
    size_t a, b; /* traces of each side */
    size_t room; /* for so many */
    size_t processes[2];
    const char *path[2]; /* the first of each */
    double *length;
    obt_change_row whole; /* the run's length */
    obt_change_row *rows; /* the largest difference first, noise last */
    size_t row_count, row_room;
    obt_map of; /* rows by cause and place */
    char **texts;
    size_t text_count, text_room;
} obt_comparison;

/* traces: how many will be added. */
obt_comparison *obt_comparison_new(size_t traces);
void obt_comparison_add(obt_comparison *c, const obt_analysis *a, bool second);
/* After the last one. */
void obt_comparison_judge(obt_comparison *c);
void obt_comparison_free(obt_comparison *c);

void obt_comparison_page(const obt_comparison *c, FILE *out);

#endif
