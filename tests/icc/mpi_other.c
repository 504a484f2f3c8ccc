/*
 * What is not about results, one test by name:
 *   errors   wrong arguments are reported by the MPI library, with its error classes
 *   uncommitted  a type that was not committed is an error of each member that names it, in
 *            every call and argument, and nobody waits
 *   first    wrong arguments are reported locally, also in the first call on a communicator
 *   nan      a maximum and a minimum keep a NaN, whoever has it (MPI's own need not)
 *   memory   a live communicator costs at most 12 KiB a process, the MPI library's part included
 *   sizes    members that disagree about the length are told so
 *   nothing  a call that moves no bytes is over at once, whatever describes them, where MPI makes
 *            all members name equal lengths; with counts the others may have some, but of two
 *            members each knows
 *   none, none-begun  some members name no bytes and others do (level 3 of OPENBLACS_CHECK)
 *   turns    calls without bytes and others in turn, where some members compare calls
 *   threads  threads of all processes use communicators of equal members for the first time, at the
 *            same time and in any order
 *   summary  a known number of calls that are taken and passed on
 *   large    more than 2^31 elements (long; takes gigabytes)
 */
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "mpi_harness.h"

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void expect(int code, int class, const char *what)
{
    check(class_of(code) == class, "%s: error class %d, not %d", what, class_of(code), class);
}

/* What has passed once without elements is looked at less the next time: a wrong argument is still
 * found. */
