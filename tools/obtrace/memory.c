/*
 * Memory, or the end of the program. What grows grows by doubling.
 */
#include <stdlib.h>

#include "common/complain.h"
#include "common/grow.h"
#include "trace.h"

void obt_die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ob_complain("obtrace", format, list);
    va_end(list);
    /* Not exit: what a reader holds on its stack would count as lost there, or not,
       as the compiler has laid it out; only the process's end gives it back. */
    fflush(NULL);
    _Exit(1);
}

void obt_warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ob_complain("obtrace", format, list);
    va_end(list);
}

void *obt_memory(size_t count, size_t each)
{
    void *p = calloc(count ? count : 1, each);
    if (!p)
        obt_die("OB-4001 not enough memory for %zu elements of %zu bytes", count, each);
    return p;
}

void *obt_grow(void *array, size_t count, size_t *room, size_t each)
{
    void *p = ob_grow(array, count, room, each);
    if (!p)
        obt_die("OB-4001 not enough memory for more than %zu elements of %zu bytes", count, each);
    return p;
}
