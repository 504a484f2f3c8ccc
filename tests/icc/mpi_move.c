/*
 * Broadcast, (all)gather(v), scatter(v) and barrier: built-in types, derived ones, and
 * members that describe the same data by different types; places in any order, with gaps
 * and negative; in place; on many communicators, made and freed, of all sorts.
 */
#include <stddef.h>

#include "mpi_harness.h"

enum { GUARD = 64 };

/* One way to describe `n` doubles: MPI_DOUBLE, or a derived type with gaps, backwards, or
 * in pairs. All have the same signature, so members may mix them. */
typedef struct layout {
    const char *name;
    MPI_Datatype type;
    int per; /* doubles in one element */
} layout;
enum { LAYOUTS = 4, UNIT = 4 };
static layout layouts[LAYOUTS];

/* MPICH 4.0's own allgatherv writes to the wrong place in a communicator of one. */
static int straight_alone;

static void make_layouts(void)
{
    MPI_Datatype pairs, gaps, backwards, small;
    int places[2] = {1, 0};
    MPI_Type_contiguous(2, MPI_DOUBLE, &pairs);
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &small);
    MPI_Type_create_resized(small, 0, 6 * (MPI_Aint)sizeof(double), &gaps);
    MPI_Type_free(&small);
    MPI_Type_create_indexed_block(2, 1, places, MPI_DOUBLE, &backwards);
    layouts[0] = (layout){"doubles", MPI_DOUBLE, 1};
    layouts[1] = (layout){"pairs", pairs, 2};
    layouts[2] = (layout){"gaps", gaps, 2};
    layouts[3] = (layout){"backwards", backwards, 2};
    for (int i = 1; i < LAYOUTS; i++)
        MPI_Type_commit(&layouts[i].type);
}

static size_t extent_of(const layout *l)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(l->type, &low, &extent);
    return (size_t)extent;
}

/* Memory for n doubles in this layout, each double of it a different number. */
static char *new_data(const layout *l, int n, int seed, size_t *bytes)
{
    *bytes = (size_t)(n / l->per + 1) * extent_of(l) + GUARD;
    *bytes = (*bytes + 7) / 8 * 8;
    double *data = malloc(*bytes);
    for (size_t i = 0; i < *bytes / 8; i++)
        data[i] = seed * 1000003.0 + (double)i;
    return (char *)data;
}

static char *copy_of(const char *data, size_t bytes)
{
    return memcpy(malloc(bytes), data, bytes);
}

static void compare(char *ours, char *right, size_t bytes, const char *what, const layout *l, int n)
{
    check(memcmp(ours, right, bytes) == 0, "%s of %d doubles as %s", what, n, l->name);
    free(ours);
    free(right);
}

