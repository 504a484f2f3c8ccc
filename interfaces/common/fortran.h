/*
 * What Fortran calls: NAME_, which takes all arguments by reference and hands over to a C routine.
 */
#ifndef OB_COMMON_FORTRAN_H
#define OB_COMMON_FORTRAN_H

#include "hooks/trace.h"
#ifndef OB_F
#include "openblacs/integers.h"
#endif

#define OB_FORTRAN(type, name, parameters, call)                                                   \
    OB_API type OB_F(name) parameters                                                              \
    {                                                                                              \
        return call;                                                                               \
    }
/* To a routine that the recorder knows: the call is our caller's. */
#define OB_FORTRAN_TRACED(type, name, parameters, call)                                            \
    OB_API type OB_F(name) parameters                                                              \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        return call;                                                                               \
    }

#endif
