/*
 * Reading JSON: what obtrace wrote comes back whole; of damaged files what came
 * before.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "unit.h"

/* Reads a copy of just this length, so that a sanitizer sees what is read
 * behind it. */
static obt_trace *read_bytes(const char *text, size_t length)
{
    obt_trace *t = obt_trace_new("json");
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    obt_json_read(t, copy, length);
    free(copy);
    return t;
}

static obt_trace *read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

/* Two processes and the host, a named block, a message and a text that needs
 * escapes. */
static obt_trace *small(void)
{
    obt_trace *t = obt_trace_new("small");
    const int64_t block[] = {1000, -1, 2, -1, 'R', ' ', 64, 0}, send[] = {1, 5, 64, 0, 77},
                  sought[] = {5, 0}, taken[] = {0, 5, 64, 0, 77, 300}, processors = 4;
    int64_t text = (int64_t)obt_text(t, "a \"quoted\\ \xc3\xa4 text", 18);
    obt_name_routine(t, 1000, "dgesd2d");
    obt_add(t, 7, OBT_HOST, OBT_OPEN, &processors, 1);
    obt_add(t, 1001, 0, OBT_BLOCK_BEGIN, block, OBT_VALUES);
    obt_add(t, 1001, 0, OBT_SEND, send, 5);
    obt_add(t, 2000, 0, OBT_BLOCK_END, block, 3);
    obt_add(t, 3000, 0, OBT_TRACE_MESSAGE, &text, 1);
    obt_add(t, 1500, 1, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, 123456789012345, 1, OBT_RECV_WAKING, taken, 6);
    return t;
}

static char *written(obt_trace *t, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    assert_int_equal(obt_json_write(t, out), 0);
    fclose(out);
    return text;
}

static void test_what_was_written_comes_back(void **state)
{
    size_t length;
    obt_trace *t = small();
    char *text = written(t, &length);
    obt_trace *again = read_bytes(text, length);
    assert_true(obt_json_likely(text, length));
    assert_int_equal(again->problems, 0);
    assert_int_equal(again->event_count, t->event_count);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *x = &t->events[i], *y = &again->events[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->time, y->time);
        assert_int_equal(t->processes[x->process].id, again->processes[y->process].id);
        assert_int_equal(x->count, y->count);
        for (int v = 0; v < x->count && x->kind != OBT_TRACE_MESSAGE; v++)
            assert_int_equal(obt_get(t, x, v, 0), obt_get(again, y, v, 0));
        if (x->kind == OBT_TRACE_MESSAGE)
            assert_string_equal(again->texts[obt_get(again, y, 0, 0)],
                                "a \"quoted\\ \xc3\xa4 text");
    }
    assert_string_equal(obt_routine_name(again, 1000), "dgesd2d");
    free(text);
    obt_trace_free(t);
    obt_trace_free(again);
}

/* Wherever the file ends, what stands whole before it is there, and the rest is
 * told. */
static void test_cut_files(void **state)
{
    size_t length, before = 0;
    obt_trace *t = small();
    char *text = written(t, &length), *end = strrchr(text, ']');
    for (size_t n = 1; n <= length; n++) {
        obt_trace *part = read_bytes(text, n);
        assert_true(part->event_count >= before);
        assert_int_equal(part->problems == 0, text + n > end);
        before = part->event_count;
        obt_trace_free(part);
    }
    assert_int_equal(before, t->event_count);
    free(text);
    obt_trace_free(t);
}

/* Each byte wrong: never more events than there were, and no byte behind the
 * end is read. */
static void test_wrong_bytes(void **state)
{
    static const char by[] = {'"', '{', ']', ',', '\\', '\n', '\0', '9', '\xff'};
    size_t length;
    obt_trace *t = small();
    char *text = written(t, &length);
    for (size_t at = 0; at < length; at++)
        for (size_t k = 0; k < sizeof by; k++) {
            char kept = text[at];
            text[at] = by[k];
            obt_trace *part = read_bytes(text, length);
            assert_true(part->event_count <= t->event_count);
            obt_trace_free(part);
            text[at] = kept;
        }
    free(text);
    obt_trace_free(t);
}

