/*
 * Broadcasts and reductions over grids, their rows and their columns, for all types,
 * against values that every process can compute for every other.
 */
#include <math.h>

#include "harness.h"

enum { ROOM = 64 * 40 };

/* One communicator of a grid, and who is in it. */
typedef struct scope {
    MLACS_Comm comm;
    int size, me, root, rroot, croot;
    int number[64]; /* process at each rank */
} scope;

static scope scope_of(const grid *g, int kind, int turn)
{
    scope s = {.comm = kind == 0 ? g->all : kind == 1 ? g->row : g->column};
    s.size = kind == 0 ? g->nrow * g->ncol : kind == 1 ? g->ncol : g->nrow;
    s.root = turn % s.size;
    for (int k = 0; k < s.size; k++) {
        s.number[k] = kind == 0 ? k : kind == 1 ? g->myrow * g->ncol + k : k * g->ncol + g->mycol;
        if (s.number[k] == world.me)
            s.me = k;
    }
    fine(mlacs_cart_coords(s.comm, s.root, &s.rroot, &s.croot), "mlacs_cart_coords");
    return s;
}

/* ------------------------------------------------------------------ broadcasts */

static void broadcast(const scope *s, MLACS_Type t, char uplo, char diag, int m, int n, int ld)
{
    size_t bytes = type_bytes[t];
    int count = elements(uplo, diag, m, n), filled = s->me == s->root ? count : 0;
    uint64_t seed = (uint64_t)(s->number[s->root] * 64 + (int)t) << 30;
    unsigned char *a = new_matrix(bytes, uplo, diag, m, n, ld, seed, filled);
    if (uplo == 'G')
        fine(mlacs_bcast(a, ld, m, n, t, s->rroot, s->croot, s->comm), "mlacs_bcast");
    else
        fine(mlacs_bcast_trap(a, ld, m, n, uplo, diag, t, s->rroot, s->croot, s->comm),
             "mlacs_bcast_trap");
    check(is_matrix(a, bytes, uplo, diag, m, n, ld, seed, count), "broadcast %d x %d %c%c type %d",
          m, n, uplo, diag, (int)t);
    free(a);
}

/* ----------------------------------------------------------------- numbers */

/* Small integers, with many equal magnitudes and signs both ways. */
static int part(int number, int k, int imaginary)
{
    return (int)(mix((uint64_t)(number * 7919 + k * 2 + imaginary)) % 19) - 9;
}

static void put(MLACS_Type t, void *a, int at, int re, int im)
{
    switch (t) {
    case MLACS_INT: ((int32_t *)a)[at] = re; break;
    case MLACS_FLOAT: ((float *)a)[at] = (float)re; break;
    case MLACS_DOUBLE: ((double *)a)[at] = re; break;
    case MLACS_COMPLEX:
        ((float *)a)[2 * at] = (float)re;
        ((float *)a)[2 * at + 1] = (float)im;
        break;
    default: ((double *)a)[2 * at] = re; ((double *)a)[2 * at + 1] = im;
    }
}

static int has(MLACS_Type t, const void *a, int at, int re, int im)
{
    char want[16], *got = (char *)a + (size_t)at * type_bytes[t];
    put(t, want, 0, re, im);
    return memcmp(want, got, type_bytes[t]) == 0;
}

static int is_complex(MLACS_Type t)
{
    return t == MLACS_COMPLEX || t == MLACS_DOUBLE_COMPLEX;
}

static void fill(MLACS_Type t, void *a, int m, int n, int ld, int number)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            put(t, a, i + j * ld, part(number, i + j * m, 0), part(number, i + j * m, 1));
}

/* ------------------------------------------------------------------ reductions */

enum { SUM, MAX, MIN, MAX_ABS, MIN_ABS };

static int call(int what, int to_all, const scope *s, const void *a, void *b, int ld, int m, int n,
                int *ranks, int ldr, MLACS_Type t)
{
    if (what == SUM)
        return to_all ? mlacs_allreduce_sum(a, b, ld, m, n, t, s->comm)
                      : mlacs_reduce_sum(a, b, ld, m, n, t, s->rroot, s->croot, s->comm);
    if (to_all)
        return (what == MAX   ? mlacs_allreduce_maxloc
                : what == MIN ? mlacs_allreduce_minloc
                : what == MAX_ABS
                    ? mlacs_allreduce_maxabsloc
                    : mlacs_allreduce_minabsloc)(a, b, ld, m, n, ranks, ldr, t, s->comm);
    return (what == MAX       ? mlacs_reduce_maxloc
            : what == MIN     ? mlacs_reduce_minloc
            : what == MAX_ABS ? mlacs_reduce_maxabsloc
                              : mlacs_reduce_minabsloc)(a, b, ld, m, n, ranks, ldr, t, s->rroot,
                                                        s->croot, s->comm);
}

