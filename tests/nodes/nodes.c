/*
 * Collective calls on several nodes: an MPI program on the core. Groups of all kinds of
 * processes (also such as lie on one node, or one to a node), every root, lengths around every
 * limit, strided and trapezoidal matrices, owners, operations of the caller's, pieces; all
 * results are compared with what they must be. "disagree": members name different
 * sizes, and must all come back. "levels": what crosses the network, only leaders send.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "openblacs/core.h"

static ob_job *job;
static ob_group *group;
static int me, count; /* in the group */
static int number, processes;
static long passed, failed;

static int check(int good, const char *format, ...)
{
    if (good) {
        passed++;
        return 1;
    }
    if (failed++ < 5) {
        va_list args;
        va_start(args, format);
        fprintf(stdout, "FAILED on %d: ", number);
        vfprintf(stdout, format, args);
        fprintf(stdout, "\n");
        fflush(stdout);
        va_end(args);
    }
    return 0;
}

/* ------------------------------------------------------------------ matrices */

typedef struct shape {
    size_t m, n, gap;
    ob_shape shape;
} shape;

static const shape shapes[] = {
    {0, 0, 0, OB_GENERAL},    {1, 1, 0, OB_GENERAL},      {12, 1, 0, OB_GENERAL},
    {13, 1, 0, OB_GENERAL},   {100, 1, 0, OB_GENERAL},    {5, 7, 3, OB_GENERAL},
    {7681, 1, 0, OB_GENERAL}, {100, 90, 1, OB_GENERAL},   {40, 30, 2, OB_UPPER},
    {30, 40, 5, OB_LOWER},    {50000, 1, 0, OB_GENERAL},  {300, 301, 7, OB_GENERAL},
    {400, 500, 1, OB_UPPER},  {131072, 1, 0, OB_GENERAL}, {262145, 1, 0, OB_GENERAL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, LONG_ONES = 10 };

static ob_view view_of(const shape *s, double *base)
{
    return (ob_view){.base = base,
                     .m = s->m,
                     .n = s->n,
                     .ld = s->m + s->gap + (s->m == 0),
                     .type = OB_DOUBLE,
                     .shape = s->shape};
}

static int inside(const ob_view *v, size_t i, size_t j)
{
    if (i >= v->m)
        return 0;
    if (v->shape == OB_UPPER)
        return i <= j + (v->m > v->n ? v->m - v->n : 0);
    if (v->shape == OB_LOWER)
        return i + (v->n > v->m ? v->n - v->m : 0) >= j;
    return 1;
}

/* What a member brings: whole numbers, so that sums are exact, and no two alike in size. */
static int alike; /* each two members have the same, so that extremes have to choose */

static double value(int member, size_t k)
{
    member = alike ? member / 2 : member;
    long v = (long)((k * 7 + (size_t)member * 13) % 1009) + 1;
    return (k + (size_t)member) % 2 ? (double)v : -(double)v;
}

static void fill(const ob_view *v, int member)
{
    double *x = v->base;
    for (size_t k = 0; k < v->ld * v->n; k++)
        x[k] = value(member, k);
}

static double expected_sum(size_t k)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += value(i, k);
    return sum;
}

static ob_op the_op;

/* The largest magnitude, of equals the member nearest above `base`; the smallest value (OB_MIN), of
 * equals the lowest member. */
static double expected_extreme(size_t k, int base, int *owner)
{
    double best = 0;
    base = the_op == OB_MIN ? 0 : base;
    for (int d = 0; d < count; d++) {
        int i = (base + d) % count;
        double x = value(i, k), a = x < 0 ? -x : x, b = best < 0 ? -best : best;
        if (d == 0 || (the_op == OB_MIN ? x < best : a > b)) {
            best = x;
            *owner = i;
        }
    }
    return best;
}

static void compare(const char *what, const shape *s, const ob_view *v, int root,
                    double (*want)(size_t))
{
    const double *x = v->base;
    size_t wrong = 0, first = 0;
    for (size_t j = 0; j < v->n; j++)
        for (size_t i = 0; i < v->ld; i++) {
            size_t k = i + j * v->ld;
            double w = inside(v, i, j) ? want(k) : value(me, k);
            if (x[k] != w && wrong++ == 0)
                first = k;
        }
    check(wrong == 0,
          "%s, root %d, %zu x %zu, shape %d, %d members: %zu wrong, first %zu: %g not %g", what,
          root, s->m, s->n, (int)s->shape, count, wrong, first, wrong ? x[first] : 0,
          wrong ? want(first) : 0);
}

