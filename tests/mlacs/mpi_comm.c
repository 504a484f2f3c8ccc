/*
 * The MLACS in an MPI program: MPI's communicators go in, those that come out are
 * Cartesian communicators of MPI, and both work side by side.
 */
#include "mpi_harness.h"

static int is_grid(MPI_Comm comm, int dims, const int *size, const int *place)
{
    int kind, n, d[2], p[2], c[2];
    MPI_Topo_test(comm, &kind);
    if (kind != MPI_CART)
        return 0;
    MPI_Cartdim_get(comm, &n);
    MPI_Cart_get(comm, n, d, p, c);
    for (int k = 0; k < n; k++)
        if (n != dims || d[k] != size[k] || c[k] != place[k] || p[k])
            return 0;
    return 1;
}

static void grid_of(MPI_Comm from, int nrow, int ncol)
{
    MLACS_Comm word[3];
    MPI_Comm comm[3];
    int rank, sum = 0, r, c, pr, pc;
    MPI_Comm_rank(from, &rank);
    fine(mlacs_gridinit(mlacs_of_mpi(from), nrow, ncol, &word[0], &word[1], &word[2]),
         "mlacs_gridinit");
    for (int k = 0; k < 3; k++)
        comm[k] = mlacs_to_mpi(word[k]);
    if (rank >= nrow * ncol) {
        check(comm[0] == MPI_COMM_NULL && comm[1] == MPI_COMM_NULL && comm[2] == MPI_COMM_NULL,
              "a process left over has communicators");
        return;
    }
    fine(mlacs_gridinfo(word[0], &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(r == nrow && c == ncol && pr == rank / ncol && pc == rank % ncol, "at (%d,%d)", pr, pc);
    check(is_grid(comm[0], 2, (int[]){nrow, ncol}, (int[]){pr, pc}), "MPI's view of the grid");
    check(is_grid(comm[1], 1, (int[]){ncol}, (int[]){pc}), "MPI's view of the row");
    check(is_grid(comm[2], 1, (int[]){nrow}, (int[]){pr}), "MPI's view of the column");
    /* MPI's message and ours of the same communicator and tag do not meet. */
    int mine = rank + 1, ours = 0, theirs = 0, to = (rank + 1) % (nrow * ncol);
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm[0], &request);
    fine(mlacs_send(&mine, 1, 1, 1, MLACS_INT, to / ncol, to % ncol, 3, word[0]), "mlacs_send");
    mine = -mine;
    MPI_Send(&mine, 1, MPI_INT, to, 3, comm[0]);
    fine(mlacs_recv(&ours, 1, 1, 1, MLACS_INT, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 3, word[0],
                    MLACS_STATUS_IGNORE),
         "mlacs_recv");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(ours > 0 && theirs == -ours, "ours has %d, MPI's %d", ours, theirs);
    fine(mlacs_allreduce_sum(&rank, &sum, 1, 1, 1, mlacs_type_of_mpi(MPI_INT), word[1]),
         "mlacs_allreduce_sum");
    check(sum == ncol * (pr * ncol) + ncol * (ncol - 1) / 2, "the row adds up to %d", sum);
    fine(mlacs_gridexit(&word[0], &word[1], &word[2]), "mlacs_gridexit");
    check(mlacs_to_mpi(word[0]) == MPI_COMM_NULL, "a communicator is left");
}

/* An MPI that has no communicators left is an error, not the program's end, and what the
 * grids had comes back with them. Others than MPICH do not run out soon. */
static void no_communicators_left(void)
{
#ifdef MPICH_NUMVERSION
    enum { MOST = 4096 };
    static MLACS_Comm word[MOST + 1][3];
    int made = 0, code = MLACS_SUCCESS;
    while (made < MOST && (code = mlacs_gridinit(mlacs_of_mpi(MPI_COMM_SELF), 1, 1, &word[made][0],
                                                 &word[made][1], &word[made][2])) == MLACS_SUCCESS)
        made++;
    ends_with(MLACS_ERR_SYSTEM, code, "mlacs_gridinit");
    check(strstr(mlacs_error_text(), "1 x 1 grid") && strstr(mlacs_error_text(), "Too many"),
          "'%s'", mlacs_error_text());
    while (made-- > 0)
        fine(mlacs_gridexit(&word[made][0], &word[made][1], &word[made][2]), "mlacs_gridexit");
    grid_of(MPI_COMM_SELF, 1, 1);
#endif
}

/* A communicator that the program has freed itself. */
static void freed_by_mpi(void)
{
    MLACS_Comm x, y, z;
    fine(mlacs_gridinit(mlacs_of_mpi(MPI_COMM_SELF), 1, 1, &x, &y, &z), "mlacs_gridinit");
    MPI_Errhandler handler;
    MPI_Comm comm = mlacs_to_mpi(x);
    MPI_Comm_get_errhandler(comm, &handler);
    check(handler == MPI_ERRORS_ARE_FATAL, "the grid's communicator has another error handler");
    MPI_Comm_free(&comm);
    ends_with(MLACS_ERR_SYSTEM, mlacs_gridexit(&x, &y, &z), "mlacs_gridexit");
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    check(handler == MPI_ERRORS_ARE_FATAL, "MPI_COMM_WORLD has another error handler");
}

int main(int count, char **words)
{
    MPI_Comm half;
    MPI_Init(&count, &words);
    begin();
    check(mlacs_to_mpi(MLACS_COMM_WORLD) == MPI_COMM_WORLD, "MLACS_COMM_WORLD");
    check(mlacs_to_mpi(MLACS_COMM_NULL) == MPI_COMM_NULL, "MLACS_COMM_NULL");
    check(mlacs_of_mpi(MPI_COMM_WORLD) == MLACS_COMM_WORLD, "MPI_COMM_WORLD as a word");
    check(mlacs_type_of_mpi(MPI_DOUBLE) == MLACS_DOUBLE &&
              mlacs_type_of_mpi(MPI_SHORT) == (MLACS_Type)-1,
          "types");
    grid_of(MPI_COMM_WORLD, 1, world.count);
    if (world.count > 1)
        grid_of(MPI_COMM_WORLD, world.count / 2, 2);
    MPI_Comm_split(MPI_COMM_WORLD, world.me % 2, -world.me, &half);
    int size;
    MPI_Comm_size(half, &size);
    grid_of(half, size, 1);
    MPI_Comm_free(&half);
    grid_of(MPI_COMM_SELF, 1, 1);
    MLACS_Comm x, y, z;
    ends_with(MLACS_ERR_COMM, mlacs_gridinit(mlacs_of_mpi(MPI_COMM_NULL), 1, 1, &x, &y, &z),
              "mlacs_gridinit");
    ends_with(MLACS_ERR_COMM, mlacs_barrier(mlacs_of_mpi(MPI_COMM_WORLD)), "mlacs_barrier");
    no_communicators_left();
    freed_by_mpi();
    return finish_mpi();
}
