/*
 * The host of the manual's first pair of programs (figures 1 and 2), written anew: sums
 * of neighbours in a vector that is spread over the nodes.
 *   picl_sums_host [NODES]
 */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/picl.h>

enum { LENGTH = 1024 };

int main(int argc, char **argv)
{
    int nodes = argc > 1 ? atoi(argv[1]) : 4, me, host, wrong = 0;
    double begin = clock0();
    open0(&nodes, &me, &host);
    int piece = LENGTH / nodes;
    float *data = malloc(LENGTH * sizeof *data), *sums = calloc(LENGTH, sizeof *sums);
    float *block = malloc((size_t)piece * sizeof *block);
    for (int i = 0; i < LENGTH; i++)
        data[i] = (float)i;
    load0(NODE_PROGRAM, -1);
    for (int n = 0; n < nodes; n++)
        send0((char *)&piece, sizeof piece, 0, n);
    for (int n = 0; n < nodes; n++)
        send0((char *)&data[piece * n], piece * (int)sizeof *data, 1, n);
    for (int n = 0; n < nodes; n++) {
        int bytes, type, source;
        recv0((char *)block, piece * (int)sizeof *block, 3);
        recvinfo0(&bytes, &type, &source);
        wrong += bytes != piece * (int)sizeof *block || type != 3;
        for (int i = 0; i < piece; i++)
            sums[piece * source + i] = block[i];
    }
    for (int i = 0; i < piece * nodes; i++)
        wrong += sums[i] != data[i] + data[(i + 1) % (piece * nodes)];
    printf("host took %s, host is %d, %d nodes\n", clock0() - begin < 60 ? "moments" : "long", host,
           nodes);
    close0(1);
    printf("%d passed, %d failed\n", piece * nodes - wrong, wrong);
    free(data);
    free(sums);
    free(block);
    return wrong != 0;
}
