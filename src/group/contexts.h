/* How often each list of members has made a group, and the numbers that gives. */
#ifndef OB_GROUP_CONTEXTS_H
#define OB_GROUP_CONTEXTS_H
#include "core/group.h"

/* Gives a group of these job numbers, whose members, size and peers are set, its context number;
 * the same on all members. Where OPENBLACS_LISTS is set, and the list is not remembered, it is
 * collective among them. OB_ENOMEM, and the errors of messages. */
int ob_contexts_next(ob_group *group, const int *numbers);
/* The one of a group that was given the number `key`. */
uint64_t ob_contexts_of_key(const int *numbers, int size, uint64_t key);
/* How many lists this process remembers; for tests. */
size_t ob_contexts_lists(const ob_job *job);
void ob_contexts_free(struct ob_contexts *contexts);
#endif
