/*
 * What the MLACS are for, on the MLACS and (-DPLAIN_MPI) as the paper does it with MPI
 * calls: sub-matrices and trapezoids sent without waiting, a transfer beside computing,
 * extremes with their places, many operations outstanding. Prints "work key microseconds".
 */
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

#ifdef PLAIN_MPI
#include <mpi.h>
typedef MPI_Request request;
#else
#include <openblacs/mlacs.h>
typedef MLACS_Request request;
static MLACS_Comm all, row, column;
#endif

enum { SIDE = 512, LD = 1024, ROUNDS = 9, BIG = 1024 * 1024, MANY = 10000 };
enum kind { WHOLE, PART, TRAPEZOID };
static int me, processes;

/* ------------------------------------------------------------- the two faces */

#ifdef PLAIN_MPI
static MPI_Datatype kept[3];
static int keep; /* types are built once, not for each message as in the paper */

static MPI_Datatype new_type(enum kind kind)
{
    static int length[SIDE], offset[SIDE];
    MPI_Datatype made;
    if (kind == WHOLE)
        MPI_Type_contiguous(SIDE * SIDE, MPI_DOUBLE, &made);
    if (kind == PART)
        MPI_Type_vector(SIDE, SIDE, LD, MPI_DOUBLE, &made);
    for (int j = 0; kind == TRAPEZOID && j < SIDE; j++) {
        length[j] = SIDE - j;
        offset[j] = j * LD + j;
    }
    if (kind == TRAPEZOID)
        MPI_Type_indexed(SIDE, length, offset, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
}

static void begin(int *count, char ***words)
{
    MPI_Init(count, words);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int k = WHOLE; k <= TRAPEZOID; k++)
        kept[k] = new_type((enum kind)k);
}

static void end(void)
{
    MPI_Finalize();
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void isend(enum kind kind, const double *a, int dest, request *r)
{
    MPI_Datatype type = keep ? kept[kind] : new_type(kind);
    MPI_Isend(a, 1, type, dest, 0, MPI_COMM_WORLD, r);
    if (!keep)
        MPI_Type_free(&type);
}

static void irecv(enum kind kind, double *a, int source, request *r)
{
    MPI_Datatype type = keep ? kept[kind] : new_type(kind);
    MPI_Irecv(a, 1, type, source, 0, MPI_COMM_WORLD, r);
    if (!keep)
        MPI_Type_free(&type);
}

static void isend_run(const double *a, int n, int dest, int tag, request *r)
{
    MPI_Isend(a, n, MPI_DOUBLE, dest, tag, MPI_COMM_WORLD, r);
}

static void irecv_run(double *a, int n, int source, int tag, request *r)
{
    MPI_Irecv(a, n, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, r);
}

static void wait_all(int n, request *r)
{
    static MPI_Status status[MANY];
    MPI_Waitall(n, r, status);
}

/* The paper's figure 12: pairs of value and rank, a column at a time. */
static void maxloc(const double *a, double *b, int *ranks)
{
    static struct pair {
        double value;
        int rank;
    } in[SIDE], out[SIDE];
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++)
            in[i] = (struct pair){a[i + j * LD], me};
        MPI_Reduce(in, out, SIDE, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
        for (int i = 0; me == 0 && i < SIDE; i++) {
            b[i + j * LD] = out[i].value;
            ranks[i + j * SIDE] = out[i].rank;
        }
    }
}
#else
static void must(int code)
{
    if (code == MLACS_SUCCESS)
        return;
    fprintf(stderr, "%s\n", mlacs_error_text());
    mlacs_abort(all, 1);
    exit(1); /* where not even a job was joined */
}

static void begin(int *count, char ***words)
{
    (void)count, (void)words;
    must(mlacs_procinfo(&me, &processes));
    must(mlacs_gridinit(MLACS_COMM_WORLD, 1, processes, &all, &row, &column));
}

static void end(void)
{
    mlacs_gridexit(&all, &row, &column);
    mlacs_exit();
}

static void barrier(void)
{
    must(mlacs_barrier(all));
}

