/*
 * Communicators with members outside MPI_COMM_WORLD: spawned programs, merged with those that
 * spawned them; with "planted" before the test's name duplicates of MPI_COMM_WORLD, of which every
 * other process is held to be outside. The tests: rounds outlive exit mlacs lu slow threads
 * (planted) wrong session. A spawned process has "child" and the test's name.
 */
#include <mpi.h>
#include <openblacs/blacs.h>
#include <openblacs/blacs_extensions.h>
#ifdef WITH_LU
#include <openblacs/bsp_lu.h>
#endif
#include <openblacs/mlacs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

enum { CHILDREN = 2, LONG = 300000, SLOW = 3, THREAD_ROUNDS = 100 };
static char *self;
static int child, planted;

/* Processes of other parity are elsewhere: as a spawned program's, for MPI libraries that cannot
 * spawn any. Called by the module. */
__attribute__((visibility("default"))) int
MPI_Group_translate_ranks(MPI_Group from, int n, const int in[], MPI_Group to, int out[])
{
    int code = PMPI_Group_translate_ranks(from, n, in, to, out), size;
    MPI_Group_size(to, &size);
    for (int i = 0; planted && size == count && i < n; i++)
        if (out[i] % 2 != me % 2)
            out[i] = MPI_UNDEFINED;
    return code;
}

/* Without these of all processes the MPI library's own start has failed (run.sh). */
static void say(const char *line)
{
    fputs(line, stdout);
    fflush(stdout);
}

static MPI_Comm merged(const char *test)
{
    char *arguments[] = {"child", (char *)test, NULL};
    MPI_Comm inter, comm;
    if (planted) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        return comm;
    }
    if (child) {
        MPI_Comm_get_parent(&inter);
    } else {
        MPI_Comm_spawn(self, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
        say("spawned\n");
    }
    MPI_Intercomm_merge(inter, child, &comm);
    MPI_Comm_free(&inter);
    return comm;
}

/* Each passes a long matrix round, all add up, and each row's first broadcasts. */
static void use(int context)
{
    int nprow, npcol, row, col, size, one = 1, word;
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &col);
    size = nprow * npcol;
    int at = row * npcol + col, next = (at + 1) % size, before = (at + size - 1) % size;
    double *data = malloc(LONG * sizeof *data);
    for (int i = 0; i < LONG; i++)
        data[i] = at + i;
    Cdgesd2d(context, LONG, 1, data, LONG, next / npcol, next % npcol);
    Cdgerv2d(context, LONG, 1, data, LONG, before / npcol, before % npcol);
    for (int i = 0; i < LONG; i++)
        CHECK(data[i] == before + i);
    for (int i = 0; i < LONG; i++)
        data[i] = 1;
    Cdgsum2d(context, "All", " ", LONG, 1, data, LONG, -1, -1);
    for (int i = 0; i < LONG; i++)
        CHECK(data[i] == size);
    free(data);
    Cigsum2d(context, "All", " ", 1, 1, &one, 1, -1, -1);
    CHECK(one == size);
    word = 100 * row + 7;
    if (col == 0)
        Cigebs2d(context, "Row", " ", 1, 1, &word, 1);
    else
        Cigebr2d(context, "Row", " ", 1, 1, &word, 1, row, 0);
    CHECK(word == 100 * row + 7);
    word = row;
    Cigsum2d(context, "Column", " ", 1, 1, &word, 1, -1, -1);
    CHECK(word == nprow * (nprow - 1) / 2);
    Cblacs_barrier(context, "All");
}

static int grid_of(MPI_Comm comm, int nprow, int npcol)
{
    int context = (int)MPI_Comm_c2f(comm);
    Cblacs_gridinit(&context, "Row", nprow, npcol);
    return context;
}

/* A grid's own communicator, a scope, and a grid made of the grid. */
static void derive(int context)
{
    int nprow, npcol, row, col, handle, again, sum = 1;
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &col);
    Cblacs_get(context, 10, &handle);
    again = handle;
    Cblacs_gridinit(&again, "Column", nprow, npcol);
    use(again);
    Cblacs_gridexit(again);
    MPI_Comm comm = Cblacs2sys_handle(handle);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == nprow * npcol);
    if (nprow > 1 || npcol > 1) {
        int last_row = nprow - 1, last_col = npcol - 1, scope, rows[] = {0, last_row},
            columns[] = {0, last_col};
        Cblacs_scope(context, 2, rows, columns, &scope);
        if (scope >= 0) {
            sum = 1;
            Cigsum2d(scope, "All", " ", 1, 1, &sum, 1, -1, -1);
            CHECK(sum == 2);
            Cblacs_gridexit(scope);
        }
    }
}

