/*
 * What the files of this room share: the grid behind a context number, the
 * state of the process's job, error lines and the checks that every
 * communicating routine makes. Nothing here leaves the library.
 *
 * The files with routines of programs are compiled twice: as they are, and with OB_ILP64, for
 * integers of 64 bits (src/CMakeLists.txt). Those that keep something are compiled once and take
 * 64 bits from both.
 */
#ifndef OB_BLACS_GRID_H
#define OB_BLACS_GRID_H

#include <inttypes.h>
#include <stddef.h>

#include "hooks/blacs.h"
#include "hooks/check.h"
#include "hooks/collective.h"
#include "hooks/job.h"
#include "hooks/system.h"
#include "hooks/trace.h"
#include "openblacs/blacs.h"
#include "openblacs/core.h"

/* A program's integer, and what names its routines have: OB_C and OB_F. */
#ifdef OB_ILP64
#define OB_STAMPING
#include "openblacs/integers.h"
#endif
#ifdef OB_ILP64
typedef int64_t obl_int;
typedef uint64_t obl_unsigned;
#define OBL_INTEGER OB_INT64
#define OBL_D PRId64 /* prints one */
#define obl_put_back ob_put_back64
#define OBL_KIND OB_KIND_INT64
#else
typedef int obl_int;
typedef unsigned obl_unsigned;
#define OBL_INTEGER OB_INT
#define OBL_D "d"
#define obl_put_back ob_put_back
#define OBL_KIND OB_KIND_INT32
#endif

/* What blacs_get gives a system context of: the grid, the caller's row, its column. */
enum obl_part { OBL_ALL, OBL_ROW, OBL_COLUMN, OBL_PARTS };

/* A process grid. Group positions are row-major: row * npcol + column. Or a scope of
 * its processes (scope.c): coordinates are the grid's, positions those in the list. */
typedef struct obl_grid {
    int nprow, npcol, myrow, mycol;
    ob_group *point;                  /* all processes, for point to point */
    ob_group *row;                    /* of the caller; position = column */
    ob_group *column;                 /* of the caller; position = row */
    ob_group *all;                    /* all processes, for collectives */
    struct obl_comm *comm[OBL_PARTS]; /* its communicators that somebody has asked for (system.c) */
    int broadcast_rings, broadcast_branches;
    int combine_rings, combine_branches;
    int repeatable, coherent;
    int last_source; /* position of whom the last wildcard receive was from; -1: there was none */
    int *position; /* NULL: a grid. Positions in the list by row * npcol + column; -1: not in it */
    int busy;    /* number of the thread that is in a call of it, while OPENBLACS_CHECK is 2 or 3 */
    int *listed; /* row * npcol + column of each process in the list */
} obl_grid;

/* One call of a routine, for error lines. */
typedef struct obl_call {
    const char *routine;
    int64_t context;
    const obl_grid *grid; /* NULL as long as there is none */
} obl_call;

/* ----------------------------------------------------------------- job.c */

/* The job, or NULL before blacs_pinfo and after blacs_exit. */
ob_job *obl_job(void);
void obl_set_job(ob_job *job);
/* Number of this process, also before blacs_pinfo when obrun has started it and
 * after blacs_exit; -1 when it is not known. */
int obl_number(void);
/* Is there an MPI, whose communicators grids can have? The job must be joined. */
int obl_has_mpi(void);

/* ------------------------------------------------------------- context.c */

/* The job of this process; joins it first when need be. */
ob_job *obl_join(const obl_call *call);
/* The grid behind a context, NULL when there is none. Lock-free. */
obl_grid *obl_find(int64_t context);
/* The grid behind call->context, which must exist; sets call->grid. */
obl_grid *obl_enter(obl_call *call);
/* Gives the grid the lowest free context. -1: too many. */
int obl_enroll(obl_grid *grid);
/* Takes the grid out of the table and frees it. Where this process was in it is kept
 * for error lines. */
void obl_release(int context);
/* Releases all grids and leaves the job. */
void obl_leave(const obl_call *call, int finalize);

/* ---------------------------------------------------------------- grid.c */

