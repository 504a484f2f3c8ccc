/*
 * A host whose trace is known: it and its nodes do the same few things at given levels.
 *   picl_trace_host FILE VERBOSE EVENT COMPSTATS COMMSTATS [SIZE FLUSH [NODES]]
 */
#include <stdlib.h>

#include <openblacs/picl.h>

int main(int argc, char **argv)
{
    int given[8] = {0}, one = 1, nodes, me, host, x = 0;
    for (int i = 2; i < argc && i < 9; i++)
        given[i - 2] = atoi(argv[i]);
    int size = argc > 6 ? given[4] : 100000, flush = given[5];
    nodes = argc > 8 ? given[6] : 2;
    traceenable(argv[1], given[0]);
    tracelevel(given[1], given[2], given[3]);
    tracehost(size, flush);
    open0(&nodes, &me, &host);
    load0(NODE_PROGRAM, -1);
    int work[6] = {given[1], given[2], given[3], size, flush, 5};
    send0((char *)work, sizeof work, 1, -1);
    for (int n = 0; n < nodes; n++)
        recv0((char *)&x, sizeof x, 2);
    int top = PICL_RING;
    setarc0(&nodes, &top, &one, &one);
    bcast0((char *)&x, sizeof x, 3, host);
    tracemark(67);
    traceexit();
    traceflush();
    close0(1);
    return 0;
}
