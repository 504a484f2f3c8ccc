/*
 * PICL's tables 6 and 7: node 0 sends node 1 a message and receives one back, on the
 * core alone ("native", ob_send and ob_recv) and with send0 and recv0 while nothing is
 * traced and at the levels of the tables. The least of rounds, as in the manual (7.1.3), all in
 * one run, in turn.
 * The host loads itself on two nodes.
 */
#include <stdio.h>

#include <openblacs/picl.h>

enum { ROUNDS = 101, EXCHANGES = 100, CASES = 7, MOST = 1000 };

static const struct {
    const char *name;
    int traced, level[3];
} cases[CASES] = {{"native", 0, {0}},     {"notrace", 0, {0}},    {"t000", 1, {0, 0, 0}},
                  {"t300", 1, {3, 0, 0}}, {"t030", 1, {0, 3, 0}}, {"t003", 1, {0, 0, 3}},
                  {"t333", 1, {3, 3, 3}}};

static char buf[MOST];
static ob_group *group;

static void exchange_native(int me, int bytes)
{
    ob_view v = ob_view_vector(buf, (size_t)bytes, OB_BYTE);
    for (int i = 0; i < EXCHANGES; i++) {
        if (me == 0)
            ob_send(group, 1, 0, &v);
        ob_recv(group, 1 - me, 0, &v, NULL);
        if (me == 1)
            ob_send(group, 0, 0, &v);
    }
}

static void exchange(int me, int bytes)
{
    for (int i = 0; i < EXCHANGES; i++) {
        if (me == 0)
            send0(buf, bytes, 1, 1);
        recv0(buf, bytes, 1);
        if (me == 1)
            send0(buf, bytes, 1, 0);
    }
}

/* A round without a trace of itself: what it recorded is dropped. */
static double one_round(int me, int k, int bytes)
{
    if (cases[k].traced) {
        tracelevel(cases[k].level[0], cases[k].level[1], cases[k].level[2]);
        tracenode(1 << 20, 0, 0);
    }
    sync0();
    double begin = clock0();
    if (k == 0)
        exchange_native(me, bytes);
    else
        exchange(me, bytes);
    double us = (clock0() - begin) / EXCHANGES * 1e6;
    tracelevel(0, 0, 0);
    traceexit();
    traceflush();
    return us;
}

static void measure(int me, int bytes)
{
    double least[CASES];
    char line[81];
    int at = snprintf(line, sizeof line, "%5d", bytes);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < CASES; k++) {
            double us = one_round(me, k, bytes);
            least[k] = r == 0 || us < least[k] ? us : least[k];
        }
    for (int k = 0; k < CASES; k++)
        at += snprintf(line + at, sizeof line - (size_t)at, " %9.3f", least[k]);
    if (me == 0)
        message0(line);
}

int main(int argc, char **argv)
{
    int nodes = 2, me, host;
    open0(&nodes, &me, &host);
    if (me == host) {
        printf("bytes");
        for (int k = 0; k < CASES; k++)
            printf(" %9s", cases[k].name);
        printf("   us for one sent and one received\n");
        load0(argv[argc > 99], -1);
    } else {
        ob_job *job;
        ob_job_start(&job);
        int numbers[2] = {ob_job_number(job) - me, ob_job_number(job) - me + 1};
        if (ob_group_create(job, numbers, 2, &group) != OB_OK)
            return 1;
        measure(me, 1);
        measure(me, MOST);
    }
    close0(1);
    return 0;
}
