/*
 * Sizes of caches and limits of processors, from folders as Linux would have them and from folders
 * it would not.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine.h"
#include "unit.h"

static char folder[] = "/tmp/cache_test.XXXXXX";

static void put(int index, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/index%d", folder, index);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_folder(void **unused)
{
    strcpy(folder, "/tmp/cache_test.XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **unused)
{
    static const char *const names[] = {"size", "shared_cpu_map"};
    char path[128];
    for (int index = 0; index < 4; index++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            snprintf(path, sizeof path, "%s/index%d/%s", folder, index, names[k]);
            unlink(path);
        }
        snprintf(path, sizeof path, "%s/index%d", folder, index);
        rmdir(path);
    }
    return rmdir(folder);
}

/* The last index counts, once for each set of processors that share one. */
static void test_last_level(void **unused)
{
    put(0, "size", "48K\n");
    put(0, "shared_cpu_map", "1\n");
    put(1, "size", "32768K\n");
    put(1, "shared_cpu_map", "00000000,000000ff\n");
    assert_int_equal(ob_cache_bytes_in(folder, 8), 32 << 20);
    assert_int_equal(ob_cache_bytes_in(folder, 64), 256 << 20);
    assert_int_equal(ob_cache_bytes_in(folder, 2), 32 << 20);
    put(2, "size", "96M\n");
    put(2, "shared_cpu_map", "ffff\n");
    assert_int_equal(ob_cache_bytes_in(folder, 16), 96 << 20);
}

/* What is not said is not guessed. */
static void test_nothing_known(void **unused)
{
    assert_true(ob_cache_bytes_in(folder, 8) == SIZE_MAX);
    put(0, "size", "many\n");
    put(0, "shared_cpu_map", "1\n");
    assert_true(ob_cache_bytes_in(folder, 8) == SIZE_MAX);
    put(1, "size", "64K\n");
    assert_true(ob_cache_bytes_in(folder, 8) == SIZE_MAX);
    put(1, "shared_cpu_map", "0\n");
    assert_int_equal(ob_cache_bytes_in(folder, 8), 64 << 10);
}

/* ---------------------------------------------------------------- limits */

/* A line into a file of the folder, with all folders above it. */
static void put_line(const char *name, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "mkdir -p $(dirname %s/%s) && echo '%s' >%s/%s", folder, name,
             text, folder, name);
    assert_int_equal(system(command), 0);
}

static int remove_all(void **unused)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void no_limit(void **unused)
{
    assert_int_equal(ob_processor_quota_in(folder), INT_MAX);
    put_line("proc/self/cgroup", "0::/user/job");
    put_line("sys/fs/cgroup/user/job/cpu.max", "max 100000");
    put_line("sys/fs/cgroup/user/cpu.max", "some");
    assert_int_equal(ob_processor_quota_in(folder), INT_MAX);
}

/* The smallest of the own group and those above it, in whole processors. */
static void limits_of_version_2(void **unused)
{
    put_line("proc/self/cgroup", "0::/user/job");
    put_line("sys/fs/cgroup/user/job/cpu.max", "800000 100000");
    assert_int_equal(ob_processor_quota_in(folder), 8);
    put_line("sys/fs/cgroup/user/cpu.max", "390000 100000");
    assert_int_equal(ob_processor_quota_in(folder), 3);
    put_line("sys/fs/cgroup/cpu.max", "5000 10000"); /* a container's own */
    assert_int_equal(ob_processor_quota_in(folder), 1);
}

static void limits_of_version_1(void **unused)
{
    put_line("proc/self/cgroup", "4:cpuset:/job\n9:cpu,cpuacct:/job\n0::/");
    put_line("sys/fs/cgroup/cpuset/job/cpu.cfs_quota_us", "1000");
    put_line("sys/fs/cgroup/cpuset/job/cpu.cfs_period_us", "1000");
    put_line("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1");
    put_line("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000");
    assert_int_equal(ob_processor_quota_in(folder), INT_MAX);
    put_line("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000");
    assert_int_equal(ob_processor_quota_in(folder), 2);
}

static bool write_line(const char *path, const char *text)
{
    FILE *f = fopen(path, "r+");
    bool written = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && written;
}

/* The folder of a new control group of this machine, with the time of one processor; NULL: none can
 * be made. */
static const char *make_group(void)
{
    static const char *const limit[][3] = {{"/cpu", "cpu.cfs_quota_us", "100000"},
                                           {"", "cpu.max", "100000 100000"}};
    static char group[64];
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(group, sizeof group, "/sys/fs/cgroup%s/openblacs-%d", limit[i][0], (int)getpid());
        snprintf(path, sizeof path, "%s/%s", group, limit[i][1]);
        if (mkdir(group, 0755) == 0 && write_line(path, limit[i][2]))
            return group;
        rmdir(group);
    }
    return NULL;
}

/* A process in a group of this machine's has what the group gives it. */
static void a_real_group(void **unused)
{
    const char *group = make_group();
    if (group == NULL) {
        print_message("no control group of processors can be made here\n");
        skip();
    }
    enum { STAYS_OUT = 77 };
    pid_t child = fork();
    if (child == 0) {
        char path[128];
        snprintf(path, sizeof path, "%s/cgroup.procs", group);
        if (!write_line(path, "0")) /* who writes it */
            _exit(STAYS_OUT);
        _exit(ob_processor_quota() != 1 || ob_processors_allowed() != 1 || ob_processors() != 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    rmdir(group);
    if (WIFEXITED(status) && WEXITSTATUS(status) == STAYS_OUT) {
        print_message("the system lets no process into a control group of its own\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void test_this_machine(void **unused)
{
    assert_in_range(ob_processors_allowed(), 1, sysconf(_SC_NPROCESSORS_ONLN));
    assert_in_range(ob_processors(), ob_processors_allowed(), sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(ob_cache_bytes() >= 64 << 10);
    assert_true(ob_cache_bytes() == ob_cache_bytes());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_last_level, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing_known, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_limit, make_folder, remove_all),
        cmocka_unit_test_setup_teardown(limits_of_version_2, make_folder, remove_all),
        cmocka_unit_test_setup_teardown(limits_of_version_1, make_folder, remove_all),
        cmocka_unit_test(a_real_group),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
