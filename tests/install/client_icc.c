/* A client of the installed libicc. Prints one line on process 0; status 0 is right. */
#include <openblacs/icc.h>

#include <stdio.h>

int main(void)
{
    long me = iCC_mynode(), count = iCC_numnodes();
    double x = (double)me + 1;
    int token = me == count - 1 ? 42 : 0;
    iCC_gdsum(&x, 1, NULL);
    iCC_bcast(&token, sizeof token, count - 1);
    int right = x == (double)(count * (count + 1) / 2) && token == 42;
    if (me == 0)
        printf("%s: %ld processes\n", right ? "right" : "wrong", count);
    return right ? 0 : 1;
}
