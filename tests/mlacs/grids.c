/*
 * Grids and their communicators: dimensions, maps, grids of parts of grids, coordinates and
 * ranks, and that every wrong argument of every routine is refused with its code and a
 * line that names the routine, before anything is sent.
 */
#include "harness.h"
#include "openblacs/core.h"

/* Its name means nothing any more, however often it was used. In an MPI program it is MPI's name of
 * a communicator that was freed, which nobody may use. */
static void name_of_one_that_has_ended(void)
{
    ob_job *job;
    if (ob_job_start(&job) == OB_OK && ob_job_kind(job) == OB_MPI)
        return;
    grid g = make_grid(1, world.count);
    MLACS_Comm all = g.all;
    int i;
    fine(mlacs_barrier(all), "mlacs_barrier");
    end_grid(&g);
    ends_with(MLACS_ERR_COMM, mlacs_gridinfo(all, &i, &i, &i, &i), "mlacs_gridinfo");
}

static void of_dims(int nrow, int ncol)
{
    grid g = make_grid(nrow, ncol);
    int r, c, pr, pc, rank, i, j;
    if (!g.inside) {
        check(g.all == MLACS_COMM_NULL && g.row == MLACS_COMM_NULL && g.column == MLACS_COMM_NULL,
              "a process left over has communicators");
        return;
    }
    check(g.myrow == world.me / ncol && g.mycol == world.me % ncol, "at (%d,%d) of %d x %d",
          g.myrow, g.mycol, nrow, ncol);
    fine(mlacs_gridinfo(g.row, &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(r == 1 && c == ncol && pr == MLACS_IGNORE && pc == g.mycol, "the row's info");
    fine(mlacs_gridinfo(g.column, &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(r == nrow && c == 1 && pr == g.myrow && pc == MLACS_IGNORE, "the column's info");
    for (int k = 0; k < nrow * ncol; k++) {
        fine(mlacs_cart_coords(g.all, k, &i, &j), "mlacs_cart_coords");
        fine(mlacs_cart_rank(g.all, i, j, &rank), "mlacs_cart_rank");
        check(i == k / ncol && j == k % ncol && rank == k, "rank %d at (%d,%d)", k, i, j);
    }
    fine(mlacs_cart_rank(g.row, MLACS_IGNORE, g.mycol, &rank), "mlacs_cart_rank");
    check(rank == g.mycol, "rank %d in the row", rank);
    fine(mlacs_cart_coords(g.column, g.myrow, &i, &j), "mlacs_cart_coords");
    check(i == g.myrow && j == MLACS_IGNORE, "coordinates (%d,%d) in the column", i, j);
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    fine(mlacs_barrier(g.row), "mlacs_barrier");
    fine(mlacs_barrier(g.column), "mlacs_barrier");
    around_line(g.row, 10 + g.myrow, 0);
    around_line(g.column, 20 + g.mycol, 0);
    end_grid(&g);
    check(g.all == MLACS_COMM_NULL && g.row == MLACS_COMM_NULL && g.column == MLACS_COMM_NULL,
          "communicators are left after mlacs_gridexit");
}

/* The processes backwards, in a map with a leading dimension; and a grid of one row of it. */
static void maps(void)
{
    int nrow = world.count > 3 ? 2 : 1, ncol = world.count / nrow, ldu = nrow + 2;
    int *map = malloc((size_t)(ldu * ncol) * sizeof *map), r, c, pr, pc;
    MLACS_Comm all, row, column, inner[3];
    for (int j = 0; j < ncol; j++)
        for (int i = 0; i < nrow; i++)
            map[i + j * ldu] = world.count - 1 - (i * ncol + j);
    fine(mlacs_gridmap(map, ldu, nrow, ncol, MLACS_COMM_WORLD, &all, &row, &column),
         "mlacs_gridmap");
    int place = world.count - 1 - world.me;
    free(map);
    if (place >= nrow * ncol) {
        check(all == MLACS_COMM_NULL, "a process outside the map has a communicator");
        return;
    }
    fine(mlacs_gridinfo(all, &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(pr == place / ncol && pc == place % ncol, "mapped to (%d,%d)", pr, pc);
    int sum = world.me, want = 0;
    fine(mlacs_allreduce_sum(&sum, &sum, 1, 1, 1, MLACS_INT, row), "mlacs_allreduce_sum");
    for (int j = 0; j < ncol; j++)
        want += world.count - 1 - (pr * ncol + j);
    check(sum == want, "the row adds up to %d, not %d", sum, want);
    fine(mlacs_gridinit(row, ncol, 1, &inner[0], &inner[1], &inner[2]), "mlacs_gridinit");
    fine(mlacs_gridinfo(inner[0], &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(r == ncol && c == 1 && pr == place % ncol && pc == 0, "a grid of a row: (%d,%d)", pr, pc);
    fine(mlacs_gridexit(&inner[0], &inner[1], &inner[2]), "mlacs_gridexit");
    fine(mlacs_gridexit(&all, &row, &column), "mlacs_gridexit");
}

/* Two grids that share no process, made by one call: the even and the odd ones. */
static void two_at_once(void)
{
    int odd = world.me % 2, size = (world.count + 1 - odd) / 2, r, c, pr, pc, sum = world.me;
    int *map = malloc((size_t)size * sizeof *map), want = 0;
    MLACS_Comm all, row, column;
    for (int k = 0; k < size; k++)
        want += map[k] = odd + 2 * (size - 1 - k);
    fine(mlacs_gridmap(map, odd ? size : 1, odd ? size : 1, odd ? 1 : size, MLACS_COMM_WORLD, &all,
                       &row, &column),
         "mlacs_gridmap");
    fine(mlacs_gridinfo(all, &r, &c, &pr, &pc), "mlacs_gridinfo");
    check(r * c == size && map[pr + pc] == world.me, "one of two grids: (%d,%d)", pr, pc);
    fine(mlacs_allreduce_sum(&sum, &sum, 1, 1, 1, MLACS_INT, all), "mlacs_allreduce_sum");
    check(sum == want, "one of two grids adds up to %d, not %d", sum, want);
    fine(mlacs_gridexit(&all, &row, &column), "mlacs_gridexit");
    free(map);
}

/* ---------------------------------------------------------------- wrong calls */

static void wrong_grids(grid *g)
{
    MLACS_Comm x, y, z, w = MLACS_COMM_WORLD;
    int rank, i, j, many = world.count + 1, twice[2] = {0, 0}, out[1] = {many};
    ends_with(MLACS_ERR_GRID, mlacs_gridinit(w, 0, 1, &x, &y, &z), "mlacs_gridinit");
    ends_with(MLACS_ERR_GRID, mlacs_gridinit(w, 1, many, &x, &y, &z), "mlacs_gridinit");
    ends_with(MLACS_ERR_GRID, mlacs_gridinit(w, 65536, 65536, &x, &y, &z), "mlacs_gridinit");
    ends_with(MLACS_ERR_COMM, mlacs_gridinit(MLACS_COMM_NULL, 1, 1, &x, &y, &z), "mlacs_gridinit");
    /* Not the line of the failure before. */
    check(strstr(mlacs_error_text(), "comm is MLACS_COMM_NULL") != NULL, "'%s'",
          mlacs_error_text());
    ends_with(MLACS_ERR_ARG, mlacs_gridinit(w, 1, 1, NULL, &y, &z), "mlacs_gridinit");
    ends_with(MLACS_ERR_GRID, mlacs_gridmap(out, 1, 1, 1, w, &x, &y, &z), "mlacs_gridmap");
    if (world.count > 1)
        ends_with(MLACS_ERR_GRID, mlacs_gridmap(twice, 1, 1, 2, w, &x, &y, &z), "mlacs_gridmap");
    ends_with(MLACS_ERR_SIZE, mlacs_gridmap(twice, 1, 2, 1, w, &x, &y, &z), "mlacs_gridmap");
    ends_with(MLACS_ERR_ARG, mlacs_gridmap(NULL, 1, 1, 1, w, &x, &y, &z), "mlacs_gridmap");
    ends_with(MLACS_ERR_COMM, mlacs_gridexit(&g->all, &g->column, &g->row), "mlacs_gridexit");
    MLACS_Comm row = g->row; /* the row twice */
    ends_with(MLACS_ERR_COMM, mlacs_gridexit(&g->all, &g->row, &row), "mlacs_gridexit");
    ends_with(MLACS_ERR_ARG, mlacs_gridexit(&g->all, &g->row, NULL), "mlacs_gridexit");
    ends_with(MLACS_ERR_COMM, mlacs_barrier(MLACS_COMM_NULL), "mlacs_barrier");
    ends_with(MLACS_ERR_COMM, mlacs_barrier(w), "mlacs_barrier");
    ends_with(MLACS_ERR_ARG, mlacs_gridinfo(g->all, &i, &j, NULL, &rank), "mlacs_gridinfo");
    ends_with(MLACS_ERR_PROCESS, mlacs_cart_rank(g->all, 0, g->ncol, &rank), "mlacs_cart_rank");
    ends_with(MLACS_ERR_PROCESS, mlacs_cart_rank(g->all, -1, 0, &rank), "mlacs_cart_rank");
    ends_with(MLACS_ERR_PROCESS, mlacs_cart_rank(g->row, 1, 0, &rank), "mlacs_cart_rank");
    ends_with(MLACS_ERR_ARG, mlacs_cart_rank(g->all, 0, 0, NULL), "mlacs_cart_rank");
    ends_with(MLACS_ERR_PROCESS, mlacs_cart_coords(g->row, g->ncol, &i, &j), "mlacs_cart_coords");
    ends_with(MLACS_ERR_ARG, mlacs_cart_coords(g->all, 0, &i, NULL), "mlacs_cart_coords");
    ends_with(MLACS_ERR_ARG, mlacs_procinfo(&i, NULL), "mlacs_procinfo");
    ends_with(MLACS_ERR_ARG, mlacs_initialized(NULL), "mlacs_initialized");
}

typedef int send_call(const void *, int, int, int, MLACS_Type, int, int, int, MLACS_Comm);
typedef int trap_call(const void *, int, int, int, char, char, MLACS_Type, int, int, int,
                      MLACS_Comm);
typedef int isend_call(const void *, int, int, int, MLACS_Type, int, int, int, MLACS_Comm,
                       MLACS_Request *);
typedef int itrap_call(const void *, int, int, int, char, char, MLACS_Type, int, int, int,
                       MLACS_Comm, MLACS_Request *);
static const struct mode {
    const char *name, *trap, *later, *later_trap;
    send_call *send;
    trap_call *send_trap;
    isend_call *isend;
    itrap_call *isend_trap;
} modes[] = {{"mlacs_send", "mlacs_send_trap", "mlacs_isend", "mlacs_isend_trap", mlacs_send,
              mlacs_send_trap, mlacs_isend, mlacs_isend_trap},
             {"mlacs_rsend", "mlacs_rsend_trap", "mlacs_irsend", "mlacs_irsend_trap", mlacs_rsend,
              mlacs_rsend_trap, mlacs_irsend, mlacs_irsend_trap},
             {"mlacs_ssend", "mlacs_ssend_trap", "mlacs_issend", "mlacs_issend_trap", mlacs_ssend,
              mlacs_ssend_trap, mlacs_issend, mlacs_issend_trap},
             {"mlacs_bsend", "mlacs_bsend_trap", "mlacs_ibsend", "mlacs_ibsend_trap", mlacs_bsend,
              mlacs_bsend_trap, mlacs_ibsend, mlacs_ibsend_trap}};

static void wrong_sends(const grid *g)
{
    double a[4] = {0};
    const MLACS_Type none = (MLACS_Type)17, d = MLACS_DOUBLE;
    for (int k = 0; k < 4; k++) {
        const struct mode *m = &modes[k];
        MLACS_Request r = MLACS_REQUEST_NULL;
        ends_with(MLACS_ERR_COMM, m->send(a, 2, 2, 2, d, 0, 0, 0, MLACS_COMM_NULL), m->name);
        ends_with(MLACS_ERR_PROCESS, m->send(a, 2, 2, 2, d, 1, 0, 0, g->row), m->name);
        ends_with(MLACS_ERR_PROCESS, m->isend(a, 2, 2, 2, d, 0, 1, 0, g->column, &r), m->later);
        ends_with(MLACS_ERR_TYPE, m->send(a, 2, 2, 2, none, 0, 0, 0, g->all), m->name);
        ends_with(MLACS_ERR_SIZE, m->send(a, 2, -1, 2, d, 0, 0, 0, g->all), m->name);
        ends_with(MLACS_ERR_SIZE, m->send(a, 2, 2, -1, d, 0, 0, 0, g->all), m->name);
        ends_with(MLACS_ERR_SIZE, m->isend(a, 1, 2, 2, d, 0, 0, 0, g->all, &r), m->later);
        ends_with(MLACS_ERR_SIZE, m->send(a, INT_MAX, INT_MAX, INT_MAX, d, 0, 0, 0, g->all),
                  m->name);
        ends_with(MLACS_ERR_BUFFER, m->send(NULL, 2, 2, 2, d, 0, 0, 0, g->all), m->name);
        ends_with(MLACS_ERR_PROCESS, m->send(a, 2, 2, 2, d, g->nrow, 0, 0, g->all), m->name);
        ends_with(MLACS_ERR_PROCESS,
                  m->send(a, 2, 2, 2, d, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 0, g->all), m->name);
        ends_with(MLACS_ERR_TAG, m->send(a, 2, 2, 2, d, 0, 0, -1, g->all), m->name);
        ends_with(MLACS_ERR_TAG, m->isend(a, 2, 2, 2, d, 0, 0, INT32_MAX, g->all, &r), m->later);
        ends_with(MLACS_ERR_REQUEST, m->isend(a, 2, 2, 2, d, 0, 0, 0, g->all, NULL), m->later);
        ends_with(MLACS_ERR_UPLO, m->send_trap(a, 2, 2, 2, 'X', 'N', d, 0, 0, 0, g->all), m->trap);
        ends_with(MLACS_ERR_UPLO, m->send_trap(a, 2, 2, 2, 0, 'N', d, 0, 0, 0, g->all), m->trap);
        ends_with(MLACS_ERR_DIAG, m->isend_trap(a, 2, 2, 2, 'u', 0, d, 0, 0, 0, g->all, &r),
                  m->later_trap);
    }
}

static void wrong_receives(const grid *g)
{
    double a[4] = {0};
    const MLACS_Type d = MLACS_DOUBLE;
    const int any = MLACS_ANY_ROW;
    int flag;
    MLACS_Request r = MLACS_REQUEST_NULL;
    MLACS_Status *s = MLACS_STATUS_IGNORE;
    ends_with(MLACS_ERR_WILDCARD, mlacs_recv(a, 2, 2, 2, d, any, 0, 0, g->all, s), "mlacs_recv");
    ends_with(MLACS_ERR_WILDCARD, mlacs_irecv(a, 2, 2, 2, d, 0, any, 0, g->all, &r), "mlacs_irecv");
    ends_with(MLACS_ERR_WILDCARD, mlacs_probe(any, 0, 0, g->all, s), "mlacs_probe");
    ends_with(MLACS_ERR_WILDCARD, mlacs_iprobe(0, any, 0, g->all, &flag, s), "mlacs_iprobe");
    ends_with(MLACS_ERR_ARG, mlacs_iprobe(0, 0, 0, g->all, NULL, s), "mlacs_iprobe");
    ends_with(MLACS_ERR_WILDCARD, mlacs_recv(a, 2, 2, 2, d, any, 0, 0, g->row, s), "mlacs_recv");
    ends_with(MLACS_ERR_PROCESS, mlacs_recv(a, 2, 2, 2, d, 0, -7, 0, g->all, s), "mlacs_recv");
    ends_with(MLACS_ERR_TAG, mlacs_recv(a, 2, 2, 2, d, 0, 0, -2, g->all, s), "mlacs_recv");
    ends_with(MLACS_ERR_SIZE, mlacs_recv(a, 1, 2, 2, d, 0, 0, 0, g->all, s), "mlacs_recv");
    ends_with(MLACS_ERR_TYPE, mlacs_irecv(a, 2, 2, 2, (MLACS_Type)-1, 0, 0, 0, g->all, &r),
              "mlacs_irecv");
    ends_with(MLACS_ERR_BUFFER, mlacs_irecv(NULL, 2, 2, 2, d, 0, 0, 0, g->all, &r), "mlacs_irecv");
    ends_with(MLACS_ERR_REQUEST, mlacs_irecv(a, 2, 2, 2, d, 0, 0, 0, g->all, NULL), "mlacs_irecv");
    ends_with(MLACS_ERR_UPLO, mlacs_recv_trap(a, 2, 2, 2, 'G', 'N', d, 0, 0, 0, g->all, s),
              "mlacs_recv_trap");
    ends_with(MLACS_ERR_DIAG, mlacs_irecv_trap(a, 2, 2, 2, 'L', 'X', d, 0, 0, 0, g->all, &r),
              "mlacs_irecv_trap");
    ends_with(MLACS_ERR_REQUEST, mlacs_wait(NULL, s), "mlacs_wait");
    ends_with(MLACS_ERR_ARG, mlacs_test(&r, NULL, s), "mlacs_test");
    ends_with(MLACS_ERR_REQUEST, mlacs_waitall(-1, &r, s), "mlacs_waitall");
    ends_with(MLACS_ERR_ARG, mlacs_waitany(1, &r, NULL, s), "mlacs_waitany");
    ends_with(MLACS_ERR_ARG, mlacs_testany(1, &r, &flag, NULL, s), "mlacs_testany");
    ends_with(MLACS_ERR_REQUEST, mlacs_cancel(NULL), "mlacs_cancel");
    check(r.operation == NULL, "a receive that was refused left a request");
}

static void wrong_collectives(const grid *g)
{
    double a[4] = {0}, b[4];
    int ranks[4];
    MLACS_Request r = MLACS_REQUEST_NULL;
    const MLACS_Type d = MLACS_DOUBLE, z = MLACS_DOUBLE_COMPLEX;
    const int no = MLACS_IGNORE;
    ends_with(MLACS_ERR_COMM, mlacs_bcast(a, 2, 2, 2, d, 0, 0, MLACS_COMM_NULL), "mlacs_bcast");
    ends_with(MLACS_ERR_ROOT, mlacs_bcast(a, 2, 2, 2, d, 0, g->ncol, g->all), "mlacs_bcast");
    ends_with(MLACS_ERR_ROOT, mlacs_bcast(a, 2, 2, 2, d, 0, no, g->all), "mlacs_bcast");
    ends_with(MLACS_ERR_ROOT, mlacs_bcast(a, 2, 2, 2, d, 1, 0, g->row), "mlacs_bcast");
    ends_with(MLACS_ERR_ROOT, mlacs_bcast(a, 2, 2, 2, d, no, no, g->row), "mlacs_bcast");
    ends_with(MLACS_ERR_ROOT, mlacs_bcast(a, 2, 2, 2, d, no, g->ncol, g->row), "mlacs_bcast");
    ends_with(MLACS_ERR_UPLO, mlacs_bcast_trap(a, 2, 2, 2, '?', 'N', d, 0, 0, g->all),
              "mlacs_bcast_trap");
    ends_with(MLACS_ERR_TYPE, mlacs_reduce_sum(a, b, 2, 2, 2, MLACS_BYTE, 0, 0, g->all),
              "mlacs_reduce_sum");
    ends_with(MLACS_ERR_BUFFER, mlacs_allreduce_sum(a, NULL, 2, 2, 2, d, g->all),
              "mlacs_allreduce_sum");
    ends_with(MLACS_ERR_SIZE, mlacs_allreduce_sum(a, b, 1, 2, 2, d, g->all), "mlacs_allreduce_sum");
    ends_with(MLACS_ERR_TYPE, mlacs_reduce_maxloc(a, b, 1, 1, 1, ranks, 1, z, 0, 0, g->all),
              "mlacs_reduce_maxloc");
    ends_with(MLACS_ERR_TYPE, mlacs_allreduce_minloc(a, b, 1, 1, 1, ranks, 1, z, g->all),
              "mlacs_allreduce_minloc");
    ends_with(MLACS_ERR_TYPE,
              mlacs_allreduce_maxabsloc(a, b, 1, 1, 1, ranks, 1, MLACS_BYTE, g->all),
              "mlacs_allreduce_maxabsloc");
    ends_with(MLACS_ERR_SIZE, mlacs_allreduce_maxloc(a, b, 2, 2, 2, ranks, 1, d, g->all),
              "mlacs_allreduce_maxloc");
    ends_with(MLACS_ERR_REQUEST, mlacs_ibcast(a, 2, 2, 2, d, 0, 0, g->all, NULL), "mlacs_ibcast");
    ends_with(MLACS_ERR_ROOT, mlacs_ibcast(a, 2, 2, 2, d, 0, g->ncol, g->all, &r), "mlacs_ibcast");
    ends_with(MLACS_ERR_DIAG, mlacs_ibcast_trap(a, 2, 2, 2, 'U', '?', d, 0, 0, g->all, &r),
              "mlacs_ibcast_trap");
    ends_with(MLACS_ERR_TYPE, mlacs_ireduce_sum(a, b, 2, 2, 2, MLACS_BYTE, 0, 0, g->all, &r),
              "mlacs_ireduce_sum");
    ends_with(MLACS_ERR_BUFFER, mlacs_iallreduce_sum(a, NULL, 2, 2, 2, d, g->all, &r),
              "mlacs_iallreduce_sum");
    ends_with(MLACS_ERR_COMM, mlacs_ibarrier(MLACS_COMM_NULL, &r), "mlacs_ibarrier");
    ends_with(MLACS_ERR_REQUEST, mlacs_ibarrier(g->all, NULL), "mlacs_ibarrier");
    check(r.operation == NULL, "a call that was refused left a request");
}

/* Before any grid was made. */
static void too_early(void)
{
    int flag = 7, i;
    double a = 0;
    fine(mlacs_initialized(&flag), "mlacs_initialized");
    check(flag == 0, "initialized before any grid: %d", flag);
    ends_with(MLACS_ERR_INIT, mlacs_barrier(MLACS_COMM_WORLD), "mlacs_barrier");
    ends_with(MLACS_ERR_INIT, mlacs_gridinfo(MLACS_COMM_WORLD, &i, &i, &i, &i), "mlacs_gridinfo");
    ends_with(MLACS_ERR_INIT, mlacs_send(NULL, -1, 1, 1, MLACS_DOUBLE, 9, 9, -9, MLACS_COMM_NULL),
              "mlacs_send");
    ends_with(MLACS_ERR_INIT, mlacs_bcast(&a, 1, 1, 1, MLACS_DOUBLE, 0, 0, MLACS_COMM_WORLD),
              "mlacs_bcast");
}

int main(void)
{
    int flag = 7;
    begin();
    too_early();
    of_dims(1, world.count);
    fine(mlacs_initialized(&flag), "mlacs_initialized");
    check(flag == 1, "not initialized after a grid: %d", flag);
    of_dims(world.count, 1);
    of_dims(1, 1);
    if (world.count > 3)
        of_dims(2, world.count / 2);
    maps();
    two_at_once();
    name_of_one_that_has_ended();
    grid g = make_grid(1, world.count);
    wrong_grids(&g);
    wrong_sends(&g);
    wrong_receives(&g);
    wrong_collectives(&g);
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    end_grid(&g);
    ends_with(MLACS_ERR_COMM, mlacs_barrier(g.all), "mlacs_barrier");
    for (int code = -1; code <= MLACS_ERR_CODES; code++)
        check(mlacs_error_string(code) != NULL && mlacs_error_string(code)[0],
              "no words for code %d", code);
    return finish();
}
