/*
 * Every OPENBLACS_ variable: what it accepts, and the exact line for what it
 * does not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings.h"
#include "openblacs/core.h"
#include "unit.h"

extern char **environ;

static int clear(void **unused)
{
    for (char **e = environ; *e;) {
        char name[128];
        size_t length = strcspn(*e, "=");
        if (strncmp(*e, "OPENBLACS_", 10) == 0 && length < sizeof name) {
            memcpy(name, *e, length);
            name[length] = 0;
            unsetenv(name);
        } else {
            e++;
        }
    }
    return 0;
}

static void expect_error(const char *name, const char *value, const char *line)
{
    ob_settings s;
    setenv(name, value, 1);
    assert_int_equal(ob_settings_read(&s), OB_ESETTING);
    assert_string_equal(ob_error_text(), line);
    unsetenv(name);
}

static ob_settings expect_ok(const char *name, const char *value)
{
    ob_settings s;
    setenv(name, value, 1);
    if (ob_settings_read(&s) != OB_OK)
        fail_msg("%s=%s: %s", name, value, ob_error_text());
    unsetenv(name);
    return s;
}

static void test_defaults(void **unused)
{
    ob_settings s;
    assert_int_equal(ob_settings_read(&s), OB_OK);
    assert_int_equal(s.verbose, 0);
    assert_int_equal(s.transport, OB_TRANSPORT_AUTO);
    assert_int_equal(s.heap_bytes, 0);
    assert_true(s.heap_seconds == 10);
    assert_int_equal(s.step_bytes, 0);
    assert_int_equal(s.spin_us, -1);
    assert_null(s.modules);
    assert_true(s.check_seconds == 30);
    assert_true(expect_ok("OPENBLACS_CHECK", "2").check_seconds == 20);
}

static void test_verbose(void **unused)
{
    assert_int_equal(expect_ok("OPENBLACS_VERBOSE", "0").verbose, 0);
    assert_int_equal(expect_ok("OPENBLACS_VERBOSE", "1").verbose, 1);
    expect_error("OPENBLACS_VERBOSE", "2", "OPENBLACS_VERBOSE is '2', must be 0 or 1 [OB-9001]");
    expect_error("OPENBLACS_VERBOSE", "", "OPENBLACS_VERBOSE is '', must be 0 or 1 [OB-9001]");
    expect_error("OPENBLACS_VERBOSE", "yes",
                 "OPENBLACS_VERBOSE is 'yes', must be 0 or 1 [OB-9001]");
    expect_error("OPENBLACS_VERBOSE", "1 ", "OPENBLACS_VERBOSE is '1 ', must be 0 or 1 [OB-9001]");
}

static void test_transport(void **unused)
{
    const char *name = "OPENBLACS_TRANSPORT";
    assert_int_equal(expect_ok(name, "auto").transport, OB_TRANSPORT_AUTO);
    assert_int_equal(expect_ok(name, "shm").transport, OB_TRANSPORT_SHM);
    assert_int_equal(expect_ok(name, "mpi").transport, OB_TRANSPORT_MPI);
    expect_error(name, "tcp", "OPENBLACS_TRANSPORT is 'tcp', must be auto, shm or mpi [OB-9001]");
    expect_error(name, "SHM", "OPENBLACS_TRANSPORT is 'SHM', must be auto, shm or mpi [OB-9001]");
    expect_error(name, "", "OPENBLACS_TRANSPORT is '', must be auto, shm or mpi [OB-9001]");
}

static void bytes_error(const char *name, const char *value, const char *least)
{
    char line[200];
    snprintf(
        line, sizeof line,
        "%s is '%s', must be bytes, at least %s, optionally followed by K, M, G or T [OB-9002]",
        name, value, least);
    expect_error(name, value, line);
}

static void test_heap(void **unused)
{
    const char *name = "OPENBLACS_HEAP";
    assert_true(expect_ok(name, "1048576").heap_bytes == 1 << 20);
    assert_true(expect_ok(name, "1024K").heap_bytes == 1 << 20);
    assert_true(expect_ok(name, "64M").heap_bytes == 64 << 20);
    assert_true(expect_ok(name, "3g").heap_bytes == UINT64_C(3) << 30);
    assert_true(expect_ok(name, "2T").heap_bytes == UINT64_C(2) << 40);
    static const char *const wrong[] = {"",
                                        "0",
                                        "1048575",
                                        "1023K",
                                        "-1",
                                        "-64M",
                                        "M",
                                        "64X",
                                        "64MB",
                                        "64 M",
                                        "6e4",
                                        "0x4",
                                        "lots",
                                        " ",
                                        "18446744073709551616",
                                        "9999999999999T"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        bytes_error(name, wrong[i], "1048576");
}

/* Its leak check reads all that is mapped. What the user says counts. */
static void test_heap_under_valgrind(void **unused)
{
    const char *before = getenv("LD_PRELOAD");
    ob_settings s;
    setenv("LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so", 1);
    assert_int_equal(ob_settings_read(&s), OB_OK);
    assert_int_equal(s.heap_bytes, OB_HEAP_UNDER_VALGRIND);
    assert_true(expect_ok("OPENBLACS_HEAP", "1G").heap_bytes == 1 << 30);
    if (before)
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
}

