/*
 * What the compiler and the linker lead here: each access to memory of code that was compiled with
 * -fsanitize=thread, and the calls to the C library and the system of all code (-Wl,--wrap).
 */
#include "hooks.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SITES = 512 };

const ex_plant *ex_planted;
ex_site ex_sites[SITES];
int ex_site_count, ex_model_number;

#define HERE __builtin_return_address(0)

/* ------------------------------------------------------------------ orders, weakened */

static ex_site *site_of(const void *place)
{
    for (int i = 0; i < ex_site_count; i++)
        if (ex_sites[i].place == place)
            return &ex_sites[i];
    if (ex_site_count == SITES) {
        fprintf(stderr, "orders: too many operations\n");
        abort();
    }
    ex_sites[ex_site_count].place = place;
    return &ex_sites[ex_site_count++];
}

static bool is_planted(const void *place, ex_drop drop)
{
    if (ex_planted == NULL || ex_planted->drop != drop)
        return false;
    for (int i = 0; i < ex_planted->places; i++)
        if (ex_planted->place[i] == place)
            return true;
    return false;
}

static int weaker(int order, const void *place)
{
    if (is_planted(place, EX_SEQ_CST) && order == __ATOMIC_SEQ_CST)
        return __ATOMIC_ACQ_REL;
    if (is_planted(place, EX_ACQUIRE))
        return order == __ATOMIC_ACQUIRE                                ? __ATOMIC_RELAXED
               : order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ? __ATOMIC_RELEASE
                                                                        : order;
    if (is_planted(place, EX_RELEASE))
        return order == __ATOMIC_RELEASE                                ? __ATOMIC_RELAXED
               : order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ? __ATOMIC_ACQUIRE
                                                                        : order;
    return order;
}

/* Of a load or store the half that does not apply is nothing. */
static int fitting(op_kind kind, int order)
{
    if (kind == OP_LOAD && order == __ATOMIC_RELEASE)
        return __ATOMIC_RELAXED;
    if (kind == OP_LOAD && order == __ATOMIC_ACQ_REL)
        return __ATOMIC_ACQUIRE;
    if (kind == OP_STORE && order == __ATOMIC_ACQUIRE)
        return __ATOMIC_RELAXED;
    if (kind == OP_STORE && order == __ATOMIC_ACQ_REL)
        return __ATOMIC_RELEASE;
    return order;
}

static void perform(op *o)
{
    ex_site *s = site_of(o->place);
    s->kind = (int)o->kind;
    s->order = o->order;
    s->failure = o->failure;
    s->models |= UINT64_C(1) << ex_model_number;
    o->order = fitting(o->kind, weaker(o->order, o->place));
    if (o->kind == OP_COMPARE)
        o->failure = fitting(OP_LOAD, weaker(o->failure, o->place));
    ex_operation(o);
}

static bool is_explored(const volatile void *at)
{
    const void *word = (const void *)(uintptr_t)at;
    return ex_current() >= 0 && memory_has(word) && !memory_is_hint(word);
}

static op operation(op_kind kind, const volatile void *at, unsigned size, int order,
                    const void *place)
{
    return (op){.kind = kind,
                .at = (char *)(uintptr_t)at,
                .size = size,
                .order = order,
                .failure = __ATOMIC_RELAXED,
                .place = place};
}

/* Outside explored memory, or a process: done at once. */
static void note_write(const volatile void *at, size_t bytes)
{
    memory_plain(-1, (const void *)(uintptr_t)at, bytes, true, NULL);
}

static void compare_now(op *o)
{
    uint64_t was = 0;
    memcpy(&was, o->at, o->size);
    o->done = was == o->expected;
    o->expected = was;
    note_write(o->at, o->size);
    if (o->done)
        memcpy(o->at, &o->value, o->size);
}

