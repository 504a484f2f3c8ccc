/*
 * Readings of the processor time: the file that is read for them, and a program that closes it.
 */
#include <fcntl.h>
#include <unistd.h>

#include "trace/internal.h"
#include "unit.h"

/* A program closes all descriptors after it has joined, and opens a file by the same number. */
static void a_file_of_the_program_stays_open(void **state)
{
    (void)state;
    ob_trace_reading r = {0};
    int number = dup(STDOUT_FILENO);
    assert_true(number >= 0);
    close(number);
    ob_trace_read_first(&r);
    close(number);
    int own = open("/dev/null", O_RDONLY);
    assert_int_equal(own, number);
    ob_trace_read(&r);
    ob_trace_read_last();
    assert_true(fcntl(own, F_GETFD) >= 0);
    close(own);
}

/* And its own file does not. */
static void no_descriptor_is_left(void **state)
{
    (void)state;
    ob_trace_reading r = {0};
    int number = dup(STDOUT_FILENO);
    close(number);
    ob_trace_read_first(&r);
    ob_trace_read_last();
    assert_int_equal(fcntl(number, F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_the_program_stays_open),
        cmocka_unit_test(no_descriptor_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
