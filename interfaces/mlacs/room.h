/*
 * What the files of this room share: grids behind communicators, the checks
 * that every routine makes, and error lines.
 */
#ifndef OBM_ROOM_H
#define OBM_ROOM_H

#include <stdbool.h>

#include "hooks/check.h"
#include "hooks/system.h"
#include "hooks/trace.h"
#include "openblacs/core.h"
#include "openblacs/mlacs.h"

enum obm_kind { OBM_ALL = 0, OBM_ROW, OBM_COLUMN };

typedef struct obm_grid {
    int nrow, ncol, myrow, mycol;
    ob_group *group[3]; /* by obm_kind; positions are ranks, row-major in the first */
    long handle[3];     /* Fortran's communicators */
    MLACS_Comm comm[3]; /* C's */
    /* A communicator that the program has made itself: of two dimensions, then it is the first of
     * the three, or of one, the second. The other two are none; its group is NULL until a call
     * needs it. */
    bool own;
    bool row_periodic, col_periodic; /* coordinates go round */
    struct obm_grid *next;
} obm_grid;

/* A communicator that a routine was called with. */
typedef struct obm_comm {
    obm_grid *grid;
    enum obm_kind kind;
} obm_comm;

/* One call, for error lines. */
typedef struct obm_call {
    const char *routine;
    const obm_grid *grid; /* NULL as long as it is not known */
} obm_call;

/* --------------------------------------------------------------- error.c */

/* Sets the line, which begins with the routine and ends with the process. Returns code. */
int obm_fail(const obm_call *call, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* which does not see into error.c */
#define obm_fail(call, code, ...) (obm_fail(call, code, __VA_ARGS__), (code))
#endif
/* The code of a core status; its line when that is a failure. */
int obm_status(const obm_call *call, int status);
/* The job of this process; NULL: not joined, or left. */
ob_job *obm_job(void);
void obm_set_job(ob_job *job);

/* ---------------------------------------------------------------- comm.c */

/* The grid of a communicator, by C's or Fortran's name of it. Local. */
int obm_find(obm_call *call, MLACS_Comm comm, obm_comm *found);
/* The same for a call that communicates: there is a group. */
int obm_enter(obm_call *call, MLACS_Comm comm, obm_comm *found);
/* C's name of a communicator that Fortran names, and the reverse; NULL communicators too. */
MLACS_Comm obm_of_handle(long handle);
long obm_to_handle(MLACS_Comm comm);
/* The job of this process; joins it first when need be. */
int obm_join(const obm_call *call, ob_job **job);
static inline bool obm_in_mpi(const ob_job *job)
{
    return ob_job_kind(job) == OB_MPI;
}
/* From now on mlacs_initialized says yes. */
void obm_initialize(void);
/* The grids that are behind communicators: a new one, one that goes. */
void obm_enlist(obm_grid *grid);
void obm_unlist(obm_grid *grid);
/* Is a grid behind C's name? */
bool obm_known(MLACS_Comm name, obm_comm *found);
void obm_free_groups(obm_grid *grid);
/* NULL or half built, too. */
void obm_free_grid(obm_grid *grid);

/* ----------------------------------------------------------------- own.c */

/* The grid of a communicator that the program has made. */
int obm_adopt(const obm_call *call, ob_job *job, long handle, obm_grid **grid);
/* Makes its group. */
int obm_meet(const obm_call *call, obm_grid *grid);
static inline enum obm_kind obm_own_kind(const obm_grid *grid)
{
    return grid->comm[OBM_ALL] ? OBM_ALL : OBM_ROW;
}
/* Is the communicator of this kind one? */
static inline bool obm_is_named(const obm_grid *grid, int kind)
{
    return !grid->own || obm_own_kind(grid) == (enum obm_kind)kind;
}

/* --------------------------------------------------------------- check.c */

#define OBM_GENERAL '\0' /* uplo of a general matrix */

/* The view of a matrix. */
int obm_view(const obm_call *call, const void *a, int lda, int m, int n, char uplo, char diag,
             MLACS_Type type, ob_view *view);
/* Position of a process in the communicator; of a receive also OB_ANY. */
int obm_dest(const obm_call *call, const obm_comm *comm, int row, int col, int *position);
int obm_source(const obm_call *call, const obm_comm *comm, int row, int col, int *position);
int obm_tag(const obm_call *call, int tag, int receive);
/* Before a call whose result would be there only at the end of calls that are put together. */
int obm_apart(const obm_call *call);
/* Position of the root in the communicator. */
int obm_root(const obm_call *call, const obm_comm *comm, int rroot, int croot, int *position);
/* Members of a communicator. */
static inline int obm_size(const obm_comm *c)
{
    return c->kind == OBM_ALL   ? c->grid->nrow * c->grid->ncol
           : c->kind == OBM_ROW ? c->grid->ncol
                                : c->grid->nrow;
}

/* ------------------------------------------------------------- request.c */

/* What a status needs to know of a communicator: the columns of a grid. */
enum { OBM_COLUMNS_OF_ROW = 0, OBM_COLUMNS_OF_COLUMN = -1 };
static inline intptr_t obm_columns(const obm_comm *c)
{
    return c->kind == OBM_ALL   ? c->grid->ncol
           : c->kind == OBM_ROW ? OBM_COLUMNS_OF_ROW
                                : OBM_COLUMNS_OF_COLUMN;
}
/* A status in the MLACS' words. */
void obm_tell(const ob_received *got, intptr_t columns, MLACS_Status *status);

#endif
