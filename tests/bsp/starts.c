/*
 * Ways to begin a program, by name; tests/run/bsp.sh looks at the line process 0 prints and at the
 * status.
 */
#include <bsp.h>
#include <stdio.h>
#include <string.h>

static int wanted;

/* All that process 0 hears of the others is put there, so the number of them is a fact. */
static void count_processes(void)
{
    int heard[64] = {0}, one = 1, sum = 0;
    bsp_push_reg(heard, sizeof heard);
    bsp_sync();
    bsp_put(0, &one, heard, (size_t)bsp_pid() * sizeof one, sizeof one);
    bsp_sync();
    for (int i = 0; i < 64; i++)
        sum += heard[i];
    if (bsp_pid() == 0)
        printf("%d of %d processes\n", sum, bsp_nprocs());
}

static void spmd(void)
{
    bsp_begin(wanted);
    count_processes();
    bsp_end();
}

static void never_begins(void)
{
}

/* The second example of the report of 1998. */
static int reads_the_number(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    if (scanf("%d", &wanted) != 1)
        return 3;
    spmd();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "reads") == 0)
        return reads_the_number(argc, argv);
    if (strcmp(what, "unequal") == 0) {
        wanted = bsp_pid() == 0 ? 2 : 7 * bsp_pid() - 7;
        spmd();
    }
    if (strcmp(what, "process-0-returns") == 0) {
        bsp_init(spmd, argc, argv);
        fputs("process 0 returns\n", stdout);
    }
    if (strcmp(what, "none-begins") == 0) {
        bsp_init(never_begins, argc, argv);
        fputs("process 0 returns\n", stdout);
    }
    if (strcmp(what, "process-0-alone-begins") == 0) {
        bsp_init(never_begins, argc, argv);
        wanted = 2;
        spmd();
    }
    if (strcmp(what, "asks") == 0)
        printf("there are %d processes\n", bsp_nprocs());
    return 0;
}
