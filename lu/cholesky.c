/*
 * Cholesky factorisation in supersteps, one for each block of columns, on 2 x 2 processes, and
 * where all are at one place across; cholesky_ahead.c has the others.
 *
 * A = L L^H is worked on as A = U^H U with U = L^H, so one text serves both triangles. A *line* is
 * what one column of U has in the rows of the current block: `width` elements, one behind the
 * other. For L that is a row of L, conjugated. Lines are dealt out *along* process columns for L,
 * along process rows for U. A process is at place (a, b): a along the lines, b across them. The
 * processes of one place across, the block's holders, have the block; a block ends where the
 * distribution's ends.
 *
 *   superstep     lines go to all who need them: to those at the same place along, and to those
 * whose own columns (for L) or rows (for U) have the line's number. The square of the next block,
 * as it is before this block is applied to it, goes to that block's holders. computation   these
 * apply this block to the next one, factor its square, each of them the same one, and solve for its
 * lines; then everybody updates the rest of the triangle
 *
 * So what the next superstep sends is ready before the rest is updated, and no superstep is needed
 * for the square.
 */
#include "cholesky.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ places */

static size_t row_at(const cholesky *c, size_t a, size_t b)
{
    return c->lower ? a : b;
}

static size_t column_at(const cholesky *c, size_t a, size_t b)
{
    return c->lower ? b : a;
}

static void send(cholesky *c, size_t a, size_t b, ob_view v)
{
    lu_send(&c->s, c->s.g, row_at(c, a, b), column_at(c, a, b), v);
}

static ob_view take(cholesky *c, size_t a, size_t b, ob_view own)
{
    return lu_take(&c->s, c->s.g, row_at(c, a, b), column_at(c, a, b), own.m, own.n, own);
}

/* Lines behind the block at place a along: a part of c->line. */
range lu_behind(const cholesky *c, const block *x, size_t a)
{
    size_t n = range_length(lu_along_of(c, a, x->j + x->width, c->n));
    return (range){c->start[a + 1] - n, c->start[a + 1]};
}

/* Those of them that process (a, b) sends to all who need them. */
static range share_of(const cholesky *c, const block *x, size_t a, size_t b)
{
    range all = lu_behind(c, x, a);
    return b == x->holder ? all : (range){all.first, all.first};
}

static ob_view lines_view(const cholesky *c, const block *x, size_t n, char *lines)
{
    return lu_view(&c->s, x->width, n, lines, x->width);
}

/* ------------------------------------------------------- at a block's holders */

static void send_square(cholesky *c, const block *x)
{
    for (size_t i = 0; i < c->along.count && lu_holds(c, x); i++)
        send(c, i, x->holder, lu_square_part(c, x, c->along.me));
}

/* Row (of L, column of U) `i_along` of the square. */
static char *in_square(const cholesky *c, const block *x, size_t i_along, size_t i_across)
{
    size_t w = x->width;
    return c->square + (c->lower ? i_along + i_across * w : i_across + i_along * w) * c->s.k->bytes;
}

/* Copies n lines of `length` elements between matrices that lie alike. */
static void copy_part(const cholesky *c, size_t n, size_t length, const void *from, size_t ldf,
                      void *to, size_t ldt)
{
    oblu_copy(c->s.k->bytes, c->lower ? n : length, c->lower ? length : n, from, ldf, to, ldt);
}

void lu_place_square(cholesky *c, const block *x, size_t a, const ob_view *v)
{
    size_t top = c->along_first + x->j, w = x->width, l = 0;
    oblu_run r;
    for (size_t i = top; oblu_next_run(&c->along, a, &i, top + w, &r); l += r.length)
        copy_part(c, r.length, w,
                  (const char *)v->base + (c->lower ? l : l * v->ld) * c->s.k->bytes, v->ld,
                  in_square(c, x, r.global - top, 0), w);
}

static void take_square(cholesky *c, const block *x)
{
    for (size_t a = 0; a < c->along.count && lu_holds(c, x); a++) {
        ob_view v = take(c, a, x->holder, lu_square_part(c, x, a));
        lu_place_square(c, x, a, &v);
    }
}

/* The own part of the square's triangle into the matrix. */
void lu_keep_square(cholesky *c, const block *x)
{
    size_t top = c->along_first + x->j, left = lu_across_of(c, x->holder, x->j, 0).first;
    oblu_run r;
    for (size_t i = top; oblu_next_run(&c->along, c->along.me, &i, top + x->width, &r);)
        for (size_t t = 0; t < x->width; t++) {
            size_t first = r.global - top, skip = t > first ? t - first : 0;
            if (skip < r.length)
                copy_part(c, r.length - skip, 1, in_square(c, x, first + skip, t), x->width,
                          lu_element_at(c, r.local + skip, left + t), c->s.a.ld);
        }
}

