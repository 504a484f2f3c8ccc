/*
 * BSPlib: the 20 primitives, on the one machine of a program.
 */
#include "openblacs/bsp.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

static struct {
    ob_job *job;
    bsp_machine *machine; /* between bsp_begin and bsp_end */
    bool initialised, begun, ended;
    bool asked;   /* process 0's number of processes is known to all */
    int size, me; /* of the parallel part */
    double start;
    pid_t process; /* the one that joined; a child of it may exit as it likes */
} world;

static void at_end(void);

static ob_job *job(const char *routine)
{
    if (world.job == NULL) {
        bspm_check(NULL, routine, ob_job_start(&world.job));
        world.process = getpid();
        atexit(at_end);
    }
    return world.job;
}

static _Noreturn void outside(const char *routine)
{
    bspm_fault(NULL, routine, "OB-6001 called %s; process number %d",
               world.ended ? "after bsp_end" : "before bsp_begin", ob_job_number(job(routine)));
}

/* ---------------------------------------------------- puts of words */

/* The put of a word made last, in the staging array. */
static struct {
    size_t next; /* the offset that continues it */
    uint64_t key;
    size_t limit; /* the offset where the staging array ends */
} last_run;

/* One number instead of two: of one memory of one process (bsp.h says when it is its own). */
#define KEY(pid, dst) ((uint64_t)(uintptr_t)(dst) + (uint64_t)(pid)*UINT64_C(0x9e3779b97f4a7c15))

/* Puts of words to one memory of one process are written here first. What is sent is memory that
 * its receiver has read, which comes back a line at a time for words but many lines at once for a
 * copy. */
enum { STAGING_WORDS = 1024 };
static uint64_t staging[STAGING_WORDS];

/* While a run is open its last item has no head yet, and what is written is not entered
 * anywhere else. */
static struct {
    uint64_t *item; /* the last, in the staging array; NULL: no run is open */
    size_t first;   /* its offset */
    uint64_t head;  /* of all its items, but for length and offset */
    int pid;
} run;

/* Of the put before, whether in a run or not. */
static uint64_t former_key;

static inline size_t run_length(void)
{
    return last_run.next - run.first;
}

static inline uint64_t *run_end(void)
{
    return (uint64_t *)(void *)((char *)(run.item + 1) + run_length());
}

/* The head is never read back while the run goes on: a load so close behind its store costs more
 * than all the rest. */
static inline void write_head(void)
{
    *run.item = run.head | (uint64_t)run_length() << 16 | (uint64_t)run.first << 32;
}

/* A word, which may be continued to the end of the staging array. */
static inline void write_item(uint64_t *item, const void *src, size_t offset)
{
    memcpy(item + 1, src, 8);
    run.item = item;
    run.first = offset;
    last_run.next = offset + 8;
    last_run.limit = offset + (size_t)((char *)(staging + STAGING_WORDS) - (char *)(item + 1));
}

/* Enters the run where all else is looked up, and ends it. */
static void settle(bsp_machine *m)
{
    write_head();
    size_t words = (size_t)(run_end() - staging);
    uint64_t *to = bspm_take(m, "bsp_put", run.pid, 8 * words);
    memcpy(to, staging, 8 * words);
    m->last[run.pid] = (bspm_last){to + (run.item - staging), (char *)(to + words)};
    run.item = NULL;
    last_run.key = 0;
    last_run.next = last_run.limit = 0;
}

/* Whether a key names one memory of one process (bsp.h). */
static inline bool keys_differ(const bsp_machine *m, const void *dst)
{
    return m->size <= 1 << 14 && (uint64_t)(uintptr_t)dst >> 48 == 0;
}

/* A word to where the put before went: more are likely to follow. */
static bool begin_run(const bsp_machine *m, int pid, const void *src, const void *dst,
                      size_t offset, size_t nbytes)
{
    uint64_t key = KEY(pid, dst);
    bool again = key == former_key;
    former_key = key;
    if (!again || !bspm_is_quick(m, pid, src, dst, offset, nbytes) || !keys_differ(m, dst))
        return false;
    run.head = bspm_short_head(m);
    run.pid = pid;
    last_run.key = key;
    write_item(staging, src, offset);
    return true;
}

/* A word to elsewhere in the memory of the run. False: it is no such put. While the program gathers
 * no run is open. */
static inline bool put_elsewhere(int pid, const void *src, const void *dst, size_t offset,
                                 size_t nbytes)
{
    if (nbytes != 8 || KEY(pid, dst) != last_run.key || last_run.limit - last_run.next < 16 ||
        src == NULL || offset > UINT32_MAX)
        return false;
    uint64_t *at = run_end();
    write_head();
    write_item(at, src, offset);
    return true;
}

