/*
 * Which module serves an MPI library, and which launcher has started a process.
 */
#include <stdlib.h>

#include "hooks/mpi.h"
#include "transport/mpi/mpi_job.h"
#include "unit.h"

static void a_library_is_known_by_what_it_says_of_itself(void **state)
{
    assert_string_equal(ob_mpi_kind_of("Open MPI v4.1.4, package: Debian"), "openmpi");
    assert_string_equal(ob_mpi_kind_of("IBM Spectrum MPI v10.4"), "openmpi");
    assert_string_equal(ob_mpi_kind_of("MPICH Version:\t4.0.2"), "mpich");
    assert_string_equal(ob_mpi_kind_of("MPI VERSION    : CRAY MPICH version 8.1"), "mpich");
    assert_string_equal(ob_mpi_kind_of("Intel(R) MPI Library 2021.9 for Linux* OS"), "mpich");
    assert_string_equal(ob_mpi_kind_of("MVAPICH Version: 4.0"), "mpich");
    assert_string_equal(ob_mpi_kind_of("MPIwrapper 2.11.1"), "mpi");
}

static int forget_launchers(void **state)
{
    const ob_mpi_launcher *l;
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++) {
        const char *names[] = {l->size, l->rank, l->neighbours};
        for (int k = 0; k < 3; k++)
            if (names[k])
                unsetenv(names[k]);
    }
    return 0;
}

static void each_launcher_is_found_by_its_variables(void **state)
{
    const ob_mpi_launcher *l;
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++) {
        forget_launchers(state);
        assert_null(ob_mpi_launcher_here());
        assert_false(ob_mpi_launched());
        assert_int_equal(setenv(l->rank, "1", 1), 0);
        assert_ptr_equal(ob_mpi_launcher_here(), l);
        assert_int_equal(ob_mpi_launched(), l->size != NULL);
        assert_true(ob_mpi_present());
    }
}

static void a_process_started_alone_needs_no_mpi(void **state)
{
    const ob_mpi_launcher *l;
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++) {
        forget_launchers(state);
        if (l->size == NULL)
            continue;
        assert_int_equal(setenv(l->size, "1", 1), 0);
        assert_true(ob_mpi_launched());
        assert_false(ob_mpi_present());
        assert_int_equal(setenv(l->size, "2", 1), 0);
        assert_true(ob_mpi_present());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_known_by_what_it_says_of_itself),
        cmocka_unit_test_setup_teardown(each_launcher_is_found_by_its_variables, forget_launchers,
                                        forget_launchers),
        cmocka_unit_test_setup_teardown(a_process_started_alone_needs_no_mpi, forget_launchers,
                                        forget_launchers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
