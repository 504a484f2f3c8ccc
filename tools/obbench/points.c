/*
 * The points of one kind of call: lengths, topologies, alone and in a row.
 */
#include "points.h"

#include <string.h>

#include "common/grow.h"

static void add(obb_points *l, const obb_record *r, bool again)
{
    l->at = ob_grow(l->at, (size_t)l->count, &l->room, sizeof *l->at);
    if (l->at == NULL)
        obb_die("OB-4001 no memory for more than %d points", l->count);
    l->at[l->count++] = (obb_point){.record = *r, .again = again};
}

/* Every fifth length, and never the empty one, whose time the clock cannot tell. */
static bool is_again(const obb_options *o, int index)
{
    return o->again > 0 && index % o->every == 0 && o->lengths[index] > 0;
}

/* So many that pipelining shows, but not more than the machine's memory likes. */
static int calls_in_a_row(const obb_options *o, size_t bytes, int processes)
{
    size_t most = (size_t)64 << 20, each = bytes * (size_t)processes;
    int calls = o->calls ? o->calls : 15;
    while (calls > 2 && o->calls == 0 && each * (size_t)calls > most)
        calls--;
    return calls;
}

static void add_modes(obb_points *l, const obb_options *o, obb_record *r, int index)
{
    bool again = index >= 0 && is_again(o, index);
    r->calls = 1;
    if (o->modes & OBB_SINGLE || !obb_is_collective(r->what))
        add(l, r, again);
    r->calls = calls_in_a_row(o, r->bytes, r->processes);
    if (o->modes & OBB_REPEATED && obb_is_collective(r->what))
        add(l, r, again);
}

static size_t whole_elements(const obb_options *o, int index)
{
    size_t unit = ob_type_bytes(o->type);
    return o->lengths[index] / unit * unit;
}

/* Lengths that differ by less than an element are one. */
static void add_lengths(obb_points *l, const obb_options *o, obb_record *r)
{
    for (int i = 0; i < o->length_count; i++) {
        int before = 0;
        r->bytes = whole_elements(o, i);
        while (whole_elements(o, before) != r->bytes)
            before++;
        if (before == i)
            add_modes(l, o, r, i);
    }
}

/* Which topologies a kind of call has to be asked for; 'p': the MPI library's own. */
static const char *tops_of(const obb_options *o, const obb_face *face, obb_what what)
{
    if (strcmp(face->name, "openblacs"))
        return "p";
    if (o->tops_given)
        return o->tops;
    return what == OBB_BROADCAST ? "idsmhf123-" : what == OBB_REDUCE ? "12-" : "1h-";
}

void obb_list_collective(obb_points *l, const obb_bench *b, obb_what what)
{
    obb_record r = {.what = what,
                    .scope = b->options->scope,
                    .processes = b->size,
                    .root = what == OBB_BARRIER || what == OBB_COMBINE ? 0 : b->options->root};
    strcpy(r.system, b->face->name);
    if (what == OBB_BARRIER) {
        add_modes(l, b->options, &r, -1);
        return;
    }
    for (const char *top = tops_of(b->options, b->face, what); *top; top++) {
        r.top = *top;
        r.branches = obb_top_takes(*top) ? b->options->branches : 0;
        add_lengths(l, b->options, &r);
    }
}

void obb_list_native(obb_points *l, const obb_bench *b)
{
    obb_options single = *b->options;
    single.modes = OBB_SINGLE;
    for (obb_what what = OBB_BROADCAST; what <= OBB_COMBINE; what++) {
        obb_record r = {.what = what, .scope = 'n', .top = 'n', .processes = b->size};
        strcpy(r.system, b->face->name);
        add_lengths(l, &single, &r);
    }
}

/* Where a line bends is seen better with all powers of two; and since they cost little
 * and the profile stands on them, all are measured as often as every fifth is. */
static void add_curve(obb_points *l, const obb_options *o, obb_record *r)
{
    for (r->bytes = 8; r->bytes <= (size_t)4 << 20; r->bytes *= 2)
        if (r->bytes >= ob_type_bytes(o->type))
            add(l, r, o->again > 0);
}

/* The paper's second range, beside the primary one. */
static void add_short_range(obb_points *l, obb_record *r)
{
    enum { STEP = 160, END = 8000 };
    for (r->bytes = STEP; r->bytes < END; r->bytes += STEP)
        add(l, r, false);
}

void obb_list_simple(obb_points *l, const obb_bench *b, obb_what what, const int pair[2])
{
    const obb_options *o = b->options;
    obb_record r = {.what = what, .processes = b->count, .calls = 1};
    strcpy(r.system, b->face->name);
    if (obb_is_pair(what)) {
        r.root = pair[0];
        r.partner = pair[1];
    }
    if (what == OBB_COLD) {
        r.bytes = OBB_COLD_BYTES;
        add(l, &r, false);
        return;
    }
    if (!o->own_lengths || (o->tables && !o->all))
        add_lengths(l, o, &r);
    if (o->own_lengths && o->tables && !o->all)
        add_short_range(l, &r);
    if (o->own_lengths && (o->fit || !o->tables || o->all))
        add_curve(l, o, &r);
}
