/*
 * The table of PICL's records. The keywords are those of section 6 with
 * underscores; readers take a hyphen as well.
 */
#include "picl.h"

static const obt_record records[] = {
    {OBT_TRACE_START, "event %d compstats %d commstats %d"},
    {OBT_OPEN, "? allocating %d processors"},
    {OBT_LOAD, "loading node %d"},
    {OBT_SEND, "to %d type %d lth %d"},
    {OBT_PROBE, "type %d"},
    {OBT_RECV, "from %d type %d lth %d"},
    {OBT_RECV_BLOCKING, "type %d"},
    {OBT_RECV_WAKING, "from %d type %d lth %d"},
    {OBT_MESSAGE, ""},
    {OBT_SYNC, ""},
    {OBT_COMPSTATS, "busy %t idle %t"},
    {OBT_COMMSTATS, "received %d volume %d sent %d volume %d probed %d"},
    {OBT_CLOSE, ""},
    {OBT_TRACE_LEVEL, "event %d compstats %d commstats %d"},
    {OBT_TRACE_MARK, "type %d"},
    {OBT_TRACE_MESSAGE, "%s"},
    {OBT_TRACE_STOP, ": ran out of memory"},
    {OBT_TRACE_FLUSH, "finished %t"},
    {OBT_TRACE_EXIT, "space %d"},
    {OBT_BLOCK_BEGIN, "block_type %d location_type %d parameter_type %d"},
    {OBT_BLOCK_END, "block_type %d location_type %d parameter_type %d"},
};

const obt_record *obt_picl_record(int kind)
{
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (records[i].kind == (obt_kind)kind)
            return &records[i];
    return NULL;
}
