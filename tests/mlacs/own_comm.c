/*
 * Communicators that the program has made itself: MPI_Cart_create, MPI_Cart_sub, MPI_Comm_dup. Each
 * with a Cartesian topology of one or two dimensions is a grid.
 */
#include <unistd.h>

#include "mpi_harness.h"

static MPI_Comm cart(MPI_Comm from, int rows, int columns, int periodic)
{
    MPI_Comm made;
    MPI_Cart_create(from, 2, (int[]){rows, columns}, (int[]){periodic, periodic}, 0, &made);
    return made;
}

/* A value of each process to the next one in the grid, which it takes from anyone. */
static void ring(MPI_Comm comm, int value, int tag)
{
    int rows, columns, row, column, at, count, got = -1;
    MLACS_Comm c = mlacs_of_mpi(comm);
    MLACS_Status s;
    fine(mlacs_gridinfo(c, &rows, &columns, &row, &column), "mlacs_gridinfo");
    MPI_Comm_rank(comm, &at);
    MPI_Comm_size(comm, &count);
    check(at == row * columns + column && count == rows * columns, "process %d is at (%d,%d)", at,
          row, column);
    int to = (at + 1) % count, from = (at + count - 1) % count, mine = 1000 * value + at;
    fine(mlacs_send(&mine, 1, 1, 1, MLACS_INT, to / columns, to % columns, tag, c), "mlacs_send");
    fine(
        mlacs_recv(&got, 1, 1, 1, MLACS_INT, MLACS_ANY_ROW, MLACS_ANY_COLUMN, MLACS_ANY_TAG, c, &s),
        "mlacs_recv");
    check(got == 1000 * value + from && s.row == from / columns && s.column == from % columns &&
              s.rank == from && s.tag == tag,
          "%d from (%d,%d)", got, s.row, s.column);
}

static void collective(MPI_Comm comm)
{
    int rows, columns, row, column, last[2], sum, size, rank;
    double x[6] = {0};
    MLACS_Comm c = mlacs_of_mpi(comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fine(mlacs_gridinfo(c, &rows, &columns, &row, &column), "mlacs_gridinfo");
    fine(mlacs_cart_coords(c, size - 1, &last[0], &last[1]), "mlacs_cart_coords");
    for (int i = 0; rank == size - 1 && i < 6; i++)
        x[i] = i + 0.5;
    fine(mlacs_bcast(x, 2, 2, 3, MLACS_DOUBLE, last[0], last[1], c), "mlacs_bcast");
    check(x[0] == 0.5 && x[5] == 5.5, "a broadcast gives %g", x[5]);
    fine(mlacs_allreduce_sum(&rank, &sum, 1, 1, 1, MLACS_INT, c), "mlacs_allreduce_sum");
    check(sum == size * (size - 1) / 2, "the ranks add up to %d", sum);
    fine(mlacs_barrier(c), "mlacs_barrier");
}

/* The first call of all is one of these. */
static void no_grid_was_made(void)
{
    int flag = -1;
    MPI_Comm own = cart(MPI_COMM_WORLD, 1, world.count, 0);
    fine(mlacs_initialized(&flag), "mlacs_initialized");
    check(flag == 0, "initialized too early");
    ends_with(MLACS_ERR_INIT, mlacs_barrier(mlacs_of_mpi(MPI_COMM_WORLD)), "mlacs_barrier");
    ring(own, 1, 0);
    fine(mlacs_initialized(&flag), "mlacs_initialized");
    check(flag == 1, "not initialized");
    collective(own);
    MPI_Comm_free(&own);
}

/* Messages of one are not those of the other, whichever is received from first; nor MPI's own. */
static void apart(MPI_Comm one, MPI_Comm other)
{
    int rank, size, a, b, ours[2] = {0}, theirs = 0;
    MPI_Request request;
    MLACS_Comm c[2] = {mlacs_of_mpi(one), mlacs_of_mpi(other)};
    MPI_Comm_rank(one, &rank);
    MPI_Comm_size(one, &size);
    MPI_Irecv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, one, &request);
    for (int k = 0; k < 2; k++) {
        fine(mlacs_cart_coords(c[k], (rank + 1) % size, &a, &b), "mlacs_cart_coords");
        fine(mlacs_send(&(int){10 * rank + k}, 1, 1, 1, MLACS_INT, a, b, 3, c[k]), "mlacs_send");
    }
    for (int k = 1; k >= 0; k--)
        fine(mlacs_recv(&ours[k], 1, 1, 1, MLACS_INT, -1, -1, 3, c[k], NULL), "mlacs_recv");
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 3, one);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int from = (rank + size - 1) % size;
    check(ours[0] == 10 * from && ours[1] == 10 * from + 1 && theirs == from, "%d, %d and MPI's %d",
          ours[0], ours[1], theirs);
}

