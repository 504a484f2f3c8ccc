/*
 * ScaLAPACK's arguments, checked with ScaLAPACK's codes and turned into a grid and matrices.
 */
#include "arguments.h"

#include "common/fault.h"
#include "common/grid.h"
#include "common/lent.h"

#include <openblacs/blacs.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ checks */

static int64_t least_ld(const int64_t *d, const oblu_dims *g)
{
    oblu_axis rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, 0};
    oblu_axis columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, 0};
    if (d[M] < 1 || d[N] < 1 || oblu_below(&columns, (size_t)g->column, (size_t)d[N]) == 0)
        return 1;
    int64_t ld = (int64_t)oblu_below(&rows, (size_t)g->row, (size_t)d[M]);
    return ld > 1 ? ld : 1;
}

int oblu_wrong(oblu_fault *f, int part, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    return f->part = part;
}

static int wrong_least(oblu_fault *f, int part, int64_t value, int64_t least)
{
    return value < least
               ? oblu_wrong(f, part, "is %" PRId64 ", must be at least %" PRId64, value, least)
               : 0;
}

static int wrong_range(oblu_fault *f, int part, int64_t value, int64_t least, int64_t most)
{
    return value < least || value > most
               ? oblu_wrong(f, part, "is %" PRId64 ", must be %" PRId64 " to %" PRId64, value,
                            least, most)
               : 0;
}

static int wrong_longest(oblu_fault *f, int part, int64_t value)
{
    return value > OBLU_LONGEST ? oblu_wrong(f, part,
                                             "is %" PRId64 ", must be at most %d, for the BLAS "
                                             "take 32-bit integers",
                                             value, OBLU_LONGEST)
                                : 0;
}

/* Does a submatrix that begins at `first` end in the array of `all`? */
static int wrong_length(oblu_fault *f, int part, int64_t length, int64_t first, int64_t all)
{
    return length > all - first + 1
               ? oblu_wrong(f, part,
                            "is %" PRId64 ", must be at most %" PRId64
                            ", for the array has %" PRId64 " and %" PRId64 " stand before",
                            length, all - first + 1, all, first - 1)
               : 0;
}

static int wrong_descriptor(const oblu_sub *x, const oblu_dims *g, bool empty, oblu_fault *f)
{
    const int64_t *d = x->desc;
    const int desc = 100 * x->desc_place;
    int part = wrong_least(f, desc + MB + 1, d[MB], 1);
    part = part ? part : wrong_least(f, desc + NB + 1, d[NB], 1);
    part = part ? part : wrong_range(f, desc + RSRC + 1, d[RSRC], 0, g->rows - 1);
    part = part ? part : wrong_range(f, desc + CSRC + 1, d[CSRC], 0, g->columns - 1);
    part = part ? part : wrong_least(f, desc + M + 1, d[M], !empty);
    return part ? part : wrong_least(f, desc + N + 1, d[N], !empty);
}

int oblu_wrong_part(const oblu_sub *x, const oblu_dims *g, oblu_fault *f)
{
    const int64_t *d = x->desc;
    const int desc = 100 * x->desc_place;
    bool empty = x->m == 0 || x->n == 0;
    if (g->rows < 1)
        return oblu_wrong(f, desc + CTXT + 1,
                          "is %" PRId64 ", must be the context of a grid that the process is in",
                          d[CTXT]);
    if (ob_grid_is_elsewhere(d[CTXT]))
        return oblu_wrong(f, desc + CTXT + 1,
                          "is %" PRId64 ", a grid with processes outside MPI_COMM_WORLD, must be "
                          "the context of one whose processes are all in it",
                          d[CTXT]);
    if (d[DTYPE] != 1)
        return oblu_wrong(f, desc + DTYPE + 1, "is %" PRId64 ", must be 1", d[DTYPE]);
    int part = wrong_least(f, 100 * x->m_place, x->m, 0);
    part = part ? part : wrong_least(f, 100 * x->n_place, x->n, 0);
    part = part ? part : wrong_least(f, desc - 200, x->i, 1);
    part = part ? part : wrong_least(f, desc - 100, x->j, 1);
    part = part ? part : wrong_descriptor(x, g, empty, f);
    if (!part && !empty) {
        part = wrong_range(f, desc - 200, x->i, 1, d[M]);
        part = part ? part : wrong_range(f, desc - 100, x->j, 1, d[N]);
        part = part ? part : wrong_length(f, 100 * x->m_place, x->m, x->i, d[M]);
        part = part ? part : wrong_length(f, 100 * x->n_place, x->n, x->j, d[N]);
    }
    part = part ? part : wrong_least(f, desc + LLD + 1, d[LLD], least_ld(d, g));
    part = part ? part : wrong_longest(f, 100 * x->m_place, x->m);
    part = part ? part : wrong_longest(f, 100 * x->n_place, x->n);
    return part ? part : wrong_longest(f, desc + LLD + 1, d[LLD]);
}

