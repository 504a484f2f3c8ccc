/*
 * Writing the Open Trace Format 2. For other programs calls and waits are regions,
 * messages are MPI messages among all processes, collective calls of known groups MPI's
 * collectives, and all else are parameters named by their record. For ourselves each
 * event bears its record and values as attributes; events without them only repeat.
 */
#include "formats.h"
#include "otf2.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis.h"

/* Numbers of definitions. A string of the trace has its index + 1; region 0 is
 * waiting, others are routines + 1; communicator 0 is the world, others groups + 1. */
enum { WAITING = 0, WORLD = 0, LOCATIONS_GROUP = 0, FIRST_GROUP = 1, NO_STRING = 0 };

typedef struct writer {
    obt_trace *t;
    const char *path;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *defs;
    OTF2_EvtWriter *out; /* of the process at hand */
    OTF2_AttributeList *attributes;
    uint32_t *order;  /* process indices by number; the place is the location */
    uint32_t *place;  /* by process index */
    uint64_t *events; /* written, by place */
    uint32_t strings;
    char *collective; /* of the calls that are open: which of them is one */
    size_t depth, room;
} writer;

static void try(const writer *w, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        obt_die("OB-9603 %s: cannot be written: %s", w->path, OTF2_Error_GetDescription(code));
}

/* ------------------------------------------------------------------- events */

static void put_attributes(writer *w, const obt_event *e)
{
    obt_trace *t = w->t;
    int64_t site = obt_get(t, e, OBT_LOCATION, -1);
    try(w, OTF2_AttributeList_AddUint8(w->attributes, OBT_OTF2_RECORD, e->kind));
    for (uint32_t i = 0; i < e->count; i++)
        try(w, OTF2_AttributeList_AddInt64(w->attributes, OBT_OTF2_VALUE + i,
                                           t->values[e->first + i]));
    if (e->kind == OBT_BLOCK_BEGIN && site >= 0 && (size_t)site < t->site_count)
        try(w, OTF2_AttributeList_AddStringRef(w->attributes, OBT_OTF2_SITE,
                                               (uint32_t)(t->text_count + 1 + (size_t)site)));
    if (e->kind == OBT_PART || e->kind == OBT_ASKED) /* no region, so its name stands here */
        try(w, OTF2_AttributeList_AddStringRef(
                   w->attributes, OBT_OTF2_SITE,
                   (uint32_t)(t->text_count + 1 + t->site_count +
                              obt_map_find(&t->routine_map, obt_get(t, e, OBT_BLOCK, 0)))));
}

static OTF2_CollectiveOp operation(const char *name, bool to_all)
{
    switch (obt_waiting_in(name)) {
    case OBT_BROADCASTING: return OTF2_COLLECTIVE_OP_BCAST;
    case OBT_COMBINING: return to_all ? OTF2_COLLECTIVE_OP_ALLREDUCE : OTF2_COLLECTIVE_OP_REDUCE;
    case OBT_IN_BARRIER: return OTF2_COLLECTIVE_OP_BARRIER;
    default: break;
    }
    return strstr(name, "scatter")   ? OTF2_COLLECTIVE_OP_SCATTERV
           : strstr(name, "gather")  ? OTF2_COLLECTIVE_OP_GATHERV
           : strstr(name, "distrib") ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER
                                     : OTF2_COLLECTIVE_OP_ALLGATHERV;
}

static uint32_t position(const obt_group *g, int64_t process)
{
    for (size_t i = 0; i < g->member_count; i++)
        if (g->members[i] == process)
            return (uint32_t)i;
    return OTF2_UNDEFINED_UINT32;
}

static const obt_group *group_of(const obt_trace *t, const obt_event *e)
{
    int64_t group = obt_get(t, e, OBT_GROUP, -1);
    return group >= 0 && (size_t)group < t->group_count ? &t->groups[group] : NULL;
}

static void enter(writer *w, const obt_event *e, uint64_t time)
{
    obt_trace *t = w->t;
    int64_t block = obt_get(t, e, OBT_BLOCK, 0);
    bool collective = group_of(t, e) && obt_waiting_in(obt_routine_name(t, block)) > OBT_RECEIVING;
    w->collective = obt_grow(w->collective, w->depth, &w->room, 1);
    w->collective[w->depth++] = collective;
    try(w, OTF2_EvtWriter_Enter(w->out, w->attributes, time,
                                (uint32_t)obt_map_find(&t->routine_map, block) + 1));
    if (collective)
        try(w, OTF2_EvtWriter_MpiCollectiveBegin(w->out, NULL, time));
}

