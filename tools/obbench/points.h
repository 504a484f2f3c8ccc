/*
 * Lists of what is measured.
 */
#ifndef OBBENCH_POINTS_H
#define OBBENCH_POINTS_H

#include "measure.h"

/* The one length of OBB_COLD. */
enum { OBB_COLD_BYTES = 256 * 1024 };

typedef struct obb_points {
    obb_point *at;
    int count;
    size_t room;
} obb_points;

/* Adds those of a collective call; b has face and scope. */
void obb_list_collective(obb_points *l, const obb_bench *b, obb_what what);
/* Adds those of the MPI library's own calls between nodes, for the profile; b has face and size. */
void obb_list_native(obb_points *l, const obb_bench *b);
/* Adds those of a simple quantity; pair: sender and receiver. */
void obb_list_simple(obb_points *l, const obb_bench *b, obb_what what, const int pair[2]);

#endif
