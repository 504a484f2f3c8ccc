/*
 * Links that messages share. At a switch a node has one way out and one way in; on a torus it has
 * two links in each dimension, one to either side, and a message crosses those of the nodes on its
 * way. Each message that is under way has its part of each of its links: the least of these is its
 * speed. So two messages that a process sends at once both come when the bytes of both are through,
 * if they leave by the same link.
 *
 * When messages are sent hangs on when earlier ones came. So the lists are carried out again with
 * what was found here, and so on (carry.c).
 */
#include <math.h>
#include <stdlib.h>

#include "formats.h"
#include "replay.h"

/* A message on one of its links. */
typedef struct use {
    struct flow *of;
    struct link *link;
    struct use *next, **before; /* of the link's */
} use;

typedef struct flow {
    obt_flow *of;
    double left, since; /* nanoseconds of links of its own, and when this was so */
    double speed, end;  /* part of a link; when it has come, if nothing changes */
    use *uses;
    size_t links;
    size_t place; /* in the heap */
} flow;

typedef struct link {
    use *first;
    uint32_t count;
} link;

typedef struct network {
    const obt_torus *torus;
    uint32_t *node; /* of processes */
    link *links;
    link **way; /* room for the longest */
} network;

/* Those under way, who comes next first: no later than the two behind it, at 2 k + 1 and 2 k + 2.
 */
typedef struct heap {
    flow **at;
    size_t count;
} heap;

static void put(heap *h, size_t place, flow *f)
{
    h->at[place] = f;
    f->place = place;
}

/* Where f belongs, whose end has changed. */
static void move(heap *h, flow *f)
{
    size_t k = f->place;
    for (; k && f->end < h->at[(k - 1) / 2]->end; k = (k - 1) / 2)
        put(h, k, h->at[(k - 1) / 2]);
    for (size_t child; (child = 2 * k + 1) < h->count; k = child) {
        if (child + 1 < h->count && h->at[child + 1]->end < h->at[child]->end)
            child++;
        if (h->at[child]->end >= f->end)
            break;
        put(h, k, h->at[child]);
    }
    put(h, k, f);
}

/* ------------------------------------------------------------------- the network */

/* Numbered in the order of their processes. */
static uint32_t *nodes_of(const obt_trace *t, uint32_t *count)
{
    uint32_t *node = obt_memory(t->process_count, sizeof *node),
             *first = obt_memory(t->process_count, sizeof *first);
    *count = 0;
    for (uint32_t p = 0; p < t->process_count; p++) {
        uint32_t k = 0;
        while (k < *count && !obt_share_node(&t->processes[first[k]], &t->processes[p]))
            k++;
        if (k == *count)
            first[(*count)++] = p;
        node[p] = k;
    }
    free(first);
    return node;
}

uint32_t obt_count_nodes(const obt_trace *t)
{
    uint32_t count;
    free(nodes_of(t, &count));
    return count;
}

static network network_of(const obt_trace *t, const obt_torus *torus)
{
    uint32_t nodes;
    network n = {.torus = torus, .node = nodes_of(t, &nodes)};
    size_t places = nodes, ways = 1, longest = 2;
    for (int k = 0; k < torus->dimensions; k++) {
        places = (k ? places : 1) * torus->of[k];
        ways = (size_t)torus->dimensions;
        longest += torus->of[k] / 2;
    }
    n.links = obt_memory(2 * ways * places, sizeof *n.links);
    n.way = obt_memory(longest, sizeof(link *));
    return n;
}

/* The links from one node to another, into n->way; returns how many. On a torus it goes along the
 * last dimension first, the shorter way round. */
