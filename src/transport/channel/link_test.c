/*
 * The shared-memory link from below: fragments around every boundary, the way
 * from the ring through areas and back, sleeping and waking. One thread plays both ends unless said
 * otherwise.
 */
#include <sys/stat.h>

#include "node/fence.h"
#include "transport/channel/link_test.h"

/* -------------------------------------------------------------- boundaries */

/* Sizes at which a fragment, a step, the ring, an area or a block ends, each
 * with the ring at many different fills. */
static void test_boundaries(void **unused)
{
    static const size_t edges[] = {0,         32,        64,  4096,    16 * KIB, 32 * KIB, 64 * KIB,
                                   256 * KIB, 320 * KIB, MIB, 2 * MIB, 8 * MIB,  16 * MIB};
    static const long around[] = {-257, -129, -128, -127, -97, -96, -95, -65, -64, -63, -33, -32,
                                  -31,  -1,   0,    1,    8,   31,  32,  33,  64,  65,  128, 129};
    uint64_t seed = 1;
    open_pair((size_t)256 * MIB, NULL);
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (size_t a = 0; a < sizeof around / sizeof *around; a++) {
            if ((long)edges[e] + around[a] < 0)
                continue;
            size_t bytes = (size_t)((long)edges[e] + around[a]);
            if (edges[e] > 4 * MIB && a % 4)
                continue;
            size_t before = a * 1013 + e;
            assert_int_equal(send_bytes(before, seed), OB_OK);
            assert_int_equal(send_bytes(bytes, seed + 1), OB_OK);
            assert_int_equal(send_bytes(a, seed + 2), OB_OK);
            recv_bytes(before, seed);
            recv_bytes(bytes, seed + 1);
            recv_bytes(a, seed + 2);
            seed += 3;
        }
    close_pair();
}

/* A ring that is filled with so many lines, when a message comes that does not fit. */
static void fill_then(size_t lines, size_t late)
{
    for (size_t sent = 0; sent < lines; sent++)
        assert_int_equal(send_bytes(sent % 33, sent), OB_OK);
    assert_int_equal(send_bytes(late, 5), OB_OK);
    assert_int_equal(send_bytes(7, 6), OB_OK);
    for (size_t r = 0; r < lines; r++)
        recv_bytes(r % 33, r);
    recv_bytes(late, 5);
    recv_bytes(7, 6);
}

/* Every fill of the ring, from empty to full. */
static void test_every_fill(void **unused)
{
    static const size_t late[] = {0, 33, 3000, 16384, 70000};
    open_pair((size_t)64 * MIB, NULL);
    for (size_t fill = OB_RING_BYTES - 20 * 64; fill <= OB_RING_BYTES + 64; fill += 64)
        for (size_t k = 0; k < sizeof late / sizeof *late; k++)
            fill_then(fill / 64, late[k]);
    close_pair();
}

/* The same for the small ring a channel begins with. */
static void test_every_fill_of_the_first_ring(void **unused)
{
    static const size_t late[] = {0, 33, 700, 992, 993, 3000, 70000};
    for (size_t lines = 0; lines <= OB_RING_FIRST / 64 + 2; lines++)
        for (size_t k = 0; k < sizeof late / sizeof *late; k++) {
            open_pair((size_t)4 * MIB, NULL);
            for (size_t before = 0; before < k; before++) { /* begins at different offsets */
                assert_int_equal(send_bytes(9, before), OB_OK);
                recv_bytes(9, before);
            }
            fill_then(lines, late[k]);
            close_pair();
        }
}

