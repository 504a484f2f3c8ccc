/* A client of the installed libicc64. Prints one line on process 0; status 0 is right. */
#include <openblacs/icc.h>

#include <stdint.h>
#include <stdio.h>

int main(void)
{
    long me = iCC_mynode(), count = iCC_numnodes(), all[64];
    int64_t sum = (int64_t)1 << 40, product = me + 1, both = 1;
    for (long i = 0; i < count; i++)
        all[i] = i;
    iCC_gisum(&sum, 1, NULL);
    int64_t group = iCC_group(all, count);
    iCC_g_gihigh(&product, 1, NULL, group);
    iCC_group_free(group);
    iCC_mesh(1, count);
    iCC_g_giand(&both, 1, NULL, iCC_ROW);
    iCC_gsync();
    int right = sum == count << 40 && product == count && both == 1;
    if (me == 0)
        printf("%s: %ld processes\n", right ? "right" : "wrong", count);
    return right ? 0 : 1;
}
