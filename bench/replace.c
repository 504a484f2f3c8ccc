/*
 * MPI's collective calls as programs make them, for libicc-mpi to be preloaded into: the time of
 * one call among many in a row, from a barrier to a barrier, slowest process, the median of
 * several rounds. Sizes are those of one process's piece.
 *
 *   replace [WORD]           those that wait
 *   replace begun [WORD]     each begun (MPI_Ibcast), and awaited at once
 *   replace prepared [WORD]  each made once (MPI_Bcast_init), started and awaited
 *   replace behind [WORD]    those that wait, each behind a barrier, of 8 bytes to 8 KiB: the mean
 * over the processes, the first process and the last, microseconds
 *
 * WORD: those calls alone whose name has it.
 */
#include <stdbool.h>

#include "work.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#define INIT(Name) MPIX_##Name##_init
#elif MPI_VERSION >= 4
#define INIT(Name) MPI_##Name##_init
#endif

static const double ROUND_US = 4000, POINT_US = 60000;
static const struct size {
    const char *key;
    int n; /* doubles */
} sizes[] = {{"8", 1}, {"1K", 128}, {"64K", 8192}, {"1M", 131072}, {"4M", 524288}};

static const MPI_Comm all = MPI_COMM_WORLD;
static MPI_Request request; /* the prepared one, for prepared_n doubles */
static int prepared_n = -1;

#if defined(INIT)
#define PREPARED(Name, word, ...)                                                                  \
    static void prepared_##word(double *a, double *b, int n)                                       \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        if (n != prepared_n)                                                                       \
            INIT(Name)(__VA_ARGS__, all, MPI_INFO_NULL, &request);                                 \
        prepared_n = n;                                                                            \
        MPI_Start(&request);                                                                       \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    }
#define ROW(Name, word)                                                                            \
    {                                                                                              \
        {"MPI_" #Name, call_##word}, {"MPI_I" #word, begun_##word},                                \
        {                                                                                          \
            "MPI_" #Name "_init", prepared_##word                                                  \
        }                                                                                          \
    }
#else
#define PREPARED(Name, word, ...)
#define ROW(Name, word)                                                                            \
    {                                                                                              \
        {"MPI_" #Name, call_##word},                                                               \
        {                                                                                          \
            "MPI_I" #word, begun_##word                                                            \
        }                                                                                          \
    }
#endif

/* a: a piece, or one for each process; b: one of each process. */
#define CALL(Name, word, ...)                                                                      \
    static void call_##word(double *a, double *b, int n)                                           \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        MPI_##Name(__VA_ARGS__, all);                                                              \
    }                                                                                              \
    static void begun_##word(double *a, double *b, int n)                                          \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        MPI_I##word(__VA_ARGS__, all, &request);                                                   \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    }                                                                                              \
    PREPARED(Name, word, __VA_ARGS__)

CALL(Bcast, bcast, a, n, MPI_DOUBLE, 0)
CALL(Reduce, reduce, a, b, n, MPI_DOUBLE, MPI_SUM, 0)
CALL(Allreduce, allreduce, a, b, n, MPI_DOUBLE, MPI_SUM)
CALL(Gather, gather, a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0)
CALL(Scatter, scatter, b, n, MPI_DOUBLE, a, n, MPI_DOUBLE, 0)
CALL(Allgather, allgather, a, n, MPI_DOUBLE, b, n, MPI_DOUBLE)
CALL(Reduce_scatter_block, reduce_scatter_block, b, a, n, MPI_DOUBLE, MPI_SUM)
CALL(Alltoall, alltoall, a, n, MPI_DOUBLE, b, n, MPI_DOUBLE)
CALL(Scan, scan, a, b, n, MPI_DOUBLE, MPI_SUM)

enum { WAITS, BEGUN, PREPARED_ONCE, FORMS };
static const struct form {
    const char *name; /* NULL: the MPI library has it not */
    operation *make;
} calls[][FORMS] = {ROW(Bcast, bcast),
                    ROW(Reduce, reduce),
                    ROW(Allreduce, allreduce),
                    ROW(Gather, gather),
                    ROW(Scatter, scatter),
                    ROW(Allgather, allgather),
                    ROW(Reduce_scatter_block, reduce_scatter_block),
                    ROW(Alltoall, alltoall),
                    ROW(Scan, scan)};

static void measure(const struct form *f, double *a, double *b)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        measure_call(f->name, sizes[i].key, f->make, a, b, sizes[i].n, ROUND_US, POINT_US);
        if (prepared_n >= 0)
            MPI_Request_free(&request);
        prepared_n = -1;
    }
}

/* Whose call returns early is out of it, unlike in a row: as Intel's benchmarks measure. */
static void measure_behind(const struct form *f, double *a, double *b)
{
    enum { CALLS = 2000, MOST = 1024 };
    static double us[CALLS];
    double *each = malloc((size_t)processes * sizeof *each);
    for (int n = 1; each && n <= MOST; n *= 2) {
        double sum = 0;
        for (int i = 0; i < CALLS; i++) {
            barrier();
            double since = now_us();
            f->make(a, b, n);
            us[i] = now_us() - since;
        }
        double own = median(us, CALLS);
        MPI_Gather(&own, 1, MPI_DOUBLE, each, 1, MPI_DOUBLE, 0, all);
        for (int p = 0; me == 0 && p < processes; p++)
            sum += each[p];
        if (me == 0)
            printf("%s/%d %zu %.3f %.3f %.3f\n", f->name, processes, (size_t)n * sizeof *a,
                   sum / processes, each[0], each[processes - 1]);
    }
    free(each);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *given = argc > 1 ? argv[1] : "";
    int form = strcmp(given, "begun") == 0      ? BEGUN
               : strcmp(given, "prepared") == 0 ? PREPARED_ONCE
                                                : WAITS;
    bool behind = strcmp(given, "behind") == 0;
    const char *word = form == WAITS && !behind ? given : argc > 2 ? argv[2] : "";
    size_t most = (size_t)sizes[sizeof sizes / sizeof *sizes - 1].n;
    double *a = calloc(most * (size_t)processes, sizeof *a),
           *b = calloc(most * (size_t)processes, sizeof *b);
    if (a == NULL || b == NULL) {
        fprintf(stderr, "replace: no memory\n");
        return 1;
    }
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        if (calls[c][form].name && strstr(calls[c][form].name, word))
            (behind ? measure_behind : measure)(&calls[c][form], a, b);
    free(a);
    free(b);
    end();
    return 0;
}
