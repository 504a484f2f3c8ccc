/*
 * One wrong call, named by the first argument, made by process 0 on a 1 x 1
 * grid (context 1) while all others wait in a barrier. bad_input.sh compares
 * the line it prints with the one it should print.
 */
#include "harness.h"
#include "openblacs/blacs_mkl.h"

static int grid; /* context 1, 1 x 1 */
static double a[16];
static int ints[16], where[16];

static void point(const char *name)
{
    if (!strcmp(name, "negative-m"))
        Cdgesd2d(grid, -1, 2, a, 4, 0, 0);
    else if (!strcmp(name, "negative-n"))
        dgesd2d_(&grid, &(int){2}, &(int){-3}, a, &(int){4}, &(int){0}, &(int){0});
    else if (!strcmp(name, "both-negative"))
        Cigerv2d(grid, -2, -3, ints, 4, 0, 0);
    else if (!strcmp(name, "lda"))
        Cdgesd2d(grid, 4, 2, a, 3, 0, 0);
    else if (!strcmp(name, "trapezoid-lda"))
        Cztrrv2d(grid, "U", "N", 4, 2, a, 3, 0, 0);
    else if (!strcmp(name, "null"))
        Csgesd2d(grid, 2, 3, NULL, 2, 0, 0);
    else if (!strcmp(name, "uplo"))
        Cdtrsd2d(grid, "G", "N", 2, 2, a, 2, 0, 0);
    else if (!strcmp(name, "diag"))
        Cdtrsd2d(grid, "L", " ", 2, 2, a, 2, 0, 0);
    else if (!strcmp(name, "rdest"))
        Cigesd2d(grid, 2, 2, ints, 2, 1, 0);
    else if (!strcmp(name, "cdest"))
        Cctrsd2d(grid, "L", "N", 2, 2, a, 2, 0, -1);
    else if (!strcmp(name, "rsrc"))
        Cdtrrv2d(grid, "L", "N", 2, 2, a, 2, -7, 0);
    else if (!strcmp(name, "csrc"))
        Cdgerv2d(grid, 2, 2, a, 2, 0, 9);
}

static void size(const char *name)
{
    if (!strcmp(name, "size-shorter")) {
        Cdgesd2d(grid, 3, 2, a, 3, 0, 0);
        Cdgerv2d(grid, 2, 2, a, 2, 0, 0);
    } else if (!strcmp(name, "size-longer")) {
        Cigesd2d(grid, 1, 1, ints, 1, 0, 0);
        Cdgerv2d(grid, 2, 2, a, 2, 0, 0);
    } else if (!strcmp(name, "type-integers")) {
        Cdgesd2d(grid, 2, 1, a, 2, 0, 0);
        Cigerv2d(grid, 2, 2, ints, 2, 0, 0);
    } else if (!strcmp(name, "type-complex")) {
        Cdgesd2d(grid, 2, 1, a, 2, 0, 0);
        Cztrrv2d(grid, "U", "N", 1, 1, a, 1, 0, 0);
    }
}

static void collective(const char *name)
{
    if (!strcmp(name, "scope"))
        Cdgebs2d(grid, "X", " ", 1, 1, a, 1);
    else if (!strcmp(name, "barrier-scope"))
        Cblacs_barrier(grid, "");
    else if (!strcmp(name, "broadcast-top"))
        Cdgebs2d(grid, "A", "?", 1, 1, a, 1);
    else if (!strcmp(name, "combine-top"))
        Cigsum2d(grid, "R", "0", 1, 1, ints, 1, -1, -1);
    else if (!strcmp(name, "broadcast-lda"))
        Cdgebs2d(grid, "A", " ", 3, 2, a, 2);
    else if (!strcmp(name, "broadcast-n"))
        Cdtrbs2d(grid, "A", " ", "U", "N", 3, -1, a, 3);
    else if (!strcmp(name, "broadcast-uplo"))
        Cdtrbs2d(grid, "A", " ", "x", "N", 3, 1, a, 3);
    else if (!strcmp(name, "broadcast-src"))
        Cdgebr2d(grid, "Row", " ", 1, 1, a, 1, 55, 2);
    else if (!strcmp(name, "broadcast-trapezoid-src"))
        Cdtrbr2d(grid, "Column", " ", "L", "U", 1, 1, a, 1, 3, 55);
    else if (!strcmp(name, "broadcast-own"))
        Cdgebr2d(grid, "A", " ", 1, 1, a, 1, 0, 0);
    else if (!strcmp(name, "broadcast-own-row"))
        Cigebr2d(grid, "Row", " ", 1, 1, ints, 1, 55, 0);
    else if (!strcmp(name, "broadcast-own-column"))
        Cztrbr2d(grid, "c", " ", "U", "N", 1, 1, a, 1, 0, -1);
    else if (!strcmp(name, "sum-dest"))
        Cdgsum2d(grid, "A", " ", 1, 1, a, 1, 0, 1);
    else if (!strcmp(name, "sum-null"))
        Czgsum2d(grid, "A", " ", 1, 1, NULL, 1, -1, -1);
    else if (!strcmp(name, "extreme-dest"))
        Cdgamx2d(grid, "C", " ", 1, 1, a, 1, where, where, -1, 4, 0);
    else if (!strcmp(name, "ldia"))
        Cigamn2d(grid, "A", " ", 3, 2, ints, 3, where, where, 2, -1, -1);
    else if (!strcmp(name, "ra-null"))
        Cigamn2d(grid, "A", " ", 1, 1, ints, 1, NULL, where, 1, -1, -1);
}

