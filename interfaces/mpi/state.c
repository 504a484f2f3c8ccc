/*
 * What holds for all calls once start.c has set us up: the settings OPENBLACS_ICC_MPI and
 * OPENBLACS_ICC_MPI_DERIVED, the job, and a communicator for questions of our own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/check.h"
#include "shim.h"

_Thread_local bool shim_inside;

static struct {
    ob_job *job;
    MPI_Comm quiet;
    uint64_t listed;
    bool chooses;
    bool passes_derived;
} shim;

/* ----------------------------------------------------------------- setting */

static const char *const words[CALLS] = {
#define WORD(constant, word, name) #word,
#define BEGUN(constant, word, name) "i" #word,
#define PREPARED(constant, word, name) #word "_init",
    SHIM_CALLS(WORD) SHIM_CALLS(BEGUN) SHIM_CALLS(PREPARED)};

static const uint64_t all_calls = ((uint64_t)1 << CALLS) - 1;

static uint64_t bit_of(const char *word, size_t length)
{
    if (length == 3 && memcmp(word, "all", 3) == 0)
        return all_calls;
    for (int i = 0; i < CALLS; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return (uint64_t)1 << i;
    return 0;
}

static _Noreturn void unknown_word(const char *value, const char *word, size_t length)
{
    char known[256] = "";
    for (int i = 0; i < CALL_BEGUN; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s, ", words[i]);
    }
    shim_fault("OB-9012 OPENBLACS_ICC_MPI is '%s', and '%.*s' is no call; must be auto, all, none, "
               "or a list, "
               "separated by commas, of %sin lower case, with i in front (ibcast) or _init behind "
               "(bcast_init) for the calls that do not wait",
               value, (int)length, word, known);
}

static uint64_t read_setting(void)
{
    const char *value = secure_getenv("OPENBLACS_ICC_MPI"), *at = value;
    uint64_t listed = 0;
    shim.chooses = value == NULL || strcmp(value, "auto") == 0;
    if (shim.chooses)
        return all_calls;
    if (strcmp(value, "none") == 0)
        return 0;
    for (;; at++) {
        size_t length = strcspn(at, ",");
        uint64_t bit = bit_of(at, length);
        if (bit == 0)
            unknown_word(value, at, length);
        listed |= bit;
        at += length;
        if (*at == '\0')
            return listed;
    }
}

/* ob_job_start refuses other words than pack and pass. */
static bool read_derived(void)
{
    const char *value = secure_getenv("OPENBLACS_ICC_MPI_DERIVED");
    return value && strcmp(value, "pass") == 0;
}

/* ------------------------------------------------------------------- state */

static void make_quiet(void)
{
    if (shim_own_comm_dup()(MPI_COMM_SELF, &shim.quiet) != MPI_SUCCESS ||
        PMPI_Comm_set_errhandler(shim.quiet, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        PMPI_Comm_set_name(shim.quiet, OB_MPI_COMM_NAME) != MPI_SUCCESS)
        shim_fault("OB-3020 libicc-mpi: MPI_COMM_SELF cannot be duplicated");
}

void shim_state_start(void)
{
    shim.listed = read_setting();
    shim.passes_derived = read_derived();
    make_quiet();
}

void shim_state_end(void)
{
    PMPI_Comm_free(&shim.quiet);
}

void shim_join(void)
{
    shim_inside = true;
    int status = ob_job_start(&shim.job);
    shim_inside = false;
    if (status != OB_OK)
        shim_fault("libicc-mpi: %s", ob_error_text());
    if (ob_job_kind(shim.job) != OB_MPI)
        shim_fault(
            "OB-3022 libicc-mpi: obrun started this program, which is one of MPI; start it with "
            "its mpirun");
}

uint64_t shim_listed(void)
{
    return shim.listed;
}

bool shim_compares(void)
{
    return ob_check_now >= 3;
}

bool shim_chooses(void)
{
    return shim.chooses && !shim_compares();
}

bool shim_passes_derived(void)
{
    return shim.passes_derived;
}

ob_job *shim_job(void)
{
    return shim.job;
}

MPI_Comm shim_quiet(void)
{
    return shim.quiet;
}
