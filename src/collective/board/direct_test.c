/*
 * Long collective calls that read straight from the members' matrices, processes as threads: among
 * usual calls, with matrices of every form, whatever the members' settings, with one who may not
 * be read, and with sizes that differ. Every matrix is overwritten as soon as its call is over.
 */
#define TEAM_MOST 60 /* so many that where their rows lie does not fit onto a slate */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collective/board/direct.h"
#include "core/group.h"
#include "hooks/collective.h"
#include "node/thread_team.h"
#include "unit.h"

enum { KIB = 1024, HEAP = 256 << 20, CALLS = TEAM_SLOW ? 60 : 100, MOST = 1 << 17 };

static team t;

/* Pages that the program lets be touched when it is (a checkpointer does that), and the kernel
 * reads for nobody else: of member 1's matrices, once they are filled. */
static bool hides;

static void hide(const ob_view *v)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = v->ld * v->n * sizeof(double);
    TEAM_CHECK(mprotect(v->base, bytes / page * page, PROT_NONE) == 0, "mprotect");
}

static void show_page(int signal, siginfo_t *why, void *unused)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)unused;
    if (why->si_code != SEGV_ACCERR ||
        mprotect((void *)((uintptr_t)why->si_addr / page * page), page, PROT_READ | PROT_WRITE))
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

static double element(uint64_t call, int member, size_t k)
{
    return (double)(team_mix(call * 64 + (uint64_t)member + k * 4096) >> 12) * 1e-9;
}

/* A view of n doubles: one run, or columns with gaps; `fits` ones are worth reading straight. */
static ob_view form(int kind, size_t n)
{
    size_t rows = kind == 1 ? 1024 : kind == 2 ? 16 : n ? n : 1;
    ob_view v = {.m = rows, .n = n / rows, .ld = rows + (kind ? 3 : 0), .type = OB_DOUBLE};
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = v.ld * v.n * sizeof(double) + 64;
    v.base = aligned_alloc(page, (bytes + page - 1) / page * page);
    return v;
}

static double *at(const ob_view *v, size_t k)
{
    return (double *)v->base + k % v->m + k / v->m * v->ld;
}

static void fill(const ob_view *v, uint64_t call, int member)
{
    for (size_t k = 0; k < v->m * v->n; k++)
        *at(v, k) = element(call, member, k);
    if (hides && member == 1)
        hide(v);
}

/* By distance from the first, as every way does it: the same bits. */
static double sum_from(uint64_t call, int first, int members, size_t k)
{
    double s = element(call, first, k);
    for (int i = 1; i < members; i++)
        s += element(call, (first + i) % members, k);
    return s;
}

static double sum(uint64_t call, int members, size_t k)
{
    return sum_from(call, 0, members, k);
}

static void add(size_t n, void *acc, const void *in, const void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        ((double *)acc)[i] += ((const double *)in)[i];
}

/* The library's sum; or, not known to be one, the caller's. */
static ob_operation operation(bool own)
{
    ob_operation o = {.apply = add, .element_bytes = sizeof(double)};
    if (!own)
        TEAM_CHECK(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_DOUBLE, &o) == OB_OK, "%s",
                   ob_error_text());
    return o;
}

static void drop(const ob_view *v)
{
    memset(v->base, 0x55, v->ld * v->n * sizeof(double));
    free(v->base);
}

static void expect_own(const ob_view *v, uint64_t call, int me)
{
    for (size_t k = call % 8; k < v->m * v->n; k += 8)
        TEAM_CHECK(*at(v, k) == element(call, me, k), "call %d: element %zu was overwritten",
                   (int)call, k);
}

static const ob_direct *direct_of(const ob_group *g)
{
    return g->board ? g->board->direct : NULL;
}

/* In place, or to another matrix: each member for itself. One in eight numbers is looked at: the
 * reckoning is slow. */
