/*
 * The line of an error, which names the routine that the program has called, and the end of the
 * job.
 */
#include "redist.h"

#include "common/fault.h"

void obrd_say(const obrd_call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ob_fault_say(c->routine, format, args);
    va_end(args);
}

void obrd_say_part(const obrd_call *c, int part, const char *code, const char *text)
{
    int argument = part / 100, entry = part % 100, length;
    const int64_t *desc = argument == c->a.desc_place ? c->a.desc : c->b.desc;
    const char *name = ob_fault_argument(c->names, argument, &length);
    if (desc[DTYPE] != 2 && entry > INB + 1) /* there the first block is as the others */
        entry -= 2;
    if (entry)
        obrd_say(c, "%s entry %d (%s) of argument %d (%.*s) %s", code, entry,
                 ob_fault_entry(entry, desc[DTYPE]), argument, length, name, text);
    else
        obrd_say(c, "%s argument %d (%.*s) %s", code, argument, length, name, text);
}

_Noreturn void obrd_end(void)
{
    ob_fault_end(ob_fault_job(), 1);
}

bool obrd_speaks(bool knows)
{
    return ob_fault_speaks(knows);
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
