/*
 * Preloaded: calls of the C library that can fail do, at one place of ours.
 *
 * A place is the call's name and where in which of our files it returns to. FAULT_LIST=FILE adds
 * each place that a process comes to, FAULT="NAME FILE+OFFSET ERRNO" makes the call at that place
 * fail, in all processes or, with FAULT_ONLY=NUMBER, in that process of the job alone.
 * FAULT_SLOW=NAME makes each such call of ours take 20 ms more.
 *
 * All calls are taken for functions of six words that return one: so these machines pass arguments.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/syscall.h>
#include <unistd.h>

typedef long word;
typedef word (*function)(word, word, word, word, word, word);

extern word __libc_malloc(size_t), __libc_calloc(size_t, size_t), __libc_realloc(word, size_t),
    __libc_memalign(size_t, size_t);

/* Calls that are remembered, and how many signals come in a row. */
enum { PLACES = 8192, SIGNALS = 3 };
typedef struct place {
    const char *name, *file; /* file: NULL when it is none of ours */
    const void *at;
    word offset;
} place;
static place met[PLACES];
static int places, interrupted;
static unsigned long long removed; /* files that have been unloaded, when these were looked up */
static char busy;

/* Ours are the libraries and programs that were built here. */
static const char *ours(const void *at, word *offset)
{
    Dl_info info;
    if (!dladdr(at, &info) || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    *offset = (const char *)at - (const char *)info.dli_fbase;
    static const char *const names[] = {"libopenblacs", "libmlacs", "libpicl", "libbsp",
                                        "libicc",       "mpi-",     "obrun"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strncmp(file, names[k], strlen(names[k])) == 0)
            return file;
    return NULL;
}

static int note_removed(struct dl_phdr_info *info, size_t bytes, void *to)
{
    (void)bytes;
    *(unsigned long long *)to = info->dlpi_subs;
    return 1;
}

/*
 * Where a call comes from. dladdr reads the file's whole table of symbols, which took most of a
 * run's time, so what it said is kept, until a file is unloaded: another one may come to lie there.
 * *new is set where it was not known.
 */
static place *find(const char *name, const void *at, int *new)
{
    unsigned long long now = 0;
    dl_iterate_phdr(note_removed, &now);
    if (now != removed || places > PLACES / 2) {
        memset(met, 0, sizeof met);
        places = 0;
        removed = now;
    }
    size_t k = ((size_t)at * 0x9e3779b97f4a7c15u ^ (size_t)name) % PLACES;
    for (; met[k].at; k = (k + 1) % PLACES)
        if (met[k].at == at && strcmp(met[k].name, name) == 0)
            return &met[k];
    met[k].name = name;
    met[k].file = ours(at, &met[k].offset);
    met[k].at = at;
    places++;
    *new = 1;
    return &met[k];
}

static void list(const char *name, const char *file, word offset)
{
    char line[256];
    const char *to = getenv("FAULT_LIST");
    if (to == NULL)
        return;
    int n = snprintf(line, sizeof line, "%s %s+%lx\n", name, file, (unsigned long)offset);
    int fd = (int)syscall(SYS_openat, -100, to, 02001 /* O_WRONLY | O_APPEND */, 0);
    if (fd >= 0) {
        syscall(SYS_write, fd, line, n);
        syscall(SYS_close, fd);
    }
}

static int asked(const char *name, const char *file, word offset)
{
    char place[256];
    const char *fault = getenv("FAULT"), *only = getenv("FAULT_ONLY"),
               *job = getenv("OPENBLACS_JOB");
    if (fault == NULL)
        return 0;
    const char *number = job ? strrchr(job, ':') : NULL;
    if (only && (number == NULL || strcmp(number + 1, only) != 0))
        return 0;
    size_t n =
        (size_t)snprintf(place, sizeof place, "%s %s+%lx ", name, file, (unsigned long)offset);
    return strncmp(fault, place, n) == 0 ? atoi(fault + n) : 0;
}

/* The error number with which this call is to fail; 0: it is not to. */
static int fails(const char *name, const void *at)
{
    int new = 0, fault = 0, before = errno;
    if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
        return 0; /* from within, or another thread is at it */
    const place *from = find(name, at, &new);
    if (from->file && new)
        list(name, from->file, from->offset);
    if (from->file)
        fault = asked(name, from->file, from->offset);
    if (fault == EINTR && ++interrupted > SIGNALS)
        fault = 0;
    const char *slow = from->file ? getenv("FAULT_SLOW") : NULL;
    __atomic_clear(&busy, __ATOMIC_RELEASE);
    if (slow && strcmp(slow, name) == 0)
        syscall(SYS_nanosleep, &(const struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    errno = fault ? fault : before;
    return fault;
}

static word real(function *f, const char *name, word a, word b, word c, word d, word e, word g)
{
    if (*f == NULL)
        *(void **)f = dlsym(RTLD_NEXT, name);
    return (*f)(a, b, c, d, e, g);
}

#define FAILS(name) fails(name, __builtin_return_address(0))
#define CALL(name, failed)                                                                         \
    word ob_##name(word a, word b, word c, word d, word e, word g) __asm__(#name);                 \
    word ob_##name(word a, word b, word c, word d, word e, word g)                                 \
    {                                                                                              \
        static function f;                                                                         \
        return FAILS(#name) ? (failed) : real(&f, #name, a, b, c, d, e, g);                        \
    }

/* clang-format off */
CALL(access, -1) CALL(chdir, -1) CALL(dup2, -1) CALL(execve, -1) CALL(fallocate, -1)
CALL(fchmod, -1) CALL(fcntl, -1) CALL(flock, -1) CALL(fork, -1) CALL(fstat, -1) CALL(fsync, -1)
CALL(ftruncate, -1) CALL(gethostname, -1) CALL(ioctl, -1) CALL(kill, -1) CALL(lseek, -1)
CALL(madvise, -1) CALL(memfd_create, -1) CALL(mkdir, -1) CALL(mkstemp, -1) CALL(mmap, -1)
CALL(munmap, -1) CALL(nanosleep, -1) CALL(open, -1) CALL(pipe2, -1) CALL(poll, -1) CALL(prctl, -1)
CALL(pread, -1) CALL(process_vm_readv, -1) CALL(process_vm_writev, -1) CALL(pwrite, -1)
CALL(read, -1) CALL(recv, -1) CALL(rename, -1) CALL(sched_getaffinity, -1) CALL(sched_getcpu, -1)
CALL(sched_setaffinity, -1) CALL(send, -1) CALL(setenv, -1) CALL(setpgid, -1) CALL(setrlimit, -1)
CALL(setsid, -1) CALL(socketpair, -1) CALL(stat, -1) CALL(unlink, -1) CALL(waitpid, -1)
CALL(write, -1) CALL(fopen, 0) CALL(fflush, -1) CALL(fgets, 0) CALL(fread, 0) CALL(opendir, 0)
CALL(getcwd, 0) CALL(newlocale, 0) CALL(strdup, 0) CALL(realpath, 0) CALL(pthread_create, errno)
CALL(pthread_attr_init, errno) CALL(pthread_key_create, errno)

/* What is closed is closed, and its last bytes may be lost. */
#define CLOSES(name)                                                                               \
    word ob_##name(word what) __asm__(#name);                                                      \
    word ob_##name(word what)                                                                      \
    {                                                                                              \
        static function f;                                                                         \
        word done = real(&f, #name, what, 0, 0, 0, 0, 0);                                          \
        return FAILS(#name) ? -1 : done;                                                           \
    }
CLOSES(close) CLOSES(fclose)
_Static_assert(sizeof(word) == sizeof(void *), "a word holds a pointer");
/* clang-format on */

/* The page size is always there. */
word ob_sysconf(word what) __asm__("sysconf");
word ob_sysconf(word what)
{
    static function f;
    return what != _SC_PAGESIZE && FAILS("sysconf") ? -1 : real(&f, "sysconf", what, 0, 0, 0, 0, 0);
}

/* So that dlerror has a word. */
void *dlopen(const char *name, int mode)
{
    static function f;
    word failed = FAILS("dlopen");
    return (void *)real(&f, "dlopen", failed ? (word) "/no such library" : (word)name, mode, 0, 0,
                        0, 0);
}

/* The child of a vfork may not return from here. */
int vfork(void)
{
    static function f;
    return FAILS("vfork") ? -1 : (int)real(&f, "fork", 0, 0, 0, 0, 0, 0);
}

/* futex and the like, a place for each. */
word ob_syscall(word number, word a, word b, word c, word d, word e, word g) __asm__("syscall");
word ob_syscall(word number, word a, word b, word c, word d, word e, word g)
{
    static word (*f)(word, word, word, word, word, word, word);
    static char names[512][16];
    const char *name = "syscall";
    if (number >= 0 && number < 512) {
        if (!names[number][0])
            snprintf(names[number], sizeof names[number], "syscall-%ld", number);
        name = names[number];
    }
    if (FAILS(name))
        return -1;
    if (f == NULL)
        *(void **)&f = dlsym(RTLD_NEXT, "syscall");
    return f(number, a, b, c, d, e, g);
}

void *malloc(size_t n)
{
    return FAILS("malloc") ? NULL : (void *)__libc_malloc(n);
}
void *calloc(size_t n, size_t m)
{
    return FAILS("calloc") ? NULL : (void *)__libc_calloc(n, m);
}
void *realloc(void *p, size_t n)
{
    return FAILS("realloc") ? NULL : (void *)__libc_realloc((word)p, n);
}
void *aligned_alloc(size_t a, size_t n)
{
    return FAILS("aligned_alloc") ? NULL : (void *)__libc_memalign(a, n);
}
int vasprintf(char **to, const char *form, va_list list)
{
    static int (*f)(char **, const char *, va_list);
    if (FAILS("vasprintf"))
        return -1;
    if (f == NULL)
        *(void **)&f = dlsym(RTLD_NEXT, "vasprintf");
    return f(to, form, list);
}
int asprintf(char **to, const char *form, ...)
{
    va_list list;
    if (FAILS("asprintf"))
        return -1;
    va_start(list, form);
    int n = vsnprintf(NULL, 0, form, list);
    va_end(list);
    va_start(list, form);
    *to = (void *)__libc_malloc((size_t)n + 1);
    vsnprintf(*to, (size_t)n + 1, form, list);
    va_end(list);
    return n;
}
