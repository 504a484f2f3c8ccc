/*
 * What the library needs of the operating system beyond POSIX: the list for a port to another
 * system. port_linux.c is the one implementation; a port puts another file in its place. Functions
 * of which the comment says what happens without them may do just that at first.
 *
 * Beside them a port looks at the files of tests/layers/linux, each of which says there what it
 * does. Starting and ending processes is a list of its own, launch/system.h.
 */
#ifndef OB_CORE_PORT_H
#define OB_CORE_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* ------------------------------------------------------------------ waiting */

/* Sleeps while *word == expected, at most `nanoseconds` (negative: forever). The word lies in
 * memory that processes share. Returns early for no reason now and then; without it: sleep for at
 * most 0.1 ms. */
void ob_port_wait(atomic_uint *word, unsigned expected, long nanoseconds);
/* Wakes everyone who sleeps on *word. */
void ob_port_wake(atomic_uint *word);

/* Lets others of this machine fence this process (ob_port_fence_others). False: it cannot be; then
 * each process fences for itself. */
bool ob_port_fence_open(void);
/* A full fence on every processor on which a process runs that is open to it. */
bool ob_port_fence_others(void);

/* From now on the calling thread, when it wakes, does not take the processor from a thread that
 * runs; it waits for a free one, or for its turn. May do nothing. */
void ob_port_thread_modest(void);

/* ------------------------------------------------------------------- memory */

/* A new file without a name in any folder, empty, gone with its last user; its descriptor, or -1
 * with errno. Others may read the name with ob_port_each_file. inherited: the descriptor stays open
 * across exec. */
int ob_port_memory(const char *name, bool inherited);
/* Fetches memory for a range of a mapping of such a file, whole pages, so that touching it cannot
 * fail later. 0, or -1 with errno; EINVAL: it cannot do that. */
int ob_port_memory_fetch(void *at, size_t bytes);
/* The same for a range of a file; may do nothing. */
int ob_port_memory_fetch_file(int fd, size_t offset, size_t bytes);
/* Gives the memory of whole pages back, for all who have mapped them; they read as zero then.
 * Without it a job's memory is never smaller than it once was. */
void ob_port_memory_return(void *at, size_t bytes);
/* Leaves a mapping out of core files; may do nothing. */
void ob_port_memory_private(void *at, size_t bytes);
/* False where a store to this word would end the process; may say true always. */
bool ob_port_may_write(const void *word);

/* ---------------------------------------------------------- other processes */

/* What hooks/reach.h promises: lets the launcher's processes reach this one's memory; copies
 * between processes. Bytes copied, or -1 with errno; without it ENOSYS: messages then go through
 * rings. */
void ob_port_reach_open(void);
ssize_t ob_port_reach(bool write, int pid, const struct iovec *here, int here_count,
                      const struct iovec *there, int there_count);

/* Opens what descriptor `fd` of another process leads to, a file of ob_port_memory; -1: it cannot.
 * Without it the processes of an MPI job have no shared memory. */
int ob_port_open_of(int pid, int fd, int flags);
/* Calls `each` with the number of every process of the machine. */
void ob_port_each_process(void (*each)(int pid, void *with), void *with);
/* With each descriptor of a process that leads to a file of ob_port_memory, and with the file's
 * name. Without these two nobody finds hangs at level 2 (src/check). */
void ob_port_each_file(int pid, void (*each)(int fd, const char *name, void *with), void *with);

typedef struct ob_port_process {
    char name[32];
    char state; /* 'R' runs, 'S' sleeps; others are neither */
    int parent;
    uint64_t born; /* tells it from an earlier one of the same number; never 0 */
    long ticks;    /* of processor time */
} ob_port_process;

/* Looks at a process (thread 0) or at a thread of it. False: it has ended, or cannot be seen. May
 * be called in a signal handler. */
bool ob_port_look(int pid, int thread, ob_port_process *p);
/* Its `born`; 0: it has ended. */
uint64_t ob_port_born(int pid);
/* Calls `each` with every thread of a process; false: it cannot be seen. */
bool ob_port_each_thread(int pid, void (*each)(int thread, void *with), void *with);

/* ---------------------------------------------------------------- the stack */

/* A function that has called another one, and waits for it. */
typedef struct ob_port_frame {
    const void *address;      /* where it goes on */
    const void *const *stack; /* its stack pointer then: what is below belongs to whom it called */
} ob_port_frame;

/* Makes ob_port_stack ready. False: stacks cannot be read here. */
bool ob_port_stack_open(void);
/* The calls that the thread is in, innermost first, at most so many; returns how many. Some 0.3
 * microseconds each; takes no memory, but may take a lock of the loader's. */
int ob_port_stack(ob_port_frame *frame, int most);

/* The function at an address. */
typedef struct ob_port_function {
    const char *name;   /* NULL: not known */
    const char *object; /* the file it is in */
    uintptr_t begin;    /* of the function, or of the object where there is no name */
    bool program;       /* in the program's file itself, not in a library */
} ob_port_function;

/* Of a library the functions that it exports have names, of the program all that its file names.
 * What it returns stays until the library is unloaded. One thread at a time. False: nothing is
 * known. */
bool ob_port_function_at(const void *address, ob_port_function *f);

/* ------------------------------------------------------- process and machine */

/* The number by which ob_port_look knows the calling thread. */
int ob_port_thread(void);
/* The program's file; "" where it is not known. */
void ob_port_program(char *path, size_t room);
/* Does the environment come from the user that the process works for? */
bool ob_port_trusted(void);
/* What tells this machine, since it was started, from all others; false: nothing does. */
bool ob_port_machine(char *text, size_t room);
/* What tells apart the containers of a machine in which processes have other numbers; "" without.
 */
void ob_port_space(char *text, size_t room);

#endif