/* ---------------------------------------------------------------- operations */

static int the_root;

static double of_root(size_t k)
{
    return value(the_root, k);
}

static void broadcasts(const shape *s, ob_view *v, int root)
{
    the_root = root;
    fill(v, me);
    check(ob_broadcast(group, root, v, NULL) == OB_OK, "broadcast: %s", ob_error_text());
    compare("broadcast", s, v, root, of_root);
}

static void sums(const shape *s, ob_view *v, int root)
{
    fill(v, me);
    check(ob_combine(group, root, OB_SUM, v, NULL, 0, NULL) == OB_OK, "sum: %s", ob_error_text());
    if (root == OB_ANY || root == me)
        compare("sum", s, v, root, expected_sum);
}

static double extreme_of(size_t k)
{
    int owner;
    return expected_extreme(k, the_root, &owner);
}

static void extremes(const shape *s, ob_view *v, int *owner, int root, ob_op op)
{
    size_t wrong = 0, ld = s->m + 2;
    the_root = root == OB_ANY ? 0 : root;
    the_op = op;
    alike = 1;
    fill(v, me);
    memset(owner, 0xff, ld * s->n * sizeof *owner);
    check(ob_combine(group, root, op, v, owner, ld, NULL) == OB_OK, "extremes: %s",
          ob_error_text());
    int here = root == OB_ANY || root == me;
    if (here)
        compare("extreme", s, v, root, extreme_of);
    for (size_t j = 0; here && j < s->n; j++)
        for (size_t i = 0; i < s->m; i++) {
            int want = -1;
            if (inside(v, i, j))
                expected_extreme(i + j * v->ld, the_root, &want);
            wrong += owner[i + j * ld] != want;
        }
    check(wrong == 0, "owners, root %d, %zu x %zu, shape %d, %d members: %zu wrong", root, s->m,
          s->n, (int)s->shape, count, wrong);
    alike = 0;
}

static void add_pairs(size_t n, void *acc, const void *in, const void *context)
{
    double *a = acc;
    const double *b = in;
    (void)context;
    for (size_t i = 0; i < 2 * n; i++)
        a[i] += b[i];
}

static void own_operation(size_t n, double *base)
{
    const ob_operation pairs = {add_pairs, NULL, 16};
    const shape s = {2 * n, 1, 0, OB_GENERAL};
    ob_view v = view_of(&s, base);
    fill(&v, me);
    check(ob_combine_by(group, OB_ANY, &pairs, &v, NULL) == OB_OK, "own: %s", ob_error_text());
    compare("own operation", &s, &v, OB_ANY, expected_sum);
}

/* Nobody leaves before all have come: the clock is that of the machine both nodes run on. */
static void barriers(void)
{
    double *in = calloc((size_t)count, sizeof *in), last = 0;
    ob_pieces all = {.base = in, .type = OB_DOUBLE, .count = 1};
    for (int late = 0; late < count; late++) {
        if (late == me)
            usleep(3000);
        in[me] = ob_time();
        check(ob_barrier(group) == OB_OK, "barrier: %s", ob_error_text());
        double out = ob_time();
        check(ob_collect(group, &all, NULL) == OB_OK, "collect: %s", ob_error_text());
        last = 0;
        for (int i = 0; i < count; i++)
            last = in[i] > last ? in[i] : last;
        check(out >= last, "%d left a barrier %g s before the last had come", me, last - out);
    }
    free(in);
}

