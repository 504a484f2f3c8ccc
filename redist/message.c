/*
 * What goes from one member to another in a round: a head that says how many bytes it is, and
 * these.
 */
#include "rounds.h"

char *obrd_open(exchange *x, const partner *p, size_t bytes)
{
    const ob_tail *tail = &ob_superstep_tails(x->step)[p->position];
    size_t all = sizeof(obrd_head) + bytes;
    if ((tail->end == NULL || (size_t)(tail->end - tail->next) < all) &&
        ob_superstep_grow(x->step, p->position, all) != OB_OK)
        return NULL;
    return tail->next + sizeof(obrd_head);
}

void obrd_close(exchange *x, const partner *p, size_t bytes)
{
    ob_tail *tail = &ob_superstep_tails(x->step)[p->position];
    if (bytes == 0)
        return;
    *(obrd_head *)(void *)tail->next = (obrd_head){bytes};
    tail->next += sizeof(obrd_head) + (bytes + 7) / 8 * 8;
}
