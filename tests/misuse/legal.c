/*
 * Legal programs, drawn by lot: every process draws the same, so that all calls agree. Grids
 * and lists of processes come and go; messages, wildcard receives, broadcasts, combines and
 * barriers of all types and scopes follow each other with pauses and work between
 * them. At levels 2 and 3 of OPENBLACS_CHECK there must be no alarm, and all data be right.
 *
 *   legal SEED SECONDS
 *   legal threads       one thread waits for what another makes possible after a second
 */
#include "../blacs/harness.h"

#include <pthread.h>
#include <unistd.h>

#include "hooks/topology.h"
#include "openblacs/blacs_extensions.h"

enum { MOST = 40 };

typedef struct ground {
    int context, nprow, npcol, row, column, me, count;
} ground;

static void dawdle(dice *d)
{
    int who = roll(d, world.count), how = roll(d, 12);
    if (who != world.me || how > 2)
        return;
    if (how == 0) {
        usleep(20000);
    } else {
        volatile double x = 0;
        for (int i = 0; i < 3000000; i++)
            x += i;
        check(x > 0, "work");
    }
}

/* Everybody sends to the one `shift` further on. */
static void shift(dice *d, const ground *g)
{
    const routines *r = &all_routines[roll(d, ROUTINES)];
    int m = 1 + roll(d, MOST), n = 1 + roll(d, MOST), by = roll(d, g->count);
    uint64_t seed = (uint64_t)roll(d, 1000000);
    char shape = "0UL"[roll(d, 3)];
    shape = shape == '0' ? 0 : shape;
    const char uplo[2] = {shape, 0};
    int to = (g->me + by) % g->count, from = (g->me + g->count - by) % g->count;
    unsigned char *a = new_matrix(r->bytes, shape, 'N', m, n, m, seed + (uint64_t)g->me, 1);
    unsigned char *b = new_matrix(r->bytes, shape, 'N', m, n, m, 0, 0);
    if (shape) {
        r->trsd(g->context, uplo, "N", m, n, a, m, to / g->npcol, to % g->npcol);
        r->trrv(g->context, uplo, "N", m, n, b, m, from / g->npcol, from % g->npcol);
    } else {
        r->gesd(g->context, m, n, a, m, to / g->npcol, to % g->npcol);
        /* The same elements in another shape. */
        r->gerv(g->context, m * n, 1, b, m * n, from / g->npcol, from % g->npcol);
    }
    check(is_matrix(b, r->bytes, shape, 'N', m, n, m, seed + (uint64_t)from, 1), "a shift by %d",
          by);
    free(a);
    free(b);
}

/* All others send to one, who takes them as they come; then nobody goes on before that. */
static void gather_any(dice *d, const ground *g)
{
    int who = roll(d, g->count), seen = 0, text[2];
    if (g->me != who) {
        text[0] = text[1] = g->me;
        Cigesd2d(g->context, 2, 1, text, 2, who / g->npcol, who % g->npcol);
    }
    for (int k = 1; k < g->count && g->me == who; k++) {
        int row, column;
        Cigerv2d(g->context, 2, 1, text, 2, -1, -1);
        Cblacs_source(g->context, &row, &column);
        seen += text[0] == row * g->npcol + column && text[1] == text[0];
    }
    check(g->me != who || seen == g->count - 1, "%d of %d wildcard receives", seen, g->count - 1);
    Cblacs_barrier(g->context, "A");
}

static char roll_top(dice *d)
{
    int count = 0;
    while (ob_topology_at(count))
        count++;
    int t = roll(d, count + 3);
    return t < count ? ob_topology_at(t)->letter : (char)('1' + t - count);
}

static void broadcast(dice *d, const ground *g, char scope)
{
    const routines *r = &all_routines[roll(d, ROUTINES)];
    const char s[2] = {scope, 0}, top[2] = {roll_top(d), 0};
    int m = 1 + roll(d, MOST), n = 1 + roll(d, MOST), row = roll(d, g->nprow),
        column = roll(d, g->npcol);
    uint64_t seed = (uint64_t)roll(d, 1000000);
    int source = (scope == 'R' || row == g->row) && (scope == 'C' || column == g->column);
    unsigned char *a = new_matrix(r->bytes, 0, 'N', m, n, m, seed, source);
    if (source)
        r->gebs(g->context, s, top, m, n, a, m);
    else
        r->gebr(g->context, s, top, n, m, a, n, row, column);
    check(is_matrix(a, r->bytes, 0, 'N', m, n, m, seed, 1), "a broadcast, scope %c, top %s", scope,
          top);
    free(a);
}

static void sum(dice *d, const ground *g, char scope)
{
    const char s[2] = {scope, 0}, top[2] = {roll_top(d), 0};
    static double a[MOST * MOST];
    int m = 1 + roll(d, MOST), n = 1 + roll(d, MOST), all = roll(d, 2), bad = 0;
    int row = roll(d, g->nprow), column = roll(d, g->npcol);
    int members = scope == 'R' ? g->npcol : scope == 'C' ? g->nprow : g->count;
    int mine = all || ((scope == 'R' || row == g->row) && (scope == 'C' || column == g->column));
    for (int i = 0; i < m * n; i++)
        a[i] = i;
    if (roll(d, 2))
        Cdgsum2d(g->context, s, top, m, n, a, m, all ? -1 : row, column);
    else
        Cdtksm2d(g->context, s, top, "G", g->me % 2 ? "U" : "N", m, n, a, m, all ? -1 : row,
                 column);
    for (int i = 0; mine && i < m * n; i++)
        bad += a[i] != (double)i * members;
    check(bad == 0, "%d of the sums over %d, scope %c, top %s", bad, members, scope, top);
}

