/*
 * One rule of the manual at a time, by name; what was printed and traced is for the script to
 * judge. Loads itself as node: without arguments, the rule in PICL_RULE.
 *   PICL_RULE=NAME picl_rules host [TRACEFILE [NODES]]
 *   PICL_RULE=NAME picl_rules       a node that a launcher starts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openblacs/picl.h>

static const char *rule;
static int nodes = 2, me, host, one = 1, x;
static char *buf = (char *)&x;

static int is(const char *name)
{
    return strcmp(rule, name) == 0;
}

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* Each of these is wrong at one side at least; none may end the program. */
static void wrong_traces(void)
{
    int a;
    traceenable(NULL, 1);
    if (me == host)
        traceenable("/nowhere/trace", 1);
    else
        traceenable("/dev/null", 1);
    traceflush();
    traceexit();
    tracemark(3);
    tracemsg(NULL);
    tracemsg("words");
    traceinfo(NULL, &a, &a, &a);
    tracelevel(-5, 77, 3);
    tracehost(-1, 9);
    tracenode(1 << 30, 9, 0); /* nobody has so much to say */
    traceexit();
    traceexit();
    traceflush();
    traceflush();
}

/* Of two messages one is waited for. */
static void slow_ring(void)
{
    nap(0.1 + 0.2 * me); /* node 0 has to wait for the others */
    send0(buf, sizeof x, 5, (me + 1) % nodes);
    recv0(buf, sizeof x, 5);
}

static void tree(int root)
{
    int sum = me + 1, expected = 0, n, a, b, c;
    getarc0(&n, &a, &b, &c);
    for (int i = 0; i < n; i++)
        expected += i + 1;
    gsum0((char *)&sum, 1, PICL_INT, 3, root);
    if (me == root && sum != expected)
        printf("wrong: sum %d of %d nodes at %d\n", sum, n, root);
    sum = me == root ? 1000 + root : 0;
    bcast0((char *)&sum, sizeof sum, 4, root);
    if (sum != 1000 + root)
        printf("wrong: broadcast %d from %d\n", sum, root);
    sum = me == root ? 2000 + root : 0;
    if (me != root)
        recv0((char *)&sum, sizeof sum, 5);
    bcast1((char *)&sum, sizeof sum, 5, root);
    if (sum != 2000 + root)
        printf("wrong: forwarded broadcast %d from %d\n", sum, root);
}

/* Sets of each size; of a hypercube order and direction do not matter. */
static void arrange_trees(void)
{
    int top = PICL_HYPERCUBE, none = 0;
    for (int n = nodes; n >= 0; n--)
        setarc0(&n, &top, &none, &none);
}

static void all_trees(void)
{
    int used, top, order, direction;
    for (;;) {
        setarc0(&used, &top, &order, &direction);
        if (used == 0)
            return;
        for (int root = 0; root < used; root++)
            tree(root);
    }
}

/* ------------------------------------------------------------------- a node */

static void before_open(void)
{
    int a, b, c, d;
    if (is("early") || is("early-together")) {
        tracelevel(3, 3, 3);
        tracenode(10000, 0, is("early-together"));
        tracemark(1);
        tracemsg("words before open0");
        traceflush();
    }
    if (is("wrong-traces"))
        wrong_traces();
    if (is("message"))
        message0("a node is not open");
    getarc0(&a, &b, &c, &d);
}

static int as_node(void)
{
    int a, b, c, d;
    before_open();
    open0(&nodes, &me, &host);
    if (is("wrong-traces"))
        wrong_traces();
    if (is("exit")) {
        tracelevel(3, 0, 0);
        tracenode(10000, 0, 1);
        tracemark(1);
        traceexit();
        tracenode(10000, 0, 1);
        tracemark(2);
    }
    if (is("again")) {
        tracenode(10000, 0, 0);
        tracelevel(3, 0, 0);
        tracemark(1);
        traceexit();
        traceflush();
        tracenode(10000, 0, 0);
        tracemark(2);
    }
    if (is("full")) {
        tracelevel(1, 0, 0);
        tracenode(208, 0, 0);
        for (int i = 0; i < 20; i++)
            tracemark(1);
        traceflush();
        tracemark(2);
    }
    if (is("order")) {
        tracelevel(3, 3, 3);
        tracenode(100000, 0, 1);
        slow_ring();
        send0(buf, sizeof x, 6, host);
        setarc0(&a, &b, &c, &d); /* the host comes later */
        sync0();
        message0("a line of a node");
    }
    if (is("trees")) {
        tracelevel(3, 0, 0);
        tracenode(1000000, 0, 0);
        all_trees();
    }
    if (is("sets"))
        send0((char *)&me, sizeof me, 2, host);
    close0(0);
    if (is("wrong-traces"))
        wrong_traces();
    return is("returns") ? 7 + me : 0;
}

/* ------------------------------------------------------------------ the host */

static void one_set(char *program, int wanted, int release)
{
    int sum = 0, n = wanted;
    open0(&n, &me, &host);
    load0(program, -1);
    for (int i = 0; i < n; i++) {
        recv0(buf, sizeof x, 2);
        sum += x + 1;
    }
    printf("%d nodes, sum %d\n", n, sum);
    fflush(stdout);
    close0(release);
}

static void sets(char *program)
{
    one_set(program, 2, 1);
    one_set(program, 5, 1);
    one_set(program, 3, 1);
    one_set(program, 9, 0);
    one_set(program, 4, 0);
    one_set(program, 10, 1);
}

static void host_trace(void)
{
    tracelevel(3, 3, 3);
    tracehost(100000, 0);
    tracemark(11);
    if (is("exit")) {
        traceexit();
        tracehost(100000, 0);
        tracemark(12);
    }
}

int main(int argc, char **argv)
{
    int a, b, c, d;
    rule = getenv("PICL_RULE");
    if (argc < 2)
        return as_node();
    if (argc > 3)
        nodes = atoi(argv[3]);
    message0("a host before open0");
    getarc0(&a, &b, &c, &d);
    if (argc > 2)
        traceenable(argv[2], 1);
    if (is("sets")) {
        sets(argv[0]);
        return 0;
    }
    if (is("wrong-traces"))
        wrong_traces();
    if (argc > 2)
        host_trace();
    open0(&nodes, &me, &host);
    if (is("wrong-traces"))
        wrong_traces();
    load0(argv[0], -1);
    if (is("order")) {
        for (int n = 0; n < nodes; n++)
            recv0(buf, sizeof x, 6);
        nap(0.3);
        setarc0(&nodes, &one, &one, &one);
    }
    if (is("trees"))
        arrange_trees();
    close0(1);
    if (argc > 2 && !is("exit"))
        traceexit();
    traceflush();
    if (is("wrong-traces"))
        wrong_traces();
    fputs("ended well\n", stdout);
    return 0;
}
