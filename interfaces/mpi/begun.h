/*
 * Calls that do not wait, and persistent ones, on communicators whose members are all on one node.
 *
 * What the program gets is an MPI_Request of its MPI library: a generalized request, or
 * (persistent) a request for a message from itself, which the library takes for one that is not
 * active. Behind it is a prepared call of the core. The calls that end requests (ends.c) end
 * that first, and then tell the library (MPI_Grequest_complete; MPI_Start and that message), which
 * does the rest as with any request. So MPI is called by the program's own threads alone.
 *
 * Nobody who waits in another call of MPI need come to us for others to go on: the core's
 * background thread moves what is under way, and calls no MPI. What would have to call it, packing
 * and the program's operations, is done when a call begins and when it ends, by the thread that
 * makes these calls; so such an operation combines, at the end, vectors of all members.
 */
#ifndef OB_MPI_BEGUN_H
#define OB_MPI_BEGUN_H

#include "shim.h"

typedef struct shim_begun {
    shim_comm *on;
    shim_call call;
    MPI_Request handle; /* as the program knows it */
    ob_prepared *prepared;
    ob_request *core; /* NULL: it is not under way */
    bool persistent;
    int result;          /* what the call that ends it returns */
    size_t piece, place; /* bytes of the own piece and of its place, where they differ */

    /* What is packed when it begins, and unpacked when it ends. */
    shim_pieces out, in;
    /* Bytes that are copied when it begins. */
    const void *copy_from;
    void *copy_to;
    size_t copy_bytes;
    /* Of a reduction: elements that are packed when it begins, and what is combined at the end. */
    shim_reduction r;
    const void *send;
    char *packed; /* NULL: nothing */
    char *terms;
    int folded;  /* as many terms; 0: nothing */
    size_t fold; /* elements */
    void *receive;

    char *memory[2];    /* freed with it */
    MPI_Datatype *held; /* duplicates of derived types */
    int holds;
    struct shim_begun *next;
} shim_begun;

/* ---------------------------------------------------------------- begun.c */

/* A communicator on which this call may be served; NULL: pass it on. */
shim_comm *shim_begins_on(shim_call call, MPI_Comm comm);
/* A call on it. One that is not launched is dropped. */
shim_begun *shim_begin(shim_call call, shim_comm *on);
/* All is set: begins it, or only prepares it, and gives *handle. What MPI returns. */
int shim_launch(shim_begun *b, MPI_Request *handle);
void shim_drop(shim_begun *b);
/* Memory that lives as long as it; ends the job where there is none. */
char *shim_begun_memory(shim_begun *b, int which, size_t bytes);
/* Keeps a derived type, which the program may free: the type becomes a duplicate. */
void shim_hold_type(shim_begun *b, shim_type *type);

/* The one behind a handle, NULL: it is not ours. */
shim_begun *shim_begun_of(MPI_Request handle);
/* Are there any? */
bool shim_any_begun(void);
/* Begins a persistent one again. What MPI returns. */
int shim_restart(shim_begun *b);
/* Is it under way no more? Then the MPI library knows, too. Does not wait. */
bool shim_over_now(shim_begun *b);
/* Waits until it is. */
void shim_finish(shim_begun *b);
/* Waits for one of them. */
void shim_finish_any(shim_begun **b, int count);
/* A persistent one that is not under way, and whose handle the program gives back. */
void shim_forget(shim_begun *b);
/* An operation of the program's is freed when no call needs it any more. True: it is kept. */
bool shim_keep_operation(MPI_Op op);

/* ------------------------------------------------ begun_move.c, begun_reduce.c
 * Each sets up a call; false: pass it on. b->result: an error where the call ends at once. */

/* What a call is worth once the core has prepared it, or has failed to. */
static inline bool prepared(shim_begun *b, int status)
{
    b->result = shim_result(b->on, b->call, status);
    return true;
}

bool begin_barrier(shim_begun *b);
bool begin_bcast(shim_begun *b, void *buffer, long long count, MPI_Datatype type, int root);
bool begin_allgather(shim_begun *b, const shim_piece *send, const shim_side *receive);
bool begin_gather(shim_begun *b, const shim_piece *send, const shim_side *receive, int root);
bool begin_scatter(shim_begun *b, const shim_side *send, const shim_piece *receive, int root);
bool begin_alltoall(shim_begun *b, const shim_side *send, const shim_side *receive);
/* root OB_ANY: to all. */
bool begin_reduce(shim_begun *b, const void *send, void *receive, long long count,
                  MPI_Datatype type, MPI_Op op, int root);
bool begin_reduce_scatter(shim_begun *b, const void *send, void *receive, shim_list counts,
                          long long each, MPI_Datatype type, MPI_Op op);
bool begin_scan(shim_begun *b, const void *send, void *receive, long long count, MPI_Datatype type,
                MPI_Op op, bool exclusive);

#endif
