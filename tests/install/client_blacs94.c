/* A client of the installed libblacs94. Prints one line on process 0; status 0 is right. */
#include <openblacs/blacs94.h>

#include <stdio.h>

int main(void)
{
    int me, count, one = 1, zero = 0, all = -1;
    initpinfo_(&me, &count);
    blacsinit_(&one, &count);
    double sum = me + 1;
    dgsum2d_("All", "h", &one, &one, &sum, &one, &all, &zero);
    int right = sum == count * (count + 1) / 2;
    if (me == 0)
        printf("%s: %d processes\n", right ? "right" : "wrong", count);
    blacsexit_(&zero);
    return right ? 0 : 1;
}
