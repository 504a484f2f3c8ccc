/*
 * Products for libopenblacs_factor (common/offer.h): which are carried out, by what all processes
 * know alike, and how op(A) and op(B) come to lie as oblu_multiply takes them.
 */
#include "arguments.h"

#include "common/fault.h"
#include "common/grid.h"
#include "common/offer.h"

#include <stdlib.h>

/* C's rows or columns, and how op(A) or op(B) deals them out. */
typedef struct side {
    const oblu_axis *axis;
    size_t first, n;
} side;

/* Rows of A are those of C in op(A), or its columns are, where it is transposed; of B the other
 * way round. `work` has a range of the inner indices, transposed. */
typedef struct operand {
    oblu_matrix whole;
    bool transposed;
    side side;
    oblu_matrix part;
    char *work;
} operand;

/* Inner indices that are transposed at a time, for each process along them. */
enum { TRANSPOSED = 1024 };

/* Of the matrix: rows or columns, as C's. */
static side side_of(const oblu_matrix *x, bool rows)
{
    return rows ? (side){&x->rows, x->first_row, x->m} : (side){&x->columns, x->first_column, x->n};
}

/* Do both deal them out alike? */
static bool alike(side a, side b)
{
    if (a.axis->count == 1)
        return true;
    size_t in_a = a.first % a.axis->block, in_b = b.first % b.axis->block;
    if (oblu_owner(a.axis, a.first) != oblu_owner(b.axis, b.first))
        return false;
    return (a.axis->block == b.axis->block && in_a == in_b) ||
           (in_a + a.n <= a.axis->block && in_b + b.n <= b.axis->block);
}

/* False: something is wrong with it, which PBLAS will say. */
static bool find(const ob_lu_part *part, int64_t m, int64_t n, const oblu_dims *g, oblu_matrix *x)
{
    int64_t desc[LLD + 1];
    oblu_fault wrong = {0};
    oblu_widen(part->desc, desc);
    oblu_sub sub = {m, n, part->i, part->j, desc, 1, 1, 1};
    if (oblu_wrong_part(&sub, g, &wrong))
        return false;
    *x = oblu_matrix_of(&sub, g, part->local);
    return true;
}

static bool find_operand(const ob_lu_part *part, char op, int64_t m, int64_t n, const oblu_dims *g,
                         operand *x)
{
    x->transposed = op != 'N';
    x->work = NULL;
    return x->transposed ? find(part, n, m, g, &x->whole) : find(part, m, n, g, &x->whole);
}

/* T of complex matrices is rare, and PBLAS's. */
static bool is_op(char op, const oblu_kernels *k)
{
    bool real = k->type == OB_FLOAT || k->type == OB_DOUBLE;
    return op == 'N' || op == 'C' || (op == 'T' && real);
}

/* Memory for a range of so many inner indices, with C's rows (or columns) dealt out as C does, and
 * the inner indices as the other way round. */
static void open_work(const oblu_kernels *k, operand *x, side c, bool rows, size_t inner)
{
    const oblu_axis *along = rows ? &x->whole.columns : &x->whole.rows;
    const oblu_axis *from = rows ? &x->whole.rows : &x->whole.columns;
    oblu_axis of_inner = {from->block, 0, along->count, along->me}, of_c = *c.axis;
    size_t before = c.first % of_c.block, in;
    of_c.source = oblu_owner(c.axis, c.first);
    size_t own = oblu_below(&of_c, of_c.me, before + c.n);
    in = oblu_below(&of_inner, of_inner.me, inner);
    x->part = (oblu_matrix){.rows = rows ? of_c : of_inner,
                            .columns = rows ? of_inner : of_c,
                            .first_row = rows ? before : 0,
                            .first_column = rows ? 0 : before,
                            .ld = rows ? own : in};
    x->part.ld += x->part.ld == 0;
    x->part.local = x->work = oblu_room(own * in, k->bytes);
}

/* Inner indices k0 .. k1 - 1 of op(X). */
static const oblu_matrix *range_of(const oblu_kernels *k, bsp2d_grid *grid, operand *x, bool rows,
                                   size_t k0, size_t k1)
{
    oblu_matrix from = x->whole;
    /* A's columns, B's rows; transposed the other way round. */
    if (rows != x->transposed) {
        from.first_column += k0;
        from.n = k1 - k0;
    } else {
        from.first_row += k0;
        from.m = k1 - k0;
    }
    if (!x->transposed) {
        x->part = from;
        return &x->part;
    }
    x->part.m = from.n;
    x->part.n = from.m;
    oblu_adjoin(k, grid, &from, &x->part);
    return &x->part;
}

static void carry_out(const oblu_kernels *k, const ob_lu_product *p, const oblu_dims *g, operand *a,
                      operand *b, const oblu_matrix *c)
{
    const int context = p->c.desc[CTXT];
    const bool transposes = a->transposed || b->transposed;
    const size_t inner = (size_t)p->k;
    size_t most = TRANSPOSED * (size_t)(g->rows > g->columns ? g->rows : g->columns);
    size_t step = transposes && inner > most ? most : inner;
    bsp2d_grid *grid = transposes ? oblu_grid_of(g, 'A') : NULL;
    if (a->transposed)
        open_work(k, a, side_of(c, true), true, step);
    if (b->transposed)
        open_work(k, b, side_of(c, false), false, step);
    for (size_t k0 = 0; k0 < inner; k0 += step) {
        size_t k1 = inner - k0 < step ? inner : k0 + step;
        oblu_multiply(k, ob_blacs_group(context, 'R'), ob_blacs_group(context, 'C'), p->alpha,
                      range_of(k, grid, a, true, k0, k1), range_of(k, grid, b, false, k0, k1),
                      k0 ? NULL : p->beta, c);
    }
    free(a->work);
    free(b->work);
    if (grid)
        bsp2d_gridexit(grid);
}

int ob_lu_multiply(const ob_lu_product *p)
{
    const int context = p->c.desc[CTXT];
    const oblu_kernels *k = oblu_kernels_of(p->type);
    char of_a = ob_capital(p->of_a), of_b = ob_capital(p->of_b);
    operand a, b;
    oblu_matrix c;
    if (ob_fault_together() || p->m < 1 || p->n < 1 || p->k < 1 || p->a.desc[CTXT] != context ||
        p->b.desc[CTXT] != context || !is_op(of_a, k) || !is_op(of_b, k))
        return 0;
    oblu_dims g = oblu_dims_of(context);
    if (g.rows < 1 || !find_operand(&p->a, of_a, p->m, p->k, &g, &a) ||
        !find_operand(&p->b, of_b, p->k, p->n, &g, &b) || !find(&p->c, p->m, p->n, &g, &c))
        return 0;
    if ((!a.transposed && !alike(side_of(&a.whole, true), side_of(&c, true))) ||
        (!b.transposed && !alike(side_of(&b.whole, false), side_of(&c, false))))
        return 0;
    carry_out(k, p, &g, &a, &b, &c);
    return 1;
}