/* begin: the event that began the block, if it was a collective call. */
static void leave(writer *w, const obt_event *e, const obt_event *begin, uint64_t time)
{
    obt_trace *t = w->t;
    int64_t block = obt_get(t, e, OBT_BLOCK, 0);
    if (begin) {
        const obt_group *g = group_of(t, begin);
        int64_t root = obt_get(t, begin, OBT_PARAMETER, -1), bytes = obt_get(t, begin, OBT_SIZE, 0);
        uint32_t at = root < 0 ? OTF2_UNDEFINED_UINT32 : position(g, root);
        int32_t me = t->processes[e->process].id;
        bool gives = root < 0 || root == me ||
                     obt_waiting_in(obt_routine_name(t, block)) != OBT_BROADCASTING;
        bool takes = root < 0 || root != me ||
                     obt_waiting_in(obt_routine_name(t, block)) != OBT_BROADCASTING;
        try(w, OTF2_EvtWriter_MpiCollectiveEnd(
                   w->out, NULL, time, operation(obt_routine_name(t, block), root < 0),
                   (uint32_t)(g - t->groups) + 1, at, gives ? (uint64_t)bytes : 0,
                   takes ? (uint64_t)bytes : 0));
    }
    try(w, OTF2_EvtWriter_Leave(w->out, w->attributes, time,
                                (uint32_t)obt_map_find(&t->routine_map, block) + 1));
}

static bool put_message(writer *w, const obt_event *e, uint64_t time)
{
    int64_t peer = obt_get(w->t, e, OBT_PEER, -1);
    size_t process = obt_find_process(w->t, peer);
    uint32_t tag = (uint32_t)obt_get(w->t, e, OBT_TYPE, 0);
    uint64_t bytes = (uint64_t)obt_get(w->t, e, OBT_BYTES, 0);
    if (process == OBT_NONE)
        return false;
    try(w, (e->kind == OBT_SEND ? OTF2_EvtWriter_MpiSend : OTF2_EvtWriter_MpiRecv)(
               w->out, w->attributes, time, w->place[process], WORLD, tag, bytes));
    return true;
}

static void put_parameter(writer *w, const obt_event *e, uint64_t time)
{
    int64_t value = obt_get(w->t, e, 0, 0);
    if (e->kind == OBT_TRACE_MESSAGE)
        try(w, OTF2_EvtWriter_ParameterString(w->out, w->attributes, time, e->kind,
                                              (uint32_t)value + 1));
    else
        try(w, OTF2_EvtWriter_ParameterInt(w->out, w->attributes, time, e->kind, value));
}

static void put_event(writer *w, const obt_event *e, const obt_event *begin)
{
    uint64_t time = e->time > 0 ? (uint64_t)e->time : 0;
    put_attributes(w, e);
    switch (e->kind) {
    case OBT_BLOCK_BEGIN: enter(w, e, time); break;
    case OBT_BLOCK_END: leave(w, e, begin, time); break;
    case OBT_RECV_BLOCKING:
    case OBT_WAIT_BEGIN: try(w, OTF2_EvtWriter_Enter(w->out, w->attributes, time, WAITING)); break;
    case OBT_WAIT_END: try(w, OTF2_EvtWriter_Leave(w->out, w->attributes, time, WAITING)); break;
    case OBT_RECV_WAKING:
        if (!put_message(w, e, time))
            put_parameter(w, e, time);
        try(w, OTF2_EvtWriter_Leave(w->out, NULL, time, WAITING));
        break;
    case OBT_SEND:
    case OBT_RECV:
        if (put_message(w, e, time))
            break;
        put_parameter(w, e, time);
        break;
    default: put_parameter(w, e, time);
    }
    try(w, OTF2_AttributeList_RemoveAllAttributes(w->attributes));
}

/* The events of one process, which stand together. */
static void put_events(writer *w, const obt_event *e, size_t count)
{
    size_t *open = obt_memory(count, sizeof *open);
    w->depth = 0;
    for (size_t i = 0; i < count; i++) {
        const obt_event *begin = NULL;
        if (e[i].kind == OBT_BLOCK_BEGIN)
            open[w->depth] = i;
        else if (e[i].kind == OBT_BLOCK_END && w->depth)
            begin = w->collective[--w->depth] ? &e[open[w->depth]] : NULL;
        /* Threads may leave in another order than they entered. */
        if (begin && obt_get(w->t, begin, OBT_BLOCK, 0) != obt_get(w->t, &e[i], OBT_BLOCK, 0))
            begin = NULL;
        put_event(w, &e[i], begin);
    }
    free(open);
}

