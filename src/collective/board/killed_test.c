/*
 * One copy among real processes: one is killed (-9) in the midst of it, sender or receiver, in
 * messages and in collective calls; the other gets the error that any death gives, and does not
 * hang. And processes whose memory the system does not let be read: found out once, right results.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collective/board/collectives.h"
#include "collective/board/direct.h"
#include "core/group.h"
#include "node/thread_team.h"
#include "transport/channel/link.h"
#include "unit.h"

enum { MIB = 1 << 20, LENGTH = MIB, DEATHS = 5, CALLS = 12, DEADLINE = 100 };

/* What the processes tell the test. */
typedef struct told {
    atomic_int rounds;
    atomic_int straight[2]; /* messages or calls that went straight */
    atomic_int refused[2];  /* they were found to be refused */
} told;

static told *shared;
static ob_segments segments;

typedef bool refusal(void);

/* ------------------------------------------------------------------------- the work */

static ob_view whole(double *x)
{
    return (ob_view){.base = x, .m = LENGTH, .n = 1, .ld = LENGTH, .type = OB_DOUBLE};
}

static int fill(double *x, int call, int me)
{
    for (size_t i = 0; i < LENGTH; i += 512)
        x[i] = (double)(call % 1000 * 4 + me) + (double)i;
    return 0;
}

static bool is_right(const double *x, int call, int from, double times)
{
    for (size_t i = 0; i < LENGTH; i += 512)
        if (x[i] != times * ((double)(call % 1000 * 4) + (double)i) + from)
            return false;
    return true;
}

static ob_link *link_of(ob_group *g)
{
    return g->peer[1 - g->me]->link;
}

/* A long message from 0 to 1 and back. */
static int message(ob_group *g, double *x, int call)
{
    ob_view v = whole(x);
    if (g->me == 0)
        fill(x, call, 0);
    int status = g->me ? ob_recv(g, 0, 0, &v, NULL) : ob_send(g, 1, 0, &v);
    if (status == OB_OK && g->me && !is_right(x, call, 0, 1))
        return 1;
    if (status == OB_OK)
        status = g->me ? ob_send(g, 0, 1, &v) : ob_recv(g, 1, 1, &v, NULL);
    if (g->me && link_of(g)->straight.offered)
        atomic_fetch_add(&shared->straight[1], 1);
    atomic_store(&shared->refused[g->me], atomic_load(&link_of(g)->straight.reached) == OB_REFUSED);
    return status;
}

static void count_straight(ob_group *g)
{
    if (g->board == NULL || g->board->direct == NULL)
        return;
    atomic_fetch_add(&shared->straight[g->me], g->board->direct->last.straight);
    atomic_store(&shared->refused[g->me], g->board->direct->met && !g->board->direct->can);
}

static int sum(ob_group *g, double *x, int call)
{
    ob_view v = whole(x);
    fill(x, call, g->me);
    int status = ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
    if (status == OB_OK && !is_right(x, call, 1, 2))
        return 1;
    count_straight(g);
    return status;
}

static int sum_to_one(ob_group *g, double *x, int call)
{
    ob_view v = whole(x);
    int root = call % 2;
    fill(x, call, g->me);
    int status = ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL);
    if (status == OB_OK && g->me == root && !is_right(x, call, 1, 2))
        return 1;
    count_straight(g);
    return status;
}

static int collect(ob_group *g, double *x, int call)
{
    const ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = LENGTH / 2};
    size_t mine = g->me ? LENGTH / 2 : 0, other = LENGTH / 2 - mine;
    x[mine] = call + g->me;
    int status = ob_collect(g, &pieces, NULL);
    if (status == OB_OK && x[other] != call + 1 - g->me)
        return 1;
    count_straight(g);
    return status;
}

/* Half of x goes to the other, and its half comes. */
static int exchange(ob_group *g, double *x, int call)
{
    const ob_pieces from = {.base = x, .type = OB_DOUBLE, .count = LENGTH / 4},
                    to = {.base = x + LENGTH / 2, .type = OB_DOUBLE, .count = LENGTH / 4};
    size_t theirs = (size_t)(1 - g->me) * (LENGTH / 4);
    for (size_t i = 0; i < LENGTH / 4; i += 512)
        x[theirs + i] = call + g->me + (double)i;
    int status = ob_all_to_all(g, &from, &to, NULL);
    for (size_t i = 0; status == OB_OK && i < LENGTH / 4; i += 512)
        if (x[LENGTH / 2 + theirs + i] != call + 1 - g->me + (double)i)
            return 1;
    if (g->board && g->board->direct) {
        atomic_fetch_add(&shared->straight[g->me], g->board->direct->exchange.straight);
        atomic_store(&shared->refused[g->me], g->board->direct->exchange.refused);
    }
    return status;
}

