/*
 * How our interfaces tell the recorder which of their routines the program has called.
 */
#ifndef OPENBLACS_HOOKS_TRACE_H
#define OPENBLACS_HOOKS_TRACE_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not 0 while this process records, and before ob_job_start, which knows whether it will. */
extern OB_API int ob_trace_on;
#ifdef OPENBLACS_CORE
/* The same, for the library itself, which reaches it in one instruction. */
extern __attribute__((visibility("hidden"))) int ob_trace_now;
#endif
#ifdef OPENBLACS_UNTRACED
/* A library that cannot record, to measure what it costs not to (bench/tracing). */
#define ob_trace_on 0
#define ob_trace_now 0
#endif

/* Names the routine that the program has called, and from where, for
 * what this thread records from now on: for its next `operations`, or (0) until another routine is
 * named. The name is kept by address. NULL names none: the address is the call of the one that is
 * named next, for routines that only hand over to another one (Fortran's). */
OB_API void ob_trace_routine(const char *name, const void *site, int operations);
/* For an interface that stands on another one: what the routines of that one that this thread
 * enters are called, in traces and in the lines of errors; NULL: by their own names. Kept by
 * address. */
OB_API void ob_trace_as(const char *name);
/* The name of a routine, or what stands for it. */
OB_API const char *ob_trace_name(const char *routine);
/* And the BLACS' scope: 'R', 'C' or 'A'. */
OB_API void ob_trace_scope(char letter);

/* A routine (its name is kept by address) asks for something that the end of the superstep will do:
 * so many bytes to a member of the group, or from it. What is asked alike until then is one event.
 * group NULL, or out of range: nothing. */
OB_API void ob_trace_ask(const char *name, const void *site, const ob_group *group, int position,
                         size_t bytes);

/* A call that an interface passes on to another library begins, and has ended: `since` is what the
 * first one returned. The name is kept by address. */
OB_API int64_t ob_trace_pass(const char *name, const void *site);
OB_API void ob_trace_passed(int64_t since);

/* A bit of ob_trace_on: events, not statistics alone. */
#define OB_TRACE_EVENTS_ON 1
/* The line for a routine that asks, as the one below for others. */
#if defined(__GNUC__)
#define OB_TRACE_ASK(name, group, position, bytes)                                                 \
    do {                                                                                           \
        if (__builtin_expect(ob_trace_on & OB_TRACE_EVENTS_ON, 0))                                 \
            ob_trace_ask(name, __builtin_return_address(0), group, position, bytes);               \
    } while (0)
#else
#define OB_TRACE_ASK(name, group, position, bytes)                                                 \
    do {                                                                                           \
        if (ob_trace_on & OB_TRACE_EVENTS_ON)                                                      \
            ob_trace_ask(name, NULL, group, position, bytes);                                      \
    } while (0)
#endif
/* The line for the begin of an interface's routine: a branch when nothing is recorded.
 * In the function that the program calls, so that its return address is the call. */
#if defined(__GNUC__)
#define OB_TRACE_ROUTINE(name)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(ob_trace_on, 0))                                                      \
            ob_trace_routine(name, __builtin_return_address(0), 0);                                \
    } while (0)
#else
#define OB_TRACE_ROUTINE(name)                                                                     \
    do {                                                                                           \
        if (ob_trace_on)                                                                           \
            ob_trace_routine(name, NULL, 0);                                                       \
    } while (0)
#endif
/* The same in a routine that hands over to one with the line above. */
#define OB_TRACE_CALLER OB_TRACE_ROUTINE(NULL)
/* For the letter of the scope. */
#define OB_TRACE_SCOPE(letter)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(ob_trace_on, 0))                                                      \
            ob_trace_scope(letter);                                                                \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
