/*
 * The way to a matrix's seat and back (seat.h); seat_work.c has what is done there.
 */
#include "seat.h"
#include "seat_work.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

/* Of messages on the context's own group, in which no others have it. */
enum { TAG_SEAT = 2 };

/* ------------------------------------------------------------------- places */

static bool at_one_place(const oblu_axis *x, size_t first, size_t length)
{
    return x->count == 1 || first / x->block == (first + length - 1) / x->block;
}

static size_t first_row(const oblu_matrix *x)
{
    return oblu_owner(&x->rows, x->first_row);
}

static size_t first_column(const oblu_matrix *x)
{
    return oblu_owner(&x->columns, x->first_column);
}

static bool lies_at(const oblu_matrix *x, size_t r, size_t c)
{
    return at_one_place(&x->rows, x->first_row, x->m) &&
           at_one_place(&x->columns, x->first_column, x->n) && first_row(x) == r &&
           first_column(x) == c;
}

static bool is_small(const oblu_matrix *x, size_t least)
{
    size_t shorter = x->m < x->n ? x->m : x->n, longer = x->m + x->n - shorter;
    return shorter < least && longer < 2 * least;
}

bool oblu_has_seat(const oblu_matrix *a, const oblu_matrix *b, size_t least)
{
    return lies_at(a, first_row(a), first_column(a)) ||
           (is_small(a, least) && (b == NULL || is_small(b, least)));
}

/* ------------------------------------------------------- a process's part */

/* Where elements are: in the process's part of a matrix, in a message, or at the seat. */
typedef enum side { SIDE_OWN, SIDE_MESSAGE, SIDE_SEAT } side;

/* Columns, and rows, that lie together at one process, of the array. */
typedef struct tile {
    oblu_run rows, columns;
} tile;

/* The rows that the guest's triangle has in these columns. */
static oblu_run clipped(const oblu_guest *g, const tile *t)
{
    size_t top = t->rows.global - g->x->first_row, end = top + t->rows.length, low = top;
    size_t left = t->columns.global - g->x->first_column, right = left + t->columns.length;
    if (g->uplo == 'L' && left > low)
        low = left < end ? left : end;
    if (g->uplo == 'U' && right < end)
        end = right > low ? right : low;
    return (oblu_run){t->rows.global + low - top, end - low, t->rows.local + low - top};
}

static ob_view tile_at(const oblu_seat *s, const oblu_guest *g, const tile *t, side where,
                       char *message)
{
    size_t i = t->rows.local, j = t->columns.local, ld = g->x->ld;
    char *base = g->x->local;
    if (where == SIDE_MESSAGE) {
        i = j = 0;
        ld = t->rows.length;
        base = message;
    } else if (where == SIDE_SEAT) {
        i = t->rows.global - g->x->first_row;
        j = t->columns.global - g->x->first_column;
        ld = g->ld;
        base = g->at;
    }
    return bsp2d_ge(s->task.k->type, t->rows.length, t->columns.length,
                    base + (i + j * ld) * s->task.k->bytes, ld);
}

/* Carries what process (r, c) has of the guest from one side to the other; of the same side, says
 * only how many bytes that would be. */
static size_t carry(const oblu_seat *s, const oblu_guest *g, size_t r, size_t c, side from, side to,
                    char *message)
{
    const oblu_matrix *x = g->x;
    size_t e = s->task.k->bytes, bytes = 0;
    tile t;
    for (size_t j = x->first_column, j_end = j + x->n;
         oblu_next_run(&x->columns, c, &j, j_end, &t.columns);)
        for (size_t i = x->first_row, i_end = i + x->m;
             oblu_next_run(&x->rows, r, &i, i_end, &t.rows);) {
            t.rows = clipped(g, &t);
            if (from != to) {
                ob_view a = tile_at(s, g, &t, from, message + bytes);
                ob_view b = tile_at(s, g, &t, to, message + bytes);
                oblu_copy(e, a.m, a.n, a.base, a.ld, b.base, b.ld);
            }
            bytes += t.rows.length * t.columns.length * e;
        }
    return bytes;
}

