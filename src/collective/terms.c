/*
 * The reproducible sum and operations in the order of positions, between nodes. All terms of an
 * element meet in one place, so no partial results travel: a chunk of the vectors is cut into as
 * many slices as there are members, each gets everybody's values of its own slice, adds them up
 * exactly (kernel/exact.h) or combines them in order, and the results are collected. Vectors so
 * short that the start-ups decide are collected as they are.
 */
#include "collective/terms.h"

#include <stdlib.h>
#include <string.h>

#include "collective/data/piece.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "kernel/exact.h"
#include "message/message.h"

/* Members times bytes up to which every member gets all vectors. */
enum { WHOLE_BYTES = 16 << 10 };

typedef struct terms {
    ob_group *group;
    int root;
    const ob_operation *operation; /* NULL: the exact sum */
    ob_type type;                  /* of what is sent, `unit` such in an element */
    size_t unit, esize;
    size_t count;   /* elements of this chunk */
    char *values;   /* of this chunk, ours, then the results */
    char *gathered; /* everybody's values of our slice, or of the chunk */
    const void **source;
} terms;

static ob_view view_of(const terms *e, char *at, size_t elements)
{
    return ob_view_vector(at, elements * e->unit, e->type);
}

/* What comes of all sources, for n elements. */
static void join(const terms *e, size_t n, char *dst)
{
    const ob_operation *o = e->operation;
    if (o == NULL) {
        ob_exact_sum(e->type, (size_t)e->group->size, e->source, n, dst);
    } else if (n) {
        memcpy(dst, e->source[0], n * e->esize);
        for (int i = 1; i < e->group->size; i++)
            o->apply(n, dst, e->source[i], o->context);
    }
}

static size_t slice_start(const terms *e, int i)
{
    size_t p = (size_t)e->group->size, more = e->count % p, k = (size_t)i;
    return e->count / p * k + (k < more ? k : more);
}

static int join_whole(terms *e)
{
    ob_group *g = e->group;
    size_t bytes = e->count * e->esize;
    ob_pieces pieces = {.base = e->gathered, .type = e->type, .count = e->count * e->unit};
    ob_view mine = view_of(e, e->values, e->count);
    memcpy(e->gathered + (size_t)g->me * bytes, e->values, bytes);
    int status = e->root == OB_ANY ? ob_collect(g, &pieces, NULL)
                                   : ob_gather(g, e->root, &pieces, &mine, NULL);
    if (status != OB_OK || (e->root != OB_ANY && e->root != g->me))
        return status;
    for (int i = 0; i < g->size; i++)
        e->source[i] = e->gathered + (size_t)i * bytes;
    join(e, e->count, e->values);
    return OB_OK;
}

/* Where the values of a member's slice go: room for one element more is behind each. */
static char *gathered_at(const terms *e, int member, size_t n)
{
    return e->gathered + (size_t)member * (n + 1) * e->esize;
}

/* A slice travels with its type in a byte behind it. So no message of a member that collects whole
 * vectors (join_whole) is as long, and members that disagree about the length find out. */
static int send_slice(const terms *e, int to)
{
    size_t start = slice_start(e, to), bytes = (slice_start(e, to + 1) - start) * e->esize;
    char *at = e->values + start * e->esize, kept = at[bytes];
    ob_view v = ob_view_of_bytes(at, bytes + 1);
    at[bytes] = (char)e->type;
    int status = ob_message_send(e->group, to, OB_TAG_COLLECTIVE, &v);
    at[bytes] = kept;
    return status;
}

static int recv_slice(const terms *e, int from, size_t n)
{
    char *at = gathered_at(e, from, n);
    size_t bytes = n * e->esize;
    ob_view v = ob_view_of_bytes(at, bytes + 1), own = view_of(e, at, n);
    int status = ob_message_recv(e->group, from, OB_TAG_COLLECTIVE, &v, NULL);
    if (status == OB_OK && at[bytes] != (char)e->type)
        status = ob_fail_size(e->group->peer[from]->number, bytes,
                              (ob_type)(unsigned char)at[bytes], &own);
    return status;
}

