/*
 * The conformance suite of the collective calls: every topology, root,
 * operation, type and shape against a result each process computes for itself;
 * what a barrier promises; the same bits again where that is asked for.
 */
#include "harness.h"

#include <sys/mman.h>

enum { PAD = 3 };

/* Some routes, then each topology that the library takes, with 3 where it takes a number. */
static int route_of(int k, ob_route *r)
{
    static const ob_route some[] = {
        {.topology = OB_TOP_MULTIRING, .branches = 1},
        {.topology = OB_TOP_MULTIRING, .branches = -2},
        {.topology = OB_TOP_TREE, .branches = 1},
        {.topology = OB_TOP_TREE, .branches = 2},
        {.topology = OB_TOP_TREE, .branches = 9},
        {.topology = OB_TOP_BEST, .repeatable = 1},
        {.topology = OB_TOP_BEST, .coherent = 1},
        {.topology = OB_TOP_HYPERCUBE, .repeatable = 1, .coherent = 1},
        {.topology = OB_TOP_FULL, .coherent = 1},
        {.topology = OB_TOP_TREE, .branches = 2, .repeatable = 1},
    };
    enum { SOME = sizeof some / sizeof *some };
    static ob_group *alone;
    const ob_view nothing = {.ld = 1, .type = OB_BYTE};
    if (alone == NULL)
        alone = group_of(&world.me, 1);
    *r = k < SOME ? some[k] : (ob_route){.topology = (ob_topology)(k - SOME), .branches = 3};
    return ob_broadcast(alone, 0, &nothing, r) == OB_OK;
}

/* --------------------------------------------------------------- broadcast */

/* The root's m x n arrives, at members as m x n of another leading dimension
 * or as a column of as many elements. */
static void broadcast_once(int root, size_t m, size_t n, ob_type type, const ob_route *route,
                           uint64_t seed)
{
    size_t unit = ob_type_bytes(type), ld = m + (size_t)(world.me % 3);
    int column = world.me != root && world.me % 2;
    ob_view v = {.m = m, .n = n, .ld = ld ? ld : 1, .type = type};
    if (column)
        v = (ob_view){.m = m * n, .n = 1, .ld = m * n > 0 ? m * n : 1, .type = type};
    size_t all = v.ld * v.n * unit + PAD;
    unsigned char *x = malloc(all), *want = malloc(all);
    int bad = 0;
    memset(x, 0xee, all);
    memset(want, 0xee, all);
    for (size_t j = 0; j < v.n; j++)
        write_bytes(want + j * v.ld * unit, seed, j * v.m * unit, v.m * unit);
    v.base = x;
    for (size_t j = 0; world.me == root && j < v.n; j++)
        memcpy(x + j * v.ld * unit, want + j * v.ld * unit, v.m * unit);
    fine(ob_broadcast(everyone, root, &v, route), "ob_broadcast");
    if (memcmp(x, want, all) != 0)
        for (size_t i = 0; i < all; i++)
            bad += x[i] != want[i];
    check(bad == 0, "broadcast of %zu x %zu type %d from %d, topology %d(%d): %d bytes", m, n, type,
          root, route ? (int)route->topology : -1, route ? route->branches : 0, bad);
    free(want);
    free(x);
}

static void broadcasts(void)
{
    static const size_t shapes[][2] = {{1, 1}, {0, 3}, {7, 5}, {33, 20}};
    ob_route r;
    for (int k = 0; route_of(k, &r); k++) {
        for (int root = 0; root < world.count; root++)
            for (int s = 0; s < 4; s++)
                broadcast_once(root, shapes[s][0], shapes[s][1], (ob_type)((k + s) % OB_TYPES), &r,
                               mix((uint64_t)(k * 100 + root * 10 + s)));
        broadcast_once(k % world.count, 1000, 130, OB_DOUBLE, &r, (uint64_t)k);
    }
    broadcast_once(world.count - 1, 3, 3, OB_FLOAT, NULL, 5);
    broadcast_once(0, 1 << 20, 3, OB_BYTE, NULL, 6);
}

/* Nobody writes the root's matrix, not even with what is there already. */
static void broadcast_of_what_may_only_be_read(void)
{
    enum { MOST = 4 << 20 };
    char *x = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(x != MAP_FAILED, "mmap");
    for (size_t m = 4096; m <= MOST; m *= 4)
        for (int root = 0; root < world.count; root++)
            for (int begun = 0; begun < 2; begun++) {
                ob_view v = {.base = x, .m = m, .n = 1, .ld = m, .type = OB_BYTE};
                ob_request *request;
                memset(x, world.me == root ? 1 + root + begun : 0, m);
                if (world.me == root)
                    mprotect(x, MOST, PROT_READ);
                if (!begun)
                    fine(ob_broadcast(everyone, root, &v, NULL), "ob_broadcast");
                else if (fine(ob_ibroadcast(everyone, root, &v, NULL, &request), "ob_ibroadcast"))
                    fine(ob_wait(&request, NULL), "ob_wait");
                mprotect(x, MOST, PROT_READ | PROT_WRITE);
                check(x[0] == 1 + root + begun && memcmp(x, x + 1, m - 1) == 0,
                      "%zu bytes from %d, begun %d", m, root, begun);
            }
    munmap(x, MOST);
}

