/*
 * Combines straight from each member to each: everybody gets the values of all for a slice of the
 * vector, folds them in the order of positions from the root on (as a board does), and sends what
 * comes of it to those who want it. Of short vectors the slice is all of it.
 */
#include "collective/data/staging.h"
#include "collective/overlap/folding.h"
#include "core/error.h"
#include "kernel/exact.h"

#include <stdint.h>
#include <string.h>

/* Bytes of all members up to which whoever wants the result gets all vectors; bytes of a slice
 * that are folded at a time, so that the result stays in the cache. */
enum { WHOLE_BYTES = 16 << 10, STRIP_BYTES = 32 << 10 };

/* Behind the values of a whole vector: what members must agree on. Slices of vectors of two lengths
 * differ in length at one member at least. */
typedef struct tail {
    uint64_t bytes, kind;
} tail;

typedef struct combine {
    ob_prepared *p;
    ob_combining what;
    ob_folding fold;
    ob_view matrix;
    size_t esize, n;
    size_t start, slice; /* ours: elements */
    bool wanted, staged, whole;
    char *values;   /* the vector, or our values with a tail */
    char *gathered; /* those of our slice, of all members by distance */
    size_t stride;
    const void **source, **shifted;
    int32_t *owner; /* distances of all elements; NULL: not wanted */
    tail tail;
} combine;

/* ------------------------------------------------------------------- folding */

static uint64_t kind_of(const ob_combining *w, const ob_folding *f)
{
    uint64_t op = w->operation ? 1u << 16 | (uint64_t)f->esize << 20 : (uint64_t)w->op;
    return op | (uint64_t)f->type << 8 | (uint64_t)w->exact << 17 |
           (uint64_t)(w->owner != NULL) << 18 | (uint64_t)(w->root + 1) << 36;
}

ob_folding ob_folding_of(const ob_group *g, const ob_combining *what)
{
    ob_folding f = {.type = what->matrix.type,
                    .exact = what->exact,
                    .called = what->operation != NULL,
                    .size = g->size,
                    .base = ob_combine_base(what->operation ? OB_SUM : what->op, what->root)};
    if (f.called)
        f.operation = *what->operation;
    else
        f.fold = ob_folds_find(what->op, what->matrix.type);
    f.esize = f.called ? f.operation.element_bytes : ob_type_bytes(f.type);
    f.n = ob_view_bytes(&what->matrix) / f.esize;
    f.kind = kind_of(what, &f);
    return f;
}

void ob_folding_strip(const ob_folding *f, const void **source, size_t n, void *dst, int32_t *owner)
{
    int size = f->size;
    if (f->exact) {
        ob_exact_sum(f->type, (size_t)size, source, n, dst);
    } else if (f->called) {
        memmove(dst, source[0], n * f->esize);
        for (int d = 1; d < size; d++)
            f->operation.apply(n, dst, source[d], f->operation.context);
    } else if (owner) {
        f->fold.two(n, dst, owner, NULL, source[0], source[1], (ob_two){0, 0}, (ob_two){1, 0});
        for (int d = 2; d < size; d++)
            f->fold.more(n, dst, owner, source[d], d);
    } else {
        f->fold.plain(n, dst, source[0], source[1]);
        for (int d = 2; d < size; d++)
            f->fold.plain(n, dst, dst, source[d]);
    }
}

int ob_folding_check(const ob_folding *f, const ob_group *g, int member, uint64_t bytes,
                     uint64_t kind)
{
    if (bytes == f->n * f->esize && kind == f->kind)
        return OB_OK;
    if (bytes == f->n * f->esize)
        return ob_fail(OB_ESIZE,
                       "OB-5004 processes %d and %d combine with different operations or settings; "
                       "all members must use the same",
                       g->peer[member]->number, g->job->number);
    return ob_fail(OB_ESIZE,
                   "OB-5002 process %d combines other sizes than process %d, which combines "
                   "%zu bytes; all members must have the same",
                   g->peer[member]->number, g->job->number, f->n * f->esize);
}

static int member_at(const combine *c, int distance)
{
    return ob_folding_member(&c->fold, distance);
}

/* ------------------------------------------------------------------- the work */

static int pack(const ob_step *step)
{
    combine *c = step->with;
    ob_cursor in;
    ob_cursor_open(&in, &c->matrix);
    if (in.left)
        ob_cursor_pack(&in, c->values, in.left);
    if (c->whole)
        memcpy(c->values + c->n * c->esize, &c->tail, sizeof c->tail);
    return OB_OK;
}

