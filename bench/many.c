/*
 * many [exchanges]: what a job of many processes costs. One grid of all, a sum and a barrier; with
 * a number, everyone also exchanges so many messages of 8 bytes with everyone else. Then process
 * 0 tells the memory of the process in the middle: private pages and page tables, in KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/blacs.h"

/* The number behind the name in /proc/self/status, KiB. */
static int kib(const char *name)
{
    char line[128];
    int found = 0;
    FILE *in = fopen("/proc/self/status", "r");
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, name, strlen(name)) == 0)
            found = atoi(line + strlen(name));
    if (in)
        fclose(in);
    return found;
}

static void exchange(int ctx, int me, int count, int times)
{
    double x = 1;
    for (int k = 0; k < times; k++)
        for (int d = 1; d < count; d++) {
            Cdgesd2d(ctx, 1, 1, &x, 1, 0, (me + d) % count);
            Cdgerv2d(ctx, 1, 1, &x, 1, 0, (me + count - d) % count);
        }
}

int main(int argc, char **argv)
{
    int me, count, ctx, rows, columns, row, column, memory[2];
    double sum = 1;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &ctx);
    Cblacs_gridinit(&ctx, "R", 1, count);
    Cblacs_gridinfo(ctx, &rows, &columns, &row, &column);
    Cdgsum2d(ctx, "A", " ", 1, 1, &sum, 1, -1, -1);
    Cblacs_barrier(ctx, "A");
    if (argc > 1) {
        exchange(ctx, me, count, atoi(argv[1]));
        Cblacs_barrier(ctx, "A");
    }
    if (me == count / 2) {
        memory[0] = kib("RssAnon:");
        memory[1] = kib("VmPTE:");
        if (me)
            Cigesd2d(ctx, 2, 1, memory, 2, 0, 0);
    }
    if (me == 0) {
        if (count / 2)
            Cigerv2d(ctx, 2, 1, memory, 2, 0, count / 2);
        printf("%d processes, sum %.0f: %d KiB of its own, %d KiB of page tables\n", count, sum,
               memory[0], memory[1]);
    }
    Cblacs_exit(0);
    return 0;
}
