/* Preloaded: a process that would start a thread ends instead, and leaves the file named in
 * ONE_THREAD. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static _Noreturn void end(void)
{
    int mark = open(getenv("ONE_THREAD"), O_CREAT | O_WRONLY, 0600);
    _exit(mark < 0 ? 2 : 1);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    (void)thread, (void)attributes, (void)start, (void)argument;
    end();
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    (void)thread, (void)start, (void)argument;
    end();
}
