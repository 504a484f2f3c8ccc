/*
 * The shared-memory link when the sender's heap is full, and a process that takes over from an
 * earlier one.
 */
#include "transport/channel/link.h"
#include "transport/channel/link_test.h"

/* ------------------------------------------------------------------ full heap */

/* When memory ends the error says who has not received; what was sent before
 * is intact, and once it is received sending works again. */
static void test_full_heap(void **unused)
{
    int sent = 0, status;
    open_pair(4 * MIB, NULL);
    sender_heap()->patience_ms = 30;
    while ((status = send_bytes(100000, (uint64_t)sent)) == OB_OK)
        sent++;
    assert_int_equal(status, OB_ENOMEM);
    assert_non_null(strstr(ob_error_text(), "process 0 cannot keep "));
    assert_non_null(strstr(ob_error_text(), " bytes more for process 1: "));
    assert_non_null(strstr(ob_error_text(), "OPENBLACS_HEAP"));
    assert_true(sent >= 20);
    for (int k = 0; k < sent; k++)
        recv_bytes(100000, (uint64_t)k);
    assert_int_equal(send_bytes(100000, 77), OB_OK);
    recv_bytes(100000, 77);
    close_pair();
}

/* What of a message is behind the ring may be more than a heap that is empty:
 * there is nothing to wait for, and nobody else's messages are to blame. */
static void test_message_beyond_heap(void **unused)
{
    open_pair(4 * MIB, NULL);
    assert_int_equal(send_bytes((size_t)5 * MIB, 1), OB_ENOMEM);
    assert_non_null(strstr(ob_error_text(), "process 0 cannot keep "));
    assert_non_null(strstr(ob_error_text(),
                           " bytes of a message for process 1: they need more than its whole heap "
                           "of 4194304 (OPENBLACS_HEAP sets it)"));
    close_pair();
}

/* The same with messages that travel in areas. */
static void test_full_heap_small_messages(void **unused)
{
    int sent = 0;
    open_pair(4 * MIB, NULL);
    sender_heap()->patience_ms = 30;
    while (send_bytes((size_t)sent % 300, (uint64_t)sent) == OB_OK)
        sent++;
    assert_true(sent > 10000);
    for (int k = 0; k < sent; k++)
        recv_bytes((size_t)k % 300, (uint64_t)k);
    assert_int_equal(send_bytes(300, 77), OB_OK);
    recv_bytes(300, 77);
    close_pair();
}

/* A receiver that has not read the long message before is waited for, once: not with every message
 * until it has. */
static void test_receiver_behind(void **unused)
{
    enum { ELSEWHERE = 1 << 20, LONG = MIB };
    open_pair(64 * MIB, NULL);
    const ob_link *l = out->link;
    atomic_store(&t.job[1]->shm->own->processor, ELSEWHERE);
    assert_int_equal(send_bytes(LONG, 0), OB_OK);
    const ob_block *first = l->spilled;
    assert_non_null(first);
    assert_null(l->unread);
    for (uint64_t k = 1; k < 4; k++) {
        assert_int_equal(send_bytes(LONG, k), OB_OK);
        assert_ptr_equal(l->unread, ob_job_crowded(t.job[0]) ? NULL : first);
        assert_ptr_not_equal(l->spilled, first);
    }
    for (uint64_t k = 0; k < 4; k++)
        recv_bytes(LONG, k);
    assert_int_equal(send_bytes(LONG, 4), OB_OK);
    const ob_block *later = l->spilled;
    assert_int_equal(send_bytes(LONG, 5), OB_OK);
    assert_ptr_equal(l->unread, ob_job_crowded(t.job[0]) ? NULL : later);
    recv_bytes(LONG, 4);
    recv_bytes(LONG, 5);
    close_pair();
}

static void *receive_late(void *p)
{
    int count = *(int *)p;
    team_sleep_us(100000);
    for (int k = 0; k < count; k++) {
        recv_bytes(1000000, (uint64_t)k);
        team_sleep_us(5000);
    }
    return NULL;
}