/* What no int holds is no pivot either, and must not become one. */
static int narrow(int64_t value)
{
    return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

/* The pivots that process row r has for a solution, as rows of the submatrix, from one. */
static size_t carry_pivots(const oblu_seat *s, size_t r, size_t c, side from, side to,
                           char *message)
{
    const oblu_matrix *a = s->task.a;
    int *packed = (int *)(void *)message, *found = lu_seat_pivots(s);
    size_t n = 0, first = a->first_row;
    oblu_run run;
    if (s->task.kind != OBLU_LU || s->task.factors || c != s->column)
        return 0;
    for (size_t i = first; oblu_next_run(&a->rows, r, &i, first + a->n, &run);)
        for (size_t l = 0; l < run.length; l++, n++) {
            int value = 0;
            if (from == SIDE_OWN)
                value = narrow(oblu_pivot(s->task.pivots, run.local + l) - (int64_t)first);
            else if (from != to)
                value = packed[n];
            if (to == SIDE_SEAT)
                found[run.global - first + l] = value;
            else if (from != to)
                packed[n] = value;
        }
    return (n * sizeof(int) + 15) / 16 * 16;
}

static size_t carry_there(const oblu_seat *s, size_t r, size_t c, side from, side to)
{
    size_t bytes = carry_pivots(s, r, c, from, to, s->packed);
    if (s->a.travels)
        bytes += carry(s, &s->a, r, c, from, to, s->packed + bytes);
    if (s->b.travels)
        bytes += carry(s, &s->b, r, c, from, to, s->packed + bytes);
    return bytes;
}

/* What has changed, behind the news. */
static size_t carry_back(const oblu_seat *s, size_t r, size_t c, side from, side to)
{
    size_t bytes = s->news_bytes;
    if (s->a.travels && s->task.factors)
        bytes += carry(s, &s->a, r, c, from, to, s->packed + bytes);
    if (s->b.travels)
        bytes += carry(s, &s->b, r, c, from, to, s->packed + bytes);
    return bytes;
}

/* --------------------------------------------------------------- there and back */

static int process(const oblu_seat *s, size_t r, size_t c)
{
    return (int)(r * s->task.a->columns.count + c);
}

static void hand(oblu_seat *s, size_t r, size_t c, size_t bytes)
{
    ob_view v = bsp2d_ge(OB_BYTE, bytes, 1, s->packed, bytes);
    OB_TRACE_ROUTINE("ob_send");
    if (bytes)
        oblu_must(ob_send(s->all, process(s, r, c), TAG_SEAT, &v));
    s->sent += bytes;
}

static void await(oblu_seat *s, size_t r, size_t c, size_t bytes)
{
    ob_view v = bsp2d_ge(OB_BYTE, bytes, 1, s->packed, bytes);
    OB_TRACE_ROUTINE("ob_recv");
    if (bytes)
        oblu_must(ob_recv(s->all, process(s, r, c), TAG_SEAT, &v, NULL));
    s->received += bytes;
}

/* At the seat: all of the guests come together. */
static void take(oblu_seat *s)
{
    const oblu_axis *rows = &s->task.a->rows, *columns = &s->task.a->columns;
    for (size_t r = 0; r < rows->count; r++)
        for (size_t c = 0; c < columns->count; c++) {
            bool own = r == rows->me && c == columns->me;
            if (!own)
                await(s, r, c, carry_there(s, r, c, SIDE_MESSAGE, SIDE_MESSAGE));
            carry_there(s, r, c, own ? SIDE_OWN : SIDE_MESSAGE, SIDE_SEAT);
        }
}

static void give_back(oblu_seat *s)
{
    const oblu_axis *rows = &s->task.a->rows, *columns = &s->task.a->columns;
    memcpy(s->packed, s->news, s->news_bytes);
    for (size_t r = 0; r < rows->count; r++)
        for (size_t c = 0; c < columns->count; c++)
            if (r == rows->me && c == columns->me)
                carry_back(s, r, c, SIDE_SEAT, SIDE_OWN);
            else
                hand(s, r, c, carry_back(s, r, c, SIDE_SEAT, SIDE_MESSAGE));
}

static void get_back(oblu_seat *s)
{
    size_t r = s->task.a->rows.me, c = s->task.a->columns.me;
    await(s, s->row, s->column, carry_back(s, r, c, SIDE_OWN, SIDE_OWN));
    memcpy(s->news, s->packed, s->news_bytes);
    carry_back(s, r, c, SIDE_MESSAGE, SIDE_OWN);
}

/* Where no guest has travelled all get only the news. */
static void go_back(oblu_seat *s)
{
    ob_view v = bsp2d_ge(OB_BYTE, s->news_bytes, 1, s->news, s->news_bytes);
    OB_TRACE_ROUTINE("ob_broadcast");
    if (s->a.travels || s->b.travels)
        s->mine ? give_back(s) : get_back(s);
    else if (s->news_bytes && ob_group_size(s->all) > 1)
        oblu_must(ob_broadcast(s->all, process(s, s->row, s->column), &v, NULL));
}

/* ------------------------------------------------------------------- memory */

static void invite(oblu_guest *g, const oblu_matrix *x, char uplo, const oblu_seat *s)
{
    *g = (oblu_guest){.x = x, .uplo = uplo, .travels = !lies_at(x, s->row, s->column), .ld = x->m};
}

/* What lies at the seat is worked on there. */
static void sit(oblu_guest *g, size_t bytes)
{
    size_t i = oblu_below(&g->x->rows, g->x->rows.me, g->x->first_row);
    size_t j = oblu_below(&g->x->columns, g->x->columns.me, g->x->first_column);
    if (g->travels)
        return;
    g->ld = g->x->ld;
    g->at = g->x->local + (i + j * g->ld) * bytes;
}

static size_t bytes_of(const oblu_guest *g, size_t e)
{
    return g->x ? g->x->m * g->x->n * e : 0;
}

/* A message has at most all of what travels, and as many pivots as there are rows. */
static void get_memory(oblu_seat *s, size_t news)
{
    size_t e = s->task.k->bytes, of_a = bytes_of(&s->a, e), of_b = bytes_of(&s->b, e);
    size_t travel = (s->a.travels ? of_a : 0) + (s->b.travels ? of_b : 0);
    const oblu_piece pieces[] = {{&s->a.at, s->mine && s->a.travels ? of_a : 0},
                                 {&s->b.at, s->mine && s->b.travels ? of_b : 0},
                                 {&s->packed, news + travel},
                                 {&s->spare, s->mine ? of_b : 0},
                                 {&s->news, news}};
    oblu_keep(pieces, sizeof pieces / sizeof *pieces);
}

void oblu_seat_open(oblu_seat *s, ob_group *all, const oblu_task *task)
{
    const oblu_matrix *a = task->a;
    *s = (oblu_seat){.task = *task,
                     .all = all,
                     .row = first_row(a),
                     .column = first_column(a),
                     .start = ob_time()};
    s->watch.since = s->start;
    s->mine = a->rows.me == s->row && a->columns.me == s->column;
    invite(&s->a, a, task->kind == OBLU_CHOLESKY ? task->uplo : 'A', s);
    if (task->b)
        invite(&s->b, task->b, 'A', s);
    size_t news = lu_seat_news(s);
    s->news_bytes = task->factors ? news : 0;
    get_memory(s, news);
    if (!s->mine)
        return;
    sit(&s->a, task->k->bytes);
    if (task->b)
        sit(&s->b, task->k->bytes);
}

/* --------------------------------------------------------------------- calls */

bool oblu_seat_begin(oblu_seat *s)
{
    const oblu_matrix *a = s->task.a;
    if (!s->mine)
        hand(s, s->row, s->column,
             carry_there(s, a->rows.me, a->columns.me, SIDE_OWN, SIDE_MESSAGE));
    oblu_lap(&s->watch, OBLU_PACK, "spread");
    return s->sent > 0;
}

static void work(oblu_seat *s)
{
    take(s);
    oblu_lap(&s->watch, OBLU_PACK, "spread");
    if (s->task.factors)
        lu_seat_factor(s);
    if (s->task.b && !(s->task.factors && *lu_seat_info(s)))
        lu_seat_solve(s);
}

int64_t oblu_seat_end(oblu_seat *s, bsp_lu_parts *parts)
{
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    if (s->mine)
        work(s);
    go_back(s);
    if (s->task.factors)
        lu_seat_keep(s);
    int64_t info = s->task.factors ? *lu_seat_info(s) : 0;
    oblu_kept_no_more();
    oblu_lap(&s->watch, OBLU_PACK, "spread");
    *parts = (bsp_lu_parts){.total = s->watch.since - s->start,
                            .computation = s->watch.seconds[OBLU_COMPUTE],
                            .packing = s->watch.seconds[OBLU_PACK],
                            .syncs = s->watch.seconds[OBLU_SYNC],
                            .flops = s->watch.flops,
                            .sent = s->sent,
                            .received = s->received,
                            .block = (int)lu_seat_least(s)};
    return info;
}

/* Whom each has sent to, all hear: a message may still be on its way, and the sender's next one
 * behind it. */
void oblu_seat_drop(ob_group *all, oblu_seat *s)
{
    int me = ob_group_me(all), count = ob_group_size(all);
    int *to = oblu_room((size_t)count, sizeof *to);
    ob_pieces each = {.base = to, .type = OB_INT, .count = 1};
    to[me] = s && s->sent ? process(s, s->row, s->column) : -1;
    oblu_must(ob_collect(all, &each, NULL));
    for (int i = 0; i < count; i++) {
        ob_received it;
        if (to[i] != me)
            continue;
        oblu_must(ob_probe(all, i, TAG_SEAT, &it));
        char *room = oblu_room(it.bytes, 1);
        ob_view dropped = bsp2d_ge(OB_BYTE, it.bytes, 1, room, it.bytes);
        oblu_must(ob_recv(all, i, TAG_SEAT, &dropped, NULL));
        free(room);
    }
    free(to);
}
