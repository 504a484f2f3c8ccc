/*
 * Calls that do not wait and persistent ones: each must give what the call that waits gives for the
 * same memory, byte by byte; together with requests for messages they may be ended by every call
 * that ends requests; and they go on while their process is in another call of MPI.
 */
#include <stdbool.h>

#include "mpi_harness.h"

/* How a call is made: it waits, gives a request, or a persistent one. */
enum how { WAITS, BEGINS, PREPARES, HOWS };

static MPI_Status
    ignored[7]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short */
static MPI_Comm comm;
static int me, size;
static bool replaced; /* by libicc-mpi, whatever the MPI library itself does */

/* The call of these arguments in one of three ways. */
#define CALL(how, request, Name, word, ...)                                                        \
    ((how) == WAITS    ? MPI_##Name(__VA_ARGS__, comm)                                             \
     : (how) == BEGINS ? MPI_I##word(__VA_ARGS__, comm, request)                                   \
                       : INIT(Name)(__VA_ARGS__, comm, MPI_INFO_NULL, request))

/* ------------------------------------------------------------------ the calls */

enum { MOST = 70000, MOST_MEMBERS = 16, GAP = 3 };
static int *out, *in;
static int n; /* elements of a piece */
static int counts[MOST_MEMBERS], places[MOST_MEMBERS], bytes[MOST_MEMBERS];
static MPI_Datatype spread, types[MOST_MEMBERS];
static MPI_Op compose_op, add_op;

static void add(void *first, void *second, int *count, MPI_Datatype *type)
{
    unsigned *f = first, *g = second;
    (void)type;
    for (int i = 0; i < *count; i++)
        g[i] += f[i];
}

typedef int call(enum how how, MPI_Request *r);

static int barrier(enum how how, MPI_Request *r)
{
    return how == WAITS    ? MPI_Barrier(comm)
           : how == BEGINS ? MPI_Ibarrier(comm, r)
                           : INIT(Barrier)(comm, MPI_INFO_NULL, r);
}

