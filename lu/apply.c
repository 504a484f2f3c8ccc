/*
 * What a QR factorisation is used for: solving with R and R^H, and products with Q, one superstep
 * for each block of columns. T and R's squares are at every process; the rest of a block's columns
 * goes along process rows. With R the block's rows of B go to their whole process columns, and all
 * solve for them alike. With R^H and Q the columns of B want sums over process columns: each
 * process sends its own terms, and who needs the sum adds them up. The columns of the next block
 * travel with them.
 *
 * Where process columns factor blocks, R^H and then Q is wanted, and a process column has twice its
 * fair part of B or more, columns of A stay where they are and those of B come to them, in strips:
 * from the process column that has a block to that which has the next one, and back. While one
 * process column works on a strip, others have other strips, so that right-hand sides of a single
 * process column are work for all.
 *
 *   wait          for a strip, from the process column of the block before
 *   superstep     of the process column, which sums R^H B, or V^H B
 *   computation   the block's rows of B, or B - V T V^H B; then the strip goes on
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

typedef struct applier {
    lu_state s; /* of it: the matrix, the grid, the block */
    const oblu_matrix *b;
    const oblu_blocks *blocks;
    size_t sides;  /* own columns of B */
    char *columns; /* own rows of a block's columns */
    char *sum;     /* own terms, block x sides */
    char *all;     /* the block's rows of B, or the sum */
    char *times;   /* T times that */
} applier;

/* Which columns of A it is about, in the order of the blocks. */
typedef enum use { WITH_R, WITH_R_ADJOINT, WITH_Q } use;

static char *of_block(const applier *a, char *blocks, const step *x)
{
    return blocks + x->j * a->blocks->width * a->s.k->bytes;
}

/* Own rows of B in a block. */
static ob_view block_of_b(const applier *a, const step *x)
{
    return oblu_own(a->s.k, a->b, x->j, x->j + x->width, 0, a->b->n);
}

/* Those rows of the block's columns that are used: above its square, or from there down. */
static range used_rows(const applier *a, const step *x, use u)
{
    return u == WITH_Q ? (range){x->j, a->s.a.m} : (range){0, x->j};
}

static ob_view used_rows_of_b(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return oblu_own(a->s.k, a->b, i.first, i.end, 0, a->b->n);
}

static size_t count_of_used(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return range_length(lu_rows(&a->s, a->s.a.rows.me, i.first, i.end));
}

static ob_view own_columns(const applier *a, const step *x, use u)
{
    range i = used_rows(a, x, u);
    return oblu_own(a->s.k, &a->s.a, i.first, i.end, x->j, x->j + x->width);
}

/* --------------------------------------------------------- columns of a block */

/* To those who have columns of B. */
static void send_columns(const applier *a, const step *x, use u)
{
    for (size_t c = 0; c < a->s.a.columns.count; c++)
        if (oblu_below(&a->b->columns, c, a->b->first_column + a->b->n) >
            oblu_below(&a->b->columns, c, a->b->first_column))
            lu_send(&a->s, a->s.g, a->s.a.rows.me, c, own_columns(a, x, u));
}

/* V has ones and zeros where R's square stands. */
static void put_ones(applier *a, const step *x, size_t m)
{
    const lu_state *s = &a->s;
    size_t top = s->a.first_row + x->j, e = s->k->bytes, at = 0;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, s->a.rows.me, &i, top + x->width, &run);)
        for (size_t l = 0; l < run.length; l++, at++)
            for (size_t j = run.global + l - top; j < x->width; j++)
                s->k->put(j == run.global + l - top, a->columns + (at + j * m) * e);
}

