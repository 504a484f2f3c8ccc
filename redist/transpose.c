/*
 * Streams of what is transposed: blocks of OBRD_WIDE columns of what is read, row by row, so that
 * one side reads the columns of a block side by side, and the other writes as many elements behind
 * each other. And what is done with elements where they arrive.
 */
#include "redist.h"

#include <string.h>

/* ---------------------------------------------------------------- streams */

/* The block that a stream is at: its columns, and where they are in the local array. */
typedef struct block {
    int wide;
    int64_t here[OBRD_WIDE];
} block;

static void open_block(const obrd_stream *s, block *b)
{
    const obrd_run *run = s->list[1].run + obrd_list_find(&s->list[1], s->column);
    int64_t left = s->count[1] - s->column;
    b->wide = left < OBRD_WIDE ? (int)left : OBRD_WIDE;
    for (int c = 0; c < b->wide; c++) {
        int64_t k = s->column + c;
        run += k == run[1].before;
        b->here[c] = run->here + k - run->before;
    }
}

/* The next rows of a block, that lie together: count of them from local row `here` on. */
typedef void (*rows_function)(const obrd_stream *s, const block *b, int64_t here, int64_t count,
                              char *buffer);

static size_t move(obrd_stream *s, char *buffer, size_t room, rows_function rows)
{
    size_t moved = 0;
    while (!obrd_stream_ended(s)) {
        block b;
        open_block(s, &b);
        const size_t row = (size_t)b.wide * s->move->bytes;
        const obrd_run *run = s->list[0].run + obrd_list_find(&s->list[0], s->row);
        for (; s->row < s->count[0]; run++) {
            int64_t fit = (int64_t)((room - moved) / row), count = run[1].before - s->row;
            count = count < fit ? count : fit;
            if (count == 0)
                return moved;
            rows(s, &b, run->here + s->row - run->before, count, buffer + moved);
            moved += (size_t)count * row;
            s->row += count;
            if (s->row < run[1].before)
                return moved;
        }
        s->row = 0;
        s->column += b.wide;
    }
    return moved;
}

typedef struct pair {
    uint64_t half[2];
} pair;

#define GATHER(name, type)                                                                         \
    static void name(const obrd_stream *s, const block *b, int64_t here, int64_t count,            \
                     char *buffer)                                                                 \
    {                                                                                              \
        type *to = (type *)(void *)buffer;                                                         \
        const type *from[OBRD_WIDE];                                                               \
        for (int c = 0; c < b->wide; c++)                                                          \
            from[c] = (const type *)(void *)s->local + (size_t)b->here[c] * s->ld + here;          \
        if (b->wide == OBRD_WIDE)                                                                  \
            for (int64_t i = 0; i < count; i++)                                                    \
                for (int c = 0; c < OBRD_WIDE; c++)                                                \
                    *to++ = from[c][i];                                                            \
        else                                                                                       \
            for (int64_t i = 0; i < count; i++)                                                    \
                for (int c = 0; c < b->wide; c++)                                                  \
                    *to++ = from[c][i];                                                            \
    }
GATHER(gather4, uint32_t)
GATHER(gather8, uint64_t)
GATHER(gather16, pair)

/* Each row is a part of a column of what is written. */
static void scatter(const obrd_stream *s, const block *b, int64_t here, int64_t count, char *buffer)
{
    const obrd_move *v = s->move;
    const size_t bytes = v->bytes;
    for (int64_t i = here; i < here + count; i++) {
        char *column = s->local + (size_t)i * s->ld * bytes;
        for (int c = 0, n; c < b->wide; c += n) {
            for (n = 1; c + n < b->wide && b->here[c + n] == b->here[c] + n; n++)
                ;
            char *to = column + (size_t)b->here[c] * bytes;
            if (v->apply)
                v->apply((size_t)n, to, buffer, v->alpha, v->beta);
            else
                memcpy(to, buffer, (size_t)n * bytes);
            buffer += (size_t)n * bytes;
        }
    }
}