static void combine_to(ob_group *g, uint64_t call, int kind, size_t n, int root)
{
    int me = ob_group_me(g), p = ob_group_size(g), how = (int)(call + (uint64_t)me) % 3;
    bool wanted = root == OB_ANY || root == me;
    ob_operation o = operation(call % 4 == 1);
    ob_view v = form(kind, n), w = how == 2 ? form((kind + 1) % 3, n) : v;
    fill(&v, call, me);
    int status = how ? ob_combine_to(g, root, &o, &v, wanted ? &w : NULL, NULL)
                     : ob_combine_by(g, root, &o, &v, NULL);
    TEAM_CHECK(status == OB_OK, "%s", ob_error_text());
    for (size_t k = call % 8; wanted && k < n; k += 8)
        TEAM_CHECK(*at(&w, k) == sum_from(call, root == OB_ANY ? 0 : root, p, k),
                   "call %d, element %zu of %zu: %.17g", (int)call, k, n, *at(&w, k));
    if (how && (how == 2 || !wanted))
        expect_own(&v, call, me);
    if (how == 2)
        drop(&w);
    drop(&v);
}

static void combine_all(ob_group *g, uint64_t call, int kind, size_t n)
{
    combine_to(g, call, kind, n, OB_ANY);
}

/* Pieces of different lengths, some empty. */
static void draw_counts(uint64_t *state, int p, size_t n, size_t *counts)
{
    for (int i = 0; i < p; i++)
        counts[i] =
            team_draw(state) % 4 ? n / (size_t)p + team_draw(state) % 64 : team_draw(state) % 8;
}

static void collect(ob_group *g, uint64_t call, uint64_t *state, int kind, size_t n)
{
    int me = ob_group_me(g), p = ob_group_size(g);
    size_t counts[TEAM_MOST];
    ob_view views[TEAM_MOST];
    draw_counts(state, p, n, counts);
    for (int i = 0; i < p; i++) {
        counts[i] = counts[i] / 1024 * 1024;
        views[i] = form(i == me ? kind : (int)(call % 3), counts[i]);
        memset(views[i].base, 0, views[i].ld * views[i].n * sizeof(double));
    }
    const ob_pieces pieces = {.type = OB_DOUBLE, .views = views};
    bool apart = (call + (uint64_t)me) % 2;
    ob_view from = apart ? form((kind + 1) % 3, counts[me]) : views[me];
    fill(&from, call, me);
    int status = apart ? ob_collect_from(g, &from, &pieces, NULL) : ob_collect(g, &pieces, NULL);
    TEAM_CHECK(status == OB_OK, "%s", ob_error_text());
    if (apart)
        drop(&from);
    for (int i = 0; i < p; i++) {
        for (size_t k = 0; k < counts[i]; k++)
            TEAM_CHECK(*at(&views[i], k) == element(call, i, k), "call %d, piece %d, element %zu",
                       (int)call, i, k);
        drop(&views[i]);
    }
}

static void distribute(ob_group *g, uint64_t call, uint64_t *state, size_t n)
{
    int me = ob_group_me(g), p = ob_group_size(g);
    size_t counts[TEAM_MOST], all = 0, mine = 0;
    draw_counts(state, p, n, counts);
    for (int i = 0; i < p; i++) {
        mine = i == me ? all : mine;
        all += counts[i];
    }
    ob_view v = form(0, all);
    fill(&v, call, me);
    const ob_pieces pieces = {.base = v.base, .type = OB_DOUBLE, .counts = counts};
    ob_operation o = operation(call % 4 == 1);
    bool apart = (call + (uint64_t)me) % 2;
    ob_view to = form(counts[me] % 1024 ? 0 : (int)(call % 3), counts[me]);
    int status = apart ? ob_distributed_combine_to(g, &o, &pieces, &to, NULL)
                       : ob_distributed_combine_by(g, &o, &pieces, NULL);
    TEAM_CHECK(status == OB_OK, "%s", ob_error_text());
    for (size_t k = 0; k < counts[me]; k++)
        TEAM_CHECK((apart ? *at(&to, k) : *at(&v, mine + k)) == sum(call, p, mine + k),
                   "call %d, element %zu", (int)call, mine + k);
    if (apart)
        expect_own(&v, call, me);
    drop(&to);
    drop(&v);
}

/* What `sender` has for `receiver`: all draw the same. Some rows are short, some pieces empty. */
static size_t piece_for(uint64_t call, int sender, int receiver, size_t n)
{
    uint64_t state = call * 256 + (uint64_t)sender * 16;
    if (team_draw(&state) % 4 == 0)
        n = 24;
    state += (uint64_t)receiver;
    return team_draw(&state) % 8 == 0 ? 0 : call % 3 ? n : team_draw(&state) % (n + 1);
}

