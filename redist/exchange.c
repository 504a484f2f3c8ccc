/*
 * One exchange. Where not all processes read each other's memory each piece of a matrix goes
 * straight to who needs it (direct.c). Else it is done in rounds. In each round a process packs for
 * others; a superstep brings that to them; and everybody unpacks. The buffers are bounded, whatever
 * the matrix, and small enough to stay in the processors' caches: an element is read once and
 * written once.
 *
 * Who sends and how much at a time is the sender's affair: what goes from one process to another is
 * one stream in an order that both know, and each message says how much of it there is. A sender
 * goes through its columns, as they lie, and deals each to all who have rows of it (columns.c).
 * What is transposed, and what goes to very many, it packs for a few at a time, in the order of
 * their distance, so that no two begin with the same one.
 *
 * Several matrices go through the same rounds, wherever the processes are: what two of them have in
 * common of all matrices is one message as long as it fits into a round.
 */
#include "rounds.h"

#include "hooks/job.h"

#include <stdlib.h>

/* To how many others a process sends in a round where it packs for a few, and so twice as much. A
 * share holds a row of what is transposed. */
enum { TOGETHER = 8 };
_Static_assert(2 * OBRD_ROUND / TOGETHER >= OBRD_WIDE * 16, "no row fits into a share");
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

static int prepare(exchange *x)
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
    return status ? status : obrd_columns_prepare(x);
}

/* ----------------------------------------------------------------- packing */

/* No more than all of a stream, whole shares as far as one is left. */
static size_t at_most(const obrd_stream *s, size_t share)
{
    size_t rows = (size_t)s->count[0], columns = (size_t)s->count[1];
    return rows * s->move->bytes < share / columns ? obrd_padded(rows * columns * s->move->bytes)
                                                   : share;
}

/* Packs for the first few that are not done with, an equal share for each. Those that are done with
 * stand before them. */
static int pack_for_few(exchange *x)
{
    int left = x->dests - x->done, now = left < TOGETHER ? left : TOGETHER;
    size_t share = now ? 2 * x->round / (size_t)now / sizeof(obrd_head) * sizeof(obrd_head) : 0;
    for (int i = x->done, end = x->done + now; i < end; i++) {
        partner *p = &x->dest[i];
        size_t bytes = at_most(&p->stream, share);
        char *at = obrd_open(x, p, bytes);
        if (at == NULL)
            return OB_ENOMEM;
        obrd_close(x, p, obrd_pack(&p->stream, at, bytes));
        if (obrd_stream_ended(&p->stream))
            x->dest[i] = x->dest[x->done++];
    }
    return OB_OK;
}

/* Of n matrices the first that are not done with, as many as fill a round. More: whether something
 * is left. */
static int pack(exchange *x, size_t n, bool *more)
{
    size_t packed = 0;
    *more = false;
    for (size_t i = 0; i < n; i++) {
        int status = OB_OK;
        x[i].packed = 0;
        if (packed < x[i].round && x[i].done < x[i].dests)
            status = x[i].by_columns ? obrd_columns_pack(&x[i]) : pack_for_few(&x[i]);
        if (status != OB_OK)
            return status;
        packed += x[i].packed;
        *more |= x[i].done < x[i].dests;
    }
    return OB_OK;
}

/* --------------------------------------------------------------- unpacking */

static void unpack(exchange *x, size_t n)
{
    obrd_open_all(x, n);
    for (size_t i = 0; i < n; i++) {
        obrd_columns_unpack(&x[i]);
        for (int k = 0; k < x->size; k++)
            if (x[i].source[k].left)
                obrd_unpack(&x[i].source[k].stream, x[i].source[k].next, x[i].source[k].left);
    }
}

/* Where all that we have stays ours it is copied. */
static void copy_own(exchange *x)
{
    if (x->dests != 1 || x->dest[0].position != x->me || x->move->transposed)
        return;
    obrd_copy(&x->dest[0].stream, &x->source[0].stream);
    x->done = x->dests;
}

static int rounds(exchange *x, size_t n)
{
    int status;
    ob_tally tally;
    for (size_t i = 0; i < n; i++)
        copy_own(&x[i]);
    do {
        bool more;
        if ((status = pack(x, n, &more)) != OB_OK)
            return status;
        tally = (ob_tally){.flags = more ? MORE : 0};
        if ((status = ob_superstep_run(x->step, &tally)) != OB_OK)
            return status;
        unpack(x, n);
        ob_superstep_read(x->step);
    } while (tally.flags & MORE);
    return OB_OK;
}

static void clear(exchange *x)
{
    obrd_columns_free(x);
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 2; axis++)
            obrd_lines_free(&x->lines[side][axis]);
    free(x->dest);
    free(x->source);
}

static size_t round_of(const ob_group *group)
{
    size_t part = ob_job_heap(ob_group_job(group)) / OBRD_IN_HEAP;
    return part < OBRD_ROUND ? part : OBRD_ROUND;
}

int obrd_exchange(ob_group *group, size_t n, const obrd_moved *moved)
{
    ob_superstep *step = NULL;
    exchange *x = calloc(n, sizeof *x);
    int status = x ? ob_superstep_create(group, &step) : OBRD_ENOMEM;
    for (size_t i = 0; i < n && status == OB_OK; i++) {
        x[i] = (exchange){.move = &moved[i].move,
                          .side = {&moved[i].from, &moved[i].to},
                          .place = moved[i].place,
                          .size = ob_group_size(group),
                          .me = ob_group_me(group),
                          .round = round_of(group),
                          .step = step,
                          .which = i};
        status = prepare(&x[i]);
    }
    if (status == OB_OK)
        status = n == 1 && !ob_superstep_shares(step) ? obrd_direct(x, group) : rounds(x, n);
    if (status == OB_OK)
        ob_superstep_free(step);
    for (size_t i = 0; x && i < n; i++)
        clear(&x[i]);
    free(x);
    return status;
}
