/*
 * Measuring: the points asked for, round after round, so that a change of the
 * machine's speed meets all of them alike.
 */
#ifndef OBBENCH_MEASURE_H
#define OBBENCH_MEASURE_H

#include "face.h"
#include "median.h"
#include "obbench.h"

typedef struct obb_bench {
    const obb_options *options;
    ob_job *job;
    ob_group *all; /* every process: carries samples and decisions */
    int me, count;
    int rounds, again; /* of the options, or as many as there is time for */
    double begun,
        part; /* of the rounds: their beginning, and the seconds that they have; 0: no end */
    /* Collective calls in the first round: points, how many have been, the seconds that these took,
     * those that all may take; the lengths that there was no time for. */
    int points, passed;
    double spent, budget;
    size_t *left_out;
    int left_out_count;
    void (*progress)(int done, int total);

    const obb_face *face;
    int color, size, rank; /* of the scope this process is in */
    char *vector, *spare;  /* as long as the longest length */
    obb_records *records;  /* filled at process 0 */
} obb_bench;

/* One point while it is measured. */
typedef struct obb_point {
    obb_record record;
    int reps;      /* of one sample; 0: not tried yet */
    bool again;    /* one of those that are repeated ten times */
    double window; /* of T_s: microseconds that the receiver stays away */
    obb_times *sample;
    int samples;
    bool out; /* left out: it has no sample */
} obb_point;

/* Whether a job of so many processes has the grid, the root and the pair that were asked for; why
 * not. */
enum { OBB_WHY = 128 };
bool obb_fits(const obb_options *o, int count, char why[OBB_WHY]);

/* All points of the options, on all systems there are; obb_fits must be true. Collective over the
 * job. */
void obb_measure(obb_bench *b);

/* One sample of a point; *t is right at process 0, of obb_sample_pair at the first of the two
 * processes that call it; obb_sample_local is called by process 0, the other by all. */
void obb_sample_pair(obb_bench *b, obb_point *p, obb_times *t);
void obb_sample_local(obb_bench *b, obb_point *p, obb_times *t);
void obb_sample_collective(obb_bench *b, obb_point *p, obb_times *t);

/* ------------------------------------------------------------------- nodes.c */

/* In a job of several nodes: the first processes of the first two. Else *pair stays. */
void obb_find_pair(const obb_bench *b, int pair[2]);
/* The first process of each node, and how many there are; 0 where they are not to be measured: one
 * node, no native calls, or a pair (of T_c) within a node. Collective over the job. */
int obb_native_leaders(obb_bench *b, int *leaders);

/* p, s, g, l of this job; the result is at process 0. Collective. */
void obb_measure_bsp(obb_bench *b, double *s, double *g, double *l);

/* Ends all processes when a call has failed: its reason is printed. */
void obb_must(obb_bench *b, int status);
static inline double obb_now_us(void)
{
    return 1e6 * ob_time();
}

#endif
