/*
 * Cholesky with a lookahead of one block. What lines and places are is said in cholesky.c.
 *
 *   wait          for the block's lines, at the same place along, and for those whose numbers
 *                 belong to the place across; with these come the parts of the next block's square
 *                 to the one who has its diagonal
 *   computation   the next block by its holders. Who has its diagonal factors the square, while the
 *                 others update what is behind it; they get the factor and solve for their
 *                 lines. Then the lines' broadcast begins
 *   computation   the rest. In the meantime who has got the next block's lines, and has some for
 *                 the place across, begins their broadcast
 *
 * Nobody waits for the whole grid: holders are late by a block's work till they have made it up in
 * blocks of others. One process alone decides whether a square has a factor; info goes with its
 * factor and with the lines, so that all stop at the same block.
 *
 * Broadcasts are in the same order at all members of a group. Who forwards one must be there for
 * it: so each begins those of others as soon as it has ended those of the block before, and the
 * update of the rest is cut into strips, between which broadcasts go on, till all have come. Memory
 * of a broadcast is written again only when that one is over.
 */
#include "cholesky.h"

#include <stdlib.h>
#include <string.h>

#include "common/grid.h"

/* What a place along has for the place across: lines, of so many bytes, and the square's part. */
typedef struct message {
    char *base;
    size_t lines, bytes;
} message;

typedef struct ahead {
    cholesky *c;
    char *parcel[2];        /* info and lines of a block, and of the next one */
    ob_request *lines[2];   /* their broadcasts */
    size_t next;            /* parcel of the block that is awaited next */
    ob_request *factor;     /* of the square */
    message *passing;       /* of one block, by place along */
    ob_request **passed;    /* their broadcasts, but of empty ones */
    size_t begun, messages; /* places, and broadcasts that have begun */
    size_t half;            /* of c->came and c->chosen: whose turn it is */
    block coming, behind;   /* the block that is awaited next, and the one after that */
    bool looks;             /* between the strips of an update */
} ahead;

static const ob_route straight = {.topology = OB_TOP_FULL}, ring = {.topology = OB_TOP_RING_UP};

static void finish(ahead *h, ob_request **r)
{
    oblu_must(ob_wait(r, NULL)); /* NULL: there is none */
    oblu_lap(&h->c->s.watch, OBLU_SYNC, NULL);
}

/* Along, a node's processes get lines straight from their holder. Between nodes they go in a ring:
 * the next holder comes first in it, and is the one whom all wait for. NULL: as is best. */
static const ob_route *route_for(const ahead *h, const ob_group *g)
{
    if (g != h->c->same_along)
        return NULL;
    return ob_group_near(g) ? &straight : &ring;
}

