/*
 * OpenBLACS core: matrices communicated among ordered sets of processes.
 *
 * Every interface of the library (BLACS, MLACS, iCC, PICL, BSP) is a thin
 * translation to the calls below. This header is the contract; it shows no
 * internals. man ob_group_world says how a program begins.
 *
 * Rules
 *  R1  Sizes, counts and strides are size_t and in elements unless a name ends
 *      in _bytes. Process positions are int, 0 .. size-1 within a group.
 *  R2  A send is locally blocking (LAWN 73, 3.1): when ob_send returns, the
 *      matrix may be reused, and the message will arrive without any further
 *      call by the sender. It never waits for the receiver.
 *  R3  Messages of one (group, source, destination) arrive in the order sent.
 *      Messages of different groups or sources are not ordered.
 *  R4  Collective calls (ob_broadcast to ob_barrier) are made by all
 *      members of a group in the same order; treat each as if nobody returns
 *      before all have called it (LAWN 73, 4.1 and 5.1).
 *  R5  The caller owns every buffer it passes; the library keeps no pointer to
 *      one after the call returns, but for the matrix of an ob_irecv or of a standard
 *      ob_isend, and what a collective call without waiting names, until the request is done.
 *  R6  A call that waits also moves everything else that is under way: it takes
 *      in what arrives for posted receives, answers synchronous sends, and goes on with
 *      collective calls that have been begun.
 *  R7  Structures below that a caller fills or reads (ob_view, ob_received, ob_route,
 *      ob_operation, ob_pieces) keep their layout, and enumerators their numbers: binaries
 *      have them built in. What needs more gets a function of its own. All other objects
 *      are seen through functions.
 *
 * Errors: functions return OB_OK or a negative ob_status; ob_error_text() then
 * gives one line for the calling thread. Nothing is printed, nothing aborts.
 *
 * Threads: different threads may use different groups at the same time. One
 * group is used by one thread at a time. ob_job_start is called once before.
 *
 * Cost is stated with each call: alpha is one message start-up, beta the time
 * of one byte moved, p the number of members, n the bytes of the matrix.
 */
#ifndef OPENBLACS_CORE_H
#define OPENBLACS_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_VERSION_MAJOR 0
#define OB_VERSION_MINOR 2
#define OB_VERSION_PATCH 0

/* Status of a call. The numbers are part of the ABI and never change. */
typedef enum ob_status {
    OB_OK = 0,
    OB_EARG = -1,     /* an argument is out of its range */
    OB_ENOMEM = -2,   /* memory, or the heap for unreceived messages, is full */
    OB_ESIZE = -3,    /* a message and its receive differ in size or type */
    OB_EGONE = -4,    /* the awaited process has ended */
    OB_ESYSTEM = -5,  /* the operating system or the MPI library refused */
    OB_ESETTING = -6, /* an OPENBLACS_ environment variable is malformed */
    OB_ESTATE = -7,   /* the call is not allowed now (before start, after stop) */
    OB_EREADY = -8    /* a ready send came before its receive was posted */
} ob_status;

/* Element types, in the order of the BLACS' letters I S D C Z; I is OB_INT64 in the routines with
 * 64-bit integers. */
typedef enum ob_type {
    OB_INT = 0, /* 32-bit integer */
    OB_FLOAT,
    OB_DOUBLE,
    OB_COMPLEX,  /* two floats: real, imaginary */
    OB_DCOMPLEX, /* two doubles */
    OB_BYTE,
    OB_INT64, /* 64-bit integer */
    OB_TYPES
} ob_type;

/* Which part of the m x n array belongs to a matrix (LAWN 73, 2.1). */
typedef enum ob_shape {
    OB_GENERAL = 0,
    OB_UPPER, /* upper trapezoid: row i <= j + max(m-n, 0) of column j */
    OB_LOWER  /* lower trapezoid: row i >= j - max(n-m, 0) of column j */
} ob_shape;

/* A matrix in the caller's memory, column-major: element (i, j) is
 * base[i + j * ld]. unit_diagonal leaves the diagonal of a trapezoid out. */
