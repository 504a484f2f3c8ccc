/*
 * The loops behind locate.h. A block is eight or sixteen values and then their
 * ranks: both stay aligned, and the vectoriser takes a block a step.
 */
#include "locate.h"

#include <math.h>
#include <string.h>

/* Elements of a block: an element of ob_combine_by has at most 256 bytes. */
enum { BLOCK = 16, BLOCK_Z = 8 };

static size_t block_of(ob_type type)
{
    return type == OB_DCOMPLEX ? BLOCK_Z : BLOCK;
}

size_t obm_block_bytes(MLACS_Type type)
{
    return block_of((ob_type)type) * (ob_type_bytes((ob_type)type) + sizeof(int32_t));
}

size_t obm_blocks_bytes(MLACS_Type type, size_t count)
{
    size_t block = block_of((ob_type)type);
    return (count + block - 1) / block * obm_block_bytes(type);
}

/* ------------------------------------------------------------------- comparing */

/* What is compared: a number itself, or its magnitude. */
static inline int32_t key_plain_i(const int32_t *v)
{
    return *v;
}
static inline float key_plain_s(const float *v)
{
    return *v;
}
static inline double key_plain_d(const double *v)
{
    return *v;
}
static inline uint32_t key_abs_i(const int32_t *v)
{
    return *v < 0 ? 0u - (uint32_t)*v : (uint32_t)*v;
}
static inline float key_abs_s(const float *v)
{
    return fabsf(*v);
}
static inline double key_abs_d(const double *v)
{
    return fabs(*v);
}

typedef struct pair_s {
    float re, im;
} pair_s;
typedef struct pair_d {
    double re, im;
} pair_d;
static inline float key_abs_c(const pair_s *v)
{
    return fabsf(v->re) + fabsf(v->im);
}
static inline double key_abs_z(const pair_d *v)
{
    return fabs(v->re) + fabs(v->im);
}

/* Whether x comes before y: it is better, or a NaN and y is none, or neither and
 * its rank is lower. Whatever the grouping, one element wins. */
#define BEFORE(x, y, OP, rx, ry)                                                                   \
    (((x)OP(y)) | (((x) != (x)) & ((y) == (y))) |                                                  \
     ((((x) == (y)) | (((x) != (x)) & ((y) != (y)))) & ((rx) < (ry))))

#define COMPARE(name, TARGET, T, K, N, key, OP)                                                    \
    TARGET static void name(size_t blocks, void *acc, const void *in, const void *context)         \
    {                                                                                              \
        typedef struct block {                                                                     \
            T value[N];                                                                            \
            int32_t rank[N];                                                                       \
        } block;                                                                                   \
        block *restrict a = acc;                                                                   \
        const block *restrict b = in;                                                              \
        (void)context;                                                                             \
        for (size_t k = 0; k < blocks; k++, a++, b++)                                              \
            for (int i = 0; i < N; i++) {                                                          \
                K x = key(&b->value[i]), y = key(&a->value[i]);                                    \
                int take = BEFORE(x, y, OP, b->rank[i], a->rank[i]);                               \
                a->value[i] = take ? b->value[i] : a->value[i];                                    \
                a->rank[i] = take ? b->rank[i] : a->rank[i];                                       \
            }                                                                                      \
    }

