/*
 * Error lines: none is cut off, and who is about to abort the job waits until they are read.
 */
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "hooks/error.h"
#include "unit.h"

static void long_line_is_whole(void **unused)
{
    char side[321];
    memset(side, 'x', sizeof side - 1);
    side[sizeof side - 1] = 0;
    assert_int_equal(ob_fail(OB_ESTATE, "%s differs: %s; %s.", "something", side, side), OB_ESTATE);
    assert_int_equal(strlen(ob_error_text()), strlen("something differs: ; .") + 640);
}

/* In a line that is too long, too. */
static void code_ends_the_line(void **unused)
{
    static const struct {
        const char *line, *left, *code;
    } all[] = {
        {"OB-1042 it is 3, must be 4", "it is 3, must be 4", " [OB-1042]"},
        {"request 2: it is 3, must be 4 [OB-1042]", "request 2: it is 3, must be 4", " [OB-1042]"},
        {"OB-1042 its line: it is full [OB-4003]; so it ends", "its line: it is full; so it ends",
         " [OB-1042]"},
        {"it is full [OB-4003]; it is lost [OB-4001]", "it is full; it is lost", " [OB-4003]"},
        {"of OB-1042 [OB-42], [OB-1042x] and[OB-1042]",
         "of OB-1042 [OB-42], [OB-1042x] and[OB-1042]", ""},
        {"OB-1042", "OB-1042", ""},
        {"", "", ""},
    };
    char line[1500], code[OB_CODE_BYTES];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        strcpy(line, all[i].line);
        assert_ptr_equal(ob_error_code(line, code), code);
        assert_string_equal(line, all[i].left);
        assert_string_equal(code, all[i].code);
    }
    ob_fail(OB_EARG, "OB-1042 it is %d", 3);
    assert_string_equal(ob_error_text(), "it is 3 [OB-1042]");
    ob_fail(OB_EARG, "the profile x: %s", ob_error_text());
    assert_string_equal(ob_error_text(), "the profile x: it is 3 [OB-1042]");
    ob_fail(OB_EARG, "OB-8103 it: %s", ob_error_text());
    assert_string_equal(ob_error_text(), "it: the profile x: it is 3 [OB-8103]");
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    for (size_t n = 980; n < 1499; n++) {
        ob_fail(OB_EARG, "OB-1042 %.*s", (int)n, line);
        size_t length = strlen(ob_error_text());
        assert_string_equal(ob_error_text() + length - 10, " [OB-1042]");
        if (length < n + 10)
            assert_memory_equal(ob_error_text() + length - 14, "x...", 4);
        ob_fail(OB_EARG, "the profile: %s", ob_error_text());
        assert_string_equal(ob_error_text() + strlen(ob_error_text()) - 10, " [OB-1042]");
    }
}

/* A child writes a line to a pipe and says when it thinks that it was read. */
static void waits_for_the_reader(void **unused)
{
    int line[2], over[2], status;
    char text[16], done = 0;
    assert_int_equal(pipe(line), 0);
    assert_int_equal(pipe(over), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(line[1], STDERR_FILENO);
        int written = write(STDERR_FILENO, "a line\n", 7) == 7;
        ob_lines_through();
        _exit(!written || write(over[1], "x", 1) != 1);
    }
    close(over[1]);
    struct timeval soon = {.tv_usec = 200000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(over[0], &set);
    assert_int_equal(select(over[0] + 1, &set, NULL, NULL, &soon), 0);
    assert_int_equal(read(line[0], text, sizeof text), 7);
    assert_int_equal(read(over[0], &done, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* From the header: each name in it has a text that begins with the name. */
static void every_status_has_a_text(void **unused)
{
    static const struct {
        int status;
        const char *name;
    } all[] = {{OB_OK, "OB_OK: "},
               {OB_EARG, "OB_EARG: "},
               {OB_ENOMEM, "OB_ENOMEM: "},
               {OB_ESIZE, "OB_ESIZE: "},
               {OB_EGONE, "OB_EGONE: "},
               {OB_ESYSTEM, "OB_ESYSTEM: "},
               {OB_ESETTING, "OB_ESETTING: "},
               {OB_ESTATE, "OB_ESTATE: "},
               {OB_EREADY, "OB_EREADY: "}};
    const int count = sizeof all / sizeof *all;
    for (int i = 0; i < count; i++) {
        assert_int_equal(all[i].status, -i);
        assert_memory_equal(ob_status_text(all[i].status), all[i].name, strlen(all[i].name));
    }
    /* A status that is added is named here, too. */
    assert_string_equal(ob_status_text(-count), ob_status_text(1));
    assert_string_equal(ob_status_text(1), "no status of OpenBLACS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_line_is_whole),
        cmocka_unit_test(code_ends_the_line),
        cmocka_unit_test(waits_for_the_reader),
        cmocka_unit_test(every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
