/* The host loads its nodes three times, with messages left over each time, and closes
 * and opens in between. Without an argument it is the node.
 *   picl_again host
 */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/picl.h>

int main(int argc, char **argv)
{
    int nodes = 3, me, host, x = 0, bytes, type, source, wrong = 0;
    if (argc < 2) {
        open0(&nodes, &me, &host);
        recv0((char *)&x, sizeof x, 1);
        send0((char *)&x, sizeof x, 9, (me + 1) % nodes); /* nobody receives it */
        x += me;
        send0((char *)&x, sizeof x, 2, host);
        send0((char *)&x, sizeof x, 3, host); /* nor this */
        close0(0);
        return 0;
    }
    for (int round = 0; round < 3; round++) {
        open0(&nodes, &me, &host);
        load0(argv[0], 2);
        load0(argv[0], 0);
        load0(argv[0], 1);
        for (int n = 0; n < nodes; n++) {
            x = 100 * round;
            send0((char *)&x, sizeof x, 1, n);
        }
        for (int n = 0; n < nodes; n++) {
            recv0((char *)&x, sizeof x, 2);
            recvinfo0(&bytes, &type, &source);
            wrong += x != 100 * round + source;
        }
        wrong += probe0(2);
        close0(1);
        nodes = 0;
    }
    printf("%d passed, %d failed\n", 3 - (wrong != 0), wrong != 0);
    return wrong != 0;
}
