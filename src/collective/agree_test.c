/*
 * Calls compared at level 3: whatever two members name differently is found, and both sides stand
 * in the line; what may differ is let through.
 */
#include "collective/members_test.h"

#include "check/check.h"
#include "check/diary.h"
#include "core/error.h"

static ob_job the_job = {.number = 7, .count = 8};

static ob_check_record usual(void)
{
    return (ob_check_record){.routine = "dgsum2d",
                             .what = "dgsum2d",
                             .row = 1,
                             .column = 2,
                             .scope = 'A',
                             .top = '1',
                             .type = OB_DOUBLE,
                             .m = 3,
                             .n = 4,
                             .elements = 12,
                             .root = OB_ANY};
}

/* ------------------------------------------------- a message and its receive, one process */

/* What is said of a message and its receive that differ; NULL: nothing. */
static const char *between(ob_group *group, const ob_check_record *sent,
                           const ob_check_record *expected)
{
    int source = 0;
    OK(ob_check_announce(group, 0, 3, sent));
    int status = ob_check_expect(group, &source, 3, expected);
    TEAM_CHECK(source == 0, "from %d", source);
    TEAM_CHECK(status == OB_OK || status == OB_ESIZE, "status %d", status);
    return status == OB_OK ? NULL : ob_error_text();
}

#define DIFFERS(text, ...)                                                                         \
    do {                                                                                           \
        ob_check_record other = usual();                                                           \
        __VA_ARGS__;                                                                               \
        const char *said = between(group, &other, &mine);                                          \
        TEAM_CHECK(said &&strncmp(said, text " differs between a message and its receive: ",       \
                                  strlen(text " differs between a message and its receive: ")) ==  \
                       0,                                                                          \
                   "'%s' instead of '%s'", said ? said : "nothing", text);                         \
    } while (0)

static void each_difference(ob_group *group, void *unused)
{
    ob_check_record mine = usual();
    (void)unused;
    TEAM_CHECK(between(group, &mine, &mine) == NULL, "%s", ob_error_text());
    DIFFERS("the routine", strcpy(other.what, "dgamx2d"));
    DIFFERS("the type", other.type = OB_FLOAT);
    DIFFERS("the topology", other.top = 'h');
    DIFFERS("the number of branches", other.branches = 3);
    DIFFERS("the size", other.elements = 13);
    DIFFERS("the shape", (other.m = 4, other.n = 3));
    DIFFERS("UPLO or DIAG", other.uplo = 'U');
    DIFFERS("UPLO or DIAG", other.diag = 'U');
    DIFFERS("the destination", other.root = 2);
    DIFFERS("whether locations are wanted", other.owners = 1);
    DIFFERS("WIDTH", other.width = 2);
    DIFFERS("what blacs_set has set", other.repeatable = 1);
    DIFFERS("what blacs_set has set", other.coherent = 1);
    mine.top = 'M';
    DIFFERS("the number of rings", (other.top = 'M', other.branches = 2));
}

/* Names, places and the counts of calls are each one's own; a size alone counts for some. */
static void what_may_differ(ob_group *group, void *unused)
{
    ob_check_record mine = usual(), other = usual();
    (void)unused;
    strcpy(other.routine, "zgsum2d");
    other.row = 5;
    other.column = 6;
    other.scope = 'R';
    other.sends = 1;
    TEAM_CHECK(between(group, &mine, &other) == NULL, "%s", ob_error_text());
    mine.by_count = other.by_count = 1;
    other.m = 4;
    other.n = 3;
    other.uplo = 'L';
    TEAM_CHECK(between(group, &mine, &other) == NULL, "%s", ob_error_text());
    other.root = 1;
    const char *said = between(group, &other, &mine);
    TEAM_CHECK(said && strncmp(said, "the source differs", 18) == 0, "%s", said ? said : "nothing");
}

static void both_sides_are_described(ob_group *group, void *unused)
{
    ob_check_record mine = usual(), other = usual();
    (void)unused;
    mine.root = 5;
    other = (ob_check_record){.routine = "igebr2d",
                              .what = "broadcast",
                              .scope = 'R',
                              .type = OB_INT,
                              .m = 1,
                              .n = 1,
                              .elements = 1,
                              .root = 3,
                              .by_count = 1,
                              .uplo = 'L',
                              .diag = 'N',
                              .width = 2,
                              .owners = 1,
                              .repeatable = OB_REPRODUCIBLE,
                              .coherent = 1};
    const char *
        said = between(group, &other, &mine),
       *expected =
           "the routine differs between a message and its receive: process {0,0} (number 7) calls "
           "igebr2d (its call 0, scope R, UPLO L, DIAG N, 1 x 1 integer (1 element), WIDTH 2, with "
           "locations, source at position 3, reproducible, coherent); process {1,2} (number 7) "
           "calls "
           "dgsum2d (its call 0, scope A, topology '1', 3 x 4 double (12 elements), destination at "
           "position 5) [OB-5005]";
    TEAM_CHECK(said && strcmp(said, expected) == 0, "%s", said ? said : "nothing");
}

static void alone(member_body body)
{
    run_members(1, body, NULL);
}

static void every_difference_is_found(void **state)
{
    alone(each_difference);
}

static void what_may_differ_does(void **state)
{
    alone(what_may_differ);
}

static void both_sides_stand_in_the_line(void **state)
{
    alone(both_sides_are_described);
}

/* --------------------------------------------------------------- members of a scope */

static void agree(ob_group *group, void *odd)
{
    int me = ob_group_me(group), size = ob_group_size(group);
    ob_check_record mine = usual();
    mine.row = me;
    for (int i = 0; i < 3; i++)
        OK(ob_check_agree(group, &mine));
    if (odd == NULL)
        return;
    if (me == size - 1)
        mine.elements = 99;
    TEAM_CHECK(ob_check_agree(group, &mine) == OB_ESTATE, "nothing is found");
    TEAM_CHECK(strncmp(ob_error_text(), "the size differs within the scope: process {0,2}", 48) ==
                       0 &&
                   strstr(ob_error_text(), "(99 elements)"),
               "%s", ob_error_text());
}

static void members_that_agree_go_on(void **state)
{
    run_members(1, agree, NULL);
    run_members(5, agree, NULL);
}

static void one_odd_member_is_found_by_all(void **state)
{
    run_members(4, agree, "odd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_is_found),
        cmocka_unit_test(what_may_differ_does),
        cmocka_unit_test(both_sides_stand_in_the_line),
        cmocka_unit_test(members_that_agree_go_on),
        cmocka_unit_test(one_odd_member_is_found_by_all),
    };
    ob_diary_job = &the_job;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
