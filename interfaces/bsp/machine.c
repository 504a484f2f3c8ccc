/*
 * Machines: making them, their end, and room for what they ask of each other.
 */
#include "machine.h"

#include <stdlib.h>

bsp_machine *bspm_open(const char *routine, ob_group *group)
{
    ob_check_final(); /* collective calls that differ meet here, and nobody else can free them */
    bsp_machine *m = bspm_more(NULL, NULL, 1, sizeof *m);
    *m = (bsp_machine){.group = group, .size = ob_group_size(group), .me = ob_group_me(group)};
    bspm_check(m, routine, ob_superstep_create(group, &m->requests));
    bspm_check(m, routine, ob_superstep_create(group, &m->answers));
    m->tail = ob_superstep_tails(m->requests);
    m->last = bspm_more(m, NULL, (size_t)m->size, sizeof *m->last);
    memset(m->last, 0, (size_t)m->size * sizeof *m->last);
    m->from = bspm_more(m, NULL, 2 * (size_t)m->size, sizeof *m->from);
    memset(m->from, 0, 2 * (size_t)m->size * sizeof *m->from);
    bspm_registry_open(m);
    return m;
}

void bspm_close(bsp_machine *m)
{
    ob_superstep_free(m->answers);
    ob_superstep_free(m->requests);
    bspm_registry_close(m);
    free(m->last);
    free(m->from);
    free(m->get);
    free(m->message);
    free(m->matrix);
    free(m->card);
    free(m);
}

void bspm_grow(bsp_machine *m, const char *routine, int pid, size_t bytes)
{
    bspm_check(m, routine, ob_superstep_grow(m->requests, pid, bytes));
}