/* Lets the program hand over the words it has gathered (bsp.h). */
static void (*held)(void);

static __attribute__((noinline)) void let_go(void)
{
    void (*settle_words)(void) = held;
    held = NULL;
    settle_words();
}

static inline bsp_machine *machine(const char *routine)
{
    if (__builtin_expect(world.machine == NULL, 0))
        outside(routine);
    if (__builtin_expect(held != NULL, 0))
        let_go();
    if (run.item)
        settle(world.machine);
    return world.machine;
}

bsp_machine *bspm_world(const char *routine)
{
    return machine(routine);
}

/* ------------------------------------------------------ begin, end, inquiry */

/* Leaves a process that has no part in the program any more. */
static _Noreturn void leave(const char *routine)
{
    bspm_check(NULL, routine, ob_job_stop(job(routine), 1));
    world.ended = true;
    exit(0);
}

static ob_group *first_processes(const char *routine, int count)
{
    ob_group *group = NULL;
    int *numbers = bspm_more(NULL, NULL, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    bspm_check(NULL, routine, ob_group_create(job(routine), numbers, count, &group));
    free(numbers);
    return group;
}

/* How many processes the parallel part has: what process 0 says, which may be the only one to know
 * (the report of 1998, bsp_init's example). All processes of the job call it, once. The group has
 * that many; NULL: this process is none of them. */
static ob_group *ask_process_0(const char *routine, int maxprocs)
{
    int there = ob_job_count(job(routine)), count = maxprocs < there ? maxprocs : there;
    ob_group *group = first_processes(routine, there);
    ob_view view = ob_view_vector(&count, 1, OB_INT);
    bspm_apart(NULL, routine);
    world.asked = true;
    if (there > 1)
        bspm_check(NULL, routine, ob_broadcast(group, 0, &view, NULL));
    if (count == there)
        return group;
    ob_group_free(group);
    return ob_job_number(world.job) < count ? first_processes(routine, count) : NULL;
}

void bsp_init(void (*spmd)(void), int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (world.ended)
        bspm_fault(NULL, "bsp_init",
                   "OB-6001 called after bsp_end; a program has one parallel part");
    if (world.begun || world.initialised)
        bspm_fault(NULL, "bsp_init", "OB-6001 called %s; it is the first statement of main",
                   world.begun ? "after bsp_begin" : "twice");
    if (spmd == NULL)
        bspm_fault(NULL, "bsp_init", "OB-6001 the function is NULL");
    world.initialised = true;
    if (ob_job_number(job("bsp_init")) == 0)
        return;
    spmd();
    if (!world.begun && ask_process_0("bsp_init", 0))
        bspm_fault(NULL, "bsp_init",
                   "OB-6002 the function has returned without bsp_begin; process number %d",
                   ob_job_number(world.job));
    if (world.begun && !world.ended)
        bspm_fault(world.machine, "bsp_init", "OB-6002 the function has returned without bsp_end");
    leave("bsp_init");
}

/* At exit. Who waits in bsp_begin for a process 0 that never comes there is told to leave; and the
 * launcher sees every process end as it should, also one that has only asked how many there are. */
static void at_end(void)
{
    if (getpid() != world.process || bspm_is_leaving())
        return;
    if (world.machine)
        bspm_fault(world.machine, "bsp_begin", "OB-6002 the process ends without bsp_end");
    if (world.initialised && !world.asked && ob_job_number(world.job) == 0)
        ob_group_free(ask_process_0("bsp_init", 0));
    if (!world.ended)
        ob_job_stop(world.job, 1);
}

void bsp_begin(int maxprocs)
{
    BSPM_ROUTINE("bsp_begin");
    int me = ob_job_number(job("bsp_begin"));
    if (world.begun)
        bspm_fault(world.machine, "bsp_begin",
                   "OB-6001 called a second time; a program has one parallel part");
    if (me == 0 && maxprocs < 1)
        bspm_fault(NULL, "bsp_begin", "OB-6001 asks for %d processes; at least 1; process number 0",
                   maxprocs);
    ob_group *group = ask_process_0("bsp_begin", maxprocs);
    if (group == NULL)
        leave("bsp_begin");
    world.begun = true;
    world.machine = bspm_open("bsp_begin", group);
    bspm_open_direct(world.machine, "bsp_begin");
    world.size = world.machine->size;
    world.me = world.machine->me;
    world.start = ob_time();
}

void bsp_end(void)
{
    BSPM_ROUTINE("bsp_end");
    bsp_machine *m = machine("bsp_end");
    bspm_sync(m, "bsp_end", BSPM_END);
    ob_group *group = m->group;
    bspm_close(m);
    ob_group_free(group);
    world.machine = NULL;
    world.ended = true;
    fflush(stdout);
    bspm_check(NULL, "bsp_end", ob_job_stop(world.job, 1));
}

int bsp_nprocs(void)
{
    return world.begun ? world.size : ob_job_count(job("bsp_nprocs"));
}

int bsp_pid(void)
{
    return world.begun ? world.me : ob_job_number(job("bsp_pid"));
}

double bsp_time(void)
{
    machine("bsp_time");
    return ob_time() - world.start;
}

void bsp_sync(void)
{
    BSPM_ROUTINE("bsp_sync");
    bspm_sync(machine("bsp_sync"), "bsp_sync", BSPM_SYNC);
}

void bsp_vabort(const char *format, va_list args)
{
    fflush(stdout);
    vfprintf(stderr, format, args);
    bspm_leave(1);
}

void bsp_abort(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bsp_vabort(format, args);
}

/* ------------------------------------------- registration, remote memory */

void bsp_push_reg(const void *ident, size_t size)
{
    bspm_push(machine("bsp_push_reg"), "bsp_push_reg", ident, size);
}

void bsp_pop_reg(const void *ident)
{
    bspm_pop(machine("bsp_pop_reg"), "bsp_pop_reg", ident);
}

static __attribute__((noinline)) void put_any(int pid, const void *src, const void *dst,
                                              size_t offset, size_t nbytes)
{
    bsp_machine *m = machine("bsp_put");
    if (!begin_run(m, pid, src, dst, offset, nbytes))
        bspm_put(m, "bsp_put", pid, src, dst, offset, nbytes);
}

/* For the recorder. The group is the machine's, where there is one yet. */
#define ASK(name, pid, bytes)                                                                      \
    OB_TRACE_ASK(name, world.machine ? world.machine->group : NULL, pid, bytes)

void bsp_put(int pid, const void *src, const void *dst, size_t offset, size_t nbytes)
{
    ASK("bsp_put", pid, nbytes);
    if (!put_elsewhere(pid, src, dst, offset, nbytes))
        put_any(pid, src, dst, offset, nbytes);
}

void bsp_put_call(int pid, const void *src, const void *dst, size_t offset, size_t nbytes)
    __attribute__((alias("bsp_put")));

int bsp_put_gather(int pid, const void *dst, void (*settle_words)(void))
{
    const bsp_machine *m = machine("bsp_put");
    bspm_check_pid(m, "bsp_put", pid);
    /* Gathered words would be told at the call that lets them go. */
    bool told = ob_trace_on & OB_TRACE_EVENTS_ON;
    held = keys_differ(m, dst) && !told ? settle_words : NULL;
    return held != NULL;
}

void bsp_hpput(int pid, const void *src, const void *dst, size_t offset, size_t nbytes)
{
    ASK("bsp_hpput", pid, nbytes);
    bspm_hpput(machine("bsp_hpput"), "bsp_hpput", pid, src, dst, offset, nbytes);
}

void bsp_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    ASK("bsp_get", pid, nbytes);
    bspm_get_request(machine("bsp_get"), "bsp_get", pid, src, offset, dst, nbytes);
}

