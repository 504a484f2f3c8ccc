/*
 * The heap of a segment: sizes, limits, reuse whatever the order of freeing,
 * and memory that is really given back (counted by the kernel, st_blocks).
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node/thread_team.h"
#include "unit.h"

enum { MIB = 1 << 20 };

static ob_segments memory;
static ob_heap heap;

static void open_heap(size_t segment_bytes, size_t limit)
{
    assert_int_equal(ob_segments_create(&memory, 1, segment_bytes), OB_OK);
    ob_heap_open(&heap, ob_segments_header(&memory, 0), memory.fd, 0, limit);
}

static void close_heap(void)
{
    ob_segments_close(&memory);
}

static char *bytes_of(ob_block *block)
{
    return (char *)block + OB_BLOCK_DATA;
}

static size_t resident(void)
{
    struct stat s;
    assert_int_equal(fstat(memory.fd, &s), 0);
    return (size_t)s.st_blocks * 512;
}

/* Does the system give memory of a file back? An emulator's says so and does not. */
static bool memory_comes_back(void)
{
    enum { ENOUGH = 4 * MIB };
    int fd = ob_memfile_create(ENOUGH);
    struct stat s;
    char *at = ob_memfile_map(fd, 0, ENOUGH);
    assert_non_null(at);
    memset(at, 1, ENOUGH);
    madvise(at, ENOUGH, MADV_REMOVE);
    assert_int_equal(fstat(fd, &s), 0);
    ob_memfile_unmap(at, ENOUGH);
    close(fd);
    return s.st_blocks == 0;
}

/* A block holds what was asked for, starts on a cache line and wastes at most
 * a quarter. Zero bytes are fine. */
static void test_sizes(void **unused)
{
    open_heap((size_t)512 * MIB, 0);
    for (size_t bytes = 0; bytes < (size_t)30 * MIB; bytes = bytes * 9 / 8 + 1) {
        size_t before = heap.in_use;
        ob_block *b = ob_heap_take(&heap, bytes);
        assert_non_null(b);
        assert_int_equal((uintptr_t)b % 64, 0);
        assert_int_equal(atomic_load(&b->readers), 1);
        size_t cost = heap.in_use - before;
        assert_true(cost >= bytes + OB_BLOCK_DATA);
        assert_true(cost <= 4096 || cost <= (bytes + OB_BLOCK_DATA) * 5 / 4 + 1024);
        memset(bytes_of(b), 0x5a, bytes);
        ob_block_done(b);
        ob_heap_trim(&heap);
        assert_int_equal(heap.in_use, 0);
    }
    close_heap();
}

/* No loop over them, each of whose reads is a call under a sanitizer. */
static bool all_are(char c, const char *bytes, size_t count)
{
    return count == 0 || (bytes[0] == c && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Two blocks never share a byte. */
static void test_disjoint(void **unused)
{
    enum { COUNT = 400 };
    static ob_block *block[COUNT];
    static size_t size[COUNT];
    uint64_t rng = 5;
    open_heap((size_t)256 * MIB, 0);
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < COUNT; k++) {
            if (block[k])
                continue;
            size[k] = team_draw(&rng) % 60000;
            assert_non_null(block[k] = ob_heap_take(&heap, size[k]));
            memset(bytes_of(block[k]), k & 0xff, size[k]);
        }
        for (int k = 0; k < COUNT; k++) {
            if (!all_are((char)(k & 0xff), bytes_of(block[k]), size[k]))
                fail_msg("round %d: block %d", round, k);
            if (team_draw(&rng) % 2) {
                ob_block_done(block[k]);
                block[k] = NULL;
            }
        }
    }
    memset(block, 0, sizeof block);
    close_heap();
}

