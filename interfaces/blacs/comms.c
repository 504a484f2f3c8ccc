/*
 * The communicators that grids of this process have asked for.
 */
#include "comms.h"

#include <pthread.h>
#include <stdlib.h>

#include "hooks/hash.h"

static struct {
    pthread_mutex_t lock;
    obl_comm *first; /* newest first */
    unsigned made;   /* how many ids this process has given */
} comms = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_of(const obl_comm *c, const ob_group *group)
{
    int same = c->job == ob_group_job(group) && c->size == ob_group_size(group);
    for (int i = 0; same && i < c->size; i++)
        same = c->number[i] == ob_group_number(group, i);
    return same;
}

obl_comm *obl_comm_hold(const ob_group *group)
{
    pthread_mutex_lock(&comms.lock);
    obl_comm *c = comms.first;
    while (c && !is_of(c, group))
        c = c->next;
    if (c)
        c->grids++;
    pthread_mutex_unlock(&comms.lock);
    return c;
}

/* MPI has freed it already when MPI_Finalize was called before. */
void obl_comm_drop(obl_comm *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&comms.lock);
    int last = --c->grids == 0;
    obl_comm **at = &comms.first;
    while (last && *at != c)
        at = &(*at)->next;
    if (last)
        *at = c->next;
    pthread_mutex_unlock(&comms.lock);
    if (last) {
        (void)ob_system_free(c->job, c->handle);
        free(c);
    }
}

/* Two whose low halves are equal lie 4 GiB apart; the newer one is taken. */
uintptr_t obl_whole_word(uintptr_t word)
{
    if ((uintptr_t)(intptr_t)(int32_t)word != word)
        return word;
    pthread_mutex_lock(&comms.lock);
    const obl_comm *c = comms.first;
    while (c && (uint32_t)c->word != (uint32_t)word)
        c = c->next;
    if (c)
        word = c->word;
    pthread_mutex_unlock(&comms.lock);
    return word;
}

void obl_comms_free(obl_grid *grid)
{
    for (int part = 0; part < OBL_PARTS; part++)
        obl_comm_drop(grid->comm[part]);
}

obl_comm *obl_comm_make(const obl_call *call, const ob_group *group, uint64_t id)
{
    int size = ob_group_size(group);
    obl_comm *c = malloc(sizeof *c + (size_t)size * sizeof c->number[0]);
    if (!c)
        obl_fault(call, "OB-4001 no memory for the communicator of a grid");
    *c = (obl_comm){.id = id, .job = ob_group_job(group), .grids = 1, .size = size};
    for (int i = 0; i < size; i++)
        c->number[i] = ob_group_number(group, i);
    obl_check(call, ob_system_create(c->job, c->number, size, (unsigned)(ob_hash_spread(id) >> 33),
                                     &c->handle));
    c->word = ob_system_to_word(c->job, c->handle);
    pthread_mutex_lock(&comms.lock);
    c->next = comms.first;
    comms.first = c;
    pthread_mutex_unlock(&comms.lock);
    return c;
}

uint64_t obl_comm_id(void)
{
    pthread_mutex_lock(&comms.lock);
    uint64_t id = (uint64_t)(obl_number() + 1) << 32 | ++comms.made;
    pthread_mutex_unlock(&comms.lock);
    return id;
}
