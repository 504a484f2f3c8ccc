/*
 * The same routines for Fortran, as Oak Ridge's own interface has them: the C names and
 * arguments, all by reference; a string's length comes last, unseen. The module picl
 * (picl.f90.in) declares them.
 */
#include <stdlib.h>
#include <string.h>

#include "common/fortran.h"
#include "picl.h"

/* Without the blanks at its end, or up to a zero. NULL: no memory. */
static char *text_of(const char *string, size_t length)
{
    length = strnlen(string, length);
    while (length && string[length - 1] == ' ')
        length--;
    return strndup(string, length);
}

/* ------------------------------------------------------------------ low level */

OB_FORTRAN_TRACED(void, open0, (int *numproc, int *me, int *host), open0(numproc, me, host))
OB_FORTRAN_TRACED(void, close0, (const int *release), close0(*release))

OB_API void load0_(const char *file, const int *node, size_t length)
{
    char *name = text_of(file, length);
    load0(name, *node);
    free(name);
}

OB_FORTRAN(void, who0, (int *numproc, int *me, int *host), who0(numproc, me, host))
OB_FORTRAN_TRACED(void, send0, (void *buf, const int *bytes, const int *type, const int *dest),
                  send0(buf, *bytes, *type, *dest))
OB_FORTRAN_TRACED(void, recv0, (void *buf, const int *bytes, const int *type),
                  recv0(buf, *bytes, *type))
OB_FORTRAN_TRACED(int, probe0, (const int *type), probe0(*type))
OB_FORTRAN(void, recvinfo0, (int *bytes, int *type, int *source), recvinfo0(bytes, type, source))

OB_API void message0_(const char *message, size_t length)
{
    char *text = text_of(message, length);
    message0(text);
    free(text);
}

OB_FORTRAN_TRACED(void, sync0, (void), sync0())
OB_FORTRAN(void, check0, (const int *checking), check0(*checking))
OB_FORTRAN(double, clock0, (void), clock0())

/* ----------------------------------------------------------------- high level */

OB_FORTRAN_TRACED(void, setarc0, (int *nprocs, int *top, int *ord, int *dir),
                  setarc0(nprocs, top, ord, dir))
OB_FORTRAN(void, getarc0, (int *nprocs, int *top, int *ord, int *dir),
           getarc0(nprocs, top, ord, dir))
OB_FORTRAN_TRACED(void, barrier0, (void), barrier0())
OB_FORTRAN_TRACED(void, bcast0, (void *buf, const int *bytes, const int *type, const int *root),
                  bcast0(buf, *bytes, *type, *root))
OB_FORTRAN_TRACED(void, bcast1, (void *buf, const int *bytes, const int *type, const int *root),
                  bcast1(buf, *bytes, *type, *root))
#define COMBINE(name)                                                                              \
    OB_API void name##_(void *buf, const int *items, const int *datatype, const int *msgtype,      \
                        const int *root)                                                           \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        name(buf, *items, *datatype, *msgtype, *root);                                             \
    }
COMBINE(gand0)
COMBINE(gmax0)
COMBINE(gmin0)
COMBINE(gor0)
COMBINE(gprod0)
COMBINE(gsum0)
COMBINE(gxor0)

/* Fortran's function takes its numbers by reference. One thread calls, one combine at a time. */
typedef void by_reference(void *to, void *with, const int *items, const int *datatype);
static by_reference *fortran_function;

static void call_fortran(char *to, char *with, int items, int datatype)
{
    fortran_function(to, with, &items, &datatype);
}

OB_API void gcomb0_(void *buf, const int *items, const int *datatype, const int *msgtype,
                    const int *root, by_reference *comb)
{
    OB_TRACE_CALLER;
    fortran_function = comb;
    gcomb0(buf, *items, *datatype, *msgtype, *root, comb ? call_fortran : NULL);
}

OB_FORTRAN(int, datasize0, (const int *datatype), datasize0(*datatype))
OB_FORTRAN(int, gray0, (const int *i), gray0(*i))
OB_FORTRAN(int, ginv0, (const int *i), ginv0(*i))

/* -------------------------------------------------------------------- tracing */

OB_API void traceenable_(const char *tracefile, const int *verbose, size_t length)
{
    char *name = text_of(tracefile, length);
    traceenable(name, *verbose);
    free(name);
}

OB_FORTRAN(void, tracehost, (const int *tracesize, const int *flush), tracehost(*tracesize, *flush))
OB_FORTRAN(void, tracenode, (const int *tracesize, const int *flush, const int *sync),
           tracenode(*tracesize, *flush, *sync))
OB_FORTRAN(void, tracelevel, (const int *event, const int *compstats, const int *commstats),
           tracelevel(*event, *compstats, *commstats))
OB_FORTRAN(void, traceinfo, (int *remaining, int *event, int *compstats, int *commstats),
           traceinfo(remaining, event, compstats, commstats))
OB_FORTRAN(void, tracemark, (const int *marktype), tracemark(*marktype))

OB_API void tracemsg_(const char *message, size_t length)
{
    char *text = text_of(message, length);
    tracemsg(text);
    free(text);
}

OB_FORTRAN(void, traceflush, (void), traceflush())
OB_FORTRAN(void, traceexit, (void), traceexit())