typedef struct ob_view {
    void *base;
    size_t m, n;
    size_t ld; /* >= m */
    ob_type type;
    ob_shape shape;
    int unit_diagonal;
} ob_view;

/* A vector of n elements that lie one behind the other. */
static inline ob_view ob_view_vector(const void *base, size_t n, ob_type type)
{
    ob_view v = {(void *)base, n, 1, n > 0 ? n : 1, type, OB_GENERAL, 0};
    return v;
}

/* Number of elements a view communicates. */
OB_API size_t ob_view_count(const ob_view *view);
/* Copies its elements, column by column, to memory without gaps, and back. */
OB_API void ob_view_pack(const ob_view *view, void *to);
OB_API void ob_view_unpack(const ob_view *view, const void *from);
/* Bytes of one element of the type, 0 for a bad type. */
OB_API size_t ob_type_bytes(ob_type type);

/* One line for the last failed call of this thread; "" when there is none. */
OB_API const char *ob_error_text(void);
/* What a status means in general, with its name: "OB_EARG: an argument is out of its range". A
 * constant text, also for numbers that are no status. */
OB_API const char *ob_status_text(int status);

/* ---------------------------------------------------------------- the job */

typedef struct ob_job ob_job;

/* How this process came to be part of a job. */
typedef enum ob_launch_kind { OB_ALONE = 0, OB_OBRUN, OB_MPI } ob_launch_kind;

/* Joins the job of this process: obrun's, the MPI program's (MPI is started
 * when it is not yet), or a job of one. Idempotent and thread-safe; *job is the same
 * pointer every time. Local except for MPI_Init. OB_ESETTING, OB_ESYSTEM. */
OB_API int ob_job_start(ob_job **job);
/* Number of this process, 0 .. count-1. */
OB_API int ob_job_number(const ob_job *job);
OB_API int ob_job_count(const ob_job *job);
OB_API ob_launch_kind ob_job_kind(const ob_job *job);
/* Pushes out what still waits in this process (messages on their way through
 * MPI) and tells the launcher that this process is done. finalize != 0 also
 * finalizes MPI when ob_job_start started it; > 0 moreover finalizes it at the process's end
 * when the program started it and has not. ob_job_start may follow. */
OB_API int ob_job_stop(ob_job *job, int finalize);
/* Leaves the job for good: ob_job_start joins another one then. All groups of it have been freed,
 * and nobody sends to this process any more. For a job that ob_launch_join has joined. OB_ESTATE
 * where it is another job, or is recorded or checked (OPENBLACS_TRACE, _STATS, _CHECK). */
OB_API int ob_job_leave(ob_job *job);
/* Ends all processes of the job with this exit code, 1 in place of 0; NULL: this process, which
 * has not joined one. Does not return. */
OB_API void ob_job_abort(ob_job *job, int code);
/* Gives memory kept for later messages back to the system. */
OB_API void ob_job_trim(ob_job *job);
/* Seconds since an arbitrary moment, the same for all processes of one node. */
OB_API double ob_time(void);
/* Seconds of processor time this process has used. */
OB_API double ob_cpu_time(void);

/* What this process has sent to process `number`: messages and their bytes.
 * OB_EARG for a number outside the job. */
OB_API int ob_job_traffic(const ob_job *job, int number, uint64_t *messages, uint64_t *bytes);

/* -------------------------------------------------------- system contexts */

/* A system context names a set of processes to make groups from: an MPI
 * communicator, by its Fortran handle (MPI_Comm_c2f). Without MPI there is
 * one, 0: all processes of the job. */
OB_API long ob_system_world(ob_job *job);
/* The members' job numbers in rank order; *numbers is malloc'ed, the caller
 * frees it. OB_EARG when the handle names no communicator; 0 that names none is the world. */
