/*
 * Scatter and gather on two members of a node: one message, from matrix to matrix, and no board.
 */
#include "core/group.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 16 << 20, FIRST = 3, SECOND = 5, ALL = FIRST + SECOND };

static uint64_t messages_to(team *t, int me)
{
    uint64_t messages = 0, bytes;
    OK(ob_job_traffic(t->job[me], 1 - me, &messages, &bytes));
    return messages;
}

/* Root's vector of both pieces, there and back, with its own piece in place or elsewhere. */
static void there_and_back(team *t, int me)
{
    static const size_t counts[2] = {FIRST, SECOND};
    ob_group *g = team_group(t, me);
    for (int way = 0; way < 4; way++) {
        const int root = way % 2;
        const bool elsewhere = way / 2;
        const size_t n = counts[me];
        double all[ALL] = {0}, own[SECOND] = {0};
        for (int k = 0; me == root && k < ALL; k++)
            all[k] = way * 10 + k;
        const ob_pieces pieces = {
            .base = me == root ? all : NULL, .type = OB_DOUBLE, .counts = counts};
        const ob_view mine = ob_view_vector(own, n, OB_DOUBLE);
        const ob_view *told = me != root || elsewhere ? &mine : NULL;
        uint64_t before = messages_to(t, me);
        OK(ob_scatter(g, root, &pieces, told, NULL));
        for (size_t k = 0; told && k < n; k++) {
            TEAM_CHECK(own[k] == way * 10 + (double)k + (me ? FIRST : 0), "way %d", way);
            own[k] += 100;
        }
        OK(ob_gather(g, root, &pieces, told, NULL));
        for (int k = 0; me == root && k < ALL; k++) {
            bool moved = elsewhere || (k < FIRST ? 0 : 1) != me;
            TEAM_CHECK(all[k] == way * 10 + k + (moved ? 100 : 0), "way %d, element %d", way, k);
        }
        TEAM_CHECK(messages_to(t, me) == before + 1, "way %d", way);
    }
    TEAM_CHECK(g->board == NULL, "a board was made");
    ob_group_free(g);
}

static void two_members_need_one_message(void **state)
{
    assert_int_equal(team_try(2, HEAP, NULL, there_and_back, NULL), 0);
}

/* The one who receives finds out; and what the root names itself is looked at. */
static void go_wrong(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double all[4] = {0}, own[3] = {0};
    const ob_pieces pieces = {.base = all, .type = OB_DOUBLE, .count = 2};
    const ob_view mine = ob_view_vector(own, 3, OB_DOUBLE);
    int status = ob_gather(g, 0, &pieces, me ? &mine : NULL, NULL);
    TEAM_CHECK(status == (me ? OB_OK : OB_ESIZE), "status %d", status);
    static const size_t offsets[2] = {1, 3};
    const ob_pieces nowhere[2] = {{.type = OB_DOUBLE, .count = 2},
                                  {.type = OB_DOUBLE, .count = 2, .offsets = offsets}};
    for (int i = 0; i < 2 && me == 0; i++)
        TEAM_CHECK(ob_scatter(g, 0, &nowhere[i], NULL, NULL) == OB_EARG, "%s", ob_error_text());
    ob_group_free(g);
}

static void wrong_sizes_are_errors(void **state)
{
    assert_int_equal(team_try(2, HEAP, NULL, go_wrong, NULL), 0);
}

/* Pieces whose views lie between each other: each begins where the one before would end if it were
 * one run of memory. */
enum { MANY = 5, ROOM_FOR_ALL = 2 * MANY + 2 };

static void lay_out(double *all, int count, ob_view *view)
{
    for (int i = 0; i < count; i++)
        view[i] = (ob_view){
            .base = all + (size_t)2 * (size_t)i, .type = OB_DOUBLE, .m = 1, .n = 2, .ld = 3};
}

/* Element k of piece i. */
static double *element(double *all, int i, int k)
{
    return all + (size_t)2 * (size_t)i + (size_t)3 * (size_t)k;
}

/* By messages, or on the board. */
static void between(team *t, int me)
{
    const bool *on_board = t->user;
    double all[ROOM_FOR_ALL] = {0}, own[2] = {0};
    ob_view view[MANY];
    ob_group *g = team_group(t, me);
    const ob_pieces pieces = {.views = view};
    g->one_node = *on_board;
    const ob_view mine = ob_view_vector(own, 2, OB_DOUBLE);
    lay_out(all, t->count, view);
    for (int k = 0; k < 2; k++)
        *element(all, me, k) = 10 * me + k + 1;
    OK(ob_collect(g, &pieces, NULL));
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 2; k++) {
            TEAM_CHECK(*element(all, i, k) == 10 * i + k + 1, "collect: %d of piece %d", k, i);
            *element(all, i, k) += me ? 0 : 100;
        }
    OK(ob_scatter(g, 0, &pieces, me ? &mine : NULL, NULL));
    for (int k = 0; k < 2 && me; k++) {
        TEAM_CHECK(own[k] == 100 + 10 * me + k + 1, "scatter: %d", k);
        own[k] += 1000;
    }
    OK(ob_gather(g, 0, &pieces, me ? &mine : NULL, NULL));
    for (int i = 0; i < t->count && me == 0; i++)
        for (int k = 0; k < 2; k++)
            TEAM_CHECK(*element(all, i, k) == (i ? 1100 : 100) + 10 * i + k + 1,
                       "gather: %d of piece %d", k, i);
    ob_group_free(g);
}

static void pieces_may_lie_between_each_other(void **state)
{
    for (int count = 2; count <= MANY; count++)
        for (int on_board = 0; on_board < 2; on_board++)
            assert_int_equal(team_try(count, HEAP, NULL, between, &(bool){on_board}), 0);
}

/* Bytes, the first and the last piece being one and none. */
static void single_bytes(team *t, int me)
{
    enum { LENGTHS = 4 };
    static const size_t length[LENGTHS] = {1, 5, 3, 0};
    ob_group *g = team_group(t, me);
    const bool *on_board = t->user;
    unsigned char all[9] = {0};
    size_t begin = 0;
    g->one_node = *on_board;
    for (int i = 0; i < me; i++)
        begin += length[i];
    for (size_t k = begin; k < begin + length[me]; k++)
        all[k] = (unsigned char)(k + 1);
    OK(ob_collect(g, &(ob_pieces){.base = all, .type = OB_BYTE, .counts = length}, NULL));
    for (size_t k = 0; k < sizeof all; k++)
        TEAM_CHECK(all[k] == k + 1, "byte %zu is %d", k, all[k]);
    ob_group_free(g);
}

static void pieces_of_one_byte_are_moved(void **state)
{
    for (int on_board = 0; on_board < 2; on_board++)
        assert_int_equal(team_try(4, HEAP, NULL, single_bytes, &(bool){on_board}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_members_need_one_message),
        cmocka_unit_test(wrong_sizes_are_errors),
        cmocka_unit_test(pieces_may_lie_between_each_other),
        cmocka_unit_test(pieces_of_one_byte_are_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