static void take_columns(applier *a, const step *x, use u)
{
    const lu_state *s = &a->s;
    size_t m = count_of_used(a, x, u), e = s->k->bytes, first = s->a.first_column + x->j;
    if (a->sides == 0)
        return;
    for (size_t c = 0; c < s->a.columns.count; c++) {
        size_t n = range_length(lu_columns(s, c, x->j, x->j + x->width)), at = 0;
        ob_view v = lu_take(s, s->g, s->a.rows.me, c, m, n, own_columns(a, x, u));
        oblu_run run;
        for (size_t j = first; oblu_next_run(&s->a.columns, c, &j, first + x->width, &run);
             at += run.length)
            oblu_copy(e, m, run.length, (const char *)v.base + at * v.ld * e, v.ld,
                      a->columns + (run.global - first) * m * e, m);
    }
    if (u == WITH_Q)
        put_ones(a, x, m);
}

/* ------------------------------------------------------------ rows of a block */

/* Between own rows of a block, together, and their places in it, which has so many rows. */
static void place_rows(const applier *a, const step *x, size_t r, const ob_view *own, char *block,
                       bool into)
{
    const lu_state *s = &a->s;
    size_t top = s->a.first_row + x->j, e = s->k->bytes, at = 0;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, r, &i, top + x->width, &run); at += run.length) {
        char *mine = (char *)own->base + at * e, *there = block + (run.global - top) * e;
        if (into)
            oblu_copy(e, run.length, a->sides, mine, own->ld, there, x->width);
        else
            oblu_copy(e, run.length, a->sides, there, x->width, mine, own->ld);
    }
}

static void keep_rows(const applier *a, const step *x)
{
    ob_view mine = block_of_b(a, x);
    place_rows(a, x, a->s.a.rows.me, &mine, a->all, false);
}

static void spread_rows(const applier *a, const step *x)
{
    for (size_t r = 0; r < a->s.a.rows.count; r++)
        lu_send(&a->s, a->s.g, r, a->s.a.columns.me, block_of_b(a, x));
}

static void take_rows(applier *a, const step *x)
{
    for (size_t r = 0; r < a->s.a.rows.count; r++) {
        size_t m = range_length(lu_rows(&a->s, r, x->j, x->j + x->width));
        ob_view v = lu_take(&a->s, a->s.g, r, a->s.a.columns.me, m, a->sides, block_of_b(a, x));
        place_rows(a, x, r, &v, a->all, true);
    }
}

/* ------------------------------------------------------------------------ R */

static void solve_block(applier *a, const step *x, char trans)
{
    size_t w = x->width;
    a->s.k->trsm('L', 'U', trans, 'N', w, a->sides, of_block(a, a->blocks->r, x), w, a->all, w);
    keep_rows(a, x);
}

static void sweep_r(applier *a)
{
    const oblu_kernels *k = a->s.k;
    for (size_t l = (a->s.least + a->s.block - 1) / a->s.block; l-- > 0;) {
        step x = lu_step_of(&a->s, l * a->s.block);
        send_columns(a, &x, WITH_R);
        spread_rows(a, &x);
        bsp2d_sync(a->s.g);
        take_columns(a, &x, WITH_R);
        take_rows(a, &x);
        solve_block(a, &x, 'N');
        ob_view above = used_rows_of_b(a, &x, WITH_R);
        k->gemm('N', false, above.m, above.n, x.width, a->columns, above.m, a->all, x.width,
                above.base, above.ld);
    }
}

/* ----------------------------------------------------------------- R^H and Q */

/* The own terms of R^H B - B, or of -V^H B. */
static void find_terms(applier *a, const step *x, use u)
{
    const oblu_kernels *k = a->s.k;
    ob_view b = used_rows_of_b(a, x, u), mine = block_of_b(a, x);
    size_t w = x->width, bytes = w * a->sides * k->bytes;
    if (u == WITH_R_ADJOINT) {
        memset(a->all, 0, bytes);
        place_rows(a, x, a->s.a.rows.me, &mine, a->all, true);
        k->gemm('C', true, w, b.n, b.m, a->columns, b.m ? b.m : 1, b.base, b.ld, a->sum, w);
        k->subtract(w, a->sides, a->all, w, a->sum, w);
    } else {
        memset(a->sum, 0, bytes);
        k->gemm('C', false, w, b.n, b.m, a->columns, b.m ? b.m : 1, b.base, b.ld, a->sum, w);
    }
}