OB_API int ob_system_group(ob_job *job, long handle, int **numbers, int *size);
/* The same also of a communicator with members outside MPI_COMM_WORLD: spawned processes
 * (MPI_Intercomm_merge), or a session's. Such a communicator is a job of its own, *of, in which
 * their numbers are their ranks; groups are made of it with *of in place of job. It ends when the
 * program frees the communicator, before which all groups of it are to be freed. For any other
 * communicator *of is job. Local. OB_EARG, OB_ENOMEM, OB_ESYSTEM. */
OB_API int ob_system_members(ob_job *job, long handle, ob_job **of, int **numbers, int *size);
/* Between an MPI_Comm, an int in one MPI and a pointer in another, taken as a
 * word, and its handle. Without MPI both are the identity. */
OB_API long ob_system_from_word(ob_job *job, uintptr_t comm_word);
OB_API uintptr_t ob_system_to_word(ob_job *job, long handle);
/* ------------------------------------------------------------- the groups */

typedef struct ob_group ob_group;

/* Makes a group of the given distinct process numbers; only they call, each
 * with the same list, and in the same order for equal lists. Groups made by
 * different calls never see each other's messages. No MPI communicator is
 * spent. Local, unless some members of an MPI job meet for the first time, or OPENBLACS_LISTS is
 * set: then it is collective among the members. OB_EARG when the caller is not in the list. */
OB_API int ob_group_create(ob_job *job, const int *numbers, int size, ob_group **group);
/* The group of all processes of the job, a process's position being its number; joins the job
 * where this has not been done (ob_job_start). All processes call it, and get a group of its own
 * with each call, as of ob_group_create. What ob_job_start and ob_group_create give. */
OB_API int ob_group_world(ob_group **group);
/* The job that a group's members belong to. */
OB_API ob_job *ob_group_job(const ob_group *group);
/* A group whose members are some of parent's, named by their positions in it.
 * stream (1 .. 255) keeps its messages apart from those of parent and of other
 * streams; two sub-groups of one parent and stream must not share two
 * processes (the rows of a grid do not). Local. */
OB_API int ob_group_part(ob_group *parent, int stream, const int *positions, int size,
                         ob_group **group);
/* Waits for nothing; the group's unreceived messages are dropped; posted receives, synchronous
 * sends that no receive has taken, and collective calls under way end with OB_ESTATE. Parts are
 * freed before the group they are of. NULL is fine. */
OB_API void ob_group_free(ob_group *group);
OB_API int ob_group_size(const ob_group *group);
/* Position of the calling process. */
OB_API int ob_group_me(const ob_group *group);
/* Tells the planner of collective calls how the members lie: rows x columns,
 * row-major by position. links_shared: 1: neighbours are joined by links that
 * messages passing through share; 2: and rows and columns are rings (a torus); 0: all members
 * are equally near, or nobody knows: then what was measured stays (OPENBLACS_MEASURE). The members
 * call it alike, before collective calls. OB_EARG. */
OB_API int ob_group_shape(ob_group *group, int rows, int columns, int links_shared);
/* Job number of the process at a position. */
OB_API int ob_group_number(const ob_group *group, int position);

/* -------------------------------------------------------- point to point */

#define OB_ANY (-1)
/* The largest tag; the one above it is the library's own. */
#define OB_TAG_MAX (INT32_MAX - 1)

typedef struct ob_received {
    int source; /* position in the group */
    int tag;
    size_t bytes;
    ob_type type; /* as the sender named it */
} ob_received;

/* Sends the matrix to a member (also to oneself). tag, 0 .. OB_TAG_MAX, distinguishes
 * messages; the BLACS always use 0. alpha + n beta. OB_EARG, OB_ENOMEM. */
OB_API int ob_send(ob_group *group, int dest, int tag, const ob_view *matrix);
/* Sends the matrix to several distinct members, each of whom receives it as if
 * by ob_send. Members on this node read one copy: p alpha + n beta there. */
OB_API int ob_send_many(ob_group *group, const int *dests, int count, int tag,
                        const ob_view *matrix);
