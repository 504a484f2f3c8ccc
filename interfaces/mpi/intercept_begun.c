/*
 * The entry points of calls that do not wait and of persistent ones; both names of each, as in
 * intercept.c. Open MPI 4 has the persistent ones as an extension, MPIX_Bcast_init and so on.
 */
#include "begun.h"
#include "entries.h"
#include "hooks/trace.h"
#include "own.h"

/* A call with these parameters, `build` of which sets it up; else the library's own is called with
 * the same arguments. weight: the bytes by which all members leave it to the library, or not. */
#define ENTRY(name, call, parameters, arguments, weight, build)                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        typedef int own parameters;                                                                \
        shim_comm *on = shim_begins_on(call, comm);                                                \
        bool chooses = on && on->choose >> (call)&1;                                               \
        if (on && (!chooses || !shim_leaves(on, call, weight) || shim_pass(call, FASTER))) {       \
            shim_begun *b = shim_begin(call, on);                                                  \
            OB_TRACE_ROUTINE(#name);                                                               \
            if (build)                                                                             \
                return shim_launch(b, request);                                                    \
            shim_drop(b);                                                                          \
        }                                                                                          \
        return OWN(name, own) arguments;                                                           \
    }                                                                                              \
    EXPORT int P##name parameters __attribute__((alias(#name)));

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#define INIT(name, suffix) MPIX_##name##_init##suffix
#else
#define INIT(name, suffix) MPI_##name##_init##suffix
#endif
#if defined(OPEN_MPI) || MPI_VERSION >= 4
#define PREPARED(name, suffix, call, parameters, arguments, weight, build)                         \
    ENTRY_EXPANDED(INIT(name, suffix), call, parameters, arguments, weight, build)
#else
#define PREPARED(name, suffix, call, parameters, arguments, weight, build)
#endif
#define ENTRY_EXPANDED(name, call, parameters, arguments, weight, build)                           \
    ENTRY(name, call, parameters, arguments, weight, build)
#define LIST(...) __VA_ARGS__

/* Both forms: MPI_Iword and MPI_Name_init. */
#define BOTH(Name, word, suffix, KIND, parameters, arguments, weight, build)                       \
    ENTRY(MPI_I##word##suffix, CALL_BEGUN + CALL_##KIND,                                           \
          (LIST parameters, MPI_Comm comm, MPI_Request * request),                                 \
          (LIST arguments, comm, request), weight, build)                                          \
    PREPARED(Name, suffix, CALL_PREPARED + CALL_##KIND,                                            \
             (LIST parameters, MPI_Comm comm, MPI_Info info, MPI_Request * request),               \
             (LIST arguments, comm, info, request), weight, build)

ENTRY(MPI_Ibarrier, CALL_BEGUN + CALL_BARRIER, (MPI_Comm comm, MPI_Request *request),
      (comm, request), 0, begin_barrier(b))
PREPARED(Barrier, , CALL_PREPARED + CALL_BARRIER,
         (MPI_Comm comm, MPI_Info info, MPI_Request *request), (comm, info, request), 0,
         begin_barrier(b))

#define REDUCTION(Count)                                                                           \
    (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op)
#define ONE_EACH(Count)                                                                            \
    (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,         \
     MPI_Datatype receive_type)

