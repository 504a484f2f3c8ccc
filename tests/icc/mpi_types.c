/*
 * What the replacement library has beyond the predefined operations on built-in types: operations
 * of the user's, with types that have gaps, that begin elsewhere than at their address, or that are
 * long, commuting or not; operations that only this MPI library defines; all-to-all.
 */
#include <stdbool.h>

#include "mpi_harness.h"

/* Is the replacement library there? MPICH 4.0 has defects where it is not. */
static bool replaced;

typedef struct members {
    MPI_Comm comm;
    int me, size;
} members;

/* ------------------------------------------------------------ operations of the user's */

/* x -> a x + b; one after the other is associative, but does not commute. */
typedef struct line {
    unsigned a, b;
} line;

static line follow(line f, line g)
{
    return (line){f.a * g.a, f.b * g.a + g.b};
}

/* A type and how its lines lie in it: `lines` in an element, from the address + `first` on, each
 * `step` bytes from the one before. */
typedef struct form {
    const char *name;
    MPI_Datatype type;
    int lines;
    MPI_Aint first, step, extent;
} form;

enum { FORMS = 5, LONG = 2000 };
static form forms[FORMS];
static const form *now; /* the form that an operation is called for */

static line *line_at(const form *f, const void *base, int element, int i)
{
    return (line *)(void *)((char *)(uintptr_t)base + element * f->extent + f->first + i * f->step);
}

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    if (*type != now->type)
        check(0, "an operation is told another type");
    for (int e = 0; e < *n; e++)
        for (int i = 0; i < now->lines; i++) {
            line *second = line_at(now, inout, e, i);
            *second = follow(*line_at(now, in, e, i), *second);
        }
}

/* It commutes, so it may be called either way round. */
static void merge(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int e = 0; e < *n; e++)
        for (int i = 0; i < now->lines; i++) {
            line *to = line_at(now, inout, e, i), *from = line_at(now, in, e, i);
            *to = (line){to->a + from->a, to->b ^ from->b};
        }
}

static void make_forms(void)
{
    MPI_Datatype pair, type;
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_dup(pair, &type);
    forms[0] = (form){"lines", type, 1, 0, 8, 8};
    MPI_Type_vector(3, 1, 2, pair, &type);
    forms[1] = (form){"lines with gaps", type, 3, 0, 16, 40};
    MPI_Aint at[2] = {24, 8};
    int one[2] = {1, 1};
    MPI_Datatype two[2] = {pair, pair}, inner;
    MPI_Type_create_struct(2, one, at, two, &inner); /* the second line first */
    MPI_Type_create_resized(inner, 0, 48, &type);
    MPI_Type_free(&inner);
    forms[2] = (form){"lines behind the address", type, 2, 8, 16, 48};
    at[0] = -16;
    MPI_Type_create_hindexed(1, one, at, pair, &inner);
    MPI_Type_create_resized(inner, -16, 24, &type);
    MPI_Type_free(&inner);
    forms[3] = (form){"a line before the address", type, 1, -16, 8, 24};
    MPI_Type_contiguous(LONG, pair, &type);
    forms[4] = (form){"long elements", type, LONG, 0, 8, LONG * 8};
    for (int i = 0; i < FORMS; i++)
        MPI_Type_commit(&forms[i].type);
    MPI_Type_free(&pair);
}

enum { BEFORE = 64 };

/* Memory for n elements, and the address that MPI is told. */
static char *new_memory(const form *f, int n, char **base)
{
    size_t bytes = (size_t)n * (size_t)f->extent + 2 * BEFORE;
    char *memory = malloc(bytes);
    memset(memory, 0x5a, bytes);
    *base = memory + BEFORE;
    return memory;
}

static line line_of(int rank, int element, int i)
{
    unsigned x = (unsigned)(rank * 7919 + element * 31 + i * 17 + 5);
    return (line){x * 2654435761u | 1, x * 40503u};
}

static void fill(const form *f, char *base, int n, int rank)
{
    for (int e = 0; e < n; e++)
        for (int i = 0; i < f->lines; i++)
            *line_at(f, base, e, i) = line_of(rank, e, i);
}

