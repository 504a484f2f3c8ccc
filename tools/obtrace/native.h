/*
 * Names and call sites of the library's own trace file, as its processes number them.
 */
#ifndef OBT_NATIVE_H
#define OBT_NATIVE_H

#include "formats.h"
#include "openblacs/trace.h"

/* What a process numbers from 1 on: each one's index in the trace. */
typedef struct obt_numbers {
    size_t *at, count, room;
} obt_numbers;

/* "" where there is none. */
const char *obt_native_text(const obt_trace *t, const obt_numbers *names, uint32_t number);
/* -1 where there is none. */
int64_t obt_native_site(const obt_numbers *sites, uint32_t number);

/* Each reads the payload of a chunk, of which `bytes` are there. known: from hashes to the trace's
 * sites, those of equal names being one. */
void obt_native_names(obt_trace *t, obt_numbers *names, const ob_trace_chunk *c, const char *p,
                      size_t bytes);
void obt_native_sites(obt_trace *t, obt_map *known, const obt_numbers *names, obt_numbers *sites,
                      const ob_trace_chunk *c, const char *p, size_t bytes);
/* Gives sites other names: "PDTRSM called from PDGETRF+0x10". */
void obt_native_origins(obt_trace *t, obt_map *known, const obt_numbers *names, obt_numbers *sites,
                        const ob_trace_chunk *c, const char *p, size_t bytes);

/* ------------------------------------------------------- native_courses.c
 * Collective operations that the program does not wait for at once. */

/* For each event that waits for the end of one, the event that began it; NULL for others. The
 * caller frees it. */
const ob_trace_event **obt_native_courses(const ob_trace_event *events, size_t count);
/* Is it the begin of one? */
static inline bool obt_native_begins(const ob_trace_event *e)
{
    return e->flags & OB_TRACE_REQUEST && e->tag <= OBT_COURSE_TAG &&
           ((e->kind >= OB_TRACE_BROADCAST && e->kind <= OB_TRACE_BARRIER) ||
            e->kind == OB_TRACE_EXCHANGE);
}
/* The same in files of libraries that wrote no more of it than that it was begun. */
bool obt_native_begins_untold(const ob_trace_event *e, const char *routine);
/* What to call the routine that began it, such that obt_waiting_in knows what it waits for; or, of
 * `ends`, the wait for it. Returns text, or routine. */
const char *obt_native_course_name(const char *routine, int kind, bool ends, char *text,
                                   size_t room);

/* What stands for the name of an event's routine that has none. */
const char *obt_native_kind_name(int kind);

#endif
