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
    int size, me; /* of the parallel part */
    double start;
    pid_t process; /* a child of it may exit as it likes */
} world;

static ob_job *job(const char *routine)
{
    if (world.job == NULL)
        bspm_check(NULL, routine, ob_job_start(&world.job));
    return world.job;
}

static _Noreturn void outside(const char *routine)
{
    bspm_fault(NULL, routine, "called %s; process number %d",
               world.ended ? "after bsp_end" : "before bsp_begin", ob_job_number(job(routine)));
}

/* ---------------------------------------------------- puts of words */

bsp_run bsp_last_run;

/* While a run is open its last item has no head yet, and what is written is not entered
 * anywhere else. */
static struct {
    uint64_t *item; /* NULL: no run is open */
    char *end;      /* of the room */
    uint64_t head;  /* of all its items, but for length and offset */
} run;

/* Where the put before went, whether in a run or not. */
static struct {
    const void *dst;
    int pid;
} former = {NULL, -1};

static inline char *run_end(void)
{
    return bsp_last_run.data + bsp_last_run.next;
}

/* The head is never read back while the run goes on: a load so close behind its store costs more
 * than all the rest. */
static inline void write_head(void)
{
    size_t first = (size_t)((char *)(run.item + 1) - bsp_last_run.data);
    *run.item = run.head | (uint64_t)(bsp_last_run.next - first) << 16 | (uint64_t)first << 32;
}

/* Enters the run where all else is looked up, and ends it. */
static void settle(bsp_machine *m)
{
    int pid = bsp_last_run.pid;
    write_head();
    m->last[pid] = (bspm_last){run.item, run_end()};
    m->room[pid].next = run_end();
    run.item = NULL;
    bsp_last_run = (bsp_run){.pid = -1};
}

/* The run's last item is of the words at offset .. next-1 and may grow. */
static inline void set_item(uint64_t *item, size_t offset, size_t next)
{
    char *data = (char *)(item + 1);
    size_t left = (size_t)(run.end - data) / 8 * 8, most = BSPM_SHORT_LENGTH / 8 * 8;
    run.item = item;
    bsp_last_run.data = (char *)((uintptr_t)data - offset);
    bsp_last_run.next = next;
    bsp_last_run.limit = offset + (left < most ? left : most);
}

/* After a short put of words that is the last thing in its room, to where the one before went: more are
 * likely to follow. */
static void begin_run(bsp_machine *m, int pid, const void *dst)
{
    const bspm_last *last = &m->last[pid];
    bool again = former.pid == pid && former.dst == dst;
    former.pid = pid;
    former.dst = dst;
    if (!again || last->end == NULL || last->end != m->room[pid].next)
        return;
    uint64_t head = *last->item, length = head >> 16 & BSPM_SHORT_LENGTH, offset = head >> 32;
    if (length % 8 != 0)
        return;
    run.end = m->room[pid].end;
    run.head = head & (BSPM_SHORT_SLOTS * 16 - 1);
    bsp_last_run.dst = dst;
    bsp_last_run.pid = pid;
    set_item(last->item, offset, offset + length);
}

/* A word to elsewhere in the memory of the run. False: it is no such put. */
static inline bool put_elsewhere(int pid, const void *src, const void *dst, size_t offset, size_t nbytes)
{
    char *at = run_end();
    if (nbytes != 8 || pid != bsp_last_run.pid || dst != bsp_last_run.dst || offset > UINT32_MAX ||
        src == NULL || run.end - at < 16)
        return false;
    write_head();
    memcpy(at + 8, src, 8);
    set_item((uint64_t *)(void *)at, offset, offset + 8);
    return true;
}

static inline bsp_machine *machine(const char *routine)
{
    if (__builtin_expect(world.machine == NULL, 0))
        outside(routine);
    if (run.item)
        settle(world.machine);
    return world.machine;
}

/* ------------------------------------------------------ begin, end, inquiry */

/* Leaves a process that has no part in the program any more. */
static _Noreturn void leave(const char *routine)
{
    bspm_check(NULL, routine, ob_job_stop(job(routine), 1));
    exit(0);
}