/* n doubles from one layout to another: what a message does. */
static void carry(const layout *from, const char *data, const layout *to, char *place, int n)
{
    MPI_Sendrecv(data, n / from->per, from->type, 0, 0, place, n / to->per, to->type, 0, 0,
                 MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

typedef struct team {
    MPI_Comm comm;
    int me, size;
} team;

/* The layout of a member: all the same, or (mix) by rank. */
static const layout *pick(int rank, int which, int mix)
{
    return &layouts[(which + (mix ? rank : 0)) % LAYOUTS];
}

/* What member `rank` sends, n doubles as new_data of its layout has them, to a place of ours. */
static void carry_from(int rank, int which, int mix, const layout *to, char *place, int n)
{
    size_t bytes;
    const layout *from = pick(rank, which, mix);
    char *data = new_data(from, n, rank, &bytes);
    carry(from, data, to, place, n);
    free(data);
}

static void test_bcast(const team *t, int n, int which, int mix, int root)
{
    size_t bytes;
    MPI_Request r;
    const layout *l = pick(t->me, which, mix);
    char *ours = new_data(l, n, t->me, &bytes), *right = copy_of(ours, bytes);
    char *theirs = copy_of(ours, bytes);
    if (t->me != root)
        carry_from(root, which, mix, l, right, n);
    MPI_Bcast(ours, n / l->per, l->type, root, t->comm);
    if (ask_library) {
        MPI_Ibcast(theirs, n / l->per, l->type, root, t->comm, &r);
        wait_for(&r);
        compare(theirs, copy_of(right, bytes), bytes, "the library's bcast", l, n);
    } else {
        free(theirs);
    }
    compare(ours, right, bytes, "bcast", l, n);
}

static void test_allgather(const team *t, int n, int which, int mix)
{
    size_t in_bytes, bytes;
    const layout *l = pick(t->me, which, mix), *k = pick(t->me, which + 1, mix);
    char *send = new_data(k, n, t->me, &in_bytes);
    char *ours = new_data(l, n * t->size, 77, &bytes), *right = copy_of(ours, bytes);
    int count = n / l->per;
    size_t piece = (size_t)count * extent_of(l);
    for (int i = 0; i < t->size; i++)
        carry_from(i, which + 1, mix, l, right + piece * (size_t)i, n);
    char *ours2 = copy_of(ours, bytes);
    memcpy(ours2 + piece * (size_t)t->me, right + piece * (size_t)t->me, piece);
    MPI_Allgather(send, n / k->per, k->type, ours, count, l->type, t->comm);
    compare(ours, copy_of(right, bytes), bytes, "allgather", l, n);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ours2, count, l->type, t->comm);
    compare(ours2, right, bytes, "allgather in place", l, n);
    free(send);
}

/* Gather and scatter with equal pieces. */
static void test_gather(const team *t, int n, int which, int mix, int root, int in_place)
{
    size_t bytes;
    const layout *l = pick(t->me, which, mix), *k = pick(t->me, which + 1, mix);
    char *own = new_data(k, n, t->me, &bytes);
    char *ours = new_data(l, n * t->size, 55, &bytes), *right = copy_of(ours, bytes);
    size_t piece = (size_t)(n / l->per) * extent_of(l);
    int at_root = t->me == root;
    in_place &= at_root;
    for (int i = 0; i < t->size && at_root; i++)
        if (i != root || !in_place)
            carry_from(i, which + 1, mix, l, right + piece * (size_t)i, n);
    MPI_Gather(in_place ? MPI_IN_PLACE : own, n / k->per, k->type, at_root ? ours : NULL,
               n / l->per, l->type, root, t->comm);
    compare(ours, right, bytes, in_place ? "gather in place" : "gather", l, n);
    free(own);
}

static void test_scatter(const team *t, int n, int which, int mix, int root, int in_place)
{
    size_t own_bytes, bytes;
    const layout *l = pick(root, which, mix), *k = pick(t->me, which + 1, mix);
    char *ours = new_data(k, n, t->me, &own_bytes), *right = copy_of(ours, own_bytes);
    char *whole = new_data(l, n * t->size, 99, &bytes);
    size_t piece = (size_t)(n / l->per) * extent_of(l);
    int at_root = t->me == root;
    in_place &= at_root;
    if (!in_place)
        carry(l, whole + piece * (size_t)t->me, k, right, n);
    MPI_Scatter(at_root ? whole : NULL, n / l->per, l->type, in_place ? MPI_IN_PLACE : ours,
                n / k->per, k->type, root, t->comm);
    compare(ours, right, own_bytes, in_place ? "scatter in place" : "scatter", k, n);
    free(whole);
}

/* Counts of pieces, multiples of UNIT doubles, some empty; places backwards, with gaps,
 * counted from the middle of the buffer, so that some are negative. */
typedef struct cut {
    int *doubles, *counts, *places, total;
} cut;

static cut new_cut(const team *t, const layout *l, int n, int straight)
{
    size_t size = (size_t)t->size;
    cut c = {calloc(size, sizeof(int)), calloc(size, sizeof(int)), calloc(size, sizeof(int)), 0};
    int at = 0;
    for (int i = 0; i < t->size; i++) {
        c.doubles[i] = i % 4 == 2 ? 0 : n + UNIT * i;
        c.counts[i] = c.doubles[i] / l->per;
        at += c.counts[i] + (straight ? 0 : 1);
    }
    c.total = at;
    for (int i = 0; i < t->size; i++) {
        at -= c.counts[i] + 1;
        c.places[i] = at - c.total / 2;
    }
    for (int i = 0, from = 0; i < t->size && straight; from += c.counts[i++])
        c.places[i] = from;
    return c;
}

static void free_cut(cut *c)
{
    free(c->doubles);
    free(c->counts);
    free(c->places);
}

/* A test of the calls with counts: the cut as this member's layout has it, and how far into its
 * buffer the places are counted from. */
typedef struct v_test {
    const team *t;
    int n, which, mix, root, in_place;
    cut c;
    size_t middle;
    const layout *l, *k; /* of the vector, and of the own piece */
} v_test;

static char *place_in(const v_test *v, char *buffer, int i)
{
    return buffer + v->middle + (ptrdiff_t)v->c.places[i] * (ptrdiff_t)extent_of(v->l);
}

/* All pieces, as their members send them, to their places. */
static void gather_right(const v_test *v, char *buffer, int but)
{
    for (int i = 0; i < v->t->size; i++)
        if (i != but)
            carry_from(i, v->which + 1, v->mix, v->l, place_in(v, buffer, i), v->c.doubles[i]);
}

static void test_allgatherv(const v_test *v)
{
    size_t bytes;
    const team *t = v->t;
    int n = v->c.doubles[t->me];
    char *own = new_data(v->k, n, t->me, &bytes);
    char *ours = new_data(v->l, v->c.total * v->l->per, 55, &bytes), *right = copy_of(ours, bytes);
    gather_right(v, right, -1);
    if (v->in_place)
        carry_from(t->me, v->which + 1, v->mix, v->l, place_in(v, ours, t->me), n);
    MPI_Allgatherv(v->in_place ? MPI_IN_PLACE : own, n / v->k->per, v->k->type, ours + v->middle,
                   v->c.counts, v->c.places, v->l->type, t->comm);
    compare(ours, right, bytes, v->in_place ? "allgatherv in place" : "allgatherv", v->l, v->n);
    free(own);
}

/* What only the root looks at is nonsense elsewhere. */
static void test_gatherv(const v_test *v)
{
    size_t bytes;
    const team *t = v->t;
    int n = v->c.doubles[t->me], nonsense = -7, at_root = t->me == v->root;
    int in_place = v->in_place && at_root;
    char *own = new_data(v->k, n, t->me, &bytes);
    char *ours = new_data(v->l, v->c.total * v->l->per, 55, &bytes), *right = copy_of(ours, bytes);
    if (at_root)
        gather_right(v, right, in_place ? v->root : -1);
    MPI_Gatherv(in_place ? MPI_IN_PLACE : own, n / v->k->per, v->k->type, ours + v->middle,
                at_root ? v->c.counts : &nonsense, at_root ? v->c.places : NULL, v->l->type,
                v->root, t->comm);
    compare(ours, right, bytes, in_place ? "gatherv in place" : "gatherv", v->l, v->n);
    free(own);
}

/* The root's vector, which all know: its layout may differ from ours. */
static void test_scatterv(const v_test *v)
{
    size_t own_bytes, bytes;
    const team *t = v->t;
    int n = v->c.doubles[t->me], nonsense = -7, at_root = t->me == v->root;
    int in_place = v->in_place && at_root;
    char *ours = new_data(v->k, n, t->me, &own_bytes), *right = copy_of(ours, own_bytes);
    const layout *of_root = pick(v->root, v->which, v->mix);
    v_test root = *v;
    root.l = of_root;
    root.c = new_cut(t, of_root, v->n, v->middle == 0);
    root.middle = v->middle ? (size_t)(root.c.total / 2) * extent_of(of_root) : 0;
    char *whole = new_data(of_root, root.c.total * of_root->per, 55, &bytes);
    if (!in_place)
        carry(of_root, place_in(&root, whole, t->me), v->k, right, n);
    MPI_Scatterv(at_root ? whole + root.middle : NULL, at_root ? root.c.counts : &nonsense,
                 at_root ? root.c.places : NULL, of_root->type, in_place ? MPI_IN_PLACE : ours,
                 n / v->k->per, v->k->type, v->root, t->comm);
    compare(ours, right, own_bytes, in_place ? "scatterv in place" : "scatterv", v->k, v->n);
    free(whole);
    free_cut(&root.c);
}

static void test_v(const team *t, int n, int which, int mix, int root, int straight)
{
    const layout *l = pick(t->me, which, mix);
    v_test v = {
        t, n, which, mix, root, 0, new_cut(t, l, n, straight), 0, l, pick(t->me, which + 1, mix)};
    v.middle = straight ? 0 : (size_t)(v.c.total / 2) * extent_of(l);
    for (v.in_place = 0; v.in_place < 2; v.in_place++) {
        test_allgatherv(&v);
        test_gatherv(&v);
        test_scatterv(&v);
    }
    free_cut(&v.c);
}

static void test_all(MPI_Comm comm, int lengths)
{
    static const int length[] = {4, 5000, 0, 100, 100000};
    team t = {.comm = comm};
    MPI_Comm_rank(comm, &t.me);
    MPI_Comm_size(comm, &t.size);
    for (int n = 0; n < lengths; n++)
        for (int which = 0; which < LAYOUTS; which++)
            for (int mix = 0; mix < 2; mix++) {
                int root = (n + which) % t.size;
                test_bcast(&t, length[n], which, mix, root);
                test_allgather(&t, length[n], which, mix);
                for (int in_place = 0; in_place < 2; in_place++) {
                    test_gather(&t, length[n], which, mix, root, in_place);
                    test_scatter(&t, length[n], which, mix, root, in_place);
                }
                if (t.size > 1 || !straight_alone)
                    test_v(&t, length[n], which, mix, root, 0);
                test_v(&t, length[n], which, mix, root, 1);
            }
    MPI_Barrier(comm);
}

/* ------------------------------------------------------------ communicators */

/* A broadcast and a sum, as much as shows which members a communicator has. */
static void test_members(MPI_Comm comm, const char *what)
{
    int me, size, sum = 0, token;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    token = me == size - 1 ? 4711 : -1;
    MPI_Bcast(&token, 1, MPI_INT, size - 1, comm);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
    check(token == 4711 && sum == size * (size - 1) / 2, "%s: token %d, sum %d", what, token, sum);
}

/* Two copies of a communicator at a time: their messages must not mix, and handles that are
 * used again must not lead to what is gone. */
static void test_many(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        MPI_Comm one, two, three;
        MPI_Comm_dup(MPI_COMM_WORLD, &one);
        MPI_Comm_split(MPI_COMM_WORLD, (world.me + i) % 3, i % 2 ? world.me : -world.me, &two);
        test_members(one, "a copy");
        test_members(two, "a part");
        MPI_Comm_dup(two, &three);
        MPI_Comm_free(&two);
        test_members(three, "a copy of a part");
        test_members(MPI_COMM_WORLD, "the world");
        MPI_Comm_free(&one);
        MPI_Comm_free(&three);
    }
}

