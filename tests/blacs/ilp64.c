/*
 * The routines with 64-bit integers: matrices of the letter I and all sizes have 64 bits, beside
 * the routines with 32-bit integers in one program.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "openblacs/blacs_extensions.h"

#define HIGH ((int64_t)1 << 33)
enum { M = 5, N = 4, LD = 7 };

static int64_t context, nprow, npcol, myrow, mycol;

/* Element k of process p: the low halves alone are in another order. */
static int64_t element(int64_t p, int k)
{
    int64_t size = (p * 7 + k * 3) % 11 + 1;
    return (size * HIGH + 100 - size) * ((p + k) % 2 ? -1 : 1);
}

static void fill(int64_t *a, int64_t p)
{
    for (int k = 0; k < LD * N; k++)
        a[k] = k % LD < M ? element(p, k) : -77;
}

static void check_matrix(const int64_t *a, int64_t p, const char *what)
{
    int bad = 0;
    for (int k = 0; k < LD * N; k++)
        bad += a[k] != (k % LD < M ? element(p, k) : -77);
    check(bad == 0, "%s: %d elements", what, bad);
}

/* A grid whose map lies in a larger array; its processes in reverse order. */
static void make(void)
{
    int64_t number, count, map[3 * 64], max[2];
    Cblacs_pinfo64_(&number, &count);
    check(number == world.me && count == world.count, "pinfo");
    for (int64_t j = 0; j < count; j++)
        map[3 * j] = count - 1 - j;
    Cblacs_get64_(-1, 0, &context);
    Cblacs_gridmap64_(&context, map, 3, 1, count);
    Cblacs_gridinfo64_(context, &nprow, &npcol, &myrow, &mycol);
    check(nprow == 1 && npcol == count && myrow == 0 && mycol == count - 1 - number, "gridmap");
    check(Cblacs_pnum64_(context, 0, mycol) == mycol, "pnum");
    check(Cblacs_pnum64_(context, HIGH, 0) == -1, "pnum of a row that is none");
    int64_t prow, pcol, rings = 3, got;
    Cblacs_pcoord64_(context, mycol, &prow, &pcol);
    check(prow == 0 && pcol == mycol, "pcoord");
    Cblacs_set64_(context, 11, &rings);
    Cblacs_get64_(context, 11, &got);
    check(got == 3, "get gives what set has set");
    Cblacs_get64_(context, 1, max);
    check(max[0] == 0 && max[1] == INT_MAX, "message ids");
    Cblacs_gridinfo64_(context + ((int64_t)1 << 32), &prow, &pcol, &prow, &pcol);
    check(prow == -1 && pcol == -1, "a context beyond 32 bits is none");
}

static void messages(void)
{
    int64_t a[LD * N], b[LD * N], to = (mycol + 1) % npcol, from = (mycol + npcol - 1) % npcol;
    const int64_t m = M, n = N, ld = LD, zero = 0;
    fill(a, mycol);
    fill(b, mycol);
    Cigesd2d64_(context, M, N, a, LD, 0, to);
    igerv2d_64_(&context, &m, &n, b, &ld, &zero, &from);
    check_matrix(b, from, "igesd2d and igerv2d");
    /* The whole matrix as an upper trapezoid and the rest of it. */
    fill(b, mycol);
    itrsd2d_64_(&context, "U", "N", &m, &n, a, &ld, &zero, &to);
    Citrsd2d64_(context, "L", "U", M, N, a, LD, 0, to);
    Citrrv2d64_(context, "U", "N", M, N, b, LD, 0, from);
    int64_t any = -1, whoever = 5;
    Cblacs_barrier64_(context, "All");
    if (npcol == 1) { /* else others' messages come, too */
        itrrv2d_64_(&context, "L", "U", &m, &n, b, &ld, &any, &whoever);
        check(any == 0 && whoever == from, "a wildcard receive says from whom");
    } else {
        Citrrv2d64_(context, "L", "U", M, N, b, LD, 0, from);
    }
    int bad = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            if (i <= j + 1 || i > j)
                bad += b[i + j * LD] != element(from, i + j * LD);
    check(bad == 0, "trapezoids: %d elements", bad);
}

