/*
 * Scatters and gathers of which the root alone knows the sizes, processes as threads: pieces of
 * every length among each other, a member that names another size, and one in another call. And
 * long scatters, read straight from the root: members that come late, that cannot or may not read
 * it, and sizes that differ.
 */
#define TEAM_MOST (OB_NOTE_INLINE / 2 + 2)
#include "collective/board/direct.h"
#include "core/group.h"
#include "hooks/collective.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 64 << 20, MOST = 100000, MEMBERS_MOST = 5, CALLS = TEAM_SLOW ? 40 : 200 };

/* Nothing; notes; lent memory; messages. */
static const size_t lengths[] = {0, 1, 8, 60, 96, 97, 4000, 65536, 65537, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Now all short, now all sorts. */
static size_t length_of(uint64_t call, int member)
{
    return lengths[team_mix(call * 8 + (uint64_t)member) % (call % 3 ? LENGTHS : 4)];
}

static char value(uint64_t call, int member, size_t k)
{
    return (char)(team_mix(call * 8 + (uint64_t)member) + k * 7);
}

static void fill(char *piece, uint64_t call, int member)
{
    for (size_t k = 0; k < length_of(call, member); k++)
        piece[k] = value(call, member, k);
}

static bool is_right(const char *piece, uint64_t call, int member)
{
    for (size_t k = 0; k < length_of(call, member); k++)
        if (piece[k] != value(call, member, k))
            return false;
    return true;
}

/* One call; `wrong`: we name a byte more than we should. */
static int run_call(ob_group *g, bool scatter, int root, uint64_t call, char *const piece[],
                    bool wrong)
{
    ob_view view[MEMBERS_MOST];
    for (int i = 0; i < g->size; i++)
        view[i] = ob_view_of_bytes(piece[i], length_of(call, i));
    ob_view mine = ob_view_of_bytes(piece[g->me], length_of(call, g->me) + wrong);
    const ob_pieces all = {.type = OB_BYTE, .views = view, .private_sizes = 1};
    const ob_pieces none = {.type = OB_BYTE, .private_sizes = 1};
    const ob_pieces *pieces = g->me == root ? &all : &none;
    const ob_view *own = g->me == root ? NULL : &mine;
    return scatter ? ob_scatter(g, root, pieces, own, NULL) : ob_gather(g, root, pieces, own, NULL);
}

static void right_call(ob_group *g, bool scatter, int root, uint64_t call, char *const piece[])
{
    for (int i = 0; i < g->size; i++) {
        memset(piece[i], 0x55, MOST);
        if (scatter ? g->me == root : i == g->me)
            fill(piece[i], call, i);
    }
    TEAM_CHECK(run_call(g, scatter, root, call, piece, false) == OB_OK, "call %llu: %s",
               (unsigned long long)call, ob_error_text());
    for (int i = 0; i < g->size; i++)
        TEAM_CHECK(!(scatter ? i == g->me : g->me == root) || is_right(piece[i], call, i),
                   "call %llu: piece %d", (unsigned long long)call, i);
}

static void open_pieces(char *piece[])
{
    for (int i = 0; i < MEMBERS_MOST; i++)
        piece[i] = malloc(MOST + 1);
}

static void close_pieces(char *piece[])
{
    for (int i = 0; i < MEMBERS_MOST; i++)
        free(piece[i]);
}

static void move_all(team *t, int me)
{
    ob_group *g = team_group(t, me);
    char *piece[MEMBERS_MOST];
    open_pieces(piece);
    for (uint64_t call = 0; call < CALLS; call++)
        right_call(g, call & 1, (int)(team_mix(call) % (uint64_t)g->size), call, piece);
    close_pieces(piece);
    ob_group_free(g);
}

static void pieces_of_every_length_come_right(void **state)
{
    for (int members = 2; members <= MEMBERS_MOST; members++)
        assert_int_equal(team_try(members, HEAP, NULL, move_all, NULL), 0);
}

/* Whoever gets the piece finds out, and nobody else; the next call is right. */
static void misname(team *t, int me)
{
    ob_group *g = team_group(t, me);
    char *piece[MEMBERS_MOST];
    open_pieces(piece);
    for (uint64_t call = 0; call < LENGTHS * 2; call++) {
        bool scatter = call & 1;
        int status = run_call(g, scatter, 0, call, piece, me == 1);
        int wanted = me == (scatter ? 1 : 0) ? OB_ESIZE : OB_OK;
        TEAM_CHECK(status == wanted, "call %llu: %d, %s", (unsigned long long)call, status,
                   ob_error_text());
        OK(ob_barrier(g));
        right_call(g, scatter, 0, call + 1, piece);
    }
    close_pieces(piece);
    ob_group_free(g);
}

/* On a board, and as messages. */
static void another_size_is_found_where_the_piece_goes(void **state)
{
    const ob_settings tiers = {.spin_us = -1, .tiers = {2, true}};
    assert_int_equal(team_try(3, HEAP, NULL, misname, NULL), 0);
    assert_int_equal(team_try(5, HEAP, &tiers, misname, NULL), 0);
}

/* The root is in another call than the others. */
static void stray(team *t, int me)
{
    ob_group *g = team_group(t, me);
    char *piece[MEMBERS_MOST];
    open_pieces(piece);
    OK(ob_barrier(g));
    int status = me == 0 ? ob_barrier(g) : run_call(g, true, 0, 0, piece, false);
    TEAM_CHECK(status == (me == 0 ? OB_OK : OB_ESIZE), "%d: %s", status, ob_error_text());
    TEAM_CHECK(me == 0 || strstr(ob_error_text(), "is in another collective call"), "%s",
               ob_error_text());
    status = me == 0 ? run_call(g, false, 0, 0, piece, false) : ob_barrier(g);
    TEAM_CHECK(status == (me == 0 ? OB_ESIZE : OB_OK), "%d: %s", status, ob_error_text());
    OK(ob_barrier(g));
    close_pieces(piece);
    ob_group_free(g);
}

static void another_call_is_found(void **state)
{
    assert_int_equal(team_try(3, HEAP, NULL, stray, NULL), 0);
}

/* ----------------------------------------------------------- short pieces, on slates */

/* Who brings its piece waits for nobody, as long as there are notes. */
static void bring_ahead(team *t, int me)
{
    enum { BATCHES = 8, BATCH = 6, BYTES = 200 };
    ob_group *g = team_group(t, me);
    atomic_int *brought = t->user;
    char own[BYTES], all[MEMBERS_MOST * BYTES];
    const ob_view mine = ob_view_of_bytes(own, BYTES);
    const ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = BYTES, .private_sizes = 1};
    OK(ob_barrier(g)); /* all wait for the board once */
    for (int call = 0; call < BATCHES * BATCH; call++) {
        const int due = (call / BATCH + 1) * BATCH * (g->size - 1);
        for (int i = 0; me == 0 && atomic_load(brought) < due && i < 10000; i++)
            team_sleep_us(1000);
        TEAM_CHECK(me || atomic_load(brought) >= due, "call %d: somebody waits", call);
        memset(own, call + me, BYTES);
        OK(ob_gather(g, 0, &pieces, me ? &mine : NULL, NULL));
        for (int i = 1; i < g->size && me == 0; i++)
            TEAM_CHECK(all[i * BYTES] == (char)(call + i) &&
                           all[(i + 1) * BYTES - 1] == (char)(call + i),
                       "call %d, member %d", call, i);
        atomic_fetch_add(brought, me > 0);
        OK(call % BATCH == BATCH - 1 ? ob_barrier(g) : OB_OK);
    }
    ob_group_free(g);
}

