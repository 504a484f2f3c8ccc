/*
 * What each topology of the BLACS costs on a machine with a given profile, by simulation.
 */
#ifndef OBB_PREDICT_MODEL_H
#define OBB_PREDICT_MODEL_H

#include "obbench/predict/simulate.h"

typedef enum ob_method {
    OB_METHOD_PATTERN = 0, /* broadcast_pattern, combine_pattern: topology and branches */
    OB_METHOD_EXCHANGE,    /* combine_exchange */
    OB_METHODS
} ob_method;

typedef struct obb_model_call {
    ob_work_kind kind;
    ob_method method;
    ob_topology topology; /* of OB_METHOD_PATTERN; never OB_TOP_BEST */
    int branches;
    int members;
    int root;     /* OB_ANY: left on all */
    size_t bytes; /* of the matrix, owners included */
    size_t slice; /* bytes of one message of a combine at most; 0: unlimited */
    int repeated; /* >= 1 */
} obb_model_call;

/* Behind barriers, several rounds, the median of each time over the rounds:
 * what obbench measures. OB_EARG, OB_ENOMEM. */
int obb_model_times(const ob_profile *profile, const obb_model_call *call, obb_times *times);
/* One call that all members enter at the same moment, for choosing: a tenth of
 * the work, and comparable between methods. The slowest member's time; negative
 * on failure. */
double obb_model_slowest(const ob_profile *profile, const obb_model_call *call);

#endif