/* More processes than there are in a tile of channels: every pair has memory of its own. */
static void test_all_pairs(void **unused)
{
    enum { COUNT = OB_TILE + 3 };
    ob_group *group[COUNT];
    uint64_t got[400];
    team_open(&t, COUNT, MIB, NULL);
    for (int i = 0; i < COUNT; i++)
        group[i] = team_group(&t, i);
    for (size_t numbers = 1; numbers <= 400; numbers += 399)
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < COUNT; i++)
                for (int j = 0; j < COUNT; j++) {
                    if (i == j)
                        continue;
                    ob_view v = ob_view_of_bytes(got, numbers * sizeof *got);
                    for (size_t k = 0; k < numbers; k++)
                        got[k] = (uint64_t)(i * COUNT + j) * 1000 + k;
                    if (pass == 0) {
                        assert_int_equal(ob_send(group[i], j, 0, &v), OB_OK);
                        continue;
                    }
                    memset(got, 0, sizeof got);
                    assert_int_equal(ob_recv(group[j], i, 0, &v, NULL), OB_OK);
                    for (size_t k = 0; k < numbers; k++)
                        assert_int_equal(got[k], (uint64_t)(i * COUNT + j) * 1000 + k);
                }
    for (int i = 0; i < COUNT; i++)
        ob_group_free(group[i]);
    team_close(&t);
}

/* --------------------------------------------------------- areas and the ring */

static size_t resident(void)
{
    struct stat s;
    assert_int_equal(fstat(t.memory.fd, &s), 0);
    return (size_t)s.st_blocks * 512;
}

/* However many short messages a pair exchanges in turn, they need no more memory than the first. */
static void test_short_messages_stay_in_the_first_ring(void **unused)
{
    open_pair((size_t)16 * MIB, NULL);
    size_t before = resident();
    for (int k = 0; k < 10000; k++) {
        assert_int_equal(send_bytes((size_t)k % 500, (uint64_t)k), OB_OK);
        recv_bytes((size_t)k % 500, (uint64_t)k);
    }
    assert_true(resident() <= before + 8 * KIB);
    assert_int_equal(send_bytes(40 * KIB, 1), OB_OK);
    recv_bytes(40 * KIB, 1);
    assert_true(resident() > before + 32 * KIB);
    close_pair();
}

/* A queue that outgrew the ring drains, and the channel is as new: in the
 * ring, with nothing of the heap in use, time and again. */
static void test_queue_grows_and_drains(void **unused)
{
    enum { MESSAGES = 30000 };
    size_t first = 0;
    open_pair((size_t)256 * MIB, NULL);
    for (int round = 0; round < 5; round++) {
        for (int k = 0; k < MESSAGES; k++)
            assert_int_equal(send_bytes((size_t)k % 200, (uint64_t)k), OB_OK);
        assert_true(sender_heap()->in_use > 2 * MIB);
        for (int k = 0; k < MESSAGES; k++)
            recv_bytes((size_t)k % 200, (uint64_t)k);
        for (int k = 0; k < 3; k++) { /* leads back to the ring, then streams in it */
            assert_int_equal(send_bytes(8, 1), OB_OK);
            recv_bytes(8, 1);
        }
        ob_job_trim(t.job[0]);
        if (round == 0)
            first = resident();
    }
    assert_int_equal(sender_heap()->in_use, 0);
    assert_true(resident() <= first + MIB);
    close_pair();
}

/* The receiver catches up in the middle of the areas: they are freed as it
 * leaves them, not when all is over. */
static void test_areas_come_back(void **unused)
{
    open_pair((size_t)64 * MIB, NULL);
    for (int k = 0; k < 40000; k++)
        assert_int_equal(send_bytes(33, (uint64_t)k), OB_OK);
    size_t most = sender_heap()->in_use;
    for (int k = 0; k < 200000; k++) {
        recv_bytes(33, (uint64_t)k);
        assert_int_equal(send_bytes(33, (uint64_t)k + 40000), OB_OK);
    }
    assert_true(sender_heap()->in_use <= most + 3 * MIB);
    for (int k = 200000; k < 240000; k++)
        recv_bytes(33, (uint64_t)k);
    close_pair();
}

/* A long message that nobody takes fills the ring and goes on in few blocks: to post it in
 * many takes several times as long. */
static void test_long_message_takes_few_blocks(void **unused)
{
    open_pair((size_t)64 * MIB, NULL);
    for (size_t bytes = 2 * MIB; bytes <= 16 * MIB; bytes *= 2) {
        uint64_t before = sender_heap()->takes;
        assert_int_equal(send_bytes(bytes, bytes), OB_OK);
        assert_in_range(sender_heap()->takes - before, 1, 10);
        recv_bytes(bytes, bytes);
    }
    close_pair();
}