static void who_brings_is_ahead(void **state)
{
    for (int members = 3; members <= MEMBERS_MOST; members++) {
        atomic_int brought = 0;
        assert_int_equal(team_try(members, HEAP, NULL, bring_ahead, &brought), 0);
    }
}

/* Calls that wait for all and calls that do not show what they have on the same two slates. Where
 * all are known to be done with them, what is short is there. */
static void among_others(team *t, int me)
{
    enum { MIXED = TEAM_SLOW ? 300 : 3000, LEAST = 97, SPAN = 900 };
    ob_group *g = team_group(t, me);
    uint64_t own = (uint64_t)me, shown = 0;
    char *all = malloc((size_t)g->size * (LEAST + SPAN)), piece[LEAST + SPAN];
    for (uint64_t call = 0; call < MIXED; call++) {
        uint64_t h = team_mix(call);
        size_t n = LEAST + h % SPAN;
        int root = (int)(h >> 20 & 0xffff) % g->size;
        double sum = (double)call + me;
        ob_view mine = ob_view_of_bytes(piece, n), one = ob_view_vector(&sum, 1, OB_DOUBLE);
        const ob_pieces pieces = {
            .base = all, .type = OB_BYTE, .count = n, .private_sizes = h >> 40 & 1};
        bool scatter = h >> 41 & 1;
        if (team_draw(&own) % 64 == 0)
            team_sleep_us(team_draw(&own) % 50);
        memset(piece, (int)call + me, n);
        for (int i = 0; i < g->size; i++)
            memset(all + (size_t)i * n, (int)call + i, n);
        if (h >> 42 & 1)
            OK(ob_combine(g, OB_ANY, OB_SUM, &one, NULL, 0, NULL));
        if (h >> 43 & 1)
            OK(ob_collect(g, &(ob_pieces){.base = all, .type = OB_BYTE, .count = n}, NULL));
        if (scatter)
            OK(ob_scatter(g, root, &pieces, me == root ? NULL : &mine, NULL));
        else
            OK(ob_gather(g, root, &pieces, me == root ? NULL : &mine, NULL));
        shown = g->board->shown;
        for (size_t k = 0; k < n && scatter; k++)
            TEAM_CHECK(piece[k] == (char)(call + (uint64_t)me), "call %d, byte %zu", (int)call, k);
        for (size_t k = 0; k < (size_t)g->size * n && me == root; k++)
            TEAM_CHECK(all[k] == (char)(call + k / n), "call %d, byte %zu", (int)call, k);
    }
    TEAM_CHECK(shown > MIXED / 16, "%d times alone", (int)shown);
    free(all);
    ob_group_free(g);
}

