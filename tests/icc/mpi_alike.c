/*
 * Calls that do not wait, of lengths around all at which libicc-mpi decides otherwise who serves
 * them. Members name the same bytes by different types, roots work in place, and pieces of one
 * call are shorter and longer than such a length. Members that decide differently wait for each
 * other for ever, one here and one in the MPI library. Every result is checked. Persistent calls
 * are those of begun.c.
 */
#include <stdbool.h>

#include "mpi_harness.h"

enum { MOST = 4 << 20, MEMBERS = 8, SOME = 64 };
static MPI_Comm comm;
static int me, size, root;
static unsigned char *out, *in;
static MPI_Datatype eight, kinds[3];
static const int bytes_of[3] = {1, 8, 8};

/* ------------------------------------------------------------- lengths and contents */

/* What member `from` sends in the k-th eight bytes of the piece for member `to`. */
static uint64_t word_of(int from, int to, size_t k)
{
    return mix(k + 1000 * (size_t)(from + 10 * to));
}

static void fill(unsigned char *piece, int from, int to, size_t bytes)
{
    uint64_t word;
    for (size_t k = 0; k < bytes; k += sizeof word) {
        word = word_of(from, to, k / sizeof word);
        memcpy(piece + k, &word, bytes - k < sizeof word ? bytes - k : sizeof word);
    }
}

static void expect(const unsigned char *piece, int from, int to, size_t bytes, const char *name)
{
    uint64_t word;
    for (size_t k = 0; k < bytes; k += sizeof word) {
        word = word_of(from, to, k / sizeof word);
        if (memcmp(piece + k, &word, bytes - k < sizeof word ? bytes - k : sizeof word) != 0) {
            check(0, "%s of %zu bytes, root %d: byte %zu or one of the next from %d", name, bytes,
                  root, k, from);
            return;
        }
    }
    check(1, "%s", name);
}

/* The type that this member names in such a round, and how many of them are so many bytes. */
static MPI_Datatype type_of(int round)
{
    return kinds[(me + round) % 3];
}

static int count_of(int round, size_t bytes)
{
    return (int)(bytes / (size_t)bytes_of[(me + round) % 3]);
}

/* What an earlier call has brought is no result of the next. */
static void blank(size_t n)
{
    memset(in, 0xa5, (size_t)size * (n + SOME));
}

/* ------------------------------------------------------------------ pieces alike */

