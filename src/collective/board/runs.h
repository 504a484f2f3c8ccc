/*
 * A walk over the elements of a matrix in the order of the wire, in runs that
 * are contiguous both in the matrix and in arrays of owners that lie beside it.
 */
#ifndef OB_COLLECTIVE_BOARD_RUNS_H
#define OB_COLLECTIVE_BOARD_RUNS_H

#include "core/view.h"

typedef struct ob_runs {
    ob_view view;
    size_t ld_owner;
    size_t esize;
    size_t row, column; /* of the next element */
    size_t run;         /* elements left in this column */
    size_t left;        /* in all */
} ob_runs;

/* Where a run begins: its first element, and its place in an array of owners. */
typedef struct ob_spot {
    char *at;
    size_t owner;
} ob_spot;

static inline void ob_runs_enter(ob_runs *r)
{
    size_t lo;
    for (;; r->column++) {
        ob_view_column(&r->view, r->column, &lo, &r->run);
        if (r->run)
            break;
    }
    r->row = lo;
}

/* esize: of what view->m and view->ld count. ld_owner is not looked at where there are no owners:
 * pass view->m. */
static inline void ob_runs_open(ob_runs *r, const ob_view *view, size_t esize, size_t ld_owner)
{
    *r =
        (ob_runs){.view = *view, .ld_owner = ld_owner, .esize = esize, .left = ob_view_count(view)};
    if (ob_view_contiguous(view) && (ld_owner == view->m || view->n <= 1)) {
        r->view.m = r->run = r->left;
        r->view.n = 1;
    } else if (r->left) {
        ob_runs_enter(r);
    }
}

/* The spot of the next element; r->run elements follow it without a gap. */
static inline ob_spot ob_runs_at(const ob_runs *r)
{
    return (ob_spot){(char *)r->view.base + (r->row + r->column * r->view.ld) * r->esize,
                     r->row + r->column * r->ld_owner};
}

/* Passes n elements, at most r->run. */
static inline void ob_runs_pass(ob_runs *r, size_t n)
{
    r->row += n;
    r->run -= n;
    r->left -= n;
    if (r->run == 0 && r->left) {
        r->column++;
        ob_runs_enter(r);
    }
}

#endif