/* All, and the last ones without the first. */
static void grids(MPI_Comm comm)
{
    int size, rank, context;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    context = grid_of(comm, size % 2 ? 1 : 2, size % 2 ? size : size / 2);
    CHECK(Cblacs2sys_handle((int)MPI_Comm_c2f(comm)) == comm);
    use(context);
    derive(context);
    int own = grid_of(MPI_COMM_WORLD, 1, count);
    use(own);
    use(context);
    if (rank > 0) {
        int *map = malloc((size_t)size * sizeof *map), part = (int)MPI_Comm_c2f(comm);
        for (int i = 0; i < size - 1; i++)
            map[i] = size - 1 - i;
        Cblacs_gridmap(&part, map, 1, 1, size - 1);
        use(part);
        Cblacs_gridexit(part);
        free(map);
    }
    Cblacs_gridexit(own);
    Cblacs_gridexit(context);
}

/* Communicators that come and go, while this program goes on. */
static void rounds(void)
{
    for (int i = 0; i < (planted ? 3 : 1); i++) {
        MPI_Comm comm = merged("rounds");
        grids(comm);
        MPI_Comm_free(&comm);
    }
}

/* The communicator goes before its grid. */
static void outlive(void)
{
    MPI_Comm comm = merged("outlive");
    int size;
    MPI_Comm_size(comm, &size);
    int context = grid_of(comm, 1, size);
    use(context);
    MPI_Comm_free(&comm);
    use(context);
    Cblacs_gridexit(context);
}

/* Nobody gives anything back. */
static void leave(void)
{
    MPI_Comm comm = merged("exit");
    int size;
    MPI_Comm_size(comm, &size);
    use(grid_of(comm, size, 1));
}

static void mlacs(void)
{
    MPI_Comm comm = merged("mlacs"), line;
    MLACS_Comm all, row, column;
    uintptr_t word = 0;
    int size, periodic = 1, in[1], out[1];
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 2; i++) {
        memcpy(&word, &comm, sizeof comm);
        CHECK(mlacs_gridinit(word, 1, size, &all, &row, &column) == MLACS_SUCCESS);
        MLACS_Comm all2, row2, column2;
        CHECK(mlacs_gridinit(all, size, 1, &all2, &row2, &column2) == MLACS_SUCCESS);
        in[0] = 1;
        CHECK(mlacs_allreduce_sum(in, out, 1, 1, 1, MLACS_INT, all2) == MLACS_SUCCESS);
        CHECK(out[0] == size);
        CHECK(mlacs_gridexit(&all2, &row2, &column2) == MLACS_SUCCESS);
        CHECK(mlacs_allreduce_sum(in, out, 1, 1, 1, MLACS_INT, row) == MLACS_SUCCESS);
        CHECK(out[0] == size);
        CHECK(mlacs_gridexit(&all, &row, &column) == MLACS_SUCCESS);
    }
    MPI_Cart_create(comm, 1, &size, &periodic, 0, &line);
    word = 0;
    memcpy(&word, &line, sizeof line);
    CHECK(mlacs_allreduce_sum(in, out, 1, 1, 1, MLACS_INT, word) == MLACS_SUCCESS);
    CHECK(out[0] == size);
    MPI_Comm_free(&line);
    MPI_Comm_free(&comm);
}

/* The first waits in one job for the last, which computes, and the second in the other job for the
 * first: nobody hangs, however short OPENBLACS_CHECK_SECONDS is. */
