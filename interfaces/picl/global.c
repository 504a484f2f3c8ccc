/*
 * Global operations along the topologies of setarc0: who is whose parent is arithmetic
 * on positions in a ring that begins at the root, or on the bits of a cube's numbers; a broadcast
 * goes from parents to children, a combine the other way.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "picl.h"

enum { BLOCK_BARRIER = -1, BLOCK_BCAST0 = -2, BLOCK_BCAST1 = -3, BLOCK_COMBINE = -4 };

int gray0(int i)
{
    return i ^ (i >> 1);
}

int ginv0(int i)
{
    for (int shift = 1; shift < (int)sizeof i * CHAR_BIT; shift *= 2)
        i ^= (int)((unsigned)i >> shift);
    return i;
}

/* -------------------------------------------------------------- arrangement */

static void check_arrangement(int nodes, int top, int order, int direction)
{
    if (nodes < 0 || nodes > picl_own.nodes)
        picl_fault("setarc0", "OB-7010 argument 1 (nprocs) is %d, must be 0 .. %d", nodes,
                   picl_own.nodes);
    if (nodes == 0)
        return;
    if (top < PICL_HYPERCUBE || top > PICL_TWO_WAY_RING)
        picl_fault("setarc0", "OB-1008 argument 2 (top) is %d, must be 1 .. 4", top);
    if (top == PICL_HYPERCUBE)
        return;
    if (order != PICL_NATURAL && order != PICL_GRAY)
        picl_fault("setarc0", "OB-1008 argument 3 (ord) is %d, must be 0 or 1", order);
    if (direction != PICL_FORWARD && direction != PICL_BACKWARD)
        picl_fault("setarc0", "OB-1008 argument 4 (dir) is %d, must be 1 or -1", direction);
    if (order == PICL_GRAY && (nodes & (nodes - 1)))
        picl_fault("setarc0",
                   "OB-7010 argument 1 (nprocs) is %d, must be a power of two in Gray order",
                   nodes);
}

static void arrange(const int a[4])
{
    picl_own.arranged = 1;
    picl_own.used = a[0];
    picl_own.top = a[1];
    picl_own.order = a[2];
    picl_own.direction = a[3];
}

/* The nodes in use hear of it; with none in use all do. */
void setarc0(int *nprocs, int *top, int *ord, int *dir)
{
    int a[4];
    OB_TRACE_ROUTINE("setarc0");
    picl_need_open("setarc0");
    if (nprocs == NULL || top == NULL || ord == NULL || dir == NULL)
        picl_fault("setarc0", "OB-1001 an argument is NULL");
    if (picl_own.host) {
        memcpy(a, (const int[]){*nprocs, *top, *ord, *dir}, sizeof a);
        check_arrangement(a[0], a[1], a[2], a[3]);
        for (int n = 0; n < (a[0] ? a[0] : picl_own.nodes); n++)
            if (!picl_own.launch || picl_own.node[n].loaded)
                picl_send_part("setarc0", a, sizeof a, PICL_SETARC, n, OB_INT);
        arrange(a);
        return;
    }
    picl_recv_part("setarc0", a, sizeof a, PICL_SETARC, PICL_HOST, OB_INT);
    arrange(a);
    getarc0(nprocs, top, ord, dir);
}

void getarc0(int *nprocs, int *top, int *ord, int *dir)
{
    if (nprocs == NULL || top == NULL || ord == NULL || dir == NULL)
        picl_fault("getarc0", "OB-1001 an argument is NULL");
    *nprocs = picl_own.used;
    *top = picl_own.top;
    *ord = picl_own.order;
    *dir = picl_own.direction;
}

/* Every high-level call begins with this. */
static void need_arrangement(const char *routine)
{
    picl_need_open(routine);
    if (!picl_own.arranged || picl_own.used == 0)
        picl_fault(routine, "OB-7003 no nodes are in use: call setarc0 first");
    if (!picl_own.host && picl_own.me >= picl_own.used)
        picl_fault(routine, "OB-7003 this node is not in use; %d are", picl_own.used);
}

