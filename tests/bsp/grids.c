/*
 * BSP2D's rules (bsp2d.h) on every grid that the processes there are can form: matrices of all
 * types and shapes from each process to each other, one-sided rows, registered buffers,
 * broadcasts and reductions with sizes that differ between rows, and their supersteps.
 */
#include <bsp2d.h>

#include "harness.h"

enum { FILL = 0x5b };

static bsp2d_grid *grid;
static int rows, columns, myrow, mycolumn;

/* -------------------------------------------------------------- matrices */

typedef struct matrix {
    ob_view view;
    char *memory;
    size_t bytes, packed_bytes;
} matrix;

static matrix make(ob_view v)
{
    matrix x = {.view = v, .bytes = v.ld * v.n * ob_type_bytes(v.type) + 128};
    x.packed_bytes = ob_view_count(&v) * ob_type_bytes(v.type);
    x.memory = malloc(x.bytes);
    memset(x.memory, FILL, x.bytes);
    x.view.base = x.memory + 64;
    return x;
}

/* What the elements of message `seed` are, one behind the other: small integers, so that
 * sums are exact in every type. */
static char *elements(const ob_view *v, uint64_t seed)
{
    size_t n = ob_view_count(v), parts = v->type == OB_COMPLEX || v->type == OB_DCOMPLEX ? 2 : 1;
    char *data = malloc(n * ob_type_bytes(v->type) + 1);
    for (size_t k = 0; k < n * parts; k++) {
        int value = (int)(mix(seed * 1000003 + k) % 97) + 1;
        switch (v->type) {
        case OB_INT: ((int *)(void *)data)[k] = value; break;
        case OB_INT64: ((int64_t *)(void *)data)[k] = (int64_t)value << 33; break;
        case OB_FLOAT:
        case OB_COMPLEX: ((float *)(void *)data)[k] = (float)value; break;
        case OB_DOUBLE:
        case OB_DCOMPLEX: ((double *)(void *)data)[k] = value; break;
        default: data[k] = (char)value;
        }
    }
    return data;
}

static void fill(matrix *x, uint64_t seed)
{
    char *data = elements(&x->view, seed);
    ob_view_unpack(&x->view, data);
    free(data);
}

/* Are the elements those, and is the memory around them as it was? */
static int holds(const matrix *x, const char *data)
{
    char *expected = malloc(x->bytes);
    ob_view v = x->view;
    memset(expected, FILL, x->bytes);
    v.base = expected + 64;
    ob_view_unpack(&v, data);
    int same = !memcmp(expected, x->memory, x->bytes);
    free(expected);
    return same;
}

static int is(const matrix *x, uint64_t seed)
{
    char *data = elements(&x->view, seed);
    int same = holds(x, data);
    free(data);
    return same;
}

/* The k-th of a list of types and shapes, of all sizes. Each way to take it (k % 4) meets
 * trapezoids of both kinds. */
static ob_view kind(int k)
{
    static const size_t edges[][3] = {{5, 3, 5}, {1, 7, 4}, {6, 1, 9},   {8, 8, 8},
                                      {0, 4, 1}, {3, 9, 6}, {11, 4, 13}, {120, 65, 131}};
    const size_t *e = edges[k % 8];
    ob_type type = (ob_type)(k % OB_TYPES);
    if (k % 3 == 0)
        return bsp2d_ge(type, e[0], e[1], NULL, e[2]);
    return bsp2d_tr(type, k / 8 % 2 ? 'U' : 'L', k % 5 == 1 ? 'U' : 'N', e[0], e[1], NULL, e[2]);
}

/* ---------------------------------------------------------------- inquiries */

static void inquiries(char order)
{
    int r, c, i, j;
    bsp2d_gridinfo(grid, &r, &c, &i, &j);
    check(r == rows && c == columns, "dimensions %d x %d", r, c);
    int number = order == 'C' ? j * rows + i : i * columns + j;
    check(number == world.me, "(%d,%d) is number %d", i, j, number);
    check(bsp2d_pid(grid, i, j) == i * columns + j, "pid of (%d,%d)", i, j);
    myrow = i;
    mycolumn = j;
    bsp2d_gridinfo(NULL, &r, &c, NULL, &j);
    check(r == -1 && c == -1 && j == -1, "no grid");
}