/* Every number says whose it is, for whom, and in which call. */
static double exchanged(uint64_t call, int sender, int receiver, size_t k)
{
    return element(call * 8 + (uint64_t)receiver, sender, k);
}

/* `kind` 1: rows of 1024 with gaps, where the piece is a multiple of that. Each member gives its
 * pieces a form of its own, and may be wrong about one in `wrong` calls: then it alone, and the one
 * whose piece it is, find out. */
static int exchange(ob_group *g, uint64_t call, int kind, size_t n, int wrong)
{
    int me = ob_group_me(g), p = ob_group_size(g);
    ob_view out[TEAM_MOST], in[TEAM_MOST];
    for (int i = 0; i < p; i++) {
        size_t to = piece_for(call, me, i, n), from = piece_for(call, i, me, n);
        from += i != me && me == wrong;
        out[i] = form(to % 1024 ? 0 : kind, to);
        in[i] = form(from % 1024 ? 0 : (kind + me) % 3, from);
        for (size_t k = 0; k < to; k++)
            *at(&out[i], k) = exchanged(call, me, i, k);
        if (hides && me == 1)
            hide(&out[i]);
        memset(in[i].base, 0, in[i].ld * in[i].n * sizeof(double));
    }
    const ob_pieces from = {.type = OB_DOUBLE, .views = out}, to = {.type = OB_DOUBLE, .views = in};
    int status = ob_all_to_all(g, &from, &to, NULL);
    for (int i = 0; i < p; i++) {
        for (size_t k = call % 8; status == OB_OK && k < in[i].m * in[i].n; k += 8)
            TEAM_CHECK(*at(&in[i], k) == exchanged(call, i, me, k), "call %d, from %d, element %zu",
                       (int)call, i, k);
        for (size_t k = 0; k < out[i].m * out[i].n; k += 64)
            TEAM_CHECK(*at(&out[i], k) == exchanged(call, me, i, k), "call %d: overwritten",
                       (int)call);
        drop(&in[i]);
        drop(&out[i]);
    }
    return status;
}

/* Members draw alike, but each has matrices of a form of its own now and then. */
static void mixed_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    uint64_t state = 7, own = (uint64_t)me;
    for (uint64_t call = 0; call < CALLS; call++) {
        size_t n = (KIB << team_draw(&state) % 7) * (1 + team_draw(&state) % 3) / 1024 * 1024;
        int what = (int)(team_draw(&state) % 5), kind = team_draw(&state) % 2 ? 0 : 1;
        if (team_draw(&own) % 8 == 0)
            team_sleep_us(team_draw(&own) % 300);
        if (call % 16 == 15)
            kind = (int)(team_draw(&own) % 3); /* not all can be read straight */
        n = n < 1024 ? 1024 : n > MOST ? MOST : n;
        if (what < 2)
            combine_to(g, call, kind, n, what ? OB_ANY : (int)(call % (uint64_t)t.count));
        else if (what == 2)
            collect(g, call, &state, kind, n);
        else if (what == 4)
            TEAM_CHECK(exchange(g, call, kind, n, -1) == OB_OK, "%s", ob_error_text());
        else
            distribute(g, call, &state, n);
    }
    ob_group_free(g);
}

/* choice: of member i, `choice[i % 3]`. */
static void run_mixed(int count, const int *choice)
{
    static const ob_settings usual = {.spin_us = -1};
    atomic_store(&team_failures, 0);
    team_open(&t, count, (size_t)HEAP, &usual);
    for (int i = 0; i < count; i++)
        t.job[i]->set.one_copy = choice[i % 3];
    team_run(&t, mixed_work);
    team_close(&t);
    assert_int_equal(atomic_load(&team_failures), 0);
}

static void test_calls_among_each_other(void **unused)
{
    static const int choices[][3] = {
        {OB_ONE_COPY_ALWAYS, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_ALWAYS},
        {OB_ONE_COPY_AUTO, OB_ONE_COPY_AUTO, OB_ONE_COPY_AUTO},
        {OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_AUTO},
        {OB_ONE_COPY_AUTO, OB_ONE_COPY_ALWAYS, OB_ONE_COPY_AUTO},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (int count = 2; count <= (TEAM_SLOW ? 3 : 5); count++)
            run_mixed(count, choices[i]);
}

/* --------------------------------------------------------------- one who may not be read */

static void elsewhere_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    if (me == 1)
        atomic_store(&team->job[me]->shm->own->pid, 1);
    for (uint64_t call = 0; call < 20; call++)
        combine_all(g, call, 0, 32 * KIB);
    TEAM_CHECK(direct_of(g) && direct_of(g)->met && !direct_of(g)->can, "it was not found out");
    TEAM_CHECK(direct_of(g)->last.timed && direct_of(g)->last.sort == OB_DIRECT_COMBINE &&
                   direct_of(g)->own > 0,
               "nobody has timed the last call");
    ob_group_free(g);
}

