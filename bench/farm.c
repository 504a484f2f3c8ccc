/*
 * A task farm that mixes MPI with the BLACS: farm [n]. Process 0 hands out numbered tasks by
 * MPI_Send and takes their results; the others form two groups (MPI_Comm_split), each with a grid
 * on its communicator, on which it multiplies n x n matrices for each task. Prints microseconds a
 * task for the first FIRST tasks, the making of grids included, and for the rest.
 */
#include <mpi.h>

#include "work.h"

enum { FIRST = 300, ALL = 3300, BLOCK = 8, GROUPS = 2, TASK = 1, RESULT = 2, STOP = -1 };

int numroc_(const int *n, const int *nb, const int *iproc, const int *isrc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
               const int *csrc, const int *ctxt, const int *lld, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
             double *c, const int *ic, const int *jc, const int *descc);

static int group_of(int number)
{
    return number == 0 ? GROUPS : (number - 1) * GROUPS / (processes - 1);
}

static void give(int task, int to)
{
    MPI_Send(&task, 1, MPI_INT, to, TASK, MPI_COMM_WORLD);
}

static void hand_out(int n)
{
    int given = 0;
    double began = now_us(), half = began, sum;

    for (int i = 1; i < processes; i++)
        if (group_of(i) != group_of(i - 1))
            give(given++, i); /* the first of a group leads it */
    for (int done = 1; done <= ALL; done++) {
        MPI_Status from;
        MPI_Recv(&sum, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &from);
        give(given < ALL ? given++ : STOP, from.MPI_SOURCE);
        if (done == FIRST)
            half = now_us();
    }
    printf("farm/%d n=%d,first-%d %.3f\n", processes, n, FIRST, (half - began) / FIRST);
    printf("farm/%d n=%d,then %.3f\n", processes, n, (now_us() - half) / (ALL - FIRST));
}

/* The group's next task, from its leader. */
static int take(MPI_Comm group, int leads)
{
    int task;
    if (leads)
        MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&task, 1, MPI_INT, 0, group);
    return task;
}

static void work(MPI_Comm group, int n)
{
    const int nb = BLOCK, zero = 0, one = 1;
    const double alpha = 1, beta = 0;
    int context = Csys2blacs_handle(group), members, task, info, desc[9], nprow, npcol, row, column;

    MPI_Comm_size(group, &members);
    Cblacs_gridinit(&context, "Row", 1, members);
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    int columns = numroc_(&n, &nb, &column, &zero, &npcol), lld = n;
    size_t elements = (size_t)n * (size_t)(columns + 1);
    double *a = calloc(elements, sizeof *a), *b = calloc(elements, sizeof *b),
           *c = calloc(elements, sizeof *c);
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &context, &lld, &info);
    while ((task = take(group, column == 0)) != STOP) {
        double sum = 0;
        for (int i = 0; i < n * columns; i++)
            a[i] = b[i] = task % 7 + i % 3;
        pdgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c,
                &one, &one, desc);
        for (int i = 0; i < n * columns; i++)
            sum += c[i];
        Cdgsum2d(context, "All", " ", 1, 1, &sum, 1, -1, -1);
        if (column == 0)
            MPI_Send(&sum, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
    free(a), free(b), free(c);
    Cblacs_gridexit(context);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16;
    MPI_Comm group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_split(MPI_COMM_WORLD, processes > GROUPS ? group_of(me) : MPI_UNDEFINED, me, &group);
    if (group == MPI_COMM_NULL)
        fprintf(stderr, "farm: %d processes, must be at least %d\n", processes, GROUPS + 1);
    else if (me == 0)
        hand_out(n);
    else
        work(group, n);
    return MPI_Finalize() != MPI_SUCCESS || group == MPI_COMM_NULL;
}
