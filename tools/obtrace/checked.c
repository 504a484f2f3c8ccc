/*
 * Events from text formats of which nothing is known yet.
 */
#include <string.h>

#include "formats.h"

/* How many values a kind has at least. */
static size_t least_values(int kind)
{
    const ob_picl_record *r = ob_picl_record_of(kind);
    size_t n = 0;
    for (const char *p = r ? r->form : "%"; *p && *p != '?'; p++)
        n += *p == '%';
    return n;
}

/* Ranges that the meaning of a message's events sets. */
const char *obt_message_fault(int kind, const int64_t *v)
{
    if (kind != OBT_SEND && kind != OBT_RECV && kind != OBT_RECV_WAKING)
        return NULL;
    if (v[OBT_BYTES] < 0)
        return "a negative length";
    bool all = kind == OBT_SEND && v[OBT_PEER] == -1;
    bool process = v[OBT_PEER] >= 0 && v[OBT_PEER] <= INT32_MAX;
    return process || all || v[OBT_PEER] == OBT_HOST ? NULL : "a partner that is no processor";
}

static const char *fault(int kind, int64_t time, int64_t process, const int64_t *v, size_t count)
{
    if (time < 0)
        return "the time is before 0";
    if ((process < 0 && process != OBT_HOST) || process > INT32_MAX)
        return "there is no such process";
    if (count < least_values(kind))
        return "values are missing";
    return obt_message_fault(kind, v);
}

void obt_add_checked(obt_trace *t, size_t line, const char *record, int64_t time, int64_t process,
                     int64_t *values, size_t count, const char *text, const char *routine)
{
    int kind = 1;
    while (kind < OBT_KINDS && (!obt_kind_name(kind)[0] || strcmp(obt_kind_name(kind), record)))
        kind++;
    if (kind == OBT_KINDS) {
        obt_problem(t, line, "there is no such record");
        return;
    }
    if (kind == OBT_TRACE_MESSAGE) {
        values[0] = (int64_t)obt_text(t, text ? text : "", text ? strlen(text) : 0);
        count = 1;
    }
    const char *why = fault(kind, time, process, values, count);
    if (why) {
        obt_problem(t, line, "%s: %s", record, why);
        return;
    }
    if (obt_is_block(kind) && routine && routine[0] &&
        strcmp(routine, obt_routine_default(values[OBT_BLOCK])))
        obt_name_routine(t, values[OBT_BLOCK], routine);
    obt_add(t, time, (int32_t)process, (obt_kind)kind, values, count);
}