/* --------------------------------------------------------------- definitions */

static uint32_t string(writer *w, const char *text)
{
    try(w, OTF2_GlobalDefWriter_WriteString(w->defs, w->strings, text));
    return w->strings++;
}

static void define_strings(writer *w)
{
    const obt_trace *t = w->t;
    string(w, "");
    for (size_t i = 0; i < t->text_count; i++)
        string(w, t->texts[i]);
    for (size_t i = 0; i < t->site_count; i++)
        string(w, t->sites[i]);
    for (size_t i = 0; i < t->routine_count; i++)
        string(w, t->routines[i].name);
}

static void define_attributes(writer *w)
{
    uint32_t record = string(w, "record"), site = string(w, "site");
    uint32_t about = string(w, "obtrace's own description of the event");
    try(w, OTF2_GlobalDefWriter_WriteAttribute(w->defs, OBT_OTF2_RECORD, record, about,
                                               OTF2_TYPE_UINT8));
    for (uint32_t i = 0; i < OBT_VALUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "value%u", i);
        try(w, OTF2_GlobalDefWriter_WriteAttribute(w->defs, OBT_OTF2_VALUE + i, string(w, name),
                                                   about, OTF2_TYPE_INT64));
    }
    try(w,
        OTF2_GlobalDefWriter_WriteAttribute(w->defs, OBT_OTF2_SITE, site, about, OTF2_TYPE_STRING));
    /* Numbers without a gap, as other readers want them; 0 has no record. */
    for (int kind = 0; kind < OBT_KINDS; kind++)
        try(w, OTF2_GlobalDefWriter_WriteParameter(
                   w->defs, (uint32_t)kind, string(w, obt_kind_name(kind)),
                   kind == OBT_TRACE_MESSAGE ? OTF2_PARAMETER_TYPE_STRING
                                             : OTF2_PARAMETER_TYPE_INT64));
}

static void define_region(writer *w, uint32_t ref, const char *name, OTF2_RegionRole role)
{
    uint32_t text = string(w, name);
    try(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, ref, text, text, NO_STRING, role,
                                            OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, NO_STRING, 0,
                                            0));
}

static void define_regions(writer *w)
{
    static const OTF2_RegionRole roles[OBT_STATES] = {
        [OBT_RECEIVING] = OTF2_REGION_ROLE_POINT2POINT,
        [OBT_BROADCASTING] = OTF2_REGION_ROLE_COLL_ONE2ALL,
        [OBT_COMBINING] = OTF2_REGION_ROLE_COLL_ALL2ALL,
        [OBT_COLLECTING] = OTF2_REGION_ROLE_COLL_OTHER,
        [OBT_IN_BARRIER] = OTF2_REGION_ROLE_BARRIER};
    define_region(w, WAITING, "waiting", OTF2_REGION_ROLE_TASK_WAIT);
    for (size_t i = 0; i < w->t->routine_count; i++)
        define_region(w, (uint32_t)i + 1, w->t->routines[i].name,
                      roles[obt_waiting_in(w->t->routines[i].name)]);
}

static void property(writer *w, uint64_t location, uint32_t name, int64_t value)
{
    OTF2_AttributeValue v = {.int64 = value};
    try(w, OTF2_GlobalDefWriter_WriteLocationProperty(w->defs, location, name, OTF2_TYPE_INT64, v));
}

/* Where a process may run; nothing, where the trace does not say. */
static void define_places(writer *w, uint64_t location, const obt_process *p)
{
    enum { WORDS = sizeof p->allowed / sizeof *p->allowed };
    char text[16 * WORDS + 1];
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) {
        snprintf(text + 16 * i, 17, "%016" PRIx64, p->allowed[i]);
        any |= p->allowed[i];
    }
    if (any == 0)
        return;
    OTF2_AttributeValue v = {.stringRef = string(w, text)};
    property(w, location, string(w, OBT_OTF2_MACHINE), p->machine);
    property(w, location, string(w, OBT_OTF2_QUOTA), p->quota);
    try(w, OTF2_GlobalDefWriter_WriteLocationProperty(
               w->defs, location, string(w, OBT_OTF2_ALLOWED), OTF2_TYPE_STRING, v));
}

