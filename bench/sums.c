/*
 * Reproducible sums against ordinary ones, left on all, in one run: rounds of
 * both in turn, medians, the slowest process.
 *   obrun -n 4 build/bench/bench_sums
 */
#include "work.h"

enum { MOST = 1 << 21, ROUNDS = 11 };

static double took(double *a, int n, int calls)
{
    Cblacs_barrier(grid, "A");
    double start = now_us();
    for (int k = 0; k < calls; k++) {
        Cdgsum2d(grid, "A", " ", n, 1, a, n, -1, -1);
        for (int i = 0; i < n && k % 4 == 3; i++) /* so that nothing overflows */
            a[i] = 1.0 / (1 + i + me);
    }
    double t = (now_us() - start) / calls;
    Cdgamx2d(grid, "A", " ", 1, 1, &t, 1, NULL, NULL, -1, -1, -1);
    return t;
}

int main(void)
{
    static const int sizes[] = {1, 64, 512, 8192, 131072, MOST};
    static double a[MOST], time[2][ROUNDS];
    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "R", 1, processes);
    for (int s = 0; s < 6; s++) {
        int n = sizes[s], calls = n < 1000 ? 1000 : n < 100000 ? 100 : 12;
        for (int r = 0; r < 2 * ROUNDS; r++) {
            int kind = 1 + r % 2; /* blacs_set, what = 15: 1 ordinary, 2 reproducible */
            Cblacs_set(grid, 15, &kind);
            time[r % 2][r / 2] = took(a, n, calls);
        }
        double plain = median(time[0], ROUNDS), exact = median(time[1], ROUNDS);
        if (me == 0)
            printf("%2d processes %9d B: ordinary %9.2f us, reproducible %9.2f us, ratio %.2f\n",
                   processes, 8 * n, plain, exact, exact / plain);
    }
    Cblacs_gridexit(grid);
    Cblacs_exit(0);
    return 0;
}
