/*
 * Reductions that do not wait: what they prepare. Sums and other operations of the core's own are
 * combined by it; for the program's, whose functions no other thread may call, the members' vectors
 * are brought to where they are wanted, and combined there at the end.
 */
#include "begun.h"

#include "hooks/collective.h"

/* Bytes of all members' vectors up to which they are brought together. */
enum { MOST_BYTES = 64 << 20 };

/* Is it an operation that no function of the core's does? */
static bool is_programs(const shim_begun *b)
{
    return b->r.op.core.context == &b->r.op;
}

/* What must be alike on all members: may the call be taken? gathers: vectors of all are brought
 * together. */
static bool taken(shim_begun *b, bool gathers)
{
    const shim_reduction *r = &b->r;
    if (gathers && r->bytes > (size_t)MOST_BYTES / (size_t)b->on->size)
        return shim_pass(b->call, LONG);
    if (r->type.derived && b->on->ask)
        return shim_pass(b->call, DERIVED);
    shim_count(b->call, r->op.packed ? TAKEN_PACKED : TAKEN);
    shim_hold_type(b, &b->r.type);
    return true;
}

/* The elements of `send` to consecutive bytes at `to`, each time it begins. */
static void bring(shim_begun *b, const void *send, char *to)
{
    if (b->r.op.packed) {
        b->send = send;
        b->packed = to;
    } else {
        b->copy_from = send;
        b->copy_to = to;
        b->copy_bytes = b->r.bytes;
    }
}

/* Pieces of so many bytes for all members, from `base` on. */
static void views_from(shim_begun *b, shim_pieces *p, char *base, size_t bytes)
{
    shim_side_one(b->on, 0, NULL, 0, MPI_BYTE, p);
    for (int i = 0; i < b->on->size; i++)
        p->views[i] =
            ob_view_vector(base ? base + (size_t)i * bytes : NULL, base ? bytes : 0, OB_BYTE);
}

static void nothing_for(shim_pieces *p, int i)
{
    p->views[i] = ob_view_vector(NULL, 0, OB_BYTE);
}

static bool exchange(shim_begun *b)
{
    const ob_pieces out = {.views = b->out.views}, in = {.views = b->in.views};
    return prepared(b, ob_prepare_exchange(b->on->group, &out, &in, &b->prepared));
}

/* What is combined at the end: so many terms from the first on. */
static void fold_later(shim_begun *b, int terms, size_t count, void *receive)
{
    b->folded = terms;
    b->fold = count;
    b->receive = receive;
}

/* All vectors to the root, or to all. */
static bool gather_terms(shim_begun *b, const void *send, void *receive, int root)
{
    shim_comm *on = b->on;
    bool wanted = root == OB_ANY || root == on->rank;
    size_t bytes = b->r.bytes;
    b->terms = shim_begun_memory(b, 0, wanted ? bytes * (size_t)on->size : bytes);
    char *own = wanted ? b->terms + (size_t)on->rank * bytes : b->terms;
    bring(b, send, own);
    if (wanted)
        fold_later(b, on->size, b->r.count, receive);
    views_from(b, &b->in, wanted ? b->terms : NULL, bytes);
    if (root == OB_ANY) {
        const ob_pieces all = {.views = b->in.views};
        return prepared(b, ob_prepare_collect(on->group, &all, NULL, &b->prepared));
    }
    views_from(b, &b->out, NULL, 0);
    if (wanted)
        nothing_for(&b->in, root);
    else
        b->out.views[root] = ob_view_vector(own, bytes, OB_BYTE);
    return exchange(b);
}

