/*
 * Collective calls of a transport's own.
 *
 * In such a call a process moves nothing else: it takes in no message for a posted receive, answers
 * no synchronous send, and does not see that another one has failed. So first all members meet, by
 * messages, with all that a wait of ours does; then each is known to be in the call, and it waits
 * for nobody who waits for something else. In the meeting they compare what they call and how many
 * bytes they name, since the MPI library would hang or end the program where these differ.
 */
#include "collective/scheme/native.h"

#include <stdlib.h>
#include <string.h>

#include "collective/data/staging.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "core/scratch.h"
#include "hooks/collective.h"
#include "hooks/hash.h"
#include "hooks/partners.h"
#include "kernel/kernel.h"
#include "message/message.h"

/* What all members have alike, the least and the greatest. */
typedef struct range {
    uint64_t least, most;
} range;

typedef struct notes {
    range bytes, call;
    range number;  /* of a circle that exists; 0: none */
    range allowed; /* such calls */
    range crowded; /* more processes on the node than processors */
} notes;

static range only(uint64_t value)
{
    return (range){value, value};
}

static void widen(range *r, range more)
{
    r->least = more.least < r->least ? more.least : r->least;
    r->most = more.most > r->most ? more.most : r->most;
}

/* Dissemination: in the end all members have heard of all. */
static int meet(ob_group *g, notes *n)
{
    int status = OB_OK;
    for (int round = 0; status == OB_OK && round < ob_dissemination_rounds(g->size); round++) {
        notes in = *n; /* in a simulation messages may have no contents */
        ob_view out = ob_view_of_bytes(n, sizeof *n), v = ob_view_of_bytes(&in, sizeof in);
        int to = ob_dissemination_to(g->size, g->me, round);
        status = ob_message_send(g, to, OB_TAG_COLLECTIVE, &out);
        if (status == OB_OK)
            status = ob_message_recv(g, ob_dissemination_from(g->size, g->me, round),
                                     OB_TAG_COLLECTIVE, &v, NULL);
        if (status != OB_OK)
            break;
        widen(&n->bytes, in.bytes);
        widen(&n->call, in.call);
        widen(&n->number, in.number);
        widen(&n->allowed, in.allowed);
        widen(&n->crowded, in.crowded);
    }
    if (status != OB_OK)
        ob_message_fail_all(g);
    return status;
}

/* ------------------------------------------------------------------ the members' circle */

static ob_natives *known(const ob_group *g)
{
    ob_natives *n = g->natives;
    for (; n; n = n->next) {
        int i = 0;
        while (i < g->size && n->numbers[i] == g->peer[i]->number)
            i++;
        if (i == g->size)
            return n;
    }
    return NULL;
}

static const ob_native *native_of(const ob_group *g)
{
    const ob_native *native = NULL;
    for (int i = 0; i < g->size && !native; i++)
        native = i == g->me ? NULL : g->peer[i]->transport->native;
    return native;
}

/* One that all members have from an earlier group, or a new one. */
static int settle(ob_group *g, ob_natives *n)
{
    uint64_t number = 0;
    bool allowed = n->native && n->native->allowed(g->job);
    ob_circle *old = allowed ? n->native->take(g->job, n->numbers, g->size, &number) : NULL;
    notes all = {.number = only(number), .allowed = only(allowed)};
    int status = meet(g, &all);
    if (status == OB_OK && all.allowed.least && old && all.number.least == all.number.most) {
        n->circle = old;
        return OB_OK;
    }
    if (old)
        n->native->leave(old);
    if (status != OB_OK || !all.allowed.least)
        return status;
    uint64_t mixed = g->context + (uint64_t)g->stream * OB_GOLDEN;
    for (int i = 0; i < g->size; i++)
        mixed = ob_mix(mixed + (unsigned)n->numbers[i] * OB_GOLDEN);
    return n->native->make(g->job, n->numbers, g->size, mixed | 1, &n->circle);
}

int ob_native_there(ob_group *g, bool *there)
{
    *there = false;
    if (g->one_node || g->size == 1)
        return OB_OK;
    ob_natives *n = known(g);
    if (n == NULL) {
        n = calloc(1, sizeof *n + (size_t)g->size * sizeof n->numbers[0]);
        if (n == NULL) {
            ob_fail(OB_ENOMEM, "OB-4001 no memory for the circle of a group of %d", g->size);
            ob_message_fail_all(g);
            return OB_ENOMEM;
        }
        for (int i = 0; i < g->size; i++)
            n->numbers[i] = g->peer[i]->number;
        n->native = native_of(g);
        int status = settle(g, n);
        if (status != OB_OK) {
            free(n);
            return status;
        }
        n->next = g->natives;
        g->natives = n;
    }
    *there = n->circle != NULL;
    return OB_OK;
}

