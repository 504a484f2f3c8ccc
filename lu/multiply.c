/*
 * Products of distributed matrices. Each process gets what its rows of C need of A from its process
 * row, and what its columns need of B from its process column, as it lies there, and multiplies at
 * once: C stays where it is (van de Geijn and Watts, SUMMA, with collects in place of broadcasts).
 */
#include "lu.h"

#include <stdlib.h>

/* Inner indices that come at a time, of each process of the grid's longer side: enough for the BLAS
 * to be at its speed, and for collects of some length. With products of fewer than LONG, on
 * average, it is not: then A's columns are put together first. */
enum { INNER = 256, LONG = 128 };

/* A, or B, of inner indices k0 .. k1 - 1: what each process of the row (of B: the column) has of
 * them, a piece. `along` deals out the inner indices; index 0 is `first` of the array. */
typedef struct operand {
    ob_group *group;
    const oblu_axis *along;
    size_t first;
    ob_view *pieces;
    size_t *begin; /* the local index of each piece's first */
} operand;

/* Inner indices that lie together in both: `length` from a on in process q's piece of A, and from b
 * on in process p's of B. */
typedef struct segment {
    size_t q, p, a, b, length;
} segment;

static void open_operand(operand *x, ob_group *group, const oblu_axis *along, size_t first)
{
    *x = (operand){group, along, first, oblu_room(along->count, sizeof *x->pieces),
                   oblu_room(along->count, sizeof *x->begin)};
}

static void close_operand(operand *x)
{
    free(x->pieces);
    free(x->begin);
}

/* How many indices k0 .. k1 - 1 process p has; notes where they begin. */
static size_t part_of(operand *x, size_t p, size_t k0, size_t k1)
{
    x->begin[p] = oblu_below(x->along, p, x->first + k0);
    return oblu_below(x->along, p, x->first + k1) - x->begin[p];
}

/* Their pieces, of A (`columns`: of inner columns) with so many rows each, of B with so many
 * columns. The own one stays where it lies in the array; `room` gets the others'. */
static void collect(const oblu_kernels *k, operand *x, const oblu_matrix *matrix, bool columns,
                    size_t across, size_t k0, size_t k1, char *room)
{
    const ob_pieces all = {.views = x->pieces};
    for (size_t p = 0; p < x->along->count; p++) {
        size_t inner = part_of(x, p, k0, k1);
        size_t m = columns ? across : inner, n = columns ? inner : across;
        if (p == x->along->me) {
            x->pieces[p] = columns ? oblu_own(k, matrix, 0, matrix->m, k0, k1)
                                   : oblu_own(k, matrix, k0, k1, 0, matrix->n);
            continue;
        }
        x->pieces[p] = bsp2d_ge(k->type, m, n, room, m);
        room += m * n * k->bytes;
    }
    if (x->along->count > 1)
        oblu_must(ob_collect(x->group, &all, NULL));
}

/* Up to the end of the block. */
static size_t run_of(const operand *x, size_t k, size_t end)
{
    size_t global = x->first + k, behind = (global / x->along->block + 1) * x->along->block;
    return x->along->count == 1 ? end - k : oblu_least(behind - global, end - k);
}

/* Lists the segments, those of two processes that follow each other in both pieces as one. `last`
 * has a place for each pair of processes. */
static size_t list_segments(const operand *a, const operand *b, size_t k0, size_t k1, segment *list,
                            size_t *last)
{
    size_t count = 0, pairs = a->along->count * b->along->count;
    for (size_t i = 0; i < pairs; i++)
        last[i] = SIZE_MAX;
    for (size_t k = k0, length; k < k1; k += length) {
        size_t q = oblu_owner(a->along, a->first + k), p = oblu_owner(b->along, b->first + k);
        segment next = {q, p, oblu_below(a->along, q, a->first + k) - a->begin[q],
                        oblu_below(b->along, p, b->first + k) - b->begin[p], 0};
        size_t *of_pair = &last[q * b->along->count + p];
        segment *before = *of_pair == SIZE_MAX ? NULL : &list[*of_pair];
        next.length = length = oblu_least(run_of(a, k, k1), run_of(b, k, k1));
        if (before && before->a + before->length == next.a && before->b + before->length == next.b)
            before->length += length;
        else
            list[ *of_pair = count++] = next;
    }
    return count;
}

