/*
 * Reduce, allreduce, reduce_scatter(_block): every predefined operation on every built-in
 * type that has it, in place and not, on several communicators; operations of the
 * user's and derived types, which are passed on.
 */
#include <stdbool.h>
#include <stdint.h>

#include "mpi_harness.h"

/* ----------------------------------------------------------------- the types */

typedef enum family { INTEGER, FORTRAN_INTEGER, REAL, COMPLEX, TRUTH, BYTES, PAIR } family;
typedef struct kind {
    const char *name;
    MPI_Datatype type;
    family family;
    size_t part; /* bytes of one number in it */
    bool real;   /* whose numbers are reals */
} kind;

static kind kinds[64];
static int n_kinds;

static void add(const char *name, MPI_Datatype type, family f, size_t part, bool real)
{
    kinds[n_kinds++] = (kind){name, type, f, part, real};
}

static void add_kinds(void)
{
#define ADD(type, f, part, real) add(#type, type, f, part, real)
    ADD(MPI_SIGNED_CHAR, INTEGER, 1, false);
    ADD(MPI_SHORT, INTEGER, 2, false);
    ADD(MPI_INT, INTEGER, 4, false);
    ADD(MPI_LONG, INTEGER, sizeof(long), false);
    ADD(MPI_LONG_LONG, INTEGER, 8, false);
    ADD(MPI_UNSIGNED_CHAR, INTEGER, 1, false);
    ADD(MPI_UNSIGNED_SHORT, INTEGER, 2, false);
    ADD(MPI_UNSIGNED, INTEGER, 4, false);
    ADD(MPI_UNSIGNED_LONG, INTEGER, sizeof(long), false);
    ADD(MPI_INT8_T, INTEGER, 1, false);
    ADD(MPI_UINT16_T, INTEGER, 2, false);
    ADD(MPI_INT32_T, INTEGER, 4, false);
    ADD(MPI_UINT64_T, INTEGER, 8, false);
    ADD(MPI_AINT, FORTRAN_INTEGER, sizeof(MPI_Aint), false);
    ADD(MPI_INTEGER, FORTRAN_INTEGER, 4, false);
    ADD(MPI_FLOAT, REAL, 4, true);
    ADD(MPI_DOUBLE, REAL, 8, true);
    ADD(MPI_LONG_DOUBLE, REAL, sizeof(long double), true);
    ADD(MPI_DOUBLE_PRECISION, REAL, 8, true);
    ADD(MPI_C_FLOAT_COMPLEX, COMPLEX, 4, true);
    ADD(MPI_C_DOUBLE_COMPLEX, COMPLEX, 8, true);
    ADD(MPI_DOUBLE_COMPLEX, COMPLEX, 8, true);
    ADD(MPI_C_BOOL, TRUTH, 1, false);
    ADD(MPI_LOGICAL, TRUTH, 4, false);
    ADD(MPI_BYTE, BYTES, 1, false);
    ADD(MPI_2INT, PAIR, 4, false);
    ADD(MPI_FLOAT_INT, PAIR, 4, true);
    ADD(MPI_DOUBLE_INT, PAIR, 8, true);
    ADD(MPI_LONG_INT, PAIR, sizeof(long), false);
    ADD(MPI_SHORT_INT, PAIR, 2, false);
    ADD(MPI_LONG_DOUBLE_INT, PAIR, sizeof(long double), true);
    ADD(MPI_2DOUBLE_PRECISION, PAIR, 8, true);
}

typedef struct operation {
    const char *name;
    MPI_Op op;
    unsigned families; /* that have it */
} operation;

#define OF(f) (1u << (f))
static operation operations[12];
static void add_operations(void)
{
    const unsigned integers = OF(INTEGER) | OF(FORTRAN_INTEGER);
    const unsigned numbers = integers | OF(REAL), all = numbers | OF(COMPLEX);
    const unsigned truth = OF(INTEGER) | OF(TRUTH), bits = integers | OF(BYTES);
    const operation list[] = {{"max", MPI_MAX, numbers},
                              {"min", MPI_MIN, numbers},
                              {"sum", MPI_SUM, all},
                              {"prod", MPI_PROD, all},
                              {"land", MPI_LAND, truth},
                              {"lor", MPI_LOR, truth},
                              {"lxor", MPI_LXOR, truth},
                              {"band", MPI_BAND, bits},
                              {"bor", MPI_BOR, bits},
                              {"bxor", MPI_BXOR, bits},
                              {"maxloc", MPI_MAXLOC, OF(PAIR)},
                              {"minloc", MPI_MINLOC, OF(PAIR)}};
    memcpy(operations, list, sizeof list);
}

/* ------------------------------------------------------------------ the data */

static size_t extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    return (size_t)extent;
}

static void put_number(char *at, size_t part, bool real, int v)
{
    if (real && part == 4)
        *(float *)at = (float)v;
    else if (real && part == 8)
        *(double *)at = v;
    else if (real)
        *(long double *)at = v;
    else
        memcpy(at, &(int64_t){v}, part); /* little-endian or not: all ranks alike */
}

