/*
 * Everybody to everybody: a piece for each member, and one from each. On one node over the board
 * (board/exchange.h), unless there are so many that they may have tiers. Between nodes, and where
 * the board leaves something, by messages. Sends never wait for their receivers, so each member
 * sends to those above it, the next one first, and receives from those below it in the same order:
 * at any time each is sent to by one.
 *
 * ob_iexchange makes messages as a course (overlap/straight.c), of the same parts. This
 * one is not a begin with a wait behind it: short pieces would take two to three times as long, and
 * long ones would all be sent before any is received, and wait in memory.
 */
#include "collective/arguments.h"
#include "collective/board/exchange.h"
#include "collective/data/parts.h"
#include "collective/levels/tiers.h"
#include "message/message.h"

/* Bytes that a member may be ahead of its receives: what is sent waits in memory. */
enum { AHEAD = 256 << 10 };

/* What a board has left for messages; board NULL: there is none. */
static int send(ob_group *g, ob_board *board, int dest, const ob_view *piece)
{
    int status = ob_message_send(g, dest, OB_TAG_COLLECTIVE, piece);
    if (status != OB_OK && board)
        ob_board_break(board);
    return status;
}

static int receive(ob_group *g, ob_board *board, int source, const ob_view *piece)
{
    return board ? ob_board_recv(board, source, piece)
                 : ob_message_recv(g, source, OB_TAG_COLLECTIVE, piece, NULL);
}

/* Sends go first as far as AHEAD allows, then receives, in turn. Who finds a wrong size goes on,
 * since others wait for the rest. way: of each member, what is left for messages; NULL: all. */
static int exchange(ob_group *g, const ob_parts *from, const ob_parts *to, ob_board *board,
                    const char *way)
{
    int sent = 1, got = 1, size = g->size, status = OB_OK, one;
    size_t ahead = 0;
    while (got < size) {
        int dest = (g->me + sent) % size, source = (g->me + size - got) % size;
        if (sent < size && (sent == got || ahead < AHEAD)) {
            ahead += ob_part_bytes(from, dest);
            sent++;
            one =
                way && !(way[dest] & OB_LEFT_TO) ? OB_OK : send(g, board, dest, &from->view[dest]);
        } else {
            size_t bytes = ob_part_bytes(to, source);
            ahead -= bytes < ahead ? bytes : ahead;
            got++;
            one = way && !(way[source] & OB_LEFT_FROM)
                      ? OB_OK
                      : receive(g, board, source, &to->view[source]);
        }
        status = one ? one : status;
    }
    return status;
}

/* has_own: the caller's piece for itself is where it goes. */
static int exchange_on_board(ob_group *g, const ob_parts *from, const ob_parts *to, bool *has_own)
{
    ob_exchange x;
    bool usable;
    int status = ob_exchange_begin(&x, g, from, to, &usable);
    if (usable && x.messages) {
        int rest = exchange(g, from, to, x.board, x.way);
        status = rest ? rest : status;
    }
    if (usable)
        ob_exchange_end(&x);
    *has_own = x.has_own;
    return status;
}

static int all_to_all(const char *routine, ob_group *g, const ob_parts parts[2])
{
    /* A board's note is read by all others: too many in a group that others have tiers for. */
    bool board = g->one_node && g->size > 1 && !ob_has_many(g);
    bool has_own = false;
    int status = board ? exchange_on_board(g, &parts[0], &parts[1], &has_own)
                       : exchange(g, &parts[0], &parts[1], NULL, NULL);
    int own = ob_argument_own_piece(routine, g, parts);
    if (own == OB_OK && !has_own)
        ob_view_copy(&parts[1].view[g->me], &parts[0].view[g->me]);
    return own ? own : status;
}

int ob_all_to_all(ob_group *group, const ob_pieces *from, const ob_pieces *to,
                  const ob_route *route)
{
    static const char routine[] = "ob_all_to_all";
    ob_trace_span span;
    ob_parts parts[2] = {{0}, {0}};
    ob_call_begin(&span, group);
    int status = ob_argument_group(routine, group);
    if (!status)
        status = ob_argument_route(routine, group, 4, route);
    if (!status)
        status = ob_argument_exchange(routine, group, from, to, parts);
    if (!status)
        status = all_to_all(routine, group, parts);
    ob_parts_free(&parts[0]);
    ob_parts_free(&parts[1]);
    return ob_call_end(&span, group, routine, OB_TRACE_EXCHANGE, OB_ANY, NULL, from, route, status);
}
