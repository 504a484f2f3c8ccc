/*
 * Combines of elements of all kinds with all operators against plain readings of their rules,
 * averages, and sums of numbers of 16 bits: on any number of processes, with every root, in place
 * and out of it.
 */
#include <math.h>

#include "draws.h"

/* ------------------------------------------------------- numbers of 16 bits, slowly */

/* bits of exponent, bits of fraction */
static double of_short(uint16_t h, int exponent, int fraction)
{
    int bias = (1 << (exponent - 1)) - 1, e = (h & 0x7fff) >> fraction,
        f = h & ((1 << fraction) - 1);
    double sign = h >> 15 ? -1 : 1;
    if (e == (1 << exponent) - 1)
        return f ? NAN : sign * INFINITY;
    return sign * (e ? ldexp(1 + ldexp(f, -fraction), e - bias) : ldexp(f, 1 - bias - fraction));
}

static uint16_t to_short(double x, int exponent, int fraction)
{
    int bias = (1 << (exponent - 1)) - 1, e;
    uint16_t sign = signbit(x) ? 0x8000 : 0, huge = (uint16_t)(((1 << exponent) - 1) << fraction);
    if (isnan(x))
        return (uint16_t)(huge + 1);
    if (isinf(x))
        return sign | huge;
    frexp(x, &e);
    e = e - 1 < 1 - bias || x == 0 ? 1 - bias : e - 1;
    double units = rint(ldexp(fabs(x), fraction - e)); /* ties to even */
    int whole = (int)units + ((e - 1 + bias) << fraction);
    return sign | (uint16_t)(whole < huge ? whole : huge);
}

/* ------------------------------------------------------------------------ the kinds */

/* An element of a kind, as numbers that its arithmetic is done in. */
typedef struct number {
    long double re, im;
    uint64_t bits;
    int index;
} number;

typedef enum family { SIGNED, UNSIGNED, REAL, COMPLEX, TRUTH, BITS, PAIR } family;

#define KINDS(X)                                                                                   \
    X(OB_KIND_INT8, SIGNED, int8_t)                                                                \
    X(OB_KIND_INT16, SIGNED, int16_t)                                                              \
    X(OB_KIND_INT32, SIGNED, int32_t)                                                              \
    X(OB_KIND_INT64, SIGNED, int64_t)                                                              \
    X(OB_KIND_UINT8, UNSIGNED, uint8_t)                                                            \
    X(OB_KIND_UINT16, UNSIGNED, uint16_t)                                                          \
    X(OB_KIND_UINT32, UNSIGNED, uint32_t)                                                          \
    X(OB_KIND_UINT64, UNSIGNED, uint64_t)                                                          \
    X(OB_KIND_FLOAT, REAL, float)                                                                  \
    X(OB_KIND_DOUBLE, REAL, double)                                                                \
    X(OB_KIND_LONG_DOUBLE, REAL, long double)                                                      \
    X(OB_KIND_BOOL, TRUTH, _Bool)                                                                  \
    X(OB_KIND_LOGICAL1, TRUTH, int8_t)                                                             \
    X(OB_KIND_LOGICAL2, TRUTH, int16_t)                                                            \
    X(OB_KIND_LOGICAL4, TRUTH, int32_t)                                                            \
    X(OB_KIND_LOGICAL8, TRUTH, int64_t)                                                            \
    X(OB_KIND_BYTE, BITS, uint8_t)
#define COMPLEX_KINDS(X)                                                                           \
    X(OB_KIND_COMPLEX, float)                                                                      \
    X(OB_KIND_DCOMPLEX, double)                                                                    \
    X(OB_KIND_LONG_COMPLEX, long double)
#define PAIR_KINDS(X)                                                                              \
    X(OB_KIND_FLOAT_INT, float, int)                                                               \
    X(OB_KIND_DOUBLE_INT, double, int)                                                             \
    X(OB_KIND_LONG_INT, long, int)                                                                 \
    X(OB_KIND_SHORT_INT, short, int)                                                               \
    X(OB_KIND_LONG_DOUBLE_INT, long double, int)                                                   \
    X(OB_KIND_2INT, int, int)                                                                      \
    X(OB_KIND_2FLOAT, float, float)                                                                \
    X(OB_KIND_2DOUBLE, double, double)

static family family_of(ob_kind kind)
{
#define FAMILY(K, F, T)                                                                            \
    if (kind == (K))                                                                               \
        return F;
    KINDS(FAMILY)
    if (kind == OB_KIND_HALF || kind == OB_KIND_BFLOAT16)
        return REAL;
    return kind >= OB_KIND_FLOAT_INT ? PAIR : COMPLEX;
}

