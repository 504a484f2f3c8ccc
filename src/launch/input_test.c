/* What is typed reaches process 0 whole and in order, and no more of it is read than it takes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/input.h"
#include "unit.h"

/* A pipe in place of the terminal; a socket in place of the pipe, since that takes a part of a
 * write. */
typedef struct ends {
    ob_input in;
    int typing, reading;
} ends;

static void begin(ends *e)
{
    int typed[2], passed[2], least = 1;
    assert_int_equal(pipe(typed), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, passed), 0);
    assert_int_equal(setsockopt(passed[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
    int all[] = {typed[0], typed[1], passed[0], passed[1]};
    for (int i = 0; i < 4; i++)
        assert_int_equal(fcntl(all[i], F_SETFL, O_NONBLOCK), 0);
    ob_input_open(&e->in, typed[0], passed[0]);
    e->typing = typed[1];
    e->reading = passed[1];
}

static void end(ends *e, int terminal)
{
    ob_input_close(&e->in);
    close(terminal);
    close(e->typing);
    close(e->reading);
}

/* As the launcher: poll says that what is wanted is possible. */
static void step(ob_input *in, short events)
{
    struct pollfd p;
    ob_input_wants(in, &p);
    p.revents = events;
    ob_input_step(in, &p);
}

static void all_arrives_in_order_whatever_is_taken_at_a_time(void **state)
{
    enum { ALL = 100000 };
    static char out[ALL], in[ALL + 1];
    size_t typed = 0, came = 0, turn = 0;
    ends e;
    begin(&e);
    int terminal = e.in.terminal;
    for (size_t i = 0; i < ALL; i++)
        out[i] = (char)(i * 2654435761u >> 24);
    while (came < ALL && turn < 100 * ALL) {
        size_t step_out = turn % 1999 + 1, left = ALL - typed, want = turn % 977 + 1;
        ssize_t n = left ? write(e.typing, out + typed, step_out < left ? step_out : left) : 0;
        typed += n > 0 ? (size_t)n : 0;
        struct pollfd p;
        ob_input_wants(&e.in, &p);
        assert_int_equal(p.fd, e.in.at < e.in.used ? e.in.pipe : terminal);
        step(&e.in, p.events);
        if (turn++ % 3)
            continue;
        n = read(e.reading, in + came, want < ALL + 1 - came ? want : ALL + 1 - came);
        came += n > 0 ? (size_t)n : 0;
    }
    assert_int_equal(came, ALL);
    assert_memory_equal(in, out, ALL);
    end(&e, terminal);
}

/* It would be lost to the shell that reads on when the job has ended. */
static void no_more_is_read_before_the_last_was_passed_on(void **state)
{
    char text[32];
    ends e;
    begin(&e);
    int terminal = e.in.terminal;
    assert_int_equal(write(e.typing, "one", 3), 3);
    step(&e.in, POLLIN);
    assert_int_equal(write(e.typing, "two", 3), 3);
    struct pollfd p;
    assert_true(ob_input_wants(&e.in, &p));
    assert_int_equal(p.fd, e.in.pipe);
    assert_int_equal(p.events, POLLOUT);
    p.revents = 0;
    ob_input_step(&e.in, &p);
    assert_int_equal(read(e.reading, text, sizeof text), -1);
    assert_int_equal(errno, EAGAIN);
    step(&e.in, POLLOUT);
    assert_int_equal(read(e.reading, text, sizeof text), 3);
    assert_memory_equal(text, "one", 3);
    assert_int_equal(read(terminal, text, sizeof text), 3);
    assert_memory_equal(text, "two", 3);
    end(&e, terminal);
}

static void the_end_of_input_closes_the_pipe(void **state)
{
    char c;
    ends e;
    begin(&e);
    int terminal = e.in.terminal;
    step(&e.in, POLLIN); /* nothing there: not the end */
    assert_int_equal(e.in.terminal, terminal);
    close(e.typing);
    e.typing = -1;
    step(&e.in, POLLIN);
    assert_int_equal(e.in.terminal, -1);
    assert_int_equal(read(e.reading, &c, 1), 0);
    struct pollfd p = {.fd = -1};
    assert_false(ob_input_wants(&e.in, &p));
    end(&e, terminal);
}

static void a_process_that_reads_no_more_ends_it(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    for (int told = 0; told < 2; told++) {
        ends e;
        begin(&e);
        int terminal = e.in.terminal;
        assert_int_equal(write(e.typing, "x", 1), 1);
        step(&e.in, POLLIN);
        close(e.reading);
        e.reading = -1;
        step(&e.in, told ? POLLERR : POLLOUT);
        assert_int_equal(e.in.terminal, -1);
        assert_int_equal(e.in.pipe, -1);
        end(&e, terminal);
    }
}

/* In a session of its own, whose terminal this is: 0 when input is wanted in the foreground and not
 * in the background. */
static int own_a_terminal(void)
{
    struct pollfd p;
    ob_input in;
    int master = posix_openpt(O_RDWR | O_NOCTTY), own;
    if (setsid() < 0 || master < 0 || grantpt(master) || unlockpt(master) ||
        (own = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0 || ioctl(own, TIOCSCTTY, 0) != 0)
        return 77;
    ob_input_open(&in, own, -1);
    if (!ob_input_wants(&in, &p) || p.fd != own || p.events != POLLIN)
        return 1;
    pid_t other = fork();
    if (other == 0) {
        setpgid(0, 0);
        pause();
        _exit(0);
    }
    setpgid(other, other);
    int moved = tcsetpgrp(own, other), wanted = ob_input_wants(&in, &p);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return moved != 0 ? 77 : wanted ? 2 : 0;
}

static void only_the_foreground_reads_the_terminal(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(own_a_terminal());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrives_in_order_whatever_is_taken_at_a_time),
        cmocka_unit_test(no_more_is_read_before_the_last_was_passed_on),
        cmocka_unit_test(the_end_of_input_closes_the_pipe),
        cmocka_unit_test(a_process_that_reads_no_more_ends_it),
        cmocka_unit_test(only_the_foreground_reads_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
