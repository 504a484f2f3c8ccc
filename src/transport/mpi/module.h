/*
 * What the library asks of an MPI library, as a table of functions. module.c
 * implements it once for each MPI library and is loaded when the process runs
 * under that library; nothing here depends on mpi.h.
 *
 * Functions that return int give 0 or an MPI error code (text() explains it),
 * unless said otherwise. The table itself takes no lock: when MPI was not
 * started for MPI_THREAD_MULTIPLE, the caller keeps threads apart.
 */
#ifndef OB_TRANSPORT_MPI_MODULE_H
#define OB_TRANSPORT_MPI_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Raised with each change of the table; a module of another number is refused. */
#define OB_MPI_MODULE_NUMBER 10u

/* A communicator of ours, owned by the module between create and release. */
typedef struct ob_mpi_comm ob_mpi_comm;

/* Tags of create and comm are below this, as MPI promises them. */
enum { OB_MPI_TAGS = 32768 };

/* Room for the library's MPI_Request, an int or a pointer. */
typedef union ob_mpi_request {
    void *pointer;
    int number;
} ob_mpi_request;

enum ob_mpi_state { OB_MPI_BEFORE = 0, OB_MPI_RUNNING, OB_MPI_OVER };

/* MPI_THREAD_SINGLE and so on, in MPI's order. */
enum ob_mpi_level { OB_MPI_SINGLE = 0, OB_MPI_FUNNELED, OB_MPI_SERIALIZED, OB_MPI_MULTIPLE };

/* Why a handle leads to no group. */
enum ob_mpi_handle_fault {
    OB_MPI_NO_HANDLE = -1,    /* not a live communicator */
    OB_MPI_INTER_HANDLE = -2, /* an intercommunicator */
    OB_MPI_FOREIGN = -3,      /* has members outside the base */
    OB_MPI_NO_MEMORY = -4
};

/* An operation that commutes, on elements of so many bytes. */
typedef struct ob_mpi_op {
    int sum; /* the ob_type of whose elements it is the sum; OB_BYTE: none */
    int bytes;
    void (*apply)(const void *context, size_t n, void *acc, const void *in);
    const void *context;
} ob_mpi_op;

struct ob_mpi_module {
    unsigned number;  /* OB_MPI_MODULE_NUMBER */
    const char *name; /* of the library it was compiled for: "openmpi", "mpich" */

    /* May be called at any time, before MPI_Init and after MPI_Finalize too. */
    enum ob_mpi_state (*state)(void);
    void (*library)(char *text, size_t room);        /* its version, one line */
    void (*text)(int code, char *text, size_t room); /* an error code in words */

    int (*start)(void);  /* MPI_Init */
    int (*finish)(void); /* MPI_Finalize */
    enum ob_mpi_level (*level)(void);
    int (*main_thread)(void); /* 1 when the caller is the thread that started MPI */
    /* A base is the handle of the communicator that a job is: MPI_COMM_WORLD, or one with members
     * from elsewhere. */
    int (*world)(long base, int *rank, int *size);
    void (*abort)(long base, int code); /* MPI_Abort on it; does not return */
    /* Calls call(argument) at the start of MPI_Finalize, when MPI still works. */
    int (*at_finalize)(void (*call)(void *), void *argument);

    /* A communicator over these ranks of the base, in this order. Collective
     * among them alone; tag (below OB_MPI_TAGS) tells meetings at the same time apart. */
    int (*create)(long base, const int *ranks, int size, int tag, ob_mpi_comm **comm);
    int (*release)(ob_mpi_comm *comm); /* collective */
    int (*allgather)(ob_mpi_comm *comm, const void *mine, void *all, int bytes);
    int (*alltoall)(ob_mpi_comm *comm, const void *out, void *in, int bytes);
    int (*minimum)(ob_mpi_comm *comm, int *value); /* of all members, in place */
    /* The request is complete when all members have called this. */
    int (*barrier)(ob_mpi_comm *comm, ob_mpi_request *request);