/* Does process row r need the sum? */
static bool needs_sum(const applier *a, const step *x, use u, size_t r)
{
    return u == WITH_Q || range_length(lu_rows(&a->s, r, x->j, x->j + x->width));
}

static void send_terms(const applier *a, const step *x, use u)
{
    size_t w = x->width;
    for (size_t r = 0; r < a->s.a.rows.count; r++)
        if (needs_sum(a, x, u, r))
            lu_send(&a->s, a->s.g, r, a->s.a.columns.me, lu_view(&a->s, w, a->sides, a->sum, w));
}

/* All have the same sum, for they add in the same order. */
static void add_terms(applier *a, const step *x)
{
    size_t w = x->width;
    memset(a->all, 0, w * a->sides * a->s.k->bytes);
    for (size_t r = 0; r < a->s.a.rows.count; r++) {
        ob_view v = lu_take(&a->s, a->s.g, r, a->s.a.columns.me, w, a->sides,
                            lu_view(&a->s, w, a->sides, a->sum, w));
        a->s.k->subtract(w, a->sides, v.base, v.ld, a->all, w);
    }
}

static void use_sum(applier *a, const step *x, use u)
{
    const oblu_kernels *k = a->s.k;
    ob_view b = used_rows_of_b(a, x, u);
    size_t w = x->width;
    if (u == WITH_R_ADJOINT) {
        solve_block(a, x, 'C');
        return;
    }
    k->gemm('N', true, w, a->sides, w, of_block(a, a->blocks->t, x), w, a->all, w, a->times, w);
    k->gemm('N', false, b.m, b.n, w, a->columns, b.m, a->times, w, b.base, b.ld);
}

/* Forwards with R^H, backwards with Q. */
static void sweep_sums(applier *a, use u)
{
    size_t count = (a->s.least + a->s.block - 1) / a->s.block;
    for (size_t l = 0; l <= count; l++) {
        size_t next = u == WITH_Q ? count - 1 - l : l, now = u == WITH_Q ? next + 1 : l - 1;
        step after = l < count ? lu_step_of(&a->s, next * a->s.block) : (step){0};
        step x = l > 0 ? lu_step_of(&a->s, now * a->s.block) : (step){0};
        if (l > 0) {
            find_terms(a, &x, u);
            send_terms(a, &x, u);
        }
        if (l < count)
            send_columns(a, &after, u);
        bsp2d_sync(a->s.g);
        if (l > 0 && needs_sum(a, &x, u, a->s.a.rows.me)) {
            add_terms(a, &x);
            use_sum(a, &x, u);
        }
        if (l < count)
            take_columns(a, &after, u);
    }
}

/* -------------------------------------------------------------- strips of B */

/* Narrower ones are not worth their messages. */
enum { NARROWEST = 4 };

/* Columns of B that travel together. */
typedef struct strip {
    size_t home, first, width; /* the process column that has them, and its first one of them */
} strip;

typedef struct passing {
    applier a; /* of it, B is the strip that is here */
    const oblu_way *way;
    const oblu_matrix *b;
    oblu_matrix here;
    strip *strips;
    size_t count;
} passing;

/* Else the columns of A go to those of B, and all have work, too. */
static bool in_few_process_columns(const oblu_matrix *b)
{
    size_t most = 0;
    for (size_t c = 0; c < b->columns.count; c++) {
        size_t first = oblu_below(&b->columns, c, b->first_column);
        size_t sides = oblu_below(&b->columns, c, b->first_column + b->n) - first;
        most = sides > most ? sides : most;
    }
    return most * b->columns.count >= 2 * b->n;
}

