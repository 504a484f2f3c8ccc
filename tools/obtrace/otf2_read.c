/*
 * Reading the Open Trace Format 2, the part with its library. Of archives of ours the
 * events' attributes say all. Of others those regions are taken that communicate, and
 * messages. All of it runs in a process of its own (otf2.c).
 */
#include "otf2.h"

#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_BLOCK = 100000 };

typedef struct communicator {
    uint64_t *members; /* as the archive has them */
    size_t count;
    OTF2_GroupType type;
    bool global;
} communicator;

typedef struct region {
    uint32_t name;
    bool communicates;
} region;

typedef struct process { /* a location group, or a location with its process */
    uint32_t name, node;
    int64_t process;
} process;

typedef struct reader {
    FILE *out;
    size_t words; /* sent */
    OTF2_Reader *library;
    bool own;
    uint64_t ticks, zero; /* of a second */
    obt_map strings, regions, comms, groups, processes, locations, nodes, sites;
    char **text;
    size_t text_count, text_room;
    region *region;
    size_t region_count, region_room;
    communicator *group;
    size_t group_count, group_room;
    uint64_t *comm_group;
    size_t comm_count, comm_room;
    process *process;
    size_t process_count, process_room;
    uint32_t *node_name;
    size_t node_count, node_room;
    struct location {
        uint64_t ref;
        int64_t process; /* index of it */
        int64_t began, ended, born, lost, processor, machine, quota;
        const char *allowed; /* or NULL */
        bool thread;
    } * location;
    size_t location_count, location_room;
    size_t world;  /* the group that lists the locations, or OBT_NONE */
    size_t others; /* locations that are no threads */
    size_t site_count;
} reader;

/* A hostile archive may make the library run on for ever: it gets so many seconds of a
 * processor from one word it sends us to the next. */
static void limit(void)
{
    enum { SECONDS = 5 };
    struct timespec used;
    const struct rlimit none = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const struct rlimit most = {(rlim_t)used.tv_sec + SECONDS, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &most);
    setrlimit(RLIMIT_CORE, &none);
}

static void send(reader *r, item it, const char *text)
{
    if (r->words++ % 1024 == 0)
        limit();
    it.bytes = text ? (uint32_t)strnlen(text, OBT_OTF2_TEXT) : 0;
    if (fwrite(&it, sizeof it, 1, r->out) != 1 ||
        (text && fwrite(text, 1, it.bytes, r->out) != it.bytes))
        _exit(1);
}

static const char *text_of(const reader *r, uint32_t ref)
{
    size_t i = obt_map_find(&r->strings, ref);
    return i == OBT_NONE ? "" : r->text[i];
}