/* So long a piece is waited for. Each in turn has the second half of its x for the other, which
 * gets it into its first. */
static int scatter(ob_group *g, double *x, int call)
{
    int root = call % 2;
    double *half = x + LENGTH / 2;
    size_t bytes = LENGTH / 2 * sizeof *x, cut[3] = {0, root ? bytes : 0, bytes};
    ob_view view[2] = {ob_view_of_bytes(x, 0), ob_view_of_bytes(x, 0)};
    view[1 - root] = ob_view_of_bytes(g->me == root ? half : x, bytes);
    const ob_parts parts = {.size = 2, .cut = cut, .view = view, .esize = 1};
    for (size_t i = 0; i < LENGTH / 2; i += 512)
        half[i] = call + (double)i;
    int status = ob_parts_board(g, OB_TASK_SCATTER, root, &parts);
    for (size_t i = 0; status == OB_OK && i < LENGTH / 2; i += 512) {
        if (g->me != root && x[i] != call + (double)i)
            return 1;
        half[i] = -1;
    }
    atomic_store(&shared->straight[g->me], (int)ob_way_counted(OB_WAY_COLLECTIVES, true));
    if (g->board && g->board->direct)
        atomic_store(&shared->refused[g->me], g->board->direct->scatter.refused);
    return status;
}

/* The first half of x of the one into the second of the other, each in turn; both copy. */
static int gather(ob_group *g, double *x, int call)
{
    int root = call % 2;
    size_t bytes = LENGTH / 2 * sizeof *x, cut[3] = {0, root ? bytes : 0, bytes};
    double *at = g->me == root ? x + LENGTH / 2 : x;
    ob_view view[2] = {ob_view_of_bytes(x, 0), ob_view_of_bytes(x, 0)};
    view[1 - root] = ob_view_of_bytes(at, bytes);
    const ob_parts parts = {.size = 2, .cut = cut, .view = view, .esize = 1};
    for (size_t i = 0; i < LENGTH / 2; i += 512)
        at[i] = g->me == root ? -1 : call + (double)i;
    int status = ob_parts_board(g, OB_TASK_GATHER, root, &parts);
    for (size_t i = 0; status == OB_OK && g->me == root && i < LENGTH / 2; i += 512)
        if (at[i] != call + (double)i)
            return 1;
    count_straight(g);
    return status;
}

typedef int call_of(ob_group *g, double *x, int call);

/* Until the other has ended: 0 when that is the error. */
static int until_it_ends(ob_group *g, double *x, call_of *f)
{
    int status = OB_OK;
    for (int call = 0; status == OB_OK; call++) {
        status = f(g, x, call);
        atomic_fetch_add(&shared->rounds, 1);
    }
    const char *text = status == OB_EGONE ? ob_error_text() : "";
    if ((strstr(text, "which process") && strstr(text, "has ended")) ||
        strstr(text, "ended while it sent a message"))
        return 0;
    fprintf(stderr, "process %d: status %d: %s\n", g->me, status, ob_error_text());
    return 2;
}

static int until_done(ob_group *g, double *x, call_of *f)
{
    int status = OB_OK;
    for (int call = 0; call < CALLS && status == OB_OK; call++)
        status = f(g, x, call);
    if (status)
        fprintf(stderr, "process %d: status %d: %s\n", g->me, status, ob_error_text());
    if (status == OB_OK)
        ob_barrier(g);
    return status != OB_OK;
}

static pid_t start(int number, bool endless, call_of *f, refusal *refuse)
{
    static const ob_settings always = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};
    const int all[2] = {0, 1};
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(DEADLINE);
    ob_shm *shm;
    ob_job *job;
    ob_group *g;
    double *x = calloc(LENGTH, sizeof *x);
    if (x == NULL || ob_shm_join(&shm, &segments, number, 0) || ob_job_on_shm(&job, shm, &always) ||
        ob_group_create(job, all, 2, &g))
        _exit(3);
    if (refuse && !refuse())
        _exit(4);
    _exit(endless ? until_it_ends(g, x, f) : until_done(g, x, f));
}

static void open_segments(void)
{
    assert_int_equal(ob_segments_create(&segments, 2, (size_t)64 * MIB), OB_OK);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
}

static void close_segments(void)
{
    munmap(shared, sizeof *shared);
    ob_segments_close(&segments);
}