/* Receives the next message of that source and tag, or OB_ANY, into the
 * matrix; type and number of elements must be the message's (shapes may differ: LAWN 73,
 * 4.2), else OB_ESIZE with both in the text, the message's also in *received. OB_BYTE on either
 * side is any type. received may be NULL. OB_EGONE when the source has ended and has sent nothing.
 */
OB_API int ob_recv(ob_group *group, int source, int tag, const ob_view *matrix,
                   ob_received *received);

/* -------------------------------------------- point to point, without waiting */

/* How a send and its receive are tied (MPI's four modes). */
typedef enum ob_mode {
    OB_STANDARD = 0,
    OB_BUFFERED,    /* the same here: no ob_send waits for its receiver */
    OB_SYNCHRONOUS, /* ends no sooner than its receive has started */
    OB_READY        /* the receive is posted already; if not, the receive fails with OB_EREADY */
} ob_mode;

/* ob_send in one of the modes. A synchronous one waits; OB_EGONE when the receiver
 * has ended. A ready send to oneself without a posted receive is OB_EREADY at once. */
OB_API int ob_send_mode(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode);

/* An operation under way. Each is waited for once (ob_wait, or an ob_test that
 * finds it done), which sets the pointer to NULL. Any thread may do that, one at a time. */
typedef struct ob_request ob_request;

/* Begins a send. The matrix is the library's until the request is done: a standard send on this
 * node of 256 KiB or more (OPENBLACS_BACKGROUND) goes on while the caller computes, moved by a
 * thread of the library's own or by whatever call comes first. In the other modes, and when it is
 * shorter, the matrix is packed at once and may be reused when ob_isend returns. */
OB_API int ob_isend(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode,
                    ob_request **request);

/* Options of the receives below. */
enum {
    OB_EXACT = 0,  /* as ob_recv: sizes must be equal */
    OB_SHORTER = 1 /* a shorter message is fine: it fills the matrix's first elements */
};

/* Begins a receive. The matrix is the library's until the request is done; its view is
 * copied. One of 256 KiB or more from this node goes on while the caller computes. A message goes
 * to the receive that was posted first among those it matches, posted by ob_irecv or waiting in
 * ob_recv; finding it takes the same time however many there are. */
OB_API int ob_irecv(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                    ob_request **request);
/* ob_recv with options. */
OB_API int ob_recv_with(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                        ob_received *received);

/* Ends a request, and gives its status: that of the ob_send or ob_recv it stands
 * for. received may be NULL and is of receives alone; its source is OB_CANCELLED after
 * ob_cancel. NULL requests are done. */
#define OB_CANCELLED (-2)
OB_API int ob_wait(ob_request **request, ob_received *received);
/* The same if it is done, else *done = 0. Never waits. */
OB_API int ob_test(ob_request **request, int *done, ob_received *received);
/* Waits for all; received (NULL, or count of them) by index. All requests are ended;
 * the status is that of the first one, by index, that failed. */
OB_API int ob_wait_all(int count, ob_request **requests, ob_received *received);
/* Waits for one of them, the lowest of those done; *index -1 when all are NULL. */
OB_API int ob_wait_any(int count, ob_request **requests, int *index, ob_received *received);
/* Ends one that is done, or *index = -1. *left: how many are not NULL then. */
OB_API int ob_test_any(int count, ob_request **requests, int *index, int *left,
                       ob_received *received);
/* Takes a receive back that no message has met; the request is still waited for. Of
 * sends and of receives that a message has met it does nothing. */
OB_API int ob_cancel(ob_request *request);

/* Waits until a message is there that an ob_recv of that source and tag would
 * take, and tells which; it is not received. */
OB_API int ob_probe(ob_group *group, int source, int tag, ob_received *received);
/* The same without waiting: *there = 0 when there is none. */
OB_API int ob_iprobe(ob_group *group, int source, int tag, int *there, ob_received *received);

/* ------------------------------------------------------------- collective */