#define CALLS(X)                                                                                   \
    X(bcast, Bcast, bcast, in, n, MPI_INT, size - 1)                                               \
    X(bcast_spread, Bcast, bcast, in, n, spread, 0)                                                \
    X(allreduce, Allreduce, allreduce, out, in, n, MPI_INT, MPI_SUM)                               \
    X(allreduce_in_place, Allreduce, allreduce, MPI_IN_PLACE, in, n, MPI_INT, MPI_BXOR)            \
    X(allreduce_own, Allreduce, allreduce, out, in, n / 2, MPI_2INT, compose_op)                   \
    X(allreduce_add, Allreduce, allreduce, out, in, n, MPI_INT, add_op)                            \
    X(allreduce_maxloc, Allreduce, allreduce, out, in, n / 2, MPI_2INT, MPI_MAXLOC)                \
    X(reduce, Reduce, reduce, out, in, n, MPI_INT, MPI_PROD, size / 2)                             \
    X(reduce_in_place, Reduce, reduce, me == 0 ? MPI_IN_PLACE : out, in, n, MPI_INT, MPI_SUM, 0)   \
    X(reduce_own, Reduce, reduce, out, in, n / 2, MPI_2INT, compose_op, size - 1)                  \
    X(allgather, Allgather, allgather, out, n, MPI_INT, in, n, MPI_INT)                            \
    X(allgather_in_place, Allgather, allgather, MPI_IN_PLACE, 0, MPI_INT, in, n, MPI_INT)          \
    X(allgather_spread, Allgather, allgather, out, n, MPI_INT, in, n, spread)                      \
    X(allgather_spread_in_place, Allgather, allgather, MPI_IN_PLACE, 0, MPI_INT, in, n, spread)    \
    X(allgatherv, Allgatherv, allgatherv, out, counts[me], MPI_INT, in, counts, places, MPI_INT)   \
    X(gather, Gather, gather, out, n, MPI_INT, in, n, MPI_INT, size / 2)                           \
    X(gather_in_place, Gather, gather, me == 0 ? MPI_IN_PLACE : out, n, MPI_INT, in, n, MPI_INT,   \
      0)                                                                                           \
    X(gather_spread, Gather, gather, out, n, spread, in, n, spread, size - 1)                      \
    X(gatherv, Gatherv, gatherv, out, counts[me], MPI_INT, in, counts, places, MPI_INT, 0)         \
    X(scatter, Scatter, scatter, out, n, MPI_INT, in, n, MPI_INT, size - 1)                        \
    X(scatter_in_place, Scatter, scatter, out, n, MPI_INT, me == 0 ? MPI_IN_PLACE : in, n,         \
      MPI_INT, 0)                                                                                  \
    X(scatterv, Scatterv, scatterv, out, counts, places, MPI_INT, in, counts[me], MPI_INT,         \
      size / 2)                                                                                    \
    X(alltoall, Alltoall, alltoall, out, n, MPI_INT, in, n, MPI_INT)                               \
    X(alltoall_in_place, Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_INT, in, n, MPI_INT)             \
    X(alltoall_spread, Alltoall, alltoall, out, n, spread, in, n, MPI_INT)                         \
    X(alltoallv, Alltoallv, alltoallv, out, counts, places, MPI_INT, in, counts_back, places,      \
      MPI_INT)                                                                                     \
    X(alltoallw, Alltoallw, alltoallw, out, counts, bytes, types, in, counts_back, bytes, types)   \
    X(reduce_scatter, Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM)           \
    X(reduce_scatter_own, Reduce_scatter, reduce_scatter, out, in, counts, MPI_2INT, compose_op)   \
    X(reduce_scatter_in_place, Reduce_scatter, reduce_scatter, MPI_IN_PLACE, in, counts, MPI_INT,  \
      MPI_MIN)                                                                                     \
    X(reduce_scatter_block, Reduce_scatter_block, reduce_scatter_block, out, in, n, MPI_INT,       \
      MPI_BOR)                                                                                     \
    X(scan, Scan, scan, out, in, n, MPI_INT, MPI_SUM)                                              \
    X(scan_in_place, Scan, scan, MPI_IN_PLACE, in, n, MPI_INT, MPI_MAX)                            \
    X(scan_own, Scan, scan, out, in, n / 2, MPI_2INT, compose_op)                                  \
    X(exscan, Exscan, exscan, out, in, n, MPI_INT, MPI_SUM)                                        \
    X(exscan_in_place, Exscan, exscan, MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM)                      \
    X(exscan_own, Exscan, exscan, out, in, n / 2, MPI_2INT, compose_op)

static int counts_back[MOST_MEMBERS];

#define DEFINE(name, Name, word, ...)                                                              \
    static int name(enum how how, MPI_Request *r)                                                  \
    {                                                                                              \
        return CALL(how, r, Name, word, __VA_ARGS__);                                              \
    }
CALLS(DEFINE)

static const struct {
    const char *name;
    call *call;
} calls[] = {
#define ROW(name, Name, word, ...) {#name, name},
    CALLS(ROW){"barrier", barrier}};
enum { CALLS = sizeof calls / sizeof *calls };

/* ------------------------------------------------------------------ one by one */

/* What a process has at first, in round k. */
static void fill(int k)
{
    size_t most = (size_t)(GAP * (n + 2) * size + 8);
    for (size_t i = 0; i < most; i++) { /* 0 to 999, both of one random number */
        const uint64_t both = mix(i + 1000003 * (size_t)(me + 100 * k));
        out[i] = (int)((both & 0xffffffff) * 1000 >> 32);
        in[i] = (int)((both >> 32) * 1000 >> 32);
    }
}

static int *as_it_was, *wanted;

/* Both vectors must be as the call that waits leaves them. */
static void expect(const char *name, const char *how, int round)
{
    size_t most = (size_t)(GAP * (n + 2) * size + 8) * sizeof(int);
    check(memcmp(in, wanted, most) == 0, "%s, %s, %d elements, round %d: the result", name, how, n,
          round);
    check(memcmp(out, as_it_was, most) == 0, "%s, %s, %d elements, round %d: the operand", name,
          how, n, round);
}