#define CHANGE(bits, name, sign, builtin)                                                          \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, \
                                                int order)                                         \
    {                                                                                              \
        if (!is_explored(at)) {                                                                    \
            note_write(at, sizeof *at);                                                            \
            return builtin(at, value, __ATOMIC_SEQ_CST);                                           \
        }                                                                                          \
        op o = operation(OP_CHANGE, at, sizeof *at, order, HERE);                                  \
        o.value = value;                                                                           \
        o.change = sign;                                                                           \
        perform(&o);                                                                               \
        return (uint##bits##_t)o.expected;                                                         \
    }

static bool compare(volatile void *at, unsigned size, void *expected, uint64_t value, int order,
                    int failure, const void *place)
{
    op o = operation(OP_COMPARE, at, size, order, place);
    memcpy(&o.expected, expected, size);
    o.value = value;
    o.failure = failure;
    if (is_explored(at))
        perform(&o);
    else
        compare_now(&o);
    memcpy(expected, &o.expected, size);
    return o.done;
}

#define COMPARE(bits, name)                                                                        \
    int __tsan_atomic##bits##_compare_exchange_##name(                                             \
        volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value, int order,    \
        int failure)                                                                               \
    {                                                                                              \
        return compare(at, sizeof *at, expected, value, order, failure, HERE);                     \
    }

#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)        \
    {                                                                                              \
        if (!is_explored(at))                                                                      \
            return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                          \
        op o = operation(OP_LOAD, at, sizeof *at, order, HERE);                                    \
        perform(&o);                                                                               \
        return (uint##bits##_t)o.expected;                                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order) \
    {                                                                                              \
        if (!is_explored(at)) {                                                                    \
            note_write(at, sizeof *at);                                                            \
            __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
            return;                                                                                \
        }                                                                                          \
        op o = operation(OP_STORE, at, sizeof *at, order, HERE);                                   \
        o.value = value;                                                                           \
        perform(&o);                                                                               \
    }                                                                                              \
    CHANGE(bits, exchange, '=', __atomic_exchange_n)                                               \
    CHANGE(bits, fetch_add, '+', __atomic_fetch_add)                                               \
    CHANGE(bits, fetch_sub, '-', __atomic_fetch_sub)                                               \
    CHANGE(bits, fetch_or, '|', __atomic_fetch_or)                                                 \
    CHANGE(bits, fetch_and, '&', __atomic_fetch_and)                                               \
    CHANGE(bits, fetch_xor, '^', __atomic_fetch_xor)                                               \
    COMPARE(bits, strong)                                                                          \
    COMPARE(bits, weak)                                                                            \
    /* clang's */                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order,     \
        int failure)                                                                               \
    {                                                                                              \
        compare(at, sizeof *at, &expected, value, order, failure, HERE);                           \
        return expected;                                                                           \
    }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
    op o = operation(OP_FENCE, NULL, 0, order, HERE);
    if (ex_current() >= 0)
        perform(&o);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order; /* the compiler does not turn round what it calls functions for */
}

/* --------------------------------------------------------------------- plain accesses */

static void plain(const void *at, size_t bytes, bool write, const void *place)
{
    if (memory_has(at))
        memory_plain(ex_current(), at, bytes, write, place);
}

#define PLAIN(bytes)                                                                               \
    void __tsan_read##bytes(void *at)                                                              \
    {                                                                                              \
        plain(at, bytes, false, HERE);                                                             \
    }                                                                                              \
    void __tsan_write##bytes(void *at)                                                             \
    {                                                                                              \
        plain(at, bytes, true, HERE);                                                              \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *at)                                                    \
    {                                                                                              \
        plain(at, bytes, false, HERE);                                                             \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *at)                                                   \
    {                                                                                              \
        plain(at, bytes, true, HERE);                                                              \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t bytes)
{
    plain(at, bytes, false, HERE);
}
void __tsan_write_range(void *at, size_t bytes)
{
    plain(at, bytes, true, HERE);
}
void __tsan_func_entry(void *from)
{
    (void)from;
}
void __tsan_func_exit(void)
{
}
void __tsan_init(void)
{
}

