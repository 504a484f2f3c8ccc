/*
 * Times of combines (LAWN 73, appendix D.4): sums ('+'), largest ('>') and smallest values ('<'),
 * left on one process or on all (-1). TOP 'p' is the MPI library's own reduction.
 */
#include "timing.h"

/* What is combined, and room for where extremes come from and for what MPI's call leaves. */
typedef struct numbers {
    double *x, *result;
    int *ra, *ca;
} numbers;

#ifdef TIMING_MPI
static void combine_by_mpi(char operation, int length, int destination, const numbers *v)
{
    MPI_Op op = operation == '+' ? MPI_SUM : operation == '>' ? MPI_MAX : MPI_MIN;
    if (destination < 0)
        MPI_Allreduce(v->x, v->result, length, MPI_DOUBLE, op, MPI_COMM_WORLD);
    else
        MPI_Reduce(v->x, v->result, length, MPI_DOUBLE, op, destination, MPI_COMM_WORLD);
}
#endif

static void combine(char operation, const char *top, int length, int destination, const numbers *v)
{
    const int *row = destination < 0 ? &all : &zero;
#ifdef TIMING_MPI
    if (*top == 'p') {
        combine_by_mpi(operation, length, destination, v);
        return;
    }
#endif
    if (operation == '+')
        dgsum2d_("a", top, &length, &one, v->x, &length, row, &destination);
    else if (operation == '>')
        dgmax2d_("a", top, &length, &one, v->x, &length, v->ra, v->ca, &length, row, &destination);
    else
        dgmin2d_("a", top, &length, &one, v->x, &length, v->ra, v->ca, &length, row, &destination);
}

static void time_length(char operation, const char *top, int length, int reps, int destination,
                        FILE *file)
{
    size_t room = (size_t)length + 1;
    int ra, ca;
    numbers v = {calloc(room, sizeof *v.x), calloc(room, sizeof *v.x), calloc(room, sizeof *v.ra),
                 calloc(room, sizeof *v.ca)};
    srand((unsigned)length);
    for (int j = 0; j < length; j++)
        v.x[j] = rand() % 1000;
    barrier_("a");
    double start = dwalltime00_();
    for (int j = 0; j < reps; j++)
        combine(operation, top, length, destination, &v);
    double time = 1000 * (dwalltime00_() - start) / reps, least = time, most = time, sum = time;
    dgmin2d_("a", "1", &one, &one, &least, &one, &ra, &ca, &one, &zero, &zero);
    dgmax2d_("a", "1", &one, &one, &most, &one, &ra, &ca, &one, &zero, &zero);
    dgsum2d_("a", "1", &one, &one, &sum, &one, &zero, &zero);
    if (iam == 0)
        fprintf(file, "%11d %13.5f %13.5f %13.5f\n", length, least, most, sum / nnodes);
    free(v.x);
    free(v.result);
    free(v.ra);
    free(v.ca);
}

int main(int argc, char **argv)
{
    const char *operation = argc > 1 ? argv[1] : "+", *top = argc > 2 ? argv[2] : "h";
    begin("combine [OPERATION TOP FIRST LAST INCREMENT REPETITIONS DESTINATION [FILE [BRANCHES]]], "
          "OPERATION +, > or <, lengths in doubles");
    if (!*operation || !strchr("+><", *operation))
        wrong("OPERATION", operation);
    lengths l = lengths_from(argc, argv, 3, 1, 8192);
    int reps = argument(argc, argv, 6, "REPETITIONS", 1, INT_MAX, 50);
    int destination = argument(argc, argv, 7, "DESTINATION", INT_MIN, nnodes - 1, -1);
    int branches = argument(argc, argv, 9, "BRANCHES", 1, INT_MAX, 1);
    const char *whose = is_primitive(top) ? "primitive" : "BLACS";
    FILE *file = output(argc, argv, 8, iam == 0);
    setbranches_(&branches);
    if (iam == 0)
        fprintf(file,
                "Time in milliseconds of a %s combine of doubles, operation '%c', top '%c', "
                "nnodes=%d, reps=%d, dest=%d, ntests=%d\n"
                "   ELEMENTS      MIN TIME      MAX TIME      AVG TIME\n",
                whose, *operation, *top, nnodes, reps, destination, how_many(&l));
    for (int n = l.first; n <= l.last; n = next_length(&l, n))
        time_length(*operation, top, n, reps, destination, file);
    finish(file, iam == 0);
    return 0;
}
