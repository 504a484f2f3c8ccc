/*
 * Events from text formats of which nothing is known yet.
 */
#include <string.h>

#include "text.h"

/* How many values a kind has at least. */
static size_t least_values(int kind)
{
    static const unsigned char least[OBT_KINDS] = {
        [OBT_TRACE_START] = 3, [OBT_LOAD] = 1,        [OBT_SEND] = 3,
        [OBT_PROBE] = 1,       [OBT_RECV] = 3,        [OBT_RECV_BLOCKING] = 1,
        [OBT_RECV_WAKING] = 3, [OBT_COMPSTATS] = 2,   [OBT_COMMSTATS] = 5,
        [OBT_TRACE_LEVEL] = 3, [OBT_TRACE_MARK] = 1,  [OBT_TRACE_FLUSH] = 1,
        [OBT_TRACE_EXIT] = 1,  [OBT_BLOCK_BEGIN] = 3, [OBT_BLOCK_END] = 3,
        [OBT_WAIT_BEGIN] = 1,  [OBT_WAIT_END] = 1};
    return least[kind];
}

static bool is_message(int kind)
{
    return kind == OBT_SEND || kind == OBT_RECV || kind == OBT_RECV_WAKING;
}

static const char *fault(int kind, int64_t time, int64_t process, const int64_t *v, size_t count)
{
    if (time < 0)
        return "the time is before 0";
    if ((process < 0 && process != OBT_HOST) || process > INT32_MAX)
        return "there is no such process";
    if (count < least_values(kind))
        return "values are missing";
    if (!is_message(kind))
        return NULL;
    if (v[OBT_PEER] > INT32_MAX ||
        (v[OBT_PEER] < 0 && v[OBT_PEER] != OBT_HOST && !(kind == OBT_SEND && v[OBT_PEER] == -1)))
        return "the partner is no process";
    return v[OBT_BYTES] < 0 ? "a negative length" : NULL;
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
