/*
 * Times of broadcasts (LAWN 73, appendix D.3): of the source, and the smallest, largest and
 * average of all. TOP 'p' is the MPI library's own broadcast.
 */
#include "timing.h"

static void broadcast(const char *top, int length, int source, double *x)
{
#ifdef TIMING_MPI
    if (*top == 'p') {
        MPI_Bcast(x, length, MPI_DOUBLE, source, MPI_COMM_WORLD);
        return;
    }
#endif
    if (iam == source)
        dgebs2d_("a", top, &length, &one, x, &length);
    else
        dgebr2d_("a", top, &length, &one, x, &length, &zero, &source);
}

static void time_length(const char *top, int length, int reps, int source, FILE *file)
{
    double *x = calloc((size_t)length + 1, sizeof *x);
    int ra, ca;
    barrier_("a");
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++)
        broadcast(top, length, source, x);
    double time = 1000 * (dwalltime00_() - start) / reps, least = time, most = time, sum = time;
    double of_source = time;
    if (iam == source)
        dgesd2d_(&one, &one, &of_source, &one, &zero, &zero);
    if (iam == 0)
        dgerv2d_(&one, &one, &of_source, &one, &zero, &source);
    dgmin2d_("a", "1", &one, &one, &least, &one, &ra, &ca, &one, &zero, &zero);
    dgmax2d_("a", "1", &one, &one, &most, &one, &ra, &ca, &one, &zero, &zero);
    dgsum2d_("a", "1", &one, &one, &sum, &one, &zero, &zero);
    if (iam == 0)
        fprintf(file, "%11d %13.5f %13.5f %13.5f %13.5f\n", length, of_source, least, most,
                sum / nnodes);
    free(x);
}

int main(int argc, char **argv)
{
    const char *top = argc > 1 ? argv[1] : "h";
    begin("broadcast [TOP FIRST LAST INCREMENT REPETITIONS SOURCE [FILE [BRANCHES]]], lengths in "
          "doubles");
    lengths l = lengths_from(argc, argv, 2, 1, 8192);
    int reps = argument(argc, argv, 5, "REPETITIONS", 1, INT_MAX, 50);
    int source = argument(argc, argv, 6, "SOURCE", 0, nnodes - 1, 0);
    int branches = argument(argc, argv, 8, "BRANCHES", 1, INT_MAX, 1);
    const char *whose = is_primitive(top) ? "primitive" : "BLACS";
    FILE *file = output(argc, argv, 7, iam == 0);
    setbranches_(&branches);
    if (iam == 0)
        fprintf(file,
                "Time in milliseconds of a %s broadcast of doubles, top '%c', nnodes=%d, reps=%d, "
                "src=%d, ntests=%d\n"
                "   ELEMENTS      SRC TIME      MIN TIME      MAX TIME      AVG TIME\n",
                whose, *top, nnodes, reps, source, how_many(&l));
    for (int n = l.first; n <= l.last; n = next_length(&l, n))
        time_length(top, n, reps, source, file);
    finish(file, iam == 0);
    return 0;
}
