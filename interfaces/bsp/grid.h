/* What a grid of BSP2D holds, for the files that carry its routines out. */
#ifndef BSPM_GRID_H
#define BSPM_GRID_H

#include "machine.h"
#include "openblacs/bsp2d.h"

/* A registered buffer; all processes of the grid have the same list. */
typedef struct bspm_buffer {
    char *memory;
    size_t bytes;
    bool used, leaving; /* given back, and free from the next sync on */
} bspm_buffer;

struct bsp2d_grid {
    bsp_machine *m;
    ob_group *row, *column;
    bool lent; /* these, and the machine's group, are others' (common/lent.h) */
    int rows, columns, myrow, mycolumn;
    bspm_buffer *buffer;
    size_t buffers, buffer_space;
    char *work; /* for matrices that are not one run of memory */
    size_t work_bytes;
    size_t *counts; /* of the pieces of a collective call, one for each process */
    bsp2d_cost cost;
};

/* Faults unless the grid is one, and the place is on it; the number of its process. */
int bspm_pid_of(const bsp2d_grid *g, const char *routine, int prow, int pcol);
bsp_machine *bspm_machine_of(const bsp2d_grid *g, const char *routine);
void bspm_check_view(const bsp2d_grid *g, const char *routine, const ob_view *a);
/* The buffers' part of a sync, and of the end. */
void bspm_buffers_sync(bsp2d_grid *g);
void bspm_buffers_free(bsp2d_grid *g);

#endif