static size_t owner_row(const int64_t *d, const oblu_dims *g, int64_t i)
{
    oblu_axis rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, 0};
    return oblu_owner(&rows, (size_t)i - 1);
}

/* Does submatrix x begin a block, in the given process row? */
static int wrong_begin(oblu_fault *f, int part, int64_t value, int64_t block)
{
    return (value - 1) % block
               ? oblu_wrong(f, part, "is %" PRId64 ", must begin a block of %" PRId64, value, block)
               : 0;
}

static int wrong_equal(oblu_fault *f, int part, int64_t value, int64_t other, const char *whose)
{
    return value != other ? oblu_wrong(f, part, "is %" PRId64 ", must be %" PRId64 ", as %s", value,
                                       other, whose)
                          : 0;
}

/* What solving asks of A and B together: square blocks, and equal rows. */
static int wrong_together(const oblu_sub *a, const oblu_sub *b, const oblu_dims *g, oblu_fault *f)
{
    const int64_t *da = a->desc, *db = b->desc;
    const int in_a = 100 * a->desc_place, in_b = 100 * b->desc_place;
    int part = wrong_begin(f, in_a - 200, a->i, da[MB]);
    part = part ? part : wrong_begin(f, in_a - 100, a->j, da[NB]);
    part = part ? part : wrong_equal(f, in_a + NB + 1, da[NB], da[MB], "entry 5 (MB_)");
    part = part ? part : wrong_begin(f, in_b - 200, b->i, db[MB]);
    if (!part && owner_row(db, g, b->i) != owner_row(da, g, a->i))
        part =
            oblu_wrong(f, in_b - 200,
                       "is %" PRId64 ", must be a row of the process row that has A's first", b->i);
    if (!part && db[MB] != da[NB]) /* ScaLAPACK's code for it */
        part = oblu_wrong(f, in_b + NB + 1,
                          "stands for entry 5 (MB_), which is %" PRId64 ", must be %" PRId64
                          ", as entry 6 (NB_) of DESCA",
                          db[MB], da[NB]);
    return part ? part
                : wrong_equal(f, in_b + CTXT + 1, db[CTXT], da[CTXT], "entry 2 (CTXT_) of DESCA");
}

int oblu_wrong_system(const oblu_sub *a, const oblu_sub *b, const oblu_dims *g, oblu_fault *f)
{
    int part = oblu_wrong_part(a, g, f);
    part = part ? part : oblu_wrong_part(b, g, f);
    return part ? part : wrong_together(a, b, g, f);
}

