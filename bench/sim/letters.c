/*
 * Times the BLACS' named topologies on a simulated machine, over OpenBLACS or over the BLACS within
 * a ScaLAPACK that was compiled with smpicc: bench/sim/letters-table compares the two.
 *
 *     smpirun -np P*Q ... letters P Q OPERATION,... LETTERS BYTES,...
 *
 * OPERATION is broadcast (from process 0), broadcast-middle, sum (to process 0), sum-middle or
 * sum-all; LETTERS are topologies, like 12HT, with _ for ' '. Scope is the whole grid, of doubles.
 * Prints "operation,letter,bytes,microseconds". Nothing carries contents: SMPI neither copies nor
 * combines, times are the same.
 */
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "openblacs/blacs.h"

typedef struct grid {
    int context, rows, columns, me, row, column;
} grid;

static void broadcast(const grid *g, int root, const char *top, int n, double *a)
{
    if (g->me == root)
        Cdgebs2d(g->context, "A", top, n, 1, a, n);
    else
        Cdgebr2d(g->context, "A", top, n, 1, a, n, root / g->columns, root % g->columns);
}

static void sum(const grid *g, int root, const char *top, int n, double *a)
{
    int row = root < 0 ? -1 : root / g->columns, column = root < 0 ? -1 : root % g->columns;
    Cdgsum2d(g->context, "A", top, n, 1, a, n, row, column);
}

static const struct operation {
    const char *name;
    void (*call)(const grid *g, int root, const char *top, int n, double *a);
    int root; /* 0, -1 for all, or 1 for the one in the middle */
} operations[] = {{"broadcast", broadcast, 0},
                  {"broadcast-middle", broadcast, 1},
                  {"sum", sum, 0},
                  {"sum-middle", sum, 1},
                  {"sum-all", sum, -1}};

static void measure(const grid *g, const struct operation *o, char letter, size_t bytes, double *a)
{
    const char top[2] = {letter == '_' ? ' ' : letter};
    int root = o->root > 0 ? g->rows * g->columns / 2 + g->columns / 2 : o->root;
    double start = clock_start();
    o->call(g, root, top, (int)(bytes / sizeof *a), a);
    double took = clock_stop(start);
    if (g->me == 0) {
        printf("%s,%c,%zu,%.3f\n", o->name, letter, bytes, took);
        fflush(stdout);
    }
}

static void measure_letters(const grid *g, const struct operation *o, const char *letters,
                            const char *list, double *a)
{
    for (const char *l = letters; *l; l++)
        for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
            measure(g, o, *l, strtoull(at, NULL, 10), a);
}

static size_t most_of(const char *list)
{
    size_t most = 0;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t bytes = strtoull(at, NULL, 10);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* From here on nothing has contents, and all have one matrix. */
static double *end_contents(int me, size_t most)
{
    shared *common = shared_by_all();
    meet_all();
    smpi_replay_init("letters", me, 0);
    setenv("OPENBLACS_SIM_PAYLOAD", "0", 1);
    if (common->memory[0] == NULL)
        common->memory[0] = calloc(most + sizeof(double), 1);
    meet_all();
    return common->memory[0];
}

int main(int argc, char **argv)
{
    grid g;
    int count;
    if (argc != 6) {
        fprintf(stderr, "usage: letters P Q OPERATION,... LETTERS BYTES,...\n");
        return 2;
    }
    Cblacs_pinfo(&g.me, &count);
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, "Row", atoi(argv[1]), atoi(argv[2]));
    Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
    Cblacs_barrier(g.context, "A"); /* members meet */
    double one[1] = {0};
    for (int root = 0; strchr(argv[4], 'N') && root < count; root++)
        broadcast(&g, root, "N", 1, one); /* leaders make their communicators, with contents */
    double *a = end_contents(g.me, most_of(argv[5]));
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        const char *at = strstr(argv[3], operations[k].name);
        size_t length = strlen(operations[k].name);
        while (at && at[length] != ',' && at[length] != 0)
            at = strstr(at + length, operations[k].name);
        if (at)
            measure_letters(&g, &operations[k], argv[4], argv[5], a);
    }
    Cblacs_gridexit(g.context);
    Cblacs_exit(0);
    return 0;
}