/* Solves for the lines, in the matrix, and copies them. */
void lu_solve_lines(cholesky *c, const block *x, char *lines)
{
    size_t w = x->width;
    ob_view v = lu_lines_part(c, x);
    if (c->lower) {
        c->s.k->trsm('R', 'L', 'C', 'N', v.m, w, c->square, w, v.base, v.ld);
        c->s.k->adjoint(v.m, w, v.base, v.ld, lines, w);
    } else {
        c->s.k->trsm('L', 'U', 'C', 'N', w, v.n, c->square, w, v.base, v.ld);
        oblu_copy(c->s.k->bytes, w, v.n, v.base, v.ld, lines, w);
    }
    c->s.watch.flops += (double)v.m * (double)v.n * (double)w;
}

/* Returns info. */
int64_t lu_factor_square(cholesky *c, const block *x)
{
    size_t w = x->width;
    int info = c->s.k->potrf(c->lower ? 'L' : 'U', w, c->square, w);
    c->s.watch.flops += (double)w * (double)w * (double)w / 3;
    return info ? (int64_t)x->j + info : 0;
}

static void prepare(cholesky *c, const block *x)
{
    if (!lu_holds(c, x))
        return;
    c->alarm = lu_factor_square(c, x);
    lu_keep_square(c, x);
    if (c->alarm)
        return;
    char *free_again = c->solved_before;
    c->solved_before = c->solved;
    c->solved = free_again;
    lu_solve_lines(c, x, c->solved);
}

/* ------------------------------------------------------------------ the alarm */

/* Everybody hears of a square without a factor, so that all stop at the same block, even if
 * processors round differently. */
static void raise_alarm(cholesky *c)
{
    for (size_t i = 0; i < c->along.count && c->alarm; i++)
        for (size_t j = 0; j < c->across.count; j++)
            send(c, i, j, bsp2d_ge(OB_INT64, 1, 1, &c->alarm, 1));
}

/* Behind all other messages of a superstep. */
static void hear_alarm(cholesky *c, const block *x)
{
    for (size_t a = 0; a < c->along.count; a++) {
        size_t row = row_at(c, a, x->holder), column = column_at(c, a, x->holder);
        ob_view v = bsp2d_ge(OB_INT64, 1, 1, &c->alarm, 1);
        if (!lu_me(&c->s, row, column)) {
            if (bsp2d_qsize(c->s.g, (int)row, (int)column) == 0)
                continue;
            bsp2d_hpmove(c->s.g, (int)row, (int)column, &v);
        }
        int64_t info = *(const int64_t *)v.base;
        if (info && (c->s.info == 0 || info < c->s.info))
            c->s.info = info;
    }
}

/* ----------------------------------------------------------- lines on their way */

/* How many of these lines each place across needs. */
void lu_count_lines(cholesky *c, range some)
{
    memset(c->count, 0, c->across.count * sizeof *c->count);
    for (size_t l = some.first; l < some.end; l++)
        c->count[c->place[c->line[l]]]++;
}

/* Lines that lie together in c->line and go to, or come from, one place: how many from l on. */
size_t lu_run_of_lines(const cholesky *c, size_t l, size_t end)
{
    size_t k = l + 1, b = c->place[c->line[l]];
    while (k < end && c->line[k] == c->line[k - 1] + 1 && c->place[c->line[k]] == b)
        k++;
    return k - l;
}

/* The share's lines sorted by the places across that need them. */
static void choose_lines(cholesky *c, const block *x, range own)
{
    size_t bytes = x->width * c->s.k->bytes;
    char *next = c->chosen;
    lu_count_lines(c, own);
    for (size_t b = 0; b < c->across.count; next += c->count[b++] * bytes)
        c->chosen_for[b] = next;
    for (size_t l = own.first, n; l < own.end; l += n) {
        char **to = &c->chosen_for[c->place[c->line[l]]];
        n = lu_run_of_lines(c, l, own.end);
        memcpy(*to, c->share + (l - own.first) * bytes, n * bytes);
        *to += n * bytes;
    }
    for (size_t b = 0; b < c->across.count; b++)
        c->chosen_for[b] -= c->count[b] * bytes;
}

static void send_lines(cholesky *c, const block *x)
{
    size_t a = c->along.me;
    range own = share_of(c, x, a, c->across.me);
    if (c->along.count > 1)
        choose_lines(c, x, own);
    for (size_t i = 0; i < c->along.count; i++)
        for (size_t j = 0; j < c->across.count; j++)
            if (i == a)
                send(c, i, j, lines_view(c, x, range_length(own), c->share));
            else
                send(c, i, j, lines_view(c, x, c->count[j], c->chosen_for[j]));
}