/* LAWN 73's topologies (4.3, 5.4). */
typedef enum ob_topology {
    OB_TOP_BEST = 0,   /* the library chooses; ' ' */
    OB_TOP_RING_UP,    /* 'I' */
    OB_TOP_RING_DOWN,  /* 'D' */
    OB_TOP_SPLIT_RING, /* 'S' */
    OB_TOP_MULTIRING,  /* 'M', branches = number of rings, negative: decreasing */
    OB_TOP_HYPERCUBE,  /* 'H' */
    OB_TOP_FULL,       /* 'F' */
    OB_TOP_TREE,       /* '1'..'9', 'T', branches = branches at each node */
    OB_TOP_NATIVE      /* 'N', between nodes what the MPI library does itself (7.2.3); else ' ' */
} ob_topology;

#define OB_REPRODUCIBLE 2
typedef struct ob_route {
    ob_topology topology;
    int branches;   /* rings or branches where the topology takes them */
    int repeatable; /* 1: same bits for the same grid, whatever the timing. OB_REPRODUCIBLE:
                     * of a sum, same bits also for any number and order of the members, with
                     * any topology: the exact sum, rounded once; a zero is +0 */
    int coherent;   /* same bits on every process */
} ob_route;

/* Sends the root's matrix to all members. Shapes may differ between members,
 * the number of bytes may not. */
OB_API int ob_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route);

typedef enum ob_op {
    OB_SUM = 0,
    OB_MAX_ABS, /* the largest absolute value; |re| + |im| for complex */
    OB_MIN_ABS,
    OB_MAX, /* the largest value; not of complex types. A NaN wins over every number */
    OB_MIN  /* the smallest; likewise. -0 is smaller than +0 */
} ob_op;

/* Combines the members' matrices element by element. The result is left at
 * the member at root, or at all with OB_ANY; elsewhere the matrix may be
 * overwritten with intermediate results (LAWN 73, 5.2). owner, when not NULL, is
 * an m x n array of leading dimension ld_owner that receives, for each element of
 * an extreme, the position of the member it came from. Among equal magnitudes the
 * member nearest above root (0 with OB_ANY) wins, counted around the group; among equal
 * values of OB_MAX and OB_MIN the lowest position. Without owners, of two elements
 * equal in magnitude the larger one (real part first) is the result. */
OB_API int ob_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                      size_t ld_owner, const ob_route *route);

/* The largest element of an operation of the caller's, in bytes. */
enum { OB_ELEMENT_BYTES = 8192 };

/* An element-wise operation of the caller's: acc[i] = acc[i] op in[i] for n
 * elements of element_bytes each. It must be associative and commute, up to
 * rounding; it is called from any member's call and in any grouping the positions decide. */
typedef struct ob_operation {
    void (*apply)(size_t n, void *acc, const void *in, const void *context);
    const void *context;
    size_t element_bytes; /* 1 .. OB_ELEMENT_BYTES */
} ob_operation;

/* The library's own operations, for elements of many kinds. */
typedef enum ob_operator {
    OB_OPERATOR_MAX = 0, /* a NaN wins over every number, and +0 over -0 */
    OB_OPERATOR_MIN,     /* a NaN wins over every number, and -0 over +0 */
    OB_OPERATOR_SUM,     /* of integers, as the product: modulo their range */
    OB_OPERATOR_PRODUCT,
    OB_OPERATOR_AND, /* of truth values, also of reals that are not 0; 0 or 1. Of LOGICALs one of
                      * the operands: a compiler's .true. stays as it is */
    OB_OPERATOR_OR,
    OB_OPERATOR_XOR,
    OB_OPERATOR_BIT_AND,
    OB_OPERATOR_BIT_OR,
    OB_OPERATOR_BIT_XOR,
    OB_OPERATOR_MAX_PAIR, /* of (value, index) the one with the larger value; a NaN wins over every
                           */
    OB_OPERATOR_MIN_PAIR, /* number; of equal values, and of NaN, the smaller index */
    OB_OPERATOR_AVERAGE,  /* the sum, divided by the number of members where the result is left; of
                           * integers rounded towards zero. Its function `apply` only adds */
    OB_OPERATORS
} ob_operator;