static void learn(int which, int round)
{
    size_t most = (size_t)(GAP * (n + 2) * size + 8) * sizeof(int);
    fill(round);
    calls[which].call(WAITS, NULL);
    memcpy(wanted, in, most);
    memcpy(as_it_was, out, most);
    fill(round);
}

static void one_by_one(int which)
{
    MPI_Request r;
    MPI_Status status;
    learn(which, 0);
    check(calls[which].call(BEGINS, &r) == MPI_SUCCESS, "%s begins", calls[which].name);
    MPI_Wait(&r, &status);
    check(r == MPI_REQUEST_NULL, "%s: the request is gone", calls[which].name);
    expect(calls[which].name, "begun", 0);
    if (!PERSISTENT)
        return;
    check(calls[which].call(PREPARES, &r) == MPI_SUCCESS, "%s is prepared", calls[which].name);
    MPI_Request same = r;
    for (int round = 1; round <= 3; round++) {
        learn(which, round);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        check(r == same, "%s: a persistent request stays", calls[which].name);
        expect(calls[which].name, "prepared", round);
    }
    MPI_Request_free(&r);
}

static void all_calls(void)
{
    static const int lengths[] = {0, 1, 4, 700, 20000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        n = lengths[k];
        for (int i = 0; i < size; i++) {
            counts[i] = n ? n - i % 2 : 0;
            places[i] = (size - 1 - i) * (n + 1);
            bytes[i] = places[i] * (int)sizeof(int);
            types[i] = MPI_INT;
            counts_back[i] = n ? n - me % 2 : 0;
        }
        for (int which = 0; which < CALLS; which++)
            one_by_one(which);
    }
}

/* -------------------------------------------------------------- ended by every call */

/* Two messages to the neighbours and three calls of ours, one of them persistent. */
enum { REQUESTS = 7, ACTIVE = 5 + PERSISTENT };
typedef struct several {
    MPI_Request r[REQUESTS];
    int sent, got, sum, of, xor, root;
} several;

static void begin_several(several *s, int round)
{
    int next = (me + 1) % size, last = (me + size - 1) % size;
    s->sent = 10 * me + round;
    s->of = me + round;
    s->xor = 1 << me % 20;
    s->root = me == 0 ? 77 + round : 0;
    s->got = s->sum = -1;
    MPI_Irecv(&s->got, 1, MPI_INT, last, 5, comm, &s->r[0]);
    MPI_Iallreduce(&s->of, &s->sum, 1, MPI_INT, MPI_SUM, comm, &s->r[1]);
    s->r[2] = MPI_REQUEST_NULL;
    if (PERSISTENT)
        MPI_Start(&s->r[6]);
    MPI_Ibcast(&s->root, 1, MPI_INT, 0, comm, &s->r[3]);
    MPI_Isend(&s->sent, 1, MPI_INT, next, 5, comm, &s->r[4]);
    MPI_Ibarrier(comm, &s->r[5]);
}

static void check_several(const several *s, int round, const char *name)
{
    int all_xor = 0;
    for (int i = 0; i < size; i++)
        all_xor ^= 1 << i % 20;
    check(s->got == 10 * ((me + size - 1) % size) + round, "%s: the message", name);
    check(s->sum == size * (size - 1) / 2 + size * round, "%s: the sum", name);
    check(s->root == 77 + round, "%s: the broadcast", name);
    check(!PERSISTENT || s->xor == all_xor, "%s: the persistent one", name);
    for (int i = 0; i < REQUESTS; i++)
        check((s->r[i] == MPI_REQUEST_NULL) == (i < 6 || !PERSISTENT), "%s: request %d", name, i);
}