size_t obrd_pack_transposed(obrd_stream *s, char *to, size_t bytes)
{
    size_t unit = s->move->bytes;
    return move(s, to, bytes, unit == 4 ? gather4 : unit == 8 ? gather8 : gather16);
}

size_t obrd_unpack_transposed(obrd_stream *s, const char *from, size_t bytes)
{
    return move(s, (char *)from, bytes, scatter);
}

/* ------------------------------------------------------- what is done there */

#define REAL(x, real)                                                                              \
    static void apply_##x(size_t n, void *to, const void *from, const void *alpha,                 \
                          const void *beta)                                                        \
    {                                                                                              \
        const real a = *(const real *)alpha, b = *(const real *)beta, *f = from;                   \
        real *t = to;                                                                              \
        if (b == 0)                                                                                \
            for (size_t i = 0; i < n; i++)                                                         \
                t[i] = a * f[i];                                                                   \
        else                                                                                       \
            for (size_t i = 0; i < n; i++)                                                         \
                t[i] = b * t[i] + a * f[i];                                                        \
    }

#define IS(x, real, parts)                                                                         \
    static bool is_##x(const void *scalar, int value)                                              \
    {                                                                                              \
        const real *s = scalar;                                                                    \
        return s[0] == (real)value && (parts == 1 || s[parts - 1] == 0);                           \
    }

/* sign: -1 of the conjugates, else 1. Nothing is multiplied by one, since that would spread what is
 * infinite, or not a number, from one part of an element to the other. */
#define COMPLEX(x, real, name, sign)                                                               \
    static void apply_##x##name(size_t n, void *to, const void *from, const void *alpha,           \
                                const void *beta)                                                  \
    {                                                                                              \
        const real *a = alpha, *b = beta, *f = from;                                               \
        const bool moves = is_##x(alpha, 1), adds = !is_##x(beta, 0), keeps = is_##x(beta, 1);     \
        real *t = to;                                                                              \
        for (size_t i = 0; i < 2 * n; i += 2) {                                                    \
            real re = f[i], im = sign f[i + 1];                                                    \
            real x0 = moves ? re : a[0] * re - a[1] * im;                                          \
            real x1 = moves ? im : a[0] * im + a[1] * re;                                          \
            real y0 = keeps ? t[i] : adds ? b[0] * t[i] - b[1] * t[i + 1] : 0;                     \
            real y1 = keeps ? t[i + 1] : adds ? b[0] * t[i + 1] + b[1] * t[i] : 0;                 \
            t[i] = y0 + x0;                                                                        \
            t[i + 1] = y1 + x1;                                                                    \
        }                                                                                          \
    }

IS(s, float, 1)
IS(d, double, 1)
IS(c, float, 2)
IS(z, double, 2)
REAL(s, float)
REAL(d, double)
COMPLEX(c, float, u, +)
COMPLEX(c, float, c, -)
COMPLEX(z, double, u, +)
COMPLEX(z, double, c, -)

static const struct {
    bool (*is)(const void *scalar, int value);
    obrd_apply apply[2]; /* plain, and conjugates */
} table[] = {[OB_FLOAT] = {is_s, {apply_s, apply_s}},
             [OB_DOUBLE] = {is_d, {apply_d, apply_d}},
             [OB_COMPLEX] = {is_c, {apply_cu, apply_cc}},
             [OB_DCOMPLEX] = {is_z, {apply_zu, apply_zc}}};

bool obrd_is(ob_type type, const void *scalar, int value)
{
    return table[type].is(scalar, value);
}

obrd_apply obrd_apply_of(ob_type type, bool conjugate, const void *alpha, const void *beta)
{
    bool copy = obrd_is(type, alpha, 1) && obrd_is(type, beta, 0) && !conjugate;
    return copy ? NULL : table[type].apply[conjugate];
}
