/*
 * Many small matrices, one by one and together, by turns: on the core, and (-DPLAIN_MPI) by MPI's
 * calls that wait and by those that do not, all of them ended by MPI_Waitall. Prints
 * "work: one by one US, together US, ratio": medians of the slowest process's time for all
 * matrices.
 *
 *   bench_together [matrices [bytes [rounds]]]
 */
#include <stdio.h>
#include <string.h>

#include "face.h"
#include "median.h"

enum { MOST_ROUNDS = 999 };
static int matrices = 100, doubles = 8;
static double *out, *in; /* matrices for each process */

static double *at(double *x, int process, int k)
{
    return x + ((size_t)process * (size_t)matrices + (size_t)k) * (size_t)doubles;
}

/* ------------------------------------------------------------- the two faces */

#ifdef PLAIN_MPI
static MPI_Request *request;
static MPI_Status *status;
static int requests, at_once;

static void begin(int together)
{
    size_t most = 2 * (size_t)matrices * (size_t)processes;
    request = request ? request : malloc(most * sizeof *request);
    status = status ? status : malloc(most * sizeof *status);
    if (request == NULL || status == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    at_once = !together;
    requests = 0;
}

static void end(int together)
{
    if (together)
        MPI_Waitall(requests, request, status);
}

/* Of MPI's calls even a send may wait, so where each is ended before the next one the send is not.
 */
static void send(double *x, int to)
{
    MPI_Isend(x, doubles, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request[requests++]);
}

static void receive(double *x, int from)
{
    if (!at_once) {
        MPI_Irecv(x, doubles, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request[requests++]);
        return;
    }
    MPI_Recv(x, doubles, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(requests, request, status);
    requests = 0;
}

static void broadcast(double *x, int root)
{
    if (at_once)
        MPI_Bcast(x, doubles, MPI_DOUBLE, root, MPI_COMM_WORLD);
    else
        MPI_Ibcast(x, doubles, MPI_DOUBLE, root, MPI_COMM_WORLD, &request[requests++]);
}

static void sum(double *x)
{
    if (at_once)
        MPI_Allreduce(MPI_IN_PLACE, x, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Iallreduce(MPI_IN_PLACE, x, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &request[requests++]);
}
#else
static void begin(int together)
{
    if (together)
        must(ob_together_begin());
}

static void end(int together)
{
    if (together)
        must(ob_together_end());
}

static ob_view view(double *x)
{
    return ob_view_vector(x, (size_t)doubles, OB_DOUBLE);
}

static void send(double *x, int to)
{
    ob_view v = view(x);
    must(ob_send(all, to, 0, &v));
}

static void receive(double *x, int from)
{
    ob_view v = view(x);
    must(ob_recv(all, from, 0, &v, NULL));
}

static void broadcast(double *x, int root)
{
    ob_view v = view(x);
    must(ob_broadcast(all, root, &v, NULL));
}

static void sum(double *x)
{
    ob_view v = view(x);
    must(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
}
#endif

/* ------------------------------------------------------------------- the works */

/* A matrix to the next process, and one from that before, again and again. */
static void shift(void)
{
    for (int k = 0; k < matrices; k++) {
        send(at(out, 0, k), (me + 1) % processes);
        receive(at(in, 0, k), (me + processes - 1) % processes);
    }
}

/* All are sent before any is received. */
static void stream(void)
{
    for (int k = 0; k < matrices; k++)
        send(at(out, 0, k), (me + 1) % processes);
    for (int k = 0; k < matrices; k++)
        receive(at(in, 0, k), (me + processes - 1) % processes);
}

/* Each matrix to and from each of the others. */
static void each(void)
{
    for (int k = 0; k < matrices; k++)
        for (int d = 1; d < processes; d++) {
            send(at(out, d, k), (me + d) % processes);
            receive(at(in, d, k), (me + processes - d) % processes);
        }
}

static void broadcasts(void)
{
    for (int k = 0; k < matrices; k++)
        broadcast(at(in, 0, k), 0);
}

static void broadcasts_of_all(void)
{
    for (int k = 0; k < matrices; k++)
        broadcast(at(in, 0, k), k % processes);
}

static void sums(void)
{
    for (int k = 0; k < matrices; k++)
        sum(at(in, 0, k));
}

static double time_of(void (*work)(void), int together)
{
    barrier();
    double start = now_us();
    begin(together);
    work();
    end(together);
    return slowest(now_us() - start);
}

static void measure(const char *name, void (*work)(void), int rounds)
{
    static double t[2][MOST_ROUNDS];
    for (int i = -2; i < rounds; i++) /* the first two are not counted */
        for (int together = 0; together < 2; together++) {
            memset(in, 0, (size_t)processes * (size_t)matrices * (size_t)doubles * sizeof *in);
            double us = time_of(work, together);
            if (i >= 0)
                t[together][i] = us;
        }
    double one = median(t[0], rounds), both = median(t[1], rounds);
    if (me == 0)
        printf("%-22s one by one %9.2f, together %9.2f, ratio %.2f\n", name, one, both, both / one);
}

int main(int count, char **words)
{
    open_face(&count, &words);
    matrices = count > 1 ? atoi(words[1]) : matrices;
    doubles = count > 2 ? (atoi(words[2]) + 7) / 8 : doubles;
    int rounds = count > 3 ? atoi(words[3]) : 101;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (matrices < 1 || doubles < 1)
        return 2;
    size_t n = (size_t)processes * (size_t)matrices * (size_t)doubles;
    out = calloc(n, sizeof *out);
    in = calloc(n, sizeof *in);
    if (!out || !in)
        return 1;
    measure("shift", shift, rounds);
    measure("stream", stream, rounds);
    measure("to each", each, rounds);
    measure("broadcasts", broadcasts, rounds);
    measure("broadcasts of all", broadcasts_of_all, rounds);
    measure("sums", sums, rounds);
    free(out);
    free(in);
    close_face();
    return 0;
}
