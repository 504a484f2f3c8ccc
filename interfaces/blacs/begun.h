/*
 * Broadcasts and combines that have been begun, from their begin to the call that ends them.
 */
#ifndef OB_BLACS_BEGUN_H
#define OB_BLACS_BEGUN_H

#include <stdbool.h>

#include "grid.h"

/* Where the program wants the owners of extremes, as coordinates. */
typedef struct obl_owners {
    int *position; /* in the scope, m x n of them, from malloc; NULL: none are wanted */
    void *row, *column;
    size_t m, n, ld;
    int scope; /* its letter */
    bool wide; /* row and column are int64_t */
    bool here; /* this process gets them */
} obl_owners;

typedef struct obl_begun {
    const char *routine;
    const obl_grid *grid;
    int64_t context;
    ob_request *request;
    ob_check_agreement *agreement; /* NULL: calls are not compared, or have been */
    obl_owners owners;
} obl_begun;

/* The handle of a copy of it; of the program's, who must hand it to obl_end_begun. */
int obl_enroll_begun(const obl_call *call, const obl_begun *begun);
/* Is it over? Then its handle is none any more. waits: yes. */
bool obl_end_begun(const char *routine, int64_t handle, bool waits, const void *site);
/* Ends the job with a line where one of the grid is left. */
void obl_refuse_begun(const obl_call *call);
/* Says which are left, and forgets them. */
void obl_forget_begun(const obl_call *call);

/* A place for a handle, which is an argument with this number. */
static inline obl_int *obl_place(const char *routine, obl_int context, obl_int *request,
                                 int argument)
{
    if (!request)
        obl_fault(&(obl_call){routine, context, obl_find(context)},
                  "OB-1001 argument %d (REQUEST) is NULL", argument);
    return request;
}

#endif
