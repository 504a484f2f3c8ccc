/*
 * The conformance suite of collective calls that do not wait: their results are those of the calls
 * that wait, of all types, roots and shapes, many at once in any order, beside messages and other
 * collective calls, prepared and begun often.
 */
#include "harness.h"

static uint64_t draws;

/* The same at all members. */
static unsigned draw(unsigned below)
{
    return (unsigned)(mix(++draws) >> 33) % below;
}

static int gets(int root)
{
    return root == OB_ANY || root == world.me;
}

/* ------------------------------------------------------------------- values */

/* Small whole numbers, whose sums are exact in every type. */
static void fill(void *x, size_t n, ob_type type, uint64_t seed)
{
    size_t parts = type == OB_COMPLEX || type == OB_DCOMPLEX ? 2 * n : n;
    for (size_t i = 0; i < parts; i++) {
        int value = (int)(mix(seed + i) % 2001) - 1000;
        switch (type) {
        case OB_INT: ((int32_t *)x)[i] = value; break;
        case OB_INT64: ((int64_t *)x)[i] = value; break;
        case OB_FLOAT:
        case OB_COMPLEX: ((float *)x)[i] = (float)value; break;
        case OB_DOUBLE:
        case OB_DCOMPLEX: ((double *)x)[i] = value; break;
        default: ((unsigned char *)x)[i] = (unsigned char)value;
        }
    }
}

/* Two copies of the same values: one for the call, one for its oracle. */
typedef struct pair {
    ob_view mine, oracle;
    size_t bytes;
} pair;

static pair pair_of(size_t m, size_t n, size_t ld, ob_type type, ob_shape shape, uint64_t seed)
{
    pair p = {.mine = {.m = m, .n = n, .ld = ld ? ld : 1, .type = type, .shape = shape}};
    p.bytes = (p.mine.ld * n + 1) * ob_type_bytes(type);
    p.oracle = p.mine;
    p.mine.base = malloc(p.bytes);
    p.oracle.base = malloc(p.bytes);
    fill(p.mine.base, p.mine.ld * n + 1, type, seed + 100000u * (unsigned)world.me);
    memcpy(p.oracle.base, p.mine.base, p.bytes);
    return p;
}

/* Elsewhere than at the root a combine may leave anything. */
static void close_pair(pair *p, int compare, const char *what)
{
    check(!compare || memcmp(p->mine.base, p->oracle.base, p->bytes) == 0,
          "%s: %zu x %zu of type %d: another result than the call that waits", what, p->mine.m,
          p->mine.n, (int)p->mine.type);
    free(p->mine.base);
    free(p->oracle.base);
}

/* ------------------------------------------------------------------- one at a time */

static void one_broadcast(int root, const ob_route *route, size_t m, size_t n, ob_type type,
                          ob_shape shape)
{
    pair p = pair_of(m, n, m + (size_t)(world.me % 2), type, shape, 11);
    ob_request *r;
    fine(ob_ibroadcast(everyone, root, &p.mine, route, &r), "ob_ibroadcast");
    fine(ob_broadcast(everyone, root, &p.oracle, NULL), "ob_broadcast");
    fine(ob_wait(&r, NULL), "ob_wait");
    close_pair(&p, 1, "ob_ibroadcast");
}

static void one_combine(int root, ob_op op, size_t m, size_t n, ob_type type, ob_shape shape)
{
    pair p = pair_of(m, n, m + (size_t)(world.me % 2), type, shape, 22);
    ob_request *r;
    fine(ob_icombine(everyone, root, op, &p.mine, NULL, 0, NULL, &r), "ob_icombine");
    fine(ob_combine(everyone, root, op, &p.oracle, NULL, 0, NULL), "ob_combine");
    fine(ob_wait(&r, NULL), "ob_wait");
    close_pair(&p, gets(root), "ob_icombine");
}