static void test_limit(void **unused)
{
    ob_block *block[64];
    int count = 0;
    open_heap((size_t)64 * MIB, 8 * MIB);
    while (count < 64 && (block[count] = ob_heap_take(&heap, MIB - OB_BLOCK_DATA)))
        count++;
    assert_int_equal(count, 8);
    assert_int_equal(heap.in_use, 8 * MIB);
    assert_null(ob_heap_take(&heap, 1));
    ob_block_done(block[3]);
    assert_non_null(block[3] = ob_heap_take(&heap, MIB / 2));
    assert_non_null(ob_heap_take(&heap, 1));
    assert_null(ob_heap_take(&heap, MIB));
    assert_true(heap.in_use <= 8 * MIB);
    close_heap();
}

/* To its last byte. */
static void test_the_whole_segment(void **unused)
{
    int count = 0;
    open_heap((size_t)8 * MIB, 0);
    while (count < 64 && ob_heap_take(&heap, MIB - OB_BLOCK_DATA))
        count++;
    assert_int_equal(count, 8);
    close_heap();
}

/* More than the segment, more than any class. */
static void test_impossible(void **unused)
{
    static const size_t sizes[] = {(size_t)65 * MIB, (size_t)1 << 36, (size_t)1 << 47,
                                   SIZE_MAX / 2};
    open_heap((size_t)64 * MIB, 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        assert_null(ob_heap_take(&heap, sizes[k]));
    assert_int_equal(heap.in_use, 0);
    assert_non_null(ob_heap_take(&heap, MIB));
    close_heap();
}

/* A block freed and taken again costs no new memory. */
static void test_reuse(void **unused)
{
    open_heap((size_t)64 * MIB, 0);
    for (int k = 0; k < 1000; k++) {
        ob_block *b = ob_heap_take(&heap, 100000 + (size_t)k % 3);
        assert_non_null(b);
        ob_block_done(b);
    }
    assert_true(heap.segment->heap_used <= 2 * 131072);
    close_heap();
}

/* Regression: a request went to a free block of a larger class without asking
 * whether that still keeps within the limit. */
static void test_larger_block_keeps_the_limit(void **unused)
{
    open_heap(16 * MIB, 12 * MIB);
    ob_block *large = ob_heap_take(&heap, 8 * MIB - OB_BLOCK_DATA);
    assert_non_null(large);
    for (int k = 0; k < 2; k++)
        assert_non_null(ob_heap_take(&heap, MIB));
    ob_block_done(large);
    ob_heap_trim(&heap);
    while (ob_heap_take(&heap, MIB / 2))
        assert_true(heap.in_use <= 12 * MIB);
    assert_true(heap.in_use <= 12 * MIB);
    close_heap();
}

/* As long as the segment has room behind the limit, sizes that follow each
 * other each find the whole limit. */
static void test_every_size_finds_the_limit(void **unused)
{
    open_heap((size_t)256 * MIB, 4 * MIB);
    for (size_t bytes = 5000; bytes < 3 * MIB; bytes += bytes / 3) {
        ob_block *block[1000];
        int count = 0;
        while ((block[count] = ob_heap_take(&heap, bytes)))
            count++;
        assert_true((size_t)count * (bytes + bytes / 3) > 2 * MIB);
        while (count--)
            ob_block_done(block[count]);
    }
    close_heap();
}

/* 10 000 blocks freed in a random order are all found again, and memory
 * comes back but for the page of each that holds its links. */
static void test_many_out_of_order(void **unused)
{
    enum { MOST = 10000 };
    static ob_block *block[MOST];
    size_t bytes = 5 * ob_memfile_page() - OB_BLOCK_DATA;
    int count = (int)(MOST * (size_t)4096 / ob_memfile_page());
    uint64_t rng = 99;
    open_heap((size_t)1024 * MIB, 0);
    for (int k = 0; k < count; k++) {
        assert_non_null(block[k] = ob_heap_take(&heap, bytes));
        memset(bytes_of(block[k]), 1, bytes);
    }
    size_t full = resident(), carved = heap.segment->heap_used;
    assert_true(full >= (size_t)count * bytes);
    for (int k = count - 1; k > 0; k--) {
        int other = (int)(team_draw(&rng) % (uint64_t)(k + 1));
        ob_block *b = block[k];
        block[k] = block[other];
        block[other] = b;
    }
    for (int k = 0; k < count; k++)
        ob_block_done(block[k]);
    ob_heap_trim(&heap);
    assert_int_equal(heap.in_use, 0);
    assert_true(resident() < full / 4 || !memory_comes_back());
    for (int k = 0; k < count; k++)
        assert_non_null(ob_heap_take(&heap, bytes));
    assert_int_equal(heap.segment->heap_used, carved);
    close_heap();
}

/* Blocks that begin anywhere in a page give each page back that is theirs alone behind the links:
 * of four blocks of 7/4 pages, 3 pages of 7. Those at the blocks' ends, which others have, too,
 * keep what stands in them. */
static void test_blocks_across_pages(void **unused)
{
    enum { COUNT = 400 };
    static ob_block *block[COUNT];
    size_t bytes = ob_memfile_page() / 4 * 7 - OB_BLOCK_DATA;
    if (!memory_comes_back())
        skip();
    open_heap((size_t)256 * MIB, 0);
    size_t empty = resident();
    for (int k = 0; k < COUNT; k++) {
        assert_non_null(block[k] = ob_heap_take(&heap, bytes));
        memset(bytes_of(block[k]), k & 0xff, bytes);
    }
    size_t full = resident() - empty;
    for (int k = 0; k < COUNT; k++)
        if (k % 16)
            ob_block_done(block[k]);
    ob_heap_trim(&heap);
    assert_true(resident() - empty < full / 3 * 2);
    for (int k = 0; k < COUNT; k += 16)
        if (!all_are((char)(k & 0xff), bytes_of(block[k]), bytes))
            fail_msg("block %d", k);
    close_heap();
}

/* Large blocks are given back at once beyond what is worth keeping, and all of
 * them by a trim. */
static void test_memory_returns(void **unused)
{
    enum { COUNT = 40 };
    ob_block *block[COUNT];
    if (!memory_comes_back())
        skip();
    open_heap((size_t)1024 * MIB, 0);
    size_t empty = resident();
    for (int k = 0; k < COUNT; k++) {
        assert_non_null(block[k] = ob_heap_take(&heap, 8 * MIB));
        memset(bytes_of(block[k]), 1, 8 * MIB);
    }
    assert_true(resident() - empty >= (size_t)COUNT * 8 * MIB);
    for (int k = 0; k < COUNT; k++)
        ob_block_done(block[k]);
    for (int k = 0; k < COUNT; k++) /* each take collects a few */
        ob_block_done(ob_heap_take(&heap, 1));
    assert_true(resident() - empty <= (size_t)140 * MIB);
    ob_heap_trim(&heap);
    assert_true(resident() - empty <= MIB + COUNT * ob_memfile_page());
    ob_block *again = ob_heap_take(&heap, 8 * MIB);
    assert_non_null(again);
    memset(bytes_of(again), 2, 8 * MIB);
    close_heap();
}

/* What was freed in other sizes does not cost a size in use its memory: it did, and a
 * broadcast of 4 MiB to eight processes then fetched its pages anew every time. */
static void test_size_in_use_stays_warm(void **unused)
{
    enum { OLD = 30, PIECES = 24, TURNS = 20 };
    ob_block *old[OLD], *piece[PIECES];
    open_heap((size_t)1024 * MIB, 0);
    for (int k = 0; k < OLD; k++) {
        assert_non_null(old[k] = ob_heap_take(&heap, 4 * MIB));
        memset(bytes_of(old[k]), 1, 4 * MIB);
    }
    for (int k = 0; k < OLD; k++)
        ob_block_done(old[k]);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < PIECES; k++) {
            assert_non_null(piece[k] = ob_heap_take(&heap, MIB));
            memset(bytes_of(piece[k]), 2, MIB);
        }
        size_t before = resident();
        for (int k = 0; k < PIECES; k++)
            ob_block_done(piece[k]);
        for (int k = 0; k < PIECES + OLD; k++) /* each take collects a few */
            ob_block_done(ob_heap_take(&heap, 1));
        if (turn)
            assert_int_equal(resident(), before);
        assert_true(heap.kept <= (size_t)128 * MIB);
    }
    close_heap();
}

