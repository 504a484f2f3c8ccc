/*
 * Errors: what ends the job, and what goes to a communicator's error handler.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hooks/error.h"
#include "hooks/together.h"
#include "shim.h"

const char *const shim_names[CALLS] = {
#define NAME(constant, word, name) "MPI_" #name,
#define BEGUN(constant, word, name) "MPI_I" #word,
#define PREPARED(constant, word, name) "MPI_" #name "_init",
    SHIM_CALLS(NAME) SHIM_CALLS(BEGUN) SHIM_CALLS(PREPARED)};

const struct timespec shim_moment = {.tv_nsec = 20 * 1000 * 1000};

_Noreturn void shim_fault(const char *format, ...)
{
    char text[1152], code[OB_CODE_BYTES];
    int running = 0;
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) >= (int)sizeof text)
        strcpy(text + sizeof text - sizeof "...", "...");
    va_end(args);
    ob_error_code(text, code);
    fprintf(stderr, "OpenBLACS: %s%s\n", text, code);
    fflush(stderr);
    if (PMPI_Initialized(&running) == MPI_SUCCESS && running) {
        nanosleep(&shim_moment, NULL); /* MPICH's launcher drops what was written just before */
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    _exit(1);
}

void shim_apart(const char *name)
{
    if (ob_together_is_open())
        shim_fault("OB-2525 %s is called between a begin and an end of calls that are put "
                   "together, where what it receives would not be there yet; call it before the "
                   "begin or behind the end",
                   name);
}

int shim_result(const shim_comm *on, shim_call call, int status)
{
    if (status == OB_OK)
        return MPI_SUCCESS;
    int class = status == OB_ESIZE    ? MPI_ERR_TRUNCATE
                : status == OB_ENOMEM ? MPI_ERR_NO_MEM
                                      : MPI_ERR_OTHER;
    char text[1152], code[OB_CODE_BYTES];
    snprintf(text, sizeof text, "%s", ob_error_text());
    ob_error_code(text, code);
    fprintf(stderr, "OpenBLACS: %s: %s; rank %d of %d%s\n", shim_names[call], text, on->rank,
            on->size, code);
    PMPI_Comm_call_errhandler(on->comm, class);
    return class;
}

int shim_own_size_error(const shim_comm *on, shim_call call, size_t piece, size_t place)
{
    fprintf(stderr,
            "OpenBLACS: %s: the own piece has %zu bytes, its place %zu; rank %d of %d [OB-1024]\n",
            shim_names[call], piece, place, on->rank, on->size);
    PMPI_Comm_call_errhandler(on->comm, MPI_ERR_TRUNCATE);
    return MPI_ERR_TRUNCATE;
}

/* The line is for those who are not told the error by what the call returns. */
bool shim_refuse(const shim_comm *on, shim_call call, shim_fate fate, int *result)
{
    MPI_Errhandler handler;
    if (fate != UNCOMMITTED)
        return false;
    if (PMPI_Comm_get_errhandler(on->comm, &handler) == MPI_SUCCESS) {
        if (handler != MPI_ERRORS_RETURN) {
            fprintf(stderr,
                    "OpenBLACS: %s: a datatype was not committed; rank %d of %d [OB-3023]\n",
                    shim_names[call], on->rank, on->size);
            nanosleep(&shim_moment, NULL);
        }
        PMPI_Errhandler_free(&handler);
    }
    PMPI_Comm_call_errhandler(on->comm, MPI_ERR_TYPE);
    *result = MPI_ERR_TYPE;
    return true;
}