/* A line that is no event costs itself alone. */
static void test_a_bad_line(void **state)
{
    obt_trace *t = read_text("[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":2},\n"
                             " {\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"ts\":1e9,\"dur\":2},\n"
                             " {\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"ts\":5,\"dur\":2}]");
    assert_int_equal(t->problems, 1);
    assert_int_equal(t->event_count, 4);
    assert_int_equal(t->routine_count, 2);
    obt_trace_free(t);
}

/* Of others' files slices become blocks, one type a name; the rest is passed
 * over. */
static void test_slices_of_others(void **state)
{
    static const char text[] =
        "{\"other\":[1,{\"a\":null}],\"traceEvents\":["
        "{\"name\":\"a\",\"ph\":\"B\",\"ts\":\"1.5\",\"pid\":3,\"args\":{\"deep\":[[{\"x\":[]}]]}},"
        "{\"name\":\"a\",\"ph\":\"E\",\"ts\":2.0019,\"pid\":3},"
        "{\"name\":\"b\\u0041\\n\",\"ph\":\"X\",\"ts\":4,\"dur\":0.25,\"pid\":3},"
        "{\"name\":\"c\",\"ph\":\"i\",\"ts\":5,\"pid\":3},{},"
        "{\"name\":\"d\",\"ph\":\"X\",\"pid\":3}]}";
    static const int64_t times[] = {1500, 2001, 4000, 4250};
    for (size_t n = 0; n < sizeof text - 1; n++) /* also within an escape */
        obt_trace_free(read_bytes(text, n));
    obt_trace *t = read_text(text);
    assert_int_equal(t->problems, 0);
    assert_int_equal(t->event_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(t->events[i].time, times[i]);
    assert_int_equal(obt_get(t, &t->events[0], OBT_BLOCK, 0),
                     obt_get(t, &t->events[1], OBT_BLOCK, 1));
    assert_string_equal(obt_routine_name(t, obt_get(t, &t->events[2], OBT_BLOCK, 0)), "bA ");
    obt_trace_free(t);
}

/* Values that no event can have are told, and change nothing. */
static void test_values_that_cannot_be(void **state)
{
    static const char *const objects[] = {
        "\"ts\":99999999999999999999,\"pid\":0,\"args\":{\"record\":\"sync\"}",
        "\"ts\":-1,\"pid\":0,\"args\":{\"record\":\"sync\"}",
        "\"ts\":1,\"pid\":-5,\"args\":{\"record\":\"sync\"}",
        "\"ts\":1,\"pid\":99999999999,\"args\":{\"record\":\"sync\"}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"sink\"}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"send\",\"values\":[1,2]}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"send\",\"values\":[1,2,-3]}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"recv\",\"values\":[-1,2,3]}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"sync\",\"values\":[1,2,3,4,5,"
        "6,7,8,9]}",
        "\"ts\":1,\"pid\":0,\"args\":{\"record\":\"sync\",\"values\":["
        "9223372036854775807]}",
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        char text[256];
        snprintf(text, sizeof text, "[{%s}]", objects[i]);
        obt_trace *t = read_text(text);
        assert_int_equal(t->problems, 1);
        assert_int_equal(t->event_count, 0);
        obt_trace_free(t);
    }
}

/* The reader does not recurse: a million brackets need no stack. */
static void test_deep_nesting(void **state)
{
    enum { DEEP = 1000000 };
    char *text = malloc(DEEP + 64);
    int n = sprintf(text, "[{\"a\":");
    memset(text + n, '[', DEEP);
    obt_trace *t = read_bytes(text, DEEP + (size_t)n);
    assert_int_equal(t->problems, 1);
    obt_trace_free(t);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_comes_back),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_wrong_bytes),
        cmocka_unit_test(test_a_bad_line),
        cmocka_unit_test(test_slices_of_others),
        cmocka_unit_test(test_values_that_cannot_be),
        cmocka_unit_test(test_deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
