/*
 * Scheduling groups: a session is one where the kernel makes it so. Which processes share a
 * processor.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/processor.h"
#include "unit.h"

enum { MOST = 64 };

static bool kernel_groups_sessions(void)
{
    FILE *in = fopen("/proc/sys/kernel/sched_autogroup_enabled", "re");
    int on = in ? fgetc(in) : '0';
    if (in)
        fclose(in);
    return on == '1';
}

/* The number of a child, in a session of its own or in ours. */
static uint64_t child_sharing(bool own_session)
{
    uint64_t sharing = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (own_session)
            setsid();
        sharing = ob_processor_sharing();
        _exit(write(ends[1], &sharing, sizeof sharing) != sizeof sharing);
    }
    assert_int_equal(read(ends[0], &sharing, sizeof sharing), sizeof sharing);
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return sharing;
}

static void a_child_of_our_session_shares_with_us(void **state)
{
    assert_true(ob_processor_sharing() != 0);
    assert_true(child_sharing(false) == ob_processor_sharing());
}

static void a_session_of_its_own_does_not_where_the_kernel_groups_sessions(void **state)
{
    assert_int_equal(child_sharing(true) != ob_processor_sharing(), kernel_groups_sessions());
}

static void each_processor_takes_as_many_processes(void **state)
{
    (void)state;
    for (int processors = 1; processors <= 20; processors++)
        for (int count = 1; count <= MOST; count++) {
            int has[MOST] = {0};
            for (int i = 0; i < count; i++) {
                int p = ob_processor_share(i, count, processors);
                assert_in_range(p, 0, processors - 1);
                assert_true(++has[p] <= (count + processors - 1) / processors);
            }
        }
}

/* Lines of a grid are that in either numbering. */
static void two_that_share_are_in_no_line_of_a_grid(void **state)
{
    (void)state;
    for (int count = 4; count <= MOST; count *= 2)
        for (int across = 2; across < count; across *= 2)
            for (int i = 0; i < count; i++)
                for (int k = 0; k < i; k++)
                    if (ob_processor_share(i, count, count / 2) ==
                        ob_processor_share(k, count, count / 2)) {
                        assert_int_not_equal(i / across, k / across);
                        assert_int_not_equal(i % across, k % across);
                    }
}

static void elsewhere_neighbours_share_a_processor(void **state)
{
    (void)state;
    const int three_on_two[] = {0, 0, 1}, six_on_three[] = {0, 0, 1, 1, 2, 2},
              eight_on_two[] = {0, 0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < 8; i++) {
        if (i < 3)
            assert_int_equal(ob_processor_share(i, 3, 2), three_on_two[i]);
        if (i < 6)
            assert_int_equal(ob_processor_share(i, 6, 3), six_on_three[i]);
        assert_int_equal(ob_processor_share(i, 8, 2), eight_on_two[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_of_our_session_shares_with_us),
        cmocka_unit_test(a_session_of_its_own_does_not_where_the_kernel_groups_sessions),
        cmocka_unit_test(each_processor_takes_as_many_processes),
        cmocka_unit_test(two_that_share_are_in_no_line_of_a_grid),
        cmocka_unit_test(elsewhere_neighbours_share_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