/* --------------------------------------------------------- sleeping and waking */

static bool fence_is_heavy;

static bool arm(void)
{
    fence_is_heavy = false;
    return in->transport->arm(in, &fence_is_heavy);
}

/* Arming succeeds on an empty channel only; the fragment that comes then rings once. */
static void test_arm(void **unused)
{
    open_pair((size_t)16 * MIB, NULL);
    atomic_uint *bell = ob_shm_bell(t.job[1]->shm);
    unsigned before = atomic_load(bell);
    assert_int_equal(send_bytes(8, 1), OB_OK);
    assert_false(arm());
    recv_bytes(8, 1);
    assert_int_equal(atomic_load(bell), before);
    assert_true(arm());
    assert_true(arm());
    assert_int_equal(send_bytes(8, 2), OB_OK);
    assert_int_equal(atomic_load(bell), before + 1);
    assert_int_equal(send_bytes(8, 3), OB_OK);
    assert_int_equal(atomic_load(bell), before + 1);
    assert_false(arm());
    recv_bytes(8, 2);
    recv_bytes(8, 3);
    close_pair();
}

static void send_some(int messages)
{
    for (int i = 0; i < messages; i++) {
        assert_int_equal(send_bytes(8, i), OB_OK);
        recv_bytes(8, i);
    }
}

/* Whose receiver seldom sleeps publishes with light fences, and so the sleeper's is heavy. */
static void test_who_fences(void **unused)
{
    open_pair((size_t)16 * MIB, NULL);
    assert_true(arm());
    assert_false(fence_is_heavy);
    send_some(200);
    assert_true(arm());
    assert_int_equal(fence_is_heavy, ob_fence_is_light());
    send_some(1);
    assert_true(arm());
    assert_int_equal(fence_is_heavy, ob_fence_is_light());
    send_some(1);
    assert_true(arm());
    assert_false(fence_is_heavy);
    close_pair();
}

/* Where processes outnumber processors a receiver that has yielded is told; and nobody else. */
static void test_who_yields_is_told(void **unused)
{
    open_pair((size_t)16 * MIB, NULL);
    atomic_uint *yields = &t.job[1]->shm->own->yields;
    atomic_store(yields, OB_YIELDS);
    t.job[0]->processors = t.job[0]->neighbours;
    send_some(1);
    assert_int_equal(atomic_load(yields), OB_YIELDS);
    t.job[0]->processors--;
    send_some(1);
    assert_int_equal(atomic_load(yields), OB_YIELDS_HEARD);
    atomic_store(yields, OB_YIELDS_NOT);
    send_some(1);
    assert_int_equal(atomic_load(yields), OB_YIELDS_NOT);
    close_pair();
}

/* A sleeper is rung by a jump to an area too: what comes may not fit in the ring. */
static void test_jump_rings(void **unused)
{
    open_pair((size_t)16 * MIB, NULL);
    atomic_uint *bell = ob_shm_bell(t.job[1]->shm);
    ob_envelope e;
    char block[4000];
    ob_view v = ob_view_of_bytes(block, sizeof block);
    int sent = 0;
    memset(block, 0, sizeof block);
    while (sender_heap()->in_use == 0) {
        assert_int_equal(ob_send(from, 1, 0, &v), OB_OK);
        sent++;
    }
    while (sent--)
        assert_int_equal(ob_recv(to, 0, 0, &v, NULL), OB_OK);
    assert_int_equal(in->transport->poll(in, &e), 0);
    assert_true(arm());
    unsigned before = atomic_load(bell);
    assert_int_equal(send_bytes(3, 1), OB_OK); /* jumps back to the ring */
    assert_int_equal(atomic_load(bell), before + 1);
    recv_bytes(3, 1);
    close_pair();
}

