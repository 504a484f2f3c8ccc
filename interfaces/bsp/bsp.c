/*
 * BSPlib: the 20 primitives, on the one machine of a program.
 */
#include "openblacs/bsp.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

static struct {
    ob_job *job;
    bsp_machine *machine; /* between bsp_begin and bsp_end */
    bool initialised, begun, ended;
    int size, me; /* of the parallel part */
    double start;
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

/* ---------------------------------------------------- puts without a call */

bsp_run bsp_last_run;

/* What was put without a call is entered where all else is looked up. */
static void settle(bsp_machine *m)
{
    bsp_run *run = &bsp_last_run;
    bspm_last *last = &m->last[run->pid];
    uint64_t length = (uint64_t)(run->at - (char *)(last->item + 1));
    *last->item = (*last->item & ~((uint64_t)BSPM_SHORT_LENGTH << 16)) | length << 16;
    m->room[run->pid].next = last->end = run->at;
    run->at = run->end = NULL;
}

/* After a short put of whole words that continued another one and is the last thing in its room: more
 * are likely to follow. */
static void begin_run(bsp_machine *m, int pid, const void *dst, size_t next)
{
    const bspm_last *last = &m->last[pid];
    ob_room *r = &m->room[pid];
    if (last->end == NULL || last->end != r->next)
        return;
    size_t length = (size_t)(last->end - (char *)(last->item + 1));
    size_t left = (size_t)(r->end - r->next) / 8 * 8, most = (BSPM_SHORT_LENGTH - length) / 8 * 8;
    if (length % 8 == 0 && length > 8)
        bsp_last_run = (bsp_run){dst, next, r->next, r->next + (left < most ? left : most), pid};
}

static inline bsp_machine *machine(const char *routine)
{
    if (__builtin_expect(world.machine == NULL, 0))
        outside(routine);
    if (bsp_last_run.at)
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

#undef bsp_put
void bsp_put(int pid, const void *src, void *dst, size_t offset, size_t nbytes)
{
    bsp_machine *m = machine("bsp_put");
    bspm_put(m, "bsp_put", pid, src, dst, offset, nbytes);
    begin_run(m, pid, dst, offset + nbytes);
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
    if (m->first_message == m->messages) {
        *status = -1;
        return;
    }
    const bspm_message *first = &m->message[m->first_message];
    *status = (int)first->bytes;
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
    if (bytes)
        memcpy(payload, first->payload, bytes);
}

int bsp_hpmove(void **tag, void **payload)
{
    bsp_machine *m = machine("bsp_hpmove");
    if (m->first_message == m->messages)
        return -1;
    const bspm_message *first = next_message(m);
    *tag = (void *)(uintptr_t)first->tag;
    *payload = (void *)(uintptr_t)first->payload;
    return (int)first->bytes;
}
