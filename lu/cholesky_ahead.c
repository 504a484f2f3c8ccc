/*
 * Cholesky with a lookahead of one block. What lines and places are is said in cholesky.c.
 *
 *   wait          for the block's lines, at the same place along
 *   broadcast     of those lines whose numbers belong to the place across, by each who has some, to
 *                 all at this place; with them go the parts of the next block's square to the one
 *                 who has its diagonal
 *   computation   the next block by its holders. Who has its diagonal factors the square, while the
 *                 others update what is behind it; they get the factor and solve for their
 *                 lines. Then the lines' broadcast begins
 *   computation   the rest
 *
 * Nobody waits for the whole grid: holders are late by a block's work till they have made it up in
 * blocks of others. One process alone decides whether a square has a factor; info goes with its
 * factor and with the lines, so that all stop at the same block.
 *
 * Broadcasts are in the same order at all members of a group. At the same place along they go
 * straight, since who forwards would do so only after its update; at the same place across all wait
 * for them, and the planner chooses. Memory of a broadcast is written again only when that
 * one is over.
 */
#include "cholesky.h"

#include <stdlib.h>
#include <string.h>

/* What a place along has for the place across: lines, of so many bytes, and the square's part. */
typedef struct message {
    char *base;
    size_t lines;
    ob_request *request; /* its broadcast */
} message;

typedef struct ahead {
    cholesky *c;
    char *parcel[2];      /* info and lines of a block, and of the next one */
    ob_request *lines[2]; /* their broadcasts */
    size_t next;          /* parcel of the block that is awaited next */
    ob_request *factor;   /* of the square */
    message *passing;     /* by place along */
} ahead;

static const ob_route straight = {.topology = OB_TOP_FULL};

static void finish(ahead *h, ob_request **r)
{
    oblu_must(ob_wait(r, NULL)); /* NULL: there is none */
    oblu_lap(&h->c->s.watch, OBLU_SYNC, NULL);
}

static void begin(ahead *h, ob_group *g, size_t root, void *base, size_t bytes, ob_request **r)
{
    ob_view v = bsp2d_ge(OB_BYTE, bytes, 1, base, bytes);
    if ((size_t)ob_group_me(g) == root)
        h->c->s.sent += bytes * (size_t)(ob_group_size(g) - 1);
    else
        h->c->s.received += bytes;
    oblu_must(ob_ibroadcast(g, (int)root, &v, g == h->c->same_along ? &straight : NULL, r));
    oblu_lap(&h->c->s.watch, OBLU_PACK, "spread");
}

static size_t line_bytes(const ahead *h, const block *x)
{
    return x->width * h->c->s.k->bytes;
}

/* ------------------------------------------------------- to the place across */

static size_t diagonal_of(const cholesky *c, const block *x)
{
    return oblu_owner(&c->along, c->along_first + x->j);
}

/* Does place a along send its part of the square to the diagonal's? */
static bool gives_square(const cholesky *c, const block *after, size_t a)
{
    return after->holder == c->across.me && a != diagonal_of(c, after);
}

static size_t square_bytes(const cholesky *c, const block *after, size_t a)
{
    ob_view v = lu_square_part(c, after, a);
    return gives_square(c, after, a) ? v.m * v.n * c->s.k->bytes : 0;
}

/* The own lines, of so many bytes, for the own place across, then the own part of the square.
 * Returns where they are. */
static char *packed(ahead *h, size_t bytes, const block *after, range own)
{
    cholesky *c = h->c;
    size_t squares = square_bytes(c, after, c->along.me);
    char *to = c->chosen;
    if (c->count[c->across.me] == range_length(own) && squares == 0)
        return c->of_along;
    for (size_t l = own.first, n; l < own.end; l += n) {
        n = lu_run_of_lines(c, l, own.end);
        if (c->place[c->line[l]] != c->across.me)
            continue;
        memcpy(to, c->of_along + (l - own.first) * bytes, n * bytes);
        to += n * bytes;
    }
    if (squares) {
        ob_view v = lu_square_part(c, after, c->along.me);
        oblu_copy(c->s.k->bytes, v.m, v.n, v.base, v.ld, to, v.m);
    }
    return c->chosen;
}

/* The part of the square that follows the lines from place a along. */
static void take_square(cholesky *c, const block *after, size_t a, char *base)
{
    ob_view v = lu_square_part(c, after, a);
    if (a != c->along.me)
        v = lu_view(&c->s, v.m, v.n, base, v.m);
    if (v.m && v.n)
        lu_place_square(c, after, a, &v);
}

/* Of block x, or of none: only the square. All broadcasts are waited for, the own one, too: who has
 * begun one may be needed till its end, and would be back only after its update. */
