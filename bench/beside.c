/*
 * The program's own messages while one of two processes waits in a collective call, for libicc-mpi
 * to be preloaded into: the first begins them and waits in the call, the last is in MPI for them,
 * and comes to the call behind them. Microseconds from a barrier to the end, median of ROUNDS.
 *
 *   bench_beside_plain_openmpi, bench_beside_plain_mpich: on 2 processes and more
 */
#include "work.h"

enum { ROUNDS = 9, LONG = 64 << 20, DOUBLES = 1 << 20, SHORT = 1000, SHORTS = 100 };

static const MPI_Comm all = MPI_COMM_WORLD;
static char *memory;
static int last; /* its number */
static MPI_Request begun[SHORTS];
static MPI_Status ends[SHORTS];

static void one(MPI_Datatype type, int count)
{
    if (me == 0)
        MPI_Isend(memory, count, type, last, 0, all, begun);
    else if (me == last)
        MPI_Recv(memory, count, type, 0, 0, all, MPI_STATUS_IGNORE);
}

static void run_of_bytes(void)
{
    one(MPI_BYTE, LONG);
}

static void every_second_double(void)
{
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL) {
        MPI_Type_vector(DOUBLES, 1, 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
    }
    one(type, 1);
}

static void short_synchronous(void)
{
    for (int i = 0; i < SHORTS; i++)
        if (me == 0)
            MPI_Irecv(memory + i * SHORT, SHORT, MPI_BYTE, last, 0, all, &begun[i]);
        else if (me == last)
            MPI_Ssend(memory, SHORT, MPI_BYTE, 0, 0, all);
}

static double once(void (*messages)(void))
{
    for (int i = 0; i < SHORTS; i++)
        begun[i] = MPI_REQUEST_NULL;
    MPI_Barrier(all);
    double since = now_us();
    messages();
    MPI_Barrier(all);
    MPI_Waitall(SHORTS, begun, ends);
    return now_us() - since;
}

static void measure(const char *name, const char *key, void (*messages)(void))
{
    double us[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        us[i] = once(messages);
    if (me == 0)
        printf("%s/%d %s %.1f\n", name, processes, key, median(us, ROUNDS));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    last = processes - 1;
    memory = calloc(1, LONG);
    once(run_of_bytes);
    measure("isend", "64M", run_of_bytes);
    measure("isend-vector", "8M", every_second_double);
    measure("ssend", "100x1000", short_synchronous);
    free(memory);
    end();
    return 0;
}