static void duplicates(int rows, int columns)
{
    MLACS_Comm all, row, column;
    MPI_Comm own = cart(MPI_COMM_WORLD, rows, columns, 0), early, late, again, of_ours, of_row;
    MPI_Comm_dup(MPI_COMM_WORLD, &early); /* no topology */
    ends_with(MLACS_ERR_COMM, mlacs_barrier(mlacs_of_mpi(early)), "mlacs_barrier");
    MPI_Comm_free(&early);
    if (own != MPI_COMM_NULL) {
        MPI_Comm_dup(own, &early);
        ring(early, 2, 7);
        ring(own, 3, 7);
        MPI_Comm_dup(own, &late);
        MPI_Comm_dup(own, &again);
        apart(own, early);
        apart(early, late);
        apart(again, late);
        MPI_Comm_free(&own); /* its duplicates live on */
        collective(again);
        apart(late, again);
        MPI_Comm_free(&early);
        MPI_Comm_free(&late);
        MPI_Comm_free(&again);
    }
    fine(mlacs_gridinit(MLACS_COMM_WORLD, rows, columns, &all, &row, &column), "mlacs_gridinit");
    if (all == MLACS_COMM_NULL)
        return;
    MPI_Comm_dup(mlacs_to_mpi(all), &of_ours);
    MPI_Comm_dup(mlacs_to_mpi(row), &of_row);
    apart(mlacs_to_mpi(all), of_ours);
    collective(of_row);
    fine(mlacs_gridexit(&all, &row, &column), "mlacs_gridexit");
    ring(of_ours, 4, 1);
    collective(of_row);
    MPI_Comm_free(&of_ours);
    MPI_Comm_free(&of_row);
}

/* Of a duplicate of a known communicator nobody has to wait for the others: two exchange, in an
 * order of their own, and the rest does nothing. */
static void two_alone(void)
{
    MLACS_Comm all, row, column;
    MPI_Comm a, b;
    fine(mlacs_gridinit(MLACS_COMM_WORLD, 1, world.count, &all, &row, &column), "mlacs_gridinit");
    MPI_Comm_dup(mlacs_to_mpi(all), &a);
    MPI_Comm_dup(mlacs_to_mpi(all), &b);
    int x[2] = {1, 2}, y[2] = {0, 0};
    for (int k = 0; world.me == 0 && world.count > 1 && k < 2; k++)
        fine(mlacs_send(&x[k], 1, 1, 1, MLACS_INT, 0, 1, 0, mlacs_of_mpi(k ? b : a)), "mlacs_send");
    for (int k = 1; world.me == 1 && k >= 0; k--)
        fine(mlacs_recv(&y[k], 1, 1, 1, MLACS_INT, 0, 0, 0, mlacs_of_mpi(k ? b : a), NULL),
             "mlacs_recv");
    check(world.me != 1 || (y[0] == 1 && y[1] == 2), "%d and %d from duplicates", y[0], y[1]);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    fine(mlacs_gridexit(&all, &row, &column), "mlacs_gridexit");
}