/* Pieces of different sizes, one of them empty. */
static void pieces(size_t unit, double *base)
{
    size_t *counts = calloc((size_t)count, sizeof *counts), n = 0, mine = 0;
    for (int i = 0; i < count; i++) {
        counts[i] = unit * (size_t)(i % 3);
        mine = i == me ? n : mine;
        n += counts[i];
    }
    const shape s = {n, 1, 0, OB_GENERAL};
    ob_view v = view_of(&s, base);
    ob_pieces p = {.base = base, .type = OB_DOUBLE, .counts = counts};
    fill(&v, me);
    check(ob_distributed_combine(group, OB_SUM, &p, NULL) == OB_OK, "distribute: %s",
          ob_error_text());
    size_t wrong = 0;
    for (size_t k = mine; k < mine + counts[me]; k++)
        wrong += base[k] != expected_sum(k);
    check(wrong == 0, "distributed combine of %zu: %zu wrong", n, wrong);
    check(ob_collect(group, &p, NULL) == OB_OK, "collect: %s", ob_error_text());
    compare("collect", &s, &v, OB_ANY, expected_sum);
    for (int root = 0; root < count; root++) {
        the_root = root;
        fill(&v, me);
        ob_view own = {
            .base = base + mine, .m = counts[me], .n = 1, .ld = counts[me] + 1, .type = OB_DOUBLE};
        check(ob_scatter(group, root, &p, me == root ? NULL : &own, NULL) == OB_OK, "scatter: %s",
              ob_error_text());
        wrong = 0;
        for (size_t k = mine; k < mine + counts[me]; k++)
            wrong += base[k] != value(root, k);
        check(wrong == 0, "scatter of %zu from %d: %zu wrong", n, root, wrong);
        if (me == root)
            for (size_t k = 0; k < n; k++)
                base[k] = k >= mine && k < mine + counts[me] ? base[k] : -1;
        check(ob_gather(group, root, &p, me == root ? NULL : &own, NULL) == OB_OK, "gather: %s",
              ob_error_text());
        if (me == root)
            compare("gather", &s, &v, root, of_root);
    }
    free(counts);
}

static void all_operations(int long_roots)
{
    double *base = malloc(((size_t)1 << 19) * sizeof *base);
    int *owner = malloc(((size_t)1 << 19) * sizeof *owner);
    for (int k = 0; k < SHAPES; k++) {
        const shape *s = &shapes[k];
        ob_view v = view_of(s, base);
        int most = k < LONG_ONES ? count : long_roots < count ? long_roots : count;
        for (int root = 0; root < most; root++) {
            broadcasts(s, &v, count - 1 - root);
            sums(s, &v, count - 1 - root);
            extremes(s, &v, owner, count - 1 - root, OB_MAX_ABS);
            extremes(s, &v, owner, count - 1 - root, OB_MIN);
        }
        sums(s, &v, OB_ANY);
        extremes(s, &v, owner, OB_ANY, OB_MAX_ABS);
        extremes(s, &v, owner, OB_ANY, OB_MIN);
    }
    own_operation(3, base);
    own_operation(70001, base);
    pieces(1, base);
    pieces(5, base);
    pieces(20011, base);
    barriers();
    free(owner);
    free(base);
}

/* ------------------------------------------------------------------- groups */

static void with_group(const int *list, int size, int long_roots)
{
    int member = 0;
    for (int i = 0; i < size; i++)
        member |= list[i] == number;
    if (!member)
        return;
    if (!check(ob_group_create(job, list, size, &group) == OB_OK, "group: %s", ob_error_text()))
        return;
    me = ob_group_me(group);
    count = size;
    all_operations(long_roots);
    ob_group_free(group);
}

/* Rows and columns as parts, the way of a grid. */
static void with_parts(int columns)
{
    int *list = malloc((size_t)processes * sizeof *list), size = 0;
    ob_group *all;
    for (int i = 0; i < processes; i++)
        list[i] = i;
    check(ob_group_create(job, list, processes, &all) == OB_OK, "group: %s", ob_error_text());
    for (int kind = 0; kind < 2; kind++) {
        size = 0;
        for (int i = 0; i < processes; i++)
            if (kind ? i % columns == number % columns : i / columns == number / columns)
                list[size++] = i;
        check(ob_group_part(all, kind + 1, list, size, &group) == OB_OK, "part: %s",
              ob_error_text());
        me = ob_group_me(group);
        count = size;
        all_operations(1);
        ob_group_free(group);
    }
    ob_group_free(all);
    free(list);
}

static void with_all_groups(void)
{
    int *list = malloc((size_t)processes * sizeof *list), size = 0;
    for (int i = 0; i < processes; i++)
        list[i] = i;
    with_group(list, processes, 2);
    for (int i = 0; i < processes; i++) /* nodes in turn, backwards */
        list[i] = processes - 1 - (i % 2 ? processes / 2 + i / 2 : i / 2);
    with_group(list, processes, 1);
    for (int i = 0; i < processes; i++) /* all but the second */
        if (i != 1)
            list[size++] = i;
    with_group(list, size, 1);
    free(list);
    with_parts(2);
}

