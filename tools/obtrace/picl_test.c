/*
 * PICL's table: every record of it is written and read again, verbose and
 * compact.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "unit.h"

enum { MILLISECOND = 1000000 };

/* How many values a form has, those behind '?' only when they are wanted. */
static size_t values_of(const char *form, bool all)
{
    size_t n = 0;
    for (const char *p = form; *p && (all || *p != '?'); p++)
        n += *p == '%';
    return n;
}

/* Different values, a multiple of a microsecond where it is a time. */
static void add(obt_trace *t, int kind, int64_t time, int32_t process, bool all)
{
    const char *form = ob_picl_record_of(kind)->form;
    int64_t v[OBT_VALUES] = {0};
    size_t n = 0, wanted = values_of(form, all);
    for (const char *p = form; n < wanted; p++) {
        if (*p != '%')
            continue;
        v[n] = p[1] == 's'   ? (int64_t)obt_text(t, " half  way ", 11)
               : p[1] == 't' ? time - (int64_t)(n + 1) * 7 * MILLISECOND
                             : 100 * kind + (int64_t)n;
        n++;
    }
    /* The compact form holds one of the two: they add up to the time. */
    if (kind == OBT_COMPSTATS)
        v[0] = time - v[1];
    obt_add(t, time, process, (obt_kind)kind, v, n);
}

static obt_trace *every_record(void)
{
    obt_trace *t = obt_trace_new("records");
    int64_t time = 12345 * (int64_t)MILLISECOND;
    for (int k = 1; k < OBT_KINDS; k++) {
        const ob_picl_record *r = ob_picl_record_of(k);
        if (r == NULL)
            continue;
        add(t, k, time += 1001000, k % 3, true);
        if (strchr(r->form, '?'))
            add(t, k, time += 1001000, OBT_HOST, false);
    }
    return t;
}

static char *written(obt_trace *t, bool verbose, size_t left_out)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(obt_picl_write(t, out, verbose), left_out);
    fclose(out);
    return text;
}

static void assert_same(const obt_trace *a, const obt_trace *b)
{
    assert_int_equal(b->problems, 0);
    assert_int_equal(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++) {
        const obt_event *x = &a->events[i], *y = &b->events[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->time, y->time);
        assert_int_equal(a->processes[x->process].id, b->processes[y->process].id);
        assert_int_equal(x->count, y->count);
        for (int v = 0; v < x->count; v++)
            if (x->kind == OBT_TRACE_MESSAGE)
                assert_string_equal(a->texts[obt_get(a, x, v, 0)], b->texts[obt_get(b, y, v, 0)]);
            else
                assert_int_equal(obt_get(a, x, v, 0), obt_get(b, y, v, 0));
    }
}

static void test_every_record_comes_back(void **state)
{
    obt_trace *t = every_record();
    assert_int_equal(t->event_count, 22); /* 1 to 21, and `open` in two forms */
    for (int verbose = 0; verbose < 2; verbose++) {
        char *text = written(t, verbose, 0);
        obt_trace *again = obt_trace_new("again");
        assert_true(obt_picl_likely(text, strlen(text)));
        obt_picl_read(again, text, strlen(text));
        assert_same(t, again);
        assert_string_equal(again->format, verbose ? "PICL, verbose" : "PICL, compact");
        obt_trace_free(again);
        free(text);
    }
    obt_trace_free(t);
}

/* A verbose line is its compact one with words between the numbers, and so for
 * all records. */
static void test_both_forms_have_the_same_numbers(void **state)
{
    obt_trace *t = every_record();
    char *long_form = written(t, true, 0), *short_form = written(t, false, 0);
    char *rest[2],
        *line[2] = {strtok_r(long_form, "\n", &rest[0]), strtok_r(short_form, "\n", &rest[1])};
    for (; line[0] && line[1];
         line[0] = strtok_r(NULL, "\n", &rest[0]), line[1] = strtok_r(NULL, "\n", &rest[1])) {
        char *at, *word = strtok_r(line[1], " ", &at), *from = line[0];
        int kind = atoi(word);
        assert_memory_equal(line[0], obt_kind_name(kind), strlen(obt_kind_name(kind)));
        while ((word = strtok_r(NULL, " ", &at))) {
            char wanted[64];
            snprintf(wanted, sizeof wanted, " %s", word);
            from = strstr(from, wanted);
            assert_non_null(from);
            from += strlen(wanted);
        }
    }
    assert_true(line[0] == NULL && line[1] == NULL);
    free(long_form);
    free(short_form);
    obt_trace_free(t);
}

static void test_what_picl_cannot_say_is_counted(void **state)
{
    obt_trace *t = obt_trace_new("waits");
    const int64_t process = 1;
    obt_add(t, 10, 0, OBT_WAIT_BEGIN, &process, 1);
    obt_add(t, 20, 0, OBT_WAIT_END, &process, 1);
    char *text = written(t, true, 2);
    assert_string_equal(text, "");
    for (int k = -1; k <= OBT_KINDS; k++)
        assert_true((ob_picl_record_of(k) != NULL) == (k >= 1 && k <= 21));
    free(text);
    obt_trace_free(t);
}

static void test_names_of_blocks_come_back(void **state)
{
    obt_trace *t = obt_trace_new("names"), *again = obt_trace_new("again");
    const int64_t v[] = {1000, 0, -1};
    obt_name_routine(t, 1000, "dgesd2d");
    obt_add(t, 0, 4, OBT_BLOCK_BEGIN, v, 3);
    char *text = written(t, false, 0);
    assert_string_equal(text, "16 0 0 4 block_type 1000 is dgesd2d\n20 0 0 4 1000 0 -1\n");
    obt_picl_read(again, text, strlen(text));
    assert_string_equal(obt_routine_name(again, 1000), "dgesd2d");
    assert_int_equal(again->event_count, 1);
    free(text);
    obt_trace_free(t);
    obt_trace_free(again);
}

/* Each line without its last word, or with one more, is told and left out.
 * `open` may end behind the processor's number, and texts are as long as they
 * are. */
static void test_lines_that_are_too_short_or_long(void **state)
{
    obt_trace *t = every_record();
    for (int verbose = 0; verbose < 2; verbose++) {
        char *text = written(t, verbose, 0), *rest, line[256];
        for (char *p = strtok_r(text, "\n", &rest); p; p = strtok_r(NULL, "\n", &rest)) {
            for (int more = 0; more < 2 && !strstr(p, "half"); more++) {
                obt_trace *bad = obt_trace_new("bad");
                snprintf(line, sizeof line, "%s%s\n", p, more ? " 7" : "");
                if (!more)
                    *strrchr(line, ' ') = 0;
                if (strncmp(p, "2 ", 2) == 0)
                    strcpy(line, "2 0 0");
                obt_picl_read(bad, line, strlen(line));
                assert_int_equal(bad->problems, 1);
                assert_int_equal(bad->event_count, 0);
                obt_trace_free(bad);
            }
        }
        free(text);
    }
    obt_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_record_comes_back),
        cmocka_unit_test(test_both_forms_have_the_same_numbers),
        cmocka_unit_test(test_what_picl_cannot_say_is_counted),
        cmocka_unit_test(test_names_of_blocks_come_back),
        cmocka_unit_test(test_lines_that_are_too_short_or_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
