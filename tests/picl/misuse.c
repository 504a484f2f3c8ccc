/*
 * Calls in the wrong order or with wrong arguments; as host and, loaded by itself, as node.
 *   picl_misuse WHICH
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openblacs/core.h>
#include <openblacs/picl.h>

static int nodes = 2, me, host, x;
static char *buf = (char *)&x;

static int is(const char *which, const char *name)
{
    return strcmp(which, name) == 0;
}

static void as_node(void)
{
    char which[32] = "";
    int a, b, c, d;
    open0(&nodes, &me, &host);
    recv0(which, sizeof which, 1);
    if (is(which, "exit"))
        exit(me == 1 ? 3 : 0);
    if (is(which, "noclose"))
        exit(0);
    if (is(which, "signal") && me == 1)
        abort();
    if (is(which, "twotypes")) {
        setarc0(&a, &b, &c, &d);
        gsum0(buf, 1, PICL_INT, 5 + me, 0);
    }
    if (is(which, "lengths")) {
        setarc0(&a, &b, &c, &d);
        gsum0(buf, me, PICL_INT, 5, 0);
    }
    if (is(which, "datatypes")) {
        setarc0(&a, &b, &c, &d);
        gsum0(buf, 1, me ? PICL_FLOAT : PICL_INT, 5, 0);
    }
    if (is(which, "load"))
        load0("x", 0);
    if (is(which, "twice"))
        open0(&nodes, &me, &host);
    if (is(which, "promiscuous")) {
        setarc0(&a, &b, &c, &d);
        if (me == 0) {
            sleep(1); /* the broadcast is here before the message */
            recv0(buf, sizeof x, -1);
            if (x != 99)
                printf("wrong: received %d\n", x);
        }
        bcast0(buf, sizeof x, 7, host);
        if (x != 42)
            printf("wrong: broadcast %d\n", x);
    }
    if (is(which, "barrier"))
        barrier0();
    if (is(which, "together")) {
        ob_together_begin();
        recv0(buf, sizeof x, 3);
    }
    if (is(which, "together-sync")) {
        ob_together_begin();
        sync0();
    }
    if (is(which, "mutual"))
        recv0(buf, sizeof x, 7 + me);
    if (is(which, "half") && me == 1)
        recv0(buf, sizeof x, 3);
    if (is(which, "meet") && me == 0)
        sync0();
    if (is(which, "meet") && me == 1)
        recv0(buf, sizeof x, 3);
    if (is(which, "slow")) { /* all but one wait for long; that is no error */
        if (me == 0)
            sleep(2);
        if (me == 0)
            send0(buf, sizeof x, 3, 1);
        else
            recv0(buf, sizeof x, 3);
    }
    if (is(which, "long"))
        recv0(buf, 2, 2);
    close0(0);
    exit(0);
}

static void before_open(const char *which)
{
    if (is(which, "send"))
        send0(buf, 4, 0, 0);
    if (is(which, "recv"))
        recv0(buf, 4, 0);
    if (is(which, "probe"))
        probe0(0);
    if (is(which, "who"))
        who0(&nodes, &me, &host);
    if (is(which, "close"))
        close0(1);
    if (is(which, "load"))
        load0("x", 0);
    if (is(which, "recvinfo"))
        recvinfo0(&nodes, &me, &host);
    if (is(which, "setarc"))
        setarc0(&x, &x, &x, &x);
}

static void with_nodes(const char *which)
{
    int one = 1, three = 3;
    char long_text[32] = "";
    if (is(which, "type"))
        send0(buf, 4, PICL_TYPES, 0);
    if (is(which, "dest"))
        send0(buf, 4, 0, 2);
    if (is(which, "bytes"))
        send0(buf, -1, 0, 0);
    if (is(which, "null"))
        recv0(NULL, 4, 0);
    if (is(which, "again"))
        load0("/proc/self/exe", -1);
    if (is(which, "nothing"))
        recv0(buf, 4, 9);
    if (is(which, "sync"))
        sync0();
    if (is(which, "used"))
        setarc0(&three, &one, &one, &one);
    if (is(which, "root"))
        setarc0(&nodes, &one, &one, &one), bcast0(buf, 4, 0, 1);
    strcpy(long_text, which);
    send0(long_text, sizeof long_text, 1, -1);
    if (is(which, "leaves"))
        exit(0);
    if (is(which, "twotypes") || is(which, "lengths") || is(which, "datatypes") ||
        is(which, "promiscuous"))
        setarc0(&nodes, &one, &one, &one);
    if (is(which, "promiscuous")) {
        int message = 99, value = 42;
        bcast0((char *)&value, sizeof value, 7, host);
        sleep(1);
        send0((char *)&message, sizeof message, 3, 0);
    }
    if (is(which, "long"))
        send0(long_text, 16, 2, -1);
    if (is(which, "half"))
        recv0(buf, 4, 9);
    close0(1);
    if (is(which, "reopen")) { /* the nodes of a launcher are gone for good */
        open0(&nodes, &me, &host);
        recv0(buf, 4, 9);
    }
    fputs("ended well\n", stdout);
}

/* Under a launcher all processes begin alike. */
static int is_host(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, *job = getenv("OPENBLACS_JOB");
    for (int i = 0; i < 2; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i])) == 0;
    return job && strcmp(strchr(job, ':'), ":0") == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        as_node();
    if (argc > 2 && is(argv[2], "launched") && !is_host())
        as_node();
    if (argc > 2 && !is(argv[2], "launched"))
        before_open(argv[1]);
    open0(&nodes, &me, &host);
    if (strcmp(argv[1], "missing") == 0)
        load0("/nowhere/program", -1);
    load0(argv[0], -1);
    with_nodes(argv[1]);
    return 0;
}