static void test_one_copy(void **unused)
{
    const char *name = "OPENBLACS_ONE_COPY";
    assert_int_equal(expect_ok(name, "auto").one_copy, OB_ONE_COPY_AUTO);
    assert_int_equal(expect_ok(name, "0").one_copy, OB_ONE_COPY_NEVER);
    assert_int_equal(expect_ok(name, "1").one_copy, OB_ONE_COPY_ALWAYS);
    expect_error(name, "2", "OPENBLACS_ONE_COPY is '2', must be auto, 0 or 1 [OB-9001]");
}

static void test_tiers(void **unused)
{
    const char *name = "OPENBLACS_TIERS";
    ob_tiers_choice usual = expect_ok(name, "auto").tiers, none = expect_ok(name, "0").tiers,
                    two = expect_ok(name, "2").tiers;
    assert_true(usual.most == OB_TIER && !usual.always);
    assert_true(none.most == 0 && !none.always);
    assert_true(two.most == 2 && two.always);
    assert_int_equal(expect_ok("OPENBLACS_VERBOSE", "0").tiers.most, OB_TIER);
    expect_error(name, "1",
                 "OPENBLACS_TIERS is '1', must be auto, 0, or members, 2 to 1000 [OB-9002]");
    expect_error(name, "8x",
                 "OPENBLACS_TIERS is '8x', must be auto, 0, or members, 2 to 1000 [OB-9002]");
}

static void test_lists(void **unused)
{
    const char *name = "OPENBLACS_LISTS";
    assert_int_equal(expect_ok("OPENBLACS_VERBOSE", "0").lists, 0);
    assert_int_equal(expect_ok(name, "1").lists, 1);
    assert_int_equal(expect_ok(name, "1000000000").lists, 1000000000);
    static const char *const wrong[] = {"", "0", "-1", "all", "64K", "1000000001"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "OPENBLACS_LISTS is '%s', must be lists of processes, 1 to 1000000000 [OB-9002]",
                 wrong[i]);
        expect_error(name, wrong[i], line);
    }
}

/* What two processes have that differ in one setting: the text of each. */
static void expect_unlike(const char *name, const char *value, const char *with,
                          const char *without)
{
    ob_settings here = expect_ok(name, value), there = expect_ok("OPENBLACS_VERBOSE", "0");
    unsigned a = ob_settings_alike(&here), b = ob_settings_alike(&there);
    char text[OB_UNLIKE_TEXT];
    assert_true(a != b && a > 0 && b > 0);
    ob_settings_unlike(a, b, text);
    assert_string_equal(text, with);
    ob_settings_unlike(b, a, text);
    assert_string_equal(text, without);
}

