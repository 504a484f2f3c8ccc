/*
 * T_s, the time a send takes its sender (LAWN 73, appendix D.2): one process sends to several in
 * turn, and only the sends are timed.
 */
#include "timing.h"

typedef struct receivers {
    int sender, count, *list;
} receivers;

static int receives(const receivers *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->list[i] == iam)
            return 1;
    return 0;
}

/* An empty message there and one back: all are ready. */
static void wake(const receivers *r)
{
    for (int i = 0; i < r->count; i++) {
        const int *other = iam == r->sender ? &r->list[i] : &r->sender;
        if (iam == r->sender)
            igesd2d_(&zero, &one, NULL, &one, &zero, other);
        if (iam == r->sender || iam == r->list[i])
            igerv2d_(&zero, &one, NULL, &one, &zero, other);
        if (iam == r->list[i])
            igesd2d_(&zero, &one, NULL, &one, &zero, other);
    }
}

static void time_length(const receivers *r, int bytes, int reps, FILE *file)
{
    int length = bytes / 4;
    int *buffer = calloc((size_t)length + 1, sizeof *buffer);
    wake(r);
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++) {
        const int *to = &r->list[j % r->count];
        if (iam == r->sender)
            igesd2d_(&length, &one, buffer, &length, &zero, to);
        else if (iam == *to)
            igerv2d_(&length, &one, buffer, &length, &zero, &r->sender);
    }
    double time = dwalltime00_() - start;
    if (iam == r->sender)
        fprintf(file, "%d: length = %d, Ts = %.3f us\n", r->sender, bytes, 1e6 * time / reps);
    free(buffer);
}

/* Those that the arguments name, or all but the sender. */
static receivers receivers_from(int argc, char **argv, int which, int sender)
{
    receivers r = {.sender = sender, .list = malloc(((size_t)argc + (size_t)nnodes) * sizeof(int))};
    for (int i = which; i < argc; i++) {
        r.list[r.count++] = argument(argc, argv, i, "RECEIVER", 0, nnodes - 1, 0);
        if (r.list[r.count - 1] == sender)
            wrong("the sender as RECEIVER", argv[i]);
    }
    for (int i = 0; argc <= which && i < nnodes; i++)
        if (i != sender)
            r.list[r.count++] = i;
    return r;
}

int main(int argc, char **argv)
{
    begin("ts [FILE REPETITIONS FIRST LAST INCREMENT SENDER [RECEIVER ...]], lengths in bytes");
    int reps = argument(argc, argv, 2, "REPETITIONS", 1, INT_MAX, 100);
    lengths l = lengths_from(argc, argv, 3, 4, 65536);
    receivers r =
        receivers_from(argc, argv, 7, argument(argc, argv, 6, "SENDER", 0, nnodes - 1, 0));
    FILE *file = output(argc, argv, 1, iam == r.sender);
    if (iam == r.sender) {
        fprintf(file,
                "Start of %d node run: sender=%d, nlengths=%d, nrecvs=%d, reps=%d.\nReceivers:",
                nnodes, r.sender, how_many(&l), r.count, reps);
        for (int i = 0; i < r.count; i++)
            fprintf(file, " %d", r.list[i]);
        fprintf(file, "\n");
    }
    for (int n = l.first; r.count && (iam == r.sender || receives(&r)) && n <= l.last;
         n = next_length(&l, n))
        time_length(&r, n, reps, file);
    free(r.list);
    finish(file, iam == r.sender);
    return 0;
}