/* Element e of the result of all. */
static line result(const members *m, bool commutes, int e, int i)
{
    line x = line_of(0, e, i);
    for (int rank = 1; rank < m->size; rank++) {
        line y = line_of(rank, e, i);
        x = commutes ? (line){x.a + y.a, x.b ^ y.b} : follow(x, y);
    }
    return x;
}

/* n elements from the `at`-th on of the result, at base; between the lines all is as it was. */
static void expect(const members *m, const form *f, bool commutes, const char *base, int at, int n,
                   const char *call)
{
    char *right_base, *right = new_memory(f, n, &right_base);
    for (int e = 0; e < n; e++)
        for (int i = 0; i < f->lines; i++)
            *line_at(f, right_base, e, i) = result(m, commutes, at + e, i);
    check(memcmp(base - BEFORE, right, (size_t)n * (size_t)f->extent + 2 * BEFORE) == 0,
          "%s of %d of %s, %s", call, n, f->name, commutes ? "commuting" : "in order");
    free(right);
}

static void reductions(const members *m, const form *f, MPI_Op op, bool commutes, int n)
{
    int root = n % m->size, all = n * m->size, *counts = malloc((size_t)m->size * sizeof *counts);
    char *send, *receive, *kept = new_memory(f, all, &send), *memory;
    now = f;
    fill(f, send, all, m->me);
    memory = new_memory(f, n, &receive);
    MPI_Allreduce(send, receive, n, f->type, op, m->comm);
    expect(m, f, commutes, receive, 0, n, "allreduce");
    fill(f, receive, n, m->me);
    MPI_Allreduce(MPI_IN_PLACE, receive, n, f->type, op, m->comm);
    expect(m, f, commutes, receive, 0, n, "allreduce in place");
    free(memory);
    memory = new_memory(f, n, &receive);
    MPI_Reduce(send, m->me == root ? receive : NULL, n, f->type, op, root, m->comm);
    if (m->me == root)
        expect(m, f, commutes, receive, 0, n, "reduce");
    free(memory);
    memory = new_memory(f, n, &receive);
    if (replaced || commutes || f->first == 0) { /* else MPICH 4.0 writes to a wrong place */
        MPI_Reduce_scatter_block(send, receive, n, f->type, op, m->comm);
        expect(m, f, commutes, receive, n * m->me, n, "reduce_scatter_block");
    }
    free(memory);
    for (int i = 0; i < m->size; i++)
        counts[i] = i == 1 ? 0 : n;
    memory = new_memory(f, counts[m->me], &receive);
    MPI_Reduce_scatter(send, receive, counts, f->type, op, m->comm);
    expect(m, f, commutes, receive, m->me > 1 ? n * (m->me - 1) : n * m->me, counts[m->me],
           "reduce_scatter");
    free(memory);
    free(counts);
    free(kept);
}

static void own_operations(const members *m)
{
    MPI_Op op;
    for (int commutes = 0; commutes < 2; commutes++) {
        MPI_Op_create(commutes ? merge : compose, commutes, &op);
        for (int f = 0; f < FORMS; f++)
            for (int k = 0; k < 4; k++)
                reductions(m, &forms[f], op, commutes,
                           (const int[]){3, 1, 0, f == 4 ? 12 : 900}[k]);
        MPI_Op_free(&op);
    }
}

/* -------------------------------------------- what only this MPI library defines */

/* The library's own non-blocking call for one process says whether it does. */
static bool is_defined(MPI_Comm quiet, MPI_Datatype type, MPI_Op op)
{
    _Alignas(16) char in[64] = "", out[64];
    MPI_Request r;
    if (MPI_Iallreduce(in, out, 1, type, op, quiet, &r) != MPI_SUCCESS)
        return false;
    wait_for(&r);
    return true;
}

enum { N = 20 };

/* What member `rank` has as element i: 0 or 1. */
static int bit_of(int rank, int i)
{
    return (i + rank) % 3 != 0;
}

static void put(MPI_Datatype type, char *to, int i, int value)
{
    int bytes;
    MPI_Type_size(type, &bytes);
    memset(to + i * bytes, 0, (size_t)bytes);
    if (type == MPI_FLOAT)
        *((float *)(void *)to + i) = (float)value;
    else if (type == MPI_DOUBLE)
        *((double *)(void *)to + i) = value;
    else if (type == MPI_LONG_DOUBLE)
        *((long double *)(void *)to + i) = value;
    else /* the smallest byte of an integer */
        memcpy(to + i * bytes, &value, (size_t)bytes < sizeof value ? (size_t)bytes : sizeof value);
}

