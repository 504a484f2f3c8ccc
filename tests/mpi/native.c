/*
 * The letter N: between processes that MPI connects a broadcast and a combine are calls of the MPI
 * library. The argument names one of: used, kept, pieces, unlike, answers (2 or more
 * processes, all messages through MPI); crowded (as used, on fewer processors than processes: calls
 * do not block, which would spin); serialized, multiple (threads with a group of the same
 * processes each call at once; serialized ones without MPI's own calls); plan (the same calls,
 * whichever transport); wins, loses (on several nodes: blanks, with a profile in which MPI's own
 * calls do).
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

enum { LONG = 100000, GROUPS = 3000, CALLS = 200 };
static const ob_route native = {.topology = OB_TOP_NATIVE}, same = {OB_TOP_NATIVE, 0, 0, 1},
                      repeated = {OB_TOP_NATIVE, 0, 1, 0};
static int communicators, broadcasts, sums_to_one, scatters, gathers, collects, distributions;
static atomic_int sums, blocking, begun_calls;

/* Seen by the module: what the library calls. */
__attribute__((visibility("default"))) int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group,
                                                                 int tag, MPI_Comm *out)
{
    communicators++;
    return PMPI_Comm_create_group(comm, group, tag, out);
}

/* A collective call of the library's, blocking or begun, and its count. */
#define SEEN(count, name, begun, parameters, arguments)                                            \
    __attribute__((visibility("default"))) int MPI_##name(OB_LIST parameters, MPI_Comm comm)       \
    {                                                                                              \
        count;                                                                                     \
        blocking++;                                                                                \
        return PMPI_##name(OB_LIST arguments, comm);                                               \
    }                                                                                              \
    __attribute__((visibility("default"))) int MPI_##begun(OB_LIST parameters, MPI_Comm comm,      \
                                                           MPI_Request *request)                   \
    {                                                                                              \
        count;                                                                                     \
        begun_calls++;                                                                             \
        return PMPI_##begun(OB_LIST arguments, comm, request);                                     \
    }
#define OB_LIST(...) __VA_ARGS__

SEEN(broadcasts++, Bcast, Ibcast, (void *data, int n, MPI_Datatype type, int root),
     (data, n, type, root))
SEEN(sums_to_one++, Reduce, Ireduce,
     (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root),
     (in, out, n, type, op, root))
SEEN(scatters++, Scatterv, Iscatterv,
     (const void *in, const int *counts, const int *starts, MPI_Datatype type, void *out, int n,
      MPI_Datatype to, int root),
     (in, counts, starts, type, out, n, to, root))
SEEN(gathers++, Gatherv, Igatherv,
     (const void *in, int n, MPI_Datatype from, void *out, const int *counts, const int *starts,
      MPI_Datatype type, int root),
     (in, n, from, out, counts, starts, type, root))
SEEN(collects++, Allgatherv, Iallgatherv,
     (const void *in, int n, MPI_Datatype from, void *out, const int *counts, const int *starts,
      MPI_Datatype type),
     (in, n, from, out, counts, starts, type))
SEEN(distributions++, Reduce_scatter, Ireduce_scatter,
     (const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op),
     (in, out, counts, type, op))
/* What is agreed on at a meeting is one number. */
SEEN(sums += n > 1, Allreduce, Iallreduce,
     (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op), (in, out, n, type, op))

static ob_view strided(double *x)
{
    return (ob_view){.base = x, .m = 100, .n = LONG / 100, .ld = 101, .type = OB_DOUBLE};
}

static void check_sum(const double *x)
{
    for (int i = 0; i < LONG; i++)
        CHECK(x[i / 100 * 101 + i % 100] == count * (count - 1) / 2 + (double)count * i);
}

static void set(double *x)
{
    for (int i = 0; i < LONG; i++)
        x[i / 100 * 101 + i % 100] = me + i;
}

static void calls(ob_group *all)
{
    static double x[LONG / 100 * 101];
    static int owner[LONG / 100 * 101];
    ob_view v = strided(x);
    set(x);
    CHECK(ob_broadcast(all, count - 1, &v, &native) == OB_OK);
    CHECK(x[5] == count - 1 + 5 && x[101] == count - 1 + 100);
    set(x);
    CHECK(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, &native) == OB_OK);
    check_sum(x);
    set(x);
    CHECK(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, &same) == OB_OK);
    check_sum(x);
    set(x);
    CHECK(ob_combine(all, count - 1, OB_SUM, &v, NULL, 0, &native) == OB_OK);
    if (me == count - 1)
        check_sum(x);
    set(x);
    CHECK(ob_combine(all, OB_ANY, OB_MAX_ABS, &v, owner, 101, &native) == OB_OK);
    CHECK(x[5] == count - 1 + 5 && owner[5] == count - 1 && owner[101 * 7] == count - 1);
}

