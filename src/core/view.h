/*
 * Matrix views and cursors. A cursor walks the bytes of a view in column
 * order and moves any number of them at a time, so that a matrix is packed
 * straight into the memory the receiver reads and unpacked straight into its
 * place, in steps of whatever size the transport has room for.
 */
#ifndef OB_CORE_VIEW_H
#define OB_CORE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "openblacs/core.h"

typedef struct ob_cursor {
    const ob_view *view;
    size_t esize;  /* bytes of an element; these two unless the view is one run of memory: */
    size_t column; /* the column of `at` */
    char *at;      /* next byte to move; never at the end of a column but in the last */
    size_t run;    /* bytes left in this column */
    size_t left;   /* bytes left in all */
} ob_cursor;

/* The rows [*lo, *lo + *count) of column j that belong to the view. */
void ob_view_column(const ob_view *view, size_t j, size_t *lo, size_t *count);
/* Bytes a view communicates. */
size_t ob_view_bytes(const ob_view *view);
/* Does the matrix, gaps between its columns included, have fewer than 2^63 bytes? */
static inline bool ob_view_fits(const ob_view *v)
{
    size_t most = PTRDIFF_MAX / ob_type_bytes(v->type);
    return v->n <= 1 ? v->m <= most : v->ld <= most / v->n;
}
/* Are the view's bytes one run of memory? */
bool ob_view_contiguous(const ob_view *view);
/* Copies a matrix to another one of the same bytes, which does not overlap it or is the same. */
void ob_view_copy(const ob_view *to, const ob_view *from);
/* A view of plain bytes. */
static inline ob_view ob_view_of_bytes(void *base, size_t bytes)
{
    return (ob_view){.base = base, .m = bytes, .n = 1, .ld = bytes ? bytes : 1, .type = OB_BYTE};
}

/* What ob_cursor_open does for a view that is not one run of memory. */
void ob_cursor_open_slow(ob_cursor *c);

/* Log2 of an element's bytes, by ob_type. */
static const unsigned char ob_type_shift[OB_TYPES] = {2, 2, 3, 3, 4, 0, 3};

static inline void ob_cursor_open(ob_cursor *c, const ob_view *v)
{
    c->view = v;
    if (__builtin_expect(v->shape == OB_GENERAL && (v->ld == v->m || v->n <= 1), 1)) {
        c->at = v->base;
        c->run = c->left = (v->m * v->n) << ob_type_shift[v->type];
    } else {
        ob_cursor_open_slow(c);
    }
}

/* memcpy for the few bytes of a short message: no call. */
static inline void ob_copy_short(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes) /* the address of no bytes may be NULL */
        memcpy(to, from, bytes);
}

/* Moves the next `bytes` (at most c->left) out of, or into, the matrix. */
void ob_cursor_pack_slow(ob_cursor *c, void *to, size_t bytes);
void ob_cursor_unpack_slow(ob_cursor *c, const void *from, size_t bytes);

/* For more bytes than the caches hold: what is written does not drive out what is read. */
void ob_cursor_unpack_past(ob_cursor *c, const void *from, size_t bytes);

/* The next run of memory, of at most `most` bytes (not 0, and something is left), which counts as
 * moved: where it is, and its bytes. */
char *ob_cursor_take(ob_cursor *c, size_t most, size_t *bytes);
/* Opens the cursor on `bytes` of the view's bytes, `from` bytes behind the first; from + bytes is
 * at most ob_view_bytes. The elements are not touched: the view may be another process's. */
void ob_cursor_part(ob_cursor *c, const ob_view *v, size_t from, size_t bytes);

static inline void ob_cursor_pack(ob_cursor *c, void *to, size_t bytes)
{
    if (bytes < c->run || bytes == c->left) {
        if (bytes <= c->run) {
            memcpy(to, c->at, bytes);
            c->at += bytes;
            c->run -= bytes;
            c->left -= bytes;
            return;
        }
    }
    ob_cursor_pack_slow(c, to, bytes);
}

static inline void ob_cursor_unpack(ob_cursor *c, const void *from, size_t bytes)
{
    if (bytes < c->run || bytes == c->left) {
        if (bytes <= c->run) {
            memcpy(c->at, from, bytes);
            c->at += bytes;
            c->run -= bytes;
            c->left -= bytes;
            return;
        }
    }
    ob_cursor_unpack_slow(c, from, bytes);
}

#endif