static void wait_all(MPI_Request *r)
{
    MPI_Status statuses[REQUESTS];
    statuses[1].MPI_SOURCE = statuses[1].MPI_TAG = 5; /* as a message before has left it */
    MPI_Waitall(REQUESTS, r, statuses);
    check(statuses[0].MPI_SOURCE == (me + size - 1) % size, "the source of the message");
    check(!replaced ||
              (statuses[1].MPI_SOURCE == MPI_UNDEFINED && statuses[1].MPI_TAG == MPI_UNDEFINED),
          "no message is behind the status of a call: source %d, tag %d", statuses[1].MPI_SOURCE,
          statuses[1].MPI_TAG);
    int count = -1, cancelled = -1;
    MPI_Get_count(&statuses[1], MPI_INT, &count);
    MPI_Test_cancelled(&statuses[1], &cancelled);
    check(cancelled == 0, "a call that was not cancelled");
}

static void test_all(MPI_Request *r)
{
    int flag = 0;
    while (!flag)
        MPI_Testall(REQUESTS, r, &flag, ignored);
}

static void wait_any(MPI_Request *r)
{
    bool seen[REQUESTS] = {false};
    for (int i = 0, index = 0; i < ACTIVE; i++) {
        MPI_Waitany(REQUESTS, r, &index, MPI_STATUS_IGNORE);
        check(index >= 0 && index < REQUESTS && !seen[index], "an index of MPI_Waitany");
        if (index >= 0)
            seen[index] = true;
    }
    int index = 0;
    MPI_Waitany(REQUESTS, r, &index, MPI_STATUS_IGNORE);
    check(index == MPI_UNDEFINED, "nothing is left for MPI_Waitany");
}

static void test_any(MPI_Request *r)
{
    for (int i = 0, index = 0, flag = 0; i < ACTIVE; i += flag)
        MPI_Testany(REQUESTS, r, &index, &flag, MPI_STATUS_IGNORE);
    int index = 0, flag = 0;
    MPI_Testany(REQUESTS, r, &index, &flag, MPI_STATUS_IGNORE);
    check(flag && index == MPI_UNDEFINED, "nothing is left for MPI_Testany");
}

static void wait_some(MPI_Request *r)
{
    int left = ACTIVE, done, indices[REQUESTS];
    while (left > 0) {
        MPI_Waitsome(REQUESTS, r, &done, indices, ignored);
        if (!check(done > 0, "MPI_Waitsome ends %d", done))
            return;
        left -= done;
    }
    MPI_Waitsome(REQUESTS, r, &done, indices, ignored);
    check(done == MPI_UNDEFINED, "nothing is left for MPI_Waitsome");
}

static void test_some(MPI_Request *r)
{
    int left = ACTIVE, done, indices[REQUESTS];
    while (left > 0) {
        MPI_Testsome(REQUESTS, r, &done, indices, ignored);
        if (!check(done >= 0, "MPI_Testsome ends %d", done))
            return;
        left -= done;
    }
}

static void get_status(MPI_Request *r)
{
    for (int i = 0; i < REQUESTS; i++) {
        int flag = 0;
        while (!flag)
            MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        if (r[i] != MPI_REQUEST_NULL)
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    }
}

