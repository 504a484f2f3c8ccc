/*
 * Vectors cut into pieces: all of it comes, and none begins with the pieces of a shorter one.
 */
#include "collective/data/piece.h"
#include "unit.h"

enum { PIECES = 64 };

typedef struct word {
    size_t piece[PIECES];
    int count;
} word;

/* How long the first piece is. */
typedef enum start { ALIKE, FIRST, SHORT } start;

static size_t piece_of(start first, size_t left, size_t n, size_t most)
{
    if (left < n || first == ALIKE)
        return ob_piece_next(left, most);
    return first == FIRST ? ob_piece_first(left, n, most) : ob_piece_short_first(n, most);
}

static word cut(size_t n, size_t most, start first)
{
    word w = {.count = 0};
    size_t left = n;
    do {
        size_t piece = piece_of(first, left, n, most);
        assert_true(w.count < PIECES && piece <= left && piece <= most);
        w.piece[w.count++] = piece;
        left -= piece;
    } while (ob_piece_followed(w.piece[w.count - 1], most));
    assert_int_equal(left, 0);
    return w;
}

/* Is there a shorter vector whose pieces are the first ones of this? */
static bool has_beginning(const word *w, size_t most, start first)
{
    size_t sum = 0;
    for (int k = 0; k < w->count - 1; k++) {
        sum += w->piece[k];
        word other = cut(sum, most, first);
        bool same = other.count == k + 1;
        for (int i = 0; i <= k && same; i++)
            same = other.piece[i] == w->piece[i];
        if (same)
            return true;
    }
    return false;
}

static void test_none_begins_with_another(void **state)
{
    static const size_t wanted[] = {1, 68, 69, 130, 500, 1000, 7680};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        size_t most = ob_piece_most(wanted[k]);
        assert_true(most <= wanted[k] || most == OB_PIECE_MORE);
        for (size_t n = 0; n<20 * most; n += n> 3 * most ? 7 : 1)
            for (int first = ALIKE; first <= SHORT; first++) {
                word w = cut(n, most, (start)first);
                assert_false(has_beginning(&w, most, (start)first));
            }
    }
}

/* As halving sends it, beside a vector of that length. */
static void test_half_begins_unlike_the_whole_of_one(void **state)
{
    size_t most = ob_piece_most(7680);
    for (size_t n = most + 1; n < 50 * most; n += 61)
        assert_int_not_equal(ob_piece_first(n, n, most), ob_piece_first(n, 2 * n, most));
}

/* Of two vectors of several pieces, one of which has one piece more. */
static void test_a_short_first_piece_says_how_many_follow(void **state)
{
    size_t most = ob_piece_most(7680);
    for (size_t n = most + 1; n < 50 * most; n += 61) {
        assert_int_equal(ob_piece_behind(n + most, most), ob_piece_behind(n, most) + 1);
        assert_int_not_equal(ob_piece_short_first(n, most), ob_piece_short_first(n + most, most));
    }
}

/* A message that need not be cut is one. */
static void test_one_piece(void **state)
{
    for (size_t n = 0; n < 10000; n++) {
        word w = cut(n, 20000, FIRST);
        assert_int_equal(w.count, 1);
    }
    assert_int_equal(cut(4096, ob_piece_most(4096), FIRST).count, 2);
    assert_int_equal(cut(32768, ob_piece_most(16384), ALIKE).count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_begins_with_another),
        cmocka_unit_test(test_half_begins_unlike_the_whole_of_one),
        cmocka_unit_test(test_a_short_first_piece_says_how_many_follow),
        cmocka_unit_test(test_one_piece)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
