/*
 * How long a process waits in which manner, and how much it may leave unread: numbers
 * that the library goes by and its model has to know (tools/obbench/predict).
 */
#ifndef OB_NODE_PATIENCE_H
#define OB_NODE_PATIENCE_H

enum {
    OB_SPIN_US = 100, /* with a processor to oneself for now: then it sleeps */
    OB_OWN_US = 2000, /* the same where there is one for each process of the job */
    OB_BRIEF_US =
        5, /* for one that has another processor while others want this one: then it yields */
    OB_YIELD_US = 300 /* since the wait began: then it sleeps */
};

/* Of a channel between two processes (node/channel.h). */
enum { OB_RING_BYTES = 256 * 1024, OB_RING_FIRST = 2 * 1024 };

#endif