static void to_all(int round, size_t n)
{
    MPI_Request r;
    MPI_Datatype t = type_of(round), u = type_of(round + 1);
    int k = count_of(round, n), l = count_of(round + 1, n);
    blank(n);
    fill(in, me == root ? root : MEMBERS, 0, n);
    MPI_Ibcast(in, k, t, root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect(in, root, 0, n, "MPI_Ibcast");
    blank(n);
    fill(out, me, 0, n);
    MPI_Iallgather(out, k, t, in, l, u, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        expect(in + (size_t)i * n, i, 0, n, "MPI_Iallgather");
    blank(n);
    for (int i = 0; i < size; i++)
        fill(out + (size_t)i * n, me, i, n);
    MPI_Ialltoall(out, k, t, in, l, u, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        expect(in + (size_t)i * n, i, me, n, "MPI_Ialltoall");
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memcpy(in, out, n * (size_t)size), k, t, comm,
                  &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        expect(in + (size_t)i * n, i, me, n, "MPI_Ialltoall in place");
}

/* In place at the root in every second round: there it names no piece at all. */
static void to_or_from_root(int round, size_t n)
{
    MPI_Request r;
    MPI_Datatype t = type_of(round), u = type_of(round + 1), none = MPI_DATATYPE_NULL;
    int k = count_of(round, n), l = count_of(round + 1, n);
    bool in_place = me == root && round % 2;
    blank(n);
    fill(in_place ? in + (size_t)me * n : out, me, root, n);
    MPI_Igather(in_place ? MPI_IN_PLACE : out, in_place ? 0 : k, in_place ? none : t, in, l, u,
                root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; me == root && i < size; i++)
        expect(in + (size_t)i * n, i, root, n, "MPI_Igather");
    blank(n);
    for (int i = 0; me == root && i < size; i++)
        fill(out + (size_t)i * n, me, i, n);
    MPI_Iscatter(out, k, t, in_place ? MPI_IN_PLACE : in, in_place ? 0 : l, in_place ? none : u,
                 root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (!in_place)
        expect(in, root, me, n, "MPI_Iscatter");
}

/* ---------------------------------------------------------------- pieces that differ */

static int counts[MEMBERS], places[MEMBERS], zeros[MEMBERS], back[MEMBERS];
static MPI_Datatype types[MEMBERS];

/* Pieces of n bytes, but some more or less, in the middle n. */
static void spread(size_t n)
{
    int at = 0;
    for (int i = 0; i < size; i++) {
        int more = size == 1 || (i == size - 1 && size % 2) ? 0 : i % 2 ? SOME : -SOME;
        counts[i] = (int)n + (n >= SOME ? more : 0);
        places[i] = at;
        at += counts[i];
    }
}

static void lists(int round, size_t n)
{
    MPI_Request r;
    MPI_Datatype t = type_of(round), none = MPI_DATATYPE_NULL;
    spread(n);
    size_t own = (size_t)counts[me];
    int k = count_of(round, own);
    blank(n);
    fill(out, me, 0, own);
    MPI_Iallgatherv(out, k, t, in, counts, places, MPI_BYTE, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        expect(in + places[i], i, 0, (size_t)counts[i], "MPI_Iallgatherv");
    bool in_place = me == root && round % 2;
    blank(n);
    fill(in_place ? in + places[me] : out, me, 0, own);
    MPI_Igatherv(in_place ? MPI_IN_PLACE : out, in_place ? 0 : k, in_place ? none : t, in, counts,
                 places, MPI_BYTE, root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; me == root && i < size; i++)
        expect(in + places[i], i, 0, (size_t)counts[i], "MPI_Igatherv");
    blank(n);
    for (int i = 0; me == root && i < size; i++)
        fill(out + places[i], me, i, (size_t)counts[i]);
    MPI_Iscatterv(out, counts, places, MPI_BYTE, in_place ? MPI_IN_PLACE : in, in_place ? 0 : k,
                  in_place ? none : t, root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (!in_place)
        expect(in, root, me, own, "MPI_Iscatterv");
}

/* Each sends to the next alone: n bytes, and the last one nothing to anybody. */
static void around(size_t n)
{
    MPI_Request r;
    int next = (me + 1) % size, last = (me + size - 1) % size;
    memset(counts, 0, sizeof counts);
    memset(back, 0, sizeof back);
    counts[next] = me == size - 1 ? 0 : (int)n;
    back[last] = me == 0 ? 0 : (int)n;
    for (int i = 0; i < size; i++) /* of no elements, a type is not looked at */
        types[i] = i == last && me ? MPI_BYTE : MPI_CHAR;
    blank(n);
    fill(out, me, next, n);
    MPI_Ialltoallv(out, counts, zeros, MPI_BYTE, in, back, zeros, MPI_CHAR, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect(in, last, me, (size_t)back[last], "MPI_Ialltoallv");
    blank(n);
    for (int i = 0; i < size; i++)
        types[i] = MPI_BYTE;
    MPI_Ialltoallw(out, counts, zeros, types, in, back, zeros, types, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect(in, last, me, (size_t)back[last], "MPI_Ialltoallw");
}

/* ------------------------------------------------------------------------ sums */

static void sums(int round, size_t n)
{
    MPI_Request r;
    int count = (int)(n / 8), each[MEMBERS], sum = 0, own, total = size * (size + 1) / 2;
    long long *x = (long long *)(void *)out, *y = (long long *)(void *)in;
    bool in_place = me == root && round % 2;
    blank(n);
    for (int k = 0; k < count; k++)
        x[k] = y[k] = (me + 1) * (k % 1000 + 1);
    MPI_Ireduce(in_place ? MPI_IN_PLACE : x, y, count, MPI_LONG_LONG, MPI_SUM, root, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; me == root && k<count; k += count> 99 ? 97 : 1)
        check(y[k] == (long long)total * (k % 1000 + 1), "MPI_Ireduce of %d", count);
    for (int k = 0; k < count; k++)
        check(x[k] == (me + 1) * (k % 1000 + 1), "MPI_Ireduce of %d: operand %d", count, k);
    blank(n);
    MPI_Iallreduce(x, y, count, MPI_LONG_LONG, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k<count; k += count> 99 ? 97 : 1)
        check(y[k] == (long long)total * (k % 1000 + 1), "MPI_Iallreduce of %d", count);
    blank(n);
    MPI_Iscan(x, y, count, MPI_LONG_LONG, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k<count; k += count> 99 ? 97 : 1)
        check(y[k] == (long long)(me + 1) * (me + 2) / 2 * (k % 1000 + 1), "MPI_Iscan of %d",
              count);
    blank(n);
    MPI_Iexscan(x, y, count, MPI_LONG_LONG, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; me && k<count; k += count> 99 ? 97 : 1)
        check(y[k] == (long long)me * (me + 1) / 2 * (k % 1000 + 1), "MPI_Iexscan of %d", count);
    const int part = count / size;
    blank(n);
    MPI_Ireduce_scatter_block(x, y, part, MPI_LONG_LONG, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k<part; k += part> 99 ? 97 : 1)
        check(y[k] == (long long)total * ((k + me * part) % 1000 + 1),
              "MPI_Ireduce_scatter_block of %d", part);
    for (int i = 0; i < size; i++) { /* all in the last piece but one element each */
        each[i] = i < size - 1 ? (sum < count) : count - sum;
        sum += each[i];
    }
    own = me < size - 1 ? me : count - each[size - 1];
    blank(n);
    MPI_Ireduce_scatter(x, y, each, MPI_LONG_LONG, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int k = 0; k<each[me]; k += count> 99 ? 97 : 1)
        check(y[k] == (long long)total * ((k + own) % 1000 + 1), "MPI_Ireduce_scatter of %d",
              count);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    begin();
    me = world.me;
    size = world.count;
    comm = MPI_COMM_WORLD;
    if (!check(size <= MEMBERS, "at most %d processes", MEMBERS))
        return finish();
    out = calloc((size_t)size, MOST + SOME + 8);
    in = calloc((size_t)size, MOST + SOME + 8);
    MPI_Type_contiguous(8, MPI_BYTE, &eight);
    MPI_Type_commit(&eight);
    kinds[0] = MPI_BYTE;
    kinds[1] = eight;
    kinds[2] = MPI_DOUBLE;
    int round = 0;
    for (size_t limit = 8; limit <= MOST; limit *= 2)
        for (size_t n = limit - 8; n <= limit + 8 && n <= MOST; n += 8, round++) {
            root = round % size;
            to_all(round, n);
            to_or_from_root(round, n);
            lists(round, n);
            around(n);
            sums(round, n);
        }
    MPI_Type_free(&eight);
    free(out);
    free(in);
    return finish();
}
