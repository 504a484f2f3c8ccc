/* Output streams: lines stay whole whatever pieces they come in, and nothing gets lost at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "launch/stream.h"
#include "unit.h"

enum { LONGEST = 300000 };

/* What the stream passed on: the bytes, and how many calls they came in. */
static char heard[2 * LONGEST];
static size_t heard_bytes;
static int calls, heard_number, heard_stream;

static void hear(void *context, int number, int stream, const char *text, size_t bytes)
{
    assert_ptr_equal(context, &calls);
    assert_true(heard_bytes + bytes < sizeof heard);
    memcpy(heard + heard_bytes, text, bytes);
    heard_bytes += bytes;
    heard[heard_bytes] = 0;
    heard_number = number;
    heard_stream = stream;
    calls++;
}

static int writer;

static ob_stream open_stream(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    writer = ends[1];
    heard_bytes = 0;
    heard[0] = 0;
    calls = 0;
    return (ob_stream){.fd = ends[0], .output = hear, .context = &calls, .number = 7, .stream = 1};
}

static void put(const char *text)
{
    assert_int_equal(write(writer, text, strlen(text)), strlen(text));
}

static void a_line_in_pieces_comes_out_whole(void **state)
{
    ob_stream s = open_stream();
    put("one ");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    put("two");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_int_equal(calls, 0);
    put(" three\n");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_string_equal(heard, "one two three\n");
    assert_int_equal(calls, 1);
    assert_int_equal(heard_number, 7);
    assert_int_equal(heard_stream, 1);
    close(writer);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_int_equal(calls, 1);
}

static void whole_lines_go_out_and_the_begun_one_waits(void **state)
{
    ob_stream s = open_stream();
    put("a\n\nb\nbeg");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_string_equal(heard, "a\n\nb\n");
    assert_int_equal(calls, 1);
    put("un\n");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_string_equal(heard, "a\n\nb\nbegun\n");
    put("\n");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_string_equal(heard, "a\n\nb\nbegun\n\n");
    close(writer);
    ob_stream_close(&s);
}

static void a_begun_line_comes_out_at_the_end(void **state)
{
    ob_stream s = open_stream();
    put("done\nand the rest");
    close(writer);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_string_equal(heard, "done\n");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_string_equal(heard, "done\nand the rest");
    assert_int_equal(s.fd, -1);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_int_equal(calls, 2);
}

static void an_empty_stream_is_no_end(void **state)
{
    ob_stream s = open_stream();
    assert_int_equal(ob_stream_read(&s), OB_STREAM_EMPTY);
    put("x");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_EMPTY);
    assert_int_equal(calls, 0);
    close(writer);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_string_equal(heard, "x");
}

static void what_cannot_be_read_is_told_behind_the_begun_line(void **state)
{
    ob_stream s = open_stream();
    put("done\nbeg");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_int_equal(dup2(writer, s.fd), s.fd); /* of which nobody reads */
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_string_equal(heard,
                        "done\nbeg\nOpenBLACS: the rest of process 7's output cannot be read: "
                        "Bad file descriptor\n");
    assert_int_equal(s.fd, -1);
    close(writer);
}

/* Much longer than one read, and each piece ends at another place. */
static void a_line_longer_than_a_pipe_stays_whole(void **state)
{
    static char line[LONGEST + 2];
    ob_stream s = open_stream();
    for (size_t i = 0; i < LONGEST; i++)
        line[i] = (char)('a' + i % 23);
    line[LONGEST - 1] = '\n';
    strcpy(line + LONGEST, "z");
    for (size_t at = 0, step = 1; at <= LONGEST; step = step % 50000 + 9973) {
        size_t left = LONGEST + 1 - at;
        ssize_t put = write(writer, line + at, step < left ? step : left);
        if (put > 0)
            at += (size_t)put;
        else
            assert_int_equal(errno, EAGAIN);
        assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    }
    while (ob_stream_read(&s) == OB_STREAM_MORE)
        ;
    assert_int_equal(calls, 1);
    assert_int_equal(heard_bytes, LONGEST);
    assert_memory_equal(heard, line, LONGEST);
    close(writer);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_int_equal(heard_bytes, LONGEST + 1);
}

/* A descendant may hold the other end for ever. */
static void closing_takes_what_has_come_and_waits_for_no_end(void **state)
{
    static char block[60000];
    ob_stream s = open_stream();
    memset(block, 'x', sizeof block - 1);
    put(block);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    put("last\nwords");
    ob_stream_close(&s);
    assert_int_equal(s.fd, -1);
    assert_null(s.kept);
    assert_int_equal(heard_bytes, sizeof block - 1 + 10);
    assert_string_equal(heard + sizeof block - 1, "last\nwords");
    int before = calls;
    ob_stream_close(&s);
    assert_int_equal(calls, before);
    close(writer);
}

static void without_a_listener_the_process_is_read_all_the_same(void **state)
{
    ob_stream s = open_stream();
    s.output = NULL;
    put("to nobody\nat all");
    assert_int_equal(ob_stream_read(&s), OB_STREAM_MORE);
    assert_int_equal(s.used, 6);
    close(writer);
    assert_int_equal(ob_stream_read(&s), OB_STREAM_END);
    assert_int_equal(calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_in_pieces_comes_out_whole),
        cmocka_unit_test(whole_lines_go_out_and_the_begun_one_waits),
        cmocka_unit_test(a_begun_line_comes_out_at_the_end),
        cmocka_unit_test(an_empty_stream_is_no_end),
        cmocka_unit_test(what_cannot_be_read_is_told_behind_the_begun_line),
        cmocka_unit_test(a_line_longer_than_a_pipe_stays_whole),
        cmocka_unit_test(closing_takes_what_has_come_and_waits_for_no_end),
        cmocka_unit_test(without_a_listener_the_process_is_read_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
