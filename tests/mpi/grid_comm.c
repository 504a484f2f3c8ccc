/*
 * The communicator of a grid, of its rows and columns: in the grid's order, private, made
 * when somebody asks, one for all grids of one list of processes, and given back. The argument
 * names one of: order private many    (any number of processes) absent wait           (2 or more:
 * process 0 alone asks, and is told)
 */
#include <mpi.h>
#include <openblacs/blacs.h>
#include <string.h>

#include "check.h"

enum { ALL = 10, ROW = 17, COLUMN = 18 };
static int made, freed;

/* Seen by the module: how many communicators the library makes, and gives back. */
__attribute__((visibility("default"))) int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group,
                                                                 int tag, MPI_Comm *out)
{
    made++;
    return PMPI_Comm_create_group(comm, group, tag, out);
}

__attribute__((visibility("default"))) int MPI_Comm_free(MPI_Comm *comm)
{
    freed++;
    return PMPI_Comm_free(comm);
}

static MPI_Comm asked(int context, int what)
{
    int handle = -1;
    Cblacs_get(context, what, &handle);
    return Cblacs2sys_handle(handle);
}

static MPI_Comm asked_fortran(int context, int what)
{
    int handle = -1;
    blacs_get_(&context, &what, &handle);
    CHECK(blacs2sys_handle_(&handle) == handle);
    return MPI_Comm_f2c(handle);
}

/* Its ranks are these processes, and messages go to them. */
static void is_of(MPI_Comm comm, const int *list, int n)
{
    int size, rank, *got = malloc((size_t)n * sizeof *got);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    CHECK(size == n && list[rank] == me);
    MPI_Allgather(&me, 1, MPI_INT, got, 1, MPI_INT, comm);
    CHECK(memcmp(got, list, (size_t)n * sizeof *got) == 0);
    free(got);
}

/* All three communicators of a grid, in C and Fortran; then a grid on each. */
static void check_grid(int context, int fortran)
{
    MPI_Comm (*ask)(int, int) = fortran ? asked_fortran : asked;
    int rows, columns, row, column, list[64];
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int where = row * columns + column, all[64];
    for (int k = 0; k < rows * columns; k++) { /* who is where, as the grid itself says */
        all[k] = k == where ? me + 1 : 0;
    }
    Cigsum2d(context, "A", " ", 1, rows * columns, all, 1, -1, -1);
    for (int k = 0; k < rows * columns; k++)
        list[k] = --all[k];
    is_of(ask(context, ALL), list, rows * columns);
    for (int k = 0; k < columns; k++)
        list[k] = all[row * columns + k];
    is_of(ask(context, ROW), list, columns);
    for (int k = 0; k < rows; k++)
        list[k] = all[k * columns + column];
    is_of(ask(context, COLUMN), list, rows);
    CHECK(asked(context, ALL) == asked_fortran(context, ALL));
    CHECK(asked(context, COLUMN) == asked_fortran(context, COLUMN));
    for (int what = COLUMN; what >= ALL; what -= what == ROW ? ROW - ALL : 1) {
        int again = -1, sum = 1;
        if (fortran)
            blacs_get_(&context, &what, &again);
        else
            Cblacs_get(context, what, &again);
        Cblacs_gridinit(&again, "R", 1,
                        what == ALL   ? rows * columns
                        : what == ROW ? columns
                                      : rows);
        Cigsum2d(again, "A", " ", 1, 1, &sum, 1, -1, -1);
        CHECK(sum == (what == ALL ? rows * columns : what == ROW ? columns : rows));
        Cblacs_gridexit(again);
    }
}

