/*
 * Registered buffers of a grid (Horvitz and Bisseling, section 2.4): asked for in lock step, so
 * that the same buffer on all processes is the same registration.
 */
#include <stdlib.h>

#include "grid.h"

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The smallest free one that is large enough; the first of these. */
static bspm_buffer *find_free(bsp2d_grid *g, size_t bytes)
{
    bspm_buffer *best = NULL;
    for (size_t i = 0; i < g->buffers; i++) {
        bspm_buffer *b = &g->buffer[i];
        if (!b->used && b->bytes >= bytes && (best == NULL || b->bytes < best->bytes))
            best = b;
    }
    return best;
}

static bspm_buffer *make(bsp2d_grid *g, const char *routine, size_t bytes)
{
    if (g->buffers == g->buffer_space)
        g->buffer = bspm_enlarge(g->m, g->buffer, g->buffers, &g->buffer_space, sizeof *g->buffer);
    bspm_buffer *b = &g->buffer[g->buffers++];
    *b = (bspm_buffer){.bytes = bytes, .memory = aligned_alloc(64, bytes)};
    if (b->memory == NULL)
        bspm_fault(g->m, routine, "OB-4001 no memory for a buffer of %zu bytes", bytes);
    bspm_push(g->m, routine, b->memory, bytes);
    return b;
}

void *bsp2d_buffer(bsp2d_grid *g, size_t bytes)
{
    const char *routine = "bsp2d_buffer";
    bsp_machine *m = bspm_machine_of(g, routine);
    bspm_check_size(m, routine, "the buffer", bytes);
    bspm_agree(m, bytes);
    bytes = round_up(bytes ? bytes : 1);
    bspm_buffer *b = find_free(g, bytes);
    if (b == NULL)
        b = make(g, routine, bytes);
    b->used = true;
    return b->memory;
}

void bsp2d_buffer_free(bsp2d_grid *g, void *buffer)
{
    bsp_machine *m = bspm_machine_of(g, "bsp2d_buffer_free");
    for (size_t i = 0; i < g->buffers; i++)
        if (g->buffer[i].memory == buffer && g->buffer[i].used && !g->buffer[i].leaving) {
            g->buffer[i].leaving = true;
            bspm_agree(m, i);
            return;
        }
    bspm_fault(m, "bsp2d_buffer_free", "OB-6011 address %p is no buffer in use", buffer);
}

void bspm_buffers_sync(bsp2d_grid *g)
{
    for (size_t i = 0; i < g->buffers; i++)
        if (g->buffer[i].leaving)
            g->buffer[i].used = g->buffer[i].leaving = false;
}

void bspm_buffers_free(bsp2d_grid *g)
{
    for (size_t i = 0; i < g->buffers; i++)
        free(g->buffer[i].memory);
    free(g->buffer);
}
