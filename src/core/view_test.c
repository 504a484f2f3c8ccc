/*
 * Views and cursors against a definition written element by element from the
 * words of openblacs/core.h: which elements belong to a trapezoid, in which
 * order they travel, and that no others are touched.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/view.h"
#include "unit.h"

enum { ROUNDS = 6000, GUARD = 64 };

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(2685821657736338717) >> 11;
}

static size_t below(size_t limit)
{
    return (size_t)(draw() % limit);
}

static const size_t bytes_of[OB_TYPES] = {4, 4, 8, 8, 16, 1, 8};

/* Does element (i, j) travel? Signed arithmetic, one element at a time. */
static int belongs(const ob_view *v, long i, long j)
{
    long m = (long)v->m, n = (long)v->n;
    long upper = j + (m > n ? m - n : 0), lower = j - (n > m ? n - m : 0);
    switch (v->shape) {
    case OB_UPPER: return v->unit_diagonal ? i < upper : i <= upper;
    case OB_LOWER: return v->unit_diagonal ? i > lower : i >= lower;
    default: return 1;
    }
}

/* Byte offsets of all that travels, in order. */
static size_t list_bytes(const ob_view *v, size_t *offsets)
{
    size_t used = 0, unit = bytes_of[v->type];
    for (size_t j = 0; j < v->n; j++)
        for (size_t i = 0; i < v->m; i++)
            for (size_t b = 0; belongs(v, (long)i, (long)j) && b < unit; b++)
                offsets[used++] = (i + j * v->ld) * unit + b;
    return used;
}

typedef struct sample {
    ob_view view;
    unsigned char *memory; /* GUARD bytes, the array, GUARD bytes */
    size_t array_bytes;
    size_t *offsets, count;
    char words[120];
} sample;

static void open_sample(sample *s)
{
    ob_view *v = &s->view;
    static const size_t most[] = {2, 5, 12, 40};
    size_t limit = most[below(4)];
    *v = (ob_view){.m = below(limit), .n = below(limit), .type = (ob_type)below(OB_TYPES)};
    if (below(3) == 0)
        v->n = v->m;
    if (below(50) == 0) { /* columns of some KiB */
        v->m = 100 + below(500);
        v->n = 1 + below(5);
    }
    v->ld = v->m + (below(2) ? below(9) : 0);
    v->ld = v->ld ? v->ld : 1;
    v->shape = (ob_shape)below(3);
    v->unit_diagonal = v->shape != OB_GENERAL && below(2);
    s->array_bytes = v->ld * v->n * bytes_of[v->type];
    s->memory = malloc(s->array_bytes + 2 * GUARD);
    for (size_t i = 0; i < s->array_bytes + 2 * GUARD; i++)
        s->memory[i] = (unsigned char)draw();
    v->base = s->memory + GUARD;
    s->offsets = malloc((s->array_bytes + 1) * sizeof *s->offsets);
    s->count = list_bytes(v, s->offsets);
    snprintf(s->words, sizeof s->words, "m %zu n %zu ld %zu shape %d unit %d type %d", v->m, v->n,
             v->ld, v->shape, v->unit_diagonal, v->type);
}

static void close_sample(sample *s)
{
    free(s->memory);
    free(s->offsets);
}

static void fail_on(int wrong, const sample *s, const char *what)
{
    if (wrong)
        fail_msg("%s: %s", what, s->words);
}

/* The next step of a walk: small, an arbitrary part, or all that is left. */
static size_t next_step(size_t left)
{
    size_t step = below(4) == 0 ? left : 1 + below(below(2) ? 9 : left > 2000 ? 5000 : 200);
    return step < left ? step : left;
}

static void test_counts(void **unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        fail_on(ob_view_bytes(&s.view) != s.count, &s, "bytes");
        fail_on(ob_view_count(&s.view) * bytes_of[s.view.type] != s.count, &s, "count");
        close_sample(&s);
    }
}

static void test_columns(void **unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        for (size_t j = 0; j < s.view.n; j++) {
            size_t lo, count, inside = 0;
            ob_view_column(&s.view, j, &lo, &count);
            for (size_t i = 0; i < s.view.m; i++) {
                int here = belongs(&s.view, (long)i, (long)j);
                inside += (size_t)here;
                fail_on(here != (count && i >= lo && i < lo + count), &s, "column");
            }
            fail_on(inside != count, &s, "column's length");
        }
        close_sample(&s);
    }
}

/* What is called contiguous is one run from base. */
static void test_contiguous(void **unused)
{
    size_t seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        if (ob_view_contiguous(&s.view)) {
            seen++;
            for (size_t k = 0; k < s.count; k++)
                fail_on(s.offsets[k] != k, &s, "contiguous");
        }
        close_sample(&s);
    }
    assert_true(seen > ROUNDS / 20);
}

static void test_pack(void **unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        unsigned char *out = malloc(s.count + 1), *base = s.view.base;
        ob_cursor c;
        ob_cursor_open(&c, &s.view);
        fail_on(c.left != s.count, &s, "left");
        for (size_t at = 0; at < s.count;) {
            size_t step = next_step(c.left);
            ob_cursor_pack(&c, out + at, step);
            at += step;
            fail_on(c.left != s.count - at, &s, "left after a step");
        }
        for (size_t k = 0; k < s.count; k++)
            fail_on(out[k] != base[s.offsets[k]], &s, "packed byte");
        memset(out, 0, s.count);
        ob_view_pack(&s.view, out);
        for (size_t k = 0; k < s.count; k++)
            fail_on(out[k] != base[s.offsets[k]], &s, "byte packed at once");
        free(out);
        close_sample(&s);
    }
}

