/*
 * What the conformance programs of the core share: they use the public header
 * alone and run unchanged with any number of processes under any launcher. All
 * processes check; process 0 gathers the counts and prints one line.
 */
#ifndef OB_TESTS_CORE_HARNESS_H
#define OB_TESTS_CORE_HARNESS_H

#include "../checks.h"
#include "openblacs/core.h"

static ob_job *job;
static ob_group *everyone; /* every process, by number */

/* A call that must succeed. */
static inline int fine(int status, const char *what)
{
    return check(status == OB_OK, "%s: status %d, %s", what, status, ob_error_text());
}

static inline ob_group *group_of(const int *numbers, int size)
{
    ob_group *g = NULL;
    if (!fine(ob_group_create(job, numbers, size, &g), "ob_group_create"))
        exit(1);
    return g;
}

static inline ob_group *group_of_all(void)
{
    ob_group *g = NULL;
    if (!fine(ob_group_world(&g), "ob_group_world"))
        exit(1);
    return g;
}

static inline void begin(void)
{
    if (ob_group_world(&everyone) != OB_OK) {
        fprintf(stderr, "ob_group_world: %s\n", ob_error_text());
        exit(1);
    }
    job = ob_group_job(everyone);
    world.me = ob_job_number(job);
    world.count = ob_job_count(job);
}

/* Gathers the counts, prints them, ends the job. The program's exit status. */
static inline int finish(void)
{
    int32_t sum[2] = {world.passed, world.failed}, other[2];
    ob_group *g = group_of_all();
    ob_view v = {.base = world.me ? sum : other, .m = 2, .n = 1, .ld = 2, .type = OB_INT};
    if (world.me && ob_send(g, 0, 0, &v) != OB_OK)
        printf("FAILED: %s\n", ob_error_text());
    for (int from = 1; world.me == 0 && from < world.count; from++) {
        if (ob_recv(g, from, 0, &v, NULL) != OB_OK) {
            printf("FAILED: %s\n", ob_error_text());
            return 1;
        }
        sum[0] += other[0];
        sum[1] += other[1];
    }
    /* All leave with the same status, once process 0 has every count. */
    v.base = sum;
    if (ob_broadcast(g, 0, &v, NULL) != OB_OK) {
        printf("FAILED: %s\n", ob_error_text());
        sum[1]++;
    }
    say_sums(sum[0], sum[1]);
    ob_group_free(g);
    ob_group_free(everyone);
    int status = ob_job_stop(job, 1);
    if (status != OB_OK)
        printf("FAILED: %s\n", ob_error_text());
    return sum[1] != 0 || status != OB_OK;
}

#endif