static void test_each(MPI_Request *r)
{
    for (int i = 0; i < REQUESTS; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
}

static void ended_by_all(void)
{
    static const struct {
        const char *name;
        void (*end)(MPI_Request *r);
    } ends[] = {{"Waitall", wait_all},      {"Testall", test_all},   {"Waitany", wait_any},
                {"Testany", test_any},      {"Waitsome", wait_some}, {"Testsome", test_some},
                {"get_status", get_status}, {"Test", test_each}};
    several s;
    s.r[6] = MPI_REQUEST_NULL;
    INIT(Allreduce)(MPI_IN_PLACE, &s.xor, 1, MPI_INT, MPI_BXOR, comm, MPI_INFO_NULL, &s.r[6]);
    for (int round = 0; round < 20; round++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            begin_several(&s, round);
            if (me == round % size)
                rest_ms(round % 3);
            ends[k].end(s.r);
            check_several(&s, round, ends[k].name);
        }
    if (PERSISTENT)
        MPI_Request_free(&s.r[6]);
    check(s.r[6] == MPI_REQUEST_NULL, "a persistent request is freed");
}

/* ------------------------------------------------------- others do not wait for us */

/* Everybody else ends the call before the message goes that the last process waits for. */
static void behind_a_wait(void)
{
    MPI_Request r, none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    int word = 0, last = size - 1;
    static const int lengths[] = {0, 1, 3000, 60000};
    for (int k = 0; k < 4 && size > 1; k++)
        for (int how = 0; how < 4; how++) {
            n = lengths[k];
            fill(how);
            if (how % 3 == 0)
                rest_ms(150); /* what moves calls has gone to sleep meanwhile */
            if (how == 3)
                MPI_Ibarrier(comm, &r);
            else
                MPI_Iallreduce(out, in, n, MPI_INT, MPI_SUM, comm, &r);
            if (me == last && how == 1)
                MPI_Probe(0, 9, comm, &status);
            if (me == last && how == 2) {
                MPI_Irecv(&word, 1, MPI_INT, 0, 9, comm, &none[0]);
                MPI_Waitall(2, none, ignored);
            } else if (me == last) {
                MPI_Recv(&word, 1, MPI_INT, 0, 9, comm, &status);
            }
            MPI_Wait(&r, &status);
            if (me == 0)
                MPI_Send(&word, 1, MPI_INT, last, 9, comm);
            check(1, "a call goes on while its process is in another");
        }
}

/* ------------------------------------------------ what the program frees in between */

static void freed(void)
{
    MPI_Request r[2];
    MPI_Op op;
    MPI_Datatype pairs;
    MPI_Comm copy, was = comm;
    MPI_Comm_dup(comm, &copy);
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Op_create(compose_lines, 0, &op);
    n = 600;
    comm = copy;
    for (int round = 0; round < 2; round++) {
        fill(round);
        MPI_Allreduce(out, wanted, n / 2, MPI_2INT, compose_op, was);
        MPI_Iallreduce(out, in, n / 2, pairs, op, comm, &r[0]);
        if (round) {
            MPI_Ibarrier(comm, &r[1]);
            MPI_Type_free(&pairs);
            MPI_Op_free(&op);
            check(op == MPI_OP_NULL, "an operation is freed");
            MPI_Comm_free(&comm);
            check(comm == MPI_COMM_NULL, "a communicator is freed");
            MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        }
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        check(memcmp(in, wanted, (size_t)n * sizeof(int)) == 0, "what is freed is used to the end");
    }
    comm = was;
}

/* Copies of the program's type, and those that are there no more. */
static int copies, deletes;

static int copied(MPI_Datatype type, int key, void *extra, void *value, void *to, int *flag)
{
    (void)type, (void)key, (void)extra;
    memcpy(to, &value, sizeof value);
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int deleted(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

/* Of what a call has kept to its end nothing is left: a type's attributes tell. */
static void given_back(void)
{
    MPI_Request r;
    int key;
    MPI_Type_create_keyval(copied, deleted, &key, NULL);
    MPI_Type_set_attr(spread, key, &key);
    n = 4;
    MPI_Ibcast(in, n, spread, 0, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(copies == deletes, "begun: %d copies of a type, %d are freed", copies, deletes);
    if (PERSISTENT) {
        INIT(Allgather)(out, n, MPI_INT, in, n, spread, comm, MPI_INFO_NULL, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Request_free(&r);
    }
    check(copies == deletes, "prepared: %d copies of a type, %d are freed", copies, deletes);
    MPI_Type_delete_attr(spread, key);
    MPI_Type_free_keyval(&key);
}

/* ------------------------------------------------------------------- MPI_BOTTOM */

/* One member says where its pieces are by addresses, the others by distances from a buffer. */
static void bottom(void)
{
#if MPI_VERSION >= 4
    MPI_Count many[MOST_MEMBERS];
    MPI_Aint from[MOST_MEMBERS], to[MOST_MEMBERS];
    MPI_Request r;
    n = 5;
    for (int how = 0; how < 2; how++) {
        fill(how);
        for (int i = 0; i < size; i++) {
            many[i] = n;
            from[i] = to[i] = i * n * (MPI_Aint)sizeof(int);
            types[i] = MPI_INT;
            for (int k = 0; k < n; k++)
                out[i * n + k] = 1000 * me + 10 * i + k;
            if (me == how % size)
                MPI_Get_address(out + i * n, &from[i]);
            if (me == how % size)
                MPI_Get_address(in + i * n, &to[i]);
        }
        void *a = me == how % size ? MPI_BOTTOM : out, *b = me == how % size ? MPI_BOTTOM : in;
        if (how) {
            MPI_Ialltoallw_c(a, many, from, types, b, many, to, types, comm, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else {
            MPI_Alltoallw_c(a, many, from, types, b, many, to, types, comm);
        }
        for (int i = 0; i < size * n; i++)
            check(in[i] == 1000 * (i / n) + 10 * me + i % n, "from and to MPI_BOTTOM, element %d",
                  i);
    }
#endif
}

/* ------------------------------------------------------------------------ errors */

/* A broadcast of more than there is room for. The communicator is not used any more. */
static void too_long(void)
{
    MPI_Request r;
    MPI_Comm copy;
    int pair[2] = {1, 2};
    MPI_Comm_dup(comm, &copy);
    MPI_Ibcast(pair, me ? 1 : 2, MPI_INT, 0, copy, &r);
    int code = MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(me == 0 || code == MPI_ERR_TRUNCATE, "a broadcast that does not fit gives %d", code);
    MPI_Comm_free(&copy);
}

/* MPI forbids both; the MPI libraries themselves do not all find out. */
static void forbidden(void)
{
    MPI_Request r;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler was;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &was);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    if (me == 0) { /* nobody else has begun it, so it is under way */
        MPI_Ibarrier(comm, &r);
        check(size == 1 || MPI_Request_free(&r) == MPI_ERR_REQUEST, "freed while under way");
        check(MPI_Cancel(&r) == MPI_ERR_REQUEST, "cancelled");
        for (int i = 1; i < size; i++)
            MPI_Send(NULL, 0, MPI_INT, i, 3, comm);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
        MPI_Ibarrier(comm, &r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    int four = 4, many[MOST_MEMBERS * 2];
    /* The own piece is longer than its place: rank 0 alone is told. */
    MPI_Igather(&four, me ? 1 : 0, MPI_INT, many, 1, MPI_INT, 0, comm, &r);
    check(MPI_Wait(&r, MPI_STATUS_IGNORE) == (me ? MPI_SUCCESS : MPI_ERR_TRUNCATE),
          "an own piece that does not fit");
    check(MPI_Ibcast(many, -1, MPI_INT, 0, comm, &r) != MPI_SUCCESS, "a negative count");
    too_long();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, was);
    MPI_Errhandler_free(&was);
}

int main(int count, char **words)
{
    replaced = count > 1 && strcmp(words[1], "replaced") == 0;
    MPI_Init(&count, &words);
    begin();
    me = world.me;
    size = world.count;
    size_t room = (size_t)(GAP * (MOST + 2) * size + 8);
    int **memory[] = {&out, &in, &as_it_was, &wanted};
    for (int k = 0; k < 4; k++)
        *memory[k] = calloc(room, sizeof(int));
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Op_create(compose_lines, 0, &compose_op);
    MPI_Op_create(add, 1, &add_op);
    /* The first call on each is one that does not wait. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, me, &comm);
    behind_a_wait();
    ended_by_all();
    all_calls();
    freed();
    given_back();
    if (replaced) { /* MPICH 4.0 refuses MPI_BOTTOM there */
        bottom();
        forbidden();
    }
    MPI_Comm_free(&comm);
    comm = MPI_COMM_WORLD;
    ended_by_all();
    if (me % 2 == 0)
        MPI_Barrier(MPI_COMM_SELF);
    comm = MPI_COMM_SELF;
    me = 0;
    size = 1;
    ended_by_all();
    MPI_Type_free(&spread);
    MPI_Op_free(&compose_op);
    MPI_Op_free(&add_op);
    for (int k = 0; k < 4; k++)
        free(*memory[k]);
    return finish();
}