/* The first node of the operation: the root, or node 0 for the host. */
static int check_root(const char *routine, int root, int argument)
{
    if (root == PICL_HOST)
        return 0;
    if (root < 0 || root >= picl_own.used)
        picl_fault(routine, "OB-1009 argument %d (root) is %d, must be 0 .. %d or the host, -32768",
                   argument, root, picl_own.used - 1);
    if (picl_own.host)
        picl_fault(routine,
                   "OB-1009 argument %d (root) is %d: the host takes part only as the root",
                   argument, root);
    return root;
}

/* ---------------------------------------------------------------------- trees */

/* A ring begins at the first node; a combine's goes the other way round, and so ends there. */
typedef struct tree {
    int first, step;
} tree;

static tree tree_of(int first, int combine)
{
    int turned = combine && picl_own.top == PICL_RING;
    return (tree){first, turned ? -picl_own.direction : picl_own.direction};
}

static int in_gray_order(void)
{
    return picl_own.order == PICL_GRAY;
}

/* The node at a distance from the first one, around the ring; and the distance of one. */
static int node_at(tree t, int distance)
{
    int n = picl_own.used, begin = in_gray_order() ? ginv0(t.first) : t.first;
    int at = ((begin + t.step * distance) % n + n) % n;
    return in_gray_order() ? gray0(at) : at;
}

static int distance_of(tree t, int node)
{
    int n = picl_own.used, begin = in_gray_order() ? ginv0(t.first) : t.first;
    int at = in_gray_order() ? ginv0(node) : node;
    return ((at - begin) * t.step % n + n) % n;
}

/* Half of a two-way ring, rounded up, goes forward. */
static int forward_part(void)
{
    return picl_own.used / 2;
}

static int ring_parent(tree t, int node)
{
    int d = distance_of(t, node);
    if (picl_own.top == PICL_FULL)
        return t.first;
    if (picl_own.top == PICL_TWO_WAY_RING && d > forward_part())
        return node_at(t, (d + 1) % picl_own.used);
    return node_at(t, d - 1);
}

/* The largest whole cube among the nodes in use: 0 .. half - 1. Another node hangs on the
 * one across its highest bit. */
static int whole_cube(void)
{
    int half = 1;
    while (2 * half <= picl_own.used)
        half *= 2;
    return half;
}

/* Numbers of neighbours differ in one bit: the parent lacks the highest one in which a node differs
 * from the centre, which is the root or, of a root outside the whole cube, its neighbour there. */
static int cube_parent(int root, int node)
{
    int half = whole_cube(), centre = root % half, bit = 1;
    if (node == centre)
        return root;
    if (node >= half)
        return node - half;
    while (2 * bit <= (node ^ centre))
        bit *= 2;
    return node ^ bit;
}

/* -1: it is the first. */
static int parent_of(tree t, int node)
{
    if (node == t.first)
        return -1;
    return picl_own.top == PICL_HYPERCUBE ? cube_parent(t.first, node) : ring_parent(t, node);
}

/* The next child of this node, in the order in which a broadcast serves them, or -1; *next is
 * 0 at first. */
static int next_child(tree t, int *next)
{
    int half = whole_cube(), cube = picl_own.top == PICL_HYPERCUBE;
    while (*next < (cube ? 2 * half : picl_own.used)) {
        int p = (*next)++, node = !cube ? node_at(t, p) : p < half ? p ^ (t.first % half) : p;
        if (node < picl_own.used && parent_of(t, node) == picl_own.me)
            return node;
    }
    return -1;
}

/* ----------------------------------------------------------------- broadcasts */

static void check_data(const char *routine, const void *buf, int bytes, int type)
{
    if (bytes < 0)
        picl_fault(routine, "OB-1003 argument 2 (bytes) is %d, must be at least 0", bytes);
    if (buf == NULL && bytes)
        picl_fault(routine, "OB-1002 argument 1 (buf) is NULL, but argument 2 (bytes) is %d",
                   bytes);
    if (picl_own.checking && (type < 0 || type >= PICL_TYPES))
        picl_fault(routine, "OB-1022 argument 3 (type) is %d, must be 0 .. %d", type,
                   PICL_TYPES - 1);
}

static void serve_children(const char *routine, char *buf, int bytes, int type, int first,
                           int by_part)
{
    tree t = tree_of(first, 0);
    for (int next = 0, to; (to = next_child(t, &next)) >= 0;) {
        if (by_part)
            picl_send_part(routine, buf, bytes, type, to, OB_BYTE);
        else
            picl_send_message(routine, buf, bytes, type, to);
    }
}

