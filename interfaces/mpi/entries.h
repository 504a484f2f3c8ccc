/*
 * What the files of entry points share: arguments of both widths, as the rest has them.
 */
#ifndef OB_MPI_ENTRIES_H
#define OB_MPI_ENTRIES_H

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

#define NARROW(list) ((shim_list){.narrow = (list)})
#define WIDE(list) ((shim_list){.wide = (list)})
#define ADDRESS(list) ((shim_list){.address = (list)})
#define NOTHING ((shim_list){NULL, NULL, NULL})
#define EVEN_SIDE(base, count, type) (&(shim_side){base, count, NOTHING, NOTHING, type, NULL})
#define SIDE(base, counts, displacements, type, types)                                             \
    (&(shim_side){base, 0, counts, displacements, type, types})
#define PIECE(base, count, type) (&(shim_piece){base, count, type})
#define EVEN(base, count, type) (&(shim_vector){base, count, NOTHING, NOTHING, type})
#define VECTOR(base, counts, displacements, type)                                                  \
    (&(shim_vector){base, 0, counts, displacements, type})

#endif
