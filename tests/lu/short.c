/*
 * Short triangles (lu/short.c), all orders and letters: solutions and Cholesky's factors have small
 * residuals, what the triangle does not have is neither read nor written, nor what lies beside the
 * matrix. A matrix that is not positive has LAPACK's info. Where the processor has no such routine
 * there is nothing to be tested but that it says so.
 */
#include "../../lu/short.c"

#include "matrix.h"

enum { MOST = OBLU_SHORT, BESIDE = 3, ROOM = MOST + BESIDE };

static ob_type type_of(char type)
{
    return type == 's'   ? OB_FLOAT
           : type == 'd' ? OB_DOUBLE
           : type == 'c' ? OB_COMPLEX
                         : OB_DCOMPLEX;
}

static bool in_triangle(char uplo, size_t i, size_t j)
{
    return uplo == 'L' ? i >= j : i <= j;
}

/* A triangle of order n, heavy on the diagonal, with not-a-numbers elsewhere. */
static void *triangle(char type, char uplo, size_t n, bool unit)
{
    char *t = malloc((size_t)ROOM * ROOM * bytes_of(type));
    for (size_t j = 0; j < ROOM; j++)
        for (size_t i = 0; i < ROOM; i++) {
            number x = creal(random_number(7, i, j)) * (unit ? 0.1 : 1);
            bool has = i < n && j < n && in_triangle(uplo, i, j) && !(unit && i == j);
            set(type, t, i + j * ROOM, has ? x + (i == j ? 8 : 0) : (number)NAN);
        }
    return t;
}

static double element(char type, const void *t, const char how[4], size_t i, size_t j)
{
    size_t r = how[2] == 'N' ? i : j, c = how[2] == 'N' ? j : i;
    if (r == c && how[3] == 'U')
        return 1;
    return in_triangle(how[1], r, c) ? creal(get(type, t, r + c * ROOM)) : 0;
}

/* op X, or X op, is B as it was; and nothing beside X is written. `op` is the whole of op(T). */
static bool is_solved(char type, bool left, size_t m, size_t n, const double *op, const void *x,
                      const void *b)
{
    double solution[ROOM * ROOM], bound = 100 * epsilon_of(type);
    for (size_t i = 0; i < (size_t)ROOM * ROOM; i++)
        solution[i] = creal(get(type, x, i));
    for (size_t j = 0; j < ROOM; j++)
        for (size_t i = 0; i < ROOM; i++) {
            double sum = 0, before = creal(get(type, b, i + j * ROOM));
            if (i >= m || j >= n) {
                if (solution[i + j * ROOM] != before)
                    return false;
                continue;
            }
            for (size_t k = 0; k < (left ? m : n); k++)
                sum += left ? op[i + k * ROOM] * solution[k + j * ROOM]
                            : solution[i + k * ROOM] * op[k + j * ROOM];
            if (!(fabs(sum - before) < bound))
                return false;
        }
    return true;
}

/* For several numbers of right-hand sides: of columns, or of rows where the triangle is on the
 * right. */
static void try_solutions(char type, const char how[4], size_t order)
{
    bool left = how[0] == 'L';
    size_t bytes = (size_t)ROOM * ROOM * bytes_of(type);
    double op[ROOM * ROOM];
    char *t = triangle(type, how[1], order, how[3] == 'U'), *x = malloc(bytes), *b = malloc(bytes);
    for (size_t j = 0; j < ROOM; j++)
        for (size_t i = 0; i < ROOM; i++) {
            op[i + j * ROOM] = i < order && j < order ? element(type, t, how, i, j) : 0;
            set(type, b, i + j * ROOM, creal(random_number(8, i + j * ROOM, 0)));
        }
    for (size_t rows = 1; rows <= MOST; rows += rows < 20 ? 1 : 11) {
        size_t m = left ? order : rows, n = left ? rows : order;
        memcpy(x, b, bytes);
        bool done = oblu_short_trsm(type_of(type), how, m, n, t, ROOM, x, ROOM);
        check(!done || is_solved(type, left, m, n, op, x, b), "%c, %.4s, order %zu, %zu rows", type,
              how, order, rows);
    }
    free(t);
    free(x);
    free(b);
}

/* A = L L^T or U^T U; what the triangle does not have is as it was. */
static bool is_factor(char type, char uplo, size_t n, const void *l, const void *a)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            number sum = 0;
            if (!in_triangle(uplo, i, j)) {
                if (!isnan(creal(get(type, l, i + j * ROOM))))
                    return false;
                continue;
            }
            for (size_t k = 0; k <= (i < j ? i : j); k++)
                sum += uplo == 'L' ? get(type, l, i + k * ROOM) * get(type, l, j + k * ROOM)
                                   : get(type, l, k + i * ROOM) * get(type, l, k + j * ROOM);
            if (!(cabs(sum - get(type, a, i + j * ROOM)) < 100 * epsilon_of(type)))
                return false;
        }
    return true;
}

static void try_factor(char type, char uplo, size_t n)
{
    size_t bytes = (size_t)ROOM * ROOM * bytes_of(type);
    char *a = triangle(type, uplo, n, false), *l = malloc(bytes);
    int info = -1;
    memcpy(l, a, bytes);
    bool done = oblu_short_potrf(type_of(type), uplo, n, l, ROOM, &info);
    check(!done || (info == 0 && is_factor(type, uplo, n, l, a)), "%c, %c, order %zu: info %d",
          type, uplo, n, info);
    for (size_t k = 0; k < n; k++)
        for (int wrong = 0; wrong < 3; wrong++) {
            memcpy(l, a, bytes);
            set(type, l, k + k * ROOM, wrong == 0 ? 0 : wrong == 1 ? -1 : (number)NAN);
            done = oblu_short_potrf(type_of(type), uplo, n, l, ROOM, &info);
            check(!done || info == (int)k + 1, "%c, %c, order %zu, %zu not positive: info %d", type,
                  uplo, n, k, info);
        }
    free(a);
    free(l);
}

static void try_type(char type)
{
    char how[4];
    for (size_t n = 1; n <= MOST; n++) {
        try_factor(type, 'L', n);
        try_factor(type, 'U', n);
        for (int i = 0; i < 2 * 2 * 3 * 2; i++) {
            how[0] = "LR"[i % 2];
            how[1] = "LU"[i / 2 % 2];
            how[2] = "NTC"[i / 4 % 3];
            how[3] = "NU"[i / 12];
            try_solutions(type, how, n);
        }
    }
}

int main(void)
{
    float room[1] = {1};
    int info;
    begin();
    try_type('s');
    try_type('d');
    check(!oblu_short_potrf(OB_COMPLEX, 'L', 1, room, 1, &info), "a complex one is left to LAPACK");
    check(!oblu_short_potrf(OB_FLOAT, 'L', MOST + 1, room, MOST + 1, &info), "so is a long one");
    return finish();
}