static void fold_strip(const combine *c, size_t from, size_t n, char *dst, int32_t *owner)
{
    for (int d = 0; d < c->fold.size; d++)
        c->shifted[d] = (const char *)c->source[d] + from * c->esize;
    ob_folding_strip(&c->fold, c->shifted, n, dst, owner);
}

static int check_tails(const combine *c)
{
    const ob_group *g = c->p->group;
    int status = OB_OK;
    for (int d = 0; d < g->size && status == OB_OK; d++) {
        tail theirs;
        memcpy(&theirs, (const char *)c->source[d] + c->n * c->esize, sizeof theirs);
        status = ob_folding_check(&c->fold, g, member_at(c, d), theirs.bytes, theirs.kind);
    }
    return status;
}

/* All values of our slice are here; ours are copied, since the result goes there. */
static int fold(const ob_step *step)
{
    combine *c = step->with;
    const ob_group *g = c->p->group;
    char *to = c->values + c->start * c->esize;
    size_t strip = STRIP_BYTES / c->esize;
    int own = (g->me - c->fold.base + g->size) % g->size;
    memcpy(c->gathered + (size_t)own * c->stride, to,
           c->slice * c->esize + (c->whole ? sizeof(tail) : 0));
    int status = c->whole ? check_tails(c) : OB_OK;
    strip = strip ? strip : 1;
    for (size_t at = 0; at < c->slice && status == OB_OK; at += strip) {
        size_t n = c->slice - at < strip ? c->slice - at : strip;
        fold_strip(c, at, n, to + at * c->esize, c->owner ? c->owner + c->start + at : NULL);
    }
    return status;
}

/* The vector, and distances as positions, to where the caller wants them. */
static int unpack(const ob_step *step)
{
    combine *c = step->with;
    ob_cursor out;
    if (c->staged) {
        ob_cursor_open(&out, &c->matrix);
        if (out.left)
            ob_cursor_unpack(&out, c->values, out.left);
    }
    if (c->owner == NULL)
        return OB_OK;
    ob_view owners = c->matrix;
    owners.base = c->what.owner;
    owners.ld = c->what.ld_owner;
    owners.type = OB_INT;
    for (size_t i = 0; i < c->n && c->fold.base; i++)
        c->owner[i] = member_at(c, c->owner[i]);
    ob_cursor_open(&out, &owners);
    if (out.left)
        ob_cursor_unpack(&out, c->owner, out.left);
    return OB_OK;
}

/* ------------------------------------------------------------------- the steps */

static ob_view values_of(const combine *c, size_t start, size_t n)
{
    if (ob_type_bytes(c->matrix.type) == c->esize)
        return ob_view_vector(c->values + start * c->esize, n, c->matrix.type);
    return ob_view_of_bytes(c->values + start * c->esize, n * c->esize);
}

static ob_view owners_of(const combine *c, size_t start, size_t n)
{
    return ob_view_vector(c->owner ? c->owner + start : NULL, n, OB_INT);
}

static size_t slice_start(const combine *c, int member)
{
    return ob_part_start(c->n, (size_t)c->p->group->size, (size_t)member);
}

static size_t slice_of(const combine *c, int member)
{
    return slice_start(c, member + 1) - slice_start(c, member);
}

/* The others' values of our slice. */
static void receive_values(combine *c)
{
    const ob_group *g = c->p->group;
    for (int k = 1; k < g->size; k++) {
        int from = (g->me + g->size - k) % g->size;
        int distance = (from - c->fold.base + g->size) % g->size;
        ob_view v = values_of(c, 0, c->slice);
        if (c->whole)
            v = ob_view_of_bytes(NULL, c->n * c->esize + sizeof(tail));
        v.base = c->gathered + (size_t)distance * c->stride;
        ob_add_recv(c->p, false, from, &v);
    }
}

static void add_whole(combine *c)
{
    ob_prepared *p = c->p;
    ob_view mine = ob_view_of_bytes(c->values, c->n * c->esize + sizeof(tail));
    if (c->wanted)
        receive_values(c);
    ob_add_work(p, false, pack, c, 0, 0);
    if (c->what.root == OB_ANY)
        ob_add_send_all(p, false, &mine);
    else if (!c->wanted)
        ob_add_send(p, false, c->what.root, &mine);
    if (!c->wanted)
        return;
    ob_add_work(p, true, fold, c, 0, 0);
    ob_add_work(p, false, unpack, c, 0, 0);
}

