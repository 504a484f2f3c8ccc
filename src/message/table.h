/*
 * Finding what fits: lines of things that wait, each line under one key (group,
 * source, tag), in a hash table. Posted receives, stored messages and synchronous sends
 * stand in such lines, so that finding one costs the same whether ten or ten
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

/* A member of a line; stands inside of what waits. */
typedef struct ob_node {
    ob_key key;
    bool leads;                    /* it is the first of its line, and in the table's chain */
    struct ob_node *chain;         /* of a first one: the next line of the same bucket */
    struct ob_node *next, *before; /* round the line */
} ob_node;

typedef struct ob_table {
    ob_node **bucket; /* a power of two of them; NULL at first */
    size_t buckets, lines;
} ob_table;

/* Puts a node at the end of the line of its key. False without memory. */
bool ob_table_add(ob_table *t, ob_node *node);
/* The first of a line, NULL when it is empty. */
ob_node *ob_table_first(const ob_table *t, const ob_key *key);
void ob_table_remove(ob_table *t, ob_node *node);
/* Takes all lines of a context (stream < 0) or of one stream in it out of the table; the
 * nodes are linked by `chain`, in no order. */
ob_node *ob_table_take(ob_table *t, uint64_t context, int stream);
/* The same with everything. */
ob_node *ob_table_take_all(ob_table *t);
/* Calls `visit` for each node; it must not change the table. */
void ob_table_visit(const ob_table *t, void (*visit)(ob_node *node, void *argument),
                    void *argument);
void ob_table_free(ob_table *t);

#endif
