/*
 * OPENBLACS_PLAN, as the planner reads it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collective/planner/memory.h"
#include "collective/planner/profile.h"
#include "core/job.h"
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
    assert_true(ob_plan_misfit("combine=distribute1@1:halving+gather2@1:tree", OB_TASK_COMBINE, 2,
                               line, sizeof line));
    assert_string_equal(line, "'combine=distribute1@1:halving+gather2@1:tree' has stages that do "
                              "not make a combine");
    assert_true(ob_plan_misfit("combine-all=distribute2@1:halving+collect2@1:bruck", OB_TASK_ALL, 4,
                               line, sizeof line));
    assert_non_null(strstr(line, "for a group of 2"));
    assert_true(ob_plan_misfit(two, OB_TASK_BROADCAST, 5, line, 20)); /* cut, not overrun */
    assert_int_equal(strlen(line), 19);
}

static ob_scheme planned(ob_group *g, const ob_network *network, bool repeatable)
{
    const ob_query q = {.task = OB_TASK_ALL, .bytes = 1 << 16, .repeatable = repeatable};
    ob_scheme s = {0}, again = {0};
    g->network = network;
    free(g->chosen);
    g->chosen = NULL;
    assert_int_equal(ob_plan_scheme(g, &q, &s), OB_OK);
    assert_int_equal(ob_plan_scheme(g, &q, &again), OB_OK); /* as remembered */
    assert_memory_equal(&s, &again, sizeof s);
    return s;
}

/* What two runs measure differs. A call that promises the same bits in both must not see it. */
static void repeatable_calls_do_not_hang_on_what_was_measured(void **state)
{
    ob_job job = {0};
    ob_group g = {.job = &job, .size = 64, .nodes = 64, .rows = 8, .columns = 8, .links_shared = 2};
    const ob_network slow = {200, .025, 100, 64, 8, 8, 2}, quick = {1, .025, .5, 64, 1, 64, 0};
    ob_scheme one = planned(&g, &slow, false), other = planned(&g, &quick, false), unknown;
    assert_memory_not_equal(&one, &other, sizeof one);
    g.rows = 1;
    g.columns = 64;
    g.links_shared = 0;
    unknown = planned(&g, NULL, false);
    one = planned(&g, &quick, true);
    assert_memory_equal(&one, &unknown, sizeof one);
    g.rows = g.columns = 8;
    g.links_shared = 2;
    one = planned(&g, &slow, true);
    assert_memory_equal(&one, &unknown, sizeof one);
    g.shape_told = true; /* what the program says is the same in each run */
    one = planned(&g, &slow, true);
    other = planned(&g, NULL, false);
    assert_memory_equal(&one, &other, sizeof one);
    free(g.chosen);
}

/* In a profile that all processes have been given; sizes that no other test here has. */
static int plant_profile(void **state)
{
    static char path[] = "/tmp/ob_memory_XXXXXX";
    ob_profile p;
    int file = mkstemp(path);
    ob_profile_builtin(&p);
    p.native[OB_TASK_ALL][0] = (ob_native_curve){4, {.pieces = 1, .piece = {{0, 1e-3, 0}}}};
    p.native[OB_TASK_BROADCAST][0] = (ob_native_curve){4, {.pieces = 1, .piece = {{0, 1e6, 0}}}};
    int status = file < 0 || ob_profile_write(path, &p) || setenv("OPENBLACS_PROFILE", path, 1);
    ob_profile_between_nodes(); /* read once */
    if (file >= 0)
        close(file);
    unlink(path);
    return status;
}

static ob_native_way way(ob_group *g, ob_query q)
{
    ob_scheme s = {0};
    assert_int_equal(ob_plan_scheme(g, &q, &s), OB_OK);
    assert_true(ob_scheme_fits(&s, q.task, g->size));
    return s.native;
}

/* Native calls by the profile alone: where it says that they win, and members have them. */
static void native_where_the_profile_has_it(void **state)
{
    enum { SIZE = 4 };
    ob_job job = {0};
    ob_peer peers[SIZE] = {0}, *peer[SIZE];
    ob_natives *natives = calloc(1, sizeof *natives + SIZE * sizeof(int));
    ob_group g = {.job = &job,
                  .size = SIZE,
                  .nodes = SIZE,
                  .rows = 1,
                  .columns = SIZE,
                  .peer = peer,
                  .natives = natives};
    const ob_query all = {.task = OB_TASK_ALL, .bytes = 1 << 10};
    ob_query q = all;
    for (int i = 0; i < SIZE; i++) {
        peer[i] = &peers[i];
        peers[i].number = natives->numbers[i] = i;
    }
    natives->circle = (ob_circle *)(void *)peers; /* only looked for */
    assert_int_equal(way(&g, all), OB_NATIVE);
    assert_int_equal(way(&g, all), OB_NATIVE); /* as remembered */
    q.coherent = true;                         /* of combines to one nothing is known */
    assert_int_equal(way(&g, q), OB_NOT_NATIVE);
    q = all;
    q.repeatable = true;
    assert_int_equal(way(&g, q), OB_NOT_NATIVE);
    q = all;
    q.moves = true;
    assert_int_equal(way(&g, q), OB_NOT_NATIVE);
    q = all;
    q.task = OB_TASK_BROADCAST; /* dearer than messages */
    assert_int_equal(way(&g, q), OB_NOT_NATIVE);
    q.native = true; /* asked for */
    assert_int_equal(way(&g, q), OB_NATIVE);
    natives->circle = NULL; /* the members may not */
    assert_int_equal(way(&g, all), OB_NOT_NATIVE);
    assert_int_equal(way(&g, all), OB_NOT_NATIVE);
    free(g.chosen);
    g.chosen = NULL;
    natives->circle = (ob_circle *)(void *)peers;
    g.nodes = 2; /* several to a node */
    assert_int_equal(way(&g, all), OB_NOT_NATIVE);
    free(g.chosen);
    free(natives);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_name_a_scheme_or_are_refused),
        cmocka_unit_test(a_scheme_that_does_not_fit_is_told),
        cmocka_unit_test(repeatable_calls_do_not_hang_on_what_was_measured),
        cmocka_unit_test(native_where_the_profile_has_it),
    };
    return cmocka_run_group_tests(tests, plant_profile, NULL);
}