static void begin(ahead *h, ob_group *g, size_t root, void *base, size_t bytes, ob_request **r)
{
    ob_view v = bsp2d_ge(OB_BYTE, bytes, 1, base, bytes);
    if ((size_t)ob_group_me(g) == root)
        h->c->s.sent += bytes * (size_t)(ob_group_size(g) - 1);
    else
        h->c->s.received += bytes;
    oblu_must(ob_ibroadcast(g, (int)root, &v, route_for(h, g), r));
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
static char *packed(ahead *h, size_t bytes, const block *after, range own, char *lines)
{
    cholesky *c = h->c;
    size_t squares = square_bytes(c, after, c->along.me);
    char *chosen = c->chosen + h->half * c->chosen_half, *to = chosen;
    if (c->count[c->across.me] == range_length(own) && squares == 0)
        return lines;
    for (size_t l = own.first, n; l < own.end; l += n) {
        n = lu_run_of_lines(c, l, own.end);
        if (c->place[c->line[l]] != c->across.me)
            continue;
        memcpy(to, lines + (l - own.first) * bytes, n * bytes);
        to += n * bytes;
    }
    if (squares) {
        ob_view v = lu_square_part(c, after, c->along.me);
        oblu_copy(c->s.k->bytes, v.m, v.n, v.base, v.ld, to, v.m);
    }
    return chosen;
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

/* Messages of block x to the own place across, or of none: only the square. */
static void list_messages(ahead *h, const block *x, const block *after)
{
    cholesky *c = h->c;
    size_t me = c->along.me, bytes = x ? line_bytes(h, x) : 0;
    char *at = c->came + h->half * c->came_half;
    for (size_t a = 0; a < c->along.count; a++) {
        message *m = &h->passing[a];
        lu_count_lines(c, x ? lu_behind(c, x, a) : (range){0, 0});
        m->lines = c->count[c->across.me] * bytes;
        m->bytes = m->lines + square_bytes(c, after, a);
        m->base = at;
        at += a == me ? 0 : m->bytes;
    }
    h->begun = h->messages = 0;
}

/* Begins their broadcasts, in order, as far as the own one where its lines, or its part of the
 * square, are not there yet: NULL. */
static void begin_messages(ahead *h, const block *x, const block *after, char *lines)
{
    cholesky *c = h->c;
    size_t me = c->along.me, p = c->along.count;
    for (; h->begun < p; h->begun++) {
        message *m = &h->passing[h->begun];
        if (h->begun == me && m->bytes && lines == NULL)
            return;
        if (h->begun == me && m->bytes) {
            range own = x ? lu_behind(c, x, me) : (range){0, 0};
            lu_count_lines(c, own);
            m->base = packed(h, x ? line_bytes(h, x) : 0, after, own, lines);
        }
        if (m->bytes && p > 1)
            begin(h, c->same_across, h->begun, m->base, m->bytes, &h->passed[h->messages++]);
    }
}

static void end_messages(ahead *h)
{
    for (size_t i = 0; i < h->messages; i++)
        finish(h, &h->passed[i]);
    h->half = 1 - h->half;
}

/* All are waited for, the own one, too: who has begun one may be needed till its end, and would be
 * back only in its update. */
static void pass_lines(ahead *h, const block *x, const block *after)
{
    cholesky *c = h->c;
    bool factors = lu_holds(c, after) && diagonal_of(c, after) == c->along.me;
    begin_messages(h, x, after, c->of_along);
    end_messages(h);
    c->of_across = c->lines_across;
    if (factors)
        finish(h, &h->factor); /* the square's memory */
    for (size_t a = 0; a < c->along.count; a++) {
        range some = x ? lu_behind(c, x, a) : (range){0, 0};
        message *m = &h->passing[a];
        lu_count_lines(c, some);
        if (m->lines)
            lu_place_across(c, x, some, m->base, false);
        if (factors)
            take_square(c, after, a, m->base + m->lines);
    }
}

static bool is_last(const cholesky *c, const block *x)
{
    return x->j + x->width >= c->n;
}

static bool test(ob_request **r)
{
    int done;
    oblu_must(ob_test(r, &done, NULL));
    return done;
}

/* Begins what can be begun of the coming block's messages. The square's part goes with the lines of
 * the block before, which must have been applied to it. */
static void begin_coming(ahead *h)
{
    cholesky *c = h->c;
    bool here = lu_holds(c, &h->coming) || h->lines[h->next] == NULL;
    if (here && square_bytes(c, &h->behind, c->along.me) == 0)
        begin_messages(h, &h->coming, &h->behind, h->parcel[h->next] + CHOLESKY_HEAD);
    else
        begin_messages(h, &h->coming, &h->behind, NULL);
}

/* Between two products of an update: what has come in the meantime goes on. False: nothing is left
 * to be done. */
static bool go_on(void *of)
{
    ahead *h = of;
    cholesky *c = h->c;
    bool all = test(&h->factor);
    all &= test(&h->lines[h->next]);
    if (h->begun < c->along.count) {
        oblu_lap(&c->s.watch, OBLU_COMPUTE, "update");
        begin_coming(h);
        all &= h->begun == c->along.count;
    }
    for (size_t i = 0; i < h->messages; i++)
        all &= test(&h->passed[i]);
    return !all;
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
    else
        memset(parcel + CHOLESKY_HEAD, 0, parcel_bytes(h, after) - CHOLESKY_HEAD);
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

static void await_block(ahead *h)
{
    cholesky *c = h->c;
    size_t i = h->next;
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "update");
    c->s.work[c->s.supersteps++] = c->s.watch.since - c->s.waiting_since;
    if (!lu_holds(c, &h->coming))
        finish(h, &h->lines[i]);
    c->s.waiting_since = c->s.watch.since;
    memcpy(&c->s.info, h->parcel[i], sizeof c->s.info);
    c->of_along = h->parcel[i] + CHOLESKY_HEAD;
    h->next = 1 - i;
}

static block next_block(const cholesky *c, const block *x)
{
    return is_last(c, x) ? *x : lu_block_at(c, x->j + x->width);
}

/* Who only takes a message begins it at once, so that it can forward it. */
static void list_coming(ahead *h)
{
    if (!is_last(h->c, &h->coming)) {
        list_messages(h, &h->coming, &h->behind);
        begin_coming(h);
    }
}

/* The coming block is awaited and applied to all behind it. */
static void do_step(ahead *h)
{
    cholesky *c = h->c;
    block x = h->coming, after = h->behind;
    pass_lines(h, &x, &after);
    cholesky_update y = lu_update_of(c, &x);
    h->coming = after;
    h->behind = next_block(c, &after);
    begin_block(h, &y, &after);
    list_coming(h);
    c->look_at = h;
    c->look = h->looks && go_on(h) ? go_on : NULL;
    lu_update_triangle(c, &y, after.j + after.width);
    c->look = NULL;
    await_block(h);
}

/* Within a node, and between two, a message is passed on once at most, and to have it pass in an
 * update costs more than it gains. */
static bool worth_looking(const ob_group *g)
{
    int *node = oblu_room((size_t)ob_group_size(g), sizeof *node);
    bool worth = !ob_group_near(g) && ob_group_nodes(g, node) != 2;
    free(node);
    return worth;
}

void lu_steps_ahead(cholesky *c)
{
    ahead h = {.c = c,
               .parcel = {c->solved, c->solved_before},
               .passing = oblu_room(c->along.count, sizeof(message)),
               .passed = oblu_room(c->along.count, sizeof *h.passed),
               .coming = lu_block_at(c, 0),
               .looks = worth_looking(c->same_across) || worth_looking(c->same_along)};
    c->strips = h.looks;
    h.behind = next_block(c, &h.coming);
    list_messages(&h, NULL, &h.coming);
    c->of_along = h.parcel[0]; /* no lines are there */
    pass_lines(&h, NULL, &h.coming);
    begin_block(&h, NULL, &h.coming);
    list_coming(&h);
    await_block(&h);
    while (!is_last(c, &h.coming) && c->s.info == 0)
        do_step(&h);
    if (!is_last(c, &h.coming)) { /* some have begun messages of a block without a factor */
        begin_messages(&h, &h.coming, &h.behind, c->of_along);
        end_messages(&h);
    }
    for (size_t i = 0; i < 2; i++)
        finish(&h, &h.lines[i]);
    finish(&h, &h.factor);
    free(h.passing);
    free(h.passed);
}
