/*
 * T_c, the time of a message between two processes (LAWN 73, appendix D.1): the sender
 * exchanges messages with one receiver after the other, and takes half of a round.
 *
 *   tc [FIRST LAST INCREMENT REPETITIONS SENDER]   lengths in bytes; increment 0: doubling
 */
#include "timing.h"

static void exchange(int partner, int first, int length, int reps, float *buffer)
{
    for (int i = 0; i < reps; i++) {
        if (first)
            sgesd2d_(&length, &one, buffer, &length, &zero, &partner);
        sgerv2d_(&length, &one, buffer, &length, &zero, &partner);
        if (!first)
            sgesd2d_(&length, &one, buffer, &length, &zero, &partner);
    }
}

static void time_length(int iam, int count, int sender, int bytes, int reps)
{
    float *buffer = calloc((size_t)bytes / 4 + 1, sizeof *buffer);
    for (int partner = 0; partner < count; partner++) {
        if (partner == sender || (iam != sender && iam != partner))
            continue;
        /* Both are there, and have their memory. */
        exchange(iam == sender ? partner : sender, iam == sender, bytes / 4, 1, buffer);
        double start = dwalltime00_();
        exchange(iam == sender ? partner : sender, iam == sender, bytes / 4, reps, buffer);
        double time = dwalltime00_() - start;
        if (iam == sender)
            printf("%d to %d: length = %d, Tc = %.3f us, %.1f KB/s\n", sender, partner, bytes,
                   0.5e6 * time / reps, bytes * (double)reps * 2 / (1000 * time));
    }
    free(buffer);
}

int main(int argc, char **argv)
{
    int iam, count;
    initpinfo_(&iam, &count);
    auxsetup_(&iam, &count);
    blacsinit_(&one, &count);
    int last = argument(argc, argv, 2, 65536), increment = argument(argc, argv, 3, 0);
    for (int n = argument(argc, argv, 1, 4); n <= last; n = next_length(n, increment))
        time_length(iam, count, argument(argc, argv, 5, 0), n, argument(argc, argv, 4, 100));
    if (iam == argument(argc, argv, 5, 0))
        printf("End of run.\n");
    blacsexit_(&zero);
    return 0;
}