/* Every process gets a system tree node of its own; nodes of one name are one machine. */
static void define_processes(writer *w)
{
    obt_trace *t = w->t;
    uint32_t machine = string(w, t->program ? t->program : "program"), node = string(w, "node");
    uint32_t began = string(w, OBT_OTF2_BEGAN), ended = string(w, OBT_OTF2_ENDED);
    uint32_t lost = string(w, OBT_OTF2_LOST), thread = string(w, "thread"),
             processor = string(w, OBT_OTF2_PROCESSOR);
    try(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, machine, string(w, "machine"),
                                                    OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    uint32_t nodes = 1;
    for (uint32_t i = 0; i < t->process_count; i++) {
        const obt_process *p = &t->processes[w->order[i]];
        char name[32];
        if (p->id == OBT_HOST)
            snprintf(name, sizeof name, "host");
        else
            snprintf(name, sizeof name, "process %d", (int)p->id);
        const char *before = i ? t->processes[w->order[i - 1]].host : NULL,
                   *host = p->host ? p->host : "";
        if (i == 0 || strcmp(before ? before : "", host))
            try(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, nodes++, string(w, host), node,
                                                            0));
        try(w, OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, i, string(w, name),
                                                       OTF2_LOCATION_GROUP_TYPE_PROCESS, nodes - 1,
                                                       OTF2_UNDEFINED_LOCATION_GROUP));
        try(w, OTF2_GlobalDefWriter_WriteLocation(w->defs, i, thread, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  w->events[i], i));
        property(w, i, began, p->began);
        property(w, i, ended, p->ended);
        property(w, i, string(w, OBT_OTF2_BORN), (int64_t)p->born);
        property(w, i, lost, p->lost);
        property(w, i, processor, p->processor);
        define_places(w, i, p);
    }
}

static void define_group(writer *w, uint32_t i, const obt_group *g)
{
    uint64_t *members = obt_memory(g->member_count, sizeof *members);
    char name[48];
    snprintf(name, sizeof name, "group %u", i);
    for (size_t k = 0; k < g->member_count; k++)
        members[k] = w->place[obt_find_process(w->t, g->members[k])];
    uint32_t text = string(w, g->label ? g->label : name);
    try(w, OTF2_GlobalDefWriter_WriteGroup(
               w->defs, FIRST_GROUP + 1 + i, text, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
               OTF2_GROUP_FLAG_NONE, (uint32_t)g->member_count, members));
    try(w, OTF2_GlobalDefWriter_WriteComm(w->defs, i + 1, text, FIRST_GROUP + 1 + i, WORLD,
                                          OTF2_COMM_FLAG_NONE));
    free(members);
}

static void define_groups(writer *w)
{
    const obt_trace *t = w->t;
    uint64_t *all = obt_memory(t->process_count, sizeof *all);
    for (size_t i = 0; i < t->process_count; i++)
        all[i] = i;
    uint32_t text = string(w, "all processes"), count = (uint32_t)t->process_count;
    try(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, LOCATIONS_GROUP, text,
                                           OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                           OTF2_GROUP_FLAG_NONE, count, all));
    try(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, FIRST_GROUP, text, OTF2_GROUP_TYPE_COMM_GROUP,
                                           OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, all));
    try(w, OTF2_GlobalDefWriter_WriteComm(w->defs, WORLD, text, FIRST_GROUP, OTF2_UNDEFINED_COMM,
                                          OTF2_COMM_FLAG_NONE));
    for (size_t i = 0; i < t->group_count; i++)
        define_group(w, (uint32_t)i, &t->groups[i]);
    free(all);
}

static void define(writer *w)
{
    const obt_trace *t = w->t;
    int64_t last = 0;
    for (size_t i = 0; i < t->event_count; i++)
        last = t->events[i].time > last ? t->events[i].time : last;
    w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (!w->defs)
        obt_die("OB-9603 %s: cannot be written", w->path);
    try(w, OTF2_GlobalDefWriter_WriteClockProperties(w->defs, 1000000000, 0, (uint64_t)last + 1,
                                                     OTF2_UNDEFINED_TIMESTAMP));
    define_strings(w);
    define_attributes(w);
    define_regions(w);
    define_processes(w);
    define_groups(w);
    try(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs));
}

/* ------------------------------------------------------------------- the files */

