/*
 * The replacement library libicc-mpi: preloaded into an MPI program it serves the
 * collective calls from the core (openblacs/core.h) and passes on to the MPI library
 * what it does not serve. Compiled once for each MPI library; nothing here sends a
 * message itself.
 *
 * Whether a call is served must be decided alike by all members of the communicator,
 * and without a message. So the decision rests on what MPI makes them agree on:
 *   - the communicator: when it is first used, its members agree (comm.c) whether
 *     and which calls are served on it. A member does so only when it has found nothing
 *     wrong with its arguments;
 *   - for reductions the datatype and the operation, which MPI demands to be equal;
 *   - for calls that only move data nothing else. Members may describe the same data
 *     by different types ("type signatures" are equal, not types), so one that
 *     names a derived type is served too: its data is packed and unpacked here. With
 *     OPENBLACS_ICC_MPI_DERIVED=pass the members ask each other in every such call, and pass it
 *     on when one of them names a derived type.
 * A call with wrong arguments is passed on, for the MPI library to report, and without a word
 * to other members. But one with a type that was not committed is refused here: Open MPI takes
 * such types where they are received, and crashes.
 */
#ifndef OB_MPI_SHIM_H
#define OB_MPI_SHIM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "hooks/system.h"
#include "openblacs/core.h"

/* The standard binary interface of MPI 5 need not have Fortran's handles:
 * src/transport/mpi/module_comms.h. */
#if defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION) && !defined(OPEN_MPI)
#define PMPI_Comm_c2f PMPI_Comm_toint
#endif

/* The calls, in the order of the summary: X(constant, word of OPENBLACS_ICC_MPI, MPI's name). Each
 * is there three times: as it stands; as MPI_Iword, which does not wait (CALL_BEGUN + its
 * constant); and as MPI_Name_init, persistent (CALL_PREPARED + its constant). */
#define SHIM_CALLS(X)                                                                              \
    X(BARRIER, barrier, Barrier)                                                                   \
    X(BCAST, bcast, Bcast)                                                                         \
    X(REDUCE, reduce, Reduce)                                                                      \
    X(ALLREDUCE, allreduce, Allreduce)                                                             \
    X(ALLGATHER, allgather, Allgather)                                                             \
    X(ALLGATHERV, allgatherv, Allgatherv)                                                          \
    X(REDUCE_SCATTER, reduce_scatter, Reduce_scatter)                                              \
    X(REDUCE_SCATTER_BLOCK, reduce_scatter_block, Reduce_scatter_block)                            \
    X(SCATTER, scatter, Scatter)                                                                   \
    X(SCATTERV, scatterv, Scatterv)                                                                \
    X(GATHER, gather, Gather)                                                                      \
    X(GATHERV, gatherv, Gatherv)                                                                   \
    X(ALLTOALL, alltoall, Alltoall)                                                                \
    X(ALLTOALLV, alltoallv, Alltoallv)                                                             \
    X(ALLTOALLW, alltoallw, Alltoallw)                                                             \
    X(SCAN, scan, Scan)                                                                            \
    X(EXSCAN, exscan, Exscan)

typedef enum shim_call {
#define SHIM_CONSTANT(constant, word, name) CALL_##constant,
    SHIM_CALLS(SHIM_CONSTANT)
#undef SHIM_CONSTANT
        CALL_BEGUN,
    CALL_PREPARED = 2 * CALL_BEGUN,
    CALLS = 3 * CALL_BEGUN
} shim_call;

/* MPI forbids equal buffers, and says to use MPI_IN_PLACE. MPICH reports them; Open MPI
 * lets them pass as if in place, and so do we there. */
#if defined(OPEN_MPI)
enum { EQUAL_IS_IN_PLACE = 1 };
#else
enum { EQUAL_IS_IN_PLACE = 0 };
#endif

/* What became of a call. */
typedef enum shim_fate {
    TAKEN = 0,
    TAKEN_PACKED, /* taken, with a derived type of this member */
    FASTER,       /* the MPI library's own call is the faster one (choice.c) */
    NOT_LISTED,   /* OPENBLACS_ICC_MPI leaves it out, here or on another member */
    INTER,        /* an intercommunicator */
    UNREACHABLE,  /* members outside MPI_COMM_WORLD */
    FAR,          /* members on several nodes, and a call that does not wait */
    NOT_MET,   /* the members have not agreed yet, and a call that does not wait cannot make them */
    LONG,      /* an operation of the program's on much data, likewise */
    DERIVED,   /* a derived type, where OPENBLACS_ICC_MPI_DERIVED is pass */
    NO_KERNEL, /* an operation that is not defined for the type */
    UNCOMMITTED, /* a derived type that was not committed: nothing can be packed by it */
    INVALID,     /* arguments that MPI will refuse */
    FATES
} shim_fate;