static void largest(dice *d, const ground *g, char scope)
{
    const char s[2] = {scope, 0}, top[2] = {roll_top(d), 0};
    int a[3] = {g->me, -g->me, 7}, ra[3], ca[3], wanted = roll(d, 2) ? 3 : -1;
    Cigamx2d(g->context, s, top, 3, 1, a, 3, ra, ca, wanted, -1, -1);
    check(a[2] == 7 && a[0] == -a[1], "largest values, scope %c, top %s", scope, top);
}

static void one_call(dice *d, const ground *g);

/* A sum and a broadcast go on beside another call. */
static void meanwhile(dice *d, const ground *g, char scope)
{
    const char s[2] = {scope, 0}, top[2] = {roll_top(d), 0};
    int members = scope == 'R' ? g->npcol : scope == 'C' ? g->nprow : g->count;
    int first = scope == 'R' ? g->column == 0 : scope == 'C' ? g->row == 0 : g->me == 0;
    int n = 1 + roll(d, MOST), request[2], word = first ? n : -1, done = 0, bad = 0;
    double a[MOST];
    for (int i = 0; i < n; i++)
        a[i] = i;
    Cdgsum2d_begin(g->context, s, top, n, 1, a, n, -1, -1, &request[0]);
    if (first)
        Cigebs2d_begin(g->context, s, top, 1, 1, &word, 1, &request[1]);
    else
        Cigebr2d_begin(g->context, s, top, 1, 1, &word, 1, scope == 'R' ? g->row : 0,
                       scope == 'C' ? g->column : 0, &request[1]);
    one_call(d, g);
    if (roll(d, 2))
        while (!done)
            Cblacs_test(&request[1], &done);
    Cblacs_waitall(2, request);
    for (int i = 0; i < n; i++)
        bad += a[i] != (double)i * members;
    check(bad == 0 && word == n, "begun, scope %c, top %s: %d sums, word %d", scope, top, bad,
          word);
}

static void one_call(dice *d, const ground *g)
{
    char scope = "RCA"[roll(d, 3)];
    switch (roll(d, 9)) {
    case 0:
    case 1: shift(d, g); break;
    case 2: gather_any(d, g); break;
    case 3:
    case 4: broadcast(d, g, scope); break;
    case 5: sum(d, g, scope); break;
    case 6: largest(d, g, scope); break;
    case 7: meanwhile(d, g, scope); break;
    default: Cblacs_barrier(g->context, scope == 'R' ? "R" : scope == 'C' ? "C" : "A");
    }
    dawdle(d);
}

/* Every other process of a grid: a scope, used for a while. */
static void use_list(dice *d, const ground *g)
{
    int prow[64], pcol[64], n = 0, scope, value, from = roll(d, 2);
    for (int k = from; k < g->count && n < 64; k += 2, n++) {
        prow[n] = k / g->npcol;
        pcol[n] = k % g->npcol;
    }
    if (n == 0)
        return;
    int root = roll(d, n);
    Cblacs_scope(g->context, n, prow, pcol, &scope);
    if (scope < 0)
        return;
    value = g->row == prow[root] && g->column == pcol[root] ? 42 : 0;
    if (value)
        Cigebs2d(scope, "A", " ", 1, 1, &value, 1);
    else
        Cigebr2d(scope, "A", " ", 1, 1, &value, 1, prow[root], pcol[root]);
    Cigsum2d(scope, "A", "h", 1, 1, &value, 1, -1, -1);
    check(value == 42 * n, "a scope of %d: %d", n, value);
    Cblacs_gridexit(scope);
}

static int second_grid;

static void *receive(void *unused)
{
    int value = 0;
    Cigerv2d(second_grid, 1, 1, &value, 1, 0, 1);
    check(value == 42, "the thread received %d", value);
    return unused;
}

/* Process 0 has a thread that waits for process 1, which waits for the other thread. */
static int compute_beside(void)
{
    int grid = make_grid(1, 2), value = 42;
    second_grid = make_grid(1, 2);
    if (world.me == 0) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, receive, NULL) == 0, "no thread");
        double start = Cdwalltime00();
        while (Cdwalltime00() - start < 1) {
        }
        Cigesd2d(grid, 1, 1, &value, 1, 0, 1);
        pthread_join(thread, NULL);
    } else if (world.me == 1) {
        Cigerv2d(grid, 1, 1, &value, 1, 0, 0);
        Cigesd2d(second_grid, 1, 1, &value, 1, 0, 0);
    }
    return finish();
}

int main(int argc, char **argv)
{
    begin();
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        return compute_beside();
    dice d = {argc > 1 ? (uint64_t)atoll(argv[1]) : 1, 0};
    double seconds = argc > 2 ? atof(argv[2]) : 1, start = Cdwalltime00();
    int rounds = 0;
    for (int go = 1; go; rounds++) {
        ground g = {.nprow = 1 + roll(&d, world.count)};
        g.npcol = 1 + roll(&d, world.count / g.nprow);
        g.count = g.nprow * g.npcol;
        g.context = make_grid(g.nprow, g.npcol);
        Cblacs_gridinfo(g.context, &g.nprow, &g.npcol, &g.row, &g.column);
        g.me = g.row * g.npcol + g.column;
        dice inner = {d.seed + (uint64_t)rounds, 0};
        for (int k = 5 + roll(&d, 30); k > 0 && g.context >= 0; k--)
            one_call(&inner, &g);
        if (g.context >= 0) {
            use_list(&inner, &g);
            Cblacs_gridexit(g.context);
        }
        int all = make_grid(1, world.count);
        go = Cdwalltime00() - start < seconds;
        Cigamn2d(all, "A", " ", 1, 1, &go, 1, NULL, NULL, -1, -1, -1);
        Cblacs_gridexit(all);
    }
    check(rounds > 0, "no round");
    return finish();
}