static void order(void)
{
    static const struct dims {
        int rows, columns;
        const char *order;
    } dims[] = {{1, 1, "R"}, {1, 2, "R"}, {1, 2, "C"}, {2, 1, "R"},
                {1, 3, "R"}, {2, 2, "R"}, {2, 2, "C"}};
    for (size_t k = 0; k < 2 * sizeof dims / sizeof dims[0]; k++) {
        const struct dims *s = &dims[k / 2];
        int context;
        if (s->rows * s->columns > count)
            continue;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, s->order, s->rows, s->columns);
        if (context < 0)
            continue;
        int before = made;
        Cigsum2d(context, "A", " ", 1, 1, (int[]){1}, 1, -1, -1);
        CHECK(made == before); /* nobody has asked */
        check_grid(context, (int)k % 2);
        CHECK(made == before + 3 || s->rows * s->columns < 4); /* a row may be the grid */
        Cblacs_gridexit(context);
    }
    int context, map[64];
    for (int k = 0; k < count; k++)
        map[k] = (2 * count - 1 - k) % count;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridmap(&context, map, 1, 1, count);
    check_grid(context, 0);
    Cblacs_gridexit(context);
}

/* The program's messages stay on its own communicator, which it may free. */
static void private(void)
{
    MPI_Comm own, grids;
    MPI_Request request;
    int context, there, relation, x = me, got = -1;
    int next = (me + 1) % count, before = (me + count - 1) % count;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    context = Csys2blacs_handle(own);
    Cblacs_gridinit(&context, "R", 1, count);
    MPI_Isend(&x, 1, MPI_INT, next, 5, own, &request);
    MPI_Probe(before, 5, own, MPI_STATUS_IGNORE);
    grids = asked(context, ALL);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, grids, &there, MPI_STATUS_IGNORE);
    CHECK(!there);
    MPI_Comm_compare(own, grids, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Recv(&got, 1, MPI_INT, before, 5, own, MPI_STATUS_IGNORE);
    CHECK(got == before);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    Cblacs_gridexit(context);
    context = Csys2blacs_handle(own);
    Cblacs_gridinit(&context, "R", 1, count);
    MPI_Comm_free(&own);
    check_grid(context, 0);
    int second, debug = -1;
    Cblacs_get(context, ALL, &second);
    Cblacs_gridinit(&second, "R", 1, count);
    CHECK(asked(second, ALL) == asked(context, ALL)); /* one for the list of processes */
    if (me % 2) {                                     /* in any order */
        Cblacs_gridexit(context);
        check_grid(second, 1);
    } else {
        check_grid(second, 1);
        Cblacs_gridexit(context);
    }
    Cblacs_gridexit(second);
    Cblacs_get(-1, 2, &debug);
    CHECK(debug == 0); /* as the netlib BLACS */
}

/* Grids that ask and end, more than MPI has communicators. At every fourth the odd members hold
 * the grid before a while longer, and so a communicator that the others have given back. */
static void many(void)
{
    int last = -1, before = made - freed;
    for (int k = 0; k < 10000; k++) {
        int context, sum = 1, all = 0;
        Cblacs_get(-1, 0, &context);
        int early = k % 4 == 0 && me % 2 == 0;
        if (early && last >= 0)
            Cblacs_gridexit(last);
        Cblacs_gridinit(&context, k % 3 ? "R" : "C", 1, count);
        MPI_Comm comm = asked(context, k % 5 ? ALL : ROW);
        if (k % 100 == 0) {
            MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, comm);
            CHECK(all == count);
        }
        if (!early && last >= 0)
            Cblacs_gridexit(last);
        last = context;
    }
    Cblacs_gridexit(last);
    CHECK(made - freed == before && made > 0);
}

/* Process 0 alone asks; the others end, or wait for it. */
static void alone(int ends)
{
    int context, x;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, count);
    if (me == 0)
        asked(context, ALL);
    else if (!ends)
        Cigerv2d(context, 1, 1, &x, 1, 0, 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    join();
    const char *test = argc > 1 ? argv[1] : "";
    if (strcmp(test, "order") == 0)
        order();
    else if (strcmp(test, "private") == 0)
    private();
    else if (strcmp(test, "many") == 0) many();
    else alone(strcmp(test, "absent") == 0);
    Cblacs_exit(1);
    MPI_Finalize();
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
