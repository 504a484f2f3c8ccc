/* Checks for the programs of this folder: a failed one names itself and ends the job. */
#ifndef CHECK_H
#define CHECK_H

#include <openblacs/core.h>
#include <stdio.h>
#include <stdlib.h>

static ob_job *job;
static int me, count;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: process %d: %s: %s\n", __FILE__, __LINE__, me, #condition,     \
                    ob_error_text());                                                              \
            fflush(stderr);                                                                        \
            ob_job_abort(job, 1);                                                                  \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static inline void send_bytes(ob_group *g, int dest, void *base, size_t bytes)
{
    ob_view v = ob_view_vector(base, bytes, OB_BYTE);
    CHECK(ob_send(g, dest, 0, &v) == OB_OK);
}

static inline void recv_bytes(ob_group *g, int source, void *base, size_t bytes)
{
    ob_view v = ob_view_vector(base, bytes, OB_BYTE);
    CHECK(ob_recv(g, source, 0, &v, NULL) == OB_OK);
}

static inline void join(void)
{
    CHECK(ob_job_start(&job) == OB_OK);
    me = ob_job_number(job);
    count = ob_job_count(job);
}

/* The group of first, first + step, ... below end. */
static inline ob_group *group_of(int first, int end, int step)
{
    int *list = malloc((size_t)(end - first) * sizeof *list), n = 0;
    ob_group *g;
    for (int i = first; i < end; i += step)
        list[n++] = i;
    CHECK(ob_group_create(job, list, n, &g) == OB_OK);
    free(list);
    return g;
}

static inline void fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(seed * 31 + i * 7 + (i >> 11));
}

static inline int holds(const unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(seed * 31 + i * 7 + (i >> 11)))
            return 0;
    return 1;
}

#endif