/* n elements of the vector of `seed`, from `first` on: small whole numbers, so that no order of
 * additions and products rounds. */
static void fill(const kind *k, char *data, int first, int n, int seed)
{
    size_t extent = extent_of(k->type);
    memset(data, 0, (size_t)n * extent);
    for (int i = first; i < first + n; i++) {
        int h = (seed * 31 + i * 17 + i / 5) % 11;
        char *at = data + (size_t)(i - first) * extent;
        if (k->family == PAIR) {
            put_number(at, k->part, k->real, h % 3);
            bool wide = k->type == MPI_2DOUBLE_PRECISION;
            if (wide)
                put_number(at + k->part, k->part, true, seed);
            else
                memcpy(at + (k->part < 4 ? 4 : k->part), &seed, sizeof seed);
        } else if (k->family == COMPLEX) {
            put_number(at, k->part, true, h % 2 ? 2 : -2);           /* no product has a part 0, */
            put_number(at + k->part, k->part, true, h % 2 ? 1 : -1); /* whose sign may vary */
        } else {
            put_number(at, k->part, k->real, k->family == TRUTH ? h > 5 : h % 4);
        }
    }
}

/* Buffers of a test: the result of the call, what it must be, and what the MPI library's
 * own call gave. */
typedef struct buffers {
    char *send, *ours, *right, *theirs;
    size_t bytes;
} buffers;

/* A test: its communicator, kind and operation. */
typedef struct test {
    MPI_Comm comm;
    int me, size;
    const kind *kind;
    const operation *operation;
} test;

enum { GUARD = 64 };
static buffers new_buffers(const test *t, int n)
{
    size_t bytes = (size_t)n * extent_of(t->kind->type) + GUARD;
    buffers b = {calloc(bytes, 1), calloc(bytes, 1), calloc(bytes, 1), calloc(bytes, 1), bytes};
    fill(t->kind, b.send, 0, n, t->me);
    return b;
}

static void free_buffers(buffers *b)
{
    free(b->send);
    free(b->ours);
    free(b->right);
    free(b->theirs);
}

/* n elements, from `first` on, of the members' vectors combined in the order of their ranks are
 * what must be left in the buffer. */
static void expect(const test *t, buffers *b, int first, int n)
{
    char *other = calloc(b->bytes, 1);
    fill(t->kind, b->right, first, n, t->size - 1);
    for (int rank = t->size - 2; rank >= 0; rank--) {
        fill(t->kind, other, first, n, rank);
        MPI_Reduce_local(other, b->right, n, t->kind->type, t->operation->op);
    }
    free(other);
}

static void compare(const test *t, const char *got, const buffers *b, size_t bytes,
                    const char *call, int n)
{
    check(memcmp(got, b->right, bytes) == 0, "%s %s of %d %s", call, t->operation->name, n,
          t->kind->name);
}

/* ----------------------------------------------------------------- the tests */

static void test_allreduce(const test *t, int n)
{
    MPI_Request r;
    MPI_Datatype type = t->kind->type;
    buffers b = new_buffers(t, n);
    expect(t, &b, 0, n);
    MPI_Allreduce(b.send, b.ours, n, type, t->operation->op, t->comm);
    compare(t, b.ours, &b, b.bytes, "allreduce", n);
    memcpy(b.ours, b.send, b.bytes);
    MPI_Allreduce(MPI_IN_PLACE, b.ours, n, type, t->operation->op, t->comm);
    compare(t, b.ours, &b, b.bytes, "allreduce in place", n);
    if (ask_library) {
        MPI_Iallreduce(b.send, b.theirs, n, type, t->operation->op, t->comm, &r);
        wait_for(&r);
        compare(t, b.theirs, &b, b.bytes, "the library's allreduce", n);
    }
    free_buffers(&b);
}

static void test_reduce(const test *t, int n, int root)
{
    MPI_Request r;
    MPI_Datatype type = t->kind->type;
    MPI_Op op = t->operation->op;
    int at_root = t->me == root;
    buffers b = new_buffers(t, n);
    if (at_root)
        expect(t, &b, 0, n);
    MPI_Reduce(b.send, at_root ? b.ours : NULL, n, type, op, root, t->comm);
    compare(t, b.ours, &b, b.bytes, "reduce", n);
    if (ask_library) {
        MPI_Ireduce(b.send, at_root ? b.theirs : NULL, n, type, op, root, t->comm, &r);
        wait_for(&r);
        compare(t, b.theirs, &b, b.bytes, "the library's reduce", n);
    }
    memcpy(b.ours, b.send, b.bytes);
    MPI_Reduce(at_root ? MPI_IN_PLACE : b.ours, at_root ? b.ours : NULL, n, type, op, root,
               t->comm);
    if (!at_root) /* what was sent is as it was */
        memcpy(b.right, b.send, b.bytes);
    compare(t, b.ours, &b, b.bytes, "reduce in place", n);
    free_buffers(&b);
}