static int result_of(const members *m, MPI_Op op, int i)
{
    int sum = 0, product = 1;
    for (int rank = 0; rank < m->size; rank++) {
        sum += bit_of(rank, i);
        product *= bit_of(rank, i);
    }
    return op == MPI_SUM                      ? sum
           : op == MPI_PROD || op == MPI_LAND ? product
           : op == MPI_LXOR                   ? sum % 2
                                              : sum > 0;
}

static void one_beyond(const members *m, MPI_Datatype type, MPI_Op op)
{
    _Alignas(16) char send[N * 16] = "", ours[N * 16] = "", right[N * 16] = "";
    int bytes;
    MPI_Type_size(type, &bytes);
    for (int i = 0; i < N; i++) {
        put(type, send, i, bit_of(m->me, i));
        put(type, right, i, result_of(m, op, i));
    }
    MPI_Allreduce(send, ours, N, type, op, m->comm);
    bool is_long = type == MPI_LONG_DOUBLE; /* whose padding is not told */
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += memcmp(ours + i * bytes, right + i * bytes, is_long ? 10 : (size_t)bytes) != 0;
    check(wrong == 0, "%d results of %d bytes are wrong", wrong, bytes);
}

static void beyond_the_standard(const members *m)
{
    const MPI_Datatype types[] = {MPI_CHAR,        MPI_FLOAT,  MPI_DOUBLE, MPI_BYTE,
                                  MPI_INTEGER,     MPI_AINT,   MPI_INT8_T, MPI_UINT8_T,
                                  MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_LOGICAL};
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_LXOR, MPI_BOR, MPI_LOR, MPI_LAND};
    MPI_Comm quiet;
    MPI_Comm_dup(MPI_COMM_SELF, &quiet);
    MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            bool real =
                types[t] == MPI_FLOAT || types[t] == MPI_DOUBLE || types[t] == MPI_LONG_DOUBLE;
            /* MPICH 4.0 accepts the truth of reals, and then ends. */
            bool ends = real && (ops[o] == MPI_LOR || ops[o] == MPI_LAND) && !replaced;
            if (!ends && is_defined(quiet, types[t], ops[o]))
                one_beyond(m, types[t], ops[o]);
        }
    MPI_Comm_free(&quiet);
}

/* ---------------------------------------------------------------------- all-to-all */

/* The same bytes as one type and as another: a number of doubles, and pairs with gaps. */
typedef struct shape {
    MPI_Datatype type;
    int numbers; /* doubles in an element */
    int width;   /* doubles from one element to the next */
} shape;
static shape shapes[2];

static void make_shapes(void)
{
    MPI_Datatype gap, type;
    shapes[0] = (shape){MPI_DOUBLE, 1, 1};
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &gap);
    MPI_Type_create_resized(gap, 0, 4 * sizeof(double), &type);
    MPI_Type_free(&gap);
    MPI_Type_commit(&type);
    shapes[1] = (shape){type, 2, 4};
}

/* Pairs of doubles that `from` has for `to`. */
static int pairs_of(int from, int to, int unit)
{
    return (from * 3 + to * 5) % 4 * unit;
}

static double number(int from, int to, int i)
{
    return from * 1000 + to + i / 1024.0;
}

enum { ALL, WITH_COUNTS, WITH_TYPES };

typedef struct sides {
    int *counts, *places; /* places: elements; with types, bytes */
    MPI_Datatype *types;
    int *shape;
    double *data;
    size_t n; /* doubles, gaps included */
} sides;

