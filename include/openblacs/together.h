/*
 * Many small messages and collective calls as one (NCCL's groups); a part of openblacs/core.h,
 * which includes it.
 *
 *     ob_together_begin();
 *     for (int k = 0; k < 100; k++) {
 *         ob_send(row, right, 0, &mine[k]);
 *         ob_recv(row, left, 0, &theirs[k], NULL);
 *         ob_combine(column, OB_ANY, OB_SUM, &sum[k], NULL, 0, NULL);
 *     }
 *     ob_together_end();     now theirs[] and sum[] are there
 *
 * What is put together, whatever the groups:
 *  - ob_send, ob_send_many, and ob_isend in standard and buffered mode. The matrix may be reused
 * when the call returns, as ever. Matrices of up to OB_TOGETHER_BYTES for one process travel as one
 *    message; longer ones go at once, behind what was noted for that process before.
 *  - ob_recv and ob_recv_with. They are noted, and received by ob_together_end, in the order of the
 *    calls. `received`, where it is not NULL, is written there, too.
 *  - ob_broadcast, and ob_combine without owners. Those of one group and root (of a combine, and
 *    operation, type and route) travel as one vector, longer ones than OB_TOGETHER_BYTES as they
 * are. The results are there when ob_together_end returns. All members of the group make such a
 * call between their begin and end, or none does. All else works as ever, at once; what is noted
 * for other processes is sent before a call that waits. So ob_wait, ob_probe, ob_barrier and
 * ob_collect may stand in between; but who waits there for what another process sends only behind a
 * call that is put together waits for ever.
 *
 * Order. Messages of one group and source arrive in the order sent (R3), and the receiver need not
 * know whether they came together: single ob_recv, ob_irecv and ob_probe find them one by one, and
 * ob_together_end receives what was sent singly. Within a group all members make their collective
 * calls in the same order, those that are put together among them; different groups may come in any
 * order. ob_together_end first sends all, so receives may stand in front of the sends they depend
 * on.
 *
 * Memory. Until ob_together_end returns the matrices of receives and collective calls are the
 * library's: nobody reads or writes them. What is sent in between is what was in the matrix then,
 * so what is received together is passed on only by a later together. Bytes that wait are kept, at
 * most 64 KiB for each process and the bytes of 1024 calls for each vector, which then go.
 *
 * Results of combines: the topology is not looked at, as of ob_icombine. On one node sums have the
 * bits of ob_combine without a topology; between nodes they are repeatable, but may differ in the
 * last bits from those of single calls, since long vectors are combined in other ways than short
 * ones. With OB_REPRODUCIBLE they are the same.
 *
 * Errors. Arguments are looked at by each call, which then notes nothing. ob_together_end carries
 * out all that is noted, and gives the first failure: OB_ESIZE where a message has another size
 * than its receive, or members name different matrices; OB_EGONE where a process has ended;
 * OB_ESTATE where a group was freed in between. A receive for which nobody sends waits, as ob_recv
 * does. Of combines only the whole size is compared; OPENBLACS_CHECK=3 compares each call of the
 * BLACS. What one member names with at most OB_TOGETHER_BYTES and another with more is not the same
 * call: the group is then out of step, as where a member leaves out a call, and is of no more use.
 *
 * Other interfaces. Calls of the MLACS, iCC, PICL, NX and BSPlib that would be put together tell at
 * once what they have received, so they are refused between begin and end (OB-2525), as are the
 * routines of redistribution and of the LU (OB-2524); all others work as ever.
 *
 * Begin and end count: of nested ones only the outermost act. They are of the calling thread, which
 * makes both; other threads' calls are as ever.
 *
 * Cost of the end: a message for each process that is sent to, (p - 1) alpha + n beta for each
 * vector, and some ten nanoseconds for each call.
 */
#ifndef OPENBLACS_TOGETHER_H
#define OPENBLACS_TOGETHER_H

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the longest matrix that travels with others. */
enum { OB_TOGETHER_BYTES = 8192 };

/* From here on the calling thread's calls are put together. OB_ENOMEM. */
OB_API int ob_together_begin(void);
/* The outermost one carries out all that is noted. OB_ESTATE without a begin, else as above. */
OB_API int ob_together_end(void);

#ifdef __cplusplus
}
#endif
#endif