/* Our slice of the result to member `to` (OB_ANY: all). */
static void send_result(combine *c, int to)
{
    ob_view mine = values_of(c, c->start, c->slice), owners = owners_of(c, c->start, c->slice);
    for (int k = 0; k < (c->owner ? 2 : 1); k++) {
        if (to == OB_ANY)
            ob_add_send_all(c->p, false, k ? &owners : &mine);
        else
            ob_add_send(c->p, false, to, k ? &owners : &mine);
    }
}

static void receive_results(combine *c)
{
    const ob_group *g = c->p->group;
    for (int k = 1; k < g->size; k++) {
        int from = (g->me + g->size - k) % g->size;
        size_t start = slice_start(c, from), n = slice_of(c, from);
        ob_view v = values_of(c, start, n);
        ob_add_recv(c->p, false, from, &v);
        if (c->owner) {
            v = owners_of(c, start, n);
            ob_add_recv(c->p, false, from, &v);
        }
    }
}

static void add_slices(combine *c)
{
    ob_prepared *p = c->p;
    const ob_group *g = p->group;
    receive_values(c);
    if (c->staged)
        ob_add_work(p, false, pack, c, 0, 0);
    for (int k = 1; k < g->size; k++) {
        int to = (g->me + k) % g->size;
        ob_view v = values_of(c, slice_start(c, to), slice_of(c, to));
        ob_add_send(p, false, to, &v);
    }
    ob_add_work(p, true, fold, c, 0, 0);
    if (c->wanted)
        receive_results(c);
    if (c->what.root == OB_ANY || !c->wanted)
        send_result(c, c->what.root);
    if (c->wanted && (c->staged || c->owner))
        ob_add_work(p, true, unpack, c, 0, 0);
}

/* ------------------------------------------------------------------- its memory */

static void get_memory(combine *c)
{
    ob_prepared *p = c->p;
    size_t size = (size_t)p->group->size, all = c->n * c->esize + sizeof(tail);
    c->values = c->staged ? ob_prepared_memory(p, all) : c->matrix.base;
    c->stride = (c->slice * c->esize + sizeof(tail) + 63) / 64 * 64;
    if (!c->whole || c->wanted)
        c->gathered = ob_prepared_memory(p, size * c->stride);
    c->source = ob_prepared_memory(p, 2 * size * sizeof *c->source);
    c->shifted = c->source ? c->source + size : NULL;
    for (size_t d = 0; d < size && c->source && c->gathered; d++)
        c->source[d] = c->gathered + d * c->stride;
    if (c->what.owner)
        c->owner = ob_prepared_memory(p, c->n * sizeof *c->owner);
}

/* One member: its matrix is the result, and the elements are its own. */
static int own_alone(const ob_step *step)
{
    combine *c = step->with;
    memset(c->owner, 0, c->n * sizeof *c->owner);
    return unpack(step);
}

void ob_straight_combine(ob_prepared *p, const ob_combining *what)
{
    const ob_group *g = p->group;
    combine *c = ob_prepared_memory(p, sizeof *c);
    if (c == NULL)
        return;
    *c = (combine){.p = p, .what = *what, .matrix = what->matrix};
    c->fold = ob_folding_of(g, what);
    c->esize = c->fold.esize;
    c->n = c->fold.n;
    c->tail = (tail){.bytes = c->n * c->esize, .kind = c->fold.kind};
    c->wanted = what->root == OB_ANY || what->root == g->me;
    c->whole = g->size > 1 && (size_t)g->size * c->n * c->esize <= WHOLE_BYTES;
    c->staged = c->whole ||
                (g->size > 1 && (!ob_view_contiguous(&c->matrix) || (what->keep && !c->wanted)));
    c->start = c->whole ? 0 : slice_start(c, g->me);
    c->slice = c->whole ? c->n : slice_of(c, g->me);
    get_memory(c);
    if (p->failed)
        return;
    if (g->size == 1 && c->owner)
        ob_add_work(p, false, own_alone, c, 0, 0);
    else if (g->size > 1 && c->whole)
        add_whole(c);
    else if (g->size > 1)
        add_slices(c);
}