void obl_grid_free(obl_grid *grid); /* accepts a half-built grid and NULL */
/* A part of grid->point: `count` positions from `first` on, `step` apart. */
void obl_make_part(const obl_call *call, const obl_grid *grid, int stream, int first, int step,
                   int count, ob_group **part);

/* --------------------------------------------------------------- comms.c */

void obl_comms_free(obl_grid *grid);
/* The communicator of a grid of which the low 32 bits have come back; else the word itself. */
uintptr_t obl_whole_word(uintptr_t word);

/* -------------------------------------------------------------- system.c */

/* The streams of grid->point from this one on are system.c's, one for each part. */
enum { OBL_STREAM_SYSTEM = 4 };
/* The system context of a part of a grid; local. */
int obl_handle(int context, enum obl_part part);
int obl_is_grid_handle(int64_t handle);
/* The communicator of such a handle, by Fortran handle; as obl_grid_comm. */
int obl_handle_comm(obl_call *call, int64_t handle, const void *site);
/* The processes that such a handle names; NULL when it is none. Its grid must be alive. */
const ob_group *obl_handle_group(const obl_call *call, int64_t handle);
/* The communicator of a part, by Fortran handle. The first call for a part of a grid is collective.
 */
int obl_grid_comm(const obl_call *call, obl_grid *grid, enum obl_part part, const void *site);

/* ----------------------------------------------------------------- mkl.c */

/* Is this a program with Intel's MKL, which hands communicators to functions of mkl.c? */
int obl_serves_mkl(void);

/* Turns positions in a scope, in row, into coordinates in row and column. */
void obl_scope_places(const obl_grid *grid, const ob_view *view, int *row, int *column, size_t ld);

/* --------------------------------------------------------------- fault.c */