/* -------------------------------------------------------------- send, move */

static uint64_t seed_of(int from, int to, int k)
{
    return (uint64_t)from << 32 | (uint64_t)to << 16 | (unsigned)k;
}

enum { KINDS = 24 };

static void send_all(int me, int high_performance, matrix *sources)
{
    for (int to = 0; to < rows * columns; to++)
        for (int k = 0; k < KINDS; k++) {
            matrix *x = &sources[to * KINDS + k];
            *x = make(kind(k));
            fill(x, seed_of(me, to, k));
            if (high_performance)
                bsp2d_hpsend(grid, to / columns, to % columns, &x->view);
            else
                bsp2d_send(grid, to / columns, to % columns, &x->view);
            if (!high_performance)
                memset(x->memory, 0, x->bytes); /* it was read */
        }
}

static void take(int from, int me, int k)
{
    int i = from / columns, j = from % columns;
    matrix x = make(kind(k));
    ob_view there;
    check(bsp2d_qsize(grid, i, j) == KINDS - k, "%d messages wait", bsp2d_qsize(grid, i, j));
    if (k % 4 == 3) {
        char *data = elements(&x.view, seed_of(from, me, k));
        check(bsp2d_peek(grid, i, j, &there) == 1, "peek");
        bsp2d_hpmove(grid, i, j, &there);
        check(there.type == x.view.type && there.shape == OB_GENERAL &&
                  ob_view_count(&there) == ob_view_count(&x.view) &&
                  there.ld == (there.m ? there.m : 1) && (uintptr_t)there.base % 64 == 0,
              "hpmove of kind %d: %zu x %zu", k, there.m, there.n);
        check(!memcmp(there.base, data, x.packed_bytes), "hpmove of kind %d", k);
        free(data);
    } else if (k % 4 == 2) { /* the same number of elements in another shape */
        size_t n = ob_view_count(&x.view);
        free(x.memory);
        x = make(bsp2d_ge(kind(k).type, 1, n, NULL, 3));
        bsp2d_move(grid, i, j, &x.view);
        check(is(&x, seed_of(from, me, k)), "kind %d as a row, from %d to %d", k, from, me);
    } else {
        bsp2d_move(grid, i, j, &x.view);
        check(is(&x, seed_of(from, me, k)), "kind %d from %d to %d", k, from, me);
    }
    free(x.memory);
}

/* In order of each sender, in any order of senders; a collective call changes nothing. */
static void pairs(int high_performance)
{
    int me = bsp2d_pid(grid, myrow, mycolumn), all = rows * columns;
    matrix *sources = calloc((size_t)(all * KINDS), sizeof *sources);
    double one = 1;
    ob_view scalar = bsp2d_ge(OB_DOUBLE, 1, 1, &one, 1), there;
    send_all(me, high_performance, sources);
    check(bsp2d_qsize(grid, 0, 0) == 0 && !bsp2d_peek(grid, 0, 0, &there), "before the sync");
    bsp2d_reduce(grid, 'A', OB_SUM, &scalar, NULL, 0);
    check(one == all, "a sum while messages wait: %g", one);
    check(bsp2d_qsize(grid, 0, 0) == 0, "after a collective call, before the sync");
    bsp2d_sync(grid);
    for (int k = 0; k < KINDS; k++) {
        for (int from = all - 1; from >= 0; from--)
            take(from, me, k);
        if (k == KINDS / 2)
            bsp2d_bcast(grid, 'A', 0, 0, &scalar);
    }
    bsp2d_send(grid, 0, 0, &scalar);
    bsp2d_sync(grid);
    bsp2d_sync(grid);
    check(bsp2d_qsize(grid, rows - 1, columns - 1) == 0, "what was not moved is gone");
    for (int k = 0; k < all * KINDS; k++)
        free(sources[k].memory);
    free(sources);
}

