/* A client of the installed library: every process sends a column to the next
 * and all sum what they got. Prints one line on process 0; status 0 is right. */
#include <openblacs/blacs.h>

#include <stdio.h>

int main(void)
{
    int me, count, context, rows, columns, row, column;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    double out[2] = {me + 1.0, 0.5}, in[2] = {0, 0};
    Cdgesd2d(context, 2, 1, out, 2, 0, (column + 1) % columns);
    Cdgerv2d(context, 2, 1, in, 2, 0, (column + columns - 1) % columns);
    Cdgsum2d(context, "All", " ", 2, 1, in, 2, -1, -1);

    int right = in[0] == count * (count + 1) / 2.0 && in[1] == 0.5 * count;
    if (me == 0)
        printf("%s: %d processes\n", right ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return right ? 0 : 1;
}
