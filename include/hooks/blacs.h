/*
 * For what stands on the BLACS: an interface with other names and no contexts (libblacs94), the LU,
 * redistribution.
 */
#ifndef OPENBLACS_HOOKS_BLACS_H
#define OPENBLACS_HOOKS_BLACS_H

#include "openblacs/blacs_extensions.h"
#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on lines, traces and checks of this process call a routine what name(its name here)
 * gives, to be kept by address, and number its arguments by argument(that name, the number here).
 */
OB_API void ob_blacs_called(const char *(*name)(const char *routine),
                            int (*argument)(const char *routine, int number));

/* The job of the processes of a grid; NULL: this process is in no such grid. */
OB_API ob_job *ob_blacs_job(int64_t context);
/* The group of its collective calls: all its processes, row by row (scope 'A'), or those of the
 * caller's row ('R') or column ('C'). It ends with the grid. NULL: this process is in no such grid.
 */
OB_API ob_group *ob_blacs_group(int64_t context, char scope);

/* X(routine) for each C routine that such an interface calls. */
#define OB_BLACS_TYPED(X, p)                                                                       \
    X(C##p##gesd2d)                                                                                \
    X(C##p##gerv2d)                                                                                \
    X(C##p##trsd2d)                                                                                \
    X(C##p##trrv2d)                                                                                \
    X(C##p##gebs2d)                                                                                \
    X(C##p##gebr2d)                                                                                \
    X(C##p##trbs2d)                                                                                \
    X(C##p##trbr2d)                                                                                \
    X(C##p##gsum2d)                                                                                \
    X(C##p##gamx2d)                                                                                \
    X(C##p##gamn2d)
#define OB_BLACS_ROUTINES(X)                                                                       \
    X(Cblacs_pinfo)                                                                                \
    X(Cblacs_setup)                                                                                \
    X(Cblacs_get)                                                                                  \
    X(Cblacs_set)                                                                                  \
    X(Cblacs_gridinit)                                                                             \
    X(Cblacs_gridmap)                                                                              \
    X(Cblacs_gridinfo)                                                                             \
    X(Cblacs_gridexit)                                                                             \
    X(Cblacs_barrier)                                                                              \
    X(Cblacs_source)                                                                               \
    X(Cblacs_freebuff)                                                                             \
    X(Cblacs_exit)                                                                                 \
    OB_BLACS_TYPED(X, i)                                                                           \
    OB_BLACS_TYPED(X, s)                                                                           \
    OB_BLACS_TYPED(X, d)                                                                           \
    OB_BLACS_TYPED(X, c)                                                                           \
    OB_BLACS_TYPED(X, z)

/* The routines with 32-bit integers, libopenblacs's own: by their names an interface would reach
 * those of libopenblacs64 in a program that is linked with it. */
#define OB_BLACS_MEMBER(routine) __typeof__(routine) *routine;
typedef struct ob_blacs_routines {
    OB_BLACS_ROUTINES(OB_BLACS_MEMBER)
} ob_blacs_routines;
extern OB_API const ob_blacs_routines ob_blacs;

#ifdef __cplusplus
}
#endif
#endif
