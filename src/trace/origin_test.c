/*
 * Names as they are written in programs, and which functions nobody asks for.
 */
#include <string.h>

#include "trace/internal.h"
#include "unit.h"

static const char *written(const char *symbol)
{
    static char text[32];
    return ob_trace_as_written(symbol, text, sizeof text);
}

static void names_are_as_programs_write_them(void **state)
{
    assert_string_equal(written("pdgetrf_"), "PDGETRF");
    assert_string_equal(written("blacs_get__"), "BLACS_GET");
    assert_string_equal(written("MAIN__"), "MAIN");
    assert_string_equal(written("__cp_fm_MOD_cp_fm_syevd"), "cp_fm::cp_fm_syevd");
    assert_string_equal(written("Cdgesd2d"), "Cdgesd2d");
    assert_string_equal(written("PB_CInV"), "PB_CInV");
    assert_string_equal(written("solve"), "solve");
    assert_string_equal(written("Camel_"), "Camel_");
    assert_string_equal(written("_start_"), "_start_");
    assert_string_equal(written("_"), "_");
    assert_string_equal(written(""), "");
    /* Too long to be changed. */
    assert_string_equal(written("a_name_of_more_than_thirty_one_letters_"),
                        "a_name_of_more_than_thirty_one_letters_");
}

static void helpers_are_those_of_the_pblas(void **state)
{
    assert_true(ob_trace_is_helper("PB_Cptrsm"));
    assert_true(ob_trace_is_helper("BI_Srecv"));
    assert_true(ob_trace_is_helper("pbdtran_"));
    assert_true(ob_trace_is_helper("pbztrnv_"));
    assert_false(ob_trace_is_helper("pdtran_"));
    assert_false(ob_trace_is_helper("pbdsolve_"));
    assert_false(ob_trace_is_helper("pb"));
    assert_false(ob_trace_is_helper("pdtrsm_"));
    assert_false(ob_trace_is_helper("main"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_programs_write_them),
        cmocka_unit_test(helpers_are_those_of_the_pblas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
