/*
 * Transposes whose arrays are replicated: all process columns, or rows, have them whole. They are
 * ScaLAPACK's, which stands behind libopenblacs_redist.
 */
#include "array.h"

enum { N = 5, M = 7, BLOCK = 2 };

/* The value of each element that is here, of an array of `rows` rows on a grid of one row of
 * processes: with all columns, or with its own blocks. */
static bool is_here(const int *desc, int column)
{
    return desc[7] == -1 || column / BLOCK % world.count == world.me;
}

static int place(const int *desc, int i, int j)
{
    return i + (desc[7] == -1 ? j : j / BLOCK / world.count * BLOCK + j % BLOCK) * desc[8];
}

static void one_case(int context, int source_a, int source_c)
{
    const int desca[9] = {1, context, N, M, BLOCK, BLOCK, 0, source_a, N},
              descc[9] = {1, context, M, N, BLOCK, BLOCK, 0, source_c, M};
    double a[N * M], c[N * M];
    const double one = 1, none = 0;
    const int first = 1, m = M, n = N;
    int wrong = 0;
    for (int i = 0; i < N * M; i++)
        a[i] = c[i] = -1;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N && is_here(desca, j); i++)
            a[place(desca, i, j)] = 10 * i + j;
    pdtran_(&m, &n, &one, a, &first, &first, desca, &none, c, &first, &first, descc);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M && is_here(descc, j); i++)
            wrong += c[place(descc, i, j)] != 10 * j + i;
    check(wrong == 0, "first columns %d and %d: %d elements are wrong", source_a, source_c, wrong);
}

int main(void)
{
    begin();
    int context = make_grid(1, world.count);
    one_case(context, 0, 0);
    one_case(context, -1, 0);
    one_case(context, 0, -1);
    one_case(context, -1, -1);
    Cblacs_gridexit(context);
    return finish();
}