static void isend(enum kind kind, const double *a, int dest, request *r)
{
    if (kind == TRAPEZOID)
        must(mlacs_isend_trap(a, LD, SIDE, SIDE, 'L', 'N', MLACS_DOUBLE, 0, dest, 0, all, r));
    else
        must(mlacs_isend(a, kind == WHOLE ? SIDE : LD, SIDE, SIDE, MLACS_DOUBLE, 0, dest, 0, all,
                         r));
}

static void irecv(enum kind kind, double *a, int source, request *r)
{
    if (kind == TRAPEZOID)
        must(mlacs_irecv_trap(a, LD, SIDE, SIDE, 'L', 'N', MLACS_DOUBLE, 0, source, 0, all, r));
    else
        must(mlacs_irecv(a, kind == WHOLE ? SIDE : LD, SIDE, SIDE, MLACS_DOUBLE, 0, source, 0, all,
                         r));
}

static void isend_run(const double *a, int n, int dest, int tag, request *r)
{
    must(mlacs_isend(a, n, n, 1, MLACS_DOUBLE, 0, dest, tag, all, r));
}

static void irecv_run(double *a, int n, int source, int tag, request *r)
{
    must(mlacs_irecv(a, n, n, 1, MLACS_DOUBLE, 0, source, tag, all, r));
}

static void wait_all(int n, request *r)
{
    must(mlacs_waitall(n, r, MLACS_STATUS_IGNORE));
}

static void maxloc(const double *a, double *b, int *ranks)
{
    must(mlacs_reduce_maxloc(a, b, LD, SIDE, SIDE, ranks, SIDE, MLACS_DOUBLE, 0, 0, all));
}
#endif

static void say(const char *work, const char *key, double us)
{
    if (me == 0)
        printf("%s/%d %s %.3f\n", work, processes, key, us);
}

/* ------------------------------------------------------------------- one way */

/* Half of there and back between processes 0 and 1. */
static double echo(enum kind kind, double *a, int times)
{
    request r;
    barrier();
    double start = now_us();
    for (int i = 0; i < times && me < 2; i++) {
        if (me == 0)
            isend(kind, a, 1, &r);
        else
            irecv(kind, a, 0, &r);
        wait_all(1, &r);
        if (me == 1)
            isend(kind, a, 0, &r);
        else
            irecv(kind, a, 1, &r);
        wait_all(1, &r);
    }
    return (now_us() - start) / (2 * times);
}

static void one_way(const char *work, const char *key, enum kind kind, double *a)
{
    double round[ROUNDS];
    echo(kind, a, 3);
    for (int i = 0; i < ROUNDS; i++)
        round[i] = echo(kind, a, 20);
    say(work, key, median(round, ROUNDS));
}

/* -------------------------------------------------------------------- overlap */

static double numbers[512];

static void compute(long turns)
{
    for (long t = 0; t < turns; t++)
        for (int i = 0; i < 512; i++)
            numbers[i] = numbers[i] * 0.999 + 0.5;
}

/* Who sends 8 MiB to whom, and who computes meanwhile. */
enum { TO_0 = 1, TO_1 = 2, BOTH_COMPUTE = -1 };
static const struct overlap {
    const char *name;
    int ways, computing;
} overlaps[] = {{"8M", TO_0 | TO_1, BOTH_COMPUTE},
                {"8M-one-computes", TO_0 | TO_1, 0},
                {"8M-receiver-computes", TO_0, 0},
                {"8M-sender-computes", TO_1, 0}};

/* Processes 0 and 1 move these and compute, or do one of the two. */
static double exchange(double *a, double *b, const struct overlap *o, int move, long turns)
{
    request r[2];
    int n = 0;
    barrier();
    double start = now_us();
    if (move && me < 2 && (o->ways & (me == 0 ? TO_0 : TO_1)))
        irecv_run(b, BIG, 1 - me, 1, &r[n++]);
    if (move && me < 2 && (o->ways & (me == 0 ? TO_1 : TO_0)))
        isend_run(a, BIG, 1 - me, 1, &r[n++]);
    if (o->computing == BOTH_COMPUTE || o->computing == me)
        compute(turns);
    wait_all(n, r);
    barrier();
    return now_us() - start;
}

