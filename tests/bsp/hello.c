/*
 * What bspcc compiles and bsprun starts (tests/run/bsp.sh): valid C of 1989.
 */
#include <bsp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    bsp_begin(bsp_nprocs());
    if (bsp_pid() == 0 && argc == 1)
        printf("%d processes\n", (int)bsp_nprocs());
    if (bsp_pid() == 0 && argc > 1)
        printf("%d bytes for a size\n", (int)sizeof(bsp_size_t));
    bsp_end();
    return 0;
}
