/* Memory without a name, mapped, fetched and given back (core/port.h). */
#include "node/memfile.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/port.h"

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
    int fd = ob_port_memory("openblacs", true);
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

static void *map(void *at, int fixed, int fd, size_t offset, size_t bytes)
{
    void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed, fd,
                   (off_t)offset);
    if (p == MAP_FAILED)
        return NULL;
    /* A core file should hold the program, not gigabytes of its messages. */
    ob_port_memory_private(p, bytes);
    return p;
}

void *ob_memfile_map(int fd, size_t offset, size_t bytes)
{
    return map(NULL, 0, fd, offset, bytes);
}

void *ob_memfile_addresses(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool ob_memfile_map_at(void *at, int fd, size_t offset, size_t bytes)
{
    return map(at, MAP_FIXED, fd, offset, bytes) != NULL;
}

void ob_memfile_unmap(void *base, size_t bytes)
{
    munmap(base, bytes);
}

ob_memfile ob_memfile_of(int fd, void *base, size_t offset)
{
    ob_memfile m = {.base = base, .offset = offset, .fd = fd};
    struct stat s;
    if (fstat(fd, &s) == 0) {
        m.device = s.st_dev;
        m.inode = s.st_ino;
    }
    return m;
}

bool ob_memfile_open(const ob_memfile *m)
{
    struct stat s;
    return m->fd >= 0 && fstat(m->fd, &s) == 0 && s.st_dev == m->device && s.st_ino == m->inode;
}

size_t ob_memfile_page(void)
{
#ifdef OB_PAGE_BYTES /* tests/run/ways.sh: the pages of another system, a multiple of this one's   \
                      */
    return OB_PAGE_BYTES;
#else
    return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

static size_t offset_of(const ob_memfile *m, const void *at)
{
    return m->offset + (size_t)((const char *)at - m->base);
}

/* For kernels that cannot fetch memory through a mapping. */
static int reserve_by_descriptor(const ob_memfile *m, const void *at, size_t bytes)
{
    return ob_memfile_open(m) ? ob_port_memory_fetch_file(m->fd, offset_of(m, at), bytes) : 0;
}

bool ob_memfile_reserve(const ob_memfile *m, void *at, size_t bytes)
{
    char *from = (char *)at - (uintptr_t)at % ob_memfile_page();
    int result;
    do {
        result = ob_port_memory_fetch(from, bytes + (size_t)((char *)at - from));
        if (result != 0 && errno == EINVAL)
            result = reserve_by_descriptor(m, at, bytes);
    } while (result != 0 && errno == EINTR);
    /* A store would be a SIGBUS. */
    if (result != 0 && errno == EFAULT)
        errno = ENOMEM;
    return result == 0;
}

void ob_memfile_discard(void *at, size_t bytes)
{
    char *from = (char *)at +
                 (ob_memfile_page() - (uintptr_t)at % ob_memfile_page()) % ob_memfile_page(),
         *to = (char *)at + bytes - ((uintptr_t)at + bytes) % ob_memfile_page();
    if (from < to)
        ob_port_memory_return(from, (size_t)(to - from));
}

/* The place in a file that is another one's now must not move. */
size_t ob_memfile_untouched(const ob_memfile *m, const void *at)
{
    size_t offset = offset_of(m, at);
    struct stat s;
    if (!ob_memfile_open(m))
        return 0;
    off_t data = lseek(m->fd, (off_t)offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO && fstat(m->fd, &s) == 0)
        data = s.st_size;
    return data < 0 ? 0 : (size_t)data - offset;
}

size_t ob_memfile_machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}