void bcast0(char *buf, int bytes, int type, int root)
{
    OB_TRACE_ROUTINE("bcast0");
    need_arrangement("bcast0");
    check_data("bcast0", buf, bytes, type);
    int first = check_root("bcast0", root, 4);
    picl_block_begin(BLOCK_BCAST0, type, root);
    if (picl_own.host) {
        picl_send_part("bcast0", buf, bytes, type, 0, OB_BYTE);
    } else {
        int from = parent_of(tree_of(first, 0), picl_own.me);
        if (from < 0 && root == PICL_HOST)
            from = PICL_HOST;
        if (from != -1)
            bytes = picl_recv_part("bcast0", buf, bytes, type, from, OB_BYTE);
        serve_children("bcast0", buf, bytes, type, first, 1);
    }
    picl_block_end(BLOCK_BCAST0, type, root);
}

/* Its messages are the program's to receive, so they go the way of send0's. */
void bcast1(char *buf, int bytes, int type, int root)
{
    OB_TRACE_ROUTINE("bcast1");
    need_arrangement("bcast1");
    check_data("bcast1", buf, bytes, type);
    int first = check_root("bcast1", root, 4);
    picl_block_begin(BLOCK_BCAST1, type, root);
    if (picl_own.host)
        picl_send_message("bcast1", buf, bytes, type, 0);
    else
        serve_children("bcast1", buf, bytes, type, first, 0);
    picl_block_end(BLOCK_BCAST1, type, root);
}

void barrier0(void)
{
    OB_TRACE_ROUTINE("barrier0");
    need_arrangement("barrier0");
    if (picl_own.host)
        picl_fault("barrier0", "OB-7005 only nodes may call it");
    picl_block_begin(BLOCK_BARRIER, PICL_BARRIER, 0);
    for (int step = 1; step < picl_own.used; step *= 2) {
        picl_send_part("barrier0", NULL, 0, PICL_BARRIER, (picl_own.me + step) % picl_own.used,
                       OB_BYTE);
        picl_recv_part("barrier0", NULL, 0, PICL_BARRIER,
                       (picl_own.me + picl_own.used - step) % picl_own.used, OB_BYTE);
    }
    picl_block_end(BLOCK_BARRIER, PICL_BARRIER, 0);
}

/* ------------------------------------------------------------------- combines */

int datasize0(int datatype)
{
    static const int sizes[] = {sizeof(char), sizeof(short), sizeof(int),
                                sizeof(long), sizeof(float), sizeof(double)};
    if (datatype < PICL_CHAR || datatype > PICL_DOUBLE)
        picl_fault("datasize0", "OB-1018 argument 1 (datatype) is %d, must be 0 .. 5", datatype);
    return sizes[datatype];
}

static int vector_bytes(const char *routine, const char *buf, int items, int datatype, int type)
{
    if (datatype < PICL_CHAR || datatype > PICL_DOUBLE)
        picl_fault(routine, "OB-1018 argument 3 (datatype) is %d, must be 0 .. 5", datatype);
    long long bytes = (long long)items * datasize0(datatype);
    if (items < 0)
        picl_fault(routine, "OB-1003 argument 2 (items) is %d, must be at least 0", items);
    if (bytes > INT_MAX)
        picl_fault(routine, "OB-1005 argument 2 (items) is %d, must be at most %d", items,
                   INT_MAX / datasize0(datatype));
    if (buf == NULL && items)
        picl_fault(routine, "OB-1002 argument 1 (buf) is NULL, but argument 2 (items) is %d",
                   items);
    if (picl_own.checking && (type < 0 || type >= PICL_TYPES))
        picl_fault(routine, "OB-1022 argument 4 (msgtype) is %d, must be 0 .. %d", type,
                   PICL_TYPES - 1);
    return (int)bytes;
}

/* As messages carry it. */
static ob_type element_of(int datatype)
{
    return datatype == PICL_INT      ? OB_INT
           : datatype == PICL_FLOAT  ? OB_FLOAT
           : datatype == PICL_DOUBLE ? OB_DOUBLE
                                     : OB_BYTE;
}