/* ------------------------------------------------------------ remote memory */

/* Rows of a matrix in the order of a cycle over all processes, in one superstep. */
static void rows_in_a_cycle(void)
{
    enum { M = 9, N = 6, LD = 11 };
    int all = rows * columns, me = bsp2d_pid(grid, myrow, mycolumn), good = 1;
    double a[LD * N], b[LD * N];
    for (int k = 0; k < LD * N; k++)
        a[k] = b[k] = 1000 * me + k;
    bsp2d_push_reg(grid, a, sizeof a);
    bsp2d_sync(grid);
    for (int i = 0; i < M; i++) { /* row i to row i + 1, the last one to the next process */
        ob_view row = bsp2d_ge(OB_DOUBLE, 1, N, a + i, LD);
        bsp2d_put_matrix(grid, i < M - 1 ? me : (me + 1) % all, &row, a, (size_t)(i + 1) % M, LD);
        a[i] = -1; /* it was read */
    }
    for (int i = 0; i < M; i++)
        a[i] = b[i];
    bsp2d_sync(grid);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++) {
            double from = i ? b[i - 1 + j * LD] : 1000 * ((me + all - 1) % all) + M - 1 + j * LD;
            good &= a[i + j * LD] == (i < M ? from : b[i + j * LD]);
        }
    check(good, "rows in a cycle");
    float x[12] = {0}, y[6] = {1, 2, 3, 4, 5, 6};
    ob_view v = bsp2d_ge(OB_FLOAT, 2, 3, y, 2);
    bsp2d_pop_reg(grid, a);
    bsp2d_push_reg(grid, x, sizeof x);
    bsp2d_sync(grid);
    bsp2d_put_matrix(grid, (me + 1) % all, &v, x, 1, 4);
    bsp2d_sync(grid);
    static const float expected[12] = {0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0};
    check(!memcmp(x, expected, sizeof x), "a block in a block");
    v.n = 0;
    bsp2d_put_matrix(grid, me, &v, NULL, 1, 4);
    bsp2d_put(grid, me, y, y, 4, 0);
    bsp2d_get(grid, me, NULL, 4, y, 0);
    bsp2d_sync(grid);
    check(!memcmp(x, expected, sizeof x), "puts and gets of nothing need no registration");
    bsp2d_pop_reg(grid, x);
    bsp2d_sync(grid);
}

static void words(void)
{
    int all = rows * columns, me = bsp2d_pid(grid, myrow, mycolumn), next = (me + 1) % all;
    int x[4] = {me, -1, -1, -1}, y = -1, z = -1, w = 300 + me;
    bsp2d_push_reg(grid, x, sizeof x);
    bsp2d_sync(grid);
    bsp2d_put(grid, next, &w, x, 4, 4);
    bsp2d_hpput(grid, next, &w, x, 8, 4);
    bsp2d_get(grid, next, x, 0, &y, 4);
    bsp2d_hpget(grid, next, x, 0, &z, 4);
    bsp2d_sync(grid);
    int before = 300 + (me + all - 1) % all;
    check(x[1] == before && x[2] == before && y == next && z == next, "words: %d %d %d %d", x[1],
          x[2], y, z);
    bsp2d_pop_reg(grid, x);
    bsp2d_sync(grid);
}