/* The cost of a block does not grow with the number that is out. */
static void test_cost_is_flat(void **unused)
{
    enum { FEW = 100, MANY = 20000, TAKES = 20000 };
    double cost[2];
    static const int out[2] = {FEW, MANY};
    open_heap((size_t)1024 * MIB, 0);
    ob_block *warm[64];
    for (int k = 0; k < 64; k++)
        warm[k] = ob_heap_take(&heap, 5000);
    for (int k = 0; k < 64; k++)
        ob_block_done(warm[k]);
    for (int round = 0, have = 0; round < 2; round++) {
        for (; have < out[round]; have++)
            assert_non_null(ob_heap_take(&heap, 100));
        /* The least of some: on a busy machine the kernel's own work counts, too. */
        for (int again = 0; again < 5; again++) {
            double before = ob_cpu_time();
            for (int k = 0; k < TAKES; k++)
                ob_block_done(ob_heap_take(&heap, 100));
            double took = ob_cpu_time() - before;
            cost[round] = again == 0 || took < cost[round] ? took : cost[round];
        }
    }
    /* Twenty times is far from the two hundred of a search. */
    if (cost[1] > 20 * cost[0] + 0.05)
        fail_msg("%d takes: %g s with %d blocks out, %g s with %d", TAKES, cost[0], FEW, cost[1],
                 MANY);
    close_heap();
}