static void errors_without_elements(MPI_Comm comm)
{
    int x[4] = {0}, y[4];
    for (int k = 0; k < 2; k++) {
        expect(MPI_Bcast(x, 0, MPI_INT, 0, comm), MPI_SUCCESS, "nothing");
        expect(MPI_Bcast(x, 0, MPI_INT, world.count, comm), MPI_ERR_ROOT, "nothing, no such root");
        expect(MPI_Reduce(x, y, 0, MPI_INT, MPI_SUM, 0, comm), MPI_SUCCESS, "a sum of nothing");
        expect(MPI_Reduce(x, y, 0, MPI_INT, MPI_SUM, -2, comm), MPI_ERR_ROOT,
               "a sum of nothing to nobody");
        expect(MPI_Reduce(x, y, 0, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP,
               "nothing, and no operation");
        expect(MPI_Reduce(x, y, 0, MPI_DOUBLE, MPI_BAND, 0, comm), MPI_ERR_OP, "bits of nothing");
        expect(MPI_Gather(x, 0, MPI_INT, y, 0, MPI_INT, 0, comm), MPI_SUCCESS, "no pieces");
        expect(MPI_Gather(x, 0, MPI_INT, y, 0, MPI_INT, -2, comm), MPI_ERR_ROOT,
               "no pieces to nobody");
    }
}

static void test_errors(void)
{
    int x[4] = {0}, y[4];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    expect(MPI_Bcast(x, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, "a negative count");
    expect(MPI_Bcast(x, 1, MPI_INT, world.count, comm), MPI_ERR_ROOT, "no such root");
    expect(MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, "no type");
#if defined(OPEN_MPI) /* MPICH ends the job there */
    MPI_Request r;
    expect(MPI_Ibcast(NULL, 0, MPI_DATATYPE_NULL, 0, comm, &r), MPI_ERR_TYPE,
           "no elements of no type, begun");
#endif
    expect(MPI_Allreduce(x, y, 4, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "no operation");
    expect(MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP, "bits of doubles");
    expect(MPI_Reduce(x, y, 1, MPI_INT, MPI_SUM, -2, comm), MPI_ERR_ROOT, "reduce to nobody");
    expect(MPI_Gather(x, -4, MPI_INT, y, -4, MPI_INT, world.me, comm), MPI_ERR_COUNT,
           "gather of -4");
    errors_without_elements(comm);
    MPI_Comm_free(&comm);
}

/* Only for the replacement library: Open MPI's own crash on receiving. */
static void test_uncommitted(void)
{
    enum { N = 64 };
    int x[N] = {0}, y[N], counts[N], places[N], p = world.count;
    MPI_Comm comm;
    MPI_Datatype two;
    for (int i = 0; i < N; i++)
        counts[i] = 1, places[i] = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 1, MPI_INT, &two);
    for (int root = 0; root < p; root++) {
        int here = root == world.me;
        expect(MPI_Bcast(x, 1, two, root, comm), MPI_ERR_TYPE, "bcast");
        expect(MPI_Gather(x, 1, two, y, 2, MPI_INT, root, comm), MPI_ERR_TYPE, "gather from");
        expect(MPI_Gatherv(x, 1, two, y, counts, places, two, root, comm), MPI_ERR_TYPE, "gatherv");
        expect(MPI_Scatter(x, 2, MPI_INT, y, 1, two, root, comm), MPI_ERR_TYPE, "scatter to");
        expect(MPI_Scatterv(x, counts, places, two, y, 1, two, root, comm), MPI_ERR_TYPE,
               "scatterv");
        if (here) { /* where it is the root's alone to look at */
            MPI_Comm self;
            MPI_Comm_dup(MPI_COMM_SELF, &self);
            MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
            expect(MPI_Gather(x, 2, MPI_INT, y, 1, two, 0, self), MPI_ERR_TYPE, "gather to");
            expect(MPI_Scatter(x, 1, two, y, 2, MPI_INT, 0, self), MPI_ERR_TYPE, "scatter from");
            MPI_Comm_free(&self);
        }
    }
    expect(MPI_Allgather(x, 1, two, y, 2, MPI_INT, comm), MPI_ERR_TYPE, "allgather from");
    expect(MPI_Allgather(x, 2, MPI_INT, y, 1, two, comm), MPI_ERR_TYPE, "allgather to");
    expect(MPI_Allgatherv(x, 2, MPI_INT, y, counts, places, two, comm), MPI_ERR_TYPE, "allgatherv");
    MPI_Type_commit(&two);
    x[0] = world.me == 0 ? 5 : 0;
    expect(MPI_Bcast(x, 1, two, 0, comm), MPI_SUCCESS, "bcast once it is committed");
    check(x[0] == 5, "the broadcast after the errors gave %d", x[0]);
    MPI_Type_free(&two);
    MPI_Comm_free(&comm);
}

/* The others come only when process 0 has its error: it may not wait for them. */
static void after_error(MPI_Comm comm, int code, int class, const char *what)
{
    int token = 0;
    if (world.me == 0)
        expect(code, class, what);
    for (int i = 1; i < world.count && world.me == 0; i++)
        MPI_Send(&token, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    if (world.me)
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token = world.me == 0 ? 7 : 0;
    MPI_Bcast(&token, 1, MPI_INT, 0, comm);
    check(token == 7, "%s: the broadcast afterwards gave %d", what, token);
}

static void test_first(void)
{
    int x[4] = {0}, y[4], none = world.count;
    for (int k = 0; k < 4; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (k == 0)
            after_error(comm, world.me ? 0 : MPI_Bcast(x, 1, MPI_INT, none, comm), MPI_ERR_ROOT,
                        "bcast from nobody");
        else if (k == 1)
            after_error(comm, world.me ? 0 : MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, none, comm),
                        MPI_ERR_ROOT, "gather to nobody");
        else if (k == 2)
            after_error(comm, world.me ? 0 : MPI_Allreduce(x, y, 4, MPI_INT, MPI_OP_NULL, comm),
                        MPI_ERR_OP, "no operation");
        else
            after_error(comm, world.me ? 0 : MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, comm),
                        MPI_ERR_TYPE, "bcast of no type");
        MPI_Comm_free(&comm);
    }
}

static void test_nan(void)
{
    for (int owner = 0; owner < world.count; owner++)
        for (int least = 0; least < 2; least++) {
            MPI_Op op = least ? MPI_MIN : MPI_MAX;
            struct {
                double value;
                int rank;
            } pair = {world.me == owner ? NAN : world.me, world.me}, best;
            double x[40], y[40] = {0};
            float f = (float)pair.value, g = 0;
            long double l = pair.value, m = 0;
            for (int i = 0; i < 40; i++)
                x[i] = i % 3 ? world.me : pair.value;
            MPI_Allreduce(x, y, 40, MPI_DOUBLE, op, MPI_COMM_WORLD);
            MPI_Allreduce(&f, &g, 1, MPI_FLOAT, op, MPI_COMM_WORLD);
            MPI_Allreduce(&l, &m, 1, MPI_LONG_DOUBLE, op, MPI_COMM_WORLD);
            MPI_Allreduce(&pair, &best, 1, MPI_DOUBLE_INT, least ? MPI_MINLOC : MPI_MAXLOC,
                          MPI_COMM_WORLD);
            check(isnan(y[0]) && isnan(y[39]) && isnan(g) && isnan(m) && isnan(best.value),
                  "%s loses a NaN of %d: %g %g %g %Lg %g", least ? "min" : "max", owner, y[0],
                  y[39], (double)g, m, best.value);
            check(best.rank == owner && y[1] == (least ? 0 : world.count - 1),
                  "beside a NaN of %d: rank %d, %g", owner, best.rank, y[1]);
        }
}

/* KiB of memory in use. */
static long resident(void)
{
    char line[200];
    long sum = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %ld", &sum);
    if (f)
        fclose(f);
    return sum;
}

static void use(MPI_Comm comm)
{
    double x = 1, sum = 0;
    for (int i = 0; i < 3; i++) {
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Bcast(&x, 1, MPI_DOUBLE, i % world.count, comm);
        MPI_Barrier(comm);
    }
    check(sum == world.count, "a sum of ones is %g", sum);
}

static void test_memory(void)
{
    enum { WARM = 20, MANY = 1000 };
    MPI_Comm *comm = malloc((WARM + MANY) * sizeof *comm);
    long before = 0;
    for (int i = 0; i < WARM + MANY; i++) {
        before = i == WARM ? resident() : before;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        use(comm[i]);
    }
    double each = (double)(resident() - before) / MANY;
    check(before > 0 && each <= 12, "%g KiB for each communicator", each);
    for (int i = 0; i < WARM + MANY; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

/* Somebody must be told, with the class for it; nobody may wait for ever. */
static void test_sizes(void)
{
    int x[4] = {0}, bad, sum = 0, me = world.me;
    MPI_Request r;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = MPI_Bcast(x, me ? 2 : 4, MPI_INT, 0, comm);
    bad = code != MPI_SUCCESS;
    check(!bad || class_of(code) == MPI_ERR_TRUNCATE, "error class %d", class_of(code));
    MPI_Iallreduce(&bad, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    wait_for(&r);
    check(sum > 0, "nobody noticed a broadcast of two lengths");

    /* A root whose own piece is longer than its places takes part, so that what comes next is
     * right. */
    int y[64] = {0}, z = me;
    code = MPI_Gather(x, 4, MPI_INT, y, 1, MPI_INT, 0, comm);
    check(me || class_of(code) == MPI_ERR_TRUNCATE, "gather: error class %d", class_of(code));
    code = MPI_Scatter(x, 1, MPI_INT, y, me ? 1 : 4, MPI_INT, 0, comm);
    check(me || class_of(code) == MPI_ERR_TRUNCATE, "scatter: error class %d", class_of(code));
    MPI_Allreduce(MPI_IN_PLACE, &z, 1, MPI_INT, MPI_SUM, comm);
    check(z == world.count * (world.count - 1) / 2, "the sum afterwards is %d", z);
    MPI_Comm_free(&comm);
}

enum { THREADS = 4, ROUNDS = 5 };
static MPI_Comm of_thread[ROUNDS][THREADS];
static int wrong[THREADS];

static void *work(void *argument)
{
    int t = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        const struct timespec nap = {.tv_nsec = (t * 7 + world.me * 5 + round) % 4 * 300000};
        nanosleep(&nap, NULL);
        for (int i = 0; i < 20; i++) {
            int mine = world.me * 10 + t, sum = 0, token = world.me == i % world.count ? t : -1;
            MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, of_thread[round][t]);
            MPI_Bcast(&token, 1, MPI_INT, i % world.count, of_thread[round][t]);
            wrong[t] += sum != 5 * world.count * (world.count - 1) + t * world.count || token != t;
        }
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    int number[THREADS];
    for (int i = 0; i < ROUNDS * THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i / THREADS][i % THREADS]);
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        pthread_create(&threads[t], NULL, work, &number[t]);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        check(wrong[t] == 0, "thread %d: %d wrong results", t, wrong[t]);
    }
    for (int i = 0; i < ROUNDS * THREADS; i++)
        MPI_Comm_free(&of_thread[i / THREADS][i % THREADS]);
}

static void add(void *in, void *acc, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)acc)[i] += ((int *)in)[i];
}