static void slates_are_shared_with_other_calls(void **state)
{
    for (int members = 3; members <= MEMBERS_MOST; members++)
        assert_int_equal(team_try(members, HEAP, NULL, among_others, NULL), 0);
}

/* So many members that the sizes do not fit into a note. */
static void to_many(team *t, int me)
{
    enum { EACH_MOST = 200 };
    ob_group *g = team_group(t, me);
    char all[TEAM_MOST * EACH_MOST], piece[EACH_MOST];
    for (size_t n = 1; n <= EACH_MOST; n += 33) {
        ob_view mine = ob_view_of_bytes(piece, n);
        const ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = n, .private_sizes = 1};
        for (int i = 0; i < g->size; i++)
            memset(all + (size_t)i * n, i, n);
        OK(ob_scatter(g, 2, &pieces, me == 2 ? NULL : &mine, NULL));
        TEAM_CHECK(me == 2 || (piece[0] == (char)me && piece[n - 1] == (char)me), "%zu", n);
    }
    ob_group_free(g);
}

static void sizes_beside_the_note(void **state)
{
    assert_int_equal(team_try(TEAM_MOST, 1 << 20, NULL, to_many, NULL), 0);
}

/* ------------------------------------------------------------------- long scatters */

enum { LONG = 12000, LONG_CALLS = TEAM_SLOW ? 20 : 60 }; /* doubles */

static double number(uint64_t call, int member, size_t k)
{
    return (double)(call * 16 + (uint64_t)member) + (double)k * 1e-6;
}

static size_t long_length(uint64_t call, int member)
{
    return (size_t)LONG - 1000 * (team_mix(call * 8 + (uint64_t)member) % 8);
}

/* The root's matrix is overwritten as soon as its call is over. Now and then each piece lies in
 * short runs that are not worth reading, or has no bytes, or its member comes late. */
static int long_scatter(ob_group *g, int root, uint64_t call, bool private, bool wrong)
{
    static const size_t stride = (size_t)2 * LONG;
    bool runs = call % 8 == 3;
    size_t n = private ? 0 : long_length(call, 0), own = n ? n : long_length(call, g->me);
    double *from = calloc(stride * (size_t)g->size, sizeof *from), *to = calloc(LONG, sizeof *to);
    ob_view view[MEMBERS_MOST];
    for (int i = 0; i < g->size; i++) {
        size_t bytes = n ? n : long_length(call, i);
        bytes = call % 16 == 5 && i == g->size - 1 ? 0 : bytes;
        own = i == g->me ? bytes : own;
        for (size_t k = 0; k < bytes; k++)
            from[(size_t)i * stride + (runs ? k + k / 8 * 8 : k)] = number(call, i, k);
        view[i] = ob_view_vector(from + (size_t)i * stride, bytes, OB_DOUBLE);
        if (runs)
            view[i] = (ob_view){
                .base = view[i].base, .m = 8, .n = bytes / 8, .ld = 16, .type = OB_DOUBLE};
    }
    ob_view mine = ob_view_vector(to, own + wrong, OB_DOUBLE);
    size_t counts[MEMBERS_MOST];
    for (int i = 0; i < g->size; i++)
        counts[i] = ob_view_count(&view[i]) + (wrong && i == g->me);
    const ob_pieces all = {.type = OB_DOUBLE, .views = view, .private_sizes = private},
                    away = {.type = OB_DOUBLE,
                            .counts = private ? NULL : counts,
                            .private_sizes = private};
    int status = g->me == root ? ob_scatter(g, root, &all, NULL, NULL)
                               : ob_scatter(g, root, &away, &mine, NULL);
    memset(from, 0x55, stride * (size_t)g->size * sizeof *from);
    for (size_t k = 0; k < own && g->me != root && status == OB_OK; k++)
        TEAM_CHECK(to[k] == number(call, g->me, k), "call %llu, number %zu: %g",
                   (unsigned long long)call, k, to[k]);
    free(from);
    free(to);
    return status;
}

