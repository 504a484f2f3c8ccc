/*
 * A forked child has its parent's memory, but no place in the job: whatever it calls ends it with
 * one line, and the job goes on. (It took its parent's messages, and waited for ever.)
 */
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

static int32_t number = 7;
static ob_view one = {.base = &number, .m = 1, .n = 1, .ld = 1, .type = OB_INT};

static void sends(void)
{
    ob_send(everyone, 0, 0, &one);
}

static void receives(void)
{
    ob_recv(everyone, 0, 0, &one, NULL);
}

static void meets(void)
{
    ob_barrier(everyone);
}

static void broadcasts(void)
{
    const ob_route route = {.topology = OB_TOP_HYPERCUBE};
    ob_broadcast(everyone, 0, &one, &route);
}

static void joins(void)
{
    ob_group *g;
    ob_group_world(&g);
}

static void leaves(void)
{
    ob_job_stop(job, 0);
}

static void try(void (*call)(void), const char *what)
{
    char text[2048];
    size_t length = 0, lines = 0;
    int ends[2], status = 0;
    fflush(NULL);
    if (!check(pipe(ends) == 0, "pipe"))
        return;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        call();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; length < sizeof text - 1 &&
                    (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = 0;
    close(ends[0]);
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1,
          "%s in a child: status %d", what, status);
    check(lines == 1 && strstr(text, "is a forked child of process number"),
          "%s in a child said: %s", what, text);
}

static void round_trip(void)
{
    int next = (world.me + 1) % world.count, before = (world.me + world.count - 1) % world.count;
    int32_t out = world.me, in = -1;
    ob_view from = one, to = one;
    from.base = &out;
    to.base = &in;
    fine(ob_send(everyone, next, 3, &from), "ob_send");
    fine(ob_recv(everyone, before, 3, &to, NULL), "ob_recv");
    check(in == before, "received %d from %d", (int)in, before);
    fine(ob_barrier(everyone), "ob_barrier");
}

int main(void)
{
    begin();
    round_trip();
    try(sends, "ob_send");
    try(receives, "ob_recv");
    try(meets, "ob_barrier");
    try(broadcasts, "ob_broadcast");
    try(joins, "ob_group_world");
    try(leaves, "ob_job_stop");
    round_trip();
    return finish();
}
