/* Memory that can be had, from files as Linux has them and from none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/spare.h"

enum { MIB = 1 << 20 };

static char folder[] = "/tmp/spare_test.XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    strcpy(folder, "/tmp/spare_test.XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **unused)
{
    char command[128];
    (void)unused;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* With all folders above it. */
static void put(const char *name, const char *text)
{
    char path[256];
    size_t start = (size_t)snprintf(path, sizeof path, "%s/", folder);
    snprintf(path + start, sizeof path - start, "%s", name);
    for (char *c = strchr(path + start, '/'); c; c = strchr(c + 1, '/')) {
        *c = 0;
        mkdir(path, 0700);
        *c = '/';
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void the_machine_keeps_a_part(void **unused)
{
    (void)unused;
    put("proc/meminfo", "MemTotal:  32768 kB\nMemFree: 1 kB\nMemAvailable:  10240 kB\n");
    assert_int_equal(ob_memory_spare_in(folder), 8 * MIB);
    put("proc/meminfo", "MemTotal:  32768 kB\nMemAvailable:  1000 kB\n");
    assert_int_equal(ob_memory_spare_in(folder), 0);
}

/* Its own, those above it, and what the system caches does not count. */
static void control_groups_of_version_2(void **unused)
{
    (void)unused;
    put("proc/self/cgroup", "0::/user/job\n");
    put("sys/fs/cgroup/user/job/memory.max", "max\n");
    assert_true(ob_memory_spare_in(folder) == SIZE_MAX);
    put("sys/fs/cgroup/user/memory.max", "33554432\n");
    put("sys/fs/cgroup/user/memory.current", "8388608\n");
    assert_int_equal(ob_memory_spare_in(folder), 22 * MIB);
    put("sys/fs/cgroup/user/memory.stat", "file 9\ninactive_file 1048576\n");
    assert_int_equal(ob_memory_spare_in(folder), 23 * MIB);
    put("sys/fs/cgroup/memory.max", "33554432\n"); /* a container's own */
    put("sys/fs/cgroup/memory.current", "30408704\n");
    assert_int_equal(ob_memory_spare_in(folder), 1 * MIB);
}

static void control_groups_of_version_1(void **unused)
{
    (void)unused;
    put("proc/self/cgroup", "9:cpu:/other\n4:memory:/job\n0::/\n");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "33554432\n");
    put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4194304\n");
    put("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 7\ntotal_inactive_file 3145728\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "99999999\n");
    assert_int_equal(ob_memory_spare_in(folder), 29 * MIB);
}

static void what_is_not_said_is_no_limit(void **unused)
{
    (void)unused;
    assert_true(ob_memory_spare_in(folder) == SIZE_MAX);
    put("proc/self/cgroup", "nonsense\n0::\n:::\n");
    put("proc/meminfo", "MemTotal: many\n");
    assert_true(ob_memory_spare_in(folder) == SIZE_MAX);
}

static void this_machine(void **unused)
{
    (void)unused;
    assert_true(ob_memory_spare() > MIB);
}

static size_t looks;

static size_t plenty(void)
{
    looks++;
    return (size_t)1 << 40;
}

/* A look for each message would be dear. */
static void looks_are_few(void **unused)
{
    (void)unused;
    ob_memory_watch w = {.spare = plenty};
    for (size_t taken = 0; taken < (size_t)640 * MIB; taken += MIB)
        assert_true(ob_memory_allows(&w, taken, MIB));
    assert_in_range(looks, 9, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_machine_keeps_a_part, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(control_groups_of_version_2, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(control_groups_of_version_1, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_said_is_no_limit, make_folder, remove_folder),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(looks_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
