/*
 * Which orders of operations are the same, and which are to be tried.
 *
 * Two operations depend on each other when their order matters beyond what they read: of two that
 * are in one order for all, of a barrier and anything, and of a load and a later store to the same
 * word, which the load could have read. Not so a store and a later load: the load reads older
 * stores, too, as one of its choices; nor two stores, since a store may go in front of others.
 * Where two such operations could be turned round, the process of the second is tried before the
 * first (source sets: Abdulla and others, POPL 2014).
 */
#ifndef OB_ORDERS_TURNS_H
#define OB_ORDERS_TURNS_H

#include "explore.h"
#include "memory.h"

enum { TURNS_STEPS = 1200 };

/* The events that one depends on: -1: none. */
typedef struct ties {
    int read, barrier;
} ties;

typedef struct event {
    int thread;
    op op;
    ties ties;
    uint16_t own[EX_THREADS];  /* what its process had behind it before */
    uint16_t past[EX_THREADS]; /* events + 1 that happen before it, of each process; itself */
} event;

/* A choice of the depth-first search. */
typedef struct node {
    unsigned enabled, wanted, tried; /* processes */
    uint16_t sleep[EX_THREADS];      /* 0: awake; else reads only what is written at that
                                      * depth + 1 or later; ALL: nothing */
    int thread;
    int choice, choices; /* choices -1: not counted yet */
    bool reads;          /* its operation does */
} node;

/* The steps of this execution, and the choices that led there. */
extern event ex_events[];
extern node ex_nodes[];
extern int ex_depth;

void turns_join(uint16_t *past, const uint16_t *other);
/* Are both in the one order for all, and does it matter? Of accesses to two words it does not. */
bool turns_are_tied(const op *a, const op *b);
/* What happens before the event `at`, but for its tie to event i itself. */
void turns_past(uint16_t *past, const uint16_t *own, const op *o, const ties *t, int at, int i);
/* The events that the one about to happen could have come before are wanted at their nodes; own:
 * what its process has behind it. */
void turns_find(int thread, const uint16_t *own, const op *o, const ties *t);
/* Likewise for earlier reads of what the last event has written. */
void turns_find_reads(void);

#endif