static void test_unlike(void **unused)
{
    expect_unlike("OPENBLACS_LISTS", "7", "OPENBLACS_LISTS is set", "OPENBLACS_LISTS is unset");
    expect_unlike("OPENBLACS_TOPOLOGY", "plan", "OPENBLACS_TOPOLOGY is plan",
                  "OPENBLACS_TOPOLOGY is named");
    expect_unlike("OPENBLACS_TIERS", "1000", "OPENBLACS_TIERS is 1000", "OPENBLACS_TIERS is auto");
    expect_unlike("OPENBLACS_TIERS", "0", "OPENBLACS_TIERS is 0", "OPENBLACS_TIERS is auto");
    ob_settings few = expect_ok("OPENBLACS_LISTS", "1"), many = expect_ok("OPENBLACS_LISTS", "9");
    assert_int_equal(ob_settings_alike(&few), ob_settings_alike(&many));
}

static void test_step(void **unused)
{
    const char *name = "OPENBLACS_STEP";
    assert_int_equal(expect_ok(name, "64").step_bytes, 64);
    assert_int_equal(expect_ok(name, "8K").step_bytes, 8192);
    assert_int_equal(expect_ok(name, "65536").step_bytes, 65536);
    expect_error(name, "65",
                 "OPENBLACS_STEP is '65', must be a multiple of 64, at most 64K [OB-9002]");
    expect_error(name, "128K",
                 "OPENBLACS_STEP is '128K', must be a multiple of 64, at most 64K [OB-9002]");
    bytes_error(name, "63", "64");
    bytes_error(name, "0", "64");
    bytes_error(name, "big", "64");
}

static void test_background(void **unused)
{
    const char *name = "OPENBLACS_BACKGROUND";
    assert_int_equal(expect_ok(name, "1").background_bytes, 1);
    assert_int_equal(expect_ok(name, "3M").background_bytes, 3 << 20);
    assert_true(expect_ok(name, "0").background_bytes == SIZE_MAX);
    bytes_error(name, "-1", "0");
    bytes_error(name, "many", "0");
}

static void test_spin(void **unused)
{
    const char *name = "OPENBLACS_SPIN";
    assert_int_equal(expect_ok(name, "0").spin_us, 0);
    assert_int_equal(expect_ok(name, "1000000000").spin_us, 1000000000);
    static const char *const wrong[] = {"",    "-1",  "1000000001", "5us",
                                        "1.5", "all", " ",          "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "OPENBLACS_SPIN is '%s', must be microseconds, 0 to 1000000000 [OB-9002]",
                 wrong[i]);
        expect_error(name, wrong[i], line);
    }
}

static void test_measure(void **unused)
{
    const char *name = "OPENBLACS_MEASURE";
    assert_int_equal(expect_ok(name, "0").measure, 0);
    assert_int_equal(expect_ok(name, "1").measure, 1);
    assert_int_equal(expect_ok("OPENBLACS_SPIN", "1").measure, 1); /* unless told otherwise */
    expect_error(name, "2", "OPENBLACS_MEASURE is '2', must be 0 or 1 [OB-9001]");
}

static void test_modules(void **unused)
{
    ob_settings s;
    setenv("OPENBLACS_MODULES", "/some/folder", 1);
    assert_int_equal(ob_settings_read(&s), OB_OK);
    assert_string_equal(s.modules, "/some/folder");
    unsetenv("OPENBLACS_MODULES");
}

/* What is malformed is refused whether or not anybody will use it: the recorder is off
 * here, and neither libicc-mpi nor a planner is there. */
static void test_malformed_though_unused(void **unused)
{
    static const char *const ranks[] = {"a",  "1,x", "3-1", "0-", "-1",  ",1",
                                        "1,", "1 2", " 1",  "+1", "1--2"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "OPENBLACS_TRACE_RANKS is '%s', must be process numbers and "
                 "ranges of them, like 0-3,7 [OB-9003]",
                 ranks[i]);
        expect_error("OPENBLACS_TRACE_RANKS", ranks[i], line);
    }
    assert_string_equal(expect_ok("OPENBLACS_TRACE_RANKS", "0-3,7").trace_ranks, "0-3,7");
    assert_int_equal(ob_settings_listed("0-3,7", 7), 1);
    assert_int_equal(ob_settings_listed("0-3,7", 4), 0);
    static const char *const texts[] = {"OPENBLACS_TRACE", "OPENBLACS_TRACE_RANKS",
                                        "OPENBLACS_MODULES", "OPENBLACS_PLAN", "OPENBLACS_PROFILE"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s is empty [OB-9004]", texts[i]);
        expect_error(texts[i], "", line);
    }
    static const char *const calls[] = {"", ",bcast", "bcast,", "bcast,,reduce", "Bcast", "b cast"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "OPENBLACS_ICC_MPI is '%s', must be auto, all, none, or a list of "
                 "calls separated by commas [OB-9012]",
                 calls[i]);
        expect_error("OPENBLACS_ICC_MPI", calls[i], line);
    }
    expect_error("OPENBLACS_ICC_MPI_DERIVED", "packed",
                 "OPENBLACS_ICC_MPI_DERIVED is 'packed', must be pack or pass [OB-9001]");
    expect_error("OPENBLACS_PICL", "3",
                 "OPENBLACS_PICL is '3'; only the host of a PICL program "
                 "sets it [OB-9005]");
    expect_ok("OPENBLACS_PICL", "3:1");
}