/* ---------------------------------------------------------------------- the C library */

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);
int __real_memcmp(const void *a, const void *b, size_t bytes);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t to, size_t bytes);
void __real_free(void *at);
long __real_syscall(long number, ...);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    plain(from, bytes, false, HERE);
    plain(to, bytes, true, HERE);
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    plain(from, bytes, false, HERE);
    plain(to, bytes, true, HERE);
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int byte, size_t bytes)
{
    plain(to, bytes, true, HERE);
    return __real_memset(to, byte, bytes);
}

int __wrap_memcmp(const void *a, const void *b, size_t bytes)
{
    plain(a, bytes, false, HERE);
    plain(b, bytes, false, HERE);
    return __real_memcmp(a, b, bytes);
}

static bool is_shared(void)
{
    return ex_setting_up || ex_current() >= 0;
}

void *__wrap_malloc(size_t bytes)
{
    return is_shared() ? memory_take(bytes) : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (!is_shared())
        return __real_calloc(count, bytes);
    void *at = memory_take(count * bytes); /* zeroed by nobody before */
    plain(at, count * bytes, true, HERE);
    return at;
}

void *__wrap_aligned_alloc(size_t to, size_t bytes)
{
    return is_shared() ? memory_take(bytes) : __real_aligned_alloc(to, bytes);
}

void __wrap_free(void *at)
{
    if (at && memory_has(at))
        memory_free(ex_current(), at, HERE);
    else if (at)
        __real_free(at);
}

/* What does not lie in the machine's own way. */
int __wrap_ob_processor_here(void)
{
    return 0;
}

uint64_t __wrap_ob_processor_sharing(void)
{
    return 1;
}

double __wrap_ob_time(void)
{
    return 1;
}

bool ex_unreadable, ex_unwritable, ex_reads_loosely;

/* All processes are in one: the kernel's copy is one more. */
bool __wrap_ob_reach(bool write, int pid, const struct iovec *here, int here_count,
                     const struct iovec *there, int there_count, size_t bytes)
{
    (void)pid, (void)here_count, (void)there_count;
    if (write ? ex_unwritable : ex_unreadable)
        return false;
    const struct iovec *from = write ? here : there, *to = write ? there : here;
    if (write || !ex_reads_loosely)
        plain(from->iov_base, bytes, false, HERE);
    plain(to->iov_base, bytes, true, HERE);
    __real_memcpy(to->iov_base, from->iov_base, bytes);
    return true;
}

bool __wrap_ob_memfile_reserve(const void *file, void *at, size_t bytes)
{
    (void)file, (void)at, (void)bytes;
    return true;
}

void __wrap_ob_memfile_discard(void *at, size_t bytes)
{
    (void)at, (void)bytes;
}

/* A wait for time to pass is a look in vain. */
int __wrap_sched_yield(void)
{
    ex_again();
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    ex_again();
    return 0;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                          void *argument)
{
    (void)how;
    *thread = (pthread_t)ex_spawn(start, argument);
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **end)
{
    (void)end;
    ex_join((int)thread);
    return 0;
}

/* ------------------------------------------------------------------------- the system */

static long futex(unsigned *word, int what, unsigned expected, const void *place)
{
    op o = operation(what == FUTEX_WAIT ? OP_WAIT : OP_WAKE, word, 4, __ATOMIC_RELAXED, place);
    o.expected = expected;
    if (ex_current() < 0 || (what == FUTEX_WAKE && is_planted(place, EX_WAKE)))
        return 0;
    perform(&o);
    return 0;
}

static long membarrier(const void *place)
{
    op o = operation(OP_BARRIER, NULL, 0, __ATOMIC_RELAXED, place);
    if (ex_current() >= 0 && !is_planted(place, EX_WAKE))
        perform(&o);
    return 0;
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_futex)
        return futex((unsigned *)a, (int)b, (unsigned)c, HERE);
    if (number == SYS_membarrier)
        return a == MEMBARRIER_CMD_GLOBAL_EXPEDITED ? membarrier(HERE) : 0;
    return __real_syscall(number, a, b, c, d, e, f);
}
