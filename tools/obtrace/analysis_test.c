/*
 * Sums (total.c) and the critical path (path.c), of runs small enough to be
 * added up by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "unit.h"

enum { SOLVE = 1000, BARRIER = 1001 };

static void block(obt_trace *t, int64_t begin, int64_t end, int32_t process, int64_t type)
{
    const int64_t v[] = {type, -1, -1};
    obt_add(t, begin, process, OBT_BLOCK_BEGIN, v, 3);
    obt_add(t, end, process, OBT_BLOCK_END, v, 3);
}

static void send(obt_trace *t, int64_t time, int32_t from, int32_t to, int64_t bytes)
{
    const int64_t v[] = {to, 1, bytes};
    obt_add(t, time, from, OBT_SEND, v, 3);
}

/* Waits from `since` on. */
static void receive(obt_trace *t, int64_t since, int64_t time, int32_t to, int32_t from,
                    int64_t bytes)
{
    const int64_t sought[] = {1, from}, v[] = {from, 1, bytes};
    if (since < time)
        obt_add(t, since, to, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, time, to, since < time ? OBT_RECV_WAKING : OBT_RECV, v, 3);
}

static void mark(obt_trace *t, int64_t time, int32_t process)
{
    const int64_t number = 7;
    obt_add(t, time, process, OBT_TRACE_MARK, &number, 1);
}

/* A message from 0, which computes for 100, to 1, which waits for it from 40
 * on, and on to 2, which waits from the begin. Each recording lasts 200. */
static obt_trace *chain(void)
{
    obt_trace *t = obt_trace_new("chain");
    for (int p = 0; p < 3; p++) {
        mark(t, 0, p);
        mark(t, p == 2 ? 200 : 180, p);
    }
    send(t, 100, 0, 1, 64);
    receive(t, 40, 110, 1, 0, 64);
    send(t, 150, 1, 2, 0);
    receive(t, 0, 170, 2, 1, 0);
    return t;
}