static void scatter_long(team *t, int me)
{
    ob_group *g = team_group(t, me);
    uint64_t own = (uint64_t)me;
    for (uint64_t call = 0; call < LONG_CALLS; call++) {
        if (team_draw(&own) % 4 == 0)
            team_sleep_us(team_draw(&own) % 300);
        OK(long_scatter(g, (int)(call % (uint64_t)g->size), call, call / 8 % 2, false));
    }
    ob_group_free(g);
}

/* Whatever the members' settings. */
static void long_scatters_come_right(void **state)
{
    static const int choices[] = {OB_ONE_COPY_NEVER, OB_ONE_COPY_AUTO, OB_ONE_COPY_ALWAYS};
    for (int members = 3; members <= MEMBERS_MOST; members++)
        for (int i = 0; i < 3; i++) {
            const ob_settings set = {.spin_us = -1, .one_copy = choices[i]};
            uint64_t before = ob_way_counted(OB_WAY_COLLECTIVES, true);
            assert_int_equal(team_try(members, HEAP, &set, scatter_long, NULL), 0);
            uint64_t straight = ob_way_counted(OB_WAY_COLLECTIVES, true) - before;
            assert_true(choices[i] == OB_ONE_COPY_NEVER ? straight == 0 : straight > 0);
        }
}

/* One does not want it: the root hears that once, and that one gets messages. */
static void one_never(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 1)
        t->job[me]->set.one_copy = OB_ONE_COPY_NEVER;
    for (uint64_t call = 16; call < 19; call++) {
        OK(ob_barrier(g));
        OK(long_scatter(g, 0, call, call % 2, false));
        TEAM_CHECK(me || g->board->direct->scatter.refused || g->board->direct->scatter.missed,
                   "it was not heard");
    }
    ob_group_free(g);
}

/* Nobody can read the root. */
static void unread(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0)
        atomic_store(&t->job[me]->shm->own->pid, 1);
    for (uint64_t call = 16; call < 19; call++) {
        OK(ob_barrier(g));
        OK(long_scatter(g, 0, call, call % 2, false));
    }
    ob_group_free(g);
}

enum { LATE_CALLS = 20 };

/* The root waits for nobody who has not come: the last comes when the root has left. After some
 * such calls it seldom offers to. */
static void come_last(team *t, int me)
{
    ob_group *g = team_group(t, me);
    atomic_int *left = t->user;
    for (int call = 0; call < LATE_CALLS; call++) {
        OK(ob_barrier(g));
        if (me == g->size - 1)
            while (atomic_load(left) <= call)
                team_sleep_us(100);
        OK(long_scatter(g, 0, 16 + (uint64_t)call % 3, call % 2, false));
        if (me == 0)
            atomic_fetch_add(left, 1);
    }
    TEAM_CHECK(me || g->board->direct->scatter.missed > 0, "it was not late");
    ob_group_free(g);
}

static void who_cannot_or_comes_late_gets_messages(void **state)
{
    const ob_settings set = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};
    for (int members = 3; members <= MEMBERS_MOST; members++) {
        atomic_int left = 0;
        assert_int_equal(team_try(members, HEAP, &set, one_never, NULL), 0);
        assert_int_equal(team_try(members, HEAP, &set, unread, NULL), 0);
        uint64_t before = ob_way_counted(OB_WAY_COLLECTIVES, true);
        assert_int_equal(team_try(members, HEAP, &set, come_last, &left), 0);
        uint64_t straight = ob_way_counted(OB_WAY_COLLECTIVES, true) - before;
        assert_in_range(straight, members, LATE_CALLS / 2 * members);
    }
}

