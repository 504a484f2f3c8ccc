/*
 * The calls that make communicators. Their members agree there and then whether calls are served on
 * it (comm.c), since a call that does not wait could not wait for that; these calls all may. Not
 * MPI_Comm_idup, which may not.
 */
#include "entries.h"
#include "hooks/system.h"
#include "own.h"

static void settle(int code, MPI_Comm made)
{
    if (code == MPI_SUCCESS && !shim_inside && !ob_system_makes() && shim_running())
        shim_comm_settle(made);
}

/* The library's own, and then the agreement of the new communicator's members. */
#define ENTRY(name, parameters, arguments)                                                         \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        typedef int own parameters;                                                                \
        int code = OWN(name, own) arguments;                                                       \
        settle(code, code == MPI_SUCCESS ? *made : MPI_COMM_NULL);                                 \
        return code;                                                                               \
    }                                                                                              \
    EXPORT int P##name parameters __attribute__((alias(#name)));

ENTRY(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
ENTRY(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
ENTRY(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
ENTRY(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
      (comm, group, tag, made))
ENTRY(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
ENTRY(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
ENTRY(MPI_Cart_create,
      (MPI_Comm comm, int count, const int dims[], const int periods[], int reorder,
       MPI_Comm *made),
      (comm, count, dims, periods, reorder, made))
ENTRY(MPI_Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
ENTRY(MPI_Graph_create,
      (MPI_Comm comm, int count, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (comm, count, index, edges, reorder, made))
ENTRY(MPI_Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int sources[], const int source_weights[], int out,
       const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, in, sources, source_weights, out, destinations, weights, info, reorder, made))
ENTRY(MPI_Dist_graph_create,
      (MPI_Comm comm, int count, const int sources[], const int degrees[], const int destinations[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, count, sources, degrees, destinations, weights, info, reorder, made))
ENTRY(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))

static int started(int code)
{
    settle(code, MPI_COMM_WORLD);
    return code;
}

EXPORT int MPI_Init(int *count, char ***words)
{
    typedef int own(int *, char ***);
    return started(OWN(MPI_Init, own)(count, words));
}
EXPORT int PMPI_Init(int *count, char ***words) __attribute__((alias("MPI_Init")));

EXPORT int MPI_Init_thread(int *count, char ***words, int wanted, int *given)
{
    typedef int own(int *, char ***, int, int *);
    return started(OWN(MPI_Init_thread, own)(count, words, wanted, given));
}
EXPORT int PMPI_Init_thread(int *count, char ***words, int wanted, int *given)
    __attribute__((alias("MPI_Init_thread")));
