/*
 * Messages of the core in an MPI program, whichever transport carries them:
 * sizes around every limit, many unreceived, strided, from anybody, and among groups that
 * only their members know of. Says "passed" from process 0 when all is well.
 */
#include <mpi.h>
#include <string.h>

#include "check.h"

static int communicators;

/* Counts what the library spends: the program's own definition comes first. */
__attribute__((visibility("default"))) int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group,
                                                                 int tag, MPI_Comm *made)
{
    communicators++;
    return PMPI_Comm_create_group(comm, group, tag, made);
}

static void ring(ob_group *all)
{
    static const size_t sizes[] = {
        0, 1, 8, 992, 993, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 2097152, 3145729, 40 << 20};
    unsigned char *out = malloc(40 << 20), *in = malloc(40 << 20);
    int next = (me + 1) % count, before = (me + count - 1) % count;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill(out, sizes[i], (unsigned)me + 1);
        memset(in, 0, sizes[i]);
        send_bytes(all, next, out, sizes[i]);
        memset(out, 0xee, sizes[i]); /* a send has its own copy */
        recv_bytes(all, before, in, sizes[i]);
        CHECK(holds(in, sizes[i], (unsigned)before + 1));
    }
    free(out);
    free(in);
}

static void outstanding(ob_group *all)
{
    enum { SENDS = 10000 };
    static double in[700], out[700];
    int next = (me + 1) % count, before = (me + count - 1) % count;
    for (int i = 0; i < SENDS; i++) {
        out[0] = me + i;
        send_bytes(all, next, out, i % 10 ? 8 : sizeof out);
    }
    for (int i = 0; i < SENDS; i++) {
        recv_bytes(all, before, in, i % 10 ? 8 : sizeof in);
        CHECK(in[0] == before + i);
    }
}

/* A tall matrix's upper rows, sent as columns and received as one run. */
static void strided(ob_group *all)
{
    enum { M = 300, N = 1000, LD = 512 };
    double *out = malloc(LD * N * sizeof *out), *in = malloc(M * N * sizeof *in);
    int next = (me + 1) % count, before = (me + count - 1) % count;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++)
            out[i + j * LD] = i < M ? me + i + 1000.0 * j : -1;
    ob_view from = {.base = out, .m = M, .n = N, .ld = LD, .type = OB_DOUBLE};
    ob_view to = {.base = in, .m = M, .n = N, .ld = M, .type = OB_DOUBLE};
    CHECK(ob_send(all, next, 0, &from) == OB_OK);
    CHECK(ob_recv(all, before, 0, &to, NULL) == OB_OK);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            CHECK(in[i + j * M] == before + i + 1000.0 * j);
    free(out);
    free(in);
}

static void anybody(ob_group *all)
{
    int got = 0, seen = 0;
    if (me != 0) {
        send_bytes(all, 0, &me, sizeof me);
        return;
    }
    for (int i = 1; i < count; i++) {
        ob_view v = ob_view_vector(&got, sizeof got, OB_BYTE);
        ob_received r;
        CHECK(ob_recv(all, OB_ANY, 0, &v, &r) == OB_OK);
        CHECK(r.source == got);
        seen += got;
    }
    CHECK(seen == count * (count - 1) / 2);
}

/* A message of the wrong size is refused, the one behind it is received. */
static void wrong_size(ob_group *all)
{
    static double data[9000];
    if (count < 2 || me > 1)
        return;
    if (me == 0) {
        data[0] = 42;
        send_bytes(all, 1, data, sizeof data);
        send_bytes(all, 1, data, 8);
    } else {
        ob_view v = ob_view_vector(data, sizeof data - 8, OB_BYTE);
        CHECK(ob_recv(all, 0, 0, &v, NULL) == OB_ESIZE);
        recv_bytes(all, 0, data, 8);
        CHECK(data[0] == 42);
    }
}

/* Pairs that meet in several sets, before and after all met; the others do nothing. */
static void few_meet(void)
{
    ob_group *g;
    int got;
    for (int a = 0; a + 1 < count; a++)
        for (int last = a + 1; last < count; last++) {
            if (me < a || me > last)
                continue;
            g = group_of(a, last + 1, 1);
            if (me == a)
                send_bytes(g, last - a, &last, sizeof last);
            if (me == last) {
                recv_bytes(g, 0, &got, sizeof got);
                CHECK(got == last);
            }
            ob_group_free(g);
        }
}

static void many_groups(void)
{
    int before = communicators;
    for (int i = 0; i < 2000; i++) {
        ob_group *all = group_of(0, count, 1), *some = group_of(me % 2, count, 2);
        int n = ob_group_size(some), at = ob_group_me(some), got;
        send_bytes(some, (at + 1) % n, &i, sizeof i);
        recv_bytes(some, (at + n - 1) % n, &got, sizeof got);
        CHECK(got == i);
        ob_group_free(some);
        ob_group_free(all);
    }
    CHECK(communicators == before);
    CHECK(count == 1 ? before == 0 : before > 0 && before <= count * count);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    join();
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(rank == me && size == count && ob_job_kind(job) == OB_MPI);
    few_meet();
    many_groups();
    few_meet();
    ob_group *all = group_of(0, count, 1);
    ring(all);
    outstanding(all);
    strided(all);
    anybody(all);
    wrong_size(all);
    ob_group_free(all);
    ob_job_trim(job);
    CHECK(ob_job_stop(job, 1) == OB_OK);
    int over;
    MPI_Finalized(&over);
    CHECK(!over); /* the program started MPI, the program ends it */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
