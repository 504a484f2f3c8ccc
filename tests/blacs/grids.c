/*
 * Grids: shapes and coordinates, orders and maps, grids of grids, sub-grids that
 * only their members make, many grids alive at once with their messages
 * interleaved, and context numbers that come back.
 */
#include "harness.h"

/* The grid's process at (row, column) must be number want(row, column). Each tells
 * (0,0), which knows the truth from the numbers it receives. */
static void check_members(int context, const int *want, const char *what)
{
    int rows, columns, row, column, number = world.me;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    check(want[row * columns + column] == world.me, "%s: process %d is at (%d,%d)", what, world.me,
          row, column);
    Cigesd2d(context, 1, 1, &number, 1, 0, 0);
    for (int k = 0; row == 0 && column == 0 && k < rows * columns; k++) {
        int r, c, got = -1;
        Cblacs_pcoord(context, k, &r, &c);
        check(r == k / columns && c == k % columns && Cblacs_pnum(context, r, c) == k,
              "%s: pnum and pcoord of %d", what, k);
        Cigerv2d(context, 1, 1, &got, 1, r, c);
        check(got == want[k], "%s: process %d at (%d,%d), not %d", what, got, r, c, want[k]);
    }
}

static void outside_a_grid(void)
{
    int rows, columns, row, column;
    int context = make_grid(1, 1);
    static const int none[] = {-1, -2, 5, 1000, 1 << 30};

    check((context == 0) == (world.me == 0), "first context is %d", context);
    if (world.me == 0) {
        check(Cblacs_pnum(context, 0, 1) == -1 && Cblacs_pnum(context, -1, 0) == -1,
              "pnum outside the grid");
        Cblacs_pcoord(context, 1, &row, &column);
        check(row == -1 && column == -1, "pcoord outside the grid");
        Cblacs_gridexit(context);
    }
    for (int k = 0; k < 5; k++) {
        Cblacs_gridinfo(none[k], &rows, &columns, &row, &column);
        check(rows == -1 && columns == -1 && row == -1 && column == -1, "gridinfo of %d", none[k]);
    }
    Cblacs_gridinfo(0, &rows, &columns, &row, &column);
    check(rows == -1, "gridinfo of a released grid");
}

/* Row and column order of every shape that fits. */
static void natural_orders(void)
{
    for (int rows = 1; rows <= world.count; rows++)
        for (int columns = 1; rows * columns <= world.count; columns++)
            for (int o = 0; o < 4; o++) {
                int context, *want = malloc((size_t)(rows * columns) * sizeof *want);
                for (int k = 0; k < rows * columns; k++)
                    want[k] = o < 2 ? k : k / columns + k % columns * rows;
                Cblacs_get(0, 0, &context);
                Cblacs_gridinit(&context,
                                o == 0   ? "Row-major"
                                : o == 1 ? "r"
                                : o == 2 ? "Column"
                                         : "c",
                                rows, columns);
                check((context >= 0) == (world.me < rows * columns), "context %d", context);
                if (context >= 0) {
                    check_members(context, want, "natural order");
                    Cblacs_gridexit(context);
                }
                free(want);
            }
}

/* A random choice of processes in a random order, in an array with room below;
 * only the members call. */
static void random_maps(void)
{
    dice d = {11, 0};
    for (int round = 0; round < 60; round++) {
        int number[64], map[64 * 80], want[64], mine = 0, context;
        int rows = 1 + roll(&d, world.count), columns = 1 + roll(&d, world.count / rows);
        int ld = rows + roll(&d, 3);
        for (int k = 0; k < world.count; k++)
            number[k] = k;
        for (int k = world.count - 1; k > 0; k--) {
            int other = roll(&d, k + 1), t = number[k];
            number[k] = number[other];
            number[other] = t;
        }
        memset(map, 0x7F, sizeof map);
        for (int k = 0; k < rows * columns; k++) {
            map[k / columns + k % columns * ld] = want[k] = number[k];
            mine |= number[k] == world.me;
        }
        if (!mine && round % 2)
            continue;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridmap(&context, map, ld, rows, columns);
        check((context >= 0) == mine, "map: context %d", context);
        if (mine) {
            check_members(context, want, "map");
            Cblacs_gridexit(context);
        }
    }
}