/* Its ends tell, so that all go the usual way. */
static void hidden_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    uint64_t state = 7;
    for (uint64_t call = 0; call < (TEAM_RACES ? 12 : 20); call++) { /* all sorts come by 12 */
        combine_all(g, call, 0, 32 * KIB);
        combine_to(g, call, (int)(call % 2), 32 * KIB, (int)(call % 2));
        collect(g, call, &state, 0, 96 * KIB);
        distribute(g, call, &state, 96 * KIB);
        TEAM_CHECK(exchange(g, call, 0, 64 * KIB, -1) == OB_OK, "%s", ob_error_text());
    }
    TEAM_CHECK(direct_of(g) && direct_of(g)->can, "others can be read");
    ob_group_free(g);
}

static void test_hidden(void **unused)
{
    static const ob_settings set[] = {{.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS},
                                      {.spin_us = -1}};
    struct sigaction shows = {.sa_sigaction = show_page, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &shows, &before);
    hides = true;
    for (int count = 2; count <= 3; count++)
        for (int i = 0; i < 2; i++) {
            atomic_store(&team_failures, 0);
            team_open(&t, count, (size_t)HEAP, &set[i]);
            team_run(&t, hidden_work);
            team_close(&t);
            assert_int_equal(atomic_load(&team_failures), 0);
        }
    hides = false;
    sigaction(SIGSEGV, &before, NULL);
}

static void test_elsewhere(void **unused)
{
    static const ob_settings always = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};
    atomic_store(&team_failures, 0);
    team_open(&t, 3, (size_t)HEAP, &always);
    team_run(&t, elsewhere_work);
    team_close(&t);
    assert_int_equal(atomic_load(&team_failures), 0);
}

static void unread_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    if (me == 1)
        atomic_store(&team->job[me]->shm->own->pid, 1);
    for (uint64_t call = 0; call < 20; call++)
        TEAM_CHECK(exchange(g, call, 0, call < 2 ? 24 : 32 * KIB, -1) == OB_OK, "%s",
                   ob_error_text());
    TEAM_CHECK(direct_of(g) && direct_of(g)->exchange.refused, "it was not found out");
    ob_group_free(g);
}

/* So many members that where their rows lie takes memory of its own. */
static void many_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    for (uint64_t call = 0; call < 3; call++)
        TEAM_CHECK(exchange(g, call, 0, KIB, -1) == OB_OK, "%s", ob_error_text());
    TEAM_CHECK(direct_of(g)->exchange.straight, "no exchange went straight");
    ob_group_free(g);
}

/* Rows are long, but for some, and the way that is wanted is known. */
static void timed_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    bool straight = false;
    for (uint64_t call = 1; call < 90; call += 1 + (call % 3 == 2)) {
        TEAM_CHECK(exchange(g, call, 0, 32 * KIB, -1) == OB_OK, "%s", ob_error_text());
        straight |= direct_of(g) && direct_of(g)->exchange.straight;
    }
    TEAM_CHECK(straight && !direct_of(g)->exchange.refused && direct_of(g)->exchange.own > 0,
               "no exchange went straight");
    ob_group_free(g);
}

