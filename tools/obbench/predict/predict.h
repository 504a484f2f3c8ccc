/*
 * What broadcasts and combines should cost on a machine (LAWN 73, 4.3 and 5.4), from its profile.
 * Nothing here communicates. Times are microseconds, lengths are bytes.
 */
#ifndef OBB_PREDICT_H
#define OBB_PREDICT_H

#include "hooks/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_work_kind { OB_WORK_BROADCAST = 0, OB_WORK_COMBINE, OB_WORK_BARRIER } ob_work_kind;

/* A collective call of core.h. */
typedef struct obb_work {
    ob_work_kind kind;
    ob_route route; /* OB_TOP_BEST means the tree with one branch */
    int members;
    int root; /* of a combine: OB_ANY leaves the result on all */
    size_t bytes;
    int repeated; /* so many in a row, without a barrier between: pipelining (4.3.1); 0: one */
} obb_work;

/* Of one call, counted from when its member enters. */
typedef struct obb_times {
    double
        root; /* the source of a broadcast, the destination of a combine (left on all: member 0) */
    double min, max, mean; /* over the members */
} obb_times;

/* What the call should take on that machine when the members enter it behind a
 * barrier: the messages of its topology are followed one by one, on as many
 * processors as the machine has; members beyond that take turns. OB_EARG, OB_ENOMEM. */
int obb_predict(const ob_profile *profile, const obb_work *work, obb_times *times);

/* What the paper's formulas may assume of the machine; bits. Without them sends need no buffer and
 * everything overlaps. */
typedef enum ob_paper_machine {
    OB_PAPER_BUFFERS =
        1, /* who starts a call copies its data first: T_m, once (3.3, 4.3.1, 4.4.2) */
    OB_PAPER_NO_OVERLAP = 2 /* neither a send and a receive (5.4.2) nor a message and the
                             * operation (5.3.2) go on at the same time */
} ob_paper_machine;

/* The paper's formulas (table 9, and the texts of 4.3 and 5.4) for a machine of which these bits
 * are true. They know of a processor for each process and of T_c, T_s and T_o alone. min and mean
 * are those of the formulas' own steps: -1, since the paper gives none. OB_EARG, also for other
 * bits. */
int obb_predict_paper(const ob_profile *profile, const obb_work *work, int machine,
                      obb_times *times);

#ifdef __cplusplus
}
#endif
#endif
