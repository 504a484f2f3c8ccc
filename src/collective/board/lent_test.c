/*
 * Memory that one thread fills and shows on a board, that another process reads and gives back, and
 * that another thread then fills: the order goes through the other process. A thread sanitizer has
 * to know of it (core/watched.h): nothing else here orders the two threads.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collective/board/collectives.h"
#include "node/thread_team.h"
#include "unit.h"

enum { LENGTH = 4000, DEADLINE = 100 };

static ob_segments segments;
static ob_shm *shm;
static ob_job *job;

/* The other process has given back what was lent. Relaxed, so that it orders nothing. */
static atomic_int *read_there;

static ob_group *open_group(int number)
{
    static const ob_settings usual = {.spin_us = -1};
    const int all[2] = {0, 1};
    ob_group *g = NULL;
    if (ob_shm_join(&shm, &segments, number, 0) || ob_job_on_shm(&job, shm, &usual) ||
        ob_group_create(job, all, 2, &g))
        abort();
    return g;
}

static int broadcast(ob_group *g, double *x)
{
    ob_view v = ob_view_vector(x, LENGTH, OB_DOUBLE);
    return ob_broadcast_board(g, 0, &v);
}

/* The other process. */
static pid_t start_reader(void)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(DEADLINE);
    double x[LENGTH];
    int status = broadcast(open_group(1), x);
    atomic_store_explicit(read_there, 1, memory_order_relaxed);
    _exit(status != OB_OK || x[LENGTH - 1] != LENGTH - 1);
}

static void *show(void *group)
{
    double x[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        x[i] = i;
    OK(broadcast(group, x));
    return NULL;
}

/* What was lent is known by what stands in it. */
static void *take_again(void *unused)
{
    enum { BYTES = LENGTH * sizeof(double) };
    (void)unused;
    for (int ms = 0; ms < DEADLINE * 1000; ms++) {
        if (atomic_load_explicit(read_there, memory_order_relaxed))
            break;
        team_sleep_us(1000);
    }
    ob_block *block = ob_heap_take(&shm->heap, BYTES);
    double *x = (double *)(void *)((char *)block + OB_BLOCK_DATA);
    bool same = x[LENGTH - 1] == LENGTH - 1;
    memset(x, 0, BYTES);
    TEAM_CHECK(same, "what was lent is not to be had again");
    return NULL;
}

static void what_was_lent_is_filled_by_another_thread(void **state)
{
    pthread_t first, second;
    int status = -1;
    read_there =
        mmap(NULL, sizeof *read_there, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(read_there, MAP_FAILED);
    assert_int_equal(ob_segments_create(&segments, 2, (size_t)16 << 20), OB_OK);
    pid_t pid = start_reader();
    ob_group *g = open_group(0);
    pthread_create(&second, NULL, take_again, NULL);
    pthread_create(&first, NULL, show, g);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&team_failures), 0);
    ob_group_free(g);
    ob_job_destroy(job);
    munmap(read_there, sizeof *read_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_lent_is_filled_by_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