static void test_summary(void)
{
    int x = 1, y[64], sum;
    MPI_Op own;
    MPI_Datatype two;
    MPI_Op_create(add, 1, &own);
    MPI_Type_contiguous(1, MPI_INT, &two);
    MPI_Type_commit(&two);
    for (int i = 0; i < 3; i++)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&x, 1, two, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, own, MPI_COMM_WORLD);
    check(sum == world.count, "a sum by an own operation");
    MPI_Allreduce(&x, &sum, 1, two, own, MPI_COMM_WORLD);
    MPI_Gather(&x, 1, MPI_INT, y, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Op_free(&own);
    MPI_Type_free(&two);
}

/* Calls without bytes: member 0 ends each before member 1 begins it, which libicc-mpi promises and
 * MPI does not. */
static void test_nothing(void)
{
    enum { CALLS = 13, OF_TWO = 17, N = 16 };
    int me = world.me, p = world.count, token = 0, in[N], out[N], none[N] = {0}, counts[N] = {0};
    int places[N], own[N] = {[1] = 1}, mine[N] = {0}, bytes[N] = {0, 4};
    const int calls = p == 2 ? OF_TWO : CALLS;
    const MPI_Comm c = MPI_COMM_WORLD;
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    const int n = me % 2 ? 3 : 0; /* elements without bytes */
    const MPI_Datatype t = me % 2 ? empty : MPI_INT, ints[N] = {MPI_INT, MPI_INT};
    int *a = me % 3 ? in : NULL, *b = me % 3 ? out : NULL;
    for (int i = 0; i < N; i++)
        places[i] = i, in[i] = me * N + i, out[i] = -1;
    mine[me] = 1;
    MPI_Barrier(c);
    for (int call = 0; call < 2 * calls; call++) { /* the second time it has passed before */
        if (me == 1)
            MPI_Recv(&token, 1, MPI_INT, 0, call, c, MPI_STATUS_IGNORE);
        switch (call % calls) {
        case 0: MPI_Bcast(a, n, t, p - 1, c); break;
        case 1: MPI_Reduce(a, b, 0, MPI_DOUBLE, MPI_SUM, p - 1, c); break;
        case 2: MPI_Allreduce(a, b, 0, MPI_DOUBLE, MPI_SUM, c); break;
        case 3: MPI_Allgather(a, n, t, b, n, t, c); break;
        case 4: MPI_Allgatherv(a, n, t, b, none, places, MPI_INT, c); break;
        case 5: MPI_Reduce_scatter(in, out, none, MPI_INT, MPI_SUM, c); break;
        case 6: MPI_Reduce_scatter_block(in, out, 0, MPI_INT, MPI_SUM, c); break;
        case 7: MPI_Scatter(a, n, t, b, n, t, p - 1, c); break;
        case 8: MPI_Gather(a, n, t, b, n, t, p - 1, c); break;
        case 9: MPI_Alltoall(a, n, t, b, n, t, c); break;
        case 10: MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, n, t, c); break;
        case 11: MPI_Scan(a, b, 0, MPI_INT, MPI_SUM, c); break;
        case 12: MPI_Exscan(a, b, 0, MPI_INT, MPI_SUM, c); break;
        /* Pieces for oneself. */
        case 13: MPI_Gatherv(in, me, MPI_INT, out + 2, own, places, MPI_INT, 1, c); break;
        case 14: MPI_Scatterv(in, own, places, MPI_INT, out + 4, me, MPI_INT, 1, c); break;
        case 15: MPI_Alltoallv(in, mine, places, MPI_INT, out + 6, mine, places, MPI_INT, c); break;
        default: MPI_Alltoallw(in, mine, bytes, ints, out + 8, mine, bytes, ints, c);
        }
        if (me == 0)
            MPI_Send(&token, 1, MPI_INT, 1, call, c);
    }
    if (p == 2) {
        check(out[3] == (me ? N : -1), "gatherv of the own piece: %d", out[3]);
        check(out[4] == (me ? N + 1 : -1), "scatterv of the own piece: %d", out[4]);
        for (int at = 6; at <= 8; at += 2)
            check(out[at + me] == me * N + me && out[at + 1 - me] == -1,
                  "the own piece alone: %d, %d", out[at], out[at + 1]);
        for (int i = 0; i < 3; i++) /* nothing at all, and that has passed before */
            MPI_Alltoallv(in, none, places, MPI_INT, out, none, places, MPI_INT, c);
    }
    /* Member 0 has nothing for anybody, nor anybody for it. */
    for (int i = 1; i < p; i++)
        counts[i] = me > 0;
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, c);
    check(out[0] == -1, "something came for nobody");
    for (int i = 1; i < p; i++)
        check(out[i] == (me ? i * N + me : -1), "from member %d: %d", i, out[i]);
    MPI_Scatterv(in, counts, places, MPI_INT, out, me > 0, MPI_INT, 1, c);
    check(out[0] == (me ? N + me : -1), "scatterv: %d", out[0]);
    MPI_Type_free(&empty);
}

