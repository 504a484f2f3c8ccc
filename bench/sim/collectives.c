/*
 * Times collective operations on a simulated machine: the library's, by the plan
 * it chooses or OPENBLACS_PLAN says, or the MPI library's that SMPI imitates.
 * Prints a line for each operation and length, which bench/sim/compare collects:
 *     operation,bytes,microseconds,scheme
 *
 *     smpirun ... collectives library|mpi ROWSxCOLUMNS[:mesh|:torus] OPERATION,... BYTES,...
 *
 * Processes are the positions of a mesh, row by row; ":mesh" says that neighbours are
 * joined by links that messages passing through share, ":torus" that the ends are, too. Bytes are of the whole vector,
 * so that a collect of n bytes leaves n bytes everywhere.
 */
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/plan.h"

typedef struct bench {
    int rows, columns, shared, me, size;
    ob_group *all;
    size_t elements; /* of the whole vector */
    double *vector, *other;
    size_t *counts;             /* of each member's piece */
    int *mpi_counts, *mpi_starts;
    int even; /* all pieces are equal */
} bench;

typedef struct operation {
    const char *name;
    int task; /* ob_plan_task, -1: none */
    void (*library)(bench *b);
    void (*mpi)(bench *b);
} operation;

static void must(int status)
{
    if (status != OB_OK) {
        fprintf(stderr, "collectives: %s\n", ob_error_text());
        exit(1);
    }
}

static ob_view view_of(double *base, size_t n)
{
    return (ob_view){.base = base, .m = n, .n = 1, .ld = n ? n : 1, .type = OB_DOUBLE};
}

static ob_pieces pieces_of(bench *b)
{
    return (ob_pieces){.base = b->vector, .type = OB_DOUBLE, .counts = b->counts};
}

/* ------------------------------------------------------------- the library's */

static void our_broadcast(bench *b)
{
    ob_view v = view_of(b->vector, b->elements);
    must(ob_broadcast(b->all, 0, &v, NULL));
}

static void our_combine(bench *b)
{
    ob_view v = view_of(b->vector, b->elements);
    must(ob_combine(b->all, 0, OB_SUM, &v, NULL, 0, NULL));
}