static OTF2_CallbackCode on_clock(void *u, uint64_t ticks, uint64_t zero, uint64_t length,
                                  uint64_t now)
{
    reader *r = u;
    (void)length, (void)now;
    r->ticks = ticks ? ticks : 1;
    r->zero = zero;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *u, OTF2_StringRef ref, const char *text)
{
    reader *r = u;
    obt_map_take(&r->strings, (int64_t)ref, r->text_count);
    r->text = obt_grow(r->text, r->text_count, &r->text_room, sizeof *r->text);
    if (!(r->text[r->text_count++] = strdup(text ? text : "")))
        _exit(1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *u, OTF2_SystemTreeNodeRef ref, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    reader *r = u;
    (void)class, (void)parent;
    obt_map_take(&r->nodes, (int64_t)ref, r->node_count);
    r->node_name = obt_grow(r->node_name, r->node_count, &r->node_room, sizeof *r->node_name);
    r->node_name[r->node_count++] = name;
    return OTF2_CALLBACK_SUCCESS;
}

/* The number that a name ends with, as "MPI Rank 3"; otherwise -1. */
static int64_t last_number(const char *name)
{
    size_t n = strlen(name), first = n;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
        first--;
    return n > first && n - first < 10 ? strtoll(name + first, NULL, 10) : -1;
}

static OTF2_CallbackCode on_process(void *u, OTF2_LocationGroupRef ref, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef creator)
{
    reader *r = u;
    (void)type, (void)creator;
    int64_t number = last_number(text_of(r, name));
    if (r->own && strcmp(text_of(r, name), "host") == 0)
        number = OBT_HOST;
    else if (number < 0)
        number = (int64_t)r->process_count;
    obt_map_take(&r->processes, (int64_t)ref, r->process_count);
    r->process = obt_grow(r->process, r->process_count, &r->process_room, sizeof *r->process);
    r->process[r->process_count++] = (process){name, node, number};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *u, OTF2_LocationRef ref, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef process)
{
    reader *r = u;
    (void)name, (void)events;
    size_t p = obt_map_find(&r->processes, (int64_t)process);
    bool thread = type == OTF2_LOCATION_TYPE_CPU_THREAD && p != OBT_NONE;
    obt_map_take(&r->locations, (int64_t)ref, r->location_count);
    r->location = obt_grow(r->location, r->location_count, &r->location_room, sizeof *r->location);
    r->location[r->location_count++] =
        (struct location){.ref = ref, .process = thread ? (int64_t)p : -1, .thread = thread};
    r->others += !thread;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_property(void *u, OTF2_LocationRef ref, OTF2_StringRef name,
                                     OTF2_Type type, OTF2_AttributeValue value)
{
    reader *r = u;
    size_t i = obt_map_find(&r->locations, (int64_t)ref);
    const char *text = text_of(r, name);
    if (r->own && i != OBT_NONE && type == OTF2_TYPE_STRING && strcmp(text, OBT_OTF2_ALLOWED) == 0)
        r->location[i].allowed = text_of(r, value.stringRef);
    if (!r->own || i == OBT_NONE || type != OTF2_TYPE_INT64)
        return OTF2_CALLBACK_SUCCESS;
    if (strcmp(text, OBT_OTF2_BEGAN) == 0)
        r->location[i].began = value.int64;
    else if (strcmp(text, OBT_OTF2_ENDED) == 0)
        r->location[i].ended = value.int64;
    else if (strcmp(text, OBT_OTF2_BORN) == 0)
        r->location[i].born = value.int64;
    else if (strcmp(text, OBT_OTF2_LOST) == 0)
        r->location[i].lost = value.int64;
    else if (strcmp(text, OBT_OTF2_PROCESSOR) == 0)
        r->location[i].processor = value.int64;
    else if (strcmp(text, OBT_OTF2_MACHINE) == 0)
        r->location[i].machine = value.int64;
    else if (strcmp(text, OBT_OTF2_QUOTA) == 0)
        r->location[i].quota = value.int64;
    return OTF2_CALLBACK_SUCCESS;
}

static bool communicates(OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    return paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_SHMEM ||
           paradigm == OTF2_PARADIGM_GASPI || paradigm == OTF2_PARADIGM_UPC ||
           role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_POINT2POINT ||
           role == OTF2_REGION_ROLE_RMA ||
           (role >= OTF2_REGION_ROLE_COLL_ONE2ALL && role <= OTF2_REGION_ROLE_COLL_OTHER);
}

static OTF2_CallbackCode on_region(void *u, OTF2_RegionRef ref, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef about,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    reader *r = u;
    (void)canonical, (void)about, (void)flags, (void)file, (void)begin, (void)end;
    obt_map_take(&r->regions, (int64_t)ref, r->region_count);
    r->region = obt_grow(r->region, r->region_count, &r->region_room, sizeof *r->region);
    r->region[r->region_count++] = (region){name, communicates(role, paradigm)};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *u, OTF2_GroupRef ref, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t count, const uint64_t *members)
{
    reader *r = u;
    communicator g = {.members = obt_memory(count, sizeof *g.members),
                      .count = count,
                      .type = type,
                      .global = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS};
    (void)name;
    for (uint32_t i = 0; i < count; i++)
        g.members[i] = members[i];
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI)
        r->world = r->group_count;
    obt_map_take(&r->groups, (int64_t)ref, r->group_count);
    r->group = obt_grow(r->group, r->group_count, &r->group_room, sizeof *r->group);
    r->group[r->group_count++] = g;
    return OTF2_CALLBACK_SUCCESS;
}

/* Number of the process that is member `rank` of the group, or -1. */
static int64_t member(const reader *r, const communicator *g, uint64_t rank)
{
    const communicator *world = r->world == OBT_NONE ? NULL : &r->group[r->world];
    if (rank >= g->count)
        return -1;
    uint64_t at = g->members[rank];
    if (g->type == OTF2_GROUP_TYPE_COMM_GROUP && !g->global) {
        if (!world || at >= world->count)
            return -1;
        at = world->members[at];
    }
    size_t i = obt_map_find(&r->locations, (int64_t)at);
    return i == OBT_NONE || r->location[i].process < 0 ? -1
                                                       : r->process[r->location[i].process].process;
}

static const communicator *group_of(const reader *r, uint32_t comm)
{
    size_t c = obt_map_find(&r->comms, comm);
    size_t g = c == OBT_NONE ? OBT_NONE : obt_map_find(&r->groups, (int64_t)r->comm_group[c]);
    return g == OBT_NONE ? NULL : &r->group[g];
}

static OTF2_CallbackCode on_comm(void *u, OTF2_CommRef ref, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    reader *r = u;
    (void)parent, (void)flags;
    obt_map_take(&r->comms, (int64_t)ref, r->comm_count);
    r->comm_group = obt_grow(r->comm_group, r->comm_count, &r->comm_room, sizeof *r->comm_group);
    r->comm_group[r->comm_count++] = group;
    const communicator *g = group_of(r, ref);
    if (!r->own || ref == 0 || !g)
        return OTF2_CALLBACK_SUCCESS;
    send(r, (item){.what = GROUP}, text_of(r, name));
    for (size_t i = 0; i < g->count; i++) {
        int64_t id = member(r, g, i);
        send(r, (item){.what = MEMBER, .process = (int32_t)id}, NULL);
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* ----------------------------------------------------------------- its events */

static int64_t nanoseconds(const reader *r, uint64_t time)
{
    uint64_t t = time > r->zero ? time - r->zero : 0;
    if (r->ticks == 1000000000)
        return t > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)t;
    double ns = (double)t / (double)r->ticks * 1e9;
    return ns > (double)(INT64_MAX / 4) ? INT64_MAX / 4 : (int64_t)ns;
}

static int32_t process_at(const reader *r, OTF2_LocationRef ref)
{
    size_t i = obt_map_find(&r->locations, (int64_t)ref);
    return i == OBT_NONE ? -1 : (int32_t)r->process[r->location[i].process].process;
}

/* An event of ours, by its attributes; false: it has none. text: what it names. */
static bool whole(reader *r, OTF2_LocationRef at, OTF2_TimeStamp time,
                  const OTF2_AttributeList *list, const char *text)
{
    item it = {.what = EVENT, .process = process_at(r, at), .time = nanoseconds(r, time)};
    uint8_t kind;
    OTF2_StringRef site;
    /* To ask for what is not there is an error, of which the library would tell. */
    if (!OTF2_AttributeList_TestAttributeByID(list, OBT_OTF2_RECORD) ||
        OTF2_AttributeList_GetUint8(list, OBT_OTF2_RECORD, &kind) != OTF2_SUCCESS)
        return false;
    it.kind = kind;
    while (it.count < OBT_VALUES &&
           OTF2_AttributeList_TestAttributeByID(list, OBT_OTF2_VALUE + it.count) &&
           OTF2_AttributeList_GetInt64(list, OBT_OTF2_VALUE + it.count, &it.values[it.count]) ==
               OTF2_SUCCESS)
        it.count++;
    if (kind == OBT_BLOCK_BEGIN && OTF2_AttributeList_TestAttributeByID(list, OBT_OTF2_SITE) &&
        OTF2_AttributeList_GetStringRef(list, OBT_OTF2_SITE, &site) == OTF2_SUCCESS) {
        size_t known = obt_map_take(&r->sites, site, r->site_count);
        if (known == r->site_count) {
            r->site_count++;
            send(r, (item){.what = SITE}, text_of(r, site));
        }
        it.values[OBT_LOCATION] = (int64_t)known;
    }
    if ((kind == OBT_PART || kind == OBT_ASKED) &&
        OTF2_AttributeList_TestAttributeByID(list, OBT_OTF2_SITE) &&
        OTF2_AttributeList_GetStringRef(list, OBT_OTF2_SITE, &site) == OTF2_SUCCESS)
        text = text_of(r, site);
    if (kind == OBT_ASKED) /* the name stands where a site would */
        it.values[OBT_LOCATION] = -1;
    send(r, it, text);
    return true;
}

static OTF2_CallbackCode on_edge(reader *r, OTF2_LocationRef at, OTF2_TimeStamp time,
                                 const OTF2_AttributeList *list, OTF2_RegionRef ref, uint32_t kind)
{
    size_t i = obt_map_find(&r->regions, ref);
    if (i == OBT_NONE || (r->own && whole(r, at, time, list, text_of(r, r->region[i].name))))
        return OTF2_CALLBACK_SUCCESS;
    if (!r->own && r->region[i].communicates)
        send(r,
             (item){.what = EVENT,
                    .process = process_at(r, at),
                    .kind = kind,
                    .count = 3,
                    .time = nanoseconds(r, time),
                    .values = {FIRST_BLOCK + (int64_t)i, -1, -1}},
             text_of(r, r->region[i].name));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                  void *u, OTF2_AttributeList *list, OTF2_RegionRef ref)
{
    (void)position;
    return on_edge(u, at, time, list, ref, OBT_BLOCK_BEGIN);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                  void *u, OTF2_AttributeList *list, OTF2_RegionRef ref)
{
    (void)position;
    return on_edge(u, at, time, list, ref, OBT_BLOCK_END);
}

static OTF2_CallbackCode on_message(reader *r, OTF2_LocationRef at, OTF2_TimeStamp time,
                                    const OTF2_AttributeList *list, uint32_t kind, uint32_t rank,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    if (r->own) {
        whole(r, at, time, list, NULL);
        return OTF2_CALLBACK_SUCCESS;
    }
    const communicator *g = group_of(r, comm);
    int64_t peer = g ? member(r, g, rank) : -1;
    int64_t length = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    if (peer < 0)
        send(r, (item){.what = PROBLEM}, "a message's partner is no process");
    else
        send(r,
             (item){.what = EVENT,
                    .process = process_at(r, at),
                    .kind = kind,
                    .count = 5,
                    .time = nanoseconds(r, time),
                    .values = {peer, tag, length, -1, (int64_t)comm + 1}},
             NULL);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                 void *u, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t bytes)
{
    (void)position;
    return on_message(u, at, time, list, OBT_SEND, to, comm, tag, bytes);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                 void *u, OTF2_AttributeList *list, uint32_t from,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)position;
    return on_message(u, at, time, list, OBT_RECV, from, comm, tag, bytes);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                  void *u, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_send(at, time, position, u, list, to, comm, tag, bytes);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                  void *u, OTF2_AttributeList *list, uint32_t from,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_recv(at, time, position, u, list, from, comm, tag, bytes);
}

static OTF2_CallbackCode on_integer(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                    void *u, OTF2_AttributeList *list, OTF2_ParameterRef ref,
                                    int64_t value)
{
    (void)position, (void)ref, (void)value;
    whole(u, at, time, list, NULL);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_text(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position,
                                 void *u, OTF2_AttributeList *list, OTF2_ParameterRef ref,
                                 OTF2_StringRef text)
{
    reader *r = u;
    (void)position, (void)ref;
    whole(r, at, time, list, text_of(r, text));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode on_error(void *u, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)file, (void)line, (void)function, (void)format, (void)list;
    char text[OBT_OTF2_TEXT];
    snprintf(text, sizeof text, "libotf2: %s", OTF2_Error_GetDescription(code));
    send(u, (item){.what = PROBLEM}, text);
    return code;
}

/* ------------------------------------------------------------- its definitions */

static void read_definitions(reader *r)
{
    OTF2_GlobalDefReader *d = OTF2_Reader_GetGlobalDefReader(r->library);
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count;
    if (!d)
        return;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_property);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    OTF2_Reader_RegisterGlobalDefCallbacks(r->library, d, c, r);
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    OTF2_Reader_ReadAllGlobalDefinitions(r->library, d, &count);
}

/* Of each location what it alone defines: how its numbers translate to the common ones. */
static void read_local_definitions(reader *r)
{
    uint64_t count;
    bool there = OTF2_Reader_OpenDefFiles(r->library) == OTF2_SUCCESS;
    for (size_t i = 0; i < r->location_count; i++) {
        OTF2_DefReader *d = there && r->location[i].thread
                                ? OTF2_Reader_GetDefReader(r->library, r->location[i].ref)
                                : NULL;
        if (d) {
            OTF2_Reader_ReadAllLocalDefinitions(r->library, d, &count);
            OTF2_Reader_CloseDefReader(r->library, d);
        }
    }
    if (there)
        OTF2_Reader_CloseDefFiles(r->library);
}

static void read_location(reader *r, const struct location *l, const OTF2_EvtReaderCallbacks *c)
{
    const process *p = &r->process[l->process];
    size_t node = obt_map_find(&r->nodes, p->node);
    uint64_t count;
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r->library, l->ref);
    send(r,
         (item){.what = PROCESS,
                .process = (int32_t)p->process,
                .time = l->began,
                .values = {l->ended, l->lost, l->processor, l->born}},
         node == OBT_NONE ? "" : text_of(r, r->node_name[node]));
    if (l->allowed)
        send(r,
             (item){
                 .what = PLACES, .process = (int32_t)p->process, .values = {l->machine, l->quota}},
             l->allowed);
    if (!e)
        return;
    OTF2_Reader_RegisterEvtCallbacks(r->library, e, c, r);
    OTF2_Reader_ReadAllLocalEvents(r->library, e, &count);
    OTF2_Reader_CloseEvtReader(r->library, e);
}