/* The communicators of figure 4, made by the program; coordinates that go round. */
static void figure_4(void)
{
    int rows = world.count > 1 ? 2 : 1, columns = world.count / rows, n = -1, r, c;
    MPI_Comm own = cart(MPI_COMM_WORLD, rows, columns, 1), part[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MLACS_Comm word[3];
    if (own == MPI_COMM_NULL)
        return;
    MPI_Cart_sub(own, (int[]){0, 1}, &part[0]);
    MPI_Cart_sub(own, (int[]){1, 0}, &part[1]);
    word[0] = mlacs_of_mpi(own);
    ring(own, 5, 2);
    for (int k = 0; k < 2; k++) {
        word[k + 1] = mlacs_of_mpi(part[k]);
        collective(part[k]);
        fine(mlacs_gridinfo(word[k + 1], &n, &n, &r, &c), "mlacs_gridinfo");
        check(r == MLACS_IGNORE && n == (k ? rows : columns), "a line of %d", n);
        around_line(word[k + 1], 30 + k, 5);
        fine(mlacs_cart_rank(word[k + 1], MLACS_IGNORE, c + n, &r), "mlacs_cart_rank");
        check(r == c, "round a line to %d", r);
        fine(mlacs_cart_rank(word[k + 1], c - 3 * n, MLACS_IGNORE, &r), "mlacs_cart_rank");
        check(r == c, "round a line to %d", r);
    }
    fine(mlacs_gridinfo(word[0], &n, &n, &r, &c), "mlacs_gridinfo");
    int mine = world.me, got = -1, from;
    fine(mlacs_send(&mine, 1, 1, 1, MLACS_INT, r + rows + 1, c + 1, 9, word[0]), "mlacs_send");
    fine(mlacs_recv(&got, 1, 1, 1, MLACS_INT, r + rows - 1, c + columns - 1, 9, word[0], NULL),
         "mlacs_recv");
    MPI_Cart_rank(own, (int[]){r - 1, c - 1}, &from);
    check(got == from, "round the grid from %d, not %d", got, from);
    ends_with(MLACS_ERR_COMM, mlacs_gridexit(&word[1], &word[0], &word[2]), "mlacs_gridexit");
    fine(mlacs_gridexit(&word[0], &word[1], &word[2]), "mlacs_gridexit");
    check(mlacs_to_mpi(word[0]) == MPI_COMM_NULL, "a communicator is left");
}

/* Of one dimension: the program's own, periodic or not, and duplicates, also of a grid's row and
 * column. A message on one is not taken on another. */
static void lines(void)
{
    MPI_Comm own, copy, early;
    MLACS_Comm all, row, column;
    for (int periodic = 0; periodic < 2; periodic++) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, &world.count, &periodic, 0, &own);
        MPI_Comm_dup(own, &early);
        around_line(mlacs_of_mpi(early), 40, 0);
        around_line(mlacs_of_mpi(own), 41, 0);
        MPI_Comm_dup(own, &copy);
        apart(own, copy);
        apart(early, copy);
        MPI_Comm_free(&own);
        around_line(mlacs_of_mpi(copy), 42, 0);
        MPI_Comm_free(&early);
        MPI_Comm_free(&copy);
    }
    fine(mlacs_gridinit(MLACS_COMM_WORLD, 1, world.count, &all, &row, &column), "mlacs_gridinit");
    MPI_Comm_dup(mlacs_to_mpi(row), &copy);
    MPI_Comm_dup(mlacs_to_mpi(column), &early);
    apart(mlacs_to_mpi(row), copy);
    apart(mlacs_to_mpi(row), mlacs_to_mpi(all));
    fine(mlacs_gridexit(&all, &row, &column), "mlacs_gridexit");
    around_line(mlacs_of_mpi(copy), 43, 0);
    around_line(mlacs_of_mpi(early), 44, 0);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&early);
}

/* Others than those of one or two dimensions; a name that MPI gives again. */
static void others(void)
{
    MPI_Comm three, none, first, group_of_one;
    MLACS_Comm x, y, z;
    MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){1, 1, world.count}, (int[]){0, 0, 0}, 0, &three);
    ends_with(MLACS_ERR_TOPOLOGY, mlacs_barrier(mlacs_of_mpi(three)), "mlacs_barrier");
    MPI_Comm_free(&three);
    MPI_Comm_dup(MPI_COMM_WORLD, &none);
    ends_with(MLACS_ERR_COMM, mlacs_barrier(mlacs_of_mpi(none)), "mlacs_barrier");
    check(strstr(mlacs_error_text(), "no Cartesian topology") != NULL, "'%s'", mlacs_error_text());
    for (int k = 0; k < 300; k++) {
        first = cart(none, k % 2 ? 1 : world.count, k % 2 ? world.count : 1, 0);
        if (k < 3 || k > 297)
            ring(first, k, k);
        else
            fine(mlacs_gridinfo(mlacs_of_mpi(first), &(int){0}, &(int){0}, &(int){0}, &(int){0}),
                 "mlacs_gridinfo");
        MPI_Comm_free(&first);
    }
    /* A grid from one, and one of a part of the processes. */
    first = cart(none, 1, world.count, 0);
    fine(mlacs_gridinit(mlacs_of_mpi(first), world.count, 1, &x, &y, &z), "mlacs_gridinit");
    fine(mlacs_gridexit(&x, &y, &z), "mlacs_gridexit");
    MPI_Comm_free(&first);
    group_of_one = cart(MPI_COMM_SELF, 1, 1, 0);
    ring(group_of_one, 6, 6);
    MPI_Comm_free(&group_of_one);
    MPI_Comm_free(&none);
}

/* One member comes late, when the file is there: the others say whom they wait for. */
static void late(const char *file)
{
    MPI_Comm own = cart(MPI_COMM_WORLD, 1, world.count, 0);
    while (world.me == world.count - 1 && access(file, F_OK) != 0)
        rest_ms(10);
    fine(mlacs_barrier(mlacs_of_mpi(own)), "mlacs_barrier");
    MPI_Comm_free(&own);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.me);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    no_grid_was_made();
    if (count > 1)
        late(words[1]);
    duplicates(1, world.count);
    if (world.count > 2)
        duplicates(2, world.count / 2);
    two_alone();
    figure_4();
    lines();
    others();
    return finish_mpi();
}