/* Long rows of two classes are one call, which goes one way, and whose time counts. */
static void classes_work(team *team, int me)
{
    enum { MORE = 600000 / sizeof(double), LESS = 500000 / sizeof(double) };
    ob_group *g = team_group(team, me);
    double *out = calloc(2 * MORE, sizeof *out), *in = calloc(2 * MORE, sizeof *in);
    size_t sends[2] = {me ? LESS : 0, me ? 0 : MORE}, gets[2] = {me ? MORE : 0, me ? 0 : LESS};
    const ob_pieces from = {.base = out, .type = OB_DOUBLE, .counts = sends},
                    to = {.base = in, .type = OB_DOUBLE, .counts = gets};
    for (int call = 0; call < 30; call++) {
        out[0] = 10 * call + me;
        TEAM_CHECK(ob_all_to_all(g, &from, &to, NULL) == OB_OK, "%s", ob_error_text());
        TEAM_CHECK(in[0] == 10 * call + 1 - me, "call %d: %g", call, in[0]);
    }
    const ob_way *way = &direct_of(g)->way[OB_DIRECT_EXCHANGE][ob_way_class(600000)];
    TEAM_CHECK(way->usual > 0 && way->straight > 0, "ns a byte: %g, straight %g", way->usual,
               way->straight);
    TEAM_CHECK(direct_of(g)->exchange.own < 1e5, "ns a byte: %g", direct_of(g)->exchange.own);
    free(out);
    free(in);
    ob_group_free(g);
}

/* Two members with 16 KiB for each other, or 32 KiB together, and with less. */
static void least_work(team *team, int me)
{
    static _Thread_local double out[4 * KIB], in[4 * KIB];
    ob_group *g = team_group(team, me);
    for (size_t n = 2 * KIB - 1; n <= 2 * KIB; n++) {
        const ob_pieces from = {.base = out, .type = OB_DOUBLE, .count = n},
                        to = {.base = in, .type = OB_DOUBLE, .count = n};
        TEAM_CHECK(!ob_all_to_all(g, &from, &to, NULL) && !ob_collect(g, &to, NULL), "%zu", n);
        TEAM_CHECK(direct_of(g)->met == (n == 2 * KIB), "%zu", n);
    }
    TEAM_CHECK(direct_of(g)->exchange.straight, "as many bytes as in a collect");
    ob_group_free(g);
}

/* What one member does not want is not done to it. */
static void never_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    if (me == 1)
        team->job[me]->set.one_copy = OB_ONE_COPY_NEVER;
    for (uint64_t call = 0; call < 20; call++)
        TEAM_CHECK(exchange(g, call, 0, 32 * KIB, -1) == OB_OK, "%s", ob_error_text());
    TEAM_CHECK(direct_of(g)->exchange.refused, "it was not heard");
    ob_group_free(g);
}

/* One member is wrong about what it gets: it alone is told, and the next calls go well. */
static void wrong_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    for (uint64_t call = 0; call < 40; call++) {
        int wrong = call % 2 ? (int)(call / 2) % g->size : -1;
        size_t n = (size_t)8 << (call * 7 % 13);
        int status = exchange(g, call, 0, n, wrong);
        TEAM_CHECK(status == (me == wrong ? OB_ESIZE : OB_OK), "call %d: status %d, %s", (int)call,
                   status, ob_error_text());
    }
    ob_group_free(g);
}

static void run_exchanges(int count, int one_copy, void (*work)(team *, int))
{
    const ob_settings set = {.spin_us = -1, .one_copy = one_copy};
    atomic_store(&team_failures, 0);
    team_open(&t, count, (size_t)HEAP, &set);
    team_run(&t, work);
    team_close(&t);
    assert_int_equal(atomic_load(&team_failures), 0);
}

static void test_exchanges(void **unused)
{
    run_exchanges(2, OB_ONE_COPY_AUTO, classes_work);
    run_exchanges(2, OB_ONE_COPY_ALWAYS, least_work);
    run_exchanges(TEAM_MOST, OB_ONE_COPY_ALWAYS, many_work);
    for (int count = 2; count <= 4; count++) {
        run_exchanges(count, OB_ONE_COPY_ALWAYS, unread_work);
        run_exchanges(count, OB_ONE_COPY_ALWAYS, never_work);
        run_exchanges(count, OB_ONE_COPY_AUTO, timed_work);
        run_exchanges(count, OB_ONE_COPY_ALWAYS, wrong_work);
        run_exchanges(count, OB_ONE_COPY_NEVER, wrong_work);
    }
}

/* ------------------------------------------------------------------ sizes that differ */