int ob_group_native(ob_group *group)
{
    bool there;
    int status = ob_native_there(group, &there);
    return status != OB_OK ? status : there;
}

/* ------------------------------------------------------------------------- calls */

/* All are there, name the same, and agree on how they wait. call: what, and of whom; cuts: the
 * pieces, as one number. */
static int begin(ob_group *g, const ob_natives *n, uint64_t call, size_t bytes, uint64_t cuts)
{
    notes all = {.bytes = only(bytes),
                 .call = only(call),
                 .number = only(cuts),
                 .crowded = only(ob_job_crowded(g->job))};
    int status = meet(g, &all);
    if (status != OB_OK)
        return status;
    if (all.call.least != all.call.most)
        return ob_fail(OB_ESIZE,
                       "OB-2550 a collective: the %d members of a group are in different calls, or "
                       "name different roots, operations or types; all must make the same calls in "
                       "the same order",
                       g->size);
    if (all.bytes.least != all.bytes.most)
        return ob_fail(OB_ESIZE,
                       "OB-5002 a collective: the %d members of a group name matrices of %llu to "
                       "%llu bytes, member %d (process %d) of %zu; all must name as many",
                       g->size, (unsigned long long)all.bytes.least,
                       (unsigned long long)all.bytes.most, g->me, g->job->number, bytes);
    if (all.number.least != all.number.most)
        return ob_fail(OB_ESIZE,
                       "OB-2590 a collective: the %d members of a group name pieces of unlike "
                       "sizes, of %zu bytes in all; all must name the same sizes; member %d "
                       "(process %d)",
                       g->size, bytes, g->me, g->job->number);
    n->native->wait_as(n->circle, all.crowded.most);
    return OB_OK;
}

static int no_memory(ob_group *g, size_t bytes)
{
    int status = ob_staging_no_memory(g, bytes);
    ob_message_fail_all(g);
    return status;
}

static uint64_t call_of(int kind, int root, int op, ob_type type)
{
    return (uint64_t)(unsigned)root << 32 | (unsigned)kind << 24 | (unsigned)op << 16 | type;
}

enum { BROADCAST = 1, COMBINE, COMBINE_BY_ROOT, PARTS };

int ob_native_broadcast(ob_group *g, int root, const ob_view *matrix)
{
    const ob_natives *n = known(g);
    size_t left = ob_view_bytes(matrix), most = left < OB_STAGING_BYTES ? left : OB_STAGING_BYTES;
    bool flat = ob_view_contiguous(matrix);
    char *at = flat ? matrix->base : ob_group_scratch(g, most + 1);
    ob_cursor c;
    if (!flat && at == NULL)
        return no_memory(g, most);
    ob_cursor_open(&c, matrix);
    int status = begin(g, n, call_of(BROADCAST, root, 0, OB_BYTE), left, 0);
    while (left && status == OB_OK) {
        size_t step = left < OB_STAGING_BYTES ? left : OB_STAGING_BYTES;
        if (!flat && g->me == root)
            ob_cursor_pack(&c, at, step);
        status = n->native->broadcast(n->circle, root, at, step);
        if (flat)
            at += step;
        else if (g->me != root && status == OB_OK)
            ob_cursor_unpack(&c, at, step);
        left -= step;
    }
    return status;
}

/* What the MPI library combines. With owners the whole chunk is one element, its values and then
 * their owners; for the owners of a chunk cut anywhere would lie apart from it. */
typedef struct folding {
    ob_kernel kernel;
    const ob_operation *operation;
    size_t count, esize; /* of a chunk with owners */
    bool owners;
} folding;

static void fold(const void *context, size_t n, void *acc, const void *in)
{
    const folding *f = context;
    size_t values = f->count * f->esize;
    if (f->operation)
        f->operation->apply(n, acc, in, f->operation->context);
    else if (!f->owners)
        f->kernel(n, acc, NULL, in, NULL);
    else
        f->kernel(f->count, acc, (int32_t *)(void *)((char *)acc + values), in,
                  (const int32_t *)(const void *)((const char *)in + values));
}

static int combine_chunk(const ob_natives *n, int root, const folding *f, ob_type sum, void *at,
                         size_t count, bool by_root)
{
    size_t unit = f->esize + (f->owners ? sizeof(int32_t) : 0);
    const ob_native_op op = {sum, f->owners ? count * unit : unit, fold, f};
    size_t elements = f->owners ? 1 : count;
    int status = n->native->combine(n->circle, by_root ? 0 : root, &op, at, elements);
    return by_root && status == OB_OK ? n->native->broadcast(n->circle, 0, at, count * unit)
                                      : status;
}