/* Writes a number as element i, and reads one. */
static void put(ob_kind kind, void *to, size_t i, number x)
{
#define PUT(K, F, T)                                                                               \
    if (kind == (K))                                                                               \
        ((T *)to)[i] = F == REAL ? (T)x.re : (T)x.bits;
    KINDS(PUT)
#define PUT_COMPLEX(K, T)                                                                          \
    if (kind == (K)) {                                                                             \
        ((T *)to)[2 * i] = (T)x.re;                                                                \
        ((T *)to)[2 * i + 1] = (T)x.im;                                                            \
    }
    COMPLEX_KINDS(PUT_COMPLEX)
#define PUT_PAIR(K, T, I)                                                                          \
    if (kind == (K)) {                                                                             \
        struct {                                                                                   \
            T value;                                                                               \
            I index;                                                                               \
        } *p = to;                                                                                 \
        p[i].value = (T)x.re;                                                                      \
        p[i].index = (I)x.index;                                                                   \
    }
    PAIR_KINDS(PUT_PAIR)
    if (kind == OB_KIND_HALF)
        ((uint16_t *)to)[i] = to_short((double)x.re, 5, 10);
    if (kind == OB_KIND_BFLOAT16)
        ((uint16_t *)to)[i] = to_short((double)x.re, 8, 7);
}

static number get(ob_kind kind, const void *from, size_t i)
{
    number x = {0};
#define GET(K, F, T)                                                                               \
    if (kind == (K)) {                                                                             \
        T v = ((const T *)from)[i];                                                                \
        if (F == REAL)                                                                             \
            x.re = (long double)v;                                                                 \
        else                                                                                       \
            x.bits = (uint64_t)v;                                                                  \
    }
    KINDS(GET)
#define GET_COMPLEX(K, T)                                                                          \
    if (kind == (K)) {                                                                             \
        x.re = ((const T *)from)[2 * i];                                                           \
        x.im = ((const T *)from)[2 * i + 1];                                                       \
    }
    COMPLEX_KINDS(GET_COMPLEX)
#define GET_PAIR(K, T, I)                                                                          \
    if (kind == (K)) {                                                                             \
        const struct {                                                                             \
            T value;                                                                               \
            I index;                                                                               \
        } *p = from;                                                                               \
        x.re = (long double)p[i].value;                                                            \
        x.index = (int)p[i].index;                                                                 \
    }
    PAIR_KINDS(GET_PAIR)
    if (kind == OB_KIND_HALF)
        x.re = of_short(((const uint16_t *)from)[i], 5, 10);
    if (kind == OB_KIND_BFLOAT16)
        x.re = of_short(((const uint16_t *)from)[i], 8, 7);
    return x;
}

/* What a member has as element i; sums and products of reals are exact, whatever the order. */
static number value_of(ob_kind kind, ob_operator what, int member, size_t i)
{
    static const long double special[] = {0.0L, -0.0L, 1.5L, -2, INFINITY, -INFINITY, NAN, 7};
    uint64_t state = (uint64_t)member * 7919 + i * 104729 + (uint64_t)kind;
    draw(&state);
    uint64_t r = draw(&state) << 31 ^ draw(&state);
    number x = {.index = (int)(r % 5)};
    bool tells = what >= OB_OPERATOR_AND && what <= OB_OPERATOR_XOR;
    bool picks = what == OB_OPERATOR_MAX || what == OB_OPERATOR_MIN ||
                 what == OB_OPERATOR_MAX_PAIR || what == OB_OPERATOR_MIN_PAIR;
    switch (family_of(kind)) {
    case SIGNED:
    case UNSIGNED:
    case BITS: x.bits = r % 3 ? r * 0x9e3779b97f4a7c15u : r % 2; break;
    case TRUTH: x.bits = r % 4 ? 1 : 0; break;
    case PAIR: x.re = (int)(r % 3) - 1; break;
    case COMPLEX:
        x.re = what == OB_OPERATOR_PRODUCT ? 0 : (int)(r % 9) - 4;
        x.im = what == OB_OPERATOR_PRODUCT ? (r % 2 ? 1 : -1) : (int)(r % 7) - 3;
        break;
    case REAL:
        x.re = tells                         ? (r % 3 ? special[r % 8] : 0)
               : picks                       ? special[r % 8]
               : what == OB_OPERATOR_PRODUCT ? (r % 2 ? -1 : 2)
                                             : (int)(r % 9) - 4;
        break;
    }
    return x;
}

static long double pick(bool most, long double x, long double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return most == !signbit(x) ? x : y;
    return most == (x > y) ? x : y;
}