/* strtol skips what the pages do not allow. */
static void test_blanks_and_signs(void **unused)
{
    expect_error("OPENBLACS_SPIN", " 5",
                 "OPENBLACS_SPIN is ' 5', must be microseconds, 0 to "
                 "1000000000 [OB-9002]");
    expect_error("OPENBLACS_SPIN", "+5",
                 "OPENBLACS_SPIN is '+5', must be microseconds, 0 to "
                 "1000000000 [OB-9002]");
    bytes_error("OPENBLACS_HEAP", " 64M", "1048576");
    bytes_error("OPENBLACS_HEAP", "+64M", "1048576");
    bytes_error("OPENBLACS_HEAP", " -64M", "1048576");
    expect_error("OPENBLACS_CHECK_SECONDS", " 2",
                 "OPENBLACS_CHECK_SECONDS is ' 2', must be "
                 "seconds, 0.1 to 1000000 [OB-9002]");
    expect_ok("OPENBLACS_CHECK_SECONDS", ".5");
}

static void expect_warning(const char *name, const char *rest)
{
    char entry[300], line[256], expected[256];
    ob_settings s;
    snprintf(entry, sizeof entry, "%s=1", name);
    snprintf(expected, sizeof expected,
             "OpenBLACS: warning: %s is not a setting and is ignored; %s [OB-9011]", name, rest);
    assert_true(ob_settings_unknown(entry, line, sizeof line));
    assert_string_equal(line, expected);
    setenv(name, "1", 1);
    assert_int_equal(ob_settings_read(&s), OB_OK);
    unsetenv(name);
}

static void test_unknown_names_are_warnings_with_the_nearest_name(void **unused)
{
    expect_warning("OPENBLACS_VERBOS", "the nearest is OPENBLACS_VERBOSE");
    expect_warning("OPENBLACS_VERBOSEE", "the nearest is OPENBLACS_VERBOSE");
    expect_warning("OPENBLACS_heap", "the nearest is OPENBLACS_HEAP");
    expect_warning("OPENBLACS_STAT", "the nearest is OPENBLACS_STATS");
    expect_warning("OPENBLACS_TRACE_RANK", "the nearest is OPENBLACS_TRACE_RANKS");
    expect_warning("OPENBLACS_CHECKSECONDS", "the nearest is OPENBLACS_CHECK_SECONDS");
    expect_warning("OPENBLACS_JOBS",
                   "openblacs(7) names those that there are"); /* only obrun sets JOB */
    expect_warning("OPENBLACS_", "openblacs(7) names those that there are");
}

static void test_names_of_module_files_are_silent(void **unused)
{
    static const char *const names[] = {"ROOT", "DIR", "HOME", "VERSION", "LIB", "INC", "BIN"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], line[256];
        snprintf(name, sizeof name, "OPENBLACS_%s", names[i]);
        expect_ok(name, "/opt/openblacs");
        strcat(name, "=/opt/openblacs");
        assert_false(ob_settings_unknown(name, line, sizeof line));
    }
}

/* A name longer than any of ours is named by its beginning, and not taken for
 * one of ours. */