/* A call's matrix goes by MPI's own call, and ours is short messages. */
static void used(ob_group *all, bool crowded)
{
    uint64_t messages, before = 0, after = 0, bytes;
    calls(all); /* the first makes the communicator */
    int made = communicators;
    broadcasts = 0;
    sums = 0;
    sums_to_one = 0;
    blocking = begun_calls = 0;
    for (int i = 0; i < count; i++) {
        CHECK(ob_job_traffic(job, i, &messages, &bytes) == OB_OK);
        before += i == me ? 0 : bytes;
    }
    calls(all);
    for (int i = 0; i < count; i++) {
        CHECK(ob_job_traffic(job, i, &messages, &bytes) == OB_OK);
        after += i == me ? 0 : bytes;
    }
    CHECK(after - before < 8000);
    /* A sum that is to have the same bits on all goes to one, and out again. */
    CHECK(communicators == made && broadcasts == 2 && sums == 1 && sums_to_one == 2);
    /* All block, or none does: the two forms do not match. */
    CHECK(blocking + begun_calls == 6 && (blocking == 0 || (begun_calls == 0 && !crowded)));
    static double x[LONG];
    ob_view v = ob_view_vector(x, LONG, OB_DOUBLE);
    CHECK(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, &repeated) == OB_OK);
    CHECK(ob_broadcast(all, 0, &v, NULL) == OB_OK);
    CHECK(broadcasts == 2 && sums == 1 && sums_to_one == 2);
}

/* Groups of one list have one communicator, one after the other; at the same time each its own. */
static void kept(void)
{
    double x = 1;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE);
    ob_group *first = group_of(0, count, 1), *second = NULL;
    CHECK(ob_broadcast(first, 0, &v, &native) == OB_OK);
    int made = communicators;
    for (int i = 0; i < GROUPS; i++) {
        second = group_of(0, count, 1);
        CHECK(ob_broadcast(second, 0, &v, &native) == OB_OK);
        ob_group_free(second);
    }
    CHECK(communicators == made + 1);
    ob_group_free(first);
}

static double value(int member, size_t k)
{
    return (double)(member + 1) * (double)(k % 1000) + (double)member;
}

static void add_twice(size_t n, void *acc, const void *in, const void *context)
{
    double *a = acc;
    const double *b = in;
    (void)context;
    for (size_t k = 0; k < n; k++)
        a[k] += 2 * b[k] - b[k];
}

/* Piece i has unit * (i mod 3) elements; they lie one behind the other, or `gap` apart. */
static void of_pieces(ob_group *all, size_t unit, size_t gap)
{
    static const ob_operation own = {add_twice, NULL, sizeof(double)};
    size_t counts[16], offsets[16], end = 0, room = unit * 32 + 16 * gap + 1, mine;
    double *x = malloc(room * sizeof *x), *piece = malloc((2 * unit + 1) * sizeof *piece);
    for (int i = 0; i < count; i++) {
        counts[i] = unit * (size_t)(i % 3);
        offsets[i] = end;
        end += counts[i] + gap;
    }
    mine = offsets[me];
    ob_pieces p = {.base = x, .type = OB_DOUBLE, .counts = counts, .offsets = gap ? offsets : NULL};
    ob_view v = ob_view_vector(piece, counts[me], OB_DOUBLE);
    for (int root = 0; root < count; root++) {
        for (size_t k = 0; k < end; k++)
            x[k] = value(root, k);
        CHECK(ob_scatter(all, root, &p, &v, &native) == OB_OK);
        for (size_t k = 0; k < counts[me]; k++)
            CHECK(piece[k] == value(root, mine + k));
        for (size_t k = 0; k < end; k++)
            x[k] = -1;
        CHECK(ob_gather(all, root, &p, &v, &native) == OB_OK);
        for (int i = 0; i < count && me == root; i++)
            for (size_t k = 0; k < counts[i] + gap; k++)
                CHECK(x[offsets[i] + k] == (k < counts[i] ? value(root, offsets[i] + k) : -1));
    }
    for (size_t k = 0; k < end; k++)
        x[k] = k >= mine && k < mine + counts[me] ? value(me, k) : -1;
    CHECK(ob_collect(all, &p, &native) == OB_OK);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < counts[i] + gap; k++)
            CHECK(x[offsets[i] + k] == (k < counts[i] ? value(i, offsets[i] + k) : -1));
    for (int by = 0; by < 2; by++) {
        for (size_t k = 0; k < end; k++)
            x[k] = value(me, k);
        CHECK((by ? ob_distributed_combine_by(all, &own, &p, &native)
                  : ob_distributed_combine(all, OB_SUM, &p, &native)) == OB_OK);
        for (size_t k = mine; k < mine + counts[me]; k++) {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += value(i, k);
            CHECK(x[k] == sum);
        }
    }
    free(x);
    free(piece);
}