static void pass_lines(ahead *h, const block *x, const block *after)
{
    cholesky *c = h->c;
    size_t me = c->along.me, p = c->along.count;
    size_t bytes = x ? line_bytes(h, x) : 0;
    bool factors = lu_holds(c, after) && diagonal_of(c, after) == me;
    char *at = c->came;
    c->of_across = c->lines_across;
    for (size_t a = 0; a < p; a++) {
        range some = x ? lu_behind(c, x, a) : (range){0, 0};
        message *m = &h->passing[a];
        lu_count_lines(c, some);
        m->lines = c->count[c->across.me] * bytes;
        size_t all = m->lines + square_bytes(c, after, a);
        m->base = a == me && all ? packed(h, bytes, after, some) : at;
        at += a == me ? 0 : all;
        if (all && p > 1)
            begin(h, c->same_across, a, m->base, all, &m->request);
    }
    for (size_t a = 0; a < p; a++) {
        range some = x ? lu_behind(c, x, a) : (range){0, 0};
        message *m = &h->passing[a];
        finish(h, &m->request);
        lu_count_lines(c, some);
        if (m->lines)
            lu_place_across(c, x, some, m->base, false);
        if (factors)
            take_square(c, after, a, m->base + m->lines);
    }
}

/* -------------------------------------------------------------- the next block */

static size_t parcel_bytes(const ahead *h, const block *x)
{
    return CHOLESKY_HEAD + range_length(lu_behind(h->c, x, h->c->along.me)) * line_bytes(h, x);
}

/* Factors the square where its diagonal is, updates what is behind it, and solves for the lines.
 * y: NULL for the first block. */
static void prepare(ahead *h, const cholesky_update *y, const block *after, char *parcel)
{
    cholesky *c = h->c;
    size_t diagonal = diagonal_of(c, after);
    size_t bytes = CHOLESKY_HEAD + after->width * line_bytes(h, after);
    bool mine = diagonal == c->along.me;
    int64_t info = 0;
    finish(h, &h->factor);
    if (mine) {
        if (y)
            lu_update_square(c, y, after);
        info = lu_factor_square(c, after);
        memcpy(c->factor, &info, sizeof info);
        oblu_lap(&c->s.watch, OBLU_COMPUTE, "panel");
    }
    if (c->along.count > 1)
        begin(h, c->same_across, diagonal, c->factor, bytes, &h->factor);
    if (y)
        lu_update_behind(c, y, after);
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "update");
    if (!mine)
        finish(h, &h->factor);
    memcpy(&info, c->factor, sizeof info);
    lu_keep_square(c, after);
    memcpy(parcel, &info, sizeof info);
    if (info == 0)
        lu_solve_lines(c, after, parcel + CHOLESKY_HEAD);
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "panel");
}

/* The next block's lines begin to go to the same place along. */
static void begin_block(ahead *h, const cholesky_update *y, const block *after)
{
    cholesky *c = h->c;
    size_t i = h->next;
    finish(h, &h->lines[i]);
    if (lu_holds(c, after))
        prepare(h, y, after, h->parcel[i]);
    begin(h, c->same_along, after->holder, h->parcel[i], parcel_bytes(h, after), &h->lines[i]);
}

static void await_block(ahead *h, const block *x)
{
    cholesky *c = h->c;
    size_t i = h->next;
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "update");
    c->s.work[c->s.supersteps++] = c->s.watch.since - c->s.waiting_since;
    if (!lu_holds(c, x))
        finish(h, &h->lines[i]);
    c->s.waiting_since = c->s.watch.since;
    memcpy(&c->s.info, h->parcel[i], sizeof c->s.info);
    c->of_along = h->parcel[i] + CHOLESKY_HEAD;
    h->next = 1 - i;
}

void lu_steps_ahead(cholesky *c)
{
    ahead h = {.c = c,
               .parcel = {c->solved, c->solved_before},
               .passing = oblu_room(c->along.count, sizeof(message))};
    memset(h.passing, 0, c->along.count * sizeof *h.passing);
    block x = lu_block_at(c, 0);
    pass_lines(&h, NULL, &x);
    begin_block(&h, NULL, &x);
    await_block(&h, &x);
    while (x.j + x.width < c->n && c->s.info == 0) {
        block after = lu_block_at(c, x.j + x.width);
        pass_lines(&h, &x, &after);
        cholesky_update y = lu_update_of(c, &x);
        begin_block(&h, &y, &after);
        lu_update_triangle(c, &y, after.j + after.width);
        x = after;
        await_block(&h, &x);
    }
    for (size_t i = 0; i < 2; i++)
        finish(&h, &h.lines[i]);
    finish(&h, &h.factor);
    free(h.passing);
}
