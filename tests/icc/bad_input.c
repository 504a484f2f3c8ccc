/*
 * One wrong call, by name; run.sh compares the line it prints.
 */
#include <string.h>

#include "openblacs/core.h"
#include "openblacs/icc.h"

static void nothing(void *a, const void *b, long n)
{
    (void)a, (void)b, (void)n;
}

int main(int argc, char **argv)
{
    double x[4] = {0};
    long lens[64] = {0}, nodes[] = {0, 99, 0};
    const char *what = argc > 1 ? argv[1] : "";
#define WHEN(name, call)                                                                           \
    if (strcmp(what, name) == 0)                                                                   \
        call;
    WHEN("length", iCC_gdsum(x, -1, NULL))
    WHEN("null", iCC_gdsum(NULL, 3, NULL))
    WHEN("root", iCC_bcast(x, 8, 7))
    WHEN("group", iCC_g_gsync(5))
    WHEN("none", iCC_g_bcast(x, 8, 0, iCC_NONE))
    WHEN("mesh", iCC_mesh(3, 5))
    WHEN("meshes", (iCC_mynode() ? iCC_mesh(1, 2) : iCC_mesh(2, 1)))
    WHEN("nodes", iCC_group(nodes, 2))
    WHEN("size", iCC_group(nodes, 2))
    WHEN("twice", iCC_group((long[]){0, 0}, 2))
    WHEN("free", iCC_group_free(iCC_ROW))
    WHEN("lens", iCC_gatherx(x, NULL, x, 0))
    WHEN("negative", (lens[0] = -4, iCC_gdsumx(x, lens, NULL)))
    WHEN("huge", iCC_gzsum(x, 0x7fffffffffffffff, NULL))
    WHEN("alltoall", iCC_alltoall(x, -1, x))
    WHEN("alltoallx", iCC_alltoallx(x, lens, x, NULL))
    WHEN("own", (lens[0] = 8, iCC_alltoallx(x, lens, x, (long[64]){4})))
    WHEN("gop", iCC_gop(NULL, 3, x, 2, 9))
    WHEN("gop1", iCC_gop1(x, 3, x, 2, 9, 4))
    WHEN("gopx", iCC_gopx(x, lens, NULL, 2, 99))
    WHEN("gopf", iCC_gopf(x, 1, x, 8, NULL, 1))
    WHEN("gopfsize", iCC_gopf(x, 1, x, 8193, nothing, 1))
    WHEN("gopfzero", iCC_gopfx(x, lens, x + 1, 0, nothing, 0))
    WHEN("gopf1", iCC_gopf1(x, 1, x, 8, nothing, 0, -1))
    WHEN("gopfx", iCC_gopfx(x, NULL, x, 8, nothing, 0))
    WHEN("gopfn", iCC_gopf(x, -2, x, 8, nothing, 0))
    WHEN("together", (ob_together_begin(), iCC_bcast(x, 8, 0)))
    WHEN("together mesh", (ob_together_begin(), iCC_mesh(1, 2)))
    WHEN("room", iCC_gcol(x, 8, x, 7, NULL))
    return 0;
}
