/*
 * Waiting for what was begun, and probing.
 */
#include <stdlib.h>

#include "room.h"

void obm_tell(const ob_received *got, intptr_t columns, MLACS_Status *status)
{
    size_t unit = ob_type_bytes(got->type);
    *status = (MLACS_Status){.row = -1,
                             .column = -1,
                             .rank = -1,
                             .tag = got->tag,
                             .type = (int)got->type,
                             .cancelled = got->source == OB_CANCELLED};
    if (got->source < 0)
        return;
    status->row = columns > 0                        ? (int)(got->source / columns)
                  : columns == OBM_COLUMNS_OF_COLUMN ? got->source
                                                     : MLACS_IGNORE;
    status->column = columns > 0                     ? (int)(got->source % columns)
                     : columns == OBM_COLUMNS_OF_ROW ? got->source
                                                     : MLACS_IGNORE;
    status->rank = got->source;
    status->count = (int64_t)(unit ? got->bytes / unit : 0);
}

static int check_list(const obm_call *call, int count, const MLACS_Request *requests)
{
    if (count < 0 || (count && requests == NULL))
        return obm_fail(call, MLACS_ERR_REQUEST, "OB-1001 %d requests at %p", count,
                        (const void *)requests);
    return MLACS_SUCCESS;
}

/* Ends one that is known to be done, or waits for it. The core's status. */
static int end(MLACS_Request *request, MLACS_Status *status)
{
    ob_received got = {.source = -1, .tag = -1};
    ob_request *r = request->operation;
    int result = ob_wait(&r, &got);
    request->operation = r;
    if (status)
        obm_tell(&got, request->columns, status);
    return result;
}

int mlacs_wait(MLACS_Request *request, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_wait");
    const obm_call call = {"mlacs_wait", NULL};
    int code = check_list(&call, 1, request);
    return code == MLACS_SUCCESS ? obm_status(&call, end(request, status)) : code;
}

int mlacs_test(MLACS_Request *request, int *flag, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_test");
    const obm_call call = {"mlacs_test", NULL};
    ob_received got = {.source = -1, .tag = -1};
    int code = check_list(&call, 1, request);
    if (code == MLACS_SUCCESS && flag == NULL)
        code = obm_fail(&call, MLACS_ERR_ARG, "OB-1001 flag is NULL");
    if (code != MLACS_SUCCESS)
        return code;
    ob_request *r = request->operation;
    int result = ob_test(&r, flag, &got);
    request->operation = r;
    if (*flag && status)
        obm_tell(&got, request->columns, status);
    return obm_status(&call, result);
}

int mlacs_waitall(int count, MLACS_Request *requests, MLACS_Status *statuses)
{
    OB_TRACE_ROUTINE("mlacs_waitall");
    const obm_call call = {"mlacs_waitall", NULL};
    int code = check_list(&call, count, requests), failed = -1;
    if (code != MLACS_SUCCESS)
        return code;
    /* The line is that of the failure whose code is returned: later ones leave it alone. */
    for (int i = 0; i < count; i++) {
        int result = end(&requests[i], statuses ? &statuses[i] : NULL);
        if (result != OB_OK && failed < 0) {
            failed = i;
            code = obm_fail(&call, obm_status(&call, result), "request %d: %s", i, ob_error_text());
        }
    }
    return code;
}

/* The core's list of the same requests, in memory of its own when it is long. */
static ob_request **core_list(int count, const MLACS_Request *requests, ob_request **few, int room)
{
    ob_request **list = count <= room ? few : malloc((size_t)count * sizeof *list);
    for (int i = 0; list && i < count; i++)
        list[i] = requests[i].operation;
    return list;
}

static int end_any(const obm_call *call, int count, MLACS_Request *requests, int *index, int *flag,
                   MLACS_Status *status)
{
    enum { FEW = 64 };
    ob_request *few[FEW], **list;
    ob_received got = {.source = -1, .tag = -1};
    int result, left = 1, code = check_list(call, count, requests);
    if (code == MLACS_SUCCESS && index == NULL)
        code = obm_fail(call, MLACS_ERR_ARG, "OB-1001 index is NULL");
    if (code != MLACS_SUCCESS)
        return code;
    list = core_list(count, requests, few, FEW);
    if (list == NULL)
        return obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a list of %d requests",
                        count);
    if (flag)
        result = ob_test_any(count, list, index, &left, &got);
    else
        result = ob_wait_any(count, list, index, &got);
    if (flag)
        *flag = *index >= 0 || left == 0;
    if (*index >= 0) {
        requests[*index].operation = list[*index];
        if (status)
            obm_tell(&got, requests[*index].columns, status);
    }
    if (list != few)
        free(list);
    return obm_status(call, result);
}

int mlacs_waitany(int count, MLACS_Request *requests, int *index, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_waitany");
    const obm_call call = {"mlacs_waitany", NULL};
    return end_any(&call, count, requests, index, NULL, status);
}

int mlacs_testany(int count, MLACS_Request *requests, int *index, int *flag, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_testany");
    const obm_call call = {"mlacs_testany", NULL};
    if (flag == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 flag is NULL");
    return end_any(&call, count, requests, index, flag, status);
}

int mlacs_cancel(MLACS_Request *request)
{
    const obm_call call = {"mlacs_cancel", NULL};
    int code = check_list(&call, 1, request);
    return code == MLACS_SUCCESS ? obm_status(&call, ob_cancel(request->operation)) : code;
}

/* Waits when flag is NULL. */
static int probe(const char *routine, int rsrc, int csrc, int tag, MLACS_Comm comm, int *flag,
                 MLACS_Status *status)
{
    obm_call call = {routine, NULL};
    obm_comm c;
    int source, there = 1;
    ob_received got;
    int code = obm_enter(&call, comm, &c);
    if (code == MLACS_SUCCESS)
        code = obm_source(&call, &c, rsrc, csrc, &source);
    if (code == MLACS_SUCCESS)
        code = obm_tag(&call, tag, 1);
    if (code != MLACS_SUCCESS)
        return code;
    ob_group *group = c.grid->group[c.kind];
    int result =
        flag ? ob_iprobe(group, source, tag, &there, &got) : ob_probe(group, source, tag, &got);
    if (result == OB_OK && there && status)
        obm_tell(&got, obm_columns(&c), status);
    if (result == OB_OK && flag)
        *flag = there;
    return obm_status(&call, result);
}

int mlacs_probe(int rsrc, int csrc, int tag, MLACS_Comm comm, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_probe");
    return probe("mlacs_probe", rsrc, csrc, tag, comm, NULL, status);
}

int mlacs_iprobe(int rsrc, int csrc, int tag, MLACS_Comm comm, int *flag, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_iprobe");
    const obm_call call = {"mlacs_iprobe", NULL};
    if (flag == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 flag is NULL");
    return probe(call.routine, rsrc, csrc, tag, comm, flag, status);
}
