/*
 * Which calls are ScaLAPACK's: those of layouts that it refuses, those with less LWORK than it
 * wants, by the formulas that the comments in front of PDGETRF, PDPOTRF, PDGEQRF and its like have,
 * and those for which bench/lu.md and bench/products.md found it faster.
 */
#include "factor.h"

#include "common/letter.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/blacs.h"

enum { CTXT = 1, M, MB = 4, NB, RSRC, CSRC };

/* Rows, or columns, of a matrix on one process: blocks that are dealt to `count` processes. */
typedef struct axis {
    int64_t block, source, count, me;
} axis;

/* False: it is refused, or has no grid, before anything here matters. */
static bool axes_of(const obfa_part *p, axis *rows, axis *columns)
{
    const int *d = p->desc;
    int64_t of_rows, of_columns, row, column;
    Cblacs_gridinfo64_(d[CTXT], &of_rows, &of_columns, &row, &column);
    *rows = (axis){d[MB], d[RSRC], of_rows, row};
    *columns = (axis){d[NB], d[CSRC], of_columns, column};
    return of_rows > 0 && d[MB] > 0 && d[NB] > 0 && d[RSRC] >= 0 && d[CSRC] >= 0 && p->m >= 0 &&
           p->n >= 0 && p->i > 0 && p->j > 0;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool begins_square(const obfa_part *a)
{
    int64_t block = a->desc[MB];
    return a->desc[NB] == block && (a->i - 1) % block == 0 && (a->j - 1) % block == 0;
}

/* ------------------------------------------------------ where ScaLAPACK is faster */

/* One process of so many has all the work of a small matrix (lu/seat.h), whose shorter side is
 * below these; of more nothing was measured. */
enum { MOST_GUESTS = 64, SEATED = 208, SEATED_QR = 160 };

static int64_t processes_of(const axis *rows, const axis *columns)
{
    return rows->count * columns->count;
}

/* Where one block is all there is, or many processes share little, ScaLAPACK has less to set up
 * than what no one process does. `few`: that many columns are little for more than 4 processes. */
static bool is_small(const axis *rows, const axis *columns, int64_t n, int64_t few)
{
    int64_t processes = processes_of(rows, columns);
    return processes > 1 && (n <= columns->block || (processes > 4 && n < few));
}

static bool is_small_for_many(const axis *rows, const axis *columns, int64_t n)
{
    return processes_of(rows, columns) > MOST_GUESTS && is_small(rows, columns, n, SEATED);
}

/* Two process rows wait long for a large block; and many columns share little where none has all.
 */
static bool is_slow_qr(const axis *rows, const axis *columns, int64_t n)
{
    enum { LARGE = 2000, LARGE_OF_MORE = 1500, SMALL = 300, MANY = 5 };
    if (rows->count == 2)
        return n >= (columns->count > 2 ? LARGE_OF_MORE : LARGE);
    return rows->count == 1 && columns->count > MANY && n >= SEATED_QR && n < SMALL;
}

/* Cholesky where columns of L (rows of U) lie in several places has a block ready at a time, and
 * waits for its lines: narrow ones are many, and many processes wait for each. Within a node the
 * narrowest are dealt out anew, which on one process row of many gains least. */
static bool is_slow_cholesky(const axis *rows, const axis *columns, char uplo, int64_t n, bool near)
{
    enum { NARROW = 8, WIDER = 16, WIDE = 32, FEW = 300, SOME = 500, LARGE = 1000 };
    enum { FEW_BLOCKS = 16, MANY = 6 };
    int64_t processes = processes_of(rows, columns), block = columns->block;
    bool pairs = rows->count <= 2 && columns->count <= 2;
    if (processes == 1 || n < SEATED)
        return is_small_for_many(rows, columns, n);
    if (block >= WIDE)
        return (block > WIDE || !near) && processes > MANY && n < FEW_BLOCKS * block;
    if ((uplo == 'L' ? columns : rows)->count == 1)
        return false;
    if (near && block <= WIDER)
        return block > NARROW && uplo == 'L' && rows->count == 1 && !pairs && n >= FEW && n < LARGE;
    return !pairs || n >= SOME;
}

bool obfa_declines_getrf(const obfa_part *a)
{
    axis rows, columns;
    if (!axes_of(a, &rows, &columns))
        return false;
    int64_t n = least_of(a->m, a->n);
    /* Of an array of one row ScaLAPACK does not look at the element. */
    return !begins_square(a) || a->desc[M] == 1 || is_small_for_many(&rows, &columns, n);
}

bool obfa_declines_potrf(char uplo, const obfa_part *a)
{
    axis rows, columns;
    if (!axes_of(a, &rows, &columns))
        return false;
    const ob_group *all = ob_blacs_group(a->desc[CTXT], 'A');
    bool near = all && ob_group_near(all);
    return !begins_square(a) || is_slow_cholesky(&rows, &columns, ob_capital(uplo), a->n, near);
}

/* C stays where it is, which is little where it is thin and the inner dimension long. A short inner
 * dimension is one panel, which PBLAS broadcasts as soon. Between nodes nothing was measured. */
bool obfa_declines_gemm(int64_t m, int64_t n, int64_t k, const int *desc)
{
    enum { LEAST_INNER = 128, LEAST_EACH = 20000000 };
    const ob_group *all = ob_blacs_group(desc[CTXT], 'A');
    if (all == NULL || !ob_group_near(all) || 2 * least_of(m, n) < k || k < LEAST_INNER)
        return true;
    double least = (least_of(m, n) < k ? 2. : 1.) * LEAST_EACH;
    return (double)m * (double)n * (double)k < least * ob_group_size(all);
}

/* -------------------------------------------------------------------- LWORK */

/* Of `length` that begin with the first one. */
static int64_t own(const axis *x, int64_t length)
{
    int64_t before = (x->count + x->me - x->source) % x->count, blocks = length / x->block;
    int64_t all = blocks / x->count * x->block, rest = blocks % x->count;
    return before < rest ? all + x->block : before == rest ? all + length % x->block : all;
}

/* Of `length` that begin at index `first`, and what stands before it in its block, where the
 * process of index `begin` has that block. */
static int64_t own_from(const axis *x, int64_t length, int64_t first, int64_t begin)
{
    axis at = *x;
    at.source = (x->source + (begin - 1) / x->block) % x->count;
    return own(&at, length + (first - 1) % x->block);
}

static int64_t own_behind(const axis *x, int64_t length, int64_t first)
{
    return own_from(x, length, first, first);
}

bool obfa_declines_geqrf(const obfa_part *a, int64_t lwork, int64_t *least)
{
    axis rows, columns;
    *least = 0;
    if (!axes_of(a, &rows, &columns))
        return false;
    *least = columns.block *
             (own_behind(&rows, a->m, a->i) + own_behind(&columns, a->n, a->j) + columns.block);
    int64_t n = least_of(a->m, a->n);
    return lwork < *least || is_small_for_many(&rows, &columns, n) ||
           is_slow_qr(&rows, &columns, n);
}

/* The least common multiple of the grid's sides, over the number of its rows. */
static int64_t turns(int64_t rows, int64_t columns)
{
    int64_t a = rows, b = columns;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return columns / a;
}

/* Of A^H, the columns that a process has where they are those of B's rows. */
static int64_t crossed(const axis *rows, const axis *columns, int64_t length)
{
    const axis first = {rows->block, 0, rows->count, 0},
               again = {rows->block, 0, turns(rows->count, columns->count), 0};
    return own(&again, own(&first, length));
}

/* For the first process column ScaLAPACK (2.2) takes that of index IA, or IB, not JA and JB. */
static int64_t gels_work(const obfa_part *a, const obfa_part *b, const axis of_a[2],
                         const axis of_b[2])
{
    int64_t m = own_behind(&of_a[0], a->m, a->i), n = own_from(&of_a[1], a->n, a->j, a->i);
    int64_t longer = own_behind(&of_b[0], most_of(a->m, a->n), b->i);
    int64_t sides = own_from(&of_b[1], b->n, b->j, b->i);
    bool tall = a->m >= a->n;
    int64_t w = of_a[tall].block;
    int64_t tau = tall ? own(&of_a[1], a->j + a->n - 1) : own(&of_a[0], a->i + a->m - 1);
    int64_t beside = sides;
    if (!tall)
        beside = most_of(n + crossed(&of_a[0], &of_a[1], a->n + (b->i - 1) % of_b[0].block), sides);
    int64_t solving = most_of(w * (w - 1) / 2, (longer + beside) * w) + w * w;
    return tau + most_of(w * (m + n + w), solving);
}

bool obfa_declines_gels(const obfa_part *a, const obfa_part *b, int64_t lwork, int64_t *least)
{
    axis of_a[2], of_b[2];
    *least = 0;
    if (!axes_of(a, &of_a[0], &of_a[1]) || !axes_of(b, &of_b[0], &of_b[1]))
        return false;
    *least = gels_work(a, b, of_a, of_b);
    return lwork < *least || (a->m >= a->n && is_small(&of_a[0], &of_a[1], a->n, 100));
}

/* On the left, where C's columns and rows as they lie count; on the right A's rows as columns of C,
 * too. */
static int64_t ormqr_work(bool left, const obfa_part *c, const axis of_a[2], const axis of_c[2],
                          const obfa_part *a)
{
    int64_t w = of_a[1].block, beside = own_behind(&of_c[0], c->m, c->i);
    int64_t of_columns = own_behind(&of_c[1], c->n, c->j);
    if (!left) {
        const axis first = {w, 0, of_c[1].count, 0},
                   again = {w, 0, turns(of_c[1].count, of_c[0].count), 0};
        int64_t turned = own(&again, own(&first, c->n + (c->j - 1) % of_c[1].block));
        beside = most_of(own_behind(&of_a[0], c->n, a->i) + turned, beside);
    }
    return most_of(w * (w - 1) / 2, (of_columns + beside) * w) + w * w;
}

/* V goes to all once, whatever C's other side is: little where that is short. In narrow blocks
 * ScaLAPACK loses little by what it does one reflection at a time, and on the right V is transposed
 * first. Between nodes nothing was measured. */
static bool is_slow_product(bool left, const obfa_part *a, const obfa_part *c)
{
    enum { NARROW = 32, FEW = 200, FEW_ON_RIGHT = 300, FEW_IN_NARROW = 400, PAIR = 2, SOME = 4 };
    const ob_group *all = ob_blacs_group(a->desc[CTXT], 'A');
    int64_t length = left ? c->m : c->n, other = left ? c->n : c->m;
    bool narrow = a->desc[NB] < NARROW;
    if (all == NULL || !ob_group_near(all) || 2 * other < length)
        return true;
    if (narrow && (!left || a->n < FEW_IN_NARROW))
        return true;
    if (left)
        return a->n < FEW && ob_group_size(all) > SOME;
    return a->n < (ob_group_size(all) > PAIR ? 2 : 1) * FEW_ON_RIGHT;
}

bool obfa_declines_ormqr(char side, const obfa_part *a, const obfa_part *c, int64_t lwork,
                         int64_t *least)
{
    axis of_a[2], of_c[2];
    const bool left = ob_capital(side) == 'L';
    *least = 0;
    if (!axes_of(a, &of_a[0], &of_a[1]) || !axes_of(c, &of_c[0], &of_c[1]))
        return false;
    *least = ormqr_work(left, c, of_a, of_c, a);
    return lwork < *least || is_slow_product(left, a, c);
}

/* Of one block there is one process that needs nobody. Between nodes nothing was measured. */
bool obfa_declines_sytrd(const obfa_part *a, int64_t lwork, int64_t *least)
{
    axis rows, columns;
    *least = 0;
    if (!axes_of(a, &rows, &columns))
        return false;
    const ob_group *all = ob_blacs_group(a->desc[CTXT], 'A');
    *least = columns.block * most_of(own_behind(&rows, a->n, a->i) + 1, 3);
    return lwork < *least || a->n <= columns.block || all == NULL || !ob_group_near(all);
}

/* Between nodes nothing was measured. */
bool obfa_declines_laed3(int context)
{
    const ob_group *all = ob_blacs_group(context, 'A');
    return all == NULL || !ob_group_near(all);
}

/* As above; and all processes have all of a panel's columns, which are most of a matrix that is
 * thin. */
bool obfa_declines_gebrd(const obfa_part *a, int64_t lwork, int64_t *least)
{
    axis rows, columns;
    *least = 0;
    if (!axes_of(a, &rows, &columns))
        return false;
    const ob_group *all = ob_blacs_group(a->desc[CTXT], 'A');
    enum { THIN = 200 };
    const int64_t n_own = own_behind(&columns, a->n, a->j);
    const int64_t shorter = least_of(a->m, a->n), longer = most_of(a->m, a->n);
    *least = columns.block * (own_behind(&rows, a->m, a->i) + n_own + 1) + n_own;
    return lwork < *least || shorter <= columns.block || all == NULL || !ob_group_near(all) ||
           longer * ob_group_size(all) > THIN * shorter;
}

/* The comment in front of PDGESVD; its processes are those of the grid, numbered as the job's. */
static int64_t gesvd_work(const obfa_part *a, const int *desc_u, const int *desc_vt,
                          const axis *rows, const axis *columns)
{
    const int64_t w = columns->block, n = least_of(a->m, a->n), longer = most_of(a->m, a->n);
    const int64_t m_own = own(rows, a->m), n_own = own(columns, a->n);
    const axis first[2] = {{rows->block, rows->source, rows->count, 0},
                           {w, columns->source, columns->count, 0}};
    const int64_t reducing = most_of(w * (m_own + n_own + 1) + n_own,
                                     most_of(own(&first[0], a->m), own(&first[1], a->n)));
    int64_t vectors = 0, beside = 0;
    int64_t me, count;
    Cblacs_pinfo64_(&me, &count);
    const axis single = {1, 0, rows->count * columns->count, me};
    if (desc_u) {
        const axis across = {desc_u[NB], desc_u[CSRC], columns->count, columns->me};
        vectors += n * own(&single, a->m);
        beside = own(&across, n) + m_own;
    }
    if (desc_vt) {
        const axis along = {desc_vt[MB], desc_vt[RSRC], rows->count, rows->me};
        vectors += n * own(&single, a->n);
        beside = most_of(beside, own(&along, n) + n_own);
    }
    const int64_t products = most_of(w * (w - 1) / 2, beside * w) + w * w;
    return 1 + 6 * longer + most_of(reducing, vectors + most_of(4 * n, products));
}

/* One process has all vectors of the bidiagonal matrix, with the memory that they need, while the
 * others wait: many would have them sooner. Values alone are soon found. Between nodes nothing was
 * measured. */
bool obfa_declines_gesvd(const obfa_part *a, const int *desc_u, const int *desc_vt, int64_t lwork,
                         int64_t *least)
{
    enum { MANY = 8, LONG = 5000 };
    axis rows, columns;
    *least = 0;
    if (!axes_of(a, &rows, &columns) || a->m < 1 || a->n < 1 || (desc_u && desc_u[NB] < 1) ||
        (desc_vt && desc_vt[MB] < 1))
        return true;
    const ob_group *all = ob_blacs_group(a->desc[CTXT], 'A');
    *least = gesvd_work(a, desc_u, desc_vt, &rows, &columns);
    return lwork < *least || (!desc_u && !desc_vt) || least_of(a->m, a->n) > LONG || all == NULL ||
           !ob_group_near(all) || ob_group_size(all) > MANY;
}