/* A trapezoid on the root's side, a column on the others'; the rest of the
 * root's array is untouched. */
static void broadcast_of_trapezoids(void)
{
    ob_route r;
    for (int shape = OB_UPPER; shape <= OB_LOWER; shape++)
        for (int k = 0; route_of(k, &r); k += 3) {
            int32_t a[8 * 5], c[40];
            ob_view v = {.base = a,
                         .m = 6,
                         .n = 5,
                         .ld = 8,
                         .type = OB_INT,
                         .shape = (ob_shape)shape,
                         .unit_diagonal = k % 2};
            size_t count = ob_view_count(&v);
            for (int i = 0; i < 40; i++)
                a[i] = i, c[i] = -1;
            ob_view w = {.base = c, .m = count, .n = 1, .ld = count, .type = OB_INT};
            fine(ob_broadcast(everyone, 0, world.me ? &w : &v, &r), "ob_broadcast");
            size_t at = 0;
            int bad = 0;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 6; i++) {
                    int unit = v.unit_diagonal;
                    int in = shape == OB_UPPER ? i <= j + 1 - unit : i >= j + unit;
                    bad += world.me && in && c[at] != i + 8 * j;
                    at += (size_t)in;
                }
            check(at == count && bad == 0, "trapezoid %d arrives wrong in %d", shape, bad);
            for (int i = 0; i < 40; i++)
                bad += world.me ? (i >= (int)count && c[i] != -1) : a[i] != i;
            check(bad == 0, "%d elements beside trapezoid %d changed", bad, shape);
        }
}

/* ----------------------------------------------------------------- combine */

/* Element k of process p: small whole numbers with many equal magnitudes, so
 * that sums are exact and ties the rule. */
static int part_of(int p, size_t k, int which, ob_op op)
{
    int value = (int)((uint32_t)(mix((uint64_t)p << 32 | k) >> 32 * which) % 7) - 3;
    return op == OB_SUM ? value * 100 + p : value;
}

/* Values of 64-bit integers lie above the low half. */
#define HIGH ((int64_t)1 << 33)

static int is_complex(ob_type t)
{
    return t == OB_COMPLEX || t == OB_DCOMPLEX;
}

static void put(void *base, size_t at, ob_type type, int re, int im)
{
    switch (type) {
    case OB_INT: ((int32_t *)base)[at] = re; break;
    case OB_INT64: ((int64_t *)base)[at] = re * HIGH; break;
    case OB_FLOAT: ((float *)base)[at] = (float)re; break;
    case OB_DOUBLE: ((double *)base)[at] = re; break;
    case OB_COMPLEX:
        ((float *)base)[2 * at] = (float)re, ((float *)base)[2 * at + 1] = (float)im;
        break;
    default: ((double *)base)[2 * at] = re, ((double *)base)[2 * at + 1] = im;
    }
}

static int equals(const void *base, size_t at, ob_type type, int re, int im)
{
    switch (type) {
    case OB_INT: return ((const int32_t *)base)[at] == re;
    case OB_INT64: return ((const int64_t *)base)[at] == re * HIGH;
    case OB_FLOAT: return ((const float *)base)[at] == (float)re;
    case OB_DOUBLE: return ((const double *)base)[at] == re;
    case OB_COMPLEX:
        return ((const float *)base)[2 * at] == (float)re &&
               ((const float *)base)[2 * at + 1] == (float)im;
    default:
        return ((const double *)base)[2 * at] == re && ((const double *)base)[2 * at + 1] == im;
    }
}

typedef struct result {
    int re, im, owner;
} result;

/* The definition, one element at a time (core.h, ob_combine). With owners the
 * members are visited from root upwards, and only a strictly better one wins. */
static result expected(size_t k, int root, ob_op op, ob_type type, int with_owner)
{
    int first = root == OB_ANY || op >= OB_MAX ? 0 : root, complex = is_complex(type);
    result best = {0, 0, 0};
    for (int d = 0; d < world.count; d++) {
        int p = (first + d) % world.count;
        int re = part_of(p, k, 0, op), im = complex ? part_of(p, k, 1, op) : 0;
        int size = abs(re) + abs(im), most = abs(best.re) + abs(best.im);
        if (op == OB_SUM) {
            best.re += re, best.im += im;
            continue;
        }
        int better = op == OB_MAX       ? re > best.re
                     : op == OB_MIN     ? re < best.re
                     : op == OB_MAX_ABS ? size > most
                                        : size < most;
        int larger = op < OB_MAX && size == most && !with_owner &&
                     (re > best.re || (re == best.re && im > best.im));
        if (d == 0 || better || larger)
            best = (result){re, im, p};
    }
    return best;
}

