/*
 * The launcher as a library: programs started in one place and in all, again
 * after the previous ended, signalled one at a time, by a caller that has
 * children of its own.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "openblacs/launch.h"

static char output[3][64];
static int failures;

static void collect(void *context, int number, int stream, const char *bytes, size_t count)
{
    (void)context;
    (void)stream;
    strncat(output[number], bytes, count);
}

static void expect(int truth, const char *what)
{
    if (!truth) {
        printf("wrong: %s (%s)\n", what, ob_error_text());
        failures++;
    }
}

static int start(ob_launch *l, int number, char *script)
{
    char *argv[] = {"sh", "-c", script, NULL};
    return ob_launch_start(l, number, &(ob_launch_program){.argv = argv, .input = -1});
}

/* The event of the one process that is expected to end. */
static ob_launch_event next_end(ob_launch *l)
{
    ob_launch_event e = {.number = -1};
    expect(ob_launch_wait(l, 10, &e) == 1, "a process ends");
    return e;
}

static void start_all_then_one(ob_launch *l)
{
    expect(start(l, OB_LAUNCH_ALL, "echo first") == OB_OK, "start in all places");
    for (int i = 0; i < 3; i++)
        expect(next_end(l).status == 0, "first programs end with 0");
    expect(start(l, 1, "echo second; exit 4") == OB_OK, "start again in place 1");
    ob_launch_event e = next_end(l);
    expect(e.number == 1 && e.status == 4, "the second program's status");
    expect(strcmp(output[1], "first\nsecond\n") == 0 && strcmp(output[2], "first\n") == 0,
           "output of both programs");
}

static void signal_one(ob_launch *l)
{
    expect(start(l, 0, "sleep 100") == OB_OK && start(l, 2, "sleep 100") == OB_OK,
           "start in places 0 and 2");
    expect(ob_launch_running(l) == 2 && ob_launch_pid(l, 0) > 0 && ob_launch_pid(l, 1) == 0,
           "two run");
    expect(start(l, 2, "true") == OB_ESTATE, "no second program in a taken place");
    expect(ob_launch_signal(l, 3, SIGTERM) == OB_EARG, "no signal to place 3");
    expect(ob_launch_signal(l, 2, SIGUSR1) == OB_OK, "signal to place 2");
    ob_launch_event e = next_end(l);
    expect(e.number == 2 && e.signal == SIGUSR1, "process 2 is ended by it");
    ob_launch_wake(l);
    expect(ob_launch_wait(l, -1, &e) == 0, "a wake ends the wait");
    expect(ob_launch_wait(l, 0.1, &e) == 0 && ob_launch_running(l) == 1, "process 0 goes on");
    ob_launch_end(l);
    e = next_end(l);
    expect(e.number == 0 && e.signal == SIGTERM, "the end asks with SIGTERM");
    /* The shell's own child may take a moment longer to go. */
    expect(ob_launch_wait(l, 10, &e) == 0 && !ob_launch_busy(l), "not busy at the end");
}

int main(void)
{
    ob_launch *l;
    pid_t mine = fork();
    if (mine == 0)
        _exit(5);
    expect(ob_launch_open(&l, &(ob_launch_options){.count = 0}) == OB_EARG, "no launch of 0");
    ob_launch_options o = {.count = 3, .output = collect};
    if (ob_launch_open(&l, &o) != OB_OK)
        return 1;
    start_all_then_one(l);
    signal_one(l);
    expect(start(l, 0, "sleep 100") == OB_OK, "start before the close");
    int pid = ob_launch_pid(l, 0), status = 0;
    ob_launch_close(l);
    expect(kill(pid, 0) != 0, "the close leaves nothing");
    expect(waitpid(mine, &status, 0) == mine && WEXITSTATUS(status) == 5,
           "the caller's own child is left to it");
    return failures != 0;
}
