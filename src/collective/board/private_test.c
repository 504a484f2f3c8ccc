/*
 * Scatters and gathers of which the root alone knows the sizes, processes as threads: pieces of
 * every length among each other, a member that names another size, and one in another call.
 */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_every_length_come_right),
        cmocka_unit_test(another_size_is_found_where_the_piece_goes),
        cmocka_unit_test(another_call_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