static void our_combine_all(bench *b)
{
    ob_view v = view_of(b->vector, b->elements);
    must(ob_combine(b->all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
}

static void our_scatter(bench *b)
{
    ob_pieces p = pieces_of(b);
    ob_view mine = view_of(b->other, b->counts[b->me]);
    must(ob_scatter(b->all, 0, &p, b->me ? &mine : NULL, NULL));
}

static void our_gather(bench *b)
{
    ob_pieces p = pieces_of(b);
    ob_view mine = view_of(b->other, b->counts[b->me]);
    must(ob_gather(b->all, 0, &p, b->me ? &mine : NULL, NULL));
}

static void our_collect(bench *b)
{
    ob_pieces p = pieces_of(b);
    must(ob_collect(b->all, &p, NULL));
}

static void our_distribute(bench *b)
{
    ob_pieces p = pieces_of(b);
    must(ob_distributed_combine(b->all, OB_SUM, &p, NULL));
}

static void our_barrier(bench *b)
{
    must(ob_barrier(b->all));
}

/* ------------------------------------------------------------------- MPI's */

static void mpi_broadcast(bench *b)
{
    MPI_Bcast(b->vector, (int)b->elements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void mpi_combine(bench *b)
{
    MPI_Reduce(b->vector, b->other, (int)b->elements, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void mpi_combine_all(bench *b)
{
    MPI_Allreduce(b->vector, b->other, (int)b->elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void mpi_scatter(bench *b)
{
    int mine = b->mpi_counts[b->me];
    if (b->even)
        MPI_Scatter(b->vector, mine, MPI_DOUBLE, b->other, mine, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Scatterv(b->vector, b->mpi_counts, b->mpi_starts, MPI_DOUBLE, b->other, mine,
                     MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void mpi_gather(bench *b)
{
    int mine = b->mpi_counts[b->me];
    if (b->even)
        MPI_Gather(b->other, mine, MPI_DOUBLE, b->vector, mine, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Gatherv(b->other, mine, MPI_DOUBLE, b->vector, b->mpi_counts, b->mpi_starts,
                    MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void mpi_collect(bench *b)
{
    int mine = b->mpi_counts[b->me];
    if (b->even)
        MPI_Allgather(b->other, mine, MPI_DOUBLE, b->vector, mine, MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Allgatherv(b->other, mine, MPI_DOUBLE, b->vector, b->mpi_counts, b->mpi_starts,
                       MPI_DOUBLE, MPI_COMM_WORLD);
}

static void mpi_distribute(bench *b)
{
    MPI_Reduce_scatter(b->vector, b->other, b->mpi_counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void mpi_barrier(bench *b)
{
    (void)b;
    MPI_Barrier(MPI_COMM_WORLD);
}

static const operation operations[] = {
    {"broadcast", OB_PLAN_BROADCAST, our_broadcast, mpi_broadcast},
    {"combine", OB_PLAN_COMBINE, our_combine, mpi_combine},
    {"combine-all", OB_PLAN_COMBINE_ALL, our_combine_all, mpi_combine_all},
    {"scatter", OB_PLAN_SCATTER, our_scatter, mpi_scatter},
    {"gather", OB_PLAN_GATHER, our_gather, mpi_gather},
    {"collect", OB_PLAN_COLLECT, our_collect, mpi_collect},
    {"distribute", OB_PLAN_DISTRIBUTE, our_distribute, mpi_distribute},
    {"barrier", -1, our_barrier, mpi_barrier},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ------------------------------------------------------------ measuring one */

static void cut(bench *b, size_t bytes)
{
    size_t n = bytes / sizeof(double), p = (size_t)b->size, start = 0;
    b->elements = n;
    b->even = n % p == 0;
    for (size_t i = 0; i < p; i++) {
        b->counts[i] = n / p + (i < n % p);
        b->mpi_counts[i] = (int)b->counts[i];
        b->mpi_starts[i] = (int)start;
        start += b->counts[i];
    }
}

static void explain(const bench *b, const operation *o, char *words, size_t room)
{
    ob_plan_question q = {.task = (ob_plan_task)o->task, .rows = b->rows, .columns = b->columns,
                          .links_shared = b->shared, .bytes = b->elements * sizeof(double)};
    const char *set = getenv("OPENBLACS_PLAN");
    if (o->task < 0)
        snprintf(words, room, "dissemination");
    else if (set && *set)
        snprintf(words, room, "asked for: %s", set); /* ignored where it does not fit */
    else
        must(ob_plan_explain(ob_profile_current(), &q, NULL, NULL, words, room, NULL));
}

static void measure(bench *b, const operation *o, size_t bytes, int library)
{
    char words[OB_PLAN_WORDS] = "";
    cut(b, bytes);
    b->vector = calloc(b->elements + 1, sizeof(double));
    b->other = calloc(b->elements + 1, sizeof(double));
    if (!library)
        o->mpi(b); /* once without the clock: see clock_latest */
    double start = clock_start();
    (library ? o->library : o->mpi)(b);
    double took = clock_stop(start);
    if (b->me == 0) {
        if (library)
            explain(b, o, words, sizeof words);
        printf("%s,%zu,%.1f,%s\n", o->name, o->task < 0 ? (size_t)0 : bytes, took, words);
        fflush(stdout);
    }
    free(b->vector);
    free(b->other);
}

static void measure_all(bench *b, const operation *o, const char *bytes, int library)
{
    char *list = strdup(bytes), *rest = NULL;
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        measure(b, o, (size_t)strtoull(word, NULL, 10), library);
        if (o->task < 0)
            break; /* a barrier has no length */
    }
    free(list);
}

/* ------------------------------------------------------------------ starting */

static int named(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(list, "all") == 0)
        return 1;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return 1;
    return 0;
}

static void begin(bench *b, const char *shape, int library)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &b->me);
    MPI_Comm_size(MPI_COMM_WORLD, &b->size);
    if (sscanf(shape, "%dx%d", &b->rows, &b->columns) != 2 || b->rows * b->columns != b->size) {
        if (b->me == 0)
            fprintf(stderr, "collectives: %s is no shape of %d processes\n", shape, b->size);
        exit(2);
    }
    b->shared = strstr(shape, ":torus") ? 2 : strstr(shape, ":mesh") != NULL;
    b->counts = malloc((size_t)b->size * sizeof *b->counts);
    b->mpi_counts = malloc((size_t)b->size * sizeof *b->mpi_counts);
    b->mpi_starts = malloc((size_t)b->size * sizeof *b->mpi_starts);
    if (!library)
        return;
    ob_job *job;
    int *numbers = malloc((size_t)b->size * sizeof *numbers);
    for (int i = 0; i < b->size; i++)
        numbers[i] = i;
    must(ob_job_start(&job));
    must(ob_group_create(job, numbers, b->size, &b->all));
    must(ob_group_shape(b->all, b->rows, b->columns, b->shared));
    free(numbers);
}

int main(int argc, char **argv)
{
    bench b = {0};
    MPI_Init(&argc, &argv);
    if (argc != 5) {
        fprintf(stderr, "usage: collectives library|mpi ROWSxCOLUMNS[:mesh|:torus] OPERATION,...|all "
                        "BYTES,...\n");
        exit(2);
    }
    int library = strcmp(argv[1], "library") == 0;
    begin(&b, argv[2], library);
    for (int k = 0; k < OPERATIONS; k++)
        if (named(argv[3], operations[k].name))
            measure_all(&b, &operations[k], argv[4], library);
    ob_group_free(b.all);
    free(b.counts);
    free(b.mpi_counts);
    free(b.mpi_starts);
    MPI_Finalize();
    return 0;
}
