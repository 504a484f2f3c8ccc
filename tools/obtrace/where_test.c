/*
 * Where a stretch between two calls lies, by their call sites.
 */
#include "runs_test.h"

static void assert_where(const char *before, const char *after, size_t afters, const char *expected)
{
    const char *sites[] = {before, after};
    obt_trace t = {.sites = sites, .site_count = 2};
    obt_call calls[] = {{.site = before ? 0 : -1}, {.site = after ? 1 : -1}};
    obt_analysis a = {.trace = &t, .calls = calls, .call_count = 2};
    obt_delay d = {.state = OBT_COMPUTING, .before = 0, .after = 1, .afters = afters};
    char text[1024];
    assert_string_equal(obt_delay_where(&a, &d, text, sizeof text), expected);
    d.state = OBT_LIBRARY;
    assert_string_equal(obt_delay_where(&a, &d, text, sizeof text), "");
}

static void test_the_caller_of_both(void **state)
{
    (void)state;
    assert_where("main+0xae", "main+0x81", 1, "in main between main+0xae and main+0x81");
    assert_where("main+0xae", "hand_in+0x2e called from main+0x81", 1,
                 "in main between main+0xae and main+0x81, at the begin of hand_in");
    assert_where("sweep+0xab called from main+0x83", "residual+0x35 called from main+0xb2", 1,
                 "in main between main+0x83 and main+0xb2, at the end of sweep, at the begin of "
                 "residual");
    assert_where("sweep+0xab called from main+0x83", "sweep+0xb4 called from main+0x83", 1,
                 "in sweep between sweep+0xab and sweep+0xb4");
    assert_where("sweep+0xab called from main+0x83", "main+0x90", 1,
                 "in main between main+0x83 and main+0x90, at the end of sweep");
}

static void test_no_common_caller(void **state)
{
    (void)state;
    assert_where("PDTRSM called from PDGETRF+0x3f7", "PDSWAP+0x22 called from PDLASWP+0x1a", 1,
                 "in what called PDGETRF and PDLASWP, at the end of PDGETRF, at the begin of "
                 "PDLASWP");
    /* A name that is the begin of another one is not that one. */
    assert_where("sweep+0xab", "sweep_all+0x35", 1,
                 "in what called sweep and sweep_all, at the end of sweep, at the begin of "
                 "sweep_all");
}

static void test_any_call_next(void **state)
{
    (void)state;
    assert_where("sweep+0xab called from main+0x83", "residual+0x35 called from main+0xb2", 3,
                 "in main after main+0x83, at the end of sweep");
    assert_where("main+0x83", NULL, 1, "in main after main+0x83");
    assert_where(NULL, "main+0x83", 1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_caller_of_both),
                                       cmocka_unit_test(test_no_common_caller),
                                       cmocka_unit_test(test_any_call_next)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
