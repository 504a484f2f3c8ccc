/*
 * What differs from one kind of processor to the next stands here alone: the size of a cache line,
 * the pause of one who looks again, the wish to write, and the counter that stands for time. A kind
 * that is not named goes by what C and POSIX have.
 */
#ifndef OB_HOOKS_PROCESSOR_H
#define OB_HOOKS_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What different processes write lies so far apart, and a fragment of a channel takes as much
 * (node/channel.h). The most that caches of the kind move at once, so lines are never shared by
 * mistake: 64-bit ARM has 64 (Neoverse) and 128 (Apple, ThunderX); the one with 256 (A64FX) then
 * shares some, which costs time alone. It is no more than that, since rings and headers are made of
 * lines. */
#if defined(OB_LINE_BYTES) /* tests/run/ways.sh: the lines of another kind on this one */
enum { OB_LINE = OB_LINE_BYTES };
#elif defined(__s390x__)
enum { OB_LINE = 256 };
#elif defined(__aarch64__) || defined(__powerpc64__)
enum { OB_LINE = 128 };
#else
enum { OB_LINE = 64 };
#endif

/* Between two looks in vain: the processor's other thread, or its power supply, has the time. */
static inline void ob_pause(void)
{
#if defined(OB_PAUSE) /* tests/orders: a look in vain */
    OB_PAUSE();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    __asm__ volatile("yield");
#elif defined(__powerpc64__)
    __asm__ volatile("or 1,1,1\n\tor 2,2,2"); /* low priority, and the usual one again */
#elif defined(__riscv)
    __asm__ volatile(".4byte 0x0100000f"); /* `pause`; nothing where Zihintpause is missing */
#endif
}

/* The line is to be written soon: it may come from another processor's cache meanwhile. */
static inline void ob_want_to_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* ------------------------------------------------------------------ the counter
 *
 *  - x86-64: the time stamp counter. Even and alike on all processors where CPUID says "invariant
 *    TSC" (8000_0007h); Linux itself trusts it there. Older ones: the system's clock.
 *  - aarch64: CNTVCT_EL0, one system counter for all processors (Arm ARM, D11): always. 1 to
 *    1000 MHz.
 *  - ppc64: the time base, kept alike by firmware and Linux, 512 MHz since POWER6: always.
 *  - riscv64: `time`, alike to one tick on all harts (unprivileged ISA, 10.1): always. Often 1 to
 *    25 MHz only; the system's clock is made of it and has no finer steps.
 *  - s390x: STCKF, the time of day: alike on all processors, 4096 ticks a microsecond. A server
 *    time network may steer it.
 *  - others have none here: ob_counter_even says no.
 *
 * All but x86-64 are what the system's own clock is made of, so they are as good as that. */

#if defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__) ||                       \
    (defined(__riscv) && __riscv_xlen == 64) || defined(__s390x__)
#define OB_COUNTER 1

/* Does the counter stand for time on this machine? */
static inline bool ob_counter_even(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
    return true;
#endif
}

/* At the begin of an operation: nothing that follows can be seen by others before. */
static inline int64_t ob_counter_begin(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#elif defined(__powerpc64__)
    uint64_t ticks;
    __asm__ volatile("mfspr %0, 268\n\tisync" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#elif defined(__riscv)
    uint64_t ticks;
    __asm__ volatile("rdtime %0\n\tfence i, rw" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#else
    /* .insn: assemblers for the oldest processors do not know stckf. From 1970 on, or it were
     * negative. */
    uint64_t ticks;
    __asm__ volatile(".insn s, 0xb27c0000, %0" : "=Q"(ticks) : : "memory", "cc");
    return (int64_t)(ticks - UINT64_C(0x7d91048bca000000));
#endif
}

/* At its end: after all that comes before has been done. */
static inline int64_t ob_counter_end(void)
{
#if defined(__x86_64__)
    unsigned processor;
    return (int64_t)__builtin_ia32_rdtscp(&processor);
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#elif defined(__powerpc64__)
    uint64_t ticks;
    __asm__ volatile("sync\n\tmfspr %0, 268" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#elif defined(__riscv)
    uint64_t ticks;
    __asm__ volatile("fence rw, i\n\trdtime %0" : "=r"(ticks) : : "memory");
    return (int64_t)ticks;
#else
    return ob_counter_begin(); /* in order as it is */
#endif
}
#endif

#endif
