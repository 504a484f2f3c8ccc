/*
 * Long combines, and distributed ones, in tiers: each member shows its values on a wall (wall.h),
 * and combines a slice of all members' values, in the order in which one board does it. Slices
 * begin at cache lines. The results of a combine are brought to who wants them in tiers. When a
 * member has those that are left on all, all have combined, and so have read what was shown; else a
 * barrier in tiers says so.
 */
#include "collective/board/combine.h"
#include "collective/levels/levels.h"
#include "collective/levels/wall.h"

#include <stdlib.h>
#include <string.h>

/* Of the numbers of kinds: those of combines are below. */
enum { LONG = 1 << 26, DISTRIBUTED = LONG | 3 << 24 };
/* Bytes that a member shows in a part, of which it lends two, a quarter of the least heap; of a
 * slice that are combined at a time. */
enum { PART = 128 << 10, STRIP_BYTES = 8 << 10 };

/* --------------------------------------------------------------------- combine */

typedef struct climb {
    ob_summit s;
    ob_wall wall;
    const ob_tiers *t;
    size_t parts, line; /* line: elements that fill one */
    char *results;      /* of a part; NULL: they belong where they are wanted */
    size_t *cut;        /* of each slot: bytes of the results */
} climb;

static size_t count_of(const climb *c, size_t k)
{
    size_t n = c->s.bytes / c->s.esize;
    return ob_part_start(n, c->parts, k + 1) - ob_part_start(n, c->parts, k);
}

/* The first element of a slot's slice of part k. */
static size_t slice_start(const climb *c, size_t count, int slot)
{
    size_t lines = (count + c->line - 1) / c->line;
    size_t start = c->line * ob_part_start(lines, (size_t)c->s.size, (size_t)slot);
    return start < count ? start : count;
}

static size_t slice_count(const climb *c, size_t count, int slot)
{
    return slice_start(c, count, slot + 1) - slice_start(c, count, slot);
}

/* Of each slice: the values, the owners behind them. */
static void find_cuts(const climb *c, size_t count)
{
    c->cut[0] = 0;
    for (int i = 0; i < c->s.size; i++) {
        size_t n = slice_count(c, count, i), bytes = n * c->s.esize;
        c->cut[i + 1] =
            c->cut[i] + (c->s.coords ? ob_align(bytes) + ob_align(n * sizeof(int32_t)) : bytes);
    }
}

static void combine_slice(climb *c, size_t k, char *results)
{
    ob_summit *s = &c->s;
    int slot = c->t->slot[s->me];
    size_t count = count_of(c, k), start = slice_start(c, count, slot);
    size_t n = slice_count(c, count, slot);
    char *to = results + c->cut[slot];
    int32_t *owner = ob_summit_owners(s, to, n);
    ob_wait_costs(0, ((size_t)s->size - 1) * n * s->esize);
    for (int d = 0; d < s->size; d++)
        s->source[d] = ob_wall_at(&c->wall, ob_summit_at(s, d), k);
    for (size_t from = 0; from < n; from += OB_STRIP)
        ob_summit_fold(s, start + from, n - from < OB_STRIP ? n - from : OB_STRIP,
                       to + from * s->esize, owner ? owner + from : NULL);
}

static void put_results(climb *c, size_t count)
{
    if (c->s.coords == NULL)
        ob_summit_put(&c->s, c->results, NULL, count);
    for (int i = 0; c->s.coords && i < c->s.size; i++) {
        size_t n = slice_count(c, count, i);
        const char *at = c->results + c->cut[i];
        ob_summit_put(&c->s, at, ob_summit_owners(&c->s, at, n), n);
    }
}

static void show_part(climb *c, size_t k)
{
    size_t bytes = k < c->parts ? count_of(c, k) * c->s.esize : 0;
    if (bytes)
        ob_cursor_pack(&c->s.in, ob_wall_own(&c->wall, k, bytes), bytes);
}

static int one_part(climb *c, size_t k)
{
    const ob_summit *s = &c->s;
    size_t n = s->bytes / s->esize;
    char *at = c->results ? c->results : s->flat_to + ob_part_start(n, c->parts, k) * s->esize;
    show_part(c, k + 1);
    find_cuts(c, count_of(c, k));
    combine_slice(c, k, at);
    int status = ob_tiers_bring(c->t, s->root, s->kind, at, c->cut);
    if (status == OB_OK && s->wanted && c->results)
        put_results(c, count_of(c, k));
    return status == OB_OK && s->root != OB_ANY ? ob_barrier_levels(c->t->order) : status;
}

static int find_memory(climb *c)
{
    ob_summit *s = &c->s;
    bool flat = s->wanted && s->coords == NULL && ob_view_contiguous(s->to);
    s->flat_to = flat ? s->to->base : NULL;
    c->line = (OB_LINE - 1 + s->esize) / s->esize;
    c->parts = s->bytes / PART + 1;
    find_cuts(c, count_of(c, 0));
    c->results = flat ? NULL : malloc(c->cut[s->size] + 1);
    return flat || c->results ? OB_OK : ob_tiers_no_memory(c->t, "a combine", c->cut[s->size]);
}

