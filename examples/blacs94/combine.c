/*
 * Times of combines (LAWN 73, appendix D.4): sums ('+') and largest values ('>'), left on one
 * process or on all (-1).
 *
 *   combine [OPERATION TOP FIRST LAST INCREMENT REPETITIONS DESTINATION BRANCHES]
 */
#include "timing.h"

static void combine(char operation, const char *top, int length, int destination, double *x,
                    int *ra, int *ca)
{
    const int *row = destination < 0 ? &all : &zero;
    if (operation == '+')
        dgsum2d_("a", top, &length, &one, x, &length, row, &destination);
    else
        dgmax2d_("a", top, &length, &one, x, &length, ra, ca, &length, row, &destination);
}

static void time_length(char operation, const char *top, int iam, int count, int length, int reps,
                        int destination)
{
    double *x = calloc((size_t)length + 1, sizeof *x);
    int *ra = calloc((size_t)length + 1, sizeof *ra), *ca = calloc((size_t)length + 1, sizeof *ca);
    srand((unsigned)length);
    for (int j = 0; j < length; j++)
        x[j] = rand() % 1000;
    barrier_("a");
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++)
        combine(operation, top, length, destination, x, ra, ca);
    double time = 1000 * (dwalltime00_() - start) / reps, least = time, most = time, sum = time;
    dgmin2d_("a", "1", &one, &one, &least, &one, ra, ca, &one, &zero, &zero);
    dgmax2d_("a", "1", &one, &one, &most, &one, ra, ca, &one, &zero, &zero);
    dgsum2d_("a", "1", &one, &one, &sum, &one, &zero, &zero);
    if (iam == 0)
        printf("%11d %13.5f %13.5f %13.5f\n", length, least, most, sum / count);
    free(x);
    free(ra);
    free(ca);
}

int main(int argc, char **argv)
{
    int iam, count;
    char operation = argc > 1 ? argv[1][0] : '+';
    const char *top = argc > 2 ? argv[2] : "h";
    initpinfo_(&iam, &count);
    auxsetup_(&iam, &count);
    blacsinit_(&one, &count);
    int last = argument(argc, argv, 4, 8192), increment = argument(argc, argv, 5, 0);
    int branches = argument(argc, argv, 8, 1);
    setbranches_(&branches);
    if (iam == 0)
        printf("combine of doubles, operation '%c', top '%c', %d processes; milliseconds\n"
               "   ELEMENTS      MIN TIME      MAX TIME      AVG TIME\n", operation, *top, count);
    for (int n = argument(argc, argv, 3, 1); n <= last; n = next_length(n, increment))
        time_length(operation, top, iam, count, n, argument(argc, argv, 6, 50),
                    argument(argc, argv, 7, -1));
    if (iam == 0)
        printf("End of run.\n");
    blacsexit_(&zero);
    return 0;
}
