/*
 * The LU's routines with 64-bit integers, C and Fortran, of four types on every grid of the
 * processes at hand: the factors, solutions, pivots and infos are those of the routines with 32-bit
 * integers, bit for bit.
 */
#include "matrix.h"

enum { N = 37, NB = 4, NRHS = 5, K = 11 };

/* A matrix, its right-hand sides and its pivots, once for each set of routines. */
typedef struct problem {
    char type;
    layout a, b;
    int64_t desca[9], descb[9];
    size_t bytes_a, bytes_b;
    int rows; /* own ones */
    void *a32, *a64, *b32, *b64;
    int *ipiv32;
    int64_t *ipiv64;
} problem;

static void widen(int64_t *to, const int *from)
{
    for (int i = 0; i < 9; i++)
        to[i] = from[i];
}

static void *copy(const void *from, size_t bytes)
{
    return memcpy(malloc(bytes), from, bytes);
}

static problem make(int context, char type, int singular)
{
    problem p = {.type = type};
    describe(&p.a, context, N, N, NB, NB, 0, 0);
    describe(&p.b, context, N, NRHS, NB, NB, 0, 0);
    widen(p.desca, p.a.desc);
    widen(p.descb, p.b.desc);
    p.rows = p.a.desc[8] - 3;
    p.bytes_a = (size_t)p.a.desc[8] * (size_t)(local_columns(&p.a) + 1) * bytes_of(type);
    p.bytes_b = (size_t)p.b.desc[8] * (size_t)(local_columns(&p.b) + 1) * bytes_of(type);
    p.a32 = random_part(&p.a, type, 3, singular);
    p.b32 = random_part(&p.b, type, 4, -1);
    p.a64 = copy(p.a32, p.bytes_a);
    p.b64 = copy(p.b32, p.bytes_b);
    p.ipiv32 = calloc((size_t)p.rows + 1, sizeof *p.ipiv32);
    p.ipiv64 = calloc((size_t)p.rows + 1, sizeof *p.ipiv64);
    return p;
}

/* Both sets have left the same. */
static void compare(const problem *p, const char *what, int64_t info32, int64_t info64)
{
    int differ = 0;
    for (int i = 0; i < p->rows; i++)
        differ += p->ipiv32[i] != p->ipiv64[i];
    check(info32 == info64, "%s %c: info %d and %d", what, p->type, (int)info32, (int)info64);
    check(differ == 0, "%s %c: %d pivots differ", what, p->type, differ);
    check(memcmp(p->a32, p->a64, p->bytes_a) == 0, "%s %c: the matrices differ", what, p->type);
    check(memcmp(p->b32, p->b64, p->bytes_b) == 0, "%s %c: the solutions differ", what, p->type);
}