/* Level 3 of OPENBLACS_CHECK finds members of which some name no bytes, which else may hang. */
static void test_none(int begun)
{
    int x[4] = {0};
    MPI_Request r;
    if (!begun)
        MPI_Bcast(x, world.me ? 4 : 0, MPI_INT, 0, MPI_COMM_WORLD);
    else if (MPI_Ibcast(x, world.me ? 4 : 0, MPI_INT, 0, MPI_COMM_WORLD, &r) == MPI_SUCCESS)
        wait_for(&r);
}

/* Calls without bytes and others in turn, where one member compares calls and the others do not. */
static void test_turns(void)
{
    int x = world.me ? 0 : 7, y[16] = {0}, sum = 0;
    MPI_Request r;
    MPI_Bcast(&x, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(x == 7, "broadcast: %d", x);
    MPI_Alltoall(&x, 0, MPI_INT, y, 0, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &sum, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibcast(&x, 0, MPI_INT, 0, MPI_COMM_WORLD, &r);
    wait_for(&r);
    MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    wait_for(&r);
    check(sum == 7 * world.count, "sum: %d", sum);
}

static void test_large(void)
{
    const size_t n = ((size_t)1 << 31) + 5;
    signed char *x = malloc(n);
    if (!check(x != NULL, "no memory"))
        return;
    memset(x, world.me ? 0 : 3, n);
#if MPI_VERSION >= 4
    MPI_Bcast_c(x, (MPI_Count)n, MPI_SIGNED_CHAR, 0, MPI_COMM_WORLD);
    check(x[0] == 3 && x[n / 2] == 3 && x[n - 1] == 3, "bcast of 2^31 + 5 elements");
    MPI_Allreduce_c(MPI_IN_PLACE, x, (MPI_Count)n, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    signed char sum = (signed char)(3 * world.count);
    check(x[0] == sum && x[n / 2] == sum && x[n - 1] == sum, "allreduce of 2^31 + 5 elements");
    memset(x, world.me ? 0 : 3, n);
#endif
    MPI_Bcast(x, (int)(n / 8), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    check(x[0] == 3 && x[n / 2] == 3 && x[n / 8 * 8 - 1] == 3, "bcast of 2^31 bytes");
    free(x);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int level;
    MPI_Init_thread(&argc, &argv, strcmp(what, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                    &level);
    begin();
    if (strcmp(what, "errors") == 0)
        test_errors();
    else if (strcmp(what, "uncommitted") == 0)
        test_uncommitted();
    else if (strcmp(what, "first") == 0)
        test_first();
    else if (strcmp(what, "nan") == 0)
        test_nan();
    else if (strcmp(what, "memory") == 0)
        test_memory();
    else if (strcmp(what, "sizes") == 0)
        test_sizes();
    else if (strcmp(what, "turns") == 0)
        test_turns();
    else if (strncmp(what, "none", 4) == 0)
        test_none(what[4]);
    else if (strcmp(what, "nothing") == 0)
        test_nothing();
    else if (strcmp(what, "threads") == 0 && level == MPI_THREAD_MULTIPLE)
        test_threads();
    else if (strcmp(what, "summary") == 0)
        test_summary();
    else if (strcmp(what, "large") == 0)
        test_large();
    return finish();
}