/* Lines of a message to where the own columns (or rows) of their numbers are. Where they are all
 * that there are, they stay where they lie till the next sync. */
void lu_place_across(cholesky *c, const block *x, range some, char *from, bool all)
{
    size_t bytes = x->width * c->s.k->bytes, b = c->across.me;
    range own = lu_across_of(c, b, x->j + x->width, c->n);
    if (c->count[b] == range_length(own) && (!all || c->count[b] == range_length(some))) {
        c->of_across = from;
        return;
    }
    for (size_t l = some.first, n; l < some.end && c->count[b]; l += n) {
        size_t i = c->line[l];
        n = lu_run_of_lines(c, l, some.end);
        bool needed = c->place[i] == b;
        if (needed)
            memcpy(c->lines_across + (lu_across_of(c, b, i, 0).first - own.first) * bytes, from,
                   n * bytes);
        if (needed || all)
            from += n * bytes;
    }
}

static void place_along(cholesky *c, const block *x, range some, char *from)
{
    size_t bytes = x->width * c->s.k->bytes;
    range all = lu_behind(c, x, c->along.me);
    if (range_length(some) == range_length(all))
        c->of_along = from;
    else if (range_length(some))
        memcpy(c->lines_along + (some.first - all.first) * bytes, from, range_length(some) * bytes);
}

static void take_lines(cholesky *c, const block *x)
{
    size_t a = c->along.me, b = c->across.me;
    c->of_along = c->lines_along;
    c->of_across = c->lines_across;
    for (size_t i = 0; i < c->along.count; i++)
        for (size_t j = 0; j < c->across.count; j++) {
            range some = share_of(c, x, i, j);
            if (range_length(some) == 0)
                continue;
            lu_count_lines(c, some);
            size_t n = i == a ? range_length(some) : c->count[b];
            ob_view v = take(c, i, j, lines_view(c, x, n, c->share));
            lu_place_across(c, x, some, v.base, i == a);
            if (i == a)
                place_along(c, x, some, v.base);
        }
}

/* Brings the block's lines to all who need them, and the next block's square to its holders. */
static void spread(cholesky *c, const block *x, const block *after)
{
    c->share = c->solved;
    send_lines(c, x);
    if (after)
        send_square(c, after);
    raise_alarm(c);
    lu_end_superstep(&c->s, c->s.g, OBLU_PACK, "spread");
    take_lines(c, x);
    if (after)
        take_square(c, after);
    hear_alarm(c, x);
}

/* -------------------------------------------------------------------- steps */

void lu_update_square(cholesky *c, const cholesky_update *y, const block *after)
{
    size_t w = after->width;
    const char *own = c->lower ? y->column_lines : y->row_lines; /* the first ones across */
    c->s.k->herk(c->lower ? 'L' : 'U', w, y->w, own, y->w, c->square, w);
    c->s.watch.flops += (double)w * (double)w * (double)y->w;
}

void lu_update_behind(cholesky *c, const cholesky_update *y, const block *after)
{
    size_t next = after->j + after->width;
    range along = lu_along_of(c, c->along.me, next, c->n);
    range across = lu_across_of(c, after->holder, after->j, next);
    lu_update_rectangle(c, y, c->lower ? along : across, c->lower ? across : along);
}

cholesky_update lu_update_of(const cholesky *c, const block *x)
{
    size_t next = x->j + x->width;
    return (cholesky_update){.row_lines = c->lower ? c->of_along : c->of_across,
                             .column_lines = c->lower ? c->of_across : c->of_along,
                             .row0 = lu_rows(&c->s, c->s.a.rows.me, next, c->n).first,
                             .column0 = lu_columns(&c->s, c->s.a.columns.me, next, c->n).first,
                             .w = x->width};
}

block lu_block_at(const cholesky *c, size_t j)
{
    size_t nb = c->across.block, width = c->s.block, left = nb - (c->across_first + j) % nb;
    if (c->across.count > 1 && width > left)
        width = left;
    return (block){.j = j,
                   .width = c->n - j < width ? c->n - j : width,
                   .holder = oblu_owner(&c->across, c->across_first + j)};
}

static void do_step(cholesky *c, const block *x, const block *after)
{
    spread(c, x, after);
    oblu_lap(&c->s.watch, OBLU_PACK, "spread");
    if (c->s.info || after == NULL)
        return;
    cholesky_update y = lu_update_of(c, x);
    if (lu_holds(c, after)) {
        lu_update_square(c, &y, after);
        lu_update_behind(c, &y, after);
    }
    prepare(c, after);
    lu_update_triangle(c, &y, after->j + after->width);
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "update");
}

