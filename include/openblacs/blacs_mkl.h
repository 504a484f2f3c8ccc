/*
 * What the ScaLAPACK of Intel's MKL asks of its BLACS beyond netlib's (docs/blacs.md, "Which
 * ScaLAPACK"). Nothing here is for programs to call, but dsendrecv may be. System contexts of
 * rows and columns are in blacs.h: blacs_get with 17 and 18.
 */
#if !defined(OPENBLACS_BLACS_MKL_H) || defined(OB_STAMPING)
#define OPENBLACS_BLACS_MKL_H

#ifndef OB_STAMPING
#include "openblacs/blacs.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Sends the m x n matrix a to (rdest, cdest) and receives the p x q matrix b from (rsrc, csrc);
 * as Cdgesd2d and then Cdgerv2d. Both may be the caller. */
OB_API void OB_C(dsendrecv)(OB_INTEGER context, OB_INTEGER m, OB_INTEGER n, OB_IN double *a,
                            OB_INTEGER lda, OB_INTEGER rdest, OB_INTEGER cdest, OB_INTEGER p,
                            OB_INTEGER q, double *b, OB_INTEGER ldb, OB_INTEGER rsrc,
                            OB_INTEGER csrc);
OB_API void OB_F(dsendrecv)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n,
                            OB_IN double *a, OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rdest,
                            OB_IN OB_INTEGER *cdest, OB_IN OB_INTEGER *p, OB_IN OB_INTEGER *q,
                            double *b, OB_IN OB_INTEGER *ldb, OB_IN OB_INTEGER *rsrc,
                            OB_IN OB_INTEGER *csrc);

#ifndef OB_STAMPING
/* The PBLAS' product by MPI messages: MKL's own, and without MPI its PB_CpgemmAB. */
OB_API void PB_CpgemmMPI(void *type, char *transa, char *transb, int m, int n, int k, char *alpha,
                         char *a, int ia, int ja, int *desca, char *b, int ib, int jb, int *descb,
                         char *beta, char *c, int ic, int jc, int *descc);

/* MKL's ScaLAPACK reaches the MPI library through a table of these, which libmkl_blacs_* has. It
 * keeps 32 bits of what Cblacs2sys_handle gives; Open MPI's communicators are pointers, of
 * which these put the rest back before they call libmkl_blacs_*'s function of the same name. */
typedef uintptr_t ob_mkl_word; /* a communicator, type or operation */
OB_API int MKLMPI_Allreduce(void *in, void *out, int n, ob_mkl_word type, ob_mkl_word op,
                            ob_mkl_word comm);
OB_API int MKLMPI_Barrier(ob_mkl_word comm);
OB_API int MKLMPI_Bcast(void *data, int n, ob_mkl_word type, int root, ob_mkl_word comm);
OB_API int MKLMPI_Comm_compare(ob_mkl_word comm, ob_mkl_word other, int *result);
OB_API int MKLMPI_Comm_dup(ob_mkl_word comm, void *out);
OB_API int MKLMPI_Comm_rank(ob_mkl_word comm, int *rank);
OB_API int MKLMPI_Comm_size(ob_mkl_word comm, int *size);
OB_API int MKLMPI_Comm_split(ob_mkl_word comm, int color, int key, void *out);
OB_API int MKLMPI_Iprobe(int source, int tag, ob_mkl_word comm, int *there, void *status);
OB_API int MKLMPI_Irecv(void *data, int n, ob_mkl_word type, int source, int tag, ob_mkl_word comm,
                        void *request);
OB_API int MKLMPI_Isend(void *data, int n, ob_mkl_word type, int dest, int tag, ob_mkl_word comm,
                        void *request);
OB_API int MKLMPI_Recv(void *data, int n, ob_mkl_word type, int source, int tag, ob_mkl_word comm,
                       void *status);
OB_API int MKLMPI_Reduce(void *in, void *out, int n, ob_mkl_word type, ob_mkl_word op, int root,
                         ob_mkl_word comm);
OB_API int MKLMPI_Rsend(void *data, int n, ob_mkl_word type, int dest, int tag, ob_mkl_word comm);
OB_API int MKLMPI_Send(void *data, int n, ob_mkl_word type, int dest, int tag, ob_mkl_word comm);
#endif

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/blacs_mkl.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
