/*
 * Communicators of grids. One serves all grids of one list of processes.
 */
#ifndef OB_BLACS_COMMS_H
#define OB_BLACS_COMMS_H

#include "grid.h"

/* A communicator that grids have asked for. */
typedef struct obl_comm {
    struct obl_comm *next;
    ob_job *job; /* in which its processes have their numbers */
    uint64_t id; /* that its members agreed on */
    long handle;
    uintptr_t word; /* of C */
    int grids;      /* which hold it */
    int size;
    int number[]; /* its processes */
} obl_comm;

/* The newest one of these processes, held once more; NULL when there is none. */
obl_comm *obl_comm_hold(const ob_group *group);
/* A grid holds it no more; NULL: nothing. */
void obl_comm_drop(obl_comm *c);
/* Collective among the processes of the group, which agree on the id. */
obl_comm *obl_comm_make(const obl_call *call, const ob_group *group, uint64_t id);
/* An id that no process has given before. */
uint64_t obl_comm_id(void);

#endif
