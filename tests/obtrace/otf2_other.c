/*
 * Writes an OTF2 archive as another program would: a clock of two ticks a nanosecond,
 * locations with large numbers, local numbers that translate to the common ones, regions
 * that do not communicate, a location that is no thread, and two MPI messages.
 *
 *   otf2_other FOLDER NAME
 */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAIN, SENDING, RECEIVING, REGIONS };
static const uint64_t zero = 5000, second = (uint64_t)1 << 32;

static void must(int code, const char *what)
{
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription((OTF2_ErrorCode)code));
        exit(1);
    }
}
#define MUST(call) must(call, #call)

static OTF2_FlushType flush(void *u, OTF2_FileType f, OTF2_LocationRef l, void *c, bool final)
{
    (void)u, (void)f, (void)l, (void)c, (void) final;
    return OTF2_FLUSH;
}

static uint64_t at(uint64_t ns)
{
    return zero + 2 * ns;
}

/* Rank 0's region numbers are local ones, in the other order. */
static void events(OTF2_Archive *a)
{
    MUST(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    MUST(OTF2_EvtWriter_Enter(w, NULL, at(0), REGIONS - 1 - MAIN));
    MUST(OTF2_EvtWriter_Enter(w, NULL, at(1000), REGIONS - 1 - SENDING));
    MUST(OTF2_EvtWriter_MpiSend(w, NULL, at(1100), 1, 0, 5, 200));
    MUST(OTF2_EvtWriter_MpiIsend(w, NULL, at(1200), 0, 1, 5, 40, 7));
    MUST(OTF2_EvtWriter_Leave(w, NULL, at(1500), REGIONS - 1 - SENDING));
    MUST(OTF2_EvtWriter_Leave(w, NULL, at(9000), REGIONS - 1 - MAIN));
    MUST(OTF2_Archive_CloseEvtWriter(a, w));
    w = OTF2_Archive_GetEvtWriter(a, second);
    MUST(OTF2_EvtWriter_Enter(w, NULL, at(500), RECEIVING));
    MUST(OTF2_EvtWriter_MpiRecv(w, NULL, at(2500), 0, 0, 5, 200));
    MUST(OTF2_EvtWriter_MpiIrecv(w, NULL, at(2600), 1, 1, 5, 40, 8));
    MUST(OTF2_EvtWriter_Leave(w, NULL, at(3000), RECEIVING));
    MUST(OTF2_Archive_CloseEvtWriter(a, w));
    w = OTF2_Archive_GetEvtWriter(a, second + 1);
    MUST(OTF2_EvtWriter_Enter(w, NULL, at(1), MAIN));
    MUST(OTF2_EvtWriter_Leave(w, NULL, at(2), MAIN));
    MUST(OTF2_Archive_CloseEvtWriter(a, w));
    MUST(OTF2_Archive_CloseEvtFiles(a));
}

static void local_definitions(OTF2_Archive *a)
{
    static const uint64_t places[] = {0, 1ull << 32, (1ull << 32) + 1};
    uint64_t regions[] = {RECEIVING, SENDING, MAIN};
    MUST(OTF2_Archive_OpenDefFiles(a));
    for (int i = 0; i < 3; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, places[i]);
        if (i == 0) {
            OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(REGIONS, regions, false);
            MUST(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, map));
            OTF2_IdMap_Free(map);
        }
        MUST(OTF2_Archive_CloseDefWriter(a, d));
    }
    MUST(OTF2_Archive_CloseDefFiles(a));
}

static void definitions(OTF2_GlobalDefWriter *d)
{
    static const char *const texts[] = {"",           "main", "MPI_Send", "MPI_Recv", "MPI Rank 0",
                                        "MPI Rank 1", "node", "machine",  "thread",   "turned"};
    const uint64_t all[] = {0, second}, in_order[] = {0, 1}, turned[] = {1, 0};
    MUST(OTF2_GlobalDefWriter_WriteClockProperties(d, 2000000000, zero, 20000,
                                                   OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        MUST(OTF2_GlobalDefWriter_WriteString(d, i, texts[i]));
    MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 6, 7, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < REGIONS; i++)
        MUST(OTF2_GlobalDefWriter_WriteRegion(
            d, i, 1 + i, 1 + i, 0, i ? OTF2_REGION_ROLE_POINT2POINT : OTF2_REGION_ROLE_FUNCTION,
            i ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, 0, 0, 0));
    for (uint32_t i = 0; i < 2; i++) {
        MUST(OTF2_GlobalDefWriter_WriteLocationGroup(d, i, 4 + i, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                     0, OTF2_UNDEFINED_LOCATION_GROUP));
        MUST(OTF2_GlobalDefWriter_WriteLocation(d, i * second, 8, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                i ? 4 : 6, i));
    }
    MUST(OTF2_GlobalDefWriter_WriteLocation(d, second + 1, 8, OTF2_LOCATION_TYPE_METRIC, 2, 1));
    MUST(OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 2, all));
    MUST(OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 2, in_order));
    MUST(OTF2_GlobalDefWriter_WriteGroup(d, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 2, turned));
    MUST(OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    MUST(OTF2_GlobalDefWriter_WriteComm(d, 1, 9, 2, 0, OTF2_COMM_FLAG_NONE));
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks callbacks = {flush, NULL};
    if (argc != 3)
        return 2;
    OTF2_Archive *a = OTF2_Archive_Open(
        argv[1], argv[2], OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!a)
        return 1;
    MUST(OTF2_Archive_SetFlushCallbacks(a, &callbacks, NULL));
    MUST(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    MUST(OTF2_Archive_SetCreator(a, "another program"));
    events(a);
    local_definitions(a);
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(a);
    definitions(d);
    MUST(OTF2_Archive_CloseGlobalDefWriter(a, d));
    MUST(OTF2_Archive_Close(a));
    return 0;
}
