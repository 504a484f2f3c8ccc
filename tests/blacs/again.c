/*
 * blacs_exit, and the BLACS again: grids left alive are released, contexts start
 * at 0, messages work; exit twice, or before anything, does no harm.
 */
#include "harness.h"

static void use(int round)
{
    int n = world.count, context = make_grid(1, n), left = make_grid(n, 1), x = world.me, got = -1;
    check(context == 0 && left == 1, "round %d: contexts %d and %d", round, context, left);
    Cigesd2d(left, 1, 1, &x, 1, (world.me + 1) % n, 0);
    Cigerv2d(left, 1, 1, &got, 1, (world.me + n - 1) % n, 0);
    check(got == (world.me + n - 1) % n, "round %d: received %d", round, got);
    Cigsum2d(context, "A", " ", 1, 1, &x, 1, -1, -1);
    check(x == n * (n - 1) / 2, "round %d: sum %d", round, x);
    Cblacs_gridexit(context);
}

int main(void)
{
    Cblacs_exit(1);
    begin();
    int me = world.me, count = world.count, rows, columns, row, column;
    for (int round = 0; round < 20; round++) {
        use(round);
        Cblacs_exit(1);
        if (round % 2)
            Cblacs_exit(1);
        Cblacs_gridinfo(1, &rows, &columns, &row, &column);
        check(rows == -1, "a grid lives after blacs_exit");
        if (round % 3)
            begin();
        check(me == world.me && count == world.count, "round %d: %d of %d", round, world.me,
              world.count);
    }
    return finish();
}
