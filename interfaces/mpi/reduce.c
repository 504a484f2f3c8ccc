/*
 * MPI's predefined operations, as the core's on elements of all kinds.
 */
#include "shim.h"

/* The core's operator, OB_OPERATORS for one of the user's; pairs have extremes of their own. */
static ob_operator operator_of(MPI_Op mpi)
{
    const MPI_Op known[OB_OPERATORS] = {
        [OB_OPERATOR_MAX] = MPI_MAX,         [OB_OPERATOR_MIN] = MPI_MIN,
        [OB_OPERATOR_SUM] = MPI_SUM,         [OB_OPERATOR_PRODUCT] = MPI_PROD,
        [OB_OPERATOR_AND] = MPI_LAND,        [OB_OPERATOR_OR] = MPI_LOR,
        [OB_OPERATOR_XOR] = MPI_LXOR,        [OB_OPERATOR_BIT_AND] = MPI_BAND,
        [OB_OPERATOR_BIT_OR] = MPI_BOR,      [OB_OPERATOR_BIT_XOR] = MPI_BXOR,
        [OB_OPERATOR_MAX_PAIR] = MPI_MAXLOC, [OB_OPERATOR_MIN_PAIR] = MPI_MINLOC};
    int i = 0;
    if (mpi == MPI_SUM)
        return OB_OPERATOR_SUM;
    while (i < OB_OPERATORS && known[i] != mpi)
        i++;
    return (ob_operator)i;
}

static bool is_logical(ob_operator o)
{
    return o == OB_OPERATOR_AND || o == OB_OPERATOR_OR || o == OB_OPERATOR_XOR;
}

bool shim_operation_of(const shim_type *type, MPI_Op mpi, ob_operation *found, shim_fate *why)
{
    ob_operator o = operator_of(mpi);
    if (mpi == MPI_OP_NULL || mpi == MPI_REPLACE || mpi == MPI_NO_OP)
        *why = INVALID;
    else if (o == OB_OPERATORS)
        *why = USER_OP;
    else if (type->derived)
        *why = DERIVED;
    else if (type->kind == OB_KINDS || (type->no_logical && is_logical(o)) ||
             ob_operation_of(o, type->kind, found) != OB_OK || found->element_bytes != type->extent)
        *why = NO_KERNEL;
    else
        return true;
    return false;
}
