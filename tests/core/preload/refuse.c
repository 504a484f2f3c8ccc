/* Preloaded: the system calls that fetch memory for messages fail with the number in REFUSE; and
 * what memory the machine has is what the file named in MEMINFO says. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int refused(void)
{
    const char *number = getenv("REFUSE");
    return number ? atoi(number) : 0;
}

int madvise(void *start, size_t bytes, int advice)
{
    if (advice == MADV_POPULATE_WRITE && refused()) {
        errno = refused();
        return -1;
    }
    return (int)syscall(SYS_madvise, start, bytes, advice);
}

int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    if (refused()) {
        errno = refused();
        return -1;
    }
    return (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

FILE *fopen(const char *name, const char *mode)
{
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    const char *instead = getenv("MEMINFO");
    return real(instead && strcmp(name, "/proc/meminfo") == 0 ? instead : name, mode);
}