/* What events and groups name gets its number now, before any is written. */
static void prepare(writer *w)
{
    obt_trace *t = w->t;
    obt_sort(t);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        int64_t peer = obt_get(t, e, OBT_PEER, -1);
        if (obt_is_block(e->kind))
            obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0));
        if ((e->kind == OBT_SEND || e->kind == OBT_RECV || e->kind == OBT_RECV_WAKING) &&
            peer != -1)
            obt_process_index(t, (int32_t)peer);
    }
    for (size_t i = 0; i < t->group_count; i++)
        for (size_t k = 0; k < t->groups[i].member_count; k++)
            obt_process_index(t, t->groups[i].members[k]);
    w->order = obt_processes_in_order(t);
    w->place = obt_memory(t->process_count, sizeof *w->place);
    w->events = obt_memory(t->process_count, sizeof *w->events);
    for (uint32_t i = 0; i < t->process_count; i++)
        w->place[w->order[i]] = i;
}

static void put_process(writer *w, uint32_t place, const obt_event *e, size_t count)
{
    w->out = OTF2_Archive_GetEvtWriter(w->archive, place);
    if (!w->out)
        obt_die("OB-9603 %s: the file of process %d cannot be written", w->path,
                (int)w->t->processes[w->order[place]].id);
    put_events(w, e, count);
    try(w, OTF2_EvtWriter_GetNumberOfEvents(w->out, &w->events[place]));
    try(w, OTF2_Archive_CloseEvtWriter(w->archive, w->out));
}

/* By place; obt_sort has put events in that order. */
static void put_processes(writer *w)
{
    const obt_trace *t = w->t;
    size_t at = 0;
    try(w, OTF2_Archive_OpenEvtFiles(w->archive));
    for (uint32_t i = 0; i < t->process_count; i++) {
        size_t n = 0;
        while (at + n < t->event_count && t->events[at + n].process == w->order[i])
            n++;
        put_process(w, i, &t->events[at], n);
        at += n;
    }
    try(w, OTF2_Archive_CloseEvtFiles(w->archive));
    try(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (uint32_t i = 0; i < t->process_count; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(w->archive, i);
        try(w, d ? OTF2_Archive_CloseDefWriter(w->archive, d) : OTF2_ERROR_INVALID_ARGUMENT);
    }
    try(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static OTF2_FlushType before_flush(void *u, OTF2_FileType f, OTF2_LocationRef l, void *c,
                                   bool final)
{
    (void)u, (void)f, (void)l, (void)c, (void) final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)list;
    return code; /* try says it */
}

/* Several files: those of another archive are not written over. */
static void open_archive(writer *w)
{
    static const OTF2_FlushCallbacks flush = {before_flush, NULL};
    const char *slash = strrchr(w->path, '/');
    const char *name = slash ? slash + 1 : w->path;
    size_t length = strlen(name);
    length -= length > 5 && strcmp(name + length - 5, ".otf2") == 0 ? 5 : 0;
    char *folder = obt_memory(strlen(w->path) + 2, 1), *stem = obt_memory(length + 1, 1);
    memcpy(folder, slash ? w->path : ".",
           slash ? (size_t)(slash - w->path) + (slash == w->path) : 1);
    memcpy(stem, name, length);
    char *inner = obt_memory(strlen(folder) + length + 2, 1);
    sprintf(inner, "%s/%s", folder, stem);
    if (access(w->path, F_OK) == 0 || access(inner, F_OK) == 0)
        obt_die("OB-9603 %s: there is an archive of this name; remove it first", w->path);
    if (access(folder, W_OK) != 0)
        obt_die("OB-9603 %s: cannot be written: %s", w->path, strerror(errno));
    OTF2_Error_RegisterCallback(on_error, NULL);
    w->archive = OTF2_Archive_Open(
        folder, stem, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w->archive)
        obt_die("OB-9603 %s: cannot be written", w->path);
    try(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
    try(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    try(w, OTF2_Archive_SetCreator(w->archive, OBT_OTF2_CREATOR " " OBT_VERSION));
    free(inner);
    free(folder);
    free(stem);
}

size_t obt_otf2_write(obt_trace *t, const char *path)
{
    writer w = {.t = t, .path = path};
    prepare(&w);
    w.attributes = OTF2_AttributeList_New();
    open_archive(&w);
    put_processes(&w);
    define(&w);
    try(&w, OTF2_Archive_Close(w.archive));
    OTF2_AttributeList_Delete(w.attributes);
    free(w.order);
    free(w.place);
    free(w.events);
    free(w.collective);
    return 0;
}
