/*
 * All-to-all, also with counts and with types: each side a piece for each member, served from the
 * core. Pieces whose type has gaps or is derived go through consecutive bytes.
 */
#include "shim.h"

static void stage(shim_pieces *p, bool all, int slot)
{
    size_t bytes = shim_side_staged(p, all);
    char *memory = bytes ? shim_scratch(slot, bytes) : NULL;
    if (bytes && memory == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes", bytes);
    if (bytes)
        shim_side_stage(p, all, memory);
}

/* In place: what is sent is what is there, and goes to a copy first. */
static int alltoall(shim_comm *on, shim_call call, shim_pieces *out, shim_pieces *in, bool in_place)
{
    stage(out, in_place, SLOT_SEND);
    stage(in, false, SLOT_RECEIVE);
    if (!shim_side_move(on, out, false))
        shim_fault("OB-3020 libicc-mpi: a committed type cannot be packed");
    ob_pieces from = {.views = out->views}, to = {.views = in->views};
    int result = shim_result(on, call, ob_all_to_all(on->group, &from, &to, NULL));
    return result == MPI_SUCCESS && !shim_side_move(on, in, true) ? MPI_ERR_TYPE : result;
}

bool serve_alltoall(shim_comm *on, shim_call call, const shim_side *send, const shim_side *receive,
                    int *result)
{
    shim_pieces out, in;
    bool in_place = send->base == MPI_IN_PLACE, bad = receive->base == MPI_IN_PLACE;
    /* Without elements both may be one address. */
    shim_fate of_out = shim_side_open(on, in_place ? receive : send, &out);
    shim_fate of_in = shim_side_open(on, receive, &in);
    shim_fate fate = of_out > of_in ? of_out : of_in;
    /* One base for both sides is right where their pieces are apart. */
    bool same = !in_place && send->base == receive->base && send->base != NULL;
    for (int i = 0; same && shim_taken(fate) && i < on->size; i++)
        bad = bad || (out.place[i].bytes && in.place[i].bytes && out.place[i].at == in.place[i].at);
    fate = shim_take_data(on, call, bad ? INVALID : fate);
    bool served = shim_taken(fate);
    if (served) {
        *result = alltoall(on, call, &out, &in, in_place);
        shim_scratch_trim();
    } else {
        served = shim_refuse(on, call, fate, result);
    }
    shim_side_close(&out);
    shim_side_close(&in);
    return served;
}