/* -------------------------------------------------------------- disagreement */

/* One member names another matrix than the rest. Somebody must notice, and nobody may wait for ever
 * (then the script ends the program). */
typedef struct size {
    size_t m, n, ld;
} size;
enum {
    BROADCAST,
    SUM_TO_ALL,
    SUM_TO_ONE,
    GREATEST,
    RING,
    RING_BROADCAST,
    NATIVE_BROADCAST,
    NATIVE_SUM,
    EXACT,
    COLLECT,
    NATIVE_COLLECT,
    OPERATIONS
};

static int call(int operation, const ob_view *v, int *owners)
{
    const ob_route ring = {.topology = OB_TOP_RING_UP}, exact = {.repeatable = OB_REPRODUCIBLE},
                   native = {.topology = OB_TOP_NATIVE};
    ob_pieces pieces = {.base = v->base, .type = OB_DOUBLE, .count = v->m * v->n};
    switch (operation) {
    case BROADCAST: return ob_broadcast(group, 0, v, NULL);
    case SUM_TO_ALL: return ob_combine(group, OB_ANY, OB_SUM, v, NULL, 0, NULL);
    case SUM_TO_ONE: return ob_combine(group, 0, OB_SUM, v, NULL, 0, NULL);
    case GREATEST: return ob_combine(group, OB_ANY, OB_MAX, v, owners, v->ld, NULL);
    case RING: return ob_combine(group, 0, OB_SUM, v, NULL, 0, &ring);
    case RING_BROADCAST: return ob_broadcast(group, 0, v, &ring);
    case NATIVE_BROADCAST: return ob_broadcast(group, 0, v, &native);
    case NATIVE_SUM: return ob_combine(group, OB_ANY, OB_SUM, v, NULL, 0, &native);
    case EXACT: return ob_combine(group, OB_ANY, OB_SUM, v, NULL, 0, &exact);
    case NATIVE_COLLECT: return ob_collect(group, &pieces, &native);
    default: return ob_collect(group, &pieces, NULL);
    }
}

static void disagree(int who, size ours, size theirs, int operation)
{
    int *list = malloc((size_t)processes * sizeof *list), errors = 0, all;
    const size s = number == who ? theirs : ours;
    double *x = calloc(s.ld * s.n * (size_t)processes, sizeof *x);
    int *owners = calloc(s.ld * s.n, sizeof *owners);
    for (int i = 0; i < processes; i++)
        list[i] = i;
    check(ob_group_create(job, list, processes, &group) == OB_OK, "group: %s", ob_error_text());
    ob_view v = {.base = x, .m = s.m, .n = s.n, .ld = s.ld, .type = OB_DOUBLE};
    int status = call(operation, &v, owners);
    errors = status == OB_ESIZE;
    check(status == OB_OK || status == OB_ESIZE, "disagreement: %s", ob_error_text());
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(all > 0, "nobody noticed that %d has %zu x %zu elements, not %zu x %zu, in operation %d",
          who, theirs.m, theirs.n, ours.m, ours.n, operation);
    ob_group_free(group);
    free(owners);
    free(x);
    free(list);
}

static void all_disagreements(void)
{
    /* Vectors; then columns that are long, or several to a chunk, in one run of memory or not. */
    static const size sizes[][2] = {{{1, 1, 2}, {2, 1, 3}},
                                    {{13, 1, 14}, {12, 1, 13}},
                                    {{100, 1, 101}, {5000, 1, 5001}},
                                    {{5000, 1, 5001}, {100, 1, 101}},
                                    {{131072, 1, 131073}, {65536, 1, 65537}},
                                    {{1001, 1, 1001}, {2002, 1, 2002}},
                                    {{7680, 1, 7681}, {15360, 1, 15361}},
                                    {{7680, 1, 7681}, {7679, 1, 7680}},
                                    {{7679, 1, 7680}, {10000, 1, 10001}},
                                    {{7432, 1, 7433}, {14864, 1, 14865}},
                                    {{16384, 1, 16385}, {32768, 1, 32769}},
                                    {{500000, 1, 500001}, {250000, 1, 250001}},
                                    {{1048576, 1, 1048577}, {524288, 1, 524289}},
                                    {{100, 2, 100}, {100, 3, 100}},
                                    {{200000, 2, 200000}, {200000, 3, 200000}},
                                    {{200000, 3, 200001}, {200000, 2, 200000}},
                                    {{40000, 4, 40000}, {40000, 5, 40000}},
                                    {{20000, 5, 20001}, {20000, 4, 20000}},
                                    {{2, 100000, 3}, {2, 90000, 2}}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int who = 0; who < processes; who++)
            for (int operation = 0; operation < OPERATIONS; operation++)
                if (operation < EXACT || processes == 2) /* several of a node wait on boards */
                    disagree(who, sizes[k][0], sizes[k][1], operation);
}