static void buffers(void)
{
    int all = rows * columns, me = bsp2d_pid(grid, myrow, mycolumn), next = (me + 1) % all;
    double *a = bsp2d_buffer(grid, 4000), *b = bsp2d_buffer(grid, 800), x = 7 + me;
    check(a != b && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0, "two buffers");
    bsp2d_sync(grid);
    bsp2d_put(grid, next, &x, b, 792, 8);
    bsp2d_hpput(grid, next, &x, a, 3992, 8);
    bsp2d_sync(grid);
    check(b[99] == 7 + (me + all - 1) % all && a[499] == b[99], "put to buffers: %g", b[99]);
    bsp2d_buffer_free(grid, b);
    check(bsp2d_buffer(grid, 700) != b, "a buffer is handed out before the sync");
    bsp2d_buffer_free(grid, a);
    bsp2d_sync(grid);
    check(bsp2d_buffer(grid, 600) == (void *)b, "the smallest that is large enough");
    check(bsp2d_buffer(grid, 801) == (void *)a, "the larger one");
    bsp2d_buffer_free(grid, a);
    bsp2d_buffer_free(grid, b);
    bsp2d_sync(grid);
}

/* --------------------------------------------------------------- collective */

static size_t supersteps(void)
{
    bsp2d_cost cost;
    bsp2d_costs(grid, &cost, 0);
    return cost.supersteps;
}

static int scope_size(char scope)
{
    return scope == 'R' ? columns : scope == 'C' ? rows : rows * columns;
}

/* Which row, column or grid a process's scope is: sizes and contents depend on it. */
static int line_of(char scope)
{
    return scope == 'R' ? myrow : scope == 'C' ? mycolumn : 0;
}

static void expect_steps(char scope, size_t before, const char *what)
{
    int q = scope_size(scope);
    size_t wanted = q == 1 ? 0 : q == 2 ? 1 : 2, took = supersteps() - before;
    check(took == wanted, "%s in scope %c of %d: %zu supersteps", what, scope, q, took);
}

static void broadcasts(char scope)
{
    for (int k = 0; k < 16; k++) {
        int root = k % (rows * columns), i = root / columns, j = root % columns;
        matrix x = make(kind(3 * k + line_of(scope) * 5));
        uint64_t seed = seed_of(line_of(scope), root, k);
        int mine = (scope == 'C' || mycolumn == j) && (scope == 'R' || myrow == i);
        fill(&x, mine ? seed : seed + 1);
        size_t before = supersteps();
        bsp2d_bcast(grid, scope, i, j, &x.view);
        check(is(&x, seed), "broadcast %c of kind %d from (%d,%d)", scope, k, i, j);
        if (scope != 'A' || x.packed_bytes > 2048)
            expect_steps(scope, before, "broadcast");
        free(x.memory);
    }
}

static void add(const ob_view *v, char *sum, const char *x)
{
    size_t parts = v->type == OB_COMPLEX || v->type == OB_DCOMPLEX ? 2 : 1;
    for (size_t k = 0; k < ob_view_count(v) * parts; k++)
        switch (v->type) {
        case OB_INT: ((int *)(void *)sum)[k] += ((const int *)(const void *)x)[k]; break;
        case OB_INT64: ((int64_t *)(void *)sum)[k] += ((const int64_t *)(const void *)x)[k]; break;
        case OB_FLOAT:
        case OB_COMPLEX: ((float *)(void *)sum)[k] += ((const float *)(const void *)x)[k]; break;
        default: ((double *)(void *)sum)[k] += ((const double *)(const void *)x)[k];
        }
}

static void sums(char scope)
{
    for (int k = 0; k < 12; k++) {
        ob_view v = kind(5 * k + line_of(scope) * 3);
        v.type = (ob_type)(k % 6 == OB_BYTE ? OB_INT64 : k % 6);
        matrix x = make(v);
        char *sum = calloc(x.packed_bytes + 1, 1);
        int q = scope_size(scope), me = scope == 'R'   ? mycolumn
                                        : scope == 'C' ? myrow
                                                       : bsp2d_pid(grid, myrow, mycolumn);
        for (int p = 0; p < q; p++) {
            char *data = elements(&v, seed_of(line_of(scope), p, k));
            add(&v, sum, data);
            free(data);
        }
        fill(&x, seed_of(line_of(scope), me, k));
        size_t before = supersteps();
        bsp2d_reduce(grid, scope, OB_SUM, &x.view, NULL, 0);
        check(holds(&x, sum), "sum %c of kind %d", scope, k);
        expect_steps(scope, before, "sum");
        free(sum);
        free(x.memory);
    }
}