/* A communicator, as an attribute of it. */
typedef struct shim_comm {
    MPI_Comm comm;
    bool decided;    /* the members have agreed on what follows */
    ob_group *group; /* NULL: nothing is served */
    uint64_t serve;  /* bit for each call */
    uint64_t choose; /* of these, those that are served only where they are faster */
    bool hasty;      /* calls without bytes are over at once; on no member that compares calls, */
    bool quick;      /* nor need members ask each other: calls that move no data, neither */
    bool crowded;    /* more processes than processors where some member is */
    bool near;       /* all members on this node: calls that do not wait can be served */
    shim_fate why;   /* what becomes of the other calls */
    bool ask;        /* before data is moved: whether some member names a derived type */
    bool uncounted;  /* one of OpenBLACS's own */
    int rank, size;
    atomic_int users; /* the communicator, and requests on it: who leaves last frees this */
    /* What has passed here before need not be looked at again: of MPI's own types, whose handles
     * stay, the one that moved last, */
    MPI_Datatype moved;
    /* and the one that was combined last, with such an operation as the core does it (apply NULL:
     * none yet). One thread at a time makes calls on a communicator. */
    struct {
        MPI_Datatype type;
        MPI_Op op;
        ob_operation core;
    } combined;
} shim_comm;

/* -------------------------------------------------------------- fault.c */

/* The calls' names, as MPI has them. */
extern const char *const shim_names[CALLS];
/* MPICH's launcher drops what was written just before an end. */
extern const struct timespec shim_moment;
/* What a serving function returns for a call that shim_take_data does not take: an uncommitted
 * type is an error, and all else is passed on. */
bool shim_refuse(const shim_comm *on, shim_call call, shim_fate fate, int *result);
/* The core's status as what an MPI call returns; a failure prints one line and goes to the
 * communicator's error handler. */
int shim_result(const shim_comm *on, shim_call call, int status);
/* The same for a member whose own piece has other bytes than its place. */
int shim_own_size_error(const shim_comm *on, shim_call call, size_t piece, size_t place);
/* Prints "OpenBLACS: text" and ends the job: settings, and what cannot go wrong in part. */
_Noreturn void shim_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Before what would be there only at the end of calls that are put together. */
void shim_apart(const char *name);

/* -------------------------------------------------------------- state.c */

/* Reads the settings, and makes the communicator. */
void shim_state_start(void);
void shim_state_end(void);
/* Joins the job. */
void shim_join(void);
/* The calls OPENBLACS_ICC_MPI lists, a bit for each. */
uint64_t shim_listed(void);
/* Calls are compared (level 3 of OPENBLACS_CHECK): all go our way. */
bool shim_compares(void);
/* They are served only where they are faster: it lists none by name, nor all. */
bool shim_chooses(void);
/* OPENBLACS_ICC_MPI_DERIVED is pass. */
bool shim_passes_derived(void);
ob_job *shim_job(void);
/* A communicator of this process alone, whose errors are returned. */
MPI_Comm shim_quiet(void);
/* Set while this thread is in the core, whose own MPI calls are not touched. */
extern _Thread_local bool shim_inside;

/* -------------------------------------------------------------- start.c */

/* The state of a communicator for a call that is to be served, or whose members have not yet
 * agreed on that; NULL: pass it on. Local. */
shim_comm *shim_enter(shim_call call, MPI_Comm comm);
/* Counts a call as this and is false, for `return shim_pass(...)`. */
bool shim_pass(shim_call call, shim_fate why);
void shim_count(shim_call call, shim_fate fate);
/* Counts a call whose arguments are right, and says whether it is to be served; the members agree
 * on that the first time. Collective then. */
bool shim_take(shim_comm *on, shim_call call);
/* The same for a call that moves data. fate: what this member's arguments make of it. Where the
 * members ask each other, one that is TAKEN_PACKED makes all pass it on; collective there.
 * What became of it: TAKEN and TAKEN_PACKED are to be served. */
shim_fate shim_take_data(shim_comm *on, shim_call call, shim_fate fate);
/* The same of a reduction, whose type is equal on all members: they need not ask each other. */
bool shim_take_reduction(shim_comm *on, shim_call call, bool derived, bool packed);
/* A call that is to be served and moves no bytes is over. MPI makes members name equal lengths, so
 * all know it of all. Of MPI_Scatterv, MPI_Gatherv, MPI_Alltoallv and MPI_Alltoallw, where only
 * some members know all lengths, this holds with two members, for what they have for each other.
 * Where a member compares calls (level 3), none ends early. */
