/*
 * A light fence against a heavy one: of two threads that each store and then
 * look at the other's word, at least one sees the other, a great many times over.
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/processor.h"
#include "node/fence.h"
#include "unit.h"

enum { TRIES = 3000 };

static _Alignas(OB_LINE) atomic_uint posted;
static _Alignas(OB_LINE) atomic_uint asleep;
static _Alignas(OB_LINE) atomic_uint turn; /* tries that the poster has finished */
static _Alignas(OB_LINE) atomic_uint begun;
static unsigned seen_asleep[TRIES + 1];
static bool light;

static void reach(atomic_uint *word, unsigned i)
{
    for (unsigned looks = 0; atomic_load(word) < i; looks++)
        if (looks % 256 == 255)
            sched_yield();
}

static void *post(void *unused)
{
    (void)unused;
    for (unsigned i = 1; i <= TRIES; i++) {
        reach(&begun, i);
        atomic_store_explicit(&posted, i, memory_order_release);
        ob_fence_light(light);
        seen_asleep[i] = atomic_load_explicit(&asleep, memory_order_relaxed);
        atomic_store(&turn, i);
    }
    return NULL;
}

/* Threads of one process and of several are interrupted alike. */
static void one_of_two_sees_the_other(void **state)
{
    pthread_t poster;
    unsigned missed = 0;
    light = ob_fence_is_light();
    if (light && !ob_fence_heavy())
        light = false;
    assert_int_equal(pthread_create(&poster, NULL, post, NULL), 0);
    for (unsigned i = 1; i <= TRIES; i++) {
        atomic_store(&begun, i);
        atomic_store_explicit(&asleep, i, memory_order_relaxed);
        ob_fence_heavy();
        unsigned there = atomic_load_explicit(&posted, memory_order_relaxed);
        reach(&turn, i);
        missed += there != i && seen_asleep[i] != i;
    }
    pthread_join(poster, NULL);
    assert_int_equal(missed, 0);
}

static void registering_again_changes_nothing(void **state)
{
    assert_int_equal(ob_fence_is_light(), ob_fence_is_light());
}

/* Calls of the system that interrupt all others. */
static unsigned interrupted;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* What the tested file calls; nothing else is passed on. */
long __wrap_syscall(long number, ...)
{
    int argument[3];
    va_list more;
    assert_int_equal(number, SYS_membarrier);
    va_start(more, number);
    for (int i = 0; i < 3; i++)
        argument[i] = va_arg(more, int);
    va_end(more);
    interrupted += argument[0] == MEMBARRIER_CMD_GLOBAL_EXPEDITED;
    return __real_syscall(number, argument[0], argument[1], argument[2]);
}

/* However seldom the two threads above meet. */
static void a_heavy_fence_interrupts_the_others(void **state)
{
    unsigned before = interrupted;
    bool done = ob_fence_heavy();
    assert_int_equal(interrupted, before + 1);
    if (ob_fence_is_light())
        assert_true(done);
}

/* Linux 6.3 and later tell what a process is registered for. */
enum { GET_REGISTRATIONS = 1 << 9 };

static long registered_at_start;

static void a_process_is_registered_before_main(void **state)
{
    if (registered_at_start < 0)
        skip();
    assert_true(registered_at_start & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

int main(void)
{
    registered_at_start = syscall(SYS_membarrier, GET_REGISTRATIONS, 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_registered_before_main),
        cmocka_unit_test(one_of_two_sees_the_other),
        cmocka_unit_test(a_heavy_fence_interrupts_the_others),
        cmocka_unit_test(registering_again_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