static void combine_once(int root, ob_op op, ob_type type, size_t m, size_t n, int with_owner,
                         const ob_route *route)
{
    size_t ld = m + (size_t)(world.me % 2) * 2, ldo = m + 1, unit = ob_type_bytes(type);
    unsigned char *x = malloc(ld * n * unit + unit);
    int *owner = malloc((ldo * n + 1) * sizeof *owner), bad = 0, bad_owner = 0;
    ob_view v = {.base = x, .m = m, .n = n, .ld = ld ? ld : 1, .type = type};
    memset(x, 0x3c, ld * n * unit + unit);
    for (size_t i = 0; i <= ldo * n; i++)
        owner[i] = -77;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            put(x, i + j * ld, type, part_of(world.me, i + j * m, 0, op),
                part_of(world.me, i + j * m, 1, op));
    fine(ob_combine(everyone, root, op, &v, with_owner ? owner : NULL, ldo, route), "ob_combine");
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; (root == OB_ANY || root == world.me) && i < m; i++) {
            result r = expected(i + j * m, root, op, type, with_owner);
            bad += !equals(x, i + j * ld, type, r.re, r.im);
            bad_owner += with_owner && owner[i + j * ldo] != r.owner;
        }
        for (size_t b = (j * ld + m) * unit; b < (j + 1) * ld * unit; b++)
            bad += x[b] != 0x3c;
        bad_owner += owner[j * ldo + m] != -77;
    }
    check(bad == 0 && bad_owner == 0,
          "combine %d type %d root %d %zu x %zu topology %d(%d): %d values, %d owners", op, type,
          root, m, n, route ? (int)route->topology : -1, route ? route->branches : 0, bad,
          bad_owner);
    free(x);
    free(owner);
}

static void combines(void)
{
    static const size_t shapes[][2] = {{1, 1}, {5, 4}, {0, 2}, {40, 9}};
    int k = 0;
    ob_route route;
    for (int r = 0; route_of(r, &route); r++) {
        for (int op = OB_SUM; op <= OB_MIN; op++)
            for (int type = OB_INT; type < OB_TYPES; type++)
                for (int owner = 0; owner <= (op != OB_SUM); owner++, k++) {
                    if (type == OB_BYTE || (op >= OB_MAX && is_complex((ob_type)type)))
                        continue;
                    int root = k % (world.count + 1) - 1; /* OB_ANY among them */
                    combine_once(root, (ob_op)op, (ob_type)type, shapes[k % 4][0], shapes[k % 4][1],
                                 owner, &route);
                    combine_once(OB_ANY, (ob_op)op, (ob_type)type, shapes[(k / 4) % 4][0],
                                 shapes[(k / 4) % 4][1], owner, &route);
                }
    }
    for (int op = OB_SUM; op <= OB_MIN; op++) {
        combine_once(OB_ANY, (ob_op)op, OB_DOUBLE, 600, 201, 0, NULL);
        combine_once(world.count - 1, (ob_op)op, OB_INT, 1001, 77, op != OB_SUM, NULL);
    }
    for (int root = 0; root < world.count; root++)
        for (int type = OB_INT; type < OB_TYPES; type += type == OB_DCOMPLEX ? 2 : 1)
            combine_once(root, OB_MIN_ABS, (ob_type)type, 3, 3, 1, NULL);
}

/* Repeatable: the same bits every time. Coherent: the same bits everywhere. */
static void same_bits(void)
{
    enum { COUNT = 900 };
    double *x = malloc(COUNT * sizeof *x), *first = malloc(COUNT * sizeof *x);
    double *theirs = malloc(COUNT * sizeof *x);
    ob_view v = {.base = x, .m = COUNT, .n = 1, .ld = COUNT, .type = OB_DOUBLE}, w = v;
    ob_route r;
    for (int k = 0; route_of(k, &r); k++) {
        r.repeatable = r.coherent = 1;
        for (int again = 0; again < 5; again++) {
            for (size_t i = 0; i < COUNT; i++)
                x[i] = (double)mix((uint64_t)world.me * COUNT + i) / 3e14 * (i % 2 ? 1e-9 : 1) *
                       (world.me % 2 ? -1 : 1);
            if ((world.me + again) % 3 == 0)
                rest_ms(1);
            fine(ob_combine(everyone, OB_ANY, OB_SUM, &v, NULL, 0, &r), "ob_combine");
            if (again == 0)
                memcpy(first, x, COUNT * sizeof *x);
            check(memcmp(first, x, COUNT * sizeof *x) == 0, "topology %d: other bits again",
                  r.topology);
        }
        w.base = world.me ? theirs : first;
        fine(ob_broadcast(everyone, 0, &w, NULL), "ob_broadcast");
        check(memcmp(first, world.me ? theirs : x, COUNT * sizeof *x) == 0,
              "topology %d: other bits on process %d", r.topology, world.me);
    }
    free(x);
    free(first);
    free(theirs);
}

