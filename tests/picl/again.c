/*
 * What the host loads again, and when: all nodes many times, with messages left over each
 * time; one node while others run, in the place of a program that knows nothing of PICL;
 * one node while a program that has closed still runs on another; fewer nodes. Without an
 * argument it is the node, which does what the first message says.
 *   picl_again host
 */
#include <stdio.h>
#include <time.h>

#include <openblacs/picl.h>

enum { PLAIN = 1, NEIGHBOUR, STAYS }; /* what a node does */

static int nodes = 3, me, host, failed, passed;

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static void put(int x, int type, int to)
{
    send0((char *)&x, sizeof x, type, to);
}

static int get(int type)
{
    int x = -1;
    recv0((char *)&x, sizeof x, type);
    return x;
}

static void as_node(void)
{
    open0(&nodes, &me, &host);
    int what = get(1), other, x = get(1);
    put(x, 9, (me + 1) % nodes); /* nobody receives it */
    if (what == NEIGHBOUR) {
        other = get(1);
        put(me, 4, other);
        x += get(4);
    } else {
        x += me;
    }
    put(x, 2, host);
    put(x, 3, host); /* nor this */
    close0(0);
    if (what == STAYS)
        nap(2.5);
}

static void expect(const char *what, int right)
{
    passed += right;
    failed += !right;
    if (!right)
        printf("FAIL %s\n", what);
}

static int source_of_last(void)
{
    int bytes, type, source;
    recvinfo0(&bytes, &type, &source);
    return source;
}

static void load_all_often(char *program)
{
    for (int round = 0; round < 20; round++) {
        open0(&nodes, &me, &host);
        load0(program, 2);
        load0(program, 0);
        load0(program, 1);
        for (int n = 0; n < nodes; n++) {
            put(PLAIN, 1, n);
            put(100 * round, 1, n);
        }
        int right = 1;
        for (int n = 0; n < nodes; n++)
            right &= get(2) == 100 * round + source_of_last();
        expect("a loading of all", right && !probe0(2));
        close0(round % 2);
        nodes = 0;
    }
}

/* Nodes 0 and 1 exchange their numbers. */
static void load_one_beside_others(char *program)
{
    open0(&nodes, &me, &host);
    load0(program, 0);
    load0("true", 1);
    put(NEIGHBOUR, 1, 0);
    put(1000, 1, 0);
    put(1, 1, 0);
    load0(program, 1);
    put(NEIGHBOUR, 1, 1);
    put(1000, 1, 1);
    put(0, 1, 1);
    for (int i = 0; i < 2; i++)
        expect("a node loaded beside another", get(2) == 1001 - source_of_last());
    close0(1);
    nodes = 0;
}

static void load_one_beside_one_that_stays(char *program)
{
    open0(&nodes, &me, &host);
    load0(program, -1);
    for (int n = 0; n < nodes; n++) {
        put(n ? PLAIN : STAYS, 1, n);
        put(5, 1, n);
    }
    for (int n = 0; n < nodes; n++)
        expect("all nodes", get(2) == 5 + source_of_last());
    close0(0);
    nodes = 2;
    open0(&nodes, &me, &host);
    expect("fewer nodes", nodes == 2);
    load0(program, 1); /* node 0 still runs */
    put(PLAIN, 1, 1);
    put(7, 1, 1);
    expect("a node beside one that stays", get(2) == 8 && source_of_last() == 1);
    expect("nothing else", !probe0(2));
    close0(1);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        as_node();
        return 0;
    }
    load_all_often(argv[0]);
    load_one_beside_others(argv[0]);
    load_one_beside_one_that_stays(argv[0]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
