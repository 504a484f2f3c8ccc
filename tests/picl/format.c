/* Every record of section 6 in both formats, letter for letter. */
#include <stdio.h>
#include <string.h>

#include "picl.h"

static int passed, failed;

static void expect(int type, int node, int64_t us, int count, const int64_t *a, const char *verbose,
                   const char *compact)
{
    int64_t room[12] = {0};
    char line[400];
    memcpy(room, a, (size_t)count * sizeof *a);
    const char *wanted[2] = {compact, verbose};
    for (int v = 0; v < 2; v++) {
        FILE *out = fmemopen(line, sizeof line, "w");
        ob_picl_put(out, v, type, us * 1000, node, room, count, (const char *)room);
        fclose(out);
        line[strcspn(line, "\n")] = line[strcspn(line, "\n") + 1] ? '?' : '\0';
        int right = strcmp(line, wanted[v]) == 0;
        passed += right;
        failed += !right;
        if (!right)
            printf("FAIL: '%s'\n  not '%s'\n", line, wanted[v]);
    }
}

#define A(...)                                                                                     \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[])                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

int main(void)
{
    const int64_t none[1] = {0};
    int64_t text[4] = {0};
    expect(PICL_TRACE_START, 17, 0, A(0, 0, 0),
           "trace_start clock 0 0 node 17 event 0 compstats 0 commstats 0", "1 0 0 17 0 0 0");
    expect(PICL_OPEN, -32768, 1000, A(64), "open clock 0 1000 node -32768 allocating 64 processors",
           "2 0 1000 -32768 64");
    expect(PICL_OPEN, 24, 329, 0, none, "open clock 0 329 node 24", "2 0 329 24");
    expect(PICL_LOAD, -32768, 2000, A(23), "load clock 0 2000 node -32768 loading node 23",
           "3 0 2000 -32768 23");
    expect(PICL_SEND, 12, 2524347, A(-32768, 8, 256),
           "send clock 2 524347 node 12 to -32768 type 8 lth 256", "4 2 524347 12 -32768 8 256");
    expect(PICL_RECV, 63, 24772354, A(0, 16, 329),
           "recv clock 24 772354 node 63 from 0 type 16 lth 329", "6 24 772354 63 0 16 329");
    expect(PICL_RECV_BLOCKING, -32768, 14897000, A(0),
           "recv_blocking clock 14 897000 node -32768 type 0", "7 14 897000 -32768 0");
    expect(PICL_RECV_WAKING, -32768, 15145000, A(0, 0, 420),
           "recv_waking clock 15 145000 node -32768 from 0 type 0 lth 420",
           "8 15 145000 -32768 0 0 420");
    expect(PICL_MESSAGE, 56, 986454, 0, none, "message clock 0 986454 node 56", "9 0 986454 56");
    expect(PICL_SYNC, 15, 429000616, 0, none, "sync clock 429 616 node 15", "10 429 616 15");
    expect(PICL_COMPSTATS, 23, 4066978, A(2997566000, 1069412000),
           "compstats clock 4 66978 node 23 busy 2 997566 idle 1 69412", "11 4 66978 23 1 69412");
    expect(PICL_COMMSTATS, 1, 18445645, A(202, 20556, 109, 4056, 39),
           "commstats clock 18 445645 node 1 received 202 volume 20556 sent 109 volume 4056 "
           "probed 39",
           "12 18 445645 1 202 20556 109 4056 39");
    expect(PICL_CLOSE, 3, 13534666, 0, none, "close clock 13 534666 node 3", "13 13 534666 3");
    expect(PICL_TRACE_LEVEL, 6, 3000011, A(3, 3, 3),
           "trace_level clock 3 11 node 6 event 3 compstats 3 commstats 3", "14 3 11 6 3 3 3");
    expect(PICL_TRACE_MARK, 22, 3215465799, A(67), "trace_mark clock 3215 465799 node 22 type 67",
           "15 3215 465799 22 67");
    expect(PICL_TRACE_STOP, 2, 15333453, 0, none,
           "trace_stop clock 15 333453 node 2 : ran out of memory", "17 15 333453 2");
    expect(PICL_TRACE_FLUSH, 77, 82990361, A(13006645000),
           "trace_flush clock 82 990361 node 77 finished 13 6645", "18 82 990361 77 13 6645");
    expect(PICL_TRACE_EXIT, 8, 25442678, A(145024),
           "trace_exit clock 25 442678 node 8 space 145024", "19 25 442678 8 145024");
    expect(PICL_BLOCK_BEGIN, 8, 33000111, A(3, 41, 0),
           "block_begin clock 33 111 node 8 block_type 3 location_type 41 parameter_type 0",
           "20 33 111 8 3 41 0");
    expect(PICL_BLOCK_END, 8, 33000844, A(3, 41, 0),
           "block_end clock 33 844 node 8 block_type 3 location_type 41 parameter_type 0",
           "21 33 844 8 3 41 0");
    memcpy(text, "This is a test of tracemsg.", 27);
    expect(PICL_TRACE_MESSAGE, 10, 514332, 4, text,
           "trace_message clock 0 514332 node 10 This is a test of tracemsg.",
           "16 0 514332 10 This is a test of tracemsg.");
    const int bad[] = {0, 22, -3};
    for (int i = 0; i < 3; i++)
        passed += ob_picl_record_of(bad[i]) == NULL ? 1 : (failed++, 0);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