void bsp_hpget(int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    ASK("bsp_hpget", pid, nbytes);
    bspm_hpget(machine("bsp_hpget"), "bsp_hpget", pid, src, offset, dst, nbytes);
}

void bsp_direct_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    bspm_direct_get(machine("bsp_direct_get"), "bsp_direct_get", pid, src, offset, dst, nbytes);
}

/* ----------------------------------------------------------------- messages */

static size_t set_tagsize(bsp_machine *m, size_t size)
{
    size_t before = (size_t)m->next_tag_bytes;
    m->next_tag_bytes = (int)size;
    return before;
}

/* The calling process's machine, where ADDRESS, at which the size of a tag stands, is one. */
static bsp_machine *tagsize_machine(const void *address)
{
    bsp_machine *m = machine("bsp_set_tagsize");
    if (address == NULL)
        bspm_fault(m, "bsp_set_tagsize", "OB-1001 the address of the size is NULL");
    return m;
}

void bsp_set_tagsize(int *tag_nbytes)
{
    bsp_machine *m = tagsize_machine(tag_nbytes);
    if (*tag_nbytes < 0)
        bspm_fault(m, "bsp_set_tagsize", "OB-6009 needs a size of 0 or more, not %d", *tag_nbytes);
    *tag_nbytes = (int)set_tagsize(m, (size_t)*tag_nbytes);
}

