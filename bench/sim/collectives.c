/*
 * Times collective operations on a simulated machine: the library's, by the plan
 * it chooses or OPENBLACS_PLAN says, or the MPI library's that SMPI imitates.
 * Prints a line for each operation and length, which bench/sim/compare collects:
 *     operation,bytes,microseconds,scheme
 *
 *     smpirun ... collectives library|tree|mpi|mpi-contents ROWSxCOLUMNS[:mesh|:torus]
 * OPERATION,... BYTES,...
 *
 * Processes are the positions of a mesh, row by row; ":mesh" says that neighbours are
 * joined by links that messages passing through share, ":torus" that the ends are, too. Bytes are
 * of the whole vector, so that a collect of n bytes leaves n bytes everywhere.
 *
 * What is timed carries no contents: SMPI is put into the state in which it replays traces (it
 * neither copies nor combines, times are the same), OPENBLACS_SIM_PAYLOAD=0 does the same for the
 * library, and all processes have one vector. Before, calls of up to CHECK_MOST bytes are
 * carried out with contents; where a result is wrong the scheme is "wrong". mpi-contents keeps
 * them, for imitations that crash without: then every process has vectors of its own. tree is the
 * library as a program of the BLACS calls it that names their minimum spanning tree: broadcasts and
 * combines alone.
 */
#include "clock.h"

#include <smpi/smpi.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/planner.h"

enum { CHECK_MOST = 64 << 10, LENGTHS = 64 };

typedef struct bench {
    int rows, columns, shared, me, size;
    ob_group *all;
    size_t elements; /* of the whole vector */
    double *vector, *other;
    size_t *counts; /* of each member's piece */
    int *mpi_counts, *mpi_starts;
    int even; /* all pieces are equal */
} bench;

typedef struct operation {
    const char *name;
    int task; /* ob_plan_task, -1: none */
    void (*library)(bench *b);
    void (*mpi)(bench *b);
    enum {
        VECTOR,
        ROOTS_OTHER,
        OTHER,
        PIECE,
        ROOTS_VECTOR,
        NOTHING
    } result; /* of mpi, and where */
} operation;

static void must(int status)
{
    if (status != OB_OK) {
        fprintf(stderr, "collectives: %s\n", ob_error_text());
        exit(1);
    }
}

static ob_pieces pieces_of(bench *b)
{
    return (ob_pieces){.base = b->vector, .type = OB_DOUBLE, .counts = b->counts};
}

/* ------------------------------------------------------------- the library's */

static const ob_route *route; /* NULL: the planner's */
static const ob_route tree = {.topology = OB_TOP_TREE, .branches = 1};

static void our_broadcast(bench *b)
{
    ob_view v = ob_view_vector(b->vector, b->elements, OB_DOUBLE);
    must(ob_broadcast(b->all, 0, &v, route));
}

static void our_combine(bench *b)
{
    ob_view v = ob_view_vector(b->vector, b->elements, OB_DOUBLE);
    must(ob_combine(b->all, 0, OB_SUM, &v, NULL, 0, route));
}

static void our_combine_all(bench *b)
{
    ob_view v = ob_view_vector(b->vector, b->elements, OB_DOUBLE);
    must(ob_combine(b->all, OB_ANY, OB_SUM, &v, NULL, 0, route));
}

static void our_scatter(bench *b)
{
    ob_pieces p = pieces_of(b);
    ob_view mine = ob_view_vector(b->other, b->counts[b->me], OB_DOUBLE);
    must(ob_scatter(b->all, 0, &p, b->me ? &mine : NULL, NULL));
}