static inline bool shim_moves_nothing(const shim_comm *on, size_t bytes)
{
    return __builtin_expect(bytes == 0, 0) && on->hasty;
}
static inline bool shim_pair_moves_nothing(const shim_comm *on, size_t bytes)
{
    return shim_moves_nothing(on, bytes) && on->size == 2;
}
/* It moves no elements of a type, or combines none, with which a call has passed here before: what
 * is left to be looked at is the root, and MPI_IN_PLACE. */
static inline bool shim_is_empty(const shim_comm *on, long long count, MPI_Datatype type)
{
    return __builtin_expect(count == 0, 0) && on->quick && type == on->moved;
}
static inline bool shim_has_combined(const shim_comm *on, MPI_Datatype type, MPI_Op op)
{
    return type == on->combined.type && op == on->combined.op && on->combined.core.apply;
}
static inline bool shim_combines_nothing(const shim_comm *on, long long count, MPI_Datatype type,
                                         MPI_Op op)
{
    return __builtin_expect(count == 0, 0) && on->hasty && shim_has_combined(on, type, op);
}
/* So it is over: `return shim_end(...)`. */
static inline bool shim_end(shim_call call, int *result)
{
    shim_count(call, TAKEN);
    *result = MPI_SUCCESS;
    return true;
}
static inline bool shim_taken(shim_fate fate)
{
    return fate == TAKEN || fate == TAKEN_PACKED;
}
#ifdef __clang_analyzer__ /* which does not see into start.c */
#define shim_pass(call, why) (shim_pass(call, why), false)
#define shim_take_data(on, call, fate)                                                             \
    (shim_taken(fate) ? shim_take_data(on, call, fate) : (shim_take_data(on, call, fate), INVALID))
#endif
/* The same of a call that does not wait, whose members ask nobody: `fate` of the arguments; and of
 * a reduction of so many bytes. What became of it. Local. */
shim_fate shim_take_begun(shim_comm *on, shim_call call, shim_fate fate);
/* Sums the counts of all processes and prints them; before MPI_Finalize. */
void shim_summary(void);
/* Is MPI running, and are we set up? Sets up at the first call. */
bool shim_running(void);
/* From here on everything is passed on. */
void shim_over(void);
/* --------------------------------------------------------------- comm.c */

void shim_comm_start(void);
/* Finds or makes the state. NULL when MPI refuses. Local. */
shim_comm *shim_comm_of(MPI_Comm comm);
/* The members agree what is served on it. false when MPI refuses. Collective. */
bool shim_comm_decide(shim_comm *on);
/* A communicator has just been made: its members agree at once, so that a call that does not wait
 * may be the first. Collective over its members; nothing for MPI_COMM_NULL and what is not
 * decided by them. */
void shim_comm_settle(MPI_Comm comm);
/* A request is begun on it, and ended: it outlives the communicator. */
void shim_comm_hold(shim_comm *on);
void shim_comm_let_go(shim_comm *on);

/* -------------------------------------------------------------- types.c */

typedef struct shim_type {
    MPI_Datatype type;
    ob_kind kind; /* of a built-in type; OB_KINDS: the core has none */
    bool derived;
    bool plain;           /* elements lie one behind the other from the address on */
    MPI_Aint first, span; /* of a derived one: from the address to its first byte, to its last */
    _Atomic unsigned *defined; /* of a built-in one: what is known of operations (reduce.c) */
    size_t size, extent;       /* of an element; equal for types without gaps */
    bool dense;                /* elements follow each other in memory without gaps, in order */
    bool no_logical;           /* an integer whose truth the MPI standard does not define */
    bool no_numbers;           /* characters: it defines nothing, but MPICH does */
    bool uncommitted;          /* MPI_Pack refuses it */
} shim_type;

void shim_types_start(void);
/* false for no type at all. */
bool shim_type_of(MPI_Datatype type, shim_type *found);

/* ------------------------------------------------------------- reduce.c */

/* An operation as the core does it: with a kernel, or with MPI_Reduce_local where it is the user's
 * or has none. It is the context of its own function, so it stays where it is. */
typedef struct shim_operation {
    ob_operation core;
    bool in_order; /* it does not commute */
    bool packed;   /* elements are what MPI_Pack makes of them; else they are as in memory */
    bool whole;    /* an element is longer than OB_ELEMENT_BYTES */
    MPI_Op op;
    const shim_type *type; /* stays where it is, too */
    const shim_comm *on;
} shim_operation;