/* What element k must be, and whose. */
static void expect(int what, int to_all, const scope *s, MLACS_Type t, int k, int *re, int *im,
                   int *rank)
{
    /* Magnitudes are looked at from the root on, as in the BLACS. */
    int first = what >= MAX_ABS && !to_all ? s->root : 0;
    *re = *im = 0;
    *rank = -1;
    for (int i = 0; i < s->size; i++) {
        int r = (first + i) % s->size;
        int x = part(s->number[r], k, 0), y = is_complex(t) ? part(s->number[r], k, 1) : 0;
        int key = what == MAX_ABS || what == MIN_ABS ? abs(x) + abs(y) : x;
        int best = what == MAX_ABS || what == MIN_ABS ? abs(*re) + abs(*im) : *re;
        if (what == SUM) {
            *re += x;
            *im += y;
        } else if (*rank < 0 || (what == MAX || what == MAX_ABS ? key > best : key < best)) {
            *re = x;
            *im = y;
            *rank = r;
        }
    }
}

static int same_blank(const unsigned char *a, size_t from, size_t to)
{
    while (from < to && a[from] == BLANK)
        from++;
    return from == to;
}

/* way: bit 0 to all, bit 1 in place, bit 2 without ranks. */
static void reduce(const scope *s, int what, MLACS_Type t, int m, int n, int ld, int way)
{
    size_t bytes = type_bytes[t], room = (size_t)(ld * n) * bytes + 1;
    int to_all = way & 1, in_place = way & 2, ldr = m + 1, re, im, rank, right = 1;
    unsigned char *a = malloc(room), *b = malloc(room), *c = malloc(room);
    int *ranks = malloc((size_t)(ldr * n + 1) * sizeof *ranks);
    memset(a, BLANK, room);
    memset(b, BLANK, room);
    memset(ranks, BLANK, (size_t)(ldr * n + 1) * sizeof *ranks);
    fill(t, a, m, n, ld, world.me);
    memcpy(c, a, room);
    int here = to_all || s->me == s->root;
    unsigned char *to = !here ? NULL : in_place ? a : b;
    fine(call(what, to_all, s, a, to, ld, m, n, way & 4 || !here ? NULL : ranks, ldr, t), "reduce");
    for (int k = 0; here && k < m * n; k++) {
        int i = k % m, j = k / m;
        expect(what, to_all, s, t, k, &re, &im, &rank);
        right &= has(t, to, i + j * ld, re, im);
        right &= what == SUM || way & 4 || ranks[i + j * ldr] == rank;
    }
    check(right, "operation %d of type %d, %d x %d, way %d among %d", what, (int)t, m, n, way,
          s->size);
    for (int j = 0; here && j < n; j++)
        right &= same_blank(to, (size_t)(j * ld + m) * bytes, (size_t)((j + 1) * ld) * bytes);
    check(right && a[room - 1] == BLANK && b[room - 1] == BLANK, "written beside the matrix");
    if (to != a)
        check(memcmp(a, c, room) == 0, "the input was changed");
    free(a);
    free(b);
    free(c);
    free(ranks);
}

static void not_numbers(const scope *s)
{
    double a[3] = {s->me, s->me == s->size / 2 ? NAN : s->me, NAN}, b[3];
    int ranks[3];
    fine(mlacs_allreduce_maxloc(a, b, 3, 3, 1, ranks, 3, MLACS_DOUBLE, s->comm),
         "mlacs_allreduce_maxloc");
    check(b[0] == s->size - 1 && ranks[0] == s->size - 1, "maximum %g of %d", b[0], ranks[0]);
    check(isnan(b[1]) && ranks[1] == s->size / 2, "a NaN of %d: %g of %d", s->size / 2, b[1],
          ranks[1]);
    check(isnan(b[2]) && ranks[2] == 0, "NaNs alone: %g of %d", b[2], ranks[2]);
    fine(mlacs_allreduce_minloc(a, b, 3, 3, 1, ranks, 3, MLACS_DOUBLE, s->comm),
         "mlacs_allreduce_minloc");
    check(b[0] == 0 && ranks[0] == 0, "minimum %g of %d", b[0], ranks[0]);
    check(isnan(b[1]) && ranks[1] == s->size / 2, "a NaN of %d: %g of %d", s->size / 2, b[1],
          ranks[1]);
}