static void extremes(char scope)
{
    int q = scope_size(scope), me = scope == 'R'   ? mycolumn
                                    : scope == 'C' ? myrow
                                                   : bsp2d_pid(grid, myrow, mycolumn);
    enum { N = 7 };
    double x[N], largest[N];
    int owner[N], of[N] = {0};
    if (q % 5 == 0) /* then not all values occur */
        return;
    for (int k = 0; k < N; k++) {
        x[k] = (1 + (me * 5 + k * 3) % q) * (k % 2 ? -1 : 1);
        for (int p = 0; p < q; p++)
            if ((p * 5 + k * 3) % q == q - 1)
                of[k] = p;
        largest[k] = q * (k % 2 ? -1 : 1);
    }
    ob_view v = bsp2d_ge(OB_DOUBLE, N, 1, x, N);
    size_t before = supersteps();
    bsp2d_reduce(grid, scope, OB_MAX_ABS, &v, owner, N);
    expect_steps(scope, before, "maximum");
    check(!memcmp(x, largest, sizeof x) && !memcmp(owner, of, sizeof of), "maximum %c: %g of %d",
          scope, x[0], owner[0]);
    x[0] = me + 1;
    v = bsp2d_ge(OB_DOUBLE, 1, 1, x, 1);
    bsp2d_reduce(grid, scope, OB_MIN_ABS, &v, NULL, 0);
    check(x[0] == 1, "minimum %c: %g", scope, x[0]);
}

static void greatest(size_t n, void *acc, const void *in, const void *context)
{
    const long *y = in;
    long *x = acc;
    (void)context;
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] < y[i] ? y[i] : x[i];
}

static void own_operations(char scope)
{
    static const ob_operation operation = {.apply = greatest, .element_bytes = sizeof(long)};
    enum { N = 50 };
    long x[N];
    int good = 1, q = scope_size(scope),
        me = scope == 'R'   ? mycolumn
             : scope == 'C' ? myrow
                            : bsp2d_pid(grid, myrow, mycolumn);
    for (int k = 0; k < N; k++)
        x[k] = (long)(mix((uint64_t)(me * N + k)) >> 2);
    size_t before = supersteps();
    ob_view v = bsp2d_ge(OB_BYTE, sizeof x, 1, x, sizeof x);
    bsp2d_reduce_by(grid, scope, &operation, &v);
    expect_steps(scope, before, "own operation");
    for (int k = 0; k < N; k++) {
        long most = 0;
        for (int p = 0; p < q; p++) {
            long y = (long)(mix((uint64_t)(p * N + k)) >> 2);
            most = most < y ? y : most;
        }
        good &= x[k] == most;
    }
    check(good, "own operation %c", scope);
}

static void replicated(void)
{
    int i = rows - 1, j = columns / 2, p = rows * columns, me = bsp2d_pid(grid, myrow, mycolumn);
    struct {
        double value;
        int row, column;
    } mine = {10.5 + me, myrow, mycolumn}, *all = calloc((size_t)p + 1, sizeof mine);
    size_t before = supersteps();
    bsp2d_replicate(grid, 'C', -5, j, &mine, sizeof mine, all);
    for (int k = 0; k < rows; k++)
        check(all[k].value == 10.5 + k * columns + j && all[k].row == k && all[k].column == j,
              "replicated column: %g", all[k].value);
    check(all[rows].value == 0, "behind the column");
    bsp2d_replicate(grid, 'R', i, 99, &mine, sizeof mine, all);
    for (int k = 0; k < columns; k++)
        check(all[k].row == i && all[k].column == k, "replicated row: %d %d", all[k].row,
              all[k].column);
    bsp2d_replicate(grid, 'A', 99, 99, &mine, sizeof mine, all);
    for (int k = 0; k < p; k++)
        check(all[k].value == 10.5 + k, "replicated grid: %g", all[k].value);
    size_t took = supersteps() - before;
    check(took == (p > 1 ? 3 : 0), "replication: %zu supersteps", took);
    free(all);
}

