/* A PICL host that loads itself as its nodes, built against an installed prefix: alone one
 * node, under a launcher those there are. */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/picl.h>

int main(int argc, char **argv)
{
    int launched = getenv("OPENBLACS_JOB") != NULL, nodes = !launched, me, host, one = 1;
    open0(&nodes, &me, &host);
    if (me == host && argc > 0)
        load0(argv[0], -1);
    setarc0(&nodes, &one, &one, &one);
    int sum = me + 1;
    gsum0((char *)&sum, 1, PICL_INT, 1, host);
    close0(1);
    if (me == host)
        printf("%s: %d processes\n", sum == nodes * (nodes + 1) / 2 ? "right" : "wrong",
               nodes + launched);
    return 0;
}
