/*
 * Sides of calls that move a piece for each member: as the arguments have them, and as the core
 * sees them.
 */
#include <stdlib.h>

#include "shim.h"

/* Where piece i of the side begins. */
static char *address_of(const shim_side *of, const shim_place *p, int i)
{
    bool listed = shim_is_given(&of->counts);
    long long place = listed ? shim_item(of->displacements, i) : of->each * i;
    long long unit = of->types ? 1 : (long long)p->type.extent;
    return (char *)of->base + (ptrdiff_t)(place * unit);
}

/* What the arguments make of piece i. Of one without elements nothing else is looked at. */
static shim_fate piece_of(const shim_side *of, int i, shim_place *p)
{
    long long count = shim_is_given(&of->counts) ? shim_item(of->counts, i) : of->each;
    *p = (shim_place){.at = NULL};
    if (count < 0)
        return INVALID;
    if (count == 0 && of->types)
        return TAKEN;
    if (i && !of->types)
        p->type = p[-i].type;
    else if (!shim_type_of(of->types ? of->types[i] : of->type, &p->type))
        return INVALID;
    p->count = (size_t)count;
    p->bytes = p->count * p->type.size;
    p->at = address_of(of, p, i);
    /* At MPI_BOTTOM a displacement in bytes may be an address itself. */
    if ((of->types ? p->at : of->base) == NULL && p->bytes && !p->type.derived)
        return INVALID;
    return p->count || !of->types ? shim_fate_of(&p->type) : TAKEN;
}

void shim_side_close(shim_pieces *p)
{
    free(p->place);
    free(p->views);
    *p = (shim_pieces){.size = 0};
}

static void get_memory(const shim_comm *on, shim_pieces *p)
{
    *p = (shim_pieces){.size = on->size};
    p->place = calloc((size_t)on->size, sizeof *p->place);
    p->views = malloc((size_t)on->size * sizeof *p->views);
    if (p->place == NULL || p->views == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %d pieces", on->size);
}

static void see(shim_pieces *p, int i)
{
    p->views[i] = ob_view_vector(p->place[i].at, p->place[i].bytes, OB_BYTE);
}

shim_fate shim_side_open(const shim_comm *on, const shim_side *of, shim_pieces *p)
{
    shim_fate worst = TAKEN;
    *p = (shim_pieces){.size = 0};
    if (shim_is_given(&of->counts) && !shim_is_given(&of->displacements))
        return INVALID;
    get_memory(on, p);
    for (int i = 0; i < on->size; i++) {
        shim_fate fate = piece_of(of, i, &p->place[i]);
        worst = fate > worst ? fate : worst;
        if (shim_taken(fate))
            see(p, i);
    }
    return worst;
}

shim_fate shim_side_one(const shim_comm *on, int member, const void *base, long long count,
                        MPI_Datatype type, shim_pieces *p)
{
    shim_buffer b = {.base = NULL};
    get_memory(on, p);
    shim_fate fate = shim_buffer_of(base, count, type, &b);
    if (shim_taken(fate))
        p->place[member] = (shim_place){b.base, b.count, b.bytes, b.type};
    for (int i = 0; i < on->size; i++)
        see(p, i);
    return fate;
}

static bool is_staged(const shim_place *p, bool all)
{
    return p->bytes && (all || !p->type.dense);
}

size_t shim_side_staged(const shim_pieces *p, bool all)
{
    size_t bytes = 0;
    for (int i = 0; i < p->size; i++)
        if (is_staged(&p->place[i], all))
            bytes += p->place[i].bytes;
    return bytes;
}

void shim_side_stage(shim_pieces *p, bool all, char *memory)
{
    for (int i = 0; i < p->size; i++)
        if (is_staged(&p->place[i], all)) {
            p->views[i].base = memory;
            memory += p->place[i].bytes;
        }
}

bool shim_side_move(const shim_comm *on, const shim_pieces *p, bool out)
{
    bool good = true;
    for (int i = 0; i < p->size && good; i++) {
        const shim_place *q = &p->place[i];
        char *there = p->views[i].base;
        if (q->bytes == 0 || there == q->at)
            continue;
        good = out ? shim_unpack(on, &q->type, q->at, q->count, there)
                   : shim_pack(on, &q->type, q->at, q->count, there);
    }
    return good;
}
