/* Linux. The constants that are its ABI stand here: not every C library comes with <linux/...>. */
#include "core/port.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { FUTEX_WAIT_OP = 0, FUTEX_WAKE_OP = 1 };
enum { BATCH = 3 };                                  /* a scheduling policy */
enum { FENCE_OTHERS = 1 << 1, FENCE_OPEN = 1 << 2 }; /* membarrier, GLOBAL_EXPEDITED */

#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

/* ------------------------------------------------------------------ waiting */

/* As the call takes it, which need not be the C library's timespec: with 32-bit processors that may
 * have 64-bit seconds. New 32-bit systems have the other call alone. */
#ifdef SYS_futex
enum { FUTEX = SYS_futex };
typedef struct system_time {
    long seconds, nanoseconds;
} system_time;
#else
enum { FUTEX = SYS_futex_time64 };
typedef struct system_time {
    int64_t seconds, nanoseconds;
} system_time;
#endif

void ob_port_wait(atomic_uint *word, unsigned expected, long nanoseconds)
{
    const system_time limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    syscall(FUTEX, word, FUTEX_WAIT_OP, expected, nanoseconds < 0 ? NULL : &limit, NULL, 0);
}

void ob_port_wake(atomic_uint *word)
{
    syscall(FUTEX, word, FUTEX_WAKE_OP, INT_MAX, NULL, NULL, 0);
}

bool ob_port_fence_open(void)
{
    return syscall(SYS_membarrier, FENCE_OPEN, 0, 0) == 0;
}

bool ob_port_fence_others(void)
{
    return syscall(SYS_membarrier, FENCE_OTHERS, 0, 0) == 0;
}

void ob_port_thread_modest(void)
{
    syscall(SYS_sched_setscheduler, 0, BATCH, &(int){0}); /* 0: this thread */
}

/* ------------------------------------------------------------------- memory */

int ob_port_memory(const char *name, bool inherited)
{
    return memfd_create(name, inherited ? 0 : MFD_CLOEXEC);
}

int ob_port_memory_fetch(void *at, size_t bytes)
{
    return madvise(at, bytes, MADV_POPULATE_WRITE);
}

int ob_port_memory_fetch_file(int fd, size_t offset, size_t bytes)
{
    return fallocate(fd, 0, (off_t)offset, (off_t)bytes);
}

void ob_port_memory_return(void *at, size_t bytes)
{
    madvise(at, bytes, MADV_REMOVE);
}

void ob_port_memory_private(void *at, size_t bytes)
{
    madvise(at, bytes, MADV_DONTDUMP);
}

/* The kernel writes there first: where that cannot be it says so. */
bool ob_port_may_write(const void *word)
{
    uid_t effective, saved;
    return getresuid((uid_t *)(uintptr_t)word, &effective, &saved) == 0;
}

/* ---------------------------------------------------------- other processes */

void ob_port_reach_open(void)
{
#ifdef PR_SET_PTRACER
    if (getppid() > 1) /* everybody descends from process 1 */
        prctl(PR_SET_PTRACER, (unsigned long)getppid(), 0, 0, 0);
#endif
}

ssize_t ob_port_reach(bool write, int pid, const struct iovec *here, int here_count,
                      const struct iovec *there, int there_count)
{
    return write ? process_vm_writev(pid, here, (unsigned long)here_count, there,
                                     (unsigned long)there_count, 0)
                 : process_vm_readv(pid, here, (unsigned long)here_count, there,
                                    (unsigned long)there_count, 0);
}

int ob_port_open_of(int pid, int fd, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    return open(path, flags | O_CLOEXEC);
}

/* Text of a file or a link, without a line's end; its length, 0 where there is none. */
static size_t text_of(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

static void link_of(const char *path, char *text, size_t room)
{
    ssize_t n = readlink(path, text, room - 1);
    text[n > 0 ? n : 0] = 0;
}

/* The numbers that are names in a folder. */
static bool each_number(const char *folder, void (*each)(int number, void *with), void *with)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (isdigit((unsigned char)e->d_name[0]))
            each(atoi(e->d_name), with);
    if (dir)
        closedir(dir);
    return dir != NULL;
}