/* The two widths, as in intercept.c. */
#define ENTRIES(suffix, Count, Displacement, List, Displacements)                                  \
    BOTH(Bcast, bcast, suffix, BCAST, (void *buffer, Count count, MPI_Datatype type, int root),    \
         (buffer, count, type, root), shim_weigh(count, type),                                     \
         begin_bcast(b, buffer, count, type, root))                                                \
    BOTH(Reduce, reduce, suffix, REDUCE,                                                           \
         (const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op op, int root),   \
         (send, receive, count, type, op, root), shim_weigh(count, type),                          \
         begin_reduce(b, send, receive, count, type, op, root < 0 ? b->on->size : root))           \
    BOTH(Allreduce, allreduce, suffix, ALLREDUCE, REDUCTION(Count),                                \
         (send, receive, count, type, op), shim_weigh(count, type),                                \
         begin_reduce(b, send, receive, count, type, op, OB_ANY))                                  \
    BOTH(Scan, scan, suffix, SCAN, REDUCTION(Count), (send, receive, count, type, op),             \
         shim_weigh(count, type), begin_scan(b, send, receive, count, type, op, false))            \
    BOTH(Exscan, exscan, suffix, EXSCAN, REDUCTION(Count), (send, receive, count, type, op),       \
         shim_weigh(count, type), begin_scan(b, send, receive, count, type, op, true))             \
    BOTH(Reduce_scatter, reduce_scatter, suffix, REDUCE_SCATTER,                                   \
         (const void *send, void *receive, const Count counts[], MPI_Datatype type, MPI_Op op),    \
         (send, receive, counts, type, op), shim_weigh_all(on, List(counts), type),                \
         begin_reduce_scatter(b, send, receive, List(counts), 0, type, op))                        \
    BOTH(Reduce_scatter_block, reduce_scatter_block, suffix, REDUCE_SCATTER_BLOCK,                 \
         REDUCTION(Count), (send, receive, count, type, op), shim_weigh_each(on, count, type),     \
         begin_reduce_scatter(b, send, receive, NOTHING, count, type, op))                         \
    BOTH(Allgather, allgather, suffix, ALLGATHER, ONE_EACH(Count),                                 \
         (send, count, type, receive, receive_count, receive_type),                                \
         shim_weigh(receive_count, receive_type),                                                  \
         begin_allgather(b, PIECE(send, count, type),                                              \
                         EVEN_SIDE(receive, receive_count, receive_type)))                         \
    BOTH(Allgatherv, allgatherv, suffix, ALLGATHERV,                                               \
         (const void *send, Count count, MPI_Datatype type, void *receive, const Count counts[],   \
          const Displacement displacements[], MPI_Datatype receive_type),                          \
         (send, count, type, receive, counts, displacements, receive_type),                        \
         shim_weigh_mean(on, List(counts), receive_type),                                          \
         begin_allgather(                                                                          \
             b, PIECE(send, count, type),                                                          \
             SIDE(receive, List(counts), Displacements(displacements), receive_type, NULL)))       \
    BOTH(Gather, gather, suffix, GATHER,                                                           \
         (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,    \
          MPI_Datatype receive_type, int root),                                                    \
         (send, count, type, receive, receive_count, receive_type, root),                          \
         on->rank == root ? shim_weigh(receive_count, receive_type) : shim_weigh(count, type),     \
         begin_gather(b, PIECE(send, count, type),                                                 \
                      EVEN_SIDE(receive, receive_count, receive_type), root))                      \
    BOTH(Gatherv, gatherv, suffix, GATHERV,                                                        \
         (const void *send, Count count, MPI_Datatype type, void *receive, const Count counts[],   \
          const Displacement displacements[], MPI_Datatype receive_type, int root),                \
         (send, count, type, receive, counts, displacements, receive_type, root),                  \
         on->rank == root ? shim_weigh_none(receive_type) : 0,                                     \
         begin_gather(                                                                             \
             b, PIECE(send, count, type),                                                          \
             SIDE(receive, List(counts), Displacements(displacements), receive_type, NULL), root)) \
    BOTH(Scatter, scatter, suffix, SCATTER,                                                        \
         (const void *send, Count count, MPI_Datatype type, void *receive, Count receive_count,    \
          MPI_Datatype receive_type, int root),                                                    \
         (send, count, type, receive, receive_count, receive_type, root),                          \
         on->rank == root ? shim_weigh(count, type) : shim_weigh(receive_count, receive_type),     \
         begin_scatter(b, EVEN_SIDE(send, count, type),                                            \
                       PIECE(receive, receive_count, receive_type), root))                         \
    BOTH(Scatterv, scatterv, suffix, SCATTERV,                                                     \
         (const void *send, const Count counts[], const Displacement displacements[],              \
          MPI_Datatype type, void *receive, Count receive_count, MPI_Datatype receive_type,        \
          int root),                                                                               \
         (send, counts, displacements, type, receive, receive_count, receive_type, root),          \
         receive == MPI_IN_PLACE ? 0 : shim_weigh_none(receive_type),                              \
         begin_scatter(b, SIDE(send, List(counts), Displacements(displacements), type, NULL),      \
                       PIECE(receive, receive_count, receive_type), root))                         \
    BOTH(Alltoall, alltoall, suffix, ALLTOALL, ONE_EACH(Count),                                    \
         (send, count, type, receive, receive_count, receive_type),                                \
         shim_weigh(receive_count, receive_type),                                                  \
         begin_alltoall(b, EVEN_SIDE(send, count, type),                                           \
                        EVEN_SIDE(receive, receive_count, receive_type)))                          \
    BOTH(Alltoallv, alltoallv, suffix, ALLTOALLV,                                                  \
         (const void *send, const Count counts[], const Displacement displacements[],              \
          MPI_Datatype type, void *receive, const Count receive_counts[],                          \
          const Displacement receive_displacements[], MPI_Datatype receive_type),                  \
         (send, counts, displacements, type, receive, receive_counts, receive_displacements,       \
          receive_type),                                                                           \
         shim_weigh_none(receive_type),                                                            \
         begin_alltoall(b, SIDE(send, List(counts), Displacements(displacements), type, NULL),     \
                        SIDE(receive, List(receive_counts), Displacements(receive_displacements),  \
                             receive_type, NULL)))                                                 \
    BOTH(Alltoallw, alltoallw, suffix, ALLTOALLW,                                                  \
         (const void *send, const Count counts[], const Displacement displacements[],              \
          const MPI_Datatype types[], void *receive, const Count receive_counts[],                 \
          const Displacement receive_displacements[], const MPI_Datatype receive_types[]),         \
         (send, counts, displacements, types, receive, receive_counts, receive_displacements,      \
          receive_types),                                                                          \
         shim_weigh_nones(on, List(receive_counts), receive_types),                                \
         begin_alltoall(                                                                           \
             b, SIDE(send, List(counts), Displacements(displacements), MPI_DATATYPE_NULL, types),  \
             SIDE(receive, List(receive_counts), Displacements(receive_displacements),             \
                  MPI_DATATYPE_NULL, receive_types)))

ENTRIES(, int, int, NARROW, NARROW)
#if MPI_VERSION >= 4
ENTRIES(_c, MPI_Count, MPI_Aint, WIDE, ADDRESS)
#endif
