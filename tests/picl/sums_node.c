/* The node of the manual's first pair of programs (figure 2), written anew. */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/picl.h>

int main(void)
{
    int nodes, me, host, piece;
    char line[81];
    open0(&nodes, &me, &host);
    recv0((char *)&piece, sizeof piece, 0);
    float *data = malloc((size_t)piece * sizeof *data),
          *sums = malloc((size_t)piece * sizeof *sums);
    float next;
    recv0((char *)data, piece * (int)sizeof *data, 1);
    double begin = clock0();
    sync0();
    send0((char *)&data[0], sizeof(float), 2, (me + nodes - 1) % nodes);
    for (int i = 0; i < piece - 1; i++)
        sums[i] = data[i] + data[i + 1];
    recv0((char *)&next, sizeof next, 2);
    sums[piece - 1] = data[piece - 1] + next;
    snprintf(line, sizeof line, "node %d took %s", me, clock0() - begin < 60 ? "moments" : "long");
    message0(line);
    sync0();
    send0((char *)sums, piece * (int)sizeof *sums, 3, host);
    close0(0);
    free(data);
    free(sums);
    return 0;
}
