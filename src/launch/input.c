/*
 * One buffer between terminal and pipe: it is filled when empty, and emptied
 * when full, so that typed-ahead input stays in the terminal.
 */
#include "launch/input.h"

#include <errno.h>
#include <unistd.h>

void ob_input_open(ob_input *in, int terminal, int pipe)
{
    in->terminal = terminal;
    in->pipe = pipe;
    in->at = in->used = 0;
}

void ob_input_close(ob_input *in)
{
    if (in->pipe >= 0)
        close(in->pipe);
    in->terminal = in->pipe = -1;
}

bool ob_input_wants(const ob_input *in, struct pollfd *p)
{
    if (in->terminal < 0)
        return false;
    if (in->at < in->used) {
        *p = (struct pollfd){.fd = in->pipe, .events = POLLOUT};
        return true;
    }
    *p = (struct pollfd){.fd = in->terminal, .events = POLLIN};
    return tcgetpgrp(in->terminal) == getpgrp();
}

static void fill(ob_input *in)
{
    ssize_t got = read(in->terminal, in->bytes, sizeof in->bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        ob_input_close(in);
        return;
    }
    in->at = 0;
    in->used = (size_t)got;
}

static void empty(ob_input *in)
{
    ssize_t put = write(in->pipe, in->bytes + in->at, in->used - in->at);
    if (put >= 0)
        in->at += (size_t)put;
    else if (errno != EINTR && errno != EAGAIN)
        ob_input_close(in);
}

void ob_input_step(ob_input *in, const struct pollfd *p)
{
    if (p->revents == 0 || in->terminal < 0)
        return;
    if (p->fd == in->terminal)
        fill(in);
    else if (p->revents & POLLERR)
        ob_input_close(in);
    else
        empty(in);
}
