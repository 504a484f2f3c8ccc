/*
 * A product by PBLAS' name in a program without a PBLAS: what libopenblacs_factor can carry out it
 * does, also a small one; the rest (behind order: a size below 0) ends the job with a line.
 */
#include "matrix.h"

#include "openblacs/factor.h"

int main(int argc, char **argv)
{
    (void)argv;
    begin();
    enum { N = 20, BLOCK = 3 };
    int context = make_grid(1, world.count), n = N, m = argc > 1 ? -1 : N, one = 1, wrong = 0;
    const double alpha = 1, beta = 0;
    layout x;
    describe(&x, context, N, N, BLOCK, BLOCK, 0, 0);
    double *a = random_part(&x, 'd', 3, -1), *b = random_part(&x, 'd', 5, -1);
    double *c = random_part(&x, 'd', 7, -1);
    pdgemm_("N", "N", &m, &n, &n, &alpha, a, &one, &one, x.desc, b, &one, &one, x.desc, &beta, c,
            &one, &one, x.desc);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += creal(random_number(3, (size_t)i, (size_t)k)) *
                       creal(random_number(5, (size_t)k, (size_t)j));
            long at = place_of(&x, i, j);
            wrong += at >= 0 && fabs(c[at] - sum) > 1e-12;
        }
    check(wrong == 0, "%d elements are wrong", wrong);
    free(a), free(b), free(c);
    Cblacs_gridexit(context);
    return finish();
}
