/* memfd and the Linux calls that punch holes in it. */
#include "node/memfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ulimit -f counts for these files too, and going beyond it is a signal. */
static bool over_file_limit(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < bytes;
}

int ob_memfile_create(size_t bytes)
{
    if (over_file_limit(bytes)) {
        errno = EFBIG;
        return -1;
    }
    int fd = memfd_create("openblacs", 0);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

void *ob_memfile_map(int fd, size_t offset, size_t bytes)
{
    void *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
    if (p == MAP_FAILED)
        return NULL;
    /* A core file should hold the program, not gigabytes of its messages. */
    madvise(p, bytes, MADV_DONTDUMP);
    return p;
}

void ob_memfile_unmap(void *base, size_t bytes)
{
    munmap(base, bytes);
}

bool ob_memfile_reserve(int fd, size_t offset, size_t bytes)
{
    int result;
    do {
        result = fallocate(fd, 0, (off_t)offset, (off_t)bytes);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

void ob_memfile_discard(int fd, size_t offset, size_t bytes)
{
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
}

bool ob_memfile_touched(int fd, size_t offset, size_t bytes)
{
    off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
    return data < 0 ? errno != ENXIO : (size_t)data < offset + bytes;
}

size_t ob_memfile_machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}
