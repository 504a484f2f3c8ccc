/*
 * The same routines for Fortran, as Oak Ridge's own interface has them: the C names and
 * arguments, all by reference; a string's length comes last, unseen. The module picl
 * (picl.f90.in) declares them.
 */
#include <stdlib.h>
#include <string.h>

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

OB_API void open0_(int *numproc, int *me, int *host)
{
    OB_TRACE_CALLER;
    open0(numproc, me, host);
}

OB_API void close0_(const int *release)
{
    OB_TRACE_CALLER;
    close0(*release);
}

OB_API void load0_(const char *file, const int *node, size_t length)
{
    char *name = text_of(file, length);
    load0(name, *node);
    free(name);
}

OB_API void who0_(int *numproc, int *me, int *host)
{
    who0(numproc, me, host);
}

OB_API void send0_(void *buf, const int *bytes, const int *type, const int *dest)
{
    OB_TRACE_CALLER;
    send0(buf, *bytes, *type, *dest);
}

OB_API void recv0_(void *buf, const int *bytes, const int *type)
{
    OB_TRACE_CALLER;
    recv0(buf, *bytes, *type);
}

OB_API int probe0_(const int *type)
{
    OB_TRACE_CALLER;
    return probe0(*type);
}

OB_API void recvinfo0_(int *bytes, int *type, int *source)
{
    recvinfo0(bytes, type, source);
}

OB_API void message0_(const char *message, size_t length)
{
    char *text = text_of(message, length);
    message0(text);
    free(text);
}

OB_API void sync0_(void)
{
    OB_TRACE_CALLER;
    sync0();
}

OB_API void check0_(const int *checking)
{
    check0(*checking);
}

OB_API double clock0_(void)
{
    return clock0();
}

/* ----------------------------------------------------------------- high level */

OB_API void setarc0_(int *nprocs, int *top, int *ord, int *dir)
{
    OB_TRACE_CALLER;
    setarc0(nprocs, top, ord, dir);
}

OB_API void getarc0_(int *nprocs, int *top, int *ord, int *dir)
{
    getarc0(nprocs, top, ord, dir);
}

OB_API void barrier0_(void)
{
    OB_TRACE_CALLER;
    barrier0();
}

OB_API void bcast0_(void *buf, const int *bytes, const int *type, const int *root)
{
    OB_TRACE_CALLER;
    bcast0(buf, *bytes, *type, *root);
}

OB_API void bcast1_(void *buf, const int *bytes, const int *type, const int *root)
{
    OB_TRACE_CALLER;
    bcast1(buf, *bytes, *type, *root);
}

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

OB_API int datasize0_(const int *datatype)
{
    return datasize0(*datatype);
}

OB_API int gray0_(const int *i)
{
    return gray0(*i);
}

OB_API int ginv0_(const int *i)
{
    return ginv0(*i);
}

/* -------------------------------------------------------------------- tracing */

OB_API void traceenable_(const char *tracefile, const int *verbose, size_t length)
{
    char *name = text_of(tracefile, length);
    traceenable(name, *verbose);
    free(name);
}

OB_API void tracehost_(const int *tracesize, const int *flush)
{
    tracehost(*tracesize, *flush);
}

OB_API void tracenode_(const int *tracesize, const int *flush, const int *sync)
{
    tracenode(*tracesize, *flush, *sync);
}

OB_API void tracelevel_(const int *event, const int *compstats, const int *commstats)
{
    tracelevel(*event, *compstats, *commstats);
}

OB_API void traceinfo_(int *remaining, int *event, int *compstats, int *commstats)
{
    traceinfo(remaining, event, compstats, commstats);
}

OB_API void tracemark_(const int *marktype)
{
    tracemark(*marktype);
}

OB_API void tracemsg_(const char *message, size_t length)
{
    char *text = text_of(message, length);
    tracemsg(text);
    free(text);
}

OB_API void traceflush_(void)
{
    traceflush();
}

OB_API void traceexit_(void)
{
    traceexit();
}