static void one_with_owners(int root, ob_op op, size_t n, ob_type type)
{
    pair p = pair_of(n, 1, n, type, OB_GENERAL, 33);
    int *mine = calloc(n + 1, sizeof *mine), *oracle = calloc(n + 1, sizeof *oracle);
    ob_request *r;
    fine(ob_icombine(everyone, root, op, &p.mine, mine, n ? n : 1, NULL, &r), "ob_icombine");
    fine(ob_combine(everyone, root, op, &p.oracle, oracle, n ? n : 1, NULL), "ob_combine");
    fine(ob_wait(&r, NULL), "ob_wait");
    check(!gets(root) || memcmp(mine, oracle, n * sizeof *mine) == 0, "other owners");
    close_pair(&p, gets(root), "ob_icombine with owners");
    free(mine);
    free(oracle);
}

static void one_reproducible(int root, size_t n)
{
    const ob_route route = {.repeatable = OB_REPRODUCIBLE};
    pair p = pair_of(n, 1, n, OB_DOUBLE, OB_GENERAL, 44);
    ob_request *r;
    for (size_t i = 0; i < n; i++)
        ((double *)p.mine.base)[i] = ((double *)p.oracle.base)[i] /= 3;
    fine(ob_icombine(everyone, root, OB_SUM, &p.mine, NULL, 0, &route, &r), "ob_icombine");
    fine(ob_combine(everyone, root, OB_SUM, &p.oracle, NULL, 0, &route), "ob_combine");
    fine(ob_wait(&r, NULL), "ob_wait");
    close_pair(&p, gets(root), "a reproducible sum");
}

static void one_product(int root, size_t n)
{
    ob_operation product;
    pair p = pair_of(n, 1, n, OB_DOUBLE, OB_GENERAL, 55);
    ob_request *r;
    for (size_t i = 0; i < n; i++)
        ((double *)p.mine.base)[i] = ((double *)p.oracle.base)[i] = (double)(1 + i % 3);
    fine(ob_operation_of(OB_OPERATOR_PRODUCT, OB_KIND_DOUBLE, &product), "ob_operation_of");
    fine(ob_icombine_by(everyone, root, &product, &p.mine, NULL, &r), "ob_icombine_by");
    fine(ob_combine_by(everyone, root, &product, &p.oracle, NULL), "ob_combine_by");
    fine(ob_wait(&r, NULL), "ob_wait");
    close_pair(&p, gets(root), "ob_icombine_by");
}

/* What is finished when all operands are combined: averages, and elements of 16 bits, which are
 * combined as floats. `n` rows of two columns; prepared, too. */
static void one_finished(int root, ob_operator what, ob_kind kind, size_t n, size_t ld)
{
    static const uint16_t halves[] = {0x3c00, 0x4000, 0x4200}, bfloats[] = {0x3f80, 0x4000, 0x4040};
    ob_operation op;
    ob_request *r;
    ob_prepared *again;
    fine(ob_operation_of(what, kind, &op), "ob_operation_of");
    int narrow = kind == OB_KIND_HALF || kind == OB_KIND_BFLOAT16;
    ob_type type = ob_kind_type(kind);
    size_t unit = type == OB_BYTE ? op.element_bytes : 1;
    for (int prepares = 0; prepares < 2; prepares++) {
        pair p = pair_of(n * unit, 2, ld * unit, type, OB_GENERAL, 77 + prepares);
        for (size_t i = 0; i < 2 * ld; i++) {
            size_t k = (i + (size_t)world.me) % 3;
            if (narrow)
                ((uint16_t *)p.mine.base)[i] = kind == OB_KIND_HALF ? halves[k] : bfloats[k];
            else if (kind == OB_KIND_DOUBLE)
                ((double *)p.mine.base)[i] = (double)k;
        }
        memcpy(p.oracle.base, p.mine.base, 2 * ld * op.element_bytes);
        if (prepares) {
            fine(ob_prepare_combine_by(everyone, root, &op, &p.mine, NULL, &again), "prepare");
            fine(ob_begin(again, &r), "ob_begin");
        } else {
            fine(ob_icombine_by(everyone, root, &op, &p.mine, NULL, &r), "ob_icombine_by");
        }
        fine(ob_combine_by(everyone, root, &op, &p.oracle, NULL), "ob_combine_by");
        fine(ob_wait(&r, NULL), "ob_wait");
        if (prepares)
            ob_prepared_free(again);
        close_pair(&p, gets(root), "an operation that is finished at the end");
    }
}

