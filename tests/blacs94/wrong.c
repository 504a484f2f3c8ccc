/* Wrong uses of libblacs94, by name; tests/run/blacs94.sh has the lines they print. And "late",
 * which is right: a receiver that comes when the sender's memory is full. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "openblacs/blacs94.h"

static const int zero = 0, one = 1, two = 2, five = 5, minus = -1;
static int me, count;

/* Eight matrices of 320 000 bytes. */
static void late(void)
{
    int m = 200;
    double *x = calloc(40000, sizeof *x);
    struct timespec nap = {0, 300000000};
    blacsinit_(&one, &two);
    if (me == 1)
        nanosleep(&nap, NULL);
    for (int k = 0; k < 8; k++)
        if (me == 0)
            dgesd2d_(&m, &m, x, &m, &zero, &one);
        else
            dgerv2d_(&m, &m, x, &m, &zero, &zero);
    free(x);
}

/* On a grid of one process by two. */
static void communicate(const char *name)
{
    double x[4] = {0};
    int r[4], c[4], other = 1 - me;
    if (!strcmp(name, "m"))
        dgesd2d_(&minus, &one, x, &one, &zero, &zero);
    if (!strcmp(name, "lda"))
        dgerv2d_(&two, &two, x, &one, &zero, &zero);
    if (!strcmp(name, "cdest"))
        dgesd2d_(&one, &one, x, &one, &zero, &two);
    if (!strcmp(name, "uplo"))
        dtrsd2d_("X", "N", &one, &one, x, &one, &zero, &other);
    if (!strcmp(name, "scope"))
        dgsum2d_("Q", " ", &one, &one, x, &one, &zero, &zero);
    if (!strcmp(name, "top"))
        dgebs2d_("All", "?", &one, &one, x, &one);
    if (!strcmp(name, "source"))
        dgebr2d_("All", " ", &one, &one, x, &one, &zero, &me);
    if (!strcmp(name, "ldia"))
        dgmax2d_("All", " ", &two, &two, x, &two, r, c, &one, &zero, &zero);
    if (!strcmp(name, "rdest"))
        igmin2d_("All", " ", &one, &one, r, &one, r, c, &one, &five, &zero);
    if (!strcmp(name, "barrier"))
        barrier_("Q");
    if (!strcmp(name, "kbsid"))
        kbsid_("Q");
    if (!strcmp(name, "krecvid"))
        krecvid_(&five, &zero);
}

int main(int argc, char **argv)
{
    const int early_map[2] = {0, 0};
    double x = 0;
    const char *name = argc > 1 ? argv[1] : "";
    initpinfo_(&me, &count);
    if (!strcmp(name, "early"))
        dgesd2d_(&one, &one, &x, &one, &zero, &zero);
    if (!strcmp(name, "tasks"))
        setpvmtids_(&five, early_map);
    if (!strcmp(name, "nprow"))
        blacsinit_(&zero, &one);
    if (!strcmp(name, "large"))
        blacsinit_(&two, &two);
    if (!strcmp(name, "twice"))
        gridmap_(early_map, &one, &one, &two);
    blacsinit_(&one, &one);
    if (!strcmp(name, "outside") && me == 1)
        barrier_("All");
    if (!strcmp(name, "ranges"))
        shift_range_(&zero, &five, &one, &five);
    if (!strcmp(name, "branches"))
        setbranches_(&zero);
    if (!strcmp(name, "late"))
        late();
    blacsinit_(&one, &two);
    communicate(name);
    blacsexit_(&zero);
    return 0;
}
