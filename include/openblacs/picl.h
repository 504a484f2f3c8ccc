/*
 * PICL, the portable instrumented communication library (Geist, Heath, Peyton and
 * Worley, "PICL, a portable instrumented communication library, C reference manual").
 * A host and P nodes, 0 .. P-1; messages with types; global operations along chosen
 * topologies; execution traces.
 *
 * The host is the process that was started plainly: open0 makes room for nodes on this
 * machine, load0 starts them. Under obrun and MPI's launchers the host is process 0, and
 * the nodes are the others, already loaded. One library serves both.
 *
 * Errors end the job with one line that names call, processor, argument and value.
 * One thread per process calls these. Times are seconds, lengths bytes.
 */
#ifndef OPENBLACS_PICL_H
#define OPENBLACS_PICL_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host's number; also returned by open0 and who0. */
#define PICL_HOST (-32768)
/* Types are 0 .. PICL_TYPES - 1; -1 is any type (recv0, probe0). */
#define PICL_TYPES 900000000

/* --------------------------------------------------------------- low level */

/* Opens communication. On the host *numproc asks for so many nodes (none or less: all
 * there are, or one for each processor). Out: nodes, own number, the host's. */
OB_API void open0(int *numproc, int *me, int *host);
/* Closes it. A node waits for the host's close0, and gives it its trace. The host waits for
 * all nodes' close0; with release 1 it also waits for them to end and gives the nodes back. */
OB_API void close0(int release);
/* Host: starts a program on a node, or (-1) on all; again when the last one there has ended. Where
 * a launcher has started the nodes it does nothing. */
OB_API void load0(char *file, int node);
OB_API void who0(int *numproc, int *me, int *host);
/* Sends to a node, to the host, or (-1) to all other nodes. Does not wait for the receiver. */
OB_API void send0(char *buf, int bytes, int type, int dest);
/* Waits for a message of that type; it may be shorter than `bytes`, not longer. */
OB_API void recv0(char *buf, int bytes, int type);
/* 1 when a message of that type is there. */
OB_API int probe0(int type);
/* Of the message received or found last. */
OB_API void recvinfo0(int *bytes, int *type, int *source);
/* Prints a line, at most 80 characters, on the host's standard output. */
OB_API void message0(char *message);
/* Nodes: waits until all nodes call it. */
OB_API void sync0(void);
/* 1: arguments are checked (the default); else they are not. */
OB_API void check0(int checking);
OB_API double clock0(void);

/* -------------------------------------------------------------- high level */

/* Topologies, orders and directions of setarc0. */
enum { PICL_HYPERCUBE = 1, PICL_FULL, PICL_RING, PICL_TWO_WAY_RING };
enum { PICL_NATURAL = 0, PICL_GRAY = 1, PICL_FORWARD = 1, PICL_BACKWARD = -1 };

/* Host: sets how many nodes are in use (0: none any more), and along what. Nodes: gets it;
 * one that is not in use waits for the next. */
OB_API void setarc0(int *nprocs, int *top, int *ord, int *dir);
OB_API void getarc0(int *nprocs, int *top, int *ord, int *dir);
OB_API void barrier0(void);
/* From root, a node in use or the host, to all nodes in use. */
OB_API void bcast0(char *buf, int bytes, int type, int root);
/* The sending half of one: nodes other than the root have called recv0 before. */
OB_API void bcast1(char *buf, int bytes, int type, int root);

/* Data types of the vectors combined. */
enum { PICL_CHAR = 0, PICL_SHORT, PICL_INT, PICL_LONG, PICL_FLOAT, PICL_DOUBLE };

/* Combine the vectors of the nodes in use, element by element; the result is at root,
 * elsewhere the vector holds intermediate results. and, or, xor: of bits, integer types. */
OB_API void gand0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gmax0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gmin0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gor0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gprod0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gsum0(char *buf, int items, int datatype, int msgtype, int root);
OB_API void gxor0(char *buf, int items, int datatype, int msgtype, int root);
/* By a function of the caller's: to[i] = to[i] op with[i]. */
OB_API void gcomb0(char *buf, int items, int datatype, int msgtype, int root,
                   void (*comb)(char *to, char *with, int items, int datatype));
/* Bytes of one item. */
OB_API int datasize0(int datatype);
/* The Gray code of i, and the number of which i is the Gray code. */
OB_API int gray0(int i);
OB_API int ginv0(int i);

/* ------------------------------------------------------------------ tracing */

/* Host: opens the trace file; verbose 1: with words, else numbers alone. */
OB_API void traceenable(char *tracefile, int verbose);
/* Begin tracing with a buffer of so many bytes. flush 1: written when full, else
 * recording stops until traceflush. sync 1: all nodes begin together. */
OB_API void tracehost(int tracesize, int flush);
OB_API void tracenode(int tracesize, int flush, int sync);
/* Which events, computation and communication statistics are recorded, 0 to 3 each. */
OB_API void tracelevel(int event, int compstats, int commstats);
/* Out: records that fit into the buffer still, at least; the levels. */
OB_API void traceinfo(int *remaining, int *event, int *compstats, int *commstats);
OB_API void tracemark(int marktype);
/* Writes a text, at most 80 characters, into the trace file at once. */
OB_API void tracemsg(char *message);
OB_API void traceflush(void);
OB_API void traceexit(void);

#ifdef __cplusplus
}
#endif
#endif