static size_t find_way(const network *n, size_t from, size_t to)
{
    const obt_torus *t = n->torus;
    size_t count = 0, stride = 1;
    if (t->dimensions == 0) {
        n->way[count++] = &n->links[2 * from];
        n->way[count++] = &n->links[2 * to + 1];
        return count;
    }
    for (int k = t->dimensions; k-- > 0; stride *= t->of[k]) {
        size_t size = t->of[k], at = from / stride % size, end = to / stride % size;
        bool up = (end + size - at) % size <= size / 2;
        while (at != end) {
            size_t next = (at + (up ? 1 : size - 1)) % size;
            n->way[count++] = &n->links[2 * (from * (size_t)t->dimensions + (size_t)k) + up];
            from = from - at * stride + next * stride;
            at = next;
        }
    }
    return count;
}

/* ----------------------------------------------------------------- what is under way */

/* Of all that use the link, from now on. */
static void share_out(heap *h, const link *l, double now)
{
    for (const use *u = l->first; u; u = u->next) {
        flow *f = u->of;
        uint32_t most = 1;
        for (size_t k = 0; k < f->links; k++)
            most = f->uses[k].link->count > most ? f->uses[k].link->count : most;
        f->left -= (now - f->since) * f->speed;
        f->since = now;
        f->speed = 1. / most;
        f->end = now + fmax(f->left, 0) / f->speed;
        move(h, f);
    }
}

static void begin_flow(heap *h, const network *n, flow *f, double now)
{
    f->links = find_way(n, n->node[f->of->from], n->node[f->of->to]);
    f->uses = obt_memory(f->links, sizeof *f->uses);
    f->left = (double)f->of->bytes;
    f->since = now;
    f->speed = 1;
    f->end = now + f->left;
    put(h, h->count++, f);
    move(h, f);
    for (size_t k = 0; k < f->links; k++) {
        link *l = n->way[k];
        use *u = &f->uses[k];
        *u = (use){f, l, l->first, &l->first};
        if (l->first)
            l->first->before = &u->next;
        l->first = u;
        l->count++;
    }
    for (size_t k = 0; k < f->links; k++)
        share_out(h, f->uses[k].link, now);
}

/* Half way from what was found before: two messages that change places each time meet. */
static void end_flow(heap *h, flow *f, bool again)
{
    int64_t late = (int64_t)f->end - f->of->posted - f->of->bytes;
    late = late > 0 ? late : 0;
    f->of->late = again ? (f->of->late + late) / 2 : late;
    flow *last = h->at[--h->count];
    if (last != f) {
        put(h, f->place, last);
        move(h, last);
    }
    for (size_t k = 0; k < f->links; k++) {
        use *u = &f->uses[k];
        *u->before = u->next;
        if (u->next)
            u->next->before = u->before;
        u->link->count--;
    }
    for (size_t k = 0; k < f->links; k++)
        share_out(h, f->uses[k].link, f->end);
    free(f->uses);
}

static int by_post(const void *x, const void *y)
{
    const obt_flow *a = ((const flow *)x)->of, *b = ((const flow *)y)->of;
    return a->posted != b->posted ? obt_compare(a->posted, b->posted) : a < b ? -1 : a > b;
}

bool obt_share_links(const obt_steps *s, const obt_torus *torus, obt_flow *flows, size_t count,
                     bool again)
{
    network n = network_of(s->analysis->trace, torus);
    flow *of = obt_memory(count, sizeof *of);
    heap under_way = {.at = obt_memory(count, sizeof(flow *))};
    size_t linked = 0;
    for (size_t i = 0; i < count; i++)
        if (flows[i].bytes > 0)
            of[linked++].of = &flows[i];
    qsort(of, linked, sizeof *of, by_post);
    for (size_t next = 0; next < linked || under_way.count;) {
        double posted = next < linked ? (double)of[next].of->posted : INFINITY;
        if (under_way.count && under_way.at[0]->end <= posted)
            end_flow(&under_way, under_way.at[0], again);
        else
            begin_flow(&under_way, &n, &of[next++], posted);
    }
    free(under_way.at);
    free(of);
    free(n.node);
    free(n.links);
    free(n.way);
    return linked > 0;
}
