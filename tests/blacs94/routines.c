/*
 * libblacs94: every routine of every type between all processes, grids that take each
 * other's place, identifiers. Prints "N passed, N failed" on process 0.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "openblacs/blacs94.h"

static int me, count, passed, failed, nprow, npcol, prow, pcol;
static const int zero = 0, one = 1, two = 2, three = 3, four = 4, all = -1;

__attribute__((format(printf, 2, 3))) static void check(int good, const char *format, ...)
{
    va_list args;
    passed += good;
    failed += !good;
    if (good)
        return;
    va_start(args, format);
    fprintf(stderr, "process %d: FAILED: ", me);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* reals: numbers in an element. */
#define TEST(p, R, reals)                                                                          \
    static void test_##p(void)                                                                     \
    {                                                                                              \
        enum { N = 12 * (reals) };                                                                 \
        R a[N], b[N], want[N];                                                                     \
        int here = prow * npcol + pcol, size = nprow * npcol, ra[4], ca[4];                        \
        int to = (here + 1) % size, from = (here + size - 1) % size;                               \
        int to_row = to / npcol, to_col = to % npcol, row = from / npcol, col = from % npcol;      \
        for (int i = 0; i < N; i++) {                                                              \
            a[i] = (R)(100 * here + i);                                                            \
            want[i] = (R)(100 * from + i);                                                         \
            b[i] = -1;                                                                             \
        }                                                                                          \
        p##gesd2d_(&four, &three, a, &four, &to_row, &to_col);                                     \
        p##gerv2d_(&four, &three, b, &four, &row, &col);                                           \
        check(!memcmp(b, want, sizeof b), #p "gesd2d and " #p "gerv2d");                           \
        memset(b, 0, sizeof b);                                                                    \
        p##trsd2d_("U", "N", &three, &three, a, &four, &to_row, &to_col);                          \
        p##trrv2d_("U", "N", &three, &three, b, &four, &row, &col);                                \
        check(b[0] == want[0] && b[4 * (reals)] == want[4 * (reals)] && b[(reals)] == 0 &&         \
                  b[10 * (reals)] == want[10 * (reals)],                                           \
              #p "trsd2d and " #p "trrv2d");                                                       \
        memset(b, 0, sizeof b);                                                                    \
        if (here == 0)                                                                             \
            p##gebs2d_("All", "h", &four, &three, a, &four);                                       \
        else                                                                                       \
            p##gebr2d_("All", "h", &four, &three, b, &four, &zero, &zero);                         \
        check(here == 0 || (b[0] == 0 && b[N - 1] == (R)(N - 1)), #p "gebs2d and " #p "gebr2d");   \
        memset(b, 0, sizeof b);                                                                    \
        if (pcol == npcol - 1)                                                                     \
            p##trbs2d_("Row", "m", "L", "U", &three, &three, a, &four);                            \
        else                                                                                       \
            p##trbr2d_("Row", "m", "L", "U", &three, &three, b, &four, &prow, &(int){npcol - 1});  \
        check(pcol == npcol - 1 ||                                                                 \
                  (b[0] == 0 && b[(reals)] == (R)(100 * (prow * npcol + npcol - 1) + (reals))),    \
              #p "trbs2d and " #p "trbr2d");                                                       \
        for (int i = 0; i < N; i++)                                                                \
            b[i] = 1;                                                                              \
        p##gsum2d_("Column", "t", &four, &one, b, &four, &all, &zero);                             \
        check(b[0] == (R)nprow && b[4 * (reals)] == 1, #p "gsum2d");                               \
        for (int i = 0; i < 4 * (reals); i++)                                                      \
            b[i] = i % (reals) ? 0 : (R)(here == size / 2 ? -50 : here % 3);                       \
        p##gmax2d_("All", "1", &two, &two, b, &two, ra, ca, &two, &zero, &zero);                   \
        check(here || (b[0] == -50 && ra[3] == size / 2 / npcol && ca[3] == size / 2 % npcol),     \
              #p "gmax2d");                                                                        \
        for (int i = 0; i < 4 * (reals); i++)                                                      \
            b[i] = i % (reals) ? 0 : (R)(here == size - 1 ? 1 : -2 - here);                        \
        p##gmin2d_("All", "h", &two, &two, b, &two, ra, ca, &two, &all, &all);                     \
        check(b[0] == 1 && ra[0] == nprow - 1 && ca[0] == npcol - 1, #p "gmin2d");                 \
    }
TEST(i, int, 1)
TEST(s, float, 1)
TEST(d, double, 1)
TEST(c, float, 2)
TEST(z, double, 2)

static void on_grid(int rows, int columns)
{
    int row, column;
    gridinfo_(&nprow, &npcol, &prow, &pcol);
    check(nprow == rows && npcol == columns, "the grid is %d x %d", nprow, npcol);
    if (prow >= nprow || pcol >= npcol)
        return;
    int number = kpnum_(&prow, &pcol);
    pcoord_(&me, &row, &column);
    check(number == me && row == prow && column == pcol, "kpnum %d and pcoord", number);
    check(kpnum_(&rows, &zero) == -1, "kpnum outside the grid");
    barrier_("All");
    test_i();
    test_s();
    test_d();
    test_c();
    test_z();
    freebuff_();
}

/* Both ends of a message, or of a broadcast, count the same numbers. */
static void identifiers(void)
{
    int low, high, blow, bhigh, mine = 0, theirs = 0, last = count - 1;
    idranges_(&low, &high, &blow, &bhigh);
    check(low == 0 && high == INT_MAX / 2 && bhigh == INT_MAX && blow == high + 1, "ranges");
    shift_range_(&(int){1000}, &(int){1000 + 10 * count - 1}, &(int){5000}, &(int){9999});
    idranges_(&low, &high, &blow, &bhigh);
    check(low == 0, "a shift counts from the next grid on");
    blacsinit_(&one, &count);
    gridinfo_(&nprow, &npcol, &prow, &pcol);
    idranges_(&low, &high, &blow, &bhigh);
    check(low == 1000 && bhigh == 9999, "ranges that were shifted");
    for (int k = 0; k < 12; k++) {
        int id = -1;
        if (me == 0)
            id = ksendid_(&zero, &zero, &zero, &last);
        if (me == last && count > 1)
            theirs = krecvid_(&zero, &zero);
        if (me == 0)
            igesd2d_(&one, &one, &id, &one, &zero, &last);
        if (me == last)
            igerv2d_(&one, &one, &mine, &one, &zero, &zero);
        check(me != last || count == 1 || mine == theirs, "identifiers of a message");
        check(me != 0 || id == 1000 + k % 10, "identifier %d is %d", k, id);
        id = me == 0 ? kbsid_("All") : kbrid_("All", &zero, &zero);
        check(id >= 5000 && id <= 9999, "identifier of a broadcast");
        int smallest = id, largest = -id, ra, ca;
        igmin2d_("All", " ", &one, &one, &smallest, &one, &ra, &ca, &one, &all, &all);
        igmax2d_("All", " ", &one, &one, &largest, &one, &ra, &ca, &one, &all, &all);
        check(smallest == -largest, "all have the same identifier of a broadcast");
    }
}

/* The number wanted, and the source of a wildcard receive, may be constants: these lie in memory
 * that cannot be written to. */
static void constants(void)
{
    static const int none = 0, any = -1;
    int mine = -1, nprocs = 0, row = -1, column = 7, from = me, to = (me + 1) % count;
    auxsetup_(&mine, (int *)&none);
    auxsetup_(&mine, &nprocs);
    check(mine == me && nprocs == count && none == 0, "auxsetup gives %d of %d", mine, nprocs);
    blacsinit_(&one, &count);
    for (int k = 0; k < 3; k++)
        igesd2d_(&one, &one, &from, &one, &zero, &to);
    igerv2d_(&one, &one, &from, &one, &any, &any);
    check(any == -1, "a constant source was written to");
    igerv2d_(&one, &one, &from, &one, &row, &any);
    check(row == 0, "a variable beside a constant, row %d", row);
    row = -1;
    igerv2d_(&one, &one, &from, &one, &row, &column);
    check(row == 0 && column == (me + count - 1) % count && from == column,
          "a source comes back as {%d,%d}", row, column);
}

/* The processes that a PVM program has named are those of the launcher, or the first of them. */
static void pvm(void)
{
    int tids[64] = {0}, mine, nprocs, less = count > 1 ? count - 1 : 1, wanted = 0;
    setpvmtids_(&less, tids);
    initpinfo_(&mine, &nprocs);
    auxsetup_(&mine, &wanted);
    check(mine == me && nprocs == less && wanted == less, "setpvmtids of %d: %d", less, nprocs);
    setpvmtids_(&count, tids);
    initpinfo_(&mine, &nprocs);
    check(mine == me && nprocs == count, "setpvmtids of %d: %d", count, nprocs);
}

int main(void)
{
    initpinfo_(&me, &count);
    auxsetup_(&me, &count);
    pvm();
    constants();
    blacsinit_(&one, &count);
    identifiers();
    on_grid(1, count);
    setbranches_(&two);
    for (int rows = 1; rows <= count; rows++) {
        int columns = count / rows, map[64];
        blacsinit_(&rows, &columns);
        on_grid(rows, columns);
        /* The processes backwards, by columns of the map. */
        for (int k = 0; k < rows * columns; k++)
            map[k] = count - 1 - k;
        gridmap_(map, &rows, &rows, &columns);
        on_grid(rows, columns);
    }
    int sums[2] = {passed, failed};
    blacsinit_(&one, &count);
    igsum2d_("All", " ", &two, &one, sums, &two, &all, &all);
    if (me == 0)
        printf("%d passed, %d failed\n", sums[0], sums[1]);
    blacsexit_(&zero);
    return sums[1] != 0;
}