static void all_finished(int root, size_t n)
{
    for (size_t gap = 0; gap < 2; gap++) {
        size_t ld = n + gap ? n + gap : 1;
        one_finished(root, OB_OPERATOR_SUM, OB_KIND_HALF, n, ld);
        one_finished(root, OB_OPERATOR_PRODUCT, OB_KIND_BFLOAT16, n, ld);
        one_finished(root, OB_OPERATOR_AVERAGE, OB_KIND_HALF, n, ld);
        one_finished(root, OB_OPERATOR_AVERAGE, OB_KIND_DOUBLE, n, ld);
        one_finished(root, OB_OPERATOR_AVERAGE, OB_KIND_INT32, n, ld);
        one_finished(root, OB_OPERATOR_AVERAGE, OB_KIND_INT8, n, ld);
    }
}

/* Pieces of several sizes, one behind the other or apart. */
static void one_collect(size_t most, int apart)
{
    size_t *counts = malloc((size_t)world.count * sizeof *counts), at = 0;
    size_t *offsets = malloc((size_t)world.count * sizeof *offsets);
    for (int i = 0; i < world.count; i++) {
        counts[i] = most * (size_t)(i % 3) / 2;
        offsets[i] = at;
        at += counts[i] + (apart ? 2 : 0);
    }
    pair p = pair_of(at, 1, at, OB_FLOAT, OB_GENERAL, 66);
    ob_pieces pieces = {.base = p.mine.base, .type = OB_FLOAT, .counts = counts};
    ob_request *r;
    pieces.offsets = apart ? offsets : NULL;
    fine(ob_icollect(everyone, &pieces, NULL, &r), "ob_icollect");
    pieces.base = p.oracle.base;
    fine(ob_collect(everyone, &pieces, NULL), "ob_collect");
    fine(ob_wait(&r, NULL), "ob_wait");
    close_pair(&p, 1, "ob_icollect");
    free(counts);
    free(offsets);
}

static int sent(int from, int to, size_t i)
{
    return (int)(mix((uint64_t)from * 1009 + (uint64_t)to * 31 + i) >> 40);
}

/* As many elements to a member as the sum of both positions says. */
static void one_exchange(size_t unit)
{
    size_t count = (size_t)world.count, wrong = 0, all = 0, at = 0;
    size_t *counts = malloc(count * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        all += counts[i] = unit * ((i + (size_t)world.me) % 4);
    int *out = malloc((all + 1) * sizeof *out), *in = malloc((all + 1) * sizeof *in);
    for (size_t to = 0; to < count; at += counts[to++])
        for (size_t i = 0; i < counts[to]; i++)
            out[at + i] = sent(world.me, (int)to, i);
    ob_pieces po = {.base = out, .type = OB_INT, .counts = counts}, pi = po;
    ob_request *r;
    pi.base = in;
    fine(ob_iexchange(everyone, &po, &pi, &r), "ob_iexchange");
    fine(ob_wait(&r, NULL), "ob_wait");
    at = 0;
    for (size_t from = 0; from < count; at += counts[from++])
        for (size_t i = 0; i < counts[from]; i++)
            wrong += in[at + i] != sent((int)from, world.me, i);
    check(wrong == 0, "ob_iexchange: %zu of %zu elements are wrong", wrong, all);
    free(counts);
    free(out);
    free(in);
}

static void one_at_a_time(void)
{
    static const size_t lengths[] = {0, 1, 5, 300, 3000, 70000};
    const ob_route straight = {.topology = OB_TOP_FULL}, ring = {.topology = OB_TOP_RING_UP};
    const int roots[] = {0, world.count - 1, OB_ANY};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t n = lengths[k];
        for (int i = 0; i < 3; i++) {
            if (roots[i] != OB_ANY) {
                one_broadcast(roots[i], NULL, n, 1, OB_BYTE, OB_GENERAL);
                one_broadcast(roots[i], &straight, n, 1, OB_BYTE, OB_GENERAL);
                one_broadcast(roots[i], &ring, n, 1, OB_BYTE, OB_GENERAL);
            }
            one_combine(roots[i], OB_SUM, n, 1, OB_DOUBLE, OB_GENERAL);
            one_with_owners(roots[i], OB_MAX_ABS, n, OB_DOUBLE);
            one_with_owners(roots[i], OB_MIN, n, OB_INT);
            one_reproducible(roots[i], n);
            one_product(roots[i], n);
            all_finished(roots[i], n);
        }
        one_collect(n, 0);
        one_collect(n, 1);
        one_exchange(n / 4 + 1);
    }
    for (int type = 0; type < OB_TYPES; type++)
        for (int shape = OB_GENERAL; shape <= OB_LOWER; shape++) {
            one_broadcast(world.count / 2, NULL, 40, 30, (ob_type)type, (ob_shape)shape);
            one_broadcast(world.count / 2, &straight, 40, 30, (ob_type)type, (ob_shape)shape);
            one_broadcast(world.count / 2, &ring, 40, 30, (ob_type)type, (ob_shape)shape);
            if (type != OB_BYTE)
                one_combine(OB_ANY, OB_MAX_ABS, 40, 30, (ob_type)type, (ob_shape)shape);
        }
}

