/*
 * Collective operations that the program does not wait for at once, in the library's own trace
 * file: an event where one begins, and one where its end was waited for. Both have its tag.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "native.h"

static int64_t key_of(const ob_trace_event *e)
{
    return (int64_t)((uint64_t)e->group << 32 | (uint32_t)e->tag);
}

/* What was prepared is begun again with the same tag, but not before its end was waited for. */
const ob_trace_event **obt_native_courses(const ob_trace_event *events, size_t count)
{
    const ob_trace_event **begun = obt_memory(count, sizeof *begun);
    size_t *latest = obt_memory(count, sizeof *latest);
    obt_map numbers = {0};
    for (size_t i = 0; i < count; i++) {
        const ob_trace_event *e = &events[i];
        bool ends =
            e->kind == OB_TRACE_WAIT && e->flags & OB_TRACE_REQUEST && e->tag <= OBT_COURSE_TAG;
        if (obt_native_begins(e)) {
            latest[obt_map_take(&numbers, key_of(e), numbers.count)] = i;
        } else if (ends) {
            size_t known = obt_map_find(&numbers, key_of(e));
            begun[i] = known == OBT_NONE ? NULL : &events[latest[known]];
        }
    }
    obt_map_free(&numbers);
    free(latest);
    return begun;
}

bool obt_native_begins_untold(const ob_trace_event *e, const char *routine)
{
    return e->kind == OB_TRACE_POST && e->peer < 0 && e->tag == OB_ANY &&
           !(e->flags & (OB_TRACE_BYSELF | OB_TRACE_FAILED)) &&
           (obt_waiting_in(routine) != OBT_RECEIVING || strcasestr(routine, "exchange") ||
            strcasestr(routine, "alltoall") || strcmp(routine, "ob_begin") == 0 ||
            strcasestr(routine, "start"));
}

const char *obt_native_course_name(const char *routine, int kind, bool ends, char *text,
                                   size_t room)
{
    static const char *const kinds[] = {[OB_TRACE_BROADCAST] = "broadcast",
                                        [OB_TRACE_COMBINE] = "combine",
                                        [OB_TRACE_COLLECT] = "collect",
                                        [OB_TRACE_BARRIER] = "barrier",
                                        [OB_TRACE_EXCHANGE] = "exchange"};
    const char *name = kind < (int)(sizeof kinds / sizeof *kinds) ? kinds[kind] : NULL;
    bool tells =
        !name || strcasestr(routine, name) || obt_waiting_in(routine) == obt_waiting_in(name);
    if (tells && !ends)
        return routine;
    snprintf(text, room, "%.80s%s%s%s", routine, tells ? "" : " of ", tells ? "" : name,
             ends ? " (wait)" : "");
    return text;
}
