/*
 * Setting up at the first call, and the counts of what was served and what was passed on.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hooks/mpi.h"
#include "shim.h"

static struct {
    pthread_mutex_t lock;
    /* 0: not set up, 1: running, 2: MPI_Finalize was called. Stored (release) behind all that start
     * sets up: who loads it (acquire) finds that without the lock. */
    atomic_int phase;
    bool by_turns; /* threads do not call MPI at the same time */
} shim = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Relaxed: each is a number alone, and MPI_Finalize, which adds them up, comes behind all calls. */
static atomic_ulong counts[CALLS][FATES];

/* ------------------------------------------------------------------- start */

/* The wrong one of our libraries would misread every argument, and what it calls MPI_COMM_WORLD is
 * none: so it ends without that MPI, whose launcher ends the others. */
static void check_library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    int (*version)(char *, int *) = PMPI_Get_library_version;
    Dl_info info;
    void *f;
    memcpy(&f, &version, sizeof f); /* ISO C has no such cast */
    bool standard = dladdr(f, &info) && ob_mpi_is_standard(info.dli_fname);
    const char *kind = standard ? "abi" : ob_mpi_kind_of(text);
    if (strcmp(kind, OB_MPI_NAME) == 0)
        return;
    fprintf(stderr,
            "OpenBLACS: this is libicc-mpi-%s.so, but the program runs %s; preload "
            "libicc-mpi-%s.so [OB-3019]\n",
            OB_MPI_NAME, text, kind);
    fflush(stderr);
    nanosleep(&shim_moment, NULL);
    _exit(1);
}

static void start(void)
{
    int level = MPI_THREAD_MULTIPLE;
    check_library();
    PMPI_Query_thread(&level);
    shim.by_turns = level < MPI_THREAD_MULTIPLE;
    shim_state_start();
    shim_types_start();
    shim_comm_start();
    shim_join();
}

bool shim_running(void)
{
    int phase = atomic_load_explicit(&shim.phase, memory_order_acquire);
    if (phase)
        return phase == 1;
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (!initialized || finalized)
        return false;
    pthread_mutex_lock(&shim.lock);
    if (atomic_load(&shim.phase) == 0) {
        start();
        atomic_store_explicit(&shim.phase, 1, memory_order_release);
    }
    pthread_mutex_unlock(&shim.lock);
    return true;
}

void shim_over(void)
{
    if (atomic_exchange(&shim.phase, 2) == 1)
        shim_state_end();
}

/* ------------------------------------------------------------------ counts */