static void cut(passing *p)
{
    const oblu_matrix *b = p->b;
    size_t width = (b->n + b->columns.count - 1) / b->columns.count;
    width = width > NARROWEST ? width : NARROWEST;
    p->strips = oblu_room(b->n, sizeof *p->strips);
    for (size_t c = 0; c < b->columns.count; c++) {
        size_t end = oblu_below(&b->columns, c, b->first_column + b->n);
        for (size_t j = oblu_below(&b->columns, c, b->first_column); j < end; j += width)
            p->strips[p->count++] = (strip){c, j, end - j < width ? end - j : width};
    }
    p->here = (oblu_matrix){.rows = b->rows,
                            .columns = {.block = width, .count = 1},
                            .first_row = b->first_row,
                            .m = b->m};
    p->here.ld = oblu_below(&b->rows, b->rows.me, b->first_row + b->m);
    p->here.ld = p->here.ld ? p->here.ld : 1;
    p->here.local = oblu_room(p->here.ld * width, p->a.s.k->bytes);
}

/* Own rows of a strip at home. */
static ob_view at_home(const passing *p, const strip *t, size_t end)
{
    ob_view v = oblu_own(p->a.s.k, p->b, 0, end, 0, 0);
    size_t row = oblu_below(&p->b->rows, p->b->rows.me, p->b->first_row), e = p->a.s.k->bytes;
    return lu_view(&p->a.s, v.m, t->width, p->b->local + (row + t->first * p->b->ld) * e, p->b->ld);
}

/* Own rows i .. end-1 of the strip that is here. */
static ob_view rows_here(const passing *p, size_t i, size_t end)
{
    return oblu_own(p->a.s.k, &p->here, i, end, 0, p->here.n);
}

/* Nobody waits for a receiver. */
static void pass_on(const passing *p, size_t to, ob_view v)
{
    OB_TRACE_ROUTINE("ob_send");
    if (v.m)
        oblu_must(ob_send(p->way->row, (int)to, 0, &v));
}

static void take_from(const passing *p, size_t from, ob_view v)
{
    OB_TRACE_ROUTINE("ob_recv");
    if (v.m)
        oblu_must(ob_recv(p->way->row, (int)from, 0, &v, NULL));
}

static void bring_columns(applier *a, const step *x, use u)
{
    ob_view v = own_columns(a, x, u);
    oblu_copy(a->s.k->bytes, v.m, v.n, v.base, v.ld, a->columns, v.m);
    if (u == WITH_Q)
        put_ones(a, x, v.m);
}

static void do_strip(passing *p, const step *x, use u)
{
    applier *a = &p->a;
    size_t w = x->width;
    ob_view v = lu_view(&a->s, w, a->sides, a->sum, w);
    find_terms(a, x, u);
    bsp2d_reduce(p->way->column, 'A', OB_SUM, &v, NULL, 0);
    if (!needs_sum(a, x, u, a->s.a.rows.me))
        return;
    oblu_clear(a->s.k->bytes, w, a->sides, a->all, w);
    a->s.k->subtract(w, a->sides, a->sum, w, a->all, w);
    use_sum(a, x, u);
}

/* Block l, whose process column calls. Behind R^H come zeros, for Q. */
static void do_strips(passing *p, size_t l, size_t last, use u)
{
    const lu_state *s = &p->a.s;
    step x = lu_step_of(s, l * s->block), left = lu_step_of(s, (l ? l - 1 : 0) * s->block);
    step right = lu_step_of(s, (l < last ? l + 1 : last) * s->block);
    size_t n = s->a.n, m = s->a.m, e = s->k->bytes;
    bring_columns(&p->a, &x, u);
    for (const strip *t = p->strips; t < p->strips + p->count; t++) {
        size_t on_the_left = l ? left.pcol : t->home;
        p->here.n = p->a.sides = t->width;
        if (u == WITH_R_ADJOINT) {
            take_from(p, on_the_left, rows_here(p, 0, n));
            do_strip(p, &x, u);
            pass_on(p, right.pcol, rows_here(p, 0, n));
            continue;
        }
        ob_view below = rows_here(p, n, m);
        take_from(p, right.pcol, rows_here(p, 0, l < last ? m : n));
        if (l == last)
            oblu_clear(e, below.m, below.n, below.base, below.ld);
        do_strip(p, &x, u);
        pass_on(p, on_the_left, rows_here(p, 0, m));
    }
}