static void slow(void)
{
    MPI_Comm comm = merged("slow");
    int size, rank, value = 0, own = grid_of(MPI_COMM_WORLD, 1, count);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    int context = grid_of(comm, 1, size);
    if (rank == size - 1) {
        for (double begun = MPI_Wtime(); MPI_Wtime() - begun < SLOW;)
            value++;
        value = 7;
        Cigesd2d(context, 1, 1, &value, 1, 0, 0);
    } else if (rank == 0) {
        Cigerv2d(context, 1, 1, &value, 1, 0, size - 1);
        Cigesd2d(own, 1, 1, &value, 1, 0, 1);
    } else if (rank == 1) {
        Cigerv2d(own, 1, 1, &value, 1, 0, 0);
        CHECK(value == 7);
    }
    use(context);
    Cblacs_gridexit(context);
    Cblacs_gridexit(own);
    MPI_Comm_free(&comm);
}

static void *trim(void *on)
{
    while (atomic_load((atomic_bool *)on))
        Cblacs_freebuff(-1, 0), sched_yield();
    return NULL;
}

/* A thread walks over the jobs while another one makes and ends them. */
static void threads(void)
{
    atomic_bool on = true;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, trim, &on) == 0);
    for (int i = 0; i < THREAD_ROUNDS; i++) {
        MPI_Comm comm;
        int one = 1, size;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_size(comm, &size);
        int context = grid_of(comm, 1, size);
        Cigsum2d(context, "All", " ", 1, 1, &one, 1, -1, -1);
        CHECK(one == size);
        Cblacs_gridexit(context);
        MPI_Comm_free(&comm);
    }
    atomic_store(&on, false);
    pthread_join(thread, NULL);
}

/* The LU's processes must be in one MPI_COMM_WORLD: all are told. */
static void lu(void)
{
#ifdef WITH_LU
    MPI_Comm comm = merged("lu");
    int size;
    MPI_Comm_size(comm, &size);
    int context = grid_of(comm, size, 1), n = 2 * size, info = 0;
    int desc[] = {1, context, n, n, 2, 2, 0, 0, 2}, *pivots = calloc((size_t)n, sizeof *pivots);
    double *a = calloc(2 * (size_t)n, sizeof *a);
    bsp_pdgetrf(n, n, a, 1, 1, desc, pivots, &info);
    CHECK(info == -602);
    free(a);
    free(pivots);
    Cblacs_gridexit(context);
    MPI_Comm_free(&comm);
#endif
}

/* One member is wrong: all end, and the line names it. */
static void wrong(void)
{
    MPI_Comm comm = merged("wrong");
    int size, rank, value = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    int context = grid_of(comm, 1, size);
    if (rank == size - 1)
        Cigesd2d(context, 1, 1, &value, 1, 5, 0);
    else
        Cigerv2d(context, 1, 1, &value, 1, 0, size - 1);
}

#if MPI_VERSION >= 4
static void session(void)
{
    MPI_Session s;
    MPI_Group group;
    MPI_Comm comm;
    int size;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
    MPI_Group_from_session_pset(s, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "elsewhere", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_size(comm, &size);
    join();
    CHECK(size == count);
    int context = grid_of(comm, 1, size);
    use(context);
    derive(context);
    Cblacs_gridexit(context);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&s);
    Cblacs_exit(0); /* the library has started MPI, and ends it */
}
#else
static void session(void)
{
    fputs("no sessions\n", stdout);
    exit(0);
}
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"rounds", rounds},   {"outlive", outlive}, {"exit", leave},
                 {"mlacs", mlacs},     {"slow", slow},       {"lu", lu},
                 {"threads", threads}, {"wrong", wrong},     {"session", session}};
    child = argc > 2 && strcmp(argv[1], "child") == 0;
    planted = argc > 2 && strcmp(argv[1], "planted") == 0;
    const char *what = argc > 1 ? argv[argc - 1] : "";
    self = argv[0];
    /* Open MPI 4.1's processes that spawned, or were, die of it in MPI_Finalize now and then. */
    signal(SIGPIPE, SIG_IGN);
    int is_session = strcmp(what, "session") == 0, known = 0;
    if (!is_session) {
        int level = strcmp(what, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
        MPI_Init_thread(&argc, &argv, level, &level);
        if (child)
            say("begun\n");
        join();
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(what, tests[i].name) == 0) {
            tests[i].run();
            known = 1;
        }
    CHECK(known);
    if (!is_session) {
        Cblacs_exit(1);
        MPI_Finalize();
    }
    if (me == 0 && !child)
        fputs("passed\n", stdout);
    return 0;
}