static void test_reduce_scatter(const test *t, int n)
{
    MPI_Request r;
    MPI_Datatype type = t->kind->type;
    MPI_Op op = t->operation->op;
    int *counts = malloc((size_t)t->size * sizeof *counts), sum = 0, before = 0;
    for (int i = 0; i < t->size; i++) {
        counts[i] = i % 3 == 1 ? 0 : n + i;
        before += i < t->me ? counts[i] : 0;
        sum += counts[i];
    }
    buffers b = new_buffers(t, sum);
    size_t own = (size_t)counts[t->me] * extent_of(type);
    expect(t, &b, before, counts[t->me]);
    MPI_Reduce_scatter(b.send, b.ours, counts, type, op, t->comm);
    compare(t, b.ours, &b, b.bytes, "reduce_scatter", n);
    if (ask_library) {
        MPI_Ireduce_scatter(b.send, b.theirs, counts, type, op, t->comm, &r);
        wait_for(&r);
        compare(t, b.theirs, &b, b.bytes, "the library's reduce_scatter", n);
    }
    if (t->operation->families) { /* in place MPICH 4.0 crashes with an own operation */
        memcpy(b.ours, b.send, b.bytes);
        MPI_Reduce_scatter(MPI_IN_PLACE, b.ours, counts, type, op, t->comm);
        memcpy(b.right + own, b.send + own, b.bytes - own); /* behind it: as it was */
        compare(t, b.ours, &b, b.bytes, "reduce_scatter in place", n);
    }
    free_buffers(&b);
    free(counts);
}

static void test_reduce_scatter_block(const test *t, int n)
{
    MPI_Datatype type = t->kind->type;
    MPI_Op op = t->operation->op;
    buffers b = new_buffers(t, n * t->size);
    expect(t, &b, n * t->me, n);
    MPI_Reduce_scatter_block(b.send, b.ours, n, type, op, t->comm);
    compare(t, b.ours, &b, b.bytes, "reduce_scatter_block", n);
    if (t->operation->families) {
        memcpy(b.ours, b.send, b.bytes);
        MPI_Reduce_scatter_block(MPI_IN_PLACE, b.ours, n, type, op, t->comm);
        size_t own = (size_t)n * extent_of(type);
        memcpy(b.right + own, b.send + own, b.bytes - own);
        compare(t, b.ours, &b, b.bytes, "reduce_scatter_block in place", n);
    }
    free_buffers(&b);
}

static void test_all(MPI_Comm comm, const kind *k, const operation *o, int n)
{
    test t = {.comm = comm, .kind = k, .operation = o};
    MPI_Comm_rank(comm, &t.me);
    MPI_Comm_size(comm, &t.size);
    test_allreduce(&t, n);
    test_reduce(&t, n, n % t.size);
    test_reduce_scatter(&t, n);
    test_reduce_scatter_block(&t, n);
}

static void test_own_operation(MPI_Comm comm)
{
    operation own = {"an own operation", MPI_OP_NULL, 0};
    MPI_Op_create(compose_lines, 0, &own.op);
    for (int k = 0; k < n_kinds; k++)
        if (kinds[k].type == MPI_2INT)
            test_all(comm, &kinds[k], &own, 7);
    MPI_Op_free(&own.op);
}

static void add_vectors(void *in, void *acc, int *n, MPI_Datatype *type)
{
    int *a = acc, *b = in;
    (void)type;
    for (int i = 0; i < 3 * *n; i++)
        a[i] += b[i];
}

static void test_derived(MPI_Comm comm)
{
    int send[12], ours[12], me, size, good = 1;
    MPI_Op op;
    MPI_Datatype three;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Op_create(add_vectors, 1, &op);
    for (int i = 0; i < 12; i++)
        send[i] = i * me + 1;
    MPI_Allreduce(send, ours, 4, three, op, comm);
    for (int i = 0; i < 12; i++)
        good &= ours[i] == i * (size * (size - 1) / 2) + size;
    check(good, "allreduce of a derived type");
    MPI_Op_free(&op);
    MPI_Type_free(&three);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    begin();
    add_kinds();
    add_operations();
    int lengths[] = {1, 1000, 0, 5, 70000};
    int some = argc > 1 && strcmp(argv[1], "long") == 0 ? 5 : 2;
    MPI_Comm half, backwards, comms[3];
    MPI_Comm_split(MPI_COMM_WORLD, world.me % 2, world.me, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world.me, &backwards);
    comms[0] = MPI_COMM_WORLD;
    comms[1] = half;
    comms[2] = backwards;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < n_kinds; k++)
            for (int o = 0; o < 12; o++)
                for (int n = 0; n < (c ? 1 : some); n++)
                    if (operations[o].families & OF(kinds[k].family))
                        test_all(comms[c], &kinds[k], &operations[o], lengths[n]);
        test_own_operation(comms[c]);
        test_derived(comms[c]);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
    return finish();
}