int oblu_wrong_least_squares(const oblu_sub *a, const oblu_sub *b, const oblu_dims *g,
                             oblu_fault *f)
{
    const bool tall = a->m >= a->n;
    const int64_t *db = b->desc, first = tall ? a->i : a->j, block = a->desc[tall ? MB : NB];
    const int in_b = 100 * b->desc_place;
    int part = 0;
    if ((first - 1) % block != (b->i - 1) % db[MB])
        part = oblu_wrong(f, in_b - 200,
                          "is %" PRId64 ", with %" PRId64
                          " of its block before it, must have %" PRId64 ", as %s",
                          b->i, (b->i - 1) % db[MB], (first - 1) % block, tall ? "IA" : "JA");
    else if (tall && owner_row(db, g, b->i) != owner_row(a->desc, g, a->i))
        part =
            oblu_wrong(f, in_b - 200,
                       "is %" PRId64 ", must be a row of the process row that has A's first", b->i);
    part = part ? part
                : wrong_equal(f, in_b + MB + 1, db[MB], block,
                              tall ? "entry 5 (MB_) of DESCA" : "entry 6 (NB_) of DESCA");
    return part ? part
                : wrong_equal(f, in_b + CTXT + 1, db[CTXT], a->desc[CTXT],
                              "entry 2 (CTXT_) of DESCA");
}

static int as_info(int part)
{
    return part % 100 ? -part : -(part / 100);
}

/* ------------------------------------------------------------------- lines */

static void say_part(const oblu_call *c, int part, const char *code, const char *text)
{
    int argument = part / 100, entry = part % 100, length;
    const char *name = ob_fault_argument(c->names, argument, &length);
    if (entry)
        oblu_say("%s entry %d (%s) of argument %d (%.*s) %s (info %d)", code, entry,
                 ob_fault_entry(entry, 1), argument, length, name, text, as_info(part));
    else
        oblu_say("%s argument %d (%.*s) %s (info %d)", code, argument, length, name, text,
                 as_info(part));
}

_Noreturn void oblu_refuse(const oblu_call *c)
{
    if (oblu_speaks(true))
        say_part(c, c->wrong.part, "OB-6101", c->wrong.text);
    oblu_end();
}

static void say_difference(const oblu_call *c, const oblu_verdict *found)
{
    char text[sizeof c->wrong.text];
    if (found->part % 100 == 0 && found->part / 100 <= c->letters)
        snprintf(text, sizeof text,
                 "is '%c' on one process and '%c' on another, must be the same on all",
                 (int)found->least, (int)found->most);
    else
        snprintf(text, sizeof text,
                 "is %" PRId64 " on one process and %" PRId64
                 " on another, must be the same on all",
                 found->least, found->most);
    if (found->part == OBLU_SETTING)
        oblu_say("OB-6102 the processes have set different algorithmic blocks, panels or measuring "
                 "(bsp_lu_block, bsp_lu_panel, bsp_lu_measure)");
    else
        say_part(c, found->part, "OB-6102", text);
}

/* What all have found in the call. */
static void say_verdict(const oblu_call *c, const oblu_verdict *found)
{
    bool ends = c->ends || found->part == OBLU_SETTING;
    if (ends ? oblu_speaks(found->speaks) : found->speaks) {
        if (found->differs)
            say_difference(c, found);
        else
            say_part(c, c->wrong.part, "OB-6101", c->wrong.text);
    }
    if (ends)
        oblu_end();
}

/* -------------------------------------------------------- grids and matrices */

enum { GLOBALS = OBLU_SCALARS + 3 * 11 };

/* What of a submatrix must be the same on all processes: not the context's number, nor the leading
 * dimension. Returns how many there are. */
