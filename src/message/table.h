/*
 * Finding what fits: queues of what waits, each under one key (group,
 * source, tag), in a hash table. Posted receives, stored messages and synchronous sends
 * stand in such queues, so that finding one costs the same whether ten or ten
 * thousand wait.
 */
#ifndef OB_MESSAGE_TABLE_H
#define OB_MESSAGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ob_key {
    uint64_t context;
    int32_t source, tag; /* either may be OB_ANY, as a value like any other */
    uint8_t stream;
} ob_key;

/* An item of a queue; stands inside of what waits. */
typedef struct ob_queued {
    ob_key key;
    bool leads;                      /* it is the first of its queue, and in the table's chain */
    struct ob_queued *chain;         /* of a first one: the next queue of the same bucket */
    struct ob_queued *next, *before; /* round the queue */
} ob_queued;

typedef struct ob_table {
    ob_queued **bucket; /* a power of two of them; NULL at first */
    size_t buckets, queues;
} ob_table;

/* Puts an item at the end of the queue of its key. False without memory. */
bool ob_table_add(ob_table *t, ob_queued *item);
/* The first of a queue, NULL when it is empty. */
ob_queued *ob_table_first(const ob_table *t, const ob_key *key);
void ob_table_remove(ob_table *t, ob_queued *item);
/* Takes all queues of a context (stream < 0) or of one stream in it out of the table; the
 * items are linked by `chain`, in no order. */
ob_queued *ob_table_take(ob_table *t, uint64_t context, int stream);
/* The same with everything. */
ob_queued *ob_table_take_all(ob_table *t);
/* Calls `visit` for each item; visit must not change the table. */
void ob_table_visit(const ob_table *t, void (*visit)(ob_queued *item, void *argument),
                    void *argument);
void ob_table_free(ob_table *t);

#endif
