/* Segments in files of their own, as the processes of an MPI job make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "node/channel.h"
#include "node/shm.h"

enum { COUNT = 64 };

static void make(ob_shm *shm[COUNT])
{
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(ob_shm_create_own(&shm[i], COUNT, i, 1 << 20), 0);
}

static void destroy(ob_shm *shm[COUNT])
{
    for (int i = 0; i < COUNT; i++)
        ob_shm_destroy(shm[i]);
}

static long page_table_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *in = fopen("/proc/self/status", "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "VmPTE: %ld", &kib) == 1)
            break;
    if (in)
        fclose(in);
    return kib;
}

/* What a process sees of another is what that one sees of itself. */
static void header_channel_and_heap_are_the_owners(void **state)
{
    (void)state;
    ob_shm *shm[COUNT];
    make(shm);
    for (int other = 1; other < COUNT; other++) {
        assert_int_equal(ob_shm_attach(shm[0], other, ob_shm_fd(shm[other])), 0);
        ob_segment_header *own = shm[other]->own;
        shm[0]->segment[other]->stall_looks = 7 + (unsigned)other;
        assert_int_equal(own->stall_looks, 7 + other);
        ob_shm_channel(shm[0], other)->tail = 100 + (uint64_t)other;
        assert_int_equal(ob_segment_channel(own, 0)->tail, 100 + other);
        ob_block *block = ob_heap_take(&shm[other]->heap, 1000);
        assert_non_null(block);
        strcpy((char *)block + OB_BLOCK_DATA, "here");
        char *seen = ob_shm_whole(shm[0], other) + ob_heap_offset(&shm[other]->heap, block);
        assert_string_equal(seen + OB_BLOCK_DATA, "here");
    }
    destroy(shm);
}

/* What the mappings themselves cost while nobody looks at them: nothing, but an emulator notes each
 * page of them in memory of its own, whose page tables count, too. They stay, so that those that
 * follow get other addresses. */
static long untouched_kib(ob_shm *shm[COUNT], ob_segment_header *mapped[COUNT])
{
    long before = page_table_kib();
    for (int other = 1; other < COUNT; other++) {
        mapped[other] = ob_segment_map_foreign(ob_shm_fd(shm[other]), COUNT, other);
        assert_non_null(mapped[other]);
    }
    return page_table_kib() - before;
}

/* Each mapping of its own would need a page table for what is looked at, and one above it. */
static void those_met_share_page_tables(void **state)
{
    (void)state;
    ob_shm *shm[COUNT];
    ob_segment_header *mapped[COUNT];
    make(shm);
    for (int other = 1; other < COUNT; other++) /* theirs are there */
        memset(ob_segment_channel(shm[other]->own, 0), 0, sizeof(ob_channel));
    long untouched = untouched_kib(shm, mapped);
    long before = page_table_kib();
    for (int other = 1; other < COUNT; other++) {
        assert_int_equal(ob_shm_attach(shm[0], other, ob_shm_fd(shm[other])), 0);
        shm[0]->segment[other]->stall_looks = 1;
        ob_shm_channel(shm[0], other)->tail = 1;
    }
    long after = page_table_kib();
    if (before < 0)
        skip();
    assert_true(after >= before);
    assert_true(after - before - untouched <= COUNT);
    for (int other = 1; other < COUNT; other++)
        ob_memfile_unmap(mapped[other], mapped[other]->bytes);
    destroy(shm);
}

/* Each one that still lives looks up, and nothing behind them changes. */
static void who_goes_rings_all_others(void **state)
{
    (void)state;
    enum { FEW = 3, GONE = 1 };
    ob_segments s;
    unsigned before[FEW];
    char behind[sizeof(ob_segment_header)];
    assert_int_equal(ob_segments_create(&s, FEW, 1 << 20), 0);
    for (int i = 0; i < FEW; i++)
        before[i] = atomic_load(&ob_segments_header(&s, i)->bell);
    memcpy(behind, ob_segments_header(&s, FEW), sizeof behind);
    ob_segments_mark_gone(&s, GONE);
    for (int i = 0; i < FEW; i++)
        assert_int_equal(atomic_load(&ob_segments_header(&s, i)->bell) - before[i], i != GONE);
    assert_int_equal(atomic_load(&ob_segments_header(&s, GONE)->life), OB_LIFE_GONE);
    assert_memory_equal(behind, ob_segments_header(&s, FEW), sizeof behind);
    ob_segments_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_channel_and_heap_are_the_owners),
        cmocka_unit_test(those_met_share_page_tables),
        cmocka_unit_test(who_goes_rings_all_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
