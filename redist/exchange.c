/*
 * One exchange, in rounds. In each round a process packs for others; a superstep brings that to
 * them; and everybody unpacks. The buffers are bounded, whatever the matrix, and small enough to
 * stay in the processors' caches: an element is read once and written once.
 *
 * Who sends and how much at a time is the sender's affair: what goes from one process to another is
 * one stream in an order that both know, and each message says how much of it there is. Where
 * processes read each other's memory a sender goes through its columns, as they lie, and deals each
 * to all who have rows of it (columns.c). Else it packs for a few at a time, in the order of their
 * distance, so that no two begin with the same one.
 */
#include "rounds.h"

#include <stdlib.h>

/* Bytes that a process sends in a round where it packs for a few, and to how many others. A share
 * holds a row of what is transposed. */
enum { ROUND = 2 * OBRD_ROUND, TOGETHER = 8 };
_Static_assert(ROUND / TOGETHER >= OBRD_WIDE * 16, "no row fits into a share");
/* Flag of a superstep: somebody has more to send. */
enum { MORE = 1 };

/* ----------------------------------------------------------------- streams */

/* Is the caller in the grid of a side? */
static bool takes_part(const exchange *x, int side)
{
    return x->side[side]->row >= 0;
}

/* Rows of what is read are columns of what is written where it is transposed. */
static int turned(const exchange *x, int side, int axis)
{
    return side == 1 && x->move->transposed ? !axis : axis;
}

static int make_lines(exchange *x, int side)
{
    int status = OB_OK;
    for (int axis = 0; axis < 2 && status == OB_OK && takes_part(x, side); axis++) {
        int mine = turned(x, side, axis), theirs = turned(x, !side, axis);
        int64_t me = mine ? x->side[side]->column : x->side[side]->row;
        status = obrd_lines_make(&x->lines[side][axis], &x->side[side]->part[mine], me,
                                 &x->side[!side]->part[theirs], x->move->length[axis]);
    }
    return status;
}

/* What we have on one side of what a member has on the other. */
static obrd_stream stream_with(const exchange *x, int side, int member)
{
    const obrd_place *p = &x->place[member];
    obrd_stream s = {.move = x->move, .local = x->side[side]->local, .ld = x->side[side]->ld};
    if (!takes_part(x, side) || p->row[!side] < 0)
        return s;
    for (int axis = 0; axis < 2; axis++) {
        int64_t there = turned(x, !side, axis) ? p->column[!side] : p->row[!side];
        s.list[axis] = obrd_list_of(&x->lines[side][axis], there);
        s.count[axis] = obrd_list_count(&s.list[axis]);
    }
    return s;
}

static int prepare(exchange *x, ob_group *group)
{
    size_t n = (size_t)x->size;
    x->dest = calloc(n, sizeof *x->dest);
    x->source = calloc(n, sizeof *x->source);
    int status = x->dest && x->source ? OB_OK : OBRD_ENOMEM;
    status = status ? status : make_lines(x, 0);
    status = status ? status : make_lines(x, 1);
    for (int k = 0; status == OB_OK && k < x->size; k++) {
        int dest = (x->me + k) % x->size, source = (x->me + x->size - k) % x->size;
        obrd_stream to = stream_with(x, 0, dest);
        if (!obrd_stream_ended(&to))
            x->dest[x->dests++] = (partner){.position = dest, .stream = to};
        x->source[k] = (partner){.position = source, .stream = stream_with(x, 1, source)};
    }
    status = status ? status : ob_superstep_create(group, &x->step);
    return status ? status : obrd_columns_prepare(x);
}

/* ----------------------------------------------------------------- packing */

/* Packs for the first few that are not done with, an equal share for each. Those that are done with
 * stand before them. */
static int pack_for_few(exchange *x)
{
    int left = x->dests - x->done, now = left < TOGETHER ? left : TOGETHER;
    size_t share = now ? ROUND / (size_t)now / sizeof(obrd_head) * sizeof(obrd_head) : 0;
    for (int i = x->done, end = x->done + now; i < end; i++) {
        partner *p = &x->dest[i];
        char *at = obrd_open(x, p, share);
        if (at == NULL)
            return OB_ENOMEM;
        obrd_close(x, p, obrd_pack(&p->stream, at, share));
        if (obrd_stream_ended(&p->stream))
            x->dest[i] = x->dest[x->done++];
    }
    return OB_OK;
}

/* --------------------------------------------------------------- unpacking */

static void unpack(exchange *x)
{
    for (int k = 0; k < x->size; k++) {
        partner *p = &x->source[k];
        char *base;
        p->left = 0;
        if (ob_superstep_next(x->step, p->position, &base)) {
            p->next = base + sizeof(obrd_head);
            p->left = ((const obrd_head *)(const void *)base)->bytes;
        }
    }
    obrd_columns_unpack(x);
    for (int k = 0; k < x->size; k++)
        if (x->source[k].left)
            obrd_unpack(&x->source[k].stream, x->source[k].next, x->source[k].left);
}

static int rounds(exchange *x)
{
    int status;
    ob_tally tally;
    do {
        if ((status = x->by_columns ? obrd_columns_pack(x) : pack_for_few(x)) != OB_OK)
            return status;
        tally = (ob_tally){.flags = x->done < x->dests ? MORE : 0};
        if ((status = ob_superstep_run(x->step, &tally)) != OB_OK)
            return status;
        unpack(x);
    } while (tally.flags & MORE);
    return OB_OK;
}

/* Where all that we have stays ours it is copied. */
static void copy_own(exchange *x)
{
    if (x->dests != 1 || x->dest[0].position != x->me || x->move->transposed)
        return;
    obrd_copy(&x->dest[0].stream, &x->source[0].stream);
    x->done = x->dests;
}

int obrd_exchange(ob_group *group, const obrd_move *move, const obrd_side *from,
                  const obrd_side *to, const obrd_place *place)
{
    exchange x = {.move = move,
                  .side = {from, to},
                  .place = place,
                  .size = ob_group_size(group),
                  .me = ob_group_me(group)};
    int status = prepare(&x, group);
    if (status == OB_OK) {
        copy_own(&x);
        status = rounds(&x);
    }
    if (status == OB_OK)
        ob_superstep_free(x.step);
    obrd_columns_free(&x);
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 2; axis++)
            obrd_lines_free(&x.lines[side][axis]);
    free(x.dest);
    free(x.source);
    return status;
}
