/*
 * Triangles of at most OBLU_SHORT columns, of real numbers: their Cholesky factor, and what is
 * solved for with them. A BLAS packs matrices before it multiplies, and an unblocked factorisation
 * has a call of it for each column; for these that is most of the time. Where the processor has not
 * what is needed, a routine does nothing and says so.
 *
 * All is brought to one form: X L^T = B, L a lower triangle. Rows lie in strips of so many that two
 * registers have them, one column behind the other. A strip is solved for four columns at a time,
 * from left to right: what the columns before contribute is taken off, in registers, then their
 * four by four square is solved with. L lies in strips, too, so its factor is found in place.
 */
#include "lu.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { GROUP = 4, STRIP_BYTES = 64, LENGTH = OBLU_SHORT };
#define HERE __attribute__((target("avx2,fma")))
#define UNROLL _Pragma("GCC unroll 4")

/* Element (i, k) of a matrix in the caller's memory: base + i down + k across. */
#define SHORT(x, real, vector, suffix)                                                             \
    enum { ROWS_##x = STRIP_BYTES / sizeof(real), LANES_##x = ROWS_##x / 2 };                      \
    typedef struct part_##x {                                                                      \
        real *base;                                                                                \
        ptrdiff_t down, across;                                                                    \
    } part_##x;                                                                                    \
    /* w: columns, a multiple of GROUP; past the triangle's own the diagonal has ones. */          \
    typedef struct triangle_##x {                                                                  \
        size_t n, w;                                                                               \
        _Alignas(STRIP_BYTES) real at[LENGTH * LENGTH];                                            \
        real inverse[LENGTH];                                                                      \
    } triangle_##x;                                                                                \
                                                                                                   \
    static real *at_##x(part_##x p, size_t i, size_t k)                                            \
    {                                                                                              \
        return p.base + (ptrdiff_t)i * p.down + (ptrdiff_t)k * p.across;                           \
    }                                                                                              \
    static real *element_##x(triangle_##x *t, size_t i, size_t k)                                  \
    {                                                                                              \
        return t->at + i / ROWS_##x * ROWS_##x * t->w + k * ROWS_##x + i % ROWS_##x;               \
    }                                                                                              \
    /* Off columns j .. j + GROUP - 1 of a strip: what those before contribute. */                 \
    HERE static void take_off_##x(triangle_##x *t, size_t j, real *strip)                          \
    {                                                                                              \
        const real *l = element_##x(t, j, 0);                                                      \
        real *own = strip + j * ROWS_##x;                                                          \
        vector a[GROUP], b[GROUP];                                                                 \
        UNROLL for (size_t c = 0; c < GROUP; c++)                                                  \
        {                                                                                          \
            a[c] = _mm256_load_##suffix(own + c * ROWS_##x);                                       \
            b[c] = _mm256_load_##suffix(own + c * ROWS_##x + LANES_##x);                           \
        }                                                                                          \
        for (; strip < own; strip += ROWS_##x, l += ROWS_##x) {                                    \
            vector p = _mm256_load_##suffix(strip), q = _mm256_load_##suffix(strip + LANES_##x);   \
            UNROLL for (size_t c = 0; c < GROUP; c++)                                              \
            {                                                                                      \
                vector factor = _mm256_set1_##suffix(l[c]);                                        \
                a[c] = _mm256_fnmadd_##suffix(p, factor, a[c]);                                    \
                b[c] = _mm256_fnmadd_##suffix(q, factor, b[c]);                                    \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (size_t c = 0; c < GROUP; c++)                                                  \
        {                                                                                          \
            _mm256_store_##suffix(own + c * ROWS_##x, a[c]);                                       \
            _mm256_store_##suffix(own + c * ROWS_##x + LANES_##x, b[c]);                           \
        }                                                                                          \
    }                                                                                              \
    /* Then they are solved for, with their square. */                                             \
    HERE static void divide_##x(triangle_##x *t, size_t j, real *strip)                            \
    {                                                                                              \
        const real *l = element_##x(t, j, j);                                                      \
        real *own = strip + j * ROWS_##x;                                                          \
        vector a[GROUP], b[GROUP];                                                                 \
        UNROLL for (size_t c = 0; c < GROUP; c++)                                                  \
        {                                                                                          \
            a[c] = _mm256_load_##suffix(own + c * ROWS_##x);                                       \
            b[c] = _mm256_load_##suffix(own + c * ROWS_##x + LANES_##x);                           \
            UNROLL for (size_t d = 0; d < c; d++)                                                  \
            {                                                                                      \
                vector factor = _mm256_set1_##suffix(l[d * ROWS_##x + c]);                         \
                a[c] = _mm256_fnmadd_##suffix(a[d], factor, a[c]);                                 \
                b[c] = _mm256_fnmadd_##suffix(b[d], factor, b[c]);                                 \
            }                                                                                      \
            vector inverse = _mm256_set1_##suffix(t->inverse[j + c]);                              \
            a[c] = _mm256_mul_##suffix(a[c], inverse);                                             \
            b[c] = _mm256_mul_##suffix(b[c], inverse);                                             \
        }                                                                                          \
        UNROLL for (size_t c = 0; c < GROUP; c++)                                                  \
        { /* the strip may be the square's */                                                      \
            _mm256_store_##suffix(own + c * ROWS_##x, a[c]);                                       \
            _mm256_store_##suffix(own + c * ROWS_##x + LANES_##x, b[c]);                           \
        }                                                                                          \
    }                                                                                              \
    /* Rows from i on that lie together, of n. */                                                  \
    static size_t run_##x(size_t i, size_t n)                                                      \
    {                                                                                              \
        size_t left = ROWS_##x - i % ROWS_##x;                                                     \
        return n - i < left ? n - i : left;                                                        \
    }                                                                                              \
    static void copy_##x(size_t n, const real *from, ptrdiff_t step, real *to, ptrdiff_t to_step)  \
    {                                                                                              \
        if (n == ROWS_##x && step == 1 && to_step == 1)                                            \
            memcpy(to, from, ROWS_##x * sizeof *to);                                               \
        else                                                                                       \
            for (size_t r = 0; r < n; r++, from += step, to += to_step)                            \
                *to = *from;                                                                       \
    }                                                                                              \
    static part_##x below_##x(part_##x p, size_t i)                                                \
    {                                                                                              \
        return (part_##x){at_##x(p, i, 0), p.down, p.across};                                      \
    }                                                                                              \
    /* Rows of n columns between p and a strip, in the order in which p lies. Of column d all rows \
     * are meant, of each behind it one less. */                                                   \
    HERE static void move_##x(size_t rows, size_t n, size_t d, part_##x p, real *strip, bool back) \
    {                                                                                              \
        bool by_row = p.across == 1 || p.across == -1;                                             \
        for (size_t l = 0; l < (by_row ? rows : n); l++) {                                         \
            size_t above = !by_row && l > d ? l - d : 0;                                           \
            size_t count = by_row ? (d + l + 1 < n ? d + l + 1 : n) : rows - above;                \
            real *near = strip + (by_row ? l : l * ROWS_##x + above);                              \
            real *far = by_row ? at_##x(p, l, 0) : at_##x(p, above, l);                            \
            ptrdiff_t step = by_row ? ROWS_##x : 1, by = by_row ? p.across : p.down;               \
            if (back)                                                                              \
                copy_##x(count, near, step, far, by);                                              \
            else                                                                                   \
                copy_##x(count, far, by, near, step);                                              \
        }                                                                                          \
    }                                                                                              \
    /* The triangle p, of order n, into strips. Above the diagonal, in strips that have some of    \
     * it, are zeros: nobody wants what becomes of them, but they are computed with. */            \
    static void pack_##x(triangle_##x *t, size_t n, part_##x p)                                    \
    {                                                                                              \
        t->n = n;                                                                                  \
        t->w = (n + GROUP - 1) / GROUP * GROUP;                                                    \
        for (size_t i = 0; i < n; i += ROWS_##x) {                                                 \
            real *to = element_##x(t, i, 0);                                                       \
            size_t rows = run_##x(i, n);                                                           \
            size_t first = rows < ROWS_##x ? 0 : i, left = t->w - i;                               \
            size_t end = i + (left < ROWS_##x ? left : ROWS_##x);                                  \
            memset(to + first * ROWS_##x, 0, (end - first) * ROWS_##x * sizeof *to);               \
            move_##x(rows, i + rows, i, below_##x(p, i), to, false);                               \
        }                                                                                          \
        for (size_t k = n; k < t->w; k++)                                                          \
            *element_##x(t, k, k) = 1;                                                             \
    }                                                                                              \
    static void unpack_##x(triangle_##x *t, part_##x p)                                            \
    {                                                                                              \
        for (size_t i = 0; i < t->n; i += ROWS_##x) {                                              \
            size_t rows = run_##x(i, t->n);                                                        \
            move_##x(rows, i + rows, i, below_##x(p, i), element_##x(t, i, 0), true);              \
        }                                                                                          \
    }                                                                                              \
    /* The factor of the square at j, when what is before it is off; false where it has none. */   \
    static bool factor_square_##x(triangle_##x *t, size_t j, size_t *good)                         \
    {                                                                                              \
        real *l = element_##x(t, j, j);                                                            \
        for (size_t c = 0; c < GROUP; c++)                                                         \
            for (size_t r = c; r < GROUP; r++) {                                                   \
                real *it = l + c * ROWS_##x + r, sum = *it;                                        \
                for (size_t k = 0; k < c; k++)                                                     \
                    sum -= l[k * ROWS_##x + r] * l[k * ROWS_##x + c];                              \
                *it = sum;                                                                         \
                if (r > c) {                                                                       \
                    *it *= t->inverse[j + c];                                                      \
                } else if (sum > 0) {                                                              \
                    *it = (real)sqrt((double)sum);                                                 \
                    t->inverse[j + c] = 1 / *it;                                                   \
                } else {                                                                           \
                    *good = j + c;                                                                 \
                    return false;                                                                  \
                }                                                                                  \
            }                                                                                      \
        return true;                                                                               \
    }                                                                                              \
    /* The strip of the square at j: its rows are kept aside where others are solved for. */       \
    HERE static bool factor_strip_##x(triangle_##x *t, size_t j, size_t *good)                     \
    {                                                                                              \
        real kept[GROUP][GROUP], *square = element_##x(t, j, j);                                   \
        real *strip = element_##x(t, j / ROWS_##x * ROWS_##x, 0);                                  \
        take_off_##x(t, j, strip);                                                                 \
        if (!factor_square_##x(t, j, good))                                                        \
            return false;                                                                          \
        for (size_t c = 0; c < GROUP; c++)                                                         \
            memcpy(kept[c], square + c * ROWS_##x, sizeof kept[c]);                                \
        divide_##x(t, j, strip);                                                                   \
        for (size_t c = 0; c < GROUP; c++)                                                         \
            memcpy(square + c * ROWS_##x, kept[c], sizeof kept[c]);                                \
        return true;                                                                               \
    }                                                                                              \
    HERE static int cholesky_##x(char uplo, size_t n, real *a, size_t ld)                          \
    {                                                                                              \
        triangle_##x t;                                                                            \
        const ptrdiff_t step = (ptrdiff_t)ld;                                                      \
        const part_##x p = {a, uplo == 'L' ? 1 : step, uplo == 'L' ? step : 1};                    \
        size_t good = n;                                                                           \
        pack_##x(&t, n, p);                                                                        \
        for (size_t j = 0; j < t.w && factor_strip_##x(&t, j, &good); j += GROUP)                  \
            for (size_t i = (j / ROWS_##x + 1) * ROWS_##x; i < t.w; i += ROWS_##x) {               \
                take_off_##x(&t, j, element_##x(&t, i, 0));                                        \
                divide_##x(&t, j, element_##x(&t, i, 0));                                          \
            }                                                                                      \
        unpack_##x(&t, p);                                                                         \
        return good < n ? (int)good + 1 : 0;                                                       \
    }                                                                                              \
    /* m rows of X. */                                                                             \
    HERE static void solve_##x(triangle_##x *t, size_t m, part_##x x)                              \
    {                                                                                              \
        _Alignas(STRIP_BYTES) real strip[ROWS_##x * LENGTH] = {0};                                 \
        for (size_t i = 0; i < m; i += ROWS_##x) {                                                 \
            size_t rows = run_##x(i, m);                                                           \
            move_##x(rows, t->n, t->n, below_##x(x, i), strip, false);                             \
            for (size_t j = 0; j < t->w; j += GROUP) {                                             \
                take_off_##x(t, j, strip);                                                         \
                divide_##x(t, j, strip);                                                           \
            }                                                                                      \
            move_##x(rows, t->n, t->n, below_##x(x, i), strip, true);                              \
        }                                                                                          \
    }                                                                                              \
    /* The triangle as it lies (direct) or transposed, its columns in order or from the end; X as  \
     * it lies or transposed (left). */                                                            \
    HERE static void trsm_##x(bool left, bool direct, bool back, bool unit, size_t w, size_t m,    \
                              const void *l, size_t ldl, void *b, size_t ldb)                      \
    {                                                                                              \
        triangle_##x t;                                                                            \
        const ptrdiff_t sign = back ? -1 : 1, last = back ? (ptrdiff_t)w - 1 : 0;                  \
        const ptrdiff_t of_l = (ptrdiff_t)ldl, of_b = (ptrdiff_t)ldb, across = left ? 1 : of_b;    \
        const part_##x p = {(real *)l + last * (1 + of_l), sign * (direct ? 1 : of_l),             \
                            sign * (direct ? of_l : 1)};                                           \
        const part_##x x = {(real *)b + last * across, left ? of_b : 1, sign * across};            \
        pack_##x(&t, w, p);                                                                        \
        for (size_t k = 0; k < t.w; k++)                                                           \
            t.inverse[k] = unit ? 1 : 1 / *element_##x(&t, k, k);                                  \
        solve_##x(&t, m, x);                                                                       \
    }

SHORT(s, float, __m256, ps)
SHORT(d, double, __m256d, pd)

static bool is_able(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* Of all rows less than a strip are not worth it. */
static bool takes(ob_type type, size_t columns, size_t rows)
{
    return columns <= LENGTH && is_able() &&
           ((type == OB_FLOAT && rows >= ROWS_s) || (type == OB_DOUBLE && rows >= ROWS_d));
}

bool oblu_short_potrf(ob_type type, char uplo, size_t n, void *a, size_t ld, int *info)
{
    if (!takes(type, n, LENGTH))
        return false;
    *info = type == OB_FLOAT ? cholesky_s(uplo, n, a, ld) : cholesky_d(uplo, n, a, ld);
    return true;
}

bool oblu_short_trsm(ob_type type, const char how[4], size_t m, size_t n, const void *t, size_t ldt,
                     void *b, size_t ldb)
{
    const bool left = how[0] == 'L', direct = left == (how[2] == 'N');
    const bool back = direct != (how[1] == 'L'), unit = how[3] == 'U';
    size_t w = left ? m : n, rows = left ? n : m;
    if (!takes(type, w, rows))
        return false;
    if (type == OB_FLOAT)
        trsm_s(left, direct, back, unit, w, rows, t, ldt, b, ldb);
    else
        trsm_d(left, direct, back, unit, w, rows, t, ldt, b, ldb);
    return true;
}
#else
bool oblu_short_potrf(ob_type type, char uplo, size_t n, void *a, size_t ld, int *info)
{
    (void)type, (void)uplo, (void)n, (void)a, (void)ld, (void)info;
    return false;
}

bool oblu_short_trsm(ob_type type, const char how[4], size_t m, size_t n, const void *t, size_t ldt,
                     void *b, size_t ldb)
{
    (void)type, (void)how, (void)m, (void)n, (void)t, (void)ldt, (void)b, (void)ldb;
    return false;
}
#endif