int ob_native_combine(ob_group *g, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, int *owner, size_t ld_owner, bool distances,
                      bool by_root)
{
    const ob_natives *n = known(g);
    size_t esize = operation ? operation->element_bytes : ob_type_bytes(matrix->type);
    size_t unit = esize + (owner ? sizeof(int32_t) : 0), left = ob_view_bytes(matrix) / esize,
           most = OB_STAGING_BYTES / unit, room = (left < most ? left : most) * unit + 1;
    bool flat = !owner && ob_view_contiguous(matrix), wanted = root == OB_ANY || root == g->me;
    ob_type sum = op == OB_SUM && !operation ? matrix->type : OB_BYTE;
    folding f = {.kernel = operation ? NULL : ob_kernel_find(op, matrix->type, owner != NULL),
                 .operation = operation,
                 .esize = esize,
                 .owners = owner != NULL};
    char *at = flat ? matrix->base : ob_group_scratch(g, room);
    ob_staging s;
    if (!flat && at == NULL)
        return no_memory(g, room);
    if (!flat)
        ob_staging_open(&s, g, matrix, owner, ld_owner, ob_combine_base(op, root), distances);
    by_root = by_root && root == OB_ANY;
    int status =
        begin(g, n, call_of(by_root ? COMBINE_BY_ROOT : COMBINE, root, (int)op, matrix->type),
              left * unit, 0);
    while (left && status == OB_OK) {
        size_t step = f.count = left < most ? left : most;
        int32_t *owners = owner ? (int32_t *)(void *)(at + step * esize) : NULL;
        if (!flat)
            ob_staging_pack(&s, at, esize, owners, step);
        status = combine_chunk(n, root, &f, sum, at, step, by_root);
        if (flat)
            at += step * esize;
        else if (wanted && status == OB_OK)
            ob_staging_unpack(&s, at, esize, owners, step);
        left -= step;
    }
    return status;
}

/* ------------------------------------------------------------------------ pieces */

int ob_native_meet_parts(ob_group *g, ob_task task, int root, const ob_parts *parts)
{
    uint64_t cuts = 1;
    for (int i = 1; i < parts->size; i++)
        cuts = ob_mix(cuts * OB_GOLDEN + parts->cut[i] * parts->esize);
    bool rooted = task == OB_TASK_SCATTER || task == OB_TASK_GATHER;
    uint32_t kind = task == OB_TASK_DISTRIBUTE ? ob_parts_kind(parts) : 0;
    uint64_t call = call_of(PARTS + (int)task, rooted ? root : 0, 0, (ob_type)0) ^ ob_mix(kind)
                                                                                       << 40;
    return begin(g, known(g), call, ob_parts_bytes(parts), cuts);
}

/* Counts and starts of the pieces, and the own piece of what was combined. */
static size_t numbers_bytes(const ob_group *g)
{
    return ob_align(2 * (size_t)g->size * sizeof(int));
}

size_t ob_native_scratch(const ob_group *g, size_t own)
{
    return numbers_bytes(g) + ob_align(own + 1);
}

int ob_native_share(ob_group *g, ob_task task, int root, const ob_parts *parts, const size_t *cut,
                    char *data, char *scratch)
{
    const ob_natives *n = known(g);
    int *counts = (int *)(void *)scratch, *starts = counts + g->size;
    bool distributed = task == OB_TASK_DISTRIBUTE;
    size_t unit = distributed ? 1 : parts->esize;
    for (int i = 0; i < g->size; i++) {
        counts[i] = (int)((cut[i + 1] - cut[i]) * unit);
        starts[i] = (int)(cut[i] * unit);
    }
    if (!distributed)
        return n->native->pieces(n->circle,
                                 task == OB_TASK_SCATTER  ? OB_NATIVE_SCATTER
                                 : task == OB_TASK_GATHER ? OB_NATIVE_GATHER
                                                          : OB_NATIVE_COLLECT,
                                 root, data, counts, starts);
    const folding f = {
        .kernel = parts->kernel, .operation = parts->operation, .esize = parts->esize};
    ob_type sum = parts->op == OB_SUM && !parts->operation ? parts->type : OB_BYTE;
    const ob_native_op op = {sum, parts->esize, fold, &f};
    char *own = scratch + numbers_bytes(g);
    int status = n->native->distribute(n->circle, &op, data, own, counts);
    if (status == OB_OK)
        memcpy(data + cut[g->me] * parts->esize, own, (size_t)counts[g->me] * parts->esize);
    return status;
}
