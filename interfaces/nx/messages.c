/*
 * Blocking messages: what gsendx sends has to be received.
 */
#include "common/fortran.h"
#include "machine.h"

#include <stdlib.h>

enum { TYPE_MOST = 999999999 };

/* Of the last message that this thread has received; -1 before. */
static _Thread_local ob_received last = {.source = -1, .tag = -1};

static int type_of(const char *routine, long type, int least)
{
    if (type < least || type > TYPE_MOST)
        nx_fault(routine, "OB-1022 argument 1 (type) is %ld, must be %d to %d", type, least,
                 TYPE_MOST);
    return (int)type;
}

static void send_to(const char *routine, long type, const void *buf, long len, const long *nodes,
                    long count)
{
    ob_group *g = nx_nodes(routine);
    ob_view v = ob_view_vector(buf, nx_length(routine, len, 1, 3, "len", buf), OB_BYTE);
    int tag = type_of(routine, type, 0), size = ob_group_size(g);
    for (long i = 0; i < count; i++) {
        if (nodes[i] < 0 || nodes[i] >= size)
            nx_fault(routine, "OB-1009 argument 4 names node %ld, must be 0 to %d", nodes[i],
                     size - 1);
        nx_check(routine, ob_send(g, (int)nodes[i], tag, &v));
    }
}

void csend(long type, const void *buf, long len, long node, long ptype)
{
    OB_TRACE_ROUTINE("csend");
    long me = mynode();
    (void)ptype;
    if (node != -1)
        send_to("csend", type, buf, len, &node, 1);
    for (long i = 0; i < numnodes() && node == -1; i++)
        if (i != me)
            send_to("csend", type, buf, len, &i, 1);
}

void gsendx(long type, const void *x, long xlen, long *nodes, long count)
{
    OB_TRACE_ROUTINE("gsendx");
    nx_length("gsendx", count, sizeof *nodes, 5, "count", nodes);
    send_to("gsendx", type, x, xlen, nodes, count);
}

void crecv(long type, void *buf, long len)
{
    OB_TRACE_ROUTINE("crecv");
    ob_group *g = nx_nodes("crecv");
    ob_view v = ob_view_vector(buf, nx_length("crecv", len, 1, 3, "len", buf), OB_BYTE);
    int tag = type_of("crecv", type, -1);
    nx_apart("crecv");
    nx_check("crecv", ob_recv_with(g, OB_ANY, tag == -1 ? OB_ANY : tag, &v, OB_SHORTER, &last));
}

long infocount(void)
{
    return last.source < 0 ? -1 : (long)last.bytes;
}

long infonode(void)
{
    return last.source;
}

long infotype(void)
{
    return last.tag;
}

long infopid(void)
{
    return 0;
}

/* ------------------------------------------------------------------ Fortran */

OB_FORTRAN_TRACED(void, csend,
                  (const int *type, const void *buf, const int *len, const int *node,
                   const int *ptype),
                  csend(*type, buf, *len, *node, *ptype))

void gsendx_(const int *type, const void *x, const int *xlen, const int *nodes, const int *count)
{
    OB_TRACE_CALLER;
    size_t n = nx_length("gsendx", *count, sizeof *nodes, 5, "count", nodes);
    long *list = malloc((n + 1) * sizeof *list);
    if (list == NULL)
        nx_fault("gsendx", "OB-4001 no memory for %zu nodes", n);
    for (size_t i = 0; i < n; i++)
        list[i] = nodes[i];
    gsendx(*type, x, *xlen, list, (long)n);
    free(list);
}

OB_FORTRAN_TRACED(void, crecv, (const int *type, void *buf, const int *len),
                  crecv(*type, buf, *len))
OB_FORTRAN(int, infocount, (void), (int)infocount())
OB_FORTRAN(int, infonode, (void), (int)infonode())
OB_FORTRAN(int, infotype, (void), (int)infotype())
OB_FORTRAN(int, infopid, (void), 0)