static void broadcasts(void)
{
    int64_t a[LD * N];
    for (int64_t root = 0; root < npcol; root++) {
        fill(a, mycol);
        if (root == mycol)
            Cigebs2d64_(context, "Row", " ", M, N, a, LD);
        else
            Cigebr2d64_(context, "Row", " ", M, N, a, LD, 0, root);
        check_matrix(a, root, "broadcast");
    }
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static void combines(void)
{
    int64_t a[LD * N], ra[LD * N], ca[LD * N], sum[LD * N];
    fill(a, mycol);
    memcpy(sum, a, sizeof a);
    Cigsum2d64_(context, "All", " ", M, N, sum, LD, -1, -1);
    memset(ra, 0x55, sizeof ra);
    memset(ca, 0x55, sizeof ca);
    Cigamx2d64_(context, "All", " ", M, N, a, LD, ra, ca, LD, -1, -1);
    int bad = 0, bad_owner = 0;
    for (int k = 0; k < LD * N; k++) {
        int64_t total = 0, best = 0;
        for (int64_t p = 0; p < npcol; p++) {
            total += element(p, k);
            if (magnitude(element(p, k)) > magnitude(element(best, k)))
                best = p;
        }
        int inside = k % LD < M;
        bad += inside && (sum[k] != total || a[k] != element(best, k));
        bad_owner +=
            inside ? ra[k] != 0 || ca[k] != best : ra[k] != 0x5555555555555555 || ca[k] != ra[k];
    }
    check(bad == 0 && bad_owner == 0, "sums and extremes: %d elements, %d owners", bad, bad_owner);
}

static void twice(const int64_t *n, void *w, const void *v)
{
    for (int64_t i = 0; i < *n; i++)
        ((int64_t *)w)[i] += ((const int64_t *)v)[i];
}

/* A scope of every other process, and combines that netlib has not. */
static void extensions(void)
{
    int64_t rows[64] = {0}, columns[64], n = 0, scope, a[2] = {HIGH + mycol, -HIGH - mycol};
    int64_t x[2] = {HIGH << (mycol % 8), 3}, r[2], c[2];
    for (int64_t p = 0; p < npcol; p += 2)
        columns[n++] = p;
    Cblacs_scope64_(context, n, rows, columns, &scope);
    check((scope >= 0) == (mycol % 2 == 0), "scope");
    if (scope >= 0) {
        int64_t last = columns[n - 1];
        Cituop2d64_(scope, "All", " ", "G", " ", 2, 1, x, 2, -1, -1, 1, NULL, twice, NULL);
        check(x[1] == 3 * n, "an operation of the caller's");
        Citmax2d64_(scope, "All", " ", "G", " ", 2, 1, a, 2, -1, -1);
        check(a[0] == HIGH + last && a[1] == -HIGH, "largest values");
        int64_t b[2] = {HIGH * (mycol + 1), -HIGH * (mycol + 1)};
        Cigamx2d64_(scope, "All", " ", 2, 1, b, 2, r, c, 2, -1, -1);
        check(b[0] == HIGH * (last + 1) && c[0] == last && c[1] == last && r[1] == 0,
              "owners in a scope");
        Cblacs_gridexit64_(scope);
    }
}

/* Leading dimensions, and elements from the first to the last, beyond 2^31: most of the memory is
 * never touched. */
static void far_apart(int64_t ld, int64_t n)
{
    size_t bytes = (size_t)(ld * (n - 1) + 1) * sizeof(float);
    float *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a == MAP_FAILED) {
        printf("SKIP no addresses for a matrix of %zu bytes\n", bytes);
        return;
    }
    float sum = 0;
    for (int64_t j = 0; j < n; j++)
        a[j * ld] = (float)(j % 7 + mycol);
    Csgesd2d64_(context, 1, n, a, ld, 0, (mycol + 1) % npcol);
    Csgerv2d64_(context, 1, n, a, ld, 0, (mycol + npcol - 1) % npcol);
    Csgsum2d64_(context, "All", " ", 1, n, a, ld, -1, -1);
    for (int64_t j = 0; j < n; j++)
        sum += a[j * ld] != (float)(npcol * (j % 7) + npcol * (npcol - 1) / 2);
    check(sum == 0, "a row of leading dimension %lld", (long long)ld);
    munmap(a, bytes);
}

int main(void)
{
    begin();
    make();
    messages();
    broadcasts();
    combines();
    extensions();
    far_apart(((int64_t)1 << 32) + 5, 3);
    far_apart(1 << 20, 2100);
    Cblacs_gridexit64_(context);
    return finish();
}
