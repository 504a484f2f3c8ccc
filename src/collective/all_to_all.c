/*
 * Everybody to everybody: a piece for each member, and one from each. Sends never wait for their
 * receivers, so each member sends to those above it, the next one first, and receives from those
 * below it in the same order: at any time each is sent to by one.
 */
#include "collective/arguments.h"
#include "collective/data/parts.h"
#include "core/error.h"
#include "message/message.h"

/* Bytes that a member may be ahead of its receives: what is sent waits in memory. */
enum { AHEAD = 256 << 10 };

static int own_size_error(const ob_group *g, size_t from, size_t to)
{
    return ob_fail(OB_ESIZE,
                   "OB-1024 ob_all_to_all: the own piece has %zu bytes, its place %zu; process %d",
                   from, to, g->me);
}

/* Sends go first as far as AHEAD allows, then receives, in turn. Who finds a wrong size goes on,
 * since others wait for the rest. */
static int exchange(ob_group *g, const ob_parts *from, const ob_parts *to)
{
    int sent = 1, got = 1, size = g->size, status = OB_OK, one;
    size_t ahead = 0;
    while (got < size) {
        int dest = (g->me + sent) % size, source = (g->me + size - got) % size;
        if (sent < size && (sent == got || ahead < AHEAD)) {
            ahead += ob_part_bytes(from, dest);
            sent++;
            one = ob_message_send(g, dest, OB_TAG_COLLECTIVE, &from->view[dest]);
        } else {
            size_t bytes = ob_part_bytes(to, source);
            ahead -= bytes < ahead ? bytes : ahead;
            got++;
            one = ob_message_recv(g, source, OB_TAG_COLLECTIVE, &to->view[source], NULL);
        }
        status = one ? one : status;
    }
    return status;
}

static int all_to_all(ob_group *g, const ob_pieces *from, const ob_pieces *to)
{
    ob_parts out, in;
    int status = ob_parts_make("ob_all_to_all", g, from, true, NULL, 1, &out);
    if (status)
        return status;
    status = ob_parts_make("ob_all_to_all", g, to, true, NULL, 1, &in);
    if (!status) {
        size_t bytes = ob_part_bytes(&out, g->me), place = ob_part_bytes(&in, g->me);
        status = exchange(g, &out, &in);
        if (bytes != place)
            status = own_size_error(g, bytes, place);
        else if (bytes)
            ob_view_copy(&in.view[g->me], &out.view[g->me]);
        ob_parts_free(&in);
    }
    ob_parts_free(&out);
    return status;
}

int ob_all_to_all(ob_group *group, const ob_pieces *from, const ob_pieces *to,
                  const ob_route *route)
{
    static const char routine[] = "ob_all_to_all";
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group(routine, group);
    if (!status)
        status = ob_argument_pieces(routine, group, from);
    if (!status)
        status = ob_argument_pieces(routine, group, to);
    if (!status)
        status = ob_argument_route(routine, group, 4, route);
    if (!status)
        status = all_to_all(group, from, to);
    return ob_call_end(&span, group, routine, OB_TRACE_EXCHANGE, OB_ANY, NULL, from, route, status);
}
