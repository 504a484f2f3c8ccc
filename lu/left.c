/*
 * Row swaps of finished columns. Nothing reads these before the end, so all swaps of the blocks on
 * their right wait for it, and then each element goes once, from where it is to where all of them
 * take it. A column is read and written from end to end meanwhile, where the swaps of one block
 * would touch a cache line for each of its elements.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Columns whose rows are on their way together, in whole blocks: few supersteps, and memory for so
 * many columns of the matrix, shared by all processes, and for the messages with them. */
enum { COLUMNS_AT_ONCE = 512 };

/* Where a row of the submatrix lies. */
typedef struct row_location {
    size_t process, local;
} row_location;

typedef struct left_rows {
    size_t blocks;       /* at once */
    size_t *goes, *gone; /* row i goes to row goes[i]; as it was before the first of these blocks */
    row_location *location;
    size_t *from, *to;   /* local rows of one message */
    char *packed, **own; /* what stays in the process row, by block */
} left_rows;

/* Lists the rows from `first` on that go from process row r1 to r2. */
static size_t list_rows(const lu_state *s, left_rows *x, size_t first, size_t r1, size_t r2)
{
    size_t n = 0;
    for (size_t i = first; i < s->a.m; i++) {
        const row_location *from = &x->location[i], *to = &x->location[x->goes[i]];
        if (from->process != r1 || to->process != r2 || from == to)
            continue;
        x->from[n] = from->local;
        x->to[n++] = to->local;
    }
    return n;
}

static size_t end_of_block(const lu_state *s, size_t j)
{
    return s->least - j < s->block ? s->least : j + s->block;
}

/* The block of columns j .. behind-1, of which the rows from `behind` on are swapped. */
static char *send_block(lu_state *s, left_rows *x, size_t j, size_t behind, char *at)
{
    range columns = lu_columns(s, s->a.columns.me, j, behind);
    size_t n = range_length(columns), e = s->k->bytes;
    for (size_t r = 0; r < s->a.rows.count && n; r++) {
        size_t m = list_rows(s, x, behind, s->a.rows.me, r);
        oblu_gather(e, x->from, m, n, lu_at(s, 0, columns.first), s->a.ld, at, m);
        lu_send(s, s->g, r, s->a.columns.me, lu_view(s, m, n, at, m));
        if (r == s->a.rows.me)
            x->own[j / s->block % x->blocks] = at;
        at += m * n * e;
    }
    return at;
}

static void keep_block(lu_state *s, left_rows *x, size_t j, size_t behind)
{
    range columns = lu_columns(s, s->a.columns.me, j, behind);
    size_t n = range_length(columns), c = s->a.columns.me;
    for (size_t r = 0; r < s->a.rows.count && n; r++) {
        size_t m = list_rows(s, x, behind, r, s->a.rows.me);
        ob_view own = lu_view(s, m, n, x->own[j / s->block % x->blocks], m);
        ob_view v = lu_take(s, s->g, r, c, m, n, own);
        oblu_scatter(s->k->bytes, x->to, m, n, v.base, m, lu_at(s, 0, columns.first), s->a.ld);
    }
}

/* The blocks of columns first .. last, from the last on: each takes part in the swaps of one block
 * more than the one on its right. */
static void swap_blocks(lu_state *s, left_rows *x, size_t first, size_t last)
{
    char *at = x->packed;
    memcpy(x->gone, x->goes, s->a.m * sizeof *x->goes);
    for (size_t j = last + s->block; j > first;) {
        size_t behind = j;
        j -= s->block;
        /* Where rows go that first take part in the swaps of these rows. */
        oblu_follow_swaps(x->goes, s->swapped, behind, end_of_block(s, behind), true);
        at = send_block(s, x, j, behind, at);
    }
    if (s->a.rows.count > 1)
        lu_end_superstep(s, s->g, OBLU_PACK, "swap");
    memcpy(x->goes, x->gone, s->a.m * sizeof *x->goes);
    for (size_t j = last + s->block; j > first;) {
        size_t behind = j;
        j -= s->block;
        oblu_follow_swaps(x->goes, s->swapped, behind, end_of_block(s, behind), true);
        keep_block(s, x, j, behind);
    }
}

/* The most columns of the submatrix that the caller has of so many blocks. */
static size_t most_columns(const lu_state *s, size_t blocks)
{
    size_t most = 0, many = blocks * s->block;
    for (size_t j = 0; j < s->least; j += many) {
        size_t end = s->least - j < many ? s->least : j + many;
        size_t n = range_length(lu_columns(s, s->a.columns.me, j, end));
        most = n > most ? n : most;
    }
    return most;
}

static void open_rows(const lu_state *s, left_rows *x)
{
    const oblu_axis *rows = &s->a.rows;
    size_t m = s->a.m, own = range_length(lu_rows(s, rows->me, 0, m));
    x->blocks = s->block < COLUMNS_AT_ONCE ? COLUMNS_AT_ONCE / s->block : 1;
    x->goes = oblu_room(m, sizeof *x->goes);
    x->gone = oblu_room(m, sizeof *x->gone);
    x->location = oblu_room(m, sizeof *x->location);
    x->from = oblu_room(m, sizeof *x->from);
    x->to = oblu_room(m, sizeof *x->to);
    x->own = oblu_room(x->blocks, sizeof *x->own);
    x->packed = oblu_room(own * most_columns(s, x->blocks), s->k->bytes);
    for (size_t i = 0; i < m; i++) {
        size_t global = s->a.first_row + i, process = oblu_owner(rows, global);
        x->goes[i] = i;
        x->location[i] = (row_location){process, oblu_below(rows, process, global)};
    }
}

void lu_swap_left(lu_state *s)
{
    left_rows x;
    if (s->least <= s->block)
        return;
    open_rows(s, &x);
    size_t many = x.blocks * s->block;
    /* The last block has none on its right. */
    size_t last = (s->least - 1) / s->block * s->block - s->block;
    for (size_t first = last / many * many;; last = first - s->block, first -= many) {
        swap_blocks(s, &x, first, last);
        if (first == 0)
            break;
    }
    void *all[] = {x.goes, x.gone, x.location, x.from, x.to, x.own, x.packed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
