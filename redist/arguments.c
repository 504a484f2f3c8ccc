/*
 * A call's arguments: the grids behind contexts, and what is wrong with a matrix, in ScaLAPACK's
 * order.
 */
#include "redist.h"

#include "common/fault.h"
#include "hooks/blacs.h"

#include <openblacs/blacs.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void wrong(obrd_fault *f, int part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void wrong(obrd_fault *f, int part, const char *format, ...)
{
    va_list args;
    if (f->part)
        return;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    f->part = part;
}

static void at_least(obrd_fault *f, int part, int64_t value, int64_t least)
{
    if (value < least)
        wrong(f, part, "is %" PRId64 ", must be at least %" PRId64, value, least);
}

static void within(obrd_fault *f, int part, int64_t value, int64_t least, int64_t most)
{
    if (value < least || value > most)
        wrong(f, part, "is %" PRId64 ", must be %" PRId64 " to %" PRId64, value, least, most);
}

/* ------------------------------------------------------------------- grids */

static void enter_grid(obrd_call *c, obrd_matrix *x)
{
    int64_t context = x->desc[CTXT];
    x->row = x->column = -1;
    if (context == -1)
        return;
    if (ob_blacs_group(context, 'A'))
        Cblacs_gridinfo64_(context, &x->rows, &x->columns, &x->row, &x->column);
    if (x->row < 0)
        wrong(&c->fault, 100 * x->desc_place + CTXT + 1,
              "is %" PRId64 ", must be the context of a grid that the process is in, or -1 where "
              "it is in none",
              context);
}

void obrd_refuse_together(const obrd_call *c)
{
    const char *refused = ob_fault_together();
    if (refused == NULL)
        return;
    if (obrd_speaks(true))
        obrd_say(c, "%s", refused);
    obrd_end();
}

void obrd_enter(obrd_call *c)
{
    obrd_refuse_together(c);
    c->group = ob_blacs_group(c->context, 'A');
    if (c->group == NULL) {
        char text[200];
        int part = 100 * c->context_place;
        snprintf(text, sizeof text,
                 "is %" PRId64 ", must be a context of OpenBLACS that the process is in and "
                 "has not released; a libscalapack with BLACS of its own must stand behind "
                 "libopenblacs",
                 c->context);
        if (obrd_speaks(true))
            obrd_say_part(c, c->context_place == c->a.desc_place ? part + CTXT + 1 : part,
                          "OB-3502", text);
        obrd_end();
    }
    enter_grid(c, &c->a);
    enter_grid(c, &c->b);
}

/* ------------------------------------------------------------------ checks */

obrd_axis obrd_axis_of(const obrd_matrix *x, int axis)
{
    const int64_t *d = x->desc, all = d[M + axis] > 1 ? d[M + axis] : 1;
    return (obrd_axis){.start = d[IMB + axis] < all ? d[IMB + axis] : all,
                       .block = d[MB + axis] < all ? d[MB + axis] : all,
                       .source = d[RSRC + axis],
                       .processes = axis ? x->columns : x->rows};
}

/* Where a process has no elements 0 will do, as for ScaLAPACK. */
static int64_t least_ld(const obrd_matrix *x)
{
    const obrd_axis rows = obrd_axis_of(x, 0), columns = obrd_axis_of(x, 1);
    int64_t ld = 0;
    if (obrd_axis_count(&columns, x->column, x->desc[N]))
        ld = obrd_axis_count(&rows, x->row, x->desc[M]);
    return ld;
}

/* A part of so many rows that begins at `first` ends in an array of `all`. */
static void fits(obrd_fault *f, int part, int64_t length, int64_t first, int64_t all)
{
    if (length > all - first + 1)
        wrong(f, part,
              "is %" PRId64 ", must be at most %" PRId64 ", for the array has %" PRId64
              " and %" PRId64 " stand before",
              length, all - first + 1, all, first - 1);
}

static void check(obrd_matrix *x, obrd_fault *f)
{
    const int64_t *d = x->desc;
    const int desc = 100 * x->desc_place + 1, i = desc - 201, j = desc - 101;
    if (x->row < 0 || f->part)
        return;
    within(f, desc + DTYPE, d[DTYPE], 1, 2);
    within(f, desc + M, d[M], 0, OBRD_LONGEST);
    within(f, desc + N, d[N], 0, OBRD_LONGEST);
    for (int entry = IMB; entry <= NB; entry++)
        at_least(f, desc + entry, d[entry], 1);
    within(f, desc + RSRC, d[RSRC], 0, x->rows - 1);
    within(f, desc + CSRC, d[CSRC], 0, x->columns - 1);
    within(f, i, x->i, 1, d[M] > 0 ? d[M] : 1);
    within(f, j, x->j, 1, d[N] > 0 ? d[N] : 1);
    fits(f, 100 * x->m_place, x->m, x->i, d[M]);
    fits(f, 100 * x->n_place, x->n, x->j, d[N]);
    if (f->part == 0)
        at_least(f, desc + LLD, d[LLD], least_ld(x));
}

void obrd_check(obrd_call *c)
{
    at_least(&c->fault, 100 * c->a.m_place, c->a.m, 0);
    at_least(&c->fault, 100 * c->a.n_place, c->a.n, 0);
    check(&c->a, &c->fault);
    check(&c->b, &c->fault);
}