static void our_gather(bench *b)
{
    ob_pieces p = pieces_of(b);
    ob_view mine = ob_view_vector(b->other, b->counts[b->me], OB_DOUBLE);
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

/* Begun, and waited for at once. */
static void end(ob_request *r)
{
    must(ob_wait(&r, NULL));
}

static void our_ibroadcast(bench *b)
{
    ob_view v = ob_view_vector(b->vector, b->elements, OB_DOUBLE);
    ob_request *r;
    must(ob_ibroadcast(b->all, 0, &v, NULL, &r));
    end(r);
}

static void our_icombine_all(bench *b)
{
    ob_view v = ob_view_vector(b->vector, b->elements, OB_DOUBLE);
    ob_request *r;
    must(ob_icombine(b->all, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
    end(r);
}

static void our_icollect(bench *b)
{
    ob_pieces p = pieces_of(b);
    ob_request *r;
    must(ob_icollect(b->all, &p, NULL, &r));
    end(r);
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
        MPI_Gatherv(b->other, mine, MPI_DOUBLE, b->vector, b->mpi_counts, b->mpi_starts, MPI_DOUBLE,
                    0, MPI_COMM_WORLD);
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

static void mpi_ibroadcast(bench *b)
{
    MPI_Request r;
    MPI_Ibcast(b->vector, (int)b->elements, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void mpi_icombine_all(bench *b)
{
    MPI_Request r;
    MPI_Iallreduce(b->vector, b->other, (int)b->elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void mpi_icollect(bench *b)
{
    MPI_Request r;
    MPI_Iallgatherv(b->other, b->mpi_counts[b->me], MPI_DOUBLE, b->vector, b->mpi_counts,
                    b->mpi_starts, MPI_DOUBLE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static const operation operations[] = {
    {"broadcast", OB_PLAN_BROADCAST, our_broadcast, mpi_broadcast, VECTOR},
    {"combine", OB_PLAN_COMBINE, our_combine, mpi_combine, ROOTS_OTHER},
    {"combine-all", OB_PLAN_COMBINE_ALL, our_combine_all, mpi_combine_all, OTHER},
    {"scatter", OB_PLAN_SCATTER, our_scatter, mpi_scatter, PIECE},
    {"gather", OB_PLAN_GATHER, our_gather, mpi_gather, ROOTS_VECTOR},
    {"collect", OB_PLAN_COLLECT, our_collect, mpi_collect, VECTOR},
    {"distribute", OB_PLAN_DISTRIBUTE, our_distribute, mpi_distribute, PIECE},
    {"barrier", -1, our_barrier, mpi_barrier, NOTHING},
    {"ibroadcast", OB_PLAN_BROADCAST, our_ibroadcast, mpi_ibroadcast, VECTOR},
    {"icombine-all", OB_PLAN_COMBINE_ALL, our_icombine_all, mpi_icombine_all, OTHER},
    {"icollect", OB_PLAN_COLLECT, our_icollect, mpi_icollect, VECTOR},
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
    ob_plan_question q = {.task = (ob_plan_task)o->task,
                          .rows = b->rows,
                          .columns = b->columns,
                          .links_shared = b->shared,
                          .bytes = b->elements * sizeof(double)};
    const char *set = getenv("OPENBLACS_PLAN");
    if (o->task < 0)
        snprintf(words, room, "dissemination");
    else if (route && o->task <= OB_PLAN_COMBINE_ALL)
        snprintf(words, room, "tree");
    else if (set && *set)
        snprintf(words, room, "asked for: %s", set); /* ignored where it does not fit */
    else
        must(ob_plan_explain(ob_profile_current(), &q, NULL, NULL, words, room, NULL));
}

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

/* Contents that tell where a value came from; a sum to all of them is their number times the value.
 */
static void fill(bench *b, const operation *o)
{
    bool adds = o->task == OB_PLAN_COMBINE || o->task == OB_PLAN_COMBINE_ALL ||
                o->task == OB_PLAN_DISTRIBUTE;
    bool brings =
        adds || (b->me == 0 && (o->task == OB_PLAN_BROADCAST || o->task == OB_PLAN_SCATTER));
    for (size_t i = 0; i < b->elements; i++) {
        b->vector[i] = brings ? (double)i + 1 : 0;
        b->other[i] = 0;
    }
    bool joins = o->task == OB_PLAN_GATHER || o->task == OB_PLAN_COLLECT;
    for (size_t i = 0; joins && i < b->counts[b->me]; i++)
        b->other[i] = (double)(b->mpi_starts[b->me] + (int)i) + 1;
}

static size_t wrong_values(const bench *b, const operation *o)
{
    bool adds = o->task == OB_PLAN_COMBINE || o->task == OB_PLAN_COMBINE_ALL ||
                o->task == OB_PLAN_DISTRIBUTE,
         piece = o->result == PIECE;
    const double *found = o->result == VECTOR || o->result == ROOTS_VECTOR ? b->vector : b->other;
    size_t wrong = 0, n = piece ? b->counts[b->me] : b->elements;
    size_t first = piece ? (size_t)b->mpi_starts[b->me] : 0;
    if (b->me && (o->result == ROOTS_OTHER || o->result == ROOTS_VECTOR))
        return 0;
    for (size_t i = 0; i < n; i++)
        wrong += found[i] != (double)(first + i + 1) * (adds ? b->size : 1);
    return wrong;
}

/* The MPI library's call with contents; it also prepares itself, as it does when first used, with
 * messages as many as processes squared. Returns whether all results are right. */
static bool works(bench *b, const operation *o, size_t bytes)
{
    shared *common = shared_by_all();
    cut(b, bytes <= CHECK_MOST ? bytes : sizeof(double));
    b->vector = calloc(b->elements + 1, sizeof(double));
    b->other = calloc(b->elements + 1, sizeof(double));
    fill(b, o);
    common->wrong = 0;
    meet_all();
    o->mpi(b);
    if (o->result != NOTHING)
        common->wrong += wrong_values(b, o) != 0;
    meet_all();
    bool right = common->wrong == 0;
    meet_all();
    free(b->vector);
    free(b->other);
    return right;
}

static void measure(bench *b, const operation *o, size_t bytes, int library, bool right)
{
    char words[OB_PLAN_WORDS] = "";
    cut(b, bytes);
    double start = clock_start();
    (library ? o->library : o->mpi)(b);
    double took = clock_stop(start);
    if (b->me == 0) {
        if (library)
            explain(b, o, words, sizeof words);
        printf("%s,%zu,%.1f,%s\n", o->name, o->task < 0 ? (size_t)0 : bytes, took,
               right ? words : "wrong");
        fflush(stdout);
    }
}

/* From here on nothing has contents, and all have one vector. */
static void end_contents(bench *b, size_t most)
{
    shared *common = shared_by_all();
    meet_all();
    smpi_replay_init("collectives", b->me, 0);
    setenv("OPENBLACS_SIM_PAYLOAD", "0", 1);
    for (int k = 0; k < 2; k++)
        if (common->memory[k] == NULL)
            common->memory[k] = calloc(most + sizeof(double), 1);
    b->vector = common->memory[0];
    b->other = common->memory[1];
    meet_all();
}

static void keep_contents(bench *b, size_t most)
{
    b->vector = calloc(most + sizeof(double), 1);
    b->other = calloc(most + sizeof(double), 1);
    meet_all();
}

static size_t lengths_of(const char *text, size_t *bytes)
{
    size_t count = 0;
    char *list = strdup(text), *rest = NULL;
    for (char *word = strtok_r(list, ",", &rest); word && count < LENGTHS;
         word = strtok_r(NULL, ",", &rest))
        bytes[count++] = (size_t)strtoull(word, NULL, 10);
    free(list);
    return count;
}

static void measure_all(bench *b, const char *names, const char *list, int library, bool contents)
{
    size_t bytes[LENGTHS], lengths = lengths_of(list, bytes), most = 0;
    bool right[OPERATIONS][LENGTHS];
    memset(right, 1, sizeof right);
    for (size_t i = 0; i < lengths; i++)
        most = bytes[i] > most ? bytes[i] : most;
    if (library)
        must(ob_barrier(b->all)); /* the group's members meet */
    for (int k = 0; k < OPERATIONS && !library; k++)
        for (size_t i = 0; i < lengths && named(names, operations[k].name); i++)
            right[k][i] = works(b, &operations[k], bytes[i]);
    (contents ? keep_contents : end_contents)(b, most);
    for (int k = 0; k < OPERATIONS; k++) /* a barrier has no length */
        for (size_t i = 0; i < (operations[k].task < 0 ? 1 : lengths); i++)
            if (named(names, operations[k].name))
                measure(b, &operations[k], bytes[i], library, right[k][i]);
}

/* ------------------------------------------------------------------ starting */

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
    must(ob_group_world(&b->all));
    must(ob_group_shape(b->all, b->rows, b->columns, b->shared));
}

int main(int argc, char **argv)
{
    bench b = {0};
    MPI_Init(&argc, &argv);
    if (argc != 5) {
        fprintf(stderr, "usage: collectives library|tree|mpi|mpi-contents "
                        "ROWSxCOLUMNS[:mesh|:torus] OPERATION,...|all "
                        "BYTES,...\n");
        exit(2);
    }
    route = strcmp(argv[1], "tree") == 0 ? &tree : NULL;
    int library = route || strcmp(argv[1], "library") == 0;
    begin(&b, argv[2], library);
    measure_all(&b, argv[3], argv[4], library, strcmp(argv[1], "mpi-contents") == 0);
    ob_group_free(b.all);
    free(b.counts);
    free(b.mpi_counts);
    free(b.mpi_starts);
    MPI_Finalize();
    return 0;
}
