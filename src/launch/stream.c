/*
 * Collecting lines. The buffer holds at most one begun line between reads and
 * grows with it, so a line of any length stays whole; whole lines go out
 * straight from where they were read.
 */
#include "launch/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 65536 }; /* what a pipe holds */

/* A process that writes without end must not keep the others from being
 * served when its stream is closed. */
enum { LAST_READS = 256 };

static void pass_on(ob_stream *s, size_t count)
{
    if (count > 0 && s->output)
        s->output(s->context, s->number, s->stream, s->kept, count);
    s->used -= count;
    if (s->used > 0)
        memmove(s->kept, s->kept + count, s->used);
}

/* Room for one read. When a line has outgrown the memory, its beginning goes
 * out rather than get lost. False when there is no memory at all. */
static bool make_room(ob_stream *s)
{
    if (s->size - s->used >= READ_BYTES)
        return true;
    size_t size = s->size ? 2 * s->size : READ_BYTES;
    while (size - s->used < READ_BYTES)
        size *= 2;
    char *bigger = realloc(s->kept, size);
    if (bigger) {
        s->kept = bigger;
        s->size = size;
        return true;
    }
    pass_on(s, s->used);
    return s->size > 0;
}

/* Bytes from the front to the last newline among the `fresh` last ones. */
static size_t whole_lines(const ob_stream *s, size_t fresh)
{
    for (size_t end = s->used; end > s->used - fresh; end--) {
        if (s->kept[end - 1] == '\n')
            return end;
    }
    return 0;
}

static enum ob_stream_state end_stream(ob_stream *s)
{
    pass_on(s, s->used);
    close(s->fd);
    free(s->kept);
    s->fd = -1;
    s->kept = NULL;
    s->size = 0;
    return OB_STREAM_END;
}

/* A last line behind what came before, which is all that there will be. */
static void tell_fault(ob_stream *s, int fault)
{
    char line[160];
    int length = snprintf(line, sizeof line,
                          "%sOpenBLACS: the rest of process %d's output cannot be read: %s\n",
                          s->used ? "\n" : "", s->number, strerror(fault));
    pass_on(s, s->used);
    if (s->output)
        s->output(s->context, s->number, s->stream, line, (size_t)length);
}

enum ob_stream_state ob_stream_read(ob_stream *s)
{
    char little[4096];
    if (s->fd < 0)
        return OB_STREAM_END;
    bool keeps = make_room(s);
    char *to = keeps ? s->kept + s->used : little;
    ssize_t got = read(s->fd, to, keeps ? s->size - s->used : sizeof little);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return OB_STREAM_EMPTY;
    if (got < 0)
        tell_fault(s, errno);
    if (got <= 0)
        return end_stream(s);
    if (keeps) {
        s->used += (size_t)got;
        pass_on(s, whole_lines(s, (size_t)got));
    } else if (s->output) { /* lines are cut, but not lost */
        s->output(s->context, s->number, s->stream, little, (size_t)got);
    }
    return OB_STREAM_MORE;
}

void ob_stream_close(ob_stream *s)
{
    for (int i = 0; i < LAST_READS && s->fd >= 0; i++) {
        if (ob_stream_read(s) == OB_STREAM_EMPTY)
            break;
    }
    if (s->fd >= 0)
        end_stream(s);
}
