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

static ob_node **bucket_of(const ob_table *t, const ob_key *key)
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
        for (ob_node *n = t->bucket[i], *next; n; n = next) {
            ob_node **to = bucket_of(&larger, &n->key);
            next = n->chain;
            n->chain = *to;
            *to = n;
        }
    free(t->bucket);
    t->bucket = larger.bucket;
    t->buckets = buckets;
    return true;
}

ob_node *ob_table_first(const ob_table *t, const ob_key *key)
{
    if (t->lines == 0)
        return NULL;
    ob_node *n = *bucket_of(t, key);
    while (n && !same(&n->key, key))
        n = n->chain;
    return n;
}

bool ob_table_add(ob_table *t, ob_node *node)
{
    ob_node *first = ob_table_first(t, &node->key);
    if (first) {
        node->leads = false;
        node->next = first;
        node->before = first->before;
        first->before->next = node;
        first->before = node;
        return true;
    }
    if (t->lines >= t->buckets && !grow(t))
        return false;
    ob_node **bucket = bucket_of(t, &node->key);
    node->leads = true;
    node->next = node->before = node;
    node->chain = *bucket;
    *bucket = node;
    t->lines++;
    return true;
}

/* The first of a line leaves: the second takes its place in the chain. */
static void pass_lead(ob_table *t, ob_node *node)
{
    ob_node **link = bucket_of(t, &node->key);
    while (*link != node)
        link = &(*link)->chain;
    if (node->next == node) {
        *link = node->chain;
        t->lines--;
    } else {
        node->next->leads = true;
        node->next->chain = node->chain;
        *link = node->next;
    }
}

void ob_table_remove(ob_table *t, ob_node *node)
{
    if (node->leads)
        pass_lead(t, node);
    node->before->next = node->next;
    node->next->before = node->before;
}

/* Links the nodes of a line, whose first has left its chain, in front of a list. */
static ob_node *unroll(ob_node *first, ob_node *list)
{
    ob_node *n = first;
    do {
        n->chain = list;
        list = n;
        n = n->next;
    } while (n != first);
    return list;
}

static ob_node *take(ob_table *t, bool all, uint64_t context, int stream)
{
    ob_node *list = NULL;
    for (size_t i = 0; i < t->buckets && t->lines; i++)
        for (ob_node **link = &t->bucket[i]; *link;) {
            ob_node *first = *link;
            if (all ||
                (first->key.context == context && (stream < 0 || first->key.stream == stream))) {
                *link = first->chain;
                t->lines--;
                list = unroll(first, list);
            } else {
                link = &first->chain;
            }
        }
    return list;
}

ob_node *ob_table_take(ob_table *t, uint64_t context, int stream)
{
    return take(t, false, context, stream);
}

ob_node *ob_table_take_all(ob_table *t)
{
    return take(t, true, 0, -1);
}

void ob_table_visit(const ob_table *t, void (*visit)(ob_node *node, void *argument), void *argument)
{
    for (size_t i = 0; i < t->buckets; i++)
        for (ob_node *first = t->bucket[i]; first; first = first->chain) {
            ob_node *n = first;
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
