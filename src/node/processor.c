/*
 * Placing a thread on a processor, the Linux way: the scheduler leaves two
 * processes that wait for each other in turn on one processor, for it never finds both
 * ready to run, and does not look for an idle one when the machine is busy.
 */
#include "node/processor.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include "hooks/hash.h"
#include "node/near.h"
#include "node/shm.h"

int ob_processor_here(void)
{
    return sched_getcpu();
}

/* Mixes the line of a file in /proc/self that holds the mark (all lines hold "") into a hash. */
static uint64_t mix_line(uint64_t hash, const char *file, const char *mark)
{
    char line[512];
    FILE *in = fopen(file, "re");
    while (in && fgets(line, sizeof line, in))
        if (strstr(line, mark))
            hash = ob_hash_bytes(hash, strstr(line, mark), strlen(strstr(line, mark)));
    if (in)
        fclose(in);
    return hash;
}

uint64_t ob_processor_sharing(void)
{
    char on = '0';
    FILE *in = fopen("/proc/sys/kernel/sched_autogroup_enabled", "re");
    if (in && fread(&on, 1, 1, in) != 1)
        on = '0';
    if (in)
        fclose(in);
    /* The control group of version 1 that shares out processors, and that of version 2. */
    uint64_t hash = mix_line(1, "/proc/self/cgroup", ":cpu:");
    hash = mix_line(hash, "/proc/self/cgroup", ":cpu,");
    hash = mix_line(hash, "/proc/self/cgroup", "0::");
    return (on == '1' ? mix_line(hash, "/proc/self/autogroup", "") : hash) | 1;
}

uint64_t ob_processor_near(void)
{
    int processors[CPU_SETSIZE], count = 0;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) >= sysconf(_SC_NPROCESSORS_ONLN))
        return 0;
    for (int p = 0; p < CPU_SETSIZE; p++)
        if (CPU_ISSET(p, &allowed))
            processors[count++] = p;
    uint64_t place = ob_near_place("/sys/devices/system/cpu", processors, count);
    return count == 1 ? place | OB_NEAR_BOUND : place;
}

/* Of those the thread may use: the one on which the fewest awake processes of the job were last
 * seen, when that has fewer than ours without us; -1: none. */
static int emptier(const ob_shm *shm, const cpu_set_t *allowed, int here)
{
    unsigned short used[CPU_SETSIZE] = {0};
    int best = -1;
    for (int i = 0; i < shm->count; i++) {
        const ob_segment_header *h = shm->segment[i];
        if (h && h != shm->own && atomic_load_explicit(&h->asleep, memory_order_relaxed) == 0) {
            int at = atomic_load_explicit(&h->processor, memory_order_relaxed);
            if (at >= 0 && at < CPU_SETSIZE)
                used[at]++;
        }
    }
    for (int p = 0; p < CPU_SETSIZE; p++)
        if (CPU_ISSET(p, allowed) && used[p] < used[best < 0 ? here : best])
            best = p;
    return best;
}

static bool move_to(const ob_shm *shm, const cpu_set_t *allowed, int to)
{
    cpu_set_t one;
    /* Said before it is done, lest another of this processor run meanwhile and follow us. */
    atomic_store_explicit(&shm->own->processor, to, memory_order_relaxed);
    CPU_ZERO(&one);
    CPU_SET(to, &one);
    bool moved = sched_setaffinity(0, sizeof one, &one) == 0;
    return sched_setaffinity(0, sizeof *allowed, allowed) == 0 && moved;
}

bool ob_processor_move(const ob_shm *shm)
{
    cpu_set_t allowed;
    int here = ob_processor_here();
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    int to = emptier(shm, &allowed, here);
    return to >= 0 && move_to(shm, &allowed, to);
}

bool ob_processor_move_to(const ob_shm *shm, int processor)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_ISSET(processor, &allowed) &&
           move_to(shm, &allowed, processor);
}

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* Of two each, number i shares with i + processors - 1, the first with the last: where a grid's
 * sides are powers of two, never in one row or column (3 x 2 processes on three processors have
 * such). Of more to a processor there is mostly another that can run, and QR loses when they are
 * spread. */
int ob_processor_share(int i, int count, int processors)
{
    if (count == 2 * processors && is_power_of_two(processors))
        return (i + i / processors) % processors;
    return (int)((long)i * processors / count);
}

int ob_processor_place(int i, int count, int processors)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != processors)
        return -1;
    int skip = ob_processor_share(i, count, processors), p = 0;
    while (!CPU_ISSET(p, &allowed) || skip-- > 0)
        p++;
    return p;
}