static void contexts(const char *name)
{
    if (!strcmp(name, "context-unknown"))
        Cdgesd2d(77, 1, 1, a, 1, 0, 0);
    else if (!strcmp(name, "context-negative"))
        Cblacs_barrier(-5, "A");
    else if (!strcmp(name, "context-outside"))
        Cdgsum2d(-1, "A", " ", 1, 1, a, 1, -1, -1);
    else if (!strcmp(name, "context-released")) {
        Cblacs_gridexit(grid);
        Cdgebs2d(grid, "A", " ", 1, 1, a, 1);
    } else if (!strcmp(name, "gridexit-twice")) {
        Cblacs_gridexit(grid);
        Cblacs_gridexit(grid);
    } else if (!strcmp(name, "pnum-context"))
        Cblacs_pnum(99, 0, 0);
    else if (!strcmp(name, "get-context"))
        Cblacs_get(99, 11, ints);
    else if (!strcmp(name, "after-exit")) {
        Cblacs_exit(1);
        Cdgesd2d(grid, 1, 1, a, 1, 0, 0);
    } else if (!strcmp(name, "abort"))
        Cblacs_abort(grid, 7);
}

static void grids(const char *name)
{
    int system, map[4] = {0, 0, 0, 0};
    Cblacs_get(0, 0, &system);
    if (!strcmp(name, "nprow"))
        Cblacs_gridinit(&system, "R", 0, 1);
    else if (!strcmp(name, "npcol"))
        Cblacs_gridmap(&system, map, 1, 1, -2);
    else if (!strcmp(name, "too-many"))
        Cblacs_gridinit(&system, "R", 100, 3);
    else if (!strcmp(name, "system"))
        system = 4711, Cblacs_gridinit(&system, "R", 1, 1);
    else if (!strcmp(name, "map-range"))
        map[0] = -1, Cblacs_gridmap(&system, map, 1, 1, 1);
    else if (!strcmp(name, "map-twice"))
        Cblacs_gridmap(&system, map, 2, 2, 1);
    else if (!strcmp(name, "ldumap"))
        Cblacs_gridmap(&system, map, 1, 2, 2);
    else if (!strcmp(name, "map-null"))
        Cblacs_gridmap(&system, NULL, 1, 1, 1);
    else if (!strcmp(name, "mkl-bcast"))
        MKLMPI_Bcast(map, 1, 0, 0, 0);
    else if (!strcmp(name, "grid-comm")) {
        Cblacs_gridinit(&system, "R", 1, 1);
        Cblacs_get(system, 10, &system);
        Cblacs2sys_handle(system);
    } else if (!strcmp(name, "grid-gone")) {
        Cblacs_gridmap(&system, map, 1, 1, 1);
        int inner = system, turned;
        Cblacs_get(inner, 10, &turned);
        Cblacs_gridexit(inner);
        turned = 0x5B000000 + inner;
        Cblacs_gridinit(&turned, "R", 1, 1);
    }
}

static void warnings(const char *name)
{
    int zero = 0;
    if (!strcmp(name, "set-system"))
        Cblacs_set(grid, 0, &zero);
    else if (!strcmp(name, "set-ids"))
        Cblacs_set(-1, 1, &zero);
    else if (!strcmp(name, "set-debug"))
        Cblacs_set(grid, 2, &zero);
    else if (!strcmp(name, "set-grid"))
        Cblacs_set(grid, 10, &zero);
    else if (!strcmp(name, "set-rings"))
        Cblacs_set(grid, 11, &zero);
    else if (!strcmp(name, "set-branches"))
        zero = -2, Cblacs_set(grid, 14, &zero);
    else if (!strcmp(name, "set-unknown"))
        Cblacs_set(grid, 19, &zero);
    else if (!strcmp(name, "get-unknown"))
        Cblacs_get(grid, 3, &zero);
}

/* Results without a place. */
static void nowhere(const char *name)
{
    if (!strcmp(name, "pinfo-null"))
        Cblacs_pinfo(NULL, ints);
    else if (!strcmp(name, "setup-null"))
        blacs_setup_(ints, NULL);
    else if (!strcmp(name, "get-null"))
        Cblacs_get(-1, 0, NULL);
    else if (!strcmp(name, "set-null"))
        Cblacs_set(grid, 11, NULL);
    else if (!strcmp(name, "gridinfo-null"))
        Cblacs_gridinfo(grid, ints, ints, NULL, ints);
    else if (!strcmp(name, "pcoord-null"))
        blacs_pcoord_(&grid, &(int){0}, ints, NULL);
}

/* The very first call of process 1 of those that obrun has started. */
static void before_pinfo(const char *name)
{
    const char *job = getenv("OPENBLACS_JOB"), *number = job ? strchr(job, ':') : NULL;
    if (!number || strcmp(number, ":1") != 0)
        return;
    if (!strcmp(name, "before-pinfo-1"))
        Cdgesd2d(0, 1, 1, a, 1, 0, 0);
    else if (!strcmp(name, "before-pinfo-abort"))
        Cblacs_abort(-1, 3);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (!strcmp(name, "before-pinfo"))
        Cdgesd2d(0, 1, 1, a, 1, 0, 0);
    before_pinfo(name);
    begin();
    if (!strcmp(name, "before-grid") && world.me == 0)
        Cdgesd2d(0, 1, 1, a, 1, 0, 0);
    int all = make_grid(1, world.count);
    if (world.me == 0) {
        grid = make_grid(1, 1);
        point(name);
        size(name);
        collective(name);
        contexts(name);
        grids(name);
        warnings(name);
        nowhere(name);
    }
    Cblacs_barrier(all, "A");
    if (strcmp(name, "leak") != 0 && world.me == 0)
        Cblacs_gridexit(grid);
    if (strcmp(name, "leak") != 0 || world.me != 0)
        Cblacs_gridexit(all);
    Cblacs_exit(0);
    return 0;
}