/* Members that differ by a class, and by being long or not, find out, and later agree again. */
static void sizes_work(team *team, int me)
{
    static const size_t length[][2] = {
        {8 * KIB, 8 * KIB - 1}, {32 * KIB, 8 * KIB}, {4 * KIB, 64 * KIB}, {64 * KIB, 64 * KIB + 8}};
    ob_group *g = team_group(team, me);
    for (uint64_t call = 0; call < 60; call++) {
        size_t n = call % 2 ? length[call / 2 % 4][me] : (size_t)8 * KIB << call % 3;
        ob_view v = form(0, n);
        fill(&v, call, me);
        int root = call % 6 < 2 ? OB_ANY : (int)(call / 6 % 2), first = root == OB_ANY ? 0 : root;
        bool wanted = root == OB_ANY || root == me;
        int status = ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL);
        TEAM_CHECK(status == (call % 2 ? OB_ESIZE : OB_OK) || (!wanted && n == 4 * KIB),
                   "call %d: status %d", (int)call, status);
        for (size_t k = 0; wanted && k < n && call % 2 == 0; k++)
            TEAM_CHECK(*at(&v, k) == sum_from(call, first, 2, k), "call %d, element %zu", (int)call,
                       k);
        free(v.base);
    }
    ob_group_free(g);
}

/* Short pieces beside a long one, all in several rounds: what is shown in one is read while the
 * next is shown, and must not be written again before. */
static void uneven_work(team *team, int me)
{
    ob_group *g = team_group(team, me);
    for (uint64_t call = 0; call < 12; call++) {
        size_t counts[TEAM_MOST];
        ob_view views[TEAM_MOST];
        for (int i = 0; i < g->size; i++) {
            counts[i] = (uint64_t)i == call % (uint64_t)g->size ? 384 * KIB : 500 + 10 * call;
            views[i] = form(0, counts[i]);
        }
        for (size_t k = 0; k < counts[me]; k++)
            *at(&views[me], k) = (double)(call * 100 + (uint64_t)me) + (double)k * 1e-6;
        const ob_pieces pieces = {.type = OB_DOUBLE, .views = views};
        TEAM_CHECK(ob_collect(g, &pieces, NULL) == OB_OK, "%s", ob_error_text());
        for (int i = 0; i < g->size; i++) {
            for (size_t k = 0; k<counts[i]; k += counts[i]> KIB ? 97 : 1)
                TEAM_CHECK(*at(&views[i], k) ==
                               (double)(call * 100 + (uint64_t)i) + (double)k * 1e-6,
                           "call %d, piece %d, element %zu", (int)call, i, k);
            drop(&views[i]);
        }
    }
    ob_group_free(g);
}

/* Member 1 alone finds itself wrong about a piece, which all know: they go on agreeing on the way.
 */
static void wrong_once_work(team *team, int me)
{
    enum { N = 5 * KIB, WRONG = 4 };
    ob_group *g = team_group(team, me);
    ob_operation sum_of = operation(false);
    double *room = calloc(3 * N, sizeof *room);
    size_t right[] = {N, N}, wrong[] = {N + 1, N};
    for (int call = 0; call < 300; call++) {
        bool errs = call == WRONG && me == 1;
        const ob_pieces p = {.base = room, .type = OB_DOUBLE, .counts = errs ? wrong : right};
        int status = call == WRONG - 1 ? ob_distributed_combine_by(g, &sum_of, &p, NULL)
                                       : ob_collect(g, &p, NULL);
        TEAM_CHECK(status == (errs ? OB_ESIZE : OB_OK), "call %d: %d, %s", call, status,
                   ob_error_text());
    }
    free(room);
    ob_group_free(g);
}

static void test_one_that_is_wrong_once(void **unused)
{
    run_exchanges(2, OB_ONE_COPY_AUTO, wrong_once_work);
}

static void test_short_pieces_beside_a_long_one(void **unused)
{
    for (int count = 2; count <= 4; count++)
        run_exchanges(count, OB_ONE_COPY_NEVER, uneven_work);
}

static void test_sizes_that_differ(void **unused)
{
    static const ob_settings set[] = {{.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS},
                                      {.spin_us = -1}};
    for (int i = 0; i < 2; i++) {
        atomic_store(&team_failures, 0);
        team_open(&t, 2, (size_t)HEAP, &set[i]);
        team_run(&t, sizes_work);
        team_close(&t);
        assert_int_equal(atomic_load(&team_failures), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_among_each_other),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_sizes_that_differ),
        cmocka_unit_test(test_one_that_is_wrong_once),
        cmocka_unit_test(test_short_pieces_beside_a_long_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
