/* Scheduling groups: a session is one where the kernel makes it so. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/processor.h"
#include "unit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_of_our_session_shares_with_us),
        cmocka_unit_test(a_session_of_its_own_does_not_where_the_kernel_groups_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