static void do_steps(cholesky *c)
{
    block x = lu_block_at(c, 0);
    send_square(c, &x);
    if (c->along.count > 1)
        lu_end_superstep(&c->s, c->s.g, OBLU_PACK, "spread");
    take_square(c, &x);
    prepare(c, &x);
    oblu_lap(&c->s.watch, OBLU_COMPUTE, "panel");
    while (x.j + x.width < c->n && c->s.info == 0) {
        block after = lu_block_at(c, x.j + x.width);
        do_step(c, &x, &after);
        x = after;
    }
    if (c->s.info == 0)
        do_step(c, &x, NULL);
}

/* ------------------------------------------------------------------- memory */

static void list_lines(cholesky *c)
{
    c->alike = true;
    /* Owners before lines: so clang-analyzer knows that a group is not empty. */
    for (size_t i = 0; i < c->n; i++) {
        c->place[i] = oblu_owner(&c->across, c->across_first + i);
        bool along = oblu_owner(&c->along, c->along_first + i) == c->along.me;
        c->alike &= along == (c->place[i] == c->across.me);
    }
    size_t l = 0;
    for (size_t a = 0; a < c->along.count; a++) {
        oblu_run r;
        c->start[a] = l;
        for (size_t i = c->along_first; oblu_next_run(&c->along, a, &i, c->along_first + c->n, &r);)
            for (size_t k = 0; k < r.length; k++)
                c->line[l++] = r.global - c->along_first + k;
    }
    c->start[c->along.count] = l;
}

static void open_state(cholesky *c)
{
    size_t w = c->s.block, n = c->n, e = c->s.k->bytes;
    size_t along = range_length(lu_along_of(c, c->along.me, 0, n));
    size_t across = range_length(lu_across_of(c, c->across.me, 0, n));
    size_t blocks = 2, rows = c->lower ? along : across;
    for (block x = lu_block_at(c, 0); x.j + x.width < n; x = lu_block_at(c, x.j + x.width))
        blocks++;
    c->line = oblu_room(n, sizeof *c->line);
    c->start = oblu_room(c->along.count + 1, sizeof *c->start);
    c->place = oblu_room(n, sizeof *c->place);
    c->count = oblu_room(c->across.count, sizeof *c->count);
    c->chosen_for = oblu_room(c->across.count, sizeof *c->chosen_for);
    c->came_half = w * (across + w) * e;
    c->chosen_half = w * (along + w) * e;
    const oblu_piece all[] = {{&c->factor, CHOLESKY_HEAD + w * w * e},
                              {&c->solved, CHOLESKY_HEAD + w * along * e},
                              {&c->solved_before, CHOLESKY_HEAD + w * along * e},
                              {&c->chosen, (c->same_along ? 2 : 1) * c->chosen_half},
                              {&c->lines_along, w * along * e},
                              {&c->lines_across, w * across * e},
                              {&c->came, c->same_along ? 2 * c->came_half : 0},
                              {&c->aside, rows * CHOLESKY_NARROW * e}};
    oblu_keep(all, sizeof all / sizeof *all);
    c->square = c->factor + CHOLESKY_HEAD;
    c->s.work = oblu_room(2 * blocks, sizeof *c->s.work);
    list_lines(c);
}

static void close_state(cholesky *c)
{
    void *all[] = {c->line, c->start, c->place, c->count, c->chosen_for, c->s.work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    oblu_kept_no_more();
}

int64_t oblu_cholesky(const oblu_kernels *kernels, bsp2d_grid *grid, char uplo,
                      const oblu_matrix *a, const oblu_way *way, bsp_lu_parts *parts)
{
    double start = ob_time();
    bool lower = uplo == 'L';
    cholesky c = {.s = {.k = kernels,
                        .g = grid,
                        .a = *a,
                        .block = way->block < a->n ? way->block : a->n,
                        .least = a->n,
                        .watch = {.since = start},
                        .waiting_since = start},
                  .lower = lower,
                  .along = lower ? a->rows : a->columns,
                  .across = lower ? a->columns : a->rows,
                  .along_first = lower ? a->first_row : a->first_column,
                  .across_first = lower ? a->first_column : a->first_row,
                  .n = a->n,
                  .same_along = lower ? way->row : way->down,
                  .same_across = lower ? way->down : way->row};
    open_state(&c);
    c.same_along ? way->ahead(&c) : do_steps(&c);
    lu_report(&c.s, start, parts);
    if (way->measured)
        parts->idling = lu_idle_seconds(&c.s);
    close_state(&c);
    return c.s.info;
}