static double exchange_time(double *a, double *b, const struct overlap *o, int move, long turns)
{
    double round[ROUNDS];
    exchange(a, b, o, move, turns);
    for (int i = 0; i < ROUNDS; i++)
        round[i] = exchange(a, b, o, move, turns);
    return median(round, ROUNDS);
}

/* All compute as long as process 0 says. */
static long agree(double turns)
{
    double word = turns;
    request r;
    for (int p = 1; me == 0 && p < processes; p++) {
        isend_run(&word, 1, p, 2, &r);
        wait_all(1, &r);
    }
    if (me > 0) {
        irecv_run(&word, 1, 0, 2, &r);
        wait_all(1, &r);
    }
    return (long)word;
}

static void overlap(double *a, double *b, const struct overlap *o)
{
    char key[64];
    double transfer = exchange_time(a, b, o, 1, 0);
    double per = exchange_time(a, b, o, 0, 1000) / 1000;
    long turns = agree(transfer / per);
    snprintf(key, sizeof key, "%s-transfer", o->name);
    say("overlap", key, transfer);
    snprintf(key, sizeof key, "%s-computing", o->name);
    say("overlap", key, exchange_time(a, b, o, 0, turns));
    snprintf(key, sizeof key, "%s-both", o->name);
    say("overlap", key, exchange_time(a, b, o, 1, turns));
}

/* ------------------------------------------------------------------- extremes */

static void extremes(double *a, double *b)
{
    int *ranks = malloc((size_t)SIDE * SIDE * sizeof *ranks);
    double round[ROUNDS];
    maxloc(a, b, ranks);
    for (int i = 0; i < ROUNDS; i++) {
        barrier();
        double start = now_us();
        maxloc(a, b, ranks);
        barrier();
        round[i] = now_us() - start;
    }
    say("maxloc", "512x512", median(round, ROUNDS));
    free(ranks);
}

/* ---------------------------------------------------------------- outstanding */

/* Process 0 posts n receives; at its word process 1 sends for them, last first. */
static double batch(int n, double *got, request *r)
{
    double word = 0;
    request q;
    double start = now_us();
    if (me == 0) {
        for (int i = 0; i < n; i++)
            irecv_run(&got[i], 1, 1, 10 + i, &r[i]);
        isend_run(&word, 1, 1, 3, &q);
        wait_all(1, &q);
    } else {
        irecv_run(&word, 1, 0, 3, &q);
        wait_all(1, &q);
        for (int i = n - 1; i >= 0; i--)
            isend_run(&got[i], 1, 0, 10 + i, &r[i]);
    }
    wait_all(n, r);
    return now_us() - start;
}

static void outstanding(const char *key, int n, double *got)
{
    request *r = malloc((size_t)n * sizeof *r);
    double round[ROUNDS];
    /* MPI libraries look through lists: a tenth of a millisecond each with 10 000. */
    int times = MANY / n, rounds = n == MANY ? 3 : ROUNDS;
    for (int i = -1; i < rounds; i++) {
        double sum = 0;
        barrier();
        for (int k = 0; k < times && me < 2; k++)
            sum += batch(n, got, r);
        if (i >= 0)
            round[i] = sum / (times * n);
    }
    say("outstanding", key, median(round, rounds));
    free(r);
}

int main(int count, char **words)
{
    begin(&count, &words);
    double *a = malloc(BIG * sizeof *a), *b = malloc(BIG * sizeof *b);
    for (int i = 0; i < BIG; i++)
        a[i] = b[i] = (double)((i * 7 + me * 13) % 1001);
    if (processes == 2) {
        one_way("isend", "512x512-of-1024", PART, a);
        one_way("isend", "512x512-trapezoid", TRAPEZOID, a);
        one_way("isend", "512x512", WHOLE, a);
#ifdef PLAIN_MPI
        keep = 1;
        one_way("isend-kept-type", "512x512-of-1024", PART, a);
        one_way("isend-kept-type", "512x512-trapezoid", TRAPEZOID, a);
#endif
        for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++)
            overlap(a, b, &overlaps[i]);
        outstanding("10", 10, b);
        outstanding("1000", 1000, b);
        outstanding("10000", MANY, b);
    }
    extremes(a, b);
    free(a);
    free(b);
    end();
    return 0;
}