/* The last has several shares. */
static void pieces(ob_group *all)
{
    static const size_t units[] = {1, 7, 1000, 400000};
    for (int k = 0; k < 4; k++)
        for (size_t gap = 0; gap < 4; gap += 3) {
            scatters = gathers = collects = distributions = 0;
            of_pieces(all, units[k], gap);
            CHECK(scatters >= count && gathers >= count && collects >= 1 && distributions >= 2);
            CHECK(k == 3 ||
                  (scatters == count && gathers == count && collects == 1 && distributions == 2));
        }
}

/* Of pieces: other sizes of all; or of two pieces, with the same sum. */
static void unlike_pieces(ob_group *all)
{
    static double x[64];
    size_t counts[16];
    ob_pieces p = {.base = x, .type = OB_DOUBLE, .count = me == 0 ? 3 : 2};
    ob_view v = ob_view_vector(x, p.count, OB_DOUBLE);
    CHECK(ob_collect(all, &p, &native) == OB_ESIZE);
    CHECK(ob_distributed_combine(all, OB_SUM, &p, &native) == OB_ESIZE);
    CHECK(ob_scatter(all, 0, &p, me ? &v : NULL, &native) == OB_ESIZE);
    CHECK(ob_gather(all, 0, &p, me ? &v : NULL, &native) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "OB-5002") || strstr(ob_error_text(), "bytes, member"));
    for (int i = 0; i < count; i++)
        counts[i] = 2 + (size_t)(i == (me == 1));
    p.counts = counts;
    CHECK(ob_collect(all, &p, &native) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "pieces of unlike sizes") != NULL);
    CHECK(ob_distributed_combine(all, OB_SUM, &p, &native) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "pieces of unlike sizes") != NULL);
    p.counts = NULL;
    p.count = 2;
    v = ob_view_vector(x, 2, OB_DOUBLE);
    CHECK((me ? ob_gather(all, 0, &p, &v, &native) : ob_collect(all, &p, &native)) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "different calls") != NULL);
    CHECK(ob_collect(all, &p, &native) == OB_OK);
}

/* All are told, and nobody is left in the MPI library. */
static void unlike(ob_group *all)
{
    unlike_pieces(all);
    static double x[LONG];
    ob_view v = ob_view_vector(x, me == 0 ? LONG : 1, OB_DOUBLE);
    CHECK(ob_broadcast(all, 0, &v, &native) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "of 8 to 800000 bytes") != NULL);
    CHECK(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, &native) == OB_ESIZE);
    CHECK(ob_combine(all, me == 0 ? 0 : 1, OB_SUM, &v, NULL, 0, &native) == OB_ESIZE);
    CHECK(strstr(ob_error_text(), "different calls") != NULL);
    v = ob_view_vector(x, 10, OB_DOUBLE);
    CHECK(ob_broadcast(all, 0, &v, &native) == OB_OK);
}

/* Who waits in a call answers others' synchronous sends, without which these would never come. */
static void answers(ob_group *all)
{
    double x = me, in = -1;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE), w = ob_view_vector(&in, 1, OB_DOUBLE);
    ob_request *r = NULL;
    CHECK(ob_broadcast(all, 0, &v, &native) == OB_OK);
    x = me;
    if (me == 1)
        CHECK(ob_irecv(all, 0, 5, &w, OB_EXACT, &r) == OB_OK);
    if (me == 0) {
        CHECK(ob_isend(all, 1, 5, &v, OB_SYNCHRONOUS, &r) == OB_OK);
        CHECK(ob_wait(&r, NULL) == OB_OK);
    }
    CHECK(ob_broadcast(all, count - 1, &v, &native) == OB_OK && x == count - 1);
    if (me == 1)
        CHECK(ob_wait(&r, NULL) == OB_OK && in == 0);
}

