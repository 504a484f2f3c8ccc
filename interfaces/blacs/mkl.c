/*
 * What the ScaLAPACK of Intel's MKL needs beyond netlib's interface. Nothing here depends on
 * MKL: its functions are looked up when it calls ours in their place.
 */
#include "openblacs/blacs_mkl.h"

#include <dlfcn.h>

#include "grid.h"

/* The function that this library's stands before, or another one of whoever calls. */
static void *find(void *where, const char *name)
{
    obl_call call = {name, -1, NULL};
    void *function = dlsym(where, name);
    if (!function)
        obl_fault(&call, "OB-1031 there is no such function in the libraries of this program");
    return function;
}

/* Is there a job, and no MPI? */
static int alone(void)
{
    return obl_job() && !obl_has_mpi();
}

/* ------------------------------------------------------------------ PDGEMM */

#define GEMM_TYPES                                                                                 \
    char *, char *, int, int, int, char *, char *, int, int, int *, char *, int, int, int *,       \
        char *, char *, int, int, int *
#define GEMM                                                                                       \
    transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc

/* PDGEMM takes this path whatever the grid. Its other paths need the BLACS alone. */
void PB_CpgemmMPI(void *type, char *transa, char *transb, int m, int n, int k, char *alpha, char *a,
                  int ia, int ja, int *desca, char *b, int ib, int jb, int *descb, char *beta,
                  char *c, int ic, int jc, int *descc)
{
    char forward[] = "F";
    void (*by_mpi)(void *, GEMM_TYPES);
    void (*by_blacs)(void *, char *, char *, GEMM_TYPES);

    if (alone()) {
        *(void **)&by_blacs = find(RTLD_DEFAULT, "PB_CpgemmAB");
        by_blacs(type, forward, forward, GEMM);
    } else {
        *(void **)&by_mpi = find(RTLD_NEXT, "PB_CpgemmMPI");
        by_mpi(type, GEMM);
    }
}

/* --------------------------------------------------------- communicators */

static _Noreturn void needs_mpi(const char *name)
{
    obl_call call = {name, -1, NULL};
    obl_fault(&call,
              "OB-3012 this routine of MKL sends MPI messages of its own, and this program has no "
              "MPI: start it with the mpirun of an MPI library");
}

/* X(name, parameters, types, arguments, what it does without MPI). PDGETRF asks for these before
 * it decides: where a process's rank is not its place in the grid, it takes its path by the BLACS.
 */
#define MKL_CALLS(X)                                                                               \
    X(Comm_compare, (word comm, word other, int *result), (word, word, int *),                     \
      (obl_whole_word(comm), obl_whole_word(other), result), *result = 0)                          \
    X(Comm_rank, (word comm, int *rank), (word, int *), (obl_whole_word(comm), rank), *rank = -1)  \
    X(Comm_size, (word comm, int *size), (word, int *), (obl_whole_word(comm), size), *size = 1)   \
    X(Allreduce, (void *in, void *out, int n, word type, word op, word comm),                      \
      (void *, void *, int, word, word, word), (in, out, n, type, op, obl_whole_word(comm)),       \
      needs_mpi("MKLMPI_Allreduce"))                                                               \
    X(Barrier, (word comm), (word), (obl_whole_word(comm)), needs_mpi("MKLMPI_Barrier"))           \
    X(Bcast, (void *data, int n, word type, int root, word comm), (void *, int, word, int, word),  \
      (data, n, type, root, obl_whole_word(comm)), needs_mpi("MKLMPI_Bcast"))                      \
    X(Comm_dup, (word comm, void *out), (word, void *), (obl_whole_word(comm), out),               \
      needs_mpi("MKLMPI_Comm_dup"))                                                                \
    X(Comm_split, (word comm, int color, int key, void *out), (word, int, int, void *),            \
      (obl_whole_word(comm), color, key, out), needs_mpi("MKLMPI_Comm_split"))                     \
    X(Iprobe, (int source, int tag, word comm, int *there, void *status),                          \
      (int, int, word, int *, void *), (source, tag, obl_whole_word(comm), there, status),         \
      needs_mpi("MKLMPI_Iprobe"))                                                                  \
    X(Irecv, (void *data, int n, word type, int source, int tag, word comm, void *request),        \
      (void *, int, word, int, int, word, void *),                                                 \
      (data, n, type, source, tag, obl_whole_word(comm), request), needs_mpi("MKLMPI_Irecv"))      \
    X(Isend, (void *data, int n, word type, int dest, int tag, word comm, void *request),          \
      (void *, int, word, int, int, word, void *),                                                 \
      (data, n, type, dest, tag, obl_whole_word(comm), request), needs_mpi("MKLMPI_Isend"))        \
    X(Recv, (void *data, int n, word type, int source, int tag, word comm, void *status),          \
      (void *, int, word, int, int, word, void *),                                                 \
      (data, n, type, source, tag, obl_whole_word(comm), status), needs_mpi("MKLMPI_Recv"))        \
    X(Reduce, (void *in, void *out, int n, word type, word op, int root, word comm),               \
      (void *, void *, int, word, word, int, word),                                                \
      (in, out, n, type, op, root, obl_whole_word(comm)), needs_mpi("MKLMPI_Reduce"))              \
    X(Rsend, (void *data, int n, word type, int dest, int tag, word comm),                         \
      (void *, int, word, int, int, word), (data, n, type, dest, tag, obl_whole_word(comm)),       \
      needs_mpi("MKLMPI_Rsend"))                                                                   \
    X(Send, (void *data, int n, word type, int dest, int tag, word comm),                          \
      (void *, int, word, int, int, word), (data, n, type, dest, tag, obl_whole_word(comm)),       \
      needs_mpi("MKLMPI_Send"))

typedef ob_mkl_word word;

/* A function of MKL's is found once; the loader's answer is always the same. */
#define STAMP(name, parameters, types, arguments, without)                                         \
    int MKLMPI_##name parameters                                                                   \
    {                                                                                              \
        static int(*_Atomic known) types;                                                          \
        int(*next) types = known;                                                                  \
        if (alone()) {                                                                             \
            without;                                                                               \
            return 0;                                                                              \
        }                                                                                          \
        if (!next) {                                                                               \
            *(void **)&next = find(RTLD_NEXT, "MKLMPI_" #name);                                    \
            known = next;                                                                          \
        }                                                                                          \
        return next arguments;                                                                     \
    }

MKL_CALLS(STAMP)

int obl_serves_mkl(void)
{
    return dlsym(RTLD_DEFAULT, "MKLMPI_Get_wrappers") != NULL;
}
