/*
 * What goes from one member to another in a round: of each matrix a head that says how many bytes
 * it is, and these.
 */
#include "rounds.h"

char *obrd_open(exchange *x, const partner *p, size_t bytes)
{
    const ob_tail *tail = &ob_superstep_tails(x->step)[p->position];
    size_t all = sizeof(obrd_head) + obrd_padded(bytes);
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
    *(obrd_head *)(void *)tail->next = (obrd_head){bytes, x->which};
    tail->next += sizeof(obrd_head) + obrd_padded(bytes);
    x->packed += bytes;
}

/* From the k-th source. */
static void open_from(exchange *x, int k)
{
    char *at;
    for (size_t bytes; (bytes = ob_superstep_next(x->step, x->source[k].position, &at)) > 0;)
        for (const char *end = at + bytes; at < end;) {
            const obrd_head *head = (const obrd_head *)(const void *)at;
            partner *p = &x[head->which].source[k];
            p->next = at + sizeof *head;
            p->left = head->bytes;
            at += sizeof *head + obrd_padded(head->bytes);
        }
}

void obrd_open_all(exchange *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < x->size; k++)
            x[i].source[k].left = 0;
    for (int k = 0; k < x->size; k++)
        open_from(x, k);
}
