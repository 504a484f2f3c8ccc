/*
 * What the machine itself needs between two of its processors, just now: no library can be faster.
 * Two threads, one on each: the first writes every line of a buffer, the second copies it. Also a
 * flag's way from one to the other, and memcpy of what the same processor wrote. Some 100 ms.
 * floor [first second]: the processors; else the first two that this process may use. Prints lines
 * "work key microseconds": medians, and of a flag that of batches.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/processor.h"
#include "median.h"

enum { TURNS = 200, BATCHES = 21, MOST_TIMES = 41, LARGEST = 16 << 20 };

static const struct {
    const char *key;
    size_t bytes;
    int times;
} sizes[] = {{"4K", 4 << 10, 41},     {"16K", 16 << 10, 41}, {"64K", 64 << 10, 41},
             {"256K", 256 << 10, 31}, {"1M", 1 << 20, 21},   {"4M", 4 << 20, 9},
             {"16M", 16 << 20, 5}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static _Alignas(OB_LINE) atomic_int to_second;
static _Alignas(OB_LINE) atomic_int to_first;
static char *source, *target, *own;
static int second;

static void run_on(int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        fprintf(stderr, "floor: this process may not run on processor %d\n", processor);
        exit(1);
    }
}

/* Who looks without a pause slows the writer down. */
static void await(atomic_int *flag, int value)
{
    while (atomic_load_explicit(flag, memory_order_acquire) != value)
        ob_pause();
}

static void set(atomic_int *flag, int value)
{
    atomic_store_explicit(flag, value, memory_order_release);
}

static void write_lines(char *buffer, size_t bytes)
{
    for (size_t i = 0; i < bytes;
         i += 64) /* on a processor with shorter lines some are not written */
        buffer[i]++;
}

/* Copies, and sees to it that the compiler does. */
static double time_of_copy(char *to, const char *from, size_t bytes)
{
    double start = now_us();
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
    return now_us() - start;
}

/* The second answers flags, and copies what the first has written. */
static void *second_thread(void *unused)
{
    int turn = 0;
    run_on(second);
    memset(target, 2, LARGEST);
    for (int i = 0; i < BATCHES * TURNS; i++) {
        await(&to_second, ++turn);
        set(&to_first, turn);
    }
    for (int k = 0; k < SIZES; k++) {
        double times[MOST_TIMES];
        for (int i = 0; i < sizes[k].times; i++) {
            write_lines(target, sizes[k].bytes);
            await(&to_second, ++turn);
            times[i] = time_of_copy(target, source, sizes[k].bytes);
            set(&to_first, turn);
        }
        printf("floor/copy %s %.3f\n", sizes[k].key, median(times, sizes[k].times));
    }
    return unused;
}

static void first_thread(void)
{
    int turn = 0;
    double batch[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        double start = now_us();
        for (int i = 0; i < TURNS; i++) {
            set(&to_second, ++turn);
            await(&to_first, turn);
        }
        batch[b] = (now_us() - start) / TURNS / 2;
    }
    printf("floor/flag - %.4f\n", median(batch, BATCHES));
    for (int k = 0; k < SIZES; k++)
        for (int i = 0; i < sizes[k].times; i++) {
            write_lines(source, sizes[k].bytes);
            set(&to_second, ++turn);
            await(&to_first, turn);
        }
}

static void copy_alone(void)
{
    for (int k = 0; k < SIZES; k++) {
        double times[MOST_TIMES];
        for (int i = 0; i < sizes[k].times; i++) {
            write_lines(source, sizes[k].bytes);
            write_lines(own, sizes[k].bytes);
            times[i] = time_of_copy(own, source, sizes[k].bytes);
        }
        printf("floor/memcpy %s %.3f\n", sizes[k].key, median(times, sizes[k].times));
    }
}

/* The first two of those that may be used. */
static void find_two(int *processor)
{
    cpu_set_t allowed;
    int found = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        for (int p = 0; p < CPU_SETSIZE && found < 2; p++)
            if (CPU_ISSET(p, &allowed))
                processor[found++] = p;
    if (found < 2) {
        fputs("floor: needs two processors\n", stderr);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int processor[2];
    pthread_t thread;
    if (argc == 3) {
        processor[0] = atoi(argv[1]);
        processor[1] = atoi(argv[2]);
    } else {
        find_two(processor);
    }
    second = processor[1];
    run_on(processor[0]);
    source = aligned_alloc(4096, LARGEST);
    target = aligned_alloc(4096, LARGEST);
    own = aligned_alloc(4096, LARGEST);
    if (!source || !target || !own)
        return 1;
    memset(source, 1, LARGEST);
    memset(own, 3, LARGEST);
    if (pthread_create(&thread, NULL, second_thread, NULL) != 0)
        return 1;
    first_thread();
    pthread_join(thread, NULL);
    copy_alone();
    return 0;
}