static void pass_strips(passing *p)
{
    const lu_state *s = &p->a.s;
    size_t blocks = (s->least + s->block - 1) / s->block;
    const strip *end = p->strips + p->count;
    for (const strip *t = p->strips; t < end; t++)
        if (t->home == s->a.columns.me)
            pass_on(p, lu_step_of(s, 0).pcol, at_home(p, t, s->a.n));
    for (size_t l = 0; l < blocks; l++)
        if (lu_step_of(s, l * s->block).pcol == s->a.columns.me)
            do_strips(p, l, blocks - 1, WITH_R_ADJOINT);
    for (size_t l = blocks; l-- > 0;)
        if (lu_step_of(s, l * s->block).pcol == s->a.columns.me)
            do_strips(p, l, blocks - 1, WITH_Q);
    for (const strip *t = p->strips; t < end; t++)
        if (t->home == s->a.columns.me)
            take_from(p, lu_step_of(s, 0).pcol, at_home(p, t, s->a.m));
}

/* --------------------------------------------------------------------- calls */

static applier open_applier(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                            const oblu_blocks *blocks)
{
    return (applier){.s = {.k = kernels, .g = grid, .a = *a, .least = a->n, .block = blocks->width},
                     .blocks = blocks};
}

/* Of `sides` columns of B. */
static void find_room(applier *x, size_t sides)
{
    size_t w = x->blocks->width, e = x->s.k->bytes;
    size_t rows = range_length(lu_rows(&x->s, x->s.a.rows.me, 0, x->s.a.m));
    const oblu_piece all[] = {{&x->columns, rows * w * e},
                              {&x->sum, w * sides * e},
                              {&x->all, w * sides * e},
                              {&x->times, w * sides * e}};
    x->sides = sides;
    oblu_keep(all, sizeof all / sizeof *all);
}

static void apply(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                  const oblu_blocks *blocks, const oblu_matrix *b, use u)
{
    applier x = open_applier(kernels, grid, a, blocks);
    x.b = b;
    find_room(&x, oblu_own(kernels, b, 0, 0, 0, b->n).n);
    if (u == WITH_R)
        sweep_r(&x);
    else
        sweep_sums(&x, u);
    oblu_kept_no_more();
}

static void apply_in_strips(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                            const oblu_way *way, const oblu_blocks *blocks, const oblu_matrix *b)
{
    passing p = {.a = open_applier(kernels, grid, a, blocks), .way = way, .b = b};
    cut(&p);
    p.a.b = &p.here;
    find_room(&p.a, p.here.columns.block);
    pass_strips(&p);
    oblu_kept_no_more();
    free(p.here.local);
    free(p.strips);
}

void oblu_solve_r(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                  const oblu_blocks *blocks, const oblu_matrix *b)
{
    apply(kernels, grid, a, blocks, b, WITH_R);
}

void oblu_solve_adjoint(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                        const oblu_way *way, const oblu_blocks *blocks, const oblu_matrix *b)
{
    ob_view behind = oblu_own(kernels, b, a->n, a->m, 0, b->n);
    if (way->column && in_few_process_columns(b)) {
        apply_in_strips(kernels, grid, a, way, blocks, b);
        return;
    }
    apply(kernels, grid, a, blocks, b, WITH_R_ADJOINT);
    oblu_clear(kernels->bytes, behind.m, behind.n, behind.base, behind.ld);
    apply(kernels, grid, a, blocks, b, WITH_Q);
}
