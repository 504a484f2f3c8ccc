/* How often each list of members has made a group, and the numbers that gives. */
#ifndef OB_GROUP_CONTEXTS_H
#define OB_GROUP_CONTEXTS_H
#include "core/job.h"

/* The context number of the next group of this list; the same on all members. OB_ENOMEM. */
int ob_contexts_next(ob_job *job, const int *numbers, int size, uint64_t *context);
/* The one of a group that was given the number `key`. */
uint64_t ob_contexts_of_key(const int *numbers, int size, uint64_t key);
void ob_contexts_free(struct ob_contexts *contexts);
#endif
