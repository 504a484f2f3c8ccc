/*
 * Names of signals, for lines that people read.
 */
#include "openblacs/launch.h"

#include <signal.h>
#include <stdio.h>

static const struct {
    int number;
    const char *name;
} names[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"},     {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"},     {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"},     {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGPROF, "SIGPROF"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGSYS, "SIGSYS"},   {SIGURG, "SIGURG"},
};

const char *ob_launch_signal_name(int signal)
{
    static _Thread_local char text[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == signal)
            return names[i].name;
    }
    snprintf(text, sizeof text, "signal %d", signal);
    return text;
}
