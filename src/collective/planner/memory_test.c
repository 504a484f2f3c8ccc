/*
 * OPENBLACS_PLAN, as the planner reads it.
 */
#include <string.h>

#include "collective/planner/memory.h"
#include "unit.h"

static void settings_name_a_scheme_or_are_refused(void **state)
{
    ob_scheme s;
    const char *two = "broadcast=broadcast4@1:tree,collect=collect3@1:bruck";
    assert_int_equal(ob_plan_setting(NULL, OB_TASK_BROADCAST, 4, &s), 0);
    assert_int_equal(ob_plan_setting(two, OB_TASK_BROADCAST, 4, &s), 1);
    assert_int_equal(s.stage[0].count, 4);
    assert_int_equal(ob_plan_setting(two, OB_TASK_COLLECT, 3, &s), 1);
    assert_int_equal(s.stage[0].how, OB_HOW_BRUCK);
    assert_int_equal(ob_plan_setting(two, OB_TASK_BROADCAST, 5, &s), 0);
    assert_int_equal(ob_plan_setting(two, OB_TASK_SCATTER, 4, &s), 0);
    static const char *const bad[] = {"broadcast",
                                      "=x",
                                      "broadcast=jump4@1:tree",
                                      "all=broadcast4@1:tree",
                                      "broadcast=broadcast4@1:tree,,",
                                      "barrier=broadcast4@1:tree"};
    for (int k = 0; k < (int)(sizeof bad / sizeof *bad); k++) {
        assert_int_equal(ob_plan_setting(bad[k], OB_TASK_BROADCAST, 7, &s), OB_ESETTING);
        assert_non_null(strstr(ob_error_text(), bad[k]));
    }
}

/* A scheme that does not fit is not passed over in silence: the words, and why. */
static void a_scheme_that_does_not_fit_is_told(void **state)
{
    char line[200];
    const char *two = "broadcast=broadcast4@1:tree,broadcast=broadcast2@1:tree+broadcast3@2:tree";
    assert_false(ob_plan_misfit(NULL, OB_TASK_BROADCAST, 5, line, sizeof line));
    assert_false(ob_plan_misfit(two, OB_TASK_BROADCAST, 6, line, sizeof line));
    assert_false(ob_plan_misfit(two, OB_TASK_COLLECT, 5, line, sizeof line));
    assert_true(ob_plan_misfit(two, OB_TASK_BROADCAST, 5, line, sizeof line));
    assert_string_equal(line,
                        "'broadcast=broadcast4@1:tree' is for a group of 4, "
                        "'broadcast=broadcast2@1:tree+broadcast3@2:tree' is for a group of 6");
    assert_true(
        ob_plan_misfit("collect=exchange4@1:halving", OB_TASK_COLLECT, 4, line, sizeof line));
    assert_string_equal(line,
                        "'collect=exchange4@1:halving' has stages that do not make a collect");
    assert_true(ob_plan_misfit("combine-all=distribute2@1:halving+collect2@1:bruck", OB_TASK_ALL, 4,
                               line, sizeof line));
    assert_non_null(strstr(line, "for a group of 2"));
    assert_true(ob_plan_misfit(two, OB_TASK_BROADCAST, 5, line, 20)); /* cut, not overrun */
    assert_int_equal(strlen(line), 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_name_a_scheme_or_are_refused),
        cmocka_unit_test(a_scheme_that_does_not_fit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