/* Polling again gives the same answer; pulling in the middle of nothing, none. */
static void test_poll_again(void **unused)
{
    ob_envelope e = {0}, again = {0};
    open_pair((size_t)16 * MIB, NULL);
    assert_int_equal(in->transport->poll(in, &e), 0);
    assert_int_equal(send_bytes(20, 1), OB_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(in->transport->poll(in, &again), 1);
        assert_int_equal(again.bytes, 20);
        assert_true(again.context == from->context && again.stream == 0 && again.tag == 0);
    }
    recv_bytes(20, 1);
    assert_int_equal(in->transport->poll(in, &e), 0);
    close_pair();
}

static void test_traffic(void **unused)
{
    uint64_t messages, bytes;
    open_pair((size_t)64 * MIB, NULL);
    assert_int_equal(ob_job_traffic(t.job[0], 1, &messages, &bytes), OB_OK);
    assert_true(messages == 0 && bytes == 0);
    assert_int_equal(send_bytes(3, 1), OB_OK);
    assert_int_equal(send_bytes(500000, 1), OB_OK);
    assert_int_equal(ob_job_traffic(t.job[0], 1, &messages, &bytes), OB_OK);
    assert_true(messages == 2 && bytes == 500003);
    assert_int_equal(ob_job_traffic(t.job[1], 0, &messages, &bytes), OB_OK);
    assert_true(messages == 0 && bytes == 0);
    assert_int_equal(ob_job_traffic(t.job[0], 2, &messages, &bytes), OB_EARG);
    assert_string_equal(ob_error_text(),
                        "ob_job_traffic: there is no process 2 in a job of 2 [OB-1009]");
    assert_int_equal(ob_job_traffic(t.job[0], -1, &messages, &bytes), OB_EARG);
    close_pair();
}

/* A pair that has never sent has cost no memory, and one who asks for what came sees that. */
static void test_silent(void **unused)
{
    open_pair((size_t)64 * MIB, NULL);
    const char *of_in = NULL, *of_out = NULL;
    assert_true(in->transport->silent(in, &of_in));
    assert_true(out->transport->silent(out, &of_out));
    assert_int_equal(send_bytes(100, 1), OB_OK);
    of_in = of_out = NULL;
    assert_false(in->transport->silent(in, &of_in));
    assert_true(out->transport->silent(out, &of_out));
    recv_bytes(100, 1);
    close_pair();
}

/* ------------------------------------------------------------ two live threads */

enum { STREAMED = TEAM_SLOW ? 20 : 150 };

static void stream_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    size_t bytes = 3 * MIB + 17;
    unsigned char *expected = pattern(bytes, 9), *p = malloc(bytes);
    ob_view v = ob_view_of_bytes(p, bytes);
    memcpy(p, expected, bytes);
    for (int k = 0; k < STREAMED; k++) {
        if (me == 0) {
            OK(ob_send(g, 1, 0, &v));
            if (k % 3 == 0)
                team_sleep_us(400);
        } else {
            memset(p, 0, bytes);
            OK(ob_recv(g, 0, 0, &v, NULL));
            TEAM_CHECK(memcmp(p, expected, bytes) == 0, "message %d", k);
            if (k % 5 == 0)
                team_sleep_us(2000);
        }
    }
    free(expected);
    free(p);
    ob_group_free(g);
}

static void test_streaming(void **unused)
{
    static const ob_settings sets[] = {
        {.spin_us = -1}, {.spin_us = 0}, {.spin_us = 100000}, {.spin_us = -1, .step_bytes = 4096}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        assert_int_equal(team_try(2, (size_t)1024 * MIB, &sets[k], stream_work, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_every_fill),
        cmocka_unit_test(test_every_fill_of_the_first_ring),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_short_messages_stay_in_the_first_ring),
        cmocka_unit_test(test_queue_grows_and_drains),
        cmocka_unit_test(test_areas_come_back),
        cmocka_unit_test(test_long_message_takes_few_blocks),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_who_fences),
        cmocka_unit_test(test_who_yields_is_told),
        cmocka_unit_test(test_jump_rings),
        cmocka_unit_test(test_poll_again),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_streaming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
