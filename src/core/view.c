/*
 * The shapes of LAWN 73 (2.1; the trapezoids as in figure 1 of the MLACS
 * paper) and the pack kernels.
 */
#include "core/view.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <stdatomic.h>
#endif
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

size_t ob_type_bytes(ob_type type)
{
    return (unsigned)type < OB_TYPES ? (size_t)1 << ob_type_shift[type] : 0;
}

void ob_view_column(const ob_view *v, size_t j, size_t *lo, size_t *count)
{
    size_t m = v->m, n = v->n, unit = v->unit_diagonal ? 1 : 0;
    size_t first = 0, end = m;

    if (v->shape == OB_UPPER) {
        size_t diagonal = j + (m > n ? m - n : 0);
        if (diagonal < m)
            end = diagonal + 1 - unit;
    } else if (v->shape == OB_LOWER) {
        size_t shift = n > m ? n - m : 0;
        if (j >= shift)
            first = j - shift + unit;
    }
    *lo = first;
    *count = end > first ? end - first : 0;
}

size_t ob_view_count(const ob_view *v)
{
    size_t m = v->m, n = v->n;
    if (v->shape == OB_GENERAL)
        return m * n;
    /* The full rectangle less the triangle the trapezoid leaves out; both
     * trapezoids of one m, n have the same count. */
    size_t k = m < n ? m : n;
    size_t triangle = k ? k * (k - 1) / 2 : 0;
    return m * n - triangle - (v->unit_diagonal ? k : 0);
}

size_t ob_view_bytes(const ob_view *v)
{
    return ob_view_count(v) * ob_type_bytes(v->type);
}

bool ob_view_contiguous(const ob_view *v)
{
    return v->shape == OB_GENERAL && (v->ld == v->m || v->n <= 1);
}

/* Enters the first non-empty column at or after c->column. */
static void enter_column(ob_cursor *c)
{
    const ob_view *v = c->view;
    size_t lo, count;
    do {
        ob_view_column(v, c->column, &lo, &count);
        if (count)
            break;
        c->column++;
    } while (1);
    c->at = (char *)v->base + (c->column * v->ld + lo) * c->esize;
    c->run = count * c->esize;
}

void ob_cursor_open_slow(ob_cursor *c)
{
    const ob_view *v = c->view;
    c->esize = ob_type_bytes(v->type);
    c->column = 0;
    c->left = ob_view_bytes(v);
    if (c->left == 0) {
        c->at = v->base;
        c->run = 0;
        return;
    }
    enter_column(c);
}

/* A long column, or part of one. Stores of vectors, as memcpy has them for such lengths, fetch each
 * line they write from the processor that read it last; `rep movsb` overwrites whole lines
 * without. Worth it where starting it is fast (FSRM); sanitizers do not see it. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) &&                  \
    !defined(__SANITIZE_THREAD__)
enum { LONG_RUN = 1024 };

static bool has_fast_strings(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known; /* every thread finds the same: relaxed */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        unsigned a, b, c, d;
        answer = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 4)) ? YES : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}

static void copy_run(char *to, const char *from, size_t bytes)
{
    if (bytes >= LONG_RUN && has_fast_strings())
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    else
        memcpy(to, from, bytes);
}
#else
static void copy_run(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

/* Stores that go past the caches and leave there what they find; lines are written whole. */
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { LINE = 64, PAST_LEAST = 8 * LINE };

static void copy_past(char *to, const char *from, size_t bytes)
{
    if (bytes < PAST_LEAST) {
        memcpy(to, from, bytes);
        return;
    }
    size_t head = -(uintptr_t)to % LINE;
    memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= LINE; to += LINE, from += LINE, bytes -= LINE)
        for (int i = 0; i < LINE; i += 16)
            _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    memcpy(to, from, bytes);
}

/* Such stores pass later ones: whoever is told that the bytes are there would not find them. */
static void end_past(void)
{
    _mm_sfence();
}
#else
static void copy_past(char *to, const char *from, size_t bytes)
{
    copy_run(to, from, bytes);
}

static void end_past(void)
{
}
#endif

enum direction { OUT, IN, IN_PAST };

