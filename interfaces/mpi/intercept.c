/*
 * The entry points. Both names of each call are taken, MPI_Bcast and PMPI_Bcast, because the
 * Fortran bindings come through them: MPICH's call the first, Open MPI's the
 * second (so all of Fortran's ways of naming things are the MPI library's business). The
 * library's own functions are found by name, in the libraries behind this one.
 */
#include "entries.h"
#include "hooks/trace.h"
#include "own.h"

/* Both names of a function with these parameters; `served` is tried, else the library's
 * own function is called with the same arguments. */
#define ENTRY(name, call, parameters, arguments, served)                                           \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        typedef int own parameters;                                                                \
        int result;                                                                                \
        shim_comm *on = shim_enter(call, comm);                                                    \
        if (on) {                                                                                  \
            OB_TRACE_ROUTINE(#name);                                                               \
            if (served)                                                                            \
                return result;                                                                     \
        }                                                                                          \
        if (__builtin_expect(!ob_trace_on || shim_inside, 1))                                      \
            return OWN(name, own) arguments;                                                       \
        int64_t since = ob_trace_pass(#name " (MPI)", __builtin_return_address(0));                \
        result = OWN(name, own) arguments;                                                         \
        ob_trace_passed(since);                                                                    \
        return result;                                                                             \
    }                                                                                              \
    EXPORT int P##name parameters __attribute__((alias(#name)));

ENTRY(MPI_Barrier, CALL_BARRIER, (MPI_Comm comm), (comm), serve_barrier(on, &result))

/* The calls whose two widths differ in the counts alone. Count: int or MPI_Count. List,
 * Displacements: how counts and displacements of that width are told to the rest. */
#define ENTRIES(suffix, Count, Displacement, List, Displacements)                                  \
    ENTRY(MPI_Bcast##suffix, CALL_BCAST,                                                           \
          (void *buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm),                 \
          (buffer, count, type, root, comm), serve_bcast(on, buffer, count, type, root, &result))  \
    ENTRY(MPI_Reduce##suffix, CALL_REDUCE,                                                         \
          (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op, int root,   \
           MPI_Comm comm),                                                                         \
          (send, receive, count, type, op, root, comm),                                            \
          serve_reduce(on, send, receive, count, type, op, root, &result))                         \
    ENTRY(MPI_Allreduce##suffix, CALL_ALLREDUCE,                                                   \
          (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm),                                                                         \
          (send, receive, count, type, op, comm),                                                  \
          serve_allreduce(on, send, receive, count, type, op, &result))                            \
    ENTRY(MPI_Reduce_scatter##suffix, CALL_REDUCE_SCATTER,                                         \
          (const void *send, void *receive, const Count counts[], MPI_Datatype type, MPI_Op op,    \
           MPI_Comm comm),                                                                         \
          (send, receive, counts, type, op, comm),                                                 \
          serve_reduce_scatter(on, CALL_REDUCE_SCATTER, send, receive, List(counts), 0, type, op,  \
                               &result))                                                           \
    ENTRY(MPI_Reduce_scatter_block##suffix, CALL_REDUCE_SCATTER_BLOCK,                             \
          (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm),                                                                         \
          (send, receive, count, type, op, comm),                                                  \
          serve_reduce_scatter(on, CALL_REDUCE_SCATTER_BLOCK, send, receive, NOTHING, count, type, \
                               op, &result))                                                       \
    ENTRY(MPI_Allgather##suffix, CALL_ALLGATHER,                                                   \
          (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,   \
           MPI_Datatype receive_type, MPI_Comm comm),                                              \
          (send, count, type, receive, receive_count, receive_type, comm),                         \
          serve_allgather(on, CALL_ALLGATHER, PIECE(send, count, type),                            \
                          EVEN(receive, receive_count, receive_type), &result))                    \
    ENTRY(MPI_Allgatherv##suffix, CALL_ALLGATHERV,                                                 \
          (const void *send, Count count, MPI_Datatype type, void *receive, const Count counts[],  \
           const Displacement displacements[], MPI_Datatype receive_type, MPI_Comm comm),          \
          (send, count, type, receive, counts, displacements, receive_type, comm),                 \
          serve_allgather(                                                                         \
              on, CALL_ALLGATHERV, PIECE(send, count, type),                                       \
              VECTOR(receive, List(counts), Displacements(displacements), receive_type), &result)) \
    ENTRY(MPI_Gather##suffix, CALL_GATHER,                                                         \
          (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,   \
           MPI_Datatype receive_type, int root, MPI_Comm comm),                                    \
          (send, count, type, receive, receive_count, receive_type, root, comm),                   \
          serve_gather(on, CALL_GATHER, PIECE(send, count, type),                                  \
                       EVEN(receive, receive_count, receive_type), root, &result))                 \
    ENTRY(MPI_Gatherv##suffix, CALL_GATHERV,                                                       \
          (const void *send, Count count, MPI_Datatype type, void *receive, const Count counts[],  \
           const Displacement displacements[], MPI_Datatype receive_type, int root,                \
           MPI_Comm comm),                                                                         \
          (send, count, type, receive, counts, displacements, receive_type, root, comm),           \
          serve_gather(on, CALL_GATHERV, PIECE(send, count, type),                                 \
                       VECTOR(receive, List(counts), Displacements(displacements), receive_type),  \
                       root, &result))                                                             \
    ENTRY(MPI_Scatter##suffix, CALL_SCATTER,                                                       \
          (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,   \
           MPI_Datatype receive_type, int root, MPI_Comm comm),                                    \
          (send, count, type, receive, receive_count, receive_type, root, comm),                   \
          serve_scatter(on, CALL_SCATTER, EVEN(send, count, type),                                 \
                        PIECE(receive, receive_count, receive_type), root, &result))               \
    ENTRY(MPI_Scatterv##suffix, CALL_SCATTERV,                                                     \
          (const void *send, const Count counts[], const Displacement displacements[],             \
           MPI_Datatype type, void *receive, Count receive_count, MPI_Datatype receive_type,       \
           int root, MPI_Comm comm),                                                               \
          (send, counts, displacements, type, receive, receive_count, receive_type, root, comm),   \
          serve_scatter(on, CALL_SCATTERV,                                                         \
                        VECTOR(send, List(counts), Displacements(displacements), type),            \
                        PIECE(receive, receive_count, receive_type), root, &result))               \
    ENTRY(MPI_Alltoall##suffix, CALL_ALLTOALL,                                                     \
          (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,   \
           MPI_Datatype receive_type, MPI_Comm comm),                                              \
          (send, count, type, receive, receive_count, receive_type, comm),                         \
          serve_alltoall(on, CALL_ALLTOALL, EVEN_SIDE(send, count, type),                          \
                         EVEN_SIDE(receive, receive_count, receive_type), &result))                \
    ENTRY(MPI_Alltoallv##suffix, CALL_ALLTOALLV,                                                   \
          (const void *send, const Count counts[], const Displacement displacements[],             \
           MPI_Datatype type, void *receive, const Count receive_counts[],                         \
           const Displacement receive_displacements[], MPI_Datatype receive_type, MPI_Comm comm),  \
          (send, counts, displacements, type, receive, receive_counts, receive_displacements,      \
           receive_type, comm),                                                                    \
          serve_alltoall(on, CALL_ALLTOALLV,                                                       \
                         SIDE(send, List(counts), Displacements(displacements), type, NULL),       \
                         SIDE(receive, List(receive_counts), Displacements(receive_displacements), \
                              receive_type, NULL),                                                 \
                         &result))                                                                 \
    ENTRY(MPI_Alltoallw##suffix, CALL_ALLTOALLW,                                                   \
          (const void *send, const Count counts[], const Displacement displacements[],             \
           const MPI_Datatype types[], void *receive, const Count receive_counts[],                \
           const Displacement receive_displacements[], const MPI_Datatype receive_types[],         \
           MPI_Comm comm),                                                                         \
          (send, counts, displacements, types, receive, receive_counts, receive_displacements,     \
           receive_types, comm),                                                                   \
          serve_alltoall(                                                                          \
              on, CALL_ALLTOALLW,                                                                  \
              SIDE(send, List(counts), Displacements(displacements), MPI_DATATYPE_NULL, types),    \
              SIDE(receive, List(receive_counts), Displacements(receive_displacements),            \
                   MPI_DATATYPE_NULL, receive_types),                                              \
              &result))                                                                            \
    ENTRY(MPI_Scan##suffix, CALL_SCAN,                                                             \
          (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm),                                                                         \
          (send, receive, count, type, op, comm),                                                  \
          serve_scan(on, CALL_SCAN, send, receive, count, type, op, &result))                      \
    ENTRY(MPI_Exscan##suffix, CALL_EXSCAN,                                                         \
          (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm),                                                                         \
          (send, receive, count, type, op, comm),                                                  \
          serve_scan(on, CALL_EXSCAN, send, receive, count, type, op, &result))

ENTRIES(, int, int, NARROW, NARROW)
#if MPI_VERSION >= 4
ENTRIES(_c, MPI_Count, MPI_Aint, WIDE, ADDRESS)
#endif

EXPORT int MPI_Finalize(void)
{
    typedef int own(void);
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (initialized && !finalized && !shim_inside) {
        shim_summary();
        shim_over();
    }
    return OWN(MPI_Finalize, own)();
}
EXPORT int PMPI_Finalize(void) __attribute__((alias("MPI_Finalize")));
