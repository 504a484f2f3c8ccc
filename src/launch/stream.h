/*
 * One output stream of a process: bytes come in from a pipe in any pieces and
 * go out in whole lines.
 */
#ifndef OB_LAUNCH_STREAM_H
#define OB_LAUNCH_STREAM_H

#include <stdbool.h>

#include "openblacs/launch.h"

typedef struct ob_stream {
    int fd;     /* read end, non-blocking; -1 when closed */
    char *kept; /* the begun line, at the front of room for more */
    size_t used, size;
    ob_launch_output *output;
    void *context;
    int number, stream; /* what output is told */
} ob_stream;

enum ob_stream_state { OB_STREAM_MORE, OB_STREAM_EMPTY, OB_STREAM_END };

/* Reads once and passes whole lines on. At the end of the stream, which
 * closes it, the begun line too. */
enum ob_stream_state ob_stream_read(ob_stream *s);
/* Passes on what has arrived and closes. Nothing when closed already. */
void ob_stream_close(ob_stream *s);

#endif
