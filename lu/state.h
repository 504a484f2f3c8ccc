/*
 * The state of one factorisation, shared by factor.c (the steps), superstep.c (its calls of BSP2D),
 * panel.c (a block of columns at its owner, and on its way to all), column.c and tournament.c (one
 * factored by a process column), rows.c (row swaps and the rows of U) and left.c (row swaps of
 * finished columns).
 *
 * Positions count rows from the first row of the current block: position 0 is where its
 * first pivot goes.
 */
#ifndef OPENBLACS_LU_STATE_H
#define OPENBLACS_LU_STATE_H

#include "lu.h"

/* One block of columns. */
typedef struct step {
    size_t j, width;   /* columns j .. j + width - 1 of the submatrix */
    size_t prow, pcol; /* its owner, who factors it alone or with its process column */
} step;

/* Row at position `from` goes to position `to`. */
typedef struct move {
    size_t from, to;
} move;

/* Rows that one process of a process column sends another, by purpose. */
typedef enum rows_kind { ROWS_OF_U, ROWS_BELOW, ROWS_KINDS } rows_kind;

typedef struct lu_state {
    const oblu_kernels *k;
    bsp2d_grid *g;
    oblu_matrix a;
    size_t block, least; /* least: min(m, n) */
    bsp2d_grid *column;  /* the own process column, where it factors blocks together; or NULL */
    bool tournament;     /* in a tournament */
    ob_group *row;       /* the own process row, for a lookahead; or NULL */
    /* Else the same grid once more: what has come on g, L with it, stays when its supersteps end.
     */
    bsp2d_grid *offers;
    oblu_pivots ipiv;
    int64_t info;
    oblu_watch watch;
    double *work, waiting_since; /* seconds between syncs, by superstep; the end of the last sync */
    size_t supersteps;
    size_t *swapped; /* by all blocks up to now: row i of the submatrix with row swapped[i] */
    /* at the owner of a block */
    char *candidate; /* for the next pivot, of a process column; or of a tournament */
    char *square;    /* a tournament's result, 2 width x width */
    size_t *order;   /* its rows, in the order of their pivots */
    int *positions;  /* of the own candidates */
    char *panel;     /* (m - j) x width */
    char *share;     /* what each process row needs of it, packed */
    int *lapack_pivots;
    /* Registered buffers, one in use by the current block and one for the block after: while some
     * still compute with the first, others already put into the second (Horvitz and
     * Bisseling, 2.4). */
    char *incoming, *incoming_after;
    /* With a lookahead, in their place: news and share of a block, and of the next one; their
     * broadcasts, and the bytes of these. */
    char *parcel[2];
    ob_request *under_way[2];
    size_t sent, received, reductions; /* also of reductions beside BSP2D, in supersteps */
    bool own_rows_alone; /* each process row's share is its own rows, without the block's square */
    /* of the current block, everywhere */
    int *news;             /* in the buffer: its pivots' positions, then LAPACK's info */
    int *made;             /* the same of the block that this process has factored last */
    size_t news_size;      /* bytes; QR has other news, qr.c */
    size_t news_elsewhere; /* of them, for processes that have none of the block's columns */
    size_t *pivots, *source;
    move *moves;
    size_t count;  /* of moves */
    char *lower;   /* in the buffer, behind the news: for the next, where it comes in pieces */
    const char *l; /* L11 and U11 (width x width) above the own rows of L21 */
    size_t ldl;
    char *scratch, *u; /* rows on their way; the block's rows of U, width x right */
    size_t *from, *to; /* rows of one message */
    char **packed;     /* [ROWS_KINDS * P]: where rows for each process row were packed */
    /* what has come */
    ob_view *pieces, *rows;
} lu_state;

/* -------------------------------------------------------------- messages */

static inline bool lu_me(const lu_state *s, size_t r, size_t c)
{
    return r == s->a.rows.me && c == s->a.columns.me;
}

static inline ob_view lu_view(const lu_state *s, size_t m, size_t n, const void *base, size_t ld)
{
    return bsp2d_ge(s->k->type, m, n, base, ld);
}

/* ---------------------------------------------------------- superstep.c */

/* Of the news at the front of a buffer; what follows is as aligned as the buffer. */
size_t lu_news_bytes(const lu_state *s);

/* Of process (r, c) of the matrix in g. */
int lu_pid(const lu_state *s, size_t r, size_t c);
/* Sends on g from where it lies; nothing to oneself, and nothing empty. */
void lu_send(const lu_state *s, bsp2d_grid *g, size_t r, size_t c, ob_view v);
/* Puts into the current block's buffer of process (r, c), `offset` elements behind the news. */
void lu_put(lu_state *s, size_t r, size_t c, ob_view v, size_t offset, size_t ld);
/* The block of columns that begins at column j. */
step lu_step_of(const lu_state *s, size_t j);
/* Ends a superstep of g, and what came before it counts for `part`, with a name (oblu_lap). */
void lu_end_superstep(lu_state *s, bsp2d_grid *g, oblu_part part, const char *name);
/* The m x n matrix that process (r, c) has sent on g, where it lies; of oneself it is `own`. */
ob_view lu_take(const lu_state *s, bsp2d_grid *g, size_t r, size_t c, size_t m, size_t n,
                ob_view own);