/* Everybody's values of our slice, and ours of theirs to them: the next member first. */
static int exchange(terms *e)
{
    ob_group *g = e->group;
    size_t mine = slice_start(e, g->me + 1) - slice_start(e, g->me);
    int status = OB_OK;
    for (int k = 1; k < g->size && status == OB_OK; k++)
        status = send_slice(e, (g->me + k) % g->size);
    for (int k = 1; k < g->size && status == OB_OK; k++) {
        int from = (g->me + g->size - k) % g->size;
        status = recv_slice(e, from, mine);
        e->source[from] = gathered_at(e, from, mine);
    }
    if (status != OB_OK && g->nodes > 1)
        ob_message_fail_all(g);
    return status;
}

static int join_in_slices(terms *e)
{
    ob_group *g = e->group;
    size_t start = slice_start(e, g->me), n = slice_start(e, g->me + 1) - start;
    char *own = gathered_at(e, g->me, n);
    size_t *counts = malloc((size_t)g->size * sizeof *counts);
    if (counts == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for %d members", g->size);
    for (int i = 0; i < g->size; i++)
        counts[i] = (slice_start(e, i + 1) - slice_start(e, i)) * e->unit;
    int status = exchange(e);
    memcpy(own, e->values + start * e->esize, n * e->esize);
    e->source[g->me] = own;
    if (status == OB_OK)
        join(e, n, e->values + start * e->esize);
    ob_pieces pieces = {.base = e->values, .type = e->type, .counts = counts};
    ob_view mine = view_of(e, e->values + start * e->esize, n);
    if (status == OB_OK)
        status = e->root == OB_ANY
                     ? ob_collect(g, &pieces, NULL)
                     : ob_gather(g, e->root, &pieces, e->root == g->me ? NULL : &mine, NULL);
    free(counts);
    return status;
}

static int join_chunks(terms *e, const ob_view *matrix, size_t most)
{
    size_t left = ob_view_bytes(matrix) / e->esize, p = (size_t)e->group->size;
    ob_cursor in, out;
    int status = OB_OK;
    ob_cursor_open(&in, matrix);
    ob_cursor_open(&out, matrix);
    do {
        e->count = ob_piece_next(left, most);
        left -= e->count;
        size_t bytes = e->count * e->esize;
        if (bytes)
            ob_cursor_pack(&in, e->values, bytes);
        status = bytes * p <= WHOLE_BYTES ? join_whole(e) : join_in_slices(e);
        if (status == OB_OK && bytes && (e->root == OB_ANY || e->root == e->group->me))
            ob_cursor_unpack(&out, e->values, bytes);
    } while (status == OB_OK && ob_piece_followed(e->count, most));
    return status;
}

static int no_memory(const terms *e, size_t bytes)
{
    if (e->operation)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a combine in order of %zu bytes", bytes);
    return ob_fail(OB_ENOMEM,
                   "OB-4011 no memory for a reproducible sum of %zu "
                   "bytes; free memory or use the ordinary one",
                   bytes);
}

int ob_combine_terms(ob_group *group, int root, const ob_operation *operation,
                     const ob_view *matrix)
{
    terms e = {.group = group,
               .root = root,
               .operation = operation,
               .type = operation ? OB_BYTE : matrix->type,
               .unit = operation ? operation->element_bytes : 1,
               .esize = operation ? operation->element_bytes : ob_type_bytes(matrix->type)};
    size_t p = (size_t)group->size, n = ob_view_bytes(matrix) / e.esize;
    size_t most = ob_piece_most(OB_STAGING_BYTES / e.esize), chunk = n < most ? n : most;
    size_t gathered = chunk * e.esize * p <= WHOLE_BYTES ? chunk * p : chunk + 2 * p;
    if (gathered * e.esize < WHOLE_BYTES)
        gathered = WHOLE_BYTES / e.esize; /* the last chunk may be a short one */
    e.values = malloc(chunk * e.esize + 1);
    e.gathered = malloc(gathered * e.esize);
    e.source = malloc(p * sizeof *e.source);
    int status = e.values && e.gathered && e.source ? join_chunks(&e, matrix, most)
                                                    : no_memory(&e, n * e.esize);
    free(e.values);
    free(e.gathered);
    free(e.source);
    return status;
}
