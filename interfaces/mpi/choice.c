/*
 * Who serves a call: this library, or the MPI library's own form of it, where that is faster.
 *
 * All members must decide alike, without a message. So the decision rests on the communicator (its
 * members have agreed whether some lack a processor, comm.c) and on a number of bytes that MPI's
 * rules make equal on all members: of one piece, of a broadcast, or of the vector of a reduction.
 * Types and places may differ, bytes may not. Where only some members know the bytes (MPI_Igatherv,
 * MPI_Iscatterv, MPI_Ialltoallv, MPI_Ialltoallw) one answer holds for all lengths.
 */
#include "shim.h"

/* By call: with a processor for each process, and with fewer, those of `from` bytes and more, but
 * less than `to`, are ours. */
typedef struct row {
    bool set;
    size_t from, to, crowded_from, crowded_to;
} row;

#define K(kib) ((size_t)(kib) << 10)
#define NONE 0, 0
#define ALL 0, SIZE_MAX
#define FROM(bytes) bytes, SIZE_MAX
#define BEGUN(call, ...) [CALL_BEGUN + CALL_##call] = {true, __VA_ARGS__}
#define PREPARED(call, ...) [CALL_PREPARED + CALL_##call] = {true, __VA_ARGS__}

/* Measured with Intel's benchmarks (docs/icc.md, "Where it is slower"), where a barrier is between
 * calls, and with many calls in a row (bench/replace.c, begun and prepared). Calls that are not
 * here are ours. */
static const row rows[CALLS] = {
#if defined(OPEN_MPI)
    BEGUN(BARRIER, NONE, NONE),
    BEGUN(BCAST, NONE, NONE),
    BEGUN(REDUCE, FROM(K(128)), 16, K(64)),
    BEGUN(ALLREDUCE, K(4), K(32), K(4), K(8)),
    BEGUN(ALLGATHER, K(4), K(256), FROM(K(4))),
    BEGUN(ALLGATHERV, K(4), K(128), FROM(K(4))),
    BEGUN(REDUCE_SCATTER, K(2), K(1024), FROM(K(1))),
    BEGUN(REDUCE_SCATTER_BLOCK, K(2), K(1024), FROM(K(1))),
    BEGUN(SCATTER, NONE, NONE),
    BEGUN(SCATTERV, NONE, NONE),
    BEGUN(GATHER, FROM(K(1024)), NONE),
    BEGUN(GATHERV, NONE, NONE),
    BEGUN(ALLTOALL, NONE, K(4), K(32)),
    BEGUN(ALLTOALLV, NONE, NONE),
    BEGUN(ALLTOALLW, NONE, NONE),
    BEGUN(SCAN, K(4), K(512), NONE),
    BEGUN(EXSCAN, NONE, NONE),
    PREPARED(BARRIER, NONE, ALL),
    PREPARED(BCAST, NONE, NONE),
    PREPARED(REDUCE, FROM(K(64)), FROM(8)),
    PREPARED(ALLREDUCE, FROM(K(4)), 8, K(64)),
    PREPARED(ALLGATHER, K(4), K(64), FROM(K(4))),
    PREPARED(ALLGATHERV, K(4), K(64), FROM(K(4))),
    PREPARED(REDUCE_SCATTER, FROM(K(2)), FROM(K(2))),
    PREPARED(REDUCE_SCATTER_BLOCK, FROM(K(2)), FROM(K(2))),
    PREPARED(SCATTER, NONE, NONE),
    PREPARED(SCATTERV, NONE, NONE),
    PREPARED(GATHER, NONE, NONE),
    PREPARED(GATHERV, NONE, NONE),
    PREPARED(ALLTOALL, NONE, K(4), K(32)),
    PREPARED(ALLTOALLV, NONE, NONE),
    PREPARED(ALLTOALLW, NONE, NONE),
    PREPARED(SCAN, K(4), K(256), NONE),
    PREPARED(EXSCAN, NONE, NONE),
#else
    /* With fewer processors than processes its calls wait for whole time slices of the system. Its
     * persistent calls are not used: 4.0 takes one that has ended for one that is active. */
    BEGUN(BARRIER, NONE, ALL),
    BEGUN(BCAST, NONE, ALL),
    BEGUN(REDUCE, FROM(K(32)), ALL),
    BEGUN(ALLREDUCE, FROM(K(32)), ALL),
    BEGUN(ALLGATHER, K(32), K(128), ALL),
    BEGUN(ALLGATHERV, K(16), K(256), ALL),
    BEGUN(REDUCE_SCATTER, K(16), K(4096), ALL),
    BEGUN(REDUCE_SCATTER_BLOCK, K(16), K(4096), ALL),
    BEGUN(SCATTER, NONE, ALL),
    BEGUN(SCATTERV, NONE, ALL),
    BEGUN(GATHER, NONE, ALL),
    BEGUN(GATHERV, NONE, ALL),
    BEGUN(ALLTOALL, K(8), K(32), ALL),
    BEGUN(ALLTOALLV, NONE, ALL),
    BEGUN(ALLTOALLW, NONE, ALL),
    BEGUN(SCAN, FROM(1), ALL),
    BEGUN(EXSCAN, FROM(256), ALL),
#endif
};

/* Long sums that are ours as well, of as many bytes and more (0: none): they are made in the
 * members' memory without a copy. */
static const struct {
    size_t from, crowded_from;
} longs[CALLS] = {
    [CALL_BEGUN + CALL_REDUCE] = {K(128), K(1024)},
    [CALL_BEGUN + CALL_ALLREDUCE] = {K(128), K(512)},
    [CALL_PREPARED + CALL_ALLREDUCE] = {K(128), K(512)},
};

uint64_t shim_choices(void)
{
    uint64_t choices = 0;
    for (int call = 0; call < CALLS; call++)
        choices |= (uint64_t)rows[call].set << call;
    return choices;
}

bool shim_leaves(const shim_comm *on, shim_call call, size_t bytes)
{
    const row *r = &rows[call];
    size_t from = on->crowded ? r->crowded_from : r->from, to = on->crowded ? r->crowded_to : r->to;
    size_t least = on->crowded ? longs[call].crowded_from : longs[call].from;
    bool is_long = least && bytes >= least;
    return bytes != SHIM_WRONG && (bytes < from || bytes >= to) && !is_long;
}
