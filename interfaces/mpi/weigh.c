/*
 * The bytes by which all members decide alike who serves a call (choice.c).
 */
#include "shim.h"

size_t shim_weigh(long long count, MPI_Datatype type)
{
    shim_type found;
    if (count < 0 || !shim_type_of(type, &found) || found.uncommitted)
        return SHIM_WRONG;
    return (size_t)count * found.size;
}

size_t shim_weigh_each(const shim_comm *on, long long count, MPI_Datatype type)
{
    size_t bytes = shim_weigh(count, type);
    return bytes == SHIM_WRONG ? bytes : bytes * (size_t)on->size;
}

size_t shim_weigh_all(const shim_comm *on, shim_list counts, MPI_Datatype type)
{
    long long sum, before;
    if (!shim_piece_counts(on, counts, 0, &sum, &before))
        return SHIM_WRONG;
    return shim_weigh(sum, type);
}

size_t shim_weigh_mean(const shim_comm *on, shim_list counts, MPI_Datatype type)
{
    size_t bytes = shim_weigh_all(on, counts, type);
    return bytes == SHIM_WRONG ? bytes : bytes / (size_t)on->size;
}

size_t shim_weigh_none(MPI_Datatype type)
{
    return shim_weigh(0, type);
}

/* A type of no elements is not looked at, as in sides.c. */
size_t shim_weigh_nones(const shim_comm *on, shim_list counts, const MPI_Datatype types[])
{
    if (types == NULL || (counts.narrow == NULL && counts.wide == NULL))
        return SHIM_WRONG;
    for (int i = 0; i < on->size; i++)
        if (shim_item(counts, i) && shim_weigh(shim_item(counts, i), types[i]) == SHIM_WRONG)
            return SHIM_WRONG;
    return 0;
}