static int climb_up(climb *c, ob_group *g)
{
    int status = find_memory(c);
    if (status == OB_OK)
        status = ob_wall_open(&c->wall, c->t, g, count_of(c, 0) * c->s.esize);
    if (status != OB_OK)
        return status;
    show_part(c, 0);
    status = ob_wall_meet(&c->wall, c->s.kind | LONG, c->s.bytes, 0, "combines");
    for (size_t k = 0; k < c->parts && status == OB_OK; k++)
        status = one_part(c, k);
    return status;
}

int ob_combine_long_tiers(const ob_tiers *t, ob_group *g, int root, ob_op op,
                          const ob_operation *operation, const ob_view *from, const ob_view *to,
                          const ob_coordinates *coords, bool exact)
{
    size_t n = (size_t)g->size, tables = ob_summit_tables(n);
    char *memory = malloc(tables + (n + 1) * sizeof(size_t));
    climb c = {.t = t, .cut = memory ? (size_t *)(void *)(memory + tables) : NULL};
    if (memory == NULL)
        return ob_tiers_no_memory(t, "a combine", tables);
    int status = ob_summit_open(&c.s, memory, g, root, op, operation, from, to, coords, exact);
    if (status == OB_OK)
        status = climb_up(&c, g);
    ob_wall_close(&c.wall, status == OB_OK);
    free(c.results);
    free(memory);
    return status;
}

/* --------------------------------------------------------- distributed combine */

typedef struct spread {
    ob_wall wall;
    const ob_parts *parts;
    int me;
    size_t shares;
    ob_cursor *in; /* of each piece: what has been shown of it */
    ob_cursor out; /* what has been written of ours */
} spread;

static size_t share_bytes(const spread *x, int i, size_t k)
{
    const size_t *cut = x->parts->cut;
    size_t n = cut[i + 1] - cut[i];
    return (ob_part_start(n, x->shares, k + 1) - ob_part_start(n, x->shares, k)) * x->parts->esize;
}

/* Where piece i stands in share k: at a line's beginning, however short the pieces are. */
static size_t place_of(const spread *x, int i, size_t k)
{
    size_t at = 0;
    for (int j = 0; j < i; j++)
        at += ob_align(share_bytes(x, j, k));
    return at;
}

static void show_share(spread *x, size_t k)
{
    char *to = ob_wall_own(&x->wall, k, k < x->shares ? place_of(x, x->parts->size, k) : 0);
    for (int i = 0; i < x->parts->size && k < x->shares; i++) {
        size_t bytes = share_bytes(x, i, k);
        if (bytes)
            ob_cursor_pack(&x->in[i], to, bytes);
        to += ob_align(bytes);
    }
}

/* Our piece of all members' vectors, in the order of positions. */
static void combine_share(spread *x, size_t k)
{
    const ob_parts *p = x->parts;
    _Alignas(64) char strip[STRIP_BYTES];
    size_t place = place_of(x, x->me, k), bytes = share_bytes(x, x->me, k);
    size_t most = STRIP_BYTES / p->esize * p->esize;
    ob_wait_costs(0, ((size_t)p->size - 1) * bytes);
    for (size_t from = 0; from < bytes; from += most) {
        size_t step = bytes - from < most ? bytes - from : most;
        for (int i = 0; i < p->size; i++) {
            const char *in = ob_wall_at(&x->wall, i, k) + place + from;
            if (i == 0)
                memcpy(strip, in, step);
            else
                ob_part_combine(p, step / p->esize, strip, in);
        }
        ob_cursor_unpack(&x->out, strip, step);
    }
}

static int open_spread(spread *x, const ob_tiers *t, ob_group *g)
{
    const ob_parts *p = x->parts;
    size_t n = (size_t)p->size;
    x->shares = ob_parts_bytes(p) / PART + 1;
    x->in = malloc(n * sizeof *x->in);
    if (x->in == NULL)
        return ob_tiers_no_memory(t, "a combine", n * sizeof *x->in);
    for (int i = 0; i < p->size; i++)
        if (p->view[i].base || ob_part_bytes(p, i) == 0)
            ob_cursor_open(&x->in[i], &p->view[i]);
    ob_cursor_open(&x->out, p->apart ? p->apart : &p->view[x->me]);
    return ob_wall_open(&x->wall, t, g, place_of(x, p->size, 0));
}

int ob_distribute_tiers(const ob_tiers *t, ob_group *g, const ob_parts *p)
{
    spread x = {.parts = p, .me = g->me};
    uint32_t kind = DISTRIBUTED | ob_parts_kind(p);
    int status = open_spread(&x, t, g);
    if (status == OB_OK) {
        show_share(&x, 0);
        status = ob_wall_meet(&x.wall, kind, ob_parts_bytes(p), ob_parts_shape(p), "combines");
    }
    for (size_t k = 0; k < x.shares && status == OB_OK; k++) {
        show_share(&x, k + 1);
        combine_share(&x, k);
        status = ob_barrier_levels(t->order);
    }
    ob_wall_close(&x.wall, status == OB_OK);
    free(x.in);
    return status;
}
