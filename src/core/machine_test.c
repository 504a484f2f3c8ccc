/*
 * Sizes of caches, from folders as Linux would have them and from folders it would not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void test_this_machine(void **unused)
{
    assert_true(ob_cache_bytes() >= 64 << 10);
    assert_true(ob_cache_bytes() == ob_cache_bytes());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_last_level, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing_known, make_folder, remove_folder),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