/* A second owner of the segment (a later program of one script) leaves the
 * blocks of the first alone. */
static void test_successor(void **unused)
{
    open_heap((size_t)64 * MIB, 0);
    ob_block *first = ob_heap_take(&heap, 10000);
    memset(bytes_of(first), 7, 10000);
    ob_heap_open(&heap, ob_segments_header(&memory, 0), memory.fd, 0, 0);
    for (int k = 0; k < 100; k++) {
        ob_block *b = ob_heap_take(&heap, 10000);
        memset(bytes_of(b), 8, 10000);
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(bytes_of(first)[i], 7);
    close_heap();
}

static int refuse;

/* In place of the C library's. */
int madvise(void *start, size_t bytes, int advice)
{
    if (advice == 23 && refuse) { /* MADV_POPULATE_WRITE */
        errno = refuse;
        return -1;
    }
    return (int)syscall(SYS_madvise, start, bytes, advice);
}

/* Memory that the system refuses is no full heap: nobody waits for receivers, and the reason is
 * known. A block that was given back keeps its links when its memory cannot be fetched again. */
static void test_refused_memory(void **unused)
{
    open_heap((size_t)64 * MIB, 0);
    ob_block *first = ob_heap_take(&heap, MIB), *second = ob_heap_take(&heap, MIB);
    ob_block_done(first);
    ob_block_done(second);
    ob_heap_trim(&heap);
    heap.patience_ms = 1000 * 1000;
    refuse = ENOSPC;
    assert_null(ob_heap_wait(&heap, MIB));
    assert_int_equal(ob_heap_refused(&heap), ENOSPC);
    assert_null(ob_heap_wait(&heap, 10));
    refuse = 0;
    ob_block *a = ob_heap_wait(&heap, MIB), *b = ob_heap_wait(&heap, MIB);
    assert_true((a == first && b == second) || (a == second && b == first));
    assert_int_equal(ob_heap_refused(&heap), 0);
    close_heap();
}

/* A small limit makes small mappings, which tools that read all of a process's memory need, with
 * room to spare; a limit beyond the machine's memory is taken as it is. */
static void test_mapping_follows_the_limit(void **unused)
{
    size_t all = ob_segment_heap(2, 0);
    assert_int_equal(all, ob_segment_default_heap(2));
    assert_int_equal(ob_segment_heap(2, MIB), 64 * MIB);
    assert_int_equal(ob_segment_heap(2, 16 * MIB), 256 * MIB);
    assert_int_equal(ob_segment_heap(2, all / 2), all);
    assert_int_equal(ob_segment_heap(2, 2 * all), 2 * all);
}

static void *take_and_free(void *p)
{
    uint64_t rng = (uintptr_t)p;
    ob_block *held[32] = {0};
    for (int k = 0; k < (TEAM_SLOW ? 3000 : 20000); k++) {
        unsigned slot = (unsigned)(team_draw(&rng) % 32);
        if (held[slot]) {
            TEAM_CHECK(*bytes_of(held[slot]) == (char)(slot + (unsigned)(uintptr_t)p),
                       "slot %u was overwritten", slot);
            ob_block_done(held[slot]);
        }
        held[slot] = ob_heap_take(&heap, team_draw(&rng) % 20000);
        TEAM_CHECK(held[slot], "no block");
        *bytes_of(held[slot]) = (char)(slot + (unsigned)(uintptr_t)p);
    }
    return NULL;
}

static void test_threads(void **unused)
{
    pthread_t thread[4];
    open_heap((size_t)256 * MIB, 0);
    for (uintptr_t k = 0; k < 4; k++)
        pthread_create(&thread[k], NULL, take_and_free, (void *)(k * 1000 + 1));
    for (int k = 0; k < 4; k++)
        pthread_join(thread[k], NULL);
    assert_int_equal(atomic_load(&team_failures), 0);
    close_heap();
}

static size_t spare;

static size_t told_spare(void)
{
    return spare;
}

/* A flood stops while the machine still has something; what was freed can be had again, and a
 * little can always be had. */
static void test_short_of_memory(void **unused)
{
    (void)unused;
    open_heap((size_t)512 * MIB, 0);
    heap.watch.spare = told_spare;
    spare = 0;
    ob_block *first = ob_heap_take(&heap, 30 * MIB);
    assert_non_null(first);
    assert_null(ob_heap_take(&heap, 60 * MIB));
    assert_true(ob_heap_scarce(&heap));
    assert_int_equal(ob_heap_refused(&heap), 0);
    spare = (size_t)200 * MIB;
    int more = 0;
    while (ob_heap_take(&heap, 30 * MIB)) {
        spare -= 32 * MIB;
        more++;
    }
    assert_in_range(more, 4, 7);
    assert_true(ob_heap_scarce(&heap));
    ob_block_done(first);
    assert_non_null(ob_heap_take(&heap, 30 * MIB));
    close_heap();
}

/* The user's word counts. */
static void test_limit_is_not_watched(void **unused)
{
    (void)unused;
    open_heap((size_t)512 * MIB, (size_t)400 * MIB);
    assert_null(heap.watch.spare);
    close_heap();
    open_heap((size_t)512 * MIB, 0);
    assert_ptr_equal(heap.watch.spare, ob_memory_spare);
    close_heap();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_disjoint),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_the_whole_segment),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_larger_block_keeps_the_limit),
        cmocka_unit_test(test_every_size_finds_the_limit),
        cmocka_unit_test(test_many_out_of_order),
        cmocka_unit_test(test_blocks_across_pages),
        cmocka_unit_test(test_memory_returns),
        cmocka_unit_test(test_size_in_use_stays_warm),
        cmocka_unit_test(test_cost_is_flat),
        cmocka_unit_test(test_successor),
        cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_mapping_follows_the_limit),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_short_of_memory),
        cmocka_unit_test(test_limit_is_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