/* ------------------------------------------------------------------- many at once */

enum { MANY = 20 };

static void begin_one(int kind, int root, pair *p, ob_request **r)
{
    const ob_pieces pieces = {
        .base = p->mine.base, .type = OB_DOUBLE, .count = p->mine.m / (size_t)world.count};
    ob_pieces oracle = pieces;
    oracle.base = p->oracle.base;
    if (kind == 0) {
        fine(ob_ibroadcast(everyone, root, &p->mine, NULL, r), "ob_ibroadcast");
        fine(ob_broadcast(everyone, root, &p->oracle, NULL), "ob_broadcast");
    } else if (kind == 1) {
        fine(ob_icombine(everyone, OB_ANY, OB_SUM, &p->mine, NULL, 0, NULL, r), "ob_icombine");
        fine(ob_combine(everyone, OB_ANY, OB_SUM, &p->oracle, NULL, 0, NULL), "ob_combine");
    } else if (kind == 2) {
        fine(ob_icollect(everyone, &pieces, NULL, r), "ob_icollect");
        fine(ob_collect(everyone, &oracle, NULL), "ob_collect");
    } else {
        fine(ob_ibarrier(everyone, r), "ob_ibarrier");
    }
}

/* A message around the ring, by a receive of any source and tag. */
static void pass_a_message(int k)
{
    int x[2] = {world.me, k}, y[2] = {-1, -1};
    ob_view out = ob_view_vector(x, 2, OB_INT), in = ob_view_vector(y, 2, OB_INT);
    ob_received got;
    fine(ob_send(everyone, (world.me + 1) % world.count, 3, &out), "ob_send");
    fine(ob_recv(everyone, OB_ANY, OB_ANY, &in, &got), "ob_recv");
    check(got.tag == 3 && y[1] == k && y[0] == (world.me + world.count - 1) % world.count,
          "a message of %d with %d, tag %d", y[0], y[1], got.tag);
}

static void many_at_once(void)
{
    ob_request *r[MANY];
    pair p[MANY];
    for (int k = 0; k < MANY; k++) {
        size_t n = (size_t)draw(6) * (size_t)draw(3000);
        p[k] = pair_of(n, 1, n, OB_DOUBLE, OB_GENERAL, 1000u * (unsigned)k);
        begin_one((int)draw(4), (int)draw((unsigned)world.count), &p[k], &r[k]);
        if (draw(4) == 0)
            pass_a_message(k);
    }
    uint64_t own = mix((uint64_t)world.me + draws);
    for (int left = MANY; left;) {
        int index = -1, done = 0, at = (int)(mix(own++) % MANY);
        if (r[at] && mix(own++) % 3 == 0)
            fine(ob_wait(&r[at], NULL), "ob_wait");
        else if (mix(own++) % 2)
            fine(ob_test_any(MANY, r, &index, &done, NULL), "ob_test_any");
        else
            fine(ob_test(&r[at], &done, NULL), "ob_test");
        left = 0;
        for (int k = 0; k < MANY; k++)
            left += r[k] != NULL;
    }
    for (int k = 0; k < MANY; k++)
        close_pair(&p[k], 1, "one of many");
}

