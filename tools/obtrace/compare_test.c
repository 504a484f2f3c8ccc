/*
 * Runs side by side whose differences are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "unit.h"

enum { SEND = 1000, RECEIVE };

static void block(obt_trace *t, int64_t time, int p, int64_t routine, obt_kind kind)
{
    const int64_t v[] = {routine, 0, -1};
    obt_add(t, time, p, kind, v, 3);
}

/* 0 computes for `work` and sends, which takes 1, to 1, which has waited since 100 and goes on 10
 * later; then both compute until `end`. Calls are from places that differ from build to build. */
static obt_analysis *run(const char *site, int64_t work, int64_t end)
{
    const int64_t s[] = {1, 1, 8, 0}, r[] = {0, 1, 8, 0}, sought[] = {1, 0}, mark = 1;
    obt_trace *t = obt_trace_new("run");
    obt_name_routine(t, SEND, "dgesd2d");
    obt_name_routine(t, RECEIVE, "dgerv2d");
    t->sites = obt_grow(t->sites, 0, &t->site_room, sizeof *t->sites);
    t->sites[t->site_count++] = obt_keep(t, site, strlen(site));
    for (int p = 0; p < 2; p++) {
        obt_add(t, 0, p, OBT_TRACE_MARK, &mark, 1);
        obt_add(t, end, p, OBT_TRACE_MARK, &mark, 1);
    }
    block(t, work, 0, SEND, OBT_BLOCK_BEGIN);
    obt_add(t, work, 0, OBT_SEND, s, 4);
    block(t, work + 1, 0, SEND, OBT_BLOCK_END);
    block(t, 100, 1, RECEIVE, OBT_BLOCK_BEGIN);
    obt_add(t, 100, 1, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, work + 10, 1, OBT_RECV_WAKING, r, 4);
    block(t, work + 10, 1, RECEIVE, OBT_BLOCK_END);
    return obt_analyse(t);
}

static void add(obt_comparison *c, obt_analysis *a, bool second)
{
    obt_trace *t = a->trace;
    obt_comparison_add(c, a, second);
    obt_analysis_free(a);
    obt_trace_free(t);
}

static const obt_change_row *row(const obt_comparison *c, const char *cause, const char *place)
{
    for (size_t k = 0; k < c->row_count; k++)
        if (strcmp(c->rows[k].cause, cause) == 0 && strcmp(c->rows[k].place, place) == 0)
            return &c->rows[k];
    return NULL;
}

static void assert_row(const obt_comparison *c, const char *cause, const char *place, double a,
                       double b, obt_verdict verdict)
{
    const obt_change_row *r = row(c, cause, place);
    assert_non_null(r);
    assert_true(fabs(r->a - a) < 1e-6 && fabs(r->b - b) < 1e-6);
    assert_string_equal(obt_verdict_names[r->verdict], obt_verdict_names[verdict]);
}

/* 0 computes for 200 longer, so 1 waits for as long; means of the two are half. */
static void test_one_of_each(void **state)
{
    obt_comparison *c = obt_comparison_new(2);
    add(c, run("solve+0x10", 1000, 2000), false);
    add(c, run("solve+0x24", 1200, 2200), true);
    obt_comparison_judge(c);
    assert_true(c->whole.a == 2000 && c->whole.b == 2200);
    assert_row(c, "computing", "before dgesd2d called from solve", 500, 600, OBT_NOT_JUDGED);
    assert_row(c, "late sender", "in dgerv2d called from solve", 450, 550, OBT_NOT_JUDGED);
    assert_row(c, "data under way", "in dgerv2d called from solve", 5, 5, OBT_NOT_JUDGED);
    double sum[2] = {0};
    for (size_t k = 0; k < c->row_count; k++) {
        sum[0] += c->rows[k].a;
        sum[1] += c->rows[k].b;
    }
    assert_true(fabs(sum[0] - 2000) < 1e-6 && fabs(sum[1] - 2200) < 1e-6);
    obt_comparison_free(c);
}

/* Of three each: what is 200 longer and differs by 4 is slower; what differs by 100 either way is
 * noise. */
static void test_noise(void **state)
{
    static const int64_t work[] = {1000, 1004, 996, 1200, 1204, 1196};
    static const int64_t end[] = {3000, 3100, 2900, 3210, 3090, 2905};
    obt_comparison *c = obt_comparison_new(6);
    for (int k = 0; k < 6; k++)
        add(c, run("solve+0x10", work[k], end[k]), k >= 3);
    obt_comparison_judge(c);
    assert_row(c, "computing", "before dgesd2d called from solve", 500, 600, OBT_SLOWER);
    assert_row(c, "late sender", "in dgerv2d called from solve", 450, 550, OBT_SLOWER);
    assert_int_equal(c->whole.verdict, OBT_NOISE);
    const obt_change_row *rest = row(c, "computing", "at the end");
    assert_non_null(rest);
    assert_int_equal(rest->verdict, OBT_NOISE);
    /* Noise stands last. */
    assert_int_equal(c->rows[c->row_count - 1].verdict, OBT_NOISE);
    assert_int_equal(c->rows[0].verdict, OBT_SLOWER);
    obt_comparison_free(c);
}

static void test_faster(void **state)
{
    obt_comparison *c = obt_comparison_new(4);
    for (int k = 0; k < 4; k++)
        add(c, run("solve", k < 2 ? 1000 : 800, k < 2 ? 2000 : 1800), k >= 2);
    obt_comparison_judge(c);
    assert_int_equal(c->whole.verdict, OBT_FASTER);
    assert_row(c, "computing", "before dgesd2d called from solve", 500, 400, OBT_FASTER);
    obt_comparison_free(c);
}

/* Texts of a trace are no part of the page's markup. */
static void test_page(void **state)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    obt_comparison *c = obt_comparison_new(2);
    add(c, run("<script>", 1000, 2000), false);
    add(c, run("<script>", 1400, 2400), true);
    obt_comparison_judge(c);
    obt_comparison_page(c, out);
    fclose(out);
    assert_null(strstr(text, "<script>"));
    assert_non_null(strstr(text, "before dgesd2d called from &lt;script&gt;"));
    assert_non_null(strstr(text, "+20.0 %"));
    assert_non_null(strstr(text, "</html>\n"));
    obt_comparison_free(c);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_of_each),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_faster),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
