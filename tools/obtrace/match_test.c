/*
 * Which receive took which send.
 */
#include <stdlib.h>

#include "trace.h"
#include "unit.h"

/* order -1: PICL's records, which have no number. */
static void add(obt_trace *t, int64_t time, int32_t process, obt_kind kind, int32_t peer,
                int64_t type, int64_t order)
{
    const int64_t v[] = {peer, type, 8, order};
    obt_add(t, time, process, kind, v, order < 0 ? 3 : 4);
}

/* "SENT>RECEIVED " for each message, in the order of the receives. */
static const char *found(obt_trace *t)
{
    static char text[512];
    size_t used = 0;
    obt_match(t);
    text[0] = 0;
    for (size_t i = 0; i < t->event_count; i++)
        for (size_t k = 0; k < t->match_count; k++)
            if (t->matches[k].received == i)
                used += (size_t)snprintf(text + used, sizeof text - used, "%d>%d ",
                                         (int)t->events[t->matches[k].sent].time,
                                         (int)t->events[i].time);
    return text;
}

static void test_in_order_without_numbers(void **state)
{
    obt_trace *t = obt_trace_new("order");
    add(t, 30, 0, OBT_SEND, 1, 5, -1); /* as a file may have them: not by time */
    add(t, 10, 0, OBT_SEND, 1, 5, -1);
    add(t, 20, 0, OBT_SEND, 1, 6, -1);
    add(t, 50, 1, OBT_RECV, 0, 5, -1);
    add(t, 40, 1, OBT_RECV, 0, 6, -1);
    add(t, 60, 1, OBT_RECV, 0, 5, -1);
    assert_string_equal(found(t), "20>40 10>50 30>60 ");
    assert_int_equal(t->unsent + t->unreceived, 0);
    obt_trace_free(t);
}

/* A receive that ended later may have taken the earlier message. */
static void test_by_number(void **state)
{
    obt_trace *t = obt_trace_new("numbers");
    add(t, 10, 0, OBT_SEND, 1, 5, 0);
    add(t, 20, 0, OBT_SEND, 1, 5, 1);
    add(t, 30, 0, OBT_SEND, 1, 5, 3);
    add(t, 35, 0, OBT_SEND, 1, 5, 4);
    add(t, 40, 1, OBT_RECV, 0, 5, 1);
    add(t, 50, 1, OBT_RECV, 0, 5, 2);
    add(t, 60, 1, OBT_RECV, 0, 5, 0);
    add(t, 70, 1, OBT_RECV, 0, 5, 4);
    assert_string_equal(found(t), "20>40 10>60 35>70 ");
    assert_int_equal(t->unsent, 1);     /* 2 */
    assert_int_equal(t->unreceived, 1); /* 3 */
    obt_trace_free(t);
}

/* Groups (contexts), types and directions are apart. */
static void test_channels_are_apart(void **state)
{
    obt_trace *t = obt_trace_new("channels");
    for (int64_t context = 1; context <= 2; context++) {
        const int64_t v[] = {1, 5, 8, 0, context}, w[] = {0, 5, 8, 0, 3 - context};
        obt_add(t, 10 * context, 0, OBT_SEND, v, 5);
        obt_add(t, 100 * context, 1, OBT_RECV, w, 5);
    }
    add(t, 30, 0, OBT_SEND, 1, 6, 0);
    add(t, 40, 0, OBT_RECV, 1, 6, 0);
    add(t, 50, 0, OBT_SEND, 2, 7, -1); /* to one that has no events */
    assert_string_equal(found(t), "20>100 10>200 ");
    assert_int_equal(t->unsent, 1);
    assert_int_equal(t->unreceived, 2);
    assert_int_equal(t->process_count, 3);
    assert_false(t->processes[2].recorded);
    obt_trace_free(t);
}

/* PICL's send to -1: each of the others takes it, between those that were sent
 * to it alone. */
static void test_messages_to_all(void **state)
{
    obt_trace *t = obt_trace_new("all");
    add(t, 10, 0, OBT_SEND, 1, 5, -1);
    add(t, 20, 0, OBT_SEND, -1, 5, -1);
    add(t, 30, 0, OBT_SEND, 1, 5, -1);
    add(t, 35, 0, OBT_SEND, -1, 6, -1);
    for (int i = 0; i < 3; i++)
        add(t, 40 + i, 1, OBT_RECV, 0, 5, -1);
    add(t, 50, 2, OBT_RECV, 0, 5, -1);
    assert_string_equal(found(t), "10>40 20>41 30>42 20>50 ");
    assert_int_equal(t->unreceived, 1); /* that of type 6 */
    obt_trace_free(t);
}

/* How long a receive waited: as the trace says, or since its recv_blocking. */
static void test_how_long_it_waited(void **state)
{
    obt_trace *t = obt_trace_new("waits");
    const int64_t sought = 5, v[] = {0, 5, 8, 1, 0, 3};
    add(t, 10, 0, OBT_SEND, 1, 5, 0);
    add(t, 11, 0, OBT_SEND, 1, 5, 1);
    obt_add(t, 20, 1, OBT_RECV_BLOCKING, &sought, 1);
    add(t, 27, 1, OBT_RECV_WAKING, 0, 5, 0);
    obt_add(t, 30, 1, OBT_RECV_BLOCKING, &sought, 1);
    obt_add(t, 40, 1, OBT_RECV_WAKING, v, 6);
    assert_string_equal(found(t), "10>27 11>40 ");
    assert_int_equal(t->matches[0].blocked, 7);
    assert_int_equal(t->matches[1].blocked, 3);
    obt_match(t); /* once is enough */
    assert_int_equal(t->match_count, 2);
    obt_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order_without_numbers), cmocka_unit_test(test_by_number),
        cmocka_unit_test(test_channels_are_apart),       cmocka_unit_test(test_messages_to_all),
        cmocka_unit_test(test_how_long_it_waited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
