/*
 * From an ob_pieces to a view for each piece.
 */
#include "collective/data/parts.h"

#include <stdlib.h>

#include "core/error.h"
#include "hooks/hash.h"

/* Of an element of pieces that are no views; 0: they are, or have no type. */
static size_t bytes_each(const ob_pieces *p)
{
    return p->views ? 0 : ob_type_bytes(p->type);
}

/* Field by field: a view that is copied right after it was made waits for the stores to it. */
static inline void set_piece(ob_view *v, const ob_pieces *p, size_t each, int i, size_t at,
                             bool here)
{
    if (p->views) {
        *v = p->views[i];
        return;
    }
    size_t count = p->counts ? p->counts[i] : p->count;
    size_t offset = p->offsets ? p->offsets[i] : at;
    v->base = here && p->base ? (char *)p->base + offset * each : NULL;
    v->m = count;
    v->n = 1;
    v->ld = count ? count : 1;
    v->type = p->type;
    v->shape = OB_GENERAL;
    v->unit_diagonal = 0;
}

/* Where the pieces are one run of memory, it begins at the first. */
static char *flat_of(const ob_parts *p)
{
    char *next = NULL, *first = NULL;
    for (int i = 0; i < p->size; i++) {
        size_t bytes = ob_part_bytes(p, i);
        if (bytes == 0)
            continue;
        char *at = p->view[i].base;
        if (at == NULL || !ob_view_contiguous(&p->view[i]) || (next && at != next))
            return NULL;
        first = first ? first : at;
        next = at + bytes;
    }
    return first;
}

static int check_piece(const char *routine, int i, const ob_view *v, size_t esize, bool here)
{
    if (ob_type_bytes(v->type) == 0 || (unsigned)v->shape > OB_LOWER)
        return ob_fail(
            OB_EARG,
            "OB-1018 %s: piece %d has type %d and shape %d; use an ob_type and an ob_shape",
            routine, i, (int)v->type, (int)v->shape);
    if (v->ld < v->m && v->n > 1)
        return ob_fail(OB_EARG, "OB-1004 %s: piece %d has %zu rows but a leading dimension of %zu",
                       routine, i, v->m, v->ld);
    if (here && v->base == NULL && ob_view_count(v))
        return ob_fail(OB_EARG, "OB-1002 %s: piece %d has %zu elements but no address", routine, i,
                       ob_view_count(v));
    if (ob_view_bytes(v) % esize)
        return ob_fail(OB_EARG, "OB-1024 %s: piece %d has %zu bytes, which is no multiple of %zu",
                       routine, i, ob_view_bytes(v), esize);
    return OB_OK;
}

/* Can nothing be wrong with a piece of n elements of `each` bytes but its address? Then it needs no
 * look, and no division, which takes longer than all the rest. */
static inline bool is_plain(size_t each, size_t esize)
{
    return each && (esize == 1 || each == esize);
}

int ob_parts_make(const char *routine, const ob_group *g, const ob_pieces *pieces, bool here,
                  const ob_view *mine, size_t esize, ob_parts *parts)
{
    size_t n = (size_t)g->size;
    char *memory = malloc(n * sizeof(ob_view) + (n + 1) * sizeof(size_t));
    if (memory == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %d pieces", routine, g->size);
    *parts = (ob_parts){.size = g->size,
                        .esize = esize,
                        .view = (ob_view *)(void *)memory,
                        .cut = (size_t *)(void *)(memory + n * sizeof(ob_view))};
    parts->cut[0] = 0;
    int status = OB_OK;
    size_t at = 0, each = bytes_each(pieces), units = esize == 1 ? each : 1;
    bool plain = is_plain(each, esize);
    for (int i = 0; i < g->size && status == OB_OK; i++) {
        bool own = mine && i == g->me;
        ob_view *v = &parts->view[i];
        if (own)
            *v = *mine;
        else
            set_piece(v, pieces, each, i, at, here);
        at += pieces->counts ? pieces->counts[i] : pieces->count;
        if (plain && !own && (!here || v->base)) {
            parts->cut[i + 1] = parts->cut[i] + v->m * units;
            continue;
        }
        status = check_piece(routine, i, v, esize, here || own);
        if (status == OB_OK)
            parts->cut[i + 1] = parts->cut[i] + ob_view_bytes(v) / esize;
    }
    if (status != OB_OK)
        ob_parts_free(parts);
    else if (here)
        parts->flat = flat_of(parts);
    return status;
}

int ob_parts_piece(const char *routine, const ob_pieces *pieces, int i, ob_view *piece)
{
    size_t at = pieces->counts ? 0 : pieces->count * (size_t)i;
    for (int k = 0; pieces->counts && k < i; k++)
        at += pieces->counts[k];
    set_piece(piece, pieces, bytes_each(pieces), i, at, true);
    return check_piece(routine, i, piece, 1, true);
}

void ob_parts_free(ob_parts *parts)
{
    free(parts->view);
    parts->view = NULL;
}

size_t ob_pieces_bytes(const ob_pieces *p, int size)
{
    size_t bytes = 0;
    for (int i = 0; i < size; i++)
        bytes += p->views ? ob_view_bytes(&p->views[i])
                          : (p->counts ? p->counts[i] : p->count) * ob_type_bytes(p->type);
    return bytes;
}

uint64_t ob_parts_shape(const ob_parts *p)
{
    uint64_t shape = 0;
    for (int i = 0; i < p->size; i++)
        shape = ob_mix(shape ^ ob_part_bytes(p, i));
    return shape;
}

int ob_parts_unlike(const ob_group *g, int member)
{
    return ob_fail(OB_ESIZE,
                   "OB-5002 processes %d and %d name different sizes of the members' pieces; all "
                   "members must name the same",
                   g->peer[member]->number, g->job->number);
}