static void read_events(reader *r)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
    if (r->own) {
        OTF2_EvtReaderCallbacks_SetParameterIntCallback(c, on_integer);
        OTF2_EvtReaderCallbacks_SetParameterStringCallback(c, on_text);
    }
    for (size_t i = 0; i < r->location_count; i++)
        if (r->location[i].thread)
            OTF2_Reader_SelectLocation(r->library, r->location[i].ref);
    read_local_definitions(r);
    if (OTF2_Reader_OpenEvtFiles(r->library) != OTF2_SUCCESS)
        return;
    for (size_t i = 0; i < r->location_count; i++)
        if (r->location[i].thread)
            read_location(r, &r->location[i], c);
    OTF2_EvtReaderCallbacks_Delete(c);
}

static void read_archive(reader *r, const char *path)
{
    char *creator = NULL, left_out[80];
    OTF2_Error_RegisterCallback(on_error, r);
    r->library = OTF2_Reader_Open(path);
    if (!r->library)
        return;
    OTF2_Reader_SetSerialCollectiveCallbacks(r->library);
    r->own = OTF2_Reader_GetCreator(r->library, &creator) == OTF2_SUCCESS && creator &&
             strncmp(creator, OBT_OTF2_CREATOR, strlen(OBT_OTF2_CREATOR)) == 0;
    read_definitions(r);
    if (r->own && r->node_count)
        send(r, (item){.what = PROGRAM}, text_of(r, r->node_name[0]));
    read_events(r);
    snprintf(left_out, sizeof left_out, "%zu locations are no processor's threads: left out",
             r->others);
    if (r->others)
        send(r, (item){.what = PROBLEM}, left_out);
}

bool obt_otf2_send(FILE *out, const char *path)
{
    reader r = {.out = out, .ticks = 1, .world = OBT_NONE};
    limit();
    read_archive(&r, path);
    return fflush(out) == 0;
}