typedef enum ob_kind {
    OB_KIND_INT8 = 0,
    OB_KIND_INT16,
    OB_KIND_INT32,
    OB_KIND_INT64,
    OB_KIND_UINT8,
    OB_KIND_UINT16,
    OB_KIND_UINT32,
    OB_KIND_UINT64,
    OB_KIND_FLOAT,
    OB_KIND_DOUBLE,
    OB_KIND_LONG_DOUBLE,
    OB_KIND_COMPLEX,
    OB_KIND_DCOMPLEX,
    OB_KIND_LONG_COMPLEX, /* sum and product */
    OB_KIND_BOOL,
    OB_KIND_LOGICAL1,
    OB_KIND_LOGICAL2,
    OB_KIND_LOGICAL4,
    OB_KIND_LOGICAL8, /* truth */
    OB_KIND_BYTE,     /* bits */
    /* Pairs, C structs of a value and an index. */
    OB_KIND_FLOAT_INT,
    OB_KIND_DOUBLE_INT,
    OB_KIND_LONG_INT,
    OB_KIND_SHORT_INT,
    OB_KIND_LONG_DOUBLE_INT,
    OB_KIND_2INT,
    OB_KIND_2FLOAT,
    OB_KIND_2DOUBLE,
    /* Floating-point numbers of 16 bits. Sums, products and averages of all members are made in
     * float and rounded once, at the end; the function `apply` alone rounds each time. */
    OB_KIND_HALF,     /* IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction */
    OB_KIND_BFLOAT16, /* the upper half of a float: 8 bits of exponent, 7 of fraction */
    OB_KINDS
} ob_kind;

/* Such an operation, for the calls below. On a matrix of the kind's own type (ob_kind_type) sums
 * and extremes are as fast as ob_combine's. OB_EARG where the kind has no such operator. */
OB_API int ob_operation_of(ob_operator what, ob_kind kind, ob_operation *operation);
/* The type of matrices with such elements; of 32-bit integers OB_INT and of 64-bit
 * ones OB_INT64, with and without sign;
 * OB_BYTE: there is none. */
OB_API ob_type ob_kind_type(ob_kind kind);

/* ob_combine with an operation of the caller's, or of ob_operation_of. The matrix's bytes must be a
 * multiple of element_bytes; where its own type is smaller than an element, each column's too. */
OB_API int ob_combine_by(ob_group *group, int root, const ob_operation *operation,
                         const ob_view *matrix, const ob_route *route);

/* The same out of place: this member's matrix `from` stays as it is, and the result goes to `to`,
 * of the same bytes. `to` is not looked at where no result is left; it may be `from` itself. The
 * cost is that of ob_combine_by, and between nodes that of one copy. */
OB_API int ob_combine_to(ob_group *group, int root, const ob_operation *operation,
                         const ob_view *from, const ob_view *to, const ob_route *route);
/* The same of an operation that need not commute, but must be associative: the result is member 0's
 * matrix op member 1's op ... op the last one's, whatever the root. acc always belongs to lower
 * positions than in. n and p as above: on one node as ob_combine_by; else, with short vectors,
 * log2(p) alpha + p n beta, with long ones (p + log2(p)) alpha + 2 n beta. No topology is used. */
OB_API int ob_combine_in_order(ob_group *group, int root, const ob_operation *operation,
                               const ob_view *from, const ob_view *to, const ob_route *route);

/* A vector in one piece for each member, in the order of positions. Pieces may
 * have any sizes; all members know them all and agree, but for `private`. */
typedef struct ob_pieces {
    void *base; /* of piece 0, unless offsets say otherwise */
    ob_type type;
    size_t count;          /* elements of every piece, where counts is NULL */
    const size_t *counts;  /* elements of each piece */
    const size_t *offsets; /* elements from base to each piece; NULL: one behind the other */
    const ob_view *views;  /* not NULL: the pieces are these, and all above is ignored */
    int private_sizes;     /* scatter and gather: only the root, of each member's own piece
                            * also that member, knows sizes. All members set it alike. */
} ob_pieces;

