/*
 * Putting times in order: traces with clocks that are wrong, made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/internal.h"

enum { PROCESSES = 3, EVENTS = 400, ROOM = 1 << 20 };

typedef struct file {
    _Alignas(64) char bytes[ROOM];
    size_t used;
    ob_trace_event *event[PROCESSES];
} file;

static void *append(file *f, const void *what, size_t bytes)
{
    void *to = f->bytes + f->used;
    memcpy(to, what, bytes);
    f->used += bytes;
    return to;
}

/* Each process: one group of all, and EVENTS empty events. */
static file *new_file(void)
{
    file *f = calloc(1, sizeof *f);
    f->used = sizeof(ob_trace_header);
    for (int p = 0; p < PROCESSES; p++) {
        const ob_trace_process self = {.started = 0};
        const ob_trace_group_head g = {.context = 99, .size = PROCESSES, .me = p};
        const int32_t members[4] = {0, 1, 2};
        ob_trace_chunk c = {.magic = OB_TRACE_CHUNK_MAGIC, .process = p, .count = 1};
        c.kind = OB_TRACE_PROCESS;
        c.bytes = sizeof self;
        append(f, &c, sizeof c);
        append(f, &self, sizeof self);
        c.kind = OB_TRACE_GROUPS;
        c.bytes = sizeof g + sizeof members;
        append(f, &c, sizeof c);
        append(f, &g, sizeof g);
        append(f, members, sizeof members);
        c.kind = OB_TRACE_EVENTS;
        c.count = EVENTS;
        c.bytes = EVENTS * sizeof(ob_trace_event);
        append(f, &c, sizeof c);
        f->event[p] = (ob_trace_event *)(void *)(f->bytes + f->used);
        f->used += c.bytes;
    }
    return f;
}

/* Messages go round; the clock of process p is `wrong` times p behind. */
static file *ring(int64_t wrong)
{
    file *f = new_file();
    for (int i = 0; i < EVENTS; i++)
        for (int p = 0; p < PROCESSES; p++) {
            int64_t t = 1000 * i - wrong * p;
            bool send = i % 2 == 0;
            f->event[p][i] = (ob_trace_event){.kind = send ? OB_TRACE_SEND : OB_TRACE_RECV,
                                              .begin = t,
                                              .end = t + 500,
                                              .group = 1,
                                              .peer = (p + (send ? 1 : PROCESSES - 1)) % PROCESSES,
                                              .ordinal = (uint32_t)(i / 2 + 1)};
        }
    return f;
}

static int too_early(const file *f)
{
    int count = 0;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 1; i < EVENTS; i += 2)
            count += f->event[p][i].end <= f->event[f->event[p][i].peer][i - 1].begin;
    return count;
}

static int out_of_order(const file *f)
{
    int count = 0;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < EVENTS; i++)
            count += f->event[p][i].begin > f->event[p][i].end ||
                     (i && f->event[p][i].begin < f->event[p][i - 1].begin);
    return count;
}

static void test_right_clocks_stay(void **state)
{
    (void)state;
    file *f = ring(100), *before = ring(100);
    assert_int_equal(too_early(f), 0);
    assert_int_equal(ob_trace_order(f->bytes, f->used), OB_OK);
    assert_memory_equal(f->bytes, before->bytes, f->used);
    free(f);
    free(before);
}

static void test_wrong_clocks_are_mended(void **state)
{
    (void)state;
    for (int64_t wrong = 1600; wrong < 1000000; wrong *= 3) {
        file *f = ring(wrong);
        assert_true(too_early(f) > 0);
        assert_int_equal(ob_trace_order(f->bytes, f->used), OB_OK);
        assert_int_equal(too_early(f), 0);
        assert_int_equal(out_of_order(f), 0);
        assert_true(f->event[2][EVENTS - 1].flags & OB_TRACE_MOVED || wrong < 2000);
        free(f);
    }
}