bool begin_reduce(shim_begun *b, const void *send, void *receive, long long count,
                  MPI_Datatype type, MPI_Op op, int root)
{
    shim_comm *on = b->on;
    bool wanted = root == OB_ANY || root == on->rank;
    if (root != OB_ANY && (root < 0 || root >= on->size))
        return shim_pass(b->call, INVALID);
    if (!shim_reduction_of(on, b->call, count, type, op, &b->r, &b->result))
        return false;
    if (b->result != MPI_SUCCESS)
        return true;
    if (wanted ? shim_bad_buffers(&b->r, send, receive) : shim_bad_operand(&b->r, send))
        return shim_pass(b->call, INVALID);
    if (!taken(b, is_programs(b)))
        return false;
    if (send == MPI_IN_PLACE)
        send = receive;
    if (is_programs(b))
        return gather_terms(b, send, receive, root);
    /* In place: two views of the same. No operation of the core's has elements that are packed. */
    const ob_view from = shim_reduction_view(&b->r, send), to = shim_reduction_view(&b->r, receive);
    return prepared(b, ob_prepare_combine_apart(on->group, root, &b->r.op.core, &from, &to, NULL,
                                                &b->prepared));
}

bool begin_reduce_scatter(shim_begun *b, const void *send, void *receive, shim_list counts,
                          long long each, MPI_Datatype type, MPI_Op op)
{
    shim_comm *on = b->on;
    bool listed = counts.narrow || counts.wide;
    long long sum, before;
    if (!shim_piece_counts(on, counts, each, &sum, &before))
        return shim_pass(b->call, INVALID);
    if (!shim_reduction_of(on, b->call, sum, type, op, &b->r, &b->result))
        return false;
    if (b->result != MPI_SUCCESS)
        return true;
    size_t own = (size_t)(listed ? shim_item(counts, on->rank) : each), unit = b->r.each;
    if (receive == MPI_IN_PLACE || (send == MPI_IN_PLACE && b->r.bytes && receive == NULL) ||
        shim_bad_operand(&b->r, send == MPI_IN_PLACE ? receive : send) ||
        (own && shim_bad_operand(&b->r, receive)) || (own && send == receive && !EQUAL_IS_IN_PLACE))
        return shim_pass(b->call, INVALID);
    if (!taken(b, is_programs(b)))
        return false;
    if (send == MPI_IN_PLACE)
        send = receive;
    char *from = (char *)(uintptr_t)send;
    if (b->r.op.packed) {
        from = shim_begun_memory(b, 1, b->r.bytes);
        bring(b, send, from);
    }
    b->terms = shim_begun_memory(b, 0, own * unit * (size_t)on->size);
    fold_later(b, on->size, own, receive);
    views_from(b, &b->in, b->terms, own * unit);
    views_from(b, &b->out, NULL, 0);
    for (int i = 0; i < on->size; i++) {
        size_t bytes = (size_t)(listed ? shim_item(counts, i) : each) * unit;
        b->out.views[i] = ob_view_vector(bytes ? from : NULL, bytes, OB_BYTE);
        from += bytes;
    }
    return exchange(b);
}

bool begin_scan(shim_begun *b, const void *send, void *receive, long long count, MPI_Datatype type,
                MPI_Op op, bool exclusive)
{
    shim_comm *on = b->on;
    if (!shim_reduction_of(on, b->call, count, type, op, &b->r, &b->result))
        return false;
    if (b->result != MPI_SUCCESS)
        return true;
    if (shim_bad_buffers(&b->r, send, receive))
        return shim_pass(b->call, INVALID);
    if (!taken(b, true))
        return false;
    size_t bytes = b->r.bytes;
    b->terms = shim_begun_memory(b, 0, bytes * (size_t)(on->rank + 1));
    bring(b, send == MPI_IN_PLACE ? receive : send, b->terms + bytes * (size_t)on->rank);
    fold_later(b, on->rank + !exclusive, b->r.count, receive);
    views_from(b, &b->in, NULL, 0);
    views_from(b, &b->out, NULL, 0);
    for (int i = 0; i < on->size; i++) {
        char *term = b->terms + bytes * (size_t)(i < on->rank ? i : on->rank);
        if (i != on->rank)
            (i < on->rank ? &b->in : &b->out)->views[i] = ob_view_vector(term, bytes, OB_BYTE);
    }
    return exchange(b);
}
