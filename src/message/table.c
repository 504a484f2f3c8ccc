#include "message/table.h"

#include <stdlib.h>

#include "hooks/hash.h"
enum { BUCKETS_FIRST = 64 };

/* Neighbouring tags fall into neighbouring buckets: programs count their tags up. */
static size_t spread(const ob_key *k)
{
    uint64_t x = k->context ^ ((uint64_t)(uint32_t)k->source << 8 | k->stream);
    x *= OB_GOLDEN;
    x ^= x >> 32;
    return (size_t)x + (size_t)(uint32_t)k->tag;
}

static bool same(const ob_key *a, const ob_key *b)
{
    return a->context == b->context && a->tag == b->tag && a->source == b->source &&
           a->stream == b->stream;
}

static ob_queued **bucket_of(const ob_table *t, const ob_key *key)
{
    return &t->bucket[spread(key) & (t->buckets - 1)];
}

/* Twice the buckets. Without memory the chains grow longer instead. */
static bool grow(ob_table *t)
{
    size_t buckets = t->buckets ? 2 * t->buckets : BUCKETS_FIRST;
    ob_table larger = {.bucket = calloc(buckets, sizeof *larger.bucket), .buckets = buckets};
    if (larger.bucket == NULL)
        return t->bucket != NULL;
    for (size_t i = 0; i < t->buckets; i++)
        for (ob_queued *n = t->bucket[i], *next; n; n = next) {
            ob_queued **to = bucket_of(&larger, &n->key);
            next = n->chain;
            n->chain = *to;
            *to = n;
        }
    free(t->bucket);
    t->bucket = larger.bucket;
    t->buckets = buckets;
    return true;
}

ob_queued *ob_table_first(const ob_table *t, const ob_key *key)
{
    if (t->queues == 0)
        return NULL;
    ob_queued *n = *bucket_of(t, key);
    while (n && !same(&n->key, key))
        n = n->chain;
    return n;
}

bool ob_table_add(ob_table *t, ob_queued *item)
{
    ob_queued *first = ob_table_first(t, &item->key);
    if (first) {
        item->leads = false;
        item->next = first;
        item->before = first->before;
        first->before->next = item;
        first->before = item;
        return true;
    }
    if (t->queues >= t->buckets && !grow(t))
        return false;
    ob_queued **bucket = bucket_of(t, &item->key);
    item->leads = true;
    item->next = item->before = item;
    item->chain = *bucket;
    *bucket = item;
    t->queues++;
    return true;
}

/* The first of a queue leaves: the second takes its place in the chain. */
static void pass_lead(ob_table *t, ob_queued *item)
{
    ob_queued **at = bucket_of(t, &item->key);
    while (*at != item)
        at = &(*at)->chain;
    if (item->next == item) {
        *at = item->chain;
        t->queues--;
    } else {
        item->next->leads = true;
        item->next->chain = item->chain;
        *at = item->next;
    }
}

void ob_table_remove(ob_table *t, ob_queued *item)
{
    if (item->leads)
        pass_lead(t, item);
    item->before->next = item->next;
    item->next->before = item->before;
}

/* Links the items of a queue, whose first has left its chain, in front of a list. */
static ob_queued *unroll(ob_queued *first, ob_queued *list)
{
    ob_queued *n = first;
    do {
        n->chain = list;
        list = n;
        n = n->next;
    } while (n != first);
    return list;
}

static ob_queued *take(ob_table *t, bool all, uint64_t context, int stream)
{
    ob_queued *list = NULL;
    for (size_t i = 0; i < t->buckets && t->queues; i++)
        for (ob_queued **at = &t->bucket[i]; *at;) {
            ob_queued *first = *at;
            if (all ||
                (first->key.context == context && (stream < 0 || first->key.stream == stream))) {
                *at = first->chain;
                t->queues--;
                list = unroll(first, list);
            } else {
                at = &first->chain;
            }
        }
    return list;
}

ob_queued *ob_table_take(ob_table *t, uint64_t context, int stream)
{
    return take(t, false, context, stream);
}

ob_queued *ob_table_take_all(ob_table *t)
{
    return take(t, true, 0, -1);
}

void ob_table_visit(const ob_table *t, void (*visit)(ob_queued *item, void *argument),
                    void *argument)
{
    for (size_t i = 0; i < t->buckets; i++)
        for (ob_queued *first = t->bucket[i]; first; first = first->chain) {
            ob_queued *n = first;
            do {
                visit(n, argument);
                n = n->next;
            } while (n != first);
        }
}

void ob_table_free(ob_table *t)
{
    free(t->bucket);
    *t = (ob_table){0};
}
