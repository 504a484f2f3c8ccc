/*
 * As much of cmocka as our unit tests use, for C libraries for which there is no package of it
 * (musl's on Debian): found in its place by tests/run/ways.sh alone. A failed assertion ends its
 * test, as cmocka's do.
 */
#ifndef OB_TESTS_CMOCKA_H
#define OB_TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

__attribute__((unused)) static jmp_buf ob_cm_out;

__attribute__((unused, noreturn, format(printf, 3, 4))) static void
ob_cm_fail(const char *file, int line, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    printf("%s:%d: error: ", file, line);
    vprintf(format, rest);
    printf("\n");
    va_end(rest);
    longjmp(ob_cm_out, 1);
}

#define ob_cm_assert(good, ...) ((good) ? (void)0 : ob_cm_fail(__FILE__, __LINE__, __VA_ARGS__))
#define fail_msg(...) ob_cm_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail() fail_msg("fail")
#define skip() longjmp(ob_cm_out, 2)
#define print_message printf
#define assert_true(c) ob_cm_assert(c, "%s is false", #c)
#define assert_false(c) ob_cm_assert(!(c), "%s is true", #c)
#define assert_non_null(p) ob_cm_assert((p) != NULL, "%s is NULL", #p)
#define assert_null(p) ob_cm_assert((p) == NULL, "%s is not NULL", #p)
#define ob_cm_integers(a, b, equal)                                                                \
    ob_cm_integer((uintmax_t)(intmax_t)(a), (uintmax_t)(intmax_t)(b), equal, #a, #b, __FILE__,     \
                  __LINE__)
#define assert_int_equal(a, b) ob_cm_integers(a, b, 1)
#define assert_int_not_equal(a, b) ob_cm_integers(a, b, 0)
#define assert_ptr_equal(a, b)                                                                     \
    ob_cm_assert((const void *)(a) == (const void *)(b), "%s is not %s", #a, #b)
#define assert_ptr_not_equal(a, b)                                                                 \
    ob_cm_assert((const void *)(a) != (const void *)(b), "%s is %s", #a, #b)
#define assert_string_equal(a, b) ob_cm_string(a, b, 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) ob_cm_string(a, b, 0, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) ob_cm_assert(memcmp(a, b, n) == 0, "%s and %s differ", #a, #b)
#define assert_memory_not_equal(a, b, n)                                                           \
    ob_cm_assert(memcmp(a, b, n) != 0, "%s and %s are equal", #a, #b)
#define assert_in_range(v, low, high)                                                              \
    ob_cm_range((uintmax_t)(v), (uintmax_t)(low), (uintmax_t)(high), #v, __FILE__, __LINE__)

__attribute__((unused)) static void ob_cm_range(uintmax_t v, uintmax_t low, uintmax_t high,
                                                const char *what, const char *file, int line)
{
    if (v < low || v > high)
        ob_cm_fail(file, line, "%s = %jd is not between %jd and %jd", what, (intmax_t)v,
                   (intmax_t)low, (intmax_t)high);
}

__attribute__((unused)) static void ob_cm_integer(uintmax_t a, uintmax_t b, int equal,
                                                  const char *left, const char *right,
                                                  const char *file, int line)
{
    if ((a == b) != equal)
        ob_cm_fail(file, line, "%s = %#jx, %s = %#jx", left, a, right, b);
}

__attribute__((unused)) static void ob_cm_string(const char *a, const char *b, int equal,
                                                 const char *file, int line)
{
    if ((strcmp(a, b) == 0) != equal)
        ob_cm_fail(file, line, "\"%s\" and \"%s\"", a, b);
}

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL, NULL                                                                    \
    }
#define cmocka_unit_test_setup(f, setup)                                                           \
    {                                                                                              \
#f, f, setup, NULL, NULL                                                                   \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
    {                                                                                              \
#f, f, setup, teardown, NULL                                                               \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cmocka_run_group_tests_name("", tests, setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    ob_cm_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

/* 0: passed, 1: failed, 2: left out */
static int ob_cm_one(const struct CMUnitTest *test, void *state)
{
    int result = setjmp(ob_cm_out);
    if (result == 0) {
        if (test->setup_func && test->setup_func(&state) != 0)
            fail_msg("%s: its setup failed", test->name);
        test->test_func(&state);
    }
    if (test->teardown_func)
        test->teardown_func(&state);
    return result;
}

__attribute__((unused)) static int ob_cm_run(const struct CMUnitTest *tests, size_t count,
                                             CMFixtureFunction setup, CMFixtureFunction teardown)
{
    static const char *const words[] = {"      OK", " FAILED ", "SKIPPED "};
    void *state = NULL;
    int of[3] = {0};
    if (setup && setup(&state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        int result = ob_cm_one(&tests[i], state);
        of[result]++;
        printf("[ %s ] %s\n", words[result], tests[i].name);
        fflush(stdout);
    }
    if (teardown)
        teardown(&state);
    printf("[  PASSED  ] %d test(s).\n", of[0]);
    if (of[1])
        printf("[  FAILED  ] %d test(s).\n", of[1]);
    return of[1];
}

#endif