/* An atomic addition waits for all stores before it, to lines that other processes hold. */
void shim_count(shim_call call, shim_fate fate)
{
    atomic_ulong *count = &counts[call][fate];
    if (shim.by_turns)
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

bool(shim_pass)(shim_call call, shim_fate why)
{
    shim_count(call, why);
    return false;
}

/* What becomes of a call whose arguments are right, and must be the same on all members. */
static shim_fate served_here(shim_comm *on, shim_call call)
{
    if (__builtin_expect(!on->decided, 0) && !shim_comm_decide(on))
        return INVALID;
    return on->serve >> call & 1 ? TAKEN : on->why;
}

bool shim_take(shim_comm *on, shim_call call)
{
    shim_fate fate = served_here(on, call);
    shim_count(call, fate);
    return fate == TAKEN;
}

/* Whether some member names a derived type. */
static shim_fate ask_all(const shim_comm *on, shim_call call, shim_fate fate)
{
    shim_apart(shim_names[call]);
    int word = fate == TAKEN_PACKED;
    ob_view view = ob_view_vector(&word, 1, OB_INT);
    if (ob_combine(on->group, OB_ANY, OB_MAX_ABS, &view, NULL, 0, NULL) != OB_OK)
        shim_fault("libicc-mpi: the members of a communicator cannot ask each other: %s",
                   ob_error_text());
    return word ? DERIVED : TAKEN;
}

shim_fate(shim_take_data)(shim_comm *on, shim_call call, shim_fate fate)
{
    if (shim_taken(fate)) {
        shim_fate all = served_here(on, call);
        fate = all != TAKEN ? all : on->ask ? ask_all(on, call, fate) : fate;
    }
    shim_count(call, fate);
    return fate;
}

shim_fate shim_take_begun(shim_comm *on, shim_call call, shim_fate fate)
{
    if (shim_taken(fate) && on->ask)
        fate = DERIVED;
    shim_count(call, fate);
    return fate;
}

bool shim_take_reduction(shim_comm *on, shim_call call, bool derived, bool packed)
{
    shim_fate fate = served_here(on, call);
    if (fate == TAKEN && derived)
        fate = on->ask ? DERIVED : packed ? TAKEN_PACKED : TAKEN;
    shim_count(call, fate);
    return shim_taken(fate);
}

shim_comm *shim_enter(shim_call call, MPI_Comm comm)
{
    if (shim_inside || !shim_running())
        return NULL;
    shim_comm *on = comm == MPI_COMM_NULL ? NULL : shim_comm_of(comm);
    if (on && ((on->serve >> call & 1) || !on->decided))
        return on;
    if (on == NULL || !on->uncounted)
        shim_count(call, on == NULL ? INVALID : on->why);
    return NULL;
}

static void print_reasons(FILE *out, const unsigned long *row)
{
    static const char *const why[FATES] = {[TAKEN_PACKED] = "taken by packing a derived type",
                                           [FASTER] = "faster in the MPI library",
                                           [NOT_LISTED] = "not in OPENBLACS_ICC_MPI",
                                           [INTER] = "intercommunicator",
                                           [UNREACHABLE] = "processes outside MPI_COMM_WORLD",
                                           [FAR] = "members on several nodes",
                                           [NOT_MET] = "before the first call that waits",
                                           [LONG] = "own operation on much data",
                                           [DERIVED] = "derived type",
                                           [NO_KERNEL] = "operation not defined for the type",
                                           [UNCOMMITTED] = "type not committed",
                                           [INVALID] = "wrong argument"};
    const char *comma = "  ";
    for (int f = TAKEN_PACKED; f < FATES; f++) {
        if (row[f] == 0)
            continue;
        fprintf(out, "%s%s %lu", comma, why[f], row[f]);
        comma = ", ";
    }
    fputc('\n', out);
}

/* At once, lest a launcher mixes it with what others print. */
static void print_summary(unsigned long sums[CALLS][FATES], int size)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return;
    fprintf(out, "OpenBLACS: libicc-mpi, calls of all %d process%s\n", size, size == 1 ? "" : "es");
    fprintf(out, "OpenBLACS:   %-24s %10s %10s\n", "call", "taken", "passed");
    for (int c = 0; c < CALLS; c++) {
        unsigned long all = 0, taken = sums[c][TAKEN] + sums[c][TAKEN_PACKED];
        for (int f = 0; f < FATES; f++)
            all += sums[c][f];
        if (all == 0)
            continue;
        fprintf(out, "OpenBLACS:   %-24s %10lu %10lu", shim_names[c], taken, all - taken);
        print_reasons(out, sums[c]);
    }
    if (fclose(out) == 0)
        fputs(text, stderr);
    free(text);
}

/* All processes take part, asked or not: whether process 0 was asked for a summary is
 * not for the others to know. */
void shim_summary(void)
{
    unsigned long mine[CALLS][FATES], sums[CALLS][FATES];
    const char *verbose = secure_getenv("OPENBLACS_VERBOSE");
    int rank, size;
    check_library();
    for (int c = 0; c < CALLS; c++)
        for (int f = 0; f < FATES; f++)
            mine[c][f] = atomic_load(&counts[c][f]);
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS ||
        shim_own_reduce()(mine, sums, CALLS * FATES, MPI_UNSIGNED_LONG, MPI_SUM, 0,
                          MPI_COMM_WORLD) != MPI_SUCCESS)
        return;
    if (rank == 0 && verbose && strcmp(verbose, "1") == 0)
        print_summary(sums, size);
}