/* way ALL: every piece has `unit` pairs, and the shape of member 0's. */
static sides new_sides(const members *m, int way, bool out, int unit, int shift)
{
    size_t n = (size_t)m->size;
    sides s = {.counts = calloc(n, sizeof(int)),
               .places = calloc(n, sizeof(int)),
               .shape = calloc(n, sizeof(int)),
               .types = calloc(n, sizeof(MPI_Datatype))};
    for (int i = 0; i < m->size; i++) {
        int pairs = way == ALL ? unit : out ? pairs_of(m->me, i, unit) : pairs_of(i, m->me, unit);
        s.shape[i] = way == WITH_TYPES ? (i + m->me + shift) % 2 : (m->me + shift) % 2;
        const shape *form = &shapes[s.shape[i]];
        s.types[i] = form->type;
        s.counts[i] = pairs * 2 / form->numbers;
        size_t gap = way == ALL ? 0 : 4;
        s.places[i] = way == WITH_TYPES ? (int)(s.n * sizeof(double)) : (int)s.n / form->width;
        s.n += (size_t)(s.counts[i] * form->width) + gap;
    }
    s.data = malloc((s.n + 1) * sizeof(double));
    for (size_t i = 0; i < s.n; i++)
        s.data[i] = -1;
    return s;
}

/* Number i of piece k. */
static double *place_of(const sides *s, int way, int k, int i)
{
    const shape *form = &shapes[s->shape[k]];
    size_t at = way == WITH_TYPES ? (size_t)s->places[k] / sizeof(double)
                : way == ALL      ? (size_t)(s->counts[k] * k * form->width)
                                  : (size_t)(s->places[k] * form->width);
    return s->data + at + (size_t)(i / form->numbers * form->width + i % form->numbers * 2);
}

static void free_sides(sides *s)
{
    free(s->counts);
    free(s->places);
    free(s->shape);
    free(s->types);
    free(s->data);
}

static void call_it(const members *m, int way, const sides *out, const sides *in, bool in_place)
{
    const void *send = in_place ? MPI_IN_PLACE : out->data;
    if (way == ALL)
        MPI_Alltoall(send, out->counts[0], out->types[0], in->data, in->counts[0], in->types[0],
                     m->comm);
    else if (way == WITH_COUNTS)
        MPI_Alltoallv(send, out->counts, out->places, out->types[0], in->data, in->counts,
                      in->places, in->types[0], m->comm);
    else
        MPI_Alltoallw(send, out->counts, out->places, out->types, in->data, in->counts, in->places,
                      in->types, m->comm);
}

static void check_sides(const members *m, int way, const sides *in, const char *what)
{
    sides right = *in;
    right.data = malloc((in->n + 1) * sizeof(double));
    for (size_t i = 0; i < in->n; i++)
        right.data[i] = -1;
    for (int k = 0; k < m->size; k++)
        for (int i = 0; i < in->counts[k] * shapes[in->shape[k]].numbers; i++)
            *place_of(&right, way, k, i) = number(k, m->me, i);
    check(memcmp(right.data, in->data, in->n * sizeof(double)) == 0, "%s, way %d", what, way);
    free(right.data);
}

static void one_alltoall(const members *m, int way, int unit, int shift)
{
    sides out = new_sides(m, way, true, unit, shift),
          in = new_sides(m, way, false, unit, shift / 2);
    for (int k = 0; k < m->size; k++)
        for (int i = 0; i < out.counts[k] * shapes[out.shape[k]].numbers; i++)
            *place_of(&out, way, k, i) = number(m->me, k, i);
    call_it(m, way, &out, &in, false);
    check_sides(m, way, &in, "all to all");
    free_sides(&out);
    free_sides(&in);
}

/* Every member sends as much to each as it gets from it, of one type. */
static void one_in_place(const members *m, int unit)
{
    sides in = new_sides(m, ALL, false, unit, 0);
    for (int k = 0; k < m->size; k++)
        for (int i = 0; i < in.counts[k] * shapes[in.shape[k]].numbers; i++)
            *place_of(&in, ALL, k, i) = number(m->me, k, i);
    call_it(m, ALL, &in, &in, true);
    check_sides(m, ALL, &in, "all to all in place");
    free_sides(&in);
}

static void all_to_all(const members *m)
{
    for (int way = ALL; way <= WITH_TYPES; way++)
        for (int shift = 0; shift < 4; shift++)
            for (int k = 0; k < 4; k++)
                one_alltoall(m, way, (const int[]){1, 0, 100, 9000}[k], shift);
    one_in_place(m, 1);
    one_in_place(m, 300);
}

