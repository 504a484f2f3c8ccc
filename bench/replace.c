/*
 * MPI's collective calls as programs make them, for libicc-mpi to be preloaded into: the time of
 * one call among many in a row, from a barrier to a barrier, slowest process, the median of
 * several rounds. Sizes are those of one process's piece. replace [WORD]: those calls alone whose
 * name has WORD in it.
 */
#include "work.h"

static const double ROUND_US = 4000, POINT_US = 60000;
static const struct size {
    const char *key;
    int n; /* doubles */
} sizes[] = {{"8", 1}, {"1K", 128}, {"64K", 8192}, {"1M", 131072}, {"4M", 524288}};

static const MPI_Comm all = MPI_COMM_WORLD;

static void call_bcast(double *a, double *b, int n)
{
    (void)b;
    MPI_Bcast(a, n, MPI_DOUBLE, 0, all);
}

static void call_reduce(double *a, double *b, int n)
{
    MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, all);
}

static void call_allreduce(double *a, double *b, int n)
{
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, all);
}

static void call_gather(double *a, double *b, int n)
{
    MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, all);
}

static void call_scatter(double *a, double *b, int n)
{
    MPI_Scatter(b, n, MPI_DOUBLE, a, n, MPI_DOUBLE, 0, all);
}

static void call_allgather(double *a, double *b, int n)
{
    MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, all);
}

static void call_reduce_scatter(double *a, double *b, int n)
{
    MPI_Reduce_scatter_block(b, a, n, MPI_DOUBLE, MPI_SUM, all);
}

static const struct call {
    const char *name;
    operation *make; /* a: a piece, b: one of each process */
} calls[] = {{"MPI_Bcast", call_bcast},
             {"MPI_Reduce", call_reduce},
             {"MPI_Allreduce", call_allreduce},
             {"MPI_Gather", call_gather},
             {"MPI_Scatter", call_scatter},
             {"MPI_Allgather", call_allgather},
             {"MPI_Reduce_scatter_block", call_reduce_scatter}};

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    size_t kinds = sizeof sizes / sizeof *sizes, most = (size_t)sizes[kinds - 1].n;
    double *a = calloc(most, sizeof *a), *b = calloc(most * (size_t)processes, sizeof *b);
    if (a == NULL || b == NULL) {
        fprintf(stderr, "replace: no memory\n");
        return 1;
    }
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t i = 0; i < kinds; i++)
            if (argc < 2 || strstr(calls[c].name, argv[1]))
                measure_call(calls[c].name, sizes[i].key, calls[c].make, a, b, sizes[i].n, ROUND_US,
                             POINT_US);
    free(a);
    free(b);
    end();
    return 0;
}