/* One late message moves its receive and nothing that comes much later. */
static void test_only_as_long_as_needed(void **state)
{
    (void)state;
    file *f = ring(0);
    f->event[0][10].begin = f->event[0][10].end = 11800; /* its receive ends at 11500 */
    assert_int_equal(ob_trace_order(f->bytes, f->used), OB_OK);
    assert_int_equal(f->event[1][11].end, 11801);
    assert_true(f->event[1][11].flags & OB_TRACE_MOVED);
    assert_int_equal(f->event[1][12].begin, 12000);
    assert_int_equal(f->event[1][12].flags, 0);
    free(f);
}

/* A receive whose send is caused by it: no times can be right. */
static void test_a_circle_is_refused(void **state)
{
    (void)state;
    file *f = new_file();
    for (int p = 0; p < 2; p++) {
        f->event[p][0] = (ob_trace_event){
            .kind = OB_TRACE_RECV, .begin = 10, .end = 20, .group = 1, .peer = 1 - p, .ordinal = 1};
        f->event[p][1] = (ob_trace_event){
            .kind = OB_TRACE_SEND, .begin = 30, .end = 40, .group = 1, .peer = 1 - p, .ordinal = 1};
    }
    assert_int_equal(ob_trace_order(f->bytes, f->used), OB_ESTATE);
    free(f);
}

/* Three nodes: the second one's clock is hours off and drifts, and only its begin and end
 * are known; the third one has read the second one's. True times come back. */
static void test_nodes_are_aligned(void **state)
{
    (void)state;
    const int64_t off[] = {0, 12345678901234, -777}, at = 5000000000;
    const double drift[] = {0, 2e-5, -1e-5};
    file *f = ring(0), *right = ring(0);
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(f->bytes, f->used, c));)
        if (c->kind == OB_TRACE_PROCESS)
            ((ob_trace_process *)(uintptr_t)(c + 1))->node = 100 + (unsigned)c->process;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < EVENTS; i++) {
            ob_trace_event *e = &f->event[p][i];
            int64_t begin = e->begin * 100000, end = e->end * 100000;
            right->event[p][i].begin = begin;
            right->event[p][i].end = end;
            e->begin = begin + off[p] + (int64_t)(drift[p] * (double)begin);
            e->end = end + off[p] + (int64_t)(drift[p] * (double)end);
        }
    for (int p = 1; p < PROCESSES; p++)
        for (int k = 0; k < 3; k++) { /* the one in the middle is bad */
            int64_t t = k == 0 ? 0 : k == 1 ? at : 40000000000, q = p - 1;
            int64_t here = t + off[p] + (int64_t)(drift[p] * (double)t);
            int64_t there = t + off[q] + (int64_t)(drift[q] * (double)t);
            const ob_trace_chunk c = {.magic = OB_TRACE_CHUNK_MAGIC,
                                      .kind = OB_TRACE_SYNC,
                                      .process = p,
                                      .count = 1,
                                      .bytes = sizeof(ob_trace_sync)};
            const ob_trace_sync s = {here, there - here + (k == 1 ? 90000 : 0),
                                     k == 1 ? 100000 : 500, (int32_t)q, 0};
            append(f, &c, sizeof c);
            append(f, &s, sizeof s);
        }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(ob_trace_align(f->bytes, f->used), OB_OK);
        for (int p = 0; p < PROCESSES; p++)
            for (int i = 0; i < EVENTS; i++)
                if (f->event[p][i].kind == OB_TRACE_SEND)
                    assert_in_range(f->event[p][i].begin - right->event[p][i].begin + 100, 0, 200);
    }
    assert_int_equal(too_early(f), 0);
    free(f);
    free(right);
}

/* Chunks stop being read where the file is cut off, wherever that is. */
static void test_cut_files(void **state)
{
    (void)state;
    file *f = ring(5000);
    for (size_t bytes = sizeof(ob_trace_header); bytes < f->used; bytes += 1001) {
        char *copy = malloc(bytes); /* so that a sanitizer sees what is read behind it */
        memcpy(copy, f->bytes, bytes);
        assert_int_equal(ob_trace_order(copy, bytes), OB_OK);
        free(copy);
    }
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_clocks_stay),
        cmocka_unit_test(test_wrong_clocks_are_mended),
        cmocka_unit_test(test_only_as_long_as_needed),
        cmocka_unit_test(test_a_circle_is_refused),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_nodes_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