/* A piece is longer than the root's whole heap, and its member comes late: the root waits. */
static void longer_than_heap(team *t, int me)
{
    enum { HUGE = 256 << 10 };
    ob_group *g = team_group(t, me);
    double *from = malloc(3 * HUGE * sizeof *from), *to = malloc(HUGE * sizeof *to);
    ob_view mine = ob_view_vector(to, HUGE, OB_DOUBLE);
    for (int call = 0; call < 4; call++) {
        for (size_t k = 0; k < (size_t)3 * HUGE && me == 0; k++)
            from[k] = number((uint64_t)call, (int)(k / HUGE), k % HUGE);
        const ob_pieces pieces = {
            .base = from, .type = OB_DOUBLE, .count = HUGE, .private_sizes = call % 2};
        OK(ob_barrier(g));
        team_sleep_us(me == 2 ? 20000 : 0);
        OK(ob_scatter(g, 0, &pieces, me ? &mine : NULL, NULL));
        for (size_t k = 0; k < HUGE && me; k++)
            TEAM_CHECK(to[k] == number((uint64_t)call, me, k), "call %d, number %zu", call, k);
        memset(from, 0x55, 3 * HUGE * sizeof *from);
    }
    ob_group_free(g);
    free(from);
    free(to);
}

/* What the root shows is given back by all: its heap does not fill. */
static void again_and_again(team *t, int me)
{
    enum { SOME = 4096, CALLS = 1500 };
    ob_group *g = team_group(t, me);
    double *from = calloc((size_t)SOME * (size_t)g->size, sizeof *from),
           *to = calloc(SOME, sizeof *to);
    ob_view mine = ob_view_vector(to, SOME, OB_DOUBLE);
    const ob_pieces pieces = {.base = from, .type = OB_DOUBLE, .count = SOME};
    size_t before = 0;
    for (int call = 0; call < CALLS; call++) {
        OK(ob_barrier(g));
        OK(ob_scatter(g, 0, &pieces, me ? &mine : NULL, NULL));
        if (call == 10 || call == CALLS - 1)
            OK(ob_barrier(g));
        before = call == 10 ? ob_heap_in_use(&t->job[me]->shm->heap) : before;
    }
    ob_heap_trim(&t->job[me]->shm->heap);
    size_t now = ob_heap_in_use(&t->job[me]->shm->heap);
    TEAM_CHECK(now <= before + (16 << 10), "%zu bytes, and then %zu", before, now);
    ob_group_free(g);
    free(from);
    free(to);
}

static void what_is_shown_is_given_back(void **state)
{
    const ob_settings set = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};
    uint64_t before = ob_way_counted(OB_WAY_COLLECTIVES, true);
    assert_int_equal(team_try(3, HEAP, &set, again_and_again, NULL), 0);
    assert_true(ob_way_counted(OB_WAY_COLLECTIVES, true) - before > 0);
}

static void a_late_piece_longer_than_the_heap_is_waited_for(void **state)
{
    static const size_t heap = 1 << 20;
    for (int i = 0; i < 2; i++) {
        const ob_settings set = {.spin_us = -1,
                                 .heap_bytes = heap,
                                 .heap_seconds = 1,
                                 .one_copy = i ? OB_ONE_COPY_ALWAYS : OB_ONE_COPY_AUTO};
        assert_int_equal(team_try(3, heap, &set, longer_than_heap, NULL), 0);
    }
}

/* One names a number more than the root has for it: it alone is told. Where the root alone knows
 * the sizes, the next call is right. */
static void misname_long(team *t, int me)
{
    ob_group *g = team_group(t, me);
    for (uint64_t call = 17; call < 23; call++) {
        bool private = call < 22, wrong = me == 1 && call % 2 == 0;
        int status = long_scatter(g, 0, call, private, wrong);
        TEAM_CHECK(status == (wrong ? OB_ESIZE : OB_OK), "call %llu: %d, %s",
                   (unsigned long long)call, status, ob_error_text());
        OK(private ? ob_barrier(g) : OB_OK);
    }
    ob_group_free(g);
}

static void another_long_size_is_found(void **state)
{
    static const int choices[] = {OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS};
    for (int i = 0; i < 2; i++) {
        const ob_settings set = {.spin_us = -1, .one_copy = choices[i]};
        assert_int_equal(team_try(3, HEAP, &set, misname_long, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_every_length_come_right),
        cmocka_unit_test(another_size_is_found_where_the_piece_goes),
        cmocka_unit_test(another_call_is_found),
        cmocka_unit_test(who_brings_is_ahead),
        cmocka_unit_test(slates_are_shared_with_other_calls),
        cmocka_unit_test(sizes_beside_the_note),
        cmocka_unit_test(long_scatters_come_right),
        cmocka_unit_test(who_cannot_or_comes_late_gets_messages),
        cmocka_unit_test(a_late_piece_longer_than_the_heap_is_waited_for),
        cmocka_unit_test(what_is_shown_is_given_back),
        cmocka_unit_test(another_long_size_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