/* ------------------------------------------------------------------- prepared, barriers, groups */

static void prepared(void)
{
    enum { TIMES = 15, N = 5000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z);
    ob_view vx = ob_view_vector(x, N, OB_DOUBLE), vy = ob_view_vector(y, N, OB_DOUBLE);
    ob_view vz = ob_view_vector(z, N, OB_DOUBLE);
    ob_prepared *sum, *spread;
    ob_request *r[2];
    fine(ob_prepare_combine(everyone, OB_ANY, OB_SUM, &vx, NULL, 0, NULL, &sum), "prepare");
    fine(ob_prepare_broadcast(everyone, world.count - 1, &vy, NULL, &spread), "prepare");
    for (int time = 0; time < TIMES; time++) {
        int first = world.me % 2;
        fill(x, N, OB_DOUBLE, (uint64_t)(time * 100 + world.me));
        fill(y, N, OB_DOUBLE, (uint64_t)(time * 100 + world.me));
        memcpy(z, x, N * sizeof *x);
        fine(ob_begin(first ? sum : spread, &r[0]), "ob_begin");
        fine(ob_begin(first ? spread : sum, &r[1]), "ob_begin");
        fine(ob_wait_all(2, r, NULL), "ob_wait_all");
        fine(ob_combine(everyone, OB_ANY, OB_SUM, &vz, NULL, 0, NULL), "ob_combine");
        check(memcmp(x, z, N * sizeof *x) == 0, "a prepared sum, time %d", time);
        fill(z, N, OB_DOUBLE, (uint64_t)(time * 100 + world.count - 1));
        check(memcmp(y, z, N * sizeof *y) == 0, "a prepared broadcast, time %d", time);
    }
    ob_prepared_free(sum);
    ob_prepared_free(spread);
    free(x);
    free(y);
    free(z);
}

/* Not done before member 0 has begun it, which waits for all others' word. */
static void barriers(void)
{
    ob_request *r;
    int word = 1, done = 0;
    ob_view v = ob_view_vector(&word, 1, OB_INT);
    for (int k = 1; world.me == 0 && k < world.count; k++)
        fine(ob_recv(everyone, k, 1, &v, NULL), "ob_recv");
    fine(ob_ibarrier(everyone, &r), "ob_ibarrier");
    for (int k = 0; world.me && k < 50; k++) {
        fine(ob_test(&r, &done, NULL), "ob_test");
        check(!done, "a barrier is over that a member has not begun");
    }
    if (world.me)
        fine(ob_send(everyone, 0, 1, &v), "ob_send");
    fine(ob_wait(&r, NULL), "ob_wait");
}

/* Groups and their parts at the same time, each with calls of its own. */
static void groups(void)
{
    int *even = malloc((size_t)world.count * sizeof *even), count = 0, sum[3], wanted[3] = {0};
    ob_group *other = group_of_all(), *part = NULL;
    for (int i = world.me % 2; i < world.count; i += 2)
        even[count++] = i;
    fine(ob_group_part(everyone, 7, even, count, &part), "ob_group_part");
    ob_group *all[3] = {everyone, other, part};
    ob_request *r[3];
    for (int k = 0; k < 3; k++) {
        int at = world.me % 2 ? k : 2 - k; /* of different groups in any order */
        ob_view v = ob_view_vector(&sum[at], 1, OB_INT);
        sum[at] = (at + 1) * (world.me + 1);
        fine(ob_icombine(all[at], OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r[at]), "ob_icombine");
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k == 2 ? count : world.count); i++)
            wanted[k] += (k + 1) * ((k == 2 ? even[i] : i) + 1);
    fine(ob_wait_all(3, r, NULL), "ob_wait_all");
    check(memcmp(sum, wanted, sizeof sum) == 0, "sums of three groups: %d %d %d", sum[0], sum[1],
          sum[2]);
    ob_group_free(part);
    ob_group_free(other);
    free(even);
}

int main(void)
{
    begin();
    one_at_a_time();
    for (int k = 0; k < 6; k++)
        many_at_once();
    prepared();
    barriers();
    groups();
    fine(ob_barrier(everyone), "ob_barrier");
    return finish();
}
