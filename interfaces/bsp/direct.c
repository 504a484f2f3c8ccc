/*
 * Reading another process's registered memory in the midst of a superstep (bsp_direct_get of
 * MulticoreBSP for C), without that process: through the kernel, on one node of Linux.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "hooks/hash.h"
#include "hooks/reach.h"
#include "machine.h"

/* What the others need to read from a process. */
struct bspm_card {
    int64_t process;
    const bsp_machine *machine;
    uint64_t node;
};

/* Of the machine and the name space of process numbers. */
static uint64_t number_of_node(void)
{
    char text[128] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, 64), more;
    if (file >= 0)
        close(file);
    got = got > 0 ? got : 0;
    more = readlink("/proc/self/ns/pid", text + got, sizeof text - (size_t)got);
    return ob_hash_bytes(OB_HASH, text, (size_t)(got + (more > 0 ? more : 0)));
}

void bspm_open_direct(bsp_machine *m, const char *routine)
{
    bspm_card *card = bspm_more(m, NULL, (size_t)m->size, sizeof *card);
    card[m->me] = (bspm_card){getpid(), m, number_of_node()};
    ob_pieces pieces = {.base = card, .type = OB_BYTE, .count = sizeof *card};
    if (m->size > 1)
        bspm_check(m, routine, ob_collect(m->group, &pieces, NULL));
    m->card = card;
    ob_reach_open();
}

/* Bytes of that process's memory, at an address of its own. */
static void read_from(const bsp_machine *m, const char *routine, int pid, void *to,
                      const void *from, size_t bytes)
{
    for (size_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < OB_REACH_BYTES ? bytes - done : OB_REACH_BYTES;
        struct iovec here = {(char *)to + done, step};
        struct iovec there = {(char *)(uintptr_t)from + done, step};
        if (!ob_reach(false, (int)m->card[pid].process, &here, 1, &there, 1, step))
            bspm_fault(m, routine, "OB-6010 process %d's memory cannot be read: %s; use bsp_get",
                       pid, strerror(errno));
    }
}

/* The process's slot, once it has come out of the sync before. It cannot go into the next without
 * us. The word that says so is read alone, and the rest behind it (acquire, of bspm_sync's
 * release): what is read in one piece is of no one moment. */
static bspm_slot slot_there(const bsp_machine *m, const char *routine, int pid, long slot)
{
    const bsp_machine *there = m->card[pid].machine; /* an address of that process */
    const bspm_slot *slots;
    bspm_slot s;
    size_t finished;
    while (read_from(m, routine, pid, &finished, &there->finished, sizeof finished),
           finished != m->finished)
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    read_from(m, routine, pid, &slots, &there->registry.slot, sizeof slots);
    read_from(m, routine, pid, &s, slots + slot, sizeof s);
    return s;
}

void bspm_direct_get(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                     void *dst, size_t bytes)
{
    if (!bspm_check_request(m, routine, pid, dst, offset, bytes))
        return;
    long slot = bspm_slot_of(m, routine, src);
    if (m->card[pid].node != m->card[m->me].node)
        bspm_fault(
            m, routine,
            "OB-6010 process %d is on another node, where memory cannot be read so; use bsp_get",
            pid);
    bspm_slot s = pid == m->me ? m->registry.slot[slot] : slot_there(m, routine, pid, slot);
    if (offset > s.size || bytes > s.size - offset)
        bspm_fault(m, routine,
                   "OB-6007 %zu bytes at offset %zu do not fit into the %zu bytes that process %d "
                   "has registered",
                   bytes, offset, s.size, pid);
    if (pid == m->me)
        memmove(dst, s.base + offset, bytes);
    else
        read_from(m, routine, pid, dst, s.base + offset, bytes);
}