#define PLAIN(HALF, TARGET, what, OP)                                                              \
    COMPARE(what##_i_##HALF, TARGET, int32_t, int32_t, BLOCK, key_plain_i, OP)                     \
    COMPARE(what##_s_##HALF, TARGET, float, float, BLOCK, key_plain_s, OP)                         \
    COMPARE(what##_d_##HALF, TARGET, double, double, BLOCK, key_plain_d, OP)

#define MAGNITUDES(HALF, TARGET, what, OP)                                                         \
    COMPARE(what##_i_##HALF, TARGET, int32_t, uint32_t, BLOCK, key_abs_i, OP)                      \
    COMPARE(what##_s_##HALF, TARGET, float, float, BLOCK, key_abs_s, OP)                           \
    COMPARE(what##_d_##HALF, TARGET, double, double, BLOCK, key_abs_d, OP)                         \
    COMPARE(what##_c_##HALF, TARGET, pair_s, float, BLOCK, key_abs_c, OP)                          \
    COMPARE(what##_z_##HALF, TARGET, pair_d, double, BLOCK_Z, key_abs_z, OP)

typedef obm_compare *const table[OBM_EXTREMES][MLACS_BYTE + 1];

#define ALL(HALF, TARGET)                                                                          \
    PLAIN(HALF, TARGET, max, >)                                                                    \
    PLAIN(HALF, TARGET, min, <)                                                                    \
    MAGNITUDES(HALF, TARGET, max_abs, >)                                                           \
    MAGNITUDES(HALF, TARGET, min_abs, <)                                                           \
    static table table_##HALF = {{max_i_##HALF, max_s_##HALF, max_d_##HALF, NULL, NULL, NULL},     \
                                 {min_i_##HALF, min_s_##HALF, min_d_##HALF, NULL, NULL, NULL},     \
                                 {max_abs_i_##HALF, max_abs_s_##HALF, max_abs_d_##HALF,            \
                                  max_abs_c_##HALF, max_abs_z_##HALF, NULL},                       \
                                 {min_abs_i_##HALF, min_abs_s_##HALF, min_abs_d_##HALF,            \
                                  min_abs_c_##HALF, min_abs_z_##HALF, NULL}};

ALL(base, )
/* Values of eight bytes and ranks of four are chosen together four at a time. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_HALF 1
ALL(avx2, __attribute__((target("avx2"))))
#endif

obm_compare *obm_compare_of(enum obm_extreme what, MLACS_Type type)
{
#ifdef HAVE_AVX2_HALF
    if (__builtin_cpu_supports("avx2"))
        return table_avx2[what][type];
#endif
    return table_base[what][type];
}

/* ------------------------------------------------------------ filling, emptying */

/* A place among blocks. */
typedef struct place {
    char *block;
    size_t unit, size, at; /* bytes of an element; a block's elements, and how many are used */
} place;

static void *value_at(const place *p)
{
    return p->block + p->at * p->unit;
}

static int32_t *rank_at(const place *p)
{
    return (int32_t *)(void *)(p->block + p->size * p->unit) + p->at;
}

static size_t room(const place *p, size_t count)
{
    return count < p->size - p->at ? count : p->size - p->at;
}

static void pass(place *p, size_t count)
{
    p->at += count;
    if (p->at == p->size) {
        p->block += p->size * (p->unit + sizeof(int32_t));
        p->at = 0;
    }
}

void obm_blocks_fill(void *blocks, const ob_view *a, int rank)
{
    place p = {blocks, ob_type_bytes(a->type), block_of(a->type), 0};
    for (size_t j = 0; j < a->n; j++) {
        const char *from = (const char *)a->base + j * a->ld * p.unit;
        for (size_t i = 0, step; i < a->m; i += step) {
            step = room(&p, a->m - i);
            memcpy(value_at(&p), from + i * p.unit, step * p.unit);
            for (size_t k = 0; k < step; k++)
                rank_at(&p)[k] = rank;
            pass(&p, step);
        }
    }
    if (p.at) {
        memset(value_at(&p), 0, (p.size - p.at) * p.unit);
        memset(rank_at(&p), 0, (p.size - p.at) * sizeof(int32_t));
    }
}

void obm_blocks_empty(const void *blocks, const ob_view *b, int *ranks, size_t ldia)
{
    place p = {(char *)blocks, ob_type_bytes(b->type), block_of(b->type), 0};
    for (size_t j = 0; j < b->n; j++) {
        char *to = (char *)b->base + j * b->ld * p.unit;
        for (size_t i = 0, step; i < b->m; i += step) {
            step = room(&p, b->m - i);
            memcpy(to + i * p.unit, value_at(&p), step * p.unit);
            if (ranks)
                memcpy(ranks + j * ldia + i, rank_at(&p), step * sizeof *ranks);
            pass(&p, step);
        }
    }
}