void bsp_set_tagsize_wide(size_t *tag_nbytes)
{
    bsp_machine *m = tagsize_machine(tag_nbytes);
    if (*tag_nbytes > INT_MAX)
        bspm_fault(m, "bsp_set_tagsize", "OB-6009 needs a size of at most %d, not %zu", INT_MAX,
                   *tag_nbytes);
    *tag_nbytes = set_tagsize(m, *tag_nbytes);
}

void bsp_send(int pid, const void *tag, const void *payload, size_t payload_nbytes)
{
    ASK("bsp_send", pid, payload_nbytes);
    bspm_send(machine("bsp_send"), "bsp_send", pid, tag, payload, payload_nbytes);
}

/* The outbox is memory that the receiver reads, so there is no copy to save. */
void bsp_hpsend(int pid, const void *tag, const void *payload, size_t payload_nbytes)
{
    ASK("bsp_hpsend", pid, payload_nbytes);
    bspm_send(machine("bsp_hpsend"), "bsp_hpsend", pid, tag, payload, payload_nbytes);
}

void bsp_qsize_wide(unsigned *nmessages, size_t *accum_nbytes)
{
    const bsp_machine *m = machine("bsp_qsize");
    size_t count = m->messages - m->first_message;
    if (count > INT_MAX)
        bspm_fault(m, "bsp_qsize", "OB-6009 %zu messages are more than an int can tell", count);
    if (nmessages)
        *nmessages = (unsigned)count;
    if (accum_nbytes)
        *accum_nbytes = m->queued_bytes;
}

void bsp_qsize(int *nmessages, int *accum_nbytes)
{
    unsigned count;
    size_t bytes;
    bsp_qsize_wide(&count, &bytes);
    if (accum_nbytes && bytes > INT_MAX)
        bspm_fault(world.machine, "bsp_qsize",
                   "OB-6009 %u messages of %zu bytes in all are more than an int can tell", count,
                   bytes);
    if (nmessages)
        *nmessages = (int)count;
    if (accum_nbytes)
        *accum_nbytes = (int)bytes;
}

void bsp_get_tag_wide(size_t *status, void *tag)
{
    const bsp_machine *m = machine("bsp_get_tag");
    if (status == NULL)
        bspm_fault(m, "bsp_get_tag", "OB-1001 status is NULL");
    if (m->first_message == m->messages) {
        *status = (size_t)-1;
        return;
    }
    const bspm_message *first = &m->message[m->first_message];
    *status = first->bytes;
    if (first->tag_bytes && tag == NULL)
        bspm_fault(m, "bsp_get_tag", "OB-1002 the tag goes to address NULL but has %zu bytes",
                   first->tag_bytes);
    bspm_copy(tag, first->tag, first->tag_bytes);
}

/* A payload has at most INT_MAX bytes, and none is -1 in both types. */
void bsp_get_tag(int *status, void *tag)
{
    size_t bytes = 0;
    bsp_get_tag_wide(status ? &bytes : NULL, tag);
    *status = (int)bytes;
}

static const bspm_message *next_message(bsp_machine *m)
{
    const bspm_message *first = &m->message[m->first_message++];
    m->queued_bytes -= first->bytes;
    return first;
}

void bsp_move(void *payload, size_t reception_nbytes)
{
    bsp_machine *m = machine("bsp_move");
    bspm_check_size(m, "bsp_move", "the reception buffer", reception_nbytes);
    if (m->first_message == m->messages)
        bspm_fault(m, "bsp_move", "OB-6008 the queue is empty (bsp_get_tag gives -1 then)");
    const bspm_message *first = next_message(m);
    size_t bytes = first->bytes < reception_nbytes ? first->bytes : reception_nbytes;
    if (bytes && payload == NULL)
        bspm_fault(m, "bsp_move", "OB-1002 %zu bytes to address NULL", bytes);
    bspm_copy(payload, first->payload, bytes);
}

size_t bsp_hpmove_wide(void **tag, void **payload)
{
    bsp_machine *m = machine("bsp_hpmove");
    if (tag == NULL || payload == NULL)
        bspm_fault(m, "bsp_hpmove", "OB-1001 %s is NULL", tag ? "payload" : "tag");
    if (m->first_message == m->messages)
        return (size_t)-1;
    const bspm_message *first = next_message(m);
    *tag = (void *)(uintptr_t)first->tag;
    *payload = (void *)(uintptr_t)first->payload;
    return first->bytes;
}

int bsp_hpmove(void **tag, void **payload)
{
    return (int)bsp_hpmove_wide(tag, payload);
}
