/*
 * Time of a target is its processor time, not the clock's: it runs beside other work, which may
 * have the processors. Without one of these variables there is no such limit:
 *
 *   FUZZ_SECONDS=60        after so many it ends, as libFuzzer does at SIGUSR1
 *   FUZZ_INPUT_SECONDS=10  an input that takes more is a hang: abort, at which libFuzzer keeps it
 */
#include "target.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong inputs; /* begun; the handler's thread may be another */
static atomic_int within;   /* the target has one now */
static long seconds, input_seconds;
static int said_to = 2; /* standard error, which libFuzzer closes for the target */

int LLVMFuzzerInitialize(int *count, char ***words);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each second that this process has had of a processor. */
static void look(int signal)
{
    (void)signal;
    static unsigned long input;
    static long on_it;
    struct timespec had = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &had);
    if (seconds && had.tv_sec >= seconds)
        kill(getpid(), SIGUSR1);
    on_it = within && inputs == input ? on_it + 1 : 0;
    input = inputs;
    if (input_seconds && on_it > input_seconds) {
        static const char line[] = "\nthis input takes too long: it hangs\n";
        ssize_t written = write(said_to, line, sizeof line - 1);
        (void)written;
        abort();
    }
}

static long limit(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count, (void)words;
    seconds = limit("FUZZ_SECONDS");
    input_seconds = limit("FUZZ_INPUT_SECONDS");
    said_to = dup(2);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = look;
    action.sa_flags = SA_RESTART;
    const struct itimerval each = {{1, 0}, {1, 0}};
    if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &each, NULL))
        abort();
    return 0;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    inputs++;
    within = 1;
    int result = __real_LLVMFuzzerTestOneInput(data, size);
    within = 0;
    return result;
}