static size_t globals_of(const oblu_sub *x, oblu_alike *list)
{
    const int64_t *d = x->desc;
    const int desc = 100 * x->desc_place;
    const oblu_alike all[] = {
        {x->m, 100 * x->m_place},   {x->n, 100 * x->n_place},     {x->i, desc - 200},
        {x->j, desc - 100},         {d[DTYPE], desc + DTYPE + 1}, {d[M], desc + M + 1},
        {d[N], desc + N + 1},       {d[MB], desc + MB + 1},       {d[NB], desc + NB + 1},
        {d[RSRC], desc + RSRC + 1}, {d[CSRC], desc + CSRC + 1}};
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Without a grid there is nobody to agree with: each process that calls says so. */
static bool no_grid(const oblu_call *c, int64_t *info)
{
    if (oblu_is_offered()) {
        oblu_offer_refuse(info);
        return false;
    }
    if (c->ends)
        oblu_refuse(c);
    say_part(c, c->wrong.part, "OB-6101", c->wrong.text);
    *info = as_info(c->wrong.part);
    return false;
}

bool oblu_meet(const oblu_call *c, bool empty, int64_t *info)
{
    oblu_dims *g = c->g;
    int position = g->row * g->columns + g->column;
    oblu_alike list[GLOBALS];
    size_t n = 0;
    const char *refused = ob_fault_together();
    if (refused) {
        if (oblu_speaks(true))
            oblu_say("%s", refused);
        oblu_end();
    }
    if (g->rows < 1 || (oblu_is_offered() && ob_grid_is_elsewhere(c->a->desc[CTXT])))
        return no_grid(c, info);
    for (; n < c->scalars; n++)
        list[n] = c->scalar[n];
    n += globals_of(c->a, list + n);
    n += c->b ? globals_of(c->b, list + n) : 0;
    n += c->c ? globals_of(c->c, list + n) : 0;
    int wrong = c->wrong.part ? c->wrong.part : oblu_offer_is_declined() ? OBLU_DECLINED : 0;
    bool any[OBLU_FLAGS] = {
        [OBLU_SENT] = c->seat && oblu_seat_begin(c->seat),
        [OBLU_CRAMPED] = ob_grid_is_cramped(c->a->desc[CTXT], OBLU_LEAST_HEAP),
    };
    oblu_verdict found = oblu_agree(c->a->desc[CTXT], position, list, n, wrong, any);
    g->cramped = any[OBLU_CRAMPED];
    if (found.part && any[OBLU_SENT])
        oblu_seat_drop(oblu_group_of(g, 'A'), c->seat);
    *info = as_info(found.part);
    if (found.part && oblu_is_offered())
        oblu_offer_refuse(info);
    else if (found.part)
        say_verdict(c, &found);
    return !found.part && !empty;
}

oblu_matrix oblu_matrix_of(const oblu_sub *x, const oblu_dims *g, const void *local)
{
    const int64_t *d = x->desc;
    return (oblu_matrix){
        .rows = {(size_t)d[MB], (size_t)d[RSRC], (size_t)g->rows, (size_t)g->row},
        .columns = {(size_t)d[NB], (size_t)d[CSRC], (size_t)g->columns, (size_t)g->column},
        .first_row = (size_t)x->i - 1,
        .first_column = (size_t)x->j - 1,
        .m = (size_t)x->m,
        .n = (size_t)x->n,
        .local = (char *)local,
        .ld = (size_t)d[LLD]};
}

bool oblu_begins_square(const oblu_matrix *x)
{
    const size_t block = x->rows.block;
    return x->columns.block == block && x->first_row % block == 0 && x->first_column % block == 0;
}

void oblu_widen(const int *desc, int64_t wide[LLD + 1])
{
    for (int i = 0; i <= LLD; i++)
        wide[i] = desc[i];
}

oblu_dims oblu_dims_of(int64_t context)
{
    int64_t rows, columns, row, column;
    Cblacs_gridinfo64_(context, &rows, &columns, &row, &column);
    return (oblu_dims){.context = context,
                       .rows = (int)rows,
                       .columns = (int)columns,
                       .row = (int)row,
                       .column = (int)column};
}

bsp2d_grid *oblu_grid_of(const oblu_dims *g, char scope)
{
    ob_group *group = oblu_group_of(g, scope);
    if (scope != 'A')
        return ob_bsp2d_lent(group, NULL, group, ob_group_size(group), 1);
    return ob_bsp2d_lent(group, oblu_group_of(g, 'R'), oblu_group_of(g, 'C'), g->rows, g->columns);
}

ob_group *oblu_group_of(const oblu_dims *g, char scope)
{
    return ob_blacs_group(g->context, scope);
}
