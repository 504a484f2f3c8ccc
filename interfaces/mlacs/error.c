/*
 * Error codes, what they mean, the line of the last failure, and the job that it names.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "hooks/error.h"
#include "room.h"

static _Thread_local char line[1536];
static _Atomic(ob_job *) the_job;

static const char *const meanings[MLACS_ERR_CODES] = {
    [MLACS_SUCCESS] = "no error",
    [MLACS_ERR_INIT] = "the MLACS are not initialized: no grid was made yet",
    [MLACS_ERR_COMM] = "not a communicator, or not one of a grid",
    [MLACS_ERR_TOPOLOGY] = "a Cartesian topology of more than two dimensions",
    [MLACS_ERR_GRID] = "not a possible grid",
    [MLACS_ERR_PROCESS] = "a process outside the grid",
    [MLACS_ERR_WILDCARD] = "only one of row and column is a wildcard",
    [MLACS_ERR_ROOT] = "not a root of this communicator",
    [MLACS_ERR_TAG] = "not a tag",
    [MLACS_ERR_TYPE] = "not a datatype, or not one for this routine",
    [MLACS_ERR_SIZE] = "not a possible size or leading dimension",
    [MLACS_ERR_BUFFER] = "a matrix without an address",
    [MLACS_ERR_UPLO] = "uplo is neither U nor L",
    [MLACS_ERR_DIAG] = "diag is neither U nor N",
    [MLACS_ERR_REQUEST] = "not a request",
    [MLACS_ERR_ARG] = "an argument is not allowed",
    [MLACS_ERR_TRUNCATE] = "the message is longer than the receive, or of another type",
    [MLACS_ERR_READY] = "a ready send came before its receive was posted",
    [MLACS_ERR_GONE] = "the awaited process has ended",
    [MLACS_ERR_MEMORY] = "no memory",
    [MLACS_ERR_SYSTEM] = "the operating system or the MPI library refused"};

ob_job *obm_job(void)
{
    return atomic_load(&the_job);
}

void obm_set_job(ob_job *job)
{
    atomic_store(&the_job, job);
}

const char *mlacs_error_string(int code)
{
    return code >= 0 && code < MLACS_ERR_CODES ? meanings[code] : "not an error code of the MLACS";
}

const char *mlacs_error_text(void)
{
    return line;
}

int(obm_fail)(const obm_call *call, int code, const char *format, ...)
{
    char text[1152], where[80] = "", caller[256], mark[OB_CODE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ob_error_code(text, mark);
    ob_job *job = obm_job();
    if (job && call->grid)
        snprintf(where, sizeof where, "; process (%d,%d), number %d", call->grid->myrow,
                 call->grid->mycol, ob_job_number(job));
    else if (job)
        snprintf(where, sizeof where, "; process number %d", ob_job_number(job));
    snprintf(line, sizeof line, "%s: %s%s%s%s", call->routine, text, where,
             ob_check_caller(caller, sizeof caller), mark);
    return code;
}

int obm_status(const obm_call *call, int status)
{
    static const int code[] = {[OB_OK] = MLACS_SUCCESS,           [-OB_EARG] = MLACS_ERR_ARG,
                               [-OB_ENOMEM] = MLACS_ERR_MEMORY,   [-OB_ESIZE] = MLACS_ERR_TRUNCATE,
                               [-OB_EGONE] = MLACS_ERR_GONE,      [-OB_ESYSTEM] = MLACS_ERR_SYSTEM,
                               [-OB_ESETTING] = MLACS_ERR_SYSTEM, [-OB_ESTATE] = MLACS_ERR_COMM,
                               [-OB_EREADY] = MLACS_ERR_READY};
    if (__builtin_expect(status == OB_OK, 1))
        return MLACS_SUCCESS;
    return obm_fail(call, code[-status], "%s", ob_error_text());
}