/* False, and why: NO_KERNEL, UNCOMMITTED or INVALID. Local. */
bool shim_operation_of(const shim_comm *on, const shim_type *type, MPI_Op op, shim_operation *found,
                       shim_fate *why);

/* Is it one of MPI's own? */
bool shim_predefined(MPI_Op op);

/* --------------------------------------------------------------- move.c */

/* A buffer argument. */
typedef struct shim_buffer {
    char *base;
    size_t count, bytes; /* elements; bytes of their contents */
    shim_type type;
} shim_buffer;

/* What the arguments make of the call: TAKEN, TAKEN_PACKED, UNCOMMITTED or INVALID. */
shim_fate shim_buffer_of(const void *base, long long count, MPI_Datatype type, shim_buffer *buffer);
/* The same of a type that a call moves data of. */
shim_fate shim_fate_of(const shim_type *type);
/* The contents of `count` elements from `base` into consecutive bytes, and back. */
bool shim_pack(const shim_comm *on, const shim_type *type, const char *base, size_t count,
               char *to);
bool shim_unpack(const shim_comm *on, const shim_type *type, char *base, size_t count,
                 const char *from);
/* Memory of this thread, until the next call with the same slot; NULL: there is none. */
enum { SLOT_SEND, SLOT_RECEIVE, SLOT_OPERATION, SLOTS };
void *shim_scratch(int slot, size_t bytes);
/* Gives back what is too large to keep. */
void shim_scratch_trim(void);

/* -------------------------------------------------------------- serve.c, vectors.c
 * Each serves a call and puts what it returns into *result, or is false: pass it on. */

/* Counts or displacements, 32 or 64 bits wide. */
typedef struct shim_list {
    const int *narrow;
    const MPI_Count *wide;
    const MPI_Aint *address;
} shim_list;

static inline bool shim_is_given(const shim_list *list)
{
    return list->narrow || list->wide || list->address;
}

static inline long long shim_item(shim_list list, int i)
{
    return list.narrow ? list.narrow[i] : list.wide ? (long long)list.wide[i] : list.address[i];
}

/* What all reductions begin with: the vector and the operation, the same on all members. It is the
 * context of its own operation, so it stays where it is. */
typedef struct shim_reduction {
    shim_type type;
    shim_operation op;
    ob_type element; /* of the core's view of the vector */
    size_t unit;     /* such elements in one of type: 1, or its bytes */
    size_t each;     /* bytes of an element as the core has it */
    size_t count, bytes;
} shim_reduction;

/* False: to be passed on. *result: an error where the call ends here. */
bool shim_reduction_of(shim_comm *on, shim_call call, long long count, MPI_Datatype type, MPI_Op op,
                       shim_reduction *r, int *result);
ob_view shim_reduction_view(const shim_reduction *r, const void *data);
/* Buffers of one who gives `send` and gets a result in `receive`, and of one who only gives: is
 * something wrong with them? */
bool shim_bad_buffers(const shim_reduction *r, const void *send, const void *receive);
bool shim_bad_operand(const shim_reduction *r, const void *send);
/* `terms` vectors of `count` elements, one behind the other, combined in their order, to where the
 * result goes; the first of them is overwritten. What MPI returns. */
int shim_fold(const shim_comm *on, const shim_reduction *r, char *all, int terms, size_t count,
              void *receive);
/* Are there counts and displacements, and all counts 0? */
bool shim_lists_are_empty(const shim_comm *on, const shim_list *counts, const shim_list *places);
/* Elements of all pieces, and of those before the own; false for a negative count. */
bool shim_piece_counts(const shim_comm *on, shim_list counts, long long each, long long *sum,
                       long long *before);

/* ------------------------------------------------------------- choice.c */

/* Calls that the MPI library's own form of may be faster than ours. */
uint64_t shim_choices(void);
/* Is a call of so many bytes left to the MPI library, since that is faster? The same on all
 * members. */
bool shim_leaves(const shim_comm *on, shim_call call, size_t bytes);

/* -------------------------------------------------------------- weigh.c */

/* The bytes that decide: equal on all members by MPI's rules, whatever types they name.
 * SHIM_WRONG: these arguments are an error, for others to look at. */