/* Past `step` bytes of the column. `more`: bytes of the view follow. */
static inline __attribute__((always_inline)) void pass(ob_cursor *c, size_t step, bool more)
{
    const ob_view *v = c->view;
    c->at += step;
    c->run -= step;
    if (c->run || !more)
        return;
    c->column++;
    if (v->shape == OB_GENERAL) {
        c->at = (char *)v->base + c->column * v->ld * c->esize;
        c->run = v->m * c->esize;
    } else {
        enter_column(c);
    }
}

/* One loop for all; `dir` is a constant at every call, so the compiler makes one of each. */
static inline __attribute__((always_inline)) void walk(ob_cursor *c, char *buffer, size_t bytes,
                                                       enum direction dir)
{
    c->left -= bytes;
    while (bytes) {
        size_t step = bytes < c->run ? bytes : c->run;
        if (dir == OUT)
            copy_run(buffer, c->at, step);
        else if (dir == IN_PAST)
            copy_past(c->at, buffer, step);
        else
            copy_run(c->at, buffer, step);
        buffer += step;
        bytes -= step;
        pass(c, step, bytes || c->left);
    }
}

char *ob_cursor_take(ob_cursor *c, size_t most, size_t *bytes)
{
    char *at = c->at;
    *bytes = most < c->run ? most : c->run;
    c->left -= *bytes;
    pass(c, *bytes, c->left != 0);
    return at;
}

void ob_cursor_part(ob_cursor *c, const ob_view *v, size_t from, size_t bytes)
{
    ob_cursor_open(c, v);
    if (v->shape == OB_GENERAL && !ob_view_contiguous(v) && from) {
        c->column = from / c->run;
        c->at += c->column * v->ld * c->esize;
        c->left -= c->column * c->run;
        from %= c->run;
    }
    for (size_t step; from; from -= step)
        ob_cursor_take(c, from, &step);
    c->left = bytes;
    if (c->run > bytes)
        c->run = bytes;
}

void ob_cursor_pack_slow(ob_cursor *c, void *to, size_t bytes)
{
    walk(c, to, bytes, OUT);
}

void ob_cursor_unpack_slow(ob_cursor *c, const void *from, size_t bytes)
{
    walk(c, (char *)from, bytes, IN);
}

void ob_cursor_unpack_past(ob_cursor *c, const void *from, size_t bytes)
{
    walk(c, (char *)(uintptr_t)from, bytes, IN_PAST);
    end_past();
}

/* Rows of a matrix: elements far apart, of a size the compiler knows. */
#define ROW(bytes)                                                                                 \
    for (size_t j = 0; j < v->n; j++, at += step, packed += (bytes))                               \
    memcpy(out ? packed : at, out ? at : packed, bytes)

static inline bool row(const ob_view *v, char *packed, bool out)
{
    char *at = v->base;
    if (v->shape != OB_GENERAL || v->m != 1 || v->type == OB_BYTE)
        return false;
    size_t unit = ob_type_bytes(v->type), step = v->ld * unit;
    if (unit == 4)
        ROW(4);
    else if (unit == 8)
        ROW(8);
    else
        ROW(16);
    return true;
}

void ob_view_pack(const ob_view *v, void *to)
{
    if (row(v, to, true))
        return;
    ob_cursor c;
    ob_cursor_open(&c, v);
    if (c.left)
        ob_cursor_pack(&c, to, c.left);
}

void ob_view_unpack(const ob_view *v, const void *from)
{
    if (row(v, (char *)(uintptr_t)from, false))
        return;
    ob_cursor c;
    ob_cursor_open(&c, v);
    if (c.left)
        ob_cursor_unpack(&c, from, c.left);
}

void ob_view_copy(const ob_view *to, const ob_view *from)
{
    char buffer[4096];
    ob_cursor in, out;
    if (to->base == from->base)
        return;
    if (ob_view_contiguous(from)) {
        ob_view_unpack(to, from->base);
    } else if (ob_view_contiguous(to)) {
        ob_view_pack(from, to->base);
    } else {
        ob_cursor_open(&in, from);
        ob_cursor_open(&out, to);
        while (in.left) {
            size_t step = in.left < sizeof buffer ? in.left : sizeof buffer;
            ob_cursor_pack(&in, buffer, step);
            ob_cursor_unpack(&out, buffer, step);
        }
    }
}