static void test_unpack(void **unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        size_t all = s.array_bytes + 2 * GUARD;
        unsigned char *in = malloc(s.count + 1), *expected = malloc(all);
        memcpy(expected, s.memory, all);
        for (size_t k = 0; k < s.count; k++)
            expected[GUARD + s.offsets[k]] = in[k] = (unsigned char)draw();
        ob_cursor c;
        ob_cursor_open(&c, &s.view);
        for (size_t at = 0; at < s.count;) {
            size_t step = next_step(c.left);
            ob_cursor_unpack(&c, in + at, step);
            at += step;
        }
        fail_on(memcmp(expected, s.memory, all) != 0, &s, "memory after unpacking");
        for (size_t k = 0; k < s.count; k++)
            expected[GUARD + s.offsets[k]] = in[k] ^= 0x3c;
        ob_view_unpack(&s.view, (char *)in);
        fail_on(memcmp(expected, s.memory, all) != 0, &s, "memory after unpacking at once");
        free(in);
        free(expected);
        close_sample(&s);
    }
}

/* Runs long enough to be written past the caches, at every offset in a line, in two steps. */
static void test_unpack_past(void **unused)
{
    enum { ROWS = 1600, COLUMNS = 2, LD = 1700 };
    static unsigned char in[ROWS * COLUMNS], memory[LD * COLUMNS + 2 * GUARD],
        expected[sizeof memory];
    for (size_t offset = 0; offset < GUARD; offset++) {
        size_t m = 1 + below(ROWS), first = below(m * COLUMNS + 1);
        ob_view v = {memory + offset, m, COLUMNS, LD, OB_BYTE, OB_GENERAL, 0};
        for (size_t k = 0; k < sizeof memory; k++)
            expected[k] = memory[k] = (unsigned char)draw();
        for (size_t k = 0; k < m * COLUMNS; k++)
            expected[offset + k / m * LD + k % m] = in[k] = (unsigned char)draw();
        ob_cursor c;
        ob_cursor_open(&c, &v);
        ob_cursor_unpack_past(&c, in, first);
        ob_cursor_unpack_past(&c, in + first, c.left);
        assert_int_equal(c.left, 0);
        assert_memory_equal(memory, expected, sizeof memory);
    }
}

/* Column by column, to the end of the last one. */
static void test_runs(void **unused)
{
    char x[12];
    ob_view v = {x, 2, 3, 4, OB_BYTE, OB_GENERAL, 0};
    ob_cursor c;
    size_t run;
    ob_cursor_open(&c, &v);
    for (size_t column = 0; column < 3; column++) {
        assert_ptr_equal(ob_cursor_take(&c, 5, &run), x + 4 * column);
        assert_int_equal(run, 2);
    }
    assert_int_equal(c.left, 0);
}

/* Any part of a matrix, run by run. */
static void test_parts(void **unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        open_sample(&s);
        size_t from = below(s.count + 1), bytes = below(s.count - from + 1), run;
        unsigned char *base = s.view.base;
        ob_cursor c;
        ob_cursor_part(&c, &s.view, from, bytes);
        fail_on(c.left != bytes, &s, "left of a part");
        for (size_t at = from; c.left; at += run) {
            unsigned char *here = (unsigned char *)ob_cursor_take(&c, next_step(c.left), &run);
            for (size_t k = 0; k < run; k++)
                fail_on(here + k != base + s.offsets[at + k], &s, "place of a byte");
            fail_on(run == 0 || c.left != from + bytes - at - run, &s, "left after a run");
        }
        close_sample(&s);
    }
}

/* The trapezoids of LAWN 73's example sizes, counted by hand. */
static void test_by_hand(void **unused)
{
    static const struct {
        size_t m, n;
        int unit;
        size_t count;
    } rows[] = {{3, 3, 0, 6}, {3, 3, 1, 3}, {4, 2, 0, 7}, {4, 2, 1, 5}, {2, 4, 0, 7},
                {2, 4, 1, 5}, {1, 1, 0, 1}, {1, 1, 1, 0}, {0, 5, 1, 0}, {5, 0, 0, 0},
                {5, 1, 0, 5}, {5, 1, 1, 4}, {1, 5, 0, 5}, {1, 5, 1, 4}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int shape = OB_UPPER; shape <= OB_LOWER; shape++) {
            ob_view v = {.m = rows[k].m,
                         .n = rows[k].n,
                         .ld = 9,
                         .type = OB_DOUBLE,
                         .shape = (ob_shape)shape,
                         .unit_diagonal = rows[k].unit};
            assert_int_equal(ob_view_count(&v), rows[k].count);
        }
}

static void test_types(void **unused)
{
    for (int t = 0; t < OB_TYPES; t++)
        assert_int_equal(ob_type_bytes((ob_type)t), bytes_of[t]);
    assert_int_equal(ob_type_bytes((ob_type)-1), 0);
    assert_int_equal(ob_type_bytes(OB_TYPES), 0);
}

/* Sizes beyond 32 bits are counted, not wrapped. */
static void test_huge(void **unused)
{
    ob_view v = {.m = 100000, .n = 100000, .ld = 100000, .type = OB_DCOMPLEX};
    assert_true(ob_view_bytes(&v) == UINT64_C(160000000000));
    v.shape = OB_UPPER;
    assert_true(ob_view_count(&v) == UINT64_C(5000050000));
    v.unit_diagonal = 1;
    assert_true(ob_view_count(&v) == UINT64_C(4999950000));
    v.shape = OB_LOWER;
    v.n = 3;
    assert_true(ob_view_count(&v) == 100000u * 3 - 3 - 3);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 20260101;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_columns),
        cmocka_unit_test(test_contiguous),  cmocka_unit_test(test_pack),
        cmocka_unit_test(test_unpack),      cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_types),       cmocka_unit_test(test_huge),
        cmocka_unit_test(test_unpack_past), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