static void receive_vector(const char *routine, char *to, int bytes, int type, int source,
                           int datatype)
{
    int got = picl_recv_part(routine, to, bytes, type, source, element_of(datatype));
    if (got != bytes)
        picl_fault(routine, "OB-7009 its vector has %d bytes, processor %d's %d", bytes, source,
                   got);
}

typedef void combining(char *to, char *with, int items, int datatype);

/* From the children, in one order at every run, then to the parent. */
static void combine_nodes(const char *routine, char *buf, int items, int datatype, int type,
                          int first, combining *comb)
{
    int bytes = items * datasize0(datatype);
    tree t = tree_of(first, 1);
    char *in = malloc((size_t)bytes + 1);
    if (in == NULL)
        picl_fault(routine, "OB-4001 no memory for %d bytes", bytes);
    for (int next = 0, from; (from = next_child(t, &next)) >= 0;) {
        receive_vector(routine, in, bytes, type, from, datatype);
        comb(buf, in, items, datatype);
    }
    free(in);
    int to = parent_of(t, picl_own.me);
    if (to >= 0)
        picl_send_part(routine, buf, bytes, type, to, element_of(datatype));
}

static void combine(const char *routine, char *buf, int items, int datatype, int type, int root,
                    combining *comb)
{
    need_arrangement(routine);
    int bytes = vector_bytes(routine, buf, items, datatype, type);
    int first = check_root(routine, root, 5);
    picl_block_begin(BLOCK_COMBINE, type, root);
    if (picl_own.host) {
        receive_vector(routine, buf, bytes, type, 0, datatype);
    } else {
        combine_nodes(routine, buf, items, datatype, type, first, comb);
        if (root == PICL_HOST && picl_own.me == 0)
            picl_send_part(routine, buf, bytes, type, PICL_HOST, element_of(datatype));
    }
    picl_block_end(BLOCK_COMBINE, type, root);
}

void gcomb0(char *buf, int items, int datatype, int msgtype, int root,
            void (*comb)(char *to, char *with, int items, int datatype))
{
    OB_TRACE_ROUTINE("gcomb0");
    if (comb == NULL)
        picl_fault("gcomb0", "OB-1021 argument 6 (comb) is NULL");
    combine("gcomb0", buf, items, datatype, msgtype, root, comb);
}

static ob_kind kind_of(int datatype)
{
    return datatype == PICL_CHAR    ? CHAR_MIN < 0 ? OB_KIND_INT8 : OB_KIND_UINT8
           : datatype == PICL_SHORT ? OB_KIND_INT16
           : datatype == PICL_INT   ? OB_KIND_INT32
           : datatype == PICL_LONG  ? sizeof(long) == 8 ? OB_KIND_INT64 : OB_KIND_INT32
           : datatype == PICL_FLOAT ? OB_KIND_FLOAT
                                    : OB_KIND_DOUBLE;
}

static void apply(ob_operator what, char *to, const char *with, int items, int datatype)
{
    ob_operation operation;
    if (ob_operation_of(what, kind_of(datatype), &operation) != OB_OK)
        picl_fault("a combine", "%s", ob_error_text());
    operation.apply((size_t)items, to, with, operation.context);
}

#define STAMP(name, what, most)                                                                    \
    static void comb_##name(char *to, char *with, int items, int datatype)                         \
    {                                                                                              \
        apply(OB_OPERATOR_##what, to, with, items, datatype);                                      \
    }                                                                                              \
    void g##name##0(char *buf, int items, int datatype, int msgtype, int root)                     \
    {                                                                                              \
        OB_TRACE_ROUTINE("g" #name "0");                                                           \
        if (datatype > most)                                                                       \
            picl_fault("g" #name "0", "OB-1018 argument 3 (datatype) is %d, must be 0 .. %d",      \
                       datatype, most);                                                            \
        combine("g" #name "0", buf, items, datatype, msgtype, root, comb_##name);                  \
    }

STAMP(and, BIT_AND, PICL_LONG)
STAMP(or, BIT_OR, PICL_LONG)
STAMP(xor, BIT_XOR, PICL_LONG)
STAMP(max, MAX, PICL_DOUBLE)
STAMP(min, MIN, PICL_DOUBLE)
STAMP(sum, SUM, PICL_DOUBLE)
STAMP(prod, PRODUCT, PICL_DOUBLE)
