/*
 * The host of the manual's second pair of programs (figures 3 and 4), written anew:
 * the same computation on 1, 2, 4 ... nodes, along every topology, order and direction.
 *   picl_global_host [NODES]
 */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/picl.h>

int main(int argc, char **argv)
{
    int nodes = argc > 1 ? atoi(argv[1]) : 4, me, host, none = 0, passed = 0, failed = 0;
    enum { LENGTH = 100 };
    float results[LENGTH];
    int n = LENGTH;
    open0(&nodes, &me, &host);
    load0(NODE_PROGRAM, -1);
    for (int used = 1; used <= nodes; used++)
        for (int top = 1; top <= 4; top++)
            for (int order = 0; order <= 1; order++)
                for (int direction = -1; direction <= 1; direction += 2) {
                    if (order == PICL_GRAY && top != PICL_HYPERCUBE && (used & (used - 1)))
                        continue;
                    setarc0(&used, &top, &order, &direction);
                    bcast0((char *)&n, sizeof n, 0, host);
                    gsum0((char *)results, n, PICL_FLOAT, 1, host);
                    for (int i = 0; i < n; i++) {
                        int right = results[i] == (float)(used * i + used * (used - 1) / 2);
                        passed += right;
                        failed += !right;
                    }
                }
    setarc0(&none, &none, &none, &none);
    close0(1);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