/* Asks for the buffer of the block after; it can be put to after the next sync. */
void lu_ask_for_buffer(lu_state *s);
/* From here on that one is the current block's. */
void lu_use_buffer(lu_state *s);

/* Seconds that the others worked longer than the caller before the syncs, all together; all call.
 */
double lu_idle_seconds(lu_state *s);
/* Where the time since `start` went. */
void lu_report(const lu_state *s, double start, bsp_lu_parts *parts);

/* ------------------------------------------------------------------ ranges */

/* Local indices first .. end-1. */
typedef struct range {
    size_t first, end;
} range;

static inline size_t range_length(range x)
{
    return x.end - x.first;
}

/* Those of process row r for rows i .. end-1 of the submatrix, and the same of columns. */
static inline range lu_rows(const lu_state *s, size_t r, size_t i, size_t end)
{
    size_t first = s->a.first_row;
    return (range){oblu_below(&s->a.rows, r, first + i), oblu_below(&s->a.rows, r, first + end)};
}

static inline range lu_columns(const lu_state *s, size_t c, size_t j, size_t end)
{
    size_t first = s->a.first_column;
    return (range){oblu_below(&s->a.columns, c, first + j),
                   oblu_below(&s->a.columns, c, first + end)};
}

static inline char *lu_at(const lu_state *s, size_t i, size_t j)
{
    return s->a.local + (i + j * s->a.ld) * s->k->bytes;
}

/* Whether process (r, c) is who spreads the part of the block that process row r needs. */
static inline bool lu_spreads(const lu_state *s, const step *x, size_t r, size_t c)
{
    return c == x->pcol && (s->column || r == x->prow);
}

/* -------------------------------------------------------------- ahead.c */

void lu_open_ahead(lu_state *s);
void lu_close_ahead(lu_state *s);
/* The share is to be made in the block's parcel, at the process column that factors it. */
void lu_address_block(lu_state *s, const step *x);
/* All begin it, in the same order; who factors the block has done so. */
void lu_begin_broadcast(lu_state *s, const step *x);
/* Afterwards news and l are the block's. */
void lu_await_block(lu_state *s, const step *x);

/* ------------------------------------------------------------- column.c */

/* Factors a block of columns where it lies; its process column calls. What the own row needs of
 * it is in `share` afterwards, as lu_announce has it. */
void lu_factor_column(lu_state *s, const step *x);

/* --------------------------------------------------------- tournament.c */

/* The same with other pivots. */
void lu_hold_tournament(lu_state *s, const step *x);
/* Memory for it. */
void lu_open_tournament(lu_state *s);

/* --------------------------------------------------- reflect_column.c */

/* Memory for it, in elements but for the first two. */
typedef struct lu_reflections {
    char *sizes, *powers; /* by column: the largest element, and the power of 2 it is times */
    char *sums;           /* of a column with all, and row j; together: 2 width */
    char *eliminator, *tau;
    char *products, *times; /* V^H V, width x width; width x OBLU_NARROW */
} lu_reflections;

/* QR of a block of columns by the process column that has it, which calls: V, in full, is in
 * `share` afterwards (own rows), T and behind it R in `made`. */
void lu_reflect_column(lu_state *s, const step *x, const lu_reflections *f);

/* -------------------------------------------------------------- panel.c */

/* Sends the own part of a block's columns to its owner, as they are. */
void lu_offer_panel(lu_state *s, const step *x);
/* Looks for those parts, at the owner. */
void lu_take_panel(lu_state *s, const step *x);
/* Puts them together, with as many rows as the matrix has from row j on; at the owner. */
void lu_assemble_panel(lu_state *s, const step *x);
/* The same, and factors them. */
void lu_make_panel(lu_state *s, const step *x);
/* Rows that process row r gets of it. */
size_t lu_part_rows(const lu_state *s, const step *x, size_t r);
/* Has a row of processes more than two, so that its broadcasts go in two phases? */
bool lu_two_phases(const lu_state *s);
/* The first superstep: news to everybody, and pieces of L where a row has more than two
 * processes, so that the second phase of the broadcast spreads them. */
void lu_announce(lu_state *s, const step *x);
/* The second superstep: L to everybody. */
void lu_spread_panel(lu_state *s, const step *x);
void lu_take_spread(lu_state *s, const step *x);
/* Writes the own part of the finished columns into the matrix. */
void lu_keep_panel(lu_state *s, const step *x);

/* --------------------------------------------------------------- rows.c */

/* All moves of rows that the swaps of a block come to. */
void lu_find_moves(lu_state *s, const step *x);
/* columns: own ones that take part. */
void lu_send_rows(lu_state *s, const step *x, range columns);
void lu_take_rows(lu_state *s, const step *x, range columns);
/* Writes what came into the matrix; afterwards u holds the rows of U before they are solved for. */
void lu_keep_rows(lu_state *s, const step *x, range columns);

/* --------------------------------------------------------------- left.c */

/* When all blocks are factored: in each block's columns, the swaps of those on its right. */
void lu_swap_left(lu_state *s);

#endif