    /* What programs call themselves; all members are there. root -1: left on all.
     * They block as the MPI library does, which may spin. After pause_with(comm, pause) they are
     * begun and tested, and pause(how many tests were in vain) is called between two tests; NULL:
     * they block again. All members do the same, since the two forms do not match. */
    void (*pause_with)(ob_mpi_comm *comm, void (*pause)(unsigned vain));
    int (*broadcast)(ob_mpi_comm *comm, int root, void *data, int bytes);
    int (*combine)(ob_mpi_comm *comm, int root, const ob_mpi_op *op, void *data, int count);
    /* Of bytes; at the root the vector, elsewhere the own piece. */
    int (*scatter)(ob_mpi_comm *comm, int root, void *data, const int *counts, const int *starts);
    int (*gather)(ob_mpi_comm *comm, int root, void *data, const int *counts, const int *starts);
    int (*collect)(ob_mpi_comm *comm, void *all, const int *counts, const int *starts);
    int (*distribute)(ob_mpi_comm *comm, const ob_mpi_op *op, const void *all, void *own,
                      const int *counts);

    int (*isend)(ob_mpi_comm *comm, int dest, int tag, const void *data, int bytes,
                 ob_mpi_request *request);
    int (*irecv)(ob_mpi_comm *comm, int source, int tag, void *data, int bytes,
                 ob_mpi_request *request);
    /* *done becomes 1 and the request is released when it is complete, else 0.
     * bytes, when not NULL, receives what a completed receive got. */
    int (*test)(ob_mpi_request *request, int *done, int *bytes);
    /* The same, but returns when it is complete: for simulated processes, and for
     * what is known to be here. */
    int (*wait)(ob_mpi_request *request, int *bytes);
    /* *there becomes 1, and *bytes the size, when a message waits to be received. */
    int (*probe)(ob_mpi_comm *comm, int source, int tag, int *there, int *bytes);
    /* Lets the library move whatever it has under way, between at_finalize and
     * its call. Not by two threads at a time, whatever the level. */
    int (*progress)(void);

    /* System contexts. A handle is a Fortran communicator handle, a word what C
     * calls an MPI_Comm. group gives malloc'ed ranks in the base and their
     * number (> 0), or an ob_mpi_handle_fault. */
    long (*world_handle)(void);
    int (*group)(long base, long handle, int **ranks);
    int (*from_word)(uintptr_t word, long *handle);   /* 0, or OB_MPI_NO_HANDLE */
    int (*to_word)(long handle, uintptr_t *word);     /* 0, or OB_MPI_NO_HANDLE */
    void (*null_comm)(long *handle, uintptr_t *word); /* MPI_COMM_NULL in both forms */
    /* Cartesian communicators of a grid: all, the caller's row, its column. ranks:
     * the members' in the communicator `handle`, row-major. Collective over that;
     * who is no member gets MPI_COMM_NULL three times. */
    int (*grid)(long handle, const int *ranks, int rows, int columns, long made[3]);
    /* A communicator for the program, made as by create. */
    int (*comm)(long base, const int *ranks, int size, int tag, long *handle);
    int (*free_comm)(long handle); /* collective */

    /* Communicators that the program has made itself. The dimensions of a Cartesian topology,
     * 0: it has none, or OB_MPI_NO_HANDLE; of the first two also their sizes and periods. */
    int (*cartesian)(long handle, int dims[2], int periods[2]);
    /* Keeps a number with a communicator; 0 leaves the one that is there. A duplicate gets one
     * that follows from its original's, alike on all members, unless that is 0. */
    int (*keep_key)(long handle, uint64_t key);
    uint64_t (*key)(long handle); /* 0: none is kept */
    /* The same with the job that a communicator is. A duplicate gets none. */
    int (*keep_job)(long handle, void *job);
    void *(*job)(long handle); /* NULL: none is kept */
    /* Who is told when the program frees the communicator that a job is, while it still works. */
    void (*on_job_free)(void (*freed)(void *job));
    /* Who is told when the program frees a communicator with which something is kept. */
    void (*on_free)(void (*freed)(long handle));
    /* The largest of all members' numbers, in place, once the request is complete. */
    int (*agree)(long handle, uint64_t *key, ob_mpi_request *request);
    /* The ob_type behind a Fortran handle of a predefined datatype; -1: none. */
    int (*type)(long handle);
};

/* The one symbol a module exports, and its type. */
#define OB_MPI_MODULE_SYMBOL "ob_mpi_module"
typedef const struct ob_mpi_module *ob_mpi_module_function(void);

#endif