/* ------------------------------------------------------------------- levels */

enum { NAME = 64, CALLS = 10 };

static uint64_t sent_to(int other)
{
    uint64_t messages = 0, bytes = 0;
    check(ob_job_traffic(job, other, &messages, &bytes) == OB_OK, "traffic: %s", ob_error_text());
    return messages;
}

/* Only the first process of a host has messages for other hosts. */
static void only_leaders_cross(void)
{
    char own[NAME] = "", *hosts = malloc((size_t)processes * NAME);
    int *list = malloc((size_t)processes * sizeof *list), first, crossed = 0;
    uint64_t *before = malloc((size_t)processes * sizeof *before);
    double x[1000] = {0};
    ob_view v = {.base = x, .m = 1000, .n = 1, .ld = 1000, .type = OB_DOUBLE};
    ob_pieces p = {.base = x, .type = OB_DOUBLE, .count = 1000 / (size_t)processes};
    double piece[1000] = {0};
    ob_view own_piece = {.base = piece, .m = p.count, .n = 1, .ld = p.count, .type = OB_DOUBLE};
    gethostname(own, sizeof own - 1);
    MPI_Allgather(own, NAME, MPI_CHAR, hosts, NAME, MPI_CHAR, MPI_COMM_WORLD);
    for (first = 0; strcmp(hosts + first * NAME, own) != 0; first++)
        ;
    for (int i = 0; i < processes; i++)
        list[i] = i;
    check(ob_group_create(job, list, processes, &group) == OB_OK, "group: %s", ob_error_text());
    for (int i = 0; i < processes; i++)
        before[i] = sent_to(i);
    for (int i = 0; i < CALLS; i++) {
        check(ob_broadcast(group, 0, &v, NULL) == OB_OK, "broadcast: %s", ob_error_text());
        check(ob_combine(group, OB_ANY, OB_SUM, &v, NULL, 0, NULL) == OB_OK, "sum: %s",
              ob_error_text());
        check(ob_barrier(group) == OB_OK, "barrier: %s", ob_error_text());
        check(ob_collect(group, &p, NULL) == OB_OK, "collect: %s", ob_error_text());
        check(ob_distributed_combine(group, OB_SUM, &p, NULL) == OB_OK, "distribute: %s",
              ob_error_text());
        check(ob_scatter(group, processes - 1, &p, &own_piece, NULL) == OB_OK, "scatter: %s",
              ob_error_text());
        check(ob_gather(group, 0, &p, &own_piece, NULL) == OB_OK, "gather: %s", ob_error_text());
    }
    for (int i = 0; i < processes; i++)
        if (strcmp(hosts + i * NAME, own) != 0)
            crossed += (int)(sent_to(i) - before[i]);
    if (number == first || number == processes - 1) /* the one scatter's root leads its node */
        check(crossed >= CALLS, "the leader on %s sent %d messages to others", own, crossed);
    else
        check(crossed == 0, "a member on %s sent %d messages to other hosts", own, crossed);
    MPI_Bcast(own, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    check(strcmp(own, hosts + (processes - 1) * NAME) != 0, "there is one host, %s", own);
    ob_group_free(group);
    free(before);
    free(list);
    free(hosts);
}

int main(int argc, char **argv)
{
    long mine[2], sums_of_all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (!check(ob_job_start(&job) == OB_OK, "start: %s", ob_error_text()))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (argc > 1 && strcmp(argv[1], "disagree") == 0)
        all_disagreements();
    else if (argc > 1 && strcmp(argv[1], "levels") == 0)
        only_leaders_cross();
    else
        with_all_groups();
    mine[0] = passed;
    mine[1] = failed;
    MPI_Reduce(mine, sums_of_all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (number == 0)
        printf("%ld passed, %ld failed\n", sums_of_all[0], sums_of_all[1]);
    return failed != 0;
}
