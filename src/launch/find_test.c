/* Which file a program's name means, what environment it gets, and what its signals are called. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/find.h"
#include "openblacs/launch.h"
#include "unit.h"

extern char **environ;

static char room[] = "/tmp/openblacs-find-XXXXXX";

static void make(const char *name, mode_t mode)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(chmod(name, mode), 0);
}

/* first/tool may not be run, second/tool may. */
static int set_up(void **state)
{
    if (mkdtemp(room) == NULL || chdir(room) != 0 || mkdir("first", 0755) != 0 ||
        mkdir("second", 0755) != 0 || mkdir("second/folder", 0755) != 0)
        return -1;
    make("first/tool", 0644);
    make("second/tool", 0755);
    make("first/locked", 0644);
    make("here", 0755);
    make("second/both", 0755);
    make("first/both", 0755);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"first/tool", "second/tool", "first/locked",
                                        "first/both", "second/both", "here"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    return rmdir("second/folder") || rmdir("first") || rmdir("second") || chdir("/") || rmdir(room);
}

static void expect_path(const char *program, const char *expected)
{
    char *path;
    assert_int_equal(ob_launch_find(program, &path), OB_OK);
    assert_string_equal(path, expected);
    free(path);
}

static void expect_error(const char *program, int status, const char *text)
{
    char *path = (char *)1;
    assert_int_equal(ob_launch_find(program, &path), status);
    assert_null(path);
    assert_non_null(strstr(ob_error_text(), text));
}

static void the_first_folder_of_path_with_such_a_program_counts(void **state)
{
    setenv("PATH", "missing:first:second", 1);
    expect_path("both", "first/both");
    setenv("PATH", "second:first", 1);
    expect_path("both", "second/both");
}

static void a_file_that_may_not_be_run_is_passed_over(void **state)
{
    setenv("PATH", "first:second", 1);
    expect_path("tool", "second/tool");
    expect_error("locked", OB_ESYSTEM, "locked: cannot be executed: Permission denied [OB-2002]");
    setenv("PATH", "first", 1);
    expect_error("tool", OB_ESYSTEM, "tool: cannot be executed: Permission denied [OB-2002]");
    setenv("PATH", "second:missing", 1);
    expect_error("folder", OB_ESYSTEM, "folder: cannot be executed: Is a directory [OB-2002]");
    expect_error("nothing", OB_EARG, "nothing: not found in PATH [OB-2001]");
}

static void an_empty_entry_is_the_current_folder(void **state)
{
    static const char *const lists[] = {"", ":first", "first:", "first::second"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        setenv("PATH", lists[i], 1);
        expect_path("here", "./here");
    }
    setenv("PATH", "first:second", 1);
    expect_error("here", OB_EARG, "here: not found in PATH [OB-2001]");
}

static void without_path_the_system_is_searched(void **state)
{
    unsetenv("PATH");
    expect_path("sh", "/bin/sh");
}

static void a_name_with_a_slash_is_a_path(void **state)
{
    setenv("PATH", "first", 1);
    expect_path("second/tool", "second/tool");
    expect_path("./here", "./here");
    expect_error("./tool", OB_EARG, "./tool: not found [OB-2001]");
    expect_error("first/tool/more", OB_EARG, "first/tool/more: not found [OB-2001]");
    expect_error("first/tool", OB_ESYSTEM, "Permission denied");
    expect_error("./second", OB_ESYSTEM, "Is a directory");
    expect_error("", OB_EARG, "empty");
    expect_error(NULL, OB_EARG, "empty");
}

static void the_environment_lacks_one_name_and_has_room_for_it(void **state)
{
    char a[] = "A=1", job[] = "JOB=old", longer[] = "JOBS=2", shorter[] = "JO=3",
         again[] = "JOB=", added[] = "JOB=new";
    char *mine[] = {a, job, longer, shorter, again, NULL}, **before = environ, **slot;
    environ = mine;
    char **copy = ob_environment("JOB", &slot);
    environ = before;
    assert_non_null(copy);
    assert_ptr_equal(copy[0], a);
    assert_ptr_equal(copy[1], longer);
    assert_ptr_equal(copy[2], shorter);
    assert_ptr_equal(slot, &copy[3]);
    assert_null(copy[3]);
    *slot = added;
    assert_null(copy[4]);
    free(copy);
    environ = NULL;
    copy = ob_environment("JOB", &slot);
    environ = before;
    assert_ptr_equal(slot, copy);
    assert_null(copy[0]);
    assert_null(copy[1]);
    free(copy);
}

static void signals_have_the_names_of_the_manual(void **state)
{
#define NAMED(s)                                                                                   \
    {                                                                                              \
        s, #s                                                                                      \
    }
    static const struct {
        int number;
        const char *name;
    } told[] = {NAMED(SIGHUP),  NAMED(SIGINT),  NAMED(SIGQUIT), NAMED(SIGILL),  NAMED(SIGTRAP),
                NAMED(SIGABRT), NAMED(SIGBUS),  NAMED(SIGFPE),  NAMED(SIGKILL), NAMED(SIGUSR1),
                NAMED(SIGSEGV), NAMED(SIGUSR2), NAMED(SIGPIPE), NAMED(SIGALRM), NAMED(SIGTERM),
                NAMED(SIGSTOP), NAMED(SIGXCPU), NAMED(SIGXFSZ), NAMED(SIGSYS)},
      may_be_told[] = {NAMED(SIGCHLD),   NAMED(SIGCONT), NAMED(SIGTSTP),
                       NAMED(SIGTTIN),   NAMED(SIGTTOU), NAMED(SIGURG),
                       NAMED(SIGVTALRM), NAMED(SIGPROF), NAMED(SIGWINCH)};
    bool named[32] = {false};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        assert_string_equal(ob_launch_signal_name(told[i].number), told[i].name);
        named[told[i].number] = true;
    }
    for (size_t i = 0; i < sizeof may_be_told / sizeof *may_be_told; i++)
        named[may_be_told[i].number] |=
            strcmp(ob_launch_signal_name(may_be_told[i].number), may_be_told[i].name) == 0;
    for (int s = 1; s < 32; s++) {
        char number[32];
        snprintf(number, sizeof number, "signal %d", s);
        if (!named[s])
            assert_string_equal(ob_launch_signal_name(s), number);
    }
    assert_string_equal(ob_launch_signal_name(SIGRTMAX), "signal 64");
    assert_string_equal(ob_launch_signal_name(0), "signal 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_folder_of_path_with_such_a_program_counts),
        cmocka_unit_test(a_file_that_may_not_be_run_is_passed_over),
        cmocka_unit_test(an_empty_entry_is_the_current_folder),
        cmocka_unit_test(without_path_the_system_is_searched),
        cmocka_unit_test(a_name_with_a_slash_is_a_path),
        cmocka_unit_test(the_environment_lacks_one_name_and_has_room_for_it),
        cmocka_unit_test(signals_have_the_names_of_the_manual),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