/* In as many bits as the kind has; the caller's type cuts the rest off. */
static uint64_t whole(ob_kind kind, ob_operator what, uint64_t x, uint64_t y)
{
    bool above = family_of(kind) == SIGNED ? (int64_t)x > (int64_t)y : x > y;
    switch (what) {
    case OB_OPERATOR_MAX: return above ? x : y;
    case OB_OPERATOR_MIN: return above ? y : x;
    case OB_OPERATOR_PRODUCT: return x * y;
    case OB_OPERATOR_AND: return x && y;
    case OB_OPERATOR_OR: return x || y;
    case OB_OPERATOR_XOR: return !x != !y;
    case OB_OPERATOR_BIT_AND: return x & y;
    case OB_OPERATOR_BIT_OR: return x | y;
    case OB_OPERATOR_BIT_XOR: return x ^ y;
    default: return x + y;
    }
}

static number join(ob_kind kind, ob_operator what, number x, number y)
{
    bool most = what == OB_OPERATOR_MAX || what == OB_OPERATOR_MAX_PAIR;
    number z = {.bits = whole(kind, what, x.bits, y.bits)};
    if (family_of(kind) == PAIR)
        return x.re == y.re ? (x.index < y.index ? x : y) : most == (x.re > y.re) ? x : y;
    if (what == OB_OPERATOR_MAX || what == OB_OPERATOR_MIN) {
        z.re = pick(most, x.re, y.re);
    } else if (what == OB_OPERATOR_PRODUCT) {
        z.re = x.re * y.re - x.im * y.im;
        z.im = x.re * y.im + x.im * y.re;
    } else if (what >= OB_OPERATOR_AND && what <= OB_OPERATOR_XOR) {
        z.re = (long double)whole(kind, what, x.re != 0, y.re != 0);
    } else {
        z.re = x.re + y.re;
        z.im = x.im + y.im;
    }
    return z;
}

/* Element i of the result. Integers are cut to the kind's width after every step, by put and get.
 */
static number expected(ob_kind kind, ob_operator what, size_t i)
{
    long double room[8];
    number x = {0};
    bool is_whole = family_of(kind) <= UNSIGNED || family_of(kind) >= TRUTH;
    for (int m = 0; m < world.count; m++) {
        number y = value_of(kind, what, m, i);
        put(kind, room, 0, y);
        y = get(kind, room, 0);
        x = m ? join(kind, what, x, y) : y;
        if (is_whole && family_of(kind) != PAIR) {
            put(kind, room, 0, x);
            x = get(kind, room, 0);
        }
    }
    if (what != OB_OPERATOR_AVERAGE)
        return x;
    if (family_of(kind) == SIGNED)
        x.bits = (uint64_t)((int64_t)x.bits / world.count);
    else
        x.bits /= (uint64_t)world.count;
    /* As the kind divides. */
    bool is_double = kind == OB_KIND_DOUBLE || kind == OB_KIND_DCOMPLEX;
    bool is_long = kind == OB_KIND_LONG_DOUBLE || kind == OB_KIND_LONG_COMPLEX;
    x.re = is_long     ? x.re / world.count
           : is_double ? (double)x.re / world.count
                       : (float)x.re / (float)world.count;
    x.im = is_long     ? x.im / world.count
           : is_double ? (double)x.im / world.count
                       : (float)x.im / (float)world.count;
    return x;
}

static bool same(long double x, long double y)
{
    return isnan(x) ? isnan(y) : x == y && !signbit(x) == !signbit(y);
}

static bool is_right(ob_kind kind, ob_operator what, const void *got, size_t i)
{
    long double room[8];
    number want = expected(kind, what, i), x = get(kind, got, i);
    put(kind, room, 0, want);
    want = get(kind, room, 0);
    bool zero = what == OB_OPERATOR_SUM || what == OB_OPERATOR_AVERAGE || /* its sign is not told */
                family_of(kind) == COMPLEX;
    return x.bits == want.bits && x.index == want.index &&
           (zero ? x.re == want.re && x.im == want.im : same(x.re, want.re));
}

/* combine_by, combine_to, distributed: n elements a member. */
static void one_combine(ob_kind kind, ob_operator what, int root, size_t n, int way)
{
    ob_operation o;
    if (ob_operation_of(what, kind, &o) != OB_OK)
        return;
    ob_type type = ob_kind_type(kind);
    size_t bytes = o.element_bytes, unit = type == OB_BYTE ? bytes : 1;
    char *from = memory_of(n * bytes), *to = memory_of(n * bytes), *kept = memory_of(n * bytes);
    for (size_t i = 0; i < n; i++)
        put(kind, from, i, value_of(kind, what, world.me, i));
    memcpy(kept, from, n * bytes);
    ob_view f = ob_view_vector(from, n * unit, type), t = ob_view_vector(to, n * unit, type);
    int status = way == 0   ? ob_combine_by(everyone, root, &o, &f, NULL)
                 : way == 1 ? ob_combine_to(everyone, root, &o, &f, wanted(root) ? &t : NULL, NULL)
                            : ob_combine_in_order(everyone, root, &o, &f, &t, NULL);
    fine(status, "a combine");
    int wrong = 0;
    for (size_t i = 0; wanted(root) && i < n; i++)
        wrong += !is_right(kind, what, way ? to : from, i);
    check(wrong == 0, "kind %d, operator %d, root %d, way %d: %d of %zu are wrong", (int)kind,
          (int)what, root, way, wrong, n);
    if (way)
        check(memcmp(from, kept, n * bytes) == 0, "what is kept has changed");
    free(from);
    free(to);
    free(kept);
}