/* Every member's piece to all (iCC's collect, MPI's Allgatherv): the caller has
 * filled its own piece, and gets the others. */
OB_API int ob_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route);
/* Piece i of the root's vector to member i's matrix `mine` (NULL at the root: leave
 * it in place). Away from the root base, offsets and views are not looked at, but the sizes are. */
OB_API int ob_scatter(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
                      const ob_route *route);
/* Member i's matrix `mine` to piece i of the root's vector; as ob_scatter. */
OB_API int ob_gather(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
                     const ob_route *route);
/* Combines the members' vectors element by element and leaves piece i of the
 * result at member i (iCC's distributed combine, MPI's Reduce_scatter). The other pieces
 * may be overwritten with intermediate results. No owners. */
OB_API int ob_distributed_combine(ob_group *group, ob_op op, const ob_pieces *pieces,
                                  const ob_route *route);
OB_API int ob_distributed_combine_by(ob_group *group, const ob_operation *operation,
                                     const ob_pieces *pieces, const ob_route *route);
/* The same out of place: all pieces stay as they are, and this member's piece of the result goes to
 * `to`, of the same bytes, which lies apart from the vector. NULL: as ob_distributed_combine_by. */
OB_API int ob_distributed_combine_to(ob_group *group, const ob_operation *operation,
                                     const ob_pieces *pieces, const ob_view *to,
                                     const ob_route *route);
/* The same of an operation that need not commute, as of ob_combine_in_order. */
OB_API int ob_distributed_combine_in_order(ob_group *group, const ob_operation *operation,
                                           const ob_pieces *pieces, const ob_view *to,
                                           const ob_route *route);
/* ob_collect whose own piece is `from`, apart from the vector: it is copied to its place, too. */
OB_API int ob_collect_from(ob_group *group, const ob_view *from, const ob_pieces *pieces,
                           const ob_route *route);
/* Everybody to everybody (MPI's Alltoallv and Alltoallw): piece i of this member's `from` becomes
 * piece k of member i's `to`, k being this member's position. Each member knows the sizes of its
 * own pieces alone; what two members exchange must have the same bytes at both, else OB_ESIZE at
 * the one who receives. The two vectors do not overlap. private_sizes is not looked at.
 * (p - 1) alpha + n beta, n the bytes of the longer vector. On one node, with at most as many
 * members as one board has (OPENBLACS_TIERS), alpha + n beta for vectors of up to 256 KiB, and
 * 2 alpha + n beta for those that are read straight. OB_EARG, OB_ESIZE, OB_ENOMEM, OB_EGONE. */
OB_API int ob_all_to_all(ob_group *group, const ob_pieces *from, const ob_pieces *to,
                         const ob_route *route);

/* Nobody returns before all members have called. log2(p) alpha. */
OB_API int ob_barrier(ob_group *group);

/* ---------------------------------------------------- collective, without waiting */

/* Each of these begins a collective call and gives a request, which ends like that of an ob_isend
 * or ob_irecv (ob_wait and the others; ob_cancel does nothing; the `received` of it says nothing:
 * source and tag are -1). All members begin them in the same order, also in relation to the
 * group's other collective calls; they may end in any order, and any number may be under way.
 * Neither messages nor other collective calls of the group get in their way.
 *
 * Until the request is done, all memory that the call names is the library's: nobody else writes
 * there, and what is read there is not defined. The structures themselves (views, pieces with
 * their arrays, routes, operations) are copied, but for what an operation's context points to.
 *
 * Who moves it: every call of the library that waits, and every ob_test. Where all members are on
 * this node and the bytes are as many as OPENBLACS_BACKGROUND says (256 KiB), also the library's
 * own thread, while the program computes; but never with an operation of the caller's own, which
 * is called from the program's calls alone. Where the processors are no more than the processes,
 * what nothing has to come before is sent when the call begins. Through MPI nothing moves without a
 * call.
 *
 * The route's topology is not looked at, but for two of a broadcast's. OB_TOP_FULL: from the root
 * straight to each. Then nobody forwards, so a member that computes before it waits makes no other
 * one late. OB_TOP_RING_UP: from the root to the next member, and from there on; where nodes have
 * several members, from node to node. The next one has it first, and each sends it once; the last
 * one has it late.
 * Results: on one node sums have the bits of ob_combine
 * without a topology. Elsewhere they are repeatable, and with OB_REPRODUCIBLE reproducible.
 * Memory: up to twice the matrix more, until the request is done.
 *
 * Errors: OB_EARG, OB_ENOMEM and OB_ESETTING from the call that begins; by the request OB_ESIZE
 * where members name different sizes, OB_EGONE where a member has ended, OB_ESTATE where the group
 * was freed before the end, OB_ENOMEM, and OB_ESYSTEM where memory cannot be reached any more. One
 * member's failure ends the call at the others, too. */