static void costs(void)
{
    bsp2d_cost c;
    int all = rows * columns, me = bsp2d_pid(grid, myrow, mycolumn);
    double x[1000] = {0};
    ob_view v = bsp2d_ge(OB_DOUBLE, 1000, 1, x, 1000);
    bsp2d_costs(grid, &c, 1);
    check(c.sync_seconds > 0 && c.supersteps > 0, "costs so far");
    bsp2d_costs(grid, &c, 0);
    check(c.sync_seconds == 0 && c.supersteps == 0 && c.sent == 0 && c.received == 0, "reset");
    if (me == 0)
        bsp2d_send(grid, rows - 1, columns - 1, &v);
    bsp2d_sync(grid);
    bsp2d_costs(grid, &c, 0);
    size_t least = all > 1 && me == 0 ? sizeof x : 0, got = all > 1 && me == all - 1 ? sizeof x : 0;
    check(c.supersteps == 1 && c.sent >= least && c.sent <= least + 128 && c.received >= got &&
              c.received <= got + 128 && (least || !c.sent) && (got || !c.received),
          "a superstep of 8000 bytes: %zu sent, %zu received", c.sent, c.received);
}

/* ------------------------------------------------------------------- grids */

static void on_grid(char order, int with_pairs)
{
    inquiries(order);
    if (with_pairs) {
        pairs(0);
        pairs(1);
        rows_in_a_cycle();
    }
    words();
    buffers();
    for (const char *s = "RCA"; *s; s++) {
        broadcasts(*s);
        sums(*s);
        extremes(*s);
        own_operations(*s);
    }
    replicated();
    costs();
}

/* Two grids of one process each way round, with registrations and messages of their own. */
static void two_grids(void)
{
    int *numbers = malloc((size_t)world.count * sizeof *numbers), x = world.me, y = -1, row, other;
    for (int i = 0; i < world.count; i++)
        numbers[i] = world.count - 1 - i;
    bsp2d_grid *one = bsp2d_gridinit('R', 1, world.count);
    bsp2d_grid *two = bsp2d_gridmap(numbers, world.count, world.count, 1);
    bsp2d_gridinfo(two, NULL, NULL, &row, NULL);
    check(row == world.count - 1 - world.me, "row %d of a grid upside down", row);
    ob_view v = bsp2d_ge(OB_INT, 1, 1, &x, 1), w = bsp2d_ge(OB_INT, 1, 1, &y, 1);
    bsp2d_send(one, 0, world.me, &v);
    x = 100 + world.me;
    bsp2d_send(two, world.me, 0, &v);
    bsp2d_sync(two);
    other = world.count - 1 - row; /* the position whose number is our row */
    check(bsp2d_qsize(one, 0, world.me) == 0, "a sync of another grid");
    bsp2d_move(two, other == row ? row : world.count - 1 - row, 0, &w);
    check(y == 100 + row, "through the second grid: %d", y);
    bsp2d_sync(one);
    bsp2d_move(one, 0, world.me, &w);
    check(y == world.me, "through the first grid: %d", y);
    bsp2d_gridexit(two);
    bsp2d_gridexit(one);
    bsp2d_gridexit(NULL);
    free(numbers);
}

int main(void)
{
    begin(1000);
    for (rows = 1; rows <= world.count; rows++) {
        columns = world.count / rows;
        if (rows > 3 && rows < world.count) /* like others, or with few on the grid */
            continue;
        for (int k = 0; k < 2; k++) {
            char order = k ? 'C' : 'R';
            grid = bsp2d_gridinit(order, rows, columns);
            check((grid == NULL) == (world.me >= rows * columns), "who is on the grid");
            if (grid)
                on_grid(order, k == 0 && rows <= 3);
            bsp2d_gridexit(grid);
        }
    }
    two_grids();
    return finish();
}