static void all_kinds(void)
{
    int k = 0;
    for (int kind = 0; kind < OB_KINDS; kind++)
        for (int what = 0; what < OB_OPERATORS; what++, k++) {
            one_combine((ob_kind)kind, (ob_operator)what, root_of(k), 37, k % 3);
            one_combine((ob_kind)kind, (ob_operator)what, root_of(k / 2), k % 4 ? 301 : 5000,
                        (k + 1) % 3);
        }
}

/* The members' numbers of 16 bits are added in float and rounded once: in half precision 2048 and
 * nine times 1 are 2048, if each is added to what was rounded. */
static void rounded_once(ob_kind kind, float large, size_t n)
{
    int exponent = kind == OB_KIND_HALF ? 5 : 8, fraction = kind == OB_KIND_HALF ? 10 : 7;
    uint16_t *x = memory_of(2 * n);
    ob_operation o;
    size_t piece = n / (size_t)world.count, own = piece * (size_t)world.me;
    for (int average = 0; average < 2; average++)
        for (int distributed = 0; distributed < 2; distributed++) {
            float sum = large + (float)(world.count - 1);
            uint16_t want = to_short(average ? sum / (float)world.count : sum, exponent, fraction);
            for (size_t i = 0; i < n; i++)
                x[i] = to_short(world.me ? 1 : large, exponent, fraction);
            fine(ob_operation_of(average ? OB_OPERATOR_AVERAGE : OB_OPERATOR_SUM, kind, &o), "of");
            ob_view v = ob_view_vector(x, 2 * n, OB_BYTE);
            ob_pieces pieces = {.base = x, .type = OB_BYTE, .count = 2 * piece};
            fine(distributed ? ob_distributed_combine_by(everyone, &o, &pieces, NULL)
                             : ob_combine_by(everyone, OB_ANY, &o, &v, NULL),
                 "a sum of 16 bits");
            int wrong = 0;
            size_t first = distributed ? own : 0, last = distributed ? own + piece : n;
            for (size_t i = first; i < last; i++)
                wrong += x[i] != want;
            check(wrong == 0, "kind %d: %d of %zu are not rounded once", (int)kind, wrong, n);
        }
    free(x);
}

/* Averages in trapezoids: no element beside them is divided, and each of theirs is. */
static void averages_of(ob_shape shape, int unit_diagonal, size_t columns)
{
    enum { ROWS = 4, LD = 5 };
    double x[LD * 3], y[LD * 3];
    ob_operation average, sum;
    fine(ob_operation_of(OB_OPERATOR_AVERAGE, OB_KIND_DOUBLE, &average), "of");
    fine(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_DOUBLE, &sum), "of");
    ob_view v = {x, ROWS, columns, LD, OB_DOUBLE, shape, unit_diagonal}, w = v;
    w.base = y;
    for (int i = 0; i < LD * 3; i++)
        x[i] = y[i] = world.me + i + 1;
    fine(ob_combine_by(everyone, OB_ANY, &average, &v, NULL), "an average");
    fine(ob_combine_by(everyone, OB_ANY, &sum, &w, NULL), "a sum");
    int wrong = 0;
    for (int i = 0; i < LD * 3 && world.count > 1; i++)
        wrong += x[i] != (y[i] == world.me + i + 1 ? y[i] : y[i] / world.count);
    check(wrong == 0, "shape %d, unit diagonal %d, %zu columns: %d are wrong", (int)shape,
          unit_diagonal, columns, wrong);
}

static void averages_of_trapezoids(void)
{
    for (int k = 0; k < 18; k++)
        averages_of((ob_shape)(k % 3), k / 3 % 2, (size_t)(k / 6) + 1);
}

int main(void)
{
    begin();
    all_kinds();
    averages_of_trapezoids();
    rounded_once(OB_KIND_HALF, 2048, 900);
    rounded_once(OB_KIND_BFLOAT16, 256, 40000);
    return finish();
}
