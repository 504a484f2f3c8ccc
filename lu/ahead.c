/*
 * Lookahead of one block, where process columns factor blocks together: the next block is factored
 * as soon as its own columns are updated, and goes along process rows in a broadcast that does not
 * wait, while all update the rest. No superstep of the whole grid is left between blocks, so a
 * process column that has a block to factor makes no other wait for it at once: it is late by that
 * time in its next own block alone.
 *
 *   wait          for the block, with its pivots, in the process row
 *   superstep     of the process column: the rows that swap and the rows of U
 *   computation   the next block's columns, its factors; then their broadcast begins
 *   computation   the rest
 *
 * Who factors a block sends it straight to each of its process row: one that forwards would do so
 * only when it waits, thus after its update.
 *
 * A block and the next one have a parcel each. The process column that has sent one waits for that
 * broadcast's end only before it fills the parcel again.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

static const ob_route straight = {.topology = OB_TOP_FULL};

static bool sends(const lu_state *s, const step *x)
{
    return s->a.columns.me == x->pcol;
}

static size_t parcel_of(const lu_state *s, const step *x)
{
    return x->j / s->block % 2;
}

/* Ends the broadcast that used a parcel before. */
static void finish(lu_state *s, size_t parcel)
{
    OB_TRACE_ROUTINE("ob_wait");
    oblu_must(ob_wait(&s->under_way[parcel], NULL)); /* NULL: there is none */
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
}

void lu_open_ahead(lu_state *s)
{
    size_t most = 0, rows = range_length(lu_rows(s, s->a.rows.me, 0, s->a.m)) + s->block;
    most = lu_news_bytes(s) + rows * s->block * s->k->bytes;
    for (int i = 0; i < 2; i++)
        s->parcel[i] = oblu_room(most, 1);
}

void lu_close_ahead(lu_state *s)
{
    for (size_t i = 0; i < 2 && s->row; i++) {
        finish(s, i);
        free(s->parcel[i]);
    }
}

void lu_address_block(lu_state *s, const step *x)
{
    size_t parcel = parcel_of(s, x);
    finish(s, parcel);
    s->share = s->parcel[parcel] + lu_news_bytes(s);
}

void lu_begin_broadcast(lu_state *s, const step *x)
{
    size_t parcel = parcel_of(s, x), rows = lu_part_rows(s, x, s->a.rows.me);
    size_t part = rows * x->width * s->k->bytes, bytes = lu_news_bytes(s) + part;
    ob_view v = bsp2d_ge(OB_BYTE, bytes, 1, s->parcel[parcel], bytes);
    if (sends(s, x)) {
        memcpy(s->parcel[parcel], s->made, s->news_size);
        s->sent += bytes * (s->a.columns.count - 1);
    } else {
        finish(s, parcel);
        s->received += bytes;
    }
    OB_TRACE_ROUTINE("ob_ibroadcast");
    oblu_must(ob_ibroadcast(s->row, (int)x->pcol, &v, &straight, &s->under_way[parcel]));
    oblu_lap(&s->watch, OBLU_PACK, "spread");
}

void lu_await_block(lu_state *s, const step *x)
{
    size_t parcel = parcel_of(s, x);
    if (!sends(s, x))
        finish(s, parcel);
    s->waiting_since = s->watch.since;
    s->news = (int *)(void *)s->parcel[parcel];
    s->l = s->parcel[parcel] + lu_news_bytes(s);
    s->ldl = lu_part_rows(s, x, s->a.rows.me);
}
