/*
 * Long gathers, processes as threads: whatever the members' settings, from every root, to one
 * vector and to places apart, and from or to memory that the kernel reads for nobody. Every matrix
 * is overwritten as soon as its call is over.
 */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collective/board/direct.h"
#include "collective/members_test.h"

enum { HEAP = 64 << 20, MEMBERS = 5, MOST = 24 << 10, GAP = 512, CALLS = TEAM_SLOW ? 24 : 60 };

/* The piece of member 2 and the vector of member 3 are in pages that can be touched, not reached:
 * a checkpointer does that. */
static bool hides;

static void show_page(int signal, siginfo_t *why, void *unused)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)unused;
    if (why->si_code != SEGV_ACCERR ||
        mprotect((void *)((uintptr_t)why->si_addr / page * page), page, PROT_READ | PROT_WRITE))
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

static double *room(size_t n, bool hidden, double filled)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (n * sizeof(double) / page + 1) * page;
    double *x = aligned_alloc(page, bytes);
    for (size_t i = 0; i < n; i++)
        x[i] = filled + (double)i;
    if (hidden)
        TEAM_CHECK(mprotect(x, bytes, PROT_NONE) == 0, "mprotect");
    return x;
}

static void drop(double *x, size_t n)
{
    memset(x, 0x55, n * sizeof *x);
    free(x);
}

/* Which member's, of which call. */
static double first_of(uint64_t call, int member)
{
    return 1e9 * (double)call + 1e7 * member;
}

/* apart: between the root's pieces there is something else. */
static void gather(ob_group *g, uint64_t call, int root, const size_t *counts, bool apart)
{
    ob_view views[MEMBERS];
    size_t n = counts[g->me], all = 0, gap = apart ? GAP : 0;
    for (int i = 0; i < g->size; i++)
        all += counts[i] + gap;
    bool here = g->me == root;
    double *own = room(n, hides && g->me == 2, first_of(call, g->me)),
           *to = here ? room(all, hides && root == 3, -1e6) : NULL, *at = to;
    for (int i = 0; i < g->size; at += here ? counts[i] + gap : 0, i++)
        views[i] = ob_view_vector(at, counts[i], OB_DOUBLE);
    ob_pieces pieces = {.base = to, .type = OB_DOUBLE, .counts = counts};
    if (apart)
        pieces = (ob_pieces){.type = OB_DOUBLE, .views = views};
    ob_view mine = ob_view_vector(own, n, OB_DOUBLE);
    OK(ob_gather(g, root, &pieces, &mine, NULL));
    for (int i = 0; i < g->size && here; i++) {
        const double *x = views[i].base;
        for (size_t k = 0; k < counts[i]; k++)
            TEAM_CHECK(x[k] == first_of(call, i) + (double)k, "call %d, of %d: element %zu",
                       (int)call, i, k);
        for (size_t k = counts[i]; k < counts[i] + gap; k++)
            TEAM_CHECK(x[k] < 0, "call %d, behind %d's: written", (int)call, i);
    }
    if (here)
        drop(to, all);
    drop(own, n);
}

static void work(team *t, int me)
{
    ob_group *g = team_group(t, me);
    uint64_t state = 5;
    size_t counts[MEMBERS];
    for (uint64_t call = 0; call < CALLS; call++) {
        bool even = team_draw(&state) % 2, apart = team_draw(&state) % 4 == 0;
        int root = (int)(team_draw(&state) % (uint64_t)g->size);
        for (int i = 0; i < g->size; i++)
            counts[i] = even ? MOST : team_draw(&state) % 3 * (MOST / 2 + (size_t)i);
        gather(g, call, root, counts, apart);
        if (team_draw(&state) % 8 == 0)
            OK(ob_barrier(g));
    }
    const ob_direct *d = g->board->direct;
    bool never = false;
    for (int i = 0; i < g->size; i++)
        never |= t->job[i]->set.one_copy == OB_ONE_COPY_NEVER;
    TEAM_CHECK(d && d->met && d->can == !never, "can: %d", d && d->can);
    TEAM_CHECK(ob_way_counted(OB_WAY_COLLECTIVES, true) > 0 || never, "none went straight");
    ob_group_free(g);
}

static void run(const int *choice)
{
    static const ob_settings usual = {.spin_us = -1};
    for (int count = 3; count <= MEMBERS; count++) {
        team t;
        atomic_store(&team_failures, 0);
        team_open(&t, count, (size_t)HEAP, &usual);
        for (int i = 0; i < count; i++)
            t.job[i]->set.one_copy = choice[i % 3];
        team_run(&t, work);
        team_close(&t);
        assert_int_equal(atomic_load(&team_failures), 0);
    }
}

static const int choices[][3] = {
    {OB_ONE_COPY_ALWAYS, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_ALWAYS},
    {OB_ONE_COPY_AUTO, OB_ONE_COPY_AUTO, OB_ONE_COPY_AUTO},
    {OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_AUTO},
    {OB_ONE_COPY_AUTO, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_AUTO},
};

static void pieces_come_whichever_way(void **state)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        run(choices[i]);
}

/* The call is done again, the usual way. */
static void memory_that_cannot_be_reached(void **state)
{
    struct sigaction shows = {.sa_sigaction = show_page, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &shows, &before);
    hides = true;
    run(choices[0]);
    hides = false;
    sigaction(SIGSEGV, &before, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_whichever_way),
        cmocka_unit_test(memory_that_cannot_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