/* A sender with a full heap goes on as soon as the receiver frees something. */
static void test_full_heap_waits(void **unused)
{
    int count = 30;
    pthread_t thread;
    open_pair(8 * MIB, NULL);
    sender_heap()->patience_ms = 5000;
    pthread_create(&thread, NULL, receive_late, &count);
    for (int k = 0; k < count; k++)
        assert_int_equal(send_bytes(1000000, (uint64_t)k), OB_OK);
    pthread_join(thread, NULL);
    close_pair();
}

/* Regression: after a message of which only a part fitted, the next one was
 * taken for its continuation, and written behind the end of the matrix. */
static void test_nothing_follows_half_a_message(void **unused)
{
    ob_envelope e;
    open_pair(12 * MIB, NULL);
    sender_heap()->patience_ms = 30;
    assert_int_equal(send_bytes((size_t)30 * MIB, 1), OB_ENOMEM);
    assert_int_equal(in->transport->poll(in, &e), 1);
    assert_int_equal(send_bytes(8, 2), OB_ENOMEM);
    assert_non_null(strstr(ob_error_text(), "rest of an earlier message"));
    assert_int_equal(send_bytes(100000, 2), OB_ENOMEM);
    ob_segments_mark_gone(&t.memory, 0);
    char *p = malloc((size_t)30 * MIB);
    ob_view v = ob_view_of_bytes(p, (size_t)30 * MIB);
    assert_int_equal(ob_recv(to, 0, 0, &v, NULL), OB_EGONE);
    assert_string_equal(
        ob_error_text(),
        "process 0 ended while it sent a message of 31457280 bytes to process 1 [OB-5008]");
    free(p);
    close_pair();
}

/* ------------------------------------------------------------------ successor */

/* A second program of the same process number: goes on where the first
 * stopped, its unreceived messages first. */
static void replace(int number)
{
    static const ob_settings usual = {.spin_us = -1};
    ob_shm *shm;
    team_leave(&t, number);
    assert_int_equal(ob_shm_join(&shm, &t.memory, number, 0), OB_OK);
    assert_int_equal(ob_job_on_shm(&t.job[number], shm, &usual), OB_OK);
}

static void successor_after(int messages)
{
    open_pair((size_t)64 * MIB, NULL);
    for (int k = 0; k < messages; k++)
        assert_int_equal(send_bytes(100, (uint64_t)k), OB_OK);
    ob_group_free(from);
    replace(0);
    from = team_group(&t, 0);
    for (int k = 0; k < messages; k++)
        assert_int_equal(send_bytes(100, (uint64_t)k + 100000), OB_OK);
    for (int k = 0; k < messages; k++)
        recv_bytes(100, (uint64_t)k);
    for (int k = 0; k < messages; k++)
        recv_bytes(100, (uint64_t)k + 100000);
    close_pair();
}

static void test_successor(void **unused)
{
    successor_after(5);
    successor_after(40);   /* it ends in the large ring */
    successor_after(3000); /* the first one ends in an area */
}

/* A receiver that is replaced between two messages loses none. */
static void test_receiver_replaced(void **unused)
{
    open_pair((size_t)64 * MIB, NULL);
    for (int k = 0; k < 8000; k++)
        assert_int_equal(send_bytes(100, (uint64_t)k), OB_OK);
    for (int k = 0; k < 5000; k++)
        recv_bytes(100, (uint64_t)k);
    ob_group_free(to);
    replace(1);
    to = team_group(&t, 1);
    for (int k = 5000; k < 8000; k++)
        recv_bytes(100, (uint64_t)k);
    close_pair();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_heap),
        cmocka_unit_test(test_message_beyond_heap),
        cmocka_unit_test(test_receiver_behind),
        cmocka_unit_test(test_full_heap_small_messages),
        cmocka_unit_test(test_full_heap_waits),
        cmocka_unit_test(test_nothing_follows_half_a_message),
        cmocka_unit_test(test_successor),
        cmocka_unit_test(test_receiver_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