/* blacs_get with 10: a grid as the system context of other grids, twice over. */
static void grids_of_grids(void)
{
    int context, system, inner, innermost, again, k, n = world.count;
    int *map = calloc((size_t)n, sizeof *map), *want = calloc((size_t)n, sizeof *want);

    context = make_grid(1, n);
    Cblacs_get(context, 10, &system);
    for (k = 0; k < n; k++) {
        map[k] = (k + 1) % n;
        want[k] = (k + 1) % n;
    }
    inner = system;
    Cblacs_gridmap(&inner, map, n, n, 1);
    check_members(inner, want, "grid of a grid");

    Cblacs_get(inner, 10, &innermost);
    Cblacs_gridmap(&innermost, map, 1, 1, n);
    for (k = 0; k < n; k++)
        want[k] = (k + 2) % n;
    check_members(innermost, want, "grid of a grid of a grid");
    Cblacs_get(innermost, 10, &again);

    if (n > 2) { /* the processes but the first, with themselves for a system */
        int rest = again;
        Cblacs_gridmap(&rest, map, 1, 1, n - 1);
        for (k = 0; k < n; k++)
            want[k] = (k + 3) % n;
        if (rest >= 0) {
            check_members(rest, want, "part of a grid");
            Cblacs_gridexit(rest);
        }
    }
    Cblacs_gridexit(context);
    Cblacs_gridexit(innermost);
    Cblacs_gridexit(inner);
    free(map);
    free(want);
}

/* Messages of many grids, sent in one order and received in another. */
static void interleaved(void)
{
    enum { GRIDS = 40 };
    int grid[GRIDS], n = world.count, to = (world.me + 1) % n, from = (world.me + n - 1) % n;
    dice d = {5, 0};

    for (int g = 0; g < GRIDS; g++) {
        grid[g] = g % 2 ? make_grid(1, n) : make_grid(n, 1);
        check(grid[g] == g, "context %d of grid %d", grid[g], g);
    }
    for (int k = 0; k < 4 * GRIDS; k++) {
        int g = k % GRIDS, data[2] = {world.me * 1000 + g, k / GRIDS};
        Cigesd2d(grid[g], 2, 1, data, 2, g % 2 ? 0 : to, g % 2 ? to : 0);
        if (k % 7 == 0) {
            int x = 1, h = roll(&d, GRIDS);
            Cigsum2d(grid[h], "A", " ", 1, 1, &x, 1, -1, -1);
            check(x == n, "sum between messages: %d", x);
        }
    }
    for (int g = GRIDS - 1; g >= 0; g--)
        for (int k = 0; k < 4; k++) {
            int data[2] = {-1, -1};
            Cigerv2d(grid[g], 1, 2, data, 1, g % 2 ? 0 : from, g % 2 ? from : 0);
            check(data[0] == from * 1000 + g && data[1] == k, "grid %d, message %d: %d %d", g, k,
                  data[0], data[1]);
        }
    for (int g = 0; g < GRIDS; g++)
        Cblacs_gridexit(grid[(g * 7) % GRIDS]);
}

/* The lowest free number is used first. */
static void numbers_come_back(void)
{
    int a = make_grid(1, world.count), b = make_grid(1, world.count), c = make_grid(1, world.count);
    check(a == 0 && b == 1 && c == 2, "contexts %d %d %d", a, b, c);
    Cblacs_gridexit(b);
    Cblacs_gridexit(a);
    a = make_grid(1, world.count);
    b = make_grid(1, world.count);
    check(a == 0 && b == 1, "contexts %d %d", a, b);
    Cblacs_gridexit(c);
    Cblacs_gridexit(b);
    Cblacs_gridexit(a);
}

/* Unreceived messages of a grid that ends do not reach the next one. */
static void dropped_messages(void)
{
    int n = world.count, from = (world.me + n - 1) % n;
    for (int round = 0; round < 20; round++) {
        int context = make_grid(1, n), x = round, got = -1;
        Cigesd2d(context, 1, 1, &x, 1, 0, (world.me + 1) % n);
        x = -round - 1;
        Cigesd2d(context, 1, 1, &x, 1, 0, (world.me + 1) % n);
        Cigerv2d(context, 1, 1, &got, 1, 0, from);
        check(got == round, "round %d: received %d", round, got);
        Cblacs_gridexit(context);
    }
}

static void handles(void)
{
    int system;
    Cblacs_get(0, 0, &system);
    check(blacs2sys_handle_(&system) == system && sys2blacs_handle_(&system) == system,
          "Fortran handles");
    check(Csys2blacs_handle(Cblacs2sys_handle(system)) == system, "the world's handle, to and fro");
    Cfree_blacs_system_handle(system);
    free_blacs_system_handle_(&system);
    int context = system;
    Cblacs_gridinit(&context, "R", 1, world.count);
    check(context == 0, "a grid from the handle");
    Cblacs_gridexit(context);
}

int main(void)
{
    begin();
    outside_a_grid();
    natural_orders();
    random_maps();
    grids_of_grids();
    interleaved();
    numbers_come_back();
    dropped_messages();
    handles();
    return finish();
}