static void all_of(const grid *g)
{
    static const int size[][3] = {{1, 1, 1}, {3, 5, 4}, {0, 2, 1}, {40, 17, 43}, {64, 40, 64}};
    int turn = 0;
    for (int kind = 0; kind < 3; kind++) {
        for (int t = MLACS_INT; t <= MLACS_BYTE; t++) {
            scope s = scope_of(g, kind, turn++);
            broadcast(&s, (MLACS_Type)t, 'G', 'N', 5, 3, 7);
            broadcast(&s, (MLACS_Type)t, "UL"[turn % 2], "NU"[turn / 2 % 2], 9, 6, 9);
            broadcast(&s, (MLACS_Type)t, "UL"[turn / 2 % 2], "NU"[turn % 2], 120, 150, 121);
            for (int k = 0; t < MLACS_BYTE && k < 5; k++)
                for (int what = SUM; what <= MIN_ABS; what++)
                    if (!is_complex((MLACS_Type)t) || what == SUM || what >= MAX_ABS)
                        reduce(&s, what, (MLACS_Type)t, size[k][0], size[k][1], size[k][2],
                               turn++ % 8);
        }
        scope s = scope_of(g, kind, turn);
        not_numbers(&s);
    }
}

/* ------------------------------------------------------------------ without waiting */

/* All kinds at once, ended from the last to the first, beside a call that waits. */
static void overlapping(const grid *g, int m, int n)
{
    enum { KINDS = 3 };
    const int ld = m + 1, count = m * n;
    MLACS_Request r[KINDS * 4];
    double *a[KINDS], *b[KINDS], *all[KINDS], *sent[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        scope s = scope_of(g, kind, m);
        size_t room = (size_t)ld * (size_t)n;
        a[kind] = malloc(room * sizeof(double));
        b[kind] = malloc(room * sizeof(double));
        all[kind] = malloc(room * sizeof(double));
        sent[kind] = malloc(room * sizeof(double));
        for (size_t i = 0; i < room; i++) {
            a[kind][i] = world.me + (double)i;
            sent[kind][i] = s.me == s.root ? 3 * (double)i : -1;
        }
        MLACS_Request *to = &r[4 * kind];
        fine(mlacs_ireduce_sum(a[kind], b[kind], ld, m, n, MLACS_DOUBLE, s.rroot, s.croot, s.comm,
                               &to[0]),
             "mlacs_ireduce_sum");
        fine(mlacs_iallreduce_sum(a[kind], all[kind], ld, m, n, MLACS_DOUBLE, s.comm, &to[1]),
             "mlacs_iallreduce_sum");
        fine(mlacs_ibcast(sent[kind], ld, m, n, MLACS_DOUBLE, s.rroot, s.croot, s.comm, &to[2]),
             "mlacs_ibcast");
        fine(mlacs_ibarrier(s.comm, &to[3]), "mlacs_ibarrier");
        fine(mlacs_barrier(s.comm), "mlacs_barrier");
    }
    for (int k = KINDS * 4 - 1; k > 0; k--) {
        MLACS_Status status;
        fine(mlacs_wait(&r[k], &status), "mlacs_wait");
        check(status.row == -1 && status.tag == -1, "a status of a collective call says something");
    }
    int flag = 0;
    while (!flag)
        fine(mlacs_test(&r[0], &flag, MLACS_STATUS_IGNORE), "mlacs_test");
    for (int kind = 0; kind < KINDS; kind++) {
        scope s = scope_of(g, kind, m);
        int wrong = 0, sum = 0;
        for (int k = 0; k < s.size; k++)
            sum += s.number[k];
        for (int k = 0; k < count; k++) {
            int i = k % m + k / m * ld;
            double want = sum + (double)s.size * i;
            wrong += all[kind][i] != want || (s.me == s.root && b[kind][i] != want);
            wrong += sent[kind][i] != 3 * i || a[kind][i] != world.me + i;
        }
        check(wrong == 0, "%d of %d elements are wrong", wrong, count);
        free(a[kind]);
        free(b[kind]);
        free(all[kind]);
        free(sent[kind]);
    }
}

/* Only what belongs to the trapezoid. */
static void overlapping_trapezoid(const grid *g)
{
    double a[16];
    MLACS_Request r = MLACS_REQUEST_NULL;
    scope s = scope_of(g, 0, 1);
    for (int i = 0; i < 16; i++)
        a[i] = s.me == s.root ? i : -1;
    fine(mlacs_ibcast_trap(a, 4, 4, 4, 'L', 'U', MLACS_DOUBLE, s.rroot, s.croot, s.comm, &r),
         "mlacs_ibcast_trap");
    fine(mlacs_wait(&r, MLACS_STATUS_IGNORE), "mlacs_wait");
    for (int i = 0; i < 16; i++)
        check(a[i] == (i % 4 > i / 4 || s.me == s.root ? i : -1), "element %d is %g", i, a[i]);
}

int main(void)
{
    begin();
    grid g = make_grid(1, world.count);
    all_of(&g);
    overlapping(&g, 3, 2);
    overlapping(&g, 200, 200);
    overlapping_trapezoid(&g);
    end_grid(&g);
    if (world.count > 3) {
        g = make_grid(2, world.count / 2);
        if (g.inside) {
            all_of(&g);
            overlapping(&g, 30, 7);
        }
        end_grid(&g);
    }
    return finish();
}
