/*
 * The debug levels of LAWN 73, 7.1.4 (OPENBLACS_CHECK), as interfaces use them.
 *
 *   0  arguments are taken as the netlib BLACS take them
 *   1  arguments are checked (the default)
 *   2  and hangs are found: docs/checking.md
 *   3  and calls are compared across their scope, messages with their receives
 *
 * An interface says at the beginning of each of its calls which one it is
 * (ob_check_enter); lines about hangs and calls that differ name it.
 */
#ifndef OPENBLACS_HOOKS_CHECK_H
#define OPENBLACS_HOOKS_CHECK_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The level where it is 2 or 3, else 0. Constant once the job has started. */
extern OB_API int ob_check_now;
/* The level. */
OB_API int ob_check_level(void);

/* A call of the program's that this thread has begun. */
typedef struct ob_check_call {
    const char *routine;  /* a constant text */
    int context;          /* as the program knows it */
    char scope;           /* R, C or A; 0: none */
    const ob_group *grid; /* its processes */
    const int *listed;    /* row * columns + column of each; NULL: row-major */
    int columns;          /* of the grid */
} ob_check_call;

/* Begins a call; copied. Level 2 and 3. */
OB_API void ob_check_enter(const ob_check_call *call);
/* How many this process has begun. */
unsigned long long ob_check_calls(void);
/* What is known of it later: its scope. */
void ob_check_scope(char scope);
/* It has ended. */
OB_API void ob_check_leave(void);
/* The process has left its job (blacs_exit), or is back. */
void ob_check_left(int left);

/* How many messages have come for this process that nobody has received, groups that were freed
 * included; for its end. Those that are still to come are not known. text, of `room` bytes,
 * becomes what they are at level 3: ": 4 integer elements from process 2, ...", else empty. */
OB_API size_t ob_check_unreceived(ob_job *job, char *text, size_t room);

/* The outermost routine of the library that this thread is in, and the place in the program
 * that called it, by the stack: it costs nothing until it is asked. */
typedef struct ob_check_site {
    const char *routine;  /* NULL: it has no name that can be seen */
    const char *function; /* that the call is in, as the program writes it (PDSWAP for pdswap_);
                             NULL likewise; it may be this record's own text */
    const char *object;   /* the program or library */
    size_t offset;        /* of the return address in the function, or else in the object */
    char text[128];
} ob_check_site;
/* 0 where that cannot be known: in a program that is linked statically. */
int ob_check_called_from(ob_check_site *site);
/* For the end of an error line: "; called from pdswap_", or nothing when the function has no
 * name that can be seen. Returns text. */
OB_API const char *ob_check_caller(char *text, size_t room);

/* From now on a wait of this process ends by the processes it waits for, or never: no thread
 * of its own will free it. Programs in supersteps are so. When all of a set of processes that
 * wait for each other have said so, level 1 ends the run where it would print its note. */
OB_API void ob_check_final(void);

/* What a call has named, to be compared with others' at level 3. */
typedef struct ob_check_record {
    char routine[24],
        what[16];            /* as called; and what all members do alike: "broadcast", "dgsum2d" */
    int number, row, column; /* who calls; filled in */
    unsigned long long call; /* filled in */
    char scope, top, uplo, diag;
    int type, by_count; /* by_count: the number of elements counts, not the shape */
    size_t m, n, elements;
    int root;                 /* position of source or destination; OB_ANY: all */
    int sends;                /* the caller is a broadcast's source */
    int owners;               /* locations are wanted */
    int branches;             /* of topology T, rings of M */
    int width;                /* numbers for each element of the caller's own operation */
    int repeatable, coherent; /* of a combine: as the grid has been told; see ob_route */
} ob_check_record;

/* Compares the records of all members, who all call. OB_OK, or OB_ESTATE with the first
 * difference, both sides named, as the error text at the member of position 0; the others
 * wait a while for the end that it brings, and get the same status. */
int ob_check_agree(ob_group *group, const ob_check_record *record);
/* The same beside a call that does not wait: begun before it, and ended before its request is. */
typedef struct ob_check_agreement ob_check_agreement;
int ob_check_agree_begin(ob_group *group, const ob_check_record *record,
                         ob_check_agreement **agreement);
/* Waits, or where `over` is not NULL says there whether all have called; then *agreement is freed
 * and becomes NULL. */
int ob_check_agree_end(ob_check_agreement **agreement, int *over);
/* Sends the record ahead of a message, and receives one and compares it: OB_ESIZE with both sides
 * as the error text. *source may be OB_ANY and becomes who sent it. tag is one that the
 * interface does not use otherwise. */
int ob_check_announce(ob_group *group, int dest, int tag, const ob_check_record *record);
int ob_check_expect(ob_group *group, int *source, int tag, const ob_check_record *record);

#ifdef __cplusplus
}
#endif
#endif