#define SHIM_WRONG SIZE_MAX
size_t shim_weigh(long long count, MPI_Datatype type);
/* Of a vector with a piece for each member: all pieces, and the mean one. */
size_t shim_weigh_each(const shim_comm *on, long long each, MPI_Datatype type);
size_t shim_weigh_all(const shim_comm *on, shim_list counts, MPI_Datatype type);
size_t shim_weigh_mean(const shim_comm *on, shim_list counts, MPI_Datatype type);
/* Where not all members know the bytes: 0, if what this one receives has right types. */
size_t shim_weigh_none(MPI_Datatype type);
size_t shim_weigh_nones(const shim_comm *on, shim_list counts, const MPI_Datatype types[]);

/* ------------------------------------------------------ serve.c, vectors.c, scan.c */

bool serve_barrier(shim_comm *on, int *result);
bool serve_bcast(shim_comm *on, void *buffer, long long count, MPI_Datatype type, int root,
                 int *result);
bool serve_reduce(shim_comm *on, const void *send, void *receive, long long count,
                  MPI_Datatype type, MPI_Op op, int root, int *result);
bool serve_allreduce(shim_comm *on, const void *send, void *receive, long long count,
                     MPI_Datatype type, MPI_Op op, int *result);
/* counts NULL lists: every member gets `each`. */
bool serve_reduce_scatter(shim_comm *on, shim_call call, const void *send, void *receive,
                          shim_list counts, long long each, MPI_Datatype type, MPI_Op op,
                          int *result);

/* What comes of the members up to this one (CALL_SCAN) or before it (CALL_EXSCAN). */
bool serve_scan(shim_comm *on, shim_call call, const void *send, void *receive, long long count,
                MPI_Datatype type, MPI_Op op, int *result);

/* Sides of a call that moves pieces: one piece, or the vector of all of them, whose
 * pieces have the count `each`, or `counts` and `displacements`. */
typedef struct shim_piece {
    const void *base;
    long long count;
    MPI_Datatype type;
} shim_piece;
typedef struct shim_vector {
    const void *base;
    long long each;
    shim_list counts, displacements; /* both empty: consecutive pieces of `each` */
    MPI_Datatype type;
} shim_vector;

bool serve_allgather(shim_comm *on, shim_call call, const shim_piece *send,
                     const shim_vector *receive, int *result);
bool serve_gather(shim_comm *on, shim_call call, const shim_piece *send, const shim_vector *receive,
                  int root, int *result);
bool serve_scatter(shim_comm *on, shim_call call, const shim_vector *send,
                   const shim_piece *receive, int root, int *result);

/* -------------------------------------------------------- sides.c, alltoall.c */

/* One side of an all-to-all: a piece for each member, as shim_vector; with `types` each has a type
 * of its own, and displacements are bytes. */
typedef struct shim_side {
    const void *base;
    long long each;
    shim_list counts, displacements;
    MPI_Datatype type;
    const MPI_Datatype *types;
} shim_side;

/* One piece of a side, looked at once. */
typedef struct shim_place {
    char *at;
    size_t count, bytes; /* elements; bytes of their contents */
    shim_type type;
} shim_place;

/* A side: its pieces, as they are in memory and as the core sees them. */
typedef struct shim_pieces {
    int size;
    shim_place *place;
    ob_view *views;
} shim_pieces;

/* What the arguments make of the call: the fate of the worst piece. To be closed in any case. */
shim_fate shim_side_open(const shim_comm *on, const shim_side *of, shim_pieces *p);
/* A side with a piece for one member alone; `base` may be NULL with count 0: nothing for anybody.
 */
shim_fate shim_side_one(const shim_comm *on, int member, const void *base, long long count,
                        MPI_Datatype type, shim_pieces *p);
void shim_side_close(shim_pieces *p);
/* Bytes of the pieces that are no runs of bytes, or of all; gives them places from `memory` on. */
size_t shim_side_staged(const shim_pieces *p, bool all);
void shim_side_stage(shim_pieces *p, bool all, char *memory);
/* Pieces to those places, or (out) back. */
bool shim_side_move(const shim_comm *on, const shim_pieces *p, bool out);

bool serve_alltoall(shim_comm *on, shim_call call, const shim_side *send, const shim_side *receive,
                    int *result);

/* ---------------------------------------------------------------- own.c */

/* The MPI library's own functions, found behind ours. */
typedef int shim_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int shim_reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
shim_allreduce *shim_own_allreduce(void);
shim_reduce *shim_own_reduce(void);
typedef int shim_comm_dup(MPI_Comm, MPI_Comm *);
shim_comm_dup *shim_own_comm_dup(void);
typedef int shim_start(MPI_Request *);
shim_start *shim_own_start(void);
typedef int shim_op_free(MPI_Op *);
shim_op_free *shim_own_op_free(void);

#endif
