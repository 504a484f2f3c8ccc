/*
 * Measures a machine profile (model.h) on a simulated machine, between the
 * processes 0 and 1: two lengths below the length from which a message waits for its
 * receiver (MPI's eager limit) and two above give a line each. Simulated time is exact, so there is
 * nothing to average. Computing and copying take no simulated time.
 *
 *     smpirun -np 2 ... profile EAGER_LIMIT FILE
 */
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "hooks/profile.h"

static int me;
static ob_group *pair;

static void must(int status)
{
    if (status != OB_OK) {
        fprintf(stderr, "profile: %s\n", ob_error_text());
        exit(1);
    }
}

/* How long process `who` is in its call, when the receiver enters it `late` seconds
 * after the sender. */
static double call_time(char *buffer, size_t bytes, int who, int late)
{
    ob_view v = ob_view_vector(buffer, bytes, OB_BYTE);
    struct timespec wait = {late, 0};
    double start = clock_start();
    if (me == 1 && late)
        nanosleep(&wait, NULL);
    double from = MPI_Wtime();
    must(me == 0 ? ob_send(pair, 1, 0, &v) : ob_recv(pair, 0, 0, &v, NULL));
    double took = MPI_Wtime() - from;
    (void)clock_stop(start);
    MPI_Bcast(&took, 1, MPI_DOUBLE, who, MPI_COMM_WORLD);
    return took * 1e6;
}

static double time_of(ob_quantity q, char *buffer, size_t bytes)
{
    switch (q) {
    case OB_T_C: return call_time(buffer, bytes, 1, 0);
    case OB_T_S: return call_time(buffer, bytes, 0, 1);
    case OB_T_R: return call_time(buffer, bytes, 1, 1);
    default: return 0;
    }
}

static ob_piece line(ob_quantity q, char *buffer, size_t from, size_t to)
{
    double a = time_of(q, buffer, from), b = time_of(q, buffer, to);
    double beta = (b - a) / (double)(to - from);
    return (ob_piece){from, a - beta * (double)from, beta};
}

int main(int argc, char **argv)
{
    ob_profile p;
    ob_job *job;
    const int both[] = {0, 1};
    MPI_Init(&argc, &argv);
    if (argc != 3 || atol(argv[1]) < 16) {
        fprintf(stderr, "usage: profile EAGER_LIMIT FILE\n");
        exit(2);
    }
    size_t limit = (size_t)atol(argv[1]);
    char *buffer = calloc(32, limit);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    must(ob_job_start(&job));
    must(ob_group_create(job, both, 2, &pair));
    ob_profile_builtin(&p);
    p.origin = OB_MEASURED;
    snprintf(p.host, sizeof p.host, "simulated");
    p.processors = 1;
    for (int q = 0; q < OB_QUANTITIES; q++)
        p.curve[q] = (ob_curve){.pieces = 2,
                                .piece = {line((ob_quantity)q, buffer, 0, limit - 8),
                                          line((ob_quantity)q, buffer, limit, 32 * limit)}};
    /* A process has a processor of its own and is woken when the message comes. */
    p.waiting = (ob_waiting){.turn = 0.001, .patience = 0.001, .spill = 1, .cold = 1};
    if (me == 0)
        must(ob_profile_write(argv[2], &p));
    free(buffer);
    ob_group_free(pair);
    MPI_Finalize();
    return 0;
}
