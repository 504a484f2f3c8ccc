/*
 * Walking over the chunks of a trace file.
 */
#include "trace/internal.h"

const ob_trace_chunk *ob_trace_next_chunk(const char *file, size_t bytes, const ob_trace_chunk *at)
{
    size_t pos =
        at ? (size_t)((const char *)at - file) + sizeof *at + at->bytes : sizeof(ob_trace_header);
    const ob_trace_chunk *c = (const ob_trace_chunk *)(const void *)(file + pos);
    if (pos + sizeof *c > bytes || c->magic != OB_TRACE_CHUNK_MAGIC ||
        c->bytes > bytes - pos - sizeof *c || c->bytes % 8)
        return NULL;
    return c;
}
