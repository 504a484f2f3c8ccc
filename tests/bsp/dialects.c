/*
 * A program in the types of MulticoreBSP for C and of BSPedupack 2, with what that library has
 * beyond the report: bsp_hpsend, bsp_direct_get.
 */
#define BSP_WIDE_TYPES
#include "harness.h"

static bsp_pid_t next_of(bsp_pid_t pid)
{
    return (pid + 1) % bsp_nprocs();
}

static void sizes_are_size_t(void)
{
    bsp_size_t size = 2, status = 0, bytes = 99;
    bsp_nprocs_t count = 99;
    void *tag_at, *payload_at;
    char tag[3] = "--", payload[5] = "----";
    bsp_set_tagsize(&size);
    check(size == 0, "the size before: %zu", size);
    bsp_sync();
    bsp_send(next_of(bsp_pid()), "ab", "1234", 4);
    bsp_hpsend(next_of(bsp_pid()), "cd", "567", 3);
    size = 0;
    bsp_set_tagsize(&size);
    check(size == 2, "the size set: %zu", size);
    bsp_sync();
    bsp_qsize(&count, &bytes);
    check(count == 2 && bytes == 7, "%u messages of %zu bytes", count, bytes);
    bsp_get_tag(&status, tag);
    bsp_move(payload, 4);
    check(status == 4 && !memcmp(tag, "ab", 2) && !memcmp(payload, "1234", 4), "%zu: %s %s", status,
          tag, payload);
    bsp_qsize(&count, &bytes);
    check(count == 1 && bytes == 3, "after a move: %u messages of %zu bytes", count, bytes);
    size = bsp_hpmove(&tag_at, &payload_at);
    check(size == 3 && !memcmp(tag_at, "cd", 2) && !memcmp(payload_at, "567", 3),
          "the second: %zu bytes", size);
    bsp_get_tag(&status, tag);
    size = bsp_hpmove(&tag_at, &payload_at);
    check(status == (bsp_size_t)-1 && size == (bsp_size_t)-1, "none is left: %zu %zu", status,
          size);
    bsp_sync();
}

/* What process k has, in the midst of the superstep in which it got it, and never what it had
 * before. */
static void direct_get_reads_at_once(void)
{
    int x[2] = {-1, -1}, y = -1;
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (int round = 0; round < 200; round++) {
        int mine[2] = {round, world.me};
        bsp_put(next_of(bsp_pid()), mine, x, 0, sizeof mine);
        bsp_sync();
        for (int k = 0; k < world.count; k++) {
            bsp_direct_get((bsp_pid_t)k, x, sizeof y, &y, sizeof y);
            int r = -1;
            bsp_direct_get((bsp_pid_t)k, x, 0, &r, sizeof r);
            if (!check(r == round && y == (k + world.count - 1) % world.count,
                       "round %d: process %d has %d of %d", round, k, y, r))
                return;
        }
    }
    bsp_pop_reg(x);
    bsp_sync();
}

int main(void)
{
    begin(1000);
    sizes_are_size_t();
    direct_get_reads_at_once();
    return finish();
}
