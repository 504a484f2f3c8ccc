/* The node of picl_trace_host: levels and sizes come with the first message. */
#include <stdio.h>

#include <openblacs/picl.h>

int main(void)
{
    int nodes, me, host, work[6], x = 7, used, top, order, direction, left, level[3];
    open0(&nodes, &me, &host);
    recv0((char *)work, sizeof work, 1);
    tracelevel(work[0], work[1], work[2]);
    tracenode(work[3], work[4], 1);
    traceinfo(&left, &level[0], &level[1], &level[2]);
    if (left < 1 || level[0] != work[0] || level[1] != work[1] || level[2] != work[2])
        fputs("wrong: traceinfo\n", stdout);
    tracemsg("This is a test of tracemsg.");
    for (int i = 0; i < work[5]; i++) {
        send0((char *)&x, sizeof x, 5, (me + 1) % nodes);
        recv0((char *)&x, sizeof x, 5);
    }
    probe0(-1);
    tracemark(me);
    send0((char *)&x, sizeof x, 2, host);
    setarc0(&used, &top, &order, &direction);
    bcast0((char *)&x, sizeof x, 3, host);
    barrier0();
    sync0();
    close0(0);
    return 0;
}