/* C = alpha A B + beta C of the processes' own parts, with what has come. */
typedef struct product {
    const oblu_kernels *k;
    const void *alpha, *beta; /* beta: NULL from the second one on */
    ob_view c;
} product;

static void add(product *x, const ob_view *a, size_t from_a, const ob_view *b, size_t from_b,
                size_t length)
{
    const size_t bytes = x->k->bytes;
    if (x->c.m == 0 || x->c.n == 0 || length == 0)
        return;
    x->k->product('N', 'N', x->c.m, x->c.n, length, x->alpha,
                  (char *)a->base + from_a * a->ld * bytes, a->ld, (char *)b->base + from_b * bytes,
                  b->ld, x->beta, x->c.base, x->c.ld);
    x->beta = NULL;
}

/* A's columns in the order of B's pieces, in which they lie together: one product for each. */
static void add_ordered(product *x, const operand *a, const operand *b, const segment *list,
                        size_t count, char *room)
{
    const size_t column = x->c.m * x->k->bytes;
    for (size_t p = 0; p < b->along->count; p++) {
        const ob_view ordered = bsp2d_ge(x->k->type, x->c.m, b->pieces[p].m, room, x->c.m);
        for (size_t i = 0; i < count; i++) {
            const ob_view *from = &a->pieces[list[i].q];
            if (list[i].p == p)
                oblu_copy(x->k->bytes, x->c.m, list[i].length,
                          (char *)from->base + list[i].a * from->ld * x->k->bytes, from->ld,
                          room + list[i].b * column, x->c.m);
        }
        add(x, &ordered, 0, &b->pieces[p], 0, b->pieces[p].m);
        room += b->pieces[p].m * column;
    }
}

void oblu_multiply(const oblu_kernels *k, ob_group *row, ob_group *column, const void *alpha,
                   const oblu_matrix *a, const oblu_matrix *b, const void *beta,
                   const oblu_matrix *c)
{
    product x = {k, alpha, beta, oblu_own(k, c, 0, c->m, 0, c->n)};
    const size_t m = x.c.m, n = x.c.n, q = a->columns.count, p = b->rows.count, inner = a->n;
    const size_t step = oblu_least(inner, INNER * (p > q ? p : q));
    segment *list = oblu_room(step, sizeof *list);
    size_t *last = oblu_room(p * q, sizeof *last);
    char *of_a, *of_b, *ordered;
    operand l, r;
    open_operand(&l, row, &a->columns, a->first_column);
    open_operand(&r, column, &b->rows, b->first_row);
    oblu_keep((oblu_piece[]){{&of_a, q > 1 ? m * step * k->bytes : 0},
                             {&of_b, p > 1 ? n * step * k->bytes : 0},
                             {&ordered, m * step * k->bytes}},
              3);
    for (size_t k0 = 0; k0 < inner; k0 += step) {
        size_t k1 = oblu_least(k0 + step, inner);
        collect(k, &l, a, true, m, k0, k1, of_a);
        collect(k, &r, b, false, n, k0, k1, of_b);
        size_t count = list_segments(&l, &r, k0, k1, list, last);
        if (count > p && k1 - k0 < LONG * count)
            add_ordered(&x, &l, &r, list, count, ordered);
        else
            for (size_t i = 0; i < count; i++)
                add(&x, &l.pieces[list[i].q], list[i].a, &r.pieces[list[i].p], list[i].b,
                    list[i].length);
    }
    oblu_kept_no_more();
    close_operand(&l);
    close_operand(&r);
    free(list);
    free(last);
}
