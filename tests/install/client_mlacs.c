/* A client of the installed libmlacs: every process sends a column to the next while it
 * waits for one, and all sum what they got. Prints one line on process 0. */
#include <openblacs/mlacs.h>

#include <stdio.h>

int main(void)
{
    int me, count, fault;
    MLACS_Comm all, row, column;
    MLACS_Request arriving;
    MLACS_Status status;
    mlacs_procinfo(&me, &count);
    double out[2] = {me + 1.0, 0.5}, in[2] = {0, 0};
    fault = mlacs_gridinit(MLACS_COMM_WORLD, 1, count, &all, &row, &column);
    fault |=
        mlacs_irecv(in, 2, 2, 1, MLACS_DOUBLE, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 7, all, &arriving);
    fault |= mlacs_send(out, 2, 2, 1, MLACS_DOUBLE, 0, (me + 1) % count, 7, all);
    fault |= mlacs_wait(&arriving, &status);
    fault |= mlacs_allreduce_sum(in, in, 2, 2, 1, MLACS_DOUBLE, row);
    if (fault)
        fprintf(stderr, "%s\n", mlacs_error_text());
    int right = !fault && status.column == (me + count - 1) % count && status.count == 2 &&
                in[0] == count * (count + 1) / 2.0 && in[1] == 0.5 * count;
    if (me == 0)
        printf("%s: %d processes\n", right ? "right" : "wrong", count);
    mlacs_gridexit(&all, &row, &column);
    mlacs_exit();
    return !right;
}
