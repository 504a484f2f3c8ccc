/*
 * T_c, the time of a message between two processes (LAWN 73, appendix D.1): the sender
 * exchanges messages with one receiver after the other, and takes half of a round.
 */
#include "timing.h"

/* Receivers in a row, by STEP; 1, 3, 7 and so on when that is less than 1 or more than the last. */
typedef struct receivers {
    int sender, first, last, step;
} receivers;

static int next_receiver(const receivers *r, int receiver)
{
    return r->step < 1 || r->step > r->last ? 2 * receiver + 1 : receiver + r->step;
}

static void exchange(int partner, int length, int reps, float *buffer, int sender)
{
    for (int i = 0; i < reps; i++) {
        if (iam == sender)
            sgesd2d_(&length, &one, buffer, &length, &zero, &partner);
        sgerv2d_(&length, &one, buffer, &length, &zero, &partner);
        if (iam != sender)
            sgesd2d_(&length, &one, buffer, &length, &zero, &partner);
    }
}

static void time_length(const receivers *r, int bytes, int reps, FILE *file)
{
    float *buffer = calloc((size_t)bytes / 4 + 1, sizeof *buffer);
    for (int to = r->first; to <= r->last; to = next_receiver(r, to)) {
        int partner = iam == r->sender ? to : r->sender;
        if (to == r->sender || (iam != r->sender && iam != to))
            continue;
        exchange(partner, 0, 1, buffer, r->sender); /* both are there */
        double start = dwalltime00_();
        exchange(partner, bytes / 4, reps, buffer, r->sender);
        double time = dwalltime00_() - start;
        if (iam == r->sender)
            fprintf(file, "%d to %d: length = %d, Tc = %.3f us, %.1f KB/s\n", r->sender, to, bytes,
                    0.5e6 * time / reps, bytes * (double)reps * 2 / (1000 * time));
    }
    free(buffer);
}

int main(int argc, char **argv)
{
    begin("tc [FIRST LAST INCREMENT REPETITIONS SENDER RECEIVER1 RECEIVERN STEP [FILE]], "
          "lengths in bytes");
    int most = nnodes - 1;
    lengths l = lengths_from(argc, argv, 1, 4, 65536);
    int reps = argument(argc, argv, 4, "REPETITIONS", 1, INT_MAX, 100);
    receivers r = {.sender = argument(argc, argv, 5, "SENDER", 0, most, 0),
                   .first = argument(argc, argv, 6, "RECEIVER1", 0, most, 0),
                   .last = argument(argc, argv, 7, "RECEIVERN", 0, most, most),
                   .step = argument(argc, argv, 8, "STEP", INT_MIN, INT_MAX, 1)};
    FILE *file = output(argc, argv, 9, iam == r.sender);
    if (iam == r.sender)
        fprintf(file, "Start of %d node run: sender=%d, nlengths=%d, reps=%d.\n", nnodes, r.sender,
                how_many(&l), reps);
    for (int n = l.first; n <= l.last; n = next_length(&l, n))
        time_length(&r, n, reps, file);
    finish(file, iam == r.sender);
    return 0;
}