void bsp_init(void (*spmd)(void), int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (world.begun || world.initialised)
        bspm_fault(NULL, "bsp_init", "called %s; it is the first statement of main",
                   world.begun ? "after bsp_begin" : "twice");
    if (spmd == NULL)
        bspm_fault(NULL, "bsp_init", "the function is NULL");
    world.initialised = true;
    if (ob_job_number(job("bsp_init")) == 0)
        return;
    spmd();
    if (world.begun && !world.ended)
        bspm_fault(world.machine, "bsp_init", "the function has returned without bsp_end");
    leave("bsp_init");
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

/* At exit. */
static void expect_end(void)
{
    if (world.machine && getpid() == world.process && !bspm_is_leaving())
        bspm_fault(world.machine, "bsp_begin", "the process ends without bsp_end");
}

void bsp_begin(int maxprocs)
{
    OB_TRACE_ROUTINE("bsp_begin");
    int count = ob_job_count(job("bsp_begin")), me = ob_job_number(world.job);
    if (world.begun)
        bspm_fault(world.machine, "bsp_begin", "called a second time; a program has one parallel part");
    if (maxprocs < 1)
        bspm_fault(NULL, "bsp_begin", "asks for %d processes; at least 1; process number %d", maxprocs, me);
    if (me >= maxprocs)
        leave("bsp_begin");
    world.begun = true;
    world.machine = bspm_open("bsp_begin", first_processes("bsp_begin", maxprocs < count ? maxprocs : count));
    world.size = world.machine->size;
    world.me = world.machine->me;
    world.process = getpid();
    atexit(expect_end);
    world.start = ob_time();
}

void bsp_end(void)
{
    OB_TRACE_ROUTINE("bsp_end");
    bsp_machine *m = machine("bsp_end");
    bspm_sync(m, "bsp_end", BSPM_END);
    bspm_close(m);
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
    OB_TRACE_ROUTINE("bsp_sync");
    bspm_sync(machine("bsp_sync"), "bsp_sync", BSPM_SYNC);
}

void bsp_abort(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    bspm_leave(1);
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

static __attribute__((noinline)) void put_any(int pid, const void *src, const void *dst, size_t offset,
                                               size_t nbytes)
{
    bsp_machine *m = machine("bsp_put");
    bspm_put(m, "bsp_put", pid, src, dst, offset, nbytes);
    begin_run(m, pid, dst);
}

#undef bsp_put
void bsp_put(int pid, const void *src, void *dst, size_t offset, size_t nbytes)
{
    if (!run.item || !put_elsewhere(pid, src, dst, offset, nbytes))
        put_any(pid, src, dst, offset, nbytes);
}

void bsp_hpput(int pid, const void *src, void *dst, size_t offset, size_t nbytes)
{
    bspm_hpput(machine("bsp_hpput"), "bsp_hpput", pid, src, dst, offset, nbytes);
}

void bsp_get(int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    bspm_get_request(machine("bsp_get"), "bsp_get", pid, src, offset, dst, nbytes);
}

void bsp_hpget(int pid, const void *src, size_t offset, void *dst, size_t nbytes)
{
    bspm_hpget(machine("bsp_hpget"), "bsp_hpget", pid, src, offset, dst, nbytes);
}

/* ----------------------------------------------------------------- messages */

void bsp_set_tagsize(int *tag_nbytes)
{
    bsp_machine *m = machine("bsp_set_tagsize");
    if (tag_nbytes == NULL || *tag_nbytes < 0)
        bspm_fault(m, "bsp_set_tagsize", "needs a size of 0 or more, not %d",
                   tag_nbytes ? *tag_nbytes : -1);
    m->next_tag_bytes = *tag_nbytes;
    *tag_nbytes = m->tag_bytes;
}

void bsp_send(int pid, const void *tag, const void *payload, size_t payload_nbytes)
{
    bspm_send(machine("bsp_send"), "bsp_send", pid, tag, payload, payload_nbytes);
}

void bsp_qsize(int *nmessages, int *accum_nbytes)
{
    const bsp_machine *m = machine("bsp_qsize");
    size_t count = m->messages - m->first_message;
    if (count > INT_MAX || (accum_nbytes && m->queued_bytes > INT_MAX))
        bspm_fault(m, "bsp_qsize", "%zu messages of %zu bytes in all are more than an int can tell", count,
                   m->queued_bytes);
    if (nmessages)
        *nmessages = (int)count;
    if (accum_nbytes)
        *accum_nbytes = (int)m->queued_bytes;
}

void bsp_get_tag(int *status, void *tag)
{
    const bsp_machine *m = machine("bsp_get_tag");
    if (status == NULL)
        bspm_fault(m, "bsp_get_tag", "status is NULL");
    if (m->first_message == m->messages) {
        *status = -1;
        return;
    }
    const bspm_message *first = &m->message[m->first_message];
    *status = (int)first->bytes;
    if (first->tag_bytes && tag == NULL)
        bspm_fault(m, "bsp_get_tag", "the tag goes to address NULL but has %zu bytes", first->tag_bytes);
    if (first->tag_bytes)
        memcpy(tag, first->tag, first->tag_bytes);
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
        bspm_fault(m, "bsp_move", "the queue is empty (bsp_get_tag gives -1 then)");
    const bspm_message *first = next_message(m);
    size_t bytes = first->bytes < reception_nbytes ? first->bytes : reception_nbytes;
    if (bytes && payload == NULL)
        bspm_fault(m, "bsp_move", "%zu bytes to address NULL", bytes);
    if (bytes)
        memcpy(payload, first->payload, bytes);
}

int bsp_hpmove(void **tag, void **payload)
{
    bsp_machine *m = machine("bsp_hpmove");
    if (tag == NULL || payload == NULL)
        bspm_fault(m, "bsp_hpmove", "%s is NULL", tag ? "payload" : "tag");
    if (m->first_message == m->messages)
        return -1;
    const bspm_message *first = next_message(m);
    *tag = (void *)(uintptr_t)first->tag;
    *payload = (void *)(uintptr_t)first->payload;
    return (int)first->bytes;
}
