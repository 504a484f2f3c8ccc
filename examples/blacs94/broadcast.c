/*
 * Times of broadcasts (LAWN 73, appendix D.3): of the source, and the smallest, largest and
 * average of all.
 *
 *   broadcast [TOP FIRST LAST INCREMENT REPETITIONS SOURCE BRANCHES]   lengths in doubles
 */
#include "timing.h"

static void time_length(const char *top, int iam, int count, int length, int reps, int source)
{
    double *x = calloc((size_t)length + 1, sizeof *x);
    int ra, ca;
    barrier_("a");
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++)
        if (iam == source)
            dgebs2d_("a", top, &length, &one, x, &length);
        else
            dgebr2d_("a", top, &length, &one, x, &length, &zero, &source);
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
        printf("%11d %13.5f %13.5f %13.5f %13.5f\n", length, of_source, least, most, sum / count);
    free(x);
}

int main(int argc, char **argv)
{
    int iam, count;
    const char *top = argc > 1 ? argv[1] : "h";
    initpinfo_(&iam, &count);
    auxsetup_(&iam, &count);
    blacsinit_(&one, &count);
    int last = argument(argc, argv, 3, 8192), increment = argument(argc, argv, 4, 0);
    int branches = argument(argc, argv, 7, 1);
    setbranches_(&branches);
    if (iam == 0)
        printf("broadcast of doubles, top '%c', %d processes; milliseconds\n"
               "   ELEMENTS      SRC TIME      MIN TIME      MAX TIME      AVG TIME\n", *top, count);
    for (int n = argument(argc, argv, 2, 1); n <= last; n = next_length(n, increment))
        time_length(top, iam, count, n, argument(argc, argv, 5, 50), argument(argc, argv, 6, 0));
    if (iam == 0)
        printf("End of run.\n");
    blacsexit_(&zero);
    return 0;
}