/* ob_broadcast. On one node alpha + n beta at the root; to nodes of several members once to each
 * node; else as ob_broadcast. With OB_TOP_FULL (p - 1) (alpha + n beta) at the root, with
 * OB_TOP_RING_UP alpha + n beta at each, p - 1 times that at the last. */
OB_API int ob_ibroadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route,
                         ob_request **request);
/* ob_combine. On one node 2 (p - 1) alpha + 2 (p - 1) / p n beta, else as ob_combine. From
 * 128 KiB on, on one node where processes may reach each other's memory, who waits also does the
 * share of those that compute. */
OB_API int ob_icombine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                       size_t ld_owner, const ob_route *route, ob_request **request);
/* ob_combine_by. */
OB_API int ob_icombine_by(ob_group *group, int root, const ob_operation *operation,
                          const ob_view *matrix, const ob_route *route, ob_request **request);
/* ob_collect. On one node (p - 1) alpha + (p - 1) / p n beta, else as ob_collect. */
OB_API int ob_icollect(ob_group *group, const ob_pieces *pieces, const ob_route *route,
                       ob_request **request);
/* Everybody to everybody: piece i of `out` goes to member i, whose piece in `in` for the caller has
 * the same bytes (MPI's Alltoallv). The two do not overlap. (p - 1) alpha + n beta. */
OB_API int ob_iexchange(ob_group *group, const ob_pieces *out, const ob_pieces *in,
                        ob_request **request);
/* Its request is done when all members have begun it. log2(p) alpha. */
OB_API int ob_ibarrier(ob_group *group, ob_request **request);

/* The same, prepared once and begun often: the plan, the pieces' bounds and working memory stay.
 * Each works on the matrices that it was prepared with, with what is in them when it begins. All
 * members prepare in the same order as they would begin; different prepared calls may be begun in
 * any order, each as often at all members. */
typedef struct ob_prepared ob_prepared;

OB_API int ob_prepare_broadcast(ob_group *group, int root, const ob_view *matrix,
                                const ob_route *route, ob_prepared **prepared);
OB_API int ob_prepare_combine(ob_group *group, int root, ob_op op, const ob_view *matrix,
                              int *owner, size_t ld_owner, const ob_route *route,
                              ob_prepared **prepared);
OB_API int ob_prepare_combine_by(ob_group *group, int root, const ob_operation *operation,
                                 const ob_view *matrix, const ob_route *route,
                                 ob_prepared **prepared);
OB_API int ob_prepare_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route,
                              ob_prepared **prepared);
OB_API int ob_prepare_exchange(ob_group *group, const ob_pieces *out, const ob_pieces *in,
                               ob_prepared **prepared);
OB_API int ob_prepare_barrier(ob_group *group, ob_prepared **prepared);
/* Begins it. OB_ESTATE while the request of the last time has not been ended, and after one that
 * has failed. */
OB_API int ob_begin(ob_prepared *prepared, ob_request **request);
/* Frees it, before its group; when it is under way, at the end of its request. NULL is fine. */
OB_API void ob_prepared_free(ob_prepared *prepared);

#ifdef __cplusplus
}
#endif

/* Many small calls as one. */
#include "openblacs/together.h"
#endif
