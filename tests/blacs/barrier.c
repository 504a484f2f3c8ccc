/*
 * Barriers: nobody leaves before the last has come, in every scope, in the C
 * and the Fortran form. The processes take turns in being late. Times are
 * compared between processes, so they must share a node.
 */
#include <unistd.h>

#include "harness.h"

static void late(int context, const char *scope, int group_size, int mine, int turn, int fortran)
{
    double came, left, last_came, first_left;
    if (mine == turn % group_size)
        usleep(3000);
    came = Cdwalltime00();
    if (fortran)
        blacs_barrier_(&context, scope);
    else
        Cblacs_barrier(context, scope);
    left = Cdwalltime00();
    last_came = came;
    first_left = left;
    Cdgamx2d(context, scope, " ", 1, 1, &last_came, 1, NULL, NULL, -1, -1, -1);
    Cdgamn2d(context, scope, " ", 1, 1, &first_left, 1, NULL, NULL, -1, -1, -1);
    check(first_left >= last_came, "scope %s: somebody left %g s before the last came", scope,
          last_came - first_left);
}

int main(void)
{
    static const char *const rows_of[] = {"Row", "r"}, *const columns_of[] = {"C", "column"},
                             *const all_of[] = {"all", "A"};
    dims all[4];
    begin();
    int n = grid_dims(all);
    for (int s = 0; s < n; s++) {
        int rows, columns, row, column, context = make_grid(all[s].nprow, all[s].npcol);
        if (context < 0)
            continue;
        Cblacs_gridinfo(context, &rows, &columns, &row, &column);
        for (int turn = 0; turn < 2 * world.count; turn++) {
            late(context, rows_of[turn % 2], columns, column, turn, turn % 2);
            late(context, columns_of[turn % 2], rows, row, turn, turn % 2);
            late(context, all_of[turn % 2], rows * columns, row * columns + column, turn, turn % 2);
        }
        for (int k = 0; k < 500; k++)
            Cblacs_barrier(context, k % 3 == 0 ? "A" : k % 3 == 1 ? "R" : "C");
        late(context, "A", rows * columns, row * columns + column, 0, 0);
        Cblacs_gridexit(context);
    }
    return finish();
}