/* ----------------------------------------------------------------- barrier */

/* Nobody leaves before the last has come: a message sent before the barrier by the
 * slowest is there, and so says the clock, which one node has in common. */
static void barriers(void)
{
    for (int slow = 0; slow < world.count; slow++) {
        double come, *left = malloc(sizeof *left), last;
        ob_view v = {.base = &last, .m = 1, .n = 1, .ld = 1, .type = OB_DOUBLE};
        if (world.me == slow)
            rest_ms(10);
        come = ob_time();
        fine(ob_barrier(everyone), "ob_barrier");
        *left = ob_time();
        last = come;
        fine(ob_broadcast(everyone, slow, &v, NULL), "ob_broadcast");
        check(*left >= last, "left %g s before process %d came", last - *left, slow);
        free(left);
    }
    for (int k = 0; k < 200; k++)
        if (ob_barrier(everyone) != OB_OK)
            check(0, "barrier %d: %s", k, ob_error_text());
}

/* Point-to-point messages between collective calls stay what they are,
 * received before or after them. */
static void mixed(void)
{
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    for (int32_t k = 0; k < 30; k++) {
        int32_t out = 100 * world.me + k, in = -1, sum = world.me;
        ob_view o = {.base = &out, .m = 1, .n = 1, .ld = 1, .type = OB_INT}, i = o, s = o;
        i.base = &in;
        s.base = &sum;
        fine(ob_send(everyone, right, 0, &o), "ob_send");
        if (k % 3 == 0)
            fine(ob_barrier(everyone), "ob_barrier");
        fine(ob_combine(everyone, OB_ANY, OB_SUM, &s, NULL, 0, NULL), "ob_combine");
        check(sum == world.count * (world.count - 1) / 2, "the sum is %d", sum);
        fine(ob_recv(everyone, left, OB_ANY, &i, NULL), "ob_recv");
        check(in == 100 * left + k, "the message is %d", in);
    }
}

static void bad_arguments(void)
{
    double x[4] = {0};
    int owner[4];
    ob_view v = {.base = x, .m = 2, .n = 2, .ld = 2, .type = OB_DOUBLE}, thin = v, bytes = v;
    ob_route bad = {.topology = (ob_topology)99}, bare = {.topology = OB_TOP_TREE};
    thin.ld = 1;
    bytes.type = OB_BYTE;
    check(ob_broadcast(NULL, 0, &v, NULL) == OB_EARG, "no group");
    check(ob_broadcast(everyone, world.count, &v, NULL) == OB_EARG, "root outside");
    check(ob_broadcast(everyone, OB_ANY, &v, NULL) == OB_EARG, "broadcast from anybody");
    check(ob_broadcast(everyone, 0, NULL, NULL) == OB_EARG, "no matrix");
    check(ob_broadcast(everyone, 0, &thin, NULL) == OB_EARG, "ld < m");
    check(ob_broadcast(everyone, 0, &v, &bad) == OB_EARG, "topology 99");
    check(ob_broadcast(everyone, 0, &v, &bare) == OB_EARG, "a tree without branches");
    check(ob_combine(everyone, -2, OB_SUM, &v, NULL, 0, NULL) == OB_EARG, "root -2");
    check(ob_combine(everyone, 0, (ob_op)7, &v, NULL, 0, NULL) == OB_EARG, "operation 7");
    check(ob_combine(everyone, 0, OB_SUM, &bytes, NULL, 0, NULL) == OB_EARG, "sum of bytes");
    check(ob_combine(everyone, 0, OB_SUM, &v, owner, 2, NULL) == OB_EARG, "owner of a sum");
    check(ob_combine(everyone, 0, OB_MAX_ABS, &v, owner, 1, NULL) == OB_EARG, "ld_owner < m");
    check(ob_barrier(NULL) == OB_EARG, "barrier of no group");
}

int main(void)
{
    begin();
    broadcasts();
    broadcast_of_what_may_only_be_read();
    broadcast_of_trapezoids();
    combines();
    same_bits();
    barriers();
    mixed();
    bad_arguments();
    return finish();
}