/* In place with counts: rank r and rank s exchange (r + s) % 3 numbers each way. */
static void in_place_with_counts(const members *m, bool types)
{
    enum { MOST = 3 };
    size_t n = (size_t)m->size;
    int *counts = malloc(n * sizeof(int)), *places = malloc(n * sizeof(int)), wrong = 0;
    MPI_Datatype *of = malloc(n * sizeof *of);
    double *x = malloc(n * MOST * sizeof *x);
    for (int k = 0; k < m->size; k++) {
        counts[k] = (k + m->me) % MOST;
        places[k] = types ? k * MOST * (int)sizeof *x : k * MOST;
        of[k] = MPI_DOUBLE;
        for (int i = 0; i < MOST; i++)
            x[k * MOST + i] = number(m->me, k, i);
    }
    if (types)
        MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, x, counts, places, of, m->comm);
    else
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, x, counts, places, MPI_DOUBLE,
                      m->comm);
    for (int k = 0; k < m->size; k++)
        for (int i = 0; i < MOST; i++)
            wrong += x[k * MOST + i] != (i < counts[k] ? number(k, m->me, i) : number(m->me, k, i));
    check(wrong == 0, "in place with counts: %d are wrong", wrong);
    free(counts);
    free(places);
    free(of);
    free(x);
}

/* One base for both sides, whose pieces are apart; the last member has none. */
static void one_base(const members *m)
{
    enum { FEW = 64 };
    int x[2 * FEW], counts[2][FEW] = {{0}}, places[2][FEW] = {{0}}, wrong = 0;
    int with = m->size > FEW ? FEW : m->size > 1 ? m->size - 1 : 1;
    for (int i = 0; i < 2 * FEW; i++)
        x[i] = m->me * 1000 + i;
    for (int i = 0; i < with && m->me < with; i++) {
        counts[0][i] = counts[1][i] = 1;
        places[0][i] = i;
        places[1][i] = FEW + i;
    }
    if (m->size > FEW)
        return;
    MPI_Alltoallv(x, counts[0], places[0], MPI_INT, x, counts[1], places[1], MPI_INT, m->comm);
    for (int i = 0; i < with && m->me < with; i++)
        wrong += x[FEW + i] != i * 1000 + m->me;
    check(wrong == 0, "alltoallv of one buffer: %d are wrong", wrong);
}

/* A type that holds addresses, and an operation of the program's on it. */
static MPI_Aint word_at;
static void add_word(void *in, void *inout, int *n, MPI_Datatype *type)
{
    double x, y;
    (void)type;
    check(*n == 1, "%d elements at MPI_BOTTOM", *n);
    memcpy(&x, (char *)((uintptr_t)in + (uintptr_t)word_at), sizeof x);
    memcpy(&y, (char *)((uintptr_t)inout + (uintptr_t)word_at), sizeof y);
    y += x;
    memcpy((char *)((uintptr_t)inout + (uintptr_t)word_at), &y, sizeof y);
}

static void reduce_at_bottom(const members *m)
{
    double word = m->me + 1;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Get_address(&word, &word_at);
    MPI_Type_create_hindexed(1, &(int){1}, &word_at, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_word, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, m->comm);
    check(word == m->size * (m->size + 1) / 2, "a reduction at MPI_BOTTOM gives %g", word);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    begin();
    const char *before = getenv("LD_PRELOAD");
    replaced = before && strstr(before, "libicc-mpi");
    make_forms();
    make_shapes();
    MPI_Comm comms[2] = {MPI_COMM_WORLD};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world.me, &comms[1]);
    for (int c = 0; c < 2; c++) {
        members m = {.comm = comms[c]};
        MPI_Comm_rank(m.comm, &m.me);
        MPI_Comm_size(m.comm, &m.size);
        own_operations(&m);
        beyond_the_standard(&m);
        all_to_all(&m);
        in_place_with_counts(&m, false);
        in_place_with_counts(&m, true);
        one_base(&m);
        reduce_at_bottom(&m);
    }
    for (int i = 0; i < FORMS; i++)
        MPI_Type_free(&forms[i].type);
    MPI_Type_free(&shapes[1].type);
    MPI_Comm_free(&comms[1]);
    return finish();
}