static int total(int mine)
{
    int sum = 0;
    PMPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Of a sum to all by a route: how many calls of MPI's there were, of a kind. */
static void sum_by(ob_group *all, const ob_route *route, int *to_all, int *to_one)
{
    static double x[LONG];
    ob_view v = ob_view_vector(x, LONG, OB_DOUBLE);
    int sums_before = total(sums), one_before = total(sums_to_one);
    for (int i = 0; i < LONG; i++)
        x[i] = me + i;
    CHECK(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, route) == OB_OK);
    for (int i = 0; i < LONG; i++)
        CHECK(x[i] == count * (count - 1) / 2 + (double)count * i);
    *to_all = total(sums) - sums_before;
    *to_one = total(sums_to_one) - one_before;
}

/* Blanks. What promises more than the MPI library does is not its calls. */
static void by_profile(ob_group *all, bool wins)
{
    static double x[LONG];
    const ob_route coherent = {OB_TOP_BEST, 0, 0, 1}, repeatable = {OB_TOP_BEST, 0, 1, 0},
                   exact = {.repeatable = OB_REPRODUCIBLE};
    ob_view v = ob_view_vector(x, LONG, OB_DOUBLE);
    int to_all, to_one;
    for (int i = 0; i < LONG; i++)
        x[i] = me + i;
    CHECK(ob_broadcast(all, count - 1, &v, NULL) == OB_OK);
    for (int i = 0; i < LONG; i++)
        CHECK(x[i] == count - 1 + i);
    CHECK((total(broadcasts) > 0) == wins);
    sum_by(all, NULL, &to_all, &to_one);
    CHECK((to_all > 0) == wins && to_one == 0);
    sum_by(all, &coherent, &to_all, &to_one);
    CHECK(to_all == 0 && (to_one > 0) == wins);
    sum_by(all, &repeatable, &to_all, &to_one);
    CHECK(to_all == 0 && to_one == 0);
    sum_by(all, &exact, &to_all, &to_one);
    CHECK(to_all == 0 && to_one == 0);
}

typedef struct caller {
    pthread_t thread;
    ob_group *group;
    int number, wrong;
} caller;

static void *call_often(void *argument)
{
    caller *c = argument;
    for (int i = 0; i < CALLS; i++) {
        double x[10] = {me + c->number + i};
        ob_view v = ob_view_vector(x, 10, OB_DOUBLE);
        c->wrong += ob_combine(c->group, OB_ANY, OB_SUM, &v, NULL, 0, &native) != OB_OK;
        c->wrong += x[0] != count * (count - 1) / 2 + (double)count * (c->number + i);
    }
    return NULL;
}

/* The first call of each group comes before the threads. */
static void at_once(int threads, bool expected)
{
    caller c[2];
    int first = sums;
    for (int k = 0; k < threads; k++) {
        double x[2] = {0};
        ob_view v = ob_view_vector(x, 2, OB_DOUBLE);
        c[k] = (caller){.group = group_of(0, count, 1), .number = k};
        CHECK(ob_combine(c[k].group, OB_ANY, OB_SUM, &v, NULL, 0, &native) == OB_OK);
    }
    CHECK(sums - first == (expected ? threads : 0));
    for (int k = 0; k < threads; k++)
        CHECK(pthread_create(&c[k].thread, NULL, call_often, &c[k]) == 0);
    for (int k = 0; k < threads; k++)
        pthread_join(c[k].thread, NULL);
    for (int k = 0; k < threads; k++) {
        CHECK(c[k].wrong == 0);
        ob_group_free(c[k].group);
    }
}

int main(int argc, char **argv)
{
    const char *test = argc > 1 ? argv[1] : "plan";
    int level = strcmp(test, "multiple") == 0     ? MPI_THREAD_MULTIPLE
                : strcmp(test, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                  : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    join();
    ob_group *all = group_of(0, count, 1);
    if (strcmp(test, "used") == 0 || strcmp(test, "crowded") == 0)
        used(all, test[0] == 'c');
    else if (strcmp(test, "kept") == 0)
        kept();
    else if (strcmp(test, "pieces") == 0)
        pieces(all);
    else if (strcmp(test, "unlike") == 0)
        unlike(all);
    else if (strcmp(test, "answers") == 0)
        answers(all);
    else if (strcmp(test, "wins") == 0 || strcmp(test, "loses") == 0)
        by_profile(all, test[0] == 'w');
    else if (level != MPI_THREAD_SINGLE)
        at_once(2, level == MPI_THREAD_MULTIPLE);
    else
        calls(all);
    ob_group_free(all);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        fputs("passed\n", stdout);
    MPI_Finalize();
    return 0;
}
