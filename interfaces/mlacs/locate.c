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
static inline int64_t key_plain_i(const int32_t *v)
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
static inline int64_t key_abs_i(const int32_t *v)
{
    return *v < 0 ? -(int64_t)*v : *v;
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

#define COMPARE(name, T, K, N, key, OP)                                                            \
    static void name(size_t blocks, void *acc, const void *in, const void *context)                \
    {                                                                                              \
        typedef struct block {                                                                     \
            T value[N];                                                                            \
            int32_t rank[N];                                                                       \
        } block;                                                                                   \
        block *a = acc;                                                                            \
        const block *b = in;                                                                       \
        (void)context;                                                                             \
        for (size_t k = 0; k < blocks; k++, a++, b++)                                              \
            for (int i = 0; i < N; i++) {                                                          \
                K x = key(&b->value[i]), y = key(&a->value[i]);                                    \
                int take = BEFORE(x, y, OP, b->rank[i], a->rank[i]);                               \
                a->value[i] = take ? b->value[i] : a->value[i];                                    \
                a->rank[i] = take ? b->rank[i] : a->rank[i];                                       \
            }                                                                                      \
    }

COMPARE(max_i, int32_t, int64_t, BLOCK, key_plain_i, >)
COMPARE(max_s, float, float, BLOCK, key_plain_s, >)
COMPARE(max_d, double, double, BLOCK, key_plain_d, >)
COMPARE(min_i, int32_t, int64_t, BLOCK, key_plain_i, <)
COMPARE(min_s, float, float, BLOCK, key_plain_s, <)
COMPARE(min_d, double, double, BLOCK, key_plain_d, <)
COMPARE(max_abs_i, int32_t, int64_t, BLOCK, key_abs_i, >)
COMPARE(max_abs_s, float, float, BLOCK, key_abs_s, >)
COMPARE(max_abs_d, double, double, BLOCK, key_abs_d, >)
COMPARE(max_abs_c, pair_s, float, BLOCK, key_abs_c, >)
COMPARE(max_abs_z, pair_d, double, BLOCK_Z, key_abs_z, >)
COMPARE(min_abs_i, int32_t, int64_t, BLOCK, key_abs_i, <)
COMPARE(min_abs_s, float, float, BLOCK, key_abs_s, <)
COMPARE(min_abs_d, double, double, BLOCK, key_abs_d, <)
COMPARE(min_abs_c, pair_s, float, BLOCK, key_abs_c, <)
COMPARE(min_abs_z, pair_d, double, BLOCK_Z, key_abs_z, <)

obm_compare *obm_compare_of(enum obm_extreme what, MLACS_Type type)
{
    static obm_compare *const table[OBM_EXTREMES][MLACS_BYTE + 1] = {
        {max_i, max_s, max_d, NULL, NULL, NULL},
        {min_i, min_s, min_d, NULL, NULL, NULL},
        {max_abs_i, max_abs_s, max_abs_d, max_abs_c, max_abs_z, NULL},
        {min_abs_i, min_abs_s, min_abs_d, min_abs_c, min_abs_z, NULL}};
    return table[what][type];
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