static void test_long_name(void **unused)
{
    char name[300] = "OPENBLACS_HEAP", line[256];
    memset(name + strlen(name), 'X', 200);
    assert_int_equal(expect_ok(name, "64M").heap_bytes, 0);
    strcat(name, "=64M");
    assert_true(ob_settings_unknown(name, line, sizeof line));
    assert_int_equal(strncmp(line, "OpenBLACS: warning: OPENBLACS_HEAPXXXX", 38), 0);
    assert_non_null(strstr(line, "XXXX... is not a setting"));
}

static void test_topology(void **unused)
{
    assert_int_equal(expect_ok("OPENBLACS_TOPOLOGY", "named").topology, OB_TOPOLOGY_NAMED);
    assert_int_equal(expect_ok("OPENBLACS_TOPOLOGY", "plan").topology, OB_TOPOLOGY_PLAN);
    expect_error("OPENBLACS_TOPOLOGY", "Plan",
                 "OPENBLACS_TOPOLOGY is 'Plan', must be named or plan [OB-9001]");
    expect_error("OPENBLACS_TOPOLOGY", "",
                 "OPENBLACS_TOPOLOGY is '', must be named or plan [OB-9001]");
}

/* What is not ours is none of our business. */
static void test_others(void **unused)
{
    expect_ok("OPENBLAS_NUM_THREADS", "many");
    expect_ok("openblacs_verbose", "7");
    expect_ok("OPENBLACS_JOB", "3:0");
    assert_int_equal(expect_ok("OPENBLACS_REPRODUCIBLE", "1").reproducible, 1);
    expect_error("OPENBLACS_REPRODUCIBLE", "yes",
                 "OPENBLACS_REPRODUCIBLE is 'yes', must be 0 or 1 [OB-9001]");
    assert_int_equal(expect_ok("OPENBLACS_CHECK", "3").check, 3);
    expect_error("OPENBLACS_CHECK", "4", "OPENBLACS_CHECK is '4', must be 0, 1, 2 or 3 [OB-9001]");
    assert_true(expect_ok("OPENBLACS_HEAP_SECONDS", "0").heap_seconds == 0);
    assert_true(expect_ok("OPENBLACS_HEAP_SECONDS", "0.25").heap_seconds == 0.25);
    expect_error("OPENBLACS_HEAP_SECONDS", "-1",
                 "OPENBLACS_HEAP_SECONDS is '-1', must be seconds, 0 to 1000000 [OB-9002]");
    assert_true(expect_ok("OPENBLACS_CHECK_SECONDS", "2.5").check_seconds == 2.5);
    expect_error("OPENBLACS_CHECK_SECONDS", "nan",
                 "OPENBLACS_CHECK_SECONDS is 'nan', must be seconds, 0.1 to 1000000 [OB-9002]");
    expect_ok("OPENBLACS_ICC_MPI", "bcast,allreduce"); /* libicc-mpi looks at the words */
    expect_ok("OPENBLACS_ICC_MPI_DERIVED", "pass");
    assert_int_equal(expect_ok("XOPENBLACS_VERBOSE", "7").verbose, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, clear),
        cmocka_unit_test_setup(test_verbose, clear),
        cmocka_unit_test_setup(test_transport, clear),
        cmocka_unit_test_setup(test_one_copy, clear),
        cmocka_unit_test_setup(test_tiers, clear),
        cmocka_unit_test_setup(test_heap, clear),
        cmocka_unit_test_setup(test_heap_under_valgrind, clear),
        cmocka_unit_test_setup(test_lists, clear),
        cmocka_unit_test_setup(test_unlike, clear),
        cmocka_unit_test_setup(test_step, clear),
        cmocka_unit_test_setup(test_spin, clear),
        cmocka_unit_test_setup(test_measure, clear),
        cmocka_unit_test_setup(test_topology, clear),
        cmocka_unit_test_setup(test_background, clear),
        cmocka_unit_test_setup(test_modules, clear),
        cmocka_unit_test_setup(test_unknown_names_are_warnings_with_the_nearest_name, clear),
        cmocka_unit_test_setup(test_names_of_module_files_are_silent, clear),
        cmocka_unit_test_setup(test_malformed_though_unused, clear),
        cmocka_unit_test_setup(test_blanks_and_signs, clear),
        cmocka_unit_test_setup(test_long_name, clear),
        cmocka_unit_test_setup(test_others, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
