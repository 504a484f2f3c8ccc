/*
 * What each algorithm of this room costs on a machine with a given profile:
 * pure arithmetic, so that a planner can compare algorithms without communicating. All
 * members of a group must compare with the same profile, or they may
 * choose differently; ob_profile_fingerprint tells whether they do.
 */
#ifndef OB_PREDICT_MODEL_H
#define OB_PREDICT_MODEL_H

#include "predict/simulate.h"

typedef enum ob_method {
    OB_METHOD_PATTERN = 0, /* broadcast_pattern, combine_pattern: topology and branches */
    OB_METHOD_EXCHANGE,    /* combine_exchange */
    OB_METHODS
} ob_method;

typedef struct ob_model_call {
    ob_work_kind kind;
    ob_method method;
    ob_topology topology; /* of OB_METHOD_PATTERN; never OB_TOP_BEST */
    int branches;
    int members;
    int root;     /* OB_ANY: left on all */
    size_t bytes; /* of the matrix, owners included */
    size_t slice; /* bytes of one message of a combine at most; 0: unlimited */
    int repeated; /* >= 1 */
} ob_model_call;

/* Behind barriers, several rounds, the median of each time over the rounds:
 * what obbench measures. OB_EARG, OB_ENOMEM. */
int ob_model_times(const ob_profile *profile, const ob_model_call *call, ob_times *times);
/* One call that all members enter at the same moment, for choosing: a tenth of
 * the work, and comparable between methods. The slowest member's time; negative
 * on failure. */
double ob_model_slowest(const ob_profile *profile, const ob_model_call *call);

/* Equal for equal profiles (whatever host they name), on any machine. */
uint64_t ob_profile_fingerprint(const ob_profile *profile);

#endif