static void test_intercommunicator(void)
{
    MPI_Comm half, inter, merged;
    int size, other, sum = 0, token, low = world.me % 2 == 0;
    if (world.count < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, low, world.me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 1 : 0, 3, &inter);
    MPI_Comm_remote_size(inter, &other);
    MPI_Comm_size(inter, &size);
    MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, inter);
    check(sum == other, "allreduce between groups: %d, not %d", sum, other);
    token = low && world.me == 0 ? 99 : 0;
    MPI_Bcast(&token, 1, MPI_INT, low ? (world.me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
    check(token == (low && world.me ? 0 : 99), "bcast between groups: %d", token);
    MPI_Barrier(inter);
    MPI_Intercomm_merge(inter, low, &merged);
    test_members(merged, "merged groups");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void test_topology(void)
{
    MPI_Comm cart, row;
    int dims[2] = {0, 0}, periods[2] = {0, 1}, keep[2] = {0, 1};
    MPI_Dims_create(world.count, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart);
    MPI_Cart_sub(cart, keep, &row);
    test_members(cart, "a Cartesian grid");
    test_members(row, "a row of it");
    MPI_Comm_free(&cart);
    MPI_Comm_free(&row);
}

/* Data whose type holds its addresses. */
static void test_bottom(void)
{
    double a = world.me == 0 ? 1.5 : 0, b = world.me == 0 ? 2.5 : 0;
    int lengths[2] = {1, 1};
    MPI_Aint at[2];
    MPI_Datatype both;
    MPI_Get_address(&a, &at[0]);
    MPI_Get_address(&b, &at[1]);
    MPI_Type_create_hindexed(2, lengths, at, MPI_DOUBLE, &both);
    MPI_Type_commit(&both);
    MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
    check(a == 1.5 && b == 2.5, "bcast at MPI_BOTTOM");
    MPI_Type_free(&both);
}

/* The MPI library's own files make collective calls. */
static void test_file(const char *name)
{
    MPI_File file;
    int data[100], next = (world.me + 1) % world.count;
    for (int i = 0; i < 100; i++)
        data[i] = world.me * 100 + i;
    int code = MPI_File_open(MPI_COMM_WORLD, name,
                             MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                             MPI_INFO_NULL, &file);
    if (!check(code == MPI_SUCCESS, "cannot open %s", name))
        return;
    MPI_File_write_at_all(file, (MPI_Offset)world.me * (MPI_Offset)sizeof data, data, 100, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(file, (MPI_Offset)next * (MPI_Offset)sizeof data, data, 100, MPI_INT,
                         MPI_STATUS_IGNORE);
    check(data[0] == next * 100 && data[99] == next * 100 + 99, "a file");
    MPI_File_close(&file);
}

/* Processes that another MPI_COMM_WORLD has, with or without the library. */
static void test_spawned(char *program, MPI_Comm parent)
{
    MPI_Comm inter = parent, merged;
    int sum = 0, all;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &merged);
    MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, merged);
    test_members(MPI_COMM_WORLD, "a world of several");
    MPI_Barrier(merged);
    MPI_Comm_size(merged, &all);
    check(sum == all, "%d processes of two worlds, not %d", sum, all);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
}

/* Operations of the MPI library's own on the same communicator, under way at the same time. */
static void test_beside(void)
{
    enum { MANY = 100000 };
    MPI_Request r[3];
    int next = (world.me + 1) % world.count, before = (world.me + world.count - 1) % world.count;
    int *out = malloc(MANY * sizeof *out), *in = calloc(MANY, sizeof *in), sum = 0, theirs = 0;
    for (int i = 0; i < MANY; i++)
        out[i] = world.me + i;
    MPI_Irecv(in, MANY, MPI_INT, before, 5, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, MANY, MPI_INT, next, 5, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(&world.me, &theirs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[2]);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&world.me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        wait_for(&r[i]);
    check(sum == theirs && in[0] == before && in[MANY - 1] == before + MANY - 1,
          "messages beside a collective call");
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int many = argc > 1 && strcmp(argv[1], "long") == 0;
    straight_alone = argc > 1 && strcmp(argv[1], "own") == 0;
    MPI_Comm part, parent;
    begin();
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL || (argc > 1 && strcmp(argv[1], "spawn") == 0)) {
        test_spawned(argv[0], parent);
        if (parent == MPI_COMM_NULL)
            return finish();
        MPI_Finalize();
        return world.failed != 0;
    }
    make_layouts();
    test_all(MPI_COMM_WORLD, many ? 5 : 3);
    test_all(MPI_COMM_SELF, 2);
    MPI_Comm_split(MPI_COMM_WORLD, world.me % 2, -world.me, &part);
    test_all(part, 1);
    MPI_Comm_free(&part);
    test_many(many ? 200 : 10);
    test_intercommunicator();
    test_topology();
    test_beside();
    test_bottom();
    if (argc > 2)
        test_file(argv[2]);
    for (int i = 1; i < LAYOUTS; i++)
        MPI_Type_free(&layouts[i].type);
    return finish();
}
