/*
 * What the unit tests use of cmocka, for a build that finds none: Debian has no libcmocka-dev for a
 * cross compiler. The same names and the same lines at the end; without mocks, without a look at
 * memory, and a signal ends the program, which tests/run/unit.sh counts as a failure.
 */
#ifndef OB_TESTS_STANDIN_CMOCKA_H
#define OB_TESTS_STANDIN_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*begin)(void **state), (*end)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL                                                                          \
    }
#define cmocka_unit_test_setup(f, begin)                                                           \
    {                                                                                              \
#f, f, begin, NULL                                                                         \
    }
#define cmocka_unit_test_setup_teardown(f, begin, end)                                             \
    {                                                                                              \
#f, f, begin, end                                                                          \
    }
#define cmocka_run_group_tests(tests, begin, end)                                                  \
    standin_run(tests, sizeof(tests) / sizeof *(tests), begin, end)

enum { STANDIN_FAILED = 1, STANDIN_SKIPPED };
static jmp_buf standin_back;

static inline int standin_one(const struct CMUnitTest *test, void **state)
{
    int how;
    printf("[ RUN      ] %s\n", test->name);
    fflush(stdout);
    if (test->begin && test->begin(state) != 0)
        return STANDIN_FAILED;
    if ((how = setjmp(standin_back)) == 0)
        test->run(state);
    if (test->end && test->end(state) != 0)
        how = STANDIN_FAILED;
    return how;
}

static inline int standin_run(const struct CMUnitTest *tests, size_t count, int (*begin)(void **),
                              int (*end)(void **))
{
    static const char *const words[] = {"      OK", "  FAILED", " SKIPPED"};
    size_t ended[3] = {0};
    void *all = NULL;
    printf("[==========] Running %zu test(s).\n", count);
    int bad = begin ? begin(&all) : 0;
    for (size_t i = 0; !bad && i < count; i++) {
        void *state = all;
        int how = standin_one(&tests[i], &state);
        printf("[ %s ] %s\n", words[how], tests[i].name);
        ended[how]++;
    }
    if (end && end(&all) != 0)
        bad = 1;
    printf("[==========] %zu test(s) run.\n[  PASSED  ] %zu test(s).\n", count, ended[0]);
    if (ended[STANDIN_SKIPPED] > 0)
        printf("[  SKIPPED ] %zu test(s).\n", ended[STANDIN_SKIPPED]);
    if (ended[STANDIN_FAILED] > 0)
        printf("[  FAILED  ] %zu test(s).\n", ended[STANDIN_FAILED]);
    fflush(stdout);
    return bad ? -1 : (int)ended[STANDIN_FAILED];
}

_Noreturn static inline void standin_leave(int how)
{
    fflush(stdout);
    longjmp(standin_back, how);
}

#define print_message(...) printf(__VA_ARGS__)
#define skip() standin_leave(STANDIN_SKIPPED)
#define fail_msg(...)                                                                              \
    (printf(__VA_ARGS__), printf("\n[   LINE   ] --- %s:%d: error\n", __FILE__, __LINE__),         \
     standin_leave(STANDIN_FAILED))

#define standin_holds(holds, ...) ((holds) ? (void)0 : fail_msg(__VA_ARGS__))

static inline void standin_numbers(uintmax_t a, uintmax_t b, int equal, const char *file, int line)
{
    if ((a == b) == equal)
        return;
    printf("%#jx %s %#jx\n[   LINE   ] --- %s:%d: error\n", a, equal ? "!=" : "==", b, file, line);
    standin_leave(STANDIN_FAILED);
}

#define assert_true(c) standin_holds((c), "%s", #c)
#define assert_false(c) standin_holds(!(c), "not %s", #c)
#define assert_null(p) standin_holds((p) == NULL, "%s is not NULL", #p)
#define assert_non_null(p) standin_holds((p) != NULL, "%s is NULL", #p)
#define assert_int_equal(a, b)                                                                     \
    standin_numbers((uintmax_t)(a), (uintmax_t)(b), 1, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                 \
    standin_numbers((uintmax_t)(a), (uintmax_t)(b), 0, __FILE__, __LINE__)
#define assert_ptr_equal(a, b)                                                                     \
    standin_numbers((uintptr_t)(const void *)(a), (uintptr_t)(const void *)(b), 1, __FILE__,       \
                    __LINE__)
#define assert_ptr_not_equal(a, b)                                                                 \
    standin_numbers((uintptr_t)(const void *)(a), (uintptr_t)(const void *)(b), 0, __FILE__,       \
                    __LINE__)

static inline void standin_texts(const char *a, const char *b, int equal, const char *file,
                                 int line)
{
    if ((strcmp(a, b) == 0) == equal)
        return;
    printf("\"%s\" %s \"%s\"\n[   LINE   ] --- %s:%d: error\n", a, equal ? "!=" : "==", b, file,
           line);
    standin_leave(STANDIN_FAILED);
}
#define assert_string_equal(a, b) standin_texts(a, b, 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) standin_texts(a, b, 0, __FILE__, __LINE__)

static inline void standin_bytes(const void *a, const void *b, size_t bytes, int equal,
                                 const char *file, int line)
{
    const unsigned char *x = a, *y = b;
    size_t at = 0;
    while (at < bytes && x[at] == y[at])
        at++;
    if ((at == bytes) == equal)
        return;
    printf("byte %zu of %zu is %s\n[   LINE   ] --- %s:%d: error\n", at, bytes,
           equal ? "another" : "the same", file, line);
    standin_leave(STANDIN_FAILED);
}
#define assert_memory_equal(a, b, bytes) standin_bytes(a, b, bytes, 1, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, bytes) standin_bytes(a, b, bytes, 0, __FILE__, __LINE__)

static inline void standin_within(uintmax_t value, uintmax_t least, uintmax_t most,
                                  const char *file, int line)
{
    if (least <= value && value <= most)
        return;
    printf("%ju is not in %ju to %ju\n[   LINE   ] --- %s:%d: error\n", value, least, most, file,
           line);
    standin_leave(STANDIN_FAILED);
}
#define assert_in_range(value, least, most)                                                        \
    standin_within((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), __FILE__, __LINE__)

#endif