void ob_port_each_process(void (*each)(int pid, void *with), void *with)
{
    each_number("/proc", each, with);
}

typedef struct {
    int pid;
    void (*each)(int fd, const char *name, void *with);
    void *with;
} visit;

static void visit_descriptor(int fd, void *of)
{
    static const char mark[] = "/memfd:";
    const visit *v = of;
    char path[64], name[160];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", v->pid, fd);
    link_of(path, name, sizeof name);
    if (strncmp(name, mark, sizeof mark - 1) == 0)
        v->each(fd, name + sizeof mark - 1, v->with);
}

void ob_port_each_file(int pid, void (*each)(int fd, const char *name, void *with), void *with)
{
    visit v = {pid, each, with};
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    each_number(folder, visit_descriptor, &v);
}

/* Of "pid (name) state parent ...", whose name may hold spaces and brackets: the number that is
 * field `wanted`, the state behind `at` being the third. */
static unsigned long long field(const char *at, int wanted)
{
    for (int i = 3; i < wanted && at; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

bool ob_port_look(int pid, int thread, ob_port_process *p)
{
    char path[64], text[1024];
    if (thread)
        snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, thread);
    else
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (text_of(path, text, sizeof text) == 0)
        return false;
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    if (begin == NULL || end == NULL || end[1] != ' ')
        return false;
    snprintf(p->name, sizeof p->name, "%.*s", (int)(end - begin - 1), begin + 1);
    p->state = end[2];
    p->parent = (int)field(end + 1, 4);
    p->ticks = (long)(field(end + 1, 14) + field(end + 1, 15));
    p->born = field(end + 1, 22);
    return p->state != 'Z' && p->state != 'X'; /* has ended, and nobody has waited for it yet */
}

uint64_t ob_port_born(int pid)
{
    ob_port_process p;
    return ob_port_look(pid, 0, &p) ? p.born : 0;
}

bool ob_port_each_thread(int pid, void (*each)(int thread, void *with), void *with)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", pid);
    return each_number(folder, each, with);
}

/* ---------------------------------------------------------------- the stack */

/* libgcc's unwinder, which needs no frame pointers. Loaded when it is wanted, as glibc's backtrace
 * does: a library that records nothing does without. */
static struct {
    _Unwind_Reason_Code (*walk)(_Unwind_Trace_Fn, void *);
    _Unwind_Ptr (*address)(struct _Unwind_Context *);
    _Unwind_Word (*stack)(struct _Unwind_Context *);
} unwinder;

bool ob_port_stack_open(void)
{
    if (getauxval(AT_BASE) == 0) /* a static program, which has no loader */
        return false;
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
    if (library == NULL)
        return false;
    /* ISO C has no conversion from a pointer to an object to one to a function. */
    *(void **)&unwinder.walk = dlsym(library, "_Unwind_Backtrace");
    *(void **)&unwinder.address = dlsym(library, "_Unwind_GetIP");
    *(void **)&unwinder.stack = dlsym(library, "_Unwind_GetCFA");
    return unwinder.walk && unwinder.address && unwinder.stack;
}

typedef struct {
    ob_port_frame *frame;
    int count, most;
} walk;

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *of)
{
    walk *w = of;
    if (w->count == w->most)
        return _URC_END_OF_STACK;
    w->frame[w->count++] = (ob_port_frame){(const void *)(uintptr_t)unwinder.address(context),
                                           (const void *const *)(uintptr_t)unwinder.stack(context)};
    return _URC_NO_REASON;
}

int ob_port_stack(ob_port_frame *frame, int most)
{
    walk w = {frame, 0, most};
    unwinder.walk(take_frame, &w);
    return w.count;
}

/* The program's file, whose table of symbols has also those that the loader does not know; NULL:
 * it cannot be read. Mapped once, for good. */