static void test_sums_of_processes(void **state)
{
    obt_trace *t = chain();
    obt_analysis *a = obt_analyse(t);
    static const int64_t computing[] = {180, 110, 30}, receiving[] = {0, 70, 170};
    assert_int_equal(a->active, 3);
    assert_int_equal(a->end - a->begin, 200);
    for (int p = 0; p < 3; p++) {
        const obt_sums *s = &a->sums[obt_find_process(t, p)];
        assert_int_equal(s->state[OBT_COMPUTING], computing[p]);
        assert_int_equal(s->state[OBT_RECEIVING], receiving[p]);
        assert_int_equal(s->sent, p < 2);
        assert_int_equal(s->received, p > 0);
        assert_int_equal(s->received_bytes, p == 1 ? 64 : 0);
        assert_int_equal(s->queue, p > 0);
        assert_int_equal(s->calls, p == 1 ? 2 : 1);
    }
    assert_int_equal(a->all.sent, 2);
    assert_int_equal(a->all.sent_bytes, 64);
    assert_int_equal(a->all.state[OBT_COMPUTING], 320);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Who waited how long for whom, and how long messages are: 0, 1, 2-3, 4-7, ...
 */
static void test_pairs_and_lengths(void **state)
{
    obt_trace *t = chain();
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->pair_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const obt_pair *p = &a->pairs[i];
        assert_int_equal(t->processes[p->from].id, i);
        assert_int_equal(t->processes[p->to].id, i + 1);
        assert_int_equal(p->messages, 1);
        assert_int_equal(p->bytes, i == 0 ? 64 : 0);
        assert_int_equal(p->blocked, i == 0 ? 70 : 170);
    }
    for (int k = 0; k < OBT_LENGTHS; k++)
        assert_int_equal(a->lengths[k], k == 0 || k == 7);
    assert_int_equal(a->length_bytes[7], 64);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0-40: 0 and 1; 40-110: 0; 110-170: 0 and 1; 170-180: all; 180-200: 2. */
static void test_how_many_compute_at_a_time(void **state)
{
    obt_trace *t = chain();
    obt_analysis *a = obt_analyse(t);
    static const int64_t expected[] = {0, 70 + 20, 40 + 60, 10};
    for (int k = 0; k <= 3; k++)
        assert_int_equal(a->concurrency[k], expected[k]);
    obt_analysis_free(a);
    obt_trace_free(t);
}

static void test_rows_of_routines(void **state)
{
    obt_trace *t = obt_trace_new("routines");
    obt_name_routine(t, SOLVE, "solve");
    obt_name_routine(t, BARRIER, "blacs_barrier");
    block(t, 10, 20, 0, SOLVE);
    block(t, 30, 60, 0, SOLVE);
    block(t, 15, 20, 1, BARRIER);
    send(t, 15, 0, 2, 40); /* inside solve, and counts for it */
    send(t, 35, 0, 1, 100);
    receive(t, 17, 18, 1, 0, 100);
    mark(t, 100, 0);
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->row_count, 2);
    assert_string_equal(a->rows[0].name, "solve");
    assert_int_equal(a->rows[0].calls, 2);
    assert_int_equal(a->rows[0].time, 40);
    assert_int_equal(a->rows[0].longest, 30);
    assert_int_equal(a->rows[0].blocked, 0);
    assert_int_equal(a->rows[0].bytes, 140);
    assert_int_equal(a->rows[0].least, 40);
    assert_int_equal(a->rows[0].most, 100);
    assert_string_equal(a->rows[1].name, "blacs_barrier");
    assert_int_equal(a->rows[1].blocked, 1);
    assert_int_equal(a->all.state[OBT_IN_BARRIER], 1);
    assert_int_equal(a->all.state[OBT_LIBRARY], 40 + 4);
    assert_int_equal(a->early, 1); /* received at 18, sent at 35 */
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Many messages to one that takes them later: the queue. */
static void test_queues(void **state)
{
    obt_trace *t = obt_trace_new("queue");
    for (int i = 0; i < 10; i++) {
        send(t, 10 + i, 0, 1, 8);
        receive(t, 19 + 5 * i, 19 + 5 * i, 1, 0, 8);
    }
    obt_analysis *a = obt_analyse(t);
    /* At 19 the first is taken as the tenth comes: nine. */
    assert_int_equal(a->sums[1].queue, 9);
    assert_int_equal(a->sums[0].queue, 0);
    assert_int_equal(a->all.queue, 9);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Sums of a hostile trace stop at the largest number. */
static void test_sums_do_not_overflow(void **state)
{
    obt_trace *t = obt_trace_new("large");
    block(t, 0, 100, 0, SOLVE);
    for (int i = 0; i < 4; i++) {
        send(t, i, 0, 1, INT64_MAX - 1);
        receive(t, 10 + i, 10 + i, 1, 0, INT64_MAX - 1);
    }
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->all.sent_bytes, INT64_MAX);
    assert_int_equal(a->pairs[0].bytes, INT64_MAX);
    assert_int_equal(a->calls[0].bytes, INT64_MAX);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* ------------------------------------------------------------- the critical
 * path */

static void assert_step(const obt_analysis *a, size_t i, int64_t begin, int64_t end, int process,
                        int from)
{
    const obt_step *s = &a->path[i];
    assert_int_equal(s->begin, begin);
    assert_int_equal(s->end, end);
    assert_int_equal(a->trace->processes[s->process].id, process);
    assert_int_equal(s->from == UINT32_MAX ? -1 : a->trace->processes[s->from].id, from);
}

/* From the end of 2 back over both messages to the begin of 0. */
static void test_the_path_goes_along_messages(void **state)
{
    obt_trace *t = chain();
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->path_count, 5);
    assert_step(a, 0, 170, 200, 2, -1);
    assert_step(a, 1, 150, 170, 2, 1);
    assert_step(a, 2, 110, 150, 1, -1);
    assert_step(a, 3, 100, 110, 1, 0);
    assert_step(a, 4, 0, 100, 0, -1);
    assert_int_equal(a->path_message, 30);
    assert_int_equal(a->sums[0].on_path, 100);
    assert_int_equal(a->sums[1].on_path, 40);
    assert_int_equal(a->sums[2].on_path, 30);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* A sentence of the summary that begins so; NULL: none. */
static const char *said(const obt_analysis *a, const char *begin)
{
    for (size_t i = 0; i < a->text_count; i++)
        if (strncmp(a->texts[i], begin, strlen(begin)) == 0)
            return a->texts[i];
    return NULL;
}

/* Of 320 ns of computing these had processors for 30, 110 (it computed for 110) and, of 30, more
 * than that (threads): 150 are missing, 47 %. */
static void test_computing_without_a_processor(void **state)
{
    static const int64_t used[][3] = {
        {0, 0, 0}, {180, 110, 30}, {900, 900, 900}, {160, 109, 30}, {30, 110, 90}};
    for (int i = 0; i < 5; i++) {
        obt_trace *t = chain();
        for (int p = 0; p < 3; p++)
            t->processes[obt_find_process(t, p)].processor = used[i][p];
        obt_analysis *a = obt_analyse(t);
        const char *text = said(a, "At least ");
        assert_int_equal(text != NULL, i == 4);
        assert_int_equal(said(a, "Try to send earlier") != NULL, i != 4);
        assert_int_equal(said(a, "Try as many processes") != NULL, i == 4);
        if (text)
            assert_non_null(strstr(text, "At least 47 % of the computing is none"));
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

/* A message that was there before its receiver came decides nothing. */
static void test_the_path_stays_where_nothing_was_late(void **state)
{
    obt_trace *t = obt_trace_new("early message");
    mark(t, 0, 0);
    send(t, 10, 0, 1, 8);
    mark(t, 60, 0);
    mark(t, 0, 1);
    receive(t, 50, 55, 1, 0, 8);
    mark(t, 100, 1);
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->path_count, 1);
    assert_step(a, 0, 0, 100, 1, -1);
    assert_int_equal(a->path_message, 0);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Two that wait for each other at the same moment: the path ends all the same.
 */
static void test_the_path_ends_in_a_circle(void **state)
{
    obt_trace *t = obt_trace_new("circle");
    for (int p = 0; p < 2; p++) {
        mark(t, 0, p);
        const int64_t other = 1 - p;
        obt_add(t, 50, p, OBT_WAIT_BEGIN, &other, 1);
        obt_add(t, 100, p, OBT_WAIT_END, &other, 1);
    }
    obt_analysis *a = obt_analyse(t);
    assert_in_range(a->path_count, 1, 8);
    for (size_t i = 1; i < a->path_count; i++)
        assert_true(a->path[i].end <= a->path[i - 1].begin || a->path[i - 1].from != UINT32_MAX);
    obt_analysis_free(a);
    obt_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_processes),
        cmocka_unit_test(test_pairs_and_lengths),
        cmocka_unit_test(test_how_many_compute_at_a_time),
        cmocka_unit_test(test_rows_of_routines),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_sums_do_not_overflow),
        cmocka_unit_test(test_the_path_goes_along_messages),
        cmocka_unit_test(test_computing_without_a_processor),
        cmocka_unit_test(test_the_path_stays_where_nothing_was_late),
        cmocka_unit_test(test_the_path_ends_in_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
