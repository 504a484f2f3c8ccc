/*
 * What every collective call does before and after its work: its arguments are checked, each
 * with a line that names it (OB_EARG), and its span is recorded.
 */
#ifndef OB_COLLECTIVE_ARGUMENTS_H
#define OB_COLLECTIVE_ARGUMENTS_H

#include "collective/data/parts.h"
#include "hooks/collective.h"
#include "message/together.h"
#include "trace/trace.h"

int ob_refuse_group(const char *routine);
int ob_refuse_root(const char *routine, const ob_group *group, int root, int any_is_fine);
int ob_judge_route(const char *routine, const ob_group *group, int argument, const ob_route *r);

static inline int ob_argument_group(const char *routine, const ob_group *group)
{
    return group ? OB_OK : ob_refuse_group(routine);
}

static inline int ob_argument_root(const char *routine, const ob_group *group, int root,
                                   int any_is_fine)
{
    if ((root >= 0 && root < group->size) || (any_is_fine && root == OB_ANY))
        return OB_OK;
    return ob_refuse_root(routine, group, root, any_is_fine);
}

static inline int ob_argument_route(const char *routine, const ob_group *group, int argument,
                                    const ob_route *route)
{
    return route ? ob_judge_route(routine, group, argument, route) : OB_OK;
}

int ob_argument_view(const char *routine, const ob_group *group, int argument, const ob_view *v);
/* Arguments 4 and 5 of a combine out of place, which are views: as many bytes. */
int ob_argument_apart(const char *routine, const ob_group *group, const ob_view *from,
                      const ob_view *to);
int ob_argument_operation(const char *routine, const ob_group *group, ob_op op,
                          const ob_view *matrix, const ob_coordinates *coords);
int ob_argument_own_operation(const char *routine, const ob_operation *o, const ob_view *v);
int ob_argument_pieces(const char *routine, const ob_group *group, const ob_pieces *pieces);
/* The two vectors of everybody to everybody, as parts of their own memory: parts[0] goes out. Both
 * are to be freed, whatever the status. */
int ob_argument_exchange(const char *routine, ob_group *group, const ob_pieces *out,
                         const ob_pieces *in, ob_parts parts[2]);
/* The caller's own piece has the same bytes in both, or OB_ESIZE. */
int ob_argument_own_piece(const char *routine, const ob_group *group, const ob_parts parts[2]);

/* A call's span: without a recorder, or a group, it has no begin. */
static inline void ob_call_begin(ob_trace_span *span, const ob_group *group)
{
    span->begin = 0;
    if (OB_TOGETHER)
        ob_together_settle();
    if (OB_TRACING && group)
        ob_trace_begin(span);
}

/* Else the call is only noted. */
static inline void ob_call_begin_if(bool at_once, ob_trace_span *span, const ob_group *group)
{
    span->begin = 0;
    if (at_once)
        ob_call_begin(span, group);
}

/* Records the call; returns its status. Arguments that were refused are not looked at. */
int ob_call_record(const ob_trace_span *span, const ob_group *group, const char *routine, int kind,
                   int root, const ob_view *matrix, const ob_pieces *pieces, const ob_route *route,
                   int status);

static inline int ob_call_end(const ob_trace_span *span, const ob_group *group, const char *routine,
                              int kind, int root, const ob_view *matrix, const ob_pieces *pieces,
                              const ob_route *route, int status)
{
    return __builtin_expect(span->begin == 0, 1)
               ? status
               : ob_call_record(span, group, routine, kind, root, matrix, pieces, route, status);
}

#endif
