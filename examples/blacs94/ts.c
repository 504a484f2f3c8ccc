/*
 * T_s, the time a send takes its sender (LAWN 73, appendix D.2): one process sends to all
 * others in turn, and only the sends are timed.
 *
 *   ts [FIRST LAST INCREMENT REPETITIONS]   lengths in bytes; increment 0: doubling
 */
#include "timing.h"

static void wake(int from, int to, int iam)
{
    int other = iam == from ? to : from;
    if (iam == from)
        igesd2d_(&zero, &one, NULL, &one, &zero, &other);
    igerv2d_(&zero, &one, NULL, &one, &zero, &other);
    if (iam == to)
        igesd2d_(&zero, &one, NULL, &one, &zero, &other);
}

static void time_length(int iam, int count, int bytes, int reps)
{
    int length = bytes / 4;
    int *buffer = calloc((size_t)length + 1, sizeof *buffer);
    for (int to = 1; to < count; to++)
        if (iam == 0 || iam == to)
            wake(0, to, iam);
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++) {
        int to = 1 + j % (count - 1);
        if (iam == 0)
            igesd2d_(&length, &one, buffer, &length, &zero, &to);
        else if (iam == to)
            igerv2d_(&length, &one, buffer, &length, &zero, &zero);
    }
    double time = dwalltime00_() - start;
    if (iam == 0)
        printf("length = %d, Ts = %.3f us\n", bytes, 1e6 * time / reps);
    free(buffer);
}

int main(int argc, char **argv)
{
    int iam, count;
    initpinfo_(&iam, &count);
    auxsetup_(&iam, &count);
    blacsinit_(&one, &count);
    int last = argument(argc, argv, 2, 65536), increment = argument(argc, argv, 3, 0);
    for (int n = argument(argc, argv, 1, 4); count > 1 && n <= last; n = next_length(n, increment))
        time_length(iam, count, n, argument(argc, argv, 4, 100));
    if (iam == 0)
        printf("End of run.\n");
    blacsexit_(&zero);
    return 0;
}