static void done(problem *p)
{
    void *all[] = {p->a32, p->a64, p->b32, p->b64, p->ipiv32, p->ipiv64};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void solve(int context, char type)
{
    problem p = make(context, type, -1);
    int info;
    int64_t info64;
    BY_TYPE(type, bsp_p, gesv, N, NRHS, p.a32, 1, 1, p.a.desc, p.ipiv32, p.b32, 1, 1, p.b.desc,
            &info);
    BY_TYPE(type, bsp_p, gesv64_, N, NRHS, p.a64, 1, 1, p.desca, p.ipiv64, p.b64, 1, 1, p.descb,
            &info64);
    check(info == 0, "gesv %c: info %d", type, info);
    compare(&p, "gesv", info, info64);
    BY_TYPE(type, bsp_p, getrs, 'C', N, NRHS, p.a32, 1, 1, p.a.desc, p.ipiv32, p.b32, 1, 1,
            p.b.desc, &info);
    BY_TYPE(type, bsp_p, getrs64_, 'C', N, NRHS, p.a64, 1, 1, p.desca, p.ipiv64, p.b64, 1, 1,
            p.descb, &info64);
    compare(&p, "getrs", info, info64);
    done(&p);
}

/* As Fortran calls it. */
static void by_reference(int context, char type)
{
    problem p = make(context, type, -1);
    const int64_t n = N, nrhs = NRHS, one = 1;
    int info;
    int64_t info64;
    BY_TYPE(type, bsp_p, gesv, N, NRHS, p.a32, 1, 1, p.a.desc, p.ipiv32, p.b32, 1, 1, p.b.desc,
            &info);
    BY_TYPE(type, bsp_p, gesv_64_, &n, &nrhs, p.a64, &one, &one, p.desca, p.ipiv64, p.b64, &one,
            &one, p.descb, &info64);
    compare(&p, "gesv by reference", info, info64);
    BY_TYPE(type, bsp_p, getrs, 'T', N, NRHS, p.a32, 1, 1, p.a.desc, p.ipiv32, p.b32, 1, 1,
            p.b.desc, &info);
    BY_TYPE(type, bsp_p, getrs_64_, "T", &n, &nrhs, p.a64, &one, &one, p.desca, p.ipiv64, p.b64,
            &one, &one, p.descb, &info64);
    compare(&p, "getrs by reference", info, info64);
    done(&p);
}

/* Column 30 is zero. */
static void singular(int context, char type)
{
    problem p = make(context, type, 29);
    const int64_t n = N, one = 1, block = 8, wide = (int64_t)1 << 33;
    int info;
    int64_t info64;
    bsp_lu_parts parts;
    bsp_lu_block(8);
    BY_TYPE(type, bsp_p, getrf, N, N, p.a32, 1, 1, p.a.desc, p.ipiv32, &info);
    bsp_lu_block(0);
    bsp_lu_block_64_(&block);
    BY_TYPE(type, bsp_p, getrf_64_, &n, &n, p.a64, &one, &one, p.desca, p.ipiv64, &info64);
    check(info == 30, "getrf %c: info %d", type, info);
    compare(&p, "getrf", info, info64);
    bsp_lu_last64_(&parts);
    check(parts.block == 8, "a block of %d columns", parts.block);
    done(&p);
    p = make(context, type, 29);
    bsp_lu_block64_(wide);
    BY_TYPE(type, bsp_p, getrf64_, N, N, p.a64, 1, 1, p.desca, p.ipiv64, &info64);
    bsp_lu_last(&parts);
    check(info64 == 30 && parts.block == N, "a block of %d columns, for 2^33", parts.block);
    bsp_lu_block64_(0);
    done(&p);
}

/* The triangle of a matrix with a heavy diagonal; at the end element 19 of it is negative. */
static void definite(int context, char type)
{
    problem p = make(context, type, -1);
    const int64_t n = N, nrhs = NRHS, one = 1;
    int info;
    int64_t info64;
    for (int i = 0; i < N; i++)
        if (place_of(&p.a, i, i) >= 0) {
            set(type, p.a32, (size_t)place_of(&p.a, i, i), N);
            set(type, p.a64, (size_t)place_of(&p.a, i, i), N);
        }
    BY_TYPE(type, bsp_p, posv, 'L', N, NRHS, p.a32, 1, 1, p.a.desc, p.b32, 1, 1, p.b.desc, &info);
    BY_TYPE(type, bsp_p, posv64_, 'L', N, NRHS, p.a64, 1, 1, p.desca, p.b64, 1, 1, p.descb,
            &info64);
    check(info == 0, "posv %c: info %d", type, info);
    compare(&p, "posv", info, info64);
    BY_TYPE(type, bsp_p, potrs, 'L', N, NRHS, p.a32, 1, 1, p.a.desc, p.b32, 1, 1, p.b.desc, &info);
    BY_TYPE(type, bsp_p, potrs_64_, "L", &n, &nrhs, p.a64, &one, &one, p.desca, p.b64, &one, &one,
            p.descb, &info64);
    compare(&p, "potrs", info, info64);
    if (place_of(&p.a, 18, 18) >= 0) {
        set(type, p.a32, (size_t)place_of(&p.a, 18, 18), -1);
        set(type, p.a64, (size_t)place_of(&p.a, 18, 18), -1);
    }
    BY_TYPE(type, bsp_p, potrf, 'U', N, p.a32, 1, 1, p.a.desc, &info);
    BY_TYPE(type, bsp_p, potrf_64_, "U", &n, p.a64, &one, &one, p.desca, &info64);
    check(info == 19, "potrf %c: info %d", type, info);
    compare(&p, "potrf", info, info64);
    done(&p);
}

static void orthogonal(int context, char type)
{
    problem p = make(context, type, -1);
    const int64_t n = N, one = 1;
    double tau32[2 * N] = {0}, tau64[2 * N] = {0}, work[2];
    int info;
    int64_t info64;
    BY_TYPE(type, bsp_p, geqrf, N, N, p.a32, 1, 1, p.a.desc, (void *)tau32, (void *)work, 1, &info);
    BY_TYPE(type, bsp_p, geqrf_64_, &n, &n, p.a64, &one, &one, p.desca, (void *)tau64, (void *)work,
            &one, &info64);
    check(info == 0 && memcmp(tau32, tau64, sizeof tau32) == 0, "geqrf %c: tau differ", type);
    compare(&p, "geqrf", info, info64);
    BY_TYPE(type, bsp_p, geqrf, N, N, p.a32, 1, 1, p.a.desc, (void *)tau32, (void *)work, 1, &info);
    BY_TYPE(type, bsp_p, geqrf64_, N, N, p.a64, 1, 1, p.desca, (void *)tau64, (void *)work, 1,
            &info64);
    compare(&p, "geqrf, again", info, info64);
    done(&p);
}

static void least_squares(int context, char type)
{
    problem p = make(context, type, -1);
    const int64_t n = N, less = K, sides = NRHS, one = 1;
    double work[2];
    int info;
    int64_t info64;
    BY_TYPE(type, bsp_p, gels, 'N', K, N, NRHS, p.a32, 1, 1, p.a.desc, p.b32, 1, 1, p.b.desc,
            (void *)work, 1, &info);
    BY_TYPE(type, bsp_p, gels_64_, "N", &less, &n, &sides, p.a64, &one, &one, p.desca, p.b64, &one,
            &one, p.descb, (void *)work, &one, &info64);
    check(info == 0, "gels %c: info %d", type, info);
    compare(&p, "gels", info, info64);
    BY_TYPE(type, bsp_p, gels, 'N', N, K, NRHS, p.a32, 1, 1, p.a.desc, p.b32, 1, 1, p.b.desc,
            (void *)work, 1, &info);
    BY_TYPE(type, bsp_p, gels64_, 'N', N, K, NRHS, p.a64, 1, 1, p.desca, p.b64, 1, 1, p.descb,
            (void *)work, 1, &info64);
    compare(&p, "gels, again", info, info64);
    done(&p);
}

static void pieces(int context, char type)
{
    problem p = make(context, type, -1);
    const int64_t n = N, one = 1, three = 3, last = N, k = K, behind = K + 1, rest = N - K;
    double large32[2] = {0}, large64[2] = {0};
    int info, index;
    int64_t info64, index64;
    BY_TYPE(type, bsp_p, swap, N, p.a32, 3, 1, p.a.desc, N, p.a32, N, 1, p.a.desc, N);
    BY_TYPE(type, bsp_p, swap_64_, &n, p.a64, &three, &one, p.desca, &n, p.a64, &last, &one,
            p.desca, &n);
    compare(&p, "swap", 0, 0);
    BY_TYPE(type, bsp_p, amax, N, (void *)large32, &index, p.a32, 1, 9, p.a.desc, 1);
    BY_TYPE(type, bsp_p, amax64_, N, (void *)large64, &index64, p.a64, 1, 9, p.desca, 1);
    check(index == index64 && memcmp(large32, large64, sizeof large32) == 0, "amax %c", type);
    BY_TYPE(type, bsp_p, getf2, N, K, p.a32, 1, 1, p.a.desc, p.ipiv32, &info);
    BY_TYPE(type, bsp_p, getf2_64_, &n, &k, p.a64, &one, &one, p.desca, p.ipiv64, &info64);
    compare(&p, "getf2", info, info64);
    BY_TYPE(type, bsp_p, laswp, 'F', 'R', N - K, p.a32, 1, K + 1, p.a.desc, 1, K, p.ipiv32);
    BY_TYPE(type, bsp_p, laswp_64_, "F", "R", &rest, p.a64, &one, &behind, p.desca, &one, &k,
            p.ipiv64);
    compare(&p, "laswp", 0, 0);
    done(&p);
}

/* One mistake, told with all digits. */
static int misuse(int context, const char *which)
{
    const int64_t wide = (int64_t)1 << 40, high = (int64_t)world.me << 32;
    int64_t desc[9] = {1, context, wide, wide, wide, wide, 0, 0, wide}, ipiv[1] = {0}, info = 0;
    double a[1] = {0};
    if (strcmp(which, "long") == 0)
        bsp_pdgetrf64_(wide, 1, a, 1, 1, desc, ipiv, &info);
    if (strcmp(which, "array") == 0)
        bsp_pdgetrf64_(1, wide, a, 1, wide - 5, desc, ipiv, &info);
    if (strcmp(which, "halves") == 0) {
        int64_t near[9] = {1, context, 8, 8, 8, 8 + high, 0, 0, 8};
        bsp_pdgetrf64_(1, 1, a, 1, 1, near, ipiv, &info);
    }
    if (strcmp(which, "context") == 0) {
        desc[1] += (int64_t)1 << 32;
        bsp_pdgetrf64_(1, 1, a, 1, 1, desc, ipiv, &info);
    }
    return info;
}

static void try_grid(int context)
{
    for (const char *type = "sdcz"; *type; type++) {
        solve(context, *type);
        by_reference(context, *type);
        singular(context, *type);
        definite(context, *type);
        orthogonal(context, *type);
        least_squares(context, *type);
        pieces(context, *type);
    }
}

int main(int argc, char **argv)
{
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