/* Prints one line and ends the job. */
_Noreturn void obl_fault(const obl_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints one line. */
void obl_warn(const obl_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of a failed core call, unless status is OB_OK. */
void obl_check(const obl_call *call, int status);
/* Ends the job, or the process when there is none. */
_Noreturn void obl_end(int code);
/* What the program knows a routine as, and the number of one of its arguments. */
const char *obl_name(const obl_call *call);
int obl_argument(const obl_call *call, int number);
/* What a grid is made from, in its words. */
const char *obl_whole(void);
/* A letter as it is shown in error lines: 'x', or its code; in storage of the caller. */
const char *obl_show(int letter, char shown[static 16]);

/* --------------------------------------------------------------- check.c */

/* What an UPLO argument is for a general matrix. */
#define OBL_GENERAL (-1)

/* First letter of a character argument in upper case; 0 for NULL. */
int obl_letter(const char *text);
/* The view of a matrix argument. m_argument is the number of the argument M;
 * UPLO and DIAG come right before, N, A and LDA right after it. */
ob_view obl_checked_view(const obl_call *call, ob_type type, int uplo, int diag, int64_t m,
                         int64_t n, const void *a, int64_t lda, int m_argument);
/* Leading dimension and columns below 2 to this power: the matrix has fewer than 2^63 bytes. */
enum { OBL_SMALL = 29 };
static inline ob_view obl_view(const obl_call *call, ob_type type, int uplo, int diag, obl_int m,
                               obl_int n, const void *a, obl_int lda, int m_argument)
{
    /* 1 <= m <= lda and 1 <= n: what is smaller has become large. */
    if (__builtin_expect(uplo == OBL_GENERAL && (obl_unsigned)m - 1 < (obl_unsigned)lda &&
                             ((obl_unsigned)lda | ((obl_unsigned)n - 1)) >> OBL_SMALL == 0 && a,
                         1))
        return (ob_view){
            .base = (void *)a, .m = (size_t)m, .n = (size_t)n, .ld = (size_t)lda, .type = type};
    return obl_checked_view(call, type, uplo, diag, m, n, a, lda, m_argument);
}
/* The group of the scope in argument 2; *letter is R, C or A. */
ob_group *obl_scope(const obl_call *call, const char *scope, int *letter);
/* The route of the topology in argument 3. */
ob_route obl_route(const obl_call *call, const char *top, int rings, int branches);
/* Position, within the scope, of the process at (prow, pcol). The two are
 * arguments `argument` and the next; role is SRC or DEST. */
int obl_position(const obl_call *call, int scope, int64_t prow, int64_t pcol, int argument,
                 const char *role);
/* The same for the source of a broadcast's receiver, which cannot be the caller. */
int obl_source(const obl_call *call, int scope, int64_t prow, int64_t pcol, int argument);
/* The same in the whole grid. */
static inline int obl_grid_position(const obl_call *call, obl_int prow, obl_int pcol, int argument,
                                    const char *role)
{
    const obl_grid *grid = call->grid;
    if (__builtin_expect((obl_unsigned)prow < (obl_unsigned)grid->nprow &&
                             (obl_unsigned)pcol < (obl_unsigned)grid->npcol && !grid->position,
                         1))
        return (int)prow * grid->npcol + (int)pcol;
    return obl_position(call, 'A', prow, pcol, argument, role);
}

/* --------------------------------------------------------------- agree.c */

/* Level 2 of OPENBLACS_CHECK: tells hang finding which call this is, and that a grid's
 * calls are made by one thread at a time. */
void obl_note(const obl_call *call);
/* The call is over. */
void obl_done(const obl_call *call);
static inline void obl_end_call(const obl_call *call)
{
    if (__builtin_expect(ob_check_now, 0))
        obl_done(call);
}

/* What a call has named. */
typedef struct obl_named {
    const char *what; /* that all members call alike; NULL: a message */
    int scope, top, uplo, diag;
    const ob_view *view;   /* NULL: no matrix */
    const ob_route *route; /* NULL: no topology */
    int root, sends, owners, width;
} obl_named;
/* Level 3: all members of the scope have named the same. later: not NULL where the call does not
 * wait; its request is ended behind what is put there. */
void obl_agree(const obl_call *call, ob_group *group, const obl_named *named,
               ob_check_agreement **later);
/* A message's sender and its receiver have; *source becomes who it is. */
void obl_announce(const obl_call *call, int dest, const ob_view *view);
void obl_expect(const obl_call *call, int *source, const ob_view *view);

/* Where the program called the routine this stands in. */
#define OBL_SITE __builtin_return_address(0)
/* Tells the recorder which routine was called, and from where. */
static inline void obl_trace(const obl_call *call, const void *site)
{
    if (__builtin_expect(ob_check_now, 0))
        obl_note(call);
    if (__builtin_expect(ob_trace_now, 0))
        ob_trace_routine(obl_name(call), site, 1);
}

/* Other Fortran compilers' names of a routine whose name ends in an underscore: without it,
 * in capitals, both. The same function, so it stands in the file that has it. */
#define OBL_ALIAS(of, name) OB_API extern __typeof__(of) name __attribute__((alias(#of)));
#ifdef OB_ILP64
/* What gfortran calls a routine whose name ends in 64. */
#define OBL_NAMES64(lower) OBL_ALIAS(lower##_64_, lower##64_)
#define OBL_NAMES(lower, UPPER) OBL_NAMES64(lower)
#define OBL_NAMES2(lower, UPPER) OBL_NAMES64(lower)
#else
#define OBL_NAMES64(lower)
#define OBL_NAMES(lower, UPPER)                                                                    \
    OBL_ALIAS(lower##_, lower) OBL_ALIAS(lower##_, UPPER) OBL_ALIAS(lower##_, UPPER##_)
/* Those with an underscore of their own get a second one from some compilers (f2c, old g77). */
#define OBL_NAMES2(lower, UPPER) OBL_NAMES(lower, UPPER) OBL_ALIAS(lower##_, lower##__)
#endif
#define OBL_LETTERS(X) X(i, I) X(s, S) X(d, D) X(c, C) X(z, Z)

/* The types in the order of the BLACS' letters: X(letter, C type, ob_type). */
#define OBL_TYPES(X)                                                                               \
    X(i, obl_int, OBL_INTEGER)                                                                     \
    X(s, float, OB_FLOAT)                                                                          \
    X(d, double, OB_DOUBLE)                                                                        \
    X(c, void, OB_COMPLEX)                                                                         \
    X(z, void, OB_DCOMPLEX)

#endif