static const char *program_file(size_t *bytes)
{
    static const char *file;
    static size_t length;
    static bool tried;
    struct stat s;
    int fd = tried ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    tried = true;
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0) {
        void *p = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        file = p == MAP_FAILED ? NULL : p;
        length = (size_t)s.st_size;
    }
    if (fd >= 0)
        close(fd);
    *bytes = length;
    return file;
}

static const void *within(const char *file, size_t bytes, uint64_t at, uint64_t length)
{
    return at <= bytes && length <= bytes - at ? file + at : NULL;
}

/* The section of symbols, or NULL; *sections: all of them. */
static const ElfW(Shdr) * symbols_of(const char *file, size_t bytes, const ElfW(Shdr) * *sections)
{
    const ElfW(Ehdr) *head = within(file, bytes, 0, sizeof *head);
    if (head == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof **sections)
        return NULL;
    *sections = within(file, bytes, head->e_shoff, head->e_shnum * sizeof **sections);
    for (int i = 0; *sections && i < head->e_shnum; i++)
        if ((*sections)[i].sh_type == SHT_SYMTAB && (*sections)[i].sh_link < head->e_shnum)
            return &(*sections)[i];
    return NULL;
}

/* The symbol of the program's function at `offset` from where it was linked to. */
static bool find_symbol(uintptr_t moved, uintptr_t address, ob_port_function *f)
{
    size_t bytes;
    const char *file = program_file(&bytes);
    const ElfW(Shdr) * all, *table = file ? symbols_of(file, bytes, &all) : NULL;
    if (table == NULL)
        return false;
    const ElfW(Shdr) *texts = &all[table->sh_link];
    const ElfW(Sym) *symbol = within(file, bytes, table->sh_offset, table->sh_size);
    const char *text = within(file, bytes, texts->sh_offset, texts->sh_size);
    for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
        uintptr_t begin = symbol[i].st_value + moved;
        if ((symbol[i].st_info & 15) != STT_FUNC || address < begin ||
            address - begin >= symbol[i].st_size || symbol[i].st_name >= texts->sh_size)
            continue;
        f->name = text + symbol[i].st_name;
        f->begin = begin;
        return memchr(f->name, 0, texts->sh_size - symbol[i].st_name) != NULL;
    }
    return false;
}

/* Where the program's headers are, and where they were linked to: the difference is by how much it
 * was moved. */
static uintptr_t moved_by(const ElfW(Phdr) * headers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_PHDR)
            return (uintptr_t)headers - headers[i].p_vaddr;
    return 0;
}

bool ob_port_function_at(const void *address, ob_port_function *f)
{
    Dl_info at;
    if (!dladdr(address, &at) || at.dli_fbase == NULL)
        return false;
    uintptr_t headers = getauxval(AT_PHDR), base = (uintptr_t)at.dli_fbase;
    *f = (ob_port_function){.name = at.dli_sname,
                            .object = at.dli_fname,
                            .begin = at.dli_sname ? (uintptr_t)at.dli_saddr : base,
                            .program = headers >= base && headers - base < 4096};
    if (f->program && f->name == NULL &&
        !find_symbol(moved_by((const void *)headers, getauxval(AT_PHNUM)), (uintptr_t)address, f)) {
        f->name = NULL;
        f->begin = base;
    }
    return true;
}

/* ------------------------------------------------------- process and machine */

int ob_port_thread(void)
{
    return (int)syscall(SYS_gettid); /* glibc before 2.30 has no function */
}

void ob_port_program(char *path, size_t room)
{
    link_of("/proc/self/exe", path, room);
}

bool ob_port_trusted(void)
{
    return getauxval(AT_SECURE) == 0;
}

bool ob_port_machine(char *text, size_t room)
{
    bool found = text_of("/proc/sys/kernel/random/boot_id", text, room) > 0;
    text[strcspn(text, "\n")] = 0;
    return found;
}

void ob_port_space(char *text, size_t room)
{
    link_of("/proc/self/ns/pid", text, room);
}