/* ------------------------------------------------------------------------- deaths */

/* The launcher's part: the segment of one that has ended is marked. */
static void kill_one(pid_t pid, int number)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ob_segments_mark_gone(&segments, number);
}

static void die(call_of *f, int victim)
{
    uint64_t state = (uint64_t)getpid() + (uint64_t)victim;
    for (int death = 0; death < DEATHS; death++) {
        int status = -1;
        open_segments();
        pid_t pid[2] = {start(0, true, f, NULL), start(1, true, f, NULL)};
        for (int i = 0; i < 100000 && atomic_load(&shared->rounds) < 8; i++)
            team_sleep_us(1000);
        team_sleep_us(team_draw(&state) % 20000);
        kill_one(pid[victim], victim);
        assert_int_equal(waitpid(pid[1 - victim], &status, 0), pid[1 - victim]);
        assert_int_equal(status, 0);
        if (!atomic_load(&shared->refused[0]) && !atomic_load(&shared->refused[1]))
            assert_true(atomic_load(&shared->straight[1]) > 0);
        close_segments();
    }
}

static void test_sender_dies(void **unused)
{
    die(message, 0);
}

static void test_receiver_dies(void **unused)
{
    die(message, 1);
}

static void test_member_of_a_sum_dies(void **unused)
{
    die(sum, 0);
    die(sum, 1);
}

static void test_member_of_a_sum_to_one_dies(void **unused)
{
    die(sum_to_one, 0);
    die(sum_to_one, 1);
}

static void test_member_of_a_scatter_dies(void **unused)
{
    die(scatter, 0);
    die(scatter, 1);
}

static void test_member_of_a_gather_dies(void **unused)
{
    die(gather, 0);
    die(gather, 1);
}

static void test_member_of_a_collect_dies(void **unused)
{
    die(collect, 1);
}

static void test_member_of_an_exchange_dies(void **unused)
{
    die(exchange, 0);
    die(exchange, 1);
}

/* ----------------------------------------------------------------------- refusals */

/* The system calls fail with EPERM, as in some containers. */
static bool filter_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* It may not trace others, */
static bool drop_privileges(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    return syscall(SYS_capset, &head, none) == 0;
}

/* nor be traced by who may not. */
static bool hide(void)
{
    return drop_privileges() && prctl(PR_SET_DUMPABLE, 0) == 0;
}

/* refuse[i]: what process i does first. */
static void refused(call_of *f, refusal *const refuse[2])
{
    open_segments();
    pid_t pid[2] = {start(0, false, f, refuse[0]), start(1, false, f, refuse[1])};
    for (int i = 0; i < 2; i++) {
        int status = -1;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    assert_true(atomic_load(&shared->refused[0]) || atomic_load(&shared->refused[1]));
    close_segments();
}

/* Not so in an emulator. */
static bool can_filter(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(!filter_calls());
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static void test_refused_by_a_filter(void **unused)
{
    if (getenv("OB_EMULATOR") && !can_filter())
        skip();
    static refusal *const one[2] = {NULL, filter_calls}, *const both[2] = {filter_calls,
                                                                           filter_calls};
    refused(message, one);
    refused(message, both);
    refused(sum, one);
    refused(sum, both);
    refused(sum_to_one, one);
    refused(sum_to_one, both);
    refused(scatter, one);
    refused(scatter, both);
    refused(gather, one);
    refused(gather, both);
    refused(exchange, one);
    refused(exchange, both);
}

static void test_refused_to_who_may_not_trace(void **unused)
{
    static refusal *const first[2] = {hide, drop_privileges}, *const second[2] = {drop_privileges,
                                                                                  hide};
    refused(message, first);
    refused(message, second);
    refused(sum, first);
    refused(sum, second);
    refused(sum_to_one, first);
    refused(sum_to_one, second);
    refused(scatter, first);
    refused(scatter, second);
    refused(exchange, first);
    refused(exchange, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sender_dies),
        cmocka_unit_test(test_receiver_dies),
        cmocka_unit_test(test_member_of_a_sum_dies),
        cmocka_unit_test(test_member_of_a_sum_to_one_dies),
        cmocka_unit_test(test_member_of_a_scatter_dies),
        cmocka_unit_test(test_member_of_a_gather_dies),
        cmocka_unit_test(test_member_of_a_collect_dies),
        cmocka_unit_test(test_member_of_an_exchange_dies),
        cmocka_unit_test(test_refused_by_a_filter),
        cmocka_unit_test(test_refused_to_who_may_not_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
