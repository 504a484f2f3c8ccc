/*
 * The line of an error, which names the routine that the program has called, and the end of the
 * job.
 */
#include "redist.h"

#include "common/fault.h"

#include <time.h>

static ob_job *job_of(void)
{
    ob_job *job;
    return ob_job_start(&job) == OB_OK ? job : NULL;
}

void obrd_say(const obrd_call *c, const char *format, ...)
{
    char where[40] = "";
    ob_job *job = job_of();
    va_list args;
    if (job)
        snprintf(where, sizeof where, "; process number %d", ob_job_number(job));
    va_start(args, format);
    ob_fault_print("", c->routine, where, format, args);
    va_end(args);
}

void obrd_say_part(const obrd_call *c, int part, const char *code, const char *text)
{
    static const char *const entries[] = {"DTYPE_", "CTXT_", "M_",    "N_",    "IMB_", "INB_",
                                          "MB_",    "NB_",   "RSRC_", "CSRC_", "LLD_"};
    const char *name = c->names;
    int argument = part / 100, entry = part % 100 - 1, number = entry + 1, length;
    for (int i = 1; i < argument; i++)
        name += strcspn(name, " ") + 1;
    length = (int)strcspn(name, " ");
    const obrd_matrix *x = argument == c->a.desc_place ? &c->a : &c->b;
    if (entry < 0) {
        obrd_say(c, "%s argument %d (%.*s) %s", code, argument, length, name, text);
        return;
    }
    if (x->desc[DTYPE] != 2 && entry >= IMB) { /* there the first block is as the others */
        entry = entry == IMB || entry == INB ? entry + 2 : entry;
        number = entry - 1;
    }
    obrd_say(c, "%s entry %d (%s) of argument %d (%.*s) %s", code, number, entries[entry], argument,
             length, name, text);
}

_Noreturn void obrd_end(void)
{
    ob_fault_end(job_of(), 1);
}

bool obrd_speaks(bool knows)
{
    static const struct timespec a_while = {.tv_sec = 5};
    if (knows)
        return ob_job_speaks(job_of());
    nanosleep(&a_while, NULL);
    return false;
}

void obrd_must(const obrd_call *c, int status)
{
    if (status == OB_OK)
        return;
    obrd_say(c, "%s", ob_error_text());
    obrd_end();
}

void *obrd_room(const obrd_call *c, size_t count, size_t bytes)
{
    void *room = calloc(count ? count : 1, bytes);
    if (room)
        return room;
    obrd_say(c, "OB-4001 no memory for a list of %zu", count);
    obrd_end();
}
