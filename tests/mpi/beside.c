/*
 * The user's own MPI beside ours: his wildcards never see our messages, his
 * long sends move while we wait, his communicators become groups, and his
 * order of MPI_Init, MPI_Finalize and our start and stop does not matter.
 * The argument names one of: wildcard progress system finalize-first ours left
 */
#include <mpi.h>
#include <string.h>

#include "check.h"

static void wildcard(ob_group *all)
{
    int in = -1, got = 0, done;
    MPI_Status status;
    MPI_Request any;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    int next = (me + 1) % count, before = (me + count - 1) % count;
    ob_group *late = group_of(0, count, 1);
    for (int i = 0; i < 100; i++) {
        send_bytes(i % 2 ? all : late, next, &i, sizeof i);
        recv_bytes(i % 2 ? all : late, before, &got, sizeof got);
        CHECK(got == i);
        MPI_Test(&any, &done, &status);
        CHECK(!done);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        CHECK(!done);
    }
    ob_barrier(all);
    ob_group_free(late);
    MPI_Send(&me, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    MPI_Wait(&any, &status);
    CHECK(in == before && status.MPI_SOURCE == before && status.MPI_TAG == 7);
}

/* Process 1 has a long MPI_Isend to process 0 under way and waits for our
 * message, which process 0 sends only once it has received the former. A short message
 * of the user's lies there all the while. */
static void progress(ob_group *all)
{
    enum { BYTES = 16 << 20 };
    unsigned char *data = malloc(BYTES);
    int go = 0, early = 0;
    if (me == 1) {
        MPI_Request r;
        MPI_Probe(0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fill(data, BYTES, 5);
        MPI_Isend(data, BYTES, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &r);
        recv_bytes(all, 0, &go, sizeof go);
        CHECK(go == 9);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Recv(&early, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(early == 8);
    } else if (me == 0 && count > 1) {
        early = 8;
        MPI_Send(&early, 1, MPI_INT, 1, 99, MPI_COMM_WORLD);
        MPI_Recv(data, BYTES, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(data, BYTES, 5));
        go = 9;
        send_bytes(all, 1, &go, sizeof go);
    }
    free(data);
}

static uintptr_t word_of(MPI_Comm comm)
{
    uintptr_t word = 0;
    memcpy(&word, &comm, sizeof comm);
    return word;
}

static void good_handles(void)
{
    MPI_Comm odd;
    int *list, n;
    CHECK(ob_system_world(job) == MPI_Comm_c2f(MPI_COMM_WORLD));
    CHECK(ob_system_group(job, 0, &list, &n) == OB_OK && n == count);
    free(list);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &odd);
    CHECK(ob_system_from_word(job, word_of(odd)) == MPI_Comm_c2f(odd));
    CHECK(ob_system_to_word(job, MPI_Comm_c2f(odd)) == word_of(odd));
    CHECK(ob_system_group(job, MPI_Comm_c2f(odd), &list, &n) == OB_OK);
    CHECK(n == (count - me % 2 + 1) / 2);
    for (int i = 0; i < n; i++) /* ranks were given in falling order */
        CHECK(list[i] % 2 == me % 2 && (i == 0 || list[i] == list[i - 1] - 2));
    free(list);
    long handle = MPI_Comm_c2f(odd);
    uintptr_t word = word_of(odd);
    MPI_Comm_free(&odd);
    CHECK(ob_system_group(job, handle, &list, &n) == OB_EARG);
    CHECK(ob_system_from_word(job, word) == -1 || sizeof odd == sizeof(int));
}

static void bad_handles(void)
{
    static const long bad[] = {-1,      12345,      999999,     2147483647,    -2147483647 - 1,
                               1 << 30, 0x44ffffff, 0x4c000000, (long)1 << 40, (int)0x84abcdef};
    int *list, n;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(ob_system_group(job, bad[i], &list, &n) == OB_EARG);
    CHECK(ob_system_group(job, MPI_Comm_c2f(MPI_COMM_NULL), &list, &n) == OB_EARG);
    CHECK(ob_system_from_word(job, 0x1234) == -1);
}

static void between(void)
{
    MPI_Comm half, inter;
    int *list, n;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 11, &inter);
    CHECK(ob_system_group(job, MPI_Comm_c2f(inter), &list, &n) == OB_EARG);
    CHECK(strstr(ob_error_text(), "intercommunicator"));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void exchange(ob_group *all, int what)
{
    int got;
    send_bytes(all, (me + 1) % count, &what, sizeof what);
    recv_bytes(all, (me + count - 1) % count, &got, sizeof got);
    CHECK(got == what);
}

/* MPI_Finalize comes first, with a long message still unreceived; what shared memory
 * carries goes on, the rest says why not. */
static void finalize_first(ob_group *all)
{
    enum { BYTES = 4 << 20 };
    const char *transport = getenv("OPENBLACS_TRANSPORT");
    int through_mpi = count > 1 && transport && strcmp(transport, "mpi") == 0;
    unsigned char *data = malloc(BYTES);
    fill(data, BYTES, (unsigned)me);
    int next = (me + 1) % count, before = (me + count - 1) % count;
    send_bytes(all, next, data, BYTES);
    if (me != 0) { /* process 0 is in MPI_Finalize while process 1 receives */
        recv_bytes(all, before, data, BYTES);
        CHECK(holds(data, BYTES, (unsigned)before));
    } else if (through_mpi) {
        recv_bytes(all, before, data, BYTES);
    }
    MPI_Finalize();
    ob_view v = ob_view_vector(data, BYTES, OB_BYTE);
    if (through_mpi) {
        CHECK(ob_send(all, next, 0, &v) == OB_ESTATE);
        CHECK(ob_recv(all, before, 0, &v, NULL) == OB_ESTATE);
    } else {
        if (me == 0)
            recv_bytes(all, before, data, BYTES);
        exchange(all, 17);
    }
    ob_group_free(all);
    CHECK(ob_job_stop(job, 1) == OB_OK);
    CHECK(ob_job_stop(job, 1) == OB_OK);
    free(data);
}

/* MPI started by the library: it ends it too, once. */
static void ours(void)
{
    int yes;
    MPI_Initialized(&yes);
    CHECK(!yes);
    join();
    MPI_Initialized(&yes);
    CHECK(yes);
    ob_group *all = group_of(0, count, 1);
    exchange(all, 3);
    CHECK(ob_job_stop(job, 0) == OB_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    join();
    exchange(all, 4);
    ob_group_free(all);
    CHECK(ob_job_stop(job, 1) == OB_OK);
    MPI_Finalized(&yes);
    CHECK(yes);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "ours") == 0) {
        ours();
    } else {
        MPI_Init(&argc, &argv);
        join();
        ob_group *all = group_of(0, count, 1);
        if (strcmp(what, "wildcard") == 0) {
            wildcard(all);
        } else if (strcmp(what, "progress") == 0) {
            progress(all);
        } else if (strcmp(what, "system") == 0) {
            good_handles();
            bad_handles();
            if (count > 1)
                between();
        } else if (strcmp(what, "finalize-first") == 0) {
            finalize_first(all);
            all = NULL;
        } else if (strcmp(what, "left") == 0) { /* a program that leaves MPI's end to us */
            exchange(all, 5);
        } else {
            CHECK(!"a known test");
        }
        ob_group_free(all);
        CHECK(ob_job_stop(job, 1) == OB_OK);
        int over;
        MPI_Finalized(&over);
        if (!over && strcmp(what, "left"))
            MPI_Finalize();
    }
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
